/* SPDX-License-Identifier: MIT */
/* The name that somebody may have meant. */
#ifndef KV_NEAR_H
#define KV_NEAR_H

/* The nearest name so far; starts zeroed but for `word`. */
struct near {
	const char *word; /* what was written */
	const char *best; /* NULL: nothing is near */
	int distance;
};

/* Offers a name. Near is: at most 2 edits (a code point inserted, deleted or
 * changed, or two neighbours swapped) and fewer than a third of the word. The
 * first of equals stays. */
void near_try(struct near *, const char *name);

#endif
