#!/usr/bin/env python3
"""Tests of tools/recheck on layer certificates: python3 tests/recheck/layer_test.py

The certificates are those of layer_sample.py: tiny random layers of every kind, with the best numbers the page allows,
so that every one of them, moved by a little, must lead to exit 4.
"""

import copy
import hashlib
import itertools
import json
import os
import random
import struct
import unittest
from fractions import Fraction

import reasons
import layer_sample
from layer_sample import GRID, KINDS, Sample
from recheck_test import SAMPLES, Case, canonical, named, recheck, run, trees

CLAIM_HASH = recheck.hashes.claim_hash(os.path.join(SAMPLES, "proofs", "checkpoint"))
TINY = Fraction(1, 10**30)
SEEDS = {"relu": 1}  # a layer with some attention on BOS in every class of rows
CLASS_NAMES = [f"{f}_{g}" for f in ("content", "trigger") for g in ("bos", "content", "trigger")]


def kernel_down(name, x):
    return recheck.checkpoint.kernels.kernel_end(name, x, False, "it")


def kernel_up(name, x):
    return recheck.checkpoint.kernels.kernel_end(name, x, True, "it")


def make(attention, heads=2, **options):
    return Sample(attention, heads, claim_hash=CLAIM_HASH, **options)


def kinds():
    """(attention, heads, biases): one with several heads and one with a single head, where that is not a head certificate."""
    for attention in KINDS:
        yield attention, 2, True
        if attention != "softmax":
            yield attention, 1, attention == "relu"


def moved(text, by):
    return str(Fraction(text) + by)


class LayerCase(Case):
    def setUp(self):
        super().setUp()
        self.options.models = None

    def install(self, layer, data=None):
        """The model beside the certificate, and the certificate."""
        data = layer.file() if data is None else data
        path = self.write("model.safetensors", data)
        recheck.hashes.file_hash.cache_clear()
        value = layer.certificate()
        value["model"]["sha256"] = hashlib.sha256(data).hexdigest()
        self.assertTrue(path)
        return value

    def loaded(self, layer):
        """The program's own view of the layer."""
        path = self.write("loaded.safetensors", layer.file())
        return recheck.checkpoint.model.Matrices(recheck.checkpoint.model.load_model(path, layer.model(), layer.length), (3, layer.length))


class Accepted(LayerCase):
    def test_every_kind(self):
        for attention, heads, biases in kinds():
            with self.subTest(f"{attention} {heads} {biases}"):
                self.assertEqual(self.check(self.install(make(attention, heads, biases=biases))), (0, ""))

    def test_other_sizes(self):
        for attention in ("softmax", "softmax-null", "softmax-sink", "softmax-gated", "linear"):
            for n, length, heads in ((5, 5, 3), (6, 4, 2), (4, 3, 2)):
                with self.subTest(f"{attention} {n} {length}"):
                    value = self.install(make(attention, heads, n=n, length=length, seed=n))
                    self.assertEqual("bos-floor.post" in [item["name"] for item in value["properties"]], length > 3)
                    self.assertEqual(self.check(value), (0, ""))

    def test_a_sink_is_a_null_slot_under_smaller_logits(self):
        """Sinks of zero are the null slots of softmax-null; others are, where a coordinate takes them off all logits."""
        zero = make("softmax-sink")
        zero.tensors["sinks"] = [Fraction(0)] * 2
        null = make("softmax-null", tensors={name: tensor for name, tensor in zero.tensors.items() if name != "sinks"})
        value = self.install(make("softmax-sink", tensors=zero.tensors))
        self.assertEqual(self.check(value), (0, ""))
        self.write("model.safetensors", null.file())
        recheck.hashes.file_hash.cache_clear()
        self.assertEqual(self.check(dict(value, model=null.model())), (0, ""))
        sink = make("softmax-sink", seed=2)  # its scale is 1
        self.assertNotIn(0, sink.sinks)
        value, by_head = self.install(sink), lambda row: [row[:sink.width], row[sink.width:]]
        for change, code in ((0, 0), (Fraction(1, 8), 4)):
            ones, less, nothing = [Fraction(1)] * 2, [-sink.sinks[0], -sink.sinks[1] - change], [Fraction(0)] * 2
            tensors = {"W_O.weight": [[x for part in by_head(row) for x in part + nothing[:1]] for row in sink.tensors["W_O.weight"]], "W_O.bias": sink.tensors["W_O.bias"]}
            for name, last in (("W_Q", ones), ("W_K", less), ("W_V", nothing)):
                tensors[f"{name}.weight"] = [row for part in by_head(sink.tensors[f"{name}.weight"]) for row in part + [[Fraction(0)] * 4]]
                tensors[f"{name}.bias"] = [x for part, y in zip(by_head(sink.tensors[f"{name}.bias"]), last) for x in part + [y]]
            null = make("softmax-null", tensors=tensors)
            self.write("model.safetensors", null.file())
            recheck.hashes.file_hash.cache_clear()
            self.assertEqual(self.check(dict(value, model=null.model()))[0], code)

    def test_the_command_line(self):
        value = self.install(make("softmax-null"))
        path = self.write("certificate.json", canonical(value))
        out = run("--format", "json", "--claims", self.options.claims, path)
        found = json.loads(out.stdout)["files"][0]
        self.assertEqual((out.returncode, found["verdict"], found["evidence"], found["reason"]), (0, "proved", "exact", "logits scaled by 2/3; bounds for every length up to 4"))
        value["ranges"]["heads"][0]["gates"] = {}
        self.write("certificate.json", canonical(value))
        self.assertEqual(run("--claims", self.options.claims, path).returncode, 4)


class Models(LayerCase):
    """Section 4.2: tensors, biases, heads."""

    def test_matrices_are_the_model(self):
        """x^T M_h y, V_h y, o and the gate against the raw tensors, for random tokens."""
        for attention, heads, biases in kinds():
            layer = make(attention, heads, n=5, biases=biases, seed=3 + heads)
            seen, width = self.loaded(layer), layer.width
            tokens = layer.sequence(3)
            for x, y in itertools.product(tokens, tokens):
                q, k, a = ([sum(p * z for p, z in zip(row, token)) + b for row, b in zip(
                    layer.tensors[f"{name}.weight"], layer.tensors.get(f"{name}.bias", [0] * heads * width))]
                    for name, token in (("W_Q", x), ("W_K", y), ("W_V", y)))
                out = [sum(p * z for p, z in zip(row, a)) + b for row, b in zip(layer.tensors["W_O.weight"], layer.tensors.get("W_O.bias", [0] * 5))]
                mine = [Fraction(z, seen.scale) for z in seen.o]
                for h, head in enumerate(seen.heads):
                    score = sum(x[f] * head.M[f][g] * y[g] for f in range(5) for g in range(5)) / seen.scale
                    self.assertEqual(score + layer.sinks[h], layer.scale * sum(q[i] * k[i] for i in range(width * h, width * h + width)))
                    mine = [z + sum(p * w for p, w in zip(row, y)) / seen.scale for z, row in zip(mine, head.V)]
                self.assertEqual(mine, out)
            absorbed = attention in ("softmax", "sigmoid-normalised", "elu1-normalised") or not biases
            self.assertEqual(not any(seen.o), absorbed)
            if attention == "softmax-gated":
                self.assertEqual(seen.gates, list(zip(layer.tensors["W_G.weight"], layer.tensors["W_G.bias"])))

    def test_exactly_the_named_tensors(self):
        for attention, heads, biases in (("softmax", 2, True), ("softmax-gated", 2, False), ("softmax-sink", 2, True), ("softmax-null", 2, True), ("sigmoid", 1, True)):
            layer = make(attention, heads, biases=biases)
            good = dict(layer.tensors)
            for name in good:
                layer.tensors = {key: value for key, value in good.items() if key != name}
                needed = name.endswith(".weight") or name in ("W_G.bias", "sinks")
                with self.subTest(f"{attention} without {name}"):
                    if needed:
                        self.assertRaises(recheck.refusal.Reject, self.loaded, layer)
                    else:
                        self.loaded(layer)
            for name in ("b", "W_Q.scale", "W_q.bias", "W_N.bias", "layers.0.W_Q.weight", "layers.0.sinks", "sinks.weight", "embedding.weight") + (
                    () if attention == "softmax-gated" else ("W_G.weight", "W_G.bias")) + (() if attention == "softmax-sink" else ("sinks",)):
                layer.tensors = good | {name: [Fraction(0)] * heads}
                with self.subTest(f"{attention} with {name}"):
                    self.assertRaisesRegex(recheck.refusal.Reject, "another model", self.loaded, layer)

    def test_shapes(self):
        gated, sink = make("softmax-gated"), make("softmax-sink")
        for layer, name in [(gated, name) for name in gated.tensors] + [(sink, "sinks")]:
            good = dict(layer.tensors)
            for change in (lambda t: t[:-1], lambda t: t + t[:1], lambda t: [row[:-1] for row in t] if type(t[0]) is list else [[x] for x in t]):
                layer.tensors = good | {name: change(good[name])}
                with self.subTest(name):
                    self.assertRaisesRegex(recheck.refusal.Reject, f"{name} does not have the shape", self.loaded, layer)
            layer.tensors = good

    def test_dtypes_and_finiteness(self):
        layer = make("linear")
        for dtype in ("F64", "F32", "F16", "BF16"):
            self.assertEqual(self.check(self.install(layer, layer.file((dtype,)))), (0, ""))
        data = bytearray(layer.file(("F32",)))
        self.assertEqual(list(layer.tensors)[-1], "W_O.bias")
        data[-4:] = struct.pack("<f", float("nan"))
        self.rejected(self.install(layer, bytes(data)), "not finite")

    def test_overrides(self):
        for metadata, overrides in (({"num_heads": "1"}, ["num_heads"]), ({"num_heads": "2"}, []), ({"attention": "softmax", "num_heads": "3"}, ["attention", "num_heads"])):
            layer = make("sigmoid", metadata=metadata)
            value = self.install(layer)
            for listed in ([], ["num_heads"], ["attention", "num_heads"], ["attention"]):
                value["model"]["overrides"] = listed
                if listed == overrides:
                    code, remark = self.check(value)
                    self.assertEqual((code, remark.partition("metadata: ")[2]), (0, ", ".join(listed)))
                else:
                    self.rejected(value, "overrides")

    def test_a_first_layer_of_a_stack(self):
        layer = make("softmax-gated", metadata={"num_layers": "4"})
        layer.tensors = {f"layers.0.{name}": tensor for name, tensor in layer.tensors.items()}
        data = layer.file()
        layer.tensors = {name[9:]: tensor for name, tensor in layer.tensors.items()}
        value = self.install(layer, data)
        self.rejected(value, "overrides")
        value["model"]["overrides"] = ["num_layers"]
        code, remark = self.check(value)
        self.assertEqual((code, remark.partition("metadata: ")[2]), (0, "num_layers"))

    def test_long_strings(self):
        value = self.install(make("sigmoid"))
        bos = value["ranges"]["heads"][0]["bos"]
        value["properties"] = [item for item in value["properties"] if item["name"].startswith("bos")]
        for digits, code in ((998, 0), (1000, 4)):
            q = 10**digits + 1
            bos["greatest"] = str(Fraction((Fraction(bos["greatest"]) * q).__ceil__(), q))
            self.assertEqual(len(bos["greatest"]) > 2000, code == 4)
            self.assertEqual(self.check(value)[0], code)

    def test_where_ranges_belong(self):
        """`ranges` is there exactly where a rule looks at it."""
        for attention, heads in (("softmax", 1), ("softmax", 2), ("elu1-normalised", 1)):
            layer = make(attention, heads)
            value = self.install(layer)
            item = named(value, "sup-loss.pre")
            self.rejected(dict(value, ranges=None), "ranges belongs")
            item["proof"], item["upper"] = {"rule": "stack", "degree": 1, "row_degree": 1}, "1000"
            alone = dict(value, properties=[item])
            self.rejected(alone, "ranges belongs")
            self.assertEqual(self.check(dict(alone, ranges=None)), (0, ""))
            lacking = {key: entry for key, entry in alone.items() if key != "ranges"}
            self.rejected(lacking, "ranges")

    def test_the_box(self):
        good = self.install(make("linear"))
        for key, bad in itertools.chain(itertools.product(["box"], (None, [], ["-1", "1"], [["1", "-1"]], [["-1", "2/2"]], [["-1"]], [[-1, 1]], [["-1", "1"]] * 2, [["-1", "1" * 101]], "-1")),
                                        itertools.product(["triggers"], (None, [], [3], [2, 4], [3, 3], [3, 5], ["3", "4"], [3, 4, 4])),
                                        itertools.product(["inputs"], ({}, {"count": 1, "seed": 0}, [], False)), itertools.product(["format"], (3, 0, True, "2"))):
            with self.subTest(f"{key} {bad}"):
                self.rejected(dict(good, **{key: bad}), key)
        self.rejected(dict(good, format=1), "SP0505")
        for key, bad in (("scale", "0"), ("scale", "-1"), ("scale", 1), ("scale", None), ("head_width", 0), ("head_width", 4097), ("head_width", "4"), ("num_layers", 2), ("residual", True), ("residual", None)):
            with self.subTest(f"{key} {bad}"):
                self.rejected(dict(good, model=good["model"] | {key: bad}), key)
        for digits, reason in ((99, reasons.ABOVE_BOUND), (100, "more than 100 characters")):  # the longest scale, which proves nothing here
            self.rejected(dict(good, model=good["model"] | {"scale": "1" * digits + "0"}), reason)
        layer = make("linear")
        self.rejected(dict(good, model=good["model"] | {"head_width": layer.width + 1}), "shape")
        self.assertEqual(self.check(dict(good, model=good["model"] | {"scale": str(layer.scale * 2)}))[0], 4)

    def test_a_head_certificate_with_biases(self):
        """The witness's loss has W_V.bias and W_O.bias in it."""
        layer = make("softmax", 1)
        value = dict(self.install(layer), ranges=None)
        item = named(value, "sup-loss.pre")
        item.update(upper="1000", proof={"rule": "stack", "degree": 1, "row_degree": 1})
        value["properties"] = [item]
        self.assertEqual(self.check(value), (0, ""))
        item["lower"] = moved(item["lower"], Fraction(3, GRID))  # the witness's loss, biases included, is known that well
        self.rejected(value, reasons.DOES_NOT_ATTAIN_LOWER)

    def test_heads(self):
        layer = make("softmax", 2)
        for heads in (0, 65, True, "2", None):
            value = self.install(layer)
            value["model"]["num_heads"] = heads
            self.rejected(value, "num_heads")
        for heads, attention, reason in ((1, "softmax", "shape"), (3, "softmax", "shape"), (2, "softmax-gated", "W_G"), (2, "softmax-one", "attention"), (2, None, "attention")):
            value = self.install(layer)
            value["model"].update(num_heads=heads, attention=attention)
            self.rejected(value, reason)


class Mutants(LayerCase):
    """One change in a good certificate: exit 4."""

    def test_every_key_is_needed_and_none_may_be_added(self):
        for attention in ("softmax-null", "softmax-sink", "softmax-gated"):
            good, paths = self.install(make(attention)), []

            def collect(value, path):
                if type(value) is dict:
                    paths.extend((path, key) for key in value)
                    paths.append((path, None))
                    for key, child in value.items():
                        collect(child, path + [key])
                elif type(value) is list and path[-1:] != ["tokens"]:
                    for index, child in enumerate(value):
                        collect(child, path + [index])
            collect(good, [])
            self.assertGreater(len(paths), 200)
            for path, key in paths:
                with self.subTest(f"{attention} {path} {key}"):
                    value = copy.deepcopy(good)
                    item = value
                    for step in path:
                        item = item[step]
                    if key is None:
                        item["zz"] = 1
                    else:
                        del item[key]
                    self.assertEqual(self.check(value)[0], 4)

    def test_wrong_types(self):
        good = self.install(make("softmax-gated"))
        head = ["ranges", "heads", 1]
        paths = [["ranges"], ["ranges", "order"], ["ranges", "trees"], ["ranges", "trees", 5], ["ranges", "heads"], head, head + ["bos"], head + ["classes"], head + ["gates"], head + ["gates", "bos"],
                 head + ["classes", "content_bos"], ["properties", 0, "proof"], ["properties", 0, "proof", "rule"], ["properties", 1, "proof", "rule"]]
        paths += [head + ["classes", "trigger_content", key] for key in ("low", "high", "least", "greatest")]
        paths += [head + ["bos", key] for key in ("least", "greatest")] + [head + ["gates", "content", key] for key in ("least", "greatest")]
        for path in paths:
            for bad in (True, None, 0, -1, 1, "x", "", [], {}, [[]], [{}], "layer", "2/2"):
                with self.subTest(f"{path} {bad!r}"):
                    value = copy.deepcopy(good)
                    item = value
                    for step in path[:-1]:
                        item = item[step]
                    item[path[-1]] = bad
                    self.assertEqual(self.check(value)[0], 4)

    def test_ranges(self):
        """Every number of the ranges, tightened by a little; and what a tree may not be."""
        for attention, heads, biases in kinds():
            layer = make(attention, heads, n=5, length=3, biases=biases, seed=4)
            good = self.install(layer)
            last = good["ranges"]["heads"][-1]
            null = ["content_null", "trigger_null"] if layer.z else []
            self.assertEqual(sorted(last["classes"]), sorted(CLASS_NAMES + null))
            spots = [(["classes", name], name) for name in CLASS_NAMES + null] + [(["bos"], "bos")]
            spots += [(["gates", name], f"gates: {name}") for name in ("bos", "content", "trigger")] if last["gates"] else []
            for path, what in spots:
                item = last
                for step in path:
                    item = item[step]
                tightened = [("least", Fraction(3, GRID)), ("greatest", -Fraction(3, GRID))]
                if "low" in item:
                    tightened += [("low", TINY), ("high", -TINY)]
                for key, by in tightened:
                    before = dict(item)
                    item[key] = moved(before[key], by)
                    if key in ("least", "greatest"):  # the range stays one, so that only the kernel can object
                        other = "greatest" if key == "least" else "least"
                        item[other] = moved(before[other], by)
                        if Fraction(item["least"]) < 0 and attention != "linear":
                            item["least"] = "0"
                    where = {"least": reasons.LEAST_IS_TOO_LARGE, "greatest": reasons.GREATEST_IS_TOO_SMALL, "low": "low: leaf 0", "high": "high: leaf 0"}[key]
                    with self.subTest(f"{attention} {heads} {what} {key}"):
                        self.rejected(good, f"ranges: head {heads - 1}: {what}: {where}")
                    item.update(before)
            trees = good["ranges"]["trees"]
            for index in (0, len(trees) // 2, len(trees) - 1):
                for bad in ("", "1", "10", "00", "1110000", "0\n"):
                    trees[index] = bad
                    self.rejected(good, "tree")
                    trees[index] = "0"
            for count in (0, len(trees) - 1, len(trees) + 1):
                self.rejected(dict(good, ranges=dict(good["ranges"], trees=["0"] * count)), reasons.ENTRIES_THERE_ARE_OBLIGATIONS)
            self.assertEqual(layer.d, 2)
            for bad in ([0], [0, 0], [1, 2], [True, 0], [0, 1, 2], "01", None):
                value = dict(good, ranges=dict(good["ranges"], order=bad))
                self.rejected(value, "order")
            self.assertEqual(self.check(dict(good, ranges=dict(good["ranges"], order=[1, 0]))), (0, ""))

    def test_trees(self):
        """With full trees `low` and `high` are the extreme logits of vertices, computed here from tokens, and no better."""
        for attention, references in (("softmax", "BC"), ("softmax", "CB"), ("sigmoid", None), ("softmax-null", "CC"), ("softmax-null", "BB"), ("softmax-sink", "BC")):
            layer = make(attention, n=5, length=3, seed=5)
            if references:
                layer.references[1] = dict(zip("CT", references))
            good, M, sides = self.install(layer), layer.M[1], list(itertools.product((-1, 1), repeat=2))
            token = lambda f, u: [Fraction(f == "B"), Fraction(f == "T"), *u, Fraction(f == "C")]
            logit = lambda x, y: sum(x[a] * M[a][b] * y[b] for a in range(5) for b in range(5))
            squares = [sum(max(0, sign * M[k][k]) - sign * M[k][k] for k in (2, 3)) for sign in (1, -1)]
            for f, g in itertools.product("CT", "BCT0" if layer.z else "BCT"):
                logits = []
                for u in sides:
                    ref = logit(token(f, u), token(layer.references[1][f], (0, 0))) if layer.relative else 0
                    keys = [u] if f == g == "T" else [(0, 0)] if g in "B0" else sides
                    logits += [(0 if g == "0" else logit(token(f, u), token(g, w))) - ref for w in keys]
                own = squares if f == g == "T" else (0, 0)
                high, low = max(logits) + own[0], min(logits) - own[1]
                name = f"{layer_sample.FULL[f]}_{layer_sample.FULL[g]}"
                item = good["ranges"]["heads"][1]["classes"][name]
                root, trees = (Fraction(item["low"]), Fraction(item["high"])), good["ranges"]["trees"]
                names = layer.class_names()
                place = {key: 2 * (len(names) + names.index(name)) + at for at, key in enumerate(("high", "low"))}
                item.update(low=str(low), high=str(high))
                for index in place.values():
                    trees[index] = "1100100"
                with self.subTest(f"{attention} {name}"):
                    self.assertEqual(self.check(good), (0, ""))
                    for key, by in (("low", TINY), ("high", -TINY)):
                        item[key] = moved(item[key], by)
                        self.rejected(good, f"{name}: {key}: leaf")
                        item[key] = moved(item[key], -by)
                    for key, end in (("low", root[0]), ("high", root[1])):
                        trees[place[key]] = "0"
                        if Fraction(item[key]) == end:
                            self.assertEqual(self.check(good), (0, ""))
                        else:
                            self.rejected(good, f"{name}: {key}: leaf")
                        trees[place[key]] = "1100100"

    def test_references(self):
        """Each of the four choices is a certificate; a choice that is not the ranges' own, or no choice, is none."""
        for attention in ("softmax", "softmax-gated", "softmax-null", "softmax-sink"):
            for f, g in itertools.product("BC", repeat=2):
                layer = make(attention)
                layer.references = [{"C": f, "T": g}] * 2
                value = self.install(layer)
                self.assertEqual(self.check(value), (0, ""))
                references = value["ranges"]["heads"][1]["references"]
                self.assertEqual(references, {"content": layer_sample.FULL[f], "trigger": layer_sample.FULL[g]})
                for key, other in (("content", {"B": "content", "C": "bos"}[f]), ("trigger", {"B": "content", "C": "bos"}[g])):
                    value["ranges"]["heads"][1]["references"] = references | {key: other}
                    with self.subTest(f"{attention} {f} {g} {key}"):
                        self.rejected(value, f"ranges: head 1: {key}_")
                for bad in (None, {}, "bos", {"content": "bos"}, references | {"bos": "bos"}, references | {"content": "trigger"},
                            references | {"trigger": "null"}, references | {"content": None}, references | {"content": ["bos"]}):
                    value["ranges"]["heads"][1]["references"] = bad
                    self.rejected(value, "references")
        for attention in ("sigmoid", "elu1-normalised", "relu", "linear"):
            value = self.install(make(attention))
            self.assertIsNone(value["ranges"]["heads"][0]["references"])
            value["ranges"]["heads"][0]["references"] = {"content": "bos", "trigger": "content"}
            self.rejected(value, "not relative")

    def test_the_null_slot_is_a_key_of_its_own(self):
        for attention in ("softmax", "softmax-gated"):
            value = self.install(make(attention))
            classes = value["ranges"]["heads"][0]["classes"]
            classes["content_null"] = {"low": "0", "high": "0", "least": "1", "greatest": "2"}
            self.rejected(value, "content_null")
        # exp_up(0) is above 1
        layer = make("softmax-null", n=4, length=4, seed=1)
        layer.references = [{"C": "B", "T": "B"}] * 2
        value = self.install(layer)
        item = value["ranges"]["heads"][0]["classes"]["content_bos"]
        self.assertEqual((item["low"], item["high"]), ("0", "0"))
        item.update(least="1", greatest="1")
        self.rejected(value, "content_bos: greatest is too small")
        # row 1 of softmax-null knows BOS's logit, not a difference
        value = self.install(layer)
        self.assertNotEqual(layer.M[0][0][0], 0)
        value["ranges"]["heads"][0]["bos"] = {"least": str(1 - TINY), "greatest": str(1 + TINY)}
        self.rejected(value, "head 0: bos")

    def test_the_length_of_a_layer(self):
        value = self.install(make("linear"))
        for length, reason in ((4097, "tokens"), (2, "length is out of range")):
            value.update(length=length, triggers=[3, length])
            self.rejected(value, reason)

    def test_only_layer_row_ends_at_length_4096(self):
        for name, length, reason in (("sup-loss.pre", 4096, ""), ("sup-loss.pre", 4097, "rule layer-row: length is over 4096"),
                                     ("bos-ceiling.pre", 4097, ""), ("bos-floor.pre", 4097, "")):
            with self.subTest(f"{name} {length}"):
                value = self.install(make("linear"))
                item = named(value, name)
                item.update({"lower": "-1000"} if "floor" in name else {"upper": "1000"})
                tokens = item["witness"]["tokens"]
                tokens += [["0"] * (len(tokens[0]) - 1) + ["1"]] * (length - len(tokens))
                value.update(length=length, triggers=[3, length], properties=[item])
                if reason:
                    self.rejected(value, reason)
                else:
                    self.assertEqual(self.check(value), (0, ""))

    def test_exact_kernels_leave_nothing(self):
        """relu and linear kernels are exact: a range that is tighter by 10^-30 is refused."""
        for attention in ("relu", "linear"):
            good = self.install(make(attention))
            for key, by, reason in (("least", TINY, reasons.LEAST_IS_TOO_LARGE), ("greatest", -TINY, reasons.GREATEST_IS_TOO_SMALL)):
                item = good["ranges"]["heads"][0]["classes"]["content_content"]
                before = item[key]
                item[key] = moved(before, by)
                self.rejected(good, reason)
                item[key] = before

    def test_the_signs_of_ranges(self):
        """Only a signed kernel may have a range below zero, no kernel an empty one."""
        for attention, _, _ in kinds():
            good = self.install(make(attention))
            head = good["ranges"]["heads"][0]
            for item in (head["bos"], head["classes"]["trigger_content"]):
                before = dict(item)
                item["least"] = moved(item["least"], -100)
                if attention == "linear":
                    code, reason = self.check(good)
                    self.assertNotIn("ranges", reason)  # the ranges are right, though too wide for the bounds
                else:
                    self.rejected(good, reasons.LEAST_IS_OVER_GREATEST_OR_NEGATIVE)
                item.update(before)
        # low may not exceed high where the kernel does not see it: max(0, -3) = max(0, -2)
        gated = self.install(make("softmax-gated"))
        gate = gated["ranges"]["heads"][0]["gates"]["content"]
        gate["least"] = "-1/2"
        self.rejected(gated, reasons.LEAST_IS_OVER_GREATEST_OR_NEGATIVE)

    def test_gates(self):
        good = self.install(make("softmax"))
        good["ranges"]["heads"][0]["gates"] = {name: {"least": "1", "greatest": "1"} for name in ("bos", "content", "trigger")}
        self.rejected(good, reasons.HEAD_HAS_NO_GATE)
        gated = self.install(make("softmax-gated"))
        gated["ranges"]["heads"][0]["gates"] = None
        self.rejected(gated, "gates")

    def test_the_number_of_heads_with_ranges(self):
        good = self.install(make("elu1"))
        for change in (lambda heads: heads.pop(), lambda heads: heads.append(heads[0]), lambda heads: heads.reverse()):
            value = copy.deepcopy(good)
            change(value["ranges"]["heads"])
            self.assertEqual(self.check(value)[0], 4)

    def test_bounds(self):
        """Every lower and upper of every property, moved by a little: only the check of that number can object."""
        for attention, heads, biases in kinds():
            good = self.install(make(attention, heads, biases=biases, seed=SEEDS.get(attention, 8)))
            for item in good["properties"]:
                name = item["name"]
                if name == "sup-loss":
                    continue
                alone = dict(good, properties=[item])
                rigorous, attained = ("lower", "upper") if "floor" in name else ("upper", "lower")
                outward = {"lower": 1, "upper": -1}
                before = dict(item)
                item[rigorous] = moved(before[rigorous], outward[rigorous] * TINY)
                reason = reasons.UPPER_IS_TOO_SMALL if name.startswith("sup-loss") else reasons.BOUND_IS_NOT_SHOWN
                with self.subTest(f"{attention} {heads} {name} {rigorous}"):
                    self.rejected(alone, f"property {name}: ")
                    self.rejected(alone, reason)
                item.update(before)
                with self.subTest(f"{attention} {heads} {name} {attained}"):
                    item[attained] = moved(before[attained], outward[attained] * Fraction(5, GRID))
                    self.assertEqual(self.check(alone)[0], 4)
                    if Fraction(item["lower"]) <= Fraction(item["upper"]):
                        self.rejected(alone, f"does not attain {attained}")
                    item.update(before)
                    item[rigorous] = moved(before[rigorous], -3 * outward[rigorous])
                    if Fraction(item["lower"]) >= 0 or attention == "linear":
                        self.assertEqual(self.check(alone), (0, ""))  # looser bounds are shown as well
                    else:
                        self.rejected(alone, "negative")
                    item.update(before)
            for key, by in (("upper", TINY), ("upper", -TINY), ("lower", TINY), ("lower", -TINY)):
                value = copy.deepcopy(good)
                named(value, "sup-loss")[key] = moved(named(good, "sup-loss")[key], by)
                self.rejected(value, "property sup-loss: ")

    def test_row_one(self):
        """Layers whose first row is the worst one, with BOS's value along the sign and against it."""
        for attention, (v_b, v_c, o, score, gate) in itertools.product(KINDS, ((2, 0, Fraction(1, 2), 4, 2), (-1, -2, 3, -4, -2))):
            square = lambda entries: [[Fraction(entries.get((a, b), 0)) for b in range(4)] for a in range(4)]
            unit, scores = square({(k, k): 1 for k in range(4)}), square({(0, 0): score, (3, 3): 1})
            out = [row + [Fraction(0)] * 4 for row in square({(2, 0): v_b, (2, 3): v_c})]  # the second head is idle
            tensors = {"W_Q.weight": unit * 2, "W_K.weight": scores * 2, "W_V.weight": unit * 2, "W_O.weight": out, "W_O.bias": [Fraction(0), Fraction(0), Fraction(o), Fraction(0)]}
            if attention == "softmax-gated":
                tensors |= {"W_G.weight": [[Fraction(gate), Fraction(0), Fraction(0), Fraction(0)]] * 2, "W_G.bias": [Fraction(0)] * 2}
            if attention == "softmax-sink":
                tensors["sinks"] = [Fraction(-score, 8)] * 2
            layer = make(attention, tensors=tensors)
            value = self.install(layer)
            others = max(layer.bound(value["ranges"], *shape, r, s) for shape in layer.shapes("pre") for r in range(4) for s in (1, -1))
            item = named(value, "sup-loss.pre")
            value["properties"] = [item]
            with self.subTest(f"{attention} {v_b}"):
                self.assertGreater(Fraction(item["upper"]), others)
                self.assertEqual(self.check(value), (0, ""))
                item["upper"] = moved(item["upper"], -TINY)
                self.rejected(value, "coordinate 2 sign 1, row 1: upper is too small")

    def test_lower_over_upper(self):
        good = self.install(make("linear"))
        for name in ("bos-floor.pre", "bos-ceiling.trigger", "sup-loss.post"):
            value = copy.deepcopy(good)
            item = named(value, name)
            item.update(lower=item["upper"], upper=item["lower"])
            self.rejected(value, "over upper")
        # the weights of `linear` may be negative, the loss may not
        self.assertTrue(any(Fraction(item["lower"]) < 0 for item in good["properties"]))
        value = copy.deepcopy(good)
        named(value, "sup-loss.pre")["lower"] = "-1/100"
        self.rejected(value, "negative")

    def test_names(self):
        good = self.install(make("softmax-null"))
        for old, new in (("bos-floor.pre", "bos-floor"), ("bos-floor.pre", "bos-floor.rows"), ("null-floor.pre", "slot-floor.pre"), ("null-floor.pre", "null-roof.pre"),
                         ("null-floor.pre", "null.pre"), ("sup-loss.pre", "sup-loss.pre.x"), ("sup-loss.pre", "bos-loss.pre"), ("bos-floor.pre", "-floor.pre"),
                         ("sup-loss.pre", "theorem.tc-1"), ("bos-floor.pre", "theorem.tc-8"), ("bos-ceiling.pre", "bos-floor-ceiling.pre")):
            value = copy.deepcopy(good)
            value["properties"] = [dict(named(value, old), name=new)]
            with self.subTest(new):
                self.rejected(value, reasons.NO_SUCH_PROPERTY)
        for attention in ("softmax", "elu1", "elu1-normalised", "relu", "softmax-gated"):
            value = self.install(make(attention))
            value["properties"].append(dict(named(value, "bos-floor.pre"), name="null-floor.pre", lower="0", upper="1"))
            self.rejected(value, reasons.NO_SUCH_PROPERTY)

    def test_no_post_rows_at_length_3(self):
        value = self.install(make("elu1", length=3))
        for name in ("sup-loss", "bos-floor", "bos-ceiling"):
            changed = copy.deepcopy(value)
            changed["properties"].append(dict(named(changed, f"{name}.pre"), name=f"{name}.post"))
            self.rejected(changed, reasons.NO_ROWS_AFTER_TRIGGER)

    def test_proofs(self):
        good = self.install(make("sigmoid-normalised"))
        for name, rule in (("sup-loss.pre", "layer-attention"), ("bos-floor.pre", "layer-row"), ("bos-floor.pre", "softmax-floor"), ("bos-ceiling.post", "softmax-floor"),
                           ("sup-loss.trigger", "maximum"), ("sup-loss", "layer-row")):
            value = copy.deepcopy(good)
            named(value, name)["proof"]["rule"] = rule
            self.rejected(value, f"property {name}: ")
        for name in ("sup-loss.pre", "sup-loss.trigger", "sup-loss.post"):
            value = copy.deepcopy(good)
            value["properties"].remove(named(value, name))
            self.rejected(value, reasons.NOT_IN_CERTIFICATE)
        value = copy.deepcopy(good)
        named(value, "bos-floor.pre")["verdict"] = "proved"
        self.rejected(value, "verdict")

    def test_witnesses(self):
        for attention in ("softmax", "softmax-gated", "linear"):
            good = self.install(make(attention, n=5, seed=6))
            for what, change in {
                "sign": lambda w: w.update(sign=-w["sign"]), "zero sign": lambda w: w.update(sign=0), "coordinate": lambda w: w.update(coordinate=5),
                "flag": lambda w: w["tokens"][1].__setitem__(0, "1"), "two triggers": lambda w: w["tokens"][1].__setitem__(1, "1"),
                "box": lambda w: w["tokens"][1].__setitem__(2, "10/9"), "bos": lambda w: w["tokens"][0].__setitem__(2, "1/9"),
                "row": lambda w: w.update(row=w["row"] - 1), "short": lambda w: w["tokens"].pop(), "trigger": lambda w: w.update(trigger=2),
                "integer": lambda w: w["tokens"][1].__setitem__(2, 1), "long token": lambda w: w["tokens"][3].append("0"),
            }.items():
                with self.subTest(f"{attention} {what}"):
                    value = copy.deepcopy(good)
                    change(named(value, "sup-loss.trigger")["witness"])
                    self.rejected(value, "property sup-loss.trigger: ")
            for name in ("bos-floor.pre", "bos-ceiling.pre"):  # row 1 is a row of the loss, not of floors and ceilings
                value = copy.deepcopy(good)
                named(value, name)["witness"]["row"] = 1
                self.rejected(value, reasons.NOT_IN_CLASS)
            value = copy.deepcopy(good)
            item = named(value, "sup-loss.pre")
            item["witness"]["row"] = 1
            item["lower"] = "0"
            self.assertEqual(self.check(dict(value, properties=[item])), (0, ""))


class Rules(LayerCase):
    """Rules that need no ranges, in layers of every kind they are about, with the best numbers that single leaves show."""

    def leaf(self, matrix, terms, f=None, own=False):
        """The leaf bound, at the root, of the sum of x base(q,g) over the terms (x, q, g), and sum_l |q(f)_l|, or self(f)."""
        noise = range(2, len(matrix) - 1)
        pairs = [(matrix[k][l] + matrix[l][k]) for k in noise for l in noise if k < l] if own else []
        linear = [sum(x * matrix[k][g] for x, _, g in terms) + (matrix[f][k] if own else 0) for k in noise]
        rows = [abs(matrix[f][l]) + sum(abs(matrix[k][l]) for k in noise) for l in noise] if f is not None and not own else []
        squares = [max(0, matrix[k][k]) for k in noise] if own else []
        return sum(x * matrix[q][g] for x, q, g in terms) + sum(map(abs, linear)) + sum(map(abs, pairs)) + sum(rows) + sum(squares)

    def floor(self, layer, family, rows, heads):
        """The best floor of softmax-floor whose trees are single leaves, a little rounded down."""
        found, c = [], layer.n - 1
        f, others = (1, layer.length - 2) if rows == "trigger" else (c, layer.length - 3)
        for matrix in (layer.M[h] for h in heads):
            ref = [(-1, f, 0)] if family == "bos-floor" else []
            forms = [(others, self.leaf(matrix, [(1, f, c)] + ref, f)), (1, self.leaf(matrix, [(1, f, f)] + ref, f, own=True))]
            if rows == "post":
                forms.append((1, self.leaf(matrix, [(1, f, 1)] + ref, f)))
            if layer.z:
                forms.append((1, self.leaf(matrix, [(-1 if ref else 1, f, 0)])))
            found.append(layer_sample.below(1 / (1 + sum(count * layer_sample.kernel("exp", x) for count, x in forms))) - Fraction(1, GRID))
        return min(found)

    def of(self, sample, name, lower, upper, proof, **more):
        j, i = sample.row_of(name.split(".")[1])
        return sample.enclosure(name, lower, upper, sample.sequence(j), j, i, 0, 1, None) | {"proof": proof} | more

    def test_softmax_floor(self):
        for attention, heads, n in (("softmax", 1, 4), ("softmax", 2, 5), ("softmax-gated", 2, 4), ("softmax-null", 2, 5), ("softmax-null", 1, 4), ("softmax-sink", 2, 5)):
            layer = make(attention, heads, n=n, seed=heads + n)
            base = dict(self.install(layer), ranges=None)
            for family, rows in itertools.product(("bos-floor", "null-floor") if layer.z else ("bos-floor",), ("pre", "trigger", "post")):
                for of_head in [None] + list(range(heads)):
                    chosen = range(heads) if of_head is None else [of_head]
                    floor, where = self.floor(layer, family, rows, chosen), {} if of_head is None else {"layer": 0, "head": of_head}
                    proof = {"rule": "softmax-floor", "order": list(range(layer.d)), "parameters": {}, "trees": ["0"] * len(chosen)}
                    item = self.of(layer, f"{family}.{rows}", floor, 1, proof, **where)
                    accepts = lambda **changes: self.check(dict(base, properties=[item | changes]))
                    with self.subTest(f"{attention} {heads} {family} {rows} {of_head}"):
                        self.assertGreater(floor, 0)
                        self.assertEqual(accepts(), (0, ""))
                        self.assertEqual(accepts(lower="0"), (0, ""))
                        self.assertIn(reasons.IS_ABOVE_BOUND, accepts(lower=str(floor + Fraction(2, GRID)))[1])
                        for key, bad in (("order", [0] * (layer.d + 1)), ("order", list(range(1, layer.d + 1))), ("order", []), ("parameters", {"zz": "1"}), ("parameters", None), ("trees", []),
                                         ("trees", ["0"] * (len(chosen) + 1)), ("trees", ["1"] * len(chosen)), ("trees", ["00"] * len(chosen)), ("trees", ["1" * 9 + "0" * 10] * len(chosen)), ("trees", "0")):
                            self.assertEqual(accepts(proof=proof | {key: bad})[0], 4, (key, bad))
                        self.assertEqual(accepts(lower="0", proof=proof | {"trees": ["1"] * len(chosen)})[0], 4)
                        for _ in range(8):
                            j, i = layer.row_of(rows)
                            _, bos, null = layer.loss(layer.sequence(j), j, i, 0)
                            shares = bos if family == "bos-floor" else null
                            self.assertGreaterEqual(Fraction(min(shares[h] for h in chosen)), floor)
        for attention in ("relu", "sigmoid", "sigmoid-normalised", "elu1-normalised", "linear"):
            layer = make(attention, 1)
            base = dict(self.install(layer), ranges=None)
            proof = {"rule": "softmax-floor", "order": list(range(layer.d)), "parameters": {}, "trees": ["0"]}
            self.rejected(dict(base, properties=[self.of(layer, "bos-floor.pre", 0, 1, proof)]), reasons.DOES_NOT_PROVE)
        layer = make("softmax-null", 1)
        base = dict(self.install(layer), ranges=None)
        for name in ("bos-ceiling.pre", "null-ceiling.trigger", "sup-loss.pre"):
            self.rejected(dict(base, properties=[self.of(layer, name, 0, 1, proof)]), reasons.DOES_NOT_PROVE)

    def test_heads_one_by_one(self):
        """Floors and ceilings of one head: what it pays, no more, and not what another pays."""
        layer = make("softmax-sink", 3, seed=12)
        value = self.install(layer)
        ranges, names = value["ranges"], ("bos-floor", "bos-ceiling", "null-floor", "null-ceiling")
        for name, rows in itertools.product(names, ("pre", "trigger", "post")):
            items, best = [], []
            for h in range(3):
                one = copy.copy(layer)
                one.heads = 1
                one.kernels = lambda ranges, _, f: layer.kernels(ranges, h, f)
                bound = one.attention_bound(ranges, name, rows)
                j, i = layer.row_of(rows)
                tokens = layer.sequence(j)
                _, bos, null = layer.loss(tokens, j, i, 0)
                seen = (bos if name.startswith("bos") else null)[h]
                ends = (bound, layer_sample.above(seen) + Fraction(1, GRID)) if name.endswith("floor") else (layer_sample.below(seen) - Fraction(1, GRID), bound)
                items.append(layer.enclosure(f"{name}.{rows}", *ends, tokens, j, i, 0, 1, "layer-attention") | {"layer": 0, "head": h})
                best.append(bound)
            with self.subTest(f"{name} {rows}"):
                self.assertEqual(len(set(best)), 3)
                self.assertEqual(self.check(dict(value, properties=value["properties"] + items)), (0, ""))
                self.rejected(dict(value, properties=items + items[1:2]), "twice")
                attained, rigorous, sign = ("upper", "lower", 1) if name.endswith("floor") else ("lower", "upper", -1)
                others = []
                for item in items:
                    alone = lambda **changes: self.check(dict(value, properties=[item | changes]))
                    self.assertIn("not shown", alone(**{rigorous: moved(item[rigorous], sign * TINY)})[1])
                    self.assertIn(reasons.DOES_NOT_ATTAIN, alone(**{attained: moved(item[attained], -sign * Fraction(4, GRID))})[1])
                    others += [alone(head=other)[0] for other in range(3) if other != item["head"]]
                    for lacking in ("layer", "head"):
                        self.assertEqual(self.check(dict(value, properties=[{key: x for key, x in item.items() if key != lacking}]))[0], 4)
                    for changes in ({"layer": 1}, {"layer": -1}, {"layer": None}, {"layer": "0"}, {"layer": True}, {"head": 3}, {"head": -1}, {"head": None}, {"head": "1"}, {"head": [1]}):
                        self.assertEqual(alone(**changes)[0], 4, changes)
                self.assertIn(4, others)
        losses = dict(named(value, "sup-loss.pre"), layer=0, head=0)
        self.rejected(dict(value, properties=value["properties"] + [losses]), "unknown key")


class Numbers(LayerCase):
    """What the program computes, against decimals and against inputs."""

    def pass_of(self, model, witness, p):
        """The pass at p for the witness's row."""
        tokens, unit = recheck.arithmetic.over_one_unit([[Fraction(x) for x in token] for token in witness["tokens"]], "it")
        return recheck.checkpoint.forward.forward_pass(model, tokens[:witness["row"]], unit, p, witness["row"] - 1)

    def test_witnesses_are_rounded_outward(self):
        for attention, heads, biases in kinds():
            layer = make(attention, heads, n=5, length=5, biases=biases, seed=21)
            seen = self.loaded(layer)
            for j, i, r, s in ((5, 5, 0, 1), (5, 5, 2, -1), (4, 3, 4, 1), (4, 3, 3, -1), (3, 5, 1, 1), (3, 4, 2, 1), (4, 1, 3, 1), (4, 1, 1, -1)):
                tokens = layer.sequence(j)
                value = {"trigger": j, "row": i, "coordinate": r, "sign": s, "tokens": [[str(x) for x in token] for token in tokens]}
                loss, bos, null = layer.loss(tokens, j, i, r)
                witness = recheck.checkpoint.forward.read_witness(seen, value, "pre" if i < j else "trigger" if i == j else "post")
                for p in (64, 128):
                    found, slack = self.pass_of(seen.model, value, p), Fraction(1, 10**50)  # of the 60-digit reference
                    narrow = Fraction(1, 1 << p - 24)
                    down = recheck.checkpoint.forward.loss_down(seen.model, witness, found)
                    self.assertLessEqual(down, Fraction(s * loss) + slack)
                    self.assertLess(Fraction(s * loss) - down, narrow)
                    self.assertEqual(len(found.weights[0]), heads)
                    for h in range(heads):
                        (row,) = found.weights[0][h]
                        self.assertEqual(len(row), i + 1)
                        for true, (low, high) in ((bos[h], row[1]), (null[h] if layer.z else 0, row[0])):
                            low, high = Fraction(low, 1 << p), Fraction(high, 1 << p)
                            self.assertLessEqual(low, Fraction(true) + slack)
                            self.assertGreaterEqual(high, Fraction(true) - slack)
                            self.assertLess(high - low, narrow)

    def test_witnesses_are_held_to_the_last_bit(self):
        """A floor is attained at the upper end at some p, a ceiling at the lower, a loss at its lower bound; and no further."""
        layer = make("softmax-sink", seed=3)
        value, seen = self.install(layer), self.loaded(layer)
        for name, side in (("bos-floor", "upper"), ("bos-ceiling", "lower"), ("null-floor", "upper"), ("null-ceiling", "lower"), ("sup-loss", "lower")):
            item = named(value, f"{name}.trigger")
            passes = [self.pass_of(seen.model, item["witness"], p) for p in (64, 128, 256, 512, 1024, 2048)]
            ends = [[Fraction(x, 1 << found.p) for x in ends] for found in passes for ends in zip(*(row[0][0 if name.startswith("null") else 1] for row in found.weights[0]))]
            lows, highs = ends[::2], ends[1::2]
            exact = min(map(min, highs)) if side == "upper" else max(map(max, lows))
            if name == "sup-loss":
                witness = recheck.checkpoint.forward.read_witness(seen, item["witness"], "trigger")
                exact = max(recheck.checkpoint.forward.loss_down(seen.model, witness, found) for found in passes)
            self.assertLess(abs(exact - Fraction(item[side])), Fraction(2, GRID))
            alone = dict(value, properties=[item])
            item[side] = str(exact)
            self.assertEqual(self.check(alone), (0, ""))
            item[side] = str(exact + (-1 if side == "upper" else 1) * Fraction(1, 1 << 2100))
            self.rejected(alone, f"does not attain {side}")

    def test_every_bit_of_the_sigmoid(self):
        """The page's rounding, with Fractions."""
        for x in (Fraction(0), Fraction(1, 3), Fraction(-1, 3), Fraction(-2), Fraction(2), Fraction(-77, 10), Fraction(-400), Fraction(-4096), Fraction(-8193, 2), -Fraction(10**4000), Fraction(9000)):
            g = 2**128 if x >= 0 else 2**(128 + (Fraction(3, 2) * min(-x, 4096)).__ceil__())
            high = g / (1 + recheck.checkpoint.kernels.exp_down(-x))
            self.assertEqual(kernel_up("sigmoid", x), Fraction(high.__ceil__(), g))
            if x >= -4096:
                low = g / (1 + recheck.checkpoint.kernels.exp_up(-x, "it"))
                self.assertEqual(kernel_down("sigmoid", x), Fraction(low.__floor__(), g))
                self.assertNotEqual(low, low.__floor__())
            else:
                self.assertRaises(recheck.refusal.Reject, kernel_down, "sigmoid", x)

    def test_kernels(self):
        for name in ("exp", "sigmoid", "elu1", "relu", "linear"):
            for x in (Fraction(0), Fraction(-5, 3), Fraction(7, 2), Fraction(40), Fraction(-40), Fraction(1, 10**40), Fraction(-1, 10**40)):
                true = Fraction(layer_sample.kernel(name, x))
                low, high = kernel_down(name, x), kernel_up(name, x)
                slack = abs(true) / 10**55
                self.assertLessEqual(low, true + slack)
                self.assertGreaterEqual(high, true - slack)
                self.assertLessEqual(high - low, Fraction(1, 2**60) * max(1, true))
                self.assertEqual(low == high, name in ("relu", "linear") or (name == "elu1" and x >= 0) or (name, x, low) == ("exp", 0, high))
        far = Fraction(5000)
        self.assertEqual([kernel_down("exp", -far), kernel_down("elu1", -far), kernel_up("sigmoid", far)], [0, 0, 1])
        self.assertEqual([kernel_up("elu1", far), kernel_up("linear", -far), kernel_up("relu", -far)], [5001, -5000, 0])
        self.assertGreater(kernel_up("elu1", -far), 0)
        for kernel, which, x in (("exp", kernel_up, far), ("sigmoid", kernel_down, -far)):
            with self.assertRaises(recheck.refusal.Reject):
                which(kernel, x)

    def test_bounds_hold_for_inputs(self):
        """Random inputs never pass the bounds that are accepted, and come near some of them."""
        randomly, nearest = random.Random(2), {}
        for attention, heads, biases in kinds():
            layer = make(attention, heads, n=randomly.randint(4, 5), length=5, biases=biases, seed=randomly.randint(1, 99))
            ranges = layer.ranges()
            upper = {rows: layer.least_upper(ranges, rows) for rows in layer_sample.CLASSES}
            names = ("bos-floor", "bos-ceiling") + (("null-floor", "null-ceiling") if layer.z else ())
            ends = {(name, rows): layer.attention_bound(ranges, name, rows) for name in names for rows in upper}
            for _ in range(12):
                j = randomly.randint(3, 5)
                i = randomly.randint(1, 5)
                rows = "pre" if i < j else "trigger" if i == j else "post"
                tokens = layer.sequence(j)
                for r in range(layer.n):
                    loss, bos, null = layer.loss(tokens, j, i, r)
                    self.assertLessEqual(abs(Fraction(loss)), upper[rows] + Fraction(1, 10**50), (attention, rows))
                    nearest[rows] = max(nearest.get(rows, 0), abs(Fraction(loss)) / upper[rows])
                for name in names if i > 1 else ():
                    for share in bos if name.startswith("bos") else null:
                        gap = Fraction(share) - ends[name, rows]
                        self.assertGreaterEqual(gap if name.endswith("floor") else -gap, -Fraction(1, 10**50), (attention, name, rows))
        for rows, ratio in nearest.items():
            self.assertGreater(ratio, Fraction(1, 4), rows)
        self.assertEqual(len(nearest), 3)

    def test_zero_weights(self):
        """elu1-normalised with every logit below -4096: no weight is known to be positive."""
        n = 4
        zero, unit = [[Fraction(0)] * n for _ in range(n)], [[Fraction(a == b) for b in range(n)] for a in range(n)]
        far = [[Fraction(0)] * n for _ in range(n)]
        for f, g in itertools.product((0, 1, 3), repeat=2):
            far[f][g] = Fraction(-5000)
        layer = make("elu1-normalised", 1, tensors={"W_Q.weight": unit, "W_K.weight": far, "W_V.weight": unit, "W_O.weight": unit})
        data = layer.file(("F64",))
        layer.tensors["W_V.weight"] = zero
        value = self.install(make("elu1-normalised", 1, tensors={"W_Q.weight": zero, "W_K.weight": zero, "W_V.weight": unit, "W_O.weight": unit}), data)
        tiny = str(recheck.checkpoint.kernels.exp_up(Fraction(-4096), "it"))
        for item in value["ranges"]["heads"][0]["classes"].values():
            item.update(low="-5000", high="-5000", least="0", greatest=tiny)
        value["ranges"]["heads"][0]["bos"] = {"least": "0", "greatest": tiny}
        loss = named(value, "sup-loss.pre")
        loss.update(lower="0", upper="10")
        self.rejected(dict(value, properties=[loss]), reasons.MAY_ALL_BE_ZERO)
        for name in ("bos-floor.pre", "bos-ceiling.pre"):
            item = named(value, name)
            item.update(lower="0", upper="1")
            self.assertEqual(self.check(dict(value, properties=[item])), (0, ""))


def flat(tensor):
    return [x for row in tensor for x in (row if type(row) is list else [row])]


class Theorems(LayerCase):
    """Section 5.4: tc-1 and tc-3 for one head of a normalised kernel with a sink."""

    def sink(self, attention):
        n, b = 4, Fraction(15)
        scores = [[Fraction(0)] * n for _ in range(n)]
        scores[3] = [b, -b, Fraction(0), -b]
        scores[1] = [-b, Fraction(0), Fraction(0), Fraction(0)]
        unit = [[Fraction(a == c) for c in range(n)] for a in range(n)]
        project = [[Fraction(a == c and a > 0) for c in range(n)] for a in range(n)]
        tensors = {"W_Q.weight": unit, "W_K.weight": scores, "W_V.weight": project, "W_O.weight": unit}
        value = self.install(make(attention, 1, length=5, tensors=tensors))
        self.assertEqual(self.check(value), (0, ""))  # before the theorems
        eta = Fraction(named(value, "sup-loss")["upper"])
        floor = {rows: Fraction(named(value, f"bos-floor.{rows}")["lower"]) for rows in ("pre", "post")}
        reach = Fraction(2, 8)  # D at L = 5
        self.assertLess(4 * eta, reach)
        # tc-1 at L = 5: 1 - 2 (1 + 1/m) eta for m = 2 or 3, or by a noise probe with m = p = 3: C = 4/2 + 4*6/(2*4)
        choices = [(1 - 2 * (1 + Fraction(1, m)) * eta, m) for m in (2, 3) if 2 * m * (m + 1) * eta <= 1]
        if 16 * eta <= 2 and 5 * eta < 1:
            choices.append((1 - 2 * eta / (1 - 5 * eta), 3))
        implied_1, parameter_1 = max(choices)
        # tc-3: D = 1/4, 16 + 22 D = 43/2
        implied_3 = 1 - 4 * eta if Fraction(43, 2) * eta <= reach else 1 - 2 * eta / (reach - 2 * eta)
        for claim, parameter, implied, floors in (("tc-1", parameter_1, implied_1, ["pre"]), ("tc-3", 5, implied_3, ["pre", "post"])):
            value["properties"].append({
                "name": f"theorem.{claim}", "verdict": "proved", "claim": claim, "eta": str(eta), "parameter": parameter, "implied": str(implied),
                "certified": str(min(floor[rows] for rows in floors)), "proof": {"rule": "theorem", "floors": [f"bos-floor.{rows}" for rows in floors]}})
        return value

    def test_they_apply(self):
        for attention in ("sigmoid-normalised", "elu1-normalised"):
            value = self.sink(attention)
            self.assertEqual(self.check(value), (0, "theorem entries rest on tc-1, tc-3"))
            _, result = recheck.check.check_file(os.path.join(self.folder, "certificate.json"), self.options)
            self.assertEqual((result["verdict"], result["evidence"]), ("proved", "exact"))
            for claim in ("tc-1", "tc-3"):
                for key, by in (("implied", TINY), ("certified", -TINY), ("eta", TINY)):
                    changed = copy.deepcopy(value)
                    named(changed, f"theorem.{claim}")[key] = moved(named(value, f"theorem.{claim}")[key], by)
                    self.rejected(changed, f"property theorem.{claim}: ")

    def test_only_where_they_are_proved(self):
        theorem = named(self.sink("elu1-normalised"), "theorem.tc-3")
        for attention, heads in (("elu1-normalised", 2), ("sigmoid-normalised", 2), ("softmax", 2), ("softmax-gated", 1), ("softmax-null", 1), ("softmax-sink", 1), ("elu1", 1), ("linear", 1)):
            value = self.install(make(attention, heads, length=5))
            value["properties"].append(dict(theorem, eta=named(value, "sup-loss")["upper"]))
            self.rejected(value, reasons.NO_SUCH_PROPERTY)

    def test_floors_of_one_head_are_not_the_theorem_s(self):
        value = self.sink("elu1-normalised")
        named(value, "bos-floor.pre").update(layer=0, head=0)
        self.rejected(value, reasons.FLOOR_IS_NOT_IN_CERTIFICATE)

    def test_not_applicable(self):
        value = self.install(make("sigmoid-normalised", 1))
        item = {"name": "theorem.tc-1", "verdict": "not-applicable", "claim": "tc-1", "eta": named(value, "sup-loss")["upper"], "parameter": None,
                "implied": None, "certified": None, "proof": {"rule": "theorem", "floors": ["bos-floor.pre"]}}
        value["properties"].append(item)
        self.assertEqual(self.check(value), (0, ""))
        item["certified"] = "0"
        self.rejected(value, reasons.DOES_NOT_APPLY)


if __name__ == "__main__":
    unittest.main()
