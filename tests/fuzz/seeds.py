#!/usr/bin/env python3
"""What the fuzzers begin with, of small files that the repository holds or its tests make: seeds.py OUT

Writes OUT/TARGET/NAME. Nothing above 8 kB is taken: fuzzers are the slower the larger their inputs.
"""
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST = 8192
FILES = {
    "safetensors": ["tests/reject/**/*.safetensors", "tests/checkpoints/*.safetensors", "examples/**/*.safetensors"],
    "certificate": ["tests/reject/**/accepted*.json", "tests/reject/cover/forms.json", "tests/reject/cover/products.json", "certificates/*.json"],
    "config_json": ["tests/reject/**/config.json"],
    "claim_toml": ["proofs/*/claim.toml", "tests/reject/**/claim.toml", "examples/**/claim.toml"],
    "sinkproof_toml": ["examples/**/sinkproof.toml"],
}
sys.path.insert(0, str(ROOT / "tests/language"))
import tiny  # noqa: E402


def committed():
    for target, patterns in FILES.items():
        for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
            yield target, "-".join(path.relative_to(ROOT).parts), path.read_bytes()


def arrays():
    for number, (dtype, shape, data) in enumerate([
            ("<i8", "(3,)", struct.pack("<3q", 1, -2, 3)), ("<u2", "(2, 2)", struct.pack("<4H", 1, 2, 3, 65535)),
            ("|u1", "(4,)", b"abcd"), ("<f8", "(1, 1, 2, 1, 1)", struct.pack("<2d", 0.5, -1e300)),
            ("<i4", "(1,)", b"\xff" * 4)]):
        header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
        for version, length in ((1, "<H"), (2, "<I")):
            text = header.encode() + b" " * 20 + b"\n"
            yield "npy", f"{number}-{version}", b"\x93NUMPY" + bytes([version, 0]) + struct.pack(length, len(text)) + text + data


def configs():
    """config.json of every architecture of tests/language/tiny.py, with the keys that change how it is read."""
    made = {"gpt2": tiny.gpt2(1), "neox": tiny.gpt_neox(1, True, 1.0), "opt": tiny.opt(1), "bert": tiny.bert(1)}
    for kind in ("llama", "mistral", "qwen2", "qwen3", "gpt_oss"):
        made[kind] = tiny.llama(1, kind)
    for name, (config, *_) in made.items():
        yield "config_json", name, json.dumps(config).encode()
    config = made["llama"][0]
    for scaling in ({"rope_type": "linear", "factor": 2.0},
                    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 16},
                    {"rope_type": "yarn", "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
                     "original_max_position_embeddings": 16, "attention_factor": 1.1}):
        yield "config_json", scaling["rope_type"], json.dumps({**config, "rope_scaling": scaling}).encode()


def tokenizers():
    """One of each kind that is read, with as many kinds of steps as fit."""
    def document(model, **parts):
        made = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model}
        return json.dumps({**made, **parts}).encode()

    def token(number, content, **flags):
        return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True, **flags}

    def bpe(vocab, merges, **keys):
        return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                "vocab": {word: i for i, word in enumerate(vocab)}, "merges": merges, **keys}
    alphabet = [chr(c) for c in (*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324))]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    split = {"type": "Split", "pattern": {"Regex": r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+"},
             "behavior": "Isolated", "invert": False}
    bos = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                                    {"Sequence": {"id": "A", "type_id": 0}}],
           "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
           "special_tokens": {"<s>": {"id": "<s>", "ids": [258], "tokens": ["<s>"]}}}
    yield "tokenizer_json", "byte-level", document(
        bpe([*alphabet, "th", "the"], ["t h", ["th", "e"]]), added_tokens=[token(258, "<s>")],
        pre_tokenizer=byte_level, decoder=byte_level, post_processor=bos)
    yield "tokenizer_json", "split", document(
        bpe([*alphabet, "aa"], ["a a"], ignore_merges=True), normalizer={"type": "NFC"}, decoder=byte_level,
        added_tokens=[token(257, "<m>", lstrip=True), token(258, "<w>", single_word=True, rstrip=True)],
        pre_tokenizer={"type": "Sequence", "pretokenizers": [split, {"type": "Digits", "individual_digits": True},
                                                             {**byte_level, "use_regex": False}]})
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", "a", "t", "h", "e",
              "\u2581t", "he"]
    yield "tokenizer_json", "sentencepiece", document(
        bpe(pieces, ["\u2581 t", "h e"], unk_token="<unk>", fuse_unk=True, byte_fallback=True),
        added_tokens=[token(0, "<unk>"), token(1, "<s>")],
        normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"},
                                                        {"type": "Replace", "pattern": {"String": " "},
                                                         "content": "\u2581"}]},
        decoder={"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"},
            {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})
    yield "tokenizer_json", "metaspace", document(
        bpe(pieces, ["h e"], unk_token="<unk>"), added_tokens=[token(0, "<unk>")],
        pre_tokenizer={"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
        decoder={"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True})
    words = ["[UNK]", "[CLS]", "[SEP]", "the", "cat", "##t", "a", "##a", "##b", ",", "1"]
    yield "tokenizer_json", "wordpiece", document(
        {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
         "vocab": {word: i for i, word in enumerate(words)}},
        added_tokens=[token(0, "[UNK]"), token(1, "[CLS]"), token(2, "[SEP]")],
        normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                    "lowercase": True},
        pre_tokenizer={"type": "BertPreTokenizer"}, decoder={"type": "WordPiece", "prefix": "##", "cleanup": True})


def main():
    out = pathlib.Path(sys.argv[1])
    counts = {}
    for target, name, data in (*committed(), *arrays(), *configs(), *tokenizers()):
        if len(data) <= MOST:
            (out / target).mkdir(parents=True, exist_ok=True)
            (out / target / name).write_bytes(data)
            counts[target] = counts.get(target, 0) + 1
    sources = {path.stem for path in HERE.glob("*.cpp") if "LLVMFuzzerTestOneInput" in path.read_text()} - {"replay"}
    if counts.keys() != sources:
        sys.exit(f"targets {sorted(sources)}, seeds for {sorted(counts)}")
    print("seeds:", ", ".join(f"{target} {count}" for target, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
