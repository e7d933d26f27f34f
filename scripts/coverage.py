#!/usr/bin/env python3
"""Reads what gcov counted for scripts/coverage.sh: coverage.py BUILD [FILE]. Lines of src/checker and src/base."""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WINGS = ("src/checker/", "src/base/")


def counted(build):
    """{file: {line: how often it ran}}: the sum over all objects that hold it, templates' copies together."""
    lines = collections.defaultdict(collections.Counter)
    objects = sorted(build.rglob("*.gcno"))
    for start in range(0, len(objects), 40):
        made = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, objects[start:start + 40])],
                              check=True, capture_output=True).stdout
        for text in made.splitlines():
            for file in json.loads(text)["files"]:
                path = pathlib.Path(file["file"])
                path = (ROOT / path).resolve()
                if not path.is_relative_to(ROOT) or not str(path.relative_to(ROOT)).startswith(WINGS):
                    continue
                for line in file["lines"]:
                    lines[str(path.relative_to(ROOT))][line["line_number"]] += line["count"]
    return lines


def row(name, lines):
    run = sum(1 for count in lines if count > 0)
    return f"{name:36} {run:6} of {len(lines):6} {100 * run / len(lines):6.1f} %"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    lines = counted(build)
    if not lines:
        sys.exit(f"{build} holds no counts; run scripts/coverage.sh without arguments first")
    if len(sys.argv) > 2:
        for name in sys.argv[2:]:
            text = (ROOT / name).read_text().splitlines()
            for number in sorted(n for n, count in lines[name].items() if count == 0):
                print(f"{name}:{number}: {text[number - 1]}")
        return
    folders = collections.defaultdict(list)
    for name, counts in lines.items():
        parts = name.split("/")
        folders["/".join(parts[:3])] += counts.values()
        folders[parts[0] + "/" + parts[1] + ", all"] += counts.values()
    print(f"{'folder':36} {'run':>6}    {'lines':>6}")
    for name in sorted(folders):
        print(row(name, folders[name]))
    print("\nfiles with the most lines that no test runs")
    missing = {name: sum(1 for count in counts.values() if count == 0) for name, counts in lines.items()}
    for name in sorted(missing, key=lambda name: (-missing[name], name))[:10]:
        print(f"{missing[name]:5}  {row(name, lines[name].values())}")


if __name__ == "__main__":
    main()
