"""Operators of ONNX that have windows: convolutions and pooling."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Composer, NoRule
from roofdsl.importers.graph.layers.convolution import Convolution, convolution
from roofdsl.importers.graph.layers.pooling import pool, reduced
from roofdsl.importers.graph.layers.windows import Windows, same, windows
from roofdsl.importers.graph.size import numbers
from roofdsl.importers.graph.values import Operator


def convolve(operator: Operator, to: Composer) -> None:
    """Add a convolution; transposed, what its padding leaves away is in the shape of its result."""
    x, kernel = operator.given(0), operator.given(1)
    if x is None or kernel is None or kernel.shape is None:
        raise NoRule("its shapes are not known")
    sides = numbers(kernel.shape[2:])
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
    x, kernel = operator.given(0), _numbers(operator, "kernel_shape")
    if x is None or not kernel:
        raise NoRule("its shapes are not known")
    sort = "max" if operator.kind == "MaxPool" else "mean"
    pool(operator, to, x, sort, _windows(operator, kernel))


def pool_globally(operator: Operator, to: Composer) -> None:
    """Add pooling of whole images."""
    x = operator.given(0)
    if x is None or x.shape is None or len(x.shape) < 3:
        raise NoRule("its shapes are not known")
    sort = "max" if operator.kind == "GlobalMaxPool" else "mean"
    reduced(operator, to, x, range(2, len(x.shape)), sort)


def _windows(operator: Operator, kernel: tuple[int, ...]) -> Windows:
    strides, dilations = _numbers(operator, "strides"), _numbers(operator, "dilations")
    pads = _numbers(operator, "pads")
    sides = len(kernel)
    if _explicit(operator):
        return windows(kernel, strides, pads[:sides], pads[sides:], dilations)
    if operator.attributes.get("auto_pad") == "VALID":
        return windows(kernel, strides, (), None, dilations)
    x, shape = operator.given(0), operator.result.shape
    lengths = numbers(x.shape[2:]) if x is not None and x.shape is not None else None
    places = numbers(shape[2:]) if shape is not None else None
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
