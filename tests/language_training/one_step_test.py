"""Loss and gradient of one step against PyTorch's autograd, on the model folder others read, by
examples/language_model.py. Skipped (77) where there is no PyTorch.

usage: one_step_test.py PROGRAM SOURCE_DIR
"""
import json
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
from formats import FORMATS  # noqa: E402
from language_model import Decoder, read_safetensors  # noqa: E402

KINDS = ("softmax", "sigmoid", "sigmoid-normalised", "elu1", "elu1-normalised", "linear", "linear-normalised", "elu1-kernel", "elu1-kernel-normalised",
         "mlp-kernel", "mlp-kernel-normalised", "relu-mean", "softmax-null", "softmax-sink", "softmax-key-bias", "softmax-key-value-bias",
         "softmax-shared-key-bias", "softmax-shared-key-value-bias", "softmax-value-bias", "softmax-gated")


MASKS = ({}, {"window": 5}, {"bos": "true", "prefix": 7})



class OneStep(unittest.TestCase):
    def compared(self, **settings):
        keys = [f"{key.replace('_', '-')}={value}" for key, value in settings.items()]
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as folder, self.subTest(keys):
            subprocess.run([str(PROGRAM), folder, *keys], check=True)
            model, step = Decoder(folder), read_safetensors(Path(folder) / "step.safetensors")
            model.weights = {name: tensor.double().requires_grad_() for name, tensor in model.weights.items()}
            tokens = step.pop("tokens").long()
            loss = model.loss(tokens)
            loss.backward()
            self.assertAlmostEqual(loss.item(), step.pop("loss").item(), delta=1e-6 * loss.item())
            width = model.config["width"]
            for name, ours in step.items():
                if name in model.weights:
                    theirs = model.weights[name].grad
                else:  # of the values alone
                    theirs = model.weights[name.replace("value_bias", "c_attn.bias")].grad[2 * width:]
                if name.endswith("attn.c_proj.weight"):  # the folder has it scaled
                    theirs = theirs * float(settings.get("scale", 1))
                largest = theirs.abs().max().item()
                self.assertGreater(largest, 0, name)
                self.assertLess((ours - theirs).abs().max().item(), 3e-5 * largest, name)
            self.model, self.model_type = model, json.loads((Path(folder) / "config.json").read_text())["model_type"]
            return set(step)

    def test_every_kind_and_mask(self):
        for kind in KINDS:
            for mask in MASKS:
                self.assertIn("h.1.attn.c_attn.weight", self.compared(attention=kind, **mask))

    def test_fixed_values_of_slots(self):
        for kind in ("softmax-null", "softmax-sink", "softmax-key-bias"):
            for value, row in (("first-1.5", [1.5] + [0] * 15), ("even-4", [1] * 16)):  # of a head, of width 16
                self.assertNotIn("h.1.attn.bias_v", self.compared(attention=kind, slot_value=value))
                self.assertEqual(self.model.weights["h.1.attn.bias_v"].tolist(), 3 * row)

    def test_few_learned_coordinates_of_keys(self):
        for kind, floats in (("softmax-key-bias", 9), ("softmax-shared-key-value-bias", 3)):  # of 3 heads
            self.assertIn("h.1.attn.bias_k", self.compared(attention=kind, slot_dims=3))
            self.assertEqual(self.model.weights["h.1.attn.bias_k"].shape, (floats,))

    def test_scaled_weights(self):
        for kind in ("softmax", "softmax-gated", "sigmoid"):
            self.compared(attention=kind, scale=0.3)
        self.compared(scale=0.3, positions="rotary", mlp="swiglu", norm="rms")

    def test_every_kind_of_positions(self):
        for positions in ("none", "absolute", "relative", "alibi", "rotary"):
            for kind, mask in (("softmax", MASKS[2]), ("softmax-key-value-bias", MASKS[1]), ("sigmoid", MASKS[0])):
                names = self.compared(attention=kind, positions=positions, **mask)
                self.assertNotIn("wpe.weight", names)
                self.assertEqual("relative_attention_bias.weight" in names, positions == "relative")

    def test_norms(self):
        for norm in ("layer", "rms"):
            for place in ("pre", "post"):
                for kind in ("softmax", "softmax-gated"):
                    names = self.compared(norm=norm, norm_place=place, attention=kind)
                    self.assertEqual("h.1.ln_2.bias" in names, norm == "layer")
                    self.assertEqual("ln_f.weight" in names, place == "pre")

    def test_every_feed_forward_layer(self):
        for mlp in ("relu", "silu", "swiglu", "geglu", "reglu"):
            self.assertIn("h.1.mlp.c_fc.weight", self.compared(mlp=mlp))

    def test_every_format(self):
        for model_type, settings in FORMATS:
            self.compared(**settings)
            self.assertEqual(self.model_type, model_type, settings)

    def test_as_a_program(self):
        with tempfile.TemporaryDirectory(prefix="sinkproof-test-") as folder:
            subprocess.run([str(PROGRAM), folder, "positions=rotary", "norm=rms", "mlp=swiglu", "bos=true"], check=True)
            said = subprocess.run([sys.executable, SOURCE / "examples" / "language_model.py", folder, SOURCE / "LICENSE"], check=True,
                                  capture_output=True, text=True).stdout
            self.assertRegex(said, r"^100 sequences, \d+\.\d{4} nats a byte(.*\n)+  layer 2: \d\.\d\d \d\.\d\d \d\.\d\d\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
