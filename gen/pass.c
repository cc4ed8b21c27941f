/* SPDX-License-Identifier: MIT */
#include "gen/pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* The constant epoch of ir-convention 2.5: a real build id would change every
 * digest with every build of the planner. */
#define PRODUCER "kvaot-0"

Header
header_of(const struct snapshot *parent, struct arena *arena)
{
	Header h = { .schema = IR_SCHEMA, .producer = PRODUCER };

	if (parent) {
		h.parents = arena_alloc(arena, sizeof *h.parents);
		h.parents[0] = parent->digest;
		h.n_parents = 1;
	}
	return h;
}

Lineage
lineage_one(const char *kind, const char *rule, const Id *source,
    struct arena *arena)
{
	Lineage l = { .kind = kind, .rule = rule };

	if (source) {
		l.sources = arena_alloc(arena, sizeof *l.sources);
		l.sources[0] = *source;
		l.n_sources = 1;
	}
	return l;
}

void
place_set(struct session *session, const Id *id, struct loc loc)
{
	char hex[2 * sizeof id->b + 1];
	struct loc *copy;

	copy = arena_alloc(session->places.arena, sizeof *copy);
	*copy = loc;
	hex_encode(hex, id->b, sizeof id->b);
	map_set(&session->places, hex, copy);
}

struct loc
place_get(const struct session *session, const Id *id)
{
	char hex[2 * sizeof id->b + 1];
	const struct loc *loc;

	hex_encode(hex, id->b, sizeof id->b);
	loc = map_get(&session->places, hex);
	return loc ? *loc : no_loc;
}

void
library_set(struct session *session, const Id *id)
{
	char hex[2 * sizeof id->b + 1];

	hex_encode(hex, id->b, sizeof id->b);
	map_set(&session->library, hex, session);
}

bool
library_has(const struct session *session, const Id *id)
{
	char hex[2 * sizeof id->b + 1];

	hex_encode(hex, id->b, sizeof id->b);
	return map_get(&session->library, hex);
}

int
pass_seal(const struct ir_type *type, const void *root,
    int (*verify)(const void *, struct diag *), struct arena *arena,
    struct snapshot *out, struct diag *diag)
{
	if (snapshot_seal(type, root, arena, out, diag))
		return -1;
	if (verify && verify(out->root, diag)) {
		snapshot_release(out);
		return -1;
	}
	return 0;
}

/* The first Header among the fields of a root. */
static const Header *
root_header(const struct ir_type *type, const void *root)
{
	for (uint32_t i = 0; i < type->n_field; i++)
		if (type->field[i].type == &Header_type)
			return ir_elem(&type->field[i], root, 0);
	BUG("%s has no header", type->wire);
}

static bool
has_parent(const Header *h, const Digest *parent)
{
	for (uint32_t i = 0; i < h->n_parents; i++)
		if (ir_digest_eq(&h->parents[i], parent))
			return true;
	return false;
}

int
pass_run(const struct pass *pass, const struct snapshot *in,
    struct session *session, struct arena *arena, struct snapshot *out,
    struct diag *diag)
{
	struct arena scratch = { 0 };
	const void *root;
	int bad = -1;

	if (in->type != pass->in)
		BUG("pass %s: input is not %s", pass->name, pass->in->wire);
	root = pass->run(in, session, &scratch, diag);
	if (root)
		bad = pass_seal(pass->out, root, pass->verify, arena, out,
		    diag);
	arena_release(&scratch);
	if (!root)
		return -1;
	if (bad)
		return diag_error(diag, no_loc, "pass %s (revision %s) made "
		    "a value that is refused", pass->name, pass->revision);
	if (!has_parent(root_header(out->type, out->root), &in->digest))
		BUG("pass %s does not name its input as parent", pass->name);
	return 0;
}
