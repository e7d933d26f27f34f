"""MOMENT_RULES.md: rule `moments`, a stack of softmax attention over the whole box by means and covariances of keys."""

from collections import namedtuple
from math import isqrt
from operator import mul, sub

from ..envelope import integer
from ..refusal import Reject, require
from .corners import range_of
from .enclosures import STACK_BITS
from .forward import logistic_end
from .letters import MOST_DEGREE, UNIT, Alphabet, TooCoarse, ceil_shift, fields_of
from .model import CLASSES, B, T
from .series import affine, combined, constant, finished, inner, mapped, plus, scaled
from .stack import head_maps
from .tilted_head import FINE, FixedHead, Keys, Seen, all_keys, apply, kernel, log_of, mean_of, tilted

C = -1
WHOLE = 256  # the scales of letters are in these parts
SMALL_SHARE, LARGE_REST = UNIT >> 7, UNIT >> 10

# What the pass gives for a row: its class; its position; by layer and head the ends of BOS's share; its loss. In units
# of 2^-64 and of 2^-44.
MomentRow = namedtuple("MomentRow", "rows i shares loss")


def fixed(of):
    """(rows, offsets) of an affine map, rounded down to units."""
    return ([[(x << 44) // of.by for x in row] for row in of.rows], [(x << 44) // of.by for x in of.offsets])


def token(box, flag):
    """A token of a flag, as keys."""
    n, centre, columns, rest = len(box.intervals) + 3, [], [], [0] * (len(box.intervals) + 3)
    centre = [0] * n
    centre[flag] = UNIT
    for a, (middle, half) in enumerate(zip(box.centres, box.halves)):
        centre[2 + a], x = (middle * UNIT).__floor__(), (half * UNIT).__floor__() // WHOLE * WHOLE
        columns.append([0] * (2 + a) + [x] + [0] * (n - 3 - a))
        rest[2 + a] = int(middle * UNIT != centre[2 + a]) + WHOLE * int(half * UNIT != x)
    return Keys(centre, columns, list(range(n - 3)), rest)


def scales_of(sizes, whole):
    return [min(WHOLE, -(-size * WHOLE // whole)) for size in sizes]


class ContentRows:
    """The first `count` content rows, as keys, at the entrance of each layer. They are at positions from 2 on. If
    `triggers` are the trigger's rows as keys at each layer, the trigger may be anywhere among them."""

    def __init__(self, made, count, triggers):
        self.made, self.count, self.triggers, self.positions = made, count, triggers, range(2, count + 2)
        self.scales = [[WHOLE] * count for _ in range(made.noise)]  # by number of a letter and position
        self.keys = [token(made.model.box, C)]
        for l in range(len(made.heads) - 1 if count else 0):
            self.keys.append(self.next_keys(l))

    def shares_of(self, l, head):
        """(by position the ends of a content row's share of keys but BOS, the most of the trigger's share)."""
        alphabet, keys, found = Alphabet(self.made.noise), self.keys[l], []
        names = [alphabet.code("noise" if a < self.made.noise else "own", a) for a in keys.numbers]
        row, bos = affine(alphabet, keys.centre, keys.columns, names, keys.rest), self.made.bos_in(alphabet, l)
        rows, offsets = head.query
        query = apply((rows[:-1], offsets[:-1]), row)
        one = all_keys(alphabet, keys, keys.columns, "key")
        other, own = (range_of(inner(query, plus(key, bos, -1), 2)) for key in (one, row))
        more, share = [], 0
        if self.triggers:
            trigger = all_keys(alphabet, self.triggers[l], self.triggers[l].columns, ("trigger", l))
            more = [range_of(inner(query, plus(trigger, bos, -1), 2))[1]]
            share = ceil_shift(logistic_end(more[0] << FINE, True, STACK_BITS), FINE)
        for i in self.positions:
            ends = []
            for end in (0, 1):
                logits = [own[end]] + more * end + [other[end]] * (i > 2)
                top, counts = max(logits), [1] * (1 + len(more) * end) + [i - 2]
                total = sum(count * kernel(x - top)[end] for count, x in zip(counts, logits))
                ends.append(logistic_end(top + log_of(total)[end] << FINE, bool(end), STACK_BITS))
            found.append((ends[0] >> FINE, ceil_shift(ends[1], FINE)))
        return found, share

    def next_keys(self, l):
        """Content keys after a layer."""
        keys, n, alphabet = self.keys[l], self.made.n, Alphabet(self.made.noise)
        bos, centres = self.made.bos[l], [self.made.begin(alphabet, l, constant(alphabet, keys.centre, keys.rest))]
        columns, numbers, rest = [], [], [0] * n
        if self.made.model.residual:
            columns, numbers = list(keys.columns), list(keys.numbers)

        def add(column, exact_over, sizes, whole, is_small):
            """A column with a new letter, of numbers over `exact_over`."""
            for r, x in enumerate(column):
                rest[r] += -(-abs(x) // exact_over) if is_small else WHOLE
            if not is_small:
                columns.append([x // exact_over // WHOLE * WHOLE for x in column])
                numbers.append(len(self.scales))
                self.scales.append(scales_of(sizes, whole))
        for head in self.made.heads[l]:
            (ends, of_trigger), (rows, _) = self.shares_of(l, head), head.value
            low, high = min(a for a, _ in ends), max(b for _, b in ends)
            middle = sum(map(sum, ends)) // (2 * len(ends))
            apart = [max(b - middle, middle - a) for a, b in ends]
            radius, most = max(1, *apart), max(1, high)
            more = mapped(rows, plus(constant(alphabet, keys.centre), bos, -1), 1)
            centres += [apply(head.value, bos), combined([(more, middle)])]
            add([x * radius for x in more.constants()], UNIT, apart, radius, most <= SMALL_SHARE)
            if self.triggers:  # a share a between 0 and 2 half adds a V (the trigger's row less the centre)
                trigger, half = self.triggers[l], (of_trigger + 1) >> 1
                away = mapped(rows, constant(alphabet, list(map(sub, trigger.centre, keys.centre)), trigger.rest), 1)
                centres.append(combined([(constant(alphabet, away.constants()), half)]))
                add([x * half for x in away.constants()], UNIT, [WHOLE] * self.count, WHOLE, 2 * half <= SMALL_SHARE)
                columns_of = trigger.columns if l else []  # at first its noise is one of those that the mean is of
                for r, row in enumerate(rows):
                    around = away.rest[r] + sum(
                        ceil_shift(abs(sum(map(mul, row, x))) + sum(map(abs, x))) for x in columns_of)
                    rest[r] += ceil_shift(around * 2 * half)
            for r, row in enumerate(rows):  # the keys' remainders, and those of V (c - x_B) times r s
                rest[r] += more.rest[r] + sum(ceil_shift((abs(x) + 1) * y) for x, y in zip(row, keys.rest))
            for column in keys.columns:
                exact = [sum(x * y for x, y in zip(row, column)) * most for row in rows]
                rest = [r + 1 + ceil_shift(sum(map(abs, column))) for r in rest]
                add(exact, UNIT * UNIT, [b for _, b in ends], most, most <= SMALL_SHARE)
        centre = combined([(x, UNIT) for x in centres])
        return Keys(centre.constants(), columns, numbers, [x + y for x, y in zip(rest, centre.rest)])

    def seen(self, l):
        """What a row sees of them."""
        if not self.count:
            return Seen(None, 0, [], [])
        means, spreads = [], []
        for number in self.keys[l].numbers:
            scales = self.scales[number]
            means.append(-(-sum(scales) // self.count))
            square = -(-sum(x * x for x in scales) // self.count)
            spreads.append(isqrt(square - 1) + 1 if square else 0)
        return Seen(self.keys[l], self.count, means, spreads)


class MomentPass:
    """A stack's maps and the rows of BOS at the entrance of each layer, from which every row follows."""

    def __init__(self, model, triggers, degree, row_degree):
        self.model, self.n, self.noise, self.triggers = model, model.n, model.n - 3, triggers
        self.degree, self.row_degree, self.known = degree, row_degree, {}
        self.rows, self.reached = {}, []  # by class; the ranges of the trigger's rows at the entrances of layers from 1
        self.heads = [[FixedHead(fixed(maps.query), fixed(maps.value)) for maps in
                       (head_maps(model, layer, h) for h in range(model.heads))] for layer in model.layers]
        outputs = [layer.maps["W_O"] for layer in model.layers]
        self.biases = [[(x << 44) >> of.shift for x in of.offsets] for of in outputs]
        alphabet = Alphabet(self.noise)
        self.bos = [constant(alphabet, [UNIT * (r == B) for r in range(self.n)])]
        for l, heads in enumerate(self.heads):
            self.bos.append(combined([(x, UNIT) for x in [self.begin(alphabet, l, self.bos[l])]
                                      + [apply(head.value, self.bos[l]) for head in heads]]))

    def begin(self, alphabet, l, row):
        """The bias of a layer and, with `residual`, its row."""
        bias = constant(alphabet, self.biases[l], [1] * self.n)
        return plus(bias, row) if self.model.residual else bias

    def bos_in(self, alphabet, l):
        """BOS with the letters of another row."""
        return constant(alphabet, self.bos[l].constants(), self.bos[l].rest)

    def content(self, count, triggers=None):
        """The first content rows; `triggers`: those that may see the trigger."""
        if (count, bool(triggers)) not in self.known:
            self.known[count, bool(triggers)] = ContentRows(self, count, triggers)
        return self.known[count, bool(triggers)]

    def trigger_keys(self):
        """The trigger's row as a key at the entrance of each layer, at whatever position: its noise, then ranges."""
        self.found("trigger")
        keys = [token(self.model.box, T)]
        for ends in self.reached:
            centre = [(low + high) >> 1 for low, high in ends]
            away = [high - c for (_, high), c in zip(ends, centre)]
            columns = [[x * (r == k) for k in range(self.n)] for r, x in enumerate(away)]
            keys.append(Keys(centre, columns, list(range(self.n)), [0] * self.n))
        return keys

    def row(self, rows, i):
        """The MomentRow at a position."""
        model, alphabet, is_trigger, trigger = self.model, Alphabet(self.noise), rows == "trigger", None
        triggers = self.trigger_keys() if rows == "post" else None
        content = self.content(i - 3, triggers) if triggers else self.content(i - 2)
        degree = self.degree if is_trigger else self.row_degree
        first = token(model.box, T if is_trigger else C)
        noise = [alphabet.code("noise", a) for a in first.numbers]
        start = row = affine(alphabet, first.centre, first.columns, noise, first.rest)
        shares = []
        for l, heads in enumerate(self.heads):
            parts, bos, seen = [self.begin(alphabet, l, row)], self.bos_in(alphabet, l), content.seen(l)
            shares.append([])
            if triggers:
                trigger = all_keys(alphabet, triggers[l], triggers[l].columns, ("trigger", l))
            if is_trigger and l:
                ends = [range_of(row, c) for c in range(self.n)]
                known = self.reached[l - 1] if l <= len(self.reached) else ends
                self.reached[l - 1:l] = [[(min(a, x), max(b, y)) for (a, b), (x, y) in zip(known, ends)]]
            for h, head in enumerate(heads):
                mean, others, ends = tilted(head, row, bos, seen, degree, trigger)
                moved = self.with_letters(scaled(others, mean, degree) if others else mean, l, h)
                parts += [apply(head.value, bos), mapped(head.value[0], moved, 1)]
                shares[l].append(ends)
            row = combined([(x, UNIT) for x in parts])
        wanted = [(row, UNIT)] + [(start, -UNIT)] * model.residual
        if is_trigger:
            wanted.append((mean_of(alphabet, content.seen(0)), -(UNIT * (i - 2) // (i - 1)), 1))
            wanted.append((start, -(UNIT // (i - 1)), 1))
        return MomentRow(rows, i, shares, largest_of(combined(wanted)))

    def with_letters(self, x, l, h):
        """The same where large remainders are letters."""
        parts, rest = [dict(part) for part in x.terms], list(x.rest)
        for c, r in enumerate(x.rest):
            if r > LARGE_REST:
                alone = [r * (c == k) for k in range(self.n)]
                parts[1][x.alphabet.code("rest", l, h, c)] = fields_of(self.n).packed(alone)
                rest[c] = 0
        return finished(x.alphabet, x.size, parts, rest, False)

    def found(self, rows):
        """Every MomentRow of a class."""
        if rows not in self.rows:
            self.rows[rows] = self.follow(rows)
        return self.rows[rows]

    def follow(self, rows):
        if rows == "trigger":
            return [self.row(rows, j) for j in range(self.triggers[0], self.triggers[1] + 1)]
        if rows == "post":
            return [self.row(rows, i) for i in range(self.triggers[0] + 1, self.model.length + 1)]
        start, end = self.bos[0], self.bos[-1]
        first = largest_of(plus(end, start, -1) if self.model.residual else end)
        return [MomentRow(rows, 1, None, first)] + [self.row(rows, i) for i in range(2, self.triggers[1])]


def largest_of(x):
    """What no coordinate exceeds."""
    largest = 0
    for c in sorted(range(x.size), key=x.reach.__getitem__, reverse=True):
        if x.reach[c] > largest:
            largest = max(largest, *map(abs, range_of(x, c)))
    return largest


def proves_moments(layer, statement):
    """Is the rule about such statements?"""
    return (layer.name == "softmax" and statement.rows in CLASSES
            and statement.family in ("sup-loss", "bos-floor", "bos-ceiling"))


def check_moments(layer, statement, *degrees):
    degrees = tuple(integer(g, "a degree", 2, MOST_DEGREE) for g in degrees)
    passes = layer.stacks
    try:
        if ("moments", degrees) not in passes:
            passes["moments", degrees] = MomentPass(layer.model, layer.triggers, *degrees)
        rows = passes["moments", degrees].found(statement.rows)
    except TooCoarse:
        raise Reject("a number of the pass is 2^8 or more, too large for the rule") from None
    bound = statement.bound
    if statement.family == "sup-loss":
        return require(max(row.loss for row in rows) <= bound * UNIT, "upper is below the bound of a row")
    end = int(statement.family.endswith("ceiling"))
    found = [row.shares[l][h][end] for row in rows if row.shares for l in statement.layers for h in statement.heads]
    if end:
        return require(max(found) <= bound * 2**STACK_BITS, "upper is below the bound of a row")
    require(min(found) >= bound * 2**STACK_BITS, "lower is above the bound of a row")
