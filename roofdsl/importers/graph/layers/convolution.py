"""Convolutions, plain and transposed, in one, two or three dimensions or any other number."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.layers.pointwise import add_bias
from roofdsl.importers.graph.layers.windows import Windows
from roofdsl.importers.graph.size import Shape, numbers, times
from roofdsl.importers.graph.values import Operator, Value


class Convolution(NamedTuple):
    """The tensors of a convolution, and its windows on the images."""

    x: Value
    kernel: Value
    bias: Value | None
    windows: Windows
    groups: int
    transposed: bool = False
    output_padding: tuple[int, ...] = ()


def convolution(operator: Operator, to: Composer, of: Convolution) -> None:
    """Add a convolution: the layer of its dimensions where that has parameters for it."""
    sides = len(of.windows.kernel)
    images = of.x.of_rank(sides + 1, sides + 2)
    shape = operator.result.of_rank(len(images))
    # Without a batch it is one image.
    B, Ci, lengths = times(images[: -sides - 1]), images[-sides - 1], images[-sides:]
    Co, places = shape[-sides - 1], shape[-sides:]
    own = of.kernel.weight is not None and to.first_use(of.kernel.weight)
    with_bias = of.bias is not None and of.bias.weight is not None and own
    if with_bias:
        assert of.bias is not None and of.bias.weight is not None
        with_bias = to.first_use(of.bias.weight)
    common: dict[str, Argument] = {"groups": of.groups} if of.groups != 1 else {}
    if not with_bias:
        common["bias"] = False
    reads = [of.x] if of.kernel.weight is not None else [of.x, of.kernel]
    shaped = _shaped(of, lengths) if own else None
    if shaped is not None:
        layer, sizes, rest = shaped
        step = to.add(
            operator, layer, reads, {"B": B, "Ci": Ci, **sizes, "Co": Co, **rest, **common}
        )
    else:
        sized = _sized(of, lengths, places) | common
        if not own:
            sized["tied"] = True
        step = to.add(
            operator,
            "convolution",
            reads,
            {"B": B, "Ci": Ci, "inputs": times(lengths), "Co": Co, **sized},
        )
    if of.bias is not None and not with_bias:
        step = add_bias(operator, to, step, of.bias)
    to.becomes(operator.result, step)


def _sized(of: Convolution, lengths: Shape, places: Shape) -> dict[str, Argument]:
    found: dict[str, Argument] = {"outputs": times(places), "taps": of.windows.taps}
    known, there = numbers(lengths), numbers(places)
    if of.transposed:
        found["transposed"] = True
    elif known is not None and there is not None:
        read = of.windows.read(known, there)
        if read != times(lengths).value:
            found["read"] = read
    return found


def _shaped(
    of: Convolution, lengths: Shape
) -> tuple[str, dict[str, Argument], dict[str, Argument]] | None:
    """Return the layer that has parameters for these windows, with its sizes and the rest."""
    kernel, windows = of.windows.kernel, of.windows
    rest: dict[str, Argument] = {}
    if len(kernel) == 3 and not of.transposed:
        return _in_depth(windows, lengths)
    if len(kernel) > 2 or not windows.even or (of.transposed and len(kernel) != 2):
        return None
    if of.transposed:
        if len(set(of.output_padding)) > 1:
            return None
        rest["output_padding"] = of.output_padding[0] if of.output_padding else 0
    rest |= {"stride": windows.strides[0], "padding": windows.before[0]}
    rest["dilation"] = windows.dilations[0]
    usual = {"stride": 1, "padding": 0, "dilation": 1, "output_padding": 0}
    rest = {key: value for key, value in rest.items() if value != usual[key]}
    if len(kernel) == 1:
        return "conv1d", {"N": lengths[0]}, {"K": kernel[0], **rest}
    layer = "conv_transpose2d" if of.transposed else "conv2d"
    return layer, _image(lengths), {**_window(kernel), **rest}


def _in_depth(
    windows: Windows, lengths: Shape
) -> tuple[str, dict[str, Argument], dict[str, Argument]] | None:
    flat = Windows(*(each[1:] for each in windows))
    if not flat.even or flat.kernel[0] != flat.kernel[1] or len(set(windows.dilations)) > 1:
        return None
    if windows.before[0] != windows.after[0]:
        return None
    rest: dict[str, Argument] = {"K": windows.kernel[0]}
    if windows.kernel[0] != flat.kernel[0]:
        rest["L"] = flat.kernel[0]
    for key, near, far, usual in (
        ("stride", flat.strides[0], windows.strides[0], 1),
        ("padding", flat.before[0], windows.before[0], 0),
    ):
        if near != usual:
            rest[key] = near
        if far != near:
            rest[f"depth_{key}"] = far
    if windows.dilations[0] != 1:
        rest["dilation"] = windows.dilations[0]
    return "conv3d", {"D": lengths[0], **_image(lengths[1:])}, rest


def _image(lengths: Shape) -> dict[str, Argument]:
    found: dict[str, Argument] = {"H": lengths[0]}
    if lengths[0] != lengths[1]:
        found["W"] = lengths[1]
    return found


def _window(kernel: tuple[int, ...]) -> dict[str, Argument]:
    found: dict[str, Argument] = {"K": kernel[0]}
    if kernel[0] != kernel[1]:
        found["L"] = kernel[1]
    return found
