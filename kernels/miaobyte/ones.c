/* SPDX-License-Identifier: MIT */
/* Every element is 1. */
#define NAME "ones"
#define VALUE 1
#include "miaobyte/number.h"
