"""What tests of the programs share: NAME_test.py BIN_DIR SOURCE_DIR [Class.test]"""
import json
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, SOURCE = (Path(name).resolve() for name in sys.argv[1:3])
del sys.argv[1:3]
RECHECK = SOURCE / "tools" / "recheck"
PROGRESS = re.compile(r"^[^\n]* \(\d+ %[^)\n]*\)\n", re.MULTILINE)  # of what takes over two seconds


def run(*arguments, program="sinkproof", **options):
    """Status, stdout, and stderr without the lines of progress, which depend on the machine's load."""
    command = [sys.executable, RECHECK] if program == "recheck" else [BIN / program]
    done = subprocess.run([*command, *map(str, arguments)], **{
        "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": SOURCE, "timeout": 600, **options})
    return done.returncode, done.stdout, PROGRESS.sub("", done.stderr)


def read_safetensors(path):
    """The header, and the bytes of the tensors."""
    raw = Path(path).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    return json.loads(raw[8:8 + size]), raw[8 + size:]


def write_safetensors(path, header, data):
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_tensors(path, tensors, metadata=None, dtype="F64"):
    """{name: (shape, flat list of numbers)}, in F32 or F64."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (shape, values) in tensors.items():
        raw = struct.pack(f"<{len(values)}{'fd'[dtype == 'F64']}", *values)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    write_safetensors(path, header, data)


def read_tensors(path):
    """(metadata, {name: (shape, numbers)}) of tensors in F32 or F64."""
    header, data = read_safetensors(path)
    metadata, tensors = header.pop("__metadata__", {}), {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        size, letter = {"F64": (8, "d"), "F32": (4, "f")}[entry["dtype"]]
        tensors[name] = entry["shape"], list(struct.unpack(f"<{(end - begin) // size}{letter}", data[begin:end]))
    return metadata, tensors


class Case(unittest.TestCase):
    """With a folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="sinkproof-test-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()

    def path(self, name):
        return self.folder / name

    def both(self, *arguments):
        """The exit code that both checkers give."""
        first, second = (run(*arguments, program=program) for program in ("sinkproof-check", "recheck"))
        self.assertEqual(first[0], second[0], first + second)
        return first[0]
