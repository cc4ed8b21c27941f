/* SPDX-License-Identifier: MIT */
/*
 * What a leaves when divided by b and the quotient is rounded down: it has the
 * sign of b. With a divisor of 0 as div.h.
 */
#ifndef VEC_MOD_H
#define VEC_MOD_H

#include "vec/div.h"

#define KV_MOD_SIGNED(S, T, V, U, M) \
	KV_INLINE V \
	kv_mod_##S(V a, V b) \
	{ \
		V r = (V)((U)a - (U)kv_div_##S(a, b) * (U)b); \
		M other = (r != 0) & ((r ^ b) < 0); \
		\
		return (V)((U)r + ((U)b & (U)other)); \
	}

#define KV_MOD_UNSIGNED(S, T, V, U, M) \
	KV_INLINE V \
	kv_mod_##S(V a, V b) \
	{ \
		return a - kv_div_##S(a, b) * b; \
	}

KV_SIGNED(KV_MOD_SIGNED)
KV_UNSIGNED(KV_MOD_UNSIGNED)

#endif
