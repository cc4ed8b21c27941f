/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "space/half.h"

Suite *space_half_suite(void);

static uint16_t
stored(enum dtype t, double x)
{
	uint16_t bits;

	half_store(t, &bits, x);
	return bits;
}

static uint16_t
stored_int(enum dtype t, int64_t i)
{
	uint16_t bits;

	half_store_int(t, &bits, i < 0, (uint64_t)i);
	return bits;
}

static double
loaded(enum dtype t, uint16_t bits)
{
	return half_load(t, &bits);
}

/* Values from the tables of IEEE 754 binary16, and the upper halves of
 * float32. */
START_TEST(half__known_numbers)
{
	static const struct {
		enum dtype t;
		uint16_t bits;
		double x;
	} row[] = {
		{ DT_FLOAT16, 0, 0 }, { DT_FLOAT16, 0x3c00, 1 },
		{ DT_FLOAT16, 0x3c01, 0x1.004p0 }, { DT_FLOAT16, 0xc000, -2 },
		{ DT_FLOAT16, 0x7bff, 65504 }, { DT_FLOAT16, 0x0400, 0x1p-14 },
		{ DT_FLOAT16, 0x0001, 0x1p-24 },
		{ DT_FLOAT16, 0x03ff, 0x1.ff8p-15 },
		{ DT_FLOAT16, 0x3555, 0x1.554p-2 },
		{ DT_FLOAT16, 0x7c00, (double)INFINITY },
		{ DT_FLOAT16, 0xfc00, -(double)INFINITY },
		{ DT_BFLOAT16, 0x3f80, 1 }, { DT_BFLOAT16, 0xc000, -2 },
		{ DT_BFLOAT16, 0x4049, 3.140625 },
		{ DT_BFLOAT16, 0x7f7f, 0x1.fep127 },
		{ DT_BFLOAT16, 0x0080, 0x1p-126 },
		{ DT_BFLOAT16, 0x0001, 0x1p-133 },
		{ DT_BFLOAT16, 0x7f80, (double)INFINITY },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		ck_assert_msg(loaded(row[i].t, row[i].bits) == row[i].x,
		    "%#x is %a", row[i].bits, loaded(row[i].t, row[i].bits));
		ck_assert_uint_eq(stored(row[i].t, row[i].x), row[i].bits);
	}
	ck_assert(signbit(loaded(DT_FLOAT16, 0x8000)));
	ck_assert_uint_eq(stored(DT_BFLOAT16, -0.0), 0x8000);
	for (uint16_t bits = 0x7c01; bits < 0x8000; bits++)
		ck_assert(isnan(loaded(DT_FLOAT16, bits)));
	ck_assert_uint_eq(stored(DT_FLOAT16, -(double)NAN), 0x7e00);
	ck_assert_uint_eq(stored(DT_BFLOAT16, (double)NAN), 0x7fc0);
}
END_TEST

/* Each number, what lies halfway to the next one, and what is just beside
 * that; a number whose last bit is 0 wins a tie. */
static void
check_neighbours(enum dtype t, uint16_t infinity, double beyond)
{
	for (uint16_t b = 0; b < infinity; b++) {
		double x = loaded(t, b);
		double next = b + 1 == infinity ? beyond :
		    loaded(t, (uint16_t)(b + 1));
		double half = x + (next - x) / 2;

		ck_assert(x < next);
		ck_assert_uint_eq(stored(t, x), b);
		ck_assert_uint_eq(stored(t, -x), b | 0x8000);
		ck_assert_uint_eq(stored(t, half), b + (b & 1));
		ck_assert_uint_eq(stored(t, nextafter(half, 0)), b);
		ck_assert_uint_eq(stored(t, nextafter(half, next)), b + 1);
	}
	ck_assert_uint_eq(stored(t, 1e300), infinity);
	ck_assert_uint_eq(stored(t, 5e-324), 0);
}

START_TEST(half__rounds_to_nearest_even)
{
	check_neighbours(DT_FLOAT16, 0x7c00, 65536);
	check_neighbours(DT_BFLOAT16, 0x7f80, 0x1p128);
}
END_TEST

START_TEST(half__integers_round_once)
{
	/* One above half way between two bfloat16: through double, which drops
	 * the one, it would round down. */
	int64_t x = ((int64_t)1 << 62) + ((int64_t)1 << 54) + 1;

	ck_assert_uint_eq(stored_int(DT_BFLOAT16, x), 0x5e81);
	ck_assert_uint_eq(stored_int(DT_BFLOAT16, x - 1), 0x5e80);
	ck_assert_uint_eq(stored_int(DT_BFLOAT16, -x), 0xde81);
	ck_assert_uint_eq(stored_int(DT_BFLOAT16, INT64_MIN), 0xdf00);
	ck_assert_uint_eq(stored_int(DT_FLOAT16, 65519), 0x7bff);
	ck_assert_uint_eq(stored_int(DT_FLOAT16, 65520), 0x7c00);
	ck_assert_uint_eq(stored_int(DT_FLOAT16, -3), 0xc200);
	ck_assert_uint_eq(stored_int(DT_FLOAT16, 0), 0);
}
END_TEST

START_TEST(half__text_rounds_once)
{
	/* A little more and less than half way from 1 to the next number; as
	 * doubles both are half way. */
	const char *more = "1.00048828125000000000001";
	const char *less = "1.00146484374999999999999";

	ck_assert_double_eq(strtod(more, NULL), 0x1.002p0);
	ck_assert_uint_eq(stored(DT_FLOAT16, half_of_text(more)), 0x3c01);
	ck_assert_uint_eq(stored(DT_FLOAT16, half_of_text("1.00048828125")),
	    0x3c00);
	ck_assert_double_eq(strtod(less, NULL), 0x1.006p0);
	ck_assert_uint_eq(stored(DT_FLOAT16, half_of_text(less)), 0x3c01);
	ck_assert_uint_eq(stored(DT_FLOAT16, half_of_text("-2")), 0xc000);
	ck_assert_uint_eq(stored(DT_FLOAT16, half_of_text("1e999")), 0x7c00);
}
END_TEST

Suite *
space_half_suite(void)
{
	Suite *s = suite_create("space_half");
	TCase *t = tcase_create("half");

	tcase_add_test(t, half__known_numbers);
	tcase_add_test(t, half__rounds_to_nearest_even);
	tcase_add_test(t, half__integers_round_once);
	tcase_add_test(t, half__text_rounds_once);
	suite_add_tcase(s, t);
	return s;
}
