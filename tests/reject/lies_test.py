#!/usr/bin/env python3
"""Both checkers on every lie: python3 tests/reject/lies_test.py FOLDER-OF-SINKPROOF-CHECK

sinkproof-check must give the code in the row, recheck the reason in it, both the same exit code; and both accept what
a row starts from.
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import lies

PROGRAM = ""
LEAST = 912
EXITS = {"proved": 0, "statistical": 0, "bounded": 3, "holey": 3}
sys.path.insert(0, str(lies.ROOT / "tools"))
import recheck.check
WORDS = ("smt", "coq", "statistical")


def exit_of(row):
    return EXITS[row["verdict"]] if "verdict" in row else row.get("exit", 4)


def second(path, words=WORDS):
    """(exit code, what the second checker says), taking these kinds of word."""
    return recheck.check.check_file(str(path), types.SimpleNamespace(models=None, claims=None, accept=set(words)))


def outcomes(paths, exit_code, words=WORDS):
    """{path: what the first checker says}; all of them together have this exit code."""
    command = [os.path.join(PROGRAM, "sinkproof-check"), "--format", "json", *(f"--accept={word}" for word in words)]
    out = subprocess.run(command + list(map(str, paths)), capture_output=True, text=True, timeout=600, cwd=tempfile.gettempdir())
    files = json.loads(out.stdout)["files"]
    assert [item["file"] for item in files] == list(map(str, paths)), out.stderr
    assert out.returncode == exit_code, out.returncode
    return dict(zip(paths, files))


class Lies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.temporary.name)
        cls.bases, cls.rows = {}, []
        for table, name, base, row in lies.rows():
            if (table, name) not in cls.bases:
                cls.bases[table, name] = base, base.write(folder / table / name)
            cls.rows.append((table, row, lies.lie(base, row).write(folder / table / lies.title(row))))
        cls.first = outcomes([path for _, path in cls.bases.values()], 0)
        for exit_code in {exit_of(row) for _, row, _ in cls.rows}:
            cls.first |= outcomes([path for _, row, path in cls.rows if exit_of(row) == exit_code], exit_code)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def accepted(self, path, row):
        first, (ended, again) = self.first[path], second(path)
        for item in (first, again):
            found = tuple(item[key] for key in ("verdict", "evidence"))
            self.assertEqual(found, (row["verdict"], row["evidence"]), item["reason"])
        self.assertEqual((first["code"], ended), ("", exit_of(row)), first["reason"])
        self.assertIn(row.get("says", ""), first["reason"])

    def rejected(self, path, row):
        first, (ended, again) = self.first[path], second(path)
        self.assertEqual((first["code"], first["verdict"]), (row["code"], "rejected" if exit_of(row) == 4 else "unknown"), first["reason"])
        self.assertIn(row.get("says", ""), first["reason"])
        self.assertEqual(ended, exit_of(row), again["reason"])
        self.assertIn(row["recheck"], again["reason"])

    def test_what_they_start_from_is_accepted(self):
        for name, (base, path) in self.bases.items():
            with self.subTest(name):
                self.accepted(path, {"verdict": base.verdict, "evidence": base.evidence})

    def test_nobody_s_word_is_taken_unasked(self):
        for (name, (base, path)), words in itertools.product(self.bases.items(), ((), ("smt",), ("coq",), ("statistical",))):
            lacking = {*base.evidence.split("+"), base.verdict} - {"exact", "proved", *words}
            with self.subTest(name, words=words):
                first = outcomes([path], 3 if lacking else 0, words)[path]
                ended, again = second(path, words)
                self.assertEqual((first["verdict"], ended), (base.verdict if "statistical" in lacking else "unknown", 3) if lacking else (base.verdict, 0))
                for word, item in itertools.product(lacking - {"statistical"}, (first, again)):  # a verdict of that name says it
                    self.assertIn(word, item["reason"])

    def test_every_row(self):
        for table, row, path in self.rows:
            with self.subTest(f"{table}: {lies.title(row)}"):
                (self.accepted if "verdict" in row else self.rejected)(path, row)

    def test_there_are_no_fewer(self):
        self.assertEqual(len({path for _, _, path in self.rows}), len(self.rows))  # no two of one name
        self.assertGreaterEqual(sum("code" in row for _, row, _ in self.rows), LEAST)

    def test_a_change_that_changes_nothing_is_no_row(self):
        (theory, _), (checkpoint, _) = self.bases["theory", "toy-1"], self.bases["checkpoint", "softmax"]
        for base, row in ((theory, {}), (theory, {"set": {"/format": 1}}), (theory, {"bytes": [['"format":1', '"format":1']]}),
                          (theory, {"set": {"square.identity.json#/statement/scope": "all"}}),
                          (checkpoint, {"set": {"softmax.safetensors#/__metadata__/residual": "false"}})):
            with self.subTest(row), self.assertRaisesRegex(AssertionError, "changes nothing"):
                lies.lie(base, {"name": "nothing", **row})


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
