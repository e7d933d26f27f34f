"""`sinkproof gate` in a scratch repository made from examples/gate, driven as its workflow drives it.

The steps that action.yml runs are read from the file and executed by bash with the variables GitHub
sets, so that the workflow, the action and the program are tested together. What is red here: a claim
edited to be false, a checkpoint swapped, a certificate edited, an empty claim list, and whatever
changes what is asked; and all of it is green again when put right.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import numpy
import yaml

BIN = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
EXAMPLE = SOURCE / "examples" / "gate"


def expression(text, event, base):
    """The value of the few expressions workflow and action use; any other one is an error."""
    inner = re.fullmatch(r"\$\{\{ (.*) \}\}", text)
    if inner is None:
        assert "${{" not in text, text
        return text
    ref = "github.event_name == 'pull_request' && format('origin/{0}', github.base_ref) || ''"
    assert inner.group(1) == ref, text
    return f"origin/{base}" if event == "pull_request" else ""


class Workflow:
    """examples/gate's workflow and the action it uses, as far as a machine without GitHub can go."""

    def __init__(self):
        self.workflow = yaml.safe_load((EXAMPLE / ".github/workflows/sinkproof.yml").read_text())
        self.action = yaml.safe_load((SOURCE / "action.yml").read_text())
        steps = self.workflow["jobs"]["gate"]["steps"]
        uses = [step for step in steps if "sinkproof@" in step.get("uses", "")]
        assert len(uses) == 1
        self.given = uses[0]["with"]
        unknown = set(self.given) - set(self.action["inputs"])
        assert not unknown, f"the workflow gives {unknown}, which the action does not take"

    def inputs(self, event, base):
        values = {name: entry.get("default", "") for name, entry in self.action["inputs"].items()}
        values.update({name: expression(text, event, base) for name, text in self.given.items()})
        return values

    def run(self, repository, event="push", base="main", locked=False):
        code, output, summary = self.ends(repository, event, base, {"locked": "true"} if locked else {})
        return Result(repository, code, output, summary)

    def ends(self, repository, event="push", base="main", given=()):
        """The exit code of the steps, what they print and the step summary, with these inputs."""
        inputs = {**self.inputs(event, base), **dict(given)}
        home = repository.parent / "home"
        home.mkdir(exist_ok=True)
        step_summary = home / "step_summary.md"
        step_summary.write_text("## An earlier tool\n")
        env = {
            "PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(home), "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(repository), "GITHUB_ACTION_PATH": str(SOURCE),
            "GITHUB_STEP_SUMMARY": str(step_summary), "GITHUB_PATH": str(home / "path"),
        }
        output, code, ran = "", 0, 0
        for step in self.action["runs"]["steps"]:
            if "run" not in step:
                continue
            own = {key: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: inputs[m.group(1)], text)
                   for key, text in step.get("env", {}).items()}
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                                  cwd=repository, env={**env, **own}, capture_output=True, text=True)
            output += done.stdout + done.stderr
            code, ran = done.returncode, ran + 1
            if code != 0:
                break
        assert ran >= 2 or code != 0
        return code, output, step_summary.read_text()


class Action(unittest.TestCase):
    """The steps of action.yml that install, with a package that builds and installs nothing."""

    STUBS = {"package.sh": 'cd "$(dirname "$0")/.."; mkdir -p out/packages; echo built >> out/log; touch out/packages/sinkproof_0_all.deb out/packages/sinkproof-dev_0_all.deb',
             "apt-get": 'echo "$*" >> "$HOME/apt"', "dpkg": "echo all"}

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="sinkproof-action-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        for folder, names in (("action/scripts", ["package.sh"]), ("bin", ["apt-get", "dpkg"]), ("home", [])):
            (self.scratch / folder).mkdir(parents=True)
            for name in names:
                file = self.scratch / folder / name
                file.write_text("#!/bin/sh\nset -e\n" + self.STUBS[name] + "\n")
                file.chmod(0o755)

    def step(self, name):
        """What a step puts out, {name: value}."""
        steps = yaml.safe_load((SOURCE / "action.yml").read_text())["runs"]["steps"]
        command, = [step["run"] for step in steps if step["name"] == name]
        output = self.scratch / "output"
        output.write_text("")
        env = {"PATH": f"{self.scratch / 'bin'}:/usr/bin:/bin", "HOME": str(self.scratch / "home"),
               "GITHUB_ACTION_PATH": str(self.scratch / "action"), "GITHUB_OUTPUT": str(output)}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command], cwd=self.scratch, env=env,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(line.split("=", 1) for line in output.read_text().splitlines())

    def test_the_package_is_built_once_for_each_state_of_the_files(self):
        key = self.step("Look for sinkproof")["key"]
        self.assertRegex(key, "^sinkproof-debian-12-all-[0-9a-f]{64}$")
        self.step("Install sinkproof")
        kept = self.scratch / "home" / "sinkproof-package"
        self.assertEqual([path.name for path in kept.iterdir()], ["sinkproof_0_all.deb"])
        self.assertEqual(self.step("Look for sinkproof")["key"], key)
        self.step("Install sinkproof")
        self.assertEqual((self.scratch / "action" / "out" / "log").read_text(), "built\n")
        asked = (self.scratch / "home" / "apt").read_text().splitlines()
        self.assertEqual(asked, ["update -q", f"install -q -y {kept}/sinkproof_0_all.deb"] * 2)
        (self.scratch / "action" / "scripts" / "new").write_text("")
        self.assertNotEqual(self.step("Look for sinkproof")["key"], key)

    def test_what_is_kept_is_what_is_looked_for(self):
        steps = yaml.safe_load((SOURCE / "action.yml").read_text())["runs"]["steps"]
        keep, = [step for step in steps if step.get("uses", "").startswith("actions/cache@")]
        self.assertEqual(keep["with"], {"path": "~/sinkproof-package", "key": "${{ steps.package.outputs.key }}"})
        self.assertEqual(keep["if"], "steps.package.outputs.key != ''")
        self.assertEqual([step["name"] for step in steps[:3]], ["Look for sinkproof", "Keep the package", "Install sinkproof"])
        self.assertEqual(steps[0]["id"], "package")


class Result:
    def __init__(self, repository, code, output, summary):
        self.code, self.output, self.summary = code, output, summary
        folder = repository / "sinkproof-gate"
        self.json = json.loads((folder / "gate.json").read_text())
        self.sarif = json.loads((folder / "results.sarif").read_text())
        self.junit = ElementTree.parse(folder / "junit.xml").getroot()

    def finding(self, subject, asked=None):
        found = [f for f in self.json["findings"]
                 if f["subject"] == subject and asked in (None, f["asked"])]
        assert len(found) == 1, (subject, asked, [f["subject"] for f in self.json["findings"]])
        return found[0]

    def sarif_of(self, rule):
        return [r for r in self.sarif["runs"][0]["results"] if r["ruleId"] == rule]


class Gate(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="sinkproof-gate-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.repository = self.scratch / "repository"
        shutil.copytree(EXAMPLE, self.repository)
        self.git("init", "-q", "-b", "main")
        self.commit("All of it")
        self.workflow = Workflow()

    def git(self, *arguments):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *arguments],
                              cwd=self.repository, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def put_right(self):
        self.git("checkout", "-q", ".")
        self.git("clean", "-qfd")

    def edit(self, name, old, new):
        path = self.repository / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def gate(self, *arguments, **extra):
        env = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(self.scratch)}
        return subprocess.run([str(BIN / "sinkproof"), "gate", *arguments], cwd=self.repository,
                              env={**env, **extra}, capture_output=True, text=True)

    def assert_green(self, result, subjects=("tc-1", "forced-attention", "output-with-a-sink")):
        self.assertEqual(result.code, 0, result.output)
        self.assertEqual(result.json["exit_code"], 0)
        self.assertEqual(result.sarif["runs"][0]["results"], [])
        self.assertEqual(result.junit.get("failures"), "0")
        self.assertNotIn("::error", result.output)
        for subject in subjects:
            self.assertEqual(result.finding(subject)["level"], "pass")

    def assert_red(self, result, code, rule, subject, file):
        self.assertEqual(result.code, code, result.output)
        self.assertEqual(result.json["exit_code"], code)
        results = [r for r in result.sarif_of(rule) if subject in r["message"]["text"] or
                   r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == file]
        self.assertTrue(results, result.sarif["runs"][0]["results"])
        place = results[0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], file)
        self.assertTrue((self.repository / file).is_file())
        self.assertGreaterEqual(place["region"]["startLine"], 1)
        self.assertIn(f"::error file={file},", result.output)
        failed = int(result.junit.get("failures")) + int(result.junit.get("errors"))
        self.assertGreaterEqual(failed, 1)
        self.assertTrue(result.summary.startswith("## An earlier tool\n"))
        self.assertIn(subject, result.summary)
        self.assertIn(rule, json.dumps(result.json))

    def red_then_green(self, code, rule, subject, file):
        self.assert_red(self.workflow.run(self.repository), code, rule, subject, file)
        self.put_right()
        self.assert_green(self.workflow.run(self.repository))

    # What the issue names.

    def test_green_as_it_is(self):
        result = self.workflow.run(self.repository)
        self.assert_green(result)
        holds = {f["subject"] for f in result.json["findings"]}
        self.assertEqual(holds, {"tc-1", "tc-3", "sw-1", "sw-2", "sw-3", "forced-attention",
                                 "output-with-a-sink", "trigger-head"})
        model = (self.repository / "models/trigger-head.safetensors").read_bytes()
        certificate = (self.repository / "certificates/trigger-head.json").read_bytes()
        for asked in ("sup-loss <= 0.002", "bos-floor.pre >= 0.999", "bos-floor.post >= 0.999"):
            finding = result.finding("trigger-head", asked)
            self.assertEqual(finding["subject_sha256"], hashlib.sha256(model).hexdigest())
            self.assertEqual(finding["certificate_sha256"], hashlib.sha256(certificate).hexdigest())
            self.assertLess(float(finding["lower"]), float(finding["upper"]))

    def test_inputs_of_the_action_are_true_or_false(self):
        for name in ("locked", "sandbox", "upload"):
            for word in ("True", "TRUE", "yes", "on", "1", "", " true", "true\nfalse"):
                with self.subTest(name, word=word):
                    code, output, _ = self.workflow.ends(self.repository, given={name: word})
                    self.assertEqual(code, 2, output)
                    self.assertIn(f"::error::The input {name} of the sinkproof action is '{word}'", output)
                    self.assertFalse((self.repository / "sinkproof-gate").exists())

    def test_a_claim_edited_to_be_false(self):
        self.edit("proofs/output-with-a-sink/theorem.identity.json", '["-", "v", "w"]',
                  '["+", "v", "w"]')
        self.red_then_green(3, "SP1713", "output-with-a-sink",
                            "proofs/output-with-a-sink/theorem.identity.json")

    def test_a_lemma_edited_to_be_false(self):
        for name in ("theorem.smt2", "theorem.mutant.smt2"):
            self.edit(f"proofs/forced-attention/{name}", "(<= (* 10 eta) 1)", "(<= (* 10 eta) 2)")
        result = self.workflow.run(self.repository)
        self.assert_red(result, 3, "SP1713", "forced-attention",
                        "proofs/forced-attention/theorem.smt2")
        self.assertIn("step 2 of 4 ", result.output)
        self.assertEqual(result.finding("forced-attention")["code"], "SP0705")
        self.put_right()
        self.assert_green(self.workflow.run(self.repository))

    def test_a_checkpoint_swapped(self):
        other = SOURCE / "examples/variants/softmax-null.safetensors"
        shutil.copy(other, self.repository / "models/trigger-head.safetensors")
        self.red_then_green(4, "SP1716", "trigger-head", "sinkproof.toml")

    def test_a_checkpoint_swapped_where_none_is_pinned(self):
        self.edit("sinkproof.toml", "sha256 = ", 'sha256 = "any" # ')
        self.assert_accepts()
        self.commit("No pin")
        # A model that does not meet the thresholds: refuted by a certificate made in the run.
        self.edit("sinkproof.toml", "bos-floor.pre >= 0.999", "bos-floor.pre >= 0.9999")
        trained = SOURCE / "tests/checkpoints/softmax-d8-l8.safetensors"
        shutil.copy(trained, self.repository / "models/trigger-head.safetensors")
        result = self.workflow.run(self.repository)
        self.assertEqual(result.code, 1, result.output)
        finding = result.finding("trigger-head", "bos-floor.pre >= 0.9999")
        self.assertEqual((finding["rule"], finding["verdict"]), ("SP1711", "refuted"))
        self.assertRegex(finding["message"], r", attained in row [0-9]+, (coordinate [0-9]+, )?trigger at position [0-9]+")
        self.assertLess(float(finding["upper"]), 0.9999)
        line = finding["location"]["line"]
        text = (self.repository / "sinkproof.toml").read_text().splitlines()[line - 1]
        self.assertIn("bos-floor", text)

    def test_a_bare_name_asks_it_of_all_rows(self):
        self.edit("sinkproof.toml", "bos-floor.pre >= 0.999", "bos-floor >= 0.999")
        result = self.workflow.run(self.repository)
        self.assert_red(result, 4, "SP1711", "trigger-head", "sinkproof.toml")  # 4: the others are not accepted
        finding = result.finding("trigger-head", "bos-floor >= 0.999")
        self.assertLess(float(finding["upper"]), 1)
        self.assertLess(float(finding["lower"]), 0.001)
        for rows in ("pre", "trigger", "post"):
            self.assertIn(f"bos-floor.{rows} in [", finding["message"])
        self.edit("sinkproof.toml", "bos-floor >= 0.999", "bos-ceiling <= 1")
        self.assert_accepts()
        self.edit("sinkproof.toml", "bos-ceiling <= 1", "null-ceiling <= 0.999")
        result = self.workflow.run(self.repository)
        self.assertEqual((result.code, result.finding("trigger-head", "null-ceiling <= 0.999")["code"]),
                         (2, "SP1302"))

    def test_a_certificate_edited(self):
        path = self.repository / "certificates/trigger-head.json"
        certificate = json.loads(path.read_text())
        for entry in certificate["properties"]:
            if entry["name"] == "bos-floor.pre":
                entry["lower"] = "9999/10000"
                entry["upper"] = "99999/100000"
        path.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")
        self.red_then_green(4, "SP1712", "trigger-head", "sinkproof.toml")

    def test_a_theory_certificate_edited(self):
        self.edit("certificates/output-with-a-sink.json", '["-","v","w"]', '["+","v","w"]')
        self.red_then_green(4, "SP1712", "output-with-a-sink", "proofs/output-with-a-sink/claim.toml")

    def test_the_advice_for_an_edited_certificate_mends_it(self):
        for name, subject, old, new in (
                ("trigger-head", "trigger-head", '"upper":"', '"upper":"1'),
                ("output-with-a-sink", "output-with-a-sink", '["-","v","w"]', '["+","v","w"]')):
            path = self.repository / f"certificates/{name}.json"
            before = path.read_bytes()
            self.edit(f"certificates/{name}.json", old, new)
            updated = self.gate("--update", "--format", "json")
            self.assertEqual(updated.returncode, 4, updated.stdout)
            finding = next(f for f in json.loads(updated.stdout)["findings"] if f["subject"] == subject)
            self.assertEqual(finding["rule"], "SP1712")
            for remedy in ("git checkout", "`sinkproof gate --update`"):
                self.assertIn(remedy, finding["message"])
            path.unlink()
            updated = self.gate("--update")
            self.assertEqual(updated.returncode, 0, updated.stdout)
            self.assertEqual(path.read_bytes(), before)
            self.assertEqual(self.gate("--locked").returncode, 0)

    def model_that_says(self, **metadata):
        """The model of trigger-head under other metadata, pinned no more."""
        self.model_with(**metadata)
        self.unpinned()

    def test_the_overrides_are_those_that_are_asked_for(self):
        self.model_that_says(residual="true")
        # Between the bounds found for the two readings: 0.00104, and 0.00111 with the residual connection.
        self.edit("sinkproof.toml", "sup-loss <= 0.002", "sup-loss <= 0.0011")
        certify = subprocess.run([BIN / "sinkproof", "certify", "models/trigger-head.safetensors", "--residual",
                                  "false", "--quiet", "-o", "certificates/trigger-head.json"],
                                 cwd=self.repository, capture_output=True, text=True)
        self.assertEqual(certify.returncode, 0, certify.stderr)
        # The certificate admits that it reads residual otherwise; sinkproof.toml did not ask for that.
        locked = self.gate("--locked")
        self.assertEqual(locked.returncode, 4, locked.stdout)
        self.assertIn("SP1715", locked.stdout)
        self.assertIn("its certificate reads residual differently from the model file's metadata", locked.stdout)
        # Read as a residual layer it is another model, which does not meet the thresholds.
        self.assertIn(self.gate("--update").returncode, (1, 3))
        # It does now: green, and every form of the verdict says so.
        self.edit("sinkproof.toml", 'name = "trigger-head"', 'name = "trigger-head"\nresidual = false')
        self.assert_accepts()
        result = self.workflow.run(self.repository, locked=True)
        self.assertEqual(result.code, 0, result.output)
        words = "metadata: residual"
        finding = result.finding("trigger-head", "sup-loss <= 0.0011")
        self.assertEqual((finding["level"], finding["overrides"]), ("pass", ["residual"]))
        self.assertIn(words, finding["message"])
        self.assertIn(words, result.output)
        junit = ElementTree.tostring(result.junit, encoding="unicode")
        self.assertIn(words, junit)
        self.assertIn(words, result.summary.replace("&#39;", "'"))
        # A red one: SARIF and the annotation say it, too.
        self.edit("sinkproof.toml", "sup-loss <= 0.0011", "sup-loss <= 0.0002")
        result = self.workflow.run(self.repository, locked=True)
        self.assertEqual(result.code, 4)
        self.assertIn(words, result.sarif_of("SP1711")[0]["message"]["text"])
        self.assertIn(words, [line for line in result.output.splitlines() if line.startswith("::error")][0])

    def test_what_can_be_asked_for_against_the_metadata(self):
        """attention, num_heads, num_layers, residual: each is stale without, and made anew with its field."""
        for key, says, field in (("attention", "relu", '"softmax"'), ("num_heads", "2", "1"),
                                 ("num_layers", "2", "1"), ("residual", "true", "false")):
            with self.subTest(key):
                self.put_right()
                self.model_that_says(**{key: says})
                self.edit("sinkproof.toml", 'name = "trigger-head"', f'name = "trigger-head"\n{key} = {field}')
                made = self.gate("--update")
                self.assertEqual(made.returncode, 0, made.stdout)
                self.assertRegex(made.stdout, rf"\b{key}\b")
                certificate = json.loads((self.repository / "certificates/trigger-head.json").read_text())
                self.assertEqual(certificate["model"]["overrides"], [key])
                self.assertEqual(self.gate("--locked").returncode, 0)
                self.edit("sinkproof.toml", f"\n{key} = {field}", "")
                self.assertIn(self.gate("--locked").returncode, (2, 4))
        for wrong in ('num_heads = 0', 'num_layers = "1"', 'residual = "false"'):
            self.put_right()
            self.edit("sinkproof.toml", 'name = "trigger-head"', f'name = "trigger-head"\n{wrong}')
            self.assertEqual(self.gate().returncode, 2, wrong)

    def test_a_scale_is_part_of_what_is_asked_for(self):
        certificate = self.repository / "certificates/trigger-head.json"
        self.edit("sinkproof.toml", 'name = "trigger-head"', 'name = "trigger-head"\nscale = "1/sqrt(16)"')
        stale = self.gate("--locked")
        self.assertEqual(stale.returncode, 4, stale.stdout)
        self.assertIn("is about logits unscaled, and the requirement about logits scaled by 1/4", stale.stdout)
        # Logits of a quarter the size: another model, which misses the thresholds, and every finding says which.
        made = self.gate("--update")
        self.assertEqual(made.returncode, 1, made.stdout)
        self.assertIn("logits scaled by 1/4", made.stdout)
        for field, asked in (("sup-loss <= 0.002", "sup-loss <= 100"), ("bos-floor.pre >= 0.999", "bos-floor.pre >= 0"),
                             ("bos-floor.post >= 0.999", "bos-floor.post >= 0")):
            self.edit("sinkproof.toml", field, asked)
        made = self.gate("--update")
        self.assertEqual((made.returncode, "logits scaled by 1/4" in made.stdout), (0, True), made.stdout)
        self.assertEqual(json.loads(certificate.read_text())["model"]["scale"], "1/4")
        self.assertEqual(self.gate("--locked").returncode, 0)
        self.model_that_says(scale="1/2")
        self.assertIn("metadata: scale", self.gate().stdout)

    def test_an_empty_claim_list(self):
        self.edit("sinkproof.toml", 'match = ["*"]', "match = []")
        self.red_then_green(2, "SP1703", "sinkproof.toml", "sinkproof.toml")

    # What else a distrustful reader tries.

    def test_patterns_that_match_nothing_and_files_that_ask_nothing(self):
        for old, new in (('match = ["*"]', 'match = ["no-such-claim"]'),
                         ('match = ["*"]', 'match = ["*", "gone-*"]'),
                         ('"tc-1"', '"tc-99"')):
            self.edit("sinkproof.toml", old, new)
            result = self.workflow.run(self.repository)
            self.assertEqual(result.code, 2, result.output)
            self.assertIn("SP1703", result.output)
            self.put_right()
        for text, code in (("", "SP1703"), ("[gate]\n", "SP1703"), ("claims = 1\n", "SP1702"),
                           ("[[claim]]\nmatch=['*']\n", "SP1702"), ("not toml", "SP1701")):
            (self.repository / "sinkproof.toml").write_text(text)
            result = self.workflow.run(self.repository)
            self.assertEqual((result.code, code in result.output), (2, True), result.output)
        (self.repository / "sinkproof.toml").unlink()
        self.assertEqual(self.workflow.run(self.repository).code, 2)

    def test_no_requirement_no_claim_folder_no_model(self):
        for old, new in (('"sup-loss <= 0.002",', ""), ('"bos-floor.pre >= 0.999",', ""),
                         ('"bos-floor.post >= 0.999",', "")):
            self.edit("sinkproof.toml", old, new)
        self.assertEqual(self.workflow.run(self.repository).code, 2)
        self.put_right()
        (self.repository / "models/trigger-head.safetensors").unlink()
        result = self.workflow.run(self.repository)
        self.assertEqual((result.code, result.finding("trigger-head", "sup-loss <= 0.002")["rule"]),
                         (2, "SP1719"))
        self.put_right()
        self.edit("sinkproof.toml", "sup-loss <= 0.002", "no-such-property <= 1")
        result = self.workflow.run(self.repository)
        self.assertEqual((result.code, "SP1302" in json.dumps(result.json)), (2, True))

    def make_stale(self):
        path = self.repository / "certificates/output-with-a-sink.json"
        value = json.loads(path.read_text())
        value["claim_sha256"] = 64 * "0"
        path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")

    def test_stale_is_made_anew_and_committed_or_red(self):
        self.make_stale()
        self.commit("A certificate of other files")
        locked = self.gate("--locked")
        self.assertEqual(locked.returncode, 4, locked.stdout)
        self.assertIn("SP1715", locked.stdout)
        self.assertEqual(self.git("status", "--porcelain", "certificates"), "")
        result = self.workflow.run(self.repository)
        self.assertEqual(result.code, 0, result.output)
        finding = result.finding("output-with-a-sink")
        self.assertEqual((finding["level"], finding["rule"], finding["proved_again"]),
                         ("warning", "SP1718", True))
        self.assertIn("::warning", result.output)
        self.assertEqual(self.git("status", "--porcelain", "certificates"), "")
        renewed = self.repository / "sinkproof-gate/renewed/certificates/output-with-a-sink.json"
        updated = self.gate("--update")
        self.assertEqual(updated.returncode, 0, updated.stderr)
        self.assertEqual(self.git("status", "--porcelain", "certificates").split(),
                         ["M", "certificates/output-with-a-sink.json"])
        self.assertEqual((self.repository / "certificates/output-with-a-sink.json").read_bytes(),
                         renewed.read_bytes())
        note = renewed.with_name("note.json")
        note.write_text("{}")
        self.assertEqual(self.gate("--locked").returncode, 0)
        # What an earlier run made is not taken for this one's; nobody else's file is touched.
        self.assertEqual((renewed.exists(), note.exists()), (False, True))

    def test_a_misspelt_field_is_named_before_the_missing_one(self):
        self.edit("sinkproof.toml", "\nrequire =", "\nrequires =")
        result = self.gate()
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn('field "requires" is unknown; field "require" is missing', result.stdout + result.stderr)

    def test_a_missing_certificate_is_stale(self):
        (self.repository / "certificates/forced-attention.json").unlink()
        (self.repository / "certificates/trigger-head.json").unlink()
        self.assertEqual(self.gate("--locked").returncode, 4)
        self.assertEqual(self.gate().returncode, 0)

    def test_a_certificate_of_a_greater_length_does_where_its_bounds_tell(self):
        self.edit("sinkproof.toml", 'name = "trigger-head"', 'name = "trigger-head"\nlength = 7')
        self.assert_accepts()
        self.assertIn("length 8", (self.repository / "sinkproof-gate/gate.json").read_text())
        # The input that pays so little has its trigger at 8.
        self.edit("sinkproof.toml", "bos-floor.pre >= 0.999", "bos-floor.pre <= 0.999752")
        locked = self.gate("--locked")
        self.assertEqual((locked.returncode, "SP1715" in locked.stdout and "length 8" in locked.stdout), (4, True), locked.stdout)
        self.assertEqual(self.gate("--update").returncode, 1)
        self.assertEqual(self.git("status", "--porcelain", "certificates"), "")
        self.edit("sinkproof.toml", "length = 7", "length = 8")
        self.assert_accepts()
        self.assertEqual(self.git("status", "--porcelain", "certificates"), "")

    def test_a_certificate_about_some_trigger_positions_is_stale(self):
        certificate = self.repository / "certificates/trigger-head.json"
        subprocess.run([str(BIN / "sinkproof"), "certify", str(self.repository / "models/trigger-head.safetensors"), "--trigger", "3..4",
                        "--seconds", "2", "--quiet", "-o", str(certificate)], check=True, cwd=SOURCE)
        locked = self.gate("--locked")
        self.assertEqual((locked.returncode, "triggers at positions 3 to 4" in locked.stdout), (4, True), locked.stdout)

    def test_a_certificate_of_another_length_or_format(self):
        self.edit("sinkproof.toml", 'name = "trigger-head"', 'name = "trigger-head"\nlength = 9')
        locked = self.gate("--locked")
        self.assertEqual((locked.returncode, "SP1715" in locked.stdout), (4, True), locked.stdout)
        self.assertIn("length 8", locked.stdout)
        self.put_right()
        self.edit("certificates/trigger-head.json", '"format":2', '"format":1')
        locked = self.gate("--locked")
        self.assertEqual((locked.returncode, "SP1715" in locked.stdout), (4, True), locked.stdout)
        self.assertEqual((self.gate().returncode, self.gate("--update").returncode, self.gate("--locked").returncode), (0, 0, 0))
        self.edit("certificates/forced-attention.json", '"format":1', '"format":0')
        locked = self.gate("--locked")
        self.assertEqual((locked.returncode, "format 0" in locked.stdout), (4, True), locked.stdout)
        self.assertEqual(self.gate().returncode, 0)
        self.edit("certificates/forced-attention.json", '"format":0', '"format":2')
        newer = self.gate()
        self.assertEqual((newer.returncode, "SP1712" in newer.stdout), (4, True), newer.stdout)

    def test_a_certificate_of_another_box(self):
        self.edit("sinkproof.toml", 'name = "trigger-head"', 'name = "trigger-head"\nbox = "0.5"')
        locked = self.gate("--locked")
        self.assertEqual((locked.returncode, "SP1715" in locked.stdout), (4, True), locked.stdout)
        self.assertIn("the noise box [-1,1]^5", locked.stdout)
        self.assert_accepts()
        self.edit("sinkproof.toml", 'box = "0.5"', 'box = "0.5,1"')
        wrong = self.gate()
        self.assertEqual((wrong.returncode, "noise box 0.5,1: must be one interval" in wrong.stdout), (2, True), wrong.stdout)

    def test_a_forged_word_of_the_solvers(self):
        """A false lemma with a certificate whose hash is right: only running it again tells."""
        for name in ("theorem.smt2", "theorem.mutant.smt2"):
            self.edit(f"proofs/forced-attention/{name}", "(<= (* 10 eta) 1)", "(<= (* 10 eta) 2)")
        folder = self.repository / "proofs/forced-attention"
        lines = "".join(f"{p.name}\0{hashlib.sha256(p.read_bytes()).hexdigest()}\n"
                        for p in sorted(folder.iterdir()) if p.name != "README.md")
        path = self.repository / "certificates/forced-attention.json"
        certificate = json.loads(path.read_text())
        certificate["claim_sha256"] = hashlib.sha256(lines.encode()).hexdigest()
        path.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":")) + "\n")
        red = self.gate()
        self.assertEqual((red.returncode, "SP0705" in red.stdout or "counterexample" in red.stdout),
                         (3, True), red.stdout)
        # Who says accept = ["smt"] takes the certificate's word, and is told so.
        self.edit("sinkproof.toml", 'certificates = "certificates"\n',
                  'certificates = "certificates"\naccept = ["smt"]\n')
        trusting = self.gate("--update", "--format", "json")
        self.assertEqual(trusting.returncode, 0, trusting.stdout)
        finding = [f for f in json.loads(trusting.stdout)["findings"]
                   if f["subject"] == "forced-attention"][0]
        self.assertIn("smt, by the certificate's word: theorem.smt2", finding["assumptions"])

    def test_a_coq_claim_with_its_shared_theory(self):
        """Assumptions added to a certificate, and a shared theory that changes under it."""
        proofs = self.repository / "proofs"
        (proofs / "theory/definitions").mkdir(parents=True)
        (proofs / "theory/definitions/zero.v").write_text("Definition zero := 0.\n")
        (proofs / "nothing-added").mkdir()
        (proofs / "nothing-added/statement.v").write_text(
            "From Sinkproof Require Import zero.\n"
            "Definition nothing : Prop :=\n  forall n, n + zero = n.\n")
        (proofs / "nothing-added/nothing.v").write_text(
            "From Sinkproof Require Import zero.\nFrom Claim Require Import statement.\n"
            "Theorem nothing : statement.nothing.\n"
            "Proof. intros n. unfold zero. induction n as [|n same]; simpl; congruence. Qed.\n"
            "Print Assumptions nothing.\n")
        (proofs / "nothing-added/claim.toml").write_text(
            'id = "nothing-added"\ntitle = "t"\nsource = "s"\nhypotheses = []\n'
            '[[sentence]]\ntext = "Nothing is added."\nsays = ["nothing"]\n'
            '[[step]]\nname = "s"\nrule = "coq-statement"\nfile = "statement.v"\nestablishes = "e"\nrelies_on = []\n'
            '[[step]]\nname = "n"\nrule = "coq-theorem"\nfile = "nothing.v"\nestablishes = "e"\nrelies_on = []\n')
        unread = self.gate()
        self.assertEqual((unread.returncode, "SP1721" in unread.stdout), (4, True), unread.stdout)
        self.assertIn("sinkproof.lock does not list nothing-added", unread.stdout)
        self.assertIn("forall n, n + zero = n.", unread.stdout)  # what is to be read
        updated = self.gate("--update")
        self.assertEqual(updated.returncode, 0, updated.stdout)
        self.assertEqual(self.gate("--locked").returncode, 0)
        self.edit("certificates/nothing-added.json", '"assumptions":[]',
                  '"assumptions":["Classical_Prop.classic"]')
        padded = self.gate("--locked")
        self.assertEqual((padded.returncode, "SP1712" in padded.stdout), (4, True), padded.stdout)
        self.edit("certificates/nothing-added.json",
                  '"assumptions":["Classical_Prop.classic"]', '"assumptions":[]')
        (proofs / "theory/more.v").write_text("Lemma more : True. Proof I.\n")
        stale = self.gate("--locked")
        self.assertEqual((stale.returncode, "SP1715" in stale.stdout), (4, True), stale.stdout)
        self.assertIn("theory/", stale.stdout)
        self.assertEqual(self.gate().returncode, 0)  # another lemma does not make another claim
        (proofs / "theory/definitions/zero.v").write_text("Definition zero := 0. (* nothing *)\n")
        other = self.gate()
        self.assertEqual((other.returncode, "SP1721" in other.stdout), (4, True), other.stdout)
        self.assertIn("theory/definitions/zero.v has changed", other.stdout)
        self.assertEqual(self.gate("--update").returncode, 0)
        self.assertEqual(self.gate().returncode, 0)
        (proofs / "theory/definitions/zero.v").write_text("Definition zero := 1.\n")
        self.assertEqual(self.gate().returncode, 3)

    def test_what_a_theorem_says_is_what_was_accepted(self):
        accepted = (self.repository / "sinkproof.lock").read_text()
        statement = tomllib.loads(accepted)["theory"]["tc-1"]["statement.v"]
        self.edit("sinkproof.lock", statement, 64 * "0")
        self.red_then_green(4, "SP1721", "tc-1", "sinkproof.toml")
        self.edit("sinkproof.lock", '[theory."sw-2"]', '[theory."sw-9"]')
        self.red_then_green(4, "SP1721", "sw-2", "sinkproof.toml")
        self.edit("sinkproof.lock", '[theory."sw-2"]', '[theory."sw-9"]\n\n[theory."sw-2"]')  # nowhere to be found
        self.red_then_green(4, "SP1721", "sw-9", "sinkproof.toml")
        (self.repository / "sinkproof.lock").unlink()
        self.red_then_green(4, "SP1721", "tc-1", "sinkproof.toml")

    # What a pull request changes in what is asked, and of what: red until somebody accepts it.

    def model_with(self, **metadata):
        """The model of trigger-head with other metadata."""
        path = self.repository / "models/trigger-head.safetensors"
        raw = path.read_bytes()
        size = int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8:8 + size])
        header["__metadata__"].update(metadata)
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + size:])
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def unpinned(self):
        text = (self.repository / "sinkproof.toml").read_text()
        (self.repository / "sinkproof.toml").write_text(re.sub('\nsha256 = "[0-9a-f]+"', "", text))

    def in_checkpoint(self, line):
        self.edit("sinkproof.toml", 'name = "trigger-head"\n', f'name = "trigger-head"\n{line}\n')

    def assert_accepts(self):
        """What is asked now is accepted by --update, once."""
        updated = self.gate("--update")
        self.assertEqual(updated.returncode, 0, updated.stdout + updated.stderr)
        lock = (self.repository / "sinkproof.lock").read_bytes()
        self.assertEqual(self.gate("--update").returncode, 0)
        self.assertEqual((self.repository / "sinkproof.lock").read_bytes(), lock)
        again = self.gate("--locked")
        self.assertEqual(again.returncode, 0, again.stdout)

    def assert_not_accepted(self, subject, words, *lines):
        """Red at SP1721, naming the words if any, until --update, whose lock has these lines in its diff ("-..." or "+...")."""
        updated = self.gate("--update")
        self.assertEqual(updated.returncode, 0, updated.stdout + updated.stderr)
        lock = self.repository / "sinkproof.lock"
        accepted = lock.read_bytes()
        diff = self.git("diff", "-U0", "base", "--", "sinkproof.lock").splitlines()
        for line in lines:
            self.assertIn(line, diff)
        # What a pull request commits: the certificates that are made anew, and no lock.
        self.git("checkout", "-q", "base", "--", "sinkproof.lock")
        self.git("add", "-A")
        red = self.gate("--only-changed", "base", "--format", "json")
        self.assertEqual(red.returncode, 4, red.stdout)
        found = [f for f in json.loads(red.stdout)["findings"] if f["level"] == "error"]
        self.assertEqual({f["rule"] for f in found}, {"SP1721"}, red.stdout)
        messages = [f["message"] for f in found if f["subject"] == subject]
        self.assertTrue(messages, red.stdout)
        for word in filter(None, (words, "`sinkproof gate --update`")):
            self.assertTrue(all(word in message for message in messages), messages)
        lock.write_bytes(accepted)
        again = self.gate("--locked")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.git("reset", "-q", "--hard", "base")
        self.git("clean", "-qfd")

    def test_the_lock_lists_everything_that_is_asked(self):
        lock = tomllib.loads((self.repository / "sinkproof.lock").read_text())
        self.assertEqual((lock["format"], set(lock)), (2, {"format", "theory", "claims", "checkpoints"}))
        self.assertEqual(set(lock["theory"]), {"tc-1", "tc-3", "sw-1", "sw-2", "sw-3"})
        self.assertEqual(set(lock["claims"]), {"proofs/forced-attention", "proofs/output-with-a-sink"})
        self.assertEqual(set(lock["claims"]["proofs/forced-attention"]),
                         {"accept", "axioms", "verdict", "claim.toml", "theorem.smt2", "theorem.mutant.smt2"})
        theory = lock["theory"]["tc-1"]
        self.assertEqual((theory["accept"], theory["verdict"]), (["coq", "smt"], "proved"))
        self.assertIn("statement.v", theory)
        self.assertIn("theory/definitions/task.v", theory)
        self.assertNotIn("necessity.v", theory)  # a proof may be another
        head = lock["checkpoints"]["trigger-head"]
        model = (self.repository / "models/trigger-head.safetensors").read_bytes()
        self.assertEqual(
            {key: head[key] for key in ("attention", "box", "d_model", "length", "model", "num_heads", "num_layers",
                                        "overrides", "require", "residual", "scale", "sha256", "triggers")},
            {"attention": "softmax", "box": "[-1,1]^5", "d_model": "8", "length": "8",
             "model": "models/trigger-head.safetensors", "num_heads": "1", "num_layers": "1", "overrides": [],
             "require": ["bos-floor.post >= 0.999", "bos-floor.pre >= 0.999", "sup-loss <= 0.002"],
             "residual": "false", "scale": "1", "sha256": hashlib.sha256(model).hexdigest(), "triggers": "3..8"})
        self.assertRegex(head["words"], "^[0-9a-f]{64}$")
        self.assert_accepts()
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_the_lock_does_not_depend_on_the_folder_the_gate_runs_in(self):
        done = subprocess.run([str(BIN / "sinkproof"), "gate", str(self.repository / "sinkproof.toml"), "--update"],
                              cwd=self.scratch, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_a_claim_that_is_gone(self):
        self.git("branch", "base")
        name = "proofs/output-with-a-sink"
        def deleted():
            shutil.rmtree(self.repository / name)
            (self.repository / "certificates/output-with-a-sink.json").unlink()
            for arguments in ((), ("--locked",)):
                self.assertEqual(self.gate(*arguments).returncode, 4)
        def certificate_left():
            shutil.rmtree(self.repository / name)
        def no_pattern_means_it():
            self.edit("sinkproof.toml", 'match = ["*"]', 'match = ["forced-*"]')
        def hidden():
            self.git("mv", name, "proofs/.output-with-a-sink")
        for change in (deleted, certificate_left, no_pattern_means_it, hidden):
            with self.subTest(change.__name__):
                change()
                self.assert_not_accepted(name, None, f'-[claims."{name}"]')
        self.git("mv", name, "proofs/renamed")
        self.edit("proofs/renamed/claim.toml", 'id = "output-with-a-sink"', 'id = "renamed"')
        self.assert_not_accepted(name, None, f'-[claims."{name}"]', '+[claims."proofs/renamed"]')
        self.git("mv", "proofs", "elsewhere")
        self.edit("sinkproof.toml", 'proofs = "proofs"', 'proofs = "elsewhere"')
        self.assert_not_accepted(name, None, f'-[claims."{name}"]')
        self.edit("sinkproof.toml", '"tc-3", ', "")
        self.assert_not_accepted("tc-3", None, '-[theory."tc-3"]')
        self.edit("sinkproof.toml", 'name = "trigger-head"', 'name = "other-head"')
        self.assert_not_accepted("trigger-head", None, '-[checkpoints."trigger-head"]',
                                 '+[checkpoints."other-head"]')
        text = (self.repository / "sinkproof.toml").read_text()
        (self.repository / "sinkproof.toml").write_text(text[:text.index("[[checkpoint]]")])
        self.assert_not_accepted("trigger-head", None, '-[checkpoints."trigger-head"]')

    def test_a_claim_that_says_less(self):
        self.git("branch", "base")
        name = "output-with-a-sink"
        identity = self.repository / f"proofs/{name}/theorem.identity.json"
        before = hashlib.sha256(identity.read_bytes()).hexdigest()
        value = json.loads(identity.read_text())
        value["statement"]["variables"] = ["p"]
        value["statement"]["identities"][0] |= {"left": ["*", "p", "1"], "right": "p"}
        identity.write_text(json.dumps(value))
        after = hashlib.sha256(identity.read_bytes()).hexdigest()
        self.assert_not_accepted(name, "theorem.identity.json has changed", f'-"theorem.identity.json" = "{before}"',
                                 f'+"theorem.identity.json" = "{after}"')
        self.edit(f"proofs/{name}/claim.toml", "What a head", "What any head")
        self.assert_not_accepted(name, "claim.toml has changed")
        # A lemma, and the mutant that shows that its hypotheses are needed.
        for file in ("theorem.smt2", "theorem.mutant.smt2"):
            with (self.repository / f"proofs/forced-attention/{file}").open("a") as text:
                text.write("; another\n")
            self.assert_not_accepted("forced-attention", f"{file} has changed")

    def test_a_claim_that_may_rest_on_more(self):
        self.git("branch", "base")
        self.edit("sinkproof.toml", 'certificates = "certificates"\n', 'certificates = "certificates"\naccept = ["smt"]\n')
        self.assert_not_accepted("forced-attention", "accept has gained \"smt\" and lost nothing",
                                 "-accept = []", '+accept = "smt"')
        # An earlier table decides how a claim is held.
        self.edit("sinkproof.toml", "[[claims]]", '[[claims]]\nmatch = ["forced-*"]\naccept = ["bounded"]\n\n[[claims]]')
        self.assert_not_accepted("forced-attention", "accept has gained \"bounded\"", '+accept = "bounded"')

    def test_a_checkpoint_of_which_less_is_asked(self):
        self.git("branch", "base")
        subject = "trigger-head"
        def less(old, new, words, *lines):
            with self.subTest(new):
                self.edit("sinkproof.toml", old, new)
                self.assert_not_accepted(subject, words, *lines)
        less("sup-loss <= 0.002", "sup-loss <= 0.2", 'require has gained "sup-loss <= 0.2" and lost "sup-loss <= 0.002"',
             '-  "sup-loss <= 0.002",', '+  "sup-loss <= 0.2",')
        less('  "bos-floor.post >= 0.999",\n', "", 'lost "bos-floor.post >= 0.999"', '-  "bos-floor.post >= 0.999",')
        named = 'name = "trigger-head"'
        less(named, f'{named}\nbox = "0.5"', 'box is "[-1/2,1/2]^5", accepted is "[-1,1]^5"', '-box = "[-1,1]^5"',
             '+box = "[-1/2,1/2]^5"')
        less(named, f"{named}\nlength = 7", 'length is "7", accepted is "8"', '-length = "8"', '+length = "7"',
             '-triggers = "3..8"', '+triggers = "3..7"')
        less(named, f'{named}\nscale = "1001/1000"', 'scale is "1001/1000", accepted is "1"', '+scale = "1001/1000"')
        shutil.copy(self.repository / "models/trigger-head.safetensors", self.repository / "models/copy.safetensors")
        less("models/trigger-head", "models/copy", 'model is "models/copy.safetensors"')
        less('sha256 = "', 'sha256 = "any" # "', 'sha256 is "any"', '+sha256 = "any"')

    def test_another_model(self):
        """Its hash, where sinkproof.toml says one, is changed along."""
        self.git("branch", "base")
        old = hashlib.sha256((self.repository / "models/trigger-head.safetensors").read_bytes()).hexdigest()
        new = self.model_with(seq_len="4")
        self.edit("sinkproof.toml", old, new)
        self.assert_not_accepted("trigger-head", 'length is "4", accepted is "8"', '-length = "8"', '+length = "4"')
        self.model_with(seq_len="4")
        self.unpinned()
        self.assert_not_accepted("trigger-head", 'length is "4", accepted is "8"', '-length = "8"', '+length = "4"')
        new = self.model_with(note="another file")
        self.unpinned()
        self.assert_not_accepted("trigger-head", "sha256 has changed", f'-sha256 = "{old}"', f'+sha256 = "{new}"')

    def test_any_model_where_that_is_accepted(self):
        self.unpinned()
        self.in_checkpoint('sha256 = "any"')
        self.assert_accepts()
        self.commit("Whatever training makes")
        self.git("branch", "base")
        self.model_with(note="another file")
        renewed = self.gate()
        self.assertEqual((renewed.returncode, "SP1718" in renewed.stdout), (0, True), renewed.stdout)
        self.assertEqual(self.gate("--locked").returncode, 4)  # stale
        self.model_with(seq_len="4")
        self.assert_not_accepted("trigger-head", 'length is "4", accepted is "8"', '+length = "4"')

    def test_the_inputs_of_a_sink_share(self):
        self.edit("sinkproof.toml", '"bos-floor.post >= 0.999",\n]',
                  '"bos-floor.post >= 0.999",\n  "sink-share in [0.9,1]",\n]\nsamples = 4\nseed = 1\nepsilon = "0.3"\nposition = 1')
        self.assert_accepts()
        self.commit("A share")
        self.git("branch", "base")
        for field, old, new in (("samples", "4", "2"), ("seed", "1", "2")):
            self.edit("sinkproof.toml", f"{field} = {old}", f"{field} = {new}")
            self.assert_not_accepted("trigger-head", f'{field} is "{new}", accepted is "{old}"', f'+{field} = "{new}"')
        self.edit("sinkproof.toml", 'epsilon = "0.3"', 'epsilon = "0.01"')
        self.assert_not_accepted("trigger-head", 'epsilon is "1/100", accepted is "3/10"', '+epsilon = "1/100"')
        self.edit("sinkproof.toml", "[0.9,1]", "[0,1]")
        self.edit("sinkproof.toml", "position = 1", "position = 2")
        self.assert_not_accepted("trigger-head", 'position is "2", accepted is "1"', '+position = "2"')
        for epsilon in ("1.5", "-1"):
            self.edit("sinkproof.toml", 'epsilon = "0.3"', f'epsilon = "{epsilon}"')
            wrong = self.gate()
            self.assertEqual((wrong.returncode, '"epsilon"' in wrong.stdout), (2, True), wrong.stdout)
            self.put_right()

    def test_a_claim_about_a_checkpoint(self):
        folder = self.repository / "proofs/head-sinks"
        folder.mkdir()
        (folder / "claim.toml").write_text(
            'id = "head-sinks"\ntitle = "t"\nsource = "s"\nhypotheses = []\n'
            '[[sentence]]\ntext = "It pays 0.9."\nsays = ["bos-floor.pre >= 0.9"]\n'
            '[checkpoint]\nmodel = "../../models/trigger-head.safetensors"\nrequire = ["bos-floor.pre >= 0.9"]\n')
        new = self.gate()
        self.assertEqual((new.returncode, "sinkproof.lock does not list head-sinks" in new.stdout), (4, True), new.stdout)
        self.assert_accepts()
        self.commit("A claim about a checkpoint")
        self.git("branch", "base")
        self.edit("proofs/head-sinks/claim.toml", "require", 'box = "0.5"\nrequire')
        self.assert_not_accepted("head-sinks", 'box is "[-1/2,1/2]^5", accepted is "[-1,1]^5"', '+box = "[-1/2,1/2]^5"')
        self.model_with(seq_len="4")
        self.unpinned()
        self.assert_not_accepted("head-sinks", 'length is "4", accepted is "8"', '+length = "4"')

    def test_two_folders_with_claims_of_one_name(self):
        shutil.copytree(self.repository / "proofs", self.repository / "more/proofs")
        self.edit("more/proofs/output-with-a-sink/claim.toml", "What a head", "What any head")
        with (self.repository / "sinkproof.toml").open("a") as text:
            text.write('\n[[claims]]\nmatch = ["output-*"]\nproofs = "more/proofs"\ncertificates = "more/certificates"\n')
        self.assert_accepts()
        lock = tomllib.loads((self.repository / "sinkproof.lock").read_text())
        self.assertIn("more/proofs/output-with-a-sink", lock["claims"])
        self.assertIn("proofs/output-with-a-sink", lock["claims"])

    def test_what_properties_mean_is_for_the_program_to_say(self):
        shutil.copytree(SOURCE / "proofs/checkpoint", self.repository / "proofs/checkpoint")
        with (self.repository / "proofs/checkpoint/STATEMENT.md").open("a") as text:
            text.write("\nOr something else.\n")
        certificate = self.repository / "certificates/trigger-head.json"
        before = certificate.read_bytes()
        made = subprocess.run([BIN / "sinkproof", "certify", "models/trigger-head.safetensors", "--claims", "proofs",
                               "--quiet", "-o", str(certificate)], cwd=self.repository, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertNotEqual(certificate.read_bytes(), before)
        locked = self.gate("--locked")
        self.assertEqual((locked.returncode, "SP1715" in locked.stdout), (4, True), locked.stdout)
        self.assertEqual(self.gate("--update").returncode, 0)
        self.assertEqual(certificate.read_bytes(), before)

    def test_a_lock_that_is_missing_or_of_another_form(self):
        lock = self.repository / "sinkproof.lock"
        accepted = lock.read_bytes()
        self.git("branch", "base")
        lock.unlink()
        for arguments in ((), ("--locked",), ("--only-changed", "base")):
            missing = self.gate(*arguments)
            self.assertEqual(missing.returncode, 4, missing.stdout)
            self.assertIn("sinkproof.lock is missing", missing.stdout)
            self.assertIn("`sinkproof gate --update`", missing.stdout)
        self.git("commit", "-q", "-a", "-m", "No lock")
        self.git("branch", "-f", "base")
        self.assertEqual(self.gate("--only-changed", "base").returncode, 4)
        self.assertEqual(self.gate("--update").returncode, 0)
        self.assertEqual(lock.read_bytes(), accepted)
        old = '[tc-1]\n"statement.v" = "' + 64 * "0" + '"\n'
        for text in ("", old, "format = 1\n", "format = 2\ntheory = 1\n", "format = 2\n[theory]\ntc-1 = 1\n",
                     "format = 2\n[theory.tc-1]\nverdict = 1\n", "format = 2\n[theory.tc-1]\naccept = [1]\n", "[tc-1\n"):
            lock.write_text(text)
            for arguments in ((), ("--update",), ("--only-changed", "base")):
                broken = self.gate(*arguments)
                self.assertEqual((broken.returncode, "SP1720" in broken.stdout), (2, True), broken.stdout)
            self.assertEqual(lock.read_text(), text)
        lock.write_text(old)
        self.assertIn("`rm sinkproof.lock && sinkproof gate --update`", self.gate().stdout)
        lock.unlink()
        self.assertEqual(self.gate("--update").returncode, 0)
        self.assertEqual(lock.read_bytes(), accepted)
        lock.rename(self.repository / "notes")
        os.symlink("notes", lock)
        link = self.gate("--update")
        self.assertEqual((link.returncode, "SP1720" in link.stdout), (2, True), link.stdout)
        self.assertTrue(lock.is_symlink())

    def test_what_fails_is_not_accepted(self):
        self.edit("sinkproof.toml", "sup-loss <= 0.002", "sup-loss <= 0.0001")
        lock = (self.repository / "sinkproof.lock").read_bytes()
        self.assertEqual(self.gate("--update").returncode, 1)
        self.assertEqual((self.repository / "sinkproof.lock").read_bytes(), lock)

    def test_a_name_in_the_lock_hides_nothing(self):
        name = 'models/a"\u202eb\u00e9.safetensors'
        (self.repository / "models/trigger-head.safetensors").rename(self.repository / name)
        self.edit("sinkproof.toml", '"models/trigger-head.safetensors"', "'" + name + "'")
        self.assert_accepts()
        text = (self.repository / "sinkproof.lock").read_text()
        self.assertTrue(text.isascii())
        self.assertEqual(tomllib.loads(text)["checkpoints"]["trigger-head"]["model"], name)

    def test_every_line_about_a_checkpoint_says_length_and_box(self):
        words = "at length 8, box [-1,1]^5"
        self.git("branch", "base")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        for event, red in (("push", False), ("push", True), ("pull_request", False)):
            if red:
                self.edit("sinkproof.toml", "sup-loss <= 0.002", "sup-loss <= 0.0001")
            result = self.workflow.run(self.repository, event=event)
            findings = [f for f in result.json["findings"] if f["suite"] == "checkpoints"]
            self.assertEqual([(f["length"], f["box"]) for f in findings], 3 * [(8, "[-1,1]^5")])
            levels = {f["level"] for f in findings}
            self.assertEqual(levels, {"unchanged"} if event == "pull_request" else {"error"} if red else {"pass"})
            lines = [line for line in result.output.splitlines() if " checkpoints " in line]
            self.assertEqual(len(lines), 3)
            rows = [row for row in result.summary.splitlines() if "<code>trigger-head</code>" in row]
            self.assertEqual(len(rows), 3)
            cases = [case.get("name") for case in result.junit.iter("testcase") if "checkpoints" in case.get("classname")]
            self.assertEqual(len(cases), 3)
            alerts = [r["message"]["text"] for r in result.sarif["runs"][0]["results"]]
            self.assertEqual(len(alerts), 3 if red else 0)
            annotated = [line for line in result.output.splitlines() if line.startswith("::error")]
            self.assertEqual(len(annotated), len(alerts))
            for line in lines + rows + cases + alerts + annotated:
                self.assertIn(words, line)
            for alert in result.sarif["runs"][0]["results"]:
                self.assertEqual((alert["properties"]["length"], alert["properties"]["box"]), (8, "[-1,1]^5"))
            self.assertIsNone(result.finding("tc-1")["length"])
            self.put_right()

    # Where the gate writes.

    def files(self, folder):
        return {str(p.relative_to(folder)): p.is_symlink() or p.is_dir() or p.read_bytes()
                for p in folder.rglob("*")}

    def test_the_output_is_a_folder_of_its_own_in_the_repository(self):
        outside = self.scratch / "outside"
        outside.mkdir()
        os.symlink(outside, self.repository / "link")
        os.symlink("models", self.repository / "inner")
        os.symlink("nowhere", self.repository / "dangling")
        (self.repository / "deep").mkdir()
        os.symlink(outside, self.repository / "deep/renewed")
        os.symlink(self.repository / ".git/hooks", self.repository / "sinkproof-gate")
        self.edit("sinkproof.toml", "[[claims]]", '[gate]\noutput = "REPORTS"\n\n[[claims]]')
        written = (self.repository / "sinkproof.toml").read_text()
        before = None
        for output in (str(outside), "../outside", "a/../../outside", "a/../b", ".", "./", ".git", ".git/hooks", "./.git/x",
                       ".GIT/hooks", "deep/.git/x", "proofs", "proofs/", "proofs/reports", "certificates",
                       "certificates/reports", "./certificates", "link", "link/reports", "inner", "dangling", "dangling/x",
                       "deep", "sinkproof-gate", "README.md"):
            (self.repository / "sinkproof.toml").write_text(written.replace("REPORTS", output))
            before = self.files(self.scratch)
            for arguments in ((), ("--update",)):
                with self.subTest(output, arguments=arguments):
                    red = self.gate(*arguments)
                    self.assertEqual((red.returncode, "SP1702" in red.stdout, "output" in red.stdout), (2, True, True), red.stdout)
                    self.assertEqual(self.files(self.scratch), before)
        # By the command line as well, but for folders outside of the repository; and where sinkproof.toml is not TOML.
        for text in (written.replace("REPORTS", "reports"), "not toml"):
            (self.repository / "sinkproof.toml").write_text(text)
            before = self.files(self.scratch)
            for output in (".git/hooks", "link", ".", "sinkproof-gate"):
                red = self.gate("--output", output)
                self.assertEqual(red.returncode, 2, red.stdout)
                self.assertEqual(self.files(self.scratch), before)
        (self.repository / "sinkproof.toml").write_text(written.replace("REPORTS", "reports/gate"))
        self.assertEqual(self.gate().returncode, 0)
        self.assertTrue((self.repository / "reports/gate/gate.json").is_file())
        self.assertEqual(self.gate("--output", str(outside)).returncode, 0)
        self.assertTrue((outside / "gate.json").is_file())

    def test_certificates_are_the_repositorys(self):
        outside = self.scratch / "outside"
        outside.mkdir()
        os.symlink(outside, self.repository / "link")
        for old, new in (('"certificates/trigger-head.json"', f'"{outside}/x.json"'),
                         ('"certificates/trigger-head.json"', '"../outside/x.json"'),
                         ('"certificates/trigger-head.json"', '".git/hooks/x.json"'),
                         ('"certificates/trigger-head.json"', '"link/x.json"'),
                         ('certificates = "certificates"', 'certificates = "../outside"'),
                         ('certificates = "certificates"', 'certificates = ".Git"'),
                         ('certificates = "certificates"', 'certificates = "link"')):
            self.edit("sinkproof.toml", old, new)
            before = self.files(self.repository / ".git")
            red = self.gate("--update")
            self.assertEqual((red.returncode, "SP1702" in red.stdout), (2, True), red.stdout)
            self.assertEqual((self.files(self.repository / ".git"), list(outside.iterdir())), (before, []))
            self.git("checkout", "-q", "sinkproof.toml")

    def test_only_changed(self):
        self.git("branch", "base")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        everything = self.workflow.run(self.repository, event="pull_request")
        self.assertEqual(everything.code, 0, everything.output)
        for subject in ("forced-attention", "output-with-a-sink"):
            self.assertEqual(everything.finding(subject)["level"], "unchanged")
        self.assertEqual(everything.finding("tc-1")["level"], "pass")
        self.edit("proofs/output-with-a-sink/theorem.identity.json", '["-", "v", "w"]',
                  '["+", "v", "w"]')
        for committed in (False, True):
            if committed:
                self.commit("A false claim")
            result = self.workflow.run(self.repository, event="pull_request")
            self.assertEqual(result.code, 3, result.output)
            self.assertEqual(result.finding("output-with-a-sink")["level"], "error")
            self.assertEqual(result.finding("forced-attention")["level"], "unchanged")
        self.git("reset", "-q", "--hard", "base")
        # An untracked file in a claim's folder, an ignored model, another sinkproof.toml.
        (self.repository / "proofs/forced-attention/more.smt2").write_text("(check-sat)\n")
        result = self.workflow.run(self.repository, event="pull_request")
        self.assertEqual((result.code, result.finding("forced-attention")["rule"]), (2, "SP1719"))
        (self.repository / "proofs/forced-attention/more.smt2").unlink()
        self.git("rm", "-q", "--cached", "models/trigger-head.safetensors")
        (self.repository / ".gitignore").write_text("sinkproof-gate/\nmodels/\n")
        result = self.workflow.run(self.repository, event="pull_request")
        self.assertEqual(result.finding("trigger-head", "sup-loss <= 0.002")["level"], "pass")
        self.git("reset", "-q", "--hard", "base")
        self.edit("sinkproof.toml", "sup-loss <= 0.002", "sup-loss <= 0.0001")
        result = self.workflow.run(self.repository, event="pull_request")
        self.assertEqual(result.code, 4, result.output)
        self.assertEqual(result.finding("trigger-head", "sup-loss <= 0.0001")["rule"], "SP1711")
        self.assertEqual(result.finding("trigger-head", "bos-floor.pre >= 0.999")["rule"], "SP1721")

    def test_only_changed_against_nothing_known(self):
        for base in ("no-such-branch", "-x", ""):
            result = self.gate(f"--only-changed={base}")
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertEqual("SP1704" in result.stdout, base != "", result.stdout)
        shutil.rmtree(self.repository / ".git")
        result = self.gate("--only-changed", "main")
        self.assertEqual((result.returncode, "SP1704" in result.stdout), (2, True), result.stdout)

    # What a pull request may hide from --only-changed.

    def theorem_made_false(self):
        self.edit("proofs/output-with-a-sink/theorem.identity.json", '["-", "v", "w"]',
                  '["+", "v", "w"]')

    def levels_since_base(self):
        done = self.gate("--only-changed", "base", "--format", "json")
        levels = {f["subject"]: f["level"] for f in json.loads(done.stdout)["findings"]}
        return done.returncode, levels

    def assert_seen(self, code=3, subject="output-with-a-sink"):
        found, levels = self.levels_since_base()
        self.assertEqual((found, levels[subject]), (code, "error"))
        # What is as it was need not be decided all the same.
        self.assertEqual(levels["forced-attention"], "unchanged")

    def test_flags_of_the_index_hide_nothing(self):
        self.git("branch", "base")
        for flag in ("assume-unchanged", "skip-worktree"):
            self.git("update-index", f"--{flag}", "proofs/output-with-a-sink/theorem.identity.json")
            self.theorem_made_false()
            self.assert_seen()
            self.git("update-index", f"--no-{flag}", "proofs/output-with-a-sink/theorem.identity.json")
            self.put_right()

    def test_filters_and_attributes_hide_nothing(self):
        self.git("branch", "base")
        (self.repository / ".gitattributes").write_text("*.toml text eol=crlf\n")
        self.commit("The same blobs, other bytes")
        shutil.rmtree(self.repository / "proofs/output-with-a-sink")
        self.git("checkout", "-q", ".")
        self.assert_seen(4)
        self.git("config", "filter.old.clean", "git cat-file blob HEAD:%f")
        (self.repository / ".gitattributes").write_text("*.json filter=old\n")
        self.theorem_made_false()
        self.assert_seen()

    def test_replaced_commits_hide_nothing(self):
        self.git("branch", "base")
        self.theorem_made_false()
        self.commit("A false claim")
        self.git("replace", "base", "HEAD")
        self.assert_seen()

    def test_times_of_files_hide_nothing(self):
        self.git("branch", "base")
        path = self.repository / "proofs/output-with-a-sink/theorem.identity.json"
        self.git("config", "core.trustctime", "false")
        os.utime(path, (10 ** 9, 10 ** 9))
        self.git("status")
        self.theorem_made_false()
        os.utime(path, (10 ** 9, 10 ** 9))
        self.assert_seen()

    def test_a_theory_taken_away_is_a_change(self):
        for source, name in (("proofs/theory", "proofs/theory"), ("proofs/sw-1", "proofs/sw-1")):
            shutil.copytree(SOURCE / source, self.repository / name,
                            ignore=shutil.ignore_patterns("*.vo*", "*.glob", ".*"))
        shutil.copy(SOURCE / "certificates/sw-1.json", self.repository / "certificates")
        self.edit("sinkproof.toml", 'match = ["tc-1", "tc-3", "sw-*"]', 'match = ["tc-1"]')
        self.edit("sinkproof.toml", 'certificates = "certificates"\n',
                  'certificates = "certificates"\naccept = ["smt", "coq"]\n')
        self.assertEqual(self.gate("--update").returncode, 0)  # tc-3 and others are asked for no more
        self.commit("A claim with a theory")
        self.git("branch", "base")
        self.assertEqual(self.levels_since_base(), (0, {
            "tc-1": "pass", "forced-attention": "unchanged", "output-with-a-sink": "unchanged",
            "sw-1": "unchanged", "trigger-head": "unchanged"}))
        self.git("rm", "-q", "-r", "proofs/theory")
        self.commit("No theory")
        code, levels = self.levels_since_base()
        self.assertEqual((code, levels["sw-1"]), (4, "error"))

    def test_a_path_through_a_link_is_a_change(self):
        self.git("mv", "certificates", "kept")
        shutil.copytree(self.repository / "kept", self.repository / "inner/kept")
        (self.repository / "inner/deep").mkdir()
        (self.repository / "inner/deep/file").write_text("\n")
        os.symlink("inner/deep", self.repository / "link")
        self.edit("sinkproof.toml", 'certificates = "certificates"', 'certificates = "kept"')
        self.edit("sinkproof.toml", "certificates/trigger-head.json", "link/../kept/trigger-head.json")
        self.commit("The system reads link/.. as inner")
        self.git("branch", "base")
        (self.repository / "inner/kept/trigger-head.json").write_text("{}\n")
        self.assert_seen(4, "trigger-head")

    def test_a_submodule_is_a_change(self):
        self.git("branch", "base")
        self.git("rm", "-q", "-r", "--cached", "proofs/output-with-a-sink")
        inner = self.repository / "proofs/output-with-a-sink"
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "inner"]):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *command],
                           cwd=inner, check=True)
        self.git("add", "proofs/output-with-a-sink")
        self.git("commit", "-q", "-m", "A submodule")
        self.git("branch", "-f", "base")
        self.git("config", "diff.ignoreSubmodules", "all")
        self.theorem_made_false()
        self.assert_seen(2)

    # Claims that are lost, folders that are not what they seem, names that say something.

    def test_a_claim_that_cannot_be_read_is_not_passed_over(self):
        folder = self.repository / "proofs/output-with-a-sink"
        def no_claim_file():
            (folder / "claim.toml").rename(folder / "Claim.toml")
        def claim_file_leads_nowhere():
            (folder / "claim.toml").unlink()
            os.symlink("nowhere", folder / "claim.toml")
        def folder_leads_nowhere():
            shutil.rmtree(folder)
            os.symlink("nowhere", folder)
        for lose in (no_claim_file, claim_file_leads_nowhere, folder_leads_nowhere):
            lose()
            done = self.gate("--format", "json")
            found = [f for f in json.loads(done.stdout)["findings"]
                     if f["subject"] == "output-with-a-sink"]
            self.assertEqual((done.returncode, [f["rule"] for f in found]), (2, ["SP1719"]))
            if folder.is_symlink():
                folder.unlink()
            self.put_right()

    def test_what_is_made_anew_stays_in_its_folder(self):
        (self.repository / "sinkproof-gate").mkdir()
        os.symlink("..", self.repository / "sinkproof-gate/renewed")
        self.make_stale()
        before = self.files(self.repository)
        result = self.gate()
        self.assertEqual((result.returncode, "SP1702" in result.stdout), (2, True), result.stdout)
        self.assertEqual(self.files(self.repository), before)

    def test_two_certificates_are_not_made_anew_in_one_place(self):
        groups = ""
        for name in ("one", "two"):
            shutil.copytree(self.repository / "proofs", self.repository / name)
            groups += (f'[[claims]]\nmatch = ["*"]\nproofs = "{name}"\n'
                       f'certificates = "../{name}"\n')
        (self.repository / "sinkproof.toml").write_text(groups)
        result = self.gate("--update")
        self.assertEqual((result.returncode, "SP1702" in result.stdout), (2, True), result.stdout)
        self.assertFalse((self.scratch / "one").exists())

    def test_the_theorems_are_those_the_program_was_installed_with(self):
        """A program unpacked in a repository: two levels above it lie the repository's own claims."""
        installed = self.repository / "vendor"
        (installed / "bin").mkdir(parents=True)
        (installed / "share/sinkproof").mkdir(parents=True)
        shutil.copy(BIN / "sinkproof", installed / "bin/sinkproof")
        for name in ("proofs", "certificates"):
            os.symlink(SOURCE / name, installed / "share/sinkproof" / name)
        (self.repository / "proofs/theory").mkdir()
        done = subprocess.run([installed / "bin/sinkproof", "gate"], cwd=self.repository,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("theory      tc-1  proved", done.stdout)

    def test_names_are_no_commands_to_a_runner(self):
        self.edit("sinkproof.toml", "[[claims]]",
                  '[gate]\noutput = "reports\\n::warning::by a name"\n\n[[claims]]')
        (self.repository / "::warning::by a path").mkdir()
        self.git("mv", "proofs", "::warning::by a path/proofs")
        self.edit("sinkproof.toml", 'proofs = "proofs"', 'proofs = "::warning::by a path/proofs"')
        self.edit("::warning::by a path/proofs/output-with-a-sink/theorem.identity.json",
                  '["-", "v", "w"]', '["+", "v", "w"]')
        outputs = [self.gate(*arguments, GITHUB_ACTIONS="true")
                   for arguments in ((), ("--update",), ("--format", "json"))]
        self.edit("sinkproof.toml", '"tc-1"', '"##[warning]by a pattern"')
        outputs += [self.gate(*arguments, GITHUB_ACTIONS="true")
                    for arguments in ((), ("--format", "json"))]
        for done in outputs:
            for line in (done.stdout + done.stderr).splitlines():
                if line.startswith("::error file="):
                    continue  # the gate's own, in which nothing else is looked for
                self.assertFalse(line.strip().startswith("::"), line)
                self.assertNotIn("##[", line)
        self.assertIn("##[warning]by a pattern", json.loads(outputs[-1].stdout)["findings"][0]["message"])

    def test_without_a_solver_nothing_is_called_rejected(self):
        self.edit("sinkproof.toml", "[[claims]]", '[gate]\noutput = "a\\u009b1m\\u202eb"\n\n[[claims]]')
        result = self.gate("sinkproof.toml", PATH=str(BIN))
        self.assertEqual(result.returncode, 3, result.stdout)
        self.assertIn("SP1713", result.stdout)
        self.assertIn("cvc5", result.stdout)
        self.assertNotIn("SP1712", result.stdout)
        self.assertTrue(result.stdout.rstrip().endswith("a\\u009b1m\\u202eb"), result.stdout)
        self.assertEqual(list(self.repository.glob("a*/renewed")), [])

    def test_gates_in_one_folder_at_once(self):
        self.make_stale()
        command = [str(BIN / "sinkproof"), "gate", "--quiet"]
        for _ in range(3):
            runs = [subprocess.Popen(command, cwd=self.repository) for _ in range(4)]
            self.assertEqual([run.wait() for run in runs], [0, 0, 0, 0])
        self.assertEqual(list((self.repository / "sinkproof-gate").glob("run-*")), [])

    def test_a_step_summary_behind_a_link(self):
        target = self.scratch / "summary.md"
        target.write_text("before\n")
        os.symlink(target, self.scratch / "link.md")
        self.assertEqual(self.gate(GITHUB_STEP_SUMMARY=str(self.scratch / "link.md")).returncode, 0)
        self.assertTrue((self.scratch / "link.md").is_symlink())
        self.assertTrue(target.read_text().startswith("before\n## sinkproof gate: green"))

    def test_sink_share(self):
        self.edit("sinkproof.toml", '"bos-floor.post >= 0.999",\n]',
                  '"bos-floor.post >= 0.999",\n  "sink-share in [0.9,1]",\n]\nsamples = 4')
        result = self.gate("--update", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stdout)
        finding = [f for f in json.loads(result.stdout)["findings"] if "share" in f["asked"]][0]
        self.assertEqual((finding["evidence"], finding["certificate"]), ("exact", None))
        self.assertIn("4 random inputs of seed 0, attention on position 1 above 3/10", finding["message"])
        self.edit("sinkproof.toml", "[0.9,1]", "[0,0.5]")
        self.assertEqual(self.gate("--update").returncode, 1)
        self.edit("sinkproof.toml", "samples = 4", "samples = 8193")
        over = self.gate("--update")
        self.assertEqual((over.returncode, "65536 rows" in over.stdout), (2, True), over.stdout)
        self.edit("sinkproof.toml", "samples = 8193", "")
        self.assertEqual(self.gate().returncode, 2)

    @unittest.skipUnless((BIN / "sinkproof-check-verified").exists(), "the proved checker is not built")
    def test_what_the_proved_checker_has_to_prove(self):
        """Each requirement is green if the statements that it needs are proved; the rest is red by name."""
        text = (self.repository / "sinkproof.toml").read_text()
        share = text.replace('"bos-floor.post >= 0.999",\n]', '"bos-floor.post >= 0.999",\n  "sink-share in [0.9,1]",\n]\nsamples = 4')
        (self.repository / "sinkproof.toml").write_text('[gate]\nchecker = "verified"\n' + share)
        (self.repository / "sinkproof.lock").unlink()
        self.assertEqual(self.gate("--update").returncode, 3)
        self.assertNotIn('"tc-1"', (self.repository / "sinkproof.lock").read_text())
        found = {(f["subject"], f["asked"]): f for f in json.loads(self.gate("--format", "json").stdout)["findings"] if f["suite"] != "configuration"}
        red = [f for f in found.values() if f["level"] == "error" and f["rule"] == "SP1714"]
        self.assertEqual({f["subject"] for f in red}, {"tc-1", "tc-3", "sw-1", "sw-2", "sw-3", "forced-attention", "output-with-a-sink", "trigger-head"})
        for finding in red:
            if finding["subject"] != "trigger-head":
                self.assertIn(f"but sinkproof-check-verified does not cover {finding['subject']}. Remove it", finding["message"])
        loss, = [f for f in red if f["subject"] == "trigger-head"]
        self.assertEqual((loss["asked"], loss["verdict"], loss["exit_code"]), ("sup-loss <= 0.002", "unknown", 3))
        self.assertIn("does not prove the upper bound of sup-loss: not covered", loss["message"])
        for asked in ("bos-floor.pre >= 0.999", "sink-share in [0.9,1]"):
            self.assertIn("; sinkproof-check-verified proves it as well", found["trigger-head", asked]["message"])
        # Without these it is green; that this checker is asked is part of what is accepted.
        checkpoint = share[share.index("[[checkpoint]]"):].replace('  "sup-loss <= 0.002",\n', "")
        (self.repository / "sinkproof.toml").write_text('[gate]\nchecker = "verified"\n' + checkpoint)
        self.assert_accepts()
        self.assertIn('checker = "verified"', (self.repository / "sinkproof.lock").read_text())
        self.edit("sinkproof.toml", 'checker = "verified"', "")
        less = self.gate()
        self.assertEqual((less.returncode, "checker is gone" in less.stdout), (4, True), less.stdout)
        self.edit("sinkproof.toml", "[gate]", '[gate]\nchecker = "verifed"')
        wrong = self.gate()
        self.assertEqual((wrong.returncode, 'field "checker" must be "verified"' in wrong.stdout), (2, True), wrong.stdout)

    def test_a_proved_checker_that_does_not_accept(self):
        """Absent, with no answer, with another answer, with a rejection: never green."""
        prefix = self.scratch / "prefix"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "share/sinkproof").mkdir(parents=True)
        shutil.copy(BIN / "sinkproof", prefix / "bin")
        for name in ("proofs", "certificates"):
            (prefix / "share/sinkproof" / name).symlink_to(SOURCE / name)
        text = (self.repository / "sinkproof.toml").read_text()
        (self.repository / "sinkproof.toml").write_text('[gate]\nchecker = "verified"\n' + text[text.index("[[checkpoint]]"):])
        row = '{"files":[{"reason":"%s","statements":[%s]}],"schema":1}'
        proved = [f'{{"part":"{part}","property":"{name}","verdict":"proved"}}' for name, part in
                  (("sup-loss", "upper"), ("bos-floor.pre", "lower"), ("bos-floor.post", "lower"))]
        other = proved[0].replace('"proved"', '"not covered (other)"')
        for answer, status, code, words in (
                (None, 0, 2, "sinkproof-check-verified: is not there"), ("", 0, 5, "its answer is not JSON"), ("{}", 0, 5, "its answer has another form"),
                (row % ("a lie", ""), 4, 5, "does not accept a certificate that sinkproof-check accepts: a lie"),
                (row % ("", ",".join(proved[:2])), 0, 3, "does not prove the lower bound of bos-floor.post: its answer does not list it"),
                (row % ("too long", ""), 3, 3, "does not prove the upper bound of sup-loss: too long"),
                (row % ("", ",".join([*proved, other])), 3, 3, "does not prove the upper bound of sup-loss: not covered (other)"),
                (row % ("", ",".join(proved)), 3, 0, "")):
            program = prefix / "bin/sinkproof-check-verified"
            if answer is not None:
                program.write_text(f"#!/bin/sh\necho '{answer}'\nexit {status}\n")
                program.chmod(0o755)
            with self.subTest(words):
                done = subprocess.run([prefix / "bin/sinkproof", "gate", "--update"], cwd=self.repository, capture_output=True, text=True)
                self.assertEqual((done.returncode, words in done.stdout), (code, True), done.stdout)

    def test_limits(self):
        """100000 sequences take more than a second; of those that exceed the threshold, the first is one too many."""
        model, certificate = SOURCE / "tests/checkpoints/softmax-d8-l8.safetensors", self.repository / "certificates/random.json"
        shutil.copy(model, self.repository / "models")
        made = subprocess.run([str(BIN / "sinkproof"), "certify", str(model), "--length", "20", "--samples", "20", "--property",
                               "sup-loss.pre", "--property", "random.loss", "-o", str(certificate)], capture_output=True, cwd=SOURCE)
        self.assertEqual(made.returncode, 0, made.stderr)
        asked = ('[[checkpoint]]\nname = "random"\nmodel = "models/softmax-d8-l8.safetensors"\nlength = 20\n'
                 'require = ["sup-loss.pre <= 1"]\n')
        (self.repository / "sinkproof.toml").write_text(asked)
        self.assertEqual(self.gate("--update").returncode, 0)
        value = json.loads(certificate.read_text())
        late, early = "1 s", "SP1712"
        for limits, arguments, threshold, code, word in (("seconds = 1", (), "1000", 3, late), ("seconds = 3000", (), "1/1000000", 4, early),
                                                         ("seconds = 3000", ("--seconds", "1"), "1000", 3, late),
                                                         ("memory = 0", (), "1", 2, "\"memory\" must be from 1 to 1000000"),
                                                         ("seconds = 0", (), "1", 2, "\"seconds\" must be from 1 to 1000000"),
                                                         ("seconds = 1000001", (), "1", 2, "\"seconds\" must be from 1 to 1000000")):
            for entry in value["properties"]:
                if entry["name"] == "random.loss":
                    entry |= {"samples": 100000, "exceeding": 0, "delta": "1/2", "threshold": threshold}
            certificate.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")
            (self.repository / "sinkproof.toml").write_text(f"[gate]\n{limits}\n{asked}")
            result = self.gate(*arguments)
            self.assertEqual((result.returncode, word in result.stdout), (code, True), result.stdout)

    def test_nothing_but_its_own_folder_is_written(self):
        self.git("clean", "-qfdx")
        self.assertEqual(self.gate().returncode, 0)
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(sorted(p.name for p in (self.repository / "sinkproof-gate").iterdir()),
                         ["gate.json", "junit.xml", "results.sarif", "summary.md"])

    def test_the_gitlab_snippet(self):
        snippet = yaml.safe_load((EXAMPLE / ".gitlab-ci.yml").read_text())["sinkproof"]
        script = "\n".join(snippet["script"])
        env = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(self.scratch)}
        run = lambda: subprocess.run(["bash", "-eo", "pipefail", "-c", script], env=env,
                                     cwd=self.repository, capture_output=True, text=True).returncode
        self.assertEqual(run(), 0)
        self.assertTrue((self.repository / snippet["artifacts"]["reports"]["junit"]).is_file())
        self.edit("proofs/output-with-a-sink/theorem.identity.json", '["-", "v", "w"]',
                  '["+", "v", "w"]')
        self.assertEqual(run(), 3)


class Models(unittest.TestCase):
    """[[model]]: what a language model does on every sequence of a set."""

    setUp, git, commit, edit, gate, put_right = Gate.setUp, Gate.git, Gate.commit, Gate.edit, Gate.gate, Gate.put_right

    TABLE = """[[model]]
name = "sum"
model = "models/sum"
positions = ["0-12", "0-12", "13"]
answers = "0-12"
target = "sum 1,2 mod 13"
require = [
  "accuracy >= 1",
  "wrong <= 0",
  "margin >= 20.6",
  "attention.0.0.1 in [0.000005,0.99999385]",
]
"""
    NAMES = ["accuracy >= 1", "wrong <= 0", "margin >= 20.6", "attention.0.0.1 in [0.000005,0.99999385]"]

    def model(self, weights, name="sum"):
        done = subprocess.run([BIN / "sinkproof", "convert", SOURCE / f"examples/covers/{weights}.safetensors", "--folder",
                               "-o", self.repository / "models" / name, *(["--activation", "relu"] if weights == "sum" else [])],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def asked(self, text=TABLE):
        (self.repository / "sinkproof.toml").write_text(text)

    def findings(self, code, *arguments):
        done = self.gate("--format", "json", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return {finding["asked"]: finding for finding in json.loads(done.stdout)["findings"]}

    def only(self, code, *arguments):
        """The one finding, of a file that asks nothing."""
        finding, = self.findings(code, *arguments).values()
        return finding

    def accepted(self, text=TABLE):
        self.model("sum")
        self.asked(text)
        found = self.findings(0, "--update")
        self.commit("A model")
        return found

    def test_it_is_made_anew_then_checked(self):
        self.model("sum")
        self.asked()
        found = self.findings(4)
        for asked in self.NAMES:
            self.assertEqual((found[asked]["rule"], found[asked]["suite"]), ("SP1721", "models"))
        found = self.findings(0, "--update")
        self.assertEqual({finding["rule"] for finding in found.values()}, {"SP1718"})
        self.assertEqual(list(found), self.NAMES)
        found = self.findings(0, "--locked")
        certificate = (self.repository / "certificates/sum.json").read_bytes()
        lines = self.TABLE.splitlines()
        for asked, finding in found.items():
            self.assertEqual((finding["verdict"], finding["evidence"], finding["proved_again"]), ("proved", "exact", False))
            self.assertEqual(finding["certificate_sha256"], hashlib.sha256(certificate).hexdigest())
            self.assertIn(asked, lines[finding["location"]["line"] - 1])
            self.assertIn("over 169 sequences of 3 tokens", finding["message"])
        self.assertEqual(found["margin >= 20.6"]["lower"], "20.67696046")
        self.assertEqual((found["accuracy >= 1"]["lower"], found["accuracy >= 1"]["upper"]), ("1", "1"))

    def test_a_threshold_that_does_not_hold(self):
        self.accepted()
        for new, figure in (("margin >= 20.7", "margin.least in [20.67696046, 20.67696047]"), ("margin <= 23.7", "margin.greatest in [23.7964195, 23.79641951]"),
                            ("margin in [20,23]", "margin.greatest in ["), ("right <= 168", "right in [169, 169]"),
                            ("attention.0.0.1 <= 0.5", "attention.0.0.1.greatest in [0.9999938419, 0.999993842]")):
            self.asked(self.TABLE.replace("margin >= 20.6", new))
            found = self.findings(4, "--locked")  # 4: what is asked is not what was accepted
            self.assertEqual((found[new]["rule"], found[new]["subject"]), ("SP1711", "sum"))
            self.assertIn(f"{new} is false: ", found[new]["message"])
            self.assertIn(figure, found[new]["message"])
            self.assertEqual(self.findings(1, "--update")[new]["verdict"], "refuted")

    def test_thresholds_are_compared_exactly(self):
        self.accepted()
        certificate = json.loads((self.repository / "certificates/sum.json").read_text())
        least = next(one for one in certificate["statements"] if one["property"] == "margin")["least"]
        lower, upper = (Fraction(end) for end in least)
        tiny = Fraction(1, 10**40)
        decimal = lambda number: f"{number.numerator * 10**60 // number.denominator}e-60"
        for number, rule in ((lower, None), (lower + tiny, "SP1713"), (upper, "SP1713"), (upper + tiny, "SP1711")):
            self.assertEqual(Fraction(decimal(number).replace("e-60", "")) / 10**60, number)
            self.asked(self.TABLE.replace("margin >= 20.6", f"margin >= {decimal(number)}"))
            finding = self.findings({None: 0, "SP1713": 3, "SP1711": 1}[rule], "--update")[f"margin >= {decimal(number)}"]
            self.assertEqual(finding["rule"], rule)

    def test_another_model_and_other_inputs(self):
        self.accepted()
        self.model("maximum")
        found = self.findings(2, "--locked")
        self.assertEqual({(finding["rule"], finding["code"]) for finding in found.values()}, {("SP1719", "SP2009")})
        self.git("checkout", "-q", ".")
        weights = self.repository / "models/sum/model.safetensors"
        whole = bytearray(weights.read_bytes())
        whole[-1] ^= 0x80  # a sign
        weights.write_bytes(whole)
        finding = self.findings(4, "--locked")["accuracy >= 1"]
        self.assertEqual(finding["rule"], "SP1715")
        self.assertIn("other files", finding["message"])
        self.assertIn("files has gained", self.findings(4)["accuracy >= 1"]["message"])
        self.git("checkout", "-q", ".")
        for old, new, said in (('"0-12", "0-12", "13"', '"0-12", "=1", "13"', "other positions"), ('answers = "0-12"', 'answers = "0-13"', "other answers"),
                               ("mod 13", "mod 12", "another target")):
            self.edit("sinkproof.toml", old, new)
            self.assertIn(said, self.findings(4, "--locked")["accuracy >= 1"]["message"])
            self.git("checkout", "-q", ".")
        self.edit("sinkproof.toml", 'model = "models/sum"', 'model = "models/sum"\nfiles = "any"')
        self.findings(0, "--update")
        weights.write_bytes(whole)
        self.assertEqual({each["rule"] for each in self.findings(0).values()}, {"SP1718"})

    def test_a_certificate_that_was_edited_or_lacks_something(self):
        self.accepted()
        path = self.repository / "certificates/sum.json"
        certificate = json.loads(path.read_text())

        def write(value):
            path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")

        edited = json.loads(json.dumps(certificate))
        next(one for one in edited["statements"] if one["property"] == "margin")["least"] = ["21", "22"]
        write(edited)
        self.assertEqual({each["rule"] for each in self.findings(4, "--update").values()}, {"SP1712"})
        less = json.loads(json.dumps(certificate))
        less["statements"] = [one for one in less["statements"] if one["property"] != "attention"]
        write(less)
        self.assertIn("does not state attention.0.0.1.least", self.findings(4, "--locked")["accuracy >= 1"]["message"])
        self.assertEqual({each["rule"] for each in self.findings(0).values()}, {"SP1718"})
        nothing = json.loads(json.dumps(certificate))
        nothing["cover"] = {"verdict": "undecided"}
        nothing["statements"] = [{"property": "accuracy", "right": "0", "wrong": "0", "undecided": "169"}]
        write(nothing)
        self.assertIn("leaves 169 sequences undecided", self.findings(4, "--locked")["accuracy >= 1"]["message"])
        self.assertEqual({each["rule"] for each in self.findings(0, "--update").values()}, {"SP1718"})
        self.assertEqual(json.loads(path.read_text()), certificate)
        shutil.copy(self.repository / "certificates/trigger-head.json", path)
        self.assertIn("not a certificate of a cover", self.findings(4)["accuracy >= 1"]["message"])

    def test_what_is_refused(self):
        self.accepted()
        for old, new, rule, said in (
                ("answers =", "anwsers =", "SP1702", "field \"anwsers\" is unknown; did you mean field \"answers\"?"),
                ('name = "sum"', 'name = "A sum"', "SP1702", 'field "name" must be'),
                ("require = [", "require = []\nrequire2 = [", "SP1702", "require2"),
                ('positions = ["0-12", "0-12", "13"]', "positions = []", "SP1703", 'field "positions" is empty'),
                ('"models/sum"', '"/models/sum"', "SP1702", "relative to sinkproof.toml"),
                ("answers =", 'files = "all"\nanswers =', "SP1702", 'must be "any"'),
                ("answers =", "seconds = -1\nanswers =", "SP1702", '"seconds" must be from 0'),
                ("accuracy >= 1", "accuracy = 1", "SP1302", "write NAME<=NUMBER")):
            self.edit("sinkproof.toml", old, new)
            finding = self.only(2)
            self.assertIn(rule, (finding["rule"], finding["code"]))
            self.assertIn(said, finding["message"])
            self.git("checkout", "-q", ".")
        for old, new, code, said in (
                ("margin", "margins", "SP1302", '\"margins\" is not a property of a model; the properties of a model are accuracy,'),
                ("attention.0.0.1", "attention.0.9.1", "SP1302", "a layer from 0 to 0, a head from 0 to"),
                ("attention.0.0.1", "attention.0.0.4", "SP1302", "a position from 1 to 3"),
                ("margin", "logit.14", "SP1302", "not below the vocabulary of 14"),
                ("sum 1,2", "sums 1,2", "SP2009", "is not a rule"), ('"13"]', '"14"]', "SP2009", "not below the vocabulary"),
                ("models/sum", "models/no", "SP2004", "models/no")):
            self.edit("sinkproof.toml", old, new)
            found = self.findings(2, "--update")
            self.assertEqual({each["code"] for each in found.values()}, {code}, found)
            self.assertIn(said.replace('\\"', '"'), list(found.values())[0]["message"])
            self.git("checkout", "-q", ".")
        self.asked(self.TABLE + self.TABLE)
        self.assertIn("must differ from that of every other model", self.only(2)["message"])

    def test_a_target_in_a_table(self):
        (self.repository / "targets").mkdir()
        table = numpy.add.outer(numpy.arange(13), numpy.arange(13)) % 13
        numpy.save(self.repository / "targets/sum.npy", table.ravel())
        self.accepted(self.TABLE.replace("sum 1,2 mod 13", "table targets/sum.npy"))
        self.assertEqual({each["level"] for each in self.findings(0, "--only-changed", "HEAD").values()}, {"unchanged"})
        table[0, 0] = 1
        numpy.save(self.repository / "targets/sum.npy", table.ravel())
        found = self.findings(4, "--only-changed", "HEAD")
        self.assertEqual(found["accuracy >= 1"]["rule"], "SP1711")
        self.assertEqual(found["margin >= 20.6"]["rule"], "SP1711")
        self.assertIn("target_ids has changed", found["attention.0.0.1 in [0.000005,0.99999385]"]["message"])

    def test_the_folder_of_the_reports_is_not_the_models(self):
        self.model("sum")
        self.asked('[gate]\noutput = "models/sum/reports"\n' + self.TABLE)
        done = self.gate()
        self.assertEqual((done.returncode, "would mix reports" in done.stdout + done.stderr), (2, True), done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
