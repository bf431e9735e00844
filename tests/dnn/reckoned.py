"""What training a network of layers keeps and holds, reckoned by rules in plain Python.

The rules are those of single precision on a CPU, worked out by hand from what each layer needs for
its gradients. A storage has a name: the place of the layer that made it, −1 for the input.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import TYPE_CHECKING

from tests.dnn.kept import Peaks

if TYPE_CHECKING:
    from tests.dnn.random_networks import Layer, Network

ELEMENT, INDEX = 4, 8  # bytes
LOSS = 4  # so has its gradient, and the sum of the labels' weights


def elements(layer: Layer) -> int:
    """Return the elements of a layer's result."""
    sizes = layer.sizes
    match layer.kind:
        case "linear":
            return sizes["M"] * sizes["O"]
        case "layer_norm":
            return sizes["M"] * sizes["h"]
        case "batch_norm":
            return sizes["B"] * sizes["C"] * sizes["H"] * sizes["W"]
        case "conv2d" | "max_pool2d" | "average_pool2d":
            channels = sizes["Co"] if layer.kind == "conv2d" else sizes["C"]
            windows = zip(
                (sizes["H"], sizes["W"]), (sizes["K"], sizes.get("L", sizes["K"])), strict=True
            )
            around = 2 * sizes["padding"]
            places = prod((n + around - window) // sizes["stride"] + 1 for n, window in windows)
            return sizes["B"] * channels * places
    return sizes["E"]


def weights(layer: Layer) -> int:
    """Return the bytes of a layer's weights."""
    sizes = layer.sizes
    match layer.kind:
        case "linear":
            return ELEMENT * sizes["O"] * (sizes["I"] + sizes["bias"])
        case "conv2d":
            taps = sizes["Ci"] // sizes["groups"] * sizes["K"] * sizes["L"]
            return ELEMENT * sizes["Co"] * (taps + sizes["bias"])
        case "batch_norm":
            return ELEMENT * 2 * sizes["C"]
        case "layer_norm":
            return ELEMENT * 2 * sizes["h"]
    return 0


def kept(layers: list[Layer], place: int) -> tuple[set[int], int]:
    """Return the results that a layer keeps, its own or its source's, and bytes beside them."""
    layer = layers[place]
    match layer.kind:
        case "add":
            return set(), 0
        case "dropout":
            return set(), ELEMENT * elements(layer)
        case "relu" | "sigmoid" | "tanh":
            return {place}, 0
        case "max_pool2d":
            return {layer.sources[0]}, INDEX * elements(layer)
        case "batch_norm":
            return {layer.sources[0]}, 2 * ELEMENT * layer.sizes["C"]
        case "layer_norm":
            return {layer.sources[0]}, 2 * ELEMENT * layer.sizes["M"]
    return {layer.sources[0]}, 0


class Reckoning:
    """The bytes of a step of training with cross-entropy, each layer after another."""

    def __init__(self, network: Network, held: int) -> None:
        self.layers = network.layers
        self.size = {place: ELEMENT * elements(layer) for place, layer in enumerate(self.layers)}
        self.last = len(self.layers) - 1
        inputs, self.labels = ELEMENT * prod(network.input), INDEX * network.input[0]
        self.size[-1] = inputs
        self.base = held + inputs + self.labels
        self.results = [kept(self.layers, place)[0] for place in range(len(self.layers))]
        self.beside = [kept(self.layers, place)[1] for place in range(len(self.layers))]

    def kept(self) -> int:
        """Return what forward leaves for backward, the input and the labels among it."""
        results = sum(self.size[one] for one in set().union(*self.results))
        return results + sum(self.beside) + self.size[self.last] + self.labels + LOSS

    def peaks(self) -> Peaks:
        forward = self.forward()
        own = self.size[-1] if any(-1 in results for results in self.results) else 0
        after = self.base + self.kept() - own - self.labels + LOSS
        return Peaks(self.base, forward, after, *self.backward())

    def forward(self) -> int:
        """What is kept so far, what a later layer needs, and the layer's source and result."""
        uses = Counter(source for layer in self.layers for source in layer.sources)
        there: set[int] = set()
        peak = beside = 0
        for place, layer in enumerate(self.layers):
            beside += self.beside[place]
            there |= {place} | self.results[place]
            needed = there - {-1}
            peak = max(peak, beside + sum(self.size[one] for one in needed))
            uses.subtract(layer.sources)
            saved = set().union(*self.results[: place + 1])
            there = {one for one in there if uses[one] > 0 or one in saved or one == place}
        there |= {self.last}
        scores = sum(self.size[one] for one in there - {-1}) + self.size[self.last] + 2 * LOSS
        return self.base + max(peak, beside + scores)

    def backward(self) -> tuple[int, int]:
        """Gradients so far, what is still kept, and the gradients at work or waiting."""
        holders = Counter(one for results in self.results for one in results - {-1})
        beside, gradients = sum(self.beside), 0
        sizes: dict[int, int] = {}
        held: Counter[int] = Counter()
        always = self.base + 2 * LOSS

        def live() -> int:
            results = sum(self.size[one] for one in holders if holders[one])
            waiting = sum(sizes[one] for one in held if held[one])
            return always + gradients + results + beside + waiting

        def new(size: int) -> int:
            name = len(sizes)
            sizes[name], held[name] = size, 1
            return name

        scores = self.size[self.last]
        waits = {self.last: new(scores)}
        peak = live() + 2 * scores  # that of the logarithms, that of the scores, the former kept
        for place in reversed(range(len(self.layers))):
            layer, dy = self.layers[place], waits.pop(place)
            made: list[tuple[int, int]] = []
            for source in layer.sources:
                if layer.kind == "add":
                    held[dy] += 1
                    made.append((source, dy))
                elif source >= 0:
                    made.append((source, new(self.size[source])))
            gradients += weights(layer)
            peak = max(peak, live())
            holders.subtract(self.results[place] - {-1})
            beside -= self.beside[place]
            held[dy] -= 1
            for source, dx in made:
                first = waits.setdefault(source, dx)
                if first == dx:
                    continue
                if held[first] > 1:  # somebody else needs it: the sum is a third
                    waits[source] = new(self.size[source])
                    peak = max(peak, live())
                    held[first] -= 1
                held[dx] -= 1
        return peak, self.base + gradients + LOSS
