"""A second reader of tokenizer.json, slow and plain, to compare with: what the formats' documentation
says, Python's unicodedata for normal forms, and Oniguruma itself for regular expressions."""
import ctypes
import ctypes.util
import unicodedata


class Oniguruma:
    """Matches of a pattern by libonig, in the syntax and encoding that tokenizer files are written for."""

    def __init__(self, pattern):
        library = ctypes.CDLL("libonig.so.5")
        self.search, self.region_free = library.onig_search, library.onig_region_free
        library.onig_region_new.restype = ctypes.c_void_p
        self.region = ctypes.c_void_p(library.onig_region_new())
        encoding = ctypes.addressof(ctypes.c_char.in_dll(library, "OnigEncodingUTF8"))
        syntax = ctypes.c_void_p.in_dll(library, "OnigDefaultSyntax")
        data = pattern.encode()
        buffer = ctypes.create_string_buffer(data)
        start = ctypes.addressof(buffer)
        self.regex = ctypes.c_void_p()
        error = library.onig_new(ctypes.byref(self.regex), ctypes.c_void_p(start),
                                 ctypes.c_void_p(start + len(data)), 0, ctypes.c_void_p(encoding), syntax, None)
        if error:
            raise ValueError(f"Oniguruma refuses {pattern}: {error}")

    def matches(self, text):
        data = text.encode()
        buffer = ctypes.create_string_buffer(data)
        base = ctypes.addressof(buffer)
        found, at = [], 0
        while at <= len(data):
            begin = self.search(self.regex, ctypes.c_void_p(base), ctypes.c_void_p(base + len(data)),
                                ctypes.c_void_p(base + at), ctypes.c_void_p(base + len(data)), self.region, 0)
            if begin < 0:
                break
            end = ctypes.cast(ctypes.cast(self.region.value + 16, ctypes.POINTER(ctypes.c_void_p))[0],
                              ctypes.POINTER(ctypes.c_int))[0]
            if begin == end and found and found[-1][1] == end:
                at += 1
                while at < len(data) and data[at] & 0xC0 == 0x80:
                    at += 1
                continue
            found.append((begin, end))
            at = end
        return [(len(data[:b].decode()), len(data[:e].decode())) for b, e in found]


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def byte_alphabet():
    own = list(range(0x21, 0x7F)) + list(range(0xA1, 0xAD)) + list(range(0xAE, 0x100))
    rest = [byte for byte in range(256) if byte not in own]
    return {**{byte: chr(byte) for byte in own}, **{byte: chr(256 + i) for i, byte in enumerate(rest)}}


ALPHABET = byte_alphabet()


def flatten(step, key):
    if step is None:
        return []
    if step["type"] == "Sequence":
        return [one for child in step[key] for one in flatten(child, key)]
    return [step]


def literal_matches(wanted, text):
    found, at = [], text.find(wanted)
    while at >= 0:
        found.append((at, at + len(wanted)))
        at = text.find(wanted, at + len(wanted))
    return found


def matches_of(pattern, text, cache={}):
    if "String" in pattern:
        return literal_matches(pattern["String"], text)
    if pattern["Regex"] not in cache:
        cache[pattern["Regex"]] = Oniguruma(pattern["Regex"])
    return cache[pattern["Regex"]].matches(text)


def replace(text, matches, content):
    made, done = "", 0
    for begin, end in matches:
        made, done = made + text[done:begin] + content, end
    return made + text[done:]


def is_space(character):
    return character in "\t\n\v\f\r\x85" or unicodedata.category(character) in ("Zs", "Zl", "Zp")


def is_word(character):
    category = unicodedata.category(character)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc") or character in "\u200c\u200d"


def split(text, matches, behavior, invert):
    parts, done = [], 0
    for begin, end in matches:
        if done < begin:
            parts.append((text[done:begin], invert))
        parts.append((text[begin:end], not invert))
        done = end
    if done < len(text):
        parts.append((text[done:], invert))
    if behavior == "Removed":
        pieces = [part for part, matched in parts if not matched]
    elif behavior == "Isolated":
        pieces = [part for part, _ in parts]
    elif behavior == "Contiguous":
        pieces, last = [], None
        for part, matched in parts:
            if matched == last:
                pieces[-1] += part
            else:
                pieces.append(part)
            last = matched
    else:
        forward = behavior == "MergedWithPrevious"
        pieces, last = [], False
        for part, matched in parts if forward else reversed(parts):
            if matched and not last and pieces:
                pieces[-1] = pieces[-1] + part if forward else part + pieces[-1]
            else:
                pieces.append(part)
            last = matched
        if not forward:
            pieces.reverse()
    return [piece for piece in pieces if piece]


class Reference:
    def __init__(self, document):
        self.document = document
        model = document["model"]
        self.vocab = model["vocab"]
        pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
        self.ranks = {tuple(pair): rank for rank, pair in enumerate(pairs)}
        self.added = document["added_tokens"] or []

    def normalize(self, text):
        for step in flatten(self.document["normalizer"], "normalizers"):
            kind = step["type"]
            if kind in ("NFC", "NFD", "NFKC", "NFKD"):
                text = unicodedata.normalize(kind, text)
            elif kind == "Lowercase":
                text = "".join("i\u0307" if c == "\u0130" else c.lower() if len(c.lower()) == 1 else c for c in text)
            elif kind == "Prepend":
                text = step["prepend"] + text if text else text
            elif kind == "Replace":
                text = replace(text, matches_of(step["pattern"], text), step["content"])
            elif kind == "Strip":
                while step["strip_left"] and text and is_space(text[0]):
                    text = text[1:]
                while step["strip_right"] and text and is_space(text[-1]):
                    text = text[:-1]
            else:
                raise ValueError(kind)
        return text

    def words(self, text, at_start):
        pieces = [(text, at_start)]
        for step in flatten(self.document["pre_tokenizer"], "pretokenizers"):
            pieces = [word for piece, first in pieces for word in self.cut(step, piece, first)]
        return [piece for piece, _ in pieces]

    def cut(self, step, text, first):
        kind = step["type"]
        if kind == "ByteLevel":
            if step["add_prefix_space"] and not text.startswith(" "):
                text = " " + text
            pieces = [text]
            if step.get("use_regex", True):
                pieces = split(text, matches_of({"Regex": GPT2}, text), "Isolated", False)
            pieces = ["".join(ALPHABET[byte] for byte in piece.encode()) for piece in pieces]
        elif kind == "Split":
            pieces = split(text, matches_of(step["pattern"], text), step["behavior"], step["invert"])
        elif kind == "Digits":
            numeric = [(i, i + 1) for i, c in enumerate(text) if unicodedata.category(c) in ("Nd", "Nl", "No")]
            pieces = split(text, numeric, "Isolated" if step["individual_digits"] else "Contiguous", False)
        elif kind == "Metaspace":
            sign = step["replacement"]
            scheme = step.get("prepend_scheme", "always" if step.get("add_prefix_space", True) else "never")
            text = text.replace(" ", sign)
            if (scheme == "always" or (scheme == "first" and first)) and not text.startswith(sign):
                text = sign + text
            pieces = [text]
            if step.get("split", True):
                pieces = split(text, literal_matches(sign, text), "MergedWithNext", False)
        else:
            raise ValueError(kind)
        return [(piece, first and i == 0) for i, piece in enumerate(pieces)]

    def merge(self, word):
        """Ids of a word; pairs are looked for by content, all of them anew after every merge."""
        model = self.document["model"]
        if model.get("ignore_merges") and word in self.vocab:
            return [self.vocab[word]]
        symbols, unknown = [], None
        for character in word:
            if character in self.vocab:
                symbols.append(character)
            elif model.get("byte_fallback"):
                symbols += [f"<0x{byte:02X}>" for byte in character.encode()]
            elif not (model.get("fuse_unk") and unknown):
                symbols.append(model["unk_token"])
            unknown = character not in self.vocab
        while True:
            ranked = [(self.ranks[pair], i) for i, pair in enumerate(zip(symbols, symbols[1:])) if pair in self.ranks]
            if not ranked:
                return [self.vocab[symbol] for symbol in symbols]
            _, i = min(ranked)
            symbols[i:i + 2] = [symbols[i] + symbols[i + 1]]

    def segments(self, text, normalized):
        """(id, None) or (None, text, begin)."""
        sought = {}
        for token in sorted(self.added, key=lambda token: not token["special"]):
            if token["normalized"] == normalized:
                content = self.normalize(token["content"]) if normalized else token["content"]
                if content:
                    sought.setdefault(content, token)
        made, done, at = [], 0, 0
        while at < len(text):
            here = [content for content in sought if text.startswith(content, at)]
            if not here:
                at += 1
                continue
            content = max(here, key=len)
            token, begin, end = sought[content], at, at + len(content)
            at = end
            if token["single_word"] and ((begin and is_word(text[begin - 1])) or (end < len(text) and is_word(text[end]))):
                continue
            while token["lstrip"] and begin > done and is_space(text[begin - 1]):
                begin -= 1
            while token["rstrip"] and end < len(text) and is_space(text[end]):
                end += 1
            if done < begin:
                made.append((None, text[done:begin], done))
            made.append((token["id"], None, begin))
            done = end
        if done < len(text):
            made.append((None, text[done:], done))
        return made

    def encode(self, text):
        ids = []
        for number, raw, begin in self.segments(text, False):
            if number is not None:
                ids.append(number)
                continue
            for inner, part, at in self.segments(self.normalize(raw), True):
                if inner is not None:
                    ids.append(inner)
                    continue
                for word in self.words(part, begin == 0 and at == 0):
                    ids += self.merge(word)
        return ids
