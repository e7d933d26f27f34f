#!/usr/bin/env python3
"""Tests of rule moments in tools/recheck: python3 tests/recheck/moments_test.py

Polynomials are held to their values at points. The rows of the small random stacks of stack_sample.py, evaluated in
floats at random inputs and at corners of the box, are held to what the pass gives for them.
"""

import contextlib
import copy
import itertools
import math
import random
import unittest
import unittest.mock
from fractions import Fraction
from math import prod
from operator import mul

import reasons
from layer_test import CLAIM_HASH
from recheck_test import Case, patched, recheck
from stack_sample import Stack, witnessed, written

UNIT = 1 << 44
COUNT = 24  # inputs of each stack
SLACK = 1e-9  # of the evaluation in floats
moments, letters, series, corners, tilted_head = (getattr(recheck.checkpoint, name) for name in ("moments", "letters", "series", "corners", "tilted_head"))


def value_at(x, at):
    """What the coefficients of a series stand for at these values of its letters, by meaning, in its units."""
    names, total = x.alphabet.meanings, [0] * x.size
    for part in x.vectors:
        for code, values in part:
            factor = prod(at[names[number]] for number in x.alphabet.terms[code])
            total = [t + factor * v for t, v in zip(total, values)]
    return total


def letters_of(own, keys):
    """The values of letters, given the unit noise of the row and of its keys."""
    at = {("noise", a): u for a, u in enumerate(own)}
    for a, b in itertools.product(range(len(own)), repeat=2) if keys else ():
        means = [sum(key[c] for key in keys) / len(keys) for c in (a, b)]
        at["mean", a] = means[0]
        at["spread", a, b] = sum((key[a] - means[0]) * (key[b] - means[1]) for key in keys) / len(keys)
    return at


class Algebra(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(5)
        self.alphabet = letters.Alphabet(2)
        self.codes = [self.alphabet.code(*meaning) for meaning in (
            ("noise", 0), ("noise", 1), ("mean", 0), ("mean", 1), ("spread", 0, 0), ("spread", 0, 1), ("spread", 1, 1), ("rest", 0))]

    def point(self, keys=3):
        noise = lambda: [self.random.choice((Fraction(-1), Fraction(1), Fraction(self.random.randint(-8, 8), 8))) for _ in range(2)]
        return letters_of(noise(), [noise() for _ in range(keys)]) | {("rest", 0): Fraction(self.random.randint(-8, 8), 8)}

    def series(self, size, degree=2, unit=UNIT, rest=0, terms=9):
        parts = [{} for _ in range(5)]
        for _ in range(terms):
            chosen, code = self.random.choices(self.codes, k=self.random.randint(0, degree)), 0
            for letter in chosen:
                self.alphabet.name([(code + letter, code, letter)])
                code += letter
            values = [self.random.randint(-unit, unit) for _ in range(size)]
            parts[len(chosen)][code] = letters.fields_of(size).packed(values)
        return series.finished(self.alphabet, size, parts, [self.random.randint(0, rest) for _ in range(size)], False)

    def test_fields(self):
        for count, width in ((1, 128), (5, 128), (4, 64)):
            fields = letters.fields_of(count, width)
            for _ in range(50):
                values = [self.random.choice((-1, 1)) * self.random.getrandbits(self.random.randint(1, 56)) for _ in range(count)]
                packed, small = fields.packed(values), all(-letters.SMALL <= x < letters.SMALL for x in values)
                self.assertEqual(fields.listed(packed), values)
                self.assertEqual(fields.listed(fields.magnitudes(packed)), list(map(abs, values)))
                self.assertEqual(fields.is_small(packed), small)
                if width == 128:
                    with self.assertRaises(letters.TooCoarse):
                        fields.listed(packed << 64 | 1 << 63)
                if width == 128:
                    shifted = sum(x << 50 + width * k for k, x in enumerate(values)) + 5
                    self.assertEqual(fields.listed(fields.floored(shifted)), [(x << 50) + 5 * (k == 0) >> 44 for k, x in enumerate(values)])

    def series_of(self, x, size):
        """Its first coordinates."""
        return series.mapped([[UNIT * (r == s) for s in range(x.size)] for r in range(size)], x)

    def test_products(self):
        """Products, maps and covariances hold those of all functions that their factors stand for."""
        for degree in (2, 3, 4) * 4:
            a, b, v = (self.series(size, rest=UNIT // 9) for size in (1, 3, 3))
            w, matrix = self.series_of(b, 2), [[self.random.randint(-UNIT, UNIT) for _ in range(3)] for _ in range(2)]
            columns = [list(column) for column in zip(*matrix)][:2]
            found = [series.scaled(a, b, degree), series.inner(b, v, degree), series.mapped(matrix, b),
                     series.covariance(columns, [0, 1], w, degree), series.variance([0, 1], w, degree)]
            for _ in range(4):
                at = self.point()
                c = [[at["spread", min(k, h), max(k, h)] for h in (0, 1)] for k in (0, 1)]
                (x,), y, z, u = ([m + self.random.choice((-1, 1)) * r for m, r in zip(value_at(of, at), of.rest)] for of in (a, b, v, w))
                slopes = [sum(c[k][h] * u[h] for h in (0, 1)) for k in (0, 1)]
                exact = [[x * r for r in y], [sum(map(mul, y, z))], [sum(map(mul, row, y)) for row in matrix],
                         [sum(columns[k][r] * slopes[k] for k in (0, 1)) for r in (0, 1)], [sum(map(mul, u, slopes))]]
                for mine, wanted in zip(found, exact):
                    for value, true, rest in zip(value_at(mine, at), wanted, mine.rest):
                        self.assertLessEqual(abs(value - true / UNIT), rest)

    def test_ranges(self):
        """A range holds the values; that of a polynomial in the row's noise, linear in each letter, is exact."""
        for trial in range(60):
            x = self.series(2, 1 + trial % 4, rest=9)
            (low, high), sizes = corners.range_of(x, 1), corners.sizes_at_corners(x)
            for _ in range(9):
                at = self.point(self.random.choice((1, 2, 5)))
                self.assertTrue(low <= value_at(x, at)[1] - x.rest[1] and value_at(x, at)[1] + x.rest[1] <= high)
                for d, of in enumerate(sizes):
                    part = copy.copy(x)
                    part.vectors = [terms if e == d else [] for e, terms in enumerate(x.vectors)]
                    self.assertTrue(all(abs(value) <= most for value, most in zip(value_at(part, at), of)))
            self.assertLessEqual(high - low, 2 * x.reach[1] + 2)
        one, two = self.codes[:2]
        self.alphabet.name([(one + two, one, two)])
        x = series.finished(self.alphabet, 1, [{}, {one: 3 * UNIT, two: UNIT}, {one + two: -2 * UNIT}], [0], False)
        self.assertEqual([end / UNIT for end in corners.range_of(x)], [-6, 4])
        a, c = self.codes[2], self.codes[4]
        self.alphabet.name([(a + a, a, a)])
        x = series.finished(self.alphabet, 1, [{}, {a: UNIT, c: UNIT}, {}], [0], False)  # t + 1 - t^2
        self.assertEqual(corners.range_of(x)[1] / UNIT, 1.25)
        x = series.finished(self.alphabet, 1, [{}, {c: UNIT}, {a + a: UNIT}], [0], False)
        self.assertEqual(corners.range_of(x)[1] / UNIT, 1)

    def test_ranges_at_every_corner(self):
        """Many groups: the ends are those of the page's sum at the worst of all corners, evaluated one by one."""
        for trial in range(30):
            draw, alphabet, few = self.random, letters.Alphabet(4), trial % 3
            noise = [alphabet.code("noise", a) for a in range(4)]
            means, spreads = [[alphabet.code(kind, *of) for of in places] for kind, places in (("mean", [(0,), (1,)]), ("spread", [(0, 1), (1, 1)]))]
            rest = [alphabet.code("rest", k) for k in range(12)]
            besides = [(code,) for code in (means + spreads + rest)[few * 2:]] + [(m, r) for m in means for r in rest[:9 - few]] + [(means[0], means[1]), (means[1], means[1])]
            groups, parts = {(): {}} | {of: {} for of in besides}, [{} for _ in range(5)]
            for of, terms in groups.items():
                dense = draw.choice((0.1, 0.8)) if of else 1
                for walked in [(), *((w,) for w in noise), (noise[0], noise[3])]:
                    if draw.random() < dense:
                        code = 0
                        for letter in of + walked:
                            alphabet.name([(code + letter, code, letter)])
                            code += letter
                        terms[walked] = parts[len(of + walked)][code] = draw.randint(-UNIT, UNIT) >> (8 if of and of[0] in rest else 3)
            x = series.finished(alphabet, 1, parts, [0], False)
            exact = [Fraction(-1 << 60)] * 2
            for signs in itertools.product((-1, 1), repeat=4):
                at = dict(zip(noise, signs))
                value = {of: sum(prod(at[w] for w in walked) * c for walked, c in terms.items()) for of, terms in groups.items()}
                around, line, less = Fraction(0), [0, 0], [Fraction(0)] * 2
                for of, g in value.items():
                    mine = [means.index(letter) for letter in of if letter in means]
                    around += abs(g) * (of != () and not mine)
                    for a in mine if len(mine) == len(of) == 2 else ():
                        less[a] -= Fraction(abs(g), 2)
                    for a in ((0, 1), (1, 1))[spreads.index(of[0])] if of and of[0] in spreads else ():
                        less[a] += Fraction(abs(g), 2)
                    if mine and not len(mine) == len(of) == 2:
                        line[mine[0]] += abs(g)
                around += sum(b - s if b >= 2 * s else b * b / (4 * s) for b, s in zip(line, less))
                exact = [max(e, sign * value[()] + around) for e, sign in zip(exact, (-1, 1))]
            low, high = corners.range_of(x)
            for mine, true in zip((-low, high), exact):
                self.assertTrue(true <= mine <= true + 9, (trial, float((mine - true) / UNIT)))

    def test_the_logistic_function(self):
        """It lies within the remainder, which falls with the degree where logits are known well."""
        at, rests = self.point(), {}
        for degree, middle, radius in itertools.product((2, 3, 4), (-3, -0.4, 0, 2), (0.25, 1.5)):
            ends = int((middle - radius) * UNIT), int((middle + radius) * UNIT)
            x = series.affine(self.alphabet, [sum(ends) // 2], [[(ends[1] - ends[0]) // 2]], self.codes[:1], [0])
            found = tilted_head.logistic_of(x, ends, degree)
            for u in (-1.0, -0.7, 0.1, 0.8, 1.0):
                value = value_at(found, at | {("noise", 0): u})[0] / UNIT
                self.assertLessEqual(abs(value - 1 / (1 + math.exp(-middle - radius * u))), found.rest[0] / UNIT + SLACK)
            rests[degree, middle, radius] = found.rest[0] / UNIT
        self.assertLess(rests[4, 0, 0.25], rests[2, 0, 0.25] / 4)

    def test_the_second_order(self):
        """Between groups of keys with logits within radii, tilted by a part of them, nothing exceeds kappa."""
        draw, largest = self.random, 0
        for _ in range(200):
            count = draw.choice((1, 2, 3))
            radii = [draw.choice((0, 0.05, 0.3, 0.45, 0.8)) * draw.random() for _ in range(count)]
            shares, middles = [draw.random() + 0.01 for _ in range(count)], [draw.uniform(-2, 2) for _ in range(count)]
            widths = [draw.random() for _ in range(count)]
            tilt = tilted_head.Tilt([int(p / sum(shares) * UNIT) + 1 for p in shares], [int(r * UNIT) + 1 for r in radii])
            kappa, far = tilt.second_order([(int((m - w) * UNIT) - 1, int((m + w) * UNIT) + 1) for m, w in zip(middles, widths)])
            for part in (0, 0.5, 1):
                keys = []
                for p, r, m, w in zip(shares, radii, middles, widths):
                    own = [(draw.random(), draw.choice((-1, 1, draw.uniform(-1, 1))) * r, m + draw.choice((-1, 1)) * w) for _ in range(4)]
                    keys += [(p * q / sum(q for q, _, _ in own) * math.exp(part * d), d, x) for q, d, x in own]
                total = sum(p for p, _, _ in keys)
                mean = lambda of: sum(p * of(d, x) for p, d, x in keys) / total
                of_d, of_x = mean(lambda d, _: d), mean(lambda _, x: x)
                third = abs(mean(lambda d, x: (d - of_d)**2 * (x - of_x)))
                self.assertLessEqual(third, kappa / UNIT + SLACK)
                self.assertLessEqual(mean(lambda _, x: abs(x - of_x)), far / UNIT + SLACK)
                self.assertLessEqual(abs(mean(lambda d, _: (d - of_d)**3)), tilt.square * tilt.radius / UNIT**2 + SLACK)
                largest = max(largest, third / (kappa / UNIT + SLACK))
        self.assertGreater(largest, 0.3)

    def test_numbers_too_large(self):
        with self.assertRaises(letters.TooCoarse):
            series.constant(self.alphabet, [letters.LIMIT])


class Pass(Case):
    """The rows of a stack lie in what the pass gives for them."""

    attention = "softmax"

    def load(self, stack, length, box=None):
        path = self.write("model.safetensors", stack.file())
        recheck.hashes.file_hash.cache_clear()
        return recheck.checkpoint.model.load_model(path, stack.certificate(length, None, [])["model"], length, box)

    def tokens(self, stack, length, j, intervals):
        """(tokens, the noise of each in units), at a corner of the box or anywhere."""
        draw, rows, noise = stack.random, [[Fraction(k == 0) for k in range(stack.n)]], [None]
        inside = draw.choice((0, 0, 0.3, 1))  # the share of numbers that are no corner's
        for k in range(2, length + 1):
            u = [Fraction(draw.randint(-8, 8), 8) if draw.random() < inside else Fraction(draw.choice((-1, 1))) for _ in intervals]
            noise.append(u)
            middles = [(a + b) / 2 + x * (b - a) / 2 for x, (a, b) in zip(u, intervals)]
            rows.append([Fraction(0), Fraction(k == j), *middles, Fraction(k != j)])
        return rows, noise

    def held(self, stack, length, triggers, degrees, count, box=None):
        """The largest part of a bound at the trigger that is attained."""
        model, given, most = self.load(stack, length, box), [], 0
        plain, tilted, parts = moments.largest_of, moments.tilted, []
        with patched(largest_of=lambda x: given.append(x) or plain(x), tilted=lambda *of: parts.append(tilted(*of)) or parts[-1]):
            found = moments.MomentPass(model, triggers, *degrees)
            of = {"pre": range(1, triggers[1]), "trigger": range(triggers[0], triggers[1] + 1), "post": range(triggers[0] + 1, length + 1)}
            rows = []
            with contextlib.suppress(letters.TooCoarse):  # rows after the trigger are known less well
                for name, positions in of.items():
                    rows = rows + (found.found(name) if positions else [])
                    self.assertEqual([row.i for row in rows if row.rows == name], list(positions))  # none is left out
            self.assertIn("trigger", [row.rows for row in rows])
        shallow = copy.copy(stack)
        for _ in range(count):
            j = stack.random.randint(*triggers)  # the later ones have fewer rows after them
            tokens, noise = self.tokens(stack, length, j, model.box.intervals)
            out, weights = stack.evaluate(tokens)
            for l in range(1, stack.layers):
                shallow.layers = l
                at, later = shallow.evaluate(tokens)[0], [i for i in range(2, length) if i != j]
                self.keys_held(found, found.content(j - 2), l, at, noise, range(2, j))
                if j < length and (length - 3, True) in found.known:
                    self.keys_held(found, found.content(length - 3, True), l, at, noise, later)
                    self.key_held(found, found.trigger_keys(length)[l], at[j - 1], noise[j - 1], lambda number: 1)
            for row, error in zip(rows, given):
                if not {"trigger": row.i == j, "pre": row.i < j, "post": row.i > j}[row.rows]:
                    continue
                mean = [float(sum(column)) / (j - 1) for column in zip(*tokens[1:j])] if row.i == j else [0.0] * stack.n
                apart = [x - y - stack.residual * float(z) for x, y, z in zip(out[row.i - 1], mean, tokens[row.i - 1])]
                self.assertLessEqual(max(map(abs, apart)), row.loss / UNIT + SLACK)
                most = max(most, max(map(abs, apart)) / (row.loss / UNIT) if row.rows == "trigger" else 0)
                for l, of_layer in enumerate(row.shares or []):
                    for h, (low, high) in enumerate(of_layer):
                        self.assertTrue(low / 2**64 - SLACK <= weights[l][h][row.i - 1][1] <= high / 2**64 + SLACK)
                if stack.layers == 1 and row.i > 1 and row.rows != "post":
                    self.polynomial_held(error, apart, noise[row.i - 1], noise[1:row.i - 1])
                    for h in range(stack.heads if parts else 0):
                        _, others, _ = parts[(rows.index(row) - 1) * stack.heads + h]
                        if others:
                            self.polynomial_held(others, [1 - weights[0][h][row.i - 1][1]], noise[row.i - 1], noise[1:row.i - 1])
        return most

    def polynomial_held(self, error, apart, own, keys):
        """A polynomial of one layer has these values at these inputs, letters for remainders aside."""
        at = {meaning: 0 for meaning in error.alphabet.meanings[1:]} | {name: float(x) for name, x in letters_of(own, keys).items()}
        rest, names = list(error.rest), error.alphabet.meanings
        for part in error.vectors:
            for code, values in part:
                if any(names[number][0] == "rest" for number in error.alphabet.terms[code]):
                    rest = [r + abs(x) for r, x in zip(rest, values)]
        for x, y, r in zip(apart, value_at(error, at), rest):
            self.assertLessEqual(abs(x - y / UNIT), r / UNIT + SLACK)

    def keys_held(self, found, content, l, rows, noise, positions):
        """Content keys before layer l: noise has its letters' values, other letters at most what the position has."""
        for k, i in enumerate(positions):
            self.key_held(found, content.keys[l], rows[i - 1], noise[i - 1], lambda number: Fraction(content.scales[number][k], 256))

    def key_held(self, found, keys, row, noise, scale):
        for r in range(found.n):
            middle, around = keys.centre[r], keys.rest[r]
            for column, number in zip(keys.columns, keys.numbers):
                if number < found.noise:
                    middle += column[r] * float(noise[number])
                else:
                    around += abs(column[r]) * scale(number)
            self.assertLessEqual(abs(row[r] - middle / UNIT), around / UNIT + SLACK)

    def drawn(self, *shape, sink=False, **options):
        """A stack; with `sink`, BOS has a large logit in the first layer and, with a residual, in all."""
        stack = Stack(self.attention, *shape, width=2, **options)
        for l in range(stack.layers if sink else 0):
            stack.tensors[f"layers.{l}.W_Q.bias"] = [Fraction(5, 4)] * (2 * stack.heads)
            for row in stack.tensors[f"layers.{l}.W_K.weight"]:
                row[0] += 2
        return stack

    def test_random_stacks(self):
        """Stacks of every shape, with weights of different size; the bounds are not vacuous."""
        shapes = [(1, 1, False), (1, 2, True), (2, 1, True), (2, 2, False), (3, 1, True), (2, 2, True), (3, 2, False)]
        sizes = [(Fraction(1, 4), 0.4), (Fraction(3, 4), 0.1), (Fraction(5, 4), 0.002)]
        for seed, ((layers, heads, residual), (size, least)) in enumerate(itertools.product(shapes, sizes)):
            size = min(size, Fraction(5, 2 * layers + 1))
            length, n, degrees = 4 + seed % 3, 4 + seed % 2 + (layers == 1), (1 + seed % 4, 1 + (seed + 1) % 3)
            stack = self.drawn(layers, heads, residual, n=n, seed=seed, size=size, biases=seed % 4 != 0, sink=seed % 5 in (1, 3))
            with self.subTest(shape=(layers, heads, residual), size=size, n=n, length=length, degrees=degrees):
                most = self.held(stack, length, (3, length) if seed % 2 else (length, length), degrees, COUNT)
                self.assertGreater(most, least)

    def test_shares_of_small_logits(self):
        """Where BOS has most and logits are small, little is left beside the second order, which the remainders show."""
        for seed in range(4):
            stack = self.drawn(1, 1, seed % 2 == 1, n=4, seed=seed, size=Fraction(1, 4), sink=True, biases=False)
            self.assertGreater(self.held(stack, 6, (6, 6), (4, 3), COUNT), 0.1)

    def test_letters_that_are_not_walked(self):
        """As where there are more than 13 noise coordinates."""
        with patched(MOST_WALKED=1):
            stack = self.drawn(2, 1, True, n=6, seed=1, size=Fraction(1, 3))
            self.assertGreater(self.held(stack, 5, (4, 5), (3, 2), COUNT), 0.1)

    def test_boxes(self):
        """Boxes that are not [-1, 1], one coordinate of which is a point."""
        box = recheck.checkpoint.model.read_box([["-1/3", "2"], ["1/4", "1/4"], ["-1/7", "1/5"]], 6)
        for seed, (layers, residual) in enumerate(((1, False), (1, True), (2, True), (2, False))):
            stack = self.drawn(layers, 2, residual, n=6, seed=seed, size=Fraction(1, 2), sink=seed % 2 == 0)
            self.assertGreater(self.held(stack, 6, (3, 6), (3, 2), COUNT, box), 0.1)
        narrow = recheck.checkpoint.model.read_box([["-1/40", "1/40"]], 5)
        for seed in range(2):  # flags alone tell rows apart: the trigger's share shows in content rows
            stack = self.drawn(2, 1, seed == 1, n=5, seed=seed, size=Fraction(1, 2))
            self.assertGreater(self.held(stack, 5, (3, 5), (2, 2), COUNT, narrow), 0.1)


class Certificates(Pass):
    def certificate(self, degrees=(3, 2), triggers=(3, 4), length=4, **options):
        """Its bounds are the least that the rule gives."""
        stack = Stack(self.attention, n=4, width=2, claim_hash=CLAIM_HASH, size=Fraction(1, 2), **options)
        found, items = moments.MomentPass(self.load(stack, length), triggers, *degrees), []
        for name, i in (("pre", 2), ("trigger", triggers[0])):
            rows = found.found(name)
            witness = {"trigger": triggers[0], "row": i, "coordinate": 0, "sign": 1, "tokens": written(stack.sequence(length, triggers[0]))}
            entry = lambda family, lower, upper, **place: items.append({
                "name": f"{family}.{name}", "verdict": "enclosed", "lower": str(lower), "upper": str(upper), "witness": witness,
                "proof": {"rule": "moments", "degree": degrees[0], "row_degree": degrees[1]}} | place)
            entry("sup-loss", 0, Fraction(max(row.loss for row in rows), UNIT))
            for place in (None, (stack.layers - 1, stack.heads - 1)):
                ends = [ends for row in rows for l, of_layer in enumerate(row.shares or []) for h, ends in enumerate(of_layer) if place in (None, (l, h))]
                keys = {} if place is None else {"layer": place[0], "head": place[1]}
                entry("bos-floor", Fraction(min(low for low, _ in ends), 2**64), "9", **keys)
                entry("bos-ceiling", 0, Fraction(max(high for _, high in ends), 2**64), **keys)
        return stack.certificate(length, None, items) | {"box": [["-1", "1"]], "triggers": list(triggers)}

    def test_the_least_bounds_are_accepted_and_no_lesser(self):
        value = self.certificate()
        known = {}
        plain = moments.MomentPass.found

        def found(made, rows):
            key = made.degree, made.row_degree, rows
            known[key] = known.get(key) or plain(made, rows)
            return known[key]
        with unittest.mock.patch.object(moments.MomentPass, "found", found):
            self.assertEqual(self.check(value), (0, ""))
            for item in value["properties"]:
                side, by = ("lower", Fraction(1, 2**64)) if "floor" in item["name"] else ("upper", Fraction(-1, 2**64))
                with self.subTest(item["name"]):
                    self.rejected(value | {"properties": [item | {side: str(Fraction(item[side]) + by)}]}, reasons.BOUND_OF_ROW)

    def test_form(self):
        value = self.certificate(layers=1, heads=1, residual=False)
        item = value["properties"][0]
        alone = lambda proof, **changes: value | {"properties": [item | changes | {"proof": item["proof"] | proof}]}
        self.assertEqual(self.check(alone({})), (0, ""))
        for key, g in itertools.product(("degree", "row_degree"), (0, 5, True, "2", None)):
            self.rejected(alone({key: g}), "a degree")
        self.rejected(alone({"order": [0, 1]}), "unknown key")
        self.rejected(alone({}, name="rollout-floor.pre", witness=item["witness"] | {"row": 2}, upper="9", lower="0"), reasons.DOES_NOT_PROVE)
        for attention in ("softmax-null", "sigmoid-normalised", "softmax-gated"):
            stack = Stack(attention, 1, 1, False, width=2, claim_hash=CLAIM_HASH)
            other = witnessed(stack, 4, (3, 3))
            self.write("model.safetensors", stack.file())
            recheck.hashes.file_hash.cache_clear()
            one = next(x for x in other["properties"] if x["name"] == "sup-loss.trigger")
            self.rejected(other | {"properties": [one | {"proof": item["proof"]}]}, reasons.DOES_NOT_PROVE)

    def test_weights_too_large(self):
        value = self.certificate(layers=1)
        with patched(LIMIT=UNIT):
            self.rejected(value, "too large for the rule")

    test_random_stacks = test_boxes = test_shares_of_small_logits = test_letters_that_are_not_walked = None


if __name__ == "__main__":
    unittest.main()
