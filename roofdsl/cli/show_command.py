"""`roofdsl show`: the page of a model or a machine."""

from __future__ import annotations

import click

from roofdsl.answer.definition import MachinePage, ModelPage
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import machine_named, model_named
from roofdsl.diagnostic import RoofError


@click.command("show")
@click.argument("name")
@format_option()
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
        echo(MachinePage(machine, module.source.name), form)
    else:
        echo(ModelPage(model, module.source.name), form)
