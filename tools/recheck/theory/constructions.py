"""FORMAT.md, section 3.8: rule `construction`."""

from fractions import Fraction

from ..envelope import array, fields, integer, rational, strings
from ..hashes import own_statement
from ..refusal import require

# 3.8 Constructions. Flags are 0 BOS, 1 trigger, 2 content.

FLAGS = ("bos", "trigger", "content")
NORMALISED = ("softmax", "softmax-gated", "softmax-null", "sigmoid-normalised", "elu1-normalised")
POSITIVE = ("softmax", "softmax-gated", "softmax-null", "elu1-normalised", "elu1")
KERNEL_HOLDS = {"relu": lambda k: k >= 0, "linear": lambda k: True, **dict.fromkeys(POSITIVE, lambda k: k > 0),
                **dict.fromkeys(("sigmoid-normalised", "sigmoid"), lambda k: 0 < k < 1)}
MAX_CONSTRUCTION_TEXT = 20000


def three(value, what):
    return [rational(item, what) for item in array(value, what, 3)]


def read_head(value, kind):
    """Section 3.8: kernel[query][key], noise, flags[output][input], gate[query] of one head."""
    gated = kind == "softmax-gated"
    fields(value, ("kernel", "value", "gate") if gated else ("kernel", "value"), "a head")
    kernel = fields(value["kernel"], FLAGS, "kernel")
    kernel = [three(kernel[flag], f"kernel.{flag}") for flag in FLAGS]
    require(all(KERNEL_HOLDS[kind](k) for row in kernel for k in row), f"kernel has an entry {kind} cannot have")
    fields(value["value"], ("noise", "flags"), "value")
    flags = [three(row, "value.flags") for row in array(value["value"]["flags"], "value.flags", 3)]
    gate = [Fraction(1)] * 3
    if gated:
        fields(value["gate"], FLAGS, "gate")
        gate = [rational(value["gate"][flag], f"gate.{flag}") for flag in FLAGS]
        require(all(0 < g < 1 for g in gate), "gate is not between 0 and 1")
    return kernel, rational(value["value"]["noise"], "value.noise"), flags, gate


def construction_rows(length):
    """Section 3.8: (class, i, query's flag, keys of each flag, target share) of all rows."""
    yield None, 1, 0, (1, 0, 0), Fraction(0)
    yield from (("pre", i, 2, (1, 0, i - 1), Fraction(0)) for i in range(2, length))
    yield from (("trigger", i, 1, (1, 1, i - 2), Fraction(1, i - 1)) for i in range(3, length + 1))
    yield from (("post", i, 2, (1, 1, i - 2), Fraction(0)) for i in range(4, length + 1))


def row_figures(kind, heads, i, f, m, t):
    """Section 3.8: the loss of a row, and by head its BOS attention and the inverse of its denominator."""
    p, r, bos, null = [Fraction(0)] * 3, [Fraction(0)] * 3, [], []
    for kernel, noise, flags, gate in heads:
        total = sum(m[e] * kernel[f][e] for e in range(3))
        below = Fraction(max(1, i - 1)) if kind not in NORMALISED else total + 1 if kind == "softmax-null" else total
        w = [k / below for k in kernel[f]]
        bos.append(w[0])
        null.append(1 / below)
        p = [p[e] + gate[f] * w[e] * noise for e in range(3)]
        r = [r[o] + gate[f] * sum(m[e] * w[e] * flags[o][e] for e in range(3)) for o in range(3)]
    loss = max(m[1] * abs(p[1] - t) + m[2] * abs(p[2] - t), abs(r[0]), abs(r[1] - t * m[1]), abs(r[2] - t * m[2]))
    return loss, bos, null


def check_construction(claim, step):
    """Section 3.8."""
    require(type(step["statement"]) is dict, "statement is not an object")
    kind = step["statement"].get("attention")
    require(type(kind) is str and kind in KERNEL_HOLDS, "unknown kind of attention")
    ranges = ("bos_attention", "null_attention") if kind == "softmax-null" else ("bos_attention",)
    statement = own_statement(claim, step, ("length", "attention", "heads", "sup_loss") + ranges)
    length = integer(statement["length"], "length", 3, 256)
    heads = array(statement["heads"], "heads")
    require(1 <= len(heads) <= 64, "there are not 1 to 64 heads")
    characters = sum(map(len, strings(heads)))
    require(characters <= MAX_CONSTRUCTION_TEXT, f"heads has over {MAX_CONSTRUCTION_TEXT} characters of numbers")
    heads = [read_head(head, kind) for head in heads]
    classes = ("pre", "trigger", "post") if length >= 4 else ("pre", "trigger")
    sup_loss, seen = Fraction(0), {name: {row_class: [] for row_class in classes} for name in ranges}
    for row_class, *row in construction_rows(length):
        loss, *values = row_figures(kind, heads, *row)
        sup_loss = max(sup_loss, loss)
        if row_class is not None:
            for name, found in zip(ranges, values):
                seen[name][row_class] += found
    require(rational(statement["sup_loss"], "sup_loss") == sup_loss, "sup_loss is not what the heads give")
    for name in ranges:
        stated = fields(statement[name], classes, name)
        for row_class in classes:
            what, found = f"{name}.{row_class}", seen[name][row_class]
            pair = [rational(item, what) for item in array(stated[row_class], what, 2)]
            require(pair == [min(found), max(found)], f"{what} is not what the heads give")
