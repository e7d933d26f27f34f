"""The examples of README.md run as they stand there, in one shell, and certify prints what the page shows. The demo runs to its end.

usage: readme_test.py BIN_DIR SOURCE_DIR
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, SOURCE = (Path(name).resolve() for name in sys.argv[1:3])
del sys.argv[1:3]
README = (SOURCE / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def linked(scratch):
    """What the examples and the demo read of the project, under a folder of their own."""
    for folder in ("certificates", "docs", "examples", "proofs", "tests", "tools"):
        (scratch / folder).symlink_to(SOURCE / folder)
    (scratch / "build").mkdir()
    (scratch / "build/bin").symlink_to(BIN)


class Readme(unittest.TestCase):
    def test_the_demo(self):
        """All of it but the packages and the build."""
        with tempfile.TemporaryDirectory(prefix="sinkproof-demo-") as scratch:
            scratch = Path(scratch)
            linked(scratch)
            (scratch / "scripts").mkdir()
            shutil.copy(SOURCE / "scripts/demo.sh", scratch / "scripts")
            for name in ("setup.sh", "build.sh"):
                (scratch / "scripts" / name).write_text("#!/bin/sh\n")
                (scratch / "scripts" / name).chmod(0o755)
            done = subprocess.run([scratch / "scripts/demo.sh"], cwd="/", capture_output=True, text=True, timeout=800)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            steps = re.findall(r"^== (\d+) of (\d+),", done.stdout, re.M)
            self.assertEqual([int(number) for number, _ in steps], list(range(1, int(steps[0][1]) + 1)))
            self.assertRegex(done.stdout, r"unknown  checkpoint  out/certificates/softmax.json  [1-9]\d* of \d+ statements are proved")
            self.assertNotIn("rejected", done.stdout)
            self.assertIn("sup-loss.trigger", (scratch / "out/report.html").read_text())

    def test_the_examples(self):
        examples = [block for block in blocks("sh") if "build/bin/" in block]
        self.assertEqual(len(examples), 3)
        with tempfile.TemporaryDirectory(prefix="sinkproof-readme-") as scratch:
            linked(Path(scratch))
            done = subprocess.run(["bash", "-euc", "".join(examples)], cwd=scratch, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            written = {path.name for path in (Path(scratch) / "out").iterdir()}
            self.assertLessEqual({"head.json", "audit.json", "audit.html", "gate", "lm"}, written)
        shown, = blocks("text")
        printed = [line.split() for line in done.stdout.splitlines()]
        for line in shown.splitlines():  # the page leaves the seconds out
            words = line.split()
            self.assertTrue(any(row[:len(words)] == words for row in printed), f"nothing printed begins with: {line}")

    def test_commands_of_every_page(self):
        """Each option that a page gives a command exists, and each file of the project that it names."""
        tracked = set(subprocess.run(["git", "ls-files"], cwd=SOURCE, capture_output=True, text=True, check=True).stdout.split("\n"))
        folders = {str(parent) for name in tracked for parent in Path(name).parents}
        helps, seen = {}, 0
        for page in sorted(name for name in tracked if name.endswith(".md") and name != "CHANGELOG.md"):
            text = (SOURCE / page).read_text().replace("\\\n", " ")
            for verb, words in re.findall(r"(?:^|[ `/])sinkproof ([a-z-]+)((?: [^`\n]*)?)", text, re.M):
                if verb not in helps:
                    done = subprocess.run([BIN / "sinkproof", verb, "--help"], capture_output=True, text=True)
                    helps[verb] = done.stdout if done.returncode == 0 else None
                if helps[verb] is None:  # prose
                    continue
                words = re.split(r" (?:#|&&|\|) ?", words)[0]
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", words):
                    seen += 1
                    with self.subTest(page=page, command=verb, option=option):
                        self.assertTrue(re.search(re.escape(option) + r"(?![\w-])", helps[verb]))
                for path in re.findall(r"(?<![\w/.-])(?:examples|certificates|proofs|tests|docs|bench)/[\w./-]*[\w]", words):
                    with self.subTest(page=page, command=verb, path=path):
                        self.assertTrue(path in tracked or path in folders, path)
        self.assertGreater(seen, 150)

    def test_its_length(self):
        prose = re.sub(r"^(```.*?^```$|\|.*?$|<img.*?$)", "", README, flags=re.M | re.S)
        self.assertGreater(len(prose.split()), 200)
        self.assertLessEqual(len(prose.split()), 600)


if __name__ == "__main__":
    unittest.main()
