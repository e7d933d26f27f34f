"""FORMAT.md, sections 3.1 and 3.2: keys and verdict of a theory certificate."""

import re

from ..envelope import array, fields
from ..hashes import FILE_NAME, check_claim_hash
from ..refusal import ACCEPTED, PARTIAL, require, within
from ..vectors.certificate import check_stated_vectors
from .constructions import check_construction
from .coq import MUTANT, check_coq_statement, check_coq_theorem, check_smt, check_together, mutant_of
from .exact import check_identity, check_implication

RULE_OF_SUFFIX = ((".implication.json", "implication"), (".identity.json", "polynomial-identity"),
                  (".construction.json", "construction"), (".vectors.json", "vectors"), (".smt2", "smt"),
                  (".v", "coq-theorem"), (".prose.md", "prose"))

HOLES = {"prose", "assumed"}
SAYS = re.compile(rb'says = \["[A-Za-z0-9._\'/-]+"(?:, "[A-Za-z0-9._\'/-]+")*\]\r?')
STATEMENT_FILE = re.compile(r"([^/]+_)?statement\.v")


def rule_of(path):
    """Section 3: the rule a file's name gives, or None."""
    last = path.rsplit("/", 1)[-1]
    if last.endswith(MUTANT):
        return None
    if STATEMENT_FILE.fullmatch(path):
        return "coq-statement"
    return next((rule for suffix, rule in RULE_OF_SUFFIX if last.endswith(suffix) and last != suffix), None)


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
    claim = check_claim_hash(value, claim_places)
    present = set(claim.files)
    require("claim.toml" in present, "the claim folder holds no claim.toml")
    mutants = {mutant_of(name) for name in names if name.endswith(".smt2")}
    require(present <= mutants.union(names, ["claim.toml"]), "a file of the claim folder is not covered by a step")
    for step in steps:
        with within(f"step {step['file'][:80]}"):
            require(step["rule"] == "assumed" or step["file"] in present, "the file does not exist")
            check, keys = STEP_RULES[step["rule"]]
            asked = ("solvers",) if step["rule"] == "implication" and "solvers" in step else ()
            fields(step, ("file", "rule") + keys + asked, "the step")
            check(claim, step)
    rules = {step["rule"] for step in steps}
    check_together(steps, rules & HOLES)
    verdict = "holey" if rules & HOLES else weakest_said(claim, steps)
    require(value["verdict"] == verdict, f"verdict is not {verdict}")
    kinds = (("exact", {"implication", "polynomial-identity", "construction", "vectors"}), ("smt", {"smt", "solvers"}),
             ("coq", {"coq-theorem"}))
    rests_on = [{step["rule"]} | ({"solvers"} & set(step)) for step in steps]
    result["evidence"] = "+".join(kind for kind, of in kinds if any(of & marks for marks in rests_on))
    trusted = [(kind, step["file"]) for step, marks in zip(steps, rests_on) for kind, of in kinds[1:] if of & marks]
    accepted = all(kind in accept for kind, _ in trusted)
    remarks = []
    if rules & HOLES:
        remarks.append("assumed or prose: " + next(step["file"] for step in steps if step["rule"] in HOLES))
    elif trusted:
        remarks.append(f"steps not re-verified: {len(trusted)}; `sinkproof prove {value['claim']}` runs them again")
    if trusted:
        remarks.append("not re-verified: " + ", ".join(f"{kind} {file}" for kind, file in trusted))
    result["reason"] = "; ".join(remarks)
    result["verdict"] = verdict if accepted or verdict != "proved" else "unknown"
    return (ACCEPTED if accepted and verdict == "proved" else PARTIAL), result


def weakest_said(claim, steps):
    """Section 3.2, where nothing is a hole: the verdict of what claim.toml's lines `says` name."""
    scopes = {name: "all" for step in steps if step["rule"] == "coq-statement" for name in step["sentences"]}
    scopes.update({step["file"]: "all" for step in steps if step["rule"] == "smt"})
    scopes.update({step["file"]: step["statement"]["scope"] for step in steps
                   if step["rule"] in ("implication", "polynomial-identity", "construction")})
    said = set()
    for line in claim.files["claim.toml"].split(b"\n"):
        if line.translate(None, b" \t\"'").startswith(b"says="):
            require(SAYS.fullmatch(line), "a line says of claim.toml has another form")
            said.update(part.decode("ascii") for part in line.split(b'"')[1::2])
    require(said, "claim.toml says nothing")
    for name in sorted(said):
        require(name in scopes, f"no step states {name[:80]}")
    return "proved" if all(scopes[name] == "all" for name in said) else "bounded"


# By rule: what checks a step, and its keys beside `file` and `rule`. A step in prose, or assumed, is a hole.
STEP_RULES = {"implication": (check_implication, ("statement", "evidence")), "smt": (check_smt, ()),
              "polynomial-identity": (check_identity, ("statement",)),
              "construction": (check_construction, ("statement",)),
              "vectors": (check_stated_vectors, ("statement", "evidence")),
              "coq-statement": (check_coq_statement, ("sha256", "definitions", "sentences")),
              "coq-theorem": (check_coq_theorem, ("assumptions", "theorems", "theory_sha256")),
              **dict.fromkeys(HOLES, (lambda *_: None, ()))}