"""Tables may have what is told of energy and money as columns."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError

PROGRAM = """
unit euro
unit dollar
machine big {
    flops = 10 GFLOP/s; memory = 4 GB/s; power = 10 W; price = 3600 euro/h
    energy flops = 2 nJ/flop; energy memory = 1 nJ/B
}
machine bare { flops = 1 GFLOP/s; memory = 2 GB/s }
machine abroad { flops = 1 GFLOP/s; memory = 2 GB/s; price = 1 dollar/h }
model work { param n: integer; flops = 1e9*n; memory = 1e9 B }
model splits { param n: integer; flops = 1e9*n; metric share = energy.constant/energy }
model own { param n: integer; flops = 1e9*n; tally energy: B = 5 B }
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "priced.roof"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def asked(program: str, model: str, machines: str, columns: str, form: str) -> tuple[int, str]:
    named = [word for each in machines.split() for word in ("-m", f"{program}:{each}")]
    line = ["table", f"{program}:{model}", *named, "-p", "n=20", "--columns", columns]
    found = CliRunner().invoke(cli, [*line, "--format", form])
    return found.exit_code, found.output


def test_energy_power_and_cost_are_columns(program: str) -> None:
    columns = "time,energy,cost,power,energy.flops"
    code, text = asked(program, "work", "big bare", columns, "csv")
    big, bare = csv.DictReader(StringIO(text))
    assert code == 0
    # 2 s of 1 euro/s; 20e9 flop of 2 nJ and 1e9 B of 1 nJ, and 10 W for 2 s.
    wanted = {"time": 2, "energy": 40 + 1 + 20, "cost": 2, "power": 30.5, "energy.flops": 40}
    assert {name: float(big[name]) for name in wanted} == pytest.approx(wanted)
    assert [bare[name] for name in wanted if name != "time"] == [""] * 4
    _, text = asked(program, "work", "big bare", columns, "json")
    found = json.loads(text)
    units = {"time": "s", "energy": "J", "cost": "euro", "power": "J/s", "energy.flops": "J"}
    assert found["units"]["rows"] == units
    assert "no cost of work on bare: 'bare' states no price" in found["notes"]


def test_they_are_typeset_with_their_units(program: str) -> None:
    code, text = asked(program, "work", "big", "energy,power,cost", "latex")
    assert code == 0 and r"\unit{J}" in text and r"\unit{W}" in text and "euro" in text


def test_a_tally_of_the_name_wins(program: str) -> None:
    assert "5 B" in asked(program, "own", "big", "energy", "text")[1]


def test_a_column_of_money_has_one_unit(program: str) -> None:
    machines = [word for name in ("big", "abroad") for word in ("-m", f"{program}:{name}")]
    line = ["table", f"{program}:work", *machines, "-p", "n=20", "--columns", "cost"]
    with pytest.raises(RoofError, match="in euro on 'big' and in dollar on 'abroad'") as refused:
        CliRunner().invoke(cli, line, catch_exceptions=False)
    assert refused.value.diagnostics[0].code == "R0718"


def test_the_reason_of_a_metric_is_the_same_each_time(program: str) -> None:
    for seed in range(4):
        line = [sys.executable, "-m", "roofdsl", "eval", f"{program}:splits", "-p", "n=2"]
        hashed = {**os.environ, "PYTHONHASHSEED": str(seed)}
        line += ["-m", f"{program}:bare"]
        found = subprocess.run(line, env=hashed, capture_output=True, text=True, check=True)
        assert "share" in found.stdout and "'bare' states no energy" in found.stdout
