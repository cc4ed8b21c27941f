/* SPDX-License-Identifier: MIT */
/* Comparison and logic (kvlang.md 3.2). */
#include "runtime/native_ops.h"

/* -1, 0 or 1; 2 when one is NaN. */
static int
order_floats(double a, double b)
{
	return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

static int
order_numbers(const struct number *a, const struct number *b)
{
	bool ua = number_is_unsigned(a), ub = number_is_unsigned(b);

	if (dtype_is_float(a->dtype) || dtype_is_float(b->dtype))
		return order_floats(number_float(a, DT_FLOAT64),
		    number_float(b, DT_FLOAT64));
	/* Never around: what is negative comes before all unsigned. */
	if (ua != ub && (ua ? b->i : a->i) < 0)
		return ua ? 1 : -1;
	if (ua || ub)
		return ((uint64_t)a->i > (uint64_t)b->i) -
		    ((uint64_t)a->i < (uint64_t)b->i);
	return (a->i > b->i) - (a->i < b->i);
}

static bool
is_bool(const struct cell *c)
{
	return c && c->v.dtype == DT_BOOL && c->v.shape.rank == 0;
}

static bool
truth(const struct cell *c)
{
	return *(const uint8_t *)c->mem != 0;
}

static int
order(struct native_call *c, int *out)
{
	struct cell *a = c->in[0], *b = c->in[1];
	struct number x, y;

	if (number_of(a, &x) && number_of(b, &y))
		*out = order_numbers(&x, &y);
	else if (is_bool(a) && is_bool(b))
		*out = truth(a) - truth(b);
	else if (text_is(a) && text_is(b))
		*out = text_order(a, b);
	else
		return native_fail(c, "TypeError: cannot compare %s with %s",
		    native_kind(a), native_kind(b));
	return 0;
}

int
compare_run(struct native_call *c)
{
	bool equal = c->code == COMPARE_EQ || c->code == COMPARE_NEQ;
	int o;

	if (!c->in[0] || !c->in[1]) {
		if (!equal)
			return native_fail(c, "TypeError: None in comparison");
		return give_bool(c, (c->in[0] == c->in[1]) ==
		    (c->code == COMPARE_EQ));
	}
	if (order(c, &o))
		return -1;
	switch (c->code) {
	case COMPARE_EQ:
		return give_bool(c, o == 0);
	case COMPARE_NEQ:
		return give_bool(c, o != 0);
	case COMPARE_LT:
		return give_bool(c, o == -1);
	case COMPARE_GT:
		return give_bool(c, o == 1);
	case COMPARE_LE:
		return give_bool(c, o == -1 || o == 0);
	default:
		return give_bool(c, o == 1 || o == 0);
	}
}

int
logic_run(struct native_call *c)
{
	bool a, b;
	int i;

	for (i = 0; i < c->nin; i++) {
		if (!is_bool(c->in[i]))
			return native_fail(c, "TypeError: expected bool, got "
			    "%s", native_kind(c->in[i]));
	}
	a = truth(c->in[0]);
	b = truth(c->in[c->nin - 1]);
	return give_bool(c, c->code == LOGIC_NOT ? !a :
	    c->code == LOGIC_AND ? a && b : a || b);
}
