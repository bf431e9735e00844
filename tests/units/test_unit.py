"""Every prefix with every unit, against a table written out here, and what is refused."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.units.dimension import (
    BYTE,
    CYCLE,
    FLOP,
    JOULE,
    MESSAGE,
    SECOND,
    Dimension,
)
from roofdsl.units.unit import (
    LARGEST_FACTOR,
    MOST_PARTS,
    UNITS,
    Unit,
    UnknownUnit,
    counts_in,
    prefixed,
    read_unit,
    unit_named,
    unit_names,
)

# Independent of the code: prefixes as numbers, and units with the prefixes they take.
SIZES = {
    "": "1",
    "p": "0.000000000001",
    "n": "0.000000001",
    "u": "0.000001",
    "µ": "0.000001",
    "μ": "0.000001",
    "m": "0.001",
    "k": "1000",
    "M": "1000000",
    "G": "1000000000",
    "T": "1000000000000",
    "P": "1000000000000000",
    "E": "1000000000000000000",
    "Ki": "1024",
    "Mi": "1048576",
    "Gi": "1073741824",
    "Ti": "1099511627776",
    "Pi": "1125899906842624",
    "Ei": "1152921504606846976",
}
UP = ["", "k", "M", "G", "T", "P", "E"]
DOWN = ["", "p", "n", "u", "µ", "μ", "m"]
BINARY = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
TABLE: dict[str, tuple[str, Dimension, list[str]]] = {
    "flop": ("1", FLOP, UP),
    "FLOP": ("1", FLOP, UP),
    "FLOPS": ("1", FLOP / SECOND, UP),
    "B": ("1", BYTE, UP + BINARY),
    "bit": ("0.125", BYTE, UP + BINARY),
    "s": ("1", SECOND, DOWN),
    "min": ("60", SECOND, [""]),
    "h": ("3600", SECOND, [""]),
    "J": ("1", JOULE, UP + DOWN),
    "W": ("1", JOULE / SECOND, UP + DOWN),
    "Hz": ("1", CYCLE / SECOND, UP),
    "cycle": ("1", CYCLE, UP),
    "message": ("1", MESSAGE, UP),
}
# No spelling may be reached in two ways, or one of them would hide the other.
SPELLINGS = [prefix + name for name, (_, _, own) in TABLE.items() for prefix in sorted({*own})]
ELEMENT = Dimension.base("element")


def read(text: str) -> Unit:
    unit = read_unit(text, counts_in(ELEMENT))
    assert isinstance(unit, Unit), unit
    return unit


def refused(text: str) -> UnknownUnit:
    unknown = read_unit(text, counts_in(ELEMENT))
    assert isinstance(unknown, UnknownUnit), unknown
    assert text[unknown.start :].startswith(unknown.part)
    return unknown


def test_the_table_has_the_same_units() -> None:
    assert set(TABLE) == set(UNITS)
    assert len(SPELLINGS) == len(set(SPELLINGS)) == 103


@pytest.mark.parametrize(("prefix", "name"), list(product(SIZES, TABLE)))
def test_every_prefix_with_every_unit(prefix: str, name: str) -> None:
    size, dimension, prefixes = TABLE[name]
    text = prefix + name
    if prefix in prefixes:
        assert read(text) == Unit(text, Fraction(SIZES[prefix]) * Fraction(size), dimension)
        assert read(f"{text}^2").factor == (Fraction(SIZES[prefix]) * Fraction(size)) ** 2
        below = read(f"element/{text}")
        assert below.factor == 1 / (Fraction(SIZES[prefix]) * Fraction(size))
        assert below.dimension == ELEMENT / dimension
    elif text not in SPELLINGS:
        assert refused(text).part == text


def letters(text: str) -> str:
    return text.lower().replace("µ", "u").replace("μ", "u")


@pytest.mark.parametrize("text", SPELLINGS)
def test_another_case_is_another_unit_or_refused_with_the_right_one(text: str) -> None:
    for other in {text.lower(), text.upper(), text.swapcase()} - set(SPELLINGS):
        hint = refused(other).hint or ""
        proposed = re.findall(r"'([^']+)'|\b([kK]i?(?:B|bit)) is", hint)
        units = [read(quoted or kilo) for quoted, kilo in proposed]
        same_letters = [unit for unit in units if letters(unit.text) == letters(text)]
        same_value = [unit for unit in units if unit == read(text)._replace(text=unit.text)]
        assert same_letters or same_value, (other, hint)


@pytest.mark.parametrize(
    ("text", "factor", "dimension"),
    [
        ("GB/s", 10**9, BYTE / SECOND),
        ("GiB/s", 2**30, BYTE / SECOND),
        ("Gbit/s", Fraction(10**9, 8), BYTE / SECOND),
        ("ps/B", Fraction(1, 10**12), SECOND / BYTE),
        ("us/message", Fraction(1, 10**6), SECOND / MESSAGE),
        ("GFLOP/s", 10**9, FLOP / SECOND),
        ("GFLOPS", 10**9, FLOP / SECOND),
        ("GFLOPS/W", 10**9, FLOP / JOULE),
        ("GFLOP/s/W", 10**9, FLOP / JOULE),
        ("flop/cycle", 1, FLOP / CYCLE),
        ("flop^2/B", 1, FLOP**2 / BYTE),
        ("kB^2/ms^3", 10**15, BYTE**2 / SECOND**3),
        ("GB/h", Fraction(10**9, 3600), BYTE / SECOND),
        ("s^-1", 1, SECOND**-1),
        ("ms^-1", 1000, SECOND**-1),
        ("B/element", 1, BYTE / ELEMENT),
        ("element", 1, ELEMENT),
        ("MW/GHz", Fraction(1, 1000), JOULE / CYCLE),
        ("B^99", 1, BYTE**99),
    ],
)
def test_compound_units(text: str, factor: int | Fraction, dimension: Dimension) -> None:
    assert read(text) == Unit(text, Fraction(factor), dimension)


def test_a_unit_of_the_table_comes_before_a_count() -> None:
    assert read_unit("B", {"B": Unit("B", Fraction(1), ELEMENT)}) == Unit("B", Fraction(1), BYTE)


POWERS = "a power is a whole number up to 99, or its negative, and not 0"
CANCEL = "these units cancel; write a plain number"


@pytest.mark.parametrize(
    ("text", "part", "start", "hint"),
    [
        ("B^0", "B^0", 0, POWERS),
        ("GB/s^0", "s^0", 3, POWERS),
        ("B^100", "B^100", 0, POWERS),
        ("B^-100", "B^-100", 0, POWERS),
        ("B^" + "9" * 10_000, "B^" + "9" * 10_000, 0, POWERS),
        ("B^1.5", "B^1.5", 0, POWERS),
        ("B^+2", "B^+2", 0, POWERS),
        ("B^--2", "B^--2", 0, POWERS),
        ("B^²", "B^²", 0, POWERS),
        ("B^٣", "B^٣", 0, POWERS),
        ("B^", "B^", 0, POWERS),
        ("B^2^3", "B^2^3", 0, POWERS),
        ("J^99/W^-1", "J^99/W^-1", 0, POWERS),
        ("EB^17", "EB^17", 0, "its powers are too large"),
        ("s/EB^17", "s/EB^17", 0, "its powers are too large"),
        ("B/B", "B/B", 0, CANCEL),
        ("GB/kB", "GB/kB", 0, CANCEL),
        ("B/bit", "B/bit", 0, CANCEL),
        ("min/h", "min/h", 0, CANCEL),
        ("flop/B/flop", "flop/B/flop", 0, CANCEL),
        ("J/W/s", "J/W/s", 0, CANCEL),
        ("element/element", "element/element", 0, CANCEL),
        ("FLOPS/s", "FLOPS/s", 0, "FLOPS is already per second; write 'FLOP/s'"),
        ("GFLOPS/s", "GFLOPS/s", 0, "FLOPS is already per second; write 'GFLOP/s'"),
        ("GFLOPS/B", "GFLOPS/B", 0, "FLOPS is already per second; write 'GFLOP/B'"),
        ("B/FLOPS", "B/FLOPS", 0, "FLOPS is already per second; write 'B/FLOP'"),
        ("s/s/s/s/s/s/s/s/s/s", "s/s", 16, f"a unit has at most {MOST_PARTS} parts"),
        ("GB/word", "word", 3, None),
        ("word^2/s", "word", 0, None),
        ("GB/s/KB", "KB", 5, "kB is 1000 bytes, KiB is 1024"),
    ],
)
def test_what_is_refused(text: str, part: str, start: int, hint: str | None) -> None:
    assert refused(text) == UnknownUnit(part, start, hint)


parts = st.tuples(st.sampled_from(SPELLINGS), st.integers(-5, 5).filter(bool), st.booleans()).map(
    lambda item: f"{item[0]}^{item[1]}" if item[1] != 1 or item[2] else item[0]
)


@given(st.lists(parts, min_size=1, max_size=MOST_PARTS))
def test_a_compound_is_the_product_of_its_parts(texts: list[str]) -> None:
    unit = read_unit("/".join(texts))
    factor, dimension = Fraction(1), Dimension()
    for index, text in enumerate(texts):
        name, _, power = text.partition("^")
        exponent = int(power or 1) * (-1 if index else 1)
        single = read(name)
        factor *= single.factor**exponent
        dimension *= single.dimension**exponent
    if isinstance(unit, Unit):
        assert (unit.factor, unit.dimension) == (factor, dimension)
    else:
        assert (unit.part, unit.start) == ("/".join(texts), 0)
        assert unit.hint


@given(st.text(alphabet=st.sampled_from("GBKkisfloph/^-0129. *µ²_"), max_size=30) | st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    unit = read_unit(text)
    if isinstance(unit, Unit):
        assert unit.text == text
        assert 1 / Fraction(LARGEST_FACTOR) <= unit.factor <= LARGEST_FACTOR
        assert float(unit.factor) > 0
    else:
        assert text[unit.start :].startswith(unit.part)


def test_names_and_where_they_begin() -> None:
    assert unit_names("GB^2/s/word") == [("GB", 0), ("s", 5), ("word", 7)]


@pytest.mark.parametrize("name", TABLE)
def test_the_canonical_name_with_a_prefix_is_a_unit(name: str) -> None:
    _, dimension, prefixes = TABLE[name]
    for prefix in prefixes:
        unit = unit_named(prefixed(prefix, name))
        assert unit is not None
        assert unit.dimension == dimension
