#!/usr/bin/env python3
"""The two checkers agree on vectors: python3 tests/recheck/vector_agreement_test.py FOLDER-OF-SINKPROOF-CHECK [SECONDS [SEED]]

The certificates and lies of vector_samples.py, and random mutants of the certificates. Both checkers must give the same
verdict, and both verdicts must occur.
"""

import collections
import copy
import hashlib
import json
import os
import random
import subprocess
import sys
import time
import unittest
from fractions import Fraction

import vector_samples
from agreement_test import Mutator, nodes
from recheck_test import Case, canonical, recheck

PROGRAM, SECONDS, SEED, BATCH = "", 5.0, 1, 40
SAMPLES = vector_samples.collection()


class VectorMutator(Mutator):
    """Moves numbers of statements and evidence, whole or not, by little and by much; bounds are loosened too."""

    def vector_mutant(self, value):
        found = [(path, x) for path, x in nodes(value) if type(x) is str and recheck.envelope.RATIONAL.fullmatch(x) and len(path) > 2]
        if not found or self.random.random() < 0.4:
            return self.mutate(value)
        *above, key = path = self.random.choice(found)[0]
        holder = value
        for step in above:
            holder = holder[step]
        q, choice = Fraction(holder[key]), self.random.choice
        if "evidence" in path and key != "norm":
            holder[key] = str(choice((q + 1, q - 1, -q, q * 2, q * 10**20, 10**39, 10**40, 0)))
        else:
            outward = {"lower": -1, "upper": 1, "norm": 1, 0: -1, 1: 1}.get(key, choice((-1, 1)))
            holder[key] = str(q + choice((outward, outward, -outward)) * choice((Fraction(1, 10**30), Fraction(1, 1000), 1, abs(q) / 2)))


class Agreement(Case):
    def setUp(self):
        super().setUp()
        SAMPLES.write(self.folder)
        self.options.models, self.options.claims = f"{self.folder}/models", f"{self.folder}/proofs"

    def verdicts(self, paths):
        """[(theirs, mine)] as (verdict, reason)."""
        command = [os.path.join(PROGRAM, "sinkproof-check"), "--format", "json", "--models", self.options.models, "--claims", self.options.claims]
        out = subprocess.run(command + paths, capture_output=True, text=True, timeout=300)
        theirs = json.loads(out.stdout)["files"]
        self.assertEqual([item["file"] for item in theirs], paths)
        mine = [recheck.check.check_file(path, self.options)[1] for path in paths]
        return [tuple((item["verdict"], item["reason"]) for item in pair) for pair in zip(theirs, mine)]

    def agree(self, paths):
        """The tally of verdicts, after demanding that they are the same."""
        tally, differing = collections.Counter(), {}
        for path, (theirs, mine) in zip(paths, self.verdicts(paths)):
            tally[mine[0]] += 1
            if theirs[0] != mine[0]:
                differing[os.path.basename(path)] = theirs, mine
        self.maxDiff = None
        self.assertEqual(differing, {})
        return tally

    def test_samples(self):
        paths = lambda folder, names: [f"{self.folder}/{folder}/{name}.json" for name in names]
        self.assertEqual(self.agree(paths("accept", SAMPLES.accept)), {"proved": len(SAMPLES.accept)})
        self.assertEqual(self.agree(paths("reject", SAMPLES.reject)), {"rejected": len(SAMPLES.reject)})

    def test_mutants(self):
        randomly, mutator, tally = random.Random(SEED), VectorMutator(SEED), collections.Counter()
        originals = [value for value in SAMPLES.accept.values() if value["kind"] == "vectors" and len(canonical(value)) < 20000]
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            paths = []
            for index in range(BATCH):
                value = copy.deepcopy(randomly.choice(originals))
                for _ in range(randomly.choice((1, 1, 1, 2))):
                    mutator.vector_mutant(value)
                paths.append(self.write(f"{hashlib.sha256(canonical(value)).hexdigest()}.json", canonical(value)))
            tally += self.agree(paths)
        print(dict(tally), file=sys.stderr)
        for verdict in ("proved", "rejected"):
            self.assertGreater(tally[verdict], 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    SECONDS, SEED = [kind(sys.argv.pop(1)) if len(sys.argv) > 1 else default for kind, default in ((float, SECONDS), (int, SEED))]
    unittest.main()
