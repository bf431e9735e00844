"""Energy, power and cost: what is stated, what comes of it, and what is not answered."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.analysis.balance import effective_balance, energy_balance
from roofdsl.analysis.spending import energy_roof
from roofdsl.analysis.threshold import Thresholds
from roofdsl.cli.main import cli
from tests.language.programs import codes, failures, holds, machine, model

BOX = """
unit euro
machine box {
    flops = 4 flop/s; memory = 2 B/s; network = 1 B/s
    power = 3 W
    energy { flops = 0.5 J/flop; memory = 2 J/B; network = 0 J/B }
    price = 0.25 euro/s
}
machine bare { flops = 4 flop/s; memory = 2 B/s; network = 1 B/s }
"""
KERNEL = "model m { flops = 8; memory = 6 B }"


def on_box(text: str, name: str = "box", **values: int) -> rd.Result:
    return model(f"{BOX}\n{text}").on(machine(f"{BOX}\n{text}", name)).evaluate(**values)


def test_energy_is_that_of_the_work_and_of_the_time() -> None:
    found = on_box(KERNEL)
    # 8 · 0.5 + 6 · 2 = 16 J, 3 s of 3 W = 9 J.
    assert found.time == 3
    assert found.spending["energy.flops"] == 4
    assert found.spending["energy.memory"] == 12
    assert (found.spending["energy.work"], found.spending["energy.constant"]) == (16, 9)
    assert (found.energy, found.power, found.cost) == (25, 25 / 3, 0.75)
    assert found.unanswered == {}


def test_all_processes_take_energy_at_once() -> None:
    found = on_box("model m { param P: processes; flops = 8; memory = 6 B; total even }", P=5)
    assert (found.time, found.energy, found.cost) == (3, 125, 3.75)


def test_energy_of_summa_is_that_of_all_its_processes() -> None:
    """160 flops, 400 B of memory, 256 B sent; the busiest of four sends 128 B, in 128 s."""
    box = machine(f"{BOX}", "box")
    found = rd.load_model("summa").on(box).evaluate(N=4, P=4, B=2, M=4)
    assert (found.time, found.energy) == (128, 160 * 0.5 + 400 * 2 + 4 * 3 * 128)


def test_what_overlaps_adds_up_and_power_is_drawn_once() -> None:
    found = on_box("model m { overlap { step a { flops = 8 }; step b { memory = 6 B } } }")
    assert (found.time, found.energy) == (3, 25)


def test_idle_devices_draw_power_too() -> None:
    text = """
    machine card { flops = 1 flop/s; power = 7 W; energy flops = 1 J/flop }
    machine node { device one = card; device two = card; network = 1 B/s; power = 2 W }
    model m { step a on one { flops = 4 } }
    """
    found = on_box(text, "node")
    assert (found.time, found.spending["energy.work"]) == (4, 4)
    assert found.spending["energy.constant"] == 4 * (7 + 7 + 2)
    assert found.spending["energy.one"] == 4 + 28
    assert found.spending["energy.two"] == 28


def test_what_is_not_stated_is_not_answered() -> None:
    found = on_box(KERNEL, "bare")
    assert (found.energy, found.power, found.cost) == (None, None, None)
    assert found.unanswered["energy"] == "'bare' states no energy"
    assert found.unanswered["cost"] == "'bare' states no price"


@pytest.mark.parametrize(
    ("stated", "answered", "reason"),
    [
        ("energy { flops = 1 J/flop }; power = 1 W", [], "states no energy of memory"),
        ("energy { flops = 1 J/flop; memory = 1 J/B }", ["energy.work"], "states no power"),
        ("power = 1 W", ["energy.constant"], "states no energy"),
        ("energy { flops = 1 J/flop; memory = 0 }; power = 0", ["energy", "power"], None),
    ],
)
def test_one_that_is_missing_is_missed(
    stated: str, answered: list[str], reason: str | None
) -> None:
    text = f"machine some {{ flops = 1 flop/s; memory = 1 B/s; {stated} }}\n{KERNEL}"
    found = on_box(text, "some")
    assert {*answered} <= {*found.spending}
    if reason is None:
        assert found.energy == 8
    else:
        assert found.energy is None and reason in found.unanswered["energy"]


def test_work_of_0_needs_no_energy() -> None:
    text = "machine some { flops = 1 flop/s; memory = 1 B/s; power = 0; energy flops = 1 J/flop }"
    assert on_box(f"{text}\nmodel m {{ flops = 3; memory = 0 }}", "some").energy == 3


@pytest.mark.parametrize("network", ["if P == 1 then 0 else 1 B", "log2(P) * 1 B"])
@pytest.mark.parametrize("stated", ["", "energy network = 2 J/B"])
def test_work_that_comes_to_0_needs_none_in_a_row_of_many(network: str, stated: str) -> None:
    """Without its energy on the machine, and where nothing is said of it on all processes."""
    text = f"""
    machine some {{ flops = 4 flop/s; network = 1 B/s
        power = 0 W; energy flops = 1 J/flop; {stated} }}
    model m {{ param P: processes; flops = 8; total flops = 8*P; network = {network}
        metric each: J = energy/P }}
    """
    prediction = model(text).on(machine(text, "some"))
    found = prediction.sweep(P=[1, 2, 1, 4])
    assert found.energy is not None
    assert [*found.energy[[0, 2]]] == [8, 8] and np.isnan(found.energy[[1, 3]]).all()
    assert [*found.metrics["each"][[0, 2]]] == [8, 8] and np.isnan(found.metrics["each"][1])
    one, two = prediction.evaluate(P=1), prediction.evaluate(P=2)
    assert (one.energy, one.power, one.metrics["each"]) == (8, 4, 8)
    assert two.energy is None and "network" in two.unanswered["energy"]


def test_the_best_in_energy_may_have_no_work_that_needs_more(tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(
        """
        model m { param P: processes; flops = 8/P; network = log2(P) * 1 B; total even }
        machine some { flops = 4 flop/s; network = 1 B/s; energy flops = 1 J/flop; power = 0 W }
        machine all = some with { energy { flops = 2 J/flop; network = 1 J/B } }
        """
    )
    file = tmp_path / "m.roof"
    asked = ["eval", f"{file}:m", "-m", f"{file}:some", "-m", f"{file}:all", "-p", "P=1,2"]
    told = CliRunner().invoke(cli, [*asked, "--columns", "energy", "--best", "energy"]).stdout
    assert "some     1  8 J" in told and "all" not in told
    told = CliRunner().invoke(cli, [*asked, "--columns", "energy"]).stdout
    assert "note: in row 2: no energy of m on some: 'some' states no energy of network" in told


def test_a_step_without_a_total_has_no_answer() -> None:
    found = on_box("model m { param P: processes; step a { flops = 8 } }", P=2)
    assert found.energy is None
    assert found.unanswered["energy"] == "'a' does not say what all its processes do on flops"
    assert found.cost == 2 * found.time * 0.25  # that is of all processes, whatever they do


def test_energies_are_found_as_rates_are() -> None:
    text = """
    machine levels {
        flops { vector.fp64 = 1 flop/s; vector.fp32 = 2 flop/s; default vector.fp64 }
        memory { L2 = 8 B/s; DRAM = 1 B/s; default DRAM }
        power = 0
        energy { flops = 3 J/flop; memory.L2 = 1 J/B; memory = 5 J/B }
    }
    model m { flops[fp32] = 2; memory = 3 B; memory.L2 = 7 B }
    """
    found = on_box(text, "levels")
    # Plain memory is DRAM; one energy of flops is that of every kind, which a note tells.
    assert found.spending["energy.work"] == 2 * 3 + 3 * 5 + 7 * 1
    assert any("that of flops is taken" in note for note in found.notes)


def test_a_machine_in_two_currencies_has_no_cost() -> None:
    text = """
    unit dollar
    machine card { flops = 1 flop/s; price = 2 dollar/h }
    machine node { device gpu = card; price = 1 euro/h; network = 1 B/s }
    model m { step a on gpu { flops = 4 } }
    """
    assert on_box(text, "node").unanswered["cost"] == "the prices of 'node' are in euro and dollar"


def test_a_price_of_the_machine_is_that_of_its_devices_too() -> None:
    text = """
    machine card { flops = 1 flop/s }
    machine paid { flops = 1 flop/s; price = 2 euro/s }
    machine node { device a = card; device b = paid; price = 1 euro/s; network = 1 B/s }
    machine parts { device a = paid; device b = paid; network = 1 B/s }
    machine some { device a = card; device b = paid; network = 1 B/s }
    model m { step s on a { flops = 4 } }
    """
    assert on_box(text, "node").cost == 4 * 3
    assert on_box(text, "parts").cost == 4 * 4
    assert on_box(text, "some").unanswered["cost"] == "'some' itself states no price"


def test_money_that_no_file_declares_may_be_set() -> None:
    box = machine("machine box { flops = 4 flop/s; memory = 2 B/s }", "box")
    found = model(KERNEL).on(box.changed(price="0.5 credit/s")).evaluate()
    assert found.cost == 1.5
    assert codes(f"{KERNEL} machine k {{ flops = 4 flop/s; price = 0.5 credit/s }}") == ["R0303"]


def test_over_no_time_power_is_undefined() -> None:
    found = on_box("model m { flops = 0 }")
    assert found.energy == 0 and found.power is not None and math.isnan(found.power)


def test_balance_points_are_where_energies_are_equal() -> None:
    ridge = on_box(KERNEL).ridge
    assert ridge.energy is not None and ridge.effective is not None
    # OI flops take as much energy as one byte: 2 J / 0.5 J.
    assert ridge.energy.OI == 4
    energies: dict[str, float | None] = {"flops": 0.5, "memory": 2.0, "network": None}
    for power in (0.0, 0.5, 3.0, 40.0):
        rates: dict[str, float | None] = {"flops": 4.0, "memory": 2.0, "network": 1.0}
        point = effective_balance(energies, rates, power).OI
        assert point is not None

        def of_a_flop(intensity: float, power: float = power) -> float:
            return 0.5 + 2 / intensity + power * max(1 / 4, 1 / (2 * intensity))

        assert of_a_flop(point) == pytest.approx(2 * of_a_flop(1e18))
    assert energy_balance({**energies, "flops": 0.0}).OI is None


def test_the_roof_of_energy_is_what_a_flop_takes_at_an_intensity() -> None:
    box = machine(BOX, "box").definition
    roof = energy_roof(box, {"flops": 4, "memory": 2, "network": 1})
    for flops, memory in ((8, 6), (3, 1), (9, 4)):
        found = on_box(f"model m {{ flops = {flops}; memory = {memory} B }}")
        took, work = found.time / flops, found.spending["energy.work"] / flops
        assert roof.at(flops / memory) == pytest.approx((work, took))
    assert roof.power == 3


def test_tests_ask_for_energy_and_money() -> None:
    test = """
    test "energy" {
        let r = m() on box
        expect r.energy == r.energy.work + r.energy.constant
        expect r.energy.memory == 12 J
        expect r.power == r.energy / r.time
        expect r.cost == box.price * r.time
        expect box.energy.flops == 0.5 J/flop
        expect box.power == 3 W
        expect box.ridge.energy.OI == 4 flop/B
        expect r.ridge.effective.OI < r.ridge.energy.OI
        expect (m() on bare).energy fails "'bare' states no energy"
    }
    """
    holds(f"{BOX}\n{KERNEL}\n{test}")


def test_a_value_of_ones_own_goes_before_a_result() -> None:
    text = "model m { tally energy: flop = 7; flops = 8 }"
    holds(f'{BOX}\n{text}\ntest "t" {{ expect (m() on box).energy == 7 flop }}')


def test_steps_in_place_are_run_by_the_processes_around() -> None:
    text = """
    model m { param P: processes = 3; step a { flops = 8; total even }; step b = alone() }
    model alone { flops = 8 }
    test "steps" {
        let r = m() on box
        expect r.a.energy == 3 * (4 J + 6 J)
        expect r.b.energy == 4 J + 6 J
        expect r.energy fails "does not say what all its processes do"
    }
    """
    holds(f"{BOX}\n{text}")


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ("energy flops = -1 J/flop", "R0413"),
        ("power = -1 W", "R0413"),
        ("price = -1 euro/h", "R0413"),
        ("price = 1 J/h", "R0302"),
        ("price = 1 euro", "R0302"),
        ("power = 1 J", "R0302"),
        ("energy flops = 1 J/B", "R0302"),
    ],
)
def test_what_cannot_be_is_refused(stated: str, code: str) -> None:
    assert codes(f"unit euro\nmachine m {{ flops = 1 flop/s; {stated} }}") == [code]


def test_formulas_and_arrays_say_the_same() -> None:
    text = "model m { param n: integer; param P: processes; flops = n; memory = 6 B; total even }"
    prediction = model(f"{BOX}\n{text}").on(machine(f"{BOX}\n{text}"))
    sweep = prediction.sweep(n=[1, 8, 100], P=[1, 2, 3])
    for place, (n, count) in enumerate(((1, 1), (8, 2), (100, 3))):
        found = prediction.evaluate(n=n, P=count)
        assert {name: each[place] for name, each in sweep.spending.items()} == found.spending


def test_conditions_on_energy_are_proven() -> None:
    text = "model m { param n: integer; flops = n }"
    prediction = model(f"{BOX}\n{text}").on(machine(f"{BOX}\n{text}"))
    found = prediction.where("energy <= 50 J", "n")
    # Half a joule and 3/4 of one, for each flop.
    assert isinstance(found, Thresholds)
    assert [(each.first, each.last) for each in found.intervals] == [(1, 40)]
    assert found.complete
    with pytest.raises(rd.RoofError, match="not answered"):
        model(f"{BOX}\n{text}").on(machine(f"{BOX}\n{text}", "bare")).where("energy <= 1 J", "n")


def test_elasticities_of_energy_add_up() -> None:
    text = "model m { param n: real[1..100] = 8; flops = n; memory = 6 B }"
    prediction = model(f"{BOX}\n{text}").on(machine(f"{BOX}\n{text}"))
    found = {x.name: x.value for x in prediction.sensitivity(of="energy", n=40).elasticities}
    # 20 J of flops, 12 J of bytes, 10 s of 3 W: 62 J, of which prices take their shares.
    shares = {"box.energy.flops": 20, "box.energy.memory": 12, "box.power": 30, "n": 50}
    for name, joules in shares.items():
        assert found[name] == pytest.approx(float(Fraction(joules, 62)))
    assert found["box.flops"] == pytest.approx(-30 / 62)
    assert found["box.memory"] == 0


def test_an_unknown_name_is_told() -> None:
    (problem,) = failures(f'{BOX}\n{KERNEL}\ntest "t" {{ expect (m() on box).energie > 0 J }}')
    assert problem.code == "R0604" and "energy" in (problem.hint or "")


def test_a_range_has_no_column_without_a_number(tmp_path: Path) -> None:
    path = tmp_path / "rented.roof"
    path.write_text(
        "unit euro\nmodel m { param n: integer; flops = n }\n"
        "machine rented { flops = 1 flop/s; price = 2 euro/s }\n"
    )
    command = ["eval", f"{path}:m", "--machine", f"{path}:rented", "-p", "n=1,2"]
    shown = CliRunner().invoke(cli, command).stdout
    heading = shown.splitlines()[2].split()
    assert heading[-1] == "cost"
    assert not {"energy", "power"} & {*heading}
    assert "no energy on rented: 'rented' states no energy" in shown
