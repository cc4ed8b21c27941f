/* SPDX-License-Identifier: MIT */
/* Runs of axes as class reduce has them in dim (kvk.h). */
#ifndef REF_AXES_H
#define REF_AXES_H

#include "kvk.h"

/* Where element j is, in row-major order: axes is how many runs there are, at
 * least one, then the extent and the step of each, outermost first. */
static inline int64_t
ref_at(const int64_t *axes, int64_t j)
{
	int64_t at = 0;

	for (int64_t i = axes[0] - 1; i > 0; j /= axes[1 + 2 * i], i--)
		at += j % axes[1 + 2 * i] * axes[2 + 2 * i];
	return at + j * axes[2];
}

#endif
