"""All forms of an answer say the same on machines made from others, with devices and links."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.what_if import changed
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from roofdsl.model.library import check_text
from roofdsl.model.types import MachineDefinition
from roofdsl.source import Source
from tests.agreement.points import Point
from tests.agreement.readers import differences

MODULE, PROBLEMS = check_text(
    Source(
        "machines.roof",
        """
machine card { param clock: Hz = 1 GHz; flops = 400 flop/cycle*clock; memory = 900 GB/s }
machine node {
    param ranks: processes = 8
    let share = 400 GB/s / ranks
    device cpu { flops = 40 GFLOP/s; memory = share }
    device gpu = card with { memory = 10 * share }
    network { intra = 300 GB/s; inter = 200 GB/s / ranks }
    messages = 2 us/message
}
machine large = node with { ranks = 16; gpu.flops = 600 GFLOP/s; messages = 1 us/message }
machine host { param ranks: processes = 4
               flops = 10 GFLOP/s; memory = 40 GB/s; network { intra = 8 GB/s; inter = 1 GB/s } }
machine bound = host with { network { default inter } }

model send { param n: integer = 1e6; param P: processes; flops = 20*n; memory = 8 B*n
             network = 8 B*n; total even }
model divided {
    param n: integer = 1e6
    param P: processes
    overlap {
        step small on cpu { flops = 20*n; memory = 16 B*n }
        step large on gpu { flops = 180*n; memory = 144 B*n }
    }
    step halo { network = 8 B*n/P; messages = 6 }
    total even
}
""",
    )
)


def altered(name: str, *changes: str) -> MachineDefinition:
    machine = MODULE.machines[name]
    for change in changes:
        key, _, value = change.partition("=")
        machine = changed(
            machine, key, Source("test", value), lambda problem: pytest.fail(f"{problem}")
        )
    return machine


@pytest.mark.parametrize("processes", [4, 16, 64])
@pytest.mark.parametrize(
    ("model", "name", "changes"),
    [
        ("send", "host", ()),
        ("send", "bound", ()),
        ("send", "host", ("ranks=16", "network.inter=2x")),
        ("divided", "node", ()),
        ("divided", "large", ()),
        ("divided", "large", ("gpu.memory=3x", "network.intra=100 GB/s")),
    ],
)
def test_all_forms_say_the_same(
    model: str, name: str, changes: tuple[str, ...], processes: int
) -> None:
    assert not PROBLEMS
    machine = altered(name, *changes)
    arguments: dict[str, Argument] = {"P": (Number(Fraction(processes)), None)}
    prediction, problems = predict(MODULE.models[model], machine, arguments)
    assert not problems
    point = Point(arguments, prediction, evaluated(prediction), first=True)
    assert differences(point) == []
