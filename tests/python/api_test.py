"""The module as researchers use it: arrays in, typed results out, foreign layouts by name.

usage: api_test.py BUILD SOURCE
"""
import ast
import contextlib
import hashlib
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
import warnings
from fractions import Fraction
from pathlib import Path

import numpy

BUILD, SOURCE = (Path(word).resolve() for word in sys.argv[1:3])
CHECKPOINTS = SOURCE / "tests" / "checkpoints"
SOFTMAX = CHECKPOINTS / "softmax-d8-l8.safetensors"
RELU = CHECKPOINTS / "relu-d8-l8.safetensors"
OWN_CLAIM = SOURCE / "examples" / "own-claim"
sys.path[:0] = [str(BUILD / "python")]
import sinkproof  # noqa: E402
from sinkproof import _results  # noqa: E402


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        self.addCleanup(shutil.rmtree, self.folder)


class Module:
    """A torch.nn.Module, as far as the module looks at one."""

    def __init__(self, tensors):
        self.tensors = tensors

    def state_dict(self):
        return self.tensors


def bounds(certification):
    return {key: (each.lower_exact, each.upper_exact) for key, each in certification.properties.items()}


class Results(Folder):
    def test_floats_are_rounded_outward(self):
        for exact in ("0.1", "0.3", "1/3", "-0.1", "-1/3", "0", "0.5", "1e-400", "-1e-400", "1e400", "-1e400", "5e-324"):
            lower, upper, number = _results.below(exact), _results.above(exact), Fraction(exact)
            self.assertLessEqual(lower, upper)
            if math.isfinite(lower):
                self.assertLessEqual(Fraction(lower), number)
                self.assertTrue(math.nextafter(lower, math.inf) == math.inf or Fraction(math.nextafter(lower, math.inf)) > number)
            if math.isfinite(upper):
                self.assertGreaterEqual(Fraction(upper), number)
                self.assertTrue(math.nextafter(upper, -math.inf) == -math.inf or Fraction(math.nextafter(upper, -math.inf)) < number)
        self.assertEqual((_results.below("0.5"), _results.above("0.5")), (0.5, 0.5))
        self.assertEqual((_results.below("1e400"), _results.above("1e400")), (sys.float_info.max, math.inf))
        self.assertIsNone(_results.above(None))

    def test_a_certification(self):
        output = self.folder / "c.json"
        found = sinkproof.certify(RELU, require=["sup-loss<=0.5", "sup-loss<=0.000001"], output=output)
        loss = found.properties["sup-loss.trigger"]
        told = {row["name"]: row for row in found.to_dict()["properties"]}["sup-loss.trigger"]
        self.assertEqual((loss.lower_exact, loss.upper_exact), (told["lower"], told["upper"]))
        self.assertLess(loss.lower, loss.upper)
        self.assertLessEqual(Fraction(loss.lower), Fraction(loss.lower_exact))
        self.assertGreaterEqual(Fraction(loss.upper), Fraction(loss.upper_exact))
        self.assertEqual((found.verdict, found.exit_code, found.length, found.certificate), ("refuted", 1, 8, output))
        self.assertEqual([row["verdict"] for row in found.requirements], ["proved", "refuted"])
        self.assertEqual(loss.witness.tokens.shape, (8, 8))
        self.assertEqual(float(Fraction(loss.witness.tokens_exact[7][1])), loss.witness.tokens[7, 1])
        self.assertEqual([row["name"] for row in found.rows()], [each.name for each in found.properties.values()])
        page = found._repr_html_()
        self.assertIn(f"<td>{loss.upper_exact}</td>", page)
        self.assertIn("<svg", page)
        checked = sinkproof.check(output, models=CHECKPOINTS)
        self.assertEqual((checked.accepted, checked.files[0].claim, checked.verdict), (True, "checkpoint", "proved"))

    def test_properties_of_each_head_have_keys_of_their_own(self):
        found = sinkproof.certify(SOFTMAX, property="bos-floor.pre", every_head=True)
        self.assertEqual(set(found.properties), {"bos-floor.pre", "bos-floor.pre[0,0]"})

    def test_data_frames(self):
        found = sinkproof.certify(SOFTMAX, property="bos-floor.pre")
        fake = types.ModuleType("pandas")
        fake.DataFrame = list
        with unittest.mock.patch.dict(sys.modules, {"pandas": fake}):
            self.assertEqual(found.to_dataframe(), found.rows())
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(ImportError, "python3-pandas"):
            found.to_dataframe()

    def test_text_of_files_is_escaped(self):
        (self.folder / "<b>.json").write_text("{}")
        page = sinkproof.check(self.folder / "<b>.json")._repr_html_()
        self.assertIn("&lt;b&gt;", page)
        self.assertNotIn("<b>", page)

    def test_boxes(self):
        for box, text in ((0.5, "[-1/2,1/2]^5"), ((-1, 0.25), "[-1,1/4]^5"), ([1, 1, 1, 1, (-1, 0.25)], None),
                          (numpy.array([[-1, 0.25]] * 5), " x ".join(["[-1,1/4]"] * 5)), ("0.5", "[-1/2,1/2]^5")):
            found = sinkproof.certify(SOFTMAX, property="bos-floor.pre", box=box).properties["bos-floor.pre"].scope["box"]
            self.assertEqual(found, text or "[-1,1] x [-1,1] x [-1,1] x [-1,1] x [-1,1/4]")

    def test_the_stub_is_what_there_is(self):
        tree = ast.parse((SOURCE / "python/sinkproof/__init__.pyi").read_text())
        names = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name[0] != "_"}
        self.assertEqual(set(names), set(sinkproof.__all__))
        for name, node in names.items():
            if isinstance(node, ast.ClassDef):
                fields = {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
                if name != "Error":
                    actual = set(getattr(sinkproof, name).__dataclass_fields__) - {"raw"}
                    inherited = {"files"} if name == "Report" else set()
                    self.assertEqual(fields | inherited, actual, name)
                for part in node.body:
                    if isinstance(part, ast.FunctionDef):
                        self.assertTrue(hasattr(getattr(sinkproof, name), part.name), (name, part.name))
            elif name.replace("_", "-") in sinkproof._arguments.VERBS:
                known = set(sinkproof._arguments.keywords(name.replace("_", "-")))
                own = {"progress", "tokens", "bos", "attention", "certificates", "residual"} if name == "audit" else {"progress"}
                own |= {"key"} if name in ("certify", "convert") else {"positions", "logits"} if name == "cover" else set()
                for argument in node.args.kwonlyargs:
                    self.assertIn(argument.arg, known | own, name)


class Covers(Folder):
    INPUTS = {"positions": [range(13), "0-12", 13], "answers": numpy.arange(13)}

    def setUp(self):
        super().setUp()
        self.model = self.folder / "sum"
        sinkproof.run("convert", SOURCE / "examples/covers/sum.safetensors", folder=True, activation="relu", output=self.model)

    def test_a_cover(self):
        output = self.folder / "sum.json"
        found = sinkproof.cover(self.model, target="sum 1,2 mod 13", attention=True, logits=[3, 5], output=output, **self.INPUTS)
        self.assertEqual((found.right, found.wrong, found.undecided, found.sequences, found.ended), (169, 0, 0, 169, False))
        self.assertEqual((found.verdict, found.exit_code, found.certificate), ("enclosed", 0, output))
        self.assertEqual((found.accuracy.lower, found.accuracy.upper, found.accuracy.lower_exact), (1.0, 1.0, "169/169"))
        self.assertEqual(list(found.figures), ["margin", *(f"attention.0.{head}.{key}" for head in range(2) for key in (1, 2, 3)), "logit.3", "logit.5"])
        told = {row["property"]: row for row in found.to_dict()["statements"]}
        for each in found.figures.values():
            for bounds in (each.least, each.greatest):
                self.assertLessEqual(Fraction(bounds.lower), Fraction(bounds.lower_exact))
                self.assertGreaterEqual(Fraction(bounds.upper), Fraction(bounds.upper_exact))
                self.assertLess(bounds.lower, bounds.upper)
        margin = found.figures["margin"]
        self.assertEqual((margin.least.lower_exact, list(margin.least_at)), (told["margin"]["least"]["lower"], told["margin"]["least_at"]))
        self.assertEqual((margin.layer, margin.id, found.figures["logit.5"].id), (None, None, 5))
        self.assertEqual(found.attention.shape, (1, 2, 3, 2))
        one = found.figures["attention.0.1.2"]
        self.assertEqual(list(found.attention[0, 1, 1]), [one.least.lower, one.greatest.upper])
        self.assertEqual([row["figure"] for row in found.rows()], list(found.figures))
        page = found._repr_html_()
        self.assertEqual(page.count("<svg"), 6)
        self.assertIn(margin.least.lower_exact, page)
        self.assertTrue(sinkproof.check(output, models=self.folder).accepted)
        self.assertEqual(sinkproof.report(found, output=self.folder / "page.html", models=self.folder).verdict, "proved")

    def test_a_target_as_an_array(self):
        table = numpy.add.outer(numpy.arange(13), numpy.arange(13)) % 13
        table[2, 5] = 8
        found = sinkproof.cover(self.model, target=table, **self.INPUTS)
        self.assertEqual((found.right, found.wrong, found.attention, found.certificate), (168, 1, None, None))
        self.assertLess(found.accuracy.lower, found.accuracy.upper)
        self.assertEqual(found.figures["margin"].least_at, (2, 5, 13))
        few = {**self.INPUTS, "positions": [range(13), [1, 4, 5], 13]}
        right = sinkproof.cover(self.model, target=numpy.asfortranarray(table[:, [1, 4, 5]]), **few)
        self.assertEqual((right.right, right.wrong), (38, 1))
        for message, wrong in (("axes .3, 13., but the positions have .13, 3.", {"target": table[:, [1, 4, 5]].T.copy()}),
                               ("ascending order", {"target": table[:, [5, 1, 4]], "positions": [range(13), [5, 1, 4], 13]})):
            with self.assertRaisesRegex(sinkproof.Error, f"SP2009 .*{message}"):
                sinkproof.cover(self.model, **{**few, **wrong})
        with self.assertRaisesRegex(ValueError, "give cover.. an output"):
            sinkproof.report(found, output=self.folder / "page.html")

    def test_what_is_refused(self):
        target = "sum 1,2 mod 13"
        for message, call in (
                ("path of one folder, not list", lambda: sinkproof.cover(["a"], positions=[1], target=target)),
                ("positions must be a list .*, not str", lambda: sinkproof.cover("a", positions="0-12", target=target)),
                (r"positions\[1\] must be an id.* not 1.5", lambda: sinkproof.cover("a", positions=[1, 1.5], target=target)),
                (r"positions\[0\] must be an id.* not True", lambda: sinkproof.cover("a", positions=[True], target=target)),
                (r"positions\[0\] must be an id", lambda: sinkproof.cover("a", positions=[numpy.ones(2)], target=target)),
                ("answers must be an id", lambda: sinkproof.cover("a", positions=[1], target=target, answers={1: 2})),
                ("logits must be an id", lambda: sinkproof.cover("a", positions=[1], target=target, logits=0.5)),
                ("target must be text .* not int", lambda: sinkproof.cover("a", positions=[1], target=3)),
                ("array of integers, not float64", lambda: sinkproof.cover("a", positions=[1], target=numpy.ones(2))),
                ("attention must be True or False", lambda: sinkproof.cover("a", positions=[1], target=target, attention="yes")),
                ("seconds must be a number", lambda: sinkproof.cover("a", positions=[1], target=target, seconds="5")),
                ("unexpected keyword argument 'tokens'", lambda: sinkproof.cover("a", positions=[1], target=target, tokens=[1]))):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                call()
        with self.assertRaisesRegex(ValueError, "at least one id"):
            sinkproof.cover("a", positions=[[]], target=target)
        for code, options in (("SP2009", {"target": "sums 1"}), ("SP2009", {"positions": [14]})):
            with self.assertRaises(sinkproof.Error) as refused:
                sinkproof.cover(self.model, **{"target": target, **self.INPUTS, **options})
            self.assertEqual(refused.exception.code, code)


class Refusals(Folder):
    def test_wrong_types(self):
        for message, call in (
                ("model must be a path, .*; not int", lambda: sinkproof.certify(5)),
                ("certify_many", lambda: sinkproof.certify([SOFTMAX])), ("certify_many", lambda: sinkproof.certify(CHECKPOINTS)),
                ("length must be an integer", lambda: sinkproof.certify(SOFTMAX, length="8")),
                ("residual must be True or False", lambda: sinkproof.certify(SOFTMAX, residual="no")),
                ("attention must be text", lambda: sinkproof.certify(SOFTMAX, attention=3)),
                ("every_head must be True or False, not 'yes'", lambda: sinkproof.certify(SOFTMAX, every_head="yes")),
                ("require: an option takes .* not dict", lambda: sinkproof.certify(SOFTMAX, require=[{}])),
                ("progress must be a function", lambda: sinkproof.certify(SOFTMAX, progress="yes")),
                ("W_Q.weight: must be an array or a tensor, not list", lambda: sinkproof.certify({"W_Q.weight": [[1]]})),
                ("path of one folder, not list", lambda: sinkproof.audit(["a"])),
                ("tokens must be .* not float", lambda: sinkproof.audit("a", tokens=1.5)),
                ("input_ids must be integers, not float64", lambda: sinkproof.audit("a", tokens=numpy.ones(3))),
                ("1 or 2 dimensions", lambda: sinkproof.audit("a", tokens=numpy.ones((1, 1, 1), int))),
                ("a mapping needs input_ids", lambda: sinkproof.audit("a", tokens={"ids": [1]})),
                ("position_ids would change", lambda: sinkproof.audit("a", tokens={"input_ids": [1], "position_ids": [4]})),
                ("labels would change", lambda: sinkproof.audit("a", tokens={"input_ids": [1], "labels": [4]})),
                ("holds 1.5", lambda: sinkproof.audit("a", tokens=[1, 1.5])), ("holds True", lambda: sinkproof.audit("a", tokens=[True])),
                ("texts alone", lambda: sinkproof.audit("a", tokens=["x", 1])),
                ("bos must be True or False", lambda: sinkproof.audit("a", tokens="some text")),
                ("bos is about texts", lambda: sinkproof.audit("a", bos=True)),
                ("evict must be", lambda: sinkproof.audit("a", evict=4)),
                ("gate.. takes the path", lambda: sinkproof.gate(3)), ("train.. takes the path", lambda: sinkproof.train(None)),
                ("load.. takes a path", lambda: sinkproof.load(3)), ("key is about", lambda: sinkproof.load(SOFTMAX, key="x"))):
            with self.assertRaisesRegex(TypeError, message):
                call()
        for message, call in (("has the id -1", lambda: sinkproof.audit("a", tokens=[-1])),
                              ("sequence 1 has no tokens", lambda: sinkproof.audit("a", tokens=[[1], []])),
                              ("no sequence", lambda: sinkproof.audit("a", tokens=[])),
                              ("token_type_ids must all be 0", lambda: sinkproof.audit("a", tokens={"input_ids": [1, 2], "token_type_ids": [0, 1]})),
                              ("token_type_ids has another shape", lambda: sinkproof.audit("a", tokens={"input_ids": [1], "token_type_ids": [0, 0]})),
                              ("sequence 1 hides a token between", lambda: sinkproof.audit("a", tokens={
                                  "input_ids": [[1, 2, 3], [1, 2, 3]], "attention_mask": [[0, 1, 1], [1, 0, 1]]})),
                              ("must hold 0 and 1 alone", lambda: sinkproof.audit("a", tokens={"input_ids": [1, 2], "attention_mask": [1, 2]})),
                              ("another shape", lambda: sinkproof.audit("a", tokens={"input_ids": [1], "attention_mask": [1, 1]}))):
            with self.assertRaisesRegex(ValueError, message):
                call()

    def test_a_language_model_is_for_audit(self):
        (self.folder / "config.json").write_text("{}")
        with self.assertRaisesRegex(sinkproof.Error, r"SP1111 .*sinkproof\.audit\("):
            sinkproof.certify(self.folder)

    def test_progress_on_stderr(self):
        said = io.StringIO()
        with unittest.mock.patch.dict(sys.modules, {"tqdm.auto": None, "tqdm": None}), contextlib.redirect_stderr(said):
            sinkproof.certify(SOFTMAX, progress=True)
        self.assertRegex(said.getvalue(), r"\r.* \([0-9]+ %")
        self.assertTrue(said.getvalue().endswith("\n"))


class Audits(Folder):
    @classmethod
    def setUpClass(cls):
        cls.home = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        subprocess.run([BUILD / "bin/sinkproof", "train-lm", SOURCE / "LICENSE", "--width", "16", "--layers", "2", "--heads", "2",
                        "--length", "16", "--steps", "2", "-o", cls.home / "lm"], check=True, capture_output=True)
        cls.model = cls.home / "lm" / "base"
        cls.ids = [[1, 2, 3, 4], [5, 6, 7, 8]]
        cls.expected = sinkproof.audit(cls.model, tokens=cls.ids)

    def same(self, tokens, **options):
        found = sinkproof.audit(self.model, tokens=tokens, **options)
        self.assertEqual(found.sequences, self.expected.sequences)
        numpy.testing.assert_array_equal(found.alpha, self.expected.alpha)

    def test_tokens_of_every_kind(self):
        self.same(numpy.array(self.ids))
        self.same(numpy.array(self.ids, dtype=numpy.uint8))
        self.same(tuple(map(tuple, self.ids)))
        self.same([numpy.array(row) for row in self.ids])
        self.same({"input_ids": self.ids})
        self.same({"input_ids": [[1, 2, 3, 4, 0], [0, 5, 6, 7, 8]], "attention_mask": [[1, 1, 1, 1, 0], [0, 1, 1, 1, 1]]})
        self.same({"input_ids": self.ids, "token_type_ids": numpy.zeros((2, 4), int), "attention_mask": numpy.ones((2, 4), int),
                   "special_tokens_mask": [[1, 0, 0, 0]] * 2, "length": [4, 4]})
        self.same([bytes(row).decode() for row in self.ids])  # train-lm's tokens are bytes
        (self.folder / "ids.json").write_text(json.dumps(self.ids))
        self.same(self.folder / "ids.json")
        self.same(str(self.folder / "ids.json"))
        self.same([[1, 2, 3, 4, 5, 6, 7, 8, 9]], length=4)
        one = sinkproof.audit(self.model, tokens=self.ids[0])
        numpy.testing.assert_array_equal(one.alpha, self.expected.alpha[:1])

    def test_arrays_are_those_of_the_command(self):
        done = subprocess.run([BUILD / "bin/sinkproof", "audit", self.model, "--random", "2", "--length", "8", "--evict", "1,4",
                               "--ablate", "0,1", "--format", "json"], capture_output=True, check=True)
        told = json.loads(done.stdout)["estimates"]
        found = sinkproof.audit(self.model, random=2, length=8, evict=(1, 4), ablate=[(0, 1)], attention=True)
        self.assertEqual(found.alpha.shape, (2, 2, 2))
        for name in ("alpha", "value-alpha", "value-ratio", "broadcast-share", "cosine", "norm-product"):
            self.assertEqual(getattr(found, name.replace("-", "_")).tolist(), told[name])
        self.assertEqual({name: each.tolist() for name, each in found.moved.items()}, told["moved"])
        self.assertEqual(found.loss.each.tolist(), told["loss"])
        self.assertEqual({name: each.each.tolist() for name, each in found.loss_with.items()}, told["intervention-loss"])
        self.assertAlmostEqual(found.loss_with["evict 1,4"].change, numpy.mean(found.loss_with["evict 1,4"].each - found.loss.each))
        self.assertAlmostEqual(found.loss.perplexity, math.exp(found.loss.mean))
        self.assertEqual(found.norms["query-norm"].tolist(), told["query-norm"])
        self.assertEqual(found.attention.shape, (2, 2, 2, 8, 8))
        numpy.testing.assert_allclose(found.attention.sum(-1), 1)
        column = numpy.array([found.attention[..., q, 0] for q in range(8)]).mean(axis=0)
        numpy.testing.assert_allclose(found.alpha, column, rtol=1e-12)
        self.assertEqual((found.verdict, len(found.rows()), found.enclosures), ("estimated", 8, ()))
        self.assertIn("layer 1, head 1", found._repr_html_())
        self.assertIn('fill="currentColor"', found._repr_html_())  # seen on dark pages too

    def test_several_heads_ablated_at_once(self):
        found = sinkproof.audit(self.model, random=2, length=8, ablate=[(0, 1), [(0, 1), (1, 0)]], summary=True)
        self.assertEqual(list(found.loss_with), ["ablate 0,1", "ablate 0,1+1,0"])
        one, two = found.loss_with.values()
        self.assertNotEqual(one.mean, two.mean)
        self.assertIsNone(two.each)
        alone = sinkproof.audit(self.model, random=2, length=8, loss=True)
        self.assertEqual((alone.loss.mean, alone.loss_with), (found.loss.mean, {}))
        self.assertIsNone(sinkproof.audit(self.model, random=2, length=8).loss)

    def test_many_texts_in_little_memory(self):
        texts = ["the first of many", "another, longer than the length", "a third"]
        whole = sinkproof.audit(self.model, tokens=texts, length=12)
        self.assertEqual(whole.sequences[:2], (tuple(b"the first of"), tuple(b"another, lon")))
        numpy.testing.assert_allclose(whole.mean["alpha"], whole.alpha.mean(axis=0), rtol=1e-12)
        numpy.testing.assert_allclose(whole.standard_error["cosine"], whole.cosine.std(axis=0, ddof=1) / whole.count ** 0.5, rtol=1e-9)
        file, folder = self.folder / "texts.jsonl", self.folder / "prompts"
        file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        folder.mkdir()
        for number, text in enumerate(texts):
            (folder / f"{number}.txt").write_text(text)
        for tokens in (file, str(file), folder):
            found = sinkproof.audit(self.model, tokens=tokens, length=12, summary=True, csv=self.folder / "a.csv")
            numpy.testing.assert_array_equal(found.mean["alpha"], whole.mean["alpha"])
            self.assertEqual((found.count, found.sequences, found.alpha, len(found.rows())), (whole.count, None, None, 4))
            self.assertEqual(found.rows()[3]["alpha_standard_error"], whole.standard_error["alpha"][1, 1])
            self.assertIn("layer 1, head 1", found._repr_html_())
        self.assertEqual(len((self.folder / "a.csv").read_text().splitlines()), 5)
        with self.assertRaisesRegex(sinkproof.Error, "SP2210 "):
            sinkproof.audit(self.model, tokens=texts, bos=True)

    def test_a_report_without_a_certificate(self):
        for found in (self.expected, sinkproof.audit(self.model, random=3, length=12, summary=True, evict=(1, 4))):
            page = sinkproof.report(found, output=self.folder / "r.html")
            self.assertEqual([(file.file, file.verdict) for file in page.files], [("base.json", "estimate")])
            self.assertEqual((page.exit_code, page.verdict, page.accepted), (0, "estimated", False))
            text = page.output.read_text()
            self.assertIn("Nothing on this page is proved", text)
            self.assertIn(f"sequences</dt><dd>{found.count} of {len(found.sequences[0]) if found.sequences else 12} tokens", text)
            self.assertIn(f"{float(found.mean['alpha'].max()):.4g}", text)
        certificate = self.folder / "c.json"
        proved = sinkproof.audit(self.model, tokens=self.ids, output=certificate)
        both = sinkproof.report([proved, self.expected], models=self.model, output=self.folder / "r.html")
        self.assertEqual([file.verdict for file in both.files], ["proved", "estimate"])
        edited = sinkproof.audit(self.model, tokens=self.ids)
        edited.raw["summary"]["alpha"]["mean"][0][0] += 0.5
        with self.assertRaisesRegex(sinkproof.Error, "SP1207 .*edited"):
            sinkproof.report(edited, output=self.folder / "r.html")

    def test_a_report_of_a_training_run_with_figures(self):
        run = [sinkproof.audit(self.model, random=2, length=8, loss=True, seed=seed, attention=seed == 1) for seed in (1, 2)]
        page = sinkproof.report(run, output=self.folder / "r.html", steps=[10, 20], figures=self.folder / "figures")
        text = page.output.read_text()
        self.assertIn('data-sort="20">step 20</th>', text)
        places = re.findall(r'data-of="([^"]*)"', text)  # sequence/layer/head of the audit that kept its attention
        self.assertEqual({place for each in places for place in each.split()}, {f"{s}/{l}/{h}" for s in (0, 1) for l in (0, 1) for h in (0, 1)})
        self.assertTrue((self.folder / "figures/training-loss.svg").exists())
        with self.assertRaisesRegex(sinkproof.Error, "SP1508 "):
            sinkproof.report(run, output=self.folder / "r.html", steps=[20, 10])

    def test_sequences_of_several_lengths(self):
        found = sinkproof.audit(self.model, tokens=[[1, 2, 3], [4, 5, 6, 7]], attention=False)
        self.assertEqual([each.shape for each in found.norms["hidden-norm"]], [(3, 3), (3, 4)])

    def test_enclosures_hold_the_estimates(self):
        output = self.folder / "a.json"
        found = sinkproof.audit(self.model, tokens=self.ids, output=output)
        alpha, = (each for each in found.enclosures if (each.readout, each.sequence) == ("alpha", 1))
        self.assertEqual(alpha.lower.shape, (2, 2))
        self.assertTrue((alpha.lower <= found.alpha[1]).all() and (found.alpha[1] <= alpha.upper).all())
        self.assertEqual(sinkproof.check(output, models=self.model).verdict, "proved")
        page = sinkproof.report(output, models=self.model, output=self.folder / "r.html")
        self.assertTrue(page.output.read_text().startswith("<!DOCTYPE html>"))


class Commands(Folder):
    def test_train_and_certify(self):
        made = sinkproof.train(self.folder / "m.safetensors", attention="relu", d_model=8, length=8, steps=5, seed=1)
        self.assertEqual((made.steps, made.outcome, made.output.exists()), (5, "step-limit", True))
        self.assertEqual(sinkproof.certify(made.output, property="bos-floor.pre").model["attention"], "relu")

    def test_prove_and_gate(self):
        proved = sinkproof.prove("loss-to-sink", certificates=self.folder, proofs=OWN_CLAIM / "proofs")
        self.assertEqual((proved.claims["loss-to-sink"]["verdict"], proved.verdict), ("proved", "proved"))
        self.assertEqual((self.folder / "loss-to-sink.json").read_bytes(), (OWN_CLAIM / "certificates/loss-to-sink.json").read_bytes())
        shutil.copy(SOFTMAX, self.folder / "m.safetensors")
        (self.folder / "sinkproof.toml").write_text('[[checkpoint]]\nname = "head"\nmodel = "m.safetensors"\nrequire = ["sup-loss<=0.0001"]\n')
        held = sinkproof.gate(self.folder / "sinkproof.toml")
        self.assertEqual(held.exit_code, 4)  # nobody accepted what it asks: there is no sinkproof.lock
        self.assertIn("refuted", [row["verdict"] for row in held.rows()])
        (self.folder / "sinkproof.toml").write_text("mistaken = 1\n")
        with self.assertRaisesRegex(sinkproof.Error, 'SP1702 .*field "mistaken" is unknown(.|\n)*What to do: '):
            sinkproof.gate(self.folder / "sinkproof.toml")


class Layouts(Folder):
    """A head of d_model 4 in 2 heads of width 2, under the names that others use."""

    def setUp(self):
        super().setUp()
        rng = numpy.random.default_rng(5)
        self.query, self.key, self.value = (rng.normal(size=(2, 4, 2)) / 4 for _ in range(3))  # [head, d, h]
        self.output = rng.normal(size=(2, 2, 4)) / 4  # [head, h, d]
        self.bias = rng.normal(size=(2, 2)) / 4
        flat = [each.transpose(0, 2, 1).reshape(4, 4) for each in (self.query, self.key, self.value)]  # nn.Linear's [out, in]
        out = self.output.reshape(4, 4).T
        self.llama = {f"model.layers.0.self_attn.{name}_proj.weight": each for name, each in zip("qkvo", [*flat, out])}
        self.mha = {"in_proj_weight": numpy.concatenate(flat), "out_proj.weight": out}
        self.gpt2 = {"h.0.attn.c_attn.weight": numpy.concatenate(flat).T, "h.0.attn.c_proj.weight": out.T,
                     "h.0.attn.c_attn.bias": numpy.zeros(12), "h.0.attn.c_proj.bias": numpy.zeros(4)}
        self.lens = {"blocks.0.attn.W_Q": self.query, "blocks.0.attn.W_K": self.key, "blocks.0.attn.W_V": self.value,
                     "blocks.0.attn.W_O": self.output, "blocks.0.attn.mask": numpy.tril(numpy.ones((3, 3), dtype=bool)),
                     "blocks.0.attn.IGNORE": numpy.array(-numpy.inf)}
        self.said = {"attention": "softmax", "length": 4, "residual": False}

    def converted(self, model, **options):
        sinkproof.convert(model, output=self.folder / "m.safetensors", **{**self.said, **options})
        return {name: each.tolist() for name, each in sinkproof.load(self.folder / "m.safetensors")[0].items() if each.any()}

    def test_layouts_by_name(self):
        expected = self.converted(self.llama, num_heads=2, scale=1)
        query = numpy.array(expected["W_Q.weight"]).reshape(2, 4, 4)  # [head, out, in], filled with zeros below width 2
        numpy.testing.assert_array_equal(query[:, :2], self.query.transpose(0, 2, 1))
        self.assertFalse(query[:, 2:].any())
        self.assertEqual(self.converted(self.mha, num_heads=2, scale=1), expected)
        self.assertEqual(self.converted(self.gpt2, num_heads=2, scale=1), expected)
        self.assertEqual(self.converted(self.lens, scale=1), expected)  # the shapes tell the heads
        self.assertEqual(self.converted(Module(self.lens), scale=1), expected)
        self.assertNotEqual(self.converted(self.llama, num_heads=1, scale=1), expected)

    def test_certify_is_about_what_convert_writes(self):
        found = sinkproof.certify(self.lens, property="bos-floor.pre", scale=1, **self.said)
        self.converted(self.lens, scale=1)
        again = sinkproof.certify(self.folder / "m.safetensors", property="bos-floor.pre")
        self.assertEqual((found.model, bounds(found)), (again.model, bounds(again)))

    def test_what_a_torch_module_says_of_itself(self):
        class MultiheadAttention(Module):
            __module__ = "torch.nn.modules.activation"
            num_heads, head_dim, add_zero_attn = 2, 2, False

        class Zero(MultiheadAttention):
            add_zero_attn = True

        class Around(Module):
            def modules(self):
                return [self, module]

        Zero.__name__, Zero.__module__ = MultiheadAttention.__name__, MultiheadAttention.__module__
        module = MultiheadAttention(self.mha)
        found = self.converted(module)
        self.assertEqual(found, self.converted(self.mha, num_heads=2, scale="1/sqrt(2)"))
        self.assertNotEqual(found, self.converted(self.mha, num_heads=2, scale=1))
        self.assertEqual(found, self.converted(module, num_heads=2, scale="1/sqrt(2)"))
        for wrong in ({"num_heads": 1}, {"scale": 1}, {"scale": "1/sqrt(4)"}, {"scale": 0.5}):
            for model in (module, Around(self.mha)):
                with self.assertRaisesRegex(ValueError, f"^{next(iter(wrong))}: .* contradicts the MultiheadAttention"):
                    self.converted(model, **{"num_heads": 2, "scale": "1/sqrt(2)", **wrong})
        module.head_dim = 4  # 1/sqrt(4) is 1/2
        for scale in ("1/2", 0.5, "0.5", "1/sqrt(4)"):
            self.assertEqual(self.converted(module, scale=scale), self.converted(module))
        module = Zero(self.mha)
        self.converted(module, attention="softmax-null")
        self.assertEqual(sinkproof.load(self.folder / "m.safetensors")[1]["attention"], "softmax-null")
        self.said.pop("attention")
        self.converted(module)
        self.assertEqual(sinkproof.load(self.folder / "m.safetensors")[1]["attention"], "softmax-null")
        for model in (module, Around(self.mha)):
            with self.assertRaisesRegex(ValueError, "attention: 'softmax' contradicts .* 'softmax-null'"):
                self.converted(model, attention="softmax", num_heads=2, scale="1/sqrt(2)")

    def test_a_class_of_ones_own_says_nothing(self):
        class MultiheadAttention(Module):
            num_heads, head_dim, add_zero_attn = 2, 2, False

        with self.assertRaisesRegex(sinkproof.Error, "SP1113 .*--num-heads, --scale"):
            self.converted(MultiheadAttention(self.mha))

    def test_biases_of_transformer_lens(self):
        lens = {**self.lens, "blocks.0.attn.b_Q": self.bias, "blocks.0.attn.b_O": numpy.arange(4.0)}
        sinkproof.convert(lens, output=self.folder / "m.safetensors", scale=1, **self.said)
        tensors, metadata = sinkproof.load(self.folder / "m.safetensors")
        self.assertEqual(metadata["num_heads"], "2")
        self.assertEqual(sorted(tensors["W_Q.bias"].reshape(2, 4)[:, :2].ravel()), sorted(self.bias.ravel()))
        self.assertEqual(tensors["W_O.bias"].tolist(), [0, 1, 2, 3])
        with self.assertRaisesRegex(sinkproof.Error, "SP1104 .*3 heads, not 2"):
            sinkproof.certify({**self.lens, "blocks.0.attn.W_K": numpy.ones((3, 4, 2))}, scale=1, **self.said)

    def test_an_irrational_scale_is_folded_into_the_query(self):
        plain, folded = self.folder / "plain.safetensors", self.folder / "folded.safetensors"
        for square in (8, 32):
            sinkproof.convert(self.llama, output=plain, num_heads=2, scale=1, **self.said)
            made = sinkproof.convert(self.llama, output=folded, num_heads=2, scale=f"1/sqrt({square})", **self.said)
            self.assertRegex(made["notes"][0], "nearest float64.* differs from the original")
            (before, _), (after, told) = sinkproof.load(plain), sinkproof.load(folded)
            self.assertEqual(told["scale"], "1")
            for old, new in zip(before["W_Q.weight"].ravel(), after["W_Q.weight"].ravel()):
                self.assertEqual(new, nearest(old, square))
            for name in before.keys() - {"W_Q.weight"}:
                numpy.testing.assert_array_equal(before[name], after[name])
        found = sinkproof.certify(self.llama, num_heads=2, scale="1/sqrt(32)", property="bos-floor.pre", **self.said)
        self.assertEqual(found.model["sha256"], hashlib.sha256(folded.read_bytes()).hexdigest())
        self.assertEqual(found.notes, tuple(made["notes"]))
        rational = sinkproof.convert(self.llama, output=folded, num_heads=2, scale="1/sqrt(16)", **self.said)
        self.assertEqual((rational["notes"], sinkproof.load(folded)[1]["scale"]), ([], "1/4"))

    def test_a_checkpoint_of_a_file_with_an_irrational_scale(self):
        found = sinkproof.certify(SOFTMAX, property="bos-floor.pre", scale="1/sqrt(8)")
        self.assertEqual((found.length, found.model["scale"], len(found.notes)), (8, "1", 1))
        self.assertNotEqual(bounds(found), bounds(sinkproof.certify(SOFTMAX, property="bos-floor.pre")))

    def test_quotients_are_rounded_to_the_nearest(self):
        rng = numpy.random.default_rng(1)
        entries = numpy.concatenate([rng.normal(size=8), 2.0 ** rng.integers(-60, 30, 6), [0.0, -1 / 3]]).reshape(4, 4)
        for square in ("8", "32", "2", "3/2", "1/2"):
            model = {**self.llama, "model.layers.0.self_attn.q_proj.weight": entries}
            sinkproof.convert(model, output=self.folder / "m.safetensors", num_heads=1, scale=f"1/sqrt({square})", **self.said)
            made = sinkproof.load(self.folder / "m.safetensors")[0]["W_Q.weight"]
            for old, new in zip(entries.ravel(), made.ravel()):
                self.assertEqual(new, math.copysign(nearest(old, square), old) if old else 0)

    def test_masks_that_let_queries_see_later_keys_are_refused(self):
        for name, value in (("mask", numpy.ones((3, 3), dtype=bool)), ("IGNORE", numpy.array(-1.0))):
            with self.assertRaises(sinkproof.Error) as raised:
                sinkproof.certify({**self.lens, f"blocks.0.attn.{name}": value}, scale=1, **self.said)
            self.assertEqual(raised.exception.code, "SP1112")

    def test_errors_speak_of_the_callers_model(self):
        with self.assertRaises(sinkproof.Error) as raised:
            sinkproof.certify({**self.lens, "blocks.0.attn.rotary": numpy.ones(2)}, length=4, attention="softmax")
        said = str(raised.exception)
        self.assertNotIn("sinkproof-", said)
        call = re.search(r"^    (sinkproof\.convert\(model, .*\))$", said, re.MULTILINE)[1]
        self.assertIn("scale='1/sqrt(2)'", call)
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        eval(call, {"sinkproof": sinkproof, "model": {**self.lens, "blocks.0.attn.rotary": numpy.ones(2)}})
        self.assertIn("W_Q.weight", sinkproof.load(self.folder / "model.safetensors")[0] if (self.folder / "model.safetensors").exists()
                      else sinkproof.load(next(self.folder.glob("*-converted.safetensors")))[0])
        with self.assertRaises(sinkproof.Error) as raised:
            sinkproof.certify({}, length=4, attention="softmax")
        self.assertEqual((raised.exception.code, raised.exception.where), ("SP1112", "the given model"))


def nearest(number, square):
    """The float nearest to number / sqrt(square), by comparing squares of midpoints."""
    number, square = Fraction(float(number)), Fraction(square)
    best = float(abs(number)) / math.sqrt(square)

    def is_below_quotient(middle):
        return middle * middle * square < number * number

    for _ in range(4):
        above, below = math.nextafter(best, math.inf), math.nextafter(best, 0)
        if above < math.inf and is_below_quotient((Fraction(best) + Fraction(above)) / 2):
            best = above
        elif best > 0 and not is_below_quotient((Fraction(best) + Fraction(below)) / 2):
            best = below
    return math.copysign(best, number)


if __name__ == "__main__":
    warnings.simplefilter("error")
    del sys.argv[1:3]
    unittest.main(verbosity=2)
