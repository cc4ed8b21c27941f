/* SPDX-License-Identifier: MIT */
/* The matrices of a product, as matmul finds them in its operands. */
#ifndef REF_PRODUCT_H
#define REF_PRODUCT_H

#include "ref/other.h"

/* C rows of n elements: the row r is one of A's, of k elements, times B. */
struct product {
	void *const *ptr;
	const int64_t *a, *b, *c; /* dims */
	int64_t m, n, k;
};

static inline struct product
product_of(void *const *ptr, const int64_t *dim)
{
	const int64_t *a = dim, *b = ref_next(a), *c = ref_next(b);

	return (struct product){ .ptr = ptr, .a = a, .b = b, .c = c,
		.m = a[0] > 1 ? a[a[0] - 1] : 1,
		.n = b[0] > 1 ? b[b[0]] : 1,
		.k = a[a[0]] };
}

/* Which matrix of an operand belongs to matrix t of the result: axes before
 * the last two, counted from the end. */
static inline int64_t
product_at(const struct product *p, const int64_t *own, int64_t t)
{
	int64_t axes = p->c[0] - (p->a[0] > 1) - (p->b[0] > 1);
	int64_t at = 0, size = 1;

	for (int64_t i = 0; i < axes && i < own[0] - 2; i++) {
		int64_t extent = own[own[0] - 2 - i], all = p->c[axes - i];

		at += extent == 1 ? 0 : t % all * size;
		size *= extent;
		t /= all;
	}
	return at;
}

#endif
