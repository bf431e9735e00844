"""Units and kinds of flops: what a precision selects, what adds up, what answers say of it."""

from __future__ import annotations

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


def result(text: str, machine: str = CARD) -> Result:
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
    one, two = result(text.format(a="bf16")), result(text.format(a="fp64"))
    assert (one.work, one.time) == ({"flops.matrix.bf16": 40}, 1.25)
    assert two.work == {"flops.matrix.fp64": 8, "flops.matrix.bf16": 32}
    assert (two.time, two.bound) == (2, "flops")


def test_a_precision_itself_may_select() -> None:
    found = result("model main { step a { flops.vector[fp64] = 8 }; step b { flops[bf16] = 64 } }")
    assert (found.work, found.time) == ({"flops.vector.fp64": 8, "flops.bf16": 64}, 4)
    note = "flops.bf16 of no stated unit runs at the default of 'box' for bf16: flops.matrix.bf16"
    assert found.notes == (note,)
