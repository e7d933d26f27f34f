#!/usr/bin/env python3
"""What `certify` says of stacks both checkers accept: python3 tests/recheck/certified_test.py FOLDER-OF-PROGRAMS

The checkers round in different ways, so that a producer leaves room (MOMENT_RULES.md).
"""
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import stack_sample

SOURCE = Path(__file__).resolve().parents[2]
PROGRAMS = Path()
KINDS = ("softmax", "relu", "sigmoid", "elu1", "linear")


def scaled(stack, name, factor):
    """With the last layer's matrix and bias times a factor."""
    start = f"layers.{stack.layers - 1}.{name}"
    stack.tensors[start + ".weight"] = [[factor * x for x in row] for row in stack.tensors[start + ".weight"]]
    stack.tensors[start + ".bias"] = [factor * x for x in stack.tensors[start + ".bias"]]
    return stack


class Certified(unittest.TestCase):
    def test_stacks(self):
        by_moments = 0
        for kind in KINDS:
            for factor, residual in ((1, True), (0, False)):  # as drawn; nothing is put out, so that bounds are near 0
                with self.subTest(kind=kind, factor=factor), tempfile.TemporaryDirectory(prefix="sinkproof-test-") as name:
                    stack = stack_sample.Stack(kind, residual=residual, width=4, size=Fraction(1, 2), seed=3)
                    by_moments += self.accepted(scaled(stack, "W_O", factor), Path(name)).count('"moments"')
        self.assertGreater(by_moments, 5)

    def accepted(self, stack, folder):
        (folder / "stack.safetensors").write_bytes(stack.file())
        command = [PROGRAMS / "sinkproof", "certify", folder / "stack.safetensors", "--length", "5", "--seconds", "20", "--scale", str(stack.scale),
                   "--attention", stack.attention, "--num-heads", str(stack.heads), "--num-layers", str(stack.layers),
                   "--residual", str(stack.residual).lower(), "-o", folder / "stack.json", "--quiet"]
        made = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        for checker in ([PROGRAMS / "sinkproof-check"], [sys.executable, SOURCE / "tools" / "recheck"]):
            checked = subprocess.run([*checker, "--models", folder, folder / "stack.json"], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        return (folder / "stack.json").read_text()


if __name__ == "__main__":
    PROGRAMS = Path(sys.argv.pop(1)).resolve()
    unittest.main()
