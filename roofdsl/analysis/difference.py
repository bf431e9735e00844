"""Two versions of a model or a machine compared by meaning: which formulas changed, and how.

Order, layout and names of files do not count: two formulas are the same if they have one value for
every value of their names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.binding import bind
from roofdsl.analysis.counting import total_work
from roofdsl.expression.construct import divide
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.tree import ONE, ZERO, Expression
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter, Rate
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, MESSAGE, SECOND, Dimension

_UNITS = {"flops": FLOP, "memory": BYTE, "network": BYTE, "messages": MESSAGE}
Kind: TypeAlias = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """What differs: a formula before and after, and the factor between them where there is one.

    `detail` says it in words where it is no formula.
    """

    kind: Kind
    what: str
    name: str
    dimension: Dimension = DIMENSIONLESS
    before: Expression | None = None
    after: Expression | None = None
    factor: Expression | None = None
    detail: str = ""


def compare_models(old: ModelDefinition, new: ModelDefinition) -> tuple[Change, ...]:
    """Return what differs between two models, in the order of a file.

    A kernel is compared by its work, what `let`s stand for put in; a composition by its total work
    on each resource.
    """
    return (
        *_parameters(old.parameters, new.parameters),
        *_intermediates(old, new),
        *_requirements(old, new),
        *_formulas("work", _work(old), _work(new)),
        *_formulas("time", _stated(old), _stated(new)),
        *_formulas(
            "tally",
            {x.name: (x.formula.tree, x.formula.dimension) for x in old.tallies},
            {x.name: (x.formula.tree, x.formula.dimension) for x in new.tallies},
        ),
    )


def compare_machines(old: MachineDefinition, new: MachineDefinition) -> tuple[Change, ...]:
    """Return what differs between two machines: parameters, rates, capacities, devices."""
    changes = [
        *_parameters(old.parameters, new.parameters),
        *_intermediates(old, new),
        *_rates(old.rates, new.rates),
        *_formulas(
            "capacity",
            {x.key: (x.formula.tree, x.formula.dimension) for x in old.capacities},
            {x.key: (x.formula.tree, x.formula.dimension) for x in new.capacities},
        ),
        *_words("default level", dict(old.defaults), dict(new.defaults)),
    ]
    for name in sorted({*old.devices, *new.devices}):
        if name not in old.devices or name not in new.devices:
            changes.append(Change("added" if name in new.devices else "removed", "device", name))
            continue
        for change in compare_machines(old.devices[name], new.devices[name]):
            changes.append(_of_device(change, name))
    for name in sorted({*old.tables, *new.tables}):
        one, other = old.tables.get(name), new.tables.get(name)
        if one is None or other is None:
            changes.append(Change("added" if one is None else "removed", "measured table", name))
        elif one.times != other.times:
            count = len({*one.times.items()} ^ {*other.times.items()})
            detail = f"{count} entries differ"
            changes.append(Change("changed", "measured table", name, detail=detail))
    return tuple(changes)


def same_value(one: Expression, other: Expression) -> bool:
    """Whether two formulas have one value, by their normal forms or because they cancel."""
    return same_form(one, other) or simplify_ratio(divide(other, one)) == ONE


def same_form(one: Expression, other: Expression) -> bool:
    """Whether two formulas have one value by their normal forms, and differ in order only."""
    if one == other:
        return True
    forms = normal_form(one), normal_form(other)
    return None not in forms and forms[0] == forms[1]


def _of_device(change: Change, device: str) -> Change:
    return Change(
        change.kind,
        change.what,
        f"{device}.{change.name}",
        change.dimension,
        change.before,
        change.after,
        change.factor,
        change.detail,
    )


def _formulas(
    what: str,
    old: dict[str, tuple[Expression, Dimension]],
    new: dict[str, tuple[Expression, Dimension]],
) -> Iterable[Change]:
    for name in dict.fromkeys([*old, *new]):
        if name not in old:
            tree, dimension = new[name]
            yield Change("added", what, name, dimension, after=tree)
        elif name not in new:
            tree, dimension = old[name]
            yield Change("removed", what, name, dimension, before=tree)
        else:
            (before, _), (after, dimension) = old[name], new[name]
            if not same_value(before, after):
                yield Change(
                    "changed", what, name, dimension, before, after, _factor(before, after)
                )


def _intermediates(
    old: ModelDefinition | MachineDefinition, new: ModelDefinition | MachineDefinition
) -> Iterable[Change]:
    """Yield the intermediates of one name that changed; others are no more than a way to write."""
    before = {x.name: (x.formula.tree, x.formula.dimension) for x in old.intermediates}
    after = {x.name: (x.formula.tree, x.formula.dimension) for x in new.intermediates}
    kept = {name: item for name, item in before.items() if name in after}
    yield from _formulas("intermediate", kept, {name: after[name] for name in kept})


def _factor(before: Expression, after: Expression) -> Expression | None:
    """Return after / before where that is a formula: not where the first is 0."""
    if normal_form(before) == normal_form(ZERO):
        return None
    return simplify_ratio(divide(after, before))


def _parameters(old: Iterable[Parameter], new: Iterable[Parameter]) -> Iterable[Change]:
    before, after = {p.name: p for p in old}, {p.name: p for p in new}
    for name in dict.fromkeys([*before, *after]):
        if name not in before:
            yield Change("added", "parameter", name, detail=_described(after[name]))
        elif name not in after:
            yield Change("removed", "parameter", name, detail=_described(before[name]))
        else:
            one, other = _described(before[name]), _described(after[name])
            if _meaning(before[name]) != _meaning(after[name]):
                yield Change("changed", "parameter", name, detail=f"{one} → {other}")


def _meaning(parameter: Parameter) -> tuple[object, ...]:
    return (
        parameter.kind,
        parameter.dimension,
        parameter.low,
        parameter.high,
        parameter.low_open,
        parameter.default,
    )


def _described(parameter: Parameter) -> str:
    """Return a parameter's kind and default as written."""
    kind = parameter.unit or parameter.kind
    return f"{kind} = {' '.join(parameter.written.split())}" if parameter.written else kind


def _requirements(old: ModelDefinition, new: ModelDefinition) -> Iterable[Change]:
    before = {item.condition: " ".join(item.text.split()) for item in old.requirements}
    after = {item.condition: " ".join(item.text.split()) for item in new.requirements}
    for condition, text in before.items():
        if condition not in after:
            yield Change("removed", "requirement", text)
    for condition, text in after.items():
        if condition not in before:
            yield Change("added", "requirement", text)


def _work(model: ModelDefinition) -> dict[str, tuple[Expression, Dimension]]:
    if model.work:
        names = frozenset(parameter.name for parameter in model.parameters)
        binding, _ = bind(model, {}, kept_free=names)
        return {
            item.key if item.selector is None else f"{item.key}[{item.selector}]": (
                binding.expand(item.value),
                item.resource.dimension,
            )
            for item in model.work
        }
    keys = ("flops", "memory", "network", "messages")
    totals = {key: total_work(model, key) for key in keys}
    return {key: (tree, _UNITS[key]) for key, tree in totals.items() if tree != ZERO}


def _stated(model: ModelDefinition) -> dict[str, tuple[Expression, Dimension]]:
    return {} if model.time is None else {"time": (model.time, SECOND)}


def _rates(old: Iterable[Rate], new: Iterable[Rate]) -> Iterable[Change]:
    before, after = {rate.key: rate for rate in old}, {rate.key: rate for rate in new}
    for key in dict.fromkeys([*before, *after]):
        one, other = before.get(key), after.get(key)
        first = None if one is None else one.value
        second = None if other is None else other.value
        rate = other or one
        assert rate is not None
        unit = rate.resource.dimension / SECOND
        if one is None or other is None:
            kind: Kind = "added" if one is None else "removed"
            yield Change(kind, "rate", key, unit, first, second)
        elif first is None or second is None:
            if first is not second:
                detail = "now unlimited" if second is None else "no longer unlimited"
                yield Change("changed", "rate", key, unit, first, second, detail=detail)
        elif not same_value(first, second):
            yield Change("changed", "rate", key, unit, first, second, _factor(first, second))


def _words(what: str, old: dict[str, str], new: dict[str, str]) -> Iterable[Change]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            kind: Kind = "changed"
            if name not in old or name not in new:
                kind = "added" if name in new else "removed"
            yield Change(kind, what, name, detail=f"{old.get(name, '–')} → {new.get(name, '–')}")
