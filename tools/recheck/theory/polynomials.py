"""FORMAT.md, section 3.7: expressions and the polynomials they denote."""

import re
from collections import namedtuple
from fractions import Fraction
from math import lcm

from ..envelope import integer, rational
from ..refusal import require

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
MAX_TERMS, MAX_PRODUCT, MAX_NODES, MAX_WEIGHT = 10000, 1000000, 10000, 64


def is_name(text):
    return type(text) is str and NAME.fullmatch(text) is not None


# 3.7 Expressions. `terms` maps a monomial to a coefficient other than 0, a number over `unit` > 0: an integer but where
# something small was added over another unit. A monomial is the sum of its exponents times powers of 2^EXPONENT_BITS,
# one for each variable: no product of 3.3 or 3.7 has a degree of 2^EXPONENT_BITS.

EXPONENT_BITS = 24
Polynomial = namedtuple("Polynomial", "terms unit")


def plus(left, right, sign=1):
    """left + sign * right. The terms of `left` may be used up."""
    terms, unit = left.terms, left.unit
    if len(terms) <= len(right.terms):
        unit = lcm(unit, right.unit)
        terms = {monomial: c * (unit // left.unit) for monomial, c in terms.items()}
    factor, rest = divmod(sign * unit, right.unit)
    factor = Fraction(sign * unit, right.unit) if rest else factor
    for monomial, c in right.terms.items():
        c = terms.pop(monomial, 0) + factor * c
        if c:
            terms[monomial] = c
    require(len(terms) <= MAX_TERMS, "a sum has more than 10000 terms")
    return Polynomial(terms, unit)


def integral(polynomial):
    """The same polynomial with integers for coefficients."""
    if all(type(c) is int for c in polynomial.terms.values()):
        return polynomial
    unit = lcm(*{c.denominator for c in polynomial.terms.values()})
    terms = {monomial: int(c * unit) for monomial, c in polynomial.terms.items()}
    return Polynomial(terms, polynomial.unit * unit)


def times(left, right):
    require(len(left.terms) * len(right.terms) <= MAX_PRODUCT, "a product is too large")
    left, right, result = integral(left), integral(right), {}
    known, others = result.get, list(right.terms.items())
    for monomial, c in left.terms.items():
        for other, e in others:
            key = monomial + other
            result[key] = known(key, 0) + c * e
    result = {monomial: c for monomial, c in result.items() if c}
    require(len(result) <= MAX_TERMS, "a product has more than 10000 terms")
    return Polynomial(result, left.unit * right.unit)


def same(left, right):
    """Are two polynomials equal?"""
    return left.terms.keys() == right.terms.keys() and all(
        c * right.unit == right.terms[monomial] * left.unit for monomial, c in left.terms.items())


def exponents(monomial):
    """The pairs (number of the variable, exponent) with an exponent other than 0."""
    while monomial:
        variable = ((monomial & -monomial).bit_length() - 1) // EXPONENT_BITS
        shift = variable * EXPONENT_BITS
        exponent = (monomial >> shift) & ((1 << EXPONENT_BITS) - 1)
        yield variable, exponent
        monomial ^= exponent << shift


def sign_at(polynomial, numbers, unit):
    """An integer with the sign of the polynomial where the variables are these numbers, integers over `unit`."""
    degree, total = max((sum(k for _, k in exponents(monomial)) for monomial in polynomial.terms), default=0), 0
    for monomial, c in integral(polynomial).terms.items():
        below = degree
        for variable, k in exponents(monomial):
            c, below = c * numbers[variable]**k, below - k
        total += c * unit**below if below else c
    return total


def expand(expression, variables):
    """Section 3.7: the polynomial an expression denotes, within the limits."""
    nodes, places = 0, {name: 1 << (EXPONENT_BITS * k) for k, name in enumerate(variables)}

    def measure(e):
        """Counts nodes and returns the weight; every limit that needs no expansion is checked here."""
        nonlocal nodes
        nodes += 1
        require(nodes <= MAX_NODES, "an expression has more than 10000 nodes")
        if type(e) is str:
            return 1
        require(type(e) is list and len(e) >= 2 and e[0] in ("+", "*", "-", "^"), "unknown operator")
        if e[0] == "^":
            require(len(e) == 3, "wrong number of operands")
            weight = integer(e[2], "an exponent", 1, 64) * measure(e[1])
        else:
            require(len(e) <= 3 if e[0] == "-" else len(e) >= 3, "wrong number of operands")
            weights = [measure(operand) for operand in e[1:]]
            weight = sum(weights) if e[0] == "*" else max(weights)
        require(e[0] not in ("*", "^") or weight <= MAX_WEIGHT, "a product weighs more than 64")
        return weight

    def value(e):
        if type(e) is str:
            if is_name(e):
                require(e in places, f"the variable {e} is not declared")
                return Polynomial({places[e]: 1}, 1)
            number = rational(e, "a number", 400)
            return Polynomial({0: number.numerator} if number else {}, number.denominator)
        if e[0] == "^":
            base = result = value(e[1])
            for _ in range(e[2] - 1):
                result = times(result, base)
            return result
        result = value(e[1])
        if e[0] == "-" and len(e) == 2:
            return plus(Polynomial({}, 1), result, -1)
        for operand in e[2:]:
            right = value(operand)
            result = times(result, right) if e[0] == "*" else plus(result, right, 1 if e[0] == "+" else -1)
        return result

    measure(expression)
    return value(expression)
