"""`roofdsl diff`: what changed by meaning, and what it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofdsl.analysis.difference.change import Change
from roofdsl.analysis.difference.machines import compare_machines
from roofdsl.analysis.difference.models import compare_models
from roofdsl.model.library import check_text
from roofdsl.model.types import Module
from roofdsl.source import Source
from roofdsl.typeset.text import text
from tests.report.samples import run

MODEL = """
model m {
    param N: integer
    param word = 8 B
    let rows = 2*N
    require N > 1
    flops  = rows*N + N
    memory = word * (N^2 + N)
}
"""


def module(written: str) -> Module:
    found, problems = check_text(Source("here", written))
    assert [problem for problem in problems if problem.severity == "error"] == []
    return found


def models(old: str, new: str) -> tuple[Change, ...]:
    return compare_models(module(old).models["m"], module(new).models["m"])


def machines(old: str, new: str) -> tuple[Change, ...]:
    return compare_machines(module(old).machines["k"], module(new).machines["k"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("flops  = rows*N + N", "flops = N*(2*N + 1)"),
        ("word * (N^2 + N)", "word*N * (1 + N)"),
        ("word * (N^2 + N)", "(word*N^3 + word*N^2) / N"),
        ("let rows = 2*N", "let rows = N + N"),
        ("let rows = 2*N", "let lines = 2*N; let rows = lines"),
        ("param word = 8 B", "param word = 8 B    ## bytes of an element"),
        ("param word = 8 B", "param word = 64/8 * 1 B"),
        ("model m", "# a remark\nmodel m"),
    ],
)
def test_what_means_the_same_is_no_change(old: str, new: str) -> None:
    assert old in MODEL
    assert models(MODEL, MODEL.replace(old, new)) == ()


def test_a_formula_that_changed_has_its_factor() -> None:
    (change,) = models(MODEL, MODEL.replace("word * (N^2 + N)", "2*word * (N^2 + N)"))
    assert (change.kind, change.what, change.name) == ("changed", "work", "memory")
    assert change.factor is not None
    assert text(change.factor) == "2"
    (change,) = models(MODEL, MODEL.replace("word * (N^2 + N)", "word * (N^3 + N^2)"))
    assert change.factor is not None
    assert text(change.factor) == "N"


def test_what_comes_and_goes_is_said() -> None:
    without = MODEL.replace("    require N > 1\n", "").replace("= 8 B", "= 4 B")
    new = without.replace("memory =", "network = 8 B * N\n    memory =")
    found = {(change.kind, change.what, change.name) for change in models(MODEL, new)}
    assert found == {
        ("removed", "requirement", "N > 1"),
        ("changed", "default", "word"),
        ("added", "work", "network"),
    }
    back = {(change.kind, change.what) for change in models(new, MODEL)}
    assert back == {("added", "requirement"), ("changed", "default"), ("removed", "work")}


def test_rates_of_machines_are_compared() -> None:
    old = "machine k { flops = 10 GFLOP/s; memory = 5 GB/s; network = 1 GB/s }"
    new = "machine k { memory = 10 GB/s; flops = 10000 MFLOP/s; network = unlimited }"
    memory, network = machines(old, new)
    assert (memory.name, memory.kind) == ("memory", "changed")
    assert memory.factor is not None
    assert text(memory.factor) == "2"
    assert (network.name, network.detail) == ("network", "now unlimited")
    devices = "machine d { flops = 1 GFLOP/s }\nmachine k { device gpu = d }"
    (device,) = machines(devices, devices.replace("1 GFLOP", "3 GFLOP"))
    assert device.name == "gpu.flops"
    assert device.factor is not None
    assert text(device.factor) == "3"


def test_measured_times_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, time in (("a", "0.5"), ("b", "0.25")):
        (tmp_path / f"{name}.csv").write_text(f"m,n,k,time [s]\n1,2,3,{time}\n", "utf-8")
        machine = f'machine k {{ memory = 1 GB/s; measured gemm(m, n, k) from "{name}.csv" }}\n'
        (tmp_path / f"{name}.roof").write_text(machine, "utf-8")
    run(tmp_path, "diff", "a.roof", "b.roof")
    shown = capsys.readouterr().out
    assert "changed measured table  gemm  m = 1, n = 2, k = 3: 500 ms → 250 ms" in shown


def test_what_it_does_to_bound_and_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # SUMMA on Karst at N = 4096, P = 121 is bound by the network: 84.42 MB at 1.2 GB/s. With ten
    # times the network it is bound by flops: 51.64 ms.
    machine = "machine k {{ flops = 22 GFLOP/s; memory = 13.9 GB/s; network = {} GB/s }}\n"
    (tmp_path / "old.roof").write_text(machine.format(1.2), "utf-8")
    (tmp_path / "new.roof").write_text(machine.format(12), "utf-8")
    at = ("--model", "summa", "-p", "N=4096", "-p", "P=121")
    run(tmp_path, "diff", "old.roof", "new.roof", *at, "--format", "json")
    (found,) = json.loads(capsys.readouterr().out)["comparisons"]
    (change,) = found["changes"]
    assert (change["name"], change["factor_value"]) == ("network", 10)
    (effect,) = found["effects"]
    assert (effect["before"]["bound"], effect["after"]["bound"]) == ("network", "flops")
    network = 8 * 4096**2 / 11 * 2 * 11 / 11 * 3.4594316186372973 / 1.2e9
    assert effect["before"]["time"] == pytest.approx(network, rel=1e-9)
    assert effect["after"]["time"] == pytest.approx((2 * 4096**3 + 2 * 4096**2) / 121 / 22e9)


def test_a_model_of_two_versions_on_a_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.roof").write_text(MODEL, "utf-8")
    (tmp_path / "new.roof").write_text(MODEL.replace("word * (N^2 + N)", "word * N"), "utf-8")
    run(tmp_path, "diff", "old.roof", "new.roof", "-m", "karst", "-p", "N=1000")
    shown = capsys.readouterr().out
    assert "changed work memory [B]" in shown
    assert "1/(N + 1)   the factor between them" in shown
    assert "m on karst, at N = 1000" in shown
    assert "bound" in shown
    assert "another" in shown
    run(tmp_path, "diff", "old.roof", "old.roof", "-m", "karst")
    assert "none: both mean the same" in capsys.readouterr().out


def test_files_are_compared_as_a_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = "model a { flops = 1 }\nmodel b { memory = 8 B }\nresource disk: B"
    (tmp_path / "old.roof").write_text(common, "utf-8")
    new = common.replace("model b", "model c").replace("disk: B", "disk: B shares memory")
    (tmp_path / "new.roof").write_text(new, "utf-8")
    run(tmp_path, "diff", "old.roof", "new.roof")
    shown = capsys.readouterr().out
    assert "Changes of files old.roof → new.roof" in shown
    assert "removed model     b" in shown
    assert "added model       c" in shown
    assert "changed resource  disk  shares nothing → shares memory" in shown
    assert "none: both mean the same" in shown  # of model a
    run(tmp_path, "diff", "old.roof:a", "new.roof")
    assert "model  b" not in capsys.readouterr().out  # one model was asked for


def test_steps_have_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = """
    model leaf { param n: integer; flops = n }
    model m {
        param n: integer
        repeat 2 { step a = leaf(n = n) }
        overlap { step b = leaf(n = n); step c { memory = 8 B * n } }
    }
    """
    (tmp_path / "old.roof").write_text(model, "utf-8")
    (tmp_path / "new.roof").write_text(model.replace("flops = n", "flops = 2*n"), "utf-8")
    run(tmp_path, "diff", "old.roof:m", "new.roof:m", "--format", "json")
    (found,) = json.loads(capsys.readouterr().out)["comparisons"]
    work, total = found["changes"]
    assert (work["what"], work["name"], work["model"]) == ("work", "flops", "leaf")
    assert work["places"] == ["repeat.a", "overlap.b"]
    assert (work["before"], work["after"], work["factor_value"]) == ("n", "2*n", 2)
    assert (total["before"], total["after"], total["places"]) == ("3*n", "6*n", [])
    for form in ("text", "markdown", "latex"):
        run(tmp_path, "diff", "old.roof:m", "new.roof:m", "--format", form)
        assert "before; in repeat.a, overlap.b" in capsys.readouterr().out


def test_what_cannot_be_decided_is_not_called_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = "model m { param N: integer; flops = floor(sqrt(N)) + ceil(N/3); memory = 8 B }"
    new = old.replace("floor(sqrt(N))", "ceil(sqrt(N)) - ceil(sqrt(N) - floor(sqrt(N)))")
    (change,) = models(old, new)  # the same for every N, which nothing here proves
    assert (change.kind, change.detail) == ("changed", "not shown to be the same")
    assert change.factor is None
    (tmp_path / "old.roof").write_text(old, "utf-8")
    (tmp_path / "new.roof").write_text(new, "utf-8")
    for form in ("text", "markdown", "latex"):
        run(tmp_path, "diff", "old.roof", "new.roof", "--format", form)
        assert "after; not shown to be the same" in capsys.readouterr().out


def test_conditions_have_no_factor() -> None:
    lets = "param N: integer; param f = true; let big = N > 5"
    old = f"model m {{ {lets}; flops = if big then 1 else N }}"
    (change, work) = models(old, old.replace("N > 5", "N > 6"))
    assert (change.what, change.name, change.detail) == ("intermediate", "big", "N > 5 → N > 6")
    assert work.name == "flops"
    (change, work) = models(old, old.replace("let big = N > 5", "let big = f"))
    assert (change.name, change.detail) == ("big", "N > 5 → f")


def test_a_latency_is_said_as_one() -> None:
    old = "machine k { network = 1 GB/s; messages = 2 ± 0.5 us/message }"
    rate, spread = machines(old, old.replace("2 ± 0.5", "3 ± 0.3"))
    assert str(rate.dimension) == str(spread.dimension) == "s/message"
    assert [text(each) for each in (rate.before, rate.after) if each] == ["2e-6", "3e-6"]
    assert [text(each) for each in (spread.before, spread.after) if each] == ["5e-7", "3e-7"]
    (change,) = machines(old, old.replace("2 ± 0.5 us/message", "1e6 message/s"))[:1]
    assert str(change.dimension) == "message/s"


def test_what_a_let_changes_is_said_where_it_is_used() -> None:
    old = "model m { param N: integer; param M = a; let a = 2*N; require a > 9; flops = a*M }"
    changes = models(old, old.replace("2*N", "3*N"))
    assert [(c.kind, c.what, c.name) for c in changes] == [
        ("changed", "default", "M"),
        ("changed", "intermediate", "a"),
        ("changed", "requirement", "a > 9"),
        ("changed", "work", "flops"),
    ]
    assert changes[0].detail == "a: its names have other values"


def test_values_that_models_may_read_from_a_machine() -> None:
    old = "machine k { let cores = 4; flops = cores * 1 GFLOP/s }"
    removed, added = machines(old, old.replace("cores", "units"))
    assert (removed.kind, removed.name, added.kind, added.name) == (
        "removed",
        "cores",
        "added",
        "units",
    )


def test_renamed_parameters_and_steps() -> None:
    (change,) = models(MODEL, MODEL.replace("N", "size"))
    assert (change.kind, change.name) == ("renamed", "N → size")
    steps = "model m { param n: integer; step a { flops = n }; step b { memory = 8 B * n } }"
    (change,) = models(steps, steps.replace("step a", "step first"))
    assert (change.kind, change.detail, change.places) == ("renamed", "a → first", ("first",))
