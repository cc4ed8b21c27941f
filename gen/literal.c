/* SPDX-License-Identifier: MIT */
#include "gen/literal.h"

#include <string.h>

#include "base/fatal.h"
#include "ops/ops.h"
#include "space/text.h"

struct value
literal_value(const Literal *l, struct arena *arena)
{
	size_t n = strlen(l->body) / 2;
	void *body = arena_alloc(arena, n);
	struct value v = value_text(l->langtype, body, n);

	if (!hex_decode(body, n, str_of(l->body)) || value_check(&v, NULL))
		BUG("literal of type %s is damaged", l->langtype);
	return v;
}

int
literal_ints(const Literal *l, int64_t *out, int cap)
{
	struct arena arena = { 0 };
	struct value v = literal_value(l, &arena);
	int64_t n = shape_count(&v.shape, 1);
	int result = -1;

	if (v.dtype == DT_NONE || dtype_is_float(v.dtype) || n > cap)
		goto out;
	if (v.dtype == DT_BOOL)
		for (int64_t i = 0; i < n; i++)
			out[i] = ((const uint8_t *)v.body)[i];
	else if (dtype_convert(DT_INT64, out, v.dtype, v.body, (size_t)n))
		goto out;
	result = (int)n;
out:
	arena_release(&arena);
	return result;
}

enum dtype
literal_named(const Literal *l)
{
	struct arena arena = { 0 };
	struct value v = literal_value(l, &arena);
	enum dtype t = op_named(&v);

	arena_release(&arena);
	return t;
}

void
literal_display(const Literal *l, struct buf *out)
{
	struct arena arena = { 0 };
	struct value v = literal_value(l, &arena);

	value_display(&v, out);
	arena_release(&arena);
}
