"""How far all rates may be off before the bound of a composition turns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from roofdsl.analysis.algebras import constant
from roofdsl.analysis.composition import composed
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.margin import NEVER, Rivalry, Turned, less_rounding
from roofdsl.analysis.node import Node, stated_in, walk
from roofdsl.analysis.rate_box import RateBox, RatesVerdict
from roofdsl.analysis.scaled import Amount, OverFactors, Scaled, difference
from roofdsl.analysis.turning import Point, factors_of
from roofdsl.analysis.turning_boxes import TurningSearch
from roofdsl.analysis.turning_sequences import Steps, faster_alone, steps_of, turned
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, Number
from roofdsl.numeric.budget import Budget

WORK = 10_000.0
"""What the search may use where steps overlap."""


def tolerance(rivalry: Rivalry) -> tuple[float, Turned | None] | None:
    """Return up to which change of all rates a bound holds, and rates that turn it.

    It is exact for steps one after another where at most one rate is neither of the bound nor of
    what it is compared with, otherwise proven. None where nothing can compete with the bound.
    """
    charged = _charged(rivalry, rivalry.amounts, rivalry.prediction.rate_values)
    gaps = _gaps(rivalry, charged)
    if not gaps:
        return None if len(charged) < 2 else (math.inf, None)
    mine, used = charged[rivalry.parts.bound or ""], _used([*charged.values()])
    sequences: list[Steps] = []
    overlapped: dict[str, Scaled] = {}
    least, factors = NEVER, None
    for name, gap in gaps.items():
        steps = steps_of(mine, gap, used)
        if steps is None:
            overlapped[name] = gap
            continue
        sequences.append(steps)
        least, nearer = turned(steps, least)
        factors = factors if nearer is None else nearer.factors
    if overlapped:
        enclosed = TurningSearch(mine, overlapped, used, Budget(WORK), least).found()
        factors = factors if enclosed.turn is None else enclosed.turn.factors
        return less_rounding(enclosed.least), _seen(rivalry, charged, factors)
    if factors is None and not any(each.slowest or each.third is not None for each in sequences):
        return less_rounding(min(map(faster_alone, sequences))), None
    return rivalry.rounded(least), _seen(rivalry, charged, factors)


def over_rates(rivalry: Rivalry, box: RateBox) -> RatesVerdict:
    """Return what binds on all machines of a box, at the point of a result."""
    bound = rivalry.parts.bound
    if bound is None or rivalry.prediction.root.stated is not None:
        return RatesVerdict(box, "all", () if bound is None else (bound,))
    charged = _charged(rivalry, rivalry.amounts, rivalry.prediction.rate_values)
    ends = [box.factors.get(name, (1, 1)) for name in _rates(rivalry.prediction.root)]
    # A factor of a time is the inverse of that of its rate; no rate changes the last.
    low = (*(-math.log(fast) for _, fast in ends), 0.0)
    high = (*(-math.log(slow) for slow, _ in ends), 0.0)
    gaps = _gaps(rivalry, charged)
    search = TurningSearch(charged[bound], gaps, _used([*charged.values()]), Budget(WORK))
    proven = search.in_box(low, high)
    seen = None if search.turn is None else _seen(rivalry, charged, search.turn.factors)
    if seen is not None:
        return RatesVerdict(box, "depends", (bound, seen.bound), ({}, seen.rates))
    return RatesVerdict(box, "all" if proven else "undecided", (bound,))


def holds_within(rivalry: Rivalry, change: float) -> bool:
    """Whether exact numbers show that a bound holds for all changes less than a short number."""
    if not 0 < change < 1:
        return False
    root = rivalry.prediction.root
    amounts: dict[int, Amount] = {id(ONE): Fraction(1)}
    for item in stated_in(root):
        value = constant(substitute(item.amount, rivalry.known))
        if not isinstance(value, Number):
            return False
        amounts[id(item.amount)] = value.value
    rates: dict[str, Amount] = {}
    for name in _rates(root):
        value = constant(rivalry.prediction.rates[name])
        if not isinstance(value, Number):
            return False
        rates[name] = value.value
    charged = _charged(rivalry, amounts, rates)
    mine, used = charged[rivalry.parts.bound or ""], _used([*charged.values()])
    steps = [steps_of(mine, gap, used) for gap in _gaps(rivalry, charged).values()]
    ends = factors_of(Fraction(repr(change)))
    return all(each is not None and each.least(*ends)[0] >= 0 for each in steps)


def _seen(
    rivalry: Rivalry, charged: Mapping[str, Scaled], factors: Sequence[float] | None
) -> Turned | None:
    """Return rates at which a bound was seen to turn, and what binds there."""
    if factors is None:
        return None
    at = Point(factors)
    times = {name: at.value(value) for name, value in charged.items()}
    names = [rate_key(name) for name in _rates(rivalry.prediction.root)]
    # The last factor is of what no rate changes.
    rates = {name: 1 / factor for name, factor in zip(names, factors, strict=False)}
    change = max(abs(rate - 1) for rate in rates.values())
    return Turned(change, max(times, key=times.__getitem__), rates)


def _rates(root: Node) -> list[str]:
    """Return the names of the rates that the steps ask for."""
    loads = [load for node in walk(root) for load in node.loads]
    symbols = [each for load in loads for each in (load.rate, load.roof) if each is not None]
    return [*dict.fromkeys(symbol.name for symbol in symbols)]


def _charged(
    rivalry: Rivalry, amounts: Mapping[int, Amount], rates: Mapping[str, Amount]
) -> dict[str, Scaled]:
    """Return what competes to bind, in factors of the rates."""
    root = rivalry.prediction.root
    scaling = OverFactors(amounts, {name: rates[name] for name in _rates(root)})
    return composed(root, scaling, rivalry.composing).rivals


def _gaps(rivalry: Rivalry, charged: Mapping[str, Scaled]) -> dict[str, Scaled]:
    """Return how much more is charged to the bound than to each other that may compete."""
    bound = rivalry.parts.bound or ""
    found = {
        name: difference(charged[bound], other)
        for name, other in charged.items()
        if name != bound and not other.is_zero
    }
    # Of two that are always equal the first declared is the bound.
    return {name: gap for name, gap in found.items() if not gap.is_zero}


def _used(values: Sequence[Scaled]) -> tuple[int, ...]:
    """Return the places of the factors that decide anything."""
    found: set[int] = set()
    for value in _inside(values):
        found.update(place for place, each in enumerate(value.form[:-1]) if each)
    return tuple(sorted(found))


def _inside(values: Sequence[Scaled]) -> Iterator[Scaled]:
    """Yield some sums and all that their choices are made among, each once."""
    seen: set[int] = set()
    waiting = [*values]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        for term in value.terms:
            waiting += (*term.options, *term.choice.values)
