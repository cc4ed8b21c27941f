/* SPDX-License-Identifier: MIT */
/*
 * Files of the safetensors format: 8 bytes with the length of a header, the
 * header, which is JSON, and the bytes of all tensors without a gap.
 */
#ifndef SPACE_SAFETENSORS_H
#define SPACE_SAFETENSORS_H

#include "base/diag.h"
#include "space/value.h"

struct safetensor {
	const char *name;
	struct value value; /* its body is in the bytes that were decoded */
	struct loc loc;     /* of its header */
};

/*
 * Decodes n bytes, aligned to 8, of which messages say `name`. The tensors come
 * in the order of their bytes; they are in the arena, their bodies in the given
 * bytes. Refused: another dtype than those of the project, a tensor that does
 * not lie at a multiple of its elements' size, gaps and overlaps, members that
 * the format does not have. -1 with errors.
 */
int safetensors_decode(struct arena *, const void *bytes, size_t n,
    const char *name, struct safetensor **, size_t *count, struct diag *);

#endif
