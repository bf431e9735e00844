"""The values of an expression over NumPy arrays, with broadcasting.

Where `scalar.evaluate` would raise, an array has NaN at that point, without a warning; the other
points are not touched. As there, `if`, `and` and `or` pass over what they do not look at. Jumps
(`ceil`, `floor`, `is integer`, comparisons) see a value within a few roundings of a jump as being
on it; `scalar` decides such points exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from types import EllipsisType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare, is_condition
from roofdsl.expression.schedule import Instruction, Schedule, schedule
from roofdsl.expression.tree import HALF, INFINITY, Expression, Number, Relation, Symbol
from roofdsl.numeric.failure import MOST_TERMS, EvaluationError, no_value
from roofdsl.numeric.jump import NEAR
from roofdsl.numeric.lambertw import lambertw

Array: TypeAlias = NDArray[np.float64]

# Intermediate results of this many points stay in a processor's cache.
BLOCK = 1 << 15
ROUNDING = 1e-15


def evaluate(tree: Expression, values: Mapping[str, ArrayLike]) -> Array | NDArray[np.bool_]:
    """Return the values of `tree`, of the shape that the shapes of all `values` broadcast to.

    A condition gives truth values; an undefined one is False. Raises EvaluationError for a name
    without a value, ValueError for shapes that do not go together.

    >>> n = Symbol("N")
    >>> evaluate(trees.Divide(Number(HALF.value), n), {"N": [1, 0, 2]})
    array([0.5 ,  nan, 0.25])
    """
    given = {name: np.asarray(value) for name, value in values.items()}
    shape = np.broadcast_shapes(*(value.shape for value in given.values()))
    result = np.empty(shape)
    for block in in_blocks((tree,), given, shape):
        result[block.place] = block.values[0]
    return result == 1 if is_condition(tree) else result


class Block(NamedTuple):
    """A part of arrays: its place, the values of each tree there, which broadcast to its shape.

    `near` is where a jump is so near that rounding may have decided it, None where it is nowhere.
    """

    place: slice | EllipsisType
    shape: tuple[int, ...]
    values: list[Array]
    near: NDArray[np.bool_] | None


def in_blocks(
    expressions: Sequence[Expression], values: Mapping[str, NDArray[Any]], shape: tuple[int, ...]
) -> Iterator[Block]:
    """Compute trees block after block of the first axis, so that large arrays pass the cache.

    What trees share is computed once; what does not change from block to block, before the first;
    what depends on one axis, along that axis alone.
    """
    plan = schedule(
        trees.Function("each", tuple(expressions))
    )  # last, with the trees as its operands
    steps, results = plan.steps[:-1], plan.steps[-1].operands
    size = int(np.prod(shape, dtype=np.int64))
    if size <= BLOCK or shape[0] == 1:
        found = _computed(plan, steps, values)
        yield Block(..., shape, [found.registers[slot] for slot in results], found.near)
        return
    along = {
        name for name, value in values.items() if value.ndim == len(shape) and value.shape[0] > 1
    }
    first, rest = _split(steps, along)
    known = _computed(plan, first, values)
    rows = max(8, BLOCK * shape[0] // size)
    for start in range(0, shape[0], rows):
        place = slice(start, min(start + rows, shape[0]))
        part = {name: value[place] if name in along else value for name, value in values.items()}
        found = _computed(plan, rest, part, known)
        block = (place.stop - start, *shape[1:])
        yield Block(place, block, [found.registers[slot] for slot in results], found.near)


def _split(
    steps: Sequence[Instruction], along: set[str]
) -> tuple[list[Instruction], list[Instruction]]:
    """Return the steps that need none of some names, and the others."""
    changing: set[int] = set()
    for step in steps:
        named = isinstance(step.node, Symbol) and step.node.name in along
        # A sum may use anything that was computed before it.
        inside = step.loop is not None and bool(changing)
        if named or inside or not changing.isdisjoint(step.operands):
            changing.add(step.slot)
    fixed = [step for step in steps if step.slot not in changing]
    return fixed, [step for step in steps if step.slot in changing]


def _computed(
    plan: Schedule,
    steps: Sequence[Instruction],
    values: Mapping[str, NDArray[Any]],
    known: _Evaluation | None = None,
) -> _Evaluation:
    """Run steps, fast where nothing overflows and nothing is undefined; else with care."""
    found = _Evaluation(plan, values, known)
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise", under="ignore"):
            found.run(steps)
    except FloatingPointError:
        found = _Evaluation(plan, values, known)
        found.careful = True
        with np.errstate(all="ignore"):
            found.run(steps)
    return found


class _Evaluation:
    """One array for each slot; truth values are 1, 0, or NaN where they are undefined."""

    def __init__(
        self, plan: Schedule, values: Mapping[str, NDArray[Any]], known: _Evaluation | None
    ) -> None:
        self.values = values
        self.careful: bool = known is not None and known.careful
        self.near: NDArray[np.bool_] | None = None if known is None else known.near
        nothing = [np.array(np.nan)] * plan.slots
        self.registers: list[Array] = nothing if known is None else known.registers.copy()
        self.terms_left = MOST_TERMS

    def run(self, steps: Sequence[Instruction]) -> None:
        for step in steps:
            self.registers[step.slot] = self.value(step)

    def value(self, step: Instruction) -> Array:
        operands = [self.registers[slot] for slot in step.operands]
        match step.node:
            case Number(value):
                try:
                    return np.array(float(value))
                except OverflowError:
                    return np.array(np.nan)
            case Symbol() as symbol:
                return self.given(symbol)
            case trees.Comparison() as comparison:
                if not _plain(comparison.left, comparison.right):
                    self.note(*operands)
                return _compare(comparison, *operands)
            case trees.Logic(operator, _):
                return _join(operator, operands)
            case trees.Conditional():
                condition, consequence, alternative = operands
                chosen = np.where(condition == 1, consequence, alternative)
                return np.where(np.isnan(condition), np.nan, chosen)
            case trees.Sum():
                return self.sum(step, *operands)
            case trees.Function("ceil" | "floor" | "is_integer" as name, (argument,)):
                (given,) = operands
                if not _plain(argument):
                    self.note(given, np.rint(given))
                    given = _snapped(given)
                return _JUMPS[name](given)
            case node:
                result = _operate(node, operands)
                return _defined(result, operands) if self.careful else result

    def note(self, value: Array, jump: Array) -> None:
        """Note where a value is not a jump's, but so near that rounding may have moved it."""
        gap = np.abs(value - jump)
        near = (gap <= NEAR * np.abs(value)) & (gap > 0)
        if near.any():
            self.near = near if self.near is None else self.near | near

    def given(self, symbol: Symbol) -> Array:
        if symbol.name in self.values:
            return np.asarray(self.values[symbol.name], dtype=np.float64)
        if symbol == INFINITY:
            return np.array(np.inf)
        raise no_value(symbol, symbol.name)

    def sum(self, step: Instruction, low: Array, high: Array) -> Array:
        """Add term after term at all points at once; points with fewer terms stop sooner."""
        if step.loop is None:
            raise EvaluationError("sums nested too deeply", step.node)
        low, high = np.ceil(_snapped(low)), np.floor(_snapped(high))
        count = np.maximum(high - low + 1, 0)
        count = np.where(count <= self.terms_left, count, np.nan)
        terms = 0 if np.isnan(count).all() else int(np.nanmax(count))
        self.terms_left -= terms
        total = np.zeros_like(count)
        rest = np.zeros_like(count)
        for index in range(terms):
            self.registers[step.loop.index_slot] = low + index
            self.run(step.loop.steps)
            term = np.where(index < count, self.registers[step.loop.body], 0.0)
            # Kahan's sum: what rounding drops from one addition goes into the next.
            term = term - rest
            larger = total + term
            rest = (larger - total) - term
            total = larger
        return np.where(np.isnan(count), np.nan, total)


def _defined(result: Array, operands: Sequence[Array]) -> Array:
    """Replace infinities that finite operands gave, by overflow or division by zero, with NaN."""
    if np.isfinite(result).all():
        return result
    finite = reduce(np.logical_and, [np.isfinite(operand) for operand in operands])
    return np.where(np.isinf(result) & finite, np.nan, result)


def _operate(node: Expression, operands: Sequence[Array]) -> Array:
    match node:
        case trees.Add():
            return reduce(np.add, operands)
        case trees.Multiply():
            return reduce(np.multiply, operands)
        case trees.Divide():
            return np.divide(*operands)
        case trees.Power(_, exponent):
            return _power(operands[0], exponent, operands[1])
        case trees.Function(name, _):
            return _FUNCTIONS[name](*operands)
    raise TypeError(node)


def _power(base: Array, exponent: Expression, exponents: Array) -> Array:
    if exponent == HALF:
        return np.sqrt(base)
    if isinstance(exponent, Number) and exponent.value in (2, 3, 4):  # ten times as fast
        square = base * base
        if exponent.value == 2:
            return square
        return square * base if exponent.value == 3 else square * square
    return np.power(base, exponents)


def _logarithm(value: Array, base: Array) -> Array:
    quotient = np.log(value) / np.log(np.where(base > 0, base, np.nan))
    whole = np.rint(quotient)
    exactly = (np.abs(quotient - whole) < 1e-12) & (np.power(base, whole) == value)
    return np.where(exactly, whole, quotient)  # so that log(125, 5) is 3


def _snapped(value: Array) -> Array:
    whole = np.rint(value)
    return np.where(np.abs(value - whole) <= ROUNDING * np.abs(value), whole, value)


def _is_integer(value: Array) -> Array:
    return _known(value == np.rint(value), np.isnan(value))


def _known(holds: NDArray[np.bool_], undefined: NDArray[np.bool_]) -> Array:
    return np.where(undefined, np.nan, holds) if undefined.any() else holds.astype(np.float64)


def _lambertw(value: Array, branch: Array) -> Array:
    def at(x: float, k: float) -> float:
        try:
            return lambertw(x, int(k))
        except (OverflowError, ValueError):
            return np.nan

    return np.asarray(np.frompyfunc(at, 2, 1)(value, branch), dtype=np.float64)


def _least(*operands: Array) -> Array:
    return reduce(np.minimum, operands)


def _greatest(*operands: Array) -> Array:
    return reduce(np.maximum, operands)


_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "log2": np.log2,
    "ln": np.log,
    "log10": np.log10,
    "log": _logarithm,
    "exp": np.exp,
    "abs": np.abs,
    "min": _least,
    "max": _greatest,
    "lambertw": _lambertw,
}


_JUMPS: dict[str, Callable[[Array], Array]] = {
    "ceil": np.ceil,
    "floor": np.floor,
    "is_integer": _is_integer,
}


def _plain(*nodes: Expression) -> bool:
    """Whether there is no rounding in any of the nodes."""
    return all(isinstance(node, Number | Symbol) for node in nodes)


def _compare(node: trees.Comparison, left: Array, right: Array) -> Array:
    holds = _OPERATORS[node.relation](left, right)
    if not _plain(node.left, node.right):
        close = np.isfinite(left) & (np.abs(left - right) <= ROUNDING * np.abs(left))
        holds = np.where(close, compare(node.relation, 0, 0), holds)
    return _known(holds, np.isnan(left) | np.isnan(right))


_OPERATORS: dict[Relation, Callable[[Array, Array], NDArray[np.bool_]]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def _join(operator: str, operands: Sequence[Array]) -> Array:
    """Join truth values from the left: an undefined one counts only if it is looked at."""
    if operator == "not":
        return 1 - operands[0]
    settling = float(operator == "or")
    result = np.array(1 - settling)
    for operand in reversed(operands):
        undecided = np.where(operand == settling, settling, result)
        result = np.where(np.isnan(operand), np.nan, undecided)
    return result
