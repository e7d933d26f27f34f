#!/usr/bin/env python3
"""Tests of rule moments where weights are not shares: python3 tests/recheck/weighed_test.py

Lines and products are held to kernels at points, the rows of small random stacks to what the pass gives for them.
"""

import itertools
import math
import unittest
from fractions import Fraction

import moments_test
from moments_test import SLACK, UNIT, moments, recheck, value_at
from recheck_test import patched

KERNELS = {"relu": lambda x: max(0.0, x), "linear": lambda x: x, "elu1": lambda x: x + 1 if x >= 0 else math.exp(x),
           "sigmoid": lambda x: 1 / (1 + math.exp(-x))}
kernel_lines, weighed_head, row_keys, model = (getattr(recheck.checkpoint, name) for name in ("kernel_lines", "weighed_head", "row_keys", "model"))


class Lines(moments_test.Algebra):
    def ranges(self):
        for low, width in itertools.product((-90, -6, -2, -1, -0.5, -0.25, 0, 0.25, 3, 70), (0, 1e-9, 0.25, 0.5, 2, 9)):
            yield int(low * UNIT), int((low + width) * UNIT)

    def test_lines(self):
        """A kernel is within the rest of its line, and somewhere about as far from it."""
        for kernel, f in KERNELS.items():
            for low, high in self.ranges():
                line, c = kernel_lines.line_of(kernel, low, high, 1 + (low > 0)), (low + high) >> 1
                points = [low + (high - low) * k // 400 for k in range(401)] + [0] * (low < 0 < high)
                apart = max(abs(f(x / UNIT) - (line.middle + line.slope * ((x - c) / UNIT)) / UNIT) for x in points)
                with self.subTest(kernel=kernel, low=low / UNIT, high=high / UNIT):
                    self.assertLessEqual(apart, line.rest / UNIT + 1e-12)
                    self.assertLessEqual(line.rest / UNIT, 1.01 * apart + 1e-6)
        self.assertLess(kernel_lines.line_of("elu1", -UNIT, UNIT, 2).rest / UNIT, 0.103)
        self.assertLess(kernel_lines.line_of("sigmoid", -UNIT, UNIT, 2).rest / UNIT, 0.008)

    def test_constants(self):
        """A chord gives way to a constant at degree 1 alone."""
        slopes = [kernel_lines.line_of("relu", -6 * UNIT, UNIT // 2, degree).slope for degree in (1, 2)]
        self.assertEqual(slopes, [0, UNIT // 13])

    def test_products_of_relu(self):
        """max(0, x) y lies between the ends, and some come near them."""
        nearest = 0
        for trial in range(40):
            x, y = self.series(1, 1 + trial % 2, rest=UNIT // 9), self.series(2, 1, rest=UNIT // 9)
            high = moments.range_of(x)[1]
            if high <= 0:
                continue
            ends = weighed_head.relu_products(x, high, y)
            for _ in range(60):
                at = self.point()
                a = (value_at(x, at)[0] + self.random.choice((-1, 1)) * x.rest[0]) / UNIT
                for value, rest, (low, most) in zip(value_at(y, at), y.rest, ends):
                    found = max(0, a) * (value + self.random.choice((-1, 1)) * rest)
                    self.assertTrue(low <= found <= most)
                    nearest = max(nearest, found / most if most else 0)
        self.assertGreater(nearest, 0.7)

    def test_rows_joined(self):
        """A key is within what several rows joined give; letters are as large at a position as its rows are far."""
        draw = self.random
        for trial in range(20):
            row = lambda: row_keys.RowEnds([[draw.randint(-UNIT, UNIT) for _ in range(3)] for _ in range(2)],
                                           [(m - w, m + w) for m, w in ((draw.randint(-UNIT, UNIT), draw.randint(0, UNIT) >> 3 * trial % 40) for _ in range(3))])
            positions = [[row() for _ in range(draw.choice((1, 2)))] for _ in range(3)]
            keys, scales = row_keys.joined(positions, 10)
            for k, of in enumerate(positions):
                for one, r, signs in itertools.product(of, range(3), itertools.product((-1, 1), repeat=3)):
                    value = one.ends[r][signs[0] > 0] + sum(s * x[r] for s, x in zip(signs[1:], one.columns))
                    middle, around = keys.centre[r], keys.rest[r]
                    for column, number in zip(keys.columns, keys.numbers):
                        if number < 10:
                            middle += signs[1:][number] * column[r]
                        else:
                            around += Fraction(abs(column[r]) * scales[number][k], 256)
                    self.assertLessEqual(abs(value - middle), around)

    def test_remainders_of_keys_beside_their_means(self):
        """Logits t_0 z_1 - t_1 z_0 have the mean 0, but at keys (1, 1) and (1, -1) they are 1 and -1, as what is left of values may be."""
        alphabet, unit = moments_test.letters.Alphabet(2), lambda k: [UNIT * (r == k) for r in range(3)]
        zero, left = [0] * 3, UNIT >> 8
        row = moments_test.series.affine(alphabet, zero, [unit(0), unit(1)], [alphabet.code("mean", a) for a in (0, 1)], zero)
        query, value = [[0, -UNIT, 0], unit(0), zero, zero], [zero, zero, unit(2)]
        head = moments_test.tilted_head.FixedHead((query, [0] * 4), (value, zero))
        keys = moments_test.tilted_head.Keys(zero, [unit(0), unit(1)], [0, 1], [0, 0, left])
        seen = moments_test.tilted_head.Seen(keys, 2, [256] * 2, [256] * 2)
        found, _ = weighed_head.weighed("linear", head, row, moments_test.series.constant(alphabet, zero), seen, 2, None, 3)
        self.assertGreaterEqual(found.reach[2], 2 * left // 3)

    def test_means_of_letters(self):
        """The mean over keys of what has a key's letters, and the mean of one of these already."""
        alphabet = moments_test.letters.Alphabet(2)
        keys = moments_test.tilted_head.Keys([0], [[UNIT], [UNIT]], [0, 1], [0])
        codes = [alphabet.code(*meaning) for meaning in (("mean", 0), ("key", 0), ("key", 1), ("noise", 0))]
        x = moments_test.series.affine(alphabet, [5 << 30], [[1 << 30], [1 << 30], [(1 << 30) + 1], [1 << 28]], codes, [0])
        found = weighed_head.mean_over(x, moments_test.tilted_head.Seen(keys, 2, [192, 64], [256] * 2))
        self.assertEqual(dict(found.vectors[1]), {codes[0]: [7 << 28], alphabet.code("mean", 1): [1 << 28], codes[3]: [1 << 28]})
        self.assertEqual((found.constants(), found.rest), ([5 << 30], [1]))

    test_fields = test_products = test_ranges = test_ranges_at_every_corner = test_the_logistic_function = test_the_second_order = test_numbers_too_large = None


class Pass(moments_test.Pass):
    def test_random_stacks(self):
        shapes = [(1, 1, False), (1, 2, True), (2, 1, True), (2, 2, False), (3, 1, True)]
        for seed, (attention, (layers, heads, residual)) in enumerate(itertools.product(KERNELS, shapes)):
            self.attention, size = attention, min((Fraction(1, 4), Fraction(3, 4), Fraction(5, 4))[seed % 3], Fraction(5, 2 * layers + 1))
            length, n, degrees = 4 + seed % 3, 4 + seed % 2 + (layers == 1), (1 + seed % 4, 1 + (seed + 1) % 3)
            stack = self.drawn(layers, heads, residual, n=n, seed=seed, size=size, biases=seed % 4 != 0, sink=seed % 5 == 3)
            with self.subTest(attention=attention, shape=(layers, heads, residual), size=size, n=n, length=length, degrees=degrees):
                self.assertGreater(self.held(stack, length, (3, length) if seed % 2 else (length, length), degrees, 12), 0.1)

    def test_linear_attention_of_one_layer(self):
        """It is a polynomial of degree 3, of which nothing is given up, covariances included."""
        self.attention = "linear"
        stack = self.drawn(1, 2, False, n=5, seed=3, size=Fraction(1, 2))
        found = moments.MomentPass(self.load(stack, 6), (6, 6), 4, 3)
        with patched(largest_of=lambda x: max(x.rest)):
            self.assertLess(found.row("trigger", 6).loss, UNIT >> 16)
        self.assertGreater(self.held(stack, 6, (6, 6), (4, 3), 12), 0.3)

    def test_boxes(self):
        box = model.read_box([["-1/3", "2"], ["1/4", "1/4"], ["-1/7", "1/5"]], 6)
        for self.attention in KERNELS:
            stack = self.drawn(2, 1, True, n=6, seed=2, size=Fraction(1, 2))
            self.assertGreater(self.held(stack, 5, (3, 5), (3, 2), 12, box), 0.1)

    def test_row_one(self):
        """BOS alone, in every layer."""
        for self.attention in KERNELS:
            stack = self.drawn(3, 2, True, n=4, seed=8)
            found = moments.MomentPass(self.load(stack, 4), (3, 4), 2, 2)
            out = stack.evaluate(stack.sequence(1, 9))[0][0]
            for x, middle, rest in zip(out, found.bos[-1].constants(), found.bos[-1].rest):
                self.assertLessEqual(abs(x - middle / UNIT), rest / UNIT + SLACK)
                self.assertLess(rest, 1 << 16)

    test_shares_of_small_logits = test_letters_that_are_not_walked = None


class Certificates(moments_test.Certificates):
    def test_the_least_bounds_are_accepted_and_no_lesser(self):
        for self.attention in ("elu1", "sigmoid"):
            moments_test.Certificates.test_the_least_bounds_are_accepted_and_no_lesser(self)

    test_random_stacks = test_boxes = test_form = test_weights_too_large = None
    test_shares_of_small_logits = test_letters_that_are_not_walked = None


if __name__ == "__main__":
    unittest.main()
