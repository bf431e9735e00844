"""`roofdsl measure`: its parts, each imported from its own file when it is asked for."""

from __future__ import annotations

from importlib import import_module

import click

from roofdsl.cli.guard import guarded
from roofdsl.inert import in_a_line

PARTS = {
    "machine": "the rates of this machine, as a .roof file",
    "kernels": "algorithms run, their times as a table",
}
"""Each is in `measure_NAME.py`."""
_FACTOR = 100
"""So much longer than other commands may it work: on all processors at once, all day if need be."""


class Parts(click.Group):
    """The parts of the command by name."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(PARTS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in PARTS:
            return None
        command = import_module(f"roofdsl.cli.measure_{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            ctx.fail(f"it lacks what is to be measured: {' or '.join(PARTS)}")
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in PARTS and not args[0].startswith("-"):
            from roofdsl.diagnostic import did_you_mean

            hint = did_you_mean(args[0], PARTS) or f"it measures: {', '.join(PARTS)}"
            ctx.fail(f"'{in_a_line(args[0])}' is nothing to measure; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The texts are here, so that `--help` imports no part.
        with formatter.section("Commands"):
            formatter.write_dl(list(PARTS.items()))


@click.group("measure", cls=Parts)
def command() -> None:
    """Measure this machine: nothing else should run on it meanwhile.

    \b
    Examples:
      roofdsl measure machine -o mine.roof
      roofdsl measure kernels -o runs.csv
    """
    click.get_current_context().with_resource(guarded(_FACTOR))
