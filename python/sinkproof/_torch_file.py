"""The tensors of a file that torch.save wrote, as NumPy arrays, without running its pickle. This file knows the opcodes
that a state_dict needs and the classes that it names; every other opcode, class or call is refused by name, and nothing
is imported or called for the file. Sizes are bounded: by the constants below, and by the size of the file itself.

Source of the layout: torch/serialization.py (zip files, from PyTorch 1.6 on) and torch/_utils.py.
"""
import io
import math
import os
import pickletools
import zipfile

import numpy

MAX_PICKLE = 8 << 20  # bytes; a tensor's entry takes about 200
MAX_OPCODES = 1_000_000
MAX_MEMBERS = 100_000
MAX_DIMENSIONS = 8
MAX_COPIES = 4  # the arrays together are at most this many times the size of the file: tied weights, bfloat16 as float32
MAGIC = b"PK\x03\x04"

# torch's storage classes: NumPy's dtype, little-endian; bfloat16 is read as the float32 it is half of.
STORAGES = {"DoubleStorage": "<f8", "FloatStorage": "<f4", "HalfStorage": "<f2", "BFloat16Storage": "bfloat16",
            "LongStorage": "<i8", "IntStorage": "<i4", "ShortStorage": "<i2", "CharStorage": "|i1", "ByteStorage": "|u1",
            "BoolStorage": "|b1"}
CALLED = {"collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter"}


class Refused(Exception):
    """Why a file is not read."""


class _Name:
    """A class or function that the file names; never the thing itself."""

    def __init__(self, name):
        self.name = name


class _Storage:
    def __init__(self, dtype, key, count):
        self.dtype, self.key, self.count = dtype, key, count


class _Tensor:
    def __init__(self, storage, offset, shape, strides):
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides


class _Ordered(dict):
    """An OrderedDict of the file: what torch sets on it beside its items (_metadata) is dropped."""


MARK = object()


def is_one(path):
    """Whether a file begins as a zip does."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def load(path, key=None):
    """{name: array} of the state_dict in a file, or of the one under `key` in a file that holds several things.

    Refused, with what was found: another format, anything but tensors, data that disagree with their sizes."""
    size = os.path.getsize(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return _State(archive, size).tensors(key)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise Refused(f"it is not a whole zip file: {error}") from None


class _State:
    def __init__(self, archive, size):
        self.archive, self.size = archive, size
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise Refused(f"it has {len(members)} members; at most {MAX_MEMBERS} are read")
        self.members = {each.filename: each for each in members}
        if len(self.members) != len(members):
            raise Refused("two of its members have the same name")
        pickles = [name for name in self.members if name.endswith("/data.pkl") and name.count("/") == 1]
        if len(pickles) != 1:
            if any(name.endswith(".npy") for name in self.members):
                raise Refused("it is a NumPy .npz archive. Give its arrays: dict(numpy.load(path))")
            raise Refused("it is a zip file without one member NAME/data.pkl, so torch.save did not write it")
        self.folder = pickles[0].removesuffix("data.pkl")
        order = self.folder + "byteorder"
        if order in self.members and self.read(order, 16) != b"little":
            raise Refused("its numbers are big-endian; save it on a little-endian machine")

    def read(self, name, most):
        """The bytes of a member, stored as they are: torch.save does not compress, so nothing grows."""
        member = self.members.get(name)
        if member is None:
            raise Refused(f"its member {_shown(name)} is missing")
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size or member.flag_bits & 1:
            raise Refused(f"its member {_shown(name)} is compressed or encrypted, which torch.save never does")
        if member.file_size > min(most, self.size):
            raise Refused(f"its member {_shown(name)} has {member.file_size} bytes; at most {min(most, self.size)} are read")
        return self.archive.read(member)

    def tensors(self, key):
        found = _run(self.read(self.folder + "data.pkl", MAX_PICKLE))
        if not isinstance(found, dict):
            raise Refused("it does not hold a state_dict. Save model.state_dict() instead of the model")
        if key is not None:
            if not isinstance(found.get(key), dict):
                raise Refused(f"it has no state_dict under {key!r}; it holds {_names(found)}")
            found = found[key]
        others = [name for name, value in found.items() if not isinstance(value, _Tensor)]
        inner = [name for name in others if isinstance(found[name], dict)
                 and found[name] and all(isinstance(each, _Tensor) for each in found[name].values())]
        if inner:
            raise Refused(f"it holds more than tensors: {_names(found)}. Name the state_dict to read: key={inner[0]!r} of load(), "
                          "certify() and convert()")
        if others:
            raise Refused(f"{_names(others)}: not a tensor. Save a state_dict of tensors alone")
        wrong = [name for name in found if not isinstance(name, str)]
        if wrong:
            raise Refused(f"the name of a tensor is not text but {type(wrong[0]).__name__}")
        self.left, self.unread = MAX_COPIES * self.size, self.size
        self.storages = {}
        return {name: self.array(name, tensor) for name, tensor in found.items()}

    def array(self, name, tensor):
        """A copy of a tensor's entries; every entry lies in its storage, and no entry is there twice."""
        storage, name = tensor.storage, _shown(name)
        count = math.prod(tensor.shape)  # at most 8 factors below 2^48
        if count > storage.count or math.prod(extent or 1 for extent in tensor.shape) > max(storage.count, 1 << 31):
            raise Refused(f"{name}: shape {_sizes(tensor.shape)} has more entries than its storage of {storage.count}")
        last = tensor.offset + sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.strides))
        if tensor.offset > storage.count or count and last >= storage.count:
            raise Refused(f"{name}: its entries end beyond its storage of {storage.count}")
        width = 2 if storage.dtype == "bfloat16" else numpy.dtype(storage.dtype).itemsize
        self.left -= count * (4 if storage.dtype == "bfloat16" else width)
        if self.left < 0:
            raise Refused(f"its tensors have more than {MAX_COPIES} times the bytes of the file")
        flat = self.storage(name, storage, width)
        if not count:
            return numpy.zeros(tensor.shape, flat.dtype if storage.dtype != "bfloat16" else numpy.float32)
        strides = [stride * width if extent > 1 else 0 for extent, stride in zip(tensor.shape, tensor.strides)]
        view = numpy.lib.stride_tricks.as_strided(flat[tensor.offset:], tensor.shape, strides, writeable=False)
        if storage.dtype == "bfloat16":
            return (view.astype(numpy.uint32) << 16).view(numpy.float32)
        return numpy.array(view)

    def storage(self, name, storage, width):
        dtype = "<u2" if storage.dtype == "bfloat16" else storage.dtype
        known = self.storages.get(storage.key)
        if known is None:
            known = self.storages[storage.key] = self.read(f"{self.folder}data/{storage.key}", self.unread)
            self.unread -= len(known)
        if len(known) != storage.count * width:
            raise Refused(f"{name}: its storage has {len(known)} bytes, not {storage.count} numbers of {width} bytes")
        return numpy.frombuffer(known, dtype)


def _run(code):
    """What the pickle makes, of dictionaries, lists, tuples, texts, numbers and tensors alone."""
    stack, memo = [], {}
    try:
        for count, (opcode, value, _) in enumerate(pickletools.genops(io.BytesIO(code))):
            if count >= MAX_OPCODES:
                raise Refused(f"its pickle has more than {MAX_OPCODES} opcodes")
            if opcode.name == "STOP":
                return stack.pop()
            _step(opcode.name, value, stack, memo)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
        raise Refused(f"its pickle is damaged: {type(error).__name__}: {_shown(error)}") from None
    raise Refused("its pickle has no end")


def _step(name, value, stack, memo):
    if name in ("PROTO", "FRAME"):
        pass
    elif name == "MARK":
        stack.append(MARK)
    elif name in ("NONE", "NEWTRUE", "NEWFALSE"):
        stack.append({"NONE": None, "NEWTRUE": True, "NEWFALSE": False}[name])
    elif name in ("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE"):
        stack.append(value)
    elif name in ("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE"):
        stack.append({"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}[name]())
    elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
        stack[-int(name[-1]):] = [tuple(_top(stack, int(name[-1])))]
    elif name == "TUPLE":
        stack.append(tuple(_marked(stack)))
    elif name in ("BINPUT", "LONG_BINPUT", "MEMOIZE"):
        memo[len(memo) if name == "MEMOIZE" else value] = stack[-1]
    elif name in ("BINGET", "LONG_BINGET"):
        stack.append(memo[value])
    elif name in ("SETITEM", "SETITEMS"):
        items = _marked(stack) if name == "SETITEMS" else [stack.pop(-2), stack.pop()]
        _as(dict, stack[-1]).update(zip(map(_key, items[::2]), items[1::2], strict=True))
    elif name in ("APPEND", "APPENDS"):
        items = _marked(stack) if name == "APPENDS" else [stack.pop()]
        _as(list, stack[-1]).extend(items)
    elif name in ("GLOBAL", "STACK_GLOBAL"):
        if name == "STACK_GLOBAL":
            value = f"{_as(str, stack.pop(-2))} {_as(str, stack.pop())}"
        stack.append(_named(value))
    elif name == "BINPERSID":
        stack.append(_storage(stack.pop()))
    elif name == "REDUCE":
        arguments, function = stack.pop(), stack.pop()
        stack.append(_called(function, _as(tuple, arguments)))
    elif name == "BUILD":
        stack.pop()
        _as(_Ordered, stack[-1])
    else:
        raise Refused(f"its pickle uses the opcode {name}, which no state_dict needs")


def _top(stack, count):
    if len(stack) < count:
        raise IndexError("an empty stack")
    return stack[-count:]


def _marked(stack):
    """What lies above the last mark, which goes as well."""
    place = len(stack) - 1
    while stack[place] is not MARK:
        place -= 1
        if place < 0:
            raise IndexError("no mark")
    items = stack[place + 1:]
    del stack[place:]
    return items


def _key(value):
    if type(value) is not str and (type(value) is not int or not 0 <= value < 1 << 32):
        raise Refused(f"a name in its state_dict is not text but {type(value).__name__}")
    return value


def _as(kind, value):
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} where there should be {kind.__name__.strip('_')}")
    return value


def _named(name):
    module, _, kind = name.partition(" ")
    if name not in CALLED and not (module == "torch" and kind in STORAGES):
        raise Refused(f"its pickle names {_shown(name.replace(' ', '.'))}, which is not a tensor. Save model.state_dict() instead of the model")
    return _Name(name)


def _storage(told):
    kind, storage, key, _, count = _as(tuple, told)
    if kind != "storage" or not isinstance(storage, _Name) or not storage.name.startswith("torch "):
        raise TypeError("a storage of no known class")
    if not isinstance(key, str) or not key.isascii() or not key.isalnum():
        raise TypeError("the key of a storage")
    return _Storage(STORAGES[storage.name.removeprefix("torch ")], key, _size(count))


def _called(function, arguments):
    name = _as(_Name, function).name
    if name == "collections OrderedDict":
        if arguments:
            raise TypeError("OrderedDict with arguments")
        return _Ordered()
    if name == "torch._utils _rebuild_parameter":
        return _as(_Tensor, arguments[0])
    if name != "torch._utils _rebuild_tensor_v2":
        raise TypeError(f"a call of {name}")
    storage, offset, shape, strides = arguments[:4]
    if any(arguments[6:]):  # after requires_grad and hooks: bits such as {"neg": True}, with which the numbers are others
        raise Refused(f"it holds a tensor that is another one than its numbers: {_shown(arguments[6])}. Save tensor.resolve_conj().resolve_neg()")
    shape, strides = (tuple(map(_size, _as(tuple, each))) for each in (shape, strides))
    if len(shape) != len(strides) or len(shape) > MAX_DIMENSIONS:
        raise TypeError(f"a tensor of {len(shape)} dimensions and {len(strides)} strides")
    return _Tensor(_as(_Storage, storage), _size(offset), shape, strides)


def _size(value):
    if type(value) is not int or not 0 <= value < 1 << 48:
        raise ValueError("a size that is no count of numbers")
    return value


def _names(names):
    listed = [_shown(repr(name)[:60]) for name, _ in zip(names, range(6))]
    return ", ".join(listed) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _sizes(shape):
    return "[" + ", ".join(map(str, shape)) + "]"


def _shown(text):
    """For a message: nothing in it steers a terminal."""
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in str(text)[:200])
