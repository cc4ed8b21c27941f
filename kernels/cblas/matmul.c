/* SPDX-License-Identifier: MIT */
/*
 * Matrix product by BLAS. Dims are those of ref/matmul.c. A product with one
 * matrix on the right is one call, whatever the left axes; else each matrix of
 * the result is a call.
 */
#define AUTHOR "cblas"
#include "ref/product.h"

/* MOST: rows of a call. */
enum { GRAIN = 65536, MOST = 0x7fffffff };

/* The rows of a call. With one matrix on the right those of all matrices on
 * the left, which no axis of the right then repeats. */
static inline int64_t
rows_of(const struct product *p, int64_t count)
{
	int64_t rows = count / p->n;

	return ref_count(p->b) == p->k * p->n && rows <= MOST ? rows : p->m;
}

#define MATMUL(S, T, t) \
	static int \
	canon_##S(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		T *c = ctx; \
		\
		(void)scratch; \
		for (int64_t i = lo; i < hi; i++) \
			c[i] = ref_canon_##S(c[i]); \
		return KVK_OK; \
	} \
	\
	static int \
	matmul_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		struct product p = product_of(ptr, dim); \
		const T *a = ptr[0], *b = ptr[1]; \
		T *c = ptr[2]; \
		int64_t count = ref_count(p.c), rows; \
		int rc = KVK_OK; \
		\
		if (count == 0) \
			return KVK_OK; \
		if (p.k == 0) { \
			__builtin_memset(c, 0, sizeof *c * (uint64_t)count); \
			return KVK_OK; \
		} \
		rows = rows_of(&p, count); \
		for (int64_t i = 0; i < count && rc == KVK_OK; \
		     i += rows * p.n) { \
			int64_t at = i / (p.m * p.n); \
			\
			rc = stream->blas->GEMM_##S(stream->blas, rows, p.n, \
			    p.k, a + product_at(&p, p.a, at) * p.m * p.k, \
			    b + product_at(&p, p.b, at) * p.k * p.n, c + i); \
		} \
		return rc ? rc : \
		    stream->par(stream, count, GRAIN, canon_##S, c); \
	}

#define GEMM_f32 sgemm
#define GEMM_f64 dgemm

#define ENTRY(S, T, t) \
	REF_ENTRY("matmul", "[*]" t ",[*]" t "->[*]" t, t, KVK_OTHER, 2, 0, \
	    matmul_##S)

FLOATS(MATMUL)

static const struct kvk_entry entries[] = { FLOATS(ENTRY) };

REF_TABLE(entries);
