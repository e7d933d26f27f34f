"""The examples run and say what they should, and mypy --strict accepts them with the module's types.

usage: examples_test.py BUILD SOURCE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, SOURCE = (Path(word).resolve() for word in sys.argv[1:3])
EXAMPLES = SOURCE / "examples" / "python"
MODEL = SOURCE / "tests" / "checkpoints" / "pytorch-1l1h-softmax.safetensors"


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_python(self, *words, expect=0):
        done = subprocess.run([sys.executable, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=250,
                              env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "MYPYPATH": str(BUILD / "python")})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done.stdout

    def test_certify_a_head(self):
        said = self.run_python(EXAMPLES / "certify_a_head.py", MODEL, self.folder)
        upper, lower = map(float, re.search(r"at most (\S+) for every input, and an input reaches (\S+)", said).groups())
        self.assertTrue(0.019 < lower < upper < 0.02, said)
        self.assertRegex(said, r"at least 0\.9998\d*: proved\n")
        self.assertIn("the checker says proved; open ", said)
        self.assertTrue((self.folder / "head.html").read_text().startswith("<!DOCTYPE html>"))

    def test_the_ten_lines(self):
        lines = (EXAMPLES / "certify_a_head.py").read_text().partition('"""\nimport')[2].splitlines()
        self.assertLessEqual(len([line for line in lines if line and not line.startswith(("import", "from"))]), 10)

    def test_audit_a_model(self):
        subprocess.run([BUILD / "bin/sinkproof", "train-lm", SOURCE / "LICENSE", "--width", "16", "--layers", "2", "--heads", "2",
                        "--length", "16", "--steps", "2", "-o", self.folder / "lm"], check=True, capture_output=True)
        said = self.run_python(EXAMPLES / "audit_a_model.py", self.folder / "lm" / "base")
        self.assertRegex(said, r"^layer 0: 0\.\d{3} 0\.\d{3}\nlayer 1: 0\.\d{3} 0\.\d{3}\n\d+% of the heads exceed 0\.3; evicting")

    def test_types(self):
        mypy = "-m", "mypy", "--strict", "--cache-dir", self.folder / "cache"
        for script in ("certify_a_head.py", "audit_a_model.py"):
            self.assertIn("Success", self.run_python(*mypy, EXAMPLES / script))
        wrong = self.folder / "wrong.py"
        wrong.write_text("import sinkproof\nbound: float = sinkproof.certify('m').properties['sup-loss'].upper_exact\n"
                         "sinkproof.certify(3)\nsinkproof.train('m', attention='softmx')\n")
        said = self.run_python(*mypy, wrong, expect=1)
        for line in (2, 3, 4):
            self.assertRegex(said, rf"wrong\.py:{line}: error")


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main(verbosity=2)
