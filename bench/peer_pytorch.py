#!/usr/bin/env python3
"""The same training in PyTorch, twice, timed beside ours.

  stream      samples drawn one at a time, stacked into batches of 128: how one writes it first
  vectorised  the whole batch drawn by a few tensor operations (scripted), forward and loss traced,
              multi-tensor Adam, gradients set to none: as fast as we could make it without leaving
              PyTorch's own operations

Model, loss, optimiser, sizes and the L-inf stop test of every step are those of src/train. If
build/bin/bench_train exists it is run before and after and the ratios are printed.

    python3 bench/peer_pytorch.py [--steps N] [--attention softmax|relu] [--threads N]
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
    def __init__(self, attention):
        super().__init__()
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = torch.nn.Linear(N, N, bias=False)
            torch.nn.init.normal_(layer.weight, std=DEVIATION)
            setattr(self, name, layer)
        self.relu = attention == "relu"
        causal = torch.ones(LENGTH, LENGTH).tril()
        self.register_buffer("scale", causal / torch.arange(LENGTH).clamp(min=1)[:, None])
        self.register_buffer("hide", torch.zeros(LENGTH, LENGTH).masked_fill(causal == 0, -torch.inf))

    def forward(self, x, y):
        logits = self.W_Q(x) @ self.W_K(x).transpose(1, 2)
        if self.relu:
            weights = logits.relu() * self.scale
        else:
            weights = torch.softmax(logits + self.hide, -1)
        error = self.W_O(weights @ self.W_V(x)) - y
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


def steps_per_second(attention, batches, trace, steps, warm_up):
    torch.manual_seed(0)
    model = Model(attention)
    forward = torch.jit.trace(model, next(batches)) if trace else model
    optimiser = torch.optim.Adam(model.parameters(), lr=LR, betas=(0.9, 0.95), eps=1e-8, foreach=trace)
    start = None
    for step in range(warm_up + steps):
        if step == warm_up:
            start = time.perf_counter()
        x, y = next(batches)
        loss, linf = forward(x, y)
        if linf.item() < 0:
            raise AssertionError("an absolute value below zero")
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    seconds = time.perf_counter() - start
    if not torch.isfinite(loss):
        raise AssertionError("diverged")
    return steps / seconds, float(loss.detach())


def ours(attention):
    if not BENCH.exists():
        return None
    command = [str(BENCH), f"--benchmark_filter=^train/{attention}/", "--benchmark_format=json",
               "--benchmark_repetitions=3", "--benchmark_min_time=0.5"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {entry["run_name"].removesuffix("/real_time"): entry["items_per_second"]
            for entry in report["benchmarks"] if entry.get("aggregate_name") == "median"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--attention", choices=("softmax", "relu"), default="softmax")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    print(f"PyTorch {torch.__version__}, {arguments.threads} thread(s), {arguments.attention}")
    before = ours(arguments.attention)
    slow, slow_loss = steps_per_second(arguments.attention, stream(), False, max(arguments.steps // 10, 50), 5)
    fast, fast_loss = steps_per_second(arguments.attention, vectorised(), True, arguments.steps, 200)
    after = ours(arguments.attention)
    print(f"  stream:     {slow:9.1f} steps/s (loss now {slow_loss:.2e})")
    print(f"  vectorised: {fast:9.1f} steps/s (loss now {fast_loss:.2e})")
    if before is None:
        print(f"  no {BENCH.name}: build first for the ratios")
        return
    for name in before:
        slower = min(before[name], after[name])
        print(f"  {name}: {slower:9.1f} steps/s (slower of before and after) = "
              f"{slower / fast:.1f} x vectorised, {slower / slow:.0f} x stream")


if __name__ == "__main__":
    main()
