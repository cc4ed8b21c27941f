/* SPDX-License-Identifier: MIT */
#include "gen/ir/common.h"

#define IR_DEF "gen/ir/common.def"
#include "gen/ir/desc.h"
