/* SPDX-License-Identifier: MIT */
#include "kv/kv.h"

#include <locale.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "kv/ast.h"
#include "space/kept.h"

/* Where a function goes: its key and what it is made of. */
struct layout {
	struct arena *arena;
	struct space *space;
	const struct kv_file *file;
	const struct kv_func *f;
	const struct kv_code *code;
	const char *key; /* /lib/P·F */
};

/* Head of opcodes, variables and declarations: counts, zero in rows. */
enum { COUNTS = 5 };

static void
put_bytes(struct layout *l, const char *key, const char *langtype,
    const void *body, size_t n)
{
	struct value v = value_text(langtype, body, n);

	space_set(l->space, key, &v);
}

static void
put_utf8(struct layout *l, const char *suffix, struct str text)
{
	put_bytes(l, arena_printf(l->arena, "%s%s", l->key, suffix),
	    arena_printf(l->arena, "[%zu]char/utf8", text.n), text.p, text.n);
}

static void
put_int32s(struct layout *l, const char *name, const int32_t *v, size_t n)
{
	const struct shape shape = { 1, { (int64_t)n } };
	struct value t = value_tensor(l->arena, DT_INT32, &shape, v);

	space_set(l->space, arena_printf(l->arena, "%s/‥%s", l->key, name),
	    &t);
}

/* File, and line and column of each row. */
static void
put_places(struct layout *l, const struct loc *loc, size_t n)
{
	int32_t *line = arena_array(l->arena, n, sizeof(*line));
	int32_t *col = arena_array(l->arena, n, sizeof(*col));
	size_t i;

	for (i = 0; i < n; i++) {
		line[i] = loc[i].line;
		col[i] = loc[i].col;
	}
	put_utf8(l, "/‥file", str_of(l->file->name));
	put_int32s(l, "lines", line, n);
	put_int32s(l, "cols", col, n);
}

static void
put_header(struct layout *l, const char *key, const char *langtype)
{
	const struct kv_func *f = l->f;
	const struct kv_slot *s;
	uint8_t head[COUNTS] = {
		(uint8_t)f->nreads, (uint8_t)(f->nreads >> 8),
		(uint8_t)f->nwrites, (uint8_t)(f->nwrites >> 8),
	};

	for (s = f->reads; s; s = s->next)
		head[4] |= s->variadic;
	put_bytes(l, key, langtype, head, sizeof(head));
}

/* [0,-j] and [0,j] after `prefix`; named: name NUL type, else the type. */
static void
put_params(struct layout *l, const char *prefix, bool named)
{
	const struct kv_slot *lists[] = { l->f->reads, l->f->writes }, *s;
	int side, j;

	for (side = 0; side < 2; side++) {
		for (s = lists[side], j = 1; s; s = s->next, j++) {
			const char *key = arena_printf(l->arena,
			    "%s%s[0,%d]", l->key, prefix, side ? j : -j);
			struct buf body = { 0 };

			if (named)
				buf_put(&body, s->name, strlen(s->name) + 1);
			buf_puts(&body, s->type);
			put_bytes(l, key, "def langtype", body.p, body.n);
			buf_release(&body);
		}
	}
}

/* Slot [row,col]: counts and a text. */
static void
put_ref(struct layout *l, int row, int col, const char *langtype,
    const char *text)
{
	size_t n = strlen(text);
	char *body = arena_alloc(l->arena, COUNTS + n);

	memcpy(body + COUNTS, text, n);
	put_bytes(l, arena_printf(l->arena, "%s/[%d,%d]", l->key, row, col),
	    langtype, body, COUNTS + n);
}

static void
put_operand(struct layout *l, int row, int col, const struct kv_operand *o)
{
	if (o->name)
		put_ref(l, row, col, "rwir", o->name);
	else
		space_set(l->space, arena_printf(l->arena, "%s/[%d,%d]",
		    l->key, row, col), &o->value);
}

/* Ops that only the interpreter itself has. */
static bool
is_core(const char *opcode)
{
	static const char *const core[] = { "=", "return", "goto", "br" };
	size_t i;

	for (i = 0; i < sizeof(core) / sizeof(core[0]); i++)
		if (strcmp(opcode, core[i]) == 0)
			return true;
	return false;
}

static void
put_row(struct layout *l, int i, const struct kv_row *row)
{
	const struct kv_operand *o;
	int j;

	put_ref(l, i, 0, is_core(row->opcode) ? "rwir" : "rwir|rwfunc",
	    row->opcode);
	for (o = row->reads, j = 1; o; o = o->next, j++)
		put_operand(l, i, -j, o);
	for (o = row->writes, j = 1; o; o = o->next, j++)
		put_operand(l, i, j, o);
}

/* The source of a function made of bare statements is their lines. */
static void
put_source(struct layout *l)
{
	const struct kv_stmt *s;
	struct buf text = { 0 };

	if (l->f->kind == KV_INIT) {
		for (s = l->f->body.first; s; s = s->next) {
			buf_put(&text, s->src.p, s->src.n);
			buf_putc(&text, '\n');
		}
	} else {
		buf_put(&text, l->f->src.p, l->f->src.n);
	}
	put_utf8(l, ".src", buf_str(&text));
	buf_release(&text);
}

static void
put_rwfunc(struct layout *l)
{
	const struct kv_label *label;
	const struct kv_row *row;
	struct loc *loc = NULL;
	size_t n = 0, cap = 0;

	put_header(l, arena_printf(l->arena, "%s/[0,0]", l->key), "rwfunc");
	put_params(l, ".", true);
	put_source(l);
	for (row = l->code->rows; row; row = row->next) {
		loc = arena_grow(l->arena, loc, n, &cap, sizeof(*loc));
		loc[n++] = row->loc;
		put_row(l, (int)n, row);
	}
	for (label = l->code->labels; label; label = label->next)
		space_set_i64(l->space, arena_printf(l->arena,
		    "%s/‥labels/%s", l->key, label->name), label->row);
	put_places(l, loc, n);
}

/* An op that is declared and has no implementation of its own. */
static void
put_rwir(struct layout *l)
{
	put_header(l, l->key, "def rwir");
	put_params(l, "/", false);
	space_set_bool(l->space, arena_printf(l->arena, "%s/‥abstract",
	    l->key), true);
	put_places(l, &l->f->loc, 1);
}

static void
put_func(struct layout *l)
{
	l->key = arena_printf(l->arena, "/lib/%s", l->f->qualified);
	kept_remove(l->space, l->key);
	if (l->f->kind == KV_RWIR)
		put_rwir(l);
	else
		put_rwfunc(l);
}

/* Checks and lowers all functions; writes them when there is a space. */
static int
lay_out(struct layout *l, struct diag *diag)
{
	const struct kv_func *f;
	struct kv_code *code;
	struct map funcs;
	int before = diag->errors;
	size_t n = 0;

	map_init(&funcs, l->arena);
	kv_check(l->file, &funcs, diag);
	for (f = l->file->funcs; f; f = f->next)
		n++;
	code = arena_array(l->arena, n, sizeof(*code));
	for (f = l->file->funcs, n = 0; f; f = f->next, n++) {
		code[n] = kv_lower(f, l->arena, diag);
		/* Of a program with holes nothing is certain. */
		if (l->file->errors == 0)
			kv_infer(f, &code[n], &funcs, l->arena, diag);
	}
	if (l->file->errors > 0 || diag->errors > before)
		return -1;
	for (l->f = l->file->funcs, n = 0; l->f && l->space;
	    l->f = l->f->next) {
		l->code = &code[n++];
		put_func(l);
	}
	return 0;
}

static int
run(const struct kv_file *file, struct space *space, struct diag *diag)
{
	struct arena arena = { 0 };
	struct layout l = { .arena = &arena, .space = space, .file = file };
	/* Numbers mean the same in every locale of the caller. */
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old;
	int r;

	if (c == (locale_t)0)
		fatal("cannot make the C locale: out of memory");
	old = uselocale(c);
	r = lay_out(&l, diag);
	uselocale(old);
	freelocale(c);
	arena_release(&arena);
	return r;
}

int
kv_layout(const struct kv_file *file, struct space *space, struct diag *diag)
{
	return run(file, space, diag);
}

int
kv_vet(const struct kv_file *file, struct diag *diag)
{
	return run(file, NULL, diag);
}

int
kv_layout_text(struct space *space, const char *file, struct str text,
    struct diag *diag)
{
	struct arena arena = { 0 };
	int r = kv_layout(kv_parse(&arena, file, text, diag), space, diag);

	arena_release(&arena);
	return r;
}
