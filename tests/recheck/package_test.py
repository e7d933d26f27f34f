#!/usr/bin/env python3
"""Tests of tools/recheck as a package: python3 tests/recheck/package_test.py

It runs from wherever it is copied to, in each way Python runs a package, and needs the standard library alone. Every
module names the sections it follows, and no two modules import each other.
"""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipapp

import reasons
from recheck_test import ROOT, SAMPLES, SCRIPT

PAGES = pathlib.Path(ROOT, "src", "checker", "certificate")
MODULES = {".".join(path.relative_to(SCRIPT).with_suffix("").parts): ast.parse(path.read_text("utf-8"))
           for path in pathlib.Path(SCRIPT).rglob("*.py")}
MAX_LINES = 600


def imports(name):
    """The full names of the modules that a module of the package imports."""
    for node in ast.walk(MODULES[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            outer = name.split(".")[:-node.level] if node.level else ()
            yield ".".join(["recheck"] * bool(node.level) + [*outer, node.module])


class Modules(unittest.TestCase):
    def test_they_import_the_standard_library_and_each_other_one_way(self):
        pending = {f"recheck.{name}": set(imports(name)) for name in MODULES}
        self.assertGreater(len(pending), 40)
        for name, found in pending.items():
            others = {module for module in found if module not in pending}
            self.assertEqual({module for module in others if module.split(".")[0] not in sys.stdlib_module_names}, set(), name)
        while free := {name for name, found in pending.items() if not found & pending.keys()}:
            pending = {name: found for name, found in pending.items() if name not in free}
        self.assertEqual(sorted(pending), [], "these import each other")

    def test_each_names_its_sections(self):
        headings = {page.name: set(re.findall(r"^#+ ([0-9.]+?)\.? ", page.read_text("utf-8"), re.M)) for page in PAGES.glob("*.md")}
        for page in ("FORMAT.md", "CHECKPOINT_RULES.md", "LANGUAGE_RULES.md", "VECTOR_RULES.md"):  # with the pages that it lists
            for part in re.findall(r"^\| [0-9., ]+ \| \[(\w+\.md)\]", (PAGES / page).read_text("utf-8"), re.M):
                headings[page] |= headings.pop(part)
        headings["CHECKPOINT_RULES.md"].add("4")
        headings["LANGUAGE_RULES.md"].add("5")
        headings["VECTOR_RULES.md"].add("6")
        spoken = set()
        for name, tree in MODULES.items():
            said = ast.get_docstring(tree)
            self.assertTrue(said, name)
            if match := re.match(r"([A-Z_]+\.md), sections? ([0-9., and to]+):", said):
                sections = re.findall(r"[0-9]+(?:\.[0-9]+)?", match[2])
                self.assertLessEqual(set(sections), headings[match[1]], name)
                if "to" in match[2]:
                    first, last = (int(x.split(".")[1]) for x in sections)
                    sections = [f"{sections[0].split('.')[0]}.{k}" for k in range(first, last + 1)]
                spoken |= {(match[1], section) for section in sections}
        missing = {(page, section) for page, of in headings.items() for section in of} - spoken
        self.assertEqual(missing, set())

    def test_the_table_of_reasons_has_nothing_else(self):
        def text(node):
            if isinstance(node, ast.JoinedStr):
                return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        said = "\n".join(text(node) for tree in MODULES.values() for node in ast.walk(tree))
        for name, reason in vars(reasons).items():
            if not name.startswith("_"):
                self.assertIn(reason, said, name)

    def test_none_is_long(self):
        for path in pathlib.Path(SCRIPT).rglob("*.py"):
            self.assertLess(path.read_text("utf-8").count("\n"), MAX_LINES, path)


class Anywhere(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        clean = shutil.ignore_patterns("__pycache__")
        shutil.copytree(SCRIPT, self.folder / "tools" / "recheck", ignore=clean)
        shutil.copytree(SCRIPT, self.folder / "other name", ignore=clean)
        (self.folder / "link").symlink_to(os.path.join("tools", "recheck", "__main__.py"))
        zipapp.create_archive(self.folder / "tools" / "recheck", self.folder / "tools" / "recheck.pyz", interpreter="/usr/bin/env python3")
        shutil.copytree(os.path.join(SAMPLES, "proofs"), self.folder / "proofs")
        self.ways = {
            "folder": (".", [sys.executable, "tools/recheck"]), "folder of another name": (".", [sys.executable, "other name"]),
            "isolated": (".", [sys.executable, "-I", "tools/recheck"]), "module": ("tools", [sys.executable, "-m", "recheck"]),
            "zip": (".", [sys.executable, "tools/recheck.pyz"]), "program": (".", ["tools/recheck/__main__.py"]),
            "program of one file": (".", ["tools/recheck.pyz"]), "link": (".", ["./link"]),
        }

    def run_from(self, place, command, *arguments):
        environment = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environment["PATH"]
        return subprocess.run([*command, *arguments], cwd=self.folder / place, capture_output=True, text=True, timeout=300,
                              env=environment)

    def test_every_way_to_run_it(self):
        good, bad = os.path.join(SAMPLES, "relu.json"), self.folder / "bad.json"
        with open(good, "rb") as file:
            bad.write_bytes(file.read().replace(b'"kind":"checkpoint"', b'"kind":"theory"'))
        for way, (place, command) in self.ways.items():
            claims = ["--claims", str(self.folder / "proofs")]
            for path, code in ((good, 0), (bad, 4)):
                with self.subTest(f"{way} {code}"):
                    out = self.run_from(place, command, *claims, str(path))
                    self.assertEqual((out.returncode, out.stderr), (code, ""), out.stdout)

    def test_what_is_installed_leaves_no_files(self):
        """A link to the program, as packages install it; Python itself keeps what it compiles of a folder it is given."""
        before = sorted(self.folder.rglob("*"))
        for way in ("program", "link", "zip"):
            self.assertEqual(self.run_from(*self.ways[way], "--help").returncode, 0)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_claims_beside_the_folder_of_the_package(self):
        """Where no other place has them: two folders up from the package, or from its zip file."""
        shutil.copy(os.path.join(SAMPLES, "relu.json"), self.folder / "tools" / "recheck")  # proofs is not beside its folder
        for way in ("module", "zip", "folder", "link"):
            place, command = self.ways[way]
            command = [str(self.folder / part) if (self.folder / part).exists() else part for part in command]
            inside = self.folder / "tools" if way == "module" else self.folder / "tools" / "recheck"
            out = self.run_from(inside, command, "--models", SAMPLES, str(self.folder / "tools" / "recheck" / "relu.json"))
            self.assertEqual((out.returncode, out.stderr), (0, ""), f"{way}: {out.stdout}")
        (self.folder / "proofs").rename(self.folder / "elsewhere")
        out = self.run_from("tools/recheck", command, "--models", SAMPLES, str(self.folder / "tools" / "recheck" / "relu.json"))
        self.assertEqual(out.returncode, 2, out.stdout)


if __name__ == "__main__":
    unittest.main()
