/* SPDX-License-Identifier: MIT */
/* The time of a call: the least of several rounds, in which the row and its
 * reference take turns. */
#include "tests/harness/harness.h"

#include <time.h>

enum { ROUNDS = 7 };
#define ROUND_NS 1e6

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds of a call, of `times` that follow each other. */
static double
timed(struct row *r, const struct kvk_entry *e, void **ptr,
    const struct call *c, long times)
{
	double begin = now();

	for (long i = 0; i < times; i++)
		if (place_run(r, e, ptr, c, WHOLE) != KVK_OK)
			row_fail(r, ": did not return 0");
	return (now() - begin) / (double)times;
}

/* How many calls fill a round. */
static long
calls(struct row *r, const struct kvk_entry *e, void **ptr,
    const struct call *c)
{
	long times = 1;
	double ns;

	while ((ns = timed(r, e, ptr, c, times) * (double)times) < ROUND_NS / 4)
		times *= 4;
	times = (long)(ROUND_NS * (double)times / ns);
	return times < 1 ? 1 : times;
}

void
measure_row(struct row *r, int64_t n, struct measured *m)
{
	void *ptr[MAX_IN + 1];
	long times, ref_times;
	struct call c;

	cases_one(r, &c, n);
	if (place_fill(r, &c, ptr) != KVK_OK)
		row_fail(r, ": the reference did not return 0");
	*m = (struct measured){ .elements = shape_count(&c.b.out[0], 1) };
	m->bytes = m->elements * (int64_t)r->osize;
	for (int i = 0; i < c.b.nin; i++) {
		int64_t in = shape_count(&c.read[c.b.operand[i]].shape, 1);

		m->bytes += in * (int64_t)call_size(&c, i);
		m->elements = in > m->elements ? in : m->elements;
	}
	times = calls(r, r->e, ptr, &c);
	ref_times = calls(r, r->ref, ptr, &c);
	m->ns = m->ref_ns = 1e300;
	for (int i = 0; i < ROUNDS; i++) {
		double ns = timed(r, r->e, ptr, &c, times);
		double ref = timed(r, r->ref, ptr, &c, ref_times);

		m->ns = ns < m->ns ? ns : m->ns;
		m->ref_ns = ref < m->ref_ns ? ref : m->ref_ns;
	}
}
