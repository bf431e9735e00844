"""Isoefficiency: the least problem that keeps an efficiency, for each count of processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from roofdsl.allowance import Budget, question
from roofdsl.analysis.domain import LARGEST, Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling_law import Counts, ScalingLaw
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.construct import multiply
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Comparison, Expression, Number
from roofdsl.numeric.place import Place


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


def kept_efficiency(efficiency: object) -> Fraction:
    """Return an efficiency to keep: 0.8, `0.8` or `80%`; raise RoofError for what is none (R0716).

    >>> kept_efficiency("80 %"), kept_efficiency(0.8)
    (Fraction(4, 5), Fraction(4, 5))
    """
    written = str(efficiency).strip()
    kept = Fraction(0)
    with suppress(ValueError, ZeroDivisionError):
        kept = Fraction(written.removesuffix("%").rstrip()) / (100 if written.endswith("%") else 1)
    if not 0 < kept <= 1:
        message = f"an efficiency to keep is more than 0 and at most 1, not {written}"
        raise RoofError([Diagnostic("R0716", message, hint="80 % is 0.8, or 80%")])
    return kept


@question
def isoefficiency(
    on: Callable[[Counts], Prediction],
    size: Unknown,
    law: ScalingLaw,
    efficiency: Fraction,
    counts: Sequence[Counts],
) -> Isoefficiency:
    """Return the least size with T(1) ≥ efficiency · P · T(P), for each P of `counts`.

    `on` gives the prediction on a count of processes, with the size open; a size is one that the
    model allows there and on the fewest. Where each process has a part of its own, as `law` says,
    it is the least with T(1) ≥ efficiency · T(P).
    """
    few = on(law.fewest)
    found = []
    for at, share in zip(counts, Budget().shares(len(counts)), strict=True):
        many, count = on(at), law.count(at)
        times = 1 if law.parts else Fraction(count, law.base)
        wanted = multiply(Number(efficiency * times), _time(many))
        domain = domain_of(few, size).also(domain_of(many, size))
        found.append(_least(count, Comparison(">=", _time(few), wanted), domain, share))
    return Isoefficiency(size, efficiency, tuple(found))


def _time(prediction: Prediction) -> Expression:
    return substitute(prediction.time(), prediction.rates)


def _least(count: int, keeps: Expression, domain: Domain, budget: Budget) -> LeastSize:
    """Return the least size that is allowed and meets a condition."""
    try:
        low, high = domain.range()
    except RoofError:  # it allows none
        return LeastSize(count, None, True, LARGEST)
    found = domain.where(keeps, low, high).first_of(low, high, budget)
    return LeastSize(count, found.value if found.proven else None, found.proven, high)
