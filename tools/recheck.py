#!/usr/bin/env python3
"""The second certificate checker of sinkproof: plain Python 3.11, no packages, no shared code.

Written from the pages FORMAT.md, CHECKPOINT_RULES.md, LANGUAGE_RULES.md and VECTOR_RULES.md of src/checker/certificate alone,
so that a mistake in `sinkproof-check` and one here would have to coincide to go unnoticed. The sections below follow those pages, under
their numbers. Where a page leaves a choice, the strict reading is taken. All arithmetic is exact (int and Fraction);
`exp` is enclosed as section 4.4 defines it. Language models are evaluated where they are small; of larger ones the
verdict is unknown.

Exit codes: 0 accepted; 2 usage, model or claim folder missing, file unreadable, standard output not writable;
3 not fully verified, or a limit of time or memory reached;
4 certificate rejected; 5 internal error or contradiction. Several files: the first of 5, 4, 2, 3, 0.
"""

import argparse
import hashlib
import io
import itertools
import json
import os
import re
import resource
import signal
import stat
import struct
import sys
from array import array as doubles
from collections import namedtuple
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, comb, floor, gcd, isqrt, lcm, perm, prod
from operator import add, lshift, mul, sub

ACCEPTED, MISSING, PARTIAL, REJECTED, INTERNAL = 0, 2, 3, 4, 5


class Reject(Exception):
    """The certificate does not show what it says."""


class Missing(Exception):
    """A file, a model or a claim folder cannot be found or read."""


class TooMuch(Exception):
    """The certificate is about more than this checker evaluates."""


class Contradiction(Exception):
    """Two things that were both verified exclude each other."""


REFUSALS = {Reject: (REJECTED, "rejected"), Missing: (MISSING, "unreadable"), TooMuch: (PARTIAL, "unknown"),
            Contradiction: (INTERNAL, "contradiction")}


@contextmanager
def within(place):
    """What is rejected inside is rejected in the name of the place."""
    try:
        yield
    except Reject as error:
        raise Reject(f"{place}: {error}") from None


def require(condition, reason):
    if not condition:
        raise Reject(reason)


# ---- 1. Envelope and canonical JSON -----------------------------------------------------------------------

MAX_FILE = 268435456
MAX_CONTAINERS = 1 << 25  # no acceptable file has more: what is longest, lists of multipliers, takes 13 bytes for each
MAX_DEPTH = 64
MAX_DIGITS = 20000
MAX_FACTORS = 256
MAX_EXPONENT = 1000
FORMATS = {"theory": 1, "checkpoint": 2, "language": 1, "vectors": 1}
RATIONAL = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?")
CLAIM = re.compile(r"[a-z][a-z0-9.-]{0,63}")
HASH = re.compile(r"[0-9a-f]{64}")

sys.set_int_max_str_digits(2 * MAX_DIGITS)


def read_bytes(path, limit):
    """All bytes of a regular file of at most `limit` bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Missing("not a regular file")
        with open(path, "rb") as file:
            data = file.read(min(limit, os.fstat(file.fileno()).st_size) + 1)  # which has room for so many at once
    except (OSError, ValueError) as error:
        raise Missing(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    require(len(data) <= limit, f"longer than {limit} bytes")
    return data


def json_integer(text):
    require(len(text) <= 20 and text != "-0", "a JSON number is out of range or -0")
    value = int(text)
    require(-(1 << 63) <= value < 1 << 64, "a JSON number is out of range")
    return value


def json_refuse(text):
    raise Reject(f"{text[:20]} is not a JSON integer")


class Decimal(str):
    """The text of a JSON number with a fraction or an exponent; type() tells it from a string."""


def json_decimal(text):
    """A number of 10^308 or more in size is a string, as infinities are."""
    digits, _, exponent = text.lstrip("-").lower().partition("e")
    whole, _, part = digits.partition(".")
    first = next((place for place, digit in enumerate(whole + part) if digit != "0"), None)
    is_huge = first is not None and len(whole) - 1 - first + json_exponent(exponent) >= 308
    return text if is_huge else Decimal(text)


def json_exponent(text):
    """Cut off where no file's digits make up for it; Python does not convert the longest ones."""
    size = text.lstrip("+-").lstrip("0") or "0"
    size = int(size) if len(size) <= 9 else 10**9
    return -size if text.startswith("-") else size


def json_number(text):
    """Of a file that other programs write: an integer of any size."""
    try:
        return json_integer(text)
    except Reject:
        return json_decimal(text)


def json_object(pairs):
    value = dict(pairs)
    require(len(value) == len(pairs), "a key occurs twice in one object")
    return value


def parse_json(data, decimal=json_refuse, whole=json_integer, constant=json_refuse):
    """Strict JSON: UTF-8, integers only unless told how to read a decimal, no repeated key, at most 64 deep."""
    require(data.count(b"[") + data.count(b"{") <= MAX_CONTAINERS, "too many arrays and objects")
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=json_object, parse_int=whole,
                           parse_float=decimal, parse_constant=constant)
    except RecursionError:
        raise Reject(f"nested deeper than {MAX_DEPTH}") from None
    except UnicodeDecodeError:
        raise Reject("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Reject(f"not JSON: {error.msg} at character {error.pos}") from None
    level, depth = [value] if type(value) in (dict, list) else [], 0
    while level:
        depth += 1
        require(depth <= MAX_DEPTH, f"nested deeper than {MAX_DEPTH}")
        level = [child for parent in level for child in (parent.values() if type(parent) is dict else parent)
                 if type(child) in (dict, list)]
    return value


def unicode_only(value):
    """The value, in which no string may hold half a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise Reject("a string holds half a surrogate pair") from None
    return value


def read_envelope(path):
    """Section 1: the object in the file, whose bytes are its canonical form and one line feed."""
    data = read_bytes(path, MAX_FILE)
    value = parse_json(data)
    require(type(value) is dict, "not a JSON object")
    canonical = json.dumps(unicode_only(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    require(canonical.encode("utf-8") + b"\n" == data, "not in canonical form")
    for key in ("format", "kind", "claim"):
        require(key in value, f"no key {key}")
    require(type(value["kind"]) is str and value["kind"] in FORMATS, "unknown kind")
    known, stated = FORMATS[value["kind"]], integer(value["format"], "format")
    older = "SP0505 a certificate of an older form, certify the model again"
    require(stated == known, older if 1 <= stated < known else f"format is not {known}")
    require(type(value["claim"]) is str and CLAIM.fullmatch(value["claim"]), "claim is not a claim id")
    return value


def fields(value, names, what, optional=()):
    """The object `value`, which must have exactly the keys `names`, and may have the optional ones."""
    require(type(value) is dict, f"{what} is not an object")
    for name in names:
        require(name in value, f"{what} lacks the key {name}")
    for name in value:
        require(name in names or name in optional, f"{what} has the unknown key {name[:40]!r}")
    return value


def integer(value, what, low=None, high=None):
    require(type(value) is int, f"{what} is not an integer")  # a bool is no integer
    require((low is None or value >= low) and (high is None or value <= high), f"{what} is out of range")
    return value


def array(value, what, length=None):
    require(type(value) is list, f"{what} is not a list")
    require(length is None or len(value) == length, f"{what} does not have {length} entries")
    return value


@lru_cache(maxsize=1 << 10)
def parse_rational(text):
    require(RATIONAL.fullmatch(text) and text != "-0", "not a canonical rational")
    top, slash, bottom = text.partition("/")
    require(len(top.lstrip("-")) <= MAX_DIGITS and len(bottom) <= MAX_DIGITS, "over 20000 digits")
    p, q = int(top), int(bottom) if slash else 1
    value = Fraction(p, q)
    require(value.denominator == q and bottom != "1", "not in lowest terms")
    return value


def rational(value, what):
    """Section 1: a rational number in its one spelling."""
    require(type(value) is str and len(value) <= 2 * MAX_DIGITS + 2, f"{what} is not a rational string")
    with within(what):
        return parse_rational(value)


def strings(value, uncounted=()):
    """The strings in the value, but for those in the values of some keys."""
    pending = [value]
    while pending:
        value = pending.pop()
        if type(value) is str:
            yield value
        elif type(value) is dict:
            pending += [item for key, item in value.items() if key not in uncounted]
        elif type(value) is list:
            pending += value


# ---- 2. Hashes --------------------------------------------------------------------------------------------

MAX_CLAIM_FILE, MAX_CLAIM, MAX_MODEL = 16777216, 268435456, 1 << 32
FILE_NAME = re.compile(r"[A-Za-z0-9._-]+")


def left_out(name):
    return (name in ("README.md", ".lia.cache", ".nia.cache") or name.endswith((".vo", ".vok", ".vos", ".glob"))
            or (name.startswith(".") and name.endswith(".aux")))


def claim_files(folder):
    """Section 2, steps 1 and 2: the relative paths of the files that count, in no particular order."""
    paths, pending = [], [("", 0)]
    while pending:
        relative, depth = pending.pop()
        with os.scandir(os.path.join(folder, relative)) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                is_file = entry.is_file(follow_symlinks=False)
                require(is_folder or is_file, "the claim folder holds something that is neither file nor folder")
                if is_file and left_out(entry.name):
                    continue
                require(FILE_NAME.fullmatch(entry.name), "the claim folder holds a name with a forbidden character")
                path = f"{relative}/{entry.name}" if relative else entry.name
                if is_folder:
                    require(depth < 8, "the claim folder is more than 8 folders deep")
                    pending.append((path, depth + 1))
                else:
                    paths.append(path)
                    require(len(paths) <= 1000, "the claim folder holds more than 1000 files")
    require(paths, "the claim folder holds no file")
    return paths


def hash_of(data):
    return hashlib.sha256(data).hexdigest()


def claim_hashes(folder):
    """The hash of every file that counts, by its relative path."""
    require(not os.path.islink(folder), "the claim folder is a link")
    hashes, together = {}, 0
    try:
        for path in claim_files(folder):
            data = read_bytes(os.path.join(folder, path), MAX_CLAIM_FILE)
            together += len(data)
            require(together <= MAX_CLAIM, f"the claim folder holds more than {MAX_CLAIM} bytes")
            hashes[path] = hash_of(data)
        return hashes
    except OSError as error:
        raise Missing(f"the claim folder cannot be read: {error.strerror}") from None


def claim_hash(folder):
    """Section 2: the SHA-256 of the sorted lines `path NUL hash LF`."""
    lines = (f"{path}\0{digest}\n" for path, digest in sorted(claim_hashes(folder).items()))
    return hash_of("".join(lines).encode("ascii"))


def hash_string(value, what):
    """A hash as it is written."""
    require(type(value) is str and HASH.fullmatch(value), f"{what} is not a hash")
    return value


def check_claim_hash(value, places):
    """The certificate's `claim_sha256` is that of the first folder <place>/<claim> there is."""
    stated, claim = hash_string(value["claim_sha256"], "claim_sha256"), value["claim"]
    for place in places:
        folder = os.path.join(place, claim)
        if os.path.isdir(folder) or os.path.islink(folder):
            require(claim_hash(folder) == stated, f"claim_sha256 is not the hash of the folder proofs/{claim}")
            return folder
    raise Missing(f"no claim folder proofs/{claim}")


@lru_cache(maxsize=None)
def file_hash(path):
    """The SHA-256 of a regular file or of the one a link leads to, read block by block; None of anything else."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        return None
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def find_model(sha256, folders):
    """The path of the file *.safetensors in one of the folders whose SHA-256 is the one asked for."""
    for folder in folders:
        try:
            names = sorted(name for name in os.listdir(folder) if os.path.splitext(name)[1] == ".safetensors")
        except OSError as error:
            raise Missing(f"the model folder cannot be read: {error.strerror}") from None
        for path in (os.path.join(folder, name) for name in names):
            try:
                if os.path.getsize(path) <= MAX_MODEL and file_hash(path) == sha256:
                    return path
            except OSError:
                continue
    raise Missing(f"no model with SHA-256 {sha256}")


# ---- 3. Theory certificates -------------------------------------------------------------------------------

RULE_OF_SUFFIX = ((".implication.json", "implication"), (".identity.json", "polynomial-identity"),
                  (".construction.json", "construction"), (".vectors.json", "vectors"), (".smt2", "smt"),
                  (".v", "coq-theorem"), (".prose.md", "prose"))
MUTANT = ".mutant.smt2"
HOLES = {"prose", "assumed"}
AXIOMS = ("ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
          "FunctionalExtensionality.functional_extensionality_dep")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
IDENTIFIER = rb"[A-Za-z_][A-Za-z0-9_']*"
PRINT_ASSUMPTIONS = re.compile(rb"Print Assumptions (%b)\." % IDENTIFIER)
SENTENCE = re.compile(rb"Definition (%b) : Prop :=" % IDENTIFIER)
REQUIRES = re.compile(rb"From Sinkproof Require Import((?: %b)+)\." % IDENTIFIER)
SAYS = re.compile(rb'says = \["[A-Za-z0-9._\'/-]+"(?:, "[A-Za-z0-9._\'/-]+")*\]\r?')
STATEMENT_FILE = re.compile(r"([^/]+_)?statement\.v")
MAX_TERMS, MAX_PRODUCT, MAX_NODES, MAX_WEIGHT = 10000, 1000000, 10000, 64


def rule_of(path):
    """Section 3: the rule a file's name gives, or None."""
    last = path.rsplit("/", 1)[-1]
    if last.endswith(MUTANT):
        return None
    if STATEMENT_FILE.fullmatch(path):
        return "coq-statement"
    return next((rule for suffix, rule in RULE_OF_SUFFIX if last.endswith(suffix) and last != suffix), None)


def mutant_of(lemma):
    return lemma[:-len(".smt2")] + MUTANT


def check_theory(value, claim_places, accept, result):
    """Sections 3.1 and 3.2: (exit code, result) of a theory certificate."""
    fields(value, ("format", "kind", "claim", "claim_sha256", "steps", "verdict"), "the certificate")
    steps = array(value["steps"], "steps")
    require(steps, "steps is empty")
    for step in steps:
        require(type(step) is dict and all(type(step.get(key)) is str for key in ("file", "rule")),
                "a step lacks file or rule")
        require(all(FILE_NAME.fullmatch(part) and part not in (".", "..") for part in step["file"].split("/")),
                "a step's file is not a path within the claim's folder")
        rule = rule_of(step["file"])
        require(rule is not None, f"{step['file'][:80]}: a file of this name has no rule")
        require(step["rule"] in (rule, "assumed"), f"{step['file'][:80]}: the rule is not that of the file")
    names = [step["file"] for step in steps]
    require(all(x < y for x, y in zip(names, names[1:])), "steps are not strictly increasing by file")
    folder = check_claim_hash(value, claim_places)
    present = set(claim_files(folder))
    require("claim.toml" in present, "the claim folder holds no claim.toml")
    mutants = {mutant_of(name) for name in names if name.endswith(".smt2")}
    require(present <= mutants.union(names, ["claim.toml"]), "a file of the claim folder is not spoken for by a step")
    for step in steps:
        with within(f"step {step['file'][:80]}"):
            require(step["rule"] == "assumed" or step["file"] in present, "the file does not exist")
            check, keys = STEP_RULES[step["rule"]]
            asked = ("solvers",) if step["rule"] == "implication" and "solvers" in step else ()
            fields(step, ("file", "rule") + keys + asked, "the step")
            check(folder, step, present)
    rules = {step["rule"] for step in steps}
    check_together(steps, rules & HOLES)
    verdict = "holey" if rules & HOLES else weakest_said(folder, steps)
    require(value["verdict"] == verdict, f"verdict is not {verdict}")
    kinds = (("exact", {"implication", "polynomial-identity", "construction", "vectors"}), ("smt", {"smt", "solvers"}),
             ("coq", {"coq-theorem"}))
    rests_on = [{step["rule"]} | ({"solvers"} & set(step)) for step in steps]
    result["verdict"] = verdict
    result["evidence"] = "+".join(kind for kind, of in kinds if any(of & marks for marks in rests_on))
    doubts = ["the scope of a statement is not all"] if verdict == "bounded" else []
    words = (({"prose"}, None, "in prose only"), ({"assumed"}, None, "assumed"),
             ({"smt", "solvers"}, "smt", "not re-verified (smt)"), ({"coq-theorem"}, "coq", "not re-verified (coq)"))
    for of, kind, word in words:
        files = [step["file"] for step, marks in zip(steps, rests_on) if of & marks]
        if files and kind not in accept:
            doubts.append(f"{word}: " + ", ".join(files))
    result["reason"] = "; ".join(doubts)
    return (PARTIAL if doubts else ACCEPTED), result


def weakest_said(folder, steps):
    """Section 3.2, where nothing is a hole: the verdict of what claim.toml's lines `says` name."""
    scopes = {name: "all" for step in steps if step["rule"] == "coq-statement" for name in step["sentences"]}
    scopes.update({step["file"]: "all" for step in steps if step["rule"] == "smt"})
    scopes.update({step["file"]: step["statement"]["scope"] for step in steps
                   if step["rule"] in ("implication", "polynomial-identity", "construction")})
    said = set()
    for line in read_bytes(os.path.join(folder, "claim.toml"), MAX_CLAIM_FILE).split(b"\n"):
        if line.translate(None, b" \t\"'").startswith(b"says="):
            require(SAYS.fullmatch(line), "a line says of claim.toml has another form")
            said.update(part.decode("ascii") for part in line.split(b'"')[1::2])
    require(said, "claim.toml says nothing")
    for name in sorted(said):
        require(name in scopes, f"no step states {name[:80]}")
    return "proved" if all(scopes[name] == "all" for name in said) else "bounded"


def same_json(left, right):
    """Equality as JSON values (in Python 1 == True)."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def own_statement(folder, step, names):
    """Sections 3.3, 3.4 and 3.8, beginning: the statement is the file's and has the keys `names` and a scope."""
    value = unicode_only(parse_json(read_bytes(os.path.join(folder, step["file"]), MAX_CLAIM_FILE)))
    require(type(value) is dict and "statement" in value, "the file has no statement")
    require(same_json(value["statement"], step["statement"]), "the statement is not the file's")
    statement = fields(step["statement"], ("scope",) + names, "statement")
    require(type(statement["scope"]) is str and statement["scope"], "scope is not a non-empty string")
    return statement


def check_statement(folder, step, names):
    """Sections 3.3 and 3.4, beginning: the statement is the file's; returns it and its variables."""
    statement = own_statement(folder, step, ("variables",) + names)
    variables = array(statement["variables"], "variables")
    require(1 <= len(variables) <= 64 and all(is_name(x) for x in variables), "variables are not 1 to 64 names")
    require(all(x < y for x, y in zip(variables, variables[1:])), "variables are not strictly increasing")
    return statement, variables


def is_name(text):
    return type(text) is str and NAME.fullmatch(text) is not None


def check_implication(folder, step, present):
    """Section 3.3."""
    statement, variables = check_statement(folder, step, ("hypotheses", "conclusion"))
    own = parse_json(read_bytes(os.path.join(folder, step["file"]), MAX_CLAIM_FILE))
    stated = [of["solvers"] for of in (own, step) if "solvers" in of]
    require(stated in ([], [["cvc5", "z3"]] * 2), "solvers is not cvc5 and z3 in the file and the step")
    evidence = fields(step["evidence"], ("multiplier", "terms", "cofactors", "witness"), "evidence")
    hypotheses, relation = {}, {}
    for item in array(statement["hypotheses"], "hypotheses"):
        name = fields(item, ("name", "polynomial", "relation"), "a hypothesis")["name"]
        require(is_name(name), "a hypothesis's name is not a name")
        require(not hypotheses or name > next(reversed(hypotheses)), "hypotheses are not strictly increasing")
        require(item["relation"] in (">", ">=", "="), "unknown relation")
        hypotheses[name], relation[name] = expand(item["polynomial"], variables), item["relation"]
    goal = fields(statement["conclusion"], ("polynomial", "relation"), "conclusion")
    require(goal["relation"] in (">", ">=", "="), "unknown relation")

    def weighted_product(item, relations, what):
        """coefficient * product of factors; the factors' relations must be among `relations`."""
        coefficient = rational(item["coefficient"], f"{what}'s coefficient")
        require(coefficient > 0, f"{what}'s coefficient is not positive")
        result = Polynomial({0: coefficient.numerator}, coefficient.denominator)
        require(len(array(item["factors"], f"{what}'s factors")) <= MAX_FACTORS, f"{what} has over {MAX_FACTORS} factors")
        for name in item["factors"]:
            require(type(name) is str and name in hypotheses, f"{what}'s factor is not a hypothesis")
            require(relation[name] in relations, f"{what}'s factor has the wrong relation")
            result = times(result, hypotheses[name])
        return result

    fields(evidence["multiplier"], ("coefficient", "factors"), "multiplier")
    multiplier = weighted_product(evidence["multiplier"], (">",), "the multiplier")
    terms, strict, total = array(evidence["terms"], "terms"), False, Polynomial({}, 1)
    for term in terms:
        fields(term, ("coefficient", "factors", "square"), "a term")
        square = expand(term["square"], variables)
        product = weighted_product(term, (">", ">="), "a term")
        total = plus(total, times(times(product, square), square))
        constant = list(square.terms) == [0]
        strict = strict or (constant and all(relation[name] == ">" for name in term["factors"]))
    require(goal["relation"] != "=" or not terms, "an equation has terms")
    require(goal["relation"] != ">" or strict, "no term is certainly positive")
    for item in array(evidence["cofactors"], "cofactors"):
        name = fields(item, ("hypothesis", "polynomial"), "a cofactor")["hypothesis"]
        require(type(name) is str and relation.get(name) == "=", "a cofactor's hypothesis is not an equation")
        total = plus(total, times(expand(item["polynomial"], variables), hypotheses[name]))
    require(same(times(multiplier, expand(goal["polynomial"], variables)), total), "the two sides differ")
    witness = fields(evidence["witness"], tuple(variables), "witness")
    point = Point([witness[x] for x in variables])
    for name, polynomial in hypotheses.items():
        sign = sign_at(polynomial, point)
        holds = {">": sign > 0, ">=": sign >= 0, "=": sign == 0}[relation[name]]
        require(holds, f"the hypothesis {name} fails at the witness")


def check_identity(folder, step, present):
    """Section 3.4."""
    statement, variables = check_statement(folder, step, ("identities",))
    last = ""
    require(array(statement["identities"], "identities"), "identities is empty")
    for item in statement["identities"]:
        name = fields(item, ("name", "left", "right"), "an identity")["name"]
        require(is_name(name) and name > last, "identities are not strictly increasing names")
        last = name
        require(not same_json(item["left"], item["right"]), f"{name}: both sides are the same text")
        sides = [expand(item[side], variables) for side in ("left", "right")]
        require(same(*sides), f"{name}: the two sides differ")


def check_smt(folder, step, present):
    """Section 3.5."""
    mutant = mutant_of(step["file"])
    require(mutant in present, "the mutant does not exist")
    texts = [read_bytes(os.path.join(folder, name), MAX_CLAIM_FILE) for name in (step["file"], mutant)]
    require(texts[0] != texts[1], "the mutant is the lemma itself")
    require(all(b"(assert" in text for text in texts), "a file asserts nothing")


def theory_of(folder):
    """Section 3.6: the folder `theory` beside the claim's."""
    theory = os.path.join(os.path.dirname(folder), "theory")
    require(os.path.isdir(theory) or os.path.islink(theory), "no folder proofs/theory")
    return theory


def check_coq_statement(folder, step, present):
    """Section 3.6: a statement file."""
    text = read_bytes(os.path.join(folder, step["file"]), MAX_CLAIM_FILE)
    require(step["sha256"] == hash_of(text), "sha256 is not the hash of the statement file")
    names = [match[1].decode("ascii") for line in text.split(b"\n") if (match := SENTENCE.match(line))]
    require(names and step["sentences"] == names, "sentences are not those of the statement file")
    require(not any(name.endswith("_instance") for name in names), "a sentence is called an instance")
    theory = theory_of(folder)
    pending, there, found = [os.path.join(folder, step["file"])], claim_hashes(theory), {}
    while pending:
        for line in read_bytes(pending.pop(), MAX_CLAIM_FILE).split(b"\n"):
            if b"Sinkproof" in line:
                match = REQUIRES.fullmatch(line)
                require(match, "a line of Sinkproof requires nothing")
                for path in (f"definitions/{name}.v" for name in match[1].decode("ascii").split()):
                    require(path in there, f"no definition file {path[:80]}")
                    if path not in found:
                        found[path] = {"file": path, "sha256": there[path]}
                        pending.append(os.path.join(theory, path))
    require(step["definitions"] == [found[path] for path in sorted(found)],
            "definitions are not those the statement rests on")


def check_coq_theorem(folder, step, present):
    """Section 3.6: a proof file."""
    names = []
    for line in reversed(read_bytes(os.path.join(folder, step["file"]), MAX_CLAIM_FILE).split(b"\n")):
        if not (line := line.rstrip(b" \t\r")):
            continue
        if not (match := PRINT_ASSUMPTIONS.fullmatch(line)):
            break
        names.append(match[1].decode("ascii"))
    require(step["theorems"] == names[::-1], "theorems are not those the file prints")
    axioms = array(step["assumptions"], "assumptions")
    require(all(type(x) is str and x in AXIOMS for x in axioms), "an assumption is not an allowed axiom")
    require(all(x < y for x, y in zip(axioms, axioms[1:])), "assumptions are not strictly increasing")
    theory = claim_hash(theory_of(folder))
    require(theory == step["theory_sha256"], "theory_sha256 is not the hash of the folder proofs/theory")


def check_together(steps, holey):
    """Section 3.6, Together."""
    sentences, theorems = set(), set()
    for name in (name for step in steps if step["rule"] == "coq-statement" for name in step["sentences"]):
        require(name not in sentences, f"{name[:80]} is stated twice")
        sentences.add(name)
    for name in (name for step in steps if step["rule"] == "coq-theorem" for name in step["theorems"]):
        require(name not in theorems, f"{name[:80]} is proved twice")
        require({name, name.removesuffix("_instance")} & sentences, f"the theorem {name[:80]} is no sentence")
        theorems.add(name)
    for name in [] if holey else sorted(sentences - theorems):
        raise Reject(f"no theorem proves the sentence {name[:80]}")


# 3.8 Constructions. Flags are 0 BOS, 1 trigger, 2 content.

FLAGS = ("bos", "trigger", "content")
NORMALISED = ("softmax", "softmax-gated", "softmax-null", "sigmoid-normalised", "elu1-normalised")
POSITIVE = ("softmax", "softmax-gated", "softmax-null", "elu1-normalised", "elu1")
KERNEL_HOLDS = {"relu": lambda k: k >= 0, "linear": lambda k: True, **dict.fromkeys(POSITIVE, lambda k: k > 0),
                **dict.fromkeys(("sigmoid-normalised", "sigmoid"), lambda k: 0 < k < 1)}
MAX_CONSTRUCTION_TEXT = 20000


def three(value, what):
    return [rational(item, what) for item in array(value, what, 3)]


def read_head(value, kind):
    """Section 3.8: kernel[query][key], noise, flags[output][input], gate[query] of one head."""
    gated = kind == "softmax-gated"
    fields(value, ("kernel", "value", "gate") if gated else ("kernel", "value"), "a head")
    kernel = fields(value["kernel"], FLAGS, "kernel")
    kernel = [three(kernel[flag], f"kernel.{flag}") for flag in FLAGS]
    require(all(KERNEL_HOLDS[kind](k) for row in kernel for k in row), f"kernel has an entry {kind} cannot have")
    fields(value["value"], ("noise", "flags"), "value")
    flags = [three(row, "value.flags") for row in array(value["value"]["flags"], "value.flags", 3)]
    gate = [Fraction(1)] * 3
    if gated:
        fields(value["gate"], FLAGS, "gate")
        gate = [rational(value["gate"][flag], f"gate.{flag}") for flag in FLAGS]
        require(all(0 < g < 1 for g in gate), "gate is not between 0 and 1")
    return kernel, rational(value["value"]["noise"], "value.noise"), flags, gate


def construction_rows(length):
    """Section 3.8: (class, i, query's flag, keys of each flag, target share) of all rows."""
    yield None, 1, 0, (1, 0, 0), Fraction(0)
    yield from (("pre", i, 2, (1, 0, i - 1), Fraction(0)) for i in range(2, length))
    yield from (("trigger", i, 1, (1, 1, i - 2), Fraction(1, i - 1)) for i in range(3, length + 1))
    yield from (("post", i, 2, (1, 1, i - 2), Fraction(0)) for i in range(4, length + 1))


def row_figures(kind, heads, i, f, m, t):
    """Section 3.8: the loss of a row, and by head its BOS attention and the inverse of its denominator."""
    p, r, bos, null = [Fraction(0)] * 3, [Fraction(0)] * 3, [], []
    for kernel, noise, flags, gate in heads:
        total = sum(m[e] * kernel[f][e] for e in range(3))
        below = Fraction(max(1, i - 1)) if kind not in NORMALISED else total + 1 if kind == "softmax-null" else total
        w = [k / below for k in kernel[f]]
        bos.append(w[0])
        null.append(1 / below)
        p = [p[e] + gate[f] * w[e] * noise for e in range(3)]
        r = [r[o] + gate[f] * sum(m[e] * w[e] * flags[o][e] for e in range(3)) for o in range(3)]
    loss = max(m[1] * abs(p[1] - t) + m[2] * abs(p[2] - t), abs(r[0]), abs(r[1] - t * m[1]), abs(r[2] - t * m[2]))
    return loss, bos, null


def check_construction(folder, step, present):
    """Section 3.8."""
    require(type(step["statement"]) is dict, "statement is not an object")
    kind = step["statement"].get("attention")
    require(type(kind) is str and kind in KERNEL_HOLDS, "unknown kind of attention")
    ranges = ("bos_attention", "null_attention") if kind == "softmax-null" else ("bos_attention",)
    statement = own_statement(folder, step, ("length", "attention", "heads", "sup_loss") + ranges)
    length = integer(statement["length"], "length", 3, 256)
    heads = array(statement["heads"], "heads")
    require(1 <= len(heads) <= 64, "there are not 1 to 64 heads")
    characters = sum(map(len, strings(heads)))
    require(characters <= MAX_CONSTRUCTION_TEXT, f"heads has over {MAX_CONSTRUCTION_TEXT} characters of numbers")
    heads = [read_head(head, kind) for head in heads]
    classes = ("pre", "trigger", "post") if length >= 4 else ("pre", "trigger")
    sup_loss, seen = Fraction(0), {name: {row_class: [] for row_class in classes} for name in ranges}
    for row_class, *row in construction_rows(length):
        loss, *values = row_figures(kind, heads, *row)
        sup_loss = max(sup_loss, loss)
        if row_class is not None:
            for name, found in zip(ranges, values):
                seen[name][row_class] += found
    require(rational(statement["sup_loss"], "sup_loss") == sup_loss, "sup_loss is not what the heads give")
    for name in ranges:
        stated = fields(statement[name], classes, name)
        for row_class in classes:
            what, found = f"{name}.{row_class}", seen[name][row_class]
            pair = [rational(item, what) for item in array(stated[row_class], what, 2)]
            require(pair == [min(found), max(found)], f"{what} is not what the heads give")


# By rule: what checks a step, and its keys beside `file` and `rule`. A step in prose, or assumed, is a hole.
STEP_RULES = {"implication": (check_implication, ("statement", "evidence")), "smt": (check_smt, ()),
              "polynomial-identity": (check_identity, ("statement",)),
              "construction": (check_construction, ("statement",)),
              "coq-statement": (check_coq_statement, ("sha256", "definitions", "sentences")),
              "coq-theorem": (check_coq_theorem, ("assumptions", "theorems", "theory_sha256")),
              **dict.fromkeys(HOLES, (lambda *_: None, ()))}


# 3.7 Expressions. `terms` maps a monomial to a coefficient other than 0, a number over `unit` > 0: an integer but where
# something small was added over another unit. A monomial is the sum of its exponents times powers of 2^EXPONENT_BITS,
# one for each variable: no product of 3.3 or 3.7 has a degree of 2^EXPONENT_BITS.

EXPONENT_BITS = 24
Polynomial = namedtuple("Polynomial", "terms unit")


def plus(left, right, sign=1):
    """left + sign * right. The terms of `left` may be used up."""
    terms, unit = left.terms, left.unit
    if len(terms) <= len(right.terms):
        unit = lcm(unit, right.unit)
        terms = {monomial: c * (unit // left.unit) for monomial, c in terms.items()}
    factor, rest = divmod(sign * unit, right.unit)
    factor = Fraction(sign * unit, right.unit) if rest else factor
    for monomial, c in right.terms.items():
        c = terms.pop(monomial, 0) + factor * c
        if c:
            terms[monomial] = c
    require(len(terms) <= MAX_TERMS, "a sum has more than 10000 terms")
    return Polynomial(terms, unit)


def integral(polynomial):
    """The same polynomial with integers for coefficients."""
    if all(type(c) is int for c in polynomial.terms.values()):
        return polynomial
    unit = lcm(*{c.denominator for c in polynomial.terms.values()})
    terms = {monomial: int(c * unit) for monomial, c in polynomial.terms.items()}
    return Polynomial(terms, polynomial.unit * unit)


def times(left, right):
    require(len(left.terms) * len(right.terms) <= MAX_PRODUCT, "a product is too large")
    left, right, result = integral(left), integral(right), {}
    known, others = result.get, list(right.terms.items())
    for monomial, c in left.terms.items():
        for other, e in others:
            key = monomial + other
            result[key] = known(key, 0) + c * e
    result = {monomial: c for monomial, c in result.items() if c}
    require(len(result) <= MAX_TERMS, "a product has more than 10000 terms")
    return Polynomial(result, left.unit * right.unit)


def negated(polynomial):
    return polynomial._replace(terms={monomial: -c for monomial, c in polynomial.terms.items()})


def same(left, right):
    """Are two polynomials equal?"""
    return left.terms.keys() == right.terms.keys() and all(
        c * right.unit == right.terms[monomial] * left.unit for monomial, c in left.terms.items())


def exponents(monomial):
    """The pairs (number of the variable, exponent) with an exponent other than 0."""
    while monomial:
        variable = ((monomial & -monomial).bit_length() - 1) // EXPONENT_BITS
        shift = variable * EXPONENT_BITS
        exponent = (monomial >> shift) & ((1 << EXPONENT_BITS) - 1)
        yield variable, exponent
        monomial ^= exponent << shift


class Point:
    """Numbers for the variables, as they are written."""

    def __init__(self, texts):
        self.numbers = [rational(text, "a number of the witness") for text in texts]

    @cached_property
    def integers(self):
        """(The numbers as integers over one denominator, the denominator)."""
        unit = lcm(*(x.denominator for x in self.numbers))
        return [integer_over(unit, x) for x in self.numbers], unit


def sign_at(polynomial, point):
    """An integer with the sign of the polynomial at the point."""
    degree, total = max((sum(k for _, k in exponents(monomial)) for monomial in polynomial.terms), default=0), 0
    for monomial, c in integral(polynomial).terms.items():
        below = degree
        for variable, k in exponents(monomial):
            c, below = c * point.integers[0][variable]**k, below - k
        total += c * point.integers[1]**below if below else c
    return total


def expand(expression, variables):
    """Section 3.7: the polynomial an expression denotes, within the limits."""
    nodes, places = 0, {name: 1 << (EXPONENT_BITS * k) for k, name in enumerate(variables)}

    def measure(e):
        """Counts nodes and returns the weight; every limit that needs no expansion is checked here."""
        nonlocal nodes
        nodes += 1
        require(nodes <= MAX_NODES, "an expression has more than 10000 nodes")
        if type(e) is str:
            return 1
        require(type(e) is list and len(e) >= 2 and e[0] in ("+", "*", "-", "^"), "unknown operator")
        if e[0] == "^":
            require(len(e) == 3, "wrong number of operands")
            weight = integer(e[2], "an exponent", 1, 64) * measure(e[1])
        else:
            require(len(e) <= 3 if e[0] == "-" else len(e) >= 3, "wrong number of operands")
            weights = [measure(operand) for operand in e[1:]]
            weight = sum(weights) if e[0] == "*" else max(weights)
        require(e[0] not in ("*", "^") or weight <= MAX_WEIGHT, "a product weighs more than 64")
        return weight

    def value(e):
        if type(e) is str:
            if is_name(e):
                require(e in places, f"the variable {e} is not declared")
                return Polynomial({places[e]: 1}, 1)
            require(len(e) <= 400, "a number has more than 400 characters")
            number = rational(e, "a number")
            return Polynomial({0: number.numerator} if number else {}, number.denominator)
        if e[0] == "^":
            base = result = value(e[1])
            for _ in range(e[2] - 1):
                result = times(result, base)
            return result
        result = value(e[1])
        if e[0] == "-" and len(e) == 2:
            return negated(result)
        for operand in e[2:]:
            right = value(operand)
            result = times(result, right) if e[0] == "*" else plus(result, right, 1 if e[0] == "+" else -1)
        return result

    measure(expression)
    return value(expression)


# ---- 4.1 The object ---------------------------------------------------------------------------------------

CERTIFICATE_KEYS = ("format", "kind", "claim", "claim_sha256", "semantics", "length", "box", "triggers", "model",
                    "inputs", "ranges", "properties")
MODEL_KEYS = ("sha256", "attention", "d_model", "num_heads", "head_width", "num_layers", "residual", "scale",
              "overrides")
MAX_BOX_TEXT, MAX_BOX_UNIT = 100, 10**400  # characters of an end; the common denominator of all of them
RANGE_RULES = {"layer-row", "layer-attention", "separable-row"}
STACK_RULES = {"stack", "maximum", "random"}
UNCOUNTED = ("tokens", "trees", "points")  # the keys whose strings D' leaves out
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
    """The object `model`; `task`: does the certificate speak of the task's inputs, `stacked`: of stacks?"""
    fields(model, MODEL_KEYS, "model")
    hash_string(model["sha256"], "model.sha256")
    require(type(model["attention"]) is str and model["attention"] in ATTENTIONS, "model.attention is unknown")
    most = {"num_layers": 64 if stacked else 1, "d_model": 4096, "num_heads": 64, "head_width": 4096}
    for key, high in most.items():
        integer(model[key], f"model.{key}", 4 if task and key == "d_model" else 1, high)
    require(model["num_heads"] * model["head_width"] <= 65536, "model.head_width is out of range")
    require(type(model["residual"]) is bool and (stacked or not model["residual"]), "model.residual is not allowed")
    require(rational(model["scale"], "model.scale") > 0, "model.scale is not positive")
    require(len(model["scale"]) <= MAX_SCALE, f"model.scale has more than {MAX_SCALE} characters")
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
        remarks.append(f"reads {', '.join(overrides)} otherwise than the model file's metadata")
    if value["model"]["scale"] != "1":
        remarks.append(f"logits scaled by {value['model']['scale']}")
    if claims:
        remarks.append(f"theorem entries rest on {', '.join(claims)}")
    if any(holds_when_shorter(item["name"]) for item in properties.values()) and triggers[0] < length:
        remarks.append(f"bounds for every length {'up' if triggers[0] == 3 else f'from {triggers[0]}'} to {length}")
    result["reason"] = "; ".join(remarks)
    return (PARTIAL if unaccepted else ACCEPTED), result


def holds_when_shorter(name):
    """Section 4.20: whether it is true at shorter lengths, too."""
    return not name.startswith(("random.", "value.")) and name not in ("theorem.tc-2", "sink-share")


def of_property(check, subject, item, *more):
    """check(subject, item, ...), which rejects in the name of the property."""
    with within(f"property {item['name'][:40]}"):
        return check(subject, item, *more)


# ---- 4.2 The model ----------------------------------------------------------------------------------------

MAX_HEADER = 1 << 24
BLOCK = 1 << 16  # values of a tensor read at a time
MAX_PACKED = 200  # bits of a factor beyond which long integers cost more than they save
MAX_SHIFTED = 600  # bits beyond which shifts cost less than products
DTYPE_BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
               "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}

# The table of section 4.2. `slot` is the number of null slots, None where the weights are not normalised; `own` what
# the kind has beside the maps of all kinds: gates, or a weight for the null slot's logit.
Attention = namedtuple("Attention", "kernel slot relative signed own", defaults=("",))
ATTENTIONS = {
    "softmax": Attention("exp", 0, True, False),
    "softmax-gated": Attention("exp", 0, True, False, "W_G"),
    "sigmoid-normalised": Attention("sigmoid", 0, False, False),
    "elu1-normalised": Attention("elu1", 0, False, False),
    "softmax-null": Attention("exp", 1, True, False),
    "softmax-sink": Attention("exp", 1, True, False, "sinks"),
    "relu": Attention("relu", None, False, False),
    "sigmoid": Attention("sigmoid", None, False, False),
    "elu1": Attention("elu1", None, False, False),
    "linear": Attention("linear", None, False, True),
}
CONVEX = ("softmax", "sigmoid-normalised", "elu1-normalised")  # the weights of a row sum to one

B, T = 0, 1  # the flags of BOS and trigger; the content flag C is n - 1, or -1


def split(flat, n):
    return [flat[i:i + n] for i in range(0, len(flat), n)]


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def inner(left, right):
    return sum(map(mul, left, right))


def odd_part(x):
    """(y, k) with x = y 2^k, y odd or 0."""
    k = (x & -x).bit_length() - 1 if x else 0
    return x >> k, k


def matrix_product(left, right):
    """The product of two integer matrices, given as rows.

    Where the numbers of `left` are short, each row of `right` becomes one long integer: fewer and longer products.
    Where all numbers are long but few of their bits count, as those of doubles of every size, these are multiplied.
    """
    bits = [max(max(row), -min(row)).bit_length() for matrix in (left, right) for row in matrix]
    if max(bits[:len(left)]) > MAX_PACKED:
        columns = transposed(right)
        if max(bits) > MAX_SHIFTED:
            shifted = [[tuple(zip(*map(odd_part, row))) for row in matrix] for matrix in (left, columns)]
            if max(y.bit_length() for matrix in shifted for odd, _ in matrix for y in odd) <= 64:
                lefts, rights = shifted
                return [[sum(map(lshift, map(mul, x, y), map(add, e, f))) for y, f in rights] for x, e in lefts]
        return [[inner(row, column) for column in columns] for row in left]
    width = (max(bits[:len(left)]) + max(bits[len(left):]) + len(right).bit_length() + 8) // 8
    half, columns = 1 << (8 * width - 1), len(right[0])
    pack = lambda row: int.from_bytes(b"".join((x + half).to_bytes(width, "little") for x in row), "little")
    offset = pack([0] * columns)
    packed = [pack(row) - offset for row in right]
    result = []
    for row in left:
        data = (inner(row, packed) + offset).to_bytes(width * columns, "little")
        result.append([int.from_bytes(data[i:i + width], "little") - half for i in range(0, len(data), width)])
    return result


def scaled(matrix, factor):
    return matrix if factor == 1 else [[x * factor for x in row] for row in matrix]


def read_header(file, size):
    """The tensors and the metadata of a safetensors file, all offsets inside the file and without gap."""
    require(size >= 8, "the model file is too short")
    length = int.from_bytes(file.read(8), "little")
    require(length <= MAX_HEADER and length <= size - 8, "the model's header is longer than its file or 16 MiB")
    text = file.read(length)
    require(text.startswith(b"{"), "the model's header is not an object")
    require(text.rstrip(b" ").endswith(b"}"), "the model's header goes on after its object")
    header = unicode_only(parse_json(text))
    metadata = header.pop("__metadata__", {})
    require(type(metadata) is dict and all(type(x) is str for x in metadata.values()), "the model's metadata is bad")
    spans = []
    for name, tensor in header.items():
        fields(tensor, ("dtype", "shape", "data_offsets"), "a tensor of the model")
        shape = [integer(x, "a tensor's shape", 0) for x in array(tensor["shape"], "a tensor's shape")]
        begin, end = (integer(x, "a tensor's offset", 0) for x in array(tensor["data_offsets"], "data_offsets", 2))
        dtype = tensor["dtype"]
        require(type(dtype) is str and re.fullmatch("[A-Z_0-9]+", dtype), "a tensor's dtype is no name")
        each = DTYPE_BYTES.get(dtype)  # of one that is unknown nothing is read
        require(len(shape) <= 64 and begin <= end and (each is None or end - begin == prod(shape) * each),
                "a tensor's size is wrong")
        spans.append((begin, end))
    begins, ends = zip((0, 0), *sorted(spans))
    require(begins[1:] == ends[:-1], "the model's tensors overlap or leave a gap")
    require(8 + length + ends[-1] == size, "the model's tensors do not fill its file")
    return header, metadata, 8 + length


def read_values(file, start, tensor, name):
    """All values of a tensor of finite floating-point numbers, as doubles."""
    dtype, (begin, end) = tensor["dtype"], tensor["data_offsets"]
    require(dtype in ("F64", "F32", "F16", "BF16"), f"{name[:80]} is not F64, F32, F16 or BF16")
    size, code, values = DTYPE_BYTES[dtype], {"F64": "d", "F16": "e"}.get(dtype, "f"), doubles("d")
    file.seek(start + begin)
    for place in range(begin, end, BLOCK * size):
        data = file.read(min(BLOCK * size, end - place))
        require(len(data) == min(BLOCK * size, end - place), "the file ends early")
        if dtype == "BF16":
            short, data = data, bytearray(2 * len(data))
            data[2::4], data[3::4] = short[0::2], short[1::2]
        values.extend(struct.unpack(f"<{len(data) // struct.calcsize('<' + code)}{code}", data))
    return values


def finite(values, name):
    require(all(x - x == 0 for x in values), f"{name[:80]} holds a number that is not finite")
    return values


@contextmanager
def tensor_file(path):
    """An open safetensors file: (its tensors, its metadata, the function that reads the values of one)."""
    try:
        with open(path, "rb") as file:
            header, metadata, start = read_header(file, os.fstat(file.fileno()).st_size)
            yield header, metadata, lambda name: read_values(file, start, header[name], name)
    except OSError as error:
        raise Missing(f"a tensor file cannot be read: {error.strerror}") from None


def shape_of(header, name, dimensions):
    """The shape of a tensor, which must exist, with this number of dimensions."""
    require(name in header, f"no tensor {name[:80]!r}")
    shape = header[name]["shape"]
    require(len(shape) == dimensions and min(shape) >= 1, f"{name[:80]!r} is no {dimensions}-dimensional tensor")
    return shape


def load_rows(path, name, fits):
    """All values of the tensor whose rows hold the inputs, as doubles, and its columns; `fits` tells by its shape."""
    with tensor_file(path) as (header, _, read):
        rows, columns = shape_of(header, name, 2)
        require(fits(rows, columns), "the input is too large or does not hold sequences")
        return finite(read(name), name), columns


def dyadic(values):
    """(integers, power-of-two denominator) of doubles."""
    scale = max(x.as_integer_ratio()[1] for x in values)
    return [p * (scale // q) for p, q in (x.as_integer_ratio() for x in values)], scale


class Map:
    """A tensor W and its bias b: integer `rows` and `offsets`, both over 2^shift with the least shift there is."""

    def __init__(self, weight, bias, columns):
        values, scale = dyadic(weight + bias) if bias else dyadic(weight)
        self.rows, self.shift = split(values[:len(weight)], columns), scale.bit_length() - 1
        self.offsets = values[len(weight):] or [0] * len(self.rows)
        self.norm = max(sum(map(abs, row)) for row in self.rows)  # S of section 4.6

    def on_tokens(self):
        """W + b e^T: the flags of a token of the task, coordinates 0, 1 and n-1, sum to one."""
        return [with_bias(row, offset) for row, offset in zip(self.rows, self.offsets)]


def with_bias(row, offset):
    return [row[B] + offset, row[T] + offset, *row[2:-1], row[-1] + offset]


class Box:
    """The noise box, an interval for each noise coordinate, and the matrix X that maps unit tokens to its tokens.

    `Matrices` folds X into the matrices of a layer; what a target is made of are rows of X.
    """

    def __init__(self, intervals, text=None):
        self.intervals, self.text, ends = intervals, text, [*itertools.chain(*intervals)]
        unit = lcm(*(x.denominator for x in ends))
        require(unit < MAX_BOX_UNIT, "the common denominator of box has over 400 digits")
        self.C = len(intervals) + 2
        self.centres = [(low + high) / 2 for low, high in intervals]
        self.halves = [(high - low) / 2 for low, high in intervals]
        self.unit = lcm(*(x.denominator for x in self.centres + self.halves))  # E: all of E X is whole
        self.whole = [[integer_over(self.unit, x) for x in of] for of in (self.centres, self.halves)]

    @property
    def least(self):
        """nu of section 4.7, None where no theorem applies."""
        return None if any(self.centres) or not all(self.halves) else min(Fraction(1), *self.halves)

    def x(self, r, g):
        """X[r][g]."""
        if 2 <= r < self.C:
            return self.halves[r - 2] if r == g else self.centres[r - 2] if g in (T, self.C) else Fraction(0)
        return Fraction(r == g)

    def folded(self, row):
        """The row times E X."""
        (centres, halves), noise = self.whole, row[2:-1]
        shift = inner(noise, centres)
        first, second, last = (row[flag] * self.unit for flag in (B, T, -1))
        return [first, second + shift, *map(mul, noise, halves), last + shift]


def read_box(value, n):
    """Section 4.1: the noise box."""
    ends = []
    for item in array(value, "box"):
        require(all(type(x) is str and len(x) <= MAX_BOX_TEXT for x in array(item, "an interval of box", 2)),
                f"an end of box is not a string of at most {MAX_BOX_TEXT} characters")
        low, high = (rational(x, "an end of box") for x in item)
        require(low <= high, "an interval of box is empty")
        ends.append((low, high))
    require(len(ends) in (1, n - 3), "box is not one interval or one for each noise coordinate")
    return Box(ends if len(ends) > 1 else ends * (n - 3), value)


def unit_box(n):
    return Box([(Fraction(-1), Fraction(1))] * (n - 3))


# One layer: its maps by name; of each head the logits of its null slots, a list of at most one.
Layer = namedtuple("Layer", "maps slots")


class Model:
    """Section 4.2: the layers, how heads attend, and the box."""

    def __init__(self, value, layers, length, box=None):
        self.sha256, self.n, self.scale = value["sha256"], value["d_model"], rational(value["scale"], "model.scale")
        self.heads, self.width, self.residual = value["num_heads"], value["head_width"], value["residual"]
        self.name, self.attention = value["attention"], ATTENTIONS[value["attention"]]
        self.layers, self.length = layers, length
        self.box = box or unit_box(self.n)
        self.has_rollout = self.heads == 1 and not self.residual and self.name in CONVEX

    def part(self, h):
        """Where head h stands in rows that hold all heads."""
        return slice(h * self.width, (h + 1) * self.width)


def load_model(path, value, length, box=None):
    """Section 4.2: the model in the file, and whether `overrides` admits what the file says otherwise."""
    n, heads, count, attention = value["d_model"], value["num_heads"], value["num_layers"], value["attention"]
    size, kind = heads * value["head_width"], ATTENTIONS[attention]
    maps = {"W_Q": [size, n], "W_K": [size, n], "W_V": [size, n], "W_O": [n, size]}
    maps |= {"W_G": [heads, n]} if kind.own == "W_G" else {}
    tensors = {"sinks": ([heads], True)} if kind.own == "sinks" else {}  # of a layer: (shape, whether it must be there)
    for name, shape in maps.items():
        tensors |= {f"{name}.weight": (shape, True), f"{name}.bias": (shape[:1], name == "W_G")}
    with tensor_file(path) as (header, metadata, read):
        prefixes = [""] if count == 1 and "W_Q.weight" in header else [f"layers.{l}." for l in range(count)]
        known = {prefix + name: of for prefix in prefixes for name, of in tensors.items()}
        for name, (_, needed) in known.items():
            require(name in header or not needed, f"the model has no tensor {name}")
        for name, tensor in header.items():
            require(name in known, f"the model has the tensor {name[:40]!r}: it is another model")
            require(tensor["shape"] == known[name][0], f"{name} does not have the shape {known[name][0]}")
        values = {name: finite(read(name), name) for name in header}
    said = {"attention": attention, "d_model": str(n), "num_heads": str(heads), "num_layers": str(count),
            "residual": "true" if value["residual"] else "false", "scale": value["scale"]}
    differing = sorted(key for key, text in said.items() if metadata.get(key, text) != text)
    require(value["overrides"] == differing, "overrides does not list what the model's metadata says otherwise")
    layers = []
    for prefix in prefixes:
        own = {name: Map(values[f"{prefix}{name}.weight"], values.get(f"{prefix}{name}.bias"), shape[1])
               for name, shape in maps.items()}
        sinks = values.get(f"{prefix}sinks", [0] * heads)
        layers.append(Layer(own, [[Fraction(z)] * (kind.slot or 0) for z in sinks]))
    return Model(value, layers, length, box)


Head = namedtuple("Head", "M V")


class Task:
    """A model on the inputs of the task whose trigger positions lie between two; `stacks` keeps passes of 4.19."""

    def __init__(self, model, triggers):
        self.model, self.box, self.triggers, self.n, self.length = model, model.box, triggers, model.n, model.length
        self.name, self.attention, self.stacks = model.name, model.attention, {}


class Matrices(Task):
    """One layer in matrices, of unit tokens: of each head M and V, and o, all integers over `scale`, of which the
    box's unit is a divisor; gates as (weights, bias)."""

    def __init__(self, model, triggers):
        super().__init__(model, triggers)
        (maps, slots), n, box = model.layers[0], model.n, self.box
        self.d, self.normalised = n - 3, model.attention.slot is not None
        self.ranges = self.multipliers = None  # until they are verified
        top, bottom = model.scale.numerator, model.scale.denominator
        m_scale = bottom * box.unit**2 << (maps["W_Q"].shift + maps["W_K"].shift)
        v_scale = box.unit << (maps["W_O"].shift + maps["W_V"].shift)
        self.scale = lcm(m_scale, v_scale, *(z.denominator for logits in slots for z in logits))
        w_q, w_k, w_v = ([box.folded(row) for row in maps[name].on_tokens()] for name in ("W_Q", "W_K", "W_V"))
        self.o = [x * (self.scale >> maps["W_O"].shift) for x in maps["W_O"].offsets]
        self.heads = []
        for part, logits in zip(map(model.part, range(model.heads)), slots):
            m = scaled(matrix_product(transposed(w_q[part]), w_k[part]), top * (self.scale // m_scale))
            v = matrix_product([row[part] for row in maps["W_O"].rows], w_v[part])
            for z, f, g in itertools.product(logits, (B, T, -1), (B, T, -1)):
                m[f][g] -= integer_over(self.scale, z)  # all logits less the null slot's, which is 0 from here on
            self.heads.append(Head(m, scaled(v, self.scale // v_scale)))
        if model.name in CONVEX:
            first = self.heads[0]
            self.heads[0], self.o = Head(first.M, [with_bias(row, x) for row, x in zip(first.V, self.o)]), [0] * n
        self.gates = None
        if gate := maps.get("W_G"):
            self.gates = [([Fraction(x, box.unit << gate.shift) for x in box.folded(row)],
                           Fraction(offset, 1 << gate.shift)) for row, offset in zip(gate.rows, gate.offsets)]
        self.alone = model.heads == 1

    def sides(self):
        """The (r, s) of section 4.3 in their order."""
        return [(r, s) for r in range(self.n) for s in (1, -1)]


# ---- 4.3 Notation -----------------------------------------------------------------------------------------


class View:
    """One head with its noise coordinates in a given order, so that trees split 0, 1, 2, ... in turn.

    Every sum over noise is symmetric, so the formulas of the page hold word for word in the new order. An
    affine function of u is a pair (constant, coefficients); weights are integers over `scale`.
    """

    def __init__(self, layer, h, order):
        array(order, "order", layer.d)
        require(all(type(k) is int for k in order) and sorted(order) == list(range(layer.d)),
                "order is not a permutation")
        self.head, self.d, self.scale, self.C = layer.heads[h], layer.d, layer.scale, layer.n - 1
        self.length, self.noise = layer.length, [2 + k for k in order]
        m, noise = self.head.M, self.noise
        block = [[m[k][l] for l in noise] for k in noise]
        self.block, self.columns = block, transposed(block)
        self.pairs = [[block[k][l] + block[l][k] for l in range(k + 1, self.d)] for k in range(self.d)]
        self.squares = [block[k][k] for k in range(self.d)]
        self.multipliers = layer.multipliers and layer.multipliers[h].in_order(order)
        self.keys_at, self.query_at = lru_cache(None)(self.as_keys), lru_cache(None)(self.as_query)

    def base(self, f, g):
        """base(f,g)(u) of section 4.3."""
        return self.head.M[f][g], [self.head.M[k][g] for k in self.noise]

    def query(self, f):
        """The list of q(f)_l(u) of section 4.3."""
        return [(self.head.M[f][l], column) for l, column in zip(self.noise, self.columns)]

    def values(self, r, s):
        """v_B, v_T, v_C and the list of v_l of section 4.3, integers over `scale`."""
        row = self.head.V[r]
        return s * row[B], s * row[T], s * row[self.C], [s * row[l] for l in self.noise]

    def number(self, weight):
        return Fraction(weight, self.scale)

    def own(self, r):
        """The place of noise coordinate r in this view's order, None for a flag."""
        return self.noise.index(r) if 2 <= r < self.C else None

    @cached_property
    def column_sizes(self):
        return [sum(map(abs, column)) for column in self.columns]

    @cached_property
    def size_of_pairs(self):
        return sum(sum(map(abs, row)) for row in self.pairs)

    def read(self, string):
        """16 times the numbers of a point's string."""
        return [ord(string[k - 2]) - ZERO_CODE for k in self.noise]

    def as_keys(self, string):
        """16 times x of section 4.5, and N x."""
        x = self.read(string)
        return x, [inner(row, x) for row in self.block]

    def as_query(self, string):
        """16 times y of section 4.5, N^T y and S y; 256 times sum_{k<l} S_kl y_k y_l, sum_k beta_k (1 + y_k^2) and
        sum_k gamma_k (1 + y_k^2)."""
        y, weights = self.read(string), self.multipliers
        back = [inner(column, y) for column in self.columns]
        both = [inner(row, y) + z - 2 * x * k for row, z, x, k in zip(self.block, back, self.squares, y)]
        ones = [256 + k * k for k in y]
        return y, back, both, inner(both, y) // 2, inner(weights.queries, ones), inner(weights.own, ones)

# ---- 4.4 exp ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def exponential(p, q, up, bits=96):
    """exp_up of x = p/q, q > 0, to `bits` bits, else exp_down: (integer, k), meaning integer / 2^k.

    None where there is none: exp_up above 4096.
    """
    if abs(p) > 4096 * q:
        if (p > 0) == up:
            return None if up else (0, 0)
        p, q = (4096 if p > 0 else -4096), 1
    y = abs(p)
    h = (max(1, -(-2 * y // q)) - 1).bit_length()
    k = bits + h + 16
    total = term = 1 << k
    i = 0
    if up == (p >= 0):
        high = -((-y << k) // (q << h))
        while term > 1:
            i += 1
            term = -((-term * high >> k) // i)
            total += term
        total += 1
        for _ in range(h):
            total = -(-total * total >> k)
    else:
        low = (y << k) // (q << h)
        while term:
            i += 1
            term = (term * low >> k) // i
            total += term
        for _ in range(h):
            total = total * total >> k
    if p >= 0:
        return total, k
    bits += 32 - (-3 * y // (2 * q))
    whole = 1 << (bits + k)
    return (-(-whole // total) if up else whole // total), bits


NO_EXP = "exp of a number over 4096"


def kernel_end(kernel, x, up, what):
    """Section 4.4: kernel_up (`up`) or kernel_down of the number x."""
    p, q = x.numerator, x.denominator
    if kernel == "sigmoid":
        found = exponential(-p, q, not up)
        require(found, f"{what}: {NO_EXP}")
        e, k = found
        bits = 128 if p >= 0 else 128 - (-3 * min(-p, 4096 * q) // (2 * q))
        whole, one = 1 << (bits + k), 1 << k
        return Fraction(-(-whole // (one + e)) if up else whole // (one + e), 1 << bits)
    if kernel == "exp" or (kernel == "elu1" and p < 0):
        found = exponential(p, q, up)
        require(found, f"{what}: {NO_EXP}")
        return Fraction(found[0], 1 << found[1])
    return x + 1 if kernel == "elu1" else x if kernel == "linear" else max(Fraction(0), x)


def exp_down(x):
    return kernel_end("exp", x, False, "exp_down")


def exp_up(x, what):
    return kernel_end("exp", x, True, what)


# ---- 4.5 Forms, trees, points, obligations ----------------------------------------------------------------

MAX_TREE = 4194304
LEAF = r"(?:\[(0|[1-9][0-9]{0,8})\])?0"
TREE, TREE_PART = re.compile(rf"(?:1|{LEAF})++"), re.compile(rf"1|{LEAF}")
ONE, ZERO = Fraction(1), Fraction(0)
MAX_STRINGS, STRING = 8, re.compile("[0-P]+")  # of a point
MOST_MULTIPLIER = 10**100
ZERO_CODE, MOST_GROUPS, LEAST_SHARE_BITS = 64, 7, 20

# A list of forms, and what their leaf bounds must satisfy: a number that the only one is at most, or a function of the
# forms' denominators, whose value says of all bounds, integers over these, whether they do. `where` says which one it
# is.
Obligation = namedtuple("Obligation", "where forms holds")


def integer_over(unit, x):
    """The integer k with x = k / unit."""
    return x.numerator * (unit // x.denominator)


class Multipliers(namedtuple("Multipliers", "unit keys queries own")):
    """Of one head: alpha, beta and gamma as integers over `unit`, of which the scale of its matrices is a divisor."""

    def in_order(self, order):
        return Multipliers(self.unit, *([numbers[k] for k in order] for numbers in self[1:]))


def check_multipliers(layer, value):
    """The multipliers of each head, all shown."""
    found = []
    for h, item in enumerate(array(value, "multipliers", len(layer.heads))):
        where = f"multipliers of head {h}"
        fields(item, Multipliers._fields[1:], where)
        lists = [[rational(x, f"{where}: {key}") for x in array(item[key], f"{where}: {key}", layer.d)]
                 for key in Multipliers._fields[1:]]
        require(all(x > 0 for x in itertools.chain(*lists)), f"{where}: one is not positive")
        require(all(x.numerator < MOST_MULTIPLIER and MOST_MULTIPLIER % x.denominator == 0 for x in itertools.chain(*lists)),
                f"{where}: one has too large a numerator, or no divisor of 10^100 below it")
        unit = lcm(layer.scale, *(x.denominator for x in itertools.chain(*lists)))
        keys, queries, own = ([integer_over(unit, x) for x in numbers] for numbers in lists)
        block = scaled([row[2:-1] for row in layer.heads[h].M[2:-1]], unit // layer.scale)
        across = transposed(block)
        pairs = [[(x + y) * (k != l) for l, (x, y) in enumerate(zip(*rows))] for k, rows in enumerate(zip(block, across))]
        require(is_shown(bordered(keys, across, queries)), f"{where}: keys with queries are not shown semidefinite")
        require(is_shown(bordered(own, pairs, own)), f"{where}: own are not shown semidefinite")
        found.append(Multipliers(unit, keys, queries, own))
    return found


def bordered(first, block, second):
    """The symmetric matrix of 2 diag(first), block and 2 diag(second)."""
    diagonal = lambda numbers: [[2 * x * (i == j) for j in range(len(numbers))] for i, x in enumerate(numbers)]
    return [*map(add, diagonal(first), block), *map(add, transposed(block), diagonal(second))]


def is_shown(matrix):
    """Is the matrix shown positive semidefinite? Its upper half is eliminated, rounded down by a little more than is lost.

    No matrix with an entry above 2^64 or a diagonal entry that is not positive would be: there it ends, so that numbers
    stay short.
    """
    m, most = len(matrix), max(row[i] for i, row in enumerate(matrix))
    a = [[(x << 64) // most - m * (i == j) for j, x in enumerate(row)] for i, row in enumerate(matrix)]
    if any(abs(x) > 1 << 64 for row in a for x in row):
        return False
    for k, row in enumerate(a):
        if any(a[i][i] <= 0 for i in range(k, m)):
            return False
        for i in range(k + 1, m):
            if x := row[i]:
                a[i][i:] = [old + -x * y // row[k] for old, y in zip(a[i][i:], row[i:])]  # less the quotient by ceil
                a[i][i] -= m
    return True


def read_points(layer, of):
    """The points of `proof` or `ranges`, lists of strings."""
    if "points" not in of:
        return None
    points = array(of["points"], "points")
    require(layer.multipliers or not points, "points need multipliers")
    for point in points:
        require(len(point) <= MAX_STRINGS, f"a point has more than {MAX_STRINGS} strings")
        for string in point:
            require(type(string) is str and len(string) == layer.d, "a point's string does not have d characters")
            require(STRING.fullmatch(string), "a character of a point stands for no number")
    return points


class Form:
    """A form of section 4.5, collected term by term with rational factors, then scaled to integers once."""

    def __init__(self, view):
        self.view, self.affines, self.rows, self.scaled_self = view, [], [], None

    def number(self, x):
        """Adds the number x."""
        return self.weight(x, self.view.scale)

    def affine(self, x, function):
        """Adds x times an affine function (constant, coefficients)."""
        self.affines.append((x, *function))
        return self

    def weight(self, x, w):
        """Adds x times the weight w."""
        return self.affine(x, (w, ()))

    def base(self, x, f, g):
        """Adds x base(f,g)."""
        return self.affine(x, self.view.base(f, g))

    def absolute(self, x, w, y, function, key=None):
        """Adds | x w + y function(u) |, w a weight; of key coordinate `key`, where the function is that query's."""
        self.rows.append((x, w, y, function, key))
        return self

    def noise(self, f, y=ONE, x=ZERO, weights=None, but=None):
        """Adds sum_l | x w_l + y q(f)_l |, the w_l weights, without l = `but`."""
        for l, function in enumerate(self.view.query(f)):
            if l != but:
                self.absolute(x, weights[l] if weights else 0, y, function, l)
        return self

    def plus(self, other):
        """Adds another form, where one of the two has a self."""
        self.affines, self.rows = self.affines + other.affines, self.rows + other.rows
        self.scaled_self = self.scaled_self or other.scaled_self
        return self

    def itself(self, f, x):
        """Adds self(f) scaled by x."""
        self.scaled_self = f, x
        return self

    def integers(self):
        view = self.view
        factors = [x for x, _, _ in self.affines] + [z for x, _, y, _, _ in self.rows for z in (x, y)]
        if self.scaled_self:
            factors.append(self.scaled_self[1])
        unit = lcm(*(x.denominator for x in factors))
        c, a, rows, curve = 0, [0] * view.d, [], 0
        for x, constant, coefficients in self.affines:
            k = integer_over(unit, x)
            c += k * constant
            if coefficients and k:
                a = [old + k * new for old, new in zip(a, coefficients)]
        for x, w, y, (constant, coefficients), key in self.rows:
            k, j = integer_over(unit, x), integer_over(unit, y)
            if j:
                rows.append((k * w + j * constant, j, coefficients, key))
            else:
                c += abs(k * w)
        if self.scaled_self:
            f, x = self.scaled_self
            curve, row = integer_over(unit, x), view.head.M[f]
            a = [old + curve * row[l] for old, l in zip(a, view.noise)]
            c += sum(max(0, curve * z) for z in view.squares)
        return WholeForm(view, unit, c, a, rows, curve)


class WholeForm:
    """A form of integers over `denominator`: c, a; rows (b, j, B over j, key coordinate), and C over `unit`."""

    def __init__(self, view, unit, c, a, rows, curve):
        self.view, self.denominator, self.c, self.a, self.rows, self.curve = view, unit * view.scale, c, a, rows, curve

    def size(self, row):
        """sum_k |B_ik| of a row."""
        _, j, coefficients, key = row
        return abs(j) * (sum(map(abs, coefficients)) if key is None else self.view.column_sizes[key])

    @cached_property
    def tables(self):
        """C S_k,l>k by k, B_i,k by k, and what the free coordinates add at each depth."""
        view, d = self.view, self.view.d
        quadratic = [[self.curve * z for z in pairs] for pairs in view.pairs] if self.curve else [[]] * d
        by_coordinate = [[j * coefficients[k] for _, j, coefficients, _ in self.rows] for k in range(d)]
        free = [0] * (d + 1)
        for k in range(d - 1, -1, -1):
            free[k] = free[k + 1] + sum(map(abs, quadratic[k])) + sum(map(abs, by_coordinate[k]))
        return quadratic, by_coordinate, free

    def free(self, depth):
        """What sums over free coordinates alone come to, the coordinates being free from `depth` on."""
        return self.tables[2][depth] if depth else abs(self.curve) * self.view.size_of_pairs + sum(map(self.size, self.rows))


def grouped(rows):
    """The groups of a form's rows, each by key coordinate, and the rows that stand alone."""
    largest = max((abs(j) for _, j, _, key in rows if key is not None), default=0)
    groups, alone = [], []
    for row in rows:
        _, j, _, key = row
        if key is None or abs(j) << LEAST_SHARE_BITS <= largest:
            alone.append(row)
            continue
        place = sum(key in group for group in groups)
        if place == len(groups):
            groups.append({})
        groups[place][key] = row
    kept = sum(len(group) > 1 for group in groups[:MOST_GROUPS])  # these come first: no group has fewer than the next
    return groups[:kept], alone + [row for group in groups[kept:] for row in group.values()]


class PointForm:
    """What bounds a form by points, as integers over its denominator times `finer`.

    16 y, 16 x and multipliers over their unit are integers, that unit is `turn` times the denominator of N, and `parts`
    takes Z_g = J/count and 1/Z_g to integers. `mean` is the sum of the Z_g; what is linear in y or x is 16ths short.
    """

    def __init__(self, form):
        self.form, self.known, weights = form, {}, form.view.multipliers
        self.turn, (groups, alone) = weights.unit // form.view.scale, grouped(form.rows)
        totals = [sum(abs(row[1]) for row in group.values()) for group in groups]
        self.parts = lcm(*totals, *map(len, groups))
        linear = 16 * self.turn * self.parts
        self.finer, self.a = 16 * linear, [linear * x for x in form.a]
        self.constant = self.finer * (form.c + sum(abs(row[0]) + form.size(row) for row in alone))
        self.mean, self.groups = sum(J * self.parts // len(group) for J, group in zip(totals, groups)), []
        for J, group in zip(totals, groups):
            square = len(group) * self.parts // J  # 1/Z
            self.groups.append([(l, linear * b, self.turn * self.parts * j, j * j * square * weights.keys[l])
                                for l, (b, j, _, _) in group.items()])

    def at(self, point):
        """What does not depend on u, and h in 16ths."""
        view, weights, curve, parts = self.form.view, self.form.view.multipliers, self.form.curve, self.parts
        strings = itertools.chain(point, itertools.repeat(chr(ZERO_CODE) * view.d))
        y, back, both, pairs, queries, own = view.query_at(next(strings))
        rest = self.constant + parts * (abs(curve) * own - curve * self.turn * pairs) + self.mean * queries
        h = [a + parts * curve * self.turn * s - 2 * (abs(curve) * parts * gamma + self.mean * beta) * z
             for a, s, gamma, beta, z in zip(self.a, both, weights.own, weights.queries, y)]
        for group, string in zip(self.groups, strings):
            x, image = view.keys_at(string)
            common = sorted(z for _, _, z, _ in group)[len(group) // 2]  # as if all rows had it, then what they have more
            h = [old + common * z for old, z in zip(h, image)]
            more = dict.fromkeys(range(view.d), -common) | {l: z - common for l, _, z, _ in group}
            for l, z in more.items():
                if factor := z * x[l]:
                    h = [old + factor * k for old, k in zip(h, view.columns[l])]
            for l, b, z, square in group:
                w = b + z * back[l] - 2 * square * x[l]
                rest += square * (256 + x[l] * x[l]) - z * x[l] * back[l] + 16 * abs(w)
        return rest, h

    def bound(self, points, number, signs):
        require(number < len(points), "there is no point of a leaf's number")
        if number not in self.known:
            self.known[number] = self.at(points[number])
        rest, h = self.known[number]
        return rest + 16 * (sum(map(mul, signs, h)) + sum(map(abs, h[len(signs):])))


def leaf_bounds(tree, forms, d):
    """Section 4.5: (bounds of the forms, the leaf's number or None, signs of fixed coordinates), leaf after leaf.

    The bounds, those of leaves without number, are integers over each form's denominator. The walk keeps, for each open
    node, its signs, and of each form the constant, the linear coefficients of the free coordinates and the rows' offsets
    with the fixed ones put in.
    """
    require(TREE.fullmatch(tree), "a tree is not a string of 0, 1 and leaves with numbers")
    pending = [((), [(form.c, form.a, [row[0] for row in form.rows]) for form in forms])]
    for part in TREE_PART.finditer(tree):
        require(pending, "a tree's string goes on after the tree")
        signs, states = pending.pop()
        depth = len(signs)
        if part[0] != "1":
            yield [c + sum(map(abs, a)) + sum(map(abs, b)) + form.free(depth)
                   for (c, a, b), form in zip(states, forms)], part[1] and int(part[1]), signs
            continue
        require(depth < d, "a tree splits below the last coordinate")
        low, high = [], []
        for (c, a, b), form in zip(states, forms):
            quadratic, by_coordinate, _ = form.tables
            first, rest, cross, slope = a[0], a[1:], quadratic[depth], by_coordinate[depth]
            low.append((c - first, list(map(sub, rest, cross)) if cross else rest, list(map(sub, b, slope))))
            high.append((c + first, list(map(add, rest, cross)) if cross else rest, list(map(add, b, slope))))
        pending.append((signs + (1,), high))
        pending.append((signs + (-1,), low))
    require(not pending, "a tree's string ends before the tree")


def prove(obligation, tree, d, points=None):
    """Section 4.5: the tree and its points prove the obligation."""
    where, forms, holds = obligation
    numbers = [form.integers() for form in forms]
    with within(where):
        shown, by_points, shown_finer = shown_at(holds, [form.denominator for form in numbers]), None, None
        for leaf, (bounds, number, signs) in enumerate(leaf_bounds(tree, numbers, d)):
            if number is None:
                require(shown(bounds), f"leaf {leaf} is above the bound")
                continue
            require(number < len(points or ()), "there is no point of a leaf's number")
            if by_points is None:
                by_points = [PointForm(form) for form in numbers]
                shown_finer = shown_at(holds, [form.denominator * of.finer for form, of in zip(numbers, by_points)])
            bounds = [min(bound * of.finer, of.bound(points, number + f, signs))
                      for f, (bound, of) in enumerate(zip(bounds, by_points))]
            require(shown_finer(bounds), f"leaf {leaf} is above the bound")


def shown_at(holds, units):
    """Whether bounds over these units satisfy what an obligation asks of them, as a function."""
    if callable(holds):
        return holds(units)
    limit = holds.numerator * units[0] // holds.denominator
    return lambda bounds: bounds[0] <= limit


def prove_all(layer, trees, obligations, points=None):
    """The trees and points prove the obligations, one by one."""
    for tree in array(trees, "trees"):
        require(type(tree) is str and len(tree) <= MAX_TREE, "a tree is not a string of 0, 1 and leaves with numbers")
        obligation = next(obligations, None)
        require(obligation, "trees has more entries than there are obligations")
        prove(obligation, tree, layer.d, points)
    require(next(obligations, None) is None, "trees has fewer entries than there are obligations")


# ---- 4.6 The forward pass ---------------------------------------------------------------------------------

PRECISIONS = (64, 128, 256, 512, 1024, 2048)
MAX_TOKEN_UNIT = 10**400


class Failure(Exception):
    """A pass fails at its p."""


# Numbers are integers in units of 2^-p. `rows` are the centres of balls, `radii` their radii; a range is a pair.
Balls = namedtuple("Balls", "rows radii")

# What a pass makes of tokens: `rows` the last layer's, and of each layer and head a list, row after row, of the ranges
# of the weights, the null slot's first. Of the last layer there are only the rows from index `first` on.
Pass = namedtuple("Pass", "p first rows weights")


def token_balls(tokens, unit, p):
    """Tokens given as integers over `unit`."""
    scaled = [[x << p for x in token] for token in tokens]
    return Balls([[x // unit for x in token] for token in scaled],
                 [int(any(x % unit for x in token)) for token in scaled])


def bounded(balls, p):
    """The balls, unless a centre or a radius is too large for p."""
    limit = 1 << 2 * p
    for row, radius in zip(*balls):
        if radius >= limit or max(row) >= limit or min(row) <= -limit:
            raise Failure
    return balls


def rounded(rows, radii, shift, p):
    """The balls with these centres and radii, integers over 2^(p + shift)."""
    mask = (1 << shift) - 1
    radii = [-(-radius >> shift) + any(x & mask for x in row) for row, radius in zip(rows, radii)]
    return bounded(Balls([[x >> shift for x in row] for row in rows], radii), p)


def apply_map(of, balls, p):
    """y = W x + b for every ball."""
    offsets = [x << p for x in of.offsets]
    rows = [list(map(add, sums, offsets)) for sums in zip(*matrix_product(of.rows, transposed(balls.rows)))]
    return rounded(rows, [of.norm * radius for radius in balls.radii], of.shift, p)


def combinations(weights, balls, p):
    """For each list of weights (a_k, b_k), their combination of as many of the balls."""
    count = len(balls.rows)
    reach = [max(max(row), -min(row)) + radius for row, radius in zip(*balls)]
    middles = [[(a + b) >> 1 for a, b in line] for line in weights]
    centres = matrix_product([line + [0] * (count - len(line)) for line in middles], balls.rows)
    spreads = [sum(abs(m) * r + (b - m) * x for (_, b), m, r, x in zip(line, middle, balls.radii, reach))
               for line, middle in zip(weights, middles)]
    return rounded(centres, spreads, p, p)


def exp_end(x, up, p):
    """E+ (`up`) or E- of an integer x <= 0."""
    if x < -p << p:
        return int(up)
    if x == 0:
        return 1 << p
    value, k = exponential(x, 1 << p, up, p)
    return -(-value >> (k - p)) if up else value >> (k - p)


def logistic_end(x, up, p):
    """S+ (`up`) or S- of an integer."""
    e = exp_end(-abs(x), up == (x < 0), p)
    top, bottom = (1 << 2 * p if x >= 0 else e << p), (1 << p) + e
    return -(-top // bottom) if up else top // bottom


def kernel_range(kernel, low, high, p):
    """The range of the kernel of a logit in the range (low, high)."""
    if kernel == "sigmoid":
        return logistic_end(low, False, p), logistic_end(high, True, p)
    if kernel == "elu1":
        return tuple(x + (1 << p) if x >= 0 else exp_end(x, up, p) for x, up in ((low, False), (high, True)))
    return (low, high) if kernel == "linear" else (max(0, low), max(0, high))


def weight_ranges(attention, logits, p, others=None):
    """The ranges of the weights of one row, the null slot's first, from those of its logits, the null slot's first.

    Kernels that are not normalised are divided by `others`, by the page's number of other keys where it is None.
    """
    slot = attention.slot
    if attention.kernel == "exp":
        top = max(high for _, high in logits)
        kernels = [(exp_end(low - top, False, p), exp_end(high - top, True, p)) for low, high in logits]
    else:
        kernels = [kernel_range(attention.kernel, low, high, p) for low, high in logits]
    if slot is None:
        others = others or max(1, len(kernels) - 1)
        return [(0, 0)] + [(a // others, -(-b // others)) for a, b in kernels]
    least, greatest = sum(a for a, _ in kernels), sum(b for _, b in kernels)
    weights = [((a << p) // (a + greatest - b) if a else 0, -((-b << p) // (b + least - a))) for a, b in kernels]
    return weights if slot else [(0, 0)] + weights


def slot_ranges(slots, p):
    """The ranges of the logits of a head's null slots."""
    return [((z.numerator << p) // z.denominator, -((-z.numerator << p) // z.denominator)) for z in slots]


def logit_ranges(queries, keys, slots, sees, scale, p):
    """The ranges of the logits of one head: for each query those of `slots` and of the keys it sees."""
    top, bottom, limit, width = scale.numerator, scale.denominator, 1 << 2 * p, len(keys.rows[0])
    products = matrix_product(queries.rows, transposed(keys.rows))
    sizes = [sum(map(abs, row)) for row in keys.rows]
    of_slots = slot_ranges(slots, p)
    result = []
    for row, query, r, seen in zip(products, *queries, sees):
        own = sum(map(abs, query)) + width * r
        ranges = of_slots[:]
        for j in seen:
            z, e = row[j], r * sizes[j] + keys.radii[j] * own
            ranges.append((top * (z - e) // bottom >> p, -(-top * (z + e) // bottom >> p)))
        if max((high for _, high in ranges), default=0) >= limit or min((low for low, _ in ranges), default=0) <= -limit:
            raise Failure
        result.append(ranges)
    return result


def part_of(balls, part):
    """These coordinates of each ball."""
    return Balls([row[part] for row in balls.rows], balls.radii)


def gated(balls, gates, h, p):
    """The balls times the logistic function of coordinate h of the gates' map."""
    ends = [(logistic_end(row[h] - r, False, p), logistic_end(row[h] + r, True, p)) for row, r in zip(*gates)]
    found = [combinations([[end]], Balls([row], [r]), p) for end, row, r in zip(ends, *balls)]
    return Balls([row for of in found for row in of.rows], [r for of in found for r in of.radii])


def side_by_side(parts):
    """The heads' balls as one."""
    return Balls([list(itertools.chain(*rows)) for rows in zip(*(part.rows for part in parts))],
                 [max(radii) for radii in zip(*(part.radii for part in parts))])


def sum_of(left, right, p):
    rows = [list(map(add, row, more)) for row, more in zip(left.rows, right.rows)]
    return bounded(Balls(rows, list(map(add, left.radii, right.radii))), p)


def run_layer(model, layer, balls, first, p):
    """One layer: the rows from index `first` on, and the weights of each head."""
    maps, slots = layer
    asked, weights, parts = Balls(balls.rows[first:], balls.radii[first:]), [], []
    sees = [range(i + 1) for i in range(first, len(balls.rows))]
    queries = apply_map(maps["W_Q"], asked, p)
    keys, values = (apply_map(maps[name], balls, p) for name in ("W_K", "W_V"))
    gates = apply_map(maps["W_G"], asked, p) if "W_G" in maps else None
    for h in range(model.heads):
        own_queries, own_keys, own_values = (part_of(of, model.part(h)) for of in (queries, keys, values))
        logits = logit_ranges(own_queries, own_keys, slots[h], sees, model.scale, p)
        weights.append([weight_ranges(model.attention, row, p) for row in logits])
        out = combinations([row[1:] for row in weights[h]], own_values, p)
        parts.append(gated(out, gates, h, p) if gates else out)
    out = apply_map(maps["W_O"], side_by_side(parts), p)
    return (sum_of(out, asked, p) if model.residual else out), weights


def mean_range(weights, ranges, p):
    """What a mean of numbers in these ranges lies in, by weights in theirs that sum to 2^p."""
    ends = []
    for side, up in enumerate((False, True)):
        free, total = (1 << p) - sum(a for a, _ in weights), 0
        for (a, b), x in sorted(zip(weights, ranges), key=lambda of: of[1][side], reverse=up):
            grown = min(b - a, free)
            free, total = free - grown, total + (a + grown) * x[side]
        ends.append(-(-total >> p) if up else total >> p)
    return tuple(ends)


def rollout_range(seen):
    """The range of the last row's rollout after the last layer."""
    ranges = [(1 << seen.p,) * 2] + [(0, 0)] * (len(seen.weights[-1][0][-1]) - 2)
    for (head,) in seen.weights:
        ranges = [mean_range(row[1:], ranges, seen.p) for row in head]
    return ranges[-1]


def forward_pass(model, tokens, unit, p, first=0):
    """Section 4.6: the pass at p over tokens given as integers over `unit`; None if it fails."""
    balls, weights, last = token_balls(tokens, unit, p), [], len(model.layers) - 1
    try:
        for l, layer in enumerate(model.layers):
            balls, of_layer = run_layer(model, layer, balls, first if l == last else 0, p)
            weights.append(of_layer)
    except Failure:
        return None
    return Pass(p, first, balls, weights)


def passes(model, tokens, unit, precisions=PRECISIONS, first=0):
    """The passes at these p."""
    for p in precisions:
        yield forward_pass(model, tokens, unit, p, first)


def over_one_unit(tokens):
    """Lists of rationals as integers over their least common denominator; and that."""
    unit = 1
    for x in itertools.chain(*tokens):
        if unit % x.denominator:
            unit = lcm(unit, x.denominator)
            require(unit < MAX_TOKEN_UNIT, "the common denominator of the tokens has over 400 digits")
    return [[integer_over(unit, x) for x in token] for token in tokens], unit


def read_tokens(value, length, n):
    """Tokens as lists of rationals."""
    tokens = [[rational(x, f"token {k}") for x in array(token, f"token {k}", n)]
              for k, token in enumerate(array(value, "tokens", length), 1)]
    require(all(abs(x.numerator) < MAX_TOKEN_UNIT for token in tokens for x in token), "a numerator of the tokens has over 400 digits")
    return tokens


# A sequence of the task, integers over `unit`, and the row, coordinate and sign that are looked at.
Witness = namedtuple("Witness", "trigger tokens unit row coordinate sign")


def read_witness(layer, value, rows, least_row=1, intervals=None):
    """The witness, whose row is in the class `rows` (None: any) and whose noise is in the box or in these intervals."""
    fields(value, ("trigger", "tokens", "row", "coordinate", "sign"), "witness")
    limits = {"trigger": layer.triggers, "row": (1, layer.length), "coordinate": (0, layer.n - 1), "sign": (-1, 1)}
    j, i, r, s = (integer(value[key], f"witness.{key}", *ends) for key, ends in limits.items())
    require(s != 0, "witness.sign is not 1 or -1")
    in_class = {"pre": least_row <= i < j, "trigger": i == j, "post": i > j, None: True}[rows]
    require(in_class, "the witness's row is not in the class")
    tokens, flags = read_tokens(value["tokens"], layer.length, layer.n), {1: (1, 0, 0), j: (0, 1, 0)}
    intervals = intervals or layer.box.intervals
    for k, token in enumerate(tokens, 1):
        require((token[B], token[T], token[-1]) == flags.get(k, (0, 0, 1)), f"token {k} has wrong flags")
        require(all(low <= x <= high if k > 1 else x == 0 for x, (low, high) in zip(token[2:-1], intervals)),
                f"token {k} is outside the box")
    return Witness(j, *over_one_unit(tokens), i, r, s)


def shows(model, witness, statement):
    """Does the pass show the statement about the witness's row?"""
    found = passes(model, witness.tokens[:witness.row], witness.unit, first=witness.row - 1)
    return any(seen and statement(seen) for seen in found)


def errors(model, seen, tokens, unit, row, trigger):
    """A row's out - target of section 4.6: (centres, radius), integers over one unit, and that."""
    keys = range(1, trigger) if row == trigger else ()
    share, own = len(keys) or 1, tokens[row - 1] if model.residual else [0] * model.n
    targets = [share * x + sum(tokens[k][r] for k in keys) for r, x in enumerate(own)]
    centres, radius, unit = seen.rows.rows[row - 1 - seen.first], seen.rows.radii[row - 1 - seen.first], share * unit
    return [c * unit - (x << seen.p) for c, x in zip(centres, targets)], radius * unit, unit << seen.p


def loss_down(model, witness, seen):
    """A number the witness's loss is at least."""
    j, tokens, unit, i, r, s = witness
    centres, radius, unit = errors(model, seen, tokens, unit, i, j)
    return Fraction(s * centres[r] - radius, unit)


# ---- 4.7 Properties ---------------------------------------------------------------------------------------

CLASSES = ("pre", "trigger", "post")
ENDS = ("bos-floor", "bos-ceiling", "null-floor", "null-ceiling")
ROLLOUTS = ("rollout-floor", "rollout-ceiling")
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
    """The witness shows that the loss, or what some of these heads pay, is no less (floors: no more) than the bound."""
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
    """Section 4.7: a loss, a floor or a ceiling, or what is said of all boxes."""
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
    upper, attained = rational(item["upper"], "upper"), rational(item["attained"], "attained")
    require(len(item["upper"]) <= MAX_BOX_TEXT, f"upper has more than {MAX_BOX_TEXT} characters")
    require(upper > lower, "upper is not over lower")
    require(sign * attained > sign * threshold, "attained meets threshold")
    check_witness(layer, item["witness"], family, rows, attained, range(len(layer.model.layers)),
                  range(layer.model.heads), [(-upper, upper)] * (layer.n - 3))


def check_rule(layer, proof, statement):
    """The rule that `proof` names proves the statement."""
    name = proof["rule"]
    rule = RULES.get(name)
    require(rule and rule.proves(layer, statement), f"the rule {name[:40]!r} does not prove this property")
    keys, optional = (("order", "parameters", "trees"), ("points",)) if rule.parameters else (rule.keys, rule.optional)
    fields(proof, ("rule",) + keys, "proof", optional)
    with within(f"rule {name}"):
        if rule.parameters:
            fields(proof["parameters"], rule.parameters(statement), "parameters")
            obligations = rule.check(layer, statement, proof["order"], proof["parameters"])
            prove_all(layer, proof["trees"], obligations, read_points(layer, proof))
        else:
            given = {key: proof[key] for key in optional if key in proof}
            rule.check(layer, statement, *(proof[key] for key in rule.keys), **given)


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


# By theorem: the floors it speaks of, the last of them where length is at least 4.
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


# ---- 4.9 Ranges of kernels --------------------------------------------------------------------------------

FLAG_NAMES = ("bos", "trigger", "content")  # by B, T and -1, which stands for C in the tables of this section
NULL = None  # the null slot, in the place of a key flag
KEYS = NULL, B, -1, T
CLASS_KEYS = {f"{FLAG_NAMES[f]}_{FLAG_NAMES[g]}": (f, g) for f in (-1, T) for g in (B, -1, T)}
NULL_KEYS = {f"{FLAG_NAMES[f]}_null": (f, NULL) for f in (-1, T)}

# Of one head: `logits` maps (query flag, key flag) to (low, high), `kernels` to (least, greatest); `bos` is that of
# row 1; `gates` maps a flag to the gate's (least, greatest).
HeadRanges = namedtuple("HeadRanges", "logits kernels bos gates")


def check_ranges(layer, value):
    """The ranges of each head, all verified."""
    fields(value, ("order", "heads", "trees"), "ranges", ("points",))
    array(value["heads"], "ranges.heads", len(layer.heads))
    found = []
    with within("ranges"):
        prove_all(layer, value["trees"], range_obligations(layer, value, found), points=read_points(layer, value))
    return found


def range_obligations(layer, value, found):
    """Two for each head and class; puts the heads' ranges into `found`."""
    attention, keys = layer.attention, CLASS_KEYS | (NULL_KEYS if layer.attention.slot else {})
    for h, of_head in enumerate(value["heads"]):
        where = f"head {h}"
        fields(of_head, ("bos", "classes", "gates", "references"), where)
        references = check_references(attention, of_head["references"], f"{where}: references")
        classes = fields(of_head["classes"], tuple(keys), f"{where}: classes")
        view, kernels = View(layer, h, value["order"]), {(-1, NULL): (ZERO, ZERO), (T, NULL): (ZERO, ZERO)}
        logits = {}
        for key, (f, g) in keys.items():
            what = f"{where}: {key}"
            item = fields(classes[key], ("low", "high", "least", "greatest"), what)
            low, high = (rational(item[name], f"{what}: {name}") for name in ("low", "high"))
            yield Obligation(f"{what}: high", [logit_form(view, references[f], f, g, 1)], high)
            yield Obligation(f"{what}: low", [logit_form(view, references[f], f, g, -1)], -low)
            logits[f, g], kernels[f, g] = (low, high), check_kernel(attention.kernel, low, high, item, what)
        logit = ZERO if attention.relative and not attention.slot else view.number(view.head.M[B][B])
        bos = fields(of_head["bos"], ("least", "greatest"), f"{where}: bos")
        found.append(HeadRanges(logits, kernels, check_kernel(attention.kernel, logit, logit, bos, f"{where}: bos"),
                                check_gates(layer, h, of_head["gates"], f"{where}: gates")))


def check_references(attention, value, what):
    """The key flag g of ref(f) = base(f,g) by the query's flag f; None where ref(f) = 0."""
    if not attention.relative:
        require(value is None, f"{what}: the attention is not relative")
        return {-1: None, T: None}
    fields(value, ("content", "trigger"), what)
    flags = {"bos": B, "content": -1}
    require(all(type(x) is str and x in flags for x in value.values()), f"{what}: neither bos nor content")
    return {-1: flags[value["content"]], T: flags[value["trigger"]]}


def logit_form(view, reference, f, g, sign):
    """sign (base(f,g) - ref(f)) + noise."""
    factor, form = Fraction(sign), Form(view)
    if g is not NULL:
        form.base(factor, f, g)
    if reference is not None:
        form.base(-factor, f, reference)
    if (f, g) == (T, T):
        return form.itself(T, factor)
    return form if g in (B, NULL) else form.noise(f)


def check_kernel(kernel, low, high, item, what):
    """(least, greatest), which must enclose the kernel of every logit from low to high."""
    least, greatest = (rational(item[name], f"{what}: {name}") for name in ("least", "greatest"))
    require(kernel_end(kernel, low, False, what) >= least, f"{what}: least is too large")
    require(kernel_end(kernel, high, True, what) <= greatest, f"{what}: greatest is too small")
    require(least <= greatest and (least >= 0 or kernel == "linear"), f"{what}: least is over greatest or negative")
    return least, greatest


def check_gates(layer, h, value, what):
    """The gate's (least, greatest) by the query's flag."""
    if layer.gates is None:
        require(value is None, f"{what}: there is no gate")
        return {flag: (ONE, ONE) for flag in (B, T, -1)}
    fields(value, FLAG_NAMES, what)
    weights, bias = layer.gates[h]
    gates = {}
    for flag in (B, T, -1):
        name = FLAG_NAMES[flag]
        item = fields(value[name], ("least", "greatest"), f"{what}: {name}")
        centre, reach = bias + weights[flag], 0 if flag == B else sum(map(abs, weights[2:-1]))
        gates[flag] = check_kernel("sigmoid", centre - reach, centre + reach, item, f"{what}: {name}")
    return gates


def row_shapes(layer, rows):
    """(query flag, the least and the greatest number of content keys, triggers among the keys)."""
    flag, least, triggers = {"pre": (-1, 1, 0), "trigger": (T, 1, 1), "post": (-1, 2, 1)}[rows]
    return flag, least, layer.length - 2, triggers


# ---- 4.10 Rule layer-attention ----------------------------------------------------------------------------


def layer_attention(layer, statement):
    family, rows, bound, heads, _ = statement
    flag, fewest, most, t = row_shapes(layer, rows)
    own, side = KEYS.index(B if family.startswith("bos") else NULL), int(family.endswith("ceiling"))
    for h, m in itertools.product(heads, (fewest, most)):
        ends = [layer.ranges[h].kernels[flag, g] for g in KEYS]
        share, total = ends[own][side], m + t
        if layer.normalised:
            total = share + sum(count * ends[g][1 - side] for g, count in enumerate((1, 1, m, t)) if g != own)
        require(total > 0, f"head {h}, {m} content keys: the kernels may all be zero")
        holds = share <= bound * total if side else bound * total <= share
        require(holds, f"head {h}, {m} content keys: the bound is not shown")


# ---- 4.11 Rule layer-row ----------------------------------------------------------------------------------

MAX_ROW_LENGTH = 4096

# Of the KEYS, the null slot a key of value 0: a key's values lie within REACH rho of v_g. PAIRS are numbered.
REACH = (0, 0, 1, 1)
PAIRS = {pair: k for k, pair in enumerate(itertools.combinations(range(len(KEYS)), 2))}


def features(head, r):
    """What `slack` is linear in: |v_g - v_k| for the PAIRS, then rho. They do not depend on the sign s."""
    row = head.V[r]
    v = 0, row[B], row[-1], row[T]
    return [abs(v[g] - v[k]) for g, k in PAIRS] + [sum(map(abs, row[2:-1]))]


def head_weights(head, normalised, flag, m, t):
    """Of one head and shape: G_c p_B, G_c p_C, G_c p_T, and the coefficients of `slack`."""
    ends, counts, slack = [head.kernels[flag, g] for g in KEYS], (1, 1, m, t), [ZERO] * (len(PAIRS) + 1)
    c, d = [(l + u) / 2 for l, u in ends], [(u - l) / 2 for l, u in ends]
    low, high = head.gates[flag]

    def add(g, k, x):
        """Adds x (|v_g - v_k| + the reach of both)."""
        slack[PAIRS[min(g, k), max(g, k)]] += x
        slack[-1] += x * (REACH[g] + REACH[k])
    total = least = Fraction(m + t)
    if normalised:
        total, least = sum(map(mul, counts, c)), sum(n * l for n, (l, _) in zip(counts, ends))
        require(total > 0 and least > 0, f"{m} content keys: the kernels may all be zero")
        slack[-1] += high * m * d[2] / least * (1 - Fraction(m % 2, m * m))
    p = [x / total for x in c]
    for g, k in itertools.permutations(range(len(KEYS)), 2) if normalised else ((g, 0) for g in (1, 2, 3)):
        add(g, k, high * counts[g] * d[g] / least * (counts[k] * p[k] if normalised else 1))
    for g in (1, 2, 3):
        add(g, 0, (high - low) / 2 * counts[g] * abs(p[g]))
    return [(low + high) / 2 * x for x in p[1:]], slack


def layer_row(layer, statement):
    """E is |centre| plus terms that do not depend on s; its numbers are integers over unit * scale."""
    rows, upper = statement.rows, statement.bound
    require(layer.length <= MAX_ROW_LENGTH, "length is over 4096")
    flag, fewest, most, t = row_shapes(layer, rows)
    if rows == "pre":
        first_row(layer, upper)
    measures = [[features(head, r) for head in layer.heads] for r in range(layer.n)]
    targets = [[integer_over(layer.scale, layer.box.x(r, g)) for g in (T, layer.n - 1, r)] for r in range(layer.n)]
    for m in range(fewest, most + 1):
        weights = [head_weights(head, layer.normalised, flag, m, t) for head in layer.ranges]
        share = Fraction(1, m + t) if flag == T else ZERO
        numbers = [share] + [x for shares, slack in weights for x in (*shares, *slack)]
        unit = lcm(*(x.denominator for x in numbers))
        shares = [[integer_over(unit, x) for x in part] for part, _ in weights]
        slacks = [[integer_over(unit, x) for x in slack] for _, slack in weights]
        of_target = integer_over(unit, share)
        limit = upper.numerator * unit * layer.scale // upper.denominator
        for r in range(layer.n):
            values = [head.V[r] for head in layer.heads]
            of_trigger, of_content, of_own = targets[r]
            centre = layer.o[r] * unit - of_target * (m * of_content + of_trigger)
            for (p_b, p_c, p_t), row in zip(shares, values):
                centre += p_b * row[B] + m * p_c * row[-1] + t * p_t * row[T]
            total = abs(centre) + sum(sum(map(mul, slack, part)) for slack, part in zip(slacks, measures[r]))
            for count, g in ((m, 1), (t, 2)):
                if count:
                    swing = [sum(p[g] * row[l] for p, row in zip(shares, values)) for l in range(2, layer.n - 1)]
                    if 2 <= r < layer.n - 1:
                        swing[r - 2] -= of_target * of_own
                    total += count * sum(map(abs, swing))
            require(total <= limit, f"coordinate {r}, {m} content keys: upper is too small")


def first_row(layer, upper):
    """Row 1: BOS is the only key."""
    ends = []  # of each head: the gate's least times the weight's least, and both greatest
    for of in layer.ranges:
        least, greatest = of.bos
        if layer.normalised:
            least, greatest = (x / (1 + x) for x in of.bos) if layer.attention.slot else (1, 1)
        ends.append((of.gates[B][0] * least, of.gates[B][1] * greatest))
    unit = lcm(*(x.denominator for pair in ends for x in pair))
    ends = [(integer_over(unit, low), integer_over(unit, high)) for low, high in ends]
    limit = upper.numerator * unit * layer.scale // upper.denominator
    for r, s in layer.sides():
        total = s * layer.o[r] * unit
        for head, (low, high) in zip(layer.heads, ends):
            v_b = s * head.V[r][B]
            total += max(low * v_b, high * v_b)
        require(total <= limit, f"coordinate {r} sign {s}, row 1: upper is too small")


# ---- 4.12 Rule row ----------------------------------------------------------------------------------------

MAX_ROWS = MAX_CELLS = 64
SLOPE_BITS, RATE_BITS, SHARE_BITS = 32, 20, 32


def rounded_to(bits, x, up):
    """The least multiple of 2^-bits that is at least x (`up`), or the largest that is at most x."""
    y = (-x if up else x) * (1 << bits)
    return Fraction(-(y // 1) if up else y // 1, 1 << bits)


def points(x, y, cells):
    """The points of an interval: its ends and the intersections of the parabola's tangents."""
    t = [x + (y - x) * Fraction(i, cells) for i in range(cells + 1)]
    return [(x, x * x)] + [((a + b) / 2, a * b) for a, b in zip(t, t[1:])] + [(y, y * y)]


def noise_mixtures(length, rows, cells):
    """(A, b, p, y, alpha, beta, gamma) of noise coordinates."""
    found = []
    for n in range(2, rows + 1):
        for i in range(n):
            p, b = Fraction(1, n), Fraction(i, n)
            tau, a = 1 - 2 * b, 1 - p - b
            found.append((a, b, p, 1, tau * a, tau * b, tau * p))
    if rows < length - 1:
        low, high = Fraction(1, length - 1), Fraction(1, rows + 1)
        for p, count in ((low, 2 * cells), (high, cells)):
            found += [(1 - p - t, t, p, 1, 1 - p - t - 2 * t * (1 - p) + 2 * w, t - 2 * w, p * (1 - 2 * t))
                      for t, w in points(ZERO, 1 - p, count)]
        found += [(ZERO, t, 1 - t, 1, ZERO, t - 2 * w, 1 - 3 * t + 2 * w) for t, w in points(1 - high, 1 - low, cells)]
    return found + [(b, a, p, -y, -beta, -alpha, -gamma) for a, b, p, y, alpha, beta, gamma in found]


def flag_mixtures(length, rows, cells, r, s):
    """The same of the flag r, -1 for C."""
    shares = [(Fraction(1, n), Fraction(1, n * n)) for n in range(2, rows + 1)]
    if rows < length - 1:
        shares += points(Fraction(1, length - 1), Fraction(1, rows + 1), cells)
    for t, w in shares:
        alpha, gamma = {-1: (1 - 2 * t + w, t - w), T: (t - w, w), B: (ZERO, ZERO)}[r]
        yield 1 - t, ZERO, t, 0, s * alpha, ZERO, s * gamma


# How the kernels of a class of keys are bounded, x its logit: k <= up exp(rise (x - start)), k >= down exp(fall (x - start)).
Slope = namedtuple("Slope", "start up down rise fall")


def kernel_slope(kernel, low, high):
    up, down = kernel_end(kernel, low, True, "kernel"), kernel_end(kernel, low, False, "kernel")
    rise = 1 - down if kernel == "sigmoid" else 1 / (1 + max(ZERO, low))
    ratio = max(ONE, kernel_end(kernel, high, False, "kernel") / up)
    fall = 2 * (ratio - 1) / ((ratio + 1) * (high - low)) if high > low else ZERO
    return Slope(low, up, down, rounded_to(SLOPE_BITS, rise, True), rounded_to(SLOPE_BITS, fall, False))


def inverse_gate(layer, f):
    """The least and the largest of 1/gate, of a query of flag f."""
    if not layer.gates:
        return ONE, ONE
    weights, bias = layer.gates[0]
    middle, reach = bias + weights[f], sum(map(abs, weights[2:-1]))
    return 1 + exp_down(-middle - reach), 1 + exp_up(reach - middle, "gate")


# A class of keys of a mixture: its flag and noise ("own", "query", None), Q_0, lambda or sigma, top, and its weight in
# the sums of exp.
KeyClass = namedtuple("KeyClass", "g noise q_0 rate top weight")


class RowSide:
    """What the obligations of one side have in common."""

    def __init__(self, layer, view, rows, slopes, references, upper, r, s):
        self.view, self.slopes, self.references, self.rows = view, slopes, references, rows
        self.f, self.slot, self.relative = (T if rows == "trigger" else -1), layer.attention.slot, layer.attention.relative
        self.o = view.own(r) if rows == "trigger" else None
        self.gate, self.values = inverse_gate(layer, self.f), {NULL: 0}
        self.values[B], self.values[T], self.values[-1], self.v = view.values(r, s)
        self.split, self.rho = 0, layer.box.x(r, r)
        self.eta = upper - s * view.number(layer.o[r])
        if self.o is not None:
            self.split, self.v[self.o] = s * self.v[self.o], 0  # without the sign: the noise has it
            self.eta += s * layer.box.x(r, view.C)
        self.reach = view.number(sum(map(abs, self.v)))
        self.shift, self.s = (ONE, ZERO), s  # h and h' of the page
        if self.relative and not layer.gates and self.o is not None and self.rho > 0:
            eps = abs(view.number(self.split) / self.rho - 1)
            eps += (abs(view.number(self.values[-1]) - self.eta) + self.reach) / self.rho
            if 2 * eps <= 1:
                self.shift = eps, ONE

    def classes(self, mixture):
        """The positive and the negative classes of keys of a mixture."""
        a, b, p, y, alpha, beta, gamma = mixture
        every = [(-1, "own", a, alpha, 1), (-1, "own", b, beta, -1), (self.f, "query", p, gamma, y), (B, None, p, gamma, 0)]
        every += [(T, "own", p, gamma, 0)] if self.rows == "post" else []
        every += [(NULL, None, p, gamma, 0)] if self.slot else []
        positive, negative = [], []
        for g, noise, share, product, side in every:
            if share == 0:
                continue
            theta, slope = self.rho * product / share + self.eta, self.slopes[g]
            q_0 = self.view.number(self.values[g] + side * self.split) - theta * self.gate[theta < 0]
            top = q_0 + (self.reach if noise else 0)
            if top > 0:
                rate = rounded_to(RATE_BITS, 1 / top, True)
                positive.append(KeyClass(g, noise, q_0, rate, top, share * slope.up / rate))
            elif top < 0 and (self.rows == "trigger" or (g, noise) != (-1, "own")):
                weight = share * slope.down * -top * exp_down(self.references[g])
                negative.append(KeyClass(g, noise, q_0, rounded_to(RATE_BITS, -1 / q_0, False), top, weight))
        return positive, negative

    def add(self, form, share, of, sign):
        """Adds share F (sign 1) or share G (sign -1) of a class of keys."""
        slope, f = self.slopes[of.g], self.f
        rate, steep = share * of.rate, share * (slope.rise if sign > 0 else slope.fall)
        form.number(rate * of.q_0 - sign * steep * slope.start
                    - (share if sign > 0 else rate * of.top - share * self.references[of.g]))
        if of.g is not NULL:
            form.base(sign * steep, f, of.g)
        if self.relative:
            form.base(-sign * steep, f, -1)
        if of.noise == "own":
            form.noise(f, sign * steep, rate, self.v, self.o)
        elif of.noise == "query":
            form.itself(f, sign * steep).affine(rate, (0, self.v))
        if self.o is not None:
            h, others = self.shift
            both, one = ((1 + h) / 2, (1 - h) / 2) if of.g == -1 else (others / 2, -others / 2)
            if both:
                own = self.view.query(f)[self.o]
                form.absolute(ZERO, 0, steep * both, own, self.o).affine(steep * one * self.s, own)

    def obligation(self, mixture, where):
        positive, negative = self.classes(mixture)
        if not positive:
            return Obligation(where, [], anything)
        total = sum(of.weight for of in negative)
        require(total > 0, f"{where}: nothing stands against the positive keys")
        shares = [(of.weight * (1 << SHARE_BITS)) // total for of in negative]
        whole, against = sum(shares), Form(self.view)
        for share, of in zip(shares, negative):
            self.add(against, Fraction(share, whole), of, -1)
        forms = []
        for of in positive:
            forms.append(Form(self.view))
            self.add(forms[-1], ONE, of, 1)
            forms[-1].plus(against)
        holds = sum_of_exp(total * Fraction(whole, 1 << SHARE_BITS), [of.weight for of in positive])
        return Obligation(where, forms, holds)


def row(layer, statement, order, parameters):
    view, rows, length = View(layer, 0, order), statement.rows, layer.length
    given = fields(parameters["references"], ("bos", "null", "trigger"), "references")
    require(layer.attention.slot or given["null"] is None, "references: there is no null slot")
    references = {g: rational(given[name], f"references: {name}") for g, name in ((B, "bos"), (T, "trigger"), (NULL, "null"))
                  if name != "null" or layer.attention.slot} | {-1: ZERO}
    slopes = dict.fromkeys(KEYS, Slope(ZERO, ONE, ONE, ONE, ONE))
    if not layer.attention.relative:
        f = T if rows == "trigger" else -1
        slopes = {g: kernel_slope(layer.attention.kernel, *layer.ranges[0].logits[f, g]) for g in (B, T, -1)}
    one, size = [(Fraction(length - 3), ZERO, ONE, 0, ZERO, ZERO, ZERO)], ()
    if rows == "trigger":
        apart = integer(parameters["rows"], "rows", 1, min(MAX_ROWS, length - 1))
        require(apart != length - 2, "rows is out of range")
        size = length, apart, integer(parameters["cells"], "cells", 1, MAX_CELLS)
        noise = noise_mixtures(*size)
    else:
        require(parameters["rows"] is parameters["cells"] is None, "rows or cells is not null")
    for r, s in layer.sides():
        where, side = f"coordinate {r} sign {s}", RowSide(layer, view, rows, slopes, references, statement.bound, r, s)
        if rows == "pre":
            first = side.values[B] if layer.name in CONVEX else max(0, side.values[B])
            require(view.number(first + s * layer.o[r]) <= statement.bound, f"{where}, row 1: upper is too small")
        mixtures = one
        if rows == "trigger":
            mixtures = noise if side.o is not None else flag_mixtures(*size, -1 if r == view.C else r, s)
        for index, mixture in enumerate(mixtures):
            yield side.obligation(mixture, f"{where}: mixture {index}" if size else where)


# ---- 4.13 Rule softmax-floor ------------------------------------------------------------------------------


def sum_of_exp(limit, factors):
    """Do factors times exp_up of the leaf bounds add up to at most the limit?"""
    unit = lcm(limit.denominator, *(x.denominator for x in factors))
    whole, factors = integer_over(unit, limit), [integer_over(unit, x) for x in factors]

    def holds(units, bounds):
        found = [exponential(p, q, True) for p, q in zip(bounds, units)]
        require(all(found), NO_EXP)
        shift = max(k for _, k in found)
        return sum(x * up << (shift - k) for x, (up, k) in zip(factors, found)) <= whole << shift
    return lambda units: lambda bounds: holds(units, bounds)


def anything(_):
    """Of an obligation that asks nothing of its leaves."""
    return lambda bounds: True


def softmax_floor(layer, statement, order, parameters):
    family, rows, lower, heads, _ = statement
    f, others = (T, layer.length - 2) if rows == "trigger" else (-1, layer.length - 3)
    for h in heads:
        view, from_bos = View(layer, h, order), family == "bos-floor"
        forms = [Form(view).base(ONE, f, -1).noise(f), Form(view).base(ONE, f, f).itself(f, ONE)]
        if rows == "post":
            forms.append(Form(view).base(ONE, f, T).noise(f))
        if from_bos:
            forms = [form.base(-ONE, f, B) for form in forms]
        if layer.attention.slot:
            forms.append(Form(view).base(-ONE if from_bos else ONE, f, B))
        holds = sum_of_exp(1 - lower, [lower * count for count in (others, 1, 1, 1)[:len(forms)]])
        yield Obligation(f"head {h}", forms, holds if lower > 0 else anything)


# ---- 4.15 Rule separable-row ------------------------------------------------------------------------------

MAX_BALANCES = 8
CHORD_BITS = 64

# alpha + beta x is within epsilon of the kernel of every logit x of a class of keys; c is about its middle.
Chord = namedtuple("Chord", "alpha beta epsilon c")


def kernel_chord(kernel, low, high, least, greatest):
    below = above = ZERO  # K and K'
    width = high - low
    if kernel == "relu" and low < 0 < high:
        below = -low * high / width
    elif kernel == "elu1" and low < 0:
        below = min(ONE, greatest) * width**2 / 8
    elif kernel == "sigmoid":
        below = above = min(Fraction(1, 10), greatest, 1 - least) * width**2 / 8
    beta = rounded_to(CHORD_BITS, (greatest - least) / width, False) if width else ZERO
    least = min(kernel_end(kernel, x, False, "kernel") - beta * x for x in (low, high)) - below
    most = max(kernel_end(kernel, x, True, "kernel") - beta * x for x in (low, high)) + above
    alpha = rounded_to(CHORD_BITS, (least + most) / 2, False)
    epsilon = rounded_to(CHORD_BITS, max(most - alpha, alpha - least), True)
    return Chord(alpha, beta, epsilon, rounded_to(CHORD_BITS, alpha + beta * (low + high) / 2, False))


class SeparableRow:
    """The terms of one side: their forms are collected in `forms`, a term names them by their places there.

    A term is a list of (balance, cases), a case of some z is (E, its R's): the term's bound is the least over the
    balances of the largest over the cases of E + max(0, R, R', ..)^2/(4 balance).
    """

    def __init__(self, layer, view, f, chords, r, s):
        self.view, self.f, self.chords, self.s, self.forms = view, f, chords, s, []
        v_b, v_t, v_c, self.v = view.values(r, s)
        self.values, self.targets, self.w, self.s_o, self.o = {B: v_b, T: v_t, -1: v_c}, {T: ZERO, -1: ZERO}, 0, ZERO, None
        self.norm = sum(map(abs, self.v))
        self.n = self.v
        if f == T:
            self.targets = {T: s * layer.box.x(r, T), -1: s * layer.box.x(r, view.C)}
            self.o = view.own(r)
        if self.o is not None:
            self.w, self.s_o = self.v[self.o], s * layer.box.x(r, r)
            self.n = [0 if l == self.o else x for l, x in enumerate(self.v)]

    def form(self):
        """The place of a new form, and that form."""
        self.forms.append(Form(self.view))
        return len(self.forms) - 1, self.forms[-1]

    def score(self, g, z):
        """base(f,g) + z q(f)_o, an affine function."""
        constant, slopes = self.view.base(self.f, g)
        if self.o is None or z == 0:
            return constant, slopes
        more, others = self.view.query(self.f)[self.o]
        return constant + z * more, [x + z * y for x, y in zip(slopes, others)]

    def free_key(self, g, balances):
        view, chord, term = self.view, self.chords and self.chords[g], [(b, []) for b in balances]
        for z in ((0,) if self.o is None else (-1, 0, 1) if chord else (-1, 1)):
            place, e = self.form()
            e.number(-self.targets[g] - self.s_o * z)
            mu, score = self.values[g] + self.w * z, self.score(g, z)
            if chord:
                factor = chord.beta * view.number(mu)  # mu X + sum' |mu Q_l + c n_l| + q + norm
                e.weight(chord.alpha, mu).affine(factor, score).noise(self.f, factor, chord.c, self.n, self.o)
                if self.o is not None and z == 0:
                    e.absolute(ZERO, 0, chord.beta * view.number(self.w), view.query(self.f)[self.o], self.o)
                e.weight(chord.epsilon, abs(self.values[g]) + self.norm)
            for b, cases in term:
                where, form = self.form()
                if chord:
                    form.absolute(b * (chord.alpha - chord.c), view.scale, b * chord.beta, score)
                    form.noise(self.f, b * chord.beta, ONE, self.n, self.o)
                else:
                    form.affine(b, score).weight(ONE, mu).noise(self.f, b, ONE, self.n, self.o)
                cases.append((place, [where]))
        return term

    def own_key(self, b):
        view, f, chord, cases = self.view, self.f, self.chords and self.chords[self.f], []
        if not chord:
            where, form = self.form()
            form.base(b, f, f).itself(f, b).affine(ONE, (self.values[f], self.v))
            place, e = self.form()
            e.number(-self.targets[f])
            if self.o is not None:
                e.affine(-self.s_o, (0, [view.scale * (l == self.o) for l in range(view.d)]))
            return [(b, [(place, [where])])]
        ends = []
        for sign in (1, -1):
            where, form = self.form()
            form.number(sign * b * (chord.alpha - chord.c)).base(sign * b * chord.beta, f, f)
            form.itself(f, sign * b * chord.beta).affine(Fraction(sign), (0, self.n))
            ends.append(where)
        for z in ((0,) if self.o is None else (-1, 1)):
            place, e = self.form()
            nu = self.values[f] + self.w * z
            factor = chord.beta * view.number(nu)
            e.weight(chord.alpha, nu).base(factor, f, f).itself(f, factor).affine(chord.c, (0, self.n))
            e.weight(chord.epsilon, abs(self.values[f]) + self.norm).number(-self.targets[f] - self.s_o * z)
            cases.append((place, ends))
        return [(b, cases)]

    def bos(self):
        place, e = self.form()
        v_b, chord = self.values[B], self.chords and self.chords[B]
        if chord:
            e.weight(chord.alpha, v_b).base(chord.beta * self.view.number(v_b), self.f, B)
            e.weight(chord.epsilon, abs(v_b))
        else:
            e.base(self.view.number(max(0, v_b)), self.f, B)
        return place


def separable_holds(bos, may_be_negative, sums):
    """Is BOS's E plus, of each of the sums, (terms with factors) at most its limit?"""
    balances = {b for terms, _ in sums for term, _ in terms for b, _ in term}

    def with_units(units):
        # All numbers are integers over unit^2 * square, square a multiple of all 4 b.
        unit, square = lcm(*units), lcm(*((4 * b).numerator for b in balances))
        factors, of_e = [unit // x for x in units], unit * square
        of_r = {b: integer_over(1, square / (4 * b)) for b in balances}
        limits = [limit.numerator * unit * of_e // limit.denominator for _, limit in sums]

        def bound(term, numbers):
            return min(max(numbers[e] * of_e + max(0, *(numbers[r] for r in ends))**2 * of_r[b] for e, ends in cases)
                       for b, cases in term)

        def holds(bounds):
            numbers = list(map(mul, bounds, factors))
            first = (numbers[bos] if may_be_negative else max(0, numbers[bos])) * of_e
            return all(first + sum(count * bound(term, numbers) for term, count in terms if count) <= limit
                       for (terms, _), limit in zip(sums, limits))
        return holds
    return with_units


def separable_row(layer, statement, order, parameters):
    view, rows, chords = View(layer, 0, order), statement.rows, None
    f, t, fewest, most = {"pre": (-1, 0, 1, layer.length - 2), "trigger": (T, 0, 2, layer.length - 1),
                          "post": (-1, 1, 3, layer.length - 1)}[rows]
    if parameters["bound"] == "chord":
        of = layer.ranges[0]
        chords = {g: kernel_chord(layer.attention.kernel, *of.logits[f, g], *of.kernels[f, g]) for g in (B, -1, T)}
    else:
        require(parameters["bound"] == "product" and layer.name == "relu", "bound: no such bound of this kernel")
    require(rows == "post" or parameters["trigger"] is None, "trigger: these rows have no trigger among their free keys")
    lists = {name: array(parameters[name], name, 2 * layer.n) for name in ("content", "own") + ("trigger",) * t}
    if rows == "pre":
        first_row(layer, statement.bound)

    def balance(x, what):
        b = rational(x, what)
        require(b > 0, f"{what}: a balance is not positive")
        return b
    for index, (r, s) in enumerate(layer.sides()):
        where, free, side = f"coordinate {r} sign {s}", {}, SeparableRow(layer, view, f, chords, r, s)
        bos = side.bos()
        for g, name in ((-1, "content"), (T, "trigger"))[:1 + t]:
            given = array(lists[name][index], f"{where}: {name}")
            require(1 <= len(given) <= MAX_BALANCES, f"{where}: {name}: not 1 to {MAX_BALANCES} balances")
            free[g] = side.free_key(g, [balance(x, f"{where}: {name}") for x in given])
        own = [None if x is None and rows != "trigger" else balance(x, f"{where}: own")
               for x in array(lists["own"][index], f"{where}: own", 2)]
        own_terms = [free[-1] if b is None else side.own_key(b) for b in own]
        limit = statement.bound - s * view.number(layer.o[r])
        sums = [([(term, 1), (free.get(T), t), (free[-1], m - 1 - t)], m * limit) for term, m in zip(own_terms, (fewest, most))]
        sums = [([(term, count) for term, count in terms if count], limit) for terms, limit in sums]
        yield Obligation(where, side.forms, separable_holds(bos, chords is not None, sums))


# ---- 4.19 Rule stack --------------------------------------------------------------------------------------

STACK_BITS = 64  # numbers are integers in units of 2^-64
MAX_DEGREE = 6
MAX_WALKED = 13  # letters whose signs are tried
MAX_WALKED_REACH = 1 << 122
CORNERS = [(t, w, z) for t, w in ((4, 4), (3, 2), (1, 0)) for z in (1, -1)]  # of the mean and its square, in quarters
KINDS_OF_KEYS = 5
CONSTANT = ((), (), ())


@lru_cache(maxsize=1 << 18)
def joint(left, right):
    """The product of two products of letters."""
    return tuple(sorted(left + right))


@lru_cache(maxsize=1 << 16)
def joint_keys(left, right):
    """All (key, others) whose sum is the product of two (key, others)."""
    partial = [(left[1], ())]  # others of the first that are not yet one of the second's; those of the product
    for other in right[1]:
        partial = [(free, done + (other,)) for free, done in partial] + [
            (free[:k] + free[k + 1:], done + (joint(free[k], other),))
            for free, done in partial for k in range(len(free))]
    key = joint(left[0], right[0])
    return [(key, tuple(sorted(free + done))) for free, done in partial]


def is_joined(key, others):
    """Are these groups of a loss joined: {l}, {l m} or {l, m}?"""
    return not key and tuple(map(len, others)) in ((1,), (2,), (1, 1))


@lru_cache(maxsize=1 << 18)
def multilinear(monomial, joined=False):
    """The odd part: of letters of odd power, each once. Where groups are joined, l l of one key is no power and stays."""
    own, key, *others = (tuple(k for k in sorted(set(of)) if of.count(k) % 2) for of in (*monomial[:2], *monomial[2]))
    others = monomial[2] if joined and is_joined(*monomial[1:]) else tuple(sorted(filter(None, others)))
    return own, key, others


def without_letter(monomial, letter, of_key, speaks_of_key):
    """The monomial where a letter is gone once; None if it has none there."""
    (own, key, others), lost = monomial, lambda of: of[:of.index(letter)] + of[of.index(letter) + 1:]
    if not of_key:
        return (lost(own), key, others) if letter in own else None
    if speaks_of_key:
        return (own, lost(key), others) if letter in key else None
    k = next((k for k, other in enumerate(others) if letter in other), None)
    return None if k is None else (own, lost(others[k]), others[:k] + others[k + 1:])


def inner_only(left, right):
    return [sum(map(mul, left, right))]


class Enclosure:
    """P of section 4.19: coefficients by monomial, a remainder for each coordinate, and K.

    A monomial is (own, key, others): a product of letters is the sorted tuple of their numbers, `others` a sorted tuple
    of such. A monomial with more others than there are keys for them is an empty sum and left out.
    """

    def __init__(self, pairs, rest, keys=0):
        self.terms, self.rest, self.keys = {}, rest, keys
        for monomial, c in pairs:
            if len(monomial[2]) <= keys and any(c):
                known = self.terms.get(monomial)
                self.terms[monomial] = c if known is None else list(map(add, known, c))

    def ways(self, monomial):
        """N of the page."""
        return perm(self.keys, len(monomial[2]))

    @cached_property
    def by_degree(self):
        found = {}
        for monomial, c in self.terms.items():
            own, key, others = monomial
            found.setdefault(sum(map(len, (own, key, *others))), []).append((monomial, c))
        return found

    @cached_property
    def sizes(self):
        """S_d of every coordinate, by d."""
        found = {}
        for d, terms in self.by_degree.items():
            sums = zip(*([abs(x) * n for x in c] for n, c in ((self.ways(monomial), c) for monomial, c in terms)))
            found[d] = list(map(sum, sums))
        return found

    @cached_property
    def size(self):
        return [sum(column) for column in zip([0] * len(self.rest), *self.sizes.values())]

    def divided(self, by):
        rest, terms = [-(-x // by) for x in self.rest], []
        for monomial, c in self.terms.items():
            terms.append((monomial, [x // by for x in c]))
            if any(x % by for x in c):
                ways = self.ways(monomial)
                rest = [r + ways if x % by else r for r, x in zip(rest, c)]
        return Enclosure(terms, rest, self.keys)

    def plus(self, other, sign=1):
        more = other.terms.items() if sign == 1 else ((m, [-x for x in c]) for m, c in other.terms.items())
        rest = list(map(add, self.rest, other.rest))
        return Enclosure(itertools.chain(self.terms.items(), more), rest, max(self.keys, other.keys))

    def mapped(self, weights):
        """The map (W, b, D) of an `Affine`."""
        rows, offsets, by = weights
        columns = list(zip(*self.terms.values())) or [[0]] * len(self.rest)
        products = zip(*matrix_product(rows, columns))
        terms = itertools.chain(zip(self.terms, map(list, products)), [(CONSTANT, [x << STACK_BITS for x in offsets])])
        rest = [sum(abs(w) * r for w, r in zip(row, self.rest)) for row in rows]
        return Enclosure(terms, rest, self.keys).divided(by)

    def scaled(self, factor, by=1):
        """The map (factor, 0, by)."""
        terms = ((monomial, [factor * x for x in c]) for monomial, c in self.terms.items())
        return Enclosure(terms, [abs(factor) * r for r in self.rest], self.keys).divided(by)

    def coordinate(self, r):
        return Enclosure(((monomial, [c[r]]) for monomial, c in self.terms.items()), [self.rest[r]], self.keys)

    def extended(self, constant):
        """(x, constant)."""
        terms = [(monomial, c + [0]) for monomial, c in self.terms.items()]
        return Enclosure(terms + [(CONSTANT, [0] * len(self.rest) + [constant])], self.rest + [0], self.keys)

    def product(self, other, degree, of):
        """The product up to a degree, `of` being how two lists of coordinates are multiplied."""
        parts = [of(self.rest, other.rest), of(self.size, other.rest), of(self.rest, other.size)]
        pairs = list(itertools.product(self.by_degree, other.by_degree))
        parts += [of(self.sizes[d], other.sizes[e]) for d, e in pairs if d + e > degree]
        terms = (((own, *of_keys), value) for d, e in pairs if d + e <= degree
                 for (m, c), (m2, c2) in itertools.product(self.by_degree[d], other.by_degree[e])
                 for own, value in [(joint(m[0], m2[0]), of(c, c2))] for of_keys in joint_keys(m[1:], m2[1:]))
        rest = [sum(column) for column in zip(*parts)]
        return Enclosure(terms, rest, max(self.keys, other.keys)).divided(1 << STACK_BITS)

    def times(self, other, degree):
        return self.product(other, degree, lambda left, right: [left[0] * x for x in right])

    def as_key(self):
        """The same, own noise being a key's."""
        return Enclosure(((((), own, others), c) for (own, _, others), c in self.terms.items()), self.rest, self.keys)

    def seen_from_key(self):
        """The same where one of the K keys is the key."""
        terms = list(self.terms.items())
        for (own, _, others), c in self.terms.items():
            terms += [((own, other, others[:k] + others[k + 1:]), c) for k, other in enumerate(others)]
        return Enclosure(terms, self.rest, self.keys - 1)

    def over_keys(self, count):
        """The sum over so many keys, which speaks of them as others."""
        terms = []
        for (own, key, others), c in self.terms.items():
            factor = 1 if key else count - len(others)
            others = tuple(sorted(others + (key,))) if key else others
            terms.append(((own, (), others), [factor * x for x in c]))
        return Enclosure(terms, [count * r for r in self.rest], count)

    def as_one(self, count, shift):
        """So many keys, of one class, as one among the others, whose letters are told from those of other classes."""
        terms = (((own, (), (tuple(k + shift for k in key),) if key else ()), [count * x for x in c])
                 for (own, key, _), c in self.terms.items())
        return Enclosure(terms, [count * r for r in self.rest], 1)

    def without_others(self):
        rest, terms = self.rest, []
        for monomial, c in self.terms.items():
            if monomial[2]:
                ways = self.ways(monomial)
                rest = [r + abs(x) * ways for r, x in zip(rest, c)]
            else:
                terms.append((monomial, c))
        return Enclosure(terms, rest)

    def widened(self, other):
        reach = map(add, other.rest, other.plus(self, -1).size)
        return Enclosure(self.terms.items(), list(map(max, self.rest, reach)), self.keys)

    def without_rest(self):
        return Enclosure(self.terms.items(), [0] * len(self.rest), self.keys)

    def substituted(self, letters, degree):
        """All letters of a layer and class, as far as there is room, replaced by their definitions."""
        speaks, result, defined = any(key for _, key, _ in self.terms), self, {letter.number for letter in letters}
        for letter in sorted(letters):
            while True:
                kept, found = [], []
                for monomial, c in result.terms.items():
                    numbers = list(itertools.chain(*monomial[:2], *monomial[2]))
                    fits = len(numbers) + sum(k in defined for k in numbers) <= degree
                    less = fits and without_letter(monomial, letter.number, letter.of_key, speaks)
                    (found if less else kept).append((less or monomial, c))
                if not found:
                    break
                summed = letter.of_key and not speaks
                part = Enclosure(found, [0] * len(self.rest), result.keys - summed)
                part = letter.definition.times(part, degree)
                part = part.over_keys(result.keys) if summed else part
                result = Enclosure(kept, result.rest, result.keys).plus(part)
        return result

    def range(self, r, is_loss=False):
        """The range of a coordinate; groups of a loss are joined."""
        kept, low, high = {}, -self.rest[r], self.rest[r]
        for monomial, c in self.terms.items():
            if not (total := c[r] * self.ways(monomial)):
                continue
            odd = multilinear(monomial, is_loss)
            if odd == CONSTANT != monomial:
                low, high = low + min(0, total), high + max(0, total)
                continue
            if odd != monomial:
                half = total >> 1
                reach = max(abs(half), abs(total - half))
                total, low, high = half, low - reach, high + reach
            kept[odd] = kept.get(odd, 0) + total
        least, most = kept_range(kept, self.keys, r if is_loss else None)
        return least + low, most + high


def kept_range(kept, keys, r):
    """The range of a polynomial of no powers, totals by monomial, as far as it is walked; of coordinate r of a loss."""
    alone, groups = sum(map(abs, kept.values())), {((), ()): {}}
    if (keys + 1) * alone >= MAX_WALKED_REACH:
        return -alone, alone
    for (own, key, others), total in kept.items():
        groups.setdefault((key, others), {})[own] = total
    joined = {others for key, others in groups if r is not None and is_joined(key, others)}
    groups = {name: group for name, group in groups.items() if not any(name) or name[1] in joined
              or (len(group) > 1 and len(name[0]) + sum(map(len, name[1])) <= 3)}
    first = groups.pop(((), ()))
    letters = {k for own in first if len(own) > 1 for k in own}.union(*itertools.chain(*groups.values()))
    letters = sorted(letters)[:MAX_WALKED]
    first, *walked = [{own: x for own, x in group.items() if set(own) <= set(letters)}
                      for group in (first, *groups.values())]
    alone -= sum(abs(x) for group in (first, *walked) for x in group.values())
    groups = dict(zip(groups, walked))
    values, reach = corners(first, letters), [0] * (1 << len(letters))
    for (_, others), group in groups.items():
        if others not in joined:
            reach = list(map(add, reach, map(abs, corners(group, letters))))
    low, high = list(map(sub, values, reach)), list(map(add, values, reach))
    if joined:
        return joined_range({others: groups[(), others] for others in joined}, letters, keys, r, low, high, alone)
    return min(low) - alone, max(high) + alone


def joined_range(groups, letters, keys, r, low, high, alone):
    """The range of what lies between low and high at the corners, and of the joined groups by their others.

    All numbers here are in units of 1 / (8 k).
    """
    k = max(1, keys - 1)
    low, high = [8 * k * x for x in low], [8 * k * x for x in high]
    names = sorted({r}.union(*itertools.chain(*groups)))  # with r: what is alone beside a key's letter counts there
    apart, of_mean = [], []  # pairs without r; of those with r, which share its mean over the keys, the other letter
    for l, m in itertools.combinations_with_replacement(names, 2):
        found = [groups.get(others, {}) for others in (((m if l == r else l,),), ((l, m),), ((l,), (m,)))]
        found = found if r in (l, m) else [{}] + found[1:]
        if not any(found):
            continue
        a, p, b = (corners(group, letters if any(map(any, found)) else []) for group in found)
        a, p, b = [k * x for x in a], [k * x - y for x, y in zip(p, b)], [keys * x for x in b]
        if r in (l, m):
            of_mean.append((m if l == r else l, a, p, b))
        elif l == m:
            low = spread(low, [8 * min(0, x, x + y) for x, y in zip(p, b)])
            high = spread(high, [8 * max(0, x, x + y) for x, y in zip(p, b)])
        else:
            apart.append((l, m, [abs(x) for x in p], [abs(x + y) for x, y in zip(p, b)]))
    none, beside = [0] * len(low), [m for m in names if m != r]
    each, covariance, product = none, dict.fromkeys(beside, none), dict.fromkeys(beside, none)
    for l, m, p, b in apart:
        each = spread(each, [8 * max(x, y) for x, y in zip(p, b)])
        for of in (l, m):
            covariance[of] = spread(covariance[of], [4 * x for x in p])
            product[of] = spread(product[of], [4 * x for x in b])
    found = ([], []), ([], [])  # lower and upper ends for every corner of the means: pair by pair, letter by letter
    for t, w, z in CORNERS:
        least, most, by_pair, by_letter, slope = low, high, each, none, dict.fromkeys(beside, none)
        for m, *abp in of_mean:
            abp = [(z * x, y, q) for x, y, q in zip(*abp)]
            if m == r:
                least = spread(least, [2 * (t * x + w * q + min(4 * y, w * y)) for x, y, q in abp])
                most = spread(most, [2 * (t * x + w * q + max(4 * y, w * y)) for x, y, q in abp])
            else:
                by_pair = spread(by_pair, [abs(4 * (x + y) + t * (x + y + q) + w * q)
                                           + abs(4 * (x - y) + t * (q + y - x) - w * q) for x, y, q in abp])
                by_letter = spread(by_letter, [8 * abs(y) for _, y, _ in abp])
                slope[m] = spread(slope[m], [abs(8 * x + 2 * t * q) for x, _, q in abp])
        for m in beside:
            by_letter = spread(by_letter, list(map(most_of_letter, slope[m], covariance[m], product[m])))
        for (lower, upper), reach in zip(found, (by_pair, by_letter)):
            lower.append(spread(least, reach, -1))
            upper.append(spread(most, reach))
    least = min(map(max, *(map(min, *lower) for lower, _ in found)))
    most = max(map(min, *(map(max, *upper) for _, upper in found)))
    return least // (8 * k) - alone, -(-most // (8 * k)) + alone


def most_of_letter(a, s, e):
    """At least a x + s (1 - x^2) + e x^2 for all x in [0,1]."""
    return max(s - (-a // 4), (s + e) // 2 + a - a // 4, a + e)


def spread(values, more, sign=1):
    """The values plus sign times more, a list as long or of one number."""
    if len(more) == 1:
        return [x + sign * more[0] for x in values]
    return list(map(add if sign == 1 else sub, values, more))


def corners(terms, letters):
    """The values at all u in {-1,1}^letters of a polynomial of no powers, the last letter's sign the slowest."""
    if not any(terms):
        return [terms.get((), 0)] * (1 << len(letters))
    *before, letter = letters
    values = corners({own: c for own, c in terms.items() if own[-1:] != (letter,)}, before)
    tilt = {own[:-1]: c for own, c in terms.items() if own[-1:] == (letter,)}
    if not tilt:
        return values + values
    tilt = corners(tilt, before)
    return list(map(sub, values, tilt)) + list(map(add, values, tilt))


def interval(ends):
    """The enclosure of intervals, one for each coordinate."""
    middles = [(low + high) >> 1 for low, high in ends]
    return Enclosure([(CONSTANT, middles)], [high - middle for (_, high), middle in zip(ends, middles)])


def constant(x):
    """One coordinate, a number."""
    return Enclosure([(CONSTANT, [x])], [0])


def exp_ends(low, high):
    return exp_end(low, False, STACK_BITS), exp_end(high, True, STACK_BITS)


def powers(letter, of_key, coefficients, rest):
    """The sum of coefficient times letter^m, m = 0, 1, .."""
    product = lambda m: ((), (letter,) * m, ()) if of_key else ((letter,) * m, (), ())
    return Enclosure(((product(m), [x]) for m, x in enumerate(coefficients)), [rest])


def logistic_derivatives(low, high, last):
    """[a_m, b_m] of the page for m = 0..last."""
    unit, found = 1 << STACK_BITS, [(low, high)]
    both = lambda x, y: [a * b for a in x for b in y]
    for m in range(last):
        factor = (unit - high, unit - low) if m == 0 else (unit - 2 * high, unit - 2 * low)
        ends = both(found[m], factor)
        parts = [both(found[i], found[m - i]) for i in range(1, m)]
        least, most = min(ends) - sum(map(max, parts)), max(ends) - sum(map(min, parts))
        found.append((least // ((m + 1) * unit), -(-most // ((m + 1) * unit))))
    return found


def logistic_ends(low, high):
    return logistic_end(low, False, STACK_BITS), logistic_end(high, True, STACK_BITS)


def logistic_kernel(letter, of_key, low, high, degree):
    """The logistic function of what lies between low and high, in its letter."""
    c, ends = (low + high) >> 1, logistic_ends(low, high)
    r = max(1, high - c)
    if r > 2 << STACK_BITS:
        return interval([ends])
    coefficients, rest = [], 0
    for m, (a, b) in enumerate(logistic_derivatives(*logistic_ends(c, c), degree)):
        middle = (a + b) >> 1
        coefficients.append(middle * r**m >> m * STACK_BITS)
        rest += 1 - (-(b - middle) * r**m >> m * STACK_BITS)
    a, b = logistic_derivatives(*ends, degree + 1)[-1]
    return powers(letter, of_key, coefficients,
                  rest - (-max(-a, b) * r**(degree + 1) >> (degree + 1) * STACK_BITS))


def token(flag, box, keys=0):
    """The token of a flag, all its noise being its own: the map (E X, 0, E) of the unit token."""
    n = box.C + 1
    rows = [(CONSTANT, flag % n)] + [(((r,), (), ()), r) for r in range(2, box.C) if flag != B]
    whole = lambda r, g: integer_over(box.unit, box.x(r, g)) << STACK_BITS
    return Enclosure(((m, [whole(r, g) for r in range(n)]) for m, g in rows), [0] * n, keys).divided(box.unit)


# Integer rows, offsets and a divisor: the map (W, b, D). Of a head the query map, the value map, the gate's or None,
# and the ranges of the logits of its null slots.
Affine = namedtuple("Affine", "rows offsets by")
HeadMaps = namedtuple("HeadMaps", "query value gate slots")


def affine(matrix, by):
    """A map of which the last column holds the offsets."""
    return Affine([row[:-1] for row in matrix], [row[-1] for row in matrix], by)


def head_maps(model, layer, h):
    maps, part, scale = layer.maps, model.part(h), model.scale
    q, k, v = ([row + [offset] for row, offset in zip(maps[name].rows[part], maps[name].offsets[part])]
               for name in ("W_Q", "W_K", "W_V"))
    query = scaled(matrix_product(transposed(k), q), scale.numerator)
    value = matrix_product([row[part] for row in maps["W_O"].rows], v)
    gate = [maps["W_G"].rows[h] + [maps["W_G"].offsets[h]]] if "W_G" in maps else None
    return HeadMaps(affine(query, scale.denominator << maps["W_Q"].shift + maps["W_K"].shift),
                    affine(value, 1 << maps["W_V"].shift + maps["W_O"].shift),
                    gate and affine(gate, 1 << maps["W_G"].shift), slot_ranges(layer.slots[h], STACK_BITS))


# A class of rows: the class of properties; the trigger; positions; the classes of keys beside BOS and the row itself;
# how many keys of each kind row i has, BOS and itself among them; are the row's others these keys? Degree and flag;
# is the pass refined?
RowClass = namedtuple("RowClass", "rows trigger positions keys counts shared degree flag refined")

# What the pass gives for row i of a class: for each head the weights of the null slot and of BOS; of the last layer the
# largest loss of the class's rows so far and, where there is one, the rollout.
StackRow = namedtuple("StackRow", "layer of i weights loss rollout")


def row_classes(length, triggers, degree, row_degree, refined=False):
    """The classes by name."""
    first, last = triggers
    early, late = lambda i: [1, i - 2, 1], lambda j: lambda i: [1, j - 2, 1, i - j - 1, 1]
    found = {"first": RowClass("pre", None, range(1, 2), [], lambda i: [1], False, 0, B, refined),
             "before": RowClass("pre", None, range(2, last), ["before"], early, False, row_degree, -1, refined)}
    for j in range(first, last + 1):
        keys = ["before", ("trigger", j), ("after", j)]
        found["trigger", j] = RowClass("trigger", j, range(j, j + 1), keys[:1], early, True, degree, T, refined)
        found["after", j] = RowClass("post", j, range(j + 1, length + 1), keys, late(j), False, row_degree, -1, refined)
    return {name: of for name, of in found.items() if of.positions}


# A letter for a logit: its number, its definition and whether it is one of a key's letters.
Letter = namedtuple("Letter", "number definition of_key")


class HeadInClass:
    """One head in a class of rows: of every kind of key, BOS first, the row itself last, the logit and v(x) - v_1."""

    def __init__(self, model, maps, of, keys, values, first_letter):
        self.model, self.of, self.slots, self.last, row = model, of, maps.slots, len(keys) - 1, keys[-1]
        shifted, query = model.name in ("softmax", "softmax-gated"), row.mapped(maps.query)
        self.logits, reference = [], keys[0]
        if of.refined and of.shared:
            reference = Enclosure([(CONSTANT, keys[1].terms.get(CONSTANT, [0] * model.n))], [0] * model.n)
        for k, x in enumerate(keys):
            x = x.plus(reference, -1).extended(0) if shifted else x.extended(1 << STACK_BITS)
            self.logits.append(self.seen_from(k, query).product(x, max(2, of.degree), inner_only))
        self.ranges, self.products = [logit.range(0) for logit in self.logits], {}
        self.is_relative = model.attention.slot == 0  # are values taken less v_1?
        self.values = [v.plus(values[0], -1) for v in values] if self.is_relative else values
        self.gate, self.first = None, values[0] if self.is_relative else None
        self.letters, self.kernels, self.slot_kernels = [], [], []
        if model.attention.kernel == "exp" and of.degree > 0:
            self.name_logits(first_letter)
        if model.attention.kernel == "sigmoid" and of.refined and of.degree > 0:
            for k, ends in enumerate(self.ranges):
                self.kernels.append(self.logistic(first_letter + k, 0 < k < self.last, self.logits[k], ends))
        if maps.gate:
            logit = row.mapped(maps.gate)
            ends = logit.range(0)
            self.gate = interval([logistic_ends(*ends)])
            if of.refined and of.degree > 0:
                self.gate = self.logistic(first_letter + KINDS_OF_KEYS, False, logit, ends)
            self.first = self.gate.times(self.first, of.degree) if self.is_relative else None

    def seen_from(self, k, enclosure):
        """What is of the row, as a key of kind k sees it."""
        return enclosure.seen_from_key() if self.of.shared and 0 < k < self.last else enclosure

    def name(self, number, of_key, logit, low, high):
        """Defines the letter of a logit in a range; the range's c and r."""
        c = (low + high) >> 1
        r = max(1, high - c)
        self.letters.append(Letter(number, logit.mapped(Affine([[1 << STACK_BITS]], [-c], r)), of_key))
        return c, r

    def logistic(self, number, of_key, logit, ends):
        self.name(number, of_key, logit, *ends)
        return logistic_kernel(number, of_key, *ends, self.of.degree)

    def name_logits(self, first_letter):
        """Letters for the logits and, by kind of key, its kernel as a polynomial of them."""
        unit, degree = 1 << STACK_BITS, self.of.degree
        centres = [(low + high) >> 1 for low, high in self.ranges]
        radii = [max(1, high - c) for (_, high), c in zip(self.ranges, centres)]
        if max(radii) > unit and not self.of.refined:
            return
        top = max([high for _, high in self.slots]
                  + [c if r <= unit else high for c, r, (_, high) in zip(centres, radii, self.ranges)])
        self.slot_kernels = [interval([exp_ends(low - top, high - top)]) for low, high in self.slots]
        for k, (low, high) in enumerate(self.ranges):
            of_key, number = 0 < k < self.last, first_letter + k
            if radii[k] > unit:
                self.kernels.append(interval([exp_ends(low - top, high - top)]))
                continue
            c, r = self.name(number, of_key, self.logits[k], low, high)
            series = [unit]
            for m in range(1, degree + 2):
                series.append(series[-1] * r // (m << STACK_BITS))
            kernel = powers(number, of_key, series[:-1], 2 * (series[-1] + degree + 2))
            self.kernels.append(interval([exp_ends(c - top, c - top)]).times(kernel, degree))

    @cached_property
    def hull(self):
        """What the sum over keys lies in, whatever the weights."""
        ranges = [[value.range(r) for value in self.values] for r in range(self.model.n)]
        return interval([(min(0, *(low for low, _ in of)), max(0, *(high for _, high in of))) for of in ranges])

    def weights(self, counts, ends, others):
        """The weight of a key of each kind: `ends` are its intervals, `others` what is divided by if not normalised."""
        if self.model.attention.kernel in ("relu", "linear"):
            return [self.cut(k).divided(others) for k in range(len(counts))]
        weights, known = [interval([pair]) for pair in ends], enumerate(self.kernels)
        if self.model.attention.slot is None:
            known = [(k, kernel.divided(others)) for k, kernel in known if counts[k]]
        else:
            known = self.quotients(counts)
        for k, weight in known:
            weights[k] = min(weights[k], weight, key=lambda of: of.rest)  # of equal ones the interval
        return weights

    def cut(self, k):
        """The kernel of a logit that is kept, or cut off at 0."""
        (low, high), logit = self.ranges[k], self.logits[k]
        if self.model.attention.kernel == "linear" or low >= 0:
            return logit
        if high <= 0:
            return Enclosure([], [0])
        if high <= -low:
            return interval([(0, high)])
        return logit.mapped(Affine([[high]], [0], high - low)).plus(interval([(0, -(low * high // (high - low)))]))

    def quotients(self, counts):
        """Pairs (kind, its kernel over the sum of all), of the kinds of softmax; none where no bound is found."""
        if not self.kernels:
            return
        total, degree = Enclosure([], [0]), self.of.degree
        for kernel in self.slot_kernels:
            total = total.plus(kernel)
        for k, (kernel, count) in enumerate(zip(self.kernels, counts)):
            if 0 < k < self.last:
                kernel = kernel.over_keys(count)
                kernel = kernel if self.of.shared else kernel.without_others()
            total = total.plus(kernel) if count else total
        centre = total.terms.get(CONSTANT, [0])[0]
        least = 2 * centre - total.size[0] - total.rest[0]
        if min(centre, least) <= 0:
            return
        inverse, two = constant((1 << 2 * STACK_BITS) // centre), constant(2 << STACK_BITS)
        for _ in range(3):
            inverse = inverse.times(two.plus(total.times(inverse, degree), -1), degree).without_rest()
        for k, (kernel, count) in enumerate(zip(self.kernels, counts)):
            if count:
                weight = kernel.times(self.seen_from(k, inverse), degree).without_rest()
                error = weight.times(self.seen_from(k, total), degree).plus(kernel, -1)
                rest = -(-(error.size[0] + error.rest[0] << STACK_BITS) // least)
                yield k, Enclosure(weight.terms.items(), [rest], weight.keys)

    def share(self, k, weight, others):
        """The weight times v(x) - v_1."""
        (low, high), degree = self.ranges[k], self.of.degree
        if self.model.attention.kernel == "relu" and 0 < high <= -low and not self.of.shared:
            if k not in self.products:
                parts = [self.values[k].coordinate(r) for r in range(self.model.n)]
                self.products[k] = interval([(-self.relu_most(k, v.scaled(-1)), self.relu_most(k, v)) for v in parts])
            return self.products[k].divided(others)
        return (self.gate.times(weight, degree) if self.gate else weight).times(self.values[k], degree)

    def relu_most(self, k, v):
        """F(v): at least max(0, logit) v."""
        high, most = self.ranges[k][1], v.range(0)[1]
        if most <= 0:
            return 0
        bound, t = -(-high * most >> STACK_BITS), isqrt((most << 32) // high)
        if self.of.rows == "pre" and t:
            reach = max(0, self.logits[k].scaled(t, 1 << 16).plus(v.scaled(1 << 16, t)).range(0)[1])
            bound = min(bound, -(-reach**2 >> STACK_BITS) // 4 + 1)
        return bound


def stack_output(model, of, i, out, heads, apart=0):
    """(`out` and what the heads add to it in row i; for each head the weights of the null slot and of all keys).

    `apart` is N of the page where classes of keys stay apart, each as one key; else 0.
    """
    counts, seen, others = of.counts(i), [], max(1, i - 1)
    totals = [Enclosure([], [0] * model.n) for _ in counts]
    letters = [letter for head in heads for letter in head.letters]
    for head in heads:
        ranges = itertools.chain(head.slots, *([ends] * count for ends, count in zip(head.ranges, counts)))
        ends = weight_ranges(model.attention, list(ranges), STACK_BITS)
        seen.append(ends)
        of_kinds = [ends[1 + sum(counts[:k])] if count else (0, 0) for k, count in enumerate(counts)]
        weights = head.weights(counts, of_kinds, others)
        out = out.plus(head.first) if head.is_relative else out
        if head.is_relative and 2 * sum(map(mul, counts, (x.rest[0] for x in weights))) > 1 << STACK_BITS:
            out = out.plus(head.gate.times(head.hull, of.degree) if head.gate else head.hull)
            continue
        for k, count in enumerate(counts):
            if count:
                totals[k] = totals[k].plus(head.share(k, weights[k], others))
    for k, (total, count) in enumerate(zip(totals, counts)):
        if 0 < k < len(counts) - 1 and of.shared:
            total = total.over_keys(count)
        elif 0 < k < len(counts) - 1:
            total = total.substituted(letters, of.degree).without_others()
            total = total.as_one(count, k * apart) if apart else total.over_keys(count).without_others()
        out = out.plus(total)
    out = out.substituted(letters, of.degree)
    numbers = itertools.chain(out.rest, *out.terms.values())
    require(all(abs(x) < 1 << 2 * STACK_BITS for x in numbers), "a layer's output is too large")
    return out, seen


def stack_loss(model, of, out, largest):
    """The larger one of `largest` and the loss of these rows."""
    own, wanted = token(of.flag, model.box), Enclosure([], [0] * model.n)
    if of.shared:
        wanted = token(-1, model.box).as_key().over_keys(of.trigger - 2).plus(own).divided(of.trigger - 1)
    wanted = wanted.plus(own) if model.residual else wanted
    error = out.plus(wanted, -1)
    reach = list(map(add, error.size, error.rest))
    for r in sorted(range(model.n), key=reach.__getitem__, reverse=True):
        if reach[r] > largest:
            largest = max(largest, min(reach[r], max(map(abs, error.range(r, is_loss=True)))))
    return largest


def stack_rows(model, triggers, degree, row_degree, refined=False, last=2):
    """The pass over the whole box: every StackRow, up to this one of the CLASSES."""
    classes, of_head = row_classes(model.length, triggers, degree, row_degree, refined), KINDS_OF_KEYS + refined
    letters = lambda l, rows: model.n + of_head * (3 * l + rows) * model.heads
    classes = {name: of for name, of in classes.items() if of.rows in CLASSES[:last + 1]}
    states = {name: token(of.flag, model.box, of.trigger - 2 if of.shared else 0) for name, of in classes.items()}
    rollouts = {(name, i): (int(i == 1) << STACK_BITS,) * 2 for name, of in classes.items() for i in of.positions}
    losses = {}
    for l, layer in enumerate(model.layers):
        heads, after, of_out = [head_maps(model, layer, h) for h in range(model.heads)], {}, layer.maps["W_O"]
        of_layer = {}
        bias = Enclosure([(CONSTANT, [(x << STACK_BITS) >> of_out.shift for x in of_out.offsets])], [1] * model.n)
        values = {name: [state.mapped(head.value) for head in heads] for name, state in states.items()}
        for name, of in classes.items():
            kinds = [] if name == "first" else ["first", *of.keys]
            keys = [states[kind].as_key() for kind in kinds] + [states[name]]
            of_heads = []
            for h, head in enumerate(heads):
                of_keys = [values[kind][h].as_key() for kind in kinds] + [values[name][h]]
                letter = letters(l, CLASSES.index(of.rows)) + of_head * h
                of_heads.append(HeadInClass(model, head, of, keys, of_keys, letter))
            start, is_last = bias.plus(states[name]) if model.residual else bias, layer is model.layers[-1]
            apart = letters(len(model.layers), 0) if refined and is_last and not of.shared else 0
            for i in of.positions:
                out, weights = stack_output(model, of, i, start, of_heads, apart)
                after[name] = after[name].widened(out) if name in after else out
                if model.has_rollout:
                    known = [rollouts[kind, k] for kind, count in zip(kinds, of.counts(i))
                             for k in classes[kind].positions[:count]] + [rollouts[name, i]]
                    of_layer[name, i] = mean_range(weights[0][1:], known, STACK_BITS)
                loss, rollout = None, of_layer.get((name, i)) if is_last else None
                if is_last:
                    loss = losses[of.rows] = stack_loss(model, of, out, losses.get(of.rows, 0))
                yield StackRow(l, of, i, [of_head[:2] for of_head in weights], loss, rollout)
        states, rollouts = after, of_layer


def check_stack(layer, statement, *degrees, **refined):
    require(refined.get("refined", True) is True, "refined is not true")
    degrees = tuple(integer(g, "a degree", 1, MAX_DEGREE) for g in degrees) + (bool(refined),)
    if degrees not in layer.stacks:
        proof = {"rule": "stack", "degree": degrees[0], "row_degree": degrees[1]} | refined
        names = [item["name"].partition(".")[2] for item in layer.properties if item["proof"] == proof]
        last = max(k for k, rows in enumerate(CLASSES) if rows in names)
        layer.stacks[degrees] = list(stack_rows(layer.model, layer.triggers, *degrees, last=last))
    rows, bound = [row for row in layer.stacks[degrees] if row.of.rows == statement.rows], statement.bound
    if statement.family == "sup-loss":
        found = [row.loss for row in rows if row.loss is not None]
    elif statement.family in ROLLOUTS:
        found = [row.rollout[int(statement.family.endswith("ceiling"))] for row in rows if row.i >= 2 and row.rollout]
    else:
        slot, end = int(statement.family.startswith("bos")), 0 if statement.family.endswith("floor") else 1
        rows = [row for row in rows if row.i >= 2 and row.layer in statement.layers]
        found = [row.weights[h][slot][end] for row in rows for h in statement.heads]
    if statement.family.endswith("floor"):
        return require(min(found) >= bound * 2**STACK_BITS, "lower is above the bound of a row")
    require(max(found) <= bound * 2**STACK_BITS, "upper is below the bound of a row")


# `proves` says of which statements about which layers; `parameters` names the keys of its parameters, None of a rule
# without obligations; `keys` are those of a proof without obligations, `optional` those that it may have.
Rule = namedtuple("Rule", "check proves parameters keys optional", defaults=(None, (), ()))


def losses(rows, where):
    """A rule's `proves`: sup losses of these classes of rows, in layers where `where` holds."""
    return lambda layer, statement: statement.family == "sup-loss" and statement.rows in rows and where(layer)


RULES = {
    "stack": Rule(check_stack, lambda layer, statement: True, keys=("degree", "row_degree"), optional=("refined",)),
    "layer-row": Rule(layer_row, losses(CLASSES, lambda layer: True)),
    "layer-attention": Rule(layer_attention, lambda layer, statement: statement.family in ENDS),
    "softmax-floor": Rule(softmax_floor, lambda layer, statement: statement.family in ENDS
                          and statement.family.endswith("-floor") and layer.attention.relative, lambda _: ()),
    "row": Rule(row, losses(CLASSES, lambda layer: layer.alone and layer.normalised),
                lambda _: ("rows", "cells", "references")),
    "separable-row": Rule(separable_row, losses(CLASSES, lambda layer: layer.alone and not layer.normalised),
                          lambda _: ("bound", "content", "own", "trigger")),
}


# ---- 4.17 Sampling ----------------------------------------------------------------------------------------

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


# ---- 4.18 Given inputs and rule forward -------------------------------------------------------------------

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
        tokens, unit = over_one_unit([token for value in sequences for token in read_tokens(value, length, n)])
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
    """A property `value.LABEL`: (the sequence it speaks of or None, a function that says whether a pass shows it)."""
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


def loss_ends(model, seen, tokens, unit, row, trigger):
    centres, radius, unit = errors(model, seen, tokens, unit, row, trigger)
    most = max(map(abs, centres))
    return Fraction(max(0, most - radius), unit), Fraction(most + radius, unit)


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


# ---- 5.1 The object of a language certificate -------------------------------------------------------------

LANGUAGE_KEYS = ("format", "kind", "claim", "claim_sha256", "semantics", "model", "sequences", "precision",
                 "statements")
CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
ADAPTER = "adapter_config.json"
MAX_TOKENS, MAX_STATEMENTS, MAX_NUMBERS, MAX_NUMBER_TEXT = 4096, 65536, 4194304, 100
MAX_COUNT, MAX_KEPT, MAX_CONFIG, MAX_INDEX = (1 << 31) - 1, 1 << 20, 1 << 22, 1 << 26
MAX_WORDS, MAX_LAYERS, MAX_WINDOW = 1 << 31, 512, 1 << 40
EVALUATED_BYTES = 1 << 24  # of weight files: more would take this checker too long

# `readout` is one of LANGUAGE_READOUTS, `change` an Intervention or None, `numbers` pairs (lower, upper).
LanguageStatement = namedtuple("LanguageStatement", "readout sequence position change epsilon numbers")
Intervention = namedtuple("Intervention", "first window renumbered ablated", defaults=(None,))


def read_intervention(value):
    if type(value) is dict and "ablated" in value:
        pair = array(fields(value, ("ablated",), "intervention")["ablated"], "ablated", 2)
        return Intervention(0, None, False, tuple(integer(x, "ablated", 0, MAX_COUNT) for x in pair))
    fields(value, ("first", "window", "renumbered"), "intervention")
    require(type(value["renumbered"]) is bool, "renumbered is not a boolean")
    first, window = (integer(value[key], key, low, MAX_KEPT) for key, low in (("first", 0), ("window", 1)))
    return Intervention(first, window, value["renumbered"])


def short_rational(value, what):
    require(type(value) is str and len(value) <= MAX_NUMBER_TEXT, f"{what} is not a short rational string")
    return rational(value, what)


def read_statement(item, lengths, shortest):
    require(type(item) is dict and type(item.get("readout")) is str and item["readout"] in LANGUAGE_READOUTS,
            "no such readout")
    of = LANGUAGE_READOUTS[item["readout"]]
    own = ["epsilon" if of.share else "sequence"] + ["position"] * of.at_key + ["intervention"] * of.moves
    fields(item, ("readout", "lower", "upper", *own), "it")
    sequence = None if of.share else integer(item["sequence"], "sequence", 0, len(lengths) - 1)
    longest = shortest if of.share else lengths[sequence]
    ends = [[short_rational(x, key) for x in array(item[key], key)] for key in ("lower", "upper")]
    require(len(ends[0]) == len(ends[1]), "lower and upper are not equally long")
    return LanguageStatement(of, sequence, integer(item["position"], "position", 1, longest) if of.at_key else None,
                     read_intervention(item["intervention"]) if of.moves else None,
                     short_rational(item["epsilon"], "epsilon") if of.share else None, list(zip(*ends)))


def read_sequences(value):
    sequences = array(value, "sequences")
    require(1 <= len(sequences) <= MAX_TOKENS, f"there are not 1 to {MAX_TOKENS} sequences")
    for tokens in sequences:
        require(1 <= len(array(tokens, "a sequence")) <= MAX_TOKENS, f"a sequence is not of 1 to {MAX_TOKENS} tokens")
        for token in tokens:
            integer(token, "a token", 0, MAX_COUNT)
    return sequences


def check_language(value, claim_places, model_folders, result):
    """Section 5.1: (exit code, result) of a language certificate."""
    fields(value, LANGUAGE_KEYS, "the certificate")
    require(value["claim"] == "language", "claim is not language")
    require(value["semantics"] == "real", "semantics is not real")
    model = value["model"]
    assumes = type(model) is dict and "assumed_neutral" in model
    stated = fields(model, ("architecture", "files") + ("assumed_neutral",) * assumes, "model")
    assumed = array(stated["assumed_neutral"], "assumed_neutral") if assumes else []
    require(all(type(key) is str for key in assumed) and bool(assumed) == assumes
            and assumed == sorted(set(assumed), key=str.encode), "assumed_neutral is not a list of keys in order")
    sequences, p = read_sequences(value["sequences"]), integer(value["precision"], "precision", 64, 2048)
    items = array(value["statements"], "statements")
    require(1 <= len(items) <= MAX_STATEMENTS, f"there are not 1 to {MAX_STATEMENTS} statements")
    lengths = [*map(len, sequences)]
    statements = [in_statement(k, read_statement, item, lengths, min(lengths)) for k, item in enumerate(items)]
    require(2 * sum(len(of.numbers) for of in statements) <= MAX_NUMBERS, f"there are over {MAX_NUMBERS} numbers")
    about = {}  # of a sequence, or of all of them (None), the numbered statements
    for k, of in enumerate(statements):
        about.setdefault(of.sequence, []).append((k, of))
    check_file_names(stated["files"])
    check_claim_hash(value, claim_places)
    folder = find_folder(stated["files"], model_folders)
    config = without_keys(read_object(folder, CONFIG, MAX_CONFIG), assumed)
    require(stated["architecture"] == config.get("model_type"), f"model.architecture is not that of {CONFIG}")
    with opened_tensors(folder, stated["files"]) as tensors:
        if tensors.size > EVALUATED_BYTES:
            raise TooMuch(f"a model of over {EVALUATED_BYTES} bytes, which this checker does not evaluate")
        model = LanguageModel(config, tensors, sequences, assumed)
    check_held(model, sequences, about, p)
    for k, of in enumerate(statements):
        in_statement(k, check_change, model, of.change)
    check_statements(model, sequences, about, 2 * p)  # enclosures widen from layer to layer, perhaps faster than others
    result["verdict"], result["evidence"] = "proved", "exact"
    result["reason"] = model.remarks(assumed)
    return ACCEPTED, result


def in_statement(k, check, *of):
    with within(f"statement {k}"):
        return check(*of)


def check_change(model, change):
    require(not (change and model.encoder), "an intervention on an encoder")
    layer, head = change.ablated if change and change.ablated else (0, 0)
    require(layer < len(model.layers) and head < model.heads, "ablated names no head")


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


# ---- 5.2 The files ----------------------------------------------------------------------------------------


def check_file_names(files):
    """The object `model.files`."""
    require(type(files) is dict and 2 <= len(files) <= 1024, "model.files has not 2 to 1024 keys")
    require(CONFIG in files and (len(files) == 2 if WEIGHTS in files else INDEX in files),
            "model.files is not a model's")
    for name, digest in files.items():
        require("/" not in name and "\0" not in name and (name in (CONFIG, INDEX) or name.endswith(".safetensors")),
                "model.files has a name that is none")
        hash_string(digest, name)


def find_folder(files, folders):
    """The first folder, of these and those in them, that holds these files, whose weights are no others and which is
    no adapter."""
    adapter = False
    def holds(place):
        if WEIGHTS not in files and os.path.exists(os.path.join(place, WEIGHTS)):
            return False
        try:
            return all(file_hash(os.path.join(place, name)) == digest for name, digest in sorted(files.items()))
        except OSError:
            return False
    for folder in folders:
        try:
            inside = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
        except OSError as error:
            raise Missing(f"the model folder cannot be read: {error.strerror}") from None
        for place in (folder, *inside):
            if holds(place):
                if not os.path.lexists(os.path.join(place, ADAPTER)):
                    return place
                adapter = True
    require(not adapter, f"{ADAPTER}: another model's weights are changed")
    raise Missing("no folder holds the model's files")


def read_object(folder, name, most):
    data = read_bytes(os.path.join(folder, name), most)
    value = unicode_only(parse_json(data, json_decimal, json_number, str))  # NaN and infinities: strings
    require(type(value) is dict, f"{name} is no object")
    return value


class Tensors:
    """All tensors of a model's folder by name; those that were read are noted. `size` is that of the files in bytes."""

    def __init__(self, size):
        self.size, self.of, self.read = size, {}, set()

    def values(self, name, *shape):
        """(values, shape); None stands for any length."""
        require(name in self.of, f"the model has no tensor {name}")
        found, read, _ = self.of[name]
        require(len(found) == len(shape) and all(x > 0 and want in (None, x) for x, want in zip(found, shape)),
                f"{name} has the shape {found}")
        self.read.add(name)
        return finite(read(name), name), found


@contextmanager
def opened_tensors(folder, files):
    names = [WEIGHTS] if WEIGHTS in files else sorted(set(files) - {CONFIG, INDEX})
    tensors = Tensors(sum(os.path.getsize(os.path.join(folder, name)) for name in names))
    with ExitStack() as stack:
        place = {}
        for file in names:
            header, _, read = stack.enter_context(tensor_file(os.path.join(folder, file)))
            require(not header.keys() & place.keys(), "two shards hold one tensor")
            place |= dict.fromkeys(header, file)
            tensors.of |= {name: (tensor["shape"], read, tensor["dtype"]) for name, tensor in header.items()}
        if WEIGHTS not in files:
            index = read_object(folder, INDEX, MAX_INDEX)
            require(index.get("weight_map") == place and set(names) == set(place.values()),
                    "the index does not map every tensor of every shard to it")
        yield tensors


# An architecture: the prefixes its names may have; the keys of width, layers and heads; (key, default) of epsilon and
# activation; the only values some keys may have; what the names of layers begin with, and those of tensors, by what
# they are; which layers have a window; and words for what sets it apart; the keys of the sizes that tensors have; what
# says which maps have biases: a key and its default, or that alone, for query, key and value, for the output's, and for
# those of the MLP.
Architecture = namedtuple("Architecture", "prefixes sizes epsilon activation only layer names window words stated biases")
HIDDEN_SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads")
LLAMA_NAMES = {"tokens": "embed_tokens", "first": "input_layernorm", "query": "self_attn.q_proj",
               "key": "self_attn.k_proj", "value": "self_attn.v_proj", "output": "self_attn.o_proj",
               "second": "post_attention_layernorm", "factor": "mlp.gate_proj", "in": "mlp.up_proj",
               "out": "mlp.down_proj", "final": "norm", "head": "lm_head"}
USUAL_SIZES = {"tokens": "vocab_size", "inner": "intermediate_size"}
OFF, NO_BIAS = (False, None), {"mlp_bias": (False, None)}
LLAMA = Architecture(("model.", ""), HIDDEN_SIZES, ("rms_norm_eps", Decimal("1e-6")), ("hidden_act", "silu"),
                     {"rope_interleaved": OFF, "sliding_window": (None,)}, "layers.", LLAMA_NAMES, None, ("rms", "rotary"),
                     USUAL_SIZES, (("attention_bias", False), ("attention_bias", False), ("mlp_bias", False)))
QWEN3 = LLAMA._replace(window="used", only=NO_BIAS | {"use_mrope": OFF},
                       names=LLAMA_NAMES | {"query norm": "self_attn.q_norm", "key norm": "self_attn.k_norm"},
                       biases=(("attention_bias", False), ("attention_bias", False), False))
ARCHITECTURES = {
    "llama": LLAMA, "qwen3": QWEN3,
    "mistral": LLAMA._replace(window="always", only=NO_BIAS | {"attention_bias": OFF}, biases=(False, False, False)),
    "qwen2": QWEN3._replace(names=LLAMA_NAMES, only=QWEN3.only | {"attention_bias": (True,)}, biases=(True, False, False)),
    "gpt_oss": LLAMA._replace(window="typed", only={}, epsilon=("rms_norm_eps", Decimal("1e-5")),
                              names=LLAMA_NAMES | {"sinks": "self_attn.sinks"}, words=("rms", "rotary", "maybe no MLP"),
                              biases=(("attention_bias", True), ("attention_bias", True), False)),
    "gpt2": Architecture(
        ("", "transformer."), ("n_embd", "n_layer", "n_head"), ("layer_norm_epsilon", Decimal("1e-5")),
        ("activation_function", "gelu_new"),
        {"scale_attn_weights": (True,), "scale_attn_by_inverse_layer_idx": OFF, "sinkproof_prefix": (None,)}, "h.",
        {"tokens": "wte", "positions": "wpe", "first": "ln_1", "joined": "attn.c_attn", "output": "attn.c_proj",
         "second": "ln_2", "in": "mlp.c_fc", "out": "mlp.c_proj", "final": "ln_f", "head": "lm_head",
         "sinks": "attn.sinks", "gate": "attn.gate"}, "sinkproof_window", ("stored [in, out]",),
        USUAL_SIZES | {"inner": "n_inner", "positions": "n_positions"}, (True, True, True)),
    "gpt_neox": Architecture(
        ("gpt_neox.", ""), HIDDEN_SIZES, ("layer_norm_eps", Decimal("1e-5")), ("hidden_act", "gelu"), {}, "layers.",
        {"tokens": "embed_in", "first": "input_layernorm", "joined": "attention.query_key_value",
         "output": "attention.dense", "second": "post_attention_layernorm", "in": "mlp.dense_h_to_4h",
         "out": "mlp.dense_4h_to_h", "final": "final_layer_norm", "head": "embed_out"}, None, ("rotary", "neox"),
        USUAL_SIZES, (("attention_bias", True), ("attention_bias", True), True)),
    "opt": Architecture(
        ("model.decoder.", "decoder.", ""), HIDDEN_SIZES, (None, Decimal("1e-5")),
        ("activation_function", "relu"), {"learned_embeddings": (True,), "scale_embeddings": OFF}, "layers.",
        {"tokens": "embed_tokens", "positions": "embed_positions", "first": "self_attn_layer_norm",
         "query": "self_attn.q_proj", "key": "self_attn.k_proj", "value": "self_attn.v_proj",
         "output": "self_attn.out_proj", "second": "final_layer_norm", "in": "fc1", "out": "fc2",
         "final": "final_layer_norm", "head": "lm_head", "into": "project_in", "out of": "project_out"}, None,
        ("from row 2",), USUAL_SIZES | {"inner": "ffn_dim", "positions": "max_position_embeddings"},
        (("enable_bias", True),) * 3),
    "bert": Architecture(
        ("bert.", ""), HIDDEN_SIZES, ("layer_norm_eps", Decimal("1e-12")), ("hidden_act", "gelu"),
        {"position_embedding_type": ("absolute",), "is_decoder": OFF, "is_causal": (False,), "directionality": ("bidi",)},
        "encoder.layer.",
        {"tokens": "embeddings.word_embeddings", "positions": "embeddings.position_embeddings",
         "types": "embeddings.token_type_embeddings", "embedding": "embeddings.LayerNorm",
         "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
         "output": "attention.output.dense", "first": "attention.output.LayerNorm", "in": "intermediate.dense",
         "out": "output.dense", "second": "output.LayerNorm"}, None, ("after", "encoder", "gamma and beta"),
        USUAL_SIZES | {"positions": "max_position_embeddings", "types": "type_vocab_size"}, (True, True, True)),
}
# Keys that change nothing: of all models, and by model_type.
NEUTRAL = set("""
    _attn_implementation_autoset custom_pipelines sentence_transformers xla_device n_special eos_token_ids
    sbert_ce_default_activation_function cache_implementation max_time stop_strings _commit_hash _flash_attn_2_enabled _name_or_path architectures dtype name_or_path
    tokenizer_class torch_dtype torchscript transformers.js_config transformers_version unsloth_fixed unsloth_version
    use_bfloat16 chunk_size_feed_forward output_attentions output_hidden_states output_past return_dict use_cache
    use_return_dict attention_dropout classifier_dropout gradient_checkpointing initializer_factor initializer_range
    tf_legacy_loss _num_labels finetuning_task id2label label2id num_labels problem_type task_specific_params
    bos_token_id cls_token_id decoder_start_token_id eos_token_id mask_token_id pad_token_id sep_token_id unk_token_id
    bad_words_ids begin_suppress_tokens diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size
    epsilon_cutoff eta_cutoff exponential_decay_length_penalty forced_bos_token_id forced_eos_token_id length_penalty
    max_length max_new_tokens min_length min_new_tokens min_p no_repeat_ngram_size num_beam_groups num_beams
    num_return_sequences output_scores penalty_alpha prefix remove_invalid_values renormalize_logits repetition_penalty
    return_dict_in_generate suppress_tokens temperature top_k top_p typical_p""".split())
LLAMA_NEUTRAL = ("is_decoder", "max_position_embeddings", "pretraining_tp")
EXPERTS = ("experts_per_token", "num_experts", "num_experts_per_tok", "num_local_experts", "swiglu_alpha",
           "swiglu_limit", "output_router_logits", "router_aux_loss_coef")  # where there is no MLP
OWN_NEUTRAL = {
    "llama": (*LLAMA_NEUTRAL, "is_llama_config", "max_sequence_length"), "mistral": LLAMA_NEUTRAL,
    **dict.fromkeys(("qwen2", "qwen3"), (*LLAMA_NEUTRAL, "max_window_layers", "sliding_window")),
    "gpt_oss": LLAMA_NEUTRAL + EXPERTS,
    "gpt2": """attn_pdrop embd_pdrop is_decoder n_ctx predict_special_tokens reorder_and_upcast_attn resid_pdrop
        summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj""".split(),
    "gpt_neox": ("attention_probs_dropout_prob", "hidden_dropout", "hidden_dropout_prob", "is_decoder",
                 "max_position_embeddings"),
    "opt": ("activation_dropout", "dropout", "init_std", "is_decoder", "layerdrop"),
    "bert": """attention_probs_dropout_prob hidden_dropout_prob language name pooler_fc_size
        pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head pooler_type tie_word_embeddings""".split()}
# The values under which other keys change nothing, of all models.
IMPLEMENTATIONS = (None, "eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention")
ONLY = {"_attn_implementation": IMPLEMENTATIONS, "_attn_implementation_internal": IMPLEMENTATIONS,
        "attn_implementation": IMPLEMENTATIONS, "auto_map": ({}, None), "pruned_heads": ({}, None), "is_causal": (True,),
        **dict.fromkeys(("add_cross_attention", "is_encoder_decoder", "tie_encoder_decoder"), OFF),
        **dict.fromkeys(("compression_config", "cross_attention_hidden_size", "quantization", "quantization_config"),
                        (None,))}
# Other names of gpt2's keys.
ALIASES = {"hidden_size": "n_embd", "max_position_embeddings": "n_positions", "num_attention_heads": "n_head",
           "num_hidden_layers": "n_layer"}
MUST_BE_THERE = {"mistral": ("num_key_value_heads", "sliding_window"), "qwen2": ("num_key_value_heads",),
                 "qwen3": ("num_key_value_heads", "head_dim"),
                 "gpt_oss": ("num_key_value_heads", "head_dim", "sliding_window")}
# Tensors that may be there unread: of a layer, and of the model; and where a layer has no MLP.
MASKS = ("attn.bias", "attn.masked_bias")
UNREAD = {"gpt2": (MASKS, ()), "opt": ((), ("version",)),
          "gpt_neox": (("attention.bias", "attention.masked_bias", "attention.rotary_emb.inv_freq"),
                       ("rotary_emb.inv_freq",)),
          "bert": ((), ("embeddings.position_ids", "embeddings.token_type_ids", "pooler.dense.weight",
                        "pooler.dense.bias"))}
LLAMA_UNREAD = (("self_attn.rotary_emb.inv_freq",), ("rotary_emb.inv_freq",))
WITHOUT_MLP = ("post_attention_layernorm.weight", "mlp.router.weight", "mlp.router.bias")
LAYER_TYPES = {"full_attention": False, "sliding_attention": True}

# `maps` and `norms` by what they are above; `entries` those of all maps; `window` None where there is none.
LanguageLayer = namedtuple("LanguageLayer", "maps norms slots window entries inner")


class Keys(dict):
    """An object of config.json, keeping which keys were looked for (`asked`)."""

    def __init__(self, value, name=""):
        super().__init__(value)
        self.name, self.asked = name, set()

    def get(self, key, default=None):
        self.asked.add(key)
        return super().get(key, default)

    def refuse_others(self, neutral=()):
        for key in sorted(self.keys() - self.asked - set(neutral)):
            raise Reject(f"{CONFIG}: key {shown_key(self.name + key)} is none that is computed with or known to change nothing")


def shown_key(key):
    """The name of a key within a sentence: quoted unless it is short and plain."""
    return key if re.fullmatch(r"[A-Za-z0-9_.-]{1,80}", key) else json.dumps(key[:80]) + "..." * (len(key) > 80)


def keys_of(keys):
    return f"key{'s' * (len(keys) > 1)} {', '.join(map(shown_key, keys))} of {CONFIG}"


def without_keys(config, assumed):
    """The object without the keys that are assumed neutral."""
    config = {key: dict(value) if type(value) is dict else value for key, value in config.items()}
    for key in assumed:
        outer, _, inner = key.partition(".")
        nested = outer in ("rope_scaling", "rope_parameters") and "." in key and type(config.get(outer)) is dict
        holder, own = (config[outer], inner) if nested else (config, key)
        require(own in holder, f"{CONFIG} does not have the key {shown_key(key)}, which is assumed neutral")
        del holder[own]
        require(holder or not nested, f"{CONFIG}: {outer} would be left empty")
    return config


def given(of, key, default, read, *more):
    """What `read` makes of the key's value or, where it is absent or null, of the default."""
    if type(of) is Keys:
        of.asked.add(key)
        require(not (default is True and key in of and of.get(key) is None), f"{CONFIG}: {key} is null")
    value = default if of.get(key) is None else of[key]
    require(value is not None, f"{CONFIG} lacks {key}")
    return read(value, f"{CONFIG}: {key}", *more)


def at_least(value, what, least=0):
    if type(value) is Decimal:
        exponent = re.split("[eE]", value + "e0")[1]
        require(len(value) <= 60 and len(exponent.lstrip("+-")) <= 4 and abs(int(exponent)) <= MAX_EXPONENT,
                f"{what} is too long a number")
    require(type(value) in (int, Decimal) and Fraction(value) >= least, f"{what} is no number in its range")
    return Fraction(value)


def positive(value, what):
    require(at_least(value, what) > 0, f"{what} is not positive")
    return Fraction(value)


def whole_number(value, what, least=1, most=None):
    return integer(value, what, least, most)


def boolean(value, what):
    require(type(value) is bool, f"{what} is not a boolean")
    return value


def one_of(value, what, names):
    require(type(value) is str and value in names, f"{what} is unknown")
    return value


class LanguageModel:
    """Section 5.2: the model in a folder, whose positions and tokens must suffice for these sequences."""

    def __init__(self, config, tensors, sequences, assumed=()):
        config = Keys(config)
        name = given(config, "model_type", None, one_of, ARCHITECTURES)
        self.of, self.tensors = ARCHITECTURES[name], tensors
        self.rms, self.after, self.encoder = (word in self.of.words for word in ("rms", "after", "encoder"))
        self.check_values(config, name)
        self.read_sizes(config)
        self.stated = {part: None if config.get(key) is None else given(config, key, None, whole_number, 1, MAX_WINDOW)
                       for part, key in self.of.stated.items()}
        key, usual = self.of.epsilon
        self.epsilon = given(config, key, usual, positive) if key else positive(usual, "epsilon")
        self.activation = given(config, *self.of.activation, one_of, ACTIVATIONS)
        usual = "softmax-sink" if name == "gpt_oss" else "softmax"
        kind = given(config, "sinkproof_attention", usual, one_of, ATTENTIONS) if name == "gpt2" else usual
        self.attention, neox = ATTENTIONS[kind], "neox" in self.of.words
        self.rotary = None
        if "rotary" in self.of.words:
            self.rotary = read_rotary(config, self.width, neox, None if name == "gpt_oss" else 10000)
        self.parallel = neox and given(config, "use_parallel_residual", True, boolean)
        self.read_parts(config, name)
        windows = self.read_windows(config)
        own = {"sinkproof_attention": kind != usual, "sinkproof_window": name == "gpt2" and windows[0] is not None}
        self.own, self.name = [key for key, counts in own.items() if counts], name
        tied = "head" in self.of.names and given(config, "tie_word_embeddings", name in ("gpt2", "opt"), boolean)
        config.refuse_others({*NEUTRAL, *OWN_NEUTRAL[name]})
        for key in assumed:
            require(key not in config.asked or key in ONLY or key in self.of.only,
                    f"{CONFIG}: the model is read by the key {shown_key(key)}, which cannot be assumed neutral")
        self.experts = next((key for key in EXPERTS if name == "gpt_oss" and key in config), None)
        self.prefix = next((prefix for prefix in self.of.prefixes
                            if f"{prefix}{self.of.names['tokens']}.weight" in tensors.of), None)
        require(self.prefix is not None, "the model has no token embedding")
        self.read_embeddings(sequences)
        self.read_head(tied)
        self.norms = {part: self.norm(self.prefix + self.of.names[part], self.n)
                      for part in ("embedding", "final") if part in self.of.names and (part != "final" or self.last)}
        own, masks = UNREAD.get(name, LLAMA_UNREAD)[::-1]
        self.tensors.read |= {self.prefix + tensor for tensor in own}
        self.tensors.read |= {f"{self.prefix}{self.of.layer}{l}.{tensor}" for l in range(self.count) for tensor in masks}
        self.layers = [self.read_layer(l, window) for l, window in enumerate(windows)]
        for tensor in tensors.of.keys() - tensors.read:
            require(not self.inside(tensor), f"nothing reads the tensor {tensor[:80]!r}: it is another model")

    def remarks(self, assumed):
        """What every verdict says: keys that are assumed neutral, and what is another model than transformers'."""
        said = [f"assumes that {keys_of(assumed)} change{'s' * (len(assumed) == 1)} nothing"] if assumed else []
        if self.own:
            said.append(f"computes with {keys_of(self.own)}, which transformers ignores")
        if "maybe no MLP" in self.of.words:
            dense = [layer.inner > 0 for layer in self.layers]
            said.append(f"computes {self.name} " + (
                "without experts: the files hold none, and every layer is attention alone" if not any(dense) else
                "with one MLP in place of the experts" +
                " in some layers, and attention alone in the others" * (not all(dense))))
        return "; ".join(said)

    def check_values(self, config, name):
        for key, values in [*ONLY.items(), *self.of.only.items()]:
            value = config.get(key)
            require(key not in config or any(same_json(value, x) for x in values), f"{CONFIG}: key {key} is not {values}")
        for key in MUST_BE_THERE.get(name, ()):
            config.asked.add(key)
            require(key in config, f"{CONFIG} lacks {key}")
        for key, of in ALIASES.items() if name == "gpt2" else ():
            value = config.get(key)
            require(key not in config or of in config and same_json(value, config[of]), f"{CONFIG}: {key} is not {of}")

    def read_parts(self, config, name):
        """Which norms, projections and biases there are."""
        self.weighted, self.last, self.token_width = True, True, self.n
        if name == "opt":
            before = given(config, "do_layer_norm_before", True, boolean)
            self.after, removed = not before, given(config, "_remove_final_layer_norm", False, boolean)
            self.last = before and not removed
            self.weighted = given(config, "layer_norm_elementwise_affine", True, boolean)
            self.token_width = given(config, "word_embed_proj_dim", self.n, whole_number, 1, self.n)
        self.biases = [(None, rule) if type(rule) is bool else (rule[0], given(config, *rule, boolean))
                       for rule in self.of.biases]

    def read_head(self, tied):
        """`vocabulary` is 0 where there are no logits."""
        self.vocabulary, tokens = len(self.tables["tokens"]) // self.token_width, f"{self.prefix}{self.of.names['tokens']}"
        head = f"{self.of.names['head']}.weight" if "head" in self.of.names else None
        own = head is not None and head in self.tensors.of
        self.head = self.tensors.values(head, self.vocabulary, self.token_width)[0] if own else None
        if tied:
            same = own and self.head.tobytes() == self.tables["tokens"].tobytes()
            same = same and self.tensors.of[head][2] == self.tensors.of[f"{tokens}.weight"][2]
            require(not own or same, f"{CONFIG}: tie_word_embeddings is true, but {head} is not the token embedding")
            self.head = self.tables["tokens"]
        if self.head is None:
            self.vocabulary = 0

    def inside(self, tensor):
        """Whether a tensor's name begins as one of this architecture's does, under any prefix."""
        own = [self.of.names.get(part, "") for part in ("tokens", "positions", "final", "into", "out of")]
        own = {name.split(".")[0] + "." for name in (*own, self.of.layer) if name}
        head = self.of.names.get("head", "")
        return bool(head) and tensor.startswith(head + ".") or any(
            prefix and tensor.startswith(prefix) or tensor.startswith(tuple(prefix + name for name in own))
            for prefix in self.of.prefixes)

    def read_sizes(self, config):
        self.n, self.count, self.heads = (given(config, key, None, whole_number) for key in self.of.sizes)
        grouped_config = config if self.rms else {}  # what is not llama's has neither key
        self.key_heads = given(grouped_config, "num_key_value_heads", self.heads, whole_number)
        require(grouped_config.get("head_dim") is not None or self.n % self.heads == 0,
                f"{CONFIG}: the heads do not divide the width")
        self.width = given(grouped_config, "head_dim", self.n // self.heads, whole_number)
        self.size = self.heads * self.width
        require(max(self.n, self.size) <= 65536 and self.count <= MAX_LAYERS and self.heads <= 1024
                and self.heads % self.key_heads == 0, f"{CONFIG}: a size is out of range")

    def read_windows(self, config):
        """The window of each layer."""
        rule, types, window = self.of.window, None, None
        key = rule if rule == "sinkproof_window" else "sliding_window"
        if rule in ("used", "typed"):
            config.asked.add("layer_types")
            if (words := config.get("layer_types")) is not None:
                types = [LAYER_TYPES[one_of(x, "layer_types", LAYER_TYPES)] for x in array(words, "layer_types", self.count)]
        used = bool(rule) and (rule != "used" or given(config, "use_sliding_window", False, boolean))
        require(not used or rule != "used" or key in config, f"{CONFIG} lacks {key}")
        if used:
            config.asked.add(key)
            window = config.get(key)
        if window is None:
            require(not types or not any(types), f"{CONFIG}: layer_types has a window where there is none")
            return [None] * self.count
        window = given(config, key, None, whole_number, 1, MAX_WINDOW)
        require(rule != "typed" or types is not None, f"{CONFIG} lacks layer_types")
        if rule == "used" and (types is None or config.get("max_window_layers") is not None):
            start = given(config, "max_window_layers", None, whole_number, 0, MAX_LAYERS)
            own = [l >= start for l in range(self.count)]
            require(types in (None, own), f"{CONFIG}: layer_types and max_window_layers contradict each other")
            types = own
        return [window if x else None for x in types or [True] * self.count]

    def read_embeddings(self, sequences):
        """`tables`: the values of token, position and type embeddings, a row after the other."""
        self.first_position = 2 if "from row 2" in self.of.words else 0
        least = {"tokens": max(map(max, sequences)) + 1, "positions": max(map(len, sequences)) + self.first_position,
                 "types": 1}
        self.tables = {}
        for part in least.keys() & self.of.names.keys():
            name = f"{self.prefix}{self.of.names[part]}.weight"
            width = self.token_width if part == "tokens" else self.n
            self.tables[part], (rows, _) = self.tensors.values(name, None, width)
            require(rows >= least[part], f"a sequence has a token or position beyond the model's {part}")
            self.agree(part, rows - (self.first_position if part == "positions" else 0))
        self.into = self.out_of = None
        if self.token_width != self.n:
            self.into = self.plain_map("into", self.n, self.token_width)
            self.out_of = self.plain_map("out of", self.token_width, self.n)

    def agree(self, part, size):
        require(self.stated.get(part) in (None, size), f"{CONFIG}: key {self.of.stated.get(part)} is not {size}")

    def plain_map(self, part, rows, columns):
        return Map(self.tensors.values(f"{self.prefix}{self.of.names[part]}.weight", rows, columns)[0], None, columns)

    def norm(self, name, width):
        """A map of one column: what each coordinate is multiplied by, and what is added."""
        if not self.weighted:
            require(f"{name}.weight" not in self.tensors.of, f"{CONFIG}: layer_norm_elementwise_affine contradicts {name[:80]}")
            return Map(doubles("d", [1.0] * width), None, 1)
        old = "gamma and beta" in self.of.words and f"{name}.weight" not in self.tensors.of
        bias = None if self.rms else self.tensors.values(f"{name}.{'beta' if old else 'bias'}", width)[0]
        return Map(self.tensors.values(f"{name}.{'gamma' if old else 'weight'}", width)[0], bias, 1)

    def rows_of(self, name, rows, columns, biases):
        """The rows of a map, as they would be stored [out, in], and its bias; `biases` are what says it, and whether."""
        key, has = biases
        require(key is None or has == (f"{name}.bias" in self.tensors.of), f"{CONFIG}: {key} contradicts {name[:80]}.bias")
        turned_about = "stored [in, out]" in self.of.words
        weight, shape = self.tensors.values(f"{name}.weight", *((columns, rows) if turned_about else (rows, columns)))
        split_ = [weight[k::shape[1]] for k in range(shape[1])] if turned_about else split(weight, shape[1])
        return split_, self.tensors.values(f"{name}.bias", len(split_))[0] if has else doubles("d")

    @cached_property
    def head_map(self):
        return Map(self.head, None, self.token_width)

    def read_layer(self, l, window):
        def named(part):
            return f"{self.prefix}{self.of.layer}{l}.{self.of.names[part]}"

        def add_map(part, of, bias):
            maps[part] = Map(doubles("d", itertools.chain(*of)), bias, len(of[0]))
        maps, norms, n, small = {}, {}, self.n, self.key_heads * self.width
        if "joined" in self.of.names:
            rows, bias = self.rows_of(named("joined"), 3 * self.size, n, self.biases[0])
            for k, part in enumerate(("query", "key", "value")):
                # of each head in turn its queries, keys and values, or all heads of each of these
                at = [r for r in range(3 * self.size)
                      if (r // self.width % 3 if "neox" in self.of.words else r // self.size) == k]
                add_map(part, [rows[r] for r in at], doubles("d", (bias[r] for r in at if bias)))
        else:
            for part, size in (("query", self.size), ("key", small), ("value", small)):
                add_map(part, *self.rows_of(named(part), size, n, self.biases[0]))
        add_map("output", *self.rows_of(named("output"), n, self.size, self.biases[1]))
        inner = 0
        if "maybe no MLP" in self.of.words and named("in") + ".weight" not in self.tensors.of:
            self.tensors.read |= {f"{self.prefix}{self.of.layer}{l}.{name}" for name in WITHOUT_MLP}
        else:
            require(self.experts is None, f"{CONFIG}: key {self.experts} is about experts, but there is an MLP")
            add_map("in", *self.rows_of(named("in"), None, n, self.biases[2]))
            inner = len(maps["in"].rows)
            self.agree("inner", inner)
            add_map("out", *self.rows_of(named("out"), n, inner, self.biases[2]))
            if "factor" in self.of.names:
                add_map("factor", *self.rows_of(named("factor"), inner, n, self.biases[2]))
        entries = sum(len(of.rows) * len(of.rows[0]) for of in maps.values())
        for part, width in (("first", n), ("second", n), ("query norm", self.width), ("key norm", self.width)):
            if part in self.of.names and (inner or part != "second"):
                norms[part] = self.norm(named(part), width)
        slots = [[Fraction(0)] * (self.attention.slot or 0)] * self.heads
        if self.attention.own == "sinks":
            slots = [[Fraction(x)] for x in self.tensors.values(named("sinks"), self.heads)[0]]
        elif self.attention.own:
            weight = self.tensors.values(named("gate") + ".weight", self.heads, n)[0]
            maps["gate"] = Map(weight, self.tensors.values(named("gate") + ".bias", self.heads)[0], n)
        return LanguageLayer(maps, norms, slots, window, entries, inner)


# ---- 5.3 The pass -----------------------------------------------------------------------------------------

# Numbers are integers in units of 2^-p and balls those of 4.6; ends of an enclosure are a pair, of integers in these
# units or, of constants, of fractions.


def arc(z, sign, bits):
    """Ends of z + sign z^3/3 + z^5/5 + ..., 0 <= z <= 1/2: artanh z, of sign -1 arctan z. Each of the fewer than 2^16
    terms, and what is left, is off by less than 4 units of 2^-(bits + 32)."""
    bits += 32
    term, square = (z.numerator << bits) // z.denominator, (z.numerator**2 << bits) // z.denominator**2
    total, i, s = 0, 1, 1
    while term:
        total, term, i, s = total + s * (term // i), term * square >> bits, i + 2, s * sign
    return Fraction(total - (1 << 18), 1 << bits), Fraction(total + (1 << 18), 1 << bits)


@lru_cache(maxsize=None)
def pi_ends(bits):
    (a, b), (c, d) = arc(Fraction(1, 5), -1, bits), arc(Fraction(1, 239), -1, bits)
    return 16 * a - 4 * d, 16 * b - 4 * c


@lru_cache(maxsize=None)
def log_ends(x, bits):
    """Ends of the natural logarithm of a number > 0: that of 2^e m, m between 2/3 and 3/2."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    m = x / Fraction(2)**e
    e, m = (e + 1, m / 2) if m > Fraction(3, 2) else (e - 1, m * 2) if m < Fraction(2, 3) else (e, m)
    two, own = arc(Fraction(1, 3), 1, bits), arc(abs(m - 1) / (m + 1), 1, bits)
    own = own if m >= 1 else (-own[1], -own[0])
    return tuple(2 * (x + y) for x, y in zip(own, sorted(e * y for y in two)))


def root_ends(x, bits):
    """Ends of the square root of a number >= 0."""
    low = isqrt((x.numerator << 2 * bits) // x.denominator)
    return Fraction(low, 1 << bits), Fraction(low + 1, 1 << bits)


def quotient(a, b):
    """Ends of the quotient of fractions, the divisor positive."""
    return a[0] / b[a[0] >= 0], a[1] / b[a[1] < 0]


def cos_sin(x, p):
    """cos and sin of x >= 0, each less than 2 off: of x / 2^h by their series, the angle then doubled h times. A number
    off by e is, doubled, off by less than 4 e, and a series by less than 2^14."""
    h = max(0, x.bit_length() - p) + 8
    q = p + 2 * h + 16
    y, term, k, parts = x << (q - p - h), 1 << q, 0, [0, 0]
    while term:
        parts[k & 1] += -term if k & 2 else term
        k += 1
        term = (term * y >> q) // k
    c, s = parts
    for _ in range(h):
        c, s = (c * c - s * s) >> q, c * s >> (q - 1)
    return c >> (q - p), s >> (q - p)


def read_rotary(config, width, neox, base):
    """By rope_scaling and rope_parameters, which say the same where both say something; without a base one must."""
    said = []
    for key in ("rope_scaling", "rope_parameters"):
        if config.get(key) not in (None, {}):
            require(type(config.get(key)) is dict, f"{CONFIG}: {key} is no object")
            said.append(Keys(config.get(key), key + "."))
    require(said or base is not None, f"{CONFIG} lacks rope_scaling")
    said = said or [Keys({}, "rope_parameters.")]
    found = [Rotary(config, scaling, width, neox, base) for scaling in said]
    require(found[0].stated == found[-1].stated, f"{CONFIG}: rope_parameters contradicts rope_scaling")
    config.asked |= {of.name + key for of in said for key in of.asked}
    return found[0]


class Rotary:
    """Rotary positions: of the first `size` coordinates of a head, j and j + size/2 turn by the angle i f_j."""

    def __init__(self, config, scaling, width, neox, base=10000):
        key, own = "rotary_emb_base" if neox else "rope_theta", 1
        inside = config.get(key) is None and given(scaling, "rope_theta", 0, at_least) > 0
        self.base = given(scaling, "rope_theta", None, positive) if inside else given(config, key, base, positive)
        if neox:
            own = given(config, "rotary_pct", Decimal("0.25"), positive)
        for of in (config, scaling):
            for place, value in (("rope_theta", self.base), ("partial_rotary_factor", own)):
                require(of.get(place) is None or at_least(of.get(place), place) == value,
                        f"{CONFIG}: {of.name}{place} contradicts another key")
        share = Fraction(own)
        require(share <= 1, f"{CONFIG}: rotary positions of more than a head's width")
        parts = share.denominator
        require((share * width).denominator > 1 or parts & (parts - 1) == 0, f"{CONFIG}: rotary_pct is a share that doubles round")
        self.size, self.scaling, self.kept = share.numerator * width // share.denominator, scaling, {}
        require(2 <= self.base <= 10**12 and 2 <= self.size <= width and self.size % 2 == 0,
                f"{CONFIG}: rotary positions out of range")
        self.read_scaling(config, scaling)
        scaling.refuse_others()

    def read_scaling(self, config, scaling):
        older, newer, own = scaling.get("type"), scaling.get("rope_type"), "original_max_position_embeddings"
        scaling.asked |= {"type", "rope_type"}
        require(None in (older, newer) or same_json(older, newer), f"{CONFIG}: type contradicts rope_type")
        self.kind = given(scaling, "type" if newer is None else "rope_type", "default", one_of,
                          ("default", "linear", "llama3", "yarn"))
        self.stated = [self.base, self.size, self.kind]
        if self.kind != "default":
            self.factor = given(scaling, "factor", None, at_least, 1)
            self.stated.append(self.factor)
        if self.kind in ("llama3", "yarn"):
            of, key = (config, "max_position_embeddings") if scaling.get(own) is None else (scaling, own)
            scaling.asked.add(own)
            self.context = given(of, key, None, whole_number)
            require(self.context <= 1 << 30, f"{CONFIG}: a context of over 2^30")
            first = config.get("initial_context_length")
            require(first is None or same_json(first, self.context), f"{CONFIG}: initial_context_length is not the context")
        if self.kind == "llama3":
            self.low, self.high = (given(scaling, f"{end}_freq_factor", None, positive) for end in ("low", "high"))
            require(self.high > self.low, f"{CONFIG}: high_freq_factor is not over low_freq_factor")
            self.stated += [self.context, self.low, self.high]
        if self.kind == "yarn":
            require(scaling.get("mscale") is scaling.get("mscale_all_dim") is None, f"{CONFIG}: mscale")
            self.fast, self.slow = given(scaling, "beta_fast", 32, positive), given(scaling, "beta_slow", 1, positive)
            require(self.fast > self.slow, f"{CONFIG}: beta_fast is not over beta_slow")
            self.truncate = given(scaling, "truncate", True, boolean)
            scaling.asked.add("attention_factor")
            has = scaling.get("attention_factor") is not None
            self.stated += [self.context, self.fast, self.slow, self.truncate,
                            given(scaling, "attention_factor", None, positive) if has else None]

    def plain(self, j, bits):
        """Ends of f_j without scaling."""
        ends = []
        for up, log in zip((False, True), reversed(log_ends(self.base, bits))):
            x = -Fraction(2 * j, self.size) * log
            value, k = exponential(x.numerator, x.denominator, up, bits)
            ends.append(Fraction(value, 1 << k))
        return tuple(ends)

    def border(self, turns, bits, nearest):
        """Ends of I(turns), rounded by `nearest` where the scaling says so."""
        pi = pi_ends(bits)
        logs = [log_ends(self.context / (2 * x * turns), bits)[side] for side, x in enumerate(reversed(pi))]
        low, high = quotient([self.size * x for x in logs], [2 * x for x in log_ends(self.base, bits)])
        if not self.truncate:
            return low, high
        require(nearest(low) == nearest(high), "a border of the rotary scaling cannot be told")
        return (Fraction(nearest(low)),) * 2

    def unscaled_share(self, j, f, bits):
        """Ends of s, the share of f_j that is not divided."""
        if self.kind == "llama3":
            pi = pi_ends(bits)
            ends = [(self.context * x / (2 * y) - self.low) / (self.high - self.low) for x, y in zip(f, reversed(pi))]
        else:
            low = [max(Fraction(0), x) for x in self.border(self.fast, bits, floor)]
            high = [min(Fraction(self.size - 1), x) for x in self.border(self.slow, bits, ceil)]
            if low[0] == low[1] == high[0] == high[1]:
                high = [x + Fraction(1, 1000) for x in high]
            require(low[1] < high[0] or high[1] < low[0], "the borders of the rotary scaling cannot be told apart")
            # monotone in either border
            ramps = [(j - l) / (h - l) for l, h in itertools.product(low, high)]
            ends = [1 - max(ramps), 1 - min(ramps)]
        return [min(Fraction(1), max(Fraction(0), x)) for x in ends]

    def frequency(self, j, bits):
        f = self.plain(j, bits)
        if self.kind == "default":
            return f
        shares = (0, 0) if self.kind == "linear" else self.unscaled_share(j, f, bits)
        return tuple(x * (s + (1 - s) / self.factor) for x, s in zip(f, shares))

    def amplitude(self, bits):
        """Ends of what cos and sin are multiplied by."""
        if self.kind != "yarn":
            return Fraction(1), Fraction(1)
        if self.scaling.get("attention_factor") is not None:
            return (given(self.scaling, "attention_factor", None, positive),) * 2
        return tuple(1 + x / 10 for x in log_ends(self.factor, bits))

    def turn(self, i, p):
        """(cos, sin, error) for each j at position i."""
        if p not in self.kept:
            self.kept[p] = [self.frequency(j, p + 64) for j in range(self.size // 2)], self.amplitude(p + 64)
        if (i, p) not in self.kept:
            (frequencies, (a, b)), turns = self.kept[p], []
            for f in frequencies:
                low, high = floor(i * f[0] * (1 << p)), ceil(i * f[1] * (1 << p))
                error = ceil((high - low + 2) * b + ((1 << p) + 2) * (b - a)) + 1
                turns.append((*(floor(x * a) for x in cos_sin(low, p)), error))
            self.kept[i, p] = turns
        return self.kept[i, p]

    def turned(self, balls, positions, p):
        rows, radii, half = [], [], self.size // 2
        for row, r, i in zip(*balls, positions):
            turns, reach, first, second = self.turn(i, p), [r << p], [], []
            for (c, s, e), x, y in zip(turns, row, row[half:]):
                first.append(x * c - y * s)
                second.append(y * c + x * s)
                reach.append((abs(x) + abs(y)) * e + r * (abs(c) + abs(s) + 2 * e))
            rows.append(first + second + [x << p for x in row[self.size:]])
            radii.append(max(reach))
        return rounded(rows, radii, p, p)


def normed(balls, norm, epsilon, rms, p):
    """The norm of every ball. y, a row over its deviation s, moves by at most (2 + abs(y)) r / (s - r) where the row
    moves by r; of an RMSNorm by (1 + abs(y)) r / (s - r). s is known to p + 32 bits, so y to 2."""
    rows, radii = [], []
    for row, r in zip(*balls):
        n = len(row)
        mean = 0 if rms else sum(row)
        off = [n * x - mean for x in row]
        square = Fraction(inner(off, off), n**3 << 2 * p) + epsilon
        require(square, "a norm of a row without deviation")
        k = max(0, p + 34 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
        root = isqrt((square.numerator << 2 * k) // square.denominator)
        least = (root << p >> k) - r
        if least <= 0:
            raise Failure
        y = [(x << k) // (n * root) for x in off]
        moves = [-(-((2 - rms << p) + abs(x) + 2) * r // least) + 2 for x in y]
        rows.append([g * x + (b << p) for (g,), x, b in zip(norm.rows, y, norm.offsets)])
        radii.append(max(abs(g) * x for (g,), x in zip(norm.rows, moves)))
    return rounded(rows, radii, norm.shift, p)


@lru_cache(maxsize=None)
def normal_density(p):
    """Ends of 1 / sqrt(2 pi), the normal distribution's density at 0."""
    return [floor(root_ends(1 / (2 * y), p)[up] * (1 << p)) + up for up, y in enumerate(reversed(pi_ends(p)))]


def normal_share(x, p):
    """Ends of the normal distribution's function: 1/2 + exp(-x^2/2) (x + x^3/3 + x^5/15 + ...) / sqrt(2 pi) for x >= 0;
    1 - it is below exp(-x^2/2)."""
    y, q, half = abs(x), p + 32, 1 << (p - 1)
    if y * y >= p << (2 * p + 1):
        low, high = (1 << p) - 1, 1 << p
    else:
        square, ends = y * y << (q - 2 * p) if q >= 2 * p else y * y >> (2 * p - q), []
        for up, more in ((False, 0), (True, 1)):
            total = term = y << (q - p)
            n = 1
            while term > more or up and (n + 2 << q) < 2 * (square + 1):  # then each is at most half the last
                n += 2
                term = -(-term * (square + 1) >> q) // n + 1 if up else (term * square >> q) // n
                total += term
            e, k = exponential(-y * y, 2 << 2 * p, up, q)
            ends.append((total + more * term) * e * normal_density(q)[up] >> k + 2 * q - p)
        low, high = half + ends[0], min(1 << p, half + ends[1] + 1)
    return (low, high) if x >= 0 else ((1 << p) - high, (1 << p) - low)


def logistic_share(x, p):
    return logistic_end(x, False, p), logistic_end(x, True, p)


@lru_cache(maxsize=None)
def cubic_slope(p):
    """Ends of 2 sqrt(2/pi)."""
    return [root_ends(8 / y, p)[side] for side, y in enumerate(reversed(pi_ends(p)))]


def cubic_share(x, p):
    """Ends of the logistic function of 2 sqrt(2/pi) (x + 0.044715 x^3)."""
    top, bottom = (200000 * x << 2 * p) + 8943 * x**3, 200000 << 2 * p
    low, high = sorted(top * y.numerator // (bottom * y.denominator) for y in cubic_slope(p + 64))
    return logistic_end(low, False, p), logistic_end(high + 1, True, p)


# What x is multiplied by; None of relu. No slope exceeds 2.
ACTIVATIONS = {"relu": None, **dict.fromkeys(("silu", "swish"), logistic_share), "gelu": normal_share,
               **dict.fromkeys(("gelu_new", "gelu_pytorch_tanh"), cubic_share)}


def activated(balls, name, p):
    if name == "relu":
        return Balls([[max(0, x) for x in row] for row in balls.rows], balls.radii)
    rows, radii = [], []
    for row, r in zip(*balls):
        ends = [ACTIVATIONS[name](x, p) for x in row]
        rows.append([x * low for x, (low, _) in zip(row, ends)])
        radii.append(max(abs(x) * (high - low) for x, (low, high) in zip(row, ends)) + (2 * r << p))
    return rounded(rows, radii, p, p)


def product(left, right, p):
    """Entry by entry."""
    rows, radii = [], []
    for row, r, other, s in zip(*left, *right):
        rows.append([*map(mul, row, other)])
        radii.append(max(r * abs(y) + s * abs(x) for x, y in zip(row, other)) + r * s)
    return rounded(rows, radii, p, p)


# Of a query head: its queries over sqrt(w), its keys and values, of each query the weights of all keys, 0 of those it
# does not see, and what it puts out.
SeenHead = namedtuple("SeenHead", "queries keys values weights outputs")
# Of all layers what goes in, and what comes out of the last; of each layer its heads.
LanguagePass = namedtuple("LanguagePass", "p rows heads")


def in_units(rows, p):
    return Balls([[floor(x * (1 << p)) for x in row] for row in rows],
                 [int(any((1 << p) % x.denominator for x in row)) for row in rows])


def embedded(model, tokens, change, p):
    last = change.first + change.window - 1 if change and change.renumbered else len(tokens)
    rows, n, at = [], model.n, {"types": 0}
    for i, at["tokens"] in enumerate(tokens):
        at["positions"] = min(i, last) + model.first_position
        parts = [table[at[part] * n:(at[part] + 1) * n] for part, table in model.tables.items()
                 if part != "tokens" or not model.into]
        rows.append([sum(map(Fraction, of)) for of in zip(*parts)])
    balls = in_units(rows, p)
    if model.into:
        table, w = model.tables["tokens"], model.token_width
        balls = sum_of(balls, apply_map(model.into, in_units([[*map(Fraction, table[t * w:(t + 1) * w])] for t in tokens], p), p), p)
    norm = model.norms.get("embedding")
    return normed(balls, norm, model.epsilon, model.rms, p) if norm else balls


def keys_seen(model, l, h, change, tokens):
    """For each query the keys that head h of layer l sees."""
    if model.encoder:
        return [range(tokens)] * tokens
    window, own = model.layers[l].window or tokens, change and change.window or tokens
    hidden = change is not None and change.ablated == (l, h)
    return [[j for j in range(max(0, i - window + 1), i + 1) if not (hidden and j == 0 < i)
             and (change is None or j < change.first or i - j < own)] for i in range(tokens)]


def attend(model, l, balls, change, p):
    """The heads of layer l, and what its attention adds."""
    layer, w, tokens, scale = model.layers[l], model.width, len(balls.rows), isqrt((1 << 2 * p + 64) // model.width)

    def parts(name, heads, norm=None):
        found = apply_map(layer.maps[name], balls, p)
        found = [part_of(found, slice(h * w, (h + 1) * w)) for h in range(heads)]
        norm = layer.norms.get(norm)
        return [normed(of, norm, model.epsilon, True, p) for of in found] if norm else found

    def turned(of, positions=range(tokens)):
        return model.rotary.turned(of, positions, p) if model.rotary else of

    def over_root(of):
        return rounded([[x * scale for x in row] for row in of.rows],
                       [r * (scale + 1) + max(map(abs, row)) for row, r in zip(*of)], p + 32, p)
    keys = [turned(of) for of in parts("key", model.key_heads, "key norm")]
    values = parts("value", model.key_heads)
    gates = apply_map(layer.maps["gate"], balls, p) if "gate" in layer.maps else None
    heads = []
    for h, of in enumerate(parts("query", model.heads, "query norm")):
        k, sees = h * model.key_heads // model.heads, keys_seen(model, l, h, change, tokens)
        queries = over_root(turned(of))
        logits = logit_ranges(queries, keys[k], layer.slots[h], sees, Fraction(1), p)
        if change and change.renumbered:
            near = over_root(turned(of, [min(i, change.first + change.window - 1) for i in range(tokens)]))
            others = logit_ranges(near, keys[k], layer.slots[h], sees, Fraction(1), p)
            skip = len(layer.slots[h])
            logits = [row[:skip] + [y if j < change.first else x for j, x, y in zip(seen, row[skip:], other[skip:])]
                      for seen, row, other in zip(sees, logits, others)]
        weights = []
        for seen, row in zip(sees, logits):
            found = weight_ranges(model.attention, row, p, 1)[1:] if row else []
            line = [(0, 0)] * tokens
            for j, ends in zip(seen, found):
                line[j] = ends
            weights.append(line)
        out = combinations(weights, values[k], p)
        heads.append(SeenHead(queries, keys[k], values[k], weights, out))
    outputs = [gated(of.outputs, gates, h, p) if gates else of.outputs for h, of in enumerate(heads)]
    return heads, apply_map(layer.maps["output"], side_by_side(outputs), p)


def language_pass(model, tokens, change, p):
    """The pass over a sequence, with an intervention or none."""
    def norm(part, balls, norms):
        return normed(balls, norms[part], model.epsilon, model.rms, p)

    def perceptron(of, balls):
        inner_ = apply_map(of.maps["in"], balls, p)
        if "factor" in of.maps:
            inner_ = product(activated(apply_map(of.maps["factor"], balls, p), model.activation, p), inner_, p)
        else:
            inner_ = activated(inner_, model.activation, p)
        return apply_map(of.maps["out"], inner_, p)
    try:
        balls, rows, heads = embedded(model, tokens, change, p), [], []
        for l, layer in enumerate(model.layers):
            rows.append(balls)
            seen = balls if model.after else norm("first", balls, layer.norms)
            own, out = attend(model, l, seen, change, p)
            heads.append(own)
            middle = sum_of(balls, out, p)
            middle = norm("first", middle, layer.norms) if model.after else middle
            if layer.inner:
                seen = middle if model.after else norm("second", balls if model.parallel else middle, layer.norms)
                middle = sum_of(middle, perceptron(layer, seen), p)
            balls = norm("second", middle, layer.norms) if model.after else middle
        return LanguagePass(p, rows + [balls], heads)
    except Failure:
        raise Reject("a number of the pass is too large, or not known well enough") from None


# ---- 5.4 Statements ---------------------------------------------------------------------------------------

# A readout is a function of the model, its pass and the position k, or the pass with the intervention: a list of ends.
# Of two ends a and b of numbers >= 0 the product is times_ends(a, b, p).


def times_ends(a, b, p):
    return a[0] * b[0] >> p, -(-a[1] * b[1] >> p)


def over(a, b, p):
    require(b[0] > 0, "a quotient's denominator is not shown to be positive")
    return (a[0] << p) // b[a[0] >= 0], -((-a[1] << p) // b[a[1] < 0])


def total(pairs):
    lows, highs = zip(*pairs)
    return sum(lows), sum(highs)


def mean(pairs):
    low, high = total(pairs)
    return low // len(pairs), -(-high // len(pairs))


def norms_of(balls):
    """The ends of the norm of each."""
    found = []
    for row, r in zip(*balls):
        square, reach = inner(row, row), isqrt(len(row) * r * r) + (r > 0)
        found.append((max(0, isqrt(square) - reach), isqrt(square) + (isqrt(square)**2 < square) + reach))
    return found


def inner_ends(left, right, k, p):
    """Ends of the inner product of each ball with ball k of others."""
    other = Balls([right.rows[k]], [right.radii[k]])
    return [pair for pair, in logit_ranges(left, other, [], [[0]] * len(left.rows), Fraction(1), p)]


def cosine(ends, left, right, p):
    sizes = times_ends(left, right, p)
    low, high = over(ends, sizes, p) if sizes[0] else (-1 << p, 1 << p)
    return max(low, -1 << p), min(high, 1 << p)


def of_heads(read):
    """The readout with a number for each head, read from its pass and k, from 0, and the queries that see it."""
    def numbers(model, seen, k):
        tokens = len(seen.rows[0].rows)
        queries = range(0 if model.encoder else k - 1, tokens)
        return [read(head, k - 1, queries, seen.p) for heads in seen.heads for head in heads]
    return numbers


def alpha(head, k, queries, p):
    return mean([head.weights[i][k] for i in queries])


def value_alpha(head, k, queries, p):
    norms, found = norms_of(head.values), []
    for i in queries:
        sizes = [((max(0, a, -b)), max(b, -a)) for a, b in head.weights[i]]
        parts = [(a * x, b * y) for (a, b), (x, y) in zip(sizes, norms)]
        low, high = total(parts)
        found.append(tuple(map(min, over(parts[k], (low, high), p), (1 << p,) * 2)) if low else (0, (high > 0) << p))
    return mean(found)


def norm_product(head, k, queries, p):
    sizes, key = norms_of(head.queries), norms_of(head.keys)[k]
    return mean([times_ends(sizes[i], key, p) for i in queries])


def head_cosine(head, k, queries, p):
    sizes, key, products = norms_of(head.queries), norms_of(head.keys)[k], inner_ends(head.queries, head.keys, k, p)
    return mean([cosine(products[i], sizes[i], key, p) for i in queries])


def value_ratio(head, k, queries, p):
    norms = norms_of(head.values)
    others = norms[:k] + norms[k + 1:]
    return over(norms[k], mean(others), p) if others else (0, 0)


def broadcast_share(head, k, queries, p):
    products = inner_ends(head.outputs, head.values, k, p)
    sizes, value = norms_of(head.outputs), norms_of(head.values)[k]
    squares = [(max(0, a, -b)**2, max(b, -a)**2) for a, b in (products[i] for i in queries)]
    whole = total([times_ends(sizes[i], sizes[i], p) for i in queries])
    sizes = times_ends(times_ends(value, value, p), whole, p)
    low, high = over(total(squares), sizes, p) if sizes[0] else (0, 1 << 2 * p)
    return low >> p, min(1 << p, -(-high >> p))


def hidden_norm(model, seen, _):
    return [ends for balls in seen.rows for ends in norms_of(balls)]


def norms_by_head(part, grouped_by_key):
    def numbers(model, seen, _):
        step = model.heads // model.key_heads if grouped_by_key else 1
        return [ends for heads in seen.heads for head in heads[::step] for ends in norms_of(getattr(head, part))]
    return numbers


def mean_cosine(model, seen, _):
    found, tokens, p = [], len(seen.rows[0].rows), seen.p
    for balls in seen.rows:
        norms, sees = norms_of(balls), [range(i) for i in range(tokens)]
        rows = logit_ranges(balls, balls, [], sees, Fraction(1), p)
        cosines = [cosine(ends, norms[i], norms[j], p) for i, row in enumerate(rows) for j, ends in enumerate(row)]
        found.append(mean(cosines) if cosines else (0, 0))
    return found


def moved(model, seen, changed):
    def largest(pairs):
        return tuple(map(max, zip(*pairs)))

    def difference(left, right):
        return Balls([[*map(sub, row, other)] for row, other in zip(left.rows, right.rows)],
                     [*map(add, left.radii, right.radii)])
    found = [largest(norms_of(difference(*of))) for of in zip(seen.rows, changed.rows)]
    if model.vocabulary:
        final, norm = [of.rows[-1] for of in (seen, changed)], model.norms.get("final")
        if norm:
            final = [normed(of, norm, model.epsilon, model.rms, seen.p) for of in final]
        if model.out_of:
            final = [apply_map(model.out_of, of, seen.p) for of in final]
        logits = apply_map(model.head_map, difference(*final), seen.p)
        found.append(largest([(max(0, abs(x) - r), abs(x) + r) for row, r in zip(*logits) for x in row]))
    return found


# What gives its numbers; whether it is about a position, or two passes, or a share of (sequence, layer, head).
LanguageReadout = namedtuple("LanguageReadout", "numbers at_key moves share", defaults=(False, False, False))
LANGUAGE_READOUTS = {
    "alpha": LanguageReadout(of_heads(alpha), True), "value-alpha": LanguageReadout(of_heads(value_alpha), True),
    "norm-product": LanguageReadout(of_heads(norm_product), True),
    "cosine": LanguageReadout(of_heads(head_cosine), True),
    "value-ratio": LanguageReadout(of_heads(value_ratio), True),
    "broadcast-share": LanguageReadout(of_heads(broadcast_share), True),
    "hidden-norm": LanguageReadout(hidden_norm), "query-norm": LanguageReadout(norms_by_head("queries", False)),
    "key-norm": LanguageReadout(norms_by_head("keys", True)),
    "value-norm": LanguageReadout(norms_by_head("values", True)),
    "mean-cosine": LanguageReadout(mean_cosine), "moved": LanguageReadout(moved, moves=True),
    "sink-share": LanguageReadout(of_heads(alpha), True, share=True),
    "value-sink-share": LanguageReadout(of_heads(value_alpha), True, share=True),
}


# ---- 6.1 The object, and the vectors it speaks of ----------------------------------------------------------

VECTOR_KEYS = ("format", "kind", "claim", "claim_sha256", "input", "properties")
MAX_VECTORS, MAX_COORDINATES, MAX_INPUT, MAX_MATRIX = 1024, 65536, 4194304, 4194304
MAX_GRAM, MAX_OUTPUTS, MAX_SEARCHES = 1 << 30, 1 << 31, 16  # products, products, properties of 6.3 to 6.5
SEARCHES = ("cost", "infeasible", "representable")
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
PREFIX = re.compile(r"layers\.(0|[1-9][0-9]{0,3})\.")


class Vectors:
    """Finitely many vectors as integer rows over one denominator `scale`.

    `sources` are integer rows of which the vectors are images under one linear map.
    """

    def __init__(self, rows, scale, sources=None):
        self.rows, self.scale, self.count = rows, scale, len(rows)
        self.sources = rows if sources is None else sources

    @cached_property
    def gram(self):
        """G as (integer matrix, least common denominator of its entries)."""
        matrix, scale = matrix_product(self.rows, transposed(self.rows)), self.scale**2
        shared = gcd(scale, *(x for row in matrix for x in row))
        return [[x // shared for x in row] for row in matrix], scale // shared

    def combination(self, weights):
        """The sum of c_k v_k for pairs ((k,), c), integers over `scale`."""
        total = [0] * len(self.rows[0])
        for (k,), c in weights:
            total = [x + c * y for x, y in zip(total, self.rows[k])]
        return total


# What a certificate speaks of: the tokens, the vectors, whether these are the outputs of a head with m = d.
Subject = namedtuple("Subject", "tokens vectors is_square_head")


def whole(value, what, most=MAX_DIGITS):
    """A string that spells an integer, of at most `most` characters."""
    require(type(value) is str and len(value) <= most, f"{what} is not a string of at most {most} characters")
    require(WHOLE.fullmatch(value) and value != "-0", f"{what} is not a whole number")
    return int(value)


def short_number(value, what):
    require(type(value) is str and len(value) <= 400, f"{what} is not a string of at most 400 characters")
    return rational(value, what)


def load_tokens(path, name):
    """Section 6.1: the tokens."""
    values, d = load_rows(path, name, lambda count, d:
                          count <= MAX_VECTORS and d <= MAX_COORDINATES and count * d <= MAX_INPUT)
    flat, scale = dyadic(values)
    return Vectors(split(flat, d), scale)


def load_head(path, head, d, count):
    """Section 6.1: W_V^T (d x n), W_O^T (n x m) and c of one head, each (integers, denominator)."""
    heads, h = head["num_heads"], head["head"]
    names = [head["prefix"] + name for name in ("W_V.weight", "W_O.weight", "W_V.bias")]
    with tensor_file(path) as (header, _, read):
        (size, inputs), (m, columns) = (shape_of(header, name, 2) for name in names[:2])
        require(size % heads == 0 and inputs == d and columns == size, "W_V.weight or W_O.weight has the wrong shape")
        n = size // heads
        require(max(size, m) <= MAX_COORDINATES and max(n * d, m * n) <= MAX_MATRIX
                and count * n * (d + m) <= MAX_OUTPUTS, "the head is too large")
        w_v = finite(read(names[0])[h * n * d:(h + 1) * n * d], names[0])
        flat = read(names[1])
        own = [x for r in range(m) for x in flat[r * size + h * n:r * size + (h + 1) * n]]
        w_o, bias = finite(own, names[1]), [0.0] * n
        if names[2] in header:
            require(header[names[2]]["shape"] == [size], "W_V.bias has the wrong shape")
            bias = finite(read(names[2])[h * n:(h + 1) * n], names[2])
    (w_v, v_scale), (w_o, o_scale) = dyadic(w_v), dyadic(w_o)
    return ([w_v[k::d] for k in range(d)], v_scale), ([w_o[k::n] for k in range(n)], o_scale), dyadic(bias)


def head_outputs(tokens, head):
    """W_O (W_V x + c) of every token."""
    (w_v, v_scale), (w_o, o_scale), (c, c_scale) = head
    unit = max(tokens.scale * v_scale, c_scale)  # powers of two
    factor, offset = unit // (tokens.scale * v_scale), [x * (unit // c_scale) for x in c]
    values = [[factor * x + y for x, y in zip(row, offset)] for row in matrix_product(tokens.rows, w_v)]
    return Vectors(matrix_product(values, w_o), unit * o_scale, values)


def read_input(value):
    """Section 6.1: the key `input`; everything that can be said without the files."""
    fields(value, ("sha256", "tensor", "head"), "input")
    hash_string(value["sha256"], "input.sha256")
    require(type(value["tensor"]) is str, "input.tensor is not a string")
    head = value["head"]
    if head is None:
        return
    fields(head, ("sha256", "prefix", "num_heads", "head"), "input.head")
    hash_string(head["sha256"], "input.head.sha256")
    require(type(head["prefix"]) is str and (head["prefix"] == "" or PREFIX.fullmatch(head["prefix"])),
            "input.head.prefix is unknown")
    integer(head["num_heads"], "input.head.num_heads", 1, 1024)
    integer(head["head"], "input.head.head", 0, head["num_heads"] - 1)


def load_subject(source, model_folders):
    """Section 6.1: the vectors that `input` names."""
    tokens = load_tokens(find_model(source["sha256"], model_folders), source["tensor"])
    if source["head"] is None:
        return Subject(tokens, tokens, False)
    d = len(tokens.rows[0])
    head = load_head(find_model(source["head"]["sha256"], model_folders), source["head"], d, tokens.count)
    vectors = head_outputs(tokens, head)
    return Subject(tokens, vectors, len(vectors.rows[0]) == d)


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
    names = [item["statement"].get("property") for item in properties if type(item["statement"]) is dict]
    require(sum(name in SEARCHES for name in names if type(name) is str) <= MAX_SEARCHES,
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
    require(type(statement) is dict, "the statement is not an object")
    name = statement.get("property")
    require(type(name) is str and name in known, "unknown property")
    known[name](subject, statement, evidence)


# ---- 6.2 Margin constraints -------------------------------------------------------------------------------

MAX_CONSTRAINTS = 1000000
MAX_PATTERN_VECTORS = 256


def read_system(pattern, count):
    """Section 6.2: ({(j, a, i): w}, m); the margin of a triple is w m."""
    require(count <= MAX_PATTERN_VECTORS, f"there are over {MAX_PATTERN_VECTORS} vectors")
    kind = pattern.get("kind") if type(pattern) is dict else None
    require(type(kind) is str and kind in ("margins", "sink-A", "sink-B", "diagonal"), "unknown kind of pattern")
    keys = ("constraints",) if kind == "margins" else ("bos", "groups", "copies")
    fields(pattern, ("kind", "margin") + keys, "pattern")
    margin = short_number(pattern["margin"], "margin")
    require(margin > 0, "margin is not positive")
    if kind == "margins":
        return read_constraints(pattern["constraints"], count), margin
    bos = integer(pattern["bos"], "bos", 0, count - 1)
    groups = [[integer(x, "a dormant token", 0, count - 1) for x in array(group, "a group")]
              for group in array(pattern["groups"], "groups")]
    require(groups and all(groups), "there is no group, or one is empty")
    copies = [integer(q, "a copy", 0, count - 1) for q in array(pattern["copies"], "copies")]
    require(len(copies) in (0, len(groups)), "copies has the wrong length")
    named = [bos, *copies, *(x for group in groups for x in group)]
    require(len(set(named)) == len(named), "a vector is named twice")
    # At most 256 vectors make fewer than 1000000 triples, and there always is one.
    return dict.fromkeys(triples(kind, bos, groups, copies), 1), margin


def read_weighted(value, what, size, count, most=MAX_DIGITS):
    """Lists [k_1, .., k_size, c], strictly increasing by their vectors k, c whole: the pairs ((k_1, .., k_size), c)."""
    last = ()
    for item in array(value, what):
        *key, c = array(item, f"an entry of {what}", size + 1)
        key = tuple(integer(k, f"a vector of {what}", 0, count - 1) for k in key)
        require(last < key, f"{what} are not strictly increasing")
        last = key
        yield key, whole(c, f"a number of {what}", most)


def read_constraints(value, count):
    require(1 <= len(array(value, "constraints")) <= MAX_CONSTRAINTS, "there are not 1 to 1000000 constraints")
    system = dict(read_weighted(value, "constraints", 3, count, 40))
    require(all(a != i for _, a, i in system), "a constraint compares a vector with itself")
    require(all(w > 0 for w in system.values()), "a constraint's weight is not positive")
    return system


def triples(kind, bos, groups, copies):
    """Section 6.2: the constraints (j; a, i) of the patterns sink-A, sink-B and diagonal."""
    dormant = [x for group in groups for x in group]
    for x in dormant:
        if kind == "diagonal":
            yield from ((x, x, y) for y in [bos, *dormant, *copies] if y != x)
        else:
            yield from ((x, bos, y) for y in dormant + copies)
    for q, group in zip(copies, groups):
        others = [z for z in dormant if z not in group]
        yield from ((q, y, z) for y in group for z in [bos, *others, *copies])
        if kind == "sink-B":
            yield from ((q, bos, z) for z in others + copies)
        if kind == "diagonal":
            yield from ((q, q, z) for z in [bos, *others, *copies] if z != q)


def read_multipliers(value, system, count, most=MAX_DIGITS):
    """Section 6.2: (L, the sum of y times the weight of its triple)."""
    matrix, total = [[0] * count for _ in range(count)], 0
    for triple, y in read_weighted(value, "multipliers", 3, count, most):
        require(triple in system, "a multiplier's triple is not of the system")
        require(y > 0, "a multiplier is not positive")
        j, a, i = triple
        matrix[j][a] += y
        matrix[j][i] -= y
        total += y * system[triple]
    return matrix, total


def read_coefficients(value, count, what, most=400):
    """Section 6.2: a coefficient matrix as (integer rows, denominator)."""
    fields(value, ("denominator", "rows"), what)
    denominator = whole(value["denominator"], f"{what}.denominator", most)
    require(denominator > 0, f"{what}.denominator is not positive")
    return [[whole(x, f"an entry of {what}", most) for x in array(row, f"a row of {what}", count)]
            for row in array(value["rows"], f"{what}.rows")], denominator


def check_margins(scores, scale, system, margin):
    """Every triple's scores, integers over `scale`, are at least its margin apart."""
    unit, least = margin.denominator, margin.numerator * scale
    for (j, a, i), w in system.items():
        row = scores[j]
        require((row[a] - row[i]) * unit >= w * least, f"the margin of ({j}; {a}, {i}) is not reached")


def is_semidefinite(matrix):
    """Section 6.2, for an integer matrix.

    First a search that is not trusted, for one of two proofs which are checked: an approximate Cholesky factor
    R for which matrix - R R^T has a dominant diagonal, or a vector x with x^T matrix x < 0. The exact pivots decide
    what is left, above all singular matrices.
    """
    matrix = without_repeated_rows(matrix)
    if not matrix:
        return True
    if any(row[k] <= 0 for k, row in enumerate(matrix)):
        return False  # none of the rows is zero
    for precision in (128, 512, 2048):
        decision = semidefinite_by_factor(matrix, precision)
        if decision is not None:
            return decision
    return semidefinite_by_pivots(matrix)


def without_repeated_rows(matrix):
    """The matrix without rows (and columns) of zeros and without rows that occurred before: as definite as it was."""
    kept, seen = [], {(0,) * len(matrix)}
    for k, row in enumerate(map(tuple, matrix)):
        if row not in seen:
            seen.add(row)
            kept.append(k)
    return [[matrix[i][j] for j in kept] for i in kept]


def semidefinite_by_pivots(matrix):
    """Section 6.2, word for word, over the integers: p is the pivot times a positive number (Bareiss)."""
    rows, previous = [row[:k + 1] for k, row in enumerate(matrix)], 1
    for k in range(len(rows)):
        p, column = rows[k][k], [row[k] for row in rows[k + 1:]]
        if p < 0 or (p == 0 and any(column)):
            return False
        if p == 0:
            continue
        for i, (row, x) in enumerate(zip(rows[k + 1:], column), k + 1):
            row[k + 1:] = [(p * y - x * z) // previous for y, z in zip(row[k + 1:], column[:i - k])]
        previous = p
    return True


def semidefinite_by_factor(matrix, precision):
    """True or False with a checked proof of it, or None; the diagonal is positive."""
    size, exponent = len(matrix), [(row[k].bit_length() + 1) // 2 for k, row in enumerate(matrix)]
    shift = lambda x, s: x << s if s >= 0 else x >> -s
    # The matrix with rows and columns scaled by powers of two, over 2^(2 precision), rounded down.
    near = [[shift(x, 2 * precision - e - f) for x, f in zip(row, exponent)] for row, e in zip(matrix, exponent)]
    factor, slack = [], 16 * size << precision
    for k, row in enumerate(near):
        part = []
        for j, other in enumerate(factor):
            part.append((row[j] - inner(part, other)) // other[j])
        pivot = row[k] - slack - inner(part, part)
        if pivot <= 0:
            return False if is_negative(matrix, exponent, factor, part, precision) else None
        factor.append(part + [isqrt(pivot)])
    square = matrix_product(full := [row + [0] * (size - len(row)) for row in factor], transposed(full))
    for k in range(size):
        off = [abs(x - y) + 1 for x, y in zip(near[k], square[k])]  # 1 for what was rounded
        if near[k][k] - square[k][k] < sum(off) - off[k]:
            return None
    return True


def is_negative(matrix, exponent, factor, part, precision):
    """Whether the vector that the factor's next row suggests has a negative square."""
    k = len(part)
    x = [0] * k + [1 << precision]
    for i in reversed(range(k)):
        x[i] = -(part[i] * x[k] + sum(factor[j][i] * x[j] for j in range(i + 1, k))) // factor[i][i]
    most = max(exponent)
    x = [y << (most - e) for y, e in zip(x, exponent)]
    return sum(y * inner(row, x) for y, row in zip(x, matrix)) < 0


# ---- 6.3 to 6.5 Cost, infeasibility, representability -----------------------------------------------------


def entrywise(left, right):
    """The sum of the products of the entries of two matrices."""
    return sum(map(inner, left, right))


def read_bounded(subject, statement):
    """Of a statement about a pattern: (number of vectors, its system and margin, lower, upper)."""
    fields(statement, ("property", "pattern", "lower", "upper"), "the statement")
    lower, upper = (rational(statement[key], key) for key in ("lower", "upper"))
    return subject.vectors.count, *read_system(statement["pattern"], subject.vectors.count), lower, upper


def check_cost(subject, statement, evidence):
    """Section 6.3."""
    fields(evidence, ("query", "key", "multipliers", "norm"), "evidence")
    count, system, margin, lower, upper = read_bounded(subject, statement)
    require(lower >= 0, "lower is negative")
    (a, a_scale), (b, b_scale) = (read_coefficients(evidence[key], count, key) for key in ("query", "key"))
    require(1 <= len(a) == len(b) <= count, "query and key have the wrong number of rows")
    matrix, total = read_multipliers(evidence["multipliers"], system, count, 40)
    norm = short_number(evidence["norm"], "norm")
    gram, scale = subject.vectors.gram
    a_gram, b_gram = matrix_product(a, gram), matrix_product(b, gram)
    check_margins(matrix_product(transposed(a_gram), b_gram), a_scale * b_scale * scale**2, system, margin)
    spent = Fraction(entrywise(a_gram, a), a_scale**2 * scale) + Fraction(entrywise(b_gram, b), b_scale**2 * scale)
    require(spent <= upper, "the factors cost more than upper")
    if lower == 0:
        require(not evidence["multipliers"] and norm == 0, "lower is 0 but there are multipliers or a norm")
        return
    require(norm > 0, "norm is not positive")
    require(2 * total * margin >= lower * norm, "the multipliers do not reach lower")
    square, kept = norm_matrix(gram, scale, matrix, norm), spanning_rows(subject.vectors.sources)
    require(is_semidefinite([[square[i][j] for j in kept] for i in kept]), "norm is too small for the multipliers")


def spanning_rows(rows):
    """Numbers of rows that span the whole space, or else the numbers of all.

    The matrix of section 6.3 is Z N Z^T for some symmetric N, with the sources as rows of Z, so that it is semidefinite
    if and only if its part for rows that span the space is. They do where they are independent modulo a prime and as
    many as there are coordinates.
    """
    p, pivots, kept = (1 << 61) - 1, [], []
    if len(rows[0]) >= len(rows):
        return list(range(len(rows)))
    for k, row in enumerate(rows):
        rest = [x % p for x in row]
        for place, pivot in pivots:
            if factor := rest[place]:
                rest = [(x - factor * y) % p for x, y in zip(rest, pivot)]
        place = next((i for i, x in enumerate(rest) if x), None)
        if place is not None:
            inverse = pow(rest[place], -1, p)
            pivots.append((place, [x * inverse % p for x in rest]))
            kept.append(k)
    return kept if len(kept) == len(rows[0]) else list(range(len(rows)))


def norm_matrix(gram, scale, matrix, norm):
    """Section 6.3: q^2 D^3 (t^2 G - (G L) G (G L)^T), within its limit."""
    p, q, left = norm.numerator, norm.denominator, matrix_product(gram, matrix)
    product_rows = matrix_product(matrix_product(left, gram), transposed(left))
    result = [[p**2 * scale**2 * x - q**2 * y for x, y in zip(*rows)] for rows in zip(gram, product_rows)]
    most = max(abs(x) for row in result for x in row).bit_length()
    require(most * len(gram) <= 1 << 18 and most * len(gram)**2 <= 1 << 25,
            "the entries of the matrix of norm have too many bits")
    return result


def check_infeasible(subject, statement, evidence):
    """Section 6.4."""
    fields(statement, ("property", "pattern"), "the statement")
    fields(evidence, ("multipliers",), "evidence")
    count = subject.vectors.count
    system, _ = read_system(statement["pattern"], count)
    require(evidence["multipliers"], "there are no multipliers")
    matrix, _ = read_multipliers(evidence["multipliers"], system, count)
    gram, _ = subject.vectors.gram
    zero = matrix_product(matrix_product(gram, matrix), gram)
    require(not any(map(any, zero)), "the multipliers do not cancel")


def check_representable(subject, statement, evidence):
    """Section 6.5."""
    fields(evidence, ("matrix", "multipliers"), "evidence")
    count, system, margin, lower, upper = read_bounded(subject, statement)
    m, m_scale = read_coefficients(evidence["matrix"], count, "matrix", MAX_DIGITS)
    require(len(m) == count, f"matrix does not have {count} rows")
    require(evidence["multipliers"], "there are no multipliers")
    matrix, total = read_multipliers(evidence["multipliers"], system, count)
    gram, scale = subject.vectors.gram
    scores = matrix_product(matrix_product(gram, m), gram)
    check_margins(scores, m_scale * scale**2, system, margin)
    require(0 < lower and lower * Fraction(entrywise(m, scores), (m_scale * scale)**2) <= 1, "lower is not shown")
    square = Fraction(entrywise(matrix, matrix_product(matrix_product(gram, matrix), gram)), scale**2)
    require(square <= upper * (total * margin)**2, "upper is not shown")


# ---- 6.6 Hull distance and switch -------------------------------------------------------------------------


def read_numbers(value, what, count):
    """A strictly increasing list of numbers of vectors, not empty."""
    require(array(value, what), f"{what} is empty")
    for k in value:
        integer(k, f"an entry of {what}", 0, count - 1)
    require(all(x < y for x, y in zip(value, value[1:])), f"{what} is not strictly increasing")
    return value


def check_hull_distance(subject, statement, evidence):
    """Section 6.6, first half."""
    fields(statement, ("property", "vectors", "lower", "upper"), "the statement")
    fields(evidence, ("weights", "direction"), "evidence")
    vectors = subject.vectors
    hull = read_numbers(statement["vectors"], "vectors", vectors.count)
    lower, upper = rational(statement["lower"], "lower"), rational(statement["upper"], "upper")
    weights, direction = (list(read_weighted(evidence[key], key, 1, vectors.count)) for key in ("weights", "direction"))
    require(weights and all(c > 0 for _, c in weights), "weights is empty or not positive")
    require({k for (k,), _ in weights} <= set(hull), "a weight is not of the hull")
    point, total = vectors.combination(weights), sum(c for _, c in weights)
    require(Fraction(inner(point, point), vectors.scale**2) <= upper * total**2, "the weights do not reach upper")
    require(lower >= 0, "lower is negative")
    if lower == 0:
        require(not direction, "lower is 0 but there is a direction")
        return
    u = vectors.combination(direction)
    least = min(inner(u, vectors.rows[k]) for k in hull)
    require(least > 0, "the direction does not separate")
    # p = least / scale^2 and c^T G c = |u|^2 / scale^2.
    require(least**2 >= lower * inner(u, u) * vectors.scale**2, "the direction does not reach lower")


def check_switch(subject, statement, evidence):
    """Section 6.6, second half. Squares of numbers over `scale` carry a factor unit = scale^2."""
    names = ("gap", "anchor_loss", "anchor_norm", "spread")
    fields(statement, ("property", "anchor", "others") + names, "the statement")
    fields(evidence, ("direction",), "evidence")
    vectors = subject.vectors
    anchor = integer(statement["anchor"], "anchor", 0, vectors.count - 1)
    others = read_numbers(statement["others"], "others", vectors.count)
    require(anchor not in others, "the anchor is among the others")
    gap, loss, norm, spread = (rational(statement[name], name) for name in names)
    require(gap > 0 and min(loss, norm, spread) >= 0, "gap is not positive or another number is negative")
    u = vectors.combination(read_weighted(evidence["direction"], "direction", 1, vectors.count))
    square, unit, first = inner(u, u), vectors.scale**2, vectors.rows[anchor]
    require(square > 0, "the direction is zero")
    for k in others:
        p = inner(u, vectors.rows[k])
        require(p >= 0 and p**2 >= gap**2 * square * unit, f"vector {k} is not beyond the gap")
    p = inner(u, first)
    require(p >= 0 or p**2 <= loss**2 * square * unit, "the anchor is beyond anchor_loss")
    require(inner(first, first) <= norm**2 * unit, "the anchor is longer than anchor_norm")
    for k in others:
        difference = list(map(sub, vectors.rows[k], first))
        require(inner(difference, difference) <= spread**2 * unit, f"vector {k} is farther than spread")


# ---- 6.7 Smoothing ----------------------------------------------------------------------------------------


def check_smoothing(subject, statement, evidence):
    """Section 6.7. W_O y_k is v_k minus the mean of the v's, and (beta I + W) mu + W_O c is beta mu plus that mean."""
    names = ("s", "t", "s_plus_t", "mean_norm", "spread")
    fields(statement, ("property", "beta") + names, "the statement")
    fields(evidence, (), "evidence")
    require(subject.is_square_head, "smoothing needs a head with as many outputs as inputs")
    beta = rational(statement["beta"], "beta")
    tokens, vectors, count = subject.tokens, subject.vectors, subject.tokens.count
    x_sum, v_sum = ([sum(column) for column in zip(*part.rows)] for part in (tokens, vectors))
    centred = lambda row, total: [count * y - z for y, z in zip(row, total)]
    xx = xv = vv = 0  # count^2 times the sums of squares about the means
    for x, v in zip(tokens.rows, vectors.rows):
        x, v = centred(x, x_sum), centred(v, v_sum)
        xx, xv, vv = xx + inner(x, x), xv + inner(x, v), vv + inner(v, v)
    s = beta * Fraction(xv, count**3 * tokens.scale * vectors.scale)
    t = Fraction(vv, count**3 * vectors.scale**2)
    mean = [beta * Fraction(x, count * tokens.scale) + Fraction(v, count * vectors.scale) for x, v in zip(x_sum, v_sum)]
    spread = Fraction(xx, count**3 * tokens.scale**2)
    for name, value in zip(names, (s, t, s + t, sum(x * x for x in mean), spread)):
        low, high = (rational(x, name) for x in array(statement[name], name, 2))
        require(low <= value <= high, f"{name} is not between its two numbers")


PATTERN_PROPERTIES = {"cost": check_cost, "infeasible": check_infeasible, "representable": check_representable,
                      "hull-distance": check_hull_distance, "switch": check_switch}
VECTOR_PROPERTIES = PATTERN_PROPERTIES | {"smoothing": check_smoothing}


# ---- 6.8 Rule `vectors` -----------------------------------------------------------------------------------


def check_stated_vectors(folder, step, present):
    """Section 6.8."""
    statement = own_statement(folder, step, ("vectors", "property"))
    rows = array(statement["vectors"], "vectors")
    require(1 <= len(rows) <= 128 and 1 <= len(array(rows[0], "a vector")) <= 128, "vectors has the wrong size")
    rows = [[rational(x, "a coordinate") for x in array(row, "a vector", len(rows[0]))] for row in rows]
    limit = 10**400
    require(all(abs(x.numerator) < limit and x.denominator < limit for row in rows for x in row),
            "a coordinate has over 400 digits")
    scale = lcm(*(x.denominator for row in rows for x in row))
    require(scale < limit, "the common denominator has over 400 digits")
    rows = [[integer_over(scale, x) for x in row] for row in rows]
    subject = Subject(None, Vectors(rows, scale), False)
    check_vector_property(subject, statement["property"], step["evidence"], PATTERN_PROPERTIES)


STEP_RULES["vectors"] = check_stated_vectors, ("statement", "evidence")


# ---- The command line -------------------------------------------------------------------------------------


SECONDS, MEMORY, MEGABYTE = 3600, 2000, 10**6  # the defaults; this checker takes a hundred times as long as the other
MOST_SECONDS = MOST_MEMORY = 10**6


def check_file(path, options):
    """One file: (exit code, {"file", "claim", "verdict", "evidence", "reason"})."""
    result = {"file": path, "claim": "", "verdict": "", "evidence": "", "reason": ""}
    folder = os.path.dirname(os.path.abspath(path))
    here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # installed, a link leads here
    claims = [os.path.join(folder, "..", "proofs"), "proofs", os.path.join(here, "proofs")]
    claims = [options.claims] if options.claims else claims
    models = ([options.models] if options.models else []) + [folder]
    try:
        value = read_envelope(path)
        result["claim"] = value["claim"]
        if value["kind"] == "theory":
            return check_theory(value, claims, options.accept, result)
        if value["kind"] == "vectors":
            return check_vectors(value, claims, models, result)
        if value["kind"] == "language":
            return check_language(value, claims, models, result)
        return check_checkpoint(value, claims, models, options.accept, result)
    except tuple(REFUSALS) as error:
        (code, result["verdict"]), result["reason"] = REFUSALS[type(error)], str(error)
    except MemoryError:
        raise
    except Exception as error:  # a fault of this program: never a traceback, never "accepted"
        code, result["verdict"] = INTERNAL, "internal error"
        result["reason"] = f"{type(error).__name__}: {str(error)[:200]}".splitlines()[0]
    return code, result


NO_MEMORY = 3  # exit status of a child that found no memory


def held():
    """Bytes of data and stack that this process has; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[5]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError, IndexError):
        return 0


def in_child(path, options, end):
    """The child's part of check_within: the outcome goes to `end`; the exit status."""
    memory = held() + options.memory * MEGABYTE
    for kind, soft, hard in ((resource.RLIMIT_CORE, 0, 0), (resource.RLIMIT_DATA, memory, memory),
                             (resource.RLIMIT_CPU, options.seconds, options.seconds + 1)):
        most = resource.getrlimit(kind)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(kind, (soft, hard))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    try:
        outcome = json.dumps(check_file(path, options)).encode("ascii") + b"\n"
        while outcome:
            outcome = outcome[os.write(end, outcome):]
        return 0
    except MemoryError:
        return NO_MEMORY


def check_within(path, options):
    """check_file in a child process that ends at the limits: only an outcome that arrived whole counts."""
    start, end = os.pipe()
    sys.stdout.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, a child's end cannot be learnt
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(start)
            status = in_child(path, options, end)
        finally:
            os._exit(status)
    os.close(end)
    with open(start, "rb") as pipe:
        data = pipe.read()
    _, status, usage = os.wait4(child, 0)
    signalled, late = os.WIFSIGNALED(status) and os.WTERMSIG(status), usage.ru_utime + usage.ru_stime >= options.seconds
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 and data.endswith(b"\n"):
        code, result = json.loads(data)
        return code, result
    code, verdict = REFUSALS[TooMuch]
    if signalled == signal.SIGXCPU or (signalled == signal.SIGKILL and late):
        reason = (f"SP0905 the check needs more than {options.seconds} s of processor time, its limit; to allow more, "
                  f"check it with --seconds {10 * options.seconds}")
    elif os.WIFEXITED(status) and os.WEXITSTATUS(status) == NO_MEMORY:
        reason = (f"SP0905 the check needs more than {options.memory} MB of memory, its limit; to allow more, "
                  f"check it with --memory {10 * options.memory}")
    else:
        code, verdict = INTERNAL, "internal error"
        reason = f"the process of the check was ended by signal {signalled}" if signalled else "it left no outcome"
    return code, {"file": path, "claim": "", "verdict": verdict, "evidence": "", "reason": reason}


def accepted_kinds(text):
    kinds = set(text.split(","))
    if not kinds <= {"smt", "coq", "statistical"}:
        raise argparse.ArgumentTypeError("a comma-separated list of smt, coq and statistical")
    return kinds


def up_to(most):
    """The type of an argument: an integer from 1."""
    def read(text):
        if not re.fullmatch(r"[1-9][0-9]{0,6}", text) or int(text) > most:
            raise argparse.ArgumentTypeError(f"an integer, 1 to {most}")
        return int(text)
    return read


def folder_argument(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"no such folder: {text}")
    return text


def one_line(text):
    """Names come from the certificate: what could start a line or steer a terminal is shown as an escape."""
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode("ascii") for x in text)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        super().error(one_line(message))

    def _print_message(self, message, file=None):  # argparse's own passes over what cannot be written
        (file or sys.stderr).write(message)


def main(arguments, say=print):
    parser = Parser(prog="recheck.py", description="Check sinkproof certificates.",
                                     allow_abbrev=False)
    parser.add_argument("--models", metavar="DIR", type=folder_argument,
                        help="where the *.safetensors files, or the folders of models, are")
    parser.add_argument("--claims", metavar="DIR", type=folder_argument, help="the folder of claim folders")
    parser.add_argument("--accept", metavar="KINDS", type=accepted_kinds, default=set(),
                        help="smt,coq,statistical: take their word")
    parser.add_argument("--seconds", metavar="S", type=up_to(MOST_SECONDS), default=SECONDS,
                        help=f"processor time that the check of one file may take (default {SECONDS}; sinkproof-check: 300)")
    parser.add_argument("--memory", metavar="MB", type=up_to(MOST_MEMORY), default=MEMORY,
                        help=f"memory that the check of one file may take, mapped files aside (default {MEMORY})")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--quiet", action="store_true", help="as text: print only what is not accepted")
    parser.add_argument("files", metavar="FILE", nargs="+")
    options = parser.parse_args(arguments)
    results = []
    for path in options.files:
        code, result = check_within(path, options)
        results.append((code, result))
        if options.format == "text" and (code != ACCEPTED or not options.quiet):
            parts = [result["file"], result["claim"], result["verdict"], result["evidence"], result["reason"]]
            say(one_line(": ".join(part for part in parts if part)))
    if options.format == "json":
        say(json.dumps({"schema": 1, "files": [result for _, result in results]}, separators=(",", ":")))
    codes = {code for code, _ in results}
    return next(code for code in (INTERNAL, REJECTED, MISSING, PARTIAL, ACCEPTED) if code in codes)


def program(arguments):
    """The exit code of main(), which standard output that cannot be written is a reason of: MISSING."""
    closed, lost = sys.stdout is None, []
    if closed:
        sys.stdout = io.StringIO()
    else:
        sys.stdout.reconfigure(errors="backslashreplace")

    def written(write, *text):
        try:
            write(*text)
        except OSError as error:
            lost.append(error.strerror)

    try:
        code = main(arguments, lambda text: written(print, text))
    except SystemExit as end:  # argparse: --help, or what it refuses
        code = end.code
    except OSError as error:  # --help
        code, lost = MISSING, [error.strerror]
    if closed and sys.stdout.getvalue():
        lost.append("it is closed")
    written(sys.stdout.flush)
    if lost:
        print(f"error SP0203  standard output: cannot be written: {lost[0]}. What was to be printed is incomplete. "
              "Send it to a file or a pipe that takes all of it", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # takes what is left when the interpreter ends
        code = code if code in (INTERNAL, REJECTED) else MISSING
    return code


if __name__ == "__main__":
    sys.exit(program(sys.argv[1:]))
