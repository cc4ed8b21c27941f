/* SPDX-License-Identifier: MIT */
/* The checks of `kvaot doctor`. */
#ifndef GEN_DOCTOR_H
#define GEN_DOCTOR_H

#include "base/arena.h"

enum finding_status { FINDING_OK = 0, FINDING_WARNING, FINDING_PROBLEM };

struct finding {
	enum finding_status status;
	const char *check, *text;
	const char *todo; /* NULL when it is in order */
};

struct findings {
	struct finding *item;
	size_t n, cap;
};

/* Looks at this installation: home is the folder with kvobj.conf, lib the
 * library's (NULL: as the runtime finds it). Always gives the same checks in
 * the same order; changes nothing but what the cache remembers of digests. */
void doctor_look(struct findings *, const char *home, const char *lib,
    struct arena *);

const char *finding_word(enum finding_status);

#endif
