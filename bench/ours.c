/* SPDX-License-Identifier: MIT */
/* Functions of a compiled library, bound once and run on plain pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "bench/buffer.h"
#include "bench/peer.h"
#include "include/kvaot.h"

struct ours {
	struct kvaotLib *lib;
	bool base;
};

struct job {
	struct kvaotBound *bound;
	const void *in[MAX_INPUTS];
	void *out[MAX_OUTPUTS];
};

static char err[PEER_WHY];

static void *
open_as(const char *folder, int threads, uint32_t flags, char why[PEER_WHY])
{
	struct kvaotOptions options = { .size = sizeof options,
		.flags = flags, .threads = threads };
	struct ours *o = calloc(1, sizeof *o);

	if (!o)
		fatal("out of memory");
	o->base = flags & KVAOT_BASE;
	if (kvaotOpen(folder, &options, &o->lib, why, PEER_WHY)) {
		free(o);
		return NULL;
	}
	return o;
}

static void *
ours_open(const char *folder, int threads, char why[PEER_WHY])
{
	return open_as(folder, threads, KVAOT_STRICT, why);
}

static void *
base_open(const char *folder, int threads, char why[PEER_WHY])
{
	return open_as(folder, threads, KVAOT_BASE, why);
}

/* The tensor of an input letter; what is no tensor of the problem is fixed. */
static struct kvaotTensor
tensor(const struct problem *p, char letter)
{
	static int32_t last = -1, first = 0;
	static uint8_t no = 0;
	static double epsilon = EPSILON;
	struct kvaotTensor t = { .size = sizeof t };

	t.rank = problem_dims(p, letter, t.dim);
	t.data = (void *)(uintptr_t)problem_input(p, letter);
	t.dtype = p->dtype == DT_FLOAT64 ? KVAOT_FLOAT64 : KVAOT_FLOAT32;
	switch (letter) {
	case 'a':
		t.dtype = KVAOT_INT32;
		t.data = &last;
		break;
	case 'z':
		t.dtype = KVAOT_INT32;
		t.data = &first;
		break;
	case 'k':
		t.dtype = KVAOT_BOOL;
		t.data = &no;
		break;
	case 'e':
		t.dtype = KVAOT_FLOAT64;
		t.data = &epsilon;
		break;
	default:
		break;
	}
	return t;
}

static void *
ours_prepare(void *peer, const struct problem *p)
{
	const struct ours *o = peer;
	const struct kvaotFn *fn;
	struct kvaotTensor in[MAX_INPUTS];
	struct job *j;
	uint32_t n;

	/* Back ends of one op have no version: they are their own base. */
	if (o->base && strchr(p->row->function, '/'))
		return NULL;
	j = calloc(1, sizeof *j);
	if (!j)
		fatal("out of memory");
	for (n = 0; p->row->inputs[n]; n++) {
		in[n] = tensor(p, p->row->inputs[n]);
		j->in[n] = in[n].data;
	}
	if (kvaotFind(o->lib, p->row->function, &fn, err, sizeof err) ||
	    kvaotBind(fn, in, n, &j->bound, err, sizeof err))
		fatal("cannot bind %s: %s", p->row->function, err);
	for (int i = 0; p->row->outputs[i]; i++)
		j->out[i] = buffer_new(problem_bytes(p, p->row->outputs[i]));
	return j;
}

static void
ours_run(void *job)
{
	const struct job *j = job;

	if (kvaotRun(j->bound, j->in, j->out, err, sizeof err))
		fatal("a function of the library has failed: %s", err);
}

static void
ours_fetch(void *job, const void *out[MAX_OUTPUTS])
{
	const struct job *j = job;

	for (int i = 0; i < MAX_OUTPUTS; i++)
		out[i] = j->out[i];
}

static void
ours_drop(void *job)
{
	struct job *j = job;

	kvaotUnbind(j->bound);
	for (int i = 0; i < MAX_OUTPUTS; i++)
		buffer_free(j->out[i]);
	free(j);
}

const struct peer peer_ours = { "ours", ours_open, ours_prepare, ours_run,
	ours_fetch, ours_drop };
const struct peer peer_base = { "base", base_open, ours_prepare, ours_run,
	ours_fetch, ours_drop };
