/* SPDX-License-Identifier: MIT */
/* The instruction set levels of isa.def and which of them this CPU runs. */
#ifndef BASE_ISA_H
#define BASE_ISA_H

#include <stdbool.h>
#include <stddef.h>

struct isa {
	const char *name;
	int rank;
	const char *flag, *features;
};

extern const struct isa isa_table[];
extern const size_t isa_count;

/* The level of that name, or NULL. */
const struct isa *isa_find(const char *name);

/* Whether this CPU has all features of the level, by cpuid, and the system
 * saves their registers, by XCR0. Runs no instruction of the level. */
bool isa_runs_here(const struct isa *);

/* The highest level that runs here. */
const struct isa *isa_best(void);

/* The names of the levels that a local build makes: the lowest and the best
 * of this machine; NULL at the end. */
const char *const *isa_local(void);

/* The names of all levels, lowest first; NULL at the end. */
const char *const *isa_all(void);

#endif
