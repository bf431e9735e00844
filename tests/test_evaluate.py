"""SUMMA on Karst in numbers, against a calculation by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli


def by_hand(n: float, p: float, word: float = 8.0, line: float = 8.0, cache: float = 2048.0):
    """Cardwell 2019, Table 2.4 and Eq. 2.5, bytes instead of elements; Table 2.3 for Karst."""
    flops = (2 * n**3 + 2 * n**2) / p
    memory = word * line * (1 + n**2 / line + n**3 / (line * math.sqrt(cache))) / p
    root = math.sqrt(p)
    network = 2 * root * word * (n / root) ** 2 * math.log2(root)
    times = {"flops": flops / 22e9, "memory": memory / 13.9e9, "network": network / 1.2e9}
    values = {
        "flops": flops,
        "memory": memory,
        "network": network,
        "OI": flops / memory,
        "CAI": flops / network,
        "MI": memory / network,
        "time": max(times.values()),
        "attainable": min(22e9, 13.9e9 * flops / memory, 1.2e9 * flops / network),
    }
    return values, max(times, key=lambda name: times[name])


@pytest.mark.parametrize(("n", "p"), [(4096, 121), (242, 121), (61952, 121), (1000, 4)])
def test_json_equals_a_calculation_by_hand(n: int, p: int) -> None:
    arguments = ["eval", "summa.roof", "--machine", "karst", "-p", f"N={n}", "-p", f"P={p}"]
    output = CliRunner().invoke(cli, [*arguments, "--format", "json"]).stdout
    answer = json.loads(output)
    values, bound = by_hand(n, p)
    assert (answer["schema"], answer["answer"]) == (2, "point")
    assert (answer["model"], answer["machine"]) == ("summa", "karst")
    assert answer["params"] == {"N": n, "P": p, "word": 8, "B": 8, "M": 2048, "dtype": "fp64"}
    assert answer["bound"] == bound
    assert answer["values"].pop("peak") == 22e9
    assert answer["values"] == pytest.approx(values, rel=1e-12)
    assert answer["ridge"] == pytest.approx(
        {"OI": 22 / 13.9, "CAI": 22 / 1.2, "MI": 13.9 / 1.2}, rel=1e-12
    )


def test_python_gives_the_same_numbers_as_the_command() -> None:
    result = rd.load_model("summa").on(rd.load_machine("karst")).evaluate(N=4096, P=121)
    values, bound = by_hand(4096, 121)
    assert {name: getattr(result, name) for name in values} == pytest.approx(values, rel=1e-12)
    assert result.bound == bound


def test_values_may_be_texts_with_units() -> None:
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    given = prediction.evaluate(N=4096, P=121, word="4 B", M="8 KiB / 8 B")
    assert given.OI == pytest.approx(by_hand(4096, 121, word=4, line=16, cache=1024)[0]["OI"])


def test_numbers_of_numpy_are_numbers() -> None:
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    plain = prediction.evaluate(N=4096, P=121)
    kinds: tuple[Any, ...] = (np.int64, np.int32, np.uint16, np.float64)
    for kind in kinds:
        assert prediction.evaluate(N=kind(4096), P=kind(121)) == plain
    assert prediction.sweep(N=[], P=4).time.size == 0


@pytest.mark.parametrize(
    ("network", "allowed", "refused", "code"),
    [
        ("8 B / (N - 1)", 2, 1, "R0407"),
        ("8 B / (N - 1)", 2, 0.5, "R0409"),
        ("3*(N - 4) * 1 B", 4, 3.5, "R0409"),
        ("2 B * (5 - 2*N)", 2.5, 3, "R0409"),
    ],
)
def test_a_sweep_refuses_what_evaluate_does(
    tmp_path: Path, network: str, allowed: float, refused: float, code: str
) -> None:
    """Work that takes no time is checked as well."""
    path = tmp_path / "odd.roof"
    work = f"flops = 1; network = {network}"
    path.write_text(
        "machine box { flops = 1 flop/s; memory = 1 B/s; network = unlimited }\n"
        f"model kernel {{ param N; {work} }}\n"
        f"model steps {{ param N; repeat 3 {{ step a {{ {work} }} }} }}\n"
    )
    for model in ("kernel", "steps"):
        prediction = rd.load_model(f"{path}:{model}").on(rd.load_machine(f"{path}:box"))
        assert prediction.sweep(N=[allowed]).network >= 0
        with pytest.raises(rd.RoofError) as alone:
            prediction.evaluate(N=refused)
        with pytest.raises(rd.RoofError) as among:
            prediction.sweep(N=[allowed, refused])
        for caught in (alone, among):
            assert [each.code for each in caught.value.diagnostics] == [code]


@pytest.mark.parametrize(
    "work", ["(N + N) * sqrt(0 message^2)", "(N - 4) * 1 message", "(N - 4)^2 * 1 message"]
)
def test_no_work_needs_no_rate_in_a_sweep_either(tmp_path: Path, work: str) -> None:
    path = tmp_path / "idle.roof"
    work = f"memory = N * 1 B; messages = {work}"
    path.write_text(f"machine box {{ memory = 1 B/s }}\nmodel m {{ param N: integer; {work} }}\n")
    prediction = rd.load_model(f"{path}:m").on(rd.load_machine(f"{path}:box"))
    swept = prediction.sweep(N=[4, 4])
    assert swept.time.tolist() == [4, 4] == [prediction.evaluate(N=4).time] * 2
    assert swept.bound.tolist() == ["memory"] * 2


def test_work_needs_a_rate_in_a_sweep(tmp_path: Path) -> None:
    path = tmp_path / "lacks.roof"
    work = "memory = N * 1 B; messages = (N - 4) * 1 message"
    path.write_text(f"machine box {{ memory = 1 B/s }}\nmodel m {{ param N: integer; {work} }}\n")
    prediction = rd.load_model(f"{path}:m").on(rd.load_machine(f"{path}:box"))
    with pytest.raises(rd.RoofError) as caught:
        prediction.sweep(N=[4, 5])
    assert [each.code for each in caught.value.diagnostics] == ["R0501"]


def test_errors_of_python_carry_their_diagnostics() -> None:
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    with pytest.raises(rd.RoofError) as caught:
        prediction.evaluate(N=4096, P=120, Q=3)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["R0401"]
    with pytest.raises(rd.RoofError, match="requires sqrt"):
        prediction.evaluate(N=4096, P=120)
    with pytest.raises(rd.RoofError, match="needs a value for P"):
        prediction.evaluate(N=4096)


def test_table_2_3_ridge_points() -> None:
    for machine, oi, cai in [("karst", 1.583, 18.33), ("jetstream", 3.31, 127.6)]:
        ridge = rd.load_machine(machine).ridge
        assert ridge.OI == pytest.approx(oi, rel=1e-3)
        assert ridge.CAI == pytest.approx(cai, rel=1e-3)


def test_a_difference_is_not_looked_at_point_by_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is taken away is below 0 everywhere; only what is left must not be."""
    path = tmp_path / "reduced.roof"
    path.write_text(
        "use collectives.mpi\nmodel reduced { param P: processes\n"
        "step all = mpi.all_reduce_recursive_doubling(bytes = 8 B, ranks = P) }\n"
    )
    prediction = rd.load_model(f"{path}:reduced").on(rd.load_machine("h100_sxm"))
    counts = [1, 2, 3, 5, 8, 100]
    alone = [prediction.evaluate(P=count) for count in counts]

    def never(*_: object) -> None:
        raise AssertionError("a point was looked at by itself")

    monkeypatch.setattr("roofdsl.answer.asked.ModelOnMachine.evaluate", never)
    swept = prediction.sweep(P=counts)
    assert swept.network.tolist() == [each.network for each in alone]
    assert swept.time.tolist() == pytest.approx([each.time for each in alone], rel=1e-15)


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("sum(k for k in 1..10)", [55]),
        ("sum(k for k in 1..10), max(3, 4), 7..8", [55, 4, 7, 8]),
        ("(max(2, (3)))", [3]),
        ("2..4:x2,max(5, 6)", [2, 4, 6]),
    ],
)
def test_what_stands_in_parentheses_is_no_range_and_no_list(
    written: str, values: list[int]
) -> None:
    call = ["eval", "summa", "-m", "karst", "-p", "P=4", "-p", f"N={written}", "--format", "json"]
    found = json.loads(CliRunner().invoke(cli, call, catch_exceptions=False).stdout)
    rows = found["points"] if len(values) > 1 else [found]
    assert [row["params"]["N"] for row in rows] == values


def test_a_range_has_numbers_at_its_ends() -> None:
    call = ["eval", "summa", "-m", "karst", "-p", "P=4", "-p", "N=max(1,2)..8"]
    assert "'max(1,2)..8' is not a range for 'N'" in CliRunner().invoke(cli, call).output


def at_both_ends(n: float, p: float, change: float) -> set[str]:
    """What may bind within so much: on a machine that is slow at it, and fast at all else."""
    values, _ = by_hand(n, p)
    times = {"flops": values["flops"] / 22e9, "memory": values["memory"] / 13.9e9}
    times["network"] = values["network"] / 1.2e9
    return {
        name
        for name, time in times.items()
        if time / (1 - change) >= max(each / (1 + change) for each in times.values())
    }


@pytest.mark.parametrize("columns", [[], ["--columns", "time,bound"], ["--sort", "-time"]])
def test_rows_say_what_binds_on_all_machines_near(columns: list[str]) -> None:
    asked = "eval summa -m karst -p N=4000..7400:200 -p P=121 --rates ±5%,10% --format".split()
    lines = CliRunner().invoke(cli, [*asked, "csv", *columns]).stdout.splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    found = set()
    for row in rows:
        for change in (0.05, 0.1):
            said = row[f"within ±{100 * change:g} %"]
            assert {*said.split(" or ")} == at_both_ends(float(row["N"]), 121, change)
            found.add(said)
    assert len(rows) == 18
    assert {*map(frozenset, (each.split(" or ") for each in found))} == {
        frozenset({"network"}),
        frozenset({"flops"}),
        frozenset({"flops", "network"}),
    }
    answer = json.loads(CliRunner().invoke(cli, [*asked, "json", *columns]).stdout)
    if "--columns" in columns:
        assert [each["within ±10 %"] for each in answer["rows"]] == [
            each["within ±10 %"] for each in rows
        ]
    else:
        bounds = [
            [" or ".join(x["bounds"]) for x in each["over_rates"]] for each in answer["points"]
        ]
        assert bounds == [[row["within ±5 %"], row["within ±10 %"]] for row in rows]


def test_machines_side_by_side_say_what_binds_on_all_machines_near() -> None:
    asked = "eval summa -m karst -m jetstream -p N=5600 -p P=121 --rates ±10%"
    shown = CliRunner().invoke(cli, asked.split()).stdout
    assert "  within ±10 %  flops or network  network\n" in shown
