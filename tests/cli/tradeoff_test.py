"""`sinkproof tradeoff` as a user runs it, on the smallest of its models.

usage: tradeoff_test.py BIN_DIR SOURCE_DIR
"""
import json
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from experiment import Experiment, contents
from program import run

SVG = "{http://www.w3.org/2000/svg}"
# A search that its seconds end may find something else the next time.
LADDER = ("--only", "1x2", "--steps", 150, "--penalty", 0, "--penalty", 0.5, "--seconds", 300)
MODELS = [f"1x2-random-{penalty}-{seed}" for penalty in (0, 0.5) for seed in (0, 1)]
FILES = ({f"{model}.safetensors" for model in MODELS} | {f"{model}.box.json" for model in MODELS[::2]}
         | {"table.json", "page.html", "figures/loss-bos.svg", "figures/bos-values.svg"})


class OneLayer(Experiment):
    """One run of one layer of two heads, which no test changes."""

    VERB = "tradeoff"
    OPTIONS = LADDER

    def test_every_file_is_there(self):
        status, stdout, stderr = self.first
        self.assertEqual((status, stderr), (0, ""))
        self.assertEqual(set(json.loads(stdout)["made"]), FILES)
        self.assertEqual(set(self.files), FILES)

    def test_a_penalty_takes_the_sink(self):
        points = json.loads(self.files["table.json"])["points"]
        self.assertEqual([point["model"] for point in points], MODELS)
        bos = [float(point["estimates"]["mean_bos"]) for point in points]
        self.assertGreater(min(bos[:2]), 0.5)
        self.assertLess(max(bos[2:]), 0.05)

    def test_bounds_hold_of_the_estimates(self):
        points = json.loads(self.files["table.json"])["points"]
        self.assertEqual([point["over_box"] is None for point in points], [False, True, False, True])
        for point in points[::2]:
            box, seen = point["over_box"], {key: float(value) for key, value in point["estimates"].items()}
            self.assertLessEqual(seen["linf"], float(box["loss"][1]))
            self.assertLessEqual(seen["largest_bos"], float(box["bos_ceiling"][1]) + 1e-9)
            self.assertLessEqual(float(box["bos_floor"][0]), seen["largest_mean_bos"])
        status, stdout, _ = run(*(self.folder / "out" / f"{model}.box.json" for model in MODELS[::2]),
                                program="sinkproof-check")
        self.assertEqual(status, 0, stdout)

    def test_figures_are_drawings_on_the_page(self):
        for name in ("loss-bos", "bos-values"):
            drawn = self.files[f"figures/{name}.svg"]
            root = xml.fromstring(drawn)
            self.assertEqual(root.tag, SVG + "svg")
            marks = [node for node in root.iter(SVG + "path") if node.get("transform")]
            self.assertEqual(len(marks), len(MODELS) + 1)
            self.assertEqual(self.files["page.html"].count(drawn.rstrip()), 1)

    def test_nothing_is_made_again_and_what_is_lost_is_made_as_it_was(self):
        folder = self.copy()
        (folder / f"{MODELS[0]}.safetensors").unlink()
        (folder / f"{MODELS[2]}.box.json").unlink()
        status, stdout, stderr = run("tradeoff", "-o", folder, *LADDER, "--format", "json", "--jobs", 1)
        self.assertEqual((status, stderr), (0, ""))
        self.assertEqual(json.loads(stdout)["made"], [f"{MODELS[0]}.safetensors", f"{MODELS[2]}.box.json"])
        self.assertEqual(contents(folder), self.files)

    def test_another_run_needs_another_folder(self):
        folder = self.copy()
        for options, word in ((("--lr", 1e-3), "lr is not 0.001"), (("--steps", 151), "steps is not 151")):
            status, stdout, stderr = run("tradeoff", "-o", folder, *LADDER[:2], *options, "--penalty", 0)
            self.assertEqual((status, stdout), (2, ""))
            self.assertIn("SP1801", stderr)
            self.assertIn(word, stderr)
        shutil.copy(folder / f"{MODELS[2]}.safetensors", folder / f"{MODELS[0]}.safetensors")
        status, _, stderr = run("tradeoff", "-o", folder, *LADDER)
        self.assertEqual(status, 2)
        self.assertIn("bos_penalty is not absent", stderr)

    def test_a_certificate_that_lies_is_not_believed(self):
        folder = self.copy()
        path = folder / f"{MODELS[0]}.box.json"
        certificate = json.loads(path.read_text())
        bound = next(entry for entry in certificate["properties"] if entry["name"] == "bos-ceiling.pre")
        bound["upper"] = bound["lower"]
        path.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")
        status, stdout, _ = run("tradeoff", "-o", folder, *LADDER, "--format", "json")
        self.assertEqual(status, 4)
        self.assertIsNone(json.loads(stdout)["points"][0]["over_box"])

    def test_given_weights_are_started_from(self):
        start = self.folder / "mine.safetensors"
        shutil.copy(self.folder / "out" / f"{MODELS[0]}.safetensors", start)
        folder = self.copy()
        status, stdout, stderr = run("tradeoff", "-o", folder, *LADDER, "--start", start)
        self.assertEqual((status, stderr), (0, ""))
        self.assertIn("estimates on 1000 random sequences", stdout)
        self.assertRegex(stdout, r"(?m)^1x2-mine +0\.5 +1 ")
        self.assertEqual(set(contents(folder)), FILES | {name.replace("random", "mine") for name in FILES})
        status, _, stderr = run("tradeoff", "-o", folder, *LADDER, "--start", start, "--start", start)
        self.assertEqual(status, 2)
        self.assertIn("SP1802", stderr)


class Usage(unittest.TestCase):
    def test_bad_options(self):
        for code, options in (("SP1802", ("--penalty", 1, "--penalty", 0)), ("SP1802", ("--seeds", 0)),
                              ("SP1001", ("--penalty", -1)), ("SP02", ("--start", "absent.safetensors")),
                              ("", ("--only", "3x3"))):
            with tempfile.TemporaryDirectory() as folder:
                status, stdout, stderr = run("tradeoff", "-o", Path(folder) / "out", *options)
                self.assertEqual((status, stdout), (2, ""), options)
                self.assertIn(code, stderr)


if __name__ == "__main__":
    unittest.main()
