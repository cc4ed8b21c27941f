/* SPDX-License-Identifier: MIT */
/*
 * A reduction. The file that includes this defines
 *   NAME          the op's name
 *   OUT32, OUT64  the langtype of the output
 * and two kernels, reduce_f32 and reduce_f64.
 */
#include "ref/table.h"

#define AXES ",int32|int64|[]int32|[]int64,bool->"

static const struct kvk_entry entries[] = {
	REF_ENTRY(NAME, "[*]float32" AXES OUT32, "float32", KVK_REDUCE, 1, 0,
	    reduce_f32),
	REF_ENTRY(NAME, "[*]float64" AXES OUT64, "float64", KVK_REDUCE, 1, 0,
	    reduce_f64),
};

REF_TABLE(entries);
