/* SPDX-License-Identifier: MIT */
/* The matrices of a product, as matmul finds them in its operands. */
#ifndef REF_PRODUCT_H
#define REF_PRODUCT_H

#include "ref/other.h"

/*
 * C rows of n elements: the row r is one of A's, of k elements, times B. The
 * element at a row and a column of a matrix is its row step times the one plus
 * its column step times the other further on.
 */
struct product {
	void *const *ptr;
	const int64_t *a, *b, *c; /* dims */
	int64_t m, n, k;
	int64_t a_row, a_col, b_row, b_col;
};

static inline struct product
product_of(void *const *ptr, const int64_t *dim)
{
	const int64_t *a = dim, *b = ref_next(a), *c = ref_next(b);

	int64_t m = a[0] > 1 ? a[a[0] - 1] : 1, n = b[0] > 1 ? b[b[0]] : 1;
	int64_t k = a[a[0]];

	return (struct product){ ptr, a, b, c, m, n, k, k, 1, n, 1 };
}

/* Of matrices, with each of B transposed. */
static inline struct product
product_nt(void *const *ptr, const int64_t *dim)
{
	const int64_t *a = dim, *b = ref_next(a), *c = ref_next(b);
	int64_t m = a[a[0] - 1], n = b[b[0] - 1], k = a[a[0]];

	return (struct product){ ptr, a, b, c, m, n, k, k, 1, 1, k };
}

/* The same with each of A transposed. */
static inline struct product
product_tn(void *const *ptr, const int64_t *dim)
{
	const int64_t *a = dim, *b = ref_next(a), *c = ref_next(b);
	int64_t m = a[a[0]], n = b[b[0]], k = a[a[0] - 1];

	return (struct product){ ptr, a, b, c, m, n, k, 1, m, n, 1 };
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
