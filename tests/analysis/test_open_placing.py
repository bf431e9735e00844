"""A model with all left open: what stands for machine values, measured times and lacking rates."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.analysis.open_placing import OpenPlacing
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.model.library import load_module
from roofdsl.model.precision import code
from roofdsl.typeset.text import text

MACHINE = """
resource disk: B
machine store { disk = 1 B/s }
machine box {
    param cores: integer = 4
    let pair = 2*cores
    flops { fp32 = pair * 1 flop/s; fp64 = cores * 1 flop/s; default fp64 }
    memory = 1 B/s
    measured op(m, n) from "times.csv"
    device store = store
}
"""


def placed(
    folder: Path, body: str, **precisions: str
) -> tuple[OpenPlacing, Prediction, dict[str, Expression]]:
    (folder / "times.csv").write_text("m,n,time [s]\n3,4,2\n", encoding="utf-8")
    path = folder / "case.roof"
    path.write_text(f"{MACHINE}\n{body}", encoding="utf-8")
    module = load_module(path)
    placing = OpenPlacing(module.machines["box"])
    codes = {name: (Number(code(value)), None) for name, value in precisions.items()}
    prediction, values = placing.place(module.models["main"], codes)
    return placing, prediction, values


def test_a_machines_parameters_are_names_in_rates_and_in_defaults(tmp_path: Path) -> None:
    params = "param p: integer = machine.cores; param q: integer = machine.pair"
    body = f"model main {{ {params}; flops = p*q }}"
    placing, prediction, values = placed(tmp_path, body)
    assert {name: text(tree) for name, tree in placing.rates.items()} == {
        "box.flops.fp32": "2*box:cores",
        "box.flops.fp64": "box:cores",
        "box.memory": "1",
        "box.store.disk": "1",
    }
    assert prediction.rates == placing.rates
    assert {name: text(tree) for name, tree in values.items()} == {
        "machine.cores": "box:cores",
        "machine.pair": "2*box:cores",
    }
    assert [parameter.name for parameter in prediction.free] == ["p", "q"]
    assert not placing.problems


def test_measured_times_are_names_with_what_they_are_looked_up_by(tmp_path: Path) -> None:
    body = """
    model kernel { param a; param b; as op(n = b, m = a); flops = a*b; memory = 1 B }
    model main { param N; step one = kernel(N, 3); step two = kernel(2*N, N) }
    """
    placing, prediction, _ = placed(tmp_path, body)
    # A time is above 0, and need not be whole.
    assert [child.loads[0].spent for child in prediction.root.children] == [
        Symbol(f"measured:{place}", integer=False, positive=True) for place in (0, 1)
    ]
    assert [[text(each) for each in lookup.arguments] for lookup in placing.lookups] == [
        ["N", "3"],
        ["2*N", "N"],
    ]
    assert {lookup.table.name for lookup in placing.lookups} == {"op"}
    assert not placing.problems


@pytest.mark.parametrize("arguments", ["m = N", "m = N, n = N, k = N"])
def test_an_operation_with_other_arguments_than_its_table_is_a_problem(
    tmp_path: Path, arguments: str
) -> None:
    placing, _, _ = placed(tmp_path, f"model main {{ param N; as op({arguments}); flops = N }}")
    assert [problem.code for problem in placing.problems] == ["R0506"] and not placing.lookups


def test_loads_without_a_rate_are_kept_each_by_itself(tmp_path: Path) -> None:
    body = """
    model main {
        param N
        step one { flops = N; disk = 8 B * N }
        step two { memory = 1 B * N; disk = 0 B; network = N * 1 B }
        step six { disk = 1 B * N }
    }
    """
    placing, prediction, _ = placed(tmp_path, body)
    assert not placing.problems
    assert [(load.name, text(load.work)) for load in placing.unserved] == [
        ("disk", "8*N"),
        ("network", "N"),
        ("disk", "N"),
    ]
    assert [load.rate for load in placing.unserved] == [None] * 3
    one, two, six = prediction.root.children
    assert [load.name for load in (*one.loads, *two.loads, *six.loads)] == [
        *("flops", "disk", "memory", "disk", "network", "disk")
    ]


def test_problems_with_the_machine_itself_are_told(tmp_path: Path) -> None:
    path = tmp_path / "case.roof"
    path.write_text(
        "machine box { param cores = 4; flops = (cores - 4) * 1 flop/s }", encoding="utf-8"
    )
    (problem,) = OpenPlacing(load_module(path).machines["box"]).problems
    assert problem.code == "R0408"


def test_a_precision_is_bound_and_one_that_is_not_known_is_a_problem(tmp_path: Path) -> None:
    body = "model main { param dtype: precision = fp64; param N; flops[dtype] = N }"
    placing, prediction, _ = placed(tmp_path, body, dtype="fp32")
    (load,) = prediction.loads
    assert load.rate is not None and load.rate.name == "box.flops.fp32" and not placing.problems
    placing, _, _ = placed(tmp_path, body)
    assert [problem.code for problem in placing.problems] == ["R0406"] and not placing.unserved


def test_what_steps_ask_of_what_is_open_is_kept(tmp_path: Path) -> None:
    body = """
    model part { param m: integer[2..]; flops = m }
    model main { param N; step a = part(N/2) }
    """
    placing, _, _ = placed(tmp_path, body)
    assert {*placing.checks} == {"part requires m >= 2", "part requires a whole m"}
