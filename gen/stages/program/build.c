/* SPDX-License-Identifier: MIT */
#include "gen/stages/program/build.h"

#include <stdio.h>

void
program_begin(struct program_builder *b, struct arena *arena,
    const char *unit)
{
	*b = (struct program_builder){ .arena = arena, .unit = unit };
}

Value *
program_value_as(struct program_builder *b, const char *name,
    const char *unique, ValueRole role, const char *langtype, Lineage lineage)
{
	const char *parts[] = { b->unit, unique };
	Value *v = arena_alloc(b->arena, sizeof *v);

	v->id = ir_id('v', parts, 2);
	v->name = name;
	v->role = role;
	v->langtype = langtype;
	v->lineage = lineage;
	b->value = arena_grow(b->arena, b->value, b->nvalue, &b->cap_value,
	    sizeof *b->value);
	b->value[b->nvalue++] = v;
	return v;
}

Value *
program_value(struct program_builder *b, const char *name, ValueRole role,
    const char *langtype, Lineage lineage)
{
	return program_value_as(b, name, name, role, langtype, lineage);
}

Id
program_op_id(const struct program_builder *b, const char *opcode,
    const char *output, size_t ordinal)
{
	char text[32];
	const char *parts[] = { b->unit, output ? output : opcode, text };

	snprintf(text, sizeof text, "%zu", ordinal);
	return ir_id('o', parts, output ? 2 : 3);
}

void
program_op(struct program_builder *b, const Op *op)
{
	b->op = arena_grow(b->arena, b->op, b->nop, &b->cap_op, sizeof *op);
	b->op[b->nop++] = *op;
}

void
program_result(struct program_builder *b, const char *name,
    const char *langtype, const Id *value)
{
	Result r = { .name = name, .langtype = langtype, .value = *value };

	b->result = arena_grow(b->arena, b->result, b->nresult, &b->cap_result,
	    sizeof r);
	b->result[b->nresult++] = r;
}

static bool
in_list(const Id *list, uint32_t n, const Id *id)
{
	for (uint32_t i = 0; i < n; i++)
		if (ir_id_eq(&list[i], id))
			return true;
	return false;
}

static bool
is_used(const struct program_builder *b, const Value *v)
{
	if (ValueRole_is_RoleParam(v->role))
		return true;
	for (size_t i = 0; i < b->nop; i++)
		if (in_list(b->op[i].inputs, b->op[i].n_inputs, &v->id) ||
		    in_list(b->op[i].outputs, b->op[i].n_outputs, &v->id))
			return true;
	for (size_t i = 0; i < b->nresult; i++)
		if (ir_id_eq(&b->result[i].value, &v->id))
			return true;
	return false;
}

const Program *
program_end(struct program_builder *b, const struct snapshot *parent)
{
	Program *p = arena_alloc(b->arena, sizeof *p);

	p->header = header_of(parent, b->arena);
	p->unit = b->unit;
	p->values = arena_array(b->arena, b->nvalue, sizeof *p->values);
	for (size_t i = 0; i < b->nvalue; i++)
		if (is_used(b, b->value[i]))
			p->values[p->n_values++] = *b->value[i];
	p->ops = b->op;
	p->n_ops = (uint32_t)b->nop;
	p->results = b->result;
	p->n_results = (uint32_t)b->nresult;
	return p;
}
