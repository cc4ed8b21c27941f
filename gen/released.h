/* SPDX-License-Identifier: MIT */
/*
 * Released versions. A line of versions.lock comes with a file beside the lock,
 * versions/<name>.<N>.kvs: the snapshot of the fusion level and the texts of
 * the templates its groups take. From it and the sources alone the version is
 * built again when today's plan has become another one. Once written, neither
 * line nor file changes.
 */
#ifndef GEN_RELEASED_H
#define GEN_RELEASED_H

#include "gen/plan.h"

/* The file of a line whose folder is set. */
char *released_path(struct arena *, const struct version_line *);

/* What the names of a released unit's files have: 12 digits of its digest. */
const char *released_stem(struct arena *, const struct unit *);

/*
 * Adds a unit for each locked version that is not today's plan and was made
 * from the program that its base has now, and takes it down to `last`. Those
 * of another program are superseded: not built. -1 with errors; a file that is
 * absent or damaged is one.
 */
int released_plan(struct plan *, enum level last);

/* Adds the line of each unit whose version is pending; own: of those only that
 * the user's folder defines, since the library is released where it is. */
void released_pending(const struct plan *, bool own, struct versions *);

/* Writes the file of a pending unit for a line. -1 with errors. */
int released_write(const struct plan *, const struct unit *,
    const struct version_line *, struct diag *);

#endif
