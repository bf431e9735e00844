"""The values of expressions over NumPy arrays, with broadcasting.

Where `scalar.evaluate` would raise, an array has NaN at that point, without a warning; the other
points are not touched. As there, `if`, `and` and `or` pass over what they do not look at. Jumps
(`ceil`, `floor`, `is integer`, comparisons) see a value within a few roundings of a jump as being
on it; `scalar` decides such points exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofdsl.allowance import operations
from roofdsl.expression.condition import is_condition
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.array_program import NOTHING, Array, ArrayLoop, ArrayOperation, Program, Truths
from roofdsl.numeric.failure import no_value

# Intermediate results of this many points stay in a processor's cache.
BLOCK = 1 << 15
_LEAST_BLOCK, _MOST_NUMBERS = 64, 1 << 24
"""Of a long program the blocks are shorter: all slots together hold no more numbers than that."""
_CALL = 10
"""An operation on an array takes as long as so many on floats, and one more for so many points."""
_AT_ONCE = 100
_ADDING = 8
"""So many operations add a term to the sums of all points."""


def evaluate(tree: Expression, values: Mapping[str, ArrayLike]) -> Array | Truths:
    """Return the values of `tree`, of the shape that the shapes of all `values` broadcast to.

    A condition gives truth values; an undefined one is False. Raises EvaluationError for a name
    without a value, ValueError for shapes that do not go together.

    >>> from roofdsl.expression.tree import HALF, Divide
    >>> evaluate(Divide(HALF, Symbol("N")), {"N": [1, 0, 2]})
    array([0.5 ,  nan, 0.25])
    """
    given = {name: np.asarray(value) for name, value in values.items()}
    shape = np.broadcast_shapes(*(value.shape for value in given.values()))
    result = np.empty(shape)
    program = Program((tree,))
    for block in in_blocks(program, program.results, given, shape):
        result[block.place] = block.values[0]
    return result == 1 if is_condition(tree) else result


class ArrayBlock(NamedTuple):
    """A part of arrays: its place, the values of each result there, which broadcast to its shape.

    `doubt` is where a check found a point in doubt, or a result is undefined; None if nowhere.
    """

    place: slice | EllipsisType
    shape: tuple[int, ...]
    values: list[Array]
    doubt: Truths | None


def in_blocks(
    program: Program,
    results: Sequence[int],
    values: Mapping[str, NDArray[Any]],
    shape: tuple[int, ...],
) -> Iterator[ArrayBlock]:
    """Run a program block after block of the first axis, so that large arrays pass the cache.

    What does not change from block to block is computed before the first; what depends on one axis,
    along that axis alone. Raises EvaluationError for a name without a value.
    """
    recorded = program.needed(results)
    size = int(np.prod(shape, dtype=np.int64))
    operations().spend(len(recorded) * (_CALL + size / _AT_ONCE))
    block = min(BLOCK, max(_LEAST_BLOCK, _MOST_NUMBERS // len(program.registers)))
    if size <= block or shape[0] == 1:
        found = _run(program, values, recorded)
        yield found.block(..., shape, results)
        return
    along = {
        name for name, value in values.items() if value.ndim == len(shape) and value.shape[0] > 1
    }
    changing = {slot for name, slot in program.symbols.items() if name in along}
    first, rest = _split(recorded, changing)
    known = _run(program, values, first)
    rest = _releasing(rest, results)
    rows = max(8, block * shape[0] // size)
    for start in range(0, shape[0], rows):
        place = slice(start, min(start + rows, shape[0]))
        part = {name: value[place] if name in along else value for name, value in values.items()}
        found = _run(program, part, rest, known)
        yield found.block(place, (place.stop - start, *shape[1:]), results)


def _split(
    operations: Sequence[ArrayOperation], changing: set[int]
) -> tuple[list[ArrayOperation], list[ArrayOperation]]:
    """Return the operations that need none of the slots that change, and the others."""
    fixed: list[ArrayOperation] = []
    rest: list[ArrayOperation] = []
    for operation in operations:
        if changing.isdisjoint(operation.reads()):
            fixed.append(operation)
        else:
            rest.append(operation)
            if operation.slot is not None:
                changing.add(operation.slot)
    return fixed, rest


def _releasing(operations: Sequence[ArrayOperation], kept: Iterable[int]) -> list[ArrayOperation]:
    """Let each slot go once it was read for the last time.

    The next operations have its memory then, which is still in the cache.
    """
    read = set(kept)
    found: list[ArrayOperation] = []
    for operation in reversed(operations):
        last = operation.reads() - read
        found.append(operation._replace(released=tuple(last)))
        read |= last
    return found[::-1]


def _run(
    program: Program,
    values: Mapping[str, NDArray[Any]],
    operations: Sequence[ArrayOperation],
    known: _Evaluation | None = None,
) -> _Evaluation:
    """Run operations, fast where nothing overflows and nothing is undefined; else with care."""
    found = _Evaluation(program, values, known)
    try:
        with np.errstate(all="raise"):
            found.run(operations)
    except FloatingPointError:
        found = _Evaluation(program, values, known)
        found.careful = True
        with np.errstate(all="ignore"):
            found.run(operations)
    return found


class _Evaluation:
    """One array for each slot; truth values that may be undefined are 1, 0 or NaN."""

    def __init__(
        self, program: Program, values: Mapping[str, NDArray[Any]], known: _Evaluation | None
    ) -> None:
        self.registers: list[Array] = (known or program).registers.copy()
        self.doubt: Truths | None = known.doubt if known else None
        self.careful: bool = (known or program).careful
        self.allowed = operations()
        for name, slot in program.symbols.items():
            if name not in values:
                raise no_value(Symbol(name), name)
            array = self.registers[slot] = np.asarray(values[name], dtype=np.float64)
            least = np.minimum.reduce(array, axis=None, initial=np.inf)
            self.careful = self.careful or bool(np.isnan(least))

    def run(self, operations: Iterable[ArrayOperation]) -> None:
        registers, careful = self.registers, self.careful
        get = registers.__getitem__
        for compute, slot, operands, settle, quiet, loop, released in operations:
            given = map(get, operands)
            if slot is None:
                self.note(compute(*given))
            else:
                value = compute(*given) if loop is None else self.sum(loop, *given)
                if careful:
                    value = value if settle is None else settle(value, [*map(get, operands)])
                elif quiet and np.isnan(value).any():
                    raise FloatingPointError
                registers[slot] = value
            for done in released:
                registers[done] = NOTHING

    def block(
        self, place: slice | EllipsisType, shape: tuple[int, ...], results: Iterable[int]
    ) -> ArrayBlock:
        values = [self.registers[slot] for slot in results]
        if self.careful:
            for value in values:
                self.note(np.isnan(value))
        return ArrayBlock(place, shape, values, self.doubt)

    def note(self, doubt: Truths | None) -> None:
        if doubt is not None and doubt.any():
            self.doubt = doubt if self.doubt is None else self.doubt | doubt

    def sum(self, loop: ArrayLoop, low: Array, high: Array) -> Array:
        """Add term after term at all points at once; points with fewer terms stop sooner."""
        from roofdsl.numeric.sums import CLOSED_FROM, CLOSED_OPERATIONS

        count, allowed = np.maximum(high - low + 1, 0), self.allowed
        if loop.closed is not None and bool((count >= CLOSED_FROM).any()):
            leaves = [self.registers[slot] for slot in loop.leaves]
            allowed.spend(CLOSED_OPERATIONS * np.broadcast(low, high, *leaves).size)
            found = np.frompyfunc(loop.closed, 2 + len(leaves), 1)(low, high, *leaves)
            return np.asarray(found, dtype=np.float64)
        each = (len(loop.operations) + _ADDING) * (_CALL + count.size / _AT_ONCE)
        count = np.where(count * each <= allowed.limit, count, np.nan)
        terms = 0 if np.isnan(count).all() else int(np.nanmax(count))
        allowed.spend(terms * each)
        total = np.zeros_like(count)
        rest = np.zeros_like(count)
        for index in range(terms):
            self.registers[loop.place] = low + index
            self.run(loop.operations)
            term = np.where(index < count, self.registers[loop.term], 0.0)
            # Kahan's sum: what rounding drops from one addition goes into the next.
            term = term - rest
            larger = total + term
            rest = (larger - total) - term
            total = larger
        return np.where(np.isnan(count), np.nan, total)
