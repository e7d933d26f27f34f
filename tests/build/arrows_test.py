#!/usr/bin/env python3
"""A room lists under USES the rooms it includes, each before it in the lists of wings and of their rooms.

Usage: arrows_test.py SOURCE. Reads the quoted includes of every file of src/WING/ROOM, the words of its CMakeLists.txt
and the order of src/CMakeLists.txt and src/WING/CMakeLists.txt, lowest first.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"/]+)/', re.M)
SOURCES = {".cpp", ".hpp", ".in"}
FOREIGN = {"sinkproof", "hwy"}  # the public header of embed, and Highway's


def wings(source):
    """[(wing, [its rooms])], lowest first, as the lists of CMake name them."""
    def listed(folder):
        return re.findall(r"^add_subdirectory\((\w+)\)", (folder / "CMakeLists.txt").read_text(), re.M)
    return [(wing, listed(source / "src" / wing)) for wing in listed(source / "src")]


def uses(room):
    """The rooms that any target of the room lists."""
    lists = re.findall(r"\bUSES ([a-z_\s]+)", (room / "CMakeLists.txt").read_text())
    return {name for words in lists for name in words.split()}


def included(room):
    """{room: a file that includes it}"""
    files = [path for path in sorted(room.rglob("*")) if path.suffix in SOURCES]
    return {name: path for path in files for name in INCLUDE.findall(path.read_text())}


def problems(source):
    order = wings(source)
    place = {room: number for number, room in enumerate(room for _, rooms in order for room in rooms)}
    for wing, rooms in order:
        folders = {path.parent.name for path in (source / "src" / wing).glob("*/CMakeLists.txt")}
        if folders != set(rooms):
            yield f"src/{wing} has the rooms {sorted(folders)}, its CMakeLists.txt lists {sorted(rooms)}"
        for room in rooms:
            folder = source / "src" / wing / room
            listed, found = uses(folder) - {room}, included(folder)
            for name in sorted(found.keys() - listed - {room} - FOREIGN):
                yield f"{found[name]} includes {name}/, which {room} does not list under USES"
            for name in sorted(listed - found.keys()):
                yield f"{room} lists {name} under USES and includes nothing of it"
            for name in sorted(listed):
                if place.get(name, len(place)) >= place[room]:
                    yield f"{room} lists {name}, which is not before it in the lists of rooms"


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    rooms = sum(len(rooms) for _, rooms in wings(source))
    if rooms < 20:
        sys.exit(f"FAIL: {rooms} rooms found")
    found = list(problems(source))
    if found:
        sys.exit("FAIL: " + "\n".join(found))


if __name__ == "__main__":
    main()
