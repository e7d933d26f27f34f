#!/usr/bin/env python3
"""Small vector certificates with exact evidence, and lies about them: python3 tests/recheck/vector_samples.py OUT

Writes OUT/accept/NAME.json, OUT/reject/NAME.json, OUT/models/*.safetensors and the claim folders OUT/proofs; a checker
called with --models OUT/models --claims OUT/proofs must accept the former (exit 0) and reject the latter (exit 4). Every
lie breaks one clause of VECTOR_RULES.md, whose section its name begins with. OUT/reasons.json has words of the
second checker's reason for each.

Nothing here uses tools/recheck: numbers are fractions, formulas those of the page or of the definitions.
"""

import copy
import hashlib
import json
import os
import shutil
import struct
import sys
from fractions import Fraction as Q
from math import isqrt, lcm

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STATEMENT = os.path.join(ROOT, "proofs", "vectors", "STATEMENT.md")
CODES = {"F64": "d", "F32": "f", "F16": "e", "BF16": "f", "I32": "i"}
DELETE = object()
sys.set_int_max_str_digits(40000)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8") + b"\n"


def folder_hash(files):
    """FORMAT.md, section 2, of {path: bytes}."""
    lines = sorted(path.encode() + b"\0" + hashlib.sha256(data).hexdigest().encode() + b"\n" for path, data in files.items())
    return hashlib.sha256(b"".join(lines)).hexdigest()


def tensor_file(tensors):
    """A safetensors file of {name: (dtype, shape, flat numbers)}."""
    header, body = {}, b""
    for name, (dtype, shape, flat) in tensors.items():
        parts = [struct.pack("<" + CODES[dtype], x if dtype == "I32" else float(x)) for x in flat]
        data = b"".join(part[2:] if dtype == "BF16" else part for part in parts)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def matrix(rows, dtype="F64"):
    return dtype, [len(rows), len(rows[0])], [x for row in rows for x in row]


# ---- Linear algebra in fractions ----


def dot(left, right):
    return sum((x * y for x, y in zip(left, right)), Q(0))


def transpose(rows):
    return [list(column) for column in zip(*rows)]


def times(left, right):
    columns = transpose(right)
    return [[dot(row, column) for column in columns] for row in left]


def gram(vectors):
    return [[dot(x, y) for y in vectors] for x in vectors]


def inverse(rows):
    n = len(rows)
    work = [[Q(x) for x in row] + [Q(int(i == j)) for j in range(n)] for i, row in enumerate(rows)]
    for k in range(n):
        place = next(i for i in range(k, n) if work[i][k])
        work[k], work[place] = work[place], work[k]
        work[k] = [x / work[k][k] for x in work[k]]
        for i in range(n):
            if i != k:
                work[i] = [x - work[i][k] * y for x, y in zip(work[i], work[k])]
    return [row[n:] for row in work]


def identity(n, entry=1):
    return [[Q(entry if i == j else 0) for j in range(n)] for i in range(n)]


def root_above(x, unit=1):
    """A multiple of 1/unit that is at least the root of x."""
    x = Q(x) * unit * unit
    return Q(isqrt(-(-x.numerator // x.denominator) - 1) + 1, unit)


# ---- Systems, written from the page once more ----


def pattern(kind, bos, groups, copies, margin="1"):
    return {"kind": kind, "bos": bos, "groups": groups, "copies": copies, "margin": margin}


def margins(constraints, margin="1"):
    return {"kind": "margins", "margin": margin, "constraints": [[*triple, str(w)] for *triple, w in constraints]}


def system(of):
    """{(j, a, i): margin}."""
    m = Q(of["margin"])
    if of["kind"] == "margins":
        return {(j, a, i): m * int(w) for j, a, i, w in of["constraints"]}
    b, dormant, copies, found = of["bos"], {x for group in of["groups"] for x in group}, set(of["copies"]), {}
    for x in dormant:
        winner, rivals = (b, dormant | copies) if of["kind"] != "diagonal" else (x, {b} | dormant - {x} | copies)
        found |= {(x, winner, y): m for y in rivals}
    for q, group in zip(of["copies"], of["groups"]):
        rest = dormant - set(group)
        found |= {(q, y, z): m for y in group for z in {b} | rest | copies}
        if of["kind"] == "sink-B":
            found |= {(q, b, z): m for z in rest | copies}
        if of["kind"] == "diagonal":
            found |= {(q, q, z): m for z in {b} | rest | copies - {q}}
    return found


def least_scores(of, count):
    """Scores that satisfy a system without cycles: for each query the longest paths."""
    scores = [[Q(0)] * count for _ in range(count)]
    for _ in range(count + 1):
        for (j, a, i), m in system(of).items():
            scores[j][a] = max(scores[j][a], scores[j][i] + m)
    assert all(scores[j][a] - scores[j][i] >= m for (j, a, i), m in system(of).items())
    return scores


def coefficients(rows):
    scale = lcm(*(Q(x).denominator for row in rows for x in row))
    return {"denominator": str(scale), "rows": [[str(int(x * scale)) for x in row] for row in rows]}


def multipliers(of, weights=None):
    """One for each triple, or the given {triple: y}."""
    weights = weights or dict.fromkeys(system(of), 1)
    return [[*triple, str(y)] for triple, y in sorted(weights.items())]


def dual(listed, of, vectors):
    """(sum y m, squared Frobenius norm of Y) of multipliers."""
    n = len(vectors)
    ell = [[Q(0)] * n for _ in range(n)]
    for j, a, i, y in listed:
        ell[j][a] += int(y)
        ell[j][i] -= int(y)
    y_matrix = times(times(transpose(vectors), ell), vectors)
    return sum(int(y) * system(of)[j, a, i] for j, a, i, y in listed), sum(dot(row, row) for row in y_matrix)


# ---- Properties with evidence ----


def item(statement, **evidence):
    return {"statement": statement, "evidence": evidence}


def cost(vectors, of, query=None, key=None, norm=None, listed=None, lower=None):
    """The cost of given factors (by default I and G^-1 S G^-1) and what the multipliers show (by default with |Y|_F)."""
    n, g = len(vectors), gram(vectors)
    if query is None:
        back = inverse(g)
        query, key = identity(n), times(times(back, least_scores(of, n)), back)
    listed = multipliers(of) if listed is None else listed
    total, square = dual(listed, of, vectors)
    norm = root_above(square, 64) if norm is None else Q(norm)
    upper = sum(dot(row, other) for part in (query, key) for row, other in zip(times(part, g), part))
    lower = 2 * total / norm if lower is None else Q(lower)
    return item({"property": "cost", "pattern": of, "lower": str(lower), "upper": str(upper)}, query=coefficients(query),
                key=coefficients(key), multipliers=listed if lower else [], norm=str(norm if lower else 0))


def representable(vectors, of, m=None, listed=None):
    n, g = len(vectors), gram(vectors)
    if m is None:
        m = times(times(inverse(g), least_scores(of, n)), inverse(g))
    w = times(times(transpose(vectors), m), vectors)
    listed = multipliers(of) if listed is None else listed
    total, square = dual(listed, of, vectors)
    return item({"property": "representable", "pattern": of, "lower": str(1 / sum(dot(row, row) for row in w)), "upper": str(square / total**2)},
                matrix=coefficients(m), multipliers=listed)


def infeasible(of, weights=None):
    return item({"property": "infeasible", "pattern": of}, multipliers=multipliers(of, weights))


def hull(vectors, listed, weights, direction):
    """The best bounds that the weights and the direction show."""
    total, size = sum(a for _, a in weights), len(vectors[0])
    point = [sum(a * vectors[k][c] for k, a in weights) / Q(total) for c in range(size)]
    u = [sum(a * vectors[k][c] for k, a in direction) for c in range(size)]
    p = min(dot(u, vectors[k]) for k in listed)
    lower = p * p / dot(u, u) if direction else 0
    pairs = lambda of: [[k, str(a)] for k, a in of]
    return item({"property": "hull-distance", "vectors": listed, "lower": str(lower), "upper": str(dot(point, point))},
                weights=pairs(weights), direction=pairs(direction))


def switch(anchor, others, gap, anchor_loss, anchor_norm, spread, direction):
    return item({"property": "switch", "anchor": anchor, "others": others, "gap": gap, "anchor_loss": anchor_loss,
                 "anchor_norm": anchor_norm, "spread": spread}, direction=[[k, str(c)] for k, c in direction])


class Model:
    """Heads over given tokens: {name: rows}; everything by definition, head by head."""

    def __init__(self, tokens, w_v, w_o, bias, heads):
        self.tokens, self.w_v, self.w_o, self.heads, n = tokens, w_v, w_o, heads, len(w_v) // heads
        self.n, self.bias, self.c = n, bias, bias or [0] * len(w_v)

    def tensors(self, prefix="", dtype="F32"):
        found = {prefix + "W_V.weight": matrix(self.w_v, dtype), prefix + "W_O.weight": matrix(self.w_o, dtype)}
        return found | ({prefix + "W_V.bias": (dtype, [len(self.w_v)], self.bias)} if self.bias else {})

    def part(self, h):
        span = slice(h * self.n, (h + 1) * self.n)
        return self.w_v[span], [row[span] for row in self.w_o], self.c[span]

    def outputs(self, h):
        w_v, w_o, c = self.part(h)
        return [[dot(row, [dot(r, x) + b for r, b in zip(w_v, c)]) for row in w_o] for x in self.tokens]

    def smoothing(self, h, beta):
        """With W, mu and B as matrices."""
        w_v, w_o, c = self.part(h)
        w, x, d, count = times(w_o, w_v), [[Q(y) for y in row] for row in self.tokens], len(self.tokens[0]), len(self.tokens)
        mu = [sum(column) / count for column in zip(*x)]
        b = [[sum((row[i] - mu[i]) * (row[j] - mu[j]) for row in x) / count for j in range(d)] for i in range(d)]
        trace = lambda of: sum(of[i][i] for i in range(d))
        s, t = beta * trace(times(b, w)), trace(times(times(b, transpose(w)), w))
        mean = [beta * mu[i] + dot(w[i], mu) + dot(w_o[i], c) for i in range(d)]
        numbers = {"s": s, "t": t, "s_plus_t": s + t, "mean_norm": dot(mean, mean), "spread": trace(b)}
        return item({"property": "smoothing", "beta": str(beta)} | {name: [str(x), str(x)] for name, x in numbers.items()})


# ---- The collection ----


class Collection:
    """Files of models and claims, accepted certificates by name, lies as {name: (certificate, words of the reason)}."""

    def __init__(self):
        with open(STATEMENT, "rb") as file:
            self.claims = {"vectors": {"STATEMENT.md": file.read()}}
        self.models, self.accept, self.reject = {}, {}, {}

    def file(self, tensors):
        data = tensor_file(tensors)
        self.models[hashlib.sha256(data).hexdigest()] = data
        return hashlib.sha256(data).hexdigest()

    def certificate(self, rows, properties, dtype="F32", head=None):
        tensors = {"unused": ("I32", [1], [7]), "x": matrix(rows, dtype)}
        return {"format": 1, "kind": "vectors", "claim": "vectors", "claim_sha256": folder_hash(self.claims["vectors"]),
                "input": {"sha256": self.file(tensors), "tensor": "x", "head": head}, "properties": properties}

    def of_head(self, model, h, properties, prefix="", dtype="F32"):
        head = {"sha256": self.file(model.tensors(prefix, dtype)), "prefix": prefix, "num_heads": model.heads, "head": h}
        return self.certificate(model.tokens, properties, head=head)

    def theory(self, claim, statement, evidence, theorem=True):
        """A claim folder with one step of rule `vectors` and a trivial theorem, and its certificate."""
        same = {"scope": "all", "variables": ["x"], "identities": [{"name": "double", "left": ["+", "x", "x"], "right": ["*", "2", "x"]}]}
        files = {"claim.toml": b'says = ["theorem.identity.json"]\n', "lemma.vectors.json": json.dumps({"statement": statement}, indent=1).encode()}
        steps = [{"file": "lemma.vectors.json", "rule": "vectors", "statement": statement, "evidence": evidence}]
        if theorem:
            files["theorem.identity.json"] = json.dumps({"statement": same}).encode()
            steps.append({"file": "theorem.identity.json", "rule": "polynomial-identity", "statement": same})
        self.claims[claim] = files
        return {"format": 1, "kind": "theory", "claim": claim, "claim_sha256": folder_hash(files), "steps": steps, "verdict": "proved"}

    def lie(self, name, base, reason, *changes):
        """A certificate with changes (path, value), (path, DELETE) or (path, function of the old value)."""
        value = copy.deepcopy(self.accept[base] if type(base) is str else base)
        before = canonical(value)
        for *path, key, new in changes:
            holder = value
            for step in path:
                holder = holder[step]
            if new is DELETE:
                del holder[key]
            else:
                holder[key] = new(holder[key]) if callable(new) else new
        assert name not in self.reject and (not changes or canonical(value) != before), name
        self.reject[name] = value, reason

    def statement_lie(self, name, base, reason, *changes):
        self.lie(name, base, reason, *(("properties", 0, "statement", *change) for change in changes))

    def evidence_lie(self, name, base, reason, *changes):
        self.lie(name, base, reason, *(("properties", 0, "evidence", *change) for change in changes))

    def write(self, out):
        shutil.rmtree(out, ignore_errors=True)
        folders = {os.path.join("proofs", claim): files for claim, files in self.claims.items()}
        folders["models"] = {f"{sha256}.safetensors": data for sha256, data in self.models.items()}
        folders["accept"] = {f"{name}.json": canonical(value) for name, value in self.accept.items()}
        folders["reject"] = {f"{name}.json": canonical(value) for name, (value, _) in self.reject.items()}
        for folder, files in folders.items():
            os.makedirs(os.path.join(out, folder))
            for name, data in files.items():
                with open(os.path.join(out, folder, name), "wb") as file:
                    file.write(data)
        with open(os.path.join(out, "reasons.json"), "wb") as file:
            file.write(canonical({name: reason for name, (_, reason) in self.reject.items()}))


HALF = Q(1, 2)
HADAMARD = [[HALF * x for x in row] for row in ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))]
SIX = [[Q(x) for x in row] for row in ((2, 0, 1, 0, 0, 1, 0), (0, 2, 0, 1, 0, 0, 1), (1, 0, 3, 0, 1, 0, 0), (0, 1, 0, 2, 0, 1, 0),
                                       (0, 0, 1, 0, 2, 0, 1), (1, 0, 0, 1, 0, 3, 0))]
THREE_DORMANT = pattern("sink-A", 0, [[1, 2, 3]], [])
U = [Q(3, 4), Q(-1, 4), Q(-1, 4), Q(-1, 4)]  # of norm^2 3/4: the best key profile for three dormant tokens
ROLES = 0, [[1, 3], [2]], [4, 5]  # BOS, groups, copies of six vectors


def optimal_cost(vectors, root=2):
    """k = root^2 - 1 orthonormal dormant tokens: the cost is exactly 2 k/root; two equal rows balance the factors."""
    k = root * root - 1
    share = {2: HALF, 8: Q(1, 4)}[root]  # 2 share^2 = 1/root
    query, key = [0] + [share] * k, [Q(k, k + 1) / share / 2] + [Q(-1, k + 1) / share / 2] * k
    return cost(vectors, pattern("sink-A", 0, [list(range(1, k + 1))], []), [query] * 2, [key] * 2, norm=k * root)


def fine_cost(norm):
    """32 vectors with so small a coordinate that the entries of the matrix of norm reach 2^18/32 bits."""
    vectors = [row + [Q(0)] for row in identity(32)]
    vectors[0][32] = Q(1, 2**1074)
    of = margins([(1, 2, 3, 1)])
    query = [[Q(int(k == 1)) for k in range(32)]]
    key = [[Q(int(k == 2) - int(k == 3), 2) for k in range(32)]]
    return vectors, cost(vectors, of, query, key, norm=norm)


def largest_fine_norm():
    d = 2**2148
    return isqrt((2**8192 - 1) // (d * d * (d + 1)))


MODEL = Model([[1, 2, -1], [0, 1, 3], [2, -2, 1], [-1, 1, 0]],
              [[1, 0, 2], [0, 1, -1], [3, -1, 1], [1, 1, 0]], [[1, 2, 0, 1], [-1, 0, 2, 1], [0, 1, 1, -2]], [1, HALF, -2, 3], 2)
FRACTIONS = Model([[HALF, Q(1, 8)], [Q(-3, 4), 2], [Q(5, 2), Q(1, 4)]], [[Q(1, 16), 3], [Q(-1, 2), Q(3, 8)], [1, Q(7, 4)]],
                  [[Q(1, 4), 1, Q(-5, 8)], [2, Q(1, 32), HALF]], [Q(1, 256), HALF, Q(-3, 2)], 1)
WIDE = Model([[1, 2], [3, -1], [2, 2]], [[1, 0], [2, 1], [0, 1], [1, 1]], [[1, 2, 3, 1]] * 3 + [[0, 1, 0, 1]], None, 4)
SWITCH_VECTORS = [[-HALF, 0], [1, 2], [1, -2]]
SQUARE = [[1, 1], [1, -1], [-2, 0], [3, 0]]
TURNED = [[Q(3, 5), Q(4, 5), Q(0), Q(0)], [Q(-4, 5), Q(3, 5), Q(0), Q(0)], [Q(0), Q(0), Q(5, 13), Q(12, 13)], [Q(0), Q(0), Q(-12, 13), Q(5, 13)]]
THIN = [[1, 0], [0, 1], [-1, -1], [1, 2], [3, 1]]
ALIGNED = margins([(0, 3, 4, 1), (1, 3, 4, 2), (2, 3, 4, 1)])


def longest(c, query="1" + "0" * 399, query_scale="1" + "0" * 399, key="1", key_scale="1", y=10**39, norm=10**399):
    """Two vectors on a line, factors written as given, and a weak lower bound; every number but the bounds is of the longest."""
    line = [[2], [4]]
    value = cost(line, margins([(0, 1, 0, 8)]), [[Q(int(query), int(query_scale)), 0]], [[Q(int(key), int(key_scale)), 0]], norm, [[0, 1, 0, str(y)]])
    value["evidence"]["query"] = {"denominator": query_scale, "rows": [[query, "0"]]}
    value["evidence"]["key"] = {"denominator": key_scale, "rows": [[key, "0"]]}
    return c.certificate(line, [value])


def accepted(c):
    """Every property, dtype and edge."""
    one = lambda rows, *properties, dtype="F32": c.certificate(rows, list(properties), dtype)
    accept = c.accept
    for dtype in ("F64", "F32", "F16", "BF16"):
        accept[f"cost-{dtype.lower()}"] = one(HADAMARD, optimal_cost(HADAMARD), dtype=dtype)
    accept["cost-64"] = one(identity(64), optimal_cost(identity(64), 8), dtype="BF16")
    accept["cost-margin"] = one(identity(4), cost(identity(4), dict(THREE_DORMANT, margin="2/3"), [[0, 1, 1, 1]], [[Q(2, 3) * x for x in U]], norm=6))
    for kind in ("sink-A", "sink-B", "diagonal"):
        of = pattern(kind, *ROLES, "3/2")
        accept[f"cost-{kind.lower()}"] = one(SIX, cost(SIX, of))
        accept[f"representable-{kind.lower()}"] = one(SIX, representable(SIX, of))
    halves = [[x / 2 for x in row] for row in SIX]
    of = pattern("diagonal", *ROLES)
    accept["cost-and-representable-of-halves"] = one(halves, cost(halves, of), representable(halves, of))
    last = pattern("diagonal", 5, [[0, 4]], [3])
    accept["cost-bos-last"] = one(SIX, cost(SIX, last))
    accept["representable-group-last"] = one(SIX, representable(SIX, pattern("sink-B", 1, [[5], [2, 0]], [4, 3])))
    accept["representable-copy-first"] = one(SIX, representable(SIX, pattern("sink-B", 1, [[5], [2, 4]], [0, 3])))
    accept["properties-256"] = one(SQUARE, *(hull(SQUARE, [0, 3], [(0, 1), (3, k)], [(0, 1)]) for k in range(1, 257)))
    some = margins([(0, 1, 2, 3), (0, 2, 3, 1), (2, 0, 5, 10), (5, 5, 4, 2)], "1/7")
    accept["cost-weights"] = one(SIX, cost(SIX, some))
    accept["cost-some-multipliers"] = one(SIX, cost(SIX, some, listed=[[0, 1, 2, "1" + "0" * 39], [5, 5, 4, "17"]]))
    accept["cost-lower-zero"] = one(SIX, cost(SIX, some, listed=[], norm=1, lower=0))
    twins = [[1, 0], [0, 1], [0, 1]]
    accept["cost-repeated-vector"] = one(twins, cost(twins, pattern("sink-A", 0, [[1, 2]], []), [[0, 1, 0]], [[HALF, -HALF, 0]], norm=6))
    plane = [[1, 0], [0, 1], [1, 1], [2, 1], [0, 0]]
    accept["cost-dependent"] = one(plane, cost(plane, margins([(1, 0, 1, 1), (2, 0, 1, 1), (2, 3, 1, 1)]), [[0, 1, 0, 0, 0]], [[1, -1, 0, 0, 0]]))
    line = [[2], [4]]
    accept["cost-longest"] = longest(c)
    accept["cost-line"] = one(line, cost(line, margins([(0, 1, 0, 8)]), [[1, 0]], [[1, 0]], norm=4))
    short = [[Q(1, 4)], [HALF]]
    accept["cost-small-norm"] = one(short, cost(short, margins([(0, 1, 0, 1)]), [[16, 0]], [[16, 0]], norm=Q(1, 16)))
    vectors, fine = fine_cost(largest_fine_norm())
    accept["cost-most-bits"] = one(vectors, fine, dtype="F64")
    accept["representable"] = one(HADAMARD, representable(HADAMARD, THREE_DORMANT, [[0] * 4] + [U] * 3))
    accept["representable-weights"] = one(identity(3), representable(identity(3), margins([(0, 1, 2, 3)], "5"), [[0, Q(15, 2), Q(-15, 2)], [0] * 3, [0] * 3]))
    accept["infeasible-cycle"] = one(SIX, infeasible(margins([(0, 1, 2, 1), (0, 2, 3, 4), (0, 3, 1, 1)])))
    cycle = [(0, 1, 2), (0, 2, 3), (0, 3, 1)]
    more_than_needed = margins([(*triple, 1) for triple in cycle] + [(2, 0, 5, 10), (5, 5, 4, 10**39)])
    accept["infeasible-more"] = one(SIX, infeasible(more_than_needed, dict.fromkeys(cycle, 10**19999)))
    accept["infeasible-longest-margin"] = one(SIX, infeasible(dict(more_than_needed, margin="1/1" + "0" * 397), dict.fromkeys(cycle, 1)))
    roles = [[1, 0], [0, 1], [0, -1], [1, 1], [2, 0], [1, 3]]
    of = pattern("sink-A", 0, [[1], [2]], [3, 4])
    accept["infeasible-roles"] = one(roles, infeasible(of, {(x, 0, y): 1 for x in (1, 2) for y in (1, 2)}))
    accept["infeasible-hull"] = one(THIN, infeasible(ALIGNED))
    opposite = [[1, 0], [0, 1], [0, -1]]
    accept["infeasible-sink"] = one(opposite, infeasible(pattern("sink-A", 0, [[1, 2]], [])))
    accept["hull-distance"] = one(SQUARE, hull(SQUARE, [0, 1], [(0, 1), (1, 1)], [(0, 1), (1, 1)]), hull(SQUARE, [0, 1, 3], [(1, 5), (0, 5)][::-1], [(3, 1)]))
    accept["hull-loose"] = one(SQUARE, hull(SQUARE, [0, 3], [(0, 2), (3, 1)], [(0, 3), (1, 0), (2, -1)]))
    accept["hull-zero"] = one(SQUARE, hull(SQUARE, [0, 1, 2], [(0, 1), (1, 1), (2, 1)], []))
    tiny = [[Q(1, 2**1074), 0, -0.0], [Q(1, 2**1074), 0, 2.0**1023]]
    accept["hull-denormal"] = one(tiny, hull([[Q(x) for x in row] for row in tiny], [0, 1], [(0, 1)], [(0, 1)]), dtype="F64")
    small = [[Q(1, 2**24), 1], [Q(3, 2**24), -1]]
    accept["hull-f16-denormal"] = one(small, hull(small, [0, 1], [(0, 1), (1, 1)], [(0, 1), (1, 1)]), dtype="F16")
    accept["switch"] = one(SWITCH_VECTORS, switch(0, [1, 2], "1", "1/2", "1/2", "5/2", [(1, 1), (2, 1)]))
    double = [[2, 4], [2, -4], [-1, 0]]
    accept["switch-anchor-last"] = one(double, switch(2, [0, 1], "2", "1", "1", "5", [(0, 1), (1, 1)]))
    accept["switch-with-its-anchor"] = one(SWITCH_VECTORS, switch(1, [2], "1", "0", "5/2", "4", [(0, -7)]))
    accept["single-vector"] = one([[3]], hull([[Q(3)]], [0], [(0, 1)], [(0, 1)]))
    for h in (0, 1):
        values = MODEL.outputs(h)
        properties = [MODEL.smoothing(h, Q(h, 3) - HALF), MODEL.smoothing(h, Q(0)), hull(values, [0, 1, 2, 3], [(1, 1), (3, 2)], [])]
        properties.append(hull(values, [2, 3], [(3, 1)], [(2 if h else 3, 1)]) if dot(values[2], values[3]) > 0 else hull(values, [3], [(3, 1)], [(3, 1)]))
        accept[f"head-{h}"] = c.of_head(MODEL, h, properties)
    accept["head-prefix"] = c.of_head(MODEL, 1, [MODEL.smoothing(1, Q(1))], "layers.9999.", "BF16")
    accept["head-zero"] = c.of_head(MODEL, 1, [MODEL.smoothing(1, Q(1))], "layers.0.", "F16")
    values = FRACTIONS.outputs(0)
    accept["head-fractions"] = c.of_head(FRACTIONS, 0, [FRACTIONS.smoothing(0, Q(1, 3)), hull(values, [0, 1, 2], [(0, 1)], []),
                                                         cost(values[:3], margins([(1, 1, 2, 1)]), identity(3, 100), identity(3, 100), lower=0)])
    values = WIDE.outputs(3)
    accept["head-wide"] = c.of_head(WIDE, 3, [hull(values, [0, 2], [(0, 1)], [(0, 1)]), cost(values, margins([(0, 2, 1, 1)]), [[1, 0, 0]], [[0, -1, 1]], lower=0)])
    values = WIDE.outputs(0)
    of = margins([(0, 1, 0, 1), (2, 1, 0, 2)])
    accept["head-narrow"] = c.of_head(WIDE, 0, [cost(values, of, [[Q(1, 4), 0, 0]], [[Q(2, 9), 0, 0]])])
    for name, rows in {"one": [[Q(1, 10**400 - 1)]], "128": [[Q(2 * int(i == j), 3) for j in range(128)] for i in range(128)]}.items():
        of = hull(rows, [0], [(0, 1)], [(0, 1)])
        accept[f"theory-{name}"] = c.theory(f"sample-{name}", {"scope": "all", "vectors": [[str(x) for x in row] for row in rows], "property": of["statement"]}, of["evidence"])
    exact = {"scope": "all", "vectors": [[str(x) for x in row] for row in TURNED]}
    for name, of in {"cost": optimal_cost(TURNED), "representable": representable(TURNED, THREE_DORMANT, [[0] * 4] + [U] * 3),
                     "infeasible": infeasible(margins([(0, 1, 2, 1), (0, 2, 1, 1)])), "hull": hull(TURNED, [0, 1], [(0, 1), (1, 1)], [(0, 1), (1, 1)]),
                     "switch": switch(0, [1], "1", "0", "1", "3/2", [(1, 1)])}.items():
        accept[f"theory-{name}"] = c.theory(f"sample-{name}", exact | {"property": of["statement"]}, of["evidence"])


def scaled(text, factor):
    return str(Q(text) * factor)


LESS, MORE = Q(10**30 - 1, 10**30), Q(10**30 + 1, 10**30)


def less(text):
    return scaled(text, LESS)


def more(text):
    return scaled(text, MORE)


def object_lies(c):
    """Section 6.1."""
    lie = c.lie
    base = "cost-f32"
    lie("6.1-certificate-has-another-key", base, "unknown key", ("semantics", "real"))
    lie("6.1-certificate-lacks-input", base, "lacks the key input", ("input", DELETE))
    lie("6.1-format-is-not-1", base, "format", ("format", 2))
    lie("6.1-claim-is-not-vectors", base, "claim is not vectors", ("claim", "checkpoint"))
    lie("6.1-claim-hash", base, "claim_sha256", ("claim_sha256", lambda x: x[::-1]))
    lie("6.1-input-has-another-key", base, "unknown key", ("input", "dtype", "F32"))
    lie("6.1-input-lacks-head", base, "lacks the key head", ("input", "head", DELETE))
    lie("6.1-input-hash-in-capitals", base, "not a hash", ("input", "sha256", str.upper))
    lie("6.1-input-tensor-is-no-string", base, "not a string", ("input", "tensor", 0))
    lie("6.1-input-tensor-is-not-in-the-file", base, "no tensor", ("input", "tensor", "y"))
    lie("6.1-input-tensor-is-the-metadata", base, "no tensor", ("input", "tensor", "__metadata__"))
    lie("6.1-head-is-false", base, "not an object", ("input", "head", False))
    lie("6.1-properties-is-empty", base, "1 to 256", ("properties", []))
    lie("6.1-properties-are-257", "hull-loose", "1 to 256", ("properties", lambda old: [
        {"statement": dict(old[0]["statement"], upper=str(100 + k)), "evidence": old[0]["evidence"]} for k in range(257)]))
    lie("6.1-properties-are-no-list", base, "not a list", ("properties", {}))
    lie("6.1-two-equal-statements", base, "same statement", ("properties", lambda old: old * 2))
    lie("6.1-property-has-another-key", base, "unknown key", ("properties", 0, "verdict", "proved"))
    lie("6.1-property-lacks-evidence", base, "lacks the key evidence", ("properties", 0, "evidence", DELETE))
    lie("6.1-statement-is-a-list", base, "not an object", ("properties", 0, "statement", []))
    lie("6.1-statement-lacks-property", base, "unknown property", ("properties", 0, "statement", "property", DELETE))
    lie("6.1-property-is-unknown", base, "unknown property", ("properties", 0, "statement", "property", "Cost"))
    lie("6.1-property-is-a-list", base, "unknown property", ("properties", 0, "statement", "property", ["cost"]))
    lie("6.1-second-property-is-false", "hull-distance", "property 1", ("properties", 1, "statement", "upper", less))
    head = "head-1"
    lie("6.1-head-has-another-key", head, "unknown key", ("input", "head", "layer", 0))
    lie("6.1-head-lacks-prefix", head, "lacks the key", ("input", "head", "prefix", DELETE))
    lie("6.1-head-hash-is-short", head, "not a hash", ("input", "head", "sha256", lambda x: x[1:]))
    for what, prefix in {"has-a-leading-zero": "layers.01.", "has-five-digits": "layers.10000.", "lacks-its-point": "layers.1",
                         "is-another-word": "blocks.1.", "is-null": None, "ends-in-a-line-feed": "layers.1.\n"}.items():
        value = c.of_head(MODEL, 1, [MODEL.smoothing(1, Q(1))], prefix or "")
        value["input"]["head"]["prefix"] = prefix
        lie(f"6.1-prefix-{what}", value, "prefix")
    lie("6.1-prefix-of-another-layer", "head-prefix", "no tensor", ("input", "head", "prefix", "layers.999."))
    lie("6.1-no-heads", head, "num_heads", ("input", "head", "num_heads", 0), ("input", "head", "head", 0))
    for heads in (1024, 1025):
        many = Model([[1]], [[1]] * heads, [[1] * heads], None, heads)
        c.accept[f"heads-{heads}"] = c.of_head(many, heads - 1, [many.smoothing(heads - 1, Q(1))])
    lie("6.1-1025-heads", c.accept.pop("heads-1025"), "num_heads")
    lie("6.1-heads-do-not-divide", head, "wrong shape", ("input", "head", "num_heads", 3))
    lie("6.1-head-is-over-the-last", head, "head.head", ("input", "head", "head", 2))
    lie("6.1-head-is-negative", head, "head.head", ("input", "head", "head", -1))
    lie("6.1-head-is-true", head, "head.head", ("input", "head", "head", True))
    lie("6.1-head-is-a-string", head, "head.head", ("input", "head", "head", "1"))
    lie("6.1-another-head", head, "", ("input", "head", "head", 0))
    lie("6.1-another-number-of-heads", head, "", ("input", "head", "num_heads", 4))
    file_lies(c)


def file_lies(c):
    """Section 6.1: what the two files hold."""
    point = lambda: [hull([[Q(1)]], [0], [(0, 1)], [(0, 1)])]

    def inputs(name, reason, dtype, shape, flat, properties=None):
        value = c.certificate([[1]], properties or point())
        value["input"]["sha256"] = c.file({"x": (dtype, shape, flat)})
        c.lie(f"6.1-input-{name}", value, reason)

    nan, infinity = float("nan"), float("inf")
    inputs("is-of-integers", "not F64", "I32", [1, 1], [1])
    for dtype in ("F64", "F32", "F16", "BF16"):
        inputs(f"holds-a-nan-{dtype.lower()}", "not finite", dtype, [2, 1], [1, nan])
        inputs(f"holds-an-infinity-{dtype.lower()}", "not finite", dtype, [2, 1], [1, -infinity])
    inputs("has-one-dimension", "of 2 dimensions", "F32", [1], [1])
    inputs("has-three-dimensions", "of 2 dimensions", "F32", [1, 1, 1], [1])
    inputs("has-no-vectors", "of 2 dimensions", "F32", [0, 3], [])
    inputs("has-no-coordinates", "of 2 dimensions", "F32", [1, 0], [])
    inputs("has-1025-vectors", "too large", "BF16", [1025, 1], [1] * 1025)
    inputs("has-65537-coordinates", "too large", "BF16", [1, 65537], [1] * 65537)

    def heads(name, reason, change, prefix=""):
        value, tensors = copy.deepcopy(c.accept["head-0"]), MODEL.tensors(prefix)
        change(tensors)
        value["input"]["head"]["sha256"] = c.file(tensors)
        c.lie(f"6.1-head-file-{name}", value, reason)

    def entry(name, place, x):
        def change(tensors):
            dtype, shape, flat = tensors[name]
            tensors[name] = dtype, shape, flat[:place] + [x] + flat[place + 1:]
        return change

    heads("lacks-w-v", "no tensor", lambda t: t.pop("W_V.weight"))
    heads("lacks-w-o", "no tensor", lambda t: t.pop("W_O.weight"))
    heads("has-other-inputs", "wrong shape", lambda t: t.update({"W_V.weight": ("F32", [4, 2], [1] * 8)}))
    heads("has-other-columns", "wrong shape", lambda t: t.update({"W_O.weight": ("F32", [3, 6], [1] * 18)}))
    heads("has-w-o-transposed", "wrong shape", lambda t: t.update({"W_O.weight": ("F32", [4, 3], [1] * 12)}))
    heads("has-a-flat-w-v", "of 2 dimensions", lambda t: t.update({"W_V.weight": ("F32", [12], [1] * 12)}))
    heads("has-a-short-bias", "wrong shape", lambda t: t.update({"W_V.bias": ("F32", [2], [1] * 2)}))
    heads("has-a-bias-matrix", "wrong shape", lambda t: t.update({"W_V.bias": ("F32", [4, 1], MODEL.bias)}))
    heads("has-an-integer-bias", "not F64", lambda t: t.update({"W_V.bias": ("I32", [4], [1] * 4)}))
    heads("holds-a-nan-in-w-v", "not finite", entry("W_V.weight", 0, nan))
    heads("holds-a-nan-in-w-o", "not finite", entry("W_O.weight", 0, nan))
    heads("holds-a-nan-in-the-bias", "not finite", entry("W_V.bias", 0, nan))
    heads("has-another-w-v", "s is not between", entry("W_V.weight", 0, 2))
    heads("has-another-w-o", "s is not between", entry("W_O.weight", 0, 2))
    heads("has-another-bias", "mean_norm", entry("W_V.bias", 0, 2))
    heads("has-no-bias", "mean_norm", lambda t: t.pop("W_V.bias"))


def pattern_lies(c):
    """Section 6.2."""
    statement = lambda name, reason, key, new, base="cost-sink-b": c.statement_lie(f"6.2-{name}", base, reason, ("pattern", key, new))
    statement("pattern-kind-unknown", "unknown kind", "kind", "sink-C")
    statement("pattern-kind-is-a-list", "unknown kind", "kind", [])
    statement("pattern-lacks-its-kind", "unknown kind", "kind", DELETE)
    c.statement_lie("6.2-pattern-is-a-string", "cost-sink-b", "unknown kind", ("pattern", "sink-B"))
    statement("pattern-has-another-key", "unknown key", "constraints", [])
    statement("pattern-lacks-copies", "lacks the key", "copies", DELETE)
    statement("margins-with-bos", "unknown key", "bos", 0, "cost-weights")
    statement("margin-is-zero", "not positive", "margin", "0", "infeasible-sink")
    statement("margin-is-negative", "not positive", "margin", "-3/2", "infeasible-sink")
    statement("margin-is-an-integer", "not a rational string", "margin", 1, "infeasible-sink")
    statement("margin-is-not-in-lowest-terms", "lowest terms", "margin", "6/4", "infeasible-sink")
    statement("margin-has-401-characters", "400 characters", "margin", "1/1" + "0" * 398, "infeasible-sink")
    roles = lambda name, reason, key, new: statement(name, reason, key, new, "infeasible-roles")
    roles("bos-is-too-large", "bos", "bos", 6)
    roles("bos-is-negative", "bos", "bos", -6)
    roles("bos-is-false", "bos", "bos", False)
    roles("groups-is-empty", "groups must be non-empty", "groups", [])
    statement("a-group-is-empty", "groups must be non-empty", "groups", [[1, 2], []], "infeasible-sink")
    roles("a-group-is-empty-beside-its-copy", "groups must be non-empty", "groups", [[1, 2], []])
    roles("a-group-is-a-number", "not a list", "groups", [[1], 2])
    roles("a-dormant-token-is-too-large", "dormant", "groups", [[1], [2, 6]])
    roles("a-dormant-token-is-negative", "dormant", "groups", [[1], [2, -1]])
    roles("a-dormant-token-twice", "twice", "groups", [[1], [2, 1]])
    roles("bos-is-dormant", "twice", "groups", [[1], [2, 0]])
    roles("a-copy-is-dormant", "twice", "copies", [3, 1])
    roles("a-copy-is-bos", "twice", "copies", [3, 0])
    roles("a-copy-twice", "twice", "copies", [3, 3])
    roles("a-copy-is-too-large", "a copy", "copies", [3, 6])
    roles("one-copy-for-two-groups", "wrong length", "copies", [3])
    roles("three-copies-for-two-groups", "wrong length", "copies", [3, 4, 5])
    roles("copies-is-null", "not a list", "copies", None)
    triple = lambda name, reason, *new: statement(f"constraint-{name}", reason, "constraints", lambda old: [*old[:-1], list(new)], "infeasible-more")
    statement("constraints-is-empty", "1 to 1000000", "constraints", [], "cost-weights")
    statement("constraints-is-an-object", "not a list", "constraints", {}, "cost-weights")
    triple("of-a-vector-with-itself", "with itself", 5, 4, 4, "2")
    triple("of-a-vector-too-many", "a vector of constraints", 5, 6, 4, "2")
    triple("of-a-negative-vector", "a vector of constraints", 5, 5, -1, "2")
    triple("of-true", "a vector of constraints", 5, True, 4, "2")
    triple("without-weight", "4 entries", 5, 5, 4)
    triple("with-five-entries", "4 entries", 5, 5, 4, "2", "2")
    triple("weight-is-zero", "not positive", 5, 5, 4, "0")
    triple("weight-is-negative", "not positive", 5, 5, 4, "-2")
    triple("weight-is-a-fraction", "not a whole", 5, 5, 4, "1/2")
    triple("weight-is-an-integer", "not a string", 5, 5, 4, 2)
    triple("weight-has-41-characters", "40 characters", 5, 5, 4, "1" + "0" * 40)
    triple("out-of-order", "increasing", 2, 0, 4, "2")
    triple("twice", "increasing", 2, 0, 5, "10")
    many = [[1] + [0] * 2] * 257
    of = infeasible(margins([(0, 1, 0, 1)]))
    c.lie("6.2-pattern-of-257-vectors", c.certificate(many, [of]), "over 256")
    c.accept["infeasible-256"] = c.certificate(many[:256], [of])
    multiplier_lies(c)
    evidence = lambda name, reason, *change, base="cost-sink-b": c.evidence_lie(f"6.2-{name}", base, reason, change)
    for key in ("query", "key"):
        evidence(f"{key}-has-another-key", "unknown key", key, "scale", "1")
        evidence(f"{key}-lacks-its-denominator", "lacks the key", key, "denominator", DELETE)
        evidence(f"{key}-denominator-is-zero", "not positive", key, "denominator", "0")
        evidence(f"{key}-denominator-is-negative", "not positive", key, "denominator", "-1")
        other = "key" if key == "query" else "query"
        c.lie(f"6.2-{key}-denominator-has-401-characters", longest(c, **{f"{key}_scale": "1" + "0" * 400, key: "10", other: "1" + "0" * 399, f"{other}_scale": "1"}),
              f"{key}.denominator is not a string of at most 400 characters")
        c.lie(f"6.2-{key}-entry-has-401-characters", longest(c, **{key: "1" + "0" * 400, f"{key}_scale": "1", other: "1", f"{other}_scale": "1"}),
              f"an entry of {key} is not a string of at most 400 characters")
        evidence(f"{key}-entry-is-a-fraction", "not a whole", key, "rows", 0, 0, "1/2")
        evidence(f"{key}-entry-is-an-integer", "not a string", key, "rows", 0, 0, 1)
        evidence(f"{key}-entry-is-minus-zero", "not a whole", key, "rows", 0, 1, "-0")
        evidence(f"{key}-row-is-short", "6 entries", key, "rows", 0, lambda row: row[:-1])
        evidence(f"{key}-row-is-long", "6 entries", key, "rows", 0, lambda row: row + ["0"])


def multiplier_lies(c):
    def lie(name, reason, change, base="cost-sink-b"):
        c.evidence_lie(f"6.2-multiplier-{name}", base, reason, ("multipliers", change))

    def put(index, *new):
        return lambda old: [*old[:index], list(new), *old[index:][1:]]

    lie("s-is-null", "not a list", None)
    lie("of-no-triple", "not of the system", lambda old: sorted(old + [[0, 1, 2, "1"]]))
    c.statement_lie("6.2-multiplier-of-a-constraint-left-out", "infeasible-cycle", "not of the system", ("pattern", "constraints", lambda old: old[:-1]))
    lie("of-reading-b-in-a", "not of the system", lambda old: sorted(old + [[4, 0, 2, "1"]]), "cost-sink-a")
    lie("of-bos-in-diagonal", "not of the system", lambda old: sorted(old + [[1, 0, 2, "1"]]), "cost-diagonal")
    lie("of-the-groups-other-member", "not of the system", lambda old: sorted(old + [[4, 0, 1, "1"]]))
    lie("of-a-vector-too-many", "a vector of multipliers", lambda old: old + [[6, 0, 1, "1"]])
    lie("is-short", "4 entries", lambda old: [old[0][:3]] + old[1:])
    lie("begins-with-true", "not an integer", lambda old: [[True] + old[0][1:]] + old[1:])
    cycle = "infeasible-cycle"
    lie("s-out-of-order", "increasing", lambda old: [old[1], old[0]] + old[2:], cycle)
    lie("twice", "increasing", lambda old: [x for x in old for _ in range(2)], cycle)
    lie("is-an-integer", "not a string", put(0, 0, 1, 2, 1), cycle)
    lie("is-a-fraction", "not a whole", lambda old: [x[:3] + ["1/2"] for x in old], cycle)
    lie("has-a-leading-zero", "not a whole", put(0, 0, 1, 2, "01"), cycle)
    lie("has-a-plus", "not a whole", put(0, 0, 1, 2, "+1"), cycle)
    lie("has-20001-characters", "20000 characters", lambda old: [x[:3] + ["1" + "0" * 20000] for x in old], cycle)
    c.lie("6.2-multiplier-has-41-characters", longest(c, y=10**40), "40 characters")
    twins = [[1, 0], [1, 0], [2, 1], [0, 3]]
    c.lie("6.2-multiplier-is-negative", c.certificate(twins, [infeasible(margins([(0, 2, 3, 1), (1, 2, 3, 1)]), {(0, 2, 3): 1, (1, 2, 3): -1})]), "not positive")
    c.lie("6.2-multiplier-is-zero", c.certificate(twins, [infeasible(margins([(0, 2, 3, 1)]), {(0, 2, 3): 0})]), "not positive")
    c.lie("6.2-multiplier-is-minus-zero", c.certificate(twins, [infeasible(margins([(0, 2, 3, 1)]), {(0, 2, 3): "-0"})]), "not a whole")


def cost_lies(c):
    """Section 6.3."""
    best = "cost-f32"
    statement = lambda name, reason, *changes, base=best: c.statement_lie(f"6.3-{name}", base, reason, *changes)
    evidence = lambda name, reason, *changes, base=best: c.evidence_lie(f"6.3-{name}", base, reason, *changes)
    statement("statement-has-another-key", "unknown key", ("norm", "6"))
    statement("statement-lacks-upper", "lacks the key", ("upper", DELETE))
    statement("lower-is-too-large", "do not reach lower", ("lower", more))
    statement("upper-is-too-small", "cost more", ("upper", less))
    statement("lower-is-negative", "negative", ("lower", "-1"), base="cost-lower-zero")
    statement("lower-is-negative-with-evidence", "negative", ("lower", "-1"))
    statement("lower-is-no-number", "not a canonical", ("lower", "3.0"))
    statement("upper-is-an-integer", "not a rational", ("upper", 3))
    statement("another-margin", "margin of", ("pattern", "margin", more))
    statement("reading-a-as-b", "margin of", ("pattern", "kind", "sink-B"), base="cost-sink-a")
    statement("lower-zero-with-evidence", "lower is 0", ("lower", "0"))
    evidence("lower-zero-with-a-norm", "lower is 0", ("norm", "1"), base="cost-lower-zero")
    evidence("lower-zero-with-multipliers", "lower is 0", ("multipliers", [[0, 1, 2, "1"]]), base="cost-lower-zero")
    evidence("evidence-has-another-key", "unknown key", ("value", {}))
    evidence("evidence-lacks-norm", "lacks the key", ("norm", DELETE))
    evidence("norm-is-too-small", "too small", ("norm", less))
    evidence("norm-is-half", "too small", ("norm", "3"))
    evidence("norm-is-zero", "not positive", ("norm", "0"))
    evidence("norm-is-negative", "not positive", ("norm", "-6"))
    c.lie("6.3-norm-has-401-characters", longest(c, norm=10**400), "400 characters")
    evidence("norm-of-repeated-vectors", "too small", ("norm", "5"), base="cost-repeated-vector")
    evidence("norm-of-dependent-vectors", "too small", ("norm", "1"), base="cost-dependent")
    evidence("norm-of-a-line", "too small", ("norm", less), base="cost-line")
    evidence("norm-of-64", "too small", ("norm", less), base="cost-64")
    evidence("norm-of-a-narrow-head", "too small", ("norm", "1"), base="head-narrow")
    evidence("norm-of-short-vectors", "too small", ("norm", less), base="cost-small-norm")
    evidence("norm-of-six", "too small", ("norm", "1"), base="cost-diagonal")
    vectors, fine = fine_cost(largest_fine_norm() + 1)
    c.lie("6.3-too-many-bits", c.certificate(vectors, [fine], "F64"), "too many bits")
    evidence("no-multipliers", "do not reach lower", ("multipliers", []))
    evidence("a-multiplier-left-out", "", ("multipliers", lambda old: old[1:]))
    evidence("no-rows", "number of rows", ("query", "rows", []), ("key", "rows", []))
    evidence("more-rows-in-query", "number of rows", ("query", "rows", lambda old: old + [["0"] * 4]))
    evidence("more-rows-in-key", "number of rows", ("key", "rows", lambda old: old + [["0"] * 4]))
    evidence("more-rows-than-vectors", "number of rows", *((key, "rows", lambda old: old + [["0"] * 4] * 3) for key in ("query", "key")))
    evidence("query-smaller", "margin of", ("query", "denominator", lambda x: str(int(x) * 2)))
    evidence("key-smaller", "margin of", ("key", "denominator", lambda x: str(int(x) + 1)))
    for kind in ("sink-a", "sink-b", "diagonal"):
        evidence(f"a-margin-of-{kind}", "margin of", ("key", "rows", 4, 5, lambda x: str(int(x) + 5 * 10**6)), base=f"cost-{kind}")
    evidence("a-margin-of-weights", "margin of", ("key", "rows", 5, 4, lambda x: str(int(x) + 10**6)), base="cost-weights")
    statement("a-heavier-weight", "margin of", ("pattern", "constraints", 0, 3, "4"), base="cost-weights")


def feasibility_lies(c):
    """Sections 6.4 and 6.5."""
    c.statement_lie("6.4-statement-has-another-key", "infeasible-hull", "unknown key", ("lower", "0"))
    c.evidence_lie("6.4-evidence-has-another-key", "infeasible-hull", "unknown key", ("norm", "0"))
    c.evidence_lie("6.4-no-multipliers", "infeasible-hull", "no multipliers", ("multipliers", []))
    c.evidence_lie("6.4-multipliers-do-not-cancel", "infeasible-hull", "do not cancel", ("multipliers", 0, 3, "2"))
    c.evidence_lie("6.4-one-multiplier-short", "infeasible-cycle", "do not cancel", ("multipliers", lambda old: old[1:]))
    c.evidence_lie("6.4-one-multiplier-of-a-sink", "infeasible-sink", "do not cancel", ("multipliers", 0, 3, "1" + "0" * 30))
    base = "representable"
    statement = lambda name, reason, *changes: c.statement_lie(f"6.5-{name}", base, reason, *changes)
    evidence = lambda name, reason, *changes: c.evidence_lie(f"6.5-{name}", base, reason, *changes)
    statement("statement-has-another-key", "unknown key", ("margin", "1"))
    statement("lower-is-too-large", "lower is not shown", ("lower", more))
    statement("lower-is-zero", "lower is not shown", ("lower", "0"))
    statement("lower-is-negative", "lower is not shown", ("lower", "-1"))
    statement("upper-is-too-small", "upper is not shown", ("upper", less))
    statement("upper-is-negative", "upper is not shown", ("upper", "-1"))
    statement("another-margin", "margin of", ("pattern", "margin", more))
    evidence("evidence-has-another-key", "unknown key", ("norm", "0"))
    evidence("no-multipliers", "no multipliers", ("multipliers", []))
    evidence("matrix-has-a-row-less", "does not have", ("matrix", "rows", lambda old: old[:-1]))
    evidence("matrix-has-a-row-more", "does not have", ("matrix", "rows", lambda old: old + old[:1]))
    evidence("matrix-is-smaller", "margin of", ("matrix", "denominator", "5"))
    evidence("matrix-is-larger", "lower is not shown", ("matrix", "denominator", "3"))
    evidence("matrix-is-transposed", "margin of", ("matrix", "rows", transpose))
    evidence("matrix-denominator-is-zero", "not positive", ("matrix", "denominator", "0"))
    evidence("another-multiplier", "upper is not shown", ("multipliers", 0, 3, "2"))
    c.statement_lie("6.5-a-heavier-weight", "representable-weights", "margin of", ("pattern", "constraints", 0, 3, "4"))
    c.statement_lie("6.5-a-lighter-weight", "representable-weights", "upper is not shown", ("pattern", "constraints", 0, 3, "2"))


def hull_lies(c):
    """Section 6.6."""
    statement = lambda name, reason, *changes, base="hull-distance": c.statement_lie(f"6.6-{name}", base, reason, *changes)
    evidence = lambda name, reason, *changes, base="hull-distance": c.evidence_lie(f"6.6-{name}", base, reason, *changes)
    statement("hull-statement-has-another-key", "unknown key", ("pattern", {}))
    statement("hull-lower-is-too-large", "does not reach lower", ("lower", more))
    statement("hull-lower-is-negative", "lower is negative", ("lower", "-1"), base="hull-zero")
    statement("hull-lower-is-zero-with-a-direction", "lower is 0", ("lower", "0"))
    statement("hull-lower-is-negative-with-a-direction", "lower is negative", ("lower", "-1"))
    statement("hull-upper-is-too-small", "do not reach upper", ("upper", less))
    statement("hull-upper-is-zero", "do not reach upper", ("upper", "0"))
    statement("hull-of-nothing", "is empty", ("vectors", []))
    statement("hull-of-a-vector-twice", "not strictly increasing", ("vectors", [0, 1, 1]))
    statement("hull-out-of-order", "not strictly increasing", ("vectors", [1, 0]))
    statement("hull-of-a-vector-too-many", "out of range", ("vectors", [0, 1, 4]))
    statement("hull-of-a-negative-vector", "out of range", ("vectors", [-1, 0, 1]))
    statement("hull-of-false", "not an integer", ("vectors", [False, 1]))
    statement("hull-with-a-nearer-vector", "does not separate", ("vectors", [0, 1, 2]))
    statement("hull-without-a-weighted-vector", "not of the hull", ("vectors", [0]))
    evidence("hull-evidence-lacks-direction", "lacks the key", ("direction", DELETE))
    evidence("hull-no-weights", "weights is empty", ("weights", []))
    c.lie("6.6-hull-weight-is-zero", c.accept["hull-distance"], "not positive", ("properties", 1, "evidence", "weights", lambda old: old + [[3, "0"]]))
    outside = hull([[Q(1)], [Q(3)]], [0, 1], [(0, 3), (1, -1)], [])
    c.lie("6.6-hull-weight-is-negative", c.certificate([[1], [3]], [outside]), "not positive")
    evidence("hull-weight-is-a-fraction", "not a whole", ("weights", 0, 1, "1/2"))
    evidence("hull-weight-is-an-integer", "not a string", ("weights", 0, 1, 1))
    evidence("hull-weight-has-20001-characters", "20000 characters", *(("weights", k, 1, "1" + "0" * 20000) for k in (0, 1)))
    evidence("hull-weights-out-of-order", "not strictly increasing", ("weights", lambda old: old[::-1]))
    evidence("hull-weight-twice", "not strictly increasing", ("weights", lambda old: [x for x in old for _ in range(2)]))
    evidence("hull-direction-twice", "not strictly increasing", ("direction", lambda old: [x for x in old for _ in range(2)]))
    evidence("hull-weight-of-another-vector", "not of the hull", ("weights", lambda old: old + [[3, "1"]]))
    evidence("hull-weight-with-three-entries", "2 entries", ("weights", 0, lambda old: old + ["1"]))
    evidence("hull-other-weights", "do not reach upper", ("weights", 0, 1, "2"))
    evidence("hull-no-direction", "does not separate", ("direction", []))
    evidence("hull-direction-is-zero", "does not separate", ("direction", [[0, "0"]]))
    evidence("hull-direction-turned-round", "does not separate", ("direction", [[0, "-1"], [1, "-1"]]))
    evidence("hull-direction-aside", "does not reach lower", ("direction", 0, 1, "2"))
    evidence("hull-direction-out-of-order", "not strictly increasing", ("direction", lambda old: old[::-1]))
    evidence("hull-direction-of-a-vector-too-many", "out of range", ("direction", lambda old: old + [[4, "0"]]))
    evidence("hull-direction-of-true", "not an integer", ("direction", 1, 0, True))
    evidence("hull-direction-is-an-object", "not a list", ("direction", {}))
    evidence("hull-zero-with-a-direction", "lower is 0", ("direction", [[0, "1"]]), base="hull-zero")
    statement("hull-zero-with-a-lower-bound", "does not separate", ("lower", "1/1000000"), base="hull-zero")
    evidence("hull-zero-off-by-little", "do not reach upper", ("weights", 0, 1, "1" + "0" * 40), ("weights", 1, 1, "1" + "0" * 39 + "1"),
             ("weights", 2, 1, "1" + "0" * 40), base="hull-zero")
    switch_statement = lambda name, reason, *changes, base="switch": statement(f"switch-{name}", reason, *changes, base=base)
    switch_statement("statement-has-another-key", "unknown key", ("eta", "0"))
    switch_statement("gap-is-too-large", "not beyond the gap", ("gap", more))
    switch_statement("gap-is-zero", "gap is not positive", ("gap", "0"))
    switch_statement("gap-is-negative", "gap is not positive", ("gap", "-1"))
    switch_statement("anchor-loss-is-too-small", "beyond anchor_loss", ("anchor_loss", less))
    switch_statement("anchor-loss-is-negative", "negative", ("anchor_loss", "-1"))
    switch_statement("anchor-norm-is-too-small", "longer than anchor_norm", ("anchor_norm", less))
    switch_statement("anchor-norm-is-negative", "negative", ("anchor_norm", "-1/2"))
    switch_statement("spread-is-too-small", "farther than spread", ("spread", less))
    switch_statement("spread-is-negative", "negative", ("spread", "-5/2"))
    switch_statement("anchor-is-too-large", "anchor is out of range", ("anchor", 3))
    switch_statement("anchor-is-false", "anchor is not an integer", ("anchor", False))
    switch_statement("anchor-among-the-others", "among the others", ("others", [1, 2]), base="switch-with-its-anchor")
    switch_statement("no-others", "is empty", ("others", []))
    switch_statement("others-out-of-order", "not strictly increasing", ("others", [2, 1]))
    switch_statement("another-too-many", "out of range", ("others", [1, 2, 3]))
    switch_statement("another-anchor", "not beyond the gap", ("anchor", 1), ("others", [0, 2]))
    switch_statement("spread-at-the-anchor", "farther than spread", ("spread", "0"), base="switch-with-its-anchor")
    evidence("switch-evidence-has-another-key", "unknown key", ("weights", []), base="switch")
    evidence("switch-no-direction", "direction is zero", ("direction", []), base="switch")
    evidence("switch-direction-cancels", "direction is zero", ("direction", [[0, "4"], [1, "1"], [2, "1"]]), base="switch")
    evidence("switch-direction-turned-round", "not beyond the gap", ("direction", [[1, "-1"], [2, "-1"]]), base="switch")
    evidence("switch-direction-aside", "not beyond the gap", ("direction", 0, 1, "2"), base="switch")
    evidence("switch-direction-is-a-fraction", "not a whole", ("direction", 0, 1, "1/2"), base="switch")


def smoothing_lies(c):
    """Section 6.7."""
    base = "head-1"
    statement = lambda name, reason, *changes: c.statement_lie(f"6.7-{name}", base, reason, *changes)
    statement("statement-has-another-key", "unknown key", ("t_norm", ["0", "1"]))
    statement("statement-lacks-t", "lacks the key", ("t", DELETE))
    for name in ("s", "t", "s_plus_t", "mean_norm", "spread"):
        inward = lambda x, by: str(Q(x) + by)
        statement(f"{name}-lies-below".replace("_", "-"), f"{name} is not between", (name, 0, lambda x: inward(x, Q(1, 10**30))), (name, 1, lambda x: inward(x, 1)))
        statement(f"{name}-lies-above".replace("_", "-"), f"{name} is not between", (name, 1, lambda x: inward(x, -Q(1, 10**30))), (name, 0, lambda x: inward(x, -1)))
    statement("numbers-exchanged", "spread is not between", ("spread", lambda old: [str(Q(old[0]) + 1), str(Q(old[0]) - 1)]))
    statement("three-numbers", "2 entries", ("spread", lambda old: old + old[:1]))
    statement("one-number", "not a list", ("spread", lambda old: old[0]))
    statement("another-beta", "s is not between", ("beta", more))
    statement("beta-is-no-number", "not a rational", ("beta", 1))
    c.evidence_lie("6.7-evidence-is-not-empty", base, "unknown key", ("norm", "0"))
    c.lie("6.7-without-a-head", "head-0", "needs a head", ("input", "head", None))
    wide = c.accept["head-wide"]
    c.lie("6.7-head-with-other-outputs", wide, "needs a head", ("properties", copy.deepcopy(c.accept["head-0"]["properties"][:1])))


def theory_lies(c):
    """Section 6.8: a claim folder for each."""
    good = c.accept["theory-hull"]["steps"][0]

    def lie(name, reason, *changes, evidence=None, theorem=True):
        statement = copy.deepcopy(good["statement"])
        for *path, key, new in changes:
            holder = statement
            for step in path:
                holder = holder[step]
            holder[key] = new(holder[key]) if callable(new) else new
        value = c.theory(f"lie-{name}", statement, evidence or copy.deepcopy(good["evidence"]), theorem)
        c.lie(f"6.8-{name}", value, reason)
        return value

    lie("scope-is-empty", "scope", ("scope", ""))
    lie("statement-has-another-key", "unknown key", ("length", 1))
    lie("no-vectors", "wrong size", ("vectors", []))
    lie("no-coordinates", "wrong size", ("vectors", [[], []]))
    lie("vectors-of-two-lengths", "entries", ("vectors", 1, lambda row: row[:-1]))
    lie("a-coordinate-not-in-lowest-terms", "lowest terms", ("vectors", 0, 0, "6/10"))
    lie("a-coordinate-is-an-integer", "not a rational", ("vectors", 0, 2, 0))
    lie("a-numerator-has-401-digits", "400 digits", ("vectors", 3, 3, "1" + "0" * 400))
    lie("a-denominator-has-401-digits", "400 digits", ("vectors", 3, 3, "1/1" + "0" * 400))
    lie("the-common-denominator-has-401-digits", "common denominator", ("vectors", 3, 3, f"1/{10**200 + 1}"), ("vectors", 3, 2, f"1/{10**200 - 1}"))
    lie("129-vectors", "wrong size", ("vectors", lambda rows: rows + [rows[0]] * 125))
    lie("129-coordinates", "wrong size", ("vectors", lambda rows: [row + ["0"] * 125 for row in rows]))
    lie("another-vector", "does not reach lower", ("vectors", 0, 0, "3/4"))
    lie("false-property", "do not reach upper", ("property", "upper", less))
    lie("property-is-smoothing", "unknown property", ("property", MODEL.smoothing(0, Q(1))["statement"]), evidence={})
    lie("property-is-null", "not an object", ("property", None))
    lie("no-theorem", "no step states", theorem=False)
    c.lie("6.8-step-lacks-evidence", "theory-hull", "lacks the key", ("steps", 0, "evidence", DELETE))
    c.lie("6.8-step-has-another-key", "theory-hull", "unknown key", ("steps", 0, "vectors", []))
    c.lie("6.8-another-statement-than-the-files", "theory-hull", "not the file's", ("steps", 0, "statement", "property", "upper", more))
    c.lie("6.8-another-rule", "theory-hull", "not that of the file", ("steps", 0, "rule", "construction"))
    c.lie("6.8-false-evidence", "theory-hull", "do not reach upper", ("steps", 0, "evidence", "weights", 0, 1, "2"))
    c.lie("6.8-step-left-out", "theory-hull", "not covered by", ("steps", lambda steps: steps[1:]))


def collection():
    c = Collection()
    accepted(c)
    for lies in (object_lies, pattern_lies, cost_lies, feasibility_lies, hull_lies, smoothing_lies, theory_lies):
        lies(c)
    return c


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: vector_samples.py OUT")
    collection().write(sys.argv[1])
