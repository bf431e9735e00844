"""Where the sliders of a page start."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.cli.explore_command import _explored
from roofdsl.cli.options import typed
from roofdsl.model.library import find_model
from roofdsl.numeric.scalar import evaluate

SQUARES = "model m { param N; param P: processes; require sqrt(P) is integer; flops = N/P }"


@pytest.mark.parametrize(
    ("written", "start"),
    [
        ("4..10:1", 9),
        ("1..9", 4),
        ("4,16,64", 16),
        ("100..200", 144),
        ("5..8", 7),
        ("1..10000:1", 100),
    ],
)
def test_sliders_start_near_the_middle_at_what_is_allowed(
    written: str, start: float, tmp_path: Path
) -> None:
    (tmp_path / "m.roof").write_text(SQUARES, encoding="utf-8")
    model = find_model(str(tmp_path / "m.roof"))[0]
    values = {"P": typed("-p P=", written), "N": typed("-p N=", "2,3")}
    found = _explored(model, values)
    assert evaluate(found.arguments["P"][0], {}) == start
    assert "P" in found.ranges
