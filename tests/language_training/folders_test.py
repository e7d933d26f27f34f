"""What `train-lm` stores of a model in each format: `audit` reads it as reference.py does, with the loss of the trainer.

usage: folders_test.py BIN_DIR PROGRAM SOURCE_DIR
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from formats import FORMATS, PAPER

BIN, PROGRAM, SOURCE = map(Path, sys.argv[1:4])
sys.path.insert(0, str(SOURCE / "tests" / "language"))
import reference  # noqa: E402

# transformers reads each of these with a default of its own where it is not there.
KEYS = {"gpt2": ("n_inner", "n_positions", "activation_function", "layer_norm_epsilon"),
        "llama": ("head_dim", "num_key_value_heads", "rms_norm_eps", "hidden_act", "rope_theta", "rope_parameters", "attention_bias",
                  "mlp_bias", "max_position_embeddings", "intermediate_size"),
        "mistral": ("head_dim", "num_key_value_heads", "rms_norm_eps", "hidden_act", "rope_theta", "rope_parameters", "sliding_window",
                    "max_position_embeddings", "intermediate_size"),
        "gpt_neox": ("rotary_pct", "rotary_emb_base", "rope_parameters", "use_parallel_residual", "attention_bias", "layer_norm_eps",
                     "hidden_act", "max_position_embeddings", "intermediate_size"),
        "opt": ("do_layer_norm_before", "enable_bias", "word_embed_proj_dim", "layer_norm_elementwise_affine", "_remove_final_layer_norm",
                "activation_function", "max_position_embeddings", "ffn_dim")}
ALWAYS = ("vocab_size", "tie_word_embeddings", "torch_dtype", "bos_token_id", "eos_token_id", "pad_token_id", "architectures")


def read_safetensors(path):
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(raw[start + at["data_offsets"][0]:start + at["data_offsets"][1]], "<f4").reshape(at["shape"]).astype(float)
            for name, at in header.items()}


class Folders(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sinkproof-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def store(self, settings):
        subprocess.run([PROGRAM, self.folder, *(f"{key.replace('_', '-')}={value}" for key, value in settings.items())], check=True)
        return json.loads((self.folder / "config.json").read_text())

    def audit(self, *arguments):
        return subprocess.run([BIN / "sinkproof", "audit", self.folder, *map(str, arguments)], capture_output=True, text=True)

    def test_audit_reads_each(self):
        for model_type, settings in FORMATS:
            if model_type == "sinkproof_decoder":
                continue
            with self.subTest(settings):
                config = self.store(settings)
                self.assertEqual(config["model_type"], model_type)
                for key in (*KEYS[model_type], *ALWAYS):
                    self.assertIn(key, config)
                weights, step = (read_safetensors(self.folder / f"{name}.safetensors") for name in ("model", "step"))
                tokens = step["tokens"].astype(int)
                (self.folder / "ids.json").write_text(json.dumps(tokens[:, :-1].tolist()))
                done = self.audit("--tokens", self.folder / "ids.json", "--save-logits", self.folder / "logits.npy", "--loss", "--format", "json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                traces = [reference.run(weights, config, row[:-1]) for row in tokens]
                expected = np.array([trace.logits for trace in traces])
                found = np.load(self.folder / "logits.npy").reshape(expected.shape)
                self.assertLess(np.abs(found - expected).max(), 1e-10 * np.abs(expected).max())
                losses = [reference.loss(trace, row[:-1]) for trace, row in zip(traces, tokens)]
                self.assertLess(np.abs(np.array(json.loads(done.stdout)["estimates"]["loss"], float) - losses).max(), 1e-9)
                shifted = np.take_along_axis(found, tokens[:, 1:, None], 2)[..., 0]
                loss = np.mean(np.log(np.exp(found).sum(-1)) - shifted)
                self.assertAlmostEqual(loss, step["loss"][0], delta=1e-6 * loss)

    def test_what_no_architecture_computes_is_refused(self):
        """With what the nearest one would compute."""
        for changed, nearest in (({"positions": "relative"}, "llama with --positions rotary"), ({"positions": "none"}, "llama with --positions rotary"),
                                 ({"attention": "softmax-key-bias"}, "llama with --attention softmax"), ({"norm": "layer"}, "llama with --norm rms"),
                                 ({"attention": "softmax-null", "slot_value": "even-4"}, "llama with --slot-value 0"),
                                 ({"attention": "sigmoid", "window": 5}, "llama with --window 0"), ({"prefix": 3}, "llama with --prefix 0"),
                                 ({"mlp": "relu", "prefix": 3, "norm": "layer"}, "gpt_neox with --prefix 0")):
            with self.subTest(changed):
                self.assertEqual(self.store(PAPER | changed)["sinkproof_nearest"], nearest)
                done = self.audit("--random", 1, "--length", 5)
                self.assertEqual(done.returncode, 2)
                self.assertIn("SP2001", done.stderr)
                self.assertIn(f'(nearest: "{nearest}")', done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
