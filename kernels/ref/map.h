/* SPDX-License-Identifier: MIT */
/*
 * An elementwise op. The file that includes this defines
 *   NAME  the op's name
 *   READS how many operands it reads
 *   ATTRS the langtypes of its attributes, each after a ','; may be ""
 *   F(S)  the result as an expression of v[0], v[1], …; S is f32 or f64
 */
#include "ref/table.h"

/* Where element i of the output is in an operand of these steps. */
static int64_t
ref_at(const int64_t *extent, const int64_t *step, int64_t i)
{
	int64_t at = 0;

	for (int axis = 3; axis >= 0; axis--) {
		at += i % extent[axis] * step[axis];
		i /= extent[axis];
	}
	return at;
}

#define REF_MAP(S, T) \
	static int \
	map_##S(void *const *ptr, const int64_t *dim, \
	    const struct kvk_stream *stream) \
	{ \
		int64_t n = dim[0] * dim[1] * dim[2] * dim[3]; \
		\
		(void)stream; \
		for (int64_t i = 0; i < n; i++) { \
			T v[READS], *out = ptr[READS]; \
			\
			for (int k = 0; k < READS; k++) \
				v[k] = ((const T *)ptr[k])[ref_at(dim, \
				    dim + 4 + 4 * k, i)]; \
			out[ref_at(dim, dim + 4 + 4 * READS, i)] = F(S); \
		} \
		return KVK_OK; \
	}

REF_MAP(f32, float)
REF_MAP(f64, double)

#define T32 "[*]float32"
#define T64 "[*]float64"
#define MAP_ENTRY(type, first, more, f) \
	REF_ENTRY(NAME, first more ATTRS "->" first, type, KVK_MAP, READS, \
	    (1 << READS) - 1, f)

static const struct kvk_entry entries[] = {
#if READS == 1
	MAP_ENTRY("float32", T32, "", map_f32),
	MAP_ENTRY("float64", T64, "", map_f64),
#else
	MAP_ENTRY("float32", T32, "," T32, map_f32),
	MAP_ENTRY("float64", T64, "," T64, map_f64),
#endif
};

REF_TABLE(entries);
