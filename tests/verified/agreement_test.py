#!/usr/bin/env python3
"""The proved checker and sinkproof-check give the same verdict:
python3 tests/verified/agreement_test.py FOLDER-OF-SINKPROOF-CHECK FOLDER-OF-THE-PROVED-CHECKER [SEEDS]

Certificates about given inputs and about witnesses for every kind of attention, whose bounds are the ends of the pass at
64 bits; mutants of them; the committed certificates; the false ones of tests/reject.
"""

import collections
import copy
import hashlib
import itertools
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "recheck"), str(ROOT / "tests" / "reject")]
import agreement_test
import layer_sample
import lies
import random_sample
import stack_sample
from layer_test import CLAIM_HASH, make
from recheck_test import canonical, recheck

FIRST = PROVED = None
SEEDS = 1
MUTANTS = 2  # of each certificate
CLAIMS = ROOT / "tests" / "recheck" / "samples" / "proofs"
LEAST_REJECTED = 220  # false certificates that are covered
COVERED = ("layer-attention", "layer-row", "softmax-floor")  # rules of bounds for all inputs
BY_RANGES = ("layer-attention", "layer-row")


def run(program, paths, *places):
    return subprocess.run([program, *itertools.chain(*places), *paths], capture_output=True, text=True, timeout=600)


def files(program, paths, *places):
    """(what a checker says of each file, exit code)."""
    out = run(program, paths, ["--format", "json"], *places)
    found = json.loads(out.stdout)["files"]
    assert [item["file"] for item in found] == [str(path) for path in paths], out.stderr
    return found, out.returncode


def outcomes(program, paths, *places):
    """([(verdict, reason)], exit code) of a checker."""
    found, code = files(program, paths, *places)
    return [(item["verdict"], item["reason"]) for item in found], code


def is_covered(value, rule):
    return rule in COVERED and (rule, value["model"]["attention"]) != ("layer-row", "softmax-gated")


def covered_parts(value):
    """What this checker covers: (property, part), as often as it occurs."""
    parts = collections.Counter()
    bounded = {item["name"] for item in value["properties"] if is_covered(value, item["proof"]["rule"])}
    bounded |= {item["name"] for item in value["properties"] if item["name"] == "sup-loss" and bounded.issuperset(item["proof"]["of"])}
    for item in value["properties"]:
        name = item["name"]
        if name.startswith("largest-box."):
            parts.update([(name, "attained"), (name, "upper")] if item["witness"] else [])
            parts.update([(name, "lower")] if name.removeprefix("largest-box.") in bounded else [])
        elif name.startswith(("sup-loss", "bos-", "null-", "rollout-")):
            parts[name, "upper" if "-floor" in name else "lower"] += 1
            parts[name, "lower" if "-floor" in name else "upper"] += name in bounded
        elif item["proof"]["rule"] in ("forward", "random"):
            parts[name, ""] += 1
    return +parts


def proved_parts(outcome):
    return collections.Counter((item["property"], item["part"]) for item in outcome["statements"] if item["verdict"] == "proved")


def mutate_attained(mutator, value):
    """Changes the witness of a property, or the bound that it attains."""
    item = mutator.random.choice([item for item in value["properties"] if item.get("witness")])
    key = "upper" if "-floor" in item["name"] else "lower"
    part = {"witness": item["witness"], key: item[key]}
    if mutator.random.random() < 0.3:  # into the interval between what it attains and what it does not
        part[key] = str(max(0, Fraction(item[key]) + mutator.random.choice((-1, 1)) * Fraction(1, 10**mutator.random.choice((12, 15, 25)))))
    else:
        mutator.mutate(part)
    for name in ("witness", key):
        item.pop(name)
        if name in part:
            item[name] = part[name]
    item.update(part)


def mutate_points(mutator, value):
    """Changes multipliers, points or trees, often by little: a multiplier by a share, a point by one coordinate, a tree
    by the number of a leaf."""
    places = [of for of in [value["ranges"], *(item["proof"] for item in value["properties"])] if of and of.get("points")]
    choice = mutator.random.random()
    if choice < 0.3 or not places:
        numbers = mutator.random.choice(list(mutator.random.choice(value["multipliers"]).values()))
        k = mutator.random.randrange(len(numbers))
        numbers[k] = str(Fraction(numbers[k]) * Fraction(mutator.random.choice((500, 990, 999, 1001, 1100)), 1000))
    elif choice < 0.6:
        point = mutator.random.choice(mutator.random.choice(places)["points"])
        if point:
            part = mutator.random.randrange(len(point))
            k = mutator.random.randrange(len(point[part]))
            point[part] = point[part][:k] + chr(mutator.random.randrange(47, 82)) + point[part][k + 1:]
    elif choice < 0.9:
        trees = mutator.random.choice(places)["trees"]
        index = mutator.random.choice([k for k, tree in enumerate(trees) if "[" in tree] or [0])
        trees[index] = re.sub(r"\[\d+\]", lambda found: mutator.random.choice((found[0], found[0], "", "[0]", "[1]", "[99]", "[01]")), trees[index])
    else:
        mutator.mutate(mutator.random.choice(places))


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
        for seed in range(SEEDS):
            values = list(self.samples(seed))
            self.assertEqual(self.compare(values), {"proved": len(values)})
            mutants = [copy.deepcopy(value) for value in values for _ in range(MUTANTS)]
            for mutant in mutants:
                mutator.mutate(mutant)
            is_given = lambda item: type(item) is dict and item.get("proof") == {"rule": "forward"}
            verdicts += self.compare([mutant for mutant in mutants if all(map(is_given, mutant.get("properties", ())))])
        self.assertGreater(verdicts["proved"], 5 * SEEDS)
        self.assertGreater(verdicts["rejected"], 40 * SEEDS)

    def test_witnesses_and_mutants(self):
        """What a witness attains is proved, what holds of all inputs is not covered: proved, where sinkproof-check says so."""
        mutator, verdicts = agreement_test.Mutator(2), collections.Counter()
        for seed in range(SEEDS):
            values = []
            for attention, layers, heads, residual in stack_sample.KINDS_OF_STACKS + [(name, 3, 1, False) for name in ("softmax", "sigmoid-normalised", "elu1-normalised")]:
                stack = stack_sample.Stack(attention, layers, heads, residual, seed=seed, width=2, n=5 if seed % 2 else 4, claim_hash=CLAIM_HASH)
                values.append(stack_sample.witnessed(stack))
                (self.folder / f"{values[-1]['model']['sha256']}.safetensors").write_bytes(stack.file())
            self.assertEqual(self.agree(values), {"proved": len(values)})
            mutants = [copy.deepcopy(value) for value in values for _ in range(MUTANTS)]
            for mutant in mutants:
                mutate_attained(mutator, mutant)
            verdicts += self.agree(mutants)
        self.assertGreater(verdicts["proved"], 10 * SEEDS)
        self.assertGreater(verdicts["rejected"], 30 * SEEDS)

    def test_drawn_sequences_and_mutants(self):
        mutator, verdicts = agreement_test.Mutator(3), collections.Counter()
        for seed in range(SEEDS):
            values = []
            for kind in stack_sample.KINDS_OF_STACKS[seed % 5::5]:
                stack = stack_sample.Stack(*kind, seed=seed, width=2, size=Fraction(1, 2), claim_hash=CLAIM_HASH)
                values.append(random_sample.a_third_exceeding(stack, 4, (3, 4), 9))
                (self.folder / f"{values[-1]['model']['sha256']}.safetensors").write_bytes(stack.file())
            self.assertEqual(self.compare(values), {"statistical": len(values)})
            mutants = [copy.deepcopy(value) for value in values for _ in range(3 * MUTANTS)]
            for mutant in mutants:
                mutator.mutate(mutant["properties"][mutator.random.randrange(3)])
            verdicts += self.compare(mutants)
        self.assertGreater(verdicts["statistical"], 5 * SEEDS)
        self.assertGreater(verdicts["rejected"], 20 * SEEDS)

    def test_bounds_of_one_layer_and_mutants(self):
        """Of every kind of attention; losses of all but the gated one."""
        mutator, verdicts = agreement_test.Mutator(4), collections.Counter()
        for seed in range(SEEDS):
            values = []
            for attention in layer_sample.KINDS:
                for heads, n, length, biases in ((2, 4, 4, True), (1, 5, 5, False), (3, 6, 3, False)):
                    layer = make(attention, heads, n=n, length=length, biases=biases, seed=100 * seed + len(values))
                    value = layer.certificate()
                    value["properties"] = [item for item in value["properties"] if item["proof"]["rule"] == "layer-attention" or attention != "softmax-gated"]
                    if value["properties"]:
                        values.append(value)
                        (self.folder / f"{value['model']['sha256']}.safetensors").write_bytes(layer.file())
            self.assertGreater(len(values), 20)
            self.assertEqual(self.compare(values), {"proved": len(values)})
            mutants = [copy.deepcopy(value) for value in values for _ in range(2 * MUTANTS)]
            for mutant in mutants:
                mutator.mutate(mutant)
            verdicts += self.compare([mutant for mutant in mutants if type(mutant.get("properties")) is list and all(map(self.is_of_layer, mutant["properties"]))])
        self.assertGreater(verdicts["proved"], 5 * SEEDS)
        self.assertGreater(verdicts["rejected"], 40 * SEEDS)

    def is_of_layer(self, item):
        return type(item) is dict and type(item.get("proof")) is dict and item["proof"].get("rule") in ("layer-attention", "layer-row", "maximum")

    def test_multipliers_and_points_and_mutants(self):
        """Of the committed certificates of one layer, what is covered."""
        mutator, values = agreement_test.Mutator(5), []
        for path in sorted(ROOT.glob("examples/*/*.json")):
            value = json.loads(path.read_text())
            if value.get("kind") != "checkpoint" or "multipliers" not in value:
                continue
            models = [model for model in path.parent.glob("*.safetensors") if hashlib.sha256(model.read_bytes()).hexdigest() == value["model"]["sha256"]]
            value["properties"] = [item for item in value["properties"] if item["proof"]["rule"] in COVERED]
            value["claim_sha256"] = CLAIM_HASH
            if not any(item["proof"]["rule"] in BY_RANGES for item in value["properties"]):
                value["ranges"] = None
            if models and value["properties"]:
                (self.folder / f"{value['model']['sha256']}.safetensors").write_bytes(models[0].read_bytes())
                values.append(value)
        self.assertGreater(len(values), 8)
        self.assertEqual(self.compare(values), {"proved": len(values)})
        verdicts = collections.Counter()
        for _ in range(SEEDS):
            mutants = [copy.deepcopy(value) for value in values for _ in range(3 * MUTANTS)]
            for mutant in mutants:
                mutate_points(mutator, mutant)
            verdicts += self.compare(mutants)
        self.assertGreater(verdicts["proved"], 5 * SEEDS)
        self.assertGreater(verdicts["rejected"], 10 * SEEDS)

    def agree(self, values):
        """How often sinkproof-check gives each verdict; the proved checker proves exactly the attained parts where that is `proved`."""
        paths, verdicts = [], collections.Counter()
        for index, value in enumerate(values):
            paths.append(self.folder / f"{index}.json")
            paths[-1].write_bytes(canonical(value))
        places = ["--models", self.folder], ["--claims", CLAIMS]
        theirs, mine = outcomes(FIRST, paths, *places)[0], files(PROVED, paths, *places)[0]
        for value, (verdict, reason), own in zip(values, theirs, mine):
            verdicts[verdict] += 1
            expected = "unknown" if verdict == "proved" else verdict
            self.assertEqual(own["verdict"], expected, f"{canonical(value)[:3000]}\n{reason}\n{own['reason']}")
            if verdict == "proved":
                self.assertEqual(proved_parts(own), covered_parts(value))
        return verdicts

    def test_false_certificates(self):
        """Those of tests/reject, of all kinds: what this checker covers it judges alike, and it accepts none of the rest."""
        bases, paths = set(), []
        for table, name, base, row in lies.rows():
            if (table, name) not in bases:
                bases.add((table, name))
                paths.append(base.write(self.folder / table / name))
            paths.append(lies.lie(base, row).write(self.folder / table / lies.title(row)))
        mine = dict(zip(paths, outcomes(PROVED, paths)[0]))
        verdicts = collections.Counter(verdict for verdict, _ in mine.values())
        judged = [path for path in paths if "not covered" not in mine[path][1]]
        for path, (theirs, reason) in zip(judged, outcomes(FIRST, judged)[0]):
            with self.subTest(str(path)):
                self.assertEqual(mine[path][0], theirs, f"{reason}\n{mine[path][1]}")
        self.assertGreaterEqual(verdicts["proved"], 1)
        self.assertGreaterEqual(verdicts["rejected"], LEAST_REJECTED)

    def test_committed_certificates(self):
        """What is covered is proved, and a certificate of which all is covered is accepted."""
        reject = ROOT / "tests" / "reject" / "checkpoint"
        paths = [*sorted(ROOT.glob("examples/**/*.json")), *sorted(ROOT.glob("certificates/*.json")), *sorted(reject.glob("accepted-*.json"))]
        values = {path: json.loads(path.read_text()) for path in paths}
        values = {path: value for path, value in values.items() if value.get("kind") in ("checkpoint", "theory", "vectors", "language")}
        for model in [*ROOT.glob("examples/**/*.safetensors"), *reject.glob("models/*.safetensors")]:
            copied = self.folder / f"{hashlib.sha256(model.read_bytes()).hexdigest()}.safetensors"
            copied.write_bytes(model.read_bytes())
        places = ["--claims", ROOT / "proofs"], ["--models", self.folder]
        covered, boxed, accepted = [], 0, 0
        for (path, value), found in zip(values.items(), files(PROVED, values, *places)[0]):
            if value["kind"] == "checkpoint" and {item["proof"]["rule"] for item in value["properties"]} == {"forward"}:
                covered.append(path)
                continue
            rules = {item["proof"]["rule"] for item in value["properties"]} if value["kind"] == "checkpoint" else set()
            if found["reason"].startswith("no model with SHA-256"):
                self.assertEqual(found["verdict"], "unknown")
                continue
            whole = bool(rules) and all(rule == "maximum" or is_covered(value, rule) for rule in rules)
            self.assertEqual(found["verdict"], "statistical" if rules == {"random"} else "proved" if whole else "unknown", found["reason"])
            accepted += whole
            if value["kind"] == "checkpoint":
                self.assertEqual(proved_parts(found), covered_parts(value), path)
                boxed += 1
        self.assertGreater(boxed, 25)
        self.assertGreater(accepted, 2)
        self.assertEqual(self.same(covered, *places), {"proved": len(covered)})
        self.assertGreater(len(covered), 0)

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
        for arguments in (["--nothing"], [], ["--accept", "all", path], ["--seconds", "0", path], ["--seconds", "010", path], ["--memory", "0x10", path]):
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
        SEEDS = int(sys.argv.pop(1))
    unittest.main()
