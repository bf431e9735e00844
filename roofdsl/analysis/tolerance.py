"""How far all rates may be off before the bound of a composition turns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from roofdsl.allowance import Budget
from roofdsl.analysis.algebras import constant
from roofdsl.analysis.composition import composed
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.margin import NEVER, Rivalry, Turned, less_rounding
from roofdsl.analysis.node import Node, stated_in, walk
from roofdsl.analysis.rate_box import RateBox, RatesVerdict
from roofdsl.analysis.rate_sums import Amount, OverFactors, RateSum, difference
from roofdsl.analysis.turning import Corner, FactorBox, TurningSearch, factors_of
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.read_only import ReadOnly

_FASTEST = 1e15
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
    others = [value for name, value in charged.items() if name != rivalry.parts.bound]
    # Where no rate changes the others, only faster rates of the bound itself turn it, and a change
    # of 300 % is one to four times the rate.
    limit = NEVER if any(map(_varies, others)) else _FASTEST
    search = TurningSearch(gaps, Budget(WORK), limit)
    least = search.found()
    if search.turn is None:
        return (math.inf if least >= _FASTEST else less_rounding(least)), None
    turned = _seen(charged, search.turn, rivalry.prediction.root)
    return rivalry.rounded(least), turned if turned.change < NEVER else None


def over_rates(rivalry: Rivalry, box: RateBox) -> RatesVerdict:
    """Return what binds on all machines of a box, at the point of a result."""
    bound, root = rivalry.parts.bound, rivalry.prediction.root
    if bound is None or root.stated is not None:
        return RatesVerdict(box, "all", () if bound is None else (bound,))
    charged = _charged(rivalry, rivalry.amounts, rivalry.prediction.rate_values)
    ends = [box.factors.get(name, (1, 1)) for name in _rates(root)]
    # A factor of a time is the inverse of that of its rate; no rate changes the last.
    low = (*(float(1 / fast) for _, fast in ends), 1.0)
    high = (*(float(1 / slow) for slow, _ in ends), 1.0)
    search = TurningSearch(_gaps(rivalry, charged), Budget(WORK))
    holds = search.holds_in(FactorBox(low, high))
    if search.turn is not None:
        seen = _seen(charged, search.turn, root)
        return RatesVerdict(box, "depends", (bound, seen.bound), ({}, seen.rates))
    return RatesVerdict(box, "all" if holds else "undecided", (bound,))


def holds_within(rivalry: Rivalry, change: float) -> bool:
    """Whether exact numbers show that a bound holds for all changes less than a short number."""
    if change <= 0:
        return False
    root = rivalry.prediction.root
    amounts: dict[Expression, Amount] = {ONE: Fraction(1)}
    for item in stated_in(root):
        value = constant(substitute(item.amount, rivalry.known))
        if not isinstance(value, Number):
            return False
        amounts[item.amount] = value.value
    rates: dict[str, Amount] = {}
    for name in _rates(root):
        value = constant(rivalry.prediction.rates[name])
        if not isinstance(value, Number):
            return False
        rates[name] = value.value
    gaps = _gaps(rivalry, _charged(rivalry, amounts, rates))
    low, high = ((end,) * len(rates) for end in factors_of(Fraction(repr(change))))
    box = FactorBox((*low, 1), (*high, 1), exact=True)
    return all(map(box.is_ahead, gaps.values()))


def _seen(charged: Mapping[str, RateSum], turn: Corner, root: Node) -> Turned:
    """Return rates at which a bound was seen to turn, and what binds there."""
    at = FactorBox(turn, turn)
    times = {name: at.settled(value)[1] for name, value in charged.items()}
    names = [rate_key(name) for name in _rates(root)]
    # The last factor is of what no rate changes.
    rates = {name: float(1 / each) for name, each in zip(names, turn, strict=False)}
    change = max(abs(rate - 1) for rate in rates.values())
    return Turned(change, max(times, key=times.__getitem__), ReadOnly(rates))


def _rates(root: Node) -> list[str]:
    """Return the names of the rates that the steps ask for."""
    loads = [load for node in walk(root) for load in node.loads]
    symbols = [each for load in loads for each in (load.rate, load.roof) if each is not None]
    return [*dict.fromkeys(symbol.name for symbol in symbols)]


def _charged(
    rivalry: Rivalry, amounts: Mapping[Expression, Amount], rates: Mapping[str, Amount]
) -> dict[str, RateSum]:
    """Return what competes to bind, in factors of the rates."""
    root = rivalry.prediction.root
    scaling = OverFactors(amounts, {name: rates[name] for name in _rates(root)})
    return composed(root, scaling, rivalry.composing).rivals


def _gaps(rivalry: Rivalry, charged: Mapping[str, RateSum]) -> dict[str, RateSum]:
    """Return how much more is charged to the bound than to each other that may compete."""
    bound = rivalry.parts.bound or ""
    found = {
        name: difference(charged[bound], other)
        for name, other in charged.items()
        if name != bound and not other.is_zero
    }
    # Of two that are always equal the first declared is the bound.
    return {name: gap for name, gap in found.items() if not gap.is_zero}


def _varies(value: RateSum) -> bool:
    """Whether any rate changes what is charged."""
    options = (option for term in value.terms for option in term.options)
    return any(value.multiples[:-1]) or any(map(_varies, options))
