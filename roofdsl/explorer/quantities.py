"""How numbers of a dimension are shown, typed and slid."""

from __future__ import annotations

from roofdsl.explorer.data import Display, Units
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.quantity import prefixed_units
from roofdsl.units.unit import IEC_PREFIXES, UNITS, prefix_factor, prefixed

NARROW = 1000.0
"""A slider without bounds goes this far below and above where it starts."""
_MOST = 1e18


def units(dimension: Dimension) -> Units:
    """Return the units a number of a dimension is shown in.

    >>> from roofdsl.units.dimension import SECOND
    >>> units(SECOND)[:2], units(DIMENSIONLESS)
    (((-12, 'ps'), (-9, 'ns')), ())
    """
    return tuple(prefixed_units(dimension).items()) if dimension.powers else ()


def quantity(
    dimension: Dimension,
    slider: tuple[float, float, bool],
    *,
    inverse: bool = False,
) -> Display:
    """Return how to show, type and slide a number of a dimension, or its inverse."""
    shown = DIMENSIONLESS / dimension if inverse else dimension
    return Display(units(shown), _spellings(shown), inverse, slider)


def slider_range(
    value: float, low: float | None, high: float | None, *, integer: bool
) -> tuple[float, float, bool]:
    """Return a slider's ends about a value within bounds, and whether it is logarithmic.

    >>> slider_range(4096, 2, None, integer=True), slider_range(0.5, 0, 1, integer=False)
    ((4.0, 4096000.0, True), (0.0, 1.0, False))
    """
    if low is not None and high is not None:
        return float(low), float(high), low > 0 and high / low > NARROW
    if value <= 0:
        return (0.0 if low is None else low), max(1.0, 2 * value, low or 0.0), False
    bottom = value / NARROW if low is None or value / NARROW > low else low
    top = min(value * NARROW, _MOST) if high is None else high
    if integer:
        bottom, top = float(int(bottom)), float(int(top))
    if bottom <= 0:
        bottom = 1.0 if integer else value / NARROW
    return float(bottom), float(top), True


def _spellings(dimension: Dimension) -> tuple[tuple[str, float], ...]:
    found = {text: 10.0**exponent for exponent, text in units(dimension)}
    name, _, rest = str(dimension).partition("/")
    if name == "B" and dimension.powers:
        behind = f"/{rest}" if rest else ""
        found |= {
            prefixed(prefix, name) + behind: float(prefix_factor(prefix))
            for prefix in IEC_PREFIXES
            if prefix in UNITS[name][2]
        }
    return tuple(found.items())
