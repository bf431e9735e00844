"""A difference that grows with a `max` or `min` in it: the highest or the lowest of several.

max(a, b) - c is the larger of a - c and b - c. These have a jump or a choice less, and often one of
them is decided at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from roofdsl.expression.construct import add, multiply, subtract
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.product import Product, is_positive
from roofdsl.expression.tree import Expression, Function
from roofdsl.numeric.refinement import refined
from roofdsl.numeric.run import ORDERS, SignRun, append


class Operands(NamedTuple):
    """Differences, and whether the `highest` of them is the one looked for, or else the lowest."""

    differences: list[Expression]
    highest: bool

    def together(self, rows: Iterable[Sequence[SignRun]]) -> list[SignRun]:
        """Return the order of the one looked for to 0, from those of all over the same range."""
        found: list[SignRun] = []
        cut = refined([[(run.first, run.last, run) for run in row] for row in rows])
        for first, last, runs in cut:
            run = self._together(runs)
            whole = (run.first, run.last) == (first, last)
            append(found, SignRun(first, last, run.state, run.ends if whole else None))
        return found

    def _together(self, runs: Sequence[SignRun]) -> SignRun:
        # One that is above is enough for the highest to be; and one that is below does not count
        # beside another, whatever that is.
        orders = [ORDERS.get(run.state) for run in runs]
        wins, loses = (1, -1) if self.highest else (-1, 1)
        if wins in orders:
            return runs[orders.index(wins)]
        left = [run for run, order in zip(runs, orders, strict=True) if order != loses]
        if len(left) > 1 and any(run.state not in ORDERS for run in left):
            return runs[0]._replace(state="undecided", ends=None)
        return left[0] if left else runs[0]


def operands(left: Expression, right: Expression, name: str) -> Operands | None:
    """Return the difference of two formulas by the operands of a `max` or `min` in it.

    None where there is none with which it grows everywhere, or shrinks.

    >>> from roofdsl.expression.construct import maximum, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N")
    >>> operands(maximum(n, number(3)), number(2), "N").highest
    True
    """
    form = normal_form(subtract(left, right), name)
    products = [] if form is None else [*form.products()]
    atoms = {atom for _, powers in products for atom, _ in powers}
    for atom in sorted(atoms, key=repr):
        if not (isinstance(atom, Function) and atom.name in ("max", "min")):
            continue
        own = [each for each in products if any(atom == other for other, _ in each.powers)]
        rest = [each for each in products if each not in own]
        # The difference is factor · atom + the rest, which do not hold the atom; so where the
        # factor has one sign it has its extreme with the extreme of the operands.
        factors = [each.times(Product(1, frozenset({(atom, -1)}))) for each in own]
        signs = {each.coefficient > 0 for each in factors}
        around = {other for each in (*factors, *rest) for other, _ in each.powers}
        if len(signs) > 1 or any(atom in bottom_up(other) for other in around):
            continue
        if not all(is_positive(other) for each in factors for other, _ in each.powers):
            continue
        factor, others = (add(*(each.tree() for each in row)) for row in (factors, rest))
        found = [add(multiply(factor, each), others) for each in atom.arguments]
        return Operands(found, (atom.name == "max") == signs.pop())
    return None
