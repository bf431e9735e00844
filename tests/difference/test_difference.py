"""What changes the meaning of a model or machine is said by `diff`; what does not is not."""

from __future__ import annotations

import json
from inspect import signature
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.analysis.difference.change import Change
from roofdsl.analysis.difference.models import compare_models
from roofdsl.analysis.difference.sameness import conjunction
from roofdsl.analysis.result import Result
from roofdsl.cli.main import cli
from roofdsl.expression.tree import ONE, ZERO, Comparison, Divide, Symbol
from roofdsl.model.kept import Keep, Tensor
from roofdsl.model.library import check_text
from roofdsl.model.types import (
    Energy,
    MachineDefinition,
    ModelDefinition,
    Overlap,
    Parameter,
    Rate,
    Repeat,
    Resource,
    Standing,
    Step,
    Work,
)
from roofdsl.model.varying import MeasuredTable, Operation, OperationRate, Startup
from roofdsl.source import Source
from tests.difference.edits import EDITS, MISSED, Edit
from tests.difference.programs import outcome, said, two_versions
from tests.difference.silent import SILENT, Silent


def test_there_are_enough_edits() -> None:
    assert len(EDITS) == len(set(EDITS)) >= 100
    assert len(MISSED) == 10
    assert len(SILENT) == len(set(SILENT)) >= 40


COMPARED = {
    ModelDefinition: "parameters intermediates uncertain requirements work time operation parts"
    " tallies tensors keeps totals even is_mix metrics",
    MachineDefinition: "parameters intermediates uncertain requirements rates defaults devices"
    " tables capacities startups operation_rates energies power price serial concurrent",
    Energy: "key resource value uncertainty",
    Standing: "name formula uncertainty",
    Parameter: "kind dimension low high low_open default",
    Step: "name model arguments in_place device sources overwrites",
    Tensor: "word size kept here of",
    Keep: "name size begins ends",
    Overlap: "parts",
    Repeat: "times parts word keeping",
    Operation: "name arguments",
    MeasuredTable: "parameters values interpolate key operation units measure",
    OperationRate: "key operation parameters value",
    Startup: "key value uncertainty",
    Rate: "key resource value uncertainty parameters",
    Work: "key resource value selector precision",
    Resource: "name dimension shares",
}
SILENT_FIELDS = {
    *"name doc span sources text written symbol unit inverse adopted file".split(),
    *"base changes layers most own_units".split(),  # how a definition was made
}


@pytest.mark.parametrize("definition", COMPARED)
def test_all_that_is_stated_is_compared(definition: type) -> None:
    # What is new in a definition is to be compared, or entered among what means nothing.
    assert {*signature(definition).parameters} - SILENT_FIELDS == {
        *COMPARED[definition].split()
    } - SILENT_FIELDS


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.name}: {edit.new.strip()[:40]}")
def test_an_edit_is_said(edit: Edit, tmp_path: Path) -> None:
    old, new = two_versions(tmp_path, edit.file, edit.old, edit.new)
    text = said(old, new, edit.name)
    for part in edit.says:
        assert part in text
    assert "both mean the same" not in text
    assert bool(edit.run) != bool(edit.only)
    if edit.run:
        assert repr(outcome(old, edit.run)) != repr(outcome(new, edit.run))


@pytest.mark.parametrize("edit", SILENT, ids=lambda edit: f"{edit.name}: {edit.new.strip()[:40]}")
def test_an_edit_of_no_meaning_is_not_said(edit: Silent, tmp_path: Path) -> None:
    old, new = two_versions(tmp_path, edit.file, edit.old, edit.new)
    assert said(old, new, edit.name).endswith("none: both mean the same")
    before, after = outcome(old, edit.run), outcome(new, edit.run)
    assert isinstance(before, Result)
    assert isinstance(after, Result)
    assert after.time == pytest.approx(before.time, rel=1e-12)
    assert after.bound == before.bound
    assert after.work == pytest.approx(before.work, rel=1e-12)
    assert after.tallies == pytest.approx(before.tallies, rel=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        # No formula needs it, but who gives it a value is refused without it.
        ("param n; flops = n", "param n; param k = 3; flops = n", "parameter"),
        ("param n; param k = 3; flops = n", "param n; flops = n", "parameter"),
        # One of two was given another name, the other one another value as well.
        ("param a = 1; param b = 2; flops = a*b", "param x = 1; param y = 3; flops = x*y", ""),
    ],
)
def test_parameters_that_differ_are_said(old: str, new: str, what: str) -> None:
    changes = changes_between(old, new)
    assert changes and what in ("", *(change.what for change in changes))


def changes_between(old: str, new: str) -> list[Change]:
    models = [
        check_text(Source("m.roof", f"model m {{ {text} }}"))[0].models["m"] for text in (old, new)
    ]
    return [*compare_models(*models)]


KERNEL = "in x = 8 B; in z = 4 B; out y = 8 B; keep x; hold w = 2 B; flops = 2"
STEPS = (
    "in x = 8 B; step a { in p = 8 B; out q = 8 B; hold w = 3 B; flops = 1 }; "
    "step b { in p = 8 B; out q = 8 B; flops = 1 }; "
    "step c { in p = 8 B; out q = 8 B; flops = 1 }; keep a to b; keep h = 4 B from a to c"
)


@pytest.mark.parametrize(
    ("whole", "old", "new", "said"),
    [
        (KERNEL, "in x = 8 B", "in x = 9 B", ["changed tensor in x"]),
        (KERNEL, "; in z = 4 B", "", ["removed tensor in z"]),
        (KERNEL, "out y = 8 B", "out y = x", ["changed tensor out y"]),
        (KERNEL, "keep x", "keep z", ["changed tensor in x", "changed tensor in z"]),
        (KERNEL, "keep x", "keep x; keep v = 1 B", ["added tensor keep v"]),
        (KERNEL, "hold w = 2 B", "hold w = 2 B from here", ["changed tensor hold w"]),
        (KERNEL, "in z = 4 B", "in other = 2*2 B", []),
        (STEPS, "keep a to b", "keep a to c", ["removed keep a to b", "added keep a to c"]),
        (STEPS, "4 B from", "5 B from", ["changed keep h from a to c"]),
        (STEPS, "step c {", "recompute { step c {", ["added recompute of c"]),
    ],
)
def test_tensors_that_differ_are_said(whole: str, old: str, new: str, said: list[str]) -> None:
    edited = whole.replace(old, new)
    if "recompute" in new:
        edited = edited.replace("flops = 1 }; keep a", "flops = 1 } }; keep a")
    found = changes_between(whole, edited)
    assert [f"{each.kind} {each.what} {each.name}".rstrip() for each in found] == said


def test_what_steps_read_and_where_they_write_is_said() -> None:
    kernel = "model k { in p = 8 B; out q = 8 B; flops = 1 }"
    steps = "step a = k(); step b = k(); step c = k()"

    def changes(old: str, new: str) -> list[str]:
        models = [
            check_text(Source("m.roof", f"{kernel}\nmodel m {{ {text} }}"))[0].models["m"]
            for text in (steps, steps.replace(old, new))
        ]
        found = compare_models(*models)
        return [f"{each.kind} {each.what} {each.detail} in {each.places}" for each in found]

    assert changes("step c = k()", "step c = k() from a") == ["added source a in ('c',)"]
    assert changes("step b = k()", "step b = k() in place") == ["added result in place in ('b',)"]


def test_work_of_all_steps_is_said_where_there_are_steps() -> None:
    kernel, two = "flops = 2", "step a { flops = 1 }; step b { flops = 2 }"
    assert [change.what for change in changes_between(kernel, "flops = 3")] == ["work"]
    for old, new, detail in (
        (two, kernel, "made of the steps a, b → work of its own"),
        (kernel, two, "work of its own → made of the steps a, b"),
    ):
        form, total = changes_between(old, new)
        assert form == Change("changed", "form", "of the model", detail=detail)
        assert (total.what, total.name) == ("work of all steps:", "flops")


def test_each_step_is_renamed_once() -> None:
    def steps(names: str) -> str:
        return "; ".join(f"step {name} {{ flops = 1 }}" for name in names)

    changes = changes_between(steps("abc"), steps("defg"))[:4]
    assert [(change.kind, change.detail) for change in changes] == [
        *(("renamed", detail) for detail in ("a → d", "b → e", "c → f")),
        ("added", "written in place"),
    ]


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (Comparison("<", ONE, ZERO), 1),
        (Comparison("<", ZERO, ONE), 0),
        # It has no value, so it does not always hold.
        (Comparison("<", ZERO, Divide(ONE, ZERO)), 1),
        (Comparison("<", ZERO, Symbol("N")), 1),
    ],
)
def test_conditions_that_always_hold_are_none(condition: Comparison, kept: int) -> None:
    assert len(conjunction([condition])) == kept


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("old", "new", "values", "where", "factor"),
    [
        # What one version alone leaves open has one value in both.
        ("param N: integer; flops = N", "param N: integer = 7; flops = N", (), "N = 1024", 1),
        ("param N; flops = 3*N", "param N; require N <= 64; flops = 6*N", (), "N = 64", 2),
        ("param N; flops = N", "param N; param K; flops = N + K", (), "N = 1024, K = 1024", 2),
        ("param N = 4; flops = N", "param N = 6; flops = N", (), "", 1.5),
        ("param N = 4; flops = N", "param N = 6; flops = N", ("N=3",), "N = 3", 1),
    ],
)
def test_effects_are_of_one_point(tmp_path, old, new, values, where, factor, swapped) -> None:
    files = [tmp_path / "old.roof", tmp_path / "new.roof"]
    for file, body in zip(files[::-1] if swapped else files, (old, new), strict=True):
        file.write_text(f"model m {{ {body} }}\nmachine c {{ flops = 1 flop/s }}\n")
    asked = ["diff", *map(str, files), "-m", f"{files[0]}:c", "--format", "json"]
    result = CliRunner().invoke(cli, asked + [word for value in values for word in ("-p", value)])
    ((effect,),) = (each["effects"] for each in json.loads(result.output)["comparisons"][:1])
    assert effect["where"] == (f"m on c, at {where}" if where else "m on c")
    found = effect["after"]["time"] / effect["before"]["time"]
    assert found == pytest.approx(1 / factor if swapped else factor)


def test_whether_both_fit_is_said(tmp_path: Path) -> None:
    file = tmp_path / "two.roof"
    file.write_text(
        "model m { in x = 3 B; out y = 4 B; flops = 1 flop }\n"
        "machine large { flops = 1 flop/s; capacity memory = 7 B }\n"
        "machine small { flops = 1 flop/s; capacity memory = 6 B }\n"
    )
    asked = ["diff", f"{file}:large", f"{file}:small", "--model", f"{file}:m"]
    assert "7 B  (stated tensors beyond the capacity)" in CliRunner().invoke(cli, asked).output
    told = json.loads(CliRunner().invoke(cli, [*asked, "--format", "json"]).output)
    ((effect,),) = (each["effects"] for each in told["comparisons"])
    sides = [effect[side]["within_capacity"] for side in ("before", "after")]
    assert sides == [{"peak_memory": True}, {"peak_memory": False}]


@pytest.mark.parametrize("power", [401, -401])
def test_a_factor_that_no_double_holds_is_given_as_a_formula(tmp_path: Path, power: int) -> None:
    files = [tmp_path / "old.roof", tmp_path / "new.roof"]
    for file, factor in zip(files, ("", f"*10^{power}"), strict=True):
        file.write_text(f"model m {{ param N = 1; flops = N{factor} }}\n")
    result = CliRunner().invoke(cli, ["diff", *map(str, files), "--format", "json"])
    assert result.exception is None
    (change,) = json.loads(result.output)["comparisons"][0]["changes"]
    assert (change["factor"] is None, change["factor_value"]) == (False, None)
