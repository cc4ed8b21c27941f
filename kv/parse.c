/* SPDX-License-Identifier: MIT */
#include "kv/parse.h"

#include <string.h>

#include "base/arena.h"

/* The file being built and where its list of functions ends. */
struct builder {
	struct parser p;
	struct kv_file *file;
	struct kv_func **tail;
	struct kv_item **item; /* where the next item is linked */
};

struct loc
parse_loc(const struct parser *p)
{
	return (struct loc){ p->file, p->tok->line, p->tok->col };
}

bool
parse_is(const struct parser *p, enum token_kind kind)
{
	return p->tok->kind == kind;
}

bool
parse_is_word(const struct parser *p, const char *word)
{
	return p->tok->kind == TOK_IDENT && str_is(p->tok->text, word);
}

void
parse_next(struct parser *p)
{
	if (p->tok->kind != TOK_EOF)
		p->tok++;
}

bool
parse_take(struct parser *p, enum token_kind kind)
{
	if (p->tok->kind != kind)
		return false;
	parse_next(p);
	return true;
}

/* Long texts are cut between code points. */
const char *
parse_got(const struct parser *p)
{
	struct str text = p->tok->text;
	const char *more = "";

	if (p->tok->kind == TOK_EOF)
		return "the end of the file";
	if (p->tok->kind == TOK_NEWLINE)
		return "the end of the line";
	if (text.n > 40) {
		for (text.n = 40; (text.p[text.n] & 0xc0) == 0x80; text.n--)
			;
		more = "…";
	}
	return arena_printf(p->arena, "%s \"%.*s%s\"",
	    token_name(p->tok->kind), (int)text.n, text.p, more);
}

bool
parse_expect(struct parser *p, enum token_kind kind, const char *what)
{
	if (parse_take(p, kind))
		return true;
	diag_error(p->diag, parse_loc(p), "expected %s%s%s, got %s",
	    token_name(kind), what ? " " : "", what ? what : "",
	    parse_got(p));
	return false;
}

void
parse_newlines(struct parser *p)
{
	while (parse_take(p, TOK_NEWLINE))
		;
}

const char *
parse_text(struct parser *p)
{
	struct str text = p->tok->text;

	parse_next(p);
	return arena_strndup(p->arena, text.p, text.n);
}

struct str
parse_since(const struct parser *p, const struct token *first)
{
	const struct token *last = p->tok > first ? p->tok - 1 : first;

	while (last > first && last->kind == TOK_NEWLINE)
		last--;
	return (struct str){ first->text.p, (size_t)(last->text.p +
	    last->text.n - first->text.p) };
}

void
parse_skip(struct parser *p)
{
	int depth = 0;

	for (; !parse_is(p, TOK_EOF); parse_next(p)) {
		if (parse_is(p, TOK_LBRACE))
			depth++;
		else if (parse_is(p, TOK_RBRACE) && depth-- == 0)
			return;
		else if (parse_is(p, TOK_NEWLINE) && depth == 0)
			return;
	}
}

/* One parameter; false after an error. */
static bool
parse_param(struct parser *p, struct kv_slot *slot)
{
	slot->loc = slot->type_loc = parse_loc(p);
	if (!parse_is(p, TOK_IDENT))
		return parse_expect(p, TOK_IDENT, "as the name of a parameter");
	slot->name = parse_text(p);
	if (parse_take(p, TOK_COLON)) {
		slot->type_loc = parse_loc(p);
		slot->type = parse_type(p);
		if (!slot->type)
			return false;
	}
	slot->variadic = parse_take(p, TOK_ELLIPSIS);
	return true;
}

/* Parameters up to `close`, or up to the body when close is TOK_EOF. */
static bool
parse_params(struct parser *p, enum token_kind close, struct kv_slot **list,
    size_t *n)
{
	struct kv_slot *slot;

	for (;;) {
		if (close != TOK_EOF)
			parse_newlines(p);
		if (close != TOK_EOF && parse_take(p, close))
			return true;
		slot = arena_alloc(p->arena, sizeof(*slot));
		if (!parse_param(p, slot))
			return false;
		*list = slot;
		list = &slot->next;
		++*n;
		if (close != TOK_EOF)
			parse_newlines(p);
		if (!parse_take(p, TOK_COMMA))
			break;
	}
	return close == TOK_EOF ||
	    parse_expect(p, close, "or ',' after a parameter");
}

static bool
parse_signature(struct parser *p, struct kv_func *f)
{
	if (!parse_expect(p, TOK_LPAREN, "after the name") ||
	    !parse_params(p, TOK_RPAREN, &f->reads, &f->nreads))
		return false;
	if (!parse_is(p, TOK_ARROW) || !str_is(p->tok->text, "->"))
		return true;
	parse_next(p);
	if (parse_take(p, TOK_LPAREN))
		return parse_params(p, TOK_RPAREN, &f->writes, &f->nwrites);
	return parse_params(p, TOK_EOF, &f->writes, &f->nwrites);
}

static struct kv_func *
new_func(struct builder *b, enum kv_func_kind kind, const char *pkg,
    const char *name, struct loc loc)
{
	struct kv_func *f = arena_alloc(b->p.arena, sizeof(*f));

	f->kind = kind;
	f->pkg = pkg;
	f->name = name;
	f->qualified = *pkg ? arena_printf(b->p.arena, "%s·%s", pkg, name) :
	    name;
	f->loc = loc;
	f->tail = &f->body.first;
	return f;
}

static struct kv_item *
add_item(struct builder *b, enum kv_item_kind kind, struct str src)
{
	struct kv_item *item = arena_alloc(b->p.arena, sizeof(*item));

	item->kind = kind;
	item->src = src;
	*b->item = item;
	b->item = &item->next;
	return item;
}

static void
append(struct builder *b, struct kv_func *f)
{
	*b->tail = f;
	b->tail = &f->next;
}

/* After a broken signature: goes on behind the body if there is one. */
static void
skip_func(struct parser *p)
{
	const struct token *t = p->tok;

	while (t->kind != TOK_LBRACE && t->kind != TOK_RBRACE &&
	    t->kind != TOK_EOF && !str_is(t->text, "rwfunc") &&
	    !str_is(t->text, "rwir"))
		t++;
	if (t->kind == TOK_LBRACE)
		p->tok = t;
	parse_skip(p);
}

/* "{ body }"; false after an error. */
static bool
parse_func_body(struct parser *p, struct kv_func *f)
{
	p->controls = 0;
	if (!parse_block(p, &f->body, arena_printf(p->arena,
	    "to close rwfunc %s of line %d", f->name, f->loc.line)))
		return false;
	f->end = (struct loc){ p->file, p->tok[-1].line, p->tok[-1].col };
	return true;
}

/* At `rwfunc NAME` or `rwir NAME`. */
static void
parse_func(struct builder *b, enum kv_func_kind kind, const char *pkg)
{
	struct parser *p = &b->p;
	const struct token *first = p->tok;
	struct kv_func *f;
	struct loc loc;

	parse_next(p);
	loc = parse_loc(p);
	f = new_func(b, kind, pkg, parse_text(p), loc);
	if (!parse_signature(p, f)) {
		if (kind == KV_RWFUNC)
			skip_func(p);
		else
			parse_skip(p);
		return;
	}
	if (kind == KV_RWFUNC && !parse_func_body(p, f)) {
		parse_skip(p);
		return;
	}
	f->src = parse_since(p, first);
	if (!parse_is(p, TOK_RBRACE) && !parse_is(p, TOK_EOF) &&
	    !parse_expect(p, TOK_NEWLINE, "after the declaration"))
		parse_skip(p);
	append(b, f);
	add_item(b, KV_ITEM_FUNC, f->src)->func = f;
}

/* The function made of the bare statements of a package. */
static struct kv_func *
init_of(struct builder *b, const char *pkg, struct loc loc)
{
	struct kv_file *file = b->file;
	struct kv_func *f;

	for (f = file->funcs; f; f = f->next)
		if (f->kind == KV_INIT && strcmp(f->pkg, pkg) == 0)
			return f;
	f = new_func(b, KV_INIT, pkg, "init", loc);
	append(b, f);
	return f;
}

/* What only functions may hold; NULL for other statements. */
static const char *
control_here(const struct parser *p)
{
	return parse_is(p, TOK_IF) ? "if" : parse_is(p, TOK_FOR) ? "for" :
	    parse_is(p, TOK_WHILE) ? "while" :
	    parse_at_label(p) ? "label" : NULL;
}

static void
parse_bare(struct builder *b, const char *pkg)
{
	struct parser *p = &b->p;
	const char *control = control_here(p);
	struct kv_func *f;
	struct kv_stmt *stmt;

	if (control) {
		diag_error(p->diag, parse_loc(p), "top-level %s is not "
		    "supported — wrap in a rwfunc", control);
		/* The newlines before the block belong to a label. */
		while (parse_at_label(p) || parse_is(p, TOK_COLON))
			parse_next(p);
		parse_newlines(p);
		parse_skip_control(p);
		return;
	}
	stmt = parse_stmt(p);
	if (!stmt)
		return;
	f = init_of(b, pkg, stmt->loc);
	*f->tail = stmt;
	f->tail = &stmt->next;
	f->end = stmt->loc;
	add_item(b, KV_ITEM_STMT, stmt->src)->stmt = stmt;
}

static void parse_items(struct builder *, const char *pkg, int depth);

/* At `lib NAME`. */
static void
parse_lib(struct builder *b, const char *outer, int depth)
{
	enum { MAX_LIBS = 64 };
	struct parser *p = &b->p;
	const struct token *first = p->tok;
	struct loc loc = parse_loc(p);
	struct kv_item *item, **outside;
	const char *name;
	char *to_close;

	parse_next(p);
	name = parse_text(p);
	item = add_item(b, KV_ITEM_LIB, first->text);
	item->name = name;
	if (strcmp(name, "lib") == 0)
		diag_info(p->diag, loc, "package name \"lib\" expands to "
		    "/lib/lib/ — consider a different name");
	if (*outer)
		name = arena_printf(p->arena, "%s/%s", outer, name);
	if (depth == MAX_LIBS) {
		diag_error(p->diag, loc, "libs are nested more than %d deep",
		    MAX_LIBS);
		parse_skip(p);
		return;
	}
	if (!parse_expect(p, TOK_LBRACE, "after the name of the lib")) {
		parse_skip(p);
		return;
	}
	to_close = arena_printf(p->arena, "to close lib %s of line %d", name,
	    loc.line);
	item->open = p->tok[-1].text.p;
	outside = b->item;
	b->item = &item->items;
	parse_items(b, name, depth + 1);
	b->item = outside;
	item->close = p->tok->text.p;
	parse_expect(p, TOK_RBRACE, to_close);
	item->src = parse_since(p, first);
}

/* `word NAME` with the given word. */
static bool
at_decl(const struct parser *p, const char *word)
{
	return parse_is_word(p, word) && p->tok[1].kind == TOK_IDENT;
}

static void
parse_item(struct builder *b, const char *pkg, int depth)
{
	struct parser *p = &b->p;

	if (at_decl(p, "lib")) {
		parse_lib(b, pkg, depth);
	} else if (at_decl(p, "rwfunc")) {
		parse_func(b, KV_RWFUNC, pkg);
	} else if (at_decl(p, "rwir")) {
		if (!*pkg)
			diag_error(p->diag, parse_loc(p), "rwir outside of a "
			    "lib — write lib domain { rwir … }");
		parse_func(b, KV_RWIR, pkg);
	} else if (at_decl(p, "struct")) {
		diag_error(p->diag, parse_loc(p), "struct is not supported "
		    "yet; write tensors as separate parameters");
		parse_skip(p);
	} else {
		parse_bare(b, pkg);
	}
}

/* Items up to the closing brace of a lib, which is not consumed, or the end
 * of the file. */
static void
parse_items(struct builder *b, const char *pkg, int depth)
{
	struct parser *p = &b->p;

	for (;;) {
		parse_newlines(p);
		if (parse_is(p, TOK_EOF))
			return;
		if (!parse_is(p, TOK_RBRACE)) {
			parse_item(b, pkg, depth);
			continue;
		}
		if (depth > 0)
			return;
		diag_error(p->diag, parse_loc(p),
		    "unexpected token %s at top level", parse_got(p));
		parse_next(p);
	}
}

static void
collect_entries(struct kv_file *file)
{
	struct kv_func *f;
	size_t n = 0;

	for (f = file->funcs; f; f = f->next)
		n += f->kind == KV_INIT;
	file->entry = arena_array(file->arena, n, sizeof(*file->entry));
	for (f = file->funcs; f; f = f->next)
		if (f->kind == KV_INIT)
			file->entry[file->nentry++] = f->qualified;
}

struct kv_file *
kv_parse(struct arena *arena, const char *file, struct str text,
    struct diag *diag)
{
	struct kv_file *out = arena_alloc(arena, sizeof(*out));
	struct builder b = { .file = out, .tail = &out->funcs,
		.item = &out->items };
	int before = diag->errors;
	size_t n;

	out->arena = arena;
	out->name = arena_strdup(arena, file);
	out->text = (struct str){ arena_strndup(arena, text.p, text.n),
		text.n };
	b.p = (struct parser){ .arena = arena, .diag = diag,
		.file = out->name };
	b.p.tok = token_scan(arena, out->name, out->text, diag, &n,
	    &out->comments);
	parse_items(&b, "", 0);
	collect_entries(out);
	out->errors = diag->errors - before;
	return out;
}

size_t
kv_entries(const struct kv_file *file, const char ***names)
{
	*names = file->entry;
	return file->nentry;
}
