"""FORMAT.md, sections 3.5 and 3.6: rules `smt`, `coq-statement` and `coq-theorem`."""

import re

from ..envelope import array
from ..hashes import hash_of
from ..refusal import Reject, require

MUTANT = ".mutant.smt2"

AXIOMS = ("ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
          "FunctionalExtensionality.functional_extensionality_dep")

IDENTIFIER = rb"[A-Za-z_][A-Za-z0-9_']*"
PRINT_ASSUMPTIONS = re.compile(rb"Print Assumptions (%b)\." % IDENTIFIER)
SENTENCE = re.compile(rb"Definition (%b) : Prop :=" % IDENTIFIER)
REQUIRES = re.compile(rb"From Sinkproof Require Import((?: %b)+)\." % IDENTIFIER)


def mutant_of(lemma):
    return lemma[:-len(".smt2")] + MUTANT


def check_smt(claim, step):
    """Section 3.5."""
    mutant = mutant_of(step["file"])
    require(mutant in claim.files, "the mutant does not exist")
    texts = [claim.files[name] for name in (step["file"], mutant)]
    require(texts[0] != texts[1], "the mutant is the lemma itself")
    require(all(b"(assert" in text for text in texts), "a file asserts nothing")


def check_coq_statement(claim, step):
    """Section 3.6: a statement file."""
    text = claim.files[step["file"]]
    require(step["sha256"] == hash_of(text), "sha256 is not the hash of the statement file")
    names = [match[1].decode("ascii") for line in text.split(b"\n") if (match := SENTENCE.match(line))]
    require(names and step["sentences"] == names, "sentences are not those of the statement file")
    require(not any(name.endswith("_instance") for name in names), "a sentence is called an instance")
    theory, pending, found = claim.theory, [text], {}
    while pending:
        for line in pending.pop().split(b"\n"):
            if b"Sinkproof" in line:
                match = REQUIRES.fullmatch(line)
                require(match, "a line of Sinkproof requires nothing")
                for path in (f"definitions/{name}.v" for name in match[1].decode("ascii").split()):
                    require(path in theory.files, f"no definition file {path[:80]}")
                    if path not in found:
                        found[path] = {"file": path, "sha256": theory.hashes[path]}
                        pending.append(theory.files[path])
    require(step["definitions"] == [found[path] for path in sorted(found)],
            "definitions are not those the statement rests on")


def check_coq_theorem(claim, step):
    """Section 3.6: a proof file."""
    names = []
    for line in reversed(claim.files[step["file"]].split(b"\n")):
        if not (line := line.rstrip(b" \t\r")):
            continue
        if not (match := PRINT_ASSUMPTIONS.fullmatch(line)):
            break
        names.append(match[1].decode("ascii"))
    require(step["theorems"] == names[::-1], "theorems are not those the file prints")
    axioms = array(step["assumptions"], "assumptions")
    require(all(type(x) is str and x in AXIOMS for x in axioms), "an assumption is not an allowed axiom")
    require(all(x < y for x, y in zip(axioms, axioms[1:])), "assumptions are not strictly increasing")
    require(claim.theory.hash() == step["theory_sha256"], "theory_sha256 is not the hash of the folder proofs/theory")


def check_together(steps, holey):
    """Section 3.6, Together."""
    sentences, theorems = set(), set()
    for name in (name for step in steps if step["rule"] == "coq-statement" for name in step["sentences"]):
        require(name not in sentences, f"{name[:80]} is stated twice")
        sentences.add(name)
    for name in (name for step in steps if step["rule"] == "coq-theorem" for name in step["theorems"]):
        require(name not in theorems, f"{name[:80]} is proved twice")
        require({name, name.removesuffix("_instance")} & sentences, f"the theorem {name[:80]} is not a sentence of a statement file")
        theorems.add(name)
    for name in [] if holey else sorted(sentences - theorems):
        raise Reject(f"no theorem proves the sentence {name[:80]}")
