"""VECTOR_RULES.md, section 6.2: margin constraints and semidefinite matrices."""

from math import isqrt

from ..arithmetic import inner, matrix_product, transposed
from ..envelope import MAX_DIGITS, array, fields, integer, rational
from ..refusal import require
from .given import whole

MAX_CONSTRAINTS = 1000000
MAX_PATTERN_VECTORS = 256


def read_system(pattern, count):
    """Section 6.2: ({(j, a, i): w}, m); the margin of a triple is w m."""
    require(count <= MAX_PATTERN_VECTORS, f"there are over {MAX_PATTERN_VECTORS} vectors")
    kind = pattern.get("kind") if type(pattern) is dict else None
    require(type(kind) is str and kind in ("margins", "sink-A", "sink-B", "diagonal"), "unknown kind of pattern")
    keys = ("constraints",) if kind == "margins" else ("bos", "groups", "copies")
    fields(pattern, ("kind", "margin") + keys, "pattern")
    margin = rational(pattern["margin"], "margin", 400)
    require(margin > 0, "margin is not positive")
    if kind == "margins":
        return read_constraints(pattern["constraints"], count), margin
    bos = integer(pattern["bos"], "bos", 0, count - 1)
    groups = [[integer(x, "a dormant token", 0, count - 1) for x in array(group, "a group")]
              for group in array(pattern["groups"], "groups")]
    require(groups and all(groups), "groups must be non-empty, and there must be at least one")
    copies = [integer(q, "a copy", 0, count - 1) for q in array(pattern["copies"], "copies")]
    require(len(copies) in (0, len(groups)), "copies has the wrong length")
    named = [bos, *copies, *(x for group in groups for x in group)]
    require(len(set(named)) == len(named), "a vector is named twice")
    # At most 256 vectors make fewer than 1000000 triples, and there always is one.
    return dict.fromkeys(triples(kind, bos, groups, copies), 1), margin


def read_weighted(value, what, size, count, most=MAX_DIGITS):
    """Lists [k_1, .., k_size, c], strictly increasing by their vectors k, c whole: the pairs ((k_1, .., k_size), c)."""
    last = ()
    for item in array(value, what):
        *key, c = array(item, f"an entry of {what}", size + 1)
        key = tuple(integer(k, f"a vector of {what}", 0, count - 1) for k in key)
        require(last < key, f"{what} are not strictly increasing")
        last = key
        yield key, whole(c, f"a number of {what}", most)


def read_constraints(value, count):
    require(1 <= len(array(value, "constraints")) <= MAX_CONSTRAINTS, "there are not 1 to 1000000 constraints")
    system = dict(read_weighted(value, "constraints", 3, count, 40))
    require(all(a != i for _, a, i in system), "a constraint compares a vector with itself")
    require(all(w > 0 for w in system.values()), "a constraint's weight is not positive")
    return system


def triples(kind, bos, groups, copies):
    """Section 6.2: the constraints (j; a, i) of the patterns sink-A, sink-B and diagonal."""
    dormant = [x for group in groups for x in group]
    for x in dormant:
        if kind == "diagonal":
            yield from ((x, x, y) for y in [bos, *dormant, *copies] if y != x)
        else:
            yield from ((x, bos, y) for y in dormant + copies)
    for q, group in zip(copies, groups):
        others = [z for z in dormant if z not in group]
        yield from ((q, y, z) for y in group for z in [bos, *others, *copies])
        if kind == "sink-B":
            yield from ((q, bos, z) for z in others + copies)
        if kind == "diagonal":
            yield from ((q, q, z) for z in [bos, *others, *copies] if z != q)


def read_multipliers(value, system, count, most=MAX_DIGITS):
    """Section 6.2: (L, the sum of y times the weight of its triple)."""
    matrix, total = [[0] * count for _ in range(count)], 0
    for triple, y in read_weighted(value, "multipliers", 3, count, most):
        require(triple in system, "a multiplier's triple is not of the system")
        require(y > 0, "a multiplier is not positive")
        j, a, i = triple
        matrix[j][a] += y
        matrix[j][i] -= y
        total += y * system[triple]
    return matrix, total


def read_coefficients(value, count, what, most=400):
    """Section 6.2: a coefficient matrix as (integer rows, denominator)."""
    fields(value, ("denominator", "rows"), what)
    denominator = whole(value["denominator"], f"{what}.denominator", most)
    require(denominator > 0, f"{what}.denominator is not positive")
    return [[whole(x, f"an entry of {what}", most) for x in array(row, f"a row of {what}", count)]
            for row in array(value["rows"], f"{what}.rows")], denominator


def check_margins(scores, scale, system, margin):
    """Every triple's scores, integers over `scale`, are at least its margin apart."""
    unit, least = margin.denominator, margin.numerator * scale
    for (j, a, i), w in system.items():
        row = scores[j]
        require((row[a] - row[i]) * unit >= w * least, f"the margin of ({j}; {a}, {i}) is not reached")


def is_semidefinite(matrix):
    """Section 6.2, for an integer matrix.

    First a search that is not trusted, for one of two proofs which are checked: an approximate Cholesky factor
    R for which matrix - R R^T has a dominant diagonal, or a vector x with x^T matrix x < 0. The exact pivots decide
    what is left, above all singular matrices.
    """
    matrix = without_repeated_rows(matrix)
    if not matrix:
        return True
    if any(row[k] <= 0 for k, row in enumerate(matrix)):
        return False  # none of the rows is zero
    for precision in (128, 512, 2048):
        decision = semidefinite_by_factor(matrix, precision)
        if decision is not None:
            return decision
    return semidefinite_by_pivots(matrix)


def without_repeated_rows(matrix):
    """The matrix without rows (and columns) of zeros and without rows that occurred before: as definite as it was."""
    kept, seen = [], {(0,) * len(matrix)}
    for k, row in enumerate(map(tuple, matrix)):
        if row not in seen:
            seen.add(row)
            kept.append(k)
    return [[matrix[i][j] for j in kept] for i in kept]


def semidefinite_by_pivots(matrix):
    """Section 6.2, word for word, over the integers: p is the pivot times a positive number (Bareiss)."""
    rows, previous = [row[:k + 1] for k, row in enumerate(matrix)], 1
    for k in range(len(rows)):
        p, column = rows[k][k], [row[k] for row in rows[k + 1:]]
        if p < 0 or (p == 0 and any(column)):
            return False
        if p == 0:
            continue
        for i, (row, x) in enumerate(zip(rows[k + 1:], column), k + 1):
            row[k + 1:] = [(p * y - x * z) // previous for y, z in zip(row[k + 1:], column[:i - k])]
        previous = p
    return True


def semidefinite_by_factor(matrix, precision):
    """True or False with a checked proof of it, or None; the diagonal is positive."""
    size, exponent = len(matrix), [(row[k].bit_length() + 1) // 2 for k, row in enumerate(matrix)]
    shift = lambda x, s: x << s if s >= 0 else x >> -s
    # The matrix with rows and columns scaled by powers of two, over 2^(2 precision), rounded down.
    near = [[shift(x, 2 * precision - e - f) for x, f in zip(row, exponent)] for row, e in zip(matrix, exponent)]
    factor, slack = [], 16 * size << precision
    for k, row in enumerate(near):
        part = []
        for j, other in enumerate(factor):
            part.append((row[j] - inner(part, other)) // other[j])
        pivot = row[k] - slack - inner(part, part)
        if pivot <= 0:
            return False if is_negative(matrix, exponent, factor, part, precision) else None
        factor.append(part + [isqrt(pivot)])
    square = matrix_product(full := [row + [0] * (size - len(row)) for row in factor], transposed(full))
    for k in range(size):
        off = [abs(x - y) + 1 for x, y in zip(near[k], square[k])]  # 1 for what was rounded
        if near[k][k] - square[k][k] < sum(off) - off[k]:
            return None
    return True


def is_negative(matrix, exponent, factor, part, precision):
    """Whether the vector that the factor's next row suggests has a negative square."""
    k = len(part)
    x = [0] * k + [1 << precision]
    for i in reversed(range(k)):
        x[i] = -(part[i] * x[k] + sum(factor[j][i] * x[j] for j in range(i + 1, k))) // factor[i][i]
    most = max(exponent)
    x = [y << (most - e) for y, e in zip(x, exponent)]
    return sum(y * inner(row, x) for y, row in zip(x, matrix)) < 0
