"""MOMENT_RULES.md, "Range": what polynomials lie between, at the corners of the walked letters."""

import struct
from operator import add

from .letters import MOST_DEGREE, UNIT, ceil_shift, fields_of

WIDTH, LANES = 64, 8  # bits of a value at a corner; groups that are evaluated together
STRIDE, WORD = WIDTH * LANES // 8, struct.Struct("<Q")  # bytes of a corner, of which the first lane holds a sum
IN_BOUND = {"total": 2, "line": 2, "more": 1, "less": 0}  # how often the sums of `Beside` count where t_a is 1
LITTLE, FLAT = UNIT >> 9, UNIT >> 19  # of sums and of groups that are not worth the corners


def groups_of(alphabet, pairs):
    """(the groups: by letters that are not walked, lists of a walked product and twice its coefficients; the terms with
    squares). A square is 1/2, give or take 1/2, of which the middle is in the groups."""
    groups, squares = {}, []
    for code, x in pairs:
        walked, rest, has_squares = alphabet.split(code)
        if has_squares:
            squares.append(x)
        groups.setdefault(rest, []).append((walked, x if has_squares else 2 * x))
    return groups, squares


def at_corners(group, letters, bits):
    """The sum of a group's terms at all corners of so many letters, side by side; a vector has so many bits. A letter
    is 1 in the lower half of its corners, -1 in the upper."""
    if letters == 0 or not group:
        return sum(x for _, x in group)
    half, shift = 1 << letters - 1, bits << letters - 1
    base = at_corners([term for term in group if not term[0] & half], letters - 1, bits)
    slope = at_corners([(walked ^ half, x) for walked, x in group if walked & half], letters - 1, bits)
    return base + slope + (base - slope << shift)


def letters_in(groups):
    return max((walked.bit_length() for group in groups.values() for walked, _ in group), default=0)


def sizes_at_corners(x):
    """By degree, for each coordinate of x the largest sum of |group| at a corner, or of absolute coefficients."""
    result = [list(part) for part in x.sums]
    for d in range(2, MOST_DEGREE + 1):
        large = [c for c, total in enumerate(result[d]) if total > LITTLE]
        if large:
            for c, size in zip(large, largest(x, d, large)):
                result[d][c] = min(result[d][c], size)
    return result


def largest(x, d, coordinates):
    """The largest sum of |group| at a corner, of the terms of a degree, for each of these coordinates."""
    count = len(coordinates)
    narrow = fields_of(count, WIDTH)
    pairs = [(code, narrow.packed([values[c] for c in coordinates])) for code, values in x.vectors[d]]
    groups, squares = groups_of(x.alphabet, pairs)
    everywhere, here, letters = sum(map(narrow.magnitudes, squares)), 0, letters_in(groups)
    wide = fields_of(count << letters, WIDTH)
    for group in groups.values():
        flat = sum(narrow.magnitudes(value) for _, value in group)
        if len(group) == 1 or max(narrow.listed(flat)) < FLAT:
            everywhere += flat
        else:
            here += wide.magnitudes(at_corners(group, letters, WIDTH * count))
    values = wide.listed(here)
    return [ceil_shift(most + max(values[k::count]), 1) for k, most in enumerate(narrow.listed(everywhere))]


def tallest(a, s):
    """At least the largest a t - s t^2 for t between 0 and 1, a >= 0."""
    return a - s if a >= 2 * s else -(-a * a // (4 * s))


class Sums:
    """The sum of |group| at every corner, of groups that are evaluated LANES at a time."""

    def __init__(self, letters):
        self.letters, self.everywhere, self.here, self.waiting = letters, 0, 0, []
        self.wide = fields_of(LANES << letters, WIDTH)

    def add(self, group):
        flat = sum(abs(x) for _, x in group)
        if len(group) == 1 or flat < FLAT:
            self.everywhere += flat
            return
        self.waiting.append(group)
        if len(self.waiting) == LANES:
            self.flush()

    def flush(self):
        terms = {}
        for k, group in enumerate(self.waiting):
            for walked, x in group:
                terms[walked] = terms.get(walked, 0) + (x << WIDTH * k)
        values = at_corners(list(terms.items()), self.letters, WIDTH * LANES)
        self.here, self.waiting = self.here + self.wide.magnitudes(values), []

    def total(self):
        """The sums but for `everywhere`: at each corner LANES fields, the first of which holds it."""
        if self.waiting:
            self.flush()
        found = self.here
        for k in (4, 2, 1):
            found += found >> WIDTH * k
        return found


class Beside:
    """What the groups with letters add to the sum at a corner at most, in half units: a `total` and, for each mean t_a
    of noise letters, `line` |t_a| + (`more` - `less`) t_a^2 / 2."""

    def __init__(self, alphabet, letters):
        self.alphabet, self.letters, self.sums = alphabet, letters, {}

    def into(self, group, *place):
        if place not in self.sums:
            self.sums[place] = Sums(self.letters)
        self.sums[place].add(group)

    def add(self, rest, group):
        meanings, noise = [self.alphabet.meanings[letter] for letter in rest], self.alphabet.noise
        means = [a for kind, a, *_ in meanings if kind == "mean" and a < noise]
        if len(rest) == 1 and meanings[0][0] == "spread" and max(meanings[0][1:]) < noise:
            self.into(group, "total")
            for a in meanings[0][1:]:
                self.into(group, "less", a)
        elif len(means) == len(rest) == 2:
            for a in means:
                self.into(group, "more", a)
        elif means:
            self.into(group, "line", means[-1])
        else:
            self.into(group, "total")

    def close(self):
        """No more groups follow. Then `bounds` are, by corner, at least twice the most of it."""
        self.means = {a for _, *of in self.sums for a in of}
        totals = {place: sums.total() for place, sums in self.sums.items()}
        words = struct.unpack(f"<{LANES << self.letters}Q", self.bytes_of(sum(IN_BOUND[place[0]] * x for place, x in totals.items())))
        plain = sum(IN_BOUND[place[0]] * sums.everywhere for place, sums in self.sums.items())
        self.bounds = [plain + x for x in words[::LANES]]
        self.data = {place: (self.sums[place].everywhere, self.bytes_of(x)) for place, x in totals.items()}

    def bytes_of(self, fields):
        return fields.to_bytes(STRIDE << self.letters, "little")

    def at(self, corner, *place):
        everywhere, data = self.data.get(place, (0, b""))
        return everywhere + (WORD.unpack_from(data, STRIDE * corner)[0] if data else 0)

    def twice(self, corner):
        """Twice the most of it at a corner."""
        result = 2 * self.at(corner, "total")
        for a in self.means:
            result += tallest(2 * self.at(corner, "line", a), self.at(corner, "less", a) - self.at(corner, "more", a))
        return result

    def largest(self, middles):
        """The largest sum of one of these numbers, given by corner, and twice the most of it there."""
        reach, best = list(map(add, middles, self.bounds)), -1 << WIDTH
        for corner in sorted(range(len(reach)), key=reach.__getitem__, reverse=True):
            if reach[corner] <= best:
                break
            best = max(best, middles[corner] + self.twice(corner))
        return best


def range_of(x, c=0):
    """(least, largest) value of coordinate c."""
    pairs = ((code, values[c]) for part in x.vectors for code, values in part if values[c])
    groups, squares = groups_of(x.alphabet, pairs)
    letters, first = letters_in(groups), groups.pop((), [])
    beside = Beside(x.alphabet, letters)
    for rest, group in groups.items():
        beside.add(rest, group)
    beside.close()
    middles = fields_of(1 << letters, WIDTH).listed(2 * at_corners(first, letters, WIDTH))
    open_ends = ceil_shift(sum(map(abs, squares)), 1) + x.rest[c]
    return (-ceil_shift(beside.largest([-m for m in middles]), 2) - open_ends,
            ceil_shift(beside.largest(middles), 2) + open_ends)
