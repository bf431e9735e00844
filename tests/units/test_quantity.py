"""Numbers with units: rounded for people, and exact ones that read back."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.units.dimension import (
    BYTE,
    CYCLE,
    DIMENSIONLESS,
    FLOP,
    JOULE,
    MESSAGE,
    SECOND,
    Dimension,
)
from roofdsl.units.quantity import show_exact, show_number, show_quantity
from roofdsl.units.unit import Unit, counts_in, read_unit

ELEMENT = Dimension.base("element")
COUNTS = counts_in(ELEMENT)
WRITABLE = [
    DIMENSIONLESS,
    BYTE,
    BYTE / SECOND,
    BYTE / FLOP,
    FLOP,
    FLOP / SECOND,
    FLOP / BYTE,
    FLOP / JOULE,
    FLOP**2 / BYTE,
    SECOND,
    SECOND / BYTE,
    SECOND / MESSAGE,
    SECOND**-1,
    JOULE,
    JOULE / FLOP,
    JOULE / SECOND,
    CYCLE,
    CYCLE / SECOND,
    MESSAGE / SECOND,
    ELEMENT,
    BYTE / ELEMENT,
]
floats = st.floats(allow_nan=False, allow_infinity=False)
fractions = st.builds(
    lambda n, p, q, d: Fraction(n) * Fraction(2) ** p * Fraction(10) ** q / d,
    st.integers(-9999, 9999),
    st.integers(-12, 60),
    st.integers(-18, 18),
    st.sampled_from([1, 1, 1, 3, 7, 60]),
)


def value_of(text: str, dimension: Dimension) -> Fraction:
    """Read `number[ unit][ / number]` back to SI base units."""
    quotient = re.fullmatch(r"(\S+?)(?: (\S+))?(?: ?/ ?(\d+))?", text)
    assert quotient, text
    number, unit_text, divisor = quotient.groups()
    unit = read_unit(unit_text, COUNTS) if unit_text else Unit("", Fraction(1), DIMENSIONLESS)
    assert isinstance(unit, Unit), text
    assert unit.dimension == dimension
    return Fraction(number) * unit.factor / int(divisor or 1)


@pytest.mark.parametrize(
    ("value", "dimension", "text"),
    [
        (13.9e9, BYTE / SECOND, "13.9 GB/s"),
        (22e9, FLOP / SECOND, "22 GFLOP/s"),
        (5e12, FLOP, "5 TFLOP"),
        (5, FLOP, "5 flop"),
        (500, FLOP / SECOND, "500 flop/s"),
        (19 / 12, FLOP / BYTE, "1.583 flop/B"),
        (18.333, FLOP / BYTE, "18.33 flop/B"),
        (15827.4, FLOP / BYTE, "15827 flop/B"),
        (65.9e-12, SECOND / BYTE, "65.9 ps/B"),
        (1.5e-6, SECOND / MESSAGE, "1.5 µs/message"),
        (0.013, SECOND, "13 ms"),
        (2.5e-9, SECOND, "2.5 ns"),
        (12345.6, SECOND, "12346 s"),
        (1e7 / 3, SECOND, "3.333e6 s"),
        (1e-14, SECOND, "0.01 ps"),
        (1e-20, SECOND, "1e-20 s"),
        (0.5, BYTE, "0.5 B"),
        (250, JOULE / SECOND, "250 W"),
        (1.2e6, JOULE / SECOND, "1.2 MW"),
        (2e-11, JOULE / FLOP, "20 pJ/flop"),
        (3.5e3, JOULE, "3.5 kJ"),
        (5e10, FLOP / JOULE, "50 GFLOP/J"),
        (2.6e9, CYCLE / SECOND, "2.6 GHz"),
        (16, FLOP / CYCLE, "16 flop/cycle"),
        (1234567, MESSAGE, "1234567 message"),
        (61952, ELEMENT, "61952 element"),
        (5, SECOND**-1, "5 s^-1"),
        (1.2e30, FLOP, "1.2e30 flop"),
        (3.14e23, FLOP, "3.14e23 flop"),
        (9.5e21, FLOP, "9500 EFLOP"),
        (-3e9, BYTE, "-3 GB"),
        (0.0, BYTE, "0 B"),
        (-0.0, BYTE / SECOND, "0 B/s"),
        (math.inf, FLOP / BYTE, "∞ flop/B"),
        (-math.inf, SECOND, "-∞ s"),
        (math.inf, DIMENSIONLESS, "∞"),
        (math.nan, BYTE, "undefined"),
        (math.nan, DIMENSIONLESS, "undefined"),
        (11.5789, DIMENSIONLESS, "11.58"),
        (61952, DIMENSIONLESS, "61952"),
        (0.0, DIMENSIONLESS, "0"),
        (3, BYTE ** Fraction(1, 2), "3 B^(1/2)"),
        (3, FLOP * BYTE, "3 flop*B"),
    ],
)
def test_quantities(value: float, dimension: Dimension, text: str) -> None:
    assert show_quantity(value, dimension) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (999.9499e6, "999.9 MB/s"),
        (999.96e6, "1 GB/s"),
        (999_999_999, "1 GB/s"),
        (1e9, "1 GB/s"),
        (999.6, "999.6 B/s"),
        (999.96, "1 kB/s"),
        (999, "999 B/s"),
        (999.96e18, "1000 EB/s"),  # the last prefix of the row
    ],
)
def test_rounding_moves_on_to_the_next_prefix(value: float, text: str) -> None:
    assert show_quantity(value, BYTE / SECOND) == text


@given(st.floats(1, 1e18), st.integers(1, 12), st.sampled_from([BYTE, FLOP / SECOND, JOULE]))
def test_three_digits_at_most_before_the_point(
    value: float, digits: int, dimension: Dimension
) -> None:
    number = show_quantity(value, dimension, digits).split(" ")[0]
    assert 1 <= float(number) < 1000


@given(floats, st.sampled_from(WRITABLE), st.integers(1, 12))
def test_a_quantity_is_its_number_rounded(value: float, dimension: Dimension, digits: int) -> None:
    assume(value == 0 or abs(value) > 1e-300)
    shown = value_of(show_quantity(value, dimension, digits), dimension)
    exact = Fraction(value)
    # Half a unit in the last digit, which is at worst 5 in the first one left out.
    assert abs(shown - exact) <= abs(exact) * Fraction(51, 10) / 10**digits


@given(st.floats(1e-13, 1e20), st.sampled_from(WRITABLE), st.integers(3, 9))
def test_shown_digits_are_those_asked_for(value: float, dimension: Dimension, digits: int) -> None:
    number = show_quantity(value, dimension, digits).split(" ")[0]
    mantissa = number.partition("e")[0]
    if "." in mantissa:
        assert len(mantissa.replace(".", "").lstrip("0")) <= digits
        assert mantissa[-1] != "0"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.000012345, 4, "1.234e-5"),
        (0.00012345678, 4, "0.0001235"),
        (0.1 + 0.2, 4, "0.3"),
        (123.456, 2, "123"),
        (123.456, 9, "123.456"),
        (9999.96, 4, "10000"),
        (999499.4, 4, "999499"),
        (999999.7, 4, "1e6"),
        (1048576, 4, "1048576"),
        (1048576.5, 4, "1.049e6"),
        (1e9, 4, "1e9"),
        (-11.5789, 4, "-11.58"),
        (1e-300, 4, "1e-300"),
    ],
)
def test_plain_numbers(value: float, digits: int, text: str) -> None:
    assert show_number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "dimension", "text"),
    [
        (Fraction(16384), BYTE, "16 KiB"),
        (Fraction(64), BYTE, "64 B"),
        (Fraction(512), BYTE, "512 B"),
        (Fraction(1000), BYTE, "1 kB"),
        (Fraction(1024), BYTE, "1 KiB"),
        (Fraction(1500), BYTE, "1.5 kB"),
        (Fraction(100_000), BYTE, "100 kB"),
        (Fraction(80 * 10**9), BYTE, "80 GB"),
        (Fraction(2**34), BYTE, "16 GiB"),
        (Fraction(2**34), BYTE / SECOND, "16 GiB/s"),
        (Fraction(1, 8), BYTE, "0.125 B"),
        (Fraction(13_900_000_000), BYTE / SECOND, "13.9 GB/s"),
        (Fraction(22 * 10**9), FLOP / SECOND, "22 GFLOP/s"),
        (Fraction(2), FLOP, "2 flop"),
        (Fraction(2048), FLOP, "2048 flop"),
        (Fraction("65.9e-12"), SECOND / BYTE, "65.9 ps/B"),
        (Fraction(3, 2 * 10**6), SECOND, "1.5 µs"),
        (Fraction(3600), SECOND, "3600 s"),
        (Fraction(-5), BYTE, "-5 B"),
        (Fraction(0), BYTE, "0 B"),
        (Fraction(0), DIMENSIONLESS, "0"),
        (Fraction(1, 2), DIMENSIONLESS, "0.5"),
        (Fraction(-1, 3), DIMENSIONLESS, "-1/3"),
        (Fraction(10**6), DIMENSIONLESS, "1000000"),
        (Fraction(10**30), DIMENSIONLESS, "1e30"),
        (Fraction(15, 10**20), DIMENSIONLESS, "1.5e-19"),
        (Fraction(10**9, 3), BYTE, "1 GB / 3"),
        (Fraction(1, 60), BYTE / SECOND, "1 B/s / 60"),
        (Fraction(7), SECOND**-1, "7 s^-1"),
        (Fraction(8), BYTE ** Fraction(1, 2), "8 B^(1/2)"),
    ],
)
def test_exact_quantities(value: Fraction, dimension: Dimension, text: str) -> None:
    assert show_exact(value, dimension) == text


@given(fractions, st.sampled_from(WRITABLE))
def test_exact_quantities_read_back(value: Fraction, dimension: Dimension) -> None:
    assert value_of(show_exact(value, dimension), dimension) == value


@given(floats, st.sampled_from([BYTE, SECOND, DIMENSIONLESS]))
def test_every_float_reads_back_exactly(value: float, dimension: Dimension) -> None:
    assert value_of(show_exact(Fraction(value), dimension), dimension) == Fraction(value)
