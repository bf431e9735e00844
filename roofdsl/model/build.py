"""Build a module: the models, machines and tests of one parsed file."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.diagnostic import MOST_PROBLEMS, Diagnostic
from roofdsl.model.check import CHECKS
from roofdsl.model.definitions import Definitions
from roofdsl.model.neighbours import Neighbours
from roofdsl.model.types import Module
from roofdsl.model.vocabulary import vocabulary
from roofdsl.source import Source
from roofdsl.syntax.parse import parse, parse_without_tests


def build(
    source: Source, neighbours: Neighbours, tests: bool = True, earlier: Module | None = None
) -> tuple[Module, tuple[Diagnostic, ...]]:
    """Return what a file defines and every problem found in it, in the order of the text.

    Without `tests`, a file that is right but for its tests is built without them, which is quicker.
    The words of `earlier`, such as the cell of a notebook before it, are known without a `use`.

    >>> from pathlib import Path
    >>> from roofdsl.model.library import Imports
    >>> source = Source("demo", "model copy { param N; memory = 16 B*N }")
    >>> module, problems = build(source, Imports(Path.cwd()))
    >>> list(module.models), problems
    (['copy'], ())
    """
    quick = None if tests else parse_without_tests(source)
    declarations, problems = parse(source) if quick is None else (quick, ())
    diagnostics = list(problems)
    module = Module(source)

    def report(problem: Diagnostic) -> None:
        if len(diagnostics) >= MOST_PROBLEMS:
            raise _Enough
        diagnostics.append(problem)

    try:
        module = vocabulary(source, declarations, neighbours, report, earlier)
        Definitions(module, declarations, neighbours, report).build()
    except _Enough:
        pass  # which is said below
    if len(diagnostics) >= MOST_PROBLEMS:
        first = _in_order(source, diagnostics[:MOST_PROBLEMS])
        message = (
            f"'{source.name}' has {MOST_PROBLEMS} problems or more; only so many are looked for"
        )
        return module, (*first, Diagnostic("R0006", message, (), "mend these first"))
    if not declarations and not diagnostics and quick is None:
        message = f"'{source.name}' holds no declaration"
        hint = "a file holds `model`, `machine` and `test` declarations"
        diagnostics.append(Diagnostic("R0003", message, (), hint))
    if not any(diagnostic.severity == "error" for diagnostic in diagnostics):
        diagnostics.extend(warning for check in CHECKS for warning in check(module, declarations))
    found = tuple(_in_order(source, diagnostics))
    module.warnings.extend(problem for problem in found if problem.severity == "warning")
    return module, found


class _Enough(Exception):
    """Raised when no further problem is to be reported."""


def _in_order(source: Source, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Sort diagnostics by their place; those of used files stay behind the `use` they came by."""
    places: list[int] = []
    for diagnostic in diagnostics:
        span = diagnostic.span
        before = places[-1] if places else 0
        places.append(span.start if span and span.source is source else before)
    order = sorted(range(len(places)), key=places.__getitem__)
    return [diagnostics[index] for index in order]
