#!/usr/bin/env python3
"""Tests of tools/recheck on vector certificates: python3 tests/recheck/vector_rules_test.py

The certificates and the lies about them are those of vector_samples.py.
"""

import itertools
import json
import os
import random
import unittest
from fractions import Fraction

import reasons
import vector_samples
from recheck_test import Case, patched, recheck, run
from vector_samples import MODEL, times

SAMPLES = vector_samples.collection()


class VectorCase(Case):
    def setUp(self):
        super().setUp()
        SAMPLES.write(self.folder)
        self.options.models, self.options.claims = f"{self.folder}/models", f"{self.folder}/proofs"

    def result(self, path):
        return recheck.check.check_file(f"{self.folder}/{path}.json", self.options)


class Samples(VectorCase):
    def test_accepted(self):
        for name in SAMPLES.accept:
            with self.subTest(name):
                code, result = self.result(f"accept/{name}")
                self.assertEqual((code, result["verdict"], result["evidence"], result["reason"]), (0, "proved", "exact", ""))

    def test_every_property_and_pattern_is_accepted(self):
        stated = [item["statement"] for value in SAMPLES.accept.values() for item in value.get("properties", value.get("steps"))]
        self.assertEqual({of["property"] for of in stated if "property" in of and type(of["property"]) is str}, set(recheck.vectors.certificate.VECTOR_PROPERTIES))
        kinds = {(of["property"], of["pattern"]["kind"]) for of in stated if "pattern" in of}
        self.assertTrue(kinds >= set(itertools.product(("cost", "representable"), ("margins", "sink-A", "sink-B", "diagonal"))), kinds)
        inner = {value["steps"][0]["statement"]["property"]["property"] for value in SAMPLES.accept.values() if value["kind"] == "theory"}
        self.assertEqual(inner, set(recheck.vectors.certificate.PATTERN_PROPERTIES))

    def test_lies(self):
        self.assertGreater(len(SAMPLES.reject), 300)
        for name, (_, reason) in SAMPLES.reject.items():
            with self.subTest(name):
                code, result = self.result(f"reject/{name}")
                said = f"{code}: {result['reason']!r} should say {reason!r}"
                self.assertEqual((code, result["verdict"], reason in result["reason"]), (4, "rejected", True), said)


class CommandLine(VectorCase):
    def check_line(self, path, *more):
        out = run("--format", "json", "--claims", self.options.claims, *more, f"{self.folder}/{path}.json")
        return out.returncode, json.loads(out.stdout)["files"][0]["verdict"]

    def test_models_beside_or_in_a_folder(self):
        self.assertEqual(self.check_line("accept/head-1"), (2, "unknown"))
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
        self.assertEqual(recheck.hashes.claim_hash(os.path.dirname(vector_samples.STATEMENT)), SAMPLES.accept["head-1"]["claim_sha256"])


class Limits(VectorCase):
    def limited(self, name, path, reason, **limits):
        """Accepted with the limits given, rejected with any of them one less."""
        with patched(**limits):
            self.assertEqual(self.result(path)[0], 0, name)
            for key, limit in limits.items():
                with patched(**{key: limit - 1}):
                    code, result = self.result(path)
                self.assertEqual((code, reason in result["reason"]), (4, True), f"{key}: {result['reason']}")

    def test_sizes(self):
        self.limited("tokens", "accept/cost-sink-b", reasons.INPUT_IS_TOO_LARGE, MAX_VECTORS=6, MAX_COORDINATES=7, MAX_INPUT=42)
        self.limited("W_V", "accept/head-1", reasons.HEAD_IS_TOO_LARGE, MAX_COORDINATES=4, MAX_MATRIX=6)
        self.limited("W_O", "accept/head-wide", reasons.HEAD_IS_TOO_LARGE, MAX_COORDINATES=4, MAX_MATRIX=4)
        self.limited("products", "accept/cost-sink-b", reasons.GRAM_MATRIX_IS_TOO_LARGE, MAX_GRAM=6 * 6 * 7)
        self.limited("searches", "accept/cost-sink-b", reasons.PROPERTIES_OF_6_3_TO_6_5, MAX_SEARCHES=1)
        self.limited("constraints", "accept/infeasible-cycle", "constraints", MAX_CONSTRAINTS=3)
        self.limited("pattern", "accept/cost-sink-b", "vectors", MAX_PATTERN_VECTORS=6)

    def test_the_limits_are_the_pages(self):
        self.assertEqual((recheck.vectors.given.MAX_VECTORS, recheck.vectors.given.MAX_COORDINATES, recheck.vectors.given.MAX_INPUT), (1024, 65536, 4194304))
        self.assertEqual((recheck.vectors.certificate.MAX_GRAM, recheck.vectors.given.MAX_OUTPUTS, recheck.vectors.certificate.MAX_SEARCHES), (1 << 30, 1 << 31, 16))
        self.assertEqual((recheck.vectors.given.MAX_MATRIX, recheck.vectors.margins.MAX_CONSTRAINTS, recheck.vectors.margins.MAX_PATTERN_VECTORS), (4194304, 1000000, 256))

    def test_blocks(self):
        """A tensor read in several blocks is the same tensor."""
        names = ("head-0", "head-prefix", "head-zero", "cost-f64", "hull-f16-denormal", "cost-bf16")
        for size, name in itertools.product((1, 5, 7), names):
            with patched(BLOCK=size):
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
            self.assertEqual((recheck.vectors.margins.is_semidefinite(matrix), recheck.vectors.margins.semidefinite_by_pivots(matrix)), (truth, truth), matrix)
            if all(row[k] > 0 for k, row in enumerate(matrix)):
                found = recheck.vectors.margins.semidefinite_by_factor(matrix, 128)
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
                self.assertEqual(recheck.vectors.margins.is_semidefinite(matrix), matrix[2][2] >= least, (bits, by))
                self.assertEqual(recheck.vectors.margins.is_semidefinite(matrix), semidefinite(matrix))

    def test_matrix_product(self):
        randomly = random.Random(3)
        for _ in range(500):
            sizes = [randomly.randint(1, 5) for _ in range(3)]
            number = lambda: randomly.choice((0, 1, -1, 127, -128, 255, -256, randomly.randint(-10**30, 10**30), 2**64 - 1, -2**64, -2**199, 2**200))
            left, right = ([[number() for _ in range(b)] for _ in range(a)] for a, b in zip(sizes, sizes[1:]))
            self.assertEqual(recheck.arithmetic.matrix_product(left, right), times(left, right))

    def test_doubles_of_every_size(self):
        randomly = random.Random(4)
        for _ in range(60):
            sizes = [randomly.randint(1, 4) for _ in range(3)]
            for most in (53, 64, 65):
                number = lambda: randomly.choice((0, 1, randomly.randint(-2**most, 2**most))) << randomly.choice((0, 700, randomly.randint(0, 2000)))
                left, right = ([[number() for _ in range(b)] for _ in range(a)] for a, b in zip(sizes, sizes[1:]))
                self.assertEqual(recheck.arithmetic.matrix_product(left, right), times(left, right))
        self.assertEqual([recheck.arithmetic.odd_part(x) for x in (0, 1, -1, 12, -40)], [(0, 0), (1, 0), (-1, 0), (3, 2), (-5, 3)])

    def test_the_largest_entries(self):
        """Sums as near as can be to the ends of their place in the long integer."""
        for a, b in ((60, 65), (3, 2), (199, 198)):
            for sign in (1, -1):
                left, right = [[sign * (2**a - 1)] * 3, [0, 0, 1]], [[2**b - 1, 1 - 2**b, 0]] * 3
                self.assertEqual(recheck.arithmetic.matrix_product(left, right), times(left, right))

    def test_spanning_rows(self):
        randomly, seen = random.Random(5), set()
        for _ in range(300):
            count, d, rank = randomly.randint(1, 7), randomly.randint(1, 5), randomly.randint(1, 5)
            left = [[randomly.randint(-2, 2) for _ in range(rank)] for _ in range(count)]
            rows = times(left, [[randomly.randint(-2, 2) for _ in range(d)] for _ in range(rank)])
            rows = [[int(x) for x in row] for row in rows]
            kept = recheck.vectors.bounds.spanning_rows(rows)
            if len(kept) < count:
                self.assertEqual(len(kept), d)
                vector_samples.inverse([rows[k] for k in kept])  # raises where they are dependent
            seen.add(len(kept) < count)
        self.assertEqual(seen, {True, False})
        subject = recheck.vectors.given.load_subject(SAMPLES.accept["head-narrow"]["input"], [self.options.models])
        self.assertEqual(recheck.vectors.bounds.spanning_rows(subject.vectors.sources), [0])
        p = (1 << 61) - 1
        self.assertEqual(recheck.vectors.bounds.spanning_rows([[p], [0], [1]]), [2])
        self.assertEqual(recheck.vectors.bounds.spanning_rows([[p], [0]]), [0, 1])

    def test_systems(self):
        """The triples of every pattern against the page's sets, written twice."""
        for kind in ("sink-A", "sink-B", "diagonal"):
            for bos, groups, copies in ((0, [[1]], []), (2, [[0, 4], [1]], []), (2, [[0, 4], [1]], [5, 3]), (1, [[0], [2], [3, 4]], [6, 5, 7])):
                of = vector_samples.pattern(kind, bos, groups, copies, "2/3")
                found, margin = recheck.vectors.margins.read_system(of, 8)
                listed = list(recheck.vectors.margins.triples(kind, bos, groups, copies))
                self.assertEqual(len(listed), len(set(listed)))
                self.assertEqual({triple: w * margin for triple, w in found.items()}, vector_samples.system(of))

    def test_tensors(self):
        """Doubles of every size as integers over a power of two."""
        values = [0.0, -0.0, 1.5, -3.0, 2.0**-1074, 2.0**1023, 1 / 3, -1e-300]
        numbers, scale = recheck.arithmetic.dyadic(values)
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
