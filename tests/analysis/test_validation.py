"""Scores of models against runs: MAPE, bias and change by hand, in exact fractions."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from roofdsl.analysis.models_of_runs import COUNTED, Named, models_of_runs
from roofdsl.analysis.runs import Runs
from roofdsl.analysis.validation import Measure, Validation, change, validate
from roofdsl.analysis.without_network import without_network
from roofdsl.diagnostic import RoofError
from roofdsl.importers.runs_csv import read_runs
from roofdsl.model.library import check_text, find_machine, find_model
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.source import Source
from tests.counts import inputs


class Drawn(NamedTuple):
    """A model of work in proportion to N on a machine, and runs: N and time."""

    work: Mapping[str, int]
    rates: Mapping[str, int]
    runs: Sequence[tuple[int, Fraction]]

    def text(self) -> str:
        units = {"flops": "flop", "memory": "B", "network": "B"}
        work = "\n".join(f"{key} = {each} {units[key]} * N" for key, each in self.work.items())
        rates = "\n".join(f"{key} = {each} {units[key]}/s" for key, each in self.rates.items())
        return f"model m {{\nparam N: integer\n{work}\n}}\nmachine c {{\n{rates}\n}}\n"

    def csv(self) -> str:
        rows = (f"m,{size},{float(time)!r}\n" for size, time in self.runs)
        return "kernel,N,time [s]\n" + "".join(rows)


def drawn(draw: random.Random) -> Drawn:
    keys = ["memory"]
    keys += [key for key in ("flops", "network") if draw.random() < 0.7]
    work = {key: draw.randint(1, 50) for key in keys}
    rates = {key: draw.randint(1, 50) for key in ("flops", "memory", "network")}
    times = [Fraction(draw.randint(1, 4000), 64) for _ in range(draw.randint(1, 6))]
    return Drawn(work, rates, [(draw.randint(1, 40), time) for time in times])


def module_of(text: str) -> Module:
    module, problems = check_text(Source("m.roof", text))
    assert not [problem for problem in problems if problem.severity == "error"]
    return module


def runs_of(folder: Path, text: str) -> Runs:
    path = folder / "runs.csv"
    path.write_text(text, encoding="utf-8")
    runs, problems = read_runs(path, "runs.csv")
    assert runs is not None, problems
    return runs


def nothing(_: str) -> None:
    return None


def scored(
    folder: Path,
    text: str,
    machine: MachineDefinition,
    *models: ModelDefinition,
    measure: Measure | None = None,
) -> Validation:
    runs = runs_of(folder, text)
    named = [Named(model, model.name) for model in models]
    found = models_of_runs(runs, named, nothing, lambda _: {})
    return validate("runs.csv", machine, found.asked, found.notes, measure)


class Expected(NamedTuple):
    mape: Fraction
    bias: Fraction
    above: int


def expected(found: Drawn, without: Sequence[str], measure: str) -> Expected:
    """Return Eq. 2.6 by hand: the time of a roofline is its longest resource's."""
    errors: list[Fraction] = []
    above = 0
    for size, measured in found.runs:
        kept = [key for key in found.work if key not in without]
        time = max(Fraction(found.work[key] * size, found.rates[key]) for key in kept)
        error = measured / time - 1 if measure == "performance" else time / measured - 1
        errors.append(100 * error)
        above += measured < time
    count = len(errors)
    whole = sum(map(abs, errors), Fraction())
    return Expected(whole / count, sum(errors, Fraction()) / count, above)


def test_scores_are_those_by_hand(tmp_path: Path) -> None:
    draw = random.Random("scores")
    sent = 0
    for _ in range(inputs(150, 2000)):
        found = drawn(draw)
        module = module_of(found.text())
        for measure in ("performance", "time") if "flops" in found.work else ("time",):
            machine, model = module.machines["c"], module.models["m"]
            (score,) = scored(tmp_path, found.csv(), machine, model, measure=measure).scores
            original = expected(found, ["network"], measure)
            extended = expected(found, [], measure)
            assert score.mape("original") == pytest.approx(float(original.mape), rel=1e-12)
            assert score.bias("original") == pytest.approx(float(original.bias), rel=1e-9, abs=1e-9)
            assert len(score.above("original")) == original.above
            if "network" not in found.work:
                assert score.kinds == ("original",)
                assert score.change is None
                continue
            sent += original != extended
            assert score.kinds == ("original", "extended")
            assert score.mape("extended") == pytest.approx(float(extended.mape), rel=1e-12)
            assert score.bias("extended") == pytest.approx(float(extended.bias), rel=1e-9, abs=1e-9)
            assert len(score.above("extended")) == extended.above
            if original.mape:
                part = 100 * (original.mape - extended.mape) / original.mape
                assert score.change == pytest.approx(float(part), rel=1e-9, abs=1e-9)
    assert sent > 20


def test_performance_is_compared_where_there_are_flops(tmp_path: Path) -> None:
    module = module_of(
        "model a { param N = 1; flops = 3 flop * N; memory = 1 B }\n"
        "model b { param N = 1; memory = 1 B * N }\n"
        "machine c { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }\n"
    )
    text = "kernel,N,time [s]\na,1,4\na,2,12\nb,10,5\n"
    found = scored(tmp_path, text, module.machines["c"], *module.models.values())
    first, second = found.scores
    assert (first.measure, second.measure) == ("performance", "time")
    # Predicted 1 flop/s, measured 3/4 and 6/12; predicted 10 s, measured 5 s.
    assert first.errors("original") == pytest.approx([100 / 3, 100])
    assert second.errors("original") == [100.0]
    assert second.above("original")[0].faster("original") == 100.0
    assert found.mape("original") == pytest.approx((100 / 3 + 100 + 100) / 3)
    assert found.count == 3
    assert [name.name for name, _, _ in found.beyond(99)] == ["b"]
    assert [name.name for name, _, _ in found.beyond(100)] == []


def test_a_run_as_long_as_predicted_is_not_above_the_roof(tmp_path: Path) -> None:
    module = module_of(
        "model a { param N = 1; flops = 3 flop * N }\nmachine c { flops = 7 flop/s }\n"
    )
    rows = "".join(f"a,{size},{3 * size / 7!r}\n" for size in range(1, 200))
    (score,) = scored(
        tmp_path, "kernel,N,time [s]\n" + rows, module.machines["c"], module.models["a"]
    ).scores
    assert score.above("original") == []
    assert score.mape("original") < 1e-9


def test_the_change_has_the_sign_of_table_2_6() -> None:
    assert change(3.0, 0.0) == 100.0
    assert change(3.0, 4.0) == pytest.approx(-100 / 3)
    assert change(0.0, 4.0) is None
    assert change(float("inf"), 4.0) is None


def test_the_original_has_no_messages_no_start_ups_of_the_network_and_no_device_s() -> None:
    module = module_of(
        "machine card { flops = 9 GFLOP/s; memory = 7 GB/s; network = 2 GB/s }\n"
        "machine c {\n"
        "    flops = 1 GFLOP/s\n"
        "    memory = 1 GB/s\n"
        "    network { intra = 8 GB/s; inter = 1 GB/s; default intra }\n"
        "    messages = 2 us/message\n"
        "    startup = 3 us\n"
        "    startup network = 5 us\n"
        "    device gpu = card\n"
        "}\n"
    )
    found = without_network(module.machines["c"])
    assert {rate.key for rate in found.rates if rate.value is not None} == {"flops", "memory"}
    assert {rate.key for rate in found.devices["gpu"].rates if rate.value is None} == {"network"}
    assert [item.key for item in found.startups] == [""]


@pytest.mark.parametrize("machine", ["karst", "jetstream", "dgx_a100"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("summa", {"N": 1100, "P": 121}),
        ("dgemv", {"N": 4096, "P": 16}),
        ("fft", {"N": 2**16, "P": 64}),
    ],
)
def test_the_original_of_the_library_is_that_of_a_network_without_limit(
    name: str, settings: dict[str, int], machine: str, tmp_path: Path
) -> None:
    import roofdsl as rd

    model, there = find_model(name)[0], find_machine(machine)[0]
    text = f"{','.join(settings)},time [s]\n{','.join(map(str, settings.values()))},1\n"
    (score,) = scored(tmp_path, text, there, model, measure="time").scores
    keys = [
        rate.key for rate in there.rates if rate.key.partition(".")[0] in ("network", "messages")
    ]
    here = rd.load_machine(machine)
    free = here.changed(dict.fromkeys(keys, "unlimited"))
    asked = rd.load_model(name)
    (point,) = score.points
    assert point.original == asked.on(free).evaluate(**settings).time
    assert point.extended == asked.on(here).evaluate(**settings).time


def test_work_that_was_counted_is_a_model_of_its_own(tmp_path: Path) -> None:
    module = module_of(
        "machine c { flops = 10 GFLOP/s; memory { L2 = 40 GB/s; DRAM = 8 GB/s; default DRAM }\n"
        "network = 1 GB/s }\n"
    )
    text = (
        "kernel,time [s],flops [GFLOP],memory.L2 [GB],memory [GB],network [GB]\n"
        "a,2,10,4,4,\nb,1,1,80,4,\nc,4,10,,8,3\n"
    )
    (score,) = scored(tmp_path, text, module.machines["c"]).scores
    assert score.name == COUNTED
    times = [(point.original, point.extended) for point in score.points]
    assert times == [(1.0, None), (2.0, None), (1.0, 3.0)]
    assert [point.bound for point in score.points] == ["flops", "memory.L2", "network"]
    assert [score.error(point, "extended") for point in score.points] == pytest.approx(
        [100.0, -50.0, 100 / 3]
    )
    # A run of which nothing was sent has one prediction, which counts for both.
    assert score.mape("original") == pytest.approx((100 + 50 + 300) / 3)
    assert score.mape("extended") == pytest.approx((100 + 50 + 100 / 3) / 3)


def test_kernels_are_sorted_to_models(tmp_path: Path) -> None:
    summa, dgemv = find_model("summa")[0], find_model("dgemv")[0]
    runs = runs_of(
        tmp_path,
        "kernel,N,P,time [s]\nsumma,64,4,1\nlinalg.summa,64,1,1\nmine.roof:dgemv,64,4,1\n,64,16,1\n"
        "x,64,4,1\n",
    )

    def sizes(*models: Named) -> dict[str, list[int]]:
        found = models_of_runs(runs, models, lambda _: summa, lambda _: {})
        names = {
            name: [list(runs.runs).index(x.run) for x in all_] for name, all_ in found.asked.items()
        }
        assert all("left aside" in note for note in found.notes)
        return names

    assert sizes(Named(summa, "summa")) == {"summa": [0, 1, 3]}
    assert sizes(Named(dgemv, "dgemv"), Named(summa, "x", "x")) == {"dgemv": [2, 3], "summa": [4]}
    assert sizes(Named(summa, "summa"), Named(summa, "x", "x")) == {
        "summa": [0, 1, 3],
        "summa (2)": [4],
    }
    with pytest.raises(RoofError, match="names no kernel"):
        models_of_runs(runs, [], lambda _: summa, lambda _: {})


def test_runs_of_another_machine_are_told(tmp_path: Path) -> None:
    module = module_of("model a { memory = 1 B }\nmachine c { memory = 1 B/s }\n")
    text = "kernel,machine,time [s]\na,{},1\na,c,1\na,,1\n"
    for place, notes in (("d", ("runs say that they ran on 'd', not on 'c'",)), ("c", ())):
        found = scored(tmp_path, text.format(place), module.machines["c"], module.models["a"])
        assert found.notes == notes


def test_a_value_of_all_runs_gives_way_to_that_of_a_run(tmp_path: Path) -> None:
    module = module_of(
        "model a { param N = 1; param k = 1; flops = 1 flop * N * k }\n"
        "machine c { flops = 1 flop/s }\n"
    )
    model = module.models["a"]
    runs = runs_of(tmp_path, "N,k,time [s]\n1,,1\n1,7,1\n")
    from roofdsl.model.arguments import read_arguments

    fixed = read_arguments(model, {"k": "5"})[0]
    found = models_of_runs(runs, [Named(model, "a")], nothing, lambda _: fixed)
    (score,) = validate("runs.csv", module.machines["c"], found.asked).scores
    assert [point.original for point in score.points] == [5.0, 7.0]


def test_a_value_that_no_run_takes_is_told(tmp_path: Path) -> None:
    module = module_of(
        "model a { param N = 1; flops = 1 flop * N }\nmachine c { flops = 1 flop/s }"
    )
    model = module.models["a"]
    runs = runs_of(tmp_path, "N,time [s]\n1,1\n2,7\n")
    from roofdsl.model.arguments import read_arguments

    fixed = read_arguments(model, {"N": "5"})[0]
    found = models_of_runs(runs, [Named(model, "a")], nothing, lambda _: fixed)
    assert found.notes == ("a: each run says N itself; the value given for it is not used",)
