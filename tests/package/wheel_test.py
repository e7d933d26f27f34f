"""The wheel: built by pip from the build tree, installed in a virtual environment, used from an empty folder."""
import base64
import csv
import hashlib
import io
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from installation import BUILD, SOURCE, Folder, main, run

MODELS = SOURCE / "tests" / "checkpoints"
PYTHON = "/usr/bin/python3"


class Wheel(Folder):
    @classmethod
    def setUpClass(cls):
        cls.output = Path(tempfile.mkdtemp(prefix="sinkproof-wheel-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.output)
        cls.program = BUILD / "bin" / "sinkproof"
        cls.built = cls.program.stat().st_mtime_ns
        run(PYTHON, "-m", "pip", "wheel", SOURCE, "--no-build-isolation", "--no-index", "--no-deps", "-w", cls.output, cwd=cls.output)
        cls.wheel, = cls.output.glob("*.whl")
        run(PYTHON, "-m", "venv", "--system-site-packages", cls.output / "venv", cwd=cls.output)  # NumPy is the system's
        cls.bin = cls.output / "venv" / "bin"
        run(cls.bin / "python", "-m", "pip", "install", "--no-index", cls.wheel, cwd=cls.output)

    def test_a_tree_that_is_built_is_not_built_again(self):
        self.assertEqual(self.program.stat().st_mtime_ns, self.built)

    def test_what_is_installed_is_built_for_it(self):
        """In a clean clone nothing is there that the target `distribution` does not make."""
        made = set(re.findall(r'label="([^"]+)"', run("ninja", "-C", BUILD, "-t", "graph", "distribution", cwd=BUILD)))
        outputs = {line.rpartition(": ")[0] for line in run("ninja", "-C", BUILD, "-t", "targets", "all", cwd=BUILD).split("\n")}
        installed = {path for script in BUILD.rglob("cmake_install.cmake") for path in re.findall(rf'"{re.escape(str(BUILD))}/([^"]+)"', script.read_text())}
        needed = {path for path in outputs if any(path == name or path.startswith(name + "/") or path == f"{Path(name).parent}/stamp" for name in installed)}
        self.assertGreater(len(needed), 6)
        self.assertEqual(sorted(needed - made), [])

    def test_the_record_lists_every_file(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            record, = (name for name in names if name.endswith(".dist-info/RECORD"))
            rows = {row[0]: row[1] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(sorted(rows), sorted(names))
            for name in names:
                if name != record:
                    digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual(rows[name], f"sha256={digest}")
        for end in ("scripts/sinkproof", "scripts/sinkproof-check", "data/share/sinkproof/proofs/tc-1/claim.toml",
                    "data/share/sinkproof/certificates/tc-1.json", "data/share/doc/python3-sinkproof/PYTHON.md",
                    "data/share/man/man1/sinkproof.1.gz"):
            self.assertTrue([name for name in names if name.endswith(".data/" + end)], end)
        self.assertIn("sinkproof/py.typed", names)
        self.assertIn("sinkproof/__init__.pyi", names)

    def test_the_module_and_the_programs_from_an_empty_folder(self):
        script = ("import sinkproof, sys; model, models = sys.argv[1:]; "
                  "sinkproof.certify(model, property='sup-loss', output='certificate.json'); "
                  "print(sinkproof.check('certificate.json', models=models).exit_code, "
                  "sinkproof.run('explain', 'tc-1')['exit_code'], sinkproof.__file__)")
        said = run(self.bin / "python", "-c", script, MODELS / "relu-d8-l8.safetensors", MODELS, cwd=self.folder)
        self.assertRegex(said, f"^0 0 {self.output}/venv/")
        for checker in ("sinkproof-check", "sinkproof-recheck"):  # neither is told where the claims are
            run(self.bin / checker, "--models", MODELS, "certificate.json", cwd=self.folder)
        run(self.bin / "sinkproof-check", "--accept", "smt,coq", self.output / "venv/share/sinkproof/certificates/tc-6.json",
            cwd=self.folder)
        self.assertIn("sup-loss.trigger", run(self.bin / "sinkproof", "certify", MODELS / "relu-d8-l8.safetensors", cwd=self.folder))
        installed = self.output / "venv/share/sinkproof/proofs"
        installed.rename(self.folder / "elsewhere")
        try:
            result = subprocess.run([self.bin / "sinkproof-check", "--models", MODELS, "certificate.json"], cwd=self.folder)
            self.assertNotEqual(result.returncode, 0)  # so the claims it found above were the wheel's
        finally:
            (self.folder / "elsewhere").rename(installed)

    def test_pip_removes_all_of_it(self):
        environment = self.folder / "other"
        run(PYTHON, "-m", "venv", environment, cwd=self.folder)
        run(environment / "bin/python", "-m", "pip", "install", "--no-index", "--no-deps", self.wheel, cwd=self.folder)
        run(environment / "bin/python", "-m", "pip", "uninstall", "-y", "sinkproof", cwd=self.folder)
        self.assertEqual([path for path in environment.rglob("*sinkproof*") if path.is_file()], [])


if __name__ == "__main__":
    main()
