"""`roofdsl show`: the page of a model or a machine."""

from __future__ import annotations

import click

from roofdsl.cli.documents import DOCUMENTS, echo_blocks
from roofdsl.cli.options import machine_named, model_named
from roofdsl.diagnostic import RoofError
from roofdsl.report.page import machine_page, model_page


@click.command("show")
@click.argument("name")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "latex", "markdown"]),
    default="text",
    show_default=True,
)
def command(name: str, form: str) -> None:
    """Show the page of a model or machine NAME: doc, parameters, formulas, sources.

    \b
    Examples:
      roofdsl show summa
      roofdsl show karst
      roofdsl show mine.roof:my_model
    """
    try:
        model, module = model_named(name)
    except RoofError as no_model:
        try:
            machine, module = machine_named(name)
        except RoofError:
            # Neither: the first message is about a model, which is what most names mean.
            raise no_model from None
        if form in DOCUMENTS:
            from roofdsl.report.document.commands import machine_blocks

            echo_blocks(machine_blocks(machine), form)
        else:
            click.echo(machine_page(machine, module.source.name))
        return
    if form in DOCUMENTS:
        from roofdsl.report.document.commands import model_blocks

        echo_blocks(model_blocks(model), form)
        return
    click.echo(model_page(model, module.source.name))
