"""Drives the real programs as a user would: bad input, exit codes, and that nothing is written on failure.

usage: cli_test.py BIN_DIR SOURCE_DIR
"""
import hashlib
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

from program import BIN, SOURCE, Case, read_safetensors, run, write_safetensors

CHECKPOINTS = SOURCE / "tests" / "checkpoints"
SOFTMAX = CHECKPOINTS / "softmax-d8-l8.safetensors"
CONSTRUCTIONS = SOURCE / "tests" / "reject" / "theory" / "construction"
RELU = CHECKPOINTS / "relu-d8-l8.safetensors"
DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")


def with_metadata(model, path, **changes):
    """The model under other metadata."""
    header, data = read_safetensors(model)
    header["__metadata__"].update(changes)
    write_safetensors(path, header, data)
    return path


class Misspelt(unittest.TestCase):
    """What does not exist is named, and what may have been meant."""

    def refused(self, *arguments):
        code, out, err = run(*arguments)
        self.assertEqual((code, out), (2, ""))
        return err

    def test_a_command(self):
        self.assertIn("'cerify'; did you mean 'certify'?", self.refused("cerify", SOFTMAX))
        self.assertIn("'xyzzy'\n", self.refused("xyzzy"))

    def test_an_option(self):
        err = self.refused("certify", SOFTMAX, "--propety=sup-loss")
        self.assertIn("'--propety' of certify; did you mean '--property'?", err)

    def test_an_option_states_what_it_takes(self):
        for words, what in ((["certify", SOFTMAX, "--length"], "--length: needs a value\n"),
                            (["report", SOFTMAX, "--models", "a", "--models", "b"], "--models: takes one value, but is given 2\n"),
                            (["sink-share", SOFTMAX, "--random", "1", "--position", "0"], "--position: must be between 1 and 999999, but is 0\n"),
                            (["audit", "a", "--bos", "maybe"], "--bos: must be one of with, without, but is maybe\n"),
                            (["train-lm", SOFTMAX, "--compare", "norm=x", "-o", "a"], "'x' is not a value of this key; the values are layer, rms\n")):
            self.assertIn(what, self.refused(*words))
        self.assertNotIn("adding a claim", self.refused("explain", "no-such-claim"))

    def test_what_is_missing_is_named_as_the_help_names_it(self):
        for words in (["certify"], ["cost"], ["convert", SOFTMAX], ["explain"]):
            with self.subTest(words[0]):
                _, text, _ = run(words[0], "--help")
                needed = self.refused(*words).split(" needs ")[1].split(":")[0]
                self.assertTrue(re.search(rf"^  (-o, )?{re.escape(needed)}\b", text, re.M), needed)
        self.assertIn("sinkproof --help", self.refused())

    def test_a_number_that_an_option_does_not_take_is_shown(self):
        for option, value, range_ in (("--seed", "-1", "0"), ("--samples", "100001", "100000"), ("--seconds", "nan", ""), ("--residual", "yes", "true")):
            err = self.refused("certify", SOFTMAX, option, value)
            self.assertTrue(err.startswith(f"{option}: "), err)
            self.assertIn(f" {value}\n", err)
            self.assertIn(range_, err)

    def test_a_number_is_never_octal(self):
        for words in (["certify", SOFTMAX, "--length"], ["certify", SOFTMAX, "--samples"], ["train", "-o", "never", "--steps"],
                      ["measure", SOFTMAX, "--vectors"], ["check", SOFTMAX, "--seconds"], ["audit", ".", "--random"]):
            for value in ("010", "08", "0x10"):
                self.assertRegex(self.refused(*words, value), f"^{words[-1]}: must be .* but is {value}\n")

    def test_an_option_that_would_not_be_read_is_refused(self):
        folder = ["convert", SOFTMAX, "--folder", "-o", "never"]
        for words, option, value in (
                *((folder, f"--{name}", value) for name, value in (("attention", "relu"), ("num-heads", 3), ("scale", 7), ("residual", "false"),
                                                                  ("length", 4), ("map", "a=b"), ("only", "blocks.0"))),
                (["convert", SOFTMAX, "-o", "never"], "--activation", "relu"),
                *((["certify", SOFTMAX], option, 0.5) for option in ("--eta", "--epsilon", "--confidence")),
                *((["measure", SOFTMAX], option, value) for option, value in (("--attention", "relu"), ("--scale", 7), ("--beta", 1), ("--seed", 1))),
                (["measure", SOFTMAX, "--model", SOFTMAX, "--property", "switch"], "--beta", 1),
                (["measure", SOFTMAX, "--random", 1], "--tensor", "rows"), (["sink-share", SOFTMAX, "--random", 1], "--tensor", "rows"),
                (["sink-share", SOFTMAX, "--tokens", SOFTMAX], "--seed", 1), (["audit", ".", "--tokens", SOFTMAX], "--seed", 1),
                (["audit", ".", "--random", 1], "--csv-interventions", "never"), (["audit", ".", "--random", 1], "--bos", "with"),
                (["smoothing", ".", "--tokens", SOFTMAX, "-o", "never"], "--bos", "with"),
                (["smoothing", ".", "--text", SOFTMAX, "-o", "never"], "--cost-seconds", 1), (["reproduce", "-o", "never"], "--seconds", 1)):
            self.assertRegex(self.refused(*map(str, words), option, str(value)), f"^error SP1508  {option}: (needs|is) ", option)

    def test_errors_are_json_where_answers_are(self):
        for words, code in ((["certify", "absent.safetensors"], "SP0201"), (["certify", SOFTMAX, "--property", "no-such"], "SP1402"),
                            (["explain", "no-such-claim"], "SP0607"), (["cerify"], None), (["certify", SOFTMAX, "--samples", "x"], None)):
            error = json.loads(self.refused(*words, "--format", "json"))["error"]
            self.assertEqual((set(error), error["code"]), ({"code", "where", "what"}, code), words)
            self.assertTrue(error["what"], words)

    def test_every_error_code_is_explained(self):
        rows = re.findall(r"^\| (SP\d{4}) \| (.*?) \| (.*) \|$", "".join(page.read_text() for page in sorted((SOURCE / "docs").glob("ERRORS_*.md"))), re.M)
        self.assertGreater(len(rows), 200)
        for code, meaning, remedy in rows[::20]:
            status, out, _ = run("explain", code)
            self.assertEqual((status, out), (0, f"{code}: {meaning}\nWhat to do: {remedy}\n"))
        self.assertEqual(run("explain", "sp0101")[:2], run("explain", "SP0101")[:2])
        error = json.loads(self.refused("explain", "SP9999", "--format", "json"))["error"]
        self.assertEqual((error["code"], error["what"].split()[0]), (None, "SP9999"))  # not a claim that is missing

    def test_help_has_groups_examples_and_exit_codes(self):
        _, out, _ = run("--help")
        verbs = re.findall(r"^  ([a-z-]+)  +[A-Z]", out.split("Commands:")[1].split("\nGeneral:")[0], re.M)
        self.assertGreater(len(verbs), 15)
        for verb in verbs:
            _, text, _ = run(verb, "--help")
            with self.subTest(verb):
                self.assertLessEqual(max(map(len, text.splitlines())), 100)
                self.assertGreaterEqual(len(re.findall(r"^  sinkproof", text.split("\nExamples:\n")[1], re.M)), 2)
                headings = re.findall(r"^([A-Z][a-z ]+):$", text, re.M)
                self.assertGreaterEqual(len(headings), 4, headings)
                self.assertEqual(headings[-3:], ["General", "Examples", "Exit codes"])

    def test_a_property_lists_those_there_are(self):
        err = self.refused("certify", SOFTMAX, "--property", "sup-los")
        self.assertIn("SP1402", err)
        self.assertIn(" sup-loss, sup-loss.pre,", err)

    def test_help_names_the_kinds_and_the_properties(self):
        _, text, _ = run("certify", "--help")
        for words in ("softmax-gated", "sigmoid-normalised", "bos-ceiling", "rollout-floor", "theorem.tc-4", "random.no-sink"):
            self.assertIn(words, text)
        _, out, _ = run("certify", SOFTMAX, "--property", "bos-floor.pre", "--format", "json")
        _, _, err = run("certify", SOFTMAX, "--property", "no-such")
        for name in re.split(r"; (?:there|the properties) are ", err)[1].strip().split(", "):
            self.assertIn(name if name.startswith("theorem") else name.split(".")[0], text.replace("theorem.tc-1 to theorem.tc-4", "theorem.tc-1 theorem.tc-2 theorem.tc-3 theorem.tc-4"))

    def test_a_claim_is_found_from_anywhere(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            status, stdout, stderr = run("explain", "tc-1", cwd=elsewhere)
        self.assertEqual(status, 0, stderr)
        self.assertTrue(stdout.startswith("tc-1"))


class Cost(Case):
    """sinkproof cost on small embeddings: what it certifies, and what it refuses."""

    def embeddings(self, rows, roles=None):
        data = b"".join(struct.pack(f"<{len(row)}d", *row) for row in rows)
        header = {"embeddings": {"dtype": "F64", "shape": [len(rows), len(rows[0])], "data_offsets": [0, len(data)]}}
        if roles is not None:
            header["__metadata__"] = {"roles": json.dumps(roles)}
        write_safetensors(self.path("e.safetensors"), header, data)
        return self.path("e.safetensors")

    def refuse(self, code, *arguments):
        output = self.path("c.json")
        status, _, stderr = run("cost", *arguments, "-o", output)
        self.assertEqual(status, 2, stderr)
        self.assertIn(f"error {code}", stderr)
        self.assertFalse(output.exists())

    def test_certifies_and_compares(self):
        rows = [[4, 0, 0, 0, 1], [0, 3, 1, 0, 0], [0, 2, -3, 0, 1], [1, 0, 0, 5, 0]]
        model = self.embeddings(rows, {"bos": 0, "groups": [[1, 2]], "copies": [3]})
        status, stdout, stderr = run("cost", model, "--format", "json", "-o", self.path("c.json"),
                                     "--save-w", self.path("w-"))
        self.assertEqual(status, 0, stderr)
        report = json.loads(stdout)
        self.assertEqual([p["pattern"] for p in report["patterns"]], ["sink-A", "diagonal"])
        for pattern in report["patterns"]:
            self.assertLessEqual(float(pattern["lower"]), float(pattern["upper"]))
            self.assertLessEqual(float(pattern["gap"]), 0.0201)
        self.assertEqual(run("--quiet", self.path("c.json"), program="sinkproof-check")[0], 0)
        header, _ = read_safetensors(self.path("w-diagonal.safetensors"))
        self.assertEqual(header["W"]["shape"], [5, 5])

    def test_infeasible_is_refuted_with_multipliers(self):
        model = self.embeddings([[1], [2], [-1]])
        status, stdout, _ = run("cost", model, "--pattern", "sink-A", "--format", "json", "-o", self.path("c.json"))
        self.assertEqual(status, 1)
        self.assertEqual(json.loads(stdout)["patterns"][0]["verdict"], "refuted")
        statement = json.loads(self.path("c.json").read_text())["properties"][0]["statement"]
        self.assertEqual(statement["property"], "infeasible")
        self.assertEqual(run("--quiet", self.path("c.json"), program="sinkproof-check")[0], 0)

    def test_refuses_bad_embeddings_and_roles(self):
        self.refuse("SP1608", self.embeddings([[1, 0], [0, 0]]))
        self.refuse("SP1609", self.embeddings([[1, 0], [0, 1], [0, 1]]))
        dependent = self.embeddings([[1, 0, 0], [0, 1, 0], [1, 1, 0]])
        self.refuse("SP1610", dependent)
        self.assertIn(run("cost", dependent, "--allow-dependent", "--quiet")[0], (0, 1))
        self.refuse("SP1607", dependent, "--margin", "0")
        self.refuse("SP0405", self.embeddings([[1, 0], [0, float("nan")]]))
        self.refuse("SP1604", self.embeddings([[1, 0], [0, 1]], {"bos": 0, "groups": [[]], "copies": []}))
        self.refuse("SP1602", self.embeddings([[1, 0], [0, 1]], {"bos": 0, "groups": [[2]], "copies": []}))
        self.refuse("SP1604", self.embeddings([[1, 0]]))
        self.refuse("SP0201", dependent, "--roles", self.path("absent.json"))

    def test_names_the_coefficients_of_a_dependency(self):
        # Token 3 = 2/3 of token 0 - 5/3 of token 2.
        model = self.embeddings([[3, 0, 6, 9], [1, 1, 1, 0], [0, 3, -3, 6], [2, -5, 9, -4]])
        stderr = run("cost", model)[2]
        self.assertIn("token 3 is exactly the sum of 2/3 of token 0, -5/3 of token 2;", stderr)
        # The last is the sum of ten others: eight are named.
        rows = [[1 if j == k else 0 for j in range(12)] for k in range(10)]
        stderr = run("cost", self.embeddings(rows + [[k + 1 for k in range(10)] + [0, 0]]))[2]
        self.assertIn("1 of token 0, 2 of token 1, 3 of token 2, 4 of token 3, 5 of token 4, 6 of token 5, "
                      "7 of token 6, 8 of token 7 and of 2 more;", stderr)

    def section_five(self, mean):
        """d = 16, one group: BOS, a copy, and two tokens about a mean of norm `mean`."""
        unit = lambda k, value: [value if j == k else 0 for j in range(16)]
        dormant = [[a + b for a, b in zip(unit(2, mean), unit(3, noise))] for noise in (2, -2)]
        return self.embeddings([unit(0, 4), unit(1, 4), *dormant], {"bos": 0, "groups": [[2, 3]], "copies": [1]})

    def test_closed_forms_beside_the_interval(self):
        model = self.section_five(3)
        arguments = ("cost", model, "--pattern", "sink-A", "--pattern", "sink-B", "--pattern", "diagonal")
        status, stdout, stderr = run(*arguments, "--closed-forms", "--format", "json")
        self.assertEqual(status, 0, stderr)
        patterns = json.loads(stdout)["patterns"]
        self.assertEqual(len(patterns), 3)
        for pattern in patterns:
            closed = pattern["closed_form"]
            below, above = ("co-2", "co-3") if pattern["pattern"] == "diagonal" else ("co-4", "co-1")
            self.assertEqual((closed["verdict"], closed["lower_claim"], closed["upper_claim"]),
                             ("enclosed", below, above))
            for number in (closed["lower"], closed["upper"]):
                self.assertTrue(DECIMAL.fullmatch(number))
            self.assertLessEqual(float(closed["lower"]), float(pattern["upper"]))
            self.assertLessEqual(float(pattern["lower"]), float(closed["upper"]))
        # Sink, reading A, C = 1: (2 m/d) sqrt(C + 2C/E + 1/E^2)/lam, E^2 = 1 + C + C/lam^2.
        lam = 3 / 4
        e = math.sqrt(2 + 1 / lam ** 2)
        cost = 2 / 16 * (1 + 1 / e) / lam
        for end in ("lower", "upper"):
            self.assertAlmostEqual(float(patterns[0]["closed_form"][end]), cost, places=8)
        status, stdout, _ = run(*arguments)
        self.assertEqual(status, 0)
        self.assertEqual(len(re.findall(r"closed forms: at least \S+ \(co-4\), at most \S+ \(co-1\)", stdout)), 2)
        self.assertEqual(len(re.findall(r"closed forms: at least \S+ \(co-2\), at most \S+ \(co-3\)", stdout)), 1)

    def test_closed_forms_that_do_not_apply(self):
        def note(model, *arguments):
            status, stdout, stderr = run("cost", model, "--pattern", "sink-A", "--format", "json", *arguments)
            self.assertEqual(status, 0, stderr)
            pattern, = json.loads(stdout)["patterns"]
            self.assertEqual(pattern["verdict"], "enclosed")
            return pattern["closed_form"]
        one = self.section_five(4)  # lambda = 1
        self.assertEqual(note(one), {"verdict": "not-applicable", "code": "SP1618",
                                     "reason": "lambda^2 = 1 is not in [1/2, 1)"})
        self.assertIn("closed forms: not-applicable, SP1618: lambda^2 = 1 is not in [1/2, 1)", run("cost", one)[1])
        self.refuse("SP1618", one, "--closed-forms")
        half = self.section_five(2)
        self.assertEqual(note(half)["reason"], "lambda^2 = 1/4 is not in [1/2, 1)")
        self.refuse("SP1618", half, "--closed-forms")
        plain = self.embeddings([[4, 0, 0], [0, 3, 1], [0, 2, -3]])
        self.assertEqual(note(plain)["code"], "SP1616")
        self.refuse("SP1616", plain, "--closed-forms")
        skew = self.embeddings([[4, 0, 0, 0], [0, 1, 0, 0], [0, 0, 2, 1], [0, 0, 2, -1]],
                               {"bos": 0, "groups": [[2, 3]], "copies": [1]})
        self.refuse("SP1617", skew, "--closed-forms")


class BadModels(Case):
    """Each is a coded error, exit 2, and no certificate."""

    def refuse(self, model, code):
        output = self.path("certificate.json")
        status, stdout, stderr = run("certify", model, "-o", output)
        self.assertEqual(status, 2, stderr)
        self.assertIn(f"error {code}", stderr)
        self.assertEqual(stdout, "")
        self.assertFalse(output.exists())
        self.assertEqual([p for p in self.folder.iterdir() if p.name.startswith("certificate")], [])

    def changed(self, change):
        header, data = read_safetensors(SOFTMAX)
        data = bytearray(data)
        header, data = change(header, data) or (header, data)
        model = self.path("model.safetensors")
        write_safetensors(model, header, bytes(data))
        return model

    def test_absent(self):
        self.refuse(self.path("absent.safetensors"), "SP0201")

    def test_folder(self):
        self.refuse(self.folder, "SP1903")

    def test_truncated(self):
        raw = SOFTMAX.read_bytes()
        for size, code in ((0, "SP0401"), (7, "SP0401"), (100, "SP0401"), (len(raw) - 1, "SP0403")):
            model = self.path("model.safetensors")
            model.write_bytes(raw[:size])
            self.refuse(model, code)

    def test_header_length(self):
        raw = SOFTMAX.read_bytes()
        for length in (2**63, 2**64 - 1, len(raw), 0):
            model = self.path("model.safetensors")
            model.write_bytes(struct.pack("<Q", length) + raw[8:])
            self.refuse(model, "SP0402" if length == 0 else "SP0401")

    def test_dtype(self):
        def integers(header, data):
            header["W_Q.weight"]["dtype"] = "I32"
        self.refuse(self.changed(integers), "SP0404")

        def unknown(header, data):
            header["W_Q.weight"]["dtype"] = "F31"
        self.refuse(self.changed(unknown), "SP0404")

    def test_not_finite(self):
        for value in (math.nan, math.inf, -math.inf):
            def poison(header, data, value=value):
                start = header["W_V.weight"]["data_offsets"][0]
                data[start:start + 4] = struct.pack("<f", value)
            self.refuse(self.changed(poison), "SP0405")

    def test_shapes(self):
        def wide(header, data):
            header["W_K.weight"]["shape"] = [4, 16]
        self.refuse(self.changed(wide), "SP1104")

        def too_big(header, data):
            header["W_K.weight"]["shape"] = [2**40, 2**40]
        self.refuse(self.changed(too_big), "SP0403")

    def test_missing_tensor(self):
        def rename(header, data):
            header["W_X.weight"] = header.pop("W_O.weight")
        self.refuse(self.changed(rename), "SP1103")

    def test_other_tensors(self):
        def with_tensor(name):
            def change(header, data):
                header[name] = {"dtype": "F32", "shape": [1], "data_offsets": [len(data), len(data) + 4]}
                data += bytes(4)
            return change
        self.refuse(self.changed(with_tensor("W_Q.bias")), "SP1104")
        self.refuse(self.changed(with_tensor("norm.weight")), "SP1106")

    def test_metadata(self):
        def unknown(header, data):
            header["__metadata__"]["attention"] = "cosine"
        self.refuse(self.changed(unknown), "SP1101")

        def missing(header, data):
            del header["__metadata__"]["attention"]
        self.refuse(self.changed(missing), "SP1102")

        def negative(header, data):
            header["__metadata__"]["seq_len"] = "-5"
        self.refuse(self.changed(negative), "SP1102")

    def test_a_trigger_the_model_has_not(self):
        status, _, stderr = run("certify", SOFTMAX, "--trigger", "2")
        self.assertEqual((status, "SP1410" in stderr), (2, True), stderr)


class Certify(Case):
    def test_more_samples_than_a_certificate_states_are_refused_at_once(self):
        for samples, code in (("31251", "SP1407"), ("0", "SP1406")):
            with self.subTest(samples):
                status, stdout, stderr = run("certify", SOFTMAX, "--length", "64", "--property", "theorem.tc-2", "--samples", samples)
                self.assertEqual((status, stdout), (2, ""), stderr)
                self.assertIn(code, stderr)

    def test_the_box_is_said_in_every_output_and_may_come_from_a_file(self):
        file, certificate = self.path("box.json"), self.path("cert.json")
        file.write_text('[["-1/2","1/2"],["0","1"],["-1","1"],["1/4","1/4"],["-1","1"]]\n')
        only = ("--property", "bos-floor.pre")
        shown = "[-1/2,1/2] x [0,1] x [-1,1] x [1/4,1/4] x [-1,1]"
        for box in (file, "0.5,0..1,1,0.25..0.25,1"):
            status, stdout, stderr = run("certify", SOFTMAX, *only, "--box", box, "-o", certificate)
            self.assertEqual((status, f"all inputs of the box {shown}\n" in stdout), (0, True), stdout + stderr)
            self.assertEqual(json.loads(certificate.read_text())["box"], json.loads(file.read_text()))
        _, stdout, _ = run("certify", SOFTMAX, *only, "--box", file, "--format", "json")
        self.assertEqual(json.loads(stdout)["properties"][0]["scope"]["box"], shown)
        page = self.path("report.html")
        self.assertEqual(run("report", certificate, "--models", CHECKPOINTS, "-o", page)[0], 0)
        self.assertIn(shown, page.read_text())
        for arguments, code in ((("--box", "0.5,1"), "SP1108"), (("--box", "1..0"), "SP1108"),
                                (("--box", "1", "--largest-box", "sup-loss<=1"), "SP1411"),
                                (("--largest-box", "bos-floor.pre<=1"), "SP1411"),
                                (("--largest-box", "sup-loss>=0"), "SP1411")):
            status, _, stderr = run("certify", SOFTMAX, *arguments)
            self.assertEqual((status, code in stderr), (2, True), stderr)

    def test_the_largest_box_lies_between_one_that_holds_and_one_that_does_not(self):
        certificate, page = self.path("cert.json"), self.path("report.html")
        status, stdout, stderr = run("certify", SOFTMAX, "--largest-box", "sup-loss<=0.1", "--seconds", "60",
                                     "--format", "json", "-o", certificate)
        self.assertEqual(status, 0, stderr)
        found = {p["name"]: p for p in json.loads(stdout)["properties"]}["largest-box.sup-loss"]
        least, most = float(found["lower"]), float(found["upper"])
        self.assertTrue(1 < least < most < 1.2 * least, found)
        self.assertEqual(run("--models", CHECKPOINTS, certificate, program="sinkproof-check")[0], 0)
        for radius, code in ((least, 0), (most, 1)):
            asked = ("--box", str(radius), "--require", "sup-loss<=0.1", "--property", "sup-loss", "--quiet")
            self.assertEqual(run("certify", SOFTMAX, *asked)[0], code, radius)
        self.assertEqual(run("report", certificate, "--models", CHECKPOINTS, "-o", page)[0], 0)
        self.assertIn("Largest boxes", page.read_text())
        status, stdout, _ = run("certify", SOFTMAX, "--largest-box", "sup-loss<=0.000001", "--seconds", "10")
        self.assertEqual((status, "[-r,r]" in stdout), (3, True), stdout)

    def test_json_contract(self):
        status, stdout, _ = run("certify", SOFTMAX, "--format", "json")
        self.assertEqual(status, 0)
        report = json.loads(stdout)
        self.assertEqual((report["schema"], report["semantics"], report["length"]), (1, "real", 8))
        names = {p["name"]: p for p in report["properties"]}
        for name in ("sup-loss", "sup-loss.pre", "sup-loss.trigger", "sup-loss.post", "bos-floor.pre",
                     "bos-floor.trigger", "bos-floor.post", "theorem.tc-1", "theorem.tc-3"):
            self.assertIn(name, names)
        for name, entry in names.items():
            self.assertEqual(entry["scope"]["trigger"], [3, 8])
            if name.startswith("theorem"):
                self.assertIn(entry["verdict"], ("proved", "not-applicable"))
                continue
            self.assertEqual(entry["verdict"], "enclosed")
            self.assertTrue(DECIMAL.fullmatch(entry["lower"]) and DECIMAL.fullmatch(entry["upper"]))
            self.assertLessEqual(float(entry["lower"]), float(entry["upper"]))
            self.assertEqual(len(entry["witness"]["tokens"]), 8)

    def test_requirements(self):
        for require, expected, verdict in (("sup-loss<=0.5", 0, "proved"), ("sup-loss<=0.001", 1, "refuted"),
                                           ("bos-floor.pre>=0.9", 0, "proved"),
                                           ("bos-floor.pre>=0.99999", 1, "refuted"),
                                           ("bos-floor.trigger>=0.001", 0, "proved"),
                                           ("bos-floor.trigger>=0.01", 1, "refuted")):
            name = re.split("[<>]", require)[0]
            # A floor alone is bounded at once; losses are with all that is certified unasked.
            only = ("--property", name) if "floor" in name else ()
            status, stdout, _ = run("certify", SOFTMAX, "--require", require, *only, "--format", "json")
            self.assertEqual(status, expected, require)
            entry = next(p for p in json.loads(stdout)["properties"] if p["name"] == name)
            self.assertEqual(entry["verdict"], verdict)
        # A threshold inside the enclosure: neither proved nor refuted.
        status, stdout, _ = run("certify", SOFTMAX, "--format", "json")
        entry = next(p for p in json.loads(stdout)["properties"] if p["name"] == "sup-loss")
        between = (float(entry["lower"]) + float(entry["upper"])) / 2
        status, _, _ = run("certify", SOFTMAX, "--require", f"sup-loss<={between:.12f}", "--quiet")
        self.assertEqual(status, 3)

    def test_a_refutation_says_what_decides_it_and_keeps_the_input(self):
        kept = self.folder / "kept.safetensors"
        asked = ("--require", "sup-loss<=0.0001", "--require", "bos-floor.pre<=1", "--require", "sup-loss>=9", "--require", "sup-loss.trigger<=1")
        code, out, _ = run("certify", RELU, *asked)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"refuted  sup-loss<=0\.0001: sup-loss is at least 0\.[0-9]+, attained in row [0-9]+, coordinate [0-9]+, trigger at position [0-9]+; --save-witness")
        self.assertRegex(out, r"refuted  sup-loss>=9: sup-loss is at most 0\.[0-9]+ for all inputs\n")
        self.assertRegex(out, r"proved   sup-loss\.trigger<=1: sup-loss\.trigger is between 0\.[0-9]+ and 0\.[0-9]+\n")
        code, out, _ = run("certify", RELU, *asked, "--format", "json", "--save-witness", kept)
        self.assertEqual(code, 1)
        first, _, other, last = json.loads(out)["requirements"]
        self.assertEqual([first["verdict"], first["refuted_by"], other["refuted_by"], other["attained_at"], last["refuted_by"]],
                         ["refuted", "lower", "upper", None, None])
        header, data = kept.read_bytes()[8:], None
        size = int.from_bytes(kept.read_bytes()[:8], "little")
        header, data = json.loads(header[:size]), header[size:]
        self.assertEqual({key: header["__metadata__"][key] for key in ("row", "coordinate", "trigger", "asked", "exact")},
                         {**{key: str(value) for key, value in first["attained_at"].items()}, "asked": "sup-loss<=0.0001", "exact": "true"})
        model = json.loads(run("certify", RELU, "--format", "json", "--property", "sup-loss")[1])
        tokens = next(p["witness"]["tokens"] for p in model["properties"] if p["name"] == "sup-loss")
        self.assertEqual(header["tokens"]["shape"], [1, len(tokens), len(tokens[0])])
        self.assertEqual(list(struct.unpack(f"<{len(data) // 8}d", data)), [float(Fraction(x)) for token in tokens for x in token])

    def test_a_kept_input_replays(self):
        """In doubles, and by the script in examples/ where PyTorch is there."""
        def tensors(path):
            data = path.read_bytes()
            size = 8 + int.from_bytes(data[:8], "little")
            header = json.loads(data[8:size])
            told = header.pop("__metadata__", {})
            code = {"F32": "f", "F64": "d"}
            read = lambda t: struct.unpack_from(f"<{math.prod(t['shape'])}{code[t['dtype']]}", data, size + t["data_offsets"][0])
            return told, {name: [list(read(t)[i:i + t["shape"][-1]]) for i in range(0, math.prod(t["shape"]), t["shape"][-1])]
                          for name, t in header.items()}
        for model in (SOFTMAX, RELU):
            kept = self.folder / "kept.safetensors"
            code, out, err = run("certify", model, "--property", "sup-loss.trigger", "--require", "sup-loss.trigger<=0.001", "--save-witness", kept)
            self.assertEqual(code, 1, err)
            (told, inputs), (_, maps) = tensors(kept), tensors(model)
            x, row, last = inputs["tokens"], int(told["row"]) - 1, int(told["trigger"])
            inner = lambda a, b: sum(p * q for p, q in zip(a, b))
            times = lambda name, y: [inner(line, y) for line in maps[name]]
            scores = [inner(times("W_Q.weight", x[row]), times("W_K.weight", y)) for y in x[:row + 1]]
            kernels = [math.exp(score - max(scores)) for score in scores] if model is SOFTMAX else [max(0, score) / row for score in scores]
            whole = sum(kernels) if model is SOFTMAX else 1
            mean = [sum(k / whole * y[c] for k, y in zip(kernels, x)) for c in range(len(x[0]))]
            output = times("W_O.weight", times("W_V.weight", mean))
            target = [sum(y[c] for y in x[1:last]) / (last - 1) * (row + 1 == last) for c in range(len(x[0]))]
            loss = max(abs(a - b) for a, b in zip(output, target))
            self.assertAlmostEqual(loss, float(told["lower"]), 8)
            script = subprocess.run([sys.executable, str(SOURCE / "examples/replay_witness.py"), str(model), str(kept)], capture_output=True, text=True)
            if "No module named" not in script.stderr:
                self.assertIn(f"loss in row {row + 1} is {loss:.8f}"[:28], script.stdout + script.stderr)

    def test_nothing_is_kept_where_nothing_is_refuted(self):
        kept = self.folder / "kept.safetensors"
        code, _, err = run("certify", RELU, "--require", "sup-loss<=9", "--property", "sup-loss", "--save-witness", kept)
        self.assertEqual((code, err != "", kept.exists()), (0, True, False))
        for arguments in ((RELU, "--save-witness", kept), (RELU, SOFTMAX, "--require", "sup-loss<=1", "--save-witness", kept)):
            code, _, err = run("certify", *arguments)
            self.assertEqual((code, "SP1412" in err), (2, True), err)

    def test_a_bare_name_asks_it_of_all_rows(self):
        for require, expected, verdicts in (
                ("bos-floor>=0.001", 0, ("proved", "proved", "proved")),
                ("bos-floor>=0.9", 1, ("proved", "refuted", "proved")),
                ("bos-attention>=0.9", 1, ("proved", "refuted", "proved"))):
            status, stdout, _ = run("certify", SOFTMAX, "--require", require, "--property", "sup-loss.pre",
                                    "--format", "json")
            self.assertEqual(status, expected, require)
            found = {p["name"]: p["verdict"] for p in json.loads(stdout)["properties"]}
            self.assertEqual(tuple(found[f"bos-floor.{rows}"] for rows in ("pre", "trigger", "post")), verdicts)
        self.assertEqual(run("certify", SOFTMAX, "--require", "bos-ceiling<=1")[0], 0)
        status, _, stderr = run("certify", SOFTMAX, "--require", "null-ceiling<=1")
        self.assertEqual((status, "SP1302" in stderr), (2, True), stderr)

    def test_metadata_keys_that_nothing_reads(self):
        """One that looks like a key which is missing is refused, any other is named."""
        asked = ("--property", "bos-floor.pre")
        model = self.path("m.safetensors")
        for key, meant, told in (("scal", "scale", "1"), ("n_layers", None, None), ("Residual", "residual", "false"), ("rope_base", None, None)):
            with self.subTest(key):
                with_metadata(SOFTMAX, model, **{key: "1/4"})
                header, data = read_safetensors(model)
                header["__metadata__"].pop(meant, None)
                write_safetensors(model, header, data)
                if meant:
                    status, _, stderr = run("certify", model, *asked)
                    self.assertEqual((status, f" {key}: " in stderr, f" --{meant} " in stderr), (2, True, True), stderr)
                    self.assertIn("error SP1102", stderr)
                options = (*asked, f"--{meant}", told) if meant else asked  # n_layers: num_layers is there
                status, stdout, stderr = run("certify", model, *options)
                self.assertEqual((status, key in stdout), (0, True), stdout + stderr)
                for command in (("certify", model, *options), ("sink-share", model, *options[2:], "--random", 1)):
                    if command[0] == "sink-share" and meant == "residual":
                        continue  # has no such option
                    _, stdout, stderr = run(*command, "--format", "json")
                    self.assertEqual(json.loads(stdout)["model"]["unread_metadata"], [key], stderr)
        _, stdout, _ = run("certify", SOFTMAX, *asked, "--format", "json")
        self.assertEqual(json.loads(stdout)["model"]["unread_metadata"], [])

    def test_overrides_are_said_in_every_verdict(self):
        reading = {"residual": ("true", "--residual", "false"), "num_layers": ("3", "--num-layers", 1),
                   "num_heads": ("2", "--num-heads", 1), "attention": ("relu", "--attention", "softmax")}
        refused = {"num_layers": "SP1107", "num_heads": "SP1104"}
        for key, (says, *told) in reading.items():
            with self.subTest(key):
                model = with_metadata(SOFTMAX, self.path("m.safetensors"), **{key: says})
                certificate = self.path("m.json")
                certificate.unlink(missing_ok=True)
                if key in refused:
                    status, _, stderr = run("certify", model, "-o", certificate)
                    self.assertEqual((status, refused[key] in stderr), (2, True), stderr)
                    self.assertFalse(certificate.exists())
                words = f"metadata: {key}"
                certified = run("certify", model, *told, "--property", "bos-floor.pre", "-o", certificate)
                self.assertEqual((certified[0], words in certified[1]), (0, True), certified)
                _, stdout, _ = run("certify", model, *told, "--property", "bos-floor.pre", "--format", "json")
                self.assertEqual(json.loads(stdout)["model"]["overrides"], [key])
                self.assertEqual(json.loads(certificate.read_text())["model"]["overrides"], [key])
                for options in ((), ("--format", "json")):
                    status, stdout, _ = run(certificate, *options, program="sinkproof-check")
                    self.assertEqual((status, words in stdout), (0, True), stdout)
                page = self.path("report.html")
                self.assertEqual(run("report", certificate, "-o", page)[0], 0)
                html = page.read_text().replace("&#39;", "'").replace("&apos;", "'")
                overview, card = html.split('<main id="main">')
                self.assertIn(words, overview)
                self.assertIn(words, card)
        plain = self.path("plain.json")
        _, stdout, _ = run("certify", SOFTMAX, "--property", "bos-floor.pre", "-o", plain)
        self.assertNotIn("otherwise", stdout)
        self.assertNotIn("otherwise", run("--models", CHECKPOINTS, plain, program="sinkproof-check")[1])

    def test_bad_requirements(self):
        for require in ("sup-loss", "sup-loss<0.1", "sup-loss<=x", "no-such<=1", "theorem.tc-1>=0", "<=1"):
            status, _, stderr = run("certify", SOFTMAX, "--require", require)
            self.assertEqual(status, 2, require)
            self.assertIn("SP1302", stderr)

    def test_other_length_and_dtypes(self):
        header, data = read_safetensors(SOFTMAX)
        values = struct.unpack(f"<{len(data) // 4}f", data)
        for dtype, size, encode in (("F64", 8, lambda x: struct.pack("<d", x)),
                                    ("F16", 2, lambda x: struct.pack("<e", x)),
                                    ("BF16", 2, lambda x: struct.pack("<f", x)[2:])):
            other = {"__metadata__": header["__metadata__"]}
            raw = b""
            for name in sorted(k for k in header if k != "__metadata__"):
                begin, end = (offset // 4 for offset in header[name]["data_offsets"])
                start = len(raw)
                raw += b"".join(encode(x) for x in values[begin:end])
                other[name] = {"dtype": dtype, "shape": header[name]["shape"], "data_offsets": [start, len(raw)]}
            model = self.path(f"{dtype}.safetensors")
            write_safetensors(model, other, raw)
            status, stdout, stderr = run("certify", model, "--length", 6, "--format", "json",
                                         "-o", self.path(f"{dtype}.json"))
            self.assertEqual(status, 0, stderr)
            self.assertEqual(json.loads(stdout)["length"], 6)
            status, _, _ = run(self.path(f"{dtype}.json"), program="sinkproof-check")
            self.assertEqual(status, 0)


class Check(Case):
    @classmethod
    def setUpClass(cls):
        cls.made = Path(tempfile.mkdtemp(prefix="sinkproof-made-"))
        cls.addClassCleanup(shutil.rmtree, cls.made)
        for name, model in (("softmax", SOFTMAX), ("relu", RELU)):
            status, _, stderr = run("certify", model, "-o", cls.made / f"{name}.json", "--quiet")
            assert status == 0, stderr

    def test_accepted(self):
        for name in ("softmax", "relu"):
            self.assertEqual(self.both("--models", CHECKPOINTS, self.made / f"{name}.json"), 0)

    def test_json(self):
        status, stdout, _ = run("--format", "json", "--models", CHECKPOINTS, self.made / "relu.json",
                                program="sinkproof-check")
        self.assertEqual(status, 0)
        row = json.loads(stdout)["files"][0]
        self.assertEqual((row["claim"], row["verdict"], row["evidence"]), ("checkpoint", "proved", "exact"))

    def test_missing_model(self):
        self.assertEqual(self.both(self.made / "relu.json"), 2)

    def test_other_model(self):
        text = (self.made / "softmax.json").read_text()
        certificate = json.loads(text)
        other = json.loads((self.made / "relu.json").read_text())
        certificate["model"]["sha256"] = other["model"]["sha256"]
        forged = self.path("forged.json")
        forged.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")
        self.assertEqual(self.both("--models", CHECKPOINTS, forged), 4)

    def test_one_digit(self):
        text = (self.made / "softmax.json").read_text()
        certificate = json.loads(text)
        for entry in certificate["properties"]:
            if entry["name"] != "sup-loss.pre":
                continue
            digits = entry["upper"]
            self.assertEqual(text.count(f'"upper":"{digits}"'), 1)
            smaller = str(int(digits[0]) - 1) + digits[1:] if digits[0] not in "01" else "1/" + digits.split("/")[1]
            forged = self.path("forged.json")
            forged.write_text(text.replace(f'"upper":"{digits}"', f'"upper":"{smaller}"'))
            self.assertEqual(self.both("--models", CHECKPOINTS, forged), 4)

    def test_not_canonical(self):
        text = (self.made / "relu.json").read_text()
        for forged_text in (text + "\n", text.replace(",", ", ", 1), text.rstrip("\n"), "", "{}\n", "[" * 200):
            forged = self.path("forged.json")
            forged.write_text(forged_text)
            self.assertEqual(self.both("--models", CHECKPOINTS, forged), 4)

    def test_worst_exit_code_of_several(self):
        forged = self.path("forged.json")
        forged.write_text("{}\n")
        self.assertEqual(self.both("--models", CHECKPOINTS, self.made / "relu.json", forged,
                                   self.path("absent.json")), 4)
        self.assertEqual(self.both("--models", CHECKPOINTS, self.made / "relu.json", self.path("absent.json")), 2)

    def test_theory_certificates(self):
        for path in sorted((SOURCE / "certificates").glob("*.json")):
            self.assertEqual(self.both(path), 3)
            self.assertEqual(self.both("--accept", "smt,coq", path), 0)


class Construct(Case):
    """Constructions of theory claims become checkpoints."""

    def construction(self, name):
        return CONSTRUCTIONS / "proofs" / "toy-2" / f"{name}.construction.json"

    def refuse(self, code, *arguments):
        output = self.path("m.safetensors")
        status, stdout, stderr = run("construct", *arguments, "-o", output)
        self.assertEqual((status, stdout), (2, ""))
        self.assertIn(f"error {code}", stderr)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("m.")], [])
        return stderr

    def test_softmax_scores_are_logarithms_of_the_kernel(self):
        model = self.path("m.safetensors")
        status, stdout, stderr = run("construct", self.construction("softmax"), "--d-model", 5, "-o", model)
        self.assertEqual(status, 0, stderr)
        self.assertIn("sup loss 1/26", stdout)  # (L-1)/(E+L-1), L = 5, E = 100
        header, data = read_safetensors(model)
        begin, end = header["W_K.weight"]["data_offsets"]
        self.assertEqual((header["W_K.weight"]["dtype"], header["W_K.weight"]["shape"]), ("F64", [5, 5]))
        scores = struct.unpack("<25d", data[begin:end])
        kernel = {(0, 0): 100, (1, 0): 1 / 100, (4, 0): 100}
        for query in (0, 1, 4):
            for key in (0, 1, 4):
                self.assertAlmostEqual(math.exp(scores[5 * query + key]), kernel.get((query, key), 1), delta=1e-12)
        self.assertEqual(sum(1 for x in scores if x != 0), 3)
        self.assertEqual(header["__metadata__"]["attention"], "softmax")
        self.assertEqual(header["__metadata__"]["construction"],
                         hashlib.sha256(self.construction("softmax").read_bytes()).hexdigest())

    def test_json_and_same_bytes(self):
        first, second = self.path("a.safetensors"), self.path("b.safetensors")
        status, stdout, stderr = run("construct", self.construction("theorem"), "-o", first, "--format", "json")
        self.assertEqual(status, 0, stderr)
        row = json.loads(stdout)
        self.assertEqual((row["attention"], row["num_heads"], row["seq_len"], row["d_model"], row["sup_loss"]),
                         ("softmax", 2, 4, 8, "0"))
        status, stdout, _ = run("construct", self.construction("theorem"), "-o", second, "--quiet")
        self.assertEqual((status, stdout), (0, ""))
        self.assertEqual(first.read_bytes(), second.read_bytes())
        self.assertEqual(read_safetensors(first)[0]["W_Q.weight"]["shape"], [16, 8])

    def test_a_wrong_figure_is_not_exported(self):
        value = json.loads(self.construction("softmax").read_text())
        value["statement"]["sup_loss"] = "1/27"
        wrong = self.path("wrong.construction.json")
        wrong.write_text(json.dumps(value))
        self.assertIn("sup_loss must be 1/26", self.refuse("SP0716", wrong))

    def test_bad_input(self):
        self.refuse("SP0201", self.path("absent.construction.json"))
        broken = self.path("broken.construction.json")
        broken.write_text("{")
        self.refuse("SP0301", broken)
        for width in (0, 3, 513, 10**9):
            self.refuse("SP1308", self.construction("relu"), "--d-model", width)
        status, _, stderr = run("construct", self.construction("relu"), "-o", self.path("no/such/folder.safetensors"))
        self.assertEqual(status, 2)
        self.assertIn("SP0203", stderr)
        self.assertEqual(run("construct", self.construction("relu"))[0], 2)  # no -o

    def test_a_stack_given_as_data(self):
        model, stack = self.path("m.safetensors"), SOURCE / "examples" / "stacks" / "one-head-deep.stack.json"
        status, stdout, stderr = run("construct", stack, "--d-model", 5, "-o", model, "--format", "json")
        self.assertEqual(status, 0, stderr)
        row = json.loads(stdout)
        self.assertEqual((row["attention"], row["num_heads"], row["num_layers"], row["d_model"], row["sup_loss"]),
                         ("softmax", 1, 10, 5, None))
        self.assertEqual(row["construction"], hashlib.sha256(stack.read_bytes()).hexdigest())
        status, stdout, _ = run("construct", stack, "--d-model", 4, "-o", model)
        self.assertEqual(stdout, f"softmax, 6 layers of 1 head, d_model 4, length 16: {model}\n")
        model.unlink()
        wrong = self.path("wrong.stack.json")
        for text, to, code in (('"P"', '"I"', "SP1315"), ('"residual"', '"residue"', "SP1315"), ('"-2/3"', '"-4/6"', "SP0101"),
                               ('"80"', '"' + "9" * 309 + '"', "SP0717"), ('"Lambda"]', '"Mu"]', "SP0504")):
            wrong.write_text((stack.with_name("two-heads.stack.json")).read_text().replace(text, to))
            self.assertNotIn("proofs/README.md", self.refuse(code, wrong))  # no step of a claim
        self.refuse("SP1316", stack, "--d-model", 512)


class Usage(Case):
    def test_usage_errors_are_exit_2(self):
        for arguments in ((), ("no-such-verb",), ("certify",), ("certify", SOFTMAX, "--no-such-option"),
                          ("certify", SOFTMAX, "--format", "xml"), ("prove",), ("prove", "no-such-claim"),
                          ("explain", "no-such-claim"), ("certify", SOFTMAX, "--semantics", "float32"),
                          ("certify", SOFTMAX, "--property", "no-such"),
                          ("train", "--attention", "cosine", "-o", self.path("m.safetensors"))):
            status, _, _ = run(*arguments)
            self.assertEqual(status, 2, arguments)

    def test_help_and_version(self):
        for arguments in (("--help",), ("certify", "--help"), ("--version",)):
            self.assertEqual(run(*arguments)[0], 0)

    def test_output_folder_missing(self):
        status, _, stderr = run("certify", RELU, "-o", self.path("no/such/folder.json"))
        self.assertEqual(status, 2)
        self.assertIn("SP0203", stderr)


class TrainToReport(Case):
    def test_whole_way(self):
        model = self.path("m.safetensors")
        status, _, stderr = run("train", "--attention", "relu", "--d-model", 6, "--length", 6, "--seed", 3,
                                "-o", model, "--quiet")
        self.assertEqual(status, 0, stderr)
        certificate = self.path("m.json")
        self.assertEqual(run("certify", model, "-o", certificate, "--quiet")[0], 0)
        page = self.path("report.html")
        status, _, stderr = run("report", certificate, "--models", self.folder, "-o", page)
        self.assertEqual(status, 0, stderr)
        html = page.read_text()
        self.assertIn("sup-loss.trigger", html)
        self.assertNotIn(str(self.folder), html)

    def test_same_seed_same_bytes(self):
        first, second = self.path("a.safetensors"), self.path("b.safetensors")
        for model, jobs in ((first, 1), (second, 2)):
            status, _, _ = run("train", "--d-model", 6, "--length", 5, "--steps", 40, "--seed", 9, "--jobs", jobs,
                               "-o", model, "--quiet")
            self.assertEqual(status, 0)
        self.assertEqual(first.read_bytes(), second.read_bytes())


class TrainVariants(Case):
    KINDS = ("softmax", "relu", "sigmoid-normalised", "elu1-normalised", "softmax-null", "softmax-gated", "sigmoid",
             "elu1", "linear", "softmax-sink")
    VARIANTS = SOURCE / "examples" / "variants"

    def test_every_kind(self):
        for kind in self.KINDS:
            model = self.path(f"{kind}.safetensors")
            status, _, stderr = run("train", "--attention", kind, "--heads", 2, "--bias", "--d-model", 5,
                                    "--length", 4, "--steps", 20, "--weight-decay", 0.1,
                                    "--initial-deviation", 0.1, "-o", model, "--quiet")
            self.assertEqual(status, 0, stderr)
            header, _ = read_safetensors(model)
            self.assertEqual(header.pop("__metadata__")["attention"], kind)
            names = {f"W_{m}.{part}" for m in "QKVO" + "G" * (kind == "softmax-gated") for part in ("weight", "bias")}
            self.assertEqual(set(header), names | ({"sinks"} if kind == "softmax-sink" else set()))

    def test_stacks(self):
        for kind, residual in (("softmax", True), ("relu", True), ("softmax-gated", False), ("softmax-sink", True)):
            model, again = self.path("m.safetensors"), self.path("again.safetensors")
            for output, jobs in ((model, 1), (again, 2)):
                status, _, stderr = run("train", "--attention", kind, "--layers", 2, "--heads", 3, "--d-model", 5,
                                        "--length", 4, "--steps", 20, "--jobs", jobs, "-o", output, "--quiet",
                                        *["--residual"] * residual)
                self.assertEqual(status, 0, stderr)
            self.assertEqual(model.read_bytes(), again.read_bytes())
            header, _ = read_safetensors(model)
            metadata = header.pop("__metadata__")
            self.assertEqual({key: metadata[key] for key in ("num_layers", "num_heads", "residual", "lr")},
                             {"num_layers": "2", "num_heads": "3", "residual": str(residual).lower(), "lr": "0.0001"})
            shapes = {"W_Q.weight": [15, 5], "W_K.weight": [15, 5], "W_V.weight": [15, 5], "W_O.weight": [5, 15]}
            if kind == "softmax-gated":
                shapes.update({"W_G.weight": [3, 5], "W_G.bias": [3]})
            if kind == "softmax-sink":
                shapes["sinks"] = [3]
            self.assertEqual({name: tensor["shape"] for name, tensor in header.items()},
                             {f"layers.{l}.{name}": shape for l in range(2) for name, shape in shapes.items()})
            status, stdout, stderr = run("measure", model, "--random", 2, "--seed", 1, "--property", "sink-share")
            self.assertEqual(status, 0, stderr)
            self.assertIn(f"2 layers of 3 heads, d_model 5, residual {str(residual).lower()}", stdout)

    def test_a_penalty_and_given_weights(self):
        common = ("train", "--heads", 2, "--d-model", 5, "--length", 4, "--steps", 20, "--quiet")
        given, model, again = (self.path(f"{name}.safetensors") for name in ("given", "m", "again"))
        self.assertEqual(run(*common, "-o", given)[0], 0)
        for output, penalty in ((model, 0.5), (again, 0.25)):
            status, _, stderr = run(*common, "--init", given, "--bos-penalty", penalty, "-o", output)
            self.assertEqual(status, 0, stderr)
            metadata = read_safetensors(output)[0]["__metadata__"]
            self.assertEqual(metadata["bos_penalty"], str(penalty))
            self.assertEqual(metadata["initial"], hashlib.sha256(given.read_bytes()).hexdigest())
        self.assertNotEqual(model.read_bytes(), again.read_bytes())
        self.assertNotIn("bos_penalty", read_safetensors(given)[0]["__metadata__"])

    def test_refused(self):
        for code, arguments in (("SP1001", ("--layers", 9)), ("SP1307", ("--attention", "cosine")),
                                ("SP1001", ("--bos-penalty", -1)), ("SP1008", ("--heads", 2, "--init", self.VARIANTS /
                                                                                "softmax.safetensors")),
                                ("SP1001", ("--heads", 17)), ("SP1001", ("--weight-decay", -1)),
                                ("SP1001", ("--heads", 3, "--d-model", 400))):
            status, _, stderr = run("train", *arguments, "-o", self.path("m.safetensors"))
            self.assertEqual(status, 2, arguments)
            self.assertIn(code, stderr)
            self.assertFalse(self.path("m.safetensors").exists())

    @unittest.skipIf("SINKPROOF_SANITIZED" in os.environ, "other optimisation rounds otherwise: bytes are of the Release build")
    def test_the_command_in_the_readme_gives_the_committed_bytes(self):
        readme = (self.VARIANTS / "README.md").read_text()
        common = re.search(r"sinkproof train OPTIONS (.*) -o NAME.safetensors", readme).group(1).split()
        compared = 0
        for name in ("linear", "softmax-gated"):
            options = re.search(rf"^\| {name} \| `(.*)` \|$", readme, re.M).group(1).split()
            model = self.path("m.safetensors")
            status, stdout, stderr = run("train", *options, *common, "--format", "json", "-o", model)
            self.assertEqual(status, 0, stderr)
            committed = self.VARIANTS / f"{name}.safetensors"
            if json.loads(stdout)["target"] == read_safetensors(committed)[0]["__metadata__"]["target"]:
                self.assertEqual(model.read_bytes(), committed.read_bytes())
                compared += 1
        if compared == 0:
            self.skipTest("the checkpoints were trained on an instruction set this processor lacks")

    def test_the_figures_in_the_readme(self):
        models = sorted(self.VARIANTS.glob("*.safetensors"))
        self.assertEqual(len(models), 13)
        printed = subprocess.run([sys.executable, str(SOURCE / "scripts" / "variant_figures.py"), *map(str, models)],
                                 capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()
        readme = (self.VARIANTS / "README.md").read_text().splitlines()
        self.assertEqual(len(printed), 15)
        for row in printed:
            self.assertIn(row, readme)


class Measure(Case):
    """Exact statements about given vectors, each accepted by the checker before it is printed."""

    def rows(self, name, rows, dtype="F64", tensor="x"):
        encode = {"F64": "<d", "F32": "<f"}[dtype]
        data = b"".join(struct.pack(encode, value) for row in rows for value in row)
        path = self.path(name)
        write_safetensors(path, {tensor: {"dtype": dtype, "shape": [len(rows), len(rows[0])],
                                          "data_offsets": [0, len(data)]}}, data)
        return path

    def measured(self, *arguments):
        status, stdout, stderr = run("measure", *arguments, "--format", "json")
        self.assertEqual(status, 0, stderr)
        return json.loads(stdout)

    def refuse(self, code, *arguments):
        status, stdout, stderr = run("measure", *arguments)
        self.assertEqual((status, stdout), (2, ""), stderr)
        self.assertIn(f"error {code}", stderr)

    def verdict(self, certificate):
        """The exit code both checkers agree on."""
        return self.both("--models", self.folder, certificate)

    def accepted(self, certificate):
        self.assertEqual(self.verdict(certificate), 0)

    def test_rows_with_round_answers(self):
        rows = self.rows("x.safetensors", [(-1, 0), (1, 1), (1, -1)])
        certificate = self.path("x.json")
        report = self.measured(rows, "--anchor", 0, "-o", certificate)
        self.accepted(certificate)
        self.assertEqual((report["schema"], report["rows"], report["length"]), (1, "stored", 3))
        only, = report["measurements"]
        hulls = {hull["name"]: hull for hull in only["hull_distances"]}
        self.assertEqual(set(hulls), {"hull-distance", "hull-distance without the anchor", "half-space"})
        self.assertEqual((hulls["half-space"]["squared_upper"], hulls["half-space"]["separated"]), ("0", False))
        without = hulls["hull-distance without the anchor"]
        self.assertEqual((without["squared_lower"], without["squared_upper"], without["exact"]), ("1", "1", True))
        bounds, = only["switch"]
        self.assertEqual((bounds["gap"], bounds["anchor_loss"], bounds["anchor_norm"]), ("1", "1", "1"))
        self.assertTrue(DECIMAL.fullmatch(bounds["floor_at_a_tenth_of_the_gap"]))
        self.assertEqual(float(bounds["floor_at_a_tenth_of_the_gap"]), 0.45)
        self.assertIsNone(only["smoothing"])
        text = run("measure", rows, "--property", "switch")[1]
        self.assertIn("cannot put out less than 1", text)
        self.assertIn("|output| <= eta < 1 forces attention >= (1 - eta)/(1 + 1)", text)

    def test_a_lie_about_them_is_rejected(self):
        rows = self.rows("x.safetensors", [(-1, 0), (1, 1), (1, -1)])
        certificate = self.path("x.json")
        self.measured(rows, "--property", "switch", "-o", certificate)
        text = certificate.read_text()
        self.assertEqual(text.count('"gap":"1"'), 1)
        certificate.write_text(text.replace('"gap":"1"', '"gap":"11/10"'))
        self.assertEqual(self.verdict(certificate), 4)

    def test_no_gap(self):
        rows = self.rows("x.safetensors", [(5, 5), (1, 0), (-1, 2), (-1, -2)])
        only, = self.measured(rows, "--property", "switch")["measurements"]
        self.assertEqual(only["switch"], [])
        self.assertEqual(only["hull_distances"][0]["support"], [1, 2, 3])
        status, text, _ = run("measure", rows, "--property", "switch")
        self.assertEqual(status, 0)
        self.assertIn("can put out exactly 0", text)

    def test_head_of_a_checkpoint_on_stored_rows(self):
        rows = [(1,) + (0,) * 7] + [(0, 0, .5, -.25, k / 4, 1 / 8, -.5, 1) for k in range(-3, 4)]
        path = self.rows("x.safetensors", rows, dtype="F32")
        shutil.copy(SOFTMAX, self.path("m.safetensors"))
        certificate = self.path("x.json")
        report = self.measured(path, "--model", self.path("m.safetensors"), "-o", certificate)
        self.accepted(certificate)
        only, = report["measurements"]
        self.assertEqual((only["layer"], only["head"], only["anchor"]), (0, 0, 0))
        # Trained to be silent on BOS alone: without it the head speaks.
        without = only["hull_distances"][1]
        self.assertGreater(float(without["distance"]["lower"]), 0.3)
        self.assertGreater(float(only["switch"][0]["floor_at_a_tenth_of_the_gap"]), 0.85)
        smoothing = only["smoothing"]
        self.assertEqual(smoothing["beta"], "0")
        self.assertEqual(smoothing["signs"], {"s": 0, "t": 1, "s_plus_t": 1})
        self.assertIn("sm-2 (a)", smoothing["verdict"])
        other = self.measured(path, "--model", self.path("m.safetensors"), "--beta", "1/2", "--property", "smoothing")
        self.assertEqual(other["measurements"][0]["smoothing"]["beta"], "1/2")

    def test_layers_of_a_stack(self):
        for kind in ("softmax", "relu"):
            model = self.path(f"{kind}.safetensors")
            shutil.copy(CHECKPOINTS / f"pytorch-2l2h-{kind}.safetensors", model)
            inputs, certificate = self.path(f"{kind}-in.safetensors"), self.path(f"{kind}.json")
            arguments = (model, "--random", 2, "--seed", 5, "--save-inputs", inputs, "-o", certificate)
            report = self.measured(*arguments)
            self.assertIn("rows of a forward pass, rounded to the nearest doubles", report["rows"])
            self.assertEqual([(m["layer"], m["head"]) for m in report["measurements"]],
                             [(0, None), (0, 0), (0, 1), (1, None), (1, 0), (1, 1)])
            self.assertEqual(len(report["average_cosine"]), 3)
            self.assertEqual([len(m["hull_distances"]) for m in report["measurements"]], [1, 2, 2, 1, 2, 2])
            for one in report["measurements"]:
                self.accepted(one["certificate"])
                for hull in one["hull_distances"]:
                    self.assertTrue(hull["exact"])
                if one["smoothing"]:
                    for end in ("diagonal", "uniform"):
                        mean = one["smoothing"][end]["measured"]["mean"]
                        self.assertLessEqual(float(mean["upper"]) - float(mean["lower"]), 1e-8)
            header, data = read_safetensors(inputs)
            self.assertEqual(set(header) - {"__metadata__"}, {"layers.0.input", "layers.1.input", "output"})
            self.assertEqual(header["layers.1.input"]["shape"], [32, 16])
            self.assertEqual(header["__metadata__"]["seed"], "5")
            # The first sequence: BOS, then content tokens and one trigger.
            begin = header["layers.0.input"]["data_offsets"][0]
            first = struct.unpack("<256d", data[begin:begin + 2048])
            self.assertEqual(first[:16], (1.0,) + (0.0,) * 15)
            self.assertEqual(sum(first[16 * i + 1] for i in range(16)), 1.0)
            # The same seed gives the same bytes; another one does not.
            again = self.path("again.safetensors")
            self.measured(model, "--random", 2, "--seed", 5, "--save-inputs", again, "--property", "half-space")
            self.assertEqual(inputs.read_bytes(), again.read_bytes())
            self.measured(model, "--random", 2, "--seed", 6, "--save-inputs", again, "--property", "half-space")
            self.assertNotEqual(inputs.read_bytes(), again.read_bytes())
            # The stored rows, measured as rows of a file, give the same certificate.
            one = self.path("one.json")
            self.measured(inputs, "--tensor", "layers.1.input", "--model", model, "--layer", 1, "--head", 1,
                          "--length", 16, "-o", one)
            self.assertEqual(one.read_bytes(), self.path(f"{kind}.l1.h1.json").read_bytes())

    def test_tokens_of_a_file(self):
        rows = self.rows("x.safetensors", [(1,) + (0,) * 7] + [(0, 0, .5, -.25, k / 4, 0, 0, 1) for k in range(-3, 4)])
        report = self.measured(SOFTMAX, "--tokens", rows, "--property", "switch")
        self.assertEqual([(m["layer"], m["head"]) for m in report["measurements"]], [(0, 0)])
        self.assertEqual(len(report["average_cosine"]), 2)

    def test_bad_files(self):
        rows = self.rows("x.safetensors", [(1, 0), (0, 1)])
        self.refuse("SP0201", self.path("absent.safetensors"))
        self.refuse("SP0405", self.rows("nan.safetensors", [(math.nan, 0)]))
        self.refuse("SP1501", rows, "--tensor", "y")
        self.refuse("SP1501", SOFTMAX)
        flat = self.path("flat.safetensors")
        write_safetensors(flat, {"x": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}}, bytes(16))
        self.refuse("SP1502", flat, "--tensor", "x")
        self.refuse("SP1503", self.rows("one.safetensors", [(1, 0)]), "--property", "switch")
        self.refuse("SP1503", self.rows("same.safetensors", [(1, 0), (1, 0)]), "--property", "switch")
        self.refuse("SP1504", rows, "--model", SOFTMAX, "--head", 1)
        self.refuse("SP1504", rows, "--model", SOFTMAX, "--layer", 1)
        self.refuse("SP1504", SOFTMAX, "--random", 1, "--layer", 1)
        self.refuse("SP1502", rows, "--model", SOFTMAX, "--heads", 3)
        self.refuse("SP1505", rows, "--model", SOFTMAX)
        self.refuse("SP1505", SOFTMAX, "--tokens", rows)
        self.refuse("SP1506", rows, "--anchor", 2)
        self.refuse("SP1506", rows, "--vectors", "1,0")
        self.refuse("SP1507", rows, "--model", SOFTMAX, "--property", "half-space")
        self.refuse("SP1507", rows, "--property", "smoothing")
        self.refuse("SP1507", rows, "--model", CHECKPOINTS / "pytorch-2l2h-relu.safetensors")
        self.refuse("SP1508", rows, "--head", 0)
        self.refuse("SP1508", rows, "--save-inputs", self.path("y.safetensors"))
        self.refuse("SP1508", SOFTMAX, "--random", 1, "-o", self.path("y.json"))
        self.refuse("SP1508", SOFTMAX, "--random", 1, "--tokens", rows)
        self.refuse("SP1508", SOFTMAX, "--random", 1, "--model", SOFTMAX)
        self.refuse("SP1509", SOFTMAX, "--random", 200)
        self.refuse("SP1509", rows, "--length", 3)
        self.refuse("SP1509", rows, "--model", SOFTMAX, "--beta", "1/0")
        self.assertFalse(self.path("y.json").exists() or self.path("y.safetensors").exists())

    def test_nothing_is_written_where_nothing_can_be(self):
        rows = self.rows("x.safetensors", [(1, 0), (0, 1)])
        self.refuse("SP0203", rows, "-o", self.path("no/such/folder.json"))
        self.refuse("SP0203", SOFTMAX, "--random", 1, "--save-inputs", self.path("no/such.safetensors"))

    def representable(self, status, *arguments):
        certificate = self.path("representable.json")
        certificate.unlink(missing_ok=True)
        got, stdout, stderr = run("measure", *arguments, "--property", "representable", "--format", "json",
                                  "-o", certificate)
        self.assertEqual(got, status, stderr)
        self.accepted(certificate)
        only, = json.loads(stdout)["measurements"]
        self.assertEqual(only["certificate"], str(certificate))
        return only["representable"]

    def test_representable_or_not(self):
        rows = self.rows("x.safetensors", [(1, 0), (0, 1)])
        answer, = self.representable(0, rows)
        self.assertEqual((answer["pattern"], answer["verdict"], answer["feasible"]), ("sink-A", "proved", True))
        self.assertEqual(answer["squared_frobenius_margin"], {"lower": "2", "upper": "2", "exact": True})
        self.assertEqual(float(answer["frobenius_margin"]["lower"]), 1.414213562)
        self.assertIsNone(answer["multipliers"])
        answer, = self.representable(0, rows, "--margin", "3", "--anchor", 1)
        self.assertEqual(answer["squared_frobenius_margin"]["upper"], "2/9")
        text = run("measure", rows, "--property", "representable")[1]
        self.assertIn("feasible, proved", text)
        self.assertIn("Frobenius margin 1.414213 .. 1.414214; its square is exactly 2", text)
        line = self.rows("line.safetensors", [(1,), (2,), (-1,)])
        answer, = self.representable(1, line)
        self.assertEqual((answer["verdict"], answer["feasible"]), ("refuted", False))
        self.assertEqual(set(answer["multipliers"]["tokens"]) - {0}, {1, 2})
        self.assertGreaterEqual(answer["multipliers"]["count"], 2)
        status, text, _ = run("measure", line, "--property", "representable")
        self.assertEqual(status, 1)
        self.assertRegex(text, r"infeasible, refuted by [2-9] multipliers over tokens 0, 1, 2")
        # Only what was asked can refute.
        self.assertEqual(run("measure", line)[0], 0)

    def test_representable_patterns_of_a_user(self):
        rows = self.rows("x.safetensors", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
        self.path("roles.json").write_text('{"bos": 2, "groups": [[0]], "copies": [1]}')
        both = self.representable(0, rows, "--roles", self.path("roles.json"), "--pattern", "diagonal",
                                  "--pattern", "sink-B")
        self.assertEqual([answer["pattern"] for answer in both], ["sink-B", "diagonal"])
        self.path("cycle.json").write_text("[[0,1,2],[0,2,1]]")
        answer, = self.representable(1, rows, "--constraints", self.path("cycle.json"))
        self.assertEqual((answer["pattern"], answer["constraints"], answer["multipliers"]["count"]), ("margins", 2, 2))
        stored = self.path("stored.safetensors")
        header, data = read_safetensors(rows)
        write_safetensors(stored, {**header, "__metadata__": {"roles": '{"bos":1,"copies":[],"groups":[[0]]}'}}, data)
        answer, = self.representable(0, stored)
        self.assertEqual(answer["constraints"], 1)
        answer, = self.representable(0, stored, "--anchor", 1)
        self.assertEqual(answer["constraints"], 4)
        layers = json.loads(run("measure", SOFTMAX, "--random", 1, "--property", "representable", "--format", "json")[1])
        self.assertEqual([(m["layer"], m["head"]) for m in layers["measurements"]], [(0, None)])

    def test_representable_refuses(self):
        rows = self.rows("x.safetensors", [(1, 0), (0, 1)])
        asked = (rows, "--property", "representable")
        self.refuse("SP1507", *asked, "--model", SOFTMAX)
        self.refuse("SP1508", rows, "--pattern", "sink-A")
        self.refuse("SP1508", rows, "--margin", "2")
        self.path("roles.json").write_text('{"bos": 0, "groups": [[2]], "copies": []}')
        self.refuse("SP1602", *asked, "--roles", self.path("roles.json"))
        self.refuse("SP1508", *asked, "--roles", self.path("roles.json"), "--anchor", 0)
        self.refuse("SP1607", *asked, "--margin", "-1")
        self.refuse("SP0201", *asked, "--constraints", self.path("absent.json"))
        self.refuse("SP1503", self.rows("same.safetensors", [(1, 0), (1, 0)]), *asked[1:])
        self.refuse("SP1614", self.rows("many.safetensors", [(1, k) for k in range(257)]), *asked[1:])

    def test_help_names_every_flag(self):
        text = run("measure", "--help")[1]
        for flag in ("--tensor", "--model", "--tokens", "--random", "--seed", "--length", "--layer", "--head", "--heads",
                     "--beta", "--attention", "--property", "--anchor", "--vectors", "--pattern", "--roles", "--constraints",
                     "--margin", "--output", "--save-inputs",
                     "--claims", "--format", "--quiet"):
            self.assertIn(flag, text)
        rows = self.rows("x.safetensors", [(1, 0), (0, 1)])
        self.assertEqual(run("measure", rows, "--property", "no-such")[0], 2)
        self.assertEqual(run("measure", rows, "--quiet")[:2], (0, ""))


class ErrorCodes(unittest.TestCase):
    def test_every_code_is_documented_and_every_documented_code_exists(self):
        used = set()
        for path in (SOURCE / "src").rglob("*.[ch]pp"):
            used |= set(re.findall(r'"(SP[0-9]{4})"', path.read_text()))
        documented = set(re.findall(r"^\| (SP[0-9]{4}) ", "".join(page.read_text() for page in sorted((SOURCE / "docs").glob("ERRORS_*.md"))), re.M))
        self.assertEqual(used, documented)


MAP_CLAIM = """id = "toy-8"
title = "A map of two variants"
source = "s"
hypotheses = []

[[sentence]]
text = "w"
says = ["words.prose.md"]

[[step]]
name = "words"
rule = "prose"
file = "words.prose.md"
establishes = "it"
relies_on = []

[[step]]
name = "built"
rule = "construction"
file = "theorem.construction.json"
establishes = "it too"
relies_on = []

[[variant]]
name = "softmax"
attention = "softmax"
sink = "necessary"
bound = "1 - 3η"
says = ["words.prose.md"]
evidence = ["words"]
trained = "small"

[[variant]]
name = "ReLU over the number of keys but one, as in tc-6"
sink = "avoidable exactly"
bound = "0"
says = ["theorem.construction.json"]
evidence = ["built", "words"]
trained = "exact"

[[variant]]
name = "linear"
sink = "avoidable in the limit"
bound = "e^-b"
says = ["theorem.construction.json"]
evidence = ["built"]
"""


class Explain(Case):
    @classmethod
    def setUpClass(cls):
        cls.made = Path(tempfile.mkdtemp(prefix="sinkproof-made-"))
        cls.addClassCleanup(shutil.rmtree, cls.made)
        for name, model in (("small", SOFTMAX), ("exact", RELU)):
            shutil.copy(model, cls.made / f"{name}.safetensors")
            status, _, stderr = run("certify", model, "-o", cls.made / f"{name}.json", "--quiet")
            assert status == 0, stderr

    def setUp(self):
        super().setUp()
        claim = self.path("proofs") / "toy-8"
        claim.mkdir(parents=True)
        (claim / "claim.toml").write_text(MAP_CLAIM)
        (claim / "words.prose.md").write_text("words: 1 - 3")
        shutil.copytree(SOURCE / "proofs" / "checkpoint", self.path("proofs") / "checkpoint")
        self.checkpoints = self.path("checkpoints")
        shutil.copytree(self.made, self.checkpoints)

    def explain(self, *arguments, folder=True):
        options = ("--checkpoints", self.checkpoints) if folder else ()
        # Without a certificate of its own the claim's status is an error, exit 2.
        return run("explain", "toy-8", "--proofs", self.path("proofs"), "--certificates", self.folder,
                   *options, *arguments)

    def trained(self, *arguments, **options):
        status, stdout, stderr = self.explain("--format", "json", *arguments, **options)
        variants = json.loads(stdout)["variants"]
        self.assertEqual([v["name"] for v in variants],
                         ["softmax", "ReLU over the number of keys but one, as in tc-6", "linear"])
        return status, [v["trained"] for v in variants]

    def certified(self, name, model):
        status, stdout, _ = run("certify", model, "--format", "json")
        self.assertEqual(status, 0)
        return next(p for p in json.loads(stdout)["properties"] if p["name"] == name)

    def test_explain(self):
        status, stdout, _ = run("explain", "tc-1")
        self.assertEqual(status, 0)
        for word in ("tc-1", "hypotheses", "checked by", "Coq"):
            self.assertIn(word, stdout)
        self.assertNotIn("\nvariants\n", stdout)
        status, stdout, _ = run("explain", "tc-1", "--format", "json")
        self.assertEqual(status, 0)
        self.assertNotIn("variants", json.loads(stdout))

    def test_map_json(self):
        status, stdout, _ = self.explain("--format", "json")
        self.assertEqual(status, 2)
        softmax, relu, linear = json.loads(stdout)["variants"]
        self.assertEqual((softmax["sink"], softmax["attention"], softmax["bound"], softmax["says"]),
                         ("necessary", "softmax", "1 - 3η", ["words.prose.md"]))
        self.assertEqual((softmax["evidence"], softmax["files"]), (["words"], ["words.prose.md"]))
        self.assertEqual((relu["sink"], relu["attention"]), ("avoidable exactly", None))
        self.assertEqual(relu["files"], ["words.prose.md", "theorem.construction.json"])
        self.assertEqual((linear["sink"], linear["trained"]), ("avoidable in the limit", None))
        trained = softmax["trained"]
        self.assertEqual((trained["certificate"], trained["status"], trained["reason"]), ("small.json", "accepted", ""))
        # Seven digits, rounded outward from the certified bounds.
        loss = float(self.certified("sup-loss", SOFTMAX)["upper"])
        self.assertTrue(loss <= float(trained["loss"]) <= loss * (1 + 2e-6))
        for shown, model in ((trained, SOFTMAX), (relu["trained"], RELU)):
            floor = float(self.certified("bos-floor.pre", model)["lower"])
            ceiling = float(self.certified("bos-ceiling.pre", model)["upper"])
            self.assertTrue(floor * (1 - 2e-6) <= float(shown["bos_floor"]) <= floor)
            self.assertTrue(ceiling <= float(shown["bos_ceiling"]) <= ceiling * (1 + 2e-6))

    def test_map_text(self):
        status, stdout, _ = self.explain()
        self.assertEqual(status, 2)
        table = stdout[stdout.index("\nvariants\n"):stdout.index("\nstatus of")].strip().splitlines()[1:]
        bars = [tuple(m.start() for m in re.finditer(r"\||\+", line)) for line in table]
        self.assertEqual(len(bars[0]), 4)
        self.assertEqual(set(bars), {bars[0]})  # aligned, the line with a Greek letter too
        text = [[part.strip() for part in line.split("|")] for line in table if "|" in line]
        self.assertEqual(text[0], ["variant", "sink", "bound", "evidence", "trained checkpoint"])
        row = next(line for line in text if line[0] == "softmax")
        self.assertEqual(row, ["softmax", "necessary", "1 - 3η", "words.prose.md", "small: certified"])
        cells = " ".join(line[4] for line in text)
        _, (softmax, relu, _) = self.trained()
        self.assertIn(f"loss <= {softmax['loss']}", cells)
        for shown in (softmax, relu):
            self.assertIn(f"BOS attention before the trigger in [{shown['bos_floor']}, {shown['bos_ceiling']}]", cells)
        self.assertIn("theorem.construction.json", " ".join(line[3] for line in text))
        self.assertEqual(next(line for line in text if line[0] == "linear")[4], "-")

    def test_rejected_and_missing_checkpoints(self):
        certificate = self.checkpoints / "small.json"
        value = json.loads(certificate.read_text())
        for entry in value["properties"]:
            if entry["name"] == "bos-floor.pre":
                entry["lower"] = entry["upper"] = "1"
        certificate.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")
        status, (softmax, relu, _) = self.trained()
        self.assertEqual((status, softmax["status"], relu["status"]), (4, "rejected", "accepted"))
        self.assertTrue(softmax["reason"])
        self.assertNotIn("loss", softmax)
        status, stdout, _ = self.explain()
        self.assertEqual(status, 4)
        self.assertIn("small: rejected", stdout)
        self.assertNotIn(" >= ", stdout)

        certificate.unlink()
        (self.checkpoints / "exact.safetensors").unlink()
        status, (softmax, relu, _) = self.trained()
        self.assertEqual((status, softmax["status"], relu["status"]), (2, "missing", "not accepted"))
        self.assertIn("SHA-256", relu["reason"])
        _, (softmax, relu, _) = self.trained(folder=False)
        for row in (softmax, relu):
            self.assertEqual(row["status"], "missing")

    def test_a_checkpoint_of_another_kind_is_not_the_variants(self):
        shutil.copy(self.checkpoints / "exact.json", self.checkpoints / "small.json")
        status, (softmax, _, _) = self.trained()
        self.assertEqual((status, softmax["status"]), (2, "not accepted"))
        self.assertIn("its attention is relu", softmax["reason"])
        self.assertNotIn("loss", softmax)
        shutil.copy(SOURCE / "certificates" / "tc-6.json", self.checkpoints / "small.json")
        self.assertNotEqual(self.trained()[1][0]["status"], "accepted")

    def test_bad_arguments(self):
        status, _, _ = run("explain", "tc-1", "--checkpoints", self.path("absent"))
        self.assertEqual(status, 2)
        toml = self.path("proofs") / "toy-8" / "claim.toml"
        toml.write_text(MAP_CLAIM.replace('"avoidable exactly"', '"avoidable"'))
        status, _, stderr = self.explain()
        self.assertEqual(status, 2)
        self.assertIn("error SP0603", stderr)
        self.assertIn('field "sink"', stderr)


class Report(Case):
    def test_models_are_looked_for_only_where_the_user_says(self):
        certificate = self.path("m.json")
        self.assertEqual(run("certify", RELU, "-o", certificate, "--quiet")[0], 0)
        elsewhere = self.path("models")
        elsewhere.mkdir()
        shutil.copy(RELU, elsewhere / "m.safetensors")

        def page(*arguments, folder=elsewhere):
            output = self.path("report.html")
            result = subprocess.run([str(BIN.resolve() / "sinkproof"), "report", str(certificate), "-o", str(output), "--claims",
                                     str(SOURCE / "proofs"), *map(str, arguments)], capture_output=True, text=True,
                                    cwd=folder, timeout=300)
            return result.returncode, output.read_text()

        # The model lies in the working folder, which nobody named.
        status, html = page()
        self.assertEqual(status, 2)
        self.assertNotIn("<figure", html)
        status, html = page("--models", elsewhere, folder=self.folder)
        self.assertEqual(status, 0)
        self.assertIn("<figure", html)
        shutil.copy(RELU, self.path("beside.safetensors"))
        status, html = page()
        self.assertEqual(status, 0)
        self.assertIn("<code>beside.safetensors</code>", html)

        # A relative name of the certificate: its folder is the working folder.
        result = subprocess.run([str(BIN.resolve() / "sinkproof"), "report", "m.json", "-o", "r.html", "--claims",
                                 str(SOURCE / "proofs")], capture_output=True, text=True, cwd=self.folder, timeout=300)
        self.assertEqual(result.returncode, 0)
        self.assertIn("<figure", self.path("r.html").read_text())


class ReportVerdicts(Case):
    """What the page calls proved is what was asked and shown."""

    def page(self, *arguments):
        output = self.path("report.html")
        output.unlink(missing_ok=True)
        status, stdout, stderr = run("report", *arguments, "-o", output)
        html = output.read_text()
        self.badges = re.findall(r'<span class="badge [a-z]+"><svg.*?</svg>([^<]+)</span>', html)
        self.counts = {name: int(number) for number, name in re.findall(
            r"<li><strong>(\d+)</strong><span>([^<:]+)", html)}
        return status, html, stdout + stderr

    def certified(self, model=SOFTMAX, *arguments):
        certificate = self.path(f"{Path(model).stem}.json")
        shutil.copy(model, self.folder)
        status, _, stderr = run("certify", model, "-o", certificate, "--quiet", *arguments)
        self.assertIn(status, (0, 1), stderr)
        return certificate

    def test_nothing_is_taken_on_trust_unless_told(self):
        certificate = SOURCE / "certificates" / "tc-5.json"
        for accept in ((), ("--accept", "smt"), ("--accept", "coq"), ("--accept", "smt,coq")):
            checked = run(certificate, *accept, program="sinkproof-check")[0]
            status, html, _ = self.page(certificate, *accept)
            self.assertEqual(status, checked, accept)
            self.assertEqual(self.counts["accepted"], int(checked == 0), accept)
            self.assertEqual(self.counts["accepted in part"], int(checked == 3), accept)
            self.assertEqual("proved" in self.badges, checked == 0, accept)
            again = " ".join(("sinkproof-check --models models", *accept, "tc-5.json"))
            self.assertIn(again, html)
        self.assertEqual(checked, 0)

    def test_an_empty_cell_of_what_forces_a_sink_names_the_claims_it_needs(self):
        output = self.path("report.html")
        self.assertEqual(run("report", SOURCE / "certificates/tc-1.json", "--claims", SOURCE / "proofs", "--accept", "smt,coq", "-o", output)[0], 0)
        cells = re.findall(r"<td[^>]*>(?:<details><summary><span class=\"chip [a-z]+\">([^<]*)|needs (.*?)</td>)", output.read_text().split('id="map"')[1])
        needed = [re.sub("<[^>]*>", "", needs) for _, needs in cells if needs]
        self.assertEqual((len(cells), len(needed)), (20, 19))
        self.assertEqual([needed[0], needed[1]], ["tc-3", "tc-1, tc-8"])

    def test_a_checkpoint_is_not_proved_before_something_is_asked(self):
        status, html, _ = self.page(self.certified(SOFTMAX, "--property", "sup-loss"))
        self.assertEqual((status, set(self.badges)), (0, {"enclosed"}))
        self.assertNotIn("Required", html)

    def test_a_refuted_threshold_is_not_green(self):
        certificate = self.certified(SOFTMAX, "--property", "sup-loss", "--property", "bos-floor.pre",
                                     "--require", "sup-loss<=0.001")
        loss = next(entry for entry in json.loads(certificate.read_text())["properties"] if entry["name"] == "sup-loss")
        between = float((Fraction(loss["lower"]) + Fraction(loss["upper"])) / 2)
        for asked, expected, verdict in (("sup-loss<=0.001", 1, "refuted"), ("sup-loss<=0.02", 0, "proved"),
                                         (f"sup-loss<={between}", 3, "unknown"), ("bos-floor>=0.9", 3, "unknown")):
            status, html, _ = self.page(certificate, "--require", asked)
            overview, card = html.split('<main id="main">')
            self.assertEqual(status, expected, asked)
            self.assertEqual(set(self.badges), {"enclosed", verdict}, asked)
            escaped = asked.replace("<", "&lt;").replace(">", "&gt;")
            self.assertIn(escaped, card)
            self.assertEqual(escaped in overview, verdict != "proved", asked)
        # Of several the worst is the certificate's.
        status, html, _ = self.page(certificate, "--require", "sup-loss<=0.02", "--require", "sup-loss<=0.001")
        self.assertEqual((status, self.badges[0]), (1, "refuted"))

    def test_a_threshold_is_put_to_those_that_state_it(self):
        soft = self.certified(SOFTMAX)
        relu = self.certified(RELU, "--property", "sup-loss")
        status, html, _ = self.page(soft, relu, "--require", "bos-floor.pre>=0.9")
        self.assertEqual((status, html.count("<h4>Required</h4>")), (0, 1))
        status, html, said = self.page(soft, relu, "--require", "null-floor>=0.9")
        self.assertEqual((status, "SP1206" in said, html.count("<h4>Required</h4>")), (2, True, 0))
        status, _, stderr = run("report", soft, "--require", "sup-loss", "-o", self.path("no.html"))
        self.assertEqual((status, "SP1302" in stderr, self.path("no.html").exists()), (2, True, False))


class VectorReport(Case):
    """Four orthonormal tokens, token 0 the sink of the others: its cost is 3 exactly."""

    TRIPLES = [[j, 0, i, "1"] for j in (1, 2, 3) for i in (1, 2, 3)]

    def setUp(self):
        super().setUp()
        self.tokens = self.path("tokens.safetensors")
        data = struct.pack("<16f", *(float(i % 5 == 0) for i in range(16)))
        write_safetensors(self.tokens, {"tokens": {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64]}}, data)

    @staticmethod
    def claim_hash(folder):
        """FORMAT.md, section 2."""
        files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "README.md")
        lines = ((str(p.relative_to(folder)).encode(), hashlib.sha256(p.read_bytes()).hexdigest().encode()) for p in files)
        return hashlib.sha256(b"".join(path + b"\0" + digest + b"\n" for path, digest in sorted(lines))).hexdigest()

    def certificate(self, lower="3", upper="3"):
        claim = self.claim_hash(SOURCE / "proofs" / "vectors")
        pattern = {"kind": "sink-A", "bos": 0, "groups": [[1, 2, 3]], "copies": [], "margin": "1"}
        value = {"format": 1, "kind": "vectors", "claim": "vectors", "claim_sha256": claim,
                 "input": {"sha256": hashlib.sha256(self.tokens.read_bytes()).hexdigest(), "tensor": "tokens",
                           "head": None},
                 "properties": [{"statement": {"property": "cost", "pattern": pattern, "lower": lower, "upper": upper},
                                 "evidence": {"query": {"denominator": "2", "rows": [["0", "1", "1", "1"]] * 2},
                                              "key": {"denominator": "4", "rows": [["3", "-1", "-1", "-1"]] * 2},
                                              "multipliers": self.TRIPLES, "norm": "6"}}]}
        path = self.path("cost.json")
        path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")
        return path

    def page(self, certificate, *arguments):
        output = self.path("report.html")
        output.unlink(missing_ok=True)
        status, _, stderr = run("report", certificate, "-o", output, *arguments)
        self.assertEqual(stderr, "")
        return status, output.read_text()

    def test_accepted(self):
        status, html = self.page(self.certificate())
        self.assertEqual(status, 0)
        self.assertIn('<section id="vectors">', html)
        self.assertIn("3 … 3", html)
        self.assertIn("4 × 4", html)
        self.assertNotIn("Not read again here", html)
        self.assertNotIn(str(self.folder), html)

    def test_rejected_by_the_checker(self):
        for lower, upper in (("3", "29/10"), ("31/10", "4")):
            status, html = self.page(self.certificate(lower, upper))
            self.assertEqual(status, 4)
            self.assertNotIn("Costs</h4>", html)

    def test_vectors_are_found_by_their_hash(self):
        certificate = self.certificate()
        elsewhere = self.path("models")
        elsewhere.mkdir()
        self.tokens.rename(elsewhere / "renamed.safetensors")
        status, html = self.page(certificate)
        self.assertEqual(status, 2)
        self.assertNotIn("Costs</h4>", html)
        status, html = self.page(certificate, "--models", elsewhere)
        self.assertEqual(status, 0)
        self.assertIn("4 × 4", html)


class CostFigures(Case):
    """The committed family of examples/costs, as scripts/cost_figures.sh draws it."""

    COSTS = SOURCE / "examples" / "costs"

    def test_every_certificate_is_accepted_and_drawn(self):
        certificates = sorted(self.COSTS.glob("*.json"))
        output = self.path("costs.html")
        status, _, stderr = run("report", *certificates, "-o", output)
        self.assertEqual((status, stderr), (0, ""))
        html = output.read_text()
        charts = dict(re.findall(r'<svg class="chart"[^>]*aria-labelledby="costs-by-([a-z]+)-1-title.*?">(.*?)</svg>',
                                 html, re.DOTALL))
        self.assertEqual(set(charts), {"rank", "margin"})
        for name, least in (("rank", 8), ("margin", 5)):
            for mark in ('<circle class="mark of-sink"', '<path class="mark of-diagonal"'):
                self.assertGreaterEqual(charts[name].count(mark), least, (name, mark))
        # co-1 and co-4 meet, co-2 and co-3 do not.
        self.assertEqual(charts["rank"].count('class="curve of-sink"'), 1)
        self.assertEqual(charts["rank"].count('class="curve of-diagonal '), 2)
        self.assertNotIn("not decided</strong>", html)

    def test_the_instances_are_those_of_the_script(self):
        subprocess.run([sys.executable, SOURCE / "scripts" / "cost_family.py", self.folder], check=True, timeout=60)
        files = sorted(self.folder.glob("*.safetensors"))
        self.assertEqual([p.name for p in files], [f"rank-{rank:02d}.safetensors" for rank in range(3, 13)])
        for path in files:
            self.assertEqual(path.read_bytes(), (self.COSTS / path.name).read_bytes(), path.name)


if __name__ == "__main__":
    unittest.main()
