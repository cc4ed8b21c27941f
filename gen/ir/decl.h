/* SPDX-License-Identifier: MIT */
/*
 * Expansion A of a .def file: its C types. Define IR_DEF as the quoted path of
 * the file, then include this in the level's (guarded) header; IR_DEF is
 * forgotten afterwards. No guard: it is included once a level.
 *
 * Gives for REC(N): struct N (typedef N) and N_type. For ADT(N): enum N_tag
 * with enumerators N_P, struct N (typedef N), N_type, and
 *
 *	const char *N_name(enum N_tag)     local tag; NULL if it is none
 *	bool        N_is_P(N)
 *	const P    *N_as_P(N)              BUG on another variant
 *	N           N_of_P(const P *)
 *
 * Closedness is a matter of the compiler: a VAR after SEAL, a repeated or
 * zero ordinal and a wrong count do not compile.
 */
#ifndef IR_DEF
#error "define IR_DEF as the path of the .def file first"
#endif

#include "gen/ir/type.h"

#define IR_PASS

/* Names first, so that a sequence may be of a type that comes later. */
#include "gen/ir/macros.h"
#undef REC
#define REC(N, wire) typedef struct N N; extern const struct ir_type N##_type;
#undef ADT
#define ADT(N, wire) typedef struct N N; extern const struct ir_type N##_type;
#include IR_DEF

/* The last member lets a record have no fields, which C does not allow. */
#include "gen/ir/macros.h"
#undef REC
#define REC(N, wire) struct N {
#undef ID
#define ID(N, member, kind) Id member;
#undef F
#define F(N, T, member, key) T member;
#undef FS
#define FS(N, T, member, key) T *member; uint32_t n_##member;
#undef FP
#define FP(N, T, member, key) T member;
#undef FPS
#define FPS(N, T, member, key) T *member; uint32_t n_##member;
#undef R
#define R(N, member, key) Id member;
#undef RS
#define RS(N, member, key) Id *member; uint32_t n_##member;
#undef END
#define END(N) char end_; };
#undef ADT
#define ADT(N, wire) enum N##_tag {
#undef VAR
#define VAR(N, ord, P, local) N##_##P = ord,
#undef SEAL
#define SEAL(N, n) }; struct N { enum N##_tag tag; const void *p; };
#include IR_DEF

#include "gen/ir/macros.h"
#undef ADT
#define ADT(N, wire) enum { N##_variants = 0
#undef VAR
#define VAR(N, ord, P, local) + 1
#undef SEAL
#define SEAL(N, n) }; \
	_Static_assert(N##_variants == (n), \
	    "SEAL of " #N " does not count its variants"); \
	_Static_assert(sizeof(struct N) == sizeof(struct ir_sum) && \
	    sizeof(enum N##_tag) == sizeof(uint32_t), "layout of " #N);
#include IR_DEF

/* The cases make ordinals distinct and non-zero; the name of the parameter
 * ties each VAR to the ADT around it. */
#include "gen/ir/macros.h"
#undef ADT
#define ADT(N, wire) \
	static inline const char * \
	N##_name(enum N##_tag N##_t) { switch ((int)N##_t) { case 0: break;
#undef VAR
#define VAR(N, ord, P, local) case ord: (void)N##_t; return local;
#undef SEAL
#define SEAL(N, n) } return NULL; }
#include IR_DEF

#include "gen/ir/macros.h"
#undef VAR
#define VAR(N, ord, P, local) \
	static inline bool \
	N##_is_##P(N v) { return v.tag == N##_##P; } \
	static inline const P * \
	N##_as_##P(N v) \
	{ \
		if (v.tag != N##_##P) \
			BUG(#N " is variant %u, not " local, (unsigned)v.tag); \
		return v.p; \
	} \
	static inline N \
	N##_of_##P(const P *p) { return (N){ N##_##P, p }; }
#include IR_DEF

#undef IR_PASS
#include "gen/ir/macros.h"
#undef IR_DEF
