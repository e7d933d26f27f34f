"""CHECKPOINT_RULES.md, sections 4.10 to 4.21: which rule proves what."""

from collections import namedtuple

from .layer_rules import layer_attention, layer_row
from .model import CLASSES, ENDS
from .moments import check_moments, proves_moments
from .row import row
from .separable_row import separable_row
from .softmax_floor import softmax_floor
from .stack import check_stack

# `proves` says of which statements about which layers; `parameters` names the keys of its parameters, None of a rule
# without obligations; `keys` are those of a proof without obligations.
Rule = namedtuple("Rule", "check proves parameters keys", defaults=(None, ()))


def losses(rows, where):
    """A rule's `proves`: sup losses of these classes of rows, in layers where `where` holds."""
    return lambda layer, statement: statement.family == "sup-loss" and statement.rows in rows and where(layer)


RULES = {
    "stack": Rule(check_stack, lambda layer, statement: True, keys=("degree", "row_degree")),
    "moments": Rule(check_moments, proves_moments, keys=("degree", "row_degree")),
    "layer-row": Rule(layer_row, losses(CLASSES, lambda layer: True)),
    "layer-attention": Rule(layer_attention, lambda layer, statement: statement.family in ENDS),
    "softmax-floor": Rule(softmax_floor, lambda layer, statement: statement.family in ENDS
                          and statement.family.endswith("-floor") and layer.attention.relative, lambda _: ()),
    "row": Rule(row, losses(CLASSES, lambda layer: layer.alone and layer.normalised),
                lambda _: ("rows", "cells", "references")),
    "separable-row": Rule(separable_row, losses(CLASSES, lambda layer: layer.alone and not layer.normalised),
                          lambda _: ("bound", "content", "own", "trigger")),
}
