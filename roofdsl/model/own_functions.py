"""The functions that a file or a model declares: checked where they are written, called or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from roofdsl.diagnostic import Diagnostic, Label, Reporter
from roofdsl.expression.tree import Symbol
from roofdsl.model.elaborate import choice
from roofdsl.model.functions import BUILT_IN
from roofdsl.model.scope import Expansion, Scope, arrows, defined_twice
from roofdsl.model.types import Formula, FunctionDefinition
from roofdsl.syntax.expressions import Call, Identifier
from roofdsl.syntax.names import walk
from roofdsl.syntax.nodes import FunctionDeclaration
from roofdsl.units.dimension import Dimension
from roofdsl.units.unit import OwnUnits


def define(
    declaration: FunctionDeclaration,
    functions: dict[str, FunctionDefinition],
    units: OwnUnits,
    report: Reporter,
) -> None:
    """Enter a function into the table of its file or model; a name of the language is refused."""
    name = declaration.name
    if name.name in BUILT_IN:
        message = f"'{name.name}' is a function of the language"
        report(Diagnostic.at("R0218", message, name.span, hint="choose another name"))
    else:
        functions[name.name] = FunctionDefinition(declaration, functions, units)


def check(names: Iterable[str], functions: dict[str, FunctionDefinition], report: Reporter) -> None:
    """Check the functions of a table that have these names; report what is wrong in them.

    Those that are wrong are marked as not sound. Arguments may have any unit, so what depends on
    theirs is left to the calls.
    """
    own = {name: functions[name] for name in names if name in functions}
    broken = _circles(own, report)
    for name, definition in own.items():
        if not _is_sound(definition, report):
            broken.add(name)
    for name in broken:
        functions[name] = replace(own[name], sound=False)


def _is_sound(definition: FunctionDefinition, report: Reporter) -> bool:
    declaration = definition.declaration
    arguments: dict[str, Formula] = {}
    places: dict[str, Identifier] = {}
    sound = True
    for parameter in declaration.parameters:
        first = places.setdefault(parameter.name, parameter)
        if first is not parameter:
            report(defined_twice(parameter, first.span))
            sound = False
        unit = Dimension.unknown(parameter.name)
        arguments[parameter.name] = Formula(Symbol(parameter.name), unit)
    # Calls are not written out: each function is checked once, whoever calls it.
    scope = Scope(report, definition.units, definition.functions, Expansion(unfolds=False))
    return choice(declaration.body, scope.body_of(definition, arguments)) is not None and sound


def _circles(own: Mapping[str, FunctionDefinition], report: Reporter) -> set[str]:
    """Report functions that call themselves, one circle each; return the names in circles."""
    calls = {
        name: {call.function.name: call for call in walk(each.declaration.body, Call)}
        for name, each in own.items()
    }
    circles: set[str] = set()
    while True:
        left = {name: calls[name].keys() - circles for name in own if name not in circles}
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle = error.args[1][:0:-1]  # from each to what it calls
        else:
            return circles
        start = circle.index(min(circle, key=[*own].index))
        chain = [*circle[start:], *circle[: start + 1]]
        circles.update(chain)
        message = f"the function '{chain[0]}' calls itself: {arrows(chain)}"
        place = calls[chain[-2]][chain[0]].span
        defined = Label(own[chain[0]].declaration.name.span, "defined here")
        hint = "use a closed formula, or `sum(… for k in a..b)`"
        report(Diagnostic.at("R0203", message, place, defined, hint=hint))
