"""CHECKPOINT_RULES.md, section 4.13: rule `softmax-floor`."""

from math import lcm

from ..arithmetic import integer_over
from ..refusal import require
from .kernels import NO_EXP, exponential
from .model import B, T
from .notation import View
from .obligations import Form, ONE, Obligation


def sum_of_exp(limit, factors):
    """Do factors times exp_up of the leaf bounds add up to at most the limit?"""
    unit = lcm(limit.denominator, *(x.denominator for x in factors))
    whole, factors = integer_over(unit, limit), [integer_over(unit, x) for x in factors]

    def holds(units, bounds):
        found = [exponential(p, q, True) for p, q in zip(bounds, units)]
        require(all(found), NO_EXP)
        shift = max(k for _, k in found)
        return sum(x * up << (shift - k) for x, (up, k) in zip(factors, found)) <= whole << shift
    return lambda units: lambda bounds: holds(units, bounds)


def anything(_):
    """Of an obligation that asks nothing of its leaves."""
    return lambda bounds: True


def softmax_floor(layer, statement, order, parameters):
    family, rows, lower, heads, _ = statement
    f, others = (T, layer.length - 2) if rows == "trigger" else (-1, layer.length - 3)
    for h in heads:
        view, from_bos = View(layer, h, order), family == "bos-floor"
        forms = [Form(view).base(ONE, f, -1).noise(f), Form(view).base(ONE, f, f).itself(f, ONE)]
        if rows == "post":
            forms.append(Form(view).base(ONE, f, T).noise(f))
        if from_bos:
            forms = [form.base(-ONE, f, B) for form in forms]
        if layer.attention.slot:
            forms.append(Form(view).base(-ONE if from_bos else ONE, f, B))
        holds = sum_of_exp(1 - lower, [lower * count for count in (others, 1, 1, 1)[:len(forms)]])
        yield Obligation(f"head {h}", forms, holds if lower > 0 else anything)
