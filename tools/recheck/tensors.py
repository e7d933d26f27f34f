"""CHECKPOINT_RULES.md, section 4.2: safetensors files, which certificates of three kinds name."""

import io
import os
import re
import struct
from array import array as doubles
from contextlib import contextmanager
from math import prod

from .envelope import array, fields, integer, parse_json, unicode_only
from .refusal import Missing, require

MAX_HEADER = 1 << 24
BLOCK = 1 << 16  # values of a tensor read at a time

DTYPE_BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
               "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}


def read_header(file, size):
    """The tensors and the metadata of a safetensors file, all offsets inside the file and without gap."""
    require(size >= 8, "the model file is too short")
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    require(length <= MAX_HEADER and length <= size - 8, "the model's header is longer than its file or 16 MiB")
    text = file.read(length)
    require(text.startswith(b"{"), "the model's header is not an object")
    require(text.rstrip(b" ").endswith(b"}"), "the model's header goes on after its object")
    header = unicode_only(parse_json(text))
    metadata = header.pop("__metadata__", {})
    require(type(metadata) is dict and all(type(x) is str for x in metadata.values()), "the model's metadata is bad")
    spans = []
    for name, tensor in header.items():
        fields(tensor, ("dtype", "shape", "data_offsets"), "a tensor of the model")
        shape = [integer(x, "a tensor's shape", 0) for x in array(tensor["shape"], "a tensor's shape")]
        begin, end = (integer(x, "a tensor's offset", 0) for x in array(tensor["data_offsets"], "data_offsets", 2))
        dtype = tensor["dtype"]
        require(type(dtype) is str and re.fullmatch("[A-Z_0-9]+", dtype), "a tensor's dtype must be a name of capital letters and digits")
        each = DTYPE_BYTES.get(dtype)  # of one that is unknown nothing is read
        require(len(shape) <= 64 and begin <= end and (each is None or end - begin == prod(shape) * each),
                "a tensor's size is wrong")
        spans.append((begin, end))
    begins, ends = zip((0, 0), *sorted(spans))
    require(begins[1:] == ends[:-1], "the model's tensors overlap or leave a gap")
    require(8 + length + ends[-1] == size, "the model's tensors do not fill its file")
    return header, metadata, 8 + length


def read_values(file, start, tensor, name):
    """All values of a tensor of finite floating-point numbers, as doubles."""
    dtype, (begin, end) = tensor["dtype"], tensor["data_offsets"]
    require(dtype in ("F64", "F32", "F16", "BF16"), f"{name[:80]} is not F64, F32, F16 or BF16")
    size, code, values = DTYPE_BYTES[dtype], {"F64": "d", "F16": "e"}.get(dtype, "f"), doubles("d")
    file.seek(start + begin)
    for place in range(begin, end, BLOCK * size):
        data = file.read(min(BLOCK * size, end - place))
        require(len(data) == min(BLOCK * size, end - place), "the file ends early")
        if dtype == "BF16":
            short, data = data, bytearray(2 * len(data))
            data[2::4], data[3::4] = short[0::2], short[1::2]
        values.extend(struct.unpack(f"<{len(data) // struct.calcsize('<' + code)}{code}", data))
    return values


def finite(values, name):
    require(all(x - x == 0 for x in values), f"{name[:80]} holds a number that is not finite")
    return values


@contextmanager
def tensor_file(source):
    """A safetensors file, by its bytes or its path: (its tensors, its metadata, the function that reads the values of one)."""
    try:
        with io.BytesIO(source) if type(source) is bytes else open(source, "rb") as file:
            header, metadata, start = read_header(file, file.seek(0, os.SEEK_END))
            yield header, metadata, lambda name: read_values(file, start, header[name], name)
    except OSError as error:
        raise Missing(f"a tensor file cannot be read: {error.strerror}") from None


def shape_of(header, name, dimensions):
    """The shape of a tensor, which must exist, with this number of dimensions."""
    require(name in header, f"no tensor {name[:80]!r}")
    shape = header[name]["shape"]
    require(len(shape) == dimensions and min(shape) >= 1, f"{name[:80]!r} must be a tensor of {dimensions} dimensions")
    return shape


def load_rows(source, name, fits):
    """All values of the tensor whose rows hold the inputs, as doubles, and its columns; `fits` tells by its shape."""
    with tensor_file(source) as (header, _, read):
        rows, columns = shape_of(header, name, 2)
        require(fits(rows, columns), "the input is too large or does not hold sequences")
        return finite(read(name), name), columns
