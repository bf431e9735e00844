"""`roofdsl measure machine`: the rates of this machine, as a `.roof` file."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import check_ending, say, say_written
from roofdsl.cli.options import check_outputs
from roofdsl.cli.progress import progress
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.inert import visible
from roofdsl.reading import read_source

if TYPE_CHECKING:
    from roofdsl.measure.found import Measured

_THREADS = "--threads is a number of threads, or all: as many as there are processors"


@click.command("machine", cls=Call)
@click.option("-o", "--output", metavar="FILE", help="a .roof file; without it, it is printed")
@click.option("--name", metavar="NAME", help="of the machine; by default as FILE is called")
@click.option(
    "--threads",
    metavar="N|all",
    default="1",
    show_default=True,
    help="of the one process whose rates these are",
)
@click.option("--quick", is_flag=True, help="fewer sizes and repeats: less than a minute")
@click.option("--no-gemm", is_flag=True, help="without the tables of products beside FILE")
@click.option("--hosts", metavar="FILE", help="a host a line: the network between the first two")
@click.option("--busy", is_flag=True, help="measure though the machine is busy; the file says so")
def command(
    output: str | None,
    name: str | None,
    threads: str,
    quick: bool,
    no_gemm: bool,
    hosts: str | None,
    busy: bool,
) -> None:
    """Measure the rates of this machine and write them as a machine in the language.

    Products of matrices, other arithmetic and exponentials, the bandwidth of memory and of each
    cache, and messages between two processes where there is MPI. The rates are those of one
    process, as models of several ask for; with `--threads all` those of the machine. Nothing else
    should run meanwhile: a busy machine is refused.

    Beside FILE stand tables of products of many sizes, by which models of products go.

    \b
    Examples:
      roofdsl measure machine -o mine.roof
      roofdsl measure machine -o mine.roof --quick
      roofdsl measure machine -o node.roof --threads all
    """
    from roofdsl.measure.alone import alone
    from roofdsl.measure.machine import Asked, measure, threads_of
    from roofdsl.measure.plan import FULL, QUICK

    count = threads_of(threads)
    if count is None:
        raise click.UsageError(_THREADS)
    named = _named(name, output)
    files = _tables(output, gemm=not no_gemm)
    if output is not None:
        check_ending(output, "a machine", [".roof"])
        outputs = {f"the table of {kind}": str(path) for kind, path in files.items()}
        check_outputs({"-o": output, **outputs}, (), hosts)
    if hosts is not None and isinstance(refused := read_source(Path(hosts), hosts), Diagnostic):
        raise RoofError([refused])
    plan = QUICK if quick else FULL
    asked = Asked(plan, count, bool(files), busy, Path(hosts) if hosts is not None else None)
    with alone():
        measured = measure(asked, _progress)
    _write(measured, named, output, files)
    if measured.busy is not None:
        say(f"warning: the machine was busy: {measured.busy}", err=True)
    for note in measured.notes:
        say(f"note: {note}", err=True)


def _named(name: str | None, output: str | None) -> str:
    """Return the machine's name: as it is given, else like the file's."""
    if name is not None:
        from roofdsl.embedding.formulas import a_name

        return a_name("--name", name, "a machine")
    from roofdsl.importers.written import as_name

    return as_name(Path(output).stem if output is not None else "mine", "machine")


def _tables(output: str | None, *, gemm: bool) -> dict[str, Path]:
    """Return the files of the tables, beside that of the machine, by their precision."""
    if output is None or not gemm:
        return {}
    path = Path(output)
    return {kind: path.with_name(f"{path.stem}_gemm_{kind}.csv") for kind in ("fp64", "fp32")}


@contextmanager
def _progress(count: int) -> Iterator[Callable[[str], None]]:
    with progress(count, "measured") as tick:
        yield tick


def _write(measured: Measured, name: str, output: str | None, files: dict[str, Path]) -> None:
    from roofdsl.measure.machine_text import machine_text, table_text

    today = datetime.datetime.now(datetime.UTC).date()
    text = machine_text(measured, name, {kind: path.name for kind, path in files.items()}, today)
    if output is None:
        click.echo(visible(text.rstrip("\n")))  # a file: its lines stay whole
        return
    from roofdsl.writing import write_together

    of = f"{measured.hardware.processor}, NumPy's matmul, {measured.threads} threads, {today}"
    tables = dict(measured.tables)
    written = {path: table_text(tables[kind], of).encode() for kind, path in files.items()}
    write_together({**written, Path(output): text.encode()})
    say_written([output, *(str(path) for path in files.values())])
