"""What is 0 times something undefined is undefined, and 0 over 0 is, in every reader alike."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from roofdsl import load_machine, load_model
from roofdsl.cli.main import main

FILE = """
machine box { flops = 4 flop/s; memory = 10 B/s }
model kernel {
    param N: integer[0..]
    flops = N; memory = N * 1 B
    metric scaled = N*OI
}
model idle { param N: integer[0..]; memory = N * 1 B; metric none = OI; metric rate = attainable }
model main {
    param N: integer[0..]
    step x = kernel(N = N)
    step y = idle(N = 0*N)
    step z = idle(N = N)
    metric scaled = x.scaled
    metric hidden = y.time * x.OI
    metric share = y.share
    metric both = y.share * x.OI
    metric none = z.OI
    metric rate = z.rate
}
"""
NAN = math.nan
# N = 0: no time at all, so that the share and the intensities are 0/0, and what hangs on these.
WANTED = {
    "scaled": (NAN, 2), "hidden": (NAN, 0), "share": (NAN, 0), "both": (NAN, 0), "none": (NAN, 0),
    "rate": (NAN, 0),
}  # fmt: skip


def test_all_readers_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "zero.roof"
    file.write_text(FILE)
    prediction = load_model(f"{file}:main").on(load_machine(f"{file}:box"))
    swept = {name: found.tolist() for name, found in prediction.sweep(N=[0, 2]).metrics.items()}
    points = [prediction.evaluate(N=n).metrics for n in (0, 2)]
    with pytest.raises(SystemExit):
        main(["eval", f"{file}:main", "-m", f"{file}:box", "-p", "N=0,2", "--format", "json"])
    rows = [row["metrics"] for row in json.loads(capsys.readouterr().out)["points"]]
    for name, wanted in WANTED.items():
        assert swept[name] == pytest.approx(wanted, nan_ok=True), name
        assert [each[name] for each in points] == pytest.approx(wanted, nan_ok=True), name
        said = [NAN if row[name] is None else row[name] for row in rows]
        assert said == pytest.approx(wanted, nan_ok=True), name


MIX = """
machine box { flops = 4 flop/s; memory = 10 B/s; energy memory = 1 J/B }
model kernel { flops = 1; memory = 1 B }
mix inner { job a = 2 * kernel() }
mix main { job b = 3 * inner(); job c = kernel() }
"""


def test_a_mix_of_mixes_tells_which_job_has_no_energy(tmp_path: Path) -> None:
    file = tmp_path / "mix.roof"
    file.write_text(MIX)
    found = load_model(f"{file}:main").on(load_machine(f"{file}:box")).evaluate()
    assert found.unanswered["energy"] == "job 'b.a': 'box' states no energy of flops"


def test_a_ridge_point_of_several_kinds_is_at_their_peak_in_sweeps_too(tmp_path: Path) -> None:
    file = tmp_path / "ridge.roof"
    file.write_text("""
    machine box {
        flops { matrix.fp64 = 8 flop/s; vector.fp64 = 4 flop/s; default vector.fp64 }
        memory = 10 B/s
    }
    model k {
        param N: integer
        flops.matrix[fp64] = N^2; flops.vector[fp64] = N; memory = N * 1 B
        metric ridge_point = ridge.OI
    }
    """)
    prediction = load_model(f"{file}:k").on(load_machine(f"{file}:box"))
    # 30 flop in 25/8 + 5/4 s are 48/7 flop/s, against 10 B/s.
    assert prediction.evaluate(N=5).metrics["ridge_point"] == pytest.approx(48 / 70)
    assert prediction.sweep(N=[2, 5]).metrics["ridge_point"][1] == pytest.approx(48 / 70)
