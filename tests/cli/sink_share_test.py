"""sinkproof sink-share as a user runs it, and its enclosures against a forward pass
in 60-digit decimals that shares nothing with the program.

usage: sink_share_test.py BIN_DIR SOURCE_DIR
"""
import json
import random
import re
import shutil
import unittest
from decimal import Decimal, getcontext
from fractions import Fraction

import program
from program import SOURCE, Case, read_tensors, write_tensors

CHECKPOINTS = SOURCE / "tests" / "checkpoints"
STACK = CHECKPOINTS / "pytorch-2l2h-softmax.safetensors"
DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
KINDS = ("softmax", "sigmoid-normalised", "elu1-normalised", "softmax-null", "softmax-gated", "relu", "sigmoid",
         "elu1", "linear", "softmax-sink")

getcontext().prec = 60
# 60 digits through two layers of sums of at most 40 products of numbers below 100: far fewer than 40 digits are
# lost. Printed enclosures are rounded outward at 12 digits, so this changes no verdict but at an edge.
DECIMAL_ERROR = Decimal("1e-20")


def run(*arguments, command="sink-share"):
    return program.run(command, *arguments)


def matrix(tensor):
    (rows, columns), values = tensor
    return [[Decimal(v) for v in values[i * columns:(i + 1) * columns]] for i in range(rows)]


def vector(tensor, size):
    return [Decimal(v) for v in tensor[1]] if tensor else [Decimal(0)] * size


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Decimal(0))


def affine(weight, bias, rows):
    return [[dot(row, x) + b for row, b in zip(weight, bias)] for x in rows]


def kernel(kind, x):
    if kind.startswith("softmax"):
        return x.exp()
    if kind.startswith("sigmoid"):
        return 1 / (1 + (-x).exp())
    if kind.startswith("elu1"):
        return x + 1 if x >= 0 else x.exp()
    return max(x, Decimal(0)) if kind == "relu" else x


def weights_of(kind, logits, sink):
    kernels = [kernel(kind, x) for x in logits]
    if kind in ("relu", "sigmoid", "elu1", "linear"):
        divisor = Decimal(max(1, len(logits) - 1))
    else:
        null = {"softmax-null": Decimal(0), "softmax-sink": sink}.get(kind)
        divisor = sum(kernels) + (0 if null is None else null.exp())
    return [k / divisor for k in kernels]


def alphas(kind, heads, residual, tensors, rows, position):
    """alpha[layer][head] of one sequence, docs/THEORY.md em-1."""
    result = []
    layers = 0
    while f"layers.{layers}.W_Q.weight" in tensors:
        layers += 1
    for layer in range(max(1, layers)):
        prefix = f"layers.{layer}." if layers else ""
        weight = {name: matrix(tensors[f"{prefix}W_{name}.weight"]) for name in "QKVO"}
        bias = {name: vector(tensors.get(f"{prefix}W_{name}.bias"), len(weight[name])) for name in "QKVO"}
        q, k, v = (affine(weight[name], bias[name], rows) for name in "QKV")
        gates = None
        if kind == "softmax-gated":
            gates = affine(matrix(tensors[f"{prefix}W_G.weight"]), vector(tensors[f"{prefix}W_G.bias"], heads), rows)
        sinks = vector(tensors.get(f"{prefix}sinks"), heads)
        wide = len(q[0])
        width = wide // heads
        mixed = [[Decimal(0)] * wide for _ in rows]
        of_heads = []
        for head in range(heads):
            part = slice(head * width, (head + 1) * width)
            total = Decimal(0)
            for i in range(len(rows)):
                weights = weights_of(kind, [dot(q[i][part], k[j][part]) for j in range(i + 1)], sinks[head])
                if i + 1 >= position:
                    total += weights[position - 1]
                opening = 1 / (1 + (-gates[i][head]).exp()) if gates else Decimal(1)
                for c in range(head * width, (head + 1) * width):
                    mixed[i][c] = opening * sum(w * v[j][c] for j, w in enumerate(weights))
            of_heads.append(total / (len(rows) - position + 1))
        result.append(of_heads)
        out = affine(weight["O"], bias["O"], mixed)
        rows = [[o + (x if residual else 0) for o, x in zip(a, b)] for a, b in zip(out, rows)]
    return result


class SinkShare(Case):
    def measured(self, *arguments):
        status, stdout, stderr = run(*arguments, "--format", "json")
        self.assertEqual(status, 0, stderr)
        return json.loads(stdout)

    def refuse(self, code, *arguments):
        status, stdout, stderr = run(*arguments)
        self.assertEqual((status, stdout), (2, ""), stderr)
        self.assertIn(f"error {code}", stderr)

    def model(self, kind, heads=2, layers=2, n=4, residual=True, bias=True, scale=1.0, seed=11):
        source = random.Random(seed)

        def draw(*shape):
            count = 1
            for extent in shape:
                count *= extent
            return list(shape), [source.gauss(0, scale) for _ in range(count)]
        tensors = {}
        for layer in range(layers):
            prefix = f"layers.{layer}."
            for name in "QKV":
                tensors[f"{prefix}W_{name}.weight"] = draw(heads * n, n)
            tensors[prefix + "W_O.weight"] = draw(n, heads * n)
            if bias:
                for name in "QKV":
                    tensors[f"{prefix}W_{name}.bias"] = draw(heads * n)
                tensors[prefix + "W_O.bias"] = draw(n)
            if kind == "softmax-gated":
                tensors[prefix + "W_G.weight"] = draw(heads, n)
                tensors[prefix + "W_G.bias"] = draw(heads)
            if kind == "softmax-sink":
                tensors[prefix + "sinks"] = draw(heads)
        path = self.path(f"{kind}.safetensors")
        write_tensors(path, tensors, {"attention": kind, "seq_len": "6", "num_heads": str(heads),
                                          "residual": "true" if residual else "false"})
        return path

    def tokens(self, rows, n=4, seed=3):
        source = random.Random(seed)
        path = self.path(f"tokens{rows}.safetensors")
        write_tensors(path, {"x": ([rows, n], [source.gauss(0, 1) for _ in range(rows * n)])})
        return path

    def agree(self, report, model, kind, residual, tokens, length, position):
        """Every printed enclosure holds what 60 digits give, is narrow, and the counts are those of the decimals."""
        _, tensors = read_tensors(model)
        _, rows = read_tensors(tokens)
        rows = matrix(next(iter(rows.values())))
        heads = report["model"]["num_heads"]
        samples = [alphas(kind, heads, residual, tensors, rows[begin:begin + length], position)
                   for begin in range(0, len(rows), length)]
        self.assertEqual(report["samples"], len(samples))
        epsilon = Fraction(report["epsilon"])
        above = 0
        for entry in report["heads"]:
            values = [sample[entry["layer"]][entry["head"]] for sample in samples]
            count = sum(Fraction(value) > epsilon for value in values)
            above += count
            self.assertEqual((entry["certain"], entry["possible"]), (count, count), kind)
            for name, value in (("smallest_alpha", min(values)), ("largest_alpha", max(values))):
                lower, upper = Decimal(entry[name]["lower"]), Decimal(entry[name]["upper"])
                slack = DECIMAL_ERROR * max(1, abs(value))
                self.assertLessEqual(lower, value + slack, (kind, entry))
                self.assertLessEqual(value - slack, upper, (kind, entry))
                self.assertLessEqual(upper - lower, Decimal("2.1e-11") * max(abs(lower), abs(upper)), (kind, entry))
        share = report["sink_share"]
        self.assertEqual((share["certain"], share["possible"], share["total"]),
                         (above, above, len(samples) * len(report["heads"])))

    def test_every_kind_against_decimals(self):
        for number, kind in enumerate(KINDS):
            residual = number % 2 == 0
            scale = 0.7
            model = self.model(kind, residual=residual, bias=number % 3 != 0, scale=scale, seed=number)
            tokens = self.tokens(18, seed=number)
            for position in (1, 3):
                report = self.measured(model, "--tokens", tokens, "--length", 6, "--position", position,
                                       "--epsilon", "0.2")
                self.assertEqual((report["model"]["attention"], report["length"], report["position"]),
                                 (kind, 6, position))
                self.agree(report, model, kind, residual, tokens, 6, position)

    def test_a_checkpoint_against_decimals(self):
        rows = self.path("rows.safetensors")
        status, _, stderr = run(STACK, "--random", 2, "--seed", 5, "--property", "half-space", "--save-inputs", rows,
                                "--quiet", command="measure")
        self.assertEqual(status, 0, stderr)
        _, tensors = read_tensors(rows)
        tokens = self.path("tokens.safetensors")
        write_tensors(tokens, {"x": tensors["layers.0.input"]})
        report = self.measured(STACK, "--tokens", tokens, "--length", 16)
        self.agree(report, STACK, "softmax", True, tokens, 16, 1)
        self.assertEqual(report["tokens"]["tensor"], "x")
        # The same sequences by their seed.
        drawn = self.measured(STACK, "--random", 2, "--seed", 5)
        self.assertEqual(drawn["heads"], report["heads"])
        self.assertEqual(drawn["tokens"]["seed"], 5)
        self.assertNotEqual(self.measured(STACK, "--random", 2, "--seed", 6)["heads"], report["heads"])

    def test_contract_and_threads(self):
        report = self.measured(STACK, "--random", 5, "--seed", 1, "--length", 24, "--jobs", 1)
        self.assertEqual(report, self.measured(STACK, "--random", 5, "--seed", 1, "--length", 24, "--jobs", 3))
        self.assertEqual((report["schema"], report["property"], report["semantics"], report["verdict"]),
                         (1, "sink-share", "real", "enclosed"))
        self.assertEqual(report["evidence"], "enclosed, and accepted by the trusted checker")
        self.assertEqual((report["samples"], report["length"], report["position"], report["epsilon"]),
                         (5, 24, 1, "3/10"))
        self.assertEqual([(h["layer"], h["head"]) for h in report["heads"]], [(0, 0), (0, 1), (1, 0), (1, 1)])
        share = report["sink_share"]
        self.assertEqual(share["total"], 20)
        self.assertEqual(share["certain"], sum(head["certain"] for head in report["heads"]))
        for text in (share["lower"], share["upper"], report["heads"][0]["smallest_alpha"]["lower"]):
            self.assertTrue(DECIMAL.fullmatch(text), text)
        self.assertLessEqual(Fraction(share["lower"]), Fraction(share["certain"], 20))
        self.assertLessEqual(Fraction(share["possible"], 20), Fraction(share["upper"]))

    def test_an_alpha_that_is_epsilon_is_left_open(self):
        zero = ([4, 4], [0.0] * 16)
        model = self.path("uniform.safetensors")
        write_tensors(model, {f"W_{name}.weight": zero for name in "QKVO"}, {"attention": "softmax", "seq_len": "3"})
        tokens = self.tokens(3)
        report = self.measured(model, "--tokens", tokens, "--epsilon", "11/18")
        self.assertEqual((report["sink_share"]["lower"], report["sink_share"]["upper"]), ("0", "1"))
        status, text, _ = run(model, "--tokens", tokens, "--epsilon", "11/18")
        self.assertEqual(status, 0)
        self.assertIn("alpha > 11/18: 0 .. 1 (0 to 1 of 1)", text)
        self.assertIn("1 could not be separated from 11/18 at 2048 bits; only the upper figure counts them", text)
        for epsilon, share in (("0.6111", "1"), ("0.6112", "0")):
            report = self.measured(model, "--tokens", tokens, "--epsilon", epsilon)
            self.assertEqual((report["sink_share"]["lower"], report["sink_share"]["upper"]), (share, share))
        # Two positions: 3/4, a point, which does not exceed itself.
        report = self.measured(model, "--tokens", self.tokens(2), "--epsilon", "0.75")
        self.assertEqual(report["sink_share"]["upper"], "0")

    def test_text(self):
        status, text, stderr = run(STACK, "--random", 3)
        self.assertEqual(status, 0, stderr)
        self.assertIn("softmax, 2 layers of 2 heads, d_model 16, residual true, logits unscaled, 3 sequences of 16", text)
        self.assertRegex(text, r"sink share of position 1, alpha > 3/10: \S+ .*\([0-9]+ of 12\)")
        self.assertRegex(text, r"enclosed, and accepted by the trusted checker \([0-9]+ bits\); semantics real")
        self.assertEqual(len(re.findall(r"^ +[01] +[01] ", text, re.M)), 4)
        self.assertEqual(run(STACK, "--random", 1, "--quiet")[:2], (0, ""))

    def test_certificate(self):
        """Written only when the checkers accept it, and no count more than there is."""
        certificate = self.path("share.json")
        tokens = self.tokens(12)
        model = self.model("softmax")
        for given in ((STACK, "--random", 3, "--seed", 4), (model, "--tokens", tokens, "--length", 6)):
            report = self.measured(*given, "--epsilon", "0.2", "-o", certificate)
            self.assertEqual(report["certificate"], str(certificate))
            if given[0] == STACK:
                shutil.copy(STACK, self.folder)
            total = report["sink_share"]["total"]
            certain = report["sink_share"]["certain"]
            self.assertEqual(report["sink_share"]["possible"], certain)
            value = json.loads(certificate.read_text())
            share, = (entry for entry in value["properties"] if entry["name"] == "sink-share")
            self.assertEqual((Fraction(share["lower"]), Fraction(share["upper"])), (Fraction(certain, total),) * 2)
            for checker in ("sinkproof-check", "recheck"):
                def verdict(**changed):
                    share.update({name: str(number) for name, number in changed.items()})
                    certificate.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")
                    return program.run("--models", self.folder, certificate, program=checker)[0]
                exact = Fraction(certain, total)
                self.assertEqual(verdict(), 0, checker)
                if certain < total:
                    more = Fraction(certain + 1, total)
                    self.assertEqual(verdict(lower=more, upper=more), 4, checker)
                if certain > 0:
                    less = Fraction(certain - 1, total)
                    self.assertEqual(verdict(lower=less, upper=less), 4, checker)
                self.assertEqual(verdict(lower=exact, upper=exact), 0, checker)

    def test_its_former_name(self):
        asked = ("--random", 1, "--format", "json")
        now, former = run(STACK, *asked), run(STACK, *asked, "--property", "sink-share", command="measure")
        self.assertEqual((now[0], now[1]), (0, former[1]))

    def refused_option(self, option, value):
        status, stdout, stderr = run(STACK, "--random", 1, option, value)
        self.assertEqual((status, stdout), (2, ""), stderr)
        self.assertIn(option, stderr)

    def test_refusals(self):
        self.refuse("SP1507", STACK)
        self.refused_option("--property", "switch")
        self.refused_option("--layer", 0)
        self.refused_option("--save-inputs", self.path("c.safetensors"))
        self.refuse("SP1509", STACK, "--random", 1, "--epsilon", "a third")
        self.refuse("SP1509", STACK, "--random", 1, "--epsilon", "1/0")
        self.refuse("SP1509", STACK, "--random", 1024, "--length", 1024)
        self.refuse("SP1513", STACK, "--random", 1, "--position", 17)
        self.refuse("SP1505", STACK, "--tokens", self.tokens(3))
        self.refuse("SP1509", self.model("softmax"), "--tokens", self.tokens(7), "--length", 6)
        self.refuse("SP1514", self.model("softmax"), "--tokens", self.tokens(1025))
        self.refuse("SP1111", self.tokens(3), "--random", 1)
        self.refuse("SP1511", self.model("relu", scale=1e300, layers=9), "--tokens", self.tokens(6))
        self.assertEqual([path.name for path in self.folder.glob("c.*")], [])


if __name__ == "__main__":
    unittest.main()
