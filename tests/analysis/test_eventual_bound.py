"""The bound that is named as a parameter grows is the bound in numbers, far out."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
import pytest
from click.testing import CliRunner

from roofdsl.analysis.asymptotic import asymptotics, eventual_bound
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.example import Start, point_of
from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.arguments import Argument
from roofdsl.model.library import bundled, check_text, find_machine
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source
from roofdsl.typeset.text import text as written
from tests.agreement.points import models_of
from tests.solver.writing import precise

MACHINES = ("karst", "a100_sxm_80gb")
# Powers of 4 are squares and multiples of what the examples use; floats hold a cube of the first.
LARGE = (2**300, 2**100, 2**60, 2**30)
LARGER = mpmath.ldexp(1, 10**6)  # its logarithm outgrows what that of a float does not


MODELS = [model for file in bundled("model") for model in models_of(file)]


@cache
def points() -> list[tuple[ModelDefinition, Start]]:
    """Return the models with an example that does on one of the machines."""
    machines = [find_machine(name)[0] for name in MACHINES]
    found = (
        (model, point_of(model, [ModelOnMachine(model, each) for each in machines], {}))
        for model in MODELS
    )
    return [(model, start) for model, start in found if start is not None]


def far_out(
    model: ModelDefinition, machine: MachineDefinition, others: dict[str, Argument], name: str
) -> Result | None:
    """Return what comes out at the largest value that is allowed, if a large one is."""
    for size in LARGE:
        prediction, problems = predict(model, machine, {**others, name: (number(size), None)})
        if not problems:
            try:
                return evaluated(prediction)
            except RoofError:
                continue
    return None


def number(size: int) -> Expression:
    return Number(Fraction(size))


def further_out(prediction: Prediction, name: str) -> str:
    """Return what binds a kernel at `LARGER`, beyond what a float holds."""
    assert prediction.is_kernel
    times = {
        resource: precise(substitute(tree, prediction.rates), {name: LARGER})
        for resource, tree in prediction.times().items()
    }
    return max(times, key=lambda resource: times[resource])


@pytest.mark.parametrize("machine_name", MACHINES)
def test_the_library_is_bound_so_far_out(machine_name: str) -> None:
    machine = find_machine(machine_name)[0]
    compared, later = 0, set()
    for model, point in points()[MACHINES.index(machine_name) :: len(MACHINES)]:
        for name in point.growing:
            others = {key: value for key, value in point.arguments.items() if key != name}
            prediction, problems = predict(model, machine, others, frozenset({name}))
            found = None if problems else far_out(model, machine, others, name)
            if found is None:
                continue
            bound = eventual_bound(prediction, name)
            place = f"{model.name} on {machine_name}, {name}"
            assert bound is not None, place
            compared += 1
            if bound not in found.ties:
                later.add(model.name)
                assert bound == further_out(prediction, name), place
    assert compared > 120
    # Their work grows by a logarithm faster than what binds for long.
    assert later <= {
        "fft",
        "fft_as_printed",
        "dijkstra",
        "dijkstra_as_printed",
        "dijkstra_in_bytes",
    }


BOX = "machine box { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }\n"
ELSEWHERE = "depends on the other parameters, or is not known"
CASES = {
    # Memory is busy for 109*N s, but 99*N of them are hidden behind flops.
    "hidden work": ("step a { flops = 100*N; memory = 99*N }\n step b { memory = 10*N }", "flops"),
    "a step that changes": ("step a { flops = N^2; memory = 10^6*N }", "flops"),
    "a step that outgrows": ("step a { flops = 100*N }\n step b { memory = N*log2(N) }", "memory"),
    "an overlap": ("overlap { step a { flops = 3*N }\n step b { memory = 2*N } }", "flops"),
    "a shared resource": (
        "overlap { step a { flops = 3*N; memory = 2*N }\n step b { memory = 2*N } }",
        "memory",
    ),
    "a repeat": ("step a { flops = 10^6*N }\n repeat N { step b { network = N } }", "network"),
    "as much each": ("step a { flops = 2*N }\n step b { memory = N + N }", "flops"),
    "an overlap with the second of a step": (
        "overlap { step a { flops = N; memory = N^2 }\n step b { network = 2*N } }",
        "memory",
    ),
    "no work": ("flops = 0*N", None),
    "to and fro": ("flops = N; memory = if N/2 is integer then 2*N else N/2", None),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bound_is_what_is_charged(name: str) -> None:
    body, bound = CASES[name]
    text = f"model m {{ param N: integer\n{body}\n }}\n{BOX}"
    module, problems = check_text(Source("demo.roof", text))
    assert [problem for problem in problems if problem.severity == "error"] == []
    model, machine = module.models["m"], module.machines["box"]
    prediction, _ = predict(model, machine, {}, frozenset({"N"}))
    found = asymptotics(prediction, unknown_named("N", model, machine))
    assert found.bound == bound
    if bound is not None:
        result = far_out(model, machine, {}, "N")
        assert result is not None and result.bound == bound


def test_what_outgrows_all_that_others_may_be_is_the_bound() -> None:
    # Whether flops or memory take longer in the first step depends on M.
    body = "overlap { step a { flops = N; memory = N*M }\n step b { network = N^2 } }"
    module, _ = check_text(Source("demo.roof", f"model m {{ param N; param M\n{body} }}\n{BOX}"))
    model, machine = module.models["m"], module.machines["box"]
    prediction, _ = predict(model, machine, {}, frozenset({"N", "M"}))
    assert eventual_bound(prediction, "N") == "network"


def test_leading_terms_are_those_of_each_resource_and_of_the_whole() -> None:
    def leading(body: str) -> tuple[dict[str, str], str | None]:
        module, _ = check_text(Source("demo.roof", f"model m {{ param N\n{body} }}\n{BOX}"))
        model, machine = module.models["m"], module.machines["box"]
        prediction, _ = predict(model, machine, {}, frozenset({"N"}))
        found = asymptotics(prediction, unknown_named("N", model, machine))
        told = {name: written(tree) for name, tree in found.times.items() if tree is not None}
        return told, None if found.time is None else written(found.time)

    body = "step a { flops = 8*N^2 + N; memory = 99*N }\n step b { memory = 10*N + 5 }"
    times = {"flops": "8*N^2/box.flops", "memory": "109*N/box.memory"}
    assert leading(body) == (times, "8*N^2/box.flops")
    # Of one resource alone its time says it all.
    assert leading("flops = 8*N^2 + N") == ({"flops": "8*N^2/box.flops"}, None)


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_lenet_is_flops_bound_in_a_study_as_in_numbers(form: str) -> None:
    command = ["study", "lenet5", "--asymptotic", "--for", "batch", "-m", "a100_sxm_80gb"]
    told = CliRunner().invoke(cli, [*command, "--format", form]).output
    if form == "json":
        assert '"bound": "flops"' in told
    else:
        assert "bound in the end: flops" in told.replace("**", "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["eval", "lenet5", "-m", "a100_sxm_80gb"], "bound as batch grows: flops"),
        (["eval", "linear", "-m", "karst"], f"grows: {ELSEWHERE}"),
        (["eval", "m.roof:m", "-m", "m.roof:box"], "bound as N grows: not known"),
        (
            ["study", "m.roof:m", "--asymptotic", "--for", "N", "-m", "m.roof:box"],
            "bound in the end: not known",
        ),
    ],
)
def test_what_is_not_known_is_said(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body, _ = CASES["to and fro"]
    Path("m.roof").write_text(f"model m {{ param N: integer\n{body}\n }}\n{BOX}", "utf-8")
    assert f"{told}\n" in CliRunner().invoke(cli, arguments).output
