"""The energy roofline shows what the machine states, and models where their energy is."""

from __future__ import annotations

import numpy as np
import pytest

import roofdsl as rd
from tests.figures.geometry import Array, Drawn
from tests.figures.seen import line, texts
from tests.language.programs import machine, model

BOX = """
machine box {
    flops = 4 flop/s; memory = 2 B/s; power = 3 W
    energy { flops = 0.5 J/flop; memory = 2 J/B }
}
machine bare { flops = 4 flop/s; memory = 2 B/s; energy flops = 1 J/flop; power = 1 W }
"""
MODEL = "model m { param n: integer; param P: processes = 3; flops = n; memory = 6 B; total even }"


def test_points_lie_where_evaluate_says() -> None:
    prediction = model(f"{BOX}\n{MODEL}").on(machine(f"{BOX}\n{MODEL}"))
    table = rd.plot.energy(prediction, at={"n": [3, 12, 48]}).table
    rows = [row for row in table.rows if row[0] == "m"]
    for row, n in zip(rows, (3, 12, 48), strict=True):
        found = prediction.evaluate(n=n)
        assert found.energy is not None and found.power is not None
        assert row[2] == found.OI
        assert row[3] == pytest.approx(3 * n / found.energy)
        assert row[5] == pytest.approx(found.power / 3)


def test_a_kernel_of_flops_and_bytes_lies_on_the_arch() -> None:
    prediction = model(f"{BOX}\n{MODEL}").on(machine(f"{BOX}\n{MODEL}"))
    for n in (1, 7, 12, 100):
        picture = rd.plot.energy(prediction, at={"n": n})
        (spot,) = [np.array(row[2:], float) for row in picture.table.rows if row[0] == "m"]
        arch = np.array([row[2:] for row in picture.table.rows if row[0] == "machine"], float)
        for column in (1, 3):
            between = np.interp(np.log(spot[0]), np.log(arch[:, 0]), arch[:, column])
            assert spot[column] == pytest.approx(between, rel=2e-2)


def test_the_arch_is_drawn_as_its_table_has_it() -> None:
    picture = rd.plot.energy(machine(BOX))
    rows = [row for row in picture.table.rows if row[0] == "machine"]
    drawn = line(picture, "efficiency:box")
    assert drawn[:, 1] == pytest.approx([float(row[3] or 0) / 1e9 for row in rows])


def test_a_machine_that_states_too_little_has_no_arch() -> None:
    with pytest.raises(rd.RoofError, match="'bare' states no energy of memory"):
        rd.plot.energy(machine(BOX, "bare"))
    prediction = model(f"{BOX}\n{MODEL}").on(machine(f"{BOX}\n{MODEL}", "bare"))
    with pytest.raises(rd.RoofError, match="is not answered: 'bare' states no energy of memory"):
        rd.plot.energy(prediction, at={"n": 3})


def test_the_line_is_that_of_the_flops_that_a_model_does() -> None:
    text = """
    machine card {
        flops { matrix.bf16 = 100 flop/s; vector.fp32 = 4 flop/s; default vector.fp32 }
        memory = 2 B/s; power = 3 W
        energy { flops.matrix.bf16 = 0.1 J/flop; flops.vector.fp32 = 0.5 J/flop; memory = 2 J/B }
    }
    model gemm { param n: integer; flops { matrix[bf16] = 2*n; vector[fp32] = 1 }; memory = 1 B }
    model add { param n: integer; flops = n; memory = 8 B*n }
    """
    for name, what in (("gemm", "card, matrix.bf16"), ("add", "card")):
        picture = rd.plot.energy(model(text, name).on(machine(text, "card")), at={"n": [10, 1000]})
        rows = [row for row in picture.table.rows if row[0] == "machine"]
        assert {row[1] for row in rows} == {what}
        # No point is above its line.
        best = max(float(row[3] or 0) for row in rows)
        spots = [float(row[3] or 0) for row in picture.table.rows if row[0] == name]
        assert all(spot <= best for spot in spots)
    assert rd.plot.energy(machine(text, "card")).table.rows[0][1] == "card"


def test_a_mix_has_no_intensity_to_be_drawn_at() -> None:
    text = f"{BOX}\n{MODEL}\nmix month {{ job one = 2 * m(n = 5) }}"
    picture = rd.plot.energy(model(text, "month").on(machine(text)))
    assert [row[0] for row in picture.table.rows][-1] == "month"


def test_balance_points_are_marked() -> None:
    picture = rd.plot.energy(machine(BOX))
    # Times are equal at 4/2; energies at 2/0.5. A flop takes at least 0.5 J + 3 W/4 flop/s, and
    # twice that at 1.75: 0.5 J + 2 J/1.75 + 3 W * 0.5 s/1.75.
    found = {row[0]: row[2:5] for row in picture.table.rows if row[0] != "machine"}
    assert found["OI*"] == pytest.approx((2.0, 1 / 2.25, None))
    assert found["energy balance"] == pytest.approx((4.0, None, 1.0))
    assert found["effective"] == pytest.approx((1.75, 1 / 2.5, None))
    written = texts(picture)
    assert {"OI* 2", "energy balance 4", "effective 1.75"} <= set(written)
    assert "of the work alone, without constant power" in written
    # The highest power is at the ridge point: 1.5 J in 0.25 s, and 3 W.
    assert line(picture, "power:box")[:, 1].max() == pytest.approx(9.0)


def test_the_ends_of_a_range_are_named() -> None:
    prediction = model(f"{BOX}\n{MODEL}").on(machine(f"{BOX}\n{MODEL}"))
    written = texts(rd.plot.energy(prediction, at={"n": [3, 12, 480]}))
    assert {"m, n = 3", "n = 480"} <= set(written)


def test_the_name_of_a_point_is_nearer_to_it_than_to_the_dotted_line() -> None:
    changes = {"power": "18 W", "energy.flops": "0.7 nJ/flop", "energy.memory": "1.1 nJ/B"}
    karst = rd.load_machine("karst").changed(changes)
    look = rd.plot.Look(style="ieee")
    picture = rd.plot.energy(rd.load_model("dgemm").on(karst), at={"n": [4, 16, 64]}, look=look)
    drawn = Drawn(picture, picture.axes[0])
    (label,) = [each for each in drawn.labels.values() if each.text == "dgemm, n = 4"]
    (place,) = [middle for name, middle, _ in drawn.markers if name == "efficiency:dgemm:karst"][:1]
    (dotted,) = [each for name, each in drawn.lines.items() if name.startswith("work:")]
    assert gap(label.corners, place[None]) < gap(label.corners, dotted.reshape(-1, 2))


def gap(corners: Array, places: Array) -> float:
    """Return how far a level rectangle is from the nearest of some places, in points."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    beyond = np.maximum(np.maximum(low - places, places - high), 0.0)
    return float(np.hypot(*beyond.T).min())
