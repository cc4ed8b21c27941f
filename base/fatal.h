/* SPDX-License-Identifier: MIT */
/* The two ways a tool stops that are not the user's text: the environment
 * (exit 3) and our own bug (exit 70). */
#ifndef BASE_FATAL_H
#define BASE_FATAL_H

enum { EXIT_OK = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_ENV = 3,
	EXIT_BUG = 70 };

/* Name put before every message, e.g. "kvaot"; "kvaot" until set. */
void fatal_program(const char *name);

/* Prints `NAME: message`, exits with EXIT_ENV. */
_Noreturn void fatal(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* Prints `NAME: message` and a hint to --help, exits with EXIT_USAGE. */
_Noreturn void usage_error(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* Prints where and what, asks for a report, exits with EXIT_BUG. */
#define BUG(...) bug(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
