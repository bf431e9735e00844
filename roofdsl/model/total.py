"""The work of all processes, as a model states it: `total flops = …`, or `total even`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from roofdsl.diagnostic import Label, did_you_mean
from roofdsl.model.resource import report_twice
from roofdsl.model.scope import Scope
from roofdsl.model.tally import models_in, steps_in
from roofdsl.model.types import Part, Resource, Step, Work
from roofdsl.model.work import work_on
from roofdsl.syntax.names import walk
from roofdsl.syntax.nodes import Assignment, ParameterStatement, StepCall, StepInPlace
from roofdsl.syntax.nodes import TotalStatement as Statement

EVEN = "even"


class StatedTotals(NamedTuple):
    """The totals a model states by resource, and whether all its processes do the same."""

    work: tuple[Work, ...] = ()
    even: bool = False


def totals_of(
    items: Sequence[object],
    scope: Scope,
    resources: Mapping[str, Resource],
    worked: Collection[str] | None,
    *,
    counts: bool,
) -> StatedTotals:
    """Return what `total` statements among others state; report what cannot be.

    `worked` are the resources that the model works on, None where a step of it is wrong; `counts`
    says whether a parameter counts its processes.
    """
    statements = [item for item in items if isinstance(item, Statement)]
    if statements and not counts:
        message = "a total is that of all processes, but no parameter counts them"
        hint = "declare it: `param P: processes`"
        scope.refuse("R0227", message, statements[0].span, hint=hint)
        return StatedTotals()
    even = [s for s in statements if s.value is None and s.path.text == EVEN]
    if len(even) > 1:
        report_twice(f"total {EVEN}", even[1].span, even[0].span, "keep one of them", scope)
    found: dict[str, Work] = {}
    for statement in statements:
        if statement in even:
            continue
        work = _stated(statement, scope, resources)
        if work is None:
            continue
        key, place = work.key, statement.span
        if key in found:
            report_twice(f"total {key}", place, found[key].span, "keep one of them", scope)
        elif even:
            message = f"total {key} is stated beside `total even`"
            there = Label(even[0].span, "all processes do the same, it says here")
            hint = f"keep one: even work on {key} is that of one process times their number"
            scope.refuse("R0227", message, place, there, hint=hint)
        elif worked is not None and work.resource.name not in worked:
            message = f"total {key} is stated, but no work on {key}"
            hint = f"state that of the busiest process as well: `{key} = …`"
            scope.refuse("R0227", message, place, hint=hint)
        else:
            found[key] = work
    return StatedTotals(tuple(found.values()), bool(even))


def counts_processes(items: Iterable[object]) -> bool:
    """Whether a parameter among the statements of a model counts processes."""
    return any(
        isinstance(item, ParameterStatement)
        and item.kind is not None
        and item.kind.unit.name == "processes"
        for item in items
    )


def resources_worked_on(
    assignments: Sequence[Assignment], parts: Sequence[Part], written: Sequence[object]
) -> set[str] | None:
    """Return the resources that a model or its steps work on; None where a step is missing.

    `written` are the steps as the file has them, of which those with errors are no `parts`.
    """
    steps = _written_in(parts)
    if len(steps) < sum(1 for kind in (StepCall, StepInPlace) for _ in walk(tuple(written), kind)):
        return None
    found = {assignment.path.names[0].name for assignment in assignments}
    for model in models_in(step.model for step in steps):
        found.update(work.resource.name for work in model.work)
    return found


def _written_in(parts: Sequence[Part]) -> list[Step]:
    """Return the steps of a model, those inside of steps written in place among them."""
    steps = steps_in(parts)
    return steps + [inner for x in steps if x.in_place for inner in _written_in(x.model.parts)]


def _stated(statement: Statement, scope: Scope, resources: Mapping[str, Resource]) -> Work | None:
    path = statement.path
    if statement.value is None:
        near = did_you_mean(path.text, [EVEN])
        hint = near or f"write `total {path.text} = …`; or `total even`, if all do the same"
        message = f"`total {path.text}` states no work"
        scope.refuse("R0227", message, statement.span, hint=hint)
        return None
    resource, selector = path.names[0].name, statement.selector
    if len(path.names) > 1 or selector is not None:
        part = f"{path.text}[{selector.name}]" if selector else path.text
        message = f"a total is that of all {resource}, not of {part}"
        hint = f"add up what the processes do: `total {resource} = …`"
        scope.refuse("R0227", message, path.span, hint=hint)
        return None
    assignment = Assignment(statement.span, path, None, statement.value)
    return work_on(assignment, scope, resources, f"total {path.text}")
