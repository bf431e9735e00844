"""Ridge points: the intensities at which a machine's rates of two works balance."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from roofdsl.analysis.balance import Balance
from roofdsl.analysis.intensity import INTENSITIES, intensities, quotient_of
from roofdsl.expression.construct import divide
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.units.dimension import FLOP, Dimension


@dataclass(frozen=True, slots=True)
class Ridge(Balance):
    """The ridge points of a machine: OI and CAI [flop/B], MI [B/B]; None where it has none.

    `own` are those of flops and a resource that a file declares, by its name, in its `units`.
    `energy` and `effective` are balance points in energy, without and with constant power.
    """

    units: Mapping[str, Dimension] = field(default_factory=dict, repr=False, hash=False)
    energy: Balance | None = field(default=None, repr=False)
    effective: Balance | None = field(default=None, repr=False)


def ridge_formulas(
    rates: Mapping[str, Symbol | None], limited: Collection[str]
) -> dict[str, Expression]:
    """Return the ridge points in the rates by resource, those that there are.

    `limited` are the names of the rates that are not unlimited.
    """
    found: dict[str, Expression] = {}
    for name in intensities(rates):
        one, other = (rates[resource] for resource in quotient_of(name))
        if one and other and one.name in limited and other.name in limited:
            found[name] = divide(one, other)
    return found


@lru_cache(maxsize=64)
def ridge_of(
    roofs: tuple[tuple[str, float | None], ...], own_units: tuple[tuple[str, Dimension], ...]
) -> Ridge:
    """Return the ridge points of the rates by resource, those of the built-in ones among them."""
    rates, found = dict(roofs), dict[str, float | None]()
    for name in intensities(rates):
        above, below = (rates[resource] for resource in quotient_of(name))
        found[name] = above / below if above and below else None
    OI, CAI, MI = (found.pop(name) for name in INTENSITIES)
    own = {quotient_of(name)[1]: ridge for name, ridge in found.items() if ridge is not None}
    units = {name: FLOP / unit for name, unit in own_units}
    return Ridge(OI, CAI, MI, own, units)
