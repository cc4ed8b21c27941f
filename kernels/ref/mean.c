/* SPDX-License-Identifier: MIT */
/* Nearly exact; of nothing NaN. */
#define NAME "mean"
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define REDUCE(S, T, get) \
	long double sum = 0; \
	\
	for (int64_t j = 0; j < n; j++) \
		sum += get(x, ref_at(axes, j)); \
	return ref_canon_##S((T)(sum / n));

#include "ref/reduce.h"
