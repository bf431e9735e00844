"""Names in scope: each is declared once and resolved when first used, so order does not matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, Reporter, did_you_mean, listing
from roofdsl.expression.order import Sizes
from roofdsl.expression.tree import Number
from roofdsl.model.precision import PRECISION, PRECISIONS, code
from roofdsl.model.types import Formula, FunctionDefinition
from roofdsl.source import Span
from roofdsl.syntax.expressions import ExpressionSyntax, Identifier, IsTest, MachineValue, On
from roofdsl.units.unit import NO_UNITS, OwnUnits, Unit, UnknownUnit, counts_in, read_unit

MOST_PARTS = 100_000
_DEEP = 20
_LONGEST_CHAIN = 7
_LONGEST_QUANTITY = 60
# A number with its unit, then a `/` that belongs to a unit with spaces in it: `3 B /`.
_DIVIDED = r"(\d[\d_.]*(?:[eE][+-]?\d+)?)[ \t]*([^\W\d][\w^/]*)[ \t]*/[ \t]*\Z"


NOTHING: Mapping[str, Formula] = MappingProxyType({})


class _Pending(NamedTuple):
    place: Span
    resolve: Callable[[], Formula | None]
    needs: Callable[[], Iterable[str]]


class Expansion:
    """How far function calls have been written out, unless they are only looked at.

    `depth` is how deep the open ones nest, `count` how many there were, `indices` how many sums.
    """

    def __init__(self, *, unfolds: bool = True) -> None:
        self.unfolds = unfolds
        self.depth = 0
        self.count = 0
        self.indices = 0
        self.exhausted = False
        self.sizes = Sizes()


class Scope:
    """The names an expression may use, and where to report what is wrong with it.

    They are those `given` with their formulas, those declared, and those of a `parent`.
    `instead_of_uncertain`: what to write for a number with `±` where no `let` can name one.
    """

    instead_of_uncertain = ""

    def __init__(
        self,
        report: Reporter,
        units: OwnUnits,
        functions: dict[str, FunctionDefinition],
        expansion: Expansion | None = None,
        given: Mapping[str, Formula] = NOTHING,
        parent: Scope | None = None,
    ) -> None:
        self.report = report
        self.units = units
        self.functions = functions
        self.expansion = expansion or Expansion()
        self._parent = parent
        self._given = given
        self._pending: dict[str, _Pending] = {}
        self._resolved: dict[str, Formula | None] = {**given}
        self._active: list[str] = []
        self._hints: dict[str, str] = {}

    def refuse(
        self,
        code: str,
        message: str,
        *places: Span | Label,
        hint: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """Report an error; see `Diagnostic.at`."""
        self.report(Diagnostic.at(code, message, *places, hint=hint, notes=notes))

    def declare(
        self,
        name: Identifier,
        resolve: Callable[[], Formula | None],
        needs: Callable[[], Iterable[str]] = tuple,
    ) -> bool:
        """Declare a name; report a second declaration of it and return False.

        `needs` names what `resolve` will ask for; without it, long chains of names nest deep.
        """
        first = self._pending.get(name.name)
        if first is not None:
            self.report(defined_twice(name, first.place))
            return False
        self._pending[name.name] = _Pending(name.span, resolve, needs)
        return True

    def explain(self, name: str, hint: str) -> None:
        """Say what is to be done about a name that stands in a formula and means nothing there."""
        self._hints[name] = hint

    def names(self) -> list[str]:
        own = [*self._given, *(name for name in self._pending if name not in self._given)]
        return own + self._parent.names() if self._parent else own

    def formulas(self) -> dict[str, Formula]:
        """Return what has been resolved without a problem, by name."""
        own = {name: value for name, value in self._resolved.items() if value is not None}
        return {**self._parent.formulas(), **own} if self._parent else own

    def place(self, name: str) -> Span | None:
        if name in self._pending:
            return self._pending[name].place
        return self._parent.place(name) if self._parent else None

    def depth(self, name: str) -> int:
        """Return how many scopes within one another declare a name."""
        outer = self._parent.depth(name) if self._parent else 0
        return outer + (name in self._pending)

    def formula(self, name: str, use: Span) -> Formula | None:
        """Return what a name stands for; report an unknown or circular one."""
        if name in self._resolved:
            return self._resolved[name]
        pending = self._pending.get(name)
        if pending is None:
            if self._parent:
                return self._parent.formula(name, use)
            if name in PRECISIONS:
                return Formula(Number(code(name)), PRECISION)
            self._unknown(name, use)
            return None
        if name in self._active:
            chain = arrows([*self._active[self._active.index(name) :], name])
            places = Label(use, "used here"), Label(pending.place, "while defining this")
            hint = "break the circle: one of these must not need the others"
            self.refuse("R0203", f"'{name}' is defined by itself: {chain}", *places, hint=hint)
            return None
        self._active.append(name)
        if len(self._active) > _DEEP:
            self._resolve_needs(name)
        try:
            value = pending.resolve()
        finally:
            self._active.pop()
        return self._keep(name, value)

    def _keep(self, name: str, value: Formula | None) -> Formula | None:
        if value is not None and self.expansion.sizes.of(value.tree) > MOST_PARTS:
            message = f"'{name}' is too large: written out, it has more than {MOST_PARTS:,} parts"
            hint = "make it a `param`, or bring it into a shorter form"
            self.refuse("R0213", message, self._pending[name].place, hint=hint)
            value = None
        self._resolved[name] = value
        return value

    def _resolve_needs(self, name: str) -> None:
        """Resolve what a name hangs on, the last of a chain first, without nesting."""
        waiting = [(name, iter(self._pending[name].needs()))]
        while waiting:
            current, needed = waiting[-1]
            following = next((other for other in needed if self._is_open(other)), None)
            if following is not None:
                self._active.append(following)
                waiting.append((following, iter(self._pending[following].needs())))
                continue
            waiting.pop()
            if waiting:
                self._keep(current, self._pending[current].resolve())
                self._active.pop()

    def _is_open(self, name: str) -> bool:
        return name in self._pending and name not in self._resolved and name not in self._active

    def special(self, node: ExpressionSyntax) -> Formula | None:
        """Resolve what only some scopes know: members, calls of models, values of a machine."""
        if self._parent:
            return self._parent.special(node)
        hint = "formulas use parameters, `let`s and functions"
        if isinstance(node, MachineValue):
            name = node.name.name
            hint = f"take it as a default: `param {name}: integer = machine.{name}`"
        elif isinstance(node, On):
            hint = "predictions are for the `expect` of a test"
        message = f"`{node.span.text}` cannot be used in a formula"
        self.refuse("R0210", message, node.span, hint=hint)
        return None

    def tested(self, node: IsTest) -> Formula | None:
        """Resolve what only some scopes can test with `is`: what binds a prediction."""
        if self._parent:
            return self._parent.tested(node)
        can = "a formula can be tested with `is integer`"
        hint = f"{can}; a test's bound with `is memory` and the like"
        message = f"`is {node.path.text}` means nothing here"
        self.refuse("R0212", message, node.path.span, hint=hint)
        return None

    def knows_call(self, name: str) -> bool:
        """Whether `special` can resolve a call of this name."""
        return self._parent is not None and self._parent.knows_call(name)

    def body_of(self, function: FunctionDefinition, arguments: dict[str, Formula]) -> Scope:
        """Return the scope of a function's body: its arguments, and what it was written among."""
        return Scope(self.report, function.units, function.functions, self.expansion, arguments)

    def _unknown(self, name: str, use: Span) -> None:
        known = self.names()
        hint = self._hints.get(name) or did_you_mean(name, [*known, *PRECISIONS])
        if hint is None and not isinstance(read_unit(name, self.units), UnknownUnit):
            hint = f"'{name}' is a unit, and stands behind a number: `1 {name}`"
            line = use.source.text[max(0, use.start - _LONGEST_QUANTITY) : use.start]
            if (quantity := re.search(_DIVIDED, line)) is not None:
                hint = f"a unit has no spaces in it: `{quantity[1]} {quantity[2]}/{name}`"
        elif hint is None and known:
            hint = f"names here: {listing(known)}"
        self.refuse("R0201", f"'{name}' is not defined", use, hint=hint)


def defined_twice(name: Identifier, first: Span) -> Diagnostic:
    """Return the diagnostic for a name that is defined again."""
    labels = (Label(name.span, "again here"), Label(first, "first here"))
    return Diagnostic("R0202", f"'{name.name}' is defined twice", labels, "rename one of them")


def arrows(names: Sequence[str]) -> str:
    """Return a circle of names, the middle of a long one left out: `a → b → … → z → a`."""
    if len(names) > _LONGEST_CHAIN:
        names = [*names[: _LONGEST_CHAIN - 3], "…", *names[-2:]]
    return " → ".join(names)


def within(parent: Scope, names: dict[str, Formula]) -> Scope:
    """Return a scope that adds names to those of `parent`, for the body of a `sum`."""
    report, units, functions = parent.report, parent.units, parent.functions
    return Scope(report, units, functions, parent.expansion, names, parent)


def only(
    names: dict[str, Formula], report: Reporter, declared: Mapping[str, Unit] = NO_UNITS
) -> Scope:
    """Return a scope that knows these names, their units and those declared; no functions."""
    return Scope(report, known_units(declared, names.values()), {}, given=names)


def known_units(declared: Mapping[str, Unit], formulas: Iterable[Formula]) -> OwnUnits:
    """Return the units that are declared, and those that formulas are made of."""
    units: OwnUnits = {}
    for formula in formulas:
        units.update(counts_in(formula.dimension))
    return {**units, **declared}
