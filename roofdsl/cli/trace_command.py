"""`roofdsl trace`: what a function of NumPy or PyTorch does, counted, as a `.roof` file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import check_ending, say, say_written
from roofdsl.cli.options import check_outputs, typed
from roofdsl.cli.sweep_values import sweep_values
from roofdsl.diagnostic import raise_if_any
from roofdsl.inert import visible
from roofdsl.source import Source
from roofdsl.tracing.reader import BY, MOST_SECONDS, SECONDS, Asked, traced_script

_LARGEST = 100_000


@click.command("trace", cls=Call)
@click.argument("function")
@click.argument("arguments", nargs=-1)
@click.option(
    "--sizes", multiple=True, metavar="NAME=VALUES", help="what a size is in the runs: N=4..24:4"
)
@click.option("--by", type=click.Choice(BY), default=BY[0], help="what makes a step of its own")
@click.option("-o", "--output", metavar="FILE", help="a .roof file; without it, it is printed")
@click.option("--name", metavar="NAME", help="of the model; by default the function's")
@click.option(
    "--seconds",
    type=click.FloatRange(0, MOST_SECONDS, min_open=True),
    default=SECONDS,
    help="how long all runs may take together",
)
def command(
    function: str,
    arguments: tuple[str, ...],
    sizes: tuple[str, ...],
    by: str,
    output: str | None,
    name: str | None,
    seconds: float,
) -> None:
    """Count what FUNCTION, written script.py:function, does, and write it as a model to edit.

    This runs the script and calls the function, with arrays that count, at several sizes. Its
    flops and bytes are then formulas of these, checked at others; what has none is refused.

    ARGUMENTS say what it is called with: x=f64[M,N] is an array of NumPy, x=torch.f32[M,N] one of
    PyTorch, n=N a size, dt=0.1 a number. Annotations of the function, x: "f64[M,N]", do as well.

    \b
    Examples:
      roofdsl trace kernels.py:softmax "x=f64[M,N]" -o softmax.roof
      roofdsl trace kernels.py:sweep "u=f64[N,N]" steps=T --by line
      roofdsl trace kernels.py:blocked "A=f64[N,N]" --sizes N=8..48:8
    """
    if name is not None:
        from roofdsl.embedding.formulas import a_name

        name = a_name("--name", name, "a model")
    script = function.rpartition(":")[0]
    if output is not None:
        check_outputs({"-o": output}, (), script or None)
        check_ending(output, "a model", [".roof"])
    given = _settings(arguments, "", "x=f64[M,N]")
    values = {
        size: _whole(size, source)
        for size, source in _settings(sizes, "--sizes ", "--sizes N=4..24:4").items()
    }
    traced, problems = traced_script(function, Asked(given, values, by, seconds, name))
    raise_if_any(problems)
    assert traced is not None  # else there are problems
    if output is None:
        click.echo(visible(traced.text.rstrip("\n")))  # a file: its lines stay whole
        return
    from roofdsl.writing import write_whole

    write_whole(Path(output), traced.text.encode())
    say_written([output])
    say(f"ran {function} {traced.runs} times")


def _settings(texts: Sequence[str], lead: str, example: str) -> dict[str, Source]:
    """Return `NAME=VALUE` texts by name; each value keeps its place in what was typed."""
    found: dict[str, Source] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            message = f"'{lead}{text}' is not of the form NAME=VALUE, such as {example}"
            raise click.UsageError(message)
        if name.strip() in found:
            raise click.UsageError(f"'{name.strip()}' is given twice")
        found[name.strip()] = typed(f"{lead}{name}=", value)
    return found


def _whole(name: str, source: Source) -> list[int]:
    """Read the values of a size: whole numbers above 0, each once."""
    values = [each.body.strip().replace("_", "") for each in sweep_values(name, source)]
    for value in values:
        if not value.isascii() or not value.isdigit() or not 0 < int(value) <= _LARGEST:
            message = f"--sizes {name}={value}: a size is a whole number from 1 to {_LARGEST:,}"
            raise click.UsageError(message)
    return [*dict.fromkeys(map(int, values))]
