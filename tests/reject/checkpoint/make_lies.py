#!/usr/bin/env python3
"""Writes the SP....-*.json of this folder from accepted-softmax.json and accepted-relu.json.

Run it when those two change (a rule got other hints): `sinkproof certify models/softmax.safetensors -o
accepted-softmax.json`, the same for relu, with --claims naming the proofs/ folder here, then this script, then
tests/check/checkpoint_files_test.cpp says whether every lie is still rejected for its own reason.
"""

import copy
import hashlib
import json
import pathlib
from fractions import Fraction

HERE = pathlib.Path(__file__).parent
SIDE = 4  # coordinate 2, sign 1: noise


def accepted(attention):
    return json.loads((HERE / f"accepted-{attention}.json").read_text())


def sha256(model):
    return hashlib.sha256((HERE / "models" / f"{model}.safetensors").read_bytes()).hexdigest()


def write(name, value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    (HERE / f"{name}.json").write_text(text + "\n")


def named(certificate, name):
    return next(entry for entry in certificate["properties"] if entry["name"] == name)


def lie(name, change, attention="softmax"):
    """`change` gets the certificate, and a function that finds a property by its name."""
    certificate = accepted(attention)
    before = json.dumps(certificate, sort_keys=True)
    change(certificate, lambda name: named(certificate, name))
    assert json.dumps(certificate, sort_keys=True) != before, name
    write(name, certificate)


def more(text, step):
    return str(Fraction(text) + Fraction(step))


def witness(of, key, value):
    return lambda c, p: p(of)["witness"].update({key: value})


def token(position, coordinate, value):
    return lambda c, p: p("sup-loss.pre")["witness"]["tokens"][position].__setitem__(coordinate, value)


def pre(key, value, side=SIDE):
    return lambda c, p: p("sup-loss.pre")["proof"]["coordinates"][side].update({key: value})


def product(key, change, side):
    def apply(c, p):
        content = p("sup-loss.pre")["proof"]["coordinates"][side]["content"]
        content[key] = change(content[key])
    return apply


def multiplier(index, change):
    def apply(c, p):
        lambdas = p("sup-loss.pre")["proof"]["coordinates"][SIDE]["lambda"]
        lambdas[index] = change(lambdas[index])
    return apply


def cells(name, change):
    return lambda c, p: change(p("sup-loss.trigger")["proof"]["cells"][name])


def spread(key, value):
    return lambda c, p: p("sup-loss.trigger")["proof"]["spread"].update({key: value})


def spread_bound(key, value):
    return lambda c, p: p("sup-loss.trigger")["proof"]["spread"][key].update(bound=value)


def model(**changes):
    return lambda c, p: c["model"].update(changes)


def top(**changes):
    return lambda c, p: c.update(changes)


def entry(of, **changes):
    return lambda c, p: p(of).update(changes)


def moved(of, **steps):
    return lambda c, p: p(of).update({key: more(p(of)[key], step) for key, step in steps.items()})


def upper_attained(c, p):
    p("sup-loss.pre")["upper"] = p("sup-loss.pre")["lower"]


def floor_more(of, step):
    return lambda c, p: p(of).update(lower=more(p(of)["lower"], step), upper="1")


def ceiling_less(c, p):
    p("bos-ceiling.pre").update(lower="0", upper=more(p("bos-ceiling.pre")["upper"], "-1/65536"))


def content_zero(c, p):
    proof = p("sup-loss.pre")["proof"]
    proof["content_zero"] = "100"
    for side in proof["coordinates"]:
        del side["content"]


def swapped(c, p):
    sides = p("sup-loss.pre")["proof"]["coordinates"]
    sides[0], sides[1] = sides[1], sides[0]


def bound_unreduced(c, p):
    upper = Fraction(p("sup-loss.pre")["upper"])
    p("sup-loss.pre")["upper"] = f"{2 * upper.numerator}/{2 * upper.denominator}"


def maximum_less(c, p):
    p("sup-loss")["upper"] = p("sup-loss.pre")["upper"]


NOT_APPLICABLE = {"verdict": "not-applicable", "parameter": None, "implied": None, "certified": None}
LINE = "x\nproved (exact)  checkpoint  accepted-softmax.json\x1b[A"

for old in HERE.glob("SP*.json"):
    old.unlink()
lie("SP0101-bound-not-in-lowest-terms", bound_unreduced)
lie("SP0405-weight-not-a-number", model(sha256=sha256("nan")))
lie("SP0503-bound-as-integer", entry("sup-loss.pre", upper=1))
lie("SP0503-coordinates-swapped", swapped)
lie("SP0503-extra-key", top(note="1"))
lie("SP0503-length-2", top(length=2))
lie("SP0503-proof-with-extra-key", lambda c, p: p("sup-loss.pre")["proof"].update(trusted="yes"))
lie("SP0503-sign-as-boolean", witness("sup-loss.pre", "sign", True))
lie("SP0503-theorem-parameter", entry("theorem.tc-3", parameter=3))
lie("SP0503-witness-coordinate-beyond-the-width", witness("sup-loss.pre", "coordinate", 4))
lie("SP0503-witness-floor-at-row-1", witness("bos-floor.pre", "row", 1))
lie("SP0503-witness-row-beyond-the-sequence", witness("sup-loss.post", "row", 5))
lie("SP0503-witness-trigger-at-2", witness("sup-loss.pre", "trigger", 2))
lie("SP0901-bos-share-one", spread("bos_share", "1"))
lie("SP0901-bos-share-too-small", spread("bos_share", "1/1000"))
lie("SP0901-ceiling-one-digit-less", ceiling_less, "relu")
lie("SP0901-cells-fewer-than-trees", cells("least", lambda t: t.pop(3)))
lie("SP0901-cells-not-from-the-start", cells("least", lambda t: t.__setitem__(0, "1/20")))
lie("SP0901-cells-not-increasing", cells("least", lambda t: t.__setitem__(2, "1/20")))
lie("SP0901-cells-not-reaching-the-end", cells("least", lambda t: t.__setitem__(-1, "19/20")))
lie("SP0901-cells-repeated", cells("flag", lambda t: t.__setitem__(1, t[0])))
lie("SP0901-claim-of-another-name", top(claim="tc-1"))
lie("SP0901-claim-text-changed", top(claim_sha256="0" * 64))
lie("SP0901-content-said-to-be-zero", content_zero, "relu")
lie("SP0901-coordinates-one-missing", lambda c, p: p("sup-loss.pre")["proof"]["coordinates"].pop())
lie("SP0901-floor-of-trigger-rows-from-other-rows", lambda c, p: p("bos-floor.trigger").update(
    {key: p("bos-floor.pre")[key] for key in ("lower", "upper", "proof")}))
lie("SP0901-floor-of-trigger-rows-one-digit-more", floor_more("bos-floor.trigger", "1/500000"))
lie("SP0901-floor-one-digit-more", floor_more("bos-floor.pre", "1/50000"))
lie("SP0901-floor-witness-one-digit-less", moved("bos-floor.pre", upper="-1/50000000"))
lie("SP0901-lambda-negative", multiplier(1, lambda x: "-" + x))
lie("SP0901-lambda-zero", multiplier(0, lambda x: "0"))
lie("SP0901-lower-one-digit-more", moved("sup-loss.pre", lower="1/500000000"))
lie("SP0901-made-for-another-model", model(sha256=sha256("another")))
lie("SP0901-maximum-from-the-wrong-part", entry("sup-loss", witness={"from": "sup-loss.pre"}))
lie("SP0901-maximum-too-small", maximum_less)
lie("SP0901-maximum-without-a-part", lambda c, p: p("sup-loss")["proof"]["of"].pop())
lie("SP0901-name-with-a-line-feed", lambda c, p: c["properties"].append(dict(p("bos-floor.pre"), name=LINE)))
lie("SP0901-no-properties", top(properties=[]))
lie("SP0901-order-not-a-permutation", lambda c, p: p("sup-loss.pre")["proof"].update(order=[1]))
lie("SP0901-other-attention", model(attention="relu", overrides=["attention"]))
lie("SP0901-other-attention-not-admitted", model(attention="relu"))
lie("SP0901-overrides-missing", model(sha256=sha256("residual")))
lie("SP0901-overrides-without-need", model(overrides=["attention"]))
lie("SP0901-property-twice", lambda c, p: c["properties"].append(copy.deepcopy(p("sup-loss.pre"))))
lie("SP0901-property-unknown", entry("bos-floor.pre", name="bos-ceiling.pre"))
lie("SP0901-residual-true", model(residual=True))
lie("SP0901-residual-zero-for-false", model(residual=0))
lie("SP0901-root-negative", product("root", lambda x: "-1", 7), "relu")
lie("SP0901-root-too-small", product("root", lambda x: more(x, "-1/1000"), SIDE), "relu")
lie("SP0901-scores-not-certainly-positive",
    lambda c, p: p("sup-loss.trigger")["proof"]["content"].update(deviation="2"), "relu")
lie("SP0901-semantics-float32", top(semantics="float32"))
lie("SP0901-spread-bound-negative", spread_bound("trigger_low", "-1"))
lie("SP0901-spread-bound-too-small", spread_bound("content", "0"))
lie("SP0901-theorem-certified-more", entry("theorem.tc-1", certified="1"))
lie("SP0901-theorem-eta-smaller", entry("theorem.tc-1", eta="0"))
lie("SP0901-theorem-implies-more", entry("theorem.tc-3", implied="1"))
lie("SP0901-theorem-of-another-claim", entry("theorem.tc-1", claim="tc-3"))
lie("SP0901-theorem-said-not-to-apply", entry("theorem.tc-1", **NOT_APPLICABLE))
lie("SP0901-theta-negative", product("theta", lambda x: "-" + x, 0), "relu")
lie("SP0901-theta-zero", product("theta", lambda x: "0", 0), "relu")
lie("SP0901-tree-deeper-than-the-noise", pre("tree", "11000"))
lie("SP0901-tree-with-a-missing-leaf", pre("tree", "10"))
lie("SP0901-tree-with-one-leaf-too-many", pre("tree", "00"))
lie("SP0901-trigger-share-too-large", spread("trigger_least", "1/2"))
lie("SP0901-trigger-share-too-small", spread("trigger_most", "1/2"))
lie("SP0901-two-heads", model(num_heads=2, overrides=["num_heads"]))
lie("SP0901-two-layers-in-the-file", model(sha256=sha256("two-layers")))
lie("SP0901-upper-below-what-is-attained", upper_attained)
lie("SP0901-verdict-changed", entry("sup-loss.pre", verdict="proved"))
lie("SP0901-witness-bos-with-noise", token(0, 2, "1"))
lie("SP0901-witness-outside-the-box", token(1, 2, "1000001/1000000"))
lie("SP0901-witness-row-of-another-class", witness("sup-loss.pre", "row", 4))
lie("SP0901-witness-sign-0", witness("sup-loss.pre", "sign", 0))
lie("SP0901-witness-with-half-a-flag", token(1, 3, "1/2"))
lie("SP0901-witness-with-two-flags", token(1, 1, "1"))
lie("SP0901-wrong-length", top(length=5))
lie("SP0901-wrong-width", model(d_model=5, overrides=["d_model"]))
lie("SP0903-model-not-there", model(sha256="0" * 64))
lie("SP0904-claim-not-there", top(kind="theory", claim="tc-99"))
