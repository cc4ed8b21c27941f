/* SPDX-License-Identifier: MIT */
/*
 * What every kernel is made of: vectors of 8 elements, loads and stores of 1
 * or more of them, select, fma, rint and floor. Every function gives the same
 * bits on every instruction set; where the hardware lacks an operation it is
 * computed exactly, however slow that is.
 *
 * Nothing here calls a library. The compiler must not contract expressions
 * (-ffp-contract=off): an fma happens only where kv_fma_* is written.
 */
#ifndef VEC_BASE_H
#define VEC_BASE_H

#include "kvk.h"

#define KV_INLINE static inline __attribute__((always_inline))
/* For what is too long to be copied into every place that uses it. */
#define KV_CALLED static inline __attribute__((noinline))

/*
 * Reductions are in an order of 8 lanes. A kernel without any asks with KV_WIDE
 * for vectors as long as the registers of AVX-512: then all types below have 16
 * elements, and each function gives the same for each of them. What is not
 * there: the order of vec/reduce.h.
 */
#if defined KV_WIDE && defined __AVX512F__
#define KV_LANES 16
#define KV_ALL(x) { x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x }
#define KV_NUMBERS { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }
#else
#define KV_LANES 8
#define KV_ALL(x) { x, x, x, x, x, x, x, x }
#define KV_NUMBERS { 0, 1, 2, 3, 4, 5, 6, 7 }
#endif

#define KV_VECTOR(elem) __attribute__((vector_size(KV_LANES * sizeof(elem))))

typedef float v8f KV_VECTOR(float);
typedef double v8d KV_VECTOR(double);
typedef int v8i KV_VECTOR(int);
typedef int64_t v8l KV_VECTOR(int64_t);

KV_INLINE v8f
kv_splat_f32(float x)
{
	return (v8f)KV_ALL(x);
}

KV_INLINE v8d
kv_splat_f64(double x)
{
	return (v8d)KV_ALL(x);
}

/* A mask is what a comparison of vectors gives: all bits of a lane or none. */
KV_INLINE v8f
kv_select_f32(v8i mask, v8f a, v8f b)
{
	return (v8f)((mask & (v8i)a) | (~mask & (v8i)b));
}

KV_INLINE v8d
kv_select_f64(v8l mask, v8d a, v8d b)
{
	return (v8d)((mask & (v8l)a) | (~mask & (v8l)b));
}

KV_INLINE v8f
kv_abs_f32(v8f x)
{
	return (v8f)((v8i)x & 0x7fffffff);
}

KV_INLINE v8d
kv_abs_f64(v8d x)
{
	return (v8d)((v8l)x & 0x7fffffffffffffff);
}

/* Whether any lane of the mask is set. */
KV_INLINE int
kv_any_f32(v8i mask)
{
#if KV_LANES == 16
	return __builtin_ia32_cmpd512_mask(mask, (v8i){ 0 }, 1, 0xffff) != 0;
#elif defined __AVX__
	return __builtin_ia32_movmskps256((v8f)mask);
#else
	typedef float v4f __attribute__((vector_size(16)));
	v8f m = (v8f)mask;
	v4f lo = __builtin_shufflevector(m, m, 0, 1, 2, 3);
	v4f hi = __builtin_shufflevector(m, m, 4, 5, 6, 7);

	return __builtin_ia32_movmskps(lo) | __builtin_ia32_movmskps(hi);
#endif
}

KV_INLINE int
kv_any_f64(v8l mask)
{
#if KV_LANES == 16
	return kv_any_f32(__builtin_convertvector(mask, v8i));
#else
	typedef int v16i __attribute__((vector_size(64)));
	v16i m = (v16i)mask;

	return kv_any_f32(__builtin_shufflevector(
	    m, m, 1, 3, 5, 7, 9, 11, 13, 15));
#endif
}

/*
 * Copies k < KV_LANES elements of `size` bytes in pieces of 8, 4, 2 and 1, so
 * that neither side is touched past its k-th element.
 */
KV_INLINE void
kv_copy(void *to, const void *from, int k, int size)
{
	char *t = to;
	const char *f = from;

	if (KV_LANES > 8 && (k & 8)) {
		__builtin_memcpy(t, f, 8 * (unsigned)size);
		t += 8 * size;
		f += 8 * size;
	}
	if (k & 4) {
		__builtin_memcpy(t, f, 4 * (unsigned)size);
		t += 4 * size;
		f += 4 * size;
	}
	if (k & 2) {
		__builtin_memcpy(t, f, 2 * (unsigned)size);
		t += 2 * size;
		f += 2 * size;
	}
	if (k & 1)
		__builtin_memcpy(t, f, (unsigned)size);
}

/*
 * The first k < KV_LANES elements at p, the other lanes 0. By way of memory a
 * load would have to wait for the smaller stores of the copy.
 */
#if KV_LANES == 16

KV_INLINE v8f
kv_load_part_f32(const float *p, int k)
{
	return __builtin_ia32_loadups512_mask(p, (v8f){ 0 },
	    (unsigned short)((1 << k) - 1));
}

KV_INLINE v8d
kv_load_part_f64(const double *p, int k)
{
	v8d v = { 0 };

	kv_copy(&v, p, k, sizeof *p);
	return v;
}

#elif defined __AVX2__

KV_INLINE v8f
kv_load_part_f32(const float *p, int k)
{
	const v8i lane = KV_NUMBERS;

	return __builtin_ia32_maskloadps256((const v8f *)p, lane < k);
}

KV_INLINE v8d
kv_load_part_f64(const double *p, int k)
{
	typedef double v4d __attribute__((vector_size(32)));
	typedef int64_t v4l __attribute__((vector_size(32)));
	const v4l lane = { 0, 1, 2, 3 };
	v4d lo = __builtin_ia32_maskloadpd256((const v4d *)p, lane < k);
	v4d hi = __builtin_ia32_maskloadpd256(
	    (const v4d *)(p + 4), lane < k - 4);

	return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
}

#else

KV_INLINE v8f
kv_load_part_f32(const float *p, int k)
{
	v8f v = { 0 };

	kv_copy(&v, p, k, sizeof *p);
	return v;
}

KV_INLINE v8d
kv_load_part_f64(const double *p, int k)
{
	v8d v = { 0 };

	kv_copy(&v, p, k, sizeof *p);
	return v;
}

#endif

/* The k elements at p, 1 <= k <= KV_LANES; the other lanes are 0. */
KV_INLINE v8f
kv_load_f32(const float *p, int k)
{
	v8f v;

	if (k != KV_LANES)
		return kv_load_part_f32(p, k);
	__builtin_memcpy(&v, p, sizeof v);
	return v;
}

KV_INLINE v8d
kv_load_f64(const double *p, int k)
{
	v8d v;

	if (k != KV_LANES)
		return kv_load_part_f64(p, k);
	__builtin_memcpy(&v, p, sizeof v);
	return v;
}

/*
 * Asks for memory before it is needed. kv_fetch: what is 2 KiB further on than
 * p, where loads of the same operand will come soon; this may be past its end,
 * which asking does not touch. kv_fetch_store: the same for stores, 1 KiB further
 * on. kv_fetch_out: what a later phase stores at p.
 */
KV_INLINE void
kv_fetch(const void *p)
{
	__builtin_prefetch((const void *)((uint64_t)p + 2048));
}

KV_INLINE void
kv_fetch_store(void *p)
{
	__builtin_prefetch((void *)((uint64_t)p + 1024), 1);
}

KV_INLINE void
kv_fetch_out(void *p)
{
	__builtin_prefetch(p, 1);
}

/* Makes `to` KV_LANES copies of the element at p, its bytes as they are. */
KV_INLINE const float *
kv_fill_f32(float *to, const float *p)
{
	for (int i = 0; i < KV_LANES; i++)
		__builtin_memcpy(&to[i], p, sizeof *p);
	return to;
}

KV_INLINE const double *
kv_fill_f64(double *to, const double *p)
{
	for (int i = 0; i < KV_LANES; i++)
		__builtin_memcpy(&to[i], p, sizeof *p);
	return to;
}

/* Stores the first k lanes, their bytes as they are. */
KV_INLINE void
kv_put_f32(float *p, v8f v, int k)
{
	if (k == KV_LANES)
		__builtin_memcpy(p, &v, sizeof v);
	else
		kv_copy(p, &v, k, sizeof *p);
}

KV_INLINE void
kv_put_f64(double *p, v8d v, int k)
{
	if (k == KV_LANES)
		__builtin_memcpy(p, &v, sizeof v);
	else
		kv_copy(p, &v, k, sizeof *p);
}

/* Stores the first k lanes, every NaN as the one canonical quiet NaN. */
KV_INLINE void
kv_store_f32(float *p, v8f v, int k)
{
	kv_put_f32(p, kv_select_f32(v != v, kv_splat_f32(__builtin_nanf("")), v),
	    k);
}

KV_INLINE void
kv_store_f64(double *p, v8d v, int k)
{
	kv_put_f64(p, kv_select_f64(v != v, kv_splat_f64(__builtin_nan("")), v),
	    k);
}

/*
 * Stores past the caches, which pay where all operands of a call together are
 * more than caches hold: what is stored need not be read first, nor drives out
 * what is read. Only whole vectors at multiples of their size pass. After the
 * last one comes kv_past_end.
 */
#ifndef KV_PAST
#define KV_PAST (24 << 20)
#endif

/* Whether a call of class map with these extents, of elements of `size` bytes,
 * does so. Where a result is over an input its line is in the cache anyway. */
KV_INLINE int
kv_past(void *const *ptr, int nin, int nout, const int64_t *dim, int size)
{
	int past = dim[0] * dim[1] * dim[2] * dim[3] * size * (nin + nout) >
	    KV_PAST;

	for (int64_t i = 0; i < nin; i++)
		for (int64_t o = nin; o < nin + nout; o++)
			past &= ptr[i] != ptr[o];
	return past;
}

/* Whether a vector of elements of `size` bytes at p may pass. */
KV_INLINE int
kv_past_at(const void *p, int size)
{
	return (uint64_t)p % (KV_LANES * (unsigned)size) == 0;
}

KV_INLINE void
kv_past_end(void)
{
	__builtin_ia32_sfence();
}

KV_INLINE void
kv_put_past_f32(float *p, v8f v, int k, int past)
{
	if (past && k == KV_LANES)
		__builtin_nontemporal_store(v, (v8f *)p);
	else
		kv_put_f32(p, v, k);
}

KV_INLINE void
kv_put_past_f64(double *p, v8d v, int k, int past)
{
	if (past && k == KV_LANES)
		__builtin_nontemporal_store(v, (v8d *)p);
	else
		kv_put_f64(p, v, k);
}

KV_INLINE void
kv_store_past_f32(float *p, v8f v, int k, int past)
{
	kv_put_past_f32(p, kv_select_f32(v != v,
	    kv_splat_f32(__builtin_nanf("")), v), k, past);
}

KV_INLINE void
kv_store_past_f64(double *p, v8d v, int k, int past)
{
	kv_put_past_f64(p, kv_select_f64(v != v,
	    kv_splat_f64(__builtin_nan("")), v), k, past);
}

/*
 * For a row whose vectors are stored with kv_put, because a look at each of
 * them would cost too much: NaN in every lane where seen or v has one. It may
 * be NaN where neither is, and no lane of v is left out.
 */
KV_INLINE v8f
kv_mark_f32(v8f seen, v8f v)
{
	return seen + v;
}

KV_INLINE v8d
kv_mark_f64(v8d seen, v8d v)
{
	return seen + v;
}

/* Makes every NaN the canonical one. */
KV_CALLED void
kv_canon_row_f32(float *p, int64_t n)
{
	_Pragma("clang loop vectorize(disable) unroll(disable)")
	for (int64_t i = 0; i < n; i++)
		p[i] = p[i] != p[i] ? __builtin_nanf("") : p[i];
}

KV_CALLED void
kv_canon_row_f64(double *p, int64_t n)
{
	_Pragma("clang loop vectorize(disable) unroll(disable)")
	for (int64_t i = 0; i < n; i++)
		p[i] = p[i] != p[i] ? __builtin_nan("") : p[i];
}

/*
 * Called before the first chunk of the row of n elements at p with chunks = 0,
 * when it sets *seen, after each chunk, and after the last one with `last` set:
 * then the row is as if it had been stored with kv_store.
 */
KV_INLINE void
kv_canon_f32(v8f *seen, int64_t chunks, int last, float *p, int64_t n)
{
	if (!chunks)
		*seen = kv_splat_f32(0);
	if (last && __builtin_expect(kv_any_f32(*seen != *seen), 0))
		kv_canon_row_f32(p, n);
}

KV_INLINE void
kv_canon_f64(v8d *seen, int64_t chunks, int last, double *p, int64_t n)
{
	if (!chunks)
		*seen = kv_splat_f64(0);
	if (last && __builtin_expect(kv_any_f64(*seen != *seen), 0))
		kv_canon_row_f64(p, n);
}

/* The first k lanes of v, `rest` in the others. */
KV_INLINE v8f
kv_head_f32(v8f v, int k, float rest)
{
	const v8i lane = KV_NUMBERS;

	if (k == KV_LANES)
		return v;
	return kv_select_f32(lane < k, v, kv_splat_f32(rest));
}

KV_INLINE v8d
kv_head_f64(v8d v, int k, double rest)
{
	const v8l lane = KV_NUMBERS;

	if (k == KV_LANES)
		return v;
	return kv_select_f64(lane < (int64_t)k, v, kv_splat_f64(rest));
}

#if KV_LANES == 16

/* 4: rounded as the control register says. */
KV_INLINE v8f
kv_fma_f32(v8f a, v8f b, v8f c)
{
	return __builtin_ia32_vfmaddps512_mask(a, b, c, 0xffff, 4);
}

KV_INLINE v8d
kv_fma_f64(v8d a, v8d b, v8d c)
{
#define KV_LO(v) __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)
#define KV_HI(v) __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)
	return __builtin_shufflevector(
	    __builtin_ia32_vfmaddpd512_mask(KV_LO(a), KV_LO(b), KV_LO(c), 255, 4),
	    __builtin_ia32_vfmaddpd512_mask(KV_HI(a), KV_HI(b), KV_HI(c), 255, 4),
	    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#undef KV_LO
#undef KV_HI
}

#elif defined __FMA__

KV_INLINE v8f
kv_fma_f32(v8f a, v8f b, v8f c)
{
	return __builtin_ia32_vfmaddps256(a, b, c);
}

KV_INLINE v8d
kv_fma_f64(v8d a, v8d b, v8d c)
{
#define KV_LO(v) __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define KV_HI(v) __builtin_shufflevector(v, v, 4, 5, 6, 7)
	return __builtin_shufflevector(
	    __builtin_ia32_vfmaddpd256(KV_LO(a), KV_LO(b), KV_LO(c)),
	    __builtin_ia32_vfmaddpd256(KV_HI(a), KV_HI(b), KV_HI(c)),
	    0, 1, 2, 3, 4, 5, 6, 7);
#undef KV_LO
#undef KV_HI
}

#else

/*
 * In double the product is exact. The sum is rounded to odd: where it is
 * inexact and its last bit is 0, it moves one step towards the part that was
 * lost. Rounding that to float then gives what a single rounding would.
 */
KV_CALLED v8f
kv_fma_f32(v8f a, v8f b, v8f c)
{
	typedef uint64_t v8u __attribute__((vector_size(64)));
	v8d p = __builtin_convertvector(a, v8d) *
	    __builtin_convertvector(b, v8d);
	v8d z = __builtin_convertvector(c, v8d);
	v8d s = p + z, t = s - p;
	v8d lost = (p - (s - t)) + (z - t);
	v8u even = ~(v8u)s & 1;
	v8u towards_zero = ((v8u)lost ^ (v8u)s) >> 63;
	v8u step = even - ((even & towards_zero) << 1);
	v8u inexact = (v8u)(kv_abs_f64(lost) > 0);

	return __builtin_convertvector((v8d)((v8u)s + (step & inexact)), v8f);
}

struct kv_soft {
	unsigned __int128 m; /* bit 125 is the highest one */
	int e;               /* the value is m * 2^(e - 125) */
	uint64_t sign;
};

KV_INLINE int
kv_clz128(unsigned __int128 m)
{
	uint64_t hi = (uint64_t)(m >> 64);

	return hi ? __builtin_clzll(hi) : 64 + __builtin_clzll((uint64_t)m);
}

/* A finite number other than 0. */
KV_INLINE struct kv_soft
kv_unpack(double x)
{
	uint64_t u, m;
	int e, up;

	__builtin_memcpy(&u, &x, sizeof u);
	m = u & 0xfffffffffffff;
	e = (int)(u >> 52 & 0x7ff);
	if (e)
		m |= 1ULL << 52;
	else
		e = 1;
	up = __builtin_clzll(m) - 2;
	return (struct kv_soft){ (unsigned __int128)m << (64 + up),
		e - 1023 + 9 - up, u >> 63 << 63 };
}

/* Rounds to nearest, ties to even, denormals and overflow included. */
KV_INLINE double
kv_pack(struct kv_soft s)
{
	int drop = 125 - 52;
	uint64_t u;
	unsigned __int128 rest, half;
	double x;

	if (s.e < -1022)
		drop += -1022 - s.e;
	if (drop > 127)
		drop = 127;
	u = (uint64_t)(s.m >> drop);
	rest = s.m & (((unsigned __int128)1 << drop) - 1);
	half = (unsigned __int128)1 << (drop - 1);
	u += rest > half || (rest == half && (u & 1));
	if (s.e >= -1022)
		u += (uint64_t)(s.e + 1022) << 52;
	if (u >= 0x7ff0000000000000)
		u = 0x7ff0000000000000;
	u |= s.sign;
	__builtin_memcpy(&x, &u, sizeof x);
	return x;
}

KV_CALLED double
kv_fma_soft(double a, double b, double c)
{
	struct kv_soft x, y, p, q;
	int up, d;

	if (a - a != 0 || b - b != 0 || a == 0 || b == 0)
		return a * b + c;
	if (c - c != 0)
		return c;
	if (c == 0)
		return a * b;
	x = kv_unpack(a);
	y = kv_unpack(b);
	p.m = (x.m >> 73) * (y.m >> 73);
	up = kv_clz128(p.m) - 2;
	p.m <<= up;
	p.e = x.e + y.e + 21 - up;
	p.sign = x.sign ^ y.sign;
	q = kv_unpack(c);
	if (p.e < q.e || (p.e == q.e && p.m < q.m)) {
		struct kv_soft t = p;

		p = q;
		q = t;
	}
	/* What the shift drops stays as one bit far below the rounding. */
	d = p.e - q.e;
	if (d > 127)
		d = 127;
	q.m = q.m >> d | ((q.m & (((unsigned __int128)1 << d) - 1)) != 0);
	p.m = p.sign == q.sign ? p.m + q.m : p.m - q.m;
	if (!p.m)
		return 0;
	up = kv_clz128(p.m) - 2;
	if (up < 0)
		p.m = p.m >> 1 | (p.m & 1);
	else
		p.m <<= up;
	p.e -= up;
	return kv_pack(p);
}

KV_INLINE v8d
kv_fma_f64(v8d a, v8d b, v8d c)
{
	v8d r = c;

	for (int i = 0; i < KV_LANES; i++)
		r[i] = kv_fma_soft(a[i], b[i], c[i]);
	return r;
}

#endif

/*
 * To the nearest integer, ties to even. From 2^23 (2^52) on every number is
 * one; below, adding and taking away that power of two rounds. The sign of a
 * zero is kept.
 */
KV_INLINE v8f
kv_rint_f32(v8f x)
{
	v8i sign = (v8i)x & (int)0x80000000;
	v8f big = (v8f)((v8i)kv_splat_f32(0x1p23f) | sign);
	v8f r = (v8f)((v8i)((x + big) - big) | sign);

	return kv_select_f32(kv_abs_f32(x) < 0x1p23f, r, x);
}

KV_INLINE v8d
kv_rint_f64(v8d x)
{
	v8l sign = (v8l)x & (int64_t)(1ULL << 63);
	v8d big = (v8d)((v8l)kv_splat_f64(0x1p52) | sign);
	v8d r = (v8d)((v8l)((x + big) - big) | sign);

	return kv_select_f64(kv_abs_f64(x) < 0x1p52, r, x);
}

/* The greatest integer that is not above x. */
KV_INLINE v8f
kv_floor_f32(v8f x)
{
	v8f r = kv_rint_f32(x);

	return kv_select_f32(r > x, r - 1, r);
}

KV_INLINE v8d
kv_floor_f64(v8d x)
{
	v8d r = kv_rint_f64(x);

	return kv_select_f64(r > x, r - 1, r);
}

#endif
