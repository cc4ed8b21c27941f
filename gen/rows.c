/* SPDX-License-Identifier: MIT */
#include "gen/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

#define COUNTS "\0\0\0\0\0" /* five bytes before the text of a slot */
enum { N_COUNTS = 5 };

static const struct value *
get(const struct space *space, struct arena *arena, const char *name,
    const char *key)
{
	return space_get(space, arena_printf(arena, "/lib/%s%s", name, key));
}

static const char *
slot_text(const struct value *v, struct arena *arena)
{
	if (v->n < N_COUNTS)
		BUG("slot of %zu bytes", v->n);
	return arena_strndup(arena, (const char *)v->body + N_COUNTS,
	    v->n - N_COUNTS);
}

static bool
is_reference(const struct value *v)
{
	return !strncmp(v->langtype, "rwir", 4) ||
	    !strncmp(v->langtype, "rwfunc", 6);
}

static unsigned
u16(const void *p)
{
	const unsigned char *b = p;

	return b[0] | (unsigned)b[1] << 8;
}

static void
read_params(const struct space *space, const char *name, int sign,
    struct param *param, size_t n, struct arena *arena)
{
	for (size_t j = 0; j < n; j++) {
		const struct value *v = get(space, arena, name,
		    arena_printf(arena, ".[0,%d]", sign * (int)(j + 1)));
		const char *text;

		if (!v)
			BUG("%s: parameter %zu is missing", name, j);
		text = arena_strndup(arena, v->body, v->n);
		param[j].name = text;
		param[j].langtype = text + strlen(text) + 1;
	}
}

static void
read_row(const struct space *space, const char *name, size_t i,
    struct row *row, struct arena *arena)
{
	size_t cap_r = 0, cap_w = 0;
	const struct value *v;

	for (int j = 1; (v = get(space, arena, name, arena_printf(arena,
	    "/[%zu,-%d]", i, j))); j++) {
		struct slot s = { NULL, v };

		if (is_reference(v))
			s = (struct slot){ slot_text(v, arena), NULL };
		row->read = arena_grow(arena, row->read, row->nread, &cap_r,
		    sizeof *row->read);
		row->read[row->nread++] = s;
	}
	for (int j = 1; (v = get(space, arena, name, arena_printf(arena,
	    "/[%zu,%d]", i, j))); j++) {
		row->write = arena_grow(arena, row->write, row->nwrite, &cap_w,
		    sizeof *row->write);
		row->write[row->nwrite++] = slot_text(v, arena);
	}
}

/* Places of rows: ‥file, ‥lines, ‥cols, where the function has them. */
static void
read_places(const struct space *space, struct func *f, struct arena *arena)
{
	const struct value *file = get(space, arena, f->name, "/‥file");
	const struct value *lines = get(space, arena, f->name, "/‥lines");
	const struct value *cols = get(space, arena, f->name, "/‥cols");
	const char *name;

	if (!file || !lines)
		return;
	name = arena_strndup(arena, file->body, file->n);
	for (size_t i = 0; i <= f->nrow && i < lines->n / 4; i++) {
		int32_t line, col = 1;
		struct loc loc;

		memcpy(&line, (const char *)lines->body + 4 * i, 4);
		if (cols && i < cols->n / 4)
			memcpy(&col, (const char *)cols->body + 4 * i, 4);
		loc = (struct loc){ name, line, col };
		if (i == 0)
			f->loc = loc;
		if (i < f->nrow)
			f->row[i].loc = loc;
	}
}

struct func *
func_read(const struct space *space, const char *name, struct arena *arena)
{
	const struct value *head = get(space, arena, name, "/[0,0]"), *v;
	struct func *f;
	size_t cap = 0;

	if (!head || strcmp(head->langtype, "rwfunc") || head->n < N_COUNTS)
		return NULL;
	f = arena_alloc(arena, sizeof *f);
	f->name = arena_strdup(arena, name);
	f->nread = u16(head->body);
	f->nwrite = u16((const char *)head->body + 2);
	f->variadic = ((const char *)head->body)[4] != 0;
	f->read = arena_array(arena, f->nread, sizeof *f->read);
	f->write = arena_array(arena, f->nwrite, sizeof *f->write);
	read_params(space, name, -1, f->read, f->nread, arena);
	read_params(space, name, 1, f->write, f->nwrite, arena);
	for (size_t i = 1; (v = get(space, arena, name,
	    arena_printf(arena, "/[%zu,0]", i))); i++) {
		f->row = arena_grow(arena, f->row, f->nrow, &cap,
		    sizeof *f->row);
		memset(&f->row[f->nrow], 0, sizeof *f->row);
		f->row[f->nrow].opcode = slot_text(v, arena);
		read_row(space, name, i, &f->row[f->nrow++], arena);
	}
	while (f->nrow && !strcmp(f->row[f->nrow - 1].opcode, "return"))
		f->nrow--;
	read_places(space, f, arena);
	return f;
}

static bool
is_none(const struct slot *s)
{
	return s->value && !*s->value->langtype;
}

bool
func_writes_before(const struct func *f, size_t i, const char *name)
{
	for (size_t r = 0; r < i; r++)
		for (size_t w = 0; w < f->row[r].nwrite; w++)
			if (!strcmp(f->row[r].write[w], name))
				return true;
	return false;
}

/* Whether a row reads only what parameters or earlier rows give. */
static bool
reads_known(const struct func *f, size_t i, size_t j)
{
	const char *name = f->row[i].read[j].name;

	if (!name)
		return !is_none(&f->row[i].read[j]);
	for (size_t p = 0; p < f->nread; p++)
		if (!strcmp(f->read[p].name, name))
			return true;
	return func_writes_before(f, i, name);
}

static bool
is_straight(const struct func *f, size_t i)
{
	const struct row *row = &f->row[i];

	if (!strcmp(row->opcode, "br") || !strcmp(row->opcode, "goto") ||
	    !strcmp(row->opcode, "return") || *row->opcode == '/')
		return false;
	for (size_t j = 0; j < row->nread; j++)
		if (!reads_known(f, i, j))
			return false;
	for (size_t j = 0; j < row->nwrite; j++)
		if (*row->write[j] == '/')
			return false;
	return true;
}

static bool
is_written(const struct func *f, const char *name)
{
	for (size_t i = 0; i < f->nrow; i++)
		for (size_t w = 0; w < f->row[i].nwrite; w++)
			if (!strcmp(f->row[i].write[w], name))
				return true;
	return false;
}

bool
func_is_straight(const struct func *f)
{
	for (size_t i = 0; i < f->nrow; i++)
		if (!is_straight(f, i))
			return false;
	for (size_t j = 0; j < f->nwrite; j++)
		if (!is_written(f, f->write[j].name))
			return false;
	return !f->variadic;
}

static void
set_slot(struct space *space, const char *key, const char *langtype,
    const char *text)
{
	struct buf b = { 0 };
	struct value v;

	buf_put(&b, COUNTS, N_COUNTS);
	buf_puts(&b, text);
	v = value_text(langtype, b.p, b.n);
	space_set(space, key, &v);
	buf_release(&b);
}

static void
set_header(struct space *space, const char *key, const char *langtype,
    size_t nr, size_t nw)
{
	unsigned char head[N_COUNTS] = { nr & 255, nr >> 8 & 255, nw & 255,
		nw >> 8 & 255, 0 };
	struct value v = value_text(langtype, head, sizeof head);

	space_set(space, key, &v);
}

static void
write_params(struct space *space, const char *name, int sign,
    const struct param *param, size_t n, struct arena *arena)
{
	for (size_t j = 0; j < n; j++) {
		struct buf b = { 0 };
		struct value v;

		buf_put(&b, param[j].name, strlen(param[j].name) + 1);
		buf_puts(&b, param[j].langtype);
		v = value_text("def langtype", b.p, b.n);
		space_set(space, arena_printf(arena, "/lib/%s.[0,%d]", name,
		    sign * (int)(j + 1)), &v);
		buf_release(&b);
	}
}

static void
write_row(struct space *space, const char *name, size_t i,
    const struct row *row, struct arena *arena)
{
	bool core = !strcmp(row->opcode, "=") || !strcmp(row->opcode, "return");

	set_slot(space, arena_printf(arena, "/lib/%s/[%zu,0]", name, i),
	    core ? "rwir" : "rwir|rwfunc", row->opcode);
	for (size_t j = 0; j < row->nread; j++) {
		char *key = arena_printf(arena, "/lib/%s/[%zu,-%zu]", name, i,
		    j + 1);

		if (row->read[j].value)
			space_set(space, key, row->read[j].value);
		else
			set_slot(space, key, "rwir", row->read[j].name);
	}
	for (size_t j = 0; j < row->nwrite; j++)
		set_slot(space, arena_printf(arena, "/lib/%s/[%zu,%zu]", name,
		    i, j + 1), "rwir", row->write[j]);
}

void
func_write(struct space *space, const struct func *f, const char *file)
{
	static const struct row last = { .opcode = "return" };
	struct arena arena = { 0 };
	struct shape shape = { 1, { (int64_t)f->nrow + 1 } };
	int32_t *lines = arena_array(&arena, f->nrow + 1, sizeof *lines);
	struct value v;

	set_header(space, arena_printf(&arena, "/lib/%s/[0,0]", f->name),
	    "rwfunc", f->nread, f->nwrite);
	write_params(space, f->name, -1, f->read, f->nread, &arena);
	write_params(space, f->name, 1, f->write, f->nwrite, &arena);
	for (size_t i = 0; i < f->nrow; i++) {
		write_row(space, f->name, i + 1, &f->row[i], &arena);
		lines[i] = f->row[i].loc.line;
	}
	write_row(space, f->name, f->nrow + 1, &last, &arena);
	v = value_text(arena_printf(&arena, "[%zu]char/utf8", strlen(file)),
	    file, strlen(file));
	space_set(space, arena_printf(&arena, "/lib/%s/‥file", f->name), &v);
	v = value_tensor(&arena, DT_INT32, &shape, lines);
	space_set(space, arena_printf(&arena, "/lib/%s/‥lines", f->name), &v);
	arena_release(&arena);
}

bool
func_exists(const struct space *space, const char *name)
{
	struct arena arena = { 0 };
	const struct value *v = get(space, &arena, name, "/[0,0]");

	arena_release(&arena);
	return v && !strcmp(v->langtype, "rwfunc");
}

const char *
func_callee(const struct space *space, const char *caller, const char *opcode,
    struct arena *arena)
{
	struct str pkg, name, own, f;
	const char *full;

	name_split(opcode, &pkg, &name);
	if (pkg.n)
		return func_exists(space, opcode) ? opcode : NULL;
	name_split(caller, &own, &f);
	full = arena_printf(arena, "%.*s·%s", (int)own.n, own.p, opcode);
	if (own.n && func_exists(space, full))
		return full;
	return func_exists(space, opcode) ? opcode : NULL;
}

bool
rwir_exists(const struct space *space, const char *name)
{
	struct arena arena = { 0 };
	const struct value *v = get(space, &arena, name, "");

	arena_release(&arena);
	return v && !strcmp(v->langtype, "def rwir");
}

bool
rwir_is_abstract(const struct space *space, const char *name)
{
	struct arena arena = { 0 };
	const struct value *v = get(space, &arena, name, "/‥abstract");

	arena_release(&arena);
	return v && v->n == 1 && *(const char *)v->body == 1;
}

void
rwir_write(struct space *space, const char *name, const char *const *in,
    size_t nin, const char *const *out, size_t nout)
{
	struct arena arena = { 0 };

	set_header(space, arena_printf(&arena, "/lib/%s", name), "def rwir",
	    nin, nout);
	for (size_t j = 0; j < nin; j++)
		space_set_text(space, arena_printf(&arena, "/lib/%s/[0,-%zu]",
		    name, j + 1), "def langtype", in[j]);
	for (size_t j = 0; j < nout; j++)
		space_set_text(space, arena_printf(&arena, "/lib/%s/[0,%zu]",
		    name, j + 1), "def langtype", out[j]);
	arena_release(&arena);
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t
func_list(const struct space *space, struct arena *arena, const char ***names)
{
	static const char prefix[] = "/lib/", suffix[] = "/[0,0]";
	const struct value *v;
	const char *key;
	size_t it = 0, n = 0, cap = 0;

	*names = NULL;
	while ((key = space_next(space, prefix, &it, &v))) {
		size_t len = strlen(key);

		if (len <= sizeof prefix + sizeof suffix - 2 ||
		    strcmp(key + len - (sizeof suffix - 1), suffix) ||
		    strcmp(v->langtype, "rwfunc"))
			continue;
		*names = arena_grow(arena, *names, n, &cap, sizeof **names);
		(*names)[n++] = arena_strndup(arena, key + sizeof prefix - 1,
		    len - (sizeof prefix - 1) - (sizeof suffix - 1));
	}
	if (n)
		qsort(*names, n, sizeof **names, by_bytes);
	return n;
}

int64_t
name_version(const char *name)
{
	const char *dot = strrchr(name, '.');
	unsigned long long n;

	if (!dot || !str_u64(str_of(dot + 1), &n) || n == 0 || n > INT64_MAX)
		return 0;
	return (int64_t)n;
}
