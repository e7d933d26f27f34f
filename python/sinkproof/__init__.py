"""Certified bounds about attention sinks, from Python. docs/PYTHON.md shows it at work; __init__.pyi has every type.

Each function runs one command of the program in a process of its own. Keyword arguments are that command's options:
--num-heads is num_heads, a repeatable option takes a list, a flag takes True. Refuted, unknown and rejected are results.
Input that the command refuses, and internal errors, are raised as sinkproof.Error; a value of a wrong type is a TypeError.
An interrupt (Ctrl-C) ends the process and leaves every file as it was.

`progress` is called at most ten times a second with what is being done, the share of it that is done (0 to 1), and an
estimate of the seconds left or None. True shows a bar: tqdm's where it is installed, else a line on stderr.
"""
import json
import tempfile
from numbers import Integral, Real
from os import PathLike
from pathlib import Path

import numpy

from . import _arguments, _files, _models, _process, _program, _results, _tokens
from ._arguments import save
from ._error import Error
from ._models import load
from ._progress import shown
from ._results import (Audit, Bounds, Certification, CheckedFile, CheckResult, Cover, CoverFigure, Enclosure, GateResult, Loss,
                       ProofResult, Property, Report, Training, Witness)

__all__ = [
    "Audit", "Bounds", "Certification", "CheckResult", "CheckedFile", "Cover", "CoverFigure", "Enclosure", "Error", "GateResult",
    "Loss", "ProofResult", "Property", "Report", "Training", "Witness", "audit", "certify", "certify_many", "check", "convert",
    "cost", "cover", "gate", "load", "measure", "prove", "report", "run", "save", "sink_share", "train"]
__version__ = _program.version

SPELT = "num_heads", "num_layers", "attention", "length", "residual", "scale"


def run(verb, inputs=(), *, progress=None, **options):
    """Any command of the program that prints JSON, as plain dictionaries: run("explain", "tc-1").

    ValueError: an unknown command. TypeError: an unknown option, or a value of the wrong type."""
    if verb not in _arguments.VERBS:
        raise ValueError(f"unknown command {verb!r}; the commands are {', '.join(_arguments.VERBS)}")
    with _folder() as folder, shown(progress) as tell:
        return _process.answer(_arguments.words(verb, inputs, options, folder), tell)


def certify(model, *, key=None, output=None, progress=None, **options):
    """Bounds the loss and the attention on BOS of one model for every input of the task (docs/CERTIFY.md).

    model: the path of a checkpoint (safetensors, or a torch.save file of tensors), a state_dict {name: tensor or array}, or
    a torch.nn.Module. Names of nn.MultiheadAttention, TransformerLens, GPT-2 and Llama are known. attention, num_heads,
    num_layers, length, residual and scale say what the weights do not say. A scale such as 1/sqrt(8), which is irrational,
    is folded into W_Q and rounded; `notes` of the result then says so.
    key: the state_dict in a torch.save file that holds several things.
    box: the noise of the task. 0.5 is [-0.5, 0.5], (-1, 0.25) is that interval, a list has one of these for each coordinate.
    output: the certificate to write. It is about the file that save() or convert() writes with the same options.

    Returns a Certification. Bounds are losses (the largest absolute error of an output coordinate) or shares of attention
    (0 to 1). `lower` is rounded down and `upper` up to a float; `lower_exact` and `upper_exact` are what is certified.
    Error: docs/ERRORS.md lists the codes; SP1111 for the folder of a language model, which audit() reads."""
    _models.check_one(model)
    with _folder() as folder, shown(progress) as tell:
        path, options, notes = _models.placed(model, {**_spelt(options), "box": _box(options.get("box"))}, folder, key=key)
        raw = _process.answer(_arguments.words("certify", path, {**options, "output": output}, folder), tell)
        return Certification.of(raw, notes, output)


def certify_many(models, *, progress=None, **options):
    """Bounds several models, or the checkpoints of a folder; returns what `sinkproof certify MODELS` prints, as a dictionary.

    models: a list of paths and state_dicts, or the path of a folder."""
    return run("certify", models, progress=progress, **_spelt(options))


def audit(folder, *, tokens=None, bos=None, attention=False, output=None, progress=None, **options):
    """What the heads of a language model do with one position on given tokens (docs/LANGUAGE_MODELS.md).

    folder: a Hugging Face folder, or one that train-lm wrote.
    tokens: ids as an array [tokens] or [sequences, tokens], lists of ids, {"input_ids": ...} as a tokenizer returns it, a
    text or a list of texts, or the path of a .json, .jsonl or .npy file, of a text, or of a folder of .txt files. Without
    tokens: random=N sequences. length cuts longer sequences into several.
    bos: whether texts begin with the token that begins texts; required for texts, unless tokens are bytes (train-lm).
    summary: True keeps means and standard errors alone, in memory that does not grow with the number of sequences.
    attention: True keeps all attention weights. rigorous=True encloses the figures; so does output, the certificate.
    evict: (first, window), "first,window" or "first,window,renumbered"; ablate: (layer, head), or a list of heads ablated
    at once, [(3, 0), (3, 5)] within the list: ablate=[(3, 0), [(3, 0), (3, 5)]] is two ablations.
    loss: True measures the next-token loss; with evict or ablate it is measured anyway.

    Returns an Audit. mean and standard_error hold arrays [layers, heads] by figure; alpha and the others are [sequences,
    layers, heads], None with summary=True. alpha is a share of attention from 0 to 1. loss is in nats per token."""
    if not isinstance(folder, (str, PathLike)):
        raise TypeError(f"audit() takes the path of one folder, not {type(folder).__name__}; run('audit', [folders]) compares several")
    if not isinstance(attention, _arguments.BOOLS):
        raise TypeError(f"attention must be True or False, not {attention!r}")
    for name in ("evict", "ablate"):
        if name in options:
            options[name] = _pairs(name, options[name])
    with _folder() as temporary, shown(progress) as tell:
        options["output"] = output
        if attention:
            options["save_attention"] = Path(temporary) / "attention.npy"
        if tokens is not None:
            options |= _tokens_of(folder, tokens, bos, temporary)
        elif bos is not None:
            raise TypeError("bos is about texts: give tokens=\"...\"")
        raw = _process.answer(_arguments.words("audit", str(folder), options, temporary), tell)
        weights = numpy.load(options["save_attention"], allow_pickle=False) if attention else None
        if weights is not None and raw["summary"]["sequences"] == 1:
            weights = weights[None]
        return Audit.of(raw, weights, output)


def cover(folder, *, positions, target, answers=None, attention=False, logits=None, seconds=None, output=None, progress=None,
          **options):
    """What a language model does on every token sequence of a finite set (docs/YOUR_MODEL.md).

    folder: a folder with config.json and model.safetensors.
    positions: for each position of a sequence the ids that may stand there: an id, a range, a list or array of ids, or text
    such as "0-12", "any" and "=2", which repeats position 2.
    target: "sum 1,2 mod 13", "maximum 1,2", "copy 4" or "table FILE.npy", with positions from 1; or an array of ids, which has
    an axis for each position with more than one id, or one entry for each sequence, the first position foremost.
    answers: the ids whose logits are compared in the last row, in the same form as a position; None: all.
    attention: True encloses the last row's attention on each position, for every layer and head. logits: ids, to enclose.
    seconds: a budget, after which the rest of the sequences is undecided. output: the certificate to write.

    Returns a Cover. right, wrong and undecided are numbers of sequences. `figures` holds "margin", "attention.0.1.2" (layer
    and head from 0, position from 1) and "logit.3": logits and margins are in units of logits, attention is a share from 0 to
    1. The floats of each enclosure are rounded outward; `lower_exact` and `upper_exact` are what is stated.
    TypeError: a value of another type. Error: SP2009 for ids or a rule that do not fit the model, SP2010 for more than
    16777216 sequences without a budget; docs/ERRORS.md lists the others."""
    if not isinstance(folder, (str, PathLike)):
        raise TypeError(f"cover() takes the path of one folder, not {type(folder).__name__}")
    if isinstance(positions, str) or not isinstance(positions, (list, tuple)):
        raise TypeError(f"positions must be a list with the ids of each position, not {type(positions).__name__}")
    options["position"] = [_ids(f"positions[{number}]", each) for number, each in enumerate(positions)]
    for name, value in (("answers", answers), ("logit", logits)):
        if value is not None:
            options[name] = _ids({"logit": "logits"}.get(name, name), value)
    if seconds is not None and (isinstance(seconds, _arguments.BOOLS) or not isinstance(seconds, Real)):
        raise TypeError(f"seconds must be a number, not {seconds!r}")
    with _folder() as temporary, shown(progress) as tell:
        options |= {"attention": attention, "seconds": seconds, "output": output, "target": _target(target, temporary)}
        return Cover.of(_process.answer(_arguments.words("cover", str(folder), options, temporary), tell), output)


def check(certificates, *, progress=None, **options):
    """What the trusted checker says of certificates: the path of one, or a list.

    models: the folder of the models that they are about. accept: "smt", "coq" or "statistical", to take these on trust.
    Returns a CheckResult; Error where a file cannot be read, with the verdicts of the others in `result`."""
    return CheckResult.of(run("check", certificates, progress=progress, **options))


def prove(claims, *, progress=None, **options):
    """Decides claims such as "tc-1" again and writes their certificates into the folder `certificates`.

    Returns a ProofResult. The solvers and Coq that a claim needs must be installed (scripts/setup.sh)."""
    return ProofResult.of(run("prove", claims, progress=progress, **options))


def gate(config="sinkproof.toml", *, progress=None, **options):
    """Decides everything that a sinkproof.toml asks for (docs/GATE.md). Returns a GateResult; its exit_code is 0 if all holds."""
    if not isinstance(config, (str, PathLike)):
        raise TypeError(f"gate() takes the path of a sinkproof.toml, not {type(config).__name__}")
    return GateResult.of(run("gate", str(config), progress=progress, **options))


def report(certificates, *, output="report.html", progress=None, **options):
    """Writes one self-contained HTML page: of certificates, and of audits, whose estimates it labels as not proved.

    certificates: a path of a certificate or of what `audit --format json` printed, what audit() or, with output, cover()
    returned, or a list of these.
    models: the folder of the models. steps: the training step of each audit, for curves over one run. figures: a folder for
    each figure as SVG and PDF. Where one audit kept its attention (attention=True), its maps are drawn.
    Returns a Report: the verdict of each file, and `output`, the page."""
    steps = options.get("steps")
    if steps is not None and not isinstance(steps, str):
        options["steps"] = ",".join(_arguments.word(step) for step in steps)
    with _folder() as folder:
        kept = [each.attention for each in (certificates if isinstance(certificates, (list, tuple)) else [certificates])
                if isinstance(each, Audit) and each.attention is not None]
        if len(kept) == 1 and options.get("attention") is None:
            options["attention"] = Path(folder) / "attention.npy"
            numpy.save(options["attention"], kept[0])
        raw = run("report", _results.as_files(certificates, folder), output=output, progress=progress, **options)
        for row in raw["files"]:
            if row["file"].startswith(folder):  # made here, and gone soon
                row["file"] = Path(row["file"]).name
        return Report.of(raw)


def train(output, *, progress=None, **options):
    """Trains a small attention model on the trigger task and writes the checkpoint `output` (safetensors).

    attention, layers, heads, d_model, length, residual, steps, lr, batch and seed as `sinkproof train --help` lists them.
    Returns a Training: loss is the mean squared error of the last batch, linf its largest absolute error."""
    if not isinstance(output, (str, PathLike)):
        raise TypeError(f"train() takes the path of the checkpoint to write, not {type(output).__name__}")
    return Training.of(run("train", progress=progress, output=str(output), **options))


def convert(model, *, output, key=None, **options):
    """Writes the checkpoint `output` of a model whose tensors have other names, layouts or scales, or are in a torch.save file.

    model, key and options are those of certify(). Returns {"output", "notes"}: `notes` says where the converted model differs
    from the original, which is only where an irrational scale is folded into W_Q."""
    extra = {name: options.pop(name) for name in ("map", "only") if name in options}
    with _folder() as folder:
        path, _, notes = _models.placed(model, _spelt(options), folder, {**extra, "always": True}, key)
        tensors, metadata = _files.load(path)
        _files.write(output, tensors, metadata)
    return {"output": str(output), "notes": notes}


def measure(rows, *, progress=None, **options):
    """Exact statements about rows, or about a model's heads (then with random=N or tokens=ROWS) on given sequences.

    rows: an array [rows, width], a state_dict, or a path. Returns what the command prints, as a dictionary."""
    return run("measure", rows, progress=progress, **options)


def sink_share(model, *, progress=None, **options):
    """How many heads of a model attend to one position on given sequences (random=N or tokens=ROWS), enclosed.

    Returns what the command prints, as a dictionary."""
    return run("sink-share", model, progress=progress, **options)


def cost(embeddings, *, progress=None, **options):
    """What scoring given embeddings in a sink or diagonal pattern costs, between two certified numbers.

    embeddings: an array [tokens, width] or a path. Returns what the command prints, as a dictionary."""
    return run("cost", embeddings, progress=progress, **options)


def _folder():
    return tempfile.TemporaryDirectory(prefix="sinkproof-")


def _spelt(options):
    """Options of a model whose types are right: TypeError or ValueError that names the option."""
    for name in SPELT:
        if options.get(name) is not None:
            _arguments.metadata(name, options[name])
    return options


def _box(value):
    """A noise box as the command line has it: [0.5, (-1, 0.25)] is "0.5,-1..0.25"."""
    def side(each):
        if isinstance(each, tuple):
            if len(each) != 2:
                raise TypeError(f"box: an interval is a pair (lower, upper), not {each!r}")
            return "..".join(_arguments.word(end) for end in each)
        return _arguments.word(each)

    if _files.is_tensor(value):
        array = _files.array("box", value)
        if array.shape[1:] not in ((), (2,)):
            raise TypeError(f"box: an array must be [coordinates] or [coordinates, 2], not {list(array.shape)}")
        value = [tuple(each) if isinstance(each, list) else each for each in array.tolist()]
    if isinstance(value, list):
        return ",".join(map(side, value))
    return side(value) if isinstance(value, tuple) else value


def _ids(name, value):
    """Ids as the command line has them: range(13) is "0-12", [3, 5] is "3,5"."""
    if isinstance(value, str):
        return value
    if isinstance(value, range) and value.step == 1 and len(value) > 0:
        return f"{value.start}-{value.stop - 1}"
    if _files.is_tensor(value):
        value = _files.array(name, value).ravel().tolist()
    ids = value if isinstance(value, (list, tuple, range)) else [value]
    for each in ids:
        if isinstance(each, _arguments.BOOLS) or not isinstance(each, Integral):
            raise TypeError(f"{name} must be an id, a list or range of ids, or text such as '0-12', not {value!r}")
    if not ids:
        raise ValueError(f"{name} must hold at least one id")
    return ",".join(str(int(each)) for each in ids)


def _target(value, folder):
    """A rule as text; an array of ids is written to a file."""
    if isinstance(value, str):
        return value
    if not _files.is_tensor(value):
        raise TypeError(f"target must be text such as 'sum 1,2 mod 13' or an array of ids, not {type(value).__name__}")
    table = _files.array("target", value)
    if table.dtype.kind not in "iu":
        raise TypeError(f"target must be an array of integers, not {table.dtype}")
    path = Path(folder) / "target.npy"
    numpy.save(path, numpy.ascontiguousarray(table, numpy.int64))
    return f"table {path}"


def _pairs(name, value):
    """evict and ablate as the command line has them: (4, 28) is "4,28", and [(3, 0), (3, 5)] within a list "3,0+3,5"."""
    def word(each):
        if isinstance(each, (list, tuple)) and each and all(isinstance(part, (list, tuple)) for part in each):
            return "+".join(map(word, each))
        if isinstance(each, (list, tuple)) and len(each) in (2, 3):
            return ",".join(_arguments.word(part) for part in each)
        return each

    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} must be text such as '4,28', a pair such as (4, 28), or a list of these; not {type(value).__name__}")
    is_one = value and not isinstance(value[0], (str, list, tuple))
    return word(tuple(value)) if is_one else [word(each) for each in value]


def _tokens_of(folder, tokens, bos, temporary):
    """The options that name the tokens."""
    if isinstance(tokens, PathLike) or isinstance(tokens, str) and tokens.endswith((".json", ".jsonl", ".npy")) and "\n" not in tokens:
        path = Path(tokens)
        if _tokens.option_of(path) == "tokens":
            return {"tokens": str(path)}
    else:
        texts = _tokens.texts(tokens)
        if texts is None:
            return {"tokens": _tokens.ids(tokens)}
        path = Path(temporary) / "texts.jsonl"
        path.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    if bos is None and _tokens.reads_bytes(folder):
        return {"text": path}
    if not isinstance(bos, _arguments.BOOLS):
        raise TypeError(f"bos must be True or False for texts, not {bos!r}: sinks are on the first token, so the choice is yours")
    return {"text": path, "bos": "with" if bos else "without"}


def _describe(function):
    lines = [function.__doc__.strip(), "", "Options:"]
    for keyword, option in _arguments.keywords(function.__name__.replace("_", "-")).items():
        notes = [note for note in (option["range"], option["default"] and f"default: {option['default']}") if note]
        lines.append(f"  {keyword}: {option['description']}" + (f" ({'; '.join(notes)})" if notes else ""))
    function.__doc__ = "\n".join(lines)


for _function in (audit, certify, check, convert, cost, gate, measure, prove, report, sink_share, train):
    _describe(_function)
