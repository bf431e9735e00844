"""Names in scope: each is declared once and resolved when first used, so order does not matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean, listing
from roofdsl.expression.tree import Number
from roofdsl.model.precision import PRECISION, PRECISIONS, code
from roofdsl.model.types import Formula
from roofdsl.source import Span
from roofdsl.syntax.nodes import (
    ExpressionSyntax,
    FunctionDeclaration,
    Identifier,
    MachineValue,
    On,
)
from roofdsl.units.dimension import Dimension
from roofdsl.units.unit import UnknownUnit, read_unit


class _Pending(NamedTuple):
    place: Span
    resolve: Callable[[], Formula | None]


class Expansion:
    """How far function calls have been written out: which are open, and how many there were.

    `depth` is how deep the open ones nest, `indices` how many sums there were.
    """

    def __init__(self) -> None:
        self.active: list[str] = []
        self.depth = 0
        self.count = 0
        self.indices = 0
        self.exhausted = False


class Scope:
    """The names an expression may use, and where to report what is wrong with it."""

    def __init__(
        self,
        report: Callable[[Diagnostic], None],
        units: dict[str, Dimension],
        functions: dict[str, FunctionDeclaration],
        expansion: Expansion | None = None,
    ) -> None:
        self.report = report
        self.units = units
        self.functions = functions
        self.expansion = expansion or Expansion()
        self._pending: dict[str, _Pending] = {}
        self._resolved: dict[str, Formula | None] = {}
        self._active: list[str] = []

    def declare(self, name: Identifier, resolve: Callable[[], Formula | None]) -> bool:
        """Declare a name; report a second declaration of it and return False."""
        first = self._pending.get(name.name)
        if first is not None:
            self.report(
                Diagnostic(
                    "R0202",
                    f"'{name.name}' is defined twice",
                    (Label(name.span, "again here"), Label(first.place, "first here")),
                    "rename one of them",
                )
            )
            return False
        self._pending[name.name] = _Pending(name.span, resolve)
        return True

    def names(self) -> list[str]:
        return list(self._pending)

    def formulas(self) -> dict[str, Formula]:
        """Return what has been resolved without a problem, by name."""
        return {name: value for name, value in self._resolved.items() if value is not None}

    def place(self, name: str) -> Span | None:
        pending = self._pending.get(name)
        return pending.place if pending else None

    def formula(self, name: str, use: Span) -> Formula | None:
        """Return what a name stands for; report an unknown or circular one."""
        if name in self._resolved:
            return self._resolved[name]
        pending = self._pending.get(name)
        if pending is None:
            if name in PRECISIONS:
                return Formula(Number(code(name)), PRECISION)
            self._unknown(name, use)
            return None
        if name in self._active:
            chain = " → ".join([*self._active[self._active.index(name) :], name])
            self.report(
                Diagnostic(
                    "R0203",
                    f"'{name}' is defined by itself: {chain}",
                    (Label(use, "used here"), Label(pending.place, "while defining this")),
                    "break the circle: one of these must not need the others",
                )
            )
            return None
        self._active.append(name)
        try:
            value = pending.resolve()
        finally:
            self._active.pop()
        self._resolved[name] = value
        return value

    def special(self, node: ExpressionSyntax) -> Formula | None:
        """Resolve what only some scopes know: members, calls of models, values of a machine."""
        self.report(
            Diagnostic(
                "R0210",
                f"`{node.span.text}` cannot be used in a formula",
                (Label(node.span),),
                _instead(node),
            )
        )
        return None

    def knows_call(self, _name: str) -> bool:
        """Whether `special` can resolve a call of this name."""
        return False

    def child(self, arguments: dict[str, Formula]) -> Scope:
        """Return a scope with only these names, for the body of a function."""
        return _Child(self, arguments)

    def _unknown(self, name: str, use: Span) -> None:
        known = self.names()
        hint = did_you_mean(name, known)
        if hint is None and not isinstance(read_unit(name, self.units), UnknownUnit):
            hint = f"'{name}' is a unit, and stands behind a number: `1 {name}`"
        elif hint is None and known:
            hint = f"names here: {listing(known)}"
        self.report(Diagnostic("R0201", f"'{name}' is not defined", (Label(use),), hint))


def _instead(node: ExpressionSyntax) -> str:
    if isinstance(node, MachineValue):
        name = node.name.name
        return f"take it as a default: `param {name}: integer = machine.{name}`"
    if isinstance(node, On):
        return "predictions are for the `expect` of a test"
    return "formulas use parameters, `let`s and functions"


class _Child(Scope):
    def __init__(self, parent: Scope, names: dict[str, Formula], inherit: bool = False) -> None:
        super().__init__(parent.report, parent.units, parent.functions, parent.expansion)
        self._parent = parent
        self._inherit = inherit
        self._resolved.update(names)

    def names(self) -> list[str]:
        own = list(self._resolved)
        return [*own, *self._parent.names()] if self._inherit else own

    def formula(self, name: str, use: Span) -> Formula | None:
        if name in self._resolved or not self._inherit:
            return super().formula(name, use)
        return self._parent.formula(name, use)

    def special(self, node: ExpressionSyntax) -> Formula | None:
        return self._parent.special(node)

    def knows_call(self, name: str) -> bool:
        return self._parent.knows_call(name)


def within(parent: Scope, names: dict[str, Formula]) -> Scope:
    """Return a scope that adds names to those of `parent`, for the body of a `sum`."""
    return _Child(parent, names, inherit=True)
