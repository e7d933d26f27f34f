"""COVER_RULES.md, leaves by product: verdicts about all sequences that sets of ids give, without evaluating each."""

import itertools
from fractions import Fraction
from math import ceil

from ..checkpoint.forward import Balls, Failure, apply_map, exp_ends, logit_ranges
from ..refusal import Reject, require
from .certificate import MAX_WORDS
from .evaluation import embedded, layers_of, logits_of

MAX_SPREAD = 4096  # of a head's scores
ROUNDS, FINE = 100, 34  # of a head's average: how often it is approached, and to how many bits


def check_model(model, length, ids, p):
    """Whether leaves by product may be about the model: attention alone, the last row's logits linear in its heads."""
    layer = model.layers[0]
    require(model.count == 1, "a leaf by product is about one layer")
    require(not layer.inner, "a leaf by product is about a model without an MLP")
    require(model.attention.kernel == "exp" and model.attention.slot is not None and not model.attention.slot
            and not model.attention.own, "a leaf by product is about softmax attention")
    require(not model.after and "final" not in model.norms and not model.out_of,
            "a leaf by product is about a model with only the unembedding after attention")
    require(layer.window is None, "a leaf by product is about a model without a window")
    rows, entries = length * len(ids), model.heads * (model.vocabulary + 4 * model.width) + 4 * model.n
    require((p // 64 + 4) * rows * entries <= MAX_WORDS, "the tables of leaves by product hold too much")


def free_places(positions):
    """Of each position, the place of the free one that its id is from among the free ones."""
    places = list(itertools.accumulate((type(of) is list for of in positions), initial=0))
    return [places[i] if type(of) is list else places[of] for i, of in enumerate(positions)]


def by_target(target, positions, sets):
    """The sequences that lists of ids by free position give, as products of one target each: pairs of it and lists."""
    number = free_places(positions)

    def with_target(lists):
        return target([lists[k][0] for k in number]), lists
    if target.rule in ("maximum", "copy"):
        own = sorted({number[i] for i in target.of})
        for most in sorted(set().union(*(sets[k] for k in own))):
            for first in own:
                lists = [[x for x in of if x <= most - (k < first)] if k in own else of for k, of in enumerate(sets)]
                if most in sets[first]:
                    lists[first] = [most]
                    if all(lists):
                        yield with_target(lists)
        return
    own = set(range(len(sets))) if target.rule == "table" else {number[i] for i in target.of}
    for fixed in itertools.product(*(of if k in own else [None] for k, of in enumerate(sets))):
        yield with_target([of if x is None else [x] for x, of in zip(fixed, sets)])


class Products:
    """Tables of what each id does at each position, and what they show."""

    def __init__(self, model, positions, answers, target, p):
        self.positions, self.answers, self.target, self.p = positions, answers, target, p
        number = free_places(positions)
        self.last_place, self.length = number[-1], len(positions)
        self.ids = sorted({x for of in positions if type(of) is list for a, b in of for x in range(a, b + 1)})
        self.index = {x: k for k, x in enumerate(self.ids)}
        check_model(model, self.length, self.ids, p)
        self.indices = [[i for i, of in enumerate(number) if of == k] for k in range(max(number) + 1)]
        self.heads, self.weights, self.gaps = model.heads, (None, None), {}
        try:
            self.read(model)
        except Failure:
            raise Reject("a number of the pass is too large or its bounds are too wide") from None

    def read(self, model):
        """Queries, keys and values of an id at a position are those of the sequence that repeats it."""
        p, length, rows, radii, heads = self.p, self.length, [], [], []

        def seen(_, balls, own):
            rows.append(balls.rows[-1])  # before a norm
            radii.append(balls.radii[-1])
            heads.append([head for head, in own])
        for x in self.ids:
            layers_of(model, embedded(model, [x] * length, None, p), None, p, length, length - 1, seen)
        output, size = model.layers[0].maps["output"], model.size
        bias = apply_map(output, Balls([[0] * size], [0]), p)
        own = [[x + b for x, b in zip(row, bias.rows[0])] for row in rows]
        self.own = logits_of(model, Balls(own, [r + bias.radii[0] for r in radii]), p)
        none = logits_of(model, Balls([[0] * model.n], [0]), p)  # the biases of what follows
        self.queries, self.keys, self.values = [], [], []
        for h in range(self.heads):
            joined = [Balls([row for of in heads for row in getattr(of[h], part).rows],
                            [r for of in heads for r in getattr(of[h], part).radii]) for part in ("queries", "keys", "values")]
            self.queries.append(joined[0])
            self.keys.append(joined[1])
            wide = [[0] * (h * model.width) + row + [0] * (size - (h + 1) * model.width) for row in joined[2].rows]
            out = apply_map(output, Balls(wide, joined[2].radii), p)
            out = Balls([[x - b for x, b in zip(row, bias.rows[0])] for row in out.rows], [r + bias.radii[0] for r in out.radii])
            logits = logits_of(model, out, p)
            self.values.append(Balls([[x - b for x, b in zip(row, none.rows[0])] for row in logits.rows],
                                     [r + none.radii[0] for r in logits.radii]))

    def weights_of(self, last):
        """Of each head, by row of the tables, the ends of the exponential of its score less the largest."""
        if self.weights[0] == last:
            return self.weights[1]
        found = []
        for queries, keys in zip(self.queries, self.keys):
            k, p = self.index[last], self.p
            query = Balls([queries.rows[k]], [queries.radii[k]])
            (scores,) = logit_ranges(query, keys, [], [range(len(keys.rows))], Fraction(1), p)
            top = max(high for _, high in scores)
            spread = top - min(low for low, _ in scores)
            require(spread <= MAX_SPREAD << p, "scores of a leaf by product are over 4096 apart")
            more = ceil(Fraction(3 * spread, 2 << p))
            found.append([exp_ends(low - top << more, high - top << more, p + more) for low, high in scores])
        self.weights = last, found
        return found

    def gap(self, h, answer, other):
        """By row, from below how much more of one answer's logit than of another's the head adds there."""
        if (h, answer, other) not in self.gaps:
            if len(self.gaps) * len(self.keys[0].rows) > 1 << 22:
                self.gaps.clear()
            self.gaps[h, answer, other] = [row[answer] - row[other] - 2 * r for row, r in zip(*self.values[h])]
        return self.gaps[h, answer, other]

    def least(self, weights, gaps, rows, c):
        """The least sum of weight times (gap - c), from below, and the rows of one that has it."""
        total, found = 0, []
        for by_id in rows:
            sums = [sum((gaps[k] - c) * weights[k][gaps[k] < c] for k in of) for of in by_id]
            total += min(sums)
            found += by_id[sums.index(min(sums))]
        return total, found

    def exceeds(self, last, rows, answer, other):
        weights, k = self.weights_of(last), self.index[last]
        above = self.own.rows[k][answer] - self.own.rows[k][other] - 2 * self.own.radii[k]
        for h in range(self.heads):
            gaps = self.gap(h, answer, other)
            if h == self.heads - 1:
                return self.least(weights[h], gaps, rows, 1 - above)[0] >= 0
            c = 0
            total, used = self.least(weights[h], gaps, rows, c)
            for tried in range(ROUNDS):  # the average of the rows used is at least the least one: c comes down to that
                if total >= 0 and tried:
                    break
                own = sum(weights[h][r][0] for r in used)
                if not own:
                    return False
                c += total // own - (1 << max(0, self.p - FINE))
                total, used = self.least(weights[h], gaps, rows, c)
            else:
                return False
            above += c
        return False

    def require_shown(self, verdict, sets, where):
        """Of lists of ids by free position."""
        allowed = set(self.answers)
        for last in sets[self.last_place]:
            own = [[last] if k == self.last_place else of for k, of in enumerate(sets)]
            for x, lists in by_target(self.target, self.positions, own):
                require(x in allowed, f"{where}: the target {x} is not an answer")
                rows = [[[self.index[t] * self.length + i for i in own_indices] for t in ids]
                        for ids, own_indices in zip(lists, self.indices)]
                others = [z for z in self.answers if z != x]
                shown = (all(self.exceeds(last, rows, x, z) for z in others) if verdict == "right" else
                         any(self.exceeds(last, rows, z, x) for z in others))
                require(shown, f"{where}: the sequences with last id {last} are not shown to be {verdict}")
