"""Build a module: the models, machines and tests of one parsed file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.model.body import Body
from roofdsl.model.check import CHECKS
from roofdsl.model.rate import rates_of
from roofdsl.model.resource import flattened
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.model.vocabulary import vocabulary
from roofdsl.model.work import work_of
from roofdsl.source import Source
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.nodes import (
    Assignment,
    Block,
    Declaration,
    MachineDeclaration,
    ModelDeclaration,
    UseDeclaration,
)
from roofdsl.syntax.parse import parse, parse_without_tests

_Definition = TypeVar("_Definition", ModelDefinition, MachineDefinition)
Report = Callable[[Diagnostic], None]
Resolve = Callable[[UseDeclaration, Report], Module | None]
"""Finds the module a `use` names; reports why it cannot be had."""


def build(
    source: Source, resolve: Resolve, tests: bool = True
) -> tuple[Module, tuple[Diagnostic, ...]]:
    """Return what a file defines and every problem found in it, in the order of the text.

    Without `tests`, a file that is right but for its tests is built without them, which is quicker.

    >>> source = Source("demo", "model copy { param N; memory = 16 B*N }")
    >>> module, problems = build(source, lambda use, report: None)
    >>> list(module.models), problems
    (['copy'], ())
    """
    quick = None if tests else parse_without_tests(source)
    declarations, problems = parse(source) if quick is None else (quick, ())
    diagnostics = list(problems)
    module = vocabulary(source, declarations, resolve, diagnostics.append)
    _definitions(module, declarations, diagnostics.append)
    if not declarations and not diagnostics:
        diagnostics.append(
            Diagnostic(
                "R0003",
                f"'{source.name}' holds no declaration",
                (),
                "a file holds `model`, `machine` and `test` declarations",
            )
        )
    if not any(diagnostic.severity == "error" for diagnostic in diagnostics):
        diagnostics.extend(found for check in CHECKS for found in check(module))
    return module, tuple(sorted(diagnostics, key=_place))


def _definitions(module: Module, declarations: Sequence[Declaration], report: Report) -> None:
    for declaration in declarations:
        if isinstance(declaration, ModelDeclaration):
            _put(module.models, _model(declaration, module, report), module, report)
        elif isinstance(declaration, MachineDeclaration):
            _put(module.machines, _machine(declaration, module, report), module, report)


def _model(declaration: ModelDeclaration, module: Module, report: Report) -> ModelDefinition:
    body = Body(report, module.units, module.functions)
    assignments, _ = flattened(_assignments(body, declaration.items), body.scope)
    parameters, intermediates = body.parameters(), body.intermediates()
    return ModelDefinition(
        name=declaration.name.name,
        parameters=parameters,
        intermediates=intermediates,
        requirements=body.requirements(),
        work=work_of(assignments, body.scope, module.resources),
        tallies=body.tallies(),
        sources=body.sources,
        doc=doc_comment(declaration.span),
        span=declaration.name.span,
    )


def _machine(declaration: MachineDeclaration, module: Module, report: Report) -> MachineDefinition:
    body = Body(report, module.units, module.functions)
    assignments, defaults = flattened(_assignments(body, declaration.items), body.scope)
    parameters, intermediates = body.parameters(), body.intermediates()
    return MachineDefinition(
        name=declaration.name.name,
        parameters=parameters,
        intermediates=intermediates,
        requirements=body.requirements(),
        rates=rates_of(assignments, body.scope, module.resources),
        defaults=defaults,
        capacities=body.capacities(module.resources),
        sources=body.sources,
        doc=doc_comment(declaration.span),
        span=declaration.name.span,
    )


def _assignments(body: Body, items: Sequence[object]) -> tuple[Assignment | Block, ...]:
    """Give a body its statements; return what is left, which is about resources."""
    left = [item for item in items if not body.take(item)]
    return tuple(item for item in left if isinstance(item, Assignment | Block))


def _put(
    table: dict[str, _Definition], definition: _Definition, module: Module, report: Report
) -> None:
    others: Mapping[str, ModelDefinition | MachineDefinition] = {**module.models, **module.machines}
    first = others.get(definition.name)
    if first is None:
        table[definition.name] = definition
        return
    report(
        Diagnostic(
            "R0202",
            f"'{definition.name}' is defined twice",
            (Label(definition.span, "again here"), Label(first.span, "first here")),
            "rename one of them",
        )
    )


def _place(diagnostic: Diagnostic) -> int:
    return diagnostic.span.start if diagnostic.span else 0
