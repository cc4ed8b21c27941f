/* SPDX-License-Identifier: MIT */
/* a > b, of a NaN false. */
#ifndef VEC_GREATER_H
#define VEC_GREATER_H

#include "vec/compare.h"

KV_COMPARE(greater, >)

#endif
