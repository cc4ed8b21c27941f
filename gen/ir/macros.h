/* SPDX-License-Identifier: MIT */
/*
 * Forgets the macros of a .def file; with IR_PASS defined, makes them all
 * empty, so that an expansion only spells out the ones it needs. Included many
 * times by decl.h and desc.h and by nobody else, hence no guard.
 */
#undef REC
#undef ID
#undef F
#undef FS
#undef FP
#undef FPS
#undef R
#undef RS
#undef END
#undef ADT
#undef VAR
#undef SEAL
#undef ROOT

#ifdef IR_PASS
#define REC(N, wire)
#define ID(N, member, kind)
#define F(N, T, member, key)
#define FS(N, T, member, key)
#define FP(N, T, member, key)
#define FPS(N, T, member, key)
#define R(N, member, key)
#define RS(N, member, key)
#define END(N)
#define ADT(N, wire)
#define VAR(N, ord, P, local)
#define SEAL(N, n)
#define ROOT(N)
#endif
