"""Rates that depend on the work: those of large work, and how much more time less work takes.

A rate R(w, …) is that of large work, R∞ = lim R for w → ∞, divided by a slowdown R∞ / R(w, …). The
time of w is then the time of the work it *needs*, w·R∞ / R(w, …), at the rate R∞, which has a name
as any other rate. Where there is no such limit the name stands for one unit a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from roofdsl.algebra.leading import leading
from roofdsl.analysis.binding import Binding
from roofdsl.analysis.rates import stated
from roofdsl.analysis.starting import where_working
from roofdsl.expression.construct import divide, multiply
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.substitute import constant, free_symbols, substitute
from roofdsl.expression.tree import ZERO, Expression, Symbol
from roofdsl.model.types import Rate
from roofdsl.model.varying import OperationRate, argument

_WORK = Symbol(argument(0))


def limit(rate: Rate) -> Expression | None:
    """Return what a rate by the work tends to, None where that is no number above 0."""
    assert rate.value is not None
    return _limit(rate.value)


@lru_cache(maxsize=256)
def _limit(rate: Expression) -> Expression | None:
    found = leading(rate, _WORK.name)
    if found is None or any(symbol.name.startswith(_PREFIX) for symbol in free_symbols(found)):
        return None
    fixed = constant(found)
    return None if fixed is not None and fixed <= 0 else found


_PREFIX = _WORK.name.rstrip("0")


@lru_cache(maxsize=256)
def _needed(rate: Expression, most: Expression) -> Expression:
    """Return the work that takes as long at the rate `most` as `_WORK` does at another."""
    found = divide(multiply(_WORK, most), rate)
    form = normal_form(found)
    return found if form is None else form.tree()


def needed(
    rate: Rate, binding: Binding, work: Expression, besides: Mapping[str, Expression]
) -> Expression:
    """Return the work that takes as long at the rate of large work as some work does.

    `binding` is that of the machine, `besides` the kernel's work on each resource.
    """
    assert rate.value is not None
    values = {
        argument(place): besides.get(name, ZERO) for place, name in enumerate(rate.besides, 1)
    }
    found = binding.expand(_needed(rate.value, stated(rate)))
    return where_working([work], substitute(found, {**values, _WORK.name: work}))


def needed_by_operation(
    own: OperationRate,
    rate: Rate,
    binding: Binding,
    work: Expression,
    arguments: Mapping[str, Expression],
) -> Expression:
    """Return the same for an operation with a rate of its own, by its arguments."""
    values = {argument(place): arguments[name] for place, name in enumerate(own.parameters)}
    slowdown = binding.expand(divide(stated(rate), own.value))
    return where_working([work], multiply(work, substitute(slowdown, values)))
