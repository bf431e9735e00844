"""What is measured of a machine, and how thoroughly."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.measure.timing import Effort


class Plan(NamedTuple):
    """The sizes that are measured, and how often each is.

    `orders` are those of square products; `table` the sizes of the table of products, each with all
    others; `points` how many working sets in each cache; `largest` bounds the arrays of STREAM.
    """

    orders: tuple[int, ...] = (256, 512, 1024, 2048, 4096)
    table: tuple[int, ...] = (1, 4, 16, 64, 256, 1024, 4096)
    precisions: tuple[str, ...] = ("fp64", "fp32")
    products: Effort = Effort(2.0, 5, 200)
    entries: Effort = Effort(0.05, 3, 200)
    loops: Effort = Effort(1.0, 15, 200)
    points: int = 5
    largest: int | None = None
    messages: bool = True
    cards: bool = True


FULL = Plan()
QUICK = Plan(
    orders=(512, 1024, 2048),
    table=(1, 8, 64, 256, 1024),
    products=Effort(0.5, 5, 50),
    entries=Effort(0.02, 3, 50),
    loops=Effort(0.3, 10, 100),
    points=3,
)
