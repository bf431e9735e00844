"""A parameter that is called as a result is told of beside it, in rows of every form."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

TEXT = """
unit euro
resource nvme: B
model m {
    param time: integer; param OI: integer; param bound: integer
    param notes: integer; param cost: integer; param nvme: integer
    param tally_held: integer; param free: integer
    flops = time*OI + bound + notes; memory = 8 B*cost; nvme = 3 B*nvme + 1 B*free
    tally held: B = 1 B * tally_held
}
machine box {
    flops = 1 GFLOP/s; memory = 1 GB/s; nvme = 2 GB/s
    power = 10 W; price = 3600 euro/h
}
model both { param time: integer; param param_time: integer; flops = time + param_time }
"""
GIVEN: dict[str, Any] = {"time": 7, "OI": 5, "bound": 4, "notes": 3, "cost": 20, "nvme": 6}
GIVEN |= {"tally_held": 9, "free": 11}
COLUMNS = {name: name if name == "free" else f"param_{name}" for name in GIVEN}


@pytest.fixture
def module() -> rd.Module:
    return rd.loads(TEXT)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "m.roof"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def run(file: str, *words: str, machine: bool = True, **changed: str) -> str:
    place = ["--machine", f"{file}:box"] if machine else []
    given = [
        word for name, value in {**GIVEN, **changed}.items() for word in ("-p", f"{name}={value}")
    ]
    found = CliRunner().invoke(cli, ["eval", f"{file}:m", *place, *given, *words])
    assert found.exit_code == 0, found.output
    return found.stdout


def forms(module: rd.Module, file: str) -> Iterator[Mapping[str, Any]]:
    prediction = module.models["m"].on(module.machines["box"])
    swept = prediction.sweep(**{**GIVEN, "time": [7]})
    yield swept.rows()[0]
    yield {name: values[0] for name, values in swept.to_dict().items() if isinstance(values, list)}
    yield swept.to_pandas().iloc[0].to_dict()
    yield {str(name): array.values.item() for name, array in swept.to_xarray().variables.items()}
    yield rd.sweep([prediction], **{**GIVEN, "time": [7]}).rows()[0]
    (row,) = csv.DictReader(StringIO(run(file, "--format", "csv")))
    yield row


def test_rows_have_the_parameter_and_the_result(module: rd.Module, file: str) -> None:
    result = module.models["m"].on(module.machines["box"]).evaluate(**GIVEN)
    count = 0
    for count, row in enumerate(forms(module, file), 1):
        for name, value in GIVEN.items():
            assert float(row[COLUMNS[name]]) == value, (count, name)
        for name in ("time", "OI", "cost", "nvme"):
            assert float(row[name]) == pytest.approx(result.quantities.get(name, result.cost))
        assert float(row["tally_held"]) == 9 and row["bound"] == result.bound
    assert count == 6


def test_units_and_dimensions_go_by_the_columns(module: rd.Module) -> None:
    swept = module.models["m"].on(module.machines["box"]).sweep(**{**GIVEN, "time": [7, 8]})
    assert swept.units["time"] == "s" and "param_time" not in swept.units
    data = swept.to_xarray()
    assert data["time"].dims == ("param_time",) and data["time"].units == "s"
    assert data["param_time"].values.tolist() == [7, 8]
    assert "param_time" in swept._repr_html_()


def test_of_two_that_would_be_called_alike_neither_is_lost(module: rd.Module) -> None:
    both = module.models["both"].on(module.machines["box"])
    (row,) = both.sweep(time=[3], param_time=4).rows()
    assert (row["param_param_time"], row["param_time"], row["flops"]) == (3, 4, 7)


def test_columns_that_are_asked_for_are_called_so_too(file: str) -> None:
    names = "time,param_time,cost,param_cost,bound,param_bound,nvme,param_nvme,free"
    (row,) = json.loads(run(file, "--columns", names, "--format", "json"))["rows"]
    assert [row[f"param_{name}"] for name in ("time", "cost", "bound", "nvme")] == [7, 20, 4, 6]
    assert (row["nvme"], row["bound"], row["free"]) == (29, "memory", 11)
    assert row["time"] == pytest.approx(1.6e-7) and row["cost"] == pytest.approx(1.6e-7)
    swept = run(file, "--columns", "OI,time", OI="5,6").splitlines()
    assert swept[2].split() == ["param_OI", "OI", "time"]


def test_without_a_machine_too(file: str) -> None:
    (row,) = csv.DictReader(StringIO(run(file, "--format", "csv", machine=False)))
    assert float(row["OI"]) == 42 / 160 and row["param_OI"] == "5" and row["nvme"] == "29"
    found = CliRunner().invoke(cli, ["eval", f"{file}:m", "--columns", "time"])
    assert found.exit_code == 2 and "'time' needs a machine" in found.output
