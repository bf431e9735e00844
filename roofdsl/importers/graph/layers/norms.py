"""Normalisation of batches, rows and groups."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.layers.pointwise import Function, elementwise
from roofdsl.importers.graph.size import ONE, Size, plain, quotient, times
from roofdsl.importers.graph.values import NoRule, Operator, Value


def batch_norm(
    operator: Operator, to: Composer, x: Value, trained: tuple[Value, ...], *, training: bool
) -> None:
    """Add the normalisation of channels over a batch, with a factor and a term for each."""
    shape = x.of_rank(2, 99)
    weights = [each.weight for each in trained if each.weight is not None]
    own = len(weights) == 2 and to.first_use(weights[0])
    own = own and to.first_use(weights[1])
    if not own:
        if training:
            raise NoRule("it has no weights of its own, and takes the statistics of the batch")
        # With statistics that were kept it is a factor and a term for each channel.
        step = elementwise(operator, to, Function(2), [x, *trained])
        to.becomes(operator.result, step)
        return
    sides = shape[2:] or (ONE,)
    W = times(sides[1:])
    image: dict[str, Argument] = {"B": shape[0], "C": shape[1], "H": sides[0]}
    if W != sides[0]:
        image["W"] = W
    image["training"] = training
    to.becomes(operator.result, to.add(operator, "batch_norm", [x], image))


def row_norm(
    operator: Operator,
    to: Composer,
    x: Value,
    h: Size,
    trained: tuple[Value, ...],
    *,
    mean: bool = True,
) -> None:
    """Add the normalisation of rows of h features, with their mean or without."""
    rows = quotient(x.elements, h)
    if rows is None:
        raise NoRule("its rows do not make up its tensor")
    weights = [each.weight for each in trained if each.weight is not None]
    own = [to.first_use(each) for each in weights]
    whole = len(weights) in ((1, 2) if mean else (1,)) and all(own)
    if any(own) and not all(own):
        raise NoRule("of its weights some are shared")
    M = _rows(x, h, rows)
    if whole:
        sizes: dict[str, Argument] = {"M": M, "h": h}
        if mean and len(weights) == 1:
            sizes["shift"] = False
        step = to.add(operator, "layer_norm" if mean else "rms_norm", [x], sizes)
    else:
        rest: dict[str, Argument] = {}
        if weights:
            rest["trained"] = sum(each.elements for each in weights)
        if weights and not own[0]:
            rest["tied"] = True
        operations = (7 if mean else 3) + len(weights)
        if operations != 9:
            rest["operations"] = operations
        step = to.add(operator, "norm_of_rows", [x], {"M": M, "h": h, **rest})
    to.becomes(operator.result, step)


def group_norm(
    operator: Operator, to: Composer, x: Value, groups: int, trained: tuple[Value, ...]
) -> None:
    """Add the normalisation of groups of channels in each image."""
    shape = x.of_rank(2, 99)
    weights = [each.weight for each in trained if each.weight is not None]
    own = [to.first_use(each) for each in weights]
    if len(weights) not in (0, 2) or not all(own):
        raise NoRule("its weights are shared, or it has one of two")
    sides = shape[2:] or (ONE,)
    image: dict[str, Argument] = {"B": shape[0], "C": shape[1], "H": sides[0]}
    image["groups"] = groups
    W = times(sides[1:])
    if W != sides[0]:
        image["W"] = W
    if not weights:
        image |= {"affine": False, "operations": 7}
    to.becomes(operator.result, to.add(operator, "group_norm", [x], image))


def _rows(x: Value, h: Size, otherwise: Size) -> Size:
    """Return the rows with the factors of the shape, where h is the last dimensions of it."""
    for place in range(len(x.sides), -1, -1):
        if times(x.sides[place:]) == h:
            return times(x.sides[:place])
    return plain(otherwise)
