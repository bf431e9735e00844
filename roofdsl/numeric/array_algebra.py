"""Arrays for the law of composition: a prediction at many points at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.array import Array
from roofdsl.numeric.decision import NEARLY

Table = dict[str, Array]


class Arrays:
    """Arrays that broadcast against one another.

    `values` are those of the formulas that a model states, by their ids. `close` is where a
    decision hung on what rounding may do, None where it never did.
    """

    zero: Array = np.zeros(())

    def __init__(self, values: Mapping[int, Array], rates: Mapping[str, float]) -> None:
        self.values = values
        self.rates = {name: np.asarray(rate) for name, rate in rates.items()}
        self.close: NDArray[np.bool_] | None = None

    def of(self, tree: Expression) -> Array:
        return self.values[id(tree)]

    def rate(self, symbol: Symbol) -> Array:
        return self.rates[symbol.name]

    def add(self, values: Sequence[Array]) -> Array:
        return reduce(np.add, values)

    def multiply(self, count: Array, value: Array) -> Array:
        return np.multiply(count, value)

    def divide(self, work: Array, rate: Array) -> Array:
        return np.divide(work, rate)

    def largest(self, values: Sequence[Array]) -> Array:
        return reduce(np.maximum, values)

    def choice(self, values: Sequence[Array], tables: Sequence[Table]) -> NDArray[np.int8]:
        """Return the place of the largest value at each point, the first of equals."""
        names = {tuple(table) for table in tables}
        # Tables of one name each that is the same say the same, whichever is chosen.
        alike = len(names) == 1 and len(next(iter(names))) < 2
        most, place, second = values[0], np.zeros((), np.int8), None
        for number, value in enumerate(values[1:], start=1):
            larger = value > most
            place = np.where(larger, np.int8(number), place)
            if not alike:
                less = np.minimum(most, value)
                second = less if second is None else np.maximum(second, less)
            most = np.maximum(most, value)
        if second is not None:
            near = (second >= most * (1 - NEARLY)) & (most > 0)
            if near.any():
                self.close = near if self.close is None else self.close | near
        return place

    def chosen(self, choice: NDArray[np.int8], tables: Sequence[Table]) -> Table:
        if len(tables) == 1:
            return tables[0]
        cases: Table = {}
        for number, table in enumerate(tables):
            here = choice == number
            for name, time in table.items():
                case = np.where(here, time, 0.0)
                cases[name] = case if name not in cases else cases[name] + case
        return cases

    def ties(self, _: Table) -> tuple[str, ...]:
        return ()
