"""Dimensions obey the laws of a vector space over the rationals, and read as unit text."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
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
from roofdsl.units.unit import Unit, counts_in, read_unit

NAMES = ["flop", "B", "s", "J", "message", "cycle", "element", "query"]
ELEMENT = Dimension.base("element")
COUNTS = counts_in(ELEMENT * Dimension.base("query"))

exponents = st.fractions(min_value=-6, max_value=6, max_denominator=6)
dimensions = st.dictionaries(st.sampled_from(NAMES), exponents, max_size=5).map(Dimension.of)
whole_dimensions = st.dictionaries(st.sampled_from(NAMES), st.integers(-9, 9), max_size=5).map(
    Dimension.of
)


@given(dimensions, dimensions, dimensions)
def test_multiplication_is_a_commutative_group(a: Dimension, b: Dimension, c: Dimension) -> None:
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert a * DIMENSIONLESS == a
    assert a / a == DIMENSIONLESS
    assert a / b == a * b**-1
    assert a / (b / c) == a / b * c


@given(dimensions, dimensions, exponents, exponents)
def test_powers_are_rational(a: Dimension, b: Dimension, p: Fraction, q: Fraction) -> None:
    assert (a * b) ** p == a**p * b**p
    assert (a**p) ** q == a ** (p * q)
    assert a**p * a**q == a ** (p + q)
    assert a**0 == DIMENSIONLESS
    assert a**1 == a


@given(dimensions, dimensions)
def test_equal_dimensions_hash_alike_however_they_were_made(a: Dimension, b: Dimension) -> None:
    detour = a * b / b
    assert detour == a
    assert hash(detour) == hash(a)
    assert detour.powers == Dimension.of(dict(reversed(a.powers))).powers
    assert str(detour) == str(a)


@given(dimensions, dimensions)
def test_different_dimensions_have_different_texts(a: Dimension, b: Dimension) -> None:
    assert (str(a) == str(b)) == (a == b)


@given(dimensions)
def test_powers_are_canonical(a: Dimension) -> None:
    assert all(power for _, power in a.powers)
    assert [name for name, _ in a.powers] == [n for n in NAMES if n in dict(a.powers)]
    # A whole power is an int, so that hashing stays cheap.
    assert all(isinstance(p, int) == (p.denominator == 1) for _, p in a.powers)
    assert pickle.loads(pickle.dumps(a)) == a  # noqa: S301 - our own bytes


@given(whole_dimensions)
def test_text_reads_back_where_it_can_be_written(a: Dimension) -> None:
    text = str(a)
    if "*" in text or text == "1":
        assert sum(power > 0 for _, power in a.powers) != 1
        return
    unit = read_unit(text, COUNTS)
    assert unit == Unit(text, Fraction(1), a)


@pytest.mark.parametrize(
    ("dimension", "text"),
    [
        (DIMENSIONLESS, "1"),
        (FLOP, "flop"),
        (FLOP / BYTE, "flop/B"),
        (BYTE / SECOND, "B/s"),
        (SECOND / BYTE, "s/B"),
        (FLOP**2 / BYTE, "flop^2/B"),
        (BYTE / FLOP**3 / SECOND, "B/flop^3/s"),
        (SECOND**-1, "s^-1"),
        (SECOND**-2 / ELEMENT, "s^-2/element"),
        (FLOP * BYTE / SECOND, "flop*B/s"),
        (BYTE ** Fraction(1, 2), "B^(1/2)"),
        (SECOND / BYTE ** Fraction(3, 2), "s/B^(3/2)"),
        (BYTE ** Fraction(-1, 2), "B^(-1/2)"),
        (ELEMENT / Dimension.base("query"), "element/query"),
        (CYCLE / MESSAGE, "cycle/message"),
    ],
)
def test_text(dimension: Dimension, text: str) -> None:
    assert str(dimension) == text


@pytest.mark.parametrize(
    ("dimension", "words"),
    [
        (DIMENSIONLESS, "a plain number"),
        (FLOP, "flop"),
        (BYTE, "bytes (B)"),
        (SECOND, "time (s)"),
        (JOULE, "energy (J)"),
        (JOULE / SECOND, "power (W)"),
        (MESSAGE, "messages"),
        (CYCLE, "cycles"),
        (CYCLE / SECOND, "frequency (Hz)"),
        (ELEMENT, "element"),
        (BYTE / SECOND, "bytes per second (B/s)"),
        (FLOP / SECOND, "flop per second (flop/s)"),
        (FLOP / BYTE, "flop per byte (flop/B)"),
        (BYTE / FLOP, "bytes per flop (B/flop)"),
        (SECOND / BYTE, "seconds per byte (s/B)"),
        (SECOND / MESSAGE, "seconds per message (s/message)"),
        (MESSAGE / SECOND, "messages per second (message/s)"),
        (JOULE / FLOP, "joules per flop (J/flop)"),
        (FLOP / CYCLE, "flop per cycle (flop/cycle)"),
        (BYTE / ELEMENT, "bytes per element (B/element)"),
        (BYTE**2, "B^2"),
        (FLOP / BYTE / SECOND, "flop/B/s"),
        (FLOP * BYTE, "flop*B"),
        (FLOP / BYTE**2, "flop/B^2"),
        (SECOND**-1, "s^-1"),
    ],
)
def test_words(dimension: Dimension, words: str) -> None:
    assert dimension.describe() == words
