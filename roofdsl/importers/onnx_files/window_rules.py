"""Operators of ONNX that have windows: convolutions and pooling."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Composer
from roofdsl.importers.graph.layers.convolution import Convolution, convolution
from roofdsl.importers.graph.layers.pooling import pool, reduced
from roofdsl.importers.graph.layers.windows import Windows, same, windows
from roofdsl.importers.graph.size import numbers
from roofdsl.importers.graph.values import NoRule, Operator


def convolve(operator: Operator, to: Composer) -> None:
    """Add a convolution; transposed, what its padding leaves away is in the shape of its result."""
    x, kernel = operator.need(0), operator.need(1)
    sides = numbers(kernel.of_rank(3, 99)[2:])
    groups = operator.attributes.get("group", 1)
    if sides is None or not isinstance(groups, int):
        raise NoRule("the sides of its kernel are not known")
    transposed = operator.kind == "ConvTranspose"
    out = _numbers(operator, "output_padding")
    around = _windows(operator, sides)
    if transposed and ("output_shape" in operator.attributes or not _explicit(operator)):
        raise NoRule("its padding is not stated")
    of = Convolution(x, kernel, operator.given(2), around, groups, transposed, out)
    convolution(operator, to, of)


def pool_in_windows(operator: Operator, to: Composer) -> None:
    """Add pooling in windows."""
    x, kernel = operator.need(0), _numbers(operator, "kernel_shape")
    if not kernel:
        raise NoRule("its windows are not stated")
    sort = "max" if operator.kind == "MaxPool" else "mean"
    pool(operator, to, x, sort, _windows(operator, kernel))


def pool_globally(operator: Operator, to: Composer) -> None:
    """Add pooling of whole images."""
    x = operator.need(0)
    sort = "max" if operator.kind == "GlobalMaxPool" else "mean"
    reduced(operator, to, x, range(2, len(x.of_rank(3, 99))), sort)


def _windows(operator: Operator, kernel: tuple[int, ...]) -> Windows:
    strides, dilations = _numbers(operator, "strides"), _numbers(operator, "dilations")
    pads = _numbers(operator, "pads")
    sides = len(kernel)
    if _explicit(operator):
        return windows(kernel, strides, pads[:sides], pads[sides:], dilations)
    if operator.attributes.get("auto_pad") == "VALID":
        return windows(kernel, strides, (), None, dilations)
    lengths = numbers(operator.need(0).sides[2:])
    places = numbers(operator.result.sides[2:])
    if lengths is None or places is None or not len(lengths) == len(places) == sides:
        raise NoRule("its padding hangs on sides that are not known")
    steps, far = strides or (1,) * sides, dilations or (1,) * sides
    upper = operator.attributes.get("auto_pad") == "SAME_UPPER"
    before, after = same(lengths, places, kernel, steps, far, more_after=upper)
    return windows(kernel, strides, before, after, dilations)


def _explicit(operator: Operator) -> bool:
    return operator.attributes.get("auto_pad", "NOTSET") == "NOTSET"


def _numbers(operator: Operator, name: str) -> tuple[int, ...]:
    found = operator.attributes.get(name)
    if not isinstance(found, tuple):
        return ()
    return tuple(each for each in found if isinstance(each, int))
