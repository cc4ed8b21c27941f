/* SPDX-License-Identifier: MIT */
/*
 * The interpreter over schema descriptors: check, encode, decode, digest,
 * print. Level headers include this, then decl.h.
 *
 * Messages have the form `code: place: what was expected and found`; the codes
 * are stable and named below. The place is a path such as
 * groups[2].body.kernel.template, or a byte offset while decoding.
 */
#ifndef GEN_IR_IR_H
#define GEN_IR_IR_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/str.h"
#include "gen/ir/common.h"
#include "gen/ir/type.h"

/*
 * Checks a value in memory, reports all that is wrong with it, always in the
 * same order, and never crashes on a wrong one. 0, or -1 with errors in diag.
 *
 * Of each place: value.null, value.depth, value.size (surely over 64 MiB when
 * encoded; this one and the depth end the check), sym.text, bool.value,
 * f64.nan, adt.no-variant (tag 0), adt.tag, id.kind. Then of the whole value:
 * id.duplicate, reference.unknown, reference.provenance (a core field may not
 * name an entity that only occurs inside provenance).
 *
 * References with the key "deps" are dependencies: dag.self-dependency,
 * dag.duplicate-dependency, and dag.not-topological when a dependency of the
 * same record type is stored after the entity that needs it.
 */
int ir_check(const struct ir_type *, const void *, struct diag *);

/*
 * Checks a schema itself, with all types reachable from one; every level's
 * tests call it for the level's root. schema.wire (tags are dotted lower-kebab
 * text), schema.duplicate-wire, schema.key, schema.duplicate-key,
 * schema.duplicate-tag, schema.payload (of a variant: must be a record),
 * schema.alias (two entity types whose wire names end in the same part),
 * schema.deps (no sequence of references).
 */
int ir_check_schema(const struct ir_type *, struct diag *);

/*
 * Appends the canonical CBOR of a checked value:
 *
 *	record    [wire, {key: field, …}]   all fields, keys in canonical order
 *	variant   [wire of the sum "." local tag, {fields of its payload}]
 *	sequence  array    Sym text    Id, Digest bytes    Bool false, true
 *	U64, I64  integer  F64Bits ["kvaot.f64-bits", {"bits": 8 bytes}]
 */
void ir_encode(const struct ir_type *, const void *, struct buf *);

/*
 * The same walk without provenance: ids and provenance fields are missing from
 * their maps, a reference is the position of its target among the entities, in
 * the order in which the walk enters them. An entity outside the value (when
 * it is only a part of a root) is numbered after those inside, by first use.
 */
void ir_encode_core(const struct ir_type *, const void *, struct buf *);

/*
 * Reads exactly what ir_encode writes, into the arena; NULL and one error in
 * diag for anything else. Whether ids and references hold is ir_check's to
 * say. Takes memory of at most 16 times the bytes. Codes: cbor.size,
 * cbor.memory, cbor.short, cbor.trailing, cbor.shortest,
 * cbor.indefinite, cbor.type, cbor.range, cbor.text, cbor.count, cbor.depth,
 * cbor.nan, cbor.key-order, cbor.key-duplicate, cbor.field-missing,
 * cbor.field-extra, cbor.record-tag, adt.unregistered-tag.
 */
void *ir_decode(const struct ir_type *, const uint8_t *, size_t,
    struct arena *, struct diag *);

/* SHA-256 of "kvaot ", the domain, a space, the number of bytes in decimal, a
 * NUL, and the bytes. */
Digest ir_digest_bytes(const char *domain, const void *, size_t);

/* ir_digest_bytes of ir_encode in the domain of the type's wire name. */
Digest ir_digest(const struct ir_type *, const void *);

/* ir_digest_bytes of ir_encode_core in the domain wire name + ".core". */
Digest ir_core_digest(const struct ir_type *, const void *);

/* The id of something by its names: the kind and the first 16 bytes of the
 * SHA-256 of "kvaot-id", the kind, a NUL, and the parts as a CBOR array of
 * text. Parts must be valid Syms. */
Id ir_id(char kind, const char *const *parts, size_t n);

bool ir_id_eq(const Id *, const Id *);
bool ir_digest_eq(const Digest *, const Digest *);

/*
 * Appends a value as text for people and golden files: one field a line, in
 * the order of the .def file. Entities are written as aliases (call#3: the
 * third of its type), ids of other snapshots as kind and 12 digits (c:3f9a…),
 * digests as 12 digits. Never read back.
 */
void ir_print(const struct ir_type *, const void *, struct buf *);

#endif
