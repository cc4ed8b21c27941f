/* SPDX-License-Identifier: MIT */
/* a < b, of a NaN false. */
#ifndef VEC_LESS_H
#define VEC_LESS_H

#include "vec/compare.h"

KV_COMPARE(less, <)

#endif
