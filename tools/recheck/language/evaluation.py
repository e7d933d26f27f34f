"""LANGUAGE_RULES.md, section 5.3: the pass."""

from collections import namedtuple
from fractions import Fraction
from math import isqrt
from operator import mul

from ..arithmetic import inner, over_one_unit
from ..checkpoint.forward import (Balls, Failure, apply_map, combinations, gated, logit_ranges, part_of, rounded, side_by_side,
                                  sum_of, token_balls, weight_ranges)
from ..refusal import Reject, require
from .functions import activated


def normed(balls, norm, epsilon, rms, p):
    """The norm of every ball. y, a row over its deviation s, moves by at most (2 + abs(y)) r / (s - r) where the row
    moves by r; of an RMSNorm by (1 + abs(y)) r / (s - r). s is known to p + 32 bits, so y to 2."""
    rows, radii = [], []
    for row, r in zip(*balls):
        n = len(row)
        mean = 0 if rms else sum(row)
        off = [n * x - mean for x in row]
        square = Fraction(inner(off, off), n**3 << 2 * p) + epsilon
        require(square, "a norm of a row without deviation")
        k = max(0, p + 34 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
        root = isqrt((square.numerator << 2 * k) // square.denominator)
        least = (root << p >> k) - r
        if least <= 0:
            raise Failure
        y = [(x << k) // (n * root) for x in off]
        moves = [-(-((2 - rms << p) + abs(x) + 2) * r // least) + 2 for x in y]
        rows.append([g * x + (b << p) for (g,), x, b in zip(norm.rows, y, norm.offsets)])
        radii.append(max(abs(g) * x for (g,), x in zip(norm.rows, moves)))
    return rounded(rows, radii, norm.shift, p)


def product(left, right, p):
    """Entry by entry."""
    rows, radii = [], []
    for row, r, other, s in zip(*left, *right):
        rows.append([*map(mul, row, other)])
        radii.append(max(r * abs(y) + s * abs(x) for x, y in zip(row, other)) + r * s)
    return rounded(rows, radii, p, p)


# Of a query head: its queries over sqrt(w), its keys and values, of each query the weights of all keys, 0 of those it
# does not see, and what it puts out.
SeenHead = namedtuple("SeenHead", "queries keys values weights outputs")
# Of all layers what goes in, and what comes out of the last; of each layer its heads.
LanguagePass = namedtuple("LanguagePass", "p rows heads")


def embedded(model, tokens, change, p):
    last = change.first + change.window - 1 if change and change.renumbered else len(tokens)
    rows, n, at = [], model.n, {"types": 0}
    for i, at["tokens"] in enumerate(tokens):
        at["positions"] = min(i, last) + model.first_position
        parts = [table[at[part] * n:(at[part] + 1) * n] for part, table in model.tables.items()
                 if part != "tokens" or not model.into]
        rows.append([sum(map(Fraction, of)) for of in zip(*parts)])
    balls = token_balls(*over_one_unit(rows, "embeddings"), p)
    if model.into:
        table, w = model.tables["tokens"], model.token_width
        own = token_balls(*over_one_unit([[*map(Fraction, table[t * w:(t + 1) * w])] for t in tokens], "embeddings"), p)
        balls = sum_of(balls, apply_map(model.into, own, p), p)
    norm = model.norms.get("embedding")
    return normed(balls, norm, model.epsilon, model.rms, p) if norm else balls


def keys_seen(model, l, h, change, tokens):
    """For each query the keys that head h of layer l sees."""
    if model.encoder:
        return [range(tokens)] * tokens
    window, own = model.layers[l].window or tokens, change and change.window or tokens
    hidden = change is not None and (l, h) in change.ablated
    return [[j for j in range(max(0, i - window + 1), i + 1) if not (hidden and j == 0 < i)
             and (change is None or j < change.first or i - j < own)] for i in range(tokens)]


def rows_from(balls, tokens, first):
    """Rows `first` on of each sequence of so many tokens."""
    return Balls(*([x for i, x in enumerate(of) if i % tokens >= first] for of in balls)) if first else balls


def joined(parts):
    return Balls([row for of in parts for row in of.rows], [r for of in parts for r in of.radii])


def seen_head(model, slots, queries, keys, values, near, sees, change, p):
    """A head in one sequence, of these queries; keys that a cache keeps are seen by the queries `near`."""
    logits = logit_ranges(queries, keys, slots, sees, Fraction(1), p)
    if near:
        others, skip = logit_ranges(near, keys, slots, sees, Fraction(1), p), len(slots)
        logits = [row[:skip] + [y if j < change.first else x for j, x, y in zip(seen, row[skip:], other[skip:])]
                  for seen, row, other in zip(sees, logits, others)]
    weights = []
    for seen, row in zip(sees, logits):
        found = weight_ranges(model.attention, row, p, 1)[1:] if row else []
        line = [(0, 0)] * len(keys.rows)
        for j, ends in zip(seen, found):
            line[j] = ends
        weights.append(line)
    return SeenHead(queries, keys, values, weights, combinations(weights, values, p))


def attend(model, l, balls, change, p, tokens, first):
    """The heads of layer l, of each sequence of so many tokens one, and what its attention adds to rows `first` on."""
    layer, w, scale = model.layers[l], model.width, isqrt((1 << 2 * p + 64) // model.width)
    count, asked, places = len(balls.rows) // tokens, rows_from(balls, tokens, first), range(tokens)

    def parts(name, of, heads, norm=None):
        found = apply_map(layer.maps[name], of, p)
        found = [part_of(found, slice(h * w, (h + 1) * w)) for h in range(heads)]
        norm = layer.norms.get(norm)
        return [normed(of, norm, model.epsilon, True, p) for of in found] if norm else found

    def turned(of, positions):
        return model.rotary.turned(of, [*positions] * count, p) if model.rotary else of

    def over_root(of):
        return rounded([[x * scale for x in row] for row in of.rows],
                       [r * (scale + 1) + max(map(abs, row)) for row, r in zip(*of)], p + 32, p)

    def by_sequence(of):
        size = len(of.rows) // count
        return [Balls(*(x[s * size:(s + 1) * size] for x in of)) for s in range(count)]
    keys = [by_sequence(turned(of, places)) for of in parts("key", balls, model.key_heads, "key norm")]
    values = [by_sequence(of) for of in parts("value", balls, model.key_heads)]
    gates = apply_map(layer.maps["gate"], asked, p) if "gate" in layer.maps else None
    heads = []
    for h, of in enumerate(parts("query", asked, model.heads, "query norm")):
        k, sees = h * model.key_heads // model.heads, keys_seen(model, l, h, change, tokens)[first:]
        queries, near = by_sequence(over_root(turned(of, places[first:]))), [None] * count
        if change and change.renumbered:
            last = change.first + change.window - 1
            near = by_sequence(over_root(turned(of, [min(i, last) for i in places[first:]])))
        heads.append([seen_head(model, layer.slots[h], *own, sees, change, p)
                      for own in zip(queries, keys[k], values[k], near)])
    outputs = [joined([of.outputs for of in own]) for own in heads]
    outputs = [gated(of, gates, h, p) if gates else of for h, of in enumerate(outputs)]
    return heads, apply_map(layer.maps["output"], side_by_side(outputs), p)


def layers_of(model, balls, change, p, tokens, first, seen):
    """What the last layer makes of rows `first` on of the sequences of so many tokens; `seen` is told each layer's
    number, inputs and heads."""
    def norm(part, balls, norms):
        return normed(balls, norms[part], model.epsilon, model.rms, p) if part in norms else balls

    def perceptron(of, balls):
        inner_ = apply_map(of.maps["in"], balls, p)
        if "factor" in of.maps:
            inner_ = product(activated(apply_map(of.maps["factor"], balls, p), model.activation, p), inner_, p)
        else:
            inner_ = activated(inner_, model.activation, p)
        return apply_map(of.maps["out"], inner_, p)
    for l, layer in enumerate(model.layers):
        start = first if l == len(model.layers) - 1 else 0
        heads, out = attend(model, l, balls if model.after else norm("first", balls, layer.norms), change, p, tokens, start)
        seen(l, balls, heads)
        balls = rows_from(balls, tokens, start)
        middle = sum_of(balls, out, p)
        middle = norm("first", middle, layer.norms) if model.after else middle
        if layer.inner:
            of = middle if model.after else norm("second", balls if model.parallel else middle, layer.norms)
            middle = sum_of(middle, perceptron(layer, of), p)
        balls = norm("second", middle, layer.norms) if model.after else middle
    return balls


def logits_of(model, balls, p):
    """Of rows that the last layer puts out."""
    final = model.norms.get("final")
    balls = normed(balls, final, model.epsilon, model.rms, p) if final else balls
    return apply_map(model.head_map, apply_map(model.out_of, balls, p) if model.out_of else balls, p)


def language_pass(model, tokens, change, p):
    """The pass over a sequence, with an intervention or none."""
    rows, heads = [], []

    def seen(_, balls, own):
        rows.append(balls)
        heads.append([head for head, in own])
    try:
        rows.append(layers_of(model, embedded(model, tokens, change, p), change, p, len(tokens), 0, seen))
    except Failure:
        raise Reject("a number of the pass is too large or its bounds are too wide") from None
    return LanguagePass(p, rows, heads)
