/* SPDX-License-Identifier: MIT */
/* Level 4: phases, places, and what the manifest says of a kernel. */
#include "tests/t_gen.h"

Suite *gen_concrete_suite(void);

static const KValue *
value_of(const Kernel *k, const Id *id)
{
	for (uint32_t i = 0; i < k->n_values; i++)
		if (ir_id_eq(&k->values[i].id, id))
			return &k->values[i];
	ck_abort_msg("no such value");
}

static void
put_value(const KValue *v, struct buf *out)
{
	buf_printf(out, "%s %s %s", *v->name ? v->name : "#", v->form,
	    Place_name(v->place.tag));
	switch (v->place.tag) {
	case Place_PlaceInput:
		buf_printf(out, "%llu", (unsigned long long)
		    Place_as_PlaceInput(v->place)->index);
		break;
	case Place_PlaceOutput:
		buf_printf(out, "%llu", (unsigned long long)
		    Place_as_PlaceOutput(v->place)->index);
		break;
	case Place_PlaceScratch:
		buf_printf(out, "%llu", (unsigned long long)
		    Place_as_PlaceScratch(v->place)->row);
		break;
	case Place_PlaceRegister:
		break;
	}
}

/*
 * phase class function(reads) -> output and its form and place, a line a step;
 * then the outputs: phase and name, `!` when NaN is made canonical.
 */
static char *
text_of(const Kernel *k)
{
	struct buf out = { 0 };
	char *text;

	for (uint32_t i = 0; i < k->n_steps; i++) {
		const KStep *s = &k->steps[i];

		buf_printf(&out, "%llu %s %s(", (unsigned long long)s->phase,
		    s->cls, s->vec);
		for (uint32_t j = 0; j < s->n_inputs; j++) {
			const KValue *v = value_of(k, &s->inputs[j]);

			buf_printf(&out, "%s%s", j ? ", " : "",
			    *v->name ? v->name : "#");
		}
		buf_puts(&out, ") -> ");
		put_value(value_of(k, &s->output), &out);
		buf_puts(&out, "\n");
	}
	for (uint32_t i = 0; i < k->n_outs; i++)
		buf_printf(&out, "%s%llu %s%s", i ? ", " : "out ",
		    (unsigned long long)k->outs[i].phase, value_of(k,
		    &k->outs[i].value)->name, k->outs[i].canonical ? "!" : "");
	text = arena_strdup(&arena, out.p);
	buf_release(&out);
	return text;
}

static const Concrete *
concrete(const char *functions)
{
	return unit_f(functions, LEVEL_CONCRETE)->concrete.root;
}

/* The one kernel of a unit that a template makes. */
static const Kernel *
kernel_by(const char *functions, const char *template)
{
	const Concrete *c = concrete(functions);
	const Kernel *found = NULL;

	for (uint32_t i = 0; i < c->n_kernels; i++) {
		if (strcmp(c->kernels[i].template_, template))
			continue;
		ck_assert_ptr_null(found);
		found = &c->kernels[i];
	}
	ck_assert_ptr_nonnull(found);
	return found;
}

/* The one kernel of a unit, or of its first template. */
static const Kernel *
kernel(const char *functions)
{
	const Concrete *c = concrete(functions);

	ck_assert_uint_ge(c->n_kernels, 1);
	for (uint32_t i = 1; i < c->n_kernels; i++)
		ck_assert_str_ne(c->kernels[i].template_,
		    c->kernels[0].template_);
	return &c->kernels[0];
}

/* phases, scratch rows, alias mask. */
static void
ck_sizes(const Kernel *k, U64 phases, U64 scratch, U64 alias)
{
	ck_assert_uint_eq(k->phases, phases);
	ck_assert_uint_eq(k->scratch, scratch);
	ck_assert_uint_eq(k->alias, alias);
}

/* patterns, outdims, guard. */
static void
ck_row(const Kernel *k, const char *patterns, const char *outdims,
    const char *guard)
{
	ck_assert_str_eq(k->patterns, patterns);
	ck_assert_str_eq(k->outdims, outdims);
	ck_assert_str_eq(k->guard, guard);
}

#define HEAD "rwfunc f(A:[*]float32, C:[*]float32, axis:int64, " \
	"dims:[]int64) -> (B:any) {\n"
#define F(body) HEAD body "}\n"

START_TEST(rows__softmax)
{
	const Concrete *c = unit_of(SOFTMAX, "deepx·softmax",
	    LEVEL_CONCRETE)->concrete.root;

	ck_assert_uint_eq(c->n_kernels, 4);
	for (int i = 0; i < 4; i++) {
		const Kernel *k = &c->kernels[i];

		ck_assert_str_eq(k->template_, i < 2 ? "rows" : "cols");
		ck_assert_str_eq(k->dtype, i % 2 ? "float64" : "float32");
		ck_assert_uint_eq(k->index, 0);
		ck_assert(Spec_is_SpecDynamic(k->spec));
		/* e waits in the output for s; A is read as late as e is
		 * stored, element by element. */
		ck_assert_str_eq(text_of(k),
		    "0 reduce reducemax(A) -> m row register\n"
		    "1 map expshift(A, m) -> e full output0\n"
		    "1 reduce sum(e) -> s row register\n"
		    "2 map div(e, s) -> B full output0\n"
		    "out 2 B!");
		ck_sizes(k, 3, 0, 1);
		ck_row(k, i < 2 ? "*xn" : "*", "=0",
		    i < 2 ? "axis==-1" : "axis!=-1");
	}
	/* Rows of the manifest are told apart by it. */
	ck_assert(!ir_digest_eq(&c->kernels[0].shape_hash,
	    &c->kernels[2].shape_hash));
}
END_TEST

START_TEST(cols__results)
{
	const Kernel *k = kernel(F("deepx·exp(A) -> t\n"
	    "deepx·sum(t, 0, true) -> s\ndeepx·relu(s) -> B\n"));

	ck_sizes(k, 1, 0, 0);
	ck_row(k, "*", "keep(0)", "0!=-1");
	again();
	k = kernel_by(F("deepx·mul(A, C) -> t\n"
	    "deepx·sum(t, axis, false) -> B\n"), "cols");
	ck_row(k, "*,*", "drop(0,1)", "axis!=-1");
	again();
	/* Known dims stand as they are, and n is known, but not which axis. */
	k = kernel("rwfunc f(A:[2,3,4]float32, C:[2,1,4]float32) -> (B:any) "
	    "{\ndeepx·mul(A, C) -> t\ndeepx·sum(t, -2, true) -> s\n"
	    "deepx·sub(t, s) -> B\n}\n");
	ck_row(k, "2x3x4,2x1x4", "2x3x4", "-2!=-1");
	ck_assert_int_eq(Spec_as_SpecFixed(k->spec)->n, 3);
}
END_TEST


START_TEST(rows__reductions_of_one_phase)
{
	const Kernel *k = kernel(F("deepx·sum(A, -1, true) -> s\n"
	    "deepx·reducemax(A, -1, true) -> m\ndeepx·div(A, s) -> d\n"
	    "deepx·sub(d, m) -> B\n"));

	ck_assert_str_eq(text_of(k),
	    "0 reduce sum(A) -> s row register\n"
	    "0 reduce reducemax(A) -> m row register\n"
	    "1 map div(A, s) -> d full register\n"
	    "1 map sub(d, m) -> B full output0\n"
	    "out 1 B!");
	ck_sizes(k, 2, 0, 1);
}
END_TEST

START_TEST(rows__reduction_after_reduction)
{
	const Kernel *k = kernel(F("deepx·sum(A, -1, true) -> s\n"
	    "deepx·sub(A, s) -> c\ndeepx·mul(c, c) -> q\n"
	    "deepx·sum(q, -1, true) -> v\ndeepx·div(c, v) -> B\n"));

	ck_assert_str_eq(text_of(k),
	    "0 reduce sum(A) -> s row register\n"
	    "1 map sub(A, s) -> c full output0\n"
	    "1 map mul(c, c) -> q full register\n"
	    "1 reduce sum(q) -> v row register\n"
	    "2 map div(c, v) -> B full output0\n"
	    "out 2 B!");
	ck_sizes(k, 3, 0, 1);
}
END_TEST

/* c and d both wait for v; one output, so one of them needs scratch. */
START_TEST(rows__value_in_scratch)
{
	const Kernel *k = kernel(F("deepx·sum(A, -1, true) -> s\n"
	    "deepx·sub(A, s) -> c\ndeepx·mul(A, s) -> d\n"
	    "deepx·add(c, d) -> q\ndeepx·sum(q, -1, true) -> v\n"
	    "deepx·div(c, v) -> x\ndeepx·mul(x, d) -> B\n"));

	ck_assert_str_eq(text_of(k),
	    "0 reduce sum(A) -> s row register\n"
	    "1 map sub(A, s) -> c full output0\n"
	    "1 map mul(A, s) -> d full scratch0\n"
	    "1 map add(c, d) -> q full register\n"
	    "1 reduce sum(q) -> v row register\n"
	    "2 map div(c, v) -> x full register\n"
	    "2 map mul(x, d) -> B full output0\n"
	    "out 2 B!");
	ck_sizes(k, 3, 1, 1);
}
END_TEST

/* A is read in phase 2, after e went to the output: not the same memory. */
START_TEST(rows__input_read_after_a_store)
{
	const Kernel *k = kernel(F("deepx·reducemax(A, -1, true) -> m\n"
	    "deepx·expshift(A, m) -> e\ndeepx·sum(e, -1, true) -> s\n"
	    "deepx·div(e, s) -> d\ndeepx·add(d, A) -> B\n"));

	ck_sizes(k, 3, 0, 0);
	ck_row(k, "*xn", "=0", "");
}
END_TEST

START_TEST(rows__two_outputs)
{
	const Kernel *k = kernel("rwfunc f(A:[*]float32) -> (D:any, B:any) {\n"
	    "deepx·reducemax(A, -1, true) -> m\n"
	    "deepx·expshift(A, m) -> D\ndeepx·sum(D, -1, true) -> s\n"
	    "deepx·div(D, s) -> B\n}\n");

	ck_assert_str_eq(text_of(k),
	    "0 reduce reducemax(A) -> m row register\n"
	    "1 map expshift(A, m) -> D full output0\n"
	    "1 reduce sum(D) -> s row register\n"
	    "2 map div(D, s) -> B full output1\n"
	    "out 1 D!, 2 B!");
	ck_sizes(k, 3, 0, 0x10001);
	ck_row(k, "*xn", "=0,=0", "");
}
END_TEST

/* C is one value a row, for it was made so elsewhere. */
START_TEST(rows__operand_with_one_value_a_row)
{
	const Kernel *k = kernel(F("deepx·sum(C, -1, true) -> r\n"
	    "deepx·argmax(r, -1, true) -> i\nprint(i)\n"
	    "deepx·mul(A, r) -> t\ndeepx·sum(t, -1, true) -> s\n"
	    "deepx·div(t, s) -> B\n"));

	ck_assert_str_eq(text_of(k),
	    "0 map mul(A, r) -> t full output0\n"
	    "0 reduce sum(t) -> s row register\n"
	    "1 map div(t, s) -> B full output0\n"
	    "out 1 B!");
	ck_row(k, "*xn,*x1", "bc(0,1)", "");
	ck_sizes(k, 2, 0, 1);
}
END_TEST

START_TEST(rows__row_output)
{
	const Kernel *k = kernel(F("deepx·exp(A) -> t\n"
	    "deepx·sum(t, -1, true) -> s\ndeepx·relu(s) -> B\n"));

	/* relu works on the row's value, at the end of the phase. */
	ck_assert_str_eq(text_of(k),
	    "0 map exp(A) -> t full register\n"
	    "0 reduce sum(t) -> s row register\n"
	    "0 map relu(s) -> B row output0\n"
	    "out 0 B!");
	ck_sizes(k, 1, 0, 0);
	ck_row(k, "*xn", "keep(0)", "");
}
END_TEST

START_TEST(rows__dropped_axis)
{
	const Kernel *k = kernel(F("deepx·mul(A, C) -> t\n"
	    "deepx·sum(t, axis, false) -> B\n"));

	ck_row(k, "*xn,*xn", "drop(0,1)", "axis==-1&same(A,C)");
	ck_sizes(k, 1, 0, 0);
	again();
	/* Known dims: the operands say which axis went. */
	k = kernel("rwfunc f(A:[4,8]float32) -> (B:any) {\n"
	    "deepx·exp(A) -> t\ndeepx·sum(t, -1, false) -> B\n}\n");
	ck_row(k, "4x8", "drop(0)", "");
}
END_TEST

START_TEST(rows__known_dims)
{
	const Concrete *c = concrete("rwfunc f(A:[4,8]float32) -> (B:any) {\n"
	    "deepx·exp(A) -> t\ndeepx·sum(t, 1, true) -> B\n}\n");
	const Kernel *k = &c->kernels[0];

	/* Only the specialised kernel. */
	ck_assert_uint_eq(c->n_kernels, 1);
	ck_row(k, "4x8", "4x1", "");
	ck_assert_int_eq(Spec_as_SpecFixed(k->spec)->n, 8);
	again();
	/* The first operand along the rows has fewer axes than they. */
	k = kernel("rwfunc f(A:[5]float32, C:[3,1]float32) -> (B:any) {\n"
	    "deepx·sub(A, C) -> t\ndeepx·reducemax(t, -1, true) -> B\n}\n");
	ck_row(k, "5,3x1", "3x1", "");
	ck_assert_int_eq(Spec_as_SpecFixed(k->spec)->n, 5);
}
END_TEST

/* t has the dims of A, B those of A and C together. */
START_TEST(rows__dims_after_a_broadcast_to_a_parameter)
{
	const Kernel *k = kernel(F("deepx·sum(A, -1, true) -> s\n"
	    "deepx·broadcastTo(s, dims) -> t\ndeepx·add(t, C) -> B\n"));

	ck_row(k, "*xn,*xn", "bc(0,1)", "dims==dims(A)");
	again();
	k = kernel(F("deepx·sum(A, -1, true) -> s\n"
	    "deepx·broadcastTo(s, dims) -> t\ndeepx·relu(t) -> B\n"));
	ck_row(k, "*xn", "=0", "dims==dims(A)");
	again();
	/* What is broadcast may be smaller than C; the sum is as C. */
	k = kernel(F("deepx·relu(A) -> a\ndeepx·broadcastTo(a, dims) -> t\n"
	    "deepx·mul(t, C) -> u\ndeepx·sum(u, -1, true) -> B\n"));
	ck_row(k, "*xn,*xn", "keep(1)", "dims==dims(C)");
}
END_TEST

START_TEST(map__chain)
{
	const Kernel *k = kernel(F("deepx·mul(A, 2.0) -> t\n"
	    "deepx·add(t, C) -> B\n"));

	ck_assert_str_eq(k->template_, "map");
	/* A scalar literal takes the dtype of the tensors. */
	ck_assert_str_eq(k->dtype, "float32");
	ck_assert_str_eq(text_of(k), "0 map mul(A, #) -> t full register\n"
	    "0 map add(t, C) -> B full output0\nout 0 B!");
	ck_row(k, "*,(),*", "bc(0,1,2)", "");
	ck_sizes(k, 1, 0, 7);
}
END_TEST

START_TEST(map__two_outputs)
{
	const Kernel *k = kernel("rwfunc f(A:[*]float32) -> (D:any, B:any) {\n"
	    "deepx·relu(A) -> D\ndeepx·exp(D) -> B\n}\n");

	ck_row(k, "*", "=0,=0", "");
	ck_sizes(k, 1, 0, 0x10001);
}
END_TEST

/* Bytes as they are, as long as nothing computes. */
START_TEST(map__moves_are_not_canonical)
{
	const Kernel *k = kernel("rwfunc f(A:[4,8]float32) -> (D:any, B:any) "
	    "{\nd = [4, 8]\ndeepx·broadcastTo(A, d) -> D\n"
	    "deepx·broadcastTo(D, d) -> t\ndeepx·relu(t) -> B\n}\n");

	ck_assert_str_eq(text_of(k), "0 move move(A) -> D full output0\n"
	    "0 move move(D) -> t full register\n"
	    "0 map relu(t) -> B full output1\nout 0 D, 0 B!");
	ck_row(k, "4x8", "4x8,4x8", "");
}
END_TEST

START_TEST(dtypes__one_kernel_each)
{
	const Concrete *c = concrete("rwfunc f(A:" FLOATS ", C:[*]float64) -> "
	    "(B:any) {\ndeepx·mul(A, C) -> t\ndeepx·relu(t) -> B\n}\n");

	ck_assert_uint_eq(c->n_kernels, 1);
	ck_assert_str_eq(c->kernels[0].dtype, "float64");
}
END_TEST

/* A mask is bool among floats; its place is never that of a float. */
START_TEST(dtypes__of_each_value)
{
	const Concrete *c = concrete("rwfunc f(A:" FLOATS ", C:[*]bool, "
	    "x:float64) -> (B:any, M:any) {\ndeepx·greaterscalar(A, x) -> m\n"
	    "deepx·and(m, C) -> M\ndeepx·where(M, A, 0) -> B\n}\n");
	static const char *const dtypes[] = { "float32", "float64" };

	ck_assert_uint_eq(c->n_kernels, 2);
	for (int i = 0; i < 2; i++) {
		const Kernel *k = &c->kernels[i];

		ck_assert_str_eq(k->dtype, dtypes[i]);
		ck_row(k, "*,(),*:bool,()", "bc(0,1,2):bool,bc(0,1,2,3)", "");
		ck_assert_str_eq(k->values[0].dtype, dtypes[i]);
		ck_assert_str_eq(k->values[1].dtype, dtypes[i]);
		ck_assert_str_eq(k->values[2].dtype, "bool");
		ck_assert_str_eq(k->values[3].dtype, dtypes[i]);
		ck_assert_str_eq(k->steps[0].dtype, dtypes[i]);
		ck_assert_str_eq(k->steps[1].dtype, "bool");
		ck_assert_str_eq(k->steps[2].dtype, dtypes[i]);
		ck_assert_uint_eq(k->alias, 1u << 2 | 0xbu << 16);
	}
}
END_TEST

/* Each value is used twice by the next step, so there are 2^200 ways from the
 * operand to the result; time that grows with them would not end. */
START_TEST(kernels__values_used_on_many_ways)
{
	struct buf text = { 0 };
	const struct unit *u;
	const Concrete *c;

	buf_puts(&text, HEAD "deepx·mul(A, A) -> t0\n");
	for (int i = 1; i < 200; i++)
		buf_printf(&text, "deepx·mul(t%d, t%d) -> t%d\n", i - 1,
		    i - 1, i);
	buf_puts(&text, "deepx·sum(t199, axis, true) -> s\n"
	    "deepx·div(C, s) -> B\n}\n");
	u = unit_f(text.p, LEVEL_CONCRETE);
	c = u->concrete.root;
	ck_assert_uint_eq(((const Fusion *)u->fusion.root)->n_groups, 1);
	ck_assert_uint_eq(c->n_kernels, 2);
	ck_assert_uint_eq(c->kernels[0].n_steps, 202);
	ck_assert_str_eq(c->kernels[0].outdims, "bc(0,1)");
	ck_assert_str_eq(c->kernels[0].guard, "axis==-1&same(A,C)");
	buf_release(&text);
}
END_TEST

/* What is selected keeps its bytes; what was computed has the canonical NaN. */
START_TEST(nan__of_a_selection)
{
	const Kernel *k = kernel("rwfunc f(A:[*]float32, C:[*]bool) -> "
	    "(B:any, D:any) {\ndeepx·exp(A) -> e\n"
	    "deepx·where(C, A, e) -> B\ndeepx·where(C, e, e) -> D\n}\n");

	ck_assert_str_eq(text_of(k), "0 map exp(A) -> e full register\n"
	    "0 map where(C, A, e) -> B full output0\n"
	    "0 map where(C, e, e) -> D full output1\nout 0 B, 0 D!");
	ck_assert_uint_eq(k->steps[1].quiet, 1u << 2);
	ck_assert_uint_eq(k->steps[2].quiet, 0);
}
END_TEST

/* Scalars alone give T of an op: the widest of them. */
START_TEST(dtypes__of_scalars_alone)
{
	const Kernel *k = kernel("rwfunc f(A:[*]float32) -> (B:any) {\n"
	    "deepx·isnan(A) -> m\ndeepx·where(m, 1.0, 2) -> B\n}\n");

	ck_row(k, "*,():float64,():float64", "bc(0,1,2):float64", "");
}
END_TEST

START_TEST(kernels__numbered_in_order_of_groups)
{
	const Concrete *c = concrete(F("deepx·relu(A) -> t\n"
	    "deepx·exp(t) -> u\nprint(u)\ndeepx·exp(u) -> v\nprint(v)\n"
	    "deepx·mul(v, C) -> w\ndeepx·add(w, C) -> B\n"));

	ck_assert_uint_eq(c->n_kernels, 2);
	ck_assert_uint_eq(c->kernels[0].index, 0);
	ck_assert_uint_eq(c->kernels[1].index, 1);
	ck_assert_uint_eq(c->kernels[1].nin, 2);
}
END_TEST

/* A concrete level that may be changed: softmax. */
static Concrete *
valid(void)
{
	struct str b = unit_of(SOFTMAX, "deepx·softmax", LEVEL_CONCRETE)->
	    concrete.bytes;
	Concrete *c = ir_decode(&Concrete_type, (const uint8_t *)b.p, b.n,
	    &arena, &diag);

	ck_assert_int_eq(concrete_verify(c, &diag), 0);
	return c;
}

static void
ck_code(const Concrete *c, const char *code)
{
	ck_assert_int_eq(concrete_verify(c, &diag), -1);
	ck_assert_msg(code_count(code) == diag.errors, "expected %s alone, "
	    "found %s", code, diag.item[0].text);
}

START_TEST(verify__read_before_it_is_made)
{
	Concrete *c = valid();

	c->kernels[0].steps[0].phase = 2;
	ck_code(c, "concrete.phase");
}
END_TEST

START_TEST(verify__step_after_the_last_phase)
{
	Concrete *c = valid();

	c->kernels[0].phases = 2;
	ck_code(c, "concrete.phase");
}
END_TEST

START_TEST(verify__value_kept_nowhere)
{
	static const PlaceRegister reg;
	Concrete *c = valid();
	Kernel *k = &c->kernels[0];

	for (uint32_t i = 0; i < k->n_values; i++)
		if (!strcmp(k->values[i].name, "e"))
			k->values[i].place = Place_of_PlaceRegister(&reg);
	ck_code(c, "concrete.place");
}
END_TEST

START_TEST(verify__nothing_makes_a_value)
{
	Concrete *c = valid();
	Kernel *k = &c->kernels[0];

	/* Without its first step nothing gives m. */
	k->steps++;
	k->n_steps--;
	ck_code(c, "concrete.undefined");
}
END_TEST

START_TEST(verify__value_of_another_kernel)
{
	Concrete *c = valid();

	c->kernels[0].steps[0].inputs = c->kernels[1].steps[0].inputs;
	ck_code(c, "concrete.value");
}
END_TEST

Suite *
gen_concrete_suite(void)
{
	Suite *s = suite_create("gen_concrete");
	TCase *tc = gen_case(s, "kernels");

	tcase_add_test(tc, rows__softmax);
	tcase_add_test(tc, cols__results);
	tcase_add_test(tc, rows__reductions_of_one_phase);
	tcase_add_test(tc, rows__reduction_after_reduction);
	tcase_add_test(tc, rows__value_in_scratch);
	tcase_add_test(tc, rows__input_read_after_a_store);
	tcase_add_test(tc, rows__two_outputs);
	tcase_add_test(tc, rows__operand_with_one_value_a_row);
	tcase_add_test(tc, rows__row_output);
	tcase_add_test(tc, rows__dropped_axis);
	tcase_add_test(tc, rows__known_dims);
	tcase_add_test(tc, rows__dims_after_a_broadcast_to_a_parameter);
	tcase_add_test(tc, map__chain);
	tcase_add_test(tc, map__two_outputs);
	tcase_add_test(tc, map__moves_are_not_canonical);
	tcase_add_test(tc, dtypes__one_kernel_each);
	tcase_add_test(tc, dtypes__of_each_value);
	tcase_add_test(tc, kernels__values_used_on_many_ways);
	tcase_add_test(tc, nan__of_a_selection);
	tcase_add_test(tc, dtypes__of_scalars_alone);
	tcase_add_test(tc, kernels__numbered_in_order_of_groups);
	tc = gen_case(s, "verify");
	tcase_add_test(tc, verify__read_before_it_is_made);
	tcase_add_test(tc, verify__step_after_the_last_phase);
	tcase_add_test(tc, verify__value_kept_nowhere);
	tcase_add_test(tc, verify__nothing_makes_a_value);
	tcase_add_test(tc, verify__value_of_another_kernel);
	return s;
}
