"""CHECKPOINT_RULES.md, section 4.6: the forward pass, and witnesses."""

import itertools
from collections import namedtuple
from fractions import Fraction
from operator import add

from ..arithmetic import MAX_UNIT, matrix_product, over_one_unit, transposed
from ..envelope import array, fields, integer, rational
from ..refusal import require
from .kernels import exponential
from .model import B, T

PRECISIONS = (64, 128, 256, 512, 1024, 2048)


class Failure(Exception):
    """A pass fails at its p."""


# Numbers are integers in units of 2^-p. `rows` are the centres of balls, `radii` their radii; a range is a pair.
Balls = namedtuple("Balls", "rows radii")

# What a pass makes of tokens: `rows` the last layer's, and of each layer and head a list, row after row, of the ranges
# of the weights, the null slot's first. Of the last layer there are only the rows from index `first` on.
Pass = namedtuple("Pass", "p first rows weights")


def token_balls(tokens, unit, p):
    """Tokens given as integers over `unit`."""
    scaled = [[x << p for x in token] for token in tokens]
    return Balls([[x // unit for x in token] for token in scaled],
                 [int(any(x % unit for x in token)) for token in scaled])


def bounded(balls, p):
    """The balls, unless a centre or a radius is too large for p."""
    limit = 1 << 2 * p
    for row, radius in zip(*balls):
        if radius >= limit or max(row) >= limit or min(row) <= -limit:
            raise Failure
    return balls


def rounded(rows, radii, shift, p):
    """The balls with these centres and radii, integers over 2^(p + shift)."""
    mask = (1 << shift) - 1
    radii = [-(-radius >> shift) + any(x & mask for x in row) for row, radius in zip(rows, radii)]
    return bounded(Balls([[x >> shift for x in row] for row in rows], radii), p)


def apply_map(of, balls, p):
    """y = W x + b for every ball."""
    offsets = [x << p for x in of.offsets]
    rows = [list(map(add, sums, offsets)) for sums in zip(*matrix_product(of.rows, transposed(balls.rows)))]
    return rounded(rows, [of.norm * radius for radius in balls.radii], of.shift, p)


def combinations(weights, balls, p):
    """For each list of weights (a_k, b_k), their combination of as many of the balls."""
    count = len(balls.rows)
    reach = [max(max(row), -min(row)) + radius for row, radius in zip(*balls)]
    middles = [[(a + b) >> 1 for a, b in line] for line in weights]
    centres = matrix_product([line + [0] * (count - len(line)) for line in middles], balls.rows)
    spreads = [sum(abs(m) * r + (b - m) * x for (_, b), m, r, x in zip(line, middle, balls.radii, reach))
               for line, middle in zip(weights, middles)]
    return rounded(centres, spreads, p, p)


def exp_end(x, up, p):
    """E+ (`up`) or E- of an integer x <= 0."""
    if x < -p << p:
        return int(up)
    if x == 0:
        return 1 << p
    value, k = exponential(x, 1 << p, up, p)
    return -(-value >> (k - p)) if up else value >> (k - p)


def logistic_end(x, up, p):
    """S+ (`up`) or S- of an integer."""
    e = exp_end(-abs(x), up == (x < 0), p)
    top, bottom = (1 << 2 * p if x >= 0 else e << p), (1 << p) + e
    return -(-top // bottom) if up else top // bottom


def exp_ends(low, high, p):
    return exp_end(low, False, p), exp_end(high, True, p)


def logistic_ends(low, high, p):
    return logistic_end(low, False, p), logistic_end(high, True, p)


def kernel_range(kernel, low, high, p):
    """The range of the kernel of a logit in the range (low, high)."""
    if kernel == "sigmoid":
        return logistic_ends(low, high, p)
    if kernel == "elu1":
        return tuple(x + (1 << p) if x >= 0 else exp_end(x, up, p) for x, up in ((low, False), (high, True)))
    return (low, high) if kernel == "linear" else (max(0, low), max(0, high))


def weight_ranges(attention, logits, p, others=None):
    """The ranges of the weights of one row, the null slot's first, from those of its logits, the null slot's first.

    Kernels that are not normalised are divided by `others`, by the page's number of other keys where it is None.
    """
    slot = attention.slot
    if attention.kernel == "exp":
        top = max(high for _, high in logits)
        kernels = [exp_ends(low - top, high - top, p) for low, high in logits]
    else:
        kernels = [kernel_range(attention.kernel, low, high, p) for low, high in logits]
    if slot is None:
        others = others or max(1, len(kernels) - 1)
        return [(0, 0)] + [(a // others, -(-b // others)) for a, b in kernels]
    least, greatest = sum(a for a, _ in kernels), sum(b for _, b in kernels)
    weights = [((a << p) // (a + greatest - b) if a else 0, -((-b << p) // (b + least - a))) for a, b in kernels]
    return weights if slot else [(0, 0)] + weights


def slot_ranges(slots, p):
    """The ranges of the logits of a head's null slots."""
    return [((z.numerator << p) // z.denominator, -((-z.numerator << p) // z.denominator)) for z in slots]


def logit_ranges(queries, keys, slots, sees, scale, p):
    """The ranges of the logits of one head: for each query those of `slots` and of the keys it sees."""
    top, bottom, limit, width = scale.numerator, scale.denominator, 1 << 2 * p, len(keys.rows[0])
    products = matrix_product(queries.rows, transposed(keys.rows))
    sizes = [sum(map(abs, row)) for row in keys.rows]
    of_slots = slot_ranges(slots, p)
    result = []
    for row, query, r, seen in zip(products, *queries, sees):
        own = sum(map(abs, query)) + width * r
        ranges = of_slots[:]
        for j in seen:
            z, e = row[j], r * sizes[j] + keys.radii[j] * own
            ranges.append((top * (z - e) // bottom >> p, -(-top * (z + e) // bottom >> p)))
        if max((high for _, high in ranges), default=0) >= limit or min((low for low, _ in ranges), default=0) <= -limit:
            raise Failure
        result.append(ranges)
    return result


def part_of(balls, part):
    """These coordinates of each ball."""
    return Balls([row[part] for row in balls.rows], balls.radii)


def gated(balls, gates, h, p):
    """The balls times the logistic function of coordinate h of the gates' map."""
    ends = [logistic_ends(row[h] - r, row[h] + r, p) for row, r in zip(*gates)]
    found = [combinations([[end]], Balls([row], [r]), p) for end, row, r in zip(ends, *balls)]
    return Balls([row for of in found for row in of.rows], [r for of in found for r in of.radii])


def side_by_side(parts):
    """The heads' balls as one."""
    return Balls([list(itertools.chain(*rows)) for rows in zip(*(part.rows for part in parts))],
                 [max(radii) for radii in zip(*(part.radii for part in parts))])


def sum_of(left, right, p):
    rows = [list(map(add, row, more)) for row, more in zip(left.rows, right.rows)]
    return bounded(Balls(rows, list(map(add, left.radii, right.radii))), p)


def run_layer(model, layer, balls, first, p):
    """One layer: the rows from index `first` on, and the weights of each head."""
    maps, slots = layer
    asked, weights, parts = Balls(balls.rows[first:], balls.radii[first:]), [], []
    sees = [range(i + 1) for i in range(first, len(balls.rows))]
    queries = apply_map(maps["W_Q"], asked, p)
    keys, values = (apply_map(maps[name], balls, p) for name in ("W_K", "W_V"))
    gates = apply_map(maps["W_G"], asked, p) if "W_G" in maps else None
    for h in range(model.heads):
        own_queries, own_keys, own_values = (part_of(of, model.part(h)) for of in (queries, keys, values))
        logits = logit_ranges(own_queries, own_keys, slots[h], sees, model.scale, p)
        weights.append([weight_ranges(model.attention, row, p) for row in logits])
        out = combinations([row[1:] for row in weights[h]], own_values, p)
        parts.append(gated(out, gates, h, p) if gates else out)
    out = apply_map(maps["W_O"], side_by_side(parts), p)
    return (sum_of(out, asked, p) if model.residual else out), weights


def mean_range(weights, ranges, p):
    """What a mean of numbers in these ranges lies in, by weights in theirs that sum to 2^p."""
    ends = []
    for side, up in enumerate((False, True)):
        free, total = (1 << p) - sum(a for a, _ in weights), 0
        for (a, b), x in sorted(zip(weights, ranges), key=lambda of: of[1][side], reverse=up):
            grown = min(b - a, free)
            free, total = free - grown, total + (a + grown) * x[side]
        ends.append(-(-total >> p) if up else total >> p)
    return tuple(ends)


def rollout_range(seen):
    """The range of the last row's rollout after the last layer."""
    ranges = [(1 << seen.p,) * 2] + [(0, 0)] * (len(seen.weights[-1][0][-1]) - 2)
    for (head,) in seen.weights:
        ranges = [mean_range(row[1:], ranges, seen.p) for row in head]
    return ranges[-1]


def forward_pass(model, tokens, unit, p, first=0):
    """Section 4.6: the pass at p over tokens given as integers over `unit`; None if it fails."""
    balls, weights, last = token_balls(tokens, unit, p), [], len(model.layers) - 1
    try:
        for l, layer in enumerate(model.layers):
            balls, of_layer = run_layer(model, layer, balls, first if l == last else 0, p)
            weights.append(of_layer)
    except Failure:
        return None
    return Pass(p, first, balls, weights)


def passes(model, tokens, unit, precisions=PRECISIONS, first=0):
    """The passes at these p."""
    for p in precisions:
        yield forward_pass(model, tokens, unit, p, first)


def read_tokens(value, length, n):
    """Tokens as lists of rationals."""
    tokens = [[rational(x, f"token {k}") for x in array(token, f"token {k}", n)]
              for k, token in enumerate(array(value, "tokens", length), 1)]
    require(all(abs(x.numerator) < MAX_UNIT for token in tokens for x in token), "a numerator of the tokens has over 400 digits")
    return tokens


# A sequence of the task, integers over `unit`, and the row, coordinate and sign that are looked at.
Witness = namedtuple("Witness", "trigger tokens unit row coordinate sign")


def read_witness(layer, value, rows, least_row=1, intervals=None):
    """The witness, whose row is in the class `rows` (None: any) and whose noise is in the box or in these intervals."""
    fields(value, ("trigger", "tokens", "row", "coordinate", "sign"), "witness")
    limits = {"trigger": layer.triggers, "row": (1, layer.length), "coordinate": (0, layer.n - 1), "sign": (-1, 1)}
    j, i, r, s = (integer(value[key], f"witness.{key}", *ends) for key, ends in limits.items())
    require(s != 0, "witness.sign is not 1 or -1")
    in_class = {"pre": least_row <= i < j, "trigger": i == j, "post": i > j, None: True}[rows]
    require(in_class, "the witness's row is not in the class")
    tokens, flags = read_tokens(value["tokens"], layer.length, layer.n), {1: (1, 0, 0), j: (0, 1, 0)}
    intervals = intervals or layer.box.intervals
    for k, token in enumerate(tokens, 1):
        require((token[B], token[T], token[-1]) == flags.get(k, (0, 0, 1)), f"token {k} has wrong flags")
        require(all(low <= x <= high if k > 1 else x == 0 for x, (low, high) in zip(token[2:-1], intervals)),
                f"token {k} is outside the box")
    return Witness(j, *over_one_unit(tokens, "the tokens"), i, r, s)


def shows(model, witness, statement):
    """Does the pass show the statement about the witness's row?"""
    found = passes(model, witness.tokens[:witness.row], witness.unit, first=witness.row - 1)
    return any(seen and statement(seen) for seen in found)


def errors(model, seen, tokens, unit, row, trigger):
    """A row's out - target of section 4.6: (centres, radius), integers over one unit, and that."""
    keys = range(1, trigger) if row == trigger else ()
    share, own = len(keys) or 1, tokens[row - 1] if model.residual else [0] * model.n
    targets = [share * x + sum(tokens[k][r] for k in keys) for r, x in enumerate(own)]
    centres, radius, unit = seen.rows.rows[row - 1 - seen.first], seen.rows.radii[row - 1 - seen.first], share * unit
    return [c * unit - (x << seen.p) for c, x in zip(centres, targets)], radius * unit, unit << seen.p


def loss_down(model, witness, seen):
    """A number the witness's loss is at least."""
    j, tokens, unit, i, r, s = witness
    centres, radius, unit = errors(model, seen, tokens, unit, i, j)
    return Fraction(s * centres[r] - radius, unit)


def loss_ends(model, seen, tokens, unit, row, trigger):
    centres, radius, unit = errors(model, seen, tokens, unit, row, trigger)
    most = max(map(abs, centres))
    return Fraction(max(0, most - radius), unit), Fraction(most + radius, unit)
