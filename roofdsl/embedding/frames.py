"""Answers as data frames of pandas and data sets of xarray, which are extras of the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.contest import names_of
from roofdsl.answer.parameter_names import columns_of
from roofdsl.answer.plain import Json

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from roofdsl.embedding.cards import ShownSweep


def frame_of_rows(rows: Sequence[Mapping[str, Json]]) -> pd.DataFrame:
    """Return rows as a data frame."""
    try:
        import pandas as pd
    except ImportError:
        raise _missing("pandas") from None
    return pd.DataFrame([*rows])


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
