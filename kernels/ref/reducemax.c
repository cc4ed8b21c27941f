/* SPDX-License-Identifier: MIT */
/* NaN if there is one; of nothing the neutral element. */
#define NAME "reducemax"
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X) INTS(X) BOOLS(X)
#endif
#define REDUCE(S, T, get) \
	T most = ref_lowest_##S(); \
	\
	for (int64_t j = 0; j < n; j++) \
		most = ref_max_##S(most, get(x, ref_at(axes, j))); \
	return ref_canon_##S(most);

#include "ref/reduce.h"
