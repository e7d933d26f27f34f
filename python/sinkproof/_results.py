"""What the functions of the module return. Each result keeps what the command line printed: to_dict()."""
import json
import math
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy

from . import _html

VERDICTS = {0: "proved", 1: "refuted", 3: "unknown", 4: "rejected"}


def below(exact):
    """The largest float that is at most an exact number, given as a decimal or p/q; None stays None."""
    return _rounded(exact, -math.inf, lambda found, number: found > number)


def above(exact):
    """The smallest float that is at least an exact number."""
    return _rounded(exact, math.inf, lambda found, number: found < number)


def _rounded(exact, outward, is_inside):
    if exact is None:
        return None
    number = Fraction(exact)
    try:
        found = float(number)
    except OverflowError:
        found = math.inf if number > 0 else -math.inf
    return math.nextafter(found, outward) if is_inside(found, number) else found


class Result:
    """Base of all results."""

    def to_dict(self):
        """What the command line printed as JSON, and its exit_code."""
        return self.raw

    def to_dataframe(self):
        """The rows as a pandas DataFrame. ImportError where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe() needs pandas (Debian: python3-pandas); rows() gives the same "
                              "as a list of dictionaries") from None
        return pandas.DataFrame(self.rows())

    def _repr_html_(self):
        return _html.table(self.rows())

    @property
    def exit_code(self):
        return self.raw["exit_code"]

    @property
    def verdict(self):
        return VERDICTS[self.exit_code]


@dataclass(frozen=True)
class Witness:
    tokens: numpy.ndarray
    tokens_exact: tuple
    trigger: int
    row: int | None
    coordinate: int | None

    @classmethod
    def of(cls, told):
        if not told or "tokens" not in told:
            return None
        exact = tuple(map(tuple, told["tokens"]))
        tokens = numpy.array([[float(Fraction(number)) for number in row] for row in exact])
        return cls(tokens, exact, told["trigger"], told.get("row"), told.get("coordinate"))


@dataclass(frozen=True)
class Property:
    name: str
    verdict: str
    lower: float | None
    upper: float | None
    lower_exact: str | None
    upper_exact: str | None
    layer: int | None
    head: int | None
    reason: str | None
    seconds: float
    scope: dict
    witness: Witness | None = field(repr=False)

    @classmethod
    def of(cls, told):
        return cls(told["name"], told["verdict"], below(told["lower"]), above(told["upper"]), told["lower"], told["upper"],
                   told.get("layer"), told.get("head"), told.get("reason"), told["seconds"], told["scope"],
                   Witness.of(told["witness"]))

    @property
    def key(self):
        return self.name if self.head is None else f"{self.name}[{self.layer},{self.head}]"


@dataclass(frozen=True)
class Certification(Result):
    properties: dict
    length: int
    model: dict
    requirements: tuple
    notes: tuple
    certificate: Path | None
    raw: dict = field(repr=False)

    @classmethod
    def of(cls, raw, notes, certificate):
        properties = {each.key: each for each in map(Property.of, raw["properties"])}
        return cls(properties, raw["length"], raw["model"], tuple(raw.get("requirements", ())), tuple(notes),
                   Path(certificate) if certificate else None, raw)

    def rows(self):
        names = "name", "layer", "head", "verdict", "lower", "upper", "lower_exact", "upper_exact"
        return [{name: getattr(each, name) for name in names} for each in self.properties.values()]

    def _repr_html_(self):
        return _html.certification(self)


FIGURES = ("alpha", "value-alpha", "value-ratio", "broadcast-share", "cosine", "norm-product")  # [sequence, layer, head]
NORMS = ("hidden-norm", "query-norm", "key-norm", "value-norm", "mean-cosine")


@dataclass(frozen=True)
class Enclosure:
    readout: str
    sequence: int | None
    position: int | None
    intervention: dict | None
    lower: numpy.ndarray
    upper: numpy.ndarray
    lower_exact: tuple
    upper_exact: tuple

    @classmethod
    def of(cls, told, layers, heads):
        ends = []
        for name, rounded in (("lower", below), ("upper", above)):
            array = numpy.array([rounded(number) for number in told[name]], dtype=float)
            ends.append(array.reshape(layers, heads) if told["readout"] in FIGURES else array)
        return cls(told["readout"], told.get("sequence"), told.get("position"), told.get("intervention"), *ends,
                   tuple(told["lower"]), tuple(told["upper"]))


@dataclass(frozen=True)
class Loss:
    mean: float
    standard_error: float
    perplexity: float
    change: float | None
    change_standard_error: float | None
    each: numpy.ndarray | None

    @classmethod
    def of(cls, told, each):
        numbers = [_float(told[name]) for name in ("mean", "standard_error", "perplexity")]
        change = [_float(told["change"][name]) for name in ("mean", "standard_error")] if "change" in told else [None, None]
        return cls(*numbers, *change, None if each is None else numpy.array(each, dtype=float))

    @classmethod
    def all_of(cls, raw):
        told, each = raw["summary"].get("loss"), raw["estimates"]
        if told is None:
            return None, {}
        with_them = each.get("intervention-loss", {})
        return cls.of(told, each.get("loss")), {name: cls.of(one, with_them.get(name)) for name, one in told["interventions"].items()}


def _float(number):
    return math.nan if number is None else number


@dataclass(frozen=True)
class Audit(Result):
    architecture: str
    layers: int
    heads: int
    position: int
    epsilon: float
    count: int
    sequences: tuple | None
    sink_share: float
    value_sink_share: float
    mean: dict
    standard_error: dict
    above: dict
    alpha: numpy.ndarray | None
    value_alpha: numpy.ndarray | None
    value_ratio: numpy.ndarray | None
    broadcast_share: numpy.ndarray | None
    cosine: numpy.ndarray | None
    norm_product: numpy.ndarray | None
    norms: dict
    moved: dict
    loss: Loss | None
    loss_with: dict
    attention: numpy.ndarray | None
    enclosures: tuple
    certificate: Path | None
    raw: dict = field(repr=False)

    @classmethod
    def of(cls, raw, attention, certificate):
        told, layers, heads, summary = raw["estimates"], raw["layers"], raw["heads"], raw["summary"]
        norms = {}
        for name in NORMS:
            if name in told:
                each = [numpy.array(row, dtype=float) for row in told[name]]
                norms[name] = numpy.array(each) if summary["shortest"] == summary["longest"] else each
        arrays = {end: {name: numpy.array(summary[name][end], dtype=float) for name in FIGURES} for end in ("mean", "standard_error")}
        moved = {name: numpy.array(rows, dtype=float) for name, rows in told.get("moved", {}).items()}
        for end, each in arrays.items():
            each.update({name: numpy.array(rows[end], dtype=float) for name, rows in summary["moved"].items()})
        enclosures = tuple(Enclosure.of(each, layers, heads) for each in raw.get("enclosures", {}).get("statements", ()))
        return cls(raw["architecture"], layers, heads, raw["position"], float(Fraction(raw["epsilon"])), summary["sequences"],
                   tuple(map(tuple, raw["sequences"])) if "sequences" in raw else None, told["sink-share"], told["value-sink-share"],
                   arrays["mean"], arrays["standard_error"], {name: numpy.array(rows) for name, rows in summary["above"].items()},
                   *(numpy.array(told[name], dtype=float) if name in told else None for name in FIGURES), norms, moved, *Loss.all_of(raw), attention,
                   enclosures, Path(certificate) if certificate else None, raw)

    @property
    def verdict(self):
        return "enclosed" if self.enclosures else "estimated"

    def rows(self):
        heads = [(layer, head) for layer in range(self.layers) for head in range(self.heads)]
        if self.sequences is None:
            return [{"layer": layer, "head": head,
                     **{f"{name}{ending}".replace("-", "_"): float(arrays[name][layer, head]) for name in FIGURES
                        for ending, arrays in (("", self.mean), ("_standard_error", self.standard_error))}} for layer, head in heads]
        names = [name.replace("-", "_") for name in FIGURES]
        return [{"sequence": sequence, "layer": layer, "head": head,
                 **{name: float(getattr(self, name)[sequence, layer, head]) for name in names}}
                for sequence in range(self.count) for layer, head in heads]

    def _repr_html_(self):
        return _html.audit(self)


@dataclass(frozen=True)
class Bounds:
    lower: float
    upper: float
    lower_exact: str
    upper_exact: str

    @classmethod
    def of(cls, lower, upper):
        return cls(below(lower), above(upper), lower, upper)


@dataclass(frozen=True)
class CoverFigure:
    property: str
    layer: int | None
    head: int | None
    position: int | None
    id: int | None
    least: Bounds
    greatest: Bounds
    least_at: tuple
    greatest_at: tuple

    @classmethod
    def of(cls, told):
        return cls(told["property"], told.get("layer"), told.get("head"), told.get("key"), told.get("id"),
                   Bounds.of(**told["least"]), Bounds.of(**told["greatest"]), tuple(told["least_at"]), tuple(told["greatest_at"]))

    @property
    def key(self):
        numbers = self.layer, self.head, self.position, self.id
        return ".".join([self.property, *(str(number) for number in numbers if number is not None)])


@dataclass(frozen=True)
class Cover(Result):
    sequences: int
    right: int
    wrong: int
    undecided: int
    accuracy: Bounds
    figures: dict
    attention: numpy.ndarray | None
    ended: bool
    precision: int
    remarks: str | None
    certificate: Path | None
    raw: dict = field(repr=False)

    @classmethod
    def of(cls, raw, certificate):
        counted, *others = raw["statements"]
        right, wrong, undecided = (int(counted[name]) for name in ("right", "wrong", "undecided"))
        count = int(raw["sequences"])
        figures = {each.key: each for each in map(CoverFigure.of, others)}
        return cls(count, right, wrong, undecided, Bounds.of(f"{right}/{count}", f"{right + undecided}/{count}"), figures,
                   _ranges([each for each in figures.values() if each.property == "attention"]), raw["ended"], raw["precision"],
                   raw.get("remarks"), Path(certificate) if certificate else None, raw)

    @property
    def verdict(self):
        return "unknown" if self.exit_code else "enclosed"

    def rows(self):
        return [{"figure": key, **{f"{name}_{end}": getattr(getattr(each, name), end) for name in ("least", "greatest")
                                   for end in ("lower", "upper")}, "least_at": each.least_at, "greatest_at": each.greatest_at}
                for key, each in self.figures.items()]

    def _repr_html_(self):
        return _html.cover(self)


def _ranges(figures):
    """[layers, heads, positions, 2] of attention's figures, which are in this order; None for none."""
    if not figures:
        return None
    last = figures[-1]
    ends = [(each.least.lower, each.greatest.upper) for each in figures]
    return numpy.array(ends).reshape(last.layer + 1, last.head + 1, last.position, 2)


def as_files(results, folder):
    """Paths as they are; of audits and covers the certificate that they wrote, else of an audit the file of what it estimates,
    made in `folder`. ValueError: a cover without a certificate."""
    def file(number, each):
        if isinstance(each, Cover):
            if each.certificate is None:
                raise ValueError("a page shows a cover by its certificate; give cover() an output")
            return str(each.certificate)
        if not isinstance(each, Audit):
            return each
        if each.certificate:
            return str(each.certificate)
        path = Path(folder) / str(number) / f"{each.raw['name']}.json"
        path.parent.mkdir()
        path.write_text(json.dumps({name: value for name, value in each.raw.items() if name != "exit_code"}))
        return str(path)

    return [file(number, each) for number, each in enumerate(results if isinstance(results, (list, tuple)) else [results])]


@dataclass(frozen=True)
class CheckedFile:
    file: str
    claim: str
    verdict: str
    evidence: str | None
    code: str | None
    reason: str

    @classmethod
    def of(cls, told):
        return cls(told["file"], told["claim"], told["verdict"], told.get("evidence") or None, told["code"] or None, told["reason"])


@dataclass(frozen=True)
class CheckResult(Result):
    files: tuple
    raw: dict = field(repr=False)

    @classmethod
    def of(cls, raw):
        return cls(tuple(map(CheckedFile.of, raw["files"])), raw)

    @property
    def accepted(self):
        return self.exit_code == 0 and all(file.verdict != "estimate" for file in self.files)

    def rows(self):
        return list(map(asdict, self.files))


@dataclass(frozen=True)
class Report(CheckResult):
    output: Path

    @classmethod
    def of(cls, raw):
        return cls(tuple(map(CheckedFile.of, raw["files"])), raw, Path(raw["output"]))

    @property
    def verdict(self):
        return super().verdict if self.accepted or self.exit_code else "estimated"


@dataclass(frozen=True)
class ProofResult(Result):
    claims: dict
    raw: dict = field(repr=False)

    @classmethod
    def of(cls, raw):
        return cls({each["claim"]: each for each in raw["claims"]}, raw)

    def rows(self):
        return list(self.claims.values())


@dataclass(frozen=True)
class GateResult(Result):
    findings: tuple
    raw: dict = field(repr=False)

    @classmethod
    def of(cls, raw):
        return cls(tuple(raw["findings"]), raw)

    def rows(self):
        names = "level", "suite", "subject", "asked", "verdict", "code", "message"
        return [{name: each[name] for name in names} for each in self.findings]


@dataclass(frozen=True)
class Training(Result):
    output: Path
    outcome: str
    steps: int
    loss: float
    linf: float
    seconds: float
    raw: dict = field(repr=False)

    @classmethod
    def of(cls, raw):
        return cls(Path(raw["output"]), raw["outcome"], raw["steps"], raw["loss"], raw["linf"], raw["seconds"], raw)

    def rows(self):
        return [{name: getattr(self, name) for name in ("output", "outcome", "steps", "loss", "linf", "seconds")}]
