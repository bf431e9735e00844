"""`roofdsl check`: find what is wrong in `.roof` files."""

from __future__ import annotations

import click

from roofdsl.cli.roof_files import named_files, report
from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import check_module
from roofdsl.model.types import Module


@click.command("check")
@click.argument("names", nargs=-1, required=True, metavar="FILE|FOLDER…")
def command(names: tuple[str, ...]) -> None:
    """Check FILEs, and the `.roof` files in FOLDERs: names, units, syntax.

    All problems of a file are reported at once.

    Tests are looked into too, but for whether their expectations hold: `roofdsl test` says that.

    \b
    Examples:
      roofdsl check mine.roof
      roofdsl check models/
    """
    files, problems = named_files(names, "name a `.roof` file, or a folder that holds some")
    failed = report(problems)
    for path, shown in files:
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
    """Return mistakes in the tests of a file without errors; no test is run."""
    if any(diagnostic.severity == "error" for diagnostic in found):
        return ()
    from roofdsl.analysis.testing import look_at_tests

    return look_at_tests(module)
