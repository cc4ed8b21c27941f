/* SPDX-License-Identifier: MIT */
#define AUTHOR "miaobyte"
#define TYPES(X) INTS(X)
#include "ref/argmin.c"
