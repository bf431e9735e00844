"""Units where they are declared: of parameters, tallies, resources."""

from __future__ import annotations

import pytest

from roofdsl.units.dimension import BYTE, SECOND, Dimension
from tests.language.programs import codes, model, module


@pytest.mark.parametrize(
    ("unit", "dimension"),
    [
        ("s^-1", SECOND**-1),
        ("B/s", BYTE / SECOND),
        ("B^2/s", BYTE**2 / SECOND),
        ("B/s^2", BYTE / SECOND**2),
        ("B/s^-2", BYTE * SECOND**2),
        ("s^-2/B", SECOND**-2 / BYTE),
    ],
)
def test_powers_may_be_negative(unit: str, dimension: Dimension) -> None:
    text = f"""
        resource events: {unit}
        model m {{
            param r: {unit}
            param q: {unit}[0..] = 3 {unit}
            tally t: {unit} = r + q
            events = r
        }}
    """
    definition = model(text).definition
    assert definition.dimensions() == {"r": dimension, "q": dimension}
    assert definition.tallies[0].formula.dimension == dimension
    assert module(text).resources["events"].dimension == dimension


@pytest.mark.parametrize("unit", ["s^+1", "s^0", "s^-0", "s^-1.5", "s^100"])
def test_a_power_is_a_whole_number(unit: str) -> None:
    assert codes(f"model m {{ param r: {unit}\n flops = 1 }}") in (["R0303"], ["R0206"])
