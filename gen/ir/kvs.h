/* SPDX-License-Identifier: MIT */
/*
 * The file out/ir.kvs: the snapshots of one run.
 *
 *	file  "kvs 1" LF, rows, 32 bytes: SHA-256 of all bytes before it
 *	row   u16 length and text of unit, u16 length and text of level,
 *	      32 bytes digest, u64 length and canonical CBOR
 *
 * Integers are little-endian. Unit and level are Syms, not empty. Rows are
 * sorted by the bytes of unit, then of level, and no two have both alike.
 */
#ifndef GEN_IR_KVS_H
#define GEN_IR_KVS_H

#include "gen/ir/ir.h"

struct kvs_row {
	const char *unit, *level;
	Digest digest;    /* of the snapshot; snapshot_open compares it */
	struct str bytes;
};

/* Sorts the rows and writes them, not synced. -1: two rows alike, a name that
 * is no Sym or too long, or the file cannot be written. */
int kvs_write(const char *path, struct kvs_row *rows, size_t n, struct diag *);

/* Reads a whole file; rows and what they point to are in the arena. -1: it
 * cannot be read, or its bytes are not what kvs_write writes. */
int kvs_read(const char *path, struct arena *, struct kvs_row **rows,
    size_t *n, struct diag *);

/* The row of that unit and level among rows as kvs_read gives them; NULL. */
const struct kvs_row *kvs_find(const struct kvs_row *rows, size_t n,
    const char *unit, const char *level);

#endif
