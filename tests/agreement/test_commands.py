"""What the commands print is what `evaluate` says, at a sample of points; `make fuzz` takes 50."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import islice
from math import isclose
from pathlib import Path
from random import Random

import pytest

from roofdsl.cli.main import main
from roofdsl.expression.tree import Number
from roofdsl.units.quantity import show_exact
from tests.agreement.points import ALL, Point, files, reference, sample
from tests.agreement.readers import READERS, wrong

COUNT = 50 if ALL else 8
FORMS = {"text": "text", "json": "JSON", "csv": "CSV", "markdown": "Markdown", "latex": "LaTeX"}

Run = Callable[..., str]


def some_points() -> list[Point]:
    random = Random(3)
    if ALL:
        return random.sample([point for file in files() for point in sample(file, 2)], COUNT)
    # Of other files no point is worked out, which takes longer than all that is printed.
    shuffled = random.sample(files(), len(files()))
    running = filter(None, ([*sample(file, 2)] for file in shuffled))
    return [random.choice(found) for found in islice(running, COUNT)]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as leaving:
            main(arguments)
        written = capsys.readouterr()
        assert not leaving.value.code, written.err
        return written.out

    return run


def asked(point: Point) -> list[str]:
    """Return the words that ask for a point on the command line."""
    model, machine = point.prediction.model, point.prediction.machine
    words = [reference(model), "-m", reference(machine)]
    for parameter in model.parameters:
        value = point.result.parameters[parameter.name]
        tree, _ = point.arguments.get(parameter.name, (None, None))
        if tree is None:
            continue
        text = str(value).lower()
        if parameter.kind not in ("boolean", "precision") and isinstance(tree, Number):
            text = show_exact(tree.value, parameter.dimension)
        words += ["-p", f"{parameter.name}={text}"]
    return words


def test_commands_print_what_evaluate_says(run: Run, tmp_path: Path) -> None:
    found: list[str] = []
    for point in some_points():
        words = asked(point)
        for form, name in FORMS.items():
            written = run("eval", *words, "--format", form)
            found += [f"{words} {form}: {each}" for each in wrong(point, READERS[name], written)]
        if point.result.memory and point.result.flops:
            data = tmp_path / "data.csv"
            run("plot", "roofline", *words, "-o", str(tmp_path / "f.svg"), "--data", str(data))
            found += [f"{words} --data: {each}" for each in _wrong_data(point, data)]
    assert found == []


def _wrong_data(point: Point, data: Path) -> list[str]:
    result = point.result
    # The intensity of a model that names levels of memory is that of what plain `memory` means.
    default = point.prediction.machine.defaults.get("memory", "memory").rpartition(".")[2]
    with data.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["what"] == "point"]
    whole = [row for row in rows if row["name"] == result.model]
    row = next((each for each in whole if each["level"] == default), whole[0])
    found = []
    for column, wanted in (
        ("intensity [flop/B]", result.OI),
        ("performance [flop/s]", result.attainable),
    ):
        if not isclose(float(row[column]), wanted, rel_tol=1e-12):
            found.append(f"{column} is {row[column]}, not {wanted}")
    if row["bound"] != result.bound:
        found.append(f"bound is {row['bound']}, not {result.bound}")
    return found
