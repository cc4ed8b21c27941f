/* SPDX-License-Identifier: MIT */
/* Values as text, the same in every locale. */
#ifndef SPACE_TEXT_H
#define SPACE_TEXT_H

#include "base/str.h"
#include "space/space.h"
#include "space/value.h"

/*
 * Appends what `print` shows (kvlang.md 3.3): numbers in the shortest form
 * that reads back as the same value, floats always with '.' or an exponent
 * (exponents as in Python: below -4 or from 16), true and false, strings as
 * they are, arrays of any rank in nested brackets, None for no value.
 */
void value_display(const struct value *, struct buf *);

/*
 * Appends one line without TAB for tools that list a space: a header as
 * `nr nw dynamic`, opcodes and variables as their text, parameters as
 * name:type, strings quoted, arrays as displayed. Arrays are cut after 16
 * elements, strings after 64 characters, with `…`.
 */
void value_describe(const struct value *, struct buf *);

/* Appends `path TAB langtype TAB description LF` for all keys that start with
 * the prefix, in byte order. */
void space_print(const struct space *, const char *prefix, struct buf *);

#endif
