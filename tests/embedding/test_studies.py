"""What the command line studies is studied from Python, with the same answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
SUMMA = ["summa", "-m", "karst", "-p", "P=121"]


@pytest.fixture(scope="module")
def summa() -> rd.Prediction:
    return rd.load_model("summa").on(rd.load_machine("karst"))


def printed(*arguments: str) -> str:
    """Return what a command prints."""
    result = CliRunner().invoke(cli, [*arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


ANSWERS: dict[str, tuple[list[str], Callable[[rd.Prediction], object]]] = {
    "faster machine": (
        ["solve", *SUMMA, "-m", "jetstream", "--faster", "--for", "N"],
        lambda summa: summa.faster(summa.model.on(rd.load_machine("jetstream")), "N", P=121),
    ),
    "less memory": (
        ["solve", *SUMMA, "dgemv", "--faster", "--for", "N", "--by", "memory"],
        lambda summa: summa.faster(
            [rd.load_model("dgemv").on(summa.machine)], "N", by="memory", P=121
        ),
    ),
    "a changed machine": (
        ["solve", *SUMMA, "-m", "jetstream", "--faster", "--set", "karst.network=2x"],
        lambda summa: summa.model.on(summa.machine.changed(network="2x")).faster(
            summa.model.on(rd.load_machine("jetstream")), P=121
        ),
    ),
    "within a range": (
        ["solve", *SUMMA, "-m", "jetstream", "--faster", "--range", "4..1e6"],
        lambda summa: summa.faster(
            summa.model.on(rd.load_machine("jetstream")), "N", 4, 1e6, P=121
        ),
    ),
    "asymptotic": (
        ["study", *SUMMA, "--asymptotic"],
        lambda summa: summa.asymptotic(P=121),
    ),
    "scaling": (
        ["study", "summa", "-m", "karst", "-p", "N=4096", "--scaling", "--efficiency", "80%"],
        lambda summa: summa.scaling(N=4096, efficiency=0.8),
    ),
    "sensitivity": (
        ["study", *SUMMA, "-p", "N=4096", "--sensitivity"],
        lambda summa: summa.sensitivity(N=4096, P=121),
    ),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_it_prints_what_the_command_prints(what: str, summa: rd.Prediction) -> None:
    arguments, asked = ANSWERS[what]
    found = asked(summa)
    assert str(found) == printed(*arguments).removesuffix("\n")
    assert found.to_dict() == json.loads(printed(*arguments, "--format", "json"))  # type: ignore[attr-defined]  # all have it
    assert found.to_latex() == printed(*arguments, "--format", "latex").removesuffix("\n")  # type: ignore[attr-defined]
    assert found.to_markdown() == printed(*arguments, "--format", "markdown").removesuffix("\n")  # type: ignore[attr-defined]
    assert found.to_json() == printed(*arguments, "--format", "json").removesuffix("\n")  # type: ignore[attr-defined]


def test_a_profile_is_projected_as_the_command_does(tmp_path: Path) -> None:
    path = tmp_path / "profile.csv"
    path.write_text("group,time [s],kind\na,60,threaded\nb,30,serial\nTotal,100,\n", "utf-8")
    here, there = rd.load_machine("blue_waters_xe"), rd.load_machine("haswell")
    found = rd.project(path, here, [there, here], measured={"haswell": "60 s"})
    arguments = ["project", str(path), "--from", here.name, "--to", there.name, "--to", here.name]
    arguments += ["--measured", "haswell=60 s"]
    assert str(found) == printed(*arguments).removesuffix("\n")
    assert found.to_dict() == json.loads(printed(*arguments, "--format", "json"))
    assert [round(each.speedup, 6) for each in found.projections][1] == 1
    frame = found.to_pandas()
    assert frame[frame["group"].isna()]["time"].tolist() == [100.0, 100.0]
    assert found == rd.project(path, here, [there, here], measured={"haswell": 60})
    with pytest.raises(rd.RoofError, match="no target is given"):
        rd.project(path, here, [])
    with pytest.raises(rd.RoofError, match=f"two are '{here.name}'"):
        rd.project(path, here, here.changed(memory="2x"))
    assert rd.project(path, here, here.changed(memory="2x").named("fast")).projections


def test_who_is_faster_becomes_expressions(summa: rd.Prediction) -> None:
    found = summa.faster(summa.model.on(rd.load_machine("jetstream")), "N", P=121)
    assert [str(each) for each in found.as_eq()] == [
        "Eq(N, sqrt(P)*karst.flops*word*log(P)/(2*jetstream.network*log(2)) - 1)"
    ]
    place = found.crossovers[0].first_integer
    assert place is not None
    for size in (place - 1, place):
        values = {
            symbol: size for symbol in found.as_piecewise().free_symbols if symbol.name == "N"
        }
        best = min(
            (summa.model.on(rd.load_machine(name)).evaluate(N=size, P=121).time, name)
            for name in ("karst", "jetstream")
        )
        assert str(found.as_piecewise().subs(values)) == best[1]


def test_models_and_machines_may_both_differ(summa: rd.Prediction) -> None:
    other = rd.load_model("dgemv").on(rd.load_machine("jetstream"))
    found = summa.faster(other, "N", P=4, word=8)
    assert [name for name, _ in found.contenders] == ["summa on karst", "dgemv on jetstream"]
    assert str(found).startswith("summa on karst or dgemv on jetstream, by N   P = 4, word = 8 B")


def test_a_value_is_for_those_that_know_it(summa: rd.Prediction) -> None:
    other = rd.load_model("dgemv").on(summa.machine)
    assert summa.faster(other, "N", P=4, M=4096).contenders[0][1].binding.values["M"] == 4096
    with pytest.raises(rd.RoofError, match=r"R0401.*'Q'"):
        summa.faster(other, "N", P=4, Q=1)


def test_two_of_one_name_are_told_apart_by_another(summa: rd.Prediction) -> None:
    fast = summa.machine.changed(network="2x")
    with pytest.raises(rd.RoofError, match=r"R0202[^$]*\.named\("):
        summa.faster(summa.model.on(fast), P=121)
    dgemv = rd.load_model("dgemv")
    assert [name for name, _ in summa.faster(dgemv.on(summa.machine), "N", P=4).contenders] == [
        "summa",
        "dgemv",
    ]
    with pytest.raises(rd.RoofError, match="R0202") as told:
        summa.faster([dgemv.on(fast), summa.model.on(fast), dgemv.on(fast)], "N", P=4)
    assert "told apart by name" in str(told.value)
    found = summa.faster(summa.model.on(fast.named("fast")), P=121)
    assert [regime.labels for regime in found.regimes] == [("fast",), ("karst", "fast")]


def test_a_changed_machine_is_not_what_it_was(summa: rd.Prediction) -> None:
    fast = summa.machine.changed(network="2x")
    assert fast != summa.machine and summa.model.on(fast) != summa
    assert fast == rd.load_machine("karst").changed(network="2x") != fast.changed(network="2x")


def test_a_machine_is_named_by_a_name(summa: rd.Prediction) -> None:
    named = summa.machine.changed(network="2x").named("fast")
    assert named.sources[-1] == "fast is karst with network = 2x"
    assert str(summa.model.on(named).crossovers(P=121).as_eq()[0].rhs).count("fast.") == 2
    assert summa.model.on(named).evaluate(N=4096, P=121).notes[0].startswith("'fast' has one rate")
    for odd in ("two words", "1", "", "a.b", "x; y", "param"):
        with pytest.raises(rd.RoofError):
            summa.machine.named(odd)


def test_numbers_alone_load_no_sympy() -> None:
    code = (
        "import roofdsl as rd, sys\n"
        "summa = rd.load_model('summa')\n"
        "one, other = (summa.on(rd.load_machine(name)) for name in ('karst', 'jetstream'))\n"
        "str(one.evaluate(N=4096, P=121))\n"
        "assert 'sympy' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_no_predictions_are_refused(summa: rd.Prediction) -> None:
    with pytest.raises(rd.RoofError, match="no prediction is given"):
        summa.faster([], "N", P=4)


def test_an_efficiency_alone_asks_for_the_least_of_the_only_size(summa: rd.Prediction) -> None:
    alone = summa.scaling("P", N=4096, efficiency="80%")
    assert alone.sizes == summa.scaling("P", N=4096, size="N", efficiency=0.8).sizes is not None
