"""Tensors of PyTorch count as arrays of NumPy do, and their products as PyTorch counts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import roofdsl as rd
from tests.tracing import kernels

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def at(module: rd.Module, name: str, **sizes: int) -> tuple[float, float]:
    result = module.models[name].on(rd.load_machine("karst")).evaluate(**sizes)
    return result.flops, result.memory


def _linear(x: Any, w: Any, b: Any) -> Any:
    return torch.nn.functional.linear(x, w, b)


def _batched(a: Any, b: Any) -> Any:
    return torch.einsum("bik,bkj->bij", a, b)


def _convolved(x: Any, w: Any) -> Any:
    return torch.nn.functional.conv2d(x, w, padding=1)


def _attention(q: Any, k: Any, v: Any) -> Any:
    return torch.softmax(q @ k.transpose(0, 1), dim=-1) @ v


def _fused_attention(q: Any, k: Any, v: Any) -> Any:
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


PRODUCTS: dict[str, tuple[Callable[..., Any], dict[str, str], dict[str, int]]] = {
    "linear": (
        _linear,
        {"x": "torch.f32[M,K]", "w": "torch.f32[N,K]", "b": "torch.f32[N]"},
        {"M": 12, "K": 9, "N": 20},
    ),
    "batched": (
        _batched,
        {"a": "torch.f32[B,M,K]", "b": "torch.f32[B,K,N]"},
        {"B": 3, "M": 12, "K": 9, "N": 20},
    ),
    "convolved": (
        _convolved,
        {"x": "torch.f32[2,C,H,H]", "w": "torch.f32[K,C,3,3]"},
        {"C": 5, "H": 11, "K": 7},
    ),
    "attention": (
        _attention,
        dict.fromkeys("qkv", "torch.f32[S,D]"),
        {"S": 20, "D": 9},
    ),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_counted_as_by_pytorch(name: str) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    function, arguments, sizes = PRODUCTS[name]
    module = rd.trace(function, arguments, name=name)
    shapes = [
        [sizes.get(side, None) or int(side) for side in form[form.index("[") + 1 : -1].split(",")]
        for form in arguments.values()
    ]
    counter = FlopCounterMode(display=False)
    with counter:
        function(*(torch.randn(*shape) for shape in shapes))
    work: Any = module.models[name].on(rd.load_machine("v100")).evaluate(**sizes).to_dict()["work"]
    assert work["flops.matrix.fp32"] == counter.get_total_flops()


def test_what_numpy_does_is_counted_alike() -> None:
    def layer_norm(x: Any, gain: Any, shift: Any) -> Any:
        return torch.nn.functional.layer_norm(x, (x.shape[-1],), gain, shift)

    def softmax(x: Any) -> Any:
        return torch.softmax(x, dim=-1)

    def fft(x: Any) -> Any:
        return torch.fft.fft(x)

    def sweep(u: Any) -> Any:
        v = u.clone()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        return v

    same: tuple[tuple[Any, Any, dict[str, str]], ...] = (
        (layer_norm, kernels.layer_norm, {"x": "[M,N]", "gain": "[N]", "shift": "[N]"}),
        (softmax, kernels.softmax, {"x": "[M,N]"}),
        (sweep, kernels.sweep, {"u": "[N,N]"}),
    )
    for of_torch, of_numpy, forms in same:
        one = rd.trace(of_torch, {key: f"torch.f64{form}" for key, form in forms.items()})
        other = rd.trace(of_numpy, {key: f"f64{form}" for key, form in forms.items()})
        name = of_torch.__name__
        sizes = {key: {"M": 7, "N": 30}[key] for key in one.models[name].parameters}
        assert at(one, name, **sizes) == at(other, name, **sizes)
    found = rd.trace(fft, {"x": "torch.c128[N]"})
    assert at(found, "fft", N=1024) == (5 * 1024 * 10, 32 * 1024)


def test_tensors_in_place_and_weights_are_memory_that_is_found() -> None:
    weights = torch.ones(8)

    def scaled(x: Any) -> Any:
        return x.mul_(weights)

    found = rd.trace(scaled, {"x": "torch.f32[N,8]"})
    assert at(found, "scaled", N=10) == (80, 4 * (80 + 8 + 80))


def test_a_table_is_gathered_by_its_rows() -> None:
    def gathered(table: Any) -> Any:
        return table[torch.arange(0, 6, 2)]

    found = rd.trace(gathered, {"table": "torch.f32[6,N]"})
    assert at(found, "gathered", N=10) == (0, 4 * (30 + 30))


def test_bfloat16_has_its_own_precision() -> None:
    found = rd.trace(lambda a, b: a @ b, {"a": "torch.bf16[N,N]", "b": "torch.bf16[N,N]"})
    assert "flops.matrix[bf16] = 2*N^3" in found.text
    assert "memory = 6 B*N^2" in found.text


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda x: x if x.sum() > 0 else -x, "R1544"),
        (lambda x: x[x > 0], "R1544"),
        (lambda x: x.sort().values, "R1544"),
        (lambda x: float(x.sum()), "R1544"),
        (lambda x: torch.special.bessel_j0(x), "R1545"),
        (lambda x: x.view(torch.int16), "R1545"),
    ],
)
def test_what_hangs_on_data_or_is_unknown_is_refused(
    function: Callable[..., Any], code: str
) -> None:
    with pytest.raises(rd.RoofError) as refused:
        rd.trace(function, {"x": "torch.f32[N]"})
    assert [each.code for each in refused.value.diagnostics] == [code]


def test_attention_in_one_operator_counts_as_its_parts() -> None:
    """The products of all pairs, scores scaled, and a softmax."""
    found = rd.trace(_fused_attention, dict.fromkeys("qkv", "torch.f32[2,4,S,D]"), name="made")
    S, D = 20, 9
    assert at(found, "made", S=S, D=D)[0] == 8 * (4 * S**2 * D + S**2 + S * (5 * S - 2))


def test_a_module_is_called_as_a_function_is() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    found = rd.trace(module, {"input": "torch.f32[N,8]"}, name="made")
    weights = sum(each.numel() for each in module.parameters())
    assert at(found, "made", N=10) == (
        10 * (2 * 8 * 16 + 16 + 16 + 2 * 16 * 4 + 4),
        4 * (120 + weights),
    )
