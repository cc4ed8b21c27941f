/* SPDX-License-Identifier: MIT */
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"

/* A slice lasts about this long, or one call; how long it is tried again, and how
 * long calls are tried before; all rounds of a run. */
static const double SLICE_US = 500, TRIES_US = 10000, CALIBRATE_US = 50000,
    RUN_US = 1.2e6;

/* Whoever takes so many times as long as the fastest of the others is left out;
 * he would take most of the time. */
static const double HOPELESS = 10;

/* Threads of others wait for more work by turning round and round. After this
 * they sleep, and leave their CPU to who is next. */
static const useconds_t CALM_US = 2000;

const struct peer *const who_is[N_WHO] = { &peer_ours, &peer_base, &peer_limit,
	&peer_limit_past, &peer_ort, &peer_dnnl, &peer_ggml, &peer_numpy,
	&peer_torch, [BLAS] = &peer_blas };

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct spread
spread_of(const double *x, int n)
{
	double s[MAX_ROUNDS];

	memcpy(s, x, (size_t)n * sizeof *s);
	qsort(s, (size_t)n, sizeof *s, by_value);
	return (struct spread){ s[n / 10], s[n / 2], s[n - 1 - n / 10] };
}

/* How often the system took a CPU away from this process. */
static long
disturbances(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		fatal("cannot read what this process has used: %m");
	return u.ru_nivcsw;
}

static void
call(struct run *r, int who)
{
	who_is[who]->run(r->job[who]);
}

/*
 * The time of one call, of as many as make a slice. A slice in which others
 * took the CPU is tried again; failing that, the fastest one counts.
 */
static double
slice(struct run *r, int who)
{
	double t, best = INFINITY, spent = 0;
	long before;

	if (r->threads > 1)
		usleep(CALM_US);
	/* What the one before left in the caches, and threads that sleep, are
	 * not this one's. */
	if (r->reps[who] > 1 || r->threads > 1)
		call(r, who);
	do {
		before = disturbances();
		t = now_us();
		for (int j = 0; j < r->reps[who]; j++)
			call(r, who);
		t = now_us() - t;
		best = fmin(best, t / r->reps[who]);
		spent += t;
	} while (spent < TRIES_US && disturbances() != before);
	return best;
}

/* The fastest of some calls: the first ones find nothing ready. */
static double
first_us(struct run *r, int who)
{
	double us = INFINITY, from = now_us();

	for (int i = 0; i < 2 || (i < 6 && now_us() - from < CALIBRATE_US); i++)
		us = fmin(us, slice(r, who));
	return us;
}

/* Finds out how many calls make a slice. */
static void
calibrate(struct run *r, double us[N_WHO])
{
	for (int who = 0; who < N_WHO; who++) {
		if (!r->job[who])
			continue;
		r->reps[who] = 1;
		us[who] = first_us(r, who);
		if (us[who] < SLICE_US)
			r->reps[who] = (int)(SLICE_US / us[who]) + 1;
	}
}

static void
leave_out(struct run *r, int who, double us)
{
	printf("  %-18s %10.2f us, left out\n", who_is[who]->name, us);
	who_is[who]->drop(r->job[who]);
	r->job[who] = NULL;
}

/* The time of a round, of those who stay. */
static double
round_us(struct run *r, const double us[N_WHO])
{
	double sum = 0, best = INFINITY;

	for (int who = FIRST_PEER; who < N_WHO; who++)
		if (r->job[who])
			best = fmin(best, us[who]);
	for (int who = 0; who < N_WHO; who++) {
		int again = r->reps[who] > 1 || r->threads > 1;

		if (!r->job[who])
			continue;
		if (us[who] > HOPELESS * best)
			leave_out(r, who, us[who]);
		else
			sum += us[who] * (r->reps[who] + again) +
			    (r->threads > 1 ? CALM_US : 0);
	}
	return sum;
}

void
measure(struct run *r)
{
	double us[N_WHO], rounds;

	calibrate(r, us);
	rounds = fmax(RUN_US / round_us(r, us), MIN_ROUNDS);
	if (rounds < r->rounds)
		r->rounds = (int)rounds;
	for (int i = 0; i < r->rounds; i++)
		for (int who = 0; who < N_WHO; who++)
			if (r->job[who])
				r->us[who][i] = slice(r, who);
}

struct spread
measured(const struct run *r, int who)
{
	return spread_of(r->us[who], r->rounds);
}

struct spread
measured_ratio(const struct run *r, int who)
{
	double q[MAX_ROUNDS];

	for (int i = 0; i < r->rounds; i++)
		q[i] = r->us[who][i] / r->us[OURS][i];
	return spread_of(q, r->rounds);
}

int
measured_best(const struct run *r, int from, int to)
{
	int best = -1;

	for (int who = from; who < to; who++)
		if (r->job[who] && (best < 0 || measured(r, who).median <
		    measured(r, best).median))
			best = who;
	return best;
}
