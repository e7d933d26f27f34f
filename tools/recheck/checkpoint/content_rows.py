"""MOMENT_RULES.md, "Keys after a layer": what content rows are as keys, where weights are shares."""

from operator import mul, sub

from .corners import range_of
from .enclosures import STACK_BITS
from .forward import logistic_end
from .letters import UNIT, Alphabet, ceil_shift
from .row_keys import C, WHOLE, scales_of, seen_of, token
from .series import affine, combined, constant, inner, mapped, plus
from .tilted_head import FINE, Keys, Seen, all_keys, apply, kernel, log_of

SMALL_SHARE = UNIT >> 7


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
            trigger = all_keys(alphabet, self.triggers[l], self.triggers[l].columns, "trigger")
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
        return seen_of(self.keys[l], self.count, self.scales) if self.count else Seen(None, 0, [], [])
