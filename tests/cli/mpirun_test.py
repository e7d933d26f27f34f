"""Shares of Open MPI's mpirun, one of them killed in the middle. Skipped (exit 77) where there is no mpirun.

usage: mpirun_test.py BIN_DIR SOURCE_DIR
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BIN = Path(sys.argv[1])
SOURCE = Path(sys.argv[2])
SCRIPT = SOURCE / "examples" / "cluster" / "mpirun.sh"
NAMES = ("softmax-d8-l8", "relu-d8-l8")
# More processes than processors, and tests may run as root.
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def start(models, out):
    return subprocess.Popen(["bash", str(SCRIPT), "4", str(models), str(out)], env=ENVIRONMENT, cwd=SOURCE,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ranks(journal):
    """The processes that certify into this journal."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if words and words[0].endswith(b"sinkproof") and str(journal).encode() in words:
            found.append(int(entry.name))
    return found


class Ranks(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="sinkproof-test-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.models = self.root / "models"
        self.models.mkdir()
        self.plain = {}
        for name in NAMES:
            model = SOURCE / "tests" / "checkpoints" / f"{name}.safetensors"
            shutil.copy(model, self.models)
            subprocess.run([str(BIN / "sinkproof"), "certify", str(model), "--quiet", "-o", str(self.root / "plain")],
                           check=True, cwd=SOURCE, timeout=200)
            self.plain[f"{name}.json"] = (self.root / "plain").read_bytes()

    def certificates(self):
        return {path.name: path.read_bytes() for path in (self.root / "out" / "certificates").iterdir()}

    def test_four_ranks_give_the_bytes_of_a_plain_run(self):
        process = start(self.models, self.root / "out")
        said = process.communicate(timeout=200)[0]
        self.assertEqual(process.returncode, 0, said)
        for k in (1, 2, 3, 4):
            self.assertIn(f"share {k} of 4 (from OMPI_COMM_WORLD_RANK)", said)
        self.assertEqual(self.certificates(), self.plain)

    def test_a_rank_that_is_killed_is_made_up_for(self):
        journal = self.root / "out" / "journal"
        process = start(self.models, self.root / "out")
        killed = []
        while process.poll() is None and not killed:
            if len(list(journal.glob("*.json"))) > 2:
                killed = ranks(journal)[-1:]
                for rank in killed:
                    os.kill(rank, signal.SIGKILL)
            time.sleep(0.002)
        said = process.communicate(timeout=200)[0]
        self.assertTrue(killed, said)
        self.assertNotEqual(process.returncode, 0, said)
        process = start(self.models, self.root / "out")
        said = process.communicate(timeout=200)[0]
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(self.certificates(), self.plain)


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        print("skipped: no mpirun here (Debian: openmpi-bin)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]])
