"""Small random layers with their certificates, for layer_test.py: every kind of CHECKPOINT_RULES.md 4.2.

Nothing here uses tools/recheck: the model is evaluated from its raw tensors in 60-digit decimals, and the numbers
of the certificate are computed from the page's formulas as they stand there, in fractions, sign by sign.
"""

import hashlib
import itertools
import json
import random
import struct
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
GRID = 10**15  # what is irrational is rounded outward to a multiple of 1/GRID
KINDS = {  # attention: kernel, number of null slots (None: not normalised), relative
    "softmax": ("exp", 0, True), "softmax-gated": ("exp", 0, True), "sigmoid-normalised": ("sigmoid", 0, False),
    "elu1-normalised": ("elu1", 0, False), "softmax-null": ("exp", 1, True), "softmax-sink": ("exp", 1, True), "relu": ("relu", None, False),
    "sigmoid": ("sigmoid", None, False), "elu1": ("elu1", None, False), "linear": ("linear", None, False),
}
CLASSES = {"pre": ("C", 1, 0), "trigger": ("T", 1, 1), "post": ("C", 2, 1)}  # query flag, least m, t
FULL = {"B": "bos", "C": "content", "T": "trigger", "0": "null"}


def kernel(name, x):
    """The kernel at the fraction x, a Decimal."""
    x = Decimal(x.numerator) / Decimal(x.denominator)
    if name == "sigmoid":
        return 1 / (1 + (-x).exp())
    if name == "exp" or (name == "elu1" and x < 0):
        return x.exp()
    return {"elu1": x + 1, "relu": max(x, Decimal(0)), "linear": x}[name]


def below(x):
    return Fraction((Fraction(x) * GRID).__floor__(), GRID)


def above(x):
    return Fraction((Fraction(x) * GRID).__ceil__(), GRID)


class Sample:
    """One layer: tensors, file, certificate. `tensors` maps names to nested lists of dyadic fractions.

    Drawn layers have heads of another width than d_model, and a scale that is not dyadic.
    """

    def __init__(self, attention, heads=2, n=4, length=4, biases=True, seed=1, tensors=None, claim_hash="", metadata=None):
        drawn = tensors is None
        self.width = n - 1 + seed % 2 * 2 if drawn else len(tensors["W_Q.weight"]) // heads
        self.scale = Fraction(seed % 3 + 1, 3) if drawn else Fraction(1)
        self.attention, self.heads, self.n, self.length = attention, heads, n, length
        self.kernel, self.z, self.relative = KINDS[attention]
        self.d, self.flag = n - 3, {"B": 0, "T": 1, "C": n - 1}
        self.random, self.metadata, self.claim_hash = random.Random(seed), metadata, claim_hash
        choice = random.Random(f"references {seed}").choice
        self.references = [{f: choice("BC") for f in "CT"} if self.relative else None for _ in range(heads)]
        self.tensors = self.draw(biases) if tensors is None else tensors
        self.sinks = self.tensors.get("sinks", [Fraction(0)] * heads)
        self.M, self.V = zip(*(self.matrices(h) for h in range(heads)))
        self.o = list(self.tensors.get("W_O.bias", [Fraction(0)] * n))
        if attention in ("softmax", "sigmoid-normalised", "elu1-normalised"):
            for row, x in zip(self.V[0], self.o):
                for flag in self.flag.values():
                    row[flag] += x
            self.o = [Fraction(0)] * n

    def draw(self, biases):
        n, size = self.n, self.heads * self.width
        number = lambda: Fraction(self.random.randint(-5, 5), 8)
        matrix = lambda rows, columns: [[number() for _ in range(columns)] for _ in range(rows)]
        tensors = {f"{name}.weight": matrix(size, n) for name in ("W_Q", "W_K", "W_V")} | {"W_O.weight": matrix(n, size)}
        if biases:
            tensors |= {f"{name}.bias": matrix(1, size)[0] for name in ("W_Q", "W_K", "W_V")} | {"W_O.bias": matrix(1, n)[0]}
        if self.attention == "softmax-gated":
            tensors |= {"W_G.weight": matrix(self.heads, n), "W_G.bias": matrix(1, self.heads)[0]}
        if self.attention == "softmax-sink":
            tensors["sinks"] = matrix(1, self.heads)[0]
        return tensors

    def matrices(self, h):
        part = slice(h * self.width, (h + 1) * self.width)

        def absorbed(name):
            rows, bias = self.tensors[f"{name}.weight"][part], self.tensors.get(f"{name}.bias", [0] * self.heads * self.width)[part]
            return [[x + (b if k in self.flag.values() else 0) for k, x in enumerate(row)] for row, b in zip(rows, bias)]
        q, k, a = absorbed("W_Q"), absorbed("W_K"), absorbed("W_V")
        o = [row[part] for row in self.tensors["W_O.weight"]]
        times = lambda left, right: [[sum(x * y for x, y in zip(row, column)) for column in zip(*right)] for row in left]
        e = [int(k in self.flag.values()) for k in range(self.n)]
        return [[self.scale * x - self.sinks[h] * e_f * e_g for x, e_g in zip(row, e)] for row, e_f in zip(times(list(zip(*q)), k), e)], times(o, a)

    def file(self, dtypes=("F32", "F64", "F16", "BF16")):
        """The safetensors file; the entries are multiples of 1/8 of modulus below 16, exact in every dtype."""
        header, data = {"__metadata__": self.metadata} if self.metadata else {}, b""
        for index, (name, value) in enumerate(self.tensors.items()):
            dtype = dtypes[index % len(dtypes)]
            shape = [len(value), len(value[0])] if type(value[0]) is list else [len(value)]
            flat = [float(x) for x in (itertools.chain(*value) if len(shape) == 2 else value)]
            letter = {"F32": "f", "F64": "d", "F16": "e", "BF16": "f"}[dtype]
            packed = [struct.pack("<" + letter, x)[2 if dtype == "BF16" else 0:] for x in flat]
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(b"".join(packed))]}
            data += b"".join(packed)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data

    # ---- the model itself, from its raw tensors

    def evaluate(self, keys):
        """(out, BOS attention of each head, null attention of each head) of the last key's row, Decimals."""
        decimal = lambda x: Decimal(x.numerator) / Decimal(x.denominator)

        def apply(name, token):
            bias = self.tensors.get(f"{name}.bias", [0] * self.heads * self.width)
            return [sum((x * y for x, y in zip(row, token)), Fraction(0)) + b for row, b in zip(self.tensors[f"{name}.weight"], bias)]
        query, rows, bos, null = apply("W_Q", keys[-1]), [Decimal(0)] * (self.heads * self.width), [], []
        projected, values = [apply("W_K", key) for key in keys], [apply("W_V", key) for key in keys]
        for h in range(self.heads):
            part = range(h * self.width, (h + 1) * self.width)
            weights = [kernel(self.kernel, self.scale * sum(query[k] * key[k] for k in part)) for key in projected]
            slot = kernel("exp", self.sinks[h]) if self.z else Decimal(0)
            total = max(1, len(keys) - 1) if self.z is None else slot + sum(weights)
            bos.append(weights[0] / total)
            null.append(slot / total)
            gate = Decimal(1)
            if self.attention == "softmax-gated":
                logit = sum(x * y for x, y in zip(self.tensors["W_G.weight"][h], keys[-1])) + self.tensors["W_G.bias"][h]
                gate = kernel("sigmoid", logit)
            for k in part:
                rows[k] = gate * sum(w * decimal(value[k]) for w, value in zip(weights, values)) / total
        bias = self.tensors.get("W_O.bias", [Fraction(0)] * self.n)
        out = [sum(decimal(x) * y for x, y in zip(row, rows)) + decimal(b) for row, b in zip(self.tensors["W_O.weight"], bias)]
        return out, bos, null

    def sequence(self, j):
        tokens = [[Fraction(1)] + [Fraction(0)] * (self.n - 1)]
        for k in range(2, self.length + 1):
            noise = [self.random.choice((Fraction(-1), Fraction(1), Fraction(self.random.randint(-8, 8), 9))) for _ in range(self.d)]
            tokens.append([Fraction(0), Fraction(k == j), *noise, Fraction(k != j)])
        return tokens

    def loss(self, tokens, j, i, r):
        """out_r - target_r at row i, a Decimal; and the attentions."""
        out, bos, null = self.evaluate(tokens[:i])
        target = sum(token[r] for token in tokens[1:j]) / (j - 1) if i == j else Fraction(0)
        return out[r] - Decimal(target.numerator) / Decimal(target.denominator), bos, null

    # ---- the certificate

    def leaf(self, h, f, g, sign):
        """The leaf bound, at the root, of sign (base(f,g) - ref(f)) + noise."""
        m, noise, d, q = self.M[h], range(2, self.n - 1), range(self.d), self.flag[f]
        base = lambda key: [m[q][self.flag[key]]] + [m[l][self.flag[key]] for l in noise]
        affine = [Fraction(0)] * (d.stop + 1) if g == "0" else [sign * x for x in base(g)]
        if self.relative:
            affine = [x - sign * y for x, y in zip(affine, base(self.references[h][f]))]
        if f == g == "T":
            pairs = [(m[2 + a][2 + b] + m[2 + b][2 + a]) for a in d for b in d if a < b]
            linear = [x + sign * m[q][2 + a] for a, x in zip(d, affine[1:])]
            return affine[0] + sum(map(abs, linear)) + sum(map(abs, pairs)) + sum(max(0, sign * m[l][l]) for l in noise)
        rows = [] if g in "B0" else [[m[q][l]] + [m[k][l] for k in noise] for l in noise]
        return affine[0] + sum(map(abs, affine[1:])) + sum(sum(map(abs, row)) for row in rows)

    def gate_reach(self, h, f):
        row, bias = self.tensors["W_G.weight"][h], self.tensors["W_G.bias"][h]
        centre, reach = bias + row[self.flag[f]], 0 if f == "B" else sum(map(abs, row[2:-1]))
        return centre - reach, centre + reach

    def enclosed(self, name, low, high):
        """`least` and `greatest` for logits from low to high: exact for a rational kernel, else strictly outside."""
        exact = lambda x: x + 1 if name == "elu1" and x >= 0 else {"relu": max(x, Fraction(0)), "linear": x}.get(name)
        least, greatest = (Fraction(kernel(name, x)) * GRID for x in (low, high))
        ends = Fraction(least.__ceil__() - 1, GRID), Fraction(greatest.__floor__() + 1, GRID)
        ends = (end if exact(x) is None else exact(x) for x, end in zip((low, high), ends))
        return dict(zip(("least", "greatest"), map(str, ends)))

    def ranges(self):
        heads = []
        for h in range(self.heads):
            classes = {}
            for f, g in itertools.product("CT", "BCT0" if self.z else "BCT"):
                low, high = -self.leaf(h, f, g, -1), self.leaf(h, f, g, 1)
                classes[f"{FULL[f]}_{FULL[g]}"] = self.enclosed(self.kernel, low, high) | {
                    "low": str(low), "high": str(high)}
            logit = Fraction(0) if self.relative and not self.z else self.M[h][0][0]
            bos, gates = self.enclosed(self.kernel, logit, logit), None
            if self.attention == "softmax-gated":
                gates = {FULL[f]: self.enclosed("sigmoid", *self.gate_reach(h, f)) for f in "BTC"}
            references = {FULL[f]: FULL[g] for f, g in self.references[h].items()} if self.relative else None
            heads.append({"bos": bos, "classes": classes, "gates": gates, "references": references})
        return {"order": list(range(self.d)), "heads": heads, "trees": ["0"] * (2 * len(self.class_names()) * self.heads)}

    def class_names(self):
        """The classes of a head in the order of their trees, two for each: `high`, then `low`."""
        names = [f"{f}_{g}" for f in ("content", "trigger") for g in ("bos", "content", "trigger")]
        return names + (["content_null", "trigger_null"] if self.z else [])

    def kernels(self, ranges, h, f):
        """(l, u), by key flag and "0" for the null slot, of the ranges of head h for query flag f."""
        classes, none = ranges["heads"][h]["classes"], {"least": "0", "greatest": "0"}
        return tuple({g: Fraction(classes.get(f"{FULL[f]}_{FULL[g]}", none)[key]) for g in "BCT0"} for key in ("least", "greatest"))

    def gate(self, ranges, h, f):
        gates = ranges["heads"][h]["gates"]
        return (Fraction(1), Fraction(1)) if gates is None else tuple(Fraction(gates[FULL[f]][key]) for key in ("least", "greatest"))

    def shapes(self, rows):
        f, least, t = CLASSES[rows]
        return [(f, m, t) for m in range(least, self.length - 1)]

    def bound(self, ranges, f, m, t, r, s):
        """E of section 4.11, as the page writes it."""
        n, count = self.n, m + t
        noise, x = range(2, n - 1), Fraction(0)
        if f == "T":
            x = Fraction(m, count) if r == n - 1 else Fraction(1, count) if r == 1 else x
        centre, slacks, parts = s * self.o[r] - s * x, Fraction(0), []
        for h in range(self.heads):
            l, u = self.kernels(ranges, h, f)
            c, d = ({g: (u[g] + e * l[g]) / 2 for g in "BCT0"} for e in (1, -1))
            row = self.V[h][r]
            v, rho = {g: s * row[self.flag[g]] for g in "BCT"}, sum(abs(row[k]) for k in noise)
            if self.z is not None:
                total, least = (x["0"] + x["B"] + m * x["C"] + t * x["T"] for x in (c, l))
                p, p_0 = {g: c[g] / total for g in "BCT"}, c["0"] / total
                spread = rho if m % 2 == 0 else rho * (1 - Fraction(1, m**2))
                off = {"C": spread + t * p["T"] * (abs(v["C"] - v["T"]) + 2 * rho) + p["B"] * (abs(v["C"] - v["B"]) + rho)
                       + p_0 * (abs(v["C"]) + rho),
                       "T": m * p["C"] * (abs(v["T"] - v["C"]) + 2 * rho) + p["B"] * (abs(v["T"] - v["B"]) + rho)
                       + p_0 * (abs(v["T"]) + rho),
                       "B": m * p["C"] * (abs(v["B"] - v["C"]) + rho) + t * p["T"] * (abs(v["B"] - v["T"]) + rho)
                       + p_0 * abs(v["B"]),
                       "0": m * p["C"] * (abs(v["C"]) + rho) + t * p["T"] * (abs(v["T"]) + rho) + p["B"] * abs(v["B"])}
                deviation = (m * d["C"] * off["C"] + t * d["T"] * off["T"] + d["B"] * off["B"] + d["0"] * off["0"]) / least
            else:
                p = {g: c[g] / count for g in "BCT"}
                deviation = (m * d["C"] * (abs(v["C"]) + rho) + t * d["T"] * (abs(v["T"]) + rho) + d["B"] * abs(v["B"])) / count
            size = abs(p["B"] * v["B"]) + m * abs(p["C"]) * (abs(v["C"]) + rho) + t * abs(p["T"]) * (abs(v["T"]) + rho)
            low, high = self.gate(ranges, h, f)
            slacks += high * deviation + (high - low) / 2 * size
            middle = (high + low) / 2
            centre += middle * (p["B"] * v["B"] + m * p["C"] * v["C"] + t * p["T"] * v["T"])
            parts.append((middle, p, row))
        swing = {g: sum(abs(sum(middle * p[g] * s * row[k] for middle, p, row in parts)
                            - (Fraction(s, count) if r == k and f == "T" else 0)) for k in noise) for g in "CT"}
        return centre + m * swing["C"] + t * swing["T"] + slacks

    def first_row(self, ranges, r, s):
        """Section 4.11, row 1."""
        total = s * self.o[r]
        for h in range(self.heads):
            l, u = (Fraction(ranges["heads"][h]["bos"][key]) for key in ("least", "greatest"))
            if self.z is not None:
                l, u = (l / (1 + l), u / (1 + u)) if self.z else (Fraction(1), Fraction(1))
            low, high = self.gate(ranges, h, "B")
            v = s * self.V[h][r][0]
            total += max(low * l * v, high * u * v)
        return total

    def least_upper(self, ranges, rows):
        """The least `upper` of sup-loss.<rows> that layer-row shows."""
        pairs = list(itertools.product(range(self.n), (1, -1)))
        bounds = [self.bound(ranges, *shape, r, s) for shape in self.shapes(rows) for r, s in pairs]
        return max(bounds + ([self.first_row(ranges, r, s) for r, s in pairs] if rows == "pre" else []))

    def attention_bound(self, ranges, name, rows):
        """The best floor or ceiling that layer-attention shows."""
        what, _, end = name.partition("-")
        bounds = []
        for head, (f, m, t) in itertools.product(range(self.heads), self.shapes(rows)):
            l, u = self.kernels(ranges, head, f)
            mine, others = (l, u) if end == "floor" else (u, l)
            rest = m * others["C"] + t * others["T"]
            if self.z is None:
                bounds.append(mine["B"] / (m + t))
            else:
                g, other = "B0" if what == "bos" else "0B"
                bounds.append(mine[g] / (mine[g] + others[other] + rest))
        return min(bounds) if end == "floor" else max(bounds)

    def row_of(self, rows):
        """(trigger, row) of a witness in the class."""
        j = 3 if rows == "post" else self.length
        return j, {"pre": j - 1, "trigger": j, "post": self.length}[rows]

    def enclosure(self, name, lower, upper, tokens, j, i, r, s, rule):
        witness = {"trigger": j, "row": i, "coordinate": r, "sign": s, "tokens": [[str(x) for x in token] for token in tokens]}
        return {"name": name, "verdict": "enclosed", "lower": str(lower), "upper": str(upper), "witness": witness, "proof": {"rule": rule}}

    def model(self):
        """The key `model`."""
        return {"sha256": hashlib.sha256(self.file()).hexdigest(), "attention": self.attention, "d_model": self.n, "num_heads": self.heads,
                "head_width": self.width, "num_layers": 1, "residual": False, "scale": str(self.scale), "overrides": []}

    def certificate(self):
        ranges, properties = self.ranges(), []
        classes = [rows for rows in CLASSES if rows != "post" or self.length >= 4]
        for rows in classes:
            j, i = self.row_of(rows)
            tokens = self.sequence(j)
            losses = [self.loss(tokens, j, i, r)[0] for r in range(self.n)]
            r = max(range(self.n), key=lambda k: abs(losses[k]))
            lower = max(Fraction(0), below(abs(losses[r])) - Fraction(1, GRID))
            properties.append(self.enclosure(f"sup-loss.{rows}", lower, self.least_upper(ranges, rows), tokens, j, i, r,
                                             1 if losses[r] >= 0 else -1, "layer-row"))
            _, bos, null = self.loss(tokens, j, i, 0)
            for name in ("bos-floor", "bos-ceiling") + (("null-floor", "null-ceiling") if self.z else ()):
                seen, bound = bos if name.startswith("bos") else null, self.attention_bound(ranges, name, rows)
                if name.endswith("floor"):
                    lower, upper = bound, above(min(seen)) + Fraction(1, GRID)
                else:
                    lower, upper = below(max(seen)) - (Fraction(1, GRID) if max(seen) else 0), bound
                properties.append(self.enclosure(f"{name}.{rows}", lower, upper, tokens, j, i, 0, 1, "layer-attention"))
        parts = [item for item in properties if item["name"].startswith("sup-loss")]
        best = max(parts, key=lambda item: Fraction(item["lower"]))
        properties.append({"name": "sup-loss", "verdict": "enclosed", "lower": best["lower"],
                           "upper": str(max(Fraction(item["upper"]) for item in parts)), "witness": {"from": best["name"]},
                           "proof": {"rule": "maximum", "of": [item["name"] for item in parts]}})
        return {"format": 2, "kind": "checkpoint", "claim": "checkpoint", "claim_sha256": self.claim_hash, "semantics": "real",
                "length": self.length, "box": [["-1", "1"]], "triggers": [3, self.length], "model": self.model(), "inputs": None,
                "properties": properties, "ranges": ranges}
