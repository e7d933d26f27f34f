"""`sinkproof train-lm` as a user runs it, on models of a few thousand weights and the text of the licence.

usage: train_lm_test.py BIN_DIR SOURCE_DIR
"""
import hashlib
import json
import math
import re
import signal
import statistics
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from experiment import Experiment, contents
from program import BIN, SOURCE, run

TEXT = [str(SOURCE / "LICENSE")]
SMALL = ("--width", 32, "--layers", 2, "--heads", 2, "--length", 16, "--batch", 8, "--held-out", 20, "--warmup", 10,
         "--lr", 0.01, "--measure-every", 20)
OPTIONS = (*TEXT, *SMALL, "--steps", 120, "--compare", "attention=softmax,sigmoid,softmax-sink", "--compare", "window=4")
RUNS = ["base", "attention-sigmoid", "attention-softmax-sink", "window-4"]
FILES = ({f"{name}/{file}" for name in RUNS for file in ("config.json", "model.safetensors", "log.json")}
         | {"table.json", "table.md"} | {f"figures/{what}-by-{key}.svg" for what in ("loss", "sink-share") for key in ("attention", "window")})


def digests(folder):
    return {name: hashlib.sha256(bytes_).hexdigest() for name, bytes_ in contents(folder).items()}


class Compared(Experiment):
    """One comparison, which no test changes."""

    VERB = "train-lm"
    OPTIONS = OPTIONS

    def test_every_file_is_there(self):
        status, stdout, stderr = self.first
        self.assertEqual((status, stderr), (0, ""))
        self.assertEqual(set(self.files), FILES)
        self.assertEqual(json.loads(stdout), json.loads(self.files["table.json"]))
        self.assertEqual([one["name"] for one in json.loads(stdout)["runs"]], RUNS)

    def test_each_run_learns(self):
        for one in json.loads(self.files["table.json"])["runs"]:
            log = one["estimates"]
            self.assertEqual([row["step"] for row in log], list(range(0, 121, 20)))
            loss = [float(row["held_out_loss"]) for row in log]
            self.assertAlmostEqual(loss[0], math.log(256), delta=0.05)
            self.assertLess(loss[-1], 3.5)
            for row in log:
                share, mean, head = (float(row[key]) for key in ("sink_share", "first_weight", "largest_head"))
                self.assertLessEqual(0.3 * share, mean)
                self.assertLess(mean, head)
                self.assertLess(head, 1)
            # Weights that begin near 0 spread attention evenly over what a row sees, a slot included.
            seen = {"window-4": [1, 2, 3, 4], "attention-softmax-sink": range(2, 18)}.get(one["name"], range(1, 17))
            self.assertAlmostEqual(float(log[0]["first_weight"]), sum(1 / keys for keys in seen) / 16, delta=0.01)

    def test_only_the_slot_has_a_slot_share(self):
        shares = {one["name"]: [float(row["slot_share"]) for row in one["estimates"]]
                  for one in json.loads(self.files["table.json"])["runs"]}
        del shares["attention-softmax-sink"]
        self.assertFalse(any(any(share) for share in shares.values()))
        # Even attention over a slot and at most four tokens: means of (1/2 + 1/3 + 1/4 + 1/5) / 4 on both.
        status, stdout, _ = run("train-lm", *TEXT, *SMALL[:6], "--length", 4, "--batch", 8, "--steps", 1, "--attention",
                                "softmax-null", "-o", self.folder / "even", "--format", "json")
        first = json.loads(stdout)["runs"][0]["estimates"][0]
        self.assertEqual((status, first["slot_share"], first["sink_share"]), (0, "1", "1"))

    def test_a_model_says_what_it_is(self):
        config = json.loads(self.files["attention-softmax-sink/config.json"])
        self.assertEqual((config["model_type"], config["sinkproof_attention"], config["n_layer"]), ("gpt2", "softmax-sink", 2))
        self.assertEqual(json.loads(self.files["window-4/config.json"])["sinkproof_window"], 4)
        raw = self.files["attention-softmax-sink/model.safetensors"]
        header = json.loads(raw[8:8 + int.from_bytes(raw[:8], "little")])
        self.assertEqual(header["h.1.attn.sinks"]["shape"], [2])
        self.assertEqual(header["h.1.attn.c_attn.weight"]["shape"], [32, 96])
        self.assertEqual(header["h.1.attn.c_attn.bias"]["shape"], [96])

    def test_charts_are_documents(self):
        for name in FILES:
            if name.endswith(".svg"):
                self.assertTrue(xml.fromstring(self.files[name]).tag.endswith("svg"), name)

    def test_what_is_there_is_not_made_again(self):
        folder = self.copy()
        made = {path: path.stat().st_mtime_ns for path in folder.rglob("model.safetensors")}
        status, _, stderr = run("train-lm", *OPTIONS, "-o", folder, "--quiet")
        self.assertEqual((status, stderr), (0, ""))
        self.assertEqual({path: path.stat().st_mtime_ns for path in made}, made)
        self.assertEqual(contents(folder), self.files)

    def test_another_run_is_not_mixed_in(self):
        folder = self.copy()
        status, _, stderr = run("train-lm", *OPTIONS, "--seed", 7, "-o", folder)
        self.assertEqual(status, 2)
        self.assertIn("SP2303", stderr)
        self.assertIn("seed", stderr)
        self.assertEqual(contents(folder), self.files)


class Ended(unittest.TestCase):
    """A run that is ended goes on, to the same bytes, with any number of threads."""

    LONG = (*TEXT, *SMALL, "--steps", 3000, "--attention", "softmax-gated", "--norm", "rms", "--norm-place", "post")

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sinkproof-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def start(self, name, jobs):
        return subprocess.Popen([str(BIN / "sinkproof"), "train-lm", *map(str, self.LONG), "--quiet", "--jobs", str(jobs),
                                 "-o", str(self.folder / name)], stderr=subprocess.DEVNULL)

    def end(self, name, how, jobs, after):
        """Ends a run once it has saved `after` times; says how it ended."""
        process = self.start(name, jobs)
        resume, seen = self.folder / name / "base" / "resume.safetensors", set()
        while process.poll() is None and len(seen) <= after:
            if resume.exists():
                seen.add(resume.stat().st_mtime_ns)
            time.sleep(0.002)
        process.send_signal(how)
        status = process.wait(60)
        self.assertTrue(resume.exists(), "it was over before it was ended: make it longer")
        return status

    def test_killed_and_interrupted(self):
        self.assertEqual(self.start("whole", 1).wait(200), 0)
        self.assertEqual(self.end("ended", signal.SIGKILL, 2, 2), -signal.SIGKILL)
        self.assertEqual(self.end("ended", signal.SIGINT, 1, 1), 3)
        self.assertEqual(self.end("ended", signal.SIGKILL, 2, 0), -signal.SIGKILL)
        self.assertEqual(self.start("ended", 2).wait(200), 0)
        self.assertEqual(digests(self.folder / "ended"), digests(self.folder / "whole"))

    def test_what_cannot_be_gone_on_from(self):
        self.end("cut", signal.SIGKILL, 2, 1)
        resume = self.folder / "cut" / "base" / "resume.safetensors"
        whole = resume.read_bytes()
        for bytes_, code in ((whole[:5000], "SP2304"), (b"", "SP2304"), (whole.replace(b"softmax-gated", b"softmax-gatef"), "SP2303"),
                             (whole.replace(b'"steps":"', b'"stepz":"', 1), "SP2304")):
            resume.write_bytes(bytes_)
            before = digests(self.folder)
            status, _, stderr = run("train-lm", *self.LONG, "-o", self.folder / "cut")
            self.assertEqual(status, 2)
            self.assertIn(code, stderr)
            self.assertEqual(digests(self.folder), before)


class Seeds(unittest.TestCase):
    """Several seeds of each setting: their runs are those of one seed, and tables show means and deviations."""

    def test_seeds(self):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
            folder = Path(name)
            options = (*TEXT, *SMALL, "--steps", 40, "--compare", "attention=sigmoid")
            status, stdout, _ = run("train-lm", *options, "--seed", 4, "--seeds", 3, "-o", folder / "all", "--format", "json")
            table = json.loads(stdout)
            self.assertEqual(status, 0)
            names = ["base", "base-seed-5", "base-seed-6", "attention-sigmoid", "attention-sigmoid-seed-5", "attention-sigmoid-seed-6"]
            self.assertEqual([one["name"] for one in table["runs"]], names)
            status, stdout, _ = run("train-lm", *options, "--seed", 6, "-o", folder / "last", "--format", "json")
            alone = json.loads(stdout)
            self.assertEqual((status, "settings" in alone), (0, False))
            self.assertEqual([one["estimates"] for one in alone["runs"]], [table["runs"][at]["estimates"] for at in (2, 5)])
            self.assertEqual([(one["name"], one["seeds"]) for one in table["settings"]], [("base", 3), ("attention-sigmoid", 3)])
            for setting, runs in zip(table["settings"], (table["runs"][:3], table["runs"][3:])):
                for key in ("held_out_loss", "sink_share", "first_weight", "largest_head", "other_share", "slot_share"):
                    values = [float(one["estimates"][-1][key]) for one in runs]
                    self.assertAlmostEqual(float(setting[key]["mean"]), statistics.mean(values), delta=1e-9)
                    self.assertAlmostEqual(float(setting[key]["deviation"]), statistics.stdev(values), delta=1e-9)
                    self.assertTrue(key.endswith("_share") or len(set(values)) == 3, key)
            charts = [(folder / which / "figures/loss-by-attention.svg").read_text() for which in ("all", "last")]
            # The mean over seeds, beside the base's.
            self.assertEqual(charts[0].count("translate("), charts[1].count("translate("))
            self.assertNotEqual(charts[0], charts[1])
            for chart in charts:
                self.assertEqual([chart.count(f">{name}<") for name in ("base", "sigmoid")], [1, 1])
            status, stdout, _ = run("train-lm", *options, "--seed", 4, "--seeds", 3, "-o", folder / "all")
            base, = [line for line in stdout.splitlines() if line.startswith("base")]
            loss = table["settings"][0]["held_out_loss"]
            self.assertIn(f"{float(loss['mean']):.3f} +-{float(loss['deviation']):.3f}", base)
            self.assertIn("mean +- sample standard deviation of 3 seeds", stdout)
            self.assertNotIn("seed-5", stdout)


class Given(unittest.TestCase):
    """What a run is given: its data and its optimiser."""

    def test_compared(self):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
            compared = {"fixed": 3, "random": "1-2", "train-bytes": 1000, "weight-decay": 5, "batch": 4, "heads": 1, "steps": 80}
            options = [word for key, value in compared.items() for word in ("--compare", f"{key}={value}")]
            status, stdout, stderr = run("train-lm", *TEXT, *SMALL, "--steps", 100, *options, "-o", name, "--format", "json")
            self.assertEqual((status, stderr), (0, ""))
            runs = {one["name"]: one["estimates"] for one in json.loads(stdout)["runs"]}
            self.assertEqual(list(runs), ["base", *(f"{key}-{value}" for key, value in compared.items())])
            ends = {one: [estimate["held_out_loss"] for estimate in estimates] for one, estimates in runs.items()}
            self.assertEqual(len(set(map(str, ends.values()))), len(ends))  # each is another run
            for one, estimates in runs.items():
                self.assertLess(float(estimates[-1]["held_out_loss"]), 4.5, one)
                self.assertLessEqual(estimates[-1]["other_position"], 8, one)
            self.assertEqual(runs["steps-80"][-1]["step"], 80)
            for key, value in (("fixed", 3), ("random", "1-2"), ("train_bytes", 1000)):
                log = json.loads((Path(name) / f"{key.replace('_', '-')}-{value}" / "log.json").read_text())
                self.assertEqual(log["run"][key], value)

    def test_a_sink_at_another_position(self):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
            for length, share in ((16, 0), (4, 1)):
                status, stdout, _ = run("train-lm", *TEXT, *SMALL[:6], "--length", length, "--batch", 8, "--steps", 1,
                                        "-o", Path(name) / str(length), "--format", "json")
                first = json.loads(stdout)["runs"][0]["estimates"][0]
                # Weights that begin near 0 spread attention evenly: at length 4 alpha_2 = (1/2 + 1/3 + 1/4) / 3 = 0.361.
                self.assertEqual((status, float(first["other_share"]), first["other_position"]), (0, share, 2 * share))


class Presets(unittest.TestCase):
    """Experiments of arXiv:2410.10781: their arms, and the published figures beside ours."""

    def test_published_beside_ours(self):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
            options = (*TEXT, *SMALL, "--steps", 20, "--preset", "gu2025-table5", "-o", name)
            status, stdout, stderr = run("train-lm", *options, "--format", "json")
            self.assertEqual((status, stderr), (0, ""))
            table = json.loads(stdout)
            arms = ["base", *(f"slot-value-{one}" for one in ("first-1", "first-5", "first-20", "even-1", "even-5", "even-20"))]
            self.assertEqual([one["name"] for one in table["runs"]], arms)
            self.assertEqual([one["name"] for one in table["published"]["arms"]], arms)
            self.assertEqual(table["published"]["arms"][3], {"name": "slot-value-first-20", "value": "20v'", "sink_share": "25.88",
                                                             "slot_share": "1.51", "loss": "3.71"})
            self.assertEqual(table["published"]["source"], "arXiv:2410.10781, Table 5")
            log = json.loads((Path(name) / "slot-value-even-5" / "log.json").read_text())["run"]
            # The preset's attention, the recipe's positions, and what the command line gives instead of the recipe.
            self.assertEqual([log[key] for key in ("attention", "positions", "slot_value", "width", "lr")],
                             ["softmax-key-bias", "learned", "even-5", 32, "0.01"])
            _, stdout, _ = run("train-lm", *options)
            line, = [line for line in stdout.splitlines() if line.startswith("slot-value-first-20") and "|" in line]
            slot = 100 * float(table["runs"][3]["estimates"][-1]["slot_share"])
            self.assertEqual(line.split()[-4:], [f"{slot:.2f}", "|", "1.51", "3.71"])
            self.assertIn("The sizes differ", stdout)
            heading, _, *lines = (Path(name) / "table.md").read_text().splitlines()
            self.assertEqual(heading, "| run | theirs | loss | sinks | published | alpha_1 | head | other | slot | published |")
            row = dict(zip(heading.split(" | "), lines[3].split(" | ")))  # of two columns published the last
            self.assertEqual([len(lines), row["| run"], row["theirs"], row["slot"], lines[3].split(" | ")[-1]],
                             [7, "| slot-value first-20", "20v'", f"{slot / 100:.3f}", "0.0151 |"])
            self.assertTrue(lines[0].startswith("| slot-value 0 |  | "), lines[0])

    def test_every_preset_runs(self):
        _, helped, _ = run("train-lm", "--help")
        presets = sorted(set(re.findall(r"gu2025-[a-z0-9]+(?:-[a-z]+)*", helped)))
        self.assertGreater(len(presets), 10)
        for preset in presets:
            with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
                status, stdout, stderr = run("train-lm", *TEXT * 120, *SMALL[:2], "--layers", 1, "--length", 16, "--held-out", 4, "--steps", 2, "--batch", 2,
                                             "--preset", preset, "-o", name, "--format", "json")
                self.assertEqual((status, stderr), (0, ""), preset)
                table = json.loads(stdout)
                self.assertLessEqual({one["name"] for one in table["published"]["arms"]}, {one["name"] for one in table["runs"]})


class Read(unittest.TestCase):
    """What other commands read of the folders, byte for byte the tokens: tests/language_training/folders_test.py compares figures."""

    PAPER = ("--positions", "rotary", "--mlp", "swiglu", "--norm", "rms", "--bos")

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sinkproof-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.text = self.folder / "text.txt"
        self.text.write_text("twelve words")

    def trained(self, *options):
        """{run: model_type}"""
        status, stdout, stderr = run("train-lm", *TEXT, *SMALL, "--steps", 60, *options, "-o", self.folder / "lm", "--format", "json")
        self.assertEqual((status, stderr), (0, ""))
        runs = json.loads(stdout)["runs"]
        for one in runs:
            self.assertLess(float(one["estimates"][-1]["held_out_loss"]), 4, one["name"])
        return {one["name"]: json.loads((self.folder / "lm" / one["name"] / "config.json").read_text())["model_type"] for one in runs}

    def certified(self, name):
        """What the checker says of enclosures."""
        model, certificate = self.folder / "lm" / name, self.folder / "audit.json"
        status, stdout, stderr = run("audit", model, "--text", self.text, "--length", 8, "--rigorous", "--quiet", "-o", certificate)
        self.assertEqual((status, stderr), (0, ""), name)
        for program in ("sinkproof-check", "recheck"):
            code, said, _ = run("--models", model, certificate, program=program)
            self.assertEqual(code, 0, said)
        return said

    def refused(self, name):
        status, stdout, stderr = run("audit", self.folder / "lm" / name, "--random", 1, "--length", 8)
        self.assertEqual((status, stdout, "SP2001" in stderr), (2, "", True), stderr)
        return re.search(r'nearest: "(.*?)"', stderr)[1]

    def test_the_papers_design(self):
        kinds = ["sigmoid", "elu1-normalised", "linear", "softmax-null", "softmax-sink", "softmax-gated"]
        types = self.trained(*self.PAPER, "--compare", f"attention={','.join(kinds)},softmax-value-bias", "--compare", "window=4")
        self.assertEqual(types, {"base": "llama", **{f"attention-{kind}": "llama" for kind in (*kinds, "softmax-value-bias")}, "window-4": "mistral"})
        for name in types:
            own = name.removeprefix("attention-") in kinds
            self.assertEqual("sinkproof_attention" in self.certified(name), own, name)
        status, _, stderr = run("smoothing", self.folder / "lm" / "base", "--text", self.text, "--length", 8, "-o", self.folder / "figures", "--quiet")
        self.assertEqual((status, stderr), (0, ""))

    def test_other_designs(self):
        types = self.trained("--compare", "positions=none,absolute,rotary", "--compare", "mlp=relu", "--compare", "norm-place=post",
                             "--compare", "attention=sigmoid", "--compare", "window=4")
        self.assertEqual(types, {"base": "gpt2", "positions-none": "gpt2", "positions-absolute": "gpt2", "positions-rotary": "gpt_neox",
                                 "mlp-relu": "gpt2", "norm-place-post": "opt", "attention-sigmoid": "gpt2", "window-4": "gpt2"})
        for name in types:
            self.certified(name)

    def test_what_is_refused(self):
        kinds = ["linear-normalised", "elu1-kernel-normalised", "mlp-kernel", "mlp-kernel-normalised", "relu-mean", "softmax-key-bias", "softmax-shared-key-bias"]
        options = ("--compare", f"attention={','.join(kinds)}", "--compare", "positions=relative,alibi", "--compare", "norm=rms", "--compare", "prefix=2",
                   "--compare", "mlp=swiglu")
        types = self.trained(*options)
        del types["base"]
        self.assertEqual(set(types.values()), {"sinkproof_decoder"})
        nearest = {f"attention-{kind}": "--attention softmax" for kind in kinds} | {
            "positions-relative": "--positions learned", "positions-alibi": "--positions learned", "norm-rms": "--norm layer", "prefix-2": "--prefix 0",
            "mlp-swiglu": "--mlp gelu"}
        self.assertEqual({name: self.refused(name) for name in types}, {name: f"gpt2 with {option}" for name, option in nearest.items()})
        _, said, _ = run("train-lm", *TEXT, *SMALL, "--steps", 60, *options, "-o", self.folder / "lm")
        told = {name: option for names, option in re.findall(r"audit does not read (.*) \(nearest: gpt2 with (.*)\)", said) for name in names.split(", ")}
        self.assertEqual(told, nearest)


class Refused(unittest.TestCase):
    """Bad input is stated with its code, and nothing is written."""

    def test_refused(self):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
            folder = Path(name)
            (folder / "short").write_text("too short")
            for code, options in (("SP2301", (folder / "short",)), ("SP0201", (folder / "none",)),
                                  ("SP2302", (*TEXT, "--width", 40)), ("SP2302", (*TEXT, "--layers", 17)),
                                  ("SP2302", (*TEXT, "--lr", 0)), ("SP2302", (*TEXT, "--measure-every", 0)), ("SP2302", (*TEXT, "--steps", 0)),
                                  ("SP2302", (*TEXT, "--weight-decay", 2000)), ("SP2302", (*TEXT, "--prefix", 64)),
                                  ("SP2302", (*TEXT, "--window", 4, "--prefix", 4)),
                                  ("SP2302", (*TEXT, "--batch", 5000)),
                                  ("SP2302", (*TEXT, "--width", 1024, "--layers", 16)),
                                  ("SP2306", (*TEXT, "--attention", "soft")),
                                  ("SP2306", (*TEXT, "--positions", "learnt")),
                                  ("SP2302", (*TEXT, "--positions", "rotary", "--width", 48, "--heads", 16)),
                                  ("SP2302", (*TEXT, "--fixed", 65)), ("SP2302", (*TEXT, "--fixed", 1, "--bos")),
                                  ("SP2302", (*TEXT, "--random", 65)), ("SP2306", (*TEXT, "--random", "3-2")),
                                  ("SP2302", (*TEXT, "--train-bytes", 64)), ("SP2302", (*TEXT, "--train-bytes", 10 ** 8)),
                                  ("SP2302", (*TEXT, "--compare", "train-bytes=100000000")),
                                  ("SP2302", (*TEXT, "--slot-value", "even-5")),
                                  ("SP2302", (*TEXT, "--attention", "softmax-key-value-bias", "--slot-value", "first-1")),
                                  ("SP2306", (*TEXT, "--attention", "softmax-key-bias", "--slot-value", "odd-1")),
                                  ("SP2302", (*TEXT, "--slot-dims", 1)), ("SP2302", (*TEXT, "--attention", "softmax-key-bias", "--slot-dims", 33)),
                                  ("SP2302", (*TEXT, "--scale", 0)), ("SP2302", (*TEXT, "--compare", "scale=nan")),
                                  ("SP2306", (*TEXT, "--attention", "softmax-key-bias", "--slot-value", "even-1e7")),
                                  ("SP2306", (*TEXT, "--preset", "gu2025-table1")),
                                  ("SP2306", (*TEXT, "--compare", "attention")),
                                  ("SP2306", (*TEXT, "--compare", "height=1,2")),
                                  ("SP2306", (*TEXT, "--compare", "lr=1e-3,fast")),
                                  ("SP2306", (*TEXT, "--compare", "seed=1,2,3,4,5,6,7,8,9")),
                                  ("SP2302", (*TEXT, "--compare", "width=128,100"))):
                status, stdout, stderr = run("train-lm", *options, "-o", folder / "out")
                self.assertEqual((status, stdout), (2, ""), options[-2:])
                self.assertIn(code, stderr, options[-2:])
                self.assertFalse((folder / "out").exists(), options[-2:])

    def test_a_loss_that_is_lost(self):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
            status, _, stderr = run("train-lm", *TEXT, "--width", 32, "--layers", 2, "--heads", 2, "--steps", 200,
                                    "--lr", 1e30, "--weight-decay", 0, "--clip", 0, "--warmup", 0,
                                    "-o", Path(name) / "out")
            self.assertEqual(status, 2)
            self.assertIn("SP2305", stderr)


if __name__ == "__main__":
    unittest.main()
