#!/usr/bin/env python3
"""Tests of tools/recheck.py on vector certificates: python3 tests/recheck/vector_rules_test.py

The certificates and the lies about them are those of vector_samples.py.
"""

import itertools
import json
import os
import random
import struct
import unittest
from fractions import Fraction
from math import lcm

import vector_samples
from recheck_test import Case, bits_of, c, m, recheck, run, strings
from vector_samples import MODEL, times

SAMPLES = vector_samples.collection()


class VectorCase(Case):
    def setUp(self):
        super().setUp()
        SAMPLES.write(self.folder)
        self.options.models, self.options.claims = f"{self.folder}/models", f"{self.folder}/proofs"

    def result(self, path):
        return recheck.check_file(f"{self.folder}/{path}.json", self.options)


class Samples(VectorCase):
    def test_accepted(self):
        for name in SAMPLES.accept:
            with self.subTest(name):
                code, result = self.result(f"accept/{name}")
                self.assertEqual((code, result["verdict"], result["evidence"], result["reason"]), (0, "proved", "exact", ""))

    def test_every_property_and_pattern_is_accepted(self):
        stated = [item["statement"] for value in SAMPLES.accept.values() for item in value.get("properties", value.get("steps"))]
        self.assertEqual({of["property"] for of in stated if "property" in of and type(of["property"]) is str}, set(recheck.VECTOR_PROPERTIES))
        kinds = {(of["property"], of["pattern"]["kind"]) for of in stated if "pattern" in of}
        self.assertTrue(kinds >= set(itertools.product(("cost", "representable"), ("margins", "sink-A", "sink-B", "diagonal"))), kinds)
        inner = {value["steps"][0]["statement"]["property"]["property"] for value in SAMPLES.accept.values() if value["kind"] == "theory"}
        self.assertEqual(inner, set(recheck.PATTERN_PROPERTIES))

    def test_lies(self):
        self.assertGreater(len(SAMPLES.reject), 300)
        for name, (_, reason) in SAMPLES.reject.items():
            with self.subTest(name):
                code, result = self.result(f"reject/{name}")
                said = f"{code}: {result['reason']!r} should say {reason!r}"
                self.assertEqual((code, result["verdict"], reason in result["reason"]), (4, "rejected", True), said)


def doubles(data, name):
    """The values of a tensor, and its shape."""
    start = 8 + int.from_bytes(data[:8], "little")
    tensor = json.loads(data[8:start])[name]
    begin, end = tensor["data_offsets"]
    data, dtype = data[start + begin:start + end], tensor["dtype"]
    if dtype == "BF16":
        data, dtype = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2)), "F32"
    return [x for x, in struct.iter_unpack({"F16": "<e", "F32": "<f", "F64": "<d"}[dtype], data)], tensor["shape"]


class Units(VectorCase):
    """Section 7, counted once more from the certificate alone."""

    def units_of(self, bits, count, length, properties, has_gram):
        total = count**2 * length * m(2 * bits + 32) if has_gram else 0
        for statement, evidence in properties:
            text, name = max(map(len, strings([statement, evidence]))), statement["property"]
            if name in ("cost", "infeasible", "representable"):
                total += 4 * count**3 * m(6 * bits + 8 * text + 64)
            elif name != "smoothing":
                total += count**2 * m(2 * bits + 8 * text + 64)
        return total

    def norm_bits(self, statement, evidence, gram):
        """The most bits of an entry of 6.3's q^2 D^3 (t^2 G - (G L) G (G L)^T)."""
        count, t = len(gram), Fraction(evidence["norm"])
        d, matrix = lcm(*(x.denominator for row in gram for x in row)), [[Fraction(0)] * count for _ in gram]
        for j, a, i, y in evidence["multipliers"]:
            matrix[j][a] += int(y)
            matrix[j][i] -= int(y)
        left = times(gram, matrix)
        product = times(times(left, gram), [list(column) for column in zip(*left)])
        entries = [t.denominator**2 * d**3 * (t**2 * x - y) for rows in zip(gram, product) for x, y in zip(*rows)]
        return max(abs(int(x)).bit_length() for x in entries)

    def test_certificates(self):
        seen = set()
        for name, value in SAMPLES.accept.items():
            if value["kind"] != "vectors" or len(value["properties"]) > 3:
                continue
            data, head = SAMPLES.models[value["input"]["sha256"]], value["input"]["head"]
            flat, (count, d) = doubles(data, value["input"]["tensor"])
            bits, length, total = bits_of(flat), d, 250 * count * d
            vectors = [[Fraction(x) for x in flat[k * d:(k + 1) * d]] for k in range(count)]
            if head is not None:
                data, h = SAMPLES.models[head["sha256"]], head["head"]
                (w_v, (size, _)), (w_o, (length, _)) = (doubles(data, f"{head['prefix']}{part}.weight") for part in ("W_V", "W_O"))
                n = size // head["num_heads"]
                rows, own = [w_v[(h * n + k) * d:(h * n + k + 1) * d] for k in range(n)], [w_o[r * size + h * n:r * size + h * n + n] for r in range(length)]
                total += 250 * (n * d + length * n)
                try:
                    bias = doubles(data, head["prefix"] + "W_V.bias")[0][h * n:(h + 1) * n]
                    total += 250 * n
                except KeyError:
                    bias = [0] * n
                bits += 2 * bits_of([x for row in rows + own for x in row] + bias) + 64
                total += count * n * (d + length) * m(bits)
                inner = lambda row, x: sum((Fraction(a) * b for a, b in zip(row, x)), Fraction(0))
                values = [[inner(row, x) + Fraction(y) for row, y in zip(rows, bias)] for x in vectors]
                vectors = [[inner(row, x) for row in own] for x in values]
            properties = [(item["statement"], item["evidence"]) for item in value["properties"]]
            names = {statement["property"] for statement, _ in properties}
            total += self.units_of(bits, count, length, properties, names != {"smoothing"})
            gram = times(vectors, [list(column) for column in zip(*vectors)])
            for statement, evidence in properties:
                if statement["property"] == "cost" and Fraction(statement["lower"]) > 0:
                    total += count**3 * c(count * self.norm_bits(statement, evidence, gram))
            with self.subTest(name):
                self.costs(f"{self.folder}/accept/{name}.json", total)
            seen |= {(of, head is not None) for of in names}
        self.assertGreaterEqual({of for of, _ in seen}, set(recheck.VECTOR_PROPERTIES))
        self.assertGreater(len(seen), 7)

    def test_stated_vectors(self):
        for name, value in SAMPLES.accept.items():
            if value["kind"] == "theory" and len(value["steps"]) == 1 and value["steps"][0]["statement"]["property"]["property"] != "cost":
                statement = value["steps"][0]["statement"]
                numbers = [Fraction(x) for row in statement["vectors"] for x in row]
                scale = lcm(*(x.denominator for x in numbers))
                bits = scale.bit_length() + max(abs(int(x * scale)) for x in numbers).bit_length()
                properties = [(statement["property"], value["steps"][0]["evidence"])]
                units = self.units_of(bits, len(statement["vectors"]), len(statement["vectors"][0]), properties, True)
                with self.subTest(name):
                    self.costs(f"{self.folder}/accept/{name}.json", units)


class CommandLine(VectorCase):
    def check_line(self, path, *more):
        out = run("--format", "json", "--claims", self.options.claims, *more, f"{self.folder}/{path}.json")
        return out.returncode, json.loads(out.stdout)["files"][0]["verdict"]

    def test_models_beside_or_in_a_folder(self):
        self.assertEqual(self.check_line("accept/head-1"), (2, "unreadable"))
        self.assertEqual(self.check_line("accept/head-1", "--models", self.options.models), (0, "proved"))
        self.assertEqual(self.check_line("reject/6.7-without-a-head", "--models", self.options.models), (4, "rejected"))
        for name in os.listdir(self.options.models):
            os.link(os.path.join(self.options.models, name), os.path.join(self.folder, "accept", name))
        self.assertEqual(self.check_line("accept/head-1"), (0, "proved"))

    def test_a_missing_file_is_exit_2(self):
        value = SAMPLES.accept["head-1"]
        for sha256 in (value["input"]["sha256"], value["input"]["head"]["sha256"]):
            path = os.path.join(self.options.models, sha256 + ".safetensors")
            os.rename(path, path + ".away")
            self.assertEqual(self.result("accept/head-1")[0], 2)
            os.rename(path + ".away", path)
        self.assertEqual(self.result("accept/head-1")[0], 0)
        self.options.claims = self.options.models
        self.assertEqual(self.result("accept/head-1")[0], 2)

    def test_the_committed_statement(self):
        """The folder proofs/vectors of the repository is the one the samples are about."""
        self.assertEqual(recheck.claim_hash(os.path.dirname(vector_samples.STATEMENT)), SAMPLES.accept["head-1"]["claim_sha256"])


class Limits(VectorCase):
    def limited(self, name, path, reason, **limits):
        """Accepted with the limits given, rejected with any of them one less."""
        before = {key: getattr(recheck, key) for key in limits}
        try:
            for key, limit in limits.items():
                setattr(recheck, key, limit)
            self.assertEqual(self.result(path)[0], 0, name)
            for key, limit in limits.items():
                setattr(recheck, key, limit - 1)
                code, result = self.result(path)
                self.assertEqual((code, reason in result["reason"]), (4, True), f"{key}: {result['reason']}")
                setattr(recheck, key, limit)
        finally:
            for key, limit in before.items():
                setattr(recheck, key, limit)

    def test_sizes(self):
        self.limited("tokens", "accept/cost-sink-b", "the input is too large", MAX_VECTORS=6, MAX_COORDINATES=7, MAX_INPUT=42)
        self.limited("W_V", "accept/head-1", "the head is too large", MAX_COORDINATES=4, MAX_MATRIX=6)
        self.limited("W_O", "accept/head-wide", "the head is too large", MAX_COORDINATES=4, MAX_MATRIX=4)
        self.limited("products", "accept/cost-sink-b", "the Gram matrix is too large", MAX_GRAM=6 * 6 * 7)
        self.limited("searches", "accept/cost-sink-b", "properties of 6.3 to 6.5", MAX_SEARCHES=1)
        self.limited("constraints", "accept/infeasible-cycle", "constraints", MAX_CONSTRAINTS=3)
        self.limited("pattern", "accept/cost-sink-b", "vectors", MAX_PATTERN_VECTORS=6)

    def test_the_limits_are_the_pages(self):
        self.assertEqual((recheck.MAX_VECTORS, recheck.MAX_COORDINATES, recheck.MAX_INPUT), (1024, 65536, 4194304))
        self.assertEqual((recheck.MAX_GRAM, recheck.MAX_OUTPUTS, recheck.MAX_SEARCHES), (1 << 30, 1 << 31, 16))
        self.assertEqual((recheck.MAX_MATRIX, recheck.MAX_CONSTRAINTS, recheck.MAX_PATTERN_VECTORS), (4194304, 1000000, 256))

    def test_blocks(self):
        """A tensor read in several blocks is the same tensor."""
        self.addCleanup(setattr, recheck, "BLOCK", recheck.BLOCK)
        for recheck.BLOCK in (1, 5, 7):
            for name in ("head-0", "head-prefix", "head-zero", "cost-f64", "hull-f16-denormal", "cost-bf16"):
                self.assertEqual(self.result(f"accept/{name}")[0], 0, name)


def semidefinite(rows):
    """The test of section 6.2, word for word."""
    s = [[Fraction(x) for x in row] for row in rows]
    for k in range(len(s)):
        p, column = s[k][k], [row[k] for row in s]
        if p < 0 or (p == 0 and any(column[k + 1:])):
            return False
        for i in range(k + 1, len(s)) if p else ():
            for j in range(k + 1, len(s)):
                s[i][j] -= column[i] * column[j] / p
    return True


class Algebra(VectorCase):
    def matrices(self, count):
        """Symmetric integer matrices of every rank, some spoilt by one, with large and small rows."""
        randomly = random.Random(7)
        for _ in range(count):
            n, rank = randomly.randint(1, 6), randomly.randint(1, 6)
            rows = [[randomly.randint(-3, 3) for _ in range(rank)] for _ in range(n)]
            matrix = [[sum(x * y for x, y in zip(row, other)) for other in rows] for row in rows]
            if randomly.random() < 0.6:
                i, j, by = randomly.randrange(n), randomly.randrange(n), randomly.choice((-1, 1))
                matrix[i][j] += by
                matrix[j][i] += by * (i != j)
            factors = [randomly.choice((1, 1, 1, 10**9, 10**60)) for _ in range(n)]
            yield [[x * a * b for x, b in zip(row, factors)] for row, a in zip(matrix, factors)]

    def test_semidefinite(self):
        seen = set()
        for matrix in self.matrices(3000):
            truth = semidefinite(matrix)
            self.assertEqual((recheck.is_semidefinite(matrix), recheck.semidefinite_by_pivots(matrix)), (truth, truth), matrix)
            if all(row[k] > 0 for k, row in enumerate(matrix)):
                found = recheck.semidefinite_by_factor(matrix, 128)
                self.assertIn(found, (truth, None), matrix)
                seen.add((found, truth))
        self.assertEqual(seen, {(True, True), (False, False), (None, True), (None, False)})

    def test_nearly_singular(self):
        """Pivots of every size on either side of zero, through all three ways to decide."""
        for bits in (4, 60, 120, 140, 300, 700, 2000, 2100):
            one = 1 << bits
            for by in (-1, 0, 1):
                matrix = [[3 * one, 2 * one, one], [2 * one, 3 * one, 2 * one], [one, 2 * one, 0]]
                # The last pivot is 0 where the third diagonal entry is `least`.
                a, b, c, d, e = 3 * one, 2 * one, 3 * one, one, 2 * one
                least = Fraction(c * d * d - 2 * b * d * e + a * e * e, a * c - b * b)
                matrix[2][2] = least.__ceil__() + by
                self.assertEqual(recheck.is_semidefinite(matrix), matrix[2][2] >= least, (bits, by))
                self.assertEqual(recheck.is_semidefinite(matrix), semidefinite(matrix))

    def test_matrix_product(self):
        randomly = random.Random(3)
        for _ in range(500):
            sizes = [randomly.randint(1, 5) for _ in range(3)]
            number = lambda: randomly.choice((0, 1, -1, 127, -128, 255, -256, randomly.randint(-10**30, 10**30), 2**64 - 1, -2**64, -2**199, 2**200))
            left, right = ([[number() for _ in range(b)] for _ in range(a)] for a, b in zip(sizes, sizes[1:]))
            self.assertEqual(recheck.matrix_product(left, right), times(left, right))

    def test_doubles_of_every_size(self):
        randomly = random.Random(4)
        for _ in range(60):
            sizes = [randomly.randint(1, 4) for _ in range(3)]
            for most in (53, 64, 65):
                number = lambda: randomly.choice((0, 1, randomly.randint(-2**most, 2**most))) << randomly.choice((0, 700, randomly.randint(0, 2000)))
                left, right = ([[number() for _ in range(b)] for _ in range(a)] for a, b in zip(sizes, sizes[1:]))
                self.assertEqual(recheck.matrix_product(left, right), times(left, right))
        self.assertEqual([recheck.odd_part(x) for x in (0, 1, -1, 12, -40)], [(0, 0), (1, 0), (-1, 0), (3, 2), (-5, 3)])

    def test_the_largest_entries(self):
        """Sums as near as can be to the ends of their place in the long integer."""
        for a, b in ((60, 65), (3, 2), (199, 198)):
            for sign in (1, -1):
                left, right = [[sign * (2**a - 1)] * 3, [0, 0, 1]], [[2**b - 1, 1 - 2**b, 0]] * 3
                self.assertEqual(recheck.matrix_product(left, right), times(left, right))

    def test_spanning_rows(self):
        randomly, seen = random.Random(5), set()
        for _ in range(300):
            count, d, rank = randomly.randint(1, 7), randomly.randint(1, 5), randomly.randint(1, 5)
            left = [[randomly.randint(-2, 2) for _ in range(rank)] for _ in range(count)]
            rows = times(left, [[randomly.randint(-2, 2) for _ in range(d)] for _ in range(rank)])
            rows = [[int(x) for x in row] for row in rows]
            kept = recheck.spanning_rows(rows)
            if len(kept) < count:
                self.assertEqual(len(kept), d)
                vector_samples.inverse([rows[k] for k in kept])  # raises where they are dependent
            seen.add(len(kept) < count)
        self.assertEqual(seen, {True, False})
        subject = recheck.load_subject(SAMPLES.accept["head-narrow"]["input"], [self.options.models], recheck.Work(float("inf")))
        self.assertEqual(recheck.spanning_rows(subject.vectors.sources), [0])
        p = (1 << 61) - 1
        self.assertEqual(recheck.spanning_rows([[p], [0], [1]]), [2])
        self.assertEqual(recheck.spanning_rows([[p], [0]]), [0, 1])

    def test_systems(self):
        """The triples of every pattern against the page's sets, written twice."""
        for kind in ("sink-A", "sink-B", "diagonal"):
            for bos, groups, copies in ((0, [[1]], []), (2, [[0, 4], [1]], []), (2, [[0, 4], [1]], [5, 3]), (1, [[0], [2], [3, 4]], [6, 5, 7])):
                of = vector_samples.pattern(kind, bos, groups, copies, "2/3")
                found, margin = recheck.read_system(of, 8)
                listed = list(recheck.triples(kind, bos, groups, copies))
                self.assertEqual(len(listed), len(set(listed)))
                self.assertEqual({triple: w * margin for triple, w in found.items()}, vector_samples.system(of))

    def test_tensors(self):
        """Doubles of every size as integers over a power of two."""
        values = [0.0, -0.0, 1.5, -3.0, 2.0**-1074, 2.0**1023, 1 / 3, -1e-300]
        numbers, scale = recheck.dyadic(values)
        self.assertEqual([Fraction(x, scale) for x in numbers], [Fraction(x) for x in values])
        self.assertEqual(scale, 2**1074)


class Smoothing(unittest.TestCase):
    def test_a_random_head(self):
        """Attention weights lam and 1 - lam between a token and the mean: the five numbers are what sm-1 needs of them."""
        for h in (0, 1):
            beta, lam = Fraction(2, 3), Fraction(1, 5)
            of = MODEL.smoothing(h, beta)["statement"]
            s, t, both, mean_norm, spread = (Fraction(of[name][0]) for name in ("s", "t", "s_plus_t", "mean_norm", "spread"))
            values, count = MODEL.outputs(h), len(MODEL.tokens)
            mean = [Fraction(sum(column)) / count for column in zip(*values)]
            # E |beta x + (1 - lam) v + lam mean v|^2 over the tokens, which no term of the rule computes.
            total = sum(sum((beta * a + (1 - lam) * b + lam * m)**2 for a, b, m in zip(x, v, mean)) for x, v in zip(MODEL.tokens, values)) / count
            self.assertEqual(total, mean_norm + beta**2 * spread + 2 * (1 - lam) * s + (1 - lam)**2 * t)
            self.assertEqual(both, s + t)


if __name__ == "__main__":
    unittest.main()
