"""CHECKPOINT_RULES.md, section 4.19: rule `stack`."""

import itertools
from collections import namedtuple
from functools import cached_property
from math import isqrt
from operator import add, mul

from ..arithmetic import matrix_product, scaled, transposed
from ..envelope import integer
from ..refusal import require
from .enclosures import CONSTANT, Enclosure, STACK_BITS, constant, inner_only, interval, logistic_kernel, powers, token
from .forward import exp_ends, logistic_ends, mean_range, slot_ranges, weight_ranges
from .model import B, CLASSES, ROLLOUTS, T

MAX_DEGREE = 6
KINDS_OF_KEYS = 5

# Integer rows, offsets and a divisor: the map (W, b, D). Of a head the query map, the value map, the gate's or None,
# and the ranges of the logits of its null slots.
Affine = namedtuple("Affine", "rows offsets by")
HeadMaps = namedtuple("HeadMaps", "query value gate slots")


def affine(matrix, by):
    """A map of which the last column holds the offsets."""
    return Affine([row[:-1] for row in matrix], [row[-1] for row in matrix], by)


def head_maps(model, layer, h):
    maps, part, scale = layer.maps, model.part(h), model.scale
    q, k, v = ([row + [offset] for row, offset in zip(maps[name].rows[part], maps[name].offsets[part])]
               for name in ("W_Q", "W_K", "W_V"))
    query = scaled(matrix_product(transposed(k), q), scale.numerator)
    value = matrix_product([row[part] for row in maps["W_O"].rows], v)
    gate = [maps["W_G"].rows[h] + [maps["W_G"].offsets[h]]] if "W_G" in maps else None
    return HeadMaps(affine(query, scale.denominator << maps["W_Q"].shift + maps["W_K"].shift),
                    affine(value, 1 << maps["W_V"].shift + maps["W_O"].shift),
                    gate and affine(gate, 1 << maps["W_G"].shift), slot_ranges(layer.slots[h], STACK_BITS))


# A class of rows: the class of properties; the trigger; positions; the classes of keys beside BOS and the row itself;
# how many keys of each kind row i has, BOS and itself among them; are the row's others these keys? Degree and flag.
RowClass = namedtuple("RowClass", "rows trigger positions keys counts shared degree flag")

# What the pass gives for row i of a class: for each head the weights of the null slot and of BOS; of the last layer the
# largest loss of the class's rows so far and, where there is one, the rollout.
StackRow = namedtuple("StackRow", "layer of i weights loss rollout")


def row_classes(length, triggers, degree, row_degree):
    """The classes by name."""
    first, last = triggers
    early, late = lambda i: [1, i - 2, 1], lambda j: lambda i: [1, j - 2, 1, i - j - 1, 1]
    found = {"first": RowClass("pre", None, range(1, 2), [], lambda i: [1], False, 0, B),
             "before": RowClass("pre", None, range(2, last), ["before"], early, False, row_degree, -1)}
    for j in range(first, last + 1):
        keys = ["before", ("trigger", j), ("after", j)]
        found["trigger", j] = RowClass("trigger", j, range(j, j + 1), keys[:1], early, True, degree, T)
        found["after", j] = RowClass("post", j, range(j + 1, length + 1), keys, late(j), False, row_degree, -1)
    return {name: of for name, of in found.items() if of.positions}


# A letter for a logit: its number, its definition and whether it is one of a key's letters.
Letter = namedtuple("Letter", "number definition of_key")


class HeadInClass:
    """One head in a class of rows: of every kind of key, BOS first, the row itself last, the logit and v(x) - v_1."""

    def __init__(self, model, maps, of, keys, values, first_letter):
        self.model, self.of, self.slots, self.last, row = model, of, maps.slots, len(keys) - 1, keys[-1]
        shifted, query = model.name in ("softmax", "softmax-gated"), row.mapped(maps.query)
        self.logits, reference = [], keys[0]
        if of.shared:
            reference = Enclosure([(CONSTANT, keys[1].terms.get(CONSTANT, [0] * model.n))], [0] * model.n)
        for k, x in enumerate(keys):
            x = x.plus(reference, -1).extended(0) if shifted else x.extended(1 << STACK_BITS)
            self.logits.append(self.seen_from(k, query).product(x, max(2, of.degree), inner_only))
        self.ranges, self.products = [logit.range(0) for logit in self.logits], {}
        self.is_relative = model.attention.slot == 0  # are values taken less v_1?
        self.values = [v.plus(values[0], -1) for v in values] if self.is_relative else values
        self.gate, self.first = None, values[0] if self.is_relative else None
        self.letters, self.kernels, self.slot_kernels = [], [], []
        if model.attention.kernel == "exp" and of.degree > 0:
            self.name_logits(first_letter)
        if model.attention.kernel == "sigmoid" and of.degree > 0:
            for k, ends in enumerate(self.ranges):
                self.kernels.append(self.logistic(first_letter + k, 0 < k < self.last, self.logits[k], ends))
        if maps.gate:
            logit = row.mapped(maps.gate)
            ends = logit.range(0)
            self.gate = interval([logistic_ends(*ends, STACK_BITS)])
            if of.degree > 0:
                self.gate = self.logistic(first_letter + KINDS_OF_KEYS, False, logit, ends)
            self.first = self.gate.times(self.first, of.degree) if self.is_relative else None

    def seen_from(self, k, enclosure):
        """What is of the row, as a key of kind k sees it."""
        return enclosure.seen_from_key() if self.of.shared and 0 < k < self.last else enclosure

    def name(self, number, of_key, logit, low, high):
        """Defines the letter of a logit in a range; the range's c and r."""
        c = (low + high) >> 1
        r = max(1, high - c)
        self.letters.append(Letter(number, logit.mapped(Affine([[1 << STACK_BITS]], [-c], r)), of_key))
        return c, r

    def logistic(self, number, of_key, logit, ends):
        self.name(number, of_key, logit, *ends)
        return logistic_kernel(number, of_key, *ends, self.of.degree)

    def name_logits(self, first_letter):
        """Letters for the logits and, by kind of key, its kernel as a polynomial of them."""
        unit, degree = 1 << STACK_BITS, self.of.degree
        centres = [(low + high) >> 1 for low, high in self.ranges]
        radii = [max(1, high - c) for (_, high), c in zip(self.ranges, centres)]
        top = max([high for _, high in self.slots]
                  + [c if r <= unit else high for c, r, (_, high) in zip(centres, radii, self.ranges)])
        self.slot_kernels = [interval([exp_ends(low - top, high - top, STACK_BITS)]) for low, high in self.slots]
        for k, (low, high) in enumerate(self.ranges):
            of_key, number = 0 < k < self.last, first_letter + k
            if radii[k] > unit:
                self.kernels.append(interval([exp_ends(low - top, high - top, STACK_BITS)]))
                continue
            c, r = self.name(number, of_key, self.logits[k], low, high)
            series = [unit]
            for m in range(1, degree + 2):
                series.append(series[-1] * r // (m << STACK_BITS))
            kernel = powers(number, of_key, series[:-1], 2 * (series[-1] + degree + 2))
            self.kernels.append(interval([exp_ends(c - top, c - top, STACK_BITS)]).times(kernel, degree))

    @cached_property
    def hull(self):
        """What the sum over keys lies in, whatever the weights."""
        ranges = [[value.range(r) for value in self.values] for r in range(self.model.n)]
        return interval([(min(0, *(low for low, _ in of)), max(0, *(high for _, high in of))) for of in ranges])

    def weights(self, counts, ends, others):
        """The weight of a key of each kind: `ends` are its intervals, `others` what is divided by if not normalised."""
        if self.model.attention.kernel in ("relu", "linear"):
            return [self.cut(k).divided(others) for k in range(len(counts))]
        weights, known = [interval([pair]) for pair in ends], enumerate(self.kernels)
        if self.model.attention.slot is None:
            known = [(k, kernel.divided(others)) for k, kernel in known if counts[k]]
        else:
            known = self.quotients(counts)
        for k, weight in known:
            weights[k] = min(weights[k], weight, key=lambda of: of.rest)  # of equal ones the interval
        return weights

    def cut(self, k):
        """The kernel of a logit that is kept, or cut off at 0."""
        (low, high), logit = self.ranges[k], self.logits[k]
        if self.model.attention.kernel == "linear" or low >= 0:
            return logit
        if high <= 0:
            return Enclosure([], [0])
        if high <= -low:
            return interval([(0, high)])
        return logit.mapped(Affine([[high]], [0], high - low)).plus(interval([(0, -(low * high // (high - low)))]))

    def quotients(self, counts):
        """Pairs (kind, its kernel over the sum of all), of the kinds of softmax; none where no bound is found."""
        if not self.kernels:
            return
        total, degree = Enclosure([], [0]), self.of.degree
        for kernel in self.slot_kernels:
            total = total.plus(kernel)
        for k, (kernel, count) in enumerate(zip(self.kernels, counts)):
            if 0 < k < self.last:
                kernel = kernel.over_keys(count)
                kernel = kernel if self.of.shared else kernel.without_others()
            total = total.plus(kernel) if count else total
        centre = total.terms.get(CONSTANT, [0])[0]
        least = 2 * centre - total.size[0] - total.rest[0]
        if min(centre, least) <= 0:
            return
        inverse, two = constant((1 << 2 * STACK_BITS) // centre), constant(2 << STACK_BITS)
        for _ in range(3):
            inverse = inverse.times(two.plus(total.times(inverse, degree), -1), degree).without_rest()
        for k, (kernel, count) in enumerate(zip(self.kernels, counts)):
            if count:
                weight = kernel.times(self.seen_from(k, inverse), degree).without_rest()
                error = weight.times(self.seen_from(k, total), degree).plus(kernel, -1)
                rest = -(-(error.size[0] + error.rest[0] << STACK_BITS) // least)
                yield k, Enclosure(weight.terms.items(), [rest], weight.keys)

    def share(self, k, weight, others):
        """The weight times v(x) - v_1."""
        (low, high), degree = self.ranges[k], self.of.degree
        if self.model.attention.kernel == "relu" and 0 < high <= -low and not self.of.shared:
            if k not in self.products:
                parts = [self.values[k].coordinate(r) for r in range(self.model.n)]
                self.products[k] = interval([(-self.relu_most(k, v.scaled(-1)), self.relu_most(k, v)) for v in parts])
            return self.products[k].divided(others)
        return (self.gate.times(weight, degree) if self.gate else weight).times(self.values[k], degree)

    def relu_most(self, k, v):
        """F(v): at least max(0, logit) v."""
        high, most = self.ranges[k][1], v.range(0)[1]
        if most <= 0:
            return 0
        bound, t = -(-high * most >> STACK_BITS), isqrt((most << 32) // high)
        if self.of.rows == "pre" and t:
            reach = max(0, self.logits[k].scaled(t, 1 << 16).plus(v.scaled(1 << 16, t)).range(0)[1])
            bound = min(bound, -(-reach**2 >> STACK_BITS) // 4 + 1)
        return bound


def stack_output(model, of, i, out, heads, apart=0):
    """(`out` and what the heads add to it in row i; for each head the weights of the null slot and of all keys).

    `apart` is N of the page where classes of keys stay apart, each as one key; else 0.
    """
    counts, seen, others = of.counts(i), [], max(1, i - 1)
    totals = [Enclosure([], [0] * model.n) for _ in counts]
    letters = [letter for head in heads for letter in head.letters]
    for head in heads:
        ranges = itertools.chain(head.slots, *([ends] * count for ends, count in zip(head.ranges, counts)))
        ends = weight_ranges(model.attention, list(ranges), STACK_BITS)
        seen.append(ends)
        of_kinds = [ends[1 + sum(counts[:k])] if count else (0, 0) for k, count in enumerate(counts)]
        weights = head.weights(counts, of_kinds, others)
        out = out.plus(head.first) if head.is_relative else out
        if head.is_relative and 2 * sum(map(mul, counts, (x.rest[0] for x in weights))) > 1 << STACK_BITS:
            out = out.plus(head.gate.times(head.hull, of.degree) if head.gate else head.hull)
            continue
        for k, count in enumerate(counts):
            if count:
                totals[k] = totals[k].plus(head.share(k, weights[k], others))
    for k, (total, count) in enumerate(zip(totals, counts)):
        if 0 < k < len(counts) - 1 and of.shared:
            total = total.over_keys(count)
        elif 0 < k < len(counts) - 1:
            total = total.substituted(letters, of.degree).without_others()
            total = total.as_one(count, k * apart) if apart else total.over_keys(count).without_others()
        out = out.plus(total)
    out = out.substituted(letters, of.degree)
    numbers = itertools.chain(out.rest, *out.terms.values())
    require(all(abs(x) < 1 << 2 * STACK_BITS for x in numbers), "a layer's output is too large")
    return out, seen


def stack_loss(model, of, out, largest):
    """The larger one of `largest` and the loss of these rows."""
    own, wanted = token(of.flag, model.box), Enclosure([], [0] * model.n)
    if of.shared:
        wanted = token(-1, model.box).as_key().over_keys(of.trigger - 2).plus(own).divided(of.trigger - 1)
    wanted = wanted.plus(own) if model.residual else wanted
    error = out.plus(wanted, -1)
    reach = list(map(add, error.size, error.rest))
    for r in sorted(range(model.n), key=reach.__getitem__, reverse=True):
        if reach[r] > largest:
            largest = max(largest, min(reach[r], max(map(abs, error.range(r, is_loss=True)))))
    return largest


def stack_rows(model, triggers, degree, row_degree, last=2):
    """The pass over the whole box: every StackRow, up to this one of the CLASSES."""
    classes, of_head = row_classes(model.length, triggers, degree, row_degree), KINDS_OF_KEYS + 1
    letters = lambda l, rows: model.n + of_head * (3 * l + rows) * model.heads
    classes = {name: of for name, of in classes.items() if of.rows in CLASSES[:last + 1]}
    states = {name: token(of.flag, model.box, of.trigger - 2 if of.shared else 0) for name, of in classes.items()}
    rollouts = {(name, i): (int(i == 1) << STACK_BITS,) * 2 for name, of in classes.items() for i in of.positions}
    losses = {}
    for l, layer in enumerate(model.layers):
        heads, after, of_out = [head_maps(model, layer, h) for h in range(model.heads)], {}, layer.maps["W_O"]
        of_layer = {}
        bias = Enclosure([(CONSTANT, [(x << STACK_BITS) >> of_out.shift for x in of_out.offsets])], [1] * model.n)
        values = {name: [state.mapped(head.value) for head in heads] for name, state in states.items()}
        for name, of in classes.items():
            kinds = [] if name == "first" else ["first", *of.keys]
            keys = [states[kind].as_key() for kind in kinds] + [states[name]]
            of_heads = []
            for h, head in enumerate(heads):
                of_keys = [values[kind][h].as_key() for kind in kinds] + [values[name][h]]
                letter = letters(l, CLASSES.index(of.rows)) + of_head * h
                of_heads.append(HeadInClass(model, head, of, keys, of_keys, letter))
            start, is_last = bias.plus(states[name]) if model.residual else bias, layer is model.layers[-1]
            apart = letters(len(model.layers), 0) if is_last and not of.shared else 0
            for i in of.positions:
                out, weights = stack_output(model, of, i, start, of_heads, apart)
                after[name] = after[name].widened(out) if name in after else out
                if model.has_rollout:
                    known = [rollouts[kind, k] for kind, count in zip(kinds, of.counts(i))
                             for k in classes[kind].positions[:count]] + [rollouts[name, i]]
                    of_layer[name, i] = mean_range(weights[0][1:], known, STACK_BITS)
                loss, rollout = None, of_layer.get((name, i)) if is_last else None
                if is_last:
                    loss = losses[of.rows] = stack_loss(model, of, out, losses.get(of.rows, 0))
                yield StackRow(l, of, i, [of_head[:2] for of_head in weights], loss, rollout)
        states, rollouts = after, of_layer


def check_stack(layer, statement, *degrees):
    degrees = tuple(integer(g, "a degree", 1, MAX_DEGREE) for g in degrees)
    if degrees not in layer.stacks:
        proof = {"rule": "stack", "degree": degrees[0], "row_degree": degrees[1]}
        names = [item["name"].partition(".")[2] for item in layer.properties if item["proof"] == proof]
        last = max(k for k, rows in enumerate(CLASSES) if rows in names)
        layer.stacks[degrees] = list(stack_rows(layer.model, layer.triggers, *degrees, last=last))
    rows, bound = [row for row in layer.stacks[degrees] if row.of.rows == statement.rows], statement.bound
    if statement.family == "sup-loss":
        found = [row.loss for row in rows if row.loss is not None]
    elif statement.family in ROLLOUTS:
        found = [row.rollout[int(statement.family.endswith("ceiling"))] for row in rows if row.i >= 2 and row.rollout]
    else:
        slot, end = int(statement.family.startswith("bos")), 0 if statement.family.endswith("floor") else 1
        rows = [row for row in rows if row.i >= 2 and row.layer in statement.layers]
        found = [row.weights[h][slot][end] for row in rows for h in statement.heads]
    if statement.family.endswith("floor"):
        return require(min(found) >= bound * 2**STACK_BITS, "lower is above the bound of a row")
    require(max(found) <= bound * 2**STACK_BITS, "upper is below the bound of a row")
