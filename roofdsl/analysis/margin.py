"""How firm a bound is: how far the next resource is, and how far all rates may be off.

The tolerance of a bound is the largest relative change, of all rates together, up and down, under
which it stays the bound whatever each of them does (Wendell 1985, "The tolerance approach to
sensitivity analysis in linear programming", Management Science 31, has it of linear programs).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from roofdsl.analysis.algebras import constant
from roofdsl.analysis.composition import Composed, Composing, composed
from roofdsl.analysis.node import stated_in, walk
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaled import Amount, Scaled, Scaling, difference
from roofdsl.analysis.turning import NEVER, Enclosed, Turn, factors_of
from roofdsl.analysis.turning_boxes import Search
from roofdsl.analysis.turning_sequences import Steps, faster_alone, steps_of, turned
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.numeric.budget import Budget

WORK = 10_000.0
"""What the search may use where steps overlap."""
_ROUNDING = 1e-12
_NONE = 1e-9
_BEYOND = 1e-9
_DIGITS = 3
"""A tolerance within rounding of a number of so many digits is compared with it exactly."""


@dataclass(frozen=True, slots=True)
class Turned:
    """Rates at which another is the bound: each the machine's, times its factor in `rates`.

    None of them is off by more than `change`, relatively.
    """

    change: float
    bound: str
    rates: dict[str, float]


@dataclass(frozen=True, slots=True)
class Margin:
    """How firm a bound is.

    The time charged to it is `ratio` times that charged to `next`; both are None where all time is
    charged to it. It is the bound for all rates that are off by less than `tolerance`, relatively,
    each up or down; 1 or more where it holds however slow they are. `turned` are rates near by at
    which it is not, None where no rates were found.
    """

    bound: str
    next: str | None
    ratio: float | None
    tolerance: float
    turned: Turned | None


class Rivalry:
    """What a margin follows from, which is worked out once it is asked for."""

    def __init__(
        self,
        prediction: Prediction,
        parts: Composed[float],
        amounts: Mapping[int, float],
        known: Mapping[str, Expression],
        composing: Composing,
    ) -> None:
        self.prediction = prediction
        self.parts = parts
        self.amounts = amounts
        self.known = known
        self.composing: Composing = composing

    @cached_property
    def margin(self) -> Margin | None:
        """How firm the bound is, None where nothing competes with it at any rates.

        A stated time is what it is, whatever the rates.
        """
        root, parts = self.prediction.root, self.parts
        if root.stated is not None or parts.bound is None:
            return None
        times = parts.rivals
        others = [name for name, time in times.items() if name != parts.bound and time > 0]
        following = max(others, key=times.__getitem__, default=None)
        ratio = None if following is None else times[parts.bound] / times[following]
        if parts.arrangement == "kernel" and all(load.spent is None for load in root.loads):
            if ratio is None or following is None:
                return None
            found = self._of_kernel(ratio, following)
        else:
            enclosed = self._of_composition()
            if enclosed is None:
                return None
            found = enclosed
        turn = found.turn
        rates = () if turn is None else zip(self._rates, turn.factors, strict=False)
        prefix = len(self.prediction.machine.name) + 1
        machine = {name[prefix:]: 1 / factor for name, factor in rates}
        seen = None if turn is None else Turned(turn.change, turn.bound, machine)
        return Margin(parts.bound, following, ratio, found.least, seen)

    def _of_kernel(self, ratio: float, following: str) -> Enclosed:
        # Each rate serves one of the times. With one as short, and the other as long, as a change
        # by ε makes them, they are equal where (1 + ε)/(1 - ε) is their ratio.
        change = (ratio - 1) / (ratio + 1)
        beyond = change * (1 + _BEYOND) + _BEYOND
        if beyond > NEVER:
            return Enclosed(NEVER, None)
        fast, slow = factors_of(beyond)
        groups = {x.rate.name: x.group for x in self.prediction.root.loads if x.rate is not None}
        factor = {self.parts.bound: float(fast), following: float(slow)}
        factors = tuple(factor.get(groups.get(name), 1.0) for name in self._rates)
        return self._rounded(change, Turn(beyond, factors, following))

    def _of_composition(self) -> Enclosed | None:
        """Return how far the bound holds, None where nothing can compete with it."""
        charged = self._charged(self.amounts, self.prediction.rate_values)
        gaps = self._gaps(charged)
        if not gaps:
            return None if len(charged) < 2 else Enclosed(math.inf, None)
        mine, used = charged[self.parts.bound or ""], _used([*charged.values()])
        sequences: list[Steps] = []
        overlapped: dict[str, Scaled] = {}
        least, turn = NEVER, None
        for name, gap in gaps.items():
            steps = steps_of(mine, gap, used)
            if steps is None:
                overlapped[name] = gap
                continue
            sequences.append(steps)
            least, nearer = turned(steps, name, least)
            turn = nearer or turn
        if overlapped:
            enclosed = Search(mine, overlapped, used, Budget(WORK), least).found()
            return Enclosed(_safe(enclosed.least), enclosed.turn or turn)
        if turn is None and not any(each.slowest or each.third is not None for each in sequences):
            return Enclosed(_safe(min(map(faster_alone, sequences))), None)
        return self._rounded(least, turn)

    def _gaps(self, charged: Mapping[str, Scaled]) -> dict[str, Scaled]:
        """Return how much more is charged to the bound than to each other that may compete."""
        mine = charged[self.parts.bound or ""]
        found = {
            name: difference(mine, other)
            for name, other in charged.items()
            if name != self.parts.bound and not other.is_zero
        }
        # Of two that are always equal the first declared is the bound.
        return {name: gap for name, gap in found.items() if not gap.is_zero}

    @cached_property
    def _rates(self) -> list[str]:
        """The names of the rates that the steps ask for."""
        loads = [load for node in walk(self.prediction.root) for load in node.loads]
        symbols = [each for load in loads for each in (load.rate, load.roof) if each is not None]
        return [*dict.fromkeys(symbol.name for symbol in symbols)]

    def _charged(
        self, amounts: Mapping[int, Amount], rates: Mapping[str, Amount]
    ) -> dict[str, Scaled]:
        """Return what competes to bind, in factors of the rates."""
        scaling = Scaling(amounts, {name: rates[name] for name in self._rates})
        return composed(self.prediction.root, scaling, self.composing).rivals

    def _rounded(self, change: float, turn: Turn | None) -> Enclosed:
        """Return a change less what rounding may have added.

        Where it is a short number but for rounding, exact numbers say whether that is right.
        """
        short = float(f"{change:.{_DIGITS}g}")
        if abs(change - short) <= 1e-9 * short and self._holds_within(Fraction(repr(short))):
            return Enclosed(short, turn)
        return Enclosed(_safe(change), turn)

    def _holds_within(self, change: Fraction) -> bool:
        """Whether exact numbers show that the bound holds for all smaller changes."""
        if not 0 < change < 1:
            return False
        amounts: dict[int, Amount] = {id(ONE): Fraction(1)}
        for item in stated_in(self.prediction.root):
            value = constant(substitute(item.amount, self.known))
            if not isinstance(value, Number):
                return False
            amounts[id(item.amount)] = value.value
        rates: dict[str, Amount] = {}
        for name in self._rates:
            value = constant(self.prediction.rates[name])
            if not isinstance(value, Number):
                return False
            rates[name] = value.value
        charged = self._charged(amounts, rates)
        mine, used = charged[self.parts.bound or ""], _used([*charged.values()])
        steps = [steps_of(mine, gap, used) for gap in self._gaps(charged).values()]
        ends = factors_of(change)
        return all(each is not None and each.least(*ends)[0] >= 0 for each in steps)


def _safe(change: float) -> float:
    """Return a change less what rounding may have added to it."""
    less = change * (1 - _ROUNDING) - _ROUNDING
    return less if less > _NONE else 0.0


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
