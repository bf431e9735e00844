"""Figures from predictions: the numbers in them are those that `evaluate` and the solver give."""

from __future__ import annotations

import csv
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.lines import Line2D

import roofdsl as rd
from roofdsl.answer.asked import Values
from roofdsl.cli.main import main
from roofdsl.embedding.shown import ShownCrossovers
from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.curves import Curve, busy_lines, share_lines
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from roofdsl.notebook import Cells
from roofdsl.plots.perdome import dome
from tests.figures.seen import colour_at, line, named, overlapping, texts

SIZES = [242 * 2**step for step in range(9)]


@pytest.fixture(scope="module")
def summa() -> rd.Prediction:
    return rd.load_model("summa").on(rd.load_machine("karst"))


def rows(picture: Picture, what: str) -> list[dict[str, object]]:
    columns = picture.table.columns
    return [dict(zip(columns, row, strict=True)) for row in picture.table.rows if row[0] == what]


def test_a_trajectory_is_what_evaluate_gives(summa: rd.Prediction) -> None:
    picture = rd.plot.pair(summa, at={"N": SIZES, "P": 121})
    for row in rows(picture, "trajectory"):
        result = summa.evaluate(N=int(float(str(row["value"]))), P=121)
        intensity = getattr(result, str(row["intensity"]))
        assert row["intensity [flop/B]"] == pytest.approx(intensity)
        assert row["performance [flop/s]"] == pytest.approx(result.attainable)


def test_between_its_points_a_trajectory_follows_the_roof(summa: rd.Prediction) -> None:
    picture = rd.plot.communication(summa, at={"N": SIZES, "P": 121})
    drawn = line(picture, "trajectory:karst:summa")
    roof = np.minimum(22.0, 1.2 * drawn[:, 0])
    assert drawn[:, 1] == pytest.approx(roof, rel=0.02)


def test_rates_and_ridges_are_the_machines(summa: rd.Prediction) -> None:
    picture = rd.plot.pair(rd.load_machine("karst"))
    assert [row["bandwidth [B/s]"] for row in rows(picture, "bandwidth")] == [13.9e9, 1.2e9]
    ridges = [row["intensity [flop/B]"] for row in rows(picture, "ridge point")]
    assert ridges == pytest.approx([summa.ridge.OI, summa.ridge.CAI])


def test_two_ranges_make_a_trajectory_each(summa: rd.Prediction) -> None:
    picture = rd.plot.communication(summa, at={"N": SIZES, "P": [16, 121]})
    kernels = {row["name"] for row in rows(picture, "trajectory")}
    assert kernels == {"summa, P = 16", "summa, P = 121"}
    with pytest.raises(rd.RoofError, match="R0807"):
        rd.plot.roofline(summa, at={"N": SIZES, "P": [n * n for n in range(2, 40)]})


def test_models_take_the_parameters_they_have() -> None:
    karst = rd.load_machine("karst")
    models = [rd.load_model(name).on(karst) for name in ("summa", "mst")]
    picture = rd.plot.roofline(*models, at={"N": 4096, "E": 65536, "V": 4096, "P": 64})
    assert {row["name"] for row in rows(picture, "point")} == {"summa", "mst"}
    with pytest.raises(rd.RoofError, match="neither 'summa' nor 'mst'"):
        rd.plot.roofline(*models, at={"Q": 1})


def test_curves_are_what_evaluate_gives() -> None:
    machines = [rd.load_machine(name) for name in ("karst", "jetstream")]
    asked = [rd.load_model("summa").on(machine) for machine in machines]
    at: dict[str, list[int]] = {"N": SIZES, "P": [16, 121]}
    picture = rd.plot.curve(*asked, quantities=["time.network", "time"], at=at)
    assert picture.table.columns == ("name", "N", "time.network [s]", "time [s]")
    places = product(asked, at["P"], SIZES)
    for (name, size, *found), (one, P, N) in zip(picture.table.rows, places, strict=True):
        result = one.evaluate(N=N, P=P)
        assert (name, size) == (f"summa, P = {P} on {result.machine}", N)
        assert found == pytest.approx([result.times["network"], result.time], rel=1e-12)
    assert len(named(picture, "curve:")) == 2 * 8  # eight lines with their markers


def test_a_curve_of_a_formula_a_rate_and_a_let(tmp_path: Path) -> None:
    file = tmp_path / "m.roof"
    file.write_text(
        "machine box { flops = 6 GFLOP/s; memory = 2 GB/s }\n"
        "model m { param n: integer; param w = 8 B; let sides = 4*n; tally held: B = w*n\n"
        "          flops = n^2; memory = w*sides }\n"
    )
    asked = rd.load_model(f"{file}:m").on(rd.load_machine(f"{file}:box"))
    at: dict[str, Values] = {"n": [8, 16, 32], "w": "4 B"}
    picture = rd.plot.curve(asked, quantities=["OI", "box.flops/box.memory"], at=at)
    assert [row[2:] for row in picture.table.rows] == [(0.5, 3), (1, 3), (2, 3)]
    ratio = r"$\dfrac{\mathrm{flops}_{\mathrm{box}}}{\mathrm{memory}_{\mathrm{box}}}$"
    assert {"OI", ratio, "Intensity [flop/B]"} <= {*texts(picture)}
    picture = rd.plot.curve(asked, quantities=["sides", "n^2/sides"], at=at)
    assert [row[2:] for row in picture.table.rows] == [(32, 2), (64, 4), (128, 8)]
    assert "sides, n^2/sides" in texts(picture)
    picture = rd.plot.curve(asked, quantities=["held - memory"], at={"n": 8, "w": [1, 4]})
    assert picture.table.columns[1:] == ("w [B]", "held - memory [B]")
    assert [row[1:] for row in picture.table.rows] == [(1, -24), (4, -96)]


def test_the_curve_of_a_metric_is_in_the_unit_that_it_states(tmp_path: Path) -> None:
    file = tmp_path / "m.roof"
    file.write_text(
        "unit token; unit Mtoken = 1e6 token; unit euro\n"
        "machine box { flops = 1 GFLOP/s; price = 3.6 euro/h }\n"
        "model m { param n: integer; flops = 1e6*(n + 9)\n"
        "          metric price: euro/Mtoken = cost/(n * 1 token) }\n"
    )
    asked = rd.load_model(f"{file}:m").on(rd.load_machine(f"{file}:box"))
    picture = rd.plot.curve(asked, quantities=["price"], at={"n": [1, 9]})
    # 10 ms and 18 ms, at 1e-3 euro/s: 10 and 2 euro for 1e6 tokens.
    assert [row[2] for row in picture.table.rows] == pytest.approx([1e-5, 2e-6], rel=1e-12)
    assert {"price [euro/Mtoken]", "10", "1"} <= {*texts(picture)}


def test_what_has_no_value_at_a_point_is_named() -> None:
    asked = rd.load_model("ddot").on(rd.load_machine("karst"))
    picture = rd.plot.curve(asked, quantities=["1/(P - 1)"], at={"N": 1000, "P": [1, 2, 4]})
    assert "karst, P = 1 (undefined)" in texts(picture)
    picture = rd.plot.curve(asked, quantities=["CAI"], at={"N": 1000, "P": [1, 2, 4]})
    assert "karst, P = 1 (∞)" in texts(picture)


def test_a_line_that_is_the_same_for_all_is_drawn_once() -> None:
    asked = rd.load_model("summa").on(rd.load_machine("karst"))
    ridge = "karst.flops/karst.memory"
    at = {"N": SIZES, "P": [16, 121]}
    picture = rd.plot.curve(asked, quantities=["OI", ridge], at=at)
    typeset = r"$\dfrac{\mathrm{flops}_{\mathrm{karst}}}{\mathrm{memory}_{\mathrm{karst}}}$"
    assert {"OI, summa, P = 16", "OI, summa, P = 121", typeset} <= {*texts(picture)}
    assert len([each for each in named(picture, "curve:") if isinstance(each, Line2D)]) == 3


def test_what_no_curve_shows_is_refused() -> None:
    asked = rd.load_model("summa").on(rd.load_machine("karst"))
    mst = rd.load_model("mst").on(rd.load_machine("karst"))
    at: dict[str, Values] = {"N": [64, 128], "P": 4}
    for quantities, code in ((["tme"], "R0707"), (["OI", "time"], "R0301"), ([], "R0807")):
        with pytest.raises(rd.RoofError, match=code):
            rd.plot.curve(asked, quantities=quantities, at=at)
    with pytest.raises(rd.RoofError, match="R0807"):
        rd.plot.curve(quantities=["OI"])
    for also, code in (({"N": 64}, "R0807"), ({"Q": 1}, "R0401")):
        with pytest.raises(rd.RoofError, match=code):
            rd.plot.curve(asked, quantities=["OI"], at={**at, **also})
    with pytest.raises(rd.RoofError, match="R0406"):  # it has no value for its vertices
        rd.plot.curve(asked, mst, quantities=["OI"], at=at)


def test_several_models_on_several_machines_have_names_of_their_own() -> None:
    machines = [rd.load_machine(name) for name in ("karst", "jetstream")]
    models = [rd.load_model(name) for name in ("summa", "dgemv")]
    asked = [model.on(machine) for machine in machines for model in models]
    picture = rd.plot.breakdown(*asked, at={"N": [256, 512], "P": 16})
    wanted = {
        f"{model} on {machine}"
        for model in ("summa", "dgemv")
        for machine in ("karst", "jetstream")
    }
    assert {row[0] for row in picture.table.rows} == wanted


def test_a_level_picks_its_line() -> None:
    machine = rd.load_machine("blue_waters_xe")
    picture = rd.plot.roofline(machine, level="L2")
    thick = {
        str(artist.get_gid())
        for artist in named(picture, "slope:")
        if "main" in str(artist.get_gid())
    }
    assert thick == {"slope:blue_waters_xe:L2:main"}
    with pytest.raises(rd.RoofError, match="R0804"):
        rd.plot.roofline(machine, level="L4")


def test_a_model_of_several_levels_has_a_trajectory_on_each() -> None:
    jacobi = rd.load_model("jacobi2d").on(rd.load_machine("blue_waters_xe"))
    picture = rd.plot.roofline(jacobi, at={"n": [128, 8192]})
    found = {(row["level"], row["value"]) for row in rows(picture, "trajectory")}
    assert {level for level, _ in found} == {"L1", "L2", "DRAM"}
    reached = {float(str(row["performance [flop/s]"])) for row in rows(picture, "trajectory")}
    # 0.1 flop/B in L2 and in DRAM.
    assert sorted(reached) == pytest.approx([6.26e9, 39.81e9])


def test_a_level_a_kernel_does_not_touch_has_no_point() -> None:
    jacobi = rd.load_model("jacobi2d").on(rd.load_machine("blue_waters_xe"))
    picture = rd.plot.roofline(jacobi, at={"n": 128})
    assert {row["level"] for row in rows(picture, "point")} == {"L1", "L2"}


def test_the_default_level_by_its_name() -> None:
    jacobi = rd.load_model("jacobi2d").on(rd.load_machine("blue_waters_xe"))
    picture = rd.plot.roofline(jacobi, at={"n": [128, 1024, 8192]}, level="DRAM")
    found = rows(picture, "trajectory")
    assert {row["level"] for row in found} == {"DRAM"}
    assert [row["intensity [flop/B]"] for row in found] == [np.inf, *[pytest.approx(0.1)] * 2]


def test_precisions_side_by_side() -> None:
    jacobi = rd.load_model("jacobi2d").on(rd.load_machine("blue_waters_xe"))
    picture = rd.plot.roofline(jacobi, at={"n": 8192, "dtype": ["fp64", "fp32"]}, level="DRAM")
    # 4 flop for 5 words: Kwack et al., Table IV.
    found = {row["name"]: row["intensity [flop/B]"] for row in rows(picture, "point")}
    assert found == {
        "jacobi2d, dtype = fp64": pytest.approx(0.1),
        "jacobi2d, dtype = fp32": pytest.approx(0.2),
    }


def test_busy_times_cross_where_the_bound_changes() -> None:
    step, node = rd.load_model("papers.checconi2022:mlp_training_limit"), "cascade_lake"
    picture = rd.plot.breakdown(
        step.on(rd.load_machine(node)), at={"batch": [256, 466, 467, 512]}, form="seconds"
    )
    times = {(row[0], row[1]): float(str(row[2])) for row in picture.table.rows}
    # Checconi et al.: 6·b·h² / 4.2 TFLOP/s against 2·4 B·h² / 12 GB/s, equal at 466.7.
    assert times["flops", 512.0] == pytest.approx(6 * 512 * 4096**2 / 4.2e12)
    assert times["network", 512.0] == pytest.approx(8 * 4096**2 / 12e9)
    assert times["flops", 466.0] < times["network", 466.0]
    assert times["flops", 467.0] > times["network", 467.0]


def test_times_of_one_resource_over_processes() -> None:
    cannon = rd.load_model("cannon").on(rd.load_machine("xeon_e5630"))
    at: dict[str, int | list[int]] = {"N": 2000, "P": [1, 4, 16], "B": [200, 400]}
    picture = rd.plot.breakdown(cannon, at=at, form="seconds", resource="network")
    times = {(row[0], row[1]): row[2] for row in picture.table.rows}
    for block in (200, 400):
        for count in (1, 4, 16):
            result = cannon.evaluate(N=2000, B=block, P=count)
            sent = sum(t for name, t in result.breakdown.busy.items() if "network" in name)
            assert times[f"cannon, B = {block}", float(count)] == pytest.approx(sent)


def test_measurements_go_by_the_name_of_a_configuration_or_partition() -> None:
    cannon = rd.load_model("cannon").on(rd.load_machine("xeon_e5630"))
    at: dict[str, int | list[int]] = {"N": 2000, "B": 200, "P": [1, 16]}
    picture = rd.plot.perfbound(cannon, at=at, measured={"P16": 5e9})
    assert np.isnan(float(str(picture.table.rows[0][-1]))) and picture.table.rows[1][-1] == 5e9
    with pytest.raises(rd.RoofError, match="no such configuration"):
        rd.plot.perfbound(cannon, at=at, measured={"P2": 5e9})
    machine = rd.load_machine("i7_gtx750")
    with pytest.raises(rd.RoofError, match="no such partition"):
        rd.plot.perdome(machine, 1.7, {"CP": (0.1, 2.0)}, {"DP": 1e9})


def test_a_composition_shows_itself_and_its_steps() -> None:
    cannon = rd.load_model("cannon").on(rd.load_machine("xeon_e5630"))
    picture = rd.plot.communication(cannon, at={"N": 2000, "B": 200, "P": 16})
    shares = {row["name"]: row["share of time"] for row in rows(picture, "point")}
    result = cannon.evaluate(N=2000, B=200, P=16)
    assert shares["multiply"] == pytest.approx(result.shares["flops"])
    assert shares["cannon"] is None
    assert overlapping(picture) == []


def test_devices_have_a_roof_each() -> None:
    picture = rd.plot.roofline(rd.load_machine("i7_gtx750"))
    assert {row["machine"] for row in rows(picture, "ceiling")} == {
        "i7_gtx750.cpu",
        "i7_gtx750.gpu",
    }


def test_the_regimes_boundary_is_the_solvers(summa: rd.Prediction) -> None:
    picture = rd.plot.regime(summa, ("P", 4, 10_000), ("N", 2, 1_000_000))
    boundary = line(picture, "boundary:0")
    for processes in (4, 10_000):
        found = summa.crossovers("N", 2, 10**6, P=processes)
        assert isinstance(found, ShownCrossovers)
        (change,) = found.crossovers
        ((_, size),) = boundary[np.isclose(boundary[:, 0], processes)]
        low, high = change.enclosure
        assert size == pytest.approx((low + high) / 2, rel=1e-9)
    assert colour_at(picture, "region:", 121.0, 5500.0) == {"region:0:network"}
    assert colour_at(picture, "region:", 121.0, 5700.0) == {"region:1:flops"}
    assert any(text.startswith("$N = ") for text in texts(picture))


def summa_times(size: float, processes: float) -> dict[str, float]:
    """SUMMA's times on Karst by hand: Cardwell 2019, Tables 2.3 and 2.4, in bytes."""
    line, cache = 64 / 8, 16 * 1024 / 8
    misses = 1 + size**2 / line + size**3 / (line * cache**0.5)
    root = processes**0.5
    return {
        "flops": (2 * size**3 + 2 * size**2) / processes / 22e9,
        "memory": 8 * line * misses / processes / 13.9e9,
        "network": 2 * root * 8 * (size / root) ** 2 * np.log2(root) / 1.2e9,
    }


def test_the_regime_map_of_summa_against_brute_force(summa: rd.Prediction) -> None:
    picture = rd.plot.regime(summa, ("P", 4, 10_000), ("N", 2, 1_000_000))
    boundary = line(picture, "boundary:0")
    assert boundary[[0, -1], 0] == pytest.approx([4.0, 1e4])
    for processes, size in boundary:
        times = summa_times(size, processes)
        # Not near it, as on a grid, but on it.
        assert times["network"] == pytest.approx(times["flops"], rel=1e-9)
        assert times["memory"] < times["flops"]
    logs = np.random.default_rng(4).uniform(np.log([2, 4]), np.log([1e6, 1e4]), (400, 2))
    for size, processes in np.exp(logs):
        times = summa_times(size, processes)
        slowest = max(times, key=lambda name: times[name])
        if max(times["flops"], times["network"]) > 1.01 * min(times["flops"], times["network"]):
            (region,) = colour_at(picture, "region:", processes, size)
            assert region.rpartition(":")[2] == slowest


def number(cell: object) -> float:
    assert isinstance(cell, float)
    return cell


def test_a_corner_of_a_region_is_where_its_sides_meet() -> None:
    dgemv = rd.load_model("dgemv").on(rd.load_machine("karst"))
    picture = rd.plot.regime(dgemv, ("N", 8, 1e5), ("P", 4, 1e4))
    # A process has a row at least, P ≤ N, and the map ends at P = 10^4.
    places = [row[2] for row in picture.table.rows if row[0] == "region" and row[4] == 1e4]
    assert min(map(number, places)) == pytest.approx(1e4, rel=0.02)


def test_a_boundary_goes_on_where_it_is_steep() -> None:
    linear = rd.load_model("linear").on(rd.load_machine("h100_sxm"))
    picture = rd.plot.regime(linear, ("M", 1, 1e5), ("I", 1, 1e5), at={"O": 1024})
    boundary = line(picture, "boundary:0")
    assert boundary[0, 1] == 1e5 and boundary[-1, 0] == 1e5
    # Of an I without end: 2·M·I·O flop at 20 flop/B take as long as 4 B of M·I + I·O elements.
    assert boundary[0, 0] == boundary[1, 0] == pytest.approx(40 * 1024 / (1024 - 40), rel=0.03)


def test_a_regime_over_a_rate_of_the_machine(summa: rd.Prediction) -> None:
    picture = rd.plot.regime(summa, ("karst.network", 1e8, 1e11), ("N", 2, 10**6), at={"P": 121})
    boundary = line(picture, "boundary:0")
    # N + 1 = √P·log2(P)·flops·word / (2·network)
    expected = 11 * np.log2(121) * 22e9 * 8 / (2 * boundary[:, 0])
    assert boundary[:, 1] + 1 == pytest.approx(expected, rel=1e-9)


def test_a_boundary_that_jumps_is_drawn_where_it_jumps() -> None:
    text = """
        model m { param n: integer; flops = 8*n; memory = (if n <= 209 then 2 B else 4 B)*n }
        machine node { flops = 1 GFLOP/s; memory = 10 GB/s }
        """
    module = Cells().run(text)
    prediction = module.models["m"].on(module.machines["node"])
    picture = rd.plot.regime(prediction, ("n", 4, 1000), ("node.flops", 1e9, 1e11))
    for size, rate in product((100, 190, 204, 214, 230, 500), (1.5e10, 3e10, 6e10)):
        bound = "memory" if (2 if size <= 209 else 4) * size / 1e10 > 8 * size / rate else "flops"
        (region,) = colour_at(picture, "region:", float(size), rate)
        assert region.rpartition(":")[2] == bound


@pytest.mark.parametrize(
    ("seconds", "label"), [(True, "Memory.L2 busy"), (False, "Share of the memory.L2 [%]")]
)
def test_an_axis_has_a_resources_own_name(seconds: bool, label: str) -> None:
    lines = [Curve("one", np.array([1.0, 2.0]), np.array([0.5, 0.7]))]
    draw = busy_lines if seconds else share_lines
    picture = draw(lines, "memory.L2", AxisName("n"), Look())
    assert any(text.startswith(label) for text in texts(picture))


def test_a_region_that_ends_inside_the_map_is_followed_to_its_end(summa: rd.Prediction) -> None:
    picture = rd.plot.regime(summa, ("N", 2, 1_000_000), ("P", 4, 10_000))
    boundary = line(picture, "boundary:0")
    # At P = 4, N = 292 is the crossover; at P = 10^4, N = 97,442.
    assert boundary[0] == pytest.approx([292.3, 4.0], rel=0.05)
    assert boundary[-1] == pytest.approx([97442.0, 1e4], rel=0.05)


def test_the_papers_partitions() -> None:
    machine = rd.load_machine("i7_gtx750")
    picture = rd.plot.perdome(machine, 1.7, {"p-DP": (1.7, 1.7), "CP": (0.1, 2.0)}, {"CP": 120e9})
    bounds = {row["name"]: row["bound [flop/s]"] for row in rows(picture, "partition")}
    assert bounds["p-DP"] == pytest.approx(128.5e9, rel=1e-3)
    assert bounds["CP"] == pytest.approx(136.4e9, rel=1e-3)
    for row in rows(picture, "map"):
        cpu, gpu = float(str(row["I_C [flop/B]"])), float(str(row["I_G [flop/B]"]))
        assert (cpu - 1.7) * (gpu - 1.7) < 0


@pytest.mark.parametrize("whole", [-1, 0, 1e308, 1e-308, 1e101, 1e-101])
def test_a_dome_is_of_an_intensity_that_can_be(whole: float) -> None:
    with pytest.raises(rd.RoofError, match=r"R0807.*is .* flop/B"):
        rd.plot.perdome(rd.load_machine("i7_titan"), whole)
    with pytest.raises(rd.RoofError, match="R0807"):
        rd.plot.perdome(rd.load_machine("i7_titan"), 1.7, {"split": (whole or -1, 1.7)})


@pytest.mark.parametrize("whole", ["nan", "inf", "1e308", "1e-308"])
def test_an_intensity_on_the_command_line_that_cannot_be(
    whole: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "x.svg")
    with pytest.raises(SystemExit, match="1"):
        main(["plot", "perdome", "-m", "i7_titan", "--intensity", whole, "-o", out])
    assert "error[R0807]: the whole kernel's intensity is" in capsys.readouterr().err


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("whole", [1e-100, 1e100])
def test_the_least_and_the_most_intense_dome_is_drawn(whole: float) -> None:
    picture = rd.plot.perdome(rd.load_machine("i7_titan"), whole, {"alone": (whole, 0)})
    assert all(math.isfinite(float(str(row["bound [flop/s]"]))) for row in rows(picture, "map"))
    assert picture.render("svg")


def bound_by_definition(whole: float, i_c: float, i_g: float) -> float:
    """What i7_gtx750 attains of a kernel of one flop, cut in two; NaN where no cut is such.

    The part of the bytes that the CPU moves is found by halving, so that the flops of both add up.
    """
    cpu, gpu, total = (73.5e-12, 65.9e-12), (1.9e-12, 14.8e-12), 1 / whole

    def time(bytes_cpu: float, flops_cpu: float) -> float:
        bytes_gpu, flops_gpu = total - bytes_cpu, 1 - flops_cpu
        return max(flops_cpu * cpu[0], bytes_cpu * cpu[1], flops_gpu * gpu[0], bytes_gpu * gpu[1])

    if i_c == i_g == whole:  # any share is such a cut: the best one counts
        return 1 / min(time(total * part / 10_000, part / 10_000) for part in range(10_001))
    if whole in (i_c, i_g) and 0 not in (i_c, i_g):
        return float("nan")  # one device does it all, so the other's intensity is 0
    surplus = [i_c * part + i_g * (total - part) - 1 for part in (0.0, total)]
    if abs(min(surplus, key=abs)) > 1e-12 and surplus[0] * surplus[1] > 0:
        return float("nan")
    low, high = 0.0, total
    for _ in range(200):
        middle = (low + high) / 2
        missing = (i_c * middle + i_g * (total - middle) < 1) == (i_c > i_g)
        low, high = (middle, high) if missing else (low, middle)
    return 1 / time(low, i_c * low)


@pytest.mark.parametrize("whole", [1.7, 2.0])
def test_a_dome_is_what_the_definition_says(whole: float) -> None:
    machine = rd.load_machine("papers.tang2015:i7_gtx750_as_printed")
    axis = [0.0, 0.0833, 0.5, 1.0, 1.5, whole, 2.5, 4.0, 30.0]
    possible: dict[str, tuple[float, float]] = {}
    for i_c in axis:
        for i_g in axis:
            wanted = bound_by_definition(whole, i_c, i_g)
            if np.isnan(wanted):
                with pytest.raises(rd.RoofError, match="'it' cannot be"):
                    dome(machine.definition, whole, {"it": (i_c, i_g)}, {})
                continue
            possible[f"{i_c}, {i_g}"] = i_c, i_g
    assert len(possible) == 2 * 5 * 3 + 3
    surface = dome(machine.definition, whole, possible, {})
    for found, (i_c, i_g) in zip(surface.partitions, possible.values(), strict=True):
        wanted = bound_by_definition(whole, i_c, i_g)
        assert found.bound == pytest.approx(wanted, rel=1e-3 if i_c == i_g else 1e-9)
    for row, column in product(range(0, 193, 16), repeat=2):
        wanted = bound_by_definition(whole, surface.cpu[column], surface.gpu[row])
        assert surface.bound[row, column] == pytest.approx(wanted, rel=1e-3, nan_ok=True)


def test_strong_scaling_is_t1_over_tp(summa: rd.Prediction) -> None:
    picture = rd.plot.scaling(
        summa, at={"N": [1000, 10_000], "P": [1, 16, 256]}, isoefficiency=(0.5,)
    )
    alone = summa.evaluate(N=1000, P=1).time
    found = {(row["name"], row["processes"]): row["speed-up"] for row in rows(picture, "strong")}
    assert found["N = 1000", 256.0] == pytest.approx(alone / summa.evaluate(N=1000, P=256).time)
    for row in rows(picture, "isoefficiency"):
        size, count = int(float(str(row["N: matrix order"]))), int(float(str(row["processes"])))
        kept = summa.evaluate(N=size, P=1).time / count / summa.evaluate(N=size, P=count).time
        assert kept == pytest.approx(0.5, abs=0.01)
        assert kept >= 0.5


def test_weak_scaling_grows_with_the_processes(summa: rd.Prediction) -> None:
    picture = rd.plot.scaling(summa, at={"N": "1000*sqrt(P)", "P": [1, 16, 64]})
    (last,) = [row for row in rows(picture, "weak") if row["processes"] == 64.0]
    # One process would take as long for the same problem as 64 for theirs, times 64.
    speedup = summa.evaluate(N=8000, P=1).time / summa.evaluate(N=8000, P=64).time
    assert last["speed-up"] == pytest.approx(speedup)
    assert last["efficiency"] == pytest.approx(speedup / 64)
    assert "Scaled speed-up" in texts(picture)


def test_sensitivities_are_the_elasticities(summa: rd.Prediction) -> None:
    picture = rd.plot.sensitivity(summa, at={"N": 4096, "P": 121})
    found = {str(name): value for name, value in picture.table.rows}
    assert (found["N"], found["karst.network"]) == (2.0, -1.0)


def test_a_kink_has_a_bar_for_each_side_and_what_has_none_its_reason(tmp_path: Path) -> None:
    file = tmp_path / "k.roof"
    file.write_text(
        "machine box { flops = 1 flop/s; memory = 1 B/s }\n"
        "model k { param N: integer; param m; flops = 6*m*ceil(N/3); memory = 6 B*m*ceil(N/3) }\n"
    )
    prediction = rd.load_model(f"{file}:k").on(rd.load_machine(f"{file}:box"))
    picture = rd.plot.sensitivity(prediction, at={"N": 10, "m": 2})
    found = {str(name): value for name, value in picture.table.rows}
    for rate in ("box.flops", "box.memory"):
        assert (found[f"{rate}, smaller"], found[f"{rate}, larger"]) == (-1, 0)
    assert found["m"] == pytest.approx(1)
    assert {"not drawn, in steps:", "N"} <= set(texts(picture))


def test_bounds_are_those_of_all_processes() -> None:
    cannon = rd.load_model("cannon").on(rd.load_machine("xeon_e5630"))
    picture = rd.plot.perfbound(
        cannon,
        at={"N": 2000, "B": [200, 400], "P": [1, 16]},
        measured=[4e9, None, 4e9, None],
    )
    table = [dict(zip(picture.table.columns, row, strict=True)) for row in picture.table.rows]
    assert [row["Configuration"] for row in table] == ["B200 P1", "B200 P16", "B400 P1", "B400 P16"]
    product = 2 * 2000**3  # what they do together, whether or not some are idle
    result = cannon.evaluate(N=2000, B=200, P=16)
    assert table[1]["estimate [flop/s]"] == pytest.approx(product / result.time)
    assert table[1]["flops bound [flop/s]"] == pytest.approx(product / result.times["flops"])
    assert table[0]["network bound [flop/s]"] == np.inf


def test_bounds_of_processes_whose_work_is_not_known_are_not_drawn() -> None:
    dot = rd.load_model("papers.cardwell2019:ddot_as_printed").on(rd.load_machine("karst"))
    with pytest.raises(rd.RoofError, match="R0808"):
        rd.plot.perfbound(dot, at={"N": 1000, "P": [1, 8]})
    model = rd.model_from_expressions("dot", flops="2*N", memory="16*N")
    alone = rd.plot.perfbound(model.on(rd.load_machine("karst")), at={"N": 1000})
    assert alone.table.rows[0][1] == 22e9


def test_the_key_names_the_bounds_of_what_is_drawn() -> None:
    text = """
        model m { step a { flops = 9; memory = 1 B } step b { flops = 1; memory = 9 B }
                  step c { network = 1 B } }
        machine c { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }
        """
    module = Cells().run(text)
    prediction = module.models["m"].on(module.machines["c"])
    over_oi, both = texts(rd.plot.roofline(prediction)), texts(rd.plot.pair(prediction))
    assert {"compute-bound", "memory-bound", "c"} <= {*over_oi} and "network-bound" not in over_oi
    assert "network-bound" in both


def test_what_was_measured_is_of_the_level_that_memory_means() -> None:
    text = """
        model m { param n: integer; flops = n; memory = 8 B*n; memory.L2 = 16 B*n }
        machine c { flops = 1 GFLOP/s; memory { L2 = 9 GB/s; DRAM = 1 GB/s; default DRAM } }
        """
    module = Cells().run(text)
    prediction = module.models["m"].on(module.machines["c"])
    measured = [rd.plot.MeasuredKernel("m", flops=1e6, memory=8e6, time=0.01)]
    picture = rd.plot.roofline(prediction, at={"n": 100}, measured=measured)
    found = {(row["level"], row["measured"]) for row in rows(picture, "point")}
    assert found == {("DRAM", False), ("L2", False), ("DRAM", True)}
    assert "default level" not in texts(picture)


def test_measured_kernels_from_a_table(tmp_path: Path) -> None:
    path = tmp_path / "kernels.csv"
    path.write_text(
        "kernel,flops,memory,time,share,level,host\n"
        "triad,2e9,24e9,2,0.7,DRAM,a\n"
        "dot,2e9,16e9,,,,\n"  # without a time it has no place
        "copy,0,16e9,2,0.3,DRAM,a\n",
        encoding="utf-8",
    )
    measured = rd.plot.read_measured(path)
    assert [item.kernel for item in measured] == ["triad", "dot", "copy"]
    picture = rd.plot.roofline(rd.load_machine("karst"), measured=measured)
    found = {row["name"]: row for row in rows(picture, "point")}
    assert set(found) == {"triad", "copy"}
    assert found["triad"]["intensity [flop/B]"] == pytest.approx(1 / 12)
    assert found["triad"]["measured"] is True
    assert "copy (0 flop) 8 GB/s" in texts(picture)


def test_a_figure_needs_no_pyplot_and_no_sympy(tmp_path: Path) -> None:
    # In a process of its own, since tests import both.
    import subprocess
    import sys

    code = (
        "import sys, roofdsl as rd\n"
        "figure = rd.plot.roofline(rd.load_model('summa').on(rd.load_machine('karst')),"
        " at={'N': [242, 4096], 'P': 121})\n"
        "figure.render('svg')\n"
        "print({'matplotlib.pyplot', 'sympy'} & set(sys.modules))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout == "set()\n"


def test_the_command_writes_the_figure_and_its_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = "plot pair summa --machine karst -p N=242..61952:x2 -p P=121 -o a.svg --data a.csv"
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main(words.split())
        assert not ended.value.code
        assert capsys.readouterr().out == "a.svg, a.csv\n"
        first = Path("a.svg").read_bytes()
    assert Path("a.svg").read_bytes() == first
    with Path("a.csv").open(encoding="utf-8") as file:
        data = list(csv.DictReader(file))
    assert len([row for row in data if row["what"] == "trajectory"]) == 18
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.svg"]


def test_a_sweep_in_a_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = "plot roofline summa --machine karst -p N=4096 -p P=121 --data a.csv -p"
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "word=2 B..8 B:x2"])
    assert not ended.value.code
    with Path("a.csv").open(encoding="utf-8") as file:
        values = [row["value"] for row in csv.DictReader(file) if row["parameter"] == "word"]
    assert values == ["2", "4", "8"]


def test_scaling_over_what_is_no_parameter_is_refused() -> None:
    prediction = rd.load_model("dgemm").on(rd.load_machine("karst"))
    with pytest.raises(rd.RoofError) as failure:
        rd.plot.scaling(prediction, at={"P": [1, 4, 16]})
    assert failure.value.diagnostics[0].code == "R0401"
