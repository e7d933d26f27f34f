"""The program in a process of its own: what it holds, how it ends and what it breaks stay outside the caller's
interpreter, and a caller who is interrupted can end it at any moment."""
import json
import os
import re
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from ._error import Error

ERROR = re.compile(r'^{"error":.*$', re.MULTILINE)
BAD_INPUT, BROKEN = 2, 5  # exit codes that are no answer; docs/DESIGN.md


def run(words, progress=None):
    """(what `sinkproof WORDS` prints, on stderr, its exit code). `progress` is called with what is being done, the
    share of it that is done, and the seconds left or None; what it raises ends the process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        reader, writer = os.pipe()
        process = None
        try:
            with os.fdopen(reader, "rb") as lines:
                try:
                    process = _start(words, writer, out, err)
                finally:
                    os.close(writer)
                for line in lines:
                    if progress:
                        told = json.loads(line)
                        progress(told["doing"], told["share"], told["seconds_left"])
            process.wait()
        finally:
            if process and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return _text(out), _text(err), process.returncode


def answer(words, progress=None):
    """The JSON object that `sinkproof WORDS` prints, with its exit code as "exit_code"."""
    out, err, code = run(words, progress)
    result = {**json.loads(out), "exit_code": code} if out else None
    if result is None or code in (BAD_INPUT, BROKEN):
        raise _error(words[0], err, code, result)
    return result


@cache
def program(name="sinkproof"):
    """The path of the program that this module came with. FileNotFoundError: it is not where it was installed."""
    here = Path(os.path.abspath(__file__)).parent  # links are kept: in the build tree this file is a link into the sources
    # pip install --target, the build tree, and a prefix: PREFIX/lib/python3/dist-packages or site-packages.
    folders = [here.parent, *here.parents[1:4:2]]
    for folder in folders:
        if os.access(folder / "bin" / name, os.X_OK):
            return str(folder / "bin" / name)
    raise FileNotFoundError(f"the program {name} is not beside the module {here}: there is no "
                            f"{', '.join(str(folder / 'bin' / name) for folder in folders)}. Install sinkproof again")


def _start(words, writer, out, err):
    return subprocess.Popen(
        [program(), *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=[writer],
        env={**os.environ, "SINKPROOF_PROGRESS": str(writer)},
        process_group=0)  # an interrupt from the terminal is for the caller, who ends the group


def _text(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def _error(verb, err, code, result):
    said = ERROR.search(err)
    if said:
        error = json.loads(said[0])["error"]
        return Error(error["code"], error["where"], error["what"], result)
    for code, where, what in _rows_at_fault(result or {}):
        return Error(code, where, what.removeprefix(f"{where}: "), result)
    if code < 0:
        return Error("SP0999", verb, f"ended by {signal.Signals(-code).name}", result)
    return Error(None, None, err.strip() or f"{verb} ended with exit code {code} and said nothing", result)


def _rows_at_fault(result):
    """(code, where, what) of each row of a result that says an error: commands about several things print no other."""
    for row in result.get("files", ()):
        if row["code"]:
            yield row["code"], row["file"], row["reason"]
    for row in result.get("findings", ()):
        if row["exit_code"] in (BAD_INPUT, BROKEN):
            yield row["code"], row["subject"], row["message"]
    for row in result.get("claims", ()):
        if row["code"]:
            yield row["code"], row["claim"], row["gap"] or row["remark"]
    for row in result.get("checkpoints", ()):
        if row["error"]:
            yield row["error"]["code"], row["error"]["where"], row["error"]["what"]
