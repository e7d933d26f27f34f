"""CHECKPOINT_RULES.md, section 4.18: given inputs and rule `forward`."""

import itertools
import re
from fractions import Fraction

from ..arithmetic import dyadic, over_one_unit, split
from ..envelope import array, fields, integer, rational
from ..hashes import find_model, hash_string
from ..refusal import require
from ..tensors import load_rows
from .forward import loss_ends, passes, read_tokens
from .model import unit_box
from .sampling import GRID, drawn, of_property

MAX_INPUTS_LENGTH, MAX_WEIGHTS, MAX_SEED = 1024, 16777216, (1 << 63) - 1
VALUE_NAME = re.compile(r"value\.[a-z0-9][a-z0-9.-]{0,59}")


def read_inputs(model, value, folders):
    """(N, a function that gives the sequence of an index as integers over a unit, and that unit)."""
    n, length = model.n, model.length
    require(length <= MAX_INPUTS_LENGTH, "length is over 1024 in a certificate with inputs")
    require(type(value) is dict, "inputs is not an object")
    most = MAX_WEIGHTS // (length * model.heads * len(model.layers))
    if "sequences" in value:
        sequences = array(fields(value, ("sequences",), "inputs")["sequences"], "inputs.sequences")
        require(1 <= len(sequences) <= most, "there are no inputs, or too many")
        tokens, unit = over_one_unit([token for value in sequences for token in read_tokens(value, length, n)], "the tokens")
        return len(sequences), lambda index: (tokens[index * length:(index + 1) * length], unit)
    if "tensor" in value:
        fields(value, ("sha256", "tensor"), "inputs")
        hash_string(value["sha256"], "inputs.sha256")
        require(type(value["tensor"]) is str, "inputs.tensor is not a string")
        values, _ = load_rows(find_model(value["sha256"], folders), value["tensor"], lambda rows, columns:
                              columns == n and rows % length == 0 and rows // length <= most)
        size = length * n

        def sequence(index):
            integers, unit = dyadic(values[index * size:(index + 1) * size])
            return split(integers, n), unit
        return len(values) // size, sequence
    fields(value, ("count", "seed"), "inputs")
    count, seed = integer(value["count"], "inputs.count", 1, most), integer(value["seed"], "inputs.seed", 0, MAX_SEED)
    require(n >= 4 and length >= 3, "the task has no sequences of this width or length")
    draw = drawn(unit_box(n), length, (3, length), "inputs", model.sha256, length, seed)
    return count, lambda index: (draw(index)[1], GRID)


def read_value(model, item, count):
    """A property `value.LABEL`: (the sequence it is about or None, a function that says whether a pass shows it)."""
    require(VALUE_NAME.fullmatch(item["name"]), "no such property of given inputs")
    fields(item, ("name", "verdict", "lower", "upper", "readout", "proof"), "the property")
    readout = item["readout"]
    kind = readout.get("kind") if type(readout) is dict else None
    require(type(kind) is str and kind in READOUTS, "the readout has no known kind")
    keys, ends = READOUTS[kind]
    fields(readout, ("kind", "sequence") + keys, "the readout")
    limits = {"row": (1, model.length), "trigger": (3, model.length), "position": (1, model.length),
              "coordinate": (0, model.n - 1), "layer": (0, len(model.layers) - 1), "head": (0, model.heads - 1),
              "sequence": (0, count - 1)}
    for key in keys + (() if readout["sequence"] is None else ("sequence",)):
        least, most = limits[key] if key != "key" else (1 - (model.attention.slot or 0), readout["row"])
        integer(readout[key], f"readout.{key}", least, most)
    lower, upper = (rational(item[key], key) for key in ("lower", "upper"))
    require(lower <= upper, "lower is over upper")

    def shown(seen, tokens, unit):
        low, high = ends(model, seen, tokens, unit, *(readout[key] for key in keys))
        return lower <= low and high <= upper
    return readout["sequence"], shown


def output_ends(model, seen, tokens, unit, row, coordinate):
    centre, radius = seen.rows.rows[row - 1][coordinate], seen.rows.radii[row - 1]
    return Fraction(centre - radius, 1 << seen.p), Fraction(centre + radius, 1 << seen.p)


def attention_ends(model, seen, tokens, unit, layer, head, row, key):
    return tuple(Fraction(x, 1 << seen.p) for x in seen.weights[layer][head][row - 1][key])


def alpha_ends(model, seen, tokens, unit, layer, head, position):
    rows = [weights[position] for weights in seen.weights[layer][head][position - 1:]]
    return tuple(Fraction(sum(ends), len(rows) << seen.p) for ends in zip(*rows))


READOUTS = {  # kind: the keys beside `kind` and `sequence`, the ends of the number's range
    "output": (("row", "coordinate"), output_ends), "loss": (("row", "trigger"), loss_ends),
    "attention": (("layer", "head", "row", "key"), attention_ends),
    "alpha": (("layer", "head", "position"), alpha_ends),
}


def read_forward(model, item, count):
    """What a property of rule `forward` says; `sink-share`: (epsilon, position, lower, upper)."""
    fields(item["proof"], ("rule",), "proof")
    require(item.get("verdict") == "enclosed", "verdict is not enclosed")
    if item["name"] != "sink-share":
        return read_value(model, item, count)
    fields(item, ("name", "verdict", "epsilon", "position", "lower", "upper", "proof"), "the property")
    epsilon, lower, upper = (rational(item[key], key) for key in ("epsilon", "lower", "upper"))
    require(0 <= lower <= upper, "lower is negative or over upper")
    return epsilon, integer(item["position"], "position", 1, model.length), lower, upper


def check_forward(model, inputs, folders, items):
    """All properties of rule `forward`, sequence by sequence."""
    count, sequence = read_inputs(model, inputs, folders)
    readings, share, above, undecided = {}, None, 0, 0
    for item in items:
        found = of_property(lambda of, entry: read_forward(of, entry, count), model, item)
        if item["name"] == "sink-share":
            share = found
        else:
            readings.setdefault(found[0], []).append((item["name"], found[1]))
    for index in range(count):
        here = readings.get(None, []) + readings.get(index, [])
        found = check_sequence(model, *sequence(index), here, share, index)
        above, undecided = above + found[0], undecided + found[1]
    if share:
        total = count * len(model.layers) * model.heads
        require(share[2] * total <= above, "property sink-share: lower is more than the share above epsilon")
        require(above + undecided <= share[3] * total, "property sink-share: upper is less than the share")


def check_sequence(model, tokens, unit, readings, share, index):
    """The passes over one sequence, until one shows and decides everything: (alphas above epsilon, open ones)."""
    places = list(itertools.product(range(len(model.layers)), range(model.heads))) if share else []
    for seen in passes(model, tokens, unit):
        missed = [name for name, shown in readings if not (seen and shown(seen, tokens, unit))]
        alphas = [alpha_ends(model, seen, tokens, unit, *place, share[1]) for place in places] if seen else []
        above = sum(low > share[0] for low, _ in alphas)
        undecided = len(places) - above - sum(high <= share[0] for _, high in alphas)
        if seen and not missed and not undecided:
            break
    require(not missed, f"property {missed and missed[0]}: sequence {index}: not within its bounds")
    return above, undecided
