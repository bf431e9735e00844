"""Loops that Numba compiles where it is installed, and NumPy does in blocks where it is not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])

BLOCK = 4096
"""Elements of a vector that NumPy goes over at a time: what one pass leaves the next finds."""


def compiled(loop: Function, instead: Function) -> Function:
    """Return a loop as Numba compiles it for arrays, or what does the same without Numba."""
    if find_spec("numba") is None:
        return instead
    return cast(Function, _compiled(loop))


@cache
def _compiled(loop: Callable[..., object]) -> Callable[..., object]:
    from numba import njit

    found: Callable[..., object] = njit(loop)
    return found
