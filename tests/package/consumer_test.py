"""The project of docs/EMBEDDING.md, as it stands on the page, against an installation: a plain cmake configures
it, its program accepts good certificates and rejects edited ones."""
import json
import re
import shutil

from installation import CMAKE, SOURCE, Installed, main, run

PAGE = (SOURCE / "docs" / "EMBEDDING.md").read_text()


def block(language):
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    if len(blocks) != 1:
        raise AssertionError(f"the page has {len(blocks)} blocks of {language}")
    return blocks[0]


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


class Consumer(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.project = cls.prefix / "consumer"
        cls.project.mkdir()
        (cls.project / "CMakeLists.txt").write_text(block("cmake"))
        (cls.project / "accept.cpp").write_text(block("cpp"))
        cls.configured = run(CMAKE, "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={cls.prefix}", cwd=cls.project)
        run(CMAKE, "--build", "build", cwd=cls.project)
        cls.accept = cls.project / "build" / "accept"

    def test_a_theory_certificate(self):
        text = run(self.accept, self.share / "certificates" / "tc-1.json", cwd=self.folder)
        self.assertRegex(text, r"^tc-1: proved by exact")

    def test_an_edited_theory_certificate(self):
        certificate = json.loads((self.share / "certificates" / "tc-1.json").read_text())
        certificate["steps"][0]["name"] = "another"
        path = self.folder / "tc-1.json"
        path.write_text(canonical(certificate))
        self.assertIn("rejected", run(self.accept, path, cwd=self.folder, expect=4))

    def test_a_checkpoint_by_file_and_by_bytes(self):
        variants = self.share / "examples" / "variants"
        for words in [["softmax.json"], ["softmax.json", "softmax.safetensors"]]:
            text = run(self.accept, *[variants / word for word in words], cwd=self.folder)
            self.assertEqual(text, "checkpoint: proved by exact\n")
        run(self.accept, variants / "softmax.json", variants / "relu.safetensors", cwd=self.folder, expect=2)

    def test_an_edited_checkpoint_certificate(self):
        variants = self.share / "examples" / "variants"
        shutil.copy(variants / "softmax.safetensors", self.folder)
        certificate = json.loads((variants / "softmax.json").read_text())
        loss = next(item for item in certificate["properties"] if item["name"] == "sup-loss")
        loss["upper"] = loss["lower"]
        path = self.folder / "softmax.json"
        path.write_text(canonical(certificate))
        for words in [[path], [path, self.folder / "softmax.safetensors"]]:
            self.assertIn("rejected", run(self.accept, *words, cwd=self.folder, expect=4))
        path.write_text("{}")
        self.assertIn("SP0502", run(self.accept, path, cwd=self.folder, expect=4))

    def test_what_is_linked(self):
        linked = run("ldd", self.accept, cwd=self.folder)
        self.assertIn("libgmp", linked)
        for absent in ["libmpfi", "libz3", "libhwy"]:
            self.assertNotIn(absent, linked)

    def test_the_header_is_the_only_one(self):
        headers = [str(path.relative_to(self.prefix)) for path in (self.prefix / "include").rglob("*") if path.is_file()]
        self.assertEqual(headers, ["include/sinkproof/check.hpp"])


class Versions(Installed):
    def accepts(self, wanted):
        version = next(self.prefix.rglob("sinkproofConfigVersion.cmake"))
        parts = wanted.split(".")
        script = self.folder / "version.cmake"
        script.write_text(f"set(PACKAGE_FIND_VERSION {wanted})\nset(PACKAGE_FIND_VERSION_MAJOR {parts[0]})\n"
                          f"set(PACKAGE_FIND_VERSION_MINOR {parts[1]})\nset(CMAKE_SIZEOF_VOID_P 8)\n"
                          f"include({version})\nmessage(\"${{PACKAGE_VERSION_COMPATIBLE}}\")\n")
        script_run = run("sh", "-c", f"'{CMAKE}' -P version.cmake 2>&1", cwd=self.folder)
        return script_run.strip() == "TRUE"

    def test_the_same_minor_version_is_compatible(self):
        version = run(self.program("sinkproof"), "--version", cwd=self.folder).split()[1]
        major, minor, patch = (int(part) for part in version.split("."))
        self.assertTrue(self.accepts(f"{major}.{minor}"))
        self.assertTrue(self.accepts(version))
        self.assertFalse(self.accepts(f"{major}.{minor}.{patch + 1}"))
        self.assertFalse(self.accepts(f"{major}.{minor + 1}"))
        self.assertFalse(self.accepts(f"{major + 1}.{minor}"))


if __name__ == "__main__":
    main()
