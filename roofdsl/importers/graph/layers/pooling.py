"""Pooling in windows and of whole images, and reductions along dimensions."""

from __future__ import annotations

from collections.abc import Collection

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.layers.windows import Windows
from roofdsl.importers.graph.size import Shape, numbers, times
from roofdsl.importers.graph.values import Operator, Value

_LAYERS = {"max": "max_pool2d", "mean": "average_pool2d"}


def pool(operator: Operator, to: Composer, x: Value, sort: str, windows: Windows) -> None:
    """Add pooling by `max` or `mean`: the layer of images where that has parameters for it."""
    sides = len(windows.kernel)
    images = x.of_rank(sides + 1, sides + 2)
    places = operator.result.of_rank(len(images))[-sides:]
    lengths = images[-sides:]
    if _has_layer(windows, lengths, places):
        arguments: dict[str, Argument] = {"B": times(images[:-3]), "C": images[-3]}
        arguments["H"] = lengths[0]
        if lengths[1] != lengths[0]:
            arguments["W"] = lengths[1]
        arguments["K"] = windows.kernel[0]
        if windows.strides[0] != windows.kernel[0]:
            arguments["stride"] = windows.strides[0]
        if windows.before[0]:
            arguments["padding"] = windows.before[0]
        step = to.add(operator, _LAYERS[sort], [x], arguments)
    else:
        arguments = {"inputs": times(lengths), "outputs": times(places), "taps": windows.taps}
        known, there = numbers(lengths), numbers(places)
        if known is not None and there is not None:
            read = windows.read(known, there)
            if read != times(lengths).value:
                arguments["read"] = read
        if sort == "max":
            arguments["operations"] = windows.taps - 1
        step = to.add(operator, "pool", [x], {"B": times(images[:-sides]), **arguments})
    for output in operator.outputs:
        to.becomes(output, step)


def reduced(operator: Operator, to: Composer, x: Value, axes: Collection[int], sort: str) -> None:
    """Add a reduction along dimensions: of each row by `mean`, `sum`, `max` and the like."""
    shape, rank = x.sides, len(x.sides)
    along = {axis % rank for axis in axes} if rank else set[int]()
    inside = [size for axis, size in enumerate(shape) if axis in along]
    outside = [size for axis, size in enumerate(shape) if axis not in along]
    known = numbers(inside)
    sides = sorted(along)
    if sort == "mean" and rank == 4 and sides == [2, 3] and known and known[0] == known[1]:
        image: dict[str, Argument] = {"B": shape[0], "C": shape[1], "H": shape[2], "K": shape[2]}
        step = to.add(operator, "average_pool2d", [x], image)
    else:
        taps = times(inside)
        arguments: dict[str, Argument] = {"inputs": taps, "outputs": 1, "taps": taps}
        step = to.add(operator, "pool", [x], {"B": times(outside), **arguments})
    for output in operator.outputs:
        to.becomes(output, step)


def _has_layer(windows: Windows, lengths: Shape, places: Shape) -> bool:
    """Whether the layer of images makes as many places of windows as there are."""
    if len(windows.kernel) != 2 or not windows.even or windows.dilations[0] != 1:
        return False
    if windows.kernel[0] != windows.kernel[1]:
        return False
    known, there = numbers(lengths), numbers(places)
    if known is None or there is None:
        return True
    kernel, stride, padding = windows.kernel[0], windows.strides[0], windows.before[0]
    made = tuple((length + 2 * padding - kernel) // stride + 1 for length in known)
    return made == there
