"""Blocks split among ranks: they compute what one rank does, and send what the library says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

import roofdsl as rd

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from tests.dnn.split_block import Links, Split, Weights  # noqa: E402, it needs torch

if TYPE_CHECKING:
    from torch import Tensor

LAYERS, S, B, H, HEADS, INNER = 2, 8, 2, 32, 8, 48
TENSOR_PARALLEL = rd.load("collectives.parallel").models["tensor_parallel"]


def random(seed: int, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def parts(weight: Tensor, t: int, dim: int) -> list[Tensor]:
    return [part.clone().requires_grad_() for part in weight.chunk(t, dim)]


def weights(layer: int, t: int) -> Weights:
    """Deal the weights of a block: heads, and features in between."""
    d = H // HEADS
    first = random(10 * layer, H, 3, HEADS, d) / H**0.5
    return Weights(
        [part.reshape(H, -1).detach().requires_grad_() for part in first.chunk(t, 2)],
        parts(random(10 * layer + 1, H, H) / H**0.5, t, 0),
        parts(random(10 * layer + 2, H, INNER) / H**0.5, t, 1),
        parts(random(10 * layer + 3, INNER, H) / INNER**0.5, t, 0),
    )


def gradients(every: Iterable[Weights], t: int) -> list[Tensor]:
    """Return the gradients of all weights, put together from those of the ranks."""
    found = []
    for each in every:
        split = [[w.grad for w in own] for own in each]
        first = [grad.view(H, 3, HEADS // t, -1) for grad in split[0]]
        found += [torch.cat(first, 2)]
        found += [torch.cat(own, dim) for own, dim in zip(split[1:], (0, 1, 0), strict=True)]
    return found


def carried_out(split: Split, every: list[Weights]) -> tuple[Tensor, Tensor, list[Tensor]]:
    """Return results, gradients of the input and of the weights, each put together."""
    t = split.links.ranks
    x, dy = random(1, S, B, H), random(2, S, B, H)
    own = x.chunk(t) if split.sequence_parallel else [x] * t
    inputs = [each.clone().requires_grad_() for each in own]
    outputs = split.blocks(every, inputs)
    given = dy.chunk(t) if split.sequence_parallel else [dy] * t
    torch.autograd.backward(outputs, list(given))
    back = [each.grad for each in inputs]
    if split.sequence_parallel:
        return torch.cat(outputs), torch.cat(back), gradients(every, t)
    for copies in (outputs, back):
        for each in copies:
            torch.testing.assert_close(each, copies[0])
    return outputs[0], back[0], gradients(every, t)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    ("sequence_parallel", "kept"), [(False, False), (True, False), (True, True)]
)
@pytest.mark.parametrize("t", [1, 2, 4, 8])
def test_what_ranks_send(t: int, sequence_parallel: bool, kept: bool, full: bool) -> None:
    alone = carried_out(Split(Links(1), HEADS), [weights(i, 1) for i in range(LAYERS)])
    links = Links(t)
    split = Split(links, HEADS // t, sequence_parallel, kept, full)
    found = carried_out(split, [weights(i, t) for i in range(LAYERS)])
    torch.testing.assert_close(found, alone)

    passes = 3 if full else 2
    if sequence_parallel:
        again = 0 if kept else 2
        assert links.done["reduce_scatter"] == 2 * passes * LAYERS
        assert links.done["all_gather"] == (2 * passes + again) * LAYERS
        assert links.done["all_reduce"] == 0
    else:
        assert +links.done == {"all_reduce": 2 * passes * LAYERS}

    said = TENSOR_PARALLEL.evaluate(
        B=B,
        s=S,
        h=H,
        layers=LAYERS,
        inside=t,
        full=full,
        sequence_parallel=sequence_parallel,
        kept=kept,
        dtype="fp64",
    )
    assert {*links.sent} == {said["network.intra"]}
    assert links.messages == said["messages"]
