/* SPDX-License-Identifier: MIT */
/*
 * Ops that only move elements have a loop for each size of them, not for each
 * dtype. The file that includes this defines
 *   NAME    the op's name
 *   READS   how many operands it reads
 *   IN(t)   langtypes of its parameters, for dtype t
 * and after it kernel_1 to kernel_8, for the sizes, and SIZE_TABLE().
 */
#ifndef MIAOBYTE_SIZES_H
#define MIAOBYTE_SIZES_H

#define AUTHOR "miaobyte"
#include "ref/other.h"

/* n, but no more than `most`. */
static inline int64_t
size_most(int64_t n, int64_t most)
{
	return n < most ? n : most;
}

/* About how many elements are worth a thread's while. */
enum { SIZE_GRAIN = 1 << 16 };

/* How many items of so many elements those are. */
static inline int64_t
size_grain(int64_t elements)
{
	return elements < SIZE_GRAIN ?
	    (SIZE_GRAIN + elements - 1) / elements : 1;
}

/* X(name, size) for each dtype. */
#define SIZE_TYPES(X) \
	X("float32", 4) X("float64", 8) X("float16", 2) X("bfloat16", 2) \
	X("int8", 1) X("int16", 2) \
	X("int32", 4) X("int64", 8) X("uint8", 1) X("uint16", 2) \
	X("uint32", 4) X("uint64", 8) X("bool", 1)

/* X(size, T) for each size. */
#define SIZES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)

#define SIZE_ENTRY(type, size) \
	REF_ENTRY(NAME, IN(type) "->[*]" type, type, KVK_OTHER, READS, 0, \
	    kernel_##size)

#define SIZE_TABLE() \
	static const struct kvk_entry entries[] = { SIZE_TYPES(SIZE_ENTRY) }; \
	\
	REF_TABLE(entries)

#endif
