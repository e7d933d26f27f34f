"""LANGUAGE_RULES.md, section 5.4: readouts."""

from collections import namedtuple
from fractions import Fraction
from math import isqrt
from operator import add, sub

from ..arithmetic import inner
from ..checkpoint.forward import Balls, apply_map, logit_ranges
from ..refusal import require
from .evaluation import normed

# A readout is a function of the model, its pass and the position k, or the pass with the intervention: a list of ends.
# Of two ends a and b of numbers >= 0 the product is times_ends(a, b, p).


def times_ends(a, b, p):
    return a[0] * b[0] >> p, -(-a[1] * b[1] >> p)


def over(a, b, p):
    require(b[0] > 0, "a quotient's denominator is not shown to be positive")
    return (a[0] << p) // b[a[0] >= 0], -((-a[1] << p) // b[a[1] < 0])


def total(pairs):
    lows, highs = zip(*pairs)
    return sum(lows), sum(highs)


def mean(pairs):
    low, high = total(pairs)
    return low // len(pairs), -(-high // len(pairs))


def norms_of(balls):
    """The ends of the norm of each."""
    found = []
    for row, r in zip(*balls):
        square, reach = inner(row, row), isqrt(len(row) * r * r) + (r > 0)
        found.append((max(0, isqrt(square) - reach), isqrt(square) + (isqrt(square)**2 < square) + reach))
    return found


def inner_ends(left, right, k, p):
    """Ends of the inner product of each ball with ball k of others."""
    other = Balls([right.rows[k]], [right.radii[k]])
    return [pair for pair, in logit_ranges(left, other, [], [[0]] * len(left.rows), Fraction(1), p)]


def cosine(ends, left, right, p):
    sizes = times_ends(left, right, p)
    low, high = over(ends, sizes, p) if sizes[0] else (-1 << p, 1 << p)
    return max(low, -1 << p), min(high, 1 << p)


def of_heads(read):
    """The readout with a number for each head, read from its pass and k, from 0, and the queries that see it."""
    def numbers(model, seen, k):
        tokens = len(seen.rows[0].rows)
        queries = range(0 if model.encoder else k - 1, tokens)
        return [read(head, k - 1, queries, seen.p) for heads in seen.heads for head in heads]
    return numbers


def alpha(head, k, queries, p):
    return mean([head.weights[i][k] for i in queries])


def value_alpha(head, k, queries, p):
    norms, found = norms_of(head.values), []
    for i in queries:
        sizes = [((max(0, a, -b)), max(b, -a)) for a, b in head.weights[i]]
        parts = [(a * x, b * y) for (a, b), (x, y) in zip(sizes, norms)]
        low, high = total(parts)
        found.append(tuple(map(min, over(parts[k], (low, high), p), (1 << p,) * 2)) if low else (0, (high > 0) << p))
    return mean(found)


def norm_product(head, k, queries, p):
    sizes, key = norms_of(head.queries), norms_of(head.keys)[k]
    return mean([times_ends(sizes[i], key, p) for i in queries])


def head_cosine(head, k, queries, p):
    sizes, key, products = norms_of(head.queries), norms_of(head.keys)[k], inner_ends(head.queries, head.keys, k, p)
    return mean([cosine(products[i], sizes[i], key, p) for i in queries])


def value_ratio(head, k, queries, p):
    norms = norms_of(head.values)
    others = norms[:k] + norms[k + 1:]
    return over(norms[k], mean(others), p) if others else (0, 0)


def broadcast_share(head, k, queries, p):
    products = inner_ends(head.outputs, head.values, k, p)
    sizes, value = norms_of(head.outputs), norms_of(head.values)[k]
    squares = [(max(0, a, -b)**2, max(b, -a)**2) for a, b in (products[i] for i in queries)]
    whole = total([times_ends(sizes[i], sizes[i], p) for i in queries])
    sizes = times_ends(times_ends(value, value, p), whole, p)
    low, high = over(total(squares), sizes, p) if sizes[0] else (0, 1 << 2 * p)
    return low >> p, min(1 << p, -(-high >> p))


def hidden_norm(model, seen, _):
    return [ends for balls in seen.rows for ends in norms_of(balls)]


def norms_by_head(part, grouped_by_key):
    def numbers(model, seen, _):
        step = model.heads // model.key_heads if grouped_by_key else 1
        return [ends for heads in seen.heads for head in heads[::step] for ends in norms_of(getattr(head, part))]
    return numbers


def mean_cosine(model, seen, _):
    found, tokens, p = [], len(seen.rows[0].rows), seen.p
    for balls in seen.rows:
        norms, sees = norms_of(balls), [range(i) for i in range(tokens)]
        rows = logit_ranges(balls, balls, [], sees, Fraction(1), p)
        cosines = [cosine(ends, norms[i], norms[j], p) for i, row in enumerate(rows) for j, ends in enumerate(row)]
        found.append(mean(cosines) if cosines else (0, 0))
    return found


def moved(model, seen, changed):
    def largest(pairs):
        return tuple(map(max, zip(*pairs)))

    def difference(left, right):
        return Balls([[*map(sub, row, other)] for row, other in zip(left.rows, right.rows)],
                     [*map(add, left.radii, right.radii)])
    found = [largest(norms_of(difference(*of))) for of in zip(seen.rows, changed.rows)]
    if model.vocabulary:
        final, norm = [of.rows[-1] for of in (seen, changed)], model.norms.get("final")
        if norm:
            final = [normed(of, norm, model.epsilon, model.rms, seen.p) for of in final]
        if model.out_of:
            final = [apply_map(model.out_of, of, seen.p) for of in final]
        logits = apply_map(model.head_of_differences, difference(*final), seen.p)
        found.append(largest([(max(0, abs(x) - r), abs(x) + r) for row, r in zip(*logits) for x in row]))
    return found


# What gives its numbers; whether it is about a position, or two passes, or a share of (sequence, layer, head).
LanguageReadout = namedtuple("LanguageReadout", "numbers at_key moves share", defaults=(False, False, False))
LANGUAGE_READOUTS = {
    "alpha": LanguageReadout(of_heads(alpha), True), "value-alpha": LanguageReadout(of_heads(value_alpha), True),
    "norm-product": LanguageReadout(of_heads(norm_product), True),
    "cosine": LanguageReadout(of_heads(head_cosine), True),
    "value-ratio": LanguageReadout(of_heads(value_ratio), True),
    "broadcast-share": LanguageReadout(of_heads(broadcast_share), True),
    "hidden-norm": LanguageReadout(hidden_norm), "query-norm": LanguageReadout(norms_by_head("queries", False)),
    "key-norm": LanguageReadout(norms_by_head("keys", True)),
    "value-norm": LanguageReadout(norms_by_head("values", True)),
    "mean-cosine": LanguageReadout(mean_cosine), "moved": LanguageReadout(moved, moves=True),
    "sink-share": LanguageReadout(of_heads(alpha), True, share=True),
    "value-sink-share": LanguageReadout(of_heads(value_alpha), True, share=True),
}
