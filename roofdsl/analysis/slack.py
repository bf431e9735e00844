"""How firm a verdict is: how far the next resource is, and whether small errors could turn it."""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.analysis.breakdown import NEARLY
from roofdsl.analysis.result import Result

ERROR = 0.1
"""The relative error of every rate that a firm verdict survives."""


@dataclass(frozen=True, slots=True)
class Slack:
    """The bound takes `ratio` times as long as `next`; `firm` if ±10 % on every rate leaves it."""

    bound: str
    next: str
    ratio: float
    firm: bool


def slack(result: Result) -> Slack | None:
    """Return how firm the bound of a result is, None where nothing competes.

    Of a kernel, times are compared; of a composition, what the time is charged to. The verdict is
    firm if it holds with the bound's rate 10 % higher and every other 10 % lower.
    """
    times = result.times if result.breakdown.arrangement == "kernel" else result.breakdown.charged
    ranked = sorted(times.items(), key=lambda item: -item[1])
    if len(ranked) < 2 or not ranked[1][1] > 0:
        return None
    (bound, first), (following, second) = ranked[:2]
    ratio = first / second
    firm = ratio > (1 + ERROR) / (1 - ERROR) * (1 + NEARLY)
    return Slack(bound, following, ratio, firm)
