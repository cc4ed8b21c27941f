/* SPDX-License-Identifier: MIT */
/*
 * The image file of a space: magic "kvimage\n", u32 version 1, u64 count, then
 * for each key in byte order u32 key length, key, u16 langtype length,
 * langtype, u64 body length, body; last the SHA-256 over all bytes before it.
 * All integers little-endian.
 */
#ifndef SPACE_IMAGE_H
#define SPACE_IMAGE_H

#include "base/diag.h"
#include "space/space.h"

/* The image's bytes, digest included. */
void image_encode(const struct space *, struct buf *);

/* Reads an image strictly: version, sorted unique keys, bounds, values that
 * check, digest. NULL with an error naming `name` (the file) on any fault. */
struct space *image_decode(const void *, size_t, const char *name,
    struct diag *);

#endif
