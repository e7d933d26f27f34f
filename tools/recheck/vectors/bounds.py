"""VECTOR_RULES.md, sections 6.3 to 6.5: cost, infeasibility, representability."""

from fractions import Fraction

from ..arithmetic import inner, matrix_product, transposed
from ..envelope import MAX_DIGITS, fields, rational
from ..refusal import require
from .margins import check_margins, is_semidefinite, read_coefficients, read_multipliers, read_system


def entrywise(left, right):
    """The sum of the products of the entries of two matrices."""
    return sum(map(inner, left, right))


def read_bounded(subject, statement):
    """Of a statement about a pattern: (number of vectors, its system and margin, lower, upper)."""
    fields(statement, ("property", "pattern", "lower", "upper"), "the statement")
    lower, upper = (rational(statement[key], key) for key in ("lower", "upper"))
    return subject.vectors.count, *read_system(statement["pattern"], subject.vectors.count), lower, upper


def check_cost(subject, statement, evidence):
    """Section 6.3."""
    fields(evidence, ("query", "key", "multipliers", "norm"), "evidence")
    count, system, margin, lower, upper = read_bounded(subject, statement)
    require(lower >= 0, "lower is negative")
    (a, a_scale), (b, b_scale) = (read_coefficients(evidence[key], count, key) for key in ("query", "key"))
    require(1 <= len(a) == len(b) <= count, "query and key have the wrong number of rows")
    matrix, total = read_multipliers(evidence["multipliers"], system, count, 40)
    norm = rational(evidence["norm"], "norm", 400)
    gram, scale = subject.vectors.gram
    a_gram, b_gram = matrix_product(a, gram), matrix_product(b, gram)
    check_margins(matrix_product(transposed(a_gram), b_gram), a_scale * b_scale * scale**2, system, margin)
    spent = Fraction(entrywise(a_gram, a), a_scale**2 * scale) + Fraction(entrywise(b_gram, b), b_scale**2 * scale)
    require(spent <= upper, "the factors cost more than upper")
    if lower == 0:
        require(not evidence["multipliers"] and norm == 0, "lower is 0 but there are multipliers or a norm")
        return
    require(norm > 0, "norm is not positive")
    require(2 * total * margin >= lower * norm, "the multipliers do not reach lower")
    square, kept = norm_matrix(gram, scale, matrix, norm), spanning_rows(subject.vectors.sources)
    require(is_semidefinite([[square[i][j] for j in kept] for i in kept]), "norm is too small for the multipliers")


def spanning_rows(rows):
    """Numbers of rows that span the whole space, or else the numbers of all.

    The matrix of section 6.3 is Z N Z^T for some symmetric N, with the sources as rows of Z, so that it is semidefinite
    if and only if its part for rows that span the space is. They do where they are independent modulo a prime and as
    many as there are coordinates.
    """
    p, pivots, kept = (1 << 61) - 1, [], []
    if len(rows[0]) >= len(rows):
        return list(range(len(rows)))
    for k, row in enumerate(rows):
        rest = [x % p for x in row]
        for place, pivot in pivots:
            if factor := rest[place]:
                rest = [(x - factor * y) % p for x, y in zip(rest, pivot)]
        place = next((i for i, x in enumerate(rest) if x), None)
        if place is not None:
            inverse = pow(rest[place], -1, p)
            pivots.append((place, [x * inverse % p for x in rest]))
            kept.append(k)
    return kept if len(kept) == len(rows[0]) else list(range(len(rows)))


def norm_matrix(gram, scale, matrix, norm):
    """Section 6.3: q^2 D^3 (t^2 G - (G L) G (G L)^T), within its limit."""
    p, q, left = norm.numerator, norm.denominator, matrix_product(gram, matrix)
    product_rows = matrix_product(matrix_product(left, gram), transposed(left))
    result = [[p**2 * scale**2 * x - q**2 * y for x, y in zip(*rows)] for rows in zip(gram, product_rows)]
    most = max(abs(x) for row in result for x in row).bit_length()
    require(most * len(gram) <= 1 << 18 and most * len(gram)**2 <= 1 << 25,
            "the entries of the matrix of norm have too many bits")
    return result


def check_infeasible(subject, statement, evidence):
    """Section 6.4."""
    fields(statement, ("property", "pattern"), "the statement")
    fields(evidence, ("multipliers",), "evidence")
    count = subject.vectors.count
    system, _ = read_system(statement["pattern"], count)
    require(evidence["multipliers"], "there are no multipliers")
    matrix, _ = read_multipliers(evidence["multipliers"], system, count)
    gram, _ = subject.vectors.gram
    zero = matrix_product(matrix_product(gram, matrix), gram)
    require(not any(map(any, zero)), "the multipliers do not cancel")


def check_representable(subject, statement, evidence):
    """Section 6.5."""
    fields(evidence, ("matrix", "multipliers"), "evidence")
    count, system, margin, lower, upper = read_bounded(subject, statement)
    m, m_scale = read_coefficients(evidence["matrix"], count, "matrix", MAX_DIGITS)
    require(len(m) == count, f"matrix does not have {count} rows")
    require(evidence["multipliers"], "there are no multipliers")
    matrix, total = read_multipliers(evidence["multipliers"], system, count)
    gram, scale = subject.vectors.gram
    scores = matrix_product(matrix_product(gram, m), gram)
    check_margins(scores, m_scale * scale**2, system, margin)
    require(0 < lower and lower * Fraction(entrywise(m, scores), (m_scale * scale)**2) <= 1, "lower is not shown")
    square = Fraction(entrywise(matrix, matrix_product(matrix_product(gram, matrix), gram)), scale**2)
    require(square <= upper * (total * margin)**2, "upper is not shown")
