"""Families of networks against PyTorch, small, with what each may have.

Parameters, multiply-adds of forward and of a step of training, and the bytes that training keeps
must be equal. Published networks are in the tests of the files, beside their families.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import pytest

import roofdsl as rd

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import Tensor, nn  # noqa: E402, after the check above
from torch.nn import functional  # noqa: E402, the same
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402, the same

from tests.dnn import families  # noqa: E402, it needs torch
from tests.dnn.kept import faked, held, kept_bytes  # noqa: E402, the same
from tests.dnn.networks import cross_entropy  # noqa: E402, the same

KARST = rd.load_machine("karst")
Value = int | bool
Values = dict[str, Value]
Maker = Callable[..., nn.Module]
ENCODER: Maker = families.Encoder
VISION: Maker = families.Vision
TRANSLATION: Maker = families.Translation
DIFFUSION: Maker = families.Diffusion


class Case(NamedTuple):
    """A network of a family as the library has it, and in PyTorch; `run` returns its loss."""

    name: str
    values: Values
    make: Callable[[], nn.Module]
    run: Callable[[nn.Module], Tensor]

    def ours(self, phase: str = "", /, **more: Value) -> Mapping[str, float]:
        model = rd.load_model(f"{self.name}{phase}")
        values: dict[str, float | str | bool] = {**self.values, **more}
        return model.on(KARST).evaluate(**values).tallies


def whole(highest: int, *shape: int) -> Tensor:
    return torch.zeros(shape, dtype=torch.long) + highest - 1


def encoder(batch: int, seq: int, **options: Value) -> Case:
    values: Values = {"layers": 2, "hidden": 12, "heads": 3, "vocabulary": 37, "context": 29}
    values |= {"inner": 35, "batch": batch, "seq": seq}
    shared = {name: value for name, value in options.items() if name != "fused"}
    make = partial(ENCODER, 37, 29, 12, 2, 3, 35, **options)
    scored = [bool(options.get("classes")), bool(options.get("language_head"))]

    def run(network: nn.Module) -> Tensor:
        made = network(whole(37, batch, seq))
        if not any(scored):
            loss: Tensor = made[0].sum()
            return loss
        # What is not scored is no result.
        found = [one for one, is_scored in zip(made, scored, strict=False) if is_scored]
        losses = [cross_entropy(one, whole(1, one.numel() // one.shape[-1])) for one in found]
        return torch.stack(losses).sum()

    return Case("bert", values | shared | {"fused": options.get("fused", False)}, make, run)


def vision(batch: int, height: int = 21, width: int = 28, **options: Value) -> Case:
    values: Values = {"layers": 2, "hidden": 12, "heads": 3, "inner": 35, "patch": 7}
    values |= {"image": height, "image_width": width, "batch": batch}
    values |= {"averaged": False, "classes": 1000} | options
    make = partial(VISION, (height, width), 7, 12, 2, 3, 35, **options)

    def run(network: nn.Module) -> Tensor:
        channels = options.get("channels", 3)
        made: Tensor = network(torch.zeros(batch, channels, height, width))
        return cross_entropy(made, whole(5, batch)) if values["classes"] else made.sum()

    return Case("vit", values, make, run)


def translation(batch: int, seq: int, target: int, **options: Value) -> Case:
    values: Values = {"layers": 2, "hidden": 12, "heads": 3, "head_size": 5, "inner": 35}
    values |= {"vocabulary": 37, "batch": batch, "seq": seq, "target": target} | options
    make = partial(TRANSLATION, 37, 12, 2, 3, 5, 35, **options)
    scored = options.get("decoder", True) and options.get("language_head", True)

    def run(network: nn.Module) -> Tensor:
        made: Tensor = network(whole(37, batch, seq), whole(37, batch, target))
        return cross_entropy(made, whole(37, batch * target)) if scored else made.sum()

    return Case("t5", values, make, run)


def diffusion(batch: int, **options: Value) -> Case:
    values: Values = {"layers": 2, "hidden": 12, "heads": 3, "inner": 35, "patch": 2, "image": 10}
    values |= {"frequencies": 14, "classes": 11, "batch": batch}
    shared: Values = {"frequencies": 14, "classes": 11}
    make = partial(DIFFUSION, 10, 2, 12, 2, 3, 35, **shared, **options)
    channels = options.get("channels", 4)

    def run(network: nn.Module) -> Tensor:
        latents, noise = (torch.zeros(batch, channels, 10, 10) for _ in range(2))
        made = network(latents, torch.zeros(batch), whole(11, batch))
        return functional.mse_loss(made[:, :channels], noise)

    return Case("dit", values | options, make, run)


CASES = [
    *(encoder(batch, 10, fused=fused) for batch in (1, 3) for fused in (False, True)),
    encoder(3, 29, segments=0, pooled=False),
    encoder(3, 10, segments=1, classes=5),
    encoder(2, 10, pooled=False, classes=5),
    encoder(1, 10, pooled=False, language_head=True),
    encoder(3, 10, pooled=False, language_head=True, tied=False, fused=True),
    encoder(3, 10, classes=2, language_head=True),
    *(vision(batch, fused=fused) for batch in (1, 3) for fused in (False, True)),
    vision(2, 21, 21, qkv_bias=False, channels=2),
    vision(3, 23, 34, class_token=False, averaged=True),
    vision(2, averaged=True, pooled=True),
    vision(2, pooled=True, classes=0),
    *(translation(batch, 10, target) for batch in (1, 3) for target in (10, 7)),
    translation(2, 10, 7, gated=True, tied=False),
    translation(2, 10, 7, decoder_layers=3, buckets=8),
    translation(2, 10, 7, language_head=False),
    translation(2, 10, 7, decoder=False),
    *(diffusion(batch, fused=fused) for batch in (1, 3) for fused in (False, True)),
    diffusion(2, variance=False, channels=3),
]


def _named(case: Case) -> str:
    return f"{case.name}-" + "-".join(f"{name}={value}" for name, value in case.values.items())


everywhere = pytest.mark.parametrize("case", CASES, ids=_named)


@everywhere
def test_parameters(case: Case) -> None:
    with torch.device("meta"):
        weights = sum(each.numel() for each in case.make().parameters())
    assert case.ours()["parameters"] == weights
    training = case.ours("_training")
    assert training["parameters"] == weights
    assert training["gradients"] == 4 * weights
    assert training["optimiser"] == 8 * weights


@everywhere
def test_multiply_adds(case: Case) -> None:
    """The counter takes all scores, those that are not seen too, and no fused kernel."""
    unfused = case._replace(values={**case.values, "fused": False})
    more: Values = {"causal": False} if case.name == "t5" else {}
    with torch.device("meta"):
        network = case.make()
        if case.values.get("fused"):
            pytest.skip("a fused kernel is not counted")
        with FlopCounterMode(display=False) as forward:
            loss = case.run(network)
        with FlopCounterMode(display=False) as backward:
            loss.backward()
    first = forward.get_total_flops()
    assert 2 * unfused.ours(**more)["multiply_adds"] == first
    both = first + backward.get_total_flops()
    assert 2 * unfused.ours("_training", **more)["multiply_adds"] == both


@everywhere
def test_what_training_keeps(case: Case) -> None:
    """On a CPU a normalisation by RMS is several kernels, which keep scaled rows as well."""
    more: Values = {"composed": True} if case.name == "t5" else {}
    with faked():
        network = case.make()
        saved = kept_bytes(lambda: case.run(network), held(network))
    assert case.ours("_training", **more)["activations"] == saved
