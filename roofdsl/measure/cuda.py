"""A card by CUDA as PyTorch or CuPy gives it."""

from __future__ import annotations

from collections.abc import Callable

from roofdsl.measure.cards import Computing

_NO_CARD = "PyTorch sees no card"


class _ByTorch:
    """A card that PyTorch computes with."""

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self.name = str(torch.cuda.get_device_name(0))
        self.library = f"PyTorch {torch.__version__}"
        self._types = {
            "fp64": torch.float64,
            "fp32": torch.float32,
            "fp16": torch.float16,
            "bf16": torch.bfloat16,
        }

    def product(self, precision: str, order: int) -> Callable[[], object]:
        torch, kind = self._torch, self._types[precision]
        a, b = (torch.ones((order, order), dtype=kind, device="cuda") for _ in range(2))
        c = torch.empty((order, order), dtype=kind, device="cuda")

        def work() -> None:
            torch.matmul(a, b, out=c)
            torch.cuda.synchronize()

        return work

    def copy(self, size: int) -> Callable[[], object]:
        return self._copied(size, pinned=False)

    def send(self, size: int) -> Callable[[], object]:
        return self._copied(size, pinned=True)

    def _copied(self, size: int, *, pinned: bool) -> Callable[[], object]:
        torch = self._torch
        there = torch.ones(size, dtype=torch.uint8, device="cuda")
        here = torch.ones(size, dtype=torch.uint8)
        here = here.pin_memory() if pinned else here.to("cuda")

        def work() -> None:
            there.copy_(here)
            torch.cuda.synchronize()

        return work


class _ByCupy:
    """A card that CuPy computes with, which has no bf16."""

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy
        named = cupy.cuda.runtime.getDeviceProperties(0)["name"]
        self.name = named.decode(errors="replace") if isinstance(named, bytes) else str(named)
        self.library = f"CuPy {cupy.__version__}"
        self._types = {"fp64": cupy.float64, "fp32": cupy.float32, "fp16": cupy.float16}

    def product(self, precision: str, order: int) -> Callable[[], object] | None:
        cupy, kind = self._cupy, self._types.get(precision)
        if kind is None:
            return None
        a, b, c = (cupy.ones((order, order), dtype=kind) for _ in range(3))

        def work() -> None:
            cupy.matmul(a, b, out=c)
            cupy.cuda.Device().synchronize()

        return work

    def copy(self, size: int) -> Callable[[], object]:
        cupy = self._cupy
        a, b = (cupy.ones(size, dtype=cupy.uint8) for _ in range(2))

        def work() -> None:
            cupy.copyto(a, b)
            cupy.cuda.Device().synchronize()

        return work

    def send(self, size: int) -> Callable[[], object]:
        import numpy as np

        cupy = self._cupy
        there, here = cupy.ones(size, dtype=cupy.uint8), np.ones(size, np.uint8)

        def work() -> None:
            there.set(here)
            cupy.cuda.Device().synchronize()

        return work


def by_torch() -> Computing | str:
    """Return the card that PyTorch sees, or why it sees none."""
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed"
    return _ByTorch() if torch.cuda.is_available() else _NO_CARD


def by_cupy() -> Computing | str:
    """Return the card that CuPy sees, or why it sees none."""
    try:
        import cupy
    except ImportError:
        return "CuPy is not installed"
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:  # without a driver
        count = 0
    return _ByCupy() if count else "CuPy sees no card"
