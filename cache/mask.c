/* SPDX-License-Identifier: MIT */
/* kvobj mask and kvobj unmask: versions of a library that are not chosen. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "cache/cmd.h"
#include "space/manifest.h"
#include "space/masked.h"

struct mask {
	struct cmd *m;
	const char *lib, *path;
	struct masked masked;
	struct manifest manifest;
};

static const char *
find_library(struct cmd *m)
{
	const char *env = getenv("KVAOT_LIB"), *exe = exe_dir(&m->arena);

	if (m->lib)
		return m->lib;
	if (env && *env)
		return env;
	if (!exe)
		fatal("cannot find the folder of this program: %s",
		    strerror(errno));
	return path_join(&m->arena, exe, "../lib");
}

static int
open_mask(struct mask *k)
{
	struct cmd *m = k->m;
	const char *rows;
	struct str text;

	k->lib = find_library(m);
	k->path = path_join(&m->arena, k->lib, MASKED_FILE);
	rows = path_join(&m->arena, k->lib, "current/manifest");
	if (file_read(&m->arena, rows, &text))
		return diag_error(&m->diag, (struct loc){ rows, 0, 0 },
		    "cannot read: %s; name a published library with --lib=DIR",
		    strerror(errno));
	if (manifest_decode(&k->manifest, text.p, text.n, rows, &m->diag))
		return -1;
	if (!file_read(&m->arena, k->path, &text)) {
		if (!masked_decode(&k->masked, &m->arena, text, k->path,
		    &m->diag))
			return 0;
	} else if (errno == ENOENT) {
		return 0;
	} else {
		diag_error(&m->diag, (struct loc){ k->path, 0, 0 },
		    "cannot read: %s", strerror(errno));
	}
	manifest_release(&k->manifest);
	return -1;
}

static bool
has_version(const struct mask *k, const char *name)
{
	const struct manifest_row *r = k->manifest.row;
	size_t i, n;

	for (i = 0; i < k->manifest.n; i++) {
		n = strlen(r[i].base);
		if (r[i].version > 0 && !strncmp(name, r[i].base, n) &&
		    name[n] == '.' && strtoll(name + n + 1, NULL, 10) ==
		    r[i].version)
			return true;
	}
	return false;
}

static int
change(struct mask *k, const char *name, bool add)
{
	struct diag *d = &k->m->diag;

	if (!masked_valid(name))
		return diag_error(d, no_loc, "`%s` is no name of a version; "
		    "expected one like deepx:softmax.1", name);
	if (add && !has_version(k, name))
		return diag_error(d, no_loc, "%s has no version %s", k->lib,
		    name);
	if (add)
		masked_add(&k->masked, &k->m->arena, name);
	else if (!masked_del(&k->masked, name))
		return diag_error(d, no_loc, "%s is not masked in %s", name,
		    k->lib);
	return 0;
}

static int
edit(struct cmd *m, bool add)
{
	struct mask k = { .m = m };
	struct buf text = { 0 };
	int i, bad = 0;

	if (m->n < 1)
		usage_error("expected at least one version, e.g. "
		    "deepx:softmax.1");
	if (open_mask(&k))
		return EXIT_REFUSED;
	for (i = 0; i < m->n && !bad; i++)
		bad = change(&k, name_typed(&m->arena, m->arg[i]), add);
	manifest_release(&k.manifest);
	if (bad)
		return EXIT_REFUSED;
	masked_encode(&k.masked, &text);
	if (file_update(k.path, text.p, text.n, NULL))
		fatal("cannot write %s: %s", k.path, strerror(errno));
	buf_release(&text);
	return EXIT_OK;
}

int
cmd_mask(struct cmd *m)
{
	return edit(m, true);
}

int
cmd_unmask(struct cmd *m)
{
	return edit(m, false);
}
