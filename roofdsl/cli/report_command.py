"""`roofdsl report`: everything derived of models on machines, as one document."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofdsl.analysis.binding import bind
from roofdsl.cli.call import Call
from roofdsl.cli.formats import say_without_work, say_written
from roofdsl.cli.options import Asked, asked_options, check_outputs, model_named, needed, own_values
from roofdsl.cli.progress import progress
from roofdsl.diagnostic import raise_if_any
from roofdsl.model.arguments import read_arguments
from roofdsl.model.library import bundled, find_machine, load_module, shown_path
from roofdsl.model.types import ModelDefinition, Module
from roofdsl.model.uncertain_values import taken_up
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.analysis.binding import Arguments

_OF_VALUES = ("R0401", "R0402", "R0403", "R0404")


@click.command("report", cls=Call)
@click.argument("models", nargs=-1, metavar="[MODEL]…")
@asked_options()
@click.option("-o", "--output", metavar="FILE", help="the report: .html, .tex, .md or .pdf")
@click.option("--template", metavar="FILE", help="your own template instead of ours")
@click.option("--title", help="instead of the models and machines")
@click.option("--library", is_flag=True, help="all bundled models")
@click.option("--no-figures", is_flag=True, help="leave the figures out")
@click.option("--bib", metavar="FILE", help="the references too, as BibTeX")
def command(
    models: tuple[str, ...],
    asked: Asked,
    output: str | None,
    template: str | None,
    title: str | None,
    library: bool,
    no_figures: bool,
    bib: str | None,
) -> None:
    """Write a document of all that follows from MODELs on machines.

    Formulas, numbers, regimes, crossovers, sensitivities, breakdowns, figures, sources and the
    files it was made from. Where a parameter without a default is given no value, numbers are for
    an example, and the report says so.

    \b
    Examples:
      roofdsl report summa --machine karst -p N=4096 -p P=121 -o summa.html
      roofdsl report summa cannon --machine karst --machine jetstream -o both.pdf
      roofdsl report --library --machine karst -o library.html
      roofdsl report summa --machine karst -o mine.html --template mine.html
    """
    what = "name a MODEL: roofdsl report summa --machine karst -o summa.html"
    needed(models or library, what)
    needed(asked.names, "name a machine: --machine karst")
    target = Path(needed(output, "name a file: -o report.html"))
    asked.refuse_several("a report has the numbers of one point")
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # as in `plot`
    from roofdsl.embedding import reporting

    form = reporting.form_of(target)
    mine = Path(template) if template else None
    reporting.check(form, mine)
    chosen = _library() if library else [model_named(name) for name in models]
    modules = [find_machine(name)[1] for name in asked.names]
    outputs = {"-o": output, "--bib": bib}
    check_outputs(outputs, [*(module for _, module in chosen), *modules], template)
    chosen, given = _taken_up(chosen, asked.values())
    with progress(len(chosen)) as done:
        report = reporting.report(
            chosen,
            list(zip(asked.machines(), modules, strict=True)),
            given,
            title=title or "",
            form=form,
            figures=not no_figures,
            done=done,
        )
    reporting.write(report, target, form, mine, Path(bib) if bib else None)
    say_written(outputs.values())
    if bib:
        say_without_work(bib, report.sources)


def _library() -> list[tuple[ModelDefinition, Module]]:
    found = []
    for path in bundled("model").values():
        module = load_module(path, shown_path(path))
        found += [(model, module) for model in module.models.values()]
    return found


def _taken_up(
    chosen: list[tuple[ModelDefinition, Module]], values: dict[str, Source]
) -> tuple[list[tuple[ModelDefinition, Module]], dict[str, Arguments]]:
    """Return the models with values by model: each takes those of its own parameters."""
    models = [model for model, _ in chosen]
    taken: list[tuple[ModelDefinition, Module]] = []
    found: dict[str, Arguments] = {}
    for asked, module in chosen:
        model, own = taken_up(asked, own_values(asked, values, models))
        taken.append((model, module))
        arguments, problems = read_arguments(model, own)
        raise_if_any(problems)
        _, wrong = bind(model, arguments)
        # What is wrong with a default, or needs a machine, is for each machine to say.
        raise_if_any([x for x in wrong if arguments and x.code in _OF_VALUES])
        found[model.name] = arguments
    return taken, found
