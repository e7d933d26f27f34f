"""How a check ends: exit codes, and the exceptions that stand for them."""

from contextlib import contextmanager

ACCEPTED, MISSING, PARTIAL, REJECTED, INTERNAL = 0, 2, 3, 4, 5


class Reject(Exception):
    """The certificate does not show what it says."""


class Missing(Exception):
    """A file, a model or a claim folder cannot be found or read."""


class TooMuch(Exception):
    """The certificate is about more than this checker evaluates."""


class Contradiction(Exception):
    """Two things that were both verified exclude each other."""


REFUSALS = {Reject: (REJECTED, "rejected"), Missing: (MISSING, "unknown"), TooMuch: (PARTIAL, "unknown"),
            Contradiction: (INTERNAL, "contradiction")}


@contextmanager
def within(place):
    """What is rejected inside is rejected in the name of the place."""
    try:
        yield
    except Reject as error:
        raise Reject(f"{place}: {error}") from None


def require(condition, reason):
    if not condition:
        raise Reject(reason)
