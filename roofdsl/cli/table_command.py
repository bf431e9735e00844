"""`roofdsl table`: one table, ready for a paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.answer.blocks import Table, label
from roofdsl.answer.compared import TableAnswer
from roofdsl.answer.point import parameters_text
from roofdsl.cli.formats import format_option, shown
from roofdsl.cli.options import (
    Points,
    machines_named,
    model_named,
    own_settings,
    raise_if_any,
    set_option,
)

EXAMPLE = "roofdsl table summa dgemv --machine karst -p N=4096 -p P=121"


@click.command("table")
@click.argument("models", nargs=-1, metavar="[MODEL]…")
@click.option("-m", "--machine", "machines", multiple=True, metavar="NAME", help="may be repeated")
@click.option(
    "-p", "settings", multiple=True, metavar="NAME=VALUE", help="a parameter's value or range"
)
@set_option
@click.option("--columns", default="OI,CAI,time,attainable,bound", metavar="NAME,…")
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
    machines: tuple[str, ...],
    settings: tuple[str, ...],
    changes: tuple[str, ...],
    columns: str,
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

        click.echo("\n".join(paper_names()))
        return
    table = _table(models, machines, settings, changes, columns, formulas, rates, paper)
    if caption is not None or place is not None:
        place = table.label if place is None else label(place)
        table = replace(table, caption=caption or table.caption, label=place)
    text = shown(TableAnswer(table), form)
    if output is None:
        click.echo(text)
        return
    from roofdsl.writing import write_whole

    write_whole(Path(output), f"{text}\n".encode())
    click.echo(output)


def _table(
    models: tuple[str, ...],
    machines: tuple[str, ...],
    settings: tuple[str, ...],
    changes: tuple[str, ...],
    columns: str,
    formulas: bool,
    rates: bool,
    paper: str | None,
) -> Table:
    if paper is not None:
        from roofdsl.answer.papers import paper_table

        return paper_table(paper)
    from roofdsl.answer.compared import (
        RESULT_COLUMNS,
        intensity_formulas,
        rate_table,
        result_table,
    )

    if rates:
        if not machines:
            raise click.UsageError("name a machine: roofdsl table --rates --machine karst")
        return rate_table(machines_named(machines, changes))
    if not models:
        raise click.UsageError(f"name a MODEL, as in: {EXAMPLE}")
    definitions = [model_named(name)[0] for name in models]
    if formulas:
        return intensity_formulas(definitions)
    if not machines:
        raise click.UsageError(f"name a machine with --machine NAME, as in: {EXAMPLE}")
    asked = [name.strip() for name in columns.split(",")]
    for name in asked:
        if name not in RESULT_COLUMNS:
            raise click.UsageError(f"there is no column '{name}'; {', '.join(RESULT_COLUMNS)}")
    found = []
    places = []
    for definition in definitions:
        points = Points(definition, own_settings(definition, settings, definitions))
        for machine in machines_named(machines, changes):
            for point in points:
                prediction, problems = predict(definition, machine, point)
                raise_if_any(problems)
                found.append(evaluated(prediction))
                places.append(parameters_text(prediction, point))
    return result_table(found, places, asked)
