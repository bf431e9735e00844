"""Two formulas between which fractions lie, from above and from below, by formulas without jumps.

Where even the upper bound of a difference is below 0, the difference is, whatever the fractions
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.expression.construct import subtract
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.product import TooLong
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.numeric.fraction_bounds import FractionBounds
from roofdsl.numeric.pair import Pair, cleared_form, total_of
from roofdsl.numeric.place import Place
from roofdsl.numeric.rounding import Opened

# From where to where each fraction lies, both included, in its units.
FractionsBox: TypeAlias = Sequence[tuple[int, int]]


class Envelope(NamedTuple):
    """Pairs of formulas between which two formulas lie; one and the same where nothing is open.

    Where `most` is below, so are they; where `least` is above, so are they.
    """

    most: Pair
    least: Pair


class Envelopes:
    """The envelopes of two formulas, over x from `low` to `high`, for any box of fractions.

    `widest`: the one that holds whatever the fractions are; `units`: in how many parts of 1 each is
    counted; `cost`: what one takes beside its pairs, as trees have to be walked for it. Raises
    ValueError where it is not known how the formulas grow with the fractions.
    """

    def __init__(self, found: Opened, name: str, low: Place, high: Place, *, integer: bool) -> None:
        self._name = name
        self._integer = integer
        self._range = low, high
        self._fractions = [each.fraction.name for each in found.roundings]
        self.units = [each.units for each in found.roundings]
        self._sides = found.left, found.right
        form = normal_form(subtract(found.left, found.right), name)
        if form is not None:
            # What cancels in the difference cannot widen the envelope.
            with suppress(TooLong):
                form = cleared_form(form, name)
                self._sides = total_of(form.products(), 1), total_of(form.products(), -1)
        self.cost = 2.0 * sum(len(bottom_up(each)) for each in self._sides)
        self.widest = self._within([each.widest for each in found.roundings])

    def within(self, box: FractionsBox) -> Envelope:
        """Return the envelope where each fraction lies within its part of a box."""
        try:
            return self._within(box)
        except ValueError:  # what bounds the fractions anywhere does so in a box, too
            return self.widest

    def _within(self, box: FractionsBox) -> Envelope:
        ends = {
            name: (Fraction(low, unit), Fraction(high, unit))
            for name, unit, (low, high) in zip(self._fractions, self.units, box, strict=True)
        }
        if all(low == high for low, high in box):
            values = {name: Number(value) for name, (value, _) in ends.items()}
            pair = self._pair(*(substitute(side, values) for side in self._sides))
            return Envelope(pair, pair)
        bounds = FractionBounds(ends, self._name, *self._range)
        (low, high), (other_low, other_high) = map(bounds.of, self._sides)
        return Envelope(self._pair(high, other_low), self._pair(low, other_high))

    def _pair(self, left: Expression, right: Expression) -> Pair:
        return Pair(left, right, self._name, integer=self._integer)
