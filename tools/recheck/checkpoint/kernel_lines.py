"""MOMENT_KERNELS.md: what a kernel leaves of a line, over a range of logits."""

from collections import namedtuple
from fractions import Fraction
from math import isqrt

from ..language.functions import log_ends
from .enclosures import STACK_BITS
from .forward import kernel_range
from .letters import BITS, UNIT, ceil_shift

FINE = STACK_BITS - BITS  # bits by which the units of 4.4 and 4.6 are finer

# |f(x) - middle - slope (x - c)| <= rest for x between two ends, c their middle.
Line = namedtuple("Line", "middle slope rest")


def kernel_at(kernel, low, high):
    """Ends of a kernel between two logits, in units of 2^-64."""
    return kernel_range(kernel, low << FINE, high << FINE, STACK_BITS)


def of_relu(slope):
    return [((0, 0), (0, 0))]


def of_elu1(slope):
    return [(log_ends(slope, STACK_BITS), (slope, slope))] if 0 < slope < 1 else []


def of_sigmoid(slope):
    """f' = f (1 - f), so that f is 1/2 -+ w there, w^2 = 1/4 - slope, and x -+ ln((1/2 + w)/(1/2 - w))."""
    if not 0 < slope < Fraction(1, 4):
        return [((0, 0), (Fraction(1, 2), Fraction(1, 2)))] if slope == Fraction(1, 4) else []
    root, half, found = isqrt(((Fraction(1, 4) - slope) * 4**STACK_BITS).__floor__()), 1 << STACK_BITS - 1, []
    ends = [Fraction(w, 1 << STACK_BITS) for w in (root, root + 1)]
    x = [log_ends(Fraction(half + w, half - w), STACK_BITS)[up] for up, w in enumerate((root, root + 1))]
    found = [(tuple(x), tuple(Fraction(1, 2) + w for w in ends))]
    return found + [((-x[1], -x[0]), tuple(Fraction(1, 2) - w for w in reversed(ends)))]


# Where f(x) - slope x may be largest or least beside the ends of a range: ends of such x and of f there.
TURNS = {"linear": lambda slope: [], "relu": of_relu, "elu1": of_elu1, "sigmoid": of_sigmoid}


def line_of(kernel, low, high, degree):
    """The Line of the slope between the ends, given in units, or at degree 1 the flat one if that leaves about as little."""
    points = [(x, kernel_at(kernel, x, x)) for x in (low, high)]
    rise = points[1][1][0] - points[0][1][0]
    slope = UNIT if high == low else max(0, min(UNIT, (rise << BITS - FINE) // (high - low)))
    chord = line_with(kernel, points, low, high, slope)
    flat = line_with(kernel, points, low, high, 0) if degree == 1 else chord
    return flat if 4 * chord.rest > 3 * flat.rest else chord


def line_with(kernel, points, low, high, slope):
    """The Line of a slope; `points` are the kernel's values at the ends."""
    c = (low + high) >> 1
    found = [(ends[up] << 2 * BITS - STACK_BITS) - slope * (x - c) for x, ends in points for up in (0, 1)]
    for (left, right), (least, most) in TURNS[kernel](Fraction(slope, UNIT)):
        if left * UNIT < high and right * UNIT > low:
            found.append(((least * UNIT - slope * right) * UNIT).__floor__() + slope * c)
            found.append(((most * UNIT - slope * left) * UNIT).__ceil__() + slope * c)
    middle = (min(found) + max(found)) >> BITS + 1
    return Line(middle, slope, ceil_shift(max(max(found) - (middle << BITS), (middle << BITS) - min(found))))
