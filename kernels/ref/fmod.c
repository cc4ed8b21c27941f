/* SPDX-License-Identifier: MIT */
#define NAME "fmod"
#define READS 2
#ifndef TYPES
#define TYPES(X) FLOATS(X) HALVES(X)
#endif
#define fmod_f32 __builtin_fmodf
#define fmod_f64 __builtin_fmod
#define F(S) ref_canon_##S(fmod_##S(v[0], v[1]))
#include "ref/map.h"
