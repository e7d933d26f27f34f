#!/usr/bin/env python3
"""What trained one-layer checkpoints do on random sequences of the trigger task: estimates, no bounds.

    scripts/variant_figures.py FILE.safetensors...

Written from the checkpoint layout (docs/DESIGN.md, examples/variants/README.md) in plain Python,
without the trainer's code. Prints a Markdown table: L-inf over fresh sequences, all rows; mean attention on
BOS in rows 2..j-1 (before the trigger) and after it, per head; mean gate, or mass of the null slot, in the
rows before the trigger; the largest entries of M = W_Q^T W_K (biases folded in) outside the three flags.
"""
import json
import math
import random
import struct
import sys

SAMPLES = 300


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        values = list(struct.unpack(f"<{(end - begin) // 4}f", data[begin:end]))
        columns = entry["shape"][-1]
        rows = [values[at:at + columns] for at in range(0, len(values), columns)]
        tensors[name] = rows if len(entry["shape"]) == 2 else rows[0]
    return metadata, tensors


def sigma(s):
    return 1 / (1 + math.exp(-s)) if s > -700 else 0.0


def elu1(s):
    return s + 1 if s >= 0 else math.exp(s)


KERNELS = {"softmax": math.exp, "softmax-null": math.exp, "softmax-sink": math.exp,
           "softmax-gated": math.exp, "sigmoid-normalised": sigma, "elu1-normalised": elu1,
           "relu": lambda s: max(s, 0.0), "sigmoid": sigma, "elu1": elu1, "linear": lambda s: s}
BY_POSITION = {"relu", "sigmoid", "elu1", "linear"}


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Model:
    def __init__(self, path):
        metadata, t = read(path)
        self.kind = metadata["attention"]
        self.n, self.heads, self.length = (int(metadata[k]) for k in ("d_model", "num_heads", "seq_len"))
        wide = self.n * self.heads
        self.w = t
        null = {"softmax-null": [0.0] * self.heads, "softmax-sink": t.get("sinks")}.get(self.kind)
        self.slots = [math.exp(s) for s in null] if null else None
        self.b = {name: t.get(name + ".bias", [0.0] * (self.n if name == "W_O" else wide))
                  for name in ("W_Q", "W_K", "W_V", "W_O")}

    def linear(self, name, x):
        return [dot(row, x) + bias for row, bias in zip(self.w[name + ".weight"], self.b[name])]

    def weights(self, head, row, logits):
        """The attention of row `row` (from 0), and the mass of the null slot."""
        kernel = KERNELS[self.kind]
        if self.kind in BY_POSITION:
            return [kernel(s) / max(1, row) for s in logits], 0.0
        values = [kernel(s) for s in logits]
        slot = self.slots[head] if self.slots else 0.0
        total = sum(values) + slot
        return [v / total for v in values], slot / total

    def run(self, tokens):
        """Outputs; attention[row][head]; null mass and gate alike."""
        n = self.n
        queries, keys, values = ([self.linear(name, x) for x in tokens] for name in ("W_Q", "W_K", "W_V"))
        outputs, attention, null, gates = [], [], [], []
        for i, token in enumerate(tokens):
            joined = []
            rows, nulls, opens = [], [], []
            for h in range(self.heads):
                part = slice(h * n, (h + 1) * n)
                row, mass = self.weights(h, i, [dot(queries[i][part], keys[k][part]) for k in range(i + 1)])
                gate = 1.0
                if "W_G.weight" in self.w:
                    gate = sigma(dot(self.w["W_G.weight"][h], token) + self.w["W_G.bias"][h])
                joined += [gate * sum(a * values[k][h * n + c] for k, a in enumerate(row)) for c in range(n)]
                rows.append(row)
                nulls.append(mass)
                opens.append(gate)
            outputs.append(self.linear("W_O", joined))
            attention.append(rows)
            null.append(nulls)
            gates.append(opens)
        return outputs, attention, null, gates

    def noise_coupling(self):
        """Largest |M| entry with one noise index, with two noise indices, and with none."""
        largest = {0: 0.0, 1: 0.0, 2: 0.0}
        flags = (0, 1, self.n - 1)
        for h in range(self.heads):
            fold = {}
            for name in ("W_Q", "W_K"):
                rows = self.w[name + ".weight"][h * self.n:(h + 1) * self.n]
                bias = self.b[name][h * self.n:(h + 1) * self.n]
                fold[name] = [[x + (bias[r] if c in flags else 0) for c, x in enumerate(row)]
                              for r, row in enumerate(rows)]
            for a in range(self.n):
                for b in range(self.n):
                    entry = abs(sum(fold["W_Q"][r][a] * fold["W_K"][r][b] for r in range(self.n)))
                    noisy = (a not in flags) + (b not in flags)
                    largest[noisy] = max(largest[noisy], entry)
        return largest


def sequence(rng, n, length):
    j = rng.randint(3, length)
    tokens = [[1.0] + [0.0] * (n - 1)]
    for position in range(2, length + 1):
        noise = [rng.uniform(-1, 1) for _ in range(n - 3)]
        trigger = position == j
        tokens.append([0.0, float(trigger)] + noise + [float(not trigger)])
    return j, tokens


def figures(path):
    model = Model(path)
    rng = random.Random(1)
    linf = 0.0
    before, after, slot = [[] for _ in range(model.heads)], [[] for _ in range(model.heads)], []
    for _ in range(SAMPLES):
        j, tokens = sequence(rng, model.n, model.length)
        outputs, attention, null, gates = model.run(tokens)
        for i, output in enumerate(outputs, start=1):
            target = [0.0] * model.n
            if i == j:
                target = [sum(column) / (j - 1) for column in zip(*tokens[1:j])]
            linf = max([linf] + [abs(a - b) for a, b in zip(output, target)])
            if i == 1 or i == j:
                continue
            for h in range(model.heads):
                (before if i < j else after)[h].append(attention[i - 1][h][0])
            if i < j:
                slot += null[i - 1] if model.slots else gates[i - 1]
    mean = lambda values: sum(values) / len(values) if values else float("nan")
    extra = "null " if model.slots else "gate " if model.kind == "softmax-gated" else ""
    coupling = model.noise_coupling()
    return [f"{linf:.4f}", ", ".join(f"{mean(b):.4f}" for b in before), ", ".join(f"{mean(a):.4f}" for a in after),
            extra + f"{mean(slot):.4f}" if extra else "", f"{coupling[1]:.4f}", f"{coupling[2]:.4f}",
            f"{coupling[0]:.2f}"]


def main():
    columns = ["checkpoint", "L-inf", "BOS before", "BOS after", "slot or gate before", "M noise x flag",
               "M noise x noise", "M flags"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for path in sys.argv[1:]:
        name = path.rsplit("/", 1)[-1].removesuffix(".safetensors")
        print("| " + " | ".join([name] + figures(path)) + " |", flush=True)


if __name__ == "__main__":
    main()
