"""Numbers beyond the largest and below the least float: all questions are answered, none crash."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError
from roofdsl.expression.bounds import sign_by_bounds
from roofdsl.expression.construct import add, multiply, number, power
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.rational import factors, integer_root, rational_logarithm
from roofdsl.expression.tree import Multiply, Number, Power, Symbol
from roofdsl.units.dimension import BYTE
from roofdsl.units.quantity import decimal_places, show_number, show_quantity

QUESTIONS = (
    ("eval",),
    ("eval", "-p", "N=7"),
    ("solve", "--crossover", "--for", "N"),
    ("solve", "--such-that", "bound = flops", "--for", "N"),
    ("solve", "--such-that", "time <= 10 s", "--for", "N"),
    ("solve", "--crossover", "--for", "N", "--rates", "±10%"),
    ("study", "--sensitivity", "-p", "N=7"),
    ("study", "--asymptotic", "--for", "N"),
)


def asked(folder: Path, flops: str, question: tuple[str, ...], kind: str = "integer") -> str:
    """Return what is answered about a model of one parameter."""
    file = folder / "m.roof"
    file.write_text(
        f"model m {{ param N: {kind}; flops = {flops}; memory = 8 B * N^2 }}\n"
        "machine box { flops = 1 GFLOP/s; memory = 1 GB/s }\n"
    )
    command, *options = question
    result = CliRunner().invoke(cli, [command, f"{file}:m", "-m", f"{file}:box", *options])
    if result.exception is not None and not isinstance(result.exception, SystemExit | RoofError):
        raise result.exception
    return result.output or str(result.exception)


@pytest.mark.parametrize("kind", ["integer", "real"])
@pytest.mark.parametrize(
    "flops",
    [
        "10^400/(N - 4)^2",
        "ln(N - 1e399)",
        "(N - 1e399)^0.5",
        "ln(-1e-399*N)",
        "N*(1e399 - N)",
        "1e400 - N",
    ],
)
def test_no_question_about_them_crashes(tmp_path: Path, flops: str, kind: str) -> None:
    for question in QUESTIONS:
        assert "Traceback" not in asked(tmp_path, flops, question, kind)


def test_an_empty_range_is_said_with_its_ends(tmp_path: Path) -> None:
    found = asked(tmp_path, "ln(N - 1e399)", ("solve", "--crossover", "--for", "N"), "real")
    assert "between its bounds, 1e399 and 1e18" in found


def test_numbers_beyond_floats_are_shown_with_their_exponents() -> None:
    assert show_number(Fraction(10**400, 3)) == "3.333e399"
    assert show_number(-Fraction(1, 8 * 10**400)) == "-1.25e-401"
    assert show_number(Fraction(0)) == "0"
    assert show_quantity(Fraction(10**400), BYTE) == "1e400 B"
    assert show_quantity(Fraction(16_000), BYTE) == "16 kB"


def test_long_numbers_take_few_steps() -> None:
    # Each of these took time that grew with the number, not with how it is written.
    assert decimal_places(Fraction(3, 10**20_000)) == 20_000
    assert decimal_places(Fraction(3, 7 * 10**20_000)) is None
    assert rational_logarithm(Fraction(10**4000), Fraction(1, 10)) == -4000
    assert rational_logarithm(Fraction(8**900), Fraction(4**600)) == Fraction(9, 4)
    assert rational_logarithm(Fraction(7**3000 + 1), Fraction(10)) is None
    assert integer_root(7**3001, 3000) == 7
    assert factors(1009**30) == ((1009, 30),)


def test_products_of_many_terms_and_long_coefficients_have_no_normal_form() -> None:
    n = Symbol("N")
    powers = [power(add(n, number(each)), number(each)) for each in range(2, 100)]
    assert normal_form(multiply(*powers)) is None
    tiny = Multiply((*([Number(Fraction(1, 10**400))] * 100), n))
    assert normal_form(tiny) is None


def test_powers_beyond_all_floats_are_compared_by_their_logarithms() -> None:
    tower = Power(Number(Fraction(1, 10**400)), Number(-(Fraction(10) ** 300)))
    assert sign_by_bounds(add(tower, number(-1)), 100) == 1
