"""Which kind of work takes most of the bound: at points, over arrays, in conditions, in metrics."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from roofdsl import load_machine, load_model
from roofdsl.cli.main import main

FILE = """
machine box {
    flops {
        matrix.fp64 = 8 flop/s; vector.fp64 = 4 flop/s; special.fp32 = 1 flop/s
        default vector.fp64
    }
    memory = 10 B/s
}
machine units = box with { concurrent flops.matrix, flops.vector }
model kernel {
    param N: integer[1..]
    flops.matrix[fp64] = N^2; flops.vector[fp64] = 5*N; flops.special[fp32] = 1
    memory = 20*N * 1 B
    metric products = bound.kind is flops.matrix.fp64
    metric long = not (N^2 <= 300 or bound.kind is flops.vector.fp64)
    metric factor = if bound.kind is flops.vector.fp64 then 2 else 3
}
model steps {
    param N: integer[1..]
    step first = kernel(N = N)
    step last { flops.vector[fp64] = 50; memory = N^2 * 1 B }
    metric products = bound.kind is flops.matrix.fp64
    metric long = N^2 > 300 and not (bound.kind is flops.vector.fp64)
    metric first_products = first.bound.kind is flops.matrix.fp64
}
"""
SIZES = range(1, 41)
MATRIX, VECTOR = "flops.matrix.fp64", "flops.vector.fp64"


def by_hand(model: str, n: int) -> str:
    """Return the largest kind on the bound, by the numbers of the file; of equals the first."""
    kernel = {
        MATRIX: Fraction(n * n, 8),
        VECTOR: Fraction(5 * n, 4),
        "flops.special.fp32": Fraction(1),
    }
    spent, memory = {**kernel}, Fraction(2 * n)
    if memory > sum(kernel.values()):  # flops stand first
        spent = {}
    else:
        memory = Fraction()
    if model == "steps":
        other, vector = Fraction(n * n, 10), Fraction(25, 2)
        if other > vector:
            memory += other
        else:
            spent[VECTOR] = spent.get(VECTOR, Fraction()) + vector
    if memory > sum(spent.values()):
        return "memory"
    return max(kernel, key=lambda kind: spent.get(kind, Fraction()))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kinds.roof"
    path.write_text(FILE)
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*asked: str) -> str:
        with pytest.raises(SystemExit) as leaving:
            main([*asked])
        assert not leaving.value.code
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("model", ["kernel", "steps"])
def test_all_say_the_largest_kind_of_the_bound(
    file: Path, run: Callable[..., str], model: str
) -> None:
    prediction = load_model(f"{file}:{model}").on(load_machine(f"{file}:box"))
    wanted = [by_hand(model, n) for n in SIZES]
    assert [prediction.evaluate(N=n).bound_kind for n in SIZES] == wanted
    sweep = prediction.sweep(N=[*SIZES])
    assert sweep.bound_kind.tolist() == wanted
    assert [row["bound_kind"] for row in sweep.rows()] == wanted
    assert sweep.metrics["products"].tolist() == [kind == MATRIX for kind in wanted]
    asked = ("eval", f"{file}:{model}", "-m", f"{file}:box", "-p", "N=1..40")
    rows = csv.DictReader(StringIO(run(*asked, "--format", "csv")))
    assert [row["bound_kind"] for row in rows] == wanted
    points = json.loads(run(*asked, "--format", "json"))["points"]
    assert [point["bound_kind"] for point in points] == wanted
    lines = run(*asked).strip().split("\n")
    assert "bound.kind" in lines[-41]
    assert all(kind in line for kind, line in zip(wanted, lines[-40:], strict=True))


CONDITIONS = (
    "bound.kind is flops.matrix.fp64",
    "bound.kind is not flops.vector.fp64",
    "products",
    "not (products or time <= 20 s)",
    "long or first.products",
)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("model", ["kernel", "steps"])
def test_where_a_kind_is_the_largest_is_solved(
    file: Path, run: Callable[..., str], model: str, condition: str
) -> None:
    asked = ("solve", f"{file}:{model}", "-m", f"{file}:box", "--for", "N", "--range", "1..40")
    if model == "kernel":
        condition = condition.replace(" or first.products", "")
    found = json.loads(run(*asked, "--such-that", condition, "--format", "json"))
    held = [n for each in found["holds"] for n in range(int(each["from"]), int(each["to"]) + 1)]
    assert found["complete"]
    prediction = load_model(f"{file}:{model}").on(load_machine(f"{file}:box"))

    def holds(n: int) -> bool:
        kind, time = by_hand(model, n), prediction.evaluate(N=n).time
        match CONDITIONS.index(condition) if condition in CONDITIONS else 4:
            case 0 | 2:
                return kind == MATRIX
            case 1:
                return kind != VECTOR
            case 3:
                return kind != MATRIX and time > 20
        of_step = model == "steps" and by_hand("kernel", n) == MATRIX
        return (n * n > 300 and kind != VECTOR) or of_step

    assert held == [n for n in SIZES if holds(n)]
