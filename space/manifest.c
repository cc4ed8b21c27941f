/* SPDX-License-Identifier: MIT */
#include "space/manifest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/map.h"
#include "base/sha256.h"

#define FIRST_LINE "kvmanifest 1 abi=1"

enum kind { NEEDED, OPTIONAL, CLASS, DTYPE, NUMBER, ALIAS, SCRATCH, HEX,
	OPTIONAL_HEX };

/* The columns after the word `row`, in order; key: part of what makes a row
 * unique. */
static const struct column {
	const char *name;
	enum kind kind;
	bool key;
	size_t at;
} columns[] = {
#define AT(field) offsetof(struct manifest_row, field)
	{ "opcode", NEEDED, true, AT(opcode) },
	{ "base", OPTIONAL, false, AT(base) },
	{ "N", NUMBER, false, AT(version) },
	{ "dtype", DTYPE, true, AT(dtype) },
	{ "pattern", OPTIONAL, true, AT(pattern) },
	{ "guard", OPTIONAL, true, AT(guard) },
	{ "class", CLASS, false, AT(cls) },
	{ "isa", NEEDED, true, AT(isa) },
	{ "author", NEEDED, true, AT(author) },
	{ "outdims", OPTIONAL, false, AT(outdims) },
	{ "alias", ALIAS, false, AT(alias) },
	{ "scratch", SCRATCH, false, AT(scratch) },
	{ "object", HEX, false, AT(object) },
	{ "entry", NUMBER, false, AT(entry) },
	{ "shapehash", OPTIONAL_HEX, false, AT(shapehash) },
	{ "cert", OPTIONAL, false, AT(cert) },
#undef AT
};

enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

/* What a faulty column should have been, for messages. */
static const char *const expected[] = {
	[NEEDED] = "a text",
	[OPTIONAL] = "a text or -",
	[CLASS] = "map, rows, reduce or other",
	[DTYPE] = "a dtype such as float32",
	[NUMBER] = "a decimal number from 0",
	[ALIAS] = "a decimal bit mask",
	[SCRATCH] = "bytes such as 0+4n",
	[HEX] = "64 hexadecimal digits",
	[OPTIONAL_HEX] = "64 hexadecimal digits or -",
};

void
manifest_init(struct manifest *m)
{
	*m = (struct manifest){ 0 };
}

void
manifest_release(struct manifest *m)
{
	arena_release(&m->arena);
	*m = (struct manifest){ 0 };
}

static bool
is_text(enum kind k)
{
	return k == NEEDED || k == OPTIONAL || k == CLASS || k == HEX ||
	    k == OPTIONAL_HEX;
}

static const char **
text_at(struct manifest_row *row, const struct column *c)
{
	return (const char **)((char *)row + c->at);
}

void
manifest_add(struct manifest *m, const struct manifest_row *row)
{
	struct manifest_row copy = *row;
	const char **text;
	size_t i;

	for (i = 0; i < N_COLUMNS; i++) {
		if (!is_text(columns[i].kind))
			continue;
		text = text_at(&copy, &columns[i]);
		*text = arena_strdup(&m->arena, *text ? *text : "");
	}
	m->row = arena_grow(&m->arena, m->row, m->n, &m->cap,
	    sizeof(*m->row));
	m->row[m->n++] = copy;
}

static bool
is_hex_digest(struct str s)
{
	uint8_t digest[SHA256_LEN];

	return hex_decode(digest, sizeof(digest), s);
}

static bool
is_class(struct str s)
{
	return str_is(s, "map") || str_is(s, "rows") || str_is(s, "reduce") ||
	    str_is(s, "other") || str_is(s, "cols");
}

/* A text column as its value, "" for `-`. */
static bool
text_ok(enum kind kind, struct str s)
{
	bool control = false;
	size_t i;

	/* Without a way out, so that the compiler takes many at a time. */
	for (i = 0; i < s.n; i++)
		control |= (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f;
	if (control)
		return false;
	if (kind == CLASS)
		return is_class(s);
	if (kind == HEX || (kind == OPTIONAL_HEX && s.n))
		return is_hex_digest(s);
	return kind != NEEDED || s.n;
}

/* "A+Bn" */
static bool
get_scratch(struct str s, struct manifest_row *row)
{
	unsigned long long fixed, per_n;
	struct str a;

	if (!str_next(&s, '+', &a) || s.n < 2 || s.p[s.n - 1] != 'n')
		return false;
	s.n--;
	if (!str_u64(a, &fixed) || !str_u64(s, &per_n) || fixed > INT64_MAX ||
	    per_n > INT64_MAX)
		return false;
	row->scratch = (int64_t)fixed;
	row->scratch_n = (int64_t)per_n;
	return true;
}

/* Stores a field of the file in the row; false when it is not as expected. */
static bool
get_column(struct arena *a, const struct column *c, struct str s,
    struct manifest_row *row)
{
	void *at = (char *)row + c->at;
	unsigned long long x;

	if (s.n == 0)
		return false;
	if (c->kind == SCRATCH)
		return get_scratch(s, row);
	if (c->kind == DTYPE) {
		*(enum dtype *)at = dtype_of(s);
		return row->dtype != DT_NONE;
	}
	if (c->kind == NUMBER || c->kind == ALIAS) {
		if (!str_u64(s, &x) || (c->kind == NUMBER && x > INT64_MAX))
			return false;
		memcpy(at, &(uint64_t){ x }, sizeof(uint64_t));
		return true;
	}
	if (str_is(s, "-"))
		s.n = 0;
	*text_at(row, c) = arena_strndup(a, s.p, s.n);
	return text_ok(c->kind, s);
}

static void
put_column(struct buf *b, const struct column *c, struct manifest_row *row)
{
	const void *at = (const char *)row + c->at;
	struct str s;
	uint64_t x;

	buf_putc(b, '\t');
	if (c->kind == SCRATCH) {
		buf_printf(b, "%lld+%lldn", (long long)row->scratch,
		    (long long)row->scratch_n);
	} else if (c->kind == DTYPE) {
		buf_puts(b, dtype_name(row->dtype));
	} else if (c->kind == NUMBER || c->kind == ALIAS) {
		memcpy(&x, at, sizeof(x));
		buf_printf(b, "%llu", (unsigned long long)x);
	} else {
		s = str_of(*text_at(row, c));
		if (!text_ok(c->kind, s))
			BUG("manifest row %s: column %s: expected %s, found "
			    "\"%s\"", row->opcode, c->name, expected[c->kind],
			    s.p);
		buf_puts(b, s.n ? s.p : "-");
	}
}

/* A row with its line, to sort rows by the bytes of their lines. */
struct line {
	const char *text;
	struct manifest_row row;
};

static int
by_text(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text,
	    ((const struct line *)b)->text);
}

static const char *
line_of(struct arena *a, struct manifest_row *row)
{
	struct buf b = { 0 };
	const char *text;
	size_t i;

	if (row->dtype == DT_NONE || row->version < 0 || row->entry < 0 ||
	    row->scratch < 0 || row->scratch_n < 0)
		BUG("manifest row %s: no dtype or a number below 0",
		    row->opcode);
	buf_puts(&b, "row");
	for (i = 0; i < N_COLUMNS; i++)
		put_column(&b, &columns[i], row);
	text = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return text;
}

void
manifest_encode(struct manifest *m, struct buf *out)
{
	char hex[SHA256_HEX + 1];
	struct arena a = { 0 };
	size_t i, start = out->n;
	struct line *line = arena_array(&a, m->n, sizeof(*line));

	if (!is_hex_digest(str_of(m->image)))
		BUG("manifest: image is \"%s\", not a digest", m->image);
	for (i = 0; i < m->n; i++)
		line[i] = (struct line){ line_of(&a, &m->row[i]), m->row[i] };
	qsort(line, m->n, sizeof(*line), by_text);
	buf_puts(out, FIRST_LINE "\n");
	for (i = 0; i < m->n; i++) {
		buf_printf(out, "%s\n", line[i].text);
		m->row[i] = line[i].row;
	}
	buf_printf(out, "image\t%s\n", m->image);
	sha256_hex(out->p + start, out->n - start, hex);
	buf_printf(out, "sha256\t%s\n", hex);
	arena_release(&a);
}

struct reader {
	struct manifest *m;
	struct str rest, last; /* text to read; the row line before */
	struct map seen;       /* key columns -> the row */
	struct loc loc;
	struct diag *diag;
};

static int
get_row(struct reader *r, struct str line)
{
	struct str field[N_COLUMNS + 2], rest = line;
	struct manifest_row row = { 0 };
	struct arena *a = &r->m->arena;
	const struct column *c;
	size_t n = 0, i;

	while (n < N_COLUMNS + 2 && str_next(&rest, '\t', &field[n]))
		n++;
	if (n != N_COLUMNS + 1)
		return diag_error(r->diag, r->loc, "manifest: expected a row "
		    "of %d columns or the line `image`, found %zu columns; "
		    "publish the library again", N_COLUMNS + 1, n);
	for (i = 0; i < N_COLUMNS; i++) {
		c = &columns[i];
		if (!get_column(a, c, field[i + 1], &row))
			return diag_error(r->diag, r->loc, "manifest: column "
			    "%s: expected %s, found \"%.*s\"; publish the "
			    "library again", c->name, expected[c->kind],
			    (int)(field[i + 1].n < 80 ? field[i + 1].n : 80),
			    field[i + 1].p);
	}
	r->m->row = arena_grow(a, r->m->row, r->m->n, &r->m->cap,
	    sizeof(row));
	r->m->row[r->m->n++] = row;
	return 0;
}

/* Rows come in order of their bytes, once each. */
static int
check_order(struct reader *r, struct str line)
{
	size_t n = line.n < r->last.n ? line.n : r->last.n;
	int c = n ? memcmp(r->last.p, line.p, n) : -1;

	if (c > 0 || (c == 0 && r->last.n >= line.n))
		return diag_error(r->diag, r->loc, "manifest: expected rows "
		    "in order of their bytes, found one that is not above "
		    "the row before; publish the library again");
	r->last = line;
	return 0;
}

static int
check_unique(struct reader *r, struct str line)
{
	struct buf key = { 0 };
	struct str field;
	size_t i;
	bool seen;

	str_next(&line, '\t', &field);
	for (i = 0; str_next(&line, '\t', &field); i++) {
		if (!columns[i].key)
			continue;
		buf_put(&key, field.p, field.n);
		buf_putc(&key, '\t');
	}
	seen = map_get(&r->seen, key.p) != NULL;
	map_set(&r->seen, key.p, r->m);
	buf_release(&key);
	if (seen)
		return diag_error(r->diag, r->loc, "manifest: expected one "
		    "row for each opcode, dtype, pattern, guard, isa and "
		    "author, found a second one; publish the library again");
	return 0;
}

/* The lines between the first and the digest: rows, then the image. */
static int
get_lines(struct reader *r)
{
	struct str line = { "", 0 };

	if (!str_next(&r->rest, '\n', &line) || !str_is(line, FIRST_LINE))
		return diag_error(r->diag, r->loc, "manifest: expected the "
		    "line `%s`, found `%.*s`; publish the library again with "
		    "this kvaot", FIRST_LINE, (int)(line.n < 80 ? line.n : 80),
		    line.p);
	r->loc.line++;
	while (str_next(&r->rest, '\n', &line) && str_starts(line, "row\t")) {
		if (get_row(r, line) || check_order(r, line) ||
		    check_unique(r, line))
			return -1;
		r->loc.line++;
	}
	if (!str_starts(line, "image\t") || r->rest.n ||
	    !is_hex_digest((struct str){ line.p + 6, line.n - 6 }))
		return diag_error(r->diag, r->loc, "manifest: expected a row, "
		    "or `image` TAB 64 hexadecimal digits as the line before "
		    "the last, found `%.*s`; publish the library again",
		    (int)(line.n < 80 ? line.n : 80), line.p);
	memcpy(r->m->image, line.p + 6, SHA256_HEX);
	return 0;
}

/* Checks the last line and leaves the text before it in *body. */
static int
check_digest(struct str text, struct str *body, struct loc loc,
    struct diag *d)
{
	static const char word[] = "\nsha256\t";
	size_t tail = sizeof(word) - 1 + SHA256_HEX + 1;
	char hex[SHA256_HEX + 1];
	const char *last;

	last = text.n < tail ? NULL : text.p + text.n - tail;
	if (!last || memcmp(last, word, sizeof(word) - 1) != 0 ||
	    text.p[text.n - 1] != '\n')
		return diag_error(d, loc, "manifest: expected `sha256` TAB 64 "
		    "hexadecimal digits as the last line, found another end; "
		    "the file is cut short or none: publish the library "
		    "again");
	*body = (struct str){ text.p, text.n - tail + 1 };
	sha256_hex(body->p, body->n, hex);
	if (memcmp(hex, last + sizeof(word) - 1, SHA256_HEX) != 0)
		return diag_error(d, loc, "manifest: expected the digest %s "
		    "of the lines before in the last line, found another; the "
		    "file is damaged: publish the library again", hex);
	return 0;
}

int
manifest_decode(struct manifest *m, const char *text, size_t n,
    const char *name, struct diag *d)
{
	struct reader r = { .m = m, .loc = { name, 1, 0 }, .diag = d };
	struct arena a = { 0 };
	int bad;

	manifest_init(m);
	if (check_digest((struct str){ text, n }, &r.rest,
	    (struct loc){ name, 0, 0 }, d))
		return -1;
	map_init(&r.seen, &a);
	bad = get_lines(&r);
	arena_release(&a);
	if (bad)
		manifest_release(m);
	return bad;
}
