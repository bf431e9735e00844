"""What the library says training keeps and holds, against PyTorch: blocks and networks of language.

Bytes that are kept must be equal. Where PyTorch has a choice, the library has a parameter for it.
Networks that are large are measured without memory, with their real sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import roofdsl as rd

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above
from torch.nn import functional  # noqa: E402, the same

from tests.dnn import networks  # noqa: E402, it needs torch
from tests.dnn.kept import faked, held, kept_bytes, peaks  # noqa: E402, the same

if TYPE_CHECKING:
    from collections.abc import Callable

KARST = rd.load_machine("karst")

BLOCK = """
model training {{
    step forward = {name}({arguments})
    step backward = {name}_backward({arguments})
    keep forward to backward
}}
"""


def tallies(model: rd.Model, **values: float | str | bool) -> dict[str, float]:
    return model.on(KARST).evaluate(**values).tallies


def network(name: str, **values: float | str | bool) -> dict[str, float]:
    return tallies(rd.load_model(name), **values)


def block(name: str, **values: int | bool) -> float:
    """Return the bytes that a block of the library keeps for its gradients."""
    given = {name: str(value).lower() for name, value in values.items()}
    arguments = ", ".join(f"{name} = {value}" for name, value in given.items())
    model = rd.loads(BLOCK.format(name=name, arguments=arguments)).models["training"]
    return tallies(model)["activations"]


def kept(made: nn.Module, *inputs: Tensor) -> int:
    return kept_bytes(lambda: made(*inputs).sum(), held(made))


def words(batch: int, tokens: int) -> Tensor:
    return torch.zeros(batch, tokens, dtype=torch.long)


class Step:
    """A step of training: a network, what it reads and what is wanted of it."""

    def __init__(
        self,
        made: nn.Module,
        inputs: tuple[Tensor, ...],
        wanted: Tensor,
        loss: Callable[[Tensor, Tensor], Tensor] = networks.cross_entropy,
    ) -> None:
        self.made, self.inputs, self.wanted, self.loss = made, inputs, wanted, loss

    def run(self) -> Tensor:
        return self.loss(self.made(*self.inputs), self.wanted)

    def kept(self) -> int:
        return kept_bytes(self.run, held(self.made))

    def peak(self) -> int:
        found = peaks(self.run, [*held(self.made), *self.inputs, self.wanted])
        return max(found.forward, found.backward)
