"""Ways to count operations: tools and papers mean different things by "flops" of a network.

Each is a sum of what a model states, its flops and the products among them, which the tally
`multiply_adds` holds: weight × flops + weight × multiply-adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.expression.construct import add, multiply, number
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.units.dimension import Dimension

V = TypeVar("V")
MULTIPLY_ADDS = "multiply_adds"
"""The tally of multiply-adds in products and convolutions; its unit is `MAC`."""
MAC = Dimension.base("MAC")


class Convention(NamedTuple):
    """A way to count: `flops` and `multiply_adds` are the weights of each, `unit` its name."""

    name: str
    unit: str
    flops: int
    multiply_adds: int
    meaning: str


CONVENTIONS = (
    Convention("flop", "FLOP", 1, 0, "a multiply-add is 2 flop, and all else counts"),
    Convention("product", "FLOP", 0, 2, "2 flop a multiply-add of products, and nothing else"),
    Convention("mac", "MAC", 0, 1, "multiply-adds of products, and nothing else"),
    Convention("fma", "op", 1, -1, "a multiply-add is 1 operation, and all else counts"),
)
"""The library's own first; PyTorch's counter is `product`, most tables of networks are `mac`."""


def convention_named(name: str) -> Convention:
    """Return a convention by its name; raise RoofError (R0710) where there is none.

    >>> convention_named("mac").multiply_adds
    1
    """
    for convention in CONVENTIONS:
        if convention.name == name:
            return convention
    names = [convention.name for convention in CONVENTIONS]
    hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
    raise RoofError([Diagnostic("R0710", f"'{name}' is no convention to count by", (), hint)])


def products_in(tallies: Mapping[str, V]) -> dict[str, V]:
    """Return the multiply-adds alone of some tallies, where they are among them.

    >>> products_in({"parameters": 10, "multiply_adds": 20})
    {'multiply_adds': 20}
    """
    return {name: value for name, value in tallies.items() if name == MULTIPLY_ADDS}


def count(convention: Convention, flops: float, tallies: Mapping[str, float]) -> float:
    """Return what is counted of so many flops, with these tallies.

    >>> [count(convention, 210.0, {"multiply_adds": 100.0}) for convention in CONVENTIONS]
    [210.0, 200.0, 100.0, 110.0]
    """
    return convention.flops * flops + convention.multiply_adds * tallies.get(MULTIPLY_ADDS, 0.0)


def count_formula(
    convention: Convention, flops: Expression, tallies: Mapping[str, Expression]
) -> Expression:
    """Return the same as a formula."""
    products = tallies.get(MULTIPLY_ADDS, ZERO)
    parts = [(convention.flops, flops), (convention.multiply_adds, products)]
    return add(*(multiply(number(weight), tree) for weight, tree in parts if weight))


def check_counted(convention: Convention, model: str, dimensions: Mapping[str, Dimension]) -> None:
    """Raise RoofError (R0709) where a model lacks the tally that a convention needs."""
    if not convention.multiply_adds or dimensions.get(MULTIPLY_ADDS) == MAC:
        return
    found = dimensions.get(MULTIPLY_ADDS)
    why = "it tallies none" if found is None else f"its tally is in {found.describe()}, not MAC"
    needs = f"which needs its multiply-adds: {why}"
    message = f"'{model}' cannot be counted as '{convention.name}', {needs}"
    hint = "declare `unit MAC`, and in the model `tally multiply_adds: MAC = …`"
    raise RoofError([Diagnostic("R0709", message, (), hint)])
