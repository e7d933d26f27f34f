"""CHECKPOINT_RULES.md, section 4.19: enclosures of what a stack computes, and their ranges."""

import itertools
from functools import cached_property, lru_cache
from math import perm
from operator import add, mul, sub

from ..arithmetic import integer_over, matrix_product
from .forward import logistic_ends
from .model import B

STACK_BITS = 64  # numbers are integers in units of 2^-64
MAX_WALKED = 13  # letters whose signs are tried
MAX_WALKED_REACH = 1 << 122
CORNERS = [(t, w, z) for t, w in ((4, 4), (3, 2), (1, 0)) for z in (1, -1)]  # of the mean and its square, in quarters
CONSTANT = ((), (), ())


@lru_cache(maxsize=1 << 18)
def joint(left, right):
    """The product of two products of letters."""
    return tuple(sorted(left + right))


@lru_cache(maxsize=1 << 16)
def joint_keys(left, right):
    """All (key, others) whose sum is the product of two (key, others)."""
    partial = [(left[1], ())]  # others of the first that are not yet one of the second's; those of the product
    for other in right[1]:
        partial = [(free, done + (other,)) for free, done in partial] + [
            (free[:k] + free[k + 1:], done + (joint(free[k], other),))
            for free, done in partial for k in range(len(free))]
    key = joint(left[0], right[0])
    return [(key, tuple(sorted(free + done))) for free, done in partial]


def is_joined(key, others):
    """Are these groups of a loss joined: {l}, {l m} or {l, m}?"""
    return not key and tuple(map(len, others)) in ((1,), (2,), (1, 1))


@lru_cache(maxsize=1 << 18)
def multilinear(monomial, joined=False):
    """The odd part: of letters of odd power, each once. Where groups are joined, l l of one key is not a power and stays."""
    own, key, *others = (tuple(k for k in sorted(set(of)) if of.count(k) % 2) for of in (*monomial[:2], *monomial[2]))
    others = monomial[2] if joined and is_joined(*monomial[1:]) else tuple(sorted(filter(None, others)))
    return own, key, others


def without_letter(monomial, letter, of_key, speaks_of_key):
    """The monomial where a letter is gone once; None if it has none there."""
    (own, key, others), lost = monomial, lambda of: of[:of.index(letter)] + of[of.index(letter) + 1:]
    if not of_key:
        return (lost(own), key, others) if letter in own else None
    if speaks_of_key:
        return (own, lost(key), others) if letter in key else None
    k = next((k for k, other in enumerate(others) if letter in other), None)
    return None if k is None else (own, lost(others[k]), others[:k] + others[k + 1:])


def inner_only(left, right):
    return [sum(map(mul, left, right))]


class Enclosure:
    """P of section 4.19: coefficients by monomial, a remainder for each coordinate, and K.

    A monomial is (own, key, others): a product of letters is the sorted tuple of their numbers, `others` a sorted tuple
    of such. A monomial with more others than there are keys for them is an empty sum and left out.
    """

    def __init__(self, pairs, rest, keys=0):
        self.terms, self.rest, self.keys = {}, rest, keys
        for monomial, c in pairs:
            if len(monomial[2]) <= keys and any(c):
                known = self.terms.get(monomial)
                self.terms[monomial] = c if known is None else list(map(add, known, c))

    def ways(self, monomial):
        """N of the page."""
        return perm(self.keys, len(monomial[2]))

    @cached_property
    def by_degree(self):
        found = {}
        for monomial, c in self.terms.items():
            own, key, others = monomial
            found.setdefault(sum(map(len, (own, key, *others))), []).append((monomial, c))
        return found

    @cached_property
    def sizes(self):
        """S_d of every coordinate, by d."""
        found = {}
        for d, terms in self.by_degree.items():
            sums = zip(*([abs(x) * n for x in c] for n, c in ((self.ways(monomial), c) for monomial, c in terms)))
            found[d] = list(map(sum, sums))
        return found

    @cached_property
    def size(self):
        return [sum(column) for column in zip([0] * len(self.rest), *self.sizes.values())]

    def divided(self, by):
        rest, terms = [-(-x // by) for x in self.rest], []
        for monomial, c in self.terms.items():
            terms.append((monomial, [x // by for x in c]))
            if any(x % by for x in c):
                ways = self.ways(monomial)
                rest = [r + ways if x % by else r for r, x in zip(rest, c)]
        return Enclosure(terms, rest, self.keys)

    def plus(self, other, sign=1):
        more = other.terms.items() if sign == 1 else ((m, [-x for x in c]) for m, c in other.terms.items())
        rest = list(map(add, self.rest, other.rest))
        return Enclosure(itertools.chain(self.terms.items(), more), rest, max(self.keys, other.keys))

    def mapped(self, weights):
        """The map (W, b, D) of an `Affine`."""
        rows, offsets, by = weights
        columns = list(zip(*self.terms.values())) or [[0]] * len(self.rest)
        products = zip(*matrix_product(rows, columns))
        terms = itertools.chain(zip(self.terms, map(list, products)), [(CONSTANT, [x << STACK_BITS for x in offsets])])
        rest = [sum(abs(w) * r for w, r in zip(row, self.rest)) for row in rows]
        return Enclosure(terms, rest, self.keys).divided(by)

    def scaled(self, factor, by=1):
        """The map (factor, 0, by)."""
        terms = ((monomial, [factor * x for x in c]) for monomial, c in self.terms.items())
        return Enclosure(terms, [abs(factor) * r for r in self.rest], self.keys).divided(by)

    def coordinate(self, r):
        return Enclosure(((monomial, [c[r]]) for monomial, c in self.terms.items()), [self.rest[r]], self.keys)

    def extended(self, constant):
        """(x, constant)."""
        terms = [(monomial, c + [0]) for monomial, c in self.terms.items()]
        return Enclosure(terms + [(CONSTANT, [0] * len(self.rest) + [constant])], self.rest + [0], self.keys)

    def product(self, other, degree, of):
        """The product up to a degree, `of` being how two lists of coordinates are multiplied."""
        parts = [of(self.rest, other.rest), of(self.size, other.rest), of(self.rest, other.size)]
        pairs = list(itertools.product(self.by_degree, other.by_degree))
        parts += [of(self.sizes[d], other.sizes[e]) for d, e in pairs if d + e > degree]
        terms = (((own, *of_keys), value) for d, e in pairs if d + e <= degree
                 for (m, c), (m2, c2) in itertools.product(self.by_degree[d], other.by_degree[e])
                 for own, value in [(joint(m[0], m2[0]), of(c, c2))] for of_keys in joint_keys(m[1:], m2[1:]))
        rest = [sum(column) for column in zip(*parts)]
        return Enclosure(terms, rest, max(self.keys, other.keys)).divided(1 << STACK_BITS)

    def times(self, other, degree):
        return self.product(other, degree, lambda left, right: [left[0] * x for x in right])

    def as_key(self):
        """The same, own noise being a key's."""
        return Enclosure(((((), own, others), c) for (own, _, others), c in self.terms.items()), self.rest, self.keys)

    def seen_from_key(self):
        """The same where one of the K keys is the key."""
        terms = list(self.terms.items())
        for (own, _, others), c in self.terms.items():
            terms += [((own, other, others[:k] + others[k + 1:]), c) for k, other in enumerate(others)]
        return Enclosure(terms, self.rest, self.keys - 1)

    def over_keys(self, count):
        """The sum over so many keys, which is about them as others."""
        terms = []
        for (own, key, others), c in self.terms.items():
            factor = 1 if key else count - len(others)
            others = tuple(sorted(others + (key,))) if key else others
            terms.append(((own, (), others), [factor * x for x in c]))
        return Enclosure(terms, [count * r for r in self.rest], count)

    def as_one(self, count, shift):
        """So many keys, of one class, as one among the others, whose letters are told from those of other classes."""
        terms = (((own, (), (tuple(k + shift for k in key),) if key else ()), [count * x for x in c])
                 for (own, key, _), c in self.terms.items())
        return Enclosure(terms, [count * r for r in self.rest], 1)

    def without_others(self):
        rest, terms = self.rest, []
        for monomial, c in self.terms.items():
            if monomial[2]:
                ways = self.ways(monomial)
                rest = [r + abs(x) * ways for r, x in zip(rest, c)]
            else:
                terms.append((monomial, c))
        return Enclosure(terms, rest)

    def widened(self, other):
        reach = map(add, other.rest, other.plus(self, -1).size)
        return Enclosure(self.terms.items(), list(map(max, self.rest, reach)), self.keys)

    def without_rest(self):
        return Enclosure(self.terms.items(), [0] * len(self.rest), self.keys)

    def substituted(self, letters, degree):
        """All letters of a layer and class, as far as there is room, replaced by their definitions."""
        speaks, result, defined = any(key for _, key, _ in self.terms), self, {letter.number for letter in letters}
        for letter in sorted(letters):
            while True:
                kept, found = [], []
                for monomial, c in result.terms.items():
                    numbers = list(itertools.chain(*monomial[:2], *monomial[2]))
                    fits = len(numbers) + sum(k in defined for k in numbers) <= degree
                    less = fits and without_letter(monomial, letter.number, letter.of_key, speaks)
                    (found if less else kept).append((less or monomial, c))
                if not found:
                    break
                summed = letter.of_key and not speaks
                part = Enclosure(found, [0] * len(self.rest), result.keys - summed)
                part = letter.definition.times(part, degree)
                part = part.over_keys(result.keys) if summed else part
                result = Enclosure(kept, result.rest, result.keys).plus(part)
        return result

    def range(self, r, is_loss=False):
        """The range of a coordinate; groups of a loss are joined."""
        kept, low, high = {}, -self.rest[r], self.rest[r]
        for monomial, c in self.terms.items():
            if not (total := c[r] * self.ways(monomial)):
                continue
            odd = multilinear(monomial, is_loss)
            if odd == CONSTANT != monomial:
                low, high = low + min(0, total), high + max(0, total)
                continue
            if odd != monomial:
                half = total >> 1
                reach = max(abs(half), abs(total - half))
                total, low, high = half, low - reach, high + reach
            kept[odd] = kept.get(odd, 0) + total
        least, most = kept_range(kept, self.keys, r if is_loss else None)
        return least + low, most + high


def kept_range(kept, keys, r):
    """The range of a polynomial of no powers, totals by monomial, as far as it is walked; of coordinate r of a loss."""
    alone, groups = sum(map(abs, kept.values())), {((), ()): {}}
    if (keys + 1) * alone >= MAX_WALKED_REACH:
        return -alone, alone
    for (own, key, others), total in kept.items():
        groups.setdefault((key, others), {})[own] = total
    joined = {others for key, others in groups if r is not None and is_joined(key, others)}
    groups = {name: group for name, group in groups.items() if not any(name) or name[1] in joined
              or (len(group) > 1 and len(name[0]) + sum(map(len, name[1])) <= 3)}
    first = groups.pop(((), ()))
    letters = {k for own in first if len(own) > 1 for k in own}.union(*itertools.chain(*groups.values()))
    letters = sorted(letters)[:MAX_WALKED]
    first, *walked = [{own: x for own, x in group.items() if set(own) <= set(letters)}
                      for group in (first, *groups.values())]
    alone -= sum(abs(x) for group in (first, *walked) for x in group.values())
    groups = dict(zip(groups, walked))
    values, reach = corners(first, letters), [0] * (1 << len(letters))
    for (_, others), group in groups.items():
        if others not in joined:
            reach = list(map(add, reach, map(abs, corners(group, letters))))
    low, high = list(map(sub, values, reach)), list(map(add, values, reach))
    if joined:
        return joined_range({others: groups[(), others] for others in joined}, letters, keys, r, low, high, alone)
    return min(low) - alone, max(high) + alone


def joined_range(groups, letters, keys, r, low, high, alone):
    """The range of what lies between low and high at the corners, and of the joined groups by their others.

    All numbers here are in units of 1 / (8 k).
    """
    k = max(1, keys - 1)
    low, high = [8 * k * x for x in low], [8 * k * x for x in high]
    names = sorted({r}.union(*itertools.chain(*groups)))  # with r: what is alone beside a key's letter counts there
    apart, of_mean = [], []  # pairs without r; of those with r, which share its mean over the keys, the other letter
    for l, m in itertools.combinations_with_replacement(names, 2):
        found = [groups.get(others, {}) for others in (((m if l == r else l,),), ((l, m),), ((l,), (m,)))]
        found = found if r in (l, m) else [{}] + found[1:]
        if not any(found):
            continue
        a, p, b = (corners(group, letters if any(map(any, found)) else []) for group in found)
        a, p, b = [k * x for x in a], [k * x - y for x, y in zip(p, b)], [keys * x for x in b]
        if r in (l, m):
            of_mean.append((m if l == r else l, a, p, b))
        elif l == m:
            low = spread(low, [8 * min(0, x, x + y) for x, y in zip(p, b)])
            high = spread(high, [8 * max(0, x, x + y) for x, y in zip(p, b)])
        else:
            apart.append((l, m, [abs(x) for x in p], [abs(x + y) for x, y in zip(p, b)]))
    none, beside = [0] * len(low), [m for m in names if m != r]
    each, covariance, product = none, dict.fromkeys(beside, none), dict.fromkeys(beside, none)
    for l, m, p, b in apart:
        each = spread(each, [8 * max(x, y) for x, y in zip(p, b)])
        for of in (l, m):
            covariance[of] = spread(covariance[of], [4 * x for x in p])
            product[of] = spread(product[of], [4 * x for x in b])
    found = ([], []), ([], [])  # lower and upper ends for every corner of the means: pair by pair, letter by letter
    for t, w, z in CORNERS:
        least, most, by_pair, by_letter, slope = low, high, each, none, dict.fromkeys(beside, none)
        for m, *abp in of_mean:
            abp = [(z * x, y, q) for x, y, q in zip(*abp)]
            if m == r:
                least = spread(least, [2 * (t * x + w * q + min(4 * y, w * y)) for x, y, q in abp])
                most = spread(most, [2 * (t * x + w * q + max(4 * y, w * y)) for x, y, q in abp])
            else:
                by_pair = spread(by_pair, [abs(4 * (x + y) + t * (x + y + q) + w * q)
                                           + abs(4 * (x - y) + t * (q + y - x) - w * q) for x, y, q in abp])
                by_letter = spread(by_letter, [8 * abs(y) for _, y, _ in abp])
                slope[m] = spread(slope[m], [abs(8 * x + 2 * t * q) for x, _, q in abp])
        for m in beside:
            by_letter = spread(by_letter, list(map(most_of_letter, slope[m], covariance[m], product[m])))
        for (lower, upper), reach in zip(found, (by_pair, by_letter)):
            lower.append(spread(least, reach, -1))
            upper.append(spread(most, reach))
    least = min(map(max, *(map(min, *lower) for lower, _ in found)))
    most = max(map(min, *(map(max, *upper) for _, upper in found)))
    return least // (8 * k) - alone, -(-most // (8 * k)) + alone


def most_of_letter(a, s, e):
    """At least a x + s (1 - x^2) + e x^2 for all x in [0,1]."""
    return max(s - (-a // 4), (s + e) // 2 + a - a // 4, a + e)


def spread(values, more, sign=1):
    """The values plus sign times more, a list as long or of one number."""
    if len(more) == 1:
        return [x + sign * more[0] for x in values]
    return list(map(add if sign == 1 else sub, values, more))


def corners(terms, letters):
    """The values at all u in {-1,1}^letters of a polynomial of no powers, the last letter's sign the slowest."""
    if not any(terms):
        return [terms.get((), 0)] * (1 << len(letters))
    *before, letter = letters
    values = corners({own: c for own, c in terms.items() if own[-1:] != (letter,)}, before)
    tilt = {own[:-1]: c for own, c in terms.items() if own[-1:] == (letter,)}
    if not tilt:
        return values + values
    tilt = corners(tilt, before)
    return list(map(sub, values, tilt)) + list(map(add, values, tilt))


def interval(ends):
    """The enclosure of intervals, one for each coordinate."""
    middles = [(low + high) >> 1 for low, high in ends]
    return Enclosure([(CONSTANT, middles)], [high - middle for (_, high), middle in zip(ends, middles)])


def constant(x):
    """One coordinate, a number."""
    return Enclosure([(CONSTANT, [x])], [0])


def powers(letter, of_key, coefficients, rest):
    """The sum of coefficient times letter^m, m = 0, 1, .."""
    product = lambda m: ((), (letter,) * m, ()) if of_key else ((letter,) * m, (), ())
    return Enclosure(((product(m), [x]) for m, x in enumerate(coefficients)), [rest])


def logistic_derivatives(low, high, last):
    """[a_m, b_m] of the page for m = 0..last."""
    unit, found = 1 << STACK_BITS, [(low, high)]
    both = lambda x, y: [a * b for a in x for b in y]
    for m in range(last):
        factor = (unit - high, unit - low) if m == 0 else (unit - 2 * high, unit - 2 * low)
        ends = both(found[m], factor)
        parts = [both(found[i], found[m - i]) for i in range(1, m)]
        least, most = min(ends) - sum(map(max, parts)), max(ends) - sum(map(min, parts))
        found.append((least // ((m + 1) * unit), -(-most // ((m + 1) * unit))))
    return found


def logistic_kernel(letter, of_key, low, high, degree):
    """The logistic function of what lies between low and high, in its letter."""
    c, ends = (low + high) >> 1, logistic_ends(low, high, STACK_BITS)
    r = max(1, high - c)
    if r > 2 << STACK_BITS:
        return interval([ends])
    coefficients, rest = [], 0
    for m, (a, b) in enumerate(logistic_derivatives(*logistic_ends(c, c, STACK_BITS), degree)):
        middle = (a + b) >> 1
        coefficients.append(middle * r**m >> m * STACK_BITS)
        rest += 1 - (-(b - middle) * r**m >> m * STACK_BITS)
    a, b = logistic_derivatives(*ends, degree + 1)[-1]
    return powers(letter, of_key, coefficients,
                  rest - (-max(-a, b) * r**(degree + 1) >> (degree + 1) * STACK_BITS))


def token(flag, box, keys=0):
    """The token of a flag, all its noise being its own: the map (E X, 0, E) of the unit token."""
    n = box.C + 1
    rows = [(CONSTANT, flag % n)] + [(((r,), (), ()), r) for r in range(2, box.C) if flag != B]
    whole = lambda r, g: integer_over(box.unit, box.x(r, g)) << STACK_BITS
    return Enclosure(((m, [whole(r, g) for r in range(n)]) for m, g in rows), [0] * n, keys).divided(box.unit)
