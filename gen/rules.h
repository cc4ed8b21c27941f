/* SPDX-License-Identifier: MIT */
/* The rules of fusion.def together with what each template says of itself in
 * its `@match` line. */
#ifndef GEN_RULES_H
#define GEN_RULES_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/str.h"
#include "gen/ir/type.h"

enum class_rule { RULE_NONE = 0, RULE_FUSE, RULE_INDEX, RULE_COUNT,
	RULE_BARRIER };

/*
 * A template. The match line is
 *     @match class=map|view|reduce(last)+ need=reduce dtype=any
 * class: the classes of ops it takes, `reduce(last)` a reduction over the last
 * axis, `reduce(axis)` one over another axis, the same for all of a group;
 * need: the group must have an op of that class; dtype: it makes kernels of
 * integers and bool too, else of floats alone.
 */
struct template {
	const char *name, *path;
	struct str text;
	Digest revision; /* of the text without comments */
	bool map, view, reduce_last, reduce_axis, need_reduce, any_dtype;
};

/* released: texts that came with released versions; no new group takes one. */
struct fusion_rules {
	struct template *template_;
	size_t n;
	struct template *released;
	size_t nreleased, cap;
};

/* Reads the match line of a template whose path and text are set. -1 with an
 * error. */
int template_parse(struct template *, struct diag *);

/* Reads the templates that fusion.def names from a folder. -1 with errors. */
int rules_read(struct fusion_rules *, struct arena *, const char *folder,
    struct diag *);

enum class_rule rules_class(const char *cls);

/* How many ops of a COUNT class a group must stay below; 0: no limit. */
int rules_limit(const char *cls);

/* What the entries of its kernels are: map, rows or cols (kvk.h). */
const char *template_entry(const struct template *);

/* Whether the template takes ops of this class. */
bool template_takes(const struct template *, const char *cls);

const struct template *rules_template(const struct fusion_rules *,
    const char *name);

/* The text of a template that a group was made with: today's, or one that came
 * with a released version. NULL when there is neither. */
const struct template *rules_revision(const struct fusion_rules *,
    const char *name, const Digest *revision);

/* Adds the text of a template that came with a released version; path is for
 * messages. -1 with errors. */
int rules_add_released(struct fusion_rules *, struct arena *,
    const char *name, const char *path, struct str text, struct diag *);

/* What the state means, in words. */
const char *rules_state_text(const char *state);

#endif
