/* SPDX-License-Identifier: MIT */
#include "gen/stages/program/program.h"

#include <string.h>

/* Position of the op that defines a value: -1 for parameters and literals,
 * n_ops when nothing defines it. */
static int64_t
defined_at(const Program *p, const Id *id)
{
	for (uint32_t i = 0; i < p->n_values; i++)
		if (ir_id_eq(&p->values[i].id, id) &&
		    !ValueRole_is_RoleTemp(p->values[i].role))
			return -1;
	for (uint32_t i = 0; i < p->n_ops; i++)
		for (uint32_t k = 0; k < p->ops[i].n_outputs; k++)
			if (ir_id_eq(&p->ops[i].outputs[k], id))
				return i;
	return p->n_ops;
}

static int
verify_op(const Program *p, uint32_t i, struct diag *diag)
{
	const Op *op = &p->ops[i];
	int bad = 0;

	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (defined_at(p, &op->inputs[k]) >= (int64_t)i)
			bad = diag_error(diag, no_loc, "program.use-before-"
			    "definition: %s: op %u (%s), input %u", p->unit, i,
			    op->opcode, k);
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (defined_at(p, &op->outputs[k]) != (int64_t)i)
			bad = diag_error(diag, no_loc, "program.single-"
			    "assignment: %s: op %u (%s), output %u", p->unit,
			    i, op->opcode, k);
	if (OpBody_is_OpAbstract(op->body) && strchr(op->opcode, '/'))
		bad = diag_error(diag, no_loc, "program.abstract-author: %s: "
		    "op %u (%s) is abstract and names an author", p->unit, i,
		    op->opcode);
	return bad;
}

int
program_verify(const void *root, struct diag *diag)
{
	const Program *p = root;
	int bad = 0;

	for (uint32_t i = 0; i < p->n_ops; i++)
		bad |= verify_op(p, i, diag);
	for (uint32_t i = 0; i < p->n_results; i++)
		if (defined_at(p, &p->results[i].value) >= (int64_t)p->n_ops)
			bad = diag_error(diag, no_loc, "program.undefined-"
			    "result: %s: %s", p->unit, p->results[i].name);
	return bad;
}
