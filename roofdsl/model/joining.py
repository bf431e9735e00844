"""What of a machine does not overlap (`serial`), and which of its units of flops do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from roofdsl.diagnostic import Label, did_you_mean
from roofdsl.model.resource import resource_named
from roofdsl.model.scope import Scope
from roofdsl.model.types import Rate, Resource
from roofdsl.syntax.expressions import PathSyntax
from roofdsl.syntax.nodes import ConcurrentStatement, SerialStatement

_CODE = "R0229"


def serial_of(
    items: Sequence[object],
    rates: Iterable[Rate],
    units: tuple[str, ...],
    scope: Scope,
    resources: Mapping[str, Resource],
) -> tuple[tuple[str, ...], ...]:
    """Return the resources and levels whose times add up, for each `serial` of a machine.

    `units` are those that run at once, each a resource of its own.
    """
    found: list[tuple[str, ...]] = []
    for statement in items:
        if not isinstance(statement, SerialStatement):
            continue
        names = [_serial(path, rates, units, scope, resources) for path in statement.paths]
        named = _each_once("serial", statement.paths, names, scope)
        several = len(named) > 1 or _levels(named, rates) > 1
        if several:
            found.append(tuple(named))
        elif named and len(statement.paths) == 1:
            message = f"{named[0]} alone has nothing to add up with"
            hint = f"name the others: `serial {named[0]}, …`"
            scope.refuse(_CODE, message, statement.span, hint=hint)
    return tuple(found)


def concurrent_of(items: Sequence[object], rates: Iterable[Rate], scope: Scope) -> tuple[str, ...]:
    """Return the units of flops that run at once, as `flops.matrix`."""
    statements = [item for item in items if isinstance(item, ConcurrentStatement)]
    if not statements:
        return ()
    first, *others = statements
    for again in others:
        hint = "name all units in one"
        labels = Label(again.span, "again here"), Label(first.span, "first here")
        scope.refuse("R0202", "`concurrent` is stated twice", *labels, hint=hint)
    names = [_unit(path, rates, scope) for path in first.paths]
    named = _each_once("concurrent", first.paths, names, scope)
    if len(first.paths) == 1 and named:
        hint = f"name the others: `concurrent {named[0]}, …`"
        scope.refuse(_CODE, f"{named[0]} alone runs at once with nothing", first.span, hint=hint)
        return ()
    return tuple(named) if len(named) > 1 else ()


def _serial(
    path: PathSyntax,
    rates: Iterable[Rate],
    units: tuple[str, ...],
    scope: Scope,
    resources: Mapping[str, Resource],
) -> str | None:
    resource = resource_named(path, scope, resources)
    if resource is None:
        return None
    key = path.text
    if resource.name == "flops" and key != "flops" and key not in units:
        message = f"{key} adds up with all other flops, unless it is `concurrent`"
        scope.refuse(_CODE, message, path.span, hint="write `flops`")
        return None
    if key == resource.name:
        # What shares the time of another is part of it.
        key = resource.shares or key
    known = [rate.key for rate in rates]
    if any(rate == key or rate.startswith(f"{key}.") for rate in known):
        return key
    hint = did_you_mean(key, known) or f"it has {', '.join(known) or 'no rates'}"
    scope.refuse(_CODE, f"this machine has no rate for {key}", path.span, hint=hint)
    return None


def _levels(named: Sequence[str], rates: Iterable[Rate]) -> int:
    """Return how many levels of the resources named do not add up by themselves."""
    return sum(rate.key.startswith(f"{n}.") for n in named if n != "flops" for rate in rates)


def _unit(path: PathSyntax, rates: Iterable[Rate], scope: Scope) -> str | None:
    key = path.text
    of_flops = [rate.key.split(".") for rate in rates if rate.resource.name == "flops"]
    units = [*dict.fromkeys(f"flops.{names[1]}" for names in of_flops if len(names) > 1)]
    if key in units:
        return key
    known = f"its units: {', '.join(units)}" if units else "units are stated as `flops.matrix.fp64`"
    hint = did_you_mean(key, units) or known
    if path.names[0].name != "flops":
        hint = "other resources overlap anyway; `serial` says which do not"
        message = f"{key} is no unit of flops"
    else:
        message = f"this machine has no unit {key}"
    scope.refuse(_CODE, message, path.span, hint=hint)
    return None


def _each_once(
    word: str, paths: Sequence[PathSyntax], names: Sequence[str | None], scope: Scope
) -> list[str]:
    """Return the names without those that were refused; report one that is named twice."""
    found: dict[str, PathSyntax] = {}
    for path, name in zip(paths, names, strict=True):
        if name is None:
            continue
        first = found.setdefault(name, path)
        if first is not path:
            labels = [Label(path.span, "again here"), Label(first.span, "first here")]
            message, hint = f"{name} is in this `{word}` twice", "keep one of them"
            if path.text != first.text:
                labels = [Label(path.span, f"the time of this is that of {name}"), labels[1]]
                message = f"{path.text} and {first.text} share their time: that adds up anyway"
            scope.refuse("R0202", message, *labels, hint=hint)
    return [*found]
