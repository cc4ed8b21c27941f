/* SPDX-License-Identifier: MIT */
/*
 * The published library (design.md section 3): LIB/<digest>/{image,manifest},
 * LIB/obj/<sha256>.so, and the link LIB/current.
 */
#ifndef GEN_EMIT_PUBLISH_H
#define GEN_EMIT_PUBLISH_H

#include "base/diag.h"
#include "base/str.h"

struct manifest;

/*
 * Writes everything, then moves `current`: a reader sees the old library or
 * the new one. Objects are hard links into the cache where that can be, else
 * copies. The library before this one stays; older ones go. -1 with errors,
 * and then the old library is as it was.
 */
int publish(const char *lib, struct str image, struct manifest *,
    const char *cache, struct diag *);

#endif
