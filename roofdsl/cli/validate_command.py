"""`roofdsl validate`: how far off models are from runs that were measured."""

from __future__ import annotations

import click

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.validation import Measure
from roofdsl.answer.validated import ValidationAnswer
from roofdsl.cli.call import Call
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import Asked, asked_options
from roofdsl.cli.scoring import ONE_VALUE, model_of_runs, one_machine, scores_of
from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.units.quantity import show_percent


@click.command("validate", cls=Call)
@click.argument("runs")
@click.option(
    "--model", "models", multiple=True, metavar="[KERNEL=]MODEL", help="a model; may be repeated"
)
@asked_options("a parameter that the file does not say")
@click.option(
    "--compose",
    type=click.Choice(["written", "max", "sum"]),
    default="written",
    help="overlap as the model says, everything, or nothing",
)
@click.option(
    "--quantity",
    type=click.Choice(["performance", "time"]),
    help="what is compared; by default performance where there are flops",
)
@click.option(
    "--max-mape",
    type=click.FloatRange(min=0),
    metavar="PERCENT",
    help="exit 1 where the MAPE of a kernel is above it",
)
@format_option("json", "yaml", "csv")
def command(
    runs: str,
    models: tuple[str, ...],
    asked: Asked,
    compose: Composing,
    quantity: Measure | None,
    max_mape: float | None,
    form: str,
) -> None:
    """Score models against RUNS, a CSV file of what was measured, on a machine.

    The columns are kernel, the parameters of its model, and time [s]. Each run is predicted twice:
    by the original Roofline, without the network, and as the model says. The kernel names a model
    of the library, or one of --model; a run with flops and memory columns and no parameter is
    predicted by its own work.

    \b
    Examples:
      roofdsl validate runs.csv --machine mine.roof
      roofdsl validate runs.csv --model summa --model dgemv -m karst --quantity time
      roofdsl validate runs.csv --model gemm=mine.roof:blocked -m karst -p dtype=fp32
      roofdsl validate runs.csv --model summa -m karst --max-mape 25
    """
    asked.refuse_several(ONE_VALUE)
    named = [model_of_runs(text) for text in models]
    machine = one_machine(asked.machines())
    found = scores_of(runs, named, machine, asked.values(), quantity, compose)
    echo(ValidationAnswer(found), form)
    if max_mape is not None:
        raise_if_any(
            Diagnostic("R1505", f"the {which} MAPE of {score.name} is {off}, above {most}")
            for score, which, mape in found.beyond(max_mape)
            for off, most in [(show_percent(mape / 100), show_percent(max_mape / 100))]
        )
