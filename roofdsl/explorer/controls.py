"""Controls of an explorer: its parameters, and how their numbers are shown, typed and slid."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import TopologicalSorter
from types import MappingProxyType

from roofdsl.explorer.formulas import Functions
from roofdsl.expression.substitute import constant, free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model import types
from roofdsl.model.precision import PRECISIONS, code, size_symbol
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.quantity import prefixed_units
from roofdsl.units.unit import IEC_PREFIXES, UNITS, prefix_factor, prefixed

Ranges = Mapping[str, tuple[float, float]]
"""The ends of sliders that were asked for, by name."""
NO_RANGES: Ranges = MappingProxyType({})
Described = dict[str, object]
"""What the page knows of something, as JSON has it; formulas are places among its functions."""
Units = tuple[tuple[int, str], ...]
"""Exponents of ten with the unit that shows a number so large: (9, "GB/s")."""
NARROW = 1000.0
"""A slider without bounds goes this far below and above where it starts."""
MOST = 1e18
"""No slider without bounds goes beyond this."""


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
) -> Described:
    """Return how to show, type and slide a number of a dimension, or its inverse.

    `spellings` are units that can be typed, with their factors; `inverse` says that what people see
    is one over the number, as a latency is. `slider` is its least and largest value and whether it
    is logarithmic.
    """
    shown = DIMENSIONLESS / dimension if inverse else dimension
    return {
        "units": units(shown),
        "spellings": _spellings(shown),
        "inverse": inverse,
        "slider": slider,
    }


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
    top = min(value * NARROW, MOST) if high is None else high
    if integer:
        bottom, top = float(int(bottom)), float(int(top))
    if bottom <= 0:
        bottom = 1.0 if integer else value / NARROW
    return float(bottom), float(top), True


def asked_slider(low: float, high: float) -> tuple[float, float, bool]:
    """Return a slider between two ends, and whether it is logarithmic.

    >>> asked_slider(1, 8), asked_slider(0, 1)
    ((1, 8, True), (0, 1, False))
    """
    return low, high, low > 0 and high / low > 4


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


def parameter(
    declared: types.Parameter,
    functions: Functions,
    own: Mapping[str, Expression],
    *,
    value: float,
    start: float | bool | None,
    default: int | None,
    asked: tuple[float, float] | None = None,
) -> Described:
    """Return a parameter whose value is `value` at the start, and set to `start` unless it is None.

    `own` renames what its bounds may depend on; `asked` is the range of its slider. Its choices are
    the precisions there are to choose from: codes, names, bytes of an element.
    """
    slider = slider_of(declared, value, asked)
    precision = declared.kind == "precision"
    choices = [(float(code(name)), name, float(size)) for name, size in PRECISIONS.items()]
    bounds = {"low": declared.low, "high": declared.high}
    own_bounds = {name: tree and substitute(tree, own) for name, tree in bounds.items()}
    return {
        "name": declared.name,
        "kind": declared.kind,
        "integer": declared.symbol.integer,
        "doc": declared.doc,
        "written": " ".join(declared.written.split()),
        "quantity": quantity(DIMENSIONLESS if precision else declared.dimension, slider),
        **{name: functions.place_or_none(tree) for name, tree in own_bounds.items()},
        "low_open": declared.low_open,
        "default": default,
        "start": start,
        "choices": choices if precision else (),
    }


def slider_of(
    declared: types.Parameter, value: float, asked: tuple[float, float] | None = None
) -> tuple[float, float, bool]:
    """Return the ends of a parameter's slider, and whether it is logarithmic."""
    if asked is not None:
        return asked_slider(*asked)
    low, high = (_constant(bound) for bound in (declared.low, declared.high))
    return slider_range(value, low, high, integer=declared.symbol.integer)


def order_of(defaults: Mapping[str, Expression | None]) -> tuple[int, ...]:
    """Return the places of parameters in an order in which each follows from those before it."""
    places = {name: place for place, name in enumerate(defaults)}
    sizes = {size_symbol(name): name for name in defaults}
    needs: dict[str, list[str]] = {}
    for name, tree in defaults.items():
        names = [] if tree is None else [symbol.name for symbol in free_symbols(tree)]
        needs[name] = [sizes.get(other, other) for other in names]
    found = [name for name in TopologicalSorter(needs).static_order() if name in places]
    return tuple(places[name] for name in found)


def renamed(declared: tuple[types.Parameter, ...], names: Mapping[str, str]) -> dict[str, Symbol]:
    """Return a symbol of another name for each parameter."""
    return {p.name: Symbol(names[p.name], p.symbol.integer, p.symbol.positive) for p in declared}


def _constant(bound: Expression | None) -> float | None:
    value = None if bound is None else constant(bound)
    return None if value is None else float(value)
