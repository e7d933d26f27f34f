"""Reads the files the gate's writers made of sample results, as a CI would, with nothing but Python's
own readers: JSON, XML, HTML, and the rules of SARIF 2.1.0 and of GitHub's runner written down here
from their documents. The JSON file says what was found; the others must say the same.

    files_test.py PATH/ci_samples
"""
import hashlib
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree as ElementTree

SAMPLES = ["green", "mixed", "hostile", "many", "full", "huge"]
PROBLEMS = {"error", "warning"}
FOLDER = pathlib.Path()


def text(name):
    """The file as UTF-8 (strictly) without newline translation."""
    return (FOLDER / name).read_bytes().decode("utf-8")


def findings(stem):
    return json.loads(text(stem + ".json"))["findings"]


def count(values):
    """How often each value occurs."""
    values = list(values)
    return {value: values.count(value) for value in set(values)}


def visible(string):
    """A text as the writers may show it: what hides or reorders other text is one box each."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", string)


def asked_text(finding):
    """What was asked, with the inputs it was asked of."""
    if finding["length"] is None:
        return finding["asked"]
    return f"{finding['asked']} at length {finding['length']}, box {finding['box']}"


class GateJson(unittest.TestCase):
    FIELDS = ["level", "suite", "subject", "asked", "length", "box", "verdict", "evidence", "rule", "code", "message", "lower",
              "upper", "assumptions", "sentences", "overrides", "location", "certificate", "certificate_sha256", "subject_sha256",
              "proved_again", "exit_code", "seconds"]

    def test_every_field_is_there_and_absent_texts_are_null(self):
        for stem in SAMPLES:
            whole = json.loads(text(stem + ".json"))
            self.assertEqual(list(whole), ["schema", "config", "base", "exit_code", "seconds", "findings"])
            self.assertEqual(whole["schema"], 1)
            for finding in whole["findings"]:
                self.assertEqual(list(finding), self.FIELDS)
                self.assertIn(finding["level"], {"pass", "warning", "error", "unchanged"})
                self.assertGreaterEqual(finding["seconds"], 0)
                self.assertTrue(all(value != "" for value in finding.values()))
            order = [5, 4, 1, 2, 3, 0]
            worst = min(order.index(finding["exit_code"]) for finding in whole["findings"])
            self.assertEqual(whole["exit_code"], order[worst])


class JUnit(unittest.TestCase):
    COUNTS = ("tests", "failures", "errors", "skipped")

    def added_up(self, cases):
        elements = count(child.tag for case in cases for child in case)
        return [len(cases)] + [elements.get(tag, 0) for tag in ("failure", "error", "skipped")]

    def stated(self, element):
        return [int(element.get(name)) for name in self.COUNTS]

    def test_the_counts_add_up(self):
        for stem in SAMPLES:
            root = ElementTree.fromstring(text(stem + ".xml"))
            self.assertEqual(root.tag, "testsuites")
            self.assertEqual(self.stated(root), self.added_up(list(root.iter("testcase"))))
            for suite in root:
                self.assertEqual(suite.tag, "testsuite")
                self.assertEqual(self.stated(suite), self.added_up(list(suite)))
                thousandths = sum(round(float(case.get("time")) * 1000) for case in suite)
                self.assertEqual(round(float(suite.get("time")) * 1000), thousandths)
            self.assertEqual(len({suite.get("name") for suite in root}), len(root))

    def test_each_finding_is_a_test_with_the_right_result(self):
        for stem in SAMPLES:
            cases = list(ElementTree.fromstring(text(stem + ".xml")).iter("testcase"))
            asked = findings(stem)
            suites = list(dict.fromkeys(one["suite"] for one in asked))  # in order of appearance
            by_suite = sorted(asked, key=lambda one: suites.index(one["suite"]))
            self.assertEqual(len(cases), len(asked))
            for case, finding in zip(cases, by_suite):
                self.assertEqual(case.tag, "testcase")
                self.assertEqual(case.get("name"), visible(finding["subject"] + ": " + asked_text(finding)))
                self.assertEqual(case.get("classname"), visible("sinkproof." + finding["suite"]))
                self.assertEqual(case.get("file"), visible(finding["location"]["file"]))
                self.assertEqual(case.get("line"), str(finding["location"]["line"]))
                self.assertEqual([child.tag for child in case], self.elements(finding))
                for child in case:
                    if child.tag != "system-out":
                        self.assertEqual(child.get("message"), visible(finding["message"]))
                    if child.tag in ("failure", "error"):
                        self.assertEqual(child.get("type"), visible(finding["rule"]))

    def elements(self, finding):
        if finding["level"] == "error":
            return ["error" if finding["exit_code"] in (2, 5) else "failure"]
        return {"pass": [], "warning": ["system-out"], "unchanged": ["skipped"]}[finding["level"]]


class Sarif(unittest.TestCase):
    """SARIF 2.1.0 with errata 01; the numbers are its sections."""

    def runs(self):
        for stem in SAMPLES:
            for name in (stem + ".sarif", stem + ".all.sarif"):
                log = json.loads(text(name))
                self.assertEqual(log["version"], "2.1.0")  # 3.13.2
                self.assertTrue(urllib.parse.urlsplit(log["$schema"]).scheme)  # 3.13.3
                self.assertEqual(set(log), {"version", "$schema", "runs"})
                self.assertEqual(len(log["runs"]), 1)
                yield stem, name, log["runs"][0]

    def message(self, message):
        self.assertTrue(message["text"])  # 3.11.8: not empty
        bare = message["text"].replace("{{", "").replace("}}", "")
        self.assertNotRegex(bare, "[{}]")  # 3.11.5: literal braces doubled, no placeholders
        self.assertNotIn("](", message["text"])  # 3.11.6: no embedded links
        self.assertNotRegex(message["text"], "[\x00-\x08\x0b-\x1f\x7f]")

    def test_the_run(self):
        for _, _, run in self.runs():
            # The schema allows no names of one's own but in `properties`.
            self.assertEqual(set(run), {"tool", "invocations", "originalUriBaseIds", "columnKind", "results"})
            driver = run["tool"]["driver"]  # 3.14.6, 3.18.2
            self.assertEqual(set(driver), {"name", "semanticVersion", "informationUri", "isComprehensive", "rules"})
            self.assertRegex(driver["informationUri"], "^https://[a-z.]+/")  # 3.19.17: absolute
            self.assertEqual(driver["name"], "sinkproof")
            self.assertRegex(driver["semanticVersion"], r"^[0-9]+\.[0-9]+\.[0-9]+$")
            self.assertEqual(run["columnKind"], "unicodeCodePoints")  # 3.14.27: required with results
            invocation, = run["invocations"]
            self.assertIs(type(invocation["executionSuccessful"]), bool)  # 3.20.14: required
            self.assertEqual(set(invocation), {"executionSuccessful", "exitCode", "exitCodeDescription"})
            root = run["originalUriBaseIds"]["%SRCROOT%"]  # 3.14.14: absent, or absolute and ending in '/'
            self.assertNotIn("uri", root)
            self.assertIsInstance(run["results"], list)  # 3.14.23

    def test_the_rules(self):
        first = None
        for _, _, run in self.runs():
            rules = run["tool"]["driver"]["rules"]
            first = first or rules
            self.assertEqual(rules, first)  # the same whatever was found
            self.assertEqual([rule["id"] for rule in rules], ["SP%d" % code for code in [*range(1701, 1705), *range(1711, 1722)]])
            for rule in rules:
                self.assertEqual(set(rule), {"id", "name", "shortDescription", "fullDescription", "help",
                                             "defaultConfiguration", "properties"})
                self.assertRegex(rule["name"], "^[A-Z][A-Za-z]+$")
                self.message(rule["shortDescription"])
                self.message(rule["fullDescription"])
                self.message(rule["help"])
                self.assertTrue(rule["help"]["markdown"])
                self.assertLess(len(rule["fullDescription"]["text"]), 1024)  # GitHub's limit
                self.assertIn(rule["defaultConfiguration"]["level"], {"error", "warning"})

    def test_the_results(self):
        for stem, _, run in self.runs():
            rules = run["tool"]["driver"]["rules"]
            for result in run["results"]:
                self.assertEqual(set(result), {"ruleId", "ruleIndex", "kind", "level", "message", "locations",
                                               "partialFingerprints", "properties"})
                self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])  # 3.27.6
                self.assertIn(result["level"], {"none", "note", "warning", "error"})  # 3.27.10
                self.assertIn(result["kind"], {"pass", "open", "informational", "notApplicable", "review", "fail"})
                self.assertEqual(result["kind"] == "fail", result["level"] != "none")  # 3.27.9, 3.27.10
                if result["kind"] == "fail" and stem != "hostile":
                    self.assertEqual(result["level"], rules[result["ruleIndex"]]["defaultConfiguration"]["level"])
                self.message(result["message"])
                self.location(result)
                self.fingerprints(result)

    def location(self, result):
        location, = result["locations"]  # 3.27.12: one, and GitHub wants at least one
        place = location["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        self.assertEqual(place["artifactLocation"]["uriBaseId"], "%SRCROOT%")
        self.assertRegex(uri, r"^(?:[A-Za-z0-9\-._~/]|%[0-9A-F]{2})+$")  # RFC 3986
        self.assertFalse(uri.startswith("/"))
        self.assertEqual(urllib.parse.urlsplit(uri).scheme, "")
        self.assertGreaterEqual(place["region"]["startLine"], 1)  # 3.30.5
        self.assertGreaterEqual(place["region"]["startColumn"], 1)

    def fingerprints(self, result):
        self.assertNotIn("fingerprints", result)  # 3.27.16: not for direct producers
        partial = result["partialFingerprints"]
        self.assertLessEqual(set(partial), {"sinkproofClaim/v1", "certificateSha256/v1"})
        for value in partial.values():
            self.assertRegex(value, "^[0-9a-f]{64}$")

    def test_results_are_the_findings(self):
        for stem, name, run in self.runs():
            asked = [one for one in findings(stem) if ".all." in name or one["level"] in PROBLEMS]
            self.assertEqual(len(run["results"]), len(asked))
            self.assertEqual(run["invocations"][0]["exitCode"], json.loads(text(stem + ".json"))["exit_code"])
            for result, finding in zip(run["results"], asked):
                kind = {"pass": "pass", "unchanged": "notApplicable"}.get(finding["level"], "fail")
                self.assertEqual(result["kind"], kind)
                known = result["properties"]
                self.assertEqual(known.get("length"), finding["length"])
                if finding["length"]:
                    self.assertIn(f" at length {finding['length']}, box ", result["message"]["text"])
                for ours, theirs in (("box", "box"), ("verdict", "verdict"), ("lower", "lower"), ("upper", "upper"),
                                     ("evidence", "evidence"), ("errorCode", "code")):
                    value = finding[theirs]
                    self.assertEqual(known.get(ours), None if value is None else visible(value))
                self.assertEqual(known["assumptions"], [visible(one) for one in finding["assumptions"]])
                if stem != "hostile":  # whose bytes JSON does not keep
                    parts = (finding["suite"], finding["subject"], finding["asked"])
                    stable = "".join("%d:%s" % (len(part.encode()), part) for part in parts)
                    self.assertEqual(result["partialFingerprints"]["sinkproofClaim/v1"],
                                     hashlib.sha256(stable.encode()).hexdigest())
                    self.assertEqual(result["partialFingerprints"].get("certificateSha256/v1"),
                                     finding["certificate_sha256"])
                    self.assertEqual(urllib.parse.unquote(
                        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]),
                        finding["location"]["file"].removeprefix("./"))

    def test_nothing_of_the_machine_and_no_time(self):
        for stem in SAMPLES:
            for name in (stem + ".sarif", stem + ".all.sarif"):
                self.assertNotRegex(text(name), r'"(?:seconds|time|startTimeUtc|endTimeUtc|machine|account|'
                                                r'commandLine|workingDirectory)"')


class Annotations(unittest.TestCase):
    def parsed(self, line):
        """As the runner reads it: ::NAME PROPERTIES::MESSAGE, properties first split, then decoded."""
        self.assertTrue(line.startswith("::"))
        head, message = line[2:].split("::", 1)
        name, properties = head.split(" ", 1)
        read = dict(one.split("=", 1) for one in properties.split(","))
        codes = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}
        decode = lambda value: re.sub("%25|%0D|%0A|%3A|%2C", lambda code: codes[code[0]], value)
        return name, {key: decode(value) for key, value in read.items()}, decode(message)

    def test_commands_are_the_problems(self):
        for stem in SAMPLES:
            commands = [self.parsed(line) for line in text(stem + ".txt").split("\n")[:-1]]
            for level in ("error", "warning"):
                ours = [command for command in commands if command[0] == level]
                asked = [one for one in findings(stem) if one["level"] == level]
                self.assertLessEqual(len(ours), 10)
                if len(asked) > 10:
                    self.assertEqual(len(ours), 10)
                    self.assertTrue(ours.pop()[2].startswith("%d more " % (len(asked) - 9)))
                else:
                    self.assertEqual(len(ours), len(asked))
                for (_, properties, message), finding in zip(ours, asked):
                    self.assertEqual(set(properties), {"file", "line", "col", "title"})
                    self.assertRegex(properties["title"], "^SP17[0-9][0-9] ")
                    self.assertEqual(properties["line"], str(finding["location"]["line"]))
                    keep_cr = lambda value: visible(value.replace("\r", "\0")).replace("\ufffd", "?")
                    self.assertEqual(keep_cr(properties["file"]), keep_cr(finding["location"]["file"]))
                    self.assertIn(keep_cr(finding["message"]), keep_cr(message))
                    self.assertIn(keep_cr(asked_text(finding)), keep_cr(message))
            notices = [command for command in commands if command[0] == "notice"]
            self.assertEqual(len(notices), int(any(one["level"] == "unchanged" for one in findings(stem))))
            self.assertLessEqual({command[0] for command in commands}, {"error", "warning", "notice"})


class Tags(html.parser.HTMLParser):
    """What the tables of a summary are made of: tags, none with an attribute, closed in order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.seen, self.wrong, self.data = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)
        if attrs:
            self.wrong.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, data):
        self.data.append(data)


class StepSummary(unittest.TestCase):
    def test_blocks(self):
        """GFM 4.6: a block that begins with <table>, <p> or <details> is HTML up to the next blank line."""
        for stem in SAMPLES:
            summary = text(stem + ".md")
            self.assertLess(len(summary.encode()), 1 << 20)
            for block in summary.strip("\n").split("\n\n"):
                if not block.startswith("<"):
                    # Headings and sentences: fixed words and numbers only.
                    self.assertRegex(block, r"\A(?:#+ )?[A-Za-z0-9 ,.;:]+\Z")
                    continue
                tags = Tags()
                tags.feed(block)
                tags.close()
                self.assertEqual(tags.wrong + tags.open, [], stem)
                self.assertLessEqual(set(tags.seen),
                                     {"table", "tr", "th", "td", "code", "b", "p", "details", "summary"})
                for line in block.split("\n"):
                    self.assertRegex(line, r"^</?(?:table|tr|p|details)[ >]")

    def test_rows_are_the_findings(self):
        for stem in SAMPLES:
            summary = text(stem + ".md")
            rows = summary.count("<tr><td>")
            hidden = re.search(r"\n[^\n|]*: ([0-9]+) rows?, because", summary)
            self.assertEqual(rows + int(hidden[1] if hidden else 0), len(findings(stem)))
            self.assertEqual(bool(hidden), stem == "huge")
            if stem != "huge":
                about_inputs = sum(one["length"] is not None for one in findings(stem))
                self.assertEqual(len(re.findall(r" at length [0-9]+, box [^<]", summary)), about_inputs)
            red = any(one["level"] == "error" for one in findings(stem))
            self.assertTrue(summary.startswith("## sinkproof gate: " + ("red, " if red else "green, ")))

    def test_a_name_reads_as_it_is(self):
        tags = Tags()
        tags.feed(text("hostile.md"))
        subject = visible(findings("hostile")[0]["subject"]).replace("\n", " ").replace("\t", " ")
        self.assertIn(subject, tags.data)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        subprocess.run([sys.argv.pop(1), folder], check=True)
        unittest.main()
