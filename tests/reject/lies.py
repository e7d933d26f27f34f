#!/usr/bin/env python3
"""Lies, written out from the tables beside this file (README.md says what a row is): python3 tests/reject/lies.py OUT

Each becomes a folder of its own, OUT/TABLE/NAME with certificates/lie.json, the models beside it and proofs/, so that a
checker finds everything without being told where. A table, row or change that makes no sense is an exception.
"""

import copy
import hashlib
import json
import pathlib
import re
import struct
import sys
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLES = ("bytes", "theory", "construction", "checkpoint", "language", "cover")
MODEL_FILES = (".safetensors", "config.json")
NO_FILE_OF_A_CLAIM = re.compile(r"README\.md|\.[ln]ia\.cache|.*\.(vo|vok|vos|glob)|\..*\.aux")
FORMATS = {"F32": "<f", "F64": "<d"}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def read_model(data):
    """A safetensors file as JSON: its header, where a tensor has `values` in place of offsets."""
    size, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    for name, tensor in header.items():
        if name != "__metadata__":
            begin, end = tensor.pop("data_offsets")
            tensor["values"] = [x for x, in struct.iter_unpack(FORMATS[tensor["dtype"]], data[8 + size + begin:8 + size + end])]
    return header


def write_model(model):
    header, data = {}, b""
    for name, entry in model.items():
        header[name] = entry
        if name != "__metadata__":
            begin = len(data)
            data += b"".join(struct.pack(FORMATS[entry["dtype"]], float("nan") if x == "nan" else Fraction(x)) for x in entry["values"])
            header[name] = {"dtype": entry["dtype"], "shape": entry["shape"], "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def distinct(pairs):
    value = dict(pairs)
    assert len(value) == len(pairs), pairs
    return value


def index(items, token):
    """A position in an array: its number, `-` for its end, or the name (or file) of the object there."""
    if token == "-":
        return len(items)
    if token.isdigit():
        return int(token)
    found = [i for i, item in enumerate(items) if type(item) is dict and token in (item.get("name"), item.get("file"))]
    assert len(found) == 1, token
    return found[0]


class Place:
    """What a JSON pointer names in a value: an entry of an object or of an array, there or about to be."""

    def __init__(self, value, tokens):
        self.box = self.holder = [value]
        self.key = 0
        for token in tokens:
            self.holder = self.get()
            self.key = index(self.holder, token) if type(self.holder) is list else token

    def get(self):
        return self.holder[self.key]

    def put(self, value):
        if type(self.holder) is list and self.key == len(self.holder):
            self.holder.append(value)
        else:
            self.holder[self.key] = value


CERTIFICATE = "certificates/lie.json"


class Case:
    """A certificate, the folder of claim folders it is read with and its models: {path: bytes}, all in memory."""

    def __init__(self, of):
        self.evidence, self.verdict = of["evidence"], of.get("verdict", "proved")
        proofs, certificate = ROOT / of["proofs"], json.loads((ROOT / of["certificate"]).read_bytes())
        self.claim = certificate["claim"]
        self.files = {f"proofs/{path.relative_to(proofs).as_posix()}": path.read_bytes()
                      for name in (self.claim, *of.get("beside", ())) for path in (proofs / name).rglob("*")
                      if path.is_file() and not NO_FILE_OF_A_CLAIM.fullmatch(path.name)}
        self.files |= {f"certificates/{pathlib.Path(path).name}": (ROOT / path).read_bytes() for path in of.get("models", ())}
        certificate["claim_sha256"] = self.folder_hash(self.claim)  # another wording of the claim makes no other base
        self.files[CERTIFICATE] = canonical(certificate)

    def folder_hash(self, claim):
        """FORMAT.md, section 2."""
        folder = f"proofs/{claim}/"
        lines = [path[len(folder):].encode() + b"\0" + sha256(data).encode() + b"\n" for path, data in self.files.items()
                 if path.startswith(folder) and not NO_FILE_OF_A_CLAIM.fullmatch(path.rsplit("/", 1)[1])]
        return sha256(b"".join(sorted(lines)))

    # -- one change ------------------------------------------------------------------------------------------------

    def path(self, name):
        """Where a file is: the certificate (no name), a model, a file of the claim's folder or of one beside it."""
        if not name:
            return CERTIFICATE
        if name.endswith(MODEL_FILES):
            return f"certificates/{name}"
        return f"proofs/{name[3:]}" if name.startswith("../") else f"proofs/{self.claim}/{name}"

    def read(self, path):
        return (read_model if path.endswith(".safetensors") else json.loads)(self.files[path])

    def place(self, pointer):
        """(path, place) of /IN/THE/CERTIFICATE, FILE or FILE#/IN/THE/FILE; a whole file has no path it is in."""
        name, _, inside = ("", "", pointer) if pointer[0] == "/" else pointer.partition("#")
        path = self.path(name)
        return (path, Place(self.read(path), inside.split("/")[1:])) if inside else (None, Place(self.files, [path]))

    def get(self, pointer):
        return self.place(pointer)[1].get()

    def change(self, kind, pointer, argument):
        path, place = self.place(pointer)
        before = repr(place.box)
        kind(self, place, argument)
        assert repr(place.box) != before, f"{kind.__name__} {pointer} changes nothing"
        if path:
            self.files[path] = (write_model if path.endswith(".safetensors") else canonical)(place.box[0])

    # The kinds of change: what each does to a place.

    def set(self, place, value):
        place.put(value.encode() if place.holder is self.files else value)

    def drop(self, place, _):
        del place.holder[place.key]

    def insert(self, place, value):
        place.holder.insert(place.key, value)

    def copy(self, place, pointer):
        if type(place.holder) is list:
            self.insert(place, self.get(pointer))
        else:
            place.put(self.get(pointer))

    def plus(self, place, number):
        place.put(str(Fraction(place.get()) + Fraction(number)))

    def times(self, place, number):
        place.put(str(Fraction(place.get()) * Fraction(number)))

    def repeat(self, place, count):
        place.put(place.get() * count)

    def permute(self, place, order):
        place.put([place.get()[index(place.get(), token)] for token in order])

    CHANGES = {kind.__name__: kind for kind in (set, drop, insert, copy, plus, times, repeat, permute)}

    # -- all of a row ----------------------------------------------------------------------------------------------

    def follow(self):
        """The claim's files state what the steps state."""
        for step in self.read(CERTIFICATE)["steps"]:
            stated = f"{step['file']}#/statement"
            if "statement" in step and canonical(self.get(stated)) != canonical(step["statement"]):
                self.change(Case.set, stated, step["statement"])

    def seal(self, base):
        """Brings every hash up to date that the row left alone."""
        hashes = {sha256(data): sha256(self.files[path]) for path, data in base.files.items() if path.endswith((*MODEL_FILES, ".v")) and path in self.files}
        hashes |= {base.folder_hash(claim): self.folder_hash(claim) for claim in (self.claim, "theory")}
        text = self.files[CERTIFICATE].decode()
        for old, new in hashes.items():
            text = text.replace(f'"{old}"', f'"{new}"')
        self.files[CERTIFICATE] = text.encode()

    def spoil(self, old, new):
        """Texts stand for bytes: U+00FF is the byte FF."""
        data = self.files[CERTIFICATE]
        assert data.count(old.encode("latin-1")) == 1, old
        self.files[CERTIFICATE] = data.replace(old.encode("latin-1"), new.encode("latin-1"))

    def write(self, folder):
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return folder / CERTIFICATE


ABOUT = {"code", "verdict", "exit", "name", "says", "recheck", "evidence", "follow", "sealed", "bytes"}


def lie(base, row):
    """The case that a row makes of its base."""
    case = copy.copy(base)
    case.files = dict(base.files)
    assert set(row) <= ABOUT | set(Case.CHANGES), sorted(row)
    for kind, changes in row.items():
        if kind in Case.CHANGES:
            for pointer, argument in changes.items() if type(changes) is dict else ((pointer, None) for pointer in changes):
                case.change(Case.CHANGES[kind], pointer, argument)
    if row.get("follow"):
        case.follow()
    if row.get("sealed", True):
        case.seal(base)
    for old, new in row.get("bytes", ()):
        case.spoil(old, new)
    assert case.files != base.files, f"{row['name']} changes nothing"
    return case


def rows():
    """Every (table, base's name, base, row); a row has its group's keys besides its own."""
    for table in TABLES:
        for name, group in json.loads((HERE / f"{table}.json").read_text(), object_pairs_hook=distinct).items():
            base = Case(group["of"])
            for row in group["rows"]:
                yield table, name, base, group.get("each", {}) | row


def title(row):
    return f"{row.get('code') or row['verdict']}-{row['name']}"


def main():
    out = pathlib.Path(sys.argv[1])
    for table, _, base, row in rows():
        lie(base, row).write(out / table / title(row))


if __name__ == "__main__":
    main()
