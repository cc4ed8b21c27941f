/* SPDX-License-Identifier: MIT */
/* A published library as the tools read it that don't run it. */
#ifndef GEN_PUBLISHED_H
#define GEN_PUBLISHED_H

#include "base/diag.h"
#include "space/manifest.h"

/*
 * Finds the library (see library_find) and reads the manifest behind its link
 * `current`; *folder is the publication's folder, in the arena. -1 with
 * errors; then m needs no release.
 */
int published_read(struct manifest *m, const char *given, const char **folder,
    struct arena *, struct diag *);

#endif
