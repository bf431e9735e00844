"""What a fit makes least: errors relative to what is predicted, as those of performance are."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli

pytest.importorskip("scipy", reason="fits need SciPy: pip install 'roofdsl[fit]'")

TEXT = """
machine box { flops = 1 TFLOP/s; memory = 7 GB/s }
model copy { param n: integer; flops = n; memory = 1 GB * n }
"""


@pytest.mark.parametrize("times", [(1.0, 1, 1, 10), (4, 5, 6, 7, 8), (100, 1, 1, 1, 1, 1)])
def test_a_rate_alone_is_that_of_the_mean_time(tmp_path: Path, times: tuple[float, ...]) -> None:
    """Where Σ (time - x)/x² is 0 the errors over x² are even: x is the mean.

    Relative to what was measured, Σ x/time would be Σ x²/time², which short times decide.
    """
    rows = [f"copy,{n},{time * n}" for n, time in enumerate(times, 1)]
    (tmp_path / "box.roof").write_text(TEXT, encoding="utf-8")
    (tmp_path / "runs.csv").write_text("\n".join(["kernel,n,time [s]", *rows]), encoding="utf-8")
    with chdir(tmp_path):
        command = "fit runs.csv --model box.roof:copy -m box.roof:box --compose written"
        found = CliRunner().invoke(cli, [*command.split(), "--keep", "flops", "--format", "json"])
    assert found.exit_code == 0, found.output
    rate = json.loads(found.stdout)["constants"]["memory"]["value"]
    assert 1e9 / rate == pytest.approx(sum(times) / len(times), rel=0.011)
