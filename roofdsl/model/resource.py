"""Resources: what every machine may have, and those a file declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean, listing
from roofdsl.model.precision import PRECISIONS
from roofdsl.model.scope import Scope
from roofdsl.model.types import Rate, Resource, Work
from roofdsl.source import Span
from roofdsl.syntax.expressions import PathSyntax
from roofdsl.syntax.nodes import Assignment, BlockStatement, DefaultStatement, RateStatement
from roofdsl.units.dimension import BYTE, FLOP, MESSAGE

_Stated = TypeVar("_Stated", Work, Rate)
BUILT_IN: dict[str, Resource] = {
    "flops": Resource("flops", FLOP),
    "memory": Resource("memory", BYTE),
    "network": Resource("network", BYTE),
    "messages": Resource("messages", MESSAGE, shares="network"),
}
OF_MACHINES = ("startup", "power", "price")
"""What a machine states with `=` as it states rates, and is none."""
UNITS = ("matrix", "vector", "special")
"""The units of flops that models ask for: products, elementwise work, exponentials and the like."""


def resource_named(
    path: PathSyntax, scope: Scope, resources: Mapping[str, Resource], others: Sequence[str] = ()
) -> Resource | None:
    """Return the resource a path begins with, or report that there is none of this name.

    `others` are what the user may have meant there besides.
    """
    name = path.names[0]
    resource = resources.get(name.name)
    if resource is None:
        hint = did_you_mean(name.name, [*resources, *others])
        labels = [Label(name.span)]
        message = f"there is no resource '{name.name}'"
        declared = scope.place(name.name)
        if declared is not None:
            message = f"'{name.name}' is no resource, and gets its value where it is declared"
            hint = "write the value there"
            labels.append(Label(declared, "declared here"))
        known = f"resources: {', '.join(resources)}; an intermediate value needs `let`"
        scope.report(Diagnostic("R0214", message, tuple(labels), hint or known))
    return resource


def chooses(assignment: Assignment, scope: Scope) -> bool:
    """Whether a statement of a machine has a selector, as only models may; report it (R0217)."""
    selector, key = assignment.selector, assignment.path.text
    if selector is not None:
        message = f"a machine names its kinds of {key}; it does not choose among them"
        hint = f"write `{key}.{selector.name} = …`"
        scope.refuse("R0217", message, selector.span, hint=hint)
    return selector is not None


def flattened(
    items: Sequence[object], scope: Scope, below: Sequence[str] = ()
) -> tuple[tuple[Assignment | RateStatement, ...], dict[str, str]]:
    """Return assignments and rates, blocks as dotted ones, and the default level each block names.

    `memory { L1 = a; DRAM = b; default DRAM }` is `memory.L1 = a; memory.DRAM = b`. Levels stated
    `below`, in the machine that this one is made from, can be the default too.
    """
    assignments: list[Assignment | RateStatement] = []
    defaults: dict[str, str] = {}
    for item in items:
        if isinstance(item, Assignment | RateStatement):
            assignments.append(item)
        if not isinstance(item, BlockStatement):
            continue
        resource = item.name
        levels = [key.partition(".")[2] for key in below if key.startswith(f"{resource.name}.")]
        for entry in item.items:
            if isinstance(entry, Assignment | RateStatement):
                names = (resource, *entry.path.names)
                # The place is that of the level: the resource's name stands further up.
                path = PathSyntax(entry.path.span, names)
                assignments.append(entry._replace(path=path))
                levels.append(entry.path.text)
        for entry in item.items:
            if isinstance(entry, DefaultStatement):
                _note_default(resource.name, entry, levels, defaults, scope)
    return tuple(assignments), defaults


def levels_of(items: Sequence[object], scope: Scope) -> tuple[Assignment, ...]:
    """Return a model's assignments, see `flattened`; report what only machines have."""
    for item in items:
        for entry in item.items if isinstance(item, BlockStatement) else ():
            if isinstance(entry, DefaultStatement):
                message, hint = "a model has no default level", "`default` is for machines"
                scope.refuse("R0216", message, entry.span, hint=hint)
    found: list[Assignment] = []
    for item in flattened(items, scope)[0]:
        if isinstance(item, Assignment):
            found.append(item)
        else:
            message, hint = "only a machine has rates", f"write `{item.path.text} = …` for the work"
            scope.refuse("R0226", message, item.path.span, hint=hint)
    return tuple(found)


def _note_default(
    resource: str,
    statement: DefaultStatement,
    levels: list[str],
    defaults: dict[str, str],
    scope: Scope,
) -> None:
    level, place = statement.path.text, statement.path.span
    if level not in levels:
        known = f"levels: {', '.join(levels)}" if levels else "name a level of this block"
        hint = did_you_mean(level, levels) or known
        scope.refuse("R0216", f"{resource} has no level '{level}'", place, hint=hint)
        return
    kind = level.partition(".")[2]
    of_kind = f"{resource}.{kind}" if resource == "flops" and kind in PRECISIONS else ""
    if resource in defaults and not (of_kind and defaults[resource].count(".") > 1):
        scope.refuse("R0216", f"{resource} has two defaults", place, hint="keep one of them")
    elif of_kind in defaults:
        message = f"{resource} has two defaults for {kind}"
        scope.refuse("R0216", message, place, hint="keep one of them")
    else:
        # The first is what the plain name means; each is that of its precision.
        defaults.setdefault(resource, f"{resource}.{level}")
        if of_kind:
            defaults[of_kind] = f"{resource}.{level}"


def enter(
    item: _Stated | None,
    statement: Assignment | RateStatement,
    found: dict[str, _Stated],
    hint: str,
    scope: Scope,
) -> None:
    """Note what a statement states, if anything; report that it was given a value before."""
    if item is not None:
        first = found.setdefault(item.name, item)
        if first is not item:
            report_twice(item.name, statement.path.span, first.span, hint, scope)


def report_twice(key: str, again: Span, first: Span, hint: str, scope: Scope) -> None:
    """Report a resource given twice."""
    places = Label(again, "again here"), Label(first, "first here")
    scope.refuse("R0202", f"{key} is given twice", *places, hint=hint)


def levels_under(key: str, stated: Iterable[str]) -> list[str]:
    """Return what a key may mean among others: levels of a resource, units of a kind of flops.

    >>> levels_under("network", ["memory", "network.intra", "network.inter"])
    ['network.intra', 'network.inter']
    >>> levels_under("flops.bf16", ["flops.matrix.bf16", "flops.vector.fp32"])
    ['flops.matrix.bf16']
    """
    resource, _, kind = key.partition(".")
    unit = re.compile(rf"{re.escape(resource)}\.\w+\.{re.escape(kind)}") if kind else None
    return [x for x in stated if x.startswith(f"{key}.") or (unit and unit.fullmatch(x))]


def several_levels(machine: str, levels: Sequence[str], place: Span) -> Diagnostic:
    """Return the diagnostic for a plain resource of which a machine has levels or links."""
    message = f"'{machine}' has {listing(dict.fromkeys(levels))}: say which"
    return Diagnostic.at("R0508", message, place, hint=f"write `{levels[0]} = …`")
