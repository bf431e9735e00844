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
    assert "cost        3.788e-5 ± 8.6e-6 euro" in text
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


def test_ends_of_a_metric_are_in_the_unit_that_it_states(tmp_path: Path) -> None:
    file = tmp_path / "chat.roof"
    file.write_text(
        """
        unit euro; unit token; unit Mtoken = 1e6 token
        machine box { flops = 1 ± 0.25 flop/s; price = 3 euro/s }
        model chat { flops = 2; tally out: token = 1e6 token; metric price: euro/Mtoken = cost/out }
        """
    )
    asked = ["eval", f"{file}:chat", "-m", f"{file}:box", "--columns"]
    columns = "price,price.low,price.high,price.first_order"
    told = CliRunner().invoke(cli, [*asked, columns]).stdout
    cells = re.split("  +", told.splitlines()[3].strip())
    assert cells == [f"{number} euro/Mtoken" for number in ("6", "4.8", "8", "1.5")]


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


NUMBERS = """
machine box { flops = 22 ± 0.4 GFLOP/s; memory = 10 GB/s }
model six {
    let a = 1 ± 0.1
    let b = 1 ± 0.1
    let c = 1 ± 0.1
    let d = 1 ± 0.1
    let e = 1 ± 0.1
    let f = 1 ± 0.1
    memory = 1 GB*(3*a + b + 6*c + 4*d + 2*e + 5*f)
    metric endless = 1/(1.05 - a)
    metric kinked = max(a, 1)
    metric still = sqrt(2)
}
model even {
    let words = 3 ± 1
    flops = 22e6*words
    memory = 30e6
}
model bounded {
    let part = 0.9 ± 0.2
    require part <= 1
    flops = 1e9/part
    memory = 1e6
}
"""


def told(tmp_path: Path, model: str, form: str = "text") -> str:
    path = tmp_path / "numbers.roof"
    path.write_text(NUMBERS)
    line = ["eval", f"{path}:{model}", "-m", f"{path}:box", "--format", form]
    found = CliRunner().invoke(cli, line)
    assert found.exit_code == 0, found.output
    return found.output


def owed(text: str, name: str) -> list[str]:
    """Return the cells of a quantity's row in the table of what is uncertain."""
    table = text[text.index("± owed to") :]
    return next(
        re.split(r"\s{2,}", row.strip()) for row in table.split("\n") if f"  {name} " in row
    )


def test_those_that_owe_most_come_first_and_the_others_are_counted(tmp_path: Path) -> None:
    """Each of 6 numbers is off by 0.1, and counts by its factor, which are 21 together."""
    text = told(tmp_path, "six")
    shares = ", ".join(
        f"{name} {100 * factor / 21:.3g} %"
        for name, factor in zip("cfda", (6, 5, 4, 3), strict=True)
    )
    assert owed(text, "time") == ["time", "1.89 s", "2.31 s", f"{shares} and 2 more"]
    assert "time        2.1 ± 0.21 s" in text
    # One alone owes all, and then there is no more.
    assert owed(text, "endless") == ["endless", "–", "–", "a 100 %"]
    assert owed(text, "kinked") == ["kinked", "1", "1.1", "– (no slope is known here)"]
    assert "still" not in text[text.index("± owed to") :]


def test_ends_that_are_not_known_are_null(tmp_path: Path) -> None:
    found = json.loads(told(tmp_path, "six", "json"))["uncertainty"]["quantities"]
    assert (found["endless"]["low"], found["endless"]["high"]) == (None, None)
    assert found["endless"]["shares"] == {"a": 1}
    assert (found["kinked"]["first_order"], found["kinked"]["shares"]) == (None, {})
    assert "still" not in found


def test_a_bound_that_depends_on_them_says_what_else_binds(tmp_path: Path) -> None:
    """2 to 4 words take 2 to 4 ms at 22 GFLOP/s; the memory takes 3 ms, as 3 words do."""
    text = told(tmp_path, "even")
    assert re.search(r"within ± +it depends on them: flops binds here, memory for others\n", text)
    within = json.loads(told(tmp_path, "even", "json"))["uncertainty"]["bound"]
    assert within == {"verdict": "depends", "bounds": ["flops", "memory"]}


def test_what_may_not_hold_for_all_of_them_is_not_answered(tmp_path: Path) -> None:
    text = told(tmp_path, "bounded")
    why = "not known to hold for all of them: bounded requires part <= 1"
    assert f"what the numbers with ± do is not answered: {why}" in text
    assert re.search(r"within ± +flops binds here; for all of them it is not decided\n", text)
    assert "± owed to" not in text and "proven" not in text
    found = json.loads(told(tmp_path, "bounded", "json"))["uncertainty"]
    assert found["bound"] == {"verdict": "undecided", "bounds": ["flops"]}
    assert found["unanswered"] == why and found["quantities"] == {}
