"""What differs between two definitions: one change, and how changes of formulas are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.difference.sameness import conjunction, same_value
from roofdsl.expression.construct import divide
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Number
from roofdsl.model.types import Definition, Parameter, Resource
from roofdsl.typeset.text import text
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.quantity import show_exact

ChangeKind: TypeAlias = Literal["added", "removed", "changed", "moved", "renamed"]
Amounts: TypeAlias = Mapping[str, tuple[Expression, Dimension]]
UNDECIDED = "not shown to be the same"
D = TypeVar("D", bound=Definition, covariant=True)


@dataclass(frozen=True, slots=True)
class Side(Generic[D]):
    """One of two definitions that are compared, and what stands for its parameters."""

    definition: D
    values: Mapping[str, Expression] = field(default_factory=dict)

    def expand(self, tree: Expression) -> Expression:
        return substitute(tree, self.values)


@dataclass(frozen=True, slots=True)
class Change:
    """What differs: a formula before and after, and the factor between them where there is one.

    `detail` says it in words where it is no formula. `places` are the steps it is in, as in a
    breakdown (`overlap.bwd`), none for the definition itself; `model` is the called model in whose
    terms it is.
    """

    kind: ChangeKind
    what: str
    name: str
    dimension: Dimension = DIMENSIONLESS
    before: Expression | None = None
    after: Expression | None = None
    factor: Expression | None = None
    detail: str = ""
    places: tuple[str, ...] = ()
    model: str = ""


def presence(what: str, old: Iterable[str], new: Iterable[str]) -> Iterator[Change]:
    """Yield the names that are on one side only."""
    before, after = list(old), list(new)
    yield from (Change("removed", what, name) for name in before if name not in after)
    yield from (Change("added", what, name) for name in after if name not in before)


def formula(
    what: str, name: str, dimension: Dimension, before: Expression | None, after: Expression | None
) -> Iterator[Change]:
    """Yield the change of a formula that is there on one side, or has another value on each."""
    if before is None or after is None:
        if before is not None or after is not None:
            kind: ChangeKind = "added" if before is None else "removed"
            yield Change(kind, what, name, dimension, before, after)
        return
    same = same_value(before, after)
    if not same:
        detail = UNDECIDED if same is None else ""
        factor = _factor(before, after) if same is False else None
        yield Change("changed", what, name, dimension, before, after, factor, detail)


def formulas(what: str, old: Amounts, new: Amounts) -> Iterator[Change]:
    """Yield the changes of formulas that have names."""
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        _, dimension = after or before or (ZERO, DIMENSIONLESS)
        if before and after and before[1] != after[1]:
            detail = f"{before[1].describe()} → {after[1].describe()}"
            yield Change("changed", f"unit of {what}", name, detail=detail)
        else:
            trees = before and before[0], after and after[0]
            yield from formula(what, name, dimension, *trees)


def intermediates(one: Side[Definition], other: Side[Definition]) -> Iterator[Change]:
    """Yield the intermediates of one name that have another value."""
    after = {item.name: item.formula for item in other.definition.intermediates}
    for name, first in ((item.name, item.formula) for item in one.definition.intermediates):
        if name not in after:
            continue
        second = after[name]
        trees = one.expand(first.tree), other.expand(second.tree)
        if not (first.truth or second.truth):
            values = zip(trees, (first.dimension, second.dimension), strict=True)
            yield from formulas("intermediate", *({name: each} for each in values))
        elif not same_tree(*trees):
            yield from words("intermediate", name, *(text(tree) for tree in trees))


def uncertain(one: Side[Definition], other: Side[Definition]) -> Iterator[Change]:
    """Yield the parameters and intermediates whose number may be off by more, or by less."""
    found: list[dict[str, tuple[Expression, Dimension]]] = []
    for each in (one.definition, other.definition):
        units = each.dimensions()
        own = ((name, item) for name, item in each.uncertain.items() if name in units)
        found.append({name: (Number(item.half), units[name]) for name, item in own})
    yield from formulas("uncertainty of", *found)


def words(what: str, name: str, before: str, after: str) -> Iterator[Change]:
    """Yield the change of what is said in words; an empty text is nothing said."""
    if before != after:
        kind: ChangeKind = "added" if not before else "removed" if not after else "changed"
        detail = f"{before} → {after}" if before and after else before or after
        yield Change(kind, what, name, detail=detail)


def resources(old: Iterable[Resource], new: Iterable[Resource]) -> Iterator[Change]:
    """Yield the resources of one name that have another unit, or add to another one's time."""
    after = {resource.name: resource for resource in new}
    for before in {resource.name: resource for resource in old}.values():
        other = after.get(before.name, before)
        for one, two in (
            (before.dimension.describe(), other.dimension.describe()),
            (f"shares {before.shares or 'nothing'}", f"shares {other.shares or 'nothing'}"),
        ):
            yield from words("resource", before.name, one, two)


def parameters(one: Side[Definition], other: Side[Definition]) -> Iterator[Change]:
    """Yield the parameters that differ in kind, bounds or default."""
    before, after = ({p.name: p for p in side.definition.parameters} for side in (one, other))
    for name in dict.fromkeys([*before, *after]):
        first, second = before.get(name), after.get(name)
        if first is None or second is None:
            yield from words("parameter", name, *map(described, (first, second)))
        elif what := differing(first, second, one, other):
            texts = [
                described(item) if what == "parameter" else item.written or "none"
                for item in (first, second)
            ]
            same = f"{texts[0]}: its names have other values"
            detail = same if texts[0] == texts[1] else " → ".join(texts)
            yield Change("changed", what, name, detail=detail)


def differing(
    before: Parameter, after: Parameter, one: Side[Definition], other: Side[Definition]
) -> str:
    """Return what differs: the values of a "parameter", else its "default", "" for nothing."""
    for form in ("kind", "dimension", "low_open"):
        if getattr(before, form) != getattr(after, form):
            return "parameter"
    for what, first, second in (
        ("parameter", before.low, after.low),
        ("parameter", before.high, after.high),
        ("default", before.default, after.default),
    ):
        if not same_tree(first and one.expand(first), second and other.expand(second)):
            return what
    return ""


def same_tree(before: Expression | None, after: Expression | None) -> bool:
    """Whether two formulas are proven to be the same; None is that there is none."""
    if before is None or after is None:
        return before is after
    return same_value(before, after) is True


def described(parameter: Parameter | None) -> str:
    """Return a parameter's kind, bounds and default as they were written; "" where none is."""
    if parameter is None:
        return ""
    shown = parameter.unit or parameter.kind
    usual = parameter.low_open or (parameter.symbol.integer and parameter.low == ONE)
    low = _bound(None if usual else parameter.low, parameter)
    high = _bound(parameter.high, parameter)
    if low or high:
        shown += f"[{low}..{high}]"
    return f"{shown} = {parameter.written}" if parameter.written else shown


def _bound(tree: Expression | None, parameter: Parameter) -> str:
    if tree is None:
        return ""
    return show_exact(tree.value, parameter.dimension) if isinstance(tree, Number) else text(tree)


def requirements(one: Side[Definition], other: Side[Definition]) -> Iterator[Change]:
    """Yield the requirements that one side does not state in any way."""
    before, after = (
        {
            item.text: conjunction([side.expand(item.condition)])
            for item in side.definition.requirements
        }
        for side in (one, other)
    )
    stated = [frozenset[Expression]().union(*each.values()) for each in (before, after)]
    gone = [written for written, parts in before.items() if not parts <= stated[1]]
    come = [written for written, parts in after.items() if not parts <= stated[0]]
    yield from presence("requirement", gone, come)
    for both in [written for written in gone if written in come]:
        yield Change("changed", "requirement", both, detail="its names have other values")


def _factor(before: Expression, after: Expression) -> Expression | None:
    """Return after / before where that is a formula: not where the first is 0."""
    if normal_form(before) == normal_form(ZERO):
        return None
    return simplify_ratio(divide(after, before))
