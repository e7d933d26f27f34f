"""Keyword arguments as words of the command line. Which there are, the command line says itself."""
from collections.abc import Mapping
from pathlib import Path

from . import _files, _program

VERBS = _program.verbs()
# The module's own: how a verb prints.
OURS = {"format", "quiet", "help"}
# What a checkpoint's metadata calls an option of certify and measure.
METADATA = {"attention": "attention", "num_heads": "num_heads", "num_layers": "num_layers", "length": "seq_len",
            "residual": "residual", "scale": "scale"}


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
    """Writes a state_dict as a checkpoint whose metadata say what `options` do: attention, num_heads, num_layers,
    length, residual, scale. Error SP0203 where it cannot be written."""
    unknown = set(options) - set(METADATA)
    if unknown:
        raise TypeError(f"save() got an unexpected keyword argument '{min(unknown)}'")
    _files.write(path, tensors, {METADATA[name]: _word(value) for name, value in options.items() if value is not None})


def _input(value, options, folder, number):
    if not isinstance(value, Mapping):
        return _files.placed(value, folder, f"input-{number}")
    path = Path(folder) / f"model-{number}.safetensors"
    save(path, value, **{name: options[name] for name in METADATA if name in options})
    return str(path)


def _option(name, option, value, folder):
    flag = "--" + name.replace("_", "-")
    if value is None or value is False and not option["takes_value"]:
        return []
    if not option["takes_value"]:
        return [flag]
    if option["is_file"]:
        return [f"{flag}={_files.placed(value, folder, name)}"]
    values = value if isinstance(value, (list, tuple)) or _files.is_tensor(value) else [value]
    return [f"{flag}={_word(each)}" for each in values]


def _word(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
