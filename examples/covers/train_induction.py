"""Trains an induction model with NumPy alone: two layers of one head without MLPs, read off the last row.

usage: train_induction.py OUT.safetensors

Of 6 tokens below 8 the last one has stood earlier, once; the answer is the token after that. The file has the names and
layouts of a TransformerLens state dict.
"""
import sys

import numpy as np
from train import safetensors

TOKENS, LENGTH, WIDTH, LAYERS = 8, 6, 24, 2


def drawn(random, count=256):
    """Sequences and answers."""
    rows, place = np.arange(count), random.integers(0, LENGTH - 2, count)
    x = random.integers(0, TOKENS - 1, (count, LENGTH))
    last = random.integers(0, TOKENS, count)
    x += x >= last[:, None]  # any token but the last one
    x[rows, place] = x[:, -1] = last
    return x, x[rows, place + 1]


def gradients(w, x, targets):
    """Of the mean cross-entropy; and the logits."""
    rows, root, kept, g = w["embed.W_E"][x] + w["pos_embed.W_pos"], np.sqrt(WIDTH), [], {}
    hidden = np.triu(np.full((LENGTH, LENGTH), -np.inf), 1)
    for l in range(LAYERS):
        q, k, v = (rows @ w[f"blocks.{l}.attn.W_{name}"][0] for name in "QKV")
        a = np.exp(q @ k.transpose(0, 2, 1) / root + hidden)
        a /= a.sum(-1, keepdims=True)
        kept.append((rows, q, k, v, a))
        rows = rows + a @ v @ w[f"blocks.{l}.attn.W_O"][0]
    logits = rows[:, -1] @ w["unembed.W_U"]
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    shares[np.arange(len(x)), targets] -= 1
    d = shares / len(x)
    g["unembed.W_U"], dx = rows[:, -1].T @ d, np.zeros_like(rows)
    dx[:, -1] = d @ w["unembed.W_U"].T
    for l in reversed(range(LAYERS)):
        at, (rows, q, k, v, a) = f"blocks.{l}.attn.W_", kept[l]
        dz = dx @ w[at + "O"][0].T
        g[at + "O"] = np.einsum("bti,btj->ij", a @ v, dx)[None]
        da = dz @ v.transpose(0, 2, 1)
        ds = a * (da - (da * a).sum(-1, keepdims=True)) / root
        for name, of in (("Q", ds @ k), ("K", ds.transpose(0, 2, 1) @ q), ("V", a.transpose(0, 2, 1) @ dz)):
            g[at + name] = np.einsum("bti,btj->ij", rows, of)[None]
            dx = dx + of @ w[at + name][0].T
    g["pos_embed.W_pos"], g["embed.W_E"] = dx.sum(0), np.zeros_like(w["embed.W_E"])
    np.add.at(g["embed.W_E"], x, dx)
    return g, logits


def train(seed=1, rate=3e-3, steps=2000):
    random = np.random.default_rng(seed)
    shapes = {"embed.W_E": (TOKENS, WIDTH), "pos_embed.W_pos": (LENGTH, WIDTH), "unembed.W_U": (WIDTH, TOKENS),
              **{f"blocks.{l}.attn.W_{name}": (1, WIDTH, WIDTH) for l in range(LAYERS) for name in "QKVO"}}
    w = {name: random.standard_normal(shape) * 0.3 for name, shape in shapes.items()}
    means, squares = ({name: np.zeros_like(of) for name, of in w.items()} for _ in range(2))
    for step in range(1, steps + 1):
        x, targets = drawn(random)
        g, logits = gradients(w, x, targets)
        for name, of in w.items():
            means[name] += 0.1 * (g[name] - means[name])
            squares[name] += 0.01 * (g[name]**2 - squares[name])
            size = np.sqrt(squares[name] / (1 - 0.99**step)) + 1e-8
            of -= rate * min(1, 2 * (1 - step / (steps + 1))) * means[name] / (1 - 0.9**step) / size
        if step % 500 == 0:
            print(step, "right:", int((logits.argmax(1) == targets).sum()), "of", len(x), flush=True)
    return w


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "wb") as file:
        file.write(safetensors(train()))
