"""sinkproof certify on stacks as a user runs it: the construction without sinks over the whole box, PyTorch's
stacks, and what is asked wrongly. Both checkers decide what was written.

usage: stack_test.py BIN_DIR SOURCE_DIR
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN = Path(sys.argv[1])
SOURCE = Path(sys.argv[2])
NO_SINK = SOURCE / "examples" / "stacks" / "no-sink.safetensors"
TRAINED = SOURCE / "tests" / "checkpoints" / "pytorch-2l2h-{}.safetensors"


def certify(model, *arguments):
    result = subprocess.run([str(BIN / "sinkproof"), "certify", str(model), "--quiet", *map(str, arguments)],
                            capture_output=True, text=True, cwd=SOURCE, timeout=600)
    return result.returncode, result.stdout, result.stderr


def checked(certificate, model):
    """The exit codes of both checkers."""
    first = subprocess.run([str(BIN / "sinkproof-check"), "--models", str(model.parent), str(certificate)],
                           capture_output=True, text=True, timeout=600)
    second = subprocess.run([sys.executable, str(SOURCE / "tools" / "recheck.py"), "--models", str(model.parent),
                             "--claims", str(SOURCE / "proofs"), str(certificate)], capture_output=True, text=True,
                            timeout=1200)
    return first.returncode, second.returncode, first.stdout + second.stdout


class Stacks(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.output = Path(self.temporary.name) / "cert.json"

    def accepted(self, model):
        first, second, said = checked(self.output, model)
        self.assertEqual((first, second), (0, 0), said)

    def test_the_construction_has_no_loss_and_no_sink_anywhere_in_the_box(self):
        code, out, err = certify(NO_SINK, "--require", "sup-loss<=0.0001", "--require", "bos-attention<=0.51", "-o",
                                 self.output, "--format", "json")
        self.assertEqual(code, 0, err)
        properties = {entry["name"]: entry for entry in json.loads(out)["properties"]}
        loss = properties["sup-loss"]
        self.assertGreater(float(loss["lower"]), 4.8e-6)
        self.assertLess(float(loss["upper"]), 1.0001 * float(loss["lower"]))
        self.assertLess(float(properties["bos-ceiling.trigger"]["upper"]), 0.50001)
        self.accepted(NO_SINK)

    def test_a_tighter_threshold_is_refuted_by_an_input(self):
        code, out, _ = certify(NO_SINK, "--require", "sup-loss.trigger<=0.000004", "--format", "json")
        self.assertEqual(code, 1)
        found = [entry for entry in json.loads(out)["properties"] if entry["name"] == "sup-loss.trigger"]
        self.assertEqual(found[0]["verdict"], "refuted")
        self.assertEqual(found[0]["witness"]["trigger"], 16)

    def test_a_trained_stack_at_one_trigger_position_and_one_head(self):
        model = Path(str(TRAINED).format("relu"))
        code, out, err = certify(model, "--trigger", "3", "--layer", "1", "--head", "0", "--property",
                                 "sup-loss.trigger", "--property", "bos-ceiling.post", "--seconds", "3", "-o",
                                 self.output, "--format", "json")
        self.assertEqual(code, 0, err)
        entries = {entry["name"]: entry for entry in json.loads(out)["properties"]}
        self.assertEqual(entries["sup-loss.trigger"]["scope"]["trigger"], [3, 3])
        self.assertEqual((entries["bos-ceiling.post"]["layer"], entries["bos-ceiling.post"]["head"]), (1, 0))
        for entry in entries.values():
            self.assertLessEqual(float(entry["lower"]), float(entry["upper"]))
        self.assertGreater(float(entries["sup-loss.trigger"]["lower"]), 0.04)
        self.assertLess(float(entries["sup-loss.trigger"]["upper"]), 0.6)
        self.accepted(model)

    def test_what_the_model_has_not_is_said(self):
        for arguments, words in ((("--trigger", "2"), "3..16"), (("--trigger", "5..4"), "3..16"),
                                 (("--trigger", "x"), "such as 3..5"), (("--layer", "0"), "said together"),
                                 (("--layer", "2", "--head", "0"), "2 layer(s) of 2 head(s)")):
            code, _, err = certify(NO_SINK, *arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("SP1410", err)
            self.assertIn(words, err)

    def test_committed_certificates_hold(self):
        for certificate, model in ((SOURCE / "examples/stacks/no-sink.json", NO_SINK),):
            first, second, said = checked(certificate, model)
            self.assertEqual((first, second), (0, 0), said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
