"""`roofdsl test`: run the tests in `.roof` files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from roofdsl.analysis.printed import ORIGINS
from roofdsl.analysis.testing import TestOutcome, run_tests
from roofdsl.cli.call import Call
from roofdsl.cli.formats import say, say_lines, say_problems
from roofdsl.cli.roof_files import library_files, named_files, report
from roofdsl.diagnostic import Diagnostic, worth_telling
from roofdsl.inert import in_a_line
from roofdsl.model.library import check_module
from roofdsl.roles import Bad, Good, Open

_BUNDLED = "`roofdsl test --library` tests the bundled library"


@click.command("test", cls=Call)
@click.argument("names", nargs=-1, metavar="[FILE|FOLDER]…")
@click.option("--library", is_flag=True, help="test the bundled library")
@click.option("-v", "--verbose", is_flag=True, help="name every test, and files without any")
def command(names: tuple[str, ...], library: bool, verbose: bool) -> None:
    """Run the `test` blocks of FILEs and of the `.roof` files in FOLDERs.

    Without a name, the folder is the current one. Folders are searched to their depth; those that
    are hidden, built, or a virtual environment are left out.

    Numbers that a paper prints are counted by how they come back to their digits: computed by a
    model, read back from what was typed, or corrected where the paper prints another.

    \b
    Examples:
      roofdsl test
      roofdsl test mine.roof --verbose
      roofdsl test models/ machines/mine.roof
      roofdsl test --library
    """
    named = names if names or library else (".",)
    files, problems = named_files(named, _BUNDLED)
    failed = int(report(problems))
    outcomes: list[TestOutcome] = []
    untested: list[str] = []
    for path, shown in [*files, *(library_files() if library else ())]:
        module, diagnostics = check_module(path, shown)
        if report(diagnostics) or module is None:
            failed += 1
            continue
        found = run_tests(module)
        outcomes += found
        if not found and (verbose or shown in names):
            untested.append(shown)
        _tell(found, shown, verbose=verbose)
    if not files and failed:
        raise SystemExit(1)
    if not outcomes and not failed:
        where = files[0][1] if len(files) == 1 else f"these {len(files)} files"
        report([Diagnostic("R0608", f"there is no test in {where}", (), _BUNDLED)])
        raise SystemExit(1)
    for shown in untested:
        say(in_a_line(f"     {shown}: no tests"))
    passed = [outcome for outcome in outcomes if outcome.passed]
    not_run = sum(not outcome.ran for outcome in outcomes)
    failed += len(outcomes) - len(passed) - not_run
    expectations = sum(outcome.expectations for outcome in outcomes)
    printed = Counter(origin for outcome in passed for origin in outcome.printed)
    kinds = ", ".join(f"{printed[origin]} {origin}" for origin in ORIGINS)
    numbers = f"; printed numbers: {kinds}" if printed else ""
    rest = f", {not_run} not run" if not_run else ""
    counts = f"{len(passed)} passed, {failed} failed{rest}"
    role = Bad if failed else Open if not_run else Good
    say_lines([(role(counts), f" ({expectations} expectations{numbers})")])
    if failed or not_run:
        raise SystemExit(1)


def _tell(found: Sequence[TestOutcome], shown: str, *, verbose: bool) -> None:
    """Print the tests of a file that have not passed, or all, each with what is wrong with it."""
    told, more = worth_telling(problem for outcome in found for problem in outcome.problems)
    worth = {*map(id, told)}
    for outcome in found:
        if verbose or not outcome.passed:
            word = Good("ok  ") if outcome.passed else Bad("FAIL") if outcome.ran else "    "
            ending = "" if outcome.ran else Open(": not run")
            say_lines([(word, in_a_line(f" {shown}: {outcome.title}"), ending)])
        say_problems(problem for problem in outcome.problems if id(problem) in worth)
    for line in more:
        say(f"{line}\n", err=True)
