"""All forms of an answer say the same of resources that a file declares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.model.library import check_text
from roofdsl.source import Source
from tests.agreement.points import Point
from tests.agreement.readers import differences

MODULE, PROBLEMS = check_text(
    Source(
        "own.roof",
        """
unit edge
resource nvme: B
resource atomics: edge shares memory
model kernel {
    param n: integer = 1000
    flops = 20*n; memory = 8 B*n; network = 1 B*n; nvme = 3 B*n; atomics = n * 1 edge
}
model steps {
    param n: integer = 1000
    step first = kernel(n = n)
    overlap {
        step read { nvme = 64 B*n }
        step compute { flops = 1e3*n; memory = 1 B*n }
    }
    step send { network = 5 B*n }
}
machine box {
    flops = 100 GFLOP/s
    memory = 10 GB/s
    network = 1 GB/s
    nvme = 2 GB/s
    atomics = 1 ns/edge
}
machine powered = box with {
    power = 3 W
    energy { flops = 1 nJ/flop; memory = 2 nJ/B; network = 3 nJ/B }
    energy { nvme = 4 nJ/B; atomics = 5 nJ/edge }
}
""",
    )
)


@pytest.mark.parametrize("machine", ["box", "powered"])
@pytest.mark.parametrize("model", ["kernel", "steps"])
def test_all_forms_say_the_same(model: str, machine: str) -> None:
    assert not PROBLEMS
    prediction, problems = predict(MODULE.models[model], MODULE.machines[machine], {})
    assert not problems
    point = Point({}, prediction, evaluated(prediction), first=True)
    assert set(point.result.own_work) == {"nvme", "atomics"}
    assert differences(point) == []


def test_an_altered_intensity_is_seen() -> None:
    prediction, _ = predict(MODULE.models["kernel"], MODULE.machines["box"], {})
    result = evaluated(prediction)
    altered = replace(result, intensity={**result.intensity, "nvme": 1.0})
    found = differences(Point({}, prediction, altered, first=True))
    assert any("flops/nvme" in each for each in found)
