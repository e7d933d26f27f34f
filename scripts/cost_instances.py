#!/usr/bin/env python3
"""Writes the exact instances of claims co-1 to co-4: proofs/co-*/NAME.vectors.json.

Each is an instance of docs/THEORY.md section 5 at an edge (C = 1, lambda^2 = 1/2, lambda near 1, two-token groups,
r_eta = 1 and large), all its numbers dyadic. `sinkproof cost` finds the factors and multipliers; what goes into the
claim's folder is the statement and that evidence, which both checkers evaluate again. The margin is 1 on x^T W y, so
kappa / sqrt(d) = 1 / d.

    scripts/cost_instances.py [PROGRAM]      default build/bin/sinkproof
"""

import json
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def unit(dimension, entries):
    """A vector of the given length from {coordinate: number}."""
    vector = [Fraction(0)] * dimension
    for at, number in entries.items():
        vector[at] = Fraction(number)
    return vector


def added(a, b):
    return [x + y for x, y in zip(a, b)]


def spread_out(dimension, start, numbers):
    return unit(dimension, {start + i: number for i, number in enumerate(numbers)})


# lambda^2 as the key: numbers whose squares sum to 16 lambda^2.
MEANS = {"1/2": [2, 2], "5/8": [3, 1], "9/16": [3], "255/256": [Fraction(n, 4) for n in (15, 5, 2, 1)]}

# Noises of a group: equal norms, sum zero.
PAIR = [[1], [-1]]
SIMPLEX = [[3, -1, -1, -1], [-1, 3, -1, -1], [-1, -1, 3, -1], [-1, -1, -1, 3]]


def instance(groups, squared, noises, shared):
    """d = 16 or more, one group mean, copy query and set of noises per group; `shared`: all groups in one noise space."""
    mean = MEANS[squared]
    needed = 1 + groups * (1 + len(mean)) + len(noises[0]) * (1 if shared else groups)
    dimension = 16 if needed <= 16 else 64
    scale = 1 if dimension == 16 else 2
    place = 1 + groups
    tokens = [unit(dimension, {0: 4 * scale})]
    members = []
    for c in range(groups):
        centre = spread_out(dimension, place + c * len(mean), [scale * n for n in mean])
        at = place + groups * len(mean) + (0 if shared else c * len(noises[0]))
        assert at + len(noises[0]) <= dimension
        members.append(list(range(len(tokens), len(tokens) + len(noises))))
        tokens += [added(centre, spread_out(dimension, at, noise)) for noise in noises]
    copies = list(range(len(tokens), len(tokens) + groups))
    tokens += [unit(dimension, {1 + c: 4 * scale}) for c in range(groups)]
    return tokens, {"bos": 0, "groups": members, "copies": copies}


FAMILY = {
    "C1-half": (1, "1/2", PAIR, False),
    "C1-near-one": (1, "255/256", PAIR, False),
    "C1-simplex": (1, "9/16", SIMPLEX, False),
    "C2-half": (2, "1/2", PAIR, False),
    "C2-near-one": (2, "255/256", PAIR, False),
    "C3-shared-noise": (3, "9/16", PAIR, True),
    "C4-own-noise": (4, "5/8", PAIR, False),
    "C3-simplex": (3, "9/16", SIMPLEX, False),
}

# Which claim's folder an instance goes into, by pattern.
CLAIMS = {"sink-A": ("co-1", "co-4"), "sink-B": ("co-1",), "diagonal": ("co-2", "co-3")}


def safetensors(tokens, roles):
    rows, columns = len(tokens), len(tokens[0])
    header = {"__metadata__": {"roles": json.dumps(roles, sort_keys=True)},
              "embeddings": {"dtype": "F64", "shape": [rows, columns], "data_offsets": [0, 8 * rows * columns]}}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    numbers = [float(entry) for token in tokens for entry in token]
    assert [Fraction(number) for number in numbers] == [entry for token in tokens for entry in token]
    return struct.pack("<Q", len(text)) + text + struct.pack(f"<{len(numbers)}d", *numbers)


def certified(program, folder, tokens, roles, pattern):
    source, target = folder / "instance.safetensors", folder / "instance.json"
    source.write_bytes(safetensors(tokens, roles))
    subprocess.run([program, "cost", source, "--pattern", pattern, "--gap", "0.0001", "--allow-dependent", "--quiet", "-o", target],
                   check=True)
    found = [entry for entry in json.loads(target.read_text())["properties"]
             if entry["statement"]["property"] == "cost"]
    assert len(found) == 1
    return found[0]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "bin" / "sinkproof")
    with tempfile.TemporaryDirectory() as temporary:
        for name, shape in FAMILY.items():
            tokens, roles = instance(*shape)
            for pattern, claims in CLAIMS.items():
                entry = certified(program, Path(temporary), tokens, roles, pattern)
                groups, squared, noises, shared = shape
                scope = (f"one instance: d = {len(tokens[0])}, C = {groups}, lambda^2 = {squared}, "
                         f"groups of {len(noises)}, {'one noise space' if shared else 'own noise spaces'}")
                statement = {"scope": scope, "vectors": [[str(x) for x in token] for token in tokens],
                             "property": entry["statement"]}
                text = json.dumps({"statement": statement, "evidence": entry["evidence"]}, separators=(",", ":"))
                for claim in claims:
                    (ROOT / "proofs" / claim / f"{name}.{pattern}.vectors.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
