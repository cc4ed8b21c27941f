/* SPDX-License-Identifier: MIT */
/* Level 3: groups, the four states, and what the verifier refuses. */
#include "gen/derive/graph.h"
#include "tests/t_gen.h"

Suite *gen_fusion_suite(void);

static const char *
name_of(const Fusion *f, const Id *id)
{
	const Buffer *b = &f->buffers[graph_buffer(f, id)];

	return *b->name ? b->name : "#";
}

static void
put_names(const Fusion *f, const Id *id, uint32_t n, struct buf *out)
{
	buf_puts(out, "(");
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", i ? ", " : "", name_of(f, &id[i]));
	buf_puts(out, ")");
}

static void
put_assumes(const Fusion *f, const Assume *assume, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		Assume a = assume[i];

		buf_printf(out, " %s", Assume_name(a.tag));
		switch (a.tag) {
		case Assume_AssumeAxis:
			put_names(f, &Assume_as_AssumeAxis(a)->param, 1, out);
			break;
		case Assume_AssumeShape:
			put_names(f, (Id[]){ Assume_as_AssumeShape(a)->param,
			    Assume_as_AssumeShape(a)->of }, 2, out);
			break;
		case Assume_AssumeSame:
			put_names(f, (Id[]){ Assume_as_AssumeSame(a)->a,
			    Assume_as_AssumeSame(a)->b }, 2, out);
			break;
		case Assume_AssumeCols:
			put_names(f, &Assume_as_AssumeCols(a)->axis, 1, out);
			break;
		}
	}
}

/* Its assumptions, then ` | ` and those of each further template. */
static void
put_kernel(const Fusion *f, const GroupKernel *k, struct buf *out)
{
	put_assumes(f, k->assumes, k->n_assumes, out);
	for (uint32_t i = 0; i < k->n_variants; i++) {
		buf_printf(out, " | %s", k->variants[i].template_);
		put_assumes(f, k->variants[i].assumes,
		    k->variants[i].n_assumes, out);
	}
}

/* A line a group: `fusable rows: exp sum (A) -> (B)` and its assumptions, or
 * `needs-template: argmax`. */
static char *
text_of(const Fusion *f)
{
	struct buf out = { 0 };
	char *text;

	for (uint32_t i = 0; i < f->n_groups; i++) {
		const Group *g = &f->groups[i];
		bool kernel = GroupBody_is_GroupKernel(g->body);

		buf_puts(&out, RegionState_name(f->regions[i].state.tag));
		if (kernel)
			buf_printf(&out, " %s", GroupBody_as_GroupKernel(
			    g->body)->template_);
		buf_puts(&out, ":");
		for (uint32_t k = 0; k < g->n_steps; k++) {
			const Step *s = &f->steps[graph_step(f, &g->steps[k])];
			const char *at = strstr(s->opcode, "·");

			buf_printf(&out, " %s", at ? at + 2 : s->opcode);
		}
		if (kernel) {
			buf_puts(&out, " ");
			put_names(f, g->inputs, g->n_inputs, &out);
			buf_puts(&out, " -> ");
			put_names(f, g->outputs, g->n_outputs, &out);
			put_kernel(f, GroupBody_as_GroupKernel(g->body), &out);
		}
		buf_puts(&out, "\n");
	}
	text = arena_strdup(&arena, out.p ? out.p : "");
	buf_release(&out);
	return text;
}

static const Fusion *
fuse(const char *functions)
{
	return unit_f(functions, LEVEL_FUSION)->fusion.root;
}

#define HEAD "rwfunc f(A:[*]float32, C:[*]float32, axis:int64, " \
	"dims:[]int64) -> (B:any) {\n"
#define F(body) HEAD body "}\n"

static void
ck_groups(const char *functions, const char *want)
{
	ck_assert_str_eq(text_of(fuse(functions)), want);
}

START_TEST(groups__softmax_is_one_kernel)
{
	ck_assert_str_eq(text_of(unit_of(SOFTMAX, "deepx·softmax",
	    LEVEL_FUSION)->fusion.root), "fusable rows: reducemax expshift "
	    "sum div (A) -> (B) axis(axis) | cols cols(axis)\n");
}
END_TEST

START_TEST(groups__single_op_is_fallback)
{
	const Fusion *f = fuse(F("deepx·relu(A) -> B\n"));
	const NotFusable *why;

	ck_assert_str_eq(text_of(f), "not-fusable: relu\n");
	why = RegionState_as_NotFusable(f->regions[0].state);
	ck_assert_str_eq(why->why, "alone");
	ck_assert(GroupBody_is_GroupFallback(f->groups[0].body));
	ck_assert_uint_eq(f->groups[0].n_inputs, 1);
}
END_TEST

/* Axes that no tensor of the known shape has are an error of the plan, those
 * of a tensor of unknown rank one of the run. */
START_TEST(axes__that_cannot_be_are_refused)
{
	ck_assert_int_eq(plan_text("lib t {\nrwfunc f(A:[2,3]float32) -> "
	    "(B:any) {\ndeepx·sum(A, 2, false) -> B\n}\n}\n", LEVEL_FUSION),
	    -1);
	ck_error("t.kv:3:1: TypeError: deepx/miaobyte·sum: axis 2 is out of "
	    "range for rank 2");
	again();
	ck_assert_int_eq(plan_text("lib t {\nrwfunc f(A:[2,3]float32) -> "
	    "(B:any) {\ndeepx·argmax(A, [1, -1], false) -> B\n}\n}\n",
	    LEVEL_FUSION), -1);
	ck_error("t.kv:3:1: TypeError: deepx/miaobyte·argmax: axis -1 appears "
	    "twice");
	again();
	ck_assert_str_eq(text_of(fuse(F("deepx·sum(A, 9, false) -> B\n"))),
	    "not-fusable: sum\n");
}
END_TEST

/* Ops of masks join those of numbers; reductions are of one dtype. */
START_TEST(groups__of_several_dtypes)
{
	/* The dtype that is converted to must be known. */
	ck_assert_str_eq(text_of(fuse("rwfunc f(A:[*]float32, d:[]char/utf32) "
	    "-> (B:any) {\ndeepx·exp(A) -> t\ndeepx·todtype(t, \"int8\") -> u\n"
	    "deepx·neg(u) -> v\ndeepx·todtype(v, d) -> B\n}\n")),
	    "fusable map: exp todtype neg (A) -> (v)\n"
	    "needs-template: todtype\n");
	again();
	ck_assert_str_eq(text_of(fuse(F("deepx·greater(A, C) -> m\n"
	    "deepx·isnan(C) -> n\ndeepx·or(m, n) -> o\n"
	    "deepx·where(o, A, C) -> B\n"))),
	    "fusable map: greater isnan or where (A, C) -> (B)\n");
	again();
	ck_assert_str_eq(text_of(fuse(F("deepx·isnan(C) -> n\n"
	    "deepx·where(n, A, C) -> t\ndeepx·reducemax(t, -1, true) -> m\n"
	    "deepx·equal(t, m, 0.0) -> B\n"))),
	    "fusable rows: isnan where reducemax equal (C, A, #) -> (B)\n");
	again();
	ck_assert_str_eq(text_of(fuse("rwfunc f(A:[*]float32, C:[*]float64) -> "
	    "(B:any) {\ndeepx·sum(A, -1, true) -> a\ndeepx·sum(C, -1, true) -> c\n"
	    "deepx·isnan(a) -> m\ndeepx·where(m, c, 0.0) -> B\n}\n")),
	    "not-fusable: sum\nfusable rows: sum isnan where (A, c, #) -> (B)\n");
}
END_TEST

/* The group grows only while each op has its operands in one dtype. */
START_TEST(groups__dtypes_that_do_not_meet_stay_apart)
{
	ck_assert_str_eq(text_of(fuse("rwfunc f(A:[*]float32, C:[*]float64) -> "
	    "(B:any, D:any) {\ndeepx·relu(A) -> t\ndeepx·exp(t) -> B\n"
	    "deepx·relu(C) -> u\ndeepx·exp(u) -> D\n}\n")),
	    "fusable map: relu exp (A) -> (B)\n"
	    "fusable map: relu exp (C) -> (D)\n");
	ck_assert_str_eq(text_of(fuse("rwfunc f(A:[*]float32, C:[*]int64) -> "
	    "(B:any) {\ndeepx·mul(C, A) -> t\ndeepx·relu(t) -> B\n}\n")),
	    "needs-template: mul\nnot-fusable: relu\n");
}
END_TEST

/* Sources of a lineage are entities of the level above. */
START_TEST(groups__lineage_names_the_calls)
{
	const struct unit *u = unit_f(F("deepx·relu(A) -> t\n"
	    "deepx·exp(t) -> u\nprint(u)\nu -> B\n"), LEVEL_FUSION);
	const Fusion *f = u->fusion.root;
	const Bound *b = u->bound.root;

	ck_assert_str_eq(f->groups[0].lineage.kind, "fused");
	ck_assert_uint_eq(f->groups[0].lineage.n_sources, 2);
	ck_assert(ir_id_eq(&f->groups[0].lineage.sources[1],
	    &b->calls[1].id));
	ck_assert_str_eq(f->groups[1].lineage.kind, "preserved");
	ck_assert_str_eq(f->regions[1].lineage.kind, "preserved");
	ck_assert(ir_id_eq(&f->regions[1].lineage.sources[0],
	    &b->calls[2].id));
}
END_TEST

START_TEST(groups__window_inside_a_longer_function)
{
	ck_groups(F("deepx·argmax(A, -1, true) -> i\n"
	    "print(i)\n"
	    "deepx·relu(A) -> t\n"
	    "deepx·reducemax(t, -1, true) -> m\n"
	    "deepx·expshift(t, m) -> e\n"
	    "deepx·sum(e, -1, true) -> s\n"
	    "deepx·div(e, s) -> d\n"
	    "deepx·reshape(d, dims) -> r\n"
	    "deepx·exp(r) -> u\n"
	    "deepx·mul(u, C) -> B\n"),
	    "needs-template: argmax\n"
	    "not-fusable: print\n"
	    "fusable rows: relu reducemax expshift sum div (A) -> (d)\n"
	    "needs-template: reshape\n"
	    "fusable map: exp mul (r, C) -> (B)\n");
}
END_TEST

START_TEST(groups__calls_are_inlined_first)
{
	ck_assert_str_eq(text_of(unit_of(SOFTMAX "lib t {\n"
	    F("deepx·mul(A, C) -> t\ndeepx·softmax(t, -1) -> u\n"
	    "deepx·relu(u) -> B\n") "}\n", "t·f", LEVEL_FUSION)->fusion.root),
	    "fusable rows: mul reducemax expshift sum div relu (A, C) -> (B)\n");
}
END_TEST

START_TEST(groups__nothing_moves_over_an_effect)
{
	const Fusion *f;

	ck_groups(F("deepx·relu(A) -> t\nprint(t)\ndeepx·exp(t) -> u\n"
	    "deepx·relu(u) -> B\n"),
	    "not-fusable: relu\nnot-fusable: print\n"
	    "fusable map: exp relu (t) -> (B)\n");
	again();
	/* Even when no data flows through the effect. */
	f = fuse(F("deepx·relu(A) -> t\nprint(axis)\ndeepx·exp(t) -> B\n"));
	ck_assert_str_eq(text_of(f), "not-fusable: relu\nnot-fusable: print\n"
	    "not-fusable: exp\n");
	ck_assert_str_eq(RegionState_as_NotFusable(f->regions[1].state)->why,
	    "effect");
}
END_TEST

START_TEST(groups__value_used_outside_becomes_output)
{
	ck_groups(F("deepx·relu(A) -> t\ndeepx·exp(t) -> u\n"
	    "deepx·argmax(t, -1, true) -> i\nprint(i)\nu -> B\n"),
	    "fusable map: relu exp (A) -> (t, u)\n"
	    "needs-template: argmax\nnot-fusable: print\n");
	again();
	/* Results of the unit too. */
	ck_groups("rwfunc f(A:[*]float32) -> (B:any, D:any) {\n"
	    "deepx·relu(A) -> D\ndeepx·exp(D) -> B\n}\n",
	    "fusable map: relu exp (A) -> (D, B)\n");
}
END_TEST

START_TEST(groups__unused_value_is_an_output)
{
	ck_groups(F("deepx·relu(A) -> t\ndeepx·exp(t) -> u\n"
	    "deepx·add(t, C) -> B\n"),
	    "fusable map: relu exp add (A, C) -> (u, B)\n");
}
END_TEST

/* relu and add would be left by reshape and entered again. */
START_TEST(groups__non_convex_candidate_is_refused)
{
	ck_groups(F("deepx·relu(A) -> t\ndeepx·reshape(t, dims) -> r\n"
	    "deepx·add(t, r) -> B\n"),
	    "not-fusable: relu\nneeds-template: reshape\nnot-fusable: add\n");
}
END_TEST

/* {relu, add} and {exp, mul} are each convex, but each needs the other. */
START_TEST(groups__two_groups_never_form_a_circle)
{
	ck_groups("rwfunc f(A:[*]float32, C:[*]float32, dims:[]int64) -> "
	    "(B:any, D:any) {\n"
	    "deepx·relu(A) -> x\ndeepx·exp(C) -> y\n"
	    "deepx·reshape(x, dims) -> p\ndeepx·reshape(y, dims) -> q\n"
	    "deepx·add(x, q) -> B\ndeepx·mul(y, p) -> D\n}\n",
	    "not-fusable: exp\nneeds-template: reshape\n"
	    "fusable map: relu add (A, q) -> (x, B)\n"
	    "needs-template: reshape\nnot-fusable: mul\n");
}
END_TEST

START_TEST(groups__author_without_vector_functions)
{
	add_backend("deepx/ref·relu", "float32");
	ck_groups(F("deepx·exp(A) -> t\ndeepx/ref·relu(t) -> u\n"
	    "deepx·exp(u) -> B\n"),
	    "not-fusable: exp\nneeds-template: relu\nnot-fusable: exp\n");
}
END_TEST

START_TEST(rows__keepdims_false)
{
	ck_groups(F("deepx·exp(A) -> t\ndeepx·sum(t, -1, false) -> B\n"),
	    "fusable rows: exp sum (A) -> (B)\n");
	again();
	/* [r] does not align with [r, n]. */
	ck_groups(F("deepx·exp(A) -> t\ndeepx·sum(t, -1, false) -> s\n"
	    "deepx·add(A, s) -> B\n"),
	    "fusable rows: exp sum (A) -> (s)\nnot-fusable: add\n");
}
END_TEST

START_TEST(rows__keepdims_by_parameter_is_not_taken)
{
	ck_groups("rwfunc f(A:[*]float32, k:bool) -> (B:any) {\n"
	    "deepx·exp(A) -> t\ndeepx·sum(t, -1, k) -> B\n}\n",
	    "not-fusable: exp\nneeds-template: sum\n");
}
END_TEST

#define SUM2(type, axis) "rwfunc f(A:" type ") -> (B:any) {\n" \
	"deepx·exp(A) -> t\ndeepx·sum(t, " axis ", true) -> B\n}\n"

START_TEST(rows__only_the_last_axis)
{
	ck_groups(SUM2("[4,8]float32", "1"),
	    "fusable rows: exp sum (A) -> (B)\n");
	again();
	ck_groups(SUM2("[4,8]float32", "[0, 1]"),
	    "not-fusable: exp\nneeds-template: sum\n");
}
END_TEST

START_TEST(cols__another_axis)
{
	ck_groups(SUM2("[*]float32", "0"),
	    "fusable cols: exp sum (A) -> (B) cols(#)\n");
	again();
	/* Unknown rank: the run knows whether 1 is the last. */
	ck_groups(SUM2("[*]float32", "1"),
	    "fusable cols: exp sum (A) -> (B) cols(#)\n");
	again();
	ck_groups(SUM2("[4,8]float32", "[-2]"),
	    "fusable cols: exp sum (A) -> (B) cols(#)\n");
}
END_TEST

/* Two axes are not one loop, unless they are the same in other words. */
START_TEST(cols__one_axis_for_all)
{
	ck_groups(F("deepx·sum(A, 0, true) -> s\ndeepx·sub(A, s) -> t\n"
	    "deepx·sum(t, 1, true) -> B\n"),
	    "fusable cols: sum sub (A) -> (t) cols(#)\n"
	    "not-fusable: sum\n");
	again();
	ck_groups(F("deepx·sum(A, 0, true) -> s\ndeepx·sub(A, s) -> t\n"
	    "deepx·sum(t, 0, true) -> B\n"),
	    "fusable cols: sum sub sum (A) -> (B) cols(#)\n");
	again();
	ck_groups("rwfunc f(A:[2,3,4]float32) -> (B:any) {\n"
	    "deepx·sum(A, 1, true) -> s\ndeepx·sub(A, s) -> t\n"
	    "deepx·sum(t, -2, true) -> B\n}\n",
	    "fusable cols: sum sub sum (A) -> (B) cols(#)\n");
}
END_TEST

/* With known dims an operand is whole or has 1 at the axis. */
START_TEST(cols__operands_of_known_dims)
{
#define SCALED(dims) "rwfunc f(A:[2,3,4]float32, C:" dims "float32) -> " \
	"(B:any) {\ndeepx·mul(A, C) -> t\ndeepx·sum(t, 1, true) -> B\n}\n"
	ck_groups(SCALED("[2,1,4]"),
	    "fusable cols: mul sum (A, C) -> (B) cols(#)\n");
	again();
	ck_groups(SCALED("[3,1]"), "not-fusable: mul\nnot-fusable: sum\n");
}
END_TEST

/* The parameter counts axes of the product: both must have its rank. */
START_TEST(rows__axis_by_parameter_is_an_assumption)
{
	ck_groups(F("deepx·mul(A, C) -> t\ndeepx·sum(t, axis, true) -> B\n"),
	    "fusable rows: mul sum (A, C) -> (B) axis(axis) same(A, C) | cols "
	    "cols(axis)\n");
}
END_TEST

START_TEST(rows__computed_axis_is_not_taken)
{
	ck_groups(F("deepx·argmax(A, -1, true) -> i\ndeepx·exp(A) -> t\n"
	    "deepx·sum(t, i, true) -> B\n"),
	    "needs-template: argmax\nnot-fusable: exp\nneeds-template: sum\n");
}
END_TEST

START_TEST(views__broadcast_to_a_parameter)
{
	ck_groups(F("deepx·sum(A, -1, true) -> s\n"
	    "deepx·broadcastTo(s, dims) -> t\ndeepx·div(A, t) -> B\n"),
	    "fusable rows: sum broadcastTo div (A) -> (B) shape(dims, A)\n");
	again();
	ck_groups(F("deepx·broadcastTo(A, dims) -> t\n"
	    "deepx·add(t, C) -> B\n"),
	    "fusable map: broadcastTo add (A, C) -> (B) shape(dims, C)\n");
	again();
	/* Nothing but itself says what it broadcasts to. */
	ck_groups(F("deepx·broadcastTo(A, dims) -> t\ndeepx·relu(t) -> B\n"),
	    "needs-template: broadcastTo\nnot-fusable: relu\n");
}
END_TEST

START_TEST(limits__at_most_four_outputs)
{
	ck_groups("rwfunc f(A:[*]float32) -> (a:any, b:any, c:any, d:any, "
	    "e:any) {\ndeepx·relu(A) -> a\ndeepx·exp(a) -> b\n"
	    "deepx·exp(b) -> c\ndeepx·exp(c) -> d\ndeepx·exp(d) -> e\n}\n",
	    "fusable map: relu exp exp exp (A) -> (a, b, c, d)\n"
	    "not-fusable: exp\n");
}
END_TEST

/* A bound level with the classes of its calls changed by hand. */
static const Fusion *
fuse_classes(const char *functions, const char *const *cls)
{
	const struct unit *u = unit_f(functions, LEVEL_BOUND);
	struct snapshot bound, out;
	Bound b = *(const Bound *)u->bound.root;
	Call *call = arena_array(&arena, b.n_calls, sizeof *call);
	const Fusion *f;

	for (uint32_t i = 0; i < b.n_calls; i++) {
		call[i] = b.calls[i];
		call[i].facts.cls = cls[i];
	}
	b.calls = call;
	ck_assert_int_eq(pass_seal(&Bound_type, &b, bound_verify, &arena,
	    &bound, &diag), 0);
	ck_assert_int_eq(pass_run(&fusion_fuse, &bound, &plan.session, &arena,
	    &out, &diag), 0);
	f = ir_decode(&Fusion_type, (const uint8_t *)out.bytes.p, out.bytes.n,
	    &arena, &diag);
	snapshot_release(&bound);
	snapshot_release(&out);
	return f;
}

#define THREE F("deepx·add(A, C) -> t\ndeepx·add(t, C) -> u\n" \
	"deepx·relu(u) -> B\n")

START_TEST(heavy__limit_splits)
{
	const Fusion *f = fuse_classes(THREE, (const char *const[]){ "heavy",
	    "heavy", "map" });

	ck_assert_str_eq(text_of(f), "must-split: add\nneeds-template: add\n"
	    "not-fusable: relu\n");
	ck_assert_uint_eq(RegionState_as_MustSplit(f->regions[0].state)->heavy,
	    2);
	ck_assert_uint_eq(f->heavy_limit, 2);
}
END_TEST

START_TEST(heavy__one_needs_a_template)
{
	const Fusion *f = fuse_classes(THREE, (const char *const[]){ "map",
	    "heavy", "map" });

	ck_assert_str_eq(text_of(f), "not-fusable: add\nneeds-template: add\n"
	    "not-fusable: relu\n");
	ck_assert_str_eq(RegionState_as_NeedsTemplate(f->regions[1].state)->
	    pattern, "deepx·add");
}
END_TEST

START_TEST(classes__barrier_and_unknown_are_not_fusable)
{
	const Fusion *f = fuse_classes(THREE, (const char *const[]){ "effect",
	    "other", "map" });

	ck_assert_str_eq(text_of(f), "not-fusable: add\nnot-fusable: add\n"
	    "not-fusable: relu\n");
	for (int i = 0; i < 2; i++)
		ck_assert_str_eq(RegionState_as_NotFusable(
		    f->regions[i].state)->why, "unsupported-op");
}
END_TEST

/* A Fusion that may be changed: relu and exp in a kernel, print, then mul and
 * add in a kernel. */
static Fusion *
valid(void)
{
	const struct unit *u = unit_f(F("deepx·relu(A) -> t\n"
	    "deepx·exp(t) -> u\nprint(u)\ndeepx·mul(u, C) -> v\n"
	    "deepx·add(v, C) -> B\n"), LEVEL_FUSION);
	Fusion *f = ir_decode(&Fusion_type, (const uint8_t *)
	    u->fusion.bytes.p, u->fusion.bytes.n, &arena, &diag);

	ck_assert_str_eq(text_of(f), "fusable map: relu exp (A) -> (u)\n"
	    "not-fusable: print\nfusable map: mul add (u, C) -> (B)\n");
	ck_assert_int_eq(fusion_verify(f, &diag), 0);
	return f;
}

/* The verifier refuses it with this code and no other. */
static void
ck_code(const Fusion *f, const char *code)
{
	ck_assert_int_eq(fusion_verify(f, &diag), -1);
	ck_assert_msg(code_count(code) == diag.errors, "expected %s alone, "
	    "found %s", code, diag.item[0].text);
}

/* The verifier refuses it, and this code is among the reasons. */
static void
ck_among(const Fusion *f, const char *code)
{
	ck_assert_int_eq(fusion_verify(f, &diag), -1);
	ck_assert_msg(code_count(code) > 0, "no %s, but %s", code,
	    diag.item[0].text);
}

START_TEST(verify__step_in_two_groups)
{
	Fusion *f = valid();
	Group *g = &f->groups[2];

	g->steps = (Id[]){ g->steps[0], g->steps[1], f->groups[0].steps[0] };
	g->n_steps = 3;
	ck_among(f, "fusion.partition");
}
END_TEST

START_TEST(verify__step_dropped)
{
	Fusion *f = valid();

	f->groups[1].n_steps = 0;
	ck_among(f, "fusion.partition");
}
END_TEST

START_TEST(verify__groups_out_of_order)
{
	Fusion *f = valid();
	Group g = f->groups[0];

	f->groups[0] = f->groups[2];
	f->groups[2] = g;
	ck_among(f, "fusion.convex");
}
END_TEST

/* exp moves into the group of mul, over the effect. */
START_TEST(verify__step_moved)
{
	Fusion *f = valid();

	f->groups[2].steps = (Id[]){ f->groups[0].steps[1],
		f->groups[2].steps[0], f->groups[2].steps[1] };
	f->groups[2].n_steps = 3;
	f->groups[0].n_steps = 1;
	ck_among(f, "fusion.effect");
}
END_TEST

START_TEST(verify__effect_in_a_kernel)
{
	Fusion *f = valid();

	f->steps[0].effect = true;
	ck_among(f, "fusion.effect");
}
END_TEST

START_TEST(verify__too_heavy)
{
	Fusion *f = valid();

	f->steps[0].facts.cls = f->steps[1].facts.cls = "heavy";
	ck_code(f, "fusion.heavy");
}
END_TEST

START_TEST(verify__kernel_of_a_region_that_is_not_fusable)
{
	Fusion *f = valid();

	f->regions[0].state = f->regions[1].state;
	ck_code(f, "fusion.state");
}
END_TEST

START_TEST(verify__internal_value_leaks)
{
	Fusion *f = valid();

	/* exp no longer says that it gives u. */
	f->groups[0].n_outputs = 0;
	ck_code(f, "fusion.cut");
}
END_TEST

START_TEST(verify__input_is_missing)
{
	Fusion *f = valid();

	f->groups[2].n_inputs = 1;
	ck_code(f, "fusion.cut");
}
END_TEST

START_TEST(verify__own_value_as_input)
{
	Fusion *f = valid();

	f->groups[0].inputs = (Id[]){ f->groups[0].inputs[0],
		f->steps[0].outputs[0] };
	f->groups[0].n_inputs = 2;
	ck_code(f, "fusion.cut");
}
END_TEST

START_TEST(verify__foreign_value_as_output)
{
	Fusion *f = valid();

	f->groups[2].outputs = (Id[]){ f->groups[2].outputs[0],
		f->groups[0].outputs[0] };
	f->groups[2].n_outputs = 2;
	ck_code(f, "fusion.cut");
}
END_TEST

Suite *
gen_fusion_suite(void)
{
	Suite *s = suite_create("gen_fusion");
	TCase *tc = gen_case(s, "groups");

	tcase_add_test(tc, axes__that_cannot_be_are_refused);
	tcase_add_test(tc, groups__softmax_is_one_kernel);
	tcase_add_test(tc, groups__single_op_is_fallback);
	tcase_add_test(tc, groups__of_several_dtypes);
	tcase_add_test(tc, groups__dtypes_that_do_not_meet_stay_apart);
	tcase_add_test(tc, groups__lineage_names_the_calls);
	tcase_add_test(tc, groups__window_inside_a_longer_function);
	tcase_add_test(tc, groups__calls_are_inlined_first);
	tcase_add_test(tc, groups__nothing_moves_over_an_effect);
	tcase_add_test(tc, groups__value_used_outside_becomes_output);
	tcase_add_test(tc, groups__unused_value_is_an_output);
	tcase_add_test(tc, groups__non_convex_candidate_is_refused);
	tcase_add_test(tc, groups__two_groups_never_form_a_circle);
	tcase_add_test(tc, groups__author_without_vector_functions);
	tcase_add_test(tc, rows__keepdims_false);
	tcase_add_test(tc, rows__keepdims_by_parameter_is_not_taken);
	tcase_add_test(tc, rows__only_the_last_axis);
	tcase_add_test(tc, cols__another_axis);
	tcase_add_test(tc, cols__one_axis_for_all);
	tcase_add_test(tc, cols__operands_of_known_dims);
	tcase_add_test(tc, rows__axis_by_parameter_is_an_assumption);
	tcase_add_test(tc, rows__computed_axis_is_not_taken);
	tcase_add_test(tc, views__broadcast_to_a_parameter);
	tcase_add_test(tc, limits__at_most_four_outputs);
	tcase_add_test(tc, heavy__limit_splits);
	tcase_add_test(tc, heavy__one_needs_a_template);
	tcase_add_test(tc, classes__barrier_and_unknown_are_not_fusable);
	tc = gen_case(s, "verify");
	tcase_add_test(tc, verify__step_in_two_groups);
	tcase_add_test(tc, verify__step_dropped);
	tcase_add_test(tc, verify__groups_out_of_order);
	tcase_add_test(tc, verify__step_moved);
	tcase_add_test(tc, verify__effect_in_a_kernel);
	tcase_add_test(tc, verify__too_heavy);
	tcase_add_test(tc, verify__kernel_of_a_region_that_is_not_fusable);
	tcase_add_test(tc, verify__internal_value_leaks);
	tcase_add_test(tc, verify__input_is_missing);
	tcase_add_test(tc, verify__own_value_as_input);
	tcase_add_test(tc, verify__foreign_value_as_output);
	return s;
}
