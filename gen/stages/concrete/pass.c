/* SPDX-License-Identifier: MIT */
#include "gen/stages/concrete/concrete.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "gen/derive/dtype.h"
#include "gen/derive/form.h"
#include "gen/stages/concrete/place.h"

#define IR_DEF "gen/stages/concrete/concrete.def"
#include "gen/ir/desc.h"

struct specializer {
	struct session *session;
	struct arena *arena;
	const Fusion *f;
	struct graph g;
	struct dtypes dtypes;
	Concrete *c;
	size_t cap;
};

static const char *
form_word(enum form form)
{
	static const char *const words[] = { "", "one", "full", "row", "row" };

	return words[form];
}

/* What one kernel of a group is made with. */
struct choice {
	const struct template *t;
	const struct made *made;
	const Assume *assume;
	uint32_t nassume;
};

static void
put_dims(const struct shape *s, struct buf *out)
{
	for (int i = 0; i < s->rank; i++)
		buf_printf(out, "%s%lld", i ? "x" : "", (long long)s->dim[i]);
}

/* `:bool` where a value is of another dtype than the entry. */
static void
put_dtype(const struct choice *c, uint32_t b, struct buf *out)
{
	if (c->made->of[b] != c->made->t)
		buf_printf(out, ":%s", dtype_name(c->made->of[b]));
}

/* The manifest's pattern of one operand: its dims when known, else what the
 * plan assumes. */
static void
put_pattern(const struct specializer *sp, const struct fit *fit,
    const struct choice *c, uint32_t b, bool known, struct buf *out)
{
	const struct shape *s = &sp->g.shape[b].shape;

	if (fit->form[b] == FORM_ONE)
		buf_puts(out, "()");
	else if (!known)
		buf_puts(out, !c->t->reduce_last ? "*" :
		    fit->form[b] == FORM_ROW ? "*x1" : "*xn");
	else
		put_dims(s, out);
	put_dtype(c, b, out);
}

static const char *
patterns_of(const struct specializer *sp, const struct fit *fit,
    const struct choice *c, bool known)
{
	struct buf out = { 0 };
	char *text;

	for (uint32_t i = 0; i < fit->ninput; i++) {
		buf_puts(&out, i ? "," : "");
		put_pattern(sp, fit, c, fit->input[i], known, &out);
	}
	text = arena_strdup(sp->arena, out.p);
	buf_release(&out);
	return text;
}

/* Marks the operands whose dims, broadcast together, are those of a buffer of
 * the group. Of buffers, seen has those that were looked at: a value may be
 * used on many ways. */
static void
cone(const struct specializer *sp, const struct fit *fit, uint32_t b,
    bool *from, bool *seen)
{
	int64_t s = sp->g.producer[b];

	if (seen[b])
		return;
	seen[b] = true;
	for (uint32_t i = 0; i < fit->ninput; i++)
		if (fit->input[i] == b) {
			from[i] = true;
			return;
		}
	if (fit->shape_of >= 0 &&
	    !strcmp(sp->f->steps[s].facts.shape, "target")) {
		from[fit->shape_of] = true;
		return;
	}
	for (uint32_t i = 0; i < sp->f->steps[s].n_inputs; i++)
		if (!step_attr(&sp->f->steps[s], i))
			cone(sp, fit, sp->g.in[s][i], from, seen);
}

/* The dims of an output as an expression over the operands. Known dims stand
 * as they are, but for a dropped axis: `3` would not say whether it runs along
 * the rows. */
static void
outdims_of(const struct specializer *sp, const struct fit *fit, uint32_t b,
    bool known, const struct choice *c, struct buf *out)
{
	static const char *const words[] = { "", "", "bc", "keep", "drop" };
	enum form form = c->t->need_reduce ? fit->form[b] : FORM_FULL;
	const struct shape *s = &sp->g.shape[b].shape;
	bool from[MAX_INPUTS] = { 0 };
	bool *seen = arena_array(sp->arena, sp->f->n_buffers, sizeof *seen);
	uint32_t n = 0, last = 0;

	if (known && form != FORM_DROP) {
		put_dims(s, out);
		return;
	}
	cone(sp, fit, b, from, seen);
	for (uint32_t i = 0; i < fit->ninput; i++)
		if (from[i]) {
			n++;
			last = i;
		}
	if (form == FORM_FULL && n == 1) {
		buf_printf(out, "=%u", last);
		return;
	}
	buf_printf(out, "%s(", words[form]);
	for (uint32_t i = 0, k = 0; i < fit->ninput; i++)
		if (from[i])
			buf_printf(out, "%s%u", k++ ? "," : "", i);
	buf_puts(out, ")");
}

static const char *
buffer_name(const struct specializer *sp, const Id *id)
{
	return sp->f->buffers[graph_buffer(sp->f, id)].name;
}

/* `axis!=-1`, or `0!=-1` for a literal. */
static void
put_cols(const struct specializer *sp, const AssumeCols *a, struct buf *out)
{
	uint32_t b = graph_buffer(sp->f, &a->axis);
	int64_t axis;

	if (graph_literal(&sp->g, b, &axis, 1) == 1)
		buf_printf(out, "%lld!=-1", (long long)axis);
	else
		buf_printf(out, "%s!=-1", sp->f->buffers[b].name);
}

/* What the runtime has to check. */
static const char *
guard_of(const struct specializer *sp, const struct choice *c)
{
	struct buf out = { 0 };
	char *text;

	for (uint32_t i = 0; i < c->nassume; i++) {
		Assume a = c->assume[i];

		buf_puts(&out, i ? "&" : "");
		switch (a.tag) {
		case Assume_AssumeCols:
			put_cols(sp, Assume_as_AssumeCols(a), &out);
			break;
		case Assume_AssumeAxis:
			buf_printf(&out, "%s==-1", buffer_name(sp,
			    &Assume_as_AssumeAxis(a)->param));
			break;
		case Assume_AssumeShape:
			buf_printf(&out, "%s==dims(%s)", buffer_name(sp,
			    &Assume_as_AssumeShape(a)->param), buffer_name(sp,
			    &Assume_as_AssumeShape(a)->of));
			break;
		case Assume_AssumeSame:
			buf_printf(&out, "same(%s,%s)", buffer_name(sp,
			    &Assume_as_AssumeSame(a)->a), buffer_name(sp,
			    &Assume_as_AssumeSame(a)->b));
			break;
		}
	}
	text = arena_strdup(sp->arena, out.p ? out.p : "");
	buf_release(&out);
	return text;
}

static Digest
shape_hash(const Kernel *k)
{
	struct sha256 h;
	Digest d;

	sha256_init(&h);
	sha256_add(&h, k->dtype, strlen(k->dtype) + 1);
	sha256_add(&h, k->patterns, strlen(k->patterns) + 1);
	sha256_add(&h, k->outdims, strlen(k->outdims) + 1);
	sha256_add(&h, k->template_, strlen(k->template_) + 1);
	sha256_done(&h, d.b);
	return d;
}

/* The extent along the rows or columns, when the template may know it. */
static Spec
spec_of(const struct specializer *sp, const struct fit *fit, bool known)
{
	static const SpecDynamic dynamic;
	SpecFixed *fixed;

	for (uint32_t i = 0; known && i < fit->ninput; i++) {
		const struct shape *s = &sp->g.shape[fit->input[i]].shape;

		if (fit->form[fit->input[i]] != FORM_FULL)
			continue;
		fixed = arena_alloc(sp->arena, sizeof *fixed);
		fixed->n = s->dim[fit->axis < 0 ? s->rank - 1 : fit->axis];
		return Spec_of_SpecFixed(fixed);
	}
	return Spec_of_SpecDynamic(&dynamic);
}

static void
add_kernel(struct specializer *sp, const Group *g, uint32_t index,
    const struct fit *fit, const uint32_t *steps,
    const struct choice *choice, bool known)
{
	struct buf dims = { 0 };
	char hex[2 * sizeof g->id.b + 1];
	Kernel *k;

	sp->c->kernels = arena_grow(sp->arena, sp->c->kernels,
	    sp->c->n_kernels, &sp->cap, sizeof *k);
	k = &sp->c->kernels[sp->c->n_kernels++];
	*k = (Kernel){ .group = g->id, .index = index,
		.template_ = choice->t->name, .revision = choice->t->revision,
		.dtype = dtype_name(choice->made->t), .spec = spec_of(sp, fit, known),
		.patterns = patterns_of(sp, fit, choice, known),
		.guard = guard_of(sp, choice),
		.lineage = lineage_one("lowered", "plan-kernel", &g->id,
		    sp->arena) };
	for (uint32_t i = 0; i < fit->noutput; i++) {
		buf_puts(&dims, i ? "," : "");
		outdims_of(sp, fit, fit->output[i], known, choice, &dims);
		put_dtype(choice, fit->output[i], &dims);
	}
	k->outdims = arena_strdup(sp->arena, dims.p);
	buf_release(&dims);
	k->shape_hash = shape_hash(k);
	hex_encode(hex, g->id.b, sizeof g->id.b);
	k->id = ir_id('k', (const char *const[]){ sp->f->unit, hex, k->dtype,
		k->patterns, k->template_ }, 5);
	place_kernel(sp->session, &sp->g, fit, choice->made->of, steps,
	    g->n_steps, form_word, k, sp->arena);
}

/* Kernels of one group with one template: one a dtype; only the specialised one
 * where all dims are known. */
static int
specialize_choice(struct specializer *sp, const Group *g, uint32_t index,
    struct choice *choice, struct diag *diag)
{
	const struct template *t = choice->t;
	uint32_t *steps = arena_array(sp->arena, g->n_steps, sizeof *steps);
	struct made made[N_DTYPES];
	struct fit fit;
	bool known = true;
	int n;

	for (uint32_t i = 0; i < g->n_steps; i++)
		steps[i] = graph_step(sp->f, &g->steps[i]);
	if (!form_fit(&sp->g, t, steps, g->n_steps, &fit, sp->arena)) {
		if (sp->session->release)
			return diag_error(diag, no_loc, "%s.%llu was released "
			    "and cannot be built any more: template %s does "
			    "not take its group: %s", sp->f->unit,
			    (unsigned long long)sp->session->version, t->name,
			    fit.why);
		BUG("%s: template %s no longer takes its group: %s",
		    sp->f->unit, t->name, fit.why);
	}
	for (uint32_t i = 0; i < fit.ninput; i++)
		known &= sp->g.shape[fit.input[i]].known;
	for (uint32_t i = 0; i < fit.noutput; i++)
		known &= sp->g.shape[fit.output[i]].known;
	n = dtypes_kernels(&sp->dtypes, &sp->g, &(struct cut){ sp->f, t,
		steps, g->n_steps }, &fit, made, sp->arena);
	for (int i = 0; i < n; i++) {
		choice->made = &made[i];
		add_kernel(sp, g, index, &fit, steps, choice, known);
	}
	return 0;
}

static int
specialize_group(struct specializer *sp, const Group *g, uint32_t index,
    struct diag *diag)
{
	const GroupKernel *k = GroupBody_as_GroupKernel(g->body);
	const struct fusion_rules *rules = sp->session->rules;
	struct choice choice = { rules_revision(rules, k->template_,
	    &k->revision), NULL, k->assumes, k->n_assumes };
	int bad = specialize_choice(sp, g, index, &choice, diag);

	for (uint32_t i = 0; i < k->n_variants; i++) {
		const Variant *v = &k->variants[i];

		choice = (struct choice){ rules_revision(rules, v->template_,
		    &v->revision), NULL, v->assumes, v->n_assumes };
		bad |= specialize_choice(sp, g, index, &choice, diag);
	}
	return bad;
}

static const void *
specialize_run(const struct snapshot *in, struct session *session,
    struct arena *arena, struct diag *diag)
{
	struct specializer sp = { .session = session, .arena = arena,
		.f = in->root, .c = arena_alloc(arena, sizeof(Concrete)) };
	uint32_t index = 0;
	int bad = 0;

	sp.c->header = header_of(in, arena);
	sp.c->unit = sp.f->unit;
	graph_init(&sp.g, sp.f, arena);
	dtypes_init(&sp.dtypes, &sp.g, arena);
	for (uint32_t i = 0; i < sp.f->n_groups; i++)
		if (GroupBody_is_GroupKernel(sp.f->groups[i].body))
			bad |= specialize_group(&sp, &sp.f->groups[i], index++,
			    diag);
	return bad ? NULL : sp.c;
}

const struct pass concrete_specialize = {
	.name = "specialize", .revision = "1", .in = &Fusion_type,
	.out = &Concrete_type, .verify = concrete_verify,
	.run = specialize_run,
};
