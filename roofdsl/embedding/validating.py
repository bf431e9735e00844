"""Models scored against runs that were measured."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roofdsl.analysis.binding import refuse_unknown
from roofdsl.analysis.models_of_runs import Named, models_of_runs, of_library
from roofdsl.analysis.validation import Measure, Score, Validation
from roofdsl.analysis.validation import validate as validated
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.plain import Json
from roofdsl.answer.validated import ValidationAnswer
from roofdsl.contract import public
from roofdsl.diagnostic import raise_if_any
from roofdsl.embedding.displayed import Listed
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.embedding.model import A_MODEL, Model
from roofdsl.importers.runs_csv import read_runs
from roofdsl.model.arguments import Argument
from roofdsl.model.given import all_of, as_truth, one_of, one_or_more
from roofdsl.model.types import Definition, MachineDefinition, ModelDefinition

if TYPE_CHECKING:
    from roofdsl.answer.asked import Given
    from roofdsl.figures.predicted import MeasuredAgainstPredicted


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownValidation(Listed):
    """Models against the runs of a file: `scores`, one for each, and all runs as one table.

    A score has its `mape`, `bias` and `errors`, by "original" or "extended", and the `change`
    between them: percentages. `mape` here is over all runs.
    """

    validation: Validation
    models: tuple[ModelDefinition, ...]
    machine: MachineDefinition

    @property
    def scores(self) -> tuple[Score, ...]:
        """The score of each model: its runs, each with what was measured and predicted."""
        return self.validation.scores

    @property
    def mape(self) -> dict[str, float]:
        """The mean absolute percentage error over all runs; `extended` where something is sent."""
        return {which: self.validation.mape(which) for which in self.validation.kinds}

    def comparison(self) -> MeasuredAgainstPredicted:
        """Return each run as measured and predicted, for `rd.plot.predicted`."""
        from roofdsl.plots.validated import compared

        return compared(self.validation)

    def answer(self) -> ValidationAnswer:
        return ValidationAnswer(self.validation)

    def rows(self) -> list[dict[str, Json]]:
        """Return a row for each run, one for each kernel without its runs, and one for all."""
        return self.answer().rows()

    def _of(self) -> tuple[Definition, ...]:
        return *self.models, self.machine

    def __repr__(self) -> str:
        found = self.validation
        return f"<{type(self).__name__} {found.name} on {found.machine}: {found.count} runs>"


@public(
    machine=one_of(Machine, wanted=A_MACHINE),
    models=one_or_more(one_of(Model, wanted=A_MODEL)),
    by_time=as_truth,
)
def validate(
    path: str | os.PathLike[str],
    machine: Machine,
    models: Model | Iterable[Model] = (),
    *,
    by_time: bool = False,
    **values: Given,
) -> ShownValidation:
    """Score models against runs, a CSV file of what was measured, on a machine.

    It answers as `roofdsl validate` does. Without models the kernels of the runs name them.
    `values` are those of parameters that the file does not say; `by_time` compares times, not
    performance. Raises RoofError for a file that has mistakes (R0912 to R0914, R1501, R1502), for
    runs of no model (R1503), and for values that do not fit.

    >>> import roofdsl as rd
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "runs.csv")
    ...     _ = path.write_text("kernel,N,P,time [s]\\nsumma,1100,121,0.006\\n")
    ...     found = rd.validate(path, rd.load_machine("karst"))
    >>> isinstance(found, rd.ShownValidation)
    True
    >>> {which: round(mape, 1) for which, mape in found.mape.items()}
    {'original': 499.5, 'extended': 18.3}
    >>> round(found.scores[0].change, 1)
    96.3
    """
    shown = os.fspath(path)
    read, problems = read_runs(Path(shown), shown)
    raise_if_any(problems)
    assert read is not None  # else there are problems
    chosen = [models] if isinstance(models, Model) else [*models]
    given = all_of(values)
    predicting: list[ModelDefinition] = []

    def fixed(model: ModelDefinition) -> Mapping[str, Argument]:
        predicting.append(model)
        known = {parameter.name for parameter in model.parameters}
        own = {name: value for name, value in given.items() if name in known}
        return ModelOnMachine(model, machine.definition).arguments(own)

    named = [Named(each.definition, each.name) for each in chosen]
    found = models_of_runs(read, named, of_library, fixed)
    refuse_unknown(given, predicting)
    measure: Measure | None = "time" if by_time else None
    scores = validated(shown, machine.definition, found.asked, found.notes, measure)
    return ShownValidation(scores, tuple(predicting), machine.definition)
