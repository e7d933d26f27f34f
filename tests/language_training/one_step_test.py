"""Loss and gradient of one step against PyTorch's autograd, on the model folder others read, by
examples/language_model.py. Skipped (77) where there is no PyTorch.

usage: one_step_test.py PROGRAM SOURCE_DIR
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import torch
except ImportError:
    sys.exit(77)

PROGRAM, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "examples"))
from language_model import Decoder, read_safetensors  # noqa: E402

KINDS = ("softmax", "sigmoid", "sigmoid-normalised", "elu1", "elu1-normalised", "linear", "relu-mean", "softmax-null", "softmax-sink", "softmax-key-bias", "softmax-key-value-bias",
         "softmax-value-bias", "softmax-gated")


class OneStep(unittest.TestCase):
    def compared(self, kind, mask, positions="learned", mlp="gelu"):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as folder:
            subprocess.run([str(PROGRAM), folder, kind, mask, positions, mlp], check=True)
            model, step = Decoder(folder), read_safetensors(Path(folder) / "step.safetensors")
        model.weights = {name: tensor.double().requires_grad_() for name, tensor in model.weights.items()}
        tokens = step.pop("tokens").long()
        loss = model.loss(tokens)
        loss.backward()
        self.assertAlmostEqual(loss.item(), step.pop("loss").item(), delta=1e-6 * loss.item())
        width = model.config["n_embd"]
        for name, ours in step.items():
            if name.endswith("value_bias"):
                theirs = model.weights[name.replace("value_bias", "c_attn.bias")].grad[2 * width:]
            else:
                theirs = model.weights[name].grad
            largest = theirs.abs().max().item()
            self.assertGreater(largest, 0, name)
            self.assertLess((ours - theirs).abs().max().item(), 3e-5 * largest, name)
        return set(step)

    def test_every_kind_and_mask(self):
        for kind in KINDS:
            for mask in ("all", "window", "prefix"):
                with self.subTest(kind=kind, mask=mask):
                    names = self.compared(kind, mask)
                    self.assertIn("h.1.attn.c_attn.weight", names)

    def test_every_kind_of_positions(self):
        for positions in ("none", "absolute", "relative", "alibi", "rotary"):
            for kind, mask in (("softmax", "prefix"), ("softmax-key-value-bias", "window"), ("sigmoid", "all")):
                with self.subTest(positions=positions, kind=kind):
                    names = self.compared(kind, mask, positions)
                    self.assertNotIn("wpe.weight", names)
                    self.assertEqual("relative_attention_bias.weight" in names, positions == "relative")

    def test_every_feed_forward_layer(self):
        for mlp in ("relu", "swiglu"):
            with self.subTest(mlp=mlp):
                self.assertIn("h.1.mlp.c_fc.weight", self.compared("softmax", "all", mlp=mlp))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
