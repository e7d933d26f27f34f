"""`sinkproof smoothing` on tiny models of several architectures: its estimates beside NumPy's, written from the
definitions one pair of rows after the other; what a second run makes; what it refuses.

usage: smoothing_test.py BIN_DIR SOURCE_DIR [Class.test]
"""
import csv
import io
import json
import math
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from fractions import Fraction
from pathlib import Path

import numpy as np

import reference
import tiny

BIN, SOURCE = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
T = 9
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
WINDOWS = {"rope_scaling": YARN, "sliding_window": 4, "layer_types": ["full_attention", "sliding_attention"]}
CASES = {
    "gpt2": tiny.gpt2(1, tokens=257),
    "gpt2-sigmoid": tiny.gpt2(2, tokens=257, kind="sigmoid"),  # rows that do not sum to 1
    "gpt_oss": tiny.llama(3, "gpt_oss", tokens=257, bias=True, sinks=True, mlp=False, **WINDOWS),  # grouped keys, windows
    "gpt_neox": tiny.gpt_neox(4, True, 0.5, tokens=257),
    "bert": tiny.bert(5, tokens=257),  # norms after the layers, all keys seen
}


def run(*arguments):
    result = subprocess.run([str(BIN / "sinkproof"), "smoothing", *map(str, arguments)], capture_output=True, text=True,
                            timeout=120)
    return result.returncode, result.stdout, result.stderr


def write_model(folder, config, weights):
    """A folder with a tokenizer of single bytes; the weights as stored."""
    kept = tiny.write(folder, config, weights)
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [b for b in range(256) if b not in shown]
    vocabulary = {chr(b): b for b in shown} | {chr(256 + n): b for n, b in enumerate(hidden)}
    (folder / "tokenizer.json").write_text(json.dumps({
        "added_tokens": [], "normalizer": None, "post_processor": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
        "decoder": {"type": "ByteLevel"}, "model": {"type": "BPE", "vocab": vocabulary, "merges": []}}))
    return kept


def output_of(weights, config, layer):
    """W_O of a layer, [n, H w]: what a row of all heads' outputs is multiplied by."""
    names = {"gpt2": ("h.{}.attn.c_proj.weight", True), "gpt_oss": ("model.layers.{}.self_attn.o_proj.weight", False),
             "gpt_neox": ("gpt_neox.layers.{}.attention.dense.weight", False),
             "bert": ("bert.encoder.layer.{}.attention.output.dense.weight", False)}
    name, in_first = names[config["model_type"]]
    weight = weights[name.format(layer)]
    return weight.T if in_first else weight


def normed(weights, config, layer, x):
    kind = config["model_type"]
    if kind == "bert":
        return x
    if kind == "gpt_oss":
        return reference.rms_norm(x, weights[f"model.layers.{layer}.input_layernorm.weight"], config["rms_norm_eps"])
    at = {"gpt2": "h.{}.ln_1", "gpt_neox": "gpt_neox.layers.{}.input_layernorm"}[kind].format(layer)
    epsilon = config["layer_norm_epsilon" if kind == "gpt2" else "layer_norm_eps"]
    return reference.layer_norm(x, weights[at + ".weight"], weights[at + ".bias"], epsilon)


def pairs(values):
    """The mean of values(i, l) over i < l."""
    return np.mean([values(i, l) for l in range(T) for i in range(l)])


def average_cosine(rows):
    return pairs(lambda i, l: rows[i] @ rows[l] / math.sqrt((rows[i] @ rows[i]) * (rows[l] @ rows[l])))


def from_moments(rows):
    mean = rows.mean(0)
    covariance = np.cov(rows.T, bias=True)
    return mean @ mean / (mean @ mean + np.trace(covariance))


def expectation(x, m, P, with_input):
    """E[Y_i . Y_l] of Y_i = e x_i + sum_k P_ik m_k, where (x_k, m_k) are the rows drawn at random: the sum over all
    pairs of draws, not the formula."""
    e = float(with_input)
    n, pick = len(x), np.arange(len(x))
    same = {"xx": (x * x).sum(1).mean(), "xm": (x * m).sum(1).mean(), "mm": (m * m).sum(1).mean()}
    other = {"xx": x.mean(0) @ x.mean(0), "xm": x.mean(0) @ m.mean(0), "mm": m.mean(0) @ m.mean(0)}

    def between(kind, a, b):
        return same[kind] if a == b else other[kind]

    E = np.zeros((n, n))
    for i in pick:
        for l in pick:
            E[i, l] = e * between("xx", i, l)
            E[i, l] += e * sum(P[l, k] * between("xm", i, k) + P[i, k] * between("xm", l, k) for k in pick)
            E[i, l] += sum(P[i, a] * P[l, b] * between("mm", a, b) for a in pick for b in pick)
    return E


def predicted(x, m, P, with_input):
    E = expectation(x, m, P, with_input)
    return pairs(lambda i, l: E[i, l] / math.sqrt(E[i, i] * E[l, l]) if E[i, i] > 0 and E[l, l] > 0 else 0)


def exact_signs(x, v, W):
    """s and s + t of these doubles as fractions."""
    rows = [[Fraction(float(entry)) for entry in row] for row in x]
    values = [[Fraction(float(entry)) for entry in row] for row in v]
    weight = [[Fraction(float(entry)) for entry in row] for row in W]
    moved = [[sum(a * b for a, b in zip(row, value)) for row in weight] for value in values]

    def centred(all_rows):
        means = [sum(column) / len(all_rows) for column in zip(*all_rows)]
        return [[a - b for a, b in zip(row, means)] for row in all_rows]

    x0, m0 = centred(rows), centred(moved)
    s = sum(a * b for one, two in zip(x0, m0) for a, b in zip(one, two)) / len(rows)
    return s, s + sum(a * a for row in m0 for a in row) / len(rows)


def uniform_over(A, sees):
    U = np.array(sees, float)
    return U / U.sum(1, keepdims=True)


def uniformity(A, sees):
    rows = []
    for weights, seen in zip(np.abs(A), sees):
        if sum(seen) < 2:
            continue
        share = weights / weights.sum()
        rows.append(-sum(p * math.log(p) for p in share if p > 0) / math.log(sum(seen)))
    return np.mean(rows)


def rank99(rows):
    squares = np.linalg.svd(rows, compute_uv=False) ** 2
    return int(np.argmax(np.cumsum(squares) >= 0.99 * squares.sum())) + 1


def expected(weights, config, ids):
    """All estimates of one sequence: name -> array."""
    trace = reference.run(weights, config, ids)
    layers, heads = len(trace.A), len(trace.A[0])
    found = {"mean-cosine": [average_cosine(h) for h in trace.hidden],
             "predicted-cosine": [from_moments(h) for h in trace.hidden],
             "first-cosine": [[h[0] @ row / math.sqrt((h[0] @ h[0]) * (row @ row)) for row in h] for h in trace.hidden]}
    z = [normed(weights, config, l, trace.hidden[l]) for l in range(layers)]
    found["normed-cosine"] = [average_cosine(rows) for rows in z]
    found["normed-predicted"] = [from_moments(rows) for rows in z]
    by_head = {}
    for l in range(layers):
        x, W_O = trace.hidden[l], output_of(weights, config, l)
        window = reference.window_of(config, l) if config["model_type"] == "gpt_oss" else None
        sees = [[trace.sees(i + 1, k + 1, window, l, 0) for k in range(T)] for i in range(T)]
        for h in range(heads):
            v = trace.v[l][h * len(trace.v[l]) // heads]
            width = v.shape[1]
            W = W_O[:, h * width:(h + 1) * width]
            m, A, I = v @ W.T, trace.A[l][h], np.eye(T)
            U = uniform_over(A, sees)
            for name, P, with_input in (("values", I, False), ("own", I, True), ("attention", A, False),
                                        ("output", A, True), ("uniform", U, True)):
                rows = P @ m + (x if with_input else 0)
                by_head.setdefault(name + "-measured", {})[l, h] = average_cosine(rows)
                by_head.setdefault(name + "-predicted", {})[l, h] = predicted(x, m, P, with_input)
            s, both = exact_signs(x, v, W)
            case = "a" if s >= 0 else "b" if both < 0 else "d"
            for name, value in (("s", float(s)), ("s-plus-t", float(both)), ("first-weight", A[1:, 0].mean()),
                                ("own-weight", np.diag(A)[1:].mean()), ("uniformity", uniformity(A, sees)),
                                ("attention-rank", rank99(A)), ("output-rank", rank99(A @ v)),
                                *((f"case-{c}", float(c == case)) for c in "abd")):
                by_head.setdefault(name, {})[l, h] = value
    for name, values in by_head.items():
        found[name] = [[values[l, h] for h in range(heads)] for l in range(layers)]
    return {name: np.array(values, float) for name, values in found.items()}


def read_tensors(path):
    """The float64 tensors of a safetensors file by name."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, one in json.loads(raw[8:8 + size]).items():
        if name != "__metadata__":
            start, end = one["data_offsets"]
            tensors[name] = np.frombuffer(raw[8 + size + start:8 + size + end], "<f8").reshape(one["shape"])
    return tensors


def arrays(found):
    return {name: np.array(one["values"], float).reshape(one["shape"]) for name, one in found.items()}


class Smoothing(unittest.TestCase):
    """One run over all cases and two lengths, which no test changes."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.root = Path(temporary.name)
        cls.weights = {name: write_model(cls.root / name, *case) for name, case in CASES.items()}
        cls.raw = b"The first of these is a text of two sequences."
        (cls.root / "page.txt").write_bytes(cls.raw)
        cls.arguments = [*(cls.root / name for name in CASES), "--text", cls.root / "page.txt", "--bos", "without",
                         "--length", T, "--length", 5, "--sequences", 2, "--format", "json"]
        cls.code, out, cls.error = run(*cls.arguments, "-o", cls.root / "out")
        cls.found = json.loads(out) if cls.code == 0 else None
        cls.files = {str(path.relative_to(cls.root / "out")): path.read_bytes()
                     for path in (cls.root / "out").rglob("*") if path.is_file()}

    def measurement(self, name, length=T):
        self.assertEqual(self.code, 0, self.error)
        [one] = [one for one in self.found["measurements"] if (one["model"], one["length"]) == (name, length)]
        return one

    def test_estimates_are_numpys(self):
        ids = [list(self.raw[at:at + T]) for at in (0, T)]
        for name, (config, _) in CASES.items():
            with self.subTest(name):
                each = [expected(self.weights[name], config, one) for one in ids]
                one = self.measurement(name)
                means, errors = arrays(one["estimates"]), arrays(one["standard_errors"])
                self.assertEqual(set(means), set(each[0]) | {"s-error", "s-plus-t-error"})
                for key, values in each[0].items():
                    both = np.array([values, each[1][key]])
                    np.testing.assert_allclose(means[key], both.mean(0), atol=1e-8, rtol=1e-8, err_msg=key)
                    np.testing.assert_allclose(errors[key], both.std(0, ddof=1) / math.sqrt(2), atol=1e-8, err_msg=key)
                # Signs are decided here, with little to spare for rounding.
                self.assertTrue(np.all(sum(means[f"case-{c}"] for c in "abd") == 1), name)
                self.assertTrue(np.all(means["s-error"] > 0) and np.all(means["s-error"] < 1e-9), name)

    def test_saved_rows_hold_what_attention_reads(self):
        (self.root / "one.json").write_text(json.dumps([list(self.raw[:T])]))
        for name, (config, _) in CASES.items():
            with self.subTest(name):
                path = self.root / f"{name}.safetensors"
                result = subprocess.run([BIN / "sinkproof", "audit", self.root / name, "--tokens", self.root / "one.json",
                                         "--save-inputs", path, "--quiet"], capture_output=True, text=True, timeout=60)
                self.assertEqual(result.returncode, 0, result.stderr)
                rows = read_tensors(path)
                trace = reference.run(self.weights[name], config, list(self.raw[:T]))
                for l in range(len(trace.A)):
                    np.testing.assert_allclose(rows[f"layers.{l}.normed"],
                                               normed(self.weights[name], config, l, trace.hidden[l]), atol=1e-8)

    def test_patterns_are_the_heads_with_most_weight(self):
        trace = reference.run(self.weights["gpt2"], CASES["gpt2"][0], list(self.raw[:T]))
        first = {(l, h): A[1:, 0].sum() for l, layer in enumerate(trace.A) for h, A in enumerate(layer)}
        own = {(l, h): np.diag(A)[1:].sum() for l, layer in enumerate(trace.A) for h, A in enumerate(layer)}
        best = {"sink": first, "diagonal": own, "mixed": {at: min(first[at], own[at]) for at in first}}
        patterns = self.measurement("gpt2")["patterns"]
        self.assertEqual([one["kind"] for one in patterns], list(best))
        for one in patterns:
            l, h = one["layer"], one["head"]
            self.assertEqual((l, h), max(best[one["kind"]], key=best[one["kind"]].get))
            for i, row in enumerate(one["weights"]):
                np.testing.assert_allclose(np.array(row, float), trace.A[l][h][i, :i + 1], atol=1e-9)
        self.assertEqual(self.measurement("bert")["patterns"], [])

    def test_tables_hold_the_same_numbers(self):
        for file, names, places in (("layers.csv", ("mean-cosine", "normed-predicted"), ("layer",)),
                                    ("heads.csv", ("s", "output-measured"), ("layer", "head")),
                                    ("first-token.csv", ("first-cosine",), ("layer", "position"))):
            lines = list(csv.DictReader(io.StringIO(self.files[file].decode())))
            for name in names:
                for case in CASES:
                    values = arrays(self.measurement(case)["estimates"])[name]
                    mine = [line for line in lines if (line["model"], line["length"]) == (case, str(T)) and line[name]]
                    self.assertEqual(len(mine), values.size, (file, name, case))
                    for line in mine:
                        at = tuple(int(line[place]) - (place == "position") for place in places)
                        self.assertEqual(float(line[name]), values[at], (file, name, line))

    def test_figures_are_drawings_of_all_measurements(self):
        names = {name for name in self.files if name.startswith("figures/")}
        for kind in ("first-token", "theory", "components", "change-head", "change-uniform", "change-compared", "ranks"):
            for case in CASES:
                for length in (T, 5):
                    self.assertIn(f"figures/{kind}.{case}.page.txt.{length}.svg", names)
        self.assertIn("figures/patterns.gpt2.page.txt.9.svg", names)
        self.assertNotIn("figures/patterns.bert.page.txt.9.svg", names)
        # Ten measurements, of which a chart has colours for eight.
        self.assertLessEqual({"figures/cosine-by-layer.svg", "figures/cosine-by-layer-2.svg"}, names)
        for name in names:
            root = xml.fromstring(self.files[name])
            self.assertIn("not proved", "".join(root.itertext()), name)
            self.assertNotIn(b"nan", self.files[name], name)

    def test_marks_are_where_the_numbers_are(self):
        """The heights of a curve's marks are a linear function of its values."""
        root = xml.fromstring(self.files["figures/cosine-by-layer.svg"])
        marks = [node for node in root.iter("{http://www.w3.org/2000/svg}path") if node.get("transform")]
        heights = [float(node.get("transform")[10:-1].split()[1]) for node in marks[:3]]
        values = arrays(self.measurement("gpt2")["estimates"])["mean-cosine"]
        slopes = np.diff(heights) / np.diff(values)
        self.assertLess(slopes[0], 0)
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=0.05)

    def test_a_second_run_makes_what_is_missing_alone(self):
        code, out, error = run(*self.arguments, "-o", self.root / "out")
        self.assertEqual((code, json.loads(out)["made"]), (0, []), error)
        for name in ("data/bert.page.txt.5.json", "figures/cosine-by-layer.svg"):
            (self.root / "out" / name).unlink()
        code, out, error = run(*self.arguments, "-o", self.root / "out")
        self.assertEqual(set(json.loads(out)["made"]), {"data/bert.page.txt.5.json", "figures/cosine-by-layer.svg"}, error)
        self.assertEqual((self.root / "out" / "data/bert.page.txt.5.json").read_bytes(),
                         self.files["data/bert.page.txt.5.json"])

    def test_costs_are_proved_on_the_rows_that_attention_reads(self):
        out, text = self.root / "costs", self.root / "twice.txt"
        text.write_bytes(b"a case of two")
        arguments = [self.root / "gpt_oss", "--text", text, "--bos", "without", "--length", 12, "--cost", 5, "-o", out,
                     "--format", "json"]
        code, found, error = run(*arguments)
        self.assertEqual(code, 0, error)
        rows = read_tensors(out / "gpt_oss.twice.txt.12.normed.safetensors")
        trace = reference.run(self.weights["gpt_oss"], CASES["gpt_oss"][0], list(b"a case of two")[:12])
        costs = json.loads(found)["measurements"][0]["costs"]
        self.assertEqual([(one["layer"], one["pattern"]) for one in costs],
                         [(l, pattern) for l in range(2) for pattern in ("sink", "diagonal")])
        for l in range(2):
            z = normed(self.weights["gpt_oss"], CASES["gpt_oss"][0], l, trace.hidden[l])
            np.testing.assert_allclose(rows[f"layers.{l}.normed"], z[[0, 1, 2, 4, 5]], atol=1e-8)  # a, blank, c, s, e
            path = out / f"gpt_oss.twice.txt.12.layer-{l}.cost.json"
            for checker in ([BIN / "sinkproof-check"], [sys.executable, SOURCE / "tools" / "recheck"]):
                result = subprocess.run([*checker, "--models", out, "--claims", SOURCE / "proofs", path],
                                        capture_output=True, text=True, timeout=60)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            for pattern, one in zip(json.loads(path.read_text())["properties"], costs[2 * l:2 * l + 2]):
                low, high = (Fraction(pattern["statement"][end]) for end in ("lower", "upper"))
                self.assertTrue(Fraction(one["lower"]) <= low <= high <= Fraction(one["upper"]))
                self.assertLess(float(one["upper"]), 1.03 * float(one["lower"]))
                others = rows[f"layers.{l}.normed"][1:]
                rank = np.linalg.matrix_rank(others)
                sizes = np.linalg.svd(others - others.mean(0), compute_uv=False)
                least = 2 * sizes.sum() / sizes[0]  # of an MLP: docs/THEORY_COSTS.md, co-7
                found = [float(one["identity_lower"]), float(one["identity_upper"])]
                if one["pattern"] == "sink":
                    np.testing.assert_allclose(found[0], least, rtol=1e-6)
                    self.assertTrue(least <= found[1] <= 4 * rank, found)
                else:
                    self.assertEqual(found, [2 * rank, 2 * rank])
            sink, diagonal = costs[2 * l:2 * l + 2]
            saved = float(diagonal["lower"]) - float(sink["upper"])
            self.assertEqual("sink_cheaper_from_margin" in sink, saved > 0)
            if saved > 0:
                margin = max(0, float(sink["identity_upper"]) - 2 * rank) / saved
                self.assertAlmostEqual(float(sink["sink_cheaper_from_margin"]), margin, delta=1e-6 * margin)
        for name in ("cost", "cost-block"):
            self.assertIn("(proved)", (out / "figures" / f"{name}.gpt_oss.twice.txt.12.svg").read_text())
        lines = list(csv.DictReader(io.StringIO((out / "costs.csv").read_text())))
        keys = ("lower", "upper", "identity_lower", "identity_upper")
        self.assertEqual([[line[key] for key in keys] for line in lines], [[one[key] for key in keys] for one in costs])
        (out / "gpt_oss.twice.txt.12.layer-1.cost.json").unlink()
        code, found, error = run(*arguments)
        self.assertEqual((code, json.loads(found)["made"]), (0, ["gpt_oss.twice.txt.12.layer-1.cost.json"]), error)

    def test_a_budget_stops_between_measurements_and_the_same_command_goes_on(self):
        arguments = [*self.arguments, "-o", self.root / "budget", "--seconds"]
        code, out, error = run(*arguments, "0")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("run the same command again", error)
        self.assertEqual(len(list((self.root / "budget" / "data").iterdir())), 1)
        code, out, error = run(*arguments, "100")
        self.assertEqual(code, 0, error)
        self.assertEqual(len(list((self.root / "budget" / "data").iterdir())), 10)

    def test_ids_are_read_as_texts_are(self):
        (self.root / "ids.json").write_text(json.dumps([list(self.raw[:T]), list(self.raw[T:2 * T])]))
        code, out, error = run(self.root / "gpt2", "--tokens", self.root / "ids.json", "--length", T, "--format", "json",
                               "-o", self.root / "ids")
        self.assertEqual(code, 0, error)
        self.assertEqual(json.loads(out)["measurements"][0]["estimates"], self.measurement("gpt2")["estimates"])

    def test_what_is_refused(self):
        folder, page = self.root / "gpt2", self.root / "page.txt"
        for words, code in (((folder, "--text", page, "--bos", "without", "--length", 39), None),
                            ((folder, "--text", page, "--bos", "without", "--length", 64), "SP2102"),
                            ((folder, "--text", page, "--length", 8), "SP1508"),
                            ((folder, "--length", 8), "SP1508"),
                            ((self.root, "--text", page, "--bos", "without"), "SP2004")):
            status, _, error = run(*words, "-o", self.root / "refused", "--format", "json")
            if code is None:
                self.assertEqual(status, 0, error)
                continue
            self.assertEqual(status, 2, error)
            self.assertEqual(json.loads(error)["error"]["code"], code)
        self.assertEqual(run(folder, "--text", page, "--bos", "without", "--length", 1, "-o", self.root / "x")[0], 2)


if __name__ == "__main__":
    unittest.main()
