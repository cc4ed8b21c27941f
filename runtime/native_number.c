/* SPDX-License-Identifier: MIT */
/* Arithmetic on single numbers (kvlang.md 3.2). */
#include "runtime/native_ops.h"

#include <math.h>
#include <string.h>

#include "kv/infer.h"
#include "space/half.h"

bool
number_is_unsigned(const struct number *n)
{
	return n->dtype >= DT_UINT8 && n->dtype <= DT_UINT64;
}

bool
number_of(const struct cell *c, struct number *n)
{
	float single;

	if (!c || c->v.dtype <= DT_BOOL || c->v.shape.rank > 0)
		return false;
	*n = (struct number){ .dtype = c->v.dtype };
	if (n->dtype == DT_FLOAT64) {
		memcpy(&n->f, c->mem, sizeof(n->f));
	} else if (n->dtype == DT_FLOAT32) {
		memcpy(&single, c->mem, sizeof(single));
		n->f = (double)single;
	} else if (dtype_is_half(n->dtype)) {
		n->f = half_load(n->dtype, c->mem);
	} else if (n->dtype == DT_UINT64) {
		memcpy(&n->i, c->mem, sizeof(n->i));
	} else {
		dtype_convert(DT_INT64, &n->i, n->dtype, c->mem, 1);
	}
	return true;
}

double
number_float(const struct number *n, enum dtype to)
{
	uint16_t bits;

	if (dtype_is_float(n->dtype))
		return n->f;
	if (dtype_is_half(to)) {
		dtype_convert(to, &bits, number_is_unsigned(n) ? DT_UINT64 :
		    DT_INT64, &n->i, 1);
		return half_load(to, &bits);
	}
	if (to == DT_FLOAT32)
		return number_is_unsigned(n) ? (double)(float)(uint64_t)n->i :
		    (double)(float)n->i;
	return number_is_unsigned(n) ? (double)(uint64_t)n->i : (double)n->i;
}

static int
not_number(struct native_call *c, struct cell *v)
{
	bool array = v && v->v.dtype != DT_NONE && v->v.shape.rank > 0;

	if (!v)
		return native_fail(c, "TypeError: None in arithmetic");
	return native_fail(c, "TypeError: expected numeric, got %s%s",
	    native_kind(v), array ? "; ops on whole tensors are deepx·add "
	    "and others" : "");
}

static int
get_numbers(struct native_call *c, struct number *n)
{
	int i;

	for (i = 0; i < c->nin; i++)
		if (!c->in[i])
			return not_number(c, NULL);
	for (i = 0; i < c->nin; i++)
		if (!number_of(c->in[i], &n[i]))
			return not_number(c, c->in[i]);
	return 0;
}

static int
divide(struct native_call *c, enum dtype t, int64_t a, int64_t b)
{
	bool mod = c->code == NUMBER_MOD;

	if (b == 0)
		return native_fail(c, "ZeroDivisionError: %s by zero",
		    mod ? "modulo" : "division");
	if (t >= DT_UINT8 && t <= DT_UINT64)
		return give_number(c, t, (int64_t)(mod ?
		    (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b), 0);
	/* The least number by -1 wraps like every overflow. */
	if (b == -1)
		return give_number(c, t, mod ? 0 :
		    (int64_t)(0 - (uint64_t)a), 0);
	return give_number(c, t, mod ? a % b : a / b, 0);
}

static int
shift(struct native_call *c, enum dtype t, int64_t a, int64_t by)
{
	bool is_unsigned = t >= DT_UINT8 && t <= DT_UINT64;

	if (by < 0 || by > 63)
		return native_fail(c, "ValueError: shift count %lld is not "
		    "within 0 to 63", (long long)by);
	if (c->code == NUMBER_SHL || is_unsigned)
		return give_number(c, t, (int64_t)(c->code == NUMBER_SHL ?
		    (uint64_t)a << by : (uint64_t)a >> by), 0);
	return give_number(c, t, a >> by, 0);
}

/* Wraps to the kind's width when it is stored. */
static int
integers(struct native_call *c, enum dtype t, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (c->code) {
	case NUMBER_DIV:
	case NUMBER_MOD:
		return divide(c, t, a, b);
	case NUMBER_SHL:
	case NUMBER_SHR:
		return shift(c, t, a, b);
	case NUMBER_ADD:
		x += y;
		break;
	case NUMBER_SUB:
		x -= y;
		break;
	case NUMBER_MUL:
		x *= y;
		break;
	case NUMBER_BITAND:
		x &= y;
		break;
	case NUMBER_BITOR:
		x |= y;
		break;
	default:
		x ^= y;
	}
	return give_number(c, t, (int64_t)x, 0);
}

/* float64 rounds what the smaller floats need more than finely enough. */
static int
floats(struct native_call *c, enum dtype t, double a, double b)
{
	if (c->code == NUMBER_DIV && b == 0)
		return native_fail(c, "ZeroDivisionError: division by zero");
	return give_number(c, t, 0, c->code == NUMBER_ADD ? a + b :
	    c->code == NUMBER_SUB ? a - b : c->code == NUMBER_MUL ? a * b :
	    a / b);
}

int
number_binary(struct native_call *c)
{
	struct number n[2];
	enum dtype t;

	if (get_numbers(c, n))
		return -1;
	t = type_promote(n[0].dtype, n[1].dtype);
	return dtype_is_float(t) ? floats(c, t, number_float(&n[0], t),
	    number_float(&n[1], t)) : integers(c, t, n[0].i, n[1].i);
}

int
number_add(struct native_call *c)
{
	if (text_is(c->in[0]) && text_is(c->in[1]))
		return text_concat(c);
	return number_binary(c);
}

int
number_bits(struct native_call *c)
{
	struct number n[2] = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		if (!c->in[i])
			return not_number(c, NULL);
	}
	for (i = 0; i < 2; i++) {
		if (!number_of(c->in[i], &n[i]) || dtype_is_float(n[i].dtype))
			return native_fail(c, "TypeError: expected integer, "
			    "got %s", native_kind(c->in[i]));
	}
	return integers(c, type_promote(n[0].dtype, n[1].dtype), n[0].i,
	    n[1].i);
}

static bool
less(const struct number *a, const struct number *b, enum dtype t)
{
	double x, y;

	if (!dtype_is_float(t))
		return t >= DT_UINT8 ? (uint64_t)a->i < (uint64_t)b->i :
		    a->i < b->i;
	x = number_float(a, t);
	y = number_float(b, t);
	return x < y;
}

/* The first NaN wins, whichever end is asked for. */
int
number_fold(struct native_call *c)
{
	struct number best, n;
	enum dtype t;
	bool nan;
	int i, bad = -1;

	for (i = 0; i < c->nin && bad < 0; i++) {
		if (!c->in[i])
			return not_number(c, NULL);
		if (!number_of(c->in[i], &n))
			bad = i;
	}
	if (bad >= 0)
		return native_fail(c, "TypeError: max/min requires numeric, "
		    "got %s and %s", native_kind(c->in[bad ? bad - 1 : 0]),
		    native_kind(c->in[bad ? bad : 1]));
	number_of(c->in[0], &best);
	for (t = best.dtype, i = 1; i < c->nin; i++)
		t = type_promote(t, c->in[i]->v.dtype);
	for (i = 1; i < c->nin; i++) {
		number_of(c->in[i], &n);
		nan = dtype_is_float(n.dtype) && isnan(n.f);
		if (nan || (c->code == NUMBER_MAX ? less(&best, &n, t) :
		    less(&n, &best, t)))
			best = n;
		if (nan)
			break;
	}
	return give_number(c, t, best.i, dtype_is_float(t) ?
	    number_float(&best, t) : 0);
}

int
number_real(struct native_call *c)
{
	struct number n[2];
	double x;

	if (get_numbers(c, n))
		return -1;
	x = number_float(&n[0], DT_FLOAT64);
	if (c->code == NUMBER_LOG && x <= 0)
		return native_fail(c, "ValueError: log of non-positive "
		    "number");
	x = c->code == NUMBER_LOG ? log(x) : c->code == NUMBER_EXP ? exp(x) :
	    c->code == NUMBER_SQRT ? sqrt(x) :
	    pow(x, number_float(&n[1], DT_FLOAT64));
	return give_number(c, DT_FLOAT64, 0, x);
}

int
number_unary(struct native_call *c)
{
	struct number n;
	bool negative;

	if (get_numbers(c, &n))
		return -1;
	if (c->code == NUMBER_NEG && number_is_unsigned(&n))
		return native_fail(c, "TypeError: cannot negate unsigned %s",
		    dtype_name(n.dtype));
	negative = dtype_is_float(n.dtype) ? n.f < 0 :
	    !number_is_unsigned(&n) && n.i < 0;
	if (c->code == NUMBER_SIGN)
		return give_int(c, negative ? -1 : n.i != 0 || n.f > 0);
	if (dtype_is_float(n.dtype))
		return give_number(c, n.dtype, 0,
		    c->code == NUMBER_NEG ? -n.f : fabs(n.f));
	if (c->code == NUMBER_NEG || negative)
		n.i = (int64_t)(0 - (uint64_t)n.i);
	return give_number(c, n.dtype, n.i, 0);
}
