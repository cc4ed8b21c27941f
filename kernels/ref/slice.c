/* SPDX-License-Identifier: MIT */
/* A movement: along the axis, the elements from start to before stop that are
 * step apart. */
#define NAME "slice"
#define READS 1
#define IN(t) "[*]" t ",int32|int64,int32|int64,int32|int64,int32|int64"
#define ELSE(T) 0
#include "ref/move.h"

static int64_t
ref_from(const int64_t *in, const int64_t *out, const int64_t *attr,
    const int64_t *index)
{
	int64_t axis = ref_axis(in, attr[1]), start = attr[3], step = attr[7];
	int64_t from[REF_MAX_RANK], n = in[1 + axis];

	if (start < 0)
		start = start + n < 0 ? 0 : start + n;
	for (int64_t i = 0; i < out[0]; i++)
		from[i] = i == axis ? start + index[i] * step : index[i];
	return ref_place(in, from);
}
