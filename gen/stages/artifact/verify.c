/* SPDX-License-Identifier: MIT */
#include "gen/stages/artifact/artifact.h"

#include <string.h>

/* `kernels/NAME` below the build folder and nothing else. */
static bool
path_ok(const char *path)
{
	return !strncmp(path, "kernels/", 8) && !strchr(path + 8, '/') &&
	    path[8] != '.' && path[8];
}

int
artifact_verify(const void *root, struct diag *diag)
{
	const Artifact *a = root;
	int bad = 0;

	for (uint32_t i = 0; i < a->n_sources; i++)
		if (!path_ok(a->sources[i].path))
			bad = diag_error(diag, no_loc, "artifact.path: %s: %s",
			    a->unit, a->sources[i].path);
	for (uint32_t i = 0; i < a->n_actions; i++)
		if (!path_ok(a->actions[i].receipt))
			bad = diag_error(diag, no_loc, "artifact.path: %s: %s",
			    a->unit, a->actions[i].receipt);
	for (uint32_t i = 0; i < a->n_registrations; i++) {
		const Registration *r = &a->registrations[i];

		if (strcmp(r->base, a->unit) || r->version == 0)
			bad = diag_error(diag, no_loc, "artifact.base: %s: %s "
			    "version %llu", a->unit, r->opcode,
			    (unsigned long long)r->version);
	}
	return bad;
}
