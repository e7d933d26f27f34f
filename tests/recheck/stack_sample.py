"""Small random stacks of layers and certificates about given inputs (CHECKPOINT_RULES.md 4.6 and 4.18), for
forward_test.py and agreement_test.py.

Nothing here uses tools/recheck: a stack is evaluated in floats, and the pass of section 4.6 is written down once more
as the page has it, in fractions.
"""

import hashlib
import json
import math
import random
import struct
from fractions import Fraction

from layer_sample import KINDS

KINDS_OF_STACKS = [(attention, layers, heads, residual) for attention in KINDS for layers, heads, residual in
                   ((1, 1, False), (1, 2, True), (2, 1, True), (2, 2, False), (2, 2, True))]


class Stack:
    def __init__(self, attention, layers=2, heads=2, residual=True, n=4, width=3, scale=Fraction(2, 3), biases=True, seed=1, claim_hash="", size=Fraction(1)):
        self.attention, self.layers, self.heads, self.residual = attention, layers, heads, residual
        self.n, self.width, self.scale, self.claim_hash = n, width, scale, claim_hash
        self.kernel, self.slot, _ = KINDS[attention]
        self.random, total = random.Random(f"{seed} {attention}"), heads * width
        shapes = {"W_Q": (total, n), "W_K": (total, n), "W_V": (total, n), "W_O": (n, total)}
        if attention == "softmax-gated":
            shapes["W_G"] = (heads, n)
        self.tensors = {}
        for l in range(layers):
            for name, (rows, columns) in shapes.items():
                number = lambda: size * Fraction(self.random.randint(-40, 40), 64)
                self.tensors[f"layers.{l}.{name}.weight"] = [[number() for _ in range(columns)] for _ in range(rows)]
                if biases or name == "W_G":
                    self.tensors[f"layers.{l}.{name}.bias"] = [number() for _ in range(rows)]
            if attention == "softmax-sink":
                self.tensors[f"layers.{l}.sinks"] = [number() for _ in range(heads)]

    def file(self):
        header, data = {}, b""
        for name, value in self.tensors.items():
            nested = type(value[0]) is list
            flat = [float(x) for row in value for x in row] if nested else list(map(float, value))
            shape = [len(value), len(value[0])] if nested else [len(value)]
            header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [len(data), len(data) + 8 * len(flat)]}
            data += struct.pack(f"<{len(flat)}d", *flat)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data

    def sequence(self, length, j):
        """A sequence of the task, in fractions; the trigger at position j."""
        tokens = [[Fraction(k == 0) for k in range(self.n)]]
        for k in range(2, length + 1):
            noise = [Fraction(self.random.randint(-9, 9), self.random.choice((1, 7, 9)) * 9) for _ in range(self.n - 3)]
            tokens.append([Fraction(0), Fraction(k == j), *noise, Fraction(k != j)])
        return tokens

    def tensor(self, l, name):
        weight = self.tensors[f"layers.{l}.{name}.weight"]
        return weight, self.tensors.get(f"layers.{l}.{name}.bias", [Fraction(0)] * len(weight))

    def slot_logits(self, l, h):
        """The null slot's logit, if there is one."""
        return [self.tensors.get(f"layers.{l}.sinks", [Fraction(0)] * self.heads)[h]] * (self.slot or 0)

    # ---- in floats

    def evaluate(self, tokens):
        """(rows of the last layer, weights[layer][head][row], the null slot's first), floats."""
        rows, seen = [[float(x) for x in token] for token in tokens], []
        logistic = lambda x: 1 / (1 + math.exp(-x))
        kernels = {"exp": math.exp, "sigmoid": logistic, "elu1": lambda x: x + 1 if x >= 0 else math.exp(x),
                   "relu": lambda x: max(0.0, x), "linear": lambda x: x}

        def apply(l, name, row):
            weight, bias = self.tensor(l, name)
            return [sum(float(w) * x for w, x in zip(line, row)) + float(b) for line, b in zip(weight, bias)]
        for l in range(self.layers):
            queries, keys, values = ([apply(l, name, row) for row in rows] for name in ("W_Q", "W_K", "W_V"))
            seen.append([[] for _ in range(self.heads)])
            out = []
            for i, query in enumerate(queries):
                side_by_side = []
                for h in range(self.heads):
                    part = slice(h * self.width, (h + 1) * self.width)
                    logits = [float(self.scale) * sum(q * k for q, k in zip(query[part], key[part])) for key in keys[:i + 1]]
                    weights = list(map(kernels[self.kernel], logits))
                    slot = sum(math.exp(z) for z in self.slot_logits(l, h))
                    total = max(1, i) if self.slot is None else slot + sum(weights)
                    weights = [x / total for x in weights]
                    seen[l][h].append([slot / total] + weights)
                    gate = logistic(apply(l, "W_G", rows[i])[h]) if self.attention == "softmax-gated" else 1.0
                    side_by_side += [gate * sum(w * value[k] for w, value in zip(weights, values)) for k in range(part.start, part.stop)]
                result = apply(l, "W_O", side_by_side)
                out.append([x + y for x, y in zip(result, rows[i])] if self.residual else result)
            rows = out
        return rows, seen

    # ---- section 4.6, word for word

    def page_pass(self, tokens, p):
        """([(centre, radius)] of the last layer's rows, weights[layer][head][row] as ranges), None if it fails."""
        unit, limit = 2**p, 2**(2 * p)
        rows = [([(x * unit).__floor__() for x in token], 0 if all((x * unit).denominator == 1 for x in token) else 1) for token in tokens]
        seen, failed = [], []

        def checked(ball):
            failed.append(any(abs(x) >= limit for x in ball[0]) or ball[1] >= limit)
            return ball

        def apply(l, name, ball):
            (weight, bias), (c, r) = self.tensor(l, name), ball
            s = 0
            while any((2**s * x).denominator != 1 for x in [y for line in weight for y in line] + bias):
                s += 1
            w = [[2**s * x for x in line] for line in weight]
            z = [sum(x * y for x, y in zip(line, c)) + 2**(s + p) * b for line, b in zip(w, bias)]
            size = max(sum(map(abs, line)) for line in w)
            return checked(([(x / 2**s).__floor__() for x in z], Fraction(size * r, 2**s).__ceil__() + (0 if all(x % 2**s == 0 for x in z) else 1)))

        def combination(weights, balls):
            m = [(a + b) // 2 for a, b in weights]
            z = [sum(x * c[j] for x, (c, _) in zip(m, balls)) for j in range(len(balls[0][0]))]
            spread = sum(abs(x) * r + (b - x) * (max(map(abs, c)) + r) for x, (_, b), (c, r) in zip(m, weights, balls))
            return checked(([x // unit for x in z], Fraction(spread, unit).__ceil__() + (0 if all(x % unit == 0 for x in z) else 1)))
        for l in range(self.layers):
            queries, keys, values = ([apply(l, name, row) for row in rows] for name in ("W_Q", "W_K", "W_V"))
            seen.append([[] for _ in range(self.heads)])
            out = []
            for i, (q, r) in enumerate(queries):
                parts = []
                for h in range(self.heads):
                    part, logits = slice(h * self.width, (h + 1) * self.width), []
                    slots = [((unit * z).__floor__(), (unit * z).__ceil__()) for z in self.slot_logits(l, h)]
                    failed.append(any(abs(x) >= limit for ends in slots for x in ends))
                    for k, r2 in keys[:i + 1]:
                        z = sum(x * y for x, y in zip(q[part], k[part]))
                        e = r * sum(map(abs, k[part])) + r2 * sum(map(abs, q[part])) + self.width * r * r2
                        logits.append(((self.scale * (z - e) / unit).__floor__(), (self.scale * (z + e) / unit).__ceil__()))
                        failed.append(any(abs(x) >= limit for x in logits[-1]))
                    seen[l][h].append(self.page_weights(slots, logits, i + 1, p))
                    ball = combination(seen[l][h][-1][1:], [(c[part], radius) for c, radius in values[:i + 1]])
                    if self.attention == "softmax-gated":
                        c, radius = apply(l, "W_G", rows[i])
                        ball = combination([(logistic_of(c[h] - radius, False, p), logistic_of(c[h] + radius, True, p))], [ball])
                    parts.append(ball)
                result = apply(l, "W_O", (sum((c for c, _ in parts), []), max(radius for _, radius in parts)))
                if self.residual:
                    result = checked(([x + y for x, y in zip(result[0], rows[i][0])], result[1] + rows[i][1]))
                out.append(result)
            rows = out
        return None if any(failed) else (rows, seen)

    def page_weights(self, slots, logits, i, p):
        unit, none = 2**p, [(0, 0)]
        if self.kernel == "exp":
            t = max(y for _, y in slots + logits)
            kernels, slots = ([(exp_of(x - t, False, p), exp_of(y - t, True, p)) for x, y in of] for of in (logits, slots))
            none = slots or none
        else:
            kernels = [(self.page_kernel(x, False, p), self.page_kernel(y, True, p)) for x, y in logits]
        if self.slot is None:
            return none + [(Fraction(a, max(1, i - 1)).__floor__(), Fraction(b, max(1, i - 1)).__ceil__()) for a, b in kernels]
        a_sum, b_sum = (sum(x) for x in zip(*(none + kernels)))
        found = [(Fraction(unit * a, a + b_sum - b).__floor__() if a else 0, Fraction(unit * b, b + a_sum - a).__ceil__()) for a, b in none * self.slot + kernels]
        return found if self.slot else none + found

    def page_kernel(self, x, up, p):
        if self.kernel == "sigmoid":
            return logistic_of(x, up, p)
        if self.kernel == "elu1":
            return x + 2**p if x >= 0 else exp_of(x, up, p)
        return max(0, x) if self.kernel == "relu" else x

    # ---- certificates

    def certificate(self, length, inputs, properties):
        model = {"sha256": hashlib.sha256(self.file()).hexdigest(), "attention": self.attention, "d_model": self.n, "num_heads": self.heads,
                 "head_width": self.width, "num_layers": self.layers, "residual": self.residual, "scale": str(self.scale), "overrides": []}
        return {"format": 2, "kind": "checkpoint", "claim": "checkpoint", "claim_sha256": self.claim_hash, "semantics": "real", "length": length,
                "box": None, "triggers": None, "model": model, "inputs": inputs, "ranges": None, "properties": properties}


def value(label, lower, upper, **readout):
    return {"name": f"value.{label}", "verdict": "enclosed", "lower": str(lower), "upper": str(upper), "readout": {"sequence": None} | readout, "proof": {"rule": "forward"}}


def sink_share(lower, upper, epsilon, position=1):
    return {"name": "sink-share", "verdict": "enclosed", "lower": str(lower), "upper": str(upper), "epsilon": str(epsilon), "position": position, "proof": {"rule": "forward"}}


def written(tokens):
    return [[str(x) for x in token] for token in tokens]


def exp_of(x, up, p):
    """E+ and E- of an integer x <= 0."""
    if x < -p * 2**p:
        return int(up)
    if x == 0:
        return 2**p
    y = Fraction(-x, 2**p)
    h = 0
    while y / 2**h > Fraction(1, 2):
        h += 1
    one = 2**(p + h + 16)
    a, b = (y / 2**h * one).__floor__(), (y / 2**h * one).__ceil__()
    t = down = one
    i = 1
    while t:
        t = Fraction(t * a, one * i).__floor__()
        down, i = down + t, i + 1
    t = most = one
    i = 1
    while t > 1:
        t = Fraction(t * b, one * i).__ceil__()
        most, i = most + t, i + 1
    most += 1
    for _ in range(h):
        down, most = Fraction(down**2, one).__floor__(), Fraction(most**2, one).__ceil__()
    if x == 0:
        return Fraction(2**p * most, one).__ceil__() if up else Fraction(2**p * down, one).__floor__()
    g = 2**(p + 32 + (3 * y / 2).__ceil__())
    found = Fraction(Fraction(g * one, down).__ceil__(), g) if up else Fraction(Fraction(g * one, most).__floor__(), g)
    return (2**p * found).__ceil__() if up else (2**p * found).__floor__()


def logistic_of(x, up, p):
    """S+ and S- of an integer."""
    round_to = Fraction.__ceil__ if up else Fraction.__floor__
    if x >= 0:
        return round_to(Fraction(2**(2 * p), 2**p + exp_of(-x, not up, p)))
    e = exp_of(x, up, p)
    return round_to(Fraction(2**p * e, 2**p + e))


def certified(attention, layers, heads, residual, seed, claim_hash, length=4):
    """(file, certificate): an output, a loss, an attention and an alpha of one written sequence, and a sink share."""
    stack = Stack(attention, layers, heads, residual, seed=seed, claim_hash=claim_hash)
    tokens, unit = stack.sequence(length, 3), 2**64
    (rows, weights), wanted = stack.page_pass(tokens, 64), [sum(token[r] for token in tokens[1:3]) / Fraction(2) for r in range(stack.n)]
    (centres, radius), items = rows[2], []
    ends = Fraction(centres[1] - radius, unit), Fraction(centres[1] + radius, unit)
    items.append(value("output", *ends, kind="output", row=3, coordinate=1, sequence=0))
    losses = [abs(Fraction(c, unit) - x - residual * y) for c, x, y in zip(centres, wanted, tokens[2])]
    items.append(value("loss", max(max(losses) - Fraction(radius, unit), 0), max(losses) + Fraction(radius, unit), kind="loss", row=3, trigger=3))
    last = weights[-1][-1]
    items.append(value("attention", *(Fraction(x, unit) for x in last[2][1]), kind="attention", layer=layers - 1, head=heads - 1, row=3, key=1))
    alpha = [Fraction(sum(x), unit * (length - 1)) for x in zip(*(row[2] for row in last[1:]))]
    items.append(value("alpha", *alpha, kind="alpha", layer=layers - 1, head=heads - 1, position=2))
    alphas = [Fraction(sum(row[1][0] for row in of_head), unit * length) for of_layer in weights for of_head in of_layer]
    epsilon = Fraction(3, 10)
    items.append(sink_share(*[Fraction(sum(x > epsilon for x in alphas), len(alphas))] * 2, epsilon))
    return stack.file(), stack.certificate(length, {"sequences": [written(tokens)]}, items)


def page_rollout(weights, unit):
    """The range of the last row's rollout, section 4.6 word for word; weights[layer][row] as ranges, the null slot's first."""
    def mean(row, values, order):
        found = [a for a, _ in row]
        for k in sorted(range(len(row)), key=lambda k: order * values[k]):
            found[k] += min(row[k][1] - row[k][0], unit - sum(found))
        return Fraction(sum(w * x for w, x in zip(found, values)), unit)
    ranges = [(unit, unit)] + [(0, 0)] * (len(weights[0]) - 1)
    for rows in weights:
        lows, highs = zip(*ranges)
        ranges = ranges[:1] + [(mean(row[1:], lows, 1).__floor__(), mean(row[1:], highs, -1).__ceil__()) for row in rows[1:]]
    return ranges[-1]


WIDE = "1000000"  # a bound that the rule `stack` proves of every small stack


def witnessed(stack, length=5, triggers=(3, 4)):
    """A certificate whose bounds over the box are wide, and whose witnesses attain exactly what the pass at 64 bits shows."""
    items, unit, slots = [], 2**64, [(1, "bos"), (0, "null")][:2 if stack.slot else 1]
    for name, j, i in (("pre", triggers[1], 2), ("trigger", triggers[1], triggers[1]), ("post", triggers[0], length)):
        tokens = stack.sequence(length, j)
        rows, weights = stack.page_pass(tokens[:i], 64)
        (centres, radius), target = rows[i - 1], [stack.residual * x for x in tokens[i - 1]]
        if i == j:
            target = [x + sum(token[r] for token in tokens[1:j]) / Fraction(j - 1) for r, x in enumerate(target)]
        losses = {(r, s): Fraction(s * c - radius, unit) - s * target[r] for r, c in enumerate(centres) for s in (1, -1)}
        coordinate, sign = max(losses, key=losses.get)
        witness = {"trigger": j, "row": i, "coordinate": coordinate, "sign": sign, "tokens": written(tokens)}

        def entry(family, lower, upper, **place):
            items.append({"name": f"{family}.{name}", "verdict": "enclosed", "lower": str(lower), "upper": str(upper), "witness": witness,
                          "proof": {"rule": "stack", "degree": 1, "row_degree": 1}} | place)
        entry("sup-loss", max(losses[coordinate, sign], 0), WIDE)
        least = f"-{WIDE}" if stack.kernel == "linear" else "0"
        for slot, family in slots:
            for l, h in ((None, None), (stack.layers - 1, stack.heads - 1)):
                ends = [of_head[i - 1][slot] for of_layer in weights[l:] for of_head in of_layer[h:]]
                place = {} if l is None else {"layer": l, "head": h}
                entry(f"{family}-floor", least, Fraction(min(high for _, high in ends), unit), **place)
                entry(f"{family}-ceiling", Fraction(max(low for low, _ in ends), unit), WIDE, **place)
        if stack.heads == 1 and not stack.residual and stack.attention in ("softmax", "sigmoid-normalised", "elu1-normalised") and i > 1:
            low, high = page_rollout([of_head for of_head, in weights], unit)
            entry("rollout-floor", "0", Fraction(high, unit))
            entry("rollout-ceiling", Fraction(low, unit), WIDE)
    parts = [item for item in items if item["name"].startswith("sup-loss.")]
    most = max(parts, key=lambda item: Fraction(item["lower"]))
    items.append({"name": "sup-loss", "verdict": "enclosed", "lower": most["lower"], "upper": WIDE, "witness": {"from": most["name"]},
                  "proof": {"rule": "maximum", "of": [item["name"] for item in parts]}})
    items.append({"name": "largest-box.sup-loss", "verdict": "enclosed", "lower": "1", "upper": None, "threshold": WIDE, "attained": None,
                  "witness": None, "proof": {"rule": "maximum", "of": ["sup-loss"]}})
    return stack.certificate(length, None, items) | {"box": [["-1", "1"]], "triggers": list(triggers)}
