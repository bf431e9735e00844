"""Encoders, encoder-decoders and diffusion transformers in PyTorch, typed from the papers.

They are small in tests, and what a network of a family may have is an option. Attention is as in
`networks`: fused in one kernel, or with its scores written out.
"""

from __future__ import annotations

import math
from functools import partial

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above
from torch.nn import functional  # noqa: E402, the same

from tests.dnn.networks import Attention, Block  # noqa: E402, it needs torch


class Encoder(nn.Module):
    """BERT with what its tasks put on it; returns a tensor of scores of each kind, words last."""

    def __init__(
        self,
        vocabulary: int,
        places: int,
        h: int,
        blocks: int,
        a: int,
        f: int,
        *,
        segments: int = 2,
        pooled: bool = True,
        classes: int = 0,
        language_head: bool = False,
        tied: bool = True,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, h), nn.Embedding(places, h)
        self.segments = nn.Embedding(segments, h) if segments else None
        self.norm = nn.LayerNorm(h)
        made = [Block(h, a, f, a, gated=False, post=True, fused=fused) for _ in range(blocks)]
        self.blocks = nn.Sequential(*made)
        self.pooler = nn.Linear(h, h) if pooled else None
        self.classifier = nn.Linear(h, classes) if classes else None
        self.head = None
        if language_head:
            scores = nn.Linear(h, vocabulary)
            if tied:
                scores.weight = self.words.weight
            self.head = nn.Sequential(nn.Linear(h, h), nn.GELU(), nn.LayerNorm(h), scores)

    def forward(self, tokens: Tensor) -> list[Tensor]:
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        if self.segments is not None:
            x = x + self.segments(torch.zeros_like(tokens))
        x = features = self.blocks(self.norm(x))
        if self.pooler is not None:
            features = self.pooler(x[:, 0]).tanh()
        made = [features if self.classifier is None else self.classifier(features)]
        return made if self.head is None else [*made, self.head(x)]


class Vision(nn.Module):
    """A vision transformer: scores of the first token or of the mean, or these features alone."""

    def __init__(
        self,
        image: tuple[int, int],
        patch: int,
        h: int,
        blocks: int,
        a: int,
        f: int,
        *,
        channels: int = 3,
        class_token: bool = True,
        averaged: bool = False,
        qkv_bias: bool = True,
        pooled: bool = False,
        classes: int = 1000,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.patches = nn.Conv2d(channels, h, patch, patch)
        count = (image[0] // patch) * (image[1] // patch)
        self.token = nn.Parameter(torch.zeros(1, 1, h)) if class_token else None
        self.places = nn.Parameter(torch.zeros(1, count + class_token, h))
        made = [Block(h, a, f, a, gated=False, fused=fused) for _ in range(blocks)]
        for block in made:
            block.attention.qkv = nn.Linear(h, 3 * h, bias=qkv_bias)
        self.blocks, self.norm, self.averaged = nn.Sequential(*made), nn.LayerNorm(h), averaged
        self.pooler = nn.Linear(h, h) if pooled else None
        self.classifier = nn.Linear(h, classes) if classes else None

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        if self.token is not None:
            x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1)
        x = self.norm(self.blocks(x + self.places))
        x = x.mean(dim=1) if self.averaged else x[:, 0]
        if self.pooler is not None:
            x = self.pooler(x).tanh()
        return x if self.classifier is None else self.classifier(x)


class _Scored(nn.Module):
    """Attention with a number for each head and pair, no biases, a normalisation before, a sum.

    Queries are of the first input, keys and values of the second or of the same.
    """

    hidden: Tensor

    def __init__(self, h: int, a: int, d: int, *, causal: bool, places: int) -> None:
        super().__init__()
        self.a, self.d, self.causal = a, d, causal
        self.norm = nn.RMSNorm(h)
        self.queries = nn.Linear(h, a * d, bias=False)
        self.keys, self.values = (nn.Linear(h, a * d, bias=False) for _ in range(2))
        self.out = nn.Linear(a * d, h, bias=False)
        hidden = torch.ones(places, places, dtype=torch.bool).triu(1)
        self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, x: Tensor, bias: Tensor | None, other: Tensor | None = None) -> Tensor:
        normed = self.norm(x)
        source = normed if other is None else other
        parts = self.queries(normed), self.keys(source), self.values(source)
        q, k, v = (part.unflatten(-1, (self.a, self.d)).transpose(1, 2) for part in parts)
        scores = q @ k.transpose(-1, -2)
        if bias is not None:
            scores = scores + bias
        if self.causal:
            tokens = q.shape[2]
            scores = scores.masked_fill(self.hidden[:tokens, :tokens], float("-inf"))
        result = (functional.softmax(scores, dim=-1) @ v).transpose(1, 2).flatten(2)
        return x + self.out(result)


class _Products(nn.Module):
    """Two products with a rectifier between, or three with a gate; normalised before, and a sum."""

    def __init__(self, h: int, f: int, *, gated: bool) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(h)
        self.up, self.down = nn.Linear(h, f, bias=False), nn.Linear(f, h, bias=False)
        self.gate = nn.Linear(h, f, bias=False) if gated else None

    def forward(self, x: Tensor) -> Tensor:
        normed = self.norm(x)
        if self.gate is None:
            inside = functional.relu(self.up(normed))
        else:
            inside = functional.gelu(self.gate(normed)) * self.up(normed)
        return x + self.down(inside)


class _Stack(nn.Module):
    """The blocks of an encoder or a decoder of T5, the table of their distances, the last norm."""

    def __init__(
        self,
        h: int,
        layers: int,
        a: int,
        d: int,
        f: int,
        *,
        gated: bool,
        buckets: int,
        decoder: bool,
        causal: bool,
        places: int,
    ) -> None:
        super().__init__()
        own = partial(_Scored, h, a, d, causal=causal, places=places)
        cross = partial(_Scored, h, a, d, causal=False, places=1)
        self.own = nn.ModuleList([own() for _ in range(layers)])
        self.cross = nn.ModuleList([cross() for _ in range(layers * decoder)])
        self.products = nn.ModuleList([_Products(h, f, gated=gated) for _ in range(layers)])
        self.distances, self.norm = nn.Embedding(buckets, a), nn.RMSNorm(h)

    def forward(self, x: Tensor, encoded: Tensor | None = None) -> Tensor:
        at = torch.arange(x.shape[1], device=x.device)
        buckets = (at[None] - at[:, None]).clamp(0, self.distances.num_embeddings - 1)
        bias = self.distances(buckets).permute(2, 0, 1).unsqueeze(0)
        for place, (own, products) in enumerate(zip(self.own, self.products, strict=True)):
            x = own(x, bias)
            if encoded is not None:
                x = self.cross[place](x, None, encoded)
            x = products(x)
        out: Tensor = self.norm(x)
        return out


class Translation(nn.Module):
    """T5: an encoder, a decoder, scores of words; or parts of it. Distances are not in real
    buckets, which changes which rows of a table are read, but not how many."""

    def __init__(
        self,
        vocabulary: int,
        h: int,
        layers: int,
        a: int,
        d: int,
        f: int,
        *,
        decoder: bool = True,
        decoder_layers: int = 0,
        gated: bool = False,
        buckets: int = 32,
        language_head: bool = True,
        tied: bool = True,
        causal: bool = True,
        places: int = 64,
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, h)
        stack = partial(_Stack, a=a, d=d, f=f, gated=gated, buckets=buckets, places=places)
        self.encoder = stack(h, layers, decoder=False, causal=False)
        self.decoder = self.scores = None
        if decoder:
            self.decoder = stack(h, decoder_layers or layers, decoder=True, causal=causal)
        if decoder and language_head:
            self.scores = nn.Linear(h, vocabulary, bias=False)
            if tied:
                self.scores.weight = self.words.weight

    def forward(self, tokens: Tensor, written: Tensor) -> Tensor:
        x = self.encoder(self.words(tokens))
        if self.decoder is not None:
            x = self.decoder(self.words(written), x)
        return x if self.scores is None else self.scores(x)


class _Modulated(nn.Module):
    """A block of a diffusion transformer, with adaLN-Zero."""

    def __init__(self, h: int, a: int, f: int, *, fused: bool) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(h, elementwise_affine=False) for _ in range(2)])
        self.attention = Attention(h, a, a, fused=fused)
        self.products = nn.Sequential(nn.Linear(h, f), nn.GELU("tanh"), nn.Linear(f, h))
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(h, 6 * h))

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        made = self.modulation(condition).chunk(6, dim=1)
        shift, scale, gate, shift_2, scale_2, gate_2 = (part.unsqueeze(1) for part in made)
        x = x + gate * self.attention(self.norms[0](x) * (1 + scale) + shift)
        return x + gate_2 * self.products(self.norms[1](x) * (1 + scale_2) + shift_2)


class Diffusion(nn.Module):
    """A diffusion transformer: the noise in latent images, and a variance."""

    places: Tensor

    def __init__(
        self,
        image: int,
        patch: int,
        h: int,
        blocks: int,
        a: int,
        f: int,
        *,
        channels: int = 4,
        classes: int = 1000,
        frequencies: int = 256,
        variance: bool = True,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.patch, self.channels = patch, channels
        self.out = 2 * channels if variance else channels
        self.patches = nn.Conv2d(channels, h, patch, patch)
        self.register_buffer("places", torch.zeros(1, (image // patch) ** 2, h))
        self.time = nn.Sequential(nn.Linear(frequencies, h), nn.SiLU(), nn.Linear(h, h))
        self.frequencies, self.classes = frequencies, nn.Embedding(classes + 1, h)
        self.blocks = nn.ModuleList([_Modulated(h, a, f, fused=fused) for _ in range(blocks)])
        self.norm = nn.LayerNorm(h, elementwise_affine=False)
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(h, 2 * h))
        self.output = nn.Linear(h, patch**2 * self.out)

    def forward(self, latents: Tensor, times: Tensor, labels: Tensor) -> Tensor:
        x = self.patches(latents).flatten(2).transpose(1, 2) + self.places
        speeds = torch.arange(self.frequencies // 2, device=x.device) / self.frequencies
        angles = times[:, None] * torch.exp(-math.log(10_000) * speeds)
        condition = self.time(torch.cat([angles.cos(), angles.sin()], dim=-1))
        condition = condition + self.classes(labels)
        for block in self.blocks:
            x = block(x, condition)
        shift, scale = self.modulation(condition).chunk(2, dim=1)
        x = self.output(self.norm(x) * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1))
        return self.whole(x)

    def whole(self, x: Tensor) -> Tensor:
        """Return images of what their patches have become."""
        side = math.isqrt(x.shape[1])
        x = x.reshape(len(x), side, side, self.patch, self.patch, self.out)
        x = torch.einsum("nhwpqc->nchpwq", x)
        return x.reshape(len(x), self.out, side * self.patch, side * self.patch)
