"""`roofdsl explain`: what a message means, and how to mend its cause."""

from __future__ import annotations

import click

from roofdsl import resources
from roofdsl.cli.call import Call
from roofdsl.codes import CODES
from roofdsl.diagnostic import did_you_mean


@click.command("explain", cls=Call)
@click.argument("code")
def command(code: str) -> None:
    """Explain the message with this CODE.

    \b
    Examples:
      roofdsl explain R0301
      roofdsl explain r0103
    """
    wanted = code.upper()
    if wanted not in CODES:
        hint = did_you_mean(wanted, CODES) or f"codes run from {min(CODES)} to {max(CODES)}"
        raise click.UsageError(f"there is no message {code}; {hint}")
    page = resources.folder("messages") / f"{wanted}.md"
    click.echo(page.read_text(encoding="utf-8").rstrip())
