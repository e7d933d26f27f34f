"""Arrays, state_dicts and plain data as the files that the command line reads, and such files as arrays."""
import json
from collections.abc import Mapping
from pathlib import Path

import numpy

from . import _program

# The format's dtypes and NumPy's; bfloat16, which NumPy does not have, is read as the float32 it is half of.
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
          "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1"}
NAMES = {kind: name for name, kind in DTYPES.items()}


def shown(name):
    """A tensor's name for a message: a file may have given it, so nothing in it steers a terminal."""
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in str(name))


def is_tensor(value):
    return isinstance(value, numpy.ndarray) or hasattr(value, "detach")


def write(path, tensors, metadata=None):
    """Writes a safetensors file: {name: NumPy array or PyTorch tensor}, {name: text}. Values keep their dtype.

    Equal contents give equal bytes. Error SP0203: it cannot be written; what was there before is untouched.
    """
    for name in tensors:
        if not isinstance(name, str):
            raise TypeError(f"{name!r}: the name of a tensor must be text")
        if name == "__metadata__":
            raise ValueError("__metadata__: no tensor can have this name, which the file format keeps for itself")
    stored = {name: _stored(name, value) for name, value in tensors.items()}
    _program.save(str(path), stored, {key: str(value) for key, value in (metadata or {}).items()})


def load(path):
    """({name: NumPy array}, metadata) of a safetensors file; bfloat16 becomes float32. Error SP0201, SP0401 to SP0403:
    no such file, or none of this format."""
    tensors, metadata = _program.load(str(path))
    return {name: _array(path, name, *tensor) for name, tensor in tensors.items()}, metadata


def placed(value, folder, name):
    """The path of `value` as a file: a path as it is; an array, a state_dict or plain data written to `folder`."""
    if is_tensor(value):
        value = {"rows": value}
    if isinstance(value, Mapping):
        if any(is_tensor(each) for each in value.values()):
            path = Path(folder) / f"{name}.safetensors"
            write(path, value)
            return str(path)
    elif not isinstance(value, (list, tuple)):
        return str(value)
    path = Path(folder) / f"{name}.json"
    path.write_text(json.dumps(value))
    return str(path)


def array(name, value):
    """A NumPy array, or a PyTorch tensor on any device, as the NumPy array that load() would give of it."""
    return _array("", name, *_stored(name, value))


def check_finite(name, value):
    """TypeError: no array that the format holds. ValueError: a number in it is NaN or infinite."""
    bad = ~numpy.isfinite(array(name, value)).reshape(-1)
    if bad.any():
        raise ValueError(f"{shown(name)}: entry {int(bad.argmax())} of the flattened array is NaN or infinite")


def _stored(name, value):
    """(dtype, shape, bytes) of an array or a PyTorch tensor on any device."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            halves = numpy.ascontiguousarray(value.float().numpy()).view(numpy.uint32) >> 16
            return "BF16", list(value.shape), halves.astype("<u2").tobytes()
        value = value.numpy()
    if numpy.ma.isMaskedArray(value):
        raise TypeError(f"{shown(name)}: a masked array has no place in a safetensors file; give .filled(VALUE)")
    if not is_tensor(value) and not isinstance(value, numpy.generic):
        raise TypeError(f"{shown(name)}: must be an array or a tensor, not {type(value).__name__}")
    array = numpy.asarray(value)
    kind = array.dtype.newbyteorder("<").str
    if kind not in NAMES:
        raise TypeError(f"{shown(name)}: dtype {array.dtype} has no place in a safetensors file")
    return NAMES[kind], list(array.shape), array.astype(kind).tobytes()


def _array(path, name, dtype, shape, data):
    if dtype == "BF16":
        return (numpy.frombuffer(data, "<u2").astype(numpy.uint32) << 16).view(numpy.float32).reshape(shape)
    if dtype not in DTYPES:
        raise TypeError(f"{shown(path)}: {shown(name)}: NumPy has no dtype {dtype}")
    return numpy.frombuffer(data, DTYPES[dtype]).reshape(shape).copy()
