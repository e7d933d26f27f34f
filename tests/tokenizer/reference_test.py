"""Usage: reference_test.py TOKENIZER_LINES SOURCE. Tokenizers of every kind we read, trained here on the
project's own words, on random texts: ids and texts against reference.py; those of SentencePiece's kind
against the library that trained them, too."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import sentencepiece

from reference import ALPHABET, Reference
from texts import FOREIGN, random_texts

LINES, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
TEXT = (SOURCE / "docs/FORCED_OR_LEARNED.md").read_text()[:6000] + FOREIGN
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def train(words, merges):
    """Byte-pair merges by count of pairs; ties by content."""
    rows = {}
    for word in words:
        rows[tuple(word)] = rows.get(tuple(word), 0) + 1
    made = []
    while len(made) < merges:
        counts = {}
        for row, times in rows.items():
            for pair in zip(row, row[1:]):
                counts[pair] = counts.get(pair, 0) + times
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        made.append(best)
        joined = {}
        for row, times in rows.items():
            symbols, i = [], 0
            while i < len(row):
                step = 2 if row[i:i + 2] == best else 1
                symbols.append("".join(row[i:i + step]))
                i += step
            joined[tuple(symbols)] = joined.get(tuple(symbols), 0) + times
        rows = joined
    return made


def added(number, content, **flags):
    token = {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
    return {**token, **flags}


def document(vocab, merges, **parts):
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
             "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
             "vocab": vocab, "merges": merges, **parts.pop("model", {})}
    made = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model}
    return {**made, **parts}


def byte_level(pre_tokenizer, normalizer=None, merges=600, as_pairs=False, **parts):
    """Trained on words cut as the tokenizer itself will cut them."""
    empty = Reference(document({}, [], normalizer=normalizer, pre_tokenizer=pre_tokenizer))
    pairs = train(empty.words(empty.normalize(TEXT), True), merges)
    tokens = sorted(ALPHABET.values()) + list(dict.fromkeys(a + b for a, b in pairs))
    vocab = {token: i for i, token in enumerate(tokens)}
    n = len(vocab)
    tokens = [added(n, "<|endoftext|>"), added(n + 1, "<|end", special=False), added(n + 2, "<mask>", lstrip=True),
              added(n + 3, "<pad>", rstrip=True), added(n + 4, "<word>", single_word=True),
              added(n + 5, "Éte", normalized=True, special=False), added(n + 6, "   ", normalized=True, special=False)]
    merges = [list(pair) for pair in pairs] if as_pairs else [" ".join(pair) for pair in pairs]
    return document(vocab, merges, added_tokens=tokens, normalizer=normalizer, pre_tokenizer=pre_tokenizer,
                    decoder=BYTE_LEVEL, **parts)


def split_then_bytes(pattern, behavior="Isolated", invert=False, *more):
    steps = [{"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}, *more]
    return {"type": "Sequence", "pretokenizers": steps + [{**BYTE_LEVEL, "use_regex": False}]}


class SentencePiece:
    """A model trained by the library, and the tokenizer.json it corresponds to."""

    def __init__(self, folder):
        text = pathlib.Path(folder) / "text.txt"
        text.write_text(TEXT)
        prefix = str(pathlib.Path(folder) / "model")
        sentencepiece.SentencePieceTrainer.train(
            input=str(text), model_prefix=prefix, model_type="bpe", vocab_size=900, byte_fallback=True,
            character_coverage=0.98, normalization_rule_name="identity", remove_extra_whitespaces=False, minloglevel=2)
        self.library = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
        size = self.library.get_piece_size()
        self.vocab = {self.library.id_to_piece(i): i for i in range(size)}
        pieces = {piece for piece, i in self.vocab.items()
                  if not (self.library.is_control(i) or self.library.is_byte(i) or self.library.is_unknown(i))}
        found = [(-self.vocab[piece], piece[:i], piece[i:]) for piece in pieces for i in range(1, len(piece))
                 if piece[:i] in pieces and piece[i:] in pieces]
        found.sort(key=lambda merge: (-merge[0], len(merge[1])))
        self.merges = [f"{left} {right}" for _, left, right in found]
        self.added = [added(0, "<unk>"), added(1, "<s>"), added(2, "</s>")]

    def document(self, **parts):
        model = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, **parts.pop("model", {})}
        return document(self.vocab, self.merges, added_tokens=self.added, model=model, **parts)


PREPEND = {"type": "Sequence", "normalizers": [
    {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}
LLAMA_DECODER = {"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
TEMPLATE = {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]},
                                           "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}}


class Agreement(unittest.TestCase):
    def ask(self, made, texts, bos="without", files=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {"tokenizer.json": made, **(files or {})}.items():
                (pathlib.Path(folder) / name).write_text(json.dumps(content))
            run = subprocess.run([LINES, folder, bos], input=json.dumps(texts), capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def agree(self, made, seed, count=400, varied=140):
        extra = [token["content"] for token in made["added_tokens"]] + ["<|endoftext|><|end <mask> <pad> x<word>y <word>"]
        texts = random_texts(seed, count, extra, TEXT)
        reference = Reference(made)
        answers = self.ask(made, texts)
        self.assertEqual(len(answers), count)
        for text, answer in zip(texts, answers):
            ids = reference.encode(text)
            self.assertEqual(answer.get("ids"), ids, repr(text))
            self.assertEqual(len(answer["shown"]), len(ids))
        self.assertGreater(len({number for answer in answers for number in answer["ids"]}), varied)
        return texts, answers

    def test_gpt2(self):
        made = byte_level(BYTE_LEVEL)
        self.agree(made, 1)

    def test_opt_adds_a_space_before(self):
        self.agree(byte_level({**BYTE_LEVEL, "add_prefix_space": True}), 2)

    def test_neox_in_nfc(self):
        self.agree(byte_level(BYTE_LEVEL, {"type": "NFC"}), 3)

    def test_llama3_ignores_merges_for_whole_words(self):
        made = byte_level(split_then_bytes({"Regex": LLAMA3}), as_pairs=True)
        word = made["model"]["vocab"]["zzz"] = len(made["model"]["vocab"])  # a word that no merge makes
        for token in made["added_tokens"]:
            token["id"] += 1
        answer, = self.ask(made, ["zzz zzzz"])
        self.assertNotIn(word, answer["ids"])
        made["model"]["ignore_merges"] = True
        self.agree(made, 4)
        answer, = self.ask(made, ["zzz zzzz"])
        self.assertEqual(answer["ids"][0], word)
        self.assertEqual(answer["ids"].count(word), 1)

    def test_qwen_one_digit_each_in_nfc(self):
        self.agree(byte_level(split_then_bytes({"Regex": LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")}), {"type": "NFC"}), 5)

    def test_gpt_oss(self):
        self.agree(byte_level(split_then_bytes({"Regex": O200K}), as_pairs=True), 6)

    def test_digits_and_normal_forms(self):
        for seed, form in enumerate(["NFD", "NFKC", "NFKD"], 7):
            for individual in (True, False):
                pre = {"type": "Sequence", "pretokenizers": [
                    {"type": "Digits", "individual_digits": individual}, BYTE_LEVEL]}
                normalizer = {"type": "Sequence", "normalizers": [
                    {"type": "Lowercase"}, {"type": form}, {"type": "Strip", "strip_left": True, "strip_right": individual}]}
                self.agree(byte_level(pre, normalizer, merges=300), seed, 200)

    def test_every_way_of_splitting(self):
        for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
            for invert in (False, True):
                for pattern in ({"Regex": r"\s|\p{Han}|\p{P}*"}, {"String": " "}):
                    self.agree(byte_level(split_then_bytes(pattern, behavior, invert), merges=150), 10, 150, 5)

    def test_replace_by_expression(self):
        normalizer = {"type": "Replace", "pattern": {"Regex": r"[\s\x00]+|(?<=e)\d{2,}"}, "content": " é"}
        self.agree(byte_level(BYTE_LEVEL, normalizer, merges=150), 11, 200)

    def test_llama_and_the_library_that_trained_it(self):
        with tempfile.TemporaryDirectory() as folder:
            trained = SentencePiece(folder)
        made = trained.document(normalizer=PREPEND, decoder=LLAMA_DECODER, post_processor=TEMPLATE)
        self.agree(made, 12)
        texts = [text.replace("▁", "_") for text in random_texts(13, 600, [], TEXT) if text]
        for text, answer in zip(texts, self.ask(made, texts)):
            self.assertEqual(answer["ids"], trained.library.encode(text), repr(text))
        for text, answer in zip(texts, self.ask(made, texts, "with")):
            self.assertEqual(answer["ids"], [1] + trained.library.encode(text))  # and no </s>

    def test_metaspace_of_each_scheme(self):
        with tempfile.TemporaryDirectory() as folder:
            trained = SentencePiece(folder)
        for scheme in ("always", "first", "never"):
            for cuts in (True, False):
                space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cuts}
                decoder = {"type": "Sequence", "decoders": [space, {"type": "ByteFallback"}]}
                self.agree(trained.document(pre_tokenizer=space, decoder=decoder), 14, 200)
                # Behind an added token no piece is the first, however it was cut.
                digits = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, space]}
                self.agree(trained.document(pre_tokenizer=digits, decoder=decoder), 15, 200)

    def test_unknown_tokens_alone_and_fused(self):
        with tempfile.TemporaryDirectory() as folder:
            trained = SentencePiece(folder)
        counts = []
        for fuse in (True, False):
            made = trained.document(normalizer=PREPEND, model={"byte_fallback": False, "fuse_unk": fuse})
            _, answers = self.agree(made, 15)
            counts.append(sum(answer["ids"].count(0) for answer in answers))
        self.assertLess(counts[0], counts[1])

    def test_what_is_shown_beside_an_id(self):
        answer, = self.ask(byte_level(BYTE_LEVEL, merges=0), ["a é<|endoftext|>"])
        self.assertEqual(answer["shown"], ["a", " ", "<0xC3>", "<0xA9>", "<|endoftext|>"])
        with tempfile.TemporaryDirectory() as folder:
            made = SentencePiece(folder).document(normalizer=PREPEND, decoder=LLAMA_DECODER)
        answer, = self.ask(made, ["\x01"])
        self.assertEqual(answer["shown"], [" ", "\x01"])

    def test_bos_of_the_folder(self):
        made = byte_level(BYTE_LEVEL, merges=0)
        end = made["added_tokens"][0]["id"]
        for files in ({"tokenizer_config.json": {"bos_token": "<|endoftext|>", "model_max_length": 10**30}},
                      {"tokenizer_config.json": {"bos_token": {"content": "<|endoftext|>"}}},
                      {"tokenizer_config.json": {"bos_token": None}, "config.json": {"bos_token_id": end, "eps": 1e-5}}):
            answer, = self.ask(made, ["a"], "with", files)
            self.assertEqual(answer["ids"], [end, made["model"]["vocab"]["a"]])
        answer, = self.ask(made, ["a"], "with")
        self.assertEqual(answer, {"error": "SP2210"})
        roberta = {"type": "RobertaProcessing", "sep": ["<pad>", end + 3], "cls": ["<|end", end + 1]}
        made["post_processor"] = {"type": "Sequence", "processors": [BYTE_LEVEL, roberta]}
        answer, = self.ask(made, ["a"], "with", {"config.json": {"bos_token_id": end}})
        self.assertEqual(answer["ids"][0], end + 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
