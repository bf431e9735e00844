"""What the numbers with `±` do to a result is said alike in all formats."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

FILE = """
unit euro
machine box {
    flops   = 22 ± 0.4 GFLOP/s
    memory  = 10 ± 5 % GB/s
    power   = 30 ± 2 W
    energy { flops = 20 ± 3 pJ/flop; memory = 0 pJ/B }
    price   = 1.2 ± 0.1 euro/h
}
model dot {
    param n: integer
    let eff = 0.8 ± 0.1
    flops  = 2000*n/eff
    memory = 8 B*n*eff
    metric per_hour: euro/h = cost/time
}
"""
ASKED = ("--machine", "FILE:box", "-p", "n=1000000")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "dot.roof"
    path.write_text(FILE)
    return path


def printed(file: Path, form: str) -> str:
    options = [each.replace("FILE", str(file)) for each in ASKED]
    found = CliRunner().invoke(cli, ["eval", f"{file}:dot", *options, "--format", form])
    assert found.exit_code == 0, found.output
    return found.output


def test_python_and_json_say_the_same(file: Path) -> None:
    model, machine = rd.load_model(f"{file}:dot"), rd.load_machine(f"{file}:box")
    found = model.on(machine).evaluate(n=10**6).uncertainty
    told = json.loads(printed(file, "json"))["uncertainty"]
    assert {*told["quantities"]} == {*found} >= {"time", "attainable", "energy", "cost", "power"}
    for name, item in told["quantities"].items():
        same = (found[name].low, found[name].high, found[name].first_order, found[name].attained)
        assert (item["low"], item["high"], item["first_order"], item["attained"]) == same
        assert item["shares"] == found[name].shares
    assert {*told["numbers"]} == {*found.numbers}
    assert told["bound"] == {"verdict": "all", "bounds": ["flops"]}
    assert told["unanswered"] is None


def test_the_text_is_true_as_it_stands(file: Path) -> None:
    text = printed(file, "text")
    found = json.loads(printed(file, "json"))["uncertainty"]["quantities"]
    assert "time        113.6 ± 16 ms" in text and "within ±    flops binds for all" in text
    assert "cost        3.788e-05 ± 8.6e-06 euro" in text
    rows = re.findall(
        r"^  (\w+) +([\d.e-]+) (\S+) +([\d.e-]+) (\S+) +([\w.]+ [\d.]+ %.*)$", text, re.M
    )
    units = {"ms": 1e-3, "GFLOP/s": 1e9, "J": 1, "W": 1, "euro": 1, "euro/h": 1 / 3600}
    assert [row[0] for row in rows] == ["time", "attainable", "energy", "power", "cost", "per_hour"]
    for name, low, low_unit, high, high_unit, owed in rows:
        ends = found[name]
        lowest, highest = float(low) * units[low_unit], float(high) * units[high_unit]
        # Rounded outwards, and by no more than their digits.
        assert 0.999 * ends["low"] <= lowest <= ends["low"] * (1 + 1e-12)
        assert ends["high"] * (1 - 1e-12) <= highest <= 1.001 * ends["high"]
        shares = dict(re.findall(r"([\w.]+) ([\d.]+) %", owed))
        for number, share in shares.items():
            assert float(share) == pytest.approx(100 * ends["shares"][number], rel=6e-3)


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_other_notations_have_the_same_rows(file: Path, form: str) -> None:
    text = " ".join(printed(file, form).split())
    half = r"\qty{113.6 \pm 16}{ms}" if form == "latex" else "113.6 ± 16 ms"
    assert half in text and "at most" in text and "proven for all numbers within" in text
    assert len(re.findall(r"box\.power|box.power", text)) == 2


def test_a_number_that_may_be_off_can_be_set() -> None:
    line = ["eval", "summa", "-m", "karst", "-p", "N=4096", "-p", "P=121"]
    line += ["--set", "karst.network=1.2 ± 0.05 GB/s"]
    found = CliRunner().invoke(cli, line)
    assert found.exit_code == 0, found.output
    assert "± owed to" in found.output and "karst.network 100 %" in found.output
    plain = CliRunner().invoke(cli, line[:-2])
    assert "±" not in plain.output


def test_rows_have_it_on_request(file: Path) -> None:
    line = ["eval", f"{file}:dot", "-m", f"{file}:box", "-p", "n=1000,1000000", "--format", "csv"]
    asked = ["time", "time.low", "time.high", "time.first_order", "memory.low", "OI.first_order"]
    found = CliRunner().invoke(cli, [*line, "--columns", ",".join(asked)])
    assert found.exit_code == 0, found.output
    head, _, last = (row.split(",") for row in found.output.splitlines())
    row = dict(zip(head, last, strict=True))
    told = json.loads(printed(file, "json"))["uncertainty"]["quantities"]
    for name in asked[1:]:
        of, end = name.rsplit(".", 1)
        column = next(each for each in head if each.startswith(name))
        assert float(row[column]) == pytest.approx(told[of][end], rel=1e-12)


def test_ends_are_those_of_what_the_name_stands_for(file: Path) -> None:
    """`energy.low` is no part of the energy; what nothing is worked out for is no end of itself."""
    file.write_text(FILE.replace("    price ", "    capacity { memory = 16 ± 1 GB }\n    price "))
    line = ["eval", f"{file}:dot", "-m", f"{file}:box", "-p", "n=1000000", "--format", "json"]
    asked = ["energy.low", "energy.work.high", "machine.capacity.memory.low", "capacity.memory.low"]
    found = CliRunner().invoke(cli, [*line, "--columns", ",".join(asked)])
    assert found.exit_code == 0, found.output
    (row,) = json.loads(found.output)["rows"]
    told = json.loads(printed(file, "json"))["uncertainty"]["quantities"]
    assert row["energy.low"] == told["energy"]["low"] and row["energy.low"] > 0
    assert row["energy.work.high"] == told["energy.work"]["high"]
    assert row["machine.capacity.memory.low"] == pytest.approx(15e9)
    assert row["capacity.memory.low"] in (None, row["machine.capacity.memory.low"])
