"""The command line in a process of its own: what it holds, how it ends and what it breaks stay outside the caller's
interpreter, and a caller who is interrupted can end it at any moment. A new interpreter and not a fork, since callers
have threads (PyTorch's, for one) whose locks a fork would inherit."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from . import _program
from ._error import Error

CHILD = Path(__file__).with_name("_child.py")
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


def _start(words, writer, out, err):
    return subprocess.Popen(
        [sys.executable, "-I", "-S", CHILD, _program.__file__, str(writer), *words],
        stdin=subprocess.DEVNULL, stdout=out, stderr=err, pass_fds=[writer],
        process_group=0)  # an interrupt from the terminal is for the caller, who ends the group


def _text(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def _error(verb, err, code, result):
    said = ERROR.search(err)
    if said:
        error = json.loads(said[0])["error"]
        return Error(error["code"], error["where"], error["what"].removesuffix("\nRun with --help for more information."), result)
    for row in (result or {}).get("files", ()):  # the checker speaks of files on stdout
        if row["code"]:
            return Error(row["code"], row["file"], row["reason"].removeprefix(f"{row['file']}: "), result)
    if code < 0:
        return Error("SP0999", verb, f"ended by {signal.Signals(-code).name}", result)
    return Error(None, None, err.strip() or f"{verb} ended with exit code {code} and said nothing", result)
