"""Certificates with theorem.tc-2 (CHECKPOINT_RULES.md 4.17), for sampling_test.py and agreement_test.py.

Nothing here uses tools/recheck: samples are drawn and evaluated from the page's words, in 60-digit decimals.
"""

import hashlib
from fractions import Fraction
from math import comb

from layer_sample import Sample

SINK = 15  # logit of BOS for content queries, and minus that of other keys


def sink(attention, seed=1, length=4, n=4, wobble=Fraction(1, 8), claim_hash=""):
    """A head with a sink whose trigger row is wrong by an amount that depends on the noise."""
    unit = [[Fraction(a == b) for b in range(n)] for a in range(n)]
    scores = [[Fraction(0)] * n for _ in range(n)]
    scores[n - 1] = [Fraction(SINK)] + [Fraction(-SINK)] * (n - 1)
    scores[n - 1][2:n - 1] = [Fraction(0)] * (n - 3)
    scores[1] = [Fraction(-SINK)] + [Fraction(0)] * (n - 1)
    for k in range(2, n - 1):
        scores[1][k] = wobble * (1 + (seed + k) % 3)
        scores[k][1] = wobble / 2
    project = [[Fraction(a == b and a > 0) for b in range(n)] for a in range(n)]
    tensors = {"W_Q.weight": unit, "W_K.weight": scores, "W_V.weight": project, "W_O.weight": unit}
    return Sample(attention, 1, n=n, length=length, seed=seed, tensors=tensors, claim_hash=claim_hash)


def drawn(items, i, n, length, first, last):
    """Section 4.17, the samples: (trigger position, tokens) of sample i, whose texts begin with the items."""
    text = lambda b: "".join(f"{item}\n" for item in (*items, i, b))
    data = b"".join(hashlib.sha256(text(b).encode()).digest() for b in range(2 + length * (n - 3) // 8))
    words = [256 * high + low for high, low in zip(data[::2], data[1::2])]
    c = last - first + 1
    at = next(k for k, w in enumerate(words) if w < c * (65536 // c))
    j, words = first + words[at] % c, words[at + 1:]
    tokens = [[Fraction(1)] + [Fraction(0)] * (n - 1)]
    for k in range(2, length + 1):
        noise = [Fraction(2 * v + 1 - 65536, 65536) for v in words[:n - 3]]
        words = words[n - 3:]
        tokens.append([Fraction(0), Fraction(k == j), *noise, Fraction(k != j)])
    return j, tokens


def tokens_of(sha256, layer, eta, samples, i):
    """Sample i of theorem.tc-2: (trigger position, tokens 1 to j)."""
    j, tokens = drawn(("sinkproof tc-2", sha256, layer.length, eta, samples), i, layer.n, layer.length, 3, layer.length)
    return j, tokens[:j]


def largest_loss(layer, j, tokens):
    """The loss of the trigger row, a Fraction near it."""
    out, _, _ = layer.evaluate(tokens)
    return max(abs(Fraction(x) - sum(token[r] for token in tokens[1:]) / (j - 1)) for r, x in enumerate(out))


def count_exceeding(sha256, layer, eta, samples):
    losses = [largest_loss(layer, *tokens_of(sha256, layer, eta, samples, i)) for i in range(samples)]
    assert all(abs(loss - eta) > Fraction(1, 10**25) for loss in losses), "a sample too close to call"
    return sum(loss > eta for loss in losses)


def tail(samples, exceeding, delta):
    """The probability of at most `exceeding` successes."""
    return sum(comb(samples, k) * delta**k * (1 - delta)**(samples - k) for k in range(exceeding + 1))


def paid(alpha, eta, samples):
    """What is left of alpha once every eta and N that may have been tried is paid for."""
    return alpha / (29 * Fraction(eta).denominator**2 * samples)


def least_delta(samples, exceeding, alpha, threshold, units=10**4, paid=paid):
    """The least multiple of 1/units with a tail of at most the paid alpha."""
    low, high = 0, units
    while high - low > 1:
        middle = (low + high) // 2
        enough = tail(samples, exceeding, Fraction(middle, units)) <= paid(alpha, threshold, samples)
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(high, units)


def head_properties(layer, bound):
    """sup-loss.pre, sup-loss.post and bos-floor.pre of a softmax head with this sink, where root leaves suffice."""
    tokens, properties = layer.sequence(3 if layer.length > 3 else layer.length), []
    witness = lambda j, i: {"trigger": j, "row": i, "coordinate": 0, "sign": 1, "tokens": [[str(x) for x in token] for token in tokens]}
    parameters = {"rows": None, "cells": None, "references": {"bos": "0", "null": None, "trigger": "0"}}
    for rows, i in (("pre", 2), ("post", layer.length)):
        properties.append({"name": f"sup-loss.{rows}", "verdict": "enclosed", "lower": "0", "upper": str(bound), "witness": witness(3, i),
                           "proof": {"rule": "row", "order": list(range(layer.d)), "parameters": parameters, "trees": ["0"] * (2 * layer.n)}})
    properties.append({"name": "bos-floor.pre", "verdict": "enclosed", "lower": str(1 - bound), "upper": "1", "witness": witness(3, 2),
                       "proof": {"rule": "softmax-floor", "order": list(range(layer.d)), "parameters": {}, "trees": ["0"]}})
    return properties


def theorem(layer, sha256, eta, samples, floor, alpha=Fraction(1, 100)):
    """The property theorem.tc-2, with the least exceeding and the least delta."""
    count = count_exceeding(sha256, layer, eta, samples)
    item = {"name": "theorem.tc-2", "verdict": "statistical", "claim": "tc-2", "eta": str(eta), "samples": samples, "alpha": str(alpha),
            "floor": str(1 - 3 * eta), "certified": floor, "proof": {"rule": "sampling", "floors": ["bos-floor.pre"]}}
    return restated(item, layer.length, exceeding=count, delta=least_delta(samples, count, alpha, eta))


def restated(item, length, exceeding=None, delta=None):
    """The property with other numbers, and what they imply."""
    exceeding = item["exceeding"] if exceeding is None else exceeding
    delta = Fraction(item["delta"]) if delta is None else delta
    return item | {"exceeding": exceeding, "delta": str(delta), "implied": str(1 - delta * (length - 1) * (length - 2) / 2)}


def certificate(layer, eta, samples, **options):
    value = layer.certificate()
    if layer.attention == "softmax":
        value["properties"] = head_properties(layer, Fraction(1, 1000))
        value["ranges"] = None
    floor = next(item["lower"] for item in value["properties"] if item["name"] == "bos-floor.pre")
    value["properties"].append(theorem(layer, value["model"]["sha256"], eta, samples, floor, **options))
    return value
