"""The `roofdsl` command: finds the subcommand and imports only that one."""

from __future__ import annotations

import errno
import gc
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from roofdsl.allowance import budget, counting, factor_of
from roofdsl.cli.guard import guarded
from roofdsl.cli.terminal import lose, tell
from roofdsl.cli.wrong_call import wrong_calls

COMMANDS = {
    "eval": "what a model means on a machine: intensities, bound, time",
    "solve": "from which value on: crossovers, thresholds, which is faster, with proof",
    "verify": "check a certificate that solve wrote, by a checker of its own",
    "study": "sensitivity, scaling, and what happens as a parameter grows",
    "project": "how long a profiled program would take on another machine",
    "validate": "how far off models are from runs that were measured",
    "plot": "figures: rooflines, surfaces, ridgelines, regimes, breakdowns, …",
    "diff": "two versions of a model or machine, compared by meaning",
    "table": "one table for a paper: results, formulas, rates, or one of a paper's own",
    "report": "all of it as one document: HTML, LaTeX, Markdown or PDF",
    "explore": "an offline page: move a slider, see the bound change",
    "fit": "rates, start-ups and constants of models from runs that were measured",
    "measure": "the rates of this machine, with which models are predicted",
    "import": "another tool's file as a .roof file or table: networks, machines, points",
    "trace": "run a function of NumPy or PyTorch, and count what it does, as a .roof file",
    "check": "find what is wrong in .roof files",
    "test": "run the tests in .roof files",
    "list": "the bundled models and machines",
    "show": "a model's or machine's page: parameters, formulas, sources",
    "explain": "what a message means, and how to mend its cause",
}

_LOOKING = frozenset({"verify", "measure", "import", "trace", "check", "list", "show", "explain"})
"""Commands that compute nothing that more work would tell more of."""


def _raised(ctx: click.Context, _: click.Parameter, factor: str | None) -> None:
    if factor is not None:
        ctx.with_resource(guarded(factor_of(factor)))
        ctx.with_resource(budget(factor))
        ctx.with_resource(counting())


BUDGET = click.Option(
    ["--budget"],
    metavar="FACTOR",
    expose_value=False,
    is_eager=True,
    callback=_raised,
    help="let it work so much more, to prove or compute further: 10x",
)


class Commands(click.Group):
    """Subcommands by name, each imported from its own file when it is asked for."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: object,
    ) -> click.Context:
        with wrong_calls():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with wrong_calls():
            return super().invoke(ctx)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"roofdsl.cli.{cmd_name}_command")
        command = module.command
        assert isinstance(command, click.Command)
        if cmd_name not in _LOOKING and BUDGET not in command.params:
            # Here, so that no command can be without it; before `--help`, which comes last.
            command.params.append(BUDGET)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from roofdsl.diagnostic import did_you_mean

            hint = did_you_mean(args[0], COMMANDS) or f"commands: {', '.join(COMMANDS)}"
            ctx.fail(f"there is no command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The texts are here, so that `--help` imports no command.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Example: roofdsl eval summa.roof --machine karst -p N=4096 -p P=121",
)
@click.version_option(package_name="roofdsl")
def cli() -> None:
    """Write down what an algorithm does; get back what it means on a machine."""
    context = click.get_current_context()
    context.with_resource(guarded())
    context.with_resource(counting())


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; exit 0 when fine, 1 when the input is wrong, 2 when the call is."""
    from roofdsl.diagnostic import Diagnostic, RoofError

    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed")
        cli.main(args=None if args is None else list(args), prog_name="roofdsl")
    except RoofError as error:
        tell(error.diagnostics)
        raise SystemExit(1) from None
    except OSError as error:
        if error.filename is not None:
            raise  # of a file: of what is printed, none is named
        reason = (error.strerror or "unknown reason").lower()
        if sys.stdout is not None:
            lose(sys.stdout)
        if not isinstance(error, BrokenPipeError):  # else nobody reads on: nothing is to be said
            tell([Diagnostic("R0802", f"standard output cannot be written: {reason}")])
        raise SystemExit(1) from None
    finally:
        gc.freeze()  # else Python looks for it again as it ends: a fifth of a short command
