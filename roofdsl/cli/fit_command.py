"""`roofdsl fit`: rates, start-ups and constants of models from runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import check_ending, echo, format_option, say
from roofdsl.cli.options import check_outputs, machine_named, refuse_several, split_settings
from roofdsl.cli.scoring import model_of_runs, runs_of_models
from roofdsl.cli.sweep_values import is_range
from roofdsl.inert import in_a_line

if TYPE_CHECKING:
    from roofdsl.analysis.fit_law import Law

_LAWS = click.Choice(["written", "apart", "sum"])


@click.command("fit", cls=Call)
@click.argument("runs")
@click.option(
    "--model", "models", multiple=True, metavar="[KERNEL=]MODEL", help="a model; may be repeated"
)
@click.option("-m", "--machine", required=True, metavar="NAME", help="what it is fitted on")
@click.option(
    "-p",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="a parameter that the file does not say",
)
@click.option("-o", "--output", metavar="FILE", help="a .roof file with what was fitted")
@click.option("--name", default="fitted", metavar="NAME", help="of the machine that is written")
@click.option(
    "--constant", "also", multiple=True, metavar="NAME", help="fit this too: startup, words"
)
@click.option("--keep", multiple=True, metavar="NAME", help="leave this as the machine states it")
@click.option("--compose", "law", type=_LAWS, help="how times combine; by default the best of them")
@click.option("--hold-out", type=click.Choice(["half"]), help="fit every other size, try the rest")
@click.option("--folds", type=click.IntRange(2, 100), default=5, show_default=True, metavar="N")
@click.option("--as", "how", type=click.Choice(["rate", "efficiency"]), default="rate")
@format_option("json", "csv")
def command(
    runs: str,
    models: tuple[str, ...],
    machine: str,
    settings: tuple[str, ...],
    output: str | None,
    name: str,
    also: tuple[str, ...],
    keep: tuple[str, ...],
    law: Law | None,
    hold_out: str | None,
    folds: int,
    how: str,
    form: str,
) -> None:
    """Fit the rates of a machine to RUNS, a CSV file of times that were measured.

    Fitted are the rates that the runs need and the start-ups that the machine states, and what is
    named: what it lacks is added to it (`startup`, `"startup network"`, `flops.matrix`), and of a
    model a parameter or `let` in which its time is linear. Times of resources combine as the
    machine says (written), or communication overlaps nothing (apart), or nothing does (sum).

    \b
    Examples:
      roofdsl fit runs.csv --model summa --machine karst
      roofdsl fit runs.csv --model summa --machine karst --constant startup -o mine.roof
      roofdsl fit runs.csv --model summa --machine karst --hold-out half --format json
    """
    from roofdsl.analysis.fitting import fit
    from roofdsl.answer.fitted import FitAnswer
    from roofdsl.embedding.formulas import a_name

    name = a_name("--name", name, "a machine")
    refuse_several([("-p ", text) for text in settings if is_range(text)], "a run has one value")
    known = [model_of_runs(text) for text in models]
    base, module = machine_named(machine)
    if output is not None:
        check_outputs({"-o": output}, [module], runs)
        check_ending(output, "what was fitted", [".roof"])
    found = runs_of_models(runs, known, split_settings(settings))
    half = hold_out == "half"
    fitted = fit(found.asked, base, also=also, keep=keep, law=law, half=half, folds=folds)
    if output is not None:
        from roofdsl.embedding.fitted_text import origin_of, write_fitted

        origin = origin_of(Path(runs))
        write_fitted(fitted, name, origin, output, efficiencies=how == "efficiency")
    echo(FitAnswer(runs, fitted, found.notes), form)
    if output is not None:
        say(in_a_line(output), err=True)  # the answer alone is for programs
