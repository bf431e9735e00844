"""`roofdsl table`: one table, ready for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from roofdsl.analysis.binding import show_setting
from roofdsl.analysis.intensity import intensity_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import needs_values
from roofdsl.answer.blocks import Table, in_a_row, label
from roofdsl.answer.columns import Row, arranged
from roofdsl.answer.compared import TableAnswer, intensity_formulas, rate_table, result_table
from roofdsl.answer.document.bibliography import SourceLine, bibtex, source, without_work
from roofdsl.answer.left_out import LeftOut, check_left_out, left_out_notes
from roofdsl.answer.ranges import placed_at, rows_at
from roofdsl.answer.titles import notes_of_rows
from roofdsl.cli.call import Call
from roofdsl.cli.formats import (
    check_ending,
    echo,
    format_option,
    say,
    say_without_work,
    say_written,
    shown,
)
from roofdsl.cli.options import (
    Asked,
    Points,
    asked_options,
    check_outputs,
    model_named,
    needed,
    own_values,
)
from roofdsl.cli.row_options import RowsAsked, row_options
from roofdsl.model.results import own_resources
from roofdsl.model.tally import tallies_of
from roofdsl.model.types import Definition, ModelDefinition
from roofdsl.model.uncertain_values import taken_up

WIDTH = "of the page in LaTeX, 4.8, or of one of two columns: 3.3"
_POINTS = 72.27  # of TeX, in an inch
_ENDINGS = {".tex": "latex", ".md": "markdown", ".csv": "csv", ".json": "json", ".txt": "text"}
"""The formats that a file's ending asks for; without any it is text."""
# Which options say nothing to a kind of table; where none is named it is of results.
_ROWS = ("--columns", "--sort", "--best", "--skip-invalid")
_ASKED = ("a MODEL", "--machine", "-p", "--set", *_ROWS)
_SHAPE = ("--format", "--caption", "--label", "--width", "-o", "--bib")
_IDLE = {
    "--formulas": _ASKED[1:],
    "--rates": ("a MODEL", "-p", *_ROWS),
    "--paper": _ASKED,
    "--list": (*_ASKED, *_SHAPE),
}
COLUMNS = ("OI", "CAI", "time", "attainable", "bound")
EXAMPLE = "roofdsl table summa dgemv --machine karst -p N=4096 -p P=121"


@click.command("table", cls=Call)
@click.argument("models", nargs=-1, metavar="[MODEL]…")
@asked_options("a parameter's value or range")
@row_options(f"by default {','.join(COLUMNS)}, all tallies and metrics")
@click.option("--formulas", is_flag=True, help="the MODELs' intensities as formulas")
@click.option("--rates", is_flag=True, help="the machines' rates and ridge points")
@click.option(
    "--paper", multiple=True, metavar="PAPER:TABLE", help="a paper's table: cardwell2019:2.4"
)
@click.option("--list", "listed", is_flag=True, help="the papers' tables there are")
@format_option("json", "csv", default=None)
@click.option("--caption", help="instead of ours")
@click.option("--label", "place", help="the label, tab:LABEL")
@click.option("--width", metavar="INCHES", type=click.FloatRange(2, 30), help=WIDTH)
@click.option("-o", "--output", metavar="FILE", help="a file: .tex, .md, .csv, .json or .txt")
@click.option("--bib", metavar="FILE", help="the works it cites too, as BibTeX")
def command(
    models: tuple[str, ...],
    asked: Asked,
    rows: RowsAsked,
    formulas: bool,
    rates: bool,
    paper: tuple[str, ...],
    listed: bool,
    form: str | None,
    caption: str | None,
    place: str | None,
    width: float | None,
    output: str | None,
    bib: str | None,
) -> None:
    """Print one table: results of MODELs on machines, formulas, rates, or one of a paper.

    In LaTeX it is ready for \\input: booktabs, siunitx, a caption, a label and what it cites.

    \b
    Examples:
      roofdsl table summa dgemv --machine karst --machine jetstream -p N=4096 -p P=121
      roofdsl table summa --machine karst -p N=242..61952:x4 -p P=121 --columns OI,time,bound
      roofdsl table summa dgemv -m karst -m jetstream -p N=4096 -p P=121 --sort -attainable
      roofdsl table summa dgemv fft --formulas -o intensities.tex
      roofdsl table --rates --machine karst --machine jetstream --format latex
      roofdsl table --paper cardwell2019:2.4 --format latex --width 3.3 --bib papers.bib
    """
    kinds = {"--formulas": formulas, "--rates": rates, "--paper": paper, "--list": listed}
    asked_rows = (value or None for value in rows.options().values())
    shape = (form, caption, place, width, output, bib)
    options = (models, *asked, *asked_rows, *shape)
    _refuse_idle(kinds, dict(zip((*_ASKED, *_SHAPE), options, strict=True)))
    if listed:
        from roofdsl.answer.papers import paper_names

        say("\n".join(paper_names()))
        return
    by_ending = form is None
    form = form or _ENDINGS.get(Path(output or "").suffix.lower(), "text")
    if width is not None and form != "latex":
        raise click.UsageError("--width is of a page in LaTeX: ask --format latex")
    if output is not None or bib is not None:
        given = [*(model_named(name)[1] for name in models), *asked.modules()]
        check_outputs({"-o": output, "--bib": bib}, given)
        if by_ending and output is not None:
            check_ending(output, "a table", [*_ENDINGS, ""])
    table, sources = _asked(models, asked, rows, formulas, rates, paper)
    place = table.label if place is None else label(place)
    table = table._replace(caption=caption or table.caption, label=place)
    text = _text(TableAnswer(table), form, width, output)
    if text is None:
        echo(TableAnswer(table), form)
    elif output is None:
        click.echo(text)
    _write(text, sources, output, bib)


def _text(answer: TableAnswer, form: str, width: float | None, output: str | None) -> str | None:
    """Return a table of a width [in] or for a file; None where it is shown as all answers are."""
    if width is not None:
        from roofdsl.report.latex import written

        return written(answer, _POINTS * width)
    return None if output is None else shown(answer, form)


def _refuse_idle(kinds: Mapping[str, object], given: Mapping[str, object]) -> None:
    """Refuse two kinds of table at once, and options that say nothing to the one asked for."""
    asked = [kind for kind, value in kinds.items() if value]
    if len(asked) > 1:
        raise click.UsageError("ask one of --formulas, --rates, --paper and --list")
    for kind in asked:
        for name in _IDLE[kind]:
            if given[name] not in (None, ()):
                raise click.UsageError(f"{name} says nothing to {kind}")


def _write(
    text: str | None, sources: Sequence[SourceLine], output: str | None, bib: str | None
) -> None:
    from roofdsl.writing import write_together

    files = {output: f"{text}\n", bib: bibtex(sources) if bib is not None else ""}
    write_together({Path(name): what.encode() for name, what in files.items() if name is not None})
    if output is not None:
        say_written([output, bib])
    if bib is not None:
        say_without_work(bib, sources)


def _asked(
    models: Sequence[str],
    asked: Asked,
    asked_rows: RowsAsked,
    formulas: bool,
    rates: bool,
    paper: Sequence[str],
) -> tuple[Table, Sequence[SourceLine]]:
    """Return a table of models, machines or of a paper, and the sources that it rests on."""
    if len(paper) > 1:
        raise click.UsageError(f"--paper is given {len(paper)} times: ask one table at a time")
    if paper:
        from roofdsl.answer.papers import paper_table

        table = paper_table(paper[0])
        return table, [SourceLine(key, (key,)) for key in table.cited]
    if rates:
        needed(asked.names, "name a machine: roofdsl table --rates --machine karst")
        return _sourced(rate_table(asked.machines(swept=True)), asked.machines(swept=True))
    needed(models, f"name a MODEL, as in: {EXAMPLE}")
    definitions = [model_named(name)[0] for name in models]
    if formulas:
        return _sourced(intensity_formulas(definitions), definitions)
    return _sourced(
        _results(definitions, asked, asked_rows), [*definitions, *asked.machines(swept=True)]
    )


def _sourced(table: Table, definitions: Sequence[Definition]) -> tuple[Table, Sequence[SourceLine]]:
    """Return a table with its sources; where some have none, these are named beside them."""
    sources = [source(line) for definition in definitions for line in definition.sources]
    cited = tuple(dict.fromkeys(key for each in sources for key in each.keys))
    silent = in_a_row([*dict.fromkeys(each.name for each in definitions if not each.sources)])
    missing = [f"none is given for {silent}"] if silent and sources else []
    return table._replace(cited=cited, uncited=(*without_work(sources), *missing)), sources


def _results(definitions: Sequence[ModelDefinition], asked: Asked, asked_rows: RowsAsked) -> Table:
    needed(asked.names, f"name a machine with --machine NAME, as in: {EXAMPLE}")
    asked_for = wanted = asked_rows.wanted
    if not wanted.columns:
        wanted = wanted._replace(columns=tuple(_all_of(definitions)))
    rows: list[Row] = []
    left_out: list[LeftOut] = []
    places: dict[int, str] = {}
    predictions: list[Prediction] = []
    for definition in definitions:
        own = own_values(definition, asked.values(), definitions)
        definition, values = taken_up(definition, own)
        points = Points(definition, values)
        machines = asked.machines(swept=True)
        for machine in machines:
            prediction = placed_at(definition, machine, points.first())
            if prediction.free:
                raise needs_values(prediction, prediction.free)
        given = [each for each in definition.parameters if each.name in own]
        found = rows_at(definition, machines, points, points.swept, wanted)
        left_out += found.left_out
        predictions += found.predictions
        for row in found.rows:
            result = row.result
            settings = [f"{name} = {item.written}" for name, item in result.varied.items()]
            settings += [
                f"{each.name} = {show_setting(result.parameters[each.name], each)}"
                for each in given
            ]
            places[id(row)] = ", ".join(settings)
        rows += found.rows
    count = len(rows) + len(left_out)
    check_left_out(left_out, count, skip=asked_rows.skip_invalid)
    if not asked_for.columns:  # of all that models may have, what any row has
        has = {name for row in rows for name in row.entries}
        wanted = wanted._replace(columns=tuple(name for name in wanted.columns if name in has))
    kept, best = arranged(rows, wanted)
    settings = [places[id(row)] for row in kept]
    notes = [*notes_of_rows(predictions, wanted.names), *left_out_notes(left_out, count)]
    return result_table(kept, settings, wanted.columns, best, notes)


def _all_of(definitions: Sequence[ModelDefinition]) -> Iterator[str]:
    """Yield the columns of a table for which none are asked."""
    own = [name for each in definitions for name in own_resources(each)]
    yield from (*COLUMNS[:2], *dict.fromkeys(map(intensity_of, own)), *COLUMNS[2:])
    yield from dict.fromkeys(name for each in definitions for name in tallies_of(each))
    yield from dict.fromkeys(metric.name for each in definitions for metric in each.metrics)
