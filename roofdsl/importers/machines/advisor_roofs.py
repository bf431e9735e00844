"""The roofs of Intel Advisor, `name,bandwidth`, as its Python API tells them."""

from __future__ import annotations

import re
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.counter_table import Table, cut_off, find_table, no_table
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import amount
from roofdsl.importers.machines.written import Machine, Rate, default_kind, imported
from roofdsl.importers.points import unused
from roofdsl.located_csv import LocatedRow
from roofdsl.reading import as_text

LARGEST = 1_000_000
TOOL = "Intel Advisor"
_HEAD = ("name", "bandwidth")
_BANDWIDTH = re.compile(r"(\w+) Bandwidth")
_PEAK = re.compile(r"(?:(DP|SP) Vector|(Scalar)) (FMA|Add) Peak")
_KINDS = {"DP": "fp64", "SP": "fp32", "Scalar": "scalar"}
_ONE_THREAD = re.compile(r" *\(single[- ]threaded\)", re.IGNORECASE)
_LEAST = 10**6
"""Bytes or flop of a second, below which a roof is no roof of a processor."""


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: its header is that of roofs."""
    del name  # it may be called as its user likes
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    return tuple(each.strip(' "\r') for each in first.split(",")[:2]) == _HEAD


def read(given: Given) -> Import:
    """Return the roofs as a machine, or what is wrong with the file.

    `DRAM Bandwidth` is `memory.DRAM`, `DP Vector FMA Peak` is `flops.fp64`, without multiply-adds
    `fp64_add`. Of roofs of one thread, those of all are taken.
    """
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    table = find_table(source, lambda names: all(name in names for name in _HEAD))
    if table is None:
        return None, (no_table(source, TOOL, "name, bandwidth"),)
    if cut := cut_off(source):
        return None, (cut,)
    problems: list[Diagnostic] = []
    left: list[str] = []
    rates: list[Rate] = []
    for row in table.rows:
        misfit = table.misfit(row)
        rate = None if misfit else _rate(table, row, left, problems)
        problems += [misfit] if misfit else []
        rates += [rate] if rate else []
        if len(problems) >= 20:
            break
    if not problems and not rates:
        message = "this file has no roof"
        hint = "roofs are called `DRAM Bandwidth`, `DP Vector FMA Peak`"
        problems.append(Diagnostic.at("R1236", message, table.header.span, hint=hint))
    if problems:
        return None, tuple(problems)
    about = (
        f"Imported from {TOOL}: measured by it, with all threads. Bandwidths are those that the",
        "cores see of each level; `fp64` and `fp32` are multiply-adds of vectors.",
    )
    said = [f"{given.source}: {TOOL}"]
    machine = Machine(given.path.stem, about, said, rates, defaults=default_kind(rates))
    return imported(given, [machine], unused(left, "roof"))


def _rate(
    table: Table, row: LocatedRow, left: list[str], problems: list[Diagnostic]
) -> Rate | None:
    cells = table.by_name(row)
    name, number = (cells[each] for each in _HEAD)
    bandwidth, peak = _BANDWIDTH.fullmatch(name.text), _PEAK.fullmatch(name.text)
    if (bandwidth is None and peak is None) or _ONE_THREAD.search(name.text):
        left.append(name.text)
        return None
    value = amount(number.text, number.span, "roof", problems)
    if value is None:
        return None
    if value < _LEAST:
        message = f"'{name.text[:60]}' is {number.text[:40]} in a second, which is no roof"
        hint = "its unit is B/s or flop/s, as the API tells it, not GB/s"
        problems.append(Diagnostic.at("R1234", message, number.span, hint=hint))
        return None
    scaled = value / Fraction(10**9)
    if bandwidth is not None:
        return Rate("memory", bandwidth[1], scaled, "GB/s", number.span)
    assert peak is not None  # one of both matches
    kind = _KINDS[peak[1] or peak[2]]
    kind = kind if peak[3] == "FMA" else f"{kind}_add"
    return Rate("flops", kind, scaled, "GFLOP/s", number.span)
