"""FORMAT.md, section 2: hashes of claim folders and of model files."""

import hashlib
import os
import re
import stat
from functools import lru_cache

from .envelope import HASH, fields, parse_json, read_bytes, same_json, unicode_only
from .refusal import Missing, require

MAX_CLAIM_FILE, MAX_CLAIM, MAX_MODEL = 16777216, 268435456, 1 << 32
FILE_NAME = re.compile(r"[A-Za-z0-9._-]+")


def left_out(name):
    return (name in ("README.md", ".lia.cache", ".nia.cache") or name.endswith((".vo", ".vok", ".vos", ".glob"))
            or (name.startswith(".") and name.endswith(".aux")))


def claim_files(folder):
    """Section 2, steps 1 and 2: the relative paths of the files that count, in no particular order."""
    paths, pending = [], [("", 0)]
    while pending:
        relative, depth = pending.pop()
        with os.scandir(os.path.join(folder, relative)) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                is_file = entry.is_file(follow_symlinks=False)
                require(is_folder or is_file, "the claim folder holds something that is neither file nor folder")
                if is_file and left_out(entry.name):
                    continue
                require(FILE_NAME.fullmatch(entry.name), "the claim folder holds a name with a forbidden character")
                path = f"{relative}/{entry.name}" if relative else entry.name
                if is_folder:
                    require(depth < 8, "the claim folder is more than 8 folders deep")
                    pending.append((path, depth + 1))
                else:
                    paths.append(path)
                    require(len(paths) <= 1000, "the claim folder holds more than 1000 files")
    require(paths, "the claim folder holds no file")
    return paths


def hash_of(data):
    return hashlib.sha256(data).hexdigest()


def claim_hashes(folder):
    """The hash of every file that counts, by its relative path."""
    require(not os.path.islink(folder), "the claim folder is a link")
    hashes, together = {}, 0
    try:
        for path in claim_files(folder):
            data = read_bytes(os.path.join(folder, path), MAX_CLAIM_FILE)
            together += len(data)
            require(together <= MAX_CLAIM, f"the claim folder holds more than {MAX_CLAIM} bytes")
            hashes[path] = hash_of(data)
        return hashes
    except OSError as error:
        raise Missing(f"the claim folder cannot be read: {error.strerror}") from None


def claim_hash(folder):
    """Section 2: the SHA-256 of the sorted lines `path NUL hash LF`."""
    lines = (f"{path}\0{digest}\n" for path, digest in sorted(claim_hashes(folder).items()))
    return hash_of("".join(lines).encode("ascii"))


def hash_string(value, what):
    """A hash as it is written."""
    require(type(value) is str and HASH.fullmatch(value), f"{what} is not a hash")
    return value


def check_claim_hash(value, places):
    """The certificate's `claim_sha256` is that of the first folder <place>/<claim> there is."""
    stated, claim = hash_string(value["claim_sha256"], "claim_sha256"), value["claim"]
    for place in places:
        folder = os.path.join(place, claim)
        if os.path.isdir(folder) or os.path.islink(folder):
            require(claim_hash(folder) == stated, f"claim_sha256 is not the hash of the folder proofs/{claim}")
            return folder
    raise Missing(f"no claim folder proofs/{claim}")


@lru_cache(maxsize=None)
def file_hash(path):
    """The SHA-256 of a regular file or of the one a link leads to, read block by block; None of anything else."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        return None
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def find_model(sha256, folders):
    """The path of the file *.safetensors in one of the folders whose SHA-256 is the one asked for."""
    for folder in folders:
        try:
            names = sorted(name for name in os.listdir(folder) if os.path.splitext(name)[1] == ".safetensors")
        except OSError:
            continue
        for path in (os.path.join(folder, name) for name in names):
            try:
                if os.path.getsize(path) <= MAX_MODEL and file_hash(path) == sha256:
                    return path
            except OSError:
                continue
    raise Missing(f"no model with SHA-256 {sha256}")


def own_statement(folder, step, names):
    """Sections 3.3, 3.4 and 3.8, beginning: the statement is the file's and has the keys `names` and a scope."""
    value = unicode_only(parse_json(read_bytes(os.path.join(folder, step["file"]), MAX_CLAIM_FILE)))
    require(type(value) is dict and "statement" in value, "the file has no statement")
    require(same_json(value["statement"], step["statement"]), "the statement is not the file's")
    statement = fields(step["statement"], ("scope",) + names, "statement")
    require(type(statement["scope"]) is str and statement["scope"], "scope is not a non-empty string")
    return statement
