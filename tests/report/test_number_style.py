"""A terminal has one style of numbers: that of files, so that each can be typed back."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.units.quantity import show_number

GPT3 = "gpt3 --machine h100_sxm -p batch=1"
BATCHES = "vgg16 --machine a100_sxm_80gb -p batch=1,17"
WORD = "llama2_7b_serving --machine a100_serving"
STEPS = "resnet50 --machine h100_sxm -p batch=64"
COMMANDS = (
    f"eval {GPT3}",
    f"eval {GPT3} --top 5",
    f"eval {GPT3} --by layer",
    f"eval {WORD} --top 5",
    f"eval {BATCHES}",
    f"eval {BATCHES} --format markdown",
    f"eval {STEPS} --rates ±5%",
    "eval summa --machine karst",
    "eval dgemv --machine karst -p N=1e12",
    "eval summa --machine karst -p N=1000000 -p P=4..1024:x16",
    "solve summa --crossover --for N --machine karst -p P=121",
    "solve summa --faster --for N --machine karst --machine jetstream -p P=121",
    "study summa --machine karst -p N=4096 -p P=121 --sensitivity",
    "study summa --machine karst -p N=1e7 --scaling",
    "table summa dgemv --machine karst --machine jetstream -p N=1e7 -p P=121",
    "table --rates --machine karst --machine h100_sxm",
    "list",
    "show gpt3",
    "show h100_sxm",
    "eval summa --machine karst -p N=4096 -p P=121 --set karst.memory=1e-5x",
    "eval summa --machine karst -p N=4096 -p P=121 --format latex",
)
WITH_EXPONENT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([-+]?\d+)(?![\w.])")
OTHERWISE = {
    "an exponent that no file has": re.compile(r"\d[eE](?:\+|-0)\d"),
    "thousands apart": re.compile(r"(?<![\w,./])\d{1,3}(?:[ \u2009\u202f']\d{3})+(?![\w.])"),
    "a name of Python's": re.compile(r"(?<![\w.])(?:inf|nan|None|-0)(?![\w.])"),
    "a zero at the end": re.compile(r"(?<![\w.])0\.0(?![\w.])"),
}


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    return {command: answered(command) for command in COMMANDS}


def answered(command: str) -> str:
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_numbers_have_one_style(command: str, said: dict[str, str]) -> None:
    text = said[command]
    for style, pattern in OTHERWISE.items():
        assert pattern.findall(text) == [], style
    for digits, exponent in WITH_EXPONENT.findall(text):
        number = Fraction(f"{digits}e{exponent}")
        assert show_number(number, 15) in (f"{digits}e{exponent}", str(number))


def test_exponents_are_seen_in_tables_and_in_formulas(said: dict[str, str]) -> None:
    seen = {command: WITH_EXPONENT.findall(text) for command, text in said.items()}
    assert ("1.112", "11") in seen["eval summa --machine karst"]  # in a formula
    assert seen[f"eval {GPT3}"] and seen[f"eval {BATCHES}"]  # in tables


def test_two_commands_show_a_number_alike(said: dict[str, str]) -> None:
    """What `eval` says of one point stands in the row of that point among others."""
    one = answered(f"eval {BATCHES.replace('1,17', '17')}")
    row = next(x for x in said[f"eval {BATCHES}"].splitlines() if x.startswith("  17 "))
    for name in ("time", "OI", "attainable", "multiply_adds", "weights"):
        found = re.search(rf"^  {name}  +(\S+ \S+)", one, re.MULTILINE)
        assert found and found[1] in re.split(r" {2,}", row), name
