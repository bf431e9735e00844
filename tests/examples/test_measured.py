"""The measured machine in `examples/measured`: its files agree, and the page says what they say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.measure.kernels.registry import KERNELS

FOLDER = Path(__file__).parents[2] / "examples" / "measured"
RUNS = sorted(FOLDER.glob("runs_*.csv"))
MADE = pytest.mark.skipif(not RUNS, reason="examples/measured has no runs yet: see repeat.sh there")


def score() -> ModuleType:
    spec = spec_from_file_location("score", FOLDER / "score.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["score"] = module
    spec.loader.exec_module(module)
    return module


def run(command: tuple[str, ...]) -> str:
    found = CliRunner().invoke(cli, command)
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture
def here() -> Iterator[None]:
    with chdir(FOLDER):
        yield


@MADE
@pytest.mark.usefixtures("here")
def test_the_scores_are_those_of_the_files() -> None:
    pytest.importorskip("scipy", reason="fits need SciPy: pip install 'roofdsl[fit]'")
    assert score().scored(FOLDER, run) == (FOLDER / "score.md").read_text(encoding="utf-8")


@MADE
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", ["mine.roof", "rates.roof", "fitted.roof"])
def test_machines_are_right_and_have_their_sources(file: str) -> None:
    assert "no problems" in run(("check", file))
    assert 'source "' in (FOLDER / file).read_text(encoding="utf-8")


@MADE
def test_every_kernel_ran_over_two_decades() -> None:
    names = {line.partition(",")[0] for path in RUNS for line in path.read_text().splitlines()}
    assert set(KERNELS) <= names
    for path in RUNS:
        rows = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        for kernel in {row.partition(",")[0] for row in rows[1:]}:
            assert sum(row.startswith(f"{kernel},") for row in rows) >= 5


@MADE
def test_nothing_says_whose_machine_it_was() -> None:
    for path in FOLDER.iterdir():
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"/(home|root|tmp|work|usr|opt|Users)/|@", text), path.name
            assert os.uname().nodename not in text.split()


@MADE
@pytest.mark.usefixtures("here")
def test_the_page_names_every_kernel_and_file() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in KERNELS if name not in page] == []
    for name in re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE):
        assert all((FOLDER / file.strip("` ")).exists() for file in name.split(","))


# Made-up runs, so that the page is made without a measurement.


def made_up(folder: Path) -> None:
    """Write a machine, and runs of two kernels that are twice as long as it predicts."""
    (folder / "mine.roof").write_text(
        "machine mine {\n    flops = 1 GFLOP/s\n    memory = 1 GB/s\n    network = 1 GB/s\n"
        "    messages = 1 us/message\n}\n",
        encoding="utf-8",
    )
    for processes in (1, 2):
        rows = ["kernel,N,P,time [s]"]
        for size in range(1, 9):
            elements = 1_000_000 * size // processes
            rows.append(f"ddot,{1_000_000 * size},{processes},{2 * 16 * elements / 1e9 + 1e-3}")
        (folder / f"runs_{processes}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_the_page_is_made_of_a_machine_and_runs(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="fits need SciPy: pip install 'roofdsl[fit]'")
    made_up(tmp_path)
    module = score()
    (tmp_path / "rates.roof").write_text(module.rates((tmp_path / "mine.roof").read_text()))
    with chdir(tmp_path):
        page = module.scored(tmp_path, run)
        answer = json.loads(run(module.validated("runs_1.csv")))
    off = answer["kernels"][0]["mape"]["original"]
    assert f"| ddot | 1 | 8 | {module.percent(off)} |" in page
    after = page.partition("## After a fit")[2]
    assert "| ddot | 1 | 0 % | 0 % | " in after and "| ddot | 2 | 0 % | 0 % | " in after
    assert "startup = 0.001 s" in after


def test_a_machine_without_its_tables_is_a_machine() -> None:
    text = (
        'machine m {\n    flops = 1 GFLOP/s\n    measured flops as gemm(m, n, k) from "t.csv"\n}\n'
    )
    assert score().rates(text) == "machine m {\n    flops = 1 GFLOP/s\n}\n"


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_what_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    """A measurement that fails, here a program that always does, leaves the folder as it was."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "roofdsl"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    where = {**os.environ, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    script = ["sh", str(FOLDER / "repeat.sh"), str(tmp_path / "files")]
    assert subprocess.run(script, env=where, check=False).returncode == 3
    assert list((tmp_path / "files").iterdir()) == []
    assert subprocess.run(script[:2], env=where, check=False, capture_output=True).returncode != 0
