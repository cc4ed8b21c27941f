/* SPDX-License-Identifier: MIT */
/* The types of common.def: Lineage and Header. */
#ifndef GEN_IR_COMMON_H
#define GEN_IR_COMMON_H

#define IR_DEF "gen/ir/common.def"
#include "gen/ir/decl.h"

/* What every Header has in `schema` until the first release. */
#define IR_SCHEMA "0.0.0"

#endif
