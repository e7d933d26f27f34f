"""Several checkpoints and several processes as a user runs them: whatever does the work, and however often it is
stopped, the certificates are the bytes of a plain run.

usage: sweep_test.py BIN_DIR SOURCE_DIR
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction
from pathlib import Path

BIN = Path(sys.argv[1])
SOURCE = Path(sys.argv[2])
CLUSTER = SOURCE / "examples" / "cluster"
NAMES = ("elu1", "heads2", "softmax")  # another kernel by ranges, several heads by rule `stack`, one by trees
LAUNCHERS = ("OMPI_", "SLURM_", "PARALLEL_")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}


def run(*arguments, variables=None, check=None):
    result = subprocess.run([str(BIN / "sinkproof"), *map(str, arguments)], capture_output=True, text=True,
                            env={**ENVIRONMENT, **(variables or {})}, cwd=SOURCE, timeout=200)
    if check is not None and result.returncode != check:
        raise AssertionError(f"exit {result.returncode}: {result.stdout}{result.stderr}")
    return result


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def results(journal):
    return sorted(path for path in journal.glob("*.json") if path.name != "plan.json")


def part(path):
    """What a result is of."""
    return json.loads(path.read_bytes())["unit"]["key"]["part"]


def start(*arguments):
    return subprocess.Popen([str(BIN / "sinkproof"), *map(str, arguments)], env=ENVIRONMENT, cwd=SOURCE)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.models = cls.root / "models"
        cls.models.mkdir()
        cls.plain = {}
        for name in NAMES:
            model = cls.models / f"{name}.safetensors"
            if name == "heads2":  # a small one: of larger ones a process of its own takes seconds for the passes
                run("train", "--attention", "softmax", "--layers", "1", "--heads", "2", "--d-model", "5", "--length",
                    "5", "--steps", "400", "--lr", "0.01", "--seed", "1", "--quiet", "-o", model, check=0)
            else:
                shutil.copy(SOURCE / "examples" / "variants" / model.name, model)
            run("certify", model, "--quiet", "-o", cls.root / "plain.json", check=0)
            cls.plain[f"{name}.json"] = (cls.root / "plain.json").read_bytes()

    def setUp(self):
        self.folder = self.root / self.id().rsplit(".", 1)[1]
        self.folder.mkdir()
        self.journal = self.folder / "journal"
        self.out = self.folder / "out"

    def share(self, *arguments, variables=None):
        result = run("certify", self.models, "--journal", self.journal, "--format", "json", *arguments,
                     variables=variables, check=0)
        return json.loads(result.stdout)

    def merged(self):
        result = run("merge", self.journal, "-o", self.out, "--format", "json")
        return result.returncode, json.loads(result.stdout), result.stderr


class Sweeps(Case):
    def test_a_folder_at_once_gives_the_bytes_and_a_table(self):
        result = run("certify", self.models, "-o", self.out, "--jobs", "2", "--format", "json", check=0)
        self.assertEqual(contents(self.out), self.plain)
        table = json.loads(result.stdout)["checkpoints"]
        self.assertEqual([entry["name"] for entry in table], list(NAMES))
        for entry in table:
            rows = {row["name"]: row for row in entry["properties"]}
            loss, floor = rows["sup-loss.trigger"], rows["bos-floor.pre"]
            self.assertGreater(float(loss["bound"]), float(loss["attained"]))
            self.assertLess(float(floor["bound"]), float(floor["attained"]))
            self.assertGreaterEqual(float(loss["ratio"]) * float(loss["attained"]), float(loss["bound"]))
            self.assertGreater(loss["seconds"], 0)

    def test_the_text_has_a_line_for_each_property_of_each_checkpoint(self):
        text = run("certify", self.models, "--property", "bos-floor.pre", check=0).stdout.splitlines()
        self.assertEqual([line.split()[:2] for line in text[2:]], [["bos-floor.pre", name] for name in NAMES])

    def test_a_threshold_is_asked_of_each(self):
        loss = next(entry for entry in json.loads(self.plain["heads2.json"])["properties"] if entry["name"] == "sup-loss")
        within = float(Fraction(loss["lower"]) + Fraction(loss["upper"])) / 2
        run("certify", self.models, "--quiet", "--require", f"sup-loss<={10 * within}", "--journal", self.journal, check=0)
        asked = [self.models, "--require", f"sup-loss<={within}", "--journal", self.journal]
        code = run("certify", *asked, "--quiet").returncode
        self.assertEqual(code, 3)  # heads2 lies around it
        self.assertEqual(self.merged()[0], 3)

    def test_a_box_is_part_of_what_is_asked(self):
        model = self.models / "elu1.safetensors"
        box = self.folder / "box.json"
        box.write_text('[["-1/2","1/4"]]')
        run("certify", model, "--box", box, "--quiet", "-o", self.folder / "plain.json", check=0)
        self.assertNotEqual((self.folder / "plain.json").read_bytes(), self.plain["elu1.json"])
        run("certify", model, "--quiet", "--journal", self.journal, check=0)
        for k in (1, 2):
            run("certify", model, "--box", box, "--quiet", "--journal", self.journal, "--shard", f"{k}/2", check=0)
        box.unlink()
        run("merge", self.journal, "--quiet", "-o", self.folder / "merged.json", check=0)
        self.assertEqual((self.folder / "merged.json").read_bytes(), (self.folder / "plain.json").read_bytes())

    def test_a_largest_box_is_looked_for_in_each_but_not_kept(self):
        asked = [self.models, "--largest-box", "bos-floor.trigger>=0.0001", "--seconds", "2"]
        result = run("certify", *asked, "--format", "json", "-o", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        for entry in json.loads(result.stdout)["checkpoints"]:
            row = next(row for row in entry["properties"] if row["name"].startswith("largest-box."))
            said = next(said for said in json.loads((self.out / f"{entry['name']}.json").read_text())["properties"]
                        if said["name"] == row["name"])
            self.assertAlmostEqual(float(row["bound"]) / float(Fraction(said["lower"])), 1, 5)
        result = run("certify", *asked, "--journal", self.journal)
        self.assertEqual((result.returncode, "SP1411" in result.stderr), (2, True), result.stderr)

    def test_one_that_fails_does_not_stop_the_others(self):
        models = self.folder / "models"
        shutil.copytree(self.models, models)
        (models / "broken.safetensors").write_bytes(b"no checkpoint")
        result = run("certify", models, "-o", self.out, "--format", "json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("SP04", result.stderr)
        self.assertEqual(contents(self.out), self.plain)

    def test_names_must_differ_and_a_folder_hold_something(self):
        (self.folder / "empty").mkdir()
        twice = [self.models / "elu1.safetensors", SOURCE / "examples" / "variants" / "elu1.safetensors"]
        for models in (twice, [self.folder / "empty"]):
            result = run("certify", *models)
            self.assertEqual((result.returncode, "SP1903" in result.stderr), (2, True), result.stderr)

    def test_a_name_of_two_lines_is_shown_in_one(self):
        for folder in ("one", "other"):
            (self.folder / folder).mkdir()
            shutil.copy(self.models / "elu1.safetensors", self.folder / folder / "a\nerror SP0000  b.safetensors")
        result = run("certify", self.folder / "one", self.folder / "other")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
        self.assertIn("another checkpoint, a\\x0aerror SP0000  b;", result.stderr)

    def test_a_journal_without_a_plan_is_refused(self):
        for plan in (None, "{", "{}", '{"format":"sinkproof-plan-1"}'):
            self.journal.mkdir(exist_ok=True)
            if plan is not None:
                (self.journal / "plan.json").write_text(plan)
            result = run("merge", self.journal)
            self.assertEqual((result.returncode, "SP1904" in result.stderr), (2, True), result.stderr)


class Pages(Case):
    def report(self, *arguments):
        page = self.folder / "report.html"
        result = run("report", *arguments, "--models", self.models, "-o", page)
        return result, page.read_text() if page.exists() else ""

    def rows(self, page):
        """{property: [[certificate, attention, d, L, bound, attained, ratio, perhaps seconds, verdict]]} of the tables."""
        text = page.partition("Side by side: ")[2].partition("</article>")[0]
        plain = lambda cell: re.sub("<[^>]*>", "", cell)
        return {name: [[plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in body.split("<tr>")[1:]]
                for name, body in re.findall(r"<code>([^<]*)</code>(?:</h3>|</summary>).*?<tbody>(.*?)</tbody>", text, re.S)}

    def test_the_report_compares_and_says_the_seconds(self):
        table = run("certify", self.models, "-o", self.out, "--format", "json", check=0).stdout
        sweep = self.folder / "sweep.json"
        sweep.write_text(table)
        certificates = [self.out / f"{name}.json" for name in NAMES]
        result, page = self.report(*certificates, "--sweep", sweep)
        self.assertEqual(result.returncode, 0, result.stderr)
        shown = self.rows(page)
        for place, entry in enumerate(json.loads(table)["checkpoints"]):
            for said in entry["properties"]:
                if said["bound"] is None:
                    continue
                name, _, _, _, bound, attained, ratio, seconds, _ = shown[said["name"]][place]
                self.assertEqual((name, seconds), (entry["name"], f"{said['seconds']:.2f}"))
                self.assertAlmostEqual(float(bound) / float(said["bound"]), 1, 5)
                self.assertAlmostEqual(float(attained) / float(said["attained"]), 1, 5)
                self.assertEqual(ratio, said["ratio"])
        self.assertEqual({len(row) for rows in self.rows(self.report(*certificates)[1]).values() for row in rows}, {8})
        self.assertEqual(self.rows(self.report(certificates[0])[1]), {})

    def test_what_the_checker_rejects_is_not_compared(self):
        run("certify", self.models, "--quiet", "-o", self.out, check=0)
        text = (self.out / "softmax.json").read_text()
        (self.out / "softmax.json").write_text(text.replace('"upper":"', '"upper":"0', 1))
        result, page = self.report(*(self.out / f"{name}.json" for name in NAMES))
        self.assertNotEqual(result.returncode, 0)
        names = {row[0] for rows in self.rows(page).values() for row in rows}
        self.assertEqual(names, {"elu1", "heads2"})

    def test_seconds_come_from_a_table(self):
        run("certify", self.models, "--quiet", "-o", self.out, check=0)
        for text in ("", "[]", '{"checkpoints":[{"sha256":7,"properties":[{}]}]}'):
            (self.folder / "sweep.json").write_text(text)
            result, _ = self.report(self.out / "elu1.json", "--sweep", self.folder / "sweep.json")
            self.assertEqual((result.returncode, "SP1906" in result.stderr), (2, True), result.stderr)


class Shares(Case):
    def test_shares_at_once_merge_into_the_bytes(self):
        shares = [start("certify", self.models, "--journal", self.journal, "--shard", f"{k}/3", "--quiet") for k in (1, 2, 3)]
        self.assertEqual([share.wait(timeout=200) for share in shares], [0, 0, 0])
        code, _, error = self.merged()
        self.assertEqual(code, 0, error)
        self.assertEqual(contents(self.out), self.plain)

    def test_a_share_does_what_others_have_not_done(self):
        said = self.share("--shard", "3/4")
        self.assertEqual(said, {"schema": 1, "share": {"number": 3, "count": 4}, "waiting": []})
        there = {path: path.stat().st_mtime_ns for path in self.journal.iterdir() if path.name != "plan.json"}
        self.assertEqual(self.share("--shard", "1/4")["waiting"], [])
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.journal.iterdir() if path.name != "plan.json"}, there)
        self.assertEqual(self.merged()[0], 0)
        self.assertEqual(contents(self.out), self.plain)

    def test_each_share_begins_elsewhere(self):
        model, first = self.models / "softmax.safetensors", []
        for k in (1, 2, 3):
            run("certify", model, "--journal", self.journal, "--shard", f"{k}/3", "--jobs", "1", "--quiet", check=0)
            properties = [path for path in results(self.journal) if re.match("(bos|sup)-", part(path))]
            first.append(part(min(properties, key=lambda path: path.stat().st_mtime_ns)))
            shutil.rmtree(self.journal)
        self.assertEqual(len(set(first)), 3, first)

    def test_stacks_share_their_bounds(self):
        model = SOURCE / "tests" / "checkpoints" / "pytorch-2l2h-relu.safetensors"
        asked = ["certify", model, "--trigger", "3", "--property", "sup-loss.trigger", "--property",
                 "bos-ceiling.pre", "--seconds", "3"]
        run(*asked, "--quiet", "-o", self.folder / "plain.json", check=0)
        for k in (1, 2):
            run(*asked, "--quiet", "--journal", self.journal, "--shard", f"{k}/2", check=0)
        run("merge", self.journal, "--quiet", "-o", self.folder / "merged.json", check=0)
        merged = json.loads((self.folder / "merged.json").read_text())
        plain = json.loads((self.folder / "plain.json").read_text())
        self.assertEqual([entry["name"] for entry in merged["properties"]],
                         [entry["name"] for entry in plain["properties"]])
        checker = subprocess.run([str(BIN / "sinkproof-check"), "--models", str(model.parent), "--claims",
                                  str(SOURCE / "proofs"), str(self.folder / "merged.json")], timeout=200)
        self.assertEqual(checker.returncode, 0)
        # Which degrees the seconds last for is decided once: anyone who asks again gets the same.
        run(*asked, "--quiet", "--journal", self.journal, "-o", self.folder / "again.json", check=0)
        self.assertEqual((self.folder / "again.json").read_bytes(), (self.folder / "merged.json").read_bytes())

    def test_launchers_say_which(self):
        array = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_STEP": "2",
                 "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}
        mpirun = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}
        for variables, arguments, number, count in (
                (mpirun, (), 2, 4),
                ({"SLURM_PROCID": "2", "SLURM_NTASKS": "3"}, (), 3, 3),
                (array, (), 3, 4),
                ({**array, "SLURM_PROCID": "1", "SLURM_NTASKS": "2"}, (), 6, 8),
                ({**mpirun, "SLURM_PROCID": "0", "SLURM_NTASKS": "9"}, (), 2, 4),
                ({"PARALLEL_SEQ": "4"}, ("--shard", "env/4"), 4, 4),
                (mpirun, ("--shard", "env/5"), 2, 5),
                (mpirun, ("--shard", "3/6"), 3, 6)):
            said = self.share("--property", "bos-floor.pre", *arguments, variables=variables)
            self.assertEqual(said["share"], {"number": number, "count": count}, variables)

    def test_shares_that_there_are_not(self):
        for variables, arguments in (
                ({}, ("--shard", "5/4")), ({}, ("--shard", "0/4")), ({}, ("--shard", "4")), ({}, ("--shard", "env/4")),
                ({"OMPI_COMM_WORLD_RANK": "4", "OMPI_COMM_WORLD_SIZE": "4"}, ()),
                ({"PARALLEL_SEQ": "5"}, ("--shard", "env/4")),
                ({"SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "3"}, ())):
            result = run("certify", self.models, "--journal", self.journal, *arguments, variables=variables)
            self.assertEqual((result.returncode, "SP1902" in result.stderr), (2, True), (variables, result.stderr))
        self.assertIn("SP1902", run("certify", self.models, "--shard", "1/2").stderr)


class Accidents(Case):
    def test_a_run_killed_at_any_moment_goes_on(self):
        model = SOURCE / "tests" / "checkpoints" / "relu-d8-l8.safetensors"
        run("certify", model, "--quiet", "-o", self.folder / "plain.json", check=0)
        asked = ["certify", model, "--quiet", "--jobs", "1", "--journal", self.journal, "-o", self.folder / "cert.json"]
        there, kills = {}, 0
        for target in (1, 4, 7):
            process = start(*asked)
            while process.poll() is None and len(results(self.journal)) < target:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
            for path, stamp in there.items():
                self.assertEqual(path.stat().st_mtime_ns, stamp, "done again")
            there = {path: path.stat().st_mtime_ns for path in results(self.journal)}
        self.assertGreater(kills, 0)
        run(*asked, check=0)
        self.assertEqual((self.folder / "cert.json").read_bytes(), (self.folder / "plain.json").read_bytes())
        for path, stamp in there.items():
            self.assertEqual(path.stat().st_mtime_ns, stamp, "done again")

    def test_damaged_and_foreign_results_are_done_again(self):
        run("certify", self.models, "--quiet", "--journal", self.journal, check=0)
        whole = contents(self.journal)
        # Not what a search alone rests on, which no certificate needs.
        paths = [path for path in results(self.journal) if not part(path).startswith(("ranges", "bounds", "piece"))]
        cut, digit, other, program, form = paths[:5]
        cut.write_bytes(cut.read_bytes()[:100])
        text = digit.read_text()
        place = text.index('"upper":"') + len('"upper":"')
        digit.write_text(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1:])
        shutil.copy(paths[5], other)
        program.write_text(program.read_text().replace('"program":"', '"program":"0'))
        form.write_text('{"result":3}')
        code, table, error = self.merged()
        self.assertEqual(code, 3)
        self.assertEqual(sum(len(entry["missing"]) for entry in table["checkpoints"]), 5, error)
        run("certify", self.models, "--quiet", "--journal", self.journal, "-o", self.out, check=0)
        self.assertEqual(contents(self.out), self.plain)
        again = contents(self.journal)
        self.assertEqual({name: again[name] for name in again if name.endswith(".json")},
                         {name: whole[name] for name in whole if name.endswith(".json")})

    def test_a_checkpoint_that_changed_is_not_merged(self):
        models = self.folder / "models"
        shutil.copytree(self.models, models)
        run("certify", models, "--quiet", "--journal", self.journal, check=0)
        shutil.copy(models / "softmax.safetensors", models / "elu1.safetensors")
        code, table, error = self.merged()
        self.assertEqual((code, "SP1905" in error), (2, True), error)
        self.assertEqual(sorted(contents(self.out)), ["heads2.json", "softmax.json"])

    def test_other_options_are_other_units(self):
        run("certify", self.models, "--quiet", "--journal", self.journal, "--seed", "1", check=0)
        before = len(results(self.journal))
        run("certify", self.models, "--quiet", "--journal", self.journal, "-o", self.out, check=0)
        self.assertEqual(contents(self.out), self.plain)
        self.assertEqual(len(results(self.journal)), 2 * before)


class OneProperty(unittest.TestCase):
    """One checkpoint, one property: what is left to share are the pieces of its search."""

    def pieces(self):
        return {path for path in results(self.journal) if part(path).startswith("piece")}

    def test_what_a_killed_process_found_is_found_by_two_others(self):
        folder = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        self.addCleanup(shutil.rmtree, folder)
        model, self.journal = folder / "model.safetensors", folder / "journal"
        run("train", "--attention", "softmax", "--layers", "1", "--heads", "1", "--d-model", "48", "--length", "8", "--steps",
            "2000", "--lr", "0.01", "--seed", "1", "--quiet", "-o", model, check=0)
        asked = ["certify", model, "--property", "sup-loss.trigger", "--seconds", "100000", "--quiet"]
        run(*asked, "--jobs", "2", "-o", folder / "plain.json", check=0)
        shared = [*asked, "--jobs", "1", "--journal", self.journal, "--shard"]
        first = start(*shared, "1/3")
        while first.poll() is None and not (self.journal.exists() and self.pieces()):
            time.sleep(0.005)
        self.assertIsNone(first.poll(), "there was no piece to be killed at")
        first.kill()
        first.wait()
        found = {path: path.with_suffix(".seconds").stat().st_mtime_ns for path in self.pieces()}
        self.assertFalse(any(part(path) == "sup-loss.trigger" for path in results(self.journal)))
        others = [start(*shared, share) for share in ("2/3", "3/3")]
        self.assertEqual([other.wait(timeout=200) for other in others], [0, 0])
        for path, stamp in found.items():
            self.assertEqual(path.with_suffix(".seconds").stat().st_mtime_ns, stamp, "done again")
        run("merge", self.journal, "--quiet", "-o", folder / "merged.json", check=0)
        self.assertEqual((folder / "merged.json").read_bytes(), (folder / "plain.json").read_bytes())


class Scripts(Case):
    def script(self, name, *arguments, variables=None):
        path = {"PATH": f"{BIN}:{os.environ['PATH']}"}
        return subprocess.run(["bash", str(CLUSTER / name), *map(str, arguments)], capture_output=True, text=True,
                              env={**ENVIRONMENT, **path, **(variables or {})}, cwd=SOURCE, timeout=200)

    def test_a_slurm_array(self):
        for task in (1, 2, 3):
            result = self.script("slurm.sh", self.models, self.folder, variables={
                "SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "3"})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"share {task} of 3", result.stdout)
        self.assertEqual(self.merged()[0], 0)
        self.assertEqual(contents(self.out), self.plain)

    def test_parallel_with_a_stand_in(self):
        stand_in = self.folder / "parallel"
        stand_in.write_text('#!/bin/bash\nwhile [ "$1" != sinkproof ]; do shift; done\n'
                            'while read -r i; do PARALLEL_SEQ=$i "$@" || exit; done\n')
        stand_in.chmod(0o755)
        result = self.script("parallel.sh", 3, self.models, self.folder,
                             variables={"PATH": f"{self.folder}:{BIN}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(contents(self.folder / "certificates"), self.plain)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
