"""Parameters of models and machines as an explorer has them."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import TopologicalSorter

from roofdsl.explorer.data import ParameterControl
from roofdsl.explorer.functions import Functions
from roofdsl.explorer.quantities import quantity, slider_range
from roofdsl.expression.substitute import constant, free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model import types
from roofdsl.model.precision import PRECISIONS, code, size_symbol
from roofdsl.units.dimension import DIMENSIONLESS

Ranges = Mapping[str, tuple[float, float]]


def parameter(
    declared: types.Parameter,
    functions: Functions,
    own: Mapping[str, Expression],
    *,
    value: float,
    start: float | bool | None,
    default: int | None,
    asked: tuple[float, float] | None = None,
) -> ParameterControl:
    """Return a parameter whose value is `value` at the start.

    `own` renames what its bounds may depend on; `asked` is the range of its slider.
    """
    low, high = (_constant(bound) for bound in (declared.low, declared.high))
    integer = declared.symbol.integer
    slider = slider_range(value, low, high, integer=integer)
    if asked is not None:
        slider = (*asked, asked[0] > 0 and asked[1] / asked[0] > 4)
    precision = declared.kind == "precision"
    return ParameterControl(
        declared.name,
        declared.kind,
        integer,
        declared.doc,
        " ".join(declared.written.split()),
        quantity(DIMENSIONLESS if precision else declared.dimension, slider),
        None if declared.low is None else functions.place(substitute(declared.low, own)),
        declared.low_open,
        None if declared.high is None else functions.place(substitute(declared.high, own)),
        default,
        start,
        tuple((float(code(name)), name, float(size)) for name, size in PRECISIONS.items())
        if precision
        else (),
    )


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
