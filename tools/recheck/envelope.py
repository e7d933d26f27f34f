"""FORMAT.md, section 1: envelope, canonical JSON and the spelling of numbers."""

import json
import os
import re
import stat
import sys
from fractions import Fraction
from functools import lru_cache

from .refusal import Missing, Reject, require, within

MAX_FILE = 268435456
MAX_CONTAINERS = 1 << 25  # no acceptable file has more: what is longest, lists of multipliers, takes 13 bytes for each
MAX_DEPTH = 64
MAX_DIGITS = 20000
MAX_FACTORS = 256
MAX_EXPONENT = 1000
FORMATS = {"theory": 1, "checkpoint": 2, "language": 1, "vectors": 1, "cover": 1}
RATIONAL = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?")
CLAIM = re.compile(r"[a-z][a-z0-9.-]{0,63}")
HASH = re.compile(r"[0-9a-f]{64}")

sys.set_int_max_str_digits(2 * MAX_DIGITS)


def read_bytes(path, limit):
    """All bytes of a regular file of at most `limit` bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Missing("is not a regular file")
        with open(path, "rb") as file:
            data = file.read(min(limit, os.fstat(file.fileno()).st_size) + 1)  # which has room for so many at once
    except (OSError, ValueError) as error:
        raise Missing(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    require(len(data) <= limit, f"longer than {limit} bytes")
    return data


def json_integer(text):
    require(len(text) <= 20 and text != "-0", "a JSON number is out of range or -0")
    value = int(text)
    require(-(1 << 63) <= value < 1 << 64, "a JSON number is out of range")
    return value


def json_refuse(text):
    raise Reject(f"{text[:20]} is not a JSON integer")


class Decimal(str):
    """The text of a JSON number with a fraction or an exponent; type() tells it from a string."""


def json_decimal(text):
    """A number of 10^308 or more in size is a string, as infinities are."""
    digits, _, exponent = text.lstrip("-").lower().partition("e")
    whole, _, part = digits.partition(".")
    first = next((place for place, digit in enumerate(whole + part) if digit != "0"), None)
    is_huge = first is not None and len(whole) - 1 - first + json_exponent(exponent) >= 308
    return text if is_huge else Decimal(text)


def json_exponent(text):
    """Cut off where no file's digits make up for it; Python does not convert the longest ones."""
    size = text.lstrip("+-").lstrip("0") or "0"
    size = int(size) if len(size) <= 9 else 10**9
    return -size if text.startswith("-") else size


def json_number(text):
    """Of a file that other programs write: an integer of any size."""
    try:
        return json_integer(text)
    except Reject:
        return json_decimal(text)


def json_object(pairs):
    value = dict(pairs)
    require(len(value) == len(pairs), "a key occurs twice in one object")
    return value


def parse_json(data, decimal=json_refuse, whole=json_integer, constant=json_refuse):
    """Strict JSON: UTF-8, integers only unless told how to read a decimal, no repeated key, at most 64 deep."""
    require(data.count(b"[") + data.count(b"{") <= MAX_CONTAINERS, "too many arrays and objects")
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=json_object, parse_int=whole,
                           parse_float=decimal, parse_constant=constant)
    except RecursionError:
        raise Reject(f"nested deeper than {MAX_DEPTH}") from None
    except UnicodeDecodeError:
        raise Reject("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Reject(f"not JSON: {error.msg} at character {error.pos}") from None
    level, depth = [value] if type(value) in (dict, list) else [], 0
    while level:
        depth += 1
        require(depth <= MAX_DEPTH, f"nested deeper than {MAX_DEPTH}")
        level = [child for parent in level for child in (parent.values() if type(parent) is dict else parent)
                 if type(child) in (dict, list)]
    return value


def unicode_only(value):
    """The value, in which no string may hold half a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Reject("a string holds half a surrogate pair") from None
    return value


def read_envelope(path):
    """Section 1: the object in the file, whose bytes are its canonical form and one line feed."""
    data = read_bytes(path, MAX_FILE)
    value = parse_json(data)
    require(type(value) is dict, "not a JSON object")
    canonical = json.dumps(unicode_only(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    require(canonical.encode("utf-8") + b"\n" == data, "not in canonical form")
    for key in ("format", "kind", "claim"):
        require(key in value, f"no key {key}")
    require(type(value["kind"]) is str and value["kind"] in FORMATS, "unknown kind")
    known, stated = FORMATS[value["kind"]], integer(value["format"], "format")
    older = "SP0505 a certificate of an older form, certify the model again"
    require(stated == known, older if 1 <= stated < known else f"format is not {known}")
    require(type(value["claim"]) is str and CLAIM.fullmatch(value["claim"]), "claim is not a claim id")
    return value


def fields(value, names, what, optional=()):
    """The object `value`, which must have exactly the keys `names`, and may have the optional ones."""
    require(type(value) is dict, f"{what} is not an object")
    for name in names:
        require(name in value, f"{what} lacks the key {name}")
    for name in value:
        require(name in names or name in optional, f"{what} has the unknown key {name[:40]!r}")
    return value


def integer(value, what, low=None, high=None):
    require(type(value) is int, f"{what} is not an integer")  # a bool is not an integer
    require((low is None or value >= low) and (high is None or value <= high), f"{what} is out of range")
    return value


def array(value, what, length=None):
    require(type(value) is list, f"{what} is not a list")
    require(length is None or len(value) == length, f"{what} does not have {length} entries")
    return value


@lru_cache(maxsize=1 << 10)
def parse_rational(text):
    require(RATIONAL.fullmatch(text) and text != "-0", "not a canonical rational")
    top, slash, bottom = text.partition("/")
    require(len(top.lstrip("-")) <= MAX_DIGITS and len(bottom) <= MAX_DIGITS, "over 20000 digits")
    p, q = int(top), int(bottom) if slash else 1
    value = Fraction(p, q)
    require(value.denominator == q and bottom != "1", "not in lowest terms")
    return value


def rational(value, what, most=2 * MAX_DIGITS + 2):
    """Section 1: a rational number in its one spelling, of at most so many characters."""
    require(type(value) is str, f"{what} is not a rational string")
    require(len(value) <= most, f"{what} has more than {most} characters")
    with within(what):
        return parse_rational(value)


def strings(value, uncounted=()):
    """The strings in the value, but for those in the values of some keys."""
    pending = [value]
    while pending:
        value = pending.pop()
        if type(value) is str:
            yield value
        elif type(value) is dict:
            pending += [item for key, item in value.items() if key not in uncounted]
        elif type(value) is list:
            pending += value


def same_json(left, right):
    """Equality as JSON values (in Python 1 == True)."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
