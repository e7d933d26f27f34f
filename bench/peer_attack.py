#!/usr/bin/env python3
"""A plain attack in NumPy, beside ours (build/bin/attack_once): attained losses and processor seconds.

For every class of rows, row, coordinate and sign: random vertices, projected sign-gradient ascent over
all keys (whole steps by chance, then shorter and shorter ones), then flips of single coordinates of the
best until none gains, in float32; what is best is evaluated in float64. Row 1, which has no noise, is left
out.

    python3 bench/peer_attack.py [--restarts 1024] [--steps 40] [--distort X]... [--seed S] MODEL...

MODEL: one layer, any kind and number of heads, F32 or F64. --distort 0.02 multiplies each weight by
1 + 0.02 times a standard normal number first; 0, the default, leaves them.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import tempfile
import time

import numpy as np

OURS = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "attack_once"
CLASSES = ("pre", "trigger", "post")


def read(path):
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        a, b = (8 + size + offset for offset in entry["data_offsets"])
        kind = {"F64": "<f8", "F32": "<f4"}[entry["dtype"]]
        tensors[name] = np.frombuffer(data[a:b], kind).reshape(entry["shape"])
    return tensors, metadata


def write(path, tensors, metadata):
    header, blob = {"__metadata__": metadata}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": {8: "F64", 4: "F32"}[array.itemsize], "shape": list(array.shape),
                        "data_offsets": [len(blob), len(blob) + array.nbytes]}
        blob += array.tobytes()
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + blob)


def logistic(x):
    return 1 / (1 + np.exp(-np.clip(x, -80, 80)))


class Layer:
    def __init__(self, tensors, metadata, real):
        self.real = real
        tensors = {name.removeprefix("layers.0."): array.astype(float) for name, array in tensors.items()}
        self.kind, self.length = metadata["attention"], int(metadata["seq_len"])
        self.n = n = tensors["W_Q.weight"].shape[1]
        heads = range(tensors["W_Q.weight"].shape[0] // n)
        flags = np.isin(np.arange(n), (0, 1, n - 1))  # they sum to one in every token
        whole = {x: tensors[x + ".weight"] + np.outer(tensors.get(x + ".bias", np.zeros(len(heads) * n)), flags)
                 for x in ("W_Q", "W_K", "W_V")}
        part = lambda x, h: whole[x][h * n:(h + 1) * n]
        self.logit = [(part("W_Q", h).T @ part("W_K", h)).astype(real) for h in heads]
        self.value = [(tensors["W_O.weight"][:, h * n:(h + 1) * n] @ part("W_V", h)).astype(real) for h in heads]
        self.constant = tensors.get("W_O.bias", np.zeros(n)).astype(real)
        self.null = self.kind in ("softmax-null", "softmax-sink")
        self.sinks = tensors.get("sinks", np.zeros(len(heads))).astype(real)
        self.gated = self.kind == "softmax-gated"
        self.gate = [tensors[x].astype(real) for x in ("W_G.weight", "W_G.bias")] if self.gated else None
        self.softmax = self.kind.startswith("softmax")
        self.normalised = self.softmax or self.kind.endswith("normalised")

    def kernels(self, logits, head):
        """Kernels, their slopes, and the null slot's."""
        if self.softmax:
            top = logits.max(1)
            if self.null:
                top = np.maximum(top, self.sinks[head])
            kernel = np.exp(logits - top[:, None])
            return kernel, kernel, np.exp(self.sinks[head] - top) if self.null else 0
        if self.kind.startswith("sigmoid"):
            kernel = logistic(logits)
            return kernel, kernel * (1 - kernel), 0
        if self.kind.startswith("elu1"):
            below = np.exp(np.minimum(logits, 0))
            return np.where(logits >= 0, logits + 1, below), np.where(logits >= 0, 1, below), 0
        if self.kind == "relu":
            return np.maximum(logits, 0), (logits > 0).astype(logits.dtype), 0
        return logits, np.ones_like(logits), 0


class Row:
    """sign * (out_r - target_r) at position keys + 1, of tokens with noise [batch, keys, n - 3]."""

    def __init__(self, layer, rows, keys, r, sign):
        self.layer, self.keys, self.r, self.sign = layer, keys, r, sign
        n = layer.n
        self.base = np.zeros((keys + 1, n), layer.real)
        self.base[0, 0] = 1
        trigger = {"pre": None, "trigger": keys, "post": 2}[rows]
        for k in range(1, keys + 1):
            self.base[k, 1 if k == trigger else n - 1] = 1
        self.target = np.zeros(n, layer.real)
        if rows == "trigger" and r != 0:
            self.target[r] = sign / keys

    def evaluate(self, noise, with_gradient=False):
        layer, n = self.layer, self.layer.n
        x = np.broadcast_to(self.base, (len(noise), *self.base.shape)).copy()
        x[:, 1:, 2:n - 1] = noise
        own, gradient = x[:, -1], np.zeros_like(x) if with_gradient else None
        total = np.full(len(noise), self.sign * layer.constant[self.r], layer.real)
        for head, (m, v) in enumerate(zip(layer.logit, layer.value)):
            query, row = own @ m, self.sign * v[self.r]
            kernel, slope, null = layer.kernels(np.einsum("bn,bkn->bk", query, x), head)
            values = x @ row
            divisor = kernel.sum(1) + null if layer.normalised else np.full(len(noise), self.keys, layer.real)
            out = (kernel * values).sum(1) / divisor
            gate = logistic(own @ layer.gate[0][head] + layer.gate[1][head]) if layer.gated else np.ones_like(out)
            total += gate * out
            if not with_gradient:
                continue
            scale = (gate / divisor)[:, None]
            by_logit = slope * (values - (out[:, None] if layer.normalised else 0)) * scale
            gradient += by_logit[:, :, None] * query[:, None] + (kernel * scale)[:, :, None] * row
            gradient[:, -1] += np.einsum("bk,bkn->bn", by_logit, x) @ m.T
            if layer.gated:
                gradient[:, -1] += (out * gate * (1 - gate))[:, None] * layer.gate[0][head]
        total -= x[:, 1:].sum(1) @ self.target
        if not with_gradient:
            return total
        return total, (gradient[:, 1:] - self.target)[:, :, 2:n - 1]


def climb(row, restarts, steps, random):
    shape = (restarts, row.keys, row.layer.n - 3)
    noise = random.choice(np.float32([-1, 1]), shape)
    best, where = np.full(restarts, -np.inf, np.float32), noise.copy()
    for step in range(steps):
        value, gradient = row.evaluate(noise, True)
        better = value > best
        best[better], where[better] = value[better], noise[better]
        length = 2.0 if step < steps // 2 else 2.0 ** (-6 * (step - steps // 2) / steps)
        chosen = random.random(shape) < (1 if step % 3 == 0 else 0.4)
        noise = np.clip(noise + length * np.sign(gradient) * chosen, -1, 1).astype(np.float32)
    return best, where


def flip(row, value, noise):
    """The best single flip again and again."""
    while True:
        trials = np.repeat(noise[None], 2 * noise.size, 0)
        for c in range(noise.size):
            trials[2 * c].flat[c], trials[2 * c + 1].flat[c] = 1, -1
        values = row.evaluate(trials)
        top = values.argmax()
        if not values[top] > value:
            return value, noise
        value, noise = values[top], trials[top]


def attack(layer, exact, rows, restarts, steps, seed):
    first, last = {"pre": (1, layer.length - 2), "trigger": (2, layer.length - 1), "post": (3, layer.length - 1)}[rows]
    best = (-np.inf,)
    for keys in range(first, last + 1):
        for r in range(layer.n):
            for sign in (1, -1):
                row = Row(layer, rows, keys, r, sign)
                random = np.random.default_rng([seed, keys, r, sign + 1])
                values, noise = climb(row, restarts, steps, random)
                for i in np.argsort(-values)[:2]:
                    value, where = flip(row, values[i], noise[i])
                    best = max(best, (value, keys, r, sign, where), key=lambda found: found[0])
    _, keys, r, sign, where = best
    return Row(exact, rows, keys, r, sign).evaluate(where[None])[0]


def ours(path):
    lines = subprocess.run([OURS, path], check=True, capture_output=True, text=True).stdout.splitlines()
    words = {line.split()[0]: line.split() for line in lines}
    return {rows: (float(words["sup-loss." + rows][1]), float(words["sup-loss." + rows][-1])) for rows in CLASSES}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--restarts", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--distort", type=float, action="append")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print("model distorted rows plain seconds ours seconds ours/plain")
    for path in arguments.models:
        for level in arguments.distort or [0.0]:
            tensors, metadata = read(path)
            random = np.random.default_rng(arguments.seed)
            tensors = {name: (array * (1 + level * random.standard_normal(array.shape))).astype(array.dtype)
                       for name, array in sorted(tensors.items())}
            with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
                write(file.name, tensors, metadata)
                found = ours(file.name)
            layers = [Layer(tensors, metadata, real) for real in (np.float32, np.float64)]
            for rows in CLASSES:
                start = time.process_time()
                plain = attack(*layers, rows, arguments.restarts, arguments.steps, arguments.seed)
                seconds = time.process_time() - start
                value, taken = found[rows]
                ratio = value / plain if plain > 0 else 1.0 if value == plain else np.inf
                print(f"{pathlib.Path(path).stem} {level:g} {rows} {plain:.9g} {seconds:.1f} {value:.9g} "
                      f"{taken:.3f} {ratio:.7f}", flush=True)


if __name__ == "__main__":
    main()
