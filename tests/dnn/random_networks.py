"""Random networks of images and of rows, as modules and as plain lists of layers.

From the list a model can be written that says the same: kinds and sizes have the names that the
library has for them.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above

Sizes = dict[str, int]


class Layer(NamedTuple):
    """A layer of a network; its sources are places in the list of layers, −1 the input.

    Before a linear layer an image is a row: what is flattened is the same bytes.
    """

    kind: str
    sizes: Sizes
    sources: tuple[int, ...]


class Network(NamedTuple):
    """A network; its last layer gives scores of `classes`."""

    module: nn.Module
    input: tuple[int, ...]
    classes: int
    layers: list[Layer]


class Graph(nn.Module):
    """Runs layers in order, and holds the result of each until it is last used."""

    def __init__(self, layers: list[Layer]) -> None:
        super().__init__()
        self.layers = layers
        self.made = nn.ModuleList([_module(layer) for layer in layers])
        self.uses = Counter(source for layer in layers for source in layer.sources)

    def forward(self, x: Tensor) -> Tensor:
        values = {-1: x}
        uses = self.uses.copy()
        for index, (layer, module) in enumerate(zip(self.layers, self.made, strict=True)):
            sources = [values[source] for source in layer.sources]
            if layer.kind == "add":
                values[index] = sources[0] + sources[1]
            elif layer.kind == "linear":
                values[index] = module(sources[0].flatten(1))
            else:
                values[index] = module(sources[0])
            for source in layer.sources:
                uses[source] -= 1
                if not uses[source]:
                    del values[source]
            del sources
        return values[len(self.layers) - 1]


def random_network(seed: int) -> Network:
    """Return the network of a seed: of images if it is even, of rows if it is odd."""
    draw = random.Random(seed)
    return _of_images(draw) if seed % 2 == 0 else _of_rows(draw)


class _Builder:
    """Adds layers one after another, and knows the shape of what the last of them returns."""

    def __init__(self, draw: random.Random, shape: tuple[int, ...]) -> None:
        self.draw = draw
        self.input = self.shape = shape
        self.layers: list[Layer] = []

    @property
    def last(self) -> int:
        return len(self.layers) - 1

    def add(self, kind: str, sizes: Sizes, *more: int) -> None:
        self.layers.append(Layer(kind, sizes, (self.last, *more)))

    def of_elements(self, kind: str, *more: int) -> None:
        elements = 1
        for size in self.shape:
            elements *= size
        self.add(kind, {"E": elements}, *more)

    def activation(self) -> None:
        self.of_elements(self.draw.choice(["relu", "relu", "sigmoid", "tanh", "gelu", "silu"]))

    def linear(self, after: int) -> None:
        rows, *features = self.shape
        before = 1
        for size in features:
            before *= size
        bias = self.draw.randrange(4) > 0
        self.add("linear", {"M": rows, "I": before, "O": after, "bias": int(bias)})
        self.shape = (rows, after)

    def layer_norm(self) -> None:
        self.add("layer_norm", {"M": self.shape[0], "h": self.shape[1]})

    def convolution(self, after: int, *, same: bool = False) -> None:
        images, before, height, width = self.shape
        kernel = self.draw.choice([1, 3, 3, 5])
        stride = 1 if same else self.draw.choice([1, 1, 1, 2])
        padding = kernel // 2 if same else self.draw.randint(0, kernel // 2)
        if kernel > min(height, width) + 2 * padding:
            kernel, padding = 1, 0
        groups = self.draw.choice([1, 1, 1, 2])
        if before % groups or after % groups:
            groups = 1
        sizes = {"B": images, "Ci": before, "H": height, "W": width, "Co": after, "K": kernel}
        ways = {"L": kernel, "stride": stride, "padding": padding, "dilation": 1, "groups": groups}
        self.add("conv2d", sizes | ways | {"bias": int(self.draw.randrange(3) > 0)})
        self.shape = (images, after, *(_places(n, kernel, stride, padding) for n in self.shape[2:]))

    def batch_norm(self) -> None:
        self.add("batch_norm", dict(zip("BCHW", self.shape, strict=True)))

    def pool(self) -> None:
        window = self.draw.choice([2, 2, 3])
        stride = self.draw.choice([window, 2])
        if window > min(self.shape[2:]):
            return
        padding = self.draw.choice([0, 0, window // 2])
        kind = self.draw.choice(["max_pool2d", "average_pool2d"])
        sizes = dict(zip("BCHW", self.shape, strict=True))
        self.add(kind, sizes | {"K": window, "stride": stride, "padding": padding})
        places = (_places(n, window, stride, padding) for n in self.shape[2:])
        self.shape = (*self.shape[:2], *places)

    def finish(self) -> Network:
        module = Graph(self.layers)
        return Network(module, self.input, self.shape[1], self.layers)


def _of_images(draw: random.Random) -> Network:
    channels, height = draw.choice([1, 3]), draw.randint(12, 40)
    width = draw.choice([height, draw.randint(12, 40)])
    build = _Builder(draw, (draw.randint(2, 5), channels, height, width))
    for _ in range(draw.randint(1, 4)):
        build.convolution(2 * draw.randint(2, 8))
        if draw.randrange(2):
            build.batch_norm()
        build.activation()
        if draw.randrange(2):
            _around(build)
        if draw.randrange(3):
            build.pool()
    for _ in range(draw.randint(0, 2)):
        if draw.randrange(2):
            build.of_elements("dropout")
        build.linear(draw.randint(8, 64))
        build.activation()
    build.linear(draw.randint(2, 20))
    return build.finish()


def _around(build: _Builder) -> None:
    """Add convolutions, and to their result what they began with."""
    before = build.last
    for index in range(build.draw.randint(1, 2)):
        if index:
            build.activation()
        build.convolution(build.shape[1], same=True)
        if build.draw.randrange(2):
            build.batch_norm()
    build.of_elements("add", before)
    if build.draw.randrange(2):
        build.activation()


def _of_rows(draw: random.Random) -> Network:
    build = _Builder(draw, (draw.randint(2, 64), draw.randint(4, 200)))
    for _ in range(draw.randint(1, 5)):
        build.linear(draw.randint(4, 200))
        if draw.randrange(3) == 0:
            build.layer_norm()
        build.activation()
        if draw.randrange(3) == 0:
            before = build.last
            build.linear(build.shape[1])
            build.activation()
            build.of_elements("add", before)
        if draw.randrange(3) == 0:
            build.of_elements("dropout")
    build.linear(draw.randint(2, 50))
    return build.finish()


def _places(n: int, window: int, stride: int, padding: int) -> int:
    return (n + 2 * padding - window) // stride + 1


def _module(layer: Layer) -> nn.Module:
    sizes = layer.sizes
    match layer.kind:
        case "conv2d":
            return nn.Conv2d(
                sizes["Ci"],
                sizes["Co"],
                (sizes["K"], sizes["L"]),
                stride=sizes["stride"],
                padding=sizes["padding"],
                dilation=sizes["dilation"],
                groups=sizes["groups"],
                bias=bool(sizes["bias"]),
            )
        case "max_pool2d":
            return nn.MaxPool2d(sizes["K"], sizes["stride"], sizes["padding"])
        case "average_pool2d":
            return nn.AvgPool2d(sizes["K"], sizes["stride"], sizes["padding"])
        case "batch_norm":
            return nn.BatchNorm2d(sizes["C"])
        case "layer_norm":
            return nn.LayerNorm(sizes["h"])
        case "linear":
            return nn.Linear(sizes["I"], sizes["O"], bias=bool(sizes["bias"]))
        case "dropout":
            return nn.Dropout()
        case "add":
            return nn.Identity()
    functions: dict[str, type[nn.Module]] = {
        "relu": nn.ReLU,
        "sigmoid": nn.Sigmoid,
        "tanh": nn.Tanh,
        "gelu": nn.GELU,
        "silu": nn.SiLU,
    }
    return functions[layer.kind]()
