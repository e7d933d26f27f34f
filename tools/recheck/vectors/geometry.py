"""VECTOR_RULES.md, sections 6.6 and 6.7: hull distance, switch and smoothing."""

from fractions import Fraction
from operator import sub

from ..arithmetic import inner
from ..envelope import array, fields, integer, rational
from ..refusal import require
from .margins import read_weighted


def read_numbers(value, what, count):
    """A strictly increasing list of numbers of vectors, not empty."""
    require(array(value, what), f"{what} is empty")
    for k in value:
        integer(k, f"an entry of {what}", 0, count - 1)
    require(all(x < y for x, y in zip(value, value[1:])), f"{what} is not strictly increasing")
    return value


def check_hull_distance(subject, statement, evidence):
    """Section 6.6, first half."""
    fields(statement, ("property", "vectors", "lower", "upper"), "the statement")
    fields(evidence, ("weights", "direction"), "evidence")
    vectors = subject.vectors
    hull = read_numbers(statement["vectors"], "vectors", vectors.count)
    lower, upper = rational(statement["lower"], "lower"), rational(statement["upper"], "upper")
    weights, direction = (list(read_weighted(evidence[key], key, 1, vectors.count)) for key in ("weights", "direction"))
    require(weights and all(c > 0 for _, c in weights), "weights is empty or not positive")
    require({k for (k,), _ in weights} <= set(hull), "a weight is not of the hull")
    point, total = vectors.combination(weights), sum(c for _, c in weights)
    require(Fraction(inner(point, point), vectors.scale**2) <= upper * total**2, "the weights do not reach upper")
    require(lower >= 0, "lower is negative")
    if lower == 0:
        require(not direction, "lower is 0 but there is a direction")
        return
    u = vectors.combination(direction)
    least = min(inner(u, vectors.rows[k]) for k in hull)
    require(least > 0, "the direction does not separate")
    # p = least / scale^2 and c^T G c = |u|^2 / scale^2.
    require(least**2 >= lower * inner(u, u) * vectors.scale**2, "the direction does not reach lower")


def check_switch(subject, statement, evidence):
    """Section 6.6, second half. Squares of numbers over `scale` carry a factor unit = scale^2."""
    names = ("gap", "anchor_loss", "anchor_norm", "spread")
    fields(statement, ("property", "anchor", "others") + names, "the statement")
    fields(evidence, ("direction",), "evidence")
    vectors = subject.vectors
    anchor = integer(statement["anchor"], "anchor", 0, vectors.count - 1)
    others = read_numbers(statement["others"], "others", vectors.count)
    require(anchor not in others, "the anchor is among the others")
    gap, loss, norm, spread = (rational(statement[name], name) for name in names)
    require(gap > 0 and min(loss, norm, spread) >= 0, "gap is not positive or another number is negative")
    u = vectors.combination(read_weighted(evidence["direction"], "direction", 1, vectors.count))
    square, unit, first = inner(u, u), vectors.scale**2, vectors.rows[anchor]
    require(square > 0, "the direction is zero")
    for k in others:
        p = inner(u, vectors.rows[k])
        require(p >= 0 and p**2 >= gap**2 * square * unit, f"vector {k} is not beyond the gap")
    p = inner(u, first)
    require(p >= 0 or p**2 <= loss**2 * square * unit, "the anchor is beyond anchor_loss")
    require(inner(first, first) <= norm**2 * unit, "the anchor is longer than anchor_norm")
    for k in others:
        difference = list(map(sub, vectors.rows[k], first))
        require(inner(difference, difference) <= spread**2 * unit, f"vector {k} is farther than spread")


def check_smoothing(subject, statement, evidence):
    """Section 6.7. W_O y_k is v_k minus the mean of the v's, and (beta I + W) mu + W_O c is beta mu plus that mean."""
    names = ("s", "t", "s_plus_t", "mean_norm", "spread")
    fields(statement, ("property", "beta") + names, "the statement")
    fields(evidence, (), "evidence")
    require(subject.is_square_head, "smoothing needs a head with as many outputs as inputs")
    beta = rational(statement["beta"], "beta")
    tokens, vectors, count = subject.tokens, subject.vectors, subject.tokens.count
    x_sum, v_sum = ([sum(column) for column in zip(*part.rows)] for part in (tokens, vectors))
    centred = lambda row, total: [count * y - z for y, z in zip(row, total)]
    xx = xv = vv = 0  # count^2 times the sums of squares about the means
    for x, v in zip(tokens.rows, vectors.rows):
        x, v = centred(x, x_sum), centred(v, v_sum)
        xx, xv, vv = xx + inner(x, x), xv + inner(x, v), vv + inner(v, v)
    s = beta * Fraction(xv, count**3 * tokens.scale * vectors.scale)
    t = Fraction(vv, count**3 * vectors.scale**2)
    mean = [beta * Fraction(x, count * tokens.scale) + Fraction(v, count * vectors.scale) for x, v in zip(x_sum, v_sum)]
    spread = Fraction(xx, count**3 * tokens.scale**2)
    for name, value in zip(names, (s, t, s + t, sum(x * x for x in mean), spread)):
        low, high = (rational(x, name) for x in array(statement[name], name, 2))
        require(low <= value <= high, f"{name} is not between its two numbers")
