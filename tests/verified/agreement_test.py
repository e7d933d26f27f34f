#!/usr/bin/env python3
"""The proved checker and sinkproof-check give the same verdict:
python3 tests/verified/agreement_test.py FOLDER-OF-SINKPROOF-CHECK FOLDER-OF-THE-PROVED-CHECKER [MUTANTS]

Certificates about given inputs for every kind of attention, whose bounds are the ends of the pass at 64 bits, so that an
enclosure that is wider by one unit is noticed; mutants of them; the committed certificates of these kinds; the false ones
of tests/reject.
"""

import collections
import copy
import hashlib
import itertools
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "recheck"), str(ROOT / "tests" / "reject")]
import agreement_test
import lies
import stack_sample
from layer_test import CLAIM_HASH
from recheck_test import canonical, recheck

FIRST = PROVED = None
MUTANTS = 12  # of each certificate
CLAIMS = ROOT / "tests" / "recheck" / "samples" / "proofs"
LEAST_REJECTED = 10  # false certificates that are covered


def run(program, paths, *places):
    return subprocess.run([program, *itertools.chain(*places), *paths], capture_output=True, text=True, timeout=600)


def outcomes(program, paths, *places):
    """([(verdict, reason)], exit code) of a checker."""
    out = run(program, paths, ["--format", "json"], *places)
    files = json.loads(out.stdout)["files"]
    assert [item["file"] for item in files] == [str(path) for path in paths], out.stderr
    return [(item["verdict"], item["reason"]) for item in files], out.returncode


class Agreement(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def compare(self, values):
        """How often each verdict occurs, which both give alike."""
        paths = []
        for index, value in enumerate(values):
            paths.append(self.folder / f"{index}.json")
            paths[-1].write_bytes(canonical(value))
        places = ["--models", self.folder], ["--claims", CLAIMS]
        return self.same(paths, *places)

    def same(self, paths, *places):
        (theirs, code), (mine, own_code) = outcomes(FIRST, paths, *places), outcomes(PROVED, paths, *places)
        for path, (verdict, reason), (own_verdict, line) in zip(paths, theirs, mine):
            self.assertEqual(own_verdict, verdict, f"{path.read_bytes()[:3000]}\n{reason}\n{line}")
        self.assertEqual(own_code, code)
        return collections.Counter(verdict for verdict, _ in mine)

    def samples(self, seed):
        """(certificate, its claims) of every kind; the models are beside the certificates."""
        for kind in stack_sample.KINDS_OF_STACKS:
            data, value = stack_sample.certified(*kind, seed, CLAIM_HASH)
            (self.folder / f"{value['model']['sha256']}.safetensors").write_bytes(data)
            yield value

    def test_every_kind_and_mutants(self):
        mutator, verdicts = agreement_test.Mutator(1), collections.Counter()
        for seed in (1, 2):
            values = list(self.samples(seed))
            self.assertEqual(self.compare(values), {"proved": len(values)})
            for value in values:
                mutants = []
                for _ in range(MUTANTS):
                    mutant = copy.deepcopy(value)
                    mutator.mutate(mutant)
                    if all(item.get("proof") == {"rule": "forward"} for item in mutant.get("properties", ()) if type(item) is dict):
                        mutants.append(mutant)
                verdicts += self.compare(mutants) if mutants else {}
        self.assertGreater(verdicts["proved"], MUTANTS)
        self.assertGreater(verdicts["rejected"], 20 * MUTANTS)

    def test_false_certificates(self):
        """Those of tests/reject, of all kinds: what this checker covers it judges alike, and it accepts none of the rest."""
        bases, paths = set(), []
        for table, name, base, row in lies.rows():
            if (table, name) not in bases:
                bases.add((table, name))
                paths.append(base.write(self.folder / table / name))
            paths.append(lies.lie(base, row).write(self.folder / table / lies.title(row)))
        verdicts = collections.Counter()
        for path, (theirs, reason), (mine, line) in zip(paths, outcomes(FIRST, paths)[0], outcomes(PROVED, paths)[0]):
            verdicts[mine] += 1
            if "not covered" not in line:
                with self.subTest(str(path)):
                    self.assertEqual(mine, theirs, f"{reason}\n{line}")
        self.assertGreaterEqual(verdicts["proved"], 1)
        self.assertGreaterEqual(verdicts["rejected"], LEAST_REJECTED)

    def test_committed_certificates(self):
        """Only those about given inputs are covered."""
        paths = sorted(ROOT.glob("examples/**/*.json")) + sorted(ROOT.glob("certificates/*.json"))
        paths = [path for path in paths if json.loads(path.read_text()).get("kind") in ("checkpoint", "theory", "vectors", "language")]
        places = ["--claims", ROOT / "proofs"]
        covered = [path for path in paths if is_covered(json.loads(path.read_text()))]
        for path, (verdict, line) in zip(paths, outcomes(PROVED, paths, places)[0]):
            if path not in covered:
                self.assertEqual(verdict, "unknown", line)
        paths = covered + [ROOT / "tests" / "reject" / "checkpoint" / "accepted-share.json"]
        self.assertEqual(self.same(paths, places, ["--models", ROOT / "tests" / "reject" / "checkpoint" / "models"]), {"proved": len(paths)})

    def test_inputs_of_every_form(self):
        """Written, drawn and of a tensor of every type."""
        verdicts = collections.Counter()
        for attention, heads in (("softmax", 2), ("relu", 1)):
            stack = stack_sample.Stack(attention, 2, heads, True, claim_hash=CLAIM_HASH)
            (self.folder / "model.safetensors").write_bytes(stack.file())
            share = [stack_sample.sink_share(0, 1, Fraction(3, 10))]
            forms = [{"count": 3, "seed": seed} for seed in (0, 1, (1 << 63) - 1, 1 << 63, -1)] + [{"count": 0, "seed": 1}]
            numbers = [[((7 * k + r) % 9 - 4) / 4 for r in range(stack.n)] for k in range(8)]
            for dtype in ("F64", "F32", "F16", "BF16", "I32"):
                data = tensor(dtype, numbers)
                path = self.folder / f"{dtype}.safetensors"
                path.write_bytes(data)
                forms += [{"sha256": hashlib.sha256(data).hexdigest(), "tensor": name} for name in ("x", "y")]
            verdicts += self.compare([stack.certificate(4, form, share) for form in forms])
            # A reading of drawn inputs, which holds of these and not of others.
            model = recheck.checkpoint.model.load_model(str(self.folder / "model.safetensors"), stack.certificate(4, None, [])["model"], 4)
            for seed in (1, 2):
                _, sequence = recheck.checkpoint.inputs.read_inputs(model, {"count": 1, "seed": seed}, [])
                seen = recheck.checkpoint.forward.forward_pass(model, *sequence(0), 64)
                ends = recheck.checkpoint.inputs.output_ends(model, seen, None, None, 4, 2)
                item = stack_sample.value("it", *ends, kind="output", row=4, coordinate=2, sequence=0)
                verdicts += self.compare([stack.certificate(4, {"count": 1, "seed": other}, [item]) for other in (1, 2)])
        self.assertEqual(verdicts, {"proved": 2 * (3 + 4 + 2), "rejected": 2 * (3 + 6 + 2)})

    def test_limits(self):
        stack = stack_sample.Stack("softmax", 2, 2, True, claim_hash=CLAIM_HASH)
        (self.folder / "model.safetensors").write_bytes(stack.file())
        value = stack.certificate(4, {"count": 100000, "seed": 1}, [stack_sample.sink_share(0, 1, Fraction(3, 10))])
        path = self.folder / "long.json"
        path.write_bytes(canonical(value))
        for option, most in (("--seconds", "1 s of processor time"), ("--memory", "1 MB of memory")):
            found, code = outcomes(PROVED, [path], ["--claims", CLAIMS, option, "1"])
            self.assertEqual((found[0][0], code), ("unknown", 3))
            self.assertIn(f"SP0905 the check needs more than {most}, its limit", found[0][1])
        found, code = outcomes(PROVED, [self.folder / "none.json"])
        self.assertEqual((found[0][0], code), ("unknown", 2))
        for arguments in (["--nothing"], [], ["--accept", "all", path], ["--seconds", "0", path]):
            self.assertEqual(run(PROVED, arguments).returncode, 2, arguments)
        for arguments, output in ((["--quiet", path], ""), ([path], "rejected")):
            out = run(PROVED, arguments, ["--claims", ROOT / "proofs"])
            self.assertEqual((out.returncode, out.stdout[:8]), (4, output))

    def test_bytes(self):
        """JSON and safetensors files that only a lenient reader takes."""
        value = next(iter(self.samples(1)))
        model = self.folder / f"{value['model']['sha256']}.safetensors"
        text, verdicts = canonical(value).decode(), collections.Counter()
        texts = [text, text[:-1], text + "\n", " " + text, text.replace('"format":2', '"format":2.0'), text.replace('"format":2', '"format":02'),
                 text.replace('"format":2', '"format":2,"format":2'), text.replace('"format":2', '"format":+2'), text.replace("null", "NaN", 1),
                 text.replace("null", "None", 1), text.replace('"real"', "'real'"), text.replace('"real"', '"re\\u0061l"'),
                 text.replace('"real"', '"real",'), "[" * 70 + "]" * 70 + "\n", "", "{}\n", "null\n", text.replace("{", "{/**/", 1), "\ufeff" + text,
                 text.replace('"real"', '"\\ud800"'), text.replace('"real"', '"\x01"')]
        paths = []
        for index, changed in enumerate(texts):
            paths.append(self.folder / f"bytes-{index}.json")
            paths[-1].write_bytes(changed.encode())
        paths.append(self.folder / "bytes-utf.json")
        paths[-1].write_bytes(text.encode().replace(b'"real"', b'"re\xffal"'))
        verdicts += self.same(paths, ["--models", self.folder], ["--claims", CLAIMS])
        self.assertEqual(verdicts, {"proved": 1, "rejected": len(paths) - 1})
        data = model.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header, values = data[8:8 + length].decode(), data[8 + length:]
        name = next(iter(json.loads(header)))
        headers = [header, header + "  ", " " + header, header + "x", header.replace("{", '{"extra":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},', 1),
                   header.replace("{", "{/**/", 1), header.replace("F64", "f64", 1), header.replace("F64", "I64", 1), header.replace("[", "[1,", 1),
                   header.replace(f'"{name}"', f'"{name}":{json.dumps(json.loads(header)[name])},"{name}"', 1)]
        values_of = [values] * len(headers) + [values + b"\0", values[:-1], b"\xff" * 8 + values[8:], struct.pack("<d", float("inf")) + values[8:]]
        headers += [header] * 4
        changed = []
        for index, (head, rest) in enumerate(zip(headers, values_of)):
            data = struct.pack("<Q", len(head)) + head.encode() + rest
            (self.folder / f"changed-{index}.safetensors").write_bytes(data)
            changed.append(copy.deepcopy(value))
            changed[-1]["model"]["sha256"] = hashlib.sha256(data).hexdigest()
        found = self.compare(changed)
        self.assertEqual(set(found), {"proved", "rejected"})
        self.assertGreaterEqual(found["rejected"], len(changed) - 3)


def is_covered(value):
    return value["kind"] == "checkpoint" and {item["proof"]["rule"] for item in value["properties"]} == {"forward"}


def tensor(dtype, rows):
    """A safetensors file with the rows in the tensor x."""
    numbers = [x for row in rows for x in row]
    code = {"F64": "d", "F32": "f", "F16": "e", "BF16": "f", "I32": "i"}[dtype]
    data = b"".join(struct.pack(f"<{code}", int(x) if code == "i" else x) for x in numbers)
    if dtype == "BF16":
        data = b"".join(data[k + 2:k + 4] for k in range(0, len(data), 4))
    header = json.dumps({"x": {"dtype": dtype, "shape": [len(rows), len(rows[0])], "data_offsets": [0, len(data)]}}).encode()
    return struct.pack("<Q", len(header)) + header + data


if __name__ == "__main__":
    FIRST, PROVED = (pathlib.Path(sys.argv.pop(1)).resolve() / name for name in ("sinkproof-check", "sinkproof-check-verified"))
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        MUTANTS = int(sys.argv.pop(1))
    unittest.main()
