/* SPDX-License-Identifier: MIT */
/* The first index of the largest element; NaN counts as larger than all. */
#define NAME "argmax"
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X)
#endif
#define RESULT(T) int64_t
#define OUT(t) "[*]int64"
#define NEEDS 1
#define REDUCE(S, T, get) \
	int64_t best = 0; \
	\
	for (int64_t j = 1; j < n; j++) { \
		T most = get(x, ref_at(axes, best)); \
		\
		if (!(get(x, ref_at(axes, j)) <= most) && most == most) \
			best = j; \
	} \
	return best;

#include "ref/reduce.h"
