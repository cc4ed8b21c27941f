/* SPDX-License-Identifier: MIT */
#include "gen/stages/bound/bound.h"

#include <string.h>

/* Whether `deepx/AUTHOR·op` carries this author. */
static bool
has_author(const char *opcode, const char *author)
{
	struct str pkg, name;
	size_t n = strlen(author);

	name_split(opcode, &pkg, &name);
	return pkg.n > n + 1 && pkg.p[pkg.n - n - 1] == '/' &&
	    !memcmp(pkg.p + pkg.n - n, author, n);
}

int
bound_verify(const void *root, struct diag *diag)
{
	const Bound *b = root;
	int bad = 0;

	for (uint32_t i = 0; i < b->n_calls; i++) {
		const Call *c = &b->calls[i];

		if (CallBody_is_CallBackend(c->body) && !has_author(c->opcode,
		    CallBody_as_CallBackend(c->body)->author))
			bad = diag_error(diag, no_loc, "bound.author: %s: call "
			    "%u (%s) is bound to author %s", b->unit, i,
			    c->opcode,
			    CallBody_as_CallBackend(c->body)->author);
		if (CallBody_is_CallBackend(c->body) && c->effect)
			bad = diag_error(diag, no_loc, "bound.effect: %s: back "
			    "end %s has an effect", b->unit, c->opcode);
	}
	return bad;
}
