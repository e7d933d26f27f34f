# The public surface of the module: docs/PYTHON.md shows it at work, and the docstrings give units and errors.
import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy
from numpy.typing import NDArray

__version__: str
__all__ = [
    "Audit", "Bounds", "Certification", "CheckResult", "CheckedFile", "Cover", "CoverFigure", "Enclosure", "Error", "GateResult",
    "Loss", "ProofResult", "Property", "Report", "Training", "Witness", "audit", "certify", "certify_many", "check", "convert",
    "cost", "cover", "gate", "load", "measure", "prove", "report", "run", "save", "sink_share", "train"]

class _Tensor(Protocol):  # of PyTorch, on any device
    def detach(self) -> Any: ...

class _Module(Protocol):  # of PyTorch
    def state_dict(self) -> Any: ...

_Path: TypeAlias = str | PathLike[str]
_Array: TypeAlias = NDArray[Any] | _Tensor
_Model: TypeAlias = _Path | Mapping[str, Any] | _Module
_Words: TypeAlias = str | Sequence[str]
_Ids: TypeAlias = int | range | Sequence[int] | str | _Array  # token ids; text is "0-12", "3,5", "any"
_Number: TypeAlias = float | str  # text is exact: "0.1", "1/3", "1/sqrt(16)"
_Progress: TypeAlias = Callable[[str, float, float | None], object] | bool | None

class Error(Exception):
    code: str | None  # "SP0201", as docs/ERRORS.md lists them; None where an option's value is at fault
    where: str | None  # the file and the step or field
    what: str  # what is wrong, and what to do about this case
    result: dict[str, Any] | None  # what was printed all the same
    says_all: bool  # `what` already says what to do
    def __init__(self, code: str | None, where: str | None, what: str, result: dict[str, Any] | None = None, says_all: bool = False) -> None: ...
    @property
    def field(self) -> str | None: ...  # where
    @property
    def message(self) -> str: ...  # what
    @property
    def remedy(self) -> str | None: ...  # what docs/ERRORS.md says to do about the code

class _Result:
    def to_dict(self) -> dict[str, Any]: ...  # the JSON of the command, with "exit_code"
    def to_dataframe(self) -> Any: ...  # a pandas.DataFrame of rows(); ImportError without pandas
    def rows(self) -> list[dict[str, Any]]: ...
    @property
    def exit_code(self) -> int: ...  # 0 proved, 1 refuted, 3 unknown, 4 rejected
    @property
    def verdict(self) -> str: ...  # the same in a word
    def _repr_html_(self) -> str: ...

@dataclass(frozen=True)
class Witness:
    tokens: NDArray[numpy.float64]  # [rows, d_model]: the nearest floats
    tokens_exact: tuple[tuple[str, ...], ...]
    trigger: int  # its position, from 1
    row: int | None  # where the value is attained, from 1
    coordinate: int | None

@dataclass(frozen=True)
class Property:
    name: str  # such as "sup-loss.trigger"
    verdict: str  # enclosed, proved, refuted, unknown, statistical, not-applicable
    lower: float | None  # at most the exact lower bound
    upper: float | None  # at least the exact upper bound
    lower_exact: str | None  # a decimal
    upper_exact: str | None
    layer: int | None  # from 0; None: of all heads
    head: int | None
    reason: str | None
    seconds: float
    scope: dict[str, Any]  # length, lengths, trigger, rows, box
    witness: Witness | None  # an input that attains the bound that it can
    @property
    def key(self) -> str: ...  # the name, or "bos-floor.pre[0,1]" for layer 0, head 1

@dataclass(frozen=True)
class Certification(_Result):
    properties: dict[str, Property]  # by key
    length: int
    model: dict[str, Any]  # attention, d_model, num_heads, num_layers, residual, scale, overrides, sha256
    requirements: tuple[dict[str, Any], ...]  # asked, verdict, lower, upper, property
    notes: tuple[str, ...]  # where the certified model differs from the one that was given
    certificate: Path | None

@dataclass(frozen=True)
class Enclosure:
    readout: str  # such as "alpha"
    sequence: int | None
    position: int | None
    intervention: dict[str, Any] | None
    lower: NDArray[numpy.float64]  # [layers, heads] of a figure by head, else in one row
    upper: NDArray[numpy.float64]
    lower_exact: tuple[str, ...]
    upper_exact: tuple[str, ...]

@dataclass(frozen=True)
class Loss:  # next-token cross-entropy in nats per token, estimated
    mean: float  # over sequences
    standard_error: float  # of the mean; nan for one sequence, as in change_standard_error
    perplexity: float  # exp(mean)
    change: float | None  # mean over sequences of how much the intervention adds; None of the model as it is
    change_standard_error: float | None
    each: NDArray[numpy.float64] | None  # [sequences], nan for one of one token; None with summary=True

@dataclass(frozen=True)
class Audit(_Result):
    architecture: str
    layers: int
    heads: int
    position: int  # from 1
    epsilon: float
    count: int  # of sequences
    sequences: tuple[tuple[int, ...], ...] | None  # the ids that were read; None with summary=True, as all up to norm_product
    sink_share: float  # the share of (sequence, layer, head) whose alpha is above epsilon
    value_sink_share: float
    mean: dict[str, NDArray[numpy.float64]]  # "alpha", "value-alpha", ...: [layers, heads], over sequences; "evict 1,4": [layers + 2]
    standard_error: dict[str, NDArray[numpy.float64]]  # of these means; nan for one sequence
    above: dict[str, NDArray[numpy.int64]]  # "alpha", "value-alpha": [layers, heads], sequences in which it is above epsilon
    alpha: NDArray[numpy.float64] | None  # [sequences, layers, heads], as all up to norm_product; estimates
    value_alpha: NDArray[numpy.float64] | None
    value_ratio: NDArray[numpy.float64] | None
    broadcast_share: NDArray[numpy.float64] | None
    cosine: NDArray[numpy.float64] | None
    norm_product: NDArray[numpy.float64] | None
    # hidden-norm [sequences, layers + 1, positions], query-norm, key-norm, value-norm [sequences, layers, heads, positions],
    # mean-cosine [sequences, layers + 1]; a list with one array for each sequence where their lengths differ.
    norms: dict[str, Any]
    moved: dict[str, NDArray[numpy.float64]]  # "evict 1,4": [sequences, layers + 2]; the last column is logits
    loss: Loss | None  # with loss=True, evict or ablate; None of an encoder
    loss_with: dict[str, Loss]  # by intervention: "evict 1,4", "ablate 3,0+3,5"
    attention: NDArray[numpy.float64] | None  # [sequences, layers, heads, queries, keys]
    enclosures: tuple[Enclosure, ...]  # empty without rigorous or output
    certificate: Path | None

@dataclass(frozen=True)
class Bounds:
    lower: float  # at most the exact lower bound
    upper: float  # at least the exact upper bound
    lower_exact: str  # a decimal, or p/q
    upper_exact: str

@dataclass(frozen=True)
class CoverFigure:
    property: str  # "margin" and "logit", in units of logits, or "attention", a share from 0 to 1
    layer: int | None  # of attention, from 0
    head: int | None
    position: int | None  # that it is paid to, from 1
    id: int | None  # of a logit
    least: Bounds  # of the least over all sequences
    greatest: Bounds
    least_at: tuple[int, ...]  # a sequence that has the least, as far as is known
    greatest_at: tuple[int, ...]
    @builtins.property  # `property` is a field here
    def key(self) -> str: ...  # "margin", "attention.0.1.2", "logit.3"

@dataclass(frozen=True)
class Cover(_Result):
    sequences: int
    right: int
    wrong: int
    undecided: int
    accuracy: Bounds  # the share of sequences that are right
    figures: dict[str, CoverFigure]  # by key; empty where the budget ended
    attention: NDArray[numpy.float64] | None  # [layers, heads, positions, 2]: from the least to the greatest, rounded outward
    ended: bool  # the budget ended before every sequence was evaluated
    precision: int  # bits after the point
    remarks: str | None  # what makes it another model than config.json says
    certificate: Path | None

@dataclass(frozen=True)
class CheckedFile:
    file: str
    claim: str
    verdict: str  # proved, unknown, rejected; of an audit without a certificate "estimate"
    evidence: str | None
    code: str | None
    reason: str

@dataclass(frozen=True)
class CheckResult(_Result):
    files: tuple[CheckedFile, ...]
    @property
    def accepted(self) -> bool: ...

@dataclass(frozen=True)
class Report(CheckResult):
    output: Path

@dataclass(frozen=True)
class ProofResult(_Result):
    claims: dict[str, dict[str, Any]]  # by id

@dataclass(frozen=True)
class GateResult(_Result):
    findings: tuple[dict[str, Any], ...]

@dataclass(frozen=True)
class Training(_Result):
    output: Path
    outcome: str
    steps: int
    loss: float  # mean squared error of the last batch
    linf: float  # its largest absolute error
    seconds: float

def certify(
    model: _Model, *, attention: str | None = None, num_heads: int | None = None, num_layers: int | None = None,
    length: int | None = None, residual: bool | None = None, scale: _Number | None = None,
    box: Any = None, trigger: str | None = None, property: _Words | None = None, require: _Words | None = None,
    seconds: float | None = None, key: str | None = None, output: _Path | None = None, progress: _Progress = None,
    **options: Any) -> Certification: ...
def certify_many(models: _Path | Sequence[_Path | Mapping[str, Any]], *, progress: _Progress = None, **options: Any) -> dict[str, Any]: ...
def audit(
    folder: _Path, *, tokens: Any = None, bos: bool | None = None, random: int | None = None, seed: int | None = None,
    length: int | None = None, position: int | None = None, epsilon: _Number | None = None, evict: Any = None,
    ablate: Any = None, loss: bool = False, rigorous: bool = False, summary: bool = False, attention: bool = False, output: _Path | None = None,
    csv: _Path | None = None, npz: _Path | None = None, progress: _Progress = None, **options: Any) -> Audit: ...
def cover(
    folder: _Path, *, positions: Sequence[_Ids], target: str | _Array, answers: _Ids | None = None, attention: bool = False,
    logits: _Ids | None = None, seconds: float | None = None, output: _Path | None = None, progress: _Progress = None,
    **options: Any) -> Cover: ...
def check(
    certificates: _Path | Sequence[_Path], *, models: _Path | None = None, claims: _Path | None = None,
    accept: _Words | None = None, progress: _Progress = None, **options: Any) -> CheckResult: ...
def prove(
    claims: _Words, *, certificates: _Path | None = None, proofs: _Path | None = None, progress: _Progress = None,
    **options: Any) -> ProofResult: ...
def gate(config: _Path = "sinkproof.toml", *, output: _Path | None = None, progress: _Progress = None, **options: Any) -> GateResult: ...
def report(
    certificates: _Path | Audit | Cover | Sequence[_Path | Audit | Cover], *, output: _Path = "report.html", models: _Path | None = None,
    claims: _Path | None = None, require: _Words | None = None, steps: str | Sequence[int] | None = None,
    figures: _Path | None = None, progress: _Progress = None, **options: Any) -> Report: ...
def train(
    output: _Path, *, attention: Literal["softmax", "sigmoid-normalised", "elu1-normalised", "softmax-null", "softmax-sink",
                                         "softmax-gated", "relu", "sigmoid", "elu1", "linear"] | None = None,
    layers: int | None = None, heads: int | None = None, d_model: int | None = None, length: int | None = None,
    residual: bool = False, steps: int | None = None, lr: float | None = None, batch: int | None = None,
    seed: int | None = None, progress: _Progress = None, **options: Any) -> Training: ...
def convert(
    model: _Model, *, output: _Path, attention: str | None = None, num_heads: int | None = None, length: int | None = None,
    residual: bool | None = None, scale: _Number | None = None, map: _Words | None = None, only: str | None = None,
    key: str | None = None,
    **options: Any) -> dict[str, Any]: ...
def measure(rows: _Path | _Array | Mapping[str, Any], *, progress: _Progress = None, **options: Any) -> dict[str, Any]: ...
def sink_share(model: _Path | Mapping[str, Any], *, progress: _Progress = None, **options: Any) -> dict[str, Any]: ...
def cost(embeddings: _Path | _Array, *, progress: _Progress = None, **options: Any) -> dict[str, Any]: ...
def run(verb: str, inputs: Any = (), *, progress: _Progress = None, **options: Any) -> dict[str, Any]: ...
def save(
    path: _Path, tensors: Mapping[str, Any], *, attention: str | None = None, num_heads: int | None = None,
    num_layers: int | None = None, length: int | None = None, residual: bool | None = None, scale: Any = None) -> None: ...
def load(path: _Path, key: str | None = None) -> tuple[dict[str, NDArray[Any]], dict[str, str]]: ...
