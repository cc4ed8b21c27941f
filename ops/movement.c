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

/* Where a slice begins or ends: a negative number counts from the end, and what
 * is outside is at the end. */
static int64_t
slice_end(int64_t v, int64_t n)
{
	if (v < 0)
		v += n;
	return v < 0 ? 0 : v > n ? n : v;
}

int
shape_slice(const struct shape *in, const int64_t with[4], struct shape *out,
    char *why)
{
	int axis = op_axis(in->rank, with[0], why);
	int64_t start, stop;

	if (axis < 0)
		return -1;
	if (with[3] < 1) {
		sprintf(why, "expected a step of 1 or more, found %lld",
		    (long long)with[3]);
		return -1;
	}
	start = slice_end(with[1], in->dim[axis]);
	stop = slice_end(with[2], in->dim[axis]);
	*out = *in;
	out->dim[axis] = stop > start ? (stop - start - 1) / with[3] + 1 : 0;
	return 0;
}

/* Takes one axis as long as both together say, if that can be. */
static int
scale_axis(struct shape *s, int axis, int64_t times, char *why)
{
	if (times < 0) {
		sprintf(why, "expected 0 or more repeats, found %lld",
		    (long long)times);
		return -1;
	}
	if (!__builtin_mul_overflow(s->dim[axis], times, &s->dim[axis]))
		return 0;
	sprintf(why, "axis %d would be longer than 2^63 - 1", axis);
	return -1;
}

int
shape_tile(const struct shape *in, const int64_t *repeats, int n,
    struct shape *out, char *why)
{
	struct shape s = { .rank = n };
	int more = n - in->rank;

	if (more < 0 || n > MAX_RANK) {
		sprintf(why, "expected a number of repeats for each axis, %d to "
		    "%d, found %d", in->rank, MAX_RANK, n);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		s.dim[i] = i < more ? 1 : in->dim[i - more];
		if (scale_axis(&s, i, repeats[i], why))
			return -1;
	}
	*out = s;
	return 0;
}

int
shape_stretch(const struct shape *in, int64_t n, int64_t axis,
    struct shape *out, char *why)
{
	struct shape s = *in;
	int at = op_axis(in->rank, axis, why);

	if (at < 0 || scale_axis(&s, at, n, why))
		return -1;
	*out = s;
	return 0;
}

int
shape_pad(const struct shape *in, const int64_t *pads, int n,
    struct shape *out, char *why)
{
	struct shape s = *in;

	if (n != 2 * in->rank) {
		sprintf(why, "expected %d pads, before and after each axis, "
		    "found %d", 2 * in->rank, n);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		int64_t *extent = &s.dim[i % in->rank];

		if (pads[i] < 0) {
			sprintf(why, "pad %d is negative", i);
			return -1;
		}
		if (__builtin_add_overflow(*extent, pads[i], extent)) {
			sprintf(why, "axis %d would be longer than 2^63 - 1",
			    i % in->rank);
			return -1;
		}
	}
	*out = s;
	return 0;
}

int
shape_triangle(const struct shape *in, struct shape *out, char *why)
{
	if (in->rank < 2) {
		sprintf(why, "expected at least two axes, found %d",
		    in->rank);
		return -1;
	}
	*out = *in;
	return 0;
}

int
shape_select(const struct shape *in, const struct shape *index, int64_t axis,
    struct shape *out, char *why)
{
	struct shape s = { 0 };
	int at = op_axis(in->rank, axis, why), rank = in->rank - 1 + index->rank;

	if (at < 0)
		return -1;
	if (rank > MAX_RANK) {
		sprintf(why, "a tensor has at most %d axes, not %d", MAX_RANK,
		    rank);
		return -1;
	}
	for (int i = 0; i < in->rank; i++) {
		if (i != at)
			s.dim[s.rank++] = in->dim[i];
		for (int k = 0; i == at && k < index->rank; k++)
			s.dim[s.rank++] = index->dim[k];
	}
	*out = s;
	return 0;
}

int
shape_gather(const struct shape *in, const struct shape *index, int64_t axis,
    struct shape *out, char *why)
{
	int at = op_axis(in->rank, axis, why);
	char a[200], b[200];
	bool fits = index->rank == in->rank;

	if (at < 0)
		return -1;
	for (int i = 0; i < in->rank && fits; i++)
		fits = i == at || index->dim[i] <= in->dim[i];
	if (!fits) {
		shape_text(index, a);
		shape_text(in, b);
		sprintf(why, "an index %s for a tensor %s along axis %d",
		    *a ? a : "of one number", b, at);
		return -1;
	}
	*out = *index;
	return 0;
}

int
shape_topk(const struct shape *in, int64_t k, int64_t axis,
    struct shape out[2], char *why)
{
	int at = op_axis(in->rank, axis, why);

	if (at < 0)
		return -1;
	if (k < 0 || k > in->dim[at]) {
		sprintf(why, "expected k from 0 to %lld, found %lld",
		    (long long)in->dim[at], (long long)k);
		return -1;
	}
	out[0] = *in;
	out[0].dim[at] = k;
	out[1] = out[0];
	return 0;
}
