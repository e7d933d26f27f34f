"""`sinkproof audit` on many sequences: JSON Lines, folders of prompts, --length, --summary, --csv and --npz.

usage: many_test.py BIN_DIR [Class.test]
"""
import csv
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import tiny

BIN = Path(sys.argv.pop(1))
HEADS = "alpha", "value-alpha", "value-ratio", "broadcast-share", "norm-product", "cosine"
NORMS = "hidden-norm", "query-norm", "key-norm", "value-norm"


class Many(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        config, weights = tiny.gpt2(1)  # 2 layers of 3 heads, 23 tokens, 40 positions
        self.model = self.root / "model"
        tiny.write(self.model, config, weights)

    def run_audit(self, *words):
        return subprocess.run([BIN / "sinkproof", "audit", *map(str, words)], capture_output=True, text=True, timeout=250,
                              env={**os.environ, "NO_COLOR": "1"})

    def audit(self, *words, model=None):
        done = self.run_audit(model or self.model, *words, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, code, *words, model=None):
        done = self.run_audit(model or self.model, *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(f"error {code}  ", done.stderr)
        return done.stderr

    def lines(self, values, name="ids.jsonl"):
        path = self.root / name
        path.write_text("".join(json.dumps(value) + "\n" for value in values))
        return path


def drawn(count, seed=0, shortest=9, longest=20):
    generator = np.random.default_rng(seed)
    return [[int(i) for i in generator.integers(0, 23, generator.integers(shortest, longest + 1))] for _ in range(count)]


def near(test, found, expected, what):
    found, expected = np.array(found, float), np.array(expected, float)
    test.assertEqual(found.shape, expected.shape, what)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12, err_msg=str(what))


class Summary(Many):
    def check_summary(self, summary, told, epsilon=0.3):
        """Against the figures of each sequence."""
        count = len(told["alpha"])
        self.assertEqual(summary["sequences"], count)
        for name in (*HEADS, "mean-cosine"):
            each = np.array(told[name])
            near(self, summary[name]["mean"], each.mean(axis=0), name)
            near(self, summary[name]["standard_error"], each.std(axis=0, ddof=1) / math.sqrt(count), name)
        for name in ("alpha", "value-alpha"):
            near(self, summary["above"][name], (np.array(told[name]) > epsilon).sum(axis=0), name)
        longest = summary["longest"]
        for name in NORMS:
            each = [np.array(rows) for rows in told[name]]
            each = [rows.mean(axis=1) if rows.ndim == 3 else rows for rows in each]
            means = np.array([np.mean([rows[:, k] for rows in each if rows.shape[1] > k], axis=0) for k in range(longest)]).T
            near(self, summary[name], means, name)
        largest = [np.max([np.array(rows)[:, k] for rows in told["hidden-norm"] if len(rows[0]) > k], axis=0) for k in range(longest)]
        near(self, summary["largest-hidden-norm"], np.array(largest).T, "largest-hidden-norm")
        lengths = [len(rows[0]) for rows in told["hidden-norm"]]
        self.assertEqual(summary["reached"], [sum(length > k for length in lengths) for k in range(longest)])
        self.assertEqual((summary["tokens"], summary["shortest"]), (sum(lengths), min(lengths)))
        for name, curves in told.get("moved", {}).items():
            curves, moved = np.array(curves), summary["moved"][name]
            near(self, moved["mean"], curves.mean(axis=0), name)
            near(self, moved["standard_error"], curves.std(axis=0, ddof=1) / math.sqrt(count), name)
            near(self, moved["largest"], curves.max(axis=0), name)
        if "loss" in told:
            self.check_loss(summary["loss"], told)

    def check_loss(self, summary, told):
        plain = np.array(told["loss"], float)
        there = ~np.isnan(plain)  # one token predicts nothing
        self.assertEqual(summary["sequences"], there.sum())
        for one, each in ((summary, plain), *((summary["interventions"][name], np.array(each, float))
                                              for name, each in told["intervention-loss"].items())):
            near(self, one["mean"], each[there].mean(), "loss")
            near(self, one["standard_error"], each[there].std(ddof=1) / math.sqrt(there.sum()), "loss")
            near(self, one["perplexity"], math.exp(each[there].mean()), "perplexity")
            if each is not plain:
                change = (each - plain)[there]
                near(self, one["change"]["mean"], change.mean(), "change")
                near(self, one["change"]["standard_error"], change.std(ddof=1) / math.sqrt(there.sum()), "change")
                self.assertGreater(abs(change.mean()), 1e-6)

    def test_means_standard_errors_and_counts(self):
        ids = drawn(300)  # several batches
        asked = "--tokens", self.lines(ids), "--evict", "1,4", "--ablate", "1,2", "--ablate", "0,0+1,2", "--position", "2"
        found = self.audit(*asked)
        self.assertEqual(found["sequences"], ids)
        self.check_summary(found["summary"], found["estimates"])
        small = self.audit(*asked, "--summary")
        self.assertEqual(small["summary"], found["summary"])
        self.assertEqual(set(small["estimates"]), {"sink-share", "value-sink-share"})
        self.assertFalse({"sequences", "texts"} & set(small))
        self.assertEqual(small["estimates"]["sink-share"], found["estimates"]["sink-share"])

    def test_one_token_has_no_loss(self):
        ids = [[3], *drawn(6), [4]]
        found = self.audit("--tokens", self.lines(ids), "--ablate", "0,0+1,2")
        self.assertEqual([each is None for each in found["estimates"]["loss"]], [len(each) == 1 for each in ids])
        self.check_loss(found["summary"]["loss"], found["estimates"])
        alone = self.audit("--tokens", self.lines(ids), "--loss", "--summary")
        self.assertEqual(alone["summary"]["loss"]["mean"], found["summary"]["loss"]["mean"])
        self.assertEqual((alone["summary"]["moved"], alone["summary"]["loss"]["interventions"]), ({}, {}))
        for words in ([], ["--loss"]):
            self.assertEqual("loss" in self.audit("--tokens", self.lines([[3], [4]]), *words)["summary"], False)

    def test_loss_as_text(self):
        path = self.lines(drawn(20))
        loss = self.audit("--tokens", path, "--evict", "1,4", "--summary")["summary"]["loss"]
        said = self.run_audit(self.model, "--tokens", path, "--evict", "1,4").stdout
        [row] = [line.split() for line in said.splitlines() if line.startswith("evict 1,4   ")]
        after = loss["interventions"]["evict 1,4"]
        self.assertEqual(row[2:], [f"{after['mean']:.5g}", f"{after['standard_error']:.2g}", f"{after['change']['mean']:.5g}",
                                   f"{after['change']['standard_error']:.2g}", f"{after['perplexity']:.5g}"])

    def test_shares_of_positions_that_eight_queries_see(self):
        ids = drawn(5, seed=3, shortest=12, longest=12)
        found = self.audit("--tokens", self.lines(ids), "--epsilon", "0.15")
        weights = self.root / "a.npy"
        self.audit("--tokens", self.lines(ids), "--save-attention", weights)
        attention = np.load(weights)
        shares = [int((attention[:, :, :, k:, k].mean(axis=-1) > 0.15).sum()) for k in range(12 - 8 + 1)]
        self.assertEqual(found["summary"]["shares"], shares)
        self.assertTrue(0 < max(shares) < 5 * 6)
        self.assertEqual(found["summary"]["shares"][0], np.sum(found["summary"]["above"]["alpha"]))
        self.assertEqual(self.audit("--tokens", self.lines(drawn(2, shortest=7, longest=7)))["summary"]["shares"], [])

    def test_one_sequence_has_no_standard_error(self):
        summary = self.audit("--random", "1", "--length", "9", "--summary")["summary"]
        self.assertEqual(summary["alpha"]["standard_error"], [[None] * 3] * 2)

    def test_text_output_is_that_of_the_summary(self):
        path = self.lines(drawn(40))
        summary = self.audit("--tokens", path, "--epsilon", "0.05", "--summary")["summary"]
        said = self.run_audit(self.model, "--tokens", path, "--epsilon", "0.05").stdout
        [row] = [line.split() for line in said.splitlines() if line.split()[:2] == ["1", "2"] and len(line.split()) == 9]
        self.assertEqual(row[2], f"{summary['alpha']['mean'][1][2]:.3f}")
        self.assertEqual(row[3], f"{summary['alpha']['standard_error'][1][2]:.2g}")

    def test_tables(self):
        table, archive, moves = self.root / "a.csv", self.root / "a.npz", self.root / "moves.csv"
        summary = self.audit("--tokens", self.lines(drawn(7)), "--csv", table, "--npz", archive, "--csv-interventions", moves,
                             "--evict", "1,4", "--ablate", "0,0+1,2", "--summary")["summary"]
        rows = list(csv.DictReader(table.read_text().splitlines()))
        self.assertEqual([(row["layer"], row["head"]) for row in rows], [(str(l), str(h)) for l in range(2) for h in range(3)])
        arrays = np.load(archive)
        for name in HEADS:
            column = name.replace("-", "_")
            near(self, [float(row[column]) for row in rows], np.ravel(summary[name]["mean"]), name)
            near(self, [float(row[f"{column}_standard_error"]) for row in rows], np.ravel(summary[name]["standard_error"]), name)
            near(self, arrays[column], summary[name]["mean"], name)
            near(self, arrays[f"{column}_standard_error"], summary[name]["standard_error"], name)
        for name in (*NORMS, "largest-hidden-norm", "reached"):
            near(self, arrays[name.replace("-", "_")], summary[name], name)
        near(self, arrays["moved_0"], summary["moved"]["evict 1,4"]["mean"], "moved")
        near(self, arrays["moved_0_largest"], summary["moved"]["evict 1,4"]["largest"], "moved")
        loss = summary["loss"]
        rows = list(csv.DictReader(moves.read_text().splitlines()))
        self.assertEqual([row["intervention"] for row in rows], ["none", "evict 1,4", "ablate 0,0+1,2"])
        each = [loss, *(loss["interventions"][row["intervention"]] for row in rows[1:])]
        for number, (row, one) in enumerate(zip(rows, each)):
            near(self, [float(row[name]) for name in ("loss", "loss_standard_error", "perplexity")],
                 [one["mean"], one["standard_error"], one["perplexity"]], row)
            near(self, [arrays[name][number] for name in ("loss", "loss_standard_error", "perplexity")],
                 [one["mean"], one["standard_error"], one["perplexity"]], row)
            if number == 0:
                self.assertEqual({row[name] for name in row if "change" in name}, {""})
                continue
            near(self, [float(row["loss_change"]), float(row["loss_change_standard_error"])], list(one["change"].values()), row)
            near(self, arrays["loss_change"][number - 1], one["change"]["mean"], row)
            moved = summary["moved"][row["intervention"]]
            for place, what in ((-2, "output"), (-1, "logit")):
                near(self, [float(row[f"{what}_change{ending}"]) for ending in ("", "_standard_error", "_largest")],
                     [moved[key][place] for key in ("mean", "standard_error", "largest")], row)
        near(self, arrays["sink_share"], np.array(summary["shares"]) / (7 * 6), "sink_share")
        near(self, arrays["alpha_above_epsilon"], summary["above"]["alpha"], "above")
        before = archive.read_bytes()
        self.audit("--tokens", self.lines(drawn(7)), "--npz", archive, "--evict", "1,4", "--ablate", "0,0+1,2")
        self.assertEqual(archive.read_bytes(), before)


class Sources(Many):
    def setUp(self):
        super().setUp()
        config, weights = tiny.gpt2(5, tokens=257)
        config |= {"tokenizer_class": "SinkproofBytes", "bos_token_id": 256}  # as train-lm --bos writes it
        self.bytes = self.root / "bytes"
        tiny.write(self.bytes, config, weights)

    def sequences(self, *words):
        return self.audit(*words, model=self.bytes)["sequences"]

    def test_cut_by_length(self):
        ids = [[1, 2, 3, 4, 5, 6, 7], [8, 9], [10, 11, 12]]
        expected = [[1, 2, 3], [4, 5, 6], [8, 9], [10, 11, 12]]
        self.assertEqual(self.audit("--tokens", self.lines(ids), "--length", "3")["sequences"], expected)
        array = self.root / "ids.json"
        array.write_text(json.dumps(ids))
        self.assertEqual(self.audit("--tokens", array, "--length", "3")["sequences"], expected)

    def test_texts(self):
        texts = ["one prompt", "a second", "zwölf"]
        whole = [[256, *text.encode()] for text in texts]
        self.assertEqual(self.sequences("--text", self.lines(texts, "t.jsonl")), whole)
        self.assertEqual(self.sequences("--text", self.lines([{"text": text, "score": 0.5} for text in texts], "o.jsonl")), whole)
        prompts = self.root / "prompts"
        prompts.mkdir()
        for name, text in zip(("a.txt", "b.txt", "c.txt"), texts):
            (prompts / name).write_text(text)
        (prompts / "notes.md").write_text("not a prompt")
        found = self.audit("--text", prompts, model=self.bytes)
        self.assertEqual(found["sequences"], whole)
        self.assertEqual(found["texts"][2], ["<s>", "z", "w", "<0xC3>", "<0xB6>", "l", "f"])
        listed = subprocess.run("sha256sum *.txt", shell=True, cwd=prompts, capture_output=True, env={**os.environ, "LC_ALL": "C"}).stdout
        self.assertEqual(found["tokens"], {"text_sha256": hashlib.sha256(listed).hexdigest(), "bos": "with"})
        self.assertEqual(self.sequences("--text", prompts, "--bos", "without", "--length", "5"),
                         [list(b"one p"), list(b"rompt"), list(b"a sec"), list("zwölf".encode())[:5]])
        self.assertEqual(self.sequences("--text", prompts, "--length", "5")[:2], [[256, *b"one "], [256, *b"prom"]])

    def test_refused_by_name(self):
        good = [1, 2, 3]
        for code, line, words in (
                ("SP2101", [1, 23], "line 3"), ("SP2101", [-1], "line 3"), ("SP2103", {"ids": [1]}, "line 3"),
                ("SP2103", "a text", "read texts with --text"), ("SP2103", [1.5], "line 3"), ("SP2102", [], "line 3"),
                ("SP2102", [0] * 41, "--length")):
            said = self.refused(code, "--tokens", self.lines([good, good, line]))
            self.assertIn(words, said)
            self.assertIn("line 3", said)
        broken = self.root / "broken.jsonl"
        for text in ("[1, 2]\n[1,\n", "[1]\n\n[2]\n", "[1] [2]\n"):
            broken.write_text(text)
            self.assertIn("line", self.refused("SP0301", "--tokens", broken))
        broken.write_text("")
        self.refused("SP2102", "--tokens", broken)
        self.refused("SP0201", "--tokens", self.root / "none.jsonl")
        for value in (good, {"words": "x"}, 3):
            self.assertIn("line 1", self.refused("SP2103", "--text", self.lines([value], "t.jsonl"), model=self.bytes))
        (self.root / "empty").mkdir()
        self.assertIn(".txt", self.refused("SP1508", "--text", self.root / "empty", model=self.bytes))
        self.assertIn("--bos", self.refused("SP1508", "--text", self.root / "empty"))

    def test_bytes_without_a_token_that_begins_texts(self):
        config, weights = tiny.gpt2(5, tokens=256)
        self.bytes = self.root / "plain"
        tiny.write(self.bytes, config | {"tokenizer_class": "SinkproofBytes"}, weights)
        path = self.lines(["abc"], "t.jsonl")
        self.assertEqual(self.sequences("--text", path), [list(b"abc")])
        self.refused("SP2210", "--text", path, "--bos", "with", model=self.bytes)

    def test_enclosures_have_a_limit_and_say_so(self):
        path = self.lines([[1, 2]] * 4097)
        certificate = self.root / "c.json"
        for words in (["--rigorous"], ["-o", certificate]):
            said = self.refused("SP1508", "--tokens", path, *words)
            self.assertIn("4096 sequences", said)
            self.assertIn("4097", said)
        self.assertFalse(certificate.exists())
        self.assertEqual(self.audit("--tokens", path, "--summary")["summary"]["sequences"], 4097)


class Report(Many):
    def run_report(self, *words, path=None):
        return subprocess.run([BIN / "sinkproof", "report", *map(str, words)], capture_output=True, text=True, timeout=250, cwd=self.root,
                              env={**os.environ, "NO_COLOR": "1", **({"PATH": path} if path else {})})

    def printed(self, *words, name):
        found = self.audit("--tokens", self.lines(drawn(3, shortest=12, longest=12)), *words)
        path = self.root / name
        path.write_text(json.dumps(found))
        return path

    def test_curves_over_the_steps_of_a_run(self):
        files = [self.printed("--loss", "--evict", "1,4", name=f"step-{step:05}.json") for step in (50, 200)]
        page = self.root / "r.html"
        for steps in ("names", "50,200"):
            done = self.run_report(*files, "--steps", steps, "-o", page)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = page.read_text()
            self.assertIn('data-sort="50">step 50</th>', text)
            self.assertIn('<title id="training-changes-title">', text)
        other = self.printed("--loss", "--position", "2", name="step-300.json")
        plain = self.printed(name="last.json")
        for words, said in (((*files, "--steps", "200,50"), "ascending"), ((*files, "--steps", "50"), "2 audits"),
                            ((*files, "--steps", "50,x"), "whole numbers"), ((*files, plain, "--steps", "names"), "no number in the name 'model'"),
                            ((*files, other, "--steps", "1,2,3"), "position and epsilon"), ((files[0], "--steps", "1"), "at least two")):
            done = self.run_report(*words, "-o", page)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("SP1508", done.stderr)
            self.assertIn(said, done.stderr)

    def test_figures_in_files_of_their_own(self):
        file = self.printed("--evict", "1,4", "--ablate", "0,1", name="a.json")
        figures = self.root / "figures"
        done = self.run_report(file, "--figures", figures, "-o", "r.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {path.stem for path in figures.glob("*.svg")}
        self.assertLessEqual({"estimate-1-alpha", "estimate-1-hidden-norm", "estimate-1-moved", "estimate-1-cosines"}, names)
        page = (self.root / "r.html").read_text()
        self.assertEqual(len(names), page.count('<figure class="map') + page.count('<svg class="chart"'))
        for path in figures.glob("*.svg"):
            root = ElementTree.parse(path).getroot()
            self.assertEqual((root.tag, root.get("width")), ("{http://www.w3.org/2000/svg}svg", "80mm"), path)
            self.assertIn("estimate, not proved", path.read_text())
        if shutil.which("rsvg-convert"):
            self.assertEqual({path.stem for path in figures.glob("*.pdf")}, names)
            for path in figures.glob("*.pdf"):
                self.assertTrue(path.read_bytes().startswith(b"%PDF-"))
                width = float(re.search(rb"/MediaBox\s*\[\s*0\s+0\s+([0-9.]+)", path.read_bytes()).group(1))
                self.assertAlmostEqual(width, 80 / 25.4 * 72, delta=1)  # points
        empty = self.root / "empty"
        empty.mkdir()
        alone = self.run_report(file, "--figures", self.root / "svg", "-o", "r.html", path=str(empty))
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertIn("librsvg2-bin", alone.stderr)
        self.assertEqual({path.suffix for path in (self.root / "svg").iterdir()}, {".svg"})

    def test_tokens_label_the_maps_of_ids_and_of_texts(self):
        config, weights = tiny.gpt2(5, tokens=257)
        folder = self.root / "bytes"
        tiny.write(folder, config | {"tokenizer_class": "SinkproofBytes", "bos_token_id": 256}, weights)
        ids = [[256, *b"a sink"], [256, *b"a sign"]]
        found = self.audit("--tokens", self.lines(ids), "--save-attention", self.root / "a.npy", model=folder)
        self.assertEqual(found["texts"][1], ["<s>", "a", " ", "s", "i", "g", "n"])
        file = self.root / "found.json"
        file.write_text(json.dumps(found))
        done = self.run_report(file, "--attention", self.root / "a.npy", "-o", "r.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.root / "r.html").read_text()
        self.assertIn('<option value="1">1: &lt;s&gt;a sign</option>', page)
        self.assertIn("query 7 “n”, key 1 “&lt;s&gt;”: a ≈ ", page)


class Memory(Many):
    PEAK = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); " \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"

    def peak(self, count):
        path = self.lines(drawn(count, shortest=20, longest=20), "many.jsonl")
        done = subprocess.run([sys.executable, "-c", self.PEAK, BIN / "sinkproof", "audit", self.model, "--tokens", path, "--format", "json",
                               "--summary", "--jobs", "1"], capture_output=True, text=True, timeout=250, env={**os.environ, "MALLOC_ARENA_MAX": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)

    def test_ten_thousand_sequences_take_the_memory_of_five_hundred(self):
        few, many = self.peak(500), self.peak(10000)
        self.assertLess(many - few, 4096, f"{few} KiB for 500 sequences, {many} KiB for 10000")


if __name__ == "__main__":
    unittest.main()
