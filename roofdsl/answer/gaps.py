"""Points of a sweep that are left out: without numbers there, and in no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofdsl.answer.left_out import LeftOut
from roofdsl.answer.swept import Sweep

_Array = NDArray[Any]


def with_gaps(
    sweep: Sweep, gone: NDArray[np.bool_], left_out: Sequence[LeftOut], given: Mapping[str, _Array]
) -> Sweep:
    """Return a sweep without what it has at the points that are `gone`.

    `left_out` has these points in their order. Numbers are NaN there, names are empty and truth
    values false; parameters that are `given` stay as they are. What a sweep works out later, it has
    to be able to work out at all points.
    """

    def blank(array: _Array) -> _Array:
        return np.where(gone, nothing_of(array), np.broadcast_to(array, gone.shape))

    def blanks(table: Mapping[str, _Array]) -> dict[str, _Array]:
        return {name: blank(array) for name, array in table.items()}

    limit = sweep.limit
    return replace(
        sweep,
        parameters={**blanks(sweep.parameters), **given},
        flops=blank(sweep.flops),
        memory=blank(sweep.memory),
        network=blank(sweep.network),
        times=blanks(sweep.times),
        time=blank(sweep.time),
        charged=blanks(sweep.charged),
        tallies=blanks(sweep.tallies),
        limit=blank(limit) if isinstance(limit, np.ndarray) else limit,
        places=blank(sweep.places),
        own_work=blanks(sweep.own_work),
        metrics=blanks(sweep.metrics),
        spent=blanks(sweep.spent),
        most={name: np.where(gone, np.int8(0), array) for name, array in sweep.most.items()},
        all_totals=blanks(sweep.totals),
        left_out=tuple(left_out),
    )


def nothing_of(array: _Array) -> _Array:
    """Return what stands in an array like this one where there is nothing.

    Among places of labels it is -1, which is none.
    """
    if array.dtype == np.int8:
        return np.array(-1, np.int8)
    return np.array({"b": False, "U": "", "O": ""}.get(array.dtype.kind, np.nan))
