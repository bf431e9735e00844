"""What a machine states as the unknown, and with several values; numbers counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli

FILE = """
unit euro
machine box {
    param ranks: integer[1..64] = 8
    require ranks <= 48
    flops = 1 TFLOP/s
    memory = 800 GB/s / ranks
    capacity memory = 96 GB / ranks
    power = 100 W
    price = 1 euro/h
    energy { flops = 10 pJ/flop; memory = 40 pJ/B }
}
machine twice { flops = 2 TFLOP/s; memory = 1 TB/s; network = 1 GB/s; price = 4 euro/h }
model product {
    param N: integer = 512
    flops  = 2*N^3
    memory = 24 B*N^2
    tally footprint: B = 24 B*N^2
}
model second { param P: processes = 4; total even; flops = 1e12 }
model sent { param n: integer = 1000; flops = 1e9; network = 1 MB*n }
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "case.roof"
    file.write_text(FILE)
    return str(file)


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [*words])
    assert result.exit_code == code, result.output
    return " ".join(f"{result.output} {result.exception or ''}".split())


@pytest.mark.parametrize(
    ("model", "name", "condition", "found"),
    [
        # 2*512^3 flop take 268.4 us, 24*512^2 B take 7.864 us on each rank; no more than 48.
        ("product", "box.ranks", "bound = memory", "holds for 35 ≤ box.ranks ≤ 48"),
        ("product", "ranks", "time <= 300 us", "holds for 1 ≤ box.ranks ≤ 38"),
        # 6.291456 MB; a second on four processes at p euro/s is 4 p euro, and 400 J at 100 W.
        (
            "product",
            "box.capacity.memory",
            "footprint <= machine.capacity.memory",
            "holds for 6.291456 MB ≤ box.capacity.memory",
        ),
        ("second", "box.price", "cost <= 1 euro", "≤ box.price ≤ 0.25 euro/s"),
        ("second", "box.power", "energy <= 1040 J", "≤ box.power ≤ 250 W"),
        ("second", "box.energy.flops", "energy <= 480 J", "≤ box.energy.flops ≤ 20 pJ/flop"),
    ],
)
def test_what_a_machine_states_is_solved_for(
    path: str, model: str, name: str, condition: str, found: str
) -> None:
    command = ["solve", f"{path}:{model}", "-m", f"{path}:box", "--for", name]
    told = run(*command, "--such-that", condition)
    assert found in told
    assert told.endswith("proven over the whole range")


def test_the_price_at_which_another_machine_is_cheaper(path: str) -> None:
    # One second at 1 euro/h against half a second at p.
    command = ["solve", f"{path}:second", "-m", f"{path}:box", "-m", f"{path}:twice"]
    told = run(*command, "--faster", "--by", "cost", "--for", "twice.price")
    assert "twice → box at twice.price = 0.0005555556 euro/s" in told


def test_a_rate_of_the_second_machine_is_solved_for(path: str) -> None:
    # Either takes as long as 1 GB does, at 1 GB/s.
    other = str(Path(path).with_name("other.roof"))
    Path(other).write_text("machine other { flops = 1 TFLOP/s; network = 4 GB/s }")
    command = ["solve", f"{path}:sent", "-m", f"{path}:twice", "-m", other]
    assert "other.network = 1 GB/s" in run(*command, "--faster", "--for", "other.network")


def test_a_rate_of_a_device_that_follows_from_its_parameters_is_solved_for(path: str) -> None:
    # 1 Tflop take as long as 1 TB at 40 GB/s, where the device has 40 Gflop/s.
    Path(path).write_text("""
machine chip { param cores = 4; flops = cores*1 GFLOP/s; memory = 40 GB/s }
machine node { device cpu = chip }
model work { flops = 1e12; memory = 1 TB }
model placed { step first = work() on cpu }
""")
    told = run("solve", f"{path}:placed", "-m", f"{path}:node", "--crossover", "--for", "cpu.flops")
    assert "cpu.flops → cpu.memory at node.cpu.flops = 40 GFLOP/s" in told


def test_crossovers_at_several_values_of_a_machine(path: str) -> None:
    # 2 N^3 / 1 TFLOP/s = 24 N^2 * ranks / 800 GB/s where N = 15 ranks, a tie.
    command = ["solve", f"{path}:product", "-m", f"{path}:box", "--crossover", "--for", "N"]
    told = run(*command, "--set", "box.ranks=1..4:x2")
    assert "1 memory flops from N = 16 tie 2 memory flops from N = 31 tie" in told
    found = json.loads(run(*command, "--set", "box.ranks=1,4", "--format", "json"))
    assert found["swept"] == ["box.ranks"]
    assert [answer["params"]["box.ranks"] for answer in found["answers"]] == [1, 4]


def test_what_is_asked_for_is_not_given_values(path: str) -> None:
    command = ["solve", f"{path}:product", "-m", f"{path}:box", "--crossover"]
    told = run(*command, "--for", "box.ranks", "--set", "box.ranks=1,2", code=1)
    assert "R0712" in told


def test_what_follows_from_a_machine_grows_with_it(path: str) -> None:
    # 24 * 512^2 B / (800 GB/s / ranks) is 7.864 us of each rank.
    command = ["study", f"{path}:product", "-m", f"{path}:box", "--asymptotic"]
    told = run(*command, "--for", "box.ranks")
    assert "memory → 384*box.ranks/48828125" in told and "bound in the end: memory" in told
    # A faster network leaves the flops; at the machine's own it would bind.
    command = ["study", f"{path}:sent", "-m", f"{path}:twice", "--asymptotic"]
    assert "bound in the end: flops" in run(*command, "--for", "twice.network")


def test_figures_go_along_what_a_machine_states(path: str, tmp_path: Path) -> None:
    # 2*512^3 flop at 1 TFLOP/s are 268.4 us, 24*512^2 B at 800 GB/s 7.864 us for each rank.
    table = tmp_path / "a.csv"
    command = ["plot", "curve", f"{path}:product", "-m", f"{path}:box", "--quantity", "time"]
    run(*command, "--set", "box.ranks=1..40:x40", "--data", str(table))
    rows = [line.split(",") for line in table.read_text().splitlines()]
    assert rows[0] == ["name", "box.ranks", "time [s]"]
    assert [float(row[1]) for row in rows[1:]] == [1, 40]
    assert [float(row[2]) for row in rows[1:]] == pytest.approx([268.435456e-6, 314.5728e-6])
    command = ["plot", "regime", f"{path}:product", "-m", f"{path}:box", "-p", "N=10..1000"]
    run(*command, "--set", "box.ranks=1..40", "--data", str(table))
    ends = [line.split(",") for line in table.read_text().splitlines() if "boundary" in line]
    assert ends and all(abs(float(y) - float(x) / 15) <= 1 for _, _, x, y, *_ in ends)


def test_a_figure_with_roofs_is_of_one_machine(path: str) -> None:
    command = ["plot", "roofline", f"{path}:product", "-m", f"{path}:box", "--data", "a.csv"]
    assert "R0807" in run(*command, "--set", "box.ranks=1,2", code=1)
