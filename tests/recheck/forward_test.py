#!/usr/bin/env python3
"""Tests of tools/recheck on the forward pass and on given inputs: python3 tests/recheck/forward_test.py

Stacks of stack_sample.py, of every kind of attention, with one and two layers and heads.
"""

import copy
import hashlib
import itertools
import struct
import unittest
from fractions import Fraction

import reasons
import stack_sample
from layer_sample import KINDS
from layer_test import CLAIM_HASH, LayerCase, make
from recheck_test import patched, recheck, safetensors
from stack_sample import KINDS_OF_STACKS, Stack, sink_share, value, written

TINY = Fraction(1, 2**2200)
PRECISIONS = (64, 128, 256, 512, 1024, 2048)
LENGTH = 4


def stack(*arguments, **options):
    return Stack(*arguments, claim_hash=CLAIM_HASH, **options)


class ForwardCase(LayerCase):
    def place(self, sample):
        """The model beside the certificate."""
        self.write("model.safetensors", sample.file())
        recheck.hashes.file_hash.cache_clear()
        return sample

    def model(self, sample, length=LENGTH):
        path = self.write("loaded.safetensors", sample.file())
        return recheck.checkpoint.model.load_model(path, sample.certificate(length, None, [])["model"], length)

    def passed(self, sample, tokens, p, first=0):
        return recheck.checkpoint.forward.forward_pass(self.model(sample), *recheck.arithmetic.over_one_unit(tokens, "it"), p, first)


class Numbers(ForwardCase):
    def test_the_pass_is_the_page_s(self):
        """Every centre, radius and range of section 4.6, bit by bit."""
        for attention, layers, heads, residual in KINDS_OF_STACKS:
            sample = stack(attention, layers, heads, residual, n=5, biases=heads == 2)
            tokens = sample.sequence(LENGTH, 3)
            for p in (64, 128):
                with self.subTest(f"{attention} {layers} {heads} {residual} {p}"):
                    found, (rows, weights) = self.passed(sample, tokens, p), sample.page_pass(tokens, p)
                    self.assertEqual(list(zip(*found.rows)), rows)
                    self.assertEqual(found.weights, weights)

    def test_wide_balls(self):
        """Weights so large that radii count in every term; only a pass that does not fail says anything."""
        shown = 0
        for attention, exponent, scale in itertools.product(KINDS, (4, 8, 12), (Fraction(2, 3), Fraction(1, 2**60))):
            sample = stack(attention, 2, 2, True, size=Fraction(2)**exponent, scale=scale, seed=exponent)
            tokens = sample.sequence(LENGTH, 3)
            found, page = self.passed(sample, tokens, 64), sample.page_pass(tokens, 64)
            self.assertEqual(found is None, page is None)
            if page:
                shown += max(found.rows.radii) > 1 << 40
                self.assertEqual((list(zip(*found.rows)), found.weights), page)
        self.assertGreater(shown, 10)

    def test_what_is_too_large(self):
        for row, radius in (([0, 1 << 128], 0), ([-(1 << 128), 0], 0), ([0, 0], 1 << 128)):
            self.assertRaises(recheck.checkpoint.forward.Failure, recheck.checkpoint.forward.bounded, recheck.checkpoint.forward.Balls([[0, 0], row], [0, radius]), 64)
        near = (1 << 128) - 1
        balls = recheck.checkpoint.forward.Balls([[near, -near]], [near])
        self.assertEqual(recheck.checkpoint.forward.bounded(balls, 64), balls)

    def test_floats_lie_within(self):
        """A plain evaluation in floats, and how narrow the enclosures are."""
        for attention, layers, heads, residual in KINDS_OF_STACKS:
            sample = stack(attention, layers, heads, residual, n=6, seed=2)
            tokens = sample.sequence(LENGTH, 4)
            rows, weights = sample.evaluate(tokens)
            for p in (64, 256):
                found = self.passed(sample, tokens, p)
                with self.subTest(f"{attention} {layers} {heads} {residual} {p}"):
                    for row, centres, radius in zip(rows, *found.rows):
                        self.assertLess(radius, 1 << 24)
                        for x, c in zip(row, centres):
                            self.assertLess(abs(Fraction(x) - Fraction(c, 1 << p)), Fraction(1, 10**12))
                    for l, h, i in itertools.product(range(layers), range(heads), range(LENGTH)):
                        self.assertEqual(len(found.weights[l][h][i]), i + 2)
                        for x, (a, b) in zip(weights[l][h][i], found.weights[l][h][i]):
                            self.assertTrue(0 <= b - a < 1 << 24)
                            self.assertLess(abs(Fraction(x) - Fraction(a + b, 2 << p)), Fraction(1, 10**12))

    def test_enclosures_are_nested_in_truth(self):
        """What a pass at 512 bits says lies within what a pass at 64 bits says."""
        for attention, layers, heads, residual in KINDS_OF_STACKS:
            sample = stack(attention, layers, heads, residual, seed=4)
            tokens = sample.sequence(LENGTH, 3)
            wide, narrow = self.passed(sample, tokens, 64), self.passed(sample, tokens, 512)
            for row, radius, row2, radius2 in zip(*wide.rows, *narrow.rows):
                for c, d in zip(row, row2):
                    self.assertLessEqual((c - radius) << 448, d - radius2)
                    self.assertGreaterEqual((c + radius) << 448, d + radius2)
            for of, of2 in zip(itertools.chain(*itertools.chain(*wide.weights)), itertools.chain(*itertools.chain(*narrow.weights))):
                for (a, b), (a2, b2) in zip(of, of2):
                    self.assertTrue(a << 448 <= a2 <= b2 <= b << 448)

    def test_the_last_row_alone(self):
        for attention, layers, heads, residual in KINDS_OF_STACKS:
            sample = stack(attention, layers, heads, residual)
            tokens = sample.sequence(LENGTH, 3)
            whole, last = self.passed(sample, tokens, 64), self.passed(sample, tokens, 64, LENGTH - 1)
            self.assertEqual(last.rows, recheck.checkpoint.forward.Balls(whole.rows.rows[-1:], whole.rows.radii[-1:]))
            self.assertEqual(last.weights[:-1], whole.weights[:-1])
            self.assertEqual(last.weights[-1], [of_head[-1:] for of_head in whole.weights[-1]])

    def test_passes_that_fail(self):
        """Weights of 2^70 leave no room at 64 bits, those of 2^400 at 512; the page's pass fails where this one does."""
        for attention in ("softmax", "softmax-null", "softmax-sink", "linear", "elu1"):
            for exponent in (10, 70, 200, 400):
                sample = stack(attention, 1, 1, True, size=Fraction(2)**exponent, width=1)
                tokens, seen = sample.sequence(3, 3), []
                for p in (64, 128, 512, 2048):
                    found, page = self.passed(sample, tokens, p), sample.page_pass(tokens, p)
                    self.assertEqual(found is None, page is None)
                    if page:
                        self.assertEqual((list(zip(*found.rows)), found.weights), page)
                    seen.append(page is not None)
                self.assertEqual(seen, sorted(seen))
                self.assertEqual((seen[0], seen[-1]), (exponent == 10, True), attention)

    def test_sinks_of_every_size(self):
        """The null slot's logit is rounded outward, and one of those whose ends make a pass fail."""
        small = Fraction(0.3) / 2**30  # has bits below 2^-64
        for z, fails in ((2**64, True), (-2**64, True), (2**64 - 2**11, False), (2**11 - 2**64, False), (small, False), (-small, False)):
            sample = stack("softmax-sink", 1, 2)
            sample.tensors["layers.0.sinks"][1] = Fraction(z)
            tokens = sample.sequence(3, 3)
            found, page = self.passed(sample, tokens, 64), sample.page_pass(tokens, 64)
            self.assertEqual((found is None, page is None), (fails, fails))
            if page:
                self.assertEqual((list(zip(*found.rows)), found.weights), page)
            self.assertIsNotNone(self.passed(sample, tokens, 128))

    def test_far_logits(self):
        """E+ and E- at 0, at and beyond -p 2^p, and far beyond for the logistic function."""
        for p in (64, 128):
            self.assertEqual([recheck.checkpoint.forward.exp_end(0, up, p) for up in (False, True)], [2**p, 2**p])
            for x in (0, -1, -2**p, -p * 2**p, -p * 2**p - 1, -5000 * 2**p, -2**p * 44 - 77):
                for up in (False, True):
                    self.assertEqual(recheck.checkpoint.forward.exp_end(x, up, p), stack_sample.exp_of(x, up, p))
                    for y in (x, -x):
                        self.assertEqual(recheck.checkpoint.forward.logistic_end(y, up, p), stack_sample.logistic_of(y, up, p))


class Values(ForwardCase):
    def ends(self, sample, tokens, p):
        """(readout, lower, upper) for readouts of every kind, from the page's pass."""
        (rows, weights), unit, length = sample.page_pass(tokens, p), 2**p, len(tokens)
        for i, r in ((1, 0), (length, 2), (2, sample.n - 1)):
            c, radius = rows[i - 1]
            yield {"kind": "output", "row": i, "coordinate": r}, Fraction(c[r] - radius, unit), Fraction(c[r] + radius, unit)
        for i, j in ((length, length), (3, 3), (2, 3)):
            (c, radius), low, high = rows[i - 1], [], []
            for r in range(sample.n):
                wanted = sum(token[r] for token in tokens[1:j]) / (j - 1) if i == j else Fraction(0)
                wanted += tokens[i - 1][r] if sample.residual else 0
                a, b = Fraction(c[r] - radius, unit) - wanted, Fraction(c[r] + radius, unit) - wanted
                low.append(max(a, -b, Fraction(0)))
                high.append(max(abs(a), abs(b)))
            yield {"kind": "loss", "row": i, "trigger": j}, max(low), max(high)
        for l, h in itertools.product(range(sample.layers), range(sample.heads)):
            for i, k in ((2, 1), (length, length), (length, 1)) + (((3, 0),) if sample.slot else ()):
                a, b = weights[l][h][i - 1][k]
                yield {"kind": "attention", "layer": l, "head": h, "row": i, "key": k}, Fraction(a, unit), Fraction(b, unit)
            for k in (1, 2, length):
                ends = [weights[l][h][i - 1][k] for i in range(k, length + 1)]
                a, b = (Fraction(sum(x), unit * (length - k + 1)) for x in zip(*ends))
                yield {"kind": "alpha", "layer": l, "head": h, "position": k}, a, b

    def test_every_readout_of_every_kind(self):
        """The ends of the pass at 64 bits are shown by it, and those at 2048 bits at last; nothing tighter is."""
        for attention, layers, heads, residual in KINDS_OF_STACKS:
            sample = self.place(stack(attention, layers, heads, residual))
            tokens = sample.sequence(LENGTH, 3)
            inputs = {"sequences": [written(tokens)]}
            items = [value(f"a{k}", low, high, **readout) for k, (readout, low, high) in enumerate(self.ends(sample, tokens, 64))]
            certificate = sample.certificate(LENGTH, inputs, items)
            with self.subTest(f"{attention} {layers} {heads} {residual}"):
                self.assertEqual(self.check(certificate), (0, ""))
        last = [value(f"a{k}", low, high, **readout) for k, (readout, low, high) in enumerate(self.ends(sample, tokens, 2048))]
        self.assertEqual(self.check(sample.certificate(LENGTH, inputs, last)), (0, ""))
        for item in last:
            for key, by in (("lower", TINY), ("upper", -TINY)):
                changed = dict(item)
                changed[key] = str(Fraction(item[key]) + by)
                if Fraction(changed["lower"]) <= Fraction(changed["upper"]):
                    self.rejected(sample.certificate(LENGTH, inputs, [changed]), reasons.NOT_WITHIN_ITS_BOUNDS)
                else:
                    self.rejected(sample.certificate(LENGTH, inputs, [changed]), reasons.LOWER_IS_OVER_UPPER)

    def test_one_sequence_or_all(self):
        sample = self.place(stack("softmax-null"))
        sequences = [sample.sequence(LENGTH, 3) for _ in range(3)]
        inputs, readout = {"sequences": list(map(written, sequences))}, {"kind": "output", "row": 4, "coordinate": 1}
        outputs = [Fraction(sample.evaluate(tokens)[0][3][1]) for tokens in sequences]
        near = Fraction(1, 10**9)
        bounds = min(outputs) - near, max(outputs) + near
        self.assertGreater(bounds[1] - bounds[0], 10 * near)
        self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [value("all", *bounds, **readout)])), (0, ""))
        for k, x in enumerate(outputs):
            one = value("one", x - near, x + near, **readout, sequence=k)
            self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [one, value("all", *bounds, **readout)])), (0, ""))
            one["readout"]["sequence"] = (k + 1) % 3
            self.rejected(sample.certificate(LENGTH, inputs, [one]), f"value.one: sequence {(k + 1) % 3}: not within")
            one["readout"]["sequence"] = None
            self.rejected(sample.certificate(LENGTH, inputs, [one]), "not within")

    def test_what_a_readout_may_be(self):
        sample = self.place(stack("softmax-null"))
        inputs = {"sequences": [written(sample.sequence(LENGTH, 3))]}
        for readout, bad in (({"kind": "output", "row": 4, "coordinate": 3}, {"row": (0, 5, "1", None, True), "coordinate": (-1, 4, None)}),
                             ({"kind": "loss", "row": 1, "trigger": 4}, {"row": (0, 5), "trigger": (2, 5, None, "3")}),
                             ({"kind": "attention", "layer": 1, "head": 1, "row": 3, "key": 0}, {"layer": (-1, 2, None), "head": (-1, 2), "row": (0, 5, "3"), "key": (-1, 4)}),
                             ({"kind": "alpha", "layer": 0, "head": 0, "position": 4}, {"layer": (2,), "head": (2,), "position": (0, 5, None)})):
            good = value("it", -100, 100, **readout)
            self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [good])), (0, ""))
            for key, values in (bad | {"kind": ("weight", None, [], 0), "sequence": (1, -1, "0", True)}).items():
                for x in values:
                    with self.subTest(f"{readout['kind']} {key} {x!r}"):
                        changed = value("it", -100, 100, **(readout | {key: x}))
                        self.rejected(sample.certificate(LENGTH, inputs, [changed]), "property value.it: ")
            for key in good["readout"]:
                lacking = dict(good, readout={name: x for name, x in good["readout"].items() if name != key})
                self.rejected(sample.certificate(LENGTH, inputs, [lacking]), "readout")
            self.rejected(sample.certificate(LENGTH, inputs, [dict(good, readout=good["readout"] | {"zz": 1})]), "zz")
        for key in good:
            lacking = {name: x for name, x in good.items() if name != key}
            self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [lacking]))[0], 4)
        for changes in ({"verdict": "proved"}, {"proof": {"rule": "forward", "order": []}}, {"proof": {"rule": "layer-attention"}}, {"lower": "101"}, {"lower": 0}, {"zz": 1}, {"readout": None}, {"layer": 0, "head": 0}):
            with self.subTest(str(changes)):
                self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [good | changes]))[0], 4)
        for label in ("", "A", ".a", "-a", "a" * 61, "a b", "\u00e9"):
            self.rejected(sample.certificate(LENGTH, inputs, [dict(good, name=f"value.{label}")]), reasons.NO_SUCH_PROPERTY)
        for name in ("sup-loss", "sup-loss.pre", "bos-floor.pre", "theorem.tc-1", "theorem.tc-2", "value", "sink-shares"):
            self.rejected(sample.certificate(LENGTH, inputs, [dict(good, name=name)]), reasons.NO_SUCH_PROPERTY)
        self.rejected(sample.certificate(LENGTH, inputs, [good, good]), "twice")
        no_null = self.place(stack("softmax"))
        self.rejected(no_null.certificate(LENGTH, inputs, [value("it", -9, 9, kind="attention", layer=0, head=0, row=2, key=0)]), "readout.key")


class Certificates(ForwardCase):
    def test_every_kind(self):
        """Those of agreement_test.py: the ends of the pass at 64 bits."""
        for kind in KINDS_OF_STACKS:
            data, certificate = stack_sample.certified(*kind, 1, CLAIM_HASH)
            self.write("model.safetensors", data)
            recheck.hashes.file_hash.cache_clear()
            with self.subTest(str(kind)):
                self.assertEqual(self.check(certificate), (0, ""))
                for item in certificate["properties"]:
                    changed = dict(item, lower=item["upper"], upper=item["lower"])
                    if changed != item:
                        self.rejected(dict(certificate, properties=[changed]), reasons.LOWER_IS_OVER_UPPER)


class Shares(ForwardCase):
    def alphas(self, sample, sequences, k):
        """In floats."""
        for tokens in sequences:
            _, weights = sample.evaluate(tokens)
            for of_head in itertools.chain(*weights):
                rows = [row[k] for row in of_head[k - 1:]]
                yield sum(rows) / len(rows)

    def test_every_kind(self):
        for attention, layers, heads, residual in KINDS_OF_STACKS:
            sample = self.place(stack(attention, layers, heads, residual, seed=6))
            sequences = [sample.sequence(LENGTH, 3) for _ in range(3)]
            for k in (1, 3):
                found = sorted(self.alphas(sample, sequences, k))
                middle = len(found) // 2
                epsilon, above = Fraction((found[middle - 1] + found[middle]) / 2), len(found) - middle
                self.assertGreater(found[middle] - found[middle - 1], 1e-9)
                share = Fraction(above, len(found))
                certify = lambda lower, upper: sample.certificate(LENGTH, {"sequences": list(map(written, sequences))}, [sink_share(lower, upper, epsilon, k)])
                with self.subTest(f"{attention} {layers} {heads} {residual} {k}"):
                    self.assertEqual(self.check(certify(share, share)), (0, ""))
                    self.assertEqual(self.check(certify(0, 1)), (0, ""))
                    self.rejected(certify(share + TINY, 1), reasons.LOWER_IS_MORE)
                    self.rejected(certify(0, share - TINY), reasons.UPPER_IS_LESS)

    def test_open_alphas(self):
        """With all logits 0 the weights of row 3 are 1/3: at epsilon = 1/3 no p decides."""
        sample = stack("softmax", scale=Fraction(1))
        for name in list(sample.tensors):
            if "W_Q" in name:
                sample.tensors[name] = [[Fraction(0)] * 4] * 6 if name.endswith("weight") else [Fraction(0)] * 6
        self.place(sample)
        inputs = {"sequences": [written(sample.sequence(3, 3))]}
        certify = lambda lower, upper: sample.certificate(3, inputs, [sink_share(lower, upper, Fraction(1, 3), 3)])
        self.assertEqual(self.check(certify(0, 1)), (0, ""))
        self.rejected(certify(TINY, 1), reasons.LOWER_IS_MORE)
        self.rejected(certify(0, 1 - TINY), reasons.UPPER_IS_LESS)

    def test_exactly_epsilon(self):
        """elu1 with all logits 0: alpha is 1/2, which is not above 1/2 and above anything less."""
        sample = stack("elu1", scale=Fraction(1))
        for name in list(sample.tensors):
            if "W_Q" in name:
                sample.tensors[name] = [[Fraction(0)] * 4] * 6 if name.endswith("weight") else [Fraction(0)] * 6
        self.place(sample)
        inputs = {"sequences": [written(sample.sequence(3, 3))]}
        certify = lambda share, epsilon: sample.certificate(3, inputs, [sink_share(share, share, epsilon, 3)])
        for share, epsilon in ((0, Fraction(1, 2)), (0, Fraction(1, 2) + TINY), (1, Fraction(1, 2) - TINY)):
            self.assertEqual(self.check(certify(share, epsilon)), (0, ""))
            self.assertEqual(self.check(certify(1 - share, epsilon))[0], 4)

    def test_a_pass_that_fails_to_the_end(self):
        """Logits of 2^2300 at no p: every alpha is open, and no readout is shown."""
        sample = self.place(stack("softmax", 1, 1, True, size=Fraction(2)**1000, scale=Fraction(2)**300))
        inputs = {"sequences": [written(sample.sequence(LENGTH, 3))]}
        certify = lambda item: sample.certificate(LENGTH, inputs, [item])
        self.assertEqual(self.check(certify(sink_share(0, 1, Fraction(3, 10)))), (0, ""))
        self.rejected(certify(sink_share(0, 1 - TINY, Fraction(3, 10))), reasons.UPPER_IS_LESS)
        self.rejected(certify(value("it", 0, 1, kind="attention", layer=0, head=0, row=1, key=1)), reasons.NOT_WITHIN_ITS_BOUNDS)

    def test_fields(self):
        sample = self.place(stack("elu1"))
        inputs = {"sequences": [written(sample.sequence(LENGTH, 3))]}
        good = sink_share(0, 1, Fraction(3, 10))
        self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [good])), (0, ""))
        self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [dict(good, epsilon="-5", upper="2")])), (0, ""))
        for key in good:
            lacking = {name: x for name, x in good.items() if name != key}
            self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [lacking]))[0], 4)
        for changes in ({"verdict": "proved"}, {"epsilon": "0.3"}, {"epsilon": 0}, {"position": 0}, {"position": LENGTH + 1}, {"position": "1"}, {"lower": "-1"}, {"lower": "1", "upper": "1/2"}, {"zz": 1}):
            with self.subTest(str(changes)):
                self.assertEqual(self.check(sample.certificate(LENGTH, inputs, [good | changes]))[0], 4)
        self.rejected(sample.certificate(LENGTH, inputs, [good, dict(good, epsilon="1/2")]), "twice")


class Inputs(ForwardCase):
    WIDE = ("it", -100, 100)

    def drawn(self, sample, length, seed, i):
        """Section 4.18: sequence i of {count, seed}."""
        sha256 = hashlib.sha256(sample.file()).hexdigest()
        text = lambda b: "".join(f"{line}\n" for line in ("sinkproof inputs", sha256, length, seed, i, b))
        data = b"".join(hashlib.sha256(text(b).encode()).digest() for b in range(2 + length * sample.n // 8))
        words = [256 * high + low for high, low in zip(data[::2], data[1::2])]
        c = length - 2
        first = next(k for k, w in enumerate(words) if w < c * (65536 // c))
        j, words = 3 + words[first] % c, iter(words[first + 1:])
        tokens = [[Fraction(k == 0) for k in range(sample.n)]]
        for k in range(2, length + 1):
            noise = [Fraction(2 * next(words) + 1 - 65536, 65536) for _ in range(sample.n - 3)]
            tokens.append([Fraction(0), Fraction(k == j), *noise, Fraction(k != j)])
        return tokens

    def exactly(self, sample, tokens):
        """A readout of the last row, and narrow bounds on it for these tokens."""
        x = Fraction(sample.evaluate(tokens)[0][-1][2])
        return x - Fraction(1, 10**9), x + Fraction(1, 10**9)

    def test_drawn_sequences(self):
        sample, readout = self.place(stack("softmax", n=5)), {"kind": "output", "row": 6, "coordinate": 2}
        for seed in (0, 7, 2**63 - 1):
            items = []
            for i in range(3):
                items.append(value(f"s{i}", *self.exactly(sample, self.drawn(sample, 6, seed, i)), **readout, sequence=i))
            good = sample.certificate(6, {"count": 3, "seed": seed}, items)
            self.assertEqual(self.check(good), (0, ""))
            self.rejected(dict(good, inputs={"count": 3, "seed": 5}), "not within")
        for inputs in ({"count": 0, "seed": 0}, {"count": True, "seed": 0}, {"count": 3, "seed": -1}, {"count": 3, "seed": 2**63}, {"count": 3, "seed": "0"}, {"count": 3}, {"count": 3, "seed": 0, "zz": 0},
                       {"count": "3", "seed": 0}, {"count": 16777216 // 6 // 4 + 1, "seed": 0}, [], None, {}):
            with self.subTest(str(inputs)):
                self.assertEqual(self.check(dict(good, inputs=inputs))[0], 4)
        wide = [value(*self.WIDE, kind="output", row=1, coordinate=0)]
        self.rejected(sample.certificate(2, {"count": 1, "seed": 0}, wide), "no sequences")
        self.rejected(sample.certificate(1025, {"count": 1, "seed": 0}, wide), reasons.LENGTH_IS_OVER_1024)
        thin = self.place(stack("softmax", n=3))
        self.rejected(thin.certificate(3, {"count": 1, "seed": 0}, wide), "no sequences")
        thin = self.place(stack("softmax", n=1))
        one = thin.certificate(1, {"sequences": [[["5/3"]]]}, wide)
        self.assertEqual(self.check(one), (0, ""))

    def test_written_sequences(self):
        sample = self.place(stack("sigmoid"))
        tokens = [[Fraction(k * r - 3, 7 + k) for r in range(4)] for k in range(LENGTH)]  # of no task
        item = value("it", *self.exactly(sample, tokens), kind="output", row=LENGTH, coordinate=2)
        good = sample.certificate(LENGTH, {"sequences": [written(tokens)]}, [item])
        self.assertEqual(self.check(good), (0, ""))
        for change in (lambda s: s.clear(), lambda s: s[0].pop(), lambda s: s[0].append(s[0][0]), lambda s: s[0][1].pop(), lambda s: s[0][1].append("0"), lambda s: s[0][1].__setitem__(0, "2/4"),
                       lambda s: s[0][1].__setitem__(0, 1), lambda s: s[0].__setitem__(0, "0"), lambda s: s.__setitem__(0, None), lambda s: s[0][3].__setitem__(3, "5"),
                       lambda s: s[0][1].__setitem__(0, "1/1" + "0" * 400)):
            changed = copy.deepcopy(good)
            change(changed["inputs"]["sequences"])
            self.assertEqual(self.check(changed)[0], 4)
        self.rejected(dict(good, inputs=good["inputs"] | {"seed": 1}), "seed")

    def tensor_file(self, tokens, dtype="F64", shape=None):
        flat = [float(x) for token in tokens for x in token]
        data = struct.pack(f"<{len(flat)}{'d' if dtype == 'F64' else 'f'}", *flat)
        header = {"x": {"dtype": dtype, "shape": shape or [len(tokens), len(tokens[0])], "data_offsets": [0, len(data)]}, "other": {"dtype": "I8", "shape": [0], "data_offsets": [len(data), len(data)]}}
        file = safetensors(header, data)
        self.write("inputs.safetensors", file)
        recheck.hashes.file_hash.cache_clear()
        return {"sha256": hashlib.sha256(file).hexdigest(), "tensor": "x"}

    def test_tensors(self):
        sample = self.place(stack("softmax-gated"))
        sequences = [[[Fraction((5 * k + r * i) % 17, 2**i) for r in range(4)] for k in range(LENGTH)] for i in (1, 60)]
        items = [value(f"s{i}", *self.exactly(sample, tokens), kind="output", row=LENGTH, coordinate=2, sequence=i) for i, tokens in enumerate(sequences)]
        for dtype in ("F64", "F32"):
            good = sample.certificate(LENGTH, self.tensor_file(sum(sequences, []), dtype), items)
            self.assertEqual(self.check(good), (0, ""))
        for changes, code in (({"tensor": "y"}, 4), ({"tensor": "other"}, 4), ({"tensor": 0}, 4), ({"sha256": "0" * 64}, 2), ({"sha256": "0"}, 4), ({"zz": 1}, 4)):
            self.assertEqual(self.check(dict(good, inputs=good["inputs"] | changes))[0], code)
        self.assertEqual(self.check(sample.certificate(LENGTH, self.tensor_file(sum(sequences, [])[1:]), items))[0], 4)
        self.assertEqual(self.check(sample.certificate(LENGTH, self.tensor_file(sum(sequences, []), shape=[4, 8]), items))[0], 4)
        self.assertEqual(self.check(sample.certificate(LENGTH, self.tensor_file([[float("nan")] * 4] * 8), items))[0], 4)

    def test_how_many(self):
        """N L H D <= 16777216."""
        sample = stack("softmax", 2, 2)
        for length, most in ((4, 1048576), (6, 699050)):  # 4 L N is 16777216, and 16 less
            model = self.model(sample, length)
            self.assertEqual(recheck.checkpoint.inputs.read_inputs(model, {"count": most, "seed": 0}, [])[0], most)
            self.assertRaises(recheck.refusal.Reject, recheck.checkpoint.inputs.read_inputs, model, {"count": most + 1, "seed": 0}, [])
        model, tokens = self.model(sample), [[Fraction(1)] * sample.n] * LENGTH
        for inputs in (lambda count: {"sequences": [written(tokens)] * count}, lambda count: self.tensor_file(tokens * count), lambda count: {"count": count, "seed": 0}):
            for limit, code in ((3 * LENGTH * 4, 0), (3 * LENGTH * 4 - 1, 4)):
                with self.subTest(f"{limit} {code}"), patched(MAX_WEIGHTS=limit):
                    self.place(sample)
                    self.assertEqual(self.check(sample.certificate(LENGTH, inputs(3), [sink_share(0, 1, Fraction(-99))]))[0], code)

    def test_beside_other_properties(self):
        """One layer without residual: the box and given inputs in one certificate."""
        layer = make("softmax-null")
        certificate = self.install(layer)
        certificate["inputs"] = {"count": 2, "seed": 1}
        self.rejected(certificate, "inputs belongs")
        certificate["properties"].append(sink_share(0, 1, Fraction(1, 2)))
        self.assertEqual(self.check(certificate), (0, ""))
        self.rejected(dict(certificate, box=None), "box")
        self.rejected(dict(certificate, box=None, triggers=None), "box")
        self.rejected(dict(certificate, inputs=None), "inputs belongs")
        alone = dict(certificate, properties=certificate["properties"][-1:], ranges=None)
        self.rejected(alone, "box")
        self.assertEqual(self.check(dict(alone, box=None, triggers=None)), (0, ""))
        self.rejected(dict(alone, box=None), "triggers")
        self.rejected(dict(alone, box=None, triggers=None, ranges=certificate["ranges"]), "ranges")

    def test_stacks_are_read_as_they_are(self):
        for attention, layers, heads, residual in (("softmax", 2, 2, True), ("softmax-gated", 2, 1, False), ("softmax-sink", 2, 1, True)):
            sample = self.place(stack(attention, layers, heads, residual))
            good = sample.certificate(LENGTH, {"count": 1, "seed": 0}, [sink_share(0, 1, Fraction(1, 2))])
            self.assertEqual(self.check(good), (0, ""))
            for key, bad in (("num_layers", 1), ("num_layers", 3), ("num_layers", 65), ("num_heads", 3), ("head_width", 2), ("d_model", 5), ("attention", "linear" if attention != "softmax" else "softmax-gated"), ("attention", "softmax-sinks" if attention == "softmax" else "softmax-null")):
                with self.subTest(f"{key} {bad}"):
                    self.assertEqual(self.check(dict(good, model=good["model"] | {key: bad}))[0], 4)
            for name in list(sample.tensors):
                tensor = sample.tensors.pop(name)
                data = sample.file()
                changed = dict(good, model=good["model"] | {"sha256": hashlib.sha256(data).hexdigest()})
                self.place(sample)
                self.assertEqual(self.check(changed)[0], 0 if name.endswith(".bias") and "W_G" not in name else 4, name)
                sample.tensors[name] = tensor


if __name__ == "__main__":
    unittest.main()
