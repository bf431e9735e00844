"""Numbers of any locale are read back, and of several readings none is guessed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.decimals import Written, decimal_sign, read_number
from roofdsl.source import Source, Span

LOCALES = ((",", "."), (".", ","), (" ", ","), ("\u202f", ","), ("\u2019", "."), ("'", "."))


def written(text: str, *, whole: bool = False) -> Written:
    return Written(text, Span(Source("demo", text), 0, len(text)), whole)


def shown(value: Fraction, group: str, decimal: str) -> str:
    """A number of at most six decimals, as a locale with these signs has it."""
    digits, _, rest = f"{float(value):,.6f}".partition(".")
    rest = rest.rstrip("0")
    return digits.replace(",", group) + (f"{decimal}{rest}" if rest else "")


@given(
    st.sampled_from(LOCALES),
    st.lists(st.integers(0, 10**12).map(lambda n: Fraction(n, 10**4)), min_size=1, max_size=8),
)
def test_numbers_of_a_locale_are_read_back_or_refused(
    locale: tuple[str, str], values: list[Fraction]
) -> None:
    numbers = [written(shown(value, *locale)) for value in values]
    sign = decimal_sign(numbers)
    if isinstance(sign, Diagnostic):
        # Each could be of another locale: none alone has one reading.
        assert all(isinstance(decimal_sign([each]), Diagnostic | str) for each in numbers)
        return
    assert [read_number(each, sign) for each in numbers] == values
    assert [read_number(each, locale[1]) for each in numbers] == values


@pytest.mark.parametrize(
    ("texts", "sign"),
    [
        (["2.508.800", "65,77"], ","),
        (["2,508,800", "65.77"], "."),
        (["65,77", "2.508"], ","),
        (["0,123", "4,567"], ","),
        (["1234567", "4.567"], "."),
        (["1234567", "4,567"], ","),
        (["1 234 567", "4,567", "0,5"], ","),
        (["12", "7"], "."),
        ([], "."),
    ],
)
def test_other_numbers_tell(texts: list[str], sign: str) -> None:
    assert decimal_sign(map(written, texts)) == sign


@pytest.mark.parametrize("texts", [["2,508"], ["2.508", "1.024"], ["2,508", "12"], ["999,999"]])
def test_nothing_tells(texts: list[str]) -> None:
    found = decimal_sign(map(written, texts))
    assert isinstance(found, Diagnostic) and found.code == "R1232"
    assert decimal_sign(map(written, texts), ",") == ","


def test_a_count_is_whole() -> None:
    assert decimal_sign([written("2,508", whole=True)]) == "."
    assert isinstance(decimal_sign([written("2,000", whole=True)]), Diagnostic)


def test_two_locales_are_refused() -> None:
    found = decimal_sign(map(written, ["65,77", "2,508,800"]))
    assert isinstance(found, Diagnostic) and "another way" in found.message


@pytest.mark.parametrize("text", ["", "nan", "inf", "1,2,3", "1..2", "0x10", "-1", "1e99", "٣"])
def test_what_is_no_number(text: str) -> None:
    assert read_number(written(text), ".") is None
