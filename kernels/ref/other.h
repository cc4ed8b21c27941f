/* SPDX-License-Identifier: MIT */
/*
 * Class other: the lists in dim. Each is a count and as many numbers: the dims
 * of each operand, then the elements of each attribute.
 */
#ifndef REF_OTHER_H
#define REF_OTHER_H

#include "ref/arith.h"

enum { REF_MAX_RANK = 8 };

/* The list after this one. */
static inline const int64_t *
ref_next(const int64_t *list)
{
	return list + 1 + list[0];
}

/* The elements of an operand with these dims. */
static inline int64_t
ref_count(const int64_t *list)
{
	int64_t count = 1;

	for (int64_t i = 0; i < list[0]; i++)
		count *= list[1 + i];
	return count;
}

#endif
