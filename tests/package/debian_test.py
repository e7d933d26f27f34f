"""The Debian packages: built by cpack from the build tree, taken apart by dpkg-deb."""
import gzip
import hashlib
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from installation import BUILD, CMAKE, SOURCE, Folder, main, run

HAS_MODULE = re.search(r"^SINKPROOF_PYTHON:\w+=ON$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
MODULE = "usr/lib/python3/dist-packages/sinkproof"
PAGE = re.compile(r"^usr/share/man/man1/sinkproof[a-z-]*\.1\.gz$")


def fields(package, cwd):
    text = run("dpkg-deb", "-f", package, cwd=cwd)
    return {name: value for name, value in re.findall(r"^([A-Z][A-Za-z-]*): (.*)$", text, re.MULTILINE)}


def names(relations):
    """The packages a field like Depends names."""
    return {re.split(r"[ :]", relation.strip())[0] for relation in relations.split(",")}


class Packages(Folder):
    @classmethod
    def setUpClass(cls):
        cls.output = Path(tempfile.mkdtemp(prefix="sinkproof-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.output)
        cpack = Path(CMAKE).parent / "cpack"
        run(cpack, "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", cls.output, cwd=cls.output)
        found = {path.name.split("_")[0]: path for path in cls.output.glob("*.deb")}
        cls.found = sorted(found)
        cls.packages = list(found.values())
        cls.programs, cls.development = found["sinkproof"], found["sinkproof-dev"]
        cls.module = found.get("python3-sinkproof")

    def contents(self, package):
        """path: (mode, owner) of every entry."""
        entries = {}
        for line in run("dpkg-deb", "-c", package, cwd=self.folder).splitlines():
            mode, owner, _, _, _, path = line.split(maxsplit=5)
            entries[path.split(" -> ")[0].removeprefix("./").rstrip("/")] = (mode, owner)
        return entries

    def test_the_packages_are_what_was_built(self):
        self.assertEqual(self.found, [*(["python3-sinkproof"] if HAS_MODULE else []), "sinkproof", "sinkproof-dev"])

    def test_control_fields(self):
        control = fields(self.programs, self.folder)
        self.assertEqual(control["Package"], "sinkproof")
        self.assertEqual(control["Section"], "science")
        self.assertEqual(control["Maintainer"], "The sinkproof authors <sinkproof@localhost>")
        self.assertRegex(control["Version"], r"^[0-9]+\.[0-9]+\.[0-9]+$")
        self.assertIn("attention sinks", control["Description"])
        self.assertTrue({"libc6", "libstdc++6", "libgmp10", "libssl3", "libfmt9", "libz3-4", "libhwy1"}
                        <= names(control["Depends"]), control["Depends"])
        self.assertFalse([name for name in names(control["Depends"]) if name.endswith("-dev")])
        self.assertEqual(names(control["Recommends"]), {"bubblewrap", "coq", "cvc5", "libcoq-coquelicot", "python3"})
        development = fields(self.development, self.folder)
        self.assertEqual(development["Section"], "libdevel")
        self.assertIn(f"sinkproof (= {control['Version']})", development["Depends"])
        self.assertEqual(names(development["Depends"]), {"sinkproof", "libgmp-dev", "libssl-dev", "libfmt-dev"})

    def test_contents(self):
        programs = self.contents(self.programs)
        for path in ["usr/bin/sinkproof", "usr/bin/sinkproof-check", "usr/bin/sinkproof-check-verified", "usr/bin/sinkproof-recheck",
                     "usr/share/sinkproof/proofs/tc-1/claim.toml", "usr/share/sinkproof/certificates/tc-1.json",
                     "usr/share/doc/sinkproof/copyright", "usr/share/doc/sinkproof/FORMAT.md",
                     "usr/share/man/man1/sinkproof-check.1.gz", "usr/share/man/man1/sinkproof-check-verified.1.gz", "usr/share/man/man1/sinkproof-certify.1.gz",
                     "usr/share/bash-completion/completions/sinkproof", "usr/share/zsh/vendor-completions/_sinkproof",
                     "usr/share/fish/vendor_completions.d/sinkproof.fish"]:
            self.assertIn(path, programs)
        development = self.contents(self.development)
        for path in ["usr/include/sinkproof/check.hpp", "usr/lib/libsinkproof-check.a",
                     "usr/lib/cmake/sinkproof/sinkproofConfig.cmake", "usr/share/doc/sinkproof-dev/copyright"]:
            self.assertIn(path, development)
        files = [path for package in self.packages for path, (mode, _) in self.contents(package).items() if mode[0] != "d"]
        self.assertEqual(len(files), len(set(files)), "a file in two packages")
        pages = {path for path in programs if path.startswith("usr/share/man/man1/")}
        self.assertTrue(all(PAGE.match(path) for path in pages), pages)

    def test_permissions(self):
        executables = {"usr/bin/sinkproof", "usr/bin/sinkproof-check", "usr/bin/sinkproof-check-verified", "usr/share/sinkproof/tools/recheck/__main__.py"}
        for package in self.packages:
            for path, (mode, owner) in self.contents(package).items():
                wanted = {"d": "drwxr-xr-x", "l": "lrwxrwxrwx"}.get(
                    mode[0], "-rwxr-xr-x" if path in executables else "-rw-r--r--")
                self.assertEqual((path, mode, owner), (path, wanted, "root/root"))

    def test_sums_and_programs_of_the_unpacked_package(self):
        for package in self.packages:
            run("dpkg-deb", "-x", package, "root", cwd=self.folder)
            run("dpkg-deb", "-e", package, "control", cwd=self.folder)
            sums = (self.folder / "control" / "md5sums").read_text().splitlines()
            self.assertGreater(len(sums), 5)
            for line in sums:
                digest, path = line.split(maxsplit=1)
                self.assertEqual(hashlib.md5((self.folder / "root" / path).read_bytes()).hexdigest(), digest, path)
            shutil.rmtree(self.folder / "control")
        usr = self.folder / "root" / "usr"
        run(usr / "bin" / "sinkproof", "explain", "tc-1", "--quiet", cwd=self.folder)
        run(usr / "bin" / "sinkproof-recheck", "--accept", "smt,coq", usr / "share/sinkproof/certificates/tc-6.json",
            cwd=self.folder)
        page = gzip.decompress((usr / "share/man/man1/sinkproof-check.1.gz").read_bytes()).decode()
        self.assertIn(".Dt SINKPROOF-CHECK 1", page)

    @unittest.skipUnless(HAS_MODULE, "the module was not built")
    def test_the_module_of_the_unpacked_package(self):
        control = fields(self.module, self.folder)
        self.assertEqual(control["Section"], "python")
        self.assertIn(f"sinkproof (= {control['Version']})", control["Depends"])
        self.assertTrue({"python3", "python3-numpy", "libc6", "libz3-4"} <= names(control["Depends"]), control["Depends"])
        self.assertIn("usr/share/doc/python3-sinkproof/copyright", self.contents(self.module))
        for package in [self.programs, self.module]:
            run("dpkg-deb", "-x", package, ".", cwd=self.folder)
        self.assertEqual({path.name for path in (self.folder / MODULE).glob("*.py")},
                         {path.name for path in (SOURCE / "python" / "sinkproof").glob("*.py")})
        python = "/usr/bin/python3"  # the module finds the program in bin/ of its own prefix
        script = ("import sinkproof, sys; sinkproof.certify(sys.argv[1], property='sup-loss', output='certificate.json'); "
                  "print(sinkproof.check('certificate.json', models=sys.argv[2]).exit_code, sinkproof.__version__)")
        models = SOURCE / "tests/checkpoints"
        said = run("env", f"PYTHONPATH={self.folder / MODULE / '..'}", python, "-c", script,
                   models / "softmax-d8-l8.safetensors", models, cwd=self.folder)
        self.assertEqual(said, f"0 {control['Version']}\n")

    def test_the_version_is_that_of_the_tree(self):  # which tests/build/version_test.py compares everywhere else
        version = fields(self.programs, self.folder)["Version"]
        self.assertIn(f"set(SINKPROOF_VERSION {version})", (SOURCE / "cmake/Version.cmake").read_text())


if __name__ == "__main__":
    main()
