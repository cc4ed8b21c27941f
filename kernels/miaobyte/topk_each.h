/* SPDX-License-Identifier: MIT */
/*
 * topk for one dtype. Included once a dtype, with
 *   T, V, I  element, vector, and vector of integers as wide
 *   NAME(f)  f with the dtype's suffix, as in f_f32
 *   E, V     of halves float and its vector, as which they are compared
 *
 * The best k so far are a heap in the result's own memory, the one that comes
 * last of them at its root.
 */

#ifdef E
#define VALUE(x) NAME(kv_one)(&(x))
#else
#define E T
#define VALUE(x) (x)
#endif

/* Whether element i comes before element j. */
KV_INLINE int
NAME(before)(T left, int64_t i, T right, int64_t j, int largest)
{
	E a = VALUE(left), b = VALUE(right);

	if (a > b || a < b)
		return (a > b) == largest;
	if ((a != a) != (b != b))
		return (a != a) == largest;
	return i < j;
}

/* Puts an element at place `at` of a heap of k, and lets it sink: below are
 * heaps. */
KV_INLINE void
NAME(sink)(T *y, int64_t *index, int64_t k, int64_t step, int64_t at, T v,
    int64_t i, int largest)
{
	for (int64_t next = 2 * at + 1; next < k; next = 2 * at + 1) {
		if (next + 1 < k && NAME(before)(y[next * step],
		    index[next * step], y[(next + 1) * step],
		    index[(next + 1) * step], largest))
			next++;
		if (!NAME(before)(v, i, y[next * step], index[next * step],
		    largest))
			break;
		y[at * step] = y[next * step];
		index[at * step] = index[next * step];
		at = next;
	}
	y[at * step] = v;
	index[at * step] = i;
}

/* The first element from i on that may come before v, by whole vectors. */
KV_INLINE int64_t
NAME(skip)(const T *x, int64_t i, int64_t n, E v, int largest)
{
	for (; i + KV_LANES <= n; i += KV_LANES) {
		V next = NAME(kv_load)(x + i, KV_LANES);
		I may = largest ? ~(next <= v) : ~(next >= v);

		if (any_lane(__builtin_convertvector(may, v8i8)))
			break;
	}
	return i;
}

KV_INLINE void
NAME(topk_line)(const struct topk *s, int64_t line, int largest)
{
	int64_t n = s->n, k = s->k, step = s->inner, outer = line / step;
	const T *x = (const T *)s->x + outer * n * step + line % step;
	T *y = (T *)s->y + outer * k * step + line % step;
	int64_t *index = s->index + outer * k * step + line % step;

	for (int64_t i = k - 1; i >= 0; i--)
		NAME(sink)(y, index, k, step, i, x[i * step], i, largest);
	for (int64_t i = k; i < n; i++) {
		if (step == 1 && i % KV_LANES == 0)
			i = NAME(skip)(x, i, n, VALUE(y[0]), largest);
		if (i < n && NAME(before)(x[i * step], i, y[0], index[0],
		    largest))
			NAME(sink)(y, index, k, step, 0, x[i * step], i,
			    largest);
	}
	for (int64_t i = k - 1; i > 0; i--) {
		T v = y[i * step];
		int64_t at = index[i * step];

		y[i * step] = y[0];
		index[i * step] = index[0];
		NAME(sink)(y, index, i, step, 0, v, at, largest);
	}
}

/* An item is a line. */
static int
NAME(lines)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct topk *s = ctx;

	(void)scratch;
	for (; lo < hi; lo++) {
		if (s->largest)
			NAME(topk_line)(s, lo, 1);
		else
			NAME(topk_line)(s, lo, 0);
	}
	return KVK_OK;
}

static int
NAME(kernel)(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream)
{
	return topk_run(ptr, dim, stream, NAME(lines));
}

#undef T
#undef E
#undef VALUE
#undef V
#undef I
#undef NAME
