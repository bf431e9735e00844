"""Least squares with unknowns of 0 or more, and what these leave open."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofdsl.diagnostic import Diagnostic, RoofError

Array: TypeAlias = NDArray[np.float64]
_NOTHING = 1e-12
"""A column that is as small, relative to what is measured, does not show."""
_SINGULAR = 1e-7
"""A direction of columns of unit length that changes nothing by more is not seen."""
_PART = 1e-3
"""A constant takes part in a direction from this share of it on."""


class Determined(NamedTuple):
    """What equations say of each unknown.

    `errors` are standard errors, None where there is none. `unseen` are those that no equation
    has; `alike` are groups of which only some sum is determined.
    """

    errors: tuple[float | None, ...]
    unseen: tuple[int, ...]
    alike: tuple[tuple[int, ...], ...]


def check_solver() -> None:
    """Raise RoofError where there is no SciPy, which is an extra (R1511)."""
    try:
        import scipy.optimize  # noqa: F401 - asked whether it is there, before work is done
    except ImportError:
        message = "SciPy is not installed; fit needs it for its least squares"
        raise RoofError([Diagnostic("R1511", message, hint="pip install 'roofdsl[fit]'")]) from None


def non_negative(matrix: Array, right: Array) -> Array:
    """Return the x ≥ 0 with the least |matrix·x - right|; columns are scaled to unit length.

    >>> non_negative(np.array([[2.0**-30, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])).tolist()
    [1073741824.0, 0.0]
    """
    from scipy.optimize import nnls

    lengths = np.linalg.norm(matrix, axis=0)
    lengths[lengths == 0] = 1.0
    found: Array = np.asarray(nnls(matrix / lengths, right)[0], dtype=np.float64) / lengths
    return found


def determined(matrix: Array, right: Array, found: Array) -> Determined:
    """Return how well a solution is determined: standard errors from what is left over.

    σ² (AᵀA)⁻¹ with σ² = |A·x - b|² / (n - p), of the columns whose unknowns are above 0.

    >>> matrix = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [3.0, 3.0, 0.0]])
    >>> determined(matrix, matrix @ [1.0, 1.0, 1.0], np.ones(3))[1:]
    ((2,), ((0, 1),))
    """
    lengths = np.linalg.norm(matrix, axis=0)
    shown = lengths * found
    unseen = tuple(
        place
        for place in range(len(found))
        if shown[place] <= _NOTHING and (found[place] > 0 or lengths[place] == 0)
    )
    seen = [place for place in range(len(found)) if lengths[place] > 0]
    scaled = matrix[:, seen] / lengths[seen]
    alike = tuple(tuple(seen[place] for place in group) for group in _alike(scaled))
    errors: list[float | None] = [None] * len(found)
    together = {place for group in alike for place in group}
    used = [place for place in seen if found[place] > 0 and place not in {*together, *unseen}]
    spare = len(right) - len(used) - sum(len(group) - 1 for group in alike)
    if used and spare > 0:
        rest = matrix @ found - right
        variance = float(rest @ rest) / spare
        basis = _without(matrix, lengths, alike, used)
        spread = np.linalg.pinv(basis.T @ basis)
        for place, at in zip(used, range(len(used)), strict=True):
            errors[place] = float(np.sqrt(variance * spread[at, at])) / float(lengths[place])
    return Determined(tuple(errors), unseen, alike)


def _without(
    matrix: Array, lengths: Array, alike: tuple[tuple[int, ...], ...], used: list[int]
) -> Array:
    """Return scaled columns of what is determined, less what groups that are alike can explain."""
    columns = matrix[:, used] / lengths[used]
    others = [place for group in alike for place in group]
    if not others:
        return columns
    q, r = np.linalg.qr(matrix[:, others] / lengths[others])
    q = q[:, np.abs(np.diag(r)) > _SINGULAR]
    rest: Array = columns - q @ (q.T @ columns)
    return rest


def _alike(scaled: Array) -> list[list[int]]:
    """Return groups of columns that some combination makes nothing of."""
    if not scaled.size:
        return []
    high, wide = scaled.shape
    _, values, rows = np.linalg.svd(scaled, full_matrices=high < wide)  # all rows in either case
    rank = int(np.sum(values > _SINGULAR * values[0]))
    null = rows[rank:]
    shared = np.abs(null.T @ null)
    groups: list[set[int]] = []
    for place in range(scaled.shape[1]):
        if shared[place, place] <= _PART**2:
            continue
        joined = {int(other) for other in np.flatnonzero(shared[place] > _PART**2)} | {place}
        for group in [group for group in groups if group & joined]:
            joined |= group
            groups.remove(group)
        groups.append(joined)
    return sorted(sorted(group) for group in groups)
