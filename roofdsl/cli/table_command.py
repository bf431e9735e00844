"""`roofdsl table`: one table, ready for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from roofdsl.analysis.binding import show_setting
from roofdsl.analysis.result import Result, needs_values
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import Table, label
from roofdsl.answer.compared import TableAnswer, intensity_formulas, rate_table, result_table
from roofdsl.answer.ranges import results_at
from roofdsl.answer.result_cells import RESULT_COLUMNS
from roofdsl.answer.rows import tallies_of
from roofdsl.cli.formats import format_option, say, say_written, shown
from roofdsl.cli.options import (
    Asked,
    Points,
    asked_options,
    check_outputs,
    model_named,
    needed,
    own_values,
)
from roofdsl.model.types import ModelDefinition

COLUMNS = "OI,CAI,time,attainable,bound"
EXAMPLE = "roofdsl table summa dgemv --machine karst -p N=4096 -p P=121"


@click.command("table")
@click.argument("models", nargs=-1, metavar="[MODEL]…")
@asked_options("a parameter's value or range")
@click.option("--columns", metavar="NAME,…", help=f"by default {COLUMNS}, and all tallies")
@click.option("--formulas", is_flag=True, help="the MODELs' intensities as formulas")
@click.option("--rates", is_flag=True, help="the machines' rates and ridge points")
@click.option("--paper", metavar="PAPER:TABLE", help="a paper's table: cardwell2019:2.4")
@click.option("--list", "listed", is_flag=True, help="the papers' tables there are")
@format_option("json", "csv")
@click.option("--caption", help="instead of ours")
@click.option("--label", "place", help="the label, tab:LABEL")
@click.option("-o", "--output", metavar="FILE", help="instead of standard output")
def command(
    models: tuple[str, ...],
    asked: Asked,
    columns: str | None,
    formulas: bool,
    rates: bool,
    paper: str | None,
    listed: bool,
    form: str,
    caption: str | None,
    place: str | None,
    output: str | None,
) -> None:
    """Print one table: results of MODELs on machines, formulas, rates, or one of a paper.

    In LaTeX it is ready for \\input: booktabs, siunitx, a caption and a label.

    \b
    Examples:
      roofdsl table summa dgemv --machine karst --machine jetstream -p N=4096 -p P=121
      roofdsl table summa --machine karst -p N=242..61952:x4 -p P=121 --columns OI,time,bound
      roofdsl table summa dgemv fft --formulas --format latex -o intensities.tex
      roofdsl table --rates --machine karst --machine jetstream --format latex
      roofdsl table --paper cardwell2019:3.6 --format latex
    """
    if sum([formulas, rates, paper is not None, listed]) > 1:
        raise click.UsageError("ask one of --formulas, --rates, --paper and --list")
    if listed:
        from roofdsl.answer.papers import paper_names

        say("\n".join(paper_names()))
        return
    if output is not None:
        check_outputs(
            {"-o": output}, [*(model_named(name)[1] for name in models), *asked.modules()]
        )
    if paper is not None:
        from roofdsl.answer.papers import paper_table

        table = paper_table(paper)
    elif rates:
        needed(asked.names, "name a machine: roofdsl table --rates --machine karst")
        table = rate_table(asked.machines())
    else:
        needed(models, f"name a MODEL, as in: {EXAMPLE}")
        definitions = [model_named(name)[0] for name in models]
        table = (
            intensity_formulas(definitions) if formulas else _results(definitions, asked, columns)
        )
    if caption is not None or place is not None:
        place = table.label if place is None else label(place)
        table = table._replace(caption=caption or table.caption, label=place)
    text = shown(TableAnswer(table), form)
    if output is None:
        click.echo(text)
        return
    from roofdsl.writing import write_whole

    write_whole(Path(output), f"{text}\n".encode())
    say_written([output])


def _results(definitions: Sequence[ModelDefinition], asked: Asked, columns: str | None) -> Table:
    needed(asked.names, f"name a machine with --machine NAME, as in: {EXAMPLE}")
    found: list[Result] = []
    places: list[str] = []
    for definition in definitions:
        points = Points(definition, own_values(definition, asked.values(), definitions))
        first = points.first()
        given = [each for each in definition.parameters if each.name in first]
        for machine in asked.machines():
            prediction = ModelOnMachine(definition, machine).at(first)
            if prediction.free:
                raise needs_values(prediction, prediction.free)
            found += results_at(definition, machine, points, points.swept, whole=False)
        for result in found[len(places) :]:
            values = [
                f"{each.name} = {show_setting(result.parameters[each.name], each)}"
                for each in given
            ]
            places.append(", ".join(values))
    tallies = tallies_of(found)
    names = [*COLUMNS.split(","), *tallies]
    if columns is not None:
        names = [*dict.fromkeys(name.strip() for name in columns.split(","))]
    known = (*RESULT_COLUMNS, *tallies)
    for name in names:
        if name not in known:
            raise click.UsageError(f"there is no column '{name}'; {', '.join(known)}")
    return result_table(found, places, names)
