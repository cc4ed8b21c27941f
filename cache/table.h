/* SPDX-License-Identifier: MIT */
/* The kvk_table of an object, for those who only read it. */
#ifndef CACHE_TABLE_H
#define CACHE_TABLE_H

struct diag;
struct kvk_table;

/*
 * Maps the object and returns its table after checking version, sizes and
 * that no text is missing. Runs nothing of it: the caller has had elf_check
 * pass, so there is no constructor. NULL with the reason in diag.
 */
const struct kvk_table *table_open(
    const char *path, void **handle, struct diag *);

/* Unmaps; the table and its texts are gone. */
void table_close(void *handle);

#endif
