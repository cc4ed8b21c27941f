/* SPDX-License-Identifier: MIT */
/* Files as wholes. All functions return 0 or -1 with errno set; none prints. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena;

/* Reads a whole regular file (or pipe); the text is in the arena and ended by
 * a NUL that n does not count. */
int file_read(struct arena *, const char *path, struct str *out);

/* The same for an open descriptor, from where it stands; it stays open. */
int file_read_fd(struct arena *, int fd, struct str *out);

/* Writes all n bytes to a descriptor. */
int file_write_fd(int fd, const void *, size_t n);

/* Writes through a temporary file in the same folder and rename, so that a
 * reader sees the old file or the new one. sync: fsync file and folder. */
int file_write(const char *path, const void *, size_t n, bool sync);

/* As file_write, but leaves a file alone that already holds these bytes.
 * *changed (may be NULL) says whether it was written. */
int file_update(const char *path, const void *, size_t n, bool *changed);

/* Makes a folder and its parents. */
int make_dirs(const char *path);

/* Makes the parents of a file. */
int make_parents(const char *path);

bool file_exists(const char *path);

/* Fsyncs a folder, so that a rename or link in it survives a power loss. */
int dir_sync(const char *path);

/* The names in a folder that end with `suffix` (all when NULL), without . and
 * .., sorted by bytes. */
int dir_list(struct arena *, const char *path, const char *suffix,
    char ***names, size_t *n);

/* All regular files below a folder whose names end with `suffix`, as paths
 * relative to it, sorted by bytes. Links to folders are not followed. */
int dir_walk(struct arena *, const char *path, const char *suffix,
    char ***paths, size_t *n);

/* Deletes a file or a whole folder; 0 when nothing was there. */
int remove_tree(const char *path);

/* "dir/name" in the arena. */
char *path_join(struct arena *, const char *dir, const char *name);

/* The folder this executable is in, found through /proc/self/exe; NULL with
 * errno set when it cannot be found. */
char *exe_dir(struct arena *);

#endif
