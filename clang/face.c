/* SPDX-License-Identifier: MIT */
#include "clang/clang.h"
#include "clang/disasm.h"
#include "clang/includes.h"

const struct clang_face kvaot_clang
    __attribute__((visibility("default"))) = {
	    .version = CLANG_FACE,
	    .scan = disasm_scan,
	    .includes = includes_list,
    };
