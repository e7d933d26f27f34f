"""CHECKPOINT_RULES.md, sections 4.1 and 4.20: the object of a checkpoint certificate."""

from ..envelope import array, fields, integer, rational, strings
from ..hashes import check_claim_hash, find_model, hash_string
from ..refusal import ACCEPTED, PARTIAL, require
from .inputs import check_forward
from .model import ATTENTIONS, Matrices, Task, load_model, read_box
from .obligations import check_multipliers
from .properties import check_bound, check_theorem
from .ranges import check_ranges
from .rules import RULES
from .sampling import check_random, of_property

CERTIFICATE_KEYS = ("format", "kind", "claim", "claim_sha256", "semantics", "length", "box", "triggers", "model",
                    "inputs", "ranges", "properties")
MODEL_KEYS = ("sha256", "attention", "d_model", "num_heads", "head_width", "num_layers", "residual", "scale",
              "overrides")
RANGE_RULES = {"layer-row", "layer-attention", "separable-row"}
STACK_RULES = {"stack", "moments", "maximum", "random"}
UNCOUNTED = ("tokens", "trees", "points")  # keys whose strings have limits of their own
MAX_STRING = 2000
MAX_SCALE = 100  # characters


def read_properties(value):
    """The properties by (name, layer, head); each has a rule."""
    named = {}
    for item in array(value, "properties"):
        require(type(item) is dict and type(item.get("name")) is str, "a property has no name")
        name, proof = item["name"], item.get("proof")
        require(type(proof) is dict and type(proof.get("rule")) is str, f"property {name[:40]}: proof has no rule")
        place = tuple(integer(item[key], key) if key in item else None for key in ("layer", "head"))
        require((name, *place) not in named, f"the property {name[:40]!r} occurs twice")
        named[name, *place] = item
    require(named, "properties is empty")
    return named


def check_model(model, task, stacked):
    """The object `model`; `task`: is the certificate about the task's inputs, `stacked`: about stacks?"""
    fields(model, MODEL_KEYS, "model")
    hash_string(model["sha256"], "model.sha256")
    require(type(model["attention"]) is str and model["attention"] in ATTENTIONS, "model.attention is unknown")
    most = {"num_layers": 64 if stacked else 1, "d_model": 4096, "num_heads": 64, "head_width": 4096}
    for key, high in most.items():
        integer(model[key], f"model.{key}", 4 if task and key == "d_model" else 1, high)
    require(model["num_heads"] * model["head_width"] <= 65536, "model.head_width is out of range")
    require(type(model["residual"]) is bool and (stacked or not model["residual"]), "model.residual is not allowed")
    require(rational(model["scale"], "model.scale", MAX_SCALE) > 0, "model.scale is not positive")
    require(all(type(x) is str for x in array(model["overrides"], "model.overrides")), "an override is not a string")


def check_checkpoint(value, claim_places, model_folders, accept, result):
    """Section 4.1: (exit code, result) of a checkpoint certificate."""
    fields(value, CERTIFICATE_KEYS, "the certificate", ("multipliers",))
    require(value["claim"] == "checkpoint", "claim is not checkpoint")
    require(value["semantics"] == "real", "semantics is not real")
    properties = read_properties(value["properties"])
    rules = {item["proof"]["rule"] for item in properties.values()}
    of_stack = all(item["proof"]["rule"] in STACK_RULES or (item["name"], item["proof"]["rule"]) == ("theorem.tc-4", "theorem")
                   for item in properties.values())
    task, stacked = rules != {"forward"}, rules == {"forward"} or of_stack
    length = integer(value["length"], "length", 3 if task else 1, 1000000)
    require((value["box"] is not None) == task, "box is not the one of these rules")
    require(task or value["triggers"] is None, "triggers without a box")
    triggers = [integer(x, "triggers", 3, length) for x in array(value["triggers"], "triggers", 2)] if task else None
    require(not task or triggers == [3, length] or (stacked and triggers == sorted(triggers)),
            "triggers are not those of these rules")
    require((value["inputs"] is not None) == ("forward" in rules), "inputs belongs to the rule forward, and only there")
    check_model(value["model"], task, stacked)
    of_ranges = RANGE_RULES if ATTENTIONS[value["model"]["attention"]].relative else RANGE_RULES | {"row"}
    require((value["ranges"] is not None) == bool(rules & of_ranges), "ranges belongs to the rules of ranges")
    has_trees = value["ranges"] is not None or any(rule in RULES and RULES[rule].parameters for rule in rules)
    require(has_trees or "multipliers" not in value, "multipliers belongs to obligations, and there are none")
    counted = strings([value["properties"], value["ranges"], value.get("multipliers")], UNCOUNTED)
    require(max(map(len, counted), default=0) <= MAX_STRING, f"a string has more than {MAX_STRING} characters")
    box = read_box(value["box"], value["model"]["d_model"]) if task else None
    check_claim_hash(value, claim_places)
    model = load_model(find_model(value["model"]["sha256"], model_folders), value["model"], length, box)
    named = {name: item for (name, _, head), item in properties.items() if head is None}
    layer = (Task(model, triggers) if stacked else Matrices(model, triggers)) if task else None
    if layer:
        layer.properties = properties.values()
    if "multipliers" in value:
        layer.multipliers = check_multipliers(layer, value["multipliers"])
    if value["ranges"] is not None:
        layer.ranges = check_ranges(layer, value["ranges"])
    parts = {"theorem": [], "forward": [], "random": []}
    for item in properties.values():
        part = "theorem" if item["name"].startswith("theorem.") else item["proof"]["rule"]
        if part in parts:
            parts[part].append(item)
        else:
            of_property(check_bound, layer, item, named)
    if readings := parts["forward"]:
        check_forward(model, value["inputs"], model_folders, readings)
    if randoms := parts["random"]:
        check_random(layer, randoms)
    # Theorems last: only bounds that are verified can contradict one.
    claims = sorted(filter(None, [of_property(check_theorem, layer, item, named) for item in parts["theorem"]]))
    result["verdict"], result["evidence"] = "statistical" if randoms or "tc-2" in claims else "proved", "exact"
    unaccepted = result["verdict"] == "statistical" and "statistical" not in accept
    remarks = ["a statistical verdict is not accepted"] if unaccepted else []
    if overrides := value["model"]["overrides"]:
        remarks.append(f"overrides the model file's metadata: {', '.join(overrides)}")
    if value["model"]["scale"] != "1":
        remarks.append(f"logits scaled by {value['model']['scale']}")
    if claims:
        remarks.append(f"theorem entries rest on {', '.join(claims)}")
    if task and triggers != [3, length]:
        remarks.append(f"only for the trigger at {triggers[0]}" + (f" to {triggers[1]}" if triggers[1] != triggers[0] else ""))
    if task and value["box"] != [["-1", "1"]]:
        of_each = len(value["box"]) > 1
        remarks.append("only for noise in " + ("an interval for each coordinate" if of_each else f"[{','.join(value['box'][0])}]"))
    if any(holds_when_shorter(item["name"]) for item in properties.values()) and triggers[0] < length:
        remarks.append(f"bounds for every length {'up' if triggers[0] == 3 else f'from {triggers[0]}'} to {length}")
    result["reason"] = "; ".join(remarks)
    return (PARTIAL if unaccepted else ACCEPTED), result


def holds_when_shorter(name):
    """Section 4.20: whether it is true at shorter lengths, too."""
    return not name.startswith(("random.", "value.")) and name not in ("theorem.tc-2", "sink-share")
