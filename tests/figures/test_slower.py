"""Below the roofs a kernel stands where its rate is less for its work, or after a start-up."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest
from matplotlib.text import Text

import roofdsl as rd
from tests.figures.seen import named, texts

MODELS = """
resource pages: B shares memory
model one { param N: integer = 100; flops = 3*N; memory = 0.1 B*N }
model two {
    param N: integer = 100
    step a { flops = N; memory = 1 B*N }
    step b { flops = 3*N; memory = 0.1 B*N }
}
model waiting { param N: integer = 100; step a = one(N = N); wait 3 { step b = one(N = N) } }
model paged { param N: integer = 100; flops = 3*N; memory = 0.1 B*N; pages = 1 B*N }
model sent {
    param N: integer = 100
    flops { matrix.bf16 = 100*N; vector.fp32 = N }
    memory = 1 B*N
    network = 0.5 B*N
}
model kinds {
    param N: integer = 100
    flops { matrix.bf16 = 80*N; vector.fp32 = 10*N; special.fp32 = N }
    memory = 1 B*N
}
"""
UNITS = """
flops { matrix.bf16 = 100 flop/s; vector.fp32 = 10 flop/s; special.fp32 = 5 flop/s
        default vector.fp32 }
memory = 100 B/s
"""


def drawn(model: str, machine: str, tmp_path: Path, **at: list[int]) -> rd.plot.Picture:
    path = tmp_path / "box.roof"
    path.write_text(f"{MODELS}\nmachine box {{ {machine} }}", encoding="utf-8")
    prediction = rd.load_model(f"{path}:{model}").on(rd.load_machine(f"{path}:box"))
    return rd.plot.roofline(prediction, at=at)


def heights(picture: rd.plot.Picture, what: str, name: str = "") -> list[float]:
    rows = [dict(zip(picture.table.columns, row, strict=True)) for row in picture.table.rows]
    found = [row for row in rows if row["what"] == what and name in ("", row["name"])]
    return [float(row["performance [flop/s]"] or 0.0) for row in found]


@pytest.mark.parametrize(
    ("model", "machine", "said"),
    [
        # 10 B at 5/91 B/s take 182 s, which were 2 s at 5 B/s.
        ("one", "memory(w) = 5 B/s * w/(w + 900 B)", "memory, at 1.1 % of its rate for large work"),
        # 100 B at half of 5 B/s.
        ("two", "memory(w) = 5 B/s * w/(w + 100 B)", "memory, at 50 % of its rate for large work"),
        # 200 s of 202 s, 300 s of 302 s; 20 s of 50 s, all within the region of what binds.
        (
            "one",
            "memory = 5 B/s; startup memory = 200 s",
            "memory, after its start-up, 99 % of the time",
        ),
        (
            "one",
            "memory = 5 B/s; startup = 100 s; startup memory = 200 s",
            "memory, after its start-up, 99.3 % of the time",
        ),
        (
            "one",
            "memory = 1 kB/s; startup = 20 s",
            "flops, after its start-up, 40 % of the time",
        ),
        ("one", "memory = 5 B/s; startup = 100 s", "its start-up, 76.9 % of the time"),
        # A quarter works, the rest waits.
        ("waiting", "memory = 5 B/s", "wait, 75 % of the time"),
        # 10 B at 1 B/s, and 100 B of pages, while flops take 30 s.
        ("paged", "memory = 1 B/s; pages = 1 B/s", "memory, with its pages"),
        ("one", "memory = 1 B/s; serial flops, memory", "flops + memory, one after another"),
    ],
)
def test_a_point_below_the_roofs_says_why(
    model: str, machine: str, said: str, tmp_path: Path
) -> None:
    written = texts(drawn(model, f"flops = 10 flop/s; {machine}", tmp_path))
    assert said in written, written


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ("memory(w) = 5 B/s * w/(w + 900 B)", "memory, at its rate for this work"),
        ("memory = 5 B/s; startup memory = 200 s", "memory, after its start-up"),
    ],
)
def test_along_a_parameter_it_says_why_without_shares(
    machine: str, said: str, tmp_path: Path
) -> None:
    assert said in texts(drawn("one", f"flops = 10 flop/s; {machine}", tmp_path, N=[100, 120]))


@pytest.mark.parametrize(
    ("concurrent", "name", "seconds"),
    [
        ("", "peak of the mix", 80 + 100 + 20),
        # Special functions keep both units busy: 80 s and 20 s, beside 100 s and 20 s.
        ("concurrent flops.matrix, flops.vector", "peak of the mix, vector longest", 100 + 20),
    ],
)
def test_a_peak_says_which_unit_takes_longest(
    concurrent: str, name: str, seconds: float, tmp_path: Path
) -> None:
    picture = drawn("kinds", f"{UNITS}{concurrent}", tmp_path)
    assert heights(picture, "ceiling", name) == pytest.approx([91 * 100 / seconds])
    written = texts(picture)
    # It lies on the line that says what binds it, which has a name.
    assert any(text.startswith(f"{name} ") for text in written), written
    assert not any(text.startswith(("flops.vector", "flops,")) for text in written), written


def test_the_roofs_of_a_mix_are_those_of_its_jobs(tmp_path: Path) -> None:
    path = tmp_path / "box.roof"
    jobs = "mix month { job one = 3 * kinds(); job two = 2 * kinds(N = 7) }"
    path.write_text(f"{MODELS}\n{jobs}\nmachine box {{ {UNITS} }}", encoding="utf-8")
    prediction = rd.load_model(f"{path}:month").on(rd.load_machine(f"{path}:box"))
    picture = rd.plot.roofline(prediction)
    found = [height for height in heights(picture, "point") if not isnan(height)]
    assert max(found) <= max(heights(picture, "ridge point")) * (1 + 1e-12)
    assert "month" not in texts(picture)
    for draw in (rd.plot.surface, rd.plot.ridgeline):
        with pytest.raises(rd.RoofError, match="'month' is a mix: each of its jobs has"):
            draw(prediction)


def test_no_other_line_is_between_a_ceiling_and_a_name_beside_it() -> None:
    path = "examples/mixture_of_experts.roof"
    prediction = rd.load_model(path).on(rd.load_machine(f"{path}:card"))
    picture = rd.plot.roofline(prediction, at={"batch": 8})
    rows = [dict(zip(picture.table.columns, row, strict=True)) for row in picture.table.rows]
    ceilings = {
        f"label:ceiling:card:{row['name']}": float(row["performance [flop/s]"] or 0) / 1e9
        for row in rows
        if row["what"] == "ceiling"
    }
    for name, own in ceilings.items():
        for text in named(picture, name):
            if named(picture, f"leader:{name}"):
                continue
            assert isinstance(text, Text)
            low, high = sorted((own, float(text.get_position()[1])))
            assert not [each for each in ceilings.values() if low < each < high], name
    # Between its neighbours it has no room, so a line leads to it.
    assert "peak of the mix 1.314 PFLOP/s" in texts(picture)


def test_planes_know_units_that_run_at_once_and_start_ups(tmp_path: Path) -> None:
    path = tmp_path / "box.roof"
    at_once = f"{UNITS}\nnetwork = 1 B/s\nconcurrent flops.matrix, flops.vector"
    boxes = f"machine box {{ {at_once} }}\nmachine slow = box with {{ startup = 50 s }}"
    path.write_text(f"{MODELS}\n{boxes}", encoding="utf-8")
    for name, said in (("box", False), ("slow", True)):
        prediction = rd.load_model(f"{path}:sent").on(rd.load_machine(f"{path}:{name}"))
        own = [text.startswith("flops.matrix") for text in texts(rd.plot.ridgeline(prediction))]
        assert not any(own)
        # Products take 100 s, and lie below the surface after a start-up.
        written = texts(rd.plot.surface(prediction))
        assert any(text.startswith("flops.matrix, after its start-up") for text in written) == said
