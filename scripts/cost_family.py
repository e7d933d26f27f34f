"""Instances of docs/THEORY.md section 5 as safetensors files, exact in float32.

usage: cost_family.py FOLDER [RANK...]

d = 64, four groups of six tokens, lambda = 13/16, noise of norm 2. Each group has three orthogonal
nuisance directions, a token at each end of each; groups share directions as far as needed for the nuisance
rank, 3 to 12. Rows: BOS, the copies, then the groups one after the other. Writes FOLDER/rank-NN.safetensors
with tensor "tokens" and metadata "roles" (for `sinkproof cost`) and "instance" (for readers; `sinkproof
report` takes the structure from the tokens, not from here).
"""
import json
import struct
import sys
from pathlib import Path

DIMENSION, GROUPS, PAIRS = 64, 4, 3
NORM = 8.0  # sqrt(d)
LAMBDA = (13, 16)
NOISE = 2.0


def tokens(rank):
    rows = [[0.0] * DIMENSION for _ in range(1 + GROUPS + 2 * PAIRS * GROUPS)]
    for k in range(1 + GROUPS):
        rows[k][k] = NORM
    for group in range(GROUPS):
        first = min(group * PAIRS, rank - PAIRS)  # of its directions, among `rank`
        for member in range(2 * PAIRS):
            row = rows[1 + GROUPS + 2 * PAIRS * group + member]
            row[1 + GROUPS + group] = NORM * LAMBDA[0] / LAMBDA[1]
            row[1 + 2 * GROUPS + first + member // 2] = NOISE if member % 2 == 0 else -NOISE
    return rows


def roles():
    start = 1 + GROUPS
    size = 2 * PAIRS
    return {"bos": 0, "copies": list(range(1, start)),
            "groups": [list(range(start + size * g, start + size * (g + 1))) for g in range(GROUPS)]}


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def write(path, rank):
    rows = tokens(rank)
    data = b"".join(struct.pack("<f", value) for row in rows for value in row)
    instance = {"d": DIMENSION, "groups": GROUPS, "size": 2 * PAIRS, "lambda": "%d/%d" % LAMBDA,
                "delta_squared": "%d" % NOISE ** 2, "nuisance_rank": rank}
    header = {"__metadata__": {"instance": compact(instance), "roles": compact(roles())},
              "tokens": {"dtype": "F32", "shape": [len(rows), DIMENSION], "data_offsets": [0, len(data)]}}
    text = compact(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    folder = Path(sys.argv[1])
    ranks = [int(rank) for rank in sys.argv[2:]] or list(range(PAIRS, GROUPS * PAIRS + 1))
    for rank in ranks:
        if not PAIRS <= rank <= GROUPS * PAIRS:
            sys.exit(f"rank {rank} is not in {PAIRS}..{GROUPS * PAIRS}")
        write(folder / f"rank-{rank:02d}.safetensors", rank)


if __name__ == "__main__":
    main()
