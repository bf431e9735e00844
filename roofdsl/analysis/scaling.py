"""Scaling: speed-up and efficiency over counts of processes, and how many are worth it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod

from roofdsl.allowance import Budget, question
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.isoefficiency import Isoefficiency
from roofdsl.analysis.most_useful import MostUseful, most_useful
from roofdsl.analysis.most_useful_grid import most_useful_grid
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.process_grid import GridSearch, GridSides, grids_near_powers
from roofdsl.analysis.scaling_law import (
    FAR,
    NamedFormulas,
    ScalingLaw,
    ScalingPoint,
    equal,
    in_words,
    scaling_law,
)
from roofdsl.analysis.unknown import Unknown, unknown_named
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.construct import multiply, number
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.failure import EvaluationError

_MOST_SHOWN = 10**6
# Of the work for a question, for the counts to show; of what is left of that, for each of them.
_FOR_COUNTS, _EACH = 1 / 8, 1 / 4


@dataclass(frozen=True, slots=True)
class Scaling:
    """Scaling of a model: the law it is measured by, and points of it.

    `useful`, of strong scaling, is the fastest count; None where some time has no value. `sizes`
    are the least that keep an efficiency, None where they were not asked for.
    """

    unknown: Unknown
    law: ScalingLaw
    points: tuple[ScalingPoint, ...]
    useful: MostUseful | None
    sizes: Isoefficiency | None = None


def processes_of(model: ModelDefinition, name: str | None = None) -> str:
    """Return the first parameter that counts processes, or the one named; raise R0711 without."""
    counts = [parameter.name for parameter in model.parameters if parameter.kind == "processes"]
    if name in counts or (counts and name is None):
        return name or counts[0]
    if name is None:
        message = f"'{model.name}' has no parameter that counts processes"
    else:
        message = f"scaling is over a count of processes, which {name} is not"
    labels = [Label(item.span) for item in model.parameters if item.name == name]
    hint = f"ask for {' or '.join(counts)}" if counts else "declare it: `param P: processes`"
    raise RoofError([Diagnostic("R0711", message, tuple(labels), hint)])


def law_of(
    prediction: Prediction, unknown: Unknown, given: Collection[str] = (), *, strong: bool = False
) -> ScalingLaw:
    """Return the law of scaling over an unknown that counts processes.

    `given` are the parameters that were given a value. Raises RoofError where the time with one
    process is 0 or has no value (R0708), or the unknown does not count processes (R0711).
    """
    domain, budget = domain_of(prediction, unknown), Budget()
    return _law(prediction, domain, given, _counts(prediction, domain, budget), strong, budget)


def _law(
    prediction: Prediction,
    domain: Domain,
    given: Collection[str],
    counts: Sequence[int],
    strong: bool,
    budget: Budget,
) -> ScalingLaw:
    places = [{domain.unknown.name: count} for count in counts]
    share = budget.share(1 / 4)
    try:
        return scaling_law(prediction, places, given, strong=strong, domain=domain, budget=share)
    except EvaluationError as error:
        message = f"what {in_words(counts[0])} would do for the problem of others has no value"
        hint = f"{error.reason}; efficiency compares with the same problem there"
        raise RoofError([Diagnostic("R0708", message, (), hint)]) from None


@question
def scaling_of(
    prediction: Prediction,
    unknown: Unknown,
    given: Collection[str] = (),
    *,
    strong: bool = False,
) -> Scaling:
    """Return the scaling over counts that the model allows, near each power of two up to 10^6.

    `given` are the parameters that were given a value; `strong`: the problem is the same for all,
    whatever the work of a process. Raises RoofError as `law_of` does.
    """
    domain = domain_of(prediction, unknown)
    budget = Budget()
    counts = _counts(prediction, domain, budget)
    law = _law(prediction, domain, given, counts, strong, budget)
    useful = None
    if law.kind == "strong":
        # What has no value at some count is not compared.
        with suppress(EvaluationError):
            useful = most_useful(prediction, domain, FAR, counts, budget)
    if useful is not None and useful.complete and (useful.count or FAR) <= _MOST_SHOWN:
        counts = sorted({*counts, useful.count or 0})
    points = tuple(law.point({unknown.name: count}) for count in counts)
    return Scaling(unknown, law, points, useful)


@question
def grid_scaling(
    prediction: Prediction,
    sides: GridSides,
    given: Collection[str] = (),
    *,
    strong: bool = False,
) -> Scaling:
    """Return the scaling over grids of processes: for each count, of the fastest that is allowed.

    Raises RoofError where none is allowed, or the processes are not as many as the grids have
    places (R0711).
    """
    model = prediction.model
    unknown = unknown_named(sides.free[0], model, prediction.machine)
    search = GridSearch(prediction, sides, Budget())
    shown = grids_near_powers(search, _MOST_SHOWN)
    if not shown:
        raise _none_allowed(prediction, " × ".join(sides.names))
    symbols: NamedFormulas = {p.name: p.symbol for p in model.parameters if p.name in sides.names}
    counts = [sides.at(grid.sides) for grid in shown]
    law = scaling_law(prediction, counts, given, strong=strong, sides=symbols)
    fixed = law.base // prod(shown[0].sides)
    if not equal(law.processes, multiply(number(fixed), *symbols.values())) and not sides.total:
        message = f"the processes of '{model.name}' are not {' × '.join(sides.names)}"
        hint = f"leave one of {' and '.join(sides.names)} open, and say what the other is"
        raise RoofError([Diagnostic("R0711", message, (Label(model.span),), hint)])
    useful = most_useful_grid(search, shown, fixed) if law.kind == "strong" else None
    points = {point.processes: point for point in map(law.point, counts)}
    if useful is not None and useful.complete and (useful.count or FAR) <= _MOST_SHOWN * fixed:
        points[useful.count or 0] = law.point(sides.at(useful.grid))
    return Scaling(unknown, law, tuple(points[count] for count in sorted(points)), useful)


def _counts(prediction: Prediction, domain: Domain, budget: Budget) -> list[int]:
    """Return counts that are allowed, the nearest to each power of two; raise R0711 for none."""
    model, name = prediction.model, domain.unknown.name
    processes_of(model, name)
    share = budget.share(_FOR_COUNTS)
    found = [domain.first(1, FAR, share.share(_EACH)).value]
    for exponent in range(_MOST_SHOWN.bit_length()):
        power = 2**exponent
        above = domain.first(power, _MOST_SHOWN, share.share(_EACH)).value
        below = domain.last(1, power, share.share(_EACH)).value
        if above is None:
            found.append(below)
            break
        found.append(below if below is not None and power - below < above - power else above)
    counts = sorted({count for count in found if count is not None})
    if not counts:
        raise _none_allowed(prediction, name)
    return counts


def _none_allowed(prediction: Prediction, what: str) -> RoofError:
    message = f"no count of processes that '{prediction.model.name}' allows was found"
    hint = f"`require`, or a bound of {what}, keeps them out"
    return RoofError([Diagnostic("R0711", message, (Label(prediction.model.span),), hint)])
