"""A card that computes, by CUDA: its products, its memory, and the link to it.

PyTorch is asked where it is installed, else CuPy. Both start work and go on at once, so that the
card is waited for before the clock is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from roofdsl.measure.found import Card, Found
from roofdsl.measure.timing import CLOCK, Clock, Effort, Rate, rate, timed

PRECISIONS = ("fp64", "fp32", "fp16", "bf16")
ORDERS = (2048, 4096, 8192)
COPIED = 256 << 20
"""Bytes of what is copied on the card, and sent to it."""
_EFFORT = Effort(0.3, 5, 50)


class Computing(Protocol):
    """What is asked of a card. Each work is done when it returns."""

    @property
    def name(self) -> str:
        """The card's name."""
        ...

    @property
    def library(self) -> str:
        """The library that is asked, with its version."""
        ...

    def product(self, precision: str, order: int) -> Callable[[], object] | None:
        """Return the product of two square matrices as a work; None where it has no such type."""
        ...

    def copy(self, size: int) -> Callable[[], object]:
        """Return the copy of so many bytes on the card as a work."""
        ...

    def send(self, size: int) -> Callable[[], object]:
        """Return the copy of so many bytes from the machine's memory to the card as a work."""
        ...


def card() -> Computing | str:
    """Return the first card, or why there is none to be measured."""
    from roofdsl.measure.cuda import by_cupy, by_torch

    found = by_torch()
    if isinstance(found, str):
        other = by_cupy()
        return f"no card was measured: {found}, {other}" if isinstance(other, str) else other
    return found


def measured_card(computing: Computing, clock: Clock = CLOCK) -> Card:
    """Measure the rates of a card: the best product of each precision, the copy, and the link.

    A copy reads and writes: twice its bytes are counted.
    """
    found = list[Found]()
    for precision in PRECISIONS:
        rates = dict[int, Rate]()
        for order in ORDERS:
            work = computing.product(precision, order)
            if work is None:
                break
            rates[order] = rate(2.0 * order**3, timed(work, _EFFORT, clock=clock))
        if rates:
            n = max(rates, key=lambda order: rates[order].value)
            found.append(Found(f"flops.matrix.{precision}", rates[n], f"of order {n}"))
    copied = timed(computing.copy(COPIED), _EFFORT, clock=clock)
    sent = timed(computing.send(COPIED), _EFFORT, clock=clock)
    found.append(Found("memory", rate(2.0 * COPIED, copied), "a copy on the card"))
    found.append(Found("network", rate(float(COPIED), sent), "from the machine to the card"))
    return Card(computing.name, computing.library, tuple(found))
