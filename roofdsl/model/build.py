"""Build a module: the models, machines and tests of one parsed file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.model.body import Body, functions_of
from roofdsl.model.rate import rates_of
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.model.work import work_of
from roofdsl.source import Source
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.nodes import (
    Assignment,
    Declaration,
    FunctionDeclaration,
    MachineDeclaration,
    ModelDeclaration,
    TestDeclaration,
)
from roofdsl.syntax.parse import parse

_Definition = TypeVar("_Definition", ModelDefinition, MachineDefinition)


def build(source: Source) -> tuple[Module, tuple[Diagnostic, ...]]:
    """Return what a file defines and every problem found in it, in the order of the text.

    >>> module, problems = build(Source("demo", "model copy { param N; memory = 16 B*N }"))
    >>> list(module.models), problems
    (['copy'], ())
    """
    declarations, problems = parse(source)
    diagnostics = list(problems)
    module = _module(source, declarations, diagnostics.append)
    if not declarations and not diagnostics:
        diagnostics.append(
            Diagnostic(
                "R0003",
                f"'{source.name}' holds no declaration",
                (),
                "a file holds `model`, `machine` and `test` declarations",
            )
        )
    return module, tuple(sorted(diagnostics, key=_place))


def _module(
    source: Source, declarations: tuple[Declaration, ...], report: Callable[[Diagnostic], None]
) -> Module:
    module = Module(
        source,
        tests=tuple(item for item in declarations if isinstance(item, TestDeclaration)),
    )
    functions = functions_of(declarations)
    for declaration in declarations:
        if isinstance(declaration, ModelDeclaration):
            _put(module.models, _model(declaration, module, functions, report), report)
        elif isinstance(declaration, MachineDeclaration):
            _put(module.machines, _machine(declaration, module, functions, report), report)
    return module


def _model(
    declaration: ModelDeclaration,
    module: Module,
    functions: Mapping[str, FunctionDeclaration],
    report: Callable[[Diagnostic], None],
) -> ModelDefinition:
    body = Body(report, module.units, functions)
    assignments = [item for item in declaration.items if not body.take(item)]
    parameters, intermediates = body.parameters(), body.intermediates()
    return ModelDefinition(
        name=declaration.name.name,
        parameters=parameters,
        intermediates=intermediates,
        requirements=body.requirements(),
        work=work_of(_assignments(assignments), body.scope),
        sources=body.sources,
        doc=doc_comment(declaration.span),
        span=declaration.name.span,
    )


def _machine(
    declaration: MachineDeclaration,
    module: Module,
    functions: Mapping[str, FunctionDeclaration],
    report: Callable[[Diagnostic], None],
) -> MachineDefinition:
    body = Body(report, module.units, functions)
    assignments = [item for item in declaration.items if not body.take(item)]
    parameters, intermediates = body.parameters(), body.intermediates()
    return MachineDefinition(
        name=declaration.name.name,
        parameters=parameters,
        intermediates=intermediates,
        requirements=body.requirements(),
        rates=rates_of(_assignments(assignments), body.scope),
        sources=body.sources,
        doc=doc_comment(declaration.span),
        span=declaration.name.span,
    )


def _assignments(items: Sequence[object]) -> tuple[Assignment, ...]:
    return tuple(item for item in items if isinstance(item, Assignment))


def _put(
    table: dict[str, _Definition], definition: _Definition, report: Callable[[Diagnostic], None]
) -> None:
    first = table.setdefault(definition.name, definition)
    if first is not definition:
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
