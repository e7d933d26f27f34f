"""`sinkproof measure DIR` on tiny random checkpoints of every architecture, against reference.py and, where PyTorch is
installed, PyTorch's own modules; and on folders that are not what they should be.

usage: measure_test.py BIN_DIR [Class.test]
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import reference
import tiny

BIN = Path(sys.argv.pop(1))
TOLERANCE = 1e-10
LENGTH = 9
POSITION = 2
EPSILON = 0.25
EVICT, RENUMBERED = (1, 3, False), (2, 3, True)
ABLATE = ((1, 1),)
TOGETHER = ((0, 0), (1, 1))

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 32}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
FULL, SLIDING = "full_attention", "sliding_attention"
GPT_OSS = {"n": 12, "heads": 4, "groups": 2, "width": 6, "bias": True, "sinks": True, "rms_norm_eps": 1e-5,
           "sliding_window": 4, "layer_types": [SLIDING, FULL], "rope_theta": 100.0,
           "rope_scaling": {**YARN, "beta_fast": 8.0, "beta_slow": 0.5, "truncate": False}}

# name: (config and weights, dtype, shards)
CASES = {
    "gpt2": (tiny.gpt2(1), "F32", 1),
    "gpt2, own head, prefix": (tiny.gpt2(2, prefix="transformer.", tied=False), "F64", 1),
    "llama, grouped keys": (tiny.llama(3), "F16", 1),
    "llama, no prefix, tied": (tiny.llama(4, prefix="", tied=True), "F32", 1),
    "llama, llama3": (tiny.llama(5, n=32, heads=4, rope_scaling=LLAMA3, layers=3, rope_theta=100.0), "BF16", 3),
    "llama, linear": (tiny.llama(6, n=24, rope_scaling={"type": "linear", "factor": 2.5}), "F32", 2),
    "llama, yarn": (tiny.llama(7, n=32, heads=2, groups=1, rope_scaling=YARN, rope_theta=100.0), "F64", 1),
    "llama, yarn, factor": (tiny.llama(8, n=32, heads=2, groups=2,
                                       rope_scaling={**YARN, "attention_factor": 1.5, "beta_fast": 4}), "F64", 1),
    # Ramps that end before they begin: transformers divides by the negative difference.
    "llama, yarn, turned round above": (tiny.llama(7, n=32, heads=2, groups=1, rope_theta=2.0, rope_scaling={
        **YARN, "original_max_position_embeddings": 1 << 20}, max_position_embeddings=1 << 22), "F64", 1),
    "llama, yarn, turned round below": (tiny.llama(7, n=32, heads=2, groups=1, rope_scaling={
        **YARN, "original_max_position_embeddings": 1, "truncate": False}, max_position_embeddings=4), "F64", 1),
    "mistral, window": (tiny.llama(9, "mistral", groups=1, sliding_window=4, layers=3), "BF16", 1),
    "mistral, window null": (tiny.llama(10, "mistral", sliding_window=None), "F32", 1),
    "gpt_neox, parallel": (tiny.gpt_neox(11, True, 0.25), "F16", 1),
    "gpt_neox, one after the other": (tiny.gpt_neox(12, False, 0.5), "F32", 1),
    "gpt_neox, no attention biases": (tiny.gpt_neox(25, True, 1, attention_bias=False, rotary_emb_base=500,
                                                    rope_theta=500), "F32", 1),
    "llama, biases": (tiny.llama(26, attention_bias=True, mlp_bias=True), "F32", 1),
    "llama, base of 10^12": (tiny.llama(27, rope_theta=1e12), "F64", 1),
    "llama, both rotary keys": (tiny.llama(28, rope_scaling={"type": "linear", "factor": 2.5}, rope_parameters={
        "rope_type": "linear", "factor": 2.5, "rope_theta": 10000}), "F32", 1),
    "qwen3, biases": (tiny.llama(29, "qwen3", width=8, head_norms=True, attention_bias=True), "F32", 1),
    "opt": (tiny.opt(13), "F16", 1),
    "opt, norms after": (tiny.opt(30, do_layer_norm_before=False, _remove_final_layer_norm=False), "F32", 1),
    "opt, norms after, projected": (tiny.opt(31, do_layer_norm_before=False, word_embed_proj_dim=6), "F32", 1),
    "opt, projected": (tiny.opt(32, word_embed_proj_dim=6), "F64", 1),
    "opt, no final norm": (tiny.opt(33, _remove_final_layer_norm=True), "F32", 1),
    "opt, norms without weights": (tiny.opt(34, layer_norm_elementwise_affine=False, enable_bias=False), "F32", 1),
    "qwen2, windows": (tiny.llama(14, "qwen2", bias=True, use_sliding_window=True, sliding_window=3,
                                  max_window_layers=1), "BF16", 1),
    "qwen2, windows everywhere": (tiny.llama(24, "qwen2", bias=True, use_sliding_window=True, sliding_window=5,
                                             max_window_layers=0), "F32", 1),
    "qwen3": (tiny.llama(15, "qwen3", width=8, head_norms=True, use_sliding_window=False, sliding_window=3), "F32", 1),
    "gpt_oss, attention alone": (tiny.llama(16, "gpt_oss", mlp=False, **GPT_OSS), "BF16", 2),
    "gpt_oss, dense": (tiny.llama(17, "gpt_oss", **GPT_OSS), "F64", 1),
    "bert": (tiny.bert(18), "F32", 1),
    "bert, old names": (tiny.bert(35, old=True), "F32", 1),
    "bert, no prefix": (tiny.bert(19, prefix=""), "F16", 1),
    **{f"gpt2, {kind}": (tiny.gpt2(40 + number, kind=kind), "F64", 1) for number, kind in enumerate(
        ("sigmoid-normalised", "elu1-normalised", "softmax-null", "softmax-sink", "softmax-gated", "relu", "sigmoid",
         "elu1", "linear"))},
    **{f"llama, {kind}": (tiny.llama(50 + number, sinkproof_attention=kind), "F64", 1) for number, kind in enumerate(
        ("sigmoid", "softmax-sink", "softmax-gated"))},
}


def run(*arguments):
    result = subprocess.run([str(BIN / "sinkproof"), "audit", *map(str, arguments)], capture_output=True, text=True,
                            timeout=60, env={**os.environ, "NO_COLOR": "1"})
    return result.returncode, result.stdout, result.stderr


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def write(self, name):
        (config, weights), dtype, shards = CASES[name]
        return config, tiny.write(self.root / "model", config, weights, dtype, shards)

    def tokens(self, ids):
        path = self.root / "ids.json"
        path.write_text(json.dumps(ids))
        return path

    def measured(self, *arguments):
        code, out, err = run(self.root / "model", "--format", "json", *arguments)
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def near(self, what, found, expected):
        """Within the tolerance, absolutely and of what is expected; one shape."""
        found, expected = np.array(found, float), np.array(expected, float)
        self.assertEqual(found.shape, expected.shape, what)
        far = np.abs(found - expected) - TOLERANCE * (1 + np.abs(expected))
        self.assertLessEqual(far.max(), 0, what)


def drawn(seed, vocabulary, length=LENGTH):
    return [int(i) for i in np.random.default_rng(seed).integers(0, vocabulary, length)]


def vocabulary(weights):
    return len(next(value for name, value in weights.items()
                    if name.endswith(("wte.weight", "embed_tokens.weight", "embed_in.weight", "word_embeddings.weight"))))


class Reference(Folders):
    """Attention, logits, every readout and every intervention, of two sequences."""

    def check(self, name):
        config, weights = self.write(name)
        sequences = [drawn(seed, vocabulary(weights)) for seed in (1, 2)]
        traces = [reference.run(weights, config, ids) for ids in sequences]
        arguments = ["--tokens", self.tokens(sequences), "--save-attention", self.root / "A.npy", "--position", POSITION,
                     "--epsilon", EPSILON, "--evict", "1,3", "--evict", "2,3,renumbered", "--ablate", "1,1",
                     "--ablate", "1,1+0,0"]
        if traces[0].logits is not None:
            arguments += ["--save-logits", self.root / "logits.npy"]
        answer = self.measured(*arguments)
        self.near("attention", np.load(self.root / "A.npy"), [trace.A for trace in traces])
        if traces[0].logits is not None:
            self.near("logits", np.load(self.root / "logits.npy"), [trace.logits for trace in traces])
        self.check_readouts(answer, traces)
        changed = {"evict 1,3": {"evict": EVICT}, "evict 2,3,renumbered": {"evict": RENUMBERED},
                   "ablate 1,1": {"ablate": ABLATE}, "ablate 1,1+0,0": {"ablate": TOGETHER}}
        for intervention, asked in changed.items():
            after = [reference.run(weights, config, ids, **asked) for ids in sequences]
            curves = [reference.moved(*both) for both in zip(traces, after)]
            self.near(intervention, answer["estimates"]["moved"][intervention], curves)
            if traces[0].logits is not None:
                self.near("loss", answer["estimates"]["intervention-loss"][intervention],
                          [reference.loss(trace, ids) for trace, ids in zip(after, sequences)])
            self.assertGreater(min(map(max, curves)), 1e-3, f"{intervention} moves nothing: nothing is tested")
        return answer

    def check_readouts(self, answer, traces):
        estimates = dict(answer["estimates"])
        estimates.pop("moved")
        estimates.pop("intervention-loss", None)
        found = estimates.pop("loss", None)
        if traces[0].logits is not None:
            self.near("loss", found, [reference.loss(trace, ids) for trace, ids in zip(traces, answer["sequences"])])
        expected = [reference.readouts(trace, POSITION) for trace in traces]
        for share, figure in (("sink-share", "alpha"), ("value-sink-share", "value-alpha")):
            figures = np.array([one[figure] for one in expected])
            self.assertEqual(estimates.pop(share), (figures > EPSILON).mean())
        self.assertEqual(set(estimates), set(expected[0]))
        for name, found in estimates.items():
            self.near(name, found, [one[name] for one in expected])


def add_case(name):
    def test(self):
        answer = self.check(name)
        self.assertEqual(answer["architecture"], CASES[name][0][0]["model_type"])

    setattr(Reference, "test_" + name.replace(", ", "_").replace(" ", "_").replace("-", "_"), test)


for case in CASES:
    add_case(case)


class Inputs(Folders):
    def test_ids_of_numpy_are_those_of_json(self):
        _, weights = self.write("gpt2")
        ids = drawn(3, vocabulary(weights))
        expected = self.measured("--tokens", self.tokens(ids))["estimates"]
        for dtype in ("<i8", "<i4", "<u2", "i1"):
            for array in (np.array(ids, dtype), np.array([ids], dtype)):
                np.save(self.root / "ids.npy", array)
                self.assertEqual(self.measured("--tokens", self.root / "ids.npy")["estimates"], expected)

    def test_random_ids_are_philox(self):
        """The generator as its paper has it (numpy's Philox is another word order and size: written out here)."""
        def philox(counter, key):
            counter, key = list(counter), list(key)
            for _ in range(10):
                first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
                counter = [second >> 32 ^ counter[1] ^ key[0], second & 0xFFFFFFFF,
                           first >> 32 ^ counter[3] ^ key[1], first & 0xFFFFFFFF]
                key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
            return counter

        _, weights = self.write("gpt2")
        seed, size = 2**33 + 7, vocabulary(weights)
        answer = self.measured("--random", 3, "--seed", seed, "--length", 7)
        expected = []
        for s in range(3):
            words = [philox((t, s, 0, 0), (seed % 2**32, seed >> 32)) for t in range(4)]
            expected.append([(words[i // 2][i % 2 * 2] + (words[i // 2][i % 2 * 2 + 1] << 32)) * size >> 64
                             for i in range(7)])
        self.assertEqual(answer["sequences"], expected)
        self.assertEqual([len(ids) for ids in self.measured("--random", 1, "--length", 12)["sequences"]], [12])

    def test_sequences_of_several_lengths(self):
        config, weights = self.write("mistral, window")
        sequences = [drawn(4, vocabulary(weights), size) for size in (3, 8, 1)]
        found = self.measured("--tokens", self.tokens(sequences), "--evict", "1,1,renumbered")["estimates"]
        for number, ids in enumerate(sequences):  # of these 3 tokens the last alone is renumbered
            plain, changed = (reference.run(weights, config, ids, evict=evict) for evict in (None, (1, 1, True)))
            self.near("moved", found["moved"]["evict 1,1,renumbered"][number], reference.moved(plain, changed))
        for number in (0, 1, 2):  # of one token there are no others and no pairs: 0
            expected = reference.readouts(reference.run(weights, config, sequences[number]), 1)
            for name, figure in expected.items():
                self.near(name, found[name][number], figure)

    def test_many_rows_in_several_passes(self):
        """Batches of a pass change nothing."""
        _, weights = self.write("gpt_neox, parallel")
        whole = self.measured("--random", 300, "--length", 16, "--evict", "1,4")
        for number in (0, 150, 299):
            alone = self.measured("--tokens", self.tokens(whole["sequences"][number]), "--evict", "1,4")
            self.near("alpha", whole["estimates"]["alpha"][number], alone["estimates"]["alpha"][0])
            self.near("moved", whole["estimates"]["moved"]["evict 1,4"][number],
                      alone["estimates"]["moved"]["evict 1,4"][0])

    def test_one_sequence_has_no_axis_of_sequences(self):
        self.write("gpt2")
        self.measured("--random", 1, "--length", 5, "--save-attention", self.root / "A.npy", "--save-logits",
                      self.root / "logits.npy")
        self.assertEqual(np.load(self.root / "A.npy").shape, (2, 3, 5, 5))
        self.assertEqual(np.load(self.root / "logits.npy").shape, (5, 23))

    def test_text_has_the_figures_of_json(self):
        self.write("gpt2")
        arguments = ("--random", 2, "--length", 6, "--epsilon", "0.2", "--evict", "1,2", "--ablate", "0,1")
        answer = self.measured(*arguments)["estimates"]
        code, out, err = run(self.root / "model", *arguments)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("; estimates (float64)", out)
        alpha = np.mean(answer["alpha"], 0)
        row = " 1" + "".join(f" {a:6.3f}{'*' if a > 0.2 else ' '}" for a in alpha[1])
        self.assertIn(row, out)
        self.assertIn(f"sink share of position 1, alpha > 1/5: {answer['sink-share']:.4f}", out)
        curve = np.max(answer["moved"]["evict 1,2"], 0)
        for of, most in zip(("layer-0 input", "layer-1 input", "output", "one logit"), curve, strict=True):
            self.assertIn(f"{of} {most:.4g}", out)
        at = np.mean([np.array(one)[0, :, 0] for one in answer["key-norm"]])
        self.assertIn(f"{at:.4g}", out)


class PyTorch(Folders):
    """The same figures from PyTorch's own modules."""

    def setUp(self):
        super().setUp()
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        self.torch = torch
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(1)

    def module(self, made, **values):
        made.load_state_dict({name: self.torch.tensor(np.ascontiguousarray(value)) for name, value in values.items()})
        return made

    def norm(self, p, name, n, epsilon):
        return self.module(self.torch.nn.LayerNorm(n, epsilon), weight=p[name + ".weight"], bias=p[name + ".bias"])

    def attention(self, n, heads, weight, bias, out_weight, out_bias):
        return self.module(self.torch.nn.MultiheadAttention(n, heads, batch_first=True), in_proj_weight=weight,
                           in_proj_bias=bias, **{"out_proj.weight": out_weight, "out_proj.bias": out_bias})

    def attend(self, attention, x, mask=None):
        y, weights = attention(x[None], x[None], x[None], attn_mask=mask, average_attn_weights=False)
        return y[0], weights[0].detach().numpy()

    def compare(self, x, weights):
        self.near("attention", np.load(self.root / "A.npy"), weights)
        self.near("output", np.linalg.norm(x.detach().numpy(), axis=1), self.estimates["hidden-norm"][0][-1])

    def measure(self, ids, *arguments):
        self.estimates = self.measured("--tokens", self.tokens(ids), "--save-attention", self.root / "A.npy",
                                       *arguments)["estimates"]

    def test_gpt2(self):
        torch, (config, w) = self.torch, self.write("gpt2")
        ids, n = drawn(5, vocabulary(w)), 12
        self.measure(ids, "--save-logits", self.root / "logits.npy")
        x = torch.tensor(w["wte.weight"][ids] + w["wpe.weight"][:len(ids)])
        mask, maps = torch.ones(len(ids), len(ids)).triu(1).bool(), []
        for l in range(config["n_layer"]):
            p = {name[4:]: value for name, value in w.items() if name.startswith(f"h.{l}.")}
            attention = self.attention(n, 3, p["attn.c_attn.weight"].T, p["attn.c_attn.bias"],
                                       p["attn.c_proj.weight"].T, p["attn.c_proj.bias"])
            y, weights = self.attend(attention, self.norm(p, "ln_1", n, 1e-5)(x), mask)
            maps.append(weights)
            x = x + y
            inner = self.module(torch.nn.Linear(n, 4 * n), weight=p["mlp.c_fc.weight"].T, bias=p["mlp.c_fc.bias"])
            outer = self.module(torch.nn.Linear(4 * n, n), weight=p["mlp.c_proj.weight"].T, bias=p["mlp.c_proj.bias"])
            x = x + outer(torch.nn.functional.gelu(inner(self.norm(p, "ln_2", n, 1e-5)(x)), approximate="tanh"))
        self.compare(x, maps)
        logits = self.norm(w, "ln_f", n, 1e-5)(x) @ torch.tensor(w["wte.weight"]).T
        self.near("logits", np.load(self.root / "logits.npy"), logits.detach().numpy())

    def test_bert(self):
        torch, (config, w) = self.torch, self.write("bert")
        ids, n, e = drawn(6, vocabulary(w)), 12, "bert.embeddings."
        self.measure(ids)
        x = torch.tensor(w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][:len(ids)]
                         + w[e + "token_type_embeddings.weight"][0])
        x, maps = self.norm(w, e + "LayerNorm", n, 1e-12)(x), []
        for l in range(config["num_hidden_layers"]):
            start = f"bert.encoder.layer.{l}."
            p = {name[len(start):]: value for name, value in w.items() if name.startswith(start)}
            weight, bias = (np.concatenate([p[f"attention.self.{name}.{part}"] for name in ("query", "key", "value")])
                            for part in ("weight", "bias"))
            attention = self.attention(n, 3, weight, bias, p["attention.output.dense.weight"],
                                       p["attention.output.dense.bias"])
            y, weights = self.attend(attention, x)
            maps.append(weights)
            x = self.norm(p, "attention.output.LayerNorm", n, 1e-12)(x + y)
            inner = self.module(torch.nn.Linear(n, 40), weight=p["intermediate.dense.weight"],
                                bias=p["intermediate.dense.bias"])
            outer = self.module(torch.nn.Linear(40, n), weight=p["output.dense.weight"], bias=p["output.dense.bias"])
            x = self.norm(p, "output.LayerNorm", n, 1e-12)(x + outer(torch.nn.functional.gelu(inner(x))))
        self.compare(x, maps)


class Refused(Folders):
    """Coded errors, exit code 2, nothing on stdout, nothing written."""

    def refused(self, code, *arguments, words=""):
        before = {path: path.stat().st_size for path in self.root.rglob("*")}
        got, out, err = run(self.root / "model", *arguments, "--save-attention", self.root / "A.npy", "--save-logits",
                            self.root / "logits.npy")
        self.assertEqual((got, out), (2, ""), err)
        self.assertIn(f"error {code}  ", err)
        self.assertIn(words, err)
        self.assertEqual({path: path.stat().st_size for path in self.root.rglob("*")}, before)

    def weights_file(self):
        return self.root / "model" / "model.safetensors"

    def rewrite_header(self, change):
        raw = self.weights_file().read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        header = json.loads(raw[8:8 + size])
        change(header)
        text = json.dumps(header).encode()
        self.weights_file().write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + size:])

    def config_with(self, **changes):
        path = self.root / "model" / "config.json"
        config = json.loads(path.read_text())
        config.update(changes)
        path.write_text(json.dumps({key: value for key, value in config.items() if value != "absent"}))

    def test_longer_than_the_model_is_made_for(self):
        self.write("llama, linear")
        self.config_with(max_position_embeddings=6)
        for length in (6, 7):
            arguments = (self.root / "model", "--random", 1, "--length", length)
            found = json.loads(run(*arguments, "--format", "json")[1])
            remarks = found.get("remarks", "")
            self.assertEqual(re.findall(r"[a-z]+_[a-z_]+|[0-9]+", remarks), ["7", "max_position_embeddings", "6"] if length == 7 else [])
            self.assertIn(remarks, run(*arguments)[1])

    def test_configs(self):
        self.write("gpt2")
        path = self.root / "model" / "config.json"
        good = path.read_text()
        for code, changes, words in (
                ("SP2001", {"model_type": "mamba"}, "model_type"), ("SP2002", {"model_type": "absent"}, "model_type"),
                ("SP2002", {"n_embd": 10**30}, "n_embd"), ("SP2002", {"n_embd": 10**18}, "n_embd"), ("SP2002", {"n_embd": -1}, "n_embd"),
                ("SP2002", {"n_layer": 10**6}, "n_layer"), ("SP2002", {"n_head": 5}, "n_head"),
                ("SP2002", {"n_head": "absent"}, "n_head"), ("SP2002", {"layer_norm_epsilon": 0}, "layer_norm_epsilon"),
                ("SP2002", {"activation_function": "mish"}, "activation_function"),
                ("SP2003", {"n_layer": 3}, "h.2."), ("SP2003", {"n_layer": 1}, "h.1."),
                ("SP2003", {"n_embd": 24}, "wte"), ("SP2002", {"scale_attn_weights": False}, "scale_attn_weights")):
            self.config_with(**changes)
            self.refused(code, "--random", 1, words=words)
            path.write_text(good)
        for text in ("[1]", "{", "{\"model_type\": \"gpt2\", \"model_type\": \"opt\"}", "[" * 10000):
            path.write_text(text)
            code, out, err = run(self.root / "model", "--random", 1)
            self.assertEqual((code, out), (2, ""), err)

    def test_a_header_that_claims_ten_gigabytes(self):
        self.write("gpt2")
        raw = self.weights_file().read_bytes()
        self.weights_file().write_bytes(struct.pack("<Q", 10 * 2**30) + raw[8:])
        self.refused("SP0401", "--random", 1)

    def test_a_tensor_that_claims_ten_gigabytes(self):
        self.write("gpt2")

        def change(header):
            header["wte.weight"].update(shape=[2**28, 12], data_offsets=[0, 2**28 * 48])
        self.rewrite_header(change)
        self.refused("SP0403", "--random", 1)

    def test_overlapping_tensors(self):
        self.write("gpt2")

        def change(header):
            header["wpe.weight"]["data_offsets"] = [n - 4 for n in header["wpe.weight"]["data_offsets"]]
        self.rewrite_header(change)
        self.refused("SP0403", "--random", 1)

    def test_a_truncated_file_and_a_truncated_shard(self):
        self.write("gpt2")
        self.weights_file().write_bytes(self.weights_file().read_bytes()[:-5])
        self.refused("SP0403", "--random", 1)

    def test_shards(self):
        self.write("llama, linear")
        index = self.root / "model" / "model.safetensors.index.json"
        good = json.loads(index.read_text())
        name = next(iter(good["weight_map"]))
        secret = self.root / "outside.safetensors"
        secret.write_bytes((self.root / "model" / good["weight_map"][name]).read_bytes())
        for shard in ("../outside.safetensors", str(secret), "config.json", "", 7, "absent.safetensors"):
            index.write_text(json.dumps({"weight_map": {**good["weight_map"], name: shard}}))
            self.refused("SP0201" if shard == "absent.safetensors" else "SP2005", "--random", 1)
        index.write_text(json.dumps({"weight_map": {**good["weight_map"], "more": good["weight_map"][name]}}))
        self.refused("SP2005", "--random", 1, words="more")
        index.write_text(json.dumps(good))
        shard = self.root / "model" / good["weight_map"][name]
        shard.write_bytes(shard.read_bytes()[:-3])
        self.refused("SP0403", "--random", 1)

    def test_weights_that_are_not_finite(self):
        for value in (np.nan, np.inf):
            for name, dtype in (("wte.weight", "F32"), ("h.1.mlp.c_fc.weight", "F16"), ("h.0.attn.c_attn.bias", "BF16"),
                                ("ln_f.weight", "F64")):
                config, weights = tiny.gpt2(1)
                weights[name].flat[7] = value
                if name == "wte.weight":
                    weights[name][:, 3] = value
                folder = self.root / "model"
                if folder.exists():
                    for path in folder.iterdir():
                        path.unlink()
                    folder.rmdir()
                tiny.write(folder, config, weights, dtype)
                self.refused("SP0405", "--random", 1, "--length", 4)

    def test_a_pass_that_overflows(self):
        config, weights = tiny.gpt2(1)
        weights["h.0.mlp.c_proj.weight"] = weights["h.0.mlp.c_proj.weight"] * 1e307
        tiny.write(self.root / "model", config, weights, "F64")
        self.refused("SP2105", "--random", 1, "--length", 4, words="layer 1")

    def test_folders_without_a_model(self):
        (self.root / "model").mkdir()
        self.refused("SP2004", "--random", 1)

    def test_experts_and_what_is_not_read(self):
        config, weights = CASES["gpt_oss, dense"][0]
        weights = tiny.Weights(0) | weights
        weights["model.layers.0.mlp.experts.gate_up_proj"] = np.zeros((2, 12, 8))
        tiny.write(self.root / "model", config, weights)
        self.refused("SP2003", "--random", 1, words="experts")

    def test_ids(self):
        self.write("gpt2")
        path = self.root / "ids.json"
        for code, text in (("SP2101", "[1, 23]"), ("SP2101", "[-1]"), ("SP2101", "[[1], [2, 18446744073709551615]]"),
                           ("SP2103", "{}"), ("SP2103", "[1, \"2\"]"), ("SP2103", "[[1], 2]"), ("SP2103", "[[[1]]]"),
                           ("SP0301", "[1.5]"), ("SP0301", "[1"), ("SP2102", "[]"), ("SP2102", "[[1], []]"),
                           ("SP2102", json.dumps([0] * 41)), ("SP2107", "[[1], [1, 2]]")):
            path.write_text(text)
            self.refused(code, "--tokens", path)
        self.refused("SP0201", "--tokens", self.root / "none.json")

    def test_arrays(self):
        self.write("gpt2")
        path = self.root / "ids.npy"
        for array in (np.zeros((2, 2, 2), int), np.zeros(3), np.zeros(3, ">i4"), np.asfortranarray(np.ones((2, 3), int)),
                      np.array(3), np.zeros(0, int), np.array([True])):
            np.save(path, array)
            self.refused("SP2104", "--tokens", path)
        np.save(path, np.arange(6))
        good = path.read_bytes()
        for bad in (good[:-1], good + b"\0", good[:9], good[:60], good.replace(b"(6,)", b"(7,)"),
                    good.replace(b"(6,), }", b"(99999999999,99999999999),}"[:7]), good.replace(b"\x01\x00", b"\x03\x00", 1),
                    good.replace(b"(6,)", b"(-6)"), b"\x93NUMPY"):
            path.write_bytes(bad)
            self.refused("SP2104", "--tokens", path)
        for dtype in ("i8", "<i4", "<i2", "i1"):
            np.save(path, np.array([0, -1], dtype))
            self.refused("SP2101", "--tokens", path, words="negative")

    def test_a_shape_beyond_the_address_space(self):
        self.write("gpt2")
        text = b"{'descr': '<i8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }".ljust(117) + b"\n"
        (self.root / "ids.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
        self.refused("SP2104", "--tokens", self.root / "ids.npy")

    def test_options(self):
        self.write("gpt2")
        ids = self.tokens([1, 2, 3])
        for code, arguments in (
                ("SP1508", []), ("SP1508", ["--random", 1, "--tokens", ids]), ("SP2106", ["--tokens", ids, "--length", 2, "--position", 3]),
                ("SP1509", ["--random", 1, "--epsilon", "x"]), ("SP2106", ["--tokens", ids, "--position", 4]),
                ("SP2106", ["--tokens", ids, "--ablate", "2,0"]),
                ("SP2106", ["--tokens", ids, "--ablate", "0,3"]), ("SP1509", ["--tokens", ids, "--ablate", "0"]),
                ("SP1509", ["--tokens", ids, "--ablate", "0,1+"]), ("SP1509", ["--tokens", ids, "--ablate", "0,1+1,0+0,1"]),
                ("SP2106", ["--tokens", ids, "--ablate", "0,1+2,0"]),
                ("SP1509", ["--tokens", ids, "--evict", "1"]), ("SP1509", ["--tokens", ids, "--evict", "1,0"]),
                ("SP1509", ["--tokens", ids, "--evict", "1,2,moved"]), ("SP1509", ["--tokens", ids, "--evict", "-1,2"])):
            self.refused(code, *arguments)

    def test_readouts_beyond_memory(self):
        """Little weight, many heads and layers, many tokens: bounded before it is spent."""
        config, weights = tiny.llama(1, n=2, heads=1024, groups=1024, width=2, layers=40, tokens=3, mlp=False, sinks=True)
        config["model_type"] = "gpt_oss"  # attention alone
        config |= {"sliding_window": None, "rope_scaling": {"rope_type": "default"}, "attention_bias": False}
        tiny.write(self.root / "model", config, weights, "F16")
        self.refused("SP2108", "--tokens", self.tokens([0] * 8192), words="figures")
        self.refused("SP2108", "--random", 1, "--length", 1024, words="saved attention")

    def test_an_encoder_has_no_logits(self):
        self.write("bert")
        self.refused("SP1508", "--random", 1, "--length", 4, words="encoder")

    def test_a_file_is_no_folder(self):
        self.write("gpt2")
        code, out, err = run(self.weights_file(), "--random", 1, "--evict", "1,2")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("SP2004", err)

    def test_an_empty_folder_is_no_model(self):
        (self.root / "model").mkdir()
        done = subprocess.run([BIN / "sinkproof", "measure", self.root / "model", "--random", "1"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("SP1508", done.stderr)
        self.assertIn("empty", done.stderr)

    def test_a_former_name(self):
        self.write("gpt2")
        asked = [self.root / "model", "--random", "1", "--length", "4", "--format", "json"]
        now, former = (subprocess.run([BIN / "sinkproof", name, *asked], capture_output=True, text=True) for name in ("audit", "measure"))
        self.assertEqual((now.returncode, now.stdout), (0, former.stdout))

    def test_what_cannot_be_written(self):
        self.write("gpt2")
        code, out, err = run(self.root / "model", "--random", 1, "--length", 4, "--save-attention",
                             self.root / "absent" / "A.npy")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("SP0203", err)


if __name__ == "__main__":
    unittest.main()
