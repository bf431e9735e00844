"""Flop of an operator in a trace of PyTorch: as the trace says, or by the shapes of its inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod

from roofdsl.located_json import Located

_PRODUCTS = {
    "aten::mm": (0, 1), "aten::addmm": (1, 2), "aten::bmm": (0, 1), "aten::baddbmm": (1, 2),
}  # fmt: skip
"""Products of matrices, and which inputs are the factors."""
_CONVOLUTION = "aten::conv2d"
_PAIR = re.compile(r"\[(\d{1,6}), (\d{1,6})\]")
_LARGEST = 10**24

Arguments = Mapping[str, Located]


def counted(name: str, arguments: Arguments) -> int | None:
    """Return the flop of an operator, None where they are not known.

    A trace has them in `flops` where the profiler wrote them. Otherwise a product of m × k and
    k × n matrices is 2·m·k·n flop, a convolution 2·outputs·weights of one of them; of operators
    on numbers that are no floats there are none.
    """
    told = arguments.get("flops")
    if told is not None:
        value = told.value
        whole = isinstance(value, int) and not isinstance(value, bool)
        return value if whole and isinstance(value, int) and 0 <= value < _LARGEST else None
    if name not in (*_PRODUCTS, _CONVOLUTION) or not _is_float(arguments):
        return None
    shapes = _shapes(arguments)
    flops = _product(shapes, *_PRODUCTS[name]) if name in _PRODUCTS else None
    if name == _CONVOLUTION:
        flops = _convolution(shapes, arguments)
    return flops if flops is not None and flops < _LARGEST else None


def _product(shapes: list[list[int]], left: int, right: int) -> int | None:
    if len(shapes) <= right:
        return None
    first, second = shapes[left], shapes[right]
    if len(first) != len(second) or len(first) not in (2, 3) or first[-1] != second[-2]:
        return None
    return 2 * prod(first) * second[-1]


def _convolution(shapes: list[list[int]], arguments: Arguments) -> int | None:
    """Return 2 · images · outputs of each · weights of an output; strides are among the inputs."""
    written = _texts(arguments, "Concrete Inputs")
    if len(shapes) < 2 or len(shapes[0]) != 4 or len(shapes[1]) != 4 or len(written) < 6:
        return None
    images, _, *size = shapes[0]
    outputs, channels, *kernel = shapes[1]
    found = [_PAIR.fullmatch(text) for text in written[3:6]]
    stride, padding, dilation = (
        [int(x) for x in each.groups()] if each else None for each in found
    )
    if stride is None or padding is None or dilation is None or 0 in stride:
        return None
    places = [
        (size[at] + 2 * padding[at] - dilation[at] * (kernel[at] - 1) - 1) // stride[at] + 1
        for at in (0, 1)
    ]
    if min(places) < 1:
        return None
    return 2 * images * outputs * prod(places) * channels * prod(kernel)


def _is_float(arguments: Arguments) -> bool:
    kinds = _texts(arguments, "Input type")
    return bool(kinds) and kinds[0] in ("float", "double", "c10::Half", "c10::BFloat16")


def _texts(arguments: Arguments, name: str) -> list[str]:
    found = arguments.get(name)
    values = found.value if found is not None and isinstance(found.value, tuple) else ()
    return [each.value if isinstance(each.value, str) else "" for each in values]


def _shapes(arguments: Arguments) -> list[list[int]]:
    found = arguments.get("Input Dims")
    values = found.value if found is not None and isinstance(found.value, tuple) else ()
    return [_sizes(each) for each in values]


def _sizes(shape: Located) -> list[int]:
    sizes = [each.value for each in shape.value] if isinstance(shape.value, tuple) else []
    whole = [x for x in sizes if isinstance(x, int) and not isinstance(x, bool) and 0 < x < 10**9]
    return whole if len(whole) == len(sizes) else []
