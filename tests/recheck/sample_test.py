#!/usr/bin/env python3
"""Both checkers accept every fifth of the committed certificates: a sample for every commit, of each folder that has
some, the first one always. Usage: sample_test.py FOLDER-OF-SINKPROOF-CHECK SOURCE"""
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
        options = ["--claims", source / "proofs", "--models", source / folder, "--accept", "smt,coq"]
        for checker in ([programs / "sinkproof-check"], [sys.executable, source / "tools" / "recheck"]):
            done = subprocess.run([*checker, *options, *files], capture_output=True, text=True, check=False)
            if done.returncode != 0 or len(done.stdout.splitlines()) != len(files):
                sys.exit(f"FAIL: {checker[-1]}: exit {done.returncode}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
