/* SPDX-License-Identifier: MIT */
#include "bench/ort.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/str.h"

/* Places in ONNX Runtime's table of functions, which never change. */
enum { GET_ERROR_MESSAGE = 2, CREATE_ENV = 3, CREATE_SESSION_FROM_ARRAY = 8,
	RUN = 9, CREATE_SESSION_OPTIONS = 10, SET_OPTIMIZATION = 23,
	SET_INTRA_THREADS = 24, SET_INTER_THREADS = 25, CREATE_TENSOR = 49,
	CREATE_MEMORY_INFO = 69, RELEASE_ENV = 92, RELEASE_MEMORY_INFO = 94,
	RELEASE_SESSION = 95, RELEASE_VALUE = 96, RELEASE_OPTIONS = 100 };

/* Constants of its header, and of ONNX's model format. */
enum { LEVEL_WARNING = 2, OPTIMIZE_ALL = 99, ALLOCATOR_ARENA = 1,
	MEMORY_DEFAULT = 0, ELEMENT_FLOAT = 1, API_VERSION = 1,
	IR_VERSION = 7, OPSET = 13, ATTRIBUTE_INT = 2 };

/* NULL is success; else an object that tells what is wrong. */
typedef void *status;
typedef void (*any_fn)(void);

struct ort_api_base {
	const any_fn *(*get_api)(uint32_t version);
	const char *(*version)(void);
};

struct ort {
	void *handle, *env, *memory;
	const any_fn *api;
};

struct ort_softmax {
	const struct ort *ort;
	void *session, *in, *out;
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

struct ort *
ort_open(const char *path)
{
	struct ort *o = calloc(1, sizeof *o);
	const struct ort_api_base *(*base)(void);

	if (!o)
		fatal("out of memory");
	o->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!o->handle)
		fatal("cannot open %s: %s", path, dlerror());
	*(void **)&base = dlsym(o->handle, "OrtGetApiBase");
	if (!base)
		fatal("%s is not ONNX Runtime: it has no OrtGetApiBase", path);
	o->api = base()->get_api(API_VERSION);
	if (!o->api)
		fatal("%s offers no C interface of version %d", path,
		    API_VERSION);
	check(o, API(o, CREATE_ENV, int, const char *, void **)(LEVEL_WARNING,
	    "bench", &o->env), "start");
	check(o, API(o, CREATE_MEMORY_INFO, int, int, void **)(ALLOCATOR_ARENA,
	    MEMORY_DEFAULT, &o->memory), "describe the memory");
	return o;
}

void
ort_close(struct ort *o)
{
	if (!o)
		return;
	release(o, RELEASE_MEMORY_INFO, o->memory);
	release(o, RELEASE_ENV, o->env);
	free(o);
}

/* Protobuf's numbers: 7 bits a byte, the lowest first. */
static void
put_varint(struct buf *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		buf_putc(b, (char)((v & 127) | 128));
	buf_putc(b, (char)v);
}

static void
put_number(struct buf *b, unsigned field, uint64_t v)
{
	put_varint(b, field << 3);
	put_varint(b, v);
}

static void
put_bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	buf_put(b, p, n);
}

static void
put_text(struct buf *b, unsigned field, const char *s)
{
	put_bytes(b, field, s, strlen(s));
}

static void
put_message(struct buf *b, unsigned field, struct buf *inner)
{
	put_bytes(b, field, inner->p, inner->n);
	buf_release(inner);
	*inner = (struct buf){ 0 };
}

/* ValueInfoProto: a name and a tensor type of these extents. */
static void
put_value(struct buf *b, unsigned field, const char *name,
    const int64_t dim[2])
{
	struct buf extent = { 0 }, shape = { 0 }, tensor = { 0 };
	struct buf type = { 0 }, value = { 0 };

	for (int i = 0; i < 2; i++) {
		put_number(&extent, 1, (uint64_t)dim[i]);
		put_message(&shape, 1, &extent);
	}
	put_number(&tensor, 1, ELEMENT_FLOAT);
	put_message(&tensor, 2, &shape);
	put_message(&type, 1, &tensor);
	put_text(&value, 1, name);
	put_message(&value, 2, &type);
	put_message(b, field, &value);
}

/* ModelProto of the one op: x -> Softmax(axis = 1) -> y. */
static void
put_model(struct buf *b, const int64_t dim[2])
{
	struct buf axis = { 0 }, node = { 0 }, graph = { 0 }, opset = { 0 };

	put_text(&axis, 1, "axis");
	put_number(&axis, 3, 1);
	put_number(&axis, 20, ATTRIBUTE_INT);
	put_text(&node, 1, "x");
	put_text(&node, 2, "y");
	put_text(&node, 4, "Softmax");
	put_message(&node, 5, &axis);
	put_message(&graph, 1, &node);
	put_text(&graph, 2, "g");
	put_value(&graph, 11, "x", dim);
	put_value(&graph, 12, "y", dim);
	put_number(&opset, 2, OPSET);
	put_number(b, 1, IR_VERSION);
	put_message(b, 7, &graph);
	put_message(b, 8, &opset);
}

static void *
session_new(const struct ort *o, int threads, const int64_t dim[2])
{
	struct buf model = { 0 };
	void *options, *session;

	check(o, API(o, CREATE_SESSION_OPTIONS, void **)(&options),
	    "make options");
	check(o, API(o, SET_OPTIMIZATION, void *, int)(options, OPTIMIZE_ALL),
	    "set the level of optimisation");
	check(o, API(o, SET_INTRA_THREADS, void *, int)(options, threads),
	    "set the threads of an op");
	check(o, API(o, SET_INTER_THREADS, void *, int)(options, threads),
	    "set the threads of a graph");
	put_model(&model, dim);
	check(o, API(o, CREATE_SESSION_FROM_ARRAY, void *, const void *, size_t,
	    void *, void **)(o->env, model.p, model.n, options, &session),
	    "load the model");
	buf_release(&model);
	release(o, RELEASE_OPTIONS, options);
	return session;
}

static void *
tensor_new(const struct ort *o, void *p, const int64_t dim[2])
{
	void *value;

	check(o, API(o, CREATE_TENSOR, void *, void *, size_t, const int64_t *,
	    size_t, int, void **)(o->memory, p, (size_t)(dim[0] * dim[1]) *
	    sizeof(float), dim, 2, ELEMENT_FLOAT, &value), "make a tensor");
	return value;
}

struct ort_softmax *
ort_softmax_new(struct ort *o, int threads, int64_t rows, int64_t n,
    const float *in, float *out)
{
	struct ort_softmax *s = calloc(1, sizeof *s);
	const int64_t dim[2] = { rows, n };

	if (!s)
		fatal("out of memory");
	s->ort = o;
	s->session = session_new(o, threads, dim);
	/* The interface takes any pointer, but only reads an input. */
	s->in = tensor_new(o, (void *)(uintptr_t)in, dim);
	s->out = tensor_new(o, out, dim);
	return s;
}

void
ort_softmax_run(struct ort_softmax *s)
{
	static const char *const in[] = { "x" }, *const out[] = { "y" };

	check(s->ort, API(s->ort, RUN, void *, const void *,
	    const char *const *, void *const *, size_t, const char *const *,
	    size_t, void **)(s->session, NULL, in, &s->in, 1, out, 1, &s->out),
	    "run");
}

void
ort_softmax_free(struct ort_softmax *s)
{
	if (!s)
		return;
	release(s->ort, RELEASE_VALUE, s->in);
	release(s->ort, RELEASE_VALUE, s->out);
	release(s->ort, RELEASE_SESSION, s->session);
	free(s);
}
