"""What a device that is written in place sees of the machine around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.scope import Scope
from roofdsl.model.types import AROUND, Formula, Parameter
from roofdsl.model.uncertain import Uncertain
from roofdsl.source import Span


class Around(Scope):
    """The names of the machine around a device in place: its `cards` are `machine:cards` there."""

    def __init__(self, names: Scope) -> None:
        super().__init__(names.report, names.units, names.functions, names.expansion, parent=names)
        self._names = names

    def formula(self, name: str, use: Span) -> Formula | None:
        found = self._names.formula(name, use)
        return found and found._replace(tree=_seen(found.tree))


def outer(parameter: Parameter) -> Parameter:
    """Return a parameter of a machine as its devices have it; it is checked on the machine."""
    symbol = _inner(parameter.symbol)
    default = parameter.default and _seen(parameter.default)
    return parameter._replace(name=symbol.name, symbol=symbol, default=default, low=None, high=None)


def seen(uncertain: Mapping[str, Uncertain]) -> dict[str, Uncertain]:
    """Return the numbers of a machine that may be off as its devices have them."""
    return {AROUND + k: x._replace(symbol=_inner(x.symbol)) for k, x in uncertain.items()}


def _seen(tree: Expression) -> Expression:
    """Return a formula of a machine as the devices in it have it: `cards` is `machine:cards`."""
    return substitute(tree, {symbol.name: _inner(symbol) for symbol in free_symbols(tree)})


def _inner(symbol: Symbol) -> Symbol:
    return replace(symbol, name=AROUND + symbol.name)
