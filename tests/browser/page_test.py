#!/usr/bin/env python3
"""report.html in headless Chromium: what only a browser can tell.

    page_test.py --sinkproof build/bin/sinkproof [--renew] [unittest's own arguments]

Needs the Debian packages chromium and chromium-driver; without them it fails, it does not skip. The page is made
from committed certificates, opened from disk, in light and dark, wide and narrow.

--renew writes the baseline of the layout guard (tests/browser/baseline) anew: look at the new pictures before you
commit them."""

import argparse
import hashlib
import json
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import png  # noqa: E402
from webdriver import Driver  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BASELINE = pathlib.Path(__file__).parent / "baseline"
PROBES = (pathlib.Path(__file__).parent / "probes.js").read_text()
WIDE, NARROW = 1280, 390
CERTIFICATES = ["certificates/tc-5.json", "certificates/tc-8.json", "examples/variants/softmax.json",
                "examples/variants/softmax-heads2.json", "examples/variants/softmax-null.json",
                "examples/variants/linear.json", "examples/variants/relu.json", "examples/costs/rank-06-margin-2.json",
                "examples/costs/rank-06-margin-4.json", "examples/costs/rank-06-margin-8.json"]
SMALL = ["certificates/tc-5.json", "examples/variants/softmax-null.json", "examples/costs/rank-06-margin-2.json",
         "examples/costs/rank-06-margin-4.json", "examples/costs/rank-06-margin-8.json"]

# Two tiny language models with random weights, and certificates about them.
MODELS = SOURCE / "tests/browser/language"

# Filled by set_up.
arguments = None
folder = None
driver = None
page = None
small = None
language = None


def make_page(name, certificates, expected, *more):
    """sinkproof report in a folder of its own, beside the claims: the page's links lead to ../proofs."""
    command = [str(arguments.sinkproof), "report", *map(str, certificates), "--claims", "proofs", "-o", f"out/{name}",
               "--accept", "smt,coq,statistical", "--quiet", *more]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != expected:
        raise RuntimeError(f"sinkproof report: exit {done.returncode}, not {expected}\n{done.stderr}")
    return folder / "out" / name


def canonical(certificate):
    return json.dumps(certificate, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n"


def language_certificates():
    """Those of MODELS, about the claim as it is now: what its text says may change without them."""
    claim = hashlib.sha256()
    for path in sorted((SOURCE / "proofs/language").iterdir()):
        if path.name != "README.md":
            claim.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    for model in ("gpt_oss", "llama"):
        certificate = json.loads((MODELS / model / "CERT.json").read_text())
        certificate["claim_sha256"] = claim.hexdigest()
        (folder / f"{model}.json").write_text(canonical(certificate))
        yield f"{model}.json"


def broken_certificates():
    """One certificate that the checker rejects, and one that is none."""
    rejected = json.loads((SOURCE / "examples/variants/softmax.json").read_text())
    rejected["claim_sha256"] = "0" * 64
    (folder / "another-claim.json").write_text(canonical(rejected))
    (folder / "not-json.json").write_text("{")
    return ["another-claim.json", "not-json.json"]


def set_up():
    global folder, driver, page, small, language
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sinkproof-browser-"))
    (folder / "out").mkdir()
    shutil.copytree(SOURCE / "proofs", folder / "proofs")
    page = make_page("page.html", [SOURCE / name for name in CERTIFICATES] + broken_certificates(), 4)
    small = make_page("small.html", [SOURCE / name for name in SMALL], 0)
    language = make_page("language.html", language_certificates(), 0, "--models", str(MODELS))
    driver = Driver(WIDE, 900).__enter__()


def tear_down():
    if driver:
        driver.__exit__(None, None, None)
    if folder:
        shutil.rmtree(folder)


def probe(name, *values):
    return driver.run(PROBES + f"\nreturn {name}(...arguments);", *values)


def show(path, width=WIDE, height=900, media="", **features):
    driver.resize(width, height)
    features = {"prefers_color_scheme": "light", **features}
    driver.emulate(media, **features)
    driver.open(path)
    driver.wait_for("return matchMedia('print').matches === arguments[0] && matchMedia('(prefers-color-scheme: dark)').matches === arguments[1]",
                    media == "print", features["prefers_color_scheme"] == "dark")


def changed(name, *changes):
    """A copy of the page with parts replaced, and without the policy that would not admit the result."""
    text = page.read_text() if name.startswith("page") else small.read_text()
    for old, new in changes:
        if text.count(old) < 1:
            raise AssertionError(f"the page has no {old[:60]!r} to replace")
        text = text.replace(old, new)
    path = folder / "out" / name
    path.write_text(text)
    return path


def policy(path):
    text = path.read_text()
    start = text.index("<meta http-equiv")
    return text[start:text.index("\n", start) + 1]


PICTURES = (("small", WIDE, "light"), ("small", NARROW, "dark"), ("language", 1400, "light"),
            ("language", 800, "dark"), ("language", 360, "light"), ("language", 688, "print"))


def picture(path, width, scheme):
    """The page without its text, in an eighth of its size, as a PNG file."""
    show(path, width, media="print" if scheme == "print" else "", prefers_reduced_motion="reduce",
         prefers_color_scheme="dark" if scheme == "dark" else "light")
    return driver.screenshot(0, 0, *probe("withoutText"), scale=1 / 8)


def pictured(name):
    return {"small": small, "language": language}[name]


def baseline(name, width, scheme):
    return BASELINE / f"{'layout' if name == 'small' else name}-{width}-{scheme}.png"


class Picker(unittest.TestCase):
    """Attention maps of two sequences, two layers of three heads, no two alike."""

    @classmethod
    def setUpClass(cls):
        shape = 2, 2, 3, 4, 4
        numbers = [(7 * i % 97) / 97 for i in range(math.prod(shape))]
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
        header += " " * (63 - (len(header) + 10) % 64) + "\n"
        (folder / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                                       + struct.pack(f"<{len(numbers)}d", *numbers))
        cls.page = make_page("attention.html", [SOURCE / SMALL[0]], 0, "--attention", str(folder / "a.npy"))

    def shown(self):
        return driver.run("return Array.from(document.querySelectorAll('#attention-maps [data-of]')).filter((f) => f.offsetParent)"
                          ".map((f) => f.dataset.of)")

    def pick(self, *values):
        driver.run("document.querySelectorAll('.picker select').forEach((s, i) => { s.value = arguments[i];"
                   " s.dispatchEvent(new Event('change')); })", *values)

    def test_a_choice_shows_its_maps_alone(self):
        for width in (1400, 400):
            show(self.page, width)
            places = [f"{s}/{l}/{h}" for s in range(2) for l in range(2) for h in range(3)]
            self.assertEqual(self.shown(), places[:6])  # of the first sequence
            self.pick("1", "", "2")
            self.assertEqual(self.shown(), ["1/0/2", "1/1/2"])
            narrow = driver.run("return document.querySelector('[data-of=\"1/0/2\"]').getBoundingClientRect().width")
            self.pick("1", "1", "2")
            self.assertEqual(self.shown(), ["1/1/2"])
            alone = driver.run("return document.querySelector('[data-of=\"1/1/2\"]').getBoundingClientRect().width")
            self.assertGreater(alone, narrow if width == 1400 else 300)
            self.assertLessEqual(driver.run("return document.documentElement.scrollWidth"), width)

    def test_without_script_all_maps_are_there(self):
        text = re.sub(r"<script>.*</script>", "", self.page.read_text(), flags=re.S)
        plain = folder / "out" / "attention-plain.html"
        plain.write_text(text)
        show(plain)
        self.assertEqual(len(self.shown()), 12)
        self.assertFalse(driver.run("return document.querySelector('.picker').offsetParent !== null"))


class Loading(unittest.TestCase):
    def test_opens_from_disk_without_a_word_on_the_console_and_asks_for_nothing(self):
        for scheme in ("light", "dark"):
            for width in (WIDE, NARROW):
                with self.subTest(scheme=scheme, width=width):
                    driver.log("browser"), driver.log("performance")
                    show(page, width, prefers_color_scheme=scheme)
                    self.assertEqual(driver.log("browser"), [])
                    events = [json.loads(entry["message"])["message"] for entry in driver.log("performance")]
                    asked = [event["params"]["request"]["url"] for event in events
                             if event["method"] == "Network.requestWillBeSent"]
                    self.assertEqual(asked, [page.as_uri()])

    def test_a_script_or_a_picture_that_got_into_the_page_does_nothing(self):
        injected = folder / "out/injected.html"
        injected.write_text(page.read_text().replace(
            "<main", "<script>document.title = 'ran'</script><img src=\"https://127.0.0.1:9/x.png\"><main"))
        driver.log("browser"), driver.log("performance")
        show(injected)
        self.assertEqual(driver.run("return document.title"), "sinkproof report")
        complaints = [entry["message"] for entry in driver.log("browser")]
        self.assertEqual(len([c for c in complaints if "Content Security Policy" in c]), 2, complaints)

    def test_links_lead_to_parts_of_the_page_and_to_files_beside_it(self):
        show(page)
        links = driver.run("return Array.from(document.links, (a) => [a.getAttribute('href'), a.href])")
        inside = [href for href, _ in links if href.startswith("#")]
        outside = [url for href, url in links if not href.startswith("#")]
        self.assertGreater(len(inside), 20)
        for href in inside:
            self.assertTrue(driver.run("return !!document.getElementById(arguments[0])", href[1:]), href)
        self.assertIn((folder / "proofs/tc-5/README.md").as_uri(), outside)
        self.assertIn((folder / "proofs/tc-5/zero_output.v").as_uri(), outside)
        for url in outside:
            path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(url).path))
            self.assertTrue(path.is_file(), url)
            self.assertTrue(path.is_relative_to(folder / "proofs"), url)


    def test_where_the_proofs_are_can_be_said_and_only_as_an_address_that_does_not_run(self):
        def links(*more):
            with tempfile.TemporaryDirectory() as elsewhere:
                output = pathlib.Path(elsewhere) / "page.html"
                done = subprocess.run([str(arguments.sinkproof), "report", str(SOURCE / "certificates/tc-5.json"),
                                       "--claims", "proofs", "--quiet", "-o", str(output), *more],
                                      cwd=folder, capture_output=True, text=True, check=False)
                if not output.exists():
                    return done.returncode
                return set(re.findall(r'href="([^#"][^"]*README[^"]*)"', output.read_text()))
        self.assertEqual(links(), set())  # not beneath the folder it runs in: no path of this machine on the page
        self.assertEqual(links("--proof-link", "https://example.org/proofs/"),
                         {"https://example.org/proofs/tc-5/README.md"})
        self.assertEqual(links("--proof-link", "../proofs"), {"../proofs/tc-5/README.md"})
        for base in ("javascript:alert(1)", "data:text/html,x", "//example.org", "file:///etc", ""):
            self.assertEqual(links("--proof-link", base), 2, base)


class HeatMaps(unittest.TestCase):
    def setUp(self):
        show(page)

    def cells(self, data):
        """(row, column, position of the row, position of the key, weight as the page writes it)"""
        for r, weights in enumerate(data["rows"]):
            for c, weight in enumerate(weights):
                yield r, c, data["positions"][r], data["positions"][c], weight

    def test_every_cells_title_is_its_weight(self):
        count = driver.run("return document.querySelectorAll('main .map').length")
        self.assertGreater(count, 8)
        for index in range(count):
            data = probe("mapData", index)
            titles = [f"row {row}, key {key}: a = {weight}" for _, _, row, key, weight in self.cells(data)]
            self.assertEqual(data["titles"], titles)
            for r, weights in enumerate(data["rows"]):
                self.assertEqual(len(weights), r + 1)

    def test_pointing_at_a_cell_reads_its_weight(self):
        for index in (0, self.null_map()):
            data = probe("mapData", index)
            size = len(data["rows"])
            for row, column in ((0, 0), (size - 1, 0), (size - 1, size - 1), (size // 2, 1)):
                driver.point(*probe("cellPlace", index, row, column))
                null = f"; null slot {data['nulls'][row]}" if data["nulls"][row] else ""
                self.assertEqual(probe("readout", index),
                                 f"row {data['positions'][row]}, key {data['positions'][column]}: "
                                 f"a = {data['rows'][row][column]}{null}")
            driver.point(2, 2)
            self.assertEqual(probe("readout", index), "")

    def null_map(self):
        return driver.run("return Array.from(document.querySelectorAll('main .map')).findIndex("
                          "(map) => map.querySelector('g[data-null]'))")

    def test_arrow_keys_read_the_cells(self):
        data = probe("mapData", 0)
        last = len(data["rows"]) - 1
        probe("focusMap", 0)
        row, column = last, 0
        driver.press("ArrowDown")  # the first arrow comes to the last row's weight on the sink
        for key, (down, right) in (("ArrowRight", (0, 1)), ("ArrowUp", (-1, 0)), ("ArrowUp", (-1, 0)),
                                   ("ArrowLeft", (0, -1)), ("ArrowLeft", (0, 0)), ("ArrowDown", (1, 0))):
            self.assertEqual(probe("readout", 0), self.line(data, row, column))
            driver.press(key)
            row, column = row + down, column + right
        self.assertEqual(probe("readout", 0), self.line(data, row, column))
        driver.press("End")
        self.assertEqual(probe("readout", 0), self.line(data, row, row))
        driver.press("Tab")
        self.assertEqual(probe("readout", 0), "")

    def line(self, data, row, column):
        return f"row {data['positions'][row]}, key {data['positions'][column]}: a = {data['rows'][row][column]}"

    def test_a_click_enter_and_space_enlarge_a_map_and_the_focus_comes_back(self):
        small_width = driver.run(PROBES + "return mapAt(1).querySelector('svg').getBoundingClientRect().width")
        title = driver.run(PROBES + "return mapAt(1).querySelector('svg title').textContent")
        for how in ("click", "Enter", "Space"):
            with self.subTest(how=how):
                self.assertFalse(probe("dialogState")["open"])
                if how == "click":
                    driver.point(*probe("cellPlace", 1, 3, 1), click=True)
                else:
                    probe("focusMap", 1)
                    driver.press(how)
                state = probe("dialogState")
                self.assertTrue(state["open"])
                self.assertEqual(state["title"], title)
                self.assertGreater(state["width"], 1.5 * small_width)
                self.assertTrue(state["holdsFocus"])
                self.assertEqual(state["cursor"], how == "click")
                driver.press("ArrowDown", "ArrowRight")
                self.assertRegex(probe("dialogState")["readout"], "^row [0-9]+, key [0-9]+: a = ")
                driver.press("Escape")
                self.assertFalse(probe("dialogState")["open"])
                self.assertEqual(probe("focusedMap"), 1)

    def test_the_enlarged_map_closes_by_its_button_and_keeps_the_keyboard_inside(self):
        probe("focusMap", 2)
        driver.press("Enter")
        for _ in range(4):
            driver.press("Tab")
            where = driver.run("const e = document.activeElement; return e === document.body || "
                               "document.getElementById('large').contains(e)")
            self.assertTrue(where)
        driver.run("document.querySelector('#large .close').focus()")
        driver.press("Enter")
        self.assertFalse(probe("dialogState")["open"])
        self.assertEqual(probe("focusedMap"), 2)

    def test_the_switch_changes_every_maps_scale_and_changes_it_back(self):
        linear = probe("mapData", 0)
        self.assertEqual(linear["fills"], self.expected(linear, "linear"))
        button = "document.querySelector('main .scale button')"
        self.assertEqual(driver.run(f"return {button}.getAttribute('aria-pressed')"), "false")
        driver.run(f"{button}.focus()")
        driver.press("Enter")
        self.assertEqual(driver.run(f"return {button}.getAttribute('aria-pressed')"), "true")
        logarithmic = probe("mapData", 0)
        self.assertNotEqual(logarithmic["fills"], linear["fills"])
        self.assertEqual(logarithmic["fills"], self.expected(logarithmic, "log"))
        shown = driver.run("return Array.from(document.querySelectorAll('main .legend'), "
                           "(l) => [l.classList.contains('log'), l.checkVisibility()])")
        self.assertTrue(all(log == visible for log, visible in shown), shown)
        driver.press("Space")
        self.assertEqual(probe("mapData", 0)["fills"], linear["fills"])

    def expected(self, data, kind):
        """The colours of the bar at the places that the numbers on the page have on it."""
        bar = probe("barColours", kind)
        self.assertEqual(len(set(bar)), 36)
        root = int(driver.run("return document.querySelector('main .legend.linear').dataset.root"))
        self.assertIn(root, (1, 2, 3, 4))
        colours = []
        for _, _, _, _, text in self.cells(data):
            weight = float(text)
            self.assertTrue(0 < weight <= 1)  # a softmax head
            place = weight ** (1 / root) * 36 if kind == "linear" else (math.log10(weight) + 6) * 6
            colours.append(bar[min(35, max(0, math.floor(place)))])
        return colours

    def test_without_script_maps_are_linear_and_nothing_offers_what_it_cannot_do(self):
        text = page.read_text()
        bare = folder / "out/bare.html"
        bare.write_text(text[:text.index("<script>")] + "</body></html>")
        show(bare)
        data = probe("mapData", 0)
        self.assertEqual(data["fills"], self.expected(data, "linear"))
        self.assertEqual(len(data["titles"]), len(data["fills"]))
        offered = driver.run(PROBES + "return Array.from(document.querySelectorAll('button, .enlarge, .pick[tabindex]'))"
                                      ".filter(seen).map(name)")
        self.assertEqual(offered, [])


class FirstScreen(unittest.TestCase):
    """A finding and a picture, what is accepted without verification, and nothing to scroll sideways for."""

    def test_a_finding_with_its_picture_at_every_width_in_both_schemes_and_on_paper(self):
        for width, scheme, media in ((1400, "light", ""), (800, "dark", ""), (360, "light", ""), (360, "dark", ""), (688, "light", "print")):
            with self.subTest(width=width, scheme=scheme, media=media):
                show(page, width, prefers_color_scheme=scheme, media=media)
                found = driver.run("""
                    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
                    return {title: document.querySelector('h1').textContent, h1: box('h1').bottom, map: box('header .map svg').top,
                            right: box('header .map svg').right, page: document.documentElement.scrollWidth,
                            cells: document.querySelectorAll('header .map g[data-a] path').length}""")
                self.assertRegex(found["title"], "0[.][0-9]+")
                self.assertLess(found["h1"], 500)
                self.assertLess(found["map"], 500 if width == 1400 else 1200)
                self.assertLessEqual(max(found["right"], found["page"]), width)
                self.assertGreater(found["cells"], 9)

    def test_what_is_on_trust_is_counted(self):
        show(page)
        counts = driver.run("return Object.fromEntries(Array.from(document.querySelectorAll('.counts li'), (item) =>"
                            " [item.querySelector('span').textContent, Number(item.querySelector('strong').textContent)]))")
        self.assertGreater(counts["steps of theory re-verified"], 0)
        self.assertGreater(counts["steps accepted without verification: Coq"], 0)
        self.assertEqual(counts["rejected"] + counts["could not be checked"], 2)

    def test_no_two_names_are_equal(self):
        show(page)
        names = driver.run("return Array.from(document.querySelectorAll('#checkpoints .card > h3'), (h) => h.textContent)")
        self.assertEqual(len(set(names)), len(names))
        self.assertGreater(len(names), 1)

    def test_the_table_of_checkpoints_is_sorted_by_mouse_and_keyboard(self):
        show(page)
        ratios = "return Array.from(document.querySelectorAll('table.sortable')[0].tBodies[0].rows, (row) => row.cells[place].textContent)"
        heads = driver.run("return Array.from(document.querySelectorAll('table.sortable')[0].querySelectorAll('th button'), (b) => b.textContent)")
        place = next(i for i, name in enumerate(heads) if name.lower().startswith("bound"))
        column = lambda: [float(re.search("[0-9.e-]+", text).group()) for text in driver.run(f"const place = {place};" + ratios)]
        press = lambda: driver.run(f"document.querySelectorAll('table.sortable')[0].querySelectorAll('th button')[{place}].click()")
        before = column()
        self.assertGreater(len(before), 1)
        press()
        self.assertEqual(column(), sorted(before))
        press()
        self.assertEqual(column(), sorted(before, reverse=True))
        self.assertEqual(driver.run("return document.querySelectorAll('table.sortable')[0].querySelectorAll('th[aria-sort]').length"), 1)


class LanguageModels(unittest.TestCase):
    """What a certificate about a language model states, as pictures and tables."""

    @classmethod
    def setUpClass(cls):
        cls.stated = {}
        for name in ("gpt_oss", "llama"):
            certificate = json.loads((folder / f"{name}.json").read_text())
            for statement in certificate["statements"]:
                cls.stated.setdefault((name, statement["readout"]), statement)

    def setUp(self):
        driver.log("browser")
        show(language, 1400)

    def tearDown(self):
        self.assertEqual(driver.log("browser"), [])

    def interval(self, text):
        """Between which numbers the page says that a number lies: its digits, or both ends."""
        if text.startswith("["):
            return tuple(Fraction(end) for end in text.strip("[]").split(","))
        number = Fraction(text.replace("…", ""))
        if "…" not in text:
            return number, number
        mantissa, _, exponent = text.replace("…", "").partition("e")
        step = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        return (number, number + step) if not text.startswith("-") else (number - step, number)

    def map_of(self, card, readout):
        identity = f"language-{card}-{readout}"
        return driver.run("return Array.from(document.querySelectorAll('main .map')).findIndex((m) => m.id === arguments[0])",
                          identity)

    def rows_of(self, index):
        return driver.run(PROBES + "return Array.from(mapAt(arguments[0]).querySelectorAll('g[data-a]'), "
                                   "(g) => g.dataset.a.split(' '))", index)

    def test_every_cell_holds_what_the_certificate_states(self):
        for card, model in ((1, "gpt_oss"), (2, "llama")):
            for readout in ("alpha", "value-alpha", "norm-product", "cosine", "hidden-norm"):
                with self.subTest(model=model, readout=readout):
                    statement = self.stated[model, readout]
                    cells = [cell for row in self.rows_of(self.map_of(card, readout)) for cell in row]
                    self.assertEqual(len(cells), len(statement["lower"]))
                    for text, lower, upper in zip(cells, statement["lower"], statement["upper"]):
                        low, high = self.interval(text)
                        self.assertLessEqual(low, Fraction(lower))
                        self.assertGreaterEqual(high, Fraction(upper))
                        # and not much less than that: three digits, or an interval around 0
                        self.assertLessEqual(high - low, max(abs(low), abs(high)) / 50 + Fraction(1, 10 ** 9))

    def test_mouse_and_keys_read_a_map_that_is_no_square(self):
        index = self.map_of(1, "hidden-norm")
        rows = self.rows_of(index)
        self.assertNotEqual(len(rows), len(rows[0]))
        driver.point(*probe("cellPlace", index, 0, len(rows[0]) - 1))
        tokens = json.loads((folder / "gpt_oss.json").read_text())["sequences"][0]
        said = lambda row, column: (f"layer {'out' if row == len(rows) - 1 else row}, position {column + 1} "
                                    f"(token {tokens[column]}): hidden-norm {rows[row][column]}")
        self.assertEqual(probe("readout", index), said(0, len(rows[0]) - 1))
        driver.point(2, 2)
        probe("focusMap", index)
        driver.press("ArrowUp", "End")
        self.assertEqual(probe("readout", index), said(len(rows) - 1, len(rows[0]) - 1))
        driver.press("ArrowRight", "ArrowUp")
        self.assertEqual(probe("readout", index), said(len(rows) - 2, len(rows[0]) - 1))
        driver.press("Enter")
        self.assertTrue(probe("dialogState")["open"])
        driver.press("Escape")

    def test_colours_change_by_the_switch(self):
        fills = lambda: driver.run(PROBES + "return Array.from(mapAt(arguments[0]).querySelectorAll('g[data-a] path'), "
                                            "(p) => getComputedStyle(p).fill)", self.map_of(1, "alpha"))
        linear = fills()
        self.assertGreater(len(set(linear)), 2)
        driver.run("document.querySelector('#language .scale button').click()")
        self.assertNotEqual(fills(), linear)

    def test_models_side_by_side_lead_to_their_cards(self):
        rows = driver.run("return Array.from(document.querySelector('#language table').tBodies[0].rows, "
                          "(r) => [r.cells[0].querySelector('a').getAttribute('href'), r.cells[0].textContent, r.cells[4].dataset.sort])")
        self.assertEqual(sorted(name for _, name, _ in rows), ["gpt_oss", "llama"])
        shares = [float(share) for _, _, share in rows]
        self.assertEqual(shares, sorted(shares, reverse=True))
        for href, name, _ in rows:
            title = driver.run("return document.querySelector(arguments[0] + ' h3').textContent", href)
            self.assertTrue(title.startswith(name), title)

    def test_heads_are_sorted_by_the_numbers_that_decide(self):
        table = "document.querySelector('#language-2 table[class~=sortable] th button') && Array.from(document.querySelectorAll(" \
                "'#language-2 table')).find((t) => t.textContent.includes('Broadcast share'))"
        column = f"return Array.from(({table}).tBodies[0].rows, (r) => Number(r.cells[5].dataset.sort))"
        press = f"Array.from(({table}).querySelectorAll('th button')).find((b) => b.textContent === 'Broadcast share').click()"
        before = driver.run(column)
        driver.run(press)
        self.assertEqual(driver.run(column), sorted(before))
        driver.run(press)
        self.assertEqual(driver.run(column), sorted(before, reverse=True))


class Accessibility(unittest.TestCase):
    def test_text_stands_out_in_light_in_dark_and_on_paper(self):
        for media, scheme in (("", "light"), ("", "dark"), ("print", "light"), ("print", "dark")):
            for path in (page, language):
                with self.subTest(page=path.name, media=media, scheme=scheme):
                    show(path, media=media, prefers_color_scheme=scheme)
                    found = probe("faintText", 4.5)
                    self.assertGreater(found["checked"], 500)
                    self.assertEqual(found["faint"], {})

    def test_what_charts_and_maps_show_stands_out(self):
        kinds = [(".plot .proved", "stroke"), (".plot .attained", "fill"), (".plot .implied", "stroke"),
                 (".plot .span", "stroke"), (".plot .link", "stroke"), (".interval .proved", "stroke"),
                 (".map rect.sink", "stroke"), (".map rect.trigger", "stroke"), (".map .frame", "stroke"),
                 (".map path.witness", "fill"), (".badge svg", "stroke"), (".chip svg", "stroke"),
                 (".chart .curve", "stroke"), (".chart .mark", "stroke"), (".chart .whisker", "stroke"),
                 (".map .z", "stroke"), ("main button", "borderTopColor")]
        for media, scheme in (("", "light"), ("", "dark"), ("print", "dark")):
            with self.subTest(media=media, scheme=scheme):
                show(page, media=media, prefers_color_scheme=scheme)
                found = probe("markContrast", kinds)
                for selector, _ in kinds:
                    if media == "print" and selector == "main button":
                        continue
                    self.assertIn(selector, found)
                    self.assertGreaterEqual(found[selector], 3, selector)

    def test_the_keyboard_reaches_everything_and_the_ring_shows_where_it_is(self):
        for path, scheme, width in ((small, "light", WIDE), (small, "dark", NARROW), (language, "light", WIDE)):
            with self.subTest(page=path.name, scheme=scheme, width=width):
                show(path, width, prefers_color_scheme=scheme)
                stops = probe("numberStops")
                self.assertGreater(stops, 20)
                reached = []
                for _ in range(stops):
                    driver.press("Tab")
                    where = probe("focused")
                    self.assertIsNotNone(where, f"after {reached}")
                    self.assertTrue(where["ring"], where)
                    self.assertTrue(where["named"], where)
                    self.assertTrue(where["onScreen"], where)
                    reached.append(where["stop"])
                self.assertEqual(reached, list(range(stops)))
                driver.press("Shift+Tab")
                self.assertEqual(probe("focused")["stop"], stops - 2)

    def test_a_skip_link_comes_first_and_leads_past_the_overview(self):
        show(page)
        driver.press("Tab", "Enter")
        self.assertEqual(driver.run("return location.hash"), "#main")
        driver.press("Tab")
        self.assertTrue(driver.run("return document.getElementById('main').contains(document.activeElement)"))

    def test_every_drawing_has_a_role_a_title_and_a_description(self):
        for path in (page, language):
            show(path)
            found = probe("speechlessDrawings")
            self.assertGreater(found["checked"], 25)
            self.assertEqual(found["wrong"], [])

    def test_each_maps_description_names_the_sink_column(self):
        show(page)
        texts = driver.run("return Array.from(document.querySelectorAll('main .map svg > desc'), (d) => d.textContent)")
        self.assertGreater(len(texts), 8)
        for text in texts:
            self.assertIn("The sink column, key 1 (BOS), is outlined; the rows from 2 on give it ", text)

    def test_motion_is_only_for_those_who_do_not_mind(self):
        motion = ("const d = document.getElementById('large'); d.showModal();"
                  "return [getComputedStyle(document.documentElement).scrollBehavior, getComputedStyle(d).animationName]")
        show(page, prefers_reduced_motion="no-preference")
        self.assertEqual(driver.run(motion), ["smooth", "grow"])
        show(page, prefers_reduced_motion="reduce")
        self.assertEqual(driver.run(motion), ["auto", "none"])


class Layout(unittest.TestCase):
    def test_nothing_sticks_out_of_a_narrow_window(self):
        for path in (page, small, language):
            for width in (NARROW, 320, 768):
                with self.subTest(page=path.name, width=width):
                    show(path, width)
                    found = probe("tooWide")
                    self.assertEqual(found["wide"], [])
                    self.assertLessEqual(found["page"], width)

    def test_on_paper_nothing_is_cut_and_colours_stay(self):
        show(page, media="print", prefers_color_scheme="dark")
        style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        for selector in (".card", "figure", ".plot", ".chart", "tr"):
            self.assertEqual(driver.run(style, selector, "breakInside"), "avoid", selector)
        self.assertEqual(driver.run(style, "h4", "breakAfter"), "avoid")
        self.assertEqual(driver.run(style, ".map path", "printColorAdjust"), "exact")
        self.assertEqual(driver.run(style, "body", "backgroundColor"), "rgb(255, 255, 255)")
        for hidden in (".scale", "nav", ".up"):
            self.assertFalse(driver.run("return document.querySelector(arguments[0]).checkVisibility()", hidden), hidden)
        printed = driver.devtools("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        self.assertGreater(len(printed), 20000)
        # A4 less its margins is 182 mm, 688 px: nothing is wider.
        for path in (page, language):
            show(path, width=688, media="print")
            found = probe("tooWide")
            self.assertEqual(found["wide"], [])
            if path == language:
                self.assertLessEqual(found["page"], 688)  # what scrolls on a screen cannot on paper

    # The guard: the small page with all text at size 0, so that only boxes, lines and drawings are left and no
    # machine's fonts matter, in an eighth of its size, against committed pictures. An eighth averages over 8 x 8
    # pixels: where an edge falls between pixels differs by machine and changes such an average by a fraction of the
    # edge's own contrast, so a pixel counts as different only when a channel is off by more than 32 of 255, and one
    # in 300 may be. A box that moves by 8 pixels changes a whole line of them.
    def difference(self, one, other):
        """The share of pixels that differ; 1 when the sizes do."""
        (width, height, a), (other_width, other_height, b) = png.pixels(one), png.pixels(other)
        if width != other_width or abs(height - other_height) > 1:
            return 1
        differing = sum(max(abs(x - y) for x, y in zip(p, q)) > 32
                        for row, other_row in zip(a, b) for p, q in zip(row, other_row))
        return differing / (width * height)

    def test_the_layout_is_the_committed_one(self):
        for name, width, scheme in PICTURES:
            with self.subTest(page=name, width=width, scheme=scheme):
                path = baseline(name, width, scheme)
                self.assertLess(self.difference(picture(pictured(name), width, scheme), path.read_bytes()), 1 / 300,
                                f"if the layout changed on purpose, look at it and run with --renew: {path.name}")

    def test_the_guard_sees_a_lost_grid_a_lost_card_and_lost_colours(self):
        ways = {"grid": (".maps { display: grid;", ".maps { display: block;"),
                "card": ("  padding: 28px 30px;", "  padding: 0;"),
                "chart": (".plot { display: block;", ".plot { display: none;"),
                "scheme": ("@media (prefers-color-scheme: dark)", "@media (prefers-color-scheme: light)")}
        for what, change in ways.items():
            with self.subTest(what=what):
                broken = changed("small-broken.html", change, (policy(small), ""))
                found = self.difference(picture(broken, *PICTURES[0][1:]), baseline(*PICTURES[0]).read_bytes())
                self.assertGreater(found, 1 / 300)
        same = changed("small-same.html", (policy(small), ""))
        found = self.difference(picture(same, *PICTURES[0][1:]), baseline(*PICTURES[0]).read_bytes())
        self.assertLess(found, 1 / 300)


def main():
    global arguments
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinkproof", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--renew", action="store_true")
    arguments, rest = parser.parse_known_args()
    try:
        set_up()
        if arguments.renew:
            BASELINE.mkdir(exist_ok=True)
            for case in PICTURES:
                baseline(*case).write_bytes(picture(pictured(case[0]), *case[1:]))
        result = unittest.main(argv=[sys.argv[0], *rest], exit=False).result
    finally:
        tear_down()
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)


if __name__ == "__main__":
    main()
