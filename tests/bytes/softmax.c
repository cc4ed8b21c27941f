/* SPDX-License-Identifier: MIT */
/* softmax by its base against softmax.1, on random and on chosen shapes. */
#include "tests/bytes/bytes.h"

#include <string.h>
#include <xmmintrin.h>

#include "base/isa.h"

static const char *const softmax = "deepx·softmax";
static const char *const softmax_1 = "deepx·softmax.1";

/* Every length at which the order of reduction or a vector's end matters. */
static const int64_t lengths[] = { 0, 1, 7, 8, 9, 2047, 2048, 2049, 4097,
	6145, 10241 };

enum { N_LENGTHS = sizeof lengths / sizeof *lengths, EDGES = 2 * N_LENGTHS };

/* Integer arithmetic stands in for fma at the baseline: slow in float64. */
enum { BASELINE_F32 = 40000, BASELINE_F64 = 8000 };

enum { REFERENCE, STRICT, THREADS, LAX, BASE_THREADS, LOW_BASE, LOW,
	LOW_THREADS, N_SIDES };

struct bench {
	struct side side[N_SIDES];
	int sides;         /* without those of the baseline if it is the best */
	long kernels;      /* calls seen to run the fused kernel */
	long fallbacks, refused;
};

/* One call: a tensor and an axis, as a scalar or a vector of one element. */
struct test_case {
	long number;
	uint64_t seed;
	struct value in[2];
	int64_t axis;
	bool last, valid, full;
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

/* The axis as int32 or int64, a scalar or a vector of one element. */
static struct value
axis_value(struct rng *r, struct arena *a, int64_t axis)
{
	struct shape s = { .rank = (int)rng_below(r, 2), .dim = { 1 } };
	int64_t *wide = arena_alloc(a, sizeof(*wide));
	int32_t *narrow = arena_alloc(a, sizeof(*narrow));

	*wide = axis;
	*narrow = (int32_t)axis;
	if (rng_one_in(r, 3))
		return value_tensor(a, DT_INT32, &s, narrow);
	return value_tensor(a, DT_INT64, &s, wide);
}

static void
choose_axis(struct rng *r, struct test_case *t, int rank)
{
	t->axis = rank - 1;
	if (rng_one_in(r, 5))
		t->axis = rng_below(r, rank);
	t->last = t->axis == rank - 1;
	t->valid = true;
	if (rng_one_in(r, 2))
		t->axis -= rank;
	if (rng_one_in(r, 40)) {
		t->valid = t->last = false;
		t->axis = rng_one_in(r, 2) ? rank : -rank - 1;
	}
}

/* The first cases are every length in both dtypes with a row of each style;
 * the others are random. */
static void
make_case(struct test_case *t, struct arena *a,
    const struct bytes_options *opt, long number)
{
	struct rng r = { opt->seed * 1000003 + (uint64_t)number };
	struct shape s = { .rank = 2, .dim = { ROW_STYLES } };
	enum dtype dtype = number % 2 ? DT_FLOAT64 : DT_FLOAT32;
	bool edge = number < EDGES;

	memset(t, 0, sizeof(*t));
	t->number = number;
	t->seed = opt->seed;
	t->full = opt->full;
	if (edge)
		s.dim[1] = lengths[number / 2];
	else
		random_shape(&r, &s, opt->full ? 200000 : 40000);
	choose_axis(&r, t, s.rank);
	if (edge) {
		t->axis = rng_one_in(&r, 2) ? -1 : 1;
		t->last = t->valid = true;
	}
	t->in[0] = data_tensor(&r, a, dtype, &s, edge ? 0 : -1);
	t->in[1] = axis_value(&r, a, t->axis);
}

static bool
too_slow(const struct test_case *t)
{
	int64_t most = t->in[0].dtype == DT_FLOAT64 ? BASELINE_F64 :
	    BASELINE_F32;

	return !t->full && t->number >= EDGES &&
	    shape_count(&t->in[0].shape, 1) > most;
}

static bool
complain(const char *what, const char *why)
{
	printf("%s\n    in %s\n", why, what);
	return false;
}

/* A strict runtime must refuse what no version fits, and only that. */
static bool
check_strict(const struct test_case *t, const struct outcome *o,
    const char *what)
{
	if (t->last || !t->valid)
		return true;
	if (o->rc && strstr(o->error, "no version of"))
		return true;
	return complain(what, "a strict call over another axis than the last "
	    "was not refused");
}

/* The call on one side against the reference. */
static bool
run_side(struct bench *b, const struct test_case *t, int i, const char *name,
    const struct outcome *want, const char *what)
{
	struct side *side = &b->side[i];
	bool strict = i == STRICT || i == THREADS || i == LOW ||
	    i == LOW_THREADS;
	struct outcome o;
	bool good;

	outcome_call(&o, side, name, t->in, 2);
	if (strict && t->valid && !t->last)
		good = check_strict(t, &o, what);
	else
		good = !outcome_compare(&o, want, what);
	b->kernels += strstr(side->err_text, "softmax.1.k0 row") != NULL;
	b->fallbacks += strstr(side->err_text, "softmax -> base (") != NULL;
	outcome_release(&o);
	return good;
}

/* A call that names the version runs it where it fits and is an error where it
 * does not: it is only compared for the last axis. */
static bool
run_case(struct bench *b, const struct test_case *t)
{
	struct outcome want;
	char what[160], type[240];
	bool good = true;
	int i;

	value_type_text(&t->in[0], type);
	snprintf(what, sizeof(what), "softmax %.60s axis %lld (%s), --seed="
	    "%llu --only=%ld", type, (long long)t->axis,
	    t->in[1].langtype, (unsigned long long)t->seed, t->number);
	outcome_call(&want, &b->side[REFERENCE], softmax, t->in, 2);
	b->refused += want.rc != 0;
	if (t->valid != !want.rc)
		good = complain(what, want.rc ? want.error :
		    "an axis out of range was taken");
	for (i = STRICT; i < b->sides && good; i++) {
		if (i >= LOW_BASE && too_slow(t))
			break;
		good = run_side(b, t, i, softmax, &want, what);
	}
	if (t->last && good)
		good = run_side(b, t, LAX, softmax_1, &want, what);
	outcome_release(&want);
	return good;
}

void
softmax_test(const struct bytes_options *opt, struct tally *tally)
{
	long n, i;
	struct test_case t;
	struct arena arena;
	struct bench b;

	open_sides(&b, opt->lib);
	bytes_range(opt, 1000 + EDGES, &i, &n);
	for (; i < n && tally->failed < FAILURES_MAX; i++) {
		arena_init(&arena);
		make_case(&t, &arena, opt, i);
		tally_add(tally, run_case(&b, &t));
		arena_release(&arena);
	}
	printf("softmax: seed %llu, %ld cases, %ld calls seen in the fused "
	    "kernel, %ld in the base, %ld refused by all\n",
	    (unsigned long long)opt->seed, tally->passed + tally->failed,
	    b.kernels, b.fallbacks, b.refused);
	if (opt->only < 0)
		tally_add(tally, b.kernels > n && b.fallbacks > 0 &&
		    b.refused > 0);
	for (i = 0; i < b.sides; i++)
		side_close(&b.side[i]);
}
