#!/usr/bin/env python3
"""Tests of tools/recheck on theorem.tc-2 (CHECKPOINT_RULES.md 4.17): python3 tests/recheck/sampling_test.py

The certificates are those of sampling_sample.py: heads with a sink whose trigger row exceeds eta now and then.
"""

import copy
import hashlib
import json
import os
import unittest
from fractions import Fraction

import reasons
import layer_sample
import sampling_sample
from layer_test import CLAIM_HASH, TINY, LayerCase, moved
from recheck_test import canonical, named, recheck, run
from sampling_sample import certificate, count_exceeding, least_delta, paid, restated, sink, tail

ETA, SAMPLES = Fraction(1, 15), 300
RESTS = "theorem entries rest on tc-2"
ATTENTIONS = ("softmax", "elu1-normalised", "sigmoid-normalised")


class SamplingCase(LayerCase):
    def setUp(self):
        super().setUp()
        self.options.accept = {"statistical"}

    def sampled(self, attention="softmax", eta=ETA, samples=SAMPLES, alpha=Fraction(1, 100), **options):
        """The model beside the certificate; the layer and the certificate."""
        options = {"wobble": Fraction(1, 4 if attention == "sigmoid-normalised" else 8)} | options
        layer = sink(attention, claim_hash=CLAIM_HASH, **options)
        self.write("model.safetensors", layer.file())
        recheck.hashes.file_hash.cache_clear()
        return layer, certificate(layer, eta, samples, alpha=alpha)

    def far(self, logit, samples=120, exceeding=15):
        """A certificate with the logit of trigger queries on BOS given, and how many samples have a logit over that by more than 4096."""
        layer, eta = sink("softmax", claim_hash=CLAIM_HASH), Fraction(1, 12)
        layer.tensors["W_K.weight"][1][0] = Fraction(logit)
        layer.M, layer.V = zip(layer.matrices(0))
        data = layer.file(("F64",))
        self.write("model.safetensors", data)
        recheck.hashes.file_hash.cache_clear()
        value, sha256 = certificate(layer, eta, samples, alpha=Fraction(99, 100)), hashlib.sha256(data).hexdigest()
        value["model"]["sha256"] = sha256
        self.assertLessEqual(count_exceeding(sha256, layer, eta, samples), exceeding)
        item = restated(named(value, "theorem.tc-2"), 4, exceeding, least_delta(samples, exceeding, Fraction(99, 100), eta))
        over = 0
        for i in range(samples):
            _, tokens = sampling_sample.tokens_of(sha256, layer, eta, samples, i)
            query = [sum(map(Fraction.__mul__, tokens[-1], column)) for column in zip(*layer.M[0])]
            logits = [sum(map(Fraction.__mul__, query, token)) for token in tokens]
            over += max(logits) - logits[0] > 4096
        return self.with_theorem(value, item), over

    def model(self, layer, value):
        model = self.loaded(layer).model
        model.sha256 = value["model"]["sha256"]
        return model

    def draw(self, value, item, length, n):
        return recheck.checkpoint.sampling.drawn(recheck.checkpoint.model.unit_box(n), length, (3, length), "tc-2", value["model"]["sha256"], value["length"], item["eta"], item["samples"])

    def within(self, model, tokens, eta):
        """Is the loss of the last token's row, the trigger's, at most eta in the pass at 128 bits?"""
        seen = recheck.checkpoint.forward.forward_pass(model, tokens, 65536, 128, len(tokens) - 1)
        return seen is not None and recheck.checkpoint.sampling.loss_within(model, eta, seen, tokens, len(tokens))

    def with_theorem(self, value, item):
        return dict(value, properties=value["properties"][:-1] + [item])


class Accepted(SamplingCase):
    def test_every_kind(self):
        for attention in ATTENTIONS:
            _, value = self.sampled(attention)
            item = named(value, "theorem.tc-2")
            with self.subTest(attention):
                self.assertGreater(item["exceeding"], 0)
                self.assertLess(item["exceeding"], SAMPLES // 3)
                self.assertEqual(self.check(value), (0, RESTS))
                _, result = recheck.check.check_file(os.path.join(self.folder, "certificate.json"), self.options)
                self.assertEqual((result["verdict"], result["evidence"]), ("statistical", "exact"))
                self.assertEqual(self.check(value | {"properties": value["properties"][::-1]}), (0, RESTS))

    def test_other_sizes(self):
        for n, length, seed, samples in ((5, 5, 2, 120), (6, 7, 3, 400)):
            _, value = self.sampled("elu1-normalised", Fraction(1, 13), samples, n=n, length=length, seed=seed, wobble=Fraction(1, 64))
            self.assertEqual(self.check(value), (0, RESTS))

    def test_statistical_must_be_accepted(self):
        _, value = self.sampled()
        for accept in (set(), {"smt", "coq"}):
            self.options.accept = accept
            self.assertEqual(self.check(value), (3, f"a statistical verdict is not accepted; {RESTS}; bounds for every length up to 4"))
        path, claims = self.write("certificate.json", canonical(value)), self.options.claims
        for accept, code in (((), 3), (("--accept", "smt,coq"), 3), (("--accept", "statistical"), 0), (("--accept", "coq,statistical"), 0), (("--accept", "statistics"), 2)):
            self.assertEqual(run("--claims", claims, *accept, path).returncode, code)
        found = json.loads(run("--format", "json", "--claims", claims, "--accept", "statistical", path).stdout)["files"][0]
        self.assertEqual((found["verdict"], found["evidence"], found["reason"]), ("statistical", "exact", f"{RESTS}; bounds for every length up to 4"))

    def test_with_the_other_theorems(self):
        """A file with tc-1 and tc-2 is statistical and rests on both."""
        _, value = self.sampled("elu1-normalised")
        upper = Fraction(named(value, "sup-loss")["upper"])
        most = max((m for m in (2,) if 2 * m * (m + 1) * upper <= 1), default=None)
        self.assertIsNone(most)
        other = {"name": "theorem.tc-1", "verdict": "not-applicable", "claim": "tc-1", "eta": str(upper), "parameter": None, "implied": None,
                 "certified": None, "proof": {"rule": "theorem", "floors": ["bos-floor.pre"]}}
        self.assertEqual(self.check(dict(value, properties=[other] + value["properties"])), (0, RESTS))
        _, value = self.sampled("elu1-normalised", wobble=Fraction(0))
        upper = Fraction(named(value, "sup-loss")["upper"])
        # at L = 4: 1 - 3 eta, or by a noise probe 1 - 2 eta/(1 - 9 eta)
        implied = max(1 - 3 * upper, 1 - 2 * upper / (1 - 9 * upper))
        other |= {"verdict": "proved", "eta": str(upper), "parameter": 2, "implied": str(implied), "certified": named(value, "bos-floor.pre")["lower"]}
        self.assertEqual(self.check(dict(value, properties=[other] + value["properties"])), (0, "theorem entries rest on tc-1, tc-2"))


class Samples(SamplingCase):
    def test_the_stream(self):
        layer, value = self.sampled("softmax", n=6, length=7, eta=Fraction(2, 27), samples=60, wobble=Fraction(1, 64))
        item, model, seen = named(value, "theorem.tc-2"), self.model(layer, value), set()
        for i in range(60):
            j, tokens = sampling_sample.tokens_of(model.sha256, layer, "2/27", 60, i)
            trigger, mine = self.draw(value, item, 7, 6)(i)
            self.assertEqual([[Fraction(x, 65536) for x in token] for token in mine[:trigger]], tokens)
            self.assertEqual((j, trigger, len(mine)), (len(tokens), j, 7))
            self.assertTrue(all((token[:2], token[-1]) == ([0, 0], 65536) and max(map(abs, token[2:-1])) < 65536 for token in mine[trigger:]))
            seen.add(j)
        self.assertEqual(seen, {3, 4, 5, 6, 7})
        for sha256, length, eta, samples in (("0" * 64, 7, "2/27", 60), (model.sha256, 6, "2/27", 60), (model.sha256, 7, "1/13", 60), (model.sha256, 7, "2/27", 61)):
            layer.length = length
            _, tokens = sampling_sample.tokens_of(sha256, layer, eta, samples, 0)
            self.assertNotEqual(tokens[1], [Fraction(x, 65536) for x in self.draw(value, item, 7, 6)(0)[1][1]])

    def test_words_that_are_skipped(self):
        """c = 2049 (L = 2051): 31 c = 63519, so that one word in 32 is skipped."""
        layer, value = self.sampled("softmax", samples=1)
        model = self.model(layer, value)
        layer.length = 2051
        prefix, skipped = f"sinkproof tc-2\n{model.sha256}\n2051\n1/15\n300\n".encode(), 0
        for i in range(300):
            skipped += next(recheck.checkpoint.sampling.stream(prefix, i)) >= 63519
            _, tokens = sampling_sample.tokens_of(model.sha256, layer, "1/15", 300, i) if i < 40 or i % 50 == 0 else (0, None)
            if tokens:
                trigger, mine = recheck.checkpoint.sampling.drawn(recheck.checkpoint.model.unit_box(layer.n), 2051, (3, 2051), "tc-2", model.sha256, 2051, "1/15", 300)(i)
                self.assertEqual([[Fraction(x, 65536) for x in token] for token in mine[:trigger]], tokens)
        self.assertGreater(skipped, 0)

    def test_one_sample_more_or_less(self):
        for attention in ATTENTIONS:
            layer, value = self.sampled(attention)
            item, alpha = named(value, "theorem.tc-2"), Fraction(1, 100)
            count = item["exceeding"]
            for exceeding in (count - 1, count + 1):
                changed = self.with_theorem(value, restated(item, 4, exceeding, least_delta(SAMPLES, exceeding, alpha, ETA)))
                with self.subTest(f"{attention} {exceeding - count}"):
                    if exceeding < count:
                        self.rejected(changed, f"more than {exceeding} samples exceed eta")
                    else:
                        self.assertEqual(self.check(changed), (0, RESTS))
            # one sample more or less in all, with what is the least exceeding of the stream of N = SAMPLES
            for samples in (SAMPLES - 1, SAMPLES + 1):
                exact = count_exceeding(value["model"]["sha256"], layer, ETA, samples)
                for exceeding in (exact - 1, exact):
                    changed = restated(item | {"samples": samples}, 4, exceeding, least_delta(samples, exceeding, alpha, ETA))
                    code, _ = self.check(self.with_theorem(value, changed))
                    self.assertEqual(code, 0 if exceeding == exact else 4)

    def test_another_eta_is_another_stream(self):
        """In one stream fewer samples exceed a greater eta; in its own stream more may."""
        layer, value = self.sampled(eta=Fraction(9, 134))
        item, seen = named(value, "theorem.tc-2"), set()
        self.assertEqual(self.check(value), (0, RESTS))
        for k in range(8, 1, -1):
            eta = Fraction(k, 15 * k - 1)  # greater, with a smaller denominator: delta and alpha will do
            self.assertGreater(eta, Fraction(item["eta"]))
            more = count_exceeding(value["model"]["sha256"], layer, eta, SAMPLES) > item["exceeding"]
            changed = self.with_theorem(value, item | {"eta": str(eta), "floor": str(1 - 3 * eta)})
            if more:
                self.rejected(changed, f"more than {item['exceeding']} samples exceed eta")
            else:
                self.assertEqual(self.check(changed), (0, RESTS))
            seen.add(more)
        self.assertEqual(seen, {False, True})

    def test_grinding_is_paid_for(self):
        """The tail must be at most alpha/(29 f^2 N), f the denominator of eta, and no part of that will do."""
        eta = Fraction(2, 27)
        _, value = self.sampled(eta=eta)
        item, f, rejected = named(value, "theorem.tc-2"), 27, reasons.DELTA_IS_TOO_SMALL
        exceeding, delta = item["exceeding"], Fraction(item["delta"])
        exact, price = tail(SAMPLES, exceeding, delta), 29 * f**2 * SAMPLES
        with_alpha = lambda alpha: self.with_theorem(value, item | {"alpha": str(alpha)})
        self.assertEqual(self.check(with_alpha(exact * price)), (0, RESTS))
        self.rejected(with_alpha(exact * price * (1 - TINY)), rejected)
        parts = (1, 29, f, f**2, SAMPLES, 29 * f**2, 29 * SAMPLES, 29 * f * SAMPLES, f**2 * SAMPLES, 28 * f**2 * SAMPLES,
                 29 * f**2 * (SAMPLES - 1), 29 * (f - 1)**2 * SAMPLES, 29 * (f / 2)**2 * SAMPLES, 12 * f**2 * SAMPLES)
        for part in map(Fraction, parts):
            with self.subTest(str(part)):
                self.rejected(with_alpha(exact * part), rejected)
        # the delta that the samples would show if nobody chose eta and N
        unpaid = least_delta(SAMPLES, exceeding, Fraction(1, 100) * price, eta)
        self.assertLessEqual(tail(SAMPLES, exceeding, unpaid), Fraction(1, 100))
        self.assertLess(unpaid, delta)
        for alpha in (Fraction(1, 100), Fraction(99, 100)):
            self.rejected(self.with_theorem(value, restated(item | {"alpha": str(alpha)}, 4, delta=unpaid)), rejected)

    def test_the_denominator_of_eta(self):
        """10^12 is accepted; a denominator over it is not, though its price is paid."""
        for f, reason in ((10**12, None), (10**12 + 1, reasons.DENOMINATOR_OF_ETA_IS_TOO_LARGE), (10**15 + 1, reasons.DENOMINATOR_OF_ETA_IS_TOO_LARGE)):
            eta, alpha = Fraction(f // 12, f), Fraction(99, 100)
            self.assertEqual(eta.denominator, f)
            _, value = self.sampled(eta=eta, samples=600, alpha=alpha)
            item = named(value, "theorem.tc-2")
            self.assertGreater(Fraction(item["implied"]), 0)
            self.assertLessEqual(tail(600, item["exceeding"], Fraction(item["delta"])), paid(alpha, eta, 600))
            if reason:
                self.rejected(value, reason)
            else:
                self.assertEqual(self.check(value), (0, RESTS))

    def test_confidence(self):
        _, value = self.sampled()
        item = named(value, "theorem.tc-2")
        exceeding = item["exceeding"]
        lower = restated(item, 4, delta=Fraction(item["delta"]) - Fraction(1, 10**4))
        self.rejected(self.with_theorem(value, lower), reasons.DELTA_IS_TOO_SMALL)
        for delta in (Fraction(item["delta"]), Fraction(299999999, 10**9)):
            exact = tail(SAMPLES, exceeding, delta) * 29 * ETA.denominator**2 * SAMPLES
            alpha = Fraction((exact * 10**900).__ceil__(), 10**900)  # the exact one has over 2000 characters
            changed = restated(item | {"alpha": str(alpha)}, 4, delta=delta)
            self.assertEqual(self.check(self.with_theorem(value, changed)), (0, RESTS))
            changed["alpha"] = str(alpha - Fraction(1, 10**900))
            self.rejected(self.with_theorem(value, changed), reasons.DELTA_IS_TOO_SMALL)

    def test_the_binomial_tail(self):
        for samples, exceeding, delta in ((1, 0, Fraction(1, 3)), (1, 1, Fraction(1, 3)), (7, 3, Fraction(2, 9)), (50, 0, Fraction(1, 10**9)), (50, 50, Fraction(7, 9)), (300, 20, Fraction(31, 311))):
            exact = tail(samples, exceeding, delta)
            self.assertTrue(recheck.checkpoint.sampling.is_confident(samples, exceeding, delta, exact))
            self.assertFalse(recheck.checkpoint.sampling.is_confident(samples, exceeding, delta, exact - TINY * exact))

    def test_the_loss_of_samples(self):
        """Within a hair of the loss, by decimals, on either side."""
        hair = Fraction(1, 10**25)
        for attention in ATTENTIONS:
            layer, value = self.sampled(attention, n=5, length=5, samples=1, wobble=Fraction(1, 64))
            model = self.model(layer, value)
            for i in range(12):
                j, tokens = sampling_sample.tokens_of(model.sha256, layer, "1/15", 1, i)
                loss, whole = sampling_sample.largest_loss(layer, j, tokens), [[int(x * 65536) for x in token] for token in tokens]
                self.assertTrue(self.within(model, whole, loss + hair))
                self.assertFalse(self.within(model, whole, loss - hair))

    def test_a_pass_that_fails(self):
        """Logits of 2^300 at 128 bits: not within any eta, though the loss of no such head is large."""
        layer, value = self.sampled(samples=1)
        j, tokens = sampling_sample.tokens_of(value["model"]["sha256"], layer, "1/15", 1, 0)
        whole = [[int(x * 65536) for x in token] for token in tokens]
        for exponent, within in ((0, True), (300, False)):
            layer.scale = Fraction(2)**exponent
            self.assertEqual(self.within(self.model(layer, value), whole, Fraction(100)), within)

    def test_exactly_eta(self):
        """Uniform weights over four keys are exact, so a loss of eta is within eta; a hair less is not."""
        n, square = 4, lambda diagonal: [[Fraction(a == b and a >= diagonal) for b in range(4)] for a in range(4)]
        zero = square(4)
        for attention in ("elu1-normalised", "softmax"):
            layer = layer_sample.Sample(attention, 1, n=n, tensors={"W_Q.weight": zero, "W_K.weight": zero, "W_V.weight": square(1), "W_O.weight": square(0)}, claim_hash=CLAIM_HASH)
            model = self.loaded(layer).model
            tokens = [[65536, 0, 0, 0], [0, 0, 3, 65536], [0, 0, -40000, 65536], [0, 65536, 7, 0]]
            loss = Fraction(2, 3) - Fraction(2, 4)  # of the content flag: others are smaller
            self.assertTrue(self.within(model, tokens, loss))
            self.assertTrue(self.within(model, tokens, loss + TINY))
            self.assertFalse(self.within(model, tokens, loss - TINY))

    def test_far_logits(self):
        """A logit over that on BOS by more than 4096, where exp_up ends, is one like others."""
        for logit in (-4060, Fraction(-131067, 32), -5000):
            value, over = self.far(logit)
            self.assertIn(over, {-4060: {0}, -5000: {120}}.get(logit, range(1, 16)))
            self.assertEqual(self.check(value), (0, RESTS))


class Mutants(SamplingCase):
    def test_every_field(self):
        _, value = self.sampled()
        self.assertEqual(self.check(value), (0, RESTS))
        item = named(value, "theorem.tc-2")
        for key in item:
            if key != "name":
                lacking = {name: x for name, x in item.items() if name != key}
                self.rejected(self.with_theorem(value, lacking), reasons.PROOF_HAS_NO_RULE if key == "proof" else f"lacks the key {key}")
            for bad in (None, True, 0, -1, "", "x", "2/2", "0", "1", [], {}, "proved", "tc-1"):
                with self.subTest(f"{key} {bad!r}"):
                    self.assertEqual(self.check(self.with_theorem(value, item | {key: bad}))[0], 4)
            if key in ("eta", "delta", "floor", "implied", "certified"):
                for by in (TINY, -TINY):
                    self.assertEqual(self.check(self.with_theorem(value, item | {key: moved(item[key], by)}))[0], 4)
        self.rejected(self.with_theorem(value, item | {"zz": 1}), "unknown key")
        for proof in ({"rule": "sampling"}, {"rule": "theorem", "floors": ["bos-floor.pre"]}, {"rule": "sampling", "floors": []}, {"rule": "sampling", "floors": ["bos-floor.pre", "bos-floor.post"]},
                      {"rule": "sampling", "floors": ["bos-floor.post"]}, {"rule": "sampling", "floors": "bos-floor.pre"}, {"rule": "sampling", "floors": ["bos-floor.pre"], "zz": 1}):
            self.rejected(self.with_theorem(value, item | {"proof": proof}), "proof")

    def test_ends_of_ranges(self):
        _, value = self.sampled()
        self.assertEqual(self.check(value), (0, RESTS))
        item = named(value, "theorem.tc-2")
        for change, reason in (({"samples": 100001}, "samples"), ({"samples": 0, "exceeding": 0}, "samples"), ({"exceeding": SAMPLES + 1}, "exceeding"), ({"samples": 2000, "exceeding": 1001}, "exceeding"),
                               ({"eta": "0", "floor": "1"}, "eta"), ({"eta": "-1/100", "floor": "103/100"}, "eta"), ({"eta": "834/10007", "floor": str(1 - 3 * Fraction(834, 10007))}, "eta"),
                               ({"alpha": "0"}, "alpha"), ({"alpha": "1"}, "alpha"), ({"alpha": "-1/2"}, "alpha")):
            self.rejected(self.with_theorem(value, item | change), f"{reason} is out of range")
        for delta in (Fraction(0), Fraction(1), Fraction(-1, 5), Fraction(300000001, 10**9 + 7)):
            self.rejected(self.with_theorem(value, restated(item, 4, delta=delta)), reasons.DELTA_IS_OUT_OF_RANGE)
        for delta in (Fraction(1, 3), Fraction(1, 2)):
            self.rejected(self.with_theorem(value, restated(item, 4, delta=delta)), "implied")
        _, value = self.sampled(eta=Fraction(1, 12))
        self.assertEqual(self.check(value), (0, RESTS))

    def test_the_other_properties(self):
        for attention in ("softmax", "elu1-normalised"):
            _, value = self.sampled(attention)
            self.assertEqual(self.check(value), (0, RESTS))
            for name in ("sup-loss.pre", "sup-loss.post", "bos-floor.pre"):
                left = [item for item in value["properties"] if item["name"] not in (name, "sup-loss")]
                self.rejected(dict(value, properties=left), f"{name} is not in the certificate")
            for name in ("sup-loss.pre", "sup-loss.post"):
                changed = copy.deepcopy(value)
                changed["properties"] = [item for item in changed["properties"] if item["name"] != "sup-loss"]
                for upper, reason in ((ETA, None), (ETA + TINY, f"{name} is not shown to be at most eta")):
                    named(changed, name)["upper"] = str(upper)
                    if reason:
                        self.rejected(changed, reason)
                    else:
                        self.assertEqual(self.check(changed), (0, RESTS))
            changed = copy.deepcopy(value)
            named(changed, "bos-floor.pre")["lower"] = "1/2"
            self.rejected(changed, "certified")
            named(changed, "theorem.tc-2")["certified"] = "1/2"
            self.assertEqual(self.check(changed), (0, RESTS))

    def test_only_where_tc2_speaks(self):
        _, good = self.sampled("elu1-normalised", samples=2)
        item = named(good, "theorem.tc-2")
        for attention, heads in (("elu1-normalised", 2), ("softmax", 2), ("softmax-gated", 1), ("softmax-null", 1), ("softmax-sink", 1), ("elu1", 1), ("relu", 1), ("sigmoid", 1), ("linear", 1)):
            value = self.install(layer_sample.Sample(attention, heads, biases=attention == "relu", claim_hash=CLAIM_HASH))
            value["properties"].append(item)
            self.rejected(value, reasons.NO_SUCH_PROPERTY)
        for length, reason in ((3, "length is out of range"), (4097, "length")):
            layer = sink("softmax", claim_hash=CLAIM_HASH)
            value = certificate(layer, ETA, 2)
            self.write("model.safetensors", layer.file())
            recheck.hashes.file_hash.cache_clear()
            value.update(length=length, triggers=[3, length], ranges=None, properties=[named(value, "theorem.tc-2")])
            self.rejected(value, reason)


if __name__ == "__main__":
    unittest.main()
