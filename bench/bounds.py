#!/usr/bin/env python3
"""How loose the bounds of `sinkproof certify` are: upper / lower of every loss of a reference set of trained models.

Trains each model of the set with each seed on each instruction set (training gives other bytes on another one), certifies
it, and prints the largest ratio by model and by rows. The lower end is attained by an exact input, so 1.00 is the best
possible. Models are kept in FOLDER and not trained again; delete it to start afresh.

    python3 bench/bounds.py --build build/bin --only wide FOLDER
"""
import argparse
import collections
import itertools
import json
import re
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

KINDS = ("softmax", "sigmoid-normalised", "elu1-normalised", "softmax-null", "softmax-sink", "softmax-gated", "relu", "sigmoid", "elu1", "linear")
SETS = {
    # name: (options of `train`, seconds of `certify`)
    "one": [(["--attention", kind, "--d-model", width, "--length", length], 60)
            for kind in ("softmax", "relu") for width, length in (("8", "8"), ("16", "16"))],
    "kinds": [(["--attention", kind, "--d-model", "8", "--length", "8", "--steps", "4000"], 60) for kind in KINDS],
    "wide": [(["--attention", kind, "--d-model", width, "--length", length, "--steps", "6000"], 60)
             for kind in ("softmax", "relu") for width, length in (("32", "16"), ("64", "64"))],
    "stacks": [(["--attention", kind, "--d-model", "16", "--length", "16", "--layers", "2", "--heads", "2", "--residual", "--steps", "30000"], 300)
               for kind in ("softmax", "relu")],
}


def run(*words):
    """Standard output of a program, and its exit code: 0, or 3 where a budget ended."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout


def ratios(document):
    """Upper over lower of each loss; infinite where no bound was found, or none but 0 is attained."""
    found = {}
    for row in document["properties"]:
        name = row["name"]
        if name.startswith("sup-loss"):
            lower, upper = (None if row.get(end) is None else Fraction(row[end]) for end in ("lower", "upper"))
            if upper is not None and upper == lower:  # 0 too
                found[name] = 1.0
            else:
                found[name] = float(upper / lower) if upper is not None and lower else float("inf")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build/bin"))
    parser.add_argument("--only", choices=SETS, action="append", help="these sets (default: all)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--instruction-sets", nargs="+", default=["AVX3", "AVX2"])
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    program = given.build / "sinkproof"
    for options, budget in itertools.chain.from_iterable(SETS[name] for name in given.only or SETS):
        worst, seconds = collections.defaultdict(float), 0.0
        for seed, instruction_set in itertools.product(given.seeds, given.instruction_sets):
            name = re.sub("[^a-z0-9]+", "-", " ".join([*options, str(seed), instruction_set]).lower()).strip("-")
            model = given.folder / f"{name}.safetensors"
            if not model.exists():
                run(program, "train", *options, "--seed", seed, "--instruction-set", instruction_set, "--quiet", "-o", model)
            start = time.monotonic()
            found = ratios(json.loads(run(program, "certify", model, "--seconds", budget, "--format", "json", "-o", model.with_suffix(".json"))))
            seconds = max(seconds, time.monotonic() - start)
            print(f"  seed {seed} on {instruction_set}: " + ", ".join(f"{key} {value:.3f}" for key, value in found.items()), flush=True)
            for key, value in found.items():
                worst[key] = max(worst[key], value)
        print(f"{' '.join(options)}: largest of {len(given.seeds)} seeds on {', '.join(given.instruction_sets)}: "
              + ", ".join(f"{key} {value:.3f}" for key, value in worst.items()) + f"; certify at most {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
