#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The coefficients of kernels/vec/gelu.h. Run by hand; the build does not.

usage: gelu.py

Prints, as erf.py does,
  log   log2(erfc(a / sqrt 2) / 2) in a for 0 <= a <= 6.5; error as it is in the
        result, that is times the argument of the logarithm and max(1, a)
  power 2^f for -0.5 <= f <= 0.5, relative error
"""
from erf import D, erf_over_x, show


def log(count, end):
	ln2 = D(2).ln()
	for i in range(count + 1):
		a = D(end) * i / count
		x = a / D(2).sqrt()
		half = (1 - x * erf_over_x(x * x)) / 2
		yield a, half.ln() / ln2, half * ln2 * max(D(1), a)


def power(count):
	for i in range(count + 1):
		f = D(i) / count - D("0.5")
		v = (f * D(2).ln()).exp()
		yield f, v, 1 / v


if __name__ == "__main__":
	show("log", list(log(800, "6.5")), 8, False)
	show("power", list(power(400)), 5, False)
