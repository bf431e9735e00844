"""Formulas of two names over arrays of boxes of their plane, laid out once: values and slopes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from roofdsl.expression import tree as trees
from roofdsl.expression.schedule import Instruction, schedule
from roofdsl.expression.sign import known_bounds
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.numeric.array_bounds import Truth, compared, logic
from roofdsl.numeric.array_program import Array
from roofdsl.numeric.plane_bounds import (
    FLAT,
    UNKNOWN,
    PlaneBounds,
    absolute,
    add,
    constant,
    divide,
    exponential,
    hull,
    largest,
    logarithm,
    multiply,
    power,
    rounded,
    smallest,
)
from roofdsl.numeric.sums import added_up

Value: TypeAlias = PlaneBounds | Truth
_ALONG = np.ones(())


class Boxes(NamedTuple):
    """Boxes of a plane by the ends of their sides, and their middles, which lie inside."""

    x: tuple[Array, Array]
    y: tuple[Array, Array]
    middle: tuple[Array, Array]


class PlaneProgram:
    """Formulas of two names; `size` is how many operations they take.

    >>> x, y = Symbol("x"), Symbol("y")
    >>> program = PlaneProgram([trees.Multiply((x, y))], ("x", "y"))
    >>> one, two = np.ones(1), np.full(1, 2.0)
    >>> (found,) = program.over(Boxes((one, two), (one, two), (one, one)))
    >>> bool(found.over.low[0] <= 1), bool(found.over.high[0] >= 4)
    (True, True)
    >>> [float(slope) for slope in found.slopes]
    [1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, formulas: Iterable[Expression], names: tuple[str, str]) -> None:
        self._names = names
        opened = [added_up(added_up(tree, names[0]), names[1]) for tree in formulas]
        plan = schedule(trees.Function("each", tuple(opened)))  # last, with them as its operands
        *self._steps, last = plan.steps
        self._results = last.operands
        self._slots = plan.slots
        self.size = len(self._steps)

    def over(self, boxes: Boxes) -> list[Value]:
        """Return the values of all formulas over boxes."""
        along = (_ALONG, _ALONG)
        x, y = (
            PlaneBounds(np.stack([low, middle]), np.stack([high, middle]), FLAT)
            for (low, high), middle in zip(boxes[:2], boxes.middle, strict=True)
        )
        given = {
            self._names[0]: x._replace(slopes=(*along, *FLAT[:2])),
            self._names[1]: y._replace(slopes=(*FLAT[:2], *along)),
        }
        registers: list[Value] = [UNKNOWN] * self._slots
        for step in self._steps:
            registers[step.slot] = _value(step, registers, given)
        return [registers[slot] for slot in self._results]


def truth_of(value: Value) -> Truth:
    """Return a condition's truth; of what is none, nothing is known."""
    return value if isinstance(value, Truth) else Truth(np.asarray(False), np.asarray(True))


def _value(step: Instruction, registers: Sequence[Value], given: dict[str, PlaneBounds]) -> Value:
    node, found = step.node, [registers[slot] for slot in step.operands]
    numbers = [each if isinstance(each, PlaneBounds) else UNKNOWN for each in found]
    match node:
        case Number(value):
            return constant(value, value)
        case Symbol():
            return given.get(node.name, UNKNOWN)
        case trees.Add():
            return add(numbers)
        case trees.Multiply():
            first, *others = numbers
            for each in others:
                first = multiply(first, each)
            return first
        case trees.Divide():
            return divide(*numbers)
        case trees.Power(_, Number(exponent)):
            return power(numbers[0], exponent)
        case trees.Power():
            return exponential(numbers[1], numbers[0])
        case trees.Logic(operator, _):
            return logic(operator, [truth_of(each) for each in found])
        case trees.Comparison(relation, _, _):
            return compared(relation, numbers[0].over, numbers[1].over)
        case trees.Conditional():
            certain, possible = truth_of(found[0])
            return hull(numbers[1:], (possible, ~certain))
        case trees.Function(name, _):
            return _function(name, numbers)
    return _number(node)


def _function(name: str, operands: Sequence[PlaneBounds]) -> Value:
    first = operands[0]
    match name:
        case "min":
            return smallest(operands)
        case "max":
            return largest(operands)
        case "ceil" | "floor":
            return rounded(first, upwards=name == "ceil")
        case "abs":
            return absolute(first)
        case "log2" | "ln" | "log10":
            return logarithm(first, name)
        case "log":
            return divide(logarithm(first, "ln"), logarithm(operands[1], "ln"))
        case "exp":
            return exponential(first)
        case "is_integer":
            low, high = first.over
            return Truth(np.zeros_like(low, np.bool_), ~(np.ceil(low) > np.floor(high)))
    return UNKNOWN


def _number(node: Expression) -> PlaneBounds:
    """Return a sum of terms that are numbers; of others nothing is known."""
    known = None if free_symbols(node) else known_bounds(node)
    return UNKNOWN if known is None else constant(*known)
