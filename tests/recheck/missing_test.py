#!/usr/bin/env python3
"""Both checkers on what is not there: python3 tests/recheck/missing_test.py FOLDER-OF-SINKPROOF-CHECK

For every kind of certificate each input is left out, or is something else. Both give the same exit code and verdict.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REJECT = ROOT / "tests" / "reject"
PROGRAM = ""
PROVED, MISSING, PARTIAL = (0, "proved"), (2, "unknown"), (3, "unknown")
# kind: certificate, folder of models, folder of claims, how it ends with everything there and without its models
KINDS = {
    "theory": ("theory/accepted.json", None, REJECT / "theory" / "proofs", PARTIAL, PARTIAL),
    "checkpoint": ("checkpoint/accepted-share.json", "checkpoint/models", ROOT / "proofs", PROVED, MISSING),
    "language": ("language/accepted.json", "language", ROOT / "proofs", PROVED, MISSING),
    "cover": ("cover/accepted.json", "cover", ROOT / "proofs", PROVED, MISSING),
    "vectors": ("costs/rank-03-margin-8.json", "costs", ROOT / "proofs", PROVED, MISSING),
}


class Absent(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "certificates").mkdir()
        (self.folder / "empty").mkdir()
        (self.folder / "file").write_text("no folder\n")

    def made(self, kind):
        """(the certificate, alone in its folder; its models; its claims)."""
        name, models, claims, *_ = KINDS[kind]
        path = self.folder / "certificates" / f"{kind}.json"
        beside = ROOT / "examples" if kind == "vectors" else REJECT
        shutil.copy(beside / name, path)
        return path, models and beside / models, claims

    def ends(self, path, options, expected):
        """Exit code and verdict of each checker."""
        for checker in ([f"{PROGRAM}/sinkproof-check"], [sys.executable, ROOT / "tools" / "recheck"]):
            out = subprocess.run([*checker, "--format", "json", *options, path], capture_output=True, text=True, cwd=self.folder)
            with self.subTest(checker=str(checker[-1]), said=out.stdout + out.stderr):
                (item,) = json.loads(out.stdout)["files"]
                self.assertEqual((out.returncode, item["verdict"]), expected)

    def test_every_kind(self):
        for kind, (*_, whole, without) in KINDS.items():
            path, models, claims = self.made(kind)
            with_models = ["--models", models] if models else []
            for expected, options in (
                    (whole, [*with_models, "--claims", claims]),
                    *((MISSING, [*with_models, "--claims", self.folder / name]) for name in ("empty", "none", "file")),
                    *((without, ["--models", self.folder / name, "--claims", claims]) for name in ("empty", "none", "file")),
                    (without, ["--claims", claims])):
                with self.subTest(kind=kind, options=options):
                    self.ends(path, options, expected)

    def test_models_beside_a_certificate(self):
        path, models, claims = self.made("checkpoint")
        for model in models.iterdir():
            shutil.copy(model, path.parent)
        for options in ([], *(["--models", self.folder / name] for name in ("empty", "none", "file"))):
            self.ends(path, [*options, "--claims", claims], PROVED)

    def test_certificates(self):
        for name in ("none.json", "empty", "file/none.json"):
            self.ends(self.folder / name, [], MISSING)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
