/* SPDX-License-Identifier: MIT */
/* a <= b, of a NaN false. */
#ifndef VEC_LESSEQUAL_H
#define VEC_LESSEQUAL_H

#include "vec/compare.h"

KV_COMPARE(lessequal, <=)

#endif
