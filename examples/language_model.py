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


class Decoder:
    """`weights`, by name, may be made to want gradients; `attention` keeps each layer's last weights."""

    def __init__(self, folder):
        self.config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        self.weights = read_safetensors(pathlib.Path(folder) / "model.safetensors")
        self.kind = self.config["sinkproof_attention"]
        self.positions = self.config.get("sinkproof_positions")
        self.attention = []

    def seen(self, length):
        row, key = torch.arange(length)[:, None], torch.arange(length)[None]
        prefix, window = self.config.get("sinkproof_prefix", 0), self.config.get("sinkproof_window", 0)
        seen = (key <= row) | ((row < prefix) & (key < prefix))
        return seen & (key > row - window) if window else seen

    def bias(self, length):  # [head, row, key], added to logits
        distance = (torch.arange(length)[:, None] - torch.arange(length)[None]).clamp(min=0)
        heads = self.config["n_head"]
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
        return x.unflatten(-1, (self.config["n_head"], -1)).transpose(1, 2)

    def slot(self, name, like):  # one row before the first, learned or zero; coordinates that are not learned are 0
        batch, heads, _, own = like.shape
        row = self.weights.get(name, torch.zeros(heads * own, dtype=like.dtype))
        row = row.unflatten(0, (1 if "-shared-" in self.kind and len(row) <= own else heads, -1))
        row = torch.nn.functional.pad(row, (0, own - row.shape[1])).expand(heads, -1)
        return torch.cat([row[None, :, None].expand(batch, -1, -1, -1), like], 2)

    def attend(self, x, at):
        query, key, value = map(self.heads, (x @ self.weights[at + "c_attn.weight"]
                                             + self.weights[at + "c_attn.bias"]).chunk(3, -1))
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
        return mixed.transpose(1, 2).flatten(2) @ self.weights[at + "c_proj.weight"] + self.weights[at + "c_proj.bias"]

    def norm(self, x, name):
        weight, epsilon = self.weights[name + ".weight"], self.config["layer_norm_epsilon"]
        if self.config.get("sinkproof_norm") == "rms":
            return x * (x.pow(2).mean(-1, keepdim=True) + epsilon).rsqrt() * weight
        return layer_norm(x, weight.shape, weight, self.weights[name + ".bias"], epsilon)

    def feed_forward(self, x, at):
        wide = x @ self.weights[at + "c_fc.weight"] + self.weights[at + "c_fc.bias"]
        act = {"relu": torch.relu, "silu": silu}.get(self.config["activation_function"], lambda x: gelu(x, approximate="tanh"))
        if "sinkproof_mlp" in self.config:  # gated
            gate, wide = wide.chunk(2, -1)
            wide = act(gate) * wide
        else:
            wide = act(wide)
        return wide @ self.weights[at + "c_proj.weight"] + self.weights[at + "c_proj.bias"]

    def __call__(self, tokens):  # [batch, length] -> logits
        self.attention = []
        x = self.weights["wte.weight"][tokens] + self.weights["wpe.weight"][:tokens.shape[1]]
        post = self.config.get("sinkproof_norm_place") == "post"
        for layer in range(self.config["n_layer"]):
            at = f"h.{layer}."
            for sublayer, inside, norm in ((self.attend, "attn.", "ln_1"), (self.feed_forward, "mlp.", "ln_2")):
                if post:
                    x = self.norm(x + sublayer(x, at + inside), at + norm)
                else:
                    x = x + sublayer(self.norm(x, at + norm), at + inside)
        return (x if post else self.norm(x, "ln_f")) @ self.weights["lm_head.weight"].T

    def loss(self, tokens):  # [batch, length + 1]; of the rows that predict
        first = max(self.config.get("sinkproof_prefix", 0) - 1, 0)
        return cross_entropy(self(tokens[:, :-1])[:, first:].flatten(0, 1), tokens[:, 1:][:, first:].flatten())


def main():
    model = Decoder(sys.argv[1])
    length = model.config["n_positions"]
    bos = [model.config["bos_token_id"]] if "bos_token_id" in model.config else []
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
