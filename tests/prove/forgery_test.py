#!/usr/bin/env python3
"""Claims that say one thing and prove another: forgery_test.py BIN SOURCE [NAME...]

Each row of forgeries.json is a claim of this project in which a few texts were exchanged, so that something else is proved
than is said, or something else said than was. `sinkproof prove` must refuse it with the row's code (where there is none,
accept it: such a row shows that one beside it is refused for what it says; `holey`: the certificate says that it is). Claims are taken with their Coq steps alone and
the shared theory with what they need, so that the table takes a minute or two.
"""
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def coq_only(folder):
    """Drops what is not Coq from a claim's folder; its claim.toml follows."""
    for path in folder.iterdir():
        if path.suffix != ".v" and path.name != "claim.toml":
            path.unlink()
    toml = folder / "claim.toml"
    head, *blocks = re.split(r"^(?=\[\[)", toml.read_text(), flags=re.M)
    kept = [block for block in blocks
            if 'rule = "coq-' in block or (block.startswith("[[sentence]]") and not re.search(r'says = \[[^\]]*\.', block))]
    toml.write_text(head + "".join(re.sub(r"relies_on = \[.*\]", "relies_on = []", block) for block in kept))


def exchange(folder, changes):
    for name, old, new in changes:
        path = folder / name
        text = path.read_text() if path.exists() else ""
        if old and text.count(old) < 1:
            sys.exit(f"FAIL: {path} does not hold {old!r}")
        path.write_text(text.replace(old, new, 1) if old else text + new)


def prove(programs, proofs, certificates, claims):
    command = [programs / "sinkproof", "prove", *claims, "--proofs", proofs, "--certificates", certificates, "--format", "json", "--quiet", "--jobs", "1"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return {row["claim"]: row for row in json.loads(done.stdout)["claims"]}


def desk(root, source, theory, row):
    """A folder of claims with this one in it; its name is kept, for its certificate goes by it."""
    proofs = root / row["name"] / "proofs"
    shutil.copytree(source / "proofs" / row["claim"], proofs / row["claim"], ignore=shutil.ignore_patterns("README.md"))
    for name in theory:
        (proofs / "theory" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / "proofs" / "theory" / name, proofs / "theory" / name)
    certificates = root / row["name"] / "certificates"
    certificates.mkdir()
    shutil.copy(source / "certificates" / f"{row['claim']}.json", certificates)
    coq_only(proofs / row["claim"])
    exchange(proofs / row["claim"], row["change"])
    return proofs, certificates


def main(programs, source, names):
    table = json.loads((HERE / "forgeries.json").read_text())
    rows = [row for row in table["rows"] if not names or row["name"] in names]
    if len({row["name"] for row in table["rows"]}) != len(table["rows"]) or not rows:
        sys.exit("FAIL: rows of one name, or none")
    failures = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def judge(row):
            proofs, certificates = desk(pathlib.Path(folder), source, table["theory"], row)
            place = certificates / f"{row['claim']}.json"
            before = place.read_bytes()
            found = prove(programs, proofs, certificates, [row["claim"]])[row["claim"]]
            refused = found["verdict"] == "holey" if row.get("holey") else found["verdict"] == "unknown" and place.read_bytes() == before
            return row, found, (found["code"] == row["code"] and refused) if row.get("code") else found["verdict"] == "proved"

        for row, found, expected in pool.map(judge, rows):
            print(f"{'ok  ' if expected else 'FAIL'}  {row['name']}: {found['verdict']} {found['code']} {found['gap'][:160]}", flush=True)
            failures += not expected
    if failures:
        sys.exit(f"{failures} of {len(rows)} rows are not as they should be")


main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
