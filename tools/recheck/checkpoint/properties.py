"""CHECKPOINT_RULES.md, section 4.7: properties and theorems."""

from collections import namedtuple
from fractions import Fraction
from math import isqrt

from ..envelope import fields, integer, rational
from ..refusal import Contradiction, require, within
from .forward import loss_down, read_witness, rollout_range, shows
from .model import CLASSES, CONVEX, ENDS, MAX_BOX_TEXT, ROLLOUTS
from .obligations import prove_all, read_points
from .rules import RULES
from .sampling import check_sampling

PROPERTY_KEYS = ("name", "verdict", "lower", "upper", "witness", "proof")
LARGEST, LARGEST_KEYS = "largest-box.", PROPERTY_KEYS + ("threshold", "attained")

# What a rule is to prove: of losses at most `bound`, of floors at least, of ceilings at most; for these heads of these
# layers.
Statement = namedtuple("Statement", "family rows bound heads layers", defaults=(range(1),))


def class_of(layer, name):
    """(family, class of rows or None) of the name of a bound."""
    family, _, rows = name.partition(".")
    known = (family == "sup-loss" or (family in ROLLOUTS and layer.model.has_rollout)
             or (family in ENDS and (layer.attention.slot == 1 or family.startswith("bos"))))
    require(name == "sup-loss" or (known and rows in CLASSES), "no such property")
    require(rows != "post" or layer.triggers[0] < layer.length, "no rows after the trigger at this length")
    return family, rows or None


def check_witness(layer, value, family, rows, bound, layers, heads, intervals=None):
    """The witness shows that the loss, or what some of these heads pay, is at least (floors: no more) than the bound."""
    witness = read_witness(layer, value, rows, 1 if family == "sup-loss" else 2, intervals)
    slot, is_floor = int(family.startswith("bos")), family.endswith("floor")

    def attains(seen):
        if family == "sup-loss":
            return loss_down(layer.model, witness, seen) >= bound
        ends = [rollout_range(seen)] if family in ROLLOUTS else [
            seen.weights[l][h][-1][slot] for l in layers for h in heads]
        if is_floor:
            return min(high for _, high in ends) <= bound * (1 << seen.p)
        return max(low for low, _ in ends) >= bound * (1 << seen.p)
    if family != "sup-loss" or bound > 0:
        require(shows(layer.model, witness, attains), f"the witness does not attain {'upper' if is_floor else 'lower'}")


def check_bound(layer, item, named):
    """Section 4.7: a loss, a floor or a ceiling, or what is stated of all boxes."""
    if item["name"].startswith(LARGEST):
        return check_largest_box(layer, item, named)
    family, rows = class_of(layer, item["name"])
    of_head = family in ENDS and ("layer" in item or "head" in item)
    fields(item, PROPERTY_KEYS + (("layer", "head") if of_head else ()), "the property")
    require(item["verdict"] == "enclosed", "verdict is not enclosed")
    lower, upper = rational(item["lower"], "lower"), rational(item["upper"], "upper")
    may_be_negative = family in ENDS and layer.attention.signed
    require(lower <= upper and (lower >= 0 or may_be_negative), "lower is negative or over upper")
    if rows is None:
        return check_maximum(layer, item, lower, upper, named)
    layers, heads = range(len(layer.model.layers)), range(layer.model.heads)
    if of_head:
        layers = [integer(item["layer"], "layer", 0, layers[-1])]
        heads = [integer(item["head"], "head", 0, heads[-1])]
    proved, attained = (lower, upper) if family.endswith("floor") else (upper, lower)
    check_witness(layer, item["witness"], family, rows, attained, layers, heads)
    check_rule(layer, item["proof"], Statement(family, rows, proved, heads, layers))


def check_largest_box(layer, item, named):
    """Section 4.7, `largest-box.NAME`."""
    name = item["name"].removeprefix(LARGEST)
    family, rows = class_of(layer, name)
    require(family not in ROLLOUTS, "no such property")
    fields(item, LARGEST_KEYS, "the property")
    require(item["verdict"] == "enclosed", "verdict is not enclosed")
    require(item["proof"] == {"rule": "maximum", "of": [name]}, "proof does not name the property")
    require(name in named, f"{name} is not in the certificate")
    lower, threshold = rational(item["lower"], "lower"), rational(item["threshold"], "threshold")
    require(lower >= 0 and layer.box.text == [[str(-lower), str(lower)]], "box is not [[-lower, lower]]")
    is_floor = family.endswith("floor")
    sign = -1 if is_floor else 1  # floors: the other way round
    proved = rational(named[name].get("lower" if is_floor else "upper"), f"the bound of {name}")
    require(sign * proved <= sign * threshold, f"{name} is not shown to meet threshold")
    if item["upper"] is item["attained"] is item["witness"] is None:
        return
    upper, attained = rational(item["upper"], "upper", MAX_BOX_TEXT), rational(item["attained"], "attained")
    require(upper > lower, "upper is not over lower")
    require(sign * attained > sign * threshold, "attained meets threshold")
    check_witness(layer, item["witness"], family, rows, attained, range(len(layer.model.layers)),
                  range(layer.model.heads), [(-upper, upper)] * (layer.n - 3))


def check_rule(layer, proof, statement):
    """The rule that `proof` names proves the statement."""
    name = proof["rule"]
    rule = RULES.get(name)
    require(rule and rule.proves(layer, statement), f"the rule {name[:40]!r} does not prove this property")
    keys, optional = (("order", "parameters", "trees"), ("points",)) if rule.parameters else (rule.keys, ())
    fields(proof, ("rule",) + keys, "proof", optional)
    with within(f"rule {name}"):
        if rule.parameters:
            fields(proof["parameters"], rule.parameters(statement), "parameters")
            obligations = rule.check(layer, statement, proof["order"], proof["parameters"])
            prove_all(layer, proof["trees"], obligations, read_points(layer, proof))
        else:
            rule.check(layer, statement, *(proof[key] for key in rule.keys))


def check_maximum(layer, item, lower, upper, named):
    """Section 4.7, `sup-loss`: the largest of its classes."""
    parts = ["sup-loss.pre", "sup-loss.trigger"] + (["sup-loss.post"] if layer.triggers[0] < layer.length else [])
    require(item["proof"] == {"rule": "maximum", "of": parts}, "proof is not the maximum of all classes")
    require(all(part in named for part in parts), "a class of rows is not in the certificate")
    bounds = {part: [rational(named[part].get(key), key) for key in ("lower", "upper")] for part in parts}
    require(upper == max(high for _, high in bounds.values()), "upper is not the largest of its classes")
    require(lower == max(low for low, _ in bounds.values()), "lower is not the largest of its classes")
    source = fields(item["witness"], ("from",), "witness")["from"]
    require(type(source) is str and source in parts, "witness.from is not a class of rows")
    require(bounds[source][0] == lower, "witness.from does not attain lower")


def check_theorem(layer, item, named):
    """Section 4.7, `theorem.*`: the claim a theorem rests on, None of one that does not apply."""
    claim = item["name"].partition(".")[2]
    require(layer and layer.model.heads == 1 and layer.name in CONVEX and claim in FLOORS, "no such property")
    if claim == "tc-2":
        return check_sampling(layer, item, named)
    fields(item, ("name", "verdict", "claim", "eta", "parameter", "implied", "certified", "proof"), "the property")
    require(item["claim"] == claim, "claim is not the theorem's")
    require(claim != "tc-4" or (layer.model.has_rollout and layer.triggers == [3, layer.length]), "no such property")
    floors = FLOORS[claim][:1 + (layer.length >= 4)]
    require(item["proof"] == {"rule": "theorem", "floors": floors}, "proof does not name the theorem's floors")
    require(all(floor in named for floor in floors + ["sup-loss"]), "sup-loss or a floor is not in the certificate")
    eta = rational(item["eta"], "eta")
    require(eta == rational(named["sup-loss"].get("upper"), "upper"), "eta is not the upper bound of sup-loss")
    parameter, implied = implied_by(claim, layer.length, eta / layer.box.least) if layer.box.least else (None, None)
    if parameter is None:
        require(item["verdict"] == "not-applicable", "the theorem does not apply")
        figures = [item[key] for key in ("parameter", "implied", "certified")]
        require(figures == [None] * 3, "a figure of a theorem that does not apply")
        return None
    require(item["verdict"] == "proved", "verdict is not proved, but the theorem applies")
    require(integer(item["parameter"], "parameter") == parameter, "parameter is not the best one")
    require(rational(item["implied"], "implied") == implied, "implied is not what the theorem gives")
    certified = min(rational(named[floor].get("lower"), "lower") for floor in floors)
    require(rational(item["certified"], "certified") == certified, "certified is not the least of the floors")
    if any(rational(named[floor].get("upper"), "upper") < implied for floor in floors):
        raise Contradiction(f"property {item['name']}: an exact input contradicts the claim {claim}")
    return claim


# By theorem: the floors it is about, the last of them where length is at least 4.
FLOORS = {"tc-1": ["bos-floor.pre"], "tc-2": ["bos-floor.pre"], "tc-3": ["bos-floor.pre", "bos-floor.post"],
          "tc-4": ["rollout-floor.pre", "rollout-floor.post"]}


def implied_by(claim, length, eta):
    """(parameter, implied) of a theorem, both None where it does not apply."""
    return first_theorem(length, eta) if claim == "tc-1" else third_theorem(length, eta, claim == "tc-3")


def first_theorem(length, eta):
    """tc-1: (parameter, implied), both None where it does not apply."""
    parameter = implied = None
    # 2 m (m+1) eta <= 1 iff m (m+1) <= floor(1 / (2 eta)), and m+2 <= L
    most = length - 2 if eta == 0 else min(length - 2, (isqrt(4 * (1 / (2 * eta)).__floor__() + 1) - 1) // 2)
    if most >= 2:
        parameter, implied = most, 1 - 2 * (1 + Fraction(1, most)) * eta
    m, p = length - 2, min(4, length - 2)
    if m >= 2:
        c = Fraction(4, m - 1) + Fraction((p + 1) * (p + 3), (p - 1) * (m + 1))
        if 4 * (m + 1) * eta <= m - 1 and c * eta < 1:
            sharper = 1 - 2 * eta / (1 - c * eta)
            if implied is None or sharper >= implied:
                parameter, implied = m, sharper
    return parameter, implied


def third_theorem(length, eta, is_third=True):
    """tc-3, or tc-4: (parameter, implied), both None where it does not apply."""
    reach = Fraction(length - 3, 2 * (length - 1))
    if length < 4 or 4 * eta >= reach:
        return None, None
    exactly = is_third and (16 + 22 * reach) * eta <= reach
    return length, 1 - 4 * eta if exactly else 1 - 2 * eta / (reach - 2 * eta)
