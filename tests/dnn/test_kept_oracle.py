"""What PyTorch keeps and holds, against closed forms worked out by hand for a few small networks.

So the measure itself is held to something before models are held to it.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above

from tests.dnn import networks  # noqa: E402, it needs torch
from tests.dnn.kept import (  # noqa: E402, the same
    faked,
    held,
    itemise,
    kept_bytes,
    kept_bytes_fake,
    peaks,
    watched,
)
from tests.dnn.random_networks import random_network  # noqa: E402, the same
from tests.dnn.reckoned import Reckoning  # noqa: E402, the same

if TYPE_CHECKING:
    from collections.abc import Callable


class Step(NamedTuple):
    """A network and what it trains on."""

    network: nn.Module
    inputs: Tensor
    labels: Tensor

    def loss(self) -> Tensor:
        return networks.cross_entropy(self.network(self.inputs), self.labels)

    def kept(self) -> int:
        return kept_bytes(self.loss, held(self.network))

    @property
    def base(self) -> list[Tensor]:
        return [*held(self.network), self.inputs, self.labels]


def of_images(network: nn.Module, *shape: int, classes: int) -> Step:
    return Step(network, torch.randn(*shape), torch.randint(classes, shape[:1]))


def of_words(network: nn.Module, batch: int, tokens: int, vocabulary: int) -> Step:
    words, labels = torch.randint(vocabulary, (2, batch, tokens)).unbind()
    return Step(network, words.clone(), labels.clone())


def two_layers() -> Step:
    network = nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3))
    return of_images(network, 4, 7, classes=3)


def loss_bytes(rows: int, classes: int) -> int:
    """Of the logarithms of the softmax, the labels, and the sum of the labels' weights."""
    return 4 * rows * classes + 8 * rows + 4


def test_two_layers() -> None:
    step = two_layers()
    rows = 4
    inputs, hidden = 4 * rows * 7, 4 * rows * 5  # of the rectifier and of the second layer: one
    assert step.kept() == inputs + hidden + loss_bytes(rows, 3)


def test_peaks_of_two_layers() -> None:
    """Forward and backward, followed by hand through all their operations."""
    step = two_layers()
    rows = 4
    inputs, hidden, scores = 4 * rows * 7, 4 * rows * 5, 4 * rows * 3
    first, second = 4 * (7 * 5 + 5), 4 * (5 * 3 + 3)
    base = first + second + inputs + 8 * rows
    loss, weight = 4, 4
    got = peaks(step.loss, step.base)
    assert got.base == base
    # The scores are there until the loss is: the caller of the loss holds them.
    assert got.forward == base + hidden + 2 * scores + loss + weight
    assert got.after_forward == base + hidden + scores + loss + weight
    # In backward every tensor is small beside the gradients of the weights of the first layer.
    gradients = first + second
    assert got.end == base + gradients + loss
    # The last operation sums the gradient of the first layer's result for its bias: there are that,
    # the loss with its gradient, and all gradients of weights; nothing is kept any more but what
    # the first layer itself has kept, its input.
    assert got.backward == base + gradients + hidden + 2 * loss


@pytest.mark.parametrize("in_place", [False, True])
def test_convolution_rectifier_pooling(in_place: bool) -> None:
    network = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=in_place),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 3),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(4 * 9, 5),
    )
    step = of_images(network, 2, 3, 16, 16, classes=5)
    image, inside, pooled = 4 * 2 * 3 * 16**2, 4 * 2 * 8 * 16**2, 4 * 2 * 8 * 8**2
    places = 8 * 2 * 8 * 8**2  # of the largest in each window
    statistics = 2 * 4 * 8  # mean and inverse deviation of a channel
    convolved, row = 4 * 2 * 4 * 6**2, 4 * 2 * 36
    norm, rectifier, mask = inside + statistics, inside, row
    first = image + norm + rectifier + places
    assert step.kept() == first + pooled + convolved + mask + row + loss_bytes(2, 5)


def attention_bytes(*, batch: int, tokens: int, h: int, a: int, kv: int, fused: bool) -> int:
    """Of attention, with its input and that of its projection."""
    features = 4 * batch * tokens * h
    shared = features * kv // a
    scores = 4 * batch * a * tokens**2
    if fused:  # one tensor of queries, keys and values, the result, and a sum for each row
        return features + features + 2 * shared + features + 4 * batch * a * tokens
    if batch > 1 or kv != a:  # copies of queries, keys and values, the last two for all heads
        queries = features if batch > 1 else features + 2 * shared
        return features + queries + 2 * features + scores + features
    return features + 3 * features + scores + features


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("kv", [4, 2])
def test_attention(batch: int, causal: bool, fused: bool, kv: int) -> None:
    tokens, h, a = 8, 16, 4
    network = networks.Attention(h, a, kv, causal=causal, fused=fused, places=12)
    x = torch.randn(batch, tokens, h, requires_grad=True)
    got = kept_bytes(lambda: network(x).sum(), held(network))
    assert got == attention_bytes(batch=batch, tokens=tokens, h=h, a=a, kv=kv, fused=fused)


def test_attention_of_one_kernel_in_half_precision() -> None:
    """The sums of the rows stay in single precision."""
    batch, tokens, h, a = 2, 8, 16, 4
    network = networks.Attention(h, a, a, fused=True).to(torch.bfloat16)
    x = torch.randn(batch, tokens, h, requires_grad=True, dtype=torch.bfloat16)
    features = 2 * batch * tokens * h
    assert kept_bytes(lambda: network(x).sum(), held(network)) == 5 * features + (
        4 * batch * a * tokens
    )


def test_cells_of_long_short_term_memory() -> None:
    """A step keeps four gates, the memory and the state before it, and the memory's tangent."""
    batch, steps, inputs, h = 3, 5, 6, 8
    network = networks.WrittenOut(inputs, h)
    x = torch.randn(batch, steps, inputs)
    assert kept_bytes(lambda: network(x).sum(), held(network)) == 4 * batch * steps * (
        inputs + 7 * h
    )


def test_what_is_discarded_is_not_kept() -> None:
    layer = nn.Linear(3, 3)
    x = torch.randn(2, 3)

    def run() -> Tensor:
        layer(x.clone()).tanh()
        result: Tensor = layer(x).sum()
        return result

    assert kept_bytes(run, held(layer)) == 4 * 2 * 3


def test_items_have_shapes_and_names() -> None:
    step = two_layers()
    items = itemise(step.loss, held(step.network))
    assert [(item.shape, item.dtype, item.bytes) for item in items] == [
        ((4, 7), "float32", 112),
        ((4, 5), "float32", 80),
        ((4, 3), "float32", 48),
        ((4,), "int64", 32),
        ((), "float32", 4),
    ]
    assert items[1].by == "AddmmBackward0.mat1, ReluBackward0.result"
    assert str(items[0]).split() == ["112", "B", "float32", "4×7", "AddmmBackward0.mat1"]


STEPS: dict[str, Callable[[], Step]] = {
    "lenet5": lambda: of_images(networks.lenet5(), 2, 1, 32, 32, classes=10),
    "vgg16": lambda: of_images(networks.vgg16(16, 32), 2, 3, 32, 32, classes=1000),
    "resnet": lambda: of_images(networks.resnet((1, 1, 1, 2), 8, 64, 10), 2, 3, 64, 64, classes=10),
    "lstm": lambda: of_words(networks.lstm_language(50, 8, 1), 3, 5, 50),
    "gpt": lambda: of_words(networks.Language(40, 16, 16, 2, 4, causal=True, fused=True), 2, 8, 40),
    "gpt written out": lambda: of_words(networks.Language(40, 16, 16, 2, 4, causal=True), 2, 8, 40),
    "llama": lambda: of_words(
        networks.Language(40, 0, 16, 2, 4, f=24, kv=2, gated=True, causal=True, fused=True),
        2,
        8,
        40,
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_tensors_without_memory_give_the_same(name: str) -> None:
    step = STEPS[name]()
    kept, live = step.kept(), peaks(step.loss, step.base)

    def build() -> tuple[Callable[[], Tensor], list[Tensor]]:
        made = STEPS[name]()
        return made.loss, held(made.network)

    assert kept_bytes_fake(build) == kept
    with faked():
        made = STEPS[name]()
        assert peaks(made.loss, made.base) == live


@pytest.mark.parametrize("name", STEPS)
def test_what_is_live_is_the_base_and_what_is_kept(name: str) -> None:
    """After forward, beside the base: what is kept and not in it, and the loss."""
    step = STEPS[name]()
    step.loss().backward()
    gradients = {w.grad.untyped_storage() for w in step.network.parameters() if w.grad is not None}
    step.network.zero_grad()
    kept = kept_bytes(step.loss, step.base)
    got, _, peak = watched(step.loss, step.base, list_live=True)
    assert got.after_forward == got.base + kept + 4
    assert got.end == got.base + sum(gradient.nbytes() for gradient in gradients) + 4
    assert sum(live.bytes for live in peak.live) == peak.bytes == got.backward


def allocated(run: Callable[[], Tensor | None]) -> tuple[int, int, Tensor | None]:
    """Return the bytes that PyTorch's allocator gave out in a run, at most and at its end."""
    cpu = torch.profiler.ProfilerActivity.CPU
    with torch.profiler.profile(activities=[cpu], profile_memory=True) as profile:
        result = run()
    events = profile.profiler.kineto_results.events()
    memory = sorted((e for e in events if e.name() == "[memory]"), key=lambda e: e.start_ns())
    sums = list(accumulate((event.nbytes() for event in memory), initial=0))
    return max(sums), sums[-1], result


@pytest.mark.filterwarnings("ignore")  # of the profiler, on what it will not find here
@pytest.mark.parametrize("name", ["two layers", "lstm", "gpt", "llama"])
def test_the_allocator_says_the_same(name: str) -> None:
    """Unwatched, where kernels need no memory of their own: convolutions do."""
    step = two_layers() if name == "two layers" else STEPS[name]()
    got = peaks(step.loss, step.base)
    step.network.zero_grad()
    forward, after, loss = allocated(step.loss)
    assert loss is not None
    backward, end, _ = allocated(loss.backward)
    most = (forward, after, after + backward, after + end)
    assert tuple(got.base + size for size in most) == got[1:]


@pytest.mark.parametrize("seed", range(40))
def test_random_networks(seed: int) -> None:
    """They are the same for the same seed; what is measured is what rules say, to the byte."""
    network = random_network(seed)
    assert network.layers == random_network(seed).layers
    step = of_images(network.module, *network.input, classes=network.classes)
    assert network.module(step.inputs).shape == (network.input[0], network.classes)
    bytes_held = sum(tensor.nbytes for tensor in held(network.module))
    reckoning = Reckoning(network, bytes_held)
    assert step.kept() == reckoning.kept()
    assert peaks(step.loss, step.base) == reckoning.peaks()
