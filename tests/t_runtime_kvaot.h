/* SPDX-License-Identifier: MIT */
/* A small library of hand-made kernels, called through include/kvaot.h. */
#ifndef T_RUNTIME_KVAOT_H
#define T_RUNTIME_KVAOT_H

#include "runtime/embed.h"
#include "tests/t_runtime.h"

/* Maps over one axis of 4, a sum along one axis, an addition along rows that
 * asks for scratch and a parallel loop. */
#define K_ADD(name, T) "F(" name ") { const int64_t *a = dim + 4, *b = dim + " \
	"8, *c = dim + 12; (void)s;\nfor (int64_t i = 0; i < dim[0] * dim[1]; " \
	"i++) for (int64_t k = 0; k < dim[2]; k++)\nfor (int64_t l = 0; l < " \
	"dim[3]; l++)\n((" T " *)ptr[2])[k*c[2]+l*c[3]] = ((" T " *)ptr[0])" \
	"[k*a[2]+l*a[3]] + ((" T " *)ptr[1])[k*b[2]+l*b[3]];\nreturn 0; }\n"
#define K_ALIAS(op, dtype, cls, nin, alias, scratch, fn) "{ KVK_ABI, sizeof(" \
	"struct kvk_entry), \"" op "\", \"any->any\", \"" dtype "\", " \
	"\"x86-64\", " cls ", " #nin ", 1, { 0 }, " #alias ", " #scratch ", " \
	"0, " fn " },\n"

static const char embed_kernels[] = K_HEAD
K_ADD("add32", "float") K_ADD("add64", "double")
"F(sum) { (void)s; for (int64_t i = 0; i < dim[0]; i++) for (int64_t j = 0; "
"j < dim[2]; j++) {\nfloat r = 0; for (int64_t k = 0; k < dim[1]; k++) r += "
"((float *)ptr[0])[(i * dim[1] + k) * dim[2] + j];\n"
"((float *)ptr[1])[i * dim[2] + j] = r; }\nreturn 0; }\n"
"struct c { void *const *ptr; const int64_t *dim; };\n"
"static int rows(void *v, int64_t lo, int64_t hi, void *scratch) {\n"
"struct c *c = v; char *t = scratch;\n"
"for (int64_t r = lo; r < hi; r++) for (int64_t i = 0; i < c->dim[1]; i++) "
"{ t[i % 128] = (char)r;\n((float *)c->ptr[1])[r * c->dim[3] + i] = "
"((float *)c->ptr[0])[r * c->dim[2] + i] + 100; }\nreturn 0; }\n"
"F(plus) { struct c c = { ptr, dim }; return s->par(s, dim[0], 2, rows, &c); "
"}\n"
"F(bad) { (void)ptr; (void)dim; (void)s; return KVK_DIV0; }\n"
K_TABLE(K_ALIAS("deepx/t·add", "float32", "KVK_MAP", 2, 3, 0, "add32")
K_ALIAS("deepx/t·add", "float64", "KVK_MAP", 2, 3, 0, "add64")
K_ALIAS("deepx/t·sum", "float32", "KVK_REDUCE", 1, 0, 64, "sum")
K_ALIAS("", "float32", "KVK_ROWS", 1, 1, 128, "plus")
K_ALIAS("deepx/t·div", "float32", "KVK_MAP", 2, 3, 0, "bad"));

static const char embed_functions[] =
"lib deepx {\n	rwir sum(A:[*]float32, axis:int64|[]int64, keepdims:bool) "
"-> (B:[*]float32)\n}\n"
"lib d {\n"
"	rwfunc f(A:[*]float32|[*]float64, axis:int64) -> "
"(B:[*]float32|[*]float64) {\n"
"		deepx/t·sum(A, axis, true) -> s\n"
"		deepx/t·add(A, s) -> B\n	}\n"
"	rwfunc f.1(A:[*]float32|[*]float64, axis:int64) -> "
"(B:[*]float32|[*]float64) {\n		d·f.1.k0(A) -> B\n	}\n"
"	rwfunc scaled(A:[*]float32, c:float64) -> (B:[*]float32, "
"C:[*]float32) {\n		deepx/t·add(A, c) -> B\n"
"		deepx/t·add(B, 0.5) -> t\n		C = B\n	}\n"
"	rwfunc same(A:[*]float32) -> (B:[*]float32) {\n		B = A\n	}\n"
"	rwfunc flat(A:[2,2]float32) -> (B:[*]float32) {\n"
"		xv·reshape(A, 4) -> B\n	}\n"
"	rwfunc both(A:[*]float32, B:[*]float32) -> (C:[*]float32, "
"D:[*]float32) {\n		deepx/t·add(A, B) -> C\n"
"		deepx/t·add(C, A) -> D\n	}\n"
"	rwfunc chain(A:[*]float32) -> (B:[*]float32) {\n"
"		deepx/t·add(A, 1.0) -> p\n		deepx/t·add(p, 1.0) -> q\n"
"		deepx/t·add(q, 1.0) -> r\n		f(r, -1) -> u\n"
"		deepx/t·add(u, A) -> B\n	}\n"
"	rwfunc unset(A:[*]float32) -> (B:[*]float32) {\n		x = A\n	}\n"
"	rwfunc says(A:[*]float32) -> (B:[*]float32) {\n"
"		println(A)\n		B = A\n	}\n"
"	rwfunc bad(A:[*]float32) -> (B:[*]float32) {\n"
"		deepx/t·div(A, A) -> B\n	}\n"
"}\n";

struct embedding {
	struct testlib lib;
	struct kvaotLib *h;
	char err[512];
};

static inline void
make_library(struct testlib *t)
{
	const char *o;

	testlib_init(t);
	o = testlib_object(t, embed_kernels);
	testlib_backend(t, "deepx/t·add", DT_FLOAT32, "map", o, 0);
	testlib_backend(t, "deepx/t·add", DT_FLOAT64, "map", o, 1);
	testlib_backend(t, "deepx/t·sum", DT_FLOAT32, "reduce", o, 2);
	t->manifest.row[2].base = "deepx·sum";
	testlib_kernel(t, "d·f.1.k0", "d·f", 1, "*xn", "axis==-1", "rows",
	    "=0", o, 3);
	testlib_backend(t, "deepx/t·div", DT_FLOAT32, "map", o, 4);
	testlib_lay(t, "lib/d.kv", embed_functions);
	testlib_versions(t, "d·f", 1);
	testlib_publish(t);
}

static inline void
setup(struct embedding *e, const struct kvaotOptions *options)
{
	make_library(&e->lib);
	ck_assert_msg(kvaotOpen(testlib_folder(&e->lib), options, &e->h,
	    e->err, sizeof(e->err)) == 0, "%s", e->err);
}

static inline void
teardown(struct embedding *e)
{
	kvaotClose(e->h);
	testlib_release(&e->lib);
}

/* A tensor of rank 0 to 2: rows < 0 a scalar, cols < 0 a vector. */
static inline struct kvaotTensor
tensor(int dtype, int64_t rows, int64_t cols, const void *data)
{
	struct kvaotTensor t = { .size = sizeof(t), .dtype = dtype,
		.rank = (rows >= 0) + (cols >= 0), .dim = { rows, cols },
		.data = (void *)data };

	return t;
}

static inline const struct kvaotFn *
find(struct embedding *e, const char *name)
{
	const struct kvaotFn *fn = NULL;

	ck_assert_msg(kvaotFind(e->h, name, &fn, e->err, sizeof(e->err)) == 0,
	    "%s", e->err);
	return fn;
}

static inline struct kvaotBound *
bind(struct embedding *e, const char *name, const struct kvaotTensor *in,
    uint32_t n)
{
	struct kvaotBound *b = NULL;

	ck_assert_msg(kvaotBind(find(e, name), in, n, &b, e->err,
	    sizeof(e->err)) == 0, "%s", e->err);
	return b;
}

static inline void
run(struct embedding *e, const struct kvaotBound *b, const void *const *in,
    void *const *out)
{
	ck_assert_msg(kvaotRun(b, in, out, e->err, sizeof(e->err)) == 0, "%s",
	    e->err);
}

static inline void
expect_floats(const float *got, const float *want, int n)
{
	int i;

	for (i = 0; i < n; i++)
		ck_assert_msg(got[i] == want[i], "[%d] %g instead of %g", i,
		    (double)got[i], (double)want[i]);
}

#endif
