"""Modules of PyTorch, imported: products and parameters are those that PyTorch counts.

PyTorch's counter sees all pairs of causal attention, and on the CPU neither attention nor memory
cells in one operator: modules run on the meta device, where nothing is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

import roofdsl as rd

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402, after the check above

from tests.dnn import networks  # noqa: E402, it needs torch
from tests.dnn.random_networks import random_network  # noqa: E402, the same
from tests.importers import torch_modules  # noqa: E402, the same

if TYPE_CHECKING:
    from torch import Tensor, nn

CARD = rd.load_machine("a100_sxm_80gb")
BATCHES = (1, 3, 8)

Make = Callable[[], "nn.Module"]


def counted(module: nn.Module, *inputs: Tensor) -> int:
    on_meta = module.to("meta")
    with FlopCounterMode(display=False) as counter:
        on_meta(*(each.to("meta") for each in inputs))
    return int(counter.get_total_flops())


def values(model: rd.Model, **sizes: int) -> dict[str, Any]:
    counting = {"causal": False} if "causal" in model.parameters else {}
    return dict(model.evaluate(**sizes, **counting))


def numbers(*shape: int) -> Tensor:
    return torch.zeros(shape)


def words(*shape: int) -> Tensor:
    return torch.zeros(shape, dtype=torch.int64)


NETWORKS: dict[str, tuple[Make, Callable[[int], tuple[Tensor, ...]]]] = {
    "mlp": (networks.mlp, lambda b: (numbers(b, 784),)),
    "images": (torch_modules.Images, lambda b: (numbers(b, 3, 64, 64),)),
    "odd": (torch_modules.OddConvolutions, lambda b: (numbers(b, 4, 13, 17),)),
    "films": (torch_modules.Films, lambda b: (numbers(b, 2, 6, 9, 11),)),
    "words": (torch_modules.Words, lambda b: (words(b, 7),)),
    "encoder": (torch_modules.Encoder, lambda b: (numbers(b, 9, 32),)),
    "llama": (torch_modules.Llama, lambda b: (words(b, 9),)),
    "shared": (torch_modules.Shared, lambda b: (numbers(b, 16),)),
    "products": (torch_modules.Products, lambda b: (numbers(b, 2, 5, 6), numbers(b, 2, 5, 6))),
    "u": (torch_modules.Upwards, lambda b: (numbers(b, 3, 16, 16),)),
    "vision": (torch_modules.Vision, lambda b: (numbers(b, 3, 32, 32),)),
    "experts": (torch_modules.Experts, lambda b: (numbers(b, 5, 16),)),
    "narrow": (torch_modules.NarrowValues, lambda b: (numbers(b, 4, 7, 12),)),
    "lenet5": (networks.lenet5, lambda b: (numbers(b, 1, 32, 32),)),
    "bert": (lambda: networks.Bert(100, 24, 64, 1, 4), lambda b: (words(b, 9), words(b, 9))),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_products_and_parameters_are_those_that_pytorch_counts(name: str) -> None:
    make, inputs = NETWORKS[name]
    module = make().eval()
    model = rd.from_torch(module, inputs(2), name=name)
    parameters = sum(each.numel() for each in module.parameters())
    for batch in BATCHES:
        found = values(model, batch=batch)
        assert 2 * found["multiply_adds"] == counted(module, *inputs(batch))
        assert found.get("parameters", 0) == parameters
    left_out = {"experts": 1}  # which experts are the best
    assert values(model, batch=1).get("left_out", 0) == left_out.get(name, 0)


LIBRARY: dict[str, tuple[Make, Callable[[int], Tensor], dict[str, int | str | bool]]] = {
    "lenet5": (networks.lenet5, lambda b: numbers(b, 1, 32, 32), {}),
    "alexnet": (networks.alexnet, lambda b: numbers(b, 3, 224, 224), {}),
    "vgg16": (networks.vgg16, lambda b: numbers(b, 3, 224, 224), {}),
    "resnet50": (lambda: networks.resnet((3, 4, 6, 3)), lambda b: numbers(b, 3, 224, 224), {}),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_a_network_of_the_library_is_the_same_imported(name: str) -> None:
    make, inputs, more = LIBRARY[name]
    with torch.device("meta"):
        module = make().eval()
        model = rd.from_torch(module, inputs(1), name=f"{name}_imported")
    bundled = rd.load_model(name).on(CARD)
    for batch in (1, 32):
        found = model.on(CARD).evaluate(batch=batch)
        expected = bundled.evaluate(batch=batch, **more)
        assert (found.flops, found.memory) == (expected.flops, expected.memory)
        assert found.tallies == expected.tallies


@pytest.mark.parametrize("seed", range(12))
def test_random_networks(seed: int) -> None:
    network = random_network(seed)
    module = network.module.eval()
    model = rd.from_torch(module, numbers(*network.input), name="random")
    batch = network.input[0]
    for factor in (1, 2):
        found = values(model, batch=factor * batch)
        inputs = numbers(factor * batch, *network.input[1:])
        assert 2 * found["multiply_adds"] == counted(module, inputs)
        assert found["parameters"] == sum(each.numel() for each in module.parameters())


def test_causal_attention_counts_the_pairs_that_are_seen() -> None:
    model = rd.from_torch(torch_modules.Llama().eval(), words(2, 9))
    every, seen = (model.evaluate(batch=3, causal=causal) for causal in (False, True))
    pairs = 9 * 9 - 9 * 10 // 2
    missing = 2 * 2 * 3 * 4 * 8 * pairs  # blocks, products, inputs, heads, features
    assert float(str(every["multiply_adds"])) - float(str(seen["multiply_adds"])) == missing


def test_queries_keys_and_values_are_there_until_attention_has_read_them() -> None:
    model = rd.from_torch(torch_modules.ThreeProjections(), numbers(2, 5, 8))
    one = 4 * 7 * 5 * 8  # bytes of a tensor of seven inputs
    peak = 3 * 4 * 64 + 5 * one  # weights; what is given, q, k, v and the result
    assert model.evaluate(batch=7)["peak_memory"] == peak


def test_several_sizes_may_be_open() -> None:
    module = torch_modules.LlamaBlock().eval()
    model = rd.from_torch(module, numbers(2, 9, 32), sizes={"batch": 0, "seq": 1})
    for batch, seq in ((1, 4), (3, 17)):
        found = values(model, batch=batch, seq=seq)
        assert 2 * found["multiply_adds"] == counted(module, numbers(batch, seq, 32))


def test_a_module_of_one_batch_alone_keeps_it() -> None:
    model = rd.from_torch(torch_modules.Fixed(), numbers(3, 4))
    assert model.parameters == ("dtype",)
    assert [each.code for each in model.warnings] == ["R1214"]
    assert "'batch' is a number here" in model.warnings[0].message


def test_what_has_no_rule_is_named_and_in_no_number() -> None:
    model = rd.from_torch(torch_modules.Sorted(), numbers(2, 6))
    found = model.evaluate(batch=5)
    assert found["left_out"] == 1
    assert found["multiply_adds"] == 2 * 5 * 36
    assert found["parameters"] == 42
    assert model.warnings[0].message == "left out, in no number: sort to batch × 6"
    assert "# left out, in no number: sort 'sort' to batch × 6" in model.text


def test_training_is_as_the_module_is_set() -> None:
    module = torch.nn.Sequential(torch.nn.BatchNorm2d(4), torch.nn.Dropout(0.5))
    trained = rd.from_torch(module.train(), numbers(2, 4, 5, 5)).text
    used = rd.from_torch(module.eval(), numbers(2, 4, 5, 5)).text
    assert "training = true" in trained and "= dropout(" in trained
    assert "training = false" in used and "dropout" not in used


def test_the_text_can_be_saved_and_loaded(tmp_path: Any) -> None:
    model = rd.from_torch(networks.mlp(), numbers(1, 784), name="perceptron")
    model.save(tmp_path / "perceptron.roof")
    again = rd.load_model(f"{tmp_path / 'perceptron.roof'}:perceptron")
    assert again.evaluate(batch=7) == model.evaluate(batch=7)


def test_what_cannot_be_traced_is_an_error() -> None:
    with pytest.raises(rd.RoofError, match=r"R1213.*'Branching' cannot be traced"):
        rd.from_torch(torch_modules.Branching(), numbers(2, 3))
    with pytest.raises(rd.RoofError, match="R1213"):
        rd.from_torch(networks.mlp(), numbers(2, 3))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"module": "linear"}, "module is a torch.nn.Module, not 'linear'"),
        ({"sizes": {"batch": -1}}, "sizes"),
        ({"sizes": {"batch": True}}, "sizes"),
        ({"sizes": 0}, "sizes"),
        ({"name": 3}, "name"),
    ],
)
def test_other_arguments_are_refused(arguments: dict[str, Any], said: str) -> None:
    usual: dict[str, Any] = {"module": networks.mlp(), "inputs": numbers(1, 784)}
    with pytest.raises(TypeError, match=said):
        rd.from_torch(**usual | arguments)


def test_a_model_is_called_like_the_class_of_its_module() -> None:
    assert rd.from_torch(torch_modules.NarrowValues(), numbers(1, 1, 6, 8)).name == "narrow_values"
    assert rd.from_torch(networks.mlp(), numbers(1, 784)).name == "sequential"


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(rd.RoofError, match="'7b' is no name of a model"):
        rd.from_torch(networks.mlp(), numbers(1, 784), name="7b")
    with pytest.raises(rd.RoofError, match="'a b' is no name of a parameter"):
        rd.from_torch(networks.mlp(), numbers(1, 784), sizes={"a b": 0})
