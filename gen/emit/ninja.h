/* SPDX-License-Identifier: MIT */
/*
 * The ninja graphs: backends.ninja (back ends of authors that are compiled)
 * and kernels.ninja (the planner's own edge, fused kernels, the library).
 * Paths are relative to the build folder. A deterministic rendering: the same
 * plan gives the same bytes.
 */
#ifndef GEN_EMIT_NINJA_H
#define GEN_EMIT_NINJA_H

#include "gen/plan.h"

/* A path with ninja's escapes. */
void ninja_path(const char *path, struct buf *out);

/* A word quoted for the shell inside a ninja command. */
void ninja_shell(const char *word, struct buf *out);

/* One source that every isa is compiled from; stem names the receipts. */
struct ninja_source {
	const char *source, *stem;
};

/* backends.ninja; made: the sources that `kvaot gen` itself wrote. */
void ninja_backends(const struct ninja_source *, size_t n,
    const char *const *made, size_t nmade, const char *const *isas,
    struct buf *out);

/* kernels.ninja. own: the folder's graph is kvaot's alone, so it has no tools
 * and no planner's edge. complete: back ends are there and kernels planned;
 * else the planner's edge alone, to be run again. */
void ninja_kernels(const struct plan *, bool own, bool complete,
    struct buf *out);

/* build.ninja of a folder that is kvaot's alone. exe: folder of the programs;
 * conf: kvobj.conf. */
void ninja_own(const char *exe, const char *conf, struct buf *out);

#endif
