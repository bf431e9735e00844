"""Several predictions over the same values: a model on several machines, or several models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roofdsl.answer.asked import SeveralGiven, Values
from roofdsl.answer.blocks import Block
from roofdsl.answer.contest import own_values, refuse_one_name
from roofdsl.answer.plain import Json
from roofdsl.contract import public
from roofdsl.embedding.cards import MOST_POINTS, MOST_ROWS, ShownSweep
from roofdsl.embedding.displayed import AnswerShown
from roofdsl.embedding.prediction import Prediction
from roofdsl.embedding.sweep_answer import SweepAnswer
from roofdsl.model.given import all_of, each, one_of, some
from roofdsl.model.types import Definition

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_one = one_of(Prediction, wanted="a Prediction, which model.on(machine) makes")
_PREDICTIONS = some(each(_one), "prediction")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sweeps(AnswerShown):
    """Sweeps of several predictions: `sweeps[0]` is that of the first, and all are one table."""

    sweeps: tuple[ShownSweep, ...]

    def __iter__(self) -> Iterator[ShownSweep]:
        return iter(self.sweeps)

    def __len__(self) -> int:
        return len(self.sweeps)

    def __getitem__(self, place: int) -> ShownSweep:
        return self.sweeps[place]

    def rows(self) -> list[dict[str, Json]]:
        """Return a dictionary of plain values for each point, with its `model` and `machine`."""
        return [
            {"model": each.model, "machine": each.machine, **row}
            for each in self.sweeps
            for row in each.rows()
        ]

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each point as a data frame of pandas, with its `model` and `machine`.

        Raises ImportError without pandas.
        """
        from roofdsl.embedding.frames import frame_of_sweeps

        return frame_of_sweeps(self.sweeps, ("model", "machine"))

    def to_xarray(self) -> xr.Dataset:
        """Return all as a data set of xarray, along one dimension more: `machine`, or `model`.

        Of several models on several machines it is `model_on_machine`. Raises ImportError without
        xarray, and RoofError where two have one name (R0202).
        """
        from roofdsl.embedding.frames import dataset_of_sweeps

        return dataset_of_sweeps(self.sweeps)

    def to_dict(self) -> dict[str, Json]:
        """Return each column of the rows in plain values, null where a sweep does not have it."""
        rows = self.rows()
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}

    def answer(self) -> SweepAnswer:
        return SweepAnswer(self.sweeps, MOST_ROWS)

    def blocks(self) -> list[Block]:
        return SweepAnswer(self.sweeps, MOST_POINTS).blocks()

    def _of(self) -> tuple[Definition, ...]:
        return tuple(
            found for x in self.sweeps for found in (x.prediction.model, x.prediction.machine)
        )

    def _says(self) -> object:
        return self.rows()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(map(repr, self.sweeps))}>"


@public(predictions=_PREDICTIONS)
def sweep(
    predictions: Iterable[Prediction], /, *, skip_invalid: Values = False, **values: SeveralGiven
) -> Sweeps:
    """Return several predictions over arrays of values, as the method `sweep` of each.

    A value goes to those that have such a parameter, or to whose machine it belongs. Raises
    RoofError as that method does: with `skip_invalid`, where one has no point that is answered; and
    for different machines, or models, of one name (R0202).

    >>> import roofdsl as rd
    >>> summa = rd.load_model("summa")
    >>> machines = [rd.load_machine(name) for name in ("karst", "jetstream")]
    >>> found = rd.sweep([summa.on(machine) for machine in machines], N=[4096, 16384], P=121)
    >>> [(row["machine"], row["N"], row["bound"]) for row in found.rows()][1:3]
    [('karst', 16384, 'flops'), ('jetstream', 4096, 'network')]
    """
    asked = [*predictions]
    refuse_one_name(definition for each in asked for definition in each._of())
    subjects = [each.asked for each in asked]
    own = [own_values(subject, all_of(values), subjects) for subject in subjects]
    return Sweeps(
        tuple(
            ShownSweep.of(x.sweep(given, skip=skip_invalid is True))
            for x, given in zip(subjects, own, strict=True)
        )
    )
