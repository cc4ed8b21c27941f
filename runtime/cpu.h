/* SPDX-License-Identifier: MIT */
/* The floating-point control register and the choice of an instruction set
 * level: what a thread must have in order before it runs a kernel. */
#ifndef RUNTIME_CPU_H
#define RUNTIME_CPU_H

#include "base/isa.h"

/*
 * Sets round to nearest, all exceptions masked and no flush to zero of
 * results or operands, on the calling thread. Returns the register's former
 * content for cpu_leave.
 */
unsigned cpu_enter(void);

/* Gives the calling thread's control register back to its owner. */
void cpu_leave(unsigned former);

/*
 * The level kernels may use at most: the one of that name, or the best that
 * runs here when name is NULL. NULL with a reason in why (at least 200 bytes)
 * when the name is unknown or the level does not run on this CPU.
 */
const struct isa *cpu_isa(const char *name, char *why);

#endif
