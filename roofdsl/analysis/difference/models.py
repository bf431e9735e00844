"""Two models compared along their steps: what each kernel, step and arrangement of steps means.

A called model is compared once, in its own terms, and named with all the steps that call it. What
differs there counts for a step only if it differs with the arguments of that step put in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from roofdsl.analysis.binding import bind
from roofdsl.analysis.counting import total_work
from roofdsl.analysis.difference.arrangement import Layout, arrangement, layout
from roofdsl.analysis.difference.change import (
    UNDECIDED,
    Change,
    Formulas,
    formula,
    formulas,
    parameters,
    requirements,
    resources,
    same_parameter,
    same_tree,
    words,
)
from roofdsl.analysis.difference.formulas import canonical, conjunction
from roofdsl.analysis.difference.machines import kept
from roofdsl.analysis.intensity import is_zero
from roofdsl.expression.condition import decided
from roofdsl.expression.order import weight
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Comparison, Expression, Function, Number, Symbol
from roofdsl.model.precision import named, size_symbol
from roofdsl.model.types import ModelDefinition, Parameter, Step
from roofdsl.typeset.text import text
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, MESSAGE, SECOND

_TOTALS = {"flops": FLOP, "memory": BYTE, "network": BYTE, "messages": MESSAGE}
_LONGEST_KEY = 200
_LONGEST_TOTAL = 60
_Found: TypeAlias = Iterator[tuple[Change, str]]
"""Changes with the step they are in, a path from the model that is compared; "" is itself."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two models, and what stands for its parameters."""

    model: ModelDefinition
    values: Mapping[str, Expression]

    def expand(self, tree: Expression) -> Expression:
        return substitute(tree, self.values)


def compare_models(old: ModelDefinition, new: ModelDefinition) -> tuple[Change, ...]:
    """Return what differs between two models: their own statements, then their steps.

    Empty is a proof that they mean the same. What changed in the order of statements, in the names
    of `let`s and in how a formula is written does not count.
    """
    comparison = _Comparison()
    changes = _with_places(comparison.definitions(old, new, root=True))
    if changes and old.parts and new.parts:
        changes += _totals(old, new)
    return tuple(changes)


def _with_places(found: _Found) -> list[Change]:
    """Return each change once, with all the steps it is in."""
    changes: dict[object, Change] = {}
    places: dict[object, list[str]] = {}
    for change, place in found:
        trees = [tree for tree in (change.before, change.after) if tree is not None]
        short = all(weight(tree, _LONGEST_KEY) < _LONGEST_KEY for tree in trees)
        key = change if short else id(change)
        changes.setdefault(key, change)
        places.setdefault(key, []).extend([place] if place else [])
    return [replace(change, places=tuple(places[key])) for key, change in changes.items()]


def _totals(old: ModelDefinition, new: ModelDefinition) -> Iterator[Change]:
    """Yield how the work of all steps changed: what all that comes to."""
    one, other = _free(old, new)
    for key, dimension in _TOTALS.items():
        before, after = (
            canonical(side.expand(total_work(side.model, key))) for side in (one, other)
        )
        if max(weight(tree, _LONGEST_TOTAL) for tree in (before, after)) < _LONGEST_TOTAL:
            yield from formula("work of all steps:", key, dimension, before, after)


@dataclass(slots=True)
class _Comparison:
    """Compares models step by step; each pair of called models once."""

    _called: dict[tuple[int, int], list[tuple[Change, str]]] = field(default_factory=dict)

    def definitions(self, old: ModelDefinition, new: ModelDefinition, *, root: bool) -> _Found:
        """Yield what differs between two models, whatever their arguments."""
        renamed = _renamed(old, new)
        if renamed:
            one, other = _free(old, new, renamed)
            if not any(self._own(one, other)) and not any(self._body(one, other)):
                for before, after in renamed.items():
                    yield Change("renamed", "parameter", f"{before} → {after}"), ""
                return
        one, other = _free(old, new)
        differing = parameters(old.parameters, new.parameters, one.expand, other.expand)
        yield from ((change, "") for change in differing)
        if root:
            yield from ((change, "") for change in _order_of_parameters(old, new))
            lets = kept(old.intermediates, new.intermediates)
            values = _expanded(lets[0], one), _expanded(lets[1], other)
            for change in formulas("intermediate", *values):
                yield change, ""
        yield from self._own(one, other)
        yield from self._body(one, other)

    def _own(self, one: _Side, other: _Side) -> _Found:
        """Yield what differs in requirements and tallies."""
        required = one.model.requirements, other.model.requirements
        for change in requirements(*required, one.expand, other.expand):
            yield change, ""
        for change in formulas("tally", _tallies(one), _tallies(other)):
            yield change, ""

    def _body(self, one: _Side, other: _Side) -> _Found:
        """Yield what differs in work, stated time, operation and steps."""
        old, new = one.model, other.model
        if bool(old.parts) != bool(new.parts):
            detail = [_written(model) for model in (old, new)]
            yield Change("changed", "form", "of the model", detail=" → ".join(detail)), ""
            return
        if not old.parts:
            yield from ((change, "") for change in _kernel(one, other))
            return
        before, after = layout(old.parts), layout(new.parts)
        renamed = self._renamed_steps(before, after, one, other)
        yield from arrangement(before, after, renamed, one.expand, other.expand)
        for name, step in after.steps.items():
            first = before.steps.get(renamed.get(name, name))
            if first is not None:
                yield from self._step(first.step, step.step, step.path, one, other)

    def _renamed_steps(
        self, before: Layout, after: Layout, one: _Side, other: _Side
    ) -> dict[str, str]:
        """Return new names of steps with the old ones, where they are all that changed of them."""
        gone = [name for name in before.steps if name not in after.steps]
        come = [name for name in after.steps if name not in before.steps]
        found: dict[str, str] = {}
        for name in come:
            for first in gone:
                steps = before.steps[first].step, after.steps[name].step
                if first not in found.values() and not any(self._step(*steps, "", one, other)):
                    found[name] = first
                    break
        return found

    def _step(self, old: Step, new: Step, path: str, one: _Side, other: _Side) -> _Found:
        """Yield what differs between two steps: device, called model, arguments, what it means."""
        for change in words("device", "of the step", old.device or "", new.device or ""):
            yield change, path
        if old.in_place and new.in_place:
            sides = _Side(old.model, one.values), _Side(new.model, other.values)
            yield from ((change, path) for change in _kernel(*sides))
            return
        calls = ["written in place" if s.in_place else f"calls {s.model.name}" for s in (old, new)]
        if calls[0] != calls[1]:
            yield Change("changed", "step", "", detail=" → ".join(calls)), path
        if old.in_place or new.in_place or calls[0] != calls[1]:
            return
        inside = self._definitions_of(old.model, new.model)
        arguments = list(_arguments(old, new, one, other))
        if not arguments and not inside:
            return
        sides = _called(old, one), _called(new, other)
        if not self._differ(*sides):
            return
        found = False
        for change in arguments:
            found = True
            yield change, path
        given = old.arguments.keys() & new.arguments.keys()
        for change, place in inside:
            if change.what != "parameter" or place or change.name not in given:
                found = True
                yield change, f"{path}.{place}" if place else path
        if not found:
            yield Change("changed", "step", "", detail=UNDECIDED), path

    def _definitions_of(
        self, old: ModelDefinition, new: ModelDefinition
    ) -> list[tuple[Change, str]]:
        key = id(old), id(new)
        if key not in self._called:
            found = [] if old is new else list(self.definitions(old, new, root=False))
            # One object for each change, which its places are gathered by.
            own = {
                id(change): change if change.model else replace(change, model=new.name)
                for change, _ in found
            }
            self._called[key] = [(own[id(change)], place) for change, place in found]
        return self._called[key]

    def _differ(self, one: _Side, other: _Side) -> bool:
        """Whether two models differ with their arguments put in, or may do so."""
        if conjunction(_conditions(one)) != conjunction(_conditions(other)):
            return True
        tallies = formulas("tally", _tallies(one), _tallies(other))
        return any(True for _ in tallies) or any(True for _ in self._body(one, other))


def _written(model: ModelDefinition) -> str:
    if model.parts:
        return f"made of the steps {', '.join(layout(model.parts).steps)}"
    return "work of its own"


def _free(
    old: ModelDefinition, new: ModelDefinition, renamed: Mapping[str, str] | None = None
) -> tuple[_Side, _Side]:
    """Return two models with their parameters left open, those of one name being one symbol.

    Where a parameter is whole or positive on one side only, that is not made use of.
    """
    names = renamed or {}
    before = {parameter.name: parameter.symbol for parameter in old.parameters}
    after = {parameter.name: parameter.symbol for parameter in new.parameters}
    one: dict[str, Expression] = {}
    other: dict[str, Expression] = {}
    for name, symbol in before.items():
        match = names.get(name, name)
        if match in after:
            integer = symbol.integer and after[match].integer
            common = Symbol(name, integer, symbol.positive and after[match].positive)
            one[name] = other[match] = common
            if match != name:
                other[size_symbol(match)] = Symbol(size_symbol(name))
    return _Side(old, one), _Side(new, other)


def _renamed(old: ModelDefinition, new: ModelDefinition) -> dict[str, str]:
    """Return parameters that may have got another name alone: alike, and at the same place."""
    names = {p.name for p in old.parameters}, {p.name for p in new.parameters}
    if len(old.parameters) != len(new.parameters):
        return {}
    pairs = [
        (before, after)
        for before, after in zip(old.parameters, new.parameters, strict=True)
        if before.name != after.name
    ]
    renamed = {before.name: after.name for before, after in pairs}
    one, other = _free(old, new, renamed)
    alike = all(
        before.name not in names[1]
        and after.name not in names[0]
        and same_parameter(before, after, one.expand, other.expand)
        for before, after in pairs
    )
    return renamed if alike else {}


def _order_of_parameters(old: ModelDefinition, new: ModelDefinition) -> Iterator[Change]:
    before, after = [p.name for p in old.parameters], [p.name for p in new.parameters]
    first = [name for name in before if name in after]
    second = [name for name in after if name in before]
    if first != second:
        detail = f"{', '.join(first)} → {', '.join(second)}: values given by place go to others"
        yield Change("moved", "parameters", "", detail=detail)


def _expanded(items: Formulas, side: _Side) -> Formulas:
    return {name: (side.expand(tree), unit) for name, (tree, unit) in items.items()}


def _tallies(side: _Side) -> Formulas:
    return {
        item.name: (side.expand(item.formula.tree), item.formula.dimension)
        for item in side.model.tallies
    }


def _kernel(one: _Side, other: _Side) -> Iterator[Change]:
    """Yield what differs between two kernels."""
    old, new = one.model, other.model
    yield from resources((w.resource for w in old.work), (w.resource for w in new.work))
    yield from formulas("work", _work(one), _work(other))
    stated = [None if s.model.time is None else s.expand(s.model.time) for s in (one, other)]
    yield from formula("stated time", "", SECOND, *stated)
    yield from words("memory that counts", "", _counted(old), _counted(new))
    yield from words("bound of the stated time", "", _first(old), _first(new))
    yield from words("operation", "", _operation(old), _operation(new))
    if old.operation and new.operation and old.operation.name == new.operation.name:
        arguments = [
            {name: (side.expand(tree), DIMENSIONLESS) for name, tree in operation.arguments.items()}
            for side, operation in ((one, old.operation), (other, new.operation))
        ]
        yield from formulas(f"argument of {new.operation.name}:", *arguments)


def _work(side: _Side) -> Formulas:
    """Return work by resource. That of 0 is none, unless a level or a time asks for its name."""
    found = {}
    for item in side.model.work:
        tree = side.expand(item.value)
        if is_zero(tree) and "." not in item.key and side.model.time is None:
            continue
        name = item.key if item.selector is None else f"{item.key}[{_kind(item.selector, side)}]"
        found[name] = tree, item.resource.dimension
    return found


def _kind(selector: str, side: _Side) -> str:
    tree = side.values.get(selector)
    return tree.name if isinstance(tree, Symbol) else selector if tree is None else str(tree)


def _counted(model: ModelDefinition) -> str:
    """Return the level that a kernel's memory traffic is counted at, where the order says so."""
    levels = [item.key for item in model.work if item.resource.name == "memory"]
    return levels[-1] if len(levels) > 1 and "memory" not in levels else ""


def _first(model: ModelDefinition) -> str:
    """Return the resource that a stated time is charged to: the one stated first."""
    return model.work[0].key if model.time is not None and len(model.work) > 1 else ""


def _operation(model: ModelDefinition) -> str:
    return "" if model.operation is None else f"as {model.operation.name}"


def _called(step: Step, side: _Side) -> _Side:
    """Return the model of a step with its arguments put in."""
    arguments = {name: (side.expand(tree), span) for name, (tree, span) in step.arguments.items()}
    binding, _ = bind(step.model, arguments, from_outside=True)
    return _Side(step.model, binding.trees)


def _arguments(old: Step, new: Step, one: _Side, other: _Side) -> Iterator[Change]:
    """Yield the arguments that differ, a default standing for one that is not given."""
    if old.arguments.keys() == new.arguments.keys():
        sides = one.values, other.values
        trees = [
            {name: substitute(tree, values) for name, (tree, _) in step.arguments.items()}
            for step, values in zip((old, new), sides, strict=True)
        ]
    else:
        trees = [dict(_called(step, side).values) for step, side in ((old, one), (new, other))]
    known = {p.name: p for p in (*old.model.parameters, *new.model.parameters)}
    for name in dict.fromkeys([*old.arguments, *new.arguments]):
        before, after = trees[0].get(name), trees[1].get(name)
        if same_tree(before, after):
            continue
        yield from _argument(known[name], before, after)


def _argument(
    parameter: Parameter, before: Expression | None, after: Expression | None
) -> Iterator[Change]:
    if parameter.kind in ("boolean", "precision"):
        shown = ["" if tree is None else _value(tree, parameter) for tree in (before, after)]
        yield from words("argument", parameter.name, *shown)
    else:
        yield from formula("argument", parameter.name, parameter.dimension, before, after)


def _value(tree: Expression, parameter: Parameter) -> str:
    """Return a switch or a precision in words: `true`, `fp64`."""
    if isinstance(tree, Number):
        return named(tree.value)
    known = decided(tree) if parameter.kind == "boolean" else None
    return text(tree) if known is None else str(known).lower()


def _conditions(side: _Side) -> list[Expression]:
    """Return what the values of a model's parameters must hold to, and its requirements."""
    found = [side.expand(item.condition) for item in side.model.requirements]
    for parameter in side.model.parameters:
        value = side.values.get(parameter.name, parameter.symbol)
        if parameter.symbol.integer:
            found.append(Function("is_integer", (value,)))
        if parameter.low is not None:
            low = side.expand(parameter.low)
            found.append(Comparison(">" if parameter.low_open else ">=", value, low))
        if parameter.high is not None:
            found.append(Comparison("<=", value, side.expand(parameter.high)))
    return found
