"""torch.save files are read without their pickles being run: what they hold is read exactly, everything else is refused.

PyTorch is not needed: the files are written here, by Python's own pickler with stand-ins for torch's classes.

usage: torch_file_test.py BUILD SOURCE
"""
import collections
import io
import pickle
import random
import shutil
import struct
import sys
import tempfile
import time
import tracemalloc
import types
import unittest
import zipfile
import zlib
from pathlib import Path

import numpy

BUILD, SOURCE = (Path(word).resolve() for word in sys.argv[1:3])
sys.path[:0] = [str(BUILD / "python")]
import sinkproof  # noqa: E402
from sinkproof import _torch_file  # noqa: E402

KINDS = {"f8": "DoubleStorage", "f4": "FloatStorage", "f2": "HalfStorage", "i8": "LongStorage", "i4": "IntStorage",
         "i2": "ShortStorage", "i1": "CharStorage", "u1": "ByteStorage", "b1": "BoolStorage", "bf": "BFloat16Storage"}

# Stand-ins, so that the pickler writes "torch FloatStorage" and "torch._utils _rebuild_tensor_v2".
TORCH, UTILS = types.ModuleType("torch"), types.ModuleType("torch._utils")
for kind in KINDS.values():
    setattr(TORCH, kind, type(kind, (), {"__module__": "torch"}))


def _rebuild_tensor_v2(*_):
    raise AssertionError("a pickle was run")


def _rebuild_parameter(*_):
    raise AssertionError("a pickle was run")


for function in (_rebuild_tensor_v2, _rebuild_parameter):
    function.__module__ = "torch._utils"
    setattr(UTILS, function.__name__, function)


class Storage:
    def __init__(self, kind, key, data, count=None):
        self.kind, self.key, self.data = kind, key, data
        self.count = len(data) // (2 if kind == "bf" else numpy.dtype(kind).itemsize) if count is None else count


class Tensor:
    def __init__(self, storage, shape, strides=None, offset=0):
        self.arguments = storage, offset, shape, contiguous(shape) if strides is None else strides, False, collections.OrderedDict()

    def __reduce__(self):
        return _rebuild_tensor_v2, self.arguments


class Parameter:
    def __init__(self, tensor):
        self.tensor = tensor

    def __reduce__(self):
        return _rebuild_parameter, (self.tensor, True, collections.OrderedDict())


class Call:
    """What runs code where it is unpickled."""

    def __init__(self, function, *arguments):
        self.told = function, arguments

    def __reduce__(self):
        return self.told


def contiguous(shape):
    return tuple(int(numpy.prod(shape[at + 1:], dtype=object)) for at in range(len(shape)))


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if isinstance(value, Storage):
            return "storage", getattr(TORCH, KINDS[value.kind]), value.key, "cpu", value.count
        return None


def pickled(value, protocol=2):
    out = io.BytesIO()
    sys.modules.update({"torch": TORCH, "torch._utils": UTILS})
    try:
        Pickler(out, protocol).dump(value)
    finally:
        del sys.modules["torch"], sys.modules["torch._utils"]
    return out.getvalue()


def storage(array, key="0"):
    return Storage(array.dtype.str[1:], key, array.tobytes())


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.folder / "model.pt"

    def write(self, code, storages=(), compression=zipfile.ZIP_STORED, **members):
        with zipfile.ZipFile(self.path, "w", compression) as archive:
            archive.writestr("model/data.pkl", code if isinstance(code, bytes) else pickled(code))
            for each in storages:
                archive.writestr(f"model/data/{each.key}", each.data)
            for name, data in members.items():
                archive.writestr(f"model/{name}", data)
        return self.path

    def refused(self, message, **options):
        with self.assertRaisesRegex(sinkproof.Error, message) as caught:
            sinkproof.load(self.path, **options)
        self.assertEqual((caught.exception.code, caught.exception.where), ("SP1110", str(self.path)))

    def test_every_dtype(self):
        values, tensors, storages = {}, collections.OrderedDict(), []
        for key, kind in enumerate(KINDS):
            array = numpy.array([[0, 1, 1], [1, 0, 1]], dtype="u2" if kind == "bf" else kind)
            if kind == "bf":
                array = (numpy.array([[1, -0.5, 3.140625], [2.0**-130, 0, 8]], "f4").view("u4") >> 16).astype("u2")
            storages.append(Storage(kind, str(key), array.tobytes()))
            tensors[f"layer.{kind}"] = Tensor(storages[-1], (2, 3))
            values[f"layer.{kind}"] = array
        tensors._metadata = collections.OrderedDict({"": {"version": 1}})  # as Module.state_dict() has it
        for protocol in (2, 3, 4, 5):
            found, metadata = sinkproof.load(self.write(pickled(tensors, protocol), storages, version=b"3\n", byteorder=b"little"))
            self.assertEqual((list(found), metadata), (list(values), {}))
            for name, array in values.items():
                if name == "layer.bf":
                    self.assertEqual(found[name].tolist(), [[1, -0.5, 3.140625], [2.0**-130, 0, 8]])
                else:
                    self.assertEqual((found[name].dtype, found[name].tolist()), (array.dtype, array.tolist()))

    def test_tensors_that_are_not_their_numbers(self):
        data = storage(numpy.arange(4.0))
        for bits in ({"neg": True}, {"conj": True}, {"neg": True, "conj": True}):
            negated = Tensor(data, (4,))
            negated.arguments += (bits,)  # torch.view_as_real(...).conj().imag and its like
            self.write(pickled({"w": negated}), [data])
            self.refused(r"another one than its numbers: .*(neg|conj).*resolve_conj")
        for none in ({}, None):
            plain = Tensor(data, (4,))
            plain.arguments += (none,)
            self.assertEqual(sinkproof.load(self.write(pickled({"w": plain}), [data]))[0]["w"].tolist(), [0, 1, 2, 3])

    def test_views_parameters_and_empty_tensors(self):
        data = storage(numpy.arange(12.0))
        found, _ = sinkproof.load(self.write({
            "transposed": Tensor(data, (4, 3), (1, 4)), "part": Parameter(Tensor(data, (2, 2), (4, 1), 5)),
            "scalar": Tensor(data, (), (), 11), "empty": Tensor(data, (0, 3)), "whole": Tensor(data, (12,))}, [data]))
        self.assertEqual(found["transposed"].tolist(), numpy.arange(12.0).reshape(3, 4).T.tolist())
        self.assertEqual(found["part"].tolist(), [[5, 6], [9, 10]])
        self.assertEqual((float(found["scalar"]), found["empty"].shape), (11, (0, 3)))
        found["whole"][0] = 9
        self.assertEqual(found["transposed"][0, 0], 0)  # nobody else's

    def test_a_file_with_more_than_a_state_dict(self):
        data = storage(numpy.ones(2))
        self.write({"model": {"w": Tensor(data, (2,))}, "epoch": 3}, [data])
        self.refused("holds more than tensors: 'model', 'epoch'.*key='model'")
        self.assertEqual(sinkproof.load(self.path, key="model")[0]["w"].tolist(), [1, 1])
        self.refused("no state_dict under 'epoch'; it holds 'model', 'epoch'", key="epoch")
        with self.assertRaises(sinkproof.Error) as raised:
            sinkproof.certify(self.path, key="model", attention="softmax", length=4)
        self.assertEqual(raised.exception.code, "SP1112")  # read, and no attention layer
        self.write({"w": Tensor(data, (2,)), "lr": 0.1}, [data])
        self.refused("'lr': not a tensor")

    def test_certify_and_convert_read_them(self):
        source = SOURCE / "tests/checkpoints/relu-d8-l8.safetensors"
        arrays, _ = sinkproof.load(source)
        stored = {name: storage(array, str(key)) for key, (name, array) in enumerate(arrays.items())}
        self.write({name: Tensor(stored[name], array.shape) for name, array in arrays.items()}, stored.values())
        options = {"property": "bos-floor.pre", "attention": "relu", "length": 8}
        found = sinkproof.certify(self.path, **options)
        self.assertEqual(found.model["sha256"], sinkproof.certify(arrays, **options).model["sha256"])

    def test_code_is_never_run(self):
        proof = self.folder / "ran"
        for call in (Call(open, str(proof), "w"), Call(eval, f"open({str(proof)!r}, 'w')"), Call(collections.Counter)):
            for protocol in (2, 4):
                self.write(pickled({"w": call}, protocol))
                name = call.told[0].__name__
                self.refused(rf"names \w+\.{name}, which is not a tensor")
                self.assertFalse(proof.exists())
        with self.assertRaises(AssertionError):  # the stand-ins do notice
            pickle.loads(pickled({"w": Call(_rebuild_tensor_v2)}).replace(b"torch._utils", b"__main__"))

    def test_opcodes_that_no_state_dict_needs(self):
        for name, code in (("INST", b"(ios\nsystem\n."), ("OBJ", b"(cos\nsystem\no."), ("EXT1", b"\x82\x01."), ("DUP", b"}2."),
                           ("PERSID", b"Px\n."), ("NEWOBJ", b"}}\x81."), ("STRING", b"S'x'\n."), ("LONG4", b"\x8b\x01\0\0\0\1.")):
            self.write(code)
            self.refused(f"opcode {name}|names os.system")

    def test_hostile_sizes(self):
        small = storage(numpy.ones(4))
        huge = 1 << 40
        for message, tensor in (
                ("more entries than its storage", Tensor(small, (huge, huge), (0, 0))), ("more entries", Tensor(small, (5,), (0,))),
                ("more entries", Tensor(small, (0, huge))), ("beyond its storage", Tensor(small, (2,), (huge,))),
                ("beyond its storage", Tensor(small, (4,), (1,), 1)), ("beyond its storage", Tensor(small, (0,), (1,), 5)),
                ("no count", Tensor(small, (-1,), (1,))), ("no count", Tensor(small, (2,), (-1,), 3)),
                ("no count", Tensor(small, (1 << 70,), (1,))), ("no count", Tensor(small, (True,), (1,))),
                ("9 dimensions", Tensor(small, (1,) * 9)), ("2 strides", Tensor(small, (2,), (1, 1))),
                ("32 bytes, not 5 numbers", Tensor(Storage("f8", "0", small.data, 5), (5,))),
                ("is missing", Tensor(Storage("f8", "7", small.data), (4,))),
                ("the key of a storage", Tensor(Storage("f8", "../data.pkl", small.data), (4,)))):
            self.write({"w": tensor}, [small])
            self.refused(message)
        self.write({f"w{k}": Tensor(small, (4,)) for k in range(1000)}, [small])  # names are most of the file: it may grow
        size = self.path.stat().st_size
        self.assertEqual(len(sinkproof.load(self.path)[0]), 1000)
        data = storage(numpy.zeros(1 << 17))
        self.write({f"w{k}": Tensor(data, (1 << 17,)) for k in range(100)}, [data])
        self.assertLess(size, self.path.stat().st_size)
        self.refused("more than 4 times the bytes of the file")

    def test_bombs(self):
        zeros = Storage("f8", "0", bytes(1 << 26))
        self.write({"w": Tensor(zeros, (1 << 23,))}, [zeros], zipfile.ZIP_DEFLATED)
        self.refused("compressed")
        self.write(b"\x80\x02" + b"}" * (_torch_file.MAX_OPCODES + 1) + b".")
        self.refused("opcodes")
        self.write(b"\x80\x02" + b"X\0\0\x10\0" + bytes(1 << 20) * 9)
        self.refused("at most 8388608 are read")
        nested = b"\x80\x02]" + b"".join(b"q\0h\0h\0\x86" for _ in range(100_000)) + b"."  # a pair of a pair of ...
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        self.write(nested)
        begun = time.monotonic()
        self.refused("does not hold a state_dict")
        self.assertLess(tracemalloc.get_traced_memory()[1], 200 << 20)
        self.assertLess(time.monotonic() - begun, 60)

    def test_cycles(self):
        self.write(b"\x80\x02}q\0X\1\0\0\0wh\0s.")  # {"w": itself}
        self.refused("not a tensor")
        self.write(b"\x80\x02]q\0h\0a.")
        self.refused("does not hold a state_dict")
        self.write(b"\x80\x02}h\7.")
        self.refused("damaged")

    def test_two_members_over_the_same_bytes(self):
        """A member within another: what is read adds up to no more than the file has."""
        payload, name = bytes(1 << 16), b"model/data/1"
        header = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 0, 0, 33, zlib.crc32(payload), len(payload), len(payload), len(name), 0)
        outer, inner = Storage("u1", "0", header + name + payload), Storage("u1", "1", payload)
        self.write({"a": Tensor(outer, (1,)), "b": Tensor(inner, (1,))}, [outer])
        raw = self.path.read_bytes()
        end, place = raw.rindex(b"PK\5\6"), raw.index(header)
        start, = struct.unpack("<I", raw[end + 16:end + 20])
        twin = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 0, 0, 33, zlib.crc32(payload), len(payload), len(payload),
                           len(name), 0, 0, 0, 0, 0, place) + name
        self.path.write_bytes(raw[:end] + twin + raw[end:end + 8] + struct.pack("<HHI", 3, 3, end - start + len(twin)) + raw[end + 16:])
        self.refused("data/1 has 65536 bytes; at most .* are read|Overlapped entries")  # some versions of zipfile look, too

    def test_other_files(self):
        self.write({}, [], byteorder=b"big")
        self.refused("big-endian")
        with zipfile.ZipFile(self.path, "w") as archive:
            archive.writestr("word/document.xml", "x")
        self.refused("without one member NAME/data.pkl")
        with zipfile.ZipFile(self.path, "w") as archive:
            archive.writestr("w.npy", b"\x93NUMPY")
        self.refused("NumPy .npz archive")
        self.path.write_bytes(b"PK\3\4" + bytes(100))
        self.refused("not a whole zip")
        self.path.write_bytes(pickle.dumps({"w": 1}))
        with self.assertRaises(sinkproof.Error):
            sinkproof.load(self.path)

    def test_damaged_bytes_are_refused_and_nothing_else(self):
        data = storage(numpy.arange(6.0))
        whole = pickled(collections.OrderedDict(w=Tensor(data, (2, 3)), v=Parameter(Tensor(data, (6,)))))
        generator, read = random.Random(3), 0
        for _ in range(3000):
            code = bytearray(whole)
            for _ in range(generator.randrange(1, 4)):
                code[generator.randrange(len(code))] = generator.randrange(256)
            self.write(bytes(code), [data])
            try:
                sinkproof.load(self.path)
                read += 1
            except sinkproof.Error as error:
                self.assertEqual(error.code, "SP1110")
        self.assertLess(read, 3000)
        self.write(whole, [data])
        self.assertEqual(sinkproof.load(self.path)[0]["w"].tolist(), [[0, 1, 2], [3, 4, 5]])


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main(verbosity=2)
