/* SPDX-License-Identifier: MIT */
#include "runtime/native.h"

#include <string.h>

#include "kv/infer.h"
#include "kv/native.h"
#include "runtime/native_ops.h"
#include "space/half.h"
#include "space/text.h"

int
native_fail(struct native_call *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->why, BIND_WHY, fmt, ap);
	va_end(ap);
	return -1;
}

const char *
native_kind(struct cell *c)
{
	struct type t = type_of(c ? cell_value(c)->langtype : "");

	return type_name(&t);
}

int
give_number(struct native_call *c, enum dtype dtype, int64_t i, double f)
{
	static const struct shape scalar = { 0 };
	const float single = (float)f;

	c->out = cell_new(&c->rt->heap, dtype, &scalar);
	if (!c->out)
		return native_fail(c, "MemoryError: %s", c->name);
	if (dtype_is_half(dtype))
		half_store(dtype, c->out->mem, f);
	else
		memcpy(c->out->mem, dtype == DT_FLOAT64 ? (const void *)&f :
	    dtype == DT_FLOAT32 ? (const void *)&single : (const void *)&i,
		    dtype_size(dtype));
	return 0;
}

int
give_int(struct native_call *c, int64_t i)
{
	return give_number(c, DT_INT64, i, 0);
}

int
give_bool(struct native_call *c, bool b)
{
	return give_number(c, DT_BOOL, b, 0);
}

int
native_index(struct native_call *c, int i, int64_t *out)
{
	struct number n;

	if (!number_of(c->in[i], &n) || dtype_is_float(n.dtype))
		return native_fail(c, "TypeError: expected integer, got %s",
		    native_kind(c->in[i]));
	/* Beyond int64 nothing can be counted. */
	*out = number_is_unsigned(&n) && n.i < 0 ? INT64_MAX : n.i;
	return 0;
}

static void
put_values(const struct native_call *c, const char *between, const char *end,
    FILE *f)
{
	struct buf text = { 0 };
	int i;

	for (i = 0; i < c->nin; i++) {
		if (i > 0)
			buf_puts(&text, between);
		if (c->in[i])
			value_display(cell_value(c->in[i]), &text);
		else
			buf_puts(&text, "None");
	}
	buf_puts(&text, end);
	fwrite(text.p, 1, text.n, f);
	buf_release(&text);
}

static int
run_print(struct native_call *c)
{
	put_values(c, "", "", c->rt->opt.out);
	return 0;
}

static int
run_println(struct native_call *c)
{
	put_values(c, " ", "\n", c->rt->opt.out);
	return 0;
}

static int
run_cerr(struct native_call *c)
{
	/* What was printed before must come first where both go to one
	 * place. */
	fflush(c->rt->opt.out);
	put_values(c, " ", "\n", c->rt->opt.err);
	return 0;
}

static const struct native natives[] = {
	{ "add", number_add, NUMBER_ADD, NULL },
	{ "sub", number_binary, NUMBER_SUB, NULL },
	{ "mul", number_binary, NUMBER_MUL, NULL },
	{ "div", number_binary, NUMBER_DIV, NULL },
	{ "max", number_fold, NUMBER_MAX, NULL },
	{ "min", number_fold, NUMBER_MIN, NULL },
	{ "mod", number_bits, NUMBER_MOD, NULL },
	{ "bitand", number_bits, NUMBER_BITAND, NULL },
	{ "bitor", number_bits, NUMBER_BITOR, NULL },
	{ "bitxor", number_bits, NUMBER_BITXOR, NULL },
	{ "shl", number_bits, NUMBER_SHL, NULL },
	{ "shr", number_bits, NUMBER_SHR, NULL },
	{ "pow", number_real, NUMBER_POW, NULL },
	{ "sqrt", number_real, NUMBER_SQRT, NULL },
	{ "exp", number_real, NUMBER_EXP, NULL },
	{ "log", number_real, NUMBER_LOG, NULL },
	{ "neg", number_unary, NUMBER_NEG, NULL },
	{ "abs", number_unary, NUMBER_ABS, NULL },
	{ "sign", number_unary, NUMBER_SIGN, NULL },
	{ "eq", compare_run, COMPARE_EQ, NULL },
	{ "neq", compare_run, COMPARE_NEQ, NULL },
	{ "lt", compare_run, COMPARE_LT, NULL },
	{ "gt", compare_run, COMPARE_GT, NULL },
	{ "le", compare_run, COMPARE_LE, NULL },
	{ "ge", compare_run, COMPARE_GE, NULL },
	{ "and", logic_run, LOGIC_AND, NULL },
	{ "or", logic_run, LOGIC_OR, NULL },
	{ "not", logic_run, LOGIC_NOT, NULL },
	{ "bool", cast_number, DT_BOOL, NULL },
	{ "int8", cast_number, DT_INT8, NULL },
	{ "int16", cast_number, DT_INT16, NULL },
	{ "int32", cast_number, DT_INT32, NULL },
	{ "int64", cast_number, DT_INT64, NULL },
	{ "uint8", cast_number, DT_UINT8, NULL },
	{ "uint16", cast_number, DT_UINT16, NULL },
	{ "uint32", cast_number, DT_UINT32, NULL },
	{ "uint64", cast_number, DT_UINT64, NULL },
	{ "float32", cast_number, DT_FLOAT32, NULL },
	{ "float64", cast_number, DT_FLOAT64, NULL },
	{ "float16", cast_number, DT_FLOAT16, NULL },
	{ "bfloat16", cast_number, DT_BFLOAT16, NULL },
	{ "char/utf8", cast_text, 0, NULL },
	{ "char/utf32", cast_text, 0, NULL },
	{ "char/ascii", cast_text, 0, NULL },
	{ "array", array_new, 0, NULL },
	{ "array·fill", array_fill, 0, NULL },
	{ "array·append", array_append, 0, NULL },
	{ "array·slice", array_slice, 0, NULL },
	{ "ndarray·numel", array_count, COUNT_NUMEL, NULL },
	{ "ndarray·dim", array_count, COUNT_DIM, NULL },
	{ "ndarray·shape", array_shape, 0, NULL },
	{ "xv·at", array_at, 0, NULL },
	{ "for·item", array_item, 0, NULL },
	{ "xv·set", array_set, 0, NULL },
	{ "xv·reshape", array_reshape, 0, array_reshaped },
	{ "xv·reinterpret", array_reinterpret, 0, NULL },
	{ "xv·langtype", array_langtype, 0, NULL },
	{ "xv·bodylen", array_count, COUNT_BYTES, NULL },
	{ "string·len", text_len, 0, NULL },
	{ "string·char", text_char, 0, NULL },
	{ "string·ord", text_ord, 0, NULL },
	{ "string·cmp", text_cmp, 0, NULL },
	{ "string·find", text_find, 0, NULL },
	{ "string·slice", text_slice, 0, NULL },
	{ "string·concat", text_concat, 0, NULL },
	{ "print", run_print, 0, NULL },
	{ "println", run_println, 0, NULL },
	{ "cerr", run_cerr, 0, NULL },
};

const struct native *
native_find(const char *opcode)
{
	const struct kv_native *op = kv_native_of(opcode);
	size_t i;

	for (i = 0; op && i < sizeof(natives) / sizeof(*natives); i++)
		if (strcmp(natives[i].name, op->name) == 0)
			return &natives[i];
	return NULL;
}

/* Layout has checked what it could see; rows may come from elsewhere, and a
 * list of further arguments has a length of its own. */
static int
check_arity(const struct native *n, int nin, int nout, char *why)
{
	const struct kv_native *op = kv_native(n->name);
	bool few = nin < (int)op->least;

	if (few || (op->most >= 0 && nin > op->most)) {
		if (kv_native_is_binary(op))
			snprintf(why, BIND_WHY, "TypeError: binary op requires "
			    "2 inputs, got %d (%s)", nin, n->name);
		else
			snprintf(why, BIND_WHY, "TypeError: %s expects %s%d "
			    "args, got %d", n->name,
			    op->most == (int)op->least ? "" :
			    few ? "at least " : "at most ",
			    few ? (int)op->least : op->most, nin);
		return -1;
	}
	if (nout <= (int)op->writes)
		return 0;
	snprintf(why, BIND_WHY, "TypeError: %s expects %zu writes, got %d",
	    n->name, op->writes, nout);
	return -1;
}

int
native_run(struct runtime *rt, const struct insn *in, struct cell *const *v,
    int nin, bool own, struct cell **out, char why[BIND_WHY])
{
	const struct native *n = in->native;
	struct native_call c = { .rt = rt, .name = n->name, .code = n->code,
		.in = v, .nin = nin, .own = own, .why = why };

	*out = NULL;
	if (check_arity(n, nin, in->nwrite, why) || n->run(&c))
		return -1;
	*out = c.out;
	return 0;
}
