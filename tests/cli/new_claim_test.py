"""Writes claims as a user would: every kind of skeleton from new-claim to both checkers, and every mistake on the way.

usage: new_claim_test.py BIN_DIR SOURCE_DIR
"""
import json
import os
import re
import shutil
import subprocess
import unittest

from program import SOURCE, Case, run

SAY, SHOW, CLOSE, RUN = (f"step {k} of 4 in adding a claim: {word} it" for k, word in enumerate(("say", "show", "close", "run"), 1))
# kind: exit code of the uncorrected skeleton, error code, step, and what the message names
KINDS = {
    "identity": (3, "SP0714", SHOW, ('mine/theorem.identity.json: step "output"', "left - right is -2*p*w")),
    "implication": (3, "SP0714", SHOW, ('mine/theorem.implication.json: step "conclusion"', "leaves -eta + 1/10")),
    "smt": (3, "SP0705", SHOW, ('mine/theorem.smt2: step "conclusion"', "false", "mutant")),
    "construction": (3, "SP0716", SHOW, ('mine/theorem.construction.json: step "model"', "sup_loss must be 0")),
    "checkpoint": (1, "SP0611", CLOSE, ('claim.toml: [checkpoint]: field "require"', "sup-loss<=0.001 is refuted", "is in [0.00")),
}


class Repository(Case):
    """A user's own repository: an empty folder that is not this project's."""

    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ)

    def run_program(self, *arguments, program="sinkproof"):
        return run(*arguments, program=program, cwd=self.folder, env=self.environment)

    def new(self, kind, *more):
        result = self.run_program("new-claim", "mine", "--kind", kind, *more)
        self.assertEqual(result[0], 0, result)
        return result[1]

    def path(self, name):
        return self.folder / "proofs" / "mine" / name

    def correct(self):
        """Does what the skeleton's README says, by the very command it gives."""
        command, = re.findall(r"^ {7}(sed -i .*)$", self.path("README.md").read_text(), re.M)
        subprocess.run(command, shell=True, check=True, cwd=self.folder)

    def prove(self):
        return self.run_program("prove", "mine")

    def edit(self, name, before, after):
        text = self.path(name).read_text()
        self.assertIn(before, text)
        self.path(name).write_text(text.replace(before, after))


class Skeletons(Repository):
    def test_fails_teaches_and_is_proved(self):
        for kind, (exit_code, code, step, names) in KINDS.items():
            with self.subTest(kind):
                self.setUp()
                stdout = self.new(kind)
                files = sorted(str(path.relative_to(self.folder)) for path in (self.folder / "proofs").rglob("*") if path.is_file())
                self.assertEqual(sorted(re.findall(r"^  (proofs/mine/\S+)$", stdout, re.M)), files)
                self.assertIn("next, run: sinkproof prove mine\n", stdout)
                status, stdout, stderr = self.prove()
                self.assertEqual(status, exit_code, stderr)
                self.assertIn(f"error {code}  ", stderr)
                self.assertTrue(stderr.endswith(f"({step})\n"), stderr)
                for name in names:
                    self.assertIn(name, stderr)
                certificate = self.folder / "certificates" / "mine.json"
                self.assertEqual(certificate.exists(), kind == "checkpoint")
                self.correct()
                status, stdout, stderr = self.prove()
                self.assertEqual((status, stderr), (0, ""))
                self.assertRegex(stdout, r"mine +proved +" + ("smt" if kind == "smt" else "exact") + " ")
                self.check(kind, certificate)

    def check(self, kind, certificate):
        arguments = ["--models", "proofs/mine"] if kind == "checkpoint" else []
        for program in ("sinkproof-check", "recheck"):
            trusting = self.run_program(*arguments, "--accept", "smt", certificate, program=program)
            self.assertEqual(trusting[0], 0, trusting)
            self.assertEqual(self.run_program(*arguments, certificate, program=program)[0], 3 if kind == "smt" else 0)

    def test_the_same_elsewhere(self):
        """--proofs names another folder: the README's commands name it too."""
        self.run_program("new-claim", "mine", "--proofs", "claims", "--kind", "identity")
        text = (self.folder / "claims" / "mine" / "README.md").read_text()
        self.assertIn("sinkproof prove mine --proofs claims`", text)
        command, = re.findall(r"^ {7}(sed -i .*)$", text, re.M)
        subprocess.run(command, shell=True, check=True, cwd=self.folder)
        self.assertEqual(self.run_program("prove", "mine", "--proofs", "claims")[0], 0)
        self.assertEqual(self.run_program("--claims", "claims", "certificates/mine.json", program="sinkproof-check")[0], 0)

    def test_nothing_is_overwritten(self):
        self.new("identity")
        self.edit("claim.toml", "source", "# mine\nsource")
        before = {path: path.read_bytes() for path in (self.folder / "proofs").rglob("*") if path.is_file()}
        refused = {
            ("mine",): ("SP1311", "proofs/mine"), ("mine", "--kind", "smt"): ("SP1311", "proofs/mine"), ("Mine",): ("SP1310", "Mine"),
            ("../mine",): ("SP1310", "../mine"), ("theory",): ("SP1310", "theory"), ("other", "--kind", "coq"): ("SP1312", "coq"),
            ("other", "--proofs", "/proc/none"): ("SP1313", "/proc/none"),
            ("other", "--proofs", "proofs/mine/claim.toml"): ("SP1313", "proofs/mine/claim.toml"),
        }
        for arguments, (code, name) in refused.items():
            status, stdout, stderr = self.run_program("new-claim", *arguments)
            self.assertEqual((status, stdout), (2, ""), stderr)
            self.assertRegex(stderr, f"^error {code}  .*{re.escape(name)}.*\\({SAY}\\)\n$")
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}, before)

    def test_json(self):
        report = json.loads(self.new("smt", "--format", "json"))
        self.assertEqual(report, {"schema": 1, "claim": "mine", "kind": "smt", "folder": "proofs/mine", "next": "sinkproof prove mine",
                                  "files": ["README.md", "claim.toml", "theorem.mutant.smt2", "theorem.smt2"]})
        status, stdout, _ = self.run_program("prove", "mine", "--format", "json")
        row, = json.loads(stdout)["claims"]
        self.assertEqual((status, row["code"], row["authoring_step"], row["verdict"]), (3, "SP0705", 2, "unknown"))

    def test_two_lemmas_close_a_claim(self):
        """A claim of SMT-LIB lemmas alone: the one that says names states it, the other is a lemma."""
        self.new("smt")
        self.correct()
        for end in (".smt2", ".mutant.smt2"):
            shutil.copy(self.path("theorem" + end), self.path("lemma" + end))
        step = '\n[[step]]\nname = "lemma"\nrule = "smt"\nfile = "lemma.smt2"\nestablishes = "it"\nrelies_on = []\n'
        self.path("claim.toml").write_text(self.path("claim.toml").read_text() + step)
        self.assertEqual(self.prove()[0], 0)
        status, stdout, _ = self.run_program("--accept", "smt", "certificates/mine.json", program="sinkproof-check")
        self.assertEqual((status, stdout[:12]), (0, "proved (smt)"))
        status, stdout, _ = self.run_program("--accept", "coq", "certificates/mine.json", program="sinkproof-check")
        self.assertEqual((status, stdout[:7]), (3, "unknown"))


class Example(Repository):
    """examples/own-claim: a claim of each kind, in a repository that holds nothing else."""

    def test_is_proved_again_byte_for_byte_and_accepted(self):
        shutil.rmtree(self.folder)
        shutil.copytree(SOURCE / "examples" / "own-claim", self.folder)
        committed = {path: path.read_bytes() for path in (self.folder / "certificates").iterdir()}
        claims = sorted(path.name for path in (self.folder / "proofs").iterdir())
        self.assertEqual(sorted(path.stem for path in committed), claims)
        for path in committed:
            path.unlink()
        status, stdout, stderr = self.run_program("prove", "--all", "--format", "json")
        self.assertEqual((status, stderr), (0, ""))
        evidence = {row["claim"]: row["evidence"] for row in json.loads(stdout)["claims"]}
        self.assertEqual((sorted(evidence), sorted(evidence.values())), (claims, ["exact"] * 4 + ["smt"]))
        self.assertEqual({path: path.read_bytes() for path in committed}, committed)
        for program in ("sinkproof-check", "recheck"):
            result = self.run_program("--models", "models", "--accept", "smt", *sorted(committed), program=program)
            self.assertEqual(result[0], 0, result)
        for name in claims:
            self.assertEqual(self.run_program("explain", name)[0], 0)
        result = self.run_program("report", "--accept", "smt", "--models", "models", *sorted(committed), "-o", "page.html")
        self.assertEqual(result[0], 0, result)


class Checkpoints(Repository):
    def setUp(self):
        super().setUp()
        self.new("checkpoint")
        self.correct()

    def test_the_certificate_is_the_one_certify_writes(self):
        self.assertEqual(self.prove()[0], 0)
        self.assertEqual(self.run_program("certify", self.path("model.safetensors"), "-o", "own.json")[0], 0)
        self.assertEqual((self.folder / "certificates" / "mine.json").read_bytes(), (self.folder / "own.json").read_bytes())

    def say(self, threshold):
        """One sentence, said by this threshold."""
        path = self.path("claim.toml")
        sentence = f'[[sentence]]\ntext = "It is so."\nsays = ["{threshold}"]\n\n'
        first, *more = re.findall(r"\[\[sentence\]\].*?\n\n", path.read_text(), re.S)
        text = path.read_text().replace(first, sentence)
        for other in more:
            text = text.replace(other, "")
        path.write_text(text)

    def bounds(self, name):
        _, stdout, _ = self.run_program("certify", self.path("model.safetensors"), "--property", name, "--format", "json")
        found, = [item for item in json.loads(stdout)["properties"] if item["name"] == name]
        return float(found["lower"]), float(found["upper"])

    def test_thresholds(self):
        """prove, certify --require and explain say the same of a threshold."""
        lower, upper = self.bounds("sup-loss.trigger")
        self.assertLess(lower, upper)
        for text, exit_code, verdict in ((f"sup-loss.trigger<={(lower + upper) / 2:.17f}", 3, "unknown"),
                                         (f"sup-loss.trigger<={upper * 1.001:.17f}", 0, "proved"),
                                         (f"sup-loss.trigger<={lower * 0.999:.17f}", 1, "refuted"),
                                         ("bos-floor.pre in [0.99,1]", 0, "proved"), ("bos-floor.post>=0.9999999", 1, "refuted"),
                                         ("bos-floor>=0.99", 1, "refuted"), ("bos-floor>=0.00004", 0, "proved")):
            with self.subTest(text):
                self.setUp()
                self.edit("claim.toml", 'require = ["sup-loss<=0.003", "bos-floor.pre>=0.99", "bos-floor.post>=0.99"]', f'require = ["{text}"]')
                self.say(text)
                status, stdout, stderr = self.prove()
                self.assertEqual(status, exit_code, stderr)
                self.assertRegex(stdout, f"mine +{verdict} ")
                self.assertEqual("SP0611" in stderr, exit_code != 0)
                certified = self.run_program("certify", self.path("model.safetensors"), "--require", text)
                self.assertEqual(certified[0], exit_code, certified)
                status, stdout, stderr = self.run_program("explain", "mine", "--format", "json")
                self.assertEqual((status, json.loads(stdout)["verdict"]), (exit_code, verdict), stderr)
        self.assertIn("bos-floor.pre is in [", self.run_program("explain", "mine")[1])

    def test_a_part_the_certificate_does_not_state_is_not_decided(self):
        """bos-floor means all its rows: a certificate of some of them does not show it."""
        self.path("claim.toml").write_text(re.sub(r"require = \[.*?\]", 'require = ["bos-floor>=0.5"]',
                                                  self.path("claim.toml").read_text(), flags=re.S))
        self.say("bos-floor>=0.5")
        (self.folder / "certificates").mkdir(exist_ok=True)
        status, _, stderr = self.run_program("certify", "proofs/mine/model.safetensors", "--property", "bos-floor.pre",
                                             "-o", "certificates/mine.json")
        self.assertEqual(status, 0, stderr)
        status, stdout, stderr = self.run_program("explain", "mine")
        self.assertNotEqual(status, 0, stdout)
        self.assertIn("SP0801", stderr)
        self.assertIn("does not state bos-floor.trigger", stderr)

    def test_a_stale_certificate_is_noticed(self):
        self.assertEqual(self.run_program("explain", "mine")[0], 2)  # none yet
        self.assertEqual(self.prove()[0], 0)
        self.edit("claim.toml", "[checkpoint]", "[checkpoint]\nlength = 6")
        self.assertEqual(self.run_program("explain", "mine")[0], 0)  # a longer one is about it
        self.edit("claim.toml", "length = 6", "length = 9")
        status, _, stderr = self.run_program("explain", "mine")
        self.assertEqual((status, "error SP0801" in stderr), (2, True), stderr)
        self.assertEqual(self.prove()[0], 0)
        self.assertEqual(self.run_program("explain", "mine")[0], 0)


def toml(before, after):
    return lambda test: test.edit("claim.toml", before, after)


def evidence(name, before, after):
    return lambda test: test.edit(name, before, after)


def both_lemmas(before, after):
    return lambda test: [test.edit(f"theorem{end}.smt2", before, after) for end in ("", ".mutant")]


def write(name, text):
    return lambda test: test.path(name).write_text(text)


def solver(text):
    """A cvc5 that answers with `text`, whatever it is asked."""
    def change(test):
        program = test.folder / "bin" / "cvc5"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho {text}\n")
        program.chmod(0o755)
        test.environment["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    return change


def no_programs(test):
    test.environment["PATH"] = str(test.folder)


def coq(text, theory=True, statement="Definition main : Prop :=\n  1 + 1 = 2.\n"):
    """The identity's claim said and proved in Coq instead."""
    def change(test):
        if theory:
            (test.folder / "proofs" / "theory").mkdir()
            (test.folder / "proofs" / "theory" / "shared.v").write_text("Definition one := 1.\n")
        test.path("theorem.identity.json").unlink()
        test.path("statement.v").write_text(statement)
        test.path("main.v").write_text(text)
        words = test.path("claim.toml").read_text()
        words = re.sub(r"\[\[sentence\]\].*?\n\n", '[[sentence]]\ntext = "Two."\nsays = ["main"]\n\n', words, flags=re.S)
        said = '[[step]]\nname = "said"\nrule = "coq-statement"\nfile = "statement.v"\nestablishes = "e"\nrelies_on = []\n\n[[step]]'
        words = words.replace("\n[[step]]", "\n" + said, 1)
        test.path("claim.toml").write_text(words)
        test.edit("claim.toml", 'rule = "polynomial-identity"\nfile = "theorem.identity.json"', 'rule = "coq-theorem"\nfile = "main.v"')
    return change


def said_anew(test):
    coq(PROOF)(test)
    test.assertEqual(test.prove()[0], 0)
    test.edit("statement.v", "1 + 1 = 2", "1 + 1 = 1 + 1")


def truncated(test):
    path = test.path("model.safetensors")
    path.write_bytes(path.read_bytes()[:-1])


IMPORT = "From Claim Require Import statement.\n"
PROOF = IMPORT + "Theorem main : statement.main.\nProof. reflexivity. Qed.\nPrint Assumptions main.\n"
UNIQUE = "Definition main : Prop :=\n  1 + 1 = 2.\n"
AXIOM = (IMPORT + "Variable f : 1 + 1 = 2.\nTheorem main : statement.main.\nProof. exact f. Qed.\nPrint Assumptions main.\n")
HIDDEN = "Inductive hidden : Prop := it.\n\nDefinition main : Prop :=\n  hidden.\n"
FEW = "Definition main : Prop :=\n  forall x : nat, x < x -> 1 + 1 = 2.\n"
# kind, mistake, exit code, error code, step, and a text the message must hold
MISTAKES = [
    ("identity", write("my notes.txt", "x"), 2, "SP0501", SAY, "my notes.txt"),
    ("identity", toml('id = "mine"', 'id = mine'), 2, "SP0601", SAY, "mine/claim.toml: is not TOML: "),
    ("identity", toml("title = ", "titel = "), 2, "SP0602", SAY, 'field "titel" is unknown; field "title" is missing'),
    ("identity", toml("establishes = ", "shows = "), 2, "SP0602", SAY, 'step 1: field "shows" is unknown; field "establishes" is missing'),
    ("identity", toml('id = "mine"', 'id = "yours"'), 2, "SP0602", SAY, 'claim.toml: field "id"'),
    ("identity", toml('rule = "polynomial-identity"', 'rule = "smt"'), 2, "SP0603", SAY, 'step 1 "output": field "rule"'),
    ("identity", toml("relies_on = []", 'relies_on = ["lemma"]'), 2, "SP0603", SAY, 'step "output": field "relies_on"'),
    ("identity", lambda test: test.path("theorem.identity.json").unlink(), 2, "SP0603", SAY, 'theorem.identity.json: step "output": the file is missing'),
    ("identity", lambda test: write("claim.toml", test.path("claim.toml").read_text().split("# One")[0])(test), 2, "SP0604", SAY, "claim.toml: has neither [[step]]"),
    ("identity", write("notes.txt", "x"), 2, "SP0605", SAY, "no step names the file notes.txt"),
    ("identity", lambda test: test.path("claim.toml").unlink(), 2, "SP0607", SAY, 'claim "mine"'),
    ("identity", evidence("theorem.identity.json", '"scope": "all",', '"scope": "all",,'), 3, "SP0301", SHOW, 'theorem.identity.json: step "output"'),
    ("identity", evidence("theorem.identity.json", '"scope"', '"range"'), 2, "SP0503", SHOW, "scope"),
    ("identity", evidence("theorem.identity.json", '"p", "v", "w"]', '"p", "w"]'), 2, "SP0504", SHOW, "theorem.identity.json"),
    ("identity", evidence("theorem.identity.json", '["-", "1", "p"]', '["-", "1/1", "p"]'), 3, "SP0101", SHOW, "theorem.identity.json"),
    ("identity", toml('says = ["theorem.identity.json"]', 'says = [ "theorem.identity.json" ]'), 2, "SP0612", SAY, "says"),
    ("implication", evidence("theorem.implication.json", '"2", "factors": ["small"]', '"-2", "factors": ["small"]'), 3, "SP0714", SHOW, "must be positive"),
    ("implication", evidence("theorem.implication.json", '"witness": {"b": "1"', '"witness": {"b": "0"'), 3, "SP0714", SHOW, "the witness violates forced"),
    ("implication", evidence("theorem.implication.json", '"relation": ">="}\n },', '"relation": ">"}\n },'), 3, "SP0714", SHOW, "the conclusion is strict"),
    ("smt", both_lemmas("(* 10 eta)", "(/ eta 1)"), 3, "SP0702", SHOW, 'theorem.smt2: step "conclusion": division'),
    ("smt", both_lemmas("(* 10 eta)", "(* 10 eps)"), 3, "SP0702", SHOW, "the word eps"),
    ("smt", both_lemmas("(check-sat)", "(check-sat)(exit)"), 3, "SP0702", SHOW, "theorem.smt2"),
    ("smt", lambda test: test.path("theorem.mutant.smt2").unlink(), 3, "SP0703", SHOW, "theorem.mutant.smt2 is missing"),
    ("smt", evidence("theorem.mutant.smt2", "10 eta) 1", "10 eta) 2"), 3, "SP0703", SHOW, "command "),
    ("smt", solver("sat"), 5, "SP0704", RUN, "cvc5 says sat"),
    ("smt", both_lemmas("(assert (>= b", "(assert (< b 0))(assert (>= b"), 3, "SP0706", SHOW, "vacuous"),
    ("smt", solver("unknown"), 3, "SP0707", SHOW, "cvc5 says unknown"),
    ("smt", no_programs, 3, "SP0708", RUN, "cvc5"),
    ("smt", both_lemmas("(* 10 eta)", "(not eta)"), 3, "SP0709", SHOW, "Z3:"),
    ("identity", coq(PROOF.replace("reflexivity", "auto with none")), 3, "SP0710", SHOW, 'main.v: step "output": coqc fails'),
    ("identity", coq(PROOF, theory=False), 3, "SP0710", SHOW, "proofs"),
    ("identity", coq("Axiom f : False.\n" + PROOF), 3, "SP0711", SHOW, "the command Axiom"),
    ("identity", coq(AXIOM, statement=UNIQUE), 3, "SP0713", SHOW, "axiom"),
    ("identity", toml('says = ["theorem.identity.json"]', 'says = ["theorem.json"]'), 2, "SP0612", SAY, "theorem.json"),
    ("identity", coq(PROOF, statement="Lemma easy : True. Proof. exact I. Qed.\n" + UNIQUE), 3, "SP0719", SHOW, "Lemma easy"),
    ("identity", coq(PROOF, statement="Definition S (n : nat) := n.\n\nDefinition main : Prop :=\n  1 + 1 = 2.\n"), 3, "SP0720", SHOW, "S has a meaning already"),
    ("identity", coq(PROOF.replace("Print", "Check")), 3, "SP0721", SHOW, "no proof file ends with Print Assumptions main."),
    ("identity", coq(PROOF.replace("statement.main", "1 + 0 = 1")), 3, "SP0721", SHOW, "is not what statement.main says"),
    ("identity", coq(PROOF.replace("reflexivity", "intros x H. reflexivity"), statement=FEW), 3, "SP0722", SHOW, "no theorem main_instance"),
    ("identity", coq(PROOF.replace("reflexivity", "constructor"), statement=HIDDEN), 3, "SP0723", SHOW, "may hide a hypothesis"),
    ("identity", said_anew, 3, "SP0724", SAY, "statement.v"),
    ("identity", lambda test: (coq(PROOF)(test), no_programs(test)), 3, "SP0701", RUN, "coqc: is not installed"),
    ("construction", evidence("theorem.construction.json", '"pre": ["0", "0"]', '"pre": ["0", "1"]'), 3, "SP0716", SHOW, "bos_attention.pre[1] must be 0"),
    ("checkpoint", toml("[checkpoint]", '[[step]]\nname = "a"\n[checkpoint]'), 2, "SP0608", SAY, "claim.toml"),
    ("checkpoint", toml("[checkpoint]", '[checkpoint]\nattention = "cosine"'), 2, "SP0609", SAY, '[checkpoint]: field "attention"'),
    ("checkpoint", toml("[checkpoint]", f'[checkpoint]\nsha256 = "{"0" * 64}"'), 2, "SP0610", SHOW, "mine/model.safetensors: "),
    ("checkpoint", toml("bos-floor.pre>=0.99", "bos-floor.pre>=1"), 1, "SP0611", CLOSE, "bos-floor.pre>=1 is refuted: certified bos-floor.pre is in ["),
    ("checkpoint", toml("sup-loss<=", "sup-loss<"), 2, "SP1302", SAY, 'claim.toml: [checkpoint]: field "require"'),
    ("checkpoint", toml("sup-loss<=", "sub-loss<="), 2, "SP1302", SAY, 'claim.toml: [checkpoint]: field "require" "sub-loss<=0.003": this model has no property sub-loss'),
    ("checkpoint", lambda test: test.path("model.safetensors").unlink(), 2, "SP0201", SHOW, "mine/model.safetensors"),
    ("checkpoint", truncated, 2, "SP0403", SHOW, "mine/model.safetensors"),
    ("checkpoint", toml("[checkpoint]", '[checkpoint]\nattention = "softmax-gated"'), 2, "SP1103", SHOW, "W_G"),
    ("checkpoint", write("notes.txt", "x"), 2, "SP0605", SAY, "notes.txt"),
]
# SP0606 and SP0717 have tests below. SP0718 is for programs that call prove without a checker.


class Mistakes(Repository):
    """One mistake in a corrected skeleton: the code, the file or field, and the step to go back to."""

    def test_table(self):
        for kind, mistake, exit_code, code, step, text in MISTAKES:
            with self.subTest(f"{code} {text}"):
                self.setUp()
                self.new(kind)
                self.correct()
                mistake(self)
                status, _, stderr = self.prove()
                line, = [line for line in stderr.splitlines() if re.match(r"(error|note) SP", line)]
                self.assertRegex(line, f"^(error|note) {code}  ", stderr)
                self.assertEqual(status, exit_code, stderr)
                self.assertIn("mine", line)
                self.assertIn(text, stderr)
                self.assertIn(f"({step})", stderr)

    def test_the_table_has_every_code_of_claims(self):
        documented = set(re.findall(r"^\| (SP0[67][0-9]{2}) ", (SOURCE / "docs" / "ERRORS_CLAIMS.md").read_text(), re.M))
        tested = {code for _, _, _, code, _, _ in MISTAKES} | {code for _, code, _, _ in KINDS.values()}
        self.assertEqual(documented - tested, {"SP0606", "SP0613", "SP0712", "SP0717", "SP0718"})

    def test_no_claims(self):
        (self.folder / "proofs").mkdir()
        status, _, stderr = self.run_program("prove", "--all")
        self.assertRegex(stderr, rf"^error SP0606  proofs: .*\({SAY}\)\n$")
        self.assertEqual(status, 2)

    def test_prose_and_bounded_claims_say_what_is_missing(self):
        self.new("construction")
        self.correct()
        self.edit("theorem.construction.json", '"scope": "all"', '"scope": "L = 4"')
        status, _, stderr = self.prove()
        self.assertEqual((status, stderr), (3, f"note  proofs/mine: bounded: theorem.construction.json holds for the listed sizes only ({CLOSE})\n"))
        self.path("theorem.construction.json").rename(self.path("why.prose.md"))
        self.edit("claim.toml", "theorem.construction.json", "why.prose.md")
        self.edit("claim.toml", 'rule = "construction"', 'rule = "prose"')
        status, _, stderr = self.prove()
        self.assertEqual((status, stderr), (3, f'note  proofs/mine: holey: step "model": is prose ({CLOSE})\n'))

    def test_a_construction_beyond_the_doubles(self):
        self.new("construction")
        self.correct()
        self.edit("theorem.construction.json", '"noise": "1"', f'"noise": "1{"0" * 400}"')
        status, _, stderr = self.prove()
        loss, = re.findall(r"sup_loss must be ([0-9/]+)", stderr)
        self.edit("theorem.construction.json", '"sup_loss": "0"', f'"sup_loss": "{loss}"')
        self.assertEqual(self.prove()[0], 0)
        status, _, stderr = self.run_program("construct", self.path("theorem.construction.json"), "-o", "m.safetensors")
        self.assertRegex(stderr, rf"^error SP0717  .*theorem.construction.json.*\({SHOW}\)\n$")
        self.assertEqual((status, (self.folder / "m.safetensors").exists()), (2, False))


if __name__ == "__main__":
    unittest.main()
