"""What a machine states of energy and money: energies of its work, `power`, `price`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import Expression
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value
from roofdsl.model.resource import chooses, flattened, report_twice, resource_named
from roofdsl.model.right_side import right_side
from roofdsl.model.scope import Scope
from roofdsl.model.types import Energy, Formula, Resource, Standing
from roofdsl.source import Span
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import PathSyntax
from roofdsl.syntax.nodes import Assignment, BlockStatement, EnergyStatement, RateStatement
from roofdsl.units.dimension import JOULE, SECOND, Dimension

ENERGY, POWER, PRICE = "energy", "power", "price"
RESULTS = (ENERGY, POWER, PRICE, "cost")
"""What energy and money are called: no resource has one of these names."""
_KNOWN = frozenset(["flop", "B", "s", "J", "message", "cycle"])


class Tariff(NamedTuple):
    """Energies by key, the power drawn whatever is done, the price of being used."""

    energies: tuple[Energy, ...]
    power: Standing | None
    price: Standing | None


def tariff_of(
    items: Sequence[object], scope: Scope, resources: Mapping[str, Resource]
) -> tuple[Tariff, tuple[object, ...]]:
    """Return what a machine states of energy and money, and its other statements."""
    mine = [item for item in items if _is_own(item)]
    standing = [item for item in mine if isinstance(item, Assignment)]
    energies = _energies([item for item in mine if item not in standing], scope, resources)
    power, price = (_of_name(name, standing, scope) for name in (POWER, PRICE))
    others = tuple(item for item in items if not _is_own(item))
    return Tariff(energies, power, price), others


def _is_own(item: object) -> bool:
    match item:
        case Assignment(path=path):
            return path.text in (POWER, PRICE)
        case BlockStatement(name=name):
            return name.name == ENERGY
        case EnergyStatement():
            return True
    return False


def _energies(
    items: Sequence[object], scope: Scope, resources: Mapping[str, Resource]
) -> tuple[Energy, ...]:
    found: dict[str, Energy] = {}
    for assignment in _assignments(items, scope):
        resource = resource_named(assignment.path, scope, resources)
        energy = None if resource is None else _energy(assignment, resource, scope)
        first = None if energy is None else found.setdefault(energy.key, energy)
        if first is not None and first is not energy:
            what, again = f"the energy of {first.key}", assignment.path.span
            report_twice(what, again, first.span, "keep one of them", scope)
    return tuple(found.values())


def _assignments(items: Sequence[object], scope: Scope) -> list[Assignment]:
    """Return statements of energies, alone or in blocks, as assignments to what they are of."""
    found: list[Assignment] = []
    for item in items:
        if isinstance(item, EnergyStatement):
            found.append(Assignment(item.span, item.path, None, item.value))
            continue
        for entry in item.items if isinstance(item, BlockStatement) else ():
            if isinstance(entry, RateStatement):
                message = f"the energy of {entry.path.text} does not depend on the work"
                hint = f"write `{entry.path.text} = …`: the energy of each unit of it"
                scope.refuse("R0210", message, entry.span, hint=hint)
        for each in flattened([item], scope)[0]:
            if not isinstance(each, Assignment):
                continue
            path = PathSyntax(each.path.span, each.path.names[1:])  # without `energy` itself
            found.append(each._replace(path=path))
    return found


def _energy(assignment: Assignment, resource: Resource, scope: Scope) -> Energy | None:
    key = assignment.path.text
    wanted = JOULE / resource.dimension
    found = _amount(f"the energy of {key}", assignment, wanted, scope)
    if found is None:
        return None
    formula, uncertainty = found
    doc, span = doc_comment(assignment.span), assignment.span
    return Energy(key, resource, formula.tree, uncertainty, doc, span)


def _of_name(name: str, assignments: Sequence[Assignment], scope: Scope) -> Standing | None:
    stated = [item for item in assignments if item.path.text == name]
    for again in stated[1:]:
        report_twice(f"the {name}", again.path.span, stated[0].span, "keep one of them", scope)
    if not stated:
        return None
    statement = stated[0]
    wanted = JOULE / SECOND if name == POWER else None
    found = _amount(f"the {name}", statement, wanted, scope)
    if found is None:
        return None
    formula, uncertainty = found
    doc = doc_comment(statement.span)
    return Standing(name, formula, uncertainty, doc, statement.span)


def _amount(
    what: str, assignment: Assignment, wanted: Dimension | None, scope: Scope
) -> tuple[Formula, Expression | None] | None:
    """Return an amount of at least 0 and how far it may be off, relative to it.

    Report what is wrong with it. Without a unit that is `wanted` it is a price.
    """
    node = assignment.value
    if chooses(assignment, scope):
        return None
    found = right_side(what, node, scope, value, "R0413", zero=True)
    if found is None:
        return None
    formula, uncertainty = found
    if wanted is None and not is_zero(formula) and not _is_price(formula.dimension):
        message = f"a price is money per time, not {formula.dimension.describe()}"
        hint = "declare a unit of your own, `unit euro`, and write `price = 2.5 euro/h`"
        scope.refuse("R0302", message, node.span, hint=hint)
        return None
    if wanted is not None and formula.dimension != wanted and not is_zero(formula):
        mismatch.assigned(what, formula, node.span, wanted, assignment.path.span, scope)
        return None
    fixed = constant(formula.tree)
    if fixed is not None and fixed < 0:
        scope.report(below_zero(what, node.span))
        return None
    return formula if wanted is None else formula._replace(dimension=wanted), uncertainty


def below_zero(what: str, place: Span, why: str = "") -> Diagnostic:
    """Return the problem that an energy, a power or a price is below 0 (R0413)."""
    message = f"{what} is below 0{f': {why}' if why else ''}"
    return Diagnostic.at("R0413", message, place, hint="0 may be stated, less makes no sense")


def _is_price(dimension: Dimension) -> bool:
    """Whether a dimension is a declared unit per time."""
    powers = dict((dimension * SECOND).powers)
    return len(powers) == 1 and not powers.keys() & _KNOWN and {*powers.values()} == {1}
