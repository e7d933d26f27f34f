"""LANGUAGE_RULES.md, section 5.2: the files of a model, and its tensors."""

import os
from contextlib import ExitStack, contextmanager

from ..envelope import json_decimal, json_number, parse_json, read_bytes, unicode_only
from ..hashes import file_hash, hash_string
from ..refusal import Missing, require
from ..tensors import finite, tensor_file

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
ADAPTER = "adapter_config.json"
MAX_CONFIG, MAX_INDEX = 1 << 22, 1 << 26


def check_file_names(files):
    """The object `model.files`."""
    require(type(files) is dict and 2 <= len(files) <= 1024, "model.files must have 2 to 1024 keys")
    require(CONFIG in files and (len(files) == 2 if WEIGHTS in files else INDEX in files),
            "model.files is not a model's")
    for name, digest in files.items():
        require("/" not in name and "\0" not in name and (name in (CONFIG, INDEX) or name.endswith(".safetensors")),
                "model.files has a key that is not a file name")
        hash_string(digest, name)


def find_folder(files, folders):
    """The first folder, of these and those in them, that holds these files, which has no other weights and which is
    no adapter."""
    adapter = False
    def holds(place):
        if WEIGHTS not in files and os.path.exists(os.path.join(place, WEIGHTS)):
            return False
        try:
            return all(file_hash(os.path.join(place, name)) == digest for name, digest in sorted(files.items()))
        except OSError:
            return False
    for folder in folders:
        try:
            inside = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
        except OSError:
            continue
        for place in (folder, *inside):
            if holds(place):
                if not os.path.lexists(os.path.join(place, ADAPTER)):
                    return place
                adapter = True
    require(not adapter, f"{ADAPTER}: another model's weights are changed")
    raise Missing("no folder holds the model's files")


def read_object(folder, name, most):
    data = read_bytes(os.path.join(folder, name), most)
    value = unicode_only(parse_json(data, json_decimal, json_number, str))  # NaN and infinities: strings
    require(type(value) is dict, f"{name} must be an object")
    return value


class Tensors:
    """All tensors of a model's folder by name; those that were read are noted. `size` is that of the files in bytes."""

    def __init__(self, size):
        self.size, self.of, self.read = size, {}, set()

    def values(self, name, *shape):
        """(values, shape); None stands for any length."""
        require(name in self.of, f"the model has no tensor {name}")
        found, read, _ = self.of[name]
        require(len(found) == len(shape) and all(x > 0 and want in (None, x) for x, want in zip(found, shape)),
                f"{name} has the shape {found}")
        self.read.add(name)
        return finite(read(name), name), found


@contextmanager
def opened_tensors(folder, files):
    names = [WEIGHTS] if WEIGHTS in files else sorted(set(files) - {CONFIG, INDEX})
    tensors = Tensors(sum(os.path.getsize(os.path.join(folder, name)) for name in names))
    with ExitStack() as stack:
        place = {}
        for file in names:
            header, _, read = stack.enter_context(tensor_file(os.path.join(folder, file)))
            require(not header.keys() & place.keys(), "two shards hold one tensor")
            place |= dict.fromkeys(header, file)
            tensors.of |= {name: (tensor["shape"], read, tensor["dtype"]) for name, tensor in header.items()}
        if WEIGHTS not in files:
            index = read_object(folder, INDEX, MAX_INDEX)
            require(index.get("weight_map") == place and set(names) == set(place.values()),
                    "the index does not map every tensor of every shard to it")
        yield tensors
