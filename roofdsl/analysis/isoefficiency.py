"""Isoefficiency: the least problem that keeps an efficiency, for each count of processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from roofdsl.analysis.domain import LARGEST, Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling_law import Counts, ScalingLaw
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import RoofError
from roofdsl.expression.construct import multiply
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.numeric.box import Place
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.sign_runs import SignRun, sign_runs

_MOST_ENUMERATED = 2_000


class LeastSize(NamedTuple):
    """The least size for a count of processes, None where there is none, or none is known.

    `last`: the sizes up to this one were asked for.
    """

    processes: int
    size: int | float | None
    proven: bool
    last: Place


@dataclass(frozen=True, slots=True)
class Isoefficiency:
    """The least size of `unknown` that keeps an efficiency, for each count of processes."""

    unknown: Unknown
    efficiency: Fraction
    sizes: tuple[LeastSize, ...]


def isoefficiency(
    on: Callable[[Counts], Prediction],
    size: Unknown,
    law: ScalingLaw,
    efficiency: Fraction,
    counts: Sequence[Counts],
    budget: Budget | None = None,
) -> Isoefficiency:
    """Return the least size with T(1) ≥ efficiency · P · T(P), for each P of `counts`.

    `on` gives the prediction on a count of processes, with the size open; a size is one that the
    model allows there and on the fewest. Where each process has a part of its own, as `law` says,
    it is the least with T(1) ≥ efficiency · T(P).
    """
    few = on(law.fewest)
    found = []
    for at, share in zip(counts, (budget or Budget()).shares(len(counts)), strict=True):
        many, count = on(at), law.count(at)
        times = 1 if law.parts else Fraction(count, law.base)
        wanted = multiply(Number(efficiency * times), _time(many))
        domain = domain_of(few, size).also(domain_of(many, size))
        found.append(_least(count, _time(few), wanted, domain, share))
    return Isoefficiency(size, efficiency, tuple(found))


def _time(prediction: Prediction) -> Expression:
    return substitute(prediction.time(), prediction.rates)


def _least(
    count: int, alone: Expression, wanted: Expression, domain: Domain, budget: Budget
) -> LeastSize:
    """Return the least size that is allowed with `alone` ≥ `wanted`."""
    size = domain.unknown
    try:
        low, high = domain.range()
    except RoofError:  # it allows none
        return LeastSize(count, None, True, LARGEST)
    found = sign_runs(alone, wanted, size.name, low, high, integer=size.integer, budget=budget)
    for run in found.runs:
        if run.state == "below":
            continue
        least, proven = _in_run(run, alone, wanted, domain, budget)
        if least is not None or not proven:
            return LeastSize(count, least, proven, high)
    return LeastSize(count, None, True, high)


def _in_run(
    run: SignRun, alone: Expression, wanted: Expression, domain: Domain, budget: Budget
) -> tuple[int | float | None, bool]:
    """Return the least size in a run, and whether it, or that there is none, is proven."""
    decided = run.state in ("above", "equal")
    if not domain.unknown.integer:
        first_is = decided and domain.allows(run.first)
        return (run.first, True) if first_is else (None, False)
    pair = Pair(alone, wanted, domain.unknown.name, integer=True)
    first = run.first
    for _ in range(_MOST_ENUMERATED):
        allowed = domain.first(first, run.last, budget)
        if allowed.value is None or decided:
            return allowed.value, allowed.proven
        order = pair.order_at(allowed.value, budget)
        if order is None or order >= 0:
            return (None, False) if order is None else (allowed.value, True)
        first = allowed.value + 1
    return None, False
