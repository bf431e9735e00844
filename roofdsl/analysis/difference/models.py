"""Two models compared along their steps: what each kernel, step and block of steps means.

A called model is compared once, in its own terms, and named with all the steps that call it. What
differs there counts for a step only if it differs with the arguments of that step put in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from roofdsl.allowance import computing, operations
from roofdsl.analysis.binding import arguments_of
from roofdsl.analysis.counting import total_works
from roofdsl.analysis.difference import change as changes_of
from roofdsl.analysis.difference import sides
from roofdsl.analysis.difference.arrangement import Layout, arrangement, layout
from roofdsl.analysis.difference.change import UNDECIDED, Change, Side, formula, same_tree, words
from roofdsl.analysis.difference.kernels import kernel, stated
from roofdsl.analysis.difference.sameness import conjunction
from roofdsl.analysis.difference.sides import ModelSide, called_side, free_sides
from roofdsl.expression.condition import decided
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import weight
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.precision import named
from roofdsl.model.size import size_of
from roofdsl.model.types import ModelDefinition, Parameter, Step
from roofdsl.typeset.text import text
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, MESSAGE

_UNITS = {"flops": FLOP, "memory": BYTE, "network": BYTE, "messages": MESSAGE}
_LONGEST_KEY = 200
_LONGEST_TOTAL = 60
_MOST_STEPS = 5000
_OPERATIONS = 7000
"""What it takes to tell whether a step means another with other arguments."""


def compare_models(old: ModelDefinition, new: ModelDefinition) -> tuple[Change, ...]:
    """Return what differs between two models: their own statements, then their steps.

    Empty is a proof that they mean the same. The order of statements, the names of `let`s and how
    a formula is written do not count.
    """
    changes = _gathered(_ModelsCompared().definitions(old, new))
    if changes and (old.parts or new.parts):
        changes += _work_of_all_steps(old, new)
    return tuple(changes)


def _gathered(found: Iterator[Change]) -> list[Change]:
    """Return each change once, with all the steps it is in."""
    places: dict[object, list[str]] = {}
    first: dict[object, Change] = {}
    for change in found:
        # Long formulas are the same object where one called model is in several steps.
        trees = [
            tree if tree is None or weight(tree, _LONGEST_KEY) < _LONGEST_KEY else id(tree)
            for tree in (change.before, change.after)
        ]
        key = change.kind, change.what, change.name, change.detail, change.model, *trees
        first.setdefault(key, change)
        places.setdefault(key, []).extend(change.places)
    return [replace(change, places=tuple(places[key])) for key, change in first.items()]


def _work_of_all_steps(old: ModelDefinition, new: ModelDefinition) -> Iterator[Change]:
    """Yield what the changes come to; a sum that is too long to be read is left out."""
    if any(size_of(model.parts).steps > _MOST_STEPS for model in (old, new)):
        return
    one, other = free_sides(old, new)
    works = [total_works(side.definition, _UNITS) for side in (one, other)]
    for key, dimension in _UNITS.items():
        totals = [one.expand(works[0][key]), other.expand(works[1][key])]
        forms = [normal_form(tree) for tree in totals]
        before, after = (
            tree if form is None else form.tree() for tree, form in zip(totals, forms, strict=True)
        )
        if max(weight(tree, _LONGEST_TOTAL) for tree in (before, after)) < _LONGEST_TOTAL:
            yield from formula("work of all steps:", key, dimension, before, after)


@dataclass(slots=True)
class _ModelsCompared:
    """Compares models step by step; each pair of called models once."""

    _called: dict[tuple[int, int], list[Change]] = field(default_factory=dict)

    def definitions(self, old: ModelDefinition, new: ModelDefinition) -> Iterator[Change]:
        """Yield what differs between two models that are asked for by name."""
        renamed = sides.renamed_parameters(old, new)
        if renamed and not next(self._statements(*free_sides(old, new, renamed)), None):
            for before, after in renamed.items():
                yield Change("renamed", "parameter", f"{before} → {after}")
            return
        one, other = free_sides(old, new)
        yield from changes_of.parameters(one, other)
        yield from _order_of_parameters(old, new)
        yield from changes_of.intermediates(one, other)
        yield from self._statements(one, other)

    def _inside(self, old: ModelDefinition, new: ModelDefinition) -> list[Change]:
        """Return what differs between two models that steps call."""
        key = id(old), id(new)
        if key not in self._called:
            silent = "moved parameters", "changed intermediate"  # values are given by name here
            self._called[key] = [
                change if change.model else replace(change, model=new.name)
                for change in (() if old is new else self.definitions(old, new))
                if change.places or f"{change.kind} {change.what}" not in silent
            ]
        return self._called[key]

    def _statements(self, one: ModelSide, other: ModelSide) -> Iterator[Change]:
        yield from changes_of.requirements(one, other)
        yield from changes_of.uncertain(one, other)
        yield from self._body(one, other)

    def _body(self, one: ModelSide, other: ModelSide) -> Iterator[Change]:
        """Yield what differs in tallies, work, stated time, operation and steps."""
        old, new = one.definition, other.definition
        yield from stated(one, other)
        if bool(old.parts) != bool(new.parts) or old.is_mix != new.is_mix:
            detail = " → ".join(_form(model) for model in (old, new))
            yield Change("changed", "form", "of the model", detail=detail)
        elif not old.parts:
            yield from kernel(one, other)
        else:
            before, after = layout(old.parts), layout(new.parts)
            renamed = self._renamed_steps(before, after, one, other)
            yield from arrangement(before, after, renamed, one, other)
            for name, placed in after.steps.items():
                first = before.steps.get(renamed.get(name, name))
                if first is not None:
                    for change in self._step(first.step, placed.step, one, other):
                        yield replace(change, places=(".".join((placed.path, *change.places)),))

    def _renamed_steps(
        self, before: Layout, after: Layout, one: ModelSide, other: ModelSide
    ) -> dict[str, str]:
        """Return new names of steps with the old ones, where they are all that changed of them."""
        gone = [name for name in before.steps if name not in after.steps]
        found: dict[str, str] = {}
        for name in [name for name in after.steps if name not in before.steps]:
            for first in gone:
                steps = before.steps[first].step, after.steps[name].step
                if not next(self._step(*steps, one, other), None):
                    found[name] = first
                    gone.remove(first)
                    break
        return found

    def _step(self, old: Step, new: Step, one: ModelSide, other: ModelSide) -> Iterator[Change]:
        """Yield what differs between two steps: device, what is read, called model, arguments."""
        yield from words("device", "of the step", old.device or "", new.device or "")
        sources = (", ".join(each.name for each in step.sources) for step in (old, new))
        yield from words("source", "of the step", *sources)
        yield from words("result", "of the step", *map(_result, (old, new)))
        if old.in_place and new.in_place:
            inner = Side(old.model, {**one.values, **old.model.numbers})
            yield from self._statements(
                inner, Side(new.model, {**other.values, **new.model.numbers})
            )
            return
        calls = ["written in place" if s.in_place else f"calls {s.model.name}" for s in (old, new)]
        if calls[0] != calls[1]:
            yield Change("changed", "step", "", detail=" → ".join(calls))
            return
        arguments = list(_arguments(old, new, one, other))
        inside = self._inside(old.model, new.model)
        if not (arguments or inside):
            return
        with computing(f"what differs in '{new.name}'", new.span):
            operations().spend(_OPERATIONS)
        if next(self._differing(called_side(old, one), called_side(new, other)), None):
            given = old.arguments.keys() & new.arguments.keys()
            counting = [
                change
                for change in inside
                if change.places or change.what != "default" or change.name not in given
            ]
            yield from (*arguments, *counting) or (Change("changed", "step", "", detail=UNDECIDED),)

    def _differing(self, one: ModelSide, other: ModelSide) -> Iterator[Change]:
        """Yield what differs, or may differ, between two models with their arguments put in."""
        required = [conjunction(sides.conditions(side)) for side in (one, other)]
        if required[0] != required[1]:
            yield Change("changed", "requirement", "")
        counts = [sides.processes(side) for side in (one, other)]
        yield from formula("processes", "", DIMENSIONLESS, *counts)
        yield from self._body(one, other)


def _result(step: Step) -> str:
    return "in place" if step.overwrites else ""


def _form(model: ModelDefinition) -> str:
    if model.is_mix:
        return f"a mix of the jobs {', '.join(layout(model.parts).steps)}"
    if model.parts:
        return f"made of the steps {', '.join(layout(model.parts).steps)}"
    return "work of its own"


def _order_of_parameters(old: ModelDefinition, new: ModelDefinition) -> Iterator[Change]:
    before, after = [p.name for p in old.parameters], [p.name for p in new.parameters]
    first = [name for name in before if name in after]
    second = [name for name in after if name in before]
    if first != second:
        detail = f"{', '.join(first)} → {', '.join(second)}: values given by place go to others"
        yield Change("moved", "parameters", "", detail=detail)


def _arguments(old: Step, new: Step, one: ModelSide, other: ModelSide) -> Iterator[Change]:
    """Yield the arguments that differ, a default standing for one that is not given."""
    both = (old, one), (new, other)
    if old.arguments.keys() == new.arguments.keys():
        given = [arguments_of(step, side.values) for step, side in both]
        trees = [{name: tree for name, (tree, _) in each.items()} for each in given]
    else:
        trees = [dict(called_side(*each).values) for each in both]
    known = {p.name: p for p in (*old.model.parameters, *new.model.parameters)}
    for name in dict.fromkeys([*old.arguments, *new.arguments]):
        before, after = trees[0].get(name), trees[1].get(name)
        if same_tree(before, after):
            continue
        yield from _argument(known[name], before, after)


def _argument(
    parameter: Parameter, before: Expression | None, after: Expression | None
) -> Iterator[Change]:
    if not parameter.is_number:
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
