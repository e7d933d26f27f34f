#!/usr/bin/env python3
"""A training step of a small decoder in PyTorch, timed in turn with ours (build/bin/language_once).

Model, batch and optimiser are those of src/training/language_training with softmax attention, no biases but LayerNorm's,
an untied head: 862 464 parameters at the defaults. One thread is measured by the processes' own time, on
both sides, two by the clock; each figure is the best of several rounds, so that other load on the machine
falls out as far as it can.

    python3 bench/peer_language.py [--threads 1|2] [--batch 12] [--rounds 5] [--steps 20]

Needs python3-torch. A large OpenBLAS kernel (OPENBLAS_CORETYPE=SKYLAKEX where there is AVX-512) makes
PyTorch faster; with two threads the clock also pays for others' load, so PyTorch's best with one is shown.
"""
import argparse
import pathlib
import subprocess
import time

import torch
from torch.nn import Embedding, LayerNorm, Linear, Module, ModuleList
from torch.nn.functional import cross_entropy, gelu

SYMBOLS, WIDTH, LAYERS, HEADS, LENGTH = 256, 128, 4, 4, 64
OURS = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "language_once"


class Block(Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(WIDTH), LayerNorm(WIDTH)
        self.qkv, self.out = Linear(WIDTH, 3 * WIDTH, bias=False), Linear(WIDTH, WIDTH, bias=False)
        self.wide, self.narrow = Linear(WIDTH, 4 * WIDTH, bias=False), Linear(4 * WIDTH, WIDTH, bias=False)
        self.register_buffer("hide", torch.full((LENGTH, LENGTH), -torch.inf).triu(1))

    def forward(self, x):
        query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        weights = torch.softmax(query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + self.hide, -1)
        x = x + self.out((weights @ value).transpose(1, 2).flatten(2))
        return x + self.narrow(gelu(self.wide(self.norm2(x)), approximate="tanh"))


class Model(Module):
    def __init__(self):
        super().__init__()
        self.symbols, self.places = Embedding(SYMBOLS, WIDTH), Embedding(LENGTH, WIDTH)
        self.blocks, self.norm = ModuleList(Block() for _ in range(LAYERS)), LayerNorm(WIDTH)
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


def ours(batch, threads, steps):
    words = subprocess.run([str(OURS), "softmax", *map(str, (WIDTH, LAYERS, HEADS, LENGTH, batch, threads, steps))],
                           check=True, capture_output=True, text=True).stdout.replace(",", "").split()
    by_clock, own = float(words[2]), float(words[6])
    return own if threads == 1 else by_clock


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20, help="a round")
    arguments = parser.parse_args()
    model = Model()
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
        us = max(us, ours(arguments.batch, arguments.threads, 4 * arguments.steps))
    print(f"PyTorch {torch.__version__}, batch {arguments.batch}, {sum(p.numel() for p in model.parameters())} parameters; "
          f"best of {arguments.rounds} rounds, ours with {arguments.threads} thread(s) over theirs")
    for threads, name in peers:
        print(f"  PyTorch, {threads} thread(s), {name}: {us / best[threads, name]:.2f} x   ({best[threads, name]:.0f} tokens a second)")


if __name__ == "__main__":
    main()
