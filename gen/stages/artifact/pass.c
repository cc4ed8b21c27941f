/* SPDX-License-Identifier: MIT */
#include "gen/stages/artifact/artifact.h"

#include <string.h>

#include "base/fatal.h"
#include "base/sha256.h"
#include "gen/catalog.h"
#include "gen/emit/kernel.h"

#define IR_DEF "gen/stages/artifact/artifact.def"
#include "gen/ir/desc.h"

struct emit {
	struct session *session;
	struct arena *arena;
	struct diag *diag;
	const Concrete *c;
	Artifact *a;
};

/* `kernels/deepx.softmax,k0,float32,dyn`: never a version. A released plan has
 * the beginning of its digest before k0; `cols` stands before what is last. */
static const char *
stem_of(const struct emit *e, const Kernel *k)
{
	const char *release = e->session->release;
	char hex[2 * sizeof k->shape_hash.b + 1];

	hex_encode(hex, k->shape_hash.b, sizeof k->shape_hash.b);
	return arena_printf(e->arena, "kernels/%s,%s%sk%llu,%s,%s%.12s",
	    name_escape(e->arena, e->c->unit), release ? release : "",
	    release ? "," : "", (unsigned long long)k->index, k->dtype,
	    strcmp(k->template_, "cols") ? "" : "cols,",
	    Spec_is_SpecDynamic(k->spec) ? "dyn" : hex);
}

static void
set_text(struct emit *e, const char *path, struct buf *text)
{
	struct str *copy = arena_alloc(e->session->texts.arena, sizeof *copy);

	copy->p = arena_strndup(e->session->texts.arena, text->p, text->n);
	copy->n = text->n;
	map_set(&e->session->texts, path, copy);
	buf_release(text);
}

static Id
artifact_id(const struct emit *e, char kind, const Id *kernel,
    const char *more)
{
	char hex[2 * sizeof kernel->b + 1];
	const char *parts[] = { e->c->unit, hex, more };

	hex_encode(hex, kernel->b, sizeof kernel->b);
	return ir_id(kind, parts, 3);
}

/* An operand's langtype: any tensor of the entry's dtype, or of its own. */
static void
put_langtype(const Kernel *k, const KValue *v, struct buf *out)
{
	if (strcmp(v->dtype, k->dtype))
		buf_printf(out, "[*]%s", v->dtype);
	else
		buf_puts(out, "any");
}

static const KValue *
value_of(const Kernel *k, const Id *id)
{
	for (uint32_t i = 0; i < k->n_values; i++)
		if (ir_id_eq(&k->values[i].id, id))
			return &k->values[i];
	BUG("a result is no value of its kernel");
}

static const char *
langtypes_of(const struct emit *e, const Kernel *k)
{
	struct buf out = { 0 };
	char *text;

	for (U64 i = 0; i < k->nin; i++) {
		buf_puts(&out, i ? "," : "");
		put_langtype(k, &k->values[i], &out);
	}
	buf_puts(&out, "->");
	for (uint32_t i = 0; i < k->n_outs; i++) {
		buf_puts(&out, i ? "," : "");
		put_langtype(k, value_of(k, &k->outs[i].value), &out);
	}
	text = arena_strdup(e->arena, out.p);
	buf_release(&out);
	return text;
}

static int
emit_source(struct emit *e, const Kernel *k, const char *stem)
{
	const struct template *t = rules_revision(e->session->rules,
	    k->template_, &k->revision);
	Source *s = &e->a->sources[e->a->n_sources++];
	struct buf c = { 0 }, map = { 0 };

	const char *langtypes = langtypes_of(e, k);

	if (kernel_emit(&k, 1, t, e->session, "", &langtypes, e->arena,
	    &c, &map, e->diag)) {
		buf_release(&c);
		buf_release(&map);
		return -1;
	}
	*s = (Source){ .id = artifact_id(e, 'n', &k->id, ""),
		.path = arena_printf(e->arena, "%s.c", stem), .length = c.n,
		.lineage = lineage_one("lowered", "emit-source", &k->id,
		    e->arena) };
	sha256_of(c.p, c.n, s->digest.b);
	set_text(e, s->path, &c);
	set_text(e, arena_printf(e->arena, "%s.map", stem), &map);
	return 0;
}

static void
emit_actions(struct emit *e, const Kernel *k, const char *stem)
{
	static const StatePlanned planned;
	const Source *source = &e->a->sources[e->a->n_sources - 1];
	const struct template *t = rules_revision(e->session->rules,
	    k->template_, &k->revision);

	for (const char *const *isa = e->session->isas; *isa; isa++) {
		Action *a = &e->a->actions[e->a->n_actions++];
		Registration *r =
		    &e->a->registrations[e->a->n_registrations++];

		*a = (Action){ .id = artifact_id(e, 'a', &k->id, *isa),
			.source = source->id, .isa = *isa,
			.receipt = arena_printf(e->arena, "%s.%s.ok", stem,
			    *isa),
			.state = BuildState_of_StatePlanned(&planned),
			.lineage = lineage_one("lowered", "compile", &k->id,
			    e->arena) };
		*r = (Registration){ .id = artifact_id(e, 'e', &k->id, *isa),
			.action = a->id, .base = e->c->unit,
			.version = e->session->version,
			.opcode = arena_printf(e->arena, "%s.%llu.k%llu",
			    e->c->unit, (unsigned long long)
			    e->session->version, (unsigned long long)k->index),
			.dtype = k->dtype, .pattern = k->patterns,
			.guard = k->guard, .cls = template_entry(t),
			.outdims = k->outdims, .shape_hash = k->shape_hash,
			.lineage = lineage_one("lowered", "register", &k->id,
			    e->arena) };
	}
}

static const void *
emit_run(const struct snapshot *in, struct session *session,
    struct arena *arena, struct diag *diag)
{
	struct emit e = { session, arena, diag, in->root,
		arena_alloc(arena, sizeof(Artifact)) };
	size_t n = 0, nk = e.c->n_kernels;

	while (session->isas[n])
		n++;
	e.a->header = header_of(in, arena);
	e.a->unit = e.c->unit;
	e.a->sources = arena_array(arena, nk, sizeof *e.a->sources);
	e.a->actions = arena_array(arena, nk * n, sizeof *e.a->actions);
	e.a->registrations = arena_array(arena, nk * n,
	    sizeof *e.a->registrations);
	for (uint32_t i = 0; i < e.c->n_kernels; i++) {
		const Kernel *k = &e.c->kernels[i];
		const char *stem = stem_of(&e, k);

		if (emit_source(&e, k, stem))
			return NULL;
		emit_actions(&e, k, stem);
	}
	return e.a;
}

const struct pass artifact_emit = {
	.name = "emit", .revision = "1", .in = &Concrete_type,
	.out = &Artifact_type, .verify = artifact_verify, .run = emit_run,
};

/* The receipt of an action as its built state. */
static int
seal_action(const struct session *session, Action *a, struct arena *arena,
    struct diag *diag)
{
	StateBuilt *built = arena_alloc(arena, sizeof *built);
	struct receipt r;

	if (catalog_receipt(session->cache, arena_printf(arena, "%s/%s",
	    session->build, a->receipt), &r, diag))
		return -1;
	if (!hex_decode(built->action.b, 32, str_of(r.action)) ||
	    !hex_decode(built->object.b, 32, str_of(r.object)))
		BUG("receipt %s was read with wrong digests", a->receipt);
	built->size = r.size;
	a->state = BuildState_of_StateBuilt(built);
	return 0;
}

static const void *
seal_run(const struct snapshot *in, struct session *session,
    struct arena *arena, struct diag *diag)
{
	const Artifact *from = in->root;
	Artifact *a = arena_alloc(arena, sizeof *a);
	int bad = 0;

	*a = *from;
	a->header = header_of(in, arena);
	a->actions = arena_array(arena, a->n_actions, sizeof *a->actions);
	for (uint32_t i = 0; i < a->n_actions; i++) {
		a->actions[i] = from->actions[i];
		bad |= seal_action(session, &a->actions[i], arena, diag);
	}
	return bad ? NULL : a;
}

const struct pass artifact_seal = {
	.name = "seal", .revision = "1", .in = &Artifact_type,
	.out = &Artifact_type, .verify = artifact_verify, .run = seal_run,
};
