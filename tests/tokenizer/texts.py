"""Random texts with what tokenizers treat apart: white space, marks, ideographs, emoji, control characters."""
import random

FOREIGN = ("Où est l'été? Größe, naïve, Ångström, İstanbul ΣΊΣΥΦΟΣ. 東京都に住む人々は、漢字と仮名。Привет, мир! "
           "नमस्ते दुनिया। 👩‍👩‍👧 😀😃 ½ Ⅷ ² ３ ﬁne e\u0301 ") * 8
POOLS = [
    "abcdefghijklmnopqrstuvwxyz THE attention 0123456789 's't're've'LL'd",
    " \t\n\r\v\f\x85\xa0\u2003\u3000\u180e\u200b\u2028",
    "éèüßñçÅÆøİıſKςΣ",
    "e\u0301\u0327ﬁ½Ⅷ²①３ｱ가ᄀ\u1161\u11a8",
    "東京都漢字仮名人々。、",
    "😀👩\u200d👧\ufe0f🏽👍",
    "\x00\x01\x1b\x7f\u0085\ufeff\ufffd\U0010ffff\ue000",
    ".,;:!?()[]{}<>|/\\\"'`~@#$%^&*-_=+▁Ġ<0x41>",
]


def random_texts(seed, count, extra, body):
    """Mixtures of POOLS, parts of `body` and `extra`."""
    draw = random.Random(seed)
    texts = ["", " ", "  ", "\n", "a", "Hello world", " can't  stop", "x" * 300, " " * 300, " \n" * 150 + "x"]
    while len(texts) < count:
        parts = []
        for _ in range(draw.randrange(1, 12)):
            kind = draw.randrange(4)
            if kind == 0:
                parts.append("".join(draw.choice(draw.choice(POOLS)) for _ in range(draw.randrange(1, 12))))
            elif kind == 1:
                pool = draw.choice(POOLS)
                parts.append("".join(draw.choice(pool) for _ in range(draw.randrange(1, 12))))
            elif kind == 2:
                at = draw.randrange(len(body))
                parts.append(body[at:at + draw.randrange(1, 40)])
            else:
                parts.append(draw.choice(extra + [" ", "   "]))
        texts.append("".join(parts))
    return texts
