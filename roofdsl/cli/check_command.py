"""`roofdsl check`: find what is wrong in `.roof` files."""

from __future__ import annotations

import os
from pathlib import Path

import click

from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import SUFFIX, bundled_path, check_module, shown_path
from roofdsl.model.types import Module


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
def command(files: tuple[str, ...]) -> None:
    """Check FILEs: names, units, syntax. All problems of a file are reported at once.

    Tests are looked into too, but for whether their expectations hold: `roofdsl test` says that.

    \b
    Examples:
      roofdsl check mine.roof
      roofdsl check models/*.roof
    """
    failed = False
    for name in files:
        path, shown = locate(name)
        module, diagnostics = check_module(path, shown)
        if module is not None and module.tests:
            diagnostics += _of_tests(module, diagnostics)
        if report(diagnostics):
            failed = True
        else:
            click.echo(f"{shown}: no problems" if not diagnostics else f"{shown}: warnings only")
    if failed:
        raise SystemExit(1)


def _of_tests(module: Module, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the tests of a file that is right, other than what they find."""
    if any(diagnostic.severity == "error" for diagnostic in found):
        return ()
    from roofdsl.analysis.tests_looked_at import look_at_tests

    return look_at_tests(module)


def locate(name: str) -> tuple[Path, str]:
    """Return the file a name means, or the bundled one of that name, and how to show it."""
    path = Path(name)
    if not os.path.lexists(path):
        dotted = name.removesuffix(SUFFIX)
        found = bundled_path(dotted, "model") or bundled_path(dotted, "machine")
        if found is not None:
            return found, shown_path(found)
    return path, name


def report(diagnostics: tuple[Diagnostic, ...]) -> bool:
    """Print diagnostics to stderr; return whether one of them is an error."""
    for diagnostic in diagnostics:
        click.echo(f"{diagnostic}\n", err=True)
    errors = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    if errors > 1:
        click.echo(f"{errors} errors", err=True)
    return errors > 0
