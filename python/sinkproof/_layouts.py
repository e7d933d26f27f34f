"""Models whose tensors have other names, shapes or scales than a checkpoint: what is done to them before `convert`, which
knows the names of others (src/models/model/layer_names.cpp)."""
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from numbers import Real

import numpy

from . import _files

LENS_QUERY = re.compile(r"(.*\.)?W_Q")  # TransformerLens: [heads, d_model, d_head]
LENS_BUFFERS = re.compile(r"(.*\.)?(mask|IGNORE)")  # constants of TransformerLens, not weights
OWN = re.compile(r"(layers\.[0-9]+\.)?W_Q\.weight")
ROOT = re.compile(r"1/sqrt\(([0-9]+(?:/[0-9]+)?)\)")


def is_checkpoint(tensors):
    """Whether names are those that certify reads."""
    return any(OWN.fullmatch(name) for name in tensors)


def of_module(model):
    """(state_dict, what a torch.nn.MultiheadAttention says of itself: num_heads and scale)."""
    told = {}
    if type(model).__name__ == "MultiheadAttention" and isinstance(getattr(model, "head_dim", None), int):
        told = {"num_heads": model.num_heads, "scale": f"1/sqrt({model.head_dim})"}
    return model.state_dict(), told


def without_buffers(tensors):
    """(tensors, num_heads or None): a TransformerLens model without its constants, and the heads that its shapes tell."""
    heads = {int(value.shape[0]) for name, value in tensors.items() if LENS_QUERY.fullmatch(name) and len(value.shape) == 3}
    if not heads:
        return tensors, None
    weights = {name: value for name, value in tensors.items() if not LENS_BUFFERS.fullmatch(name)}
    return weights, heads.pop() if len(heads) == 1 else None


def irrational_root(scale):
    """n of an irrational scale "1/sqrt(n)", as a Fraction; None for any other scale."""
    match = ROOT.fullmatch(scale) if isinstance(scale, str) else None
    if not match or Fraction(match[1]) <= 0:
        return None
    square = Fraction(match[1])
    exact = all(math.isqrt(part) ** 2 == part for part in (square.numerator, square.denominator))
    return None if exact else square


def fold(tensors, square):
    """(tensors, note): W_Q.weight and W_Q.bias of each layer divided by the root of `square`, each entry the float64 that is
    nearest to the quotient."""
    folded = {name: _divided(_files.array(name, value), square)
              if name.endswith(("W_Q.weight", "W_Q.bias")) else value for name, value in tensors.items()}
    return folded, (f"1/sqrt({square}) is irrational. It is folded into W_Q, rounded to the nearest float64. The converted model "
                    "differs from the original by that rounding: the certificate is about the converted model")


def _divided(array, square):
    flat = [_over_root(float(entry), square) for entry in array.astype(numpy.float64).reshape(-1)]
    return numpy.array(flat, dtype=numpy.float64).reshape(array.shape)


def _over_root(entry, square):
    """The float64 nearest to entry / sqrt(square). The root is irrational, so the quotient never lies halfway between two floats,
    and a digit below its 100 leading bits stands for all that follow."""
    if entry == 0 or not math.isfinite(entry):
        return entry
    numerator, denominator = abs(entry).as_integer_ratio()
    top, bottom = numerator**2 * square.denominator, denominator**2 * square.numerator
    shift = max(0, 128 + (bottom.bit_length() - top.bit_length()) // 2 + 1)
    root = math.isqrt((top << 2 * shift) // bottom)
    return math.copysign((2 * root + 1) / (1 << shift + 1), entry)


def is_model(value):
    """A torch.nn.Module, or anything with a state_dict()."""
    return not isinstance(value, Mapping) and callable(getattr(value, "state_dict", None))


def number(scale):
    """A scale given as a number, as the exact text that the command line reads; text stays text."""
    if isinstance(scale, Real) and not isinstance(scale, bool) and math.isfinite(scale):
        return str(Fraction(*scale.as_integer_ratio()) if not isinstance(scale, Fraction) else scale)
    return scale
