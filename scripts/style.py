#!/usr/bin/env python3
"""Check the pages of this repository against the rules of CONTRIBUTING.md, Text.

    scripts/style.py                     every Markdown page that git tracks, the manual pages (docs/man), and the
                                         messages in src/: its string literals of several words
    scripts/style.py PAGE...             these pages
    scripts/style.py --counts            how many findings of each kind a page has
    scripts/style.py --wrap PAGE...      wrap paragraphs that have a line over 100 columns (--columns N)
    scripts/style.py --help-of PROGRAM   the help of a built program and of its commands (not part of the test yet)

A finding is one of

    word      a phrase of the table "Words to avoid" in docs/GLOSSARY.md, a sentence that begins with "Of" or goes on
              with "; of several heads, a folder", or one that ends in ", too"
    sentence  a sentence of more than 40 words; symbols, numbers and code spans of formulas do not count
    line      a line of prose of more than 120 columns; tables, code and a single link may be longer
    link      a relative link whose file does not exist, or a page that a message names and that does not exist
    count     a message with "{} layers" and the like, which may say "1 layers": text::counted writes both forms

Code blocks, code spans, HTML comments and targets of links are not read. Messages are checked for words, links and
counts only.
Exit code: 0 no finding, 1 findings, 2 a page cannot be read.
"""
import argparse
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_WORDS, MOST_COLUMNS, WRAP_COLUMNS = 40, 120, 100

# Certificates carry the SHA-256 of these pages: new words would make every one of them stale.
EXEMPT = ("STATEMENT.md",)


@dataclass
class Block:
    """A paragraph, an item of a list, a heading, or a row of a table: what a sentence cannot cross."""
    kind: str
    number: int  # of its first line, from 1
    lines: list = field(default_factory=list)

    def text(self):
        return " ".join(line.strip() for line in self.lines)


ITEM = re.compile(r"(\s*)([-*+]|\d+\.)\s+")


def blocks(page):
    """The blocks of prose of a Markdown page, in order. Code and comments are left out."""
    found, block, fence, comment, blank, code = [], None, None, False, True, False
    for number, line in enumerate(page.splitlines(), 1):
        bare = line.strip()
        if fence or comment:
            if fence and bare.startswith(fence):
                fence = None
            if comment and "-->" in bare:
                comment = False
            continue
        if not bare or bare.startswith("<!--") or re.match(r"```|~~~", bare):
            fence = bare[:3] if re.match(r"```|~~~", bare) else None
            comment = bare.startswith("<!--") and "-->" not in bare
            blank, block = not bare, None
            continue
        item = ITEM.match(line)
        indented = line.startswith(("    ", "\t")) and not item
        code = indented and (code or blank)
        blank = False
        if code:
            block = None
        elif bare.startswith("|"):
            block = None
            if not re.fullmatch(r"[|: -]+", bare):
                found.append(Block("row", number, [line]))
        elif re.match(r"#+ ", bare):
            block = None
            found.append(Block("heading", number, [line]))
        elif block and not item:
            block.lines.append(line)
        else:
            block = Block("item" if item else "text", number, [line])
            found.append(block)
    return found


def manual_blocks(page):
    """The same of an mdoc page: a macro of the kind .Pp, .Sh or .It ends a paragraph, others stand within one."""
    found, block = [], None
    literal = False
    for number, line in enumerate(page.splitlines(), 1):
        macro = re.match(r"\.(\w+|\\\")", line)
        name = macro.group(1) if macro else None
        if name in ("Bd", "Ed"):
            literal = name == "Bd"
        if literal or name in ("Pp", "Sh", "Ss", "It", "Bl", "El", "Bd", "Ed", "Dl", '\\"'):
            block = None
            continue
        text = re.sub(r"^\.\w+ ?", "", line) if macro else line
        if block is None:
            block = Block("text", number)
            found.append(block)
        block.lines.append(text.replace("\\-", "-").replace("\\&", ""))
    return found


def plain(text):
    """Without code, targets of links, HTML and emphasis."""
    text = re.sub(r"`+[^`]+`+", "C", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+|<[a-z/][^>]*>", " ", text)
    return re.sub(r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", text)


def sentences(text):
    text = re.sub(r"\b(e\.g|i\.e|cf|vs|resp|etc)\.", r"\1", text)
    return [part for part in re.split(r"(?<=[.!?])[)\"”]*\s+(?=[A-Z\"“(\[0-9])", text) if part.strip()]


def words_to_avoid():
    """(pattern, what to write instead) of each row of the glossary's table."""
    page = (ROOT / "docs/GLOSSARY.md").read_text().split("## Words to avoid", 1)[1]
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|$", page, re.M)
    if not rows:
        raise ValueError("docs/GLOSSARY.md: the table \"Words to avoid\" has no rows, so nothing would be checked")
    # "There is no model" and "is no longer" are English; "this is no model" is not ours.
    return [(re.compile(rf"(?<!there )\b{re.escape(phrase)}\b(?! longer| more than| less than)", re.IGNORECASE), instead)
            for cell, instead in rows for phrase in re.findall(r"`([^`]+)`", cell)]


def findings(page, manual, avoided, of_help=False):
    """(line, kind, what is wrong), in order."""
    found = []
    for block in manual_blocks(page) if manual else blocks(page):
        texts = re.split(r"(?<!\\)\|", block.text().strip("| ")) if block.kind == "row" else [block.text()]
        for text in map(plain, texts):
            for sentence in sentences(ITEM.sub("", text, count=1) if block.kind == "item" else text):
                count = sum(bool(re.search(r"[^\W\d_]{2}", word)) for word in re.split(r"[\s/]+", sentence))
                if count > MOST_WORDS:
                    found.append((block.number, "sentence", f"{count} words, at most {MOST_WORDS}: {sentence[:60]}..."))
                if re.match(r"Of (?!course)", sentence.lstrip(" (\"“")):
                    found.append((block.number, "word", f"begin with the subject: \"{sentence.strip()[:50]}...\""))
                if match := re.search(FRAGMENT, sentence):
                    found.append((block.number, "word", f"\"{match.group()}\": write \"for\", or a sentence"))
                if re.search(r", too[.;:)]*$", sentence.rstrip()):
                    found.append((block.number, "word", f"write \"also\" before the verb: \"...{sentence.rstrip()[-40:]}\""))
            for pattern, instead in avoided:
                found += [(block.number, "word", f"\"{match.group()}\": write {instead}") for match in pattern.finditer(text)]
        if block.kind in ("text", "item") and not manual and not of_help:
            found += [(number, "line", f"{len(line)} columns, at most {MOST_COLUMNS} (--wrap)")
                      for number, line in enumerate(block.lines, block.number) if too_long(line)]
    return sorted(found)


# "Certificate to write; of several folders, a folder": an inverted fragment.
FRAGMENT = r"[;:] of (?:a|an|the|all|each|one|several|others?)\b[^,.;:()]*,"
COUNTS = re.compile(r"(?<!of )(?<!most )\{[^}]*\} (?:(?:random|held-out|more) )?(?:layers|heads|steps|tokens|sequences|samples|checkpoints|"
                    r"certificates|files|claims|rows|columns|models|groups|seeds|constraints|vectors|requirements|multipliers)\b")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def messages(source, avoided, names):
    """(line, kind, what is wrong) of the string literals of a C++ source. Literals that follow each other are one text.
    `names` are those of the pages that there are."""
    source = re.sub(r"//[^\n]*", "", source)
    for run in re.finditer(rf"{LITERAL.pattern}(?:\s+{LITERAL.pattern})*", source):
        text = "".join(LITERAL.findall(run.group()))
        if " " not in text:
            continue
        line = source.count("\n", 0, run.start()) + 1
        for pattern, instead in avoided:
            for match in pattern.finditer(text):
                yield line, "word", f"\"{match.group()}\": write {instead}"
        if match := re.search(FRAGMENT, text):
            yield line, "word", f"\"{match.group()}\": write \"for\", or a sentence"
        for match in COUNTS.finditer(text):
            yield line, "count", f"\"{match.group()}\": write text::counted(number, \"{match.group().split()[-1][:-1]}\")"
        for page in re.findall(r"\b[A-Z_]{3,}\.md\b", text):
            if page not in names:
                yield line, "link", f"{page} does not exist"


def broken_links(page, folder):
    """Links to files below the repository that are not there. Anchors are not followed."""
    for block in blocks(page):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "C", block.text())):
            if "://" not in target and not target.startswith("mailto:") and not (folder / target).exists():
                yield block.number, "link", f"{target} does not exist"


def too_long(line, most=MOST_COLUMNS):
    return len(line) > most and not re.fullmatch(r"\s*\S+", line) and not line.lstrip().startswith("<img")


def wrapped_line(text, first, later, columns):
    """A text at so many columns: a code span stays on one line, and no line begins as a list or a heading would."""
    text = text.removeprefix(first.strip())
    pieces = re.findall(r"(?:`[^`]*`|\S)+(?:\s+(?:[-*+#>|=]\S*|\d+[.)])(?=\s|$))*", text)
    broken = [first + pieces[0]]
    for piece in pieces[1:]:
        if len(broken[-1]) + 1 + len(piece) <= columns:
            broken[-1] += " " + piece
        else:
            broken.append(later + piece)
    return broken


def wrapped(page, columns):
    """The page with each block wrapped that has a line over so many columns."""
    lines = page.splitlines()
    for block in reversed(blocks(page)):
        if block.kind not in ("text", "item") or not any(too_long(line, columns) for line in block.lines):
            continue
        item = ITEM.match(block.lines[0])
        later = " " * len(item.group()) if item else re.match(r"\s*", block.lines[0]).group()
        # Where each statement has a line of its own, it keeps it; else the whole block is wrapped.
        apart = all(line.rstrip()[-1] in ".:;,)" for line in block.lines[:-1])
        broken = []
        for text in block.lines if apart else [block.text()]:
            first = item.group() if item and not broken else later
            broken += [text] if apart and len(text) <= columns else wrapped_line(text.strip(), first, later, columns)
        lines[block.number - 1:block.number - 1 + len(block.lines)] = broken
    return "\n".join(lines) + "\n"


def pages():
    listed = subprocess.run(["git", "ls-files", "-z", "*.md", "docs/man/*.mdoc"], cwd=ROOT, capture_output=True, check=True)
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def sources():
    listed = subprocess.run(["git", "ls-files", "-z", "src/*.cpp", "src/*.hpp"], cwd=ROOT, capture_output=True, check=True)
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def help_texts(program):
    """(name, page) of a program and of its commands: what each is for, then an item for each option's text."""
    def help_of(*command):
        return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout
    for command in ["", *re.findall(r"^  ([a-z][a-z-]*) {2,}", help_of().split("Subcommands:")[-1], re.M)]:
        purpose, _, rest = help_of(*command.split()).partition("\nUsage:")
        texts = [purpose.replace("\n", " ")]
        for line in rest.splitlines():  # names stand in the first 30 columns, texts behind them
            if re.match(r"  \S", line):
                texts.append(line[30:] if line[28:30] == "  " else "")
            elif line.startswith(" " * 30):
                texts[-1] += " " + line[30:]
        yield f"{Path(program).name} {command} --help", "".join(f"* {text.strip()}\n" for text in texts if text.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--counts", action="store_true", help="findings of each kind by page")
    parser.add_argument("--wrap", action="store_true", help="break long lines of these pages")
    parser.add_argument("--columns", type=int, default=WRAP_COLUMNS, help="columns of --wrap")
    parser.add_argument("--help-of", metavar="PROGRAM", help="read the help of this program instead")
    options = parser.parse_args()
    try:
        named = [(str(path), path.read_text(), path.suffix == ".mdoc")
                 for path in (options.pages or ([] if options.help_of else pages())) if path.name not in EXEMPT]
        if options.wrap:
            for name, page, manual in named:
                if not manual:
                    Path(name).write_text(wrapped(page, options.columns))
            return 0
        if options.help_of:
            named += [(name, text, False) for name, text in help_texts(options.help_of)]
        avoided = words_to_avoid()
    except (OSError, ValueError, IndexError, subprocess.CalledProcessError) as error:
        print(f"style: {error}", file=sys.stderr)
        return 2
    if not named and not options.pages:
        print("style: no page to read: run this in a clone of the repository", file=sys.stderr)
        return 2
    found_in = [(name, findings(page, manual, avoided, options.help_of) + (
        [] if manual or options.help_of else [*broken_links(page, Path(name).resolve().parent)])) for name, page, manual in named]
    if not options.pages and not options.help_of:
        names = {path.name for path in pages()}
        found_in += [(str(path), [*messages(path.read_text(), avoided, names)]) for path in sources()]
    total = 0
    for name, found in found_in:
        found.sort()
        name = name.removeprefix(f"{ROOT}/")
        total += len(found)
        if options.counts and found:
            print(*(f"{sum(kind == one for _, one, _ in found):4}" for kind in ("word", "sentence", "line")), name)
        elif not options.counts:
            for number, kind, what in found:
                print(f"{name}:{number}: {kind}: {what}")
    print(f"style: {total} findings in {len(found_in)} files", file=sys.stderr)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
