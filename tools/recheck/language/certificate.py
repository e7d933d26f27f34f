"""LANGUAGE_RULES.md, sections 5.1 and 5.4: the object of a language certificate."""

from collections import namedtuple
from operator import add

from ..envelope import array, fields, integer, rational
from ..hashes import check_claim_hash
from ..refusal import ACCEPTED, TooMuch, require, within
from .config import without_keys
from .evaluation import language_pass
from .files import CONFIG, MAX_CONFIG, check_file_names, find_folder, opened_tensors, read_object
from .model import LanguageModel
from .readouts import LANGUAGE_READOUTS

LANGUAGE_KEYS = ("format", "kind", "claim", "claim_sha256", "semantics", "model", "sequences", "precision",
                 "statements")

MAX_TOKENS, MAX_STATEMENTS, MAX_NUMBERS, MAX_NUMBER_TEXT = 4096, 65536, 4194304, 100
MAX_COUNT, MAX_KEPT, MAX_ABLATED = (1 << 31) - 1, 1 << 20, 1 << 19
MAX_WORDS = 1 << 31
EVALUATED_BYTES = 1 << 24  # of weight files: more would take this checker too long

# `readout` is one of LANGUAGE_READOUTS, `change` an Intervention or None, `numbers` pairs (lower, upper).
LanguageStatement = namedtuple("LanguageStatement", "readout sequence position change epsilon numbers")
Intervention = namedtuple("Intervention", "first window renumbered ablated", defaults=(frozenset(),))


def read_intervention(value):
    if type(value) is dict and "ablated" in value:
        pairs = array(fields(value, ("ablated",), "intervention")["ablated"], "ablated")
        require(1 <= len(pairs) <= MAX_ABLATED, f"there are not 1 to {MAX_ABLATED} ablated heads")
        heads = [tuple(integer(x, "ablated", 0, MAX_COUNT) for x in array(pair, "ablated", 2)) for pair in pairs]
        require(all(a < b for a, b in zip(heads, heads[1:])), "ablated is not in ascending order")
        return Intervention(0, None, False, frozenset(heads))
    fields(value, ("first", "window", "renumbered"), "intervention")
    require(type(value["renumbered"]) is bool, "renumbered is not a boolean")
    first, window = (integer(value[key], key, low, MAX_KEPT) for key, low in (("first", 0), ("window", 1)))
    return Intervention(first, window, value["renumbered"])


def read_statement(item, lengths, shortest):
    require(type(item) is dict and type(item.get("readout")) is str and item["readout"] in LANGUAGE_READOUTS,
            "no such readout")
    of = LANGUAGE_READOUTS[item["readout"]]
    own = ["epsilon" if of.share else "sequence"] + ["position"] * of.at_key + ["intervention"] * of.moves
    fields(item, ("readout", "lower", "upper", *own), "it")
    sequence = None if of.share else integer(item["sequence"], "sequence", 0, len(lengths) - 1)
    longest = shortest if of.share else lengths[sequence]
    ends = [[rational(x, key, MAX_NUMBER_TEXT) for x in array(item[key], key)] for key in ("lower", "upper")]
    require(len(ends[0]) == len(ends[1]), "lower and upper are not equally long")
    return LanguageStatement(of, sequence, integer(item["position"], "position", 1, longest) if of.at_key else None,
                     read_intervention(item["intervention"]) if of.moves else None,
                     rational(item["epsilon"], "epsilon", MAX_NUMBER_TEXT) if of.share else None, list(zip(*ends)))


def read_sequences(value):
    sequences = array(value, "sequences")
    require(1 <= len(sequences) <= MAX_TOKENS, f"there are not 1 to {MAX_TOKENS} sequences")
    for tokens in sequences:
        require(1 <= len(array(tokens, "a sequence")) <= MAX_TOKENS, f"a sequence is not of 1 to {MAX_TOKENS} tokens")
        for token in tokens:
            integer(token, "a token", 0, MAX_COUNT)
    return sequences


def read_model(value):
    """The object `model`, and the keys that are assumed neutral."""
    assumes = type(value) is dict and "assumed_neutral" in value
    stated = fields(value, ("architecture", "files") + ("assumed_neutral",) * assumes, "model")
    assumed = array(stated["assumed_neutral"], "assumed_neutral") if assumes else []
    require(all(type(key) is str for key in assumed) and bool(assumed) == assumes
            and assumed == sorted(set(assumed), key=str.encode), "assumed_neutral is not a list of keys in order")
    check_file_names(stated["files"])
    return stated, assumed


def check_language(value, claim_places, model_folders, result):
    """Section 5.1: (exit code, result) of a language certificate."""
    fields(value, LANGUAGE_KEYS, "the certificate")
    require(value["claim"] == "language", "claim is not language")
    require(value["semantics"] == "real", "semantics is not real")
    stated, assumed = read_model(value["model"])
    sequences, p = read_sequences(value["sequences"]), integer(value["precision"], "precision", 64, 2048)
    items = array(value["statements"], "statements")
    require(1 <= len(items) <= MAX_STATEMENTS, f"there are not 1 to {MAX_STATEMENTS} statements")
    lengths = [*map(len, sequences)]
    statements = [in_statement(k, read_statement, item, lengths, min(lengths)) for k, item in enumerate(items)]
    require(2 * sum(len(of.numbers) for of in statements) <= MAX_NUMBERS, f"there are over {MAX_NUMBERS} numbers")
    about = {}  # of a sequence, or of all of them (None), the numbered statements
    for k, of in enumerate(statements):
        about.setdefault(of.sequence, []).append((k, of))
    check_claim_hash(value, claim_places)
    model = find_model(stated, model_folders, sequences, assumed)
    check_held(model, sequences, about, p)
    for k, of in enumerate(statements):
        in_statement(k, check_change, model, of.change)
    check_statements(model, sequences, about, 2 * p)  # enclosures widen from layer to layer, perhaps faster than others
    result["verdict"], result["evidence"] = "proved", "exact"
    result["reason"] = model.remarks(assumed)
    return ACCEPTED, result


def find_model(stated, model_folders, sequences, assumed):
    """The model that `stated` names, read for these sequences."""
    folder = find_folder(stated["files"], model_folders)
    config = without_keys(read_object(folder, CONFIG, MAX_CONFIG), assumed)
    require(stated["architecture"] == config.get("model_type"), f"model.architecture is not that of {CONFIG}")
    with opened_tensors(folder, stated["files"]) as tensors:
        if tensors.size > EVALUATED_BYTES:
            raise TooMuch(f"the model has over {EVALUATED_BYTES} bytes, the most that this checker evaluates")
        return LanguageModel(config, tensors, sequences, assumed)


def in_statement(k, check, *of):
    with within(f"statement {k}"):
        return check(*of)


def check_change(model, change):
    require(not (change and model.encoder), "an intervention on an encoder")
    heads = change.ablated if change else ()
    require(all(layer < len(model.layers) and head < model.heads for layer, head in heads), "ablated names no head")


def check_held(model, sequences, about, p):
    """What a pass holds."""
    widest = max(model.n, model.size, *(layer.inner for layer in model.layers))
    for index, tokens in enumerate(sequences):
        if statements := about.get(index, []) + about.get(None, []):
            changes = any(of.readout.moves for _, of in statements)
            held = 10 * widest + 2 * len(tokens) + changes * (len(model.layers) + 1) * model.n
            require(len(tokens) * (p // 64 + 4) * held <= MAX_WORDS, f"a pass over sequence {index} holds too much")


def check_statements(model, sequences, about, p):
    """All passes at p, sequence by sequence; of shares how many numbers are, and may be, above their epsilon."""
    counts = {k: [0, 0, 0] for k, _ in about.get(None, [])}
    for index, tokens in enumerate(sequences):
        statements = about.get(index, []) + about.get(None, [])
        seen = language_pass(model, tokens, None, p) if statements else None
        for k, of in statements:
            more = language_pass(model, tokens, of.change, p) if of.change else of.position
            found = in_statement(k, of.readout.numbers, model, seen, more)
            if of.readout.share:
                t = of.epsilon * (1 << p)
                above = sum(low > t for low, _ in found), sum(high > t for _, high in found), len(found)
                counts[k] = [*map(add, counts[k], above)]
            else:
                in_statement(k, check_numbers, found, of.numbers, 1 << p)
    for k, of in about.get(None, []):
        *ends, numbers = counts[k]
        in_statement(k, check_numbers, [ends], of.numbers, numbers)


def check_numbers(found, numbers, unit):
    require(len(found) == len(numbers), f"there are not {len(found)} numbers")
    for place, ((low, high), (lower, upper)) in enumerate(zip(found, numbers)):
        require(lower * unit <= low and high <= upper * unit, f"number {place} is not shown to be within its bounds")
