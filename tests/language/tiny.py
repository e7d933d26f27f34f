"""Tiny random checkpoints of every architecture, as Hugging Face's programs name their keys and tensors."""
import json
import struct

import numpy as np

DTYPES = {"F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


def stored(values, dtype):
    """The values a file of this dtype holds, as doubles, and its bytes."""
    if dtype != "BF16":
        kept = values.astype(DTYPES[dtype])
        return kept.astype(np.float64), kept.tobytes()
    words = (values.astype("<f4").view("<u4") >> 16).astype("<u2")  # truncated: any value will do
    return (words.astype("<u4") << 16).view("<f4").astype(np.float64), words.tobytes()


def safetensors(tensors):
    """The bytes of a file of {name: (dtype, shape, bytes)}."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write(folder, config, weights, dtype="F32", shards=1):
    """A folder with these weights, rounded to dtype; returns them as stored."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    kept, raw = {}, {}
    for name, values in weights.items():
        kept[name], data = stored(values, dtype)
        raw[name] = (dtype, values.shape, data)
    if shards == 1:
        (folder / "model.safetensors").write_bytes(safetensors(raw))
        return kept
    names, index = list(raw), {}
    for s in range(shards):
        file = f"model-{s + 1:05}-of-{shards:05}.safetensors"
        mine = names[s::shards]
        (folder / file).write_bytes(safetensors({name: raw[name] for name in mine}))
        index.update(dict.fromkeys(mine, file))
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    return kept


class Weights(dict):
    def __init__(self, seed):
        super().__init__()
        self.random = np.random.default_rng(seed)

    def add(self, name, *shape, scale=0.4, about=0.0):
        self[name] = about + scale * self.random.standard_normal(shape)

    def linear(self, name, out, ins, bias=True):
        self.add(name + ".weight", out, ins)
        if bias:
            self.add(name + ".bias", out)

    def norm(self, name, n, bias=True):
        self.add(name + ".weight", n, about=1, scale=0.2)
        if bias:
            self.add(name + ".bias", n)


def gpt2(seed, n=12, heads=3, layers=2, tokens=23, positions=40, prefix="", tied=True, kind=None):
    w = Weights(seed)
    w.add(prefix + "wte.weight", tokens, n, scale=1)
    w.add(prefix + "wpe.weight", positions, n)
    for l in range(layers):
        at = f"{prefix}h.{l}."
        w.norm(at + "ln_1", n)
        w.norm(at + "ln_2", n)
        for name, ins, out in (("attn.c_attn", n, 3 * n), ("attn.c_proj", n, n), ("mlp.c_fc", n, 4 * n),
                               ("mlp.c_proj", 4 * n, n)):
            w.add(at + name + ".weight", ins, out)  # [in, out]
            w.add(at + name + ".bias", out)
        w[at + "attn.bias"] = np.tril(np.ones((1, 1, positions, positions)))  # a mask, no parameter
        if kind == "softmax-sink":
            w.add(at + "attn.sinks", heads, scale=1)
        if kind == "softmax-gated":
            w.linear(at + "attn.gate", heads, n)
    w.norm(prefix + "ln_f", n)
    if not tied:
        w.add("lm_head.weight", tokens, n)
    config = {"model_type": "gpt2", "n_embd": n, "n_head": heads, "n_layer": layers, "n_positions": positions,
              "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new", "vocab_size": tokens}
    if kind:
        config["sinkproof_attention"] = kind
    if not tied:
        config["tie_word_embeddings"] = False
    return config, w


def llama(seed, model_type="llama", n=16, heads=4, groups=2, width=None, layers=2, tokens=19, prefix="model.",
          tied=False, bias=False, head_norms=False, sinks=False, mlp=True, **keys):
    w = Weights(seed)
    width = width or n // heads
    w.add(prefix + "embed_tokens.weight", tokens, n, scale=1)
    for l in range(layers):
        at = f"{prefix}layers.{l}."
        w.norm(at + "input_layernorm", n, bias=False)
        for name, rows in (("q_proj", heads), ("k_proj", groups), ("v_proj", groups)):
            w.linear(at + "self_attn." + name, rows * width, n, keys.get("attention_bias", bias))
        w.linear(at + "self_attn.o_proj", n, heads * width, keys.get("attention_bias", bias and sinks))
        if head_norms:
            w.norm(at + "self_attn.q_norm", width, bias=False)
            w.norm(at + "self_attn.k_norm", width, bias=False)
        kind = keys.get("sinkproof_attention")
        if sinks or kind == "softmax-sink":
            w.add(at + "self_attn.sinks", heads, scale=1)
        if kind == "softmax-gated":
            w.linear(at + "self_attn.gate", heads, n)
        if mlp:
            w.norm(at + "post_attention_layernorm", n, bias=False)
            for name, out, ins in (("gate_proj", 20, n), ("up_proj", 20, n), ("down_proj", n, 20)):
                w.linear(at + "mlp." + name, out, ins, bias=keys.get("mlp_bias", False))
    w.norm(prefix + "norm", n, bias=False)
    if not tied:
        w.add("lm_head.weight", tokens, n)
    config = {"model_type": model_type, "hidden_size": n, "num_attention_heads": heads, "num_hidden_layers": layers,
              "num_key_value_heads": groups, "rms_norm_eps": 1e-6, "hidden_act": "silu", "head_dim": width,
              "max_position_embeddings": 64, "rope_theta": 10000.0, "intermediate_size": 20,
              "tie_word_embeddings": tied, **keys}
    return config, w


def gpt_neox(seed, parallel, share, n=16, heads=2, layers=2, tokens=17, **keys):
    w = Weights(seed)
    w.add("gpt_neox.embed_in.weight", tokens, n, scale=1)
    for l in range(layers):
        at = f"gpt_neox.layers.{l}."
        w.norm(at + "input_layernorm", n)
        w.norm(at + "post_attention_layernorm", n)
        for name, out, ins in (("attention.query_key_value", 3 * n, n), ("attention.dense", n, n),
                               ("mlp.dense_h_to_4h", 4 * n, n), ("mlp.dense_4h_to_h", n, 4 * n)):
            w.linear(at + name, out, ins, name.startswith("mlp") or keys.get("attention_bias", True))
        w.add(at + "attention.rotary_emb.inv_freq", 2)
    w.norm("gpt_neox.final_layer_norm", n)
    w.add("embed_out.weight", tokens, n)
    return {"model_type": "gpt_neox", "hidden_size": n, "num_attention_heads": heads, "num_hidden_layers": layers,
            "layer_norm_eps": 1e-5, "hidden_act": "gelu", "rotary_pct": share, "rotary_emb_base": 10000,
            "use_parallel_residual": parallel, "max_position_embeddings": 64, **keys}, w


def opt(seed, n=12, heads=2, layers=2, tokens=21, positions=16, **keys):
    w = Weights(seed)
    at, inside = "model.decoder.", keys.get("word_embed_proj_dim", n)
    before, bias = keys.get("do_layer_norm_before", True), keys.get("enable_bias", True)

    def norm(name):
        if keys.get("layer_norm_elementwise_affine", True):
            w.norm(name, n)

    w.add(at + "embed_tokens.weight", tokens, inside, scale=1)
    w.add(at + "embed_positions.weight", positions + 2, n)
    if inside != n:
        w.linear(at + "project_in", n, inside, bias=False)
        w.linear(at + "project_out", inside, n, bias=False)
    for l in range(layers):
        layer = f"{at}layers.{l}."
        norm(layer + "self_attn_layer_norm")
        norm(layer + "final_layer_norm")
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            w.linear(layer + "self_attn." + name, n, n, bias)
        w.linear(layer + "fc1", 30, n, bias)
        w.linear(layer + "fc2", n, 30, bias)
    if before and not keys.get("_remove_final_layer_norm", False):
        norm(at + "final_layer_norm")
    return {"model_type": "opt", "hidden_size": n, "num_attention_heads": heads, "num_hidden_layers": layers,
            "activation_function": "relu", "do_layer_norm_before": True, "ffn_dim": 30,
            "max_position_embeddings": positions, **keys}, w


def bert(seed, n=12, heads=3, layers=2, tokens=18, positions=20, prefix="bert.", old=False):
    w = Weights(seed)
    w.add(prefix + "embeddings.word_embeddings.weight", tokens, n, scale=1)
    w.add(prefix + "embeddings.position_embeddings.weight", positions, n)
    w.add(prefix + "embeddings.token_type_embeddings.weight", 2, n)
    w.norm(prefix + "embeddings.LayerNorm", n)
    for l in range(layers):
        at = f"{prefix}encoder.layer.{l}."
        for name in ("query", "key", "value"):
            w.linear(at + "attention.self." + name, n, n)
        w.linear(at + "attention.output.dense", n, n)
        w.norm(at + "attention.output.LayerNorm", n)
        w.linear(at + "intermediate.dense", 40, n)
        w.linear(at + "output.dense", n, 40)
        w.norm(at + "output.LayerNorm", n)
    w.linear("cls.predictions.transform.dense", n, n)  # outside the model: not read
    if old:  # names of LayerNorm's parameters in the first files
        for name in [name for name in w if "LayerNorm" in name]:
            w[name.replace(".weight", ".gamma").replace(".bias", ".beta")] = w.pop(name)
    return {"model_type": "bert", "hidden_size": n, "num_attention_heads": heads, "num_hidden_layers": layers,
            "layer_norm_eps": 1e-12, "hidden_act": "gelu"}, w
