"""What a model costs by one convention to count operations or another."""

from __future__ import annotations

from roofdsl.analysis.convention import Convention
from roofdsl.answer.blocks import Printed
from roofdsl.units.dimension import FLOP
from roofdsl.units.quantity import show_quantity


def count_cell(value: float, convention: Convention) -> Printed:
    """Return a count with its unit and the prefix that people give it.

    >>> from roofdsl.analysis.convention import convention_named
    >>> count_cell(4.089e9, convention_named("mac")).text
    '4.089 GMAC'
    >>> count_cell(0, convention_named("fma")).text
    '0 op'
    """
    amount, _, unit = show_quantity(value, FLOP).partition(" ")
    return Printed(f"{amount} {unit[: -len('flop')]}{convention.unit}")
