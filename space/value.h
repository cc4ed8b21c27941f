/* SPDX-License-Identifier: MIT */
/*
 * A typed value of the key/value space: a langtype, dims and a body
 * (kvlang.md 4.3, form E2 kept in memory).
 */
#ifndef SPACE_VALUE_H
#define SPACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct arena;

enum { MAX_RANK = 8 };

/* Element kinds of numeric values. DT_NONE: the value is not numeric. */
enum dtype {
	DT_NONE = 0,
	DT_BOOL,
	DT_INT8,
	DT_INT16,
	DT_INT32,
	DT_INT64,
	DT_UINT8,
	DT_UINT16,
	DT_UINT32,
	DT_UINT64,
	DT_FLOAT32,
	DT_FLOAT64,
	DT_FLOAT16,
	DT_BFLOAT16,
};

enum { N_DTYPES = DT_BFLOAT16 + 1 };

/* "float32" and so on; "-" for DT_NONE. */
const char *dtype_name(enum dtype);

/* DT_NONE when the text names no dtype. */
enum dtype dtype_of(struct str);

/* Bytes an element; 0 for DT_NONE. */
size_t dtype_size(enum dtype);
bool dtype_is_float(enum dtype);

/* Whether it is float16 or bfloat16, of which C has no type. */
bool dtype_is_half(enum dtype);

/* Whether scalars of the two dtypes, and no tensor, are computed in the first:
 * a float before an integer, then the one of more bytes. */
bool dtype_wider(enum dtype, enum dtype than);

struct shape {
	int rank; /* 0..MAX_RANK */
	int64_t dim[MAX_RANK];
};

/* Elements of a shape, 1 for rank 0; -1 when a dim is negative or the product
 * or `size` times the product does not fit in 63 bits. */
int64_t shape_count(const struct shape *, size_t size);
bool shape_eq(const struct shape *, const struct shape *);

/* "[2,3]" or "" for rank 0, into out (at least 200 bytes). */
void shape_text(const struct shape *, char *out);

/*
 * A value. langtype is the whole type text: "float64", "[2,3]float64",
 * "[3]char/utf8", "rwir", "rwfunc", "rwir|rwfunc", "def rwir", "def langtype".
 * For numeric kinds dtype and shape are parsed from it (rank 0 = scalar);
 * for all others dtype is DT_NONE. The body is n bytes, little-endian,
 * row-major. langtype and body belong to whoever made the value.
 */
struct value {
	const char *langtype;
	enum dtype dtype;
	struct shape shape;
	const void *body;
	size_t n;
};

/* A numeric value over a body that is not copied; the langtype text is made
 * in the arena. */
struct value value_tensor(struct arena *, enum dtype, const struct shape *,
    const void *body);

/* A value of a non-numeric langtype; text is not copied. */
struct value value_text(const char *langtype, const void *body, size_t n);

/*
 * Fills dtype and shape from the langtype and checks that the body's length
 * fits. -1 when a numeric langtype is malformed or the length is wrong; why
 * (may be NULL, at least 120 bytes) then says what was expected.
 */
int value_check(struct value *, char *why);

/* Converts n elements; the rules are those of kvlang.md 3.2 for constructors:
 * integers wrap, floats round once, to nearest, float to int truncates, then
 * saturates at the ends of the target's range, NaN gives 0 (as the op
 * todtype). Bool converts to and from bool only: -1 otherwise. dst and src
 * may have any alignment and must not overlap. */
int dtype_convert(enum dtype to, void *dst, enum dtype from, const void *src,
    size_t n);

#endif
