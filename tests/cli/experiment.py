"""An experiment's command as a user runs it: one run into a folder that no test changes.

usage of the tests: NAME_test.py BIN_DIR SOURCE_DIR
"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import progress

BIN = Path(sys.argv[1])
SOURCE = Path(sys.argv[2])


def run(*arguments, program="sinkproof"):
    """Status, stdout, and stderr without the lines of progress, which depend on the machine's load."""
    result = subprocess.run([str(BIN / program), *map(str, arguments)], capture_output=True, text=True,
                            cwd=SOURCE, timeout=200)
    return result.returncode, result.stdout, progress.without(result.stderr)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Experiment(unittest.TestCase):
    """`first`: what the run of VERB with OPTIONS said; `files`: what it left in `folder`/out."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.first = run(cls.VERB, "-o", cls.folder / "out", *cls.OPTIONS, "--format", "json")
        cls.files = contents(cls.folder / "out")

    def copy(self):
        folder = self.folder / self.id().rsplit(".", 1)[1]
        shutil.copytree(self.folder / "out", folder)
        return folder
