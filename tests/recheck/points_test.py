#!/usr/bin/env python3
"""Tests of multipliers and points of tools/recheck (section 4.5): python3 tests/recheck/points_test.py

What a point gives against the page's formula written out with fractions, and against every vertex of the noise.
"""

import contextlib
import itertools
import math
import random
import re
import unittest
from fractions import Fraction

import reasons
from recheck_test import random_layer, recheck
from rows_test import make


def numbers(string):
    return [Fraction(ord(x) - 64, 16) for x in string]


def coupling(layer, h=0):
    """N of section 4.5."""
    noise = range(2, layer.n - 1)
    return [[Fraction(layer.heads[h].M[k][l], layer.scale) for l in noise] for k in noise]


def install(layer, alpha, beta, gamma):
    """Gives the layer's one head these multipliers, shown or not."""
    unit = math.lcm(layer.scale, *(x.denominator for x in alpha + beta + gamma))
    layer.multipliers = [recheck.checkpoint.obligations.Multipliers(unit, *([recheck.arithmetic.integer_over(unit, x) for x in of] for of in (alpha, beta, gamma)))]


def dominating(matrix, randomly):
    """Multipliers for N that are shown, as each row's absolute values have less than the diagonal entry, drawn apart;
    up to multiples of 10^-9."""
    d, up = len(matrix), lambda x: Fraction((x * 10**9).__floor__() + 1, 10**9)
    ratio = [Fraction(randomly.randint(1, 9), randomly.randint(1, 9)) for _ in range(d)]
    alpha = [up(sum(abs(matrix[k][l]) * ratio[k] for k in range(d)) / 2) for l in range(d)]
    beta = [up(sum(map(abs, matrix[k])) / ratio[k] / 2) for k in range(d)]
    return alpha, beta, [up(sum(abs(matrix[k][l] + matrix[l][k]) for l in range(d) if k != l) / 2) for k in range(d)]


def tight(matrix, randomly):
    """Of these, about the least shares that are shown."""
    keys, queries, own = dominating(matrix, randomly)
    across = [list(column) for column in zip(*matrix)]
    pairs = [[(x + y) * (k != l) for l, (x, y) in enumerate(zip(*rows))] for k, rows in enumerate(zip(matrix, across))]
    least = lambda first, block, second: next(k for k in range(1, 65) if recheck.checkpoint.obligations.is_shown([[int(2**80 * x) for x in row] for row in recheck.checkpoint.obligations.bordered(
        [x * Fraction(k, 64) for x in first], block, [x * Fraction(k, 64) for x in second])]))
    of_keys, of_own = (Fraction(min(64, least(*of) + 1), 64) for of in ((keys, across, queries), (own, pairs, own)))
    return [x * of_keys for x in keys], [x * of_keys for x in queries], [x * of_own for x in own]


def by_page(matrix, multipliers, form, point, fixed):
    """The bound of section 4.5, word for word; form = (c, a, C, rows), a row (b, z, l, B), z and l None where it is of no
    key coordinate; fixed = {k: s_k}."""
    (offset, a, factor, rows), (alpha, beta, gamma), d = form, multipliers, len(matrix)
    every, of = range(d), [numbers(string) for string in point] + [[Fraction(0)] * d] * 9
    y, s = of[0], [[(matrix[k][l] + matrix[l][k]) * (k != l) for l in every] for k in every]
    largest = max((abs(z) for _, z, _, _ in rows if z is not None), default=0)
    groups, alone, seen = {}, [], [0] * d
    for row in rows:
        if row[1] is not None and abs(row[1]) > largest / 2**20:
            seen[row[2]] += 1
            groups.setdefault(seen[row[2]], []).append(row)
        else:
            alone.append(row)
    for g in list(groups):
        if g >= 8 or len(groups[g]) == 1:
            alone += groups.pop(g)
    back = lambda l: sum(matrix[k][l] * y[k] for k in every)
    h = [a[k] - 2 * abs(factor) * gamma[k] * y[k] + factor * sum(s[k][l] * y[l] for l in every) for k in every]
    total = offset + abs(factor) * sum(gamma[k] * (1 + y[k]**2) for k in every)
    total -= factor / 2 * sum(s[k][l] * y[k] * y[l] for k in every for l in every)
    for g, members in groups.items():
        z_g, x = sum(abs(z) for _, z, _, _ in members) / len(members), of[g]
        total += z_g * sum(beta[k] * (1 + y[k]**2) for k in every)
        h = [h[k] + sum(z * matrix[k][l] * x[l] for _, z, l, _ in members) - 2 * z_g * beta[k] * y[k] for k in every]
        for b, z, l, _ in members:
            total += z**2 / z_g * alpha[l] * (1 + x[l]**2) - z * x[l] * back(l)
            total += abs(b + z * back(l) - 2 * z**2 / z_g * alpha[l] * x[l])
    total += sum(abs(b) + sum(map(abs, row)) for b, _, _, row in alone)
    return total + sum(fixed[k] * h[k] if k in fixed else abs(h[k]) for k in every)


def drawn_form(randomly, layer, view, order):
    """(recheck's form, the same for `by_page`), with lists of key coordinates, single ones, small ones and others."""
    d, f, g, matrix = layer.d, 1, layer.n - 1, coupling(layer)
    m = [[Fraction(x, layer.scale) for x in row] for row in layer.heads[0].M]
    number = lambda: Fraction(randomly.randint(-99, 99), randomly.randint(1, 9))
    form, rows, offset, a, factor = recheck.checkpoint.obligations.Form(view), [], Fraction(0), [Fraction(0)] * d, Fraction(0)

    def add(place, z, x, weight):
        l = order[place]
        rows.append((x * weight + z * m[f][2 + l], z, l, [z * matrix[k][l] for k in range(d)]))
    for _ in range(randomly.randint(0, 3)):
        z, x, but, weights = number(), number(), randomly.choice((None, 0, d - 1)), [randomly.randint(-9, 9) for _ in range(d)]
        form.noise(f, z, x, weights, but)
        for place in range(d):
            if place != but:
                add(place, z, x, Fraction(weights[place], layer.scale))
    for _ in range(randomly.randint(0, 9)):
        place, z = randomly.randrange(d), randomly.choice((number(), Fraction(0), number() / 10**7))
        form.absolute(recheck.checkpoint.obligations.ZERO, 0, z, view.query(f)[place], place)
        add(place, z, Fraction(0), 0)
    x, y = number(), number()
    form.absolute(x, 3, y, view.base(f, g))
    rows.append((x * Fraction(3, layer.scale) + y * m[f][g], None, None, [y * m[2 + k][g] for k in range(d)]))
    form.base(x, f, g)
    offset, a = x * m[f][g], [x * m[2 + k][g] for k in range(d)]
    if randomly.randint(0, 3):
        factor = randomly.choice((number(), Fraction(0)))
        form.itself(f, factor)
        offset += sum(max(0, factor * matrix[k][k]) for k in range(d))
        a = [old + factor * m[f][2 + k] for k, old in enumerate(a)]
    return form, (offset, a, factor, rows)


def value_at(matrix, form, u):
    """F(u), squares bounded as in section 4.3."""
    offset, a, factor, rows = form
    every = range(len(u))
    pairs = sum((matrix[k][l] + matrix[l][k]) * u[k] * u[l] for k in every for l in range(k))
    return offset + sum(x * y for x, y in zip(a, u)) + factor * pairs + sum(
        abs(b + sum(x * y for x, y in zip(row, u))) for b, _, _, row in rows)


def drawn_point(randomly, d, count):
    return ["".join(chr(randomly.randint(48, 80)) for _ in range(d)) for _ in range(count)]


class Points(unittest.TestCase):
    def bound(self, form, point, signs):
        whole = form.integers()
        of = recheck.checkpoint.obligations.PointForm(whole)
        return Fraction(of.bound([None, point], 1, signs), whole.denominator * of.finer)

    def test_a_point_gives_what_the_page_says(self):
        randomly, groups = random.Random(1), set()
        for _ in range(80):
            layer = random_layer(randomly, randomly.randint(4, 8), 5, "softmax")
            order = randomly.sample(range(layer.d), layer.d)
            number = lambda: Fraction(randomly.randint(1, 99), randomly.randint(1, 9))
            multipliers = [[number() for _ in range(layer.d)] for _ in range(3)]
            install(layer, *multipliers)
            form, terms = drawn_form(randomly, layer, recheck.checkpoint.notation.View(layer, 0, order), order)
            point = drawn_point(randomly, layer.d, randomly.randint(0, 8))
            signs = tuple(randomly.choice((1, -1)) for _ in range(randomly.randint(0, layer.d)))
            self.assertEqual(self.bound(form, point, signs), by_page(coupling(layer), multipliers, terms, point, dict(zip(order, signs))))
            groups.add(len(recheck.checkpoint.obligations.PointForm(form.integers()).groups))
        self.assertGreaterEqual(groups, {0, 1, 2, 3})

    def test_groups(self):
        row = lambda key, j=1: (0, j, (), key)
        kept, alone = recheck.checkpoint.obligations.grouped([row(0), row(1), row(None), row(0, -2), row(1), row(0)])
        self.assertEqual([sorted(group) for group in kept], [[0, 1], [0, 1]])
        self.assertEqual((kept[1][0], [x[3] for x in alone]), (row(0, -2), [None, 0]))
        kept, alone = recheck.checkpoint.obligations.grouped([row(k) for k in (0, 1) for _ in range(9)])
        self.assertEqual((len(kept), len(alone)), (7, 4))
        for j, many in ((1 << 20, 0), ((1 << 20) - 1, 1)):  # a share of 2^-20 is too small, one above is not
            self.assertEqual(len(recheck.checkpoint.obligations.grouped([row(0), row(1, j)])[0]), many)
        self.assertEqual(recheck.checkpoint.obligations.grouped([]), ([], []))

    def test_no_vertex_is_above(self):
        """Of any point, also at leaves; by least multipliers."""
        randomly = random.Random(2)
        for index in range(60):
            layer = random_layer(randomly, randomly.randint(5, 7), 5, "softmax")
            order, matrix = randomly.sample(range(layer.d), layer.d), coupling(layer)
            multipliers = tight(matrix, randomly)
            value = [dict(zip(("keys", "queries", "own"), ([str(x) for x in of] for of in multipliers)))]
            layer.multipliers = recheck.checkpoint.obligations.check_multipliers(layer, value)
            view = recheck.checkpoint.notation.View(layer, 0, order)
            form, terms = drawn_form(randomly, layer, view, order)
            signs = tuple(randomly.choice((1, -1)) for _ in range(index % 3))
            fixed = dict(zip(order, signs))
            most = max(value_at(matrix, terms, u) for u in itertools.product((1, -1), repeat=layer.d) if all(u[k] == s for k, s in fixed.items()))
            for _ in range(8):
                self.assertLessEqual(most, self.bound(form, drawn_point(randomly, layer.d, 8), signs))

    def test_forms_of_rules(self):
        """No form of a rule is at a vertex above what a point gives; a row of a key coordinate is that of its query."""
        randomly, seen = random.Random(3), {}
        for index, kind in enumerate(("softmax", "softmax-gated", "elu1-normalised", "softmax-null", "relu", "sigmoid", "linear") * 2):
            of, layer = make(kind, 90 + index, n=5)
            value = [dict(zip(("keys", "queries", "own"), ([str(x) for x in of] for of in tight(coupling(layer), randomly))))]
            layer.multipliers = recheck.checkpoint.obligations.check_multipliers(layer, value)
            order = randomly.sample(range(layer.d), layer.d)
            found = self.obligations(layer, kind, order)
            seen[kind] = seen.get(kind, 0) + len(found)
            for obligation in randomly.sample(found, min(8, len(found))):
                for form in obligation.forms:
                    whole = form.integers()
                    for _, _, coefficients, key in whole.rows:
                        self.assertTrue(key is None or coefficients is whole.view.columns[key])
                    bounds = {signs: Fraction(x, whole.denominator) for (x,), _, signs in recheck.checkpoint.obligations.leaf_bounds("1" + 2 * "100", [whole], 2)}
                    for signs in ((), (1,), (-1, 1)):
                        most = max(x for u, x in bounds.items() if u[:len(signs)] == signs)
                        self.assertLessEqual(most, self.bound(form, drawn_point(randomly, layer.d, 5), signs), obligation.where)
        self.assertTrue(all(seen.values()), seen)

    def obligations(self, layer, kind, order):
        low, high = Fraction(-9), Fraction(9)
        kernels = {(f, g): (Fraction(1, 9), Fraction(9)) for f in (-1, 1) for g in (0, -1, 1)}
        layer.ranges = [recheck.checkpoint.ranges.HeadRanges({key: (low, high) for key in kernels}, kernels, None, None)]
        statement = recheck.checkpoint.properties.Statement("sup-loss", "trigger", Fraction(1), range(1))
        if layer.normalised:
            references, found = {"bos": "0", "trigger": "1/3", "null": "0" if layer.attention.slot else None}, []
            for exponent in range(-12, 12):
                statement = statement._replace(bound=Fraction(2)**exponent)
                with contextlib.suppress(recheck.refusal.Reject):  # where nothing stands against the positive keys
                    for obligation in recheck.checkpoint.row.row(layer, statement, order, {"rows": 4, "cells": 1, "references": references}):
                        found += [obligation] * bool(obligation.forms)
            return found
        sides = 2 * layer.n
        parameters = {"bound": "product" if kind == "relu" else "chord", "content": [["1", "3"]] * sides, "own": [["1", "2"]] * sides, "trigger": None}
        return list(recheck.checkpoint.separable_row.separable_row(layer, statement, order, parameters))

    def test_a_leaf_takes_the_lesser_of_both_bounds(self):
        """Form f of an obligation takes point e + f; a leaf without number takes none."""
        randomly, chosen = random.Random(4), set()
        for index in range(30):
            layer = random_layer(randomly, 9, 5, "softmax")
            multipliers, order = tight(coupling(layer), randomly), randomly.sample(range(6), 6)
            install(layer, *multipliers)
            view = recheck.checkpoint.notation.View(layer, 0, order)
            forms = [drawn_form(randomly, layer, view, order)[0] if index % 2 else recheck.checkpoint.obligations.Form(view).itself(1, Fraction(-7)) for _ in range(2)]
            points = [drawn_point(randomly, 6, 3) if randomly.randint(0, 1) else ["@" * 6] for _ in range(4)]
            plain = [list(zip(*(bounds for bounds, *_ in recheck.checkpoint.obligations.leaf_bounds("100", [form.integers()], 6))))[0] for form in forms]
            leaves, found = [], []
            for leaf, (number, signs) in enumerate(((None, (-1,)), (2, (1,)))):
                bounds = [Fraction(of[leaf], form.integers().denominator) for of, form in zip(plain, forms)]
                if number is not None:
                    other = [self.bound(form, points[number + f], signs) for f, form in enumerate(forms)]
                    chosen |= {x < y for x, y in zip(other, bounds)}
                    bounds = list(map(min, bounds, other))
                leaves.append(bounds)
            holds = lambda units: lambda bounds: found.append([Fraction(x, y) for x, y in zip(bounds, units)]) or True
            recheck.checkpoint.obligations.prove(recheck.checkpoint.obligations.Obligation("it", forms, holds), "10[2]0", 6, points)
            self.assertEqual(found, leaves)
            exact = recheck.checkpoint.obligations.Obligation("it", forms[:1], leaves[1][0])
            recheck.checkpoint.obligations.prove(exact._replace(holds=max(leaf[0] for leaf in leaves)), "10[2]0", 6, points)
            with self.assertRaisesRegex(recheck.refusal.Reject, reasons.ABOVE_BOUND):
                recheck.checkpoint.obligations.prove(exact._replace(holds=max(leaf[0] for leaf in leaves) - Fraction(1, 10**99)), "10[2]0", 6, points)
            for tree, known, reason in (("[3]0", points, reasons.NO_POINT_OF_LEAF), ("[2]0", points[:3], reasons.NO_POINT_OF_LEAF), ("[0]0", None, reasons.NO_POINT_OF_LEAF)):
                with self.subTest(tree), self.assertRaisesRegex(recheck.refusal.Reject, reason):
                    recheck.checkpoint.obligations.prove(recheck.checkpoint.obligations.Obligation("it", forms, holds), tree, 6, known)
        self.assertEqual(chosen, {True, False})


class Multipliers(unittest.TestCase):
    def is_definite(self, matrix):
        """By exact elimination."""
        rows = [[Fraction(x) for x in row] for row in matrix]
        for k, row in enumerate(rows):
            if row[k] <= 0:
                return False
            for i in range(k + 1, len(rows)):
                rows[i] = [x - row[i] / row[k] * y for x, y in zip(rows[i], row)]
        return True

    def by_page(self, matrix):
        """Section 4.5's rounded elimination, word for word."""
        size, r = len(matrix), max(matrix[i][i] for i in range(len(matrix)))
        a = [[(Fraction(2**64 * matrix[i][j]) / r).__floor__() - size * (i == j) for j in range(size)] for i in range(size)]
        for k in range(size):
            if a[k][k] <= 0:
                return False
            b = [row[:] for row in a]
            for i, j in itertools.product(range(k + 1, size), repeat=2):
                b[i][j] = a[i][j] - Fraction(a[i][k] * a[k][j], a[k][k]).__ceil__() - (size if i == j and a[i][k] else 0)
            a = b
        return True

    def test_shown_is_semidefinite(self):
        """What is shown is definite, and what has something to spare is shown."""
        randomly, seen = random.Random(5), set()
        for index in range(300):
            size = randomly.randint(1, 7)
            factor = [[randomly.randint(-9, 9) for _ in range(size)] for _ in range(randomly.randint(1, 7))]
            matrix = [[sum(row[i] * row[j] for row in factor) * 10**20 for j in range(size)] for i in range(size)]
            shift = randomly.choice((0, 1, -1, 10**4, 10**19, -10**19))
            matrix = [[x + shift * (i == j) for j, x in enumerate(row)] for i, row in enumerate(matrix)]
            if min(matrix[i][i] for i in range(size)) <= 0:
                continue
            shown = recheck.checkpoint.obligations.is_shown(matrix)
            seen.add((shown, self.is_definite(matrix)))
            self.assertEqual(shown, self.by_page(matrix))
            self.assertLessEqual(shown, self.is_definite(matrix))
            spared = [[x - (i == j) * max(map(max, matrix)) * 50 * size**2 // 2**64 for j, x in enumerate(row)] for i, row in enumerate(matrix)]
            self.assertLessEqual(self.is_definite(spared), shown)
        self.assertEqual(seen, {(True, True), (False, True), (False, False)})

    def test_where_it_begins_to_be_shown(self):
        """To the last unit it is where the page's words begin to show it."""
        randomly = random.Random(8)
        for _ in range(12):
            size = randomly.randint(2, 5)
            matrix = [[0] * size for _ in range(size)]
            for i, j in itertools.combinations(range(size), 2):
                matrix[i][j] = matrix[j][i] = randomly.randint(-10**30, 10**30)
            at = lambda x: [[y + x * (i == j) for j, y in enumerate(row)] for i, row in enumerate(matrix)]

            def least(shown):
                low, high = 0, 10**32
                while high - low > 1:
                    middle = (low + high) // 2
                    low, high = (low, middle) if shown(at(middle)) else (middle, high)
                return high
            self.assertEqual(least(recheck.checkpoint.obligations.is_shown), least(self.by_page))

    def test_numbers_stay_short(self):
        """Diagonal entries far below the others are refused before anything is multiplied."""
        matrix = [[10 if i == j else 10**6000 * ((i < 40) != (j < 40)) for j in range(80)] for i in range(80)]
        self.assertFalse(recheck.checkpoint.obligations.is_shown(matrix))

    def test_both_matrices_are_needed(self):
        randomly = random.Random(6)
        for _ in range(20):
            layer = random_layer(randomly, 7, 5, "softmax")
            good = dominating(coupling(layer), randomly)
            texts = lambda of: [str(x) for x in of]
            value = lambda *of: [dict(zip(("keys", "queries", "own"), map(texts, of)))]
            recheck.checkpoint.obligations.check_multipliers(layer, value(*good))
            least = [x / 10**6 for x in good[0]]
            for bad, reason in (((least, good[1], good[2]), reasons.KEYS_WITH_QUERIES), ((good[0], least, good[2]), reasons.KEYS_WITH_QUERIES), ((good[0], good[1], least), "own"),
                                ((good[0], good[1], good[2][:-1]), "entries"), ((good[0], good[1], good[2] + [Fraction(1)]), "entries"), (([-x for x in good[0]], *good[1:]), "not positive"),
                                (([Fraction(1000, 3), *good[0][1:]], *good[1:]), "10^100"), (([Fraction(10**100), *good[0][1:]], *good[1:]), "10^100")):
                with self.subTest(reason), self.assertRaisesRegex(recheck.refusal.Reject, re.escape(reason)):
                    recheck.checkpoint.obligations.check_multipliers(layer, value(*bad))
            # keys belong to columns of N, queries to its rows
            apart = [[Fraction(10**6 * (k == 0) + Fraction(1, 10**6) * (k != 0)) for k in range(layer.d)] for _ in range(2)]
            layer.heads[0].M[:] = [[x * (i == 2 and 3 <= l < layer.n - 1) for l, x in enumerate(row)] for i, row in enumerate(layer.heads[0].M)]
            keys = [Fraction(1, 10**6)] + [Fraction(10**6)] * (layer.d - 1)
            queries = [Fraction(10**6)] + [Fraction(1, 10**6)] * (layer.d - 1)
            recheck.checkpoint.obligations.check_multipliers(layer, value(keys, queries, [Fraction(10**6)] * layer.d))
            if any(layer.heads[0].M[2][3:layer.n - 1]):
                with self.assertRaisesRegex(recheck.refusal.Reject, reasons.KEYS_WITH_QUERIES):
                    recheck.checkpoint.obligations.check_multipliers(layer, value(queries, queries[::-1], [Fraction(10**6)] * layer.d))


if __name__ == "__main__":
    unittest.main()
