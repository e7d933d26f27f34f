"""MOMENT_RULES.md, "A head in a row": a head of softmax attention at one row, over the whole box."""

from collections import namedtuple
from fractions import Fraction
from operator import mul

from ..language.functions import log_ends
from .corners import range_of
from .enclosures import STACK_BITS, logistic_derivatives
from .forward import exp_ends, logistic_end, logistic_ends
from .letters import UNIT, TooCoarse, ceil_shift
from .series import affine, combined, constant, covariance, inner, mapped, plus, scaled, variance

FINE = STACK_BITS - 44  # bits by which the units of 4.4 and 4.6 are finer

# Content keys at a layer: centre + columns z, within `rest`; `numbers` are those of the letters z.
Keys = namedtuple("Keys", "centre columns numbers rest")
# So many of them: the mean of letter a is at most means[a] / 256, that of its square at most (spreads[a] / 256)^2.
Seen = namedtuple("Seen", "keys count means spreads")
# A head's maps, (rows, offsets): the query map, n rows and one for the offset of keys, and the value map.
FixedHead = namedtuple("FixedHead", "query value")
# A group of keys: how many; the mean of a key less BOS; that of a logit less `centre`, from which logits are within
# `radius`; the range of a logit less BOS's; by coordinate the range of a key less BOS.
Group = namedtuple("Group", "count mean logit centre radius key values")


def apply(of, x):
    """A map whose numbers are within a unit of the true ones, of x."""
    rows, offsets = of
    return plus(mapped(rows, x, 1), constant(x.alphabet, offsets, [1] * len(rows)))


def kernel(x):
    """Ends of exp(x), x <= 0, in units of 2^-64."""
    return exp_ends(x << FINE, x << FINE, STACK_BITS)


def log_of(fine):
    """Ends of the logarithm of a number in units of 2^-64."""
    low, high = log_ends(Fraction(fine, 1 << STACK_BITS), STACK_BITS)
    return (low * UNIT).__floor__(), (high * UNIT).__ceil__()


def log_of_sum(groups, end):
    """The end (0 or 1) of the logarithm of the sum of exp of the logits less BOS's."""
    top = max(group.key[end] for group in groups)
    return top + log_of(sum(group.count * kernel(group.key[end] - top)[end] for group in groups))[end]


def all_keys(alphabet, keys, columns, kind):
    return affine(alphabet, keys.centre, columns, [alphabet.code(kind, a) for a in keys.numbers], keys.rest)


def times_256ths(columns, factors):
    """Columns that are multiples of 256, times so many 256ths."""
    return [[x // 256 * factor for x in column] for column, factor in zip(columns, factors)]


def mean_of(alphabet, seen):
    return all_keys(alphabet, seen.keys, times_256ths(seen.keys.columns, seen.means), "mean")


def shares_of(groups):
    """(the shares p, the most |ln| of their quotients by the true ones, the ends of ln sum n exp(centre))."""
    top = max(group.centre for group in groups)
    kernels = [[group.count * x for x in kernel(group.centre - top)] for group in groups]
    least, most = map(sum, zip(*kernels))
    shares = [low * UNIT // least for low, _ in kernels]
    shares[0] += UNIT - sum(shares)
    error = 0
    for share, (low, high) in zip(shares, kernels):
        fewest = low * UNIT // most
        if min(share, fewest) <= 0:
            raise TooCoarse
        apart = max(share - fewest, -(-high * UNIT // least) - share)
        error = max(error, -(-apart * UNIT // min(share, fewest)))
    return shares, error, (top + log_of(least)[0], top + log_of(most)[1])


class Tilt:
    """Of logits d within `radii` of 0, and shares tilted by a part of them, what the page calls rho, P_g, D and Z."""

    def __init__(self, shares, radii):
        self.radii, self.radius = radii, max(radii)
        self.mean, self.square = self.radius, ceil_shift(self.radius**2)
        fall = [kernel(-r)[0] for r in radii]  # exp(-rho_g), from below
        least = sum(map(mul, shares, fall))
        if min(fall) <= 0:
            raise TooCoarse
        self.most = [min(UNIT, -(-(p * UNIT << 2 * STACK_BITS) // (x * least))) for p, x in zip(shares, fall)]
        self.mean = min(self.mean, ceil_shift(sum(map(mul, self.most, radii))))
        self.square = min(self.square, ceil_shift(2 * sum(p * r * r for p, r in zip(self.most, radii)), 88))

    def second_order(self, values):
        """(kappa, the largest N) of a coordinate, given the ranges of the groups' keys."""
        low, high = values[0]
        middle = (low + high) >> 1
        far = [max(b - middle, middle - a) for a, b in values]
        total = self.square * far[0]
        for most, radius, away in zip(self.most[1:], self.radii[1:], far[1:]):
            square = max(self.square, ceil_shift((radius + self.mean)**2))
            total += ceil_shift(most * square) * max(0, away - far[0])
        width = max(b for _, b in values) - min(a for a, _ in values)
        return min(ceil_shift(self.square * width, 45), ceil_shift(total)), max(far)


def logistic_of(x, ends, degree):
    """The logistic function of what lies between these ends."""
    c = (ends[0] + ends[1]) >> 1
    r = max(1, ends[1] - c, c - ends[0])
    middle, whole = (logistic_ends(low << FINE, high << FINE, STACK_BITS) for low, high in ((c, c), ends))
    low, high = logistic_derivatives(*whole, degree + 1)[-1]
    rest = max(abs(low), abs(high)) * r**(degree + 1)
    step, result = plus(x, constant(x.alphabet, [c]), -1), None
    for low, high in reversed(logistic_derivatives(*middle, degree)):
        here = constant(x.alphabet, [low >> FINE], [ceil_shift(high, FINE) - (low >> FINE)])
        result = plus(scaled(result, step, degree), here) if result else here
    return plus(result, constant(x.alphabet, [0], [ceil_shift(rest, FINE + 44 * (degree + 1))]))


def share_of_bos(low, high):
    """Its ends in units of 2^-64, given those of the logarithm of the sum over the other keys."""
    return logistic_end(-high << FINE, False, STACK_BITS), logistic_end(-low << FINE, True, STACK_BITS)


def group_of(count, mean, one, logit, reference, bos):
    """The Group of so many keys, given their mean and one of them. Logits are taken less that of `reference`."""
    low, high = range_of(logit(plus(one, reference, -1)))
    centre, more = (low + high) >> 1, plus(one, bos, -1)
    values = [(m - (reach - abs(m)), m + (reach - abs(m))) for m, reach in zip(more.constants(), more.reach)]
    here = plus(logit(plus(mean, reference, -1)), constant(mean.alphabet, [centre]), -1)
    radius = max(high - centre, centre - low)
    return Group(count, plus(mean, bos, -1), here, centre, radius, range_of(logit(more)), values)


def tilted(head, row, bos, seen, degree, trigger=None):
    """(the mean of all keys but BOS less BOS, of keys with BOS where `others` is None; their share, or None; the ends
    of the share of BOS in units of 2^-64)."""
    alphabet, n = row.alphabet, row.size
    rows, offsets = head.query
    query = apply((rows[:n], offsets[:n]), row)
    logit = lambda key: inner(query, key, max(2, degree))
    reference, groups = constant(alphabet, seen.keys.centre) if seen.count else row, []
    group = lambda count, mean, one: groups.append(group_of(count, mean, one, logit, reference, bos))
    if seen.count:
        one = all_keys(alphabet, seen.keys, seen.keys.columns, "key")
        group(seen.count, mean_of(alphabet, seen), one)
    if trigger:
        group(1, trigger, trigger)
    group(1, row, row)
    of_others = [log_of_sum(groups, end) for end in (0, 1)]
    apart = sum(of_others) < 0
    if not apart:
        group(1, bos, bos)
    shares, loose, log_of_kernels = shares_of(groups)
    if seen.count:
        loose += ceil_shift(sum(x * r for x, r in zip(query.reach, seen.keys.rest)))
    tilt = Tilt(shares, [group.radius for group in groups])
    means, squares = [(of.mean, p) for of, p in zip(groups, shares)], []
    if seen.count > 1 and seen.keys.columns:  # keys without letters are the same
        columns = times_256ths(seen.keys.columns, seen.spreads)
        slopes = mapped(columns, query)
        means.append((covariance(columns, seen.keys.numbers, slopes, degree), shares[0]))
        if apart:
            squares.append((variance(seen.keys.numbers, slopes, degree), shares[0]))
    for g, p in enumerate(shares):
        for h in range(g):
            both, apart_in = ceil_shift(p * shares[h]), plus(groups[g].logit, groups[h].logit, -1)
            means.append((scaled(apart_in, plus(groups[g].mean, groups[h].mean, -1), degree), both, 1))
            if apart:
                squares.append((inner(apart_in, apart_in, degree), both, 1))
    rest = []
    for r in range(n):
        kappa, width = tilt.second_order([of.values[r] for of in groups])
        known = ceil_shift(tilt.radius * seen.keys.rest[r]) if seen.count else 0
        rest.append(ceil_shift(kappa, 1) + ceil_shift(loose * width) + known)
    mean = plus(combined(means), constant(alphabet, [0] * n, rest))
    if not apart:
        return mean, None, share_of_bos(*of_others)
    low, high = log_of_kernels
    around = high - low + loose + ceil_shift(tilt.square * tilt.radius) // 6 + 1
    log = combined([(of.logit, p) for of, p in zip(groups, shares)] + [(x, p >> 1, 1) for x, p, *_ in squares])
    log = plus(plus(log, logit(plus(reference, bos, -1))), constant(alphabet, [low], [around]))
    found = range_of(log)
    ends = max(found[0], of_others[0]), min(found[1], of_others[1])
    return mean, logistic_of(log, ends, degree), share_of_bos(*ends)
