#!/usr/bin/env python3
"""The same training in PyTorch, three times, timed beside ours.

  stream      samples drawn one at a time, stacked into batches of 128: how one writes it first
  vectorised  the whole batch drawn by a few tensor operations (scripted), forward and loss traced,
              multi-tensor Adam, gradients set to none
  products    vectorised, and the model evaluated through W_Q^T W_K and W_O W_V as ours is: the fastest
              we could make it with PyTorch's own operations

Model, loss, optimiser, sizes and an L-inf error at every step are those of src/training/train. If
build/bin/bench_train exists it is timed in turn with them. Each figure is the best of several rounds,
and of one thread by its own time, on both sides, so that other load on the machine falls out.

    python3 bench/peer_pytorch.py [--attention softmax|relu] [--size S] [--threads N] [--steps N] [--rounds N]

--size S trains S layers of S heads, with residual connections if S > 1. A large OpenBLAS kernel
(OPENBLAS_CORETYPE=SKYLAKEX where there is AVX-512) makes PyTorch faster.
"""
import argparse
import json
import pathlib
import re
import subprocess
import time

import torch

N, LENGTH, BATCH, DEVIATION = 16, 16, 128, 0.02
BENCH = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "bench_train"


class Layer(torch.nn.Module):
    def __init__(self, attention, heads, products):
        super().__init__()
        wide = heads * N
        for name, ins, outs in (("W_Q", N, wide), ("W_K", N, wide), ("W_V", N, wide), ("W_O", wide, N)):
            linear = torch.nn.Linear(ins, outs, bias=False)
            torch.nn.init.normal_(linear.weight, std=DEVIATION)
            setattr(self, name, linear)
        self.relu = attention == "relu"
        self.heads = heads
        self.products = products
        causal = torch.ones(LENGTH, LENGTH).tril()
        self.register_buffer("scale", causal / torch.arange(LENGTH).clamp(min=1)[:, None], persistent=False)
        self.register_buffer("hide", torch.zeros(LENGTH, LENGTH).masked_fill(causal == 0, -torch.inf),
                             persistent=False)

    def weigh(self, logits):
        if self.relu:
            return logits.relu() * self.scale
        return torch.softmax(logits + self.hide, -1)

    def split(self, rows):
        return rows.view(BATCH, LENGTH, self.heads, N).transpose(1, 2)

    def join(self, heads):
        return heads.transpose(1, 2).reshape(BATCH, LENGTH, self.heads * N)

    def forward(self, x):
        if not self.products:
            weights = self.weigh(self.split(self.W_Q(x)) @ self.split(self.W_K(x)).transpose(2, 3))
            return self.W_O(self.join(weights @ self.split(self.W_V(x))))
        key, value = (linear.weight.view(self.heads, N, N) for linear in (self.W_K, self.W_V))
        logits = self.W_Q.weight.view(self.heads, N, N).transpose(1, 2) @ key
        value = self.W_O.weight.view(N, self.heads, N).permute(1, 0, 2) @ value
        tokens = x[:, None]
        weights = self.weigh(self.split(x @ logits.transpose(0, 1).reshape(N, -1)) @ tokens.transpose(2, 3))
        return self.join(weights @ tokens) @ value.transpose(1, 2).reshape(-1, N)


class Model(torch.nn.Module):
    def __init__(self, attention, size, products):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(attention, size, products) for _ in range(size))
        self.residual = size > 1

    def forward(self, x, y):
        state = x
        for layer in self.layers:
            state = state + layer(state) if self.residual else layer(state)
        error = state - y - x if self.residual else state - y
        return error.square().mean(), error.detach().abs().max()


def one_sample():
    j = int(torch.randint(3, LENGTH + 1, ()))
    x = torch.zeros(LENGTH, N)
    x[0, 0] = 1
    x[1:, 2:N - 1] = torch.rand(LENGTH - 1, N - 3) * 2 - 1
    x[1:, N - 1] = 1
    x[j - 1, N - 1] = 0
    x[j - 1, 1] = 1
    y = torch.zeros(LENGTH, N)
    y[j - 1] = x[1:j].mean(0)
    return x, y


def stream():
    while True:
        samples = [one_sample() for _ in range(BATCH)]
        yield torch.stack([x for x, _ in samples]), torch.stack([y for _, y in samples])


@torch.jit.script
def whole_batch(positions, base, share, N: int, LENGTH: int, BATCH: int):
    # positions: 0..L-1; base: [L][N] tokens without noise and trigger; share: 1/row, row from zero
    row = torch.randint(2, LENGTH, (BATCH, 1))
    trigger = (positions == row).float()
    x = base.repeat(BATCH, 1, 1)
    x[:, 1:, 2:N - 1].uniform_(-1.0, 1.0)
    x[:, :, 1] = trigger
    x[:, 1:, N - 1] -= trigger[:, 1:]
    mean = torch.bmm(((positions > 0) & (positions <= row)).float()[:, None], x) * share[row[:, 0]][:, None, None]
    y = trigger[:, :, None] * mean
    return x, y


def vectorised():
    positions = torch.arange(LENGTH)[None]
    base = torch.zeros(LENGTH, N)
    base[0, 0] = 1
    base[1:, N - 1] = 1
    share = 1.0 / torch.arange(LENGTH).clamp(min=1)
    while True:
        yield whole_batch(positions, base, share, N, LENGTH, BATCH)


class Run:
    """A model in training; each call of `timed` goes on with it and returns steps a second."""

    def __init__(self, attention, size, batches, fast, products):
        torch.manual_seed(0)
        model = Model(attention, size, products)
        self.batches = batches
        self.forward = torch.jit.trace(model, next(batches)) if fast else model
        self.optimiser = torch.optim.Adam(model.parameters(), lr=1e-3 if size == 1 else 1e-4, betas=(0.9, 0.95),
                                          eps=1e-8, foreach=fast)
        self.clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
        self.loss = 0.0

    def timed(self, steps):
        start = self.clock()
        for _ in range(steps):
            x, y = next(self.batches)
            loss, linf = self.forward(x, y)
            if not linf.item() >= 0:
                raise AssertionError("diverged")
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.optimiser.step()
        seconds = self.clock() - start
        self.loss = loss.item()
        return steps / seconds


def our_names(attention, size):
    """bench_train's entries for the best instruction set, jobs 1 and 2; it lists the best first."""
    if not BENCH.exists():
        return []
    name = attention if size == 1 else re.escape(f"{attention}+{size}layers+{size}heads")
    listed = subprocess.run([str(BENCH), "--benchmark_list_tests", f"--benchmark_filter=^train/{name}/"],
                            check=True, capture_output=True, text=True).stdout.split()
    return listed[:2]


def ours(name):
    command = [str(BENCH), f"--benchmark_filter=^{re.escape(name)}$", "--benchmark_format=json", "--benchmark_min_time=0.3"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["benchmarks"][0]["items_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400, help="a round")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--attention", choices=("softmax", "relu"), default="softmax")
    parser.add_argument("--size", type=int, choices=(1, 2, 4), default=1, help="layers, and heads of each")
    parser.add_argument("--threads", type=int, default=1, help="PyTorch's")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"PyTorch {torch.__version__}, {arguments.threads} thread(s), {arguments.attention}, "
          f"{arguments.size} x {arguments.size}; best of {arguments.rounds} rounds, steps/s")
    kind = (arguments.attention, arguments.size)
    runs = {"stream": Run(*kind, stream(), False, False),
            "vectorised": Run(*kind, vectorised(), True, False),
            "products": Run(*kind, vectorised(), True, True)}
    lengths = {name: max(arguments.steps // 10, 1) if name == "stream" else arguments.steps for name in runs}
    for name, run in runs.items():
        run.timed(lengths[name] // 2)  # lets the tracing executor settle
    names = our_names(*kind)
    best = dict.fromkeys([*runs, *names], 0.0)
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            best[name] = max(best[name], run.timed(lengths[name]))
        for name in names:
            best[name] = max(best[name], ours(name))
    for name, run in runs.items():
        print(f"  PyTorch {name:11s}{best[name]:10.1f}   (loss now {run.loss:.1e})")
    for name in names:
        print(f"  {name}: {best[name]:.1f} = " + ", ".join(f"{best[name] / best[peer]:.1f} x {peer}" for peer in runs))
    if not names:
        print(f"  no {BENCH.name} in build/bin: build first for the ratios")


if __name__ == "__main__":
    main()
