"""Operators of PyTorch that have windows: convolutions and pooling."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Composer
from roofdsl.importers.graph.layers.convolution import Convolution, convolution
from roofdsl.importers.graph.layers.pooling import pool, reduced
from roofdsl.importers.graph.layers.windows import Windows, same, windows
from roofdsl.importers.graph.size import numbers
from roofdsl.importers.graph.values import NoRule, Operator


def convolve(operator: Operator, to: Composer) -> None:
    """Add a convolution, plain or transposed."""
    x, kernel = operator.need(0), operator.need(1)
    sides = numbers(kernel.of_rank(3, 5)[2:])
    groups = operator.attributes.get("groups", 1)
    if sides is None or not isinstance(groups, int):
        raise NoRule("the sides of its kernel are not known")
    strides = _numbers(operator, "stride", len(sides))
    far = _numbers(operator, "dilation", len(sides))
    padding = operator.attributes.get("padding")
    if padding == "same":
        lengths = numbers(x.sides[-len(sides) :])
        if lengths is None:
            raise NoRule("its padding hangs on sides that are not known")
        before, after = same(lengths, lengths, sides, strides, far)
        around = windows(sides, strides, before, after, far)
    else:
        around = windows(sides, strides, _numbers(operator, "padding", len(sides)), None, far)
    transposed = operator.kind.startswith("conv_transpose")
    out = _numbers(operator, "output_padding", len(sides)) if transposed else ()
    bias = operator.named("bias")
    given = Convolution(x, kernel, bias[0] if bias else None, around, groups, transposed, out)
    convolution(operator, to, given)


def pool_in_windows(operator: Operator, to: Composer) -> None:
    """Add pooling in windows; without steps they lie side by side."""
    sides = int(operator.kind[-2])
    kernel = _numbers(operator, "kernel_size", sides)
    strides = _numbers(operator, "stride", sides) or kernel
    padding = _numbers(operator, "padding", sides)
    far = _numbers(operator, "dilation", sides)
    around: Windows = windows(kernel, strides, padding, None, far)
    sort = "max" if operator.kind.startswith("max") else "mean"
    pool(operator, to, operator.need(0), sort, around)


def pool_to_size(operator: Operator, to: Composer) -> None:
    """Add pooling to images of a size that divides that of those before."""
    x, sides = operator.need(0), int(operator.kind[-2])
    sort = "max" if "max" in operator.kind else "mean"
    lengths, places = numbers(x.sides[-sides:]), numbers(operator.result.sides[-sides:])
    if places is not None and set(places) == {1}:
        rank = len(x.sides)
        reduced(operator, to, x, range(rank - sides, rank), sort)
        return
    if (
        lengths is None
        or places is None
        or any(length % place for length, place in zip(lengths, places, strict=True))
    ):
        raise NoRule("its windows are of several sizes")
    kernel = tuple(length // place for length, place in zip(lengths, places, strict=True))
    pool(operator, to, x, sort, windows(kernel, kernel))


def _numbers(operator: Operator, name: str, sides: int) -> tuple[int, ...]:
    """Return one number for each side, none where they are left out."""
    found = operator.attributes.get(name)
    if isinstance(found, int):
        return (found,) * sides
    given = found if isinstance(found, tuple) else ()
    known = tuple(each for each in given if isinstance(each, int))
    return known * sides if len(known) == 1 else known
