"""Keyword arguments as words of the command line. Which there are, the command line says itself."""
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from pathlib import Path

import numpy

from . import _files, _program

VERBS = _program.verbs()
# The module's own: how a verb prints.
OURS = {"format", "quiet", "help"}
# What a checkpoint's metadata calls an option of certify and measure.
METADATA = {"attention": "attention", "num_heads": "num_heads", "num_layers": "num_layers", "length": "seq_len",
            "residual": "residual", "scale": "scale"}
COUNTS = ("num_heads", "num_layers", "length")
BOOLS = (bool, numpy.bool_)


def keywords(verb):
    """{keyword: option} of a verb: --num-heads is num_heads."""
    return {flag[2:].replace("-", "_"): option for option in VERBS[verb][1] for flag in option["flags"]
            if flag.startswith("--") and flag[2:] not in OURS}


def words(verb, inputs, options, folder):
    """The command line for `verb` of these inputs; what is no file yet is written to `folder`."""
    known = keywords(verb)
    line = [verb, "--format=json"]
    for name, value in options.items():
        if name not in known:
            raise TypeError(f"{verb}() got an unexpected keyword argument '{name}'")
        line += _option(name, known[name], value, folder)
    inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    return [*line, "--", *(_input(value, options, folder, number) for number, value in enumerate(inputs))]


def save(path, tensors, **options):
    """Writes a state_dict as a checkpoint whose metadata say what `options` do: attention (text), num_heads,
    num_layers, length (positive integers), residual (True or False), scale (text such as "1/sqrt(16)", or a number).

    The tensors are arrays of finite numbers without a mask. TypeError, ValueError: a tensor or an option that is
    something else, with its name. Error SP0203 where the file cannot be written."""
    unknown = set(options) - set(METADATA)
    if unknown:
        raise TypeError(f"save() got an unexpected keyword argument '{min(unknown)}'")
    if not isinstance(tensors, Mapping):
        raise TypeError(f"save() takes a state_dict {{name: array}}, not {type(tensors).__name__}")
    for name, value in tensors.items():
        _files.check_finite(name, value)
    write_model(path, tensors, options)


def write_model(path, tensors, options):
    _files.write(path, tensors, {METADATA[name]: metadata(name, value) for name, value in options.items() if value is not None})


def metadata(name, value):
    """An option of a model as its metadata has it."""
    if name == "residual":
        if not isinstance(value, BOOLS):
            raise TypeError(f"residual must be True or False, not {value!r}")
    elif name in COUNTS:
        if isinstance(value, BOOLS) or not isinstance(value, Integral):
            raise TypeError(f"{name} must be an integer, not {value!r}")
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    elif isinstance(value, BOOLS) or not isinstance(value, str if name == "attention" else (str, Real)):
        raise TypeError(f"{name} must be {'text' if name == 'attention' else 'text or a number'}, not {value!r}")
    elif not isinstance(value, str):
        if not isfinite(value) or value <= 0:
            raise ValueError(f"{name} must be positive and finite, not {value}")
        value = int(value) if isinstance(value, Integral) else Fraction(*value.as_integer_ratio())  # as stored
    elif not value:
        raise ValueError(f"{name} must not be empty")
    return word(value)


def _input(value, options, folder, number):
    if not isinstance(value, Mapping):
        return _files.placed(value, folder, f"input-{number}")
    path = Path(folder) / f"model-{number}.safetensors"
    write_model(path, value, {name: options[name] for name in METADATA if name in options})
    return str(path)


def _option(name, option, value, folder):
    """The words of one option. TypeError: a value that no option of this kind takes."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is False and not option["takes_value"]:
        return []
    if not option["takes_value"]:
        if not isinstance(value, BOOLS):
            raise TypeError(f"{name} must be True or False, not {value!r}")
        return [flag] if value else []
    if option["is_file"]:
        return [f"{flag}={_files.placed(value, folder, name)}"]
    values = value if isinstance(value, (list, tuple)) or _files.is_tensor(value) else [value]
    try:
        return [f"{flag}={word(each)}" for each in values]
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def word(value):
    if not isinstance(value, (str, Real, Decimal, PathLike, *BOOLS)):
        raise TypeError(f"an option takes text, a number, True or False, not {type(value).__name__}")
    if isinstance(value, BOOLS):
        return "true" if value else "false"
    return str(value)
