#!/usr/bin/env python3
"""Tests of rule stack in tools/recheck: python3 tests/recheck/box_test.py

Polynomials are held to their values at points, the pass over the box to the small random stacks of stack_sample.py,
evaluated in floats, and certificates with the least bounds the rule gives to those bounds.
"""

import copy
import itertools
import math
import os
import random
import types
import unittest
from fractions import Fraction
from math import perm, prod

import reasons
from layer_sample import KINDS
from layer_test import CLAIM_HASH
from recheck_test import Case, patched, recheck
from stack_sample import Stack, written

UNIT = 1 << 64
LENGTH = 5
SLACK = 1e-9  # of the evaluation in floats
ALL = "SINKPROOF_ALL_MUTANTS" in os.environ  # every case with a pass of its own, for the label full


def without_letters(enclosure, first):
    """The same with letters from `first` on taken for any numbers in [-1, 1]."""
    terms, rest = {}, enclosure.rest
    for monomial, c in enclosure.terms.items():
        if max(itertools.chain(*monomial[:2], *monomial[2], (0,))) < first:
            terms[monomial] = c
        else:
            rest = [r + abs(x) * perm(enclosure.keys, len(monomial[2])) for r, x in zip(rest, c)]
    return recheck.checkpoint.enclosures.Enclosure(terms.items(), rest, enclosure.keys)


def value_at(enclosure, own, key, others):
    """What the coefficients stand for, in units of 2^-64."""
    total = [0] * len(enclosure.rest)
    for (mine, its, more), c in enclosure.terms.items():
        ways = sum(prod(token[r] for token, product in zip(chosen, more) for r in product) for chosen in itertools.permutations(others, len(more)))
        x = prod(own[r] for r in mine) * prod(key[r] for r in its) * ways
        total = [t + x * y for t, y in zip(total, c)]
    return total


class Algebra(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(7)

    def noise(self):
        corner = self.random.random() < 0.5
        return {r: self.random.choice((-1, 1)) if corner else Fraction(self.random.randint(-8, 8), 8) for r in (2, 3)}

    def point(self, keys):
        return self.noise(), self.noise(), [self.noise() for _ in range(keys)]

    def monomial(self, key=True):
        product = lambda most: tuple(sorted(self.random.choices((2, 3), k=self.random.randint(0, most))))
        return product(2), product(2) if key else (), tuple(sorted(x for x in (product(2) for _ in range(self.random.randint(0, 2))) if x))

    def enclosure(self, keys, coordinates=2, unit=UNIT, rest=0, key=True):
        terms = [(self.monomial(key), [unit * self.random.randint(-9, 9) for _ in range(coordinates)]) for _ in range(6)]
        return recheck.checkpoint.enclosures.Enclosure(terms, [self.random.randint(0, rest) for _ in range(coordinates)], keys)

    def test_products_of_values(self):
        for keys in (0, 1, 3, 4) * 5:
            p, q, (own, key, others) = self.enclosure(keys, 1), self.enclosure(keys), self.point(keys)
            found, exact = p.times(q, 99), [value_at(p, own, key, others)[0] * x for x in value_at(q, own, key, others)]
            self.assertEqual([UNIT * x for x in value_at(found, own, key, others)], exact)
            self.assertEqual(found.rest, [0, 0])
            p = self.enclosure(keys)
            exact = sum(x * y for x, y in zip(value_at(p, own, key, others), value_at(q, own, key, others)))
            self.assertEqual(UNIT * value_at(p.product(q, 99, recheck.checkpoint.enclosures.inner_only), own, key, others)[0], exact)

    def test_remainders_of_products(self):
        """They are those of the page, and hold what was cut off and rounded."""
        for keys, degree in itertools.product((0, 2, 3), range(6)):
            p, q = self.enclosure(keys, 1, 1 << 30, 1 << 33), self.enclosure(keys, 2, (1 << 33) + 1, 1 << 35)
            found, size = p.times(q, degree), {}
            for of in (p, q):
                for monomial, c in of.terms.items():
                    d = sum(map(len, (*monomial[:2], *monomial[2])))
                    n = sum(1 for _ in itertools.permutations(range(keys), len(monomial[2])))
                    size[id(of), d] = [n * abs(x) + y for x, y in zip(c, size.get((id(of), d), [0, 0]))]
            of_p, of_q = ([(d, s) for (of, d), s in size.items() if of == id(x)] for x in (p, q))
            for r in (0, 1):
                rest = p.rest[0] * q.rest[r] + q.rest[r] * sum(s[0] for _, s in of_p) + p.rest[0] * sum(s[r] for _, s in of_q)
                rest += sum(s[0] * t[r] for d, s in of_p for e, t in of_q if d + e > degree)
                rounded = sum(sum(1 for _ in itertools.permutations(range(keys), len(o))) for _, _, o in found.terms)
                self.assertGreaterEqual(found.rest[r], -(-rest // UNIT))
                self.assertLessEqual(found.rest[r], -(-rest // UNIT) + rounded)
            self.assertTrue(all(sum(map(len, (a, b, *o))) <= degree for a, b, o in found.terms))
            for _ in range(5):
                own, key, others = self.point(keys)
                x, y = value_at(p, own, key, others)[0], value_at(q, own, key, others)
                for s, t in itertools.product((-1, 1), repeat=2):
                    for z, exact, rest in zip(value_at(found, own, key, others), [(x + s * p.rest[0]) * (w + t * e) for w, e in zip(y, q.rest)], found.rest):
                        self.assertLessEqual(abs(UNIT * z - exact), UNIT * rest)

    def test_keys(self):
        for keys in (1, 2, 4) * 5:
            (own, key, others), p = self.point(keys), self.enclosure(keys, key=False, rest=5)
            seen = p.seen_from_key()
            for k in range(keys):
                self.assertEqual(value_at(seen, own, others[k], others[:k] + others[k + 1:]), value_at(p, own, key, others))
            self.assertEqual((seen.keys, seen.rest), (keys - 1, p.rest))
            q = self.enclosure(keys - 1, rest=5)
            parts = [value_at(q, own, others[k], others[:k] + others[k + 1:]) for k in range(keys)]
            total = q.over_keys(keys)
            self.assertEqual(value_at(total, own, {}, others), [sum(column) for column in zip(*parts)])
            self.assertEqual((total.keys, total.rest), (keys, [keys * x for x in q.rest]))
            self.assertEqual(value_at(p.as_key(), {}, own, others), value_at(p, own, key, others))
            alone = p.without_others()
            self.assertFalse(any(o for _, _, o in alone.terms))
            for x, y, r, before in zip(value_at(alone, own, key, []), value_at(p, own, key, others), alone.rest, p.rest):
                self.assertLessEqual(abs(x - y) + before, r)
            q = self.enclosure(keys, rest=5, key=False)
            wide = p.widened(q)
            for at, mid, e, r in zip(value_at(q, own, key, others), value_at(wide, own, key, others), q.rest, wide.rest):
                self.assertLessEqual(abs(at - mid) + e, r)
            self.assertTrue(all(x >= y for x, y in zip(wide.rest, p.rest)))
            self.assertEqual(wide.terms, p.terms)

    def test_division_rounds_outwards(self):
        for keys, by in itertools.product((0, 3), (3, 8)):
            p, (own, key, others) = self.enclosure(keys, 2, 1, 5), self.point(keys)
            half = p.divided(by)
            for x, y, e, r in zip(value_at(p, own, key, others), value_at(half, own, key, others), p.rest, half.rest):
                self.assertLessEqual(abs(Fraction(x, by) - y) + Fraction(e, by), r)
            self.assertEqual(p.scaled(by, by).terms, p.terms)
            self.assertEqual(p.scaled(-by, by).rest, p.rest)

    def test_ranges(self):
        """Of main terms the range is that over the corners; of others it holds every value."""
        signs = [dict(zip((2, 3), s)) for s in itertools.product((-1, 1), repeat=2)]
        kinds = [((), ()), ((2,), ()), ((3,), ()), ((2, 3), ()), ((), (2,)), ((), (3,)), ((2,), (2,)), ((3,), (2,)), ((3,), (3,))]
        for _ in range(40):
            main = recheck.checkpoint.enclosures.Enclosure([((*kind, ()), [self.random.randint(-9, 9)]) for kind in self.random.sample(kinds, 6)], [4], 0)
            values = [value_at(main, own, key, [])[0] for own in signs for key in signs]
            self.assertEqual(main.range(0), (min(values) - 4, max(values) + 4))
            p = self.enclosure(3, 1, 1, 5)
            low, high = p.range(0)
            for own, key, others in [self.point(3) for _ in range(10)]:
                x = value_at(p, own, key, others)[0]
                self.assertTrue(low + p.rest[0] <= x <= high - p.rest[0])
        square = recheck.checkpoint.enclosures.Enclosure([(((2, 2), (), ()), [5]), (((), (), ((2, 2),)), [-1]), (((), (), ((2, 3),)), [7])], [1], 3)
        self.assertEqual(square.range(0), (-3 - 21 - 1, 5 + 21 + 1))

    def test_totals_that_are_not_walked(self):
        """More letters than are walked, and totals too large for it, stand for both signs."""
        terms = [(((), (), ()), [1]), (((2, 3), (), ()), [4]), (((2,), (), ()), [5]), (((3,), (), ()), [-5])]
        self.assertEqual(recheck.checkpoint.enclosures.Enclosure(terms, [0]).range(0), (-13, 7))
        for name, value in (("MAX_WALKED", 1), ("MAX_WALKED_REACH", 15)):
            with self.subTest(name), patched(**{name: value}):
                self.assertEqual(recheck.checkpoint.enclosures.Enclosure(terms, [0]).range(0), (-13, 15) if name == "MAX_WALKED" else (-15, 15))

    def test_letters_are_what_they_are_defined_to_be(self):
        """At a letter's value, that of its definition, what it was substituted in has the value it had."""
        for keys, speaks in itertools.product((1, 2, 3) * 6, (False, True)):
            own, _, others = self.point(keys)
            mine = recheck.checkpoint.stack.Letter(9, self.enclosure(0 if speaks else keys, 1, key=False), False)
            its = recheck.checkpoint.stack.Letter(8, self.enclosure(keys - 1, 1), True)
            value = lambda letter, *point: {letter.number: Fraction(value_at(letter.definition, *point)[0], UNIT)}
            others = [other | value(its, own, other, others[:k] + others[k + 1:]) for k, other in enumerate(others)]
            point = (own | value(mine, own, {}, others), others[0], others[1:]) if speaks else (own | value(mine, own, {}, others), {}, others)
            product = lambda letter: tuple(sorted(self.random.choices((2, 3, letter, letter), k=self.random.randint(0, 2))))
            terms = [(product(9), product(8) if speaks else (), tuple(sorted(filter(None, (product(8), product(2)))))) for _ in range(5)]
            p = recheck.checkpoint.enclosures.Enclosure([(x, [UNIT * self.random.randint(-9, 9) for _ in range(2)]) for x in terms] + [(((), (8,), ()), [UNIT, 0])] * speaks, [3, 1], keys - speaks)
            whole = p.substituted([its, mine], 99)
            self.assertEqual((value_at(whole, *point), whole.rest, whole.keys), (value_at(p, *point), [3, 1], keys - speaks))
            left = {k for a, b, others in whole.terms for k in itertools.chain(a, b, *others if not speaks else ())}
            self.assertFalse({8, 9} & left)
            for degree in range(6):
                part = p.substituted([its, mine], degree)
                for x, y, r in zip(value_at(p, *point), value_at(part, *point), part.rest):
                    self.assertLessEqual(abs(x - y), r)
                if degree < 2:
                    self.assertEqual(part.terms, p.terms)


class Products(unittest.TestCase):
    def test_relu_times_a_value(self):
        """Of logits mostly below zero: the interval holds the products; with a multiple of itself it is nearly theirs."""
        draw, seen = random.Random(3), 0
        for trial in range(200):
            drawn = [[draw.randint(-UNIT, UNIT) for _ in range(4)] for _ in range(2)]
            drawn[0][0] = -draw.randint(0, 2 * UNIT)
            factor = draw.choice((-3, 2))
            drawn[1] = [factor * x for x in drawn[0]] if trial % 2 else drawn[1]
            logit, v = (recheck.checkpoint.enclosures.Enclosure(zip([((), (), ()), ((2,), (), ()), ((), (2,), ()), ((2,), (2,), ())], [[x] for x in c]), [0]) for c in drawn)
            head = object.__new__(recheck.checkpoint.stack.HeadInClass)
            head.model, head.of = types.SimpleNamespace(n=1, attention=recheck.checkpoint.model.ATTENTIONS["relu"]), types.SimpleNamespace(rows=draw.choice(("pre", "post")), shared=False, degree=1)
            head.logits, head.ranges, head.values, head.products = [logit], [logit.range(0)], [v], {}
            low, high = head.ranges[0]
            if not 0 < high <= -low:
                continue
            seen += 1
            (least, most), values = head.share(0, None, 1).range(0), []
            for u, w in itertools.product([Fraction(k, 8) for k in range(-8, 9)], repeat=2):
                x, y = (value_at(of, {2: u}, {2: w}, [])[0] for of in (logit, v))
                values.append(max(0, x) * y / UNIT)
            self.assertTrue(least <= min(values) and max(values) <= most)
            self.assertGreaterEqual(least, -(high * max(0, -v.range(0)[0]) // UNIT) - 2)
            self.assertLessEqual(most, high * max(0, v.range(0)[1]) // UNIT + 2)
            if trial % 2:
                self.assertLess(most if max(values) > 0 else -least, max(map(abs, values)) * Fraction(1001, 1000) + 9)
        self.assertGreater(seen, 40)


class Weights(unittest.TestCase):
    def test_shares_are_polynomials_of_the_letters(self):
        """At any values of the letters the weights of softmax lie within the remainder, which falls with the degree where the row knows its keys."""
        draw, found = random.Random(5), {}
        for degree, shared, slot, trial in itertools.product((1, 2, 3, 5), (False, True), (0, 1), range(12)):
            counts, width = [1, 3, 1] if shared else [1, 2, 0, 3, 1], draw.choice((0.05, 0.3, 1, 1.2))
            head, of_class = object.__new__(recheck.checkpoint.stack.HeadInClass), lambda k: 0 < k < len(counts) - 1
            head.of, head.last, head.letters, head.kernels = types.SimpleNamespace(shared=shared, degree=degree), len(counts) - 1, [], []
            middles, reach = [draw.uniform(-1, 1) for _ in counts], [width * draw.uniform(0.1, 1) for _ in counts]
            head.ranges, head.logits = [(int((c - r) * UNIT), int((c + r) * UNIT)) for c, r in zip(middles, reach)], [recheck.checkpoint.enclosures.Enclosure([], [0])] * len(counts)
            head.slots = [(UNIT // 3, UNIT // 3 + 1)] * slot
            head.name_logits(9)
            shares = dict(head.quotients(counts))
            for _ in range(8 * bool(shares)):
                at = [[draw.choice((-1.0, 1.0, draw.uniform(-1, 1))) for _ in range(count)] for count in counts]
                kernels = [[math.exp(c + r * x) for x in of] for c, r, of in zip(middles, reach, at)]
                total = sum(map(sum, kernels)) + slot * math.exp(1 / 3)
                own = {9 + k: of[0] for k, of in enumerate(at) if of and not of_class(k)}
                for k, share in shares.items():
                    keys = [{9 + k: x} for x in at[k]]
                    key, others = (keys[0], keys[1:]) if of_class(k) else ({}, [{10: x} for x in at[1]] if shared else [])
                    self.assertLessEqual(abs(value_at(share, own, key, others)[0] / UNIT - kernels[k][0] / total), share.rest[0] / UNIT + 1e-12)
            for share in shares.values() if shared else ():
                found.setdefault((width, degree), []).append(share.rest[0] / UNIT)
        for width in (0.05, 0.3):
            self.assertLess(max(found[width, 5]), min(max(found[width, 2]), max(found[width, 1])) / 3)


class Logistic(unittest.TestCase):
    def test_it_lies_within_the_remainder(self):
        """At any value of its letter; where logits are known well the remainder is small beside what moves."""
        draw = random.Random(7)
        for degree, width, middle in itertools.product((1, 2, 4, 6), (0.02, 0.5, 1.9), (-30, -8, -1.5, 0, 0.4, 7)):
            low, high = int((middle - width) * UNIT), int((middle + width) * UNIT)
            kernel = recheck.checkpoint.enclosures.logistic_kernel(9, False, low, high, degree)
            for x in [-1.0, 1.0] + [draw.uniform(-1, 1) for _ in range(8)]:
                plain = 1 / (1 + math.exp(-(middle + width * x)))
                self.assertLessEqual(abs(value_at(kernel, {9: x}, {}, [])[0] / UNIT - plain), kernel.rest[0] / UNIT + 1e-12)
            steepest = math.exp(-max(0, abs(middle) - width))
            self.assertLess(kernel.rest[0] / UNIT, 1e-17 + steepest * (4 * width) ** (degree + 1))
        wide = recheck.checkpoint.enclosures.logistic_kernel(9, False, -3 * UNIT, 3 * UNIT, 2)
        self.assertEqual(set(wide.terms), {((), (), ())})


class BoxCase(Case):
    def load(self, stack):
        self.write("model.safetensors", stack.file())
        self.options.models = self.folder
        recheck.hashes.file_hash.cache_clear()
        value = stack.certificate(LENGTH, None, [])["model"]
        return recheck.checkpoint.model.load_model(f"{self.folder}/model.safetensors", value, LENGTH)


class Pass(BoxCase):
    """The rows of a stack, in floats, lie in what the pass gives for them."""

    def outputs(self, model, triggers, degrees):
        """(StackRows, what stack_output gave for each)."""
        given, plain = [], recheck.checkpoint.stack.stack_output
        with patched(stack_output=lambda *arguments: given.append(plain(*arguments)) or given[-1]):
            rows = list(recheck.checkpoint.stack.stack_rows(model, triggers, *degrees))
        self.assertEqual(len(rows), len(given))
        return [(row, without_letters(out, model.n)) for row, (out, _) in zip(rows, given)]

    def held(self, stack, triggers, degrees, count=6):
        found, least = self.outputs(self.load(stack), triggers, degrees), 0
        for _ in range(count):
            tokens = {j: stack.sequence(LENGTH, j) for j in range(triggers[0], triggers[1] + 1)}
            for token in tokens[triggers[0]] if stack.random.random() < 0.7 else []:
                token[2:-1] = [x and Fraction(1 if x > 0 else -1) for x in token[2:-1]]
            exact = {}
            for j, l in itertools.product(tokens, range(stack.layers)):
                shallow = copy.copy(stack)
                shallow.layers = l + 1
                exact[j, l] = shallow.evaluate(tokens[j])
            for row, out in found:
                for j in tokens:
                    if row.of.trigger not in (None, j) or (row.of.rows == "pre" and row.i >= j):
                        continue
                    (rows, weights), noise = exact[j, row.layer], [dict(enumerate(map(float, token))) for token in tokens[j]]
                    at, here = value_at(out, noise[row.i - 1], {}, noise[1:j - 1] if row.of.shared else []), rows[row.i - 1]
                    for x, y, rest in zip(here, at, out.rest):
                        self.assertLessEqual(abs(x - y / UNIT), rest / UNIT + SLACK, (stack.attention, row.of.rows, row.layer))
                    for h, ends in enumerate(row.weights):
                        for (low, high), x in zip(ends, weights[row.layer][h][row.i - 1]):
                            self.assertTrue(low / UNIT - SLACK <= x <= high / UNIT + SLACK)
                    if row.loss is not None:
                        mean = [float(sum(column)) / (j - 1) for column in zip(*tokens[j][1:j])] if row.i == j else [0.0] * stack.n
                        loss = max(abs(x - y - stack.residual * float(z)) for x, y, z in zip(here, mean, tokens[j][row.i - 1]))
                        self.assertLessEqual(loss, row.loss / UNIT + SLACK)
                        least = max(least, loss / (row.loss / UNIT))
        return least

    def test_every_kind(self):
        """Every kind in every shape; unless all are asked for, each at one size, which differs from shape to shape."""
        sizes = (Fraction(1), Fraction(1, 8))
        shapes = ((1, 2, False, (3, 5), (2, 1)), (2, 2, True, (3, 4), (1, 1)), (2, 1, False, (4, 5), (3, 2)), (2, 2, True, (3, 5), (2, 3)))
        for seed, (attention, (layers, heads, residual, triggers, degrees)) in enumerate(itertools.product(KINDS, shapes)):
            for size in sizes if ALL else [sizes[(seed + seed // len(shapes)) % 2]]:
                with self.subTest(attention, shape=(layers, heads, residual), size=size):
                    stack = Stack(attention, layers, heads, residual, n=5, width=2, seed=seed, size=size)
                    least = self.held(stack, triggers, degrees, 3)
                    self.assertGreater(least, 0.02 if size == 1 and layers == 2 else 0.2)

    def test_polynomials_of_two_layers(self):
        """Of a linear stack of small weights little is cut off: what is left is close to its rows."""
        for seed in range(3):
            for attention, most in (("linear", 0.005), ("relu", 1)):
                stack = Stack(attention, 2, 2, True, n=4, width=2, seed=seed, size=Fraction(1, 4), biases=False)
                for row, out in self.outputs(self.load(stack), (4, 5), (5, 5)):
                    self.assertLess(max(out.rest), most * UNIT if row.of.rows != "post" else UNIT)
                self.held(stack, (4, 5), (5, 5), 20)

    def test_logits_of_a_row_that_knows_its_keys(self):
        """A key's logit is that of the row at all its keys, one of which is this one."""
        algebra = Algebra()
        algebra.setUp()
        model = self.load(Stack("linear", 1, 1, False, n=5, width=2))
        maps, keys = recheck.checkpoint.stack.head_maps(model, model.layers[0], 0), 3
        of = recheck.checkpoint.stack.row_classes(9, (keys + 2, keys + 2), 6, 1)["trigger", keys + 2]
        for _ in range(5):
            row, key = algebra.enclosure(keys, 5, key=False), algebra.enclosure(0, 5, key=False).as_key()
            first, values = algebra.enclosure(0, 5, key=False), [recheck.checkpoint.enclosures.Enclosure([], [0] * 5)] * 3
            head = recheck.checkpoint.stack.HeadInClass(model, maps, of._replace(degree=99), [first, key, row], values, 5)
            own, _, others = algebra.point(keys)
            for k in range(keys):
                y = value_at(row.mapped(maps.query), own, {}, others)
                x = value_at(key.extended(UNIT), {}, others[k], [])
                z = value_at(head.logits[1], own, others[k], others[:k] + others[k + 1:])[0]
                self.assertLessEqual(abs(z - sum(map(lambda a, b: a * b, x, y)) / UNIT), head.logits[1].rest[0])
                self.assertLess(head.logits[1].rest[0], UNIT)

    def test_others_of_a_key_are_taken_out(self):
        """What the trigger's row knows of its keys is, in a later row, remainder."""
        term = recheck.checkpoint.enclosures.Enclosure([(((2,), (2,), ((2,),)), [5, 0, 0, 0]), (((2,), (), ()), [7, 0, 0, 0])], [1] * 4, 3)
        model, of = types.SimpleNamespace(n=4, attention=recheck.checkpoint.model.ATTENTIONS["linear"]), recheck.checkpoint.stack.row_classes(6, (5, 5), 1, 1)["after", 5]
        head = types.SimpleNamespace(ranges=[(0, 0)] * 5, slots=[], is_relative=False, letters=[], weights=lambda *_: [None] * 5, share=lambda k, *_: term if k == 2 else recheck.checkpoint.enclosures.Enclosure([], [0] * 4))
        out, _ = recheck.checkpoint.stack.stack_output(model, of, 6, recheck.checkpoint.enclosures.Enclosure([], [0] * 4), [head])
        self.assertEqual((out.terms, out.rest), ({((2,), (), ()): [7, 0, 0, 0]}, [16, 1, 1, 1]))

    def test_keys_of_different_classes_stay_apart(self):
        """Three keys of one class and a key of another, each with its own noise, do not cancel, nor do letters of the row's own."""
        terms = {1: Fraction(5), 2: Fraction(-15)}
        term = lambda k: recheck.checkpoint.enclosures.Enclosure([(((), (2,), ()), [int(terms[k]), 0, 0, 0]), (((2,), (), ()), [int(terms[k]), 0, 0, 0])], [1] * 4)
        model, of = types.SimpleNamespace(n=4, attention=recheck.checkpoint.model.ATTENTIONS["linear"]), recheck.checkpoint.stack.row_classes(6, (5, 5), 1, 1)["after", 5]
        head = types.SimpleNamespace(ranges=[(0, 0)] * 5, slots=[], is_relative=False, letters=[], weights=lambda *_: [None] * 5, share=lambda k, *_: term(k) if k in terms else recheck.checkpoint.enclosures.Enclosure([], [0] * 4))
        out, _ = recheck.checkpoint.stack.stack_output(model, of, 6, recheck.checkpoint.enclosures.Enclosure([], [0] * 4), [head], 22)
        self.assertEqual((out.range(0, is_loss=True), out.rest), ((-34, 34), [4] * 4))

    def test_outputs_that_are_too_large(self):
        with self.assertRaisesRegex(recheck.refusal.Reject, "too large"):
            list(recheck.checkpoint.stack.stack_rows(self.load(Stack("linear", 1, 1, False, n=4, size=Fraction(2**30))), (3, 3), 1, 1))


class Weights(unittest.TestCase):
    def test_of_equal_remainders_the_interval_counts(self):
        head = recheck.checkpoint.stack.HeadInClass.__new__(recheck.checkpoint.stack.HeadInClass)
        head.model, head.kernels = types.SimpleNamespace(attention=recheck.checkpoint.model.ATTENTIONS["softmax"]), []
        for rest, centre in ((4, 4), (3, 4), (2, 5)):
            head.quotients = lambda counts: [(0, recheck.checkpoint.enclosures.Enclosure([(recheck.checkpoint.enclosures.CONSTANT, [5])], [rest]))]
            weight, = recheck.checkpoint.stack.HeadInClass.weights(head, [1], [(1, 7)], 1)  # 4, give or take 3
            self.assertEqual(weight.terms, {recheck.checkpoint.enclosures.CONSTANT: [centre]}, rest)


def least_bounds(stack, model, triggers, degrees):
    """A certificate with the least bounds the rule gives: losses, and of every slot floors and ceilings of all heads and of the last."""
    rows, items, (a, _) = list(recheck.checkpoint.stack.stack_rows(model, triggers, *degrees)), [], triggers
    proof, wide = {"rule": "stack", "degree": degrees[0], "row_degree": degrees[1]}, "1000"
    for name, i in (("pre", 2), ("trigger", a), ("post", a + 1)):
        mine = [row for row in rows if row.of.rows == name]
        if not mine:
            continue
        witness = {"trigger": a, "row": i, "coordinate": 0, "sign": 1, "tokens": written(stack.sequence(model.length, a))}

        def entry(family, lower, upper, **place):
            items.append({"name": f"{family}.{name}", "verdict": "enclosed", "lower": str(lower), "upper": str(upper), "witness": witness, "proof": proof} | place)
        entry("sup-loss", 0, Fraction(max(row.loss for row in mine if row.loss is not None), UNIT))
        last = (stack.layers - 1, stack.heads - 1)
        for slot, family in [(1, "bos"), (0, "null")][:2 if stack.slot else 1]:
            for place in (None, last):
                ends = [ends[slot] for row in mine if row.i > 1 for h, ends in enumerate(row.weights) if place in (None, (row.layer, h))]
                keys = {} if place is None else {"layer": place[0], "head": place[1]}
                entry(f"{family}-floor", Fraction(min(low for low, _ in ends), UNIT), wide, **keys)
                entry(f"{family}-ceiling", f"-{wide}" if stack.kernel == "linear" else 0, Fraction(max(high for _, high in ends), UNIT), **keys)
    classes = [item for item in items if item["name"].startswith("sup-loss.")]
    items.append({"name": "sup-loss", "verdict": "enclosed", "lower": "0", "upper": str(max(Fraction(item["upper"]) for item in classes)),
                  "witness": {"from": "sup-loss.pre"}, "proof": {"rule": "maximum", "of": [item["name"] for item in classes]}})
    return stack.certificate(model.length, None, items) | {"box": [["-1", "1"]], "triggers": list(triggers)}


def lessened(value, item):
    """The certificate of this property alone, its bound moved inwards by 2^-64; None where no bound may be negative."""
    side, by = ("lower", Fraction(1, UNIT)) if "floor" in item["name"] else ("upper", Fraction(-1, UNIT))
    moved = Fraction(item[side]) + by
    if moved < 0 and value["model"]["attention"] != "linear":
        return None
    return value | {"properties": [item | {side: str(moved)}]}


class Certificates(BoxCase):
    def certificate(self, stack, triggers=(3, LENGTH), degrees=(2, 1)):
        return least_bounds(stack, self.load(stack), triggers, degrees)

    def stack(self, attention="softmax", **options):
        return Stack(attention, n=5, width=2, claim_hash=CLAIM_HASH, size=Fraction(1, 2), **options)

    def followed(self, stack, triggers=(3, LENGTH), degrees=(2, 1), anew=ALL):
        """(certificate, what replaces recheck.checkpoint.stack.stack_rows: the rows it has already given, unless the pass runs anew)."""
        rows, plain = [], recheck.checkpoint.stack.stack_rows
        with patched(stack_rows=lambda *arguments: rows.extend(plain(*arguments)) or rows):
            value = self.certificate(stack, triggers, degrees)
        return value, plain if anew else lambda *_, last: [row for row in rows if row.of.rows in recheck.checkpoint.model.CLASSES[:last + 1]]

    def test_the_least_bounds_are_accepted_and_no_lesser(self):
        for attention in KINDS:
            for degrees in ((2, 1), (2, 2)):
                value, known = self.followed(self.stack(attention), (3, 4), degrees, ALL or attention == "linear")
                with patched(stack_rows=known):
                    self.assertEqual(self.check(value), (0, ""), attention)
                for item in value["properties"][:-1]:
                    if degrees[1] == 2 and not item["name"].startswith("sup-loss"):
                        continue  # looked at with the first degrees
                    with self.subTest(attention, degrees=degrees, name=item["name"]):
                        if less := lessened(value, item):
                            with patched(stack_rows=known):
                                self.rejected(less, reasons.BOUND_OF_ROW)

    def test_triggers(self):
        value = self.certificate(self.stack(), (4, 5))
        self.assertEqual(self.check(value), (0, ""))
        for triggers in ([2, 5], [5, 4], [4, 6], [4], [4, "5"], [True, 5], None):
            self.rejected(value | {"triggers": triggers}, "triggers")
        self.rejected(value | {"triggers": [5, 5]}, "trigger is out of range")
        early = copy.deepcopy(value)
        early["properties"][0]["witness"] = dict(value["properties"][0]["witness"], trigger=3, tokens=written(self.stack().sequence(LENGTH, 3)))
        self.rejected(early, "trigger is out of range")
        last = self.certificate(self.stack(), (LENGTH, LENGTH))
        self.assertEqual(self.check(last), (0, ""))
        self.assertFalse(any("post" in item["name"] for item in last["properties"]))
        post = next(item for item in value["properties"] if item["name"] == "sup-loss.post")
        self.rejected(last | {"properties": [post | {"upper": "9"}]}, reasons.NO_ROWS_AFTER_TRIGGER)

    def test_form(self):
        value = self.certificate(self.stack())
        alone = lambda **changes: value | {"properties": [value["properties"][0] | changes]}
        proof = value["properties"][0]["proof"]
        self.assertEqual(self.check(alone()), (0, ""))
        for key, g in itertools.product(("degree", "row_degree"), (0, 7, True, "1", None)):
            self.rejected(alone(proof=proof | {key: g}), "a degree")
        self.rejected(alone(proof={"rule": "stack", "degree": 1}), "lacks the key row_degree")
        self.rejected(alone(proof=proof | {"order": [0, 1]}), "unknown key")
        self.rejected(alone(proof={"rule": "layer-row"}, upper="1000"), "num_layers")
        floor = next(item for item in value["properties"] if "layer" in item)
        for place in ({"layer": 2}, {"layer": -1}, {"head": 2}):
            self.rejected(value | {"properties": [floor | place]}, reasons.OUT_OF_RANGE)
        shallow = self.certificate(self.stack(layers=1, residual=False), (3, LENGTH))
        by_trees = {"rule": "softmax-floor", "order": [0, 1], "parameters": {}, "trees": ["0", "0"]}
        mixed = [shallow["properties"][0], shallow["properties"][-1] | {"name": "bos-floor.trigger", "lower": "0", "upper": "1", "proof": by_trees, "witness": shallow["properties"][0]["witness"] | {"row": 3}}]
        self.assertEqual(self.check(shallow | {"properties": mixed}), (0, ""))
        self.rejected(shallow | {"properties": mixed, "triggers": [3, 4]}, "triggers")
        deep = self.certificate(self.stack(layers=1), (3, LENGTH))
        self.rejected(deep | {"properties": mixed}, "residual")

    def test_witnesses_of_stacks(self):
        """A residual is part of the target; a floor of one layer is about that layer."""
        stack = self.stack()
        value = self.certificate(stack)
        loss, place = value["properties"][0], {"layer": 1, "head": 0}
        floor = next(item for item in value["properties"] if "floor" in item["name"]) | place | {"lower": "0"}
        tokens = [[Fraction(x) for x in token] for token in loss["witness"]["tokens"]]
        rows, weights = stack.evaluate(tokens)
        out, bos = rows[1][4] - 1, weights[1][0][1][1]
        self.assertGreater(abs(bos - weights[0][0][1][1]), 1e-3)
        for gap, code in ((-1e-9, 0), (1e-9, 4)):
            witness = loss["witness"] | {"sign": 1 if out > 0 else -1, "coordinate": 4}
            self.assertEqual(self.check(value | {"properties": [loss | {"lower": str(Fraction(abs(out) + gap)), "witness": witness}]})[0], code)
            self.assertEqual(self.check(value | {"properties": [floor | {"upper": str(Fraction(bos - gap))}]})[0], code)

    def test_classes_that_are_not_followed(self):
        """A row that is too large later on is nothing to a property of earlier rows."""
        stack = self.stack("linear", layers=1)
        value = self.certificate(stack, (3, 4))
        given = []
        with patched(stack_output=lambda *arguments, plain=recheck.checkpoint.stack.stack_output: given.append(arguments[1].rows) or plain(*arguments)):
            for last in range(3):
                given.clear()
                self.assertEqual(self.check(value | {"properties": value["properties"][:1] + [x for x in value["properties"] if x["name"] == "sup-loss." + ("pre", "trigger", "post")[last]][:last]}), (0, ""))
                self.assertEqual(set(given), {"pre", "trigger", "post"} if last == 2 else {"pre", "trigger"} if last else {"pre"})


if __name__ == "__main__":
    unittest.main()
