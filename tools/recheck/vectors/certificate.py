"""VECTOR_RULES.md, sections 6.1 and 6.8: the object, and rule `vectors` of theory certificates."""

import json

from ..arithmetic import MAX_UNIT, over_one_unit
from ..envelope import array, fields, rational
from ..hashes import check_claim_hash, own_statement
from ..refusal import ACCEPTED, require, within
from .bounds import check_cost, check_infeasible, check_representable
from .geometry import check_hull_distance, check_smoothing, check_switch
from .given import Subject, Vectors, load_subject, read_input

VECTOR_KEYS = ("format", "kind", "claim", "claim_sha256", "input", "properties")
MAX_GRAM, MAX_SEARCHES = 1 << 30, 16  # products; properties of 6.3 to 6.5
SEARCHES = ("cost", "infeasible", "representable")


def check_vectors(value, claim_places, model_folders, result):
    """Section 6.1: (exit code, result) of a vector certificate."""
    fields(value, VECTOR_KEYS, "the certificate")
    require(value["claim"] == "vectors", "claim is not vectors")
    read_input(value["input"])
    properties, seen = array(value["properties"], "properties"), set()
    require(1 <= len(properties) <= 256, "there are not 1 to 256 properties")
    for item in properties:
        statement = fields(item, ("statement", "evidence"), "a property")["statement"]
        text = json.dumps(statement, sort_keys=True)
        require(text not in seen, "two properties have the same statement")
        seen.add(text)
    names = [name_of(item["statement"], VECTOR_PROPERTIES) for item in properties]
    require(sum(name in SEARCHES for name in names) <= MAX_SEARCHES,
            f"over {MAX_SEARCHES} properties of 6.3 to 6.5")
    check_claim_hash(value, claim_places)
    subject = load_subject(value["input"], model_folders)
    if any(name != "smoothing" for name in names):
        size = subject.vectors.count**2 * len(subject.vectors.rows[0])
        require(size <= MAX_GRAM, "the Gram matrix is too large")
    for index, item in enumerate(properties):
        with within(f"property {index}"):
            check_vector_property(subject, item["statement"], item["evidence"], VECTOR_PROPERTIES)
    result["verdict"], result["evidence"] = "proved", "exact"
    return ACCEPTED, result


def check_vector_property(subject, statement, evidence, known):
    """One property; `known` maps the names that may occur to their rules."""
    known[name_of(statement, known)](subject, statement, evidence)


def name_of(statement, known):
    require(type(statement) is dict, "the statement is not an object")
    name = statement.get("property")
    require(type(name) is str and name in known, "unknown property")
    return name


PATTERN_PROPERTIES = {"cost": check_cost, "infeasible": check_infeasible, "representable": check_representable,
                      "hull-distance": check_hull_distance, "switch": check_switch}
VECTOR_PROPERTIES = PATTERN_PROPERTIES | {"smoothing": check_smoothing}


def check_stated_vectors(claim, step):
    """Section 6.8."""
    statement = own_statement(claim, step, ("vectors", "property"))
    rows = array(statement["vectors"], "vectors")
    require(1 <= len(rows) <= 128 and 1 <= len(array(rows[0], "a vector")) <= 128, "vectors has the wrong size")
    rows = [[rational(x, "a coordinate") for x in array(row, "a vector", len(rows[0]))] for row in rows]
    require(all(abs(x.numerator) < MAX_UNIT for row in rows for x in row), "a coordinate has over 400 digits")
    subject = Subject(None, Vectors(*over_one_unit(rows, "vectors")), False)
    check_vector_property(subject, statement["property"], step["evidence"], PATTERN_PROPERTIES)
