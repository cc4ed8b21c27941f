/* SPDX-License-Identifier: MIT */
/*
 * The key/value space `fs://DIR`: a folder with one file a key, so that values
 * outlive the process. The files are the only truth: nothing is kept in memory,
 * and several processes may use a folder at once.
 *
 * The folder holds the file `kvspace` with the line "kvspace 1", and for each
 * key a file whose name is the key's name_escape (of base/str.h) and whose
 * content is an image (space/image.h) of that one key. A write is atomic and
 * synced: after a crash there is the old value or the new one.
 *
 * Keys begin with '/' and are compared by bytes. Functions that return int give
 * 0, or -1 with an error that names the file.
 */
#ifndef SPACE_FS_H
#define SPACE_FS_H

#include "base/arena.h"
#include "base/diag.h"
#include "space/value.h"

struct fs {
	char *dir;
	struct arena arena;
};

/*
 * Opens the folder that "fs://DIR" names, made when it is absent. One that has
 * files but no `kvspace`, or one of another version, is refused. After -1
 * nothing is to be closed.
 */
int fs_open(struct fs *, const char *dsn, struct diag *);
void fs_close(struct fs *);

/* The value at a key, in the arena; *v is NULL when there is none. */
int fs_get(const struct fs *, const char *key, struct arena *,
    const struct value **v, struct diag *);

/* Stores a value, which must check; one that was there stays when this fails. */
int fs_set(const struct fs *, const char *key, const struct value *,
    struct diag *);

/* Deletes one key, which need not be there; synced as a write is. */
int fs_del(const struct fs *, const char *key, struct diag *);

/* Deletes key and everything below "key/", one after the other. */
int fs_del_tree(const struct fs *, const char *key, struct diag *);

/* The keys that start with `prefix` (bytes), sorted by bytes, in the arena. */
int fs_list(const struct fs *, const char *prefix, struct arena *,
    char ***keys, size_t *n, struct diag *);

#endif
