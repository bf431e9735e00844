"""Units and kinds of flops: what a precision selects, what adds up, what answers say of it."""

from __future__ import annotations

import pytest

from roofdsl import load_machine, load_model
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.model.library import check_text
from roofdsl.source import Source

CARD = """
machine box {
    flops {
        matrix.fp64 = 8 flop/s; matrix.bf16 = 32 flop/s
        vector.fp64 = 4 flop/s; vector.fp32 = 5 flop/s; special.fp32 = 1 flop/s
        default vector.fp32; default matrix.bf16
    }
    memory = 10 B/s
}
"""


def found_of(text: str, machine: str = CARD) -> Result:
    """Return what model `main` takes on machine `box`."""
    module, problems = check_text(Source("case.roof", text + machine))
    assert [x for x in problems if x.severity == "error"] == []
    prediction, wrong = predict(module.models["main"], module.machines["box"], {})
    assert not wrong
    return evaluated(prediction)


def test_precisions_that_are_the_same_ask_for_one_kind() -> None:
    text = """
    model main {{
        param a: precision = {a}
        let b = bf16
        flops.matrix[a] = 8; flops.matrix[b] = 32
    }}
    """
    one, two = found_of(text.format(a="bf16")), found_of(text.format(a="fp64"))
    assert (one.work, one.time) == ({"flops.matrix.bf16": 40}, 1.25)
    assert two.work == {"flops.matrix.fp64": 8, "flops.matrix.bf16": 32}
    assert (two.time, two.bound) == (2, "flops")


def test_work_on_numbers_of_eight_bytes_runs_at_their_rate() -> None:
    """Products in fp64 do not run at the default rate, which is of fp32, without a word."""
    found = load_model("summa").on(load_machine("h100_sxm")).evaluate(N=4096, P=16)
    assert found.parameters["dtype"] == "fp64"
    assert found.work["flops.matrix.fp64"] / found.times["flops"] == pytest.approx(67e12)
    plain = found_of("model main { flops = 1e9; memory = 8 B }")
    note = "flops of no stated kind run at the default of 'box': flops.vector.fp32"
    assert plain.notes == (note,)


def test_the_kind_that_takes_most_of_the_bound_is_named() -> None:
    text = """
    model main {
        flops.matrix[fp64] = 8; flops.vector[fp64] = 5; flops.special[fp32] = 1; memory = 1 B
    }
    """
    found = found_of(text)
    assert (found.time, found.bound, found.bound_kind) == (3.25, "flops", "flops.vector.fp64")
    units = CARD.replace("memory", "concurrent flops.matrix, flops.vector; memory")
    found = found_of(text, units)
    assert (found.time, found.bound) == (2.25, "flops.vector")
    assert found.times == {"flops.matrix": 1, "flops.vector": 1.25, "flops": 1, "memory": 0.1}
    assert found.peak == 14 / 2.25
    serial = CARD.replace("memory", "serial flops, memory; memory")
    found = found_of(text, serial)
    assert (found.time, found.bound, found.shares["memory"]) == (3.35, "flops", 0.1 / 3.35)


def test_a_precision_itself_may_select() -> None:
    found = found_of(
        "model main { step a { flops.vector[fp64] = 8 }; step b { flops[bf16] = 64 } }"
    )
    assert (found.work, found.time) == ({"flops.vector.fp64": 8, "flops.bf16": 64}, 4)
    note = "flops.bf16 of no stated unit runs at the default of 'box' for bf16: flops.matrix.bf16"
    assert found.notes == (note,)


def test_of_kinds_that_take_as_long_the_first_is_named() -> None:
    vector, matrix = "flops.vector[fp64] = 4", "flops.matrix[fp64] = 8"
    for first, second, kind in ((vector, matrix, "vector"), (matrix, vector, "matrix")):
        found = found_of(f"model main {{ {first}; {second} }}")
        assert (found.time, found.bound_kind) == (2, f"flops.{kind}.fp64")
    assert found_of(f"model main {{ {matrix} }}").bound_kind == "flops.matrix.fp64"
    # What is waited for is no work: of two kinds, one is done.
    waited = f"model main {{ step a {{ {matrix} }}; wait 1/2 {{ step b {{ {vector} }} }} }}"
    found = found_of(waited)
    assert (found.time, found.bound, found.bound_kind) == (1.5, "flops", "flops.matrix.fp64")
