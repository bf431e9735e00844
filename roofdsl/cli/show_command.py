"""`roofdsl show`: the page of a model or a machine."""

from __future__ import annotations

import click

from roofdsl.answer.definition import MachinePage, ModelPage
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import either_named
from roofdsl.model.types import ModelDefinition


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
    found, module = either_named(name)
    file = module.source.name
    if isinstance(found, ModelDefinition):
        echo(ModelPage(found, file), form)
    else:
        echo(MachinePage(found, file), form)
