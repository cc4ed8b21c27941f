/* SPDX-License-Identifier: MIT */
/* What a decision about a call may depend on, as bytes: see struct memo. */
#ifndef RUNTIME_MEMO_H
#define RUNTIME_MEMO_H

#include "runtime/func.h"

/* full: it did not fit, so that nothing may be remembered. */
struct sig {
	size_t n;
	bool full;
	uint8_t p[SIGNATURE_MAX];
};

void sig_init(struct sig *);

/* Adds a value, NULL for None: dtype, dims, and the body of a small integer
 * or bool. */
void sig_add(struct sig *, const struct value *);

bool memo_hit(const struct memo *, const struct sig *);

/* Remembers the signature; what was decided is set by the caller. */
void memo_set(struct memo *, struct arena *, const struct sig *);

#endif
