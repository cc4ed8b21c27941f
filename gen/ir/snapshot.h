/* SPDX-License-Identifier: MIT */
/* Sealed values: checked, encoded, hashed, and not writable any more. */
#ifndef GEN_IR_SNAPSHOT_H
#define GEN_IR_SNAPSHOT_H

#include "gen/ir/ir.h"

/* A zeroed one is empty and may be released. */
struct snapshot {
	const struct ir_type *type;
	const void *root;  /* in read-only pages; a write to it faults */
	Digest digest, core;
	struct str bytes;  /* canonical, in the caller's arena */
	void *pages;
	size_t n_pages;    /* in bytes */
};

/*
 * Makes a snapshot of a root in memory: checks it, encodes it, decodes that
 * again into pages of its own, checks that both have the same bytes, hashes.
 * The root given may be changed or freed afterwards. 0, or -1 with errors in
 * diag and an empty snapshot; snapshot.size when it is over 64 MiB.
 */
int snapshot_seal(const struct ir_type *, const void *root, struct arena *,
    struct snapshot *, struct diag *);

/*
 * Makes a snapshot of canonical bytes, which are copied. The bytes must have
 * the digest `want` (NULL: not compared) in the domain of the type, else
 * snapshot.digest; then they must decode and pass ir_check.
 */
int snapshot_open(const struct ir_type *, struct str bytes, const Digest *want,
    struct arena *, struct snapshot *, struct diag *);

/* Unmaps the pages and empties the snapshot; bytes stay with their arena. */
void snapshot_release(struct snapshot *);

#endif
