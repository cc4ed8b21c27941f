/* SPDX-License-Identifier: MIT */
/*
 * The one order in which kernels reduce. The elements are numbered j = 0, 1,
 * ... and cut into chunks of 2,048. In a chunk, element j goes into lane
 * j mod 8; the lanes combine as ((0+4)+(2+6))+((1+5)+(3+7)); the results of
 * the chunks combine level by level, neighbours 2i and 2i+1, where an odd last
 * one passes up.
 *
 * A lane starts with the reduction's neutral element, which changes no bit of
 * what it meets (-0 for a sum, for 0 + -0 is 0), so that a lane without
 * elements counts for nothing.
 */
#ifndef VEC_REDUCE_H
#define VEC_REDUCE_H

#include "vec/base.h"
#include "vec/int.h"

#define KV_CHUNK 2048
/* Enough for 2^63 chunks. */
#define KV_LEVELS 64

typedef v8f kv_op_f32(v8f, v8f);
typedef v8d kv_op_f64(v8d, v8d);

KV_INLINE float
kv_lanes_f32(kv_op_f32 *op, v8f v)
{
	v = op(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7));
	v = op(v, __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3));
	v = op(v, __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1));
	return v[0];
}

KV_INLINE double
kv_lanes_f64(kv_op_f64 *op, v8d v)
{
	v = op(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7));
	v = op(v, __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3));
	v = op(v, __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1));
	return v[0];
}

/*
 * Takes v, the result of one more chunk, into the binary counter `level`, of
 * which `count` chunks are now part, and returns what they all come to.
 */
KV_INLINE float
kv_count_f32(kv_op_f32 *op, float *level, int64_t count, float v)
{
	int64_t bits = count;

	for (; !(bits & 1); bits >>= 1)
		v = op(kv_splat_f32(*level++), kv_splat_f32(v))[0];
	*level = v;
	while (bits >>= 1) {
		level++;
		if (bits & 1)
			v = op(kv_splat_f32(*level), kv_splat_f32(v))[0];
	}
	return v;
}

KV_INLINE double
kv_count_f64(kv_op_f64 *op, double *level, int64_t count, double v)
{
	int64_t bits = count;

	for (; !(bits & 1); bits >>= 1)
		v = op(kv_splat_f64(*level++), kv_splat_f64(v))[0];
	*level = v;
	while (bits >>= 1) {
		level++;
		if (bits & 1)
			v = op(kv_splat_f64(*level), kv_splat_f64(v))[0];
	}
	return v;
}

/*
 * The same for 8 columns at once, each reduced by itself: lane l of them is
 * lane[l * stride], level i level[i * stride]. A tensor of 2^47 bytes has fewer
 * than 2^35 chunks.
 */
#define KV_COLS_LEVELS 36

#define KV_COLS(type, vec)                                                   \
	KV_INLINE vec kv_cols_##type(kv_op_##type *op, vec *level,           \
	    int64_t count, const vec *lane, int64_t stride)                  \
	{                                                                    \
		vec a[KV_LANES], v;                                          \
		for (int l = 0; l < KV_LANES; l++)                           \
			a[l] = lane[l * stride];                             \
		v = op(op(op(a[0], a[4]), op(a[2], a[6])),                   \
		    op(op(a[1], a[5]), op(a[3], a[7])));                     \
		for (; !(count & 1); count >>= 1, level += stride)           \
			v = op(*level, v);                                   \
		*level = v;                                                  \
		while (count >>= 1) {                                        \
			level += stride;                                     \
			if (count & 1)                                       \
				v = op(*level, v);                           \
		}                                                            \
		return v;                                                    \
	}                                                                    \
	struct kv_cols_##type

KV_COLS(f32, v8f);
KV_COLS(f64, v8d);

/* All of this for integers. */
#define KV_INT_REDUCE(S, T, V, U, M) \
	typedef V kv_op_##S(V, V); \
	\
	KV_INLINE V \
	kv_head_##S(V v, int k, T rest) \
	{ \
		const v8i lane = KV_NUMBERS; \
		\
		if (k == KV_LANES) \
			return v; \
		return kv_select_##S(__builtin_convertvector(lane < k, M), \
		    v, kv_splat_##S(rest)); \
	} \
	\
	KV_INLINE T \
	kv_lanes_##S(kv_op_##S *op, V v) \
	{ \
		v = op(v, __builtin_shufflevector( \
		    v, v, 4, 5, 6, 7, 4, 5, 6, 7)); \
		v = op(v, __builtin_shufflevector( \
		    v, v, 2, 3, 2, 3, 2, 3, 2, 3)); \
		v = op(v, __builtin_shufflevector( \
		    v, v, 1, 1, 1, 1, 1, 1, 1, 1)); \
		return v[0]; \
	} \
	\
	KV_INLINE T \
	kv_count_##S(kv_op_##S *op, T *level, int64_t count, T v) \
	{ \
		int64_t bits = count; \
		\
		for (; !(bits & 1); bits >>= 1) \
			v = op(kv_splat_##S(*level++), kv_splat_##S(v))[0]; \
		*level = v; \
		while (bits >>= 1) { \
			level++; \
			if (bits & 1) \
				v = op(kv_splat_##S(*level), \
				    kv_splat_##S(v))[0]; \
		} \
		return v; \
	} \
	\
	KV_COLS(S, V);

KV_INTS(KV_INT_REDUCE)

/* The least and the greatest integer of a dtype. */
#define KV_LOWEST(T) \
	((T)-1 > (T)0 ? (T)0 : (T)(1ULL << (8 * sizeof(T) - 1)))
#define KV_HIGHEST(T) ((T)~KV_LOWEST(T))

/*
 * Defines what a kernel calls for the reduction `name`, whose combining
 * operation is kv_<name>_<type>, for one type:
 *
 * kv_<name>_take(acc, v, k) adds the first k lanes of v to the lanes of acc.
 *
 * kv_<name>_end(v, n) is what n elements come to that were combined to v, in
 * each lane.
 *
 * kv_<name>_fold(level, chunks, n, acc) is called before the first chunk with
 * chunks = 0 and after each chunk with the number of chunks so far; n is how
 * many elements there are in all. It takes the lanes of acc into `level`
 * (KV_LEVELS elements, not initialised), makes acc ready for the next chunk,
 * and returns the result, which counts after the last chunk, or where n is 0.
 *
 * kv_<name>_cols(level, chunks, n, lane, stride) does that for 8 columns, whose
 * elements j are combined in lane[j mod 8 * stride].
 */
#define KV_REDUCTION(name, type, elem, vec, none, empty)                     \
	KV_INLINE vec kv_##name##_end_##type(vec v, int64_t n)               \
	{                                                                    \
		(void)n;                                                     \
		return v;                                                    \
	}                                                                    \
	KV_REDUCTION_ENDED(name, type, elem, vec, none, empty)

/* The same where kv_<name>_end_<type> is defined already. */
#define KV_REDUCTION_ENDED(name, type, elem, vec, none, empty)               \
	KV_INLINE vec kv_##name##_take_##type(vec acc, vec v, int k)         \
	{                                                                    \
		return kv_##name##_##type(acc, kv_head_##type(v, k, none));  \
	}                                                                    \
	KV_INLINE elem kv_##name##_fold_##type(                              \
	    elem *level, int64_t chunks, int64_t n, vec *acc)                \
	{                                                                    \
		elem v = empty;                                              \
		if (chunks) {                                                \
			v = kv_count_##type(kv_##name##_##type, level,       \
			    chunks, kv_lanes_##type(kv_##name##_##type, *acc)); \
			v = kv_##name##_end_##type(kv_splat_##type(v), n)[0]; \
		}                                                            \
		*acc = kv_splat_##type(none);                                \
		return v;                                                    \
	}                                                                    \
	KV_INLINE vec kv_##name##_cols_##type(vec *level, int64_t chunks,    \
	    int64_t n, vec *lane, int64_t stride)                            \
	{                                                                    \
		vec v = kv_splat_##type(empty);                              \
		if (chunks) {                                                \
			v = kv_cols_##type(kv_##name##_##type, level,        \
			    chunks, lane, stride);                           \
			v = kv_##name##_end_##type(v, n);                    \
		}                                                            \
		for (int l = 0; l < KV_LANES; l++)                           \
			lane[l * stride] = kv_splat_##type(none);            \
		return v;                                                    \
	}                                                                    \
	struct kv_##name##_reduction_##type

#endif
