"""Resources of one's own: flops for each unit of them is an intensity with a ridge point."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import sympy
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

FILE = """
resource nvme: B
unit edge
resource atomics: edge shares memory

## Half of it goes to the drive and comes back.
model join {
    param R: GB
    flops = 20 flop*R/64 B
    memory = 3*R
    nvme = R/2
    atomics = R/64 B * 1 edge
}

model joins {
    param R: GB = 2 GB
    step read { nvme = R }
    repeat 3 { step each = join(R = R) }
    step idle { flops = 1e9 }
}

model copy { param R: GB = 1 GB; memory = R; nvme = 0 }

machine box {
    flops = 500 GFLOP/s
    memory = 300 GB/s
    network = 10 GB/s
    nvme = 12 GB/s
    atomics = 2e9 edge/s
}

machine host { flops = 500 GFLOP/s; memory = 300 GB/s }
machine node {
    device cpu = host
    nvme = 12 GB/s
    atomics = 2e9 edge/s
}
"""
R = Fraction(2 * 10**9)
FLOPS, NVME, EDGES = 20 * R / 64, R / 2, R / 64
RIDGES = {"nvme": Fraction(500, 12), "atomics": Fraction(500, 2)}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "join.roof"
    path.write_text(FILE, encoding="utf-8")
    return path


def run(*arguments: object) -> str:
    found = CliRunner().invoke(cli, [str(each) for each in arguments])
    assert found.exit_code == 0, found.output
    return found.output


def test_a_kernel_has_an_intensity_of_each(file: Path) -> None:
    result = rd.load_model(f"{file}:join").on(rd.load_machine(f"{file}:box")).evaluate(R=2e9)
    assert result.own_work == pytest.approx({"nvme": NVME, "atomics": EDGES})
    assert result.intensity == pytest.approx({"nvme": FLOPS / NVME, "atomics": FLOPS / EDGES})
    assert result.ridge.own == pytest.approx(RIDGES)
    assert result.OI == pytest.approx(float(FLOPS / (3 * R)))


def test_steps_and_runs_add_up(file: Path) -> None:
    result = rd.load_model(f"{file}:joins").on(rd.load_machine(f"{file}:box")).evaluate()
    assert result.own_work["nvme"] == pytest.approx(float(R + 3 * NVME))
    wanted = (3 * FLOPS + 10**9) / (R + 3 * NVME)
    assert result.intensity["nvme"] == pytest.approx(float(wanted))


def test_of_no_work_it_is_infinite_or_undefined(file: Path) -> None:
    result = rd.load_model(f"{file}:copy").on(rd.load_machine(f"{file}:box")).evaluate()
    assert math.isnan(result.intensity["nvme"])
    text = "resource nvme: B\nmodel m { flops = 1; nvme = 0 }\n"
    (path := file.parent / "none.roof").write_text(text, encoding="utf-8")
    none = rd.load_model(path).on(rd.load_machine(f"{file}:box")).evaluate()
    assert none.intensity["nvme"] == math.inf


def test_a_machine_has_ridge_points_of_what_it_states(file: Path) -> None:
    box = rd.load_machine(f"{file}:box")
    assert box.ridge.own == pytest.approx(RIDGES)
    assert str(box.ridge_expressions["flops/nvme"]) == "box.flops/box.nvme"
    assert rd.load_machine("karst").ridge.own == {}
    assert box.ridge.of("flops/nvme") == pytest.approx(float(RIDGES["nvme"]))
    assert box.ridge.of("OI") == box.ridge.OI


def test_formulas_are_those_of_the_works(file: Path) -> None:
    join = rd.load_model(f"{file}:join")
    assert join.intensity("nvme") == sympy.Rational(5, 8)
    assert join.intensity("memory") == join.OI
    assert join.intensity("network") is sympy.oo
    with pytest.raises(rd.RoofError, match="no resource 'nvem'"):
        join.intensity("nvem")


def test_sweeps_say_the_same_as_points(file: Path) -> None:
    prediction = rd.load_model(f"{file}:join").on(rd.load_machine(f"{file}:box"))
    sizes = [1e9, 2e9, 5e9]
    sweep = prediction.sweep(R=np.array(sizes))
    for place, size in enumerate(sizes):
        result = prediction.evaluate(R=size)
        for name in ("nvme", "atomics"):
            assert sweep.own_work[name][place] == pytest.approx(result.own_work[name])
            assert sweep.intensity[name][place] == pytest.approx(result.intensity[name])
    assert {"nvme", "flops/nvme"} <= set(sweep.rows()[0])


def test_tests_of_the_language_can_ask_for_them(file: Path) -> None:
    file.write_text(
        FILE
        + """
test "own resources" {
    let r = join(R = 2 GB) on box
    expect r.nvme == 1 GB
    expect r.atomics == 31_250_000 edge
    expect r.intensity.nvme ~ 0.625 flop/B
    expect r.intensity.memory == r.OI
    expect r.intensity.nvme == r.flops/r.nvme
    expect r.time.nvme ~ 83.33 ms
    expect r.ridge.nvme == 500/12 * 1 flop/B
    expect box.ridge.atomics == 250 flop/edge
    expect r.ridge.OI == box.ridge.OI
    expect r.intensity.network is infinite
}
""",
        encoding="utf-8",
    )
    assert "1 passed" in run("test", file)
    assert "no problems" in run("check", file)  # units are told without numbers too


def test_on_the_devices_of_a_machine_its_shared_resource_counts(file: Path) -> None:
    text = FILE + "\nmodel placed { step s = join(R = 2 GB) on cpu }\n"
    file.write_text(text, encoding="utf-8")
    result = rd.load_model(f"{file}:placed").on(rd.load_machine(f"{file}:node")).evaluate()
    assert result.intensity["nvme"] == pytest.approx(float(FLOPS / NVME))
    assert result.ridge.own == pytest.approx(RIDGES)


def test_metrics_are_made_of_them(file: Path) -> None:
    file.write_text(
        FILE
        + """
model twice {
    param R: GB
    step one = join(R = R)
    step two = join(R = R)
    metric moved: GB/s = nvme / time
    metric below = intensity.nvme / ridge.nvme
    metric half = one.nvme / nvme
    metric edges: edge/s = atomics / time
}
test "metrics" {
    let r = twice(R = 2 GB) on box
    expect r.moved ~ 12.00 GB/s
    expect r.below ~ 0.01500
    expect r.half == 0.5
    expect r.edges == r.atomics / r.time
}
""",
        encoding="utf-8",
    )
    assert "no problems" in run("check", file)
    assert "1 passed" in run("test", file)
    ask = ("solve", f"{file}:twice", "-m", f"{file}:box", "--for", "R", "--such-that")
    assert "nowhere" in run(*ask, "below > 0.02")


def test_they_have_a_balance_in_energy(file: Path) -> None:
    file.write_text(
        FILE
        + """
machine powered = box with {
    power = 6 W
    energy { flops = 2 nJ/flop; memory = 3 nJ/B; nvme = 5 nJ/B; atomics = 7 nJ/edge }
}
test "energies" {
    let r = join(R = 2 GB) on powered
    expect r.ridge.energy.nvme ~ 2.500 flop/B
    expect r.ridge.energy.atomics ~ 3.500 flop/edge
    expect powered.ridge.energy.nvme ~ 2.500 flop/B
}
""",
        encoding="utf-8",
    )
    assert "1 passed" in run("test", file)
    assert "no problems" in run("check", file)
    result = rd.load_model(f"{file}:join").on(rd.load_machine(f"{file}:powered")).evaluate(R=2e9)
    effective = result.ridge.effective
    assert effective is not None
    # A flop takes twice the least energy that it can; where the drive takes longer, it draws.
    flop, byte, power = 2e-9, 5e-9, 6.0
    least = flop + power / 500e9
    there = effective.own["nvme"]
    assert flop + byte / there + power * max(1 / 500e9, 1 / 12e9 / there) == pytest.approx(
        2 * least
    )
    text = run("eval", f"{file}:join", "-m", f"{file}:powered", "-p", "R=2 GB")
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert any(row.startswith("flops/nvme 0.625 flop/B 41.67 flop/B 2.5 flop/B") for row in rows)
    asked = ("eval", f"{file}:join", "-m", f"{file}:powered", "-p", "R=2 GB", "--format", "json")
    values = json.loads(run(*asked))
    assert values["energy_balance"]["flops/atomics"] == pytest.approx(3.5)
    assert "flops/nvme* energy" in run("show", f"{file}:powered") + run(
        "eval", f"{file}:join", "-m", f"{file}:powered"
    )


def test_answers_have_them_behind_the_three(file: Path) -> None:
    where = (f"{file}:join", "-m", f"{file}:box")
    lines = run("eval", *where, "-p", "R=2 GB").splitlines()
    rows = [" ".join(line.split()) for line in lines]
    assert "flops/nvme 0.625 flop/B 41.67 flop/B" in rows
    assert "flops/atomics 20 flop/edge 250 flop/edge" in rows
    values = json.loads(run("eval", *where, "-p", "R=2 GB", "--format", "json"))
    assert values["values"]["flops/nvme"] == pytest.approx(0.625)
    assert values["ridge"]["flops/atomics"] == 250
    assert values["units"]["ridge"]["flops/atomics"] == "flop/edge"
    formulas = run("eval", *where)
    assert "flops/nvme*" in formulas
    assert "flops/nvme" in run("table", *where, "-p", "R=2 GB")
    assert "flops/atomics [flop/edge]" in run("table", f"{file}:join", "--formulas")
    assert "flops/nvme*" in run("table", "--rates", "-m", f"{file}:box", "-m", "karst")


def test_a_difference_compares_them(file: Path) -> None:
    other = file.parent / "other.roof"
    other.write_text(FILE.replace("nvme = R/2", "nvme = R"), encoding="utf-8")
    asked = ("diff", f"{file}:join", f"{other}:join", "-m", f"{file}:box", "-p", "R=2 GB")
    found = CliRunner().invoke(cli, [*asked, "--format", "json"])
    (comparison,) = json.loads(found.output)["comparisons"]
    (effect,) = comparison["effects"]
    assert effect["before"]["flops/nvme"] == pytest.approx(0.625)
    assert effect["after"]["flops/nvme"] == pytest.approx(0.3125)
    schema = json.loads(
        (Path(rd.__file__).parent / "answer/schema.json").read_text(encoding="utf-8")
    )
    jsonschema.validate(json.loads(found.output), schema)


def test_conditions_may_be_about_them(file: Path) -> None:
    ask = ("solve", f"{file}:join", "-m", f"{file}:box", "--for", "R", "--such-that")
    assert "nowhere" in run(*ask, "intensity.nvme > 1 flop/B")
    assert "nowhere" in run(*ask, "flops/nvme > 1 flop/B")


def test_what_has_none_says_nothing_of_them() -> None:
    values = json.loads(run("eval", "summa", "-m", "karst", "-p", "N=4096", "-p", "P=121",
                            "--format", "json"))  # fmt: skip
    assert list(values["ridge"]) == ["OI", "CAI", "MI"]
    assert "flops/" not in json.dumps(values)


def test_models_written_in_python_declare_them(file: Path) -> None:
    join = rd.model_from_expressions(
        "join", units=["edge"], resources={"nvme": "B", "atomics": "edge shares memory"},
        flops="5/16*R", nvme="R/2", atomics="R/64 * 1 edge", memory="3*R",
        parameters={"R": ": real"},
    )  # fmt: skip
    result = join.on(rd.load_machine(f"{file}:box")).evaluate(R=2e9)
    assert result.intensity == pytest.approx({"nvme": FLOPS / NVME, "atomics": FLOPS / EDGES})
    with pytest.raises(rd.RoofError, match="more than one expression"):
        rd.model_from_expressions("m", resources={"a": "B; machine x {}"}, flops=1)
    with pytest.raises(rd.RoofError, match="nvme"):
        rd.model_from_expressions("m", flops=1, nvme=1)


def test_a_report_has_its_roofline_and_its_numbers(file: Path) -> None:
    page = file.with_name("join.html")
    run("report", f"{file}:join", "-m", f"{file}:box", "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "The roofline over operational intensity and flops/nvme of join on box" in text
    assert "flops/atomics*" in text
