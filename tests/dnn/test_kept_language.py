"""What the library says training keeps and has at once, against PyTorch: networks of language.

Bytes that are kept must be equal. Where PyTorch has a choice, the library has a parameter for it.
Networks that are large are measured without memory, with the sizes they have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

import roofdsl as rd

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above
from torch.nn import functional  # noqa: E402, the same

from tests.dnn import networks  # noqa: E402, it needs torch
from tests.dnn.kept import faked, held, kept_bytes, peaks  # noqa: E402, the same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KARST = rd.load_machine("karst")

BLOCK = """
model training {{
    step forward = {name}({values})
    step backward = {name}_backward({values})
    keep forward to backward
}}
"""

GATED = """
model forward {
    param batch: integer
    param seq: integer
    step words = embedding(B = batch*seq, V = 1000, d = 256)
    repeat 4 {
        step block = gated_block(B = batch, s = seq, h = 256, a = 8, f = 688, kv = 2,
            fused = true, composed = true)
    }
    step norm = rms_norm(M = batch*seq, h = 256, composed = true)
    step logits = logits(M = batch*seq, h = 256, V = 1000)
}

model gradients {
    param batch: integer
    param seq: integer
    step loss = cross_entropy_backward(M = batch*seq, V = 1000)
    step logits = linear_backward(M = batch*seq, I = 256, O = 1000, bias = false)
    step norm = rms_norm_backward(M = batch*seq, h = 256)
    repeat 4 {
        step block = gated_block_backward(B = batch, s = seq, h = 256, a = 8, f = 688, kv = 2,
            fused = true)
    }
    step words = embedding_backward(B = batch*seq, V = 1000, d = 256, dense = true)
}

model training {
    param batch: integer
    param seq: integer
    step forward = forward(batch = batch, seq = seq)
    step loss = cross_entropy(M = batch*seq, V = 1000)
    step backward = gradients(batch = batch, seq = seq)
    keep forward to backward
    keep loss to backward.loss
}
"""

SCORED_BY_PRODUCTS = """
model forward {
    param batch: integer
    in numbers
    in rows
    step bottom1 = linear(M = batch, I = 13, O = 512) from numbers
    step bottom1_relu = relu(E = batch*512)
    step bottom2 = linear(M = batch, I = 512, O = 16)
    step bottom2_relu = relu(E = batch*16)
    step tables = embedding(B = 26*batch, V = 2000, d = 16) from rows
    step interaction = dot_interaction(B = batch, F = 27, d = 16) from bottom2_relu, tables
    step top1 = linear(M = batch, I = 367, O = 512)
    step top1_relu = relu(E = batch*512)
    step top2 = linear(M = batch, I = 512, O = 1)
    step top2_sigmoid = sigmoid(E = batch)
}

model gradients {
    param batch: integer
    param dense = false
    step loss = binary_cross_entropy_backward(E = batch)
    step top2_sigmoid = sigmoid_backward(E = batch)
    step top2 = linear_backward(M = batch, I = 512, O = 1)
    step top1_relu = relu_backward(E = batch*512)
    step top1 = linear_backward(M = batch, I = 367, O = 512)
    step interaction = dot_interaction_backward(B = batch, F = 27, d = 16)
    step tables = embedding_backward(B = 26*batch, V = 2000, d = 16, dense = dense)
    step bottom2_relu = relu_backward(E = batch*16) from interaction
    step bottom2 = linear_backward(M = batch, I = 512, O = 16)
    step bottom1_relu = relu_backward(E = batch*512)
    step bottom1 = linear_weight_gradient(M = batch, I = 13, O = 512)
}

model training {
    param batch: integer
    param dense = false
    step forward = forward(batch = batch)
    step loss = binary_cross_entropy(E = batch)
    step backward = gradients(batch = batch, dense = dense)
    keep forward to backward
    keep loss to backward.loss
}
"""


def tallies(model: rd.Model, **values: float | str | bool) -> Mapping[str, float]:
    return model.on(KARST).evaluate(**values).tallies


def library(name: str, **values: float | str | bool) -> Mapping[str, float]:
    return tallies(rd.load_model(name), **values)


def composed(text: str, **values: float | str | bool) -> Mapping[str, float]:
    return tallies(rd.loads(text).models["training"], **values)


def block(name: str, **values: int | bool) -> float:
    """Return the bytes that a block of the library keeps for its gradients."""
    given = ", ".join(f"{name} = {str(value).lower()}" for name, value in values.items())
    text = BLOCK.format(name=name, values=given)
    return composed(text)["activations"]


def words(batch: int, tokens: int) -> Tensor:
    return torch.zeros(batch, tokens, dtype=torch.long)


class Step(NamedTuple):
    """A step of training: a network, what it reads, and what is wanted of it."""

    network: nn.Module
    inputs: tuple[Tensor, ...]
    wanted: Tensor
    loss: Callable[[Tensor, Tensor], Tensor] = networks.cross_entropy

    def run(self) -> Tensor:
        return self.loss(self.network(*self.inputs), self.wanted)

    def kept(self) -> int:
        return kept_bytes(self.run, held(self.network))

    def peak(self) -> int:
        found = peaks(self.run, [*held(self.network), *self.inputs, self.wanted])
        return max(found.forward, found.backward)


def at_most(answer: Mapping[str, float]) -> float:
    """Return the most that the library says there is at once, without an optimiser's state."""
    return answer["peak_memory"] - answer.get("optimiser", 0)


def gpt(batch: int, tokens: int, h: int = 768, blocks: int = 12, *, fused: bool = True) -> Step:
    places = 1024 if h == 768 else 2048
    network = networks.Language(50257, places, h, blocks, blocks, causal=True, fused=fused)
    return Step(network, (words(batch, tokens),), words(batch, tokens))


def recommendation(
    rows: int, bottom: list[int], top: list[int], batch: int, *, sparse: bool = True
) -> Step:
    network = networks.Recommendation(rows, bottom, top, sparse=sparse)
    inputs = torch.zeros(batch, 13), torch.zeros(batch, 26, dtype=torch.long)
    return Step(network, inputs, torch.zeros(batch, 1), functional.binary_cross_entropy)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("post", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_block(batch: int, fused: bool, post: bool, causal: bool) -> None:
    x = torch.zeros(batch, 10, 24, requires_grad=True)
    network = networks.Block(
        24, 3, 56, 3, gated=False, post=post, causal=causal, fused=fused, places=10
    )
    name = "transformer_block_post" if post else "transformer_block"
    ours = block(name, B=batch, s=10, h=24, a=3, f=56, causal=causal, fused=fused)
    assert ours == kept_bytes(lambda: network(x).sum(), held(network))


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("kv", [1, 2, 4])
def test_gated_block_whose_heads_share_keys(batch: int, fused: bool, kv: int) -> None:
    x = torch.zeros(batch, 10, 32, requires_grad=True)
    network = networks.Block(32, 4, 88, kv, gated=True, causal=True, fused=fused, places=10)
    ours = block("gated_block", B=batch, s=10, h=32, a=4, kv=kv, f=88, fused=fused)
    scaled = 2 * 4 * batch * 10 * 32  # on a CPU a normalisation is several kernels
    assert ours + scaled == kept_bytes(lambda: network(x).sum(), held(network))


class Crossed(nn.Module):
    """Attention of the tokens of one input to those of another, normalised before."""

    def __init__(self, h: int, a: int, *, fused: bool) -> None:
        super().__init__()
        self.a, self.d, self.fused = a, h // a, fused
        self.norm = nn.LayerNorm(h)
        self.queries, self.keys_values = nn.Linear(h, h), nn.Linear(h, 2 * h)
        self.projection = nn.Linear(h, h)
        self.attention = networks.Attention(h, a, a, fused=fused)

    def forward(self, x: Tensor, other: Tensor) -> Tensor:
        read = self.queries(self.norm(x)), *self.keys_values(other).chunk(2, dim=-1)
        q, k, v = (part.unflatten(-1, (self.a, self.d)).transpose(1, 2) for part in read)
        core = self.attention.in_one_kernel if self.fused else self.attention.written_out
        out: Tensor = x + self.projection(core(q, k, v).transpose(1, 2).reshape(x.shape))
        return out


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("fused", [False, True])
def test_cross_attention(batch: int, fused: bool) -> None:
    x = torch.zeros(batch, 10, 24, requires_grad=True)
    other = torch.zeros(batch, 14, 24, requires_grad=True)
    network = Crossed(24, 3, fused=fused)
    ours = block("cross_attention_block", B=batch, s=10, t=14, h=24, a=3, fused=fused)
    assert ours == kept_bytes(lambda: network(x, other).sum(), held(network))


def test_batched_product() -> None:
    left, right = (torch.zeros(shape, requires_grad=True) for shape in ((3, 2, 5), (3, 5, 7)))
    ours = block("batched_product", B=3, m=2, k=5, n=7)
    assert ours == kept_bytes(lambda: torch.bmm(left, right).sum())


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize(("batch", "tokens"), [(1, 64), (2, 33)])
def test_gpt2(batch: int, tokens: int, fused: bool) -> None:
    ours = library("gpt2_training", batch=batch, seq=tokens, fused=fused, dtype="fp32")
    with faked():
        assert ours["activations"] == gpt(batch, tokens, fused=fused).kept()


@pytest.mark.parametrize("fused", [False, True])
def test_bert(fused: bool) -> None:
    ours = library("bert_base_training", batch=3, seq=20, fused=fused)
    with faked():
        network = networks.Bert(fused=fused)
        tokens = words(3, 20)
        assert ours["activations"] == kept_bytes(lambda: network(tokens).sum(), held(network))


def test_lstm() -> None:
    """On a CPU a mask of dropout has the bytes of what it is put on."""
    ours = library("lstm_lm_training", batch=3, seq=7, mask=4)
    step = Step(networks.lstm_language(), (words(3, 7),), words(3, 7))
    assert ours["activations"] == step.kept()
    assert at_most(ours) == pytest.approx(step.peak(), rel=0.01)


@pytest.mark.parametrize(
    ("name", "rows", "bottom", "top"),
    [
        ("dlrm_kaggle", 33_762_577, [13, 512, 256, 64, 16], [367, 512, 256, 1]),
        ("dlrm_mlperf", 187_767_399, [13, 512, 256, 128], [479, 1024, 1024, 512, 256, 1]),
    ],
)
def test_dlrm(name: str, rows: int, bottom: list[int], top: list[int]) -> None:
    ours = library(f"{name}_training", batch=128)
    with faked():
        assert ours["activations"] == recommendation(rows, bottom, top, 128).kept()


def test_gpt3() -> None:
    ours = library("gpt3_training", batch=1, seq=20, dtype="fp32")
    with faked():
        assert ours["activations"] == gpt(1, 20, 12288, 96).kept()


def test_llama2_70b() -> None:
    ours = library("llama2_70b_training", batch=2, seq=20, dtype="fp32")
    scaled = (2 * 80 + 1) * 4 * 2 * 20 * 8192
    with faked():
        network = networks.Language(
            32000, 0, 8192, 80, 64, f=28672, kv=8, gated=True, causal=True, fused=True
        )
        assert ours["activations"] + scaled == Step(network, (words(2, 20),), words(2, 20)).kept()


@pytest.mark.parametrize(
    ("batch", "tokens"),
    [
        (1, 64),  # at most when gradients of the table of words meet, at the end of backward
        (4, 256),  # at the loss
    ],
)
def test_peak_of_gpt2(batch: int, tokens: int) -> None:
    ours = library("gpt2_training", batch=batch, seq=tokens, dtype="fp32")
    with faked():
        assert at_most(ours) == pytest.approx(gpt(batch, tokens).peak(), rel=0.001)


def test_peak_of_gpt2_with_scores_written_out() -> None:
    """PyTorch holds a mask for each block, which the library does not have."""
    ours = library("gpt2_training", batch=2, seq=128, fused=False, dtype="fp32")
    with faked():
        theirs = gpt(2, 128, fused=False).peak() - 12 * 1024**2
    assert at_most(ours) == pytest.approx(theirs, rel=0.002)


@pytest.mark.parametrize(("batch", "tokens"), [(1, 16), (2, 64), (8, 128)])
def test_peak_of_gated_blocks(batch: int, tokens: int) -> None:
    ours = composed(GATED, batch=batch, seq=tokens)
    with faked():
        network = networks.Language(
            1000, 0, 256, 4, 8, f=688, kv=2, gated=True, causal=True, fused=True
        )
        step = Step(network, (words(batch, tokens),), words(batch, tokens))
        assert ours["activations"] == step.kept()
        assert at_most(ours) == pytest.approx(step.peak(), rel=0.01)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("batch", [16, 128, 1024])
def test_peak_of_dlrm(batch: int, sparse: bool) -> None:
    ours = composed(SCORED_BY_PRODUCTS, batch=batch, dense=not sparse)
    step = recommendation(2000, [13, 512, 16], [367, 512, 1], batch, sparse=sparse)
    assert ours["activations"] == step.kept()
    assert at_most(ours) == pytest.approx(step.peak(), rel=0.01)
