"""The functions that a file or a model declares: checked where they are written, called or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from roofdsl.diagnostic import Diagnostic, Label, Report
from roofdsl.expression.tree import Symbol
from roofdsl.model.elaborate import choice
from roofdsl.model.functions import BUILT_IN
from roofdsl.model.scope import Expansion, Scope, arrows, defined_twice
from roofdsl.model.types import Formula, FunctionDefinition
from roofdsl.syntax.expressions import Call, Identifier
from roofdsl.syntax.names import walk
from roofdsl.syntax.nodes import FunctionDeclaration
from roofdsl.units.dimension import Dimension

_LEAVE = ""  # stands for the end of a function on the way down its calls


def define(
    declaration: FunctionDeclaration,
    functions: dict[str, FunctionDefinition],
    units: dict[str, Dimension],
    report: Report,
) -> None:
    """Enter a function into the table of its file or model; a name of the language is refused."""
    name = declaration.name
    if name.name in BUILT_IN:
        message = f"'{name.name}' is a function of the language"
        report(Diagnostic.at("R0218", message, name.span, hint="choose another name"))
    else:
        functions[name.name] = FunctionDefinition(declaration, functions, units)


def check(names: Iterable[str], functions: dict[str, FunctionDefinition], report: Report) -> None:
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


def _is_sound(definition: FunctionDefinition, report: Report) -> bool:
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


def _circles(own: Mapping[str, FunctionDefinition], report: Report) -> set[str]:
    """Report functions that call themselves, one circle each; return the names in circles."""
    circles: set[str] = set()
    begun: dict[str, int] = {}
    for root in own:
        path: list[str] = []
        waiting: list[tuple[str, Call | None]] = [(root, None)]
        while waiting:
            name, call = waiting.pop()
            if name == _LEAVE:
                begun[path.pop()] = len(own)
            elif name not in begun:
                begun[name] = len(path)
                path.append(name)
                inner = list(walk(own[name].declaration.body, Call))
                waiting.append((_LEAVE, None))
                waiting += [(c.function.name, c) for c in inner if c.function.name in own]
            elif call is not None and begun[name] < len(path) and name not in circles:
                chain = path[begun[name] :]
                circles.update(chain)
                _report_circle([*chain, name], call, own[name], report)
    return circles


def _report_circle(
    chain: list[str], call: Call, definition: FunctionDefinition, report: Report
) -> None:
    name = chain[0]
    report(
        Diagnostic.at(
            "R0203",
            f"the function '{name}' calls itself: {arrows(chain)}",
            call.span,
            Label(definition.declaration.name.span, "defined here"),
            hint="use a closed formula, or `sum(… for k in a..b)`",
        )
    )
