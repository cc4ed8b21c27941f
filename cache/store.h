/* SPDX-License-Identifier: MIT */
/*
 * Bytes by digest, in a folder:
 *   actions/ab/HEX      the receipt of the action HEX
 *   objects/ab/HEX.so   the object whose SHA-256 is HEX, mode 0444
 *   why/SOURCE/HEX      what the action HEX was made of, see parts.h
 *   stats               a line `hit|miss|compile|repair HEX` an event
 * There is no lock: files appear whole under their name, and two writers of
 * one name write the same bytes.
 */
#ifndef CACHE_STORE_H
#define CACHE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sha256.h"
#include "base/str.h"

struct arena;
struct diag;
struct receipt;

/* <cache>/KIND/ab/HEX + suffix; the file need not exist. */
char *store_path(struct arena *, const char *cache, const char *kind,
    const char *hex, const char *suffix);

/* The path of an object. */
char *store_object_path(struct arena *, const char *cache, const char *hex);

/* Whether the object is there with this size and digest. */
bool store_object_good(
    const char *cache, const char *hex, unsigned long long size);

/* Reads an object and checks its digest. -1 with the reason in diag. */
int store_object_read(struct arena *, const char *cache, const char *hex,
    struct str *out, struct diag *);

/*
 * Stores an object under its digest, which goes to hex. Safe against other
 * writers and against a loss of power; an existing damaged file is replaced.
 * -1 with errno set.
 */
int store_publish(
    const char *cache, const void *, size_t n, char hex[SHA256_HEX + 1]);

/* The receipt of an action: 0 found, 1 absent or damaged. */
int store_lookup(
    const char *cache, const char *action, struct receipt *out);

/* Records the receipt under its action. -1 with errno set. */
int store_record(const char *cache, const struct receipt *);

/* Appends `event HEX` to the statistics. -1 with errno set. */
int store_count(const char *cache, const char *event, const char *hex);

#endif
