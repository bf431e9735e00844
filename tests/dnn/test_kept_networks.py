"""What training keeps, and the most there is at once, against autograd: of images and rows.

The library's networks and random ones are trained by PyTorch on a CPU, those that are large without
memory. What it saves must be the tally `activations`, to the byte; the bytes that are live at most
are `peak_memory`, within 1 %.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

import roofdsl as rd

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from tests.counts import inputs  # noqa: E402, after the check above
from tests.dnn import networks  # noqa: E402, it needs torch
from tests.dnn.kept import faked, held, kept_bytes, peaks  # noqa: E402, the same
from tests.dnn.random_networks import Layer, Network, random_network  # noqa: E402, the same
from tests.dnn.reckoned import elements  # noqa: E402, the same

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor, nn

KARST = rd.load_machine("karst")
MASK = {"mask": "4 B"}  # PyTorch keeps the mask of a dropout in the elements' precision on a CPU
IMAGES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], dict[str, str]]] = {
    "lenet5": (networks.lenet5, (1, 32, 32), {}),
    "alexnet": (networks.alexnet, (3, 224, 224), MASK),
    "vgg16": (networks.vgg16, (3, 224, 224), MASK),
    "resnet50": (partial(networks.resnet, (3, 4, 6, 3)), (3, 224, 224), {}),
    "resnet152": (partial(networks.resnet, (3, 8, 36, 3)), (3, 224, 224), {}),
}
STATE = "optimiser"


def trained(network: nn.Module, *shape: int, classes: int) -> tuple[Callable[[], Tensor], Tensor]:
    """Return what computes the loss of a network, and its input."""
    image, labels = torch.randn(*shape), torch.randint(classes, shape[:1])
    return lambda: networks.cross_entropy(network(image), labels), image


@pytest.mark.parametrize("batch", [1, 2, 5])
@pytest.mark.parametrize("name", IMAGES)
def test_what_networks_of_images_keep(name: str, batch: int) -> None:
    make, shape, values = IMAGES[name]
    with faked():
        network = make()
        run, _ = trained(network, batch, *shape, classes=10 if name == "lenet5" else 1000)
        saved = kept_bytes(run, held(network))
    ours = rd.load_model(f"{name}_training").on(KARST).evaluate(batch=batch, **values)
    assert ours.tallies["activations"] == saved


@pytest.mark.parametrize("batch", [2, 8])
@pytest.mark.parametrize("name", IMAGES)
def test_the_peak_of_networks_of_images(name: str, batch: int) -> None:
    make, shape, values = IMAGES[name]
    with faked():
        network = make()
        run, image = trained(network, batch, *shape, classes=10 if name == "lenet5" else 1000)
        found = peaks(run, [*held(network), image])
    ours = rd.load_model(f"{name}_training").on(KARST).evaluate(batch=batch, **values).tallies
    most = max(found.forward, found.backward)
    assert ours["peak_memory"] - ours[STATE] == pytest.approx(most, rel=0.01)


@pytest.mark.parametrize("seed", range(inputs(20, 400)))
def test_random_networks(seed: int) -> None:
    network = random_network(seed)
    model = rd.loads(written(network)).models["training"]
    ours = model.on(KARST).evaluate().tallies
    run, image = trained(network.module, *network.input, classes=network.classes)
    assert ours["activations"] == kept_bytes(run, held(network.module))
    found = peaks(run, [*held(network.module), image])
    assert ours["peak_memory"] == pytest.approx(max(found.forward, found.backward), rel=0.01)


def written(network: Network) -> str:
    """Return a network in the language: forward, backward and a step of training."""
    rows = network.input[0]
    loss = f"(M = {rows}, V = {network.classes})"
    forward = [_call(f"l{place}", layer) for place, layer in enumerate(network.layers)]
    return "\n".join(
        [
            "unit element",
            "unit MAC",
            "model forward {",
            *forward,
            "}",
            "model backward {",
            f"step loss = cross_entropy_backward{loss}",
            *_backward(network.layers),
            "}",
            "model training {",
            "step forward = forward()",
            f"step loss = cross_entropy{loss}",
            "step backward = backward()",
            "keep forward to backward",
            "keep loss to backward.loss",
            "}",
        ]
    )


def _backward(layers: list[Layer]) -> list[str]:
    """Return the steps of backward: gradients of what several layers read are added up."""
    readers: dict[int, list[str]] = {len(layers) - 1: ["loss"]}
    found: list[str] = []
    for place in reversed(range(len(layers))):
        layer = layers[place]
        sources = readers[place]
        if len(sources) > 1:
            size = elements(layer)
            found.append(f"step s{place} = add(E = {size}) from {', '.join(sources)} in place")
            sources = [f"s{place}"]
        made = sources[0]
        if layer.kind != "add":
            made = f"l{place}"
            kind = f"{layer.kind}_backward"
            if layer.sources == (-1,):
                kind = f"{layer.kind}_weight_gradient"
            found.append(_call(made, layer._replace(kind=kind)).partition(" from ")[0])
            found[-1] += f" from {sources[0]}"
        for source in layer.sources:
            readers.setdefault(source, []).append(made)
    return found


def _call(name: str, layer: Layer) -> str:
    sizes = {key: str(value) for key, value in layer.sizes.items()}
    if "bias" in sizes:
        sizes["bias"] = "true" if layer.sizes["bias"] else "false"
    if layer.kind.startswith("dropout"):
        sizes["mask"] = "4 B"
    given = ", ".join(f"{key} = {value}" for key, value in sizes.items())
    called = f"step {name} = {layer.kind}({given})"
    sources = [f"l{source}" for source in layer.sources if source >= 0]
    return f"{called} from {', '.join(sources)}" if sources else called
