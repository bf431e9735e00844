"""What becomes of times and of the bound as a parameter grows without end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofdsl.algebra.leading import eventual_sign, leading
from roofdsl.allowance import question
from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import composed
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.condition import truth
from roofdsl.expression.construct import maximum, subtract
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol


@dataclass(frozen=True, slots=True)
class Asymptotics:
    """The leading term of each resource's time, and what binds in the end.

    `bound` is None where that depends on other parameters or is not known.
    """

    unknown: Unknown
    times: dict[str, Expression | None]
    time: Expression | None
    bound: str | None


@question
def asymptotics(prediction: Prediction, unknown: Unknown) -> Asymptotics:
    """Return the leading terms of the times as the unknown grows, other parameters as bound.

    Tie a parameter to the unknown to grow along a path: P = N^2 for weak scaling, say. Beyond the
    last measurement nothing is known.
    """
    if prediction.is_tabled(unknown.name):
        return Asymptotics(unknown, dict.fromkeys(prediction.times()), None, None)
    name = unknown.name
    following = {  # what the machine has may grow, and rates with it
        rate: tree
        for rate, tree in unknown.known(prediction.rates).items()
        if name in {symbol.name for symbol in free_symbols(tree)}
    }
    times = {
        key: leading(substitute(tree, following), name) for key, tree in prediction.times().items()
    }
    whole = leading(substitute(prediction.time(), following), name) if len(times) > 1 else None
    return Asymptotics(unknown, times, whole, eventual_bound(prediction, unknown.name))


def eventual_bound(prediction: Prediction, growing: str) -> str | None:
    """Return the bound for all large values of a parameter, None where that cannot be told.

    It cannot where a measurement depends on it.

    As for numbers, it is what the largest share of the time is charged to, not what is busy for
    the longest: work hidden behind a longer step is charged nothing.
    """
    if prediction.is_tabled(growing):
        return None
    algebra = _Eventual(prediction, growing)
    charged = composed(prediction.root, algebra).charged
    for name, tree in charged.items():
        if algebra.is_largest(tree, [*charged.values()]):
            return name if eventual_sign(tree, growing) == 1 else None
    return None


def bound_in_words(bound: str | None, prediction: Prediction, growing: str) -> str:
    """Return an `eventual_bound` as it is printed."""
    if bound is not None:
        return bound
    others = any(parameter.name != growing for parameter in prediction.free)
    return "depends on the other parameters, or is not known" if others else "not known"


class _Eventual(Formulas):
    """Formulas with the machine's rates put in, compared as they are for large values of a name.

    Where two cannot be compared, both cases are kept, as `Formulas` keeps all.
    """

    def __init__(self, prediction: Prediction, growing: str) -> None:
        self.rates = prediction.rates
        self.growing = growing
        self._signs: dict[tuple[Expression, Expression], int | None] = {}

    def rate(self, symbol: Symbol) -> Expression:
        return symbol if symbol.name == self.growing else self.rates[symbol.name]

    def largest(self, values: Sequence[Expression]) -> Expression:
        found = next((each for each in values if self.is_largest(each, values)), None)
        return maximum(*values) if found is None else found

    def choice(
        self, values: Sequence[Expression], tables: Sequence[ByName[Expression]]
    ) -> list[Expression | None]:
        for chosen, value in enumerate(values):
            if self.is_largest(value, values):
                return [None if place == chosen else truth(False) for place in range(len(values))]
        return super().choice(values, tables)

    def is_largest(self, value: Expression, values: Sequence[Expression]) -> bool:
        """Return whether a value is known to be as large as all others in the end."""
        others = [other for other in values if other is not value]
        return all(self._order(value, other) in (0, 1) for other in others)

    def _order(self, one: Expression, other: Expression) -> int | None:
        """Return the sign of a difference in the end; what is the largest is asked twice."""
        if (one, other) not in self._signs:
            self._signs[one, other] = eventual_sign(subtract(one, other), self.growing)
        return self._signs[one, other]
