"""A map of what binds over two unknowns: regions, boundaries, and how much of it is proven."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofdsl.expression.tree import Expression
from roofdsl.numeric.plane_cells import Cells
from roofdsl.numeric.plane_pieces import enclose_boundaries
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

Array: TypeAlias = NDArray[np.float64]
UNDECIDED = "undecided"
NO_VALUE = "no value"
NOTHING = "nothing"
OUTSIDE = "not allowed"
"""What stands for a bound where the model allows no values."""


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Where one resource binds: between `low` and `high` over `x`.

    Without proof: `UNDECIDED`; where there is no bound: `OUTSIDE`, `NO_VALUE`, `NOTHING`.
    """

    bound: str
    x: Array
    low: Array
    high: Array

    @property
    def corners(self) -> Array:
        """Its outline as values (n × 2)."""
        ends = np.concatenate([self.low, self.high[::-1]])
        return np.stack([np.concatenate([self.x, self.x[::-1]]), ends], axis=1)


class Root(NamedTuple):
    """The closed form of a boundary: an equation, and that as a line of text."""

    equation: Expression
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Boundary:
    """Where the bound changes from one resource to another; `root` is its closed form."""

    below: str
    above: str
    x: Array
    y: Array
    root: Root | None = None

    @property
    def formula(self) -> str:
        """The closed form as a line of text, "" where there is none."""
        return "" if self.root is None else self.root.text


@dataclass(frozen=True, slots=True, eq=False)
class RegimeMap:
    """The regimes over a range of two unknowns.

    `cells` cut the plane, each decided as a whole, with `names` for their codes; `share` is how
    much of the plane is decided, measured in logarithms. There are none where no box could be
    enclosed, so that so many values of x were looked at alone, `sampled`. `whole` are the
    unknowns that take whole numbers only. `regions` and `boundaries` are drawn along columns at
    which the boundaries were enclosed to ten digits; where one ends is known to 3·10⁻⁸ of it,
    while there are no more than 60 such places. An upright one has its left and its right as
    `below` and `above`.
    """

    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    regions: tuple[Region, ...]
    boundaries: tuple[Boundary, ...] = ()
    names: tuple[str, ...] = ()
    cells: Cells | None = None
    sampled: int = 0
    whole: tuple[str, ...] = ()
    dimensions: tuple[Dimension, Dimension] = (DIMENSIONLESS, DIMENSIONLESS)
    """Those of x and y, whose numbers are in SI base units."""

    @property
    def share(self) -> float | None:
        """How much of the plane is decided, None where it was not enclosed."""
        return None if self.cells is None else self.cells.share

    @property
    def claim(self) -> str:
        """What is proven of the plane, in a sentence.

        >>> RegimeMap("P", "N", (1.0, 2.0), (1.0, 2.0), (), sampled=33).claim
        'sampled: proven at 33 places across, nothing between them is'
        """
        if self.sampled:
            return f"sampled: proven at {self.sampled} places across, nothing between them is"
        if self.share is None:
            return ""
        if self.share == 1:
            return "all of the plane is proven"
        return f"{percent(self.share)} of the plane is proven; the rest {self._rest}"

    @property
    def _rest(self) -> str:
        """What is said of the plane that is not decided."""
        if any(region.bound == UNDECIDED for region in self.regions):
            return "is not decided where it is hatched"
        enclosing = self.cells is not None and enclose_boundaries(self.cells)
        return "encloses the boundary" if enclosing else "is not decided"

    def plain(self) -> dict[str, object]:
        """Return the map as plain data, for JSON."""
        x, y = self.dimensions
        return {
            "x": {"label": self.x_label, "unit": str(x), "range": [*self.x_range]},
            "y": {"label": self.y_label, "unit": str(y), "range": [*self.y_range]},
            "share": self.share,
            "sampled": self.sampled,
            "claim": self.claim,
            "regions": [
                {
                    "bound": region.bound,
                    "x": region.x.tolist(),
                    "low": region.low.tolist(),
                    "high": region.high.tolist(),
                }
                for region in self.regions
                if region.bound != OUTSIDE
            ],
            "boundaries": [
                {
                    "below": line.below,
                    "above": line.above,
                    "x": line.x.tolist(),
                    "y": line.y.tolist(),
                    "formula": line.formula,
                }
                for line in self.boundaries
            ],
        }


def percent(share: float) -> str:
    """Return a share in percent, never more than it is.

    >>> percent(0.999969), percent(0.5)
    ('99.996 %', '50 %')
    """
    return f"{floor(share * 1e5) / 1e3:g} %"
