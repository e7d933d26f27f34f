#!/usr/bin/env python3
"""The two checkers agree at the borders: python3 tests/recheck/borders_test.py FOLDER-OF-SINKPROOF-CHECK

What a claim folder, a safetensors header or a step's path may look like. Each case is a
small change to something both checkers accept, and the exit code that the format pages give it.
"""

import copy
import hashlib
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import types
import unittest
import unittest.mock

from layer_test import make
from recheck_test import Case, SCRIPT, canonical, recheck, safetensors

PROGRAM = ""


def checkers():
    """The commands of those that are built: sinkproof-check, recheck, and the proved checker."""
    proved = [os.path.join(PROGRAM, "sinkproof-check-verified")]
    return [[os.path.join(PROGRAM, "sinkproof-check")], [sys.executable, SCRIPT]] + [proved] * os.path.exists(proved[0])


IDENTITY = {"scope": "all", "variables": ["x"],
            "identities": [{"name": "square", "left": ["^", ["+", "x", "1"], 2], "right": ["+", ["^", "x", 2], ["*", "2", "x"], "1"]}]}
STATEMENT = b"Definition t : Prop :=\n  True.\n"
PROOF = b"Theorem t : True.\nProof. exact I. Qed.\nPrint Assumptions t.\n"
HYPOTHESIS = {"name": "h", "polynomial": "x", "relation": ">"}


def sum_of(count):
    return ["+", *(f"x{i:02}" for i in range(count))]


def implication(hypothesis, multiplier, variables=("x",)):
    """h > 0 implies h > 0, shown with `multiplier` factors h too many on both sides."""
    statement = {"scope": "all", "variables": list(variables), "hypotheses": [{**HYPOTHESIS, "polynomial": hypothesis}],
                 "conclusion": {"polynomial": hypothesis, "relation": ">"}}
    evidence = {"multiplier": {"coefficient": "1", "factors": ["h"] * multiplier}, "cofactors": [],
                "terms": [{"coefficient": "1", "factors": ["h"] * (multiplier + 1), "square": "1"}],
                "witness": {x: "1" for x in variables}}
    return statement, evidence


class Toy(Case):
    """A folder with a claim of its own."""

    def setUp(self):
        super().setUp()
        self.claim = os.path.join(self.folder, "proofs", "toy")
        self.write("proofs/theory/base.v", b"Definition one := 1.\n")
        shutil.copytree(os.path.join(self.options.claims, "checkpoint"), os.path.join(self.folder, "proofs", "checkpoint"))

    def theory(self, files, steps, verdict="proved"):
        """A certificate about the toy claim with these files, which says a file called theorem, else the sentence t."""
        said = next((name for name in files if name.startswith("theorem.")), "t")
        files = {"claim.toml": f'says = ["{said}"]\n'.encode(), **files}
        for name, data in files.items():
            self.write("proofs/toy/" + name, data)
        digest = b"".join(sorted(name.encode() + b"\0" + hashlib.sha256(data).hexdigest().encode() + b"\n" for name, data in files.items()))
        steps = sorted(steps, key=lambda step: step["file"].encode())
        return {"format": 1, "kind": "theory", "claim": "toy", "claim_sha256": hashlib.sha256(digest).hexdigest(), "steps": steps, "verdict": verdict}

    def identity(self, text=None):
        data = canonical({"statement": IDENTITY}) if text is None else text
        return self.theory({"theorem.identity.json": data}, [{"file": "theorem.identity.json", "rule": "polynomial-identity", "statement": IDENTITY}])

    def implication(self, statement, evidence):
        return self.theory({"theorem.implication.json": canonical({"statement": statement})},
                           [{"file": "theorem.implication.json", "rule": "implication", "statement": statement, "evidence": evidence}])

    def model(self, data):
        for name in os.listdir(self.folder):
            if name.endswith(".safetensors"):
                os.remove(os.path.join(self.folder, name))
        self.write("it.safetensors", data)
        return hashlib.sha256(data).hexdigest()


class Borders(Toy):
    def both(self, value, code, *arguments, before=None):
        """Both checkers end with this exit code on the certificate."""
        path = self.write("certificates/it.json", value if type(value) is bytes else canonical(value))
        common = ["--quiet", "--claims", os.path.join(self.folder, "proofs"), "--models", self.folder, *arguments, path]
        for checker in ([os.path.join(PROGRAM, "sinkproof-check")], [sys.executable, SCRIPT]):
            ended = subprocess.run(checker + [x for x in common if x != "--quiet"], capture_output=True, text=True, timeout=300, preexec_fn=before)
            self.assertEqual(ended.returncode, code, f"{checker[-1]}: {ended.stdout} {ended.stderr}")

    # -- theory ------------------------------------------------------------------------------------------------

    def test_files_of_a_folder(self):
        value = self.identity()
        self.both(value, 0)
        for name, code in (("README.md", 0), ("a b.vo", 0), ("\u00fc.glob", 0), (".x y.aux", 0), (".lia.cache", 0), ("a b.v", 4), ("more.txt", 4), ("x.aux", 4)):
            with self.subTest(name):
                path = self.write("proofs/toy/" + name, b"something")
                self.both(value, code)
                os.remove(path)
        for name in ("README.md", "x.vo", ".lia.cache", "plain"):
            with self.subTest(f"a link called {name}"):
                path = os.path.join(self.claim, name)
                os.symlink("claim.toml", path)
                self.both(value, 4)
                os.remove(path)
        for name, code in (("empty", 0), ("README.md", 0), ("a b", 4), ("x y.vo", 4)):
            with self.subTest(f"a folder called {name}"):
                os.mkdir(os.path.join(self.claim, name))
                self.both(value, code)
                os.rmdir(os.path.join(self.claim, name))
        os.mkfifo(os.path.join(self.claim, "x.vo"))
        self.both(value, 4)

    def test_a_linked_folder(self):
        theory = recheck.hashes.claim_hash(os.path.join(self.folder, "proofs", "theory"))
        step = {"file": "a.v", "rule": "coq-theorem", "theory_sha256": theory, "theorems": ["t"], "assumptions": []}
        statement = {"file": "statement.v", "rule": "coq-statement", "sha256": recheck.hashes.hash_of(STATEMENT), "sentences": ["t"], "definitions": []}
        value = self.theory({"a.v": PROOF, "statement.v": STATEMENT}, [step, statement])
        self.both(value, 0, "--accept", "coq")
        elsewhere = os.path.join(self.folder, "elsewhere")
        os.makedirs(os.path.join(elsewhere, "theory"))
        os.rename(self.claim, os.path.join(elsewhere, "toy"))
        os.symlink(os.path.join(elsewhere, "toy"), self.claim)
        self.both(value, 4, "--accept", "coq")
        os.remove(self.claim)
        os.rename(os.path.join(elsewhere, "toy"), self.claim)
        self.both(value, 0, "--accept", "coq")
        os.rename(os.path.join(self.folder, "proofs", "theory"), os.path.join(elsewhere, "real"))
        os.symlink(os.path.join(elsewhere, "real"), os.path.join(self.folder, "proofs", "theory"))
        self.both(value, 4, "--accept", "coq")

    def test_what_bears_the_name_of_a_claim(self):
        """The first place that holds anything of that name counts, and is rejected unless it is a folder."""
        layer = make("softmax-null", 1, n=4, length=4)
        self.model(layer.file())
        path = self.write("bundle/certificates/it.json", canonical(layer.certificate()))
        place = os.path.join(self.folder, "bundle", "proofs", "checkpoint")
        os.mkdir(os.path.dirname(place))
        real = os.path.join(self.folder, "proofs", "checkpoint")
        cases = ((None, 0), (lambda: os.symlink("nothing", place), 4), (lambda: os.symlink(path, place), 4), (lambda: os.symlink(real, place), 4),
                 (lambda: self.write("bundle/proofs/checkpoint", b"text"), 4), (lambda: os.mkfifo(place), 4), (lambda: os.mkdir(place), 4))
        for number, (make_it, code) in enumerate(cases):
            if make_it:
                make_it()
            for checker in checkers():
                with self.subTest(number, checker=checker[-1]):
                    ended = subprocess.run([*checker, "--models", self.folder, path], capture_output=True, text=True, cwd=self.folder)
                    self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
            if make_it:
                (os.rmdir if os.path.isdir(place) and not os.path.islink(place) else os.remove)(place)

    def test_what_was_hashed_is_what_is_read(self):
        """Of recheck: a claim's folder is read once, and a model that changes behind its hash is not found."""
        options = types.SimpleNamespace(models=self.folder, claims=os.path.join(self.folder, "proofs"), accept={"coq"})
        statement = {"file": "statement.v", "rule": "coq-statement", "sha256": recheck.hashes.hash_of(STATEMENT), "sentences": ["t"], "definitions": []}
        theory = recheck.hashes.claim_hash(os.path.join(self.folder, "proofs", "theory"))
        proof = {"file": "a.v", "rule": "coq-theorem", "theory_sha256": theory, "theorems": ["t"], "assumptions": []}
        square = {"file": "theorem.identity.json", "rule": "polynomial-identity", "statement": IDENTITY}
        files = {"a.v": PROOF, "statement.v": STATEMENT, "theorem.identity.json": canonical({"statement": IDENTITY})}
        path = self.write("certificates/it.json", canonical(self.theory(files, [proof, statement, square])))
        real = recheck.theory.certificate.check_claim_hash

        def check_claim_hash(*arguments):
            found = real(*arguments)
            shutil.rmtree(self.claim)
            return found
        with unittest.mock.patch.object(recheck.theory.certificate, "check_claim_hash", check_claim_hash):
            self.assertEqual(recheck.check.check_file(path, options)[0], 0)
        layer = make("softmax-null", 1, n=4, length=4)
        self.model(layer.file())
        model = os.path.join(self.folder, "it.safetensors")
        path = self.write("certificates/it.json", canonical(layer.certificate()))
        self.assertEqual(recheck.check.check_file(path, options)[0], 0)

        def file_hash(path, real=recheck.hashes.file_hash.__wrapped__):
            digest = real(path)
            data = layer.file()
            with open(model, "wb") as file:
                file.write(data[:-1] + bytes([data[-1] ^ 1]))  # of a weight
            return digest
        with unittest.mock.patch.object(recheck.hashes, "file_hash", file_hash):
            ended, result = recheck.check.check_file(path, options)
        self.assertEqual((ended, "no model with SHA-256" in result["reason"]), (2, True), result)

    def test_numbers_of_a_claims_file(self):
        statement = json.dumps(IDENTITY)
        for more, code in (('"note": 0', 0), ('"note": -1', 0), ('"note": -0', 4), ('"note": 1.0', 4), ('"note": "\\ud800"', 4), ('"statement": 0', 4)):
            with self.subTest(more):
                self.both(self.identity(f'{{"statement": {statement}, {more}}}'.encode()), code)

    def test_factors_of_an_implication(self):
        names = [f"x{i:02}" for i in range(20)]
        for count, code in ((1, 0), (3, 0), (4, 4), (7, 4)):  # h^4 has 8855 terms, h^5 has 42504
            with self.subTest(f"h^{count}, h a sum of 20"):
                self.both(self.implication(*implication(sum_of(20), count, names)), code)
        with self.subTest("70 factors"):
            self.both(self.implication(*implication("x", 70)), 0)

    # -- checkpoints -------------------------------------------------------------------------------------------

    def test_headers(self):
        layer = make("softmax-null", 1, n=4, length=4)
        good, value = layer.file(), layer.certificate()
        size = struct.unpack("<Q", good[:8])[0]
        header, tensors = json.loads(good[8:8 + size]), good[8 + size:]
        text = json.dumps(header)
        plain = json.dumps({key: entry for key, entry in header.items() if key != "__metadata__"})[1:]

        def prefixed(prefix, names=None):
            return json.dumps({prefix + key if key != "__metadata__" and (names is None or key in names) else key: entry for key, entry in header.items()})

        def metadata(extra):
            pairs = "".join(f', {json.dumps(key)}: {json.dumps(entry)}' for key, entry in header.get("__metadata__", {}).items())
            return "{" + f'"__metadata__": {{{extra}{pairs}}}, ' + plain

        cases = (
            ("as it is", text, [], 0), ("spaces behind", text + " " * 9, [], 0), ("a space before", " " + text, [], 4), ("a line feed before", "\n" + text, [], 4),
            ("a line feed behind", text + "\n", [], 4), ("a tab behind", text + "\t", [], 4), ("white space inside", text.replace(":", " :\n", 1), [], 0),
            ("a byte order mark", "\ufeff" + text, [], 4), ("a key twice", metadata('"a": "1", "a": "1"'), [], 4), ("half a pair", metadata(r'"a": "\ud800"'), [], 4),
            ("half a pair in a key", metadata(r'"\udc00": "a"'), [], 4), ("a pair", metadata(r'"a": "\ud83d\ude00"'), [], 0), ("minus zero", text.replace("[0,", "[-0,", 1), [], 4),
            ("one layer", metadata('"num_layers": "1"'), [], 0), ("two layers", metadata('"num_layers": "2"'), [], 4), ("two layers, admitted", metadata('"num_layers": "2"'), ["num_layers"], 0),
            ("one layer, admitted for nothing", metadata('"num_layers": "1"'), ["num_layers"], 4), ("the first of a stack", prefixed("layers.0."), [], 0),
            ("the second of a stack", prefixed("layers.1."), [], 4), ("a part of a stack", prefixed("layers.0.", {"W_Q.weight"}), [], 4),
        )
        for what, header_text, overrides, code in cases:
            with self.subTest(what):
                changed = copy.deepcopy(value)
                changed["model"]["sha256"] = self.model(safetensors(header_text.encode(), tensors))
                changed["model"]["overrides"] = overrides
                self.both(changed, code)

    def test_where_a_model_lies(self):
        layer = make("softmax-null", 1, n=4, length=4)
        data, value = layer.file(), layer.certificate()
        self.model(data)
        self.both(value, 0)
        path = os.path.join(self.folder, "it.safetensors")
        os.rename(path, os.path.join(self.folder, "blob"))
        self.both(value, 2)
        os.symlink("blob", path)
        self.both(value, 0)
        os.mkdir(os.path.join(self.folder, "a.safetensors"))
        os.mkfifo(os.path.join(self.folder, "b.safetensors"))
        for name, size in (("c", 1 << 30), ("d", 1 << 41)):  # hashing the second would take hours
            with open(os.path.join(self.folder, f"{name}.safetensors"), "wb") as sparse:
                sparse.truncate(size)
        if "SINKPROOF_SANITIZED" not in os.environ:  # AddressSanitizer reserves terabytes
            self.both(value, 0, before=lambda: resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20)))

    def test_a_certificate_in_a_linked_folder(self):
        """Its claims are beside what the link leads to, and not beside the link; "link/.." names another folder than the link's."""
        layer = make("softmax-null", 1, n=4, length=4)
        self.model(layer.file())
        certificate = self.write("certificates/it.json", canonical(layer.certificate()))
        self.write("elsewhere/proofs/checkpoint/claim.toml", b'id = "checkpoint"\n')
        link = os.path.join(self.folder, "elsewhere", "certificates")
        os.symlink(os.path.dirname(certificate), link)
        for checker in checkers():
            for name in ("it.json", "../certificates/it.json"):
                ended = subprocess.run([*checker, "--models", self.folder, os.path.join(link, name)], capture_output=True, text=True)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_long_numbers(self):
        layer = make("softmax-null", 1, n=4, length=4)
        self.model(layer.file())
        value = layer.certificate()
        named = {item["name"]: item for item in value["properties"]}
        self.both(value, 0)
        for what, change in (
                ("a bound", lambda item: item.update(lower="1/" + "3" * 1999)),
                ("a token", lambda item: item["witness"]["tokens"][1].__setitem__(2, "1/1" + "0" * 400))):
            with self.subTest(what):
                changed = copy.deepcopy(value)
                change(next(item for item in changed["properties"] if item["name"] == "sup-loss.trigger"))
                self.both(changed, 4)
        self.assertIn("sup-loss.trigger", named)

if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
