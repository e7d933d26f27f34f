#!/usr/bin/env python3
"""Tests of tools/recheck on language certificates (LANGUAGE_RULES.md): python3 tests/recheck/language_test.py

The models are those of language_sample.py, and the numbers of their certificates those of its evaluation in doubles.
"""

import copy
import hashlib
import itertools
import json
import math
import os
import random
import shutil
import types
import unittest
from fractions import Fraction

import reasons
from language_sample import ACTIVATIONS, INNER, POSITIONS, VOCABULARY, Sample, scaled_frequency, stated
from recheck_test import ROOT, Case, canonical, patched, recheck, run

CLAIMS = os.path.join(ROOT, "proofs")
CLAIM_HASH = recheck.hashes.claim_hash(os.path.join(CLAIMS, "language"))
ROOM = Fraction(1, 10**6)
TOKENS = [3, 1, 4, 1, 5, 8]
AT_KEY = ("alpha", "value-alpha", "norm-product", "cosine", "value-ratio", "broadcast-share")
WHOLE = ("hidden-norm", "query-norm", "key-norm", "value-norm", "mean-cosine")
CHANGES = ({"first": 1, "window": 2, "renumbered": False}, {"first": 2, "window": 2, "renumbered": True}, {"ablated": [[1, 0]]}, {"ablated": [[0, 1], [1, 0]]})
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "beta_fast": 2.0, "beta_slow": 0.25}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}
SAMPLES = {
    "gpt2": Sample("gpt2"), "gpt2 tied": Sample("gpt2", tied=True, activation_function="relu"),
    "gpt2 null": Sample("gpt2", sinkproof_attention="softmax-null", sinkproof_window=3), "gpt2 sink": Sample("gpt2", sinkproof_attention="softmax-sink"),
    "gpt2 gated": Sample("gpt2", sinkproof_attention="softmax-gated"), "gpt2 relu": Sample("gpt2", sinkproof_attention="relu"),
    "gpt2 elu1": Sample("gpt2", sinkproof_attention="elu1-normalised"), "gpt2 linear": Sample("gpt2", sinkproof_attention="linear"),
    "gpt2 sigmoid": Sample("gpt2", sinkproof_attention="sigmoid"),
    "llama": Sample("llama", biases=False, shards=3, num_key_value_heads=1, head_dim=6),
    **{f"llama {kind}": Sample("llama", sinkproof_attention=kind) for kind in ("sigmoid", "softmax-sink", "softmax-gated")},
    "llama yarn": Sample("llama", head_dim=8, rope_scaling=YARN), "llama llama3": Sample("llama", head_dim=8, rope_scaling=LLAMA3),
    "llama yarn below": Sample("llama", head_dim=8, rope_scaling=YARN | {"original_max_position_embeddings": 1, "truncate": False}),
    "llama yarn above": Sample("llama", head_dim=8, rope_theta=2.0, rope_scaling=YARN | {"original_max_position_embeddings": 1 << 20}),
    "llama grouped": Sample("llama", heads=4, num_key_value_heads=2, head_dim=4),
    "llama linear": Sample("llama", rope_scaling={"rope_type": "linear", "factor": 4}, rope_theta=500.0, tied=True),
    "mistral": Sample("mistral", sliding_window=3), "qwen2": Sample("qwen2", sliding_window=2, use_sliding_window=True, max_window_layers=1),
    "qwen3": Sample("qwen3", sliding_window=2, use_sliding_window=True, layer_types=["sliding_attention", "full_attention"]),
    "qwen3 off": Sample("qwen3", sliding_window=2, use_sliding_window=False, hidden_act="gelu_new"),
    "gpt_oss": Sample("gpt_oss", num_key_value_heads=1, sliding_window=2, layer_types=["full_attention", "sliding_attention"],
                      rope_scaling=YARN | {"truncate": False}, head_dim=8),
    "gpt_neox": Sample("gpt_neox", biases=False, rotary_pct=0.5), "gpt_neox one by one": Sample("gpt_neox", use_parallel_residual=False, rotary_emb_base=300, rotary_pct=1),
    "opt": Sample("opt"), "bert": Sample("bert")}


class LanguageCase(Case):
    def setUp(self):
        super().setUp()
        self.options.models, self.options.claims = None, CLAIMS

    def check(self, value):
        """A reason without the remarks on the model, which what is accepted has to say."""
        code, reason = super().check(value)
        if code == 0:
            self.assertEqual(reason, self.remarks(value))
            reason = ""
        return code, reason

    def remarks(self, value):
        """Those on the model, and of which texts the verdict is true: of an encoder, of these alone."""
        scope = "" if value["model"]["architecture"] == "bert" else "true of these rows in every text that begins with these tokens (ca-1)"
        return "; ".join(filter(None, (self.remarks_on_model(value), scope)))

    def remarks_on_model(self, value):
        """By the config.json and the tensors that the certificate names; none of these models has assumed keys."""
        folder = next(root for root, _, names in os.walk(self.folder) if "config.json" in names and hashlib.sha256(
            self.read(root, "config.json")).hexdigest() == value["model"]["files"]["config.json"])
        config = recheck.envelope.parse_json(self.read(folder, "config.json"), str, str, str)
        keys = ["sinkproof_attention"] * (config.get("sinkproof_attention", "softmax") != "softmax") + ["sinkproof_window"] * (config.get("sinkproof_window") is not None)
        if keys:
            return f"computes with key{'s' * (len(keys) - 1)} {', '.join(keys)} of config.json, which transformers ignores"
        if config["model_type"] != "gpt_oss":
            return ""
        names = b"".join(self.read(folder, name) for name in value["model"]["files"] if name.endswith(".safetensors"))
        dense, layers = names.count(b"mlp.up_proj.weight"), int(config["num_hidden_layers"])
        return "computes gpt_oss " + {0: reasons.WITHOUT_EXPERTS_FILES_HOLD_NONE_AND, layers: reasons.WITH_ONE_MLP_IN_PLACE_OF_EXPERTS}.get(
            dense, "with one MLP in place of the experts in some layers, and attention alone in the others")

    @staticmethod
    def read(folder, name):
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    def place(self, sample, below="", files=None):
        """The model's files beside the certificate, or in a folder there; and they."""
        files = files or sample.files()
        for name in os.listdir(self.folder) if os.path.isdir(self.folder) and not below else ():
            if ".safetensors" in name:
                os.unlink(os.path.join(self.folder, name))
        for name, data in files.items():
            self.write(os.path.join(below, name), data)
        recheck.hashes.file_hash.cache_clear()
        return files

    def good(self, sample, statements=None, sequences=None, **more):
        files = self.place(sample)
        statements = statements or [stated("alpha", sample.numbers("alpha", TOKENS, 1), ROOM, sequence=0, position=1)]
        return sample.certificate(files, CLAIM_HASH, sequences or [TOKENS], statements, **more)

    def loaded(self, sample):
        """The program's own view of the model."""
        files = self.place(sample)
        with recheck.language.files.opened_tensors(self.folder, files) as tensors:
            return recheck.language.model.LanguageModel(recheck.envelope.parse_json(files["config.json"], recheck.envelope.json_decimal), tensors, [TOKENS])


def without_perceptrons(layers):
    """A gpt_oss of heads of width 2, which has none in these layers."""
    sample = Sample("gpt_oss", num_key_value_heads=1, head_dim=2)
    for name in [name for name in sample.tensors if name.startswith(tuple(f"model.layers.{l}.mlp." for l in layers))]:
        del sample.tensors[name]
    return sample


def exact(config):
    """As config.json is read."""
    return {key: recheck.envelope.Decimal(x) if type(x) is float else x for key, x in config.items()}


def about(sample, room):
    """Every statement the page knows, with bounds so far from the numbers."""
    statements = [stated(name, sample.numbers(name, TOKENS, k), room, sequence=0, position=k) for name in AT_KEY for k in (1, 3)]
    statements += [stated(name, sample.numbers(name, TOKENS), room, sequence=0) for name in WHOLE]
    changes = () if sample.name == "bert" else CHANGES
    return statements + [stated("moved", sample.numbers("moved", TOKENS, change=change), room, sequence=0, intervention=change) for change in changes]


class Accepted(LanguageCase):
    def test_every_readout_of_every_architecture(self):
        """What doubles find is accepted with a little room, and with every single bound on the wrong side of it not."""
        for name, sample in SAMPLES.items():
            value = self.good(sample, about(sample, ROOM))
            with self.subTest(name):
                self.assertEqual(self.check(value), (0, ""))
        sample, draw = SAMPLES["qwen3"], random.Random(1)
        value = self.good(sample, about(sample, ROOM))
        for k, statement in enumerate(value["statements"]):
            for key, by in (("lower", 3 * ROOM), ("upper", -3 * ROOM)):
                changed, place = copy.deepcopy(value), draw.randrange(len(statement[key]))
                changed["statements"][k][key][place] = str(Fraction(statement[key][place]) + by)
                if Fraction(statement["upper"][place]) or statement["readout"] != "value-ratio":
                    self.rejected(changed, f"statement {k}: number {place} is not shown")

    def test_every_sample_tells_the_others_apart(self):
        """The certificate of one model is not that of the same weights read in another way."""
        for name, changes in (("llama", {"rope_theta": 9000}), ("llama", {"rms_norm_eps": 0.001}), ("llama", {"hidden_act": "gelu"}),
                              ("llama", {"rope_scaling": LLAMA3}), ("llama yarn", {"rope_scaling": YARN | {"beta_slow": 1.5}}),
                              ("llama yarn", {"rope_scaling": YARN | {"attention_factor": 1}}), ("mistral", {"sliding_window": 4}), ("gpt2 null", {"sinkproof_window": None}),
                              ("qwen2", {"max_window_layers": 0}), ("qwen2", {"use_sliding_window": False}), ("gpt2", {"layer_norm_epsilon": 0.001}),
                              ("gpt2", {"activation_function": "relu"}), ("gpt2", {"sinkproof_attention": "softmax-null"}),
                              ("gpt_neox", {"use_parallel_residual": False}), ("gpt_neox", {"rotary_pct": 1}), ("gpt_neox one by one", {"rotary_emb_base": 9}),
                              ("bert", {"hidden_act": "relu"}), ("opt", {"activation_function": "gelu"})):
            sample = copy.deepcopy(SAMPLES[name])
            value = self.good(sample, about(sample, ROOM))
            sample.config |= changes
            files = self.place(sample)
            value["model"]["files"] = sample.certificate(files, "", [], [])["model"]["files"]
            with self.subTest(f"{name} {changes}"):
                self.rejected(value, reasons.IS_NOT_SHOWN_TO_BE_WITHIN_ITS_BOUNDS)

    def test_precisions_and_short_sequences(self):
        sample = SAMPLES["gpt_neox"]
        for precision in (64, 300, 2048):
            self.assertEqual(self.check(self.good(sample, precision=precision)), (0, ""))
        statements = [stated(name, sample.numbers(name, [7], 1), ROOM, sequence=1, position=1) for name in AT_KEY]
        statements += [stated(name, sample.numbers(name, [7]), ROOM, sequence=1) for name in WHOLE]
        self.assertEqual(self.check(self.good(sample, statements, [TOKENS, [7]])), (0, ""))

    def test_shares(self):
        """Of alphas on both sides of an epsilon; one at it belongs to upper alone."""
        for name, readout in (("gpt2", "sink-share"), ("llama yarn", "value-sink-share")):
            sample, sequences = SAMPLES[name], [TOKENS, TOKENS[1:]]
            values = sorted(x for tokens in sequences for x in sample.numbers(readout.replace("sink-share", "alpha"), tokens, 1))
            for place in (0, 3, len(values) - 1):
                epsilon = str(Fraction(round(10**9 * (values[place] + 1e-7)), 10**9))
                share = Fraction(sum(x > values[place] for x in values), len(values))
                for lower, upper, code in ((share, share, 0), (share + ROOM, 1, 4), (0, share - ROOM, 4)):
                    item = {"readout": readout, "position": 1, "epsilon": epsilon, "lower": [str(lower)], "upper": [str(upper)]}
                    self.assertEqual(self.check(self.good(sample, [item], sequences))[0], code, f"{name} {place} {lower} {upper}")
        flat = copy.deepcopy(SAMPLES["gpt2"])
        for tensor, (_, values) in flat.tensors.items():
            values[:] = [0.0] * len(values) if "c_attn" in tensor else values
        alpha = sum(Fraction(1, i) for i in range(1, 7)) / 6  # no dyadic number: it stays undecided
        for lower, upper, code in ((0, 1, 0), (1, 1, 4), (0, 0, 4)):
            item = {"readout": "sink-share", "position": 1, "epsilon": str(alpha), "lower": [str(lower)], "upper": [str(upper)]}
            self.assertEqual(self.check(self.good(flat, [item]))[0], code)

    def test_what_vanishes(self):
        """No keys seen, no values, no queries: 0 where the page says so, the widest range, or a reason to reject."""
        sample = copy.deepcopy(SAMPLES["mistral"])
        for tensor, (_, values) in sample.tensors.items():
            values[:] = [0.0] * len(values) if "v_proj" in tensor or "q_proj" in tensor else values
        item = lambda readout, low, high: {"readout": readout, "sequence": 0, "position": 1, "lower": [low] * 4, "upper": [high] * 4}
        for readout, low, high, code in (("value-alpha", "0", "0", 0), ("cosine", "-1", "1", 0), ("cosine", "-1", "99/100", 4),
                                         ("broadcast-share", "0", "1", 0), ("broadcast-share", "0", "99/100", 4), ("value-ratio", "0", "1", 4)):
            self.assertEqual(self.check(self.good(sample, [item(readout, low, high)]))[0], code, readout)

    def test_enclosures_hold_at_every_precision(self):
        """What is found at 256 bits lies within what is found at few: no rounding and no radius is left out."""
        for name in ("llama yarn", "gpt2 gated", "gpt2 sigmoid", "gpt_neox", "qwen3 off", "bert"):
            sample, found = SAMPLES[name], {}
            model = self.loaded(sample)
            for p in (56, 80, 256):
                seen = recheck.language.evaluation.language_pass(model, TOKENS, None, p)
                found[p] = {(readout, k): recheck.language.readouts.LANGUAGE_READOUTS[readout].numbers(model, seen, k) for readout in AT_KEY + WHOLE for k in (1, 4)}
                for change in [] if name == "bert" else CHANGES:
                    change = recheck.language.certificate.read_intervention(change)
                    found[p][change] = recheck.language.readouts.moved(model, seen, recheck.language.evaluation.language_pass(model, TOKENS, change, p))
            for p, key in itertools.product((56, 80), found[256]):
                for (low, high), (least, most) in zip(found[p][key], found[256][key]):
                    self.assertTrue(low << 256 - p <= least <= most <= high << 256 - p, f"{name} {p} {key}")
                    self.assertLess(most - least, 1 << 70)

    def test_what_must_be_there(self):
        """To other programs absence means a value of their own; null is a value."""
        for name, keys in (("mistral", ("num_key_value_heads", "sliding_window")), ("qwen2", ("num_key_value_heads", "max_window_layers", "sliding_window")),
                           ("qwen3", ("num_key_value_heads", "head_dim")), ("gpt_oss", ("num_key_value_heads", "head_dim", "sliding_window", "rope_scaling", "rope_theta"))):
            for key in keys:
                sample = copy.deepcopy(SAMPLES[name])
                del sample.config[key]
                with self.subTest(f"{name} {key}"), self.assertRaisesRegex(recheck.refusal.Reject, f"lacks {key}"):
                    self.loaded(sample)
        sample = copy.deepcopy(SAMPLES["mistral"])
        sample.config |= {"num_key_value_heads": None, "sliding_window": None}
        self.assertEqual((self.loaded(sample).key_heads, [layer.window for layer in self.loaded(sample).layers]), (2, [None, None]))

    def test_whose_map_the_logits_are_of(self):
        for name, usually in (("gpt2", True), ("opt", True), ("llama", False), ("gpt_neox", False)):
            for tied, has_head in itertools.product((True, False, None), (True, False)):
                sample = copy.deepcopy(SAMPLES[name])
                head = sample.names["head"] + ".weight"
                del sample.config["tie_word_embeddings"]
                sample.config |= {} if tied is None else {"tie_word_embeddings": tied}
                of_tokens = usually if tied is None else tied
                if not has_head:
                    del sample.tensors[head]
                elif of_tokens:  # which must be the embedding
                    with self.assertRaisesRegex(recheck.refusal.Reject, "tie_word_embeddings"):
                        self.loaded(sample)
                    sample.tensors[head] = sample.tensors[sample.names["tokens"] + ".weight"]
                model = self.loaded(sample)
                with self.subTest(f"{name} {tied} {has_head}"):
                    self.assertEqual(model.vocabulary, VOCABULARY if of_tokens or has_head else 0)
                    if model.vocabulary:
                        self.assertEqual(list(model.head) == list(model.tables["tokens"]), of_tokens)

    def test_verdict(self):
        value = self.good(SAMPLES["gpt2"])
        path = self.write("certificate.json", canonical(value))
        done = run("--claims", CLAIMS, path)
        self.assertEqual((done.returncode, done.stdout), (0, f"{path}: language: proved: exact: {self.remarks(value)}\n"))


class Enclosures(unittest.TestCase):
    P = 80

    def near(self, x, ends, most=1e-14):
        """The float x is about what lies between these ends, which are close."""
        low, high = ends
        self.assertTrue(low <= high and abs(float(high) - float(low)) <= most * max(1, abs(x)))
        self.assertAlmostEqual(x, float(low), delta=most * max(1, abs(x)))

    def nested(self, wide, narrow, shift=0):
        self.assertTrue(wide[0] * 2**shift <= narrow[0] <= narrow[1] <= wide[1] * 2**shift, (wide, narrow))

    def test_constants(self):
        draw = random.Random(2)
        points = [Fraction(draw.randrange(1, 10**6), draw.randrange(1, 10**3)) for _ in range(60)] + [Fraction(1), Fraction(2, 3), Fraction(1, 10**9)]
        self.near(math.pi, recheck.language.functions.pi_ends(64))
        self.nested(recheck.language.functions.pi_ends(64), recheck.language.functions.pi_ends(300))
        for x in points:
            self.near(math.log(x), recheck.language.functions.log_ends(x, 64))
            self.near(math.sqrt(x), recheck.language.functions.root_ends(x, 64))
            for of in (recheck.language.functions.log_ends, recheck.language.functions.root_ends):
                self.nested(of(x, 64), of(x, 300))

    def test_angles(self):
        draw = random.Random(3)
        for x in [0, 1, 1 << self.P] + [draw.randrange(1 << self.P + k) for k in range(-70, 12)]:
            found, more = recheck.language.functions.cos_sin(x, self.P), recheck.language.functions.cos_sin(x << 220, 300)
            self.assertAlmostEqual(math.cos(x / 2**self.P), found[0] / 2**self.P, 11)
            self.assertAlmostEqual(math.sin(x / 2**self.P), found[1] / 2**self.P, 11)
            for a, b in zip(found, more):
                self.assertTrue(abs((a << 220) - b) <= 2 << 220)

    def test_activations(self):
        draw = random.Random(4)
        points = [round(draw.uniform(-1, 1) * 2**draw.randrange(-20, 5) * 2**self.P) for _ in range(150)] + [0, 1, -1, 40 << self.P, -200 << self.P]
        for name, of in (("silu", recheck.language.functions.logistic_share), ("gelu", recheck.language.functions.normal_share), ("gelu_new", recheck.language.functions.cubic_share)):
            for x in points:
                wide, narrow = of(x, self.P), of(x << 220, self.P + 220)
                self.assertTrue(wide[1] - wide[0] <= 8, f"{name} {x}")
                self.nested(wide, narrow, 220)
                self.assertAlmostEqual(ACTIVATIONS[name](x / 2**self.P), x / 2**self.P * wide[0] / 2**self.P, 10)
                ball = recheck.language.functions.activated(recheck.checkpoint.forward.Balls([[x]], [1 << 50]), name, self.P)
                for moved in (x - (1 << 50), x + (1 << 50)):
                    image = recheck.language.functions.activated(recheck.checkpoint.forward.Balls([[moved]], [0]), name, self.P)
                    self.assertLessEqual(abs(ball.rows[0][0] - image.rows[0][0]), ball.radii[0] + image.radii[0])

    def contains(self, step, rows, radius):
        """The image of each of many points of a ball lies within the image of the ball."""
        whole, draw = step(recheck.checkpoint.forward.Balls(rows, [radius] * len(rows))), random.Random(5)
        for _ in range(30):
            points = [[x + draw.choice((-1, 1)) * radius for x in row] for row in rows]
            image = step(recheck.checkpoint.forward.Balls(points, [0] * len(rows)))
            for row, r, at, s in zip(*whole, *image):
                self.assertLessEqual(s, 1 << 20)
                self.assertLessEqual(max(abs(x - y) for x, y in zip(row, at)), r + s)

    def test_balls(self):
        draw, p = random.Random(6), self.P
        rows = [[round(draw.uniform(-3, 3) * 2**p) for _ in range(6)] for _ in range(3)]
        weights = recheck.checkpoint.model.Map([0.375, -0.625, 0.0, 8.75, 0.125, 0.25], [0.125, 0.0, -0.375, 0.25, 0.25, 0.25], 1)
        for rms, radius in itertools.product((False, True), (0, 1 << 20, 1 << p - 5)):
            self.contains(lambda balls, r=rms: recheck.language.evaluation.normed(balls, weights, Fraction(1, 10**5), r, p), rows, radius)
        # far from the origin and close together: the deviation is small beside the radius's share of it
        close = [[(7 << p) + (x >> 8) for x in row] for row in rows]
        self.contains(lambda balls: recheck.language.evaluation.normed(balls, weights, Fraction(1, 10**12), False, p), close, 1 << p - 14)
        with self.assertRaises(recheck.checkpoint.forward.Failure):
            recheck.language.evaluation.normed(recheck.checkpoint.forward.Balls(close, [1 << p - 5] * 3), weights, Fraction(1, 10**12), False, p)
        self.contains(lambda balls: recheck.language.evaluation.product(balls, recheck.checkpoint.forward.Balls([row[::-1] for row in balls.rows], balls.radii), p), rows, 1 << 40)
        for rope in ({}, YARN, LLAMA3):
            rotary = recheck.language.rotary.Rotary(recheck.language.config.Keys({"max_position_embeddings": 64}), recheck.language.config.Keys(exact(rope)), 6, False)
            self.contains(lambda balls, of=rotary: of.turned(balls, (0, 5, 4000), p), rows, 1 << 40)

    def test_norms(self):
        """Known values: 3-4-5, and a row whose mean square is 1."""
        one, p = recheck.checkpoint.model.Map([1.0] * 2, None, 1), self.P
        for found, values in ((recheck.language.evaluation.normed(recheck.checkpoint.forward.Balls([[4 << p, -4 << p]], [0]), one, Fraction(9), True, p), (0.8, -0.8)),
                              (recheck.language.evaluation.normed(recheck.checkpoint.forward.Balls([[9 << p, 1 << p]], [0]), one, Fraction(9), False, p), (0.8, -0.8))):
            for c, x in zip(found.rows[0], values):
                self.assertLessEqual(abs(c - Fraction(str(x)) * 2**p), found.radii[0])
            self.assertLessEqual(found.radii[0], 4)
        self.assertEqual(recheck.language.readouts.norms_of(recheck.checkpoint.forward.Balls([[3, 4], [0, 0], [1, 1], [30, 40]], [0, 0, 0, 1])), [(5, 5), (0, 0), (1, 2), (48, 52)])

    def test_gaps_of_answers(self):
        """Both answers of a leaf may be off by their radii; a margin of 1 unit is shown, one of 0 is refused."""
        Balls = recheck.checkpoint.forward.Balls
        table = object.__new__(recheck.language.cover_product.Products)
        table.heads, table.p, table.gaps, table.index, table.keys = 1, 0, {}, {7: 0}, [Balls([[0]], [0])]
        table.values, table.own = [Balls([[9, 2]], [2])], Balls([[6, 4]], [3])
        table.weights = 7, [[(1, 1)]]
        self.assertEqual(table.gap(0, 0, 1), [9 - 2 - 2 * 2])
        for own, shown in ((6, False), (7, False), (8, True)):  # own - 4 - 2 * 3 + 3 is to be 1 or more
            table.own.rows[0][0] = own
            self.assertEqual(table.exceeds(7, [[[0]]], 0, 1), shown)

    def test_moved(self):
        """3-4-5, with the radius of either pass."""
        model = types.SimpleNamespace(vocabulary=0)
        for radii, ends in (((0, 0), (5, 5)), ((1, 0), (3, 7)), ((0, 1), (3, 7)), ((1, 1), (2, 8))):
            seen, changed = (recheck.language.evaluation.LanguagePass(self.P, [recheck.checkpoint.forward.Balls([row, [0, 0]], [r, 0])], []) for row, r in zip(([4, 0], [1, 4]), radii))
            self.assertEqual(recheck.language.readouts.moved(model, seen, changed), [ends])

    def test_frequencies(self):
        ropes = [{}, {"rope_type": "linear", "factor": 4.0}, LLAMA3, YARN, YARN | {"truncate": False}, LLAMA3 | {"factor": 1},
                 YARN | {"beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 4096}]
        for rope, base, size in itertools.product(ropes, (10000, 500000, 300.5), (4, 16, 64)):
            longer = 4 * rope.get("original_max_position_embeddings", 0)
            rotary = recheck.language.rotary.Rotary(recheck.language.config.Keys(exact({"rope_theta": base, "max_position_embeddings": longer})), recheck.language.config.Keys(exact(rope)), size, False)
            for j in range(size // 2):
                self.near(scaled_frequency(rope, base, size, j, rope.get("original_max_position_embeddings")), rotary.frequency(j, 96), 1e-12)
            factor = 1 + math.log(rope["factor"]) / 10 if rope.get("rope_type") == "yarn" else 1
            for i in (0, 1, 77):
                for j, (c, s, e) in enumerate(rotary.turn(i, self.P)):
                    angle = i * scaled_frequency(rope, base, size, j, rope.get("original_max_position_embeddings"))
                    self.assertAlmostEqual(c / 2**self.P, factor * math.cos(angle), 11)
                    self.assertAlmostEqual(s / 2**self.P, factor * math.sin(angle), 11)
                    self.assertLess(e, 16)


class Rejected(LanguageCase):
    def test_the_object(self):
        sample = SAMPLES["gpt2"]
        value = self.good(sample, about(sample, ROOM))
        for key in value:
            self.assertEqual(self.check({name: x for name, x in value.items() if name != key})[0], 4, key)
        for key, bad in (("format", 2), ("claim", "tc-1"), ("claim_sha256", "0" * 64), ("semantics", "float32"), ("precision", 63), ("precision", 2049),
                         ("precision", "64"), ("precision", True), ("sequences", []), ("sequences", [[]]), ("sequences", [[-1]]), ("sequences", [[1 << 31]]),
                         ("sequences", [["1"]]), ("sequences", [TOKENS + [VOCABULARY]]), ("sequences", [TOKENS * 3]), ("sequences", [[0] * 4097]),
                         ("sequences", [TOKENS, [VOCABULARY]]), ("sequences", [TOKENS, [0] * (POSITIONS + 1)]),
                         ("statements", []), ("statements", {}), ("statements", [value["statements"][0]] * 65537), ("more", 1)):
            self.assertEqual(self.check(value | {key: bad})[0], 4, f"{key} {str(bad)[:40]}")
        for key, bad in (("architecture", "llama"), ("architecture", None), ("files", {}), ("files", {"config.json": "0" * 64}), ("more", 1)):
            self.assertEqual(self.check(value | {"model": value["model"] | {key: bad}})[0], 4)
        files = value["model"]["files"]
        self.assertEqual(self.check(value | {"sequences": [TOKENS, [VOCABULARY - 1] * POSITIONS]}), (0, ""))
        for changed in (files | {"a.safetensors": "0" * 64}, {"config.json": files["config.json"], "../model.safetensors": "0" * 64},
                        files | {"config.json": 1}, files | {"config.json": "0" * 63}):
            self.assertEqual(self.check(value | {"model": value["model"] | {"files": changed}})[0], 4)

    def test_model_files(self):
        """Either one file of weights, or the index and the shards: no name too many or too few, though the files are there."""
        one, many = SAMPLES["gpt2"], SAMPLES["llama"]
        for sample, own, added, dropped in ((one, one.files(), ("model.safetensors.index.json", "model-9.safetensors", "note.txt"), ("model.safetensors", "config.json")),
                                            (many, many.files(), ("model.safetensors", "note.txt"), ("model-0.safetensors", "model.safetensors.index.json", "config.json"))):
            value, more = self.good(sample), many.files() | one.files() | {"note.txt": b"x", "model-9.safetensors": many.files()["model-0.safetensors"]}
            for names in [own | {name: more[name]} for name in added] + [{name: own[name] for name in own if name != gone} for gone in dropped]:
                self.place(sample, files=own | names)
                model = sample.certificate(names, "", [], [])["model"]
                self.assertNotEqual(self.check(value | {"model": model})[0], 0, sorted(names))
            self.place(sample, files=own)
            self.assertEqual(self.check(value), (0, ""))

    def test_a_pass_that_holds_too_much(self):
        """The longest sequence at the most bits: 2^31 words lie between a width of heads of 318 and one of 320, and again where one is moved.
        What may be held would take hours: it is rejected next, for a head that is not there."""
        tokens, item = [0] * 4096, {"readout": "alpha", "sequence": 1, "position": 1, "lower": ["0"] * 4, "upper": ["1"] * 4}
        change = {"readout": "moved", "sequence": 1, "intervention": CHANGES[0], "lower": ["0"] * 4, "upper": ["9"] * 4}
        no_head = change | {"sequence": 0, "intervention": {"ablated": [[99, 0]]}}
        too_much, other = "a pass over sequence 1 holds too much", reasons.ABLATED_NAMES_NO_HEAD
        for width, about, reason in ((320, [item], too_much), (318, [item, no_head], other), (318, [change], too_much), (316, [change, no_head], other)):
            with self.subTest(width):
                self.rejected(self.good(Sample("llama", head_dim=width), about, [TOKENS, tokens], precision=2048), reason)

    def test_statements(self):
        sample = SAMPLES["gpt2"]
        alpha = stated("alpha", sample.numbers("alpha", TOKENS, 1), ROOM, sequence=0, position=1)
        moved = stated("moved", sample.numbers("moved", TOKENS, change=CHANGES[0]), ROOM, sequence=0, intervention=CHANGES[0])
        share = {"readout": "sink-share", "position": 1, "epsilon": "1/3", "lower": ["0"], "upper": ["1"]}
        value = self.good(sample, [alpha, moved, share], [TOKENS, TOKENS[:4]])
        self.assertEqual(self.check(value), (0, ""))
        for item, key in ((item, key) for item in (alpha, moved, share) for key in item):
            for bad in (None, True, -1, 99, "x", "1/0", [], {}, ["2/4"], ["0"]):
                self.assertEqual(self.check(value | {"statements": [item | {key: bad}]})[0], 0 if item is share and (key, bad) in (("lower", ["0"]),) else 4, f"{key} {bad!r}")
            self.assertEqual(self.check(value | {"statements": [{name: x for name, x in item.items() if name != key}]})[0], 4)
        for item, changes in ((alpha, {"position": 7}), (alpha, {"sequence": 2}), (share, {"position": 5}), (alpha, {"epsilon": "0"}), (share, {"sequence": 0}),
                              (alpha, {"lower": alpha["lower"][1:]}), (alpha, {"lower": alpha["lower"] + ["0"], "upper": alpha["upper"] + ["1"]}),
                              (alpha, {"lower": ["-1" + "0" * 99] * 4}), (share, {"lower": ["0"] * 2, "upper": ["1"] * 2}), (share, {"epsilon": "1/" + "3" * 99}),
                              (moved, {"intervention": {"ablated": [[2, 0]]}}), (moved, {"intervention": {"ablated": [[0, 2]]}}), (moved, {"intervention": {"ablated": [[0]]}}),
                              (moved, {"intervention": CHANGES[0] | {"window": 0}}), (moved, {"intervention": CHANGES[0] | {"window": (1 << 20) + 1}}),
                              (moved, {"intervention": CHANGES[0] | {"first": -1}}), (moved, {"intervention": CHANGES[0] | {"renumbered": 1}}),
                              (moved, {"intervention": CHANGES[0] | CHANGES[2]})):
            self.assertEqual(self.check(value | {"statements": [item | changes]})[0], 4, changes)
        encoder = self.good(SAMPLES["bert"], [moved | {"lower": ["0"] * 3, "upper": ["9"] * 3, "intervention": CHANGES[0]}])
        self.rejected(encoder, "statement 0: an intervention on an encoder")

    def with_model(self, value, sample, files=None):
        """The certificate, of another model."""
        files = self.place(sample, files=files)
        return value | {"model": sample.certificate(files, "", [], [])["model"]}

    def test_config(self):
        bad = {"n_embd": (None, 0, "8", 8.0, 65537), "n_layer": (None, 0, 3, 1, 513), "n_head": (None, 3, 16), "layer_norm_epsilon": (0, -1, "1e-5", True),
               "activation_function": ("tanh", 1), "scale_attn_weights": (False, 1), "scale_attn_by_inverse_layer_idx": (True, 0), "add_cross_attention": (True,),
               "sinkproof_attention": ("softmin", "softmax-sink", "softmax-gated", 3), "model_type": ("gpt3", None), "tie_word_embeddings": ("yes",),
               "sinkproof_window": (0, 2.5, "3", (1 << 40) + 1)}
        self.of("gpt2", bad)
        rope = {"rope_type": ("longrope", 3), "factor": (None, 0.5, "2"), "original_max_position_embeddings": (0, 1.5, 1 << 31), "mscale": (1,), "mscale_all_dim": (1,),
                "beta_fast": (0, -1, 0.25), "truncate": (1,), "attention_factor": (0,), "partial_rotary_factor": (0.2, 0, 1.5), "rope_theta": (1, 2 * 10**9)}
        self.of("llama yarn", {"rope_scaling": [YARN | {key: x} for key, values in rope.items() for x in values] + [[], "x"], "rope_parameters": (LLAMA3 | {"low_freq_factor": 4}, LLAMA3 | {"low_freq_factor": 0})})
        self.of("llama yarn", {"max_position_embeddings": (None, 16, 32, 65, "64")})
        self.of("qwen3", {"layer_types": (["sliding_attention"], ["full_attention", "x"], 3), "sliding_window": (0, "2", 2.5), "use_sliding_window": (1,), "num_key_value_heads": (3, 0)})
        self.of("qwen2", {"max_window_layers": (513, -1, 0.5)})
        self.of("gpt_oss", {"layer_types": (None,), "sinkproof_attention": ("softmax", "softmax-gated")})
        self.of("llama", {"sinkproof_attention": ("softmax-sink", "softmax-gated"), "head_dim": (None,), "num_key_value_heads": (2,)})
        self.of("opt", {"do_layer_norm_before": (1, None), "_remove_final_layer_norm": (0, True), "hidden_size": (16,), "layer_norm_elementwise_affine": (False, None), "enable_bias": (False, None),
                        "word_embed_proj_dim": (4, 0, 9)})
        self.of("gpt_neox", {"rotary_pct": (0, 1.1)})
        self.of("bert", {"is_decoder": (True,), "position_embedding_type": ("relative_key",)})
        sample = SAMPLES["gpt2"]
        value, files = self.good(sample), sample.files()
        for text in (b"[]", b"{", *(files["config.json"][:-2] + of + b"}" for of in (
                         b',"top_k":01e309', b',"top_k":1.e309', b',"top_k":1e309x', b',"n_ctx":-NaN', b',"layer_norm_epsilon":NaN', b',"layer_norm_epsilon":1e309', b',"layer_norm_epsilon":-0', b',"n_inner":-0',
                         b',"n_inner":Infinity', b',"n_inner":1e400', b',"n_inner":1' + b"0" * 400, b',"n_inner":' + b"1" + b"0" * 30, b',"layer_norm_epsilon":0.00001' + b"0" * 54)),
                     files["config.json"][:-2] + b',"n_embd":8}', files["config.json"][:-2] + b',"prefix":"\\ud800"}', files["config.json"] + b" " * (1 << 22)):
            self.assertEqual(self.check(self.with_model(value, sample, files | {"config.json": text}))[0], 4, text[-40:])
        for allowed in (b', "top_k": 1e-1000, "top_p": [0.5, null], "layer_norm_epsilon": null}\n\n', b', "top_k": 1e-1001, "top_p": 0.' + b"1" * 59 + b', "n_ctx": -1e308, "prefix": 0e99999999999999999999}',
                        b', "top_k": %d.0}' % (2**1024 - 2**971), b', "top_k": [1e309, -1e309, 1E+1001, %d.0, -0, 1%s, -0.0], "top_p": {"1e400": "1e400 \\" 1e400"}}' % (2**1024, b"0" * 400), b', "top_k": NaN, "top_p": [Infinity, -Infinity], "n_ctx": -1' + b"0" * 300 + b', "prefix": "\\"NaN"}', b', "layer_norm_epsilon": 0.00001' + b"0" * 53 + b"}"):
            text = files["config.json"][:-2] + allowed
            self.assertEqual(self.check(self.with_model(value, sample, files | {"config.json": text})), (0, ""), allowed)
        for text, code in ((b"1e-1000", 0), (b"1e-1001", 4), (b"1e-01000", 4), (b"0.0000000000001e+0001", 0), (b"0.0000000000001e+00001", 4), (b"0.1e-0011", 0), (b"0.1E-00011", 4)):  # of bert, whose numbers are the same with either
            files = SAMPLES["bert"].files()
            files["config.json"] = files["config.json"][:-2] + b', "layer_norm_eps": ' + text + b"}"
            self.assertEqual(self.check(self.with_model(self.good(SAMPLES["bert"]), SAMPLES["bert"], files))[0], code, text)
        sample = copy.deepcopy(SAMPLES["gpt2"])
        value = self.good(sample)
        sample.config["sinkproof_window"] = 1 << 40
        self.assertEqual(self.check(self.with_model(value, sample)), (0, ""))

    def of(self, name, bad):
        for key, values in bad.items():
            for x in values:
                sample = copy.deepcopy(SAMPLES[name])
                value = self.good(sample)
                sample.config |= {key: x}
                with self.subTest(f"{name} {key} {x}"):
                    self.assertEqual(self.check(self.with_model(value, sample) | {})[0], 4)

    def test_tensors(self):
        """Missing, misshapen, not finite, or nothing that reads them."""
        for name in ("gpt2 gated", "qwen3", "gpt_oss", "gpt_neox", "opt", "bert"):
            for tensor in SAMPLES[name].tensors:
                sample = copy.deepcopy(SAMPLES[name])
                value, (shape, flat) = self.good(sample), sample.tensors[tensor]
                sample.tensors[tensor] = ([1] + shape, flat)
                self.assertEqual(self.check(self.with_model(value, sample))[0], 4, tensor)
                sample.tensors[tensor] = (shape, [math.inf] + flat[1:])
                self.assertEqual(self.check(self.with_model(value, sample))[0], 4, tensor)
                del sample.tensors[tensor]
                if not tensor.startswith(("lm_head", "embed_out")):
                    self.assertEqual(self.check(self.with_model(value, sample))[0], 4, tensor)
        for name, parts, shape in (("gpt2", ("c_fc.weight", "c_fc.bias", "c_proj.weight"), lambda shape: [0 if x == INNER else x for x in shape]), ("gpt_oss", ("up_proj.weight",), lambda shape: [0, shape[1]])):
            sample = copy.deepcopy(SAMPLES[name])
            value = self.good(sample)
            for tensor in sample.tensors:  # an MLP of no rows
                if tensor.endswith(tuple("mlp." + part for part in parts)):
                    sample.tensors[tensor] = (shape(sample.tensors[tensor][0]), [])
            self.assertEqual(self.check(self.with_model(value, sample))[0], 4)
        sample = copy.deepcopy(SAMPLES["gpt2"])
        value, layer = self.good(sample), "transformer.h.1."
        for tensor, code in ((layer + "attn.bias", 0), (layer + "attn.masked_bias", 0), (layer + "attn.sinks", 4), ("transformer.h.2.attn.c_attn.weight", 4),
                             (layer + "mlp.extra", 4), ("transformer.extra", 4), ("h.1.mlp.extra", 4), ("wte.bias", 4), ("lm_head.bias", 4), ("transformer.h.2.attn.bias", 4),
                             (layer + "rotary_emb.inv_freq", 4), ("score.weight", 0), ("h1.extra", 0)):
            more = copy.deepcopy(sample)
            more.tensors[tensor] = ([1], [math.inf])
            self.assertEqual(self.check(self.with_model(value, more))[0], code, tensor)

    def test_without_a_perceptron(self):
        """gpt_oss: a layer without mlp.up_proj has none; a router and the norm may be there, experts may not."""
        sample, prefix = without_perceptrons([1]), "model.layers.1."
        value = self.good(sample, about(sample, ROOM))
        self.assertEqual(self.check(value), (0, ""))
        for tensor, layer, code in (("mlp.router.weight", 1, 0), ("post_attention_layernorm.weight", 1, 0), ("post_attention_layernorm.weight", 0, 4), ("mlp.router.bias", 0, 4), ("mlp.experts.gate_up_proj_blocks", 1, 4)):
            more = copy.deepcopy(sample)
            more.tensors[f"model.layers.{layer}.{tensor}"] = ([1], [math.nan])
            self.assertEqual(self.check(self.with_model(value, more))[0], code, tensor)
        del sample.tensors[prefix + "post_attention_layernorm.weight"]
        self.assertEqual(self.check(self.with_model(value, sample)), (0, ""))


class Folders(LanguageCase):
    def test_where_the_model_is(self):
        """In --models or beside the certificate, or in a folder of these; and with no other weights."""
        sample = SAMPLES["gpt2"]
        value = self.good(sample)
        path, files = self.write("certificates/certificate.json", canonical(value)), sample.files()
        for name in files:
            os.unlink(os.path.join(self.folder, name))
        recheck.hashes.file_hash.cache_clear()
        self.assertEqual(recheck.check.check_file(path, self.options)[0], 2)
        for below, models in (("certificates", None), ("certificates/a", None), ("b", "b"), ("c/d", "c")):
            self.place(sample, below)
            self.options.models = models and os.path.join(self.folder, models)
            self.assertEqual(recheck.check.check_file(path, self.options)[0], 0, below)
            shutil.rmtree(os.path.join(self.folder, below) if below != "certificates" else os.path.join(self.folder, "nothing"), ignore_errors=True)
            for name in files if below == "certificates" else ():
                os.unlink(os.path.join(self.folder, below, name))
            recheck.hashes.file_hash.cache_clear()
        self.place(sample, "e/f/g")
        self.options.models = os.path.join(self.folder, "e")
        self.assertEqual(recheck.check.check_file(path, self.options)[0], 2)

    def test_shards(self):
        sample = SAMPLES["llama"]
        value, files = self.good(sample), sample.files()
        self.assertEqual(self.check(value), (0, ""))
        index = json.loads(files["model.safetensors.index.json"])
        tensor = next(iter(index["weight_map"]))
        for changed in ({}, {"weight_map": []}, {"weight_map": {}}, {"weight_map": index["weight_map"] | {"more": "model-0.safetensors"}},
                        {"weight_map": index["weight_map"] | {tensor: "model-9.safetensors"}}, {"weight_map": {name: x for name, x in index["weight_map"].items() if name != tensor}}):
            more = files | {"model.safetensors.index.json": json.dumps(changed).encode()}
            self.place(sample, files=more)
            self.assertEqual(self.check(value | {"model": sample.certificate(more, "", [], [])["model"]})[0], 4, changed)
        for text, code in ((b'"\\ud800"', 4), (b"1e309", 0), (b"01e309", 4), (b"1e-1001", 0), (b"-0", 0)):
            more = files | {"model.safetensors.index.json": json.dumps(index).encode()[:-1] + b', "more": ' + text + b"}"}
            self.place(sample, files=more)
            self.assertEqual(self.check(value | {"model": sample.certificate(more, "", [], [])["model"]})[0], code, text)
        for extra, data in (("other.safetensors", files["model-0.safetensors"]), ("model-9.safetensors", b"\2" + b"\0" * 7 + b"{}")):
            more = files | {extra: data}
            self.place(sample, files=more)
            self.assertEqual(self.check(value | {"model": sample.certificate(more, "", [], [])["model"]})[0], 4)
        self.place(sample)
        self.assertEqual(self.check(value), (0, ""))
        self.write("model.safetensors", b"another")
        self.assertEqual(self.check(value)[0], 2)
        self.place(sample, "z")
        self.assertEqual(self.check(value), (0, ""))

    def test_a_folder_that_is_no_model_is_not_the_last(self):
        sample = SAMPLES["gpt2"]
        value = self.good(sample)
        self.write("adapter_config.json", b"{}")
        self.rejected(value, "adapter_config.json: another model's weights are changed")
        self.place(sample, "a")
        self.assertEqual(self.check(value), (0, ""))


class Sizes(LanguageCase):
    def test_what_a_pass_holds(self):
        """Words by hand, of the widest of n, H w and F: so many are allowed and one less is not; of a `moved` more, where nothing is named, none."""
        self.assertEqual(recheck.language.certificate.MAX_WORDS, 1 << 31)
        for sample, widest, precision in ((SAMPLES["gpt2"], INNER, 64), (SAMPLES["llama"], 12, 200), (without_perceptrons([1]), INNER, 127), (without_perceptrons([0, 1]), 8, 64)):
            alpha = stated("alpha", sample.numbers("alpha", TOKENS, 1), ROOM, sequence=0, position=1)
            change = stated("moved", sample.numbers("moved", TOKENS, change=CHANGES[0]), ROOM, sequence=0, intervention=CHANGES[0])
            for statements, more in (([alpha], 0), ([alpha, change, change], 3 * 8)):
                value = self.good(sample, statements, [TOKENS, [0] * 12], precision=precision)
                words = len(TOKENS) * (precision // 64 + 4) * (10 * widest + 2 * len(TOKENS) + more)
                with patched(MAX_WORDS=words):
                    self.assertEqual(self.check(value), (0, ""))
                with patched(MAX_WORDS=words - 1):
                    self.rejected(value, "a pass over sequence 0 holds too much")

    def test_what_this_checker_does_not_do(self):
        value = self.good(SAMPLES["gpt2"])
        path = self.write("certificate.json", canonical(value))
        with patched(EVALUATED_BYTES=100):
            code, result = recheck.check.check_file(path, self.options)
        reason = "the model has over 100 bytes, the most that this checker evaluates"
        self.assertEqual((code, result["verdict"], result["reason"]), (3, "unknown", reason))
        self.assertEqual(self.check(value)[0], 0)


if __name__ == "__main__":
    unittest.main()
