"""One certificate file, of whatever kind."""

import os

from .checkpoint.certificate import check_checkpoint
from .envelope import read_envelope
from .language.certificate import check_language
from .language.cover import check_cover
from .refusal import INTERNAL, REFUSALS
from .theory.certificate import check_theory
from .vectors.certificate import check_vectors


def check_file(path, options):
    """One file: (exit code, {"file", "claim", "verdict", "evidence", "reason"})."""
    result = {"file": path, "claim": "", "verdict": "", "evidence": "", "reason": ""}
    folder = os.path.dirname(path) or "."  # names with ".." are the system's to read: "link/.." is not here
    here = os.path.realpath(os.path.join(__file__, "..", "..", ".."))  # proofs/ stands beside tools/
    claims = [os.path.join(folder, "..", "proofs"), "proofs", os.path.join(here, "proofs")]
    claims = [options.claims] if options.claims else claims
    models = ([options.models] if options.models else []) + [folder]
    try:
        value = read_envelope(path)
        result["claim"] = value["claim"]
        if value["kind"] == "theory":
            return check_theory(value, claims, options.accept, result)
        if value["kind"] == "vectors":
            return check_vectors(value, claims, models, result)
        if value["kind"] == "language":
            return check_language(value, claims, models, result)
        if value["kind"] == "cover":
            return check_cover(value, claims, models, result)
        return check_checkpoint(value, claims, models, options.accept, result)
    except tuple(REFUSALS) as error:
        (code, result["verdict"]), result["reason"] = REFUSALS[type(error)], str(error)
    except MemoryError:
        raise
    except Exception as error:  # a fault of this program: never a traceback, never "accepted"
        code, result["verdict"] = INTERNAL, "internal error"
        result["reason"] = f"{type(error).__name__}: {str(error)[:200]}".splitlines()[0]
    return code, result
