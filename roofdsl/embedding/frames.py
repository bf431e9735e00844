"""Answers as data frames of pandas and data sets of xarray, which are extras of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import in_a_row
from roofdsl.answer.contest import names_of
from roofdsl.answer.parameter_names import columns_of
from roofdsl.answer.plain import Json, inside

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from roofdsl.embedding.cards import ShownSweep


_BINDS: Mapping[str, Callable[[Sequence[str]], str]] = {
    **dict.fromkeys(("bound", "ties", "before", "after", "fastest"), in_a_row),
    "bounds": " or ".join,  # each of them on some machine
}
"""The columns of answers that name what binds, or is the fastest; and how several are told."""
_PLACES = {"from", "to", "closed_form_value"}
_PLACES |= {"first_valid", "first_holding", "last_holding"}
"""The columns of answers that are places on the range of the unknown."""


def frame_of_rows(
    rows: Sequence[Mapping[str, Json]],
    answers: Sequence[Mapping[str, Json]],
    given: Mapping[str, Json] = {},
) -> pd.DataFrame:
    """Return rows as a data frame; `answers` are all that those they are of say, for the units.

    What binds is a categorical. A dictionary has a column for each of its values, a list of texts
    or numbers is one text; one of dictionaries is left out. `given` are units of other columns.
    """
    try:
        import pandas as pd
    except ImportError:
        raise _missing("pandas") from None
    found = pd.DataFrame([dict(_flat(row)) for row in rows])
    for name in _BINDS.keys() & {*found}:
        found[name] = pd.Categorical(found[name], [*dict.fromkeys(found[name].dropna())])
    units = {str(name): given.get(str(name)) or _unit(str(name), answers) for name in found}
    found.attrs["units"] = {name: unit for name, unit in units.items() if unit not in (None, "1")}
    return found


def _flat(row: Mapping[str, Json], start: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the columns of a row, what is inside a dictionary behind a dot."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{start}{name}.")
        elif not isinstance(value, list):
            yield f"{start}{name}", value
        elif texts := [each for each in value if isinstance(each, str)]:
            yield f"{start}{name}", _BINDS.get(name, in_a_row)(texts)
        elif numbers := [str(each) for each in value if isinstance(each, int | float)]:
            yield f"{start}{name}", " × ".join(numbers)
        elif name in _BINDS:  # nothing does
            yield f"{start}{name}", None


def _unit(column: str, answers: Sequence[Mapping[str, Json]]) -> Json:
    """Return the unit of a column as the answers tell it, None of a text."""
    for answer in answers:
        sections = inside(answer, "units")
        if column in _PLACES:
            return inside(sections, "unknown").get(str(answer["unknown"]))
        within = column.partition(".")[2]
        for section in sections.keys() - {"params", *([] if within else ["unknown"])}:
            if unit := inside(sections, section).get(within or column):
                return unit
    return None


def frame_of_sweeps(sweeps: Sequence[ShownSweep], columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return the points of sweeps as a data frame, what binds as a categorical.

    `columns` name what else is told of each sweep beside its numbers: `model`, `machine`.
    """
    try:
        import pandas as pd
    except ImportError:
        raise _missing("pandas") from None
    frames = []
    for sweep in sweeps:
        own = {name: getattr(sweep, name) for name in columns}
        flat = {name: array[sweep.answered] for name, array in sweep.columns().items()}
        frames.append(pd.DataFrame({**dict.fromkeys(own), **flat}).assign(**own))
    found = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    for name in ("bound", "bound_kind", *columns):
        names = found[name]
        known = dict.fromkeys(each for each in names if each)
        found[name] = pd.Categorical(names.where(names != ""), [*known])
    found.attrs["units"] = {name: x for each in sweeps for name, x in each.units.items()}
    return found


def dataset_of(sweep: ShownSweep) -> xr.Dataset:
    """Return a sweep as a data set: its axes are dimensions, its parameters coordinates."""
    try:
        import xarray as xr
    except ImportError:
        raise _missing("xarray") from None
    named, units = columns_of(sweep.parameters, sweep.prediction.model), sweep.units
    axes = tuple(named.get(axis, axis) for axis in sweep.axes)
    coordinates = {
        column: (*_along(column, sweep.parameters[name], axes), _attributes(units, column))
        for name, column in named.items()
    }
    variables = {
        name: (axes, array, _attributes(units, name))
        for name, array in sweep.columns().items()
        if name not in coordinates
    }
    about = {"model": sweep.model, "machine": sweep.machine}
    return xr.Dataset(variables, coordinates, {**about, "notes": [*sweep.prediction.notes]})


def dataset_of_sweeps(sweeps: Sequence[ShownSweep]) -> xr.Dataset:
    """Return sweeps as one data set, along an axis more: of machines, of models, or of pairs."""
    found = [dataset_of(each) for each in sweeps]
    import xarray as xr

    pairs = [ModelOnMachine(each.prediction.model, each.prediction.machine) for each in sweeps]
    names, shared = names_of(pairs)
    models = {each.model for each in sweeps}
    axis = ("machine" if shared in models else "model") if shared else "model_on_machine"
    along = xr.DataArray(names, dims=axis, name=axis)
    joined = xr.concat(found, along, join="outer", combine_attrs="drop_conflicts")
    notes = dict.fromkeys(note for each in found for note in each.attrs["notes"])
    return joined.assign_attrs(notes=[*notes])


def _along(
    name: str, array: NDArray[np.generic], axes: Sequence[str]
) -> tuple[Sequence[str], NDArray[np.generic]]:
    """Return along which axes a parameter varies, and its values there."""
    kept = [*range(array.ndim)]
    for place in reversed(kept[:]):
        varies = axes[place] == name or not array.shape[place]
        if not varies and (array == array.take([0], place)).all():
            array = np.asarray(array.take(0, place))
            kept.remove(place)
    return [axes[place] for place in kept], array


def _attributes(units: Mapping[str, str], name: str) -> dict[str, str]:
    return {"units": units[name]} if name in units else {}


def _missing(library: str) -> ImportError:
    message = f"{library} is not installed; it is an extra: pip install 'roofdsl[{library}]'"
    return ImportError(message, name=library)
