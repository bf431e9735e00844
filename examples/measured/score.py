"""Score the models by what was measured, as they are and after a fit: `python score.py FOLDER`.

FOLDER has `mine.roof` and a table of runs for each number of processes, `runs_1.csv` and so on. It
gets `score.md`, and each command that the numbers in there come from is printed. Nothing is
measured: the same files give the same scores.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

MACHINE, RATES, FITTED = "mine.roof", "rates.roof", "fitted.roof"

# What is fitted beside the rates: a start-up of each run. The graphs' models have no start-up of a
# message, of which several processes send one for each vertex or round: the bytes of a record,
# which is sent as often, take its time.
STARTUP = ("--constant", "startup")
RECORD = ("--constant", "record", "--keep", "network")
BY_RECORD = {"mst", "dijkstra"}

Command = tuple[str, ...]
Run = Callable[[Command], str]


class Fit(NamedTuple):
    """A kernel fitted on every other size: errors in percent, and what the runs determine."""

    kernel: str
    processes: int
    fitted: float
    held_out: float
    constants: str


def scored(folder: Path, run: Run) -> str:
    """Return the page; `run` gives what a command prints, called in the folder."""
    runs = sorted(folder.glob("runs_*.csv"), key=processes_of)
    answers = {processes_of(path): json.loads(run(validated(path.name))) for path in runs}
    fits = [
        fitted(kernel["kernel"], processes, run)
        for processes, answer in answers.items()
        for kernel in answer["kernels"]
    ]
    return "\n".join([*as_they_are(answers), *after_a_fit(fits)]) + "\n"


def processes_of(runs: Path) -> int:
    return int(runs.stem.partition("_")[2])


def validated(runs: str) -> Command:
    return ("validate", runs, "--machine", MACHINE, "--format", "json")


def fit_of(kernel: str, processes: int) -> Command:
    also = RECORD if processes > 1 and kernel in BY_RECORD else STARTUP
    runs = f"runs_{processes}.csv"
    return ("fit", runs, "--model", kernel, "--machine", RATES, *also, "--hold-out", "half")


def fitted(kernel: str, processes: int, run: Run) -> Fit:
    answer = json.loads(run((*fit_of(kernel, processes), "--format", "json")))
    units = answer["units"]["constants"]
    constants = [
        f"{name} = {found['value']:.3g} {units[name]}"
        for name, found in answer["constants"].items()
        if found["standing"] == "determined" and found["value"] is not None
    ]
    error = answer["errors"][kernel]
    return Fit(kernel, processes, error["fitted"], error["held_out"], ", ".join(constants))


def as_they_are(answers: dict[int, Any]) -> Iterator[str]:
    """Yield the table of the models on the machine as it was measured."""
    yield "# Scores"
    yield ""
    yield f"Errors of the models' performance on `{MACHINE}`, each the mean over all sizes (MAPE)."
    yield "*Original*: without the network; *extended*: as the model says. The change is how much"
    yield "smaller the extended error is, in percent of the original: above 0 is better."
    yield ""
    yield "| kernel | processes | sizes | original | extended | change | bias of the extended |"
    yield "| :--- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for processes, answer in answers.items():
        for found in answer["kernels"]:
            mape, bias = found["mape"], found["bias"]
            cells = (mape["original"], mape.get("extended"), found.get("change"))
            row = [percent(cell) for cell in cells]
            row[2] = signed(found.get("change"))
            leaning = signed(bias.get("extended", bias["original"]))
            name, sizes = found["kernel"], found["count"]
            yield f"| {name} | {processes} | {sizes} | {' | '.join(row)} | {leaning} |"
    yield ""


def after_a_fit(fits: list[Fit]) -> Iterator[str]:
    """Yield the table of the models after a fit on half of the sizes."""
    yield "## After a fit on every other size"
    yield ""
    yield "Each kernel is fitted by itself, on the machine without its tables of products. Held out"
    yield "are the sizes between those that it was fitted to; constants are those that the runs"
    yield "determine."
    yield ""
    yield "| kernel | processes | fitted | held out | constants |"
    yield "| :--- | ---: | ---: | ---: | :--- |"
    for fit in fits:
        errors = f"{percent(fit.fitted)} | {percent(fit.held_out)}"
        yield f"| {fit.kernel} | {fit.processes} | {errors} | {fit.constants} |"


def percent(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{round(value, 2):.3g} %" if abs(value) < 1000 else f"{value:.0f} %"


def signed(value: float | None) -> str:
    return "–" if value is None else f"{'+' if value > 0 else ''}{percent(value)}"


def rates(machine: str) -> str:
    """Return a machine without its tables: they are times, and what is fitted are rates."""
    lines = machine.splitlines(keepends=True)
    return "".join(line for line in lines if not line.lstrip().startswith("measured "))


def main(folder: Path) -> None:
    def run(command: Command) -> str:
        sys.stdout.write(f"roofdsl {' '.join(command)}\n")
        done = subprocess.run(
            ["roofdsl", *command], cwd=folder, stdout=subprocess.PIPE, check=True, text=True
        )
        return done.stdout

    text = rates((folder / MACHINE).read_text(encoding="utf-8"))
    (folder / RATES).write_text(text, encoding="utf-8")
    (folder / "score.md").write_text(scored(folder, run), encoding="utf-8")
    run((*fit_of("summa", 1), "-o", FITTED))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
