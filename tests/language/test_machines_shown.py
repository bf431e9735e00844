"""What is shown of machines with devices, of prices in several kinds of money, of odd rates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.explorer.machines import machine
from roofdsl.model.library import find_machine

FILE = """
unit euro
unit dollar
machine box {
    flops = 1 TFLOP/s
    price = 1 euro/h
    capacity memory = 1 TB
    device gpu { memory = 1 TB/s; capacity memory = 80 GiB }
}
machine other { flops = 2 TFLOP/s; price = 1 dollar/h }
machine scaled { flops(w) = 1 TFLOP/s * sqrt(w/(1 GFLOP)) }
model second { flops = 1e12 }
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "case.roof"
    file.write_text(FILE)
    return str(file)


def run(*words: str) -> str:
    result = CliRunner().invoke(cli, [*words])
    assert result.exit_code == 0, result.output
    return result.output


def test_what_devices_hold_is_shown(path: str) -> None:
    told = " ".join(run("show", f"{path}:box").split())
    assert "capacities of gpu resource capacity memory 80 GiB" in told
    assert "capacities resource capacity memory 1 TB" in told


def test_costs_in_two_kinds_of_money_have_a_unit_each(path: str) -> None:
    machines = ["-m", f"{path}:box", "-m", f"{path}:other"]
    units = json.loads(run("eval", f"{path}:second", *machines, "--format", "json"))["units"]
    assert units["prices"] == {"box.price": "euro/s", "other.price": "dollar/s"}
    costs = {name: unit for name, unit in units["spending"].items() if "cost" in name}
    assert costs == {"box.cost": "euro", "other.cost": "dollar"}
    assert units["spending"]["power"] == "J/s"


def test_a_rate_without_one_of_large_work_is_a_scale(path: str) -> None:
    rates = machine(find_machine(f"{path}:scaled")[0], 0)[0]["rates"]
    assert isinstance(rates, list)
    assert "flop" not in json.dumps(rates[0]["quantity"])
