#!/usr/bin/env python3
"""The checker without its optional parts refuses what needs them (SP0906), and nothing else.

Usage: parts_test.py PROGRAM SOURCE LIES: the checker with what stands in for the parts, the source tree and the folder
of the lies, of which some are true.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE, LIES = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
PARTS = ("vectors", "sampling", "language")


def check(certificate, models):
    told = subprocess.run([PROGRAM, "--format", "json", "--accept", "coq,smt,statistical", "--claims", SOURCE / "proofs", "--models", models, certificate],
                          capture_output=True, text=True)
    return told.returncode, json.loads(told.stdout)["files"][0]


class Parts(unittest.TestCase):
    def refused(self, part, certificate, models):
        code, outcome = check(certificate, models)
        self.assertEqual((code, outcome["verdict"]), (2, "unknown"), outcome)
        self.assertIn(f"without the part `{part}`", outcome["reason"])

    def accepted(self, certificate, models):
        code, outcome = check(certificate, models)
        self.assertEqual((code, outcome["verdict"]), (0, "proved"), outcome)

    def test_vectors(self):
        self.refused("vectors", SOURCE / "examples/costs/rank-03-margin-8.json", SOURCE / "examples/costs")

    def test_vectors_as_a_step_of_a_theory_claim(self):
        claims = [path for path in sorted((SOURCE / "certificates").glob("*.json")) if '"rule":"vectors"' in path.read_text()]
        self.assertGreater(len(claims), 2)
        for claim in claims:
            self.refused("vectors", claim, claim.parent)

    def test_random_sequences(self):
        of = LIES / "checkpoint/statistical-random-with-less-confidence/certificates"
        self.refused("sampling", of / "lie.json", of)

    def test_language_models(self):
        for lie in ("language/proved-precision-higher", "cover/proved-every-sequence-undecided"):
            of = LIES / lie / "certificates"
            self.refused("language", of / "lie.json", of)

    def test_the_rest(self):
        self.accepted(SOURCE / "certificates/tc-1.json", SOURCE / "certificates")
        self.accepted(SOURCE / "examples/variants/relu.json", SOURCE / "examples/variants")

    def test_the_options_of_the_build(self):
        for left_out in PARTS:
            with self.subTest(left_out), tempfile.TemporaryDirectory() as folder:
                subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE / "src/checker", "-B", folder, "-DSINKPROOF_TESTS=OFF",
                                f"-DSINKPROOF_CHECK_{left_out.upper()}=OFF"], check=True, capture_output=True)
                needed = subprocess.run(["ninja", "-C", folder, "-t", "inputs", "sinkproof-check"], check=True, capture_output=True, text=True).stdout
                for part in PARTS:
                    sources = [line for line in needed.splitlines() if f"/src/checker/{part}/" in line and line.endswith(".cpp")]
                    self.assertEqual([line.endswith("/left_out.cpp") for line in sources], [True] if part == left_out else [False] * len(sources))
                    self.assertTrue(sources)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
