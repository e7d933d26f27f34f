"""A model folder of `sinkproof train-lm` in PyTorch: loss on a text, and where its heads sink.

    python3 examples/language_model.py DIR TEXT

Reads config.json and model.safetensors with nothing but PyTorch and NumPy. Figures are estimates.
"""
import json
import pathlib
import sys

import numpy
import torch
from torch.nn.functional import cross_entropy, elu, gelu, layer_norm, silu


def read_safetensors(path):
    raw = pathlib.Path(path).read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    header.pop("__metadata__", None)
    return {name: torch.from_numpy(numpy.frombuffer(raw[start + at["data_offsets"][0]:start + at["data_offsets"][1]],
                                                    dtype="<f4").reshape(at["shape"]).copy())
            for name, at in header.items()}


# For each format what begins all names, what begins those of a layer, and our names with theirs. Where there are several
# theirs lie side by side in ours. Maps are [in, out] here and in gpt2, elsewhere [out, in].
def names(prefix, layer, outside, inside):
    split = lambda text: {ours: theirs.split("+") for ours, theirs in (pair.split("=") for pair in text.split())}  # noqa: E731
    return prefix, layer, split(outside), split(inside)


LLAMA = names("model.", "layers.", "wte=embed_tokens ln_f=norm", """ln_1=input_layernorm ln_2=post_attention_layernorm
    attn.c_attn=self_attn.q_proj+self_attn.k_proj+self_attn.v_proj attn.c_proj=self_attn.o_proj attn.sinks=self_attn.sinks
    attn.gate=self_attn.gate mlp.c_fc=mlp.gate_proj+mlp.up_proj mlp.c_proj=mlp.down_proj""")
NAMES = {
    "llama": LLAMA, "mistral": LLAMA,
    "gpt2": names("", "h.", "wte=wte wpe=wpe ln_f=ln_f", " ".join(f"{name}={name}" for name in (
        "ln_1", "ln_2", "attn.c_attn", "attn.c_proj", "attn.sinks", "attn.gate", "mlp.c_fc", "mlp.c_proj"))),
    "gpt_neox": names("gpt_neox.", "layers.", "wte=embed_in ln_f=final_layer_norm", """ln_1=input_layernorm
        ln_2=post_attention_layernorm attn.c_attn=attention.query_key_value attn.c_proj=attention.dense
        mlp.c_fc=mlp.dense_h_to_4h mlp.c_proj=mlp.dense_4h_to_h"""),
    "opt": names("model.decoder.", "layers.", "wte=embed_tokens wpe=embed_positions ln_f=final_layer_norm", """
        ln_1=self_attn_layer_norm ln_2=final_layer_norm attn.c_attn=self_attn.q_proj+self_attn.k_proj+self_attn.v_proj
        attn.c_proj=self_attn.out_proj mlp.c_fc=fc1 mlp.c_proj=fc2""")}


def own_settings(config):
    """The settings of the run, as a folder of type sinkproof_decoder has them."""
    if config["model_type"] == "sinkproof_decoder":
        return config
    get = lambda *keys: next((config[key] for key in keys if config.get(key) is not None), None)  # noqa: E731
    act = {"gelu_new": "gelu", "relu": "relu", "silu": "silu"}[get("hidden_act", "activation_function")]
    llama = NAMES[config["model_type"]] is LLAMA
    return {"attention": get("sinkproof_attention") or "softmax", "positions": "rotary" if "rope_parameters" in config else "learned",
            "mlp": {"gelu": "geglu", "relu": "reglu", "silu": "swiglu"}[act] if llama else act, "norm": "rms" if llama else "layer",
            "norm_place": "pre" if config.get("do_layer_norm_before", True) else "post", "prefix": 0,
            "window": get("sinkproof_window", "sliding_window") or 0, "width": get("n_embd", "hidden_size"),
            "layers": get("n_layer", "num_hidden_layers"), "heads": get("n_head", "num_attention_heads"),
            "length": get("n_positions", "max_position_embeddings"), "epsilon": get("layer_norm_epsilon", "rms_norm_eps", "layer_norm_eps") or 1e-5,
            "bos_token_id": config.get("bos_token_id")}


def own_tensors(config, tensors):
    """The tensors as a folder of type sinkproof_decoder has them: GPT-2's, and c_fc has a gate's columns first."""
    of = config["model_type"]
    if of == "sinkproof_decoder":
        return tensors
    (prefix, layer, outside, inside), settings = NAMES[of], own_settings(config)
    theirs = {ours: [prefix + name for name in names] for ours, names in outside.items()}
    theirs |= {f"h.{number}.{ours}": [f"{prefix}{layer}{number}.{name}" for name in names]
               for number in range(settings["layers"]) for ours, names in inside.items()}
    own = {"lm_head.weight": tensors["embed_out.weight" if of == "gpt_neox" else "lm_head.weight"]}
    for ours, names in theirs.items():
        for part in (".weight", ".bias", ""):
            found = [tensors[name + part] for name in names if name + part in tensors]
            if not found:
                continue
            whole = torch.cat(found)
            if part == ".weight" and ".c_" in ours and of != "gpt2":
                whole = whole.T
            if of == "gpt_neox" and ours.endswith("c_attn"):  # query, key and value of each head
                whole = whole.unflatten(-1, (settings["heads"], 3, -1)).transpose(-2, -3).flatten(-3)
            own[ours + part] = whole.contiguous()
    if of == "opt":
        own["wpe.weight"] = own["wpe.weight"][2:].contiguous()
    return own


class Decoder:
    """`weights`, by name, may be made to want gradients; `attention` keeps each layer's last weights."""

    def __init__(self, folder):
        config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        self.config = own_settings(config)
        self.weights = own_tensors(config, read_safetensors(pathlib.Path(folder) / "model.safetensors"))
        self.kind, self.positions = self.config["attention"], self.config["positions"]
        self.attention = []

    def mapped(self, x, name):
        mapped = x @ self.weights[name + ".weight"]
        return mapped + self.weights[name + ".bias"] if name + ".bias" in self.weights else mapped

    def seen(self, length):
        row, key = torch.arange(length)[:, None], torch.arange(length)[None]
        prefix, window = self.config["prefix"], self.config["window"]
        seen = (key <= row) | ((row < prefix) & (key < prefix))
        return seen & (key > row - window) if window else seen

    def bias(self, length):  # [head, row, key], added to logits
        distance = (torch.arange(length)[:, None] - torch.arange(length)[None]).clamp(min=0)
        heads = self.config["heads"]
        if self.positions == "relative":
            far = 16 + (torch.log(distance.double().clamp(min=16) / 16) / numpy.log(8) * 16).long().clamp(max=15)
            return self.weights["relative_attention_bias.weight"][torch.where(distance < 16, distance, far)].permute(2, 0, 1)
        if self.positions == "alibi":
            power = 2 ** int(numpy.log2(heads))
            slopes = [2 ** (-8 * (h + 1) / power) for h in range(power)] + [2 ** (-4 * (2 * h + 1) / power) for h in range(power)]
            return -torch.tensor(slopes[:heads], dtype=torch.double)[:, None, None] * distance
        return torch.zeros(heads, length, length)

    def turn(self, x):  # [batch, head, length, head width]
        if self.positions != "rotary":
            return x
        half = x.shape[-1] // 2
        angle = torch.arange(x.shape[2]).double()[:, None] * 10000.0 ** (-torch.arange(half).double() / half)
        first, second = x[..., :half], x[..., half:]
        return torch.cat([first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()], -1).to(x.dtype)

    def features(self, x, at):
        if self.kind.startswith("elu1-kernel"):
            return elu(x) + 1
        if self.kind.startswith("mlp-kernel"):
            return (x @ self.weights[at + "kernel_in.weight"]).relu() @ self.weights[at + "kernel_out.weight"]
        return x

    def heads(self, x):  # [batch, length, width] -> [batch, head, length, head width]
        return x.unflatten(-1, (self.config["heads"], -1)).transpose(1, 2)

    def slot(self, name, like):  # one row before the first, learned or zero; coordinates that are not learned are 0
        batch, heads, _, own = like.shape
        row = self.weights.get(name, torch.zeros(heads * own, dtype=like.dtype))
        row = row.unflatten(0, (1 if "-shared-" in self.kind and len(row) <= own else heads, -1))
        row = torch.nn.functional.pad(row, (0, own - row.shape[1])).expand(heads, -1)
        return torch.cat([row[None, :, None].expand(batch, -1, -1, -1), like], 2)

    def attend(self, x, at):
        query, key, value = map(self.heads, self.mapped(x, at + "c_attn").chunk(3, -1))
        if at + "value_bias" in self.weights:
            value = value + self.heads(self.weights[at + "value_bias"][None, None])
        query, key = (self.features(self.turn(x), at) for x in (query, key))
        seen, bias = self.seen(x.shape[1]), self.bias(x.shape[1]).to(x.dtype)
        slots = self.kind in ("softmax-null", "softmax-sink") or self.kind.endswith(("-key-bias", "-key-value-bias"))
        if slots:
            key, value = self.slot(at + "bias_k", key), self.slot(at + "bias_v", value)
            seen = torch.cat([torch.ones(len(seen), 1, dtype=torch.bool), seen], 1)
            bias = torch.cat([torch.zeros_like(bias[..., :1]), bias], 2)
        logits = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5 + bias
        if self.kind == "softmax-sink":
            logits = torch.cat([logits[..., :1] + self.weights[at + "sinks"][:, None, None], logits[..., 1:]], -1)
        kernels = {"sigmoid": torch.sigmoid, "elu1": lambda x: elu(x) + 1, "linear": lambda x: x, "relu-mean": torch.relu}
        kernels |= {"elu1-kernel": kernels["linear"], "mlp-kernel": kernels["linear"]}
        kernel = kernels.get(self.kind.removesuffix("-normalised"))
        if kernel is None:
            weights = torch.softmax(logits.masked_fill(~seen, -torch.inf), -1)
        else:
            weights = kernel(logits) * seen
        if self.kind.endswith("-normalised"):
            total = weights.sum(-1, keepdim=True)
            weights = weights / (total.abs().clamp(min=1) if self.kind.startswith(("linear", "mlp")) else total)
        if self.kind == "relu-mean":
            weights = weights / seen.sum(-1, keepdim=True)
        share = weights.abs() / weights.abs().sum(-1, keepdim=True).clamp(min=1e-30)
        self.attention.append(share[..., 1:] if slots else share)
        mixed = weights @ value
        if self.kind == "softmax-gated":
            gate = torch.sigmoid(x @ self.weights[at + "gate.weight"].T + self.weights[at + "gate.bias"])
            mixed = mixed * gate.transpose(1, 2)[..., None]
        return self.mapped(mixed.transpose(1, 2).flatten(2), at + "c_proj")

    def norm(self, x, name):
        weight, epsilon = self.weights[name + ".weight"], self.config["epsilon"]
        if self.config["norm"] == "rms":
            return x * (x.pow(2).mean(-1, keepdim=True) + epsilon).rsqrt() * weight
        return layer_norm(x, weight.shape, weight, self.weights[name + ".bias"], epsilon)

    def feed_forward(self, x, at):
        wide, kind = self.mapped(x, at + "c_fc"), self.config["mlp"]
        act = {"r": torch.relu, "s": silu, "g": lambda x: gelu(x, approximate="tanh")}[kind[0]]
        if kind.endswith("glu"):
            gate, wide = wide.chunk(2, -1)
            wide = act(gate) * wide
        else:
            wide = act(wide)
        return self.mapped(wide, at + "c_proj")

    def __call__(self, tokens):  # [batch, length] -> logits
        self.attention = []
        x = self.weights["wte.weight"][tokens]
        if "wpe.weight" in self.weights:
            x = x + self.weights["wpe.weight"][:tokens.shape[1]]
        post = self.config["norm_place"] == "post"
        for layer in range(self.config["layers"]):
            at = f"h.{layer}."
            for sublayer, inside, norm in ((self.attend, "attn.", "ln_1"), (self.feed_forward, "mlp.", "ln_2")):
                if post:
                    x = self.norm(x + sublayer(x, at + inside), at + norm)
                else:
                    x = x + sublayer(self.norm(x, at + norm), at + inside)
        return (x if post else self.norm(x, "ln_f")) @ self.weights["lm_head.weight"].T

    def loss(self, tokens):  # [batch, length + 1]; of the rows that predict
        first = max(self.config["prefix"] - 1, 0)
        return cross_entropy(self(tokens[:, :-1])[:, first:].flatten(0, 1), tokens[:, 1:][:, first:].flatten())


def main():
    model = Decoder(sys.argv[1])
    length = model.config["length"]
    bos = [model.config["bos_token_id"]] if model.config["bos_token_id"] is not None else []
    text = pathlib.Path(sys.argv[2]).read_bytes()
    taken = length + 1 - len(bos)
    rows = [bos + list(text[at:at + taken]) for at in range(0, len(text) - taken + 1, taken)][-100:]
    with torch.no_grad():
        loss = model.loss(torch.tensor(rows))
    print(f"{len(rows)} sequences, {loss:.4f} nats a byte; share of sequences with alpha_1 > 0.3:")
    for layer, weights in enumerate(model.attention):
        shares = (weights[..., 0].mean(-1) > 0.3).float().mean(0)
        print(f"  layer {layer + 1}: " + " ".join(f"{share:.2f}" for share in shares))


if __name__ == "__main__":
    main()
