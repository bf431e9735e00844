"""Points in figures, projections and validations: what is imported is taken as it is."""

from __future__ import annotations

import csv
import json
from contextlib import chdir
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.inert import visible
from roofdsl.plots.measured import read_comparison, read_measured
from tests.importers import profiler_files as files

MACHINES = """
machine here { flops = 1 TFLOPS; memory = 100 GB/s; memory.L2 = 300 GB/s }
machine there { flops = 4 TFLOPS; memory = 150 GB/s; memory.L2 = 900 GB/s }
machine plain { memory = 50 GB/s }
"""
POINTS = """kernel,calls,time [ms],flops [GFLOP],memory [GB],memory.L2 [GB]
triad,3,300,2,24,30
blocked,1,900,1,6,60
gemm,1,400,300,1,2
idle,5,400,,,
"""


def run(folder: Path, *arguments: str) -> Result:
    with chdir(folder):
        return CliRunner().invoke(cli, arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "machines.roof").write_text(MACHINES, encoding="utf-8")
    (tmp_path / "points.csv").write_text(POINTS, encoding="utf-8")
    return tmp_path


def test_a_header_says_units_and_levels(folder: Path) -> None:
    kernels = read_measured(folder / "points.csv")
    found = [(x.kernel, x.level, x.time, x.flops, x.memory) for x in kernels]
    assert found == [
        ("triad", "", 0.3, 2e9, 24e9),
        ("triad", "L2", 0.3, 2e9, 30e9),
        ("blocked", "", 0.9, 1e9, 6e9),
        ("blocked", "L2", 0.9, 1e9, 60e9),
        ("gemm", "", 0.4, 300e9, 1e9),
        ("gemm", "L2", 0.4, 300e9, 2e9),
        ("idle", "", 0.4, None, None),
    ]


def test_without_units_numbers_are_in_si(tmp_path: Path) -> None:
    path = tmp_path / "kernels.csv"
    path.write_text("kernel,time,flops,OI,remark,nvme [GB]\na,2,6,inf,cold,3\n", encoding="utf-8")
    (kernel,) = read_measured(path)
    assert (kernel.time, kernel.flops, kernel.OI) == (2, 6, float("inf"))
    assert kernel.own == {"nvme": 3e9}


def test_a_comparison_may_have_units(tmp_path: Path) -> None:
    path = tmp_path / "layers.csv"
    path.write_text("name,measured [ms],predicted [us]\nfc,2,1500\n", encoding="utf-8")
    found = read_comparison(path)
    assert (found.measured.tolist(), found.predicted.tolist()) == ([2e-3], [1.5e-3])


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("kernel,time [apples]\na,1\n", "R0912", "1:8"),
        ("kernel,time [B]\na,1\n", "R0912", "1:8"),
        ("kernel,memory.L2 [s]\na,1\n", "R0912", "1:8"),
        ("kernel,flops\na,nan\n", "R0914", "2:3"),
        ("kernel,memory.L2\na,-1\n", "R0914", "2:3"),
        ("kernel,flops\na\n", "R0913", "2:1"),
        ("", "R0806", "1:1"),
    ],
)
def test_what_does_not_fit_has_its_place(text: str, code: str, place: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rd.RoofError) as raised:
        read_measured(path)
    (problem,) = raised.value.diagnostics
    assert problem.code == code
    assert str(problem.span).endswith(f"kernels.csv:{place}")


def test_a_figure_has_a_point_for_each_level_by_the_name_of_its_kernel(folder: Path) -> None:
    ran = run(
        folder, "plot", "roofline", "-m", "machines.roof:here", "--measured", "points.csv",
        "-o", "a.svg", "--data", "a.csv",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    with (folder / "a.csv").open(encoding="utf-8") as file:
        drawn = [row for row in csv.DictReader(file) if row["what"] == "point"]
    found = {(row["name"], row["level"]): row["intensity [flop/B]"] for row in drawn}
    # Main memory is called as the machine calls it.
    assert {(name, level) for name, level in found} == {
        (name, level) for name in ("triad", "blocked", "gemm") for level in ("memory", "L2")
    }
    assert float(found["triad", "memory"]) == 2 / 24
    assert float(found["blocked", "L2"]) == 1 / 60
    picture = (folder / "a.svg").read_text(encoding="utf-8")
    assert all(f">{name}<" in picture for name in ("triad", "blocked", "gemm"))


def test_a_point_is_projected_by_what_of_its_work_takes_longest(folder: Path) -> None:
    ran = run(
        folder, "project", "points.csv", "--from", "machines.roof:here",
        "--to", "machines.roof:there", "--format", "json",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    # triad: 2 ms of flop, 240 ms of memory, 100 ms of L2; blocked: 60 ms of memory, 200 ms of L2.
    groups = [(x["name"], x["bound"], x["time"]) for x in found["targets"][0]["groups"]]
    assert groups == [
        ("triad", "memory", 0.3),
        ("blocked", "memory.L2", 0.9),
        ("gemm", "flops", 0.4),
    ]
    projected = [x["projected"] for x in found["targets"][0]["groups"]]
    expected = [Fraction(3, 10) * 100 / 150, Fraction(9, 10) / 3, Fraction(4, 10) / 4]
    assert projected == pytest.approx([float(x) for x in expected], rel=1e-15)
    assert found["coverage"] == pytest.approx(0.8, rel=1e-15)
    assert found["by_work"] == ["triad", "blocked", "gemm"]


def test_what_bounds_a_point_is_said(folder: Path) -> None:
    line = ["project", "points.csv", "--from", "machines.roof:here", "--to", "machines.roof:there"]
    ran = run(folder, *line)
    assert "each group is bound by what of its own work takes longest on here" in ran.stdout
    points = POINTS.replace("L2 [GB]", "L2 [GB],bound").replace("idle,5,400,,,", "idle,5,400,,,,")
    points = (
        points.replace(",30\n", ",30,flops\n").replace(",60\n", ",60,\n").replace(",2\n", ",2,\n")
    )
    (folder / "points.csv").write_text(points, encoding="utf-8")
    ran = run(folder, *line)
    assert ran.exit_code == 0, ran.output
    assert "a group that does not say what bounds it is bound by" in ran.stdout


def test_work_without_a_rate_bounds_nothing_and_is_said(folder: Path) -> None:
    points = POINTS.replace("gemm,1,400,300,1,2\n", "")
    (folder / "points.csv").write_text(points, encoding="utf-8")
    ran = run(
        folder, "project", "points.csv", "--from", "machines.roof:plain",
        "--to", "machines.roof:here",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    assert "plain has no rate for flops, memory.L2, which bound nothing" in ran.stdout
    (folder / "points.csv").write_text("kernel,time [s],flops\na,1,5\n", encoding="utf-8")
    ran = run(
        folder, "project", "points.csv", "--from", "machines.roof:plain",
        "--to", "machines.roof:here",
    )  # fmt: skip
    assert ran.exit_code == 1
    assert "machine 'plain' has no rate for flops" in str(ran.exception)


def test_a_kernel_may_be_called_total(folder: Path) -> None:
    text = "kernel,time [s],memory [GB]\ntotal,1,5\nrest,3,5\n"
    (folder / "points.csv").write_text(text, encoding="utf-8")
    ran = run(
        folder, "project", "points.csv", "--from", "machines.roof:here",
        "--to", "machines.roof:there", "--format", "json",
    )  # fmt: skip
    assert json.loads(ran.stdout)["total"] == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ncu.csv", files.GERMAN), ("ncu.csv", files.RAW), ("pmc_perf.csv", files.PMC),
        ("perf.txt", files.PERF_TEXT), ("triad.csv", files.PERF_CSV),
    ],
)  # fmt: skip
def test_from_a_file_of_a_profiler_to_a_figure_and_a_projection(
    name: str, text: str, folder: Path
) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    ran = run(folder, "import", name, "-o", "imported.csv")
    assert ran.exit_code == 0, ran.output
    drawn = run(
        folder, "plot", "roofline", "-m", "machines.roof:here", "--measured", "imported.csv",
        "-o", "a.svg",
    )  # fmt: skip
    assert drawn.exit_code == 0, drawn.output
    projected = run(
        folder, "project", "imported.csv", "--from", "machines.roof:here",
        "--to", "machines.roof:there",
    )  # fmt: skip
    assert projected.exit_code == 0, projected.output


def test_of_a_wrong_file_nothing_is_written(folder: Path) -> None:
    target = folder / "kept.csv"
    target.write_text("what was there before", encoding="utf-8")
    (folder / "ncu.csv").write_text(files.ENGLISH.replace("65.77", "nan"), encoding="utf-8")
    ran = run(folder, "import", "ncu.csv", "-o", "kept.csv")
    assert ran.exit_code == 1
    assert target.read_text(encoding="utf-8") == "what was there before"


def test_points_are_no_model(folder: Path) -> None:
    (folder / "ncu.csv").write_text(files.ENGLISH, encoding="utf-8")
    assert run(folder, "import", "ncu.csv", "-o", "mine.roof").exit_code != 0
    assert not (folder / "mine.roof").exists()


def validated(folder: Path, name: str, machine: str = "here") -> dict[str, object]:
    ran = run(folder, "validate", name, "--machine", f"machines.roof:{machine}", "--format", "json")
    assert ran.exit_code == 0, ran.output
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def test_points_are_validated_by_their_own_work(folder: Path) -> None:
    shown = run(folder, "validate", "points.csv", "--machine", "machines.roof:here")
    assert shown.exit_code == 0, shown.output
    # triad: 240 ms of 300, blocked: 200 of 900, gemm: 300 of 400, as performances
    errors = [Fraction(300, 240) - 1, Fraction(900, 200) - 1, Fraction(400, 300) - 1]
    mape = validated(folder, "points.csv")["mape"]
    assert isinstance(mape, dict)
    assert mape["original"] == pytest.approx(float(100 * sum(errors) / 3), rel=1e-12)
    assert "left aside, for nothing that they do was counted: 'idle'" in shown.stdout


def test_a_point_above_a_roof_is_flagged_and_one_without_flop_is_kept(folder: Path) -> None:
    text = "kernel,time [ms],flops [GFLOP],memory [GB]\nfast,10,1,2\ncopy,200,0,10\n"
    (folder / "points.csv").write_text(text, encoding="utf-8")
    shown = run(folder, "validate", "points.csv", "--machine", "machines.roof:here").stdout
    assert "1 of 2" in shown  # 2 GB in 10 ms are 200 GB/s
    mape = validated(folder, "points.csv")["mape"]
    assert isinstance(mape, dict)
    # 20 ms of 10, 100 ms of 200, as times
    assert mape["original"] == pytest.approx((100 + 50) / 2, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "text"),
    [("ncu.csv", files.GERMAN), ("pmc_perf.csv", files.PMC), ("perf.txt", files.PERF_TEXT),
     ("trace.json", files.TRACE)],
)  # fmt: skip
def test_from_a_file_of_a_profiler_to_a_validation(name: str, text: str, folder: Path) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    assert run(folder, "import", name, "-o", "imported.csv").exit_code == 0
    assert validated(folder, "imported.csv")["answer"] == "validation"


HOSTILE = "=cmd|'/c calc'!A0\x1b[31m\x9b2J\u202eb\u2028 <script>, #1"


def test_names_of_strangers_stay_text(folder: Path) -> None:
    text = files.ENGLISH.replace("copy(float4 *)", HOSTILE).replace("sm__throughput", f"m{HOSTILE}")
    (folder / "ncu.csv").write_text(text, encoding="utf-8")
    lines = [
        ["import", "ncu.csv", "-o", "points.csv"],
        ["import", "ncu.csv", "--each"],
        ["validate", "points.csv", "--machine", "machines.roof:here"],
        ["project", "points.csv", "--from", "machines.roof:here", "--to", "machines.roof:there"],
    ]
    for line in lines:
        ran = run(folder, *line)
        shown = ran.output + str(ran.exception or "")
        assert visible(shown) == shown
    made = (folder / "points.csv").read_text(encoding="utf-8")
    assert visible(made) == made
    assert "\n\"'=cmd" in made  # quoted, and no formula
    kernels = {kernel.kernel for kernel in read_measured(folder / "points.csv")}
    assert any(name.startswith("=cmd|'/c calc'!A0\\x1b[31m") for name in kernels)


def test_a_key_names_some_of_what_is_not_drawn(folder: Path) -> None:
    rows = "".join(f"k{number},1\n" for number in range(300))
    (folder / "points.csv").write_text(f"kernel,time\nseen,1\n{rows}", encoding="utf-8")
    figure = rd.plot.roofline(
        rd.load_machine(str(folder / "machines.roof") + ":plain"),
        measured=read_measured(folder / "points.csv"),
    )
    with chdir(folder):
        rd.plot.save(figure, "a.svg")
    shown = (folder / "a.svg").read_text(encoding="utf-8")
    assert "not drawn: k0 (no OI" in shown
    assert "not drawn: k200" not in shown
    assert len([row for row in figure.table.rows if row[0] == "not drawn"]) == 301
