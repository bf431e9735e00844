"""Networks of PyTorch to import, written for these tests."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402, N812 after the check above
from torch import Tensor, nn  # noqa: E402, the same


class Residual(nn.Module):
    """Two convolutions with a way around them."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.around = nn.Conv2d(before, after, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        inside = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(inside + self.around(x))


class Images(nn.Module):
    """A network of images: windows that overlap, of two sizes; a head of 10 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 7, 2, 3)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.blocks = nn.Sequential(Residual(16, 16, 1), Residual(16, 32, 2))
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(self.pool(F.relu(self.stem(x))))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class OddConvolutions(nn.Module):
    """Convolutions that the layers of one step and one padding cannot say."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(4, 12, (3, 5), (1, 2), (0, 2), groups=4)
        self.depth = nn.Conv2d(12, 12, 3, padding="same", groups=12)
        self.far = nn.Conv2d(12, 8, 3, dilation=(2, 1))
        self.up = nn.ConvTranspose2d(8, 6, 4, 2, 1, groups=2)
        self.up_odd = nn.ConvTranspose2d(6, 4, (2, 3), (2, 1))
        self.line = nn.Conv1d(4, 4, 5, 2, 2)
        self.line_up = nn.ConvTranspose1d(4, 2, 3, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.up_odd(self.up(self.far(self.depth(self.first(x)))))
        return self.line_up(self.line(x.flatten(2)))


class Films(nn.Module):
    """Convolutions in three dimensions."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv3d(2, 4, 3, padding=1)
        self.second = nn.Conv3d(4, 4, (1, 3, 3), (1, 2, 2), (0, 1, 1), groups=2)
        self.third = nn.Conv3d(4, 3, (3, 1, 2), bias=False)
        self.pool = nn.AvgPool3d(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.pool(self.third(F.elu(self.second(self.first(x))))).mean((2, 3, 4))


class Words(nn.Module):
    """Two layers of long short-term memory, both ways, over words."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, 12)
        self.lstm = nn.LSTM(12, 8, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(16, 8, batch_first=True)
        self.head = nn.Linear(8, 50)

    def forward(self, words: Tensor) -> Tensor:
        found, _ = self.lstm(self.table(words))
        return self.head(self.gru(found)[0])


class Encoder(nn.Module):
    """A block of an encoder, attention in one operator, and PyTorch's own after it."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)
        self.other = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0)

    def forward(self, x: Tensor) -> Tensor:
        batch, words, _ = x.shape
        q, k, v = self.qkv(self.norm(x)).view(batch, words, 3, 4, 8).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v)
        return self.other(x + self.out(seen.transpose(1, 2).reshape(batch, words, 32)))


class LlamaBlock(nn.Module):
    """Grouped queries that are turned by their place, a gate, and norms without a mean."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.norm2 = nn.RMSNorm(32), nn.RMSNorm(32)
        self.q = nn.Linear(32, 32, bias=False)
        self.k, self.v = nn.Linear(32, 16, bias=False), nn.Linear(32, 16, bias=False)
        self.out = nn.Linear(32, 32, bias=False)
        self.gate, self.up = nn.Linear(32, 88, bias=False), nn.Linear(32, 88, bias=False)
        self.down = nn.Linear(88, 32, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, words, _ = x.shape
        y = self.norm(x)
        q = turned(self.q(y).view(batch, words, 4, 8).transpose(1, 2))
        k = turned(self.k(y).view(batch, words, 2, 8).transpose(1, 2))
        v = self.v(y).view(batch, words, 2, 8).transpose(1, 2)
        k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, words, 32))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def turned(x: Tensor) -> Tensor:
    places = torch.arange(x.shape[2], device=x.device)
    angles = places[:, None] * torch.exp(-torch.arange(4, device=x.device))
    angles = torch.cat([angles, angles], -1)
    first, second = x.chunk(2, -1)
    return x * angles.cos() + torch.cat([-second, first], -1) * angles.sin()


class Llama(nn.Module):
    """Two such blocks; the table of the words is that of the scores."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 32)
        self.blocks = nn.ModuleList([LlamaBlock(), LlamaBlock()])
        self.norm = nn.RMSNorm(32)
        self.scores = nn.Linear(32, 100, bias=False)
        self.scores.weight = self.table.weight

    def forward(self, words: Tensor) -> Tensor:
        x = self.table(words)
        for block in self.blocks:
            x = block(x)
        return self.scores(self.norm(x))


class Shared(nn.Module):
    """Layers that run more than once, and weights that no layer reads."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(16, 16)
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.LayerNorm(16)
        self.scale = nn.Parameter(torch.ones(16))
        self.unread = nn.Parameter(torch.ones(7, 3))
        self.experts = nn.Parameter(torch.ones(3, 16, 5))

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(self.linear(self.norm(self.linear(x)))) * self.scale
        image = x.reshape(x.shape[0], 4, 2, 2)
        x = self.conv(F.relu(self.conv(image))).flatten(1) * self.scale
        x = x + F.linear(x, self.linear.weight)
        return torch.bmm(x.expand(3, -1, -1), self.experts)


class Products(nn.Module):
    """Products of tensors in all forms that the counter sees: one with a vector is none."""

    def __init__(self) -> None:
        super().__init__()
        self.right = nn.Parameter(torch.ones(6, 1))
        self.left = nn.Parameter(torch.ones(3, 5))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        scores = torch.einsum("bhid,bhjd->bhij", x, y)
        seen = torch.softmax(scores / 6**0.5, -1) @ y
        more = torch.baddbmm(seen[:, 0], scores[:, 0], y[:, 0])
        return self.left @ (more + (seen @ self.right)[:, 0])


class Upwards(nn.Module):
    """Images made smaller and larger again, put together with those before."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.down, self.up = nn.Conv2d(8, 16, 3, 2, 1), nn.Conv2d(24, 8, 3, padding=1)
        self.groups, self.each = nn.GroupNorm(4, 8), nn.InstanceNorm2d(16)

    def forward(self, x: Tensor) -> Tensor:
        fine = F.silu(self.groups(self.first(x)))
        coarse = F.leaky_relu(self.each(self.down(fine)))
        coarse = F.interpolate(coarse, scale_factor=2, mode="bilinear")
        near = F.interpolate(F.max_pool2d(fine, 2), scale_factor=2)
        return self.up(torch.cat([near + fine, coarse], 1))


class Vision(nn.Module):
    """Patches and a token of the class, in PyTorch's own encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, 8)
        self.token, self.places = (
            nn.Parameter(torch.ones(1, 1, 32)),
            nn.Parameter(torch.ones(17, 32)),
        )
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.encoder(x)[:, 0])


class Experts(nn.Module):
    """Experts that all see all, weighted by those that are chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(16, 4, bias=False)
        self.experts = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = torch.topk(F.softmax(self.router(x), -1), 2)
        result = torch.zeros_like(x)
        for place, expert in enumerate(self.experts):
            result = result + expert(x) * (weights * (chosen == place)).sum(-1, keepdim=True)
        return result


class ThreeProjections(nn.Module):
    """Queries, keys and values that are tensors of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8, bias=False) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (each(x)[:, None] for each in (self.q, self.k, self.v))
        return F.scaled_dot_product_attention(q, k, v)


class NarrowValues(nn.Module):
    """Attention to other tokens, with values of fewer features than the queries."""

    def forward(self, x: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(x[:, :, :5], x, x[..., :8])


class Fixed(nn.Module):
    """Its shapes are those of one batch alone."""

    def forward(self, x: Tensor) -> Tensor:
        return x.reshape(3, 4) @ x.reshape(4, 3)


class Sorted(nn.Module):
    """An operator between two layers that no layer of the library is."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(torch.sort(self.linear(x)).values)


class Branching(nn.Module):
    """What it does hangs on what its input holds."""

    def forward(self, x: Tensor) -> Tensor:
        return x if x.sum() > 0 else x.exp()
