/* SPDX-License-Identifier: MIT */
/* 0 below diagonal k of the last two axes. */
#define NAME "triu"
#define UPPER 1
#include "miaobyte/triangle.h"
