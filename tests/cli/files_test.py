"""Files and terminals: no output takes an input's place, standard output that is lost is an error, text of files cannot
steer a terminal, and every number an option takes is looked at.

usage: files_test.py BIN_DIR SOURCE_DIR
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

from program import BIN, SOURCE, Case

SOFTMAX = SOURCE / "tests" / "checkpoints" / "softmax-d8-l8.safetensors"
ROWS = SOURCE / "examples" / "costs" / "rank-03.safetensors"
CERTIFICATE = SOURCE / "certificates" / "tc-1.json"
CHECKERS = ([BIN / "sinkproof-check"], [BIN / "sinkproof", "check"], [sys.executable, SOURCE / "tools" / "recheck"])
# What a terminal or a reader could be led astray by, and what is shown in its place by the programs and by recheck.
STEERING = {"\x1b[2J": r"\x1b[2J", "\n": r"\x0a", "\r": r"\x0d", "\x7f": r"\u007f", "\u009b31m": r"\u009b31m",
            "\u202e": r"\u202e", "\u2066": r"\u2066", "\u200f": r"\u200f", "\u2028": r"\u2028"}
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def run(*words, **options):
    options = {"capture_output": True, "cwd": SOURCE, "timeout": 300, **options}
    done = subprocess.run([BIN / "sinkproof", *map(str, words)], **options)
    out, err = (stream.decode() if stream is not None else "" for stream in (done.stdout, done.stderr))
    return done.returncode, out, err


def write_safetensors(path, header, data=b""):
    text = json.dumps(header, ensure_ascii=False).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


class Files(Case):
    def copy(self, of, name):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        shutil.copyfile(of, path)
        return path

    def refused(self, code, *words):
        """Before work starts: nothing is printed, no file is changed."""
        def state():
            return {path: (path.is_symlink(), path.is_file() and path.read_bytes()) for path in self.folder.rglob("*")}

        before = state()
        status, out, err = run(*words)
        self.assertEqual((status, out), (2, ""), (words, err))
        self.assertTrue(err.startswith(f"error {code}  "), (words, err))
        self.assertEqual(err.count("\n"), 1, err)
        self.assertEqual(state(), before, words)
        return err


class Outputs(Files):
    def test_no_output_is_an_input(self):
        model, rows = self.copy(SOFTMAX, "m.safetensors"), self.copy(ROWS, "rows.safetensors")
        certificate = self.copy(CERTIFICATE, "c.json")
        plain = self.folder / "plain"
        plain.write_text("[]")
        language = self.folder / "language"
        language.mkdir()
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            (language / name).write_text("{}")
        ids = ["--tokens", plain]
        new = self.folder / "new"
        cases = [
            ["certify", model, "-o", model], ["certify", model, "--require", "sup-loss<=0", "--save-witness", model],
            ["certify", model, "--box", self.copy(plain, "box.json"), "-o", self.folder / "box.json"],
            ["measure", rows, "-o", rows], ["measure", model, "--tokens", rows, "--save-inputs", rows],
            ["measure", rows, "--model", model, "-o", model],
            ["measure", rows, "--roles", plain, "-o", plain], ["measure", rows, "--constraints", plain, "-o", plain],
            ["measure", model, "--random", 1, "--save-inputs", model],
            *(["measure", language, *ids, option, language / name] for name in os.listdir(language)
              for option in ("-o", "--save-inputs", "--save-attention", "--save-logits")),
            ["measure", language, "--text", plain, "--bos", "with", "--save-logits", plain],
            ["report", certificate, "-o", certificate], ["report", certificate, "-o", model],  # found beside it
            ["report", CERTIFICATE, "--models", self.folder, "-o", model],
            ["report", CERTIFICATE, "--sweep", plain, "-o", plain], ["report", CERTIFICATE, "--attention", plain, "-o", plain],
            ["convert", model, "-o", model], ["convert", language, "-o", language / "model.safetensors"],
            ["construct", plain, "-o", plain], ["cost", rows, "-o", rows],
            ["cost", self.copy(ROWS, "w-sink-A.safetensors"), "--save-w", self.folder / "w-"],
            ["train", "--init", model, "-o", model],
        ]
        for words in cases:
            self.assertIn(" reads", self.refused("SP0204", *words))
        claims = self.folder / "claims"
        shutil.copytree(SOURCE / "proofs" / "vectors", claims / "vectors")
        self.refused("SP0204", "cost", rows, "--claims", claims, "-o", claims / "vectors" / "STATEMENT.md")
        self.assertFalse(new.exists())

    def test_by_any_name(self):
        model = self.copy(SOFTMAX, "m.safetensors")
        (self.folder / "inner").mkdir()
        (self.folder / "linked").symlink_to(self.folder / "inner")
        os.link(model, self.folder / "inner" / "hard")
        (self.folder / "soft").symlink_to("inner/hard")
        for name in ("inner/hard", "soft", "inner/../m.safetensors", "linked/hard", ".//m.safetensors"):
            self.refused("SP0204", "certify", model, "-o", f"{self.folder}/{name}")
            self.refused("SP0204", "certify", f"{self.folder}/{name}", "-o", model)

    def test_two_outputs_are_two_files(self):
        model, rows = self.copy(SOFTMAX, "m.safetensors"), self.copy(ROWS, "rows.safetensors")
        (self.folder / "inner").mkdir()
        (self.folder / "linked").symlink_to(self.folder / "inner")
        for other in ("inner/new", "linked/new", "inner/../inner/new"):
            err = self.refused("SP0204", "certify", model, "--require", "sup-loss<=0", "-o", self.folder / "inner/new",
                               "--save-witness", self.folder / other)
            self.assertIn("as well", err)
        self.refused("SP0204", "measure", model, "--random", 1, "-o", self.folder / "new", "--save-inputs", self.folder / "new")
        self.refused("SP0204", "cost", rows, "-o", self.folder / "w-sink-A.safetensors", "--save-w", self.folder / "w-")

    def test_where_nothing_can_be_written(self):
        model, rows, file = self.copy(SOFTMAX, "m.safetensors"), self.copy(ROWS, "rows.safetensors"), self.copy(ROWS, "file")
        none = self.folder / "none"
        os.mkfifo(self.folder / "pipe")
        for words in (["certify", model, "-o"], ["certify", model, "--require", "sup-loss<=0", "--save-witness"],
                      ["measure", rows, "-o"], ["cost", rows, "-o"], ["report", CERTIFICATE, "-o"], ["train", "-o"],
                      ["construct", file, "-o"], ["convert", model, "-o"], ["cost", rows, "--save-w"]):
            self.assertIn(f"mkdir -p '{none}'", self.refused("SP0203", *words, none / "c.json"))
            self.assertIn("is not a folder", self.refused("SP0203", *words, file / "c.json"))
            if words[-1] != "--save-w":
                self.assertIn("is a folder", self.refused("SP0203", *words, self.folder))
                self.assertIn("not a regular file", self.refused("SP0203", *words, self.folder / "pipe"))
        for words in (["certify", model, model], ["certify", self.folder], ["reproduce"], ["tradeoff"], ["train-lm", rows]):
            self.refused("SP0203", *words, "-o", file / "inner")
        # A folder of certificates is made.
        status, _, err = run("certify", model, self.copy(SOFTMAX, "n.safetensors"), "--property", "bos-floor.pre", "-o", none / "more")
        self.assertEqual((status, sorted(os.listdir(none / "more"))), (0, ["m.json", "n.json"]), err)

    def test_names_that_only_the_run_makes(self):
        """The certificate of m.safetensors would take the place of the box it was asked for."""
        model, other = self.copy(SOFTMAX, "m.safetensors"), self.copy(SOFTMAX, "n.safetensors")
        box = self.folder / "m.json"
        box.write_text(json.dumps([["-1/2", "1/2"]] * 5))
        before = box.read_bytes()
        _, out, err = run("certify", model, other, "--property", "bos-floor.pre", "--box", box, "-o", self.folder)
        self.assertEqual(box.read_bytes(), before)
        self.assertIn("SP0204", out + err)

    def test_a_journal_and_its_checkpoints(self):
        model, journal = self.copy(SOFTMAX, "m.safetensors"), self.folder / "journal"
        words = ["certify", model, "--property", "bos-floor.pre", "--journal", journal]
        self.assertEqual(run(*words, "-o", self.folder / "c.json")[0], 0)
        plan = next(path for path in journal.iterdir() if path.is_file())
        for output in (model, plan):
            self.refused("SP0204", "merge", journal, "-o", output)
        self.refused("SP0204", *words, "-o", plan)
        self.assertEqual(run(*words, "-o", self.folder / "c.json")[0], 0)  # again: results and certificate are replaced


class StandardOutput(Files):
    WORDS = (["--help"], ["--version"], ["certify", SOFTMAX, "--property", "bos-floor.pre"], ["explain", "tc-1"], ["explain", "map"],
             ["certify", SOFTMAX, "--property", "bos-floor.pre", "--format", "json"], ["certify", "--help"], ["measure", ROWS], ["cost", ROWS, "--allow-dependent"])

    def lost(self, command):
        """(exit code, stderr) where standard output is full, closed, and a pipe that nobody reads."""
        command = [str(word) for word in command]
        with open("/dev/full", "w") as full:
            yield subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=SOURCE, timeout=300)
        yield subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, cwd=SOURCE, timeout=300)
        reader, writer = os.pipe()
        os.close(reader)
        yield subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, cwd=SOURCE, timeout=300)
        os.close(writer)

    def check(self, command, code=2):
        for done in self.lost(command):
            err = done.stderr.decode()
            self.assertEqual(done.returncode, code, (command, err))
            for words in ("SP0203", "standard output", "cannot be written"):  # text or JSON
                self.assertIn(words, err, command)
            self.assertNotIn("Traceback", err)
            self.assertNotIn("Exception", err)

    def test_every_command(self):
        for words in self.WORDS:
            self.check([BIN / "sinkproof", *words])

    def test_the_checkers(self):
        wrong = self.folder / "wrong.json"
        wrong.write_text(CERTIFICATE.read_text().replace('"format":1', '"format":99'))
        for checker in CHECKERS:
            for words in ([CERTIFICATE], ["--format", "json", CERTIFICATE], ["--help"], [CERTIFICATE] * 100):
                self.check([*checker, *words])
            self.check([*checker, wrong], 4)  # the first of 5, 4, 1, 2, 3, 0
        self.check([BIN / "sinkproof-check", "--version"])

    def test_what_prints_nothing_needs_no_output(self):
        for done in self.lost([BIN / "sinkproof", "certify", SOFTMAX, "--property", "bos-floor.pre", "--quiet"]):
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_no_file_is_opened_in_place_of_a_closed_stream(self):
        process = subprocess.Popen(["sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", BIN / "sinkproof", "train", "--steps", "1000000000",
                                    "--stop-linf", "0", "-o", self.folder / "m.safetensors"], cwd=SOURCE)
        try:
            streams = [f"/proc/{process.pid}/fd/{number}" for number in (0, 1, 2)]
            until = time.monotonic() + 60

            def found():
                try:
                    return [os.readlink(stream) for stream in streams]
                except FileNotFoundError:  # closed, and not yet opened
                    return []

            while found() != ["/dev/null"] * 3 and time.monotonic() < until:
                time.sleep(0.05)
            self.assertEqual(found(), ["/dev/null"] * 3)
        finally:
            process.terminate()
            process.wait()


class Terminal(Files):
    def shown(self, *words):
        """All that is printed, which steers no terminal."""
        _, out, err = run(*words)
        self.assertIsNone(HIDDEN.search(out + err), (words, out + err))
        return out + err

    def models(self, text):
        """Files that hold `text` where messages quote them."""
        header, data = SOFTMAX.read_bytes(), b""
        size = struct.unpack("<Q", header[:8])[0]
        header, data = json.loads(header[8:8 + size]), header[8 + size:]
        said = header["__metadata__"]
        changes = [{**header, "__metadata__": {**said, key: text}} for key in ("attention", "seq_len", "num_heads", "residual", "scale")]
        changes.append({**header, f"W_X{text}": {"dtype": "F64", "shape": [0], "data_offsets": [len(data), len(data)]}})
        for number, change in enumerate(changes):
            path = self.folder / f"model-{number}.safetensors"
            write_safetensors(path, change, data)
            yield path

    def test_text_of_models(self):
        for text, visible in STEERING.items():
            quoted = 0
            for model in self.models(f"a{text}sup-loss proved"):
                said = self.shown("certify", model)
                quoted += f"a{visible}sup-loss proved" in said
                self.assertEqual(said.count("\n"), 1, said)
                self.shown("convert", model, "-o", self.folder / "new.safetensors")
                self.shown("certify", model, "--format", "json")
            self.assertGreaterEqual(quoted, 4)

    def test_text_of_language_models(self):
        for text, visible in STEERING.items():
            (self.folder / "config.json").write_text(json.dumps({"model_type": f"gpt{text}2", f"key{text}": text}))
            self.shown("measure", self.folder, "--random", 1)

    def test_names_of_files_options_and_tensors(self):
        for text, visible in STEERING.items():
            name = f"a{text}b"
            for words in (["certify", self.folder / name], ["check", self.folder / name], ["certify", SOFTMAX, f"--{name}"],
                          [name], ["certify", SOFTMAX, "--attention", name], ["certify", SOFTMAX, "--length", name],
                          ["explain", name], ["certify", SOFTMAX, "--require", name], ["report", self.folder / name, "-o", "/dev/null"],
                          ["merge", self.folder / name], ["prove", name], ["train", "--attention", name, "-o", self.folder / "x"],
                          ["cost", ROWS, "--tensor", name], ["measure", SOFTMAX, "--tokens", self.folder / name],
                          ["certify", SOFTMAX, "-o", self.folder / name / "x"], ["new-claim", name, "--proofs", self.folder / "p"]):
                self.shown(*words)
            write_safetensors(self.folder / "rows.safetensors", {name: {"dtype": "F64", "shape": [2, 1], "data_offsets": [0, 16]}},
                              struct.pack("<dd", 1, 2))
            self.shown("measure", self.folder / "rows.safetensors")
            for form in ("text", "json"):
                copy = self.copy(SOFTMAX, name + ".safetensors")
                said = self.shown("certify", copy, SOFTMAX, "--property", "bos-floor.pre", "--format", form)
                if form == "json":
                    self.assertEqual(json.loads(said)["checkpoints"][0]["name"], name)

    def test_bytes_that_are_no_text(self):
        path = os.fsencode(self.folder) + b"/\xff\x9b"
        done = subprocess.run([BIN / "sinkproof", "certify", path, "--format", "json"], capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 2)
        self.assertIn(rb"\xff\x9b", done.stderr.replace(rb"\\", b"\\"))  # in JSON, twice
        shutil.copyfile(SOFTMAX, path + b".safetensors")
        words = [BIN / "sinkproof", "certify", path + b".safetensors", SOFTMAX, "--property", "bos-floor.pre"]
        for form in ("text", "json"):
            done = subprocess.run([*words, "--format", form], capture_output=True, timeout=300)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            done.stdout.decode()

    def test_letters_are_left_alone(self):
        self.assertIn("Größe-日本語-\u200d", self.shown("certify", self.folder / "Größe-日本語-\u200d"))

    def test_the_checkers(self):
        for text in STEERING:
            path = self.folder / "c.json"
            path.write_text(json.dumps({"claim": f"a{text}b", "format": 1, f"key{text}": text}, ensure_ascii=False))
            for checker in CHECKERS:
                for words in ([path], [f"{path}{text}"], [f"--models={text}x", path], ["--format", "json", path]):
                    done = subprocess.run([*checker, *words], capture_output=True, timeout=300)
                    said = (done.stdout + done.stderr).decode()
                    self.assertIsNone(HIDDEN.search(said), said)


class Numbers(Files):
    INPUTS = {"certify": [SOFTMAX], "cost": [ROWS], "measure": [ROWS], "report": [CERTIFICATE], "construct": ["x"], "convert": ["x"],
              "check": [CERTIFICATE], "train-lm": [ROWS], "gate": []}

    def test_every_option_that_holds_a_number(self):
        _, out, _ = run("--help")
        verbs = re.findall(r"^  ([a-z-]+)  +[A-Z]", out.split("Commands:")[1].split("\nGeneral")[0], re.MULTILINE)
        self.assertGreater(len(verbs), 12)
        looked_at = 0
        for verb in verbs:
            _, out, _ = run(verb, "--help")
            for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)(?:, --[a-z-]+)? N\b", out, re.MULTILINE):
                for value in ("nan", "inf", "-inf", "1e999", "9" * 400, "1e", "x", ""):
                    status, out, err = run(verb, *self.INPUTS.get(verb, []), f"{option}={value}" if value else option, *([""] * (not value)))
                    self.assertEqual((status, out), (2, ""), (verb, option, value, err))
                    self.assertIn(option, err)
                looked_at += 1
        self.assertGreater(looked_at, 40)

    def test_text_that_is_a_number(self):
        for words in (["certify", SOFTMAX, "--samples", 10, "--epsilon", "1.5"], ["certify", SOFTMAX, "--samples", 10, "--confidence", "nan"],
                      ["measure", SOFTMAX, "--random", 1, "--property", "sink-share", "--epsilon", "1.5"],
                      ["measure", SOFTMAX, "--random", 1, "--property", "sink-share", "--epsilon", "-0.1"],
                      ["measure", SOFTMAX, "--random", 1, "--property", "sink-share", "--epsilon", "0"],
                      ["measure", SOFTMAX, "--random", 1, "--property", "sink-share", "--epsilon", "nan"],
                      ["measure", SOFTMAX, "--random", 1, "--property", "sink-share", "--position", 0],
                      ["cost", ROWS, "--margin", "inf"], ["cost", ROWS, "--margin", "0"], ["certify", SOFTMAX, "--scale", "nan"],
                      ["certify", SOFTMAX, "--box", "inf"], ["certify", SOFTMAX, "--box", ""], ["certify", SOFTMAX, "--trigger", ""],
                      ["certify", SOFTMAX, "--require", ""], ["certify", SOFTMAX, "-o", ""], ["certify", SOFTMAX, "--residual", "2"],
                      ["certify", SOFTMAX, "--require", "sup-loss<=nan"], ["tradeoff", "-o", self.folder / "x", "--seeds", 0],
                      ["certify", SOFTMAX, "--eta", "1e999999999", "--samples", 10]):
            status, out, err = run(*words, timeout=20)
            self.assertEqual((status, out), (2, ""), (words, err))


if __name__ == "__main__":
    unittest.main()
