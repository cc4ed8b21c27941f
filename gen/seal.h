/* SPDX-License-Identifier: MIT */
/* From receipts to a published library. */
#ifndef GEN_SEAL_H
#define GEN_SEAL_H

#include "gen/setup.h"

/*
 * Takes every planned artifact of build/ir.kvs to its built form, checks and
 * scans all objects, makes the manifest and publishes build/lib. Writes
 * build/built.kvs and, last, build/library.sealed. -1 with errors.
 */
int seal_run(const struct setup *, struct arena *, struct diag *);

#endif
