"""What a program says of its progress on stderr: lines that depend on the machine's load, not on what is asked."""
import re

LINES = re.compile(r"^[^\n]* \(\d+ %[^)\n]*\)\n", re.MULTILINE)  # of what takes over two seconds


def without(stderr):
    return LINES.sub("", stderr)
