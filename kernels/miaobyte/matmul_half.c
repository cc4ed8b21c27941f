/* SPDX-License-Identifier: MIT */
#define AUTHOR "miaobyte"
#define TYPES(X) HALVES(X)
#define KV_WIDE
#include "vec/halfrow.h"

#define HALF_ROW(S, T, t) \
	static inline void \
	row_##S(const T *a, const T *b, T *c, const struct product *p) \
	{ \
		kv_halfrow_##S(a, b, c, p->n, p->k); \
	}

#include "ref/matmul.c"
