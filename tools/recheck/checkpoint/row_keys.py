"""MOMENT_KERNELS.md, "Rows as keys": what the rows of a layer are as keys of the next one."""

from collections import namedtuple
from math import isqrt

from .corners import range_of
from .letters import UNIT
from .series import finished
from .tilted_head import Keys, Seen

C = -1
WHOLE = 256  # the scales of letters are in these parts
SMALL = UNIT >> 12  # distances up to this are remainders

# A row as a key: by letter of its noise the column, of which nothing else is known to be the row's own; by coordinate
# the range of all else.
RowEnds = namedtuple("RowEnds", "columns ends")


def scales_of(sizes, whole):
    return [min(WHOLE, -(-size * WHOLE // whole)) for size in sizes]


def ends_of_row(row, noise):
    """The RowEnds of a row that keeps so many letters of its noise."""
    fields_of_row, codes = dict(row.vectors[1]), [row.alphabet.code("noise", a) for a in range(noise)]
    columns = [fields_of_row.get(code, [0] * row.size) for code in codes]
    parts = [{code: x for code, x in part.items() if d != 1 or code not in codes} for d, part in enumerate(row.terms)]
    rest = finished(row.alphabet, row.size, parts, row.rest, False)
    return RowEnds(columns, [range_of(rest, c) for c in range(row.size)])


def joined(positions, first):
    """(the Keys that may be any of these rows, given by position; the scales of the letters from number `first` on)."""
    rows = [row for of in positions for row in of]
    size = len(rows[0].ends)
    columns = [[sum(column) // len(rows) // WHOLE * WHOLE for column in zip(*of)] for of in zip(*(row.columns for row in rows))]
    apart = lambda row, r: sum(abs(x[r] - y[r]) for x, y in zip(row.columns, columns))
    own, centre, rest, numbers, scales = [], [], [], list(range(len(columns))), {}
    for r in range(size):
        ends = [[(row.ends[r][0] - apart(row, r), row.ends[r][1] + apart(row, r)) for row in of] for of in positions]
        c = (min(low for of in ends for low, _ in of) + max(high for of in ends for _, high in of)) >> 1
        far = [max(max(high - c, c - low) for low, high in of) for of in ends]
        centre.append(c)
        rest.append(0 if max(far) > SMALL else max(far))
        if max(far) > SMALL:
            whole = -(-max(far) // WHOLE) * WHOLE
            own.append([whole * (r == k) for k in range(size)])
            numbers.append(first + r)
            scales[first + r] = scales_of(far, whole)
    return Keys(centre, columns + own, numbers, rest), scales


class ContentKeys:
    """The first `count` content keys at the entrance of each layer, as the rows of the layer before give them. If
    `after`, the trigger may be anywhere among them."""

    def __init__(self, made, count, after):
        self.made, self.count, self.after, self.keys = made, count, bool(after), [token(made.model.box, C)]
        self.scales = {a: [WHOLE] * count for a in range(made.noise)}

    def rows_at(self, k):
        """Content key number k: class and position of the rows that it may be."""
        first, last = self.made.triggers
        return [("pre", k + 2)] * (k + 2 < last) + [("post", k + 3)] * (self.after and k + 3 > first)

    def seen(self, l):
        if not self.count:
            return Seen(None, 0, [], [])
        while len(self.keys) <= l:
            layer = len(self.keys)
            found = [[self.made.entered(rows, i, layer) for rows, i in self.rows_at(k)] for k in range(self.count)]
            keys, scales = joined(found, self.made.noise + layer * self.made.n)
            self.keys.append(keys)
            self.scales |= scales
        return seen_of(self.keys[l], self.count, self.scales)


def seen_of(keys, count, scales):
    """What a row sees of so many keys, given the scales of each letter at each position."""
    means, spreads = [], []
    for number in keys.numbers:
        means.append(-(-sum(scales[number]) // count))
        square = -(-sum(x * x for x in scales[number]) // count)
        spreads.append(isqrt(square - 1) + 1 if square else 0)
    return Seen(keys, count, means, spreads)


def token(box, flag):
    """A token of a flag, as keys."""
    n, columns = len(box.intervals) + 3, []
    centre, rest = [0] * n, [0] * n
    centre[flag] = UNIT
    for a, (middle, half) in enumerate(zip(box.centres, box.halves)):
        centre[2 + a], x = (middle * UNIT).__floor__(), (half * UNIT).__floor__() // WHOLE * WHOLE
        columns.append([0] * (2 + a) + [x] + [0] * (n - 3 - a))
        rest[2 + a] = int(middle * UNIT != centre[2 + a]) + WHOLE * int(half * UNIT != x)
    return Keys(centre, columns, list(range(n - 3)), rest)
