"""The energy roofline: at which intensity two resources take as much energy.

With ε the energy of a unit of work, τ = 1 / rate and π the constant power, work of intensity I
takes for each flop the energy ε_flop + ε_byte/I + π max(τ_flop, τ_byte/I). Its inverse is an arch,
not a roof: energies add up, where times overlap.

The energy balance is ε_byte / ε_flop: bytes take as much energy there as flops. The effective one
counts constant power in: at that intensity a flop takes twice the least energy that it can, half
the flops per joule. Both, and the arch, are from Choi, Bedard, Fowler, Vuduc: A Roofline Model of
Energy, IPDPS 2013.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from roofdsl.analysis.intensity import INTENSITIES, intensities, quotient_of
from roofdsl.unchanging import Unchanging


@dataclass(frozen=True, slots=True)
class Balance(Unchanging):
    """Balance points in energy: OI and CAI [flop/B], MI [B/B]; None where one has no number.

    `own` are those of flops and a resource that a file declares, by its name.
    """

    _inside = ("of",)
    OI: float | None
    CAI: float | None
    MI: float | None
    own: Mapping[str, float] = field(default_factory=dict, repr=False, hash=False)

    def of(self, intensity: str) -> float | None:
        """Return the point of an intensity: `OI`, `flops/nvme`; None where there is none."""
        if intensity in INTENSITIES:
            return cast("float | None", getattr(self, intensity))
        return self.own.get(quotient_of(intensity)[1])

    @classmethod
    def between(cls, found: Mapping[str, float | None]) -> Balance:
        """Return balance points by the names of the intensities."""
        named = {name: found[name] for name in INTENSITIES}
        others = {name: value for name, value in found.items() if name not in INTENSITIES}
        own = {quotient_of(name)[1]: value for name, value in others.items() if value is not None}
        return cls(**named, own=own)


class EnergyRoof(NamedTuple):
    """What a machine takes for a flop and a byte: energies [J], times [s], and its power [W]."""

    of_flop: float
    of_byte: float
    flop: float
    byte: float
    power: float

    def at(self, intensity: float) -> tuple[float, float]:
        """Return the energy of the work and the time of one flop at an intensity [flop/B].

        >>> EnergyRoof(2.0, 3.0, 1.0, 2.0, 4.0).at(1.1)
        (4.727272727272727, 1.8181818181818181)
        """
        return self.of_flop + self.of_byte / intensity, max(self.flop, self.byte / intensity)


def energy_balance(energies: Mapping[str, float | None]) -> Balance:
    """Return where two resources take as much energy: that of one unit over that of the other.

    >>> energy_balance({"flops": 2e-9, "memory": 3e-9, "network": None}).OI
    1.5
    """
    found: dict[str, float | None] = {}
    for name in intensities(energies):
        one, other = (energies[resource] for resource in quotient_of(name))
        found[name] = other / one if one and other is not None else None
    return Balance.between(found)


def effective_balance(
    energies: Mapping[str, float | None], rates: Mapping[str, float | None], power: float | None
) -> Balance:
    """Return at which intensity the work above takes twice the least energy that it can.

    Where a rate is None it takes no time. `power` is what one process draws whatever it does.

    >>> energies, rates = {"flops": 2.0, "memory": 3.0}, {"flops": 1.0, "memory": 0.5}
    >>> point = effective_balance({**energies, "network": None}, {**rates, "network": 1.0}, 4.0).OI
    >>> point, 2 + 3 / point + 4 * max(1, 2 / point) == 2 * (2 + 4)
    (1.1, True)
    """
    found: dict[str, float | None] = {}
    for name in intensities(energies):
        above, below = quotient_of(name)
        one, other = energies[above], energies[below]
        found[name] = None
        if one is None or other is None or power is None:
            continue
        fast, slow = (
            0.0 if rate is None else power / rate for rate in (rates[above], rates[below])
        )
        least = one + fast
        if not least:
            continue
        bound_above = other / least
        # Where the work below takes longer, it is that which draws the power.
        both = (other + slow) / (one + 2 * fast)
        found[name] = bound_above if bound_above * fast >= slow else both
    return Balance.between(found)
