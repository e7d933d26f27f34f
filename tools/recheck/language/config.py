"""LANGUAGE_RULES.md, section 5.2: reading the keys of config.json."""

import json
import re
from fractions import Fraction

from ..envelope import Decimal, MAX_EXPONENT, integer
from ..refusal import Reject, require
from .files import CONFIG


class Keys(dict):
    """An object of config.json, keeping which keys were looked for (`asked`)."""

    def __init__(self, value, name=""):
        super().__init__(value)
        self.name, self.asked = name, set()

    def get(self, key, default=None):
        self.asked.add(key)
        return super().get(key, default)

    def refuse_others(self, neutral=()):
        for key in sorted(self.keys() - self.asked - set(neutral)):
            raise Reject(f"{CONFIG}: key {shown_key(self.name + key)} is not a key that is supported or known to change nothing")


def shown_key(key):
    """The name of a key within a sentence: quoted unless it is short and plain."""
    return key if re.fullmatch(r"[A-Za-z0-9_.-]{1,80}", key) else json.dumps(key[:80]) + "..." * (len(key) > 80)


def keys_of(keys):
    return f"key{'s' * (len(keys) > 1)} {', '.join(map(shown_key, keys))} of {CONFIG}"


def without_keys(config, assumed):
    """The object without the keys that are assumed neutral."""
    config = {key: dict(value) if type(value) is dict else value for key, value in config.items()}
    for key in assumed:
        outer, _, inner = key.partition(".")
        nested = outer in ("rope_scaling", "rope_parameters") and "." in key and type(config.get(outer)) is dict
        holder, own = (config[outer], inner) if nested else (config, key)
        require(own in holder, f"{CONFIG} does not have the key {shown_key(key)}, which is assumed neutral")
        del holder[own]
        require(holder or not nested, f"{CONFIG}: {outer} would be left empty")
    return config


def given(of, key, default, read, *more):
    """What `read` makes of the key's value or, where it is absent or null, of the default."""
    value = of.get(key)
    require(value is not None or default is not True or key not in of, f"{CONFIG}: {key} is null")
    value = default if value is None else value
    require(value is not None, f"{CONFIG} lacks {key}")
    return read(value, f"{CONFIG}: {key}", *more)


def at_least(value, what, least=0):
    if type(value) is Decimal:
        exponent = re.split("[eE]", value + "e0")[1]
        require(len(value) <= 60 and len(exponent.lstrip("+-")) <= 4 and abs(int(exponent)) <= MAX_EXPONENT,
                f"{what} is too long a number")
    require(type(value) in (int, Decimal) and Fraction(value) >= least, f"{what} is not a number in its range")
    return Fraction(value)


def positive(value, what):
    require(at_least(value, what) > 0, f"{what} is not positive")
    return Fraction(value)


def whole_number(value, what, least=1, most=None):
    return integer(value, what, least, most)


def boolean(value, what):
    require(type(value) is bool, f"{what} is not a boolean")
    return value


def one_of(value, what, names):
    require(type(value) is str and value in names, f"{what} is unknown")
    return value
