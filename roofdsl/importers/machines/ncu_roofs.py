"""The roofs that Nsight Compute tells with each launch: what its units could do in a cycle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.counter_table import LARGEST as LARGEST
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import rounded
from roofdsl.importers.machines.written import Machine, Rate, default_kind, imported
from roofdsl.importers.ncu_table import TOOL, Launches, Metrics, Used, read_launches
from roofdsl.source import Span

_DIGITS = 6
_PEAKS = {"fp64": "d", "fp32": "f", "fp16": "h"}
_TRAFFIC = {"DRAM": ("dram", "bytes"), "L2": ("lts", "t_bytes"), "L1": ("l1tex", "t_bytes")}


def _multiply_adds(letter: str) -> str:
    return f"sm__sass_thread_inst_executed_op_{letter}fma_pred_on.sum.peak_sustained"


def _cycles(unit: str) -> str:
    return f"{unit}__cycles_elapsed.avg.per_second"


USED: Used = {
    **{_multiply_adds(letter): ("inst/cycle", "inst") for letter in _PEAKS.values()},
    **{
        f"{unit}__{name}.sum.peak_sustained": ("byte/cycle", "byte")
        for unit, name in _TRAFFIC.values()
    },
    **{_cycles(unit): ("cycle/s",) for unit in ("sm", "dram", "lts", "l1tex")},
}
"""Each metric that is used, with what its unit may count."""


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: never, for its launches are what it is recorded for."""
    del name, head
    return False


def read(given: Given) -> Import:
    """Return the roofs as a machine, or what is wrong with the file.

    Flop of a second are 2 · multiply-adds of a cycle · cycles of a second of `sm`, bytes those of
    a cycle · cycles of a second of the unit that counts them.
    """
    read = read_launches(given, USED)
    if not isinstance(read, Launches):
        return None, read
    notes: list[str] = []
    rates = [*_rates(read.found, read.span, notes)]
    if not rates:
        message = "no launch tells what a unit could do in a cycle"
        hint = "collect dram__bytes.sum.peak_sustained and dram__cycles_elapsed.avg.per_second"
        return None, (Diagnostic.at("R1236", message, read.span, hint=hint),)
    about = (
        f"Imported from {TOOL}: not measured, but what its units could do in each cycle, at the",
        "clock while the kernels ran. fp64, fp32 and fp16 are multiply-adds of vectors.",
    )
    called = given.path.stem
    machine = Machine(
        called, about, [f"{given.source}: {TOOL}"], rates, defaults=default_kind(rates)
    )
    return imported(given, [machine], notes)


def _rates(launches: Iterable[Metrics], place: Span, notes: list[str]) -> Iterator[Rate]:
    values = [each.values for each in launches]
    for kind, letter in _PEAKS.items():
        peaks = _products(values, _multiply_adds(letter), _cycles("sm"))
        if peaks:
            yield _rate("flops", kind, [2 * peak for peak in peaks], "GFLOP/s", place, notes)
    for level, (unit, name) in _TRAFFIC.items():
        peaks = _products(values, f"{unit}__{name}.sum.peak_sustained", _cycles(unit))
        if peaks:
            yield _rate("memory", level, peaks, "GB/s", place, notes)


def _products(values: list[dict[str, Fraction]], each: str, cycles: str) -> list[Fraction]:
    found = [x[each] * x[cycles] for x in values if each in x and cycles in x]
    return [product for product in found if product]


def _rate(
    resource: str, level: str, peaks: list[Fraction], unit: str, place: Span, notes: list[str]
) -> Rate:
    """Return the largest of the launches: the clock of others may have been lower."""
    most, least = (rounded(peak / 10**9, _DIGITS) for peak in (max(peaks), min(peaks)))
    if least < most:
        notes.append(
            f"{resource}.{level} is the largest, {float(most):g} {unit}; the clock went down to "
            f"{float(least):g} {unit}"
        )
    return Rate(resource, level, most, unit, place)
