"""Every place that names the version or the day of the release names the same one: version_test.py SOURCE."""
import datetime
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))
MONTHS = ("January February March April May June July August September October November December").split()


def found(path, pattern):
    """What the pattern's group matches on the page, which has to be there."""
    match = re.search(pattern, (SOURCE / path).read_text(), re.M)
    if not match:
        raise AssertionError(f"{path} has no line of the form {pattern}")
    return match.group(1)


class Release(unittest.TestCase):
    def setUp(self):
        self.version = found("cmake/Version.cmake", r"^set\(SINKPROOF_VERSION ([0-9]+\.[0-9]+\.[0-9]+)\)$")
        self.day = found("CHANGELOG.md", rf"^## \[{re.escape(self.version)}\] - (\d{{4}}-\d\d-\d\d)$")

    def test_version(self):
        self.assertEqual(self.version, found("CITATION.cff", r"^version: (.*)$"))
        self.assertEqual(self.version, found("packaging/changelog", r"\Asinkproof \((.*)\) "))
        self.assertEqual(self.version, found(f"docs/release-notes/{self.version}.md", r"\A# sinkproof (.*)$"))
        self.assertEqual(self.version, found("examples/gate/.github/workflows/sinkproof.yml", r"/sinkproof@v(.*)$"))

    def test_the_newest_release_is_this_one_and_stands_below_the_unreleased_changes(self):
        headings = re.findall(r"^## \[(.*?)\]", (SOURCE / "CHANGELOG.md").read_text(), re.M)
        self.assertEqual(headings[:2], ["Unreleased", self.version])
        self.assertEqual(len(headings), len(set(headings)))

    def test_day(self):
        day = datetime.date.fromisoformat(self.day)
        self.assertEqual(self.day, found("CITATION.cff", r"^date-released: (.*)$"))
        self.assertEqual(self.day, found(f"docs/release-notes/{self.version}.md", r"^Released on ([0-9-]*)\."))
        self.assertEqual(f"{day:%a}, {day:%d} {day:%b} {day:%Y}", found("packaging/changelog", r">  (\w+, \d\d \w+ \d+) "))
        self.assertEqual(f"{MONTHS[day.month - 1]} {day.day}, {day.year}",
                         found("cmake/Manual.cmake", r'^set\(SINKPROOF_MANUAL_DATE "(.*?)"'))

    def test_links_between_the_pages_of_the_release(self):
        for page in ("CHANGELOG.md", "docs/README.md"):
            self.assertIn(f"release-notes/{self.version}.md", (SOURCE / page).read_text(), page)


if __name__ == "__main__":
    unittest.main()
