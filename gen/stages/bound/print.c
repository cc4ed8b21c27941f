/* SPDX-License-Identifier: MIT */
#include "gen/stages/bound/bound.h"

#include "gen/literal.h"

static const BValue *
value_of(const Bound *b, const Id *id)
{
	for (uint32_t i = 0; i < b->n_values; i++)
		if (ir_id_eq(&b->values[i].id, id))
			return &b->values[i];
	BUG("value is not of the unit");
}

static void
put_values(const Bound *b, const Id *id, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const BValue *v = value_of(b, &id[i]);

		buf_puts(out, i ? ", " : "");
		if (*v->name)
			buf_puts(out, v->name);
		else
			literal_display(&ValueRole_as_RoleConst(v->role)->
			    literal, out);
	}
}

static void
put_why(const Call *c, struct buf *out)
{
	BindWhy why;

	if (!CallBody_is_CallBackend(c->body)) {
		buf_printf(out, "why=%s", CallBody_name(c->body.tag));
		return;
	}
	why = CallBody_as_CallBackend(c->body)->why;
	buf_printf(out, "why=%s", BindWhy_name(why.tag));
	if (BindWhy_is_WhyTable(why))
		buf_printf(out, " row=%s", BindWhy_as_WhyTable(why)->row);
	if (BindWhy_is_WhyUser(why))
		buf_printf(out, " row=%s", BindWhy_as_WhyUser(why)->row);
}

void
bound_print(const Bound *b, const struct session *session, struct buf *out)
{
	for (uint32_t i = 0; i < b->n_calls; i++) {
		const Call *c = &b->calls[i];
		struct loc loc = place_get(session, &c->id);

		buf_printf(out, "%s:%d: %s(", loc.file ? loc.file : "-",
		    loc.line, c->opcode);
		put_values(b, c->inputs, c->n_inputs, out);
		buf_puts(out, ")");
		buf_puts(out, c->n_outputs ? " -> " : "");
		put_values(b, c->outputs, c->n_outputs, out);
		buf_puts(out, " // ");
		put_why(c, out);
		buf_puts(out, "\n");
	}
}
