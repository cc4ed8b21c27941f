/* SPDX-License-Identifier: MIT */
#include "cache/memo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"

#define FIRST_LINE "kvmemo 1"

/* stamp is the text of device, size, inode, mtime and ctime. */
struct memo_entry {
	const char *stamp;
	unsigned long long size;
	char hex[SHA256_HEX + 1];
	bool keep;
};

static char *
stamp_of(struct arena *a, const struct stat *st)
{
	return arena_printf(a, "%llx.%llx.%llx.%llx.%lx.%llx.%lx",
	    (unsigned long long)st->st_dev, (unsigned long long)st->st_size,
	    (unsigned long long)st->st_ino,
	    (unsigned long long)st->st_mtim.tv_sec,
	    (unsigned long)st->st_mtim.tv_nsec,
	    (unsigned long long)st->st_ctim.tv_sec,
	    (unsigned long)st->st_ctim.tv_nsec);
}

/* A line is `stamp TAB size TAB digest TAB path`; false when it is not. */
static bool
read_line(struct memo *m, struct str line)
{
	struct memo_entry *e = arena_alloc(m->arena, sizeof(*e));
	struct str stamp, size, hex;
	unsigned char raw[SHA256_LEN];

	if (!str_next(&line, '\t', &stamp) || !str_next(&line, '\t', &size) ||
	    !str_next(&line, '\t', &hex) || line.n == 0)
		return false;
	if (!str_u64(size, &e->size) || !hex_decode(raw, sizeof(raw), hex))
		return false;
	e->stamp = arena_strndup(m->arena, stamp.p, stamp.n);
	memcpy(e->hex, hex.p, SHA256_HEX);
	e->keep = true;
	map_set(&m->old, arena_strndup(m->arena, line.p, line.n), e);
	return true;
}

void
memo_init(struct memo *m, struct arena *a, const char *file)
{
	struct str text, line;

	*m = (struct memo){ .arena = a, .file = file };
	map_init(&m->old, a);
	map_init(&m->used, a);
	if (file_read(a, file, &text))
		return;
	if (!str_next(&text, '\n', &line) || !str_is(line, FIRST_LINE))
		return;
	while (str_next(&text, '\n', &line)) {
		if (!read_line(m, line))
			return;
	}
}

/* The kernel takes ctime from the coarse clock: when that clock has passed the
 * file's ctime before reading starts, every later write gets another ctime. */
static bool
is_settled(const struct stat *st)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME_COARSE, &now))
		return false;
	if (now.tv_sec != st->st_ctim.tv_sec)
		return now.tv_sec > st->st_ctim.tv_sec;
	return now.tv_nsec > st->st_ctim.tv_nsec;
}

static struct memo_entry *
hash_now(struct memo *m, const char *path, struct stat *st, const char *stamp)
{
	struct memo_entry *e = arena_alloc(m->arena, sizeof(*e));
	bool settled = is_settled(st);

	if (sha256_file(path, e->hex) || stat(path, st))
		return NULL;
	e->keep = settled && strcmp(stamp, stamp_of(m->arena, st)) == 0;
	e->stamp = stamp;
	e->size = (unsigned long long)st->st_size;
	m->changed = true;
	return e;
}

int
memo_digest(struct memo *m, const char *path, char out[SHA256_HEX + 1],
    unsigned long long *size)
{
	struct memo_entry *e = map_get(&m->old, path);
	struct stat st;
	const char *stamp;

	if (stat(path, &st))
		return -1;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	stamp = stamp_of(m->arena, &st);
	if (!e || strcmp(e->stamp, stamp) != 0)
		e = hash_now(m, path, &st, stamp);
	if (!e)
		return -1;
	map_set(&m->used, path, e);
	memcpy(out, e->hex, SHA256_HEX + 1);
	if (size)
		*size = e->size;
	return 0;
}

int
memo_save(struct memo *m)
{
	struct buf b = { 0 };
	struct memo_entry *e;
	size_t i;
	int r;

	if (!m->changed && m->used.n == m->old.n)
		return 0;
	map_sort(&m->used);
	buf_puts(&b, FIRST_LINE "\n");
	for (i = 0; i < m->used.n; i++) {
		e = m->used.entry[i].value;
		if (e->keep && !strchr(m->used.entry[i].key, '\n'))
			buf_printf(&b, "%s\t%llu\t%s\t%s\n", e->stamp, e->size,
			    e->hex, m->used.entry[i].key);
	}
	r = file_update(m->file, b.p, b.n, NULL);
	buf_release(&b);
	return r;
}
