"""What stands behind the dots of a prediction: its results, those of its steps, its own values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.intensity import (
    INTENSITIES,
    INTENSITY_UNITS,
    OF_WORK,
    QUANTITIES,
    intensity_of,
)
from roofdsl.analysis.of_jobs import OF_JOBS
from roofdsl.analysis.result import Result
from roofdsl.analysis.ridge import Ridge
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Number
from roofdsl.model.precision import code
from roofdsl.model.results import OF_STEPS, RESULTS
from roofdsl.model.types import Formula
from roofdsl.units.dimension import DIMENSIONLESS, FLOP, JOULE, SECOND, Dimension

LIMITS = ("infinite", "undefined")
BALANCES = ("energy", "effective")


class Unanswered(NamedTuple):
    """Why a prediction does not answer what it is asked for."""

    reason: str


UNSTATED = Unanswered("the machine does not state what it takes")
Valued: TypeAlias = tuple[float, Dimension]
Member: TypeAlias = "Formula | Unanswered | str"
"""What is asked for; one of `LIMITS` where it is no number that can be computed with."""


def step_asked(holder: Result, names: Sequence[str]) -> tuple[Result, str]:
    """Return the step that dotted names go down to, and what is asked of it.

    Before a dot a name is the step. Its `count` and `share` are those in its parent.
    """
    first, *rest = names
    while rest and first in (steps := holder.steps):
        if rest[0] in OF_STEPS and rest[0] not in steps[first].named:
            break
        holder, (first, *rest) = steps[first], rest
    return holder, ".".join([first, *rest])


def member(holder: Result | Ridge, name: str) -> Member | None:
    """Return what stands behind the dots: `time` of a prediction, `OI` of ridge points.

    None where nothing of that name is there.
    """
    found = value_of(holder, name)
    if found is None or isinstance(found, Unanswered):
        return found
    value, dimension = found
    if isinstance(value, bool):
        return Formula(truth(value), DIMENSIONLESS, truth=True)
    if math.isfinite(value):
        return Formula(Number(Fraction(value)), dimension)
    return "undefined" if math.isnan(value) else "infinite"


def value_of(
    holder: Result | Ridge, name: str, *, own_first: bool = False
) -> Valued | Unanswered | None:
    """Return the number behind the dots, with its unit; truth values are `True` and `False`.

    `own_first`: where a model calls something of its own as a result is called, that is meant.
    """
    if isinstance(holder, Ridge):
        return _of_ridge(holder, name)
    own = _own(holder, name)
    if name in OF_JOBS and isinstance(own, Unanswered):
        return own
    if name in QUANTITIES and not (own_first and own):
        return getattr(holder, name), QUANTITIES[name]
    return own or _dotted(holder, name)


def _of_ridge(holder: Ridge, name: str) -> Valued | Unanswered | None:
    """Return a ridge point, `OI`, or a balance point in energy: `energy.OI`, `effective.OI`."""
    which, _, key = name.rpartition(".")
    own = key in holder.own or key in holder.units
    if not (key in INTENSITIES or own) or which not in ("", *BALANCES):
        return None
    points = getattr(holder, which) if which else holder
    value = None if points is None else points.of(intensity_of(key) if own else key)
    if value is not None:
        return value, holder.units[key] if own else INTENSITY_UNITS[key]
    return UNSTATED if which else None


def _own(holder: Result, name: str) -> Valued | Unanswered | None:
    """Return what the model itself calls so."""
    stands = holder.parameters.get(name)
    if isinstance(stands, str):
        return float(code(stands)), holder.dimensions[name]
    if name in holder.named:
        return holder.named[name], holder.dimensions.get(name, DIMENSIONLESS)
    reason = holder.unanswered.get(name)
    return None if reason is None else Unanswered(reason)


def _dotted(holder: Result, name: str) -> Valued | Unanswered | None:
    """Return the work on a level, an intensity, a busy time, a total, or how often a step runs."""
    first, _, rest = name.partition(".")
    if first == "ridge" and rest:
        corner = value_of(holder.ridge, rest)
        return corner or Unanswered(f"'{holder.machine}' has no ridge point {rest}")
    kinds = _inside(holder, name)
    if "." in name and kinds:  # a unit of flops: of all its precisions
        return math.fsum(holder.work[key] for key in kinds), _unit_of_work(holder, kinds[0])
    if name in holder.own:  # on devices alone, of which the work is named with each
        return holder.own_work[name], holder.own[name]
    if first == "intensity" and rest in OF_WORK:
        return getattr(holder, OF_WORK[rest]), INTENSITY_UNITS[OF_WORK[rest]]
    if first == "intensity" and rest in holder.own:
        return holder.intensity[rest], FLOP / holder.own[rest]
    if first == "time" and rest in holder.times:
        return holder.times[rest], SECOND
    # In outline any name with a resource in it is work.
    if name in holder.work and first != "total":
        return holder.work[name], _unit_of_work(holder, name)
    in_unit = [done for key, done in holder.work.items() if key.startswith(f"{name}.")]
    if first == "flops" and in_unit:  # of a unit: all its kinds
        return math.fsum(in_unit), QUANTITIES["flops"]
    if name in holder.spending:
        return holder.spending[name], _unit_of_spending(holder, name)
    if name in RESULTS or first == "energy":
        return Unanswered(holder.unanswered.get(name, f"there is no {name}"))
    if first == "total":
        if rest in holder.totals:
            return holder.totals[rest], _unit_of_work(holder, rest)
        if rest in QUANTITIES or rest in holder.work:
            return Unanswered(f"'{holder.model}' does not say what all its processes do")
    if first in (steps := holder.steps) and rest in OF_STEPS:
        return (steps.count(first) if rest == "count" else steps.share(first)), DIMENSIONLESS
    return None


def _inside(holder: Result, name: str) -> list[str]:
    return [key for key in holder.work if key.startswith(f"{name}.")]


def _unit_of_spending(holder: Result, name: str) -> Dimension:
    return holder.dimensions[name] if name in ("power", "cost") else JOULE


def _unit_of_work(holder: Result, name: str) -> Dimension:
    if name in QUANTITIES:
        return QUANTITIES[name]
    if holder.rivalry is None:  # in outline: its resources are known by name
        return next(holder.dimensions[key] for key in name.split(".") if key in holder.dimensions)
    loads = holder.rivalry.prediction.placed
    return next(
        load.resource.dimension for load in loads if name in (load.name, load.resource.name)
    )


def names_of(holder: Result | Ridge) -> list[str]:
    """Return the names that may stand behind a dot."""
    if isinstance(holder, Ridge):
        return [*INTENSITIES, *holder.own, *(f"{which}.OI" for which in BALANCES)]
    named = ["intensity", *holder.own] if holder.own else []
    own = {**holder.named, **holder.parameters, **dict.fromkeys(holder.steps)}
    return [*RESULTS, *named, "ridge", "bound", *own]
