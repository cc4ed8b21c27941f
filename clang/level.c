/* SPDX-License-Identifier: MIT */
#include "clang/level.h"

#include <stdint.h>

/* Opcode maps, by escape bytes or by the map field of VEX. */
enum map { MAP_1 = 0, MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };

/* The mandatory prefixes, as bits so that a row can name several. */
enum { P_NONE = 1, P_66 = 2, P_F3 = 4, P_F2 = 8, P_ANY = 15 };

/*
 * The first row that matches an encoding decides. An opcode that no row names
 * is: baseline in the maps 1 and 0F, unknown elsewhere, so that an instruction
 * newer than this table is refused and not overlooked.
 */
struct row {
	uint8_t map, prefix, lo, hi;
	const char *needs;
};

static const struct row legacy[] = {
	{ MAP_0F, P_ANY, 0x01, 0x01, "system instruction" },
	{ MAP_0F, P_ANY, 0x05, 0x09, "system instruction" },
	{ MAP_0F, P_ANY, 0x0e, 0x0f, "3dnow" },
	{ MAP_0F, P_F2 | P_F3, 0x12, 0x12, "sse3" },
	{ MAP_0F, P_F3, 0x16, 0x16, "sse3" },
	{ MAP_0F, P_F2 | P_F3, 0x2b, 0x2b, "sse4a" },
	{ MAP_0F, P_ANY, 0x30, 0x37, "system instruction" },
	{ MAP_0F, P_66 | P_F2, 0x78, 0x79, "sse4a" },
	{ MAP_0F, P_NONE, 0x78, 0x79, "system instruction" },
	{ MAP_0F, P_66 | P_F2, 0x7c, 0x7d, "sse3" },
	{ MAP_0F, P_ANY, 0xa2, 0xa2, "system instruction" },
	{ MAP_0F, P_ANY, 0xa6, 0xa7, "padlock" },
	/* Among them ldmxcsr: a kernel leaves the control register alone. */
	{ MAP_0F, P_ANY, 0xae, 0xae, "system instruction" },
	{ MAP_0F, P_F3, 0xb8, 0xb8, "popcnt" },
	/* F3 0F BC, tzcnt, is absent: clang writes it for baseline too, where
	 * an old CPU runs it as bsf, with the same result for inputs that are
	 * not zero; for others clang does not write it. */
	{ MAP_0F, P_F3, 0xbd, 0xbd, "lzcnt" },
	{ MAP_0F, P_ANY, 0xc7, 0xc7, "cmpxchg16b, rdrand or xsave" },
	{ MAP_0F, P_66 | P_F2, 0xd0, 0xd0, "sse3" },
	{ MAP_0F, P_F2, 0xf0, 0xf0, "sse3" },

	{ MAP_0F38, P_NONE | P_66, 0x00, 0x0b, "ssse3" },
	{ MAP_0F38, P_NONE | P_66, 0x1c, 0x1e, "ssse3" },
	{ MAP_0F38, P_66, 0x10, 0x10, "sse4.1" },
	{ MAP_0F38, P_66, 0x14, 0x15, "sse4.1" },
	{ MAP_0F38, P_66, 0x17, 0x17, "sse4.1" },
	{ MAP_0F38, P_66, 0x20, 0x25, "sse4.1" },
	{ MAP_0F38, P_66, 0x28, 0x2b, "sse4.1" },
	{ MAP_0F38, P_66, 0x30, 0x35, "sse4.1" },
	{ MAP_0F38, P_66, 0x37, 0x37, "sse4.2" },
	{ MAP_0F38, P_66, 0x38, 0x41, "sse4.1" },
	{ MAP_0F38, P_NONE, 0xc8, 0xcd, "sha" },
	{ MAP_0F38, P_66, 0xcf, 0xcf, "gfni" },
	{ MAP_0F38, P_66, 0xdb, 0xdf, "aes" },
	{ MAP_0F38, P_NONE | P_66, 0xf0, 0xf1, "movbe" },
	{ MAP_0F38, P_F2, 0xf0, 0xf1, "sse4.2" },
	{ MAP_0F38, P_66 | P_F3, 0xf6, 0xf6, "adx" },

	{ MAP_0F3A, P_66, 0x08, 0x0e, "sse4.1" },
	{ MAP_0F3A, P_NONE | P_66, 0x0f, 0x0f, "ssse3" },
	{ MAP_0F3A, P_66, 0x14, 0x17, "sse4.1" },
	{ MAP_0F3A, P_66, 0x20, 0x22, "sse4.1" },
	{ MAP_0F3A, P_66, 0x40, 0x42, "sse4.1" },
	{ MAP_0F3A, P_66, 0x44, 0x44, "pclmul" },
	{ MAP_0F3A, P_66, 0x60, 0x63, "sse4.2" },
	{ MAP_0F3A, P_NONE, 0xcc, 0xcc, "sha" },
	{ MAP_0F3A, P_66, 0xce, 0xcf, "gfni" },
	{ MAP_0F3A, P_66, 0xdf, 0xdf, "aes" },
};

static const struct row vex[] = {
	/* Operations on masks. */
	{ MAP_0F, P_ANY, 0x41, 0x4b, "avx512vl" },
	{ MAP_0F, P_ANY, 0x90, 0x93, "avx512vl" },
	{ MAP_0F, P_ANY, 0x98, 0x99, "avx512vl" },
	{ MAP_0F, P_ANY, 0xae, 0xae, "system instruction" },
	{ MAP_0F, P_ANY, 0x10, 0xff, "avx2" },

	{ MAP_0F38, P_66, 0x00, 0x0f, "avx2" },
	{ MAP_0F38, P_66, 0x13, 0x13, "f16c" },
	{ MAP_0F38, P_66, 0x16, 0x1a, "avx2" },
	{ MAP_0F38, P_66, 0x1c, 0x1e, "avx2" },
	{ MAP_0F38, P_66, 0x20, 0x25, "avx2" },
	{ MAP_0F38, P_66, 0x28, 0x41, "avx2" },
	{ MAP_0F38, P_66, 0x45, 0x47, "avx2" },
	{ MAP_0F38, P_66, 0x58, 0x5a, "avx2" },
	{ MAP_0F38, P_66, 0x78, 0x79, "avx2" },
	{ MAP_0F38, P_66, 0x8c, 0x8c, "avx2" },
	{ MAP_0F38, P_66, 0x8e, 0x8e, "avx2" },
	{ MAP_0F38, P_66, 0x90, 0x93, "avx2" },
	{ MAP_0F38, P_66, 0x96, 0x9f, "fma" },
	{ MAP_0F38, P_66, 0xa6, 0xaf, "fma" },
	{ MAP_0F38, P_66, 0xb6, 0xbf, "fma" },
	{ MAP_0F38, P_NONE, 0xf2, 0xf3, "bmi1" },
	{ MAP_0F38, P_NONE | P_F2 | P_F3, 0xf5, 0xf5, "bmi2" },
	{ MAP_0F38, P_F2, 0xf6, 0xf6, "bmi2" },
	{ MAP_0F38, P_NONE, 0xf7, 0xf7, "bmi1" },
	{ MAP_0F38, P_66 | P_F2 | P_F3, 0xf7, 0xf7, "bmi2" },

	{ MAP_0F3A, P_66, 0x00, 0x02, "avx2" },
	{ MAP_0F3A, P_66, 0x04, 0x06, "avx2" },
	{ MAP_0F3A, P_66, 0x08, 0x0f, "avx2" },
	{ MAP_0F3A, P_66, 0x14, 0x19, "avx2" },
	{ MAP_0F3A, P_66, 0x1d, 0x1d, "f16c" },
	{ MAP_0F3A, P_66, 0x20, 0x22, "avx2" },
	{ MAP_0F3A, P_66, 0x30, 0x33, "avx512vl" },
	{ MAP_0F3A, P_66, 0x38, 0x39, "avx2" },
	{ MAP_0F3A, P_66, 0x40, 0x42, "avx2" },
	{ MAP_0F3A, P_66, 0x46, 0x46, "avx2" },
	{ MAP_0F3A, P_66, 0x4a, 0x4c, "avx2" },
	{ MAP_0F3A, P_66, 0x60, 0x63, "avx2" },
	{ MAP_0F3A, P_F2, 0xf0, 0xf0, "bmi2" },
};

/* AVX-512 F, BW, CD, DQ and VL; what came later has rows only where an opcode
 * of theirs lies between. */
static const struct row evex[] = {
	{ MAP_0F, P_F2 | P_F3, 0x2e, 0x2f, "avx10" },
	{ MAP_0F, P_ANY, 0x10, 0x17, "avx512vl" },
	{ MAP_0F, P_ANY, 0x28, 0x2f, "avx512vl" },
	{ MAP_0F, P_ANY, 0x51, 0x51, "avx512vl" },
	{ MAP_0F, P_ANY, 0x54, 0x76, "avx512vl" },
	{ MAP_0F, P_ANY, 0x78, 0x7f, "avx512vl" },
	{ MAP_0F, P_ANY, 0xc2, 0xc6, "avx512vl" },
	{ MAP_0F, P_ANY, 0xd1, 0xfe, "avx512vl" },

	{ MAP_0F38, P_66 | P_F3, 0x00, 0x4f, "avx512vl" },
	{ MAP_0F38, P_66, 0x58, 0x5b, "avx512vl" },
	{ MAP_0F38, P_66, 0x64, 0x66, "avx512vl" },
	{ MAP_0F38, P_66, 0x75, 0x7f, "avx512vl" },
	{ MAP_0F38, P_66, 0x88, 0x8b, "avx512vl" },
	{ MAP_0F38, P_66, 0x8d, 0x8d, "avx512vl" },
	{ MAP_0F38, P_66, 0x90, 0x93, "avx512vl" },
	{ MAP_0F38, P_66, 0x96, 0xb3, "avx512vl" },
	{ MAP_0F38, P_66, 0xb6, 0xc4, "avx512vl" },

	{ MAP_0F3A, P_66, 0x00, 0x43, "avx512vl" },
	{ MAP_0F3A, P_66, 0x50, 0x51, "avx512vl" },
	{ MAP_0F3A, P_66, 0x54, 0x57, "avx512vl" },
	{ MAP_0F3A, P_66, 0x66, 0x67, "avx512vl" },
};

static bool
is_prefix(unsigned char c)
{
	switch (c) {
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
		return true;
	default:
		return false;
	}
}

bool
level_is_prefix(const unsigned char *code, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!is_prefix(code[i]) && (code[i] & 0xf0) != 0x40)
			return false;
	}
	return true;
}

static const char *
look_up(const struct row *row, size_t n, unsigned map, unsigned prefix,
    unsigned op, const char *otherwise)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (row[i].map == map && (row[i].prefix & prefix) &&
		    op >= row[i].lo && op <= row[i].hi)
			return row[i].needs;
	}
	return otherwise;
}

#define LOOK_UP(table, map, prefix, op, otherwise)                            \
	look_up(table, sizeof(table) / sizeof((table)[0]), map, prefix, op,   \
	    otherwise)

/* p is after the prefixes and holds C4 or C5 and what follows. */
static const char *
needs_vex(const unsigned char *p, size_t n, bool *fma)
{
	static const uint8_t prefix_of[4] = { P_NONE, P_66, P_F3, P_F2 };
	bool two = p[0] == 0xc5;
	unsigned map, op;
	const char *needs;

	if (n < (two ? 3u : 4u))
		return "unknown instruction";
	map = two ? MAP_0F : p[1] & 31u;
	op = two ? p[2] : p[3];
	needs = LOOK_UP(vex, map, prefix_of[p[two ? 1 : 2] & 3], op,
	    "unknown VEX instruction");
	*fma = map == MAP_0F38 && (op & 15) >= 6 && op >= 0x96 && op <= 0xbf;
	return needs;
}

/* p is after the prefixes and holds 62 and what follows. */
static const char *
needs_evex(const unsigned char *p, size_t n, bool *fma)
{
	static const uint8_t prefix_of[4] = { P_NONE, P_66, P_F3, P_F2 };
	unsigned map, op;

	if (n < 6)
		return "unknown instruction";
	map = p[1] & 15u;
	op = p[4];
	/* Registers beyond 15 of general purpose turn these bits round. */
	if (map > MAP_0F3A || !(p[2] & 4))
		return "avx512fp16, avx10 or apx";
	/* On bytes; on words it is older. */
	if (map == MAP_0F38 && !(p[2] & 0x80) &&
	    (op == 0x75 || op == 0x7d || op == 0x8d))
		return "avx512vbmi";
	*fma = map == MAP_0F38 && (op & 15) >= 6 && op >= 0x96 && op <= 0xbf;
	return LOOK_UP(evex, map, prefix_of[p[2] & 3], op, "avx512, later");
}

/* One-byte opcodes that are not baseline or open another encoding. */
static const char *
needs_one_byte(const unsigned char *p, size_t n)
{
	if ((p[0] == 0xc6 || p[0] == 0xc7) && n > 1 && p[1] == 0xf8)
		return "rtm";
	if (p[0] == 0xd5)
		return "apx";
	if (p[0] == 0xcc || p[0] == 0xcd || p[0] == 0xf4 ||
	    (p[0] >= 0xe4 && p[0] <= 0xe7) || (p[0] >= 0xec && p[0] <= 0xef) ||
	    p[0] == 0xfa || p[0] == 0xfb || (p[0] >= 0x6c && p[0] <= 0x6f))
		return "system instruction";
	return NULL;
}

static const char *
needs_legacy(const unsigned char *p, size_t n, unsigned prefix)
{
	if (p[0] != 0x0f)
		return needs_one_byte(p, n);
	if (n > 2 && p[1] == 0x38)
		return LOOK_UP(legacy, MAP_0F38, prefix, p[2],
		    "unknown instruction");
	if (n > 2 && p[1] == 0x3a)
		return LOOK_UP(legacy, MAP_0F3A, prefix, p[2],
		    "unknown instruction");
	if (n < 2)
		return "unknown instruction";
	/* sfence, after stores past the caches, is the one of its group that
	 * changes no state. */
	if (p[1] == 0xae && n > 2 && p[2] == 0xf8)
		return NULL;
	/* 0F 0B is ud2, the end of what cannot be reached. */
	return LOOK_UP(legacy, MAP_0F, prefix, p[1], NULL);
}

const char *
level_needs(const unsigned char *code, size_t n, bool *fma)
{
	unsigned prefix = P_NONE;
	size_t i;

	*fma = false;
	for (i = 0; i < n && is_prefix(code[i]); i++) {
		if (code[i] == 0xf3)
			prefix = P_F3;
		else if (code[i] == 0xf2)
			prefix = P_F2;
		else if (code[i] == 0x66 && prefix == P_NONE)
			prefix = P_66;
	}
	if (i < n && (code[i] & 0xf0) == 0x40)
		i++;
	if (i == n)
		return NULL;
	if (code[i] == 0x62)
		return needs_evex(code + i, n - i, fma);
	if (code[i] == 0xc4 || code[i] == 0xc5)
		return needs_vex(code + i, n - i, fma);
	if (code[i] == 0x8f && n - i > 1 && (code[i + 1] & 0x38))
		return "xop";
	return needs_legacy(code + i, n - i, prefix);
}
