"""MOMENT_RULES.md: vectors of polynomials in letters, numbers in [-1, 1], with remainders."""

from functools import cached_property
from operator import add, mul

from .corners import sizes_at_corners
from .letters import BITS, MOST_DEGREE, UNIT, ceil_shift, fields_of, limited


class Series:
    """`terms`: by degree, packed coefficients by code. `rest`: the remainder of each coordinate."""

    def __init__(self, alphabet, size, terms, rest, sums):
        self.alphabet, self.size, self.terms, self.rest = alphabet, size, terms, limited(rest)
        self.sums = sums  # by degree, the sums of absolute coefficients
        self.reach = limited(map(sum, zip(*sums, self.rest)))

    @cached_property
    def vectors(self):
        """By degree, the pairs of code and list of coefficients."""
        listed = fields_of(self.size).listed
        return [[(code, listed(x)) for code, x in part.items()] for part in self.terms]

    def constants(self):
        return fields_of(self.size).listed(self.terms[0].get(0, 0))

    @cached_property
    def sizes(self):
        """By degree, what that part does not exceed."""
        return sizes_at_corners(self)


def finished(alphabet, size, parts, rest, by_units=True):
    """The series of these sums, in units of 2^-88 or, else, of 2^-44; small terms become remainders."""
    fields = fields_of(size)
    terms, sums, lost, rounded = [], [], 0, 0
    floored, is_small, magnitudes = fields.floored, fields.is_small, fields.magnitudes
    for part in parts:
        kept, total = {}, 0
        if by_units:
            rounded += len(part)
            part = {code: floored(x) for code, x in part.items()}
        for code, x in part.items():
            if is_small(x):
                lost += magnitudes(x)
            else:
                kept[code] = x
                total += magnitudes(x)
        terms.append(kept)
        sums.append(fields.listed(total))
    terms += [{} for _ in range(MOST_DEGREE + 1 - len(terms))]
    sums += [[0] * size for _ in range(MOST_DEGREE + 1 - len(sums))]
    return Series(alphabet, size, terms, [r + rounded + x for r, x in zip(rest, fields.listed(lost))], sums)


def constant(alphabet, values, rest=None):
    values = limited(values)
    packed = fields_of(len(values)).packed(values)
    return finished(alphabet, len(values), [{0: packed}], rest or [0] * len(values), False)


def affine(alphabet, values, columns, codes, rest):
    """`values` plus the sum of letters times columns."""
    pack = fields_of(len(values)).packed
    terms = {code: pack(x) for code, x in zip(codes, columns)}
    return finished(alphabet, len(values), [{0: pack(values)}, terms], rest, False)


def combined(pairs):
    """The sum of multiples (series, factor) or (series, factor, error of the factor)."""
    first, scale = pairs[0][0], all(pair[1:] in ((UNIT,), (-UNIT,)) for pair in pairs)
    parts, rest = [{} for _ in first.terms], [0] * first.size
    for x, factor, *error in pairs:
        by = factor // UNIT if scale else factor
        for part, terms in zip(parts, x.terms):
            get = part.get
            for code, value in terms.items():
                part[code] = get(code, 0) + by * value
        rest = list(map(add, rest, (abs(by) * r for r in x.rest)))
        if error:
            rest = [r + error[0] * reach for r, reach in zip(rest, x.reach)]
    return finished(first.alphabet, first.size, parts, rest if scale else map(ceil_shift, rest), not scale)


def plus(x, y, sign=1):
    return combined([(x, UNIT), (y, sign * UNIT)])


def mapped(rows, x, error=0):
    """The matrix, its rows given, times x; every entry is within `error` units of the true one."""
    fields = fields_of(len(rows))
    columns = [fields.packed(column) for column in zip(*rows)]
    parts = [{code: sum(map(mul, values, columns)) for code, values in part} for part in x.vectors]
    spread = error * sum(x.reach)
    rest = [ceil_shift(sum(abs(w) * r for w, r in zip(row, x.rest)) + spread) for row in rows]
    return finished(x.alphabet, len(rows), parts, rest)


def left_over(a, b, degree):
    """What products leave of one coordinate of each, given as (by degree, sizes; remainder), in units of 2^-88."""
    (sizes, rest), (others, other) = a, b
    left = sum(s * t for d, s in enumerate(sizes) for e, t in enumerate(others) if d + e > degree)
    return left + rest * other + rest * sum(others) + other * sum(sizes)


def of_coordinates(x):
    return [([part[c] for part in x.sizes], x.rest[c]) for c in range(x.size)]


def inner(a, b, degree):
    """The inner product, up to the degree."""
    parts, alphabet = [{} for _ in range(degree + 1)], a.alphabet
    for d, left in enumerate(a.vectors):
        for e, right in enumerate(b.vectors[:max(0, degree + 1 - d)]):
            part, new = parts[d + e] if d + e <= degree else None, []
            for s, x in left if right else ():
                for t, y in right:
                    value = sum(map(mul, x, y))
                    if value:
                        code = s + t
                        if code in part:
                            part[code] += value
                        else:
                            part[code] = value
                            new.append((code, s, t))
            alphabet.name(new)
    rest = sum(left_over(x, y, degree) for x, y in zip(of_coordinates(a), of_coordinates(b)))
    return finished(alphabet, 1, parts, [ceil_shift(rest)])


def scaled(a, b, degree):
    """b times a, which has one coordinate, up to the degree."""
    parts, alphabet = [{} for _ in range(degree + 1)], a.alphabet
    for d, left in enumerate(a.vectors):
        for e, right in enumerate(b.terms[:max(0, degree + 1 - d)]):
            part, new, right = parts[d + e] if d + e <= degree else None, [], list(right.items())
            for s, (x,) in left if right else ():
                for t, y in right:
                    code = s + t
                    if code in part:
                        part[code] += x * y
                    else:
                        part[code] = x * y
                        new.append((code, s, t))
            alphabet.name(new)
    (of_a,) = of_coordinates(a)
    return finished(alphabet, b.size, parts, [ceil_shift(left_over(of_a, of_b, degree)) for of_b in of_coordinates(b)])


def covariance(columns, numbers, x, degree):
    """The sum over a and b of column a times c_ab times coordinate b of x, up to the degree."""
    alphabet, size = x.alphabet, len(columns[0])
    packed, parts = [fields_of(size).packed(column) for column in columns], [{} for _ in range(degree + 1)]
    codes = [[spread_code(alphabet, a, b) for a in numbers] for b in numbers]
    for d in range(degree):
        part, new = parts[d + 1], []
        for s, values in x.vectors[d]:
            for value, of_b in zip(values, codes):
                for column, t in zip(packed, of_b) if value else ():
                    code = s + t
                    if code in part:
                        part[code] += value * column
                    else:
                        part[code] = value * column
                        new.append((code, s, t))
        alphabet.name(new)
    left = sum(x.rest) + sum(map(sum, x.sizes[degree:]))
    return finished(alphabet, size, parts, [ceil_shift(left * sum(map(abs, row))) for row in zip(*columns)])


def variance(numbers, x, degree):
    """The sum over a and b of coordinate a times c_ab times coordinate b, up to the degree."""
    same = [[UNIT * (a == b) for b in range(x.size)] for a in range(x.size)]
    return inner(covariance(same, numbers, x, degree), x, degree)


def spread_code(alphabet, a, b):
    return alphabet.code("spread", min(a, b), max(a, b))
