/* SPDX-License-Identifier: MIT */
#include "runtime/cpu.h"

#include <stdio.h>
#include <xmmintrin.h>

#include "base/str.h"

/* The power-on value: nearest, exceptions masked, FTZ and DAZ clear. The low
 * bits only tell which exceptions there were. */
#define MXCSR_KERNEL 0x1f80u
#define MXCSR_CONTROL 0xffc0u

unsigned
cpu_enter(void)
{
	unsigned former = _mm_getcsr();

	/* Writing control bits that differ costs more than reading them. */
	if ((former & MXCSR_CONTROL) != MXCSR_KERNEL)
		_mm_setcsr(MXCSR_KERNEL);
	return former;
}

void
cpu_leave(unsigned former)
{
	/* Without a look: reading it waits for all that was computed. */
	_mm_setcsr(former);
}

static void
list_isas(struct buf *out)
{
	size_t i;

	for (i = 0; i < isa_count; i++)
		buf_printf(out, "%s%s", i ? ", " : "", isa_table[i].name);
}

const struct isa *
cpu_isa(const char *name, char *why)
{
	const struct isa *isa;
	struct buf names = { 0 };

	if (!name)
		return isa_best();
	isa = isa_find(name);
	if (!isa) {
		list_isas(&names);
		snprintf(why, 200, "unknown isa %.60s: expected one of %.100s",
		    name, names.p);
		buf_release(&names);
		return NULL;
	}
	if (!isa_runs_here(isa)) {
		snprintf(why, 200, "this CPU or its system cannot run %s; "
		    "the best it runs is %s", isa->name, isa_best()->name);
		return NULL;
	}
	return isa;
}
