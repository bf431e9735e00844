"""`roofdsl measure kernels`: algorithms that are run, and their times as a table."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import check_ending, say, say_written
from roofdsl.cli.options import check_outputs, typed
from roofdsl.cli.progress import progress
from roofdsl.cli.sweep_values import sweep_values
from roofdsl.inert import in_a_line, visible

if TYPE_CHECKING:
    from roofdsl.measure.kernel_runs import Measured

_MOST_PROCESSES = 1024


@click.command("kernels", cls=Call)
@click.argument("names", nargs=-1, metavar="[KERNEL]…")
@click.option("-o", "--output", metavar="FILE", help="a .csv file; without it, it is printed")
@click.option(
    "-P",
    "processes",
    metavar="P,…",
    help="processes; by default 1, 2, 4, … up to the processors",
)
@click.option("--sizes", metavar="N,…", help="sizes, or a range: 256..4096:x2")
@click.option("--quick", is_flag=True, help="fewer sizes and repeats")
@click.option("--busy", is_flag=True, help="measure though the machine is busy; the file says so")
def command(
    names: tuple[str, ...],
    output: str | None,
    processes: str | None,
    sizes: str | None,
    quick: bool,
    busy: bool,
) -> None:
    """Run algorithms whose models are in the library, and write how long they take.

    A KERNEL is called like its model; without any, all are run. Each answer is compared with a
    serial one. The table has a row for each kernel, size and number of processes: the time, what of
    it was computed and communicated, and quartiles. `validate` and `fit` take it.

    Several processes need MPI. Nothing else should run meanwhile: a busy machine is refused.

    \b
    Examples:
      roofdsl measure kernels -o runs.csv
      roofdsl measure kernels summa ddot -P 1,4 -o runs.csv
      roofdsl measure kernels stream_triad --sizes 1e5..1e7:x10 -P 1
    """
    from roofdsl.measure.alone import alone
    from roofdsl.measure.kernel_runs import Asked, measure, named
    from roofdsl.measure.products import blas

    if output is not None:
        check_ending(output, "a table of runs", [".csv"])
        check_outputs({"-o": output}, ())
    kernels = named(names)
    counts = _whole("-P ", processes, _MOST_PROCESSES) if processes else _usual()
    chosen = _whole("--sizes ", sizes, 10**12) if sizes else ()
    library = blas().name  # what is missing is said before anything is measured
    with alone():
        measured = measure(Asked(kernels, counts, chosen, quick, busy), _progress)
    _write(_text(measured, library), output)
    if measured.busy is not None:
        say(f"warning: the machine was busy: {measured.busy}", err=True)
    for note in measured.notes:
        say(f"note: {note}", err=True)


def _usual() -> tuple[int, ...]:
    """Return the powers of two up to the number of processors."""
    from roofdsl.measure.busy import processors

    return tuple(1 << power for power in range(processors().bit_length()))


def _whole(option: str, text: str, most: int) -> tuple[int, ...]:
    """Read whole numbers from 1, each once; raise a usage error for others, and for too large."""
    from roofdsl.model.arguments import read_number
    from roofdsl.units.dimension import DIMENSIONLESS

    found: list[int] = []
    for place in sweep_values(option.strip(), typed(option, text)):
        value = read_number(place, f"a value of {option.strip()}", DIMENSIONLESS)
        if value != int(value) or not 1 <= value <= most:
            raise click.UsageError(
                f"'{option}{in_a_line(text)}': {place.body} is no whole number from 1 to {most}"
            )
        found.append(int(value))
    return tuple(dict.fromkeys(found))


@contextmanager
def _progress(count: int) -> Iterator[Callable[[str], None]]:
    with progress(count, "runs") as tick:
        yield tick


def _text(measured: Measured, library: str) -> str:
    from roofdsl.measure.hardware import hardware
    from roofdsl.measure.mpi import launcher
    from roofdsl.measure.runs_text import runs_text

    several = any(row.processes > 1 for row in measured.rows)
    today = datetime.datetime.now(datetime.UTC).date()
    version = launcher().version if several else None
    return runs_text(measured, hardware(), library, version, today)


def _write(text: str, output: str | None) -> None:
    if output is None:
        click.echo(visible(text.rstrip("\n")))  # a file: its lines stay whole
        return
    from roofdsl.writing import write_whole

    write_whole(Path(output), text.encode())
    say_written([output])
