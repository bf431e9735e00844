"""Sweeps as answers: a table of their points for people, and rows for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.analysis.bound_kind import several_kinds
from roofdsl.analysis.intensity import QUANTITIES, intensity_of
from roofdsl.analysis.open_machine import machine_parameter
from roofdsl.answer.blocks import Block, Text, label, tabular
from roofdsl.answer.cells import Cell, Quantity
from roofdsl.answer.head import opening
from roofdsl.answer.left_out import left_out_notes
from roofdsl.answer.parameter_names import columns_of
from roofdsl.answer.plain import Json, as_json
from roofdsl.answer.result_cells import capacity_remark
from roofdsl.answer.rows import setting_cell
from roofdsl.answer.titles import notes_blocks, shared_notes
from roofdsl.model.results import BOUND_KIND
from roofdsl.model.types import Parameter
from roofdsl.units.dimension import FLOP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from roofdsl.answer.swept import Sweep
    from roofdsl.embedding.cards import ShownSweep


class SweepAnswer(NamedTuple):
    """Sweeps of one prediction or of several; `most` points of each are in its table."""

    sweeps: Sequence[ShownSweep]
    most: int

    def values(self) -> dict[str, Json]:
        """Return the rows as `eval --columns` has them, with all that a sweep has."""
        models = dict.fromkeys(each.model for each in self.sweeps)
        rows: list[dict[str, Json]] = [
            {**({"model": each.model} if len(models) > 1 else {}), "machine": each.machine, **row}
            for each in self.sweeps
            for row in each.rows()
        ]
        several = (name for each in self.sweeps for name in _several(each))
        left_out = [left.as_json() for each in self.sweeps for left in each.left_out]
        noted = [
            (f"{x.machine} ({x.model})" if len(models) > 1 else x.machine, x.prediction.notes)
            for x in self.sweeps
        ]
        return {
            **opening("rows"),
            "model": ", ".join(models),
            "swept": [*dict.fromkeys(several)],
            "tied": {},
            "columns": [*dict.fromkeys(name for each in self.sweeps for name in each.columns())],
            "rows": as_json(rows),
            "notes": [*shared_notes(noted)],
            **({"left_out": [*left_out]} if left_out else {}),
            "units": {"rows": {k: unit for each in self.sweeps for k, unit in each.units.items()}},
        }

    def blocks(self) -> list[Block]:
        return [block for each in self.sweeps for block in _blocks(each, self.most)]


def parameters_of(sweep: Sweep) -> dict[str, Parameter]:
    """Return the parameters by name, what the machine has of several values among them."""
    known = {parameter.name: parameter for parameter in sweep.prediction.model.parameters}
    for name in sweep.parameters.keys() - known.keys():
        known[name] = machine_parameter(sweep.prediction.machine, name.partition(".")[2])
    return known


def _several(sweep: ShownSweep) -> list[str]:
    """Return the columns of the parameters that have several values."""
    named = columns_of(sweep.parameters, sweep.prediction.model)
    arrays = sweep.parameters.items()
    return [named[name] for name, x in arrays if x.size and (x != x.flat[0]).any()]


def _blocks(sweep: ShownSweep, most: int) -> list[Block]:
    """Return a row for each point, the first ones of many."""
    units = {name: QUANTITIES[name] for name in ("time", "attainable", "OI", "CAI")}
    own = sweep.prediction.own
    units |= {intensity_of(name): FLOP / unit for name, unit in own.items()}
    given, dimensions = _first(sweep, sweep.parameters, most), sweep.prediction.dimensions
    known = parameters_of(sweep)
    found = sweep.quantities
    numbers = _first(sweep, {name: found[name] for name in units}, most)
    tallies, within = _first(sweep, sweep.tallies, most), _first(sweep, sweep.fits, most)
    metrics = _first(sweep, sweep.metrics, most)
    binds = {"bound": sweep.bound[sweep.answered]}
    if several_kinds(sweep.prediction):
        binds[BOUND_KIND] = sweep.bound_kind[sweep.answered]
    named = columns_of(given, sweep.prediction.model).values()
    rows: list[list[Cell]] = [[*named, *units, *binds, *sweep.tallies, *sweep.metrics]]
    for place in range(min(binds["bound"].size, most)):
        settings = [setting_cell(row[place], known[name]) for name, row in given.items()]
        shown = [Quantity(numbers[name][place], unit) for name, unit in units.items()]
        remarks = {name: capacity_remark(name, bool(fits[place])) for name, fits in within.items()}
        counted = [
            Quantity(values[place], dimensions[name], remark=remarks.get(name, ""))
            for name, values in tallies.items()
        ]
        worked: list[Cell] = [
            ("true" if values[place] else "false")
            if isinstance(values[place], bool)
            else Quantity(values[place], dimensions[name])
            for name, values in metrics.items()
        ]
        bounds = [str(names[place]) for names in binds.values()]
        rows.append([*settings, *shown, *bounds, *counted, *worked])
    name = f"{sweep.model} on {sweep.machine}"
    left = binds["bound"].size - most
    notes = [f"and {left} more"] if left > 0 else []
    notes += left_out_notes(sweep.left_out, sweep.answered.size)
    table = tabular("points", label(name), rows, notes=tuple(notes))
    return [Text(name), table, *notes_blocks(sweep.prediction.notes)]


def _first(
    sweep: ShownSweep, arrays: Mapping[str, NDArray[np.generic]], most: int
) -> dict[str, list[float]]:
    """Return the first values of arrays."""
    return {name: x[sweep.answered][:most].tolist() for name, x in arrays.items()}
