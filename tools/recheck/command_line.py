"""The command line: options, output and exit codes."""

import argparse
import io
import json
import os
import re
import sys

from .limits import MEMORY, SECONDS, check_within
from .refusal import ACCEPTED, INTERNAL, MISSING, PARTIAL, REJECTED

MOST_SECONDS = MOST_MEMORY = 10**6


def accepted_kinds(text):
    kinds = set(filter(None, text.split(",")))
    if not kinds or not kinds <= {"smt", "coq", "statistical"}:
        raise argparse.ArgumentTypeError("a comma-separated list of smt, coq and statistical")
    return kinds


def up_to(most):
    """The type of an argument: an integer from 1."""
    def read(text):
        if not re.fullmatch(r"[1-9][0-9]{0,6}", text) or int(text) > most:
            raise argparse.ArgumentTypeError(f"an integer, 1 to {most}")
        return int(text)
    return read


def one_line(text):
    """Names come from the certificate: what could start a line or steer a terminal is shown as an escape."""
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode("ascii") for x in text)


class Once(argparse.Action):
    """Stores the value of an option that may not be repeated."""

    def __call__(self, parser, namespace, value, option=None):
        if self.dest in namespace.__dict__.setdefault("given", set()):
            raise argparse.ArgumentError(self, "is given twice")
        namespace.given.add(self.dest)
        setattr(namespace, self.dest, value)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        super().error(one_line(message))

    def _print_message(self, message, file=None):  # argparse's own passes over what cannot be written
        (file or sys.stderr).write(message)


def main(arguments, say=print):
    parser = Parser(prog="recheck", description="Check sinkproof certificates.", allow_abbrev=False)
    parser.add_argument("--models", metavar="DIR", action=Once,
                        help="where the *.safetensors files, or the folders of models, are")
    parser.add_argument("--claims", metavar="DIR", action=Once, help="the folder of claim folders")
    parser.add_argument("--accept", metavar="KINDS", type=accepted_kinds, action="extend", default=[],
                        help="smt,coq,statistical: take their word")
    parser.add_argument("--seconds", metavar="S", action=Once, type=up_to(MOST_SECONDS), default=SECONDS,
                        help=f"processor time that the check of one file may take (default {SECONDS}; sinkproof-check: 300)")
    parser.add_argument("--memory", metavar="MB", action=Once, type=up_to(MOST_MEMORY), default=MEMORY,
                        help=f"memory that the check of one file may take, mapped files aside (default {MEMORY})")
    parser.add_argument("--format", action=Once, choices=("text", "json"), default="text")
    parser.add_argument("--quiet", action="store_true", help="as text: print only what is not accepted")
    parser.add_argument("files", metavar="FILE", nargs="+")
    options = parser.parse_args(arguments)
    results = []
    for path in options.files:
        code, result = check_within(path, options)
        results.append((code, result))
        if options.format == "text" and (code != ACCEPTED or not options.quiet):
            parts = [result["file"], result["claim"], result["verdict"], result["evidence"], result["reason"]]
            say(one_line(": ".join(part for part in parts if part)))
    if options.format == "json":
        say(json.dumps({"schema": 1, "files": [result for _, result in results]}, separators=(",", ":")))
    codes = {code for code, _ in results}
    return next(code for code in (INTERNAL, REJECTED, MISSING, PARTIAL, ACCEPTED) if code in codes)


def program(arguments):
    """The exit code of main(), which standard output that cannot be written is a reason of: MISSING."""
    closed, lost = sys.stdout is None, []
    if closed:
        sys.stdout = io.StringIO()
    else:
        sys.stdout.reconfigure(errors="backslashreplace")

    def written(write, *text):
        try:
            write(*text)
        except OSError as error:
            lost.append(error.strerror)

    try:
        code = main(arguments, lambda text: written(print, text))
    except SystemExit as end:  # argparse: --help, or what it refuses
        code = end.code
    except OSError as error:  # --help
        code, lost = MISSING, [error.strerror]
    if closed and sys.stdout.getvalue():
        lost.append("it is closed")
    written(sys.stdout.flush)
    if lost:
        print(f"error SP0203  standard output: cannot be written: {lost[0]}. The printed output is incomplete. "
              "Send it to a file or a pipe that takes all of it", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # takes what is left when the interpreter ends
        code = code if code in (INTERNAL, REJECTED) else MISSING
    return code
