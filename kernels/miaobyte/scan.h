/* SPDX-License-Identifier: MIT */
/*
 * Running sums for one dtype. Included once a dtype, with
 *   T, V     element and vector of 8
 *   E        element of a vector, if that is not T
 *   NAME(f)  f with the dtype's suffix, as in f_f32
 * Sums follow each other in the order of the axis, so several lines are summed at
 * once: neighbouring columns, or 8 rows that are turned into columns in
 * registers.
 */

#ifndef E
#define E T
#endif

/* Element c of row r has the number 8 r + c; this turns the bits of all numbers
 * left by one. */
KV_INLINE void
NAME(shuffle)(V *to, const V *from)
{
	_Pragma("clang loop unroll(full)")
	for (int i = 0; i < 4; i++) {
		to[2 * i] = __builtin_shufflevector(from[i], from[i + 4],
		    0, 8, 1, 9, 2, 10, 3, 11);
		to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + 4],
		    4, 12, 5, 13, 6, 14, 7, 15);
	}
}

KV_INLINE void
NAME(turn)(V *to, const V *from)
{
	V a[KV_LANES], b[KV_LANES];

	NAME(shuffle)(a, from);
	NAME(shuffle)(b, a);
	NAME(shuffle)(to, b);
}

/* Goes on with the sum of a line over n elements that are `step` apart. */
KV_INLINE E
NAME(scan_line)(const T *x, T *y, int64_t n, int64_t step, int exclusive,
    E sum)
{
	for (int64_t j = 0; j < n; j++) {
		E before = sum;

		sum = (E)(sum + NAME(ref_get)(x, j * step));
		y[j * step] = NAME(ref_put)(NAME(ref_canon)(
		    exclusive ? before : sum));
	}
	return sum;
}

/* 8 elements of each of 8 rows, which are n apart. */
KV_INLINE V
NAME(scan_square)(const T *x, T *y, int64_t n, int reverse, int exclusive,
    V sum)
{
	V a[KV_LANES], b[KV_LANES];

	_Pragma("clang loop unroll(full)")
	for (int i = 0; i < KV_LANES; i++)
		a[i] = NAME(kv_load)(x + i * n, KV_LANES);
	NAME(turn)(b, a);
	_Pragma("clang loop unroll(full)")
	for (int i = 0; i < KV_LANES; i++) {
		int k = reverse ? KV_LANES - 1 - i : i;
		V before = sum;

		sum += b[k];
		b[k] = exclusive ? before : sum;
	}
	NAME(turn)(a, b);
	_Pragma("clang loop unroll(full)")
	for (int i = 0; i < KV_LANES; i++)
		NAME(kv_store)(y + i * n, a[i], KV_LANES);
	return sum;
}

/* 8 rows; what is no whole vector comes last, or first in reverse. */
KV_INLINE void
NAME(scan_rows)(const T *x, T *y, int64_t n, int reverse, int exclusive)
{
	int64_t whole = n / KV_LANES * KV_LANES, rest = n - whole;
	V sum = NAME(kv_splat)(exclusive ? (E)0 : (E)-0.0);

	if (reverse)
		for (int i = 0; i < KV_LANES; i++)
			sum[i] = NAME(scan_line)(x + i * n + n - 1,
			    y + i * n + n - 1, rest, -1, exclusive, sum[i]);
	for (int64_t j = 0; j < whole; j += KV_LANES) {
		int64_t at = reverse ? whole - KV_LANES - j : j;

		sum = NAME(scan_square)(x + at, y + at, n, reverse, exclusive,
		    sum);
	}
	if (!reverse)
		for (int i = 0; i < KV_LANES; i++)
			NAME(scan_line)(x + i * n + whole, y + i * n + whole,
			    rest, 1, exclusive, sum[i]);
}

/* An item is a row. */
static int
NAME(rows)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct scan *s = ctx;
	int64_t n = s->n, last = s->reverse ? n - 1 : 0;

	(void)scratch;
	for (; lo + KV_LANES <= hi; lo += KV_LANES) {
		const T *x = (const T *)s->x + lo * n;
		T *y = (T *)s->y + lo * n;

		if (s->reverse)
			NAME(scan_rows)(x, y, n, 1, s->exclusive);
		else
			NAME(scan_rows)(x, y, n, 0, s->exclusive);
	}
	for (; lo < hi; lo++)
		NAME(scan_line)((const T *)s->x + lo * n + last,
		    (T *)s->y + lo * n + last, n, s->reverse ? -1 : 1,
		    s->exclusive, s->exclusive ? (E)0 : (E)-0.0);
	return KVK_OK;
}

/* `groups` vectors of columns, the last of k elements. */
KV_INLINE void
NAME(scan_columns)(const struct scan *s, int64_t at, int groups, int k)
{
	int64_t step = s->reverse ? -s->inner : s->inner;
	const T *x = (const T *)s->x + at;
	T *y = (T *)s->y + at;
	V sum[BLOCK];

	for (int i = 0; i < groups; i++)
		sum[i] = NAME(kv_splat)(s->exclusive ? (E)0 : (E)-0.0);
	for (int64_t j = 0; j < s->n; j++, x += step, y += step) {
		for (int i = 0; i < groups; i++) {
			int m = i < groups - 1 ? KV_LANES : k;
			V before = sum[i];

			sum[i] += NAME(kv_load)(x + i * KV_LANES, m);
			NAME(kv_store)(y + i * KV_LANES,
			    s->exclusive ? before : sum[i], m);
		}
	}
}

/* An item is BLOCK vectors of columns of one outer index. */
static int
NAME(columns)(void *ctx, int64_t lo, int64_t hi, void *scratch)
{
	const struct scan *s = ctx;
	int64_t last = s->reverse ? (s->n - 1) * s->inner : 0;

	(void)scratch;
	for (; lo < hi; lo++) {
		int64_t first = lo % s->blocks * BLOCK * KV_LANES;
		int64_t at = lo / s->blocks * s->n * s->inner + first + last;
		int64_t left = s->inner - first;

		for (; left >= BLOCK * KV_LANES; left = 0)
			NAME(scan_columns)(s, at, BLOCK, KV_LANES);
		for (; left > 0; left -= KV_LANES, at += KV_LANES)
			NAME(scan_columns)(s, at, 1, left < KV_LANES ?
			    (int)left : KV_LANES);
	}
	return KVK_OK;
}

static int
NAME(kernel)(void *const *ptr, const int64_t *dim,
    const struct kvk_stream *stream)
{
	return scan_run(ptr, dim, stream, NAME(rows), NAME(columns));
}

#undef T
#undef E
#undef V
#undef NAME
