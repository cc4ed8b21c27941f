/* SPDX-License-Identifier: MIT */
#include "cache/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/map.h"
#include "cache/elf.h"
#include "cache/receipt.h"
#include "cache/scan.h"
#include "cache/store.h"
#include "cache/table.h"
#define KVK_NO_STDINT
#include "include/kvk.h"

int
cmd_walk(struct cmd *m, const char *kind, const char *suffix, char ***paths,
    size_t *n)
{
	char *dir = path_join(&m->arena, m->conf.cache, kind);

	*paths = NULL;
	*n = 0;
	if (!file_exists(dir) ||
	    dir_walk(&m->arena, dir, suffix, paths, n) == 0)
		return 0;
	return diag_error(&m->diag, (struct loc){ dir, 0, 0 },
	    "cannot list this folder: %s", strerror(errno));
}

/* The digest in "ab/HEX.so" or "ab/HEX"; NULL for other names. */
static char *
digest_in(struct cmd *m, const char *path)
{
	unsigned char raw[SHA256_LEN];
	const char *s = strrchr(path, '/');
	struct str hex;

	if (!s || strlen(s + 1) < SHA256_HEX)
		return NULL;
	hex = (struct str){ s + 1, SHA256_HEX };
	if (!hex_decode(raw, sizeof(raw), hex))
		return NULL;
	return arena_strndup(&m->arena, hex.p, hex.n);
}

static int
find_digest(struct cmd *m, const char *arg, struct cmd_object *o)
{
	char **path, *hex;
	size_t n, i, found = 0;

	if (cmd_walk(m, "objects", ".so", &path, &n))
		return -1;
	for (i = 0; i < n; i++) {
		hex = digest_in(m, path[i]);
		if (hex && strncmp(hex, arg, strlen(arg)) == 0) {
			memcpy(o->digest, hex, sizeof(o->digest));
			found++;
		}
	}
	if (found == 1)
		return 0;
	return diag_error(&m->diag, no_loc,
	    "expected the digest of one object in %s, found %zu for '%s'",
	    m->conf.cache, found, arg);
}

static int
find_in_store(struct cmd *m, const char *arg, struct cmd_object *o)
{
	size_t n = strlen(arg);
	struct receipt r;

	if (n > 3 && strcmp(arg + n - 3, ".ok") == 0) {
		if (receipt_read(&r, arg, &m->diag))
			return -1;
		memcpy(o->digest, r.object, sizeof(o->digest));
	} else if (find_digest(m, arg, o)) {
		return -1;
	}
	o->path = store_object_path(&m->arena, m->conf.cache, o->digest);
	return store_object_read(
	    &m->arena, m->conf.cache, o->digest, &o->bytes, &m->diag);
}

int
cmd_find(struct cmd *m, const char *arg, struct cmd_object *o)
{
	size_t n = strlen(arg);
	bool receipt = n > 3 && strcmp(arg + n - 3, ".ok") == 0;

	if (receipt || !file_exists(arg)) {
		if (find_in_store(m, arg, o))
			return -1;
	} else {
		o->path = arg;
		if (file_read(&m->arena, arg, &o->bytes))
			return diag_error(&m->diag, (struct loc){ arg, 0, 0 },
			    "cannot read the object: %s", strerror(errno));
		sha256_hex(o->bytes.p, o->bytes.n, o->digest);
	}
	return elf_check(o->bytes.p, o->bytes.n, o->path, &m->diag);
}

/* Object digest -> action, over all readable receipts of the cache. */
static int
map_actions(struct cmd *m, struct map *by_object)
{
	char **path, *hex;
	struct receipt r;
	size_t n, i;

	map_init(by_object, &m->arena);
	if (cmd_walk(m, "actions", NULL, &path, &n))
		return -1;
	for (i = 0; i < n; i++) {
		hex = digest_in(m, path[i]);
		if (hex && store_lookup(m->conf.cache, hex, &r) == 0)
			map_set(by_object, r.object, hex);
	}
	return 0;
}

int
cmd_ls(struct cmd *m)
{
	struct map by_object;
	char **path, *hex, *action, *full;
	struct stat st;
	size_t n, i;

	if (cmd_walk(m, "objects", ".so", &path, &n) ||
	    map_actions(m, &by_object))
		return EXIT_ENV;
	for (i = 0; i < n; i++) {
		hex = digest_in(m, path[i]);
		if (!hex)
			continue;
		full = store_object_path(&m->arena, m->conf.cache, hex);
		if (stat(full, &st))
			continue;
		action = map_get(&by_object, hex);
		printf("%s\t%lld\t%s\n", hex, (long long)st.st_size,
		    action ? action : "-");
	}
	return EXIT_OK;
}

static const char *
class_name(uint8_t cls)
{
	switch (cls) {
	case KVK_MAP: return "map";
	case KVK_ROWS: return "rows";
	case KVK_REDUCE: return "reduce";
	case KVK_COLS: return "cols";
	case KVK_OTHER: return "other";
	default: return "?";
	}
}

static int
show_one(struct cmd *m, const char *arg)
{
	const struct kvk_table *t;
	const struct kvk_entry *e;
	struct cmd_object o;
	void *so;
	uint32_t i;

	if (cmd_find(m, arg, &o) || !(t = table_open(o.path, &so, &m->diag)))
		return EXIT_REFUSED;
	printf("object %s\nsize %zu\nabi %u\n", o.digest, o.bytes.n, t->abi);
	for (i = 0; i < t->n; i++) {
		e = &t->entry[i];
		printf("entry %u\t%s\t%s\t%s\t%s\t%s\tin %u out %u\talias "
		       "%llx\tscratch %lld+%lldn\n",
		    i, *e->opcode ? e->opcode : "-", e->langtypes, e->dtype,
		    class_name(e->cls), e->isa, e->nin, e->nout,
		    (unsigned long long)e->alias, (long long)e->scratch,
		    (long long)e->scratch_n);
	}
	table_close(so);
	return EXIT_OK;
}

int
cmd_show(struct cmd *m)
{
	int i, r = EXIT_OK;

	if (m->n == 0)
		usage_error("expected show OBJECT…");
	for (i = 0; i < m->n; i++) {
		if (show_one(m, m->arg[i]))
			r = EXIT_REFUSED;
	}
	return r;
}

static const char *
isa_in_table(struct cmd *m, const char *path)
{
	const struct kvk_table *t;
	const char *isa = NULL;
	void *so;

	t = table_open(path, &so, &m->diag);
	if (!t)
		return NULL;
	if (t->n)
		isa = arena_strdup(&m->arena, t->entry[0].isa);
	else
		diag_error(&m->diag, (struct loc){ path, 0, 0 },
		    "its table has no entry; say --isa=NAME");
	table_close(so);
	return isa;
}

static int
scan_one(struct cmd *m, const char *arg)
{
	struct scan_item it = { .isa = m->isa };
	struct cmd_object o;

	if (cmd_find(m, arg, &o))
		return -1;
	it.path = o.path;
	it.digest = o.digest;
	if (!it.isa)
		it.isa = isa_in_table(m, o.path);
	if (!it.isa || scan_objects(&m->conf, &it, 1, &m->diag))
		return -1;
	printf("%s\t%s\tfma %llu\n", o.digest, it.isa, it.fmas);
	return 0;
}

int
cmd_scan(struct cmd *m)
{
	int i, r = EXIT_OK;

	if (m->n == 0)
		usage_error("expected scan [--isa=NAME] OBJECT…");
	for (i = 0; i < m->n; i++) {
		if (scan_one(m, m->arg[i]))
			r = EXIT_REFUSED;
	}
	return r;
}
