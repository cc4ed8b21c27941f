/* SPDX-License-Identifier: MIT */
/* a >= b, of a NaN false. */
#ifndef VEC_GREATEREQUAL_H
#define VEC_GREATEREQUAL_H

#include "vec/compare.h"

KV_COMPARE(greaterequal, >=)

#endif
