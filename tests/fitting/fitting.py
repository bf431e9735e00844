"""Fits to texts and tables, as the tests ask for them."""

from __future__ import annotations

from pathlib import Path

from roofdsl.analysis.fit_law import Law
from roofdsl.analysis.fitting import Fit, fit
from roofdsl.analysis.models_of_runs import Named, models_of_runs
from roofdsl.importers.runs_csv import read_runs
from roofdsl.model.library import check_text
from roofdsl.source import Source


def fitted(
    text: str,
    table: str,
    folder: Path,
    *,
    also: tuple[str, ...] = (),
    keep: tuple[str, ...] = (),
    law: Law | None = None,
    half: bool = False,
) -> Fit:
    """Fit all models of a text, on its one machine, to a table of runs."""
    module, problems = check_text(Source("made", text))
    assert [problem for problem in problems if problem.severity == "error"] == []
    path = folder / "runs.csv"
    path.write_text(table, encoding="utf-8")
    runs, wrong = read_runs(path)
    assert runs is not None, wrong
    models = [Named(model, model.name) for model in module.models.values()]
    found = models_of_runs(runs, models, lambda _: None, lambda _: {})
    (machine,) = module.machines.values()
    return fit(found.asked, machine, also=also, keep=keep, law=law, half=half)


def unknowns(found: Fit) -> dict[str, float]:
    """Return constants as times are linear in them: of a rate the time per unit of work."""
    values: dict[str, float] = {}
    for item in found.constants:
        value = item.value
        if item.constant.sort == "rate":
            value = 0.0 if value is None else 1 / value
        assert value is not None
        values[item.constant.name] = value
    return values
