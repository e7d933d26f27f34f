"""CHECKPOINT_RULES.md, sections 4.10 and 4.11: rules `layer-attention` and `layer-row`."""

import itertools
from fractions import Fraction
from math import lcm
from operator import mul

from ..arithmetic import integer_over
from ..refusal import require
from .model import B, T
from .obligations import ZERO
from .ranges import KEYS, NULL, row_shapes


def layer_attention(layer, statement):
    family, rows, bound, heads, _ = statement
    flag, fewest, most, t = row_shapes(layer, rows)
    own, side = KEYS.index(B if family.startswith("bos") else NULL), int(family.endswith("ceiling"))
    for h, m in itertools.product(heads, (fewest, most)):
        ends = [layer.ranges[h].kernels[flag, g] for g in KEYS]
        share, total = ends[own][side], m + t
        if layer.normalised:
            total = share + sum(count * ends[g][1 - side] for g, count in enumerate((1, 1, m, t)) if g != own)
        require(total > 0, f"head {h}, {m} content keys: the kernels may all be zero")
        holds = share <= bound * total if side else bound * total <= share
        require(holds, f"head {h}, {m} content keys: the bound is not shown")

MAX_ROW_LENGTH = 4096

# Of the KEYS, the null slot a key of value 0: a key's values lie within REACH rho of v_g. PAIRS are numbered.
REACH = (0, 0, 1, 1)
PAIRS = {pair: k for k, pair in enumerate(itertools.combinations(range(len(KEYS)), 2))}


def features(head, r):
    """What `slack` is linear in: |v_g - v_k| for the PAIRS, then rho. They do not depend on the sign s."""
    row = head.V[r]
    v = 0, row[B], row[-1], row[T]
    return [abs(v[g] - v[k]) for g, k in PAIRS] + [sum(map(abs, row[2:-1]))]


def head_weights(head, normalised, flag, m, t):
    """Of one head and shape: G_c p_B, G_c p_C, G_c p_T, and the coefficients of `slack`."""
    ends, counts, slack = [head.kernels[flag, g] for g in KEYS], (1, 1, m, t), [ZERO] * (len(PAIRS) + 1)
    c, d = [(l + u) / 2 for l, u in ends], [(u - l) / 2 for l, u in ends]
    low, high = head.gates[flag]

    def add(g, k, x):
        """Adds x (|v_g - v_k| + the reach of both)."""
        slack[PAIRS[min(g, k), max(g, k)]] += x
        slack[-1] += x * (REACH[g] + REACH[k])
    total = least = Fraction(m + t)
    if normalised:
        total, least = sum(map(mul, counts, c)), sum(n * l for n, (l, _) in zip(counts, ends))
        require(total > 0 and least > 0, f"{m} content keys: the kernels may all be zero")
        slack[-1] += high * m * d[2] / least * (1 - Fraction(m % 2, m * m))
    p = [x / total for x in c]
    for g, k in itertools.permutations(range(len(KEYS)), 2) if normalised else ((g, 0) for g in (1, 2, 3)):
        add(g, k, high * counts[g] * d[g] / least * (counts[k] * p[k] if normalised else 1))
    for g in (1, 2, 3):
        add(g, 0, (high - low) / 2 * counts[g] * abs(p[g]))
    return [(low + high) / 2 * x for x in p[1:]], slack


def layer_row(layer, statement):
    """E is |centre| plus terms that do not depend on s; its numbers are integers over unit * scale."""
    rows, upper = statement.rows, statement.bound
    require(layer.length <= MAX_ROW_LENGTH, "length is over 4096")
    flag, fewest, most, t = row_shapes(layer, rows)
    if rows == "pre":
        first_row(layer, upper)
    measures = [[features(head, r) for head in layer.heads] for r in range(layer.n)]
    targets = [[integer_over(layer.scale, layer.box.x(r, g)) for g in (T, layer.n - 1, r)] for r in range(layer.n)]
    for m in range(fewest, most + 1):
        weights = [head_weights(head, layer.normalised, flag, m, t) for head in layer.ranges]
        share = Fraction(1, m + t) if flag == T else ZERO
        numbers = [share] + [x for shares, slack in weights for x in (*shares, *slack)]
        unit = lcm(*(x.denominator for x in numbers))
        shares = [[integer_over(unit, x) for x in part] for part, _ in weights]
        slacks = [[integer_over(unit, x) for x in slack] for _, slack in weights]
        of_target = integer_over(unit, share)
        limit = upper.numerator * unit * layer.scale // upper.denominator
        for r in range(layer.n):
            values = [head.V[r] for head in layer.heads]
            of_trigger, of_content, of_own = targets[r]
            centre = layer.o[r] * unit - of_target * (m * of_content + of_trigger)
            for (p_b, p_c, p_t), row in zip(shares, values):
                centre += p_b * row[B] + m * p_c * row[-1] + t * p_t * row[T]
            total = abs(centre) + sum(sum(map(mul, slack, part)) for slack, part in zip(slacks, measures[r]))
            for count, g in ((m, 1), (t, 2)):
                if count:
                    swing = [sum(p[g] * row[l] for p, row in zip(shares, values)) for l in range(2, layer.n - 1)]
                    if 2 <= r < layer.n - 1:
                        swing[r - 2] -= of_target * of_own
                    total += count * sum(map(abs, swing))
            require(total <= limit, f"coordinate {r}, {m} content keys: upper is too small")


def first_row(layer, upper):
    """Row 1: BOS is the only key."""
    ends = []  # of each head: the gate's least times the weight's least, and both greatest
    for of in layer.ranges:
        least, greatest = of.bos
        if layer.normalised:
            least, greatest = (x / (1 + x) for x in of.bos) if layer.attention.slot else (1, 1)
        ends.append((of.gates[B][0] * least, of.gates[B][1] * greatest))
    unit = lcm(*(x.denominator for pair in ends for x in pair))
    ends = [(integer_over(unit, low), integer_over(unit, high)) for low, high in ends]
    limit = upper.numerator * unit * layer.scale // upper.denominator
    for r, s in layer.sides():
        total = s * layer.o[r] * unit
        for head, (low, high) in zip(layer.heads, ends):
            v_b = s * head.V[r][B]
            total += max(low * v_b, high * v_b)
        require(total <= limit, f"coordinate {r} sign {s}, row 1: upper is too small")
