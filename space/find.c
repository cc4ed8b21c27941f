/* SPDX-License-Identifier: MIT */
#include "space/find.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/file.h"

static bool
holds_library(struct arena *a, const char *folder)
{
	return file_exists(path_join(a, folder, "current/manifest"));
}

const char *
library_find(struct arena *a, const char *given, const char **tried)
{
	const char *env = getenv("KVAOT_LIB"), *place[2] = { 0 };
	const char *exe = exe_dir(a);
	size_t i;

	*tried = "";
	if (given)
		return given;
	if (env && *env)
		return env;
	if (exe)
		place[0] = path_join(a, exe, "../lib");
#ifdef KVAOT_LIBDIR
	place[1] = KVAOT_LIBDIR "/kvaot";
#endif
	for (i = 0; i < 2; i++) {
		if (!place[i])
			continue;
		if (holds_library(a, place[i]))
			return place[i];
		*tried = arena_printf(
		    a, "%s%s%s", *tried, **tried ? ", " : "", place[i]);
	}
	return NULL;
}
