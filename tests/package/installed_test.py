"""The installed programs, run from elsewhere, find the installed theory and decide as they should."""
import json
import re
import shutil
import subprocess

from installation import SOURCE, Installed, main, run

PROGRAMS = ["sinkproof", "sinkproof-check", "sinkproof-recheck"]


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def tracked(folder):
    """The files of the source's folder that git knows, save its own lists, by their path in it."""
    names = subprocess.run(["git", "ls-files", "-z", folder], cwd=SOURCE, capture_output=True, check=True).stdout
    paths = [SOURCE / name for name in names.decode().split("\0") if name and not name.endswith(".gitignore")]
    return {str(path.relative_to(SOURCE / folder)): path.read_bytes() for path in paths if path.exists()}


class Programs(Installed):
    def test_versions(self):
        for name in ["sinkproof", "sinkproof-check"]:
            self.assertRegex(run(self.program(name), "--version", cwd=self.folder), rf"^{name} [0-9]+\.[0-9]+\.[0-9]+\n")

    def test_the_theory_is_installed_whole(self):
        self.assertTrue((SOURCE / ".git").exists(), "the list of files is git's")
        for folder in ["proofs", "certificates"]:
            self.assertEqual(tree(self.share / folder), tracked(folder))
        for folder in ["examples/variants", "examples/gate", "examples/own-claim"]:
            self.assertEqual(tree(self.share / folder), tracked(folder))

    def test_installed_certificates_are_accepted_from_anywhere(self):
        for name in ["sinkproof-check", "sinkproof-recheck"]:
            lines = run(self.program(name), "--accept", "smt,coq", self.share / "certificates" / "tc-1.json",
                        self.share / "examples" / "variants" / "softmax.json", cwd=self.folder)
            self.assertEqual(lines.count("proved"), 2, lines)
        run(self.program("sinkproof-check"), self.share / "certificates" / "tc-1.json", cwd=self.folder, expect=3)

    def test_the_proved_checker_judges_witnesses_from_anywhere(self):
        text = run(self.program("sinkproof-check-verified"), self.share / "examples" / "variants" / "softmax.json", cwd=self.folder, expect=3)
        self.assertIn("sup-loss.pre: lower proved; upper not covered", text)

    def test_a_certificate_elsewhere_finds_the_installed_claims(self):
        shutil.copy(self.share / "certificates" / "tc-6.json", self.folder)
        for name in ["sinkproof-check", "sinkproof-recheck"]:
            run(self.program(name), "--accept", "smt,coq", "tc-6.json", cwd=self.folder)

    def test_an_edited_certificate_is_rejected(self):
        path = self.folder / "tc-6.json"
        certificate = json.loads((self.share / "certificates" / "tc-6.json").read_text())
        del certificate["steps"][0]
        path.write_text(json.dumps(certificate, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n")
        for name in ["sinkproof-check", "sinkproof-recheck"]:
            run(self.program(name), "--accept", "smt,coq", path, cwd=self.folder, expect=4)

    def test_explain_from_anywhere(self):
        text = run(self.program("sinkproof"), "explain", "tc-1", cwd=self.folder)
        self.assertIn("status of its certificate: proved by", text)
        report = json.loads(run(self.program("sinkproof"), "explain", "tc-8", "--format", "json", cwd=self.folder))
        self.assertEqual(report["verdict"], "proved")
        self.assertGreater(sum(1 for row in report["variants"] if row["trained"]), 5, report["variants"])

    def test_report_and_prove_from_anywhere(self):
        run(self.program("sinkproof"), "report", self.share / "certificates" / "tc-6.json", "--accept", "smt,coq",
            cwd=self.folder)
        self.assertIn("tc-6", (self.folder / "report.html").read_text())
        run(self.program("sinkproof"), "prove", "no-such-claim", cwd=self.folder, expect=2)

    def test_the_gate_finds_the_theorems_that_came_with_it(self):
        shutil.copytree(self.share / "examples" / "gate", self.folder / "repository")
        text = run(self.program("sinkproof"), "gate", "--locked", cwd=self.folder / "repository")
        self.assertIn("tc-1", text)
        self.assertIn("green: ", text)

    def test_the_working_directory_comes_first(self):
        (self.folder / "proofs").mkdir()
        run(self.program("sinkproof"), "explain", "tc-1", cwd=self.folder, expect=2)

    def test_documents(self):
        doc = self.prefix / "share" / "doc" / "sinkproof"
        for name in ["README.md", "TRUST.md", "LICENSE", "CHANGELOG.md", "FORMAT.md", "CHECKPOINT_RULES.md",
                     "STACK_RULES.md", "VECTOR_RULES.md", "THEORY.md", "TRUST_THEORY.md", "ERRORS.md", "EMBEDDING.md", "GATE.md", "CITATION.cff"]:
            self.assertGreater((doc / name).stat().st_size, 0, name)

    def test_no_path_of_the_build_is_installed(self):
        """A link to ../src/ is none, also where the source is in /src."""
        built = re.compile(rb"(?<!\.)" + re.escape(str(SOURCE).encode()) + b"/")
        for path in self.prefix.rglob("*"):
            if path.is_file():
                self.assertIsNone(built.search(path.read_bytes()), path)

    def test_citation(self):
        lines = (SOURCE / "CITATION.cff").read_text().splitlines()
        self.assertIn("cff-version: 1.2.0", lines)
        version = run(self.program("sinkproof"), "--version", cwd=self.folder).split()[1]
        self.assertIn(f"version: {version}", lines)
        theory = (SOURCE / "docs" / "THEORY.md").read_text()
        sources = [line.split('"')[1] for line in lines if line.strip().startswith("title: \"arXiv")]
        self.assertEqual(len(sources), 3)
        for source in sources:
            self.assertIn(source, theory)
        self.assertIn(version, (SOURCE / "CHANGELOG.md").read_text())


if __name__ == "__main__":
    main()
