"""Units where they are declared: of parameters, tallies, resources."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.analysis.threshold import Thresholds
from roofdsl.cli.main import cli
from roofdsl.units.dimension import BYTE, SECOND, Dimension
from tests.language.programs import codes, files, model, module


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


COUNTED = """
    unit edge
    resource atomics: edge shares memory
    model m { param E: edge; param rate: B/edge = 16 B/edge; memory = rate*E; atomics = E }
    machine box { param e: edge = 5 edge; memory = 1 GB/s; atomics = 1 ns/edge }
"""


def test_values_are_given_in_units_of_the_file(tmp_path: Path) -> None:
    path = str(files(tmp_path, {"graph.roof": COUNTED}))
    prediction = rd.load_model(path).on(rd.load_machine(path))
    assert prediction.evaluate(E="1e3 edge").memory == 16000
    assert prediction.evaluate(E="1e3 edge", rate="8 B/edge").memory == 8000
    command = ["eval", path, "--machine", path, "--format", "json", "-p", "E=1e9 edge"]
    for change in ("box.atomics=5e8 edge/s", "box.atomics=2 ns/edge", "box.e=3 edge"):
        result = CliRunner().invoke(cli, [*command, "--set", change])
        assert (result.exit_code, result.stderr) == (0, ""), result.output


def test_a_unit_may_be_called_precision() -> None:
    assert codes("unit precision\nmodel m { param p: precision = fp64; memory = size(p) }") == []
    assert codes("unit precision\nmodel m { let p = 1 precision; memory = size(p) }") == ["R0308"]


DEFINED = """
    unit token
    unit Mtoken = 1e6 token
    unit euro
    model serve {
        param n: token
        flops = 1e6 flop/token * n
        metric price: euro/Mtoken = cost/n
    }
    machine rented { param warm: token = 1 token; flops = 1 TFLOP/s; price = 36 euro/h }
"""


@pytest.mark.parametrize(
    ("command", "says"),
    [
        # A token takes 1 µs, at a cent a second: 1e-8 euro, or 0.01 euro for a million.
        (["eval", "-p", "n=2 Mtoken"], "0.01 euro/Mtoken"),
        (["eval", "-p", "n=1..3Mtoken:1"], "3000000 token  3 TFLOP"),
        (["eval", "-p", "n=1token", "--set", "rented.warm=2 Mtoken"], "warm = 2 Mtoken"),
        (["solve", "--such-that", "price <= 0.02 euro/Mtoken"], "for 1 token ≤ n"),
        (["solve", "--such-that", "price <= 0.009 euro/Mtoken"], "holds nowhere"),
        (["solve", "--such-that", "n >= 3 Mtoken", "--range", "1token..4Mtoken"], "3000000 token"),
        (["solve", "--between", "n", "3 Mtoken"], "3000000 token"),
        (["solve", "--between", "time", "3 s", "--range", "1token..4 Mtoken"], "3000000 token"),
    ],
)
def test_units_of_the_file_are_known_where_values_are_given(
    tmp_path: Path, command: list[str], says: str
) -> None:
    path = str(files(tmp_path, {"serve.roof": DEFINED}))
    result = CliRunner().invoke(cli, [*command, f"{path}:serve", "--machine", f"{path}:rented"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert says in result.stdout


def test_units_of_the_file_are_known_in_python(tmp_path: Path) -> None:
    path = str(files(tmp_path, {"serve.roof": DEFINED}))
    prediction = rd.load_model(f"{path}:serve").on(rd.load_machine(f"{path}:rented"))
    assert prediction.evaluate(n="2 Mtoken").time == pytest.approx(2)
    assert list(prediction.sweep(n=["1 Mtoken", "2 Mtoken"]).time) == pytest.approx([1, 2])
    found = prediction.where("n >= 3 Mtoken", "n", high="5 Mtoken")
    assert isinstance(found, Thresholds)
    (held,) = found.intervals
    assert (held.first, held.last) == pytest.approx((3e6, 5e6))
