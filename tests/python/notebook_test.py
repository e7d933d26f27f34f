"""The notebook of examples/python runs from its first cell to its last without a display, and shows what it says.

usage: notebook_test.py BUILD SOURCE
"""
import ast
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

BUILD, SOURCE = (Path(word).resolve() for word in sys.argv[1:3])
NOTEBOOK = SOURCE / "examples" / "python" / "certify_and_audit.ipynb"
sys.path[:0] = [str(BUILD / "python")]


def shown(value):
    """What a notebook's front end shows of a cell's value."""
    if value is None:
        return ""
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def run_cell(source, names):
    """What the cell prints, and what its last expression shows."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
        return printed.getvalue(), shown(value)


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.addClassCleanup(os.chdir, Path.cwd())
        os.chdir(cls.folder)
        cls.notebook = json.loads(NOTEBOOK.read_text())
        cls.sources = ["".join(cell["source"]) for cell in cls.notebook["cells"] if cell["cell_type"] == "code"]
        cls.names = {"__name__": "__main__"}
        cls.results = [run_cell(source, cls.names) for source in cls.sources]

    def result(self, part):
        """Of the one cell whose source holds `part`."""
        found, = (result for source, result in zip(self.sources, self.results) if part in source)
        return found

    def test_it_is_a_notebook_without_outputs(self):
        self.assertEqual((self.notebook["nbformat"], self.notebook["metadata"]["kernelspec"]["name"]), (4, "python3"))
        self.assertEqual(len({cell["id"] for cell in self.notebook["cells"]}), len(self.notebook["cells"]))
        for cell in self.notebook["cells"]:
            self.assertIn(cell["cell_type"], ("code", "markdown"))
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))

    def test_links_of_the_text_lead_to_files(self):
        text = "".join("".join(cell["source"]) for cell in self.notebook["cells"] if cell["cell_type"] == "markdown")
        links = re.findall(r"\]\(([^)]+)\)", text)
        self.assertGreater(len(links), 0)
        for link in links:
            self.assertTrue((NOTEBOOK.parent / link).exists(), link)

    def test_the_loop_ends_with_a_proof(self):
        printed, _ = self.result("for step in range")
        lines = printed.splitlines()
        self.assertTrue(lines[-1].endswith(": proved"), printed)
        self.assertTrue(all(line.endswith(": refuted") for line in lines[:-1]), printed)
        self.assertGreater(len(lines), 1)
        bounds = self.names["bounds"]
        self.assertTrue(all(lower <= upper for _, lower, upper in bounds))
        self.assertLessEqual(bounds[-1][2], 0.2)

    def test_the_gradient_is_that_of_the_loss(self):
        gradients, (x, y) = self.names["gradients"], self.names["batch"](4)
        numpy, weights = self.names["np"], {name: value.copy() for name, value in self.names["weights"].items()}
        _, gradient = gradients(weights, x, y)
        for name in weights:
            step = numpy.zeros_like(weights[name])
            step[2, 3] = 1e-5
            ends = [gradients({**weights, name: weights[name] + sign * step}, x, y)[0] for sign in (1, -1)]
            self.assertAlmostEqual(gradient[name][2, 3], (ends[0] - ends[1]) / 2e-5, delta=1e-7)

    def test_charts(self):
        certified, audited = self.result('certify("head.safetensors"')[1], self.result("evict=[(1, 8)")[1]
        for html, words in ((certified, "sup-loss.trigger"), (audited, "layer 1, head 3")):
            tree = xml.etree.ElementTree.fromstring(f"<div>{html}</div>")
            self.assertGreater(len(list(tree.iter("{http://www.w3.org/2000/svg}rect"))), 4)
            self.assertIn(words, html)
        self.assertIn("estimates in float64", audited)
        self.assertIn("100 sequences", audited)
        self.assertIn("proved", self.result('check("head.json")')[1])

    def test_the_page_has_both_kinds_of_evidence(self):
        self.assertIn("estimate", self.result("sinkproof.report(")[1])
        page = (self.folder / "report.html").read_text()
        self.assertIn('<section id="checkpoints">', page)
        self.assertIn('<section id="estimates">', page)
        self.assertIn("estimate, not proved", page)

    def test_types(self):
        script = self.folder / "notebook.py"
        script.write_text("\n\n".join(self.sources))
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.folder / "cache", script], capture_output=True,
                              text=True, timeout=250, env={**os.environ, "MYPYPATH": str(BUILD / "python")})
        self.assertIn("Success", done.stdout, done.stderr)

    def test_a_cell_that_fails_is_not_passed_over(self):
        with self.assertRaises(ZeroDivisionError):
            run_cell("x = 1\n1 / 0", {})
        self.assertEqual(run_cell("print('a')\nx = 2\nx", {}), ("a\n", "2"))


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main(verbosity=2)
