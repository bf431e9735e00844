"""A sweep over what a machine states says at each point what `evaluate` says on such a machine."""

from __future__ import annotations

import numpy as np
import pytest

import roofdsl as rd
from roofdsl.answer.asked import Values

NODE = """
unit euro
machine cpu { param cores: integer = 4; flops = 10 GFLOP/s * cores; memory = 100 GB/s }
machine node {
    param ranks: processes = 4
    param share = 0.5
    require ranks <= 16
    device host = cpu
    flops(w) = 1 TFLOP/s * w/(w + 1 MFLOP)
    memory = 800 GB/s / ranks
    network { intra = 50 GB/s*share; inter = 4 GB/s }
    messages = 2 us/message
    startup = 5 us
    startup memory = 1 us
    capacity memory = 1 GB / ranks
    power = 100 W
    price = 2 euro/h / ranks
    energy { flops = 10 pJ/flop; memory = 40 pJ/B; network = 100 pJ/B; messages = 0 J/message }
}
model main {
    param n: integer = 1000
    param P: processes = 8
    total even
    step ahead on host { flops = 1e6; memory = 8 B*n }
    overlap {
        step here { flops = n^2; memory = 24 B*n }
        step sent { network = 8 B*n; messages = 3 }
    }
    tally footprint: B = 200 kB*n
    metric per_h: euro/h = machine.price
    metric held: B/flop = machine.capacity.memory / flops
}
"""
VALUES: dict[str, list[float | str]] = {
    "ranks": [1, 4, 8, 16],
    "share": [0.1, 0.5, 2.5],
    "host.cores": [1, 4, 64],
    "host.memory": ["1 GB/s", "2x"],
    "flops": [1e9, 1e12, 1e15],
    "memory": ["1 GB/s", "0.5x"],
    "network.intra": [1e6, 5e10],
    "network.inter": [1e6, 5e10],
    "messages": ["1 us/message", "1 ms/message"],
    "startup": [0, 1e-6, 1e-2],
    "startup memory": [0, 1e-2],
    "capacity memory": ["1 MB", "1 TB"],
    "power": [0, 50, 1e3],
    "price": [0, 1],
    "energy flops": [0, 1e-9],
}


@pytest.fixture(scope="module")
def predicted(tmp_path_factory: pytest.TempPathFactory) -> rd.Prediction:
    path = tmp_path_factory.mktemp("node") / "node.roof"
    path.write_text(NODE)
    return rd.load_model(f"{path}:main").on(rd.load_machine(f"{path}:node"))


@pytest.mark.parametrize("key", VALUES)
def test_arrays_of_machine_values_say_what_points_say(predicted: rd.Prediction, key: str) -> None:
    values = VALUES[key]
    across = [10, 1000, 100000]
    given: dict[str, Values] = {f"node.{key}": values, "n": [[n] for n in across]}
    sweep = predicted.sweep(**given)
    for place, value in enumerate(values):
        there = predicted.model.on(predicted.machine.changed({key: value}))
        for row, n in enumerate(across):
            point, at = there.evaluate(n=n), (row, place)
            assert sweep.bound[at] == point.bound
            same = {"time": point.time, "limit": point.metrics["held"] * point.flops}
            arrays = {"time": sweep.time, "limit": sweep.metrics["held"] * sweep.flops}
            for told, found in (
                (same, arrays),
                (point.times, sweep.times),
                (point.spending, sweep.spending),
                (point.metrics, sweep.metrics),
                (point.fits, sweep.fits),
            ):
                assert told.keys() <= found.keys()
                for name, numbers in found.items():  # what takes no time may be left out
                    assert np.isclose(numbers[at], told.get(name, 0), rtol=1e-12), (name, at)


def test_several_machine_values_broadcast(predicted: rd.Prediction) -> None:
    given: dict[str, Values] = {"node.ranks": [[1], [16]], "node.memory": [1e9, 1e10, 1e11]}
    sweep = predicted.sweep(**given)
    assert sweep.time.shape == (2, 3)
    there = predicted.machine.changed(ranks=16, memory=1e10)
    assert sweep.time[1, 1] == pytest.approx(predicted.model.on(there).evaluate().time, rel=1e-12)
    assert [row["node.ranks"] for row in sweep.rows()] == [1, 1, 1, 16, 16, 16]


@pytest.mark.parametrize(
    ("key", "values", "code"),
    [
        ("ranks", [1, 17], "R0403"),  # the machine's own `require`
        ("ranks", [1, 1.5], "R0404"),
        ("memory", [1e9, 0], "R0408"),
        ("price", [1, -1], "R0413"),
        ("meory", [1, 2], "R0502"),
    ],
)
def test_what_one_machine_refuses_is_refused_among_several(
    predicted: rd.Prediction, key: str, values: list[float], code: str
) -> None:
    with pytest.raises(rd.RoofError, match=code):
        predicted.sweep(**{f"node.{key}": values})
