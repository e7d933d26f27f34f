#!/usr/bin/env python3
"""The proofs of proofs/checker, in a folder that tools/verified/build.sh has filled:
python3 tests/verified/proof_test.py FOLDER Proofs|Coqchk

What they rest on; that the functions cannot be changed without a proof failing; that the whole numbers of the program
are Coq's.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = None
FLAGS = ["-R", "theory", "Sinkproof", "-R", "checker", "Verified"]
ALLOWED = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
           "FunctionalExtensionality.functional_extensionality_dep"}
ASSUMED = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset|bypass_check)\b")
PROOFS = re.compile(r"^\s*(Theorem|Lemma|Proof|Qed|Hypothes[ie]s|Notation|Ltac|Coercion)\b", re.M)

# (file, text, what stands there instead): each makes some enclosure or comparison wrong.
BREAKS = [
    ("rounded.v", "radius := (ceil_shift e s + if", "radius := (floor_shift e s + if"),
    ("rounded.v", "forallb (exact_shift s) z then 0 else 1", "forallb (exact_shift s) z then 0 else 0"),
    ("exponential.v", "if (t <=? 1)%Z then (s + 1)%Z", "if (t <=? 1)%Z then s"),
    ("exponential.v", "if (t <=? 1)%Z then (s + 1)%Z", "if (t <=? 2)%Z then (s + 1)%Z"),
    ("exponential.v", "if vanishes p x then 1%Z", "if vanishes p x then 0%Z"),
    ("weights.v", "floor_div (Z.shiftl a p) (a + (greatest - b))", "floor_div (Z.shiftl a p) (a + (least - a))"),
    ("weights.v", "(Z.max 0 low, Z.max 0 high)", "(low, Z.max 0 high)"),
    ("pass.v", "(e + Z.abs m * radius k + (b - m) * far)", "(e + Z.abs m * radius k)"),
    ("pass.v", "ceil_shift (ceil_div (top * (z + e)) bottom) p)", "ceil_shift (ceil_div (top * z) bottom) p)"),
    ("layers.v", "=? x)%Z) scaled then 0 else 1 |}", "=? x)%Z) scaled then 0 else 0 |}"),
    ("layers.v", "(logistic_down p (c - radius b), logistic_up", "(logistic_down p c, logistic_up"),
    ("check.v", "(top q * d <=? n * bottom q)%Z", "(top q * d <=? n * bottom q + 1)%Z"),
    ("check.v", "(n * bottom q <=? top q * d)%Z", "(top q * d <=? n * bottom q)%Z"),
    ("check.v", "low := Z.max 0 (most - r)", "low := most"),
    ("check.v", "negb (at_least epsilon (low f) (parts f))", "negb (at_least epsilon (high f) (parts f))"),
    ("check.v", "at_most lower (fst r) all", "at_most lower (snd r) all"),
    ("check.v", "match where_ with None => true | Some s => (s <? N)%nat end", "match where_ with None => true | Some s => (s <=? N)%nat end"),
]


def coqc(folder, path):
    return subprocess.run(["coqc", "-q", *FLAGS, path], cwd=folder, capture_output=True, text=True, timeout=600)


class Proofs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def copy(self):
        for name in ("theory", "checker"):
            shutil.copytree(BUILT / name, self.folder / name)

    def test_they_are_those_of_the_tree(self):
        for name in ("theory", "checker"):
            for path in (ROOT / "proofs" / name).rglob("*.v"):
                built = BUILT / path.relative_to(ROOT / "proofs")
                self.assertEqual(built.read_text(), path.read_text(), path)

    def test_nothing_is_assumed(self):
        for path in (ROOT / "proofs" / "checker").rglob("*.v"):
            self.assertEqual(ASSUMED.findall(path.read_text()), [], path)

    def test_the_specification_holds_definitions_only(self):
        files = list((ROOT / "proofs" / "checker" / "specification").glob("*.v"))
        self.assertEqual(len(files), 3)
        for path in files:
            self.assertEqual(PROOFS.findall(path.read_text()), [], path)

    def test_axioms(self):
        (self.folder / "axioms.v").write_text("From Verified Require Import check.\nPrint Assumptions check_sound.\n")
        out = subprocess.run(["coqc", "-q", *FLAGS, self.folder / "axioms.v"], cwd=BUILT, capture_output=True, text=True, timeout=600)
        self.assertEqual(out.returncode, 0, out.stderr)
        head, _, rest = out.stdout.partition("Axioms:\n")
        self.assertEqual(head, "")
        self.assertEqual(set(re.findall(r"^(\S+)", rest, re.M)), ALLOWED)

    def test_a_changed_function_has_no_proof(self):
        self.copy()
        for name, text, other in BREAKS:
            with self.subTest(f"{name}: {other}"):
                path = self.folder / "checker" / name
                whole = path.read_text()
                self.assertEqual(whole.count(text), 1)
                path.write_text(whole.replace(text, other))
                out = coqc(self.folder, path.relative_to(self.folder))
                path.write_text(whole)
                self.assertNotEqual(out.returncode, 0, "the proofs hold of the changed function")
                line = int(re.search(r", line (\d+), ", out.stderr).group(1))
                self.assertGreater(line, whole[:whole.index(text)].count("\n") + 2, out.stderr)  # what fails is a proof
                self.assertNotIn("Syntax", out.stderr)

    def test_the_program_s_whole_numbers_are_coq_s(self):
        for path in (ROOT / "tests" / "verified" / "plain.v", ROOT / "tests" / "verified" / "mappings.ml", ROOT / "tools" / "verified" / "whole.ml"):
            shutil.copy(path, self.folder)
        for command in (["coqc", "-q", "plain.v"], ["ocamlfind", "ocamlopt", "-w", "-a", "-package", "zarith", "-linkpkg", "plain.mli", "plain.ml",
                                                    "whole.ml", "mappings.ml", "-o", "mappings"], ["./mappings"]):
            out = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600)
            self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        self.assertGreater(int(out.stdout.split()[0]), 50000)
        mapped = set(re.findall(r"Constant Z\.(\w+) =>", (ROOT / "proofs" / "checker" / "extraction.v").read_text()))
        compared = set(re.findall(r'"(\w+)"', (ROOT / "tests" / "verified" / "mappings.ml").read_text()))
        self.assertEqual(mapped - compared, set())


class Coqchk(unittest.TestCase):
    def test_coqs_other_checker(self):
        out = subprocess.run(["coqchk", "-silent", "-o", *FLAGS, "Verified.check"], cwd=BUILT, capture_output=True, text=True, timeout=7000)
        self.assertEqual(out.returncode, 0, out.stderr)
        sections = dict(re.findall(r"^\* ([^:\n]*):(.*?)(?=^\* |\Z)", out.stdout, re.M | re.S))
        self.assertEqual({name.split(".", 2)[2] for name in sections.pop("Axioms").split()}, ALLOWED)
        relying = [body.strip() for name, body in sections.items() if "relying on" in name or "assumed" in name]
        self.assertEqual(relying, ["<none>"] * 3)


if __name__ == "__main__":
    BUILT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
