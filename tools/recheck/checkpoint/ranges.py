"""CHECKPOINT_RULES.md, section 4.9: ranges of kernels."""

from collections import namedtuple
from fractions import Fraction

from ..envelope import array, fields, rational
from ..refusal import require, within
from .kernels import kernel_end
from .model import B, T
from .notation import View
from .obligations import Form, ONE, Obligation, ZERO, prove_all, read_points

FLAG_NAMES = ("bos", "trigger", "content")  # by B, T and -1, which stands for C in the tables of this section
NULL = None  # the null slot, in the place of a key flag
KEYS = NULL, B, -1, T
CLASS_KEYS = {f"{FLAG_NAMES[f]}_{FLAG_NAMES[g]}": (f, g) for f in (-1, T) for g in (B, -1, T)}
NULL_KEYS = {f"{FLAG_NAMES[f]}_null": (f, NULL) for f in (-1, T)}

# Of one head: `logits` maps (query flag, key flag) to (low, high), `kernels` to (least, greatest); `bos` is that of
# row 1; `gates` maps a flag to the gate's (least, greatest).
HeadRanges = namedtuple("HeadRanges", "logits kernels bos gates")


def check_ranges(layer, value):
    """The ranges of each head, all verified."""
    fields(value, ("order", "heads", "trees"), "ranges", ("points",))
    array(value["heads"], "ranges.heads", len(layer.heads))
    found = []
    with within("ranges"):
        prove_all(layer, value["trees"], range_obligations(layer, value, found), points=read_points(layer, value))
    return found


def range_obligations(layer, value, found):
    """Two for each head and class; puts the heads' ranges into `found`."""
    attention, keys = layer.attention, CLASS_KEYS | (NULL_KEYS if layer.attention.slot else {})
    for h, of_head in enumerate(value["heads"]):
        where = f"head {h}"
        fields(of_head, ("bos", "classes", "gates", "references"), where)
        references = check_references(attention, of_head["references"], f"{where}: references")
        classes = fields(of_head["classes"], tuple(keys), f"{where}: classes")
        view, kernels = View(layer, h, value["order"]), {(-1, NULL): (ZERO, ZERO), (T, NULL): (ZERO, ZERO)}
        logits = {}
        for key, (f, g) in keys.items():
            what = f"{where}: {key}"
            item = fields(classes[key], ("low", "high", "least", "greatest"), what)
            low, high = (rational(item[name], f"{what}: {name}") for name in ("low", "high"))
            yield Obligation(f"{what}: high", [logit_form(view, references[f], f, g, 1)], high)
            yield Obligation(f"{what}: low", [logit_form(view, references[f], f, g, -1)], -low)
            logits[f, g], kernels[f, g] = (low, high), check_kernel(attention.kernel, low, high, item, what)
        logit = ZERO if attention.relative and not attention.slot else view.number(view.head.M[B][B])
        bos = fields(of_head["bos"], ("least", "greatest"), f"{where}: bos")
        found.append(HeadRanges(logits, kernels, check_kernel(attention.kernel, logit, logit, bos, f"{where}: bos"),
                                check_gates(layer, h, of_head["gates"], f"{where}: gates")))


def check_references(attention, value, what):
    """The key flag g of ref(f) = base(f,g) by the query's flag f; None where ref(f) = 0."""
    if not attention.relative:
        require(value is None, f"{what}: the attention is not relative")
        return {-1: None, T: None}
    fields(value, ("content", "trigger"), what)
    flags = {"bos": B, "content": -1}
    require(all(type(x) is str and x in flags for x in value.values()), f"{what}: neither bos nor content")
    return {-1: flags[value["content"]], T: flags[value["trigger"]]}


def logit_form(view, reference, f, g, sign):
    """sign (base(f,g) - ref(f)) + noise."""
    factor, form = Fraction(sign), Form(view)
    if g is not NULL:
        form.base(factor, f, g)
    if reference is not None:
        form.base(-factor, f, reference)
    if (f, g) == (T, T):
        return form.itself(T, factor)
    return form if g in (B, NULL) else form.noise(f)


def check_kernel(kernel, low, high, item, what):
    """(least, greatest), which must enclose the kernel of every logit from low to high."""
    least, greatest = (rational(item[name], f"{what}: {name}") for name in ("least", "greatest"))
    require(kernel_end(kernel, low, False, what) >= least, f"{what}: least is too large")
    require(kernel_end(kernel, high, True, what) <= greatest, f"{what}: greatest is too small")
    require(least <= greatest and (least >= 0 or kernel == "linear"), f"{what}: least is over greatest or negative")
    return least, greatest


def check_gates(layer, h, value, what):
    """The gate's (least, greatest) by the query's flag."""
    if layer.gates is None:
        require(value is None, f"{what}: the head has no gate")
        return {flag: (ONE, ONE) for flag in (B, T, -1)}
    fields(value, FLAG_NAMES, what)
    weights, bias = layer.gates[h]
    gates = {}
    for flag in (B, T, -1):
        name = FLAG_NAMES[flag]
        item = fields(value[name], ("least", "greatest"), f"{what}: {name}")
        centre, reach = bias + weights[flag], 0 if flag == B else sum(map(abs, weights[2:-1]))
        gates[flag] = check_kernel("sigmoid", centre - reach, centre + reach, item, f"{what}: {name}")
    return gates


def row_shapes(layer, rows):
    """(query flag, the least and the greatest number of content keys, triggers among the keys)."""
    flag, least, triggers = {"pre": (-1, 1, 0), "trigger": (T, 1, 1), "post": (-1, 2, 1)}[rows]
    return flag, least, layer.length - 2, triggers
