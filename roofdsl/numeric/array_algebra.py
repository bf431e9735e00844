"""The law of composition as operations on arrays: recorded once, run at many points at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.array_program import Array, ArrayOperation, Program, Truths, defined, scaled
from roofdsl.numeric.decision import NEARLY

SlotSum: TypeAlias = dict[int, float]
"""A sum of slots, each times a number; what is added to them, times the slot of 1."""
SlotSums: TypeAlias = dict[str, SlotSum]
Places: TypeAlias = NDArray[np.int8]
NO_RATES: Mapping[str, int] = MappingProxyType({})
_LONGEST = 16
_MOST_SIGNS = 64
"""Of what hangs on more, the sign is looked at itself: each partial sum would repeat them all."""
_SIGN_KEPT = (np.add, np.multiply, np.divide, np.sqrt, np.maximum, np.minimum, np.power)
"""Of numbers that are not below 0 these make others."""


class Recording:
    """Arithmetic on sums of a program's slots, which are put together where they are asked for.

    `slots` are those of the formulas that a model states, by their ids; `opened` those of rates
    and prices that are no numbers. So the work of many steps
    is one short sum. Points where a decision hangs on what rounding may do are in doubt.
    """

    def __init__(
        self,
        program: Program,
        slots: Mapping[int, int],
        rates: Mapping[str, float],
        opened: Mapping[str, int] = NO_RATES,
    ) -> None:
        self.zero: SlotSum = {}
        self.program = program
        self.slots = slots
        self.rates = rates
        self.opened = opened
        self.one = program.constant(1.0)
        self._sums: dict[int, SlotSum] = {}
        self._put: dict[frozenset[tuple[int, float]], int] = {}
        self._signs: dict[int, frozenset[int]] = {}
        self._opposite: set[int] = set()
        for slot, value in program.constants.items():
            self._sums[slot] = {self.one: value}
            if value >= 0:
                self._signs[slot] = frozenset()
        for operation in program.operations:
            # The operands of a sum over an index are its bounds, not what is added.
            if operation.slot is not None and operation.loop is None:
                self._read(operation, operation.slot)

    def _read(self, operation: ArrayOperation, slot: int) -> None:
        """Note what a slot is the sum of, and what it is not below 0 without."""
        operands = [self._sum(each) for each in operation.operands]
        found: SlotSum | None = None
        if operation.compute is np.add:
            found = _added(operands)
        elif operation.compute in (np.multiply, np.divide):
            one, other = operands
            factor = self._number(other)
            if operation.compute is np.divide:
                found = _times(one, 1 / factor) if factor else None
            elif factor is not None:
                found = _times(one, factor)
            elif (factor := self._number(one)) is not None:
                found = _times(other, factor)
        if found is not None and len(found) <= _LONGEST:
            self._sums[slot] = found
            self._put.setdefault(frozenset(found.items()), slot)
        if operation.compute in _SIGN_KEPT:
            signs = [self._signs.get(each, {each}) for each in operation.operands]
            together = frozenset(each for some in signs for each in some)
            # Constants among them are below 0, and so is what one is a factor of, nearly anywhere.
            # That says nothing of a difference, which is looked at itself.
            if not together.isdisjoint(self.program.constants):
                self._opposite.add(slot)
            elif len(together) <= _MOST_SIGNS and self._opposite.isdisjoint(operation.operands):
                self._signs[slot] = together

    def _sum(self, slot: int) -> SlotSum:
        return self._sums.get(slot, {slot: 1.0})

    def _number(self, value: SlotSum) -> float | None:
        return value.get(self.one, 0.0) if value.keys() <= {self.one} else None

    def slot(self, value: SlotSum) -> int:
        """Return where a sum is put."""
        known = self._put.get(frozenset(value.items()))
        if known is not None:
            return known
        apply, number = partial(self.program.apply, settle=defined), self.program.constant
        parts = []
        for slot, factor in value.items():
            if slot == self.one or factor == 1:
                parts.append(number(factor) if slot == self.one else slot)
            else:
                parts.append(apply(np.multiply, slot, number(factor), settle=scaled))
        return reduce(partial(apply, np.add), parts) if parts else number(0.0)

    def of(self, tree: Expression) -> SlotSum:
        return self._sum(self.slots[id(tree)])

    def signs(self, tree: Expression) -> frozenset[int]:
        """Return slots one of which is below 0 wherever a formula is."""
        slot = self.slots[id(tree)]
        return self._signs.get(slot, frozenset([slot]))

    def rate(self, symbol: Symbol) -> SlotSum:
        slot = self.opened.get(symbol.name)
        return {self.one: self.rates[symbol.name]} if slot is None else self._sum(slot)

    def add(self, values: Sequence[SlotSum]) -> SlotSum:
        return _added([x if len(x) <= _LONGEST else {self.slot(x): 1.0} for x in values])

    def multiply(self, count: SlotSum, value: SlotSum) -> SlotSum:
        number = self._number(count)
        found = None if number is None else _times(value, number)
        if found is None:
            slots = self.slot(count), self.slot(value)
            found = {self.program.apply(np.multiply, *slots, settle=scaled): 1.0}
        return found

    def divide(self, work: SlotSum, rate: SlotSum) -> SlotSum:
        number = self._number(rate)
        if number is None:
            slots = self.slot(work), self.slot(rate)
            return {self.program.apply(np.divide, *slots, settle=scaled): 1.0}
        return self.multiply({self.one: 1 / number}, work)

    def largest(self, values: Sequence[SlotSum]) -> SlotSum:
        return {reduce(partial(self.program.apply, np.maximum), map(self.slot, values)): 1.0}

    def choice(self, values: Sequence[SlotSum], tables: Sequence[SlotSums]) -> int:
        """Return the place of the largest value at each point, the first of equals."""
        apply = self.program.apply
        names = {tuple(table) for table in tables}
        # Tables of one name each that is the same say the same, whichever is chosen.
        alike = len(names) == 1 and len(next(iter(names))) < 2
        slots = [self.slot(value) for value in values]
        most = reduce(partial(apply, np.maximum), slots)
        least = apply(np.multiply, most, self.program.constant(1 - NEARLY))
        near = [apply(np.greater_equal, slot, least) for slot in slots]
        if not alike:
            self.program.doubt(_several, most, *near)
        return apply(_first, *near)

    def chosen(self, choice: int, tables: Sequence[SlotSums]) -> SlotSums:
        if len(tables) == 1:
            return tables[0]
        apply, zero = self.program.apply, self.program.constant(0.0)
        cases: dict[str, list[SlotSum]] = {}
        for order, table in enumerate(tables):
            here = apply(np.equal, choice, self.program.constant(np.int8(order)))
            for name, time in table.items():
                case = apply(np.where, here, self.slot(time), zero)
                cases.setdefault(name, []).append({case: 1.0})
        return {name: self.add(each) for name, each in cases.items()}

    def ties(self, _: SlotSums) -> tuple[str, ...]:
        return ()

    def is_nothing(self, value: SlotSum) -> bool:
        number = self._number(value)
        if number is None:
            self.program.doubt(_nothing, self.slot(value))
        return number == 0


def _first(*near: Truths) -> Places:
    """Return the place of the first that holds."""
    place: Places = np.zeros((), np.int8)
    for each in near[-2::-1]:
        place = (place + np.int8(1)) * (~each).view(np.int8)
    return place


def _nothing(value: Array) -> Truths | None:
    """Find what is 0."""
    return None if value.all() else value == 0


def _several(most: Array, *near: Truths) -> Truths | None:
    """Find where several values are nearly the largest, which is above 0."""
    count = reduce(np.add, [each.view(np.int8) for each in near])
    several = np.greater(count, 1)
    return several & (most > 0) if several.any() else None


def _added(values: Iterable[SlotSum]) -> SlotSum:
    found: SlotSum = {}
    for value in values:
        for slot, factor in value.items():
            found[slot] = found.get(slot, 0.0) + factor
    return found


def _times(value: SlotSum, number: float) -> SlotSum | None:
    """Return a sum times a number, None where floats lose it for being too large or small."""
    found = {slot: factor * number for slot, factor in value.items()}
    zero = not number or not all(value.values())
    return found if zero or all(1e-290 < abs(each) < 1e290 for each in found.values()) else None
