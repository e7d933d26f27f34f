"""An experiment's command as a user runs it: one run into a folder that no test changes.

usage of the tests: NAME_test.py BIN_DIR SOURCE_DIR
"""
import shutil
import tempfile
import unittest
from pathlib import Path

from program import run


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
