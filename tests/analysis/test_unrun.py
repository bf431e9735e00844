"""What an `if` does not run: names with no work, but for a step that is asked of by name."""

from __future__ import annotations

from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.analysis.node import walk
from roofdsl.embedding.model import Model

TEXT = """
model stage {
    param N: integer

    in x = 8 B * N
    out y = 8 B * N
    flops = 2 flop * N
    memory = 16 B * N
}
model sent {
    param N: integer

    network = 8 B * N
}
model whole {
    param N: integer
    param more = true
    param far = false
    metric slower = longer.count*longer.time + time

    step first = stage(N = N)
    if more {
        step longer = stage(N = 10*N) from first
        if far {
            step sent = sent(N = N)
        }
    }
    step last = stage(N = N) from longer
}
"""


@pytest.fixture
def whole(tmp_path: Path) -> Model:
    path = tmp_path / "unrun.roof"
    path.write_text(TEXT, encoding="utf-8")
    return rd.load_model(f"{path}:whole")


def test_its_work_is_0_by_name(whole: Model) -> None:
    karst = rd.load_machine("karst")
    assert whole.on(karst).evaluate(N=10).work["network"] == 0
    assert whole.on(karst).evaluate(N=10, far=True).work["network"] == 80
    assert whole.on(karst).evaluate(N=10, far=True, more=False).work["network"] == 0


@pytest.mark.parametrize("more", [False, True])
def test_a_step_is_asked_of_alone_whether_it_runs_or_not(whole: Model, more: bool) -> None:
    found = whole.on(rd.load_machine("karst")).evaluate(N=10, more=more)
    assert [*found.steps] == ["first", "longer", "sent", "last"]
    assert found.steps["longer"].flops == 200
    assert found.steps["sent"].network == 80
    assert found.steps.count("longer") == more
    assert found.steps.count("sent") == 0
    assert found.steps["longer"].time == 10 * found.steps["last"].time
    assert found.metrics["slower"] == found.time + more * found.steps["longer"].time


def test_what_reads_it_by_name_reads_what_stands_before_it(whole: Model) -> None:
    peaks = [
        whole.on(rd.load_machine("karst")).evaluate(N=10, more=more).tallies["peak_memory"]
        for more in (False, True)
    ]
    # The 10 numbers that are there from the beginning, with 10 that are read and 10 made, or 100.
    assert peaks == [80 + 80 + 80, 80 + 800 + 800]


def test_in_rows_it_is_as_at_points(whole: Model) -> None:
    at = whole.on(rd.load_machine("karst"))
    times = at.sweep(N=[[1], [2], [3]], more=[False, True]).time
    for row, size in enumerate((1, 2, 3)):
        for column, more in enumerate((False, True)):
            alone = at.evaluate(N=size, more=more).time
            assert times[row][column] == pytest.approx(alone, rel=1e-15)


def test_a_network_is_worked_out_as_it_runs() -> None:
    """Of 1,163 kernels of GPT-3 85 run; for the others there are some without work."""
    asked = rd.load_model("gpt3:gpt3_training").on(rd.load_machine("h100_sxm")).asked
    root = asked.bound({"batch": 4}).root
    kernels = [node for node in walk(root) if node.arrangement == "kernel"]
    assert sum(bool(node.model) for node in kernels) == 85
    assert len(kernels) < 400


@pytest.mark.parametrize(
    ("model", "setting"),
    [
        ("gpt2:gpt2", {"t": 2}),
        ("gpt2:gpt2_training", {"t": 2, "p": 2}),
        ("mixtral_8x7b:mixtral_8x7b_prefill", {"t": 2}),
    ],
)
def test_all_names_are_there_whatever_runs(model: str, setting: dict[str, int]) -> None:
    at = rd.load_model(model).on(rd.load_machine("dgx_a100"))
    one, other = (at.evaluate(batch=4, **given) for given in ({}, setting))
    for table in ("work", "times", "tallies"):
        assert getattr(one, table).keys() == getattr(other, table).keys(), table
