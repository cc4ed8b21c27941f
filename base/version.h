/* SPDX-License-Identifier: MIT */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* What --version of every tool prints. */
#define KVAOT_VERSION "0.1.0"

#endif
