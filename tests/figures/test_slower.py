"""Below the roofs a kernel stands where its rate is less for its work, or after a start-up."""

from __future__ import annotations

from pathlib import Path

import pytest

import roofdsl as rd
from tests.figures.seen import texts

MODELS = """
model two {
    param N: integer = 100
    step a { flops = N; memory = 1 B*N }
    step b { flops = 3*N; memory = 0.1 B*N }
}
model one { param N: integer = 100; flops = 3*N; memory = 0.1 B*N }
"""


@pytest.mark.parametrize("model", ["one", "two"])
@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("memory(w) = 5 B/s * w/(w + 900 B)", "memory, at its rate for this work"),
        ("memory = 5 B/s; startup memory = 200 s", "memory, after its start-up"),
        ("memory = 5 B/s; startup = 100 s; startup memory = 200 s", "memory, after its start-up"),
    ],
)
def test_a_point_below_the_roofs_says_why(
    model: str, memory: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "box.roof"
    path.write_text(f"{MODELS}\nmachine box {{ flops = 10 flop/s; {memory} }}", encoding="utf-8")
    prediction = rd.load_model(f"{path}:{model}").on(rd.load_machine(f"{path}:box"))
    for at in ({}, {"N": [100, 120]}):
        if model == "one" or not at:
            written = texts(rd.plot.roofline(prediction, at=at))
            assert said in written, written
