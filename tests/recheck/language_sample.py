"""Small random language models, as folders, and a plain evaluation of them in doubles: LANGUAGE_RULES.md 5.3 and 5.4
read once more, a formula at a time, for tests of tools/recheck."""

import hashlib
import json
import math
import random
import struct
from fractions import Fraction

from recheck_test import safetensors

SIZES = {"gpt2": ("n_embd", "n_layer", "n_head")}
HIDDEN = ("hidden_size", "num_hidden_layers", "num_attention_heads")
LLAMA = {"tokens": "model.embed_tokens", "layer": "model.layers.{}.", "first": "input_layernorm", "query": "self_attn.q_proj",
         "key": "self_attn.k_proj", "value": "self_attn.v_proj", "output": "self_attn.o_proj", "second": "post_attention_layernorm",
         "up": "mlp.up_proj", "down": "mlp.down_proj", "factor": "mlp.gate_proj", "final": "model.norm", "head": "lm_head",
         "query norm": "self_attn.q_norm", "key norm": "self_attn.k_norm", "sinks": "self_attn.sinks",
         "gate": "self_attn.gate"}
NAMES = {
    "gpt2": {"tokens": "transformer.wte", "positions": "transformer.wpe", "layer": "transformer.h.{}.", "first": "ln_1",
             "joined": "attn.c_attn", "output": "attn.c_proj", "second": "ln_2", "up": "mlp.c_fc", "down": "mlp.c_proj",
             "final": "transformer.ln_f", "head": "lm_head", "sinks": "attn.sinks", "gate": "attn.gate"},
    "gpt_neox": {"tokens": "gpt_neox.embed_in", "layer": "gpt_neox.layers.{}.", "first": "input_layernorm",
                 "joined": "attention.query_key_value", "output": "attention.dense", "second": "post_attention_layernorm",
                 "up": "mlp.dense_h_to_4h", "down": "mlp.dense_4h_to_h", "final": "gpt_neox.final_layer_norm", "head": "embed_out"},
    "opt": {"tokens": "model.decoder.embed_tokens", "positions": "model.decoder.embed_positions", "layer": "model.decoder.layers.{}.",
            "first": "self_attn_layer_norm", "query": "self_attn.q_proj", "key": "self_attn.k_proj", "value": "self_attn.v_proj",
            "output": "self_attn.out_proj", "second": "final_layer_norm", "up": "fc1", "down": "fc2",
            "final": "model.decoder.final_layer_norm", "head": "lm_head"},
    "bert": {"tokens": "bert.embeddings.word_embeddings", "positions": "bert.embeddings.position_embeddings",
             "types": "bert.embeddings.token_type_embeddings", "embedding": "bert.embeddings.LayerNorm", "layer": "bert.encoder.layer.{}.",
             "first": "attention.output.LayerNorm", "query": "attention.self.query", "key": "attention.self.key",
             "value": "attention.self.value", "output": "attention.output.dense", "second": "output.LayerNorm",
             "up": "intermediate.dense", "down": "output.dense"}}
VOCABULARY, POSITIONS, INNER = 9, 12, 10
ACTIVATIONS = {"relu": lambda x: max(0.0, x), "silu": lambda x: x / (1 + math.exp(-x)),
               "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
               "gelu_new": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))}
ACTIVATION_KEYS = {"gpt2": ("activation_function", "gelu_new"), "opt": ("activation_function", "relu"),
                   "gpt_neox": ("hidden_act", "gelu"), "bert": ("hidden_act", "gelu")}
# Whether maps have biases: (query, key and value; output; MLP), each always or never, or the key that says it.
BIASES = {"gpt2": (True, True, True), "bert": (True, True, True), "gpt_neox": ("attention_bias", "attention_bias", True),
          "opt": ("enable_bias", "enable_bias", "enable_bias"), "llama": ("attention_bias", "attention_bias", "mlp_bias"),
          "mistral": (False, False, False), "qwen2": (True, False, False), "qwen3": ("attention_bias", "attention_bias", False),
          "gpt_oss": ("attention_bias", "attention_bias", False)}
EPSILONS = {"gpt2": ("layer_norm_epsilon", 1e-5), "gpt_neox": ("layer_norm_eps", 1e-5), "opt": ("", 1e-5),
            "bert": ("layer_norm_eps", 1e-12), "gpt_oss": ("rms_norm_eps", 1e-5)}
KERNELS = {"softmax": math.exp, "sigmoid": lambda x: 1 / (1 + math.exp(-x)), "elu1": lambda x: x + 1 if x >= 0 else math.exp(x),
           "relu": lambda x: max(0.0, x), "linear": lambda x: x}


def dot(x, y):
    return math.fsum(a * b for a, b in zip(x, y))


def norm(x):
    return math.sqrt(dot(x, x))


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values)


def scaled_frequency(rope, base, r, j, context):
    """f_j of 5.3 under the scaling, straight from its formulas."""
    f, kind = base ** (-2 * j / r), rope.get("rope_type", "default")
    if kind == "linear":
        return f / rope["factor"]
    if kind == "llama3":
        s = (context * f / (2 * math.pi) - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"])
    elif kind == "yarn":
        ends = [r * math.log(context / (2 * math.pi * rope.get(key, default))) / (2 * math.log(base)) for key, default in (("beta_fast", 32), ("beta_slow", 1))]
        if rope.get("truncate", True):
            ends = [math.floor(ends[0]), math.ceil(ends[1])]
        low, high = max(0, ends[0]), min(r - 1, ends[1])
        s = 1 - min(1, max(0, (j - low) / (high - low or 0.001)))
    else:
        return f
    s = min(1, max(0, s))
    return s * f + (1 - s) * f / rope["factor"]


class Sample:
    """A model of width 8 (or `head_dim` times heads inside), two layers and two heads, weights of 12 bits."""

    def __init__(self, architecture, seed=0, biases=True, tied=False, shards=1, layers=2, heads=2, **config):
        self.name, self.random, self.shards = architecture, random.Random(f"{architecture} {seed}"), shards
        self.names, self.n, self.layers, self.heads, self.biases = NAMES.get(architecture, LLAMA), 8, layers, heads, biases
        self.llama, self.tensors = architecture not in NAMES, {}
        sizes = dict(zip(SIZES.get(architecture, HIDDEN), (self.n, layers, self.heads)))
        width = self.n // heads
        needed = {"num_key_value_heads": heads, "head_dim": width, "sliding_window": None, "rope_theta": 10000,
                  "rope_scaling": {"rope_type": "default"} if architecture == "gpt_oss" else None}
        rope = config.get("rope_scaling") or {}
        if rope.get("rope_type") == "yarn":
            config["max_position_embeddings"] = int(rope["factor"] * rope["original_max_position_embeddings"])
        self.config = {"model_type": architecture, "tie_word_embeddings": tied, **sizes,
                       **dict.fromkeys(filter(lambda x: type(x) is str, BIASES[architecture]), biases),
                       **(needed if architecture in ("mistral", "qwen2", "qwen3", "gpt_oss") else {}), **config}
        self.key_heads, self.w = config.get("num_key_value_heads", self.heads), config.get("head_dim", self.n // self.heads)
        self.kind = config.get("sinkproof_attention", "softmax-sink" if architecture == "gpt_oss" else "softmax")
        self.rope = rope
        has_head = "head" in self.names and not tied
        for part, rows in (("tokens", VOCABULARY), ("positions", POSITIONS), ("types", 2), ("head", VOCABULARY if has_head else 0)):
            if part in self.names and rows:
                self.draw(f"{self.names[part]}.weight", rows, self.n)
        for part in ("embedding", "final"):
            self.draw_norm(self.names.get(part), self.n)
        for l in range(layers):
            self.draw_layer(self.names["layer"].format(l))

    def draw(self, name, *shape, size=1.0, shift=0.0):
        flat = [round(4096 * (shift + size * self.random.uniform(-1, 1))) / 4096 for _ in range(math.prod(shape))]
        self.tensors[name] = (list(shape), flat)

    def draw_norm(self, name, width):
        if name:
            self.draw(f"{name}.weight", width, size=0.3, shift=1)
            if not self.llama:
                self.draw(f"{name}.bias", width, size=0.3)

    def draw_map(self, name, rows, columns, rule=False):
        self.draw(f"{name}.weight", *((columns, rows) if self.name == "gpt2" else (rows, columns)), size=1.5 / math.sqrt(columns))
        if rule if type(rule) is bool else self.biases:
            self.draw(f"{name}.bias", rows, size=0.3)

    def draw_layer(self, prefix):
        n, size, small = self.n, self.heads * self.w, self.key_heads * self.w
        shapes = {"joined": (3 * size, n), "query": (size, n), "key": (small, n), "value": (small, n), "output": (n, size),
                  "up": (INNER, n), "factor": (INNER, n), "down": (n, INNER)}
        for part, shape in shapes.items():
            if part in self.names:
                attention, output, perceptron = BIASES[self.name]
                rule = output if part == "output" else perceptron if part in ("up", "factor", "down") else attention
                self.draw_map(prefix + self.names[part], *shape, rule)
        for part, width in (("first", n), ("second", n)) + (("query norm", self.w), ("key norm", self.w)) * (self.name == "qwen3"):
            self.draw_norm(prefix + self.names[part], width)
        if self.kind == "softmax-sink":
            self.draw(prefix + self.names["sinks"], self.heads)
        if self.kind == "softmax-gated":
            self.draw(prefix + self.names["gate"] + ".weight", self.heads, n)
            self.draw(prefix + self.names["gate"] + ".bias", self.heads)

    # ---- the folder and the certificate

    def files(self, dtype="F32"):
        """The model's files by name."""
        names = sorted(self.tensors)
        shards = [names[k::self.shards] for k in range(self.shards)]
        files = {"config.json": json.dumps(self.config, indent=1).encode()}
        for k, shard in enumerate(shards):
            header, data = {}, b""
            for name in shard:
                shape, flat = self.tensors[name]
                header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(flat) * 4]}
                data += struct.pack(f"<{len(flat)}f", *flat)
            files["model.safetensors" if self.shards == 1 else f"model-{k}.safetensors"] = safetensors(header, data)
        if self.shards > 1:
            place = {name: f"model-{k}.safetensors" for k, shard in enumerate(shards) for name in shard}
            files["model.safetensors.index.json"] = json.dumps({"metadata": {"total_size": 1}, "weight_map": place}).encode()
        return files

    def certificate(self, files, claim_hash, sequences, statements, precision=64):
        return {"format": 1, "kind": "language", "claim": "language", "claim_sha256": claim_hash, "semantics": "real",
                "model": {"architecture": self.name, "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}},
                "sequences": sequences, "precision": precision, "statements": statements}

    # ---- 5.3 in doubles

    def rows_of(self, name, columns):
        flat = self.tensors[name][1]
        return [flat[i:i + columns] for i in range(0, len(flat), columns)]

    def mapped(self, name, rows, part=None):
        """W x + b of each row; `part`: only these outputs."""
        columns = self.tensors[f"{name}.weight"][0][1]
        matrix = self.rows_of(f"{name}.weight", columns)
        matrix = [list(column) for column in zip(*matrix)] if self.name == "gpt2" and not name.startswith(("lm_head", "transformer.wte")) and "gate" not in name else matrix
        bias = self.tensors.get(f"{name}.bias", (None, [0] * len(matrix)))[1]
        return [[dot(matrix[r], x) + bias[r] for r in part or range(len(matrix))] for x in rows]

    def normed(self, name, rows):
        gains, n = self.tensors[f"{name}.weight"][1], len(rows[0])
        key, default = EPSILONS.get(self.name, ("rms_norm_eps", 1e-6))
        epsilon, result = self.config.get(key, default), []
        for x in rows:
            if self.llama:
                result.append([g * a / math.sqrt(dot(x, x) / n + epsilon) for g, a in zip(gains, x)])
            else:
                m, offsets = mean(x), self.tensors[f"{name}.bias"][1]
                s = math.sqrt(mean((a - m)**2 for a in x) + epsilon)
                result.append([g * (a - m) / s + b for g, a, b in zip(gains, x, offsets)])
        return result

    def turned(self, x, i):
        if not (self.llama or self.name == "gpt_neox"):
            return x
        share = self.config.get("rotary_pct", 0.25) if self.name == "gpt_neox" else 1
        r, base = math.floor(share * self.w), self.config.get("rope_theta", self.config.get("rotary_emb_base", 10000))
        context = self.rope.get("original_max_position_embeddings", self.config.get("max_position_embeddings"))
        a = self.rope.get("attention_factor", 1 + math.log(self.rope["factor"]) / 10) if self.rope.get("rope_type") == "yarn" else 1
        result = list(x)
        for j in range(r // 2):
            angle = i * scaled_frequency(self.rope, base, r, j, context)
            c, s, k = a * math.cos(angle), a * math.sin(angle), j + r // 2
            result[j], result[k] = x[j] * c - x[k] * s, x[k] * c + x[j] * s
        return result

    def window(self):
        return self.config.get("sinkproof_window" if self.name == "gpt2" else "sliding_window")

    def has_window(self, l):
        rule = {"mistral": True, "gpt2": True, "qwen2": self.config.get("use_sliding_window"), "qwen3": self.config.get("use_sliding_window"),
                "gpt_oss": True}.get(self.name)
        if not rule or not self.window():
            return False
        if types := self.config.get("layer_types"):
            return types[l] == "sliding_attention"
        return self.name in ("mistral", "gpt2") or l >= self.config.get("max_window_layers", 0)

    def sees(self, i, j, l, h, change):
        if self.name == "bert":
            return True
        if j > i or self.has_window(l) and i - j >= self.window():
            return False
        if "ablated" in change:
            return not ([l, h] in change["ablated"] and j == 0 and i >= 1)
        return not change or j < change["first"] or i - j < change["window"]

    def heads_of(self, l, rows, change):
        """(queries / sqrt(w), keys, values, weights, outputs, gates) of each head."""
        prefix, w, result, tokens = self.names["layer"].format(l), self.w, [], range(len(rows))
        slot = self.kind in ("softmax-null", "softmax-sink")
        for h in range(self.heads):
            k = h * self.key_heads // self.heads
            if "joined" in self.names:
                step, size = (3 * w, w) if self.name == "gpt_neox" else (w, self.heads * w)
                q, key, v = (self.mapped(prefix + self.names["joined"], rows, range(h * step + part * size, h * step + part * size + w)) for part in range(3))
            else:
                q, key, v = (self.mapped(prefix + self.names[part], rows, range(at * w, at * w + w)) for part, at in (("query", h), ("key", k), ("value", k)))
            if self.name == "qwen3":
                q, key = self.normed(prefix + self.names["query norm"], q), self.normed(prefix + self.names["key norm"], key)
            last = change["first"] + change["window"] - 1 if change.get("renumbered") else len(rows)
            near = [[x / math.sqrt(w) for x in self.turned(q[i], min(i, last))] for i in tokens]
            q, key = [[x / math.sqrt(w) for x in self.turned(q[i], i)] for i in tokens], [self.turned(key[i], i) for i in tokens]
            weights, out = [], []
            for i in tokens:
                seen = [j for j in tokens if self.sees(i, j, l, h, change)]
                kernel = KERNELS[self.kind.split("-")[0]]
                kernels = {j: kernel(dot(near[i] if change.get("renumbered") and j < change["first"] else q[i], key[j])) for j in seen}
                whole = sum(kernels.values()) if "softmax" in self.kind or "normalised" in self.kind else 1
                whole += math.exp(self.tensors[prefix + self.names["sinks"]][1][h] if self.kind == "softmax-sink" else 0) if slot else 0
                weights.append([kernels.get(j, 0) / whole if seen else 0 for j in tokens])
                out.append([dot(weights[i], column) for column in zip(*v)])
            gates = self.mapped(prefix + self.names["gate"], rows, [h]) if self.kind == "softmax-gated" else [[math.inf]] * len(rows)
            result.append((q, key, v, weights, out, [1 / (1 + math.exp(-x)) for x, in gates]))
        return result

    def perceptron(self, prefix, rows):
        key, default = ACTIVATION_KEYS.get(self.name, ("hidden_act", "silu"))
        act, up = ACTIVATIONS[self.config.get(key, default)], self.mapped(prefix + self.names["up"], rows)
        if "factor" in self.names:
            inner = [[act(x) * y for x, y in zip(*of)] for of in zip(self.mapped(prefix + self.names["factor"], rows), up)]
        else:
            inner = [[act(x) for x in row] for row in up]
        return self.mapped(prefix + self.names["down"], inner)

    def evaluate(self, tokens, change=None):
        """(h^0 .. h^D, the heads of each layer, the logits or None)."""
        change, plus = change or {}, lambda *of: [[sum(x) for x in zip(*rows)] for rows in zip(*of)]
        last = change["first"] + change["window"] - 1 if change.get("renumbered") else len(tokens)
        table = {part: self.rows_of(f"{self.names[part]}.weight", self.n) for part in ("tokens", "positions", "types") if part in self.names}
        x = [table["tokens"][token] for token in tokens]
        if "positions" in table:
            x = plus(x, [table["positions"][min(i, last) + 2 * (self.name == "opt")] for i in range(len(tokens))])
        if "types" in table:
            x = self.normed(self.names["embedding"], plus(x, [table["types"][0]] * len(tokens)))
        after, rows, heads = self.name == "bert", [], []
        for l in range(self.layers):
            rows.append(x)
            prefix = self.names["layer"].format(l)
            first, second = prefix + self.names["first"], prefix + self.names["second"]
            heads.append(self.heads_of(l, x if after else self.normed(first, x), change))
            out = [[g * y for _, _, _, _, o, gates in heads[l] for g, y in [(gates[i], y) for y in o[i]]] for i in range(len(x))]
            middle = plus(x, self.mapped(prefix + self.names["output"], out))
            middle = self.normed(first, middle) if after else middle
            if self.name == "gpt_neox" and self.config.get("use_parallel_residual", True):
                x = plus(middle, self.perceptron(prefix, self.normed(second, x)))
            elif f"{prefix}{self.names['up']}.weight" in self.tensors:
                x = plus(middle, self.perceptron(prefix, middle if after else self.normed(second, middle)))
                x = self.normed(second, x) if after else x
            else:
                x = middle
        if after:
            return rows + [x], heads, None
        own = self.names["head"] if f"{self.names['head']}.weight" in self.tensors and not self.config.get("tie_word_embeddings") else self.names["tokens"]
        return rows + [x], heads, self.mapped(own, self.normed(self.names["final"], x))

    # ---- 5.4 in doubles

    def numbers(self, readout, tokens, k=None, change=None):
        rows, heads, logits = self.evaluate(tokens)
        every, flat = range(len(tokens)), [head for layer in heads for head in layer]
        queries, k = every if self.name == "bert" else range((k or 1) - 1, len(tokens)), (k or 1) - 1
        cosine = lambda x, y: dot(x, y) / (norm(x) * norm(y))
        step = self.heads // self.key_heads
        per_key = [head for layer in heads for head in layer[::step]]
        if readout == "moved":
            rows2, _, logits2 = self.evaluate(tokens, change)
            distance = lambda x, y: norm([a - b for a, b in zip(x, y)])
            moved = [max(map(distance, *of)) for of in zip(rows, rows2)]
            return moved + ([max(abs(a - b) for x, y in zip(logits, logits2) for a, b in zip(x, y))] if logits else [])
        value_share = lambda v, a: abs(a[k]) * norm(v[k]) / sum(abs(x) * norm(y) for x, y in zip(a, v)) if any(a) else 0
        return {
            "alpha": lambda: [mean(a[i][k] for i in queries) for _, _, _, a, _, _ in flat],
            "value-alpha": lambda: [mean(value_share(v, a[i]) for i in queries) for _, _, v, a, _, _ in flat],
            "norm-product": lambda: [mean(norm(q[i]) * norm(keys[k]) for i in queries) for q, keys, _, _, _, _ in flat],
            "cosine": lambda: [mean(cosine(q[i], keys[k]) for i in queries) for q, keys, _, _, _, _ in flat],
            "value-ratio": lambda: [norm(v[k]) / mean(norm(x) for j, x in enumerate(v) if j != k) if len(v) > 1 else 0 for _, _, v, _, _, _ in flat],
            "broadcast-share": lambda: [sum(dot(o[i], v[k])**2 for i in queries) / (norm(v[k])**2 * sum(dot(o[i], o[i]) for i in queries)) for _, _, v, _, o, _ in flat],
            "hidden-norm": lambda: [norm(x) for layer in rows for x in layer],
            "query-norm": lambda: [norm(x) for head in flat for x in head[0]],
            "key-norm": lambda: [norm(x) for head in per_key for x in head[1]],
            "value-norm": lambda: [norm(x) for head in per_key for x in head[2]],
            "mean-cosine": lambda: [mean(cosine(x[i], x[j]) for i in every for j in every if i < j) if len(x) > 1 else 0 for x in rows],
        }[readout]()


def stated(readout, values, room, **more):
    """A statement with bounds so far from the values."""
    ends = [[str(Fraction(x) + by) for x in values] for by in (-room, room)]
    short = [[str(Fraction(round(Fraction(x) * 10**12), 10**12)) for x in of] for of in ends]
    return {"readout": readout, "lower": short[0], "upper": short[1], **more}
