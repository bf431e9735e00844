"""Which of nearly equal times is longer, and which are equal, is decided exactly everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.cli.main import main
from roofdsl.embedding.shown import ShownCrossovers, ShownThresholds

N = 7
PROGRAMS = {
    "near": ("flops = 10000000000000*N; memory = 10000000000001*N * 1 B", ("memory",)),
    "near_steps": (
        "step a { flops = 10000000000000*N }; step b { memory = 10000000000001*N * 1 B }",
        ("memory",),
    ),
    "near_overlap": (
        "overlap { step a { flops = 1e13*N }; step b { memory = 10000000000001*N * 1 B } }",
        ("memory",),
    ),
    # 0.1 + 0.2 is not 0.3 in floats.
    "equal": ("flops = 0.3*N; memory = (0.1 + 0.2) * N * 1 B", ("flops", "memory")),
    "equal_steps": (
        "step a { memory = 0.1 B * N }; step b { flops = 0.3*N }; step c { memory = 0.2 B * N }",
        ("memory", "flops"),
    ),
    "equal_roots": (
        "memory = sqrt(6) * N * 1 B; flops = sqrt(2) * sqrt(3) * N",
        ("memory", "flops"),
    ),
    # Declared first, but charged only by the last step.
    "declared_first": (
        "step a { flops = N; memory = 2 B * N }; step b { flops = 2*N }",
        ("flops", "memory"),
    ),
}
BOX = "machine box { flops = 1 flop/s; memory = 1 B/s }\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    models = (
        f"model {name} {{ param N: integer; {body} }}\n" for name, (body, _) in PROGRAMS.items()
    )
    path = tmp_path / "ties.roof"
    path.write_text(BOX + "".join(models), encoding="utf-8")
    return path


@pytest.fixture(params=PROGRAMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def loaded(file: Path, name: str) -> rd.Prediction:
    return rd.load_model(f"{file}:{name}").on(rd.load_machine(f"{file}:box"))


@pytest.fixture
def run(file: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(command: str, name: str, *more: str) -> str:
        with chdir(file.parent), pytest.raises(SystemExit) as leaving:
            main([command, f"ties.roof:{name}", "--machine", "ties.roof:box", *more])
        assert not leaving.value.code
        return capsys.readouterr().out

    return run


def test_evaluate(file: Path, name: str) -> None:
    result = loaded(file, name).evaluate(N=N)
    assert (result.ties, result.bound) == (PROGRAMS[name][1], PROGRAMS[name][1][0])


def test_sweep(file: Path, name: str) -> None:
    found = loaded(file, name).sweep(N=[1, N, 10**6])
    assert found.bound.tolist() == [PROGRAMS[name][1][0]] * 3


def test_solve(file: Path, name: str) -> None:
    found = loaded(file, name).crossovers("N", 1, 1000)
    assert isinstance(found, ShownCrossovers)
    assert found.complete
    assert found.crossovers == ()
    assert [regime.labels for regime in found.regimes] == [PROGRAMS[name][1]]


def test_where(file: Path, name: str) -> None:
    for bound in ("flops", "memory"):
        found = loaded(file, name).where(f"bound = {bound}", "N", 1, 1000)
        assert isinstance(found, ShownThresholds)
        holds = bound == PROGRAMS[name][1][0]
        assert [(i.first, i.last) for i in found.intervals] == ([(1, 1000)] if holds else [])


def test_commands(name: str, run: Callable[..., str]) -> None:
    ties = PROGRAMS[name][1]
    answer = json.loads(run("eval", name, "-p", f"N={N}", "--format", "json"))
    assert answer["bound"] == ties[0]
    assert answer["ties"] == list(ties)
    rows = run("eval", name, "-p", "N=1..5", "--format", "csv").splitlines()
    place = rows[0].split(",").index("bound")
    assert {row.split(",")[place] for row in rows[1:]} == {ties[0]}
    table = run("eval", name, "-p", "N=1..5").splitlines()
    assert all(row.endswith(f"  {' and '.join(ties)}") for row in table[-5:])
    solved = run("solve", name, "--crossover", "--for", "N", "--range", "1..1000")
    assert re.search(rf"  {' and '.join(ties)} +for 1 ≤ N", solved)
