#!/usr/bin/env python3
"""Writes accepted.json, the SP....-*.json and proofs/ of this folder.

The figures of the true constructions are the closed forms of docs/THEORY.md (tc-5 to tc-8), not the output of a
checker. A lie is a construction with one thing wrong, in a claim folder of its own: the folder says the same, so
that nothing but the rule itself can reject it (SP0803 apart). Run it when rule 3.8 of FORMAT.md changes.
"""

import copy
import hashlib
import json
import pathlib
import shutil
from fractions import Fraction as Q

HERE = pathlib.Path(__file__).parent
P = [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def spelt(value):
    """Every Fraction or int as a rational string."""
    if isinstance(value, dict):
        return {key: spelt(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [spelt(item) for item in value]
    return str(Q(value)) if isinstance(value, (int, Q)) else value


def head(bos, trigger, content, scale=1, flags=P, gate=None):
    """Kernels by query; the value map is scale * flags, and scale on the noise."""
    value = {"noise": Q(scale), "flags": [[scale * x for x in row] for row in flags]}
    made = {"kernel": {"bos": bos, "trigger": trigger, "content": content}, "value": value}
    return {**made, "gate": gate} if gate else made


def statement(attention, length, heads, sup_loss, bos, null=None, scope="all"):
    """bos, null: functions (i, is the trigger's row) giving all heads' values in row i."""
    def ranges(of):
        rows = {"pre": (False, range(2, length)), "trigger": (True, range(3, length + 1)),
                "post": (False, range(4, length + 1))}
        found = {name: [x for i in positions for x in of(i, own)] for name, (own, positions) in rows.items()}
        return {name: [min(values), max(values)] for name, values in found.items() if values}
    result = spelt({"scope": scope, "attention": attention, "heads": heads, "sup_loss": sup_loss,
                    "bos_attention": ranges(bos), **({"null_attention": ranges(null)} if null else {})})
    return {**result, "length": length}


def sink(attention, length, e, unit=1):
    """tc-5: quiet rows weigh BOS by E, the trigger's by 1/E; `unit` scales kernels, which changes nothing.

    The loss is that of the longest quiet row: row L, but row 2 at length 3, where row 3 is the trigger's."""
    quiet, own = [unit * e, unit, unit], [unit / e, unit, unit]
    longest = length if length >= 4 else 2
    return statement(attention, length, [head(quiet, own, quiet)], Q(longest - 1) / (e + longest - 1),
                     lambda i, trigger: [1 / (1 + e * (i - 1)) if trigger else e / (e + i - 1)])


def two_heads():
    """tc-7 (b)."""
    ones = [1, 1, 1]
    heads = [head(ones, [Q(f), 1, 1], ones, scale) for f, scale in ((2, 10), (3, -10))]
    return statement("softmax", 4, heads, 0,
                     lambda i, trigger: [Q(f, f + i - 1) if trigger else Q(1, i) for f in (2, 3)])


def exact(attention, length, flags=IDENTITY):
    """tc-6. No row gives BOS any weight, so the value of BOS, the first column of flags, may be anything."""
    heads = [head([0, 0, 0], [0, 1, 1], [0, 0, 0], 1, flags)]
    return statement(attention, length, heads, 0, lambda i, trigger: [Q(0)])


def sigmoid(length, e):
    """tc-8: sigma(-b) = 1/(1 + E)."""
    low, high = 1 / (1 + e), e / (1 + e)
    return statement("sigmoid", length, [head([low] * 3, [low, high, high], [low] * 3)], low,
                     lambda i, trigger: [low / (i - 1)])


def elu1(length, e):
    """tc-8."""
    low = 1 / e
    return statement("elu1", length, [head([low] * 3, [low, 1, 1], [low] * 3)], low, lambda i, trigger: [low / (i - 1)])


def null_slot(length, e):
    """tc-8: logits b(2 t(q) (t + c)(k) - 1)."""
    low = 1 / e

    def mass(i, trigger):
        return 1 / (1 + low + (i - 1) * e) if trigger else e / (e + i)
    return statement("softmax-null", length, [head([low] * 3, [low, e, e], [low] * 3)], Q(length - 1) / (e + length),
                     lambda i, trigger: [low * mass(i, trigger)], lambda i, trigger: [mass(i, trigger)])


def gated(length, e):
    """tc-8: logits -b bos(k), gate sigma(b (2 t(q) - 1))."""
    shut, open_ = 1 / (1 + e), e / (1 + e)
    row = [1 / e, 1, 1]
    made = head(row, row, row, gate={"bos": shut, "trigger": open_, "content": shut})
    return statement("softmax-gated", length, [made], 1 - 2 * open_ / (2 + 1 / e),
                     lambda i, trigger: [1 / (1 + e * (i - 1))])


ACCEPTED = {
    "theorem": two_heads(),
    "elu1": elu1(5, Q(20)),
    "elu1-normalised": sink("elu1-normalised", 5, Q(7), Q(2)),
    "gated": gated(5, Q(50)),
    "linear": exact("linear", 4, [[2, 0, 0], [-3, 1, 0], [Q(1, 4), 0, 1]]),
    "null": null_slot(5, Q(9)),
    "relu": exact("relu", 5),
    "short": sink("softmax", 3, Q(100)),
    "sigmoid": sigmoid(4, Q(30)),
    "sigmoid-normalised": sink("sigmoid-normalised", 4, Q(9), Q(1, 10)),
    "softmax": sink("softmax", 5, Q(100)),
}


def write_folder(claim, files):
    """proofs/<claim>/ with these construction files; returns its hash (FORMAT.md, section 2)."""
    folder = HERE / "proofs" / claim
    folder.mkdir(parents=True)
    steps = "".join(f'\n[[step]]\nname = "{name}"\nrule = "construction"\nfile = "{name}.construction.json"\n'
                    'establishes = "Its figures."\nrelies_on = []\n' for name in files)
    (folder / "claim.toml").write_text(
        f'id = "{claim}"\ntitle = "Constructions"\nsource = "the tests of this project"\n'
        'statement = "A fixture: a construction of each kind."\nformula = "sup loss = sup_loss"\nhypotheses = []\n'
        + steps)
    for name, value in files.items():
        (folder / f"{name}.construction.json").write_text(json.dumps({"statement": value}, indent=1) + "\n")
    lines = sorted(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).hexdigest().encode() + b"\n"
                   for path in folder.iterdir())
    return hashlib.sha256(b"".join(lines)).hexdigest()


def write_certificate(name, claim, claim_hash, steps, verdict):
    value = {"format": 1, "kind": "theory", "claim": claim, "claim_sha256": claim_hash, "steps": steps,
             "verdict": verdict}
    (HERE / f"{name}.json").write_text(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n")


def steps_of(files):
    return [{"file": f"{name}.construction.json", "rule": "construction", "statement": value}
            for name, value in sorted(files.items(), key=lambda item: f"{item[0]}.construction.json")]


def lie(name, value, verdict="proved", file="theorem", folder=None, extra=None):
    """A certificate that says `value`, of a folder that says the same unless `folder` says otherwise."""
    claim = name.lower()
    claim_hash = write_folder(claim, {file: folder or value})
    steps = steps_of({file: value})
    steps[0].update(extra or {})
    write_certificate(name, claim, claim_hash, steps, verdict)


def changed(base, *path_and_value):
    """A copy of ACCEPTED[base] with the value at the path replaced (None: removed)."""
    result = copy.deepcopy(ACCEPTED[base])
    *path, last, value = path_and_value
    place = result
    for key in path:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return result


def write_lies():
    first = ("heads", 0)
    # A figure that is not what the heads give.
    off = str(Q(ACCEPTED["softmax"]["sup_loss"]) - Q(1, 10**9))
    lie("SP0809-loss-a-billionth-less", changed("softmax", "sup_loss", off))
    lie("SP0809-loss-an-upper-bound", changed("softmax", "sup_loss", "1/10"))
    lie("SP0809-loss-of-another-length", changed("softmax", "length", 6))
    lie("SP0809-loss-without-noise", changed("relu", *first, "value", "noise", "0"))
    lie("SP0809-loss-without-flags", changed("relu", *first, "value", "flags", [["0"] * 3] * 3))
    lie("SP0809-loss-without-row-one", changed("relu", *first, "kernel", "bos", ["1", "0", "0"]))
    lie("SP0809-loss-without-post-rows", changed("relu", *first, "kernel", "content", ["0", "1", "0"]))
    lie("SP0809-loss-of-the-pair-cancelled", changed("theorem", "heads", 1, "value", "noise", "10"))
    lie("SP0809-kernel-changed", changed("softmax", *first, "kernel", "content", ["101", "1", "1"]))
    transposed = {"bos": ["0", "0", "0"], "trigger": ["0", "1", "0"], "content": ["0", "1", "0"]}
    lie("SP0809-kernel-transposed", changed("relu", *first, "kernel", transposed))
    flags = ACCEPTED["linear"]["heads"][0]["value"]["flags"]
    lie("SP0809-flags-transposed", changed("linear", *first, "value", "flags", [list(row) for row in zip(*flags)]))
    lie("SP0809-gate-changed", changed("gated", *first, "gate", "trigger", "49/51"))
    for row_class in ("pre", "trigger", "post"):
        low, high = ACCEPTED["softmax"]["bos_attention"][row_class]
        lie(f"SP0809-bos-{row_class}-least", changed("softmax", "bos_attention", row_class, 0, str(Q(low) / 2)))
        lie(f"SP0809-bos-{row_class}-most", changed("softmax", "bos_attention", row_class, 1, str((1 + Q(high)) / 2)))
        low, high = ACCEPTED["null"]["null_attention"][row_class]
        lie(f"SP0809-null-{row_class}-least", changed("null", "null_attention", row_class, 0, str(Q(low) / 2)))
        lie(f"SP0809-null-{row_class}-most", changed("null", "null_attention", row_class, 1, str((1 + Q(high)) / 2)))
    lie("SP0809-bos-range-reversed", changed("softmax", "bos_attention", "pre",
                                             ACCEPTED["softmax"]["bos_attention"]["pre"][::-1]))
    lie("SP0809-bos-of-one-head-only", changed("theorem", "bos_attention", "trigger", ["2/5", "1/2"]))
    own = [str(Q(50, 51) * Q(x)) for x in ACCEPTED["gated"]["bos_attention"]["trigger"]]
    lie("SP0809-bos-with-the-gate-in-it", changed("gated", "bos_attention", "trigger", own))
    # Not a statement of rule 3.8.
    lie("SP0503-kind-unknown", changed("softmax", "attention", "softmax-twice"))
    lie("SP0503-kind-is-a-number", changed("softmax", "attention", 1))
    lie("SP0503-kind-missing", changed("softmax", "attention", None))
    lie("SP0503-length-2", changed("short", "length", 2))
    lie("SP0503-length-257", changed("softmax", "length", 257))
    lie("SP0503-length-as-text", changed("softmax", "length", "5"))
    lie("SP0503-no-heads", changed("relu", "heads", []))
    lie("SP0503-65-heads", changed("softmax", "heads", ACCEPTED["softmax"]["heads"] * 65))
    lie("SP0503-numbers-too-long", changed("relu", *first, "kernel", "bos", ["0", "9" * 10000, "9" * 10000]))
    lie("SP0503-kernel-zero", changed("softmax", *first, "kernel", "bos", ["100", "0", "1"]))
    lie("SP0503-kernel-zero-elu1", changed("elu1", *first, "kernel", "bos", ["1/20", "0", "1/20"]))
    lie("SP0503-kernel-one-sigmoid", changed("sigmoid", *first, "kernel", "bos", ["1/31", "1", "1/31"]))
    lie("SP0503-kernel-zero-sigmoid", changed("sigmoid", *first, "kernel", "bos", ["1/31", "0", "1/31"]))
    lie("SP0503-kernel-negative-relu", changed("relu", *first, "kernel", "bos", ["0", "-1", "0"]))
    lie("SP0503-kernel-of-two", changed("relu", *first, "kernel", "bos", ["0", "0"]))
    lie("SP0503-kernel-query-missing", changed("relu", *first, "kernel", "bos", None))
    lie("SP0503-kernel-as-number", changed("relu", *first, "kernel", "bos", [0, "0", "0"]))
    lie("SP0503-flags-of-two-rows", changed("relu", *first, "value", "flags", [["1", "0", "0"], ["0", "1", "0"]]))
    lie("SP0503-noise-missing", changed("relu", *first, "value", "noise", None))
    lie("SP0503-value-with-bias", changed("relu", *first, "value", "bias", "0"))
    lie("SP0503-head-with-scale", changed("relu", *first, "scale", "1"))
    lie("SP0503-gate-missing", changed("gated", *first, "gate", None))
    gate = {"bos": "1/2", "trigger": "1/2", "content": "1/2"}
    lie("SP0503-gate-of-an-ungated-head", changed("softmax", *first, "gate", gate))
    lie("SP0503-gate-one", changed("gated", *first, "gate", "trigger", "1"))
    lie("SP0503-gate-zero", changed("gated", *first, "gate", "content", "0"))
    lie("SP0503-null-attention-missing", changed("null", "null_attention", None))
    lie("SP0503-null-attention-without-slot", changed("softmax", "null_attention", ACCEPTED["null"]["null_attention"]))
    lie("SP0503-post-missing", changed("softmax", "bos_attention", "post", None))
    lie("SP0503-post-at-length-3", changed("short", "bos_attention", "post", ["1/2", "1/2"]))
    lie("SP0503-range-of-three", changed("softmax", "bos_attention", "pre", ["1/2"] * 3))
    lie("SP0503-scope-empty", changed("softmax", "scope", ""))
    lie("SP0503-scope-missing", changed("softmax", "scope", None))
    lie("SP0503-key-unknown", changed("softmax", "residual", "0"))
    lie("SP0503-sup-loss-missing", changed("softmax", "sup_loss", None))
    lie("SP0503-step-with-evidence", ACCEPTED["softmax"], extra={"evidence": {}})
    lie("SP0503-statement-is-an-array", [], folder=[])
    lie("SP0101-kernel-not-in-lowest-terms", changed("relu", *first, "kernel", "bos", ["0", "2/4", "0"]))
    lie("SP0101-sup-loss-minus-zero", changed("relu", "sup_loss", "-0"))
    lie("SP0101-range-with-point", changed("relu", "bos_attention", "pre", ["0", "0.0"]))
    # The step and its claim.
    lie("SP0803-smaller-loss-than-the-folder-claims", ACCEPTED["softmax"],
        folder=changed("softmax", "sup_loss", "1/10"))
    lie("SP0803-other-heads-than-the-folder-s", ACCEPTED["softmax"], folder=ACCEPTED["short"])
    lie("SP0803-scope-widened", ACCEPTED["softmax"], folder=changed("softmax", "scope", "length 5"))
    lie("SP0808-scope-not-all-yet-proved", changed("softmax", "scope", "length 5"))
    lie("SP0802-a-lemma-alone", ACCEPTED["softmax"], file="lemma")
    lie("SP0802-rule-of-another-file", ACCEPTED["softmax"], extra={"rule": "polynomial-identity"})


def main():
    shutil.rmtree(HERE / "proofs", ignore_errors=True)
    for path in HERE.glob("*.json"):
        path.unlink()
    write_certificate("accepted", "toy-2", write_folder("toy-2", ACCEPTED), steps_of(ACCEPTED), "proved")
    write_lies()


if __name__ == "__main__":
    main()
