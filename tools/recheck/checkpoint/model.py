"""CHECKPOINT_RULES.md, section 4.2: the model, kinds of attention and the noise box."""

import itertools
from collections import namedtuple
from fractions import Fraction
from math import lcm
from operator import mul

from ..arithmetic import dyadic, inner, integer_over, matrix_product, over_one_unit, scaled, split, transposed
from ..envelope import array, rational
from ..refusal import require
from ..tensors import finite, tensor_file

MAX_BOX_TEXT = 100  # characters of an end

# The table of section 4.2. `slot` is the number of null slots, None where the weights are not normalised; `own` what
# the kind has beside the maps of all kinds: gates, or a weight for the null slot's logit.
Attention = namedtuple("Attention", "kernel slot relative signed own", defaults=("",))
ATTENTIONS = {
    "softmax": Attention("exp", 0, True, False),
    "softmax-gated": Attention("exp", 0, True, False, "W_G"),
    "sigmoid-normalised": Attention("sigmoid", 0, False, False),
    "elu1-normalised": Attention("elu1", 0, False, False),
    "softmax-null": Attention("exp", 1, True, False),
    "softmax-sink": Attention("exp", 1, True, False, "sinks"),
    "relu": Attention("relu", None, False, False),
    "sigmoid": Attention("sigmoid", None, False, False),
    "elu1": Attention("elu1", None, False, False),
    "linear": Attention("linear", None, False, True),
}
CONVEX = ("softmax", "sigmoid-normalised", "elu1-normalised")  # the weights of a row sum to one

B, T = 0, 1  # the flags of BOS and trigger; the content flag C is n - 1, or -1


class Map:
    """A tensor W and its bias b: integer `rows` and `offsets`, both over 2^shift with the least shift there is."""

    def __init__(self, weight, bias, columns):
        values, scale = dyadic(weight + bias) if bias else dyadic(weight)
        self.rows, self.shift = split(values[:len(weight)], columns), scale.bit_length() - 1
        self.offsets = values[len(weight):] or [0] * len(self.rows)
        self.norm = max(sum(map(abs, row)) for row in self.rows)  # S of section 4.6

    def on_tokens(self):
        """W + b e^T: the flags of a token of the task, coordinates 0, 1 and n-1, sum to one."""
        return [with_bias(row, offset) for row, offset in zip(self.rows, self.offsets)]


def with_bias(row, offset):
    return [row[B] + offset, row[T] + offset, *row[2:-1], row[-1] + offset]


class Box:
    """The noise box, an interval for each noise coordinate, and the matrix X that maps unit tokens to its tokens.

    `Matrices` folds X into the matrices of a layer; what a target is made of are rows of X.
    """

    def __init__(self, intervals, text=None):
        self.intervals, self.text = intervals, text
        over_one_unit(intervals, "box")  # which has at most 400 digits
        self.C = len(intervals) + 2
        self.centres = [(low + high) / 2 for low, high in intervals]
        self.halves = [(high - low) / 2 for low, high in intervals]
        self.unit = lcm(*(x.denominator for x in self.centres + self.halves))  # E: all of E X is whole
        self.whole = [[integer_over(self.unit, x) for x in of] for of in (self.centres, self.halves)]

    @property
    def least(self):
        """nu of section 4.7, None where no theorem applies."""
        return None if any(self.centres) or not all(self.halves) else min(Fraction(1), *self.halves)

    def x(self, r, g):
        """X[r][g]."""
        if 2 <= r < self.C:
            return self.halves[r - 2] if r == g else self.centres[r - 2] if g in (T, self.C) else Fraction(0)
        return Fraction(r == g)

    def folded(self, row):
        """The row times E X."""
        (centres, halves), noise = self.whole, row[2:-1]
        shift = inner(noise, centres)
        first, second, last = (row[flag] * self.unit for flag in (B, T, -1))
        return [first, second + shift, *map(mul, noise, halves), last + shift]


def read_box(value, n):
    """Section 4.1: the noise box."""
    ends = []
    for item in array(value, "box"):
        low, high = (rational(x, "an end of box", MAX_BOX_TEXT) for x in array(item, "an interval of box", 2))
        require(low <= high, "an interval of box is empty")
        ends.append((low, high))
    require(len(ends) in (1, n - 3), "box is not one interval or one for each noise coordinate")
    return Box(ends if len(ends) > 1 else ends * (n - 3), value)


def unit_box(n):
    return Box([(Fraction(-1), Fraction(1))] * (n - 3))


# One layer: its maps by name; of each head the logits of its null slots, a list of at most one.
Layer = namedtuple("Layer", "maps slots")


class Model:
    """Section 4.2: the layers, how heads attend, and the box."""

    def __init__(self, value, layers, length, box=None):
        self.sha256, self.n, self.scale = value["sha256"], value["d_model"], rational(value["scale"], "model.scale")
        self.heads, self.width, self.residual = value["num_heads"], value["head_width"], value["residual"]
        self.name, self.attention = value["attention"], ATTENTIONS[value["attention"]]
        self.layers, self.length = layers, length
        self.box = box or unit_box(self.n)
        self.has_rollout = self.heads == 1 and not self.residual and self.name in CONVEX

    def part(self, h):
        """Where head h stands in rows that hold all heads."""
        return slice(h * self.width, (h + 1) * self.width)


def load_model(source, value, length, box=None):
    """Section 4.2: the model in the file, and whether `overrides` admits what the file says otherwise."""
    n, heads, count, attention = value["d_model"], value["num_heads"], value["num_layers"], value["attention"]
    size, kind = heads * value["head_width"], ATTENTIONS[attention]
    maps = {"W_Q": [size, n], "W_K": [size, n], "W_V": [size, n], "W_O": [n, size]}
    maps |= {"W_G": [heads, n]} if kind.own == "W_G" else {}
    tensors = {"sinks": ([heads], True)} if kind.own == "sinks" else {}  # of a layer: (shape, whether it must be there)
    for name, shape in maps.items():
        tensors |= {f"{name}.weight": (shape, True), f"{name}.bias": (shape[:1], name == "W_G")}
    with tensor_file(source) as (header, metadata, read):
        prefixes = [""] if count == 1 and "W_Q.weight" in header else [f"layers.{l}." for l in range(count)]
        known = {prefix + name: of for prefix in prefixes for name, of in tensors.items()}
        for name, (_, needed) in known.items():
            require(name in header or not needed, f"the model has no tensor {name}")
        for name, tensor in header.items():
            require(name in known, f"the model has the tensor {name[:40]!r}: it is another model")
            require(tensor["shape"] == known[name][0], f"{name} does not have the shape {known[name][0]}")
        values = {name: finite(read(name), name) for name in header}
    said = {"attention": attention, "d_model": str(n), "num_heads": str(heads), "num_layers": str(count),
            "residual": "true" if value["residual"] else "false", "scale": value["scale"]}
    differing = sorted(key for key, text in said.items() if metadata.get(key, text) != text)
    require(value["overrides"] == differing, "overrides does not list what the model's metadata says otherwise")
    layers = []
    for prefix in prefixes:
        own = {name: Map(values[f"{prefix}{name}.weight"], values.get(f"{prefix}{name}.bias"), shape[1])
               for name, shape in maps.items()}
        sinks = values.get(f"{prefix}sinks", [0] * heads)
        layers.append(Layer(own, [[Fraction(z)] * (kind.slot or 0) for z in sinks]))
    return Model(value, layers, length, box)


Head = namedtuple("Head", "M V")


class Task:
    """A model on the inputs of the task whose trigger positions lie between two; `stacks` keeps passes of 4.19."""

    def __init__(self, model, triggers):
        self.model, self.box, self.triggers, self.n, self.length = model, model.box, triggers, model.n, model.length
        self.name, self.attention, self.stacks = model.name, model.attention, {}


class Matrices(Task):
    """One layer in matrices, of unit tokens: of each head M and V, and o, all integers over `scale`, of which the
    box's unit is a divisor; gates as (weights, bias)."""

    def __init__(self, model, triggers):
        super().__init__(model, triggers)
        (maps, slots), n, box = model.layers[0], model.n, self.box
        self.d, self.normalised = n - 3, model.attention.slot is not None
        self.ranges = self.multipliers = None  # until they are verified
        top, bottom = model.scale.numerator, model.scale.denominator
        m_scale = bottom * box.unit**2 << (maps["W_Q"].shift + maps["W_K"].shift)
        v_scale = box.unit << (maps["W_O"].shift + maps["W_V"].shift)
        self.scale = lcm(m_scale, v_scale, *(z.denominator for logits in slots for z in logits))
        w_q, w_k, w_v = ([box.folded(row) for row in maps[name].on_tokens()] for name in ("W_Q", "W_K", "W_V"))
        self.o = [x * (self.scale >> maps["W_O"].shift) for x in maps["W_O"].offsets]
        self.heads = []
        for part, logits in zip(map(model.part, range(model.heads)), slots):
            m = scaled(matrix_product(transposed(w_q[part]), w_k[part]), top * (self.scale // m_scale))
            v = matrix_product([row[part] for row in maps["W_O"].rows], w_v[part])
            for z, f, g in itertools.product(logits, (B, T, -1), (B, T, -1)):
                m[f][g] -= integer_over(self.scale, z)  # all logits less the null slot's, which is 0 from here on
            self.heads.append(Head(m, scaled(v, self.scale // v_scale)))
        if model.name in CONVEX:
            first = self.heads[0]
            self.heads[0], self.o = Head(first.M, [with_bias(row, x) for row, x in zip(first.V, self.o)]), [0] * n
        self.gates = None
        if gate := maps.get("W_G"):
            self.gates = [([Fraction(x, box.unit << gate.shift) for x in box.folded(row)],
                           Fraction(offset, 1 << gate.shift)) for row, offset in zip(gate.rows, gate.offsets)]
        self.alone = model.heads == 1

    def sides(self):
        """The (r, s) of section 4.3 in their order."""
        return [(r, s) for r in range(self.n) for s in (1, -1)]


CLASSES = ("pre", "trigger", "post")
ENDS = ("bos-floor", "bos-ceiling", "null-floor", "null-ceiling")
ROLLOUTS = ("rollout-floor", "rollout-ceiling")
