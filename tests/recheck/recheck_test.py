#!/usr/bin/env python3
"""Tests of tools/recheck: python3 tests/recheck/recheck_test.py

The samples are certificates for two trained heads (d_model 16, length 16) with their models and the claim folder
they were made against. Most tests change one thing in a good certificate and demand exit 4.
"""

import contextlib
import copy
import hashlib
import io
import itertools
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from decimal import Decimal, getcontext
from fractions import Fraction
from math import prod

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLES = os.path.join(HERE, "samples")
SCRIPT = os.path.join(ROOT, "tools", "recheck")
sys.path.insert(0, os.path.dirname(SCRIPT))
import recheck.command_line  # which imports all other modules
import reasons


def patched(**values):
    """A context in which these names have these values, in every module of the checker that knows them."""
    stack = contextlib.ExitStack()
    for name, value in values.items():
        modules = [module for key, module in sys.modules.items() if key.startswith("recheck.") and hasattr(module, name)]
        if len({id(getattr(module, name)) for module in modules}) != 1:
            raise AssertionError(f"{name} is not one thing in the modules of the checker")
        for module in modules:
            stack.enter_context(unittest.mock.patch.object(module, name, value))
    return stack


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8") + b"\n"


def run(*arguments, **options):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, timeout=300, **options)


def sample(name):
    with open(os.path.join(SAMPLES, name + ".json"), "rb") as file:
        return json.loads(file.read())


def named(value, name):
    return next(item for item in value["properties"] if item["name"] == name)


def restrictions(value):
    """What is said of inputs that are not all inputs of the task."""
    words = []
    if value["triggers"] and value["triggers"] != [3, value["length"]]:
        first, last = value["triggers"]
        words.append(f"only for the trigger at {first}" if first == last else f"only for the trigger at {first} to {last}")
    if value["box"] and len(value["box"]) > 1:
        words.append("only for noise in an interval for each coordinate")
    elif value["box"] and value["box"] != [["-1", "1"]]:
        words.append("only for noise in [{},{}]".format(*value["box"][0]))
    return words


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.options = types.SimpleNamespace(models=SAMPLES, claims=os.path.join(SAMPLES, "proofs"), accept=set())

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.remove(path)  # ext4 waits for the disk where a file is truncated
        with open(path, "wb") as file:
            file.write(data)
        return path

    def check(self, value):
        """(exit code, reason) for a certificate given as bytes or as a value; a reason without the scale of logits,
        the inputs and the lengths bounds hold for, which what is accepted has to say."""
        data = value if type(value) is bytes else canonical(value)
        code, result = recheck.check.check_file(self.write("certificate.json", data), self.options)
        said = result["reason"].split("; ")
        if code == 0 and type(value) is dict and value.get("kind") == "checkpoint":
            if value["model"]["scale"] != "1":
                said.remove(f"logits scaled by {value['model']['scale']}")
            for words in restrictions(value):
                said.remove(words)
            bounds = any({"witness", "claim"} & item.keys() and item["name"] != "theorem.tc-2" for item in value["properties"])
            if bounds and value["triggers"][0] < value["length"]:
                first = value["triggers"][0]
                said.remove(f"bounds for every length {'up' if first == 3 else f'from {first}'} to {value['length']}")
        return code, "; ".join(said)

    def rejected(self, value, reason):
        code, text = self.check(value)
        self.assertEqual((code, reason in text), (4, True), f"{code}: {text!r} should say {reason!r}")


def trees(value):
    """All trees in a value."""
    if type(value) is dict:
        return [text for key, x in value.items() for text in (x if key == "trees" else trees(x))]
    return [text for x in value for text in trees(x)] if type(value) is list else []


class Envelope(Case):
    def test_samples_are_accepted(self):
        for name, reason in (("softmax", "theorem entries rest on tc-1, tc-3"), ("relu", "")):
            self.assertEqual(self.check(sample(name)), (0, reason))

    def test_what_is_no_json(self):
        bad = {
            "a million digits": (b'{"format":' + b"9" * 10**6 + b"}\n", reasons.OUT_OF_RANGE),
            "empty": (b"", "not JSON"), "array": (b"[]\n", reasons.NOT_JSON_OBJECT),
            "deep arrays": (b"[" * 10**6, "nested deeper"), "deep objects": (b'{"a":' * 10**5, "nested deeper"),
            "65 deep": (b'{"a":' + b"[" * 64 + b"]" * 64 + b"}\n", "nested deeper"),
            "64 deep": (b'{"a":' + b"[" * 63 + b"]" * 63 + b"}\n", "no key format"),
            reasons.TOO_MANY_ARRAYS: (b"[" + b"[]," * (1 << 25) + b"[]]\n", "too many"),
        }
        for what, (data, reason) in bad.items():
            with self.subTest(what):
                self.rejected(data, reason)

    def test_envelope_values(self):
        for key, bad in (("format", True), ("format", 3), ("format", 0), ("format", "2"), ("kind", "other"), ("kind", ["checkpoint"]), ("kind", None), ("claim", "Checkpoint"),
                         ("claim", "checkpoint\n"), ("claim", ""), ("claim", "c" * 65), ("claim", "../x"), ("claim", None)):
            with self.subTest(f"{key} {bad!r}"):
                value = sample("relu")
                value[key] = bad
                self.rejected(value, key)
        self.rejected(sample("relu") | {"format": 1}, "SP0505")
        for kind in ("theory", "vectors"):
            self.rejected(sample("relu") | {"kind": kind}, "format is not 1")

    def test_rational_spelling(self):
        digits = "9" * 20000
        for good, value in (("0", 0), ("-1/2", Fraction(-1, 2)), (digits, int(digits)), (f"1/{digits}", Fraction(1, int(digits)))):
            self.assertEqual(recheck.envelope.rational(good, "it"), value)
        for bad in ("", "-0", "00", "01", "+1", " 1", "1 ", "1\n", "1_0", "\u0661", "1/0", "1/1", "2/4", "0/5", "-0/5", "1/-2",
                    "1/02", "1.0", "1e3", "0x1", "1/2/3", "9" * 20001, "1/" + "9" * 20001, 1, True, None, ["1"]):
            with self.subTest(str(bad)[:20]), self.assertRaises(recheck.refusal.Reject):
                recheck.envelope.rational(bad, "it")


class CommandLine(Case):
    def test_exit_codes(self):
        good = os.path.join(SAMPLES, "relu.json")
        bad = self.write("bad.json", b"{}\n")
        theory = os.path.join(ROOT, "certificates", "tc-6.json")
        claims = os.path.join(SAMPLES, "proofs")
        self.assertEqual(run("--claims", claims, good).returncode, 0)
        shutil.copytree(claims, os.path.join(self.folder, "proofs"))
        elsewhere = shutil.copytree(SCRIPT, os.path.join(self.folder, "tools", "recheck"))  # proofs beside the tools folder, model beside the file
        command = [sys.executable, elsewhere, good]
        self.assertEqual(subprocess.run(command, cwd=os.path.join(self.folder, "tools"), capture_output=True, timeout=300).returncode, 0)
        self.assertEqual(run(theory).returncode, 3)
        self.assertEqual(run("--accept", "smt", theory).returncode, 3)
        self.assertEqual(run("--accept", "coq,smt", theory).returncode, 0)
        self.assertEqual(run(bad).returncode, 4)
        self.assertEqual(run(os.path.join(self.folder, "absent.json")).returncode, 2)
        self.assertEqual(run(self.folder).returncode, 2)
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("--accept", "smt,z3", theory).returncode, 2)
        self.assertEqual(run("--claims", self.folder, good).returncode, 2)
        self.assertEqual(run("--claims", os.path.join(self.folder, "absent"), good).returncode, 2)
        alone = self.write("alone.json", canonical(sample("relu")))
        self.assertEqual(run("--claims", claims, alone).returncode, 2)  # no model
        self.assertEqual(run("--claims", claims, "--models", SAMPLES, alone).returncode, 0)
        absent = os.path.join(self.folder, "absent.json")
        self.assertEqual(run(theory, absent).returncode, 2)
        self.assertEqual(run(theory, bad, absent).returncode, 4)

    def test_output(self):
        good = os.path.join(SAMPLES, "relu.json")
        bad = self.write("bad.json", b"{}\n")
        out = run("--format", "json", "--claims", os.path.join(SAMPLES, "proofs"), good, bad)
        value = json.loads(out.stdout)
        self.assertEqual(value["schema"], 1)
        self.assertEqual(value["files"][0], {"file": good, "claim": "checkpoint", "verdict": "proved", "evidence": "exact", "reason": f"bounds for every length up to {sample('relu')['length']}"})
        self.assertEqual(value["files"][1]["verdict"], "rejected")
        self.assertEqual((out.returncode, out.stderr), (4, ""))
        text = run("--quiet", "--claims", os.path.join(SAMPLES, "proofs"), good, bad)
        self.assertEqual(text.stdout.count("\n"), 1)
        self.assertIn("bad.json", text.stdout)

    def test_names_cannot_start_a_line(self):
        value = sample("relu")
        value["properties"][0]["name"] = "a\nb\x1b[2J\x85\u2028\u202e\xe9 c"
        path = self.write("certificate.json", canonical(value))
        out = run("--claims", os.path.join(SAMPLES, "proofs"), "--models", SAMPLES, path, encoding="utf-8", env=os.environ | {"PYTHONIOENCODING": "utf-8"})
        self.assertEqual((out.returncode, len(out.stdout.splitlines())), (4, 1))
        self.assertIn("property a\\nb\\x1b[2J\\x85\\u2028\\u202e\xe9 c: ", out.stdout)

    def test_unexpected_failure_is_exit_5_and_one_line(self):
        def fail(*_):
            raise ZeroDivisionError("one\ntwo")
        self.enterContext(patched(check_checkpoint=fail))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(recheck.command_line.main([os.path.join(SAMPLES, "relu.json")]), 5)
        self.assertEqual(out.getvalue().count("\n"), 1)


class Hashes(Case):
    def test_claim_hash(self):
        for name, data in (("b.v", b"1"), ("a/c.txt", b"2"), ("README.md", b"3"), ("a/x.vo", b"4"), (".y.aux", b"5"), (".lia.cache", b"6")):
            self.write("claim/" + name, data)
        lines = sorted(name.encode() + b"\0" + hashlib.sha256(data).hexdigest().encode() + b"\n" for name, data in (("b.v", b"1"), ("a/c.txt", b"2")))
        folder = os.path.join(self.folder, "claim")
        self.assertEqual(recheck.hashes.claim_hash(folder), hashlib.sha256(b"".join(lines)).hexdigest())
        os.symlink("b.v", os.path.join(folder, "link.v"))
        with self.assertRaises(recheck.refusal.Reject):
            recheck.hashes.claim_hash(folder)

    def test_links_and_left_out_files(self):
        """Links are refused whatever their name; what is left out may have any name."""
        self.write("claim/b.v", b"1")
        folder = os.path.join(self.folder, "claim")
        alone = recheck.hashes.claim_hash(folder)
        for name in ("a b.vo", "\u00e9.glob", ".a b.aux"):
            self.write("claim/" + name, b"")
        with open(os.path.join(os.fsencode(folder), b"\xff.vok"), "wb"):
            pass
        self.assertEqual(recheck.hashes.claim_hash(folder), alone)
        for name, target in (("README.md", "b.v"), ("x.vo", "b.v"), (".lia.cache", "absent"), (".y.aux", ".")):
            os.symlink(target, os.path.join(folder, name))
            with self.subTest(name), self.assertRaises(recheck.refusal.Reject):
                recheck.hashes.claim_hash(folder)
            os.unlink(os.path.join(folder, name))
        os.makedirs(os.path.join(folder, "a.vo"))  # a folder of that name is not left out
        self.assertEqual(recheck.hashes.claim_hash(folder), alone)
        self.write("claim/a.vo/c", b"")
        self.assertNotEqual(recheck.hashes.claim_hash(folder), alone)
        os.makedirs(os.path.join(folder, "a b.vo2"))
        with self.assertRaises(recheck.refusal.Reject):
            recheck.hashes.claim_hash(folder)

    def test_the_claim_folder_is_no_link(self):
        shutil.copytree(os.path.join(SAMPLES, "proofs", "checkpoint"), os.path.join(self.folder, "real"))
        self.options.claims = self.folder
        for target in ("real", "absent"):
            os.symlink(target, os.path.join(self.folder, "checkpoint"))
            self.rejected(sample("relu"), "link")
            os.unlink(os.path.join(self.folder, "checkpoint"))
        os.rename(os.path.join(self.folder, "real"), os.path.join(self.folder, "checkpoint"))
        self.assertEqual(self.check(sample("relu"))[0], 0)

    def test_models_are_regular_files_and_links_to_such(self):
        self.options.models = self.folder
        name, model, pipe = (os.path.join(self.folder, x) for x in ("m.safetensors", "blob", "pipe"))
        shutil.copy(os.path.join(SAMPLES, "1l1h-relu.safetensors"), model)
        os.mkfifo(pipe)
        for make, code in ((os.mkfifo, 2), (lambda path: os.symlink("pipe", path), 2), (lambda path: os.symlink("nothing", path), 2),
                           (lambda path: os.symlink(".", path), 2), (lambda path: os.symlink("blob", path), 0), (lambda path: shutil.copy(model, path), 0)):
            make(name)
            self.assertEqual(self.check(sample("relu"))[0], code)
            os.unlink(name)
            recheck.hashes.file_hash.cache_clear()

    def test_claim_folder_limits(self):
        self.write("empty/README.md", b"")
        self.write("named/a b.txt", b"")
        self.write("deep/" + "d/" * 9 + "a", b"")
        self.write("right/" + "d/" * 8 + "a", b"")
        self.write("large/a", bytes(16777217))
        for index in range(1001):
            self.write(f"many/{index}", b"")
        for index in range(17):  # 16 MiB each, and nothing on the disk
            os.truncate(self.write(f"heavy/{index}", b""), 1 << 24)
        for name in ("empty", "named", "deep", "large", "many", "heavy"):
            with self.subTest(name), self.assertRaises(recheck.refusal.Reject):
                recheck.hashes.claim_hash(os.path.join(self.folder, name))
        self.assertEqual(len(recheck.hashes.claim_hash(os.path.join(self.folder, "right"))), 64)


def model_value(n, heads, attention, **changes):
    """The key `model` of a certificate, but for its hash."""
    return {"sha256": "", "attention": attention, "d_model": n, "num_heads": heads, "head_width": n, "num_layers": 1, "residual": False, "scale": "1"} | changes


def safetensors(header, data, length=None):
    text = json.dumps(header).encode() if type(header) is dict else header
    return struct.pack("<Q", len(text) if length is None else length) + text + data


class Model(Case):
    """The identity head of d_model 4 in every dtype, and files that must be refused."""

    names = ("W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight")

    def header(self, dtype, size, **metadata):
        span = 16 * size
        header = {name: {"dtype": dtype, "shape": [4, 4], "data_offsets": [i * span, (i + 1) * span]} for i, name in enumerate(self.names)}
        return header | ({"__metadata__": metadata} if metadata else {})

    def load(self, data, **changes):
        path = self.write("model.safetensors", data)
        return recheck.checkpoint.model.Matrices(recheck.checkpoint.model.load_model(path, model_value(4, 1, "softmax", overrides=[]) | changes, 5), (3, 5))

    def test_dtypes(self):
        flat = [1.5 if i % 5 == 0 else -2.0**-14 if i == 1 else 0.0 for i in range(16)]
        packed = {"F64": struct.pack("<16d", *flat), "F32": struct.pack("<16f", *flat), "F16": struct.pack("<16e", *flat)}
        packed["BF16"] = b"".join(struct.pack("<f", x)[2:] for x in flat)
        for dtype, data in packed.items():
            layer = self.load(safetensors(self.header(dtype, len(data) // 16), data * 4))
            head = layer.heads[0]
            rows = [[Fraction(x) for x in flat[i:i + 4]] for i in range(0, 16, 4)]
            for f, g in itertools.product(range(4), repeat=2):
                self.assertEqual(Fraction(head.M[f][g], layer.scale), sum(rows[o][f] * rows[o][g] for o in range(4)))
                self.assertEqual(Fraction(head.V[f][g], layer.scale), sum(rows[f][o] * rows[o][g] for o in range(4)))

    def test_metadata_and_overrides(self):
        data = bytes(4 * 64)
        self.load(safetensors(self.header("F32", 4, attention="softmax", d_model="4", residual="false", lr="1"), data))
        other = safetensors(self.header("F32", 4, attention="relu", residual="true"), data)
        self.load(other, overrides=["attention", "residual"])
        self.load(other, overrides=["attention"], residual=True)
        for overrides in ([], ["attention"], ["residual", "attention"], ["attention", "d_model", "residual"], ["attention", "residual", "residual"]):
            with self.assertRaises(recheck.refusal.Reject):
                self.load(other, overrides=overrides)

    def test_the_longest_header(self):
        header = json.dumps(self.header("F32", 4)).encode()
        self.load(safetensors(header.ljust(1 << 24), bytes(4 * 64)))
        with self.assertRaisesRegex(recheck.refusal.Reject, "16 MiB"):
            self.load(safetensors(header.ljust((1 << 24) + 1), bytes(4 * 64)))

    def test_num_layers(self):
        data = bytes(4 * 64)
        self.load(safetensors(self.header("F32", 4, num_layers="1"), data))
        other = safetensors(self.header("F32", 4, num_layers="2", d_model="5"), data)
        self.load(other, overrides=["d_model", "num_layers"])
        for overrides in ([], ["d_model"], ["num_layers"]):
            with self.assertRaises(recheck.refusal.Reject):
                self.load(other, overrides=overrides)
        with self.assertRaises(recheck.refusal.Reject):
            self.load(safetensors(self.header("F32", 4, num_layers="1"), data), overrides=["num_layers"])

    def test_tensors_of_the_first_layer(self):
        """All names with the prefix layers.0., or none."""
        data, good = bytes(4 * 64), self.header("F32", 4)
        with_prefix = lambda prefix, names: {(prefix if name in names else "") + name: tensor for name, tensor in good.items()}
        self.load(safetensors(with_prefix("layers.0.", self.names) | {"__metadata__": {"a": "b"}}, data))
        for prefix, names in (("layers.0.", self.names[:3]), ("layers.0.", self.names[:1]), ("layers.1.", self.names),
                              ("layers.0.layers.0.", self.names), ("layers.00.", self.names)):
            with self.subTest(prefix), self.assertRaises(recheck.refusal.Reject):
                self.load(safetensors(with_prefix(prefix, names), data))

    def test_files_that_are_refused(self):
        data, good = bytes(4 * 64), self.header("F32", 4)

        def changed(**changes):
            header = copy.deepcopy(good)
            header["W_V.weight"].update(changes)
            return safetensors(header, data)
        without = {name: tensor for name, tensor in good.items() if name != "W_O.weight"}
        infinite = struct.pack("<f", float("inf")) + data[4:]
        bad = {
            "empty": b"", "huge header": safetensors(good, data, 1 << 63), "header over the end": safetensors(good, data, 10**6),
            "array": safetensors(b"[]", b""), "float": safetensors(b'{"a":1.5}', b""), "deep": safetensors(b'{"a":' * 50000, b""),
            "repeated": safetensors(b'{"a":1,"a":1}', b""), "short": safetensors(good, data[:-1]), "long": safetensors(good, data + b"0"),
            "no W_O": safetensors(without, data[:3 * 64]), "infinite": safetensors(good, infinite),
            "integer dtype": changed(dtype="I32"), "wrong size": changed(dtype="F64"), "shape": changed(shape=[16]),
            "bool shape": changed(shape=[True, 16]), "overlap": changed(data_offsets=[64, 128]), "negative": changed(data_offsets=[-64, 0]),
            "extra key": changed(more=1), "metadata": safetensors(good | {"__metadata__": {"a": 1}}, data),
            "layers": safetensors(good | {"layers.0.W_Q.weight": {"dtype": "F32", "shape": [0], "data_offsets": [256, 256]}}, data),
        }
        header = json.dumps(good).encode()
        bad |= {
            "space first": safetensors(b" " + header, data), "line feed after": safetensors(header + b"\n", data),
            "not UTF-8": safetensors(header[:-1] + b', "__metadata__": {"a": "\xff"}}', data), "more": safetensors(header + b"{}", data),
            "surrogate": safetensors(header[:-1] + b', "__metadata__": {"a": "\\ud800"}}', data),
            "surrogate in a key": safetensors(header[:-1] + b', "__metadata__": {"\\udc00": "a"}}', data),
            "minus zero": safetensors(header.replace(b"[0, 64]", b"[-0, 64]"), data),
        }
        self.load(safetensors(good, data))
        self.load(safetensors(header + b"   ", data))
        self.load(safetensors(header[:-1] + b', "__metadata__": {"a": "\\ud83d\\ude00"}}', data))
        for what, file in bad.items():
            with self.subTest(what), self.assertRaises(recheck.refusal.Reject):
                self.load(file)


class Exponential(Case):
    def test_against_decimal(self):
        getcontext().prec = 1900
        randomly = random.Random(7)
        points = [Fraction(x) for x in (0, 1, -1, 4096, -4096)] + [Fraction(1, 2), Fraction(1, 3), Fraction(-4095, 2), Fraction(1, 10**60)]
        points += [Fraction(randomly.randint(-10**9, 10**9), randomly.choice((10**6, 10**8, 10**9 + 7, 10**12))) for _ in range(60)]
        for x in points:
            getcontext().prec = 150
            true = Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())
            slack = Fraction(1, 10**140) * (1 + abs(x))
            low, high = recheck.checkpoint.kernels.exp_down(x), recheck.checkpoint.kernels.exp_up(x, "it")
            self.assertLessEqual(low, true * (1 + slack))
            self.assertGreaterEqual(high, true * (1 - slack))
            self.assertLess(high - low, true / 2**90)

    def test_every_bit_is_the_page_s(self):
        """The page's recipe word for word, with Fractions: two checkers must agree on every bit."""
        floor, ceil = (lambda x: x.__floor__()), (lambda x: x.__ceil__())
        for x in (Fraction(1), Fraction(5, 3), Fraction(-7, 11), Fraction(100, 7), Fraction(-12345, 10), Fraction(4096)):
            y, h = abs(x), 0
            while y / 2**h > Fraction(1, 2):
                h += 1
            one = 2**(96 + h + 16)
            a, b = floor(y / 2**h * one), ceil(y / 2**h * one)
            t = down = one
            i = 1
            while True:
                t = floor(Fraction(t * a, one * i))
                down, i = down + t, i + 1
                if t == 0:
                    break
            t = up = one
            i = 1
            while t > 1:
                t = ceil(Fraction(t * b, one * i))
                up, i = up + t, i + 1
            up += 1
            for _ in range(h):
                down, up = floor(Fraction(down**2, one)), ceil(Fraction(up**2, one))
            g = 2**(128 + ceil(3 * y / 2))
            expected = (Fraction(down, one), Fraction(up, one)) if x >= 0 else (Fraction(floor(Fraction(g * one, up)), g), Fraction(ceil(Fraction(g * one, down)), g))
            self.assertEqual((recheck.checkpoint.kernels.exp_down(x), recheck.checkpoint.kernels.exp_up(x, "it")), expected)

    def test_beyond_4096(self):
        self.assertEqual(recheck.checkpoint.kernels.exp_down(Fraction(-4097)), 0)
        self.assertEqual(recheck.checkpoint.kernels.exp_up(Fraction(-10**9), "it"), recheck.checkpoint.kernels.exp_up(Fraction(-4096), "it"))
        self.assertEqual(recheck.checkpoint.kernels.exp_down(Fraction(10**9)), recheck.checkpoint.kernels.exp_down(Fraction(4096)))
        with self.assertRaises(recheck.refusal.Reject):
            recheck.checkpoint.kernels.exp_up(Fraction(40961, 10), "it")

    def test_the_first_terms_by_hand(self):
        # x = 0: S = one in both directions, and the upper one adds the last unit.
        self.assertEqual((recheck.checkpoint.kernels.exp_down(Fraction(0)), recheck.checkpoint.kernels.exp_up(Fraction(0), "it")), (1, 1 + Fraction(1, 2**112)))


def random_layer(randomly, n, length, attention, size=256):
    """A layer of one head with integer weights over 64."""
    matrix = lambda: [randomly.randint(-size, size) / 64 for _ in range(n * n)]
    maps = {name: recheck.checkpoint.model.Map(matrix(), None, n) for name in ("W_Q", "W_K", "W_V", "W_O")}
    return recheck.checkpoint.model.Matrices(recheck.checkpoint.model.Model(model_value(n, 1, attention), [recheck.checkpoint.model.Layer(maps, [[]])], length), (3, length))


class Trees(Case):
    def random_form(self, randomly, view):
        d, number = view.d, lambda: Fraction(randomly.randint(-99, 99), randomly.randint(1, 9))
        form, terms = recheck.checkpoint.obligations.Form(view), []
        for _ in range(2):
            x, c, a = number(), randomly.randint(-9, 9), [randomly.randint(-9, 9) for _ in range(d)]
            form.affine(x, (c, a))
            terms.append((1, x * c, [x * z for z in a]))
        for _ in range(3):
            x, w, y, c, a = number(), randomly.randint(-9, 9), number(), randomly.randint(-9, 9), [randomly.randint(-9, 9) for _ in range(d)]
            form.absolute(x, w, y, (c, a))
            terms.append((0, x * w + y * c, [y * z for z in a]))
        scale = number()
        form.itself(1, scale).number(Fraction(1, 7))
        return form, terms, scale

    def by_formula(self, view, terms, scale, fixed):
        """The leaf bound of section 4.5, written down directly; fixed = signs of the first coordinates."""
        d, m, u = view.d, view.head.M, dict(enumerate(fixed))
        pair = lambda k, l: scale * (m[view.noise[k]][view.noise[l]] + m[view.noise[l]][view.noise[k]])
        a = [sum(t[2][k] for t in terms if t[0]) + scale * m[1][view.noise[k]] for k in range(d)]
        total = sum(t[1] for t in terms if t[0]) + sum(max(0, scale * m[k][k]) for k in view.noise) + Fraction(view.scale, 7)
        total += sum(a[k] * u[k] for k in u) + sum(pair(k, l) * u[k] * u[l] for k in u for l in u if k < l)
        free = [k for k in range(d) if k not in u]
        total += sum(abs(a[k] + sum(pair(k, l) * u[l] for l in u)) for k in free)
        total += sum(abs(pair(k, l)) for k in free for l in free if k < l)
        for kind, b, row in terms:
            if not kind:
                total += abs(b + sum(row[k] * u[k] for k in u)) + sum(abs(row[k]) for k in free)
        return total / view.scale

    def test_leaf_bounds(self):
        randomly = random.Random(3)
        for _ in range(40):
            head = random_layer(randomly, randomly.randint(4, 7), 5, "softmax")
            view = recheck.checkpoint.notation.View(head, 0, randomly.sample(range(head.d), head.d))
            form, terms, scale = self.random_form(randomly, view)
            leaves, words = [], []

            def grow(fixed):
                if len(fixed) < head.d and randomly.random() < 0.8:
                    words.append("1")
                    grow(fixed + [-1])
                    grow(fixed + [1])
                else:
                    words.append("0")
                    leaves.append(fixed)
            grow([])
            numbers = form.integers()
            found = list(recheck.checkpoint.obligations.leaf_bounds("".join(words), [numbers], head.d))
            self.assertEqual([(None, tuple(fixed)) for fixed in leaves], [(number, signs) for _, number, signs in found])
            bounds = [Fraction(x, numbers.denominator) for (x,), *_ in found]
            self.assertEqual(bounds, [self.by_formula(view, terms, scale, fixed) for fixed in leaves])
            for fixed, bound in zip(leaves, bounds):
                for rest in itertools.product((-1, 1), repeat=head.d - len(fixed)):
                    self.assertLessEqual(self.by_formula(view, terms, scale, fixed + list(rest)), bound)
            highest = max(bounds)
            tree = "".join(words)
            recheck.checkpoint.obligations.prove(recheck.checkpoint.obligations.Obligation("it", [form], highest), tree, view.d)
            with self.assertRaises(recheck.refusal.Reject):
                recheck.checkpoint.obligations.prove(recheck.checkpoint.obligations.Obligation("it", [form], highest - Fraction(1, 10**30)), tree, view.d)
            recheck.checkpoint.obligations.prove(recheck.checkpoint.obligations.Obligation("it", [form, form], lambda units: lambda bounds: all(Fraction(*x) <= highest for x in zip(bounds, units))), tree, view.d)
            with self.assertRaises(recheck.refusal.Reject):
                recheck.checkpoint.obligations.prove(recheck.checkpoint.obligations.Obligation("it", [form, form], lambda units: lambda bounds: Fraction(bounds[1], units[1]) < highest), tree, view.d)

    def test_malformed_trees(self):
        layer = random_layer(random.Random(1), 5, 4, "softmax")
        view = recheck.checkpoint.notation.View(layer, 0, [1, 0])
        numbers = recheck.checkpoint.obligations.Form(view).integers()
        obligations = lambda count: iter([recheck.checkpoint.obligations.Obligation("it", [recheck.checkpoint.obligations.Form(view)], Fraction(0))] * count)
        prove = lambda tree: recheck.checkpoint.obligations.prove_all(layer, [tree], obligations(1))
        for good in ("0", "100", "11000", "10100", "1100100"):
            self.assertEqual(len(list(recheck.checkpoint.obligations.leaf_bounds(good, [numbers], 2))), good.count("0"))
            prove(good)
        for bad in ("", "1", "00", "10", "1000", "1110000", "0\n", "2", " 0", "\u0660", "0" * 4194305, None, 0, ["0"]):
            with self.subTest(str(bad)[:9]), self.assertRaises(recheck.refusal.Reject):
                prove(bad)
        for trees, count in itertools.product(range(4), range(4)):
            with self.subTest(f"{trees} {count}"), contextlib.nullcontext() if trees == count else self.assertRaisesRegex(recheck.refusal.Reject, "obligations"):
                recheck.checkpoint.obligations.prove_all(layer, ["0"] * trees, obligations(count))
        for bad in (None, "0", {"0": "0"}):
            self.assertRaises(recheck.refusal.Reject, recheck.checkpoint.obligations.prove_all, layer, bad, obligations(1))

    def test_orders(self):
        head = random_layer(random.Random(1), 6, 4, "softmax")
        recheck.checkpoint.notation.View(head, 0, [2, 0, 1])
        for bad in ([0, 1], [0, 1, 1], [0, 1, 3], [0, True, 2], ["0", 1, 2], None, [0, 1, 2, 3]):
            with self.subTest(str(bad)), self.assertRaises(recheck.refusal.Reject):
                recheck.checkpoint.notation.View(head, 0, bad)


class Bounds(Case):
    """The least upper bound each rule proves is never below the loss of an input (full trees, random small heads)."""

    def losses(self, randomly, head, rows):
        """The largest loss over random inputs of the class, by its own arithmetic in floats."""
        import math
        n, worst, (own,) = head.n, 0.0, head.heads
        m = [[x / head.scale for x in row] for row in own.M]
        v = [[x / head.scale for x in row] for row in own.V]
        for _ in range(300):
            j = randomly.randint(3, head.length)
            i = {"pre": randomly.randint(1, j - 1), "trigger": j, "post": randomly.randint(min(j + 1, head.length), head.length)}[rows]
            if rows == "post" and i <= j:
                continue
            tokens = [[1.0] + [0.0] * (n - 1)]
            for k in range(2, i + 1):
                noise = [randomly.choice((-1, 1, randomly.uniform(-1, 1))) for _ in range(n - 3)]
                tokens.append([0.0, float(k == j), *noise, float(k != j)])
            query = [sum(tokens[-1][f] * m[f][g] for f in range(n)) for g in range(n)]
            scores = [sum(x * y for x, y in zip(query, token)) for token in tokens]
            weights = [math.exp(x - max(scores)) for x in scores] if head.name == "softmax" else [max(0, x) for x in scores]
            total = sum(weights) if head.name == "softmax" else max(1, i - 1)
            for r in range(n):
                out = sum(a * sum(x * y for x, y in zip(v[r], token)) for a, token in zip(weights, tokens)) / total
                target = sum(token[r] for token in tokens[1:]) / (j - 1) if i == j else 0
                worst = max(worst, abs(out - target))
        return worst

    def least(self, accepts):
        low, high = Fraction(0), Fraction(1)
        while not accepts(high):
            high *= 4
            if high > 10**9:
                return None
        for _ in range(14):
            middle = (low + high) / 2
            low, high = (low, middle) if accepts(middle) else (middle, high)
        return high

    def apply(self, head, proof, rows, bound, family="sup-loss"):
        recheck.checkpoint.properties.check_rule(head, proof, recheck.checkpoint.properties.Statement(family, rows, bound, range(len(head.heads))))

    def proves(self, head, proof, rows):
        def accepts(upper):
            try:
                self.apply(head, proof, rows, upper)
                return True
            except recheck.refusal.Reject:
                return False
        return accepts

    def tightened(self, proof):
        """(what, proof) of proofs with one part spoilt: a tree, the order, a number that a tree holds to the last bit."""
        if "trees" not in proof:
            return
        trees, order, size = proof["trees"], proof["order"], len(proof["trees"])
        for what, other in (("a tree less", trees[:-1]), ("a tree more", trees + ["0"]), ("none", []), ("cut", trees[:-1] + [trees[-1][:-1]]), ("longer", trees[:-1] + [trees[-1] + "0"]),
                            ("deeper", ["1" * 20 + "0" * 21] + trees[1:]), ("null", [None] + trees[1:]), ("no list", "0" * size)):
            yield what, proof | {"trees": other}
        for other in (order[:-1], order + [len(order)], [0] * (len(order) + 1), [str(k) for k in order], None):
            yield f"order {other}", proof | {"order": other}
        parameters = proof["parameters"]
        yield "parameter more", proof | {"parameters": parameters | {"zz": "0"}}
        for key, value in parameters.items():
            change = lambda new: proof | {"parameters": parameters | {key: new}}
            yield f"no {key}", proof | {"parameters": {name: x for name, x in parameters.items() if name != key}}
            yield f"{key} a string", change("0")
            if key == "references":
                for new in (dict(value, bos=None), dict(value, null="0"), {"bos": "0"}, dict(value, zz="0")):
                    yield f"references {new}", change(new)

    def test_rules_bound_the_loss(self):
        randomly, tried = random.Random(11), {}
        full = {1: "100", 2: "1100100"}
        for round_number in range(8):
            head = random_layer(randomly, randomly.randint(4, 5), randomly.randint(4, 6), "softmax", randomly.choice((16, 40, 90)))
            tree = full[head.d]
            for rows in ("pre", "trigger", "post"):
                apart = head.length - 1 if rows == "trigger" else None
                parameters = {"rows": apart, "cells": apart and 3, "references": {"bos": "0", "null": None, "trigger": "0"}}
                count = head.d * 2 * 2 * sum(range(2, apart + 1)) + 6 * (apart - 1) if apart else 2 * head.n
                proof = proof_of("row", head, parameters, [tree] * count)
                worst = self.losses(randomly, head, rows)
                bound = self.least(self.proves(head, proof, rows))
                if bound is not None:
                    tried.setdefault(rows, []).append(worst / float(bound))
                    self.assertLessEqual(worst, float(bound) * (1 + 1e-9), rows)
                    self.assertTrue(self.proves(head, proof, rows)(bound))
                    for what, other in self.tightened(proof):
                        self.assertFalse(self.proves(head, other, rows)(bound), (rows, what))
        self.assertEqual(len(tried), 3, tried.keys())  # every class was tried
        for rows, ratios in tried.items():
            self.assertGreater(max(ratios), 0.2, rows)  # and the bound was not merely huge

    def test_the_floor_of_the_trigger_row(self):
        """Section 4.13 for trigger rows: the root's leaf bounds, written down directly; and no input is below a full tree's floor."""
        import math
        randomly, nearest = random.Random(41), 0.0
        for round_number in range(12):
            head = random_layer(randomly, randomly.randint(4, 6), randomly.randint(3, 6), "softmax", 24)
            m, c, noise = [[Fraction(x, head.scale) for x in row] for row in head.heads[0].M], head.n - 1, range(2, head.n - 1)
            against = lambda g: (m[1][g] - m[1][0], [m[k][g] - m[k][0] for k in noise])
            (a, b), (a1, b1) = against(c), against(1)
            f0 = a + sum(map(abs, b)) + sum(abs(m[1][l]) + sum(abs(m[k][l]) for k in noise) for l in noise)
            f1 = a1 + sum(abs(x + m[1][k]) for x, k in zip(b1, noise)) + sum(max(0, m[k][k]) for k in noise)
            f1 += sum(abs(m[k][l] + m[l][k]) for k in noise for l in noise if k < l)
            floor = 1 / (1 + (head.length - 2) * recheck.checkpoint.kernels.exp_up(f0, "it") + recheck.checkpoint.kernels.exp_up(f1, "it"))
            proof = proof_of("softmax-floor", head, {}, ["0"])
            self.apply(head, proof, "trigger", floor, "bos-floor")
            with self.assertRaises(recheck.refusal.Reject):
                self.apply(head, proof, "trigger", floor * (1 + Fraction(1, 10**30)), "bos-floor")
            if head.d > 2:
                continue
            proof["trees"] = [{1: "100", 2: "1100100"}[head.d]]
            low, high = floor, Fraction(1)
            for _ in range(30):
                middle = (low + high) / 2
                try:
                    self.apply(head, proof, "trigger", middle, "bos-floor")
                    low = middle
                except recheck.refusal.Reject:
                    high = middle
            for _ in range(300):
                j = randomly.randint(3, head.length)
                tokens = [[1] + [0] * c] + [[0, int(k == j), *(randomly.choice((-1, 1)) for _ in noise), int(k != j)] for k in range(2, j + 1)]
                query = [sum(x * y for x, y in zip(tokens[-1], column)) for column in zip(*m)]
                weights = [math.exp(sum(x * y for x, y in zip(query, token))) for token in tokens]
                self.assertGreaterEqual(weights[0] / sum(weights), float(low) * (1 - 1e-9))
                nearest = max(nearest, float(low) * sum(weights) / weights[0])
        self.assertGreater(nearest, 0.5)

    def test_the_property_of_the_trigger_row_s_floor(self):
        """All logits 0: attention 1/L at the trigger row, and the floor is just below that."""
        head = random_layer(random.Random(2), 4, 5, "softmax")
        maps = head.model.layers[0].maps
        maps["W_K"] = recheck.checkpoint.model.Map([0.0] * 16, None, 4)
        head = recheck.checkpoint.model.Matrices(head.model, head.triggers)
        tokens = [["1", "0", "0", "0"], ["0", "0", "1", "1"], ["0", "0", "1/2", "1"], ["0", "0", "1/3", "1"], ["0", "1", "-1", "0"]]
        item = {"name": "bos-floor.trigger", "verdict": "enclosed", "lower": str(Fraction(1, 5) - Fraction(1, 10**30)), "upper": str(Fraction(1, 5) + Fraction(1, 10**30)),
                "witness": {"trigger": 5, "row": 5, "coordinate": 0, "sign": 1, "tokens": tokens}, "proof": {"rule": "softmax-floor", "order": [0], "parameters": {}, "trees": ["100"]}}
        recheck.checkpoint.properties.check_bound(head, item, {})
        head.length = 3
        at_three = dict(item, lower=str(Fraction(1, 3) - Fraction(1, 10**30)), upper="1", witness=dict(item["witness"], tokens=tokens[:2] + tokens[4:], trigger=3, row=3))
        recheck.checkpoint.properties.check_bound(head, at_three, {})  # a length without rows after the trigger
        head.length = 5
        for change, reason in (({"lower": "1/5"}, reasons.ABOVE_BOUND), ({"upper": str(Fraction(1, 5) - Fraction(1, 10**31))}, reasons.DOES_NOT_ATTAIN), ({"name": "bos-floor.row"}, reasons.NO_SUCH_PROPERTY),
                               ({"witness": dict(item["witness"], row=4)}, reasons.NOT_IN_CLASS), ({"proof": {"rule": "row"}}, reasons.DOES_NOT_PROVE)):
            with self.subTest(reason), self.assertRaisesRegex(recheck.refusal.Reject, reason):
                recheck.checkpoint.properties.check_bound(head, item | change, {})

    def vertex_values(self, form, d):
        """The form at the vertices in the order of the full tree, squares bounded as in section 4.3."""
        full = "0"
        for _ in range(d):
            full = "1" + 2 * full
        numbers = form.integers()
        return {signs: Fraction(x, numbers.denominator) for (x,), _, signs in recheck.checkpoint.obligations.leaf_bounds(full, [numbers], d)}

    def page(self, head):
        """base, q, self and v of section 4.2 as functions of numbers, written down directly."""
        m = [[Fraction(x, head.scale) for x in row] for row in head.heads[0].M]
        noise = range(2, head.n - 1)
        base = lambda f, g, u: m[f][g] + sum(x * m[k][g] for x, k in zip(u, noise))
        q = lambda f, l, u: m[f][l + 2] + sum(x * m[k][l + 2] for x, k in zip(u, noise))

        def itself(f, u, c):
            total = sum(c * m[f][k] * x for x, k in zip(u, noise)) + sum(max(0, c * m[k][k]) for k in noise)
            return total + sum(c * (m[k][l] + m[l][k]) * u[k - 2] * u[l - 2] for k in noise for l in noise if k < l)
        return base, q, itself, [[Fraction(x, head.scale) for x in row] for row in head.heads[0].V]


def proof_of(rule, layer, parameters, trees):
    return {"rule": rule, "order": list(range(layer.d)), "parameters": parameters, "trees": trees}


class LongTrees(Case):
    def test_a_long_tree_is_refused(self):
        value = sample("relu")
        item = named(value, "sup-loss.trigger")
        item["proof"]["trees"][0] = "1" * 100000
        value.update(properties=[item])
        self.rejected(value, "splits below")


class Mutants(Case):
    """One change in a good certificate: exit 4. What a mutant has in common with the good one, whose statements hold in
    the same model, ranges and box, is not proved again, unless all is asked for."""
    proved = {}  # a good certificate without its properties: the statements and proofs of these; its ranges

    @classmethod
    def setUpClass(cls):
        for name in ("softmax", "relu") if "SINKPROOF_ALL_MUTANTS" not in os.environ else ():
            value, seen, found, rule, ranges = sample(name), set(), [], recheck.checkpoint.properties.check_rule, recheck.checkpoint.ranges.check_ranges
            good = cls()
            good.setUp()
            with patched(
                    check_ranges=lambda layer, value: found.append(ranges(layer, value)) or found[-1],
                    check_rule=lambda layer, proof, statement: rule(layer, proof, statement) or seen.add((canonical(proof), statement))):
                if Case.check(good, value)[0]:
                    raise AssertionError(f"{name} is no good certificate")
            good.doCleanups()
            cls.proved[cls.around(value)] = seen, found

    @staticmethod
    def around(value):
        return canonical({key: x for key, x in value.items() if key != "properties"})

    def check(self, value):
        (known, found), rule, ranges = self.proved.get(self.around(value), ((), ())), recheck.checkpoint.properties.check_rule, recheck.checkpoint.ranges.check_ranges
        with patched(
                check_ranges=lambda layer, value: found[0] if found else ranges(layer, value),
                check_rule=lambda layer, proof, statement: (canonical(proof), statement) in known or rule(layer, proof, statement)):
            return super().check(value)

    def mutate(self, name, change, reason):
        value = sample(name)
        before = canonical(value)
        change(value)
        self.assertNotEqual(canonical(value), before)
        self.rejected(value, reason)

    def alone(self, value, name):
        """The property, which is the only one that is left."""
        item = named(value, name)
        value.update(properties=[item], ranges=value["ranges"] if item["proof"]["rule"].startswith(("layer-", "separable-")) else None)
        return item

    def test_every_key_is_needed_and_none_may_be_added(self):
        for name in ("softmax", "relu"):
            paths = []

            def collect(value, path):
                if type(value) is dict:
                    paths.extend((path, key) for key in value)
                    paths.append((path, None))
                    for key, child in value.items():
                        collect(child, path + [key])
                elif type(value) is list:
                    for index in sorted({0, len(value) // 2, len(value) - 1} & set(range(len(value)))):
                        collect(value[index], path + [index])
            collect(sample(name), [])
            self.assertGreater(len(paths), 50)
            for path, key in paths:
                with self.subTest(f"{name} {path} {key}"):
                    value = sample(name)
                    item = value
                    for step in path:
                        item = item[step]
                    if key is None:
                        item["zz"] = 1
                    else:
                        del item[key]
                    self.assertEqual(self.check(value)[0], 4)

    def test_wrong_types(self):
        for name in ("softmax", "relu"):
            for path in (["length"], ["model", "d_model"], ["model", "num_heads"], ["model", "num_layers"], ["model", "residual"],
                         ["model", "overrides"], ["properties"], ["properties", 1, "witness"], ["properties", 1, "proof"],
                         ["properties", 1, "lower"], ["properties", 1, "upper"], ["properties", 1, "name"], ["properties", 1, "verdict"],
                         ["properties", 1, "witness", "row"], ["properties", 1, "witness", "sign"], ["properties", 1, "witness", "coordinate"],
                         ["properties", 1, "witness", "trigger"], ["properties", 1, "witness", "tokens"], ["properties", 1, "proof", "rule"],
                         ["properties", 1, "proof", "order"], ["properties", 1, "proof", "trees"], ["properties", 1, "proof", "parameters"], ["claim_sha256"], ["semantics"],
                         ["box"], ["triggers"], ["inputs"], ["ranges"], ["model", "scale"], ["model", "head_width"]):
                for bad in (True, None, 0, -1, "x", [], {}, 10**9, [[]], [{}]):
                    if path == ["model", "overrides"] and bad == [] or path[-1] == "coordinate" and bad == 0 or path[-1] == "sign" and bad == -1:
                        continue
                    if path == ["inputs"] and bad is None or path == ["ranges"] and bad is None and name == "softmax":
                        continue
                    with self.subTest(f"{name} {path} {bad!r}"):
                        value = sample(name)
                        item = value
                        for step in path[:-1]:
                            item = item[step]
                        item[path[-1]] = bad
                        self.assertEqual(self.check(value)[0], 4)

    def test_bounds(self):
        def lessen(name, key, by):
            def change(value):
                item = named(value, name)
                item[key] = str(Fraction(item[key]) + by)
            return change
        tiny = Fraction(1, 10**4)
        def both(key, by):  # the largest class and sup-loss alike, so that only the class's own check can object
            def change(value):
                for name in ("sup-loss", "sup-loss.trigger"):
                    lessen(name, key, by)(value)
            return change
        for sample_name in ("softmax", "relu"):
            rule = f"property sup-loss.trigger: rule {'row' if sample_name == 'softmax' else 'separable-row'}: coordinate"
            self.mutate(sample_name, both("upper", -tiny / 10), rule)
            self.mutate(sample_name, both("lower", tiny), "property sup-loss.trigger: the witness does not attain lower")
        for name in ("sup-loss.pre", "sup-loss.post"):
            self.mutate("softmax", lambda value: named(value, name).update(upper=named(value, name)["lower"]), f"property {name}: rule row: coordinate")
        for name in ("sup-loss.pre", "sup-loss.post"):
            self.mutate("softmax", lessen(name, "lower", tiny), name)
        for name in ("bos-floor.pre", "bos-floor.post"):
            self.mutate("softmax", lessen(name, "lower", Fraction(1, 10**6)), name)
            self.mutate("softmax", lessen(name, "upper", -Fraction(1, 10**6)), name)
        self.mutate("softmax", lessen("sup-loss", "upper", tiny), "sup-loss")
        self.mutate("softmax", lessen("sup-loss", "lower", -tiny), "sup-loss")
        self.mutate("softmax", lessen("theorem.tc-1", "implied", tiny), "theorem.tc-1")
        self.mutate("softmax", lessen("theorem.tc-3", "eta", tiny), "theorem.tc-3")
        self.mutate("softmax", lessen("theorem.tc-3", "certified", -tiny), "theorem.tc-3")
        self.mutate("softmax", lambda value: named(value, "theorem.tc-1").update(parameter=3), "theorem.tc-1")
        self.mutate("relu", lessen("bos-ceiling.trigger", "upper", -Fraction(1, 10**9)), "bos-ceiling.trigger")
        self.mutate("relu", lessen("bos-ceiling.trigger", "lower", tiny), "bos-ceiling.trigger")
        self.mutate("relu", lambda value: named(value, "sup-loss.pre").update(lower="-1/2"), "sup-loss.pre")

    def test_proof_parts(self):
        def at(name, change):
            return lambda value: change(self.alone(value, name)["proof"])
        deepest = lambda proof: max(range(len(proof["trees"])), key=lambda k: len(proof["trees"][k]))

        def replace(change):
            def of(proof):
                index = deepest(proof)
                proof["trees"][index] = change(proof["trees"][index])
            return of
        for sample_name in ("softmax", "relu"):
            for change in (replace(lambda tree: tree[:-1] + "1"), replace(lambda tree: "0"), replace(lambda tree: tree[:-1]), replace(lambda tree: tree + "0"),
                           lambda p: p["trees"].pop(), lambda p: p["trees"].append("0"), lambda p: p["trees"].insert(0, "0"), lambda p: p["trees"].clear(),
                           lambda p: p["trees"].reverse(), lambda p: p["order"].pop(), lambda p: p["order"].reverse(), lambda p: p["order"].__setitem__(0, p["order"][1]),
                           lambda p: p["parameters"].popitem(), lambda p: p["parameters"].update(zz=None)):
                self.mutate(sample_name, at("sup-loss.trigger", change), "sup-loss.trigger")
            for rule in ("softmax-floor", "maximum", "forward", "theorem", "layer", "trigger-row", "row" if sample_name == "relu" else "separable-row"):
                change = at("sup-loss.trigger", lambda p: p.update(rule=rule))
                # without its rule, nothing has a use for the ranges of a kernel
                of_theorem = f"{'ranges' if sample_name == 'relu' else 'multipliers'} belongs to"
                reason = {"forward": "box", "theorem": of_theorem}.get(rule, "")
                self.mutate(sample_name, change, reason)
        for name in ("sup-loss.pre", "sup-loss.post"):
            self.mutate("softmax", at(name, lambda p: p["parameters"].update(cells=5)), reasons.ROWS_OR_CELLS_IS_NOT_NULL)
            self.mutate("softmax", at(name, lambda p: p["parameters"]["references"].update(null="0")), "references")
        self.mutate("softmax", at("bos-floor.pre", lambda p: p.update(trees=["0"])), "bos-floor.pre")
        of_rows = lambda **change: at("sup-loss.trigger", lambda p: p["parameters"].update(change))
        for change, reason in (({"cells": None}, "cells"), ({"rows": 0}, "rows"), ({"rows": 14}, "rows"), ({"rows": 16}, "rows"), ({"rows": 5}, ""), ({"cells": 0}, "cells"), ({"cells": 65}, "cells"), ({"cells": 4}, "")):
            self.mutate("softmax", of_rows(**change), reason)
        for name, other in (("bos", None), ("bos", "-1"), ("null", "0"), ("trigger", "1")):
            self.mutate("softmax", at("sup-loss.trigger", lambda p: p["parameters"]["references"].update({name: other})), "sup-loss.trigger")
        for name, other in (("bound", "product"), ("bound", "tangent"), ("trigger", [["1"]] * 32), ("content", [["1"]] * 31), ("content", [["1000"]] * 32), ("own", [[None, "1"]] * 32)):
            self.mutate("relu", of_rows(**{name: other}), "sup-loss.trigger")
        self.mutate("softmax", lambda value: named(value, "sup-loss")["proof"]["of"].pop(), "sup-loss")
        self.mutate("softmax", lambda value: named(value, "sup-loss")["witness"].update({"from": "sup-loss.pre"}), "sup-loss")
        self.mutate("softmax", lambda value: named(value, "theorem.tc-3")["proof"]["floors"].pop(), "theorem.tc-3")
        self.mutate("softmax", lambda value: named(value, "theorem.tc-3").update(verdict="not-applicable"), "theorem.tc-3")

    def test_witnesses(self):
        def at(change, name="sup-loss.trigger"):
            return lambda value: change(self.alone(value, name)["witness"])
        for sample_name in ("softmax", "relu"):
            for what, change in {
                "loss": lambda w: w["tokens"][1].__setitem__(5, "0"), "sign": lambda w: w.update(sign=-w["sign"]),
                "flag": lambda w: w["tokens"][1].__setitem__(0, "1"), "two triggers": lambda w: w["tokens"][1].__setitem__(1, "1"),
                "box": lambda w: w["tokens"][1].__setitem__(5, "1000001/1000000"), "bos": lambda w: w["tokens"][0].__setitem__(5, "1/9"),
                "row": lambda w: w.update(row=w["row"] - 1), "short": lambda w: w["tokens"].pop(), "zero sign": lambda w: w.update(sign=0),
                "trigger": lambda w: w.update(trigger=2), "moved": lambda w: w.update(trigger=w["trigger"] - 1 if w["trigger"] > 3 else 4),
                "integer": lambda w: w["tokens"][1].__setitem__(5, 1), "spelling": lambda w: w["tokens"][1].__setitem__(5, "2/2"),
                "coordinate": lambda w: w.update(coordinate=16), "long token": lambda w: w["tokens"][3].append("0"),
            }.items():
                with self.subTest(f"{sample_name} {what}"):
                    self.mutate(sample_name, at(change), "sup-loss.trigger")
        self.mutate("relu", at(lambda w: w.update(row=1), "bos-ceiling.pre"), "bos-ceiling.pre")

    def test_the_common_denominator_of_tokens(self):
        """400 digits together, over all tokens, even those the row does not see."""
        for x, y, code in (("1/" + "1" * 400, "1", 0), ("1/1" + "0" * 400, "1", 4), ("1/1" + "0" * 399, "1/1" + "0" * 399, 0), ("1/1" + "0" * 399, "1/13", 4),
                           ("1/1" + "0" * 199, "1/" + "7" * 199, 0), ("1/1" + "0" * 201, "1/" + "7" * 200, 4)):
            value = sample("relu")
            tokens = named(value, "bos-ceiling.pre")["witness"]["tokens"]
            self.assertLess(named(value, "bos-ceiling.pre")["witness"]["row"], 15)
            tokens[15][5], tokens[14][6] = x, y
            with self.subTest(x[:3] + y[:3] + str(len(x))):
                if code:
                    self.rejected(value, "common denominator of the tokens")
                else:
                    self.assertEqual(self.check(value), (0, ""))

    def test_long_strings(self):
        """2000 characters at most, tokens and trees aside."""
        near = lambda digits: str(1 + Fraction(1, 10**digits))
        self.assertEqual(len(near(999)), 2001)
        self.assertEqual(len(near(998)), 1999)
        for x, code in ((near(999), 4), (near(998), 0), ("1" + near(998), 0), ("11" + near(998), 4)):
            value = sample("relu")
            named(value, "bos-ceiling.post")["upper"] = x
            value["properties"] = [named(value, "bos-ceiling.post")]  # the price of trees would rise a hundredfold
            self.assertEqual(self.check(value)[0], code, len(x))

    def test_hashes_model_and_names(self):
        flip = lambda text: ("1" if text[0] == "0" else "0") + text[1:]
        self.mutate("relu", lambda value: value.update(claim_sha256=flip(value["claim_sha256"])), "claim_sha256")
        self.mutate("relu", lambda value: value.update(claim_sha256=value["claim_sha256"].upper()), "claim_sha256")
        self.mutate("relu", lambda value: value["model"].update(overrides=["attention"]), "overrides")
        self.mutate("relu", lambda value: value["model"].update(d_model=17), "shape")
        self.mutate("relu", lambda value: value.update(length=2), "length")
        self.mutate("relu", lambda value: value.update(length=17, triggers=[3, 17]), "entries")
        self.mutate("relu", lambda value: value.update(semantics="float32"), "semantics")
        self.mutate("relu", lambda value: value["properties"].append(value["properties"][0]), "twice")
        self.mutate("relu", lambda value: value["properties"][-1].update(name="null-floor.post"), reasons.NO_SUCH_PROPERTY)
        self.mutate("relu", lambda value: value["properties"][-1].update(name="sup-loss.pre.x"), reasons.NO_SUCH_PROPERTY)
        self.mutate("softmax", lambda value: value["properties"].remove(named(value, "sup-loss.post")), reasons.NOT_IN_CERTIFICATE)
        value = sample("relu")
        value["model"]["sha256"] = flip(value["model"]["sha256"])
        self.assertEqual(self.check(value)[0], 2)
        value = sample("relu")  # a ReLU head read as softmax needs an override, and then proves nothing of what it says
        value["model"].update(attention="softmax", overrides=["attention"])
        self.assertEqual(self.check(value)[0], 4)

    def test_another_model_is_not_proved(self):
        with open(os.path.join(SAMPLES, "1l1h-softmax.safetensors"), "rb") as file:
            data = bytearray(file.read())
        data[-1] ^= 0x80  # the sign of the last weight of W_O
        self.write("other.safetensors", bytes(data))
        value = sample("softmax")
        value["model"]["sha256"] = hashlib.sha256(data).hexdigest()
        self.assertEqual(self.check(value)[0], 4)

    def test_a_contradiction_is_exit_5(self):
        self.enterContext(patched(check_maximum=lambda *_: None))  # as if the sup loss had been proved to be 0
        value = sample("softmax")
        named(value, "sup-loss").update(upper="0", lower="0")
        named(value, "theorem.tc-1").update(eta="0", implied="1", parameter=14)
        value["properties"].remove(named(value, "theorem.tc-3"))
        self.assertEqual(self.check(value)[0], 5)


class Theory(Case):
    """A small claim with a step of every rule."""

    statement = {"variables": ["x", "y"], "scope": "all",
                 "hypotheses": [{"name": "e", "polynomial": ["-", "y", "1"], "relation": "="}, {"name": "p", "polynomial": "x", "relation": ">"}],
                 "conclusion": {"polynomial": ["+", "x", ["*", "y", "2"]], "relation": ">"}}
    evidence = {"multiplier": {"coefficient": "1", "factors": []},
                "terms": [{"coefficient": "1", "factors": ["p"], "square": "1"}, {"coefficient": "2", "factors": [], "square": "1"}],
                "cofactors": [{"hypothesis": "e", "polynomial": "2"}], "witness": {"x": "1/3", "y": "1"}}
    identity = {"variables": ["x"], "scope": "all", "identities": [{"name": "square", "left": ["^", ["+", "x", "1"], 2], "right": ["+", ["^", "x", 2], ["*", "2", "x"], "1"]}]}

    def setUp(self):
        super().setUp()
        self.files = {"claim.toml": b'says = ["theorem.implication.json"]', "theorem.implication.json": json.dumps({"statement": self.statement, "more": [1]}).encode(),
                      "sub/square.identity.json": json.dumps({"statement": self.identity}).encode(),
                      "l.smt2": b"(assert true)", "l.mutant.smt2": b"(assert false)",
                      "t.v": b"Qed.\n\nPrint Assumptions a.\n  \nPrint Assumptions b'.\r\n",
                      "statement.v": b"From Sinkproof Require Import shared.\nDefinition a : Prop :=\n  True.\nDefinition b' : Prop := True."}
        self.steps = [{"file": "theorem.implication.json", "rule": "implication", "statement": self.statement, "evidence": self.evidence},
                      {"file": "sub/square.identity.json", "rule": "polynomial-identity", "statement": self.identity},
                      {"file": "l.smt2", "rule": "smt"},
                      {"file": "t.v", "rule": "coq-theorem", "theorems": ["a", "b'"], "assumptions": [recheck.theory.coq.AXIOMS[0], recheck.theory.coq.AXIOMS[3]]},
                      {"file": "statement.v", "rule": "coq-statement", "sha256": recheck.hashes.hash_of(self.files["statement.v"]), "sentences": ["a", "b'"],
                       "definitions": [{"file": "definitions/shared.v", "sha256": recheck.hashes.hash_of(b"Qed.")}]}]
        self.steps = copy.deepcopy(self.steps)
        self.options.claims = os.path.join(self.folder, "proofs")
        self.options.accept = {"smt", "coq"}
        self.verdict = "proved"

    def outcome(self):
        for name, data in self.files.items():
            self.write("proofs/mine/" + name, data)
        self.write("proofs/theory/definitions/shared.v", b"Qed.")
        theory = recheck.hashes.claim_hash(os.path.join(self.options.claims, "theory"))
        for step in self.steps:
            if step.get("rule") == "coq-theorem":
                step.setdefault("theory_sha256", theory)
        claim = recheck.hashes.claim_hash(os.path.join(self.options.claims, "mine"))
        steps = sorted(self.steps, key=lambda step: step["file"])
        value = {"format": 1, "kind": "theory", "claim": "mine", "claim_sha256": claim, "steps": steps, "verdict": self.verdict}
        return recheck.check.check_file(self.write("certificate.json", canonical(value)), self.options)

    def drop(self, *names):
        self.files = {name: data for name, data in self.files.items() if name not in names}
        self.steps = [step for step in self.steps if step["file"] not in names]

    def fails(self, reason):
        code, result = self.outcome()
        self.assertEqual((code, reason in result["reason"]), (4, True), result)

    def test_accepted(self):
        code, result = self.outcome()
        self.assertEqual((code, result["verdict"], result["evidence"]), (0, "proved", "exact+smt+coq"), result)
        self.options.accept = {"coq"}
        code, result = self.outcome()
        self.assertEqual((code, result["verdict"]), (3, "unknown"))
        self.assertEqual(result["reason"], "steps not re-verified: 2; `sinkproof prove mine` runs them again; "
                         "not re-verified: smt l.smt2, coq t.v")

    def test_exact_steps_need_nobody_s_word(self):
        self.drop("t.v", "statement.v", "l.smt2", "l.mutant.smt2")
        self.options.accept = set()
        self.assertEqual(self.outcome()[0], 0)

    def test_bounded(self):
        self.drop("t.v", "statement.v")
        bounded = dict(self.statement, scope="L = 4")
        self.files["theorem.implication.json"] = json.dumps({"statement": bounded}).encode()
        self.steps[0]["statement"] = bounded
        self.fails("verdict is not bounded")
        self.verdict = "bounded"
        self.assertEqual(self.outcome()[0], 3)

    def test_holey(self):
        self.steps[2]["rule"] = "assumed"
        self.fails("verdict is not holey")
        self.verdict = "holey"
        self.assertEqual(self.outcome()[0], 3)

    def test_a_theorem_closes_what_it_states_only(self):
        self.files["claim.toml"] = b'says = ["b\'", "theorem.implication.json"]\n\nsays = ["sub/square.identity.json", "l.smt2"]\n'
        self.assertEqual(self.outcome()[0], 0)
        bounded = dict(self.identity, scope="x = 1")
        self.files["sub/square.identity.json"] = json.dumps({"statement": bounded}).encode()
        self.steps[1]["statement"] = bounded
        self.fails("verdict is not bounded")
        self.files["claim.toml"] = b'says = ["a"]'
        self.assertEqual(self.outcome()[0], 0)
        self.files["claim.toml"] = b'says = ["c"]'
        self.fails("no step states c")
        self.files["claim.toml"] = b'says = ["a", "t.v"]'
        self.fails("no step states t.v")
        self.files["claim.toml"] = b""
        self.fails("claim.toml says nothing")

    def test_missing_file(self):
        self.steps.append({"file": "z.v", "rule": "assumed"})
        self.verdict = "holey"
        self.assertEqual(self.outcome()[0], 3)
        self.steps[-1] = {"file": "z.smt2", "rule": "smt"}
        self.fails(reasons.DOES_NOT_EXIST)

    def test_paths(self):
        for bad in ("../mine/t.v", "/t.v", "t.v/", "a//t.v", ".v", "x.txt", "x.mutant.smt2", "", "t.v\n", "./t.v", "a/../t.v", "a/./t.v", "a b.v", ".mutant.smt2",
                    "sub/.mutant.smt2", ".smt2"):
            self.steps[3]["file"] = bad
            for rule in ("coq-theorem", "assumed", "smt"):
                self.steps[3] = {"file": bad, "rule": rule} | ({"theorems": [], "assumptions": []} if rule == "coq-theorem" else {})
                with self.subTest(f"{bad} {rule}"):
                    self.verdict = "holey" if rule == "assumed" else "proved"
                    self.drop("t.v")
                    self.assertEqual(self.outcome()[0], 4)
        for good in ("a.mutant.smt2.v", ".a.v", "..v.v", "-/_.smt2"):
            self.steps[3], self.verdict = {"file": good, "rule": "assumed"}, "holey"
            self.assertEqual(self.outcome()[0], 3, good)

    def test_minus_zero_anywhere_in_the_file(self):
        text = self.files["theorem.implication.json"]
        for bad, reason in ((b"[-0]", "-0"), (b"[[{\"a\": -0}]]", "-0"), (b"[\"\\ud800\"]", "surrogate"), (b"[0.0]", reasons.NOT_JSON_INTEGER)):
            self.files["theorem.implication.json"] = text.replace(b"[1]}", bad + b"}")
            self.assertNotEqual(self.files["theorem.implication.json"], text)
            self.fails(reason)

    def test_the_theory_folder_is_no_link(self):
        self.assertEqual(self.outcome()[0], 0)
        os.rename(os.path.join(self.folder, "proofs", "theory"), os.path.join(self.folder, "theory"))
        os.symlink(os.path.join("..", "theory"), os.path.join(self.folder, "proofs", "theory"))
        path = os.path.join(self.folder, "certificate.json")
        code, result = recheck.check.check_file(path, self.options)
        self.assertEqual((code, "link" in result["reason"]), (4, True), result)

    def test_coq(self):
        for text in (b"Qed.\nPrint Assumptions a.\nPrint Assumptions  b'.\n", b"Print Assumptions b'.\nPrint Assumptions a.", b"Print Assumptions a.",
                     b"Print Assumptions a.\n (* *)\nPrint Assumptions b'.", b"Print Assumptions a.\n Print Assumptions b'."):
            self.files["t.v"] = text
            with self.subTest(text):
                self.fails("step t.v: ")
        self.files["t.v"] = b"Print Assumptions a.\nPrint Assumptions b'."
        self.assertEqual(self.outcome()[0], 0)
        self.steps[3]["assumptions"] = [recheck.theory.coq.AXIOMS[3], recheck.theory.coq.AXIOMS[0]]
        self.fails("increasing")
        self.steps[3]["assumptions"] = ["my_axiom"]
        self.fails("allowed")

    def test_too_many_terms_are_refused_at_once(self):
        """h^7, h a sum of 20 variables: it is not carried out beyond h^4."""
        names = [f"v{k:02}" for k in range(20)]
        statement = {"variables": names, "scope": "all", "hypotheses": [{"name": "h", "polynomial": ["+", *names], "relation": ">"}],
                     "conclusion": {"polynomial": ["^", ["+", *names], 3], "relation": ">="}}
        term = {"coefficient": "1", "factors": ["h"] * 6, "square": ["^", ["+", *names], 2]}
        self.files = {"claim.toml": b'says = ["theorem.implication.json"]', "theorem.implication.json": json.dumps({"statement": statement}).encode()}
        self.steps = [{"file": "theorem.implication.json", "rule": "implication", "statement": statement, "evidence": {
            "multiplier": {"coefficient": "1", "factors": ["h"] * 7}, "terms": [term] * 3, "cofactors": [], "witness": dict.fromkeys(names, "1")}}]
        original, sizes = recheck.theory.polynomials.Polynomial, []

        def noted(terms, unit):
            sizes.append(len(terms))
            return original(terms, unit)
        self.enterContext(patched(Polynomial=noted))
        code, result = self.outcome()
        self.assertEqual((code, result["verdict"]), (4, "rejected"), result)
        self.assertLessEqual(max(sizes), 10000)

    def test_too_many_factors_are_refused(self):
        for count, code in ((255, 0), (256, 4)):  # the multiplier has one less than the term
            statement = {"variables": ["x"], "scope": "all", "hypotheses": [{"name": "h", "polynomial": "x", "relation": ">"}],
                         "conclusion": {"polynomial": "x", "relation": ">"}}
            evidence = {"multiplier": {"coefficient": "1", "factors": ["h"] * count}, "cofactors": [], "witness": {"x": "1"},
                        "terms": [{"coefficient": "1", "factors": ["h"] * (count + 1), "square": "1"}]}
            self.files = {"claim.toml": b'says = ["theorem.implication.json"]', "theorem.implication.json": json.dumps({"statement": statement}).encode()}
            self.steps = [{"file": "theorem.implication.json", "rule": "implication", "statement": statement, "evidence": evidence}]
            found, result = self.outcome()
            self.assertEqual((found, "over 256 factors" in result["reason"]), (code, code == 4), result)

    def test_statement_is_the_files(self):
        self.steps[0]["statement"]["hypotheses"][1]["polynomial"] = ["*", "2", "x"]
        self.fails("not the file's")

    def test_true_is_not_one(self):
        twisted = copy.deepcopy(self.identity)
        twisted["identities"][0]["right"] = ["+", ["^", "x", 2], ["*", "2", ["^", "x", 1]], "1"]
        self.files["sub/square.identity.json"] = json.dumps({"statement": twisted}).replace('"x", 1]', '"x", true]').encode()
        self.steps[1]["statement"] = twisted
        self.fails("not the file's")

    def test_implication(self):
        changes = {
            "negative coefficient": lambda e: e["terms"][0].update(coefficient="-1"),
            "zero coefficient": lambda e: e["multiplier"].update(coefficient="0"),
            "wrong coefficient": lambda e: e["terms"][1].update(coefficient="3"),
            "wrong cofactor": lambda e: e["cofactors"][0].update(polynomial="1"),
            "cofactor of an inequality": lambda e: e["cofactors"][0].update(hypothesis="p"),
            "equation as a factor": lambda e: e["terms"][0].update(factors=["e"]),
            "unknown factor": lambda e: e["terms"][0].update(factors=["q"]),
            "witness": lambda e: e["witness"].update(x="0"), "witness equation": lambda e: e["witness"].update(y="2"),
            "witness key": lambda e: e["witness"].update(z="0"), "square": lambda e: e["terms"][0].update(square="x"),
            "integer": lambda e: e["multiplier"].update(coefficient=1),
        }
        for what, change in changes.items():
            with self.subTest(what):
                self.steps[0]["evidence"] = copy.deepcopy(self.evidence)
                change(self.steps[0]["evidence"])
                self.fails("theorem.implication.json")

    def test_any_number_of_factors(self):
        """Products of the rule obey no limit on weight: x^70 (x + 2 y) from x^71 + 2 x^70 and a multiple of y - 1."""
        power = ["*", ["^", "x", 62], ["^", "x", 2]]
        self.steps[0]["evidence"] = {"multiplier": {"coefficient": "1", "factors": ["p"] * 70}, "witness": {"x": "1/3", "y": "1"},
                                     "terms": [{"coefficient": "1", "factors": ["p"] * 71, "square": "1"}, {"coefficient": "2", "factors": ["p"] * 6, "square": ["^", "x", 32]}],
                                     "cofactors": [{"hypothesis": "e", "polynomial": ["*", "2", ["^", "x", 63]]}]}
        self.fails(reasons.TWO_SIDES_DIFFER)  # x^63 is not x^70, for which an expression has no room
        self.steps[0]["evidence"]["multiplier"]["factors"] = ["p"] * 63
        self.steps[0]["evidence"]["terms"][0]["factors"] = ["p"] * 64
        self.steps[0]["evidence"]["terms"][1] = {"coefficient": "2", "factors": ["p"] * 63, "square": "1"}
        self.assertEqual(self.outcome()[0], 0)
        self.steps[0]["evidence"]["terms"][0] = {"coefficient": "1", "factors": ["p"] * 62, "square": "x"}
        self.assertEqual(self.outcome()[0], 0)
        statement = copy.deepcopy(self.statement)
        statement["hypotheses"], statement["conclusion"] = statement["hypotheses"][1:], {"polynomial": "x", "relation": ">"}
        self.files["theorem.implication.json"] = json.dumps({"statement": statement}).encode()
        self.steps[0].update(statement=statement, evidence={
            "multiplier": {"coefficient": "1", "factors": ["p"] * 70}, "witness": {"x": "1/3", "y": "1"}, "cofactors": [],
            "terms": [{"coefficient": "1", "factors": ["p"] * 71, "square": "1"}]})
        self.assertEqual(self.outcome()[0], 0)

    def test_strictness(self):
        statement = copy.deepcopy(self.statement)
        statement["hypotheses"][1]["relation"] = ">="
        statement["conclusion"]["polynomial"] = "x"
        self.files["theorem.implication.json"] = json.dumps({"statement": statement}).encode()
        self.steps[0].update(statement=statement, evidence=dict(self.evidence, cofactors=[], terms=self.evidence["terms"][:1]))
        self.fails(reasons.NO_TERM_IS_CERTAINLY_POSITIVE)
        statement["conclusion"]["relation"] = ">="
        self.files["theorem.implication.json"] = json.dumps({"statement": statement}).encode()
        self.assertEqual(self.outcome()[0], 0)

    def test_identity(self):
        for change in (lambda i: i.update(right=["^", "x", 2]), lambda i: i.update(right=i["left"]), lambda i: i.update(name="1x")):
            statement = copy.deepcopy(self.identity)
            change(statement["identities"][0])
            self.files["sub/square.identity.json"] = json.dumps({"statement": statement}).encode()
            self.steps[1]["statement"] = statement
            self.fails("square.identity.json")

    def test_expressions(self):
        randomly, expand = random.Random(5), lambda e, variables: recheck.theory.polynomials.expand(e, variables)

        def build(depth):
            if depth == 0:
                return randomly.choice(("x", "y", "2", "-1/3", "0"))
            operator = randomly.choice("+*-^n")
            if operator == "^":
                return ["^", build(depth - 1), randomly.randint(1, 3)]
            if operator == "n":
                return ["-", build(depth - 1)]
            return [operator] + [build(depth - 1) for _ in range(2 if operator == "-" else randomly.randint(2, 3))]

        def value(e, point):
            if type(e) is str:
                return point[e] if e in point else Fraction(e)
            if e[0] == "^":
                return value(e[1], point) ** e[2]
            operands = [value(x, point) for x in e[1:]]
            if e[0] == "-":
                return -operands[0] if len(operands) == 1 else operands[0] - operands[1]
            total = operands[0]
            for x in operands[1:]:
                total = total + x if e[0] == "+" else total * x
            return total

        def whole(point):
            (numbers,), unit = recheck.arithmetic.over_one_unit([point.values()], "it")
            return numbers, unit
        for _ in range(200):
            e, point = build(3), {"x": Fraction(randomly.randint(-9, 9), 7), "y": Fraction(randomly.randint(-9, 9), 5)}
            polynomial = expand(e, ["x", "y"])
            self.assertTrue(all(polynomial.terms.values()))
            total = sum(c * prod(point["xy"[k]] ** i for k, i in recheck.theory.polynomials.exponents(monomial)) for monomial, c in polynomial.terms.items())
            self.assertEqual(Fraction(total) / polynomial.unit, value(e, point))
            sign = recheck.theory.polynomials.sign_at(polynomial, *whole(point))
            self.assertEqual((sign > 0) - (sign < 0), (total > 0) - (total < 0))
        wide = ["+", "x", "y"] + ["1"] * 9998
        bad = ["z", "2/4", "", "9" * 401, 1, True, None, {}, [], ["x"], ["+", "x"], ["*", "x"], ["-"], ["-", "x", "x", "x"], ["/", "x", "2"],
               ["", "x", "x"], ["+*", "x", "x"], ["^", "x"], ["^", "x", 0], ["^", "x", 65], ["^", "x", True], ["^", "x", "2"], ["^", "x", -1],
               ["*", ["^", "x", 64], "y"], ["^", ["*", "x", "y"], 33], wide, [["+"], "x", "x"], ["^", ["+", "1"], 2]]
        self.assertEqual(len(expand(wide[:-1], ["x", "y"]).terms), 3)
        for e in bad:
            with self.subTest(str(e)[:30]), self.assertRaises(recheck.refusal.Reject):
                expand(e, ["x", "y"])
        many = [f"v{k:02}" for k in range(40)]
        with self.assertRaises(recheck.refusal.Reject):
            expand(["^", ["+", *many], 4], many)


class Constructions(Case):
    """Section 3.8, against models run token by token over every corner of the noise box."""

    def outcome(self, statement):
        """What the rule says of a statement that the folder and the certificate share: None or the reason."""
        self.write("claim/t.construction.json", json.dumps({"statement": statement}).encode())
        step = {"file": "t.construction.json", "rule": "construction", "statement": statement}
        try:
            recheck.theory.constructions.check_construction(recheck.hashes.Claim(os.path.join(self.folder, "claim")), step)
        except recheck.refusal.Reject as error:
            return str(error)
        return None

    def simulated(self, statement, n=4):
        """The statement with the figures that all its sequences in n coordinates give."""
        length, kind = statement["length"], statement["attention"]
        at = (0, 1, n - 1)
        heads = []
        for head in statement["heads"]:
            value = [[Fraction(0)] * n for _ in range(n)]
            for c in range(2, n - 1):
                value[c][c] = Fraction(head["value"]["noise"])
            for o, e in itertools.product(range(3), repeat=2):
                value[at[o]][at[e]] = Fraction(head["value"]["flags"][o][e])
            names = ("bos", "trigger", "content")
            kernel = [[Fraction(k) for k in head["kernel"][name]] for name in names]
            heads.append((kernel, value, [Fraction(head["gate"][name]) if "gate" in head else 1 for name in names]))
        seen = {name: {"pre": [], "trigger": [], "post": []} for name in ("bos_attention", "null_attention")}
        sup = Fraction(0)
        for j in range(3, length + 1):
            for noise in itertools.product((-1, 1), repeat=(length - 1) * (n - 3)):
                noise = iter(noise)
                flags = [0] + [1 if i == j else 2 for i in range(2, length + 1)]
                tokens = []
                for flag in flags:
                    token = [Fraction(0)] * n
                    token[at[flag]] = Fraction(1)
                    for c in range(2, n - 1) if flag else ():
                        token[c] = Fraction(next(noise))
                    tokens.append(token)
                for i in range(1, length + 1):
                    error = [Fraction(0)] * n
                    if i == j:
                        error = [-sum(x[c] for x in tokens[1:j]) / (j - 1) for c in range(n)]
                    for kernel, value, gate in heads:
                        row = [kernel[flags[i - 1]][flag] for flag in flags[:i]]
                        below = Fraction(max(1, i - 1))
                        if kind.startswith("softmax") or kind.endswith("normalised"):
                            below = sum(row) + (1 if kind == "softmax-null" else 0)
                        mixed = [sum(k * x[c] for k, x in zip(row, tokens)) / below for c in range(n)]
                        for o in range(n):
                            error[o] += gate[flags[i - 1]] * sum(v * x for v, x in zip(value[o], mixed) if v)
                        if i >= 2:
                            place = "pre" if i < j else "trigger" if i == j else "post"
                            seen["bos_attention"][place].append(row[0] / below)
                            seen["null_attention"][place].append(1 / below)
                    sup = max([sup, *map(abs, error)])
        result = copy.deepcopy(statement)
        result["sup_loss"] = str(sup)
        for name in ("bos_attention", "null_attention") if kind == "softmax-null" else ("bos_attention",):
            result[name] = {place: [str(min(v)), str(max(v))] for place, v in seen[name].items() if v}
        return result

    def random_statement(self, randomly, kind, length):
        def number():
            return str(Fraction(randomly.randint(-3, 3), randomly.choice((1, 1, 5, 9))))

        def kernel():
            low = {"relu": 0, "linear": -4}.get(kind, 1)
            return str(Fraction(randomly.randint(low, 8), 9 if kind.startswith("sigmoid") else randomly.randint(1, 3)))
        names = ("bos", "trigger", "content")
        heads = []
        for _ in range(randomly.randint(1, 2)):
            head = {"kernel": {name: [kernel() for _ in range(3)] for name in names},
                    "value": {"noise": number(), "flags": [[number() for _ in range(3)] for _ in range(3)]}}
            if kind == "softmax-gated":
                head["gate"] = {name: str(Fraction(randomly.randint(1, 8), 9)) for name in names}
            heads.append(head)
        return {"scope": "all", "length": length, "attention": kind, "heads": heads}

    def test_random_constructions(self):
        randomly = random.Random(38)
        kinds = [*recheck.theory.constructions.NORMALISED, "relu", "sigmoid", "elu1", "linear"]
        self.assertEqual(set(kinds), set(recheck.theory.constructions.KERNEL_HOLDS))
        for kind, (length, n) in itertools.product(kinds, ((3, 4), (4, 4), (4, 5), (5, 4))):
            statement = self.simulated(self.random_statement(randomly, kind, length), n)
            with self.subTest(kind=kind, length=length, n=n):
                self.assertIsNone(self.outcome(statement))
                wrong = dict(statement, sup_loss=str(Fraction(statement["sup_loss"]) + Fraction(1, 10 ** 9)))
                self.assertEqual(self.outcome(wrong), reasons.SUP_LOSS_IS_NOT_WHAT_HEADS_GIVE)
                for name in ("bos_attention", "null_attention"):
                    for place, end in itertools.product(statement.get(name, ()), (0, 1)):
                        wrong = copy.deepcopy(statement)
                        wrong[name][place][end] = str(Fraction(wrong[name][place][end]) + Fraction(1, 10 ** 9))
                        self.assertEqual(self.outcome(wrong), f"{name}.{place} is not what the heads give")

    def test_the_largest_sizes(self):
        head = {"kernel": {"bos": ["1", "1", "1"], "trigger": ["1/7", "1", "1"], "content": ["9", "1", "1"]},
                "value": {"noise": "1/64", "flags": [["0", "0", "0"], ["0", "1/64", "0"], ["0", "0", "1/64"]]}}
        statement = {"scope": "all", "length": 256, "attention": "softmax", "heads": [head] * 64, "sup_loss": str(Fraction(255, 264)),
                     "bos_attention": {"pre": [str(Fraction(9, 263)), str(Fraction(9, 10))],
                                       "trigger": [str(Fraction(1, 1786)), str(Fraction(1, 15))],
                                       "post": [str(Fraction(9, 264)), str(Fraction(9, 12))]}}
        self.assertIsNone(self.outcome(statement))


class Limits(Case):
    def outcome(self, *words):
        out = run(*words, "--models", SAMPLES, "--claims", self.options.claims, os.path.join(SAMPLES, "softmax.json"))
        return out.returncode, out.stdout + out.stderr

    def test_a_limit_that_is_reached_says_so(self):
        self.assertEqual(self.outcome()[0], 0)
        for option, reason in ((("--seconds", "1"), "more than 1 s of processor time, its limit; to allow more, check it with --seconds 10"),
                               (("--memory", "1"), "more than 1 MB of memory, its limit; to allow more, check it with --memory 10")):
            code, said = self.outcome(*option)
            self.assertEqual((code, f"unknown: SP0905 the check needs {reason}\n" in said), (3, True), said)

    def test_limits_are_whole_numbers(self):
        for option in ("--seconds", "--memory"):
            for bad in ("0", "-1", "1000001", "01", "2.5", "+2", "", "inf"):
                code, said = self.outcome(option, bad)
                self.assertEqual((code, f"argument {option}" in said), (2, True), said)

    def test_a_child_that_dies_is_never_accepted(self):
        path, options = os.path.join(SAMPLES, "softmax.json"), types.SimpleNamespace(seconds=60, memory=1000)
        result = {"file": path, "claim": "", "verdict": "proved", "evidence": "exact", "reason": ""}
        crash = lambda *_: os.kill(os.getpid(), signal.SIGSEGV)
        for check, expected in ((lambda *_: (0, result), 0), (crash, 5), (lambda *_: os._exit(0), 5), (lambda *_: os._exit(1), 5), (lambda *_: 1 / 0, 5)):
            with patched(check_file=check):
                self.assertEqual(recheck.limits.check_within(path, options)[0], expected)
        written = os.write
        cut = lambda end, data: written(end, data[:-1]) and len(data)  # the outcome but for its last byte
        with patched(check_file=lambda *_: (0, result)), unittest.mock.patch.object(os, "write", cut):
            self.assertEqual(recheck.limits.check_within(path, options)[0], 5)


class Repository(unittest.TestCase):
    def test_the_committed_certificates(self):
        folder = os.path.join(ROOT, "certificates")
        files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json"))
        theory = [path for path in files if recheck.envelope.read_envelope(path)["kind"] == "theory"]
        self.assertTrue(theory)
        out = run("--accept", "smt,coq", *theory)
        self.assertIn(out.returncode, (0, 3), out.stdout + out.stderr)


if __name__ == "__main__":
    unittest.main()
