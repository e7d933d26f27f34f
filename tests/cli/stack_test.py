"""sinkproof certify on stacks as a user runs it: the construction without sinks over the whole box, PyTorch's
stacks, and what is asked wrongly. Both checkers decide what was written.

usage: stack_test.py BIN_DIR SOURCE_DIR [TESTS]
"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

BIN = Path(sys.argv[1])
SOURCE = Path(sys.argv[2])
NO_SINK = SOURCE / "examples" / "stacks" / "no-sink.safetensors"
TRAINED = SOURCE / "tests" / "checkpoints" / "pytorch-2l2h-{}.safetensors"

SLOWER = 10 if "SINKPROOF_SANITIZED" in os.environ else 1
# A few times what the first degree takes, which bounds the construction well enough.
SOON = ("--seconds", str(20 * SLOWER))


def certify(model, *arguments):
    result = subprocess.run([str(BIN / "sinkproof"), "certify", str(model), "--quiet", *map(str, arguments)],
                            capture_output=True, text=True, cwd=SOURCE, timeout=600)
    return result.returncode, result.stdout, result.stderr


def checked(certificate, model, *options):
    """The exit codes of both checkers, and what the first one says."""
    common = ["--models", str(model.parent), "--claims", str(SOURCE / "proofs"), *map(str, options), str(certificate)]
    first = subprocess.run([str(BIN / "sinkproof-check"), *common], capture_output=True, text=True, timeout=600)
    second = subprocess.run([sys.executable, str(SOURCE / "tools" / "recheck"), *common], capture_output=True,
                            text=True, timeout=1200)
    return first.returncode, second.returncode, first.stdout + second.stdout


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.output = Path(self.temporary.name) / "cert.json"

    def accepted(self, model, *options):
        first, second, said = checked(self.output, model, *options)
        self.assertEqual((first, second), (0, 0), said)


class Stacks(Case):
    def test_the_construction_has_no_loss_and_no_sink_anywhere_in_the_box(self):
        code, out, err = certify(NO_SINK, "--require", "sup-loss<=0.0001", "--require", "bos-attention<=0.51", *SOON, "-o",
                                 self.output, "--format", "json")
        self.assertEqual(code, 0, err)
        properties = {entry["name"]: entry for entry in json.loads(out)["properties"]}
        loss = properties["sup-loss"]
        self.assertGreater(float(loss["lower"]), 4.8e-6)
        self.assertLess(float(loss["upper"]), 1.0001 * float(loss["lower"]))
        self.assertLess(float(properties["bos-ceiling.trigger"]["upper"]), 0.50001)
        self.accepted(NO_SINK)

    def test_a_tighter_threshold_is_refuted_by_an_input(self):
        code, out, _ = certify(NO_SINK, "--require", "sup-loss.trigger<=0.000004", "--property", "sup-loss.trigger", *SOON,
                               "--format", "json")
        self.assertEqual(code, 1)
        found = [entry for entry in json.loads(out)["properties"] if entry["name"] == "sup-loss.trigger"]
        self.assertEqual(found[0]["verdict"], "refuted")
        self.assertEqual(found[0]["witness"]["trigger"], 16)

    def test_means_and_covariances_bound_a_trained_softmax_stack(self):
        model = Path(self.temporary.name) / "stack.safetensors"
        subprocess.run([str(BIN / "sinkproof"), "train", "--quiet", "--attention", "softmax", "--d-model", "6", "--length", "5",
                        "--layers", "2", "--heads", "2", "--residual", "--steps", "30000", "--seed", "1", "-o", str(model)],
                       check=True, capture_output=True, timeout=600)
        code, _, err = certify(model, *SOON, "-o", self.output)
        self.assertEqual(code, 0, err)
        self.accepted(model)
        stated = json.loads(self.output.read_text())
        losses = {entry["name"]: entry for entry in stated["properties"] if entry["name"].startswith("sup-loss")}
        tight = losses["sup-loss.trigger"]
        self.assertEqual(tight["proof"]["rule"], "moments")
        self.assertLess(Fraction(tight["upper"]), 4 * Fraction(tight["lower"]))
        # A fiftieth below, which is more than the room that is left for differences between checkers.
        tight["upper"] = str(Fraction(tight["upper"]) * Fraction(49, 50))
        losses["sup-loss"]["upper"] = str(max(Fraction(entry["upper"]) for name, entry in losses.items() if name != "sup-loss"))
        self.output.write_text(json.dumps(stated, sort_keys=True, separators=(",", ":")) + "\n")
        first, second, said = checked(self.output, model)
        self.assertEqual((first, second), (4, 4), said)
        self.assertIn("the loss may be larger", said)

    def test_a_trained_stack_at_one_trigger_position_and_one_head(self):
        model = Path(str(TRAINED).format("relu"))
        code, out, err = certify(model, "--trigger", "3", "--layer", "1", "--head", "0", "--property",
                                 "sup-loss.trigger", "--property", "bos-ceiling.post", "--seconds", str(6 * SLOWER), "-o",
                                 self.output, "--format", "json")
        self.assertEqual(code, 0, err)
        entries = {entry["name"]: entry for entry in json.loads(out)["properties"]}
        self.assertEqual(entries["sup-loss.trigger"]["scope"]["trigger"], [3, 3])
        self.assertEqual((entries["bos-ceiling.post"]["layer"], entries["bos-ceiling.post"]["head"]), (1, 0))
        for entry in entries.values():
            self.assertLessEqual(float(entry["lower"]), float(entry["upper"]))
        self.assertGreater(float(entries["sup-loss.trigger"]["lower"]), 0.04)
        self.assertLess(float(entries["sup-loss.trigger"]["upper"]), 0.6)
        self.accepted(model)

    def test_what_the_model_has_not_is_said(self):
        for arguments, words in ((("--trigger", "2"), "3..16"), (("--trigger", "5..4"), "3..16"),
                                 (("--trigger", "x"), "such as 3..5"), (("--layer", "0"), "SP1410"),
                                 (("--layer", "2", "--head", "0"), "2 layer(s) of 2 head(s)")):
            code, _, err = certify(NO_SINK, *arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn("SP1410", err)
            self.assertIn(words, err)

    def test_seconds_bound_search_and_check_and_what_is_missing_is_said(self):
        model = Path(self.temporary.name) / "long.safetensors"
        subprocess.run([str(BIN / "sinkproof"), "train", "--attention", "softmax", "--layers", "2", "--residual",
                        "--d-model", "8", "--length", "48", "--steps", "100", "-o", str(model), "--quiet"])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run([str(BIN / "sinkproof"), "certify", str(model), "--seconds", str(10 * SLOWER), "--jobs", "1"],
                                capture_output=True, text=True, timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLess(after.ru_utime - before.ru_utime, 15 * SLOWER)
        shares = [int(share) for share in re.findall(rf"^\S.* \(([0-9]+) %, [0-9]+ s elapsed, budget {10 * SLOWER} s\)$", result.stderr, re.M)]
        self.assertTrue(shares, result.stderr)
        code, _, err = certify(model, "--seconds", "0.001", "-o", self.output)
        self.assertEqual(code, 3)
        self.assertIn("SP1413", err)
        self.assertIn("triggers at 3 to 48 of length 48", err)
        self.assertFalse(self.output.exists())

    def test_a_length_whose_inputs_alone_take_longer_is_refused_at_once(self):
        one = SOURCE / "tests" / "checkpoints" / "softmax-d8-l8.safetensors"
        code, _, err = certify(one, "--length", "1000000", "--seconds", "5")
        self.assertEqual(code, 3)
        self.assertIn("SP1413  length 1000000: ", err)

    def test_committed_certificates_hold(self):
        first, second, said = checked(SOURCE / "examples/stacks/no-sink.json", NO_SINK)
        self.assertEqual((first, second), (0, 0), said)

    def test_a_trained_stack_meets_tc_4(self):
        path = SOURCE / "examples" / "stacks" / "one-head-sigmoid.json"
        first, second, said = checked(path, path.with_suffix(".safetensors"))
        self.assertEqual((first, second), (0, 0), said)
        depth, = (entry for entry in json.loads(path.read_bytes())["properties"] if entry["name"] == "theorem.tc-4")
        self.assertEqual(depth["verdict"], "proved")
        self.assertGreater(Fraction(depth["certified"]), Fraction("0.9999"))
        self.assertGreater(Fraction(depth["certified"]), Fraction(depth["implied"]))

    def test_committed_certificates_of_trained_stacks_hold(self):
        """One of them here; all of them, with both checkers, in `proofs: stacks` (label full)."""
        for kind, most in (("relu", 0.07), ("softmax", 0.072)):
            path = SOURCE / "examples" / "stacks" / f"pytorch-2l2h-{kind}-j3.json"
            entry = json.loads(path.read_text())["properties"][0]
            self.assertEqual(entry["name"], "sup-loss.trigger")
            self.assertLess(Fraction(entry["upper"]), Fraction(most))
        path = SOURCE / "examples" / "stacks" / "pytorch-2l2h-softmax-j3.json"
        result = subprocess.run([BIN / "sinkproof-check", "--models", TRAINED.parent, path], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Constructed(Case):
    """One head a layer (tc-9), from the file that says it for every d_model."""
    DATA = SOURCE / "examples" / "stacks" / "one-head-deep.stack.json"

    def construct(self, data, d_model):
        model = self.output.with_name("m.safetensors")
        result = subprocess.run([BIN / "sinkproof", "construct", data, "--d-model", str(d_model), "-o", model, "--quiet"],
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return model

    def test_the_committed_certificate_is_about_what_is_constructed_now(self):
        path = self.DATA.with_name("one-head-deep.json")
        first, second, said = checked(path, self.construct(self.DATA, 4))
        self.assertEqual((first, second), (0, 0), said)
        stated = json.loads(path.read_bytes())
        upper = {entry["name"]: Fraction(entry["upper"]) for entry in stated["properties"] if "ceiling" in entry["name"]
                 or "loss" in entry["name"]}
        self.assertEqual((stated["length"], stated["model"]["num_layers"]), (3, 6))
        self.assertLess(upper["sup-loss"], Fraction("1e-14"))
        self.assertLess(max(upper["bos-ceiling.pre"], upper["bos-ceiling.trigger"]), Fraction("0.500001"))

    def test_a_rollout_sinks_where_no_layer_does(self):
        model = self.construct(self.DATA.with_name("rollout.stack.json"), 6)
        path = self.DATA.with_name("rollout.json")
        first, second, said = checked(path, model)
        self.assertEqual((first, second), (0, 0), said)
        entries = {entry["name"]: entry for entry in json.loads(path.read_bytes())["properties"]}
        depth, loss = entries["theorem.tc-4"], Fraction(entries["sup-loss"]["upper"])
        self.assertEqual(Fraction(depth["implied"]), 1 - 2 * loss / (Fraction(13, 30) - 2 * loss))
        for rows in "pre", "post":
            floor = entries["rollout-floor." + rows]
            self.assertGreater(Fraction(floor["lower"]), Fraction("0.997"))
            self.assertLess(Fraction(floor["upper"]) - Fraction(floor["lower"]), Fraction("0.0001"))
            self.assertLess(Fraction(entries["bos-floor." + rows]["upper"]), Fraction("0.07"))
        code, out, _ = certify(model, "--length", 4, "--require", "rollout-floor>=0.99", "--format", "json")
        self.assertEqual(code, 1)
        verdicts = {entry["name"]: entry["verdict"] for entry in json.loads(out)["properties"]}
        self.assertEqual([verdicts["rollout-floor." + rows] for rows in ("pre", "trigger", "post")],
                         ["proved", "refuted", "proved"])
        self.assertEqual(verdicts["theorem.tc-4"], "proved")

    def test_random_sequences_of_two_more_noise_coordinates(self):
        code, out, err = certify(self.construct(self.DATA, 6), "--property", "random.loss", "--samples", 60, "--eta", 1e-5,
                                 "--format", "json", "-o", self.output)
        self.assertEqual((code, err), (0, ""))
        entry, = json.loads(out)["properties"]
        self.assertEqual((entry["verdict"], entry["exceeding"]), ("statistical", 0))
        self.accepted(self.output.with_name("m.safetensors"), "--accept", "statistical")


class Random(Case):
    """random.* of PyTorch's ReLU stack: random sequences keep to a loss and have no sink."""
    MODEL = Path(str(TRAINED).format("relu"))
    NAMES = "random.loss", "random.no-sink"

    def certify(self, *arguments, names=NAMES):
        return certify(self.MODEL, *(word for name in names for word in ("--property", name)), *arguments)

    def entries(self, *arguments, **options):
        code, out, err = self.certify(*arguments, "--format", "json", **options)
        self.assertEqual(err, "")
        return code, {entry["name"]: entry for entry in json.loads(out)["properties"]}

    def test_what_is_asked_is_stated_with_its_confidence(self):
        asked = "--samples", 60, "--confidence", 0.95, "--eta", 0.5, "--epsilon", 0.25
        code, found = self.entries(*asked, "-o", self.output)
        self.assertEqual(code, 0)
        stated = {entry["name"]: entry for entry in json.loads(self.output.read_bytes())["properties"]}
        self.assertEqual((sorted(found), sorted(stated)), (sorted(self.NAMES),) * 2)
        for name, threshold in zip(self.NAMES, ("1/2", "1/4")):
            entry = stated[name]
            said = {key: found[name][key] for key in ("verdict", "samples", "threshold", "exceeding", "lower", "upper")}
            self.assertEqual(said, {"verdict": "statistical", "samples": 60, "threshold": threshold, "exceeding": 0,
                                    "lower": None, "upper": None})
            self.assertEqual((entry["alpha"], entry["samples"], entry["threshold"]), ("1/20", 60, threshold))
            delta, e_and_f = Fraction(entry["delta"]), sum(Fraction(threshold).as_integer_ratio())
            self.assertAlmostEqual(float(delta), 1 - (1 / 20 / (1000 * e_and_f**2 * 60))**(1 / 60), delta=1e-5)
            self.assertTrue(delta <= Fraction(found[name]["exceedance"]) < delta + Fraction(1, 10**5))
        self.accepted(self.MODEL, "--accept", "statistical")
        self.assertEqual(checked(self.output, self.MODEL)[:2], (3, 3))  # unless somebody takes a confidence

    def test_text_says_law_numbers_and_confidence(self):
        code, out, _ = certify(self.MODEL, "--property", "random.loss", "--samples", 60, "--eta", 0.5)
        self.assertEqual((code, out), (0, ""))
        result = subprocess.run([str(BIN / "sinkproof"), "certify", str(self.MODEL), "--property", "random.loss",
                                 "--samples", "60", "--eta", "0.5"], capture_output=True, text=True, cwd=SOURCE)
        self.assertRegex(result.stdout, r"(?m)^random.loss +statistical ")
        self.assertRegex(result.stdout, r"P\[loss > 0\.5\] <= 0\.2[0-9]+\b.*\b0 of 60\b")

    def test_less_confidence_more_samples_and_longer_thresholds_count(self):
        def exceedance(*arguments):
            return float(self.entries(*arguments)[1]["random.loss"]["exceedance"])
        base = exceedance("--samples", 60, "--eta", 0.5)
        self.assertLess(exceedance("--samples", 60, "--eta", 0.5, "--confidence", 0.9), base)
        self.assertLess(exceedance("--samples", 240, "--eta", 0.5), base / 3)
        self.assertGreater(exceedance("--samples", 60, "--eta", 0.51), base)

    def test_what_the_samples_do_not_show_is_unknown(self):
        """No head of this stack has a sink: at a threshold of which something is left, or at none."""
        reasons = set()
        for arguments in (("--epsilon", 0.25), ()):
            code, found = self.entries("--samples", 20, *arguments, names=("random.sink", "random.loss"))
            self.assertEqual((code, found["random.sink"]["verdict"]), (3, "unknown"))
            reasons.add(found["random.sink"]["reason"])
            self.assertEqual(found["random.loss"]["verdict"], "statistical")
        self.assertEqual(len(reasons - {""}), 2, "each has a reason of its own")

    def test_what_is_asked_wrongly(self):
        for arguments, words in ((("--samples", 0), "SP1406"), (("--confidence", 1), "SP1309"),
                                 (("--confidence", 0), "SP1309"), (("--confidence", "x"), "SP1309"),
                                 (("--epsilon", 1.01), "SP1309  --epsilon 1.01"),
                                 (("--epsilon", 0), "SP1309"), (("--eta", 0), "SP1309"), (("--eta", "1/2"), "SP1309"),
                                 (("--samples", 100001), "100000"),
                                 (("--samples", 100000, "--length", 21), "SP1407")):
            code, out, err = self.certify(*(() if "--samples" in arguments else ("--samples", 20)), *arguments, "-o", self.output)
            self.assertEqual((code, out, self.output.exists()), (2, "", False), arguments)
            self.assertIn(words, err)

    def test_limits_are_every_reader_s(self):
        """100000 sequences take more than a second; of those that exceed the threshold, the first is one too many."""
        self.certify("--samples", 20, "-o", self.output)
        certificate = json.loads(self.output.read_bytes())
        page = self.output.with_suffix(".html")
        for threshold, seconds, code, word in (("1000", 1, 3, "1 s of processor time"),
                                               ("1/1000000", 3000, 4, "more samples exceed")):
            for entry in certificate["properties"]:
                entry |= {"samples": 100000, "exceeding": 0, "delta": "1/2", "threshold": threshold}
            self.output.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")
            options = "--seconds", seconds, "--accept", "statistical"
            first, second, said = checked(self.output, self.MODEL, *options)
            self.assertEqual((first, second), (code, code), said)
            self.assertIn(word, said)
            result = subprocess.run([str(BIN / "sinkproof"), "report", "--models", str(self.MODEL.parent), *map(str, options),
                                     str(self.output), "-o", str(page)], capture_output=True, text=True, cwd=SOURCE)
            self.assertEqual(result.returncode, code, result.stderr)
            html = page.read_text()
            self.assertIn(word, html)
            self.assertEqual(html.count("--seconds 3000 "), 2 * (seconds == 3000))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
