"""CHECKPOINT_RULES.md, section 4.15: rule `separable-row`."""

from collections import namedtuple
from fractions import Fraction
from math import lcm
from operator import mul

from ..arithmetic import integer_over
from ..envelope import array, rational
from ..refusal import require
from .kernels import kernel_end
from .layer_rules import first_row
from .model import B, T
from .notation import View
from .obligations import Form, ONE, Obligation, ZERO
from .row import rounded_to

MAX_BALANCES = 8
CHORD_BITS = 64

# alpha + beta x is within epsilon of the kernel of every logit x of a class of keys; c is about its middle.
Chord = namedtuple("Chord", "alpha beta epsilon c")


def kernel_chord(kernel, low, high, least, greatest):
    below = above = ZERO  # K and K'
    width = high - low
    if kernel == "relu" and low < 0 < high:
        below = -low * high / width
    elif kernel == "elu1" and low < 0:
        below = min(ONE, greatest) * width**2 / 8
    elif kernel == "sigmoid":
        below = above = min(Fraction(1, 10), greatest, 1 - least) * width**2 / 8
    beta = rounded_to(CHORD_BITS, (greatest - least) / width, False) if width else ZERO
    least = min(kernel_end(kernel, x, False, "kernel") - beta * x for x in (low, high)) - below
    most = max(kernel_end(kernel, x, True, "kernel") - beta * x for x in (low, high)) + above
    alpha = rounded_to(CHORD_BITS, (least + most) / 2, False)
    epsilon = rounded_to(CHORD_BITS, max(most - alpha, alpha - least), True)
    return Chord(alpha, beta, epsilon, rounded_to(CHORD_BITS, alpha + beta * (low + high) / 2, False))


class SeparableRow:
    """The terms of one side: their forms are collected in `forms`, a term names them by their places there.

    A term is a list of (balance, cases), a case of some z is (E, its R's): the term's bound is the least over the
    balances of the largest over the cases of E + max(0, R, R', ..)^2/(4 balance).
    """

    def __init__(self, layer, view, f, chords, r, s):
        self.view, self.f, self.chords, self.s, self.forms = view, f, chords, s, []
        v_b, v_t, v_c, self.v = view.values(r, s)
        self.values, self.targets, self.w, self.s_o, self.o = {B: v_b, T: v_t, -1: v_c}, {T: ZERO, -1: ZERO}, 0, ZERO, None
        self.norm = sum(map(abs, self.v))
        self.n = self.v
        if f == T:
            self.targets = {T: s * layer.box.x(r, T), -1: s * layer.box.x(r, view.C)}
            self.o = view.own(r)
        if self.o is not None:
            self.w, self.s_o = self.v[self.o], s * layer.box.x(r, r)
            self.n = [0 if l == self.o else x for l, x in enumerate(self.v)]

    def form(self):
        """The place of a new form, and that form."""
        self.forms.append(Form(self.view))
        return len(self.forms) - 1, self.forms[-1]

    def score(self, g, z):
        """base(f,g) + z q(f)_o, an affine function."""
        constant, slopes = self.view.base(self.f, g)
        if self.o is None or z == 0:
            return constant, slopes
        more, others = self.view.query(self.f)[self.o]
        return constant + z * more, [x + z * y for x, y in zip(slopes, others)]

    def free_key(self, g, balances):
        view, chord, term = self.view, self.chords and self.chords[g], [(b, []) for b in balances]
        for z in ((0,) if self.o is None else (-1, 0, 1) if chord else (-1, 1)):
            place, e = self.form()
            e.number(-self.targets[g] - self.s_o * z)
            mu, score = self.values[g] + self.w * z, self.score(g, z)
            if chord:
                factor = chord.beta * view.number(mu)  # mu X + sum' |mu Q_l + c n_l| + q + norm
                e.weight(chord.alpha, mu).affine(factor, score).noise(self.f, factor, chord.c, self.n, self.o)
                if self.o is not None and z == 0:
                    e.absolute(ZERO, 0, chord.beta * view.number(self.w), view.query(self.f)[self.o], self.o)
                e.weight(chord.epsilon, abs(self.values[g]) + self.norm)
            for b, cases in term:
                where, form = self.form()
                if chord:
                    form.absolute(b * (chord.alpha - chord.c), view.scale, b * chord.beta, score)
                    form.noise(self.f, b * chord.beta, ONE, self.n, self.o)
                else:
                    form.affine(b, score).weight(ONE, mu).noise(self.f, b, ONE, self.n, self.o)
                cases.append((place, [where]))
        return term

    def own_key(self, b):
        view, f, chord, cases = self.view, self.f, self.chords and self.chords[self.f], []
        if not chord:
            where, form = self.form()
            form.base(b, f, f).itself(f, b).affine(ONE, (self.values[f], self.v))
            place, e = self.form()
            e.number(-self.targets[f])
            if self.o is not None:
                e.affine(-self.s_o, (0, [view.scale * (l == self.o) for l in range(view.d)]))
            return [(b, [(place, [where])])]
        ends = []
        for sign in (1, -1):
            where, form = self.form()
            form.number(sign * b * (chord.alpha - chord.c)).base(sign * b * chord.beta, f, f)
            form.itself(f, sign * b * chord.beta).affine(Fraction(sign), (0, self.n))
            ends.append(where)
        for z in ((0,) if self.o is None else (-1, 1)):
            place, e = self.form()
            nu = self.values[f] + self.w * z
            factor = chord.beta * view.number(nu)
            e.weight(chord.alpha, nu).base(factor, f, f).itself(f, factor).affine(chord.c, (0, self.n))
            e.weight(chord.epsilon, abs(self.values[f]) + self.norm).number(-self.targets[f] - self.s_o * z)
            cases.append((place, ends))
        return [(b, cases)]

    def bos(self):
        place, e = self.form()
        v_b, chord = self.values[B], self.chords and self.chords[B]
        if chord:
            e.weight(chord.alpha, v_b).base(chord.beta * self.view.number(v_b), self.f, B)
            e.weight(chord.epsilon, abs(v_b))
        else:
            e.base(self.view.number(max(0, v_b)), self.f, B)
        return place


def separable_holds(bos, may_be_negative, sums):
    """Is BOS's E plus, of each of the sums, (terms with factors) at most its limit?"""
    balances = {b for terms, _ in sums for term, _ in terms for b, _ in term}

    def with_units(units):
        # All numbers are integers over unit^2 * square, square a multiple of all 4 b.
        unit, square = lcm(*units), lcm(*((4 * b).numerator for b in balances))
        factors, of_e = [unit // x for x in units], unit * square
        of_r = {b: integer_over(1, square / (4 * b)) for b in balances}
        limits = [limit.numerator * unit * of_e // limit.denominator for _, limit in sums]

        def bound(term, numbers):
            return min(max(numbers[e] * of_e + max(0, *(numbers[r] for r in ends))**2 * of_r[b] for e, ends in cases)
                       for b, cases in term)

        def holds(bounds):
            numbers = list(map(mul, bounds, factors))
            first = (numbers[bos] if may_be_negative else max(0, numbers[bos])) * of_e
            return all(first + sum(count * bound(term, numbers) for term, count in terms if count) <= limit
                       for (terms, _), limit in zip(sums, limits))
        return holds
    return with_units


def separable_row(layer, statement, order, parameters):
    view, rows, chords = View(layer, 0, order), statement.rows, None
    f, t, fewest, most = {"pre": (-1, 0, 1, layer.length - 2), "trigger": (T, 0, 2, layer.length - 1),
                          "post": (-1, 1, 3, layer.length - 1)}[rows]
    if parameters["bound"] == "chord":
        of = layer.ranges[0]
        chords = {g: kernel_chord(layer.attention.kernel, *of.logits[f, g], *of.kernels[f, g]) for g in (B, -1, T)}
    else:
        require(parameters["bound"] == "product" and layer.name == "relu", "bound: no such bound of this kernel")
    require(rows == "post" or parameters["trigger"] is None, "trigger: these rows have no trigger among their free keys")
    lists = {name: array(parameters[name], name, 2 * layer.n) for name in ("content", "own") + ("trigger",) * t}
    if rows == "pre":
        first_row(layer, statement.bound)

    def balance(x, what):
        b = rational(x, what)
        require(b > 0, f"{what}: a balance is not positive")
        return b
    for index, (r, s) in enumerate(layer.sides()):
        where, free, side = f"coordinate {r} sign {s}", {}, SeparableRow(layer, view, f, chords, r, s)
        bos = side.bos()
        for g, name in ((-1, "content"), (T, "trigger"))[:1 + t]:
            given = array(lists[name][index], f"{where}: {name}")
            require(1 <= len(given) <= MAX_BALANCES, f"{where}: {name}: not 1 to {MAX_BALANCES} balances")
            free[g] = side.free_key(g, [balance(x, f"{where}: {name}") for x in given])
        own = [None if x is None and rows != "trigger" else balance(x, f"{where}: own")
               for x in array(lists["own"][index], f"{where}: own", 2)]
        own_terms = [free[-1] if b is None else side.own_key(b) for b in own]
        limit = statement.bound - s * view.number(layer.o[r])
        sums = [([(term, 1), (free.get(T), t), (free[-1], m - 1 - t)], m * limit) for term, m in zip(own_terms, (fewest, most))]
        sums = [([(term, count) for term, count in terms if count], limit) for terms, limit in sums]
        yield Obligation(where, side.forms, separable_holds(bos, chords is not None, sums))
