"""What notebooks show of models, machines, predictions and sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from roofdsl.algebra.gather import gathered
from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.counting import total_works
from roofdsl.analysis.intensity import (
    intensity,
    intensity_units,
    quantities,
    quotient_of,
)
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.tariff import spending_unit
from roofdsl.answer.blocks import Block, Equation, Prose, Text, sentences, titled
from roofdsl.answer.definition import machine_blocks, model_blocks
from roofdsl.answer.forms import stated, with_unit
from roofdsl.answer.parameter_names import columns_of
from roofdsl.answer.plain import Json
from roofdsl.answer.shared import with_shared_parts
from roofdsl.answer.swept import Sweep
from roofdsl.answer.titles import notes_blocks, on
from roofdsl.embedding.displayed import AnswerShown, WithMetrics
from roofdsl.embedding.sweep_answer import SweepAnswer, parameters_of
from roofdsl.expression.construct import call
from roofdsl.expression.tree import ZERO, Expression, Function
from roofdsl.model.results import own_resources
from roofdsl.model.types import Definition, MachineDefinition, ModelDefinition, Step
from roofdsl.read_only import read_only, unchanging
from roofdsl.units.dimension import DIMENSIONLESS, FLOP, SECOND

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import xarray as xr
    from numpy.typing import NDArray

MOST_POINTS, MOST_ROWS = 20, 200
"""So many points a card shows, and a text."""
MOST_STEPS = 20


class ShownSweep(WithMetrics, AnswerShown, Sweep):
    """A sweep that a notebook shows as a table."""

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = (
        *("all_totals", "charged", "kinds", "labels", "limit", "most", "of", "places"),
        *("prediction", "spent"),
    )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {on(self.prediction)}: {self.time.size} points>"

    @classmethod
    def of(cls, sweep: Sweep) -> ShownSweep:
        """Return a sweep as one that shows itself."""
        return cls(*(read_only(getattr(sweep, field.name)) for field in fields(Sweep)))

    def _of(self) -> tuple[Definition, ...]:
        return self.prediction.model, self.prediction.machine

    def _says(self) -> object:
        return {name: array.tolist() for name, array in self.parameters.items()}

    def rows(self) -> list[dict[str, Json]]:
        """Return a dictionary of plain values for each point with an answer, in SI base units."""
        columns = {name: x[self.answered].tolist() for name, x in self.columns().items()}
        for bound in ("bound", "bound_kind"):
            columns[bound] = [name or None for name in columns[bound]]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_dict(self) -> dict[str, Json]:
        """Return each column in plain values of SI base units, under its name, NaN of no answer."""
        return {name: array.tolist() for name, array in self.columns().items()}

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each point as a data frame of pandas, which is an extra.

        What binds is a categorical; `attrs["units"]` has the units of the columns. Raises
        ImportError without pandas.

        >>> import roofdsl as rd
        >>> summa = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> frame = summa.sweep(N=[242, 4096, 61952], P=121).to_pandas()
        >>> frame.groupby("bound", observed=True).N.min().to_dict(), frame.attrs["units"]["time"]
        ({'network': 242, 'flops': 61952}, 's')
        """
        from roofdsl.embedding.frames import frame_of_sweeps

        return frame_of_sweeps([self])

    def to_xarray(self) -> xr.Dataset:
        """Return the arrays as a data set of xarray, which is an extra.

        Its dimensions are the parameters that were laid across one another, and `point` where
        several change together; the other parameters are coordinates. Units are in `attrs`. Raises
        ImportError without xarray.

        >>> import roofdsl as rd
        >>> summa = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> data = summa.sweep(N=[[4096], [61952]], P=[16, 121]).to_xarray()
        >>> data.time.dims, str(data.bound.sel(N=61952, P=121).item()), data.time.units
        (('N', 'P'), 'flops', 's')
        """
        from roofdsl.embedding.frames import dataset_of

        return dataset_of(self)

    @property
    @unchanging
    def units(self) -> Mapping[str, str]:
        """The SI base unit of each column that has one: `{"time": "s"}`."""
        prediction, known = self.prediction, parameters_of(self)
        named = columns_of(self.parameters, prediction.model).items()
        found = {column: known[name].dimension for name, column in named if known[name].is_number}
        found |= quantities(prediction.own)
        found |= {f"tally_{name}": prediction.dimensions[name] for name in self.tallies}
        found |= {name: spending_unit(name, prediction.tariff) for name in self.spending}
        found |= {f"metric_{name}": prediction.dimensions[name] for name in self.metrics}
        return {name: str(unit) for name, unit in found.items() if unit != DIMENSIONLESS}

    @unchanging
    def columns(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the arrays by the names of columns, in SI base units."""
        named = columns_of(self.parameters, self.prediction.model)
        tallies = {f"tally_{name}": values for name, values in self.tallies.items()}
        within = {f"{name}_within_capacity": values for name, values in self.fits.items()}
        metrics = {f"metric_{name}": values for name, values in self.metrics.items()}
        told = {**self.spending} if self.prediction.tariff.is_stated else {}
        return {
            **{named[name]: values for name, values in self.parameters.items()},
            **self.quantities,
            "bound": self.bound,
            "bound_kind": self.bound_kind,
            **tallies,
            **within,
            **told,
            **metrics,
        }

    def answer(self) -> SweepAnswer:
        return SweepAnswer([self], MOST_ROWS)

    def blocks(self) -> list[Block]:
        return SweepAnswer([self], MOST_POINTS).blocks()


def model_card(model: ModelDefinition) -> list[Block]:
    """Return the card of a model: its parameters, work, steps and intensities."""
    found: list[Block] = [Text(f"model {model.name}"), *_first_paragraph(model.doc)]
    found += model_blocks(model)
    found += titled("intensities", model.name, _intensities(model))
    return [*found, *sentences("sources", model.sources)]


def machine_card(machine: MachineDefinition) -> list[Block]:
    """Return the card of a machine: its rates, those of its devices, and the ridge points."""
    found: list[Block] = [Text(f"machine {machine.name}"), *_first_paragraph(machine.doc)]
    return [*found, *machine_blocks(machine), *sentences("sources", machine.sources)]


def prediction_card(prediction: Prediction) -> list[Block]:
    """Return the card of a model on a machine: the time on each resource, and what is attainable.

    `prediction` has no parameter bound. Formulas are in the parameters and the machine's rates,
    whose numbers stand below.
    """
    name = on(prediction)
    composed = bool(prediction.root.children)

    def summed(tree: Expression) -> Expression:
        return gathered(tree) if composed else tree

    times = [
        stated(resource, simplify_ratio(summed(tree)), SECOND)
        for resource, tree in prediction.times().items()
    ]
    whole = [
        stated("time", _simplified(summed(prediction.time())), SECOND),
        stated("attainable", _simplified(summed(prediction.attainable())), FLOP / SECOND),
    ]
    rates: dict[str, Equation] = {}
    for load in prediction.loads:
        if load.rate is not None:
            unit = load.resource.dimension / SECOND
            value = with_unit(prediction.rates[load.rate.name], unit)
            rates[load.rate.name] = stated(load.rate, value)
    found: list[Block] = [Text(name), *_first_paragraph(prediction.model.doc)]
    found += titled("time on each resource", name, times)
    found += titled("prediction", name, whole)
    found = with_shared_parts(found, name)
    found += titled("rates", name, rates.values())
    return [*found, *notes_blocks(prediction.notes)]


def _first_paragraph(doc: str) -> Iterator[Block]:
    if doc:
        yield Prose((doc.partition("\n")[0],))


def _simplified(tree: Expression) -> Expression:
    """Return a formula simplified; of a `min` or `max`, each branch by itself."""
    if isinstance(tree, Function):
        return call(tree.name, *(simplify_ratio(branch) for branch in tree.arguments))
    return simplify_ratio(tree)


def _intensities(model: ModelDefinition) -> Iterator[Equation]:
    if _is_long(model):
        return  # no formula of it is short enough to be shown
    own = own_resources(model)
    units = intensity_units(own)
    works = total_works(model, chain(*map(quotient_of, units)))
    for name, unit in units.items():
        tree, (above, below) = intensity(works, name), quotient_of(name)
        if tree is not None and ZERO not in (works[above], works[below]):
            yield stated(name, simplify_ratio(tree), unit)


def _is_long(model: ModelDefinition) -> bool:
    """Whether a model has more than `MOST_STEPS` steps, those of its steps' models included."""
    waiting = [*model.parts]
    count = 0
    while waiting and count <= MOST_STEPS:
        part = waiting.pop()
        count += isinstance(part, Step)
        waiting += part.model.parts if isinstance(part, Step) else part.parts
    return count > MOST_STEPS
