"""The networks of the library in PyTorch, typed from the papers, to be counted and measured.

Sizes are parameters, so that a test can take a network as published or a reduced one. What people
write in several ways is an option: rectifiers in place, attention in one kernel or with its scores
written out, recurrent cells written out or PyTorch's own.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above
from torch.nn import functional  # noqa: E402, the same
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402, the same

if TYPE_CHECKING:
    from collections.abc import Callable


def lenet5(image: int = 32) -> nn.Module:
    side = ((image - 4) // 2 - 4) // 2
    return nn.Sequential(
        nn.Conv2d(1, 6, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * side**2, 120),
        nn.Tanh(),
        nn.Linear(120, 84),
        nn.Tanh(),
        nn.Linear(84, 10),
    )


def alexnet(share: int = 1, classes: int = 1000, *, in_place: bool = False) -> nn.Module:
    """AlexNet; of all channels and features, one in `share`."""
    layers: list[nn.Module] = []
    places = [(64, 11, 4, 2), (192, 5, 1, 2), (384, 3, 1, 1), (256, 3, 1, 1), (256, 3, 1, 1)]
    before = 3
    for index, (after, kernel, stride, padding) in enumerate(places):
        convolution = nn.Conv2d(before, after // share, kernel, stride, padding)
        layers += [convolution, nn.ReLU(inplace=in_place)]
        before = after // share
        if index in (0, 1, 4):
            layers.append(nn.MaxPool2d(3, 2))
    hidden = 4096 // share
    return nn.Sequential(
        *layers,
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(256 // share * 6 * 6, hidden),
        nn.ReLU(inplace=in_place),
        nn.Dropout(),
        nn.Linear(hidden, hidden),
        nn.ReLU(inplace=in_place),
        nn.Linear(hidden, classes),
    )


def vgg16(
    share: int = 1, image: int = 224, classes: int = 1000, *, in_place: bool = False
) -> nn.Module:
    """VGG-16; of all channels and features, one in `share`."""
    layers: list[nn.Module] = []
    before = 3
    for count, channels in ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)):
        for _ in range(count):
            convolution = nn.Conv2d(before, channels // share, 3, padding=1)
            layers += [convolution, nn.ReLU(inplace=in_place)]
            before = channels // share
        layers.append(nn.MaxPool2d(2))
    hidden = 4096 // share
    return nn.Sequential(
        *layers,
        nn.Flatten(),
        nn.Linear(before * (image // 32) ** 2, hidden),
        nn.ReLU(inplace=in_place),
        nn.Dropout(),
        nn.Linear(hidden, hidden),
        nn.ReLU(inplace=in_place),
        nn.Dropout(),
        nn.Linear(hidden, classes),
    )


class Bottleneck(nn.Module):
    def __init__(self, before: int, width: int, stride: int, *, in_place: bool = False) -> None:
        super().__init__()
        after = 4 * width
        self.inside = nn.Sequential(
            nn.Conv2d(before, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=in_place),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=in_place),
            nn.Conv2d(width, after, 1, bias=False),
            nn.BatchNorm2d(after),
        )
        around: nn.Module = nn.Identity()
        if before != after:
            convolution = nn.Conv2d(before, after, 1, stride, bias=False)
            around = nn.Sequential(convolution, nn.BatchNorm2d(after))
        self.around = around
        self.in_place = in_place

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.inside(x) + self.around(x), inplace=self.in_place)


def resnet(
    counts: tuple[int, int, int, int],
    width: int = 64,
    image: int = 224,
    classes: int = 1000,
    *,
    in_place: bool = False,
) -> nn.Module:
    """A residual network of so many bottlenecks a stage, of width 64 in the first of them."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, width, 7, 2, 3, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=in_place),
        nn.MaxPool2d(3, 2, 1),
    ]
    before = width
    for stage, count in enumerate(counts):
        for block in range(count):
            stride = 2 if stage and not block else 1
            layers.append(Bottleneck(before, width * 2**stage, stride, in_place=in_place))
            before = 4 * width * 2**stage
    return nn.Sequential(
        *layers, nn.AvgPool2d(image // 32), nn.Flatten(), nn.Linear(before, classes)
    )


class Attention(nn.Module):
    """Attention between a product for queries, keys and values, and a projection.

    Fused, it is one kernel, the one of flash attention. Else scores are written out, and of `kv`
    heads that several query heads share, copies are made. With `causal`, tokens that are not to be
    seen are masked; the mask is a buffer for as many `places` as an input may have.
    """

    hidden: Tensor

    def __init__(
        self,
        h: int,
        a: int,
        kv: int,
        *,
        bias: bool = True,
        causal: bool = False,
        fused: bool = False,
        rotary: bool = False,
        places: int = 0,
    ) -> None:
        super().__init__()
        self.heads, self.kv, self.d = a, kv, h // a
        self.causal, self.fused, self.rotary = causal, fused, rotary
        self.qkv = nn.Linear(h, (a + 2 * kv) * self.d, bias=bias)
        self.projection = nn.Linear(h, h, bias=bias)
        if causal and not fused:
            hidden = torch.ones(places, places, dtype=torch.bool).triu(1)
            self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, h = x.shape
        sizes = [self.heads * self.d, self.kv * self.d, self.kv * self.d]
        q, k, v = (
            part.view(batch, tokens, -1, self.d).transpose(1, 2)
            for part in self.qkv(x).split(sizes, dim=-1)
        )
        if self.rotary:
            q, k = rotated(q), rotated(k)
        result = self.in_one_kernel(q, k, v) if self.fused else self.written_out(q, k, v)
        out: Tensor = self.projection(result.transpose(1, 2).reshape(batch, tokens, h))
        return out

    def in_one_kernel(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return functional.scaled_dot_product_attention(
                q, k, v, is_causal=self.causal, enable_gqa=self.kv != self.heads
            )

    def written_out(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if self.kv != self.heads:
            k, v = (part.repeat_interleave(self.heads // self.kv, dim=1) for part in (k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        if self.causal:
            tokens = q.shape[2]
            scores = scores.masked_fill(self.hidden[:tokens, :tokens], float("-inf"))
        return functional.softmax(scores, dim=-1) @ v


def rotated(x: Tensor) -> Tensor:
    """Return the queries or keys turned by the place of their token."""
    *_, tokens, d = x.shape
    speeds = 10_000.0 ** -(torch.arange(0, d, 2, dtype=torch.float32) / d)
    angles = torch.outer(torch.arange(tokens, dtype=torch.float32), speeds).repeat(1, 2)
    one, other = x.chunk(2, dim=-1)
    turned = torch.cat([-other, one], dim=-1)
    return x * angles.cos().to(x.dtype) + turned * angles.sin().to(x.dtype)


class FeedForward(nn.Module):
    """Two products on each token with a function between; gated, three."""

    def __init__(self, h: int, f: int, *, gated: bool, bias: bool) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(h, f, bias=bias), nn.Linear(f, h, bias=bias)
        self.gate = nn.Linear(h, f, bias=bias) if gated else None

    def forward(self, x: Tensor) -> Tensor:
        if self.gate is None:
            out: Tensor = self.down(functional.gelu(self.up(x)))
        else:
            out = self.down(functional.silu(self.gate(x)) * self.up(x))
        return out


class Block(nn.Module):
    """A transformer block. Gated, it has no biases and is normalised by RMS.

    It is normalised before attention and before the products or, with `post`, after each sum.
    """

    def __init__(
        self,
        h: int,
        a: int,
        f: int,
        kv: int,
        *,
        gated: bool,
        post: bool = False,
        causal: bool = False,
        fused: bool = False,
        rotary: bool = False,
        places: int = 0,
    ) -> None:
        super().__init__()
        self.heads, self.d, self.post = a, h // a, post
        kind: Callable[[int], nn.Module] = nn.RMSNorm if gated else nn.LayerNorm
        self.norms = nn.ModuleList([kind(h) for _ in range(2)])
        self.attention = Attention(
            h, a, kv, bias=not gated, causal=causal, fused=fused, rotary=rotary, places=places
        )
        self.products = FeedForward(h, f, gated=gated, bias=not gated)

    def forward(self, x: Tensor) -> Tensor:
        if self.post:
            x = self.norms[0](x + self.attention(x))
            out: Tensor = self.norms[1](x + self.products(x))
            return out
        x = x + self.attention(self.norms[0](x))
        return x + self.products(self.norms[1](x))


class Language(nn.Module):
    """Embeddings, blocks, and scores over the vocabulary; without places, a table of their own."""

    def __init__(
        self,
        vocabulary: int,
        places: int,
        h: int,
        blocks: int,
        a: int,
        *,
        f: int | None = None,
        kv: int | None = None,
        gated: bool = False,
        causal: bool = False,
        fused: bool = False,
        rotary: bool = False,
        tokens: int = 0,
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, h)
        self.places = nn.Embedding(places, h) if places else None
        made = [
            Block(
                h,
                a,
                f or 4 * h,
                kv or a,
                gated=gated,
                causal=causal,
                fused=fused,
                rotary=rotary,
                places=places or tokens,
            )
            for _ in range(blocks)
        ]
        self.blocks = nn.Sequential(*made)
        self.norm = nn.RMSNorm(h) if gated else nn.LayerNorm(h)
        self.logits = nn.Linear(h, vocabulary, bias=False)
        if places:
            self.logits.weight = self.words.weight

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens)
        if self.places is not None:
            x = x + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        out: Tensor = self.logits(self.norm(self.blocks(x)))
        return out


class Bert(nn.Module):
    """BERT with its pooler; the defaults are those of BERT base."""

    def __init__(
        self,
        vocabulary: int = 30522,
        places: int = 512,
        h: int = 768,
        blocks: int = 12,
        a: int = 12,
        *,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.words, self.segments = nn.Embedding(vocabulary, h), nn.Embedding(2, h)
        self.places, self.norm = nn.Embedding(places, h), nn.LayerNorm(h)
        made = [Block(h, a, 4 * h, a, gated=False, post=True, fused=fused) for _ in range(blocks)]
        self.blocks = nn.Sequential(*made)
        self.pooler = nn.Linear(h, h)

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Return the pooled features; without segments, all tokens are of the first."""
        if segments is None:
            segments = torch.zeros_like(tokens)
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.words(tokens) + self.places(places) + self.segments(segments)
        out: Tensor = self.pooler(self.blocks(self.norm(x))[:, 0]).tanh()
        return out


class Recommendation(nn.Module):
    """DLRM: two networks, and the products of all pairs of features between them.

    All tables stand as one of so many rows, of which an input takes one each for `features`. With
    `bags`, the table is one of sums over bags, each of one row, told by its offset. The gradient of
    the table is one of all rows or, `sparse`, of those that were read.
    """

    pairs: Tensor

    def __init__(
        self,
        rows: int,
        bottom: list[int],
        top: list[int],
        *,
        features: int = 26,
        bags: bool = False,
        sparse: bool = False,
    ) -> None:
        super().__init__()
        self.features, self.d, self.bags = features, bottom[-1], bags
        if bags:
            self.tables: nn.Module = nn.EmbeddingBag(rows, self.d, mode="sum", sparse=sparse)
        else:
            self.tables = nn.Embedding(rows, self.d, sparse=sparse)
        self.bottom, self.top = _dense(bottom), _dense(top)
        self.top[-1] = nn.Sigmoid()
        pairs = torch.tril_indices(features + 1, features + 1, -1)
        self.register_buffer("pairs", pairs, persistent=False)

    def forward(self, numbers: Tensor, rows: Tensor) -> Tensor:
        out: Tensor = self.top(self.joined(self.bottom(numbers), rows))
        return out

    def joined(self, x: Tensor, rows: Tensor) -> Tensor:
        """Return one feature, and the products of all pairs; the rest is gone when `top` runs."""
        if self.bags:
            offsets = torch.arange(rows.numel(), device=rows.device)
            taken = self.tables(rows.reshape(-1), offsets).view(*rows.shape, self.d)
        else:
            taken = self.tables(rows)
        features = torch.cat([x.unsqueeze(1), taken], dim=1)
        products = torch.bmm(features, features.transpose(1, 2))
        return torch.cat([x, products[:, self.pairs[0], self.pairs[1]]], dim=1)


def _dense(sizes: list[int]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers)


def mlp(inputs: int = 784, hidden: int = 50, outputs: int = 10) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs), nn.Sigmoid()
    )


def wide_mlp(layers: int, h: int = 4096) -> nn.Module:
    return nn.Sequential(*(nn.Linear(h, h, bias=False) for _ in range(layers)))


class Recurrent(nn.Module):
    """A recurrent layer of `gates`, step by step: what PyTorch runs in one piece it counts as 0."""

    def __init__(self, inputs: int, h: int, gates: int) -> None:
        super().__init__()
        self.h = h
        self.input, self.state = nn.Linear(inputs, gates * h), nn.Linear(h, gates * h)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(x.shape[0], self.h, device=x.device)
        outputs: list[Tensor] = []
        for step in range(x.shape[1]):
            gates = self.input(x[:, step]) + self.state(state)
            state = torch.tanh(gates.view(x.shape[0], -1, self.h).sum(dim=1))
            outputs.append(state)
        return torch.stack(outputs, dim=1)


class WrittenOut(nn.Module):
    """A layer of long short-term memory, its cell written out step by step."""

    def __init__(self, inputs: int, h: int) -> None:
        super().__init__()
        self.h = h
        self.input, self.state = nn.Linear(inputs, 4 * h), nn.Linear(h, 4 * h)

    def forward(self, x: Tensor) -> Tensor:
        batch, steps, _ = x.shape
        state = torch.zeros(batch, self.h, dtype=x.dtype, device=x.device)
        memory = torch.zeros(batch, self.h, dtype=x.dtype, device=x.device)
        outputs: list[Tensor] = []
        for step in range(steps):
            gates = self.input(x[:, step]) + self.state(state)
            into, forget, candidate, out = gates.chunk(4, dim=1)
            kept = torch.sigmoid(forget) * memory
            memory = kept + torch.sigmoid(into) * torch.tanh(candidate)
            state = torch.sigmoid(out) * torch.tanh(memory)
            outputs.append(state)
        return torch.stack(outputs, dim=1)


class InOnePiece(nn.Module):
    """A layer of long short-term memory as PyTorch runs it."""

    def __init__(self, inputs: int, h: int) -> None:
        super().__init__()
        self.layer = nn.LSTM(inputs, h, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.layer(x)[0]
        return out


def lstm_language(
    vocabulary: int = 10_000, h: int = 650, layers: int = 2, *, written_out: bool = True
) -> nn.Module:
    """A language model of recurrent layers, with dropout before each and before the scores."""
    made: list[nn.Module] = [nn.Embedding(vocabulary, h)]
    for _ in range(layers):
        layer: nn.Module = WrittenOut(h, h) if written_out else InOnePiece(h, h)
        made += [nn.Dropout(), layer]
    return nn.Sequential(*made, nn.Dropout(), nn.Linear(h, vocabulary))


def cross_entropy(scores: Tensor, labels: Tensor) -> Tensor:
    """Return the mean loss of rows of scores, over classes or words, against their labels."""
    return functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), labels.reshape(-1))
