/* SPDX-License-Identifier: MIT */
/*
 * Kernel objects by digest: read once, checked, mapped, never unmapped while
 * the process lives, because code of an object may still be on some stack.
 */
#ifndef RUNTIME_LOAD_H
#define RUNTIME_LOAD_H

#include "base/diag.h"
#include "include/kvk.h"

struct object {
	const char *digest;
	const struct kvk_table *table;
};

/*
 * The object of a digest (64 hexadecimal digits), obj/<digest>.so below the
 * folder dir; mapped at the first call of the process, whatever the folder.
 * NULL with an error that names the file: absent, other bytes than its digest
 * says, not loadable, or a table of another ABI. One thread at a time; its
 * floating-point control register stays as it is.
 */
const struct object *object_get(int dir, const char *digest, struct diag *);

/* Entry i of a loaded object, checked; NULL with an error. */
const struct kvk_entry *object_entry(const struct object *, int64_t i,
    struct diag *);

#endif
