"""Models as people have them, as the checkpoint that the command line reads."""
import shlex
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from . import _arguments, _files, _layouts, _process, _torch_file
from ._error import Error

KINDS = "a path, a state_dict {name: tensor or array}, or a torch.nn.Module"
REMEDY = ("sinkproof.load() reads torch.save files of tensors without running their pickles. For any other file, load it in "
          "PyTorch where you trust it, and save model.state_dict() with safetensors")


def load(path, key=None):
    """({name: NumPy array}, metadata) of a safetensors file, or of a torch.save file of tensors, whose pickle is never run.

    bfloat16 becomes float32. key names the state_dict in a torch.save file that holds several things.
    Error SP0201, SP0401 to SP0403: no such file, or none of this format; SP1110: a torch.save file with more than tensors."""
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"load() takes a path, not {type(path).__name__}")
    if not _torch_file.is_one(path):
        if key is not None:
            raise TypeError("key is about torch.save files; a safetensors file has none")
        return _files.load(path)
    try:
        return _torch_file.load(path, key), {}
    except _torch_file.Refused as refusal:
        raise Error("SP1110", _files.shown(path), f"{refusal}. {REMEDY}", says_all=True) from None


def check_one(model):
    """TypeError: not one model. Error SP1111: the folder of a language model."""
    if isinstance(model, (list, tuple)):
        raise TypeError("certify() takes one model; certify_many() takes a list")
    if not (isinstance(model, (str, PathLike, Mapping)) or _layouts.is_model(model)):
        raise TypeError(f"model must be {KINDS}; not {type(model).__name__}")
    if isinstance(model, (str, PathLike)) and Path(model).is_dir():
        if (Path(model) / "config.json").exists():
            raise Error("SP1111", _files.shown(model),
                        "this is the folder of a language model. Its heads are not trained on the trigger task, and its MLPs and "
                        "norms are outside of what certify() bounds. To measure its sinks on given tokens, call "
                        f"sinkproof.audit({str(model)!r}, tokens=...)")
        raise TypeError("certify() takes one model; certify_many() takes a folder of checkpoints")


def placed(model, options, folder, conversion=None, key=None):
    """(path of a checkpoint, options left for the command, notes): a path that the command reads is left as it is; everything
    else is written into `folder`. `conversion` has convert()'s own options; with them the model is always converted. `key`
    is load()'s."""
    check_one(model)
    told = {name: value for name, value in options.items() if value is not None}
    if "scale" in told:
        told["scale"] = _layouts.number(told["scale"])
    metadata = {}
    if isinstance(model, (str, PathLike)):
        if conversion is None and key is None and not _layouts.is_root(told.get("scale")) and not _torch_file.is_one(model):
            return str(model), told, []
        tensors, metadata = load(model, key)
    elif key is not None:
        raise TypeError("key is about torch.save files; give the state_dict itself")
    elif isinstance(model, Mapping):
        tensors = model
    else:
        tensors, told = _layouts.of_module(model, told)
    for name, value in tensors.items():
        if not _layouts.BUFFERS.fullmatch(name):
            _files.check_finite(name, value)
    heads = _layouts.heads_of(tensors)
    if heads is not None:
        told.setdefault("num_heads", heads)
    if conversion is not None or _layouts.is_root(told.get("scale")) or not _layouts.is_checkpoint(tensors):
        return _converted(tensors, metadata, told, conversion or {}, folder)
    path = Path(folder) / "model.safetensors"
    if metadata:  # a file's own, as it has them
        _files.write(path, tensors, metadata)
    else:
        _arguments.write_model(path, tensors, {name: told[name] for name in _arguments.METADATA if name in told})
    return str(path), told, []


def _converted(tensors, metadata, told, conversion, folder):
    """What `sinkproof convert` makes of them, as placed() returns it. What is written is in the file, and no option any more."""
    source, target = Path(folder) / "foreign.safetensors", Path(folder) / "model.safetensors"
    _files.write(source, tensors, metadata)
    names = _arguments.keywords("convert")
    options = {name: told[name] for name in names if name in told}
    options |= {name: value for name, value in conversion.items() if name in names}
    try:
        made = _process.answer(_arguments.words("convert", str(source), {**options, "output": target}, folder))
    except Error as error:
        raise Error(error.code, *(_in_python(text, str(source)) for text in (error.where, error.what)), says_all=True) from None
    return str(target), {name: value for name, value in told.items() if name not in options}, made["notes"]


def _in_python(text, source):
    """What the command line says of the file that a model was written to, as the caller of this module would put it."""
    lines = []
    for line in text.split("\n"):
        words = shlex.split(line) if line.strip().startswith("sinkproof convert ") else []
        if words:
            options = {}
            for flag, value in zip(words[3::2], words[4::2]):
                name = {"-o": "output"}.get(flag, flag[2:].replace("-", "_"))
                options.setdefault(name, []).append(value)
            said = (f"{name}={_python_value(name, values)}" for name, values in options.items())
            line = f"    sinkproof.convert(model, {', '.join(said)})"
        lines.append(line.replace(source, "the given model"))
    return "\n".join(lines)


def _python_value(name, values):
    if name == "map":
        return repr(values)
    if name in ("num_heads", "length"):
        return values[0]
    return str(values[0] == "true") if name == "residual" else repr(values[0])
