/* SPDX-License-Identifier: MIT */
#include "gen/ir/decode.h"

#include <string.h>

#include "gen/ir/cbor.h"

/*
 * A value takes at most GROWTH times the bytes that encode it, the root apart:
 * the worst is a sequence of texts of one byte, 8 + 16 bytes of memory for two.
 * So that no input asks for more, an empty text takes none.
 */
enum { GROWTH = 16, PIECE = 4096 };

struct decoder {
	const uint8_t *start, *p, *end;
	struct ir_pool *pool;
	struct diag *diag;
	const char *key; /* the field being read, for messages */
	unsigned depth;
};

__attribute__((format(printf, 3, 4)))
static int
fail(struct decoder *d, const char *code, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return diag_error(d->diag, no_loc, "%s: byte %zu, field \"%s\": %s",
	    code, (size_t)(d->p - d->start), d->key, text);
}

static int get_value(struct decoder *, const struct ir_type *, void *);

/* n zeroed bytes. Small ones share pieces of the arena, which aligns each
 * piece to 64 bytes. */
static void *
pool_alloc(struct ir_pool *pool, size_t n)
{
	size_t size = (n + 15) & ~(size_t)15;
	void *p;

	pool->used += size;
	if (size > pool->size) {
		if (!pool->arena)
			BUG("a value needs more memory than its bytes "
			    "allow");
		if (size >= PIECE)
			return arena_alloc(pool->arena, size);
		pool->p = arena_alloc(pool->arena, PIECE);
		pool->size = PIECE;
	}
	p = pool->p;
	pool->p += size;
	pool->size -= size;
	return p;
}

static size_t
most_memory(size_t n_bytes)
{
	return n_bytes * GROWTH + PIECE;
}

/* The root is taken whatever the input, and the last piece is rounded up. */
size_t
ir_decode_room(const struct ir_type *t, size_t n)
{
	return t->size + most_memory(n) + 16;
}

/* As pool_alloc; NULL with an error when the input is too short to need so
 * much. */
static void *
get_memory(struct decoder *d, size_t n)
{
	size_t most = most_memory((size_t)(d->end - d->start));

	if (n <= most && d->pool->used <= most - n)
		return pool_alloc(d->pool, n);
	fail(d, "cbor.memory", "%zu bytes of input ask for more than %zu bytes "
	    "of memory", (size_t)(d->end - d->start), most);
	return NULL;
}

/* Reads a head that must be of one major type; *value is bounded by nothing
 * but its own form. */
static int
get_head(struct decoder *d, enum cbor_major want, const char *what,
    uint64_t *value)
{
	unsigned major;
	size_t len;

	switch (cbor_read_head(d->p, (size_t)(d->end - d->p), &major, value,
	    &len)) {
	case CBOR_OK:
		break;
	case CBOR_ENDS_SHORT:
		return fail(d, "cbor.short", "expected %s, found the end", what);
	case CBOR_NOT_SHORTEST:
		return fail(d, "cbor.shortest",
		    "%s is not written in its shortest form", what);
	case CBOR_INDEFINITE:
		return fail(d, "cbor.indefinite",
		    "expected %s, found an indefinite length", what);
	case CBOR_RESERVED:
		return fail(d, "cbor.type",
		    "expected %s, found a reserved head", what);
	}
	if (major != want)
		return fail(d, "cbor.type",
		    "expected %s, found major type %u", what, major);
	d->p += len;
	return 0;
}

/* Text or bytes: *s points into the input. */
static int
get_string(struct decoder *d, enum cbor_major major, const char *what,
    struct str *s)
{
	uint64_t n;

	if (get_head(d, major, what, &n))
		return -1;
	/* A count is believed only as far as there is input for it. */
	if (n > (uint64_t)(d->end - d->p))
		return fail(d, "cbor.short",
		    "%s of %llu bytes passes the end", what,
		    (unsigned long long)n);
	s->p = (const char *)d->p;
	s->n = (size_t)n;
	if (major == CBOR_TEXT && !ir_text_ok(s->p, s->n))
		return fail(d, "cbor.text", "%s is not UTF-8 without control "
		    "characters", what);
	d->p += n;
	return 0;
}

/* An array or map of exactly n elements. */
static int
get_count(struct decoder *d, enum cbor_major major, const char *what,
    uint64_t want)
{
	uint64_t n;

	if (get_head(d, major, what, &n))
		return -1;
	if (n != want)
		return fail(d, "cbor.count", "expected %s of %llu, found %llu",
		    what, (unsigned long long)want, (unsigned long long)n);
	return 0;
}

static int
get_sym(struct decoder *d, Sym *out)
{
	struct str s;
	char *copy;

	if (get_string(d, CBOR_TEXT, "text", &s))
		return -1;
	*out = "";
	if (s.n == 0)
		return 0;
	copy = get_memory(d, s.n + 1);
	if (!copy)
		return -1;
	memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	*out = copy;
	return 0;
}

static int
get_fixed(struct decoder *d, void *out, size_t n)
{
	struct str s;

	if (get_string(d, CBOR_BYTES, "bytes", &s))
		return -1;
	if (s.n != n)
		return fail(d, "cbor.count", "expected %zu bytes, found %zu", n,
		    s.n);
	memcpy(out, s.p, n);
	return 0;
}

static int
get_i64(struct decoder *d, I64 *out)
{
	bool negative = d->p < d->end && d->p[0] >> 5 == CBOR_NEGINT;
	uint64_t v;

	if (get_head(d, negative ? CBOR_NEGINT : CBOR_UINT, "an integer", &v))
		return -1;
	if (v > INT64_MAX)
		return fail(d, "cbor.range", "integer outside 64 bits");
	*out = negative ? -1 - (I64)v : (I64)v;
	return 0;
}

static int
get_bool(struct decoder *d, Bool *out)
{
	uint64_t v;

	if (get_head(d, CBOR_SIMPLE, "false or true", &v))
		return -1;
	if (v != CBOR_FALSE && v != CBOR_TRUE)
		return fail(d, "cbor.type", "expected false or true");
	*out = v == CBOR_TRUE;
	return 0;
}

static int
get_f64(struct decoder *d, F64Bits *out)
{
	uint8_t b[8];
	struct str s;
	size_t i;

	if (get_count(d, CBOR_ARRAY, "a record", 2) ||
	    get_string(d, CBOR_TEXT, "a wire name", &s))
		return -1;
	if (!str_is(s, F64Bits_type.wire))
		return fail(d, "cbor.record-tag", "expected %s",
		    F64Bits_type.wire);
	if (get_count(d, CBOR_MAP, "a map", 1) ||
	    get_string(d, CBOR_TEXT, "a key", &s))
		return -1;
	if (!str_is(s, "bits"))
		return fail(d, "cbor.field-extra", "expected key \"bits\"");
	if (get_fixed(d, b, sizeof(b)))
		return -1;
	for (*out = 0, i = 0; i < sizeof(b); i++)
		*out = *out << 8 | b[i];
	if ((*out & INT64_MAX) > (uint64_t)0x7ff << 52)
		return fail(d, "cbor.nan", "expected a number, found NaN");
	return 0;
}

static int
get_sequence(struct decoder *d, const struct ir_field *f, uint8_t *rec)
{
	uint64_t n, i;
	uint32_t count;
	uint8_t *elem = NULL;

	if (get_head(d, CBOR_ARRAY, "an array", &n))
		return -1;
	if (n > (uint64_t)(d->end - d->p) / ir_least_bytes(f->type))
		return fail(d, "cbor.short",
		    "an array of %llu elements passes the end",
		    (unsigned long long)n);
	count = (uint32_t)n;
	if (n && !(elem = get_memory(d, (size_t)n * f->type->size)))
		return -1;
	memcpy(rec + f->off, &elem, sizeof(elem));
	memcpy(rec + f->off_n, &count, sizeof(count));
	for (i = 0; i < n; i++, elem += f->type->size)
		if (get_value(d, f->type, elem))
			return -1;
	return 0;
}

/* Why a key is not the one that comes next: prev is empty at the first, want
 * NULL after the last; few says that the map has fewer keys than fields. */
static int
wrong_key(struct decoder *d, const struct ir_type *t, struct str prev,
    struct str key, const struct ir_field *want, bool few)
{
	int c = prev.p ? ir_key_cmp(key.p, key.n, prev.p, prev.n) : 1;
	int len = key.n < 64 ? (int)key.n : 64;
	uint32_t i;

	if (c == 0)
		return fail(d, "cbor.key-duplicate", "key \"%.*s\" again", len,
		    key.p);
	if (c < 0)
		return fail(d, "cbor.key-order",
		    "key \"%.*s\" is not in order", len, key.p);
	for (i = 0; want && i < t->n_field; i++)
		if (str_is(key, t->field[i].key))
			return fail(d, few ? "cbor.field-missing" :
			    "cbor.key-order",
			    "expected key \"%s\" of %s, found \"%.*s\"",
			    want->key, t->wire, len, key.p);
	return fail(d, "cbor.field-extra", "%s has no field \"%.*s\"", t->wire,
	    len, key.p);
}

static int
get_field(struct decoder *d, const struct ir_field *f, uint8_t *rec)
{
	d->key = f->key;
	if (f->seq)
		return get_sequence(d, f, rec);
	return get_value(d, f->type, rec + f->off);
}

static int
get_fields(struct decoder *d, const struct ir_type *t, void *rec)
{
	const struct ir_field *f = ir_field_at(t, 0);
	struct str key, prev = { 0 };
	uint32_t k = 1;
	uint64_t n;
	bool few;

	if (get_head(d, CBOR_MAP, "a map", &n))
		return -1;
	few = n < t->n_field;
	for (; n; n--, prev = key) {
		if (get_string(d, CBOR_TEXT, "a key", &key))
			return -1;
		if (!f || !str_eq(key, (struct str){ f->key, f->key_n }))
			return wrong_key(d, t, prev, key, f, few);
		if (get_field(d, f, rec))
			return -1;
		f = ir_field_at(t, k++);
	}
	if (f)
		return fail(d, "cbor.field-missing",
		    "expected key \"%s\" of %s, found the end of the record",
		    f->key, t->wire);
	return 0;
}

static int
get_variant(struct decoder *d, const struct ir_type *t, struct str tag,
    void *out)
{
	size_t n = strlen(t->wire);
	const struct ir_variant *v = t->variant, *end = v + t->n_variant;
	struct ir_sum s = { 0 };
	void *payload;

	if (str_starts(tag, t->wire) && tag.n > n && tag.p[n] == '.') {
		struct str local = { tag.p + n + 1, tag.n - n - 1 };

		while (v < end && !str_is(local, v->local))
			v++;
	} else {
		v = end;
	}
	if (v == end)
		return fail(d, "adt.unregistered-tag",
		    "\"%.*s\" is no variant of %s",
		    tag.n < 64 ? (int)tag.n : 64, tag.p, t->wire);
	payload = get_memory(d, v->type->size);
	if (!payload)
		return -1;
	s.tag = v->ord;
	s.p = payload;
	memcpy(out, &s, sizeof(s));
	return get_fields(d, v->type, payload);
}

static int
get_composite(struct decoder *d, const struct ir_type *t, void *out)
{
	struct str tag;
	int rc;

	if (d->depth >= IR_MAX_DEPTH)
		return fail(d, "cbor.depth", "records nest more than %d deep",
		    IR_MAX_DEPTH);
	if (get_count(d, CBOR_ARRAY, "a record", 2) ||
	    get_string(d, CBOR_TEXT, "a wire name", &tag))
		return -1;
	if (t->kind == IR_REC && !str_is(tag, t->wire))
		return fail(d, "cbor.record-tag",
		    "expected %s, found \"%.*s\"", t->wire,
		    tag.n < 64 ? (int)tag.n : 64, tag.p);
	d->depth++;
	if (t->kind == IR_REC)
		rc = get_fields(d, t, out);
	else
		rc = get_variant(d, t, tag, out);
	d->depth--;
	return rc;
}

static int
get_value(struct decoder *d, const struct ir_type *t, void *out)
{
	switch (t->kind) {
	case IR_SYM:
		return get_sym(d, out);
	case IR_ID:
	case IR_DIGEST:
		return get_fixed(d, out, t->size);
	case IR_U64:
		return get_head(d, CBOR_UINT, "an unsigned integer", out);
	case IR_I64:
		return get_i64(d, out);
	case IR_BOOL:
		return get_bool(d, out);
	case IR_F64:
		return get_f64(d, out);
	case IR_REC:
	case IR_ADT:
		return get_composite(d, t, out);
	}
	BUG("type %s has kind %d", t->wire, (int)t->kind);
}

void *
ir_decode_pool(const struct ir_type *t, const uint8_t *bytes, size_t n,
    struct ir_pool *pool, struct diag *diag)
{
	struct decoder d = { .start = bytes, .p = bytes, .pool = pool,
		.diag = diag, .key = "" };
	void *out;

	if (n > IR_MAX_BYTES) {
		fail(&d, "cbor.size", "%zu bytes, at most %d are read", n,
		    IR_MAX_BYTES);
		return NULL;
	}
	d.end = bytes + n;
	out = pool_alloc(pool, t->size);
	if (get_value(&d, t, out))
		return NULL;
	if (d.p != d.end) {
		fail(&d, "cbor.trailing", "%zu bytes after the value",
		    (size_t)(d.end - d.p));
		return NULL;
	}
	return out;
}

void *
ir_decode(const struct ir_type *t, const uint8_t *bytes, size_t n,
    struct arena *arena, struct diag *diag)
{
	struct ir_pool pool = { .arena = arena };

	return ir_decode_pool(t, bytes, n, &pool, diag);
}
