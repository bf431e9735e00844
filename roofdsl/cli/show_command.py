"""`roofdsl show`: the page of a model or a machine."""

from __future__ import annotations

import click

from roofdsl.answer.definition import DefinitionPage
from roofdsl.cli.call import Call
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import either_named


@click.command("show", cls=Call)
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
    echo(DefinitionPage(found, module.source.name), form)
