#!/usr/bin/env python3
"""The same training in PyTorch, three times, timed beside ours.

  stream      samples drawn one at a time, stacked into batches of 128: how one writes it first
  vectorised  the whole batch drawn by a few tensor operations (scripted), forward and loss traced,
              multi-tensor Adam, gradients set to none
  products    vectorised, and the model evaluated through W_Q^T W_K and W_O W_V as ours is: the fastest
              we could make it with PyTorch's own operations

Model, loss, optimiser, sizes and an L-inf error at every step are those of src/train. If
build/bin/bench_train exists it is timed in turn with them. Each figure is the best of several rounds,
on both sides, so that other load on the machine falls out.

    python3 bench/peer_pytorch.py [--attention softmax|relu] [--threads N] [--steps N] [--rounds N]
"""
import argparse
import json
import pathlib
import subprocess
import time

import torch

N, LENGTH, BATCH, LR, DEVIATION = 16, 16, 128, 1e-3, 0.02
BENCH = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "bench_train"


class Model(torch.nn.Module):
    def __init__(self, attention, products):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = torch.nn.Linear(N, N, bias=False)
            torch.nn.init.normal_(layer.weight, std=DEVIATION)
            setattr(self, name, layer)
        self.relu = attention == "relu"
        self.products = products
        causal = torch.ones(LENGTH, LENGTH).tril()
        self.register_buffer("scale", causal / torch.arange(LENGTH).clamp(min=1)[:, None])
        self.register_buffer("hide", torch.zeros(LENGTH, LENGTH).masked_fill(causal == 0, -torch.inf))

    def weigh(self, logits):
        if self.relu:
            return logits.relu() * self.scale
        return torch.softmax(logits + self.hide, -1)

    def forward(self, x, y):
        if self.products:
            logits = (x @ (self.W_Q.weight.t() @ self.W_K.weight)) @ x.transpose(1, 2)
            out = (self.weigh(logits) @ x) @ (self.W_O.weight @ self.W_V.weight).t()
        else:
            logits = self.W_Q(x) @ self.W_K(x).transpose(1, 2)
            out = self.W_O(self.weigh(logits) @ self.W_V(x))
        error = out - y
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

    def __init__(self, attention, batches, fast, products):
        torch.manual_seed(0)
        model = Model(attention, products)
        self.batches = batches
        self.forward = torch.jit.trace(model, next(batches)) if fast else model
        self.optimiser = torch.optim.Adam(model.parameters(), lr=LR, betas=(0.9, 0.95), eps=1e-8, foreach=fast)
        self.loss = 0.0

    def timed(self, steps):
        start = time.perf_counter()
        for _ in range(steps):
            x, y = next(self.batches)
            loss, linf = self.forward(x, y)
            if not linf.item() >= 0:
                raise AssertionError("diverged")
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.optimiser.step()
        seconds = time.perf_counter() - start
        self.loss = loss.item()
        return steps / seconds


def our_names(attention):
    """bench_train's entries for the best instruction set, jobs 1 and 2; it lists the best first."""
    if not BENCH.exists():
        return []
    listed = subprocess.run([str(BENCH), "--benchmark_list_tests", f"--benchmark_filter=^train/{attention}/"],
                            check=True, capture_output=True, text=True).stdout.split()
    return listed[:2]


def ours(name):
    command = [str(BENCH), f"--benchmark_filter=^{name}$", "--benchmark_format=json", "--benchmark_min_time=0.3"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["benchmarks"][0]["items_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400, help="a round")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--attention", choices=("softmax", "relu"), default="softmax")
    parser.add_argument("--threads", type=int, default=1, help="PyTorch's")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"PyTorch {torch.__version__}, {arguments.threads} thread(s), {arguments.attention}; best of "
          f"{arguments.rounds} rounds, steps/s")
    runs = {"stream": Run(arguments.attention, stream(), False, False),
            "vectorised": Run(arguments.attention, vectorised(), True, False),
            "products": Run(arguments.attention, vectorised(), True, True)}
    lengths = {name: max(arguments.steps // 10, 1) if name == "stream" else arguments.steps for name in runs}
    for name, run in runs.items():
        run.timed(lengths[name] // 2)  # lets the tracing executor settle
    names = our_names(arguments.attention)
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
