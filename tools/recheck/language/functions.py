"""LANGUAGE_RULES.md, section 5.3: pi, logarithms, roots, cos and sin, and the activations."""

from fractions import Fraction
from functools import lru_cache
from math import floor, isqrt

from ..checkpoint.forward import Balls, logistic_ends, rounded
from ..checkpoint.kernels import exponential

# Numbers are integers in units of 2^-p and balls those of 4.6; ends of an enclosure are a pair, of integers in these
# units or, of constants, of fractions.


def arc(z, sign, bits):
    """Ends of z + sign z^3/3 + z^5/5 + ..., 0 <= z <= 1/2: artanh z, of sign -1 arctan z. Each of the fewer than 2^16
    terms, and what is left, is off by less than 4 units of 2^-(bits + 32)."""
    bits += 32
    term, square = (z.numerator << bits) // z.denominator, (z.numerator**2 << bits) // z.denominator**2
    total, i, s = 0, 1, 1
    while term:
        total, term, i, s = total + s * (term // i), term * square >> bits, i + 2, s * sign
    return Fraction(total - (1 << 18), 1 << bits), Fraction(total + (1 << 18), 1 << bits)


@lru_cache(maxsize=None)
def pi_ends(bits):
    (a, b), (c, d) = arc(Fraction(1, 5), -1, bits), arc(Fraction(1, 239), -1, bits)
    return 16 * a - 4 * d, 16 * b - 4 * c


@lru_cache(maxsize=None)
def log_ends(x, bits):
    """Ends of the natural logarithm of a number > 0: that of 2^e m, m between 2/3 and 3/2."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    m = x / Fraction(2)**e
    e, m = (e + 1, m / 2) if m > Fraction(3, 2) else (e - 1, m * 2) if m < Fraction(2, 3) else (e, m)
    two, own = arc(Fraction(1, 3), 1, bits), arc(abs(m - 1) / (m + 1), 1, bits)
    own = own if m >= 1 else (-own[1], -own[0])
    return tuple(2 * (x + y) for x, y in zip(own, sorted(e * y for y in two)))


def root_ends(x, bits):
    """Ends of the square root of a number >= 0."""
    low = isqrt((x.numerator << 2 * bits) // x.denominator)
    return Fraction(low, 1 << bits), Fraction(low + 1, 1 << bits)


def quotient(a, b):
    """Ends of the quotient of fractions, the divisor positive."""
    return a[0] / b[a[0] >= 0], a[1] / b[a[1] < 0]


def cos_sin(x, p):
    """cos and sin of x >= 0, each less than 2 off: of x / 2^h by their series, the angle then doubled h times. A number
    off by e is, doubled, off by less than 4 e, and a series by less than 2^14."""
    h = max(0, x.bit_length() - p) + 8
    q = p + 2 * h + 16
    y, term, k, parts = x << (q - p - h), 1 << q, 0, [0, 0]
    while term:
        parts[k & 1] += -term if k & 2 else term
        k += 1
        term = (term * y >> q) // k
    c, s = parts
    for _ in range(h):
        c, s = (c * c - s * s) >> q, c * s >> (q - 1)
    return c >> (q - p), s >> (q - p)


@lru_cache(maxsize=None)
def normal_density(p):
    """Ends of 1 / sqrt(2 pi), the normal distribution's density at 0."""
    return [floor(root_ends(1 / (2 * y), p)[up] * (1 << p)) + up for up, y in enumerate(reversed(pi_ends(p)))]


def normal_share(x, p):
    """Ends of the normal distribution's function: 1/2 + exp(-x^2/2) (x + x^3/3 + x^5/15 + ...) / sqrt(2 pi) for x >= 0;
    1 - it is below exp(-x^2/2)."""
    y, q, half = abs(x), p + 32, 1 << (p - 1)
    if y * y >= p << (2 * p + 1):
        low, high = (1 << p) - 1, 1 << p
    else:
        square, ends = y * y << (q - 2 * p) if q >= 2 * p else y * y >> (2 * p - q), []
        for up, more in ((False, 0), (True, 1)):
            total = term = y << (q - p)
            n = 1
            while term > more or up and (n + 2 << q) < 2 * (square + 1):  # then each is at most half the last
                n += 2
                term = -(-term * (square + 1) >> q) // n + 1 if up else (term * square >> q) // n
                total += term
            e, k = exponential(-y * y, 2 << 2 * p, up, q)
            ends.append((total + more * term) * e * normal_density(q)[up] >> k + 2 * q - p)
        low, high = half + ends[0], min(1 << p, half + ends[1] + 1)
    return (low, high) if x >= 0 else ((1 << p) - high, (1 << p) - low)


def logistic_share(x, p):
    return logistic_ends(x, x, p)


@lru_cache(maxsize=None)
def cubic_slope(p):
    """Ends of 2 sqrt(2/pi)."""
    return [root_ends(8 / y, p)[side] for side, y in enumerate(reversed(pi_ends(p)))]


def cubic_share(x, p):
    """Ends of the logistic function of 2 sqrt(2/pi) (x + 0.044715 x^3)."""
    top, bottom = (200000 * x << 2 * p) + 8943 * x**3, 200000 << 2 * p
    low, high = sorted(top * y.numerator // (bottom * y.denominator) for y in cubic_slope(p + 64))
    return logistic_ends(low, high + 1, p)


# What x is multiplied by; None of relu. No slope exceeds 2.
ACTIVATIONS = {"relu": None, **dict.fromkeys(("silu", "swish"), logistic_share), "gelu": normal_share,
               **dict.fromkeys(("gelu_new", "gelu_pytorch_tanh"), cubic_share)}


def activated(balls, name, p):
    if name == "relu":
        return Balls([[max(0, x) for x in row] for row in balls.rows], balls.radii)
    rows, radii = [], []
    for row, r in zip(*balls):
        ends = [ACTIVATIONS[name](x, p) for x in row]
        rows.append([x * low for x, (low, _) in zip(row, ends)])
        radii.append(max(abs(x) * (high - low) for x, (low, high) in zip(row, ends)) + (2 * r << p))
    return rounded(rows, radii, p, p)
