"""What a process sends in a collective operation, of which nccl-tests measure the time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import rounded
from roofdsl.importers.machines.latency_fit import Message, fitted, how_far
from roofdsl.importers.machines.written import Machine, Rate, imported
from roofdsl.source import Span

_LIKE = Fraction(1, 50)
"""So close are the quotient of two bandwidths as printed, and the one of an operation."""


class Measured(NamedTuple):
    """A row: bytes of the operation, seconds out of place, GB/s of both kinds, and where it is."""

    size: Fraction
    time: Fraction
    algorithm: Fraction
    bus: Fraction
    span: Span


class Report(NamedTuple):
    """What is in a file: the operation's name or "", how many ranks, and the rows."""

    operation: str
    ranks: int
    rows: Sequence[Measured]
    said: Sequence[str]
    place: Span


def link(given: Given, report: Report, notes: Sequence[str]) -> Import:
    """Return the link as a machine: its rate is the bus bandwidth of operations without start.

    A process sends size·f bytes, f = bus/algorithm bandwidth: 2(n - 1)/n of an all-reduce of n
    ranks, (n - 1)/n of a reduce-scatter, all-gather or all-to-all, 1 of a broadcast.
    """
    factor = _sent(report)
    if isinstance(factor, Diagnostic):
        return None, (factor,)
    found = fitted([Message(row.size * factor, row.time) for row in report.rows])
    if found is None:
        message = "these rows do not tell a bandwidth: larger operations take no longer"
        hint = "it needs several sizes, up to some hundred megabytes: -b 8 -e 1G -f 2"
        return None, (Diagnostic.at("R1225", message, report.place, hint=hint),)
    start = rounded(found.latency * 10**6) if found.latency else None
    sizes = [row.size for row in report.rows]
    said = (
        f"{given.source}: {', '.join(report.said)}: a process sends {factor} of each size, and "
        f"start + sent/bandwidth by least relative squares over {len(sizes)} sizes, "
        f"{min(sizes)} to {max(sizes)} B, out of place, {how_far(found, found.worst / factor)}"
    )
    about = [
        f"Imported from nccl-tests: what {report.ranks} ranks reach in one operation.",
        "",
        "The rate is the bus bandwidth, that of what a process sends; the algorithm bandwidth is",
        "that of the operation's size. What messages take is in the start of each operation.",
    ]
    place = report.place
    rates = [Rate("network", "", rounded(found.bandwidth / 10**9), "GB/s", place)]
    last = ["messages = unlimited"]
    if start is not None:
        rates.append(Rate("startup network", "", start, "us", place, "of each operation"))
    machine = Machine(given.path.stem, about, [said], rates, last=last)
    return imported(given, [machine], notes)


def _sent(report: Report) -> Fraction | Diagnostic:
    """Return what a process sends for each byte of the operation's size."""
    n = report.ranks
    largest = max(report.rows, key=lambda row: row.size)
    if not largest.algorithm:
        message = "the bandwidth of the largest operation is 0"
        return Diagnostic.at("R1222", message, largest.span, hint="it needs some megabytes")
    seen = largest.bus / largest.algorithm
    factors = dict.fromkeys((Fraction(2 * (n - 1), n), Fraction(n - 1, n), Fraction(1)))
    close = [each for each in factors if each and abs(seen / each - 1) <= _LIKE]
    if len(close) == 1:
        return close[0]
    message = (
        f"the bus bandwidth is {float(seen):.4g} times the algorithm bandwidth, which is of no "
        f"operation that is known of {n} rank{'s' * (n != 1)}"
    )
    hint = "known are 2(n - 1)/n, (n - 1)/n and 1; is it the file of all ranks?"
    return Diagnostic.at("R1222", message, largest.span, hint=hint)
