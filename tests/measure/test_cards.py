"""Cards that are not there, by modules that stand in for PyTorch and CuPy."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from roofdsl.measure import cards
from roofdsl.measure.cards import card, measured_card
from roofdsl.measure.timing import Clock


class Running:
    """The card's time: what it has begun is done when it is waited for."""

    def __init__(self) -> None:
        self.now = 0.0
        self.begun = 0.0

    def begin(self, seconds: float) -> None:
        self.begun += seconds

    def wait(self) -> None:
        self.now += self.begun
        self.begun = 0.0


class Tensor:
    def __init__(self, running: Running, size: int, kind: str) -> None:
        self.running, self.size, self.kind, self.pinned = running, size, kind, False

    def pin_memory(self) -> Tensor:
        self.pinned = True
        return self

    def to(self, _place: str) -> Tensor:
        return self

    def copy_(self, other: Tensor) -> None:
        self.running.begin(self.size / (1e9 if other.pinned else 50e9))


def like_torch(running: Running, *, available: bool = True) -> ModuleType:
    module = ModuleType("torch")
    rates = {"float64": 1e12, "float32": 2e12, "float16": 8e12, "bfloat16": 4e12}

    def tensor(shape: tuple[int, int] | int, *, dtype: str, **_: str) -> Tensor:
        return Tensor(running, shape[0] if isinstance(shape, tuple) else shape, dtype)

    def matmul(a: Tensor, _b: Tensor, out: Tensor) -> None:
        running.begin(2.0 * out.size**3 / rates[a.kind])

    module.__dict__.update(
        __version__="9.9",
        cuda=SimpleNamespace(
            is_available=lambda: available,
            get_device_name=lambda _: "Card 9",
            synchronize=running.wait,
        ),
        ones=tensor,
        empty=tensor,
        matmul=matmul,
        uint8="uint8",
        **{name: name for name in rates},
    )
    return module


def like_cupy(running: Running, *, count: int = 1) -> ModuleType:
    module = ModuleType("cupy")

    def copyto(_a: np.ndarray, b: np.ndarray) -> None:
        running.begin(b.size / 50e9)

    def matmul(_a: Array, _b: Array, out: Array) -> None:
        running.begin(2.0 * out.shape[0] ** 3 / 1e12)

    class Array(np.ndarray):
        def set(self, given: np.ndarray) -> None:
            running.begin(given.size / 1e9)

    def ones(shape: int | tuple[int, int], dtype: type) -> np.ndarray:
        return np.broadcast_to(np.ones((), dtype), shape).view(Array)

    device = SimpleNamespace(synchronize=running.wait)
    runtime = SimpleNamespace(
        getDeviceProperties=lambda _: {"name": b"Card 8"},
        getDeviceCount=lambda: count,
        CUDARuntimeError=RuntimeError,
    )
    module.__dict__.update(
        __version__="8.8",
        cuda=SimpleNamespace(runtime=runtime, Device=lambda: device),
        ones=ones,
        copyto=copyto,
        matmul=matmul,
        **{name: getattr(np, name) for name in ("float64", "float32", "float16", "uint8")},
    )
    return module


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Running:
    monkeypatch.setattr(cards, "ORDERS", (16, 64))
    monkeypatch.setattr(cards, "COPIED", 1 << 28)
    return Running()


def test_pytorchs_card_is_measured_when_its_work_is_done(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "ORDERS", (2048, 4096))
    monkeypatch.setitem(__import__("sys").modules, "torch", like_torch(running))
    found = card()
    assert not isinstance(found, str)
    measured = measured_card(found, Clock(lambda: running.now, lambda: running.now))
    assert (measured.name, measured.library) == ("Card 9", "PyTorch 9.9")
    rates = {each.resource: each.rate.value for each in measured.found}
    assert rates == pytest.approx(
        {
            "flops.matrix.fp64": 1e12,
            "flops.matrix.fp32": 2e12,
            "flops.matrix.fp16": 8e12,
            "flops.matrix.bf16": 4e12,
            "memory": 2 * 50e9,
            "network": 1e9,
        }
    )


def test_cupys_card_has_no_bf16(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    modules = __import__("sys").modules
    monkeypatch.setattr(cards, "ORDERS", (2048,))
    monkeypatch.setitem(modules, "torch", like_torch(running, available=False))
    monkeypatch.setitem(modules, "cupy", like_cupy(running))
    found = card()
    assert not isinstance(found, str)
    measured = measured_card(found, Clock(lambda: running.now, lambda: running.now))
    assert (measured.name, measured.library) == ("Card 8", "CuPy 8.8")
    rates = {each.resource: each.rate.value for each in measured.found}
    assert "flops.matrix.bf16" not in rates
    assert rates["flops.matrix.fp16"] == pytest.approx(1e12)
    assert (rates["memory"], rates["network"]) == pytest.approx((100e9, 1e9))


def test_without_a_card_it_is_said_why(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    modules = __import__("sys").modules
    monkeypatch.setitem(modules, "torch", None)
    monkeypatch.setitem(modules, "cupy", None)
    assert card() == "no card was measured: PyTorch is not installed, CuPy is not installed"
    monkeypatch.setitem(modules, "torch", like_torch(running, available=False))
    monkeypatch.setitem(modules, "cupy", like_cupy(running, count=0))
    assert card() == "no card was measured: PyTorch sees no card, CuPy sees no card"
