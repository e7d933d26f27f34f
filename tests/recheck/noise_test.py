#!/usr/bin/env python3
"""Tests of noise boxes, rollouts and joined groups in tools/recheck: python3 tests/recheck/noise_test.py

Everything is held to the page by brute force, in fractions, at corners and at random points.
"""

import copy
import itertools
import random
import unittest
from fractions import Fraction

import reasons
from box_test import LENGTH, SLACK, UNIT, Algebra, BoxCase, least_bounds, value_at
from layer_test import CLAIM_HASH, LayerCase
from layer_test import make as layer_of
from recheck_test import patched, recheck
from stack_sample import Stack, written

half = Fraction(1, 2)
BOX = [["-1/3", "2"], ["1/4", "1/4"]]
CONVEX = ("softmax", "sigmoid-normalised", "elu1-normalised")


class Boxes(LayerCase):
    def box(self, text=BOX, n=5):
        return recheck.checkpoint.model.read_box(text, n)

    def test_the_matrix(self):
        """X maps a unit token to the token, and `folded` multiplies a row by it."""
        box, draw = self.box(), random.Random(3)
        x = [[box.x(r, g) for g in range(5)] for r in range(5)]
        for u in itertools.product((-1, 0, 1, half), repeat=2):
            for flag in (0, 1, 4):
                unit = [Fraction(k == flag) for k in range(5)]
                unit[2:4] = u if flag else (0, 0)
                token = [sum(a * b for a, b in zip(row, unit)) for row in x]
                mine = [low + (high - low) * (v + 1) / 2 for v, (low, high) in zip(u, box.intervals)] if flag else [0, 0]
                self.assertEqual(token, [unit[0], unit[1], *mine, unit[4]])
        row = [draw.randint(-9, 9) for _ in range(5)]
        self.assertEqual([Fraction(y, box.unit) for y in box.folded(row)], [sum(row[k] * x[k][g] for k in range(5)) for g in range(5)])
        self.assertEqual([self.box([["-2", "4"]]).x(r, g) for r in (2, 3) for g in (1, 2, 3, 4)], [1, 3, 0, 1, 1, 0, 3, 1])

    def test_matrices_are_of_unit_tokens(self):
        """Logits, values and gates of the layer at tokens are those of its matrices at unit tokens."""
        for attention in ("softmax", "softmax-null", "softmax-sink", "softmax-gated", "linear"):
            layer, box = layer_of(attention, 2, n=5, length=4), self.box()
            path = self.write("loaded.safetensors", layer.file())
            mine = recheck.checkpoint.model.Matrices(recheck.checkpoint.model.load_model(path, layer.model(), 4, box), (3, 4))
            x = [[box.x(r, g) for g in range(5)] for r in range(5)]
            times = lambda left, right: [[sum(a * b for a, b in zip(row, column)) for column in zip(*right)] for row in left]
            for h, head in enumerate(mine.heads):
                exact = times(list(zip(*x)), times(layer.M[h], x))
                self.assertEqual([[Fraction(y, mine.scale) for y in row] for row in head.M], exact)
                exact = times(layer.V[h], x)
                if attention == "softmax":  # V holds the bias already, which X leaves as it is: e^T X = e^T
                    bias = layer.tensors["W_O.bias"] if h == 0 else [0] * 5
                    plain = [[y - b * (g in (0, 1, 4)) for g, y in enumerate(row)] for row, b in zip(layer.V[h], bias)]
                    exact = [[y + b * (g in (0, 1, 4)) for g, y in enumerate(row)] for row, b in zip(times(plain, x), bias)]
                self.assertEqual([[Fraction(y, mine.scale) for y in row] for row in head.V], exact)
                if mine.gates:
                    self.assertEqual(mine.gates[h][0], times([layer.tensors["W_G.weight"][h]], x)[0])

    def test_rows_of_a_layer(self):
        """4.11: the least `upper` holds at all corners, and nothing smaller does where kernels are known exactly."""
        zero = [[Fraction(0)] * 5 for _ in range(5)]
        draw = random.Random(5)
        tensors = {"W_Q.weight": zero, "W_K.weight": zero, "W_V.weight": [[Fraction(int(r == k)) for k in range(5)] for r in range(5)],
                   "W_O.weight": [[Fraction(draw.randint(-9, 9), 8) for _ in range(5)] for _ in range(5)]}
        layer, box = layer_of("linear", 1, n=5, length=4, tensors=tensors), self.box()
        path = self.write("loaded.safetensors", layer.file())
        mine = recheck.checkpoint.model.Matrices(recheck.checkpoint.model.load_model(path, layer.model(), 4, box), (3, 4))
        one = (Fraction(2), Fraction(2))  # all kernels
        mine.ranges = [recheck.checkpoint.ranges.HeadRanges({}, {(f, g): one for f in (1, -1) for g in recheck.checkpoint.ranges.KEYS}, one, {f: (Fraction(1),) * 2 for f in (0, 1, -1)})]
        for rows, j, lengths in (("trigger", 3, (3,)), ("trigger", 4, (4,)), ("post", 3, (4,)), ("pre", 4, (2, 3))):
            most = Fraction(0)
            for i, noise in itertools.product(lengths, itertools.product(*box.intervals)):
                for other in itertools.product(*box.intervals):
                    tokens = [[1, 0, 0, 0, 0]] + [[0, int(k == j), *(noise if k == j else other), int(k != j)] for k in range(2, i + 1)]
                    share = [2 * sum(column) / Fraction(i - 1) for column in zip(*tokens)]
                    target = [sum(column) / Fraction(j - 1) for column in zip(*tokens[1:j])] if i == j else [0] * 5
                    out = [sum(w * y for w, y in zip(row, share)) for row in tensors["W_O.weight"]]
                    most = max([most] + [abs(x - y) for x, y in zip(out, target)])
            if rows == "trigger" and j == 3:
                shorter = most
                continue
            most = max(most, shorter) if rows == "trigger" else most
            if rows == "pre":  # row 1 is a row, too
                most = max([most] + [abs(2 * row[0]) for row in tensors["W_O.weight"]])
            statement = lambda bound: recheck.checkpoint.properties.Statement("sup-loss", rows, bound, range(1))
            recheck.checkpoint.layer_rules.layer_row(mine, statement(most))
            with self.assertRaisesRegex(recheck.refusal.Reject, reasons.UPPER_IS_TOO_SMALL):
                recheck.checkpoint.layer_rules.layer_row(mine, statement(most - Fraction(1, 10**9)))

    def test_form(self):
        for bad in (None, [], [["1", "0"]], [["0", "1"]] * 3, [["0"]], [[0, 1]], ["0", "1"], [["0", "1" * 101]], [["2/4", "1"]]):
            self.assertRaises(recheck.refusal.Reject, self.box, bad)
        primes = [p for p in range(10**80, 10**80 + 4000) if p % 2 and p % 3 and p % 5][:12]  # their product has over 400 digits
        with self.assertRaisesRegex(recheck.refusal.Reject, "over 400 digits"):
            self.box([["0", f"1/{p}"] for p in primes], len(primes) + 3)
        for text, least in (([["-1", "1"]], 1), ([["-2", "2"]], 1), ([["-2", "2"], ["-1/3", "1/3"]], Fraction(1, 3)), ([["0", "0"]], None), (BOX, None)):
            self.assertEqual(self.box(text).least, least)

    def test_theorems_speak_of_what_is_left_of_eta(self):
        for claim, least in (("tc-1", Fraction(1, 3)), ("tc-3", Fraction(1, 5)), ("tc-4", Fraction(1, 5))):
            found = recheck.checkpoint.properties.implied_by(claim, 16, Fraction(1, 100) / least)
            self.assertEqual(found, recheck.checkpoint.properties.implied_by(claim, 16, Fraction(1, 100 * least)))
            self.assertLess(found[1], recheck.checkpoint.properties.implied_by(claim, 16, Fraction(1, 100))[1])
        eta, reach = Fraction(1, 1000), Fraction(13, 30)
        self.assertEqual(recheck.checkpoint.properties.implied_by("tc-3", 16, eta), (16, 1 - 4 * eta))
        self.assertEqual(recheck.checkpoint.properties.implied_by("tc-4", 16, eta), (16, 1 - 2 * eta / (reach - 2 * eta)))

    def test_samples_are_drawn_in_the_box(self):
        box = self.box()
        (j, tokens), (j_unit, units) = (recheck.checkpoint.sampling.drawn(of, 6, (3, 6), "random", "0", 6, 3, 6)(4) for of in (box, recheck.checkpoint.model.unit_box(5)))
        self.assertEqual(j, j_unit)
        for token, unit in zip(tokens, units):
            u = [Fraction(x, recheck.checkpoint.sampling.GRID) for x in unit]
            exact = [sum(box.x(r, g) * u[g] for g in range(5)) for r in range(5)]
            self.assertEqual([Fraction(x, recheck.checkpoint.sampling.GRID * box.unit) for x in token], exact)


class LargestBoxes(LayerCase):
    """By rule `stack`, which needs no ranges."""

    def value(self, r="1/2"):
        layer = layer_of("softmax", 1)
        value = dict(self.install(layer), ranges=None, box=[[f"-{r}", r]])
        tokens = [[Fraction(0) if 2 <= k < 3 else x for k, x in enumerate(token)] for token in layer.sequence(4)]
        witness = {"trigger": 4, "tokens": written(tokens), "row": 2, "coordinate": 0, "sign": 1}
        loss = {"name": "sup-loss.pre", "verdict": "enclosed", "lower": "0", "upper": "50", "witness": witness, "proof": {"rule": "stack", "degree": 1, "row_degree": 1}}
        seen = float(layer.loss(tokens, 4, 2, 0)[0])
        witness["sign"] = 1 if seen > 0 else -1
        attained = str(Fraction(abs(seen)) - Fraction(1, 10**9))
        largest = {"name": "largest-box.sup-loss.pre", "verdict": "enclosed", "lower": r, "upper": None, "threshold": "50", "attained": None,
                   "witness": None, "proof": {"rule": "maximum", "of": ["sup-loss.pre"]}}
        return value | {"properties": [loss, largest]}, attained

    def test_floors(self):
        """A floor is at least its threshold, and what a larger box attains is less."""
        value, _ = self.value()
        floor, largest = (of | {"name": of["name"].replace("sup-loss", "bos-floor")} for of in value["properties"])
        floor["upper"], largest["proof"] = "1", {"rule": "maximum", "of": ["bos-floor.pre"]}
        change = lambda **of: value | {"properties": [floor, largest | {"threshold": "0"} | of]}
        self.assertEqual(self.check(change()), (0, ""))
        self.assertEqual(self.check(change(threshold="-1")), (0, ""))
        self.rejected(change(threshold="1/10"), reasons.NOT_SHOWN_TO_MEET)
        other = {"upper": "2", "witness": floor["witness"]}
        self.rejected(change(**other, attained="1"), reasons.ATTAINED_MEETS_THRESHOLD)
        self.rejected(change(**other, attained="-1"), reasons.DOES_NOT_ATTAIN)

    def test_accepted(self):
        value, _ = self.value()
        self.assertEqual(self.check(value), (0, ""))
        loss, largest = value["properties"]
        change = lambda **of: value | {"properties": [loss, largest | of]}
        self.assertEqual(self.check(change(threshold="51")), (0, ""))
        for of, reason in (({"threshold": "49"}, reasons.NOT_SHOWN_TO_MEET), ({"lower": "1/3"}, reasons.BOX_IS_NOT), ({"lower": "-1/2"}, reasons.BOX_IS_NOT),
                           ({"upper": "2"}, reasons.NOT_RATIONAL), ({"attained": "2"}, reasons.NOT_RATIONAL), ({"witness": loss["witness"]}, reasons.NOT_RATIONAL),
                           ({"name": "largest-box.sup-loss.post"}, reasons.DOES_NOT_NAME), ({"name": "largest-box.rollout-floor.pre"}, reasons.NO_SUCH_PROPERTY),
                           ({"proof": {"rule": "maximum", "of": []}}, reasons.DOES_NOT_NAME)):
            with self.subTest(of):
                self.rejected(change(**of), reason)
        self.rejected(value | {"box": [["-1/2", "1"]]}, reasons.BOX_IS_NOT_LOWER_LOWER)
        self.rejected(value | {"box": [["-1/2", "1/2"]] * 2}, "box")
        self.rejected(value | {"properties": [largest]}, reasons.NOT_IN_CERTIFICATE)

    def test_what_a_larger_box_attains(self):
        value, attained = self.value()
        (loss, largest), low = value["properties"], Fraction(attained) - Fraction(1, 100)
        if low <= 0:
            self.skipTest("the witness has no loss")
        floor = lambda **of: value | {"properties": [loss, largest | {"threshold": "50", "upper": "2", "attained": attained, "witness": loss["witness"]} | of]}
        self.rejected(floor(), reasons.ATTAINED_MEETS_THRESHOLD)
        self.rejected(floor(attained="51"), reasons.DOES_NOT_ATTAIN)
        self.rejected(floor(upper="1/2"), reasons.UPPER_IS_NOT_OVER_LOWER)
        for zeros, reason in ((48, reasons.ATTAINED_MEETS_THRESHOLD), (49, "more than 100 characters")):
            self.rejected(floor(upper=f"1{'0' * 48}1/1{'0' * zeros}"), reason)
        wider = copy.deepcopy(loss["witness"])
        wider["tokens"][1][2] = "2"
        self.rejected(floor(attained="51", witness=wider), reasons.DOES_NOT_ATTAIN)
        wider["tokens"][1][2] = "3"
        self.rejected(floor(attained="51", witness=wider), reasons.OUTSIDE_BOX)
        self.rejected(value | {"properties": [loss | {"witness": wider}]}, reasons.OUTSIDE_BOX)


class Rollouts(BoxCase):
    def test_means(self):
        """The ends are those of the worst weights whose sum is one, found among the vertices."""
        draw, p = random.Random(11), 6
        for _ in range(60):
            share = sorted(draw.randint(0, 64) for _ in range(3))
            exact = [b - a for a, b in zip([0, *share], [*share, 64])]
            weights = [(max(0, x - draw.randint(0, 9)), x + draw.randint(0, 9)) for x in exact]
            ranges = [tuple(sorted(draw.randint(0, 64) for _ in range(2))) for _ in exact]
            free, found = 64 - sum(a for a, _ in weights), []
            for order in itertools.permutations(range(4)):  # a vertex: all but one weight at an end
                w, left = [a for a, _ in weights], free
                for k in order:
                    grown = min(left, weights[k][1] - weights[k][0])
                    w[k], left = w[k] + grown, left - grown
                found.append([sum(x * r[side] for x, r in zip(w, ranges)) for side in (0, 1)])
            low, high = min(x for x, _ in found), max(y for _, y in found)
            self.assertEqual(recheck.checkpoint.forward.mean_range(weights, ranges, p), (low >> p, -(-high >> p)))

    def exact(self, stack, tokens):
        """The rollout of every row, in floats."""
        rows = [float(k == 0) for k in range(len(tokens))]
        for (weights,) in stack.evaluate(tokens)[1]:
            rows = [sum(w * x for w, x in zip(row[1:], rows)) for row in weights]
        return rows

    def test_rows_and_witnesses(self):
        """Rollouts of stacks lie in what the pass over the box gives, and in what that over tokens does."""
        box = recheck.checkpoint.model.read_box([["-1/2", "1/3"]], 5)
        for attention, layers in itertools.product(CONVEX, (1, 2, 3)):
            stack = Stack(attention, layers, 1, False, n=5, width=2, seed=layers, size=half)
            model = self.load(stack)
            model.box = box
            rows = [row for row in recheck.checkpoint.stack.stack_rows(model, (3, 5), 2, 1) if row.rollout]
            for j in (3, 4, 5) * 2:
                tokens = stack.sequence(LENGTH, j)
                for token in tokens[1:]:
                    token[2:-1] = [Fraction(x) * Fraction(5, 12) - Fraction(1, 12) for x in token[2:-1]]
                exact, (flat, unit) = self.exact(stack, tokens), recheck.arithmetic.over_one_unit(tokens, "it")
                for row in rows:
                    if row.of.trigger in (None, j) and (row.of.rows != "pre" or row.i < j):
                        low, high = row.rollout
                        self.assertTrue(low / UNIT - SLACK <= exact[row.i - 1] <= high / UNIT + SLACK)
                        if row.i > 1 and layers == 1:
                            self.assertLess(high - low, UNIT)
                for i in range(1, LENGTH + 1):
                    low, high = recheck.checkpoint.forward.rollout_range(recheck.checkpoint.forward.forward_pass(model, flat[:i], unit, 64, i - 1))
                    self.assertTrue(low / UNIT - SLACK <= exact[i - 1] <= high / UNIT + SLACK)
                    self.assertLess(high - low, 2**20)

    def certificate(self, stack, **options):
        model = self.load(stack)
        rows = [row for row in recheck.checkpoint.stack.stack_rows(model, (3, LENGTH), 2, 1) if row.rollout and row.i > 1]
        value, items = least_bounds(stack, model, (3, LENGTH), (2, 1)), []
        for name, i in (("pre", 2), ("trigger", 3), ("post", 4)):
            ends = [row.rollout for row in rows if row.of.rows == name]
            witness = {"trigger": 3 if i > 2 else 4, "row": i, "coordinate": 0, "sign": 1, "tokens": written(stack.sequence(LENGTH, 3 if i > 2 else 4))}
            both = {"verdict": "enclosed", "witness": witness, "proof": {"rule": "stack", "degree": 2, "row_degree": 1}}
            items += [both | {"name": f"rollout-floor.{name}", "lower": str(Fraction(min(x for x, _ in ends), UNIT)), "upper": "1"},
                      both | {"name": f"rollout-ceiling.{name}", "lower": "0", "upper": str(Fraction(max(y for _, y in ends), UNIT))}]
        eta = value["properties"][-1]["upper"]
        theorem = {"name": "theorem.tc-4", "verdict": "not-applicable", "claim": "tc-4", "eta": eta, "parameter": None, "implied": None, "certified": None,
                   "proof": {"rule": "theorem", "floors": ["rollout-floor.pre", "rollout-floor.post"]}}
        return value | {"properties": value["properties"] + items + [theorem]}, items, theorem

    def test_certificates(self):
        for attention in CONVEX:
            stack = Stack(attention, 2, 1, False, n=5, width=2, claim_hash=CLAIM_HASH, size=half)
            value, items, theorem = self.certificate(stack)
            with patched(Matrices=None):  # of a stack's certificate none are made, nor paid for
                self.assertEqual(self.check(value), (0, ""))
            for item in items:
                side, by = ("lower", Fraction(1, UNIT)) if "floor" in item["name"] else ("upper", Fraction(-1, UNIT))
                self.rejected(value | {"properties": [item | {side: str(Fraction(item[side]) + by)}]}, reasons.BOUND_OF_ROW)
                tokens = [[Fraction(x) for x in token] for token in item["witness"]["tokens"]]
                seen = self.exact(stack, tokens)[item["witness"]["row"] - 1]
                for gap, code in ((-1e-9, 0), (1e-9, 4)):
                    end = {"upper": str(Fraction(seen - gap))} if "floor" in item["name"] else {"lower": str(Fraction(seen + gap))}
                    self.assertEqual(self.check(value | {"properties": [item | {"lower": "0", "upper": "1"} | end | ({"lower": "0"} if "floor" in item["name"] else {"upper": "1"})]})[0], code)
            self.rejected(value | {"properties": [items[0] | {"layer": 0, "head": 0}]}, "unknown key")
            self.rejected(value | {"properties": value["properties"][:-1] + [theorem | {"verdict": "proved"}]}, reasons.DOES_NOT_APPLY)
            self.rejected(value | {"triggers": [3, 4]}, "")
        for options in ({"heads": 2}, {"residual": True}):
            stack = Stack("softmax", 2, **({"heads": 1, "residual": False} | options), n=5, width=2, claim_hash=CLAIM_HASH, size=half)
            self.load(stack)
            self.rejected(stack.certificate(LENGTH, None, [items[0]]) | {"box": [["-1", "1"]], "triggers": [3, LENGTH]}, reasons.NO_SUCH_PROPERTY)


class Joined(unittest.TestCase):
    def setUp(self):
        self.algebra = Algebra()
        self.algebra.setUp()

    def values(self, p, keys, corners):
        """Of all own noise, and of each key's, at corners or at random points."""
        if corners:
            noise = [{2: x, 3: y} for x, y in itertools.product((-1, 1), repeat=2)]
            for own, *others in itertools.product(noise, repeat=1 + keys):
                yield value_at(p, own, {}, others)[0]
        for _ in range(12):
            own, _, others = self.algebra.point(keys)
            yield value_at(p, own, {}, others)[0]

    def test_ranges_hold_every_value(self):
        draw = random.Random(2)
        joined = [((2,),), ((3,),), ((2, 2),), ((2, 3),), ((3, 3),), ((2,), (2,)), ((2,), (3,)), ((3,), (3,))]
        better = 0
        for k, keys in enumerate((1, 2, 3, 4) * 12):
            terms = [((own, (), others), [draw.randint(-9, 9)]) for others in joined for own in ((), (2,), (3,), (2, 3)) if draw.random() < 0.5]
            terms += [((own, (), ()), [draw.randint(-9, 9)]) for own in ((), (2,), (3,), (2, 3))] + [(((2, 2), (), ((2, 2),)), [draw.randint(-9, 9)]), (((2,), (), ((2, 2, 3), (3,))), [3])] * (k % 2)
            terms += [((own, (), (other,)), [draw.randint(-9, 9)]) for own in ((3, 3), (2, 2, 3)) for other in ((2, 2), (3, 3))] * (k % 3 == 1)
            p, plain = recheck.checkpoint.enclosures.Enclosure(terms, [0], keys), None
            for r in (0, 1, 2, 3, 4):
                full = recheck.checkpoint.enclosures.Enclosure([(m, [0] * r + c) for m, c in p.terms.items()], [0] * (r + 1), keys)
                low, high = full.range(r, is_loss=True)
                plain = full.range(r)
                better += high - low < plain[1] - plain[0]
                for x in self.values(p, keys, keys < 4):
                    self.assertTrue(low <= x <= high, (r, keys, low, x, high, terms))
        self.assertGreater(better, 100)

    def test_what_is_exact(self):
        """A square of letter r's mean, alone; a letter beside a coordinate that no group is about."""
        keys = 4
        square = recheck.checkpoint.enclosures.Enclosure([(((), (), ((2, 2),)), [0, 0, 3]), (((), (), ((2,), (2,))), [0, 0, 3])], [0] * 3, keys)  # 3 (sum of x)^2
        low, high = square.range(2, is_loss=True)
        self.assertEqual((low, high), (0, 48))  # 16 squares, 3 each
        self.assertEqual(square.range(0, is_loss=True), (0, 0))
        bent = recheck.checkpoint.enclosures.Enclosure([(((), (), others), [0, 0, c]) for others, c in ((((2,),), 12), (((2, 2),), -1), (((2,), (2,)), -1))], [0] * 3, 8)
        self.assertEqual(bent.range(2, is_loss=True), (-96 - 64, 72 - 32))  # 12 S - S^2, S the sum of x: 36 at seven 1 and one -1
        alone = recheck.checkpoint.enclosures.Enclosure([(((), (), ((2,),)), [5] * 4)], [0] * 4, keys)
        for r in range(4):
            self.assertEqual(alone.range(r, is_loss=True), (-20, 20))
        pair = recheck.checkpoint.enclosures.Enclosure([(((), (), ((2, 3),)), [3]), (((), (), ((2,), (3,))), [3])], [0], keys)  # 3 (sum of x) (sum of y)
        self.assertEqual(pair.range(0, is_loss=True), (-48, 48))

    def test_squares_stay_beside_powers(self):
        """u u (sum of x^2) + (sum of x^2): half of the first is kept for the squares of one key, and its other half is a remainder."""
        beside, keys = ((2, 2), (), ((3, 3),)), 2
        p = recheck.checkpoint.enclosures.Enclosure([(beside, [4]), (((), (), ((3, 3),)), [4])], [0], keys)
        self.assertEqual(p.range(0, is_loss=True), (0 - 4, 8 + 4 + 4))  # 12 x^2, 8 of them from the second term; -+ 4
        self.assertEqual(p.range(0), (0, 16))  # elsewhere nothing is left of the first
        opposed = recheck.checkpoint.enclosures.Enclosure([(beside, [8]), (((), (), ((3, 3),)), [-4])], [0], keys)
        self.assertEqual(opposed.range(0, is_loss=True), (-8, 8))  # 8 - 8 are kept; at u = 0 and at u = 1 it is attained
        self.assertEqual(opposed.range(0), (-8, 16))
        odd = recheck.checkpoint.enclosures.Enclosure([(((2, 2, 2), (), ((3, 3),)), [4]), (((2,), (), ((3, 3),)), [-2])], [0], keys)
        self.assertEqual(odd.range(0, is_loss=True), (-4, 4))  # kept: 8/2 - 4 = 0; u^3 - u/2 is at most 1/2
        for q in (p, opposed, odd):
            low, high = q.range(0, is_loss=True)
            grid = itertools.product((-1, -0.5, 0, 0.5, 1), repeat=1 + keys)
            for u, *others in grid:
                self.assertTrue(low <= value_at(q, {2: u, 3: 0}, {}, [{2: 0, 3: x} for x in others])[0] <= high)

    def test_too_large_to_walk(self):
        huge = 1 << 119
        p = recheck.checkpoint.enclosures.Enclosure([(((), (), ((2, 2),)), [huge]), (((), (), ()), [-huge])], [0], 3)
        self.assertEqual(p.range(0, is_loss=True), (-4 * huge, 4 * huge))
        self.assertEqual(recheck.checkpoint.enclosures.Enclosure(p.terms.items(), [0], 1).range(0, is_loss=True), (-huge, 0))


if __name__ == "__main__":
    unittest.main()
