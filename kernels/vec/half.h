/* SPDX-License-Identifier: MIT */
/*
 * float16 (IEEE 754 binary16) and bfloat16, which are held as float32 while a
 * kernel computes. Each op's result is rounded to the dtype by kv_round_*, to
 * nearest, ties to even, so that it is what a store and a load would give.
 */
#ifndef VEC_HALF_H
#define VEC_HALF_H

#include "vec/base.h"
#include "vec/int.h"

KV_INLINE v8f
kv_exact_bf16(v8u16 h)
{
	return (v8f)(__builtin_convertvector(h, v8i) << 16);
}

/*
 * To the compiler F16C converts from a type of halves, and then it compares
 * those instead of the floats, element by element. So it must not see where the
 * floats come from.
 */
#if KV_LANES == 16

KV_INLINE v8f
kv_widen_f16(v8u16 h)
{
	typedef short v16s __attribute__((vector_size(32)));
	v8f x = __builtin_ia32_vcvtph2ps512_mask((v16s)h, (v8f){ 0 }, 0xffff,
	    4);

	__asm__("" : "+v"(x));
	return x;
}

KV_INLINE v8u16
kv_narrow_f16(v8f x)
{
	typedef short v16s __attribute__((vector_size(32)));

	return (v8u16)__builtin_ia32_vcvtps2ph512_mask(x, 0, (v16s){ 0 },
	    0xffff);
}

#elif defined __F16C__

KV_INLINE v8f
kv_widen_f16(v8u16 h)
{
	typedef short v8s __attribute__((vector_size(16)));
	v8f x = __builtin_ia32_vcvtph2ps256((v8s)h);

	__asm__("" : "+x"(x));
	return x;
}

KV_INLINE v8u16
kv_narrow_f16(v8f x)
{
	return (v8u16)__builtin_ia32_vcvtps2ph256(x, 0);
}

#else

/* Below the normal numbers it is an integer of so many 2^-24. */
KV_INLINE v8f
kv_widen_f16(v8u16 h)
{
	v8i x = __builtin_convertvector(h, v8i), m = x & 0x7fff;
	v8f tiny = __builtin_convertvector(m, v8f) * 0x1p-24F;
	v8f normal = (v8f)((m << 13) + (112 << 23));
	v8f special = (v8f)((m << 13) | 0x7f800000);
	v8f r = kv_select_f32(m < 0x400, tiny, normal);

	r = kv_select_f32(m >= 0x7c00, special, r);
	return (v8f)((v8i)r | (x & 0x8000) << 16);
}

/* Below the normal numbers the sum with 0.5 has a last bit of 2^-24, which is
 * that of the results, and rounds. */
KV_INLINE v8u16
kv_narrow_f16(v8f x)
{
	v8i sign = ((v8i)x >> 16) & 0x8000, a = (v8i)x & 0x7fffffff;
	v8i normal = (a + 0xfff + ((a >> 13) & 1) - (112 << 23)) >> 13;
	v8i tiny = (v8i)((v8f)a + kv_splat_f32(0.5F)) - 0x3f000000;
	v8i r = (v8i)kv_select_f32(a < 0x38800000, (v8f)tiny, (v8f)normal);

	r = (v8i)kv_select_f32(r > 0x7c00, (v8f)(v8i)KV_ALL(0x7c00), (v8f)r);
	r = (v8i)kv_select_f32(a > 0x7f800000, (v8f)(v8i)KV_ALL(0x7e00),
	    (v8f)r);
	return __builtin_convertvector(sign | r, v8u16);
}

#endif

/* With the payload of a NaN, also that of a signalling one. */
KV_INLINE v8f
kv_exact_f16(v8u16 h)
{
	v8i x = __builtin_convertvector(h, v8i), m = x & 0x7fff;
	v8i nan = (x & 0x8000) << 16 | m << 13 | 0x7f800000;

	return kv_select_f32(m > 0x7c00, (v8f)nan, kv_widen_f16(h));
}

KV_INLINE v8f
kv_widen_bf16(v8u16 h)
{
	return kv_exact_bf16(h);
}

KV_INLINE v8u16
kv_narrow_bf16(v8f x)
{
	v8u32 u = (v8u32)x;
	v8u32 r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;

	/* Rounding may not carry out of a NaN. */
	r = (v8u32)kv_select_f32(x != x, (v8f)(u >> 16 | 0x40), (v8f)r);
	return __builtin_convertvector(r, v8u16);
}

/* The bits of what kv_exact_* gave. */
KV_INLINE v8u16
kv_bits_f16(v8f x)
{
	v8i bits = (v8i)x;
	v8i nan = ((bits >> 16) & 0x8000) | 0x7c00 | ((bits >> 13) & 0x3ff);
	v8i number = __builtin_convertvector(kv_narrow_f16(x), v8i);

	return __builtin_convertvector((v8i)kv_select_f32(x != x, (v8f)nan,
	    (v8f)number), v8u16);
}

KV_INLINE v8u16
kv_bits_bf16(v8f x)
{
	return __builtin_convertvector((v8u32)x >> 16, v8u16);
}

/*
 * kv_round: what a store and a load give. kv_one: the number at p. kv_load:
 * numbers; of a NaN only that it is one. kv_load_exact: the same with
 * the bits of NaNs, which kv_put stores again. kv_store: every NaN as the
 * canonical one.
 */
#define KV_HALF(S, nan) \
	KV_INLINE v8f \
	kv_round_##S##_f32(v8f x) \
	{ \
		return kv_widen_##S(kv_narrow_##S(x)); \
	} \
	\
	KV_INLINE v8f \
	kv_splat_##S(float x) \
	{ \
		return kv_splat_f32(x); \
	} \
	\
	KV_INLINE float \
	kv_one_##S(const uint16_t *p) \
	{ \
		return kv_exact_##S((v8u16)KV_ALL(*p))[0]; \
	} \
	\
	KV_INLINE v8f \
	kv_load_##S(const uint16_t *p, int k) \
	{ \
		return kv_widen_##S(kv_load_u16(p, k)); \
	} \
	\
	KV_INLINE v8f \
	kv_load_exact_##S(const uint16_t *p, int k) \
	{ \
		return kv_exact_##S(kv_load_u16(p, k)); \
	} \
	\
	KV_INLINE void \
	kv_put_##S(uint16_t *p, v8f v, int k) \
	{ \
		kv_put_u16(p, kv_bits_##S(v), k); \
	} \
	\
	KV_INLINE void \
	kv_store_##S(uint16_t *p, v8f v, int k) \
	{ \
		v8u16 h = kv_narrow_##S(v); \
		v8i8 odd = __builtin_convertvector(v != v, v8i8); \
		v8i16 lanes = __builtin_convertvector(odd, v8i16); \
		\
		kv_put_u16(p, kv_select_u16(lanes, (v8u16)KV_ALL(nan), h), k); \
	} \
	\
	KV_INLINE const uint16_t * \
	kv_fill_##S(uint16_t *to, const uint16_t *p) \
	{ \
		return kv_fill_u16(to, p); \
	}

KV_HALF(f16, 0x7e00)
KV_HALF(bf16, 0x7fc0)

#endif
