/* SPDX-License-Identifier: MIT */
#include "gen/published.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "space/find.h"

/* The folder that `current` names now: what is read afterwards belongs
 * together even when somebody publishes meanwhile. */
static const char *
follow_current(const char *lib, struct arena *arena, struct diag *diag)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path_join(arena, lib, "current"), to,
	    sizeof to - 1);

	if (n < 0) {
		diag_error(diag, (struct loc){ lib, 0, 0 }, "holds no published "
		    "library (current: %s); build one with `ninja -C out`",
		    strerror(errno));
		return NULL;
	}
	to[n] = '\0';
	return path_join(arena, lib, to);
}

int
published_read(struct manifest *m, const char *given, const char **folder,
    struct arena *arena, struct diag *diag)
{
	const char *tried, *lib = library_find(arena, given, &tried), *path;
	struct str text;

	if (!lib)
		return diag_error(diag, no_loc, "no published library in %s; "
		    "say --lib=DIR, or build one with `ninja -C out`", tried);
	*folder = follow_current(lib, arena, diag);
	if (!*folder)
		return -1;
	path = path_join(arena, *folder, "manifest");
	if (file_read(arena, path, &text))
		return diag_error(diag, (struct loc){ path, 0, 0 },
		    "cannot read: %s", strerror(errno));
	return manifest_decode(m, text.p, text.n, path, diag);
}
