"""An installation of the build tree in a folder of its own, for the tests beside this file.

usage of each: NAME_test.py BUILD_DIR SOURCE_DIR CMAKE
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv[1])
SOURCE = Path(sys.argv[2])
CMAKE = sys.argv[3]


def run(*command, cwd, expect=0, **options):
    """stdout of a command that must exit with `expect`; without the source tree's locale or language."""
    result = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=300,
                            env={**os.environ, "LC_ALL": "C.UTF-8"}, **options)
    if result.returncode != expect:
        raise AssertionError(f"{command} exited with {result.returncode}, not {expect}:\n{result.stdout}{result.stderr}")
    return result.stdout


class Folder(unittest.TestCase):
    """An empty working directory for every test: nothing of the source tree is near."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        self.addCleanup(shutil.rmtree, self.folder)


class Installed(Folder):
    """One installation for a class of tests, below another prefix than the configured one."""

    @classmethod
    def setUpClass(cls):
        cls.prefix = Path(tempfile.mkdtemp(prefix="sinkproof-prefix-"))
        cls.addClassCleanup(shutil.rmtree, cls.prefix)
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix, cwd=cls.prefix)
        cls.share = cls.prefix / "share" / "sinkproof"

    def program(self, name):
        return self.prefix / "bin" / name


def main():
    del sys.argv[1:]
    unittest.main(verbosity=2)
