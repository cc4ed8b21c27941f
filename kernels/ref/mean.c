/* SPDX-License-Identifier: MIT */
/* Nearly exact; of nothing NaN. */
#define NAME "mean"
#ifndef TYPES
#define TYPES(X) FLOATS(X)
#endif
#define REDUCE(S, T) \
	long double sum = 0; \
	\
	for (int64_t j = 0; j < n; j++) \
		sum += x[ref_at(axes, j)]; \
	return ref_canon_##S((T)(sum / n));

#include "ref/reduce.h"
