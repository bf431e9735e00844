"""Iterations, waits, parts in steps in place, and mixes: worked out by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.analysis.composition import Composing
from roofdsl.analysis.result import evaluated
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import Table
from roofdsl.answer.breakdown import breakdown_table
from roofdsl.answer.cells import NOTHING, Quantity
from roofdsl.answer.point import PointAnswer
from roofdsl.answer.rows import RowsAnswer
from roofdsl.cli.main import cli
from roofdsl.embedding.shown import ShownThresholds
from roofdsl.units.dimension import FLOP
from tests.language.programs import machine, model, module

SCHEMA = json.loads(Path(rd.__file__).with_name("answer").joinpath("schema.json").read_text())
BOX = "machine box { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s; capacity memory = 10 B }"
STAGE = "model stage { flops = 3; memory = 2 B; tally footprint: B = 4 B }"
PIPE = f"""
{BOX}
{STAGE}
model pipe {{
    param p = 4
    iterate 5 {{ step work = stage() }}
    wait (p - 1)/2 {{ step bubble = stage() }}
    step last {{ network = 2 B }}
}}
"""


def answer(text: str, name: str, **values: float) -> rd.Result:
    found = module(text)
    return rd.Model(found.models[name]).on(rd.Machine(found.machines["box"])).evaluate(**values)


def test_the_same_again_has_its_tallies_once() -> None:
    found = answer(PIPE, "pipe")
    assert (found.flops, found.memory, found.network) == (15, 10, 2)
    assert found.tallies == {"footprint": 4}
    again = answer(PIPE.replace("iterate", "repeat"), "pipe")
    assert again.tallies == {"footprint": 20}
    assert (again.flops, again.time) == (found.flops, found.time)


def test_a_wait_is_time_alone() -> None:
    found = answer(PIPE, "pipe")
    assert found.time == 15 + 1.5 * 3 + 2
    assert found.shares["wait"] == pytest.approx(4.5 / 21.5)
    assert found.times == {"flops": 15, "memory": 10, "network": 2}
    assert "wait" not in found.work and found.bound == "flops"
    assert found.steps["bubble"].bound == "flops"
    assert (found.steps.count("bubble"), found.steps.share("bubble")) == (1.5, 4.5 / 21.5)


def test_waiting_can_bind() -> None:
    found = answer(PIPE, "pipe", p=101)
    assert found.bound == "wait" and found.time == 15 + 150 + 2


def test_where_waiting_binds_is_found() -> None:
    # A wait of 3 s times (p - 1)/2 is 15 s of work at p = 11, and more beyond.
    found = module(PIPE)
    pipe = rd.Model(found.models["pipe"]).on(rd.Machine(found.machines["box"]))
    where = pipe.where("bound = wait", "p", 1, 100)
    assert isinstance(where, ShownThresholds)
    (held,) = where.intervals
    assert held.first == pytest.approx(11)
    assert held.last == 100


@pytest.mark.parametrize(("compose", "time"), [("written", 21.5), ("max", 15), ("sum", 34.5)])
def test_everything_overlapped_leaves_waits_out(compose: Composing, time: float) -> None:
    # In sum, a stage takes 5 s: 25 s of work, 7.5 s of waiting, 2 s at the end.
    found = module(PIPE)
    at = ModelOnMachine(found.models["pipe"], found.machines["box"]).at({})
    assert evaluated(at, compose).time == time


def test_a_wait_overlaps_what_runs_beside_it() -> None:
    text = f"{BOX}\n{STAGE}\nmodel m {{ overlap {{ wait 2 {{ step other = stage() }}; {{}} }} }}"
    for flops, time, bound in ((5, 6, "wait"), (7, 7, "flops")):
        found = answer(text.replace("{}", f"step own {{ flops = {flops} }}"), "m")
        assert (found.time, found.bound, found.flops) == (time, bound, flops)


def test_parts_in_a_step_in_place_see_the_names_around_them() -> None:
    text = f"""
    {BOX}
    model m {{
        param n: integer = 3
        let N = 2*n
        step whole {{
            let n = 10
            require N > 4
            step a {{ flops = N + n }}
            overlap {{ step b {{ memory = 1 B*n }}; repeat n {{ step c {{ network = 2 B }} }} }}
            tally footprint: B = 1 B*N
        }}
    }}
    """
    found = answer(text, "m")
    assert (found.flops, found.memory, found.network) == (16, 10, 20)
    assert (found.time, found.tallies) == (16 + 20, {"footprint": 6})
    assert [*found.steps["whole"].steps] == ["a", "b", "c"]
    with pytest.raises(rd.RoofError, match="requires N > 4"):
        answer(text, "m", n=2)


MONTH = f"""
unit euro
{BOX.replace("capacity", "power = 2 W; energy flops = 1 J/flop; price = 36 euro/h; capacity")}
model apart {{ param P: processes; flops = 6/P; total even; tally footprint: B = 3 B }}
model alone {{ param n = 1; flops = n; tally footprint: B = 20 B }}
mix month {{
    param scale: real[0..] = 1
    job many = 10*scale * apart(P = 2)
    job one = 0.5 * alone(n = 8)
    metric part = many.share
}}
mix year {{ job months = 12 * month(); job more = alone(n = 2) }}
"""


def test_a_mix_is_the_weighted_sum_of_its_jobs() -> None:
    found = answer(MONTH, "month")
    assert found.time == 10 * 3 + 0.5 * 8
    # Work of all processes, and two of them draw power: 10·(6 + 2·2·3) and 0.5·(8 + 2·8).
    assert found.spending["energy"] == pytest.approx(10 * (6 + 12) + 0.5 * (8 + 16))
    assert found.spending["cost"] == pytest.approx(0.01 * (10 * 2 * 3 + 0.5 * 8))
    assert found.spending["power"] == pytest.approx(found.spending["energy"] / found.time)
    assert found.metrics["part"] == pytest.approx(30 / 34)
    assert answer(MONTH, "month", scale=0).time == 4


def test_a_mix_of_mixes() -> None:
    assert answer(MONTH, "year").time == 12 * 34 + 2
    assert answer(MONTH, "year").steps["months"].steps["many"].flops == 3


def test_a_job_that_is_a_mix_has_no_flops_of_its_own() -> None:
    by_step = breakdown_table(answer(MONTH, "year"))
    shown = {str(row[0]).strip(): row[-1] for row in by_step.rows}
    assert shown["months × 12"] == NOTHING
    assert shown["many × 10"] == Quantity(12 * 10 * 3, FLOP)


def test_what_jobs_have_of_their_own_is_not_answered_for_the_mix() -> None:
    found = answer(MONTH, "month")
    for name in ("flops", "memory", "network", "OI", "CAI", "MI", "attainable"):
        assert math.isnan(getattr(found, name))
        assert "each of its jobs has" in found.unanswered[name]
    assert (found.tallies, found.work, found.totals, found.fits) == ({}, {}, {}, {})
    job = found.steps["one"]
    assert (job.flops, job.tallies, job.fits) == (8, {"footprint": 20}, {"footprint": False})


def test_a_sweep_has_the_energy_and_cost_of_each_point() -> None:
    found = module(MONTH)
    month = rd.Model(found.models["month"]).on(rd.Machine(found.machines["box"]))
    swept = month.sweep(scale=[1, 2])
    assert swept.energy is not None and swept.power is not None and swept.cost is not None
    for place, scale in enumerate((1, 2)):
        assert swept.time[place] == scale * 30 + 4
        assert swept.energy[place] == pytest.approx(scale * 180 + 12)
        assert swept.power[place] == pytest.approx((scale * 180 + 12) / (scale * 30 + 4))
        assert swept.cost[place] == pytest.approx(scale * 0.6 + 0.04)


def test_what_some_jobs_take_on_a_resource_is_not_what_the_mix_takes() -> None:
    # Of 'apart' nobody says what both processes do: what 'alone' takes is not all there is.
    found = answer(MONTH.replace("total even;", ""), "month")
    assert "energy.flops" not in found.spending
    assert found.unanswered["energy.flops"] == found.unanswered["energy"]
    assert answer(MONTH, "month").spending["energy.flops"] == pytest.approx(10 * 6 + 0.5 * 8)


def test_why_a_mix_has_no_works_is_said_of_each() -> None:
    reasons = answer(MONTH, "month").unanswered
    called = {"flops": "flops", "memory": "memory", "network": "network", "OI": "an OI"}
    called |= {"CAI": "a CAI", "MI": "an MI", "attainable": "a performance"}
    for name, what in called.items():
        assert reasons[name] == f"'month' is a mix: each of its jobs has {what} of its own"
    refused = r"flops is not answered: 'month' is a mix"
    month = rd.Model(module(MONTH).models["month"]).on(rd.Machine(module(MONTH).machines["box"]))
    with pytest.raises(rd.RoofError, match=refused) as caught:
        month.where("flops > 1 flop", "scale", 1, 2)
    (problem,) = caught.value.diagnostics
    assert (problem.labels[0].text, problem.hint) == ("the mix", "ask for its jobs one by one")


def test_a_job_that_states_too_little_leaves_the_mix_unanswered() -> None:
    text = MONTH.replace("total even;", "")
    found = answer(text, "month")
    assert found.unanswered["energy"].startswith("job 'many': ")
    assert found.spending["cost"] == pytest.approx(0.01 * (10 * 2 * 3 + 0.5 * 8))


def test_a_total_that_cannot_be_fails_the_mix() -> None:
    text = MONTH.replace("total even", "total flops = 100")
    with pytest.raises(rd.RoofError, match="total flops is 100 flop, more than 2"):
        answer(text, "month")


def test_a_mix_is_loaded_swept_and_solved_like_a_model(tmp_path: Path) -> None:
    (tmp_path / "month.roof").write_text(MONTH, encoding="utf-8")
    month = rd.load_model(str(tmp_path / "month.roof:month"))
    prediction = month.on(rd.load_machine(str(tmp_path / "month.roof")))
    sweep = prediction.sweep(scale=[1, 2, 4])
    assert sweep.time.tolist() == [34, 64, 124]
    assert all(math.isnan(value) for value in sweep.flops)
    assert not any(math.isnan(value) for value in sweep.time)


def test_a_mix_in_plain_values_is_that_of_the_schema() -> None:
    found = module(MONTH)
    at = ModelOnMachine(found.models["month"], found.machines["box"]).at({})
    result = answer(MONTH, "month")
    values = PointAnswer(result, at).values()
    jsonschema.validate(values, SCHEMA)
    assert values["total"] == {"processes": None}
    assert isinstance(values["values"], dict) and values["values"]["flops"] is None


def test_who_does_most_is_said() -> None:
    faster = "machine fast = box with { flops = 2 flop/s; price = 144 euro/h }"
    found = module(f"{MONTH}\n{faster}")
    month = found.models["month"]
    ats = [ModelOnMachine(month, found.machines[name]).at({}) for name in ("box", "fast")]
    answer = RowsAnswer([evaluated(at) for at in ats], ats)
    values = answer.values()
    assert values["least"] == {"time": ["fast"], "cost": ["box"], "energy": ["fast"]}
    jsonschema.validate(values, SCHEMA)
    last = answer.blocks()[1]
    assert isinstance(last, Table)
    # 34 s and 17 s; 0.01·64 s and 0.04·32 s of processes; 64·(1 + 2) J and 64·(1 + 1) J.
    assert [row[1:] for row in last.rows] == [
        ("fast", "2 × box"),
        ("box", "2 × fast"),
        ("fast", "1.5 × box"),
    ]


def test_one_machine_at_several_sizes_is_not_compared_with_itself(tmp_path: Path) -> None:
    path = tmp_path / "mix.roof"
    path.write_text(
        "model m { flops = 3 }\nmix week { job a = 2*m() }\nmachine box { flops = 1 flop/s }\n"
    )
    command = ["eval", f"{path}:week", "--machine", f"{path}:box", "--set", "box.flops=2x,3x"]
    shown = CliRunner().invoke(cli, command).stdout
    assert shown.splitlines()[3:5] == ["  2x         3 s   flops", "  3x         2 s   flops"]
    assert "most is done by" not in shown


def test_units_are_defined_by_others() -> None:
    text = """
    unit hand
    unit Mtoken = 1e6 token
    unit token
    unit pair = 2 hand
    machine box { flops = 1 flop/s }
    model m {
        param work: Mtoken = 3 Mtoken
        flops = work/(1 token)
        tally hands: pair = 4 pair
        metric each: s/Mtoken = time/work
    }
    """
    found = model(text).on(machine(text)).evaluate()
    assert (found.flops, found.tallies["hands"]) == (3e6, 8)
    assert found.metrics["each"] == pytest.approx(1)  # in s/token
