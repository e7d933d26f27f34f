"""VECTOR_RULES.md, section 6.1: the vectors that a certificate names."""

import re
from collections import namedtuple
from functools import cached_property
from math import gcd

from ..arithmetic import dyadic, matrix_product, split, transposed
from ..envelope import MAX_DIGITS, fields, integer
from ..hashes import find_model, hash_string
from ..refusal import require
from ..tensors import finite, load_rows, shape_of, tensor_file

MAX_VECTORS, MAX_COORDINATES, MAX_INPUT, MAX_MATRIX = 1024, 65536, 4194304, 4194304
MAX_OUTPUTS = 1 << 31
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
PREFIX = re.compile(r"layers\.(0|[1-9][0-9]{0,3})\.")


class Vectors:
    """Finitely many vectors as integer rows over one denominator `scale`.

    `sources` are integer rows of which the vectors are images under one linear map.
    """

    def __init__(self, rows, scale, sources=None):
        self.rows, self.scale, self.count = rows, scale, len(rows)
        self.sources = rows if sources is None else sources

    @cached_property
    def gram(self):
        """G as (integer matrix, least common denominator of its entries)."""
        matrix, scale = matrix_product(self.rows, transposed(self.rows)), self.scale**2
        shared = gcd(scale, *(x for row in matrix for x in row))
        return [[x // shared for x in row] for row in matrix], scale // shared

    def combination(self, weights):
        """The sum of c_k v_k for pairs ((k,), c), integers over `scale`."""
        total = [0] * len(self.rows[0])
        for (k,), c in weights:
            total = [x + c * y for x, y in zip(total, self.rows[k])]
        return total


# What a certificate is about: the tokens, the vectors, whether these are the outputs of a head with m = d.
Subject = namedtuple("Subject", "tokens vectors is_square_head")


def whole(value, what, most=MAX_DIGITS):
    """A string that spells an integer, of at most `most` characters."""
    require(type(value) is str and len(value) <= most, f"{what} is not a string of at most {most} characters")
    require(WHOLE.fullmatch(value) and value != "-0", f"{what} is not a whole number")
    return int(value)


def load_tokens(source, name):
    """Section 6.1: the tokens."""
    values, d = load_rows(source, name, lambda count, d:
                          count <= MAX_VECTORS and d <= MAX_COORDINATES and count * d <= MAX_INPUT)
    flat, scale = dyadic(values)
    return Vectors(split(flat, d), scale)


def load_head(source, head, d, count):
    """Section 6.1: W_V^T (d x n), W_O^T (n x m) and c of one head, each (integers, denominator)."""
    heads, h = head["num_heads"], head["head"]
    names = [head["prefix"] + name for name in ("W_V.weight", "W_O.weight", "W_V.bias")]
    with tensor_file(source) as (header, _, read):
        (size, inputs), (m, columns) = (shape_of(header, name, 2) for name in names[:2])
        require(size % heads == 0 and inputs == d and columns == size, "W_V.weight or W_O.weight has the wrong shape")
        n = size // heads
        require(max(size, m) <= MAX_COORDINATES and max(n * d, m * n) <= MAX_MATRIX
                and count * n * (d + m) <= MAX_OUTPUTS, "the head is too large")
        w_v = finite(read(names[0])[h * n * d:(h + 1) * n * d], names[0])
        flat = read(names[1])
        own = [x for r in range(m) for x in flat[r * size + h * n:r * size + (h + 1) * n]]
        w_o, bias = finite(own, names[1]), [0.0] * n
        if names[2] in header:
            require(header[names[2]]["shape"] == [size], "W_V.bias has the wrong shape")
            bias = finite(read(names[2])[h * n:(h + 1) * n], names[2])
    (w_v, v_scale), (w_o, o_scale) = dyadic(w_v), dyadic(w_o)
    return ([w_v[k::d] for k in range(d)], v_scale), ([w_o[k::n] for k in range(n)], o_scale), dyadic(bias)


def head_outputs(tokens, head):
    """W_O (W_V x + c) of every token."""
    (w_v, v_scale), (w_o, o_scale), (c, c_scale) = head
    unit = max(tokens.scale * v_scale, c_scale)  # powers of two
    factor, offset = unit // (tokens.scale * v_scale), [x * (unit // c_scale) for x in c]
    values = [[factor * x + y for x, y in zip(row, offset)] for row in matrix_product(tokens.rows, w_v)]
    return Vectors(matrix_product(values, w_o), unit * o_scale, values)


def read_input(value):
    """Section 6.1: the key `input`; everything that can be said without the files."""
    fields(value, ("sha256", "tensor", "head"), "input")
    hash_string(value["sha256"], "input.sha256")
    require(type(value["tensor"]) is str, "input.tensor is not a string")
    head = value["head"]
    if head is None:
        return
    fields(head, ("sha256", "prefix", "num_heads", "head"), "input.head")
    hash_string(head["sha256"], "input.head.sha256")
    require(type(head["prefix"]) is str and (head["prefix"] == "" or PREFIX.fullmatch(head["prefix"])),
            "input.head.prefix is unknown")
    integer(head["num_heads"], "input.head.num_heads", 1, 1024)
    integer(head["head"], "input.head.head", 0, head["num_heads"] - 1)


def load_subject(source, model_folders):
    """Section 6.1: the vectors that `input` names."""
    tokens = load_tokens(find_model(source["sha256"], model_folders), source["tensor"])
    if source["head"] is None:
        return Subject(tokens, tokens, False)
    d = len(tokens.rows[0])
    head = load_head(find_model(source["head"]["sha256"], model_folders), source["head"], d, tokens.count)
    vectors = head_outputs(tokens, head)
    return Subject(tokens, vectors, len(vectors.rows[0]) == d)
