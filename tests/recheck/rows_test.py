#!/usr/bin/env python3
"""Tests of the rules row and separable-row of tools/recheck: python3 tests/recheck/rows_test.py

Every step's bound against brute force at corners of the noise: of kernels, of mixtures, of each term at every vertex of
the query's noise, and of the loss itself, over boxes of many kinds.
"""

import itertools
import random
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction

import layer_sample
from layer_sample import KINDS, Sample
from layer_test import flat
from recheck_test import patched, recheck

NEAR = Decimal(10) ** -40


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def make(attention, seed, n=4, length=5, box=None):
    """A drawn layer of one head over a box, as (sample, recheck's matrices); its weights are small."""
    of = Sample(attention, 1, n=n, length=length, seed=seed)
    of.tensors["W_V.weight"] = [[x / 2 for x in row] for row in of.tensors["W_V.weight"]]
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(of.file(("F64",)))
        file.flush()
        model = recheck.checkpoint.model.load_model(file.name, of.model(), length, box)
    return of, recheck.checkpoint.model.Matrices(model, (3, length))


def drawn_box(randomly, d):
    """Intervals off the centre, points among them."""
    ends = [sorted(Fraction(randomly.randint(-6, 6), 4) for _ in range(2)) for _ in range(d)]
    if randomly.randint(0, 2) == 0:
        ends[0][1] = ends[0][0]
    return recheck.checkpoint.model.Box([tuple(pair) for pair in ends])


def tokens_of(box, j, units, length):
    """The sequence whose tokens from 2 on have this unit noise."""
    n = len(units[0]) + 3
    noise = lambda u: [c + h * x for c, h, x in zip(box.centres, box.halves, u)]
    return [[Fraction(1)] + [Fraction(0)] * (n - 1)] + [
        [Fraction(0), Fraction(k == j), *noise(u), Fraction(k != j)] for k, u in enumerate(units, 2)][:length]


def vertex(forms, u):
    """The forms' values at a vertex u, squares bounded as in section 4.3."""
    numbers, full = [form.integers() for form in forms], "0"
    for _ in u:
        full = "1" + 2 * full
    of, *_ = dict(zip(corners(len(u)), recheck.checkpoint.obligations.leaf_bounds(full, numbers, len(u))))[tuple(u)]
    return [Fraction(x, form.denominator) for x, form in zip(of, numbers)]


def corners(d):
    return list(itertools.product((Fraction(-1), Fraction(1)), repeat=d))


class Kernels(unittest.TestCase):
    def ranges(self, kernel, randomly):
        for _ in range(40):
            low, high = sorted(Fraction(randomly.randint(-40, 40), randomly.randint(1, 9)) for _ in range(2))
            yield low, high if randomly.randint(0, 5) else low

    def test_slopes(self):
        """k <= up exp(rise (x - start)), k >= down exp(fall (x - start)), on the whole range."""
        randomly = random.Random(1)
        for kernel in ("sigmoid", "elu1"):
            for low, high in self.ranges(kernel, randomly):
                slope = recheck.checkpoint.row.kernel_slope(kernel, low, high)
                self.assertEqual(slope.start, low)
                for i in range(11):
                    x = low + (high - low) * Fraction(i, 10)
                    k, far = layer_sample.kernel(kernel, x), decimal(x - low)
                    self.assertLessEqual(k, decimal(slope.up) * (decimal(slope.rise) * far).exp() * (1 + NEAR))
                    self.assertGreaterEqual(k * (1 + NEAR), decimal(slope.down) * (decimal(slope.fall) * far).exp())
                self.assertLess(decimal(slope.up), layer_sample.kernel(kernel, low) * (1 + Decimal(2) ** -90))
                if high > low:  # the chord's slope is not given away
                    ratio = float(layer_sample.kernel(kernel, high) / layer_sample.kernel(kernel, low))
                    self.assertAlmostEqual(float(slope.fall), 2 * (ratio - 1) / (ratio + 1) / float(high - low), 6)

    def test_chords(self):
        randomly = random.Random(2)
        for kernel in ("relu", "elu1", "sigmoid", "linear"):
            for low, high in self.ranges(kernel, randomly):
                least, greatest = recheck.checkpoint.kernels.kernel_end(kernel, low, False, ""), recheck.checkpoint.kernels.kernel_end(kernel, high, True, "")
                tight = recheck.checkpoint.separable_row.kernel_chord(kernel, low, high, least, greatest)
                for chord in (tight, recheck.checkpoint.separable_row.kernel_chord(kernel, low, high, max(Fraction(0), least) / 2 if kernel != "linear" else least - 1, greatest + 1)):
                    for i in range(21):
                        x = low + (high - low) * Fraction(i, 20)
                        off = abs(layer_sample.kernel(kernel, x) - decimal(chord.alpha + chord.beta * x))
                        self.assertLessEqual(off, decimal(chord.epsilon) + NEAR)
                width = high - low
                most = {"linear": 0, "relu": width / 4, "elu1": width**2 / 8, "sigmoid": width**2 / 40}[kernel]
                self.assertLessEqual(tight.epsilon, most / 2 + (most / 2 if kernel == "sigmoid" else 0) + width / 10**15 + Fraction(1, 10**15))
                for x in (tight.alpha, tight.beta, tight.epsilon, tight.c):
                    self.assertEqual((x * 2**64).denominator, 1)

    def test_rounding(self):
        for x, down, up in ((Fraction(5, 3), 6, 7), (Fraction(-5, 3), -7, -6), (Fraction(3, 2), 6, 6), (Fraction(0), 0, 0)):
            self.assertEqual((recheck.checkpoint.row.rounded_to(2, x, False), recheck.checkpoint.row.rounded_to(2, x, True)), (Fraction(down, 4), Fraction(up, 4)))


class Mixtures(unittest.TestCase):
    def test_rows_are_mixtures(self):
        """Where nothing was replaced by a tangent, products are shares times the mean of z."""
        for length, rows in ((5, 4), (7, 3)):
            found = recheck.checkpoint.row.noise_mixtures(length, rows, 2)
            for a, b, p, y, *products in found:
                self.assertEqual((a + b + p, abs(y)), (1, 1))
                self.assertGreaterEqual(min(a, b, p), 0)
            half = sum(range(2, rows + 1))
            for a, b, p, y, *products in found[:half] + found[len(found) // 2:len(found) // 2 + half]:
                self.assertEqual(products, [x * (a - b + p * y) for x in (a, b, p)])
            self.assertEqual(len(found) // 2, half + (0 if rows == length - 1 else (2 * 2 + 2) + 2 * (2 + 2)))

    def test_they_are_rows_on_the_curve(self):
        """Where nothing is replaced by a tangent, products are shares times the mean of z."""
        self.enterContext(patched(points=lambda x, y, cells: [(t, t * t) for t in (x, (2 * x + y) / 3, (x + y) / 2, y)]))
        for a, b, p, y, *products in recheck.checkpoint.row.noise_mixtures(9, 3, 1):
            self.assertEqual(products, [x * (a - b + p * y) for x in (a, b, p)])
        for r, s in itertools.product((0, 1, -1), (1, -1)):
            for a, b, p, y, *products in recheck.checkpoint.row.flag_mixtures(9, 3, 1, r, s):
                mean = s * {0: 0, 1: p, -1: a}[r]
                self.assertEqual((products, b), ([a * mean, 0, p * mean], 0))

    def test_they_bound_every_row(self):
        """Any sum of W f(product/W), f convex, is largest at a mixture, of all rows that there are."""
        randomly = random.Random(3)
        number = lambda: Fraction(randomly.randint(-20, 20), 7)
        for length, rows, cells in itertools.product((3, 5, 8, 12), (1, 2, 3, 6), (1, 2, 5)):
            if rows > length - 1 or rows == length - 2:
                continue
            found = recheck.checkpoint.row.noise_mixtures(length, rows, cells)
            for _ in range(6):
                pieces = [[(number(), number()) for _ in range(3)] for _ in range(6)]  # of content +, -, trigger at y = 1, -1, BOS, null
                f = lambda k, x: max(c + d * x for c, d in pieces[k])

                def total(a, b, p, y, alpha, beta, gamma):
                    places = ((0, a, alpha), (1, b, beta), (2 if y > 0 else 3, p, gamma), (4, p, gamma), (5, p, gamma))
                    return sum(w * f(k, x / w) for k, w, x in places if w)
                most = max(total(*mixture) for mixture in found)
                for n, y in itertools.product(range(2, length), (1, -1)):
                    for i in range(n):
                        p, b = Fraction(1, n), Fraction(i, n)
                        a = 1 - p - b
                        tau = a - b + p * y
                        self.assertLessEqual(total(a, b, p, y, a * tau, b * tau, p * tau), most)
                for r, s in itertools.product((0, 1, -1), (1, -1)):
                    most = max(total(*mixture) for mixture in recheck.checkpoint.row.flag_mixtures(length, rows, cells, r, s))
                    for n in range(2, length):
                        p = Fraction(1, n)
                        tau = s * {0: 0, 1: p, -1: 1 - p}[r]
                        self.assertLessEqual(total(1 - p, Fraction(0), p, 0, (1 - p) * tau, 0, p * tau), most)


class Terms(unittest.TestCase):
    def test_terms_of_separable_rows(self):
        """At every vertex of u: no free key, no key that is the query and no BOS beyond its term, with its chord's error."""
        randomly = random.Random(5)
        for index in range(24):
            kind, n = ("relu", "sigmoid", "elu1", "linear")[index % 4], randomly.choice((4, 5))
            box = drawn_box(randomly, n - 3)
            of, layer = make(kind, 10 + index, n=n, box=box)
            view, number = recheck.checkpoint.notation.View(layer, 0, list(range(n - 3))), lambda x: Fraction(x, layer.scale)
            m, v = ([[number(x) for x in row] for row in matrix] for matrix in layer.heads[0])
            for f, by_product in itertools.product((-1, 1), (False, True) if kind == "relu" else (False,)):
                small = lambda: Fraction(randomly.randint(-9, 9), 8)
                chords = None if by_product else {g: recheck.checkpoint.separable_row.Chord(small(), small(), abs(small()), small()) for g in (0, -1, 1)}
                for r, s in layer.sides():
                    side, b = recheck.checkpoint.separable_row.SeparableRow(layer, view, f, chords, r, s), Fraction(randomly.randint(1, 12), 6)
                    terms = {g: side.free_key(g, [b, 2 * b]) for g in (-1, 1)}
                    own, bos = side.own_key(b), side.bos()
                    for u in corners(n - 3):
                        values = vertex(side.forms, u)
                        bound = lambda term: min(max(values[e] + max(0, *(values[x] for x in ends))**2 / (4 * b) for e, ends in cases) for b, cases in term)

                        def least(g, w):
                            """What the key is at most: with the chord and its error, or with max(0, ..)."""
                            q, k = [0, 0, *u, 0], [0, 0, *w, 0]
                            q[f], k[g] = 1, 1
                            x = sum(a * m[i][l] * c for i, a in enumerate(q) for l, c in enumerate(k))
                            y = s * sum(a * c for a, c in zip(v[r], k))
                            target = s * sum(box.x(r, i) * c for i, c in enumerate(k)) if f == 1 and g else 0
                            if by_product:
                                return max(0, x) * y - target
                            chord = chords[g]
                            return (chord.alpha + chord.beta * x) * y + chord.epsilon * abs(y) - target
                        for g, w in itertools.product((-1, 1), itertools.product((-1, Fraction(-1, 3), 0, Fraction(1, 2), 1), repeat=n - 3)):
                            self.assertLessEqual(least(g, w), bound(terms[g]), (kind, f, g, r, s))
                        self.assertLessEqual(least(f, u), bound(own), (kind, f, r, s))
                        self.assertLessEqual(least(0, (0,) * (n - 3)), values[bos] if chords else max(0, values[bos]))

    def test_the_error_of_a_split_coordinate(self):
        """Where Q and z - tau have not one sign, |z - tau| <= eps, and nearly so somewhere."""
        randomly, near = random.Random(17), []
        small = lambda most: Fraction(randomly.randint(-most, most), 100)
        for index in range(20):
            box = drawn_box(randomly, 2)
            of, layer = make("softmax", 70 + index, n=5, box=box)
            identity = [[Fraction(box.x(r, g)) + small(6) for g in range(5)] for r in range(5)]
            layer.heads[0] = recheck.checkpoint.model.Head([[400 * x for x in row] for row in layer.heads[0].M], [[int(x * layer.scale * 400) for x in row] for row in identity])
            layer.o, layer.scale = [0] * 5, 400 * layer.scale
            view = recheck.checkpoint.notation.View(layer, 0, [0, 1])
            for r, s in itertools.product((2, 3), (1, -1)):
                side = recheck.checkpoint.row.RowSide(layer, view, "trigger", None, None, Fraction(randomly.randint(0, 9), 100), r, s)
                eps, shifted = side.shift
                if not shifted:
                    continue
                v_o, (_, _, v_c, v) = layer.heads[0].V[r][r], view.values(r, s)
                reach = sum(abs(x) for l, x in enumerate(v) if l != r - 2)
                most = Fraction(0)
                grid = [Fraction(k, 40) for k in range(-40, 41, 4)]
                for z, tau, sign in itertools.product(grid + [Fraction(39, 40)], grid, (1, -1)):
                    q = view.number(v_o * z + v_c + sign * reach) - box.x(r, r) * tau - side.eta
                    if (q > 0) != (z > tau) or q == 0:
                        self.assertLessEqual(abs(z - tau), eps, (index, r, s))
                        most = max(most, abs(z - tau))
                near.append(most / eps)
        self.assertGreater(max(near), Fraction(4, 5))
        layer.gates = [([Fraction(0)] * 5, Fraction(0))]
        self.assertEqual(recheck.checkpoint.row.RowSide(layer, view, "trigger", None, None, Fraction(0), 2, 1).shift, (1, 0))

    def test_classes_of_rows(self):
        """At every vertex of u: weight exp(F) is at least, weight exp(-G) no more, than any keys of the class."""
        randomly, seen = random.Random(7), set()
        for index in range(54):
            kind, n, rows = [k for k in KINDS if KINDS[k][1] is not None][index % 6], randomly.choice((4, 5)), recheck.checkpoint.model.CLASSES[index // 6 % 3]
            box, f, kernel = drawn_box(randomly, n - 3), 1 if rows == "trigger" else -1, KINDS[kind][0]
            of, layer = make(kind, 20 + index, n=n, box=box)
            view, number = recheck.checkpoint.notation.View(layer, 0, list(range(n - 3))), lambda x: Fraction(x, layer.scale)
            m, v = ([[number(x) for x in row] for row in matrix] for matrix in layer.heads[0])
            logit = lambda u, g, w: m[f][g] + sum(a * m[2 + k][g] for k, a in enumerate(u)) + sum(
                c * (m[f][2 + l] + sum(a * m[2 + k][2 + l] for k, a in enumerate(u))) for l, c in enumerate(w)) if g is not None else Fraction(0)
            slopes = dict.fromkeys(recheck.checkpoint.ranges.KEYS, recheck.checkpoint.row.Slope(Fraction(0), *[Fraction(1)] * 4))
            if not layer.attention.relative:
                every = {g: [logit(u, g, w) for u in corners(n - 3) for w in corners(n - 3)] for g in (-1, 0, 1)}
                slopes = {g: recheck.checkpoint.row.kernel_slope(kernel, min(every[g]) - Fraction(1, 9), max(every[g]) + Fraction(1, 9)) for g in (-1, 1, 0)}
            references = {-1: Fraction(0)} | {g: Fraction(randomly.randint(-9, 9), 4) for g in (0, 1, None)}
            for r, s in layer.sides():
                side = recheck.checkpoint.row.RowSide(layer, view, rows, slopes, references, Fraction(randomly.randint(0, 30), 20), r, s)
                flag, mixtures = {0: 0, 1: 1, n - 1: -1}.get(r), [(Fraction(2), Fraction(0), Fraction(1), 0, *[Fraction(0)] * 3)]
                self.assertEqual(side.o is None, flag is not None or rows != "trigger")
                if rows == "trigger":
                    mixtures = recheck.checkpoint.row.noise_mixtures(5, 2, 1) if flag is None else recheck.checkpoint.row.flag_mixtures(5, 2, 1, flag, s)
                for mixture in randomly.sample(list(mixtures), 1 + (rows == "trigger")):
                    positive, negative = side.classes(mixture)
                    a, b, p, y, alpha, beta, gamma = mixture
                    content = sum(x > 0 for x in (a, b))
                    for place, (of_class, sign) in enumerate([(x, 1) for x in positive] + [(x, -1) for x in negative]):
                        form, g = recheck.checkpoint.obligations.Form(view), of_class.g
                        side.add(form, Fraction(1), of_class, sign)
                        seen.add((rows, g, of_class.noise, sign))
                        first = (of_class.weight * of_class.rate / slopes[g].up if sign > 0 else
                                 of_class.weight / (slopes[g].down * -of_class.top * recheck.checkpoint.kernels.exp_down(references[g])))
                        own = of_class.noise == "own" and g == -1
                        fitting = [(w, x, z) for w, x, z in ((a, alpha, 1), (b, beta, -1)) if own and w == first] or [(p, gamma, y if of_class.noise == "query" else 0)]
                        for share, product, z in fitting if len(fitting) == 1 else []:
                            self.assertEqual(share, first)
                            theta = box.x(r, r) * product / share + side.eta
                            for u in corners(n - 3):
                                value, = vertex([form], u)
                                bound = decimal(of_class.weight) * decimal(value * sign).exp()
                                h = Decimal(1)
                                if layer.gates:
                                    weights, bias = layer.gates[0]
                                    h += (-decimal(bias + weights[f] + sum(x * c for x, c in zip(u, weights[2:-1])))).exp()
                                for w in {"query": [u], "own": corners(n - 3), None: [(0,) * (n - 3)]}[of_class.noise]:
                                    w, shift = list(w), 0
                                    x = logit(u, g, w) - (logit(u, -1, (0,) * (n - 3)) if layer.attention.relative else 0)
                                    if side.o is not None:
                                        q_o = m[f][r] + sum(c * m[2 + k][r] for k, c in enumerate(u))
                                        least, others = side.shift
                                        if g == -1:  # the split coordinate's part of the logit is bounded apart, as a z or as eps |a|
                                            x -= logit(u, g, w) - logit(u, g, [0 if k == r - 2 else c for k, c in enumerate(w)])
                                            shift = abs(q_o) if s * q_o >= 0 else least * abs(q_o)
                                        w = [s * z if k == r - 2 else c for k, c in enumerate(w)] if g in (1, -1) else w
                                    worth = (0 if g is None else v[r][g]) + (sum(c * v[r][2 + l] for l, c in enumerate(w)) if of_class.noise else 0)
                                    if side.o is not None and g != -1 and others and s * q_o < 0:
                                        shift = abs(q_o)
                                    x += sign * shift
                                    k = layer_sample.kernel(kernel, x if kernel == "exp" else max(slopes[g].start, x))
                                    real = decimal(share) * k * (decimal(s * worth) - decimal(theta) * h) * sign
                                    if sign > 0:
                                        self.assertLessEqual(real, bound * (1 + NEAR), (kind, rows, r, s, of_class))
                                    else:
                                        self.assertGreaterEqual(real * (1 + NEAR), bound, (kind, rows, r, s, of_class))
        # Content keys that are not the query never count as negative beside the trigger's rows.
        every = {(rows, g, noise, sign) for rows in recheck.checkpoint.model.CLASSES for g, noise in ((0, None), (None, None), (-1, "own")) for sign in (1, -1)}
        every |= {(rows, g, noise, sign) for rows, g, noise in (("pre", -1, "query"), ("post", -1, "query"), ("trigger", 1, "query"), ("post", 1, "own")) for sign in (1, -1)}
        self.assertEqual(seen, every - {("pre", -1, "own", -1), ("post", -1, "own", -1)})


class Losses(unittest.TestCase):
    """The least bound that a rule proves with full trees is never below the loss of an input."""

    def proves(self, layer, proof, rows, bound):
        try:
            recheck.checkpoint.properties.check_rule(layer, proof, recheck.checkpoint.properties.Statement("sup-loss", rows, bound, range(1)))
            return True
        except recheck.refusal.Reject:
            return False

    def ranges(self, of, layer, randomly):
        """Enclosures of the logits of all vertices, with full trees."""
        n, m = layer.n, layer.heads[0].M
        every, numbers = {}, lambda g, u: [*((int(k == g) for k in range(2))), *u, int(g == n - 1)]
        for f, g in itertools.product((n - 1, 1), (0, n - 1, 1)):
            found = [sum(a * m[i][k] * c for i, a in enumerate(numbers(f, u)) for k, c in enumerate(numbers(g, w if g else (0,) * (n - 3))))
                     for u in corners(n - 3) for w in ([u] if f == g == 1 else corners(n - 3))]
            squares = sum(abs(m[k][k]) for k in range(2, n - 1)) if f == g == 1 else 0  # a u's square is any number in [0,1]
            low, high = Fraction(min(found) - squares, layer.scale), Fraction(max(found) + squares, layer.scale)
            every[f if f == 1 else -1, g if g != n - 1 else -1] = low, high
        kernel = layer.attention.kernel
        kernels = {key: (recheck.checkpoint.kernels.kernel_end(kernel, low, False, ""), recheck.checkpoint.kernels.kernel_end(kernel, high, True, "")) for key, (low, high) in every.items()}
        x = Fraction(m[0][0], layer.scale)
        bos = recheck.checkpoint.kernels.kernel_end(kernel, x, False, ""), recheck.checkpoint.kernels.kernel_end(kernel, x, True, "")
        layer.ranges = [recheck.checkpoint.ranges.HeadRanges(every, kernels, bos, {0: (1, 1), 1: (1, 1), -1: (1, 1)})]

    def worst(self, of, layer, rows, randomly):
        """The largest loss over the noise's corners, or over some of them."""
        worst, d = Decimal(0), layer.d
        for j in range(3, of.length + 1):
            for i in {"pre": range(1, j), "trigger": [j], "post": range(j + 1, of.length + 1)}[rows]:
                every = corners(d * (i - 1))
                for flat in every if len(every) <= 16 else randomly.sample(every, 16):
                    units = [flat[k:k + d] for k in range(0, len(flat), d)]
                    tokens = tokens_of(layer.box, j, units or [(Fraction(0),) * d], i)
                    for r in range(of.n):
                        if r == 0:
                            out, *_ = of.evaluate(tokens)
                        target = sum(token[r] for token in tokens[1:j]) / (j - 1) if i == j else Fraction(0)
                        worst = max(worst, abs(out[r] - decimal(Fraction(target))))
        return worst

    def test_bounds(self):
        randomly, ratios = random.Random(13), {}
        for index in range(40):
            kind = list(k for k in KINDS)[index % 10]
            length = randomly.choice((3, 4, 5))
            of, layer = make(kind, 40 + index, length=length, box=drawn_box(randomly, 1) if index % 2 else None)
            self.ranges(of, layer, randomly)
            for rows in ("pre", "trigger", "post")[:2 + (length > 3)]:
                sides = 2 * layer.n
                if layer.normalised:
                    rule, count = "row", sides
                    parameters = {"rows": None, "cells": None, "references": {"bos": "0", "trigger": "0", "null": "0" if layer.attention.slot else None}}
                    if rows == "trigger":
                        apart = length - 1 if length < 5 else randomly.choice((1, 2, length - 1))
                        parameters |= {"rows": apart, "cells": 3}
                        flags = len(list(recheck.checkpoint.row.flag_mixtures(length, apart, 3, 0, 1)))
                        count = 2 * layer.d * len(recheck.checkpoint.row.noise_mixtures(length, apart, 3)) + 6 * flags
                else:
                    rule, count, balances = "separable-row", sides, ["1/8", "1", "6"]
                    own = lambda: [None if rows != "trigger" and randomly.randint(0, 1) else randomly.choice(balances) for _ in range(2)]
                    parameters = {"bound": randomly.choice(("chord", "product")) if kind == "relu" else "chord", "own": [own() for _ in range(sides)],
                                  "content": [balances] * sides, "trigger": [balances] * sides if rows == "post" else None}
                proof = {"rule": rule, "order": [0], "parameters": parameters, "trees": ["100"] * count}
                low, high = Fraction(0), Fraction(1)
                while not self.proves(layer, proof, rows, high) and high < 10**4:
                    high *= 2
                if high >= 10**4:
                    continue
                for _ in range(9):
                    middle = (low + high) / 2
                    low, high = (low, middle) if self.proves(layer, proof, rows, middle) else (middle, high)
                worst = self.worst(of, layer, rows, randomly)
                self.assertLessEqual(worst, decimal(high), (kind, rows, index))
                ratios.setdefault((kind, rows), []).append(float(worst / decimal(high)))
        self.assertGreater(len(ratios), 14, ratios.keys())
        self.assertGreater(sorted(map(max, ratios.values()))[len(ratios) // 2], 0.5, ratios)  # the bounds are not merely huge


if __name__ == "__main__":
    unittest.main()
