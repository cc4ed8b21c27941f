/* SPDX-License-Identifier: MIT */
/* The greatest integer that is not above x; kv_floor_* is part of base.h. */
#ifndef VEC_FLOOR_H
#define VEC_FLOOR_H

#include "vec/base.h"

#endif
