"""Manual pages and completions say what the programs' --help says: every command, every option, both ways."""
import gzip
import re
import shutil
import subprocess

from installation import Installed, main, run

OTHER_CHECKERS = ["sinkproof-check-verified", "sinkproof-recheck"]
OPTION = re.compile(r"^  (-[^\s,]+(?:, ?-[^\s,]+)*)")


def options_of_help(text):
    """The names of options a --help lists: those that begin a line."""
    names = set()
    for line in text.splitlines():
        found = OPTION.match(line)
        if found:
            names.update(name for name in re.split(r",\s*", found[1]) if name)
    return names


def options_of_page(page):
    """The names of options an mdoc page lists under OPTIONS."""
    section = re.search(r"^\.Sh OPTIONS\n(.*?)^\.Sh ", page, re.DOTALL | re.MULTILINE)[1]
    names = set()
    for line in re.findall(r"^\.It (Fl .*)$", section, re.MULTILINE):
        names.update("-" + name.replace("\\", "") for name in re.findall(r"Fl (\S+)", line))
    return names


def long_only(names):
    return {name for name in names if name.startswith("--")}


class Help(Installed):
    """An installation with what its programs say of themselves."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.help = run(cls.prefix / "bin" / "sinkproof", "--help", cwd=cls.prefix)
        section = cls.help.split("Commands:\n")[1]
        cls.verbs = re.findall(r"^  ([a-z][a-z-]*)", section, re.MULTILINE)
        cls.helps = {verb: run(cls.prefix / "bin" / "sinkproof", verb, "--help", cwd=cls.prefix) for verb in cls.verbs}


class Pages(Help):
    def page(self, name):
        return gzip.decompress((self.prefix / "share" / "man" / "man1" / f"{name}.1.gz").read_bytes()).decode()

    def test_there_are_verbs_with_options(self):
        self.assertGreaterEqual(len(self.verbs), 9, self.help)
        self.assertNotIn("manual", self.verbs)
        for verb in self.verbs:
            self.assertGreaterEqual(len(options_of_help(self.helps[verb])), 5, verb)

    def test_a_page_for_each_verb_and_program_and_no_other(self):
        pages = {path.name for path in (self.prefix / "share" / "man" / "man1").iterdir()}
        names = {"sinkproof", *OTHER_CHECKERS} | {f"sinkproof-{verb}" for verb in self.verbs}
        self.assertEqual(pages, {f"{name}.1.gz" for name in names})
        self.assertEqual(set(re.findall(r"^\.It Xr sinkproof-(\S+) 1", self.page("sinkproof"), re.MULTILINE)),
                         set(self.verbs))

    def test_options_of_the_pages(self):
        for verb in self.verbs:
            with self.subTest(verb):
                wanted = options_of_help(self.helps[verb])
                if verb == "check":
                    wanted |= options_of_help(run(self.program("sinkproof-check"), "--help", cwd=self.folder))
                self.assertEqual(options_of_page(self.page(f"sinkproof-{verb}")), wanted)
        self.assertEqual(options_of_page(self.page("sinkproof")), options_of_help(self.help))
        for name in OTHER_CHECKERS:
            self.assertEqual(options_of_page(self.page(name)), options_of_help(run(self.program(name), "--help", cwd=self.folder)))
            self.assertIn(f".Dl {name} ", self.page(name))

    def test_every_option_says_what_it_is(self):
        for verb in self.verbs:
            page = self.page(f"sinkproof-{verb}")
            section = re.search(r"^\.Sh OPTIONS\n(.*?)^\.Sh ", page, re.DOTALL | re.MULTILINE)[1]
            for item in re.split(r"^\.It ", section, flags=re.MULTILINE)[1:]:
                lines = item.splitlines()
                with self.subTest(f"{verb}: {lines[0]}"):
                    self.assertRegex(lines[1], r"^\S.*\w.*\.$")
                    self.assertNotRegex(lines[1], r"^(Default:|Required|One of |A number )")

    def test_pages_have_their_sections(self):
        for verb in self.verbs:
            sections = re.findall(r"^\.Sh (.*)$", self.page(f"sinkproof-{verb}"), re.MULTILINE)
            for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]:
                self.assertEqual(sections.count(section), 1, (verb, section))

    def test_examples_are_those_of_the_help_with_their_quotes(self):
        for verb in set(self.verbs) - {"check"}:  # whose page is that of sinkproof-check
            section = self.page(f"sinkproof-{verb}").partition(".Sh EXAMPLES\n")[2]
            shown = re.findall(r"^\.Dl (sinkproof .*)$", section, re.MULTILINE)
            self.assertEqual(bool(shown), "Examples:" in self.helps[verb], verb)
            for line in shown:
                self.assertNotIn('"', line)
                plain = line.replace(r"\(dq", '"').replace(r"\(aq", "'").replace(r"\-", "-").replace(r"\e", "\\")
                self.assertIn("  " + plain + "\n", self.helps[verb])

    def test_pages_are_sound_mdoc(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc here")
        for path in (self.prefix / "share" / "man" / "man1").iterdir():
            page = subprocess.run(["mandoc", "-Tlint", "-Wwarning"], input=gzip.decompress(path.read_bytes()),
                                  capture_output=True, check=False)
            self.assertEqual((path.name, page.stdout.decode()), (path.name, ""))


class Completions(Help):
    """What each shell offers, against --help."""

    def bash(self, *words):
        """What bash offers for the last of the words."""
        script = self.prefix / "share" / "bash-completion" / "completions" / words[0]
        quoted = " ".join(f"'{word}'" for word in words)
        text = run("bash", "-c", f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
                   f"$(complete -p {words[0]} | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                   cwd=self.folder)
        return {word for word in text.split("\n") if word}

    def test_bash(self):
        self.assertEqual({word for word in self.bash("sinkproof", "") if not word.startswith("-")}, set(self.verbs))
        self.assertEqual(self.bash("sinkproof", "--"), long_only(options_of_help(self.help)))
        for verb in self.verbs:
            self.assertEqual(self.bash("sinkproof", verb, "-"), options_of_help(self.helps[verb]), verb)
        for program in ["sinkproof-check", *OTHER_CHECKERS]:
            self.assertEqual(self.bash(program, "-"), options_of_help(self.helps["check"]))

    def test_bash_arguments(self):
        self.assertEqual(self.bash("sinkproof", "certify", "--format", ""), {"text", "json"})
        self.assertEqual(self.bash("sinkproof", "check", "--accept", "s"), {"smt", "statistical"})
        (self.folder / "proofs" / "my-1").mkdir(parents=True)
        (self.folder / "proofs" / "my-1" / "claim.toml").write_text("")
        self.assertEqual(self.bash("sinkproof", "explain", ""), {"my-1"})
        (self.folder / "a certificate.json").write_text("")
        self.assertEqual(self.bash("sinkproof-check", "a"), {"a certificate.json"})
        self.assertEqual(self.bash("sinkproof", "check", "--models", ""), {"proofs"})

    def test_zsh(self):
        script = next((self.prefix / "share" / "zsh").rglob("_sinkproof"))
        text = script.read_text()
        for verb in self.verbs:
            body = re.search(rf"^_sinkproof_verb_{verb.replace('-', '_')}\(\) {{\n(.*?)^}}", text,
                             re.DOTALL | re.MULTILINE)[1]
            self.assertEqual(set(re.findall(r"^ +'\*?(--?[a-z-]+)\[", body, re.MULTILINE)),
                             options_of_help(self.helps[verb]), verb)
            self.assertIn(f"    {verb}) _sinkproof_verb_", text)
        self.assertEqual(set(re.findall(r"^    '([a-z-]+):", text, re.MULTILINE)), set(self.verbs))
        if shutil.which("zsh"):
            run("zsh", "-n", script, cwd=self.folder)

    def test_fish(self):
        script = self.prefix / "share" / "fish" / "vendor_completions.d" / "sinkproof.fish"
        text = script.read_text()
        for verb in self.verbs:
            lines = re.findall(rf"^complete -c sinkproof -n '__fish_seen_subcommand_from {verb}'(.*)$", text,
                               re.MULTILINE)
            offered = {"--" + name for line in lines for name in re.findall(r" -l (\S+)", line.split(" -d ")[0])}
            self.assertEqual(offered, long_only(options_of_help(self.helps[verb])), verb)
        self.assertEqual(set(re.findall(r"^complete -c sinkproof -f -n __fish_use_subcommand -a (\S+)", text,
                                        re.MULTILINE)), set(self.verbs))
        if shutil.which("fish"):
            shown = run("fish", "--no-config", "-c", f"source '{script}'; complete -C 'sinkproof certify --'",
                        cwd=self.folder)
            self.assertEqual({line.split("\t")[0] for line in shown.splitlines()},
                             long_only(options_of_help(self.helps["certify"])))


if __name__ == "__main__":
    main()
