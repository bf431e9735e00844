"""Layers and networks against PyTorch's flop counter, on the meta device: nothing is computed.

That counter sees products and convolutions alone, two flop a multiply-add: twice the tally
`multiply_adds`. It ignores biases, activations, norms, pooling, softmax and embeddings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import roofdsl as rd

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402, after the check above

from tests.dnn import networks  # noqa: E402, it needs torch

if TYPE_CHECKING:
    from torch import Tensor, nn

KARST = rd.load_machine("karst")


def counted(network: Callable[..., Tensor], *inputs: Tensor) -> tuple[int, int]:
    """Return the flops of forward and of forward and backward."""
    with FlopCounterMode(display=False) as forward:
        outputs = network(*inputs)
    with FlopCounterMode(display=False) as backward:
        outputs.sum().backward()
    first = forward.get_total_flops()
    return first, first + backward.get_total_flops()


def ours(model: str, **values: float | str | bool) -> float:
    return 2 * rd.load_model(model).on(KARST).evaluate(**values).tallies["multiply_adds"]


def parameters(model: str, **values: float | str | bool) -> float:
    return rd.load_model(model).on(KARST).evaluate(**values).tallies["parameters"]


def size(network: nn.Module) -> int:
    return sum(weights.numel() for weights in network.parameters())


def meta(*shape: int, gradient: bool = False) -> Tensor:
    return torch.empty(*shape, device="meta", requires_grad=gradient)


@pytest.mark.parametrize(("M", "I", "O"), [(128, 784, 50), (1, 7, 3), (2048, 768, 3072)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear(M: int, I: int, O: int, bias: bool) -> None:  # noqa: E741, the library's names
    layer = torch.nn.Linear(I, O, bias=bias, device="meta")
    forward, both = counted(layer, meta(M, I, gradient=True))
    values = {"M": M, "I": I, "O": O, "bias": bias}
    assert ours("linear", **values) == forward
    assert ours("linear_training", **values) == both
    assert ours("linear_weight_gradient", **values) == counted(layer, meta(M, I))[1] - forward
    assert parameters("linear", **values) == size(layer)


SHAPES = [
    {"B": 2, "Ci": 3, "H": 224, "Co": 64, "K": 7, "stride": 2, "padding": 3},
    {"B": 1, "Ci": 8, "H": 9, "W": 13, "Co": 6, "K": 3, "L": 2, "stride": 2},
    {"B": 3, "Ci": 4, "H": 17, "Co": 5, "K": 3, "dilation": 3, "padding": 1},
    {"B": 2, "Ci": 12, "H": 8, "Co": 18, "K": 3, "padding": 1, "groups": 6},
    {"B": 2, "Ci": 16, "H": 8, "Co": 16, "K": 3, "padding": 1, "groups": 16},
    {"B": 2, "Ci": 16, "H": 8, "Co": 32, "K": 1},
]


@pytest.mark.parametrize("shape", SHAPES)
def test_conv2d(shape: dict[str, int]) -> None:
    kernel = (shape["K"], shape.get("L", shape["K"]))
    groups = shape.get("groups", 1)
    layer = torch.nn.Conv2d(
        shape["Ci"],
        shape["Co"],
        kernel,
        stride=shape.get("stride", 1),
        padding=shape.get("padding", 0),
        dilation=shape.get("dilation", 1),
        groups=groups,
        device="meta",
    )
    image = (shape["B"], shape["Ci"], shape["H"], shape.get("W", shape["H"]))
    forward, both = counted(layer, meta(*image, gradient=True))
    _, with_weights = counted(layer, meta(*image))
    weights = with_weights - forward
    assert ours("conv2d", **shape) == forward
    assert ours("conv2d_input_gradient", **shape) == both - with_weights
    # PyTorch counts the weight gradient of a grouped convolution as if it had one group.
    assert ours("conv2d_weight_gradient", **shape) * groups == weights
    assert parameters("conv2d", **shape) == size(layer)


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize("groups", [1, 3])
def test_convolutions_in_other_dimensions(dimensions: int, groups: int) -> None:
    kind = {1: torch.nn.Conv1d, 3: torch.nn.Conv3d}[dimensions]
    values = {"B": 2, "Ci": 6, "Co": 9, "K": 3, "stride": 2, "padding": 1, "groups": groups}
    layer = kind(6, 9, 3, stride=2, padding=1, groups=groups, device="meta")
    sizes = {"N": 17} if dimensions == 1 else {"D": 7, "H": 11, "W": 9}
    _compare_phases(f"conv{dimensions}d", layer, values | sizes, (2, 6, *sizes.values()), groups)


@pytest.mark.parametrize(("stride", "output_padding"), [(1, 0), (2, 1)])
@pytest.mark.parametrize("groups", [1, 3])
def test_conv_transpose2d(stride: int, output_padding: int, groups: int) -> None:
    values = {"B": 2, "Ci": 6, "H": 7, "Co": 9, "K": 3, "W": 5, "padding": 1}
    values |= {"stride": stride, "output_padding": output_padding, "groups": groups}
    layer = torch.nn.ConvTranspose2d(
        6, 9, 3, stride, 1, output_padding, groups=groups, device="meta"
    )
    result = rd.load_model("conv_transpose2d").on(KARST).evaluate(**values)
    shape = layer(meta(2, 6, 7, 5)).shape
    assert (result.named["Ho"], result.named["Wo"]) == tuple(shape[2:])
    _compare_phases("conv_transpose2d", layer, values, (2, 6, 7, 5), groups)


def _compare_phases(
    name: str, layer: nn.Module, values: dict[str, int], image: tuple[int, ...], groups: int
) -> None:
    forward, both = counted(layer, meta(*image, gradient=True))
    _, with_weights = counted(layer, meta(*image))
    assert ours(name, **values) == forward
    assert ours(f"{name}_input_gradient", **values) == both - with_weights
    # As above: a grouped convolution as if it had one group.
    assert ours(f"{name}_weight_gradient", **values) * groups == with_weights - forward
    assert parameters(name, **values) == size(layer)


def test_batched_product() -> None:
    forward, both = counted(torch.bmm, meta(3, 5, 7, gradient=True), meta(3, 7, 11, gradient=True))
    values = {"B": 3, "m": 5, "k": 7, "n": 11}
    assert ours("batched_product", **values) == forward
    assert ours("batched_product_backward", **values) == both - forward


@pytest.mark.parametrize("bias", [True, False])
def test_bilinear(bias: bool) -> None:
    """PyTorch counts none of its own layer; the same in products that it does count."""
    layer = torch.nn.Bilinear(5, 7, 4, bias=bias, device="meta")

    def in_products(x: Tensor, z: Tensor) -> Tensor:
        matrices = x @ layer.weight.permute(1, 0, 2).reshape(5, 4 * 7)
        return torch.bmm(matrices.view(13, 4, 7), z.unsqueeze(2)).squeeze(2)

    inputs = (meta(13, 5, gradient=True), meta(13, 7, gradient=True))
    assert in_products(*inputs).shape == layer(*inputs).shape
    forward, both = counted(in_products, *inputs)
    values = {"M": 13, "I": 5, "J": 7, "O": 4, "bias": bias}
    assert ours("bilinear", **values) == forward
    assert ours("bilinear_backward", **values) == both - forward
    assert parameters("bilinear", **values) == size(layer)


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_norms_of_groups_have_two_weights_a_channel(groups: int) -> None:
    values = {"B": 2, "C": 6, "H": 5, "groups": groups}
    assert parameters("group_norm", **values) == size(torch.nn.GroupNorm(groups, 6))
    instance = torch.nn.InstanceNorm2d(6, affine=True)
    assert parameters("instance_norm", B=2, C=6, H=5, affine=True) == size(instance)
    assert parameters("instance_norm", B=2, C=6, H=5) == size(torch.nn.InstanceNorm2d(6)) == 0


@pytest.mark.parametrize(("s", "t"), [(64, 64), (1, 100), (5, 12)])
def test_attention(s: int, t: int) -> None:
    B, a, d = 2, 4, 16

    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v

    shapes = [(B, a, s, d), (B, a, t, d), (B, a, t, d)]
    forward, both = counted(attention, *(meta(*shape, gradient=True) for shape in shapes))
    values = {"B": B, "a": a, "s": s, "t": t, "d": d}
    assert ours("attention", **values) == forward
    assert ours("attention_backward", **values) == both - forward


def test_recomputed_attention_of_a_fused_kernel() -> None:
    """The counter knows the fused kernel of GPUs by its formula: ten products of scores and d."""
    from torch.utils.flop_counter import sdpa_backward_flop_count, sdpa_flop_count

    shape = (2, 4, 64, 16)
    values = {"B": 2, "a": 4, "s": 64, "d": 16, "fused": True}
    assert ours("attention", **values) == sdpa_flop_count(shape, shape, shape)
    assert ours("attention_backward", **values) == sdpa_backward_flop_count(
        shape, shape, shape, shape
    )


@pytest.mark.parametrize(("name", "gates"), [("rnn", 1), ("gru", 3), ("lstm", 4)])
def test_recurrent(name: str, gates: int) -> None:
    layer = networks.Recurrent(24, 32, gates).to("meta")
    forward, both = counted(layer, meta(5, 7, 24, gradient=True))
    _, without_input = counted(layer, meta(5, 7, 24))
    values = {"B": 5, "T": 7, "I": 24, "H": 32}
    assert ours(name, **values) == forward
    assert ours(f"{name}_backward", **values) == both - forward
    first = ours(f"{name}_backward", **values, input_gradient=False)
    assert first == without_input - forward
    kind = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[name]
    assert parameters(name, **values) == size(kind(24, 32))


def test_dot_interaction() -> None:
    def interaction(x: Tensor) -> Tensor:
        return torch.bmm(x, x.transpose(1, 2))

    forward, both = counted(interaction, meta(6, 27, 16, gradient=True))
    values = {"B": 6, "F": 27, "d": 16}
    assert ours("dot_interaction", **values) == forward
    assert ours("dot_interaction_backward", **values) == both - forward


@pytest.mark.parametrize("block", ["transformer_block", "transformer_block_post"])
def test_transformer_block(block: str) -> None:
    with torch.device("meta"):
        layer = networks.Block(96, 8, 384, 8, gated=False)
    forward, both = counted(layer, meta(2, 40, 96, gradient=True))
    values = {"B": 2, "s": 40, "h": 96, "a": 8, "causal": False}
    assert ours(block, **values) == forward
    assert ours(f"{block}_backward", **values) == both - forward
    assert parameters(block, **values) == size(layer)


def test_gated_block_with_shared_heads() -> None:
    with torch.device("meta"):
        layer = networks.Block(96, 8, 256, 2, gated=True)
    forward, both = counted(layer, meta(2, 40, 96, gradient=True))
    values = {"B": 2, "s": 40, "h": 96, "a": 8, "f": 256, "kv": 2, "causal": False}
    assert ours("gated_block", **values) == forward
    assert ours("gated_block_backward", **values) == both - forward
    assert parameters("gated_block", **values) == size(layer)


IMAGES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "lenet5": (networks.lenet5, (1, 32, 32)),
    "alexnet": (networks.alexnet, (3, 224, 224)),
    "vgg16": (networks.vgg16, (3, 224, 224)),
    "resnet50": (lambda: networks.resnet((3, 4, 6, 3)), (3, 224, 224)),
    "resnet152": (lambda: networks.resnet((3, 8, 36, 3)), (3, 224, 224)),
    "mlp": (networks.mlp, (784,)),
}


@pytest.mark.parametrize("name", IMAGES)
def test_networks_of_images(name: str) -> None:
    make, shape = IMAGES[name]
    with torch.device("meta"):
        network = make()
    forward, both = counted(network, meta(2, *shape))
    assert ours(name, batch=2) == forward
    assert ours(f"{name}_training", batch=2) == both
    assert parameters(name, batch=2) == size(network)


def test_wide_mlp() -> None:
    with torch.device("meta"):
        network = networks.wide_mlp(3)
    forward, both = counted(network, meta(256, 4096, gradient=True))
    assert ours("wide_mlp", batch=256, layers=3) == forward
    assert ours("wide_mlp_training", batch=256, layers=3) == both


def test_bert_base() -> None:
    with torch.device("meta"):
        network = networks.Bert()
    forward, both = counted(network, torch.zeros(2, 128, dtype=torch.long, device="meta"))
    assert ours("bert_base", batch=2, seq=128) == forward
    assert ours("bert_base_training", batch=2, seq=128) == both
    assert parameters("bert_base", batch=2) == size(network)


LANGUAGE: dict[str, tuple[int, int, Callable[[], nn.Module]]] = {
    "gpt2": (12, 768, lambda: networks.Language(50257, 1024, 768, 12, 12)),
    "gpt3": (96, 12288, lambda: networks.Language(50257, 2048, 12288, 96, 96)),
    "llama2_70b": (
        80,
        8192,
        lambda: networks.Language(32000, 0, 8192, 80, 64, f=28672, kv=8, gated=True),
    ),
}


@pytest.mark.parametrize("name", LANGUAGE)
def test_language_models(name: str) -> None:
    blocks, h, make = LANGUAGE[name]
    B, s = 2, 256
    with torch.device("meta"):
        network = make()
    forward, both = counted(network, torch.zeros(B, s, dtype=torch.long, device="meta"))
    # PyTorch's products have the pairs that causal attention does not see.
    unseen = 2 * 2 * blocks * B * h * s * (s - 1) // 2
    values = {"batch": B, "seq": s, "fused": False}
    assert ours(name, **values) == forward - unseen
    assert ours(f"{name}_training", **values) == both - 3 * unseen
    assert parameters(name, batch=B) == size(network)


@pytest.mark.parametrize("name", LANGUAGE)
def test_a_prompt_scores_one_word(name: str) -> None:
    blocks, h, make = LANGUAGE[name]
    B, s = 2, 256
    with torch.device("meta"):
        network = make()

    def prompt(tokens: Tensor) -> Tensor:
        scores: Tensor = network.logits(network.norm(network.blocks(network.words(tokens)))[:, -1])
        return scores

    with FlopCounterMode(display=False) as counter:
        prompt(torch.zeros(B, s, dtype=torch.long, device="meta"))
    unseen = 2 * 2 * blocks * B * h * s * (s - 1) // 2
    assert ours(f"{name}_prefill", batch=B, prompt=s) == counter.get_total_flops() - unseen


@pytest.mark.parametrize("name", LANGUAGE)
def test_one_more_word(name: str) -> None:
    """A word's own products, and its query against the keys and values of all before it."""
    blocks, _, make = LANGUAGE[name]
    B, kept = 3, 100
    with torch.device("meta"):
        network = make()
    block = network.blocks[0]

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v

    with FlopCounterMode(display=False) as alone:
        network(torch.zeros(B, 1, dtype=torch.long, device="meta"))
    shapes = [(B, block.heads, tokens, block.d) for tokens in (1, kept + 1, kept + 1)]
    more, _ = counted(attend, *(meta(*shape, gradient=True) for shape in shapes))
    itself, _ = counted(attend, *(meta(B, block.heads, 1, block.d, gradient=True) for _ in "qkv"))
    expected = alone.get_total_flops() + blocks * (more - itself)
    assert ours(f"{name}_decode", batch=B, kept=kept) == expected


@pytest.mark.parametrize(
    ("name", "rows", "bottom", "top"),
    [
        ("dlrm_kaggle", 33762577, [13, 512, 256, 64, 16], [367, 512, 256, 1]),
        ("dlrm_mlperf", 187767399, [13, 512, 256, 128], [479, 1024, 1024, 512, 256, 1]),
    ],
)
def test_dlrm(name: str, rows: int, bottom: list[int], top: list[int]) -> None:
    with torch.device("meta"):
        network = networks.Recommendation(rows, bottom, top)
    indices = torch.zeros(8, 26, dtype=torch.long, device="meta")
    forward, both = counted(network, meta(8, 13), indices)
    assert ours(name, batch=8) == forward
    assert ours(f"{name}_training", batch=8) == both
    assert parameters(name, batch=8) == size(network)


def test_lstm_language_model() -> None:
    with torch.device("meta"):
        network = torch.nn.Sequential(
            torch.nn.Embedding(10000, 650),
            networks.Recurrent(650, 650, 4),
            networks.Recurrent(650, 650, 4),
            torch.nn.Linear(650, 10000),
        )
    forward, both = counted(network, torch.zeros(20, 35, dtype=torch.long, device="meta"))
    assert ours("lstm_lm", batch=20) == forward
    assert ours("lstm_lm_training", batch=20) == both
    assert parameters("lstm_lm", batch=20) == size(network)
