"""`sinkproof measure DIR --rigorous`, --text and --save-inputs: what is written and what both checkers say of it.

usage: audit_test.py BIN_DIR SOURCE_DIR [Class.test]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import numpy as np

import tiny

BIN, SOURCE = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
WINDOWS = {"sliding_window": 4, "layer_types": ["full_attention", "sliding_attention"]}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
CASES = {
    "gpt2": (tiny.gpt2(1), "F32", 1),
    "gpt_oss": (tiny.llama(2, "gpt_oss", bias=True, sinks=True, mlp=False, rope_scaling=YARN, **WINDOWS), "BF16", 2),
    "gpt_neox": (tiny.gpt_neox(3, True, 0.5), "F16", 1),
    "bert": (tiny.bert(4), "F32", 1),
}


def run(program, *arguments):
    result = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=120,
                            env={**os.environ, "NO_COLOR": "1"})
    return result.returncode, result.stdout, result.stderr


def measure(*arguments, command="audit"):
    code, out, error = run(BIN / "sinkproof", command, *arguments, "--format", "json", "--quiet")
    return code, json.loads(out) if code == 0 else None, error


class Audit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def write(self, name):
        (config, weights), dtype, shards = CASES[name]
        tiny.write(self.root / name, config, weights, dtype, shards)
        return self.root / name

    def certificate(self, name, *arguments):
        folder, path = self.write(name), self.root / f"{name}.json"
        code, found, error = measure(folder, "--random", "1", "--length", "7", *arguments, "-o", path)
        self.assertEqual(code, 0, error)
        return folder, path, found


class Rigorous(Audit):
    def estimates(self, found, statement):
        of_sequence = found["estimates"][statement["readout"]]
        if statement["readout"] == "moved":
            [name] = [name for name in of_sequence
                      if name.startswith("evict" if "window" in statement["intervention"] else "ablate")]
            of_sequence = of_sequence[name]
        return np.ravel(of_sequence[statement["sequence"]])

    def test_enclosures_hold_the_estimates_and_both_checkers_accept(self):
        for name in CASES:
            moved = [] if name == "bert" else ["--evict", "1,2,renumbered", "--ablate", "1,0"]
            with self.subTest(name):
                folder, path, found = self.certificate(name, *moved)
                statements = found["enclosures"]["statements"]
                held = 0
                for statement in statements:
                    if "epsilon" in statement:
                        continue
                    lower, upper = (np.array(statement[end], float) for end in ("lower", "upper"))
                    estimates = self.estimates(found, statement)
                    self.assertTrue(np.all(lower - 1e-9 <= estimates) and np.all(estimates <= upper + 1e-9),
                                    statement["readout"])
                    self.assertLess(np.max(upper - lower), 1e-8)
                    held += len(lower)
                self.assertGreater(held, 100)
                self.assertEqual(len(moved) // 2, sum(s["readout"] == "moved" for s in statements))
                for checker in ([BIN / "sinkproof-check"], [sys.executable, SOURCE / "tools" / "recheck"]):
                    code, out, error = run(*checker, "--models", folder, "--claims", SOURCE / "proofs", path)
                    self.assertEqual(code, 0, out + error)

    def test_both_checkers_refuse_a_figure_moved_by_a_millionth(self):
        folder, path, _ = self.certificate("gpt2")
        certificate = json.loads(path.read_text())
        [alpha] = [s for s in certificate["statements"] if s["readout"] == "alpha"]
        for end in ("lower", "upper"):
            alpha[end] = [str(Fraction(x) + Fraction(1, 10**6)) for x in alpha[end]]
        path.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")
        for checker in ([BIN / "sinkproof-check"], [sys.executable, SOURCE / "tools" / "recheck"]):
            code, out, error = run(*checker, "--models", folder, "--claims", SOURCE / "proofs", path)
            self.assertEqual(code, 4, out + error)

    def test_sink_shares_of_every_position(self):
        _, _, found = self.certificate("gpt2", "--epsilon", "0.2")
        shares = [s for s in found["enclosures"]["statements"] if s["readout"] == "sink-share"]
        self.assertEqual([s["position"] for s in shares], list(range(1, 8)))
        self.assertTrue(all(s["epsilon"] == "1/5" for s in shares))
        alphas = np.ravel(found["estimates"]["alpha"])
        self.assertAlmostEqual(float(shares[0]["lower"][0]), np.mean(alphas > 0.2), 11)


class Text(Audit):
    """A tokenizer of single bytes."""
    def setUp(self):
        super().setUp()
        config, weights = tiny.gpt2(5, tokens=257)
        self.folder = self.root / "model"
        tiny.write(self.folder, config, weights)
        shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
        hidden = [b for b in range(256) if b not in shown]
        vocabulary = {chr(b): b for b in shown} | {chr(256 + n): b for n, b in enumerate(hidden)} | {"<s>": 256}
        (self.folder / "tokenizer.json").write_text(json.dumps({
            "added_tokens": [{"id": 256, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False,
                              "normalized": False, "special": True}],
            "normalizer": None, "post_processor": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
            "decoder": {"type": "ByteLevel"}, "model": {"type": "BPE", "vocab": vocabulary, "merges": []}}))
        (self.folder / "tokenizer_config.json").write_text('{"bos_token": "<s>"}')
        self.page = self.root / "page.txt"
        self.page.write_text("voilà, a sink.")

    def test_ids_beside_their_text(self):
        code, found, error = measure(self.folder, "--text", self.page, "--bos", "with", "--length", "6")
        self.assertEqual(code, 0, error)
        raw = "voilà, a sink.".encode()
        self.assertEqual(found["sequences"], [[256, *raw[at:at + 5]] for at in (0, 5, 10)])
        self.assertEqual(found["texts"][0], ["<s>", "v", "o", "i", "l", "<0xC3>"])
        self.assertEqual(found["tokens"]["bos"], "with")
        code, found, error = measure(self.folder, "--text", self.page, "--bos", "without")
        self.assertEqual((code, found["sequences"]), (0, [list(raw)]), error)

    def test_a_text_shorter_than_the_length_stays_whole(self):
        code, found, error = measure(self.folder, "--text", self.page, "--bos", "with", "--length", "30")
        self.assertEqual((code, found["sequences"]), (0, [[256, *"voilà, a sink.".encode()]]), error)

    def test_bos_is_said_and_has_room_for_a_text(self):
        for arguments in (["--text", self.page], ["--bos", "with", "--random", "1"],
                          ["--text", self.page, "--bos", "with", "--length", "1"],
                          ["--text", self.page, "--bos", "with", "--random", "1"]):
            code, _, error = measure(self.folder, *arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("SP1508", error)


class Rows(Audit):
    def test_saved_rows_are_what_other_verbs_measure(self):
        path = self.root / "rows.safetensors"
        code, _, error = measure(self.write("gpt2"), "--random", "1", "--length", "7", "--save-inputs", path)
        self.assertEqual(code, 0, error)
        certificate = self.root / "switch.json"
        code, found, error = measure(path, "--tensor", "layers.1.heads.2.values", "--property", "switch", "-o",
                                     certificate, command="measure")
        self.assertEqual(code, 0, error)
        code, out, error = run(BIN / "sinkproof-check", "--models", self.root, "--claims", SOURCE / "proofs",
                               certificate)
        self.assertEqual(code, 0, out + error)

    def test_one_sequence_alone(self):
        code, _, error = measure(self.write("gpt2"), "--random", "2", "--length", "7", "--save-inputs",
                                 self.root / "rows.safetensors")
        self.assertEqual(code, 2)
        self.assertIn("SP1508", error)
        self.assertFalse((self.root / "rows.safetensors").exists())


class SideBySide(Audit):
    ASKED = "--random", "2", "--length", "6"

    def test_one_page_of_certificates_both_checkers_accept(self):
        (self.root / "more").mkdir()
        os.rename(self.write("gpt2"), self.root / "more" / "gpt2")
        folders = [self.write("gpt2"), self.write("bert"), self.root / "more" / "gpt2"]
        out = self.root / "out"
        code, found, error = measure(*folders, *self.ASKED, "-o", out, "--claims", SOURCE / "proofs")
        self.assertEqual(code, 0, error)
        self.assertEqual([one["name"] for one in found["models"]], ["gpt2", "bert", "gpt2-2"])
        self.assertEqual({path.name for path in out.iterdir()}, {"gpt2.json", "bert.json", "gpt2-2.json", "report.html"})
        for folder, one in zip(folders, found["models"]):
            alone = measure(folder, *self.ASKED, "--rigorous")[1]
            self.assertEqual(alone["name"], folder.name)
            self.assertEqual({**one, "name": None, "digest": None}, {**alone, "name": None, "digest": None})
            code, text, error = run(BIN / "sinkproof-check", "--models", folder, "--claims", SOURCE / "proofs", out / f"{one['name']}.json")
            self.assertEqual(code, 0, text + error)
        page = (out / "report.html").read_text()
        self.assertIn("Side by side", page)
        for card in ("language-1", "language-2", "language-3"):
            self.assertIn(f'id="{card}"', page)
            self.assertIn(f'href="#{card}"', page)

    def test_the_table(self):
        folders = [self.write(name) for name in ("gpt2", "gpt_neox")]
        code, out, error = run(BIN / "sinkproof", "audit", *folders, *self.ASKED)
        self.assertEqual((code, error), (0, ""))
        table = out[out.index("side by side"):].splitlines()
        for line, folder in zip(table[2:], folders):
            estimates = measure(folder, *self.ASKED)[1]["estimates"]
            name, architecture, layers, heads, *shares = line.split()
            self.assertEqual((name, architecture, shares), (folder.name, folder.name, [f"{estimates[key]:.4f}" for key in ("sink-share", "value-sink-share")]))

    def test_the_others_go_on(self):
        broken = self.root / "broken"
        broken.mkdir()
        out = self.root / "out"
        code, text, error = run(BIN / "sinkproof", "audit", broken, self.write("gpt2"), *self.ASKED, "-o", out, "--claims", SOURCE / "proofs")
        self.assertEqual(code, 2)
        self.assertIn("error SP2004", error)
        self.assertEqual({path.name for path in out.iterdir()}, {"gpt2.json", "report.html"})

    def test_what_several_cannot_be(self):
        folder, file = self.write("gpt2"), self.root / "rows.safetensors"
        file.write_bytes(b"")
        for arguments in ((folder, file), (file, file), (folder, folder, "--save-attention", self.root / "a.npy")):
            code, _, error = measure(*arguments, *self.ASKED)
            self.assertEqual(code, 2)
            self.assertIn("SP1508", error)
        self.assertFalse((self.root / "a.npy").exists())


if __name__ == "__main__":
    unittest.main()
