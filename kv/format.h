/* SPDX-License-Identifier: MIT */
/* The one way to write a .kv file (kvlang.md 5.4). */
#ifndef KV_FORMAT_H
#define KV_FORMAT_H

#include "base/str.h"
#include "kv/kv.h"

/*
 * Appends the formatted text: tabs, one statement a line, parentheses where
 * they are needed; functions, libs, ifs and labels stand between empty lines,
 * elsewhere at most one empty line is kept. The order of things and the
 * spelling of literals stay. Every comment is kept: in front of its statement
 * or behind it, one from inside a signature or condition in front of that. The
 * text lays out to the same rows, and formatting it again changes nothing. -1
 * without output when the file had errors, which kv_parse reported.
 */
int kv_format(const struct kv_file *, struct buf *, struct diag *);

#endif
