/* SPDX-License-Identifier: MIT */
#include "ops/movement.h"

#include <stdio.h>

#include "ops/ops.h"

int
shape_squeeze(const struct shape *in, const int64_t *axes, int n,
    struct shape *out, char *why)
{
	struct shape s = { 0 };
	bool named[MAX_RANK];

	if (op_axes(in->rank, axes, n, named, why))
		return -1;
	for (int i = 0; i < in->rank; i++) {
		if (named[i] && in->dim[i] == 1)
			continue;
		if (named[i] && n) {
			sprintf(why, "axis %d has length %lld, not 1", i,
			    (long long)in->dim[i]);
			return -1;
		}
		s.dim[s.rank++] = in->dim[i];
	}
	*out = s;
	return 0;
}

int
shape_unsqueeze(const struct shape *in, const int64_t *axes, int n,
    struct shape *out, char *why)
{
	struct shape s = { .rank = in->rank + n };
	bool named[MAX_RANK] = { false };
	int from = 0;

	if (s.rank > MAX_RANK) {
		sprintf(why, "a tensor has at most %d axes, not %d", MAX_RANK,
		    s.rank);
		return -1;
	}
	if (n && op_axes(s.rank, axes, n, named, why))
		return -1;
	for (int i = 0; i < s.rank; i++)
		s.dim[i] = named[i] ? 1 : in->dim[from++];
	*out = s;
	return 0;
}

int
shape_flatten(const struct shape *in, int64_t axis, struct shape *out,
    char *why)
{
	int at = axis == in->rank ? in->rank : op_axis(in->rank, axis, why);
	struct shape part[2] = { { .rank = at }, { .rank = in->rank - at } };
	struct shape s = { .rank = 2 };

	if (at < 0)
		return -1;
	for (int i = 0; i < in->rank; i++)
		part[i >= at].dim[i < at ? i : i - at] = in->dim[i];
	for (int i = 0; i < 2; i++)
		s.dim[i] = shape_count(&part[i], 1);
	if (s.dim[0] < 0 || s.dim[1] < 0) {
		sprintf(why, "an extent is more than 2^63 - 1");
		return -1;
	}
	*out = s;
	return 0;
}
