"""Exact arithmetic that all pages share: lists and matrices of integers over a common denominator."""

import itertools
from math import lcm
from operator import add, lshift, mul

from .refusal import require

MAX_UNIT = 10**400
MAX_PACKED = 200  # bits of a factor beyond which long integers cost more than they save
MAX_SHIFTED = 600  # bits beyond which shifts cost less than products


def split(flat, n):
    return [flat[i:i + n] for i in range(0, len(flat), n)]


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def inner(left, right):
    return sum(map(mul, left, right))


def odd_part(x):
    """(y, k) with x = y 2^k, y odd or 0."""
    k = (x & -x).bit_length() - 1 if x else 0
    return x >> k, k


def matrix_product(left, right):
    """The product of two integer matrices, given as rows.

    Where the numbers of `left` are short, each row of `right` becomes one long integer: fewer and longer products.
    Where all numbers are long but few of their bits count, as those of doubles of every size, these are multiplied.
    """
    bits = [max(max(row), -min(row)).bit_length() for matrix in (left, right) for row in matrix]
    if max(bits[:len(left)]) > MAX_PACKED:
        columns = transposed(right)
        if max(bits) > MAX_SHIFTED:
            shifted = [[tuple(zip(*map(odd_part, row))) for row in matrix] for matrix in (left, columns)]
            if max(y.bit_length() for matrix in shifted for odd, _ in matrix for y in odd) <= 64:
                lefts, rights = shifted
                return [[sum(map(lshift, map(mul, x, y), map(add, e, f))) for y, f in rights] for x, e in lefts]
        return [[inner(row, column) for column in columns] for row in left]
    width = (max(bits[:len(left)]) + max(bits[len(left):]) + len(right).bit_length() + 8) // 8
    half, columns = 1 << (8 * width - 1), len(right[0])
    pack = lambda row: int.from_bytes(b"".join((x + half).to_bytes(width, "little") for x in row), "little")
    offset = pack([0] * columns)
    packed = [pack(row) - offset for row in right]
    result = []
    for row in left:
        data = (inner(row, packed) + offset).to_bytes(width * columns, "little")
        result.append([int.from_bytes(data[i:i + width], "little") - half for i in range(0, len(data), width)])
    return result


def scaled(matrix, factor):
    return matrix if factor == 1 else [[x * factor for x in row] for row in matrix]


def dyadic(values):
    """(integers, power-of-two denominator) of doubles."""
    scale = max(x.as_integer_ratio()[1] for x in values)
    return [p * (scale // q) for p, q in (x.as_integer_ratio() for x in values)], scale


def over_one_unit(rows, what):
    """Lists of rationals as integers over their least common denominator; and that, which has at most 400 digits."""
    unit = 1
    for x in itertools.chain(*rows):
        if unit % x.denominator:
            unit = lcm(unit, x.denominator)
            require(unit < MAX_UNIT, f"the common denominator of {what} has over 400 digits")
    return [[integer_over(unit, x) for x in row] for row in rows], unit


def integer_over(unit, x):
    """The integer k with x = k / unit."""
    return x.numerator * (unit // x.denominator)
