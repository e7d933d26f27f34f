#!/usr/bin/env python3
"""The theory as it is committed: `regenerate` proves every claim again (exact steps, both SMT solvers with
their mutants, Coq) and compares the certificates byte for byte; `check` has both checkers accept all of them and those
of one layer in examples/, and reads the pages; `stacks` has both accept those of stacks, which takes long;
`constructions` exports every construction as a checkpoint and has certify find its exact loss again.

Usage: proofs_test.py regenerate|check|stacks|constructions BIN SOURCE
"""
import fractions
import json
import pathlib
import subprocess
import sys
import tempfile
import time

PAGE_LINES = 65


def fail(message):
    print("FAIL:", message)
    sys.exit(1)


def timed(command, expected, cwd):
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    print(f"{time.monotonic() - start:7.1f} s  exit {done.returncode}  {pathlib.Path(str(command[0])).name} "
          f"{' '.join(str(word) for word in command[1:4])} ...")
    if done.returncode != expected:
        fail(f"exit {done.returncode} where {expected} was expected\n{done.stdout}{done.stderr}")
    return done.stdout


def claims(source):
    found = sorted(path.parent.name for path in (source / "proofs").glob("*/claim.toml"))
    if not found:
        fail("no claims: a test of nothing passes nothing")
    return found


def regenerate(programs, source):
    with tempfile.TemporaryDirectory() as folder:
        table = timed([programs / "sinkproof", "prove", "--all", "--certificates", folder], 0, source)
        print(table)
        made = sorted(path.stem for path in pathlib.Path(folder).glob("*.json"))
        if made != claims(source):
            fail(f"prove --all wrote {made}, the claims are {claims(source)}")
        for claim in made:
            committed = source / "certificates" / f"{claim}.json"
            if not committed.exists() or committed.read_bytes() != (pathlib.Path(folder) / f"{claim}.json").read_bytes():
                fail(f"certificates/{claim}.json is not what `sinkproof prove {claim}` writes")
        left = list((source / "proofs").glob("**/question*"))
        if left:
            fail(f"left behind: {left}")


def checkpoints(programs, source, chosen, least):
    """Both checkers on the certificates of examples/ that are about a chosen number of layers."""
    examples = source / "examples"
    files = [path for folder in ("variants", "forced", "stacks") for path in sorted((examples / folder).glob("*.json"))
             if not path.name.endswith(".stack.json") and chosen(json.loads(path.read_text())["model"]["num_layers"])]
    if len(files) < least:
        fail(f"examples/ lacks a certificate: {len(files)} where {least} are expected")
    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder)
        for path in [*examples.glob("*/*.safetensors"), *(source / "tests" / "checkpoints").glob("*.safetensors")]:
            (models / path.name).symlink_to(path)
        for name, d_model in (("one-head-deep", 4), ("rollout", 6)):
            timed([programs / "sinkproof", "construct", examples / "stacks" / f"{name}.stack.json", "--d-model", d_model,
                   "-o", models / f"{name}.safetensors"], 0, source)
        for checker in ([programs / "sinkproof-check"], [sys.executable, source / "tools" / "recheck"]):
            timed([*checker, "--claims", source / "proofs", "--models", models, *files], 0, source)


def check(programs, source):
    files = sorted((source / "certificates").glob("*.json"))
    if [path.stem for path in files] != claims(source):
        fail("certificates/ and proofs/ do not hold the same claims")
    accept = ["--claims", source / "proofs", "--accept", "smt,coq"]
    for checker in ([programs / "sinkproof-check"], [sys.executable, source / "tools" / "recheck"]):
        rows = timed([*checker, *accept, *files], 0, source).splitlines()
        # One row a file: "proved (exact+coq)  tc-1  ..." or ".../tc-1.json: tc-1: proved: exact+coq".
        proved = [row for row in rows if row.startswith("proved (") or ": proved: " in row]
        if len(rows) != len(files) or proved != rows:
            fail("a certificate is not proved:\n" + "\n".join(rows))
    timed([sys.executable, source / "scripts" / "trust_definitions.py", programs, "--check"], 0, source)
    checkpoints(programs, source, lambda layers: layers == 1, 16)
    for claim in claims(source):
        page = source / "proofs" / claim / "README.md"
        if not page.exists() or len(page.read_text().splitlines()) > PAGE_LINES:
            fail(f"proofs/{claim}/README.md must exist and have at most {PAGE_LINES} lines")
        if claim not in (source / "docs/TRUST_THEORY.md").read_text():
            fail(f"docs/TRUST_THEORY.md does not say what {claim} relies on")


def stacks(programs, source):
    checkpoints(programs, source, lambda layers: layers > 1, 8)


def constructions(programs, source):
    files = sorted((source / "proofs").glob("*/*.construction.json"))
    if not files:
        fail("no constructions")
    with tempfile.TemporaryDirectory() as folder:
        model, certificate = pathlib.Path(folder) / "m.safetensors", pathlib.Path(folder) / "m.json"
        for file in files:
            exact = fractions.Fraction(json.loads(file.read_text())["statement"]["sup_loss"])
            run = lambda *words: timed([programs / words[0], *words[1:]], 0, source)
            run("sinkproof", "construct", file, "--d-model", 5, "-o", model)
            report = json.loads(run("sinkproof", "certify", model, "--property", "sup-loss", "-o", certificate,
                                    "--format", "json"))
            run("sinkproof-check", "--claims", source / "proofs", "--models", folder, certificate)
            loss = next(entry for entry in report["properties"] if entry["name"] == "sup-loss")
            lower, upper = fractions.Fraction(loss["lower"]), fractions.Fraction(loss["upper"])
            # The file holds rounded logits and values; heads that cancel magnify that.
            rounding = fractions.Fraction(1, 10**6)
            if not lower <= exact + rounding or not exact - rounding <= upper <= exact * 101 / 100 + rounding:
                fail(f"{file.name}: loss {exact}, certified [{float(lower)}, {float(upper)}]")


if __name__ == "__main__":
    job, programs, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    {"regenerate": regenerate, "check": check, "stacks": stacks, "constructions": constructions}[job](programs, source)
