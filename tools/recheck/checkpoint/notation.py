"""CHECKPOINT_RULES.md, section 4.3: one head as forms see it."""

from fractions import Fraction
from functools import cached_property, lru_cache

from ..arithmetic import inner, transposed
from ..envelope import array
from ..refusal import require
from .model import B, T


class View:
    """One head with its noise coordinates in a given order, so that trees split 0, 1, 2, ... in turn.

    Every sum over noise is symmetric, so the formulas of the page hold word for word in the new order. An
    affine function of u is a pair (constant, coefficients); weights are integers over `scale`.
    """

    def __init__(self, layer, h, order):
        array(order, "order", layer.d)
        require(all(type(k) is int for k in order) and sorted(order) == list(range(layer.d)),
                "order is not a permutation")
        self.head, self.d, self.scale, self.C = layer.heads[h], layer.d, layer.scale, layer.n - 1
        self.length, self.noise = layer.length, [2 + k for k in order]
        m, noise = self.head.M, self.noise
        block = [[m[k][l] for l in noise] for k in noise]
        self.block, self.columns = block, transposed(block)
        self.pairs = [[block[k][l] + block[l][k] for l in range(k + 1, self.d)] for k in range(self.d)]
        self.squares = [block[k][k] for k in range(self.d)]
        self.multipliers = layer.multipliers and layer.multipliers[h].in_order(order)
        self.keys_at, self.query_at = lru_cache(None)(self.as_keys), lru_cache(None)(self.as_query)

    def base(self, f, g):
        """base(f,g)(u) of section 4.3."""
        return self.head.M[f][g], [self.head.M[k][g] for k in self.noise]

    def query(self, f):
        """The list of q(f)_l(u) of section 4.3."""
        return [(self.head.M[f][l], column) for l, column in zip(self.noise, self.columns)]

    def values(self, r, s):
        """v_B, v_T, v_C and the list of v_l of section 4.3, integers over `scale`."""
        row = self.head.V[r]
        return s * row[B], s * row[T], s * row[self.C], [s * row[l] for l in self.noise]

    def number(self, weight):
        return Fraction(weight, self.scale)

    def own(self, r):
        """The place of noise coordinate r in this view's order, None for a flag."""
        return self.noise.index(r) if 2 <= r < self.C else None

    @cached_property
    def column_sizes(self):
        return [sum(map(abs, column)) for column in self.columns]

    @cached_property
    def size_of_pairs(self):
        return sum(sum(map(abs, row)) for row in self.pairs)

    def read(self, string):
        """16 times the numbers of a point's string."""
        return [ord(string[k - 2]) - ZERO_CODE for k in self.noise]

    def as_keys(self, string):
        """16 times x of section 4.5, and N x."""
        x = self.read(string)
        return x, [inner(row, x) for row in self.block]

    def as_query(self, string):
        """16 times y of section 4.5, N^T y and S y; 256 times sum_{k<l} S_kl y_k y_l, sum_k beta_k (1 + y_k^2) and
        sum_k gamma_k (1 + y_k^2)."""
        y, weights = self.read(string), self.multipliers
        back = [inner(column, y) for column in self.columns]
        both = [inner(row, y) + z - 2 * x * k for row, z, x, k in zip(self.block, back, self.squares, y)]
        ones = [256 + k * k for k in y]
        return y, back, both, inner(both, y) // 2, inner(weights.queries, ones), inner(weights.own, ones)


ZERO_CODE = 64
