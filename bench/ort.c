/* SPDX-License-Identifier: MIT */
/*
 * ONNX Runtime, through the C interface of libonnxruntime.so.1. Each case is the
 * fewest nodes that it has, of ONNX or contributed by Microsoft, optimised as
 * far as it can, with outputs of ours.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/str.h"
#include "bench/buffer.h"
#include "bench/onnx.h"
#include "bench/peer.h"

#define ORT_FILE \
	"node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1"

/* Places in ONNX Runtime's table of functions, which never change. */
enum { GET_ERROR_MESSAGE = 2, CREATE_ENV = 3, CREATE_SESSION_FROM_ARRAY = 8,
	RUN = 9, CREATE_SESSION_OPTIONS = 10, SET_OPTIMIZATION = 23,
	SET_INTRA_THREADS = 24, SET_INTER_THREADS = 25, CREATE_TENSOR = 49,
	CREATE_MEMORY_INFO = 69, RELEASE_SESSION = 95, RELEASE_VALUE = 96,
	RELEASE_OPTIONS = 100 };

/* Constants of its header. */
enum { LEVEL_ERROR = 3, OPTIMIZE_ALL = 99, ALLOCATOR_ARENA = 1,
	MEMORY_DEFAULT = 0, API_VERSION = 1 };

enum { MAX_NODES = 4 };

static const struct onnx_node graphs[N_CASES][MAX_NODES] = {
	[CASE_softmax] = { { "Softmax", "", "x", "F", "axis=i-1" } },
	[CASE_layernorm] = { { "LayerNormalization", "", "x,g,b", "F",
	    "axis=i-1 epsilon=f1e-5" } },
	[CASE_rmsnorm] = { { "SimplifiedLayerNormalization", "", "x,g", "F",
	    "axis=i-1 epsilon=f1e-5" } },
	[CASE_add_layernorm] = { { "SkipLayerNormalization", "com.microsoft",
	    "x,y,g,b", "F,,,f", "epsilon=f1e-5" } },
	[CASE_gelu] = { { "Gelu", "", "x", "F", "approximate=snone" } },
	[CASE_gelutanh] = { { "Gelu", "", "x", "F", "approximate=stanh" } },
	[CASE_silu_mul] = { { "QuickGelu", "com.microsoft", "x", "t",
	    "alpha=f1" }, { "Mul", "", "t,y", "F", "" } },
	[CASE_bias_gelu] = { { "BiasGelu", "com.microsoft", "x,b", "F", "" } },
	[CASE_bcast_add] = { { "Add", "", "x,b", "F", "" } },
	[CASE_chain] = { { "Add", "", "x,y", "t", "" },
	    { "Mul", "", "t,g", "u", "" }, { "Add", "", "u,b", "v", "" },
	    { "Relu", "", "v", "F", "" } },
	[CASE_argmax] = { { "ArgMax", "", "x", "r", "axis=i-1 keepdims=i0" } },
	[CASE_argmax_axis0] = { { "ArgMax", "", "x", "c",
	    "axis=i0 keepdims=i0" } },
	[CASE_sum] = { { "ReduceSum", "", "x,a", "R", "keepdims=i0" } },
	[CASE_matmul] = { { "MatMul", "", "p,q", "F", "" } },
	[CASE_sum_axis0] = { { "ReduceSum", "", "x,z", "C", "keepdims=i0" } },
};

/* NULL is success; else an object that tells what is wrong. */
typedef void *status;
typedef void (*any_fn)(void);

struct ort_api_base {
	const any_fn *(*get_api)(uint32_t version);
	const char *(*version)(void);
};

struct ort {
	void *env, *memory;
	const any_fn *api;
	int threads;
};

struct job {
	const struct ort *ort;
	void *session, *in[MAX_INPUTS], *out[MAX_OUTPUTS], *body[MAX_OUTPUTS];
	char name[MAX_INPUTS + MAX_OUTPUTS][2];
	const char *in_name[MAX_INPUTS], *out_name[MAX_OUTPUTS];
	size_t nin, nout;
};

/* The function at a place of the table, as the type it has there. */
#define API(o, at, ...) ((status (*)(__VA_ARGS__))(o)->api[at])

static void
check(const struct ort *o, status s, const char *what)
{
	const char *(*message)(status) = (const char *(*)(status))
	    o->api[GET_ERROR_MESSAGE];

	if (s)
		fatal("ONNX Runtime cannot %s: %s", what, message(s));
}

static void
release(const struct ort *o, int at, void *object)
{
	((void (*)(void *))o->api[at])(object);
}

static void *
ort_open(const char *folder, int threads, char why[PEER_WHY])
{
	struct ort *o = calloc(1, sizeof *o);
	const struct ort_api_base *(*base)(void);
	struct buf path = { 0 };
	void *handle;

	if (!o)
		fatal("out of memory");
	buf_printf(&path, "%s/%s", folder, ORT_FILE);
	handle = dlopen(path.p, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(why, PEER_WHY, "%s", dlerror());
		buf_release(&path);
		free(o);
		return NULL;
	}
	*(void **)&base = dlsym(handle, "OrtGetApiBase");
	if (!base)
		fatal("%s is not ONNX Runtime: it has no OrtGetApiBase", path.p);
	o->api = base()->get_api(API_VERSION);
	if (!o->api)
		fatal("%s offers no C interface of version %d", path.p,
		    API_VERSION);
	o->threads = threads;
	check(o, API(o, CREATE_ENV, int, const char *, void **)(LEVEL_ERROR,
	    "bench", &o->env), "start");
	check(o, API(o, CREATE_MEMORY_INFO, int, int, void **)(ALLOCATOR_ARENA,
	    MEMORY_DEFAULT, &o->memory), "describe the memory");
	buf_release(&path);
	return o;
}

static void *
session_new(const struct ort *o, const struct problem *p)
{
	const struct onnx_node *graph = graphs[p->kind];
	struct buf model = { 0 };
	void *options, *session;
	int n = 0;

	while (n < MAX_NODES && graph[n].op)
		n++;
	check(o, API(o, CREATE_SESSION_OPTIONS, void **)(&options),
	    "make options");
	check(o, API(o, SET_OPTIMIZATION, void *, int)(options, OPTIMIZE_ALL),
	    "set the level of optimisation");
	check(o, API(o, SET_INTRA_THREADS, void *, int)(options, o->threads),
	    "set the threads of an op");
	check(o, API(o, SET_INTER_THREADS, void *, int)(options, 1),
	    "set the threads of a graph");
	onnx_model(&model, p, graph, n);
	check(o, API(o, CREATE_SESSION_FROM_ARRAY, void *, const void *, size_t,
	    void *, void **)(o->env, model.p, model.n, options, &session),
	    p->row->name);
	buf_release(&model);
	release(o, RELEASE_OPTIONS, options);
	return session;
}

/* The tensor of a letter at p; its name is kept at `name`. */
static void *
tensor_new(const struct ort *o, const struct problem *p, char letter,
    void *body, char name[2])
{
	bool index = letter == 'r' || letter == 'c';
	int64_t dim[2];
	int rank = problem_dims(p, letter, dim);
	void *value;

	name[0] = letter;
	check(o, API(o, CREATE_TENSOR, void *, void *, size_t, const int64_t *,
	    size_t, int, void **)(o->memory, body, problem_bytes(p, letter),
	    dim, (size_t)rank, onnx_element(index ? DT_INT64 : p->dtype),
	    &value), "make a tensor");
	return value;
}

static void *
ort_prepare(void *peer, const struct problem *p)
{
	const struct ort *o = peer;
	struct job *j = calloc(1, sizeof *j);

	if (!j)
		fatal("out of memory");
	j->ort = o;
	j->session = session_new(o, p);
	for (const char *c = p->row->inputs; *c; c++) {
		/* The interface takes any pointer, but only reads an input. */
		void *body = (void *)(uintptr_t)problem_input(p, *c);
		char *name = j->name[j->nin];

		if (!body)
			continue;
		j->in[j->nin] = tensor_new(o, p, *c, body, name);
		j->in_name[j->nin++] = name;
	}
	for (const char *c = p->row->outputs; *c; c++) {
		char *name = j->name[MAX_INPUTS + j->nout];

		j->body[j->nout] = buffer_new(problem_bytes(p, *c));
		j->out[j->nout] = tensor_new(o, p, *c, j->body[j->nout], name);
		j->out_name[j->nout++] = name;
	}
	return j;
}

static void
ort_run(void *job)
{
	struct job *j = job;

	check(j->ort, API(j->ort, RUN, void *, const void *,
	    const char *const *, void *const *, size_t, const char *const *,
	    size_t, void **)(j->session, NULL, j->in_name, j->in, j->nin,
	    j->out_name, j->nout, j->out), "run");
}

static void
ort_fetch(void *job, const void *out[MAX_OUTPUTS])
{
	struct job *j = job;

	for (size_t i = 0; i < j->nout; i++)
		out[i] = j->body[i];
}

static void
ort_drop(void *job)
{
	struct job *j = job;

	for (size_t i = 0; i < j->nin; i++)
		release(j->ort, RELEASE_VALUE, j->in[i]);
	for (size_t i = 0; i < j->nout; i++) {
		release(j->ort, RELEASE_VALUE, j->out[i]);
		buffer_free(j->body[i]);
	}
	release(j->ort, RELEASE_SESSION, j->session);
	free(j);
}

const struct peer peer_ort = { "ONNX Runtime", ort_open, ort_prepare, ort_run,
	ort_fetch, ort_drop };
