"""`roofdsl eval`: what a model means on a machine."""

from __future__ import annotations

import click

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.cli.options import model_arguments, raise_if_any
from roofdsl.model.library import find_machine, find_model


@click.command("eval")
@click.argument("model")
@click.option("-m", "--machine", required=True, metavar="NAME", help="a machine, by name or path")
@click.option(
    "-p", "settings", multiple=True, metavar="NAME=VALUE", help="give a parameter a value"
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def command(model: str, machine: str, settings: tuple[str, ...], form: str) -> None:
    """Derive what MODEL means on a machine.

    Numbers where every parameter has a value, else formulas.

    MODEL is a path, path:name, or the name of a bundled model.

    \b
    Examples:
      roofdsl eval summa.roof --machine karst
      roofdsl eval summa --machine karst -p N=4096 -p P=121
      roofdsl eval summa --machine karst -p N=4096 -p P=121 --format json
    """
    definition, _ = find_model(model)
    target, _ = find_machine(machine)
    arguments = model_arguments(definition, settings)
    prediction, problems = predict(definition, target, arguments)
    raise_if_any(problems)
    if prediction.free:
        from roofdsl.report.symbolic import symbolic_json, symbolic_text

        show = symbolic_json if form == "json" else symbolic_text
        click.echo(show(prediction))
        return
    from roofdsl.report.numeric import numeric_json, numeric_text

    result = evaluated(prediction)
    click.echo(numeric_json(result) if form == "json" else numeric_text(result, prediction))
