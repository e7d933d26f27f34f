"""Each command on each kind of file: one that it reads is accepted, any other is refused with the exit code and the error
code of the table, names the path, and suggests the line that reads such a file. Each suggested line is run.

usage: other_kind_test.py BIN_DIR SOURCE_DIR
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, SOURCE = (Path(name).resolve() for name in sys.argv[1:3])
del sys.argv[1:3]
WORKED = (0, 1, 3)  # done, refuted, or undecided

# What is at each path, and how the line begins that reads it. None: no command reads it as it is.
KINDS = {
    "hf": "sinkproof audit hf ",
    "model.safetensors": "sinkproof certify model.safetensors ",
    "rows.safetensors": "sinkproof measure rows.safetensors",
    "rows.npy": None,
    "theory.json": "sinkproof check theory.json",
    "checkpoint.json": "sinkproof check checkpoint.json",
    "vectors.json": "sinkproof check vectors.json",
    "language.json": "sinkproof check language.json",
    "proofs/co-1": "sinkproof explain co-1 --proofs proofs",
    "folder": None,
    "empty": None,
    "missing": None,
}
# The outcome of a command for each kind, in that order: an exit code, and the code of the error where it is refused.
# "*" after it: the file is of the right kind, but more has to be said of it, so nothing else reads it.
COMMANDS = {
    "certify {} --property bos-floor.pre":
        "2 SP1111 | 0 | 2 SP1111 | 2 SP1110 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP1903 | 2 SP1903 | 2 SP0401 | 2 SP0201",
    "check {} --models .":
        "2 SP0201 | 4 SP0301 | 4 SP0301 | 4 SP0301 | 3 | 0 | 0 | 0 | 2 SP0201 | 2 SP0201 | 4 SP0301 | 2 SP0201",
    "report {} --models . -o page.html":
        "2 SP0201 | 4 SP0301 | 4 SP0301 | 4 SP0301 | 3 | 0 | 0 | 0 | 2 SP0201 | 2 SP0201 | 4 SP0301 | 2 SP0201",
    "audit {} --random 1 --length 8":
        "0 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004 | 2 SP2004",
    "audit {}":
        "2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508 | 2 SP1508",
    "sink-share {} --random 1 --length 8":
        "2 SP0201 | 0 | 2 SP1111 | 2 SP1110 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP0201 | 2 SP0201 | 2 SP0401 | 2 SP0201",
    "measure {}":
        "2 SP1508 | 2 SP1501 * | 0 | 2 SP1110 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP1508 | 2 SP1508 | 2 SP0401 | 2 SP0201",
    "cost {}":
        "2 SP0201 | 2 SP1501 * | 2 SP1610 * | 2 SP1110 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP0201 | 2 SP0201 | 2 SP0401 | 2 SP0201",
    "convert {} -o converted.safetensors":
        "2 SP1112 | 2 SP1113 * | 2 SP1112 | 2 SP1110 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP0401 | 2 SP1115 | 2 SP1115 | 2 SP0401 | 2 SP0201",
    "prove {}":
        " | ".join(["2 SP0607"] * 12),
    "explain {}":
        " | ".join(["2 SP0607"] * 12),
    "gate {}":
        "2 SP1719 | 2 SP1701 | 2 SP1701 | 2 SP1701 | 2 SP1701 | 2 SP1701 | 2 SP1701 | 2 SP1701 | 2 SP1719 | 2 SP1719 | 2 SP1703 | 2 SP1719",
    "merge {}":
        " | ".join(["2 SP1904"] * 12),
}


def npy(rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    values = [value for row in rows for value in row]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}d", *values)


class OtherKind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="sinkproof-other-kind-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
        cls.ran = {}
        copies = {"tests/checkpoints/softmax-d8-l8.safetensors": "model.safetensors", "certificates/co-1.json": "theory.json",
                  "examples/costs/rank-03.safetensors": "rows.safetensors", "examples/costs/rank-03-margin-8.json": "vectors.json"}
        for source, name in copies.items():
            shutil.copy(SOURCE / source, cls.folder / name)
        for name in ("co-1", "theory", "checkpoint", "vectors", "language"):
            shutil.copytree(SOURCE / "proofs" / name, cls.folder / "proofs" / name)
        (cls.folder / "certificates").mkdir()
        shutil.copy(SOURCE / "certificates/co-1.json", cls.folder / "certificates/co-1.json")
        (cls.folder / "rows.npy").write_bytes(npy([[1, 2], [3, 4], [5, 7]]))
        (cls.folder / "folder").mkdir()
        (cls.folder / "empty").touch()
        for line in (f"sinkproof train-lm {SOURCE}/docs/THEORY.md --width 32 --layers 2 --heads 2 --length 32 --steps 2 -o lm --quiet",
                     "mv lm/base hf && sinkproof audit hf --random 1 --length 8 --rigorous -o language.json --quiet",
                     "sinkproof certify model.safetensors --property bos-floor.pre -o checkpoint.json --quiet"):
            made = cls.shell(line)
            if made.returncode != 0:
                raise RuntimeError(f"{line}: {made.stderr}")

    @classmethod
    def shell(cls, line):
        return subprocess.run(["bash", "-c", line], cwd=cls.folder, env=cls.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600)

    def worked(self, line):
        if line not in self.ran:
            self.ran[line] = self.shell(line)
        done = self.ran[line]
        self.assertIn(done.returncode, WORKED, f"{line}\n{done.stdout}{done.stderr}")

    def test_each_command_on_each_kind(self):
        for command, outcomes in COMMANDS.items():
            for (path, reader), outcome in zip(KINDS.items(), outcomes.split(" | "), strict=True):
                line = f"sinkproof {command.format(path)}"
                with self.subTest(line):
                    code, *error = outcome.split()
                    done = self.shell(line)
                    said = done.stdout + done.stderr
                    self.assertEqual(done.returncode, int(code), said)
                    if not error:  # accepted; 3: solvers and Coq are not run again
                        continue
                    self.assertIn(error[0], said)
                    self.assertIn(path, said)
                    suggested = re.findall(r"`(sinkproof [^`]*)`|^    (sinkproof .*)$", said, re.M)
                    suggested = [first or second for first, second in suggested]
                    for each in suggested:
                        self.worked(each)
                    if reader and "*" not in error:
                        self.assertTrue(any(each.startswith(reader) for each in suggested), said)

    def test_a_folder_of_folders_of_models(self):
        shutil.copytree(self.folder / "hf", self.folder / "models" / "one")
        (self.folder / "models" / "notes").mkdir()
        (line,) = re.findall(r"`(sinkproof [^`]*)`", self.shell("sinkproof audit models --random 1").stderr)
        self.assertTrue(line.startswith("sinkproof audit models/one "), line)
        self.worked(line)

    def test_a_missing_file_is_not_described(self):
        self.assertNotIn("It is", self.shell("sinkproof certify missing").stderr)

    def test_paths_that_a_shell_would_read(self):
        """What is suggested is quoted: a name with a space, a quote or a command in it stays one word."""
        for name in ("a b.safetensors", "it's.safetensors", "$(touch made).safetensors"):
            with self.subTest(name):
                shutil.copy(self.folder / "model.safetensors", self.folder / name)
                quoted = "'" + name.replace("'", "'\\''") + "'"
                said = self.shell(f"sinkproof check {quoted}").stderr
                (line,) = re.findall(r"`(sinkproof [^`]*)`", said)
                self.worked(line)
                self.assertFalse((self.folder / "made").exists())


if __name__ == "__main__":
    unittest.main()
