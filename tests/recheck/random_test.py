#!/usr/bin/env python3
"""Tests of tools/recheck on random.loss, random.sink and random.no-sink (CHECKPOINT_RULES.md 4.17):
python3 tests/recheck/random_test.py

The certificates are those of random_sample.py: small random stacks, whose samples are decided by the page's pass.
"""

import itertools
import os
import unittest
from fractions import Fraction

import reasons
import forward_test
import random_sample
import sampling_test
from box_test import least_bounds
from forward_test import stack
from random_sample import NAMES, TINY, a_third_exceeding, certificate, least_of_samples, least_thresholds, price, short, statement
from recheck_test import canonical, patched, recheck
from sampling_sample import tail
from stack_sample import KINDS_OF_STACKS, sink_share

LENGTH, TRIGGERS, SAMPLES = 4, (3, 4), 9
NEARLY = 1 - Fraction(1, 10**9)
SAMPLED_KEYS = ("name", "verdict", "threshold", "samples", "exceeding", "alpha", "delta", "proof")


class RandomCase(sampling_test.SamplingCase):
    place = forward_test.ForwardCase.place

    def good(self, sample, triggers=TRIGGERS):
        """Its certificate, with the model beside it."""
        return a_third_exceeding(self.place(sample), LENGTH, triggers, SAMPLES)

    def changed(self, value, item):
        return value | {"properties": [item if of["name"] == item["name"] else of for of in value["properties"]]}


class Accepted(RandomCase):
    def test_every_kind_and_no_sample_more(self):
        exceeding = 0
        for attention, layers, heads, residual in KINDS_OF_STACKS[::3]:
            value = self.good(stack(attention, layers, heads, residual))
            with self.subTest(f"{attention} {layers} {heads} {residual}"):
                self.assertEqual(self.check(value), (0, ""))
                for item in value["properties"]:
                    exceeding += item["exceeding"]
                    if item["exceeding"]:
                        less = statement(item["name"], Fraction(item["threshold"]), SAMPLES, item["exceeding"] - 1)
                        self.rejected(self.changed(value, less), f"more than {item['exceeding'] - 1} samples exceed threshold of {item['name']}")
        self.assertGreater(exceeding, 50)

    def test_triggers(self):
        """Other triggers are other samples, and another row that random.sink leaves out."""
        sample, ranges, codes = stack("softmax", seed=5), ((3, 3), (4, 4), (3, 4)), set()
        least = {triggers: least_of_samples(sample, LENGTH, triggers, SAMPLES) for triggers in ranges}
        for triggers, other in itertools.product(ranges, repeat=2):
            value = self.good(sample, triggers)
            for item in value["properties"]:
                exceeding = sum(of[item["name"]] > Fraction(item["threshold"]) for of in least[other])
                code = 0 if exceeding <= item["exceeding"] else 4
                self.assertEqual(self.check(value | {"triggers": list(other), "properties": [item]})[0], code)
                codes.add((item["name"], code))
        self.assertEqual(len(codes), 6)
        for triggers in ([2, 4], [3, 5], [4, 3], None):
            self.rejected(value | {"triggers": triggers}, "triggers")

    def test_verdict(self):
        value = self.good(stack("relu"))
        path = self.write("certificate.json", canonical(value))
        _, result = recheck.check.check_file(path, self.options)
        self.assertEqual((result["verdict"], result["evidence"], result["reason"]), ("statistical", "exact", "logits scaled by 2/3"))
        self.options.accept = {"smt", "coq"}
        self.assertEqual(self.check(value), (3, "a statistical verdict is not accepted; logits scaled by 2/3"))

    def test_beside_other_rules(self):
        """Bounds over the box, given inputs, and theorem.tc-2; one layer that is not read as a stack has all triggers."""
        sample = self.place(stack("softmax-null", n=5))
        of = sample.certificate(LENGTH, None, [])["model"]
        model = recheck.checkpoint.model.load_model(os.path.join(self.folder, "model.safetensors"), of, LENGTH)
        box = least_bounds(sample, model, (3, 3), (1, 1))
        items = self.good(sample, (3, 3))["properties"]
        self.assertEqual(self.check(box | {"properties": box["properties"] + items}), (0, ""))
        flat = stack("softmax-null", 1, 1, False)
        value = self.good(flat)
        inputs = {"inputs": {"count": 2, "seed": 0}, "properties": value["properties"] + [sink_share(0, 1, Fraction(-99))]}
        self.assertEqual(self.check(value | inputs), (0, ""))
        self.rejected(self.good(flat, (3, 3)) | inputs, "triggers")
        deep = self.good(stack("softmax-null", 2, 1, False))
        self.rejected(deep | inputs | {"properties": deep["properties"] + inputs["properties"][-1:]}, "num_layers")
        _, value = self.sampled()
        loose = [statement(name, Fraction(10), 5, 0, delta=Fraction(999999, 10**6)) for name in NAMES]
        self.assertEqual(self.check(value | {"properties": loose + value["properties"]}), (0, sampling_test.RESTS))


class Samples(RandomCase):
    def test_the_stream(self):
        """All samples, of any number of them, and none of another length, file or range of triggers."""
        sha256 = "ab" * 32
        for length, triggers in ((4, (3, 4)), (9, (5, 8)), (60, (3, 60))):
            draw = recheck.checkpoint.sampling.drawn(recheck.checkpoint.model.unit_box(6), length, triggers, "random", sha256, length, *triggers)
            seen = set()
            for i in range(40):
                j, tokens = random_sample.drawn(("sinkproof random", sha256, length, *triggers), i, 6, length, *triggers)
                self.assertEqual(draw(i), (j, [[65536 * x for x in token] for token in tokens]))
                seen.add(j)
            self.assertTrue(seen <= set(range(triggers[0], triggers[1] + 1)) and len(seen) > 1)

    def test_exact_thresholds(self):
        """Uniform weights and no output: weights of BOS are 1/i, and the loss is the trigger row's target."""
        for attention, residual in itertools.product(("softmax", "elu1-normalised"), (False, True)):
            sample = stack(attention, 2, 2, residual, biases=False)
            for tensor in sample.tensors.values():
                tensor[:] = [[Fraction(0)] * len(row) for row in tensor]
            self.place(sample)
            losses = []
            for i in range(3):
                _, tokens = random_sample.sample(sample, LENGTH, (4, 4), i)
                losses.append(max(abs(Fraction(sum(token[r] for token in tokens[1:]), 3)) for r in range(4)))
            # rows 2 and 3 where 4 is the trigger's: 1/3 lies above its lower end; rows 2 and 4: 1/4 is exact
            for name, t, triggers, accepted in (("random.loss", max(losses), (4, 4), True), ("random.loss", max(losses) - TINY, (4, 4), False), ("random.no-sink", Fraction(1, 2), (3, 4), True),
                                                ("random.no-sink", Fraction(1, 2) - TINY, (3, 4), False), ("random.sink", Fraction(3, 4), (3, 3), True), ("random.sink", Fraction(3, 4) - TINY, (3, 3), False),
                                                ("random.sink", Fraction(2, 3), (4, 4), False), ("random.sink", Fraction(2, 3) + TINY, (4, 4), True)):
                value = certificate(sample, LENGTH, triggers, [statement(name, t, 3, 0, delta=NEARLY)])
                with self.subTest(f"{attention} {residual} {name} {t}"):
                    if accepted:
                        self.assertEqual(self.check(value), (0, ""))
                    else:
                        self.rejected(value, "more than 0 samples exceed")

    def test_each_looks_at_its_own_number(self):
        """The first sample that exceeds is the first that a property does not look at, beside one that does."""
        sample = self.place(stack("softmax", seed=3))
        found = [of["random.loss"] for of in least_of_samples(sample, LENGTH, TRIGGERS, SAMPLES)]
        k = found.index(max(found))
        t = short(max(found[:k]))
        self.assertLess(t, found[k])
        wide = statement("random.no-sink", 10, SAMPLES, 0, delta=NEARLY)
        for samples, code in ((k, 0), (k + 1, 4)):
            items = [statement("random.loss", t, samples, 0, delta=NEARLY), wide]
            self.assertEqual(self.check(certificate(sample, LENGTH, TRIGGERS, items))[0], code)

    def test_either_precision(self):
        """Two heads with large values cancel: the pass at 64 is too wide for the loss, or fails; that at 128 shows it. Weights are
        shown at 64 unless it fails. The pass at 128 is made where a property was not shown at 64."""
        seen = set()
        for exponent in (54, 66):
            sample = stack("softmax", 1, 2, False)
            for name, tensor in sample.tensors.items():
                if name.endswith("W_V.weight"):
                    tensor[:] = [[sign * 2**exponent * x for x in row] for sign in (1, -1) for row in tensor[:3]]
                elif name.endswith("W_V.bias"):
                    tensor[:] = [Fraction(0)] * 6
                elif name.endswith("W_O.weight"):
                    tensor[:] = [row[:3] * 2 for row in tensor]
                elif "W_O" not in name:
                    tensor[3:] = tensor[:3]
            self.place(sample)
            samples = [random_sample.sample(sample, LENGTH, TRIGGERS, i) for i in range(4)]
            wide, narrow = ([least_thresholds(sample, tokens, j, p) for j, tokens in samples] for p in (64, 128))
            for place in (-1, -2):
                items, at_128 = [], [False] * 4
                for name in NAMES:
                    t = short(sorted(of[name] for of in narrow)[place])
                    failing, exceeding = [of is None or of[name] > t for of in wide], sum(of[name] > t for of in narrow)
                    at_128 = [x or y for x, y in zip(at_128, failing)]
                    items.append(statement(name, t, 4, exceeding, delta=NEARLY))
                    seen.add((exponent, name, sum(failing) > exceeding, exceeding > 0))
                made, followed = [], recheck.checkpoint.forward.forward_pass
                with patched(forward_pass=lambda *of: made.append(of[3]) or followed(*of)):
                    self.assertEqual(self.check(certificate(sample, LENGTH, TRIGGERS, items))[0], 0)
                self.assertEqual((made.count(64), made.count(128)), (4, sum(at_128)))
        for exponent, name, rises in ((54, "random.loss", True), (54, "random.sink", False), (66, "random.loss", True), (66, "random.sink", True), (66, "random.no-sink", True)):
            self.assertEqual({rise for e, of, rise, _ in seen if (e, of) == (exponent, name)}, {rises})
        self.assertEqual({exceeds for *_, exceeds in seen}, {False, True})


    def test_the_upper_end_of_weights(self):
        """Uniform weights beside a null slot: 1/3 lies below its upper end."""
        sample = stack("softmax-null", 2, 2, biases=False)
        for tensor in sample.tensors.values():
            tensor[:] = [[Fraction(0)] * len(row) for row in tensor]
        self.place(sample)
        for by, code in ((0, 4), (TINY, 0)):
            value = certificate(sample, LENGTH, TRIGGERS, [statement("random.no-sink", Fraction(1, 3) + by, 3, 0, delta=NEARLY)])
            self.assertEqual(self.check(value)[0], code)


class Confidence(RandomCase):
    def test_price(self):
        """1000 (e + f)^2 N, and no part of it."""
        sample = stack("softmax", 1, 1)
        value = self.good(sample)
        for item in value["properties"]:
            t, delta = Fraction(item["threshold"]), Fraction(item["delta"])
            exact = tail(SAMPLES, item["exceeding"], delta) * price(t) * SAMPLES
            for factor, paid in ((1, True), (1 - TINY, False), (Fraction(1, SAMPLES), False), (Fraction(29, 1000), False), (Fraction(999, 1000), False),
                                 (Fraction(t.denominator, t.numerator + t.denominator)**2, False)):
                alpha = exact * factor
                self.assertLess(alpha, 1)
                changed = self.changed(value, item | {"alpha": str(alpha)})
                if paid:
                    self.assertEqual(self.check(changed), (0, ""))
                else:
                    self.rejected(changed, reasons.DELTA_IS_TOO_SMALL)

    def test_numbers(self):
        value = self.good(stack("softmax", 1, 1, False))
        self.assertEqual(self.check(value), (0, ""))
        for item, key in itertools.product(value["properties"], SAMPLED_KEYS):
            for bad in (None, True, 0, -1, "", "2/2", "0", "-1", [], {}, "proved"):
                self.assertEqual(self.check(value | {"properties": [item | {key: bad}]})[0], 4, f"{key} {bad!r}")
            for more in ({}, {"zz": 1}):
                self.assertEqual(self.check(value | {"properties": [{name: x for name, x in item.items() if name != key} | more]})[0], 4)
        item = value["properties"][0]
        most = Fraction(10**6 - 1, 10**12 - 10**6 + 1)
        self.assertEqual(most.numerator + most.denominator, 10**12)
        for changes, reason in (({"threshold": str(most)}, "too small"), ({"threshold": str(Fraction(10**6 - 1, 10**12 - 10**6 + 2))}, reasons.THRESHOLD_IS_OUT_OF_RANGE), ({"threshold": str(10**12)}, reasons.THRESHOLD_IS_OUT_OF_RANGE),
                                ({"threshold": str(10**12 - 1)}, "too small"), ({"samples": 100001}, "samples is out"), ({"exceeding": SAMPLES + 1}, "exceeding is out"), ({"alpha": "1"}, "alpha"), ({"delta": "1"}, reasons.DELTA_IS_OUT),
                                ({"delta": str(Fraction(2, 10**9 + 1))}, reasons.DELTA_IS_OUT), ({"head": 0}, "unknown key"), ({"layer": 0, "head": 0}, "unknown key"), ({"name": "random.losses"}, reasons.NO_SUCH_PROPERTY), ({"name": "sup-loss.pre"}, reasons.NO_SUCH_PROPERTY),
                                ({"proof": {"rule": "stack"}}, reasons.NO_SUCH_PROPERTY), ({"proof": {"rule": "random", "floors": []}}, "unknown key"), ({"proof": {"rule": "sampling"}}, reasons.NO_SUCH_PROPERTY)):
            self.rejected(value | {"properties": [item | changes]}, reason)
        self.rejected(value | {"properties": [item, item]}, "twice")
        self.rejected(value | {"box": None, "triggers": None, "properties": [item]}, "box")
        for length in (4096, 4097):
            self.rejected(value | {"length": length, "triggers": [3, length], "properties": [item | {"samples": 489}]}, reasons.TOO_MANY_SAMPLES if length == 4096 else "length is out of range")

if __name__ == "__main__":
    unittest.main()
