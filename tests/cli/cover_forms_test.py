"""`sinkproof cover --products` on models of several kinds: leaves by form, against each sequence, and what both checkers say.

usage: cover_forms_test.py BIN_DIR SOURCE_DIR [Class.test]
"""
import hashlib
import itertools
import json
import math
import operator
import random
import shutil
import sys
import types
import unittest
from fractions import Fraction

from program import SOURCE, Case, run

sys.path.insert(0, str(SOURCE / "tests" / "language"))
sys.path.insert(0, str(SOURCE / "tools"))
import tiny  # noqa: E402
from recheck.language import cover, cover_product, files, forms, model  # noqa: E402
from recheck.refusal import Reject  # noqa: E402

INPUTS = ("--position", "1,4", "--position", "0,7", "--position", "=1", "--position", "2,5,11", "--target", "copy 1",
          "--answers", "0-12", "--attention", "--logit", "3")
MODELS = {
    "norms, an MLP with gelu": lambda: tiny.gpt2(1, layers=2),
    "gated MLP, rotary": lambda: tiny.llama(2, layers=2),
    "attention and MLP beside each other": lambda: tiny.gpt_neox(3, True, 0.5, layers=1),
    "relu, norms": lambda: tiny.opt(4, layers=1),
    "attention of kind relu": lambda: tiny.gpt2(5, layers=1, kind="relu"),
    "a null slot": lambda: tiny.gpt2(6, layers=1, kind="softmax-sink"),
    "gates": lambda: tiny.gpt2(7, layers=2, kind="softmax-gated"),
    "sigmoids over their sum": lambda: tiny.gpt2(8, layers=1, kind="sigmoid-normalised"),
}


def second_checker(folder, sets, p=64):
    """Of the second checker: the ends of margin, attention and a logit of the whole product, and of each sequence."""
    config = files.read_object(folder, files.CONFIG, files.MAX_CONFIG)
    positions = [[(t, t) for t in of] if type(of) is list else of for of in sets]
    target = cover.Target({"rule": "copy", "of": [1]}, positions)
    of = [cover.CoverStatement("attention", (layer, 0, key), None) for layer in (0,) for key in (1, 2, 4)]
    of += [cover.CoverStatement("margin", (), None), cover.CoverStatement("logit", (3,), None)]
    with files.opened_tensors(folder, {"config.json": "", "model.safetensors": ""}) as tensors:
        read = model.LanguageModel(config, tensors, [[12] * len(sets)])
    figures = cover.Figures(read, [(0, 12)], of, p, 1)
    lists = [t for t in sets if type(t) is list]
    each = [figures.of([tokens], [target(tokens)])[0]
            for tokens in cover.sequences_of([[(t, t) for t in of] for of in lists], positions)]
    return each, lambda: forms.form_figures(read, cover_product.free_places(positions), lists,
                                            cover_product.by_target(target, positions, lists), list(range(13)), of, p)


def verdicts(node):
    """All leaves."""
    return [node] if "verdict" in node else [leaf for part in node["parts"] for leaf in verdicts(part["node"])]


class Operations(unittest.TestCase):
    """Each operation of the second checker on drawn forms, for drawn choices, numbers and weights."""
    P, WIDTH = 40, 3

    def setUp(self):
        self.random = random.Random(1)
        self.own = forms.FormPass(types.SimpleNamespace(activation="gelu"), [], [], self.P)

    def draw(self, size=2.0):
        return int(self.random.uniform(-size, size) * (1 << self.P))

    def form(self, size):
        """A centre, a choice of three and a number, which the other forms share."""
        def rows(count):
            return forms.Balls([[self.draw(size) for _ in range(self.WIDTH)] for _ in range(count)], [0] * count)
        return {None: rows(1), 0: rows(3), ("number", 0): rows(1)}

    def value(self, form, choice, number):
        """Of each entry, as a float; numbers that arose are within their form."""
        return [(form[None].rows[0][c] + form[0].rows[choice][c] + number * form["number", 0].rows[0][c]) / (1 << self.P)
                for c in range(self.WIDTH)]

    def assert_within(self, form, choice, number, values):
        """With the choice and the number given, and any others."""
        given = {symbol: of for symbol, of in form.items() if symbol not in (None, 0, ("number", 0))}
        centre = [x + (form[0].rows[choice][c] if 0 in form else 0) +
                  (number * form["number", 0].rows[0][c] if ("number", 0) in form else 0)
                  for c, x in enumerate(form[None].rows[0])]
        radius = sum(max(of.radii) for symbol, of in form.items() if symbol not in given)
        given[None] = forms.Balls([centre], [radius])
        for value, (low, high) in zip(values, forms.entry_ends(given), strict=True):
            self.assertLessEqual(low / (1 << self.P) - 1e-6, value)
            self.assertGreaterEqual(high / (1 << self.P) + 1e-6, value)

    def test_sums_with_weights(self):
        for one, size, _ in itertools.product((False, True), (0, 0.5), range(40)):
            x, y = self.form(size), self.form(size)
            x[None].rows[0][0] += 3 << self.P
            low = self.random.random() / 2
            ends = [(low, low + 0.2), (0.8 - low, 1 - low)]
            found = self.own.combination([(int(a * (1 << self.P)), int(b * (1 << self.P)) + 1) for a, b in ends], [x, y], one)
            for a in (low, low + 0.1, low + 0.2):
                b = 1 - a if one else self.random.choice(ends[1])
                for choice, number in itertools.product(range(3), (-1, 1)):
                    values = [a * u + b * v for u, v in zip(self.value(x, choice, number), self.value(y, choice, number))]
                    self.assert_within(found, choice, number, values)

    def test_inner_products(self):
        for _ in range(40):
            x, y, z = (self.form(1) for _ in range(3))
            y[1] = y.pop(0)  # another choice
            for other, choices in ((y, itertools.product(range(3), range(3))), (z, ((t, t) for t in range(3)))):
                low, high = (end / (1 << 2 * self.P) for end in forms.Products(x, other).ends())
                for (choice, second), number in itertools.product(choices, (-1, 0, 1)):
                    own = {**other, 0: other.get(1, other.get(0))}
                    value = sum(map(operator.mul, self.value(x, choice, number), self.value(own, second, number)))
                    self.assertTrue(low - 1e-6 <= value <= high + 1e-6)

    def test_norms_and_what_is_small(self):
        self.own.model.epsilon = Fraction(1, 100)
        norm = types.SimpleNamespace(rows=[[1]] * self.WIDTH, offsets=[0] * self.WIDTH, shift=0)
        for rms, size, _ in itertools.product((False, True), (0.0005, 0.3), range(20)):
            x = self.form(size)
            x[None] = forms.Balls([[self.draw() + (k << self.P) for k in (3, 0, -3)]], [0])
            found, fitted = self.own.normed(norm, [x], rms)[0], self.own.fit(x)
            for choice, number in itertools.product(range(3), (-1, 0, 1)):
                values = self.value(x, choice, number)
                self.assert_within(fitted, choice, number, values)
                mean = 0 if rms else sum(values) / self.WIDTH
                size = (sum((v - mean)**2 for v in values) / self.WIDTH + 0.01)**.5
                self.assert_within(found, choice, number, [(v - mean) / size for v in values])

    def test_activations_and_products(self):
        for name, size, _ in itertools.product(("relu", "silu", "gelu"), (0.1, 0.6), range(20)):
            self.own.model.activation = name
            x, y = self.form(size), self.form(size)
            active, both = self.own.activated([x])[0], self.own.product([x], [y])[0]
            for choice, number in itertools.product(range(3), (-1, 0, 1)):
                values, others = self.value(x, choice, number), self.value(y, choice, number)
                shares = {"relu": lambda v: v > 0, "silu": lambda v: 1 / (1 + math.exp(-v)), "gelu": lambda v: (1 + math.erf(v / 2**.5)) / 2}
                self.assert_within(active, choice, number, [v * shares[name](v) for v in values])
                self.assert_within(both, choice, number, [*map(operator.mul, values, others)])


class Forms(Case):
    def cover(self, folder, *options):
        path = self.folder / "cover.json"
        code, _, said = run("cover", folder, *INPUTS, *options, "-o", path, "--claims", SOURCE / "proofs",
                         "--quiet")
        self.assertIn(code, (0, 3), said)
        return json.loads(path.read_text())

    def check(self, value, code, says):
        path = self.folder / "changed.json"
        path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n")
        options = ("--claims", SOURCE / "proofs", "--models", self.folder, path)
        for program in ("sinkproof-check", "recheck"):
            found, out, said = run(*options, program=program)
            self.assertEqual(found, code, out + said)
            self.assertIn(says, out + said)

    def test_every_number_of_an_embedding_is_finite(self):
        """Also of tokens and positions that no sequence has."""
        folder = self.folder / "finite"
        config, weights = tiny.gpt2(9, layers=1, tied=False)
        tiny.write(folder, config, weights)
        found = self.cover(folder, "--products")
        self.check(found, 0, "proved")
        for name, value in itertools.product(("wte.weight", "wpe.weight"), (math.nan, math.inf)):
            with self.subTest(name, value=value):
                changed = {**weights, name: weights[name].copy()}
                changed[name][-1, 0] = value
                shutil.rmtree(folder)
                tiny.write(folder, config, changed)
                data = (folder / "model.safetensors").read_bytes()
                found["model"]["files"]["model.safetensors"] = hashlib.sha256(data).hexdigest()
                self.check(found, 4, "finite")

    def test_the_second_checker_encloses_each_sequence(self):
        for name, drawn in MODELS.items():
            with self.subTest(name):
                folder = self.folder / name
                tiny.write(folder, *drawn())
                for sets in ([[1, 4], [0, 7], 0, [2, 5, 11]], [[1, 4], [7], 0, [5]], [[4], [0, 3, 7], 0, [2]]):
                    each, whole = second_checker(folder, sets)
                    try:
                        found = [*zip(*([of[0], *of[1]] for of in each))]
                        margin, figures = whole()
                    except Reject as refused:
                        self.assertIn("too wide", str(refused))
                        continue
                    for (low, high), ends in zip([margin, *figures], found, strict=True):
                        self.assertLessEqual(low, min(b for _, b in ends))
                        self.assertGreaterEqual(high, max(a for a, _ in ends))

    def test_against_each_sequence(self):
        for name, drawn in MODELS.items():
            with self.subTest(name):
                folder = self.folder / name
                config, weights = drawn()
                tiny.write(folder, config, weights)
                each = self.cover(folder)
                # One leaf: what is enclosed holds the figures of all sequences.
                whole = self.cover(folder, "--products", "--seconds", "0.001")
                self.assertNotIn("parts", whole["cover"])
                # Where a norm is not known on the whole set, no figures are stated.
                self.assertIn(len(whole["statements"]), (1, len(each["statements"])))
                for found, exact in zip(whole["statements"][1:], each["statements"][1:]):
                    low, high = map(Fraction, found["least"])
                    self.assertLessEqual(low, Fraction(exact["least"][1]), found)
                    self.assertGreaterEqual(high, Fraction(exact["greatest"][0]), found)
                    if found["property"] == "attention":
                        # The room that is left for the other checker too is within what weights are.
                        ends = [*map(Fraction, found["least"] + found["greatest"])]
                        self.assertGreaterEqual(min(ends), 0, found)
                        self.assertTrue(max(ends) <= 1 or config.get("sinkproof_attention") == "relu", found)
                self.check(whole, 0, "proved")
                # Split to the end: the same counts.
                split = self.cover(folder, "--products")
                self.assertEqual(*({key: of["statements"][0][key] for key in ("right", "wrong", "undecided")} for of in (split, each)))
                self.assertTrue(all(leaf["by"] == "form" for leaf in verdicts(split["cover"])))
                self.check(split, 0, "proved")


if __name__ == "__main__":
    unittest.main()
