#!/usr/bin/env python3
"""How many lines of C++ of this project a verdict rests on, by the kind of its certificate.

A file reaches those it includes, and a header what defines its functions: the .cpp file of its name, and those of its
room that include it, have no header of their own and define what it declares; where it has no .cpp file of its name,
those of its room that include it and either have no header of their own or define what it declares. What decides a kind is reached from src/checker/check as far as that kind goes: the
doors of the other kinds are left out. Blank lines and comments count.
"""
import argparse
import pathlib
import re

CHECKER = pathlib.Path(__file__).resolve().parent.parent / "src"
ROOMS = {folder.name: folder for wing in ("base", "checker") for folder in sorted((CHECKER / wing).iterdir()) if folder.is_dir()}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
DECLARED = re.compile(r"^\w[^;{}()=]*?\b(\w+)(?:\(|;)", re.M)
FRAME = ["check/main.cpp", "check/command_line.cpp", "check/check.cpp", "check/limits.cpp", "check/find.cpp"]
# Of each kind: where its rules begin, and which parts the checker could do without.
BOX = ["check/checkpoint.cpp"]
KINDS = {"theory claim": (["theory/theory.cpp"], {"vectors"}),
         "box bound": (BOX, {"sampling"}),
         "random sequences": (BOX, set()),
         "given vectors": (["vectors/vectors.cpp"], set()),
         "language model": (["language/check.cpp"], set()),
         "cover": (["language/cover_check.cpp"], set())}
DOORS = {"theory/theory.hpp", "check/checkpoint.hpp", "vectors/vectors.hpp", "language/check.hpp", "language/cover_check.hpp"}


def path_of(name):
    room, rest = name.split("/", 1)
    return ROOMS[room] / rest


def includes(name):
    return INCLUDE.findall(path_of(name).read_text())


def definitions(header):
    """The .cpp files that define what a header declares."""
    own = path_of(header).with_suffix(".cpp")
    room = ROOMS[header.split("/", 1)[0]]
    declared = "|".join(DECLARED.findall(path_of(header).read_text())) or "(?!)"
    defined = re.compile(rf"^\w[^;={{]*\b(?:{declared})(?:\([^;]*?\{{| = )", re.M)
    found = {own} if own.exists() else set()
    for path in room.rglob("*.cpp"):
        beside = path.with_suffix(".hpp")
        text = path.read_text()
        seen = text + (beside.read_text() if beside.exists() else "")
        if path.name in ("left_out.cpp", "main.cpp") or header not in INCLUDE.findall(seen):
            continue
        signs = [not beside.exists(), bool(defined.search(text))]
        if all(signs) if own.exists() else any(signs):
            found.add(path)
    return [f"{room.name}/{path.relative_to(room)}" for path in sorted(found)]


def reached(begin, left_out):
    """All files reached, each door of another kind as its header alone."""
    found, waiting = set(), list(begin)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        waiting += includes(name)
        room = name.split("/", 1)[0]
        is_shut = name in DOORS and name.removesuffix(".hpp") + ".cpp" not in begin
        if name.endswith(".hpp") and not is_shut:
            waiting += [f"{room}/left_out.cpp"] if room in left_out else definitions(name)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true", help="list the files, with their lines")
    asked = parser.parse_args()
    for kind, (rules, left_out) in KINDS.items():
        lines = {name: len(path_of(name).read_text().splitlines()) for name in reached(FRAME + rules, left_out)}
        print(f"{sum(lines.values()):6}  {kind}")
        for name in sorted(lines) if asked.files else ():
            print(f"        {lines[name]:5}  {name}")


if __name__ == "__main__":
    main()
