"""Answers to one question in one table: as the command line has it at several values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

SUMMA = rd.load_model("summa")
KARST, JETSTREAM = map(rd.load_machine, ("karst", "jetstream"))
ON = SUMMA.on(KARST)
COMMANDS: dict[str, Callable[[int], Any]] = {
    "solve summa --crossover --for N -m karst": lambda P: ON.crossovers("N", P=P),
    "solve summa --such-that time<=10s --for N -m karst": lambda P: ON.where("time<=10s", "N", P=P),
    "solve summa --for N -m karst --rates ±10%": lambda P: ON.over_rates("±10%", "N", P=P),
    "solve summa --faster --for N -m karst -m jetstream": lambda P: ON.faster(
        SUMMA.on(JETSTREAM), "N", P=P
    ),
    "study summa --sensitivity -m karst -p N=4096": lambda P: ON.sensitivity(N=4096, P=P),
    "study summa --scaling --for P -m karst --strong": lambda N: ON.scaling("P", strong=True, N=N),
    "study summa --asymptotic --for N -m karst": lambda P: ON.asymptotic("N", P=P),
}


def printed(line: str, *more: str) -> str:
    found = CliRunner().invoke(cli, [*line.split(), *more], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout.rstrip("\n")


@pytest.mark.parametrize("line", COMMANDS)
def test_a_table_is_that_of_the_command_line(line: str) -> None:
    name = "N" if "--scaling" in line else "P"
    found = rd.combined(COMMANDS[line](value) for value in (4, 16))
    asked = (line, "-p", f"{name}=4,16")
    assert str(found) == printed(*asked)
    assert found.to_dict() == json.loads(printed(*asked, "--format", "json"))
    assert len(found) == 2 and found[1].to_dict() == json.loads(
        printed(line, "-p", f"{name}=16", "--format", "json")
    )


def test_several_machines_are_told_apart() -> None:
    found = rd.combined(SUMMA.on(each).crossovers("N", P=16) for each in (KARST, JETSTREAM))
    assert str(found) == printed("solve summa --crossover --for N -m karst -m jetstream -p P=16")


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (list, "no answer is given"),
        (lambda: [ON.crossovers("N")], "none that a table of several has"),
        (lambda: [ON.evaluate(N=4, P=4)], "none that a table of several has"),
        (lambda: [ON.crossovers("N", P=4), ON.crossovers("P", N=64)], "different questions: N, P"),
        (
            lambda: [ON.crossovers("N", P=4), ON.sensitivity(N=64, P=4)],
            "questions: crossovers, sensitivity",
        ),
        (
            lambda: [ON.sensitivity(N=64, P=4), ON.sensitivity(N=64, P=16, partial=True)],
            "questions: elasticities of the time, partial elasticities of the time",
        ),
        (
            lambda: [
                ON.faster(SUMMA.on(JETSTREAM), "N", P=P, by=by)
                for P, by in ((4, "time"), (16, "memory"))
            ],
            "questions: fastest, lowest memory",
        ),
        (
            lambda: [ON.crossovers("N", P=4), ON.crossovers("N", P=4, between=["flops", "memory"])],
            r"answers\[0\] and answers\[1\] are at the same values",
        ),
    ],
)
def test_what_is_no_table_is_refused(answers: Callable[[], Any], why: str) -> None:
    with pytest.raises(rd.RoofError, match=why) as refused:
        rd.combined(answers())
    assert refused.value.diagnostics[0].code == "R0720"


def test_several_models_are_told_apart() -> None:
    text = "model NAME { param n: integer; flops = 2*n^3; memory = TIMES*8 B*n^2 }"
    given = {"once": "1", "twice": "2"}
    both = "\n".join(text.replace("NAME", k).replace("TIMES", v) for k, v in given.items())
    models = rd.loads(both).models.values()
    found = str(rd.combined(model.on(KARST).crossovers("n") for model in models))
    assert found.splitlines()[0] == "on karst: crossovers, n in 1 .. 10^18"
    assert [line.split()[0] for line in found.splitlines()[2:5]] == ["model", "once", "twice"]
    assert "4*karst.flops/karst.memory   for once" in found


@pytest.mark.parametrize("P", [4, 16])
def test_machines_of_one_name_are_not_taken_for_one(P: int) -> None:
    fast = KARST.changed(network="2x")
    with pytest.raises(rd.RoofError, match="two are 'karst'"):
        rd.combined([ON.crossovers("N", P=4), SUMMA.on(fast).crossovers("N", P=P)])
    named = SUMMA.on(fast.named("fast")).crossovers("N", P=P)
    assert "\n  fast" in str(rd.combined([ON.crossovers("N", P=4), named]))


def test_what_is_no_answer_is_refused() -> None:
    with pytest.raises(TypeError, match=r"answers\[0\] takes an answer.*, not 1"):
        rd.combined([1])  # type: ignore[type-var]  # that is what is tested
