"""Which of two is faster: two models on one machine, or one model on two machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofdsl.analysis.crossover import Rivals, check_dependence, compare, root_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import negate
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.crossover import Crossing
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.search import Place


@dataclass(frozen=True, slots=True)
class Lead:
    """Values of the unknown over which one contender takes the least time; several when equal."""

    first: Place
    last: Place
    fastest: tuple[str, ...]
    proven: bool


@dataclass(frozen=True, slots=True)
class Faster:
    """Who is fastest over a range, proven, and the closed form of each change of the lead."""

    unknown: Unknown
    low: Place
    high: Place
    leads: tuple[Lead, ...]
    changes: tuple[tuple[Crossing, Expression | None, float | None], ...]
    complete: bool


def find_faster(
    contenders: Sequence[tuple[str, Prediction]], unknown: Unknown, low: Place, high: Place
) -> Faster:
    """Return from which value of the unknown on which contender is the fastest."""
    # The fastest has the largest of the negative times.
    negated = {
        name: negate(substitute(prediction.time(), unknown.known(prediction.rates)))
        for name, prediction in contenders
    }
    check_dependence(negated.values(), unknown, contenders[0][1])
    found = compare(Rivals(negated, {}, {}), unknown, low, high)
    leads = tuple(
        Lead(r.first, r.last, r.labels, r.kind in ("largest", "tie")) for r in found.regimes
    )
    changes = []
    for crossing in found.crossings:
        root, value = _closed(crossing, dict(contenders), unknown)
        changes.append((crossing, root, value))
    return Faster(unknown, low, high, leads, tuple(changes), found.complete)


def _closed(
    crossing: Crossing, contenders: dict[str, Prediction], unknown: Unknown
) -> tuple[Expression | None, float | None]:
    """Return the closed form of a change: where what binds the one equals what binds the other."""
    left = next((name for name in crossing.before if name not in crossing.after), None)
    right = next((name for name in crossing.after if name not in crossing.before), None)
    if left is None or right is None or crossing.kind not in ("switch", "tie"):
        return None, None
    at = sum(crossing.enclosure) / 2
    sides = [_binding(contenders[name], unknown, at) for name in (left, right)]
    if None in sides:
        return None, None
    (numbers_l, symbols_l), (numbers_r, symbols_r) = (side for side in sides if side)
    known: dict[str, Expression] = {}
    for name in (left, right):
        prediction = contenders[name]
        known.update(unknown.known(prediction.binding.trees))
        known.update(unknown.known(prediction.rates))
    rivals = Rivals({"l": numbers_l, "r": numbers_r}, {"l": symbols_l, "r": symbols_r}, known)
    return root_of("l", "r", rivals, crossing.enclosure, unknown)


def _binding(
    prediction: Prediction, unknown: Unknown, at: float
) -> tuple[Expression, Expression] | None:
    """Return the time of the resource that binds a kernel at a place, in numbers and in names."""
    if not prediction.is_kernel:
        return None
    rates = unknown.known(prediction.rates)
    numbers = {n: substitute(tree, rates) for n, tree in prediction.times().items()}
    try:
        values = {n: evaluate(tree, {unknown.name: at}) for n, tree in numbers.items()}
    except EvaluationError:
        return None
    name = max(values, key=lambda key: values[key])
    return numbers[name], prediction.opened().times()[name]
