#!/usr/bin/env python3
"""Claims that say one thing and prove another: forgery_test.py BIN SOURCE [NAME...]

Each row of forgeries.json is a claim of this project in which a few texts were exchanged, so that something else is proved
than is stated, or something else said than was. `sinkproof prove` must refuse it with the row's code (where there is none,
accept it: such a row shows that one beside it is refused for what it says; `holey`: the certificate says that it is).
Claims are taken with their Coq steps alone, each under its row's name, and the shared theory with what they need. Other rows
are claims of their own: `statement` and `proof` are the lines of two files that Coq alone accepts. Rows that leave the
theory and the environment as they are are proved in one run, which compiles the theory once; others have a run of their own.
`setup` is a script that prints variables of the environment; $1 is an empty folder. Of a row with `text`, the words of its
sentence, `sinkproof explain` must show the statement first and mark every line of the words.
"""
import itertools
import json
import os
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


def own_claim(folder, row):
    """Writes the claim that a row with `statement` holds."""
    folder.mkdir(parents=True)
    for name in ("statement", "proof"):
        (folder / f"{name}.v").write_text("\n".join(row[name]) + "\n")
    sentences = re.findall(r"^Definition (\S+) : Prop :=", "\n".join(row["statement"]), re.M)
    says = ", ".join(f'"{name}"' for name in sentences)
    steps = "".join(f'\n[[step]]\nname = "{name}"\nrule = "coq-{rule}"\nfile = "{name}.v"\nestablishes = "It."\nrelies_on = []\n'
                    for name, rule in (("statement", "statement"), ("proof", "theorem")))
    (folder / "claim.toml").write_text(
        f'id = "{row["name"]}"\ntitle = "A forgery"\nsource = "made up"\nhypotheses = []\n\n[[sentence]]\n'
        f'text = {json.dumps(row.get("text", "It holds."))}\nsays = [{says}]\n{steps}')


def environment(row, folder):
    """What a row's `setup` puts into the environment."""
    variables = dict(os.environ)
    if "setup" in row:
        folder.mkdir()
        command = ["bash", "-c", "\n".join(row["setup"]), "setup", str(folder)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = dict(line.split("=", 1) for line in printed.splitlines() if re.match(r"[A-Z_]+=", line))
        if not found:
            sys.exit(f"FAIL: {row['name']}: its setup prints no variable")
        variables.update(found)
    return variables


def shows_words_as_words(programs, proofs, row):
    command = [programs / "sinkproof", "explain", row["name"], "--proofs", proofs, "--certificates", proofs.parent / "certificates"]
    shown = subprocess.run([str(word) for word in command], capture_output=True, check=False).stdout.decode()
    stated, words = shown.find(row["statement"][0]), shown.find("informal description")
    if re.search("[^\n -~]", shown) or not 0 <= stated < words:
        return False
    marked = itertools.takewhile(lambda line: line.startswith("     | "), shown[words:].splitlines()[1:])
    return len(list(marked)) == len(row["text"].split("\n"))


def prove(programs, proofs, claims, variables):
    certificates = proofs.parent / "certificates"
    command = [programs / "sinkproof", "prove", *claims, "--proofs", proofs, "--certificates", certificates, "--format", "json", "--quiet", "--jobs", "2"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, env=variables)
    return {row["claim"]: row for row in json.loads(done.stdout)["claims"]}


def is_alone(row):
    """Whether a row needs a theory or an environment of its own."""
    return "setup" in row or any(name.startswith("../") for name, _, _ in row.get("change", []))


def needed(source, theory, claims):
    """Those files of the theory that files of these claims require, or that such a file requires."""
    path_of = {pathlib.PurePath(name).stem: name for name in theory}
    found, texts = set(), [path.read_text() for claim in claims for path in (source / "proofs" / claim).glob("*.v")]
    while texts:
        for words in re.findall(r"^From Sinkproof Require (?:Import|Export) ([^.]*)", texts.pop(), re.M):
            for name in {path_of[word] for word in words.split()} - found:
                found.add(name)
                texts.append((source / "proofs" / "theory" / name).read_text())
    return found


def desk(root, source, theory, rows):
    """A folder of claims with these in it, and one of the certificates they had."""
    proofs = root / "proofs"
    (root / "certificates").mkdir(parents=True)
    taken = {row["claim"] for row in rows if "claim" in row}
    for name in {"definitions/task.v"} | needed(source, theory, taken):
        (proofs / "theory" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / "proofs" / "theory" / name, proofs / "theory" / name)
    for row in rows:
        folder = proofs / row["name"]
        if "statement" in row:
            own_claim(folder, row)
            continue
        shutil.copytree(source / "proofs" / row["claim"], folder, ignore=shutil.ignore_patterns("README.md"))
        shutil.copy(source / "certificates" / f"{row['claim']}.json", root / "certificates" / f"{row['name']}.json")
        coq_only(folder)
        exchange(folder, [["claim.toml", f'id = "{row["claim"]}"', f'id = "{row["name"]}"'], *row["change"]])
    return proofs


def judge(programs, proofs, rows):
    """Pairs of a row's outcome and whether it is the one that the row demands."""
    bytes_of = lambda path: path.read_bytes() if path.exists() else None
    place = lambda row: proofs.parent / "certificates" / f"{row['name']}.json"
    before = {row["name"]: bytes_of(place(row)) for row in rows}
    found = prove(programs, proofs, before, environment(rows[0], proofs.parent / "elsewhere"))
    for row in rows:
        outcome, kept = found[row["name"]], bytes_of(place(row)) == before[row["name"]]
        refused = outcome["verdict"] == "holey" if row.get("holey") else outcome["verdict"] == "unknown" and kept
        expected = (outcome["code"] == row["code"] and refused) if row.get("code") else outcome["verdict"] == "proved"
        yield outcome, expected and ("text" not in row or shows_words_as_words(programs, proofs, row))


def main(programs, source, names):
    table = json.loads((HERE / "forgeries.json").read_text())
    rows = [row for row in table["rows"] if not names or row["name"] in names]
    if len({row["name"] for row in table["rows"]}) != len(table["rows"]) or not rows:
        sys.exit("FAIL: rows of one name, or none")
    together = [row for row in rows if not is_alone(row)]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, some in enumerate([together] * bool(together) + [[row] for row in rows if is_alone(row)]):
            proofs = desk(pathlib.Path(folder) / str(i), source, table["theory"], some)
            for found, expected in judge(programs, proofs, some):
                print(f"{'ok  ' if expected else 'FAIL'}  {found['claim']}: {found['verdict']} {found['code']} {found['gap'][:160]}", flush=True)
                failures += not expected
    if failures:
        sys.exit(f"{failures} of {len(rows)} rows are not as they should be")


main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
