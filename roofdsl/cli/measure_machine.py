"""`roofdsl measure machine`: the rates of this machine, as a `.roof` file."""

from __future__ import annotations

import click

from roofdsl.cli.call import Call


@click.command("machine", cls=Call)
@click.option("-o", "--output", metavar="FILE", help="a .roof file; without it, it is printed")
def command(output: str | None) -> None:
    """Measure the rates of this machine and write them as a machine in the language."""
    click.echo(f"{output}: not yet")
