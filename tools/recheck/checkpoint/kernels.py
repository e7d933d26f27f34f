"""CHECKPOINT_RULES.md, section 4.4: exp, and the kernels made of it."""

from fractions import Fraction
from functools import lru_cache

from ..refusal import require


@lru_cache(maxsize=1 << 16)
def exponential(p, q, up, bits=96):
    """exp_up of x = p/q, q > 0, to `bits` bits, else exp_down: (integer, k), meaning integer / 2^k.

    None where there is none: exp_up above 4096.
    """
    if abs(p) > 4096 * q:
        if (p > 0) == up:
            return None if up else (0, 0)
        p, q = (4096 if p > 0 else -4096), 1
    y = abs(p)
    h = (max(1, -(-2 * y // q)) - 1).bit_length()
    k = bits + h + 16
    total = term = 1 << k
    i = 0
    if up == (p >= 0):
        high = -((-y << k) // (q << h))
        while term > 1:
            i += 1
            term = -((-term * high >> k) // i)
            total += term
        total += 1
        for _ in range(h):
            total = -(-total * total >> k)
    else:
        low = (y << k) // (q << h)
        while term:
            i += 1
            term = (term * low >> k) // i
            total += term
        for _ in range(h):
            total = total * total >> k
    if p >= 0:
        return total, k
    bits += 32 - (-3 * y // (2 * q))
    whole = 1 << (bits + k)
    return (-(-whole // total) if up else whole // total), bits


NO_EXP = "exp of a number over 4096"


def kernel_end(kernel, x, up, what):
    """Section 4.4: kernel_up (`up`) or kernel_down of the number x."""
    p, q = x.numerator, x.denominator
    if kernel == "sigmoid":
        found = exponential(-p, q, not up)
        require(found, f"{what}: {NO_EXP}")
        e, k = found
        bits = 128 if p >= 0 else 128 - (-3 * min(-p, 4096 * q) // (2 * q))
        whole, one = 1 << (bits + k), 1 << k
        return Fraction(-(-whole // (one + e)) if up else whole // (one + e), 1 << bits)
    if kernel == "exp" or (kernel == "elu1" and p < 0):
        found = exponential(p, q, up)
        require(found, f"{what}: {NO_EXP}")
        return Fraction(found[0], 1 << found[1])
    return x + 1 if kernel == "elu1" else x if kernel == "linear" else max(Fraction(0), x)


def exp_down(x):
    return kernel_end("exp", x, False, "exp_down")


def exp_up(x, what):
    return kernel_end("exp", x, True, what)
