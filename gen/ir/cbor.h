/* SPDX-License-Identifier: MIT */
/* Heads of the CBOR subset: shortest form, definite lengths (RFC 8949). */
#ifndef GEN_IR_CBOR_H
#define GEN_IR_CBOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Major types; CBOR_SIMPLE with value 20 or 21 is false or true. */
enum cbor_major {
	CBOR_UINT = 0, CBOR_NEGINT, CBOR_BYTES, CBOR_TEXT, CBOR_ARRAY, CBOR_MAP,
	CBOR_SIMPLE = 7
};

enum { CBOR_FALSE = 20, CBOR_TRUE = 21 };

void cbor_head(struct buf *, enum cbor_major, uint64_t value);
void cbor_bytes(struct buf *, const void *, size_t);
void cbor_text(struct buf *, const char *, size_t);
void cbor_int(struct buf *, int64_t);

enum cbor_status {
	CBOR_OK = 0, CBOR_ENDS_SHORT, CBOR_NOT_SHORTEST, CBOR_INDEFINITE,
	CBOR_RESERVED
};

/* Reads one head from p[0..n): its major type (0 to 7), its value and its
 * length. */
enum cbor_status cbor_read_head(const uint8_t *p, size_t n, unsigned *major,
    uint64_t *value, size_t *len);

#endif
