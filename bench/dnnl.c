/* SPDX-License-Identifier: MIT */
/*
 * oneDNN 2, through the C interface of libdnnl.so.2. What it has no primitive
 * for is done by one with post-operations, or by two.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "base/str.h"
#include "bench/buffer.h"
#include "bench/peer.h"

#define DNNL_FILE "debian/usr/lib/x86_64-linux-gnu/libdnnl.so.2"

/* Constants of its header. */
enum { CPU = 1, FLOAT32 = 3, TAG_A = 2, TAG_AB = 3, FORWARD = 96,
	USE_SCALE = 8, USE_SHIFT = 16, IN_ORDER = 1,
	RELU = 0x1f, GELU_TANH = 0xcf, SWISH = 0xdf, GELU_ERF = 0x30,
	ADD = 0x1fff0, MUL = 0x1fff1, REDUCE_SUM = 0x2fff4,
	ARG_SRC = 1, ARG_SRC_1 = 2, ARG_DST = 17,
	ARG_WEIGHTS = 33, ARG_SCALE = 51,
	ARG_SHIFT = 52, ARG_POST_OP = 16384 };

enum { MAX_STEPS = 2, MAX_ARGS = 6, MAX_MEMORY = 8 };

/* More than any of its structs takes; it fills them in itself. */
union description {
	char bytes[16384];
	max_align_t align;
};

struct argument {
	int arg;
	void *memory;
};

struct dnnl {
	void *handle, *engine, *stream;
	int (*execute)(const void *primitive, void *stream, int n,
	    const struct argument *);
};

struct step {
	void *primitive;
	int n;
	struct argument arg[MAX_ARGS];
};

struct job {
	const struct dnnl *d;
	const struct problem *p;
	void *out[MAX_OUTPUTS], *memory[MAX_MEMORY];
	int n_memory, n_steps;
	struct step step[MAX_STEPS];
};

static void *
symbol(const struct dnnl *d, const char *name)
{
	void *s = dlsym(d->handle, name);

	if (!s)
		fatal("oneDNN has no %s", name);
	return s;
}

/* Calls a function of oneDNN, given the types of its parameters. */
#define DO(d, name, types, ...) do {                                         \
	int (*do_it) types;                                                  \
	*(void **)&do_it = symbol(d, #name);                                 \
	if (do_it(__VA_ARGS__))                                              \
		fatal("oneDNN refuses " #name);                              \
} while (0)

static void *
dnnl_open(const char *folder, int threads, char why[PEER_WHY])
{
	struct dnnl *d = calloc(1, sizeof *d);
	struct buf path = { 0 };

	/* OMP_NUM_THREADS says how many. */
	(void)threads;
	if (!d)
		fatal("out of memory");
	buf_printf(&path, "%s/%s", folder, DNNL_FILE);
	d->handle = dlopen(path.p, RTLD_NOW | RTLD_LOCAL);
	buf_release(&path);
	if (!d->handle) {
		snprintf(why, PEER_WHY, "%s", dlerror());
		free(d);
		return NULL;
	}
	DO(d, dnnl_engine_create, (void **, int, size_t), &d->engine, CPU, 0);
	DO(d, dnnl_stream_create, (void **, void *, unsigned), &d->stream,
	    d->engine, IN_ORDER);
	*(void **)&d->execute = symbol(d, "dnnl_primitive_execute");
	return d;
}

/* The description of rows x n with either extent perhaps 1. */
static void
describe(const struct dnnl *d, union description *md, int64_t rows, int64_t n)
{
	int64_t dims[12] = { rows, n };

	DO(d, dnnl_memory_desc_init_by_tag, (void *, int, const int64_t *, int,
	    int), md, 2, dims, FLOAT32, TAG_AB);
}

/* One of n elements where a primitive asks for a vector. */
static void
describe_vector(const struct dnnl *d, union description *md, int64_t n)
{
	int64_t dims[12] = { n };

	DO(d, dnnl_memory_desc_init_by_tag, (void *, int, const int64_t *, int,
	    int), md, 1, dims, FLOAT32, TAG_A);
}

static void
give(struct job *j, int arg, const union description *md, const void *body)
{
	struct step *s = &j->step[j->n_steps];
	void *memory;

	DO(j->d, dnnl_memory_create, (void **, const void *, void *, void *),
	    &memory, md, j->d->engine, (void *)(uintptr_t)body);
	j->memory[j->n_memory++] = memory;
	s->arg[s->n++] = (struct argument){ arg, memory };
}

/* Makes the primitive of a described operation; ends the step. */
static void
end_step(struct job *j, const union description *op, void *attr)
{
	void *pd;

	DO(j->d, dnnl_primitive_desc_create, (void **, const void *,
	    const void *, void *, const void *), &pd, op, attr, j->d->engine,
	    NULL);
	DO(j->d, dnnl_primitive_create, (void **, const void *),
	    &j->step[j->n_steps++].primitive, pd);
	DO(j->d, dnnl_primitive_desc_destroy, (void *), pd);
	if (attr)
		DO(j->d, dnnl_primitive_attr_destroy, (void *), attr);
}

static void
add_eltwise(struct job *j, int algorithm, const void *x)
{
	union description md, op;

	describe(j->d, &md, j->p->rows, j->p->n);
	DO(j->d, dnnl_eltwise_forward_desc_init, (void *, int, int,
	    const void *, float, float), &op, FORWARD, algorithm, &md, 1, 0);
	give(j, ARG_SRC, &md, x);
	give(j, ARG_DST, &md, j->out[0]);
	end_step(j, &op, NULL);
}

static void
add_softmax(struct job *j)
{
	union description md, op;

	describe(j->d, &md, j->p->rows, j->p->n);
	DO(j->d, dnnl_softmax_forward_desc_init, (void *, int, const void *,
	    int), &op, FORWARD, &md, 1);
	give(j, ARG_SRC, &md, j->p->x);
	give(j, ARG_DST, &md, j->out[0]);
	end_step(j, &op, NULL);
}

static void
add_layernorm(struct job *j, const void *x)
{
	union description md, vector, op;

	describe(j->d, &md, j->p->rows, j->p->n);
	describe_vector(j->d, &vector, j->p->n);
	DO(j->d, dnnl_layer_normalization_forward_desc_init, (void *, int,
	    const void *, const void *, float, unsigned), &op, FORWARD, &md,
	    NULL, (float)EPSILON, USE_SCALE | USE_SHIFT);
	give(j, ARG_SRC, &md, x);
	give(j, ARG_SCALE, &vector, j->p->g);
	give(j, ARG_SHIFT, &vector, j->p->b);
	give(j, ARG_DST, &md, j->out[0]);
	end_step(j, &op, NULL);
}

/* Operations on each element of what a binary primitive gives. */
struct post {
	int algorithm;
	const void *vector; /* NULL: of the element alone */
};

static void *
post_ops(struct job *j, const struct post *post, int n)
{
	union description md;
	void *attr, *ops;

	DO(j->d, dnnl_primitive_attr_create, (void **), &attr);
	DO(j->d, dnnl_post_ops_create, (void **), &ops);
	describe(j->d, &md, 1, j->p->n);
	for (int i = 0; i < n; i++) {
		if (!post[i].vector) {
			DO(j->d, dnnl_post_ops_append_eltwise, (void *, float,
			    int, float, float), ops, 1, post[i].algorithm, 0,
			    0);
			continue;
		}
		DO(j->d, dnnl_post_ops_append_binary, (void *, int,
		    const void *), ops, post[i].algorithm, &md);
		give(j, ARG_POST_OP * (i + 1) | ARG_SRC_1, &md,
		    post[i].vector);
	}
	DO(j->d, dnnl_primitive_attr_set_post_ops, (void *, const void *),
	    attr, ops);
	DO(j->d, dnnl_post_ops_destroy, (void *), ops);
	return attr;
}

/* a and b, which has so many rows, to `to`. */
static void
add_binary(struct job *j, int algorithm, const void *a, const void *b,
    int64_t rows, void *to, const struct post *post, int n)
{
	union description md, second, op;

	describe(j->d, &md, j->p->rows, j->p->n);
	describe(j->d, &second, rows, j->p->n);
	DO(j->d, dnnl_binary_desc_init, (void *, int, const void *,
	    const void *, const void *), &op, algorithm, &md, &second, &md);
	give(j, ARG_SRC, &md, a);
	give(j, ARG_SRC_1, &second, b);
	give(j, ARG_DST, &md, to);
	end_step(j, &op, n ? post_ops(j, post, n) : NULL);
}

static void
add_sum(struct job *j, bool axis0)
{
	const struct problem *p = j->p;
	union description md, to, op;

	describe(j->d, &md, p->rows, p->n);
	describe(j->d, &to, axis0 ? 1 : p->rows, axis0 ? p->n : 1);
	DO(j->d, dnnl_reduction_desc_init, (void *, int, const void *,
	    const void *, float, float), &op, REDUCE_SUM, &md, &to, 0, 0);
	give(j, ARG_SRC, &md, p->x);
	give(j, ARG_DST, &to, j->out[0]);
	end_step(j, &op, NULL);
}

static void
add_matmul(struct job *j)
{
	const struct problem *p = j->p;
	union description left, right, to, op;

	describe(j->d, &left, p->rows, p->k);
	describe(j->d, &right, p->k, p->n);
	describe(j->d, &to, p->rows, p->n);
	DO(j->d, dnnl_matmul_desc_init, (void *, const void *, const void *,
	    const void *, const void *), &op, &left, &right, NULL, &to);
	give(j, ARG_SRC, &left, p->left);
	give(j, ARG_WEIGHTS, &right, p->right);
	give(j, ARG_DST, &to, j->out[0]);
	end_step(j, &op, NULL);
}

/* It has neither argmax nor rmsnorm, and a sum along axis 0 of 4096x4096 takes it
 * a third of a second. */
static bool
has(const struct problem *p)
{
	return p->dtype == DT_FLOAT32 && p->kind != CASE_rmsnorm &&
	    p->kind != CASE_argmax && p->kind != CASE_argmax_axis0 &&
	    p->kind != CASE_sum_axis0;
}

static void
add_steps(struct job *j)
{
	const struct problem *p = j->p;
	const struct post gelu = { GELU_ERF, NULL };
	const struct post chain[] = { { MUL, p->g }, { ADD, p->b },
		{ RELU, NULL } };

	switch ((int)p->kind) {
	case CASE_softmax:
		add_softmax(j);
		break;
	case CASE_layernorm:
		add_layernorm(j, p->x);
		break;
	case CASE_add_layernorm:
		add_binary(j, ADD, p->x, p->y, p->rows, j->out[1], NULL, 0);
		add_layernorm(j, j->out[1]);
		break;
	case CASE_gelu:
		add_eltwise(j, GELU_ERF, p->x);
		break;
	case CASE_gelutanh:
		add_eltwise(j, GELU_TANH, p->x);
		break;
	case CASE_silu_mul:
		add_eltwise(j, SWISH, p->x);
		add_binary(j, MUL, j->out[0], p->y, p->rows, j->out[0], NULL,
		    0);
		break;
	case CASE_bias_gelu:
		add_binary(j, ADD, p->x, p->b, 1, j->out[0], &gelu, 1);
		break;
	case CASE_bcast_add:
		add_binary(j, ADD, p->x, p->b, 1, j->out[0], NULL, 0);
		break;
	case CASE_chain:
		add_binary(j, ADD, p->x, p->y, p->rows, j->out[0], chain, 3);
		break;
	case CASE_sum:
		add_sum(j, false);
		break;
	case CASE_matmul:
		add_matmul(j);
		break;
	default:
		BUG("no primitive");
	}
}

static void *
dnnl_prepare(void *peer, const struct problem *p)
{
	struct job *j;

	if (!has(p))
		return NULL;
	j = calloc(1, sizeof *j);
	if (!j)
		fatal("out of memory");
	j->d = peer;
	j->p = p;
	for (int i = 0; p->row->outputs[i]; i++)
		j->out[i] = buffer_new(problem_bytes(p, p->row->outputs[i]));
	add_steps(j);
	return j;
}

static void
dnnl_run(void *job)
{
	const struct job *j = job;

	for (int i = 0; i < j->n_steps; i++)
		if (j->d->execute(j->step[i].primitive, j->d->stream,
		    j->step[i].n, j->step[i].arg))
			fatal("oneDNN cannot run %s", j->p->row->name);
}

static void
dnnl_fetch(void *job, const void *out[MAX_OUTPUTS])
{
	const struct job *j = job;

	for (int i = 0; i < MAX_OUTPUTS; i++)
		out[i] = j->out[i];
}

static void
dnnl_drop(void *job)
{
	struct job *j = job;

	for (int i = 0; i < j->n_steps; i++)
		DO(j->d, dnnl_primitive_destroy, (void *),
		    j->step[i].primitive);
	for (int i = 0; i < j->n_memory; i++)
		DO(j->d, dnnl_memory_destroy, (void *), j->memory[i]);
	for (int i = 0; i < MAX_OUTPUTS; i++)
		buffer_free(j->out[i]);
	free(j);
}

const struct peer peer_dnnl = { "oneDNN", dnnl_open, dnnl_prepare, dnnl_run,
	dnnl_fetch, dnnl_drop };
