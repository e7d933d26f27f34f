"""The architectures in NumPy, from their publications and Hugging Face's models, one plain function each; and the
readouts of docs/THEORY.md, em-1 to em-5, one query after the other. Nothing here comes from src/."""
import math

import numpy as np

ERF = np.vectorize(math.erf, otypes=[float])


def layer_norm(x, weight, bias, epsilon):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + epsilon) * weight + bias


def rms_norm(x, weight, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def gelu(x):
    return x * (1 + ERF(x / math.sqrt(2))) / 2


def gelu_tanh(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_tanh, "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * sigmoid(x)}


def rope_scaled(frequency, dimension, base, config):
    """[dimension / 2] frequencies and the factor of cosines and sines."""
    entry = config.get("rope_scaling") or config.get("rope_parameters") or {}
    kind = entry.get("rope_type", entry.get("type", "default"))
    if kind == "default":
        return frequency, 1
    factor = entry["factor"]
    if kind == "linear":
        return frequency / factor, 1
    if kind == "llama3":
        context = entry["original_max_position_embeddings"]
        wavelength = 2 * math.pi / frequency
        new = []
        for f, length in zip(frequency, wavelength):
            if length < context / entry["high_freq_factor"]:
                new.append(f)
            elif length > context / entry["low_freq_factor"]:
                new.append(f / factor)
            else:
                smooth = (context / length - entry["low_freq_factor"]) / (
                    entry["high_freq_factor"] - entry["low_freq_factor"])
                new.append((1 - smooth) * f / factor + smooth * f)
        return np.array(new), 1
    assert kind == "yarn"
    context = entry.get("original_max_position_embeddings", config["max_position_embeddings"])

    def dimension_of(rotations):
        return dimension * math.log(context / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low, high = dimension_of(entry.get("beta_fast", 32)), dimension_of(entry.get("beta_slow", 1))
    if entry.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dimension - 1)
    if low == high:
        high += 0.001
    kept = 1 - np.clip((np.arange(dimension // 2) - low) / (high - low), 0, 1)
    return frequency / factor * (1 - kept) + frequency * kept, entry.get("attention_factor", 0.1 * math.log(factor) + 1)


def rotate(x, positions, dimension, base, config):
    """x [heads, T, width] with its first `dimension` coordinates turned."""
    frequency, factor = rope_scaled(base ** (-np.arange(0, dimension, 2) / dimension), dimension, base, config)
    angle = np.concatenate([np.outer(positions, frequency)] * 2, -1)
    turned, rest = x[..., :dimension], x[..., dimension:]
    half = np.concatenate([-turned[..., dimension // 2:], turned[..., :dimension // 2]], -1)
    return np.concatenate([factor * (turned * np.cos(angle) + half * np.sin(angle)), rest], -1)


def weights_of(logits, kind, null):
    """Of the logits one query sees."""
    if kind.startswith("softmax"):
        slot = {"softmax-null": [0.0], "softmax-sink": [null]}.get(kind, [])
        shares = np.exp(np.concatenate([logits, slot]) - max([*logits, *slot]))
        return (shares / shares.sum())[:len(logits)]
    values = {"relu": lambda x: np.maximum(x, 0), "sigmoid": sigmoid, "linear": lambda x: x,
              "elu1": lambda x: np.where(x >= 0, x + 1, np.exp(np.minimum(x, 0)))}[kind.split("-")[0]](logits)
    return values / values.sum() if kind.endswith("-normalised") else values


class Trace:
    """What a pass shows: hidden [D+1] of [T, n]; per layer q, k, v [heads, T, width], A [H, T, T], o [H, T, width]."""

    def __init__(self, config, evict=None, ablate=()):
        self.config, self.evict, self.ablate = config, evict, ablate
        self.hidden, self.q, self.k, self.v, self.A, self.o = [], [], [], [], [], []
        self.logits = None
        self.causal = True

    def positions(self, length):
        """Learned positions, from 0."""
        if self.evict and self.evict[2]:
            return np.array([min(i, self.evict[0] + self.evict[1]) - 1 for i in range(1, length + 1)])
        return np.arange(length)

    def sees(self, i, j, window, layer, head):
        if self.causal and j > i:
            return False
        if window is not None and i - j >= window:
            return False
        if self.evict and not (j <= self.evict[0] or i - j < self.evict[1]):
            return False
        return not ((layer, head) in self.ablate and i >= 2 and j == 1)

    def attend(self, q, k, v, turn=None, window=None, kind="softmax", sinks=None, gate=None):
        """q, k, v [heads, T, width] before rotary positions; turn(x, positions). Returns [T, H width]."""
        layer, (heads, length, width) = len(self.A), q.shape
        plain, where = q, np.arange(length)
        if turn:
            q, k = turn(q, where), turn(k, where)
        A = np.zeros((heads, length, length))
        for h in range(heads):
            key = k[h * len(k) // heads]
            for i in range(1, length + 1):
                seen = [j for j in range(1, length + 1) if self.sees(i, j, window, layer, h)]
                query = {j: q[h, i - 1] for j in seen}
                if turn and self.evict and self.evict[2] and i > self.evict[0] + self.evict[1]:
                    inside = turn(plain[h:h + 1, i - 1:i], np.array([self.evict[0] + self.evict[1] - 1]))[0, 0]
                    query.update({j: inside for j in seen if j <= self.evict[0]})
                logits = np.array([query[j] @ key[j - 1] for j in seen]) / math.sqrt(width)
                A[h, i - 1, [j - 1 for j in seen]] = weights_of(logits, kind, None if sinks is None else sinks[h])
        o = np.stack([A[h] @ v[h * len(v) // heads] for h in range(heads)])
        for kept, value in ((self.q, q), (self.k, k), (self.v, v), (self.A, A), (self.o, o)):
            kept.append(value)
        if gate is not None:
            o = o * gate.T[:, :, None]
        return o.transpose(1, 0, 2).reshape(length, -1)


def split(x, heads):
    return x.reshape(len(x), heads, -1).transpose(1, 0, 2)


def gpt2(w, config, ids, trace):
    at = "transformer." if "transformer.wte.weight" in w else ""
    kind, epsilon, heads = config.get("sinkproof_attention", "softmax"), config["layer_norm_epsilon"], config["n_head"]
    x = w[at + "wte.weight"][ids] + w[at + "wpe.weight"][trace.positions(len(ids))]
    for l in range(config["n_layer"]):
        p = {name[len(f"{at}h.{l}."):]: value for name, value in w.items() if name.startswith(f"{at}h.{l}.")}
        trace.hidden.append(x)
        a = layer_norm(x, p["ln_1.weight"], p["ln_1.bias"], epsilon)
        q, k, v = np.split(a @ p["attn.c_attn.weight"] + p["attn.c_attn.bias"], 3, -1)
        gate = sigmoid(a @ p["attn.gate.weight"].T + p["attn.gate.bias"]) if kind == "softmax-gated" else None
        o = trace.attend(split(q, heads), split(k, heads), split(v, heads), window=config.get("sinkproof_window"), kind=kind,
                         sinks=p.get("attn.sinks"), gate=gate)
        x = x + o @ p["attn.c_proj.weight"] + p["attn.c_proj.bias"]
        m = layer_norm(x, p["ln_2.weight"], p["ln_2.bias"], epsilon)
        m = ACTIVATIONS[config["activation_function"]](m @ p["mlp.c_fc.weight"] + p["mlp.c_fc.bias"])
        x = x + m @ p["mlp.c_proj.weight"] + p["mlp.c_proj.bias"]
    trace.hidden.append(x)
    final = layer_norm(x, w[at + "ln_f.weight"], w[at + "ln_f.bias"], epsilon)
    trace.logits = final @ w.get("lm_head.weight", w[at + "wte.weight"]).T


def window_of(config, l):
    """The sliding window of layer l, by the model's own rules."""
    window = config.get("sliding_window")
    if config["model_type"] == "llama" or window is None:
        return None
    if config["model_type"] in ("qwen2", "qwen3"):
        if not config.get("use_sliding_window"):
            return None
        if "layer_types" not in config:
            return window if l >= config["max_window_layers"] else None
    if "layer_types" in config:
        return window if config["layer_types"][l] == "sliding_attention" else None
    return window


def llama(w, config, ids, trace):
    at = "model." if "model.embed_tokens.weight" in w else ""
    epsilon, heads, groups, width = (config[key] for key in
                                     ("rms_norm_eps", "num_attention_heads", "num_key_value_heads", "head_dim"))
    kind = config.get("sinkproof_attention", "softmax-sink" if config["model_type"] == "gpt_oss" else "softmax")
    x = w[at + "embed_tokens.weight"][ids]

    def turn(y, positions):
        base = config["rope_theta"] if "rope_theta" in config else config["rope_parameters"]["rope_theta"]
        return rotate(y, positions, width, base, config)

    for l in range(config["num_hidden_layers"]):
        p = {name[len(f"{at}layers.{l}."):]: value for name, value in w.items() if name.startswith(f"{at}layers.{l}.")}
        trace.hidden.append(x)
        a = rms_norm(x, p["input_layernorm.weight"], epsilon)
        q, k, v = (split(a @ p[f"self_attn.{name}_proj.weight"].T + p.get(f"self_attn.{name}_proj.bias", 0), count)
                   for name, count in (("q", heads), ("k", groups), ("v", groups)))
        if "self_attn.q_norm.weight" in p:
            q, k = rms_norm(q, p["self_attn.q_norm.weight"], epsilon), rms_norm(k, p["self_attn.k_norm.weight"], epsilon)
        gate = sigmoid(a @ p["self_attn.gate.weight"].T + p["self_attn.gate.bias"]) if kind == "softmax-gated" else None
        o = trace.attend(q, k, v, turn, window_of(config, l), kind, p.get("self_attn.sinks"), gate)
        x = x + o @ p["self_attn.o_proj.weight"].T + p.get("self_attn.o_proj.bias", 0)
        if "mlp.up_proj.weight" in p:
            m = rms_norm(x, p["post_attention_layernorm.weight"], epsilon)
            g, up = (m @ p[f"mlp.{name}_proj.weight"].T + p.get(f"mlp.{name}_proj.bias", 0) for name in ("gate", "up"))
            x = x + (ACTIVATIONS[config["hidden_act"]](g) * up) @ p["mlp.down_proj.weight"].T + p.get("mlp.down_proj.bias", 0)
    trace.hidden.append(x)
    head = w.get("lm_head.weight", w[at + "embed_tokens.weight"])
    trace.logits = rms_norm(x, w[at + "norm.weight"], epsilon) @ head.T


def gpt_neox(w, config, ids, trace):
    heads, epsilon, n = config["num_attention_heads"], config["layer_norm_eps"], config["hidden_size"]
    width = n // heads
    rotated = int(width * config["rotary_pct"])
    x = w["gpt_neox.embed_in.weight"][ids]
    for l in range(config["num_hidden_layers"]):
        p = {name[len(f"gpt_neox.layers.{l}."):]: value for name, value in w.items()
             if name.startswith(f"gpt_neox.layers.{l}.")}
        trace.hidden.append(x)
        a = layer_norm(x, p["input_layernorm.weight"], p["input_layernorm.bias"], epsilon)
        mixed = a @ p["attention.query_key_value.weight"].T + p.get("attention.query_key_value.bias", 0)
        q, k, v = np.split(mixed.reshape(len(ids), heads, 3 * width).transpose(1, 0, 2), 3, -1)
        o = trace.attend(q, k, v, lambda y, positions: rotate(y, positions, rotated, config["rotary_emb_base"], config))
        o = o @ p["attention.dense.weight"].T + p.get("attention.dense.bias", 0)
        m = layer_norm(x if config["use_parallel_residual"] else x + o, p["post_attention_layernorm.weight"],
                       p["post_attention_layernorm.bias"], epsilon)
        m = ACTIVATIONS[config["hidden_act"]](m @ p["mlp.dense_h_to_4h.weight"].T + p["mlp.dense_h_to_4h.bias"])
        x = x + o + m @ p["mlp.dense_4h_to_h.weight"].T + p["mlp.dense_4h_to_h.bias"]
    trace.hidden.append(x)
    final = layer_norm(x, w["gpt_neox.final_layer_norm.weight"], w["gpt_neox.final_layer_norm.bias"], epsilon)
    trace.logits = final @ w["embed_out.weight"].T


def opt(w, config, ids, trace):
    at, heads, before = "model.decoder.", config["num_attention_heads"], config["do_layer_norm_before"]

    def norm(y, name):
        return layer_norm(y, w.get(name + ".weight", 1), w.get(name + ".bias", 0), 1e-5)

    def linear(y, name):
        return y @ w[name + ".weight"].T + w.get(name + ".bias", 0)

    x = w[at + "embed_tokens.weight"][ids]
    if at + "project_in.weight" in w:
        x = linear(x, at + "project_in")
    x = x + w[at + "embed_positions.weight"][trace.positions(len(ids)) + 2]
    for l in range(config["num_hidden_layers"]):
        layer = f"{at}layers.{l}."
        trace.hidden.append(x)
        a = norm(x, layer + "self_attn_layer_norm") if before else x
        q, k, v = (split(linear(a, f"{layer}self_attn.{c}_proj"), heads) for c in "qkv")
        x = x + linear(trace.attend(q, k, v), layer + "self_attn.out_proj")
        x = x if before else norm(x, layer + "self_attn_layer_norm")
        m = norm(x, layer + "final_layer_norm") if before else x
        x = x + linear(ACTIVATIONS[config["activation_function"]](linear(m, layer + "fc1")), layer + "fc2")
        x = x if before else norm(x, layer + "final_layer_norm")
    trace.hidden.append(x)
    if before and not config.get("_remove_final_layer_norm"):
        x = norm(x, at + "final_layer_norm")
    if at + "project_out.weight" in w:
        x = linear(x, at + "project_out")
    trace.logits = x @ w.get("lm_head.weight", w[at + "embed_tokens.weight"]).T


def bert(w, config, ids, trace):
    at, heads, epsilon = "bert." if any(name.startswith("bert.") for name in w) else "", config["num_attention_heads"], 1e-12
    trace.causal = False
    w = {name.replace(".gamma", ".weight").replace(".beta", ".bias"): value for name, value in w.items()}
    e = at + "embeddings."
    x = (w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][trace.positions(len(ids))]
         + w[e + "token_type_embeddings.weight"][0])
    x = layer_norm(x, w[e + "LayerNorm.weight"], w[e + "LayerNorm.bias"], epsilon)
    for l in range(config["num_hidden_layers"]):
        start = f"{at}encoder.layer.{l}."
        p = {name[len(start):]: value for name, value in w.items() if name.startswith(start)}
        trace.hidden.append(x)
        q, k, v = (split(x @ p[f"attention.self.{name}.weight"].T + p[f"attention.self.{name}.bias"], heads)
                   for name in ("query", "key", "value"))
        o = trace.attend(q, k, v) @ p["attention.output.dense.weight"].T + p["attention.output.dense.bias"]
        x = layer_norm(x + o, p["attention.output.LayerNorm.weight"], p["attention.output.LayerNorm.bias"], epsilon)
        m = gelu(x @ p["intermediate.dense.weight"].T + p["intermediate.dense.bias"])
        m = m @ p["output.dense.weight"].T + p["output.dense.bias"]
        x = layer_norm(x + m, p["output.LayerNorm.weight"], p["output.LayerNorm.bias"], epsilon)
    trace.hidden.append(x)


MODELS = {"gpt2": gpt2, "gpt_neox": gpt_neox, "opt": opt, "bert": bert,
          **dict.fromkeys(("llama", "mistral", "qwen2", "qwen3", "gpt_oss"), llama)}


def run(weights, config, ids, evict=None, ablate=()):
    trace = Trace(config, evict, ablate)
    MODELS[config["model_type"]](weights, config, np.asarray(ids), trace)
    return trace


def loss(trace, ids):
    """Mean cross-entropy of the next token, in nats."""
    logits = np.asarray(trace.logits, dtype=float)[:-1]
    most = logits.max(axis=1)
    return float(np.mean(most + np.log(np.exp(logits - most[:, None]).sum(axis=1)) - logits[range(len(ids) - 1), ids[1:]]))


def length(vector):
    return math.sqrt(float(vector @ vector))


def cosine(a, b):
    return float(a @ b) / (length(a) * length(b))


def head_readouts(q, k, v, A, o, position, causal):
    key, queries = position - 1, range(position - 1 if causal else 0, len(A))
    parts = {name: [] for name in ("alpha", "value-alpha", "norm-product", "cosine")}
    for i in queries:
        parts["alpha"].append(A[i, key])
        whole = sum(abs(A[i, j]) * length(v[j]) for j in range(len(v)))
        parts["value-alpha"].append(abs(A[i, key]) * length(v[key]) / whole if whole else 0)
        parts["norm-product"].append(length(q[i]) * length(k[key]) / math.sqrt(len(q[i])))
        parts["cosine"].append(cosine(q[i], k[key]))
    figures = {name: sum(values) / len(values) for name, values in parts.items()}
    others = [length(v[j]) for j in range(len(v)) if j != key]
    figures["value-ratio"] = length(v[key]) / (sum(others) / len(others)) if others else 0
    figures["broadcast-share"] = (sum(float(o[i] @ v[key]) ** 2 for i in queries)
                                  / (length(v[key]) ** 2 * sum(length(o[i]) ** 2 for i in queries)))
    return figures


def readouts(trace, position):
    """{name: nested lists} of one sequence."""
    figures = {"hidden-norm": [[length(row) for row in h] for h in trace.hidden]}
    figures["mean-cosine"] = [np.mean([cosine(h[i], h[j]) for j in range(len(h)) for i in range(j)] or [0])
                              for h in trace.hidden]
    for name, rows in (("query-norm", trace.q), ("key-norm", trace.k), ("value-norm", trace.v)):
        scale = math.sqrt(rows[0].shape[-1]) if name == "query-norm" else 1
        figures[name] = [[[length(row) / scale for row in head] for head in layer] for layer in rows]
    for l, A in enumerate(trace.A):
        heads = len(A)
        layer = [head_readouts(trace.q[l][h], trace.k[l][h * len(trace.k[l]) // heads],
                               trace.v[l][h * len(trace.v[l]) // heads], A[h], trace.o[l][h], position, trace.causal)
                 for h in range(heads)]
        for name in layer[0]:
            figures.setdefault(name, []).append([head[name] for head in layer])
    return figures


def moved(plain, changed):
    curve = [max(length(a - b) for a, b in zip(h, other)) for h, other in zip(plain.hidden, changed.hidden)]
    return curve if plain.logits is None else [*curve, float(np.abs(plain.logits - changed.logits).max())]
