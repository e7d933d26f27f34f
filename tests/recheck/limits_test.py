#!/usr/bin/env python3
"""Both checkers end at their limits: python3 tests/recheck/limits_test.py FOLDER-OF-SINKPROOF-CHECK

Each certificate is small and well formed, and asks for more time or memory than it is given: of polynomials, numbers,
trees, samples, drawn inputs and plain JSON. What is measured is the processor time and the memory of the checker with
its child.
"""

import copy
import os
import subprocess
import sys
import tempfile
import unittest

import sampling_sample
from borders_test import Toy, implication
from forward_test import stack
from layer_test import CLAIM_HASH, make
from recheck_test import ROOT, SCRIPT, canonical
from stack_sample import sink_share

PROGRAM = ""
SECONDS, MEMORY = 2, 200  # of processor time, and megabytes
SANITIZED = "SINKPROOF_SANITIZED" in os.environ  # AddressSanitizer has memory of its own
START = 60  # megabytes that a checker has before it begins


class Limits(Toy):
    def ends(self, value, codes, *arguments):
        """Each checker ends with one of these codes, and at the limits where that is 3."""
        path = self.write("certificates/it.json", value if type(value) is bytes else canonical(value))
        common = ["--claims", os.path.join(self.folder, "proofs"), "--models", self.folder, "--seconds", str(SECONDS), "--memory", str(MEMORY), *arguments, path]
        for checker in ([os.path.join(PROGRAM, "sinkproof-check")], [sys.executable, SCRIPT]):
            with self.subTest(checker[-1]), tempfile.TemporaryFile("w+") as out:
                started = subprocess.Popen([*checker, *common], stdout=out, stderr=out)
                _, status, usage = os.wait4(started.pid, 0)
                started.returncode = os.waitstatus_to_exitcode(status)
                out.seek(0)
                said = out.read()
                self.assertIn(started.returncode, codes, said)
                if "SINKPROOF_SAID" in os.environ:
                    print(f"{self.id()} {usage.ru_utime + usage.ru_stime:.2f} s {usage.ru_maxrss // 1000} MB {said[-150:]}", end="")
                self.assertEqual(started.returncode == 3, "SP0905" in said, said)
                self.assertLess(usage.ru_utime + usage.ru_stime, SECONDS + 1.5)
                if not SANITIZED:
                    self.assertLess(usage.ru_maxrss / 1000, MEMORY + START)

    def test_what_is_within_the_limits_is_checked(self):
        self.ends(self.identity(), {0})

    def test_polynomials(self):
        long = "9" * 390
        wide = ["*", ["^", ["+", long, "x"], 16], ["^", ["+", long, "y"], 16]]
        one = lambda k: {"name": f"p{k}", "left": ["*", wide, wide], "right": ["*", ["^", wide, 1], wide]}
        statement = {"scope": "all", "variables": ["x", "y"], "identities": [one(k) for k in range(10, 99)]}
        files = {"theorem.identity.json": canonical({"statement": statement})}
        self.ends(self.theory(files, [{"file": "theorem.identity.json", "rule": "polynomial-identity", "statement": statement}]), {3})

    def test_factors(self):
        """Numbers of 25000 digits to the power of 250, each time they are multiplied longer."""
        statement, evidence = implication(["*", *["9" * 400] * 63, "x"], 250)
        self.ends(self.implication(statement, evidence | {"terms": evidence["terms"] * 50}), {3, 4})

    def test_a_point_of_many_digits(self):
        value = self.implication(*implication(["^", "x", 64], 0))
        hypothesis = value["steps"][0]["statement"]["hypotheses"][0]
        value["steps"][0]["statement"]["hypotheses"] = [hypothesis | {"name": f"h{k:03}"} for k in range(500)]
        term = value["steps"][0]["evidence"]["terms"][0]
        term["factors"] = ["h000"] * len(term["factors"])
        value["steps"][0]["evidence"]["witness"]["x"] = "7" * 20000
        statement = value["steps"][0]["statement"]
        self.ends(self.implication(statement, value["steps"][0]["evidence"]), {3})

    def test_samples(self):
        layer = sampling_sample.sink("softmax", length=20, n=8, wobble=sampling_sample.Fraction(0), claim_hash=CLAIM_HASH)  # nothing exceeds
        self.model(layer.file())
        value = sampling_sample.certificate(layer, sampling_sample.Fraction(1, 13), 3)
        theorem = next(item for item in value["properties"] if item["name"] == "theorem.tc-2")
        theorem.update(sampling_sample.restated(theorem | {"samples": 100000}, 20, delta=sampling_sample.Fraction(1, 1000)))
        self.ends(value, {3}, "--accept", "statistical")

    def test_trees(self):
        layer = make("softmax-null", 1, n=6, length=4)
        self.model(layer.file())
        value = copy.deepcopy(layer.certificate())
        trees, some = value["ranges"]["trees"], value["ranges"]["heads"][0]["classes"]["content_content"]
        some["low"] = "-" + "9" * 1990
        trees[2] = "1" + "0" * 900000
        self.ends(value, {3, 4})

    def test_drawn_inputs(self):
        """16384 sequences of 1024 tokens, the most there may be."""
        sample = stack("softmax", 1, 1, False)
        self.model(sample.file())
        value = sample.certificate(1024, {"count": 16384, "seed": 0}, [sink_share(0, 1, sampling_sample.Fraction(1, 2))])
        self.ends(value | {"claim_sha256": CLAIM_HASH}, {3})

    def test_a_committed_certificate_that_takes_longer(self):
        """Ten seconds of sinkproof-check: one is too few, sixty are enough."""
        path = os.path.join(ROOT, "examples", "forced", "2x1-random-0-0.json")
        for seconds, code in (("1", 3), ("600" if SANITIZED else "60", 0)):
            ended = subprocess.run([os.path.join(PROGRAM, "sinkproof-check"), "--claims", os.path.join(ROOT, "proofs"), "--seconds", seconds, path], capture_output=True, text=True)
            self.assertEqual((ended.returncode, "its limit of 1 s of processor time" in ended.stdout), (code, code == 3), ended.stdout)

    def test_options(self):
        """Both read the same limits and kinds, refuse the same, and take none of an option's values for another."""
        path = self.write("certificates/it.json", canonical(self.identity()))
        common = ["--claims", os.path.join(self.folder, "proofs"), path]
        words = [[f"{option}={text}"] for option in ("--seconds", "--memory")
                 for text in ("0", "010", "0x10", " 10", "10 ", "+10", "-1", "1_0", "1e2", "2.5", "\u0661", "", "1000001", "9" * 40, "nan")]
        words += [[f"--accept={text}"] for text in ("all", "", ",", "smt,x")] + [["--format=json", "--format=text"], ["--seconds=9", "--seconds=8"],
                                                                                 ["--memory=200", "--memory=200"], ["--models=.", "--models=."]]
        taken = [["--seconds=10"], ["--memory=1000000"], ["--accept=smt,coq,"], ["--accept=smt", "--accept=coq"], ["--accept=coq,coq"]]
        for checker in ([os.path.join(PROGRAM, "sinkproof-check")], [sys.executable, SCRIPT]):
            for code, lists in ((2, words), (0, taken)):
                for some in lists:
                    ended = subprocess.run([*checker, *some, *common], capture_output=True, text=True)
                    self.assertEqual((ended.returncode, some[-1].split("=")[0] in ended.stderr), (code, code == 2), (some, ended))

    def test_long_lists(self):
        self.ends(b'{"claim":"toy","steps":[' + b"0," * 20_000_000 + b"0]}\n", {3, 4})
        self.ends(b'{"claim":"toy","steps":[' + b"[]," * 8_000_000 + b"0]}\n", {3, 4})


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
