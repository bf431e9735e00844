"""`roofdsl import`: what another tool's file describes, as a `.roof` file or a table of points."""

from __future__ import annotations

from pathlib import Path

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import check_ending, say, say_written
from roofdsl.cli.options import check_outputs
from roofdsl.diagnostic import Diagnostic, RoofError, raise_if_any
from roofdsl.importers.formats import ENDINGS, FORMATS, not_taken, read_file, recognised
from roofdsl.inert import in_a_line, visible

_LIST = "\n".join(f"  {name:<14}{each.what}: {each.makes}" for name, each in FORMATS.items())


@click.command("import", cls=Call, epilog=f"\b\nFormats:\n{_LIST}")
@click.argument("file")
@click.option(
    "-o", "--output", metavar="FILE", help="a .roof file, of points .csv; without it, it is printed"
)
@click.option(
    "--from", "form", type=click.Choice([*FORMATS]), help="the format; by default FILE's own"
)
@click.option("--name", metavar="NAME", help="of the model or machine; by default as FILE calls it")
@click.option(
    "--rename", "renames", metavar="LEVEL=NAME", multiple=True, help="another name of a level"
)
@click.option("--drop", "dropped", metavar="LEVEL", multiple=True, help="leave a level out")
@click.option("--each", is_flag=True, help="launches of one kernel apart, not added up")
@click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="the sign before decimals, where FILE is unclear",
)
def command(
    file: str,
    output: str | None,
    form: str | None,
    name: str | None,
    renames: tuple[str, ...],
    dropped: tuple[str, ...],
    each: bool,
    decimal: str | None,
) -> None:
    """Write what FILE describes in the language: a network, a machine, or points as a table.

    FILE was written by another tool, in one of the formats below. Nothing is guessed: what is not
    known is refused, or named in a note. Levels are called as in FILE, but for --rename.

    \b
    Examples:
      roofdsl import config.json -o mine.roof
      roofdsl import resnet50.onnx --name mine -o resnet50.roof
      roofdsl import ncu.csv -o points.csv
    """
    if name is not None:
        name = _a_name("--name", name, "a model" if form is None else FORMATS[form].makes)
    renamed = dict(_renamed(each) for each in renames)
    if output is not None:
        check_outputs({"-o": output}, (), file)
    found = form or recognised(Path(file), file)
    if isinstance(found, Diagnostic):
        raise RoofError([found])
    makes = FORMATS[found].makes
    options = {
        "--name": name, "--rename": renamed, "--drop": dropped, "--each": each, "--decimal": decimal
    }  # fmt: skip
    for option in not_taken(found, (option for option, value in options.items() if value)):
        raise click.UsageError(f"{option} says nothing of {makes}, which {found} gives")
    if output is not None:
        check_ending(output, f"{makes} of {found}", [ENDINGS[makes]])
    imported, problems = read_file(
        Path(file), file, found, name, renamed, dropped, each=each, decimal=decimal
    )
    raise_if_any(problems)
    assert imported is not None  # else there are problems
    if output is None:
        click.echo(visible(imported.text.rstrip("\n")))  # a file: its lines stay whole
    else:
        from roofdsl.writing import write_whole

        write_whole(Path(output), imported.text.encode())
        say_written([output])
    for note in imported.notes:
        say(f"note: {note}", err=True)


def _a_name(option: str, text: str, of: str) -> str:
    from roofdsl.embedding.formulas import a_name

    return a_name(option, text, of)


def _renamed(text: str) -> tuple[str, str]:
    """Return the name of a level in a file, and the one that it gets."""
    level, equals, name = text.rpartition("=")
    if not (equals and level.strip()):
        raise click.UsageError(f"--rename {in_a_line(text)}: write it as L3=DRAM")
    return level.strip(), _a_name("--rename", name.strip(), "a level")
