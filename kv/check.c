/* SPDX-License-Identifier: MIT */
#include "kv/check.h"

#include <string.h>

#include "kv/langtype.h"
#include "kv/native.h"
#include "kv/near.h"

/* Words that a function without a package may not take, beside the ops of the
 * language. */
static const char *const words[] = { "map", "input", "return", "call", "goto",
	"br" };

static const char *const literals[] = { "true", "false", "None", "null" };

static bool
is_one_of(const char *word, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    (unsigned char)c >= 0x80;
}

/* A name of a parameter, variable or function. */
static bool
check_name(struct check *c, struct loc loc, const char *name)
{
	if (!is_letter(name[0]))
		diag_error(c->diag, loc, "\"%s\" is no name: it must begin "
		    "with a letter or '_'", name);
	else if (strchr(name, '/'))
		diag_error(c->diag, loc, "\"%s\" is no name: '/' only occurs "
		    "in the names of libs; a division is "
		    "written ÷", name);
	else if (is_one_of(name, literals,
	    sizeof(literals) / sizeof(literals[0])))
		diag_error(c->diag, loc, "\"%s\" is a value and no name; "
		    "choose another", name);
	else if (strpbrk(name, "?@"))
		diag_error(c->diag, loc, "\"%s\" is no name: '%c' cannot be "
		    "in it", name, *strpbrk(name, "?@"));
	else
		return true;
	return false;
}

bool
check_variable(struct check *c, struct loc loc, const char *name)
{
	if (!check_name(c, loc, name))
		return false;
	if (name[0] != '_' || name[1] < '0' || name[1] > '9')
		return true;
	diag_error(c->diag, loc, "\"%s\" is the form of the compiler's own "
	    "temporaries; choose another name", name);
	return false;
}

const char *
check_hint(struct check *c, const char *best)
{
	return best ? arena_printf(&c->arena, "; did you mean %s?", best) :
	    "";
}

/* What people write who come from elsewhere. */
static const char *
foreign_kind(struct str kind)
{
	static const struct {
		const char *word, *kind;
	} table[] = {
		{ "int", "int64" }, { "integer", "int64" },
		{ "uint", "uint64" }, { "float", "float64" },
		{ "double", "float64" }, { "half", "float16" },
		{ "num", "float64" }, { "number", "float64" },
		{ "boolean", "bool" }, { "char", "char/utf32" },
		{ "string", "[]char/utf32" }, { "str", "[]char/utf32" },
		{ "tensor", "[*]any" },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (str_is(kind, table[i].word))
			return table[i].kind;
	return NULL;
}

/* A hint for the first alternative whose kind does not exist. */
static const char *
type_hint(struct check *c, const char *type)
{
	struct str rest = str_of(type), alt, one;
	struct near near = { 0 };
	struct kv_atom atom;
	const char *kind;

	while (str_next(&rest, '|', &alt)) {
		one = alt;
		if (kv_atom_next(&one, &atom))
			continue;
		kind = memchr(alt.p, ']', alt.n);
		kind = kind ? kind + 1 : alt.p;
		near.word = arena_strndup(&c->arena, kind,
		    (size_t)(alt.p + alt.n - kind));
		if (kv_langtype_valid(str_of(near.word)))
			return "; between [ and ] go lengths and ., and at "
			    "most one of ? * +";
		near.best = foreign_kind(str_of(near.word));
		if (!near.best)
			kv_kind_near(&near);
		return check_hint(c, near.best);
	}
	return "";
}

/* The end of a name after its last '.', when that is reserved. */
static void
check_suffix(struct check *c)
{
	const char *dot = strrchr(c->f->name, '.');
	unsigned long long n;

	if (!dot)
		return;
	if (strcmp(dot, ".src") == 0)
		diag_error(c->diag, c->f->loc, "a function name cannot end "
		    "in .src: the source of \"%.*s\" is kept there",
		    (int)(dot - c->f->name), c->f->name);
	else if (str_u64(str_of(dot + 1), &n))
		diag_warn(c->diag, c->f->loc, "function \"%s\" has the form "
		    "of version %llu of \"%.*s\"; choose another name",
		    c->f->name, n, (int)(dot - c->f->name), c->f->name);
}

static void
check_pkg(struct check *c)
{
	struct str rest = str_of(c->f->pkg), part;

	while (str_next(&rest, '/', &part))
		if (part.n == 0 || !is_letter(part.p[0]))
			diag_error(c->diag, c->f->loc, "\"%s\" is no lib "
			    "name: each part between '/' must begin with a "
			    "letter", c->f->pkg);
}

/* True when a message was given because the type is one that only this
 * version of the language lacks. */
static bool
type_unsupported(struct check *c, struct loc loc, const char *type)
{
	if (*type == '*' || *type == '@')
		diag_error(c->diag, loc, "address types are not supported "
		    "yet; write the value type %s", type + 1);
	else if (strstr(type, "·"))
		diag_error(c->diag, loc, "map types are not supported yet; "
		    "write an array type such as []float64");
	else if (*type == '/')
		diag_error(c->diag, loc, "struct types are not supported "
		    "yet; write one parameter for each member");
	else
		return false;
	return true;
}

static void
check_param(struct check *c, const struct kv_slot *slot, bool read)
{
	const char *f = c->f->qualified;

	check_variable(c, slot->loc, slot->name);
	if (!slot->type)
		diag_error(c->diag, slot->loc, "func %s: %s \"%s\" has no "
		    "type annotation — every parameter must declare its "
		    "type, e.g. %s:int64", f, read ? "param" : "return value",
		    slot->name, slot->name);
	else if (!kv_langtype_valid(str_of(slot->type)) &&
	    !type_unsupported(c, slot->type_loc, slot->type))
		diag_error(c->diag, slot->type_loc, "func %s: param \"%s\": "
		    "unknown type — valid: bool, int8 … int64, uint8 … "
		    "uint64, float16 … float64, bfloat16, char/utf8, any, "
		    "with [dims] before and | between (got \"%s\")%s", f, slot->name,
		    slot->type, type_hint(c, slot->type));
	if (!slot->variadic)
		return;
	if (!read)
		diag_error(c->diag, slot->loc, "func %s: write-param \"%s\" "
		    "cannot be variadic", f, slot->name);
	else if (slot->next)
		diag_error(c->diag, slot->loc, "func %s: variadic param "
		    "\"%s\" must be the last read-param", f, slot->name);
}

/* Both lists of parameters; fills the maps of names. */
static void
check_params(struct check *c)
{
	struct map writes;
	struct kv_slot *s;

	map_init(&writes, &c->arena);
	for (s = c->f->reads; s; s = s->next) {
		check_param(c, s, true);
		if (map_get(&c->reads, s->name))
			diag_error(c->diag, s->loc, "func %s: duplicate param "
			    "\"%s\" in read-params", c->f->qualified, s->name);
		map_set(&c->reads, s->name, s);
		map_set(&c->known, s->name, s);
	}
	for (s = c->f->writes; s; s = s->next) {
		check_param(c, s, false);
		if (map_get(&writes, s->name))
			diag_error(c->diag, s->loc, "func %s: duplicate param "
			    "\"%s\" in write-params", c->f->qualified,
			    s->name);
		if (map_get(&c->reads, s->name))
			diag_error(c->diag, s->loc, "func %s: param \"%s\" "
			    "appears in both read-params and write-params — "
			    "rename one", c->f->qualified, s->name);
		map_set(&writes, s->name, s);
		map_set(&c->known, s->name, s);
	}
}

void
check_write_type(struct check *c, const struct kv_slot *slot)
{
	static const char *const vague[] = { "int", "float", "uint", "num" };
	const char *t = slot->type;

	if (!t || kv_langtype_valid(str_of(t)) ||
	    type_unsupported(c, slot->type_loc, t))
		return;
	if (is_one_of(t, vague, sizeof(vague) / sizeof(vague[0])))
		diag_error(c->diag, slot->type_loc, "ambiguous type \"%s\" in "
		    "write slot — use int64 or float64 instead", t);
	else
		diag_error(c->diag, slot->type_loc, "write \"%s\": unknown "
		    "type \"%s\"%s", slot->name, t, type_hint(c, t));
}

static void
check_func_name(struct check *c)
{
	const struct kv_func *f = c->f;

	if (check_name(c, f->loc, f->name))
		check_suffix(c);
	check_pkg(c);
	if (*f->pkg || f->kind == KV_INIT)
		return;
	diag_info(c->diag, f->loc, "rwfunc outside lib block — registering "
	    "under /lib/%s; consider wrapping in 'lib pkgname { }'", f->name);
	if (kv_native(f->name) ||
	    is_one_of(f->name, words, sizeof(words) / sizeof(words[0])))
		diag_error(c->diag, f->loc, "function \"%s\" shadows builtin "
		    "\"%s\" — wrap in 'lib pkg { }' or rename", f->name,
		    f->name);
}

static void
check_func(struct check *c)
{
	enum { MAX_PARAMS = 1000 };

	map_init(&c->labels, &c->arena);
	map_init(&c->reads, &c->arena);
	map_init(&c->known, &c->arena);
	check_func_name(c);
	if (c->f->nreads > MAX_PARAMS || c->f->nwrites > MAX_PARAMS)
		diag_error(c->diag, c->f->loc, "func %s: more than %d "
		    "parameters", c->f->qualified, MAX_PARAMS);
	check_params(c);
	check_body(c);
}

static void
collect_funcs(struct check *c, const struct kv_file *file)
{
	const struct kv_func *first;
	struct kv_func *f;

	for (f = file->funcs; f; f = f->next) {
		first = map_get(c->funcs, f->qualified);
		if (first)
			diag_error(c->diag, f->loc, "\"%s\" is declared twice; "
			    "the first is in line %d", f->qualified,
			    first->loc.line);
		else
			map_set(c->funcs, f->qualified, f);
	}
}

void
kv_check(const struct kv_file *file, struct map *funcs, struct diag *diag)
{
	struct check c = { .diag = diag, .funcs = funcs,
		.whole = file->errors == 0 };

	arena_init(&c.arena);
	map_init(&c.foreign, &c.arena);
	if (!file->funcs && file->errors == 0)
		diag_error(diag, (struct loc){ file->name, 0, 0 },
		    "no executable code found: expected a lib, a rwfunc or a "
		    "statement");
	collect_funcs(&c, file);
	for (c.f = file->funcs; c.f; c.f = c.f->next)
		check_func(&c);
	arena_release(&c.arena);
}
