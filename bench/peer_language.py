#!/usr/bin/env python3
"""A training step of a small decoder in PyTorch, timed in turn with ours (build/bin/language_once).

Model, batch and optimiser are those of src/training/language_training with no biases but LayerNorm's and an untied
head: 862 464 parameters at the defaults. One thread is measured by the processes' own time, on
both sides, two by the clock; each figure is the best of several rounds, so that other load on the machine
falls out as far as it can.

    python3 bench/peer_language.py [--threads 1|2] [--batch 12] [--rounds 5] [--steps 20]
        [--attention KIND] [--mlp KIND] [--norm KIND] [--norm-place PLACE]

Needs python3-torch. A large OpenBLAS kernel (OPENBLAS_CORETYPE=SKYLAKEX where there is AVX-512) makes
PyTorch faster; with two threads the clock also pays for others' load, so PyTorch's best with one is shown.
"""
import argparse
import pathlib
import subprocess
import time

import torch
from torch.nn import Embedding, LayerNorm, Linear, Module, ModuleList
from torch.nn.functional import cross_entropy, elu, gelu, silu

SYMBOLS, WIDTH, LAYERS, HEADS, LENGTH = 256, 128, 4, 4, 64
KINDS = {"attention": ("softmax", "softmax-key-bias", "linear", "linear-normalised", "elu1-kernel", "elu1-kernel-normalised",
                       "mlp-kernel", "mlp-kernel-normalised"),
         "mlp": ("gelu", "swiglu"), "norm": ("layer", "rms"), "norm-place": ("pre", "post")}
OURS = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "language_once"


class Rms(Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * (x.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * self.weight


class Block(Module):
    def __init__(self, kind):
        super().__init__()
        self.attention, self.post, own = kind.attention, kind.norm_place == "post", WIDTH // HEADS
        norm = Rms if kind.norm == "rms" else lambda: LayerNorm(WIDTH)
        self.norm1, self.norm2 = norm(), norm()
        self.qkv, self.out = Linear(WIDTH, 3 * WIDTH, bias=False), Linear(WIDTH, WIDTH, bias=False)
        hidden = 4 * WIDTH if kind.mlp == "gelu" else (8 * WIDTH // 3 + 15) // 16 * 16
        self.gated = kind.mlp == "swiglu"
        self.wide, self.narrow = Linear(WIDTH, (1 + self.gated) * hidden, bias=False), Linear(hidden, WIDTH, bias=False)
        self.register_buffer("hide", torch.full((LENGTH, LENGTH), -torch.inf).triu(1))
        self.register_buffer("seen", torch.ones(LENGTH, LENGTH).tril())
        if "mlp-kernel" in kind.attention:
            self.kernel = torch.nn.Sequential(Linear(own, own, bias=False), torch.nn.ReLU(), Linear(own, own, bias=False))
        if kind.attention == "softmax-key-bias":
            self.key_bias = torch.nn.Parameter(0.02 * torch.randn(HEADS, 1, own))

    def weights(self, query, key):
        if self.attention.startswith("elu1-kernel"):
            query, key = elu(query) + 1, elu(key) + 1
        if self.attention.startswith("mlp-kernel"):
            query, key = self.kernel(query), self.kernel(key)
        logits = query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5
        if self.attention == "softmax-key-bias":
            bias = query @ self.key_bias.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5
            return torch.softmax(torch.cat([bias, logits + self.hide], -1), -1)[..., 1:]
        if self.attention == "softmax":
            return torch.softmax(logits + self.hide, -1)
        weights = logits * self.seen
        if not self.attention.endswith("-normalised"):
            return weights
        total = weights.sum(-1, keepdim=True)
        return weights / (total if self.attention.startswith("elu1") else total.abs().clamp(min=1))

    def attend(self, x):
        query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return self.out((self.weights(query, key) @ value).transpose(1, 2).flatten(2))

    def feed_forward(self, x):
        if self.gated:
            gate, wide = self.wide(x).chunk(2, -1)
            return self.narrow(silu(gate) * wide)
        return self.narrow(gelu(self.wide(x), approximate="tanh"))

    def forward(self, x):
        if self.post:
            x = self.norm1(x + self.attend(x))
            return self.norm2(x + self.feed_forward(x))
        x = x + self.attend(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


class Model(Module):
    def __init__(self, kind):
        super().__init__()
        self.symbols, self.places = Embedding(SYMBOLS, WIDTH), Embedding(LENGTH, WIDTH)
        self.blocks = ModuleList(Block(kind) for _ in range(LAYERS))
        self.norm = torch.nn.Identity() if kind.norm_place == "post" else Rms() if kind.norm == "rms" else LayerNorm(WIDTH)
        self.head = Linear(WIDTH, SYMBOLS, bias=False)

    def forward(self, tokens):
        x = self.symbols(tokens[:, :-1]) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return cross_entropy(self.head(self.norm(x)).flatten(0, 1), tokens[:, 1:].flatten())


def pytorch(model, optimiser, batch, steps, clock):
    start = clock()
    for _ in range(steps):
        loss = model(torch.randint(0, SYMBOLS, (batch, LENGTH + 1)))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    return steps * batch * LENGTH / (clock() - start)


def ours(batch, threads, steps, kind):
    words = subprocess.run([str(OURS), *map(str, (batch, threads, steps)), *kind],
                           check=True, capture_output=True, text=True).stdout.replace(",", "").split()
    by_clock, own = float(words[2]), float(words[6])
    return own if threads == 1 else by_clock


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20, help="a round")
    for key, values in KINDS.items():
        parser.add_argument("--" + key, choices=values, default=values[0])
    arguments = parser.parse_args()
    kind = [f"{key}={getattr(arguments, key.replace('-', '_'))}" for key in KINDS]
    model = Model(arguments)
    optimisers = {"AdamW": torch.optim.AdamW(model.parameters(), 1e-3),
                  "AdamW, multi-tensor": torch.optim.AdamW(model.parameters(), 1e-3, foreach=True)}
    peers = [(threads, name) for threads in sorted({1, arguments.threads}) for name in optimisers]
    best = dict.fromkeys(peers, 0.0)
    us = 0.0
    for _ in range(arguments.rounds):
        for threads, name in peers:
            torch.set_num_threads(threads)
            clock = time.process_time if threads == 1 else time.perf_counter
            speed = pytorch(model, optimisers[name], arguments.batch, arguments.steps, clock)
            best[threads, name] = max(best[threads, name], speed)
        us = max(us, ours(arguments.batch, arguments.threads, 4 * arguments.steps, kind))
    print(f"PyTorch {torch.__version__}, batch {arguments.batch}, {sum(p.numel() for p in model.parameters())} parameters; "
          f"{', '.join(kind)}; "
          f"best of {arguments.rounds} rounds, ours with {arguments.threads} thread(s) over theirs")
    for threads, name in peers:
        print(f"  PyTorch, {threads} thread(s), {name}: {us / best[threads, name]:.2f} x   ({best[threads, name]:.0f} tokens a second)")


if __name__ == "__main__":
    main()
