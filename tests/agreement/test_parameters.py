"""Parameters come back as they were given, to the last digit, in every output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl
from roofdsl.cli.main import cli

MODEL = """
model given {
    param N: integer
    param share: real
    param size: B
    param c: real = 1
    flops = N
    memory = size*N*share*c
}
machine box {
    flops = 1 GFLOP/s
    memory = 1 GB/s
    network = 1 GB/s
}
"""
GIVEN = {"N": "9007199254740993", "share": "0.1", "size": "123456789012 B"}
SHOWN = {"N": "9007199254740993", "share": "0.1", "size": "123.456789012 GB"}
PLAIN = {"N": 9007199254740993, "share": 0.1, "size": 123456789012}
"""As typed, as people read them, and as JSON, CSV and Python have them, in SI base units."""

FORMATS = ("text", "markdown", "latex")
COMMANDS = {
    "eval": ["eval"],
    "solve": ["solve", "--crossover", "--for", "c"],
    "study": ["study", "--sensitivity"],
    "table": ["table"],
}


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("given.roof").write_text(MODEL, encoding="utf-8")


@pytest.fixture
def run() -> Callable[..., str]:
    """Run a command about the model with `-p` for each parameter, and return what it printed."""

    def ran(command: list[str], *more: str, given: dict[str, str] = GIVEN) -> str:
        settings = [word for name, value in given.items() for word in ("-p", f"{name}={value}")]
        words = [*command, "given.roof:given", "--machine", "given.roof:box", *settings, *more]
        result = CliRunner().invoke(cli, words, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    return ran


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_people_read_what_was_typed(command: str, form: str, run: Callable[..., str]) -> None:
    page = run(COMMANDS[command], "--format", form).replace("\N{NO-BREAK SPACE}", " ")
    page = page.replace("~", " ").replace(r"\_", "_")
    for name, shown in SHOWN.items():
        assert shown in page, f"{name} in {page}"


@pytest.mark.parametrize("command", ["eval", "solve", "study"])
def test_programs_read_what_was_typed(command: str, run: Callable[..., str]) -> None:
    answer = json.loads(run(COMMANDS[command], "--format", "json"))
    found = [answer["params"][name] for name in PLAIN]
    assert found == [*PLAIN.values()]
    assert [*map(type, found)] == [int, float, int]


def test_every_row_has_its_own_value(run: Callable[..., str]) -> None:
    given = {**GIVEN, "N": "9007199254740993,9007199254740995,1000000000000000001"}
    rows = run(["eval"], "--format", "csv", given=given).splitlines()
    assert [row.split(",")[2:5] for row in rows[1:]] == [
        ["9007199254740993", "0.1", "123456789012"],
        ["9007199254740995", "0.1", "123456789012"],
        ["1000000000000000001", "0.1", "123456789012"],
    ]
    page = run(["eval"], given=given)
    assert "  9007199254740995  " in page
    assert "  1000000000000000001  " in page


def test_what_follows_from_a_parameter_is_exact_as_well(run: Callable[..., str]) -> None:
    Path("given.roof").write_text(MODEL.replace("c: real = 1", "c: integer = N + 2"))
    for N in ("9007199254740993", "9007199254740993,9007199254740995"):
        row = run(["eval"], "--format", "csv", given={**GIVEN, "N": N}).splitlines()[1]
        assert row.split(",")[5] == "9007199254740995"


def test_a_message_names_what_was_typed() -> None:
    Path("given.roof").write_text(MODEL.replace("flops = N", "flops = 10^300*N"))
    words = [word for name, value in GIVEN.items() for word in ("-p", f"{name}={value}")]
    result = CliRunner().invoke(cli, ["eval", "given.roof:given", "-m", "given.roof:box", *words])
    error = result.exception
    assert isinstance(error, roofdsl.RoofError)
    assert "here N = 9007199254740993, share = 0.1, size = 123.456789012 GB" in str(error)


def test_python_has_what_was_given() -> None:
    model = roofdsl.load_model("given.roof:given")
    asked = model.on(roofdsl.load_machine("given.roof:box"))
    for given, kept in ((2**53 + 1, 2**53 + 1), (10**30 + 1, 10**30 + 1), (4096.0, 4096)):
        value = asked.evaluate(N=given, share=0.1, size="1 kB").parameters["N"]
        assert (value, type(value)) == (kept, int)
    # Nobody gave the 301 digits of the float 1e300.
    value = asked.evaluate(N=1, share=1e300, size="1 kB").parameters["share"]
    assert (value, type(value)) == (1e300, float)


def test_arrays_have_what_was_given() -> None:
    model = roofdsl.load_model("given.roof:given")
    asked = model.on(roofdsl.load_machine("given.roof:box"))
    for given in ([2**53 + 1, 7], [10**30 + 1, 7]):
        found = asked.sweep(N=given, share=0.1, size="1 kB")
        assert found.parameters["N"].tolist() == given
        assert [row["N"] for row in found.rows()] == given
