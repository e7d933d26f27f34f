"""The Python module says what the command line says, of state_dicts and arrays too, and ends what it began.

usage: module_test.py BUILD SOURCE
"""
import hashlib
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from fractions import Fraction
from pathlib import Path

import numpy

BUILD, SOURCE = (Path(word).resolve() for word in sys.argv[1:3])
PROGRAM = BUILD / "bin" / "sinkproof"
CHECKPOINTS = SOURCE / "tests" / "checkpoints"
SOFTMAX = CHECKPOINTS / "softmax-d8-l8.safetensors"
RELU = CHECKPOINTS / "relu-d8-l8.safetensors"
STACK = CHECKPOINTS / "pytorch-2l2h-softmax.safetensors"
ROWS = SOURCE / "examples" / "costs" / "rank-03.safetensors"

sys.path[:0] = [str(BUILD / "python")]
import sinkproof  # noqa: E402

try:
    import torch
except ImportError:
    torch = None


def command(*words):
    """(exit code, the object) of the program itself."""
    done = subprocess.run([PROGRAM, *map(str, words), "--format", "json"], capture_output=True, text=True, timeout=100)
    return done.returncode, json.loads(done.stdout)


def untimed(value):
    """Without what a clock said."""
    if isinstance(value, dict):
        return {key: untimed(each) for key, each in value.items() if key != "seconds"}
    return [untimed(each) for each in value] if isinstance(value, list) else value


class Tensor:
    """A PyTorch tensor, as far as the module looks at one."""

    def __init__(self, array, dtype):
        self.array, self.dtype, self.shape = array, dtype, array.shape

    def detach(self):
        return self

    def cpu(self):
        return self

    def float(self):
        return Tensor(self.array, "torch.float32")

    def numpy(self):
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.array


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCE)  # where both find proofs/

    def same(self, result, *words):
        code, expected = command(*words)
        found = result if isinstance(result, dict) else result.to_dict()
        self.assertEqual(untimed(found), {**untimed(expected), "exit_code": code})
        return found

    def refused(self, code, function, *arguments, **options):
        with self.assertRaises(sinkproof.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.code, code)
        return caught.exception


class CommandLine(Case):
    def test_certify_a_checkpoint(self):
        result = self.same(sinkproof.certify(RELU), "certify", RELU)
        names = [row["name"] for row in result["properties"]]
        self.assertIn("bos-floor.pre", names)
        self.assertLess(Fraction(result["properties"][0]["lower"]), Fraction(result["properties"][0]["upper"]))

    def test_options_of_every_form(self):
        self.same(sinkproof.certify(str(RELU), property=["sup-loss", "bos-floor.pre"], box=0.5, every_head=True,
                                    require="sup-loss<=0.001", length=7, claims=None, residual=False),
                  "certify", RELU, "--property", "sup-loss", "--property", "bos-floor.pre", "--box", "0.5",
                  "--every-head", "--require", "sup-loss<=0.001", "--length", "7", "--residual", "false")

    def test_several_checkpoints(self):
        result = self.same(sinkproof.certify_many([RELU, SOFTMAX], property="bos-floor.pre"),
                           "certify", RELU, SOFTMAX, "--property", "bos-floor.pre")
        self.assertEqual(len(result["checkpoints"]), 2)

    def test_check(self):
        certificate = self.folder / "certificate.json"
        sinkproof.certify(RELU, property="sup-loss", output=certificate)
        words = "check", certificate, "--models", CHECKPOINTS
        self.assertEqual(self.same(sinkproof.check(certificate, models=CHECKPOINTS), *words)["exit_code"], 0)
        certificate.write_text(certificate.read_text().replace('"lower":"', '"lower":"9', 1))
        rejected = self.same(sinkproof.check(certificate, models=CHECKPOINTS), *words)
        self.assertEqual((rejected["exit_code"], rejected["files"][0]["verdict"]), (4, "rejected"))

    def test_report(self):
        certificate, page, other = (self.folder / name for name in ("certificate.json", "page.html", "other.html"))
        sinkproof.certify(RELU, property="sup-loss", output=certificate)
        result = sinkproof.report([certificate], models=CHECKPOINTS, output=page, require=["sup-loss<=0.03"]).to_dict()
        code, expected = command("report", certificate, "--models", CHECKPOINTS, "-o", other, "--require", "sup-loss<=0.03")
        self.assertEqual(result, {**expected, "output": str(page), "exit_code": code})
        self.assertEqual(page.read_bytes(), other.read_bytes())
        self.assertEqual((result["files"][0]["verdict"], result["files"][0]["thresholds"][0]["verdict"]), ("proved", "proved"))

    def test_any_verb(self):
        self.same(sinkproof.run("explain", "tc-1"), "explain", "tc-1")

    def test_every_option_is_a_keyword(self):
        for verb in ("audit", "certify", "check", "convert", "cost", "gate", "measure", "prove", "report", "sink-share", "train"):
            said = subprocess.run([PROGRAM, verb, "--help"], capture_output=True, text=True, check=True).stdout
            flags = set(re.findall(r"^ +(?:-\w, ?)?--([a-z-]+)", said, re.MULTILINE)) - {"help", "format", "quiet"}
            self.assertGreater(len(flags), 3)
            described = set(re.findall(r"^  (\w+): ", getattr(sinkproof, verb.replace("-", "_")).__doc__, re.MULTILINE))
            self.assertLessEqual({flag.replace("-", "_") for flag in flags}, described, verb)


class Arrays(Case):
    def test_a_state_dict_is_the_checkpoint_that_save_writes(self):
        tensors, metadata = sinkproof.load(RELU)
        self.assertEqual(metadata["seq_len"], "8")
        model = self.folder / "model.safetensors"
        said = {"attention": "relu", "length": 7, "scale": Fraction(1, 2), "residual": False}
        sinkproof.save(model, tensors, **said)
        again, told = sinkproof.load(model)
        self.assertEqual(told, {"attention": "relu", "seq_len": "7", "scale": "1/2", "residual": "false"})
        for name, array in tensors.items():
            self.assertEqual((again[name].dtype, again[name].tolist()), (array.dtype, array.tolist()))
        result = self.same(sinkproof.certify(tensors, **said), "certify", model)
        self.assertEqual(result["model"]["sha256"], hashlib.sha256(model.read_bytes()).hexdigest())
        self.assertEqual(result["model"]["overrides"], [])

    def test_a_certificate_of_a_state_dict_is_about_what_save_writes(self):
        tensors, _ = sinkproof.load(RELU)
        told = {"attention": "relu", "length": 8}
        sinkproof.certify(tensors, property="sup-loss", output=self.folder / "certificate.json", **told)
        self.refused("SP0903", sinkproof.check, self.folder / "certificate.json")
        sinkproof.save(self.folder / "model.safetensors", tensors, **told)
        self.assertEqual(sinkproof.check(self.folder / "certificate.json").exit_code, 0)

    def test_dtypes_and_layouts_keep_their_values(self):
        wide = numpy.linspace(-1, 1, 64).reshape(8, 8)
        given = {"f8": wide, "f4": wide.astype("f4"), "f2": wide.astype("f2"), "big": wide.astype(">f8"),
                 "turned": wide.T, "part": wide[::2, 1:], "i8": numpy.arange(5), "flag": numpy.array([True, False]),
                 "scalar": numpy.float32(0.5), "empty": numpy.zeros((0, 3))}
        sinkproof.save(self.folder / "all.safetensors", given)
        read, metadata = sinkproof.load(self.folder / "all.safetensors")
        self.assertEqual(metadata, {})
        self.assertEqual({name: (array.shape, array.tolist()) for name, array in read.items()},
                         {name: (numpy.shape(array), numpy.asarray(array).tolist()) for name, array in given.items()})
        self.assertEqual(read["f2"].dtype, numpy.float16)
        read["f8"][0, 0] = 5  # nobody else's

    def test_tensors_of_pytorch(self):
        exact = numpy.array([1, -0.5, 3.140625, 2.0**-130, 0], dtype=numpy.float32)  # bfloat16 holds them
        sinkproof.save(self.folder / "own.safetensors", {"half": Tensor(exact, "torch.bfloat16"), "whole": Tensor(exact, "torch.float32")})
        read, _ = sinkproof.load(self.folder / "own.safetensors")
        self.assertEqual((read["half"].tolist(), read["whole"].tolist()), (exact.tolist(), exact.tolist()))
        self.assertIn(b'"BF16"', (self.folder / "own.safetensors").read_bytes())
        if torch is None:
            return
        real = torch.tensor(exact, requires_grad=True)
        sinkproof.save(self.folder / "real.safetensors", {"half": real.bfloat16(), "whole": real})
        self.assertEqual((self.folder / "real.safetensors").read_bytes(), (self.folder / "own.safetensors").read_bytes())

    def test_measure_rows(self):
        rows = sinkproof.load(ROWS)[0]
        (name, array), = rows.items()
        sinkproof.save(self.folder / "rows.safetensors", {"rows": array})
        result = self.same(sinkproof.measure(array, property="hull-distance", vectors=numpy.array([0, 2, 3])), "measure",
                           self.folder / "rows.safetensors", "--property", "hull-distance", "--vectors", "0,2,3")
        self.assertEqual(result["measurements"][0]["tensor"], "rows")

    def test_measure_a_model_on_tokens(self):
        rng = numpy.random.default_rng(0)
        tokens = rng.uniform(-1, 1, (8, 8))
        sinkproof.save(self.folder / "tokens.safetensors", {"rows": tokens})
        result = sinkproof.sink_share(SOFTMAX, tokens=tokens)
        self.same(result, "sink-share", SOFTMAX, "--tokens", self.folder / "tokens.safetensors")

    def test_cost_of_an_array_in_given_roles(self):
        embeddings = numpy.eye(4)
        roles = {"bos": 0, "groups": [[1, 2]], "copies": [3]}
        sinkproof.save(self.folder / "rows.safetensors", {"rows": embeddings})
        (self.folder / "roles.json").write_text(json.dumps(roles))
        self.same(sinkproof.cost(embeddings, pattern="sink-A", roles=roles), "cost", self.folder / "rows.safetensors",
                  "--pattern", "sink-A", "--roles", self.folder / "roles.json")

    def test_the_witness_of_a_refutation_is_an_array(self):
        witness = self.folder / "witness.safetensors"
        result = sinkproof.certify(RELU, property="sup-loss", require="sup-loss<=0.001", save_witness=witness).to_dict()
        self.assertEqual((result["exit_code"], result["properties"][0]["verdict"]), (1, "refuted"))
        tokens = sinkproof.load(witness)[0]["tokens"]
        said = [[float(Fraction(x)) for x in row] for row in result["properties"][0]["witness"]["tokens"]]
        self.assertEqual(tokens.reshape(8, 8).tolist(), said)


class Refusals(Case):
    def test_a_coded_error(self):
        error = self.refused("SP0201", sinkproof.certify, self.folder / "none.safetensors")
        self.assertEqual(error.where, str(self.folder / "none.safetensors"))
        self.assertIn("cannot open", error.what)
        self.assertEqual(str(error), f"SP0201 {error.where}: {error.what}\nWhat to do: check the path")
        self.assertEqual((error.field, error.message, error.remedy), (error.where, error.what, "check the path"))
        again = pickle.loads(pickle.dumps(error))  # as a pool of processes hands it on
        self.assertEqual((type(again), again.args), (sinkproof.Error, error.args))

    def test_what_the_checker_says_of_other_files_is_kept(self):
        good = self.folder / "good.json"
        sinkproof.certify(RELU, property="sup-loss", output=good)
        error = self.refused("SP0201", sinkproof.check, [good, "none.json"], models=CHECKPOINTS)
        self.assertEqual(error.where, "none.json")
        self.assertEqual([row["verdict"] for row in error.result["files"]], ["proved", "unknown"])
        self.refused("SP0201", sinkproof.report, "none.json", output=self.folder / "page.html")

    def test_a_value_that_an_option_refuses(self):
        error = self.refused(None, sinkproof.certify, RELU, length=2)
        self.assertTrue(error.what.startswith("--length: ") and "2" in error.what, error.what)

    def test_names_that_do_not_exist(self):
        with self.assertRaisesRegex(TypeError, "certify.. got an unexpected keyword argument 'lenght'"):
            sinkproof.certify(RELU, lenght=8)
        with self.assertRaisesRegex(TypeError, "'format'"):
            sinkproof.certify(RELU, format="text")
        with self.assertRaisesRegex(TypeError, "'lenght'"):
            sinkproof.save(self.folder / "m.safetensors", {}, lenght=8)
        with self.assertRaisesRegex(ValueError, "cerify"):
            sinkproof.run("cerify", RELU)

    def test_what_save_refuses(self):
        path, weight = self.folder / "m.safetensors", numpy.ones((2, 2))
        masked = numpy.ma.masked_array(weight, mask=[[True, False], [False, False]])
        nan, inf = weight.copy(), weight.astype("f2")
        nan[1, 0], inf[0, 1] = numpy.nan, numpy.inf
        text = numpy.array([["a", "b"]])
        for kind, message, tensors, said in (
                (TypeError, "a: a masked array", {"a": masked}, {}), (ValueError, "a: entry 2 ", {"a": nan}, {}),
                (ValueError, "a: entry 1 ", {"a": inf}, {}), (TypeError, "a: dtype object", {"a": numpy.array([None])}, {}),
                (TypeError, "a: dtype <U1", {"a": text}, {}), (TypeError, "a: dtype complex128", {"a": weight * 1j}, {}),
                (ValueError, "a: entry 0 ", {"a": Tensor(numpy.array([numpy.nan], dtype="f4"), "torch.bfloat16")}, {}),
                (TypeError, "name of a tensor", {1: weight}, {}), (ValueError, "__metadata__", {"__metadata__": weight}, {}),
                (TypeError, "a.x1b: dtype object", {"a\x1b": numpy.array([None])}, {}), (TypeError, "state_dict", weight, {}),
                (TypeError, "residual must be True or False, not 'no'", {}, {"residual": "no"}),
                (TypeError, "residual must be", {}, {"residual": 1}), (TypeError, "num_heads must be an integer, not True", {}, {"num_heads": True}),
                (TypeError, "length must be an integer", {}, {"length": "8"}), (TypeError, "length must be", {}, {"length": 8.0}),
                (ValueError, "num_layers must be at least 1", {}, {"num_layers": 0}), (ValueError, "length must be", {}, {"length": -3}),
                (TypeError, "attention must be text", {}, {"attention": 1}), (ValueError, "attention must not be", {}, {"attention": ""}),
                (TypeError, "scale must be", {}, {"scale": True}), (ValueError, "scale must be positive and finite", {}, {"scale": numpy.nan}),
                (ValueError, "scale must be", {}, {"scale": float("inf")}), (ValueError, "scale must be", {}, {"scale": 0}),
                (TypeError, "scale must be", {}, {"scale": [1]})):
            with self.assertRaisesRegex(kind, message):
                sinkproof.save(path, tensors, **said)
            self.assertFalse(path.exists())
        with self.assertRaisesRegex(TypeError, "masked array"):
            sinkproof.measure(masked)
        with self.assertRaisesRegex(TypeError, "residual must be"):
            sinkproof.certify(sinkproof.load(RELU)[0], attention="relu", length=8, residual="no")
        sinkproof.save(path, {"a": weight}, scale=0.1, num_heads=numpy.int64(2), residual=numpy.bool_(True))
        self.assertEqual(sinkproof.load(path)[1], {"scale": str(Fraction(0.1)), "num_heads": "2", "residual": "true"})

    def test_no_output_is_an_input(self):
        model = self.folder / "m.safetensors"
        shutil.copyfile(RELU, model)
        self.refused("SP0204", sinkproof.certify, model, output=model)
        self.assertEqual(model.read_bytes(), RELU.read_bytes())

    def test_a_state_dict_that_is_no_checkpoint(self):
        tensors, _ = sinkproof.load(RELU)
        self.refused("SP1102", sinkproof.certify, tensors)
        self.refused("SP1103", sinkproof.certify, {"W_Q.weight": tensors["W_Q.weight"]}, attention="relu", length=8)
        whole = {**tensors, "W_Q.weight": numpy.ones((8, 8), dtype=int)}
        self.refused("SP0404", sinkproof.certify, whole, attention="relu", length=8)
        with self.assertRaisesRegex(TypeError, "W_Q.weight: dtype complex128"):
            sinkproof.certify({"W_Q.weight": numpy.ones((8, 8), dtype=complex)}, attention="relu", length=8)

    def test_files(self):
        self.refused("SP0203", sinkproof.save, self.folder / "none" / "m.safetensors", {})
        (self.folder / "cut.safetensors").write_bytes(RELU.read_bytes()[:-1])
        self.refused("SP0403", sinkproof.load, self.folder / "cut.safetensors")

    def test_a_name_that_looks_like_an_option(self):
        os.chdir(self.folder)
        shutil.copy(RELU, "--help")
        self.assertEqual(sinkproof.certify("--help", property="sup-loss", claims=SOURCE / "proofs").exit_code, 0)


def children():
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()


def is_running(process):
    """Not if all that is left of it waits for somebody to take note."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Processes(Case):
    def test_progress(self):
        told = []
        sinkproof.certify(RELU, progress=lambda *each: told.append(each))
        self.assertGreater(len(told), 0)
        for doing, share, seconds_left in told:
            self.assertTrue(doing and 0 <= share <= 1 and (seconds_left is None or seconds_left >= 0), told)

    def test_what_progress_raises_ends_the_search(self):
        begun = []

        def stop(*_):
            begun.extend(children())
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            sinkproof.certify(STACK, output=self.folder / "certificate.json", progress=stop)
        self.assertEqual((len(begun), children(), os.listdir(self.folder)), (1, [], []))

    def test_a_search_that_dies_is_an_error(self):
        def kill(*_):
            os.kill(int(children()[0]), signal.SIGSEGV)

        error = self.refused("SP0999", sinkproof.certify, STACK, progress=kill)
        self.assertIn("SIGSEGV", error.what)

    def long_search(self):
        """A caller whose search is under way; its temporary files go to a folder of their own."""
        (self.folder / "temporary").mkdir()
        caller = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("interrupted.py"), STACK, self.folder / "certificate.json"],
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "TMPDIR": str(self.folder / "temporary")})
        self.assertEqual(caller.stdout.readline(), "under way\n")
        return caller

    def test_an_interrupt(self):
        with self.long_search() as caller:
            caller.send_signal(signal.SIGINT)
            self.assertEqual(caller.stdout.read(), "interrupted, 1 child, left []\n")
        self.assertEqual((caller.returncode, os.listdir(self.folder), os.listdir(self.folder / "temporary")), (0, ["temporary"], []))

    def test_a_search_ends_when_its_caller_is_killed(self):
        with self.long_search() as caller:
            search, = Path(f"/proc/{caller.pid}/task/{caller.pid}/children").read_text().split()
            caller.kill()
        deadline = time.monotonic() + 30
        while is_running(search) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertFalse(is_running(search))

    def test_two_threads(self):
        results = {}
        threads = [threading.Thread(target=lambda path=path: results.update({path: sinkproof.certify(path, property="bos-floor.pre")}))
                   for path in (RELU, SOFTMAX)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for path in (RELU, SOFTMAX):
            self.assertEqual(results[path].model["sha256"], hashlib.sha256(path.read_bytes()).hexdigest())

    def test_a_journal_names_the_program(self):
        sinkproof.certify(RELU, property="sup-loss", journal=self.folder)
        program = hashlib.sha256(PROGRAM.read_bytes()).hexdigest()
        said = [path for path in self.folder.rglob("*") if path.is_file() and program in path.read_text()]
        self.assertGreater(len(said), 0)


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main(verbosity=2)
