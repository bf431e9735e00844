"""Formulas as operations on arrays, recorded once and run for many blocks of points.

Every operation writes a place of its own, a slot; equal ones are recorded once, so that what two
formulas share is computed once, and so is what two steps of a model do alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import RELATIONS, compare
from roofdsl.expression.schedule import Instruction, schedule
from roofdsl.expression.tree import HALF, INFINITY, Expression, Number, Relation, Symbol
from roofdsl.numeric.failure import SMALLEST, EvaluationError, double
from roofdsl.numeric.jump import NEAR, plain
from roofdsl.numeric.lambertw import lambertw

if TYPE_CHECKING:
    from roofdsl.numeric.sums import ClosedSum

Array: TypeAlias = NDArray[np.float64]
Truths: TypeAlias = NDArray[np.bool_]
# Of numbers, truth values or places; None from a check that finds nothing.
OnArrays: TypeAlias = Callable[..., Any]
Settle: TypeAlias = Callable[[Array, Sequence[Array]], Array]
"""What an operation gives where something is undefined, from what it gave and its operands."""

ROUNDING = 1e-15
NOTHING = np.asarray(np.nan)


class ArrayLoop(NamedTuple):
    """The inside of a sum: where the index goes, what to do for each term, and the term.

    `closed` gives the sum of a point at once, from its ends and what is in the slots `leaves`.
    """

    place: int
    operations: tuple[ArrayOperation, ...]
    term: int
    closed: OnArrays | None
    leaves: tuple[int, ...]


class ArrayOperation(NamedTuple):
    """Compute a slot from others; without a slot, where a point is in doubt, if anywhere.

    `quiet` is what may be undefined without a floating-point error; `released` are the slots that
    nothing reads afterwards.
    """

    compute: OnArrays
    slot: int | None
    operands: tuple[int, ...]
    settle: Settle | None = None
    quiet: bool = False
    loop: ArrayLoop | None = None
    released: tuple[int, ...] = ()

    def reads(self) -> set[int]:
        """Return the slots that it reads, inside a sum as well."""
        read = set(self.operands)
        if self.loop is not None:
            read.add(self.loop.term)
            read.update(*(operation.reads() for operation in self.loop.operations))
        return read


class Program:
    """What to compute for some formulas, and where: `results` are their slots.

    `registers` has the constants in place, `careful` tells that one is undefined; `symbols` says
    where the values of names go.
    """

    def __init__(self, formulas: Iterable[Expression]) -> None:
        self.registers: list[Array] = []
        self.careful = False
        self.constants: dict[int, float] = {}
        self.symbols: dict[str, int] = {}
        self.operations: list[ArrayOperation] = []
        self._recorded: dict[object, int] = {}
        plan = schedule(trees.Function("each", tuple(formulas)))  # last, with them as its operands
        slots: dict[int, int] = {}
        self._record_all(plan.steps[:-1], slots)
        self.results = tuple(slots[slot] for slot in plan.steps[-1].operands)

    def constant(self, value: ArrayLike) -> int:
        array = np.asarray(value)
        self.careful = self.careful or bool(np.isnan(array))
        slot = self._once((array.dtype, array.tobytes()), array)
        self.constants[slot] = float(array)
        return slot

    def apply(
        self, compute: OnArrays, *operands: int, settle: Settle | None = None, quiet: bool = False
    ) -> int:
        """Record an operation; return the slot of its result."""
        before = len(self.registers)
        slot = self._once((compute, operands))
        if slot == before:
            self.operations.append(ArrayOperation(compute, slot, operands, settle, quiet))
        return slot

    def known(self, compute: OnArrays, *operands: int) -> int | None:
        """Return where the result of an operation is, None where it is not recorded."""
        return self._recorded.get((compute, operands))

    def doubt(self, find: OnArrays, *operands: int) -> None:
        """Record a check: points it finds are in doubt."""
        before = len(self.registers)
        if self._once((find, operands)) == before:
            self.operations.append(ArrayOperation(find, None, operands))

    def needed(self, results: Iterable[int]) -> list[ArrayOperation]:
        """Return the operations that results, or checks, depend on."""
        wanted = set(results)
        found = []
        for operation in reversed(self.operations):
            if operation.slot is None or operation.slot in wanted:
                wanted |= operation.reads()
                found.append(operation)
        return found[::-1]

    def _once(self, key: object, value: Array = NOTHING) -> int:
        slot = self._recorded.setdefault(key, len(self.registers))
        if slot == len(self.registers):
            self.registers.append(value)
        return slot

    def _record_all(self, steps: Iterable[Instruction], slots: dict[int, int]) -> None:
        for step in steps:
            slots[step.slot] = self._record(step, slots)

    def _record(self, step: Instruction, slots: dict[int, int]) -> int:
        node, operands = step.node, [slots[operand] for operand in step.operands]
        arithmetic = partial(self.apply, settle=scaled)
        match node:
            case Number():
                try:
                    return self.constant(double(node))
                except EvaluationError:
                    return self.constant(np.nan)
            case Symbol(name=name):
                if node == INFINITY:
                    return self.constant(np.inf)
                return self.symbols.setdefault(name, self._once(name))
            case trees.Add() | trees.Multiply() | trees.Function("min" | "max"):
                operation = _PAIRWISE[node.name if isinstance(node, trees.Function) else type(node)]
                settle: Settle = scaled if operation is np.multiply else defined
                return reduce(
                    lambda one, other: self.apply(operation, one, other, settle=settle), operands
                )
            case trees.Divide():
                return arithmetic(np.divide, *operands)
            case trees.Power(_, exponent):
                return self._power(exponent, *operands)
            case trees.Comparison(relation, left, right):
                if plain(left, right):
                    return self.apply(RELATIONS[relation], *operands, settle=_known)
                self.doubt(_near, *operands)
                return self.apply(_NEARLY[relation], *operands, settle=_known)
            case trees.Logic("not", _):
                return self.apply(_not, *operands, settle=_known)
            case trees.Logic(operator, _):
                join, settle = _JOINS[operator]
                return reduce(
                    lambda rest, one: self.apply(join, one, rest, settle=settle), operands[::-1]
                )
            case trees.Conditional():
                return self.apply(_choose, *operands, settle=_if_known)
            case trees.Sum():
                return self._sum(step, operands, slots)
            case trees.Function("ceil" | "floor" | "is_integer" as name, (argument,)):
                return self._jump(name, argument, *operands)
            case trees.Function("log" | "lambertw" as name, _):
                return self.apply(_QUIET[name], *operands, settle=defined, quiet=True)
            case trees.Function(name, _):
                settling = scaled if name == "exp" else defined
                return self.apply(_FUNCTIONS[name], *operands, settle=settling)
        raise TypeError(node)

    def _power(self, exponent: Expression, base: int, raised: int) -> int:
        arithmetic = partial(self.apply, settle=scaled)
        if exponent == HALF:
            return arithmetic(np.sqrt, base)
        if isinstance(exponent, Number) and exponent.value in (2, 3, 4):  # ten times as fast
            square = arithmetic(np.multiply, base, base)
            if exponent.value == 2:
                return square
            return arithmetic(np.multiply, square, base if exponent.value == 3 else square)
        return arithmetic(np.power, base, raised)

    def _jump(self, name: str, argument: Expression, given: int) -> int:
        whole = self.apply(np.rint, given)
        if not plain(argument):
            self.doubt(_near, given, whole)
        if name == "is_integer":
            equal = np.equal if plain(argument) else _NEARLY["=="]
            return self.apply(equal, given, whole, settle=_known)
        given = given if plain(argument) else self.apply(_snapped, given, whole)
        return self.apply(np.ceil if name == "ceil" else np.floor, given)

    def _sum(self, step: Instruction, bounds: Sequence[int], slots: dict[int, int]) -> int:
        """Record the inside of a sum by itself: what is computed there holds for one term."""
        if step.loop is None:
            return self.apply(partial(_refuse, step.node))
        low, high = (self.apply(_snapped, each, self.apply(np.rint, each)) for each in bounds)
        outside, known = self.operations, self._recorded
        self.operations, self._recorded = [], known.copy()
        index = slots[step.loop.index_slot] = self._once(object())
        self._record_all(step.loop.steps, slots)
        from roofdsl.numeric.sums import closed_sum  # few formulas have any

        closed = closed_sum(step.loop)
        loop = ArrayLoop(
            index,
            tuple(self.operations),
            slots[step.loop.body],
            None if closed is None else partial(_added_up, closed),
            () if closed is None else tuple(slots[slot] for slot in closed.leaves),
        )
        self.operations, self._recorded = outside, known
        slot = self._once(object())
        bounds = self.apply(np.ceil, low), self.apply(np.floor, high)
        self.operations.append(ArrayOperation(np.add, slot, bounds, quiet=True, loop=loop))
        return slot


def _added_up(closed: ClosedSum, low: float, high: float, *values: float) -> float:
    """Return a sum of a point, NaN where it has to be looked at alone."""
    if not math.isfinite(high - low):
        return math.nan
    try:
        found = closed(int(low), int(high), values) if low <= high else 0.0
    except OverflowError:
        return math.nan
    return math.nan if found is None else found


def _refuse(node: Expression) -> Array:
    raise EvaluationError("sums nested too deeply", node)


def defined(result: Array, operands: Sequence[Array]) -> Array:
    """Replace infinities that finite operands gave, by overflow or division by zero, with NaN."""
    if np.isfinite(result).all():
        return result
    finite = reduce(np.logical_and, [np.isfinite(operand) for operand in operands])
    return np.where(np.isinf(result) & finite, np.nan, result)


def scaled(result: Array, operands: Sequence[Array]) -> Array:
    """Replace also what is nearly 0, of operands that are finite and not 0, with NaN."""
    result = defined(result, operands)
    small = np.abs(result) < SMALLEST
    if not small.any():
        return result
    for operand in operands:
        small = small & np.isfinite(operand) & (operand != 0)
    return np.where(small, np.nan, result)


def _known(holds: Array, operands: Sequence[Array]) -> Array:
    return np.where(reduce(np.logical_or, map(np.isnan, operands)), np.nan, holds)


def _if_known(chosen: Array, operands: Sequence[Array]) -> Array:
    return np.where(np.isnan(operands[0]), np.nan, chosen)


def _in_turn(settling: float, _: Array, operands: Sequence[Array]) -> Array:
    """Join truth values from the left: an undefined one counts only if it is looked at."""
    one, rest = operands
    undecided = np.where(one == settling, settling, rest)
    return np.where(np.isnan(one), np.nan, undecided)


def _choose(condition: Array, consequence: Array, alternative: Array) -> Array:
    return np.where(np.equal(condition, True), consequence, alternative)


def _not(condition: Array) -> Truths:
    return np.not_equal(condition, True)


def _near(value: Array, jump: Array) -> Truths | None:
    """Find where a value is not a jump's, but so near that rounding may have moved it."""
    if np.all(value == jump):
        return None
    gap = np.abs(value - jump)
    return (gap <= NEAR * np.abs(value)) & (gap > 0)


def _snapped(value: Array, whole: Array) -> Array:
    if np.all(value == whole):
        return value
    return np.where(np.abs(value - whole) <= ROUNDING * np.abs(value), whole, value)


def _nearly(relation: Relation, left: Array, right: Array) -> Truths:
    """Compare; what is equal but for rounding is equal."""
    holding: OnArrays = RELATIONS[relation]
    holds: Truths = holding(left, right)
    if relation == "==" and holds.all():
        return holds
    close = np.isfinite(left) & (np.abs(left - right) <= ROUNDING * np.abs(left))
    return np.where(close, compare(relation, 0, 0), holds) if close.any() else holds


def _logarithm(value: Array, base: Array) -> Array:
    quotient = np.log(value) / np.log(np.where(base > 0, base, np.nan))
    whole = np.rint(quotient)
    exactly = (np.abs(quotient - whole) < 1e-12) & (np.power(base, whole) == value)
    return np.where(exactly, whole, quotient)  # so that log(125, 5) is 3


def _lambertw(value: Array, branch: Array) -> Array:
    def at(x: float, k: float) -> float:
        try:
            return lambertw(x, int(k))
        except (OverflowError, ValueError):
            return np.nan

    return np.asarray(np.frompyfunc(at, 2, 1)(value, branch), dtype=np.float64)


_PAIRWISE: dict[object, OnArrays] = {
    trees.Add: np.add,
    trees.Multiply: np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}
_QUIET: dict[str, OnArrays] = {"log": _logarithm, "lambertw": _lambertw}
_FUNCTIONS: dict[str, OnArrays] = {
    "log2": np.log2,
    "ln": np.log,
    "log10": np.log10,
    "exp": np.exp,
    "abs": np.abs,
}
_NEARLY: dict[Relation, OnArrays] = {each: partial(_nearly, each) for each in RELATIONS}
_JOINS: dict[str, tuple[OnArrays, Settle]] = {
    "and": (np.logical_and, partial(_in_turn, 0.0)),
    "or": (np.logical_or, partial(_in_turn, 1.0)),
}
