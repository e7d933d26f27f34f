"""Trains the small transformers of this folder with NumPy alone: one layer of attention, read off the last row.

usage: train.py sum|maximum|maximum-4 OUT.safetensors

`sum` answers (a + b) modulo 13 to "a b =", with an MLP; `maximum` answers the largest of three numbers below 10 to
"a b c", without one; `maximum-4` the largest of four numbers below 64. The file has the names and layouts of a TransformerLens
state dict.
"""
import json
import struct
import sys

import numpy as np

TASKS = {
    "sum": {"tokens": 14, "inputs": lambda: [(a, b, 13) for a in range(13) for b in range(13)],
            "target": lambda x: sum(x[:2]) % 13, "width": 24, "heads": 2, "inner": 48},
    "maximum": {"tokens": 10, "inputs": lambda: [(a, b, c) for a in range(10) for b in range(10) for c in range(10)],
                "target": max, "width": 16, "heads": 1, "inner": 0},
    "maximum-4": {"tokens": 64, "draw": lambda random: drawn(random, 4, 64), "target": max, "width": 32, "heads": 1,
                  "inner": 0, "positions": 4, "steps": 12000},
}


def drawn(random, length, tokens, count=512):
    """Sequences of ids: half of them any, half with ids close below the largest."""
    even = random.integers(0, tokens, (count // 2, length))
    largest = random.integers(0, tokens, (count - count // 2, 1))
    near = np.maximum(0, largest - random.geometric(0.3, (len(largest), length)) + 1)
    return np.concatenate([even, near])


def weights_of(task, random):
    n, h, inner = task["width"], task["heads"], task["inner"]
    shapes = {"embed.W_E": (task["tokens"], n), "pos_embed.W_pos": (task.get("positions", 3), n),
              "unembed.W_U": (n, task["tokens"]),
              **{f"blocks.0.attn.W_{x}": (h, n, n // h) for x in "QKV"}, "blocks.0.attn.W_O": (h, n // h, n)}
    if inner:
        shapes |= {"blocks.0.mlp.W_in": (n, inner), "blocks.0.mlp.b_in": (inner,), "blocks.0.mlp.W_out": (inner, n),
                   "blocks.0.mlp.b_out": (n,)}
    return {name: random.standard_normal(shape) * (0.0 if ".b_" in name else 0.3) for name, shape in shapes.items()}


def forward(w, x):
    """The last row's logits, and what the gradients need."""
    at = "blocks.0.attn.W_"
    rows = w["embed.W_E"][x] + w["pos_embed.W_pos"]
    last, root = rows[:, -1], np.sqrt(w[at + "Q"].shape[2])
    q = np.einsum("bn,hnw->bhw", last, w[at + "Q"])
    k, v = (np.einsum("btn,hnw->bthw", rows, w[at + name]) for name in "KV")
    a = np.einsum("bhw,bthw->bht", q, k) / root
    a = np.exp(a - a.max(-1, keepdims=True))
    a /= a.sum(-1, keepdims=True)
    z = np.einsum("bht,bthw->bhw", a, v)
    y = last + np.einsum("bhw,hwn->bn", z, w[at + "O"])
    inner = None
    out = y
    if "blocks.0.mlp.W_in" in w:
        inner = np.maximum(0, y @ w["blocks.0.mlp.W_in"] + w["blocks.0.mlp.b_in"])
        out = y + inner @ w["blocks.0.mlp.W_out"] + w["blocks.0.mlp.b_out"]
    return out @ w["unembed.W_U"], (rows, q, k, v, a, z, y, inner, out)


def gradients(w, x, targets):
    """Of the mean cross-entropy; and the logits."""
    at, g = "blocks.0.attn.W_", {}
    logits, (rows, q, k, v, a, z, y, inner, out) = forward(w, x)
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    shares[np.arange(len(x)), targets] -= 1
    d = shares / len(x)
    g["unembed.W_U"], dy = out.T @ d, d @ w["unembed.W_U"].T
    if inner is not None:
        g["blocks.0.mlp.W_out"], g["blocks.0.mlp.b_out"] = inner.T @ dy, dy.sum(0)
        di = dy @ w["blocks.0.mlp.W_out"].T * (inner > 0)
        g["blocks.0.mlp.W_in"], g["blocks.0.mlp.b_in"] = y.T @ di, di.sum(0)
        dy = dy + di @ w["blocks.0.mlp.W_in"].T
    g[at + "O"] = np.einsum("bhw,bn->hwn", z, dy)
    dz = np.einsum("bn,hwn->bhw", dy, w[at + "O"])
    da, dv = np.einsum("bhw,bthw->bht", dz, v), np.einsum("bht,bhw->bthw", a, dz)
    dl = a * (da - (da * a).sum(-1, keepdims=True)) / np.sqrt(q.shape[2])
    dq, dk = np.einsum("bht,bthw->bhw", dl, k), np.einsum("bht,bhw->bthw", dl, q)
    g[at + "Q"] = np.einsum("bn,bhw->hnw", rows[:, -1], dq)
    g[at + "K"], g[at + "V"] = (np.einsum("btn,bthw->hnw", rows, of) for of in (dk, dv))
    dx = np.einsum("bthw,hnw->btn", dk, w[at + "K"]) + np.einsum("bthw,hnw->btn", dv, w[at + "V"])
    dx[:, -1] += dy + np.einsum("bhw,hnw->bn", dq, w[at + "Q"])
    g["pos_embed.W_pos"] = dx.sum(0)
    g["embed.W_E"] = np.zeros_like(w["embed.W_E"])
    np.add.at(g["embed.W_E"], x, dx)
    return g, logits


def train(task, seed=1, rate=3e-3):
    random = np.random.default_rng(seed)
    w, steps = weights_of(task, random), task.get("steps", 4000)
    every = None if "draw" in task else np.array(task["inputs"]())
    means, squares = ({name: np.zeros_like(of) for name, of in w.items()} for _ in range(2))
    for step in range(1, steps + 1):
        x = task["draw"](random) if every is None else every
        targets = np.array([task["target"](row) for row in x.tolist()])
        g, logits = gradients(w, x, targets)
        pace = rate * min(1, 2 * (1 - step / (steps + 1))) if every is None else rate
        for name, of in w.items():
            means[name] += 0.1 * (g[name] - means[name])
            squares[name] += 0.01 * (g[name]**2 - squares[name])
            size = np.sqrt(squares[name] / (1 - 0.99**step)) + 1e-8
            of -= pace * (means[name] / (1 - 0.9**step) / size + 0.02 * of)
        if step % 500 == 0:
            print(step, "right:", int((logits.argmax(1) == targets).sum()), "of", len(x), flush=True)
    return w


def safetensors(weights):
    header, data = {}, b""
    for name, of in sorted(weights.items()):
        raw = of.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": of.shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in TASKS:
        sys.exit(__doc__)
    with open(sys.argv[2], "wb") as file:
        file.write(safetensors(train(TASKS[sys.argv[1]])))
