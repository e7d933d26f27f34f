"""CHECKPOINT_RULES.md, section 4.5: forms, trees, points and obligations."""

import itertools
import re
from collections import namedtuple
from fractions import Fraction
from functools import cached_property
from math import lcm
from operator import add, mul, sub

from ..arithmetic import integer_over, scaled, transposed
from ..envelope import array, fields, rational
from ..refusal import require, within
from .notation import ZERO_CODE

MAX_TREE = 4194304
LEAF = r"(?:\[(0|[1-9][0-9]{0,8})\])?0"
TREE, TREE_PART = re.compile(rf"(?:1|{LEAF})++"), re.compile(rf"1|{LEAF}")
ONE, ZERO = Fraction(1), Fraction(0)
MAX_STRINGS, STRING = 8, re.compile("[0-P]+")  # of a point
MOST_MULTIPLIER = 10**100
MOST_GROUPS, LEAST_SHARE_BITS = 7, 20

# A list of forms, and what their leaf bounds must satisfy: a number that the only one is at most, or a function of the
# forms' denominators, whose value says of all bounds, integers over these, whether they do. `where` says which one it
# is.
Obligation = namedtuple("Obligation", "where forms holds")


class Multipliers(namedtuple("Multipliers", "unit keys queries own")):
    """Of one head: alpha, beta and gamma as integers over `unit`, of which the scale of its matrices is a divisor."""

    def in_order(self, order):
        return Multipliers(self.unit, *([numbers[k] for k in order] for numbers in self[1:]))


def check_multipliers(layer, value):
    """The multipliers of each head, all shown."""
    found = []
    for h, item in enumerate(array(value, "multipliers", len(layer.heads))):
        where = f"multipliers of head {h}"
        fields(item, Multipliers._fields[1:], where)
        lists = [[rational(x, f"{where}: {key}") for x in array(item[key], f"{where}: {key}", layer.d)]
                 for key in Multipliers._fields[1:]]
        require(all(x > 0 for x in itertools.chain(*lists)), f"{where}: one is not positive")
        require(all(x.numerator < MOST_MULTIPLIER and MOST_MULTIPLIER % x.denominator == 0 for x in itertools.chain(*lists)),
                f"{where}: one has too large a numerator, or no divisor of 10^100 below it")
        unit = lcm(layer.scale, *(x.denominator for x in itertools.chain(*lists)))
        keys, queries, own = ([integer_over(unit, x) for x in numbers] for numbers in lists)
        block = scaled([row[2:-1] for row in layer.heads[h].M[2:-1]], unit // layer.scale)
        across = transposed(block)
        pairs = [[(x + y) * (k != l) for l, (x, y) in enumerate(zip(*rows))] for k, rows in enumerate(zip(block, across))]
        require(is_shown(bordered(keys, across, queries)), f"{where}: keys with queries are not shown semidefinite")
        require(is_shown(bordered(own, pairs, own)), f"{where}: own are not shown semidefinite")
        found.append(Multipliers(unit, keys, queries, own))
    return found


def bordered(first, block, second):
    """The symmetric matrix of 2 diag(first), block and 2 diag(second)."""
    diagonal = lambda numbers: [[2 * x * (i == j) for j in range(len(numbers))] for i, x in enumerate(numbers)]
    return [*map(add, diagonal(first), block), *map(add, transposed(block), diagonal(second))]


def is_shown(matrix):
    """Is the matrix shown positive semidefinite? Its upper half is eliminated, rounded down by a little more than is lost.

    No matrix with an entry above 2^64 or a diagonal entry that is not positive would be: there it ends, so that numbers
    stay short.
    """
    m, most = len(matrix), max(row[i] for i, row in enumerate(matrix))
    a = [[(x << 64) // most - m * (i == j) for j, x in enumerate(row)] for i, row in enumerate(matrix)]
    if any(abs(x) > 1 << 64 for row in a for x in row):
        return False
    for k, row in enumerate(a):
        if any(a[i][i] <= 0 for i in range(k, m)):
            return False
        for i in range(k + 1, m):
            if x := row[i]:
                a[i][i:] = [old + -x * y // row[k] for old, y in zip(a[i][i:], row[i:])]  # less the quotient by ceil
                a[i][i] -= m
    return True


def read_points(layer, of):
    """The points of `proof` or `ranges`, lists of strings."""
    if "points" not in of:
        return None
    points = array(of["points"], "points")
    require(layer.multipliers or not points, "points need multipliers")
    for point in points:
        require(len(point) <= MAX_STRINGS, f"a point has more than {MAX_STRINGS} strings")
        for string in point:
            require(type(string) is str and len(string) == layer.d, "a point's string does not have d characters")
            require(STRING.fullmatch(string), "a character of a point stands for no number")
    return points


class Form:
    """A form of section 4.5, collected term by term with rational factors, then scaled to integers once."""

    def __init__(self, view):
        self.view, self.affines, self.rows, self.scaled_self = view, [], [], None

    def number(self, x):
        """Adds the number x."""
        return self.weight(x, self.view.scale)

    def affine(self, x, function):
        """Adds x times an affine function (constant, coefficients)."""
        self.affines.append((x, *function))
        return self

    def weight(self, x, w):
        """Adds x times the weight w."""
        return self.affine(x, (w, ()))

    def base(self, x, f, g):
        """Adds x base(f,g)."""
        return self.affine(x, self.view.base(f, g))

    def absolute(self, x, w, y, function, key=None):
        """Adds | x w + y function(u) |, w a weight; of key coordinate `key`, where the function is that query's."""
        self.rows.append((x, w, y, function, key))
        return self

    def noise(self, f, y=ONE, x=ZERO, weights=None, but=None):
        """Adds sum_l | x w_l + y q(f)_l |, the w_l weights, without l = `but`."""
        for l, function in enumerate(self.view.query(f)):
            if l != but:
                self.absolute(x, weights[l] if weights else 0, y, function, l)
        return self

    def plus(self, other):
        """Adds another form, where one of the two has a self."""
        self.affines, self.rows = self.affines + other.affines, self.rows + other.rows
        self.scaled_self = self.scaled_self or other.scaled_self
        return self

    def itself(self, f, x):
        """Adds self(f) scaled by x."""
        self.scaled_self = f, x
        return self

    def integers(self):
        view = self.view
        factors = [x for x, _, _ in self.affines] + [z for x, _, y, _, _ in self.rows for z in (x, y)]
        if self.scaled_self:
            factors.append(self.scaled_self[1])
        unit = lcm(*(x.denominator for x in factors))
        c, a, rows, curve = 0, [0] * view.d, [], 0
        for x, constant, coefficients in self.affines:
            k = integer_over(unit, x)
            c += k * constant
            if coefficients and k:
                a = [old + k * new for old, new in zip(a, coefficients)]
        for x, w, y, (constant, coefficients), key in self.rows:
            k, j = integer_over(unit, x), integer_over(unit, y)
            if j:
                rows.append((k * w + j * constant, j, coefficients, key))
            else:
                c += abs(k * w)
        if self.scaled_self:
            f, x = self.scaled_self
            curve, row = integer_over(unit, x), view.head.M[f]
            a = [old + curve * row[l] for old, l in zip(a, view.noise)]
            c += sum(max(0, curve * z) for z in view.squares)
        return WholeForm(view, unit, c, a, rows, curve)


class WholeForm:
    """A form of integers over `denominator`: c, a; rows (b, j, B over j, key coordinate), and C over `unit`."""

    def __init__(self, view, unit, c, a, rows, curve):
        self.view, self.denominator, self.c, self.a, self.rows, self.curve = view, unit * view.scale, c, a, rows, curve

    def size(self, row):
        """sum_k |B_ik| of a row."""
        _, j, coefficients, key = row
        return abs(j) * (sum(map(abs, coefficients)) if key is None else self.view.column_sizes[key])

    @cached_property
    def tables(self):
        """C S_k,l>k by k, B_i,k by k, and what the free coordinates add at each depth."""
        view, d = self.view, self.view.d
        quadratic = [[self.curve * z for z in pairs] for pairs in view.pairs] if self.curve else [[]] * d
        by_coordinate = [[j * coefficients[k] for _, j, coefficients, _ in self.rows] for k in range(d)]
        free = [0] * (d + 1)
        for k in range(d - 1, -1, -1):
            free[k] = free[k + 1] + sum(map(abs, quadratic[k])) + sum(map(abs, by_coordinate[k]))
        return quadratic, by_coordinate, free

    def free(self, depth):
        """What sums over free coordinates alone come to, the coordinates being free from `depth` on."""
        return self.tables[2][depth] if depth else abs(self.curve) * self.view.size_of_pairs + sum(map(self.size, self.rows))


def grouped(rows):
    """The groups of a form's rows, each by key coordinate, and the rows that stand alone."""
    largest = max((abs(j) for _, j, _, key in rows if key is not None), default=0)
    groups, alone = [], []
    for row in rows:
        _, j, _, key = row
        if key is None or abs(j) << LEAST_SHARE_BITS <= largest:
            alone.append(row)
            continue
        place = sum(key in group for group in groups)
        if place == len(groups):
            groups.append({})
        groups[place][key] = row
    kept = sum(len(group) > 1 for group in groups[:MOST_GROUPS])  # these come first: no group has fewer than the next
    return groups[:kept], alone + [row for group in groups[kept:] for row in group.values()]


class PointForm:
    """What bounds a form by points, as integers over its denominator times `finer`.

    16 y, 16 x and multipliers over their unit are integers, that unit is `turn` times the denominator of N, and `parts`
    takes Z_g = J/count and 1/Z_g to integers. `mean` is the sum of the Z_g; what is linear in y or x is 16ths short.
    """

    def __init__(self, form):
        self.form, self.known, weights = form, {}, form.view.multipliers
        self.turn, (groups, alone) = weights.unit // form.view.scale, grouped(form.rows)
        totals = [sum(abs(row[1]) for row in group.values()) for group in groups]
        self.parts = lcm(*totals, *map(len, groups))
        linear = 16 * self.turn * self.parts
        self.finer, self.a = 16 * linear, [linear * x for x in form.a]
        self.constant = self.finer * (form.c + sum(abs(row[0]) + form.size(row) for row in alone))
        self.mean, self.groups = sum(J * self.parts // len(group) for J, group in zip(totals, groups)), []
        for J, group in zip(totals, groups):
            square = len(group) * self.parts // J  # 1/Z
            self.groups.append([(l, linear * b, self.turn * self.parts * j, j * j * square * weights.keys[l])
                                for l, (b, j, _, _) in group.items()])

    def at(self, point):
        """What does not depend on u, and h in 16ths."""
        view, weights, curve, parts = self.form.view, self.form.view.multipliers, self.form.curve, self.parts
        strings = itertools.chain(point, itertools.repeat(chr(ZERO_CODE) * view.d))
        y, back, both, pairs, queries, own = view.query_at(next(strings))
        rest = self.constant + parts * (abs(curve) * own - curve * self.turn * pairs) + self.mean * queries
        h = [a + parts * curve * self.turn * s - 2 * (abs(curve) * parts * gamma + self.mean * beta) * z
             for a, s, gamma, beta, z in zip(self.a, both, weights.own, weights.queries, y)]
        for group, string in zip(self.groups, strings):
            x, image = view.keys_at(string)
            common = sorted(z for _, _, z, _ in group)[len(group) // 2]  # as if all rows had it, then what they have more
            h = [old + common * z for old, z in zip(h, image)]
            more = dict.fromkeys(range(view.d), -common) | {l: z - common for l, _, z, _ in group}
            for l, z in more.items():
                if factor := z * x[l]:
                    h = [old + factor * k for old, k in zip(h, view.columns[l])]
            for l, b, z, square in group:
                w = b + z * back[l] - 2 * square * x[l]
                rest += square * (256 + x[l] * x[l]) - z * x[l] * back[l] + 16 * abs(w)
        return rest, h

    def bound(self, points, number, signs):
        require(number < len(points), "there is no point of a leaf's number")
        if number not in self.known:
            self.known[number] = self.at(points[number])
        rest, h = self.known[number]
        return rest + 16 * (sum(map(mul, signs, h)) + sum(map(abs, h[len(signs):])))


def leaf_bounds(tree, forms, d):
    """Section 4.5: (bounds of the forms, the leaf's number or None, signs of fixed coordinates), leaf after leaf.

    The bounds, those of leaves without number, are integers over each form's denominator. The walk keeps, for each open
    node, its signs, and of each form the constant, the linear coefficients of the free coordinates and the rows' offsets
    with the fixed ones put in.
    """
    require(TREE.fullmatch(tree), "a tree is not a string of 0, 1 and leaves with numbers")
    pending = [((), [(form.c, form.a, [row[0] for row in form.rows]) for form in forms])]
    for part in TREE_PART.finditer(tree):
        require(pending, "a tree's string goes on after the tree")
        signs, states = pending.pop()
        depth = len(signs)
        if part[0] != "1":
            yield [c + sum(map(abs, a)) + sum(map(abs, b)) + form.free(depth)
                   for (c, a, b), form in zip(states, forms)], part[1] and int(part[1]), signs
            continue
        require(depth < d, "a tree splits below the last coordinate")
        low, high = [], []
        for (c, a, b), form in zip(states, forms):
            quadratic, by_coordinate, _ = form.tables
            first, rest, cross, slope = a[0], a[1:], quadratic[depth], by_coordinate[depth]
            low.append((c - first, list(map(sub, rest, cross)) if cross else rest, list(map(sub, b, slope))))
            high.append((c + first, list(map(add, rest, cross)) if cross else rest, list(map(add, b, slope))))
        pending.append((signs + (1,), high))
        pending.append((signs + (-1,), low))
    require(not pending, "a tree's string ends before the tree")


def prove(obligation, tree, d, points=None):
    """Section 4.5: the tree and its points prove the obligation."""
    where, forms, holds = obligation
    numbers = [form.integers() for form in forms]
    with within(where):
        shown, by_points, shown_finer = shown_at(holds, [form.denominator for form in numbers]), None, None
        for leaf, (bounds, number, signs) in enumerate(leaf_bounds(tree, numbers, d)):
            if number is None:
                require(shown(bounds), f"leaf {leaf} is above the bound")
                continue
            require(number < len(points or ()), "there is no point of a leaf's number")
            if by_points is None:
                by_points = [PointForm(form) for form in numbers]
                shown_finer = shown_at(holds, [form.denominator * of.finer for form, of in zip(numbers, by_points)])
            bounds = [min(bound * of.finer, of.bound(points, number + f, signs))
                      for f, (bound, of) in enumerate(zip(bounds, by_points))]
            require(shown_finer(bounds), f"leaf {leaf} is above the bound")


def shown_at(holds, units):
    """Whether bounds over these units satisfy what an obligation asks of them, as a function."""
    if callable(holds):
        return holds(units)
    limit = holds.numerator * units[0] // holds.denominator
    return lambda bounds: bounds[0] <= limit


def prove_all(layer, trees, obligations, points=None):
    """The trees and points prove the obligations, one by one."""
    for tree in array(trees, "trees"):
        require(type(tree) is str and len(tree) <= MAX_TREE, "a tree is not a string of 0, 1 and leaves with numbers")
        obligation = next(obligations, None)
        require(obligation, "trees has more entries than there are obligations")
        prove(obligation, tree, layer.d, points)
    require(next(obligations, None) is None, "trees has fewer entries than there are obligations")
