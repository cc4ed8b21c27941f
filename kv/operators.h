/* SPDX-License-Identifier: MIT */
/* The operators of operators.def. */
#ifndef KV_OPERATORS_H
#define KV_OPERATORS_H

/* The level of an infix operator, 0 when the text is none. */
int infix_level(const char *);

/* The opcode's word, "add" for "+"; NULL when the text is no such operator. */
const char *infix_word(const char *);
const char *prefix_word(const char *);

#endif
