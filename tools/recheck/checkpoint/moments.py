"""MOMENT_RULES.md: rule `moments`, a stack over the whole box by means and covariances of keys."""

from collections import namedtuple

from ..envelope import integer
from ..refusal import Reject, require
from .content_rows import ContentRows
from .corners import range_of
from .enclosures import STACK_BITS
from .letters import MOST_DEGREE, UNIT, Alphabet, TooCoarse, fields_of
from .model import CLASSES, B, T
from .row_keys import C, ContentKeys, ends_of_row, joined, token
from .series import affine, combined, constant, finished, mapped, plus, scaled
from .stack import head_maps
from .tilted_head import FixedHead, Seen, all_keys, apply, mean_of, tilted
from .weighed_head import weighed

LARGE_REST = UNIT >> 10

# What the pass gives for a row: its class; its position; by layer and head the ends of BOS's share; its loss. In units
# of 2^-64 and of 2^-44.
MomentRow = namedtuple("MomentRow", "rows i shares loss")


def fixed(of):
    """(rows, offsets) of an affine map, rounded down to units."""
    return ([[(x << 44) // of.by for x in row] for row in of.rows], [(x << 44) // of.by for x in of.offsets])


class MomentPass:
    """A stack's maps and the rows of BOS at the entrance of each layer, from which every row follows."""

    def __init__(self, model, triggers, degree, row_degree):
        self.model, self.n, self.noise, self.triggers = model, model.n, model.n - 3, triggers
        self.kernel, self.has_shares = model.attention.kernel, model.attention.slot is not None
        self.degree, self.row_degree, self.known, self.rows = degree, row_degree, {}, {}
        self.reached = {}  # by class, position and layer from 1: rows that later ones have as keys
        self.heads = [[FixedHead(fixed(maps.query), fixed(maps.value)) for maps in
                       (head_maps(model, layer, h) for h in range(model.heads))] for layer in model.layers]
        outputs = [layer.maps["W_O"] for layer in model.layers]
        self.biases = [[(x << 44) >> of.shift for x in of.offsets] for of in outputs]
        alphabet = Alphabet(self.noise)
        self.bos = [constant(alphabet, [UNIT * (r == B) for r in range(self.n)])]
        for l, heads in enumerate(self.heads):
            row, parts = self.bos[l], [(self.begin(alphabet, l, self.bos[l]), UNIT)]
            for head in heads:
                parts.append((apply(head.value, row) if self.has_shares else weighed(
                    self.kernel, head, row, None, Seen(None, 0, [], []), degree, None, 1)[0], UNIT))
            self.bos.append(combined(parts))

    def begin(self, alphabet, l, row):
        """The bias of a layer and, with `residual`, its row."""
        bias = constant(alphabet, self.biases[l], [1] * self.n)
        return plus(bias, row) if self.model.residual else bias

    def bos_in(self, alphabet, l):
        """BOS with the letters of another row."""
        return constant(alphabet, self.bos[l].constants(), self.bos[l].rest)

    def content(self, count, triggers=None):
        """The first content keys; `triggers`: those that may see the trigger."""
        if (count, bool(triggers)) not in self.known:
            self.known[count, bool(triggers)] = (ContentRows if self.has_shares else ContentKeys)(self, count, triggers)
        return self.known[count, bool(triggers)]

    def entered(self, rows, i, l):
        """The RowEnds of a row at the entrance of a layer from 1 on."""
        if (rows, i, l) not in self.reached:
            self.row(rows, i)
        return self.reached[rows, i, l]

    def trigger_keys(self, i):
        """The trigger's row as a key of row i at the entrance of each layer, at whatever position before it."""
        positions = range(self.triggers[0], min(self.triggers[1] + 1, i))
        return [token(self.model.box, T)] + [
            joined([[self.entered("trigger", j, l) for j in positions]], self.noise + l * self.n)[0]
            for l in range(1, len(self.heads))]

    def row(self, rows, i):
        """The MomentRow at a position."""
        if (rows, i) not in self.rows:
            self.rows[rows, i] = self.follow(rows, i)
        return self.rows[rows, i]

    def follow(self, rows, i):
        model, alphabet, is_trigger, trigger = self.model, Alphabet(self.noise), rows == "trigger", None
        triggers = self.trigger_keys(i) if rows == "post" else None
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
                trigger = all_keys(alphabet, triggers[l], triggers[l].columns, "trigger")
            if l and (is_trigger or not self.has_shares):
                self.reached[rows, i, l] = ends_of_row(row, self.noise)
            for h, head in enumerate(heads):
                if self.has_shares:
                    mean, others, ends = tilted(head, row, bos, seen, degree, trigger)
                    moved = self.with_letters(scaled(others, mean, degree) if others else mean, l, h)
                    parts += [apply(head.value, bos), mapped(head.value[0], moved, 1)]
                else:
                    added, ends = weighed(self.kernel, head, row, bos, seen, degree, trigger, i - 1)
                    parts.append(self.with_letters(added, l, h))
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
        (first, last), length = self.triggers, self.model.length
        if rows != "pre":
            return [self.row(rows, i) for i in (range(first, last + 1) if rows == "trigger" else range(first + 1, length + 1))]
        start, end = self.bos[0], self.bos[-1]
        row = largest_of(plus(end, start, -1) if self.model.residual else end)
        return [MomentRow(rows, 1, None, row)] + [self.row(rows, i) for i in range(2, last)]


def largest_of(x):
    """What no coordinate exceeds."""
    largest = 0
    for c in sorted(range(x.size), key=x.reach.__getitem__, reverse=True):
        if x.reach[c] > largest:
            largest = max(largest, *map(abs, range_of(x, c)))
    return largest


def proves_moments(layer, statement):
    """Is the rule about such statements?"""
    return ((layer.name == "softmax" or layer.attention.slot is None) and statement.rows in CLASSES
            and statement.family in ("sup-loss", "bos-floor", "bos-ceiling"))


def check_moments(layer, statement, *degrees):
    degrees = tuple(integer(g, "a degree", 1, MOST_DEGREE) for g in degrees)
    passes = layer.stacks
    try:
        if ("moments", degrees) not in passes:
            passes["moments", degrees] = MomentPass(layer.model, layer.triggers, *degrees)
        rows = passes["moments", degrees].found(statement.rows)
    except TooCoarse:
        raise Reject("a number of the pass is 2^12 or more, too large for the rule") from None
    bound = statement.bound
    if statement.family == "sup-loss":
        return require(max(row.loss for row in rows) <= bound * UNIT, "upper is below the bound of a row")
    end = int(statement.family.endswith("ceiling"))
    found = [row.shares[l][h][end] for row in rows if row.shares for l in statement.layers for h in statement.heads]
    if end:
        return require(max(found) <= bound * 2**STACK_BITS, "upper is below the bound of a row")
    require(min(found) >= bound * 2**STACK_BITS, "lower is above the bound of a row")
