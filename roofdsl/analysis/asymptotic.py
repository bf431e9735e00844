"""What becomes of the bound as a parameter grows without end."""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.algebra.leading import leading
from roofdsl.analysis.formulas import eventual_bound
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.tree import Expression


@dataclass(frozen=True, slots=True)
class Asymptotics:
    """The leading term of each resource's time, and what binds in the end.

    `bound` is None where that depends on other parameters.
    """

    unknown: Unknown
    times: dict[str, Expression | None]
    time: Expression | None
    bound: str | None


def asymptotics(prediction: Prediction, unknown: Unknown) -> Asymptotics:
    """Return the leading terms of the times as the unknown grows, other parameters as bound.

    Tie a parameter to the unknown to grow along a path: P = N^2 for weak scaling, say.
    """
    times = {name: leading(tree, unknown.name) for name, tree in prediction.times().items()}
    whole = leading(prediction.time(), unknown.name) if len(times) > 1 else None
    return Asymptotics(unknown, times, whole, eventual_bound(prediction, unknown.name))
