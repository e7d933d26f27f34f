"""Tokens as people have them, as the file of token ids that the command line reads."""
import json
from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path

import numpy

from . import _files

KINDS = ("an array [tokens] or [sequences, tokens] of integers, a list of ids, a list of such lists, a mapping with "
         "input_ids (and attention_mask), a text, a list of texts, or the path of a file or folder as pathlib.Path")
READ = ("input_ids", "attention_mask", "token_type_ids")  # of what a tokenizer returns
NEUTRAL = ("special_tokens_mask", "offset_mapping", "length", "overflow_to_sample_mapping")  # no model reads these


def ids(value):
    """Lists of ids, one a sequence. TypeError: anything else; ValueError: no tokens, or an id below 0."""
    given = value if isinstance(value, Mapping) else {"input_ids": value}
    if "input_ids" not in given:
        raise TypeError(f"tokens: a mapping needs input_ids; this one has {', '.join(map(str, given)) or 'nothing'}")
    unread = [str(key) for key in given if key not in READ and key not in NEUTRAL]
    if unread:
        raise TypeError(f"tokens: {', '.join(unread)} would change what a model computes, and is not read. Give input_ids and attention_mask alone")
    rows = _rows("input_ids", given["input_ids"])
    others = {key: _rows(key, given[key]) for key in READ[1:] if given.get(key) is not None}
    for key, beside in others.items():
        if [len(row) for row in beside] != [len(row) for row in rows]:
            raise ValueError(f"tokens: {key} has another shape than input_ids")
    if any(map(any, others.get("token_type_ids", ()))):
        raise ValueError("tokens: token_type_ids must all be 0: models are run on one text, not on a pair")
    if "attention_mask" in others:
        rows = [_seen(number, *pair) for number, pair in enumerate(zip(rows, others["attention_mask"]))]
    for number, row in enumerate(rows):
        if not row:
            raise ValueError(f"tokens: sequence {number} has no tokens")
        if min(row) < 0:
            raise ValueError(f"tokens: sequence {number} has the id {min(row)}; ids count from 0")
    if not rows:
        raise ValueError("tokens: no sequence is given")
    return rows


def _seen(number, row, mask):
    """The tokens of a row without the padding before and after them."""
    if set(mask) - {0, 1}:
        raise ValueError(f"tokens: attention_mask of sequence {number} must hold 0 and 1 alone")
    count = sum(mask)
    first = mask.index(1) if count else 0
    if not all(mask[first:first + count]):
        raise ValueError(f"tokens: attention_mask of sequence {number} hides a token between others; only padding at the ends is left out")
    return row[first:first + count]


def texts(value):
    """The texts of `value`, or None where it holds none. TypeError where texts and ids are mixed."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) and any(isinstance(each, str) for each in value):
        if not all(isinstance(each, str) for each in value):
            raise TypeError("tokens: a list of texts holds texts alone")
        return list(value)
    return None


def reads_bytes(folder):
    """Whether train-lm wrote the folder: its tokens are bytes, and it knows whether its texts had a token before them."""
    try:
        config = json.loads((Path(folder) / "config.json").read_text())
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("tokenizer_class") == "SinkproofBytes" and not (Path(folder) / "tokenizer.json").exists()


def option_of(path):
    """Whether a file or folder is for --tokens or for --text: the first line of a .jsonl file says."""
    if path.suffix == ".jsonl":
        with open(path, encoding="utf-8", errors="replace") as lines:
            return "tokens" if next(lines, "").lstrip().startswith("[") else "text"
    return "tokens" if path.suffix in (".json", ".npy") else "text"


def _rows(name, value):
    """Lists of Python integers, whatever held them."""
    if _files.is_tensor(value):
        array = _files.array(name, value)
        if array.dtype.kind not in "iu":
            raise TypeError(f"tokens: {name} must be integers, not {array.dtype}. For ids that became floats, give .astype(int)")
        if array.ndim not in (1, 2):
            raise TypeError(f"tokens: {name} must have 1 or 2 dimensions, not {array.ndim}")
        return array.reshape(-1, array.shape[-1]).tolist()
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise TypeError(f"tokens must be {KINDS}; not {type(value).__name__}")
    if all(isinstance(each, Integral) and not isinstance(each, (bool, numpy.bool_)) for each in value):
        return [[int(each) for each in value]] if value else []
    rows = []
    for each in value:
        if isinstance(each, Integral) and not isinstance(each, (bool, numpy.bool_)):
            continue  # beside something else, which is at fault
        nested = _rows(name, each) if _files.is_tensor(each) or isinstance(each, (list, tuple)) else None
        if nested is None or len(nested) > 1:
            raise TypeError(f"tokens: {name} holds {each if nested is None else type(each).__name__!r}; give {KINDS}")
        rows += nested or [[]]
    if len(rows) < len(value):
        raise TypeError(f"tokens: {name} mixes ids and sequences; give {KINDS}")
    return rows
