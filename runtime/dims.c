/* SPDX-License-Identifier: MIT */
#include "runtime/dims.h"

#include <string.h>

#include "include/kvk.h"

enum { MAP_AXES = 4 };

/* Axes of a map while they are merged: extents and steps of each operand. */
struct axes {
	int n, nop;
	int64_t extent[MAX_RANK];
	int64_t step[MAX_RANK][DIMS_OPERANDS];
};

/* Steps of one operand along the axes of the space, 0 where it broadcasts. */
static int
operand_steps(const struct shape *space, const struct shape *s, int64_t *step)
{
	int64_t size = 1;
	int i, at;

	if (s->rank > space->rank)
		return -1;
	for (i = space->rank - 1; i >= 0; i--) {
		at = i - (space->rank - s->rank);
		step[i] = 0;
		if (at < 0)
			continue;
		if (s->dim[at] != 1 && s->dim[at] != space->dim[i])
			return -1;
		if (s->dim[at] != 1)
			step[i] = size;
		size *= s->dim[at];
	}
	return 0;
}

/* Whether the axis inside a can be walked together with a. */
static bool
mergeable(const struct axes *x, int a, const int64_t *step, int64_t extent)
{
	int i;

	for (i = 0; i < x->nop; i++) {
		if (x->step[a][i] != step[i] * extent)
			return false;
	}
	return true;
}

static void
add_axis(struct axes *x, const int64_t *step, int64_t extent)
{
	if (extent == 1)
		return;
	if (x->n > 0 && mergeable(x, x->n - 1, step, extent))
		x->extent[x->n - 1] *= extent;
	else
		x->extent[x->n++] = extent;
	memcpy(x->step[x->n - 1], step, sizeof(x->step[0]));
}

/* The innermost axes into the table, the others into the loop around it. */
static void
put_axes(struct dims *d, const struct axes *x)
{
	int pad = x->n < MAP_AXES ? MAP_AXES - x->n : 0, i, k, from;

	d->nouter = x->n > MAP_AXES ? x->n - MAP_AXES : 0;
	for (i = 0; i < d->nouter; i++) {
		d->outer[i] = x->extent[i];
		memcpy(d->step[i], x->step[i], sizeof(x->step[i]));
	}
	for (i = 0; i < MAP_AXES; i++) {
		from = d->nouter + i - pad;
		d->dim[i] = i < pad ? 1 : x->extent[from];
		for (k = 0; k < x->nop; k++)
			d->dim[MAP_AXES + MAP_AXES * k + i] =
			    i < pad ? 0 : x->step[from][k];
	}
}

int
dims_map(struct dims *d, const struct shape *space,
    const struct shape *const *operand, int n)
{
	int64_t steps[DIMS_OPERANDS][MAX_RANK], step[DIMS_OPERANDS] = { 0 };
	struct axes x = { .nop = n };
	int i, k;

	memset(d, 0, sizeof(*d));
	for (k = 0; k < n; k++) {
		if (operand_steps(space, operand[k], steps[k]))
			return -1;
	}
	for (i = 0; i < space->rank; i++) {
		for (k = 0; k < n; k++)
			step[k] = steps[k][i];
		add_axis(&x, step, space->dim[i]);
	}
	put_axes(d, &x);
	return 0;
}

void
dims_flat(struct dims *d, int64_t count, int n)
{
	int i, k;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < MAP_AXES; i++) {
		d->dim[i] = i < MAP_AXES - 1 ? 1 : count;
		for (k = 0; k < n; k++)
			d->dim[MAP_AXES + MAP_AXES * k + i] =
			    i == MAP_AXES - 1 && count != 1;
	}
}

/* Elements over the axes before the last one. */
static int64_t
leading_count(const struct shape *s)
{
	int64_t count = 1;
	int i;

	for (i = 0; i + 1 < s->rank; i++)
		count *= s->dim[i];
	return count;
}

/* Whether the operand's axes before the last equal those of the space. */
static bool
leading_eq(const struct shape *space, const struct shape *s)
{
	int i, shift = space->rank - s->rank;

	if (shift < 0)
		return false;
	for (i = 0; i < shift && i + 1 < space->rank; i++) {
		if (space->dim[i] != 1)
			return false;
	}
	for (i = 0; i + 1 < s->rank; i++) {
		if (s->dim[i] != space->dim[shift + i])
			return false;
	}
	return true;
}

static int
row_step(const struct shape *space, const struct shape *s, bool along,
    int64_t *step)
{
	int64_t n = space->rank ? space->dim[space->rank - 1] : 1;
	int64_t last = s->rank ? s->dim[s->rank - 1] : 1;

	if (along ? last != n : last != 1)
		return -1;
	if (leading_count(s) == 1 && !leading_eq(space, s))
		*step = 0;
	else if (leading_eq(space, s))
		*step = along ? n : 1;
	else
		return -1;
	return 0;
}

int
dims_rows(struct dims *d, const struct shape *space,
    const struct shape *const *operand, const bool *along, int n)
{
	int i;

	memset(d, 0, sizeof(*d));
	d->dim[0] = leading_count(space);
	d->n = d->dim[1] = space->rank ? space->dim[space->rank - 1] : 1;
	for (i = 0; i < n; i++) {
		if (row_step(space, operand[i], along[i], &d->dim[2 + i]))
			return -1;
	}
	return 0;
}

int
dims_cols(struct dims *d, const struct shape *space, int axis,
    const struct shape *const *operand, const bool *along, int n)
{
	struct shape column = *space;
	int64_t inner;
	int i;

	memset(d, 0, sizeof(*d));
	column.dim[axis] = 1;
	d->dim[0] = d->dim[2] = 1;
	for (i = 0; i < space->rank; i++)
		d->dim[i < axis ? 0 : i == axis ? 1 : 2] *= i == axis ? 1 :
		    space->dim[i];
	d->dim[1] = space->dim[axis];
	inner = d->dim[2];
	d->n = d->dim[1] * (inner < KVK_COLS_WIDTH ? inner : KVK_COLS_WIDTH);
	for (i = 0; i < n; i++) {
		const struct shape *s = operand[i];

		if (along[i] ? !shape_eq(s, space) :
		    s->rank > 0 && !shape_eq(s, &column))
			return -1;
		d->dim[3 + i] = along[i] ? d->dim[1] * inner :
		    s->rank > 0 ? inner : 0;
	}
	return 0;
}

/* Runs of adjacent axes of one kind, innermost first. */
struct runs {
	int n;
	int64_t extent[MAX_RANK], step[MAX_RANK];
};

static void
add_run(struct runs *r, int64_t extent, int64_t step, bool begins)
{
	if (begins) {
		r->extent[r->n] = 1;
		r->step[r->n++] = step;
	}
	r->extent[r->n - 1] *= extent;
}

/* How many elements the runs have, and the runs themselves, outermost first,
 * into the table from `at` on; returns where it ends. */
static int64_t *
put_runs(const struct runs *r, int64_t *count, int64_t *at)
{
	int i;

	*count = 1;
	*at++ = r->n;
	for (i = r->n - 1; i >= 0; i--) {
		*count *= r->extent[i];
		*at++ = r->extent[i];
		*at++ = r->step[i];
	}
	return at;
}

void
dims_reduce(struct dims *d, const struct shape *in, const bool *reduced)
{
	struct runs run[2] = { { .n = 0 }, { .n = 0 } }; /* kept, reduced */
	int64_t step = 1, inner = 1, *at;
	int i, last = -1;

	memset(d, 0, sizeof(*d));
	for (i = in->rank - 1; i >= 0; i--) {
		int kind = reduced[i];

		if (in->dim[i] == 1)
			continue;
		if (!kind && run[1].n == 0)
			inner *= in->dim[i];
		else
			add_run(&run[kind], in->dim[i], step, kind != last);
		last = kind;
		step *= in->dim[i];
	}
	if (run[1].n == 0)
		add_run(&run[1], 1, inner, true);
	if (run[0].n == 0)
		add_run(&run[0], 1, step, true);
	at = put_runs(&run[1], &d->dim[1], &d->dim[3]);
	put_runs(&run[0], &d->dim[0], at);
	d->dim[2] = inner;
	d->n = d->dim[1];
}

void
dims_other(struct dims *d, const struct shape *const *operand, int n,
    const int64_t *const *attr, const int *len, int nattr)
{
	int64_t *at = d->dim;
	int i, k;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < n; i++) {
		*at++ = operand[i]->rank;
		for (k = 0; k < operand[i]->rank; k++)
			*at++ = operand[i]->dim[k];
	}
	for (i = 0; i < nattr; i++) {
		if (!attr[i])
			continue;
		*at++ = len[i];
		for (k = 0; k < len[i]; k++)
			*at++ = attr[i][k];
	}
}
