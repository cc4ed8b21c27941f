/* SPDX-License-Identifier: MIT */
/*
 * The image file of a space: magic "kvimage\n", u32 version 1, u64 count, then
 * for each key in byte order u32 key length, key, u16 langtype length,
 * langtype, u64 body length, body; last the SHA-256 over all bytes before it.
 * All integers little-endian.
 */
#ifndef SPACE_IMAGE_H
#define SPACE_IMAGE_H

#include "base/arena.h"
#include "base/diag.h"
#include "space/space.h"

/* The image's bytes, digest included. */
void image_encode(const struct space *, struct buf *);

/* An image that was checked, over bytes that belong to the caller: a key costs
 * memory only when it is asked for. */
struct image {
	const uint8_t *p;
	size_t size, n;
	size_t *at; /* where entry i begins */
	struct arena arena;
};

/*
 * Reads an image strictly: version, sorted unique keys, bounds, values that
 * check, digest. The bytes must stay as they are until image_release. hex,
 * unless NULL, gets the SHA-256 of the whole file (65 bytes). -1 with an error
 * naming `name` (the file) on any fault; then nothing needs to be released.
 */
int image_open(struct image *, const void *, size_t, const char *name,
    char *hex, struct diag *);
void image_release(struct image *);

/* The value at a key, or NULL; a copy, valid as long as the image. */
const struct value *image_get(struct image *, const char *key);

/* A space with all that the image holds. */
struct space *image_space(const struct image *);

/* image_open and image_space over bytes that need not stay; NULL with an
 * error. */
struct space *image_decode(const void *, size_t, const char *name,
    struct diag *);

#endif
