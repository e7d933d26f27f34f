#!/usr/bin/env python3
"""Writes the list of definitions that the theory claims rest on into docs/TRUST_THEORY.md, between its markers:
python3 scripts/trust_definitions.py FOLDER-OF-SINKPROOF [--check]

It is made from what `sinkproof explain` prints for each claim: the definitions that its sentences mention, and what those
mention. With --check nothing is written, and a list that is out of date fails.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- definitions: scripts/trust_definitions.py -->\n", "<!-- end of definitions -->\n"


def explained(programs, claim):
    command = [programs / "sinkproof", "explain", claim, "--format", "json", "--proofs", ROOT / "proofs", "--certificates", ROOT / "certificates"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def table(programs):
    claims = sorted(path.parent.name for path in (ROOT / "proofs").glob("*/claim.toml"))
    users = collections.defaultdict(lambda: collections.defaultdict(list))
    for claim in claims:
        for definition in explained(programs, claim)["definitions"]:
            file = definition["file"] if definition["file"].startswith("theory/") else f"{claim}/{definition['file']}"
            for name in definition["names"]:
                users[file][name].append(claim)
    if not users:
        sys.exit("no definitions found: name the folder of the built sinkproof")
    rows = ["| file below `proofs/` | definitions | claims |", "|---|---|---|"]
    for file in sorted(users):
        names = ", ".join(f"`{name}`" for name in users[file])
        rows.append(f"| `{file}` | {names} | {', '.join(sorted({claim for used in users[file].values() for claim in used}))} |")
    return "\n".join(rows) + "\n"


def main(programs, check):
    page = ROOT / "docs/TRUST_THEORY.md"
    text = page.read_text()
    head, rest = text.split(BEGIN)
    made = head + BEGIN + "\n" + table(programs) + "\n" + END + rest.split(END)[1]
    if not check:
        page.write_text(made)
    elif made != text:
        sys.exit("docs/TRUST_THEORY.md's list of definitions is out of date: python3 scripts/trust_definitions.py FOLDER-OF-SINKPROOF")


main(pathlib.Path(sys.argv[1]).resolve(), "--check" in sys.argv[2:])
