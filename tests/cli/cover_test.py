"""`sinkproof cover` and `convert --folder`, against a plain NumPy enumeration, and what both checkers say of it.

usage: cover_test.py BIN_DIR SOURCE_DIR [Class.test]
"""
import copy
import itertools
import json
import sys
import unittest
from fractions import Fraction

import numpy as np

from program import SOURCE, Case, read_tensors, run

sys.path.insert(0, str(SOURCE / "examples" / "covers"))
import train  # noqa: E402

SUM = ("--position", "0-12", "--position", "0-12", "--position", "13", "--answers", "0-12", "--target", "sum 1,2 mod 13")
# What the model answers differs from this target for some inputs.
MIXED = ("--position", "0-3", "--position", "2-5", "--position", "1,3-4", "--target", "maximum 1,2")


def check(path, models):
    """The exit codes and words of both checkers."""
    return [run("--claims", SOURCE / "proofs", "--models", models, path, program=program) for program in ("sinkproof-check", "recheck")]


def weights_in(path):
    return {name: np.array(values).reshape(shape) for name, (shape, values) in read_tensors(path)[1].items()}


def enumerated(name, sequences, targets, answers):
    """Margins, and the attention of each head of the last row, by NumPy."""
    logits, (_, _, _, _, attention, *_) = train.forward(weights_in(SOURCE / f"examples/covers/{name}.safetensors"),
                                                        np.array(sequences))
    rows, own = np.arange(len(sequences)), logits[:, answers]
    places = np.array([answers.index(t) for t in targets])
    right = own[rows, places].copy()
    own[rows, places] = -np.inf
    return right - own.max(1), attention


class Cover(Case):
    def converted(self, name, *options):
        code, out, error = run("convert", SOURCE / f"examples/covers/{name}.safetensors", "--folder",
                               "-o", self.folder / name, *options)
        self.assertEqual(code, 0, error)
        return self.folder / name

    def cover(self, folder, *options, code=0):
        path = self.folder / "cover.json"
        found, out, error = run("cover", folder, *options, "-o", path, "--claims", SOURCE / "proofs",
                                "--format", "json", "--quiet")
        self.assertEqual(found, code, error)
        return json.loads(out), path

    def wide(self, positions, tokens=100, heads=1, seed=None):
        """A folder of a model of many tokens: all weights 1, so that all logits are equal, or random."""
        folder, n, draw = self.folder / "wide", 2 * heads, np.random.default_rng(seed)
        folder.mkdir()
        weights = {"embed.weight": (tokens, n), "positions.weight": (positions, n), "unembed.weight": (tokens, n),
                   **{f"layers.0.attention.{x}.weight": (n, n) for x in ("query", "key", "value", "output")}}
        values = {name: np.ones(of) if seed is None else draw.normal(size=of) for name, of in weights.items()}
        (folder / "model.safetensors").write_bytes(train.safetensors(values))
        (folder / "config.json").write_text(json.dumps({"model_type": "sinkproof", "hidden_size": n,
                                                        "num_hidden_layers": 1, "num_attention_heads": heads}))
        return folder

    def refused(self, code, *options):
        status, out, error = run(*options)
        self.assertEqual(status, 2, out + error)
        self.assertIn(code, error)
        return error

    def assert_accepted(self, path, says=""):
        """By both checkers, which give the counts and say of which texts they are true."""
        counts = json.loads(path.read_text())["statements"][0]
        says = says or "right {right}, wrong {wrong}, undecided {undecided}".format(**counts)
        for status, out, error in check(path, self.folder):
            self.assertEqual(status, 0, out + error)
            self.assertIn("proved", out)
            self.assertIn(f" {says}; true of these rows in every text that begins with these tokens (ca-1)\n", out)

    def write(self, value):
        path = self.folder / "changed.json"
        path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n")
        return path

    def assert_rejected(self, value, why):
        """Both checkers name the same place and reason."""
        for status, out, error in check(self.write(value), self.folder):
            self.assertEqual(status, 4, f"{why}: {out}{error}")
            self.assertIn(why, out + error)


class Figures(Cover):
    def assert_encloses(self, statement, least, greatest):
        for name, value in (("least", least), ("greatest", greatest)):
            lower, upper = (float(Fraction(statement[name][end])) for end in ("lower", "upper"))
            self.assertLessEqual(lower, value + 1e-12, statement)
            self.assertGreaterEqual(upper, value - 1e-12, statement)
            self.assertLess(upper - lower, 1e-6, statement)

    def test_sum(self):
        folder = self.converted("sum", "--activation", "relu")
        found, path = self.cover(folder, *SUM, "--attention")
        sequences = [(a, b, 13) for a in range(13) for b in range(13)]
        margins, attention = enumerated("sum", sequences, [(a + b) % 13 for a, b, _ in sequences], list(range(13)))
        accuracy, margin, *others = found["statements"]
        self.assertEqual([accuracy[key] for key in ("right", "wrong", "undecided")], [str((margins > 0).sum()), "0", "0"])
        self.assert_encloses(margin, margins.min(), margins.max())
        self.assertEqual(margin["least_at"], list(sequences[margins.argmin()]))
        self.assertEqual(margin["greatest_at"], list(sequences[margins.argmax()]))
        self.assertEqual(len(others), 2 * 3)
        for of in others:
            own = attention[:, of["head"], of["key"] - 1]
            self.assert_encloses(of, own.min(), own.max())
        certificate = json.loads(path.read_text())
        self.assertEqual(certificate["cover"], {"verdict": "right"})
        self.assert_accepted(path)

    def test_table_and_logits(self):
        folder = self.converted("sum", "--activation", "relu")
        sequences = [(a, b, 13) for a in range(2, 6) for b in (1, 4)]
        np.save(self.folder / "t.npy", np.array([(a + b) % 13 for a, b, _ in sequences]))
        found, path = self.cover(folder, "--position", "2-5", "--position", "1,4", "--position", "13", "--answers", "0-12",
                                 "--target", f"table {self.folder}/t.npy", "--logit", "3,7")
        margins, _ = enumerated("sum", sequences, [(a + b) % 13 for a, b, _ in sequences], list(range(13)))
        self.assertEqual(found["statements"][0]["right"], "8")
        self.assert_encloses(found["statements"][1], margins.min(), margins.max())
        logits, _ = train.forward(weights_in(SOURCE / "examples/covers/sum.safetensors"), np.array(sequences))
        for of in found["statements"][2:]:
            self.assert_encloses(of, logits[:, of["id"]].min(), logits[:, of["id"]].max())
        self.assert_accepted(path)

    def test_right_and_wrong(self):
        folder = self.converted("maximum")
        found, path = self.cover(folder, *MIXED)
        sequences = [(a, b, c) for a in range(4) for b in range(2, 6) for c in (1, 3, 4)]
        margins, _ = enumerated("maximum", sequences, [max(a, b) for a, b, _ in sequences], list(range(10)))
        accuracy, margin = found["statements"]
        self.assertEqual([accuracy[key] for key in ("right", "wrong", "undecided")],
                         [str((margins > 0).sum()), str((margins < 0).sum()), "0"])
        self.assertNotEqual(accuracy["wrong"], "0")
        self.assert_encloses(margin, margins.min(), margins.max())
        self.assert_accepted(path)

    def test_repeated_position(self):
        folder = self.converted("maximum")
        found, path = self.cover(folder, "--position", "any", "--position", "=1", "--position", "0-4", "--target", "maximum 2,3")
        sequences = [(a, a, c) for a in range(10) for c in range(5)]
        margins, _ = enumerated("maximum", sequences, [max(a, c) for a, _, c in sequences], list(range(10)))
        self.assertEqual((found["sequences"], found["statements"][0]["right"]), ("50", str((margins > 0).sum())))
        self.assert_encloses(found["statements"][1], margins.min(), margins.max())
        self.assert_accepted(path)

    def test_budget_that_ends(self):
        folder = self.converted("maximum")
        long = ("--position", "any") * 3
        found, path = self.cover(folder, *long, "--target", "maximum 1,2,3", "--seconds", "0.001", code=3)
        (accuracy,) = found["statements"]
        self.assertTrue(found["ended"])
        self.assertGreater(int(accuracy["right"]), 0)
        self.assertEqual(sum(int(accuracy[key]) for key in ("right", "wrong", "undecided")), 1000)
        self.assert_accepted(path)


class Products(Cover):
    def compare(self, folder, *options, code=0):
        """Products decide what the evaluation of each sequence does; the certificate's leaves."""
        evaluated, _ = self.cover(folder, *options, code=code)
        found, path = self.cover(folder, *options, "--products", code=code)
        self.assertEqual(found["statements"], evaluated["statements"][:1])
        self.assert_accepted(path)

        def leaves(node):
            return sum((leaves(part["node"]) for part in node["parts"]), []) if "parts" in node else [node]
        return leaves(json.loads(path.read_text())["cover"])

    def test_every_rule(self):
        folder, three = self.converted("maximum"), ("--position", "0-4,7", "--position", "2-5", "--position", "1,3-4")
        np.save(self.folder / "t.npy", np.arange(6 * 4 * 3) % 10)
        for rule in ("maximum 1,2", "maximum 1,2,3", "copy 1", "sum 1,2 mod 7", f"table {self.folder}/t.npy"):
            with self.subTest(rule):
                leaves = self.compare(folder, *three, "--target", rule)
                self.assertTrue(all(leaf["by"] == "product" for leaf in leaves))

    def test_repeated_positions(self):
        folder = self.converted("maximum")
        for positions in (("any", "=1", "0-4"), ("any", "0-4", "=1"), ("0-4", "any", "=2")):
            with self.subTest(positions):
                options = [word for position in positions for word in ("--position", position)]
                self.compare(folder, *options, "--target", "maximum 2,3")

    def test_heads(self):
        """The averages of several heads have their least values at different sequences: the product is split."""
        folder = self.wide(3, tokens=7, heads=3, seed=2)
        leaves = self.compare(folder, *("--position", "any") * 3, "--target", "copy 1")
        self.assertEqual({leaf["verdict"] for leaf in leaves}, {"right", "wrong"})

    def test_a_tie_is_undecided(self):
        self.assertEqual(self.compare(self.wide(2), "--position", "0-2", "--position", "1", "--target", "copy 1", code=3),
                         [{"verdict": "undecided"}])

    def test_largest_of_four(self):
        """All sequences of the top ids, of which one product holds 4096."""
        folder, top = self.converted("maximum-4"), ("--position", "56-63") * 4
        found, path = self.cover(folder, *top, "--target", "maximum 1,2,3,4", "--products")
        sequences = list(itertools.product(range(56, 64), repeat=4))
        margins, _ = enumerated("maximum-4", sequences, list(map(max, sequences)), list(range(64)))
        self.assertEqual(found["statements"][0]["right"], str((margins > 0).sum()))
        self.assertEqual(json.loads(path.read_text())["cover"], {"by": "product", "verdict": "right"})
        self.assert_accepted(path)

    def test_more_sequences_than_can_be_evaluated(self):
        """10^24 of them, some of which are undecided when the budget ends."""
        found, path = self.cover(self.wide(12, seed=1), *("--position", "any") * 12, "--target", "copy 12", "--products",
                                 "--seconds", "0.01", code=3)
        counts = found["statements"][0]
        self.assertTrue(found["ended"])
        self.assertEqual(sum(int(counts[key]) for key in ("right", "wrong", "undecided")), 10**24)
        self.assert_accepted(path)


class Pages(Cover):
    def page(self, path, *options, code=0):
        made = self.folder / "page.html"
        found, out, error = run("report", path, "--models", self.folder, "--claims", SOURCE / "proofs", "-o", made, *options)
        self.assertEqual(found, code, out + error)
        return made.read_text()

    def test_a_page(self):
        _, path = self.cover(self.converted("sum", "--activation", "relu"), *SUM, "--attention", "--logit", "3")
        page = self.page(path, "--figures", self.folder / "figures")
        self.assertIn("<h1>The model is right on all 169 sequences, by a margin of at least 20.67696</h1>", page)
        for words in ("attention, layer 0, head 1 on 3</th>", "logit of id 3</th>", "20.67…</td>", ">attention of the last position</text>",
                      "<code>0-12; 0-12; 13</code>", "<code>sum 1,2 mod 13</code>", "enclosed</span>"):
            self.assertIn(words, page)
        drawing = (self.folder / "figures/ranges-of-attention.svg").read_text()
        self.assertEqual(drawing.count('class="span"'), 6)
        self.assertIn("layer 0, head 0 on 3", drawing)
        self.page(path, "--require", "accuracy>=1", "--require", "attention.0.1.3 <= 0.5")
        self.assertIn("margin.least in [20.67696046, 20.67696047]", self.page(path, "--require", "margin>=21", code=1))
        certificate = json.loads(path.read_text())
        certificate["statements"][1]["least"] = ["21", "22"]
        page = self.page(self.write(certificate), code=4)
        self.assertIn("its statements are not shown", page)
        self.assertNotIn("The model is right", page)

    def test_wrong_and_undecided(self):
        _, path = self.cover(self.converted("maximum"), *["--position", "any"] * 3, "--target", "maximum 1,2")
        self.assertIn("<h1>The model is right on 715 of 1000 sequences and wrong on 285</h1>", self.page(path))
        certificate = json.loads(path.read_text())
        certificate["cover"] = {"verdict": "undecided"}
        certificate["statements"] = [{"property": "accuracy", "right": "0", "wrong": "0", "undecided": "1000"}]
        self.assertIn("right on 0 of 1000 sequences and wrong on 0; 1000 are undecided", self.page(self.write(certificate)))


class Refusals(Cover):
    def test_a_false_sequence_in_a_later_batch(self):
        """Of 1000 sequences, which the checkers take 128 and 512 at a time, the last part alone is false."""
        _, path = self.cover(self.converted("maximum"), *("--position", "any") * 3, "--target", "maximum 1,2,3")
        true = json.loads(path.read_text())
        self.assertEqual(true["cover"], {"verdict": "right"})
        for first in (1, 6, 9):
            parts = [{"ids": [[0, first - 1]], "node": {"verdict": "right"}}, {"ids": [[first, 9]], "node": {"verdict": "wrong"}}]
            value = {**true, "cover": {"position": 1, "parts": parts}}
            value["statements"] = [{"property": "accuracy", "right": str(100 * first), "wrong": str(1000 - 100 * first), "undecided": "0"}]
            self.assert_rejected(value, "cover.parts[1].node: a sequence is not shown to be wrong")
        table = [max(a, b, c) for a in range(10) for b in range(10) for c in range(10)]
        table[-1] = 0  # another target of the last sequence
        self.assert_rejected({**true, "target": {"rule": "table", "values": table}}, "cover: a sequence is not shown to be right")

    def test_a_tie_is_neither_right_nor_wrong(self):
        """All logits are equal, so every margin is 0 exactly."""
        _, path = self.cover(self.wide(2), "--position", "0-2", "--position", "1", "--target", "copy 1", code=3)
        tie = json.loads(path.read_text())
        self.assertEqual(tie["cover"], {"verdict": "undecided"})
        self.assert_accepted(path, "right 0, wrong 0, undecided 3")
        for verdict in ("right", "wrong"):
            counts = {"right": "0", "wrong": "0", "undecided": "0", verdict: "3"}
            value = {**tie, "cover": {"verdict": verdict}, "statements": [{"property": "accuracy", **counts}]}
            self.assert_rejected(value, f"cover: a sequence is not shown to be {verdict}")

    def test_counts_beyond_64_bits(self):
        folder = self.wide(12)
        _, path = self.cover(folder, *("--position", "any") * 12, "--target", "copy 1", "--seconds", "0.01", code=3)
        self.assert_accepted(path, f"right 0, wrong 0, undecided {10**24}")
        true = json.loads(path.read_text())
        for off in (2**64, -2**64, 1):
            value = copy.deepcopy(true)
            value["statements"][0]["undecided"] = str(10**24 + off)
            self.assert_rejected(value, "right, wrong and undecided are not the cover's counts")

    def test_a_tree_is_at_most_20_splits_deep(self):
        """What a budget decides of 10^24 sequences differs from the rest in all 24 positions."""
        folder = self.wide(24, tokens=10, seed=1)
        for fixed, decided in ((0, False), (4, True)):
            positions = ("--position", "0") * fixed + ("--position", "any") * (24 - fixed)
            found, path = self.cover(folder, *positions, "--target", "copy 24", "--seconds", "0.5", code=3)
            counts = {key: int(found["statements"][0][key]) for key in ("right", "wrong", "undecided")}
            self.assertTrue(found["ended"])
            self.assertEqual(sum(counts.values()), 10**(24 - fixed))
            self.assertEqual(counts["right"] > 0 and counts["wrong"] > 0, decided)
            self.assert_accepted(path)

    def test_the_second_checker_refuses_a_deeper_tree(self):
        sys.path.insert(0, str(SOURCE / "tools"))
        from recheck.language.cover import Tree
        from recheck.refusal import Reject
        node = {"verdict": "right"}
        for _ in range(20):
            node = {"position": 1, "parts": [{"ids": [[0, 1]], "node": node}]}
        self.assertEqual(len(Tree(node, [[(0, 1)]]).leaves), 1)
        with self.assertRaisesRegex(Reject, "node: lies below more than 20 splits"):
            Tree({"position": 1, "parts": [{"ids": [[0, 1]], "node": node}]}, [[(0, 1)]])

    def test_more_sequences_than_a_count_can_say(self):
        error = self.refused("SP2010", "cover", self.wide(51), *("--position", "any") * 51, "--target", "copy 1", "--seconds", "1")
        self.assertIn("10^100 sequences or more", error)

    def test_more_statements_than_a_certificate_holds(self):
        error = self.refused("SP0901", "cover", self.wide(65, heads=64), *("--position", "1") * 65, "--target", "copy 1", "--attention")
        self.assertIn("statements: must be 1 to 4096 statements", error)

    def test_inputs(self):
        folder = self.converted("maximum")
        target = ("--target", "maximum 1,2,3")

        def refused(code, *options):
            return self.refused(code, "cover", folder, *options)
        three = ("--position", "any") * 3
        self.assertIn("vocabulary of 10", refused("SP2009", "--position", "0-10", *three[2:], *target))
        self.assertIn("empty", refused("SP2009", "--position", "5-3", *three[2:], *target))
        self.assertIn("not a set of ids", refused("SP2009", "--position", "1,,2", *three[2:], *target))
        self.assertIn("earlier position", refused("SP2009", "--position", "=1", *three[2:], *target))
        self.assertIn("earlier position", refused("SP2009", "--position", "1", "--position", "=1", "--position", "=2", *target))
        self.assertIn("positions", refused("SP2006", *three, "--position", "any", *target))
        for rule in ("sum 1,2", "maximum", "copy 1,2", "largest 1", "sum 1,2 mod 0", "maximum 1,1"):
            self.assertIn("is not a rule", refused("SP2009", *three, "--target", rule))
        self.assertIn("one of the 3 positions", refused("SP2009", *three, "--target", "copy 4"))
        self.assertIn("not among the answers", refused("SP0901", *three, *target, "--answers", "0-4"))
        self.assertIn("two ids", refused("SP2009", *three, *target, "--answers", "4"))
        np.save(self.folder / "t.npy", np.arange(7))
        self.assertIn("1000 sequences", refused("SP2009", *three, "--target", f"table {self.folder}/t.npy"))
        self.assertIn("SP0201", refused("SP0201", *three, "--target", "table none.npy"))

    def test_tables_have_the_axes_of_the_positions(self):
        folder = self.converted("sum", "--activation", "relu")
        positions = "--position", "2-5", "--position", "1,4", "--position", "13"
        right = np.add.outer([2, 3, 4, 5], [1, 4])
        for shape in ((8,), (4, 2), (4, 2, 1), (1, 4, 1, 2), (1, 8)):
            np.save(self.folder / "t.npy", right.reshape(shape))
            found, _ = self.cover(folder, *positions, "--target", f"table {self.folder}/t.npy")
            self.assertEqual(found["statements"][0]["right"], "8", shape)
        for shape in ((2, 4), (2, 2, 2), (2, 4, 1)):
            np.save(self.folder / "t.npy", right.reshape(shape))
            self.assertIn(f"the axes {[x for x in shape if x > 1]}, but the positions have [4, 2] ids",
                          self.refused("SP2009", "cover", folder, *positions, "--target", f"table {self.folder}/t.npy"))
        np.save(self.folder / "t.npy", right)
        for ids in ("4,1", "1,1,4", "1-1,1,4"):
            self.assertIn("ascending order", self.refused("SP2009", "cover", folder, "--position", "2-5", "--position", ids, "--position", "13",
                                                          "--target", f"table {self.folder}/t.npy"))

    def test_too_many_without_a_budget(self):
        folder = self.wide(6)
        options = (*("--position", "any") * 6, "--target", "copy 1")
        error = self.refused("SP2010", "cover", folder, *options)
        self.assertIn("1000000000000 sequences", error)
        self.assertIn("--seconds", error)
        found, path = self.cover(folder, *options, "--seconds", "0.01", code=3)
        self.assertEqual(found["statements"][0]["right"], "0")  # all logits are equal
        self.assertEqual(found["statements"][0]["undecided"], str(10**12))
        self.assert_accepted(path)

    def test_convert(self):
        source = SOURCE / "examples/covers/sum.safetensors"
        self.assertIn("--activation", self.refused("SP1113", "convert", source, "--folder", "-o", self.folder / "o"))
        self.assertFalse((self.folder / "o").exists())

        def with_tensors(**more):
            path = self.folder / "m.safetensors"
            weights = {**weights_in(SOURCE / "examples/covers/maximum.safetensors"), **more}
            path.write_bytes(train.safetensors({name: of for name, of in weights.items() if of is not None}))
            return path
        for code, says, more in (
                ("SP1112", "ln1.w", {"blocks.0.ln1.w": np.ones(16)}),
                ("SP1112", "not causal", {"blocks.0.attn.mask": np.ones((3, 3))}),
                ("SP1112", "unembed.W_U", {"unembed.W_U": None}),
                ("SP1112", "b_K", {"blocks.0.attn.b_Q": np.ones((1, 16))}),
                ("SP1104", "embed.W_E", {"embed.W_E": np.ones((16, 10))})):
            self.assertIn(says, self.refused(code, "convert", with_tensors(**more), "--folder", "-o", self.folder / "o"))
        self.assertEqual(run("convert", with_tensors(**{"blocks.0.attn.mask": np.tri(3)}), "--folder",
                             "-o", self.folder / "o")[0], 0)

    def test_columns_convert_to_the_same_folder(self):
        """The layout of the code for arXiv:2301.05217, whose maps are W times columns."""
        own = weights_in(SOURCE / "examples/covers/sum.safetensors")
        turned = {name: of.swapaxes(-1, -2) if name in ("embed.W_E",) or ".mlp.W" in name or name[-3:] in ("W_Q", "W_K", "W_V")
                  else of for name, of in own.items()}
        h, w, n = own["blocks.0.attn.W_O"].shape
        turned["blocks.0.attn.W_O"] = own["blocks.0.attn.W_O"].reshape(h * w, n).T
        path = self.folder / "columns.safetensors"
        path.write_bytes(train.safetensors(turned))
        code, _, error = run("convert", path, "--folder", "--activation", "relu", "-o", self.folder / "columns")
        self.assertEqual(code, 0, error)
        first = weights_in(self.converted("sum", "--activation", "relu") / "model.safetensors")
        second = weights_in(self.folder / "columns" / "model.safetensors")
        self.assertEqual(first.keys(), second.keys())
        for name, of in first.items():
            np.testing.assert_array_equal(of, second[name])


if __name__ == "__main__":
    unittest.main()
