#!/usr/bin/env python3
"""The two checkers agree: python3 tests/recheck/agreement_test.py FOLDER-OF-SINKPROOF-CHECK [SECONDS [SEED]]

Certificates of every kind, made by layer_sample.py, stack_sample.py, random_sample.py and sampling_sample.py, and mutants of them: numbers moved by
little and by much, keys dropped, added and exchanged, trees and lists altered, bounds loosened. Both checkers must
give the same verdict, and both verdicts must occur.
"""

import collections
import copy
import functools
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction

import layer_sample
import random_sample
import sampling_sample
import stack_sample
from box_test import least_bounds
from layer_test import CLAIM_HASH, make
from recheck_test import Case, canonical, recheck

PROGRAM, SECONDS, SEED = "", 5.0, 1
STEPS = [Fraction(1, 10**30), Fraction(1, 10**15), Fraction(1, 10**9), Fraction(1, 10**4), Fraction(1, 100), Fraction(1)]
OUTWARD = {"upper": 1, "high": 1, "greatest": 1, "alpha": 1, "delta": 1, "lower": -1, "low": -1, "least": -1}
BATCH = 40
ETA, SAMPLES = Fraction(1, 13), 160  # of theorem.tc-2


def nodes(value, path=()):
    """Every (path, value) at and below a value."""
    yield path, value
    children = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for key, child in children:
        yield from nodes(child, path + (key,))


class Mutator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def scalar(self, path, x):
        choice = self.random.choice
        if type(x) is str and "trees" in path:
            i = self.random.randrange(len(x) + 1)
            return choice((x[:i] + choice("01") + x[i:], x[:i] + x[i + 1:], x[:i] + "100" + x[i + 1:], "0", "100", "1" * 9 + "0" * 10, ""))
        if type(x) is str and recheck.envelope.RATIONAL.fullmatch(x):
            q = Fraction(x)
            moved = [q + choice((-1, 1)) * choice(STEPS) for _ in range(6)] + [q * choice((2, Fraction(1, 2), -1, Fraction(9, 10))), choice((0, 1, -1, 5000, -5000))]
            return choice([str(y) for y in moved] * 5 + [x + "/1", "+" + x, "0" + x, ""])
        if type(x) is int:
            return choice((x + 1, x - 1, x + 2, 0, 1, -1, str(x), True, None, 10**6))
        return choice(("", None, True, 0, "bos", "content", "trigger", f"{x}x", str(x)[:-1]))

    def mutate(self, value):
        """Changes one thing in place."""
        found, choice = list(nodes(value)), self.random.choice
        holders = [x for path, x in found if type(x) in (dict, list) and x]
        scalars = [path for path, x in found if type(x) not in (dict, list) and "tokens" not in path] * 4
        scalars += [path for path, x in found if type(x) not in (dict, list) and "tokens" in path]
        kind = self.random.random()
        if kind < 0.6:
            *above, key = path = choice(scalars)
            holder = value
            for step in above:
                holder = holder[step]
            holder[key] = self.scalar(path, holder[key])
        elif kind < 0.75 and (bounds := [(x, key) for x in holders if type(x) is dict for key in x if key in OUTWARD and type(x[key]) is str]):
            holder, key = choice(bounds)
            if recheck.envelope.RATIONAL.fullmatch(holder[key]):  # an earlier change may have spoilt it
                holder[key] = str(Fraction(holder[key]) + OUTWARD[key] * choice(STEPS))
        else:
            holder = choice(holders)
            keys = list(holder) if type(holder) is dict else list(range(len(holder)))
            key, other = choice(keys), choice(keys)
            if kind < 0.85:
                del holder[key]
            elif kind < 0.95:
                holder[key], holder[other] = holder[other], holder[key]
            elif type(holder) is dict:
                holder[choice(("zz", "ranges", "upper", "head", "layer", "content_null"))] = choice(("0", 0, 1, None))
            else:
                holder.insert(key, copy.deepcopy(holder[other]))


@functools.lru_cache(maxsize=1)
def good(seed):
    """[(model, certificate)]: stacks, layers and heads of every kind, then four with theorem.tc-2. Of stacks: given inputs, the
    box, random sequences, and the last two together."""
    found = [stack_sample.certified(*kind, seed, CLAIM_HASH) for kind in stack_sample.KINDS_OF_STACKS]
    for kind in stack_sample.KINDS_OF_STACKS[4::5]:
        found += boxed_and_random(stack_sample.Stack(*kind, width=2, seed=seed, size=Fraction(1, 2), claim_hash=CLAIM_HASH))
    for index, (attention, (heads, n, length, biases)) in enumerate(
            (a, b) for a in layer_sample.KINDS for b in ((2, 4, 4, True), (1, 5, 5, False), (3, 6, 3, False))):
        layer = make(attention, heads, n=n, length=length, biases=biases, seed=100 * seed + index)
        found.append((layer.file(), layer.certificate()))
    for index, (attention, n, wobble) in enumerate((("softmax", 4, Fraction((3, 8, 4)[seed % 3], 64)), ("elu1-normalised", 5, Fraction(1, 64)),
                                                    ("sigmoid-normalised", 4, Fraction(3, 32)), ("softmax", 5, Fraction(1, 64)))):
        found.append(sampled(attention, ETA, SAMPLES, seed=seed + index, n=n, wobble=wobble))
    return found


def boxed_and_random(stack, length=4, triggers=(3, 4), samples=9):
    with tempfile.NamedTemporaryFile() as file:
        file.write(stack.file())
        file.flush()
        model = recheck.checkpoint.model.load_model(file.name, stack.certificate(length, None, [])["model"], length)
    degrees = (3, 2) if stack.random.random() < 0.5 else (2, 1)
    box, drawn = least_bounds(stack, model, triggers, degrees), random_sample.a_third_exceeding(stack, length, triggers, samples)
    both = box | {"properties": box["properties"] + drawn["properties"]}
    return [(stack.file(), value) for value in (box, drawn, both)]


def sampled(attention, eta, samples, alpha=Fraction(1, 100), **options):
    """(model, certificate) with theorem.tc-2."""
    layer = sampling_sample.sink(attention, claim_hash=CLAIM_HASH, **options)
    return layer.file(), sampling_sample.certificate(layer, eta, samples, alpha=alpha)


class Agreement(Case):
    def setUp(self):
        super().setUp()
        self.options.models, self.options.accept = self.folder, {"statistical"}

    def model(self, data):
        self.write(f"{hashlib.sha256(data).hexdigest()}.safetensors", data)

    def certificates(self, seed):
        for data, value in good(seed):
            self.model(data)
            yield copy.deepcopy(value)

    def verdicts(self, values):
        """[(theirs, mine)] of certificates, each (verdict, what the theorems rest on, reason)."""
        paths = [self.write(f"{index}.json", canonical(value)) for index, value in enumerate(values)]
        command = [os.path.join(PROGRAM, "sinkproof-check"), "--format", "json", "--models", self.folder, "--claims", self.options.claims, "--accept", "statistical"]
        out = subprocess.run(command + paths, capture_output=True, text=True, timeout=120)
        theirs = json.loads(out.stdout)["files"]
        self.assertEqual([item["file"] for item in theirs], paths)
        mine = [recheck.check.check_file(path, self.options)[1] for path in paths]
        return [[(item["verdict"], "" if item["verdict"] == "rejected" else item["reason"], item["reason"]) for item in pair] for pair in zip(theirs, mine)]

    def agree(self, values):
        """The tally of verdicts, after demanding that they are the same."""
        tally = collections.Counter()
        for value, (theirs, mine) in zip(values, self.verdicts(values)):
            if theirs[:2] != mine[:2]:
                path = os.path.join(os.path.dirname(self.folder), f"sinkproof-disagreement-{hashlib.sha256(canonical(value)).hexdigest()[:12]}.json")
                with open(path, "wb") as file:
                    file.write(canonical(value))
                self.fail(f"the checkers disagree on {path}: {theirs} against {mine}")
            tally[mine[0]] += 1
        return tally

    def test_good_certificates(self):
        values = list(self.certificates(SEED))
        kinds = len(layer_sample.KINDS)
        self.assertEqual(self.agree(values), {"proved": 4 * kinds + len(stack_sample.KINDS_OF_STACKS), "statistical": 2 * kinds + 4})

    def test_one_more_or_less(self):
        """Exceeding, delta and alpha at their very ends, and alpha unpaid: the same side for both."""
        values, expected, price, most = [], collections.Counter(), 29 * ETA.denominator**2 * SAMPLES, 0
        for value in list(self.certificates(SEED))[-4:]:
            item = value["properties"][-1]
            count, alpha = item["exceeding"], Fraction(1, 100)
            most = max(most, count)
            for exceeding in (count - 1, count, count + 1):
                if exceeding >= 0:
                    delta = sampling_sample.least_delta(SAMPLES, exceeding, alpha, ETA)
                    for by in (0, Fraction(1, 10**4)):
                        exact = sampling_sample.tail(SAMPLES, exceeding, delta - by)
                        for bound in (price, price * (1 - STEPS[0]), 1, price // 29, price // SAMPLES, price // ETA.denominator):
                            changed = sampling_sample.restated(item | {"alpha": str(exact * bound)}, 4, exceeding, delta - by)
                            values.append(dict(value, properties=value["properties"][:-1] + [changed]))
                            expected["statistical" if bound == price and exceeding >= count else "rejected"] += 1
        self.assertGreater(most, 0)
        self.assertEqual(self.agree(values), expected)

    def test_denominators_of_eta(self):
        """Up to 10^12."""
        values = []
        for f in (10**12 - 1, 10**12, 10**12 + 1, 10**15 + 1):
            data, value = sampled("elu1-normalised", Fraction(f // 12, f), 170, Fraction(99, 100), n=5, wobble=Fraction(1, 64))
            self.model(data)
            values.append(value)
        found = [(theirs[0], mine[0]) for theirs, mine in self.verdicts(values)]
        self.assertEqual(found, [("statistical", "statistical")] * 2 + [("rejected", "rejected")] * 2)

    def test_mutants(self):
        randomly, mutator, tally = random.Random(SEED), Mutator(SEED), collections.Counter()
        originals, end = list(self.certificates(SEED)), time.monotonic() + SECONDS
        while time.monotonic() < end:
            values = []
            for _ in range(BATCH):
                value = copy.deepcopy(randomly.choice(originals))
                for _ in range(randomly.choice((1, 1, 1, 2))):
                    mutator.mutate(value)
                values.append(value)
            tally += self.agree(values)
        print(dict(tally), file=sys.stderr)
        for verdict in ("proved", "statistical", "rejected"):
            self.assertGreater(tally[verdict], 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    SECONDS, SEED = [kind(sys.argv.pop(1)) if len(sys.argv) > 1 else default for kind, default in ((float, SECONDS), (int, SEED))]
    unittest.main()
