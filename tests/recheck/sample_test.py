#!/usr/bin/env python3
"""Both checkers accept every fifth of the committed certificates, and say the same of each: a sample for every commit, of
each folder that has some, the first one always. Usage: sample_test.py FOLDER-OF-SINKPROOF-CHECK SOURCE"""
import json
import pathlib
import subprocess
import sys

EVERY = 5


def main():
    programs, source = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    for folder in ("certificates", "examples/variants", "examples/costs"):
        files = sorted((source / folder).glob("*.json"))[::EVERY]
        if not files:
            sys.exit(f"FAIL: no certificate in {folder}")
        options = ["--format", "json", "--claims", source / "proofs", "--models", source / folder]
        # Without --accept a theory certificate is not proved.
        runs = [(["--accept", "smt,coq"], 0)] + [([], 3)] * (folder == "certificates")
        for accept, code in runs:
            said = []
            for checker in ([programs / "sinkproof-check"], [sys.executable, source / "tools" / "recheck"]):
                done = subprocess.run([*checker, *options, *accept, *files], capture_output=True, text=True, check=False)
                said.append([{key: one[key] for key in ("file", "claim", "verdict", "evidence", "reason")}
                             for one in json.loads(done.stdout)["files"]])
                if done.returncode != code or len(said[-1]) != len(files):
                    sys.exit(f"FAIL: {checker[-1]}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            for theirs, ours in zip(*said):
                if theirs != ours:
                    sys.exit(f"FAIL: the checkers say different things:\n{theirs}\n{ours}")


if __name__ == "__main__":
    main()
