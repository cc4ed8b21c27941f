/* SPDX-License-Identifier: MIT */
/* The back ends that exist: one row an entry of a compiled object. */
#ifndef GEN_CATALOG_H
#define GEN_CATALOG_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/map.h"
#include "cache/receipt.h"

/* One entry of a kvk_table, and the object it is in. */
struct backend {
	const char *opcode;  /* deepx/miaobyte·sum */
	const char *base;    /* deepx·sum */
	const char *author;  /* miaobyte */
	const char *langtypes, *dtype, *isa, *cls;
	unsigned long long alias;
	long long scratch, scratch_n;
	const char *object;  /* SHA-256, hexadecimal */
	long long entry;
};

struct catalog {
	struct arena *arena;
	struct backend *backend; /* sorted by opcode, dtype, isa */
	size_t n, cap;
	struct map providers; /* base -> its distinct back ends */
};

void catalog_init(struct catalog *, struct arena *);

/* Adds a copy; base and author are taken from the opcode. */
void catalog_add(struct catalog *, const struct backend *);

/* After what was added: from then on the rows can be looked up. */
void catalog_sort(struct catalog *);

/* Adds the entries of one object of the cache, digest checked first; no code
 * of it runs. -1 with errors. */
int catalog_read(struct catalog *, const char *cache, const char *object,
    struct diag *);

/* Reads a receipt and compares it with what the cache recorded for its action:
 * a receipt has no digest of its own. -1 with errors. */
int catalog_receipt(const char *cache, const char *path, struct receipt *,
    struct diag *);

/* Reads the tables of all objects whose receipts (*.ok) are in a folder. -1
 * with errors when one cannot be read. */
int catalog_load(struct catalog *, const char *receipts, const char *cache,
    struct diag *);

/* Whether an opcode is a registered back end. */
bool catalog_has(const struct catalog *, const char *opcode);

/* The distinct back ends of `deepx·sum` in order of opcode: fills opcode[]
 * with at most cap names, returns how many there are. */
size_t catalog_providers(const struct catalog *, const char *base,
    const struct backend **out, size_t cap);

#endif
