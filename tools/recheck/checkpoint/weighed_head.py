"""MOMENT_KERNELS.md, "A head in a row": a head whose weights are kernels of logits over the number of other keys."""

from math import isqrt
from operator import mul

from .corners import range_of
from .kernel_lines import kernel_at, line_of
from .letters import LIMIT, UNIT, ceil_shift
from .series import affine, combined, constant, covariance, inner, mapped, plus, scaled
from .tilted_head import all_keys, apply, mean_of, times_256ths


def ends_of(x):
    """By coordinate (least, largest)."""
    if not any(x.terms[2:]):
        return [(m - (reach - abs(m)), m + (reach - abs(m))) for m, reach in zip(x.constants(), x.reach)]
    return [range_of(x, c) for c in range(x.size)]


def relu_most(logit, high, value, most):
    """At least max(0, logit) value, of numbers that are `high` and `most` at most."""
    if most <= 0:
        return 0
    bound, t = ceil_shift(high * most), isqrt((most * UNIT << 44) // high)
    u = UNIT**2 // max(1, t) + 1
    if t and max(t * logit.reach[0], u * value.reach[0]) < LIMIT << 43:
        top = max(0, range_of(combined([(logit, t), (value, u)]))[1])
        bound = min(bound, ceil_shift(top**2, 46))
    return bound


def mean_over(x, seen):
    """The mean over the keys of what is affine in the letters of one."""
    code, rest = x.alphabet.code, list(x.rest)
    of_key = {code("key", a): (code("mean", a), m) for a, m in zip(seen.keys.numbers, seen.means)}
    columns = {}  # by code, which may be that of a letter of the row's own too
    for letter, values in x.vectors[1]:
        mean, factor = of_key.get(letter, (letter, 256))
        columns[mean] = [v * factor // 256 + old for v, old in zip(values, columns.get(mean, [0] * x.size))]
        rest = [r + (v * factor % 256 != 0) for r, v in zip(rest, values)]
    return affine(x.alphabet, x.constants(), columns.values(), columns, rest)


def relu_products(logit, high, values):
    """By coordinate the ends of max(0, logit) value."""
    found = []
    for c, (low, most) in enumerate(ends_of(values)):
        value = mapped([[UNIT * (c == k) for k in range(values.size)]], values)
        found.append((-relu_most(logit, high, combined([(value, -UNIT)]), -low), relu_most(logit, high, value, most)))
    return found


def weighed(kernel, head, row, bos, seen, degree, trigger, others):
    """(what the head adds to a row, the ends of the weight of BOS in units of 2^-64); `bos` is None in its own row."""
    alphabet, n, keys = row.alphabet, row.size, seen.keys
    rows, offsets = head.query
    query, offset = (apply((rows[part], offsets[part]), row) for part in (slice(n), slice(n, None)))
    logit_of = lambda key: plus(inner(query, key, max(2, degree)), offset)
    groups = [(1, x, x) for x in (bos, trigger, row) if x]
    if seen.count:
        groups.append((seen.count, mean_of(alphabet, seen), all_keys(alphabet, keys, keys.columns, "key")))
    total, weight_ends = [], []
    for count, mean, one in groups:
        logit, values, share = logit_of(one), apply(head.value, one), count * UNIT // others
        low, high = range_of(logit)
        weight_ends.append(kernel_at(kernel, low, high))
        if kernel == "relu" and 0 < high <= -low:
            ends = relu_products(logit, high, values)
            middles = [(a + b) >> 1 for a, b in ends]
            product = constant(alphabet, middles, [b - m for (_, b), m in zip(ends, middles)])
            total.append((product, share, 1))
            continue
        is_affine = degree == 1 and one is not mean
        line, of_mean = line_of(kernel, low, high, degree), logit if one is mean or is_affine else logit_of(mean)
        start = constant(alphabet, [line.middle - ceil_shift(line.slope * ((low + high) >> 1))], [1])
        weight = combined([(of_mean, line.slope), (start, UNIT)])
        product = scaled(weight, values if one is mean or is_affine else apply(head.value, mean), degree)
        total.append((mean_over(product, seen) if is_affine else product, share, 1))
        rest = [line.rest * max(map(abs, ends)) for ends in ends_of(values)] if line.rest else [0] * n
        if count > 1 and not is_affine:
            if keys.columns:  # keys without letters are the same
                columns = times_256ths(keys.columns, seen.spreads)
                spread = covariance(columns, keys.numbers, mapped(columns, query), degree)
                total.append((combined([(mapped(head.value[0], spread, 1), line.slope)]), share, 1))
            h, radius = ceil_shift(sum(x * r for x, r in zip(query.reach, keys.rest))), (high - low + 1) >> 1
            for r, of_row in enumerate(head.value[0]):
                t = sum((abs(x) + 1) * e for x, e in zip(of_row, keys.rest))
                s = sum(abs(sum(map(mul, of_row, column))) + sum(map(abs, column)) for column in keys.columns)
                rest[r] += line.slope * ceil_shift(h * s + radius * t) // UNIT + 1
        total.append((constant(alphabet, [0] * n, list(map(ceil_shift, rest))), share, 1))
    first = weight_ends[0]
    return combined(total), (first[0] // others, -(-first[1] // others))
