"""Certified bounds about attention sinks, from Python: what the program sinkproof does, with state_dicts and arrays
in, plain dictionaries out, bounds as decimal strings rounded outward. docs/PYTHON.md shows it at work.

Each function runs one verb of the command line in a process of its own; its keyword arguments are that verb's options
(--num-heads is num_heads), its result what the verb prints with --format json, and "exit_code": 0 all proved or
enclosed, 1 refuted, 3 unknown, 4 a certificate rejected. What the command line refuses (2) or breaks at (5) is raised
as sinkproof.Error. An interrupt (Ctrl-C) ends the process and leaves every file as it was.

A model is the path of a checkpoint, or a state_dict: {name: PyTorch tensor or NumPy array}. Rows are a path or an
array [rows, width]. `progress` is called now and then with what is being done, the share of it that is done, and an
estimate of the seconds left or None.
"""
import tempfile

from . import _arguments, _process, _program
from ._arguments import save
from ._error import Error
from ._files import load

__all__ = ["Error", "audit", "certify", "check", "convert", "cost", "load", "measure", "report", "run", "save", "sink_share"]
__version__ = _program.version


def run(verb, inputs=(), *, progress=None, **options):
    """Any command of the command line that prints JSON: run("explain", "tc-1")."""
    if verb not in _arguments.VERBS:
        raise ValueError(f"unknown command {verb!r}; the commands are {', '.join(_arguments.VERBS)}")
    with tempfile.TemporaryDirectory(prefix="sinkproof-") as folder:
        return _process.answer(_arguments.words(verb, inputs, options, folder), progress)


def certify(models, *, progress=None, **options):
    """Bounds the loss and the sink of a model, or of each of several, for all inputs of the task.

    Of a state_dict, attention, num_heads, num_layers, length, residual and scale become its metadata, as save() writes
    them; a certificate (output=PATH) is about the file that save() with the same ones writes."""
    return run("certify", models, progress=progress, **options)


def check(certificates, **options):
    """What the trusted checker says of certificates."""
    return run("check", certificates, **options)


def measure(rows, *, progress=None, **options):
    """Exact statements about rows, or about a model's heads (then with random=N or tokens=ROWS) on given sequences."""
    return run("measure", rows, progress=progress, **options)


def sink_share(model, *, progress=None, **options):
    """How many heads of a model attend to one position on given sequences (random=N or tokens=ROWS), enclosed."""
    return run("sink-share", model, progress=progress, **options)


def audit(folders, *, progress=None, **options):
    """What the heads of a language model, or of each of several Hugging Face folders, do on given tokens."""
    return run("audit", folders, progress=progress, **options)


def cost(embeddings, *, progress=None, **options):
    """What scoring given embeddings in a sink or diagonal pattern costs, between two certified numbers."""
    return run("cost", embeddings, progress=progress, **options)


def convert(model, **options):
    """A checkpoint of a model whose tensors have other names or layouts."""
    return run("convert", model, **options)


def report(certificates, **options):
    """One self-contained HTML page (output=PATH) from certificates."""
    return run("report", certificates, **options)


def _describe(function):
    lines = [function.__doc__.strip(), "", "Options:"]
    for keyword, option in _arguments.keywords(function.__name__.replace("_", "-")).items():
        notes = [note for note in (option["range"], option["default"] and f"default: {option['default']}") if note]
        lines.append(f"  {keyword}: {option['description']}" + (f" ({'; '.join(notes)})" if notes else ""))
    function.__doc__ = "\n".join(lines)


for _function in (audit, certify, check, convert, cost, measure, report, sink_share):
    _describe(_function)
