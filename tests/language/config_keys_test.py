"""config.json as programs publish it: every key is computed with, changes nothing or is refused with its name, by
`sinkproof measure DIR` and by both checkers alike.

What a key means is what transformers 5.0 does with it: biases and norms that a key takes away, rope_scaling beside
rope_parameters, window and mask keys. Figures are compared with reference.py in measure_test.py; here it is that of a
folder either the same figures come out as of the bare config.json, or none.

usage: config_keys_test.py BIN_DIR SOURCE_DIR [Class.test]
"""
import copy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import tiny

BIN, SOURCE = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
GONE = object()
FULL, SLIDING = "full_attention", "sliding_attention"
YARN = {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
        "original_max_position_embeddings": 4096}
LONG = {"rope_scaling": YARN, "max_position_embeddings": 32 * 4096}

# A model of each architecture, whose config.json has hardly more than what it must have.
MODELS = {
    "gpt2": tiny.gpt2(1), "llama": tiny.llama(2), "llama tied": tiny.llama(3, tied=True),
    "llama biased": tiny.llama(4, attention_bias=True, mlp_bias=True), "mistral": tiny.llama(5, "mistral", sliding_window=None),
    "qwen2": tiny.llama(6, "qwen2", bias=True), "qwen2 tied": tiny.llama(6, "qwen2", bias=True, tied=True),
    "qwen3": tiny.llama(7, "qwen3", width=8, head_norms=True),
    "gpt_oss": tiny.llama(8, "gpt_oss", bias=True, sinks=True, mlp=False, sliding_window=4, layer_types=[SLIDING, FULL],
                          **LONG, rms_norm_eps=1e-5),
    "gpt_oss dense": tiny.llama(8, "gpt_oss", bias=True, sinks=True, sliding_window=4, layer_types=[SLIDING, FULL],
                                **LONG),
    "gpt_neox": tiny.gpt_neox(9, True, 0.25), "opt": tiny.opt(10),
    "opt after": tiny.opt(11, do_layer_norm_before=False, word_embed_proj_dim=6),
    "opt plain": tiny.opt(12, enable_bias=False, layer_norm_elementwise_affine=False, activation_function="gelu"),
    "bert": tiny.bert(13), "bert old": tiny.bert(14, old=True)}

GENERATION = {"bos_token_id": 1, "eos_token_id": [2, 3], "pad_token_id": None, "use_cache": True,
              "initializer_range": 0.02, "torch_dtype": "bfloat16", "transformers_version": "4.44.0",
              "_name_or_path": "somewhere/else"}
LLAMA = {**GENERATION, "architectures": ["LlamaForCausalLM"], "attention_dropout": 0.0, "pretraining_tp": 1,
         "rope_scaling": None, "vocab_size": 19}
# What published files have beside the keys above: (model, keys); figures stay what they are without them.
PUBLISHED = {
    "gpt2": ("gpt2", {
        **GENERATION, "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "embd_pdrop": 0.1, "resid_pdrop": 0.1,
        "n_ctx": 40, "n_inner": None, "summary_activation": None, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True, "vocab_size": 23,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}}, "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False, "reorder_and_upcast_attn": False, "gradient_checkpointing": False}),
    "llama 1, converted": ("llama", {**GENERATION, "architectures": ["LLaMAForCausalLM"], "max_sequence_length": 2048,
                                     "pad_token_id": -1, "tie_word_embeddings": False}),
    "small llama": ("llama tied", {**LLAMA, "attention_bias": False, "mlp_bias": False, "is_llama_config": True,
                                   "rope_interleaved": False, "transformers.js_config": {"dtype": "q4"}}),
    "llama 3": ("llama tied", {**LLAMA, "attention_bias": False, "mlp_bias": False, "dtype": "bfloat16",
                               "attn_implementation": "flash_attention_2"}),
    "llama of transformers 5": ("llama", {"rope_theta": GONE, "rope_parameters": {"rope_theta": 10000.0,
                                                                                "rope_type": "default"},
                                          "dtype": "float32", "attention_bias": False, "mlp_bias": False}),
    "llama with biases": ("llama biased", {**LLAMA}),
    "mistral": ("mistral", {**GENERATION, "architectures": ["MistralForCausalLM"], "attention_dropout": 0.0,
                            "vocab_size": 19, "max_position_embeddings": 32768}),
    "qwen2": ("qwen2", {**GENERATION, "architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0,
                        "max_window_layers": 21, "sliding_window": 32768, "use_sliding_window": False,
                        "use_mrope": False, "vocab_size": 19}),
    "qwen2, a reward model": ("qwen2", {"architectures": ["Qwen2ForSequenceClassification"], "rms_norm_eps": GONE,
                                        "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}, "rope_theta": GONE,
                                        "rope_parameters": {"rope_theta": 10000, "rope_type": "default"}}),
    "qwen2 of transformers 5": ("qwen2 tied", {"max_window_layers": 28, "sliding_window": None, "dtype": "bfloat16",
                                               "use_sliding_window": False, "layer_types": [FULL, FULL]}),
    "qwen3": ("qwen3", {**GENERATION, "attention_bias": False, "attention_dropout": 0.0, "max_window_layers": 36,
                        "sliding_window": None, "use_sliding_window": False, "rope_scaling": None}),
    "gpt_oss without experts": ("gpt_oss", {
        **GENERATION, "experts_per_token": 4, "num_experts_per_tok": 4, "num_local_experts": 32, "swiglu_limit": 7.0,
        "initial_context_length": 4096, "output_router_logits": False, "router_aux_loss_coef": 0.9,
        "attention_bias": True, "attention_dropout": 0.0}),
    "pythia": ("gpt_neox", {**GENERATION, "architectures": ["GPTNeoXForCausalLM"], "tie_word_embeddings": False,
                            "vocab_size": 17, "intermediate_size": 64, "hidden_dropout": 0.0,
                            "attention_dropout": 0.0, "classifier_dropout": 0.1}),
    "pythia, later": ("gpt_neox", {"partial_rotary_factor": 0.25, "rope_theta": 10000, "rope_scaling": None,
                                   "attention_bias": True}),
    "opt": ("opt", {**GENERATION, "_remove_final_layer_norm": False, "activation_dropout": 0.0, "dropout": 0.1,
                    "attention_dropout": 0.0, "enable_bias": True, "init_std": 0.02, "layerdrop": 0.0,
                    "layer_norm_elementwise_affine": True, "prefix": "</s>", "word_embed_proj_dim": 12,
                    "vocab_size": 21}),
    "opt, norms after": ("opt after", {"_remove_final_layer_norm": False, "enable_bias": True, "vocab_size": 21}),
    "opt, neither biases nor weights of norms": ("opt plain", {"learned_embeddings": True, "scale_embeddings": False,
                                                               "_remove_final_layer_norm": False}),
    "bert": ("bert old", {**GENERATION, "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1,
                          "classifier_dropout": None, "gradient_checkpointing": False, "hidden_dropout_prob": 0.1,
                          "intermediate_size": 40, "max_position_embeddings": 20, "type_vocab_size": 2,
                          "position_embedding_type": "absolute", "vocab_size": 18}),
    "bert, other languages": ("bert", {"directionality": "bidi", "pooler_fc_size": 768, "pooler_type": "first_token_transform",
                                       "pooler_num_attention_heads": 12, "pooler_num_fc_layers": 3,
                                       "pooler_size_per_head": 128}),
}

# By kind, what is refused: (model, keys, tensors added to the files or GONE, the key that the message names or, where no
# key is about it, the tensor).
REFUSED = {
    "masks": [("qwen2", {"is_causal": False}, {}, "is_causal"), ("gpt2", {"is_causal": False}, {}, "is_causal"),
              ("bert", {"is_decoder": True}, {}, "is_decoder"),
              ("mistral", {"use_bidirectional_attention": True}, {}, "use_bidirectional_attention")],
    "a share of rotary positions": [
        ("llama", {"partial_rotary_factor": 0.5}, {}, "partial_rotary_factor"),
        ("llama", {"rope_parameters": {"partial_rotary_factor": 0.5}}, {}, "rope_parameters.partial_rotary_factor"),
        ("gpt_neox", {"partial_rotary_factor": 0.5}, {}, "partial_rotary_factor"),
        ("gpt_neox", {"rotary_pct": GONE, "rope_parameters": {"partial_rotary_factor": 0.5}}, {},
         "rope_parameters.partial_rotary_factor")],
    "rotary positions by layer type": [
        ("qwen2", {"rope_parameters": {FULL: {"rope_theta": 1000000.0}, SLIDING: {"rope_theta": 10000.0}}}, {},
         "rope_parameters.full_attention"),
        ("llama", {"rope_scaling": {FULL: {"rope_type": "default"}}}, {}, "rope_scaling.full_attention")],
    "rotary keys that contradict each other": [
        ("llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
                   "rope_scaling": {"rope_type": "linear", "factor": 4.0}}, {}, "rope_parameters"),
        ("gpt_oss", {"rope_parameters": {**YARN, "truncate": True}}, {}, "rope_parameters"),
        ("llama", {"rope_parameters": {"rope_theta": 500.0}}, {}, "rope_parameters.rope_theta"),
        ("llama", {"rope_scaling": {"type": "linear", "rope_type": "default", "factor": 2}}, {}, "rope_scaling.type"),
        ("gpt_neox", {"rope_theta": 500}, {}, "rope_theta"),
        ("gpt_oss", {"initial_context_length": 64}, {}, "initial_context_length")],
    "a factor that releases before 5 compute from lengths": [
        ("llama", {**LONG, "max_position_embeddings": 4096}, {}, "max_position_embeddings"),
        ("qwen2", {**LONG, "max_position_embeddings": GONE}, {}, "max_position_embeddings"),
        ("gpt_oss", {"rope_scaling": {**YARN, "factor": 4.0}}, {}, "max_position_embeddings")],
    "rotary keys that are not known": [
        ("llama", {"rope_scaling": {"type": "linear", "factor": 2, "mrope_section": [1, 1]}}, {},
         "rope_scaling.mrope_section"),
        ("llama", {"rope_scaling": {"type": "dynamic", "factor": 2}}, {}, "rope_scaling.type"),
        ("llama", {"original_max_position_embeddings": 64}, {}, "original_max_position_embeddings"),
        ("bert", {"rope_theta": 10000}, {}, "rope_theta")],
    "shares of a head's width that doubles round": [
        ("gpt_neox", {"rotary_pct": 0.4, "hidden_size": 20}, {}, "rotary_pct")],
    "activations that programs compute in two ways": [("gpt2", {"activation_function": "gelu_fast"}, {}, "activation_function")],
    "biases that a key takes away": [
        ("llama", {}, {"model.layers.0.self_attn.q_proj.bias": 16}, "attention_bias"),
        ("llama", {"attention_bias": False}, {"model.layers.1.self_attn.o_proj.bias": 16}, "attention_bias"),
        ("llama", {"mlp_bias": False}, {"model.layers.0.mlp.up_proj.bias": 20}, "mlp_bias"),
        ("qwen3", {"attention_bias": False}, {"model.layers.0.self_attn.v_proj.bias": 16}, "attention_bias"),
        ("gpt_oss", {"attention_bias": False}, {}, "attention_bias"),
        ("gpt_neox", {"attention_bias": False}, {}, "attention_bias"), ("opt", {"enable_bias": False}, {}, "enable_bias"),
        ("opt", {"layer_norm_elementwise_affine": False}, {}, "layer_norm_elementwise_affine")],
    "biases that the architecture does not have": [
        ("mistral", {}, {"model.layers.0.self_attn.q_proj.bias": 16}, "tensor model.layers.0.self_attn.q_proj.bias"),
        ("qwen2", {}, {"model.layers.0.self_attn.o_proj.bias": 16}, "tensor model.layers.0.self_attn.o_proj.bias"),
        ("llama", {}, {"model.norm.bias": 16}, "tensor model.norm.bias"),
        ("gpt2", {}, {"lm_head.bias": 23}, "tensor lm_head.bias"),
        ("mistral", {"attention_bias": True}, {}, "attention_bias")],
    "biases that are missing": [
        ("llama", {"attention_bias": True}, {}, "attention_bias"), ("llama", {"mlp_bias": True}, {}, "mlp_bias"),
        ("qwen2", {}, {"model.layers.1.self_attn.k_proj.bias": GONE}, "tensor model.layers.1.self_attn.k_proj.bias"),
        ("gpt2", {}, {"h.0.mlp.c_fc.bias": GONE}, "tensor h.0.mlp.c_fc.bias"),
        ("opt", {}, {"model.decoder.layers.0.fc1.bias": GONE}, "enable_bias"),
        ("gpt_oss", {}, {"model.layers.0.self_attn.o_proj.bias": GONE}, "attention_bias")],
    "a head beside a tied embedding": [
        ("llama tied", {}, {"lm_head.weight": (19, 16)}, "tie_word_embeddings"),
        ("gpt2", {}, {"lm_head.weight": (23, 12)}, "tie_word_embeddings"),
        ("gpt_neox", {"tie_word_embeddings": True}, {}, "tie_word_embeddings"),
        ("opt", {}, {"lm_head.weight": (21, 12)}, "tie_word_embeddings")],
    "norms": [
        ("opt", {"do_layer_norm_before": False}, {}, "tensor model.decoder.final_layer_norm"),
        ("opt", {"_remove_final_layer_norm": True}, {}, "tensor model.decoder.final_layer_norm"),
        ("opt", {"layer_norm_eps": 0.1}, {}, "layer_norm_eps"),
        ("opt", {"word_embed_proj_dim": 6}, {}, "tensor model.decoder.embed_tokens.weight"),
        ("opt after", {"word_embed_proj_dim": GONE}, {}, "tensor model.decoder.embed_tokens.weight"),
        ("bert", {}, {"bert.embeddings.LayerNorm.gamma": 12}, "tensor bert.embeddings.LayerNorm.gamma")],
    "windows": [
        ("llama", {"sliding_window": 4}, {}, "sliding_window"), ("qwen3", {"layer_types": [FULL, "linear_attention"]}, {}, "layer_types"),
        ("qwen2", {"layer_types": [FULL, SLIDING]}, {}, "layer_types"), ("mistral", {"layer_types": [FULL, FULL]}, {}, "layer_types"),
        ("qwen2", {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 0, "layer_types": [FULL, SLIDING]},
         {}, "layer_types")],
    "sizes": [
        ("llama", {"vocab_size": 20}, {}, "vocab_size"), ("llama", {"intermediate_size": 21}, {}, "intermediate_size"),
        ("gpt2", {"n_positions": 41}, {}, "n_positions"), ("gpt2", {"n_inner": 40}, {}, "n_inner"),
        ("bert", {"type_vocab_size": 3}, {}, "type_vocab_size"), ("opt", {"ffn_dim": 31}, {}, "ffn_dim"),
        ("gpt2", {"hidden_size": 16}, {}, "hidden_size"), ("gpt2", {"num_attention_heads": 4}, {}, "num_attention_heads")],
    "scales": [
        ("llama", {"attention_multiplier": 0.1}, {}, "attention_multiplier"), ("llama", {"embedding_multiplier": 12}, {}, "embedding_multiplier"),
        ("mistral", {"logits_scaling": 8}, {}, "logits_scaling"), ("gpt2", {"scale_attn_weights": False}, {}, "scale_attn_weights"),
        ("gpt2", {"scale_attn_weights": None}, {}, "scale_attn_weights"), ("opt", {"enable_bias": None}, {}, "enable_bias"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, {}, "scale_attn_by_inverse_layer_idx"),
        ("opt", {"scale_embeddings": True}, {}, "scale_embeddings"),
        ("qwen3", {"final_logit_softcapping": 30.0}, {}, "final_logit_softcapping"),
        ("bert", {"position_embedding_type": "relative_key"}, {}, "position_embedding_type"),
        ("bert", {"position_embedding_type": None}, {}, "position_embedding_type")],
    "parts": [
        ("gpt2", {"add_cross_attention": True}, {}, "add_cross_attention"), ("bert", {"is_encoder_decoder": True}, {}, "is_encoder_decoder"),
        ("llama", {"num_local_experts": 8}, {}, "num_local_experts"), ("gpt_oss dense", {"swiglu_limit": 7.0}, {}, "swiglu_limit"),
        ("llama", {"pruned_heads": {"0": [1]}}, {}, "pruned_heads"), ("llama", {"per_layer_config": {"0": {}}}, {}, "per_layer_config"),
        ("qwen2", {"vision_config": {}}, {}, "vision_config"),
        ("llama", {}, {"model.layers.0.self_attn.q_proj.lora_A.weight": (2, 16)}, "tensor model.layers.0.self_attn.q_proj.lora_A.weight"),
        ("gpt2", {}, {"transformer.h.0.ln_1.weight": 12}, "tensor transformer.h.0.ln_1.weight")],
    "quantised": [
        ("gpt2", {"quantization_config": {"bits": 4, "quant_method": "gptq"}}, {}, "quantization_config"),
        ("llama", {"quantization": {"bits": 4}}, {}, "quantization"),
        ("llama", {"compression_config": {}}, {}, "compression_config"),
        ("llama", {}, {"model.layers.0.mlp.up_proj.weight_scale": 1}, "tensor model.layers.0.mlp.up_proj.weight_scale")],
    "code of the model's own": [
        ("llama", {"auto_map": {"AutoModel": "modeling.Model"}}, {}, "auto_map"),
        ("llama", {"attn_implementation": "somebody/kernel"}, {}, "attn_implementation")],
}


def run(program, *arguments):
    result = subprocess.run([*map(str, program), *map(str, arguments)], capture_output=True, text=True, timeout=250,
                            env={**os.environ, "NO_COLOR": "1"})
    return result.returncode, result.stdout, result.stderr


CHECKERS = ([BIN / "sinkproof-check"], [sys.executable, SOURCE / "tools" / "recheck"])


def with_keys(config, keys):
    return {key: value for key, value in {**config, **keys}.items() if value is not GONE}


class Configs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.certificates = self.root / "certificates"
        self.certificates.mkdir()

    def measured(self, folder, *arguments):
        code, out, error = run([BIN / "sinkproof", "audit"], folder, "--random", "1", "--length", "5", "--format",
                               "json", "--quiet", "--claims", SOURCE / "proofs", *arguments)
        if error:
            error = json.loads(error)["error"]
            error = f"{error['code']}  {error['where']}: {error['what']}"
        return code, json.loads(out) if code == 0 else None, error

    def certified(self, name, config, weights, *arguments):
        """(certificate's path, what is printed) of a folder `name`."""
        tiny.write(self.root / "models" / name, config, weights)
        path = self.certificates / f"{name}.json"
        code, found, error = self.measured(self.root / "models" / name, "-o", path, *arguments)
        self.assertEqual(code, 0, f"{name}: {error}")
        return path, found

    def checked(self, *paths):
        """For each checker, what it says of each file: (accepted, line)."""
        for checker in CHECKERS:
            _, out, error = run(checker, "--models", self.root / "models", "--claims", SOURCE / "proofs", *paths)
            lines = [line for line in out.splitlines() if line]
            self.assertEqual(len(lines), len(paths), out + error)
            yield checker, lines

    def rewrite(self, path, change):
        certificate = json.loads(path.read_text())
        change(certificate["model"])
        path.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")

    def state(self, path, folder, **more):
        """Makes a certificate about the model in this folder."""
        self.rewrite(path, lambda of: of.update(more, files={
            file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}))

    def test_the_page_and_both_checkers_have_the_same_neutral_keys(self):
        """CONFIG_KEYS.md, recheck's table and C++'s, key by key."""
        page = (SOURCE / "src/checker/certificate/CONFIG_KEYS.md").read_text().split("| keys that are neutral only")[0]
        rows = [re.findall("`([^`]+)`", line) for line in page.splitlines() if ", of all |" in line]
        of_all = sorted(key for row in rows for key in row)
        sys.path.insert(0, str(SOURCE / "tools"))
        from recheck.language import architectures
        self.assertEqual(of_all, sorted(architectures.NEUTRAL))
        source = (SOURCE / "src/checker/language/architectures/neutral.cpp").read_text()
        table = source.split("kNeutral = {")[1].split("};")[0]
        self.assertEqual(of_all, sorted(re.findall('"([^"]+)"', table)))
        for name in ("gpt2", "gpt_neox", "opt", "bert"):
            [row] = [re.findall("`([^`]+)`", line) for line in page.splitlines() if line.startswith(f"| `{name}` |")]
            self.assertEqual(sorted(row[1:]), sorted(architectures.OWN_NEUTRAL[name]), name)
            config, weights = MODELS[name]
            tiny.write(self.root / name, with_keys(config, dict.fromkeys([*of_all, *row[1:]])), weights)
            self.assertEqual(self.measured(self.root / name)[2], "", name)

    def test_published_keys_change_nothing(self):
        bare, paths = {}, []
        for name, (config, weights) in MODELS.items():
            tiny.write(self.root / "bare" / name, config, weights)
            code, bare[name], error = self.measured(self.root / "bare" / name)
            self.assertEqual(code, 0, f"{name}: {error}")
        for name, (model, keys) in PUBLISHED.items():
            config, weights = MODELS[model]
            path, found = self.certified(name, with_keys(config, keys), weights)
            self.assertEqual(found["estimates"], bare[model]["estimates"], name)
            paths.append(path)
        for checker, lines in self.checked(*paths):
            for name, line in zip(PUBLISHED, lines):
                self.assertIn("proved", line, f"{name} {checker}")

    def test_what_may_change_the_model_is_refused(self):
        good = {}
        for name, (config, weights) in MODELS.items():
            path, _ = self.certified("good " + name, config, weights)
            good[name] = path.read_text()
        for kind, cases in REFUSED.items():
            paths = []
            for number, (model, keys, tensors, named) in enumerate(cases):
                config, weights = copy.deepcopy(MODELS[model])
                for tensor, shape in tensors.items():
                    if shape is GONE:
                        del weights[tensor]
                    else:
                        weights.add(tensor, *(shape if type(shape) is tuple else (shape,)))
                folder = self.root / "models" / f"{kind} {number}"
                tiny.write(folder, with_keys(config, keys), weights)
                word = named if named.startswith("tensor ") else f"key {named}"
                with self.subTest(f"{kind}: {model} {keys} {tensors}"):
                    code, _, error = self.measured(folder)
                    self.assertEqual(code, 2, error)
                    self.assertIn("SP2003" if word == named else "SP2002", error)
                    self.assertIn(word, error)
                paths.append(self.certificates / f"{kind} {number}.json")
                paths[-1].write_text(good[model])
                self.state(paths[-1], folder)
            for checker, lines in self.checked(*paths):
                for (model, keys, tensors, named), line in zip(cases, lines):
                    with self.subTest(f"{kind}: {model} {keys} {tensors} {checker[-1]}"):
                        self.assertIn("rejected", line)
                        self.assertIn(named.removeprefix("tensor ").split(".")[-1], line)

    def test_every_weight_is_finite(self):
        """Also of rows that no token of the sequences has; what is not read may be anything."""
        config, weights = tiny.gpt2(1, tied=False)
        path, _ = self.certified("good", config, weights)
        for name, place in (("wte.weight", (22, 0)), ("wpe.weight", (39, 11)), ("lm_head.weight", (0, 0)),
                            ("h.1.mlp.c_proj.bias", 3), ("h.0.attn.bias", (0, 0, 0, 0))):
            for dtype, value in (("F64", np.nan), ("F32", -np.inf), ("F16", np.inf), ("BF16", np.nan)):
                with self.subTest(f"{name} {dtype} {value}"):
                    changed = copy.deepcopy(weights)
                    changed[name][place] = value
                    folder = self.root / "models" / "bad"
                    shutil.rmtree(folder, ignore_errors=True)
                    tiny.write(folder, config, changed, dtype)
                    read = name == "h.0.attn.bias"
                    code, _, error = self.measured(folder)
                    self.assertEqual(code, 0 if read else 2, error)
                    if not read:
                        self.assertIn(f"tensor {name}: element ", error)
                    worse = self.certificates / "worse.json"
                    worse.write_text(path.read_text())
                    self.state(worse, folder)
                    for checker, [line] in self.checked(worse):
                        self.assertEqual("finite" in line, not read, f"{line} {checker}")

    def test_keys_that_are_assumed_neutral(self):
        config, weights = MODELS["qwen2"]
        keys = {"is_causal": False, "auto_map": {"AutoModel": "x.X"}}
        asked = ("--assume-neutral", "is_causal", "--assume-neutral", "auto_map")
        bare, _ = self.certified("bare", config, weights)
        path, found = self.certified("assumed", with_keys(config, keys), weights, *asked)
        self.assertEqual(found["assumed_neutral"], ["auto_map", "is_causal"])
        certificate, other = (json.loads(of.read_text()) for of in (path, bare))
        self.assertEqual(certificate["model"]["assumed_neutral"], ["auto_map", "is_causal"])
        self.assertNotIn("assumed_neutral", other["model"])
        self.assertEqual(certificate["statements"], other["statements"])
        words = "assumes that keys auto_map, is_causal of config.json change nothing"
        for checker, (line, plain) in self.checked(path, bare):
            self.assertIn("proved", line)
            self.assertIn(words, line)
            self.assertNotIn("assume", plain)
        code, out, error = run([BIN / "sinkproof", "audit"], self.root / "models" / "assumed", "--random", "1",
                               "--length", "5", *asked)
        self.assertEqual((code, error), (0, ""))
        self.assertIn(words, out)
        page = self.root / "page.html"
        code, out, error = run([BIN / "sinkproof", "report"], path, "--models", self.root / "models", "--claims",
                               SOURCE / "proofs", "-o", page)
        self.assertEqual(code, 0, error)
        self.assertEqual(page.read_text().count(words), 3)  # in the overview, beside the verdict and with the figures
        for changed in (["auto_map"], ["is_causal", "auto_map"], [], ["auto_map", "auto_map", "is_causal"], "is_causal",
                        [1], ["auto_map", "is_causal", "rms_norm_eps"], ["auto_map", "is_causal", "none_such"]):
            worse = self.certificates / "worse.json"
            worse.write_text(path.read_text())
            self.rewrite(worse, lambda of, keys=changed: of.update(assumed_neutral=keys))
            for checker, [line] in self.checked(worse):
                self.assertIn("rejected", line, f"{changed} {checker}")
        self.rewrite(path, lambda of: of.pop("assumed_neutral"))
        for checker, [line] in self.checked(path):
            self.assertIn("rejected", line)

    def test_a_model_that_transformers_does_not_run_is_named(self):
        """By both checkers, the report and `measure`: sinkproof's own keys, and gpt_oss without its experts."""
        own = "computes with key{} of config.json, which transformers ignores"
        config, weights = MODELS["gpt_oss"]
        layer = tiny.llama(8, "gpt_oss", bias=True, sinks=True)[1]
        half = {**weights, **{name: x for name, x in layer.items() if "layers.1." in name}}
        cases = {"usual": (*MODELS["gpt2"], ""), "also usual": (with_keys(MODELS["gpt2"][0], {"sinkproof_attention": "softmax"}), MODELS["gpt2"][1], ""),
                 "null": (with_keys(MODELS["gpt2"][0], {"sinkproof_window": None}), MODELS["gpt2"][1], ""),
                 "window": (with_keys(MODELS["gpt2"][0], {"sinkproof_window": 2}), MODELS["gpt2"][1], own.format(" sinkproof_window")),
                 "relu": (*tiny.gpt2(1, kind="relu"), own.format(" sinkproof_attention")),
                 "llama": (*tiny.llama(1, sinkproof_attention="softmax-gated"), own.format(" sinkproof_attention")),
                 "both": (with_keys(tiny.gpt2(1)[0], {"sinkproof_attention": "softmax-null", "sinkproof_window": 2}),
                          MODELS["gpt2"][1], own.format("s sinkproof_attention, sinkproof_window")),
                 "attention alone": (config, weights, "computes gpt_oss without experts: the files hold none, and every layer "
                                                      "is attention alone"),
                 "dense": (*MODELS["gpt_oss dense"], "computes gpt_oss with one MLP in place of the experts"),
                 "half": (config, half, "computes gpt_oss with one MLP in place of the experts in some layers, and "
                                        "attention alone in the others")}
        paths = {}
        for name, (config, weights, words) in cases.items():
            paths[name], found = self.certified(name, config, weights)
            self.assertEqual(found.get("remarks", ""), words, name)
            code, out, error = run([BIN / "sinkproof", "audit"], self.root / "models" / name, "--random", "1", "--length", "5")
            self.assertEqual((code, error), (0, ""))
            self.assertEqual([line for line in out.splitlines() if line.startswith("computes")], [words] * bool(words), name)
        for checker, lines in self.checked(*paths.values()):
            for (name, (_, _, words)), line in zip(cases.items(), lines):
                self.assertIn("proved", line, name)
                self.assertIn(words, line, name)
                self.assertEqual("computes" in line, bool(words), name)
                self.assertEqual("in some layers" in line, name == "half")
        page = self.root / "page.html"
        code, out, error = run([BIN / "sinkproof", "report"], paths["relu"], "--models", self.root / "models", "--claims",
                               SOURCE / "proofs", "-o", page)
        self.assertEqual(code, 0, error)
        self.assertEqual(page.read_text().count(cases["relu"][2]), 3)

    def test_sinkproofs_own_keys_are_those_of_gpt2_and_llama(self):
        for model, key, value in (("mistral", "sinkproof_attention", "relu"), ("llama", "sinkproof_window", 2),
                                  ("gpt_oss", "sinkproof_attention", "softmax-sink"), ("bert", "sinkproof_attention", "softmax")):
            config, weights = MODELS[model]
            path, bare = self.certified(f"bare {model} {key}", config, weights)
            folder = self.root / "models" / f"{model} {key}"
            tiny.write(folder, with_keys(config, {key: value}), weights)
            code, _, error = self.measured(folder)
            self.assertEqual(code, 2)
            self.assertIn(f"key {key}: ", error)
            self.assertEqual(self.measured(folder, "--assume-neutral", key)[1]["estimates"], bare["estimates"])
            self.state(path, folder)
            for checker, [line] in self.checked(path):
                self.assertIn("rejected", line, checker)
                self.assertIn(f"key {key} " if "recheck" in str(checker[-1]) else f"key {key}: ", line)

    def test_odd_names_of_keys_are_quoted(self):
        config, weights = MODELS["gpt2"]
        odd = {'a, b of config.json changes nothing; c': '"a, b of config.json changes nothing; c"', "x" * 81: f'"{"x" * 80}"...',
               "x" * 80: "x" * 80, "\u202e\n\"é": '"\\u202e\\n\\"\\u00e9"', "é" * 81: '"' + "\\u00e9" * 80 + '"...'}
        for number, (key, shown) in enumerate(odd.items()):
            path, found = self.certified(str(number), with_keys(config, {key: 1}), weights, f"--assume-neutral={key}")
            words = f"assumes that key {shown} of config.json changes nothing"
            self.assertEqual(found["remarks"], words)
            for checker, [line] in self.checked(path):
                self.assertIn("proved", line, checker)
                self.assertIn(words, line, checker)
            code, _, error = self.measured(self.root / "models" / str(number))
            self.assertEqual(code, 2)
            self.assertIn(f"key {shown}: ", error)

    def test_the_first_candidate_does_not_decide(self):
        """Of folders with the stated files the first that is a model is taken."""
        config, weights = MODELS["llama"]
        path, _ = self.certified("z", config, weights)
        sharded = self.certificates / "sharded.json"
        tiny.write(self.root / "models" / "y", config, weights, shards=2)
        self.assertEqual(self.measured(self.root / "models" / "y", "-o", sharded)[0], 0)
        tiny.write(self.root / "models" / "a", config, weights)
        (self.root / "models" / "a" / "adapter_config.json").write_text("{}")
        tiny.write(self.root / "models" / "b", config, weights, shards=2)
        (self.root / "models" / "b" / "model.safetensors").write_bytes(b"other")
        for checker, lines in self.checked(path, sharded):
            for line in lines:
                self.assertIn("proved", line, checker)

    def test_what_cannot_be_assumed_neutral(self):
        config, weights = MODELS["llama"]
        folder = self.root / "model"
        tiny.write(folder, with_keys(config, {"unheard_of": 1}), weights)
        code, _, error = self.measured(folder)
        self.assertEqual(code, 2)
        self.assertIn("--assume-neutral unheard_of", error)
        for key in ("rms_norm_eps", "rope_theta", "hidden_act", "none_such", "tie_word_embeddings"):
            code, _, error = self.measured(folder, "--assume-neutral", "unheard_of", "--assume-neutral", key)
            self.assertEqual(code, 2, key)
            self.assertIn(f"key {key}: ", error)
        self.assertEqual(self.measured(folder, "--assume-neutral", "unheard_of")[0], 0)
        code, _, error = run([BIN / "sinkproof", "measure"], self.root / "rows.safetensors", "--assume-neutral", "x")
        self.assertEqual(code, 2)
        self.assertIn("--assume-neutral", error)

    def test_keys_that_the_model_is_read_by_are_not_assumed_neutral(self):
        """By the program, and by both checkers where a certificate says so all the same."""
        linear = {"rope_type": "linear", "factor": 2.0}
        for number, (model, keys, key) in enumerate((
                ("llama", {"rope_scaling": linear}, "rope_scaling"), ("llama", {"rope_parameters": linear}, "rope_parameters"),
                ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor"), ("gpt2", {"hidden_size": 16}, "hidden_size"),
                ("gpt_oss", {"initial_context_length": 64}, "initial_context_length"),
                ("llama", {"rope_scaling": {"rope_type": "default", "partial_rotary_factor": 0.5}},
                 "rope_scaling.partial_rotary_factor"))):
            config, weights = MODELS[model]
            path, _ = self.certified(f"bare {number}", config, weights)
            folder = self.root / "models" / f"assumed {number}"
            tiny.write(folder, with_keys(config, keys), weights)
            with self.subTest(key):
                code, _, error = self.measured(folder, "--assume-neutral", key)
                self.assertEqual(code, 2, error)
                self.assertIn(f"key {key}: ", error)
                self.assertIn("cannot be assumed neutral", error)
                self.state(path, folder, assumed_neutral=[key])
                for checker, [line] in self.checked(path):
                    self.assertIn("rejected", line, checker)
                    self.assertIn(f"key {key}", line, checker)
                    self.assertIn("cannot be assumed neutral", line, checker)

    def test_an_adapter_and_an_empty_key(self):
        config, weights = MODELS["llama"]
        for name, keys, file, words in (("adapter", {}, "adapter_config.json", "adapter_config.json"),
                                        ("empty key", {"": 1}, "", "key ")):
            path, _ = self.certified("good " + name, config, weights)
            folder = self.root / "models" / name
            tiny.write(folder, with_keys(config, keys), weights)
            self.state(path, folder)
            if file:
                (self.root / "models" / ("good " + name) / "config.json").unlink()  # only the other folder is found
                (folder / file).write_text("{}")
            with self.subTest(name):
                code, _, error = self.measured(folder)
                self.assertEqual(code, 2, error)
                self.assertIn("SP2004" if file else "SP2002", error)
                self.assertIn(words, error)
                for checker, [line] in self.checked(path):
                    self.assertIn("rejected", line, checker)
                    self.assertIn(words, line, checker)

    def test_a_suggestion_holds_no_characters_of_a_shell(self):
        config, weights = MODELS["llama"]
        keys = ("$(touch x)", "a b", "a;b", "`b`", "--quiet", "")
        tiny.write(self.root / "odd", with_keys(config, {"unheard_of": 1, **dict.fromkeys(keys, 1)}), weights)
        code, _, error = self.measured(self.root / "odd")
        self.assertEqual(code, 2, error)
        suggestion = error.partition(" absent with")[2].splitlines()[0]
        self.assertEqual(suggestion.split(), ["--assume-neutral", "unheard_of"])

    def test_numbers_that_nothing_is_computed_with(self):
        """NaN, infinities and integers beyond 64 bits, as Python writes them; tensors of any dtype."""
        config, weights = MODELS["llama"]
        keys = {"task_specific_params": [float("nan"), float("inf"), -float("inf"), 10**309, -10**400], "top_k": 10**30,
                "prefix": "\" NaN", "temperature": float("nan")}
        path, _ = self.certified("odd", with_keys(config, keys), weights)
        self.assertIn("NaN", (self.root / "models" / "odd" / "config.json").read_text())
        for checker, [line] in self.checked(path):
            self.assertIn("proved", line)
        for key, value in (("rms_norm_eps", float("nan")), ("rope_theta", float("inf")), ("vocab_size", 10**30),
                           ("hidden_size", 10**309), ("rms_norm_eps", 10**309)):
            folder = self.root / "models" / key
            tiny.write(folder, with_keys(config, {key: value}), weights)
            code, _, error = self.measured(folder)
            self.assertEqual(code, 2)
            self.assertIn(f"key {key}: ", error)
            self.assertIn("; correct it in config.json", error)
            shutil.rmtree(folder)

    def test_files_that_stand_for_others(self):
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n"
        config, weights = MODELS["llama"]
        for file, shards in (("config.json", 1), ("model.safetensors", 1), ("model.safetensors.index.json", 2),
                             ("model-00001-of-00002.safetensors", 2)):
            folder = self.root / file
            tiny.write(folder, config, weights, shards=shards)
            (folder / file).write_text(pointer)
            code, _, error = self.measured(folder)
            self.assertEqual(code, 2)
            self.assertIn("SP0205", error)
            self.assertIn("git lfs pull", error)
        folder = self.root / "good"
        tiny.write(folder, config, weights)
        for name, content in (("ids.json", pointer.encode()), ("ids.npy", pointer.encode())):
            (self.root / name).write_bytes(content)
            code, _, error = run([BIN / "sinkproof", "audit"], folder, "--tokens", self.root / name)
            self.assertEqual(code, 2)
            self.assertIn("SP0205", error)
        np.save(self.root / "fortran.npy", np.asfortranarray(np.ones((2, 3), int)))
        code, _, error = run([BIN / "sinkproof", "audit"], folder, "--tokens", self.root / "fortran.npy")
        self.assertEqual(code, 2)
        self.assertIn("Fortran", error)
        self.assertIn("numpy.ascontiguousarray", error)

    def test_other_architectures_are_named(self):
        for number, config in enumerate((
                {"architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "hidden_size": 8},
                {"model_type": "t5", "d_model": 8, "is_encoder_decoder": True}, {"model_type": "gemma3"})):
            folder = self.root / str(number)
            tiny.write(folder, config, {"x": np.zeros(1)})
            code, _, error = self.measured(folder)
            self.assertEqual(code, 2)
            self.assertIn("SP2001", error)
            self.assertIn(config["model_type"], error)
            self.assertIn("gpt_neox", error)
            self.assertIn("`sinkproof measure ROWS.safetensors`", error)


if __name__ == "__main__":
    unittest.main()
