"""A transformer block split among ranks as Megatron-LM does it, carried out in PyTorch.

Tensors of ranks are lists. What goes from rank to rank goes round a ring, message by message, and
is counted; gradients go back through the same operations. Tokens come first, inputs second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn.functional import layer_norm, relu, softmax
from torch.utils.checkpoint import checkpoint

if TYPE_CHECKING:
    from torch import Tensor

Ranks = Sequence["Tensor"]


class Links:
    """A ring of ranks: what each of them sends [B], messages one after another, and operations."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.sent = [0] * ranks
        self.messages = 0
        self.done: Counter[str] = Counter()

    def _send(self, rank: int, part: Tensor) -> Tensor:
        self.sent[rank] += part.numel() * part.element_size()
        return part.clone()

    def reduce_scatter(self, values: Ranks) -> list[Tensor]:
        """Each rank gets the sum of its tokens."""
        self.done["reduce_scatter"] += 1
        t = self.ranks
        held = [list(value.clone().chunk(t)) for value in values]
        for step in range(1, t):
            moved = [self._send(i, held[i][(i - step) % t]) for i in range(t)]
            for i, part in enumerate(moved):
                held[(i + 1) % t][(i - step) % t] += part
            self.messages += 1
        return [held[i][i].clone() for i in range(t)]

    def all_gather(self, parts: Ranks) -> list[Tensor]:
        """Each rank gets the tokens of all."""
        self.done["all_gather"] += 1
        t = self.ranks
        held = [{i: part} for i, part in enumerate(parts)]
        for step in range(t - 1):
            moved = [self._send(i, held[i][(i - step) % t]) for i in range(t)]
            for i, part in enumerate(moved):
                held[(i + 1) % t][(i - step) % t] = part
            self.messages += 1
        return [torch.cat([own[i] for i in range(t)]) for own in held]

    def all_reduce(self, values: Ranks) -> list[Tensor]:
        found = self.all_gather(self.reduce_scatter(values))
        self.done.subtract(("reduce_scatter", "all_gather"))
        self.done["all_reduce"] += 1
        return found


# What autograd passes beside tensors, and what it returns for that, has no type.


class Copied(torch.autograd.Function):
    """The same forward; gradients are summed: `f` of Megatron-LM."""

    @staticmethod
    def forward(ctx: Any, links: Links, *values: Tensor) -> tuple[Tensor, ...]:
        ctx.links = links
        return tuple(value.clone() for value in values)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return None, *ctx.links.all_reduce(gradients)


class Summed(torch.autograd.Function):
    """Summed forward; gradients are the same: `g` of Megatron-LM."""

    @staticmethod
    def forward(_ctx: Any, links: Links, *values: Tensor) -> tuple[Tensor, ...]:
        return tuple(links.all_reduce(values))

    @staticmethod
    def backward(_ctx: Any, *gradients: Tensor) -> Any:
        return None, *(gradient.clone() for gradient in gradients)


class Scattered(torch.autograd.Function):
    """Sums of a rank's tokens forward; gradients are gathered."""

    @staticmethod
    def forward(ctx: Any, links: Links, *values: Tensor) -> tuple[Tensor, ...]:
        ctx.links = links
        return tuple(links.reduce_scatter(values))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return None, *ctx.links.all_gather(gradients)


class GatheredProducts(torch.autograd.Function):
    """Tokens are gathered and multiplied by each rank's weights; the gradient needs them again."""

    @staticmethod
    def forward(ctx: Any, links: Links, kept: bool, *both: Tensor) -> tuple[Tensor, ...]:
        own, weights = both[: links.ranks], both[links.ranks :]
        gathered = links.all_gather(own)
        ctx.links, ctx.kept = links, kept
        ctx.save_for_backward(*(gathered if kept else own), *weights)
        return tuple(x @ w for x, w in zip(gathered, weights, strict=True))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        own, weights = ctx.saved_tensors[: ctx.links.ranks], ctx.saved_tensors[ctx.links.ranks :]
        gathered = own if ctx.kept else ctx.links.all_gather(own)
        inputs = [dy @ w.T for dy, w in zip(gradients, weights, strict=True)]
        of_weights = [
            x.flatten(0, 1).T @ dy.flatten(0, 1) for x, dy in zip(gathered, gradients, strict=True)
        ]
        return None, None, *ctx.links.reduce_scatter(inputs), *of_weights


class Weights(NamedTuple):
    """Of one block, by rank: queries, keys and values of its heads; features between products."""

    queries_keys_values: Ranks
    projection: Ranks
    up: Ranks
    down: Ranks


class Split(NamedTuple):
    """How blocks are split: among whom, with tokens split too, what is kept or computed again."""

    links: Links
    heads: int  # of a rank
    sequence_parallel: bool = False
    kept: bool = False
    full: bool = False

    def products(self, values: Ranks, weights: Ranks) -> Ranks:
        """Multiply all tokens by columns of the weights."""
        if self.sequence_parallel:
            return list(GatheredProducts.apply(self.links, self.kept, *values, *weights))
        copied = Copied.apply(self.links, *values)
        return [x @ w for x, w in zip(copied, weights, strict=True)]

    def results(self, values: Ranks, weights: Ranks) -> Ranks:
        """Multiply by rows of the weights, and add up what all ranks have."""
        parts = [x @ w for x, w in zip(values, weights, strict=True)]
        return list((Scattered if self.sequence_parallel else Summed).apply(self.links, *parts))

    def block(self, weights: Weights, *x: Tensor) -> tuple[Tensor, ...]:
        normed = [layer_norm(each, each.shape[-1:]) for each in x]
        attended = [attention(each, self.heads) for each in self.products(normed, weights[0])]
        middle = [a + b for a, b in zip(x, self.results(attended, weights.projection), strict=True)]
        normed = [layer_norm(each, each.shape[-1:]) for each in middle]
        inner = [relu(each) for each in self.products(normed, weights.up)]
        return tuple(a + b for a, b in zip(middle, self.results(inner, weights.down), strict=True))

    def blocks(self, every: Sequence[Weights], x: Ranks) -> tuple[Tensor, ...]:
        values = tuple(x)
        for weights in every:
            if self.full:
                values = checkpoint(self.block, weights, *values, use_reentrant=True)
            else:
                values = self.block(weights, *values)
        return values


def attention(both: Tensor, heads: int) -> Tensor:
    """Softmax of queries · keys, times values, of the heads in `both`; s × B × 3·heads·d."""
    s, batch, features = both.shape
    d = features // (3 * heads)
    q, k, v = both.view(s, batch, 3, heads, d).permute(2, 1, 3, 0, 4)
    found = softmax(q @ k.transpose(-1, -2) / d**0.5, dim=-1) @ v
    return found.permute(2, 0, 1, 3).reshape(s, batch, heads * d)
