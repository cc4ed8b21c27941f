/* SPDX-License-Identifier: MIT */
/*
 * Functions of /lib that a space fs://DIR keeps: a program laid out once runs in
 * a later process without its source.
 *
 * A function or declaration /lib/F owns the keys /lib/F, /lib/F.src, and those
 * that go on with `/[`, `/‥` or `.[`. Its head, /lib/F/[0,0] or else /lib/F, is
 * deleted first and written last: after a crash there is the old function, the
 * new one or none, never a mixture.
 */
#ifndef SPACE_KEPT_H
#define SPACE_KEPT_H

#include "space/fs.h"
#include "space/space.h"

/* The length of the key /lib/F of the function that a key of /lib belongs to. */
size_t kept_owner(const char *key);

/* Deletes all keys that the function at a key /lib/F owns. */
void kept_remove(struct space *, const char *function);

/*
 * Stores the functions of a tree in place of those of their names. A function
 * that is there already, value by value, is not written. 0, or -1 with an error
 * that names the file.
 */
int kept_store(const struct fs *, const struct space *, struct diag *);

/*
 * Tells that the functions of a tree are compiled in the library whose image has
 * that SHA-256: the key /lib/F/‥library of each.
 */
void kept_mark(struct space *, const char *image);

/*
 * Puts the functions of the folder over those of a library's tree, which stay
 * where they are marked as compiled in the library of that image. 0, or -1 as
 * kept_store.
 */
int kept_load(const struct fs *, struct space *, const char *image,
    struct diag *);

#endif
