/* SPDX-License-Identifier: MIT */
#define AUTHOR "miaobyte"
#define TYPES(X) HALVES(X)
#include "ref/argmax.c"
