"""CHECKPOINT_RULES.md, section 4.12: rule `row`."""

from collections import namedtuple
from fractions import Fraction

from ..envelope import fields, integer, rational
from ..refusal import require
from .kernels import exp_down, exp_up, kernel_end
from .model import B, CONVEX, T
from .notation import View
from .obligations import Form, ONE, Obligation, ZERO
from .ranges import KEYS, NULL
from .softmax_floor import anything, sum_of_exp

MAX_ROWS = MAX_CELLS = 64
SLOPE_BITS, RATE_BITS, SHARE_BITS = 32, 20, 32


def rounded_to(bits, x, up):
    """The least multiple of 2^-bits that is at least x (`up`), or the largest that is at most x."""
    y = (-x if up else x) * (1 << bits)
    return Fraction(-(y // 1) if up else y // 1, 1 << bits)


def points(x, y, cells):
    """The points of an interval: its ends and the intersections of the parabola's tangents."""
    t = [x + (y - x) * Fraction(i, cells) for i in range(cells + 1)]
    return [(x, x * x)] + [((a + b) / 2, a * b) for a, b in zip(t, t[1:])] + [(y, y * y)]


def noise_mixtures(length, rows, cells):
    """(A, b, p, y, alpha, beta, gamma) of noise coordinates."""
    found = []
    for n in range(2, rows + 1):
        for i in range(n):
            p, b = Fraction(1, n), Fraction(i, n)
            tau, a = 1 - 2 * b, 1 - p - b
            found.append((a, b, p, 1, tau * a, tau * b, tau * p))
    if rows < length - 1:
        low, high = Fraction(1, length - 1), Fraction(1, rows + 1)
        for p, count in ((low, 2 * cells), (high, cells)):
            found += [(1 - p - t, t, p, 1, 1 - p - t - 2 * t * (1 - p) + 2 * w, t - 2 * w, p * (1 - 2 * t))
                      for t, w in points(ZERO, 1 - p, count)]
        found += [(ZERO, t, 1 - t, 1, ZERO, t - 2 * w, 1 - 3 * t + 2 * w) for t, w in points(1 - high, 1 - low, cells)]
    return found + [(b, a, p, -y, -beta, -alpha, -gamma) for a, b, p, y, alpha, beta, gamma in found]


def flag_mixtures(length, rows, cells, r, s):
    """The same of the flag r, -1 for C."""
    shares = [(Fraction(1, n), Fraction(1, n * n)) for n in range(2, rows + 1)]
    if rows < length - 1:
        shares += points(Fraction(1, length - 1), Fraction(1, rows + 1), cells)
    for t, w in shares:
        alpha, gamma = {-1: (1 - 2 * t + w, t - w), T: (t - w, w), B: (ZERO, ZERO)}[r]
        yield 1 - t, ZERO, t, 0, s * alpha, ZERO, s * gamma


# How the kernels of a class of keys are bounded, x its logit: k <= up exp(rise (x - start)), k >= down exp(fall (x - start)).
Slope = namedtuple("Slope", "start up down rise fall")


def kernel_slope(kernel, low, high):
    up, down = kernel_end(kernel, low, True, "kernel"), kernel_end(kernel, low, False, "kernel")
    rise = 1 - down if kernel == "sigmoid" else 1 / (1 + max(ZERO, low))
    ratio = max(ONE, kernel_end(kernel, high, False, "kernel") / up)
    fall = 2 * (ratio - 1) / ((ratio + 1) * (high - low)) if high > low else ZERO
    return Slope(low, up, down, rounded_to(SLOPE_BITS, rise, True), rounded_to(SLOPE_BITS, fall, False))


def inverse_gate(layer, f):
    """The least and the largest of 1/gate, of a query of flag f."""
    if not layer.gates:
        return ONE, ONE
    weights, bias = layer.gates[0]
    middle, reach = bias + weights[f], sum(map(abs, weights[2:-1]))
    return 1 + exp_down(-middle - reach), 1 + exp_up(reach - middle, "gate")


# A class of keys of a mixture: its flag and noise ("own", "query", None), Q_0, lambda or sigma, top, and its weight in
# the sums of exp.
KeyClass = namedtuple("KeyClass", "g noise q_0 rate top weight")


class RowSide:
    """What the obligations of one side have in common."""

    def __init__(self, layer, view, rows, slopes, references, upper, r, s):
        self.view, self.slopes, self.references, self.rows = view, slopes, references, rows
        self.f, self.slot, self.relative = (T if rows == "trigger" else -1), layer.attention.slot, layer.attention.relative
        self.o = view.own(r) if rows == "trigger" else None
        self.gate, self.values = inverse_gate(layer, self.f), {NULL: 0}
        self.values[B], self.values[T], self.values[-1], self.v = view.values(r, s)
        self.split, self.rho = 0, layer.box.x(r, r)
        self.eta = upper - s * view.number(layer.o[r])
        if self.o is not None:
            self.split, self.v[self.o] = s * self.v[self.o], 0  # without the sign: the noise has it
            self.eta += s * layer.box.x(r, view.C)
        self.reach = view.number(sum(map(abs, self.v)))
        self.shift, self.s = (ONE, ZERO), s  # h and h' of the page
        if self.relative and not layer.gates and self.o is not None and self.rho > 0:
            eps = abs(view.number(self.split) / self.rho - 1)
            eps += (abs(view.number(self.values[-1]) - self.eta) + self.reach) / self.rho
            if 2 * eps <= 1:
                self.shift = eps, ONE

    def classes(self, mixture):
        """The positive and the negative classes of keys of a mixture."""
        a, b, p, y, alpha, beta, gamma = mixture
        every = [(-1, "own", a, alpha, 1), (-1, "own", b, beta, -1), (self.f, "query", p, gamma, y), (B, None, p, gamma, 0)]
        every += [(T, "own", p, gamma, 0)] if self.rows == "post" else []
        every += [(NULL, None, p, gamma, 0)] if self.slot else []
        positive, negative = [], []
        for g, noise, share, product, side in every:
            if share == 0:
                continue
            theta, slope = self.rho * product / share + self.eta, self.slopes[g]
            q_0 = self.view.number(self.values[g] + side * self.split) - theta * self.gate[theta < 0]
            top = q_0 + (self.reach if noise else 0)
            if top > 0:
                rate = rounded_to(RATE_BITS, 1 / top, True)
                positive.append(KeyClass(g, noise, q_0, rate, top, share * slope.up / rate))
            elif top < 0 and (self.rows == "trigger" or (g, noise) != (-1, "own")):
                weight = share * slope.down * -top * exp_down(self.references[g])
                negative.append(KeyClass(g, noise, q_0, rounded_to(RATE_BITS, -1 / q_0, False), top, weight))
        return positive, negative

    def add(self, form, share, of, sign):
        """Adds share F (sign 1) or share G (sign -1) of a class of keys."""
        slope, f = self.slopes[of.g], self.f
        rate, steep = share * of.rate, share * (slope.rise if sign > 0 else slope.fall)
        form.number(rate * of.q_0 - sign * steep * slope.start
                    - (share if sign > 0 else rate * of.top - share * self.references[of.g]))
        if of.g is not NULL:
            form.base(sign * steep, f, of.g)
        if self.relative:
            form.base(-sign * steep, f, -1)
        if of.noise == "own":
            form.noise(f, sign * steep, rate, self.v, self.o)
        elif of.noise == "query":
            form.itself(f, sign * steep).affine(rate, (0, self.v))
        if self.o is not None:
            h, others = self.shift
            both, one = ((1 + h) / 2, (1 - h) / 2) if of.g == -1 else (others / 2, -others / 2)
            if both:
                own = self.view.query(f)[self.o]
                form.absolute(ZERO, 0, steep * both, own, self.o).affine(steep * one * self.s, own)

    def obligation(self, mixture, where):
        positive, negative = self.classes(mixture)
        if not positive:
            return Obligation(where, [], anything)
        total = sum(of.weight for of in negative)
        require(total > 0, f"{where}: nothing stands against the positive keys")
        shares = [(of.weight * (1 << SHARE_BITS)) // total for of in negative]
        whole, against = sum(shares), Form(self.view)
        for share, of in zip(shares, negative):
            self.add(against, Fraction(share, whole), of, -1)
        forms = []
        for of in positive:
            forms.append(Form(self.view))
            self.add(forms[-1], ONE, of, 1)
            forms[-1].plus(against)
        holds = sum_of_exp(total * Fraction(whole, 1 << SHARE_BITS), [of.weight for of in positive])
        return Obligation(where, forms, holds)


def row(layer, statement, order, parameters):
    view, rows, length = View(layer, 0, order), statement.rows, layer.length
    given = fields(parameters["references"], ("bos", "null", "trigger"), "references")
    require(layer.attention.slot or given["null"] is None, "references: there is no null slot")
    references = {g: rational(given[name], f"references: {name}") for g, name in ((B, "bos"), (T, "trigger"), (NULL, "null"))
                  if name != "null" or layer.attention.slot} | {-1: ZERO}
    slopes = dict.fromkeys(KEYS, Slope(ZERO, ONE, ONE, ONE, ONE))
    if not layer.attention.relative:
        f = T if rows == "trigger" else -1
        slopes = {g: kernel_slope(layer.attention.kernel, *layer.ranges[0].logits[f, g]) for g in (B, T, -1)}
    one, size = [(Fraction(length - 3), ZERO, ONE, 0, ZERO, ZERO, ZERO)], ()
    if rows == "trigger":
        apart = integer(parameters["rows"], "rows", 1, min(MAX_ROWS, length - 1))
        require(apart != length - 2, "rows is out of range")
        size = length, apart, integer(parameters["cells"], "cells", 1, MAX_CELLS)
        noise = noise_mixtures(*size)
    else:
        require(parameters["rows"] is parameters["cells"] is None, "rows or cells is not null")
    for r, s in layer.sides():
        where, side = f"coordinate {r} sign {s}", RowSide(layer, view, rows, slopes, references, statement.bound, r, s)
        if rows == "pre":
            first = side.values[B] if layer.name in CONVEX else max(0, side.values[B])
            require(view.number(first + s * layer.o[r]) <= statement.bound, f"{where}, row 1: upper is too small")
        mixtures = one
        if rows == "trigger":
            mixtures = noise if side.o is not None else flag_mixtures(*size, -1 if r == view.C else r, s)
        for index, mixture in enumerate(mixtures):
            yield side.obligation(mixture, f"{where}: mixture {index}" if size else where)
