"""`roofdsl check`: find what is wrong in `.roof` files."""

from __future__ import annotations

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import say_lines
from roofdsl.cli.roof_files import named_files, report
from roofdsl.inert import in_a_line
from roofdsl.model.library import check_module
from roofdsl.roles import Good, Open


@click.command("check", cls=Call)
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
        wrong = any(diagnostic.severity == "error" for diagnostic in diagnostics)
        if module is not None and module.tests and not wrong:
            from roofdsl.analysis.testing import look_at_tests

            diagnostics += look_at_tests(module)  # no test is run
        if report(diagnostics):
            failed = True
        else:
            said = Open("warnings only") if diagnostics else Good("no problems")
            say_lines([(f"{in_a_line(shown)}: ", said)])
    if failed:
        raise SystemExit(1)
