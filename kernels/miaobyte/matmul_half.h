/* SPDX-License-Identifier: MIT */
/* Matrix products of halves, of the op and the matrices that OP and PRODUCT
 * name. */
#define AUTHOR "miaobyte"
#define TYPES(X) HALVES(X)
#define KV_WIDE
#include "vec/halfrow.h"

#define HALF_ROW(S, T, t) \
	static inline void \
	row_##S(const T *a, const T *b, T *c, const struct product *p) \
	{ \
		kv_halfrow_##S(a, b, c, p->n, p->k, (struct kv_halfsteps){ \
		    p->a_col, p->b_row, p->b_col }); \
	}

#include "ref/matmul.c"
