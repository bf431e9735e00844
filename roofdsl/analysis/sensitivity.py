"""What a small change of a parameter or rate does to the time.

The elasticity is the total one: what follows by default from a changed value changes with it.
Where the time has a kink, or two resources tie, it is one towards larger values and another towards
smaller ones; where the time moves in steps, as with `ceil`, it says nothing. So each name also has
two finite changes, which are predictions of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, inf, isclose, isfinite
from typing import Literal, TypeAlias

from roofdsl.allowance import counting, question
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.domain import LARGEST, domain_of
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.quantities import metric_formula
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.unknown import unknown_named
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean, raise_if_any
from roofdsl.expression.construct import divide, multiply
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.numeric.beside import Beside, Direction, beside
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sums import added_up

Reason: TypeAlias = Literal["in steps", "jumps", "no formula", "no time", "undefined"]
"""Why there is no elasticity: the time moves in steps, of which slopes tell nothing; it jumps at
the point; it is measured; it is 0; or it has no value beside the point, or too long a sum."""
_DIRECTIONS: tuple[Direction, Direction] = (-1, 1)
CHANGE = Fraction(1, 100)
"""How much larger or smaller a value becomes in a finite change."""
_NEAR = Fraction(1, 10**9)
"""So near to the point there has to be a measured time, or between measured ones."""
_SAME = 1e-12
"""Derivatives to both sides that are as near, relatively, are one: they differ by rounding."""


@dataclass(frozen=True, slots=True)
class FiniteChange:
    """The time [s] at another value of a name, and by what share of the time it differs.

    Of an energy, the power or the cost it is that, in place of the time.
    """

    value: float
    time: float
    share: float


@dataclass(frozen=True, slots=True)
class Elasticity:
    """d ln time / d ln name at a point, and what finite changes of the name do.

    `below` and `above` are those towards smaller and larger values, `value` is both where they are
    the same; None where there is none, for a `reason`. `smaller` and `larger` are changes by 1 %,
    of a whole number to the nearest that is allowed beyond; None where none was found. `rate`: the
    name is a machine's rate.
    """

    name: str
    rate: bool
    value: float | None
    below: float | None
    above: float | None
    reason: Reason | None
    smaller: FiniteChange | None
    larger: FiniteChange | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The elasticities of the time at a point, the largest first.

    `time` is that of the point, or the energy, power or cost that the elasticities are `of`.
    `followers` are parameters that take their values from others by default: they follow a change,
    unless `partial` holds them.
    """

    elasticities: tuple[Elasticity, ...]
    bound: str | None
    time: float
    followers: tuple[str, ...]
    partial: bool
    of: str = "time"


@question
def sensitivity(
    model: ModelDefinition,
    machine: MachineDefinition,
    arguments: Arguments,
    *,
    partial: bool = False,
    of: str = "time",
) -> Sensitivity:
    """Return how the time depends on every number among the parameters and on every rate.

    With `partial`, each parameter changes alone. It may be asked `of` an energy, power or cost in
    place of the time: then of what the machine states of these, too. Raises RoofError where the
    point has no time, or what is asked is not answered (R0610) or no such quantity (R0707).
    """
    prediction, problems = predict(model, machine, arguments)
    raise_if_any(problems)
    result = evaluated(prediction)
    following = tuple(_followers(model, arguments))
    if partial:
        trees_of = prediction.binding.trees
        arguments = {item.name: (trees_of[item.name], None) for item in model.parameters}
    asked = _AtPoint(prediction, _amount(result, of), arguments, of)
    found = sorted([*asked.of_parameters(), *asked.of_rates()], key=_rank, reverse=True)
    return Sensitivity(tuple(found), result.bound, asked.time, following, partial, of)


def _amount(result: Result, of: str) -> float:
    """Return what the elasticities are of: the time, or an energy, the power or the cost."""
    if of == "time":
        return result.time
    if of in result.unanswered:
        message = f"{of} of '{result.model}' is not answered: {result.unanswered[of]}"
        raise RoofError([Diagnostic("R0610", message)])
    metrics = {name: x for name, x in result.metrics.items() if not isinstance(x, bool)}
    if of in metrics:
        return metrics[of]
    if of not in result.spending:
        known = ["time", *result.spending, *metrics]
        hint = did_you_mean(of, known) or f"what has them: {', '.join(known)}"
        raise RoofError([Diagnostic("R0707", f"'{of}' has no elasticities", (), hint)])
    return result.spending[of]


def _formula(prediction: Prediction, of: str) -> Expression:
    if of == "time":
        return prediction.time()
    metrics = {metric.name: metric for metric in prediction.model.metrics}
    if of in metrics:
        return metric_formula(prediction, metrics[of])
    amounts = prediction.spending.amounts
    return divide(amounts["energy"], prediction.time()) if of == "power" else amounts[of]


def _followers(model: ModelDefinition, arguments: Arguments) -> Iterator[str]:
    """Yield the numbers among the parameters that others give, by default or as they are tied."""
    names = {parameter.name for parameter in model.parameters}
    for item in model.parameters:
        tree = arguments[item.name][0] if item.name in arguments else item.default
        used = free_symbols(tree) if tree is not None and item.is_number else ()
        if not names.isdisjoint(symbol.name for symbol in used):
            yield item.name


def _rank(item: Elasticity) -> float:
    slopes = [abs(each) for each in (item.below, item.above) if each is not None]
    changes = [abs(each.share / float(CHANGE)) for each in (item.smaller, item.larger) if each]
    return max(slopes or changes, default=0.0)


@dataclass(frozen=True, slots=True)
class _AtPoint:
    """A point as it was asked for, and its time [s]."""

    prediction: Prediction
    time: float
    arguments: Arguments
    of: str

    def of_parameters(self) -> Iterator[Elasticity]:
        for parameter in self.prediction.model.parameters:
            if parameter.is_number:
                with counting(afresh=True):  # each is a question of its own
                    found = self._of_parameter(parameter)
                if found is not None:
                    yield found

    def _of_parameter(self, parameter: Parameter) -> Elasticity | None:
        name = parameter.name
        given = {key: value for key, value in self.arguments.items() if key != name}
        opened, problems = self._predicted(given, frozenset([name]))
        time = None
        # A measured time that depends on it, or what needs a number, has no formula.
        if not problems and not opened.unmeasured:
            known = {**opened.rates, **opened.tariff.formulas}
            time = substitute(_formula(opened, self.of), known)
            depends = name in {symbol.name for symbol in free_symbols(time)}
            if not depends and not opened.is_tabled(name):
                return None
        here = self.prediction.binding.trees[name]
        sides = [_is_measured(opened, name, here, side) for side in _DIRECTIONS]
        if not any(sides):
            time = None
        changes = [self._changed(parameter, opened, side) for side in _DIRECTIONS]
        return self._elasticity(name, time, here, changes, rate=False, sides=sides)

    def _predicted(
        self, given: Arguments, free: frozenset[str] = frozenset()
    ) -> tuple[Prediction, tuple[Diagnostic, ...]]:
        """Predict with other arguments; metrics may be of the peak of memory, the time is not."""
        model, machine = self.prediction.model, self.prediction.machine
        return predict(model, machine, given, free, peaks=bool(model.metrics))

    def of_rates(self) -> Iterator[Elasticity]:
        rates = {**self.prediction.rates, **self.prediction.tariff.formulas}
        whole = _formula(self.prediction, self.of)
        for name in {symbol.name: None for symbol in free_symbols(whole)}:
            others = {key: tree for key, tree in rates.items() if key != name}
            time = substitute(whole, others)
            changes = [self._at_rate(name, side) for side in _DIRECTIONS]
            yield self._elasticity(name, time, rates[name], changes, rate=True)

    def _elasticity(
        self,
        name: str,
        time: Expression | None,
        here: Expression,
        changes: Sequence[FiniteChange | None],
        *,
        rate: bool,
        sides: Sequence[bool] = (True, True),
    ) -> Elasticity:
        below, above, reason = self._slopes(time, name, here, sides)
        value = None
        if below is not None and above is not None:
            value = above if isclose(below, above, rel_tol=_SAME, abs_tol=_SAME) else None
        return Elasticity(name, rate, value, below, above, reason, *changes)

    def _slopes(
        self, time: Expression | None, name: str, here: Expression, sides: Sequence[bool]
    ) -> tuple[float | None, float | None, Reason | None]:
        """Return the elasticities towards both sides, and why there is none where there is none."""
        if time is None or not self.time:
            return None, None, "no formula" if time is None else "no time"
        closed = added_up(time, name)
        found = [
            beside(closed, name, here, side) if known else None
            for side, known in zip(_DIRECTIONS, sides, strict=True)
        ]
        if any(each is not None and each.steps for each in found):
            return None, None, "in steps"
        below, above = (_elasticity(each, evaluate(here, {})) for each in found)
        if below is not None and above is not None:
            return below, above, None
        jumps = any(each is not None and each.jumps for each in found)
        return below, above, "jumps" if jumps else "undefined"

    def _changed(
        self, parameter: Parameter, opened: Prediction, side: Direction
    ) -> FiniteChange | None:
        """Return the change to a value that is 1 % away, or the next one that is allowed."""
        name = parameter.name
        here = self.prediction.binding.trees[name]
        value: Expression | None = multiply(Number(1 + side * CHANGE), here)
        if parameter.symbol.integer:
            whole = Fraction(round(self.prediction.binding.values[name]))
            wanted = ceil(whole * (1 + CHANGE)) if side > 0 else floor(whole * (1 - CHANGE))
            domain = domain_of(opened, unknown_named(name, opened.model, opened.machine))
            found = domain.first(wanted, LARGEST) if side > 0 else domain.last(1, wanted)
            value = None if found.value is None else Number(Fraction(found.value))
        if value is None:
            return None
        given = {**self.arguments, name: (value, None)}
        with suppress(RoofError):  # it is not allowed there
            prediction, problems = self._predicted(given)
            raise_if_any(problems)
            return self._change(evaluate(value, {}), _amount(evaluated(prediction), self.of))
        return None

    def _at_rate(self, name: str, side: Direction) -> FiniteChange:
        stated, rates = self.prediction.tariff, self.prediction.rates
        factor = Number(1 + side * CHANGE)
        if name in rates:
            value = multiply(factor, rates[name])
            changed = replace(self.prediction, rates={**rates, name: value})
        else:
            value = multiply(factor, stated.formulas[name])
            prices = {**stated.values, name: stated.values[name]._replace(value=value)}
            changed = replace(self.prediction, tariff=stated._replace(values=prices))
        return self._change(evaluate(value, {}), _amount(evaluated(changed), self.of))

    def _change(self, value: float, time: float) -> FiniteChange:
        here = self.time
        return FiniteChange(value, time, (time - here) / here if here else inf if time else 0.0)


def _is_measured(opened: Prediction, name: str, here: Expression, side: Direction) -> bool:
    """Whether tables have values a little below or above a value of a parameter."""
    near = {name: multiply(Number(1 + side * _NEAR), here)}
    return all(evaluate(substitute(each, near), {}) for each in opened.tabled)


def _elasticity(found: Beside | None, value: float) -> float | None:
    """Return x f′ / f towards a side; None where f has no value there, or jumps."""
    if found is None or found.jumps:
        return None
    slope = value * found.slope / found.at
    return slope if isfinite(slope) else None
