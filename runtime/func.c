/* SPDX-License-Identifier: MIT */
#include "runtime/func.h"

#include <stdio.h>
#include <string.h>

/* Opcodes and variables follow 5 bytes of counts. */
enum { COUNTS = 5, ROWS_MAX = 1 << 20 };

struct decoder {
	struct funcs *fs;
	struct func *f;
	struct buf key;
	size_t prefix; /* bytes of "/lib/<name>" in key */
	size_t cap, pathcap; /* of f->var, f->path */
	const struct value *lines, *cols;
	struct diag *diag;
};

void
funcs_init(struct funcs *fs, struct library *lib, struct heap *heap)
{
	memset(fs, 0, sizeof(*fs));
	map_init(&fs->map, &fs->arena);
	fs->lib = lib;
	fs->heap = heap;
}

static void
release_literals(struct funcs *fs, struct func *f)
{
	int i, j;

	for (i = 0; i < f->ninsn; i++) {
		for (j = 0; j < f->insn[i].nread; j++)
			cell_unref(fs->heap, f->insn[i].read[j].literal);
	}
}

void
funcs_release(struct funcs *fs)
{
	size_t i;

	for (i = 0; i < fs->map.n; i++)
		release_literals(fs, fs->map.entry[i].value);
	arena_release(&fs->arena);
}

bool
funcs_has(const struct funcs *fs, const char *name)
{
	struct buf key = { 0 };
	const struct value *v;

	buf_printf(&key, "/lib/%s/[0,0]", name);
	v = library_get(fs->lib, key.p);
	buf_release(&key);
	return v && strcmp(v->langtype, "rwfunc") == 0;
}

int
func_slot(const struct func *f, const char *name)
{
	int i;

	for (i = 0; i < f->nvar; i++) {
		if (strcmp(f->var[i], name) == 0)
			return i;
	}
	return -1;
}

static int
malformed(struct decoder *d, const char *why)
{
	return diag_error(d->diag, d->f->loc, "RuntimeError: /lib/%s is not "
	    "laid out as expected: %s; lay it out or build it again",
	    d->f->name, why);
}

/* The value at the function's key with a suffix. */
__attribute__((format(printf, 2, 3)))
static const struct value *
get(struct decoder *d, const char *fmt, ...)
{
	char suffix[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(suffix, sizeof(suffix), fmt, ap);
	va_end(ap);
	d->key.n = d->prefix;
	buf_puts(&d->key, suffix);
	return library_get(d->fs->lib, d->key.p);
}

static int
add_var(struct decoder *d, const char *name)
{
	struct func *f = d->f;

	f->var = arena_grow(&d->fs->arena, f->var, (size_t)f->nvar, &d->cap,
	    sizeof(*f->var));
	f->var[f->nvar] = name;
	return f->nvar++;
}

static int
path_of(struct decoder *d, const char *path)
{
	struct func *f = d->f;
	int i;

	f->straight = false;
	for (i = 0; i < f->npath; i++)
		if (strcmp(f->path[i], path) == 0)
			return VAR_PATH - i;
	f->path = arena_grow(&d->fs->arena, f->path, (size_t)f->npath,
	    &d->pathcap, sizeof(*f->path));
	f->path[f->npath++] = path;
	return VAR_PATH - i;
}

/* The number of a variable or path. */
static int
slot_of(struct decoder *d, const char *name)
{
	int i;

	if (*name == '/')
		return path_of(d, name);
	i = func_slot(d->f, name);
	return i >= 0 ? i : add_var(d, name);
}

/* The text after the counts; NULL when the value is no reference. */
static const char *
ref_text(struct decoder *d, const struct value *v)
{
	const char *p = v->body;

	if (strncmp(v->langtype, "rwir", 4) != 0 &&
	    strncmp(v->langtype, "rwfunc", 6) != 0)
		return NULL;
	if (v->n <= COUNTS || !p[COUNTS])
		return NULL;
	/* A type may follow after a NUL. */
	return arena_strndup(&d->fs->arena, p + COUNTS,
	    strnlen(p + COUNTS, v->n - COUNTS));
}

static bool
is_ref(const struct value *v)
{
	return strncmp(v->langtype, "rwir", 4) == 0;
}

static int
decode_param(struct decoder *d, int at, struct param *p)
{
	const struct value *v = get(d, ".[0,%d]", at);
	const char *nul;

	if (!v || strcmp(v->langtype, "def langtype") != 0 ||
	    !(nul = memchr(v->body, '\0', v->n)))
		return malformed(d, "a parameter definition is missing");
	p->name = arena_strdup(&d->fs->arena, v->body);
	p->type = arena_strndup(&d->fs->arena, nul + 1,
	    v->n - (size_t)(nul + 1 - (const char *)v->body));
	if (func_slot(d->f, p->name) >= 0)
		return malformed(d, "two parameters have one name");
	add_var(d, p->name);
	return 0;
}

static int
decode_header(struct decoder *d)
{
	const struct value *v = get(d, "/[0,0]");
	struct func *f = d->f;
	struct param *param;
	const uint8_t *b;
	int i;

	if (!v || strcmp(v->langtype, "rwfunc") != 0 || v->n != COUNTS)
		return malformed(d, "its header is no rwfunc");
	b = v->body;
	f->nread = b[0] | b[1] << 8;
	f->nwrite = b[2] | b[3] << 8;
	f->variadic = b[4] != 0;
	f->straight = !f->variadic;
	if (f->variadic && f->nread == 0)
		return malformed(d, "it is variadic without a read");
	param = arena_array(&d->fs->arena, (size_t)(f->nread + f->nwrite),
	    sizeof(*param));
	f->param = param;
	for (i = 0; i < f->nread + f->nwrite; i++) {
		if (decode_param(d, i < f->nread ? -1 - i : i - f->nread + 1,
		    &param[i]))
			return -1;
	}
	return 0;
}

static void
decode_places(struct decoder *d)
{
	const struct value *file = get(d, "/‥file");

	if (file)
		d->f->loc.file = arena_strndup(
		    &d->fs->arena, file->body, file->n);
	d->lines = get(d, "/‥lines");
	d->cols = get(d, "/‥cols");
}

static int
place(const struct value *v, int row)
{
	int32_t n;

	if (!v || v->dtype != DT_INT32 || v->n < (size_t)row * sizeof(n))
		return 0;
	memcpy(&n, (const char *)v->body + (size_t)(row - 1) * sizeof(n),
	    sizeof(n));
	return n;
}

static int
decode_read(struct decoder *d, const struct value *v, struct ref *r)
{
	const char *text;

	r->var = VAR_DISCARD;
	if (!is_ref(v) && *v->langtype) {
		r->literal = cell_copy(d->fs->heap, v);
		return r->literal ? 0 : malformed(d, "out of memory");
	}
	text = *v->langtype ? ref_text(d, v) : "None";
	if (!text)
		return malformed(d, "a read names no variable");
	r->var = slot_of(d, text);
	return 0;
}

static int
decode_reads(struct decoder *d, int row, struct insn *in)
{
	const struct value *v;
	size_t cap = 0;

	while ((v = get(d, "/[%d,%d]", row, -1 - in->nread))) {
		in->read = arena_grow(&d->fs->arena, in->read,
		    (size_t)in->nread, &cap, sizeof(*in->read));
		if (decode_read(d, v, &in->read[in->nread]))
			return -1;
		in->nread++;
	}
	return 0;
}

static int
decode_writes(struct decoder *d, int row, struct insn *in)
{
	const struct value *v;
	const char *text;
	size_t cap = 0;

	while ((v = get(d, "/[%d,%d]", row, 1 + in->nwrite))) {
		text = ref_text(d, v);
		if (!text)
			return malformed(d, "a write names no variable");
		in->write = arena_grow(&d->fs->arena, in->write,
		    (size_t)in->nwrite, &cap, sizeof(*in->write));
		in->write[in->nwrite++] =
		    strcmp(text, "_") == 0 ? VAR_DISCARD : slot_of(d, text);
	}
	return 0;
}

/* Read i of a jump, which is a row from 1; all rows are known. */
static int
decode_target(struct decoder *d, struct insn *in, int i, int *target)
{
	const struct cell *c = in->read[i].literal;
	int64_t row;

	if (!c || c->v.dtype != DT_INT64 || c->v.shape.rank > 0)
		return diag_error(d->diag, in->loc, "RuntimeError: %s target "
		    "is not an int64 irseq: read %d", in->opcode, i + 1);
	memcpy(&row, c->mem, sizeof(row));
	if (row < 1 || row > d->f->ninsn)
		return diag_error(d->diag, in->loc, "RuntimeError: no "
		    "instruction at /lib/%s/[%lld,0]", d->f->name,
		    (long long)row);
	*target = (int)row - 1;
	return 0;
}

/* goto and br; what else a row does is looked up when it runs. */
static int
decode_jump(struct decoder *d, struct insn *in)
{
	bool br = strcmp(in->opcode, "br") == 0;

	if (!br && strcmp(in->opcode, "goto") != 0)
		return 0;
	if (in->nread != (br ? 3 : 1))
		return diag_error(d->diag, in->loc, br ? "RuntimeError: br "
		    "expects cond trueIrseq falseIrseq, got %d" :
		    "RuntimeError: goto expects 1 irseq, got %d", in->nread);
	d->f->straight = false;
	in->kind = br ? INSN_BR : INSN_GOTO;
	return decode_target(d, in, br, &in->target[0]) ||
	    (br && decode_target(d, in, 2, &in->target[1])) ? -1 : 0;
}

/* Whether the variadic parameter ends the reads; elsewhere it has no value. */
static int
decode_spread(struct decoder *d, struct insn *in)
{
	int i, last = d->f->nread - 1;

	for (i = 0; i < in->nread; i++) {
		if (!d->f->variadic || in->read[i].var != last)
			continue;
		in->spread = i == in->nread - 1 && !in->kind &&
		    strcmp(in->opcode, "=") != 0;
		if (!in->spread)
			return diag_error(d->diag, in->loc, "RuntimeError: "
			    "variadic param \"%s\" can only be passed on, as "
			    "the last argument of a call", d->f->var[last]);
	}
	return 0;
}

static int
decode_rows(struct decoder *d)
{
	struct func *f = d->f;
	const struct value *v;
	size_t cap = 0;
	int row;

	for (row = 1; (v = get(d, "/[%d,0]", row)); row++) {
		struct insn *in;

		f->insn = arena_grow(&d->fs->arena, f->insn,
		    (size_t)f->ninsn, &cap, sizeof(*f->insn));
		in = &f->insn[f->ninsn++];
		memset(in, 0, sizeof(*in));
		in->opcode = ref_text(d, v);
		if (!in->opcode || row > ROWS_MAX)
			return malformed(d, "a row has no opcode");
		in->loc = (struct loc){ f->loc.file, place(d->lines, row),
			place(d->cols, row) };
		if (decode_reads(d, row, in) || decode_writes(d, row, in))
			return -1;
	}
	return 0;
}

struct func *
funcs_get(struct funcs *fs, const char *name, struct diag *diag)
{
	struct func *f = map_get(&fs->map, name);
	struct decoder d = { .fs = fs, .diag = diag };
	int i, rc;

	if (f)
		return f;
	f = d.f = arena_alloc(&fs->arena, sizeof(*f));
	f->name = arena_strdup(&fs->arena, name);
	buf_printf(&d.key, "/lib/%s", name);
	d.prefix = d.key.n;
	decode_places(&d);
	rc = decode_header(&d) || decode_rows(&d);
	for (i = 0; i < f->ninsn && !rc; i++)
		rc = decode_jump(&d, &f->insn[i]) ||
		    decode_spread(&d, &f->insn[i]);
	f->global = arena_array(&fs->arena, (size_t)f->npath,
	    sizeof(struct global *));
	buf_release(&d.key);
	if (rc) {
		release_literals(fs, f);
		return NULL;
	}
	map_set(&fs->map, f->name, f);
	return f;
}
