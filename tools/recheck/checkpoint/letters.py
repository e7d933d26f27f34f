"""MOMENT_RULES.md: letters, the terms that are products of them, and vectors of numbers in one long integer.

Numbers are integers in units of 2^-44. The coefficients of a term are one long integer, with a field of 128 bits for
each coordinate. Sums and multiples of vectors are then those of single integers. Every number stays below 2^56 in
absolute value, so that no sum of products reaches into the next field.
"""

import struct
from functools import cached_property, lru_cache

BITS, FIELD, MOST_DEGREE, LIMIT = 44, 128, 4, 1 << 56
UNIT = 1 << BITS
SMALL = 1 << 21  # 2^-23: terms below this become remainders
MOST_LETTERS, MOST_WALKED = 1 << 13, 13


class TooCoarse(Exception):
    """A number is too large for this arithmetic, which then bounds nothing."""


def limited(values):
    values = list(values)
    if any(abs(x) >= LIMIT for x in values):
        raise TooCoarse
    return values


def ceil_shift(x, by=BITS):
    return -(-x >> by)


class Fields:
    """Vectors of `count` integers, each below 2^(width - 1) in absolute value, as one integer."""

    def __init__(self, count, width=FIELD):
        self.count, self.width = count, width
        self.ones = ((1 << width * count) - 1) // ((1 << width) - 1)
        self.bias = self.ones << width - 1

    @cached_property
    def floors(self):
        return self.ones * ((1 << self.width - BITS) - 1)

    @cached_property
    def small(self):
        """SMALL in every field, and the bits that no number between 0 and 2 SMALL has."""
        return self.ones * SMALL, ((1 << self.width * self.count) - 1) ^ (self.ones * (2 * SMALL - 1))

    def packed(self, values):
        return sum(x << self.width * k for k, x in enumerate(limited(values)) if x)

    def listed(self, x):
        """The integers, if they are below 2^63 in absolute value."""
        x += self.ones << 63
        if x < 0 or x.bit_length() > self.count * self.width:
            raise TooCoarse
        step, data = self.width // 64, x.to_bytes(self.count * self.width // 8, "little")
        words = struct.unpack(f"<{self.count * step}Q", data)
        if step > 1 and any(words[1::2]):
            raise TooCoarse
        return [value - (1 << 63) for value in words[::step]]

    def floored(self, x):
        """Every integer over 2^44, rounded down."""
        return ((x + self.bias) >> BITS & self.floors) - (self.bias >> BITS)

    def magnitudes(self, x):
        """Absolute values. With its bias, -1 - v is v with all bits flipped."""
        x += self.bias
        negative = self.ones ^ (x >> self.width - 1 & self.ones)
        return (x ^ ((negative << self.width) - negative)) + negative - self.bias

    def is_small(self, x):
        """Are all between -SMALL and SMALL?"""
        small, others = self.small
        x += small
        return x >= 0 and not x & others


@lru_cache(maxsize=256)
def fields_of(count, width=FIELD):
    return Fields(count, width)


class Alphabet:
    """Letters by what they stand for, ("noise", a), ("mean", a), ..; a term's code is the sum of its letters' codes.

    A letter's code holds its number and its square, cube and fourth power: sums of these, over at most four letters,
    say which letters they are.
    """

    def __init__(self, noise):
        self.meanings, self.numbers, self.terms, self.parts = [None], {}, {0: ()}, {}
        self.noise, self.walked = noise, min(noise, MOST_WALKED)  # letters of the row's noise, of which some are walked
        for a in range(noise):
            self.code("noise", a)

    def code(self, *meaning):
        number = self.numbers.get(meaning)
        if number is None:
            number = self.numbers[meaning] = len(self.meanings)
            if number >= MOST_LETTERS:
                raise TooCoarse
            self.meanings.append(meaning)
        code = number | number**2 << 16 | number**3 << 48 | number**4 << 96
        self.terms[code] = (number,)
        return code

    def name(self, new):
        """Terms that are products of two."""
        terms = self.terms
        for code, s, t in new:
            if code not in terms:
                terms[code] = tuple(sorted(terms[s] + terms[t]))

    def split(self, code):
        """(product of walked letters of odd power, a bit for each; other letters; whether there were squares)."""
        if code not in self.parts:
            walked, squares, rest = 0, False, []
            for number in self.terms[code]:
                if number > self.walked:
                    rest.append(number)
                    continue
                bit = 1 << number - 1
                squares = squares or bool(walked & bit)
                walked ^= bit
            self.parts[code] = walked, tuple(rest), squares
        return self.parts[code]
