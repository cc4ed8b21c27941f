/* SPDX-License-Identifier: MIT */
/*
 * What a schema is at run time. A level's .def file is expanded twice: by
 * gen/ir/decl.h into C types, by gen/ir/desc.h into the descriptors below. All
 * other code about values (encode, decode, check, print, digest) is one
 * interpreter over descriptors, so a new field needs no new code.
 *
 * The .def macros (a .def file has no include guard):
 *
 *	REC(N, wire)               record N
 *	  ID (N, member, kind)     the entity's own id, key "id"; provenance
 *	  F  (N, T, member, key)   one value of type T
 *	  FS (N, T, member, key)   sequence: T *member; uint32_t n_member;
 *	  FP, FPS                  as F, FS, but provenance: names, lineage and
 *	                           source digests, left out of the core digest
 *	  R  (N, member, key)      reference to an entity of the same root
 *	  RS (N, member, key)      sequence of references
 *	END(N)
 *	ADT(N, wire)               closed sum
 *	  VAR(N, ord, P, local)    variant: ordinal >= 1, payload record P
 *	SEAL(N, n)                 closes it; n is the number of variants
 *	ROOT(N)                    record N, already ended, is a snapshot's root
 *
 * The key "deps" is for references only and carries the law of dependencies:
 * see ir_check().
 */
#ifndef GEN_IR_TYPE_H
#define GEN_IR_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fatal.h"

/* The primitive field types. A Sym is UTF-8 without control characters and
 * never NULL; the first byte of an Id is its kind. */
typedef const char *Sym;
typedef struct Id { uint8_t b[17]; } Id;
typedef struct Digest { uint8_t b[32]; } Digest;
typedef uint64_t U64;
typedef int64_t I64;
typedef bool Bool;
typedef uint64_t F64Bits; /* an IEEE double that is not a NaN */

enum ir_kind {
	IR_SYM = 1, IR_ID, IR_DIGEST, IR_U64, IR_I64, IR_BOOL, IR_F64,
	IR_REC, IR_ADT
};

enum ir_role { IR_PLAIN = 1, IR_SELF, IR_REF };

struct ir_field {
	const char *key;
	const struct ir_type *type;
	enum ir_role role;
	char kind;       /* of an IR_SELF field */
	bool seq, prov;
	uint8_t key_n;   /* the length of the key */
	uint32_t off;    /* of the value, or of the pointer to the sequence */
	uint32_t off_n;  /* of the sequence's count */
};

struct ir_variant {
	uint32_t ord;
	const char *local;
	const struct ir_type *type;
};

struct ir_type {
	enum ir_kind kind;
	const char *wire;
	uint32_t size, n_field, n_variant;
	const struct ir_field *field;     /* in the order of the .def file */
	const struct ir_variant *variant;
	const bool *root;                 /* whether ROOT() names it */
	uint8_t *order; /* of a record: numbers of its fields, from 1 */
};

/* The memory of every ADT value. */
struct ir_sum {
	uint32_t tag;
	const void *p;
};

extern const struct ir_type Sym_type, Id_type, Digest_type, U64_type, I64_type,
    Bool_type, F64Bits_type;

enum {
	IR_MAX_DEPTH = 64,       /* records inside each other */
	IR_MAX_BYTES = 64 << 20, /* of one encoded value */
	IR_MAX_FIELDS = 64       /* of one record */
};

/* Field i in canonical order (shorter keys first, then by bytes), or NULL past
 * the last. */
const struct ir_field *ir_field_at(const struct ir_type *, uint32_t i);

/* Negative, 0, positive as key a comes before, is, comes after key b. */
int ir_key_cmp(const char *a, size_t na, const char *b, size_t nb);

/* How many elements a field has: 1 unless it is a sequence. */
uint32_t ir_count(const struct ir_field *, const void *rec);

/* Element i < ir_count(); NULL when the sequence has no memory. */
const void *ir_elem(const struct ir_field *, const void *rec, uint32_t i);

struct ir_sum ir_sum_of(const void *adt);

/* The variant of that ordinal, or NULL. */
const struct ir_variant *ir_variant_of(const struct ir_type *, uint32_t ord);

/* The fewest bytes that a value of the type takes when encoded. */
size_t ir_least_bytes(const struct ir_type *);

/* The last dotted part of a wire name: "group" of "kvaot.l3.group". */
const char *ir_short(const struct ir_type *);

/* One place of a walk. */
struct ir_at {
	const struct ir_at *up;          /* NULL at the top */
	const struct ir_field *field;    /* NULL at the top and in a payload */
	const struct ir_variant *variant; /* set when this is a payload */
	const struct ir_type *type;
	const void *p;                   /* NULL: the value has none here */
	uint32_t index;                  /* in a sequence */
	unsigned depth;                  /* how many records are around it */
	bool prov;                       /* inside provenance */
};

/* Returns 0 to go on, 1 to leave out what is inside, -1 to stop. */
typedef int ir_visit_fn(void *ctx, const struct ir_at *);

/*
 * Visits a value and all that is inside it, fields in canonical order, outer
 * before inner; a variant is visited as the sum, then as its payload. Never
 * goes through NULL, an unknown tag, or deeper than IR_MAX_DEPTH (the place
 * one too deep is still visited). Returns -1 when it was stopped, else 0.
 */
int ir_walk(const struct ir_type *, const void *, ir_visit_fn *, void *ctx);

#define IR_NO_CORE UINT32_MAX

/* An entity: a record with an ID field. */
struct ir_entity {
	Id id;
	const struct ir_type *type;
	const void *p;
	uint32_t order; /* in the order of the walk, from 0 */
	uint32_t core;  /* the same without provenance; IR_NO_CORE if inside */
	uint32_t alias; /* among those of its type, from 1 */
};

/* All entities of a value, sorted by id, then by order. */
struct ir_index {
	struct ir_entity *entity;
	size_t n, cap;
};

void ir_index_build(struct ir_index *, struct arena *, const struct ir_type *,
    const void *);

/* The ID field of a record type, or NULL when it is no entity. */
const struct ir_field *ir_self(const struct ir_type *);

/* The first entity of that id, or NULL. */
const struct ir_entity *ir_index_find(const struct ir_index *, const Id *);

/* Whether n bytes are UTF-8 without control characters (C0, DEL, C1). */
bool ir_text_ok(const char *, size_t n);

#endif
