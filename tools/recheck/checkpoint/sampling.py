"""CHECKPOINT_RULES.md, section 4.17: sampling."""

import hashlib
import struct
from collections import namedtuple
from fractions import Fraction
from math import comb

from ..envelope import fields, integer, rational
from ..refusal import require, within
from .forward import PRECISIONS, forward_pass, loss_ends, passes
from .layer_rules import MAX_ROW_LENGTH


def of_property(check, subject, item, *more):
    """check(subject, item, ...), which rejects in the name of the property."""
    with within(f"property {item['name'][:40]}"):
        return check(subject, item, *more)


SAMPLED_KEYS = ("name", "verdict", "samples", "exceeding", "alpha", "delta", "proof")
GRID = 65536

# What a property says of its first `samples` samples: all but `most` are within(seen, tokens, trigger) of some pass.
Sampled = namedtuple("Sampled", "what samples most within")


def check_sampling(layer, item, named):
    """Few of the samples exceed eta, and what tc-2 then implies; returns the claim."""
    length, model = integer(layer.length, "length", 4, MAX_ROW_LENGTH), layer.model
    sampled = read_sampled(layer, item, "eta", ("claim", "floor", "implied", "certified"), eta_price, loss_within)
    require(item["claim"] == "tc-2", "claim is not the theorem's")
    require(item["proof"] == {"rule": "sampling", "floors": ["bos-floor.pre"]}, "proof is not sampling of tc-2")
    eta, delta = rational(item["eta"], "eta"), rational(item["delta"], "delta")
    require(layer.box.least, "the theorem does not apply to this box")
    exact = eta / layer.box.least
    require(12 * exact <= 1, "eta is too large for this box")
    require(rational(item["floor"], "floor") == 1 - 3 * exact, "floor is not what the theorem gives")
    implied = 1 - delta * (length - 1) * (length - 2) / 2
    require(rational(item["implied"], "implied") == implied and implied > 0, "implied is not what the theorem gives")
    for name in ("bos-floor.pre", "sup-loss.pre", "sup-loss.post"):
        require(name in named, f"{name} is not in the certificate")
    for name in ("sup-loss.pre", "sup-loss.post"):
        require(rational(named[name].get("upper"), "upper") <= eta, f"{name} is not shown to be at most eta")
    floor = rational(named["bos-floor.pre"].get("lower"), "lower")
    require(rational(item["certified"], "certified") == floor, "certified is not the lower of bos-floor.pre")
    draw = drawn(layer.box, length, layer.triggers, "tc-2", model.sha256, length, item["eta"], sampled.samples)
    count_samples([sampled], draw, lambda tokens, j: [forward_pass(model, tokens[:j], GRID * layer.box.unit, 128, j - 1)])
    return "tc-2"


def check_random(layer, items):
    """All properties `random.*`, sequence by sequence."""
    length, model = integer(layer.length, "length", 3, MAX_ROW_LENGTH), layer.model
    sampled = [of_property(read_random, layer, item) for item in items]
    draw = drawn(layer.box, length, layer.triggers, "random", model.sha256, length, *layer.triggers)
    count_samples(sampled, draw, lambda tokens, _: passes(model, tokens, GRID * layer.box.unit, PRECISIONS[:2]))


def read_random(layer, item):
    """What a property `random.*` says."""
    require(item["name"] in RANDOM, "no such property")
    fields(item["proof"], ("rule",), "proof")
    return read_sampled(layer, item, "threshold", (), threshold_price, RANDOM[item["name"]])


def read_sampled(layer, item, key, keys, price, within):
    """What the properties have in common: `price` is what a threshold costs, `within` looks at it and at passes."""
    fields(item, SAMPLED_KEYS + (key, *keys), "the property")
    require(item["verdict"] == "statistical", "verdict is not statistical")
    samples = integer(item["samples"], "samples", 1, 100000)
    require(samples * layer.length <= 2000000, "too many samples for this length")
    most = integer(item["exceeding"], "exceeding", 0, min(samples, 1000))
    threshold, alpha, delta = (rational(item[name], name) for name in (key, "alpha", "delta"))
    require(0 < alpha < 1, "alpha is out of range")
    require(0 < delta < 1 and delta.denominator <= 10**9, "delta is out of range")
    paid = alpha / (price(threshold) * samples)  # for every threshold and N that may have been tried
    require(is_confident(samples, most, delta, paid), "delta is too small for the samples")
    return Sampled(f"{key} of {item['name']}", samples, most, lambda *seen: within(layer.model, threshold, *seen))


def eta_price(eta):
    require(0 < eta <= Fraction(1, 12), "eta is out of range")
    require(eta.denominator <= 10**12, "the denominator of eta is too large")
    return 29 * eta.denominator**2


def threshold_price(t):
    require(t > 0 and t.numerator + t.denominator <= 10**12, "threshold is out of range")
    return 1000 * (t.numerator + t.denominator)**2


def is_confident(samples, exceeding, delta, alpha):
    """The binomial tail, divided by (1 - delta)^(samples - exceeding) and by no more than that."""
    p, q = delta.numerator, delta.denominator
    tail = sum(comb(samples, k) * p**k * (q - p)**(exceeding - k) for k in range(exceeding + 1))
    return alpha.denominator * tail * (q - p)**(samples - exceeding) <= alpha.numerator * q**samples


def stream(prefix, i):
    """The stream of sample i: 16-bit words."""
    b = 0
    while True:
        yield from struct.unpack(">16H", hashlib.sha256(prefix + b"%d\n%d\n" % (i, b)).digest())
        b += 1


def drawn(box, length, triggers, *items):
    """The function that draws sample i: (trigger position, tokens as integers over GRID E); T_i,b names the items."""
    prefix = "".join(f"{item}\n" for item in items).encode("ascii")
    first, choices = triggers[0], triggers[1] - triggers[0] + 1

    def sample(i):
        words = stream(b"sinkproof " + prefix, i)
        trigger = first + next(word for word in words if word < GRID // choices * choices) % choices
        one = GRID * box.unit
        tokens = [[one] + [0] * box.C]
        for k in range(2, length + 1):
            noise = [GRID * c + rho * (2 * next(words) + 1 - GRID) for c, rho in zip(*box.whole)]
            tokens.append([0, one, *noise, 0] if k == trigger else [0, 0, *noise, one])
        return trigger, tokens
    return sample


def count_samples(sampled, draw, look):
    """As many samples as the properties say are within their thresholds in one of the passes look(tokens, trigger)."""
    counts = dict.fromkeys(sampled, 0)
    for i in range(max(of.samples for of in sampled)):
        trigger, tokens = draw(i)
        missed = [of for of in sampled if i < of.samples]
        for seen in look(tokens, trigger):
            missed = [of for of in missed if not (seen and of.within(seen, tokens, trigger))]
            if not missed:
                break
        for of in missed:
            counts[of] += 1
            require(counts[of] <= of.most, f"more than {of.most} samples exceed {of.what}")


def loss_within(model, t, seen, tokens, trigger):
    """Is the loss at all rows of the pass at most t?"""
    rows = range(seen.first, seen.first + len(seen.rows.rows))
    return all(loss_ends(model, seen, tokens, GRID * model.box.unit, row + 1, trigger)[1] <= t for row in rows)


def has_sink(model, t, seen, tokens, trigger):
    """Has some head BOS attention >= 1 - t at all rows from 2 on but the trigger's?"""
    rows, least = [i for i in range(2, len(tokens) + 1) if i != trigger], (1 - t) * (1 << seen.p)
    return any(all(head[i - 1][1][0] >= least for i in rows) for heads in seen.weights for head in heads)


def has_no_sink(model, t, seen, tokens, trigger):
    """Has every head BOS attention <= t at all rows from 2 on?"""
    return all(row[1][1] <= t * (1 << seen.p) for heads in seen.weights for head in heads for row in head[1:])


RANDOM = {"random.loss": loss_within, "random.sink": has_sink, "random.no-sink": has_no_sink}
