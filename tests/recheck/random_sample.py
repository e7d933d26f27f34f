"""Certificates with random.loss, random.sink and random.no-sink (CHECKPOINT_RULES.md 4.17), for random_test.py and
agreement_test.py.

Nothing here uses tools/recheck: samples are drawn as sampling_sample.py does, and the passes are those that
stack_sample.py makes word for word.
"""

import hashlib
from fractions import Fraction

from sampling_sample import drawn, least_delta

NAMES = ("random.loss", "random.sink", "random.no-sink")
PRECISIONS = (64, 128)
TINY = Fraction(1, 10**5)


def sample(stack, length, triggers, i):
    """(Trigger position, tokens) of sample i."""
    sha256 = hashlib.sha256(stack.file()).hexdigest()
    return drawn(("sinkproof random", sha256, length, *triggers), i, stack.n, length, *triggers)


def least_thresholds(stack, tokens, j, p):
    """By name the least t that the pass at p shows, None if it fails."""
    if (found := stack.page_pass(tokens, p)) is None:
        return None
    (rows, weights), unit, errors = found, 2**p, []
    for i, (centres, radius) in enumerate(rows, 1):
        for r, c in enumerate(centres):
            target = (Fraction(sum(token[r] for token in tokens[1:j]), j - 1) if i == j else 0) + stack.residual * tokens[i - 1][r]
            errors += [s * (Fraction(c, unit) - target) + Fraction(radius, unit) for s in (1, -1)]
    bos = [[(i, *row[1]) for i, row in enumerate(head, 1) if i >= 2] for of_layer in weights for head in of_layer]
    sinks = [1 - Fraction(min((low for i, low, _ in head if i != j)), unit) for head in bos]
    return dict(zip(NAMES, (max(errors), min(sinks), Fraction(max(high for head in bos for _, _, high in head), unit))))


def least_of_samples(stack, length, triggers, count):
    """Of each sample, by name the least threshold it is within, None if it is within none."""
    found = []
    for i in range(count):
        j, tokens = sample(stack, length, triggers, i)
        seen = list(filter(None, (least_thresholds(stack, tokens, j, p) for p in PRECISIONS)))
        found.append({name: min((of[name] for of in seen), default=None) for name in NAMES})
    return found


def price(threshold):
    """What a threshold costs."""
    return 1000 * (threshold.numerator + threshold.denominator)**2


def paid(alpha, threshold, samples):
    return alpha / (price(Fraction(threshold)) * samples)


def statement(name, threshold, samples, exceeding, alpha=Fraction(1, 2), delta=None):
    """The property, with the least delta unless it is given."""
    delta = least_delta(samples, exceeding, alpha, threshold, paid=paid) if delta is None else delta
    return {"name": name, "verdict": "statistical", "threshold": str(threshold), "samples": samples, "exceeding": exceeding,
            "alpha": str(alpha), "delta": str(delta), "proof": {"rule": "random"}}


def certificate(stack, length, triggers, items):
    return stack.certificate(length, None, items) | {"box": [["-1", "1"]], "triggers": list(triggers)}


def short(x):
    """A number with few digits just above x."""
    return Fraction((x * 10**4).__ceil__(), 10**4)


def a_third_exceeding(stack, length, triggers, samples):
    """The certificate of all three, at thresholds that about a third of the samples exceed."""
    found, items = least_of_samples(stack, length, triggers, samples), []
    for name in NAMES:
        least = [of[name] for of in found]
        threshold = max(short(sorted(least)[2 * samples // 3]), TINY)
        items.append(statement(name, threshold, samples, sum(x > threshold for x in least)))
    return certificate(stack, length, triggers, items)
