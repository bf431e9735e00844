"""The tables of docs/language.md say what the code holds."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from roofdsl.model.functions import BUILT_IN as FUNCTIONS
from roofdsl.model.parameter import KINDS
from roofdsl.model.precision import PRECISIONS
from roofdsl.model.resource import BUILT_IN as RESOURCES
from roofdsl.units.unit import UNITS, UnknownUnit, read_unit

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
GRAMMAR = (ROOT / "grammar" / "roofdsl.lark").read_text(encoding="utf-8")


def rows(header: str) -> list[list[str]]:
    """Return the rows of the table with this header, as the texts of their cells."""
    (table,) = re.findall(rf"^{re.escape(header)}\n[|\- ]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def section(title: str) -> str:
    """Return the text from a heading to the next."""
    (text,) = re.findall(rf"^#+ {re.escape(title)}\n(.*?)(?=^#)", TEXT, re.MULTILINE | re.DOTALL)
    assert isinstance(text, str)
    return text


def test_the_table_of_units_is_complete() -> None:
    names = [name for row in rows("| unit | is | prefixes |") for name in code(row[0])]
    assert names == list(UNITS)


@pytest.mark.parametrize("row", rows("| unit | is | prefixes |"), ids=lambda row: row[0])
def test_a_unit_takes_the_prefixes_shown(row: list[str]) -> None:
    for name in code(row[0]):
        # The other two ways to write micro look like the one shown.
        assert row[2].split() == [p for p in UNITS[name][2] if p != "\u03bc"]


@pytest.mark.parametrize("row", rows("| unit | is | prefixes |"), ids=lambda row: row[0])
def test_a_unit_is_what_is_said(row: list[str]) -> None:
    match = re.match(r"([\d/]+) (\S+)$", row[1])
    if match is None:
        return  # in words: a base unit
    given = read_unit(match[2])
    assert not isinstance(given, UnknownUnit)
    for name in code(row[0]):
        factor, dimension, _ = UNITS[name]
        assert (factor, dimension) == (Fraction(match[1]) * given.factor, given.dimension)


@pytest.mark.parametrize("row", rows("| written | hint |"), ids=lambda row: row[0])
def test_a_refused_spelling_has_the_hint_shown(row: list[str]) -> None:
    (written,) = code(row[0])
    unit = read_unit(written)
    assert isinstance(unit, UnknownUnit)
    assert unit.hint == row[1]


def test_every_word_of_the_grammar_is_listed() -> None:
    written = set(re.findall(r'"([a-z]+)"', re.sub(r"//.*", "", GRAMMAR)))
    sentence = section("Names").split("cannot be names:")[1]
    assert code(sentence) == sorted(code(sentence))
    assert set(code(sentence)) >= written


def test_every_function_is_listed() -> None:
    listed = [call for row in rows("| function | |") for call in code(row[0])]
    assert {call.partition("(")[0] for call in listed} == {*FUNCTIONS, "sum"}


def test_every_kind_precision_and_resource_is_listed() -> None:
    kinds = [name for row in rows("| kind | values |") for name in code(row[0])]
    assert set(kinds) == {*KINDS, "GB/s"}
    sentence = section("Precision").partition(". ")[0]
    assert code(sentence) == ["precision", *PRECISIONS]
    resources = rows("| resource | unit of work | unit of rate |")
    assert [code(row[0])[0] for row in resources] == list(RESOURCES)
    assert [row[1] for row in resources] == [str(item.dimension) for item in RESOURCES.values()]
