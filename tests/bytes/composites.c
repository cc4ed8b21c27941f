/* SPDX-License-Identifier: MIT */
/*
 * The composites of the library by their base against what the library compiled
 * of them, on chosen and on random shapes and data.
 */
#include "tests/bytes/bytes.h"

#include <string.h>
#include <xmmintrin.h>

#include "base/isa.h"

/*
 * What a parameter gets. TENSOR: a tensor x of random shape. SAME: one of that
 * shape. LAST: mostly [n], n the last extent. PART: any that broadcasts to x.
 * CHANNELS: one number for each channel, axis 1 of x. GROUPS: mostly a divisor
 * of their number. AXIS: any, or several. EPS: a number.
 * KEEP: a bool. UP, DOWN, SIDE_IN, SIDE_OUT: weights [n,h], [h,o], [n,r], [r,h];
 * BIAS_UP, BIAS_DOWN: [h], [o].
 */
enum kind { NONE, TENSOR, SAME, LAST, PART, CHANNELS, GROUPS, AXIS, EPS, KEEP,
	UP, DOWN, SIDE_IN, SIDE_OUT, BIAS_UP, BIAS_DOWN };

enum { PARAMS = 6 };

/* whole: it has versions of its own, else only what it calls has. */
static const struct composite {
	const char *name;
	bool whole;
	enum kind kind[PARAMS];
} composites[] = {
	{ "softmax", true, { TENSOR, AXIS } },
	{ "log_softmax", true, { TENSOR, AXIS } },
	{ "var", true, { TENSOR, AXIS, KEEP } },
	{ "logsumexp", true, { TENSOR, AXIS, KEEP } },
	{ "standardize", true, { TENSOR, EPS } },
	{ "scale_shift", true, { TENSOR, PART, PART } },
	{ "layernorm", true, { TENSOR, LAST, LAST, EPS } },
	{ "rmsnorm", true, { TENSOR, LAST, EPS } },
	{ "add_layernorm", true, { TENSOR, PART, LAST, LAST, EPS } },
	{ "add_rmsnorm", true, { TENSOR, PART, LAST, EPS } },
	{ "normalize", true, { TENSOR, PART, PART, PART, PART, EPS } },
	{ "batchnorm", false, { TENSOR, CHANNELS, CHANNELS, CHANNELS, CHANNELS,
	    EPS } },
	{ "groupnorm", false, { TENSOR, CHANNELS, CHANNELS, GROUPS, EPS } },
	{ "silu_mul", true, { TENSOR, PART } },
	{ "bias_gelu", true, { TENSOR, PART } },
	{ "cross_entropy", true, { TENSOR, SAME } },
	{ "llama_mlp", true, { TENSOR, UP, UP, DOWN } },
	{ "bert_ffn", true, { TENSOR, UP, BIAS_UP, DOWN, BIAS_DOWN } },
	{ "lora_linear", true, { TENSOR, UP, BIAS_UP, SIDE_IN, SIDE_OUT,
	    EPS } },
};

/* Every length at which the order of reduction or a vector's end matters. */
static const int64_t lengths[] = { 0, 1, 7, 8, 9, 2047, 2048, 2049, 4097,
	6145, 10241 };

enum { N = sizeof composites / sizeof *composites,
	N_LENGTHS = sizeof lengths / sizeof *lengths, EDGES = 2 * N_LENGTHS };

/* Integer arithmetic stands in for fma at the baseline: slow in float64. */
enum { BASELINE_F32 = 40000, BASELINE_F64 = 8000 };

enum { REFERENCE, STRICT, THREADS, LAX, BASE_THREADS, LOW_BASE, LOW,
	LOW_THREADS, N_SIDES };

struct bench {
	struct side side[N_SIDES];
	int sides;       /* without those of the baseline if it is the best */
	long cases[N], kernels[N]; /* kernels: calls seen to run a fused one */
	long unfit, refused;
};

/*
 * One call. valid: it must run. fits: a version must take it; else one may, and
 * a strict runtime may refuse.
 */
struct test_case {
	long number;
	uint64_t seed;
	const struct composite *c;
	struct shape shape; /* of x */
	int64_t h, o, r;    /* extents of weights */
	enum dtype dtype;
	struct value in[PARAMS];
	int nin;
	bool edge, valid, fits, full;
};

static void
open_sides(struct bench *b, const char *lib)
{
	const char *low = isa_table[0].name;

	memset(b, 0, sizeof(*b));
	b->sides = isa_best() == &isa_table[0] ? LOW_BASE : N_SIDES;
	side_open(&b->side[REFERENCE], lib, NULL, 1, true, false);
	side_open(&b->side[STRICT], lib, NULL, 1, false, true);
	side_open(&b->side[THREADS], lib, NULL, 2, false, true);
	side_open(&b->side[LAX], lib, NULL, 2, false, false);
	side_open(&b->side[BASE_THREADS], lib, NULL, 2, true, false);
	b->side[THREADS].mxcsr = b->side[BASE_THREADS].mxcsr = MXCSR_ODD;
	if (b->sides < N_SIDES)
		return;
	side_open(&b->side[LOW_BASE], lib, low, 1, true, false);
	side_open(&b->side[LOW], lib, low, 1, false, true);
	side_open(&b->side[LOW_THREADS], lib, low, 2, false, true);
}

/* Rank 1 to 4, extents up to 40, some long; not above `most` elements. */
static void
random_shape(struct rng *r, struct shape *s, int64_t most)
{
	int i;

	s->rank = 1 + (int)rng_below(r, 4);
	for (i = 0; i < s->rank; i++)
		s->dim[i] = rng_one_in(r, 25) ? 0 : 1 + rng_below(r, 40);
	if (rng_one_in(r, 8)) {
		s->rank = 1 + (int)rng_below(r, 2);
		s->dim[0] = 1 + rng_below(r, 4);
		s->dim[s->rank - 1] = rng_one_in(r, 2) ?
		    lengths[rng_below(r, N_LENGTHS)] :
		    1 + rng_below(r, 15000);
	}
	for (i = 0; shape_count(s, 1) > most; i = (i + 1) % s->rank)
		s->dim[i] = (s->dim[i] + 1) / 2;
}

static struct value
number_value(struct arena *a, enum dtype dtype, const void *number, int rank)
{
	struct shape s = { .rank = rank, .dim = { 1 } };
	void *copy = arena_alloc(a, dtype_size(dtype));

	memcpy(copy, number, dtype_size(dtype));
	return value_tensor(a, dtype, &s, copy);
}

/* No axis, which is all of them, or two; the same one twice is an error. */
static struct value
make_axes(struct rng *r, struct arena *a, struct test_case *t)
{
	struct shape s = { 1, { rng_one_in(r, 3) ? 0 : 2 } };
	int64_t *axes = arena_array(a, 2, sizeof(*axes));

	for (int i = 0; i < 2; i++)
		axes[i] = rng_below(r, t->shape.rank);
	t->fits = false;
	t->valid = s.dim[0] == 0 || axes[0] != axes[1];
	if (rng_one_in(r, 2))
		axes[0] -= t->shape.rank;
	return value_tensor(a, DT_INT64, &s, axes);
}

/* One axis as int32 or int64, a scalar or a vector of one element; sometimes
 * other axes than one. */
static struct value
make_axis(struct rng *r, struct arena *a, struct test_case *t)
{
	int64_t axis = t->shape.rank - 1;
	int32_t narrow;
	int rank;

	if (rng_one_in(r, 10) && !t->edge)
		return make_axes(r, a, t);
	if (rng_one_in(r, 2) && !t->edge)
		axis = rng_below(r, t->shape.rank);
	if (rng_one_in(r, 2))
		axis -= t->shape.rank;
	if (rng_one_in(r, 40) && !t->edge) {
		t->valid = t->fits = false;
		axis = rng_one_in(r, 2) ? t->shape.rank : -t->shape.rank - 1;
	}
	rank = (int)rng_below(r, 2);
	narrow = (int32_t)axis;
	if (rng_one_in(r, 3))
		return number_value(a, DT_INT32, &narrow, rank);
	return number_value(a, DT_INT64, &axis, rank);
}

static struct value
make_eps(struct rng *r, struct arena *a)
{
	static const double eps[] = { 1e-5, 1e-6, 0, 0.5, -1, 1e300 };

	return number_value(a, DT_FLOAT64, &eps[rng_below(r,
	    sizeof eps / sizeof *eps)], 0);
}

/* Groups that do not divide the channels are an error, but of an empty x. */
static struct value
make_groups(struct rng *r, struct arena *a, struct test_case *t)
{
	int64_t channels = t->shape.rank > 1 ? t->shape.dim[1] : 1, groups;

	groups = 1 + rng_below(r, channels + 1);
	while (!rng_one_in(r, 20) && channels % groups)
		groups--;
	t->valid = shape_count(&t->shape, 1) == 0 ||
	    (t->shape.rank > 1 && channels % groups == 0);
	return number_value(a, DT_INT64, &groups, 0);
}

/* Of x, or its last axes with some of them 1. Rows fit if it is x's or has one
 * row alone, which runs along the last axis. */
static struct shape
make_part(struct rng *r, struct test_case *t)
{
	struct shape s = t->shape;
	bool one_row = true;
	int drop, i;

	if (rng_one_in(r, 3))
		return s;
	drop = rng_one_in(r, 2) ? s.rank - 1 : (int)rng_below(r, s.rank);
	s.rank -= drop;
	memmove(s.dim, s.dim + drop, (size_t)s.rank * sizeof(*s.dim));
	for (i = 0; i < s.rank; i++)
		if (rng_one_in(r, 4))
			s.dim[i] = 1;
	for (i = 0; i < s.rank - 1; i++)
		one_row &= s.dim[i] == 1;
	t->fits &= shape_eq(&s, &t->shape) || (one_row &&
	    s.dim[s.rank - 1] == t->shape.dim[t->shape.rank - 1]);
	return s;
}

static struct shape
make_weight(const struct test_case *t, enum kind kind)
{
	int64_t n = t->shape.dim[t->shape.rank - 1], rows, columns;

	rows = kind == UP || kind == SIDE_IN ? n :
	    kind == SIDE_OUT ? t->r : t->h;
	columns = kind == DOWN || kind == BIAS_DOWN ? t->o :
	    kind == SIDE_IN ? t->r : t->h;
	if (kind == BIAS_UP || kind == BIAS_DOWN)
		return (struct shape){ 1, { columns } };
	return (struct shape){ 2, { rows, columns } };
}

static struct value
make_arg(struct rng *r, struct arena *a, struct test_case *t, enum kind kind)
{
	struct shape s = t->shape;
	uint8_t keep;

	switch (kind) {
	case EPS:
		return make_eps(r, a);
	case KEEP:
		keep = (uint8_t)rng_below(r, 2);
		return number_value(a, DT_BOOL, &keep, 0);
	case AXIS:
		return make_axis(r, a, t);
	case GROUPS:
		return make_groups(r, a, t);
	case LAST:
		s = (struct shape){ 1, { t->shape.dim[t->shape.rank - 1] } };
		if (rng_one_in(r, 6))
			s = make_part(r, t);
		break;
	case PART:
		s = make_part(r, t);
		break;
	case CHANNELS:
		s = (struct shape){ 1, { t->shape.rank > 1 ?
		    t->shape.dim[1] : 5 } };
		t->valid = t->shape.rank > 1;
		break;
	case UP: case DOWN: case SIDE_IN: case SIDE_OUT: case BIAS_UP:
	case BIAS_DOWN:
		s = make_weight(t, kind);
		break;
	case NONE: case TENSOR: case SAME:
		break;
	}
	return data_tensor(r, a, t->dtype, &s,
	    t->edge && kind == TENSOR ? 0 : -1);
}

/* Of each composite the first cases are every length in both dtypes with a row
 * of each style; the others are random. */
static void
make_case(struct test_case *t, struct arena *a,
    const struct bytes_options *opt, long number)
{
	struct rng r = { opt->seed * 1000003 + (uint64_t)number };
	long n = number / N;

	*t = (struct test_case){ .number = number, .seed = opt->seed,
		.c = &composites[number % N], .full = opt->full,
		.dtype = n % 2 ? DT_FLOAT64 : DT_FLOAT32,
		.edge = n < EDGES, .valid = true, .fits = true };
	if (t->edge)
		t->shape = (struct shape){ 2, { ROW_STYLES, lengths[n / 2] } };
	else
		random_shape(&r, &t->shape, opt->full ? 200000 : 40000);
	if (!t->edge && t->c->kind[1] == AXIS && t->shape.rank == 2 &&
	    rng_one_in(&r, 2)) {
		/* Long columns too. */
		int64_t rows = t->shape.dim[0];

		t->shape.dim[0] = t->shape.dim[1];
		t->shape.dim[1] = rows;
	}
	t->h = rng_below(&r, 24);
	t->o = rng_below(&r, 24);
	t->r = rng_below(&r, 5);
	while (t->nin < PARAMS && t->c->kind[t->nin] != NONE) {
		t->in[t->nin] = make_arg(&r, a, t, t->c->kind[t->nin]);
		t->nin++;
	}
}

static bool
too_slow(const struct test_case *t)
{
	int64_t most = t->dtype == DT_FLOAT64 ? BASELINE_F64 : BASELINE_F32;

	return !t->full && !t->edge && shape_count(&t->shape, 1) > most;
}

static bool
multiplies(const struct test_case *t)
{
	return t->c->kind[1] == UP;
}

/* What OpenBLAS gives on one number of threads need not be what it gives on
 * another. */
static bool
other_threads(const struct test_case *t, int side)
{
	return multiplies(t) && side != STRICT && side != LOW_BASE &&
	    side != LOW;
}

static bool
complain(const char *what, const char *why)
{
	printf("%s\n    in %s\n", why, what);
	return false;
}

/* The call on one side against the reference. A strict runtime must refuse what
 * no version fits, and only that. */
static bool
run_side(struct bench *b, const struct test_case *t, int i, const char *name,
    const struct outcome *want, const char *what)
{
	struct side *side = &b->side[i];
	bool strict = i == STRICT || i == THREADS || i == LOW ||
	    i == LOW_THREADS;
	struct outcome o;
	bool unfit, good;

	outcome_call(&o, side, name, t->in, t->nin);
	unfit = strict && t->valid && !t->fits && o.rc &&
	    strstr(o.error, "no version of");
	good = unfit || !outcome_compare(&o, want, what);
	b->unfit += unfit;
	b->kernels[t->number % N] += strstr(side->err_text, ".k0 row ") != NULL;
	outcome_release(&o);
	return good;
}

/* A call that names the version runs it where it fits and is an error where it
 * does not: it is only compared where it must fit. */
static bool
run_case(struct bench *b, const struct test_case *t)
{
	struct outcome want;
	char what[160], type[240], name[80], version[80];
	bool good = true;
	int i;

	value_type_text(&t->in[0], type);
	snprintf(name, sizeof(name), "deepx·%s", t->c->name);
	snprintf(version, sizeof(version), "%s.1", name);
	snprintf(what, sizeof(what), "%s %.60s, --seed=%llu --only=%ld",
	    t->c->name, type, (unsigned long long)t->seed, t->number);
	outcome_call(&want, &b->side[REFERENCE], name, t->in, t->nin);
	b->refused += want.rc != 0;
	if (t->valid != !want.rc)
		good = complain(what, want.rc ? want.error :
		    "a call that is wrong was taken");
	for (i = STRICT; i < b->sides && good; i++) {
		if (i >= LOW_BASE && too_slow(t))
			break;
		if (other_threads(t, i))
			continue;
		good = run_side(b, t, i, name, &want, what);
	}
	if (t->c->whole && t->valid && t->fits && good)
		good = run_side(b, t, multiplies(t) ? STRICT : LAX, version,
		    &want, what);
	outcome_release(&want);
	return good;
}

/* Most calls of each composite must have run a fused kernel. */
static void
summarize(const struct bytes_options *opt, const struct bench *b,
    struct tally *tally)
{
	long kernels = 0;

	for (int i = 0; i < N; i++) {
		kernels += b->kernels[i];
		if (opt->only >= 0)
			continue;
		tally_add(tally, b->kernels[i] > b->cases[i]);
		if (b->kernels[i] <= b->cases[i])
			printf("%s: %ld cases, only %ld calls in fused "
			    "kernels\n", composites[i].name, b->cases[i],
			    b->kernels[i]);
	}
	printf("composites: seed %llu, %ld cases, %ld calls seen in fused "
	    "kernels, %ld without a version, %ld refused by all\n",
	    (unsigned long long)opt->seed, tally->passed + tally->failed,
	    kernels, b->unfit, b->refused);
	if (opt->only < 0)
		tally_add(tally, b->unfit > 0 && b->refused > 0);
}

void
composites_test(const struct bytes_options *opt, struct tally *tally)
{
	long n, i;
	struct test_case t;
	struct arena arena;
	struct bench b;

	open_sides(&b, opt->lib);
	bytes_range(opt, N * (EDGES + (opt->full ? 1000L : 300L)), &i, &n);
	for (; i < n && tally->failed < FAILURES_MAX; i++) {
		arena_init(&arena);
		make_case(&t, &arena, opt, i);
		b.cases[i % N]++;
		tally_add(tally, run_case(&b, &t));
		arena_release(&arena);
	}
	summarize(opt, &b, tally);
	for (i = 0; i < b.sides; i++)
		side_close(&b.side[i]);
}
