"""`roofdsl test`: run the tests in `.roof` files."""

from __future__ import annotations

import click

from roofdsl.analysis.testing import run_tests
from roofdsl.cli.check_command import locate, report
from roofdsl.model.library import bundled, check_module, shown_path


@click.command("test")
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.option("-v", "--verbose", is_flag=True, help="name every test")
def command(files: tuple[str, ...], verbose: bool) -> None:
    """Run the `test` blocks of FILEs, or of the whole bundled library.

    Published numbers are those that come back to the digits printed: `~` a number, no `within`, in
    a test whose title cites a table, figure, equation or section.

    \b
    Examples:
      roofdsl test
      roofdsl test mine.roof --verbose
    """
    if files:
        targets = [locate(name) for name in files]
    else:
        paths = [*bundled("model").values(), *bundled("machine").values()]
        targets = [(path, shown_path(path)) for path in paths]
    passed = failed = expectations = published = 0
    for path, shown in targets:
        module, diagnostics = check_module(path, shown)
        if report(diagnostics) or module is None:
            failed += 1
            continue
        for outcome in run_tests(module):
            expectations += outcome.expectations
            passed += outcome.passed
            published += outcome.published if outcome.passed else 0
            failed += not outcome.passed
            if verbose or not outcome.passed:
                click.echo(f"{'ok  ' if outcome.passed else 'FAIL'} {shown}: {outcome.title}")
            for problem in outcome.problems:
                click.echo(f"{problem}\n", err=True)
    numbers = f", {published} published numbers" if published else ""
    click.echo(f"{passed} passed, {failed} failed ({expectations} expectations{numbers})")
    if failed:
        raise SystemExit(1)
