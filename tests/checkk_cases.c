/* SPDX-License-Identifier: MIT */
/* The cases that checkk runs: shapes, data, placement, comparison. */
#include "tests/checkk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fatal.h"
#include "runtime/blas.h"
#include "runtime/cpu.h"
#include "runtime/dims.h"

enum { ROOM = 2 << 20, PAGE = 4096, MARGIN = 64, RANDOM_CASES = 400,
	KINDS = 7 };

/* A call: shapes of the inputs and the output, the table, kind of data. */
struct call {
	struct shape in[MAX_IN], out;
	struct dims dims;
	int kind;
	double base; /* data of kind 5 lies around it */
};

/* Runs a loop whole, or a piece for each grain, last one first. */
struct pieces {
	struct kvk_stream s;
	struct row *r;
	size_t scratch;
	bool many;
};

static const int sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 127, 128, 129, 1000 };
enum { NSIZES = sizeof sizes / sizeof *sizes };

static uint64_t
next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int
below(struct row *r, int n)
{
	return (int)(next(&r->seed) % (unsigned)n);
}

/* Says in the parent's words why the row failed; ends the child. */
_Noreturn static void __attribute__((format(printf, 2, 3)))
fail(struct row *r, const char *fmt, ...)
{
	size_t n = strlen(r->note);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->note + n, NOTE - n, fmt, ap);
	va_end(ap);
	_exit(1);
}

static int
par(const struct kvk_stream *stream, int64_t n, int64_t grain,
    int (*body)(void *, int64_t, int64_t, void *), void *ctx)
{
	const struct pieces *p = (const struct pieces *)stream;
	size_t room = (p->scratch + 63) / 64 * 64 + 64;
	char *scratch = aligned_alloc(64, room);
	int rc = KVK_OK;

	if (!scratch)
		fatal("no memory");
	if (!p->many)
		grain = n;
	memset(scratch, 0xee, room);
	for (int64_t lo = n ? (n - 1) / grain * grain : -1;
	     lo >= 0 && rc == KVK_OK; lo -= grain)
		rc = body(ctx, lo, lo + grain < n ? lo + grain : n, scratch);
	for (size_t i = p->scratch; i < room; i++)
		if ((unsigned char)scratch[i] != 0xee)
			fail(p->r, ": wrote outside its scratch memory");
	free(scratch);
	return rc;
}

static int
run(struct row *r, const struct kvk_entry *e, void **ptr,
    const struct dims *d, bool many)
{
	struct pieces p = { .s = { KVK_ABI, sizeof p.s, par, NULL, NULL },
		.r = r,
		.scratch = (size_t)(e->scratch + e->scratch_n * d->n),
		.many = many };
	struct blas blas;

	blas_init(&blas, many ? 2 : 1);
	if (r->blas)
		p.s.blas = &blas.k;
	return e->fn(ptr, d->dim, &p.s);
}

static struct area
area_new(void)
{
	char *p = mmap(NULL, ROOM + 2 * PAGE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct area a = { p + PAGE, malloc(ROOM) };

	if (p == MAP_FAILED || !a.plain ||
	    mprotect(a.mem, ROOM, PROT_READ | PROT_WRITE))
		fatal("no memory for an operand");
	return a;
}

/* Where an operand of that many bytes lies: at the end of its area, or one
 * element after the beginning, which aligns it to no more than that. */
static char *
area_at(const struct area *a, size_t bytes, size_t size, bool at_end)
{
	return at_end ? a->mem + ROOM - bytes : a->mem + size;
}

/*
 * A number of a kind: 0 uniform, 1 any magnitude, 2 zeros and denormals,
 * 3 as 1 with NaN, 4 as 1 with infinities, 5 around a base, where exp neither
 * vanishes nor overflows, and beyond, 6 the edges of the domains.
 */
static double
sample(struct row *r, const struct call *c)
{
	static const double edge[] = { 0, 1, 0x1p-149, 0x1p-126, 0x1p-1074,
		0x1p-1022, 0x1p20, 0x1.00002p20, 3e7, 3e38, 1e300, 87.3, 88.7,
		103.9, 708.3, 709.7, 745.1, INFINITY, NAN };
	double u = (double)(int64_t)next(&r->seed) * 0x1p-63;
	int wide = r->f64 ? 300 : 30;

	switch (c->kind) {
	case 0:
		return 4 * u;
	case 2:
		return below(r, 2) ? copysign(0, u) :
		    copysign(r->f64 ? 0x1p-1073 : 0x1p-148, u);
	case 5:
		return c->base + u * (r->f64 ? 800 : 110);
	case 6:
		return copysign(edge[below(r, sizeof edge / sizeof *edge)], u);
	default:
		if (c->kind > 2 && below(r, 50) == 0)
			return c->kind == 3 ? NAN : copysign(INFINITY, u);
		return ldexp(u, below(r, 2 * wide) - wide);
	}
}

/*
 * Integers of a kind: 0 small but not 0, 1 any, 2 around 0, else the edges.
 */
static int64_t
sample_int(struct row *r, const struct call *c)
{
	int bits = (int)r->size * 8;
	int64_t most = (int64_t)(~(uint64_t)0 >> (65 - bits));
	const int64_t edge[] = { 0, 1, -1, most, -most - 1, most - 1, -most };

	switch (c->kind) {
	case 0:
		return (1 + below(r, 9)) * (below(r, 2) ? 1 : -1);
	case 1:
		return (int64_t)next(&r->seed);
	case 2:
		return below(r, 3) - 1;
	default:
		return edge[below(r, sizeof edge / sizeof *edge)];
	}
}

static void
fill_ints(struct row *r, const struct call *c, char *p, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		int64_t v = r->dtype == DT_BOOL ? below(r, 2) :
		    sample_int(r, c);

		/* The low bytes of a little-endian number. */
		memcpy(p + (size_t)i * r->size, &v, r->size);
	}
}

static void
fill(struct row *r, const struct call *c, char *p, int64_t count)
{
	if (!dtype_is_float(r->dtype)) {
		fill_ints(r, c, p, count);
		return;
	}
	for (int64_t i = 0; i < count; i++) {
		double v = sample(r, c);
		float f = (float)v;
		uint64_t odd64 = 0xfff4000000abcdefu + (uint64_t)i;
		uint32_t odd32 = 0xffa0beefu + (uint32_t)(i % 64);

		if (r->f64)
			memcpy(p + 8 * i, isnan(v) ? (void *)&odd64 : &v, 8);
		else
			memcpy(p + 4 * i, isnan(v) ? (void *)&odd32 : &f, 4);
	}
}

static double
element(const char *p, int64_t i, bool f64)
{
	double v;
	float f;

	if (f64) {
		memcpy(&v, p + 8 * i, 8);
		return v;
	}
	memcpy(&f, p + 4 * i, 4);
	return (double)f;
}

/* The bits of an element, so that neighbours differ by 1. */
static int64_t
ordered(const char *p, int64_t i, bool f64)
{
	int64_t v;
	int32_t w;

	if (f64) {
		memcpy(&v, p + 8 * i, 8);
		return v < 0 ? INT64_MIN - v : v;
	}
	memcpy(&w, p + 4 * i, 4);
	return w < 0 ? (int64_t)INT32_MIN - w : w;
}

/* Whether both have the same bits or are at most `most` ulp apart, where zeros
 * are equal. With `flushes`, for an op whose results are normal numbers or 0,
 * one may see the smallest normal number where the other sees 0. */
static bool
near(const struct row *r, const char *got, const char *want, int64_t i,
    int64_t most, bool flushes)
{
	int64_t a = ordered(got, i, r->f64), b = ordered(want, i, r->f64);
	int64_t size = r->f64 ? 8 : 4, normal = r->f64 ? (int64_t)1 << 52 : 1 << 23;

	if (most == 0 || isnan(element(got, i, r->f64)) ||
	    isnan(element(want, i, r->f64)))
		return memcmp(got + size * i, want + size * i,
		    (size_t)size) == 0;
	if (flushes && (a == 0 || b == 0))
		return a + b == 0 || (a + b >= normal && a + b <= normal + most);
	return llabs(a - b) <= most;
}

static bool
of_magnitudes(const struct op *op)
{
	return strcmp(op->tolerance, "REL") == 0 ||
	    strcmp(op->tolerance, "MEAN") == 0;
}

/*
 * Sums of k products that are added in any order, with or without fma, are at
 * most k ulp of the sum of their magnitudes apart.
 */
static bool
near_sum(const struct row *r, const struct call *c, double a, double b,
    int64_t i)
{
	double k = (double)c->in[0].dim[c->in[0].rank - 1] + 4;

	return fabs(a - b) <= k * (r->f64 ? 0x1p-1074 : 0x1p-149) +
	    k * (r->f64 ? 0x1p-52 : 0x1p-23) * element(r->sums, i, r->f64);
}

/* Which of two zeros a reduction meets last follows from the order, in which
 * ref does not reduce; the unit tests look at that. */
static bool
agrees(const struct row *r, const struct call *c, const char *got, int64_t i)
{
	const char *tol = r->op->tolerance, *want = r->out.plain;
	double a, b, allowed = r->f64 ? 1e-15 : 1e-6;

	if (!dtype_is_float(r->odtype))
		return memcmp(got + (size_t)i * r->osize,
		    want + (size_t)i * r->osize, r->osize) == 0;
	a = element(got, i, r->f64);
	b = element(want, i, r->f64);
	if (r->op->cls == OP_REDUCE && a == 0 && b == 0)
		return true;
	if (r->blas && isfinite(a) && isfinite(b))
		return near_sum(r, c, a, b, i);
	if (!of_magnitudes(r->op) && strcmp(tol, "ABS") != 0)
		return near(r, got, want, i, strncmp(tol, "ULP", 3) == 0 ?
		    strtol(tol + 3, NULL, 10) : 0,
		    strcmp(r->op->name, "expshift") == 0);
	if (!isfinite(a) || !isfinite(b))
		return near(r, got, want, i, 0, false);
	return fabs(a - b) <= allowed * (strcmp(tol, "ABS") == 0 ?
	    fmax(1, fabs(b)) : element(r->sums, i, r->f64));
}

static void
compare(struct row *r, const struct call *c, const char *got, size_t size)
{
	int64_t count = shape_count(&c->out, size);

	for (int64_t i = 0; i < count; i++) {
		uint64_t g = 0, w = 0;

		if (agrees(r, c, got, i))
			continue;
		memcpy(&g, got + (size_t)i * size, size);
		memcpy(&w, r->out.plain + (size_t)i * size, size);
		fail(r, ": element %lld is %#llx, expected %#llx (%s)",
		    (long long)i, (unsigned long long)g, (unsigned long long)w,
		    r->op->tolerance);
	}
}

/* Runs the entry with all operands at one end of their areas. */
static void
run_placed(struct row *r, const struct call *c, int want, bool at_end)
{
	size_t size = r->size, osize = r->osize, bytes[MAX_IN];
	size_t obytes = (size_t)shape_count(&c->out, osize) * osize;
	size_t before = at_end ? MARGIN : osize, after = at_end ? 0 : MARGIN;
	char *out = area_at(&r->out, obytes, osize, at_end);
	void *ptr[MAX_IN + 1];
	int rc;

	for (int i = 0; i < r->e->nin; i++) {
		bytes[i] = (size_t)shape_count(&c->in[i], size) * size;
		ptr[i] = area_at(&r->in[i], bytes[i], size, at_end);
		memcpy(ptr[i], r->in[i].plain, bytes[i]);
	}
	ptr[r->e->nin] = out;
	memset(out - before, 0xa5, before + obytes + after);
	rc = run(r, r->e, ptr, &c->dims, at_end);
	if (rc != want)
		fail(r, ": returned %d, expected %d", rc, want);
	if (rc == KVK_OK)
		compare(r, c, out, osize);
	for (size_t i = 0; i < before + after; i++)
		if ((unsigned char)(i < before ? out[-1 - (long)i] :
		    out[obytes + i - before]) != 0xa5)
			fail(r, ": wrote outside its output");
	for (int i = 0; i < r->e->nin; i++)
		if (memcmp(ptr[i], r->in[i].plain, bytes[i]) != 0)
			fail(r, ": wrote to input %d", i);
}

/* Runs the entry with the output over each input where it allows that. */
static void
run_aliased(struct row *r, const struct call *c)
{
	size_t size = r->size;
	void *ptr[MAX_IN + 1];

	for (int k = 0; k < r->e->nin; k++) {
		if (!(r->e->alias >> k & 1) || !shape_eq(&c->in[k], &c->out))
			continue;
		for (int i = 0; i < r->e->nin; i++) {
			ptr[i] = r->in[i].mem;
			memcpy(ptr[i], r->in[i].plain,
			    (size_t)shape_count(&c->in[i], size) * size);
		}
		ptr[r->e->nin] = ptr[k];
		if (run(r, r->e, ptr, &c->dims, true) != KVK_OK)
			fail(r, " aliased to %d: did not return 0", k);
		compare(r, c, ptr[k], size);
	}
}

/* Runs the reference on the magnitudes of the inputs. */
static void
add_magnitudes(struct row *r, const struct call *c)
{
	void *ptr[MAX_IN + 1];

	for (int i = 0; i < r->e->nin; i++) {
		size_t n = (size_t)shape_count(&c->in[i], 8) * r->size;

		ptr[i] = memcpy(r->in[i].mem, r->in[i].plain, n);
		/* The sign is in the last byte. */
		for (size_t k = r->size - 1; k < n; k += r->size)
			r->in[i].mem[k] &= 0x7f;
	}
	ptr[r->e->nin] = r->sums;
	if (run(r, r->ref, ptr, &c->dims, false) != KVK_OK)
		fail(r, ": the reference did not return 0");
}

static void
check_call(struct row *r, struct call *c)
{
	void *ptr[MAX_IN + 1];
	char text[200];
	int n, rc;

	n = snprintf(r->note, NOTE, "case %ld, kind %d", r->cases, c->kind);
	for (int i = 0; i < r->e->nin; i++) {
		shape_text(&c->in[i], text);
		n += snprintf(r->note + n, NOTE - (size_t)n, " %s", text);
		ptr[i] = r->in[i].plain;
		fill(r, c, ptr[i], shape_count(&c->in[i], 8));
	}
	shape_text(&c->out, text);
	snprintf(r->note + n, NOTE - (size_t)n, " -> %s", text);
	ptr[r->e->nin] = r->out.plain;
	rc = run(r, r->ref, ptr, &c->dims, false);
	if (r->sums)
		add_magnitudes(r, c);
	run_placed(r, c, rc, true);
	run_placed(r, c, rc, false);
	if (rc == KVK_OK)
		run_aliased(r, c);
	r->cases++;
}

/* The kind of data for a case; sums of huge numbers overflow by their order,
 * which no tolerance covers. */
static void
choose_data(struct row *r, struct call *c)
{
	static const double base[] = { 0, 0, 1000, -3e5, 0x1p20, 3e7 };

	c->kind = below(r, !of_magnitudes(r->op) && !r->blas ? KINDS :
	    KINDS - 1);
	c->base = base[below(r, sizeof base / sizeof *base)];
}

static struct shape
random_shape(struct row *r, int least)
{
	struct shape s = { .rank = least + below(r, 5 - least) };

	for (int i = 0; i < s.rank; i++)
		s.dim[i] = below(r, 12) ? 1 + below(r, 9) : 0;
	return s;
}

/* A shape that broadcasts to s. */
static struct shape
random_part(struct row *r, const struct shape *s)
{
	struct shape p = { .rank = below(r, 3) ? s->rank :
		below(r, s->rank + 1) };

	for (int i = 0; i < p.rank; i++)
		p.dim[i] = below(r, 4) ? s->dim[s->rank - p.rank + i] : 1;
	return p;
}

static struct shape
vector(int n)
{
	return (struct shape){ .rank = 1, .dim = { n } };
}

/* Which read of the op operand k of the kernel is. */
static int
read_of(const struct row *r, int k)
{
	for (int i = 0; i < r->op->nin; i++)
		if (!op_is_attr(r->op, i) && k-- == 0)
			return i;
	BUG("%s has fewer operands", r->op->name);
}

/* The shape that operand k has, unless it is one number. */
static struct shape
operand_shape(const struct row *r, int k, struct shape s)
{
	return op_is_scalar(r->op, read_of(r, k)) ? (struct shape){ 0 } : s;
}

/* Elementwise ops and views over c->out. */
static void
check_map(struct row *r, struct call *c)
{
	const struct shape *operand[MAX_IN + 1];
	int n = r->e->nin;

	for (int i = 0; i < n; i++)
		operand[i] = &c->in[i];
	operand[n] = &c->out;
	if (r->op->shape_rule == OP_SHAPE_RESHAPE)
		dims_flat(&c->dims, shape_count(&c->out, 8), n + 1);
	else if (dims_map(&c->dims, &c->out, operand, n + 1))
		BUG("operands do not broadcast");
	check_call(r, c);
}

static void
check_maps(struct row *r)
{
	struct call c = { 0 };

	/* Every size with all data; one operand after the other is a scalar. */
	for (int i = 0; i < NSIZES * KINDS; i++)
		for (int k = -1; k < r->e->nin; k++) {
			choose_data(r, &c);
			c.kind = i % KINDS;
			c.out = vector(sizes[i / KINDS]);
			for (int j = 0; j < r->e->nin; j++)
				c.in[j] = operand_shape(r, j, c.out);
			if (k >= 0 && r->op->shape_rule != OP_SHAPE_RESHAPE)
				c.in[k] = operand_shape(r, k, vector(1));
			check_map(r, &c);
		}
	for (int i = 0; i < RANDOM_CASES; i++) {
		choose_data(r, &c);
		c.out = random_shape(r, 0);
		for (int j = 0; j < r->e->nin; j++)
			c.in[j] = r->op->shape_rule == OP_SHAPE_RESHAPE ?
			    vector((int)shape_count(&c.out, 8)) :
			    operand_shape(r, j, random_part(r, &c.out));
		check_map(r, &c);
	}
}

static void
check_reductions(struct row *r)
{
	static const int inner[] = { 1, 2, 7, 8, 9, 33 }, outer[] = { 0, 1, 5 };
	struct call c = { 0 };

	for (int i = 0; i < NSIZES * 18 + RANDOM_CASES; i++) {
		bool reduced[MAX_RANK] = { false, true };

		if (i < NSIZES * 18) {
			c.in[0] = (struct shape){ 3, { outer[i % 3],
				sizes[i / 18], inner[i / 3 % 6] } };
		} else {
			c.in[0] = random_shape(r, 1);
			for (int k = 0; k < c.in[0].rank; k++)
				reduced[k] = below(r, 2);
		}
		choose_data(r, &c);
		c.out = c.in[0];
		for (int k = 0; k < c.in[0].rank; k++)
			c.out.dim[k] = reduced[k] ? 1 : c.in[0].dim[k];
		dims_reduce(&c.dims, &c.in[0], reduced);
		check_call(r, &c);
	}
}

/* Attributes of a call of class other, by read. */
struct attrs {
	int64_t body[OP_MAX_PARAMS][MAX_RANK];
	const int64_t *p[OP_MAX_PARAMS];
	int n[OP_MAX_PARAMS];
};

/* Some order of `rank` axes, or none; some count from the end. */
static int
random_order(struct row *r, int rank, int64_t *order)
{
	for (int i = 0; i < rank; i++) {
		int k = below(r, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (int i = 0; i < rank; i++)
		order[i] -= below(r, 3) ? 0 : rank;
	return below(r, 8) ? rank : 0;
}

/* Two matrices, or vectors, that multiply. */
static void
random_factors(struct row *r, struct shape in[2])
{
	int64_t m = below(r, 20), k = below(r, 40), n = below(r, 70);
	struct shape all = { .rank = below(r, 3), .dim = { 2, 3 } };

	for (int i = 0; i < 2; i++) {
		in[i] = random_part(r, &all);
		in[i].dim[in[i].rank++] = i ? k : m;
		in[i].dim[in[i].rank++] = i ? n : k;
	}
	if (below(r, 5) == 0)
		in[0] = vector((int)k);
	if (below(r, 5) == 0)
		in[1] = vector((int)k);
}

/* Shapes and attributes that the op's shape rule takes. */
static void
random_call(struct row *r, struct call *c, struct attrs *a)
{
	struct shape s = random_shape(r, 1);

	switch (r->op->shape_rule) {
	case OP_SHAPE_PERMUTE:
		c->in[0] = s;
		a->n[1] = random_order(r, s.rank, a->body[1]);
		break;
	case OP_SHAPE_FILL:
		a->n[0] = s.rank;
		memcpy(a->body[0], s.dim, sizeof s.dim);
		a->n[3] = 1; /* a seed, where the op has one */
		a->body[3][0] = below(r, 2000) - 10;
		break;
	case OP_SHAPE_MATMUL:
		random_factors(r, c->in);
		break;
	case OP_SHAPE_BROADCAST:
	case OP_SHAPE_REDUCE:
	case OP_SHAPE_TARGET:
	case OP_SHAPE_RESHAPE:
		BUG("%s has no class of its own", r->op->name);
	}
	for (int i = 0; i < r->op->nin; i++)
		a->p[i] = op_is_attr(r->op, i) ? a->body[i] : NULL;
}

static void
check_others(struct row *r)
{
	for (int i = 0; i < RANDOM_CASES; i++) {
		const struct shape *operand[MAX_IN + 1];
		struct shape read[OP_MAX_PARAMS] = { 0 };
		struct call c = { 0 };
		struct attrs a = { 0 };
		char why[NOTE * 2];
		int n = r->e->nin;

		random_call(r, &c, &a);
		choose_data(r, &c);
		for (int k = 0; k < n; k++) {
			read[read_of(r, k)] = c.in[k];
			operand[k] = &c.in[k];
		}
		operand[n] = &c.out;
		if (op_shape(r->op, read, a.p, a.n, &c.out, why))
			fail(r, "case %d: %s", i, why);
		if (shape_count(&c.out, 1) == 0)
			continue;
		dims_other(&c.dims, operand, n + 1, a.p, a.n, r->op->nin);
		check_call(r, &c);
	}
}

static void
prepare_blas(struct row *r)
{
	char why[BLAS_WHY];

	if (blas_load(why))
		fail(r, "%s", why);
}

_Noreturn void
checkk_row(struct row *r)
{
	cpu_enter();
	if (r->blas)
		prepare_blas(r);
	if (r->blas || (dtype_is_float(r->dtype) &&
	    of_magnitudes(r->op))) {
		r->sums = malloc(ROOM);
		if (!r->sums)
			fatal("no memory for sums");
	}
	for (int i = 0; i < r->e->nin; i++)
		r->in[i] = area_new();
	r->out = area_new();
	switch (r->op->cls) {
	case OP_REDUCE:
		check_reductions(r);
		break;
	case OP_OTHER:
		check_others(r);
		break;
	case OP_MAP:
	case OP_VIEW:
		check_maps(r);
		break;
	}
	snprintf(r->note, NOTE, "%ld cases", r->cases);
	_exit(0);
}
