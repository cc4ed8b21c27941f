/* SPDX-License-Identifier: MIT */
/* The parts of a langtype text. */
#ifndef KV_LANGTYPE_H
#define KV_LANGTYPE_H

#include "base/str.h"
#include "space/value.h"

/* One of the alternatives: "[2,*]float32" has dims "2,*". */
struct kv_atom {
	bool array; /* has brackets */
	struct str dims, kind;
};

/* Takes the next alternative off *rest; false at the end or when malformed
 * (then rest->n is not 0). */
bool kv_atom_next(struct str *rest, struct kv_atom *);

/* Whether the shape fits the brackets. Without brackets only rank 0 fits, but
 * `any` takes every shape. */
bool kv_atom_fits(const struct kv_atom *, const struct shape *);

/* The shape when all dims are numbers; false otherwise. */
bool kv_atom_shape(const struct kv_atom *, struct shape *);

/* False only when no value has both langtypes; true for a malformed one. */
bool kv_langtype_overlap(struct str, struct str);

/* The ranks that the brackets take; *least is 0 and *most is MAX_RANK for
 * `any` without brackets. */
void kv_atom_ranks(const struct kv_atom *, int *least, int *most);

/* Offers the kinds of the language (near.h). */
struct near;
void kv_kind_near(struct near *);

#endif
