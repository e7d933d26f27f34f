"""COVER_RULES.md and FORM_RULES.md: certificates about every sequence of a set."""

import itertools
from collections import namedtuple
from fractions import Fraction
from math import prod

from ..checkpoint.forward import Balls, Failure
from ..envelope import array, fields, integer, rational
from ..hashes import check_claim_hash
from ..refusal import ACCEPTED, Reject, require, within
from .certificate import MAX_COUNT, MAX_NUMBER_TEXT, MAX_WORDS, find_model, read_model
from .cover_product import Products, by_target, free_places
from .evaluation import embedded, layers_of, logits_of
from .forms import form_figures, form_words

COVER_KEYS = ("format", "kind", "claim", "claim_sha256", "semantics", "model", "precision", "positions", "answers",
              "target", "cover", "statements")
MAX_POSITIONS, MAX_RANGES, MAX_NODES, MAX_TABLE, MAX_COVER_STATEMENTS = 256, 65536, 1 << 20, 1 << 20, 4096
MAX_PLACE = 1 << 20
BATCH, BATCH_WORDS = 512, 1 << 26  # sequences that are evaluated together, and what they may hold
VERDICTS = ("right", "wrong", "undecided")
MAX_SPLITS = 20  # on the way to a leaf
# The keys of a statement that say what it is about.
ABOUT = {"accuracy": (), "margin": (), "attention": ("layer", "head", "key"), "logit": ("id",)}

CoverStatement = namedtuple("CoverStatement", "figure about numbers")


def read_ids(value, what):
    """A set of ids as pairs (first, last)."""
    require(1 <= len(array(value, what)) <= MAX_RANGES, f"{what} is not 1 to {MAX_RANGES} ranges")
    ranges = [tuple(integer(x, what, 0, MAX_COUNT) for x in array(pair, what, 2)) for pair in value]
    require(all(first <= last for first, last in ranges)
            and all(last + 1 < first for (_, last), (first, _) in itertools.pairwise(ranges)),
            f"{what} is not ascending ranges with gaps")
    return ranges


def size(ranges):
    return sum(last - first + 1 for first, last in ranges)


def listed(ranges):
    return list(itertools.chain(*(range(first, last + 1) for first, last in ranges)))


def read_positions(value):
    """Of each position its set of ids, or the index of the one that it repeats."""
    require(1 <= len(array(value, "positions")) <= MAX_POSITIONS, f"there are not 1 to {MAX_POSITIONS} positions")
    found = []
    for number, item in enumerate(value, 1):
        what = f"position {number}"
        if type(item) is dict and "repeats" in item:
            j = integer(fields(item, ("repeats",), what)["repeats"], what, 1, number - 1)
            require(type(found[j - 1]) is list, f"{what} repeats one that is not free")
            found.append(j - 1)
        else:
            found.append(read_ids(fields(item, ("ids",), what)["ids"], what))
    return found


class Target:
    def __init__(self, value, positions):
        rules = {"sum": ("of", "modulo"), "maximum": ("of",), "copy": ("of",), "table": ("values",)}
        require(type(value) is dict and type(value.get("rule")) is str and value["rule"] in rules, "no such target")
        self.rule = value["rule"]
        fields(value, ("rule", *rules[self.rule]), "target")
        self.sets = [of for of in positions if type(of) is list]
        self.free = [i for i, of in enumerate(positions) if type(of) is list]
        if self.rule == "table":
            require(1 <= len(array(value["values"], "target.values")) <= MAX_TABLE, "the target's table is too long")
            require(len(value["values"]) == prod(map(size, self.sets)), "the target's table is not of all sequences")
            self.table = [integer(x, "target.values", 0, MAX_COUNT) for x in value["values"]]
            self.ranks = [{x: k for k, x in enumerate(listed(of))} for of in self.sets]
            return
        most = 1 if self.rule == "copy" else MAX_POSITIONS
        require(1 <= len(array(value["of"], "target.of")) <= most, "target.of has another length")
        self.of = [integer(x, "target.of", 1, len(positions)) - 1 for x in value["of"]]
        require(self.of == sorted(set(self.of)), "target.of is not ascending")
        self.modulo = integer(value["modulo"], "target.modulo", 1, MAX_COUNT) if self.rule == "sum" else None

    def __call__(self, tokens):
        if self.rule == "table":
            place = 0
            for i, ranks in zip(self.free, self.ranks):
                place = place * len(ranks) + ranks[tokens[i]]
            return self.table[place]
        own = [tokens[i] for i in self.of]
        return sum(own) % self.modulo if self.rule == "sum" else max(own)


def read_statement(item, length):
    require(type(item) is dict and type(item.get("property")) is str and item["property"] in ABOUT, "no such property")
    figure = item["property"]
    ends = VERDICTS if figure == "accuracy" else ("least", "greatest")
    fields(item, ("property", *ABOUT[figure], *ends), "it")
    limits = {"layer": (0, MAX_PLACE), "head": (0, MAX_PLACE), "key": (1, length), "id": (0, MAX_COUNT)}
    about = tuple(integer(item[key], key, *limits[key]) for key in ABOUT[figure])
    if figure == "accuracy":
        counts = [rational(item[key], key, MAX_NUMBER_TEXT) for key in ends]
        require(all(x.denominator == 1 and x >= 0 for x in counts), "a count is not an integer")
        return CoverStatement(figure, about, counts)
    return CoverStatement(figure, about, [[rational(x, key, MAX_NUMBER_TEXT) for x in array(item[key], key, 2)]
                                          for key in ends])


def check_partition(whole, parts, where):
    """The parts' ranges are disjoint, and together the whole."""
    joined = []
    for first, last in sorted(itertools.chain(*parts)):
        require(not joined or joined[-1][1] < first, f"{where}: two parts hold id {first}")
        if joined and joined[-1][1] + 1 == first:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    require(joined == whole, f"{where}: the parts together are not the set that they split")


class Tree:
    """The leaves of a cover: each a verdict and its sets of ids by free position. Those by product and by form are apart."""

    def __init__(self, value, positions):
        self.number, self.nodes, self.leaves, self.products, self.forms = {}, 0, [], [], []
        sets = []
        for i, of in enumerate(positions):
            if type(of) is list:
                self.number[i] = len(sets)
                sets.append(of)
        self.walk(value, sets, len(positions), "cover")

    def walk(self, value, sets, length, where, splits=0):
        self.nodes += 1
        require(self.nodes <= MAX_NODES, f"the cover has over {MAX_NODES} nodes")
        require(splits <= MAX_SPLITS, f"{where}: lies below more than {MAX_SPLITS} splits")
        if type(value) is dict and "verdict" in value:
            by = fields(value, ("verdict", *("by",) * ("by" in value)), where).get("by")
            require(type(value["verdict"]) is str and value["verdict"] in VERDICTS, f"{where}: no such verdict")
            require("by" not in value or type(by) is str and by in ("product", "form"), f"{where}: by is not product or form")
            require(by != "product" or value["verdict"] != "undecided", f"{where}: an undecided leaf is by product")
            {None: self.leaves, "product": self.products, "form": self.forms}[by].append((value["verdict"], sets, where))
            return
        fields(value, ("position", "parts"), where)
        k = integer(value["position"], where, 1, length) - 1
        require(k in self.number, f"{where}: splits a position that is not free")
        require(1 <= len(array(value["parts"], where)) <= MAX_RANGES, f"{where}: too many parts, or none")
        place = self.number[k]
        parts = [read_ids(fields(part, ("ids", "node"), where)["ids"], where) for part in value["parts"]]
        check_partition(sets[place], parts, where)
        for i, (ids, part) in enumerate(zip(parts, value["parts"])):
            self.walk(part["node"], [*sets[:place], ids, *sets[place + 1:]], length, f"{where}.parts[{i}].node", splits + 1)


class Figures:
    """The figures of sequences, `batch` at a time."""

    def __init__(self, model, answers, statements, p, batch):
        self.model, self.answers, self.p, self.kept = model, listed(answers), p, {}
        self.statements, self.batch = statements, batch

    def rows(self, tokens):
        if any((i, t) not in self.kept for i, t in enumerate(tokens)):
            for i, (t, *of) in enumerate(zip(tokens, *embedded(self.model, tokens, None, self.p))):
                self.kept[i, t] = of
        return [self.kept[i, t] for i, t in enumerate(tokens)]

    def of(self, sequences, targets):
        """Of each sequence the ends of its margin and of each statement's figure."""
        length, weights = len(sequences[0]), {}

        def seen(l, _, heads):
            for _, (layer, head, key) in ((of.figure, of.about) for of in self.statements if of.figure == "attention"):
                if layer == l:
                    weights[layer, head, key] = [own.weights[-1][key - 1] for own in heads[head]]
        try:
            balls = Balls(*map(list, zip(*itertools.chain(*map(self.rows, sequences)))))
            balls = layers_of(self.model, balls, None, self.p, length, length - 1, seen)
            logits = logits_of(self.model, balls, self.p)
        except Failure:
            raise Reject("a number of the pass is too large or its bounds are too wide") from None
        found = []
        for s, (row, r, target) in enumerate(zip(*logits, targets)):
            middle = row[target] - max(row[x] for x in self.answers if x != target)
            margin = middle - 2 * r, middle + 2 * r
            figures = [margin if of.figure == "margin" else weights[of.about][s] if of.figure == "attention" else
                       (row[of.about[0]] - r, row[of.about[0]] + r) for of in self.statements]
            found.append((margin, figures))
        return found


def sequences_of(sets, positions):
    """In the order of the page."""
    places = free_places(positions)
    for ids in itertools.product(*map(listed, sets)):
        yield [ids[k] for k in places]


def check_leaves(tree, positions, target, answers, figures):
    """Evaluates what has to be; the ends of the least and greatest figure of each statement."""
    allowed, extremes = set(figures.answers), []
    wanted = ((sequence, verdict, where) for verdict, sets, where in tree.leaves
              if verdict != "undecided" or figures.statements for sequence in sequences_of(sets, positions))
    while batch := list(itertools.islice(wanted, figures.batch)):
        targets = [target(sequence) for sequence, *_ in batch]
        for (sequence, *_), x in zip(batch, targets):
            require(x in allowed, f"the target {x} of sequence {sequence[:20]} is not an answer")
        for (_, verdict, where), ((low, high), found) in zip(batch, figures.of([of[0] for of in batch], targets)):
            require(verdict != "right" or low > 0, f"{where}: a sequence is not shown to be right")
            require(verdict != "wrong" or high < 0, f"{where}: a sequence is not shown to be wrong")
            extremes = widened(extremes, found)
    return extremes


def widened(extremes, found):
    """The ends of the least and greatest figure, with those of one more sequence or product."""
    return [(tuple(map(min, least, of)), tuple(map(max, greatest, of)))
            for (least, greatest), of in zip(extremes or [(of, of) for of in found], found)]


def check_form(model, positions, target, figures, verdict, sets, where):
    """The ends of a product's figures."""
    lists = [*map(listed, sets)]
    with within(where):
        (low, high), found = form_figures(model, free_places(positions), lists, by_target(target, positions, lists),
                                          figures.answers, figures.statements, figures.p)
        require(verdict != "right" or low > 0, "the sequences are not shown to be right")
        require(verdict != "wrong" or high < 0, "the sequences are not shown to be wrong")
    return found


def check_fits(model, positions, answers, statements, p):
    require(model.vocabulary, "the model has no logits")
    for ids in (answers, *(of for of in positions if type(of) is list)):
        require(ids[-1][1] < model.vocabulary, "an id is beyond the vocabulary")
    for of in statements:
        if of.figure == "attention":
            require(of.about[0] < model.count and of.about[1] < model.heads, "attention of a layer or head there is not")
        require(of.figure != "logit" or of.about[0] < model.vocabulary, "logit of an id beyond the vocabulary")
    require(words_of(model, len(positions), statements, p) <= MAX_WORDS, "a sequence holds too much")


def words_of(model, length, statements, p):
    """What a sequence's pass, logits and figures hold."""
    widest = max(model.n, model.size, *(layer.inner for layer in model.layers))
    return (p // 64 + 4) * (length * (10 * widest + 2 * length) + model.vocabulary + 2 * len(statements))


def check_cover(value, claim_places, model_folders, result):
    """(exit code, result) of a cover certificate."""
    fields(value, COVER_KEYS, "the certificate")
    require(value["claim"] == "cover", "claim is not cover")
    require(value["semantics"] == "real", "semantics is not real")
    stated, assumed = read_model(value["model"])
    p, positions = integer(value["precision"], "precision", 32, 2048), read_positions(value["positions"])
    answers = read_ids(value["answers"], "answers")
    require(size(answers) >= 2, "answers are fewer than two ids")
    target, tree = Target(value["target"], positions), Tree(value["cover"], positions)
    items = array(value["statements"], "statements")
    require(1 <= len(items) <= MAX_COVER_STATEMENTS, f"there are not 1 to {MAX_COVER_STATEMENTS} statements")
    statements = []
    for k, item in enumerate(items):
        with within(f"statement {k}"):
            statements.append(read_statement(item, len(positions)))
    require(len({(of.figure, of.about) for of in statements}) == len(statements), "two statements are about the same")
    check_claim_hash(value, claim_places)
    largest = max(of[-1][1] for of in positions if type(of) is list)
    model = find_model(stated, model_folders, [[largest] * len(positions)], assumed)
    require(not tree.products or all(of.figure == "accuracy" for of in statements),
            "beside leaves by product there are statements that are not accuracy")
    check_fits(model, positions, answers, statements, p)
    require(not tree.forms or form_words(model, len(positions), sum(size(of) for of in positions if type(of) is list), p)
            <= MAX_WORDS, "a leaf by form holds too much")
    counts = check_statements(tree, positions, target, answers, statements, model, p)
    result["verdict"], result["evidence"] = "proved", "exact"
    said = ", ".join(f"{verdict} {count}" for verdict, count in zip(VERDICTS, counts))
    result["reason"] = "; ".join(filter(None, (said, model.remarks(assumed))))
    return ACCEPTED, result


def check_statements(tree, positions, target, answers, statements, model, p):
    counts = [sum(prod(map(size, sets)) for verdict, sets, _ in tree.leaves + tree.products + tree.forms if verdict == of)
              for of in VERDICTS]
    products = Products(model, positions, listed(answers), target, p) if tree.products else None
    for verdict, sets, where in tree.products:
        products.require_shown(verdict, [*map(listed, sets)], where)
    asked, batch = [of for of in statements if of.figure != "accuracy"], BATCH_WORDS // words_of(model, len(positions), statements, p)
    figures = Figures(model, answers, asked, p, max(1, min(BATCH, batch)))
    extremes = check_leaves(tree, positions, target, answers, figures)
    for of in tree.forms:
        extremes = widened(extremes, check_form(model, positions, target, figures, *of))
    extremes = iter(extremes)
    for k, of in enumerate(statements):
        with within(f"statement {k}"):
            if of.figure == "accuracy":
                require(of.numbers == counts, "right, wrong and undecided are not the cover's counts")
                continue
            for name, (lower, upper), (low, high) in zip(("least", "greatest"), of.numbers, next(extremes)):
                unit = Fraction(1 << p)
                require(lower * unit <= low and high <= upper * unit, f"the {name} is not shown to lie within")
    return counts
