/* SPDX-License-Identifier: MIT */
/*
 * ggml, through the C interface of libggml-base.so and of the variant for this
 * CPU beside it. It has memory of its own, so the inputs are copied there.
 */
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/str.h"
#include "bench/buffer.h"
#include "bench/peer.h"

#define GGML_FOLDER "node_modules/@node-llama-cpp/linux-x64/bins/linux-x64"

/* Constants of its header, and the room for what is not numbers. */
enum { TYPE_F32 = 0, HEADROOM = 64 << 20 };

struct params {
	size_t mem_size;
	void *mem_buffer;
	bool no_alloc;
};

struct ggml {
	int threads;
	void *(*init)(struct params);
	void (*free)(void *ctx);
	void *(*tensor)(void *ctx, int type, int64_t n, int64_t rows);
	void *(*data)(const void *tensor);
	void *(*graph)(void *ctx);
	void (*expand)(void *graph, void *tensor);
	int (*compute)(void *ctx, void *graph, int threads);
	void *(*norm)(void *ctx, void *x, float eps);
	void *(*rms_norm)(void *ctx, void *x, float eps);
	void *(*add)(void *ctx, void *, void *);
	void *(*mul)(void *ctx, void *, void *);
	void *(*swiglu)(void *ctx, void *, void *);
	void *(*soft_max)(void *ctx, void *);
	void *(*gelu)(void *ctx, void *);
	void *(*gelu_erf)(void *ctx, void *);
	void *(*relu)(void *ctx, void *);
	void *(*argmax)(void *ctx, void *);
	void *(*sum_rows)(void *ctx, void *);
};

struct job {
	const struct ggml *g;
	const struct problem *p;
	void *ctx, *graph, *out[MAX_OUTPUTS];
	int64_t *wide; /* indices, which it has as int32 */
};

/* The variant with the highest score; a variant that does not run here has
 * none. */
static void *
best_variant(const char *folder)
{
	struct buf pattern = { 0 };
	void *best = NULL;
	int most = 0;
	glob_t found;

	buf_printf(&pattern, "%s/%s/libggml-cpu-*.so", folder, GGML_FOLDER);
	if (glob(pattern.p, 0, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		void *h = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
		int (*score)(void) = NULL;

		if (h)
			*(void **)&score = dlsym(h, "ggml_backend_score");
		if (!score || score() <= most)
			continue;
		most = score();
		best = h;
	}
	if (found.gl_pathc)
		globfree(&found);
	buf_release(&pattern);
	return best;
}

static void
bind(void *fn, void *handle, const char *name)
{
	*(void **)fn = dlsym(handle, name);
	if (!*(void **)fn)
		fatal("ggml has no %s", name);
}

static void
bind_all(struct ggml *g, void *base, void *cpu)
{
	bind(&g->init, base, "ggml_init");
	bind(&g->free, base, "ggml_free");
	bind(&g->tensor, base, "ggml_new_tensor_2d");
	bind(&g->data, base, "ggml_get_data");
	bind(&g->graph, base, "ggml_new_graph");
	bind(&g->expand, base, "ggml_build_forward_expand");
	bind(&g->compute, cpu, "ggml_graph_compute_with_ctx");
	bind(&g->norm, base, "ggml_norm");
	bind(&g->rms_norm, base, "ggml_rms_norm");
	bind(&g->add, base, "ggml_add");
	bind(&g->mul, base, "ggml_mul");
	bind(&g->swiglu, base, "ggml_swiglu_split");
	bind(&g->soft_max, base, "ggml_soft_max");
	bind(&g->gelu, base, "ggml_gelu");
	bind(&g->gelu_erf, base, "ggml_gelu_erf");
	bind(&g->relu, base, "ggml_relu");
	bind(&g->argmax, base, "ggml_argmax");
	bind(&g->sum_rows, base, "ggml_sum_rows");
}

static void *
ggml_open(const char *folder, int threads, char why[PEER_WHY])
{
	struct ggml *g = calloc(1, sizeof *g);
	struct buf path = { 0 };
	void *base, *cpu = NULL;

	if (!g)
		fatal("out of memory");
	buf_printf(&path, "%s/%s/libggml-base.so", folder, GGML_FOLDER);
	base = dlopen(path.p, RTLD_NOW | RTLD_GLOBAL);
	buf_release(&path);
	if (!base)
		snprintf(why, PEER_WHY, "%s", dlerror());
	else if (!(cpu = best_variant(folder)))
		snprintf(why, PEER_WHY, "no variant of it runs on this CPU");
	if (!cpu) {
		free(g);
		return NULL;
	}
	bind_all(g, base, cpu);
	g->threads = threads;
	return g;
}

static void *
input(struct job *j, char letter)
{
	const struct problem *p = j->p;
	const void *from = problem_input(p, letter);
	int64_t dim[2];
	int rank = problem_dims(p, letter, dim);
	void *t = j->g->tensor(j->ctx, TYPE_F32, dim[rank - 1],
	    rank == 2 ? dim[0] : 1);

	memcpy(j->g->data(t), from, problem_bytes(p, letter));
	return t;
}

/* The tensors of the outputs. */
static void
build(struct job *j)
{
	const struct ggml *g = j->g;
	const struct problem *p = j->p;
	void *c = j->ctx, *x = input(j, 'x'), *y = p->y ? input(j, 'y') : NULL;
	void *w = p->g ? input(j, 'g') : NULL, *b = p->b ? input(j, 'b') : NULL;
	void *t = x;

	switch ((int)p->kind) {
	case CASE_softmax: t = g->soft_max(c, x); break;
	case CASE_add_layernorm:
		x = j->out[1] = g->add(c, x, y);
		/* fallthrough */
	case CASE_layernorm:
		t = g->norm(c, x, (float)EPSILON);
		t = g->add(c, g->mul(c, t, w), b);
		break;
	case CASE_rmsnorm:
		t = g->mul(c, g->rms_norm(c, x, (float)EPSILON), w);
		break;
	case CASE_gelu: t = g->gelu_erf(c, x); break;
	case CASE_gelutanh: t = g->gelu(c, x); break;
	case CASE_silu_mul: t = g->swiglu(c, x, y); break;
	case CASE_bias_gelu: t = g->gelu_erf(c, g->add(c, x, b)); break;
	case CASE_bcast_add: t = g->add(c, x, b); break;
	case CASE_chain:
		t = g->mul(c, g->add(c, x, y), w);
		t = g->relu(c, g->add(c, t, b));
		break;
	case CASE_argmax: t = g->argmax(c, x); break;
	case CASE_sum: t = g->sum_rows(c, x); break;
	default: BUG("no graph");
	}
	j->out[0] = t;
}

static void *
ggml_prepare(void *peer, const struct problem *p)
{
	struct job *j;
	size_t full = problem_bytes(p, 'F');

	/* Its products want the right matrix transposed. */
	if (p->dtype != DT_FLOAT32 || p->kind == CASE_argmax_axis0 ||
	    p->kind == CASE_sum_axis0 || p->kind == CASE_matmul)
		return NULL;
	j = calloc(1, sizeof *j);
	if (!j)
		fatal("out of memory");
	j->g = peer;
	j->p = p;
	/* At most two inputs and four results, and the work of a row. */
	j->ctx = j->g->init((struct params){ 6 * full + HEADROOM, NULL,
	    false });
	if (!j->ctx)
		fatal("no memory for ggml");
	build(j);
	j->graph = j->g->graph(j->ctx);
	j->g->expand(j->graph, j->out[0]);
	if (p->kind == CASE_argmax)
		j->wide = buffer_new(problem_bytes(p, 'r'));
	return j;
}

static void
ggml_run(void *job)
{
	const struct job *j = job;

	if (j->g->compute(j->ctx, j->graph, j->g->threads))
		fatal("ggml cannot run %s", j->p->row->name);
}

static void
ggml_fetch(void *job, const void *out[MAX_OUTPUTS])
{
	struct job *j = job;
	const int32_t *index;

	for (int i = 0; i < MAX_OUTPUTS; i++)
		out[i] = j->out[i] ? j->g->data(j->out[i]) : NULL;
	if (!j->wide)
		return;
	index = out[0];
	for (int64_t i = 0; i < j->p->rows; i++)
		j->wide[i] = index[i];
	out[0] = j->wide;
}

static void
ggml_drop(void *job)
{
	struct job *j = job;

	j->g->free(j->ctx);
	buffer_free(j->wide);
	free(j);
}

const struct peer peer_ggml = { "ggml", ggml_open, ggml_prepare, ggml_run,
	ggml_fetch, ggml_drop };
