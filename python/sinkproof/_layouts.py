"""Models whose tensors have other names, shapes or scales than a checkpoint: what is done to them before `convert`, which
knows the names of others (src/models/model/layer_names.cpp)."""
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from numbers import Real

LENS_QUERY = re.compile(r"(.*\.)?W_Q")  # TransformerLens: [heads, d_model, d_head]
BUFFERS = re.compile(r"(.*\.)?(mask|IGNORE|masked_bias)")  # of TransformerLens and GPT-2: may be minus infinity
OWN = re.compile(r"(layers\.[0-9]+\.)?W_Q\.weight")


def is_checkpoint(tensors):
    """Whether names are those that certify reads."""
    return any(OWN.fullmatch(name) for name in tensors)


def of_module(model, told):
    """(state_dict, options): `told`, and what a torch.nn.MultiheadAttention says of itself. ValueError: an option that
    contradicts one, which may be anywhere in the model."""
    for part in model.modules() if callable(getattr(model, "modules", None)) else [model]:
        said = _said(part)
        for name, value in said.items():
            if name in told and _comparable(told[name]) != _comparable(value):
                raise ValueError(f"{name}: {told[name]!r} contradicts the MultiheadAttention, which computes with {value!r}. Leave "
                                 f"{name} out, or give model.state_dict() for a model with other options")
    return model.state_dict(), {**_said(model), **told}


def _said(part):
    """What a torch.nn.MultiheadAttention says of itself that its state_dict does not; a class of that name elsewhere says nothing."""
    kind = type(part)
    if (kind.__module__, kind.__name__) != ("torch.nn.modules.activation", "MultiheadAttention"):
        return {}
    slot = {"attention": "softmax-null"} if part.add_zero_attn else {}  # a key and a value of zeros after the others
    return {"num_heads": part.num_heads, "scale": f"1/sqrt({part.head_dim})", **slot}


def _comparable(value):
    """The square of a scale, so that 1/4 is 1/sqrt(16); anything else as it is."""
    try:
        return Fraction(1 / Fraction(value[len("1/sqrt("):-1]) if is_root(value) else Fraction(value) ** 2)
    except (TypeError, ValueError, ZeroDivisionError):
        return value


def heads_of(tensors):
    """The heads that the shapes of a TransformerLens model tell; None for any other."""
    heads = {int(value.shape[0]) for name, value in tensors.items() if LENS_QUERY.fullmatch(name) and len(value.shape) == 3}
    return heads.pop() if len(heads) == 1 else None


def is_root(scale):
    """Whether a scale is written 1/sqrt(n), so that `convert` may have to fold it into W_Q."""
    return isinstance(scale, str) and scale.startswith("1/sqrt(")


def is_model(value):
    """A torch.nn.Module, or anything with a state_dict()."""
    return not isinstance(value, Mapping) and callable(getattr(value, "state_dict", None))


def number(scale):
    """A scale given as a number, as the exact text that the command line reads; text stays text."""
    if isinstance(scale, Real) and not isinstance(scale, bool) and math.isfinite(scale):
        return str(Fraction(*scale.as_integer_ratio()) if not isinstance(scale, Fraction) else scale)
    return scale
