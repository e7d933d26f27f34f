#!/usr/bin/env python3
"""A folder is compiled with the headers of the folders it lists under USES and of no others.

Usage: arrows_test.py BUILD SOURCE. Asks the compiler itself, by each folder's own compile command, which folders'
files it finds, and holds the answer against the words of src/*/CMakeLists.txt.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys


def listed(source):
    """{folder: those it may see}, itself among them."""
    text = {path.parent.name: path.read_text() for path in (source / "src").glob("*/CMakeLists.txt")}
    uses = {name: re.search(rf"sinkproof_folder\(\s*{name}\b[^)]*?\bUSES ([a-z_\s]+)", words) for name, words in text.items()}
    return {name: {name, *(found.group(1).split() if found else ())} for name, found in uses.items()}


def commands(build):
    """{folder: (compiler and its include folders, where it runs)}, of what is compiled first of the folder's library."""
    first = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        library = re.search(r" -o src/(\w+)/CMakeFiles/sinkproof_\1\.dir/", entry["command"])
        if not library:
            continue
        words = shlex.split(entry["command"])
        compiler = next(word for word in words if re.search(r"(\+\+|g\+\+-\d+)$", word))
        first.setdefault(library.group(1), ([compiler, *(w for w in words if w.startswith("-I"))], entry["directory"]))
    return first


def seen(command, folders):
    question = "".join(f'#if __has_include("{name}/CMakeLists.txt")\nsees {name}\n#endif\n' for name in folders)
    done = subprocess.run([*command[0], "-E", "-P", "-x", "c++", "-"], input=question, cwd=command[1],
                          capture_output=True, text=True, check=True)
    return set(re.findall(r"sees (\w+)", done.stdout))


def main():
    build, source = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    expected, found = listed(source), commands(build)
    if set(expected) != set(found) or len(found) < 10:
        sys.exit(f"FAIL: folders {sorted(expected)}, compiled {sorted(found)}")
    wrong = [f"{name} sees {sorted(sight)}, lists {sorted(expected[name])}"
             for name, command in sorted(found.items()) if (sight := seen(command, expected)) != expected[name]]
    if wrong:
        sys.exit("FAIL: " + "\n".join(wrong))
    if not any(set(expected) - sight for sight in expected.values()):
        sys.exit("FAIL: every folder lists every other: nothing was tested")


if __name__ == "__main__":
    main()
