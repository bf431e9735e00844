"""The networks of the library in PyTorch, typed from the papers, to be counted."""

from __future__ import annotations

from itertools import pairwise

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above
from torch.nn import functional  # noqa: E402, the same


def lenet5() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.Tanh(),
        nn.Linear(120, 84),
        nn.Tanh(),
        nn.Linear(84, 10),
    )


def alexnet() -> nn.Module:
    layers: list[nn.Module] = []
    places = [(3, 64, 11, 4, 2), (64, 192, 5, 1, 2), (192, 384, 3, 1, 1), (384, 256, 3, 1, 1)]
    for index, (before, after, kernel, stride, padding) in enumerate(
        [*places, (256, 256, 3, 1, 1)]
    ):
        layers += [nn.Conv2d(before, after, kernel, stride, padding), nn.ReLU()]
        if index in (0, 1, 4):
            layers.append(nn.MaxPool2d(3, 2))
    return nn.Sequential(*layers, nn.Flatten(), *_classifier(256 * 6 * 6))


def vgg16() -> nn.Module:
    layers: list[nn.Module] = []
    before = 3
    for count, after in ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)):
        for _ in range(count):
            layers += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU()]
            before = after
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers, nn.Flatten(), *_classifier(512 * 7 * 7))


def _classifier(features: int) -> list[nn.Module]:
    first, second, last = nn.Linear(features, 4096), nn.Linear(4096, 4096), nn.Linear(4096, 1000)
    return [first, nn.ReLU(), second, nn.ReLU(), last]


class Bottleneck(nn.Module):
    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        after = 4 * width
        self.inside = nn.Sequential(
            nn.Conv2d(before, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, after, 1, bias=False),
            nn.BatchNorm2d(after),
        )
        around: nn.Module = nn.Identity()
        if before != after:
            convolution = nn.Conv2d(before, after, 1, stride, bias=False)
            around = nn.Sequential(convolution, nn.BatchNorm2d(after))
        self.around = around

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.inside(x) + self.around(x))


def resnet(counts: tuple[int, int, int, int]) -> nn.Module:
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
    ]
    before = 64
    for stage, count in enumerate(counts):
        width = 64 * 2**stage
        for block in range(count):
            layers.append(Bottleneck(before, width, 2 if stage and not block else 1))
            before = 4 * width
    return nn.Sequential(*layers, nn.AvgPool2d(7), nn.Flatten(), nn.Linear(2048, 1000))


class Block(nn.Module):
    """A transformer block without causal mask, its products written out so that they count."""

    def __init__(self, h: int, a: int, f: int, kv: int, *, gated: bool) -> None:
        super().__init__()
        self.heads, self.kv, self.d, self.gated = a, kv, h // a, gated
        bias = not gated
        self.norms = nn.ModuleList([nn.LayerNorm(h, bias=bias) for _ in range(2)])
        self.qkv = nn.Linear(h, (a + 2 * kv) * self.d, bias=bias)
        self.projection = nn.Linear(h, h, bias=bias)
        self.up, self.down = nn.Linear(h, f, bias=bias), nn.Linear(f, h, bias=bias)
        if gated:
            self.gate = nn.Linear(h, f, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, h = x.shape
        sizes = [self.heads * self.d, self.kv * self.d, self.kv * self.d]
        parts = self.qkv(self.norms[0](x)).split(sizes, dim=-1)
        q, k, v = (part.view(batch, tokens, -1, self.d).transpose(1, 2) for part in parts)
        k, v = (part.repeat_interleave(self.heads // self.kv, dim=1) for part in (k, v))
        scores = functional.softmax(q @ k.transpose(-1, -2), dim=-1)
        x = x + self.projection((scores @ v).transpose(1, 2).reshape(batch, tokens, h))
        y = self.norms[1](x)
        inner = functional.silu(self.gate(y)) * self.up(y) if self.gated else self.up(y).relu()
        return x + self.down(inner)


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
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, h)
        self.places = nn.Embedding(places, h) if places else None
        made = [Block(h, a, f or 4 * h, kv or a, gated=gated) for _ in range(blocks)]
        self.blocks = nn.Sequential(*made)
        self.norm = nn.LayerNorm(h, bias=not gated)
        self.logits = nn.Linear(h, vocabulary, bias=False)
        if places:
            self.logits.weight = self.words.weight

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens)
        if self.places is not None:
            x = x + self.places.weight[: tokens.shape[1]]
        out: Tensor = self.logits(self.norm(self.blocks(x)))
        return out


class Bert(nn.Module):
    """BERT base; the order of norms does not matter for its products and parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.segments = nn.Embedding(30522, 768), nn.Embedding(2, 768)
        self.places, self.norm = nn.Embedding(512, 768), nn.LayerNorm(768)
        self.blocks = nn.Sequential(*(Block(768, 12, 3072, 12, gated=False) for _ in range(12)))
        self.pooler = nn.Linear(768, 768)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) + self.segments.weight[0] + self.places.weight[: tokens.shape[1]]
        out: Tensor = self.pooler(self.blocks(self.norm(x))[:, 0]).tanh()
        return out


class Recommendation(nn.Module):
    """DLRM: two networks, and the products of all pairs of features between them."""

    def __init__(self, rows: int, bottom: list[int], top: list[int]) -> None:
        super().__init__()
        self.d, self.tables = bottom[-1], nn.Embedding(rows, bottom[-1])
        self.bottom, self.top = _dense(bottom), _dense(top)
        self.pairs = torch.tril_indices(27, 27, -1, device="meta")

    def forward(self, numbers: Tensor, rows: Tensor) -> Tensor:
        x = self.bottom(numbers)
        features = torch.cat([x.unsqueeze(1), self.tables(rows)], dim=1)
        products = torch.bmm(features, features.transpose(1, 2))
        out: Tensor = self.top(torch.cat([x, products[:, self.pairs[0], self.pairs[1]]], dim=1))
        return out


def _dense(sizes: list[int]) -> nn.Module:
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(784, 50), nn.ReLU(), nn.Linear(50, 10), nn.Sigmoid())


def wide_mlp(layers: int) -> nn.Module:
    return nn.Sequential(*(nn.Linear(4096, 4096, bias=False) for _ in range(layers)))


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
