/* SPDX-License-Identifier: MIT */
/*
 * Matrix product over the last two axes; those before broadcast. A vector is a
 * row on the left and a column on the right. Each element starts from 0 and takes
 * its terms one by one, in the order of k; of floats each term is one fma.
 */
#include "ref/product.h"

#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif

/* The op, and where its matrices are. */
#ifndef OP
#define OP "matmul"
#define PRODUCT product_of
#endif

#define MADD_f32(c, a, b) __builtin_fmaf(a, b, c)
#define MADD_f64(c, a, b) __builtin_fma(a, b, c)
#define MADD_i8(c, a, b) ref_add_i8(c, ref_mul_i8(a, b))
#define MADD_i16(c, a, b) ref_add_i16(c, ref_mul_i16(a, b))
#define MADD_i32(c, a, b) ref_add_i32(c, ref_mul_i32(a, b))
#define MADD_i64(c, a, b) ref_add_i64(c, ref_mul_i64(a, b))
#define MADD_u8(c, a, b) ref_add_u8(c, ref_mul_u8(a, b))
#define MADD_u16(c, a, b) ref_add_u16(c, ref_mul_u16(a, b))
#define MADD_u32(c, a, b) ref_add_u32(c, ref_mul_u32(a, b))
#define MADD_u64(c, a, b) ref_add_u64(c, ref_mul_u64(a, b))

#define ROW(S, T, t) \
	static inline void \
	row_##S(const T *a, const T *restrict b, T *restrict c, \
	    const struct product *p) \
	{ \
		for (int64_t j = 0; j < p->n; j++) \
			c[j] = 0; \
		for (int64_t k = 0; k < p->k; k++) \
			for (int64_t j = 0; j < p->n; j++) \
				c[j] = MADD_##S(c[j], a[k * p->a_col], \
				    b[k * p->b_row + j * p->b_col]); \
		for (int64_t j = 0; j < p->n; j++) \
			c[j] = ref_canon_##S(c[j]); \
	}

/* The sum of halves is a float until it is stored; each term is one fma. */
#ifndef HALF_ROW
#define HALF_ROW(S, T, t) \
	static inline void \
	row_##S(const T *a, const T *b, T *c, const struct product *p) \
	{ \
		for (int64_t j = 0; j < p->n; j++) { \
			float sum = 0; \
			\
			for (int64_t k = 0; k < p->k; k++) \
				sum = __builtin_fmaf( \
				    ref_get_##S(a, k * p->a_col), \
				    ref_get_##S(b, k * p->b_row + \
				    j * p->b_col), sum); \
			c[j] = ref_put_##S(sum); \
		} \
	}
#endif

FLOATS(ROW)
INTS(ROW)
HALVES(HALF_ROW)

#define MATMUL(S, T, t) \
	static int \
	rows_##S(void *ctx, int64_t lo, int64_t hi, void *scratch) \
	{ \
		const struct product *p = ctx; \
		const T *a = p->ptr[0], *b = p->ptr[1]; \
		T *c = p->ptr[2]; \
		\
		(void)scratch; \
		for (int64_t r = lo; r < hi; r++) { \
			int64_t i = r % p->m, at = r / p->m; \
			int64_t matrix = product_at(p, p->a, at) * p->m * p->k; \
			\
			row_##S(a + matrix + i * p->a_row, \
			    b + product_at(p, p->b, at) * p->k * p->n, \
			    c + r * p->n, p); \
		} \
		return KVK_OK; \
	} \
	\
	static int \
	matmul_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		struct product p = PRODUCT(ptr, dim); \
		int64_t count = ref_count(p.c); \
		\
		/* About 65,536 products a piece. */ \
		return count == 0 ? KVK_OK : stream->par(stream, \
		    count / p.n, 65536 / (p.k * p.n + 1) + 1, rows_##S, &p); \
	}

#define ENTRY(S, T, t) \
	REF_ENTRY(OP, "[*]" t ",[*]" t "->[*]" t, t, KVK_OTHER, 2, 0, \
	    matmul_##S)

TYPES(MATMUL)

static const struct kvk_entry entries[] = { TYPES(ENTRY) };

REF_TABLE(entries);
