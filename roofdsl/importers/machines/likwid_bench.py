"""Read what likwid-bench prints: rates of micro-kernels on working sets of a size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import amount
from roofdsl.importers.machines.text_lines import Line, cut_off, ended, lines
from roofdsl.importers.machines.written import Machine, Rate, as_level, default_kind, imported
from roofdsl.inert import in_a_line
from roofdsl.reading import as_text
from roofdsl.source import Source, Span

LARGEST = 4_000_000
_FIELD = re.compile(r"\s*(Test|MFlops/s|MByte/s|Size(?: \(Byte\))?):\s*(\S+)?.*")
_THREADS = re.compile(r"\s*Using ([0-9]{1,6}) threads\s*")
_MOST_RUNS = 200


class _Run(NamedTuple):
    """One call of likwid-bench: its kernel, threads, bytes of the working set, and two rates."""

    test: str
    span: Span
    threads: str
    size: str
    flops: tuple[Fraction, Span] | None
    bandwidth: tuple[Fraction, Span] | None


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: it says so in its first lines."""
    del name
    return b"LIKWID MICRO BENCHMARK" in head


def read(given: Given) -> Import:
    """Return the machine that a file of one or more calls tells, or what is wrong with it."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    problems: list[Diagnostic] = []
    runs = [*_runs(source, problems)]
    if not problems and not source.text.endswith("\n"):
        problems.append(cut_off(source))
    if not runs and not problems:
        message = "no whole output of likwid-bench is in this file"
        problems.append(ended(source, message, "it says `Test:`, `MFlops/s:` and `MByte/s:`"))
    if problems:
        return None, tuple(problems[:20])
    notes: list[str] = []
    rates = [*_rates(runs, notes)]
    tests = ", ".join(dict.fromkeys(run.test for run in runs))
    threads = " or ".join(dict.fromkeys(run.threads for run in runs if run.threads))
    about = [
        "Imported from likwid-bench: bandwidths are of its explicit loads and stores alone,",
        "without the lines that a store reads first.",
    ]
    if threads:
        about += [f"They are those of {threads} threads together: a process of a model has all."]
    said = f"{given.source}: likwid-bench, {in_a_line(tests)[:200]}"
    machine = Machine(given.path.stem, about, [said], rates, defaults=default_kind(rates))
    return imported(given, [machine], notes)


def _runs(source: Source, problems: list[Diagnostic]) -> Iterator[_Run]:
    run: _Run | None = None
    threads = ""
    count = 0
    for line in lines(source):
        if found := _THREADS.fullmatch(line.text):
            threads = found[1]
            run = run and run._replace(threads=threads)
        if not (found := _FIELD.fullmatch(line.text)):
            continue
        if found[1] == "Test":
            if run is not None:
                problems.append(_unfinished(run))
            run = _Run(found[2] or "", line.span, "", "", None, None)
        elif run is not None:
            run = _with(run, line, found, problems)
            if run.flops and run.bandwidth:
                count += 1
                if count <= _MOST_RUNS:
                    yield run
                run = None
    if run is not None:
        problems.append(_unfinished(run))


def _unfinished(run: _Run) -> Diagnostic:
    message = f"the output of '{in_a_line(run.test)[:40]}' ends before its rates"
    hint = "it says `MFlops/s:` and `MByte/s:`; is the file whole?"
    return Diagnostic.at("R1222", message, run.span, hint=hint)


def _with(run: _Run, line: Line, found: re.Match[str], problems: list[Diagnostic]) -> _Run:
    place = line.part(found, 2) if found[2] else line.span
    if found[1].startswith("Size"):
        # Of some versions it is in elements, and does not say so.
        return run._replace(size=found[2] or "") if "Byte" in found[1] else run
    what = "rate" if found[1] == "MFlops/s" else "bandwidth"
    value = amount(found[2] or "", place, what, problems, zero=True)
    pair = (value or Fraction(0), place)
    return run._replace(flops=pair) if what == "rate" else run._replace(bandwidth=pair)


def _rates(runs: list[_Run], notes: list[str]) -> Iterator[Rate]:
    """Yield the peak of `peakflops` kernels, and the bandwidths of all others.

    Which level of memory a working set lies in, the file does not say: levels are called by the
    kernel and the size.
    """
    sets = [run for run in runs if not run.test.startswith("peakflops")]
    for run in runs:
        assert run.flops and run.bandwidth
        peak = run.test.startswith("peakflops")
        value, place = run.flops if peak else run.bandwidth
        if not value:
            notes.append(f"'{in_a_line(run.test)}' has a rate of 0; it is left out")
        elif peak:
            kind = "fp32" if re.search(r"_sp(_|$)", run.test) else "fp64"
            yield Rate("flops", kind, value, "MFLOP/s", place, in_a_line(run.test))
        else:
            size = f", {run.size} B" if run.size else ""
            level = as_level(f"{run.test}_{run.size}_B") if run.size else as_level(run.test)
            comment = f"{in_a_line(run.test)}{size}"
            yield Rate("memory", level if len(sets) > 1 else "", value, "MB/s", place, comment)
    if len(sets) == 1:
        size = f" of {sets[0].size} B" if sets[0].size else ""
        notes.append(f"`memory` is the bandwidth of one working set{size}: it may lie in a cache")
