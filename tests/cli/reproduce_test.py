"""`sinkproof reproduce` as a user runs it: what it writes, that a second run makes nothing again, what it refuses.

usage: reproduce_test.py BIN_DIR SOURCE_DIR
"""
import json
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from experiment import Experiment, contents
from program import run

DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
SVG = "{http://www.w3.org/2000/svg}"
FIGURES = {f"figures/{model}-1x1-{kind}-{scale}.svg" for model in ("softmax", "relu")
           for kind in ("mean", "deviation", "sequence") for scale in ("linear", "log")}
FILES = FIGURES | {"table.json", "page.html"} | {
    f"{model}-1x1.{part}" for model in ("softmax", "relu")
    for part in ("safetensors", "sample.json", "drawn.json", "box.json")}


class OneLayer(Experiment):
    """One run of the two small models, which no test changes."""

    VERB = "reproduce"
    OPTIONS = ("--only", "1x1")

    def again(self, folder, *options):
        status, stdout, stderr = run("reproduce", "-o", folder, "--only", "1x1", "--format", "json", *options)
        self.assertEqual((status, stderr), (0, ""), stdout)
        return json.loads(stdout)["made"]

    def test_every_file_is_there(self):
        status, stdout, stderr = self.first
        self.assertEqual((status, stderr), (0, ""))
        made = json.loads(stdout)["made"]
        self.assertEqual(len(made), len(set(made)))
        self.assertEqual(set(made), FILES)
        self.assertEqual(set(self.files), FILES)

    def test_figures_are_drawings(self):
        for name in FIGURES:
            root = xml.fromstring(self.files[name])
            self.assertEqual(root.tag, SVG + "svg", name)
            words = [node.text for node in root.iter(SVG + "text")]
            self.assertEqual(words.count("sink: BOS"), 1, name)
            self.assertIn("layer 0 head 0", words)
            cells = sum(node.get("d").count("M") for node in root.iter(SVG + "path"))
            self.assertEqual(cells, 16 * 17 // 2, name)
            self.assertEqual(self.files["page.html"].count(self.files[name].rstrip()), 1, name)

    def test_sums_of_the_maps(self):
        for model in ("softmax", "relu"):
            head, = json.loads(self.files[f"{model}-1x1.sample.json"])["layers"][0]
            rows = [[float(weight) for weight in row] for row in head["mean"]]
            if model == "softmax":
                for row in rows:
                    self.assertAlmostEqual(sum(row), 1, places=12)
            alpha = sum(row[0] for row in rows) / len(rows)
            self.assertAlmostEqual(alpha, float(head["alpha"][0]), places=12)
            # Both paths attend to what precedes the trigger in its row; only softmax to BOS elsewhere.
            self.assertGreater(sum(rows[7][1:7]), 0.5)
            self.assertEqual(rows[11][0] > 0.9, model == "softmax")

    def test_the_three_columns_agree(self):
        lines = json.loads(self.files["table.json"])["lines"]
        self.assertEqual([line["model"] for line in lines], ["softmax-1x1", "relu-1x1"])
        self.assertEqual(json.loads(self.first[1])["lines"], lines)
        for line in lines:
            for rows, interval in line["certified_over_box"].items():
                for bound in interval:
                    self.assertRegex(bound, DECIMAL)
                low, high = map(float, interval)
                self.assertLessEqual(low, float(line["sampled_estimates"][rows]) + 1e-9, rows)
                self.assertGreaterEqual(high, float(line["sampled_estimates"][rows]) - 1e-9, rows)
            low, high = map(float, line["enclosed_alpha_on_drawn"])
            self.assertLess(low, high)
            self.assertLess(low - 1e-4, float(line["sampled_estimates"]["alpha_mean"]))
            self.assertGreater(high + 1e-4, float(line["sampled_estimates"]["alpha_mean"]))

    def test_the_page_has_the_table_and_the_papers_figures(self):
        page = self.files["page.html"].decode()
        start = page.index('<section id="experiments">')
        section = page[start:page.index("</section>", start)]
        rows = re.findall(r'<tr><th scope="row">.*?<span class="id">(.*?)</span>.*?</tr>', section)
        self.assertEqual(rows, ["softmax-1x1", "relu-1x1"])
        line = json.loads(self.files["table.json"])["lines"][0]
        cells = re.findall(r'data-label="(.*?)">(.*?)</td>', section)[:8]
        self.assertEqual([label for label, _ in cells],
                         [f"sampled, {rows} (estimate)" for rows in ("before", "at", "after the trigger", "α")]
                         + ["drawn, α (enclosed)"]
                         + [f"box, {rows} (certified)" for rows in ("before", "at", "after the trigger")])
        for (_, shown), rows in zip(cells[5:], ("before", "trigger", "after")):
            low, high = map(float, re.fullmatch("≥ (.*)<br>≤ (.*)", shown).groups())
            exact_low, exact_high = map(float, line["certified_over_box"][rows])
            self.assertTrue(low <= exact_low <= exact_high <= high, rows)
            self.assertLess(high - low, 1.01 * (exact_high - exact_low) + 1e-3, rows)
        self.assertEqual(section.count("Figure 3 of arXiv:2603.11487."), 4)  # mean, deviation; of two models

    def test_the_checker_accepts_the_certificates(self):
        names = [f"{model}-1x1.{part}.json" for model in ("softmax", "relu") for part in ("drawn", "box")]
        status, stdout, _ = run(*(self.folder / "out" / name for name in names), program="sinkproof-check")
        self.assertEqual(status, 0, stdout)

    def test_nothing_is_made_again(self):
        folder = self.copy()
        self.assertEqual(self.again(folder, "--jobs", 1), [])
        self.assertEqual(contents(folder), self.files)

    def test_what_is_missing_or_torn_is_made_again_as_it_was(self):
        folder = self.copy()
        (folder / "figures" / "relu-1x1-mean-log.svg").unlink()
        (folder / "relu-1x1.box.json").unlink()
        sample = folder / "softmax-1x1.sample.json"
        sample.write_bytes(sample.read_bytes()[:1000])
        self.assertEqual(set(self.again(folder)), {"figures/relu-1x1-mean-log.svg", "relu-1x1.box.json",
                                                   "softmax-1x1.sample.json"})
        self.assertEqual(contents(folder), self.files)

    def test_a_lost_model_is_trained_to_the_same_bytes(self):
        folder = self.copy()
        (folder / "softmax-1x1.safetensors").unlink()
        self.assertEqual(self.again(folder), ["softmax-1x1.safetensors"])
        self.assertEqual(contents(folder), self.files)

    def test_a_certificate_that_lies_is_not_believed(self):
        folder = self.copy()
        path = folder / "softmax-1x1.drawn.json"
        certificate = json.loads(path.read_text())
        alpha = next(entry for entry in certificate["properties"] if entry["name"].startswith("value."))
        alpha["lower"] = alpha["upper"]
        path.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")
        status, stdout, _ = run("reproduce", "-o", folder, "--only", "1x1", "--only", "softmax", "--format", "json")
        self.assertEqual(status, 4)
        line, = json.loads(stdout)["lines"]
        self.assertIsNone(line["enclosed_alpha_on_drawn"])
        self.assertIsNotNone(line["certified_over_box"]["before"])

    def test_another_seed_needs_another_folder(self):
        folder = self.copy()
        status, stdout, stderr = run("reproduce", "-o", folder, "--only", "1x1", "--seed", 1)
        self.assertEqual((status, stdout), (2, ""))
        self.assertIn("SP1801", stderr)
        self.assertIn("seed is not 1", stderr)
        self.assertEqual(contents(folder), self.files)

    def test_text_says_what_is_an_estimate(self):
        status, stdout, _ = run("reproduce", "-o", self.folder / "out", "--only", "1x1")
        self.assertEqual(status, 0)
        self.assertRegex(stdout, r"sampled: estimates on 1000 random sequences with the trigger at 8")
        self.assertIn("wrote 0 files", stdout)
        self.assertRegex(stdout, r"(?m)^relu-1x1 .* 0\.\.0$")


class Usage(unittest.TestCase):
    def test_bad_options(self):
        for options in (["--only", "3x3"], ["--only", "tanh"], []):
            with tempfile.TemporaryDirectory() as folder:
                output = Path(folder) / "out"
                status, _, _ = run("reproduce", *options, *(["-o", output] if options else []))
                self.assertEqual(status, 2)
                self.assertFalse(output.exists())

    def test_a_folder_that_cannot_be(self):
        with tempfile.NamedTemporaryFile() as file:
            status, _, stderr = run("reproduce", "--only", "1x1", "-o", file.name)
            self.assertEqual(status, 2)
            self.assertIn("SP0203", stderr)


if __name__ == "__main__":
    unittest.main()
