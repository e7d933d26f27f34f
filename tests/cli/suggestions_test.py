"""Every command that a message suggests works when it is pasted.

Lines suggested by the messages of real errors are run as they stand. Commands quoted in the messages of the sources and
in docs/ERRORS_*.md are run with their placeholders (MODEL, ID, ...) filled in.

usage: suggestions_test.py BIN_DIR SOURCE_DIR
"""
import math
import os
import re
import shlex
import shutil
import subprocess
import unittest

from program import BIN, SOURCE, Case, write_tensors

SOFTMAX = SOURCE / "tests/checkpoints/softmax-d8-l8.safetensors"
WORKED = (0, 1, 3)  # done, refuted, or undecided; 2 is a command that cannot be run
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s+"(?:\\.|[^"\\\n])*")*')

# What a placeholder stands for in the folder that `prepared` makes.
FILLED = {"MODEL": "model.safetensors", "JOURNAL": "journal", "ID": "output-with-a-sink", "ROWS": "rows", "NEW": "new", "tc-1": "output-with-a-sink",
          "OLD=NAME": "W_Q.weight=W_Q.weight", "FILE": "file"}
# Commands whose line in the sources goes on with a name that only the error knows: the cases below meet them.
COMPLETED = {"sinkproof certify ": "model.safetensors", "sinkproof check ": "certificates/trigger-head.json --models models", "sinkproof measure ": "rows.safetensors",
             "sinkproof merge ": "journal", "sinkproof gate ": "sinkproof.toml", "sinkproof explain ": "output-with-a-sink --proofs proofs",
             "sinkproof convert MODEL -o converted.safetensors --scale '": "1/sqrt(8)'",
             "sinkproof prove ": "output-with-a-sink", "sinkproof prove --restate ": "output-with-a-sink",
             "sinkproof convert ": "other.safetensors -o out.safetensors --map a=W_Q.weight --map b=W_K.weight "
                                   "--map c=W_V.weight --map d=W_O.weight --attention softmax --num-heads 1 --scale 1"}


def write(path, shapes, **metadata):
    """A safetensors file of small whole numbers."""
    write_tensors(path, {name: (shape, [k * k % 7 - 3 for k in range(math.prod(shape))]) for name, shape in shapes.items()},
                  metadata, "F32")


def heads(prefix="", width=8, names=("q", "k", "v", "o"), ending=".weight"):
    return {f"{prefix}{name}{ending}": [width, width] for name in names}


def packed(prefix="", width=8):
    return {f"{prefix}in_proj_weight": [3 * width, width], f"{prefix}out_proj.weight": [width, width]}


def in_sources():
    """The commands in backticks of messages; one that the literal does not close ends where the literal does."""
    for path in sorted((SOURCE / "src").rglob("*.cpp")):
        for literal in STRING.finditer(path.read_text()):
            text = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', literal.group()))
            for line in re.findall(r"`(sinkproof [^`]*)", text):
                if not line.startswith("sinkproof manual"):  # in a comment of the manual pages
                    yield line, path.name


class Suggestions(Case):
    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}

    def shell(self, line):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600)

    def lines_of(self, line, code=2):
        """What the error of this command suggests, each run."""
        failed = self.shell(line)
        said = failed.stdout + failed.stderr
        self.assertEqual(failed.returncode, code, said)
        suggested = [quoted or line for quoted, line in re.findall(r"`(sinkproof [^`]*)`|^    (sinkproof .*)$", said, re.M)]
        for each in suggested:
            done = self.shell(each)
            self.assertIn(done.returncode, WORKED, f"{each}\n{done.stdout}{done.stderr}\nsuggested by:\n{said}")
        return suggested

    def language_model(self):
        if not (self.folder / "lm").exists():
            made = self.shell(f"sinkproof train-lm {SOURCE}/docs/THEORY.md --width 32 --layers 2 --heads 2 --length 32 --steps 2 -o lm --quiet")
            self.assertEqual(made.returncode, 0, made.stderr)
        return "lm/base"

    def test_models_with_other_names(self):
        cases = {"packed": packed(), "packed6": packed(width=6), "named": heads(), "named16": heads(width=16),
                 "prefixed": packed("attn."), "it's odd": heads("module."),
                 "stack": heads("blocks.0.attn.") | heads("blocks.1.attn."),
                 "beside": packed("attn.") | {"mlp.weight": [8, 8]}, "besides": packed() | {"mlp.weight": [8, 8], "norm": [8]},
                 "unordered": heads("enc.") | heads("dec."), "gap": heads("layers.2.") | heads("layers.5.")}
        for name, shapes in cases.items():
            with self.subTest(name):
                write(self.folder / f"{name}.safetensors", shapes)
                file = shlex.quote(f"{name}.safetensors")
                self.assertEqual(len(self.lines_of(f"sinkproof certify {file} --length 8")), 1)
                if name in ("beside", "besides", "unordered", "gap"):
                    self.assertEqual(len(self.lines_of(f"sinkproof convert {file} -o out.safetensors")), 1)

    def test_a_conversion_keeps_what_was_given(self):
        write(self.folder / "beside.safetensors", packed("attn.") | {"mlp.weight": [8, 8]})
        write(self.folder / "other.safetensors", heads(names="abcd", ending=""))
        maps = " ".join(f"--map {old}=W_{new}.weight" for old, new in zip("abcd", "QKVO"))
        for line in ("beside.safetensors -o out.safetensors --only attn.", f"other.safetensors -o out.safetensors {maps}",
                     "beside.safetensors -o out.safetensors --map mlp.weight="):
            with self.subTest(line):
                self.assertEqual(len(self.lines_of(f"sinkproof convert {line}")), 1)

    def test_what_cannot_be_converted_has_no_line(self):
        shared = {"q_proj.weight": [8, 8], "k_proj.weight": [4, 8], "v_proj.weight": [4, 8], "o_proj.weight": [8, 8]}
        write(self.folder / "shared.safetensors", shared)
        self.assertEqual(self.lines_of("sinkproof certify shared.safetensors --length 8"), [])

    def test_a_language_model(self):
        model = self.language_model()
        for line in (f"certify {model}", f"certify {model}/model.safetensors", f"convert {model} -o out.safetensors"):
            with self.subTest(line):
                suggested = self.lines_of(f"sinkproof {line}")
                self.assertTrue(any(each.startswith(f"sinkproof audit {model}") for each in suggested), suggested)

    def test_a_report_of_a_model_says_why(self):
        shutil.copy(SOFTMAX, self.folder / "model.safetensors")
        suggested = self.lines_of("sinkproof report model.safetensors", code=4)
        self.assertEqual(suggested, ["sinkproof certify model.safetensors -o certificate.json"])

    def test_the_help_of_a_mistyped_command(self):
        for line, help_of in (("sinkproof cerify x", "sinkproof --help"), ("sinkproof certify x --propety y", "sinkproof certify --help"),
                              ("sinkproof-check --nothing", "sinkproof-check --help")):
            with self.subTest(line):
                said = self.shell(line).stderr
                self.assertIn(help_of, said)
                self.assertEqual(self.shell(help_of).returncode, 0)

    def test_commands_in_messages_and_in_the_list_of_errors(self):
        shutil.copytree(SOURCE / "examples/gate", self.folder, dirs_exist_ok=True)
        shutil.copytree(SOURCE / "proofs/theory", self.folder / "proofs/theory", dirs_exist_ok=True)
        shutil.copy(SOFTMAX, self.folder / "model.safetensors")
        write(self.folder / "rows.safetensors", {"rows": [3, 2]})
        write(self.folder / "other.safetensors", heads(names="abcd", ending=""))
        made = self.shell("git init -q . && sinkproof certify model.safetensors --property bos-floor.pre --journal journal --quiet")
        self.assertEqual(made.returncode, 0, made.stderr)
        quoted = {}
        for line, where in in_sources():
            quoted.setdefault(line, where)
        for line in re.findall(r"`(sinkproof [^`]*)`", "".join(page.read_text() for page in (SOURCE / "docs").glob("ERRORS*.md"))):
            quoted.setdefault(line, "docs/ERRORS_*.md")
        self.assertGreater(len(quoted), 10)
        for line, where in sorted(quoted.items()):
            filled = line + COMPLETED[line] if line.endswith(" ") or line.count("'") % 2 else line
            for placeholder, value in FILLED.items():
                filled = re.sub(rf"(?<![\w-]){re.escape(placeholder)}(?!\w)", value, filled)
            with self.subTest(line, where=where):
                done = self.shell(filled)
                self.assertIn(done.returncode, WORKED, f"{filled}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main()
