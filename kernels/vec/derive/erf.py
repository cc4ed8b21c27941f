#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The coefficients of kernels/vec/erf.h. Run by hand; the build does not.

usage: erf.py

Prints, for each dtype, the polynomials of least largest error (Remez' exchange
over a dense grid, in decimal arithmetic of 60 digits), highest power first,
each coefficient rounded to nearest:
  near  erf(x)/x - 1 in z = x^2 for 0 <= x <= 1; error relative to erf(x)/x
  far   -log(erfc(x)) in t = x - 1 for 1 <= x <= X, where erfc(X) is below half
        an ulp of 1; error as it is in erf(x), that is times erfc(x)
and the error of each before the coefficients are rounded, in 2^-24 (f64: 2^-53).
"""
from decimal import Decimal as D, getcontext
from fractions import Fraction
from math import cos, pi
import struct

getcontext().prec = 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494")


def erf_over_x(z):
	"""2/sqrt(pi) sum (-z)^n / (n! (2n+1)); all terms positive with e^-z."""
	term, total, n = D(1), D(0), 0
	while term > D("1e-58"):
		total += term
		n += 1
		term = term * 2 * z / (2 * n + 1)
	return 2 / PI.sqrt() * (-z).exp() * total


def solve(rows):
	"""Gauss with pivots; each row ends with its right side."""
	n = len(rows)
	for i in range(n):
		p = max(range(i, n), key=lambda r: abs(rows[r][i]))
		rows[i], rows[p] = rows[p], rows[i]
		for r in range(i + 1, n):
			f = rows[r][i] / rows[i][i]
			for c in range(i, n + 1):
				rows[r][c] -= f * rows[i][c]
	x = [D(0)] * n
	for i in reversed(range(n)):
		rest = sum((rows[i][c] * x[c] for c in range(i + 1, n)), D(0))
		x[i] = (rows[i][n] - rest) / rows[i][i]
	return x


def horner(c, t):
	y = D(0)
	for a in reversed(c):
		y = y * t + a
	return y


def remez(points, degree):
	"""points: (t, value, weight), t ascending. Coefficients and error."""
	n, last = degree + 2, len(points) - 1
	at = [round(last * (1 - cos(pi * i / (n - 1))) / 2) for i in range(n)]
	for _ in range(40):
		rows = []
		for i, k in enumerate(at):
			t, v, w = points[k]
			rows.append([t ** p if p else D(1)
			    for p in range(degree + 1)] + [D((-1) ** i) / w, v])
		c = solve(rows)
		level = abs(c.pop())
		err = [w * (horner(c, t) - v) for t, v, w in points]
		runs = []
		for k, e in enumerate(err):
			if runs and (e > 0) == (err[runs[-1]] > 0):
				if abs(e) > abs(err[runs[-1]]):
					runs[-1] = k
			else:
				runs.append(k)
		while len(runs) > n:
			drop = 0 if abs(err[runs[0]]) < abs(err[runs[-1]]) else -1
			runs.pop(drop)
		worst = max(abs(e) for e in err)
		if len(runs) < n or worst < level * D("1.001"):
			break
		at = runs
	return c, worst


def literal(a, f64):
	"""The nearest number of the dtype, as C writes it."""
	x = float(Fraction(a))
	if f64:
		return x.hex()
	x = struct.unpack("f", struct.pack("f", x))[0]
	return x.hex().replace("0000000p", "p") + "F"


def show(name, points, degree, f64):
	c, worst = remez(points, degree)
	print(name, "f64" if f64 else "f32", "degree", degree, "error",
	    "%.3f" % float(worst * 2 ** (53 if f64 else 24)))
	for a in reversed(c):
		print("\t" + literal(a, f64))


def near(count):
	for i in range(count + 1):
		z = D(i) / count
		v = erf_over_x(z)
		yield z, v - 1, 1 / v


def far(count, end):
	for i in range(count + 1):
		t = (end - 1) * D(i) / count
		x = 1 + t
		erfc = 1 - x * erf_over_x(x * x)
		yield t, -erfc.ln(), erfc


if __name__ == "__main__":
	points = list(near(800))
	show("near", points, 6, False)
	show("near", points, 11, True)
	show("far", list(far(600, D("3.95"))), 6, False)
	show("far", list(far(1000, D("5.95"))), 17, True)
