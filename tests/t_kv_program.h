/* SPDX-License-Identifier: MIT */
/* Random kvlang programs without errors, badly laid out and full of
 * comments. */
#ifndef TESTS_T_KV_PROGRAM_H
#define TESTS_T_KV_PROGRAM_H

#include <stdint.h>

#include "base/str.h"

/* The program of a seed, appended; the same on every machine. */
void random_program(struct buf *, uint64_t seed);

#endif
