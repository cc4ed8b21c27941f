/* SPDX-License-Identifier: MIT */
/*
 * Expansion B of a .def file: its descriptors. Define IR_DEF, then include
 * this in exactly one .c file, after the level's header; IR_DEF is forgotten
 * afterwards. No guard: it is included once a level.
 */
#ifndef IR_DEF
#error "define IR_DEF as the path of the .def file first"
#endif

#define IR_PASS

/* A tentative definition that only ROOT makes true. */
#include "gen/ir/macros.h"
#undef REC
#define REC(N, wire) static const bool N##_root;
#undef ROOT
#define ROOT(N) static const bool N##_root = sizeof(N) > 0;
#include IR_DEF

#define IR_ONE(N, T, m, k, r, kd, pv) \
	{ .key = k, .key_n = sizeof(k) - 1, .type = &T##_type, .role = r, \
	  .kind = kd, .prov = pv, \
	  .off = offsetof(N, m) },
#define IR_MANY(N, T, m, k, r, pv) \
	{ .key = k, .key_n = sizeof(k) - 1, .type = &T##_type, .role = r, \
	  .prov = pv, .seq = true, \
	  .off = offsetof(N, m), .off_n = offsetof(N, n_##m) },

#include "gen/ir/macros.h"
#undef REC
#define REC(N, wire) static const struct ir_field N##_fields[] = {
#undef ID
#define ID(N, m, kd) IR_ONE(N, Id, m, "id", IR_SELF, kd, true)
#undef F
#define F(N, T, m, k) IR_ONE(N, T, m, k, IR_PLAIN, 0, false)
#undef FS
#define FS(N, T, m, k) IR_MANY(N, T, m, k, IR_PLAIN, false)
#undef FP
#define FP(N, T, m, k) IR_ONE(N, T, m, k, IR_PLAIN, 0, true)
#undef FPS
#define FPS(N, T, m, k) IR_MANY(N, T, m, k, IR_PLAIN, true)
#undef R
#define R(N, m, k) IR_ONE(N, Id, m, k, IR_REF, 0, false)
#undef RS
#define RS(N, m, k) IR_MANY(N, Id, m, k, IR_REF, false)
#undef END
#define END(N) { .key = NULL } }; \
	_Static_assert(sizeof(N##_fields) / sizeof(*N##_fields) - 1 <= \
	    IR_MAX_FIELDS, #N " has too many fields"); \
	static uint8_t N##_order[sizeof(N##_fields) / sizeof(*N##_fields)];
#undef ADT
#define ADT(N, wire) static const struct ir_variant N##_vars[] = {
#undef VAR
#define VAR(N, o, P, l) { .ord = o, .local = l, .type = &P##_type },
#undef SEAL
#define SEAL(N, n) };
#include IR_DEF

#include "gen/ir/macros.h"
#undef REC
#define REC(N, w) \
	const struct ir_type N##_type = { .kind = IR_REC, .wire = w, \
	    .size = sizeof(N), .field = N##_fields, .root = &N##_root, \
	    .order = N##_order, \
	    .n_field = sizeof(N##_fields) / sizeof(*N##_fields) - 1 };
#undef ADT
#define ADT(N, w) \
	const struct ir_type N##_type = { .kind = IR_ADT, .wire = w, \
	    .size = sizeof(N), .variant = N##_vars, \
	    .n_variant = N##_variants };
#include IR_DEF

#undef IR_ONE
#undef IR_MANY
#undef IR_PASS
#include "gen/ir/macros.h"
#undef IR_DEF
