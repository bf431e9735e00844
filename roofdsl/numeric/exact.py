"""The exact rational value of an expression, where it has one that can be proven."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf
from typing import Protocol, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import is_condition, join, truth
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.rational import bits
from roofdsl.expression.schedule import Instruction, schedule
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import INFINITY, Expression, Number, Symbol
from roofdsl.numeric import real, surd
from roofdsl.numeric.failure import EvaluationError, explain, no_value
from roofdsl.numeric.real import UNKNOWN, Inexact, Real

MOST_EXACT_TERMS = 20_000
# In units of work: an operation, and each bit of a power, which what is made of it has as well.
_STEP, _BIT = 1 / 2, 1 / 500
# And what bounds take for each operation of irrational numbers.
_DECIDED = 2.0

_Outcome: TypeAlias = Real | bool


def exact(tree: Expression, values: Mapping[str, Fraction | bool]) -> Fraction | bool | None:
    """Return the value of `tree` as an exact rational or truth value.

    None where it is not one, where that cannot be proven, and where numbers longer than
    `surd.MOST_BITS` or sums of more than `MOST_EXACT_TERMS` terms would be needed. Roots and
    logarithms are known to be irrational unless they are rational: `is_integer(sqrt(120))` is
    False. Raises EvaluationError as `scalar.evaluate` does.

    >>> root = trees.Power(Symbol("P"), trees.HALF)
    >>> exact(root, {"P": Fraction(121)}), exact(root, {"P": Fraction(120)})
    (Fraction(11, 1), None)
    >>> exact(trees.Function("is_integer", (root,)), {"P": Fraction(120)})
    False
    """
    return exact_evaluator(tree)(values)


class ExactEvaluator(Protocol):
    """`exact` of one tree; where a budget is given, its sums take no more than is left of it."""

    def __call__(
        self, values: Mapping[str, Fraction | bool], budget: Budget | None = None, /
    ) -> Fraction | bool | None: ...


def exact_evaluator(tree: Expression) -> ExactEvaluator:
    """Return a function that gives `exact(tree, values)`: faster when called often.

    >>> double = exact_evaluator(trees.Multiply((Number(Fraction(2)), Symbol("N"))))
    >>> double({"N": Fraction(1, 3)})
    Fraction(2, 3)
    """
    plan = schedule(tree)

    def run(
        values: Mapping[str, Fraction | bool], budget: Budget | None = None, /
    ) -> Fraction | bool | None:
        evaluation = _ExactEvaluation(plan.slots, values, budget or Budget(inf))
        evaluation.budget.spend(len(plan.steps) * _STEP)
        evaluation.run(plan.steps)
        outcome = evaluation.known(plan.result)
        if outcome is UNKNOWN and not is_condition(tree):
            from roofdsl.expression.normalise import constant_value  # few trees need it

            return constant_value(evaluation.constant(tree))
        return outcome if isinstance(outcome, Fraction | bool) else None

    return run


class _ExactEvaluation:
    """One value for each slot, computed step by step; an error stands where there is none."""

    def __init__(self, slots: int, values: Mapping[str, Fraction | bool], budget: Budget) -> None:
        self.budget = budget
        self.registers: list[_Outcome | EvaluationError] = [UNKNOWN] * slots
        self.values = values
        self.names = dict(values)  # with the indices of the sums that are being added up
        self.terms_left = MOST_EXACT_TERMS

    def run(self, steps: tuple[Instruction, ...]) -> None:
        for step in steps:
            try:
                self.registers[step.slot] = self.value(step)
            except EvaluationError as error:
                self.registers[step.slot] = error.with_traceback(None)

    def known(self, slot: int) -> _Outcome:
        """Return what is in a slot; raise the error that stands there."""
        value = self.registers[slot]
        if isinstance(value, EvaluationError):
            raise value
        return value

    def number(self, slot: int) -> Real:
        value = self.known(slot)
        return Fraction(value) if isinstance(value, bool) else value

    def truth(self, slot: int) -> bool | None:
        value = self.known(slot)
        return None if isinstance(value, Inexact) else bool(value)

    def value(self, step: Instruction) -> _Outcome:
        node = step.node
        match node:
            case Number(value):
                return value
            case Symbol():
                return self.given(node)
            case trees.Conditional():
                chosen = self.truth(step.operands[0])
                if chosen is None:
                    return UNKNOWN
                return self.known(step.operands[1 if chosen else 2])
            case trees.Logic(operator, _):
                return _certain(join(operator, self.truths(operator, step.operands)))
            case trees.Sum():
                return self.sum(step)
        operands = [self.number(slot) for slot in step.operands]
        try:
            result = _operate(node, operands)
        except (ValueError, ZeroDivisionError) as problem:
            numbers = [real.approximate(operand) for operand in operands]
            raise explain(node, numbers, problem) from None
        if isinstance(node, trees.Power) and isinstance(result, Fraction):
            self.budget.spend(bits(result) * _BIT)
        return self.decide(node, operands) if result is UNKNOWN else result

    def decide(self, node: Expression, operands: list[Real]) -> _Outcome:
        """Decide a comparison, extreme or rounding of irrational numbers by bounds of them."""
        if not isinstance(node, trees.Comparison | trees.Function):
            return UNKNOWN
        from roofdsl.numeric import decision  # few numbers need it

        constants = [self.constant(part) for part in operands_of(node)]
        self.budget.spend(_DECIDED * sum(len(bottom_up(each)) for each in constants))
        match node:
            case trees.Comparison(relation, _, _):
                return _certain(decision.hold(relation, *constants))
            case trees.Function("min" | "max" as name, _):
                place = decision.extreme(name, constants)
                return UNKNOWN if place is None else operands[place]
            case trees.Function("ceil" | "floor" | "is_integer" as name, _):
                decided = decision.jump(name, constants[0])
                return UNKNOWN if decided is None else decided
        return UNKNOWN

    def constant(self, tree: Expression) -> Expression:
        """Return a tree with the values put in, those of the indices of sums too."""
        return substitute(
            tree,
            {
                name: truth(value) if isinstance(value, bool) else Number(Fraction(value))
                for name, value in self.names.items()
            },
        )

    def given(self, symbol: Symbol) -> _Outcome:
        value = self.values.get(symbol.name)
        if value is not None:
            return value if isinstance(value, bool) else Fraction(value)
        if symbol == INFINITY:
            return UNKNOWN
        raise no_value(symbol, symbol.name)

    def truths(self, operator: str, slots: tuple[int, ...]) -> list[bool | None]:
        """Return the truth values up to the first that settles the matter."""
        found: list[bool | None] = []
        for slot in slots:
            found.append(self.truth(slot))
            if found[-1] is None or found[-1] is (operator == "or"):
                break
        return found

    def sum(self, step: Instruction) -> _Outcome:
        low, high = (self.number(slot) for slot in step.operands)
        if step.loop is None or isinstance(low, Inexact) or isinstance(high, Inexact):
            return UNKNOWN
        first = surd.ceil(low)
        last = surd.floor(high)
        self.terms_left -= max(0, last - first + 1)
        work = _STEP * (1 + len(step.loop.steps))
        if self.terms_left < 0 or not self.budget.affords(work * (last - first)):
            return UNKNOWN
        self.budget.spend(work * max(0, last - first + 1))
        lengths = 0
        total: Real = Fraction(0)
        shadowed = self.names.get(step.loop.name)
        for index in range(first, last + 1):
            self.registers[step.loop.index_slot] = self.names[step.loop.name] = Fraction(index)
            self.run(step.loop.steps)
            total = real.add([total, self.number(step.loop.body)])
            lengths += bits(total) if isinstance(total, Fraction) else 0
        self.budget.spend(lengths * _BIT)
        if shadowed is not None:
            self.names[step.loop.name] = shadowed
        return total


def _operate(node: Expression, operands: list[Real]) -> _Outcome:
    match node:
        case trees.Add():
            return real.add(operands)
        case trees.Multiply():
            return real.multiply(operands)
        case trees.Divide():
            return real.divide(operands[0], operands[1])
        case trees.Power():
            return real.power(operands[0], operands[1])
        case trees.Comparison(relation, _, _):
            return _certain(real.compare(relation, operands[0], operands[1]))
        case trees.Function(name, _):
            return real.apply(name, operands)
    raise TypeError(node)


def _certain(truth: bool | None) -> bool | Inexact:
    return UNKNOWN if truth is None else truth
