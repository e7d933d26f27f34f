"""LANGUAGE_RULES.md, sections 5.2 and 5.3: rotary positions and their scaling."""

import itertools
from fractions import Fraction
from math import ceil, floor

from ..checkpoint.forward import rounded
from ..checkpoint.kernels import exponential
from ..envelope import Decimal, same_json
from ..refusal import require
from .config import Keys, at_least, boolean, given, one_of, positive, whole_number
from .files import CONFIG
from .functions import cos_sin, log_ends, pi_ends, quotient


def read_rotary(config, width, neox, base):
    """By rope_scaling and rope_parameters, which say the same where both say something; without a base one must."""
    said = []
    for key in ("rope_scaling", "rope_parameters"):
        if config.get(key) not in (None, {}):
            require(type(config.get(key)) is dict, f"{CONFIG}: {key} must be an object")
            said.append(Keys(config.get(key), key + "."))
    require(said or base is not None, f"{CONFIG} lacks rope_scaling")
    said = said or [Keys({}, "rope_parameters.")]
    found = [Rotary(config, scaling, width, neox, base) for scaling in said]
    require(found[0].stated == found[-1].stated, f"{CONFIG}: rope_parameters contradicts rope_scaling")
    config.asked |= {of.name + key for of in said for key in of.asked}
    return found[0]


class Rotary:
    """Rotary positions: of the first `size` coordinates of a head, j and j + size/2 turn by the angle i f_j."""

    def __init__(self, config, scaling, width, neox, base=10000):
        key, own = "rotary_emb_base" if neox else "rope_theta", 1
        inside = config.get(key) is None and given(scaling, "rope_theta", 0, at_least) > 0
        self.base = given(scaling, "rope_theta", None, positive) if inside else given(config, key, base, positive)
        if neox:
            own = given(config, "rotary_pct", Decimal("0.25"), positive)
        for of in (config, scaling):
            for place, value in (("rope_theta", self.base), ("partial_rotary_factor", own)):
                require(of.get(place) is None or at_least(of.get(place), place) == value,
                        f"{CONFIG}: {of.name}{place} contradicts another key")
        share = Fraction(own)
        require(share <= 1, f"{CONFIG}: rotary positions of more than a head's width")
        parts = share.denominator
        require((share * width).denominator > 1 or parts & (parts - 1) == 0, f"{CONFIG}: rotary_pct is a share that doubles round")
        self.size, self.scaling, self.kept = share.numerator * width // share.denominator, scaling, {}
        require(2 <= self.base <= 10**12 and 2 <= self.size <= width and self.size % 2 == 0,
                f"{CONFIG}: rotary positions out of range")
        self.read_scaling(config, scaling)
        scaling.refuse_others()

    def read_scaling(self, config, scaling):
        older, newer, own = scaling.get("type"), scaling.get("rope_type"), "original_max_position_embeddings"
        require(None in (older, newer) or same_json(older, newer), f"{CONFIG}: type contradicts rope_type")
        self.kind = given(scaling, "type" if newer is None else "rope_type", "default", one_of,
                          ("default", "linear", "llama3", "yarn"))
        self.stated = [self.base, self.size, self.kind]
        if self.kind != "default":
            self.factor = given(scaling, "factor", None, at_least, 1)
            self.stated.append(self.factor)
        if self.kind in ("llama3", "yarn"):
            of, key = (config, "max_position_embeddings") if scaling.get(own) is None else (scaling, own)
            self.context = given(of, key, None, whole_number)
            require(self.context <= 1 << 30, f"{CONFIG}: a context of over 2^30")
            first = config.get("initial_context_length")
            require(first is None or same_json(first, self.context), f"{CONFIG}: initial_context_length is not the context")
        if self.kind == "llama3":
            self.low, self.high = (given(scaling, f"{end}_freq_factor", None, positive) for end in ("low", "high"))
            require(self.high > self.low, f"{CONFIG}: high_freq_factor is not over low_freq_factor")
            self.stated += [self.context, self.low, self.high]
        if self.kind == "yarn":
            require(scaling.get("mscale") is scaling.get("mscale_all_dim") is None, f"{CONFIG}: mscale")
            self.fast, self.slow = given(scaling, "beta_fast", 32, positive), given(scaling, "beta_slow", 1, positive)
            require(self.fast > self.slow, f"{CONFIG}: beta_fast is not over beta_slow")
            require(scaling.get(own) is None or
                    given(config, "max_position_embeddings", None, at_least) == self.factor * self.context,
                    f"{CONFIG}: max_position_embeddings is not factor times {own}")
            self.truncate = given(scaling, "truncate", True, boolean)
            has = scaling.get("attention_factor") is not None
            self.stated += [self.context, self.fast, self.slow, self.truncate,
                            given(scaling, "attention_factor", None, positive) if has else None]

    def plain(self, j, bits):
        """Ends of f_j without scaling."""
        ends = []
        for up, log in zip((False, True), reversed(log_ends(self.base, bits))):
            x = -Fraction(2 * j, self.size) * log
            value, k = exponential(x.numerator, x.denominator, up, bits)
            ends.append(Fraction(value, 1 << k))
        return tuple(ends)

    def border(self, turns, bits, nearest):
        """Ends of I(turns), rounded by `nearest` where the scaling says so."""
        pi = pi_ends(bits)
        logs = [log_ends(self.context / (2 * x * turns), bits)[side] for side, x in enumerate(reversed(pi))]
        low, high = quotient([self.size * x for x in logs], [2 * x for x in log_ends(self.base, bits)])
        if not self.truncate:
            return low, high
        require(nearest(low) == nearest(high), "a border of the rotary scaling cannot be told")
        return (Fraction(nearest(low)),) * 2

    def unscaled_share(self, j, f, bits):
        """Ends of s, the share of f_j that is not divided."""
        if self.kind == "llama3":
            pi = pi_ends(bits)
            ends = [(self.context * x / (2 * y) - self.low) / (self.high - self.low) for x, y in zip(f, reversed(pi))]
        else:
            low = [max(Fraction(0), x) for x in self.border(self.fast, bits, floor)]
            high = [min(Fraction(self.size - 1), x) for x in self.border(self.slow, bits, ceil)]
            if low[0] == low[1] == high[0] == high[1]:
                high = [x + Fraction(1, 1000) for x in high]
            require(low[1] < high[0] or high[1] < low[0], "the borders of the rotary scaling cannot be told apart")
            # monotone in either border
            ramps = [(j - l) / (h - l) for l, h in itertools.product(low, high)]
            ends = [1 - max(ramps), 1 - min(ramps)]
        return [min(Fraction(1), max(Fraction(0), x)) for x in ends]

    def frequency(self, j, bits):
        f = self.plain(j, bits)
        if self.kind == "default":
            return f
        shares = (0, 0) if self.kind == "linear" else self.unscaled_share(j, f, bits)
        return tuple(x * (s + (1 - s) / self.factor) for x, s in zip(f, shares))

    def amplitude(self, bits):
        """Ends of what cos and sin are multiplied by."""
        if self.kind != "yarn":
            return Fraction(1), Fraction(1)
        if self.scaling.get("attention_factor") is not None:
            return (given(self.scaling, "attention_factor", None, positive),) * 2
        return tuple(1 + x / 10 for x in log_ends(self.factor, bits))

    def turn(self, i, p):
        """(cos, sin, error) for each j at position i."""
        if p not in self.kept:
            self.kept[p] = [self.frequency(j, p + 64) for j in range(self.size // 2)], self.amplitude(p + 64)
        if (i, p) not in self.kept:
            (frequencies, (a, b)), turns = self.kept[p], []
            for f in frequencies:
                low, high = floor(i * f[0] * (1 << p)), ceil(i * f[1] * (1 << p))
                error = ceil((high - low + 2) * b + ((1 << p) + 2) * (b - a)) + 1
                turns.append((*(floor(x * a) for x in cos_sin(low, p)), error))
            self.kept[i, p] = turns
        return self.kept[i, p]

    def turned(self, balls, positions, p):
        rows, radii, half = [], [], self.size // 2
        for row, r, i in zip(*balls, positions):
            turns, reach, first, second = self.turn(i, p), [r << p], [], []
            for (c, s, e), x, y in zip(turns, row, row[half:]):
                first.append(x * c - y * s)
                second.append(y * c + x * s)
                reach.append((abs(x) + abs(y)) * e + r * (abs(c) + abs(s) + 2 * e))
            rows.append(first + second + [x << p for x in row[self.size:]])
            radii.append(max(reach))
        return rounded(rows, radii, p, p)
