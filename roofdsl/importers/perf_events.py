"""What the events of Linux perf say of a run: its time, its flop, the bytes of its memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from roofdsl.diagnostic import listing

_LANES = {
    "scalar_single": 1, "scalar_double": 1, "128b_packed_single": 4, "128b_packed_double": 2,
    "256b_packed_single": 8, "256b_packed_double": 4, "512b_packed_single": 16,
    "512b_packed_double": 8,
}  # fmt: skip
_HALVES = {
    "scalar_half": 1, "128b_packed_half": 8, "256b_packed_half": 16, "512b_packed_half": 32,
}  # fmt: skip
FLOPS: Mapping[str, int] = {
    **{f"fp_arith_inst_retired.{name}": flop for name, flop in _LANES.items()},
    **{f"fp_arith_inst_retired2.{name}": flop for name, flop in _HALVES.items()},
    "fp_ret_sse_avx_ops.all": 1,
}
"""Flop of one count of an event; a fused multiply-add counts twice by itself."""

UNITS: Mapping[str, Fraction] = {
    "": Fraction(1), "ns": Fraction(1, 10**9), "usec": Fraction(1, 10**6),
    "msec": Fraction(1, 1000), "sec": Fraction(1), "seconds": Fraction(1), "Bytes": Fraction(1),
    "KiB": Fraction(1024), "MiB": Fraction(1024**2), "GiB": Fraction(1024**3),
}  # fmt: skip
"""The units that perf writes behind a count, in seconds or bytes."""

_CONTROLLER = re.compile(
    r"uncore_imc(?:_free_running)?(?:_[0-9]+)?/(?:cas_count|data)_(read|write|total|all)s?/"
    r"|unc_m_cas_count[._](rd|wr|read|write|all)"
)
_KINDS = {"rd": "read", "wr": "write", "total": "all"}
_CACHE = ("LLC-load-misses", "LLC-store-misses")
_LINE = 64
"""Bytes of a line of a cache, of the processors that have these events."""
TIMES = ("time elapsed", "duration_time")
KNOWN = ("cycles", "instructions", "task-clock", "cpu-clock", "user_time", "system_time")
"""Events that say nothing about a point, and of which nothing need be said."""


def plain(event: str) -> str:
    """Return an event without what says whose it counts.

    >>> [plain(event) for event in ("cycles:u", "cpu_core/LLC-load-misses/", "a/b/:k")]
    ['cycles', 'LLC-load-misses', 'a/b/']
    """
    name = re.sub(r":[a-zA-Z]+$", "", event)
    match = re.fullmatch(r"cpu(?:_core|_atom)?/([^/,]+)/[a-zA-Z]*", name)
    return match[1] if match else name


def is_used(event: str) -> bool:
    """Whether an event says something about a point."""
    known = (*FLOPS, *TIMES, *_CACHE)
    return event in known or _CONTROLLER.fullmatch(event) is not None


def in_base(event: str, number: Fraction, unit: str) -> Fraction:
    """Return a count in seconds, bytes, or as it is; what controllers count without unit is lines.

    >>> int(in_base("unc_m_cas_count.rd", Fraction(3), "")), int(in_base("a", Fraction(2), "KiB"))
    (192, 2048)
    """
    lines = not unit and _CONTROLLER.fullmatch(event) is not None
    return number * (_LINE if lines else UNITS[unit])


Counts = Mapping[str, Fraction]


def amounts(counts: Counts, absent: set[str], notes: dict[str, None]) -> dict[str, Fraction]:
    """Return what is known of a run, by column of points; `absent` are events not counted.

    flop = the counts of `fp_arith_inst_retired` by their lanes; memory = what the controllers
    moved, or 64 B for each miss of the last cache.

    >>> counts = {"fp_arith_inst_retired.256b_packed_double": Fraction(5)}
    >>> amounts({**counts, "time elapsed": Fraction(2)}, set(), {})
    {'time': Fraction(2, 1), 'flops': Fraction(20, 1)}
    """
    found = {
        "time": next((counts[time] for time in TIMES if time in counts), None),
        "flops": _flops(counts, absent, notes),
        "memory": _memory(counts, absent, notes),
    }
    return {name: value for name, value in found.items() if value is not None}


def _flops(counts: Counts, absent: set[str], notes: dict[str, None]) -> Fraction | None:
    counted = [name for name in FLOPS if name in counts]
    lost = [name for name in FLOPS if name in absent]
    if lost:
        notes[f"flops are left out: not counted: {listing(lost)}"] = None
        return None
    if not counted:
        return None
    family = "fp_arith_inst_retired."
    of_family = [name for name in counted if name.startswith(family)]
    if 0 < len(of_family) < len(_LANES):
        notes[f"flops are those that {listing(of_family)} counted, of no others"] = None
    return sum((FLOPS[name] * counts[name] for name in counted), Fraction(0))


def _memory(counts: Counts, absent: set[str], notes: dict[str, None]) -> Fraction | None:
    kinds: dict[str, list[str]] = {}
    for name in (*counts, *absent):
        if match := _CONTROLLER.fullmatch(name):
            kind = match[1] or match[2]
            kinds.setdefault(_KINDS.get(kind, kind), []).append(name)
    halves = [*kinds.get("read", ()), *kinds.get("write", ())]
    events = halves if {"read", "write"} <= kinds.keys() else kinds.get("all", [])
    if kinds and not events:
        notes[f"memory is left out: {listing(halves)} is one of reads and writes alone"] = None
        return None
    each = 1
    if not events:
        events, each = [name for name in _CACHE if name in counts or name in absent], _LINE
        if events:
            notes[
                f"memory is {_LINE} B for each of {listing(events)}: what is prefetched and "
                "written back is not among them"
            ] = None
    if lost := [name for name in events if name in absent]:
        notes[f"memory is left out: not counted: {listing(lost)}"] = None
        return None
    return each * sum((counts[name] for name in events), Fraction(0)) if events else None
