"""Counters of AMD's profilers: `pmc_perf.csv` of rocprof-compute, the CSV of rocprof, rocprofv3."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic, listing
from roofdsl.importers.counter_table import LARGEST as LARGEST
from roofdsl.importers.counter_table import Table, cut_off, find_table, first_with, no_table
from roofdsl.importers.decimals import Written, no_number, read_number
from roofdsl.importers.given import Given, Import
from roofdsl.importers.points import Launch, points, unused
from roofdsl.located_csv import LocatedCell
from roofdsl.reading import as_text

TOOL = "rocprof"
_MOST_PROBLEMS = 20
_NAMES = ("Kernel_Name", "KernelName")
_STARTS, _ENDS = ("Start_Timestamp", "BeginNs"), ("End_Timestamp", "EndNs")
_NANOSECOND = Fraction(1, 10**9)
_PLAIN = frozenset(
    "Dispatch_ID,Dispatch_Id,GPU_ID,Agent_Id,Queue_ID,Queue_Id,Queue_Index,PID,TID,Process_Id,"
    "Thread_Id,GRD,WGR,LDS,SCR,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,LDS_Block_Size,"
    "Scratch_Per_Workitem,Scratch_Size,Arch_VGPR,Accum_VGPR,ACCUM_VGPR,VGPR_Count,"
    "Accum_VGPR_Count,SGPR,SGPR_Count,Wave_Size,SIG,OBJ,Correlation_ID,Correlation_Id,Kernel_ID,"
    "Kernel_Id,Node,Index,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,"
    "accum_vgpr,sgpr,wave_size,sig,obj,DispatchNs,CompleteNs,Counter_Name,Counter_Value,"
    "Kernel_Name,KernelName,Start_Timestamp,BeginNs,End_Timestamp,EndNs,".split(",")
)
"""What is said of a dispatch beside its counters."""

_VECTOR = {"ADD": 64, "MUL": 64, "FMA": 128, "TRANS": 64}
_MATRIX = ("F16", "BF16", "F32", "F64")
_TRAFFIC: Mapping[str, Mapping[str, Mapping[str, int]]] = {
    "memory": {
        "MI200": {
            "TCC_EA_RDREQ_sum": 64,
            "TCC_EA_RDREQ_32B_sum": -32,
            "TCC_EA_WRREQ_sum": 32,
            "TCC_EA_WRREQ_64B_sum": 32,
        },
        "MI300": {
            "TCC_EA0_RDREQ_sum": 64,
            "TCC_EA0_RDREQ_32B_sum": -32,
            "TCC_BUBBLE_sum": 64,
            "TCC_EA0_WRREQ_sum": 32,
            "TCC_EA0_WRREQ_64B_sum": 32,
        },
    },
    "memory.L2": {
        "": {
            "TCP_TCC_READ_REQ_sum": 64,
            "TCP_TCC_WRITE_REQ_sum": 64,
            "TCP_TCC_ATOMIC_WITH_RET_REQ_sum": 64,
            "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum": 64,
        }
    },
    "memory.L1": {"": {"TCP_TOTAL_CACHE_ACCESSES_sum": 64}},
}
"""Bytes of each request, by column and by the counters that a generation has.

Of reads 32 B long, 64 · all − 32 · these is 32 of each and 64 of the others; `TCC_BUBBLE` counts
those of 128 B, which 64 more make up for; of writes it is 32 · all + 32 · those of 64 B.
"""


def _flop_groups() -> dict[str, dict[str, int]]:
    groups = {
        f"{precision} of vectors": {
            f"SQ_INSTS_VALU_{operation}_{precision}": flop for operation, flop in _VECTOR.items()
        }
        for precision in ("F16", "F32", "F64")
    }
    for precision in _MATRIX:
        groups[f"{precision} of matrices"] = {f"SQ_INSTS_VALU_MFMA_MOPS_{precision}": 512}
    return groups


_FLOPS = _flop_groups()
USED = frozenset(
    [name for group in _FLOPS.values() for name in group]
    + [name for ways in _TRAFFIC.values() for way in ways.values() for name in way]
)


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: its first lines name kernels and when they began, or counters."""
    del name  # it may be called as its user likes
    text = head.decode("utf-8", "replace")
    kernels = any(each in text for each in _NAMES)
    return kernels and any(each in text for each in (*_STARTS, "Counter_Name"))


def read(given: Given) -> Import:
    """Return the dispatches of a file as points, or what is wrong with it."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    table = find_table(source, lambda names: any(name in names for name in _NAMES))
    if table is None:
        return None, (no_table(source, TOOL, "Kernel_Name, Start_Timestamp and End_Timestamp"),)
    if cut := cut_off(source):
        return None, (cut,)
    dispatches, others, problems = _dispatches(table)
    notes: dict[str, None] = {}
    launches = [Launch(name, _amounts(values, notes)) for name, values in dispatches]
    if not problems and not any(launch.amounts for launch in launches):
        message = "none of the columns counts flop, bytes or time"
        hint = "collect Start_Timestamp, End_Timestamp, SQ_INSTS_VALU_… and TCC_…"
        problems = [Diagnostic.at("R1236", message, table.header.span, hint=hint)]
    if problems:
        return None, tuple(problems[:_MOST_PROBLEMS])
    notes.update(dict.fromkeys(unused(others, "counter")))
    return points(given, launches, TOOL, [*notes], each=given.each), ()


_Dispatches = list[tuple[str, dict[str, Fraction]]]


def _dispatches(table: Table) -> tuple[_Dispatches, list[str], list[Diagnostic]]:
    """Return each dispatch with its counters and its `time` [s]; a counter may have its own row."""
    found: dict[object, tuple[str, dict[str, Fraction]]] = {}
    others: list[str] = []
    problems: list[Diagnostic] = []
    long = "Counter_Name" in table.names and "Counter_Value" in table.names
    for number, row in enumerate(table.rows):
        if len(problems) >= _MOST_PROBLEMS:
            break
        if misfit := table.misfit(row):
            problems.append(misfit)
            continue
        cells = table.by_name(row)
        name = first_with(cells, *_NAMES)
        if name is None or not name.text:
            problems.append(Diagnostic.at("R1231", "this dispatch has no name", row.span))
            continue
        key = (cells["Dispatch_Id"].text, name.text) if long and "Dispatch_Id" in cells else number
        values = found.setdefault(key, (name.text, {}))[1]
        time = _time(cells, problems)
        if time is not None:
            values["time"] = time
        counters = cells
        if long:
            counters = {cells["Counter_Name"].text: cells["Counter_Value"]}
        for counter, cell in counters.items():
            if counter in USED:
                value = _count(counter, cell, problems)
                if value is not None:
                    values[counter] = values.get(counter, Fraction(0)) + value
            elif counter not in _PLAIN:
                others.append(counter)
    return list(found.values()), others, problems


def _time(cells: Mapping[str, LocatedCell], problems: list[Diagnostic]) -> Fraction | None:
    """Return end − start of a dispatch in seconds, None where it is not told."""
    ends = [first_with(cells, *names) for names in (_STARTS, _ENDS)]
    if ends[0] is None or ends[1] is None:
        return None
    start, end = (_count("a timestamp", cell, problems) for cell in ends if cell is not None)
    if start is None or end is None:
        return None
    if end >= start:
        return (end - start) * _NANOSECOND
    problems.append(Diagnostic.at("R1237", "this dispatch ends before it starts", ends[1].span))
    return None


def _count(name: str, cell: LocatedCell, problems: list[Diagnostic]) -> Fraction | None:
    """Return a number of the file; None, and no problem, for a cell that is empty."""
    if not cell.text:
        return None
    written = Written(cell.text, cell.span)
    value = read_number(written, ".")
    if value is None:
        problems.append(no_number(written, name))
    return value


def _amounts(values: Mapping[str, Fraction], notes: dict[str, None]) -> dict[str, Fraction]:
    """Return what is known of a dispatch from its counters, by column of points."""
    found = {"time": values["time"]} if "time" in values else {}
    counted = [name for name, group in _FLOPS.items() if all(each in values for each in group)]
    if counted:
        found["flops"] = sum((_weighted(_FLOPS[name], values) for name in counted), Fraction(0))
        absent = [name for name in _FLOPS if name not in counted]
        if absent:
            notes[f"flops are those of {', '.join(counted)}: {', '.join(absent)} not counted"] = (
                None
            )
    for column, ways in _TRAFFIC.items():
        way = next((way for way in ways.values() if all(each in values for each in way)), None)
        if way is not None:
            found[column] = _weighted(way, values)
        elif some := [each for way in ways.values() for each in way if each in values]:
            lacking = [each for each in _nearest(ways, values) if each not in values]
            notes[f"{column} is left out: {listing(lacking)} not among {listing(some)}"] = None
    return {name: value for name, value in found.items() if value >= 0}


def _weighted(weights: Mapping[str, int], values: Mapping[str, Fraction]) -> Fraction:
    return sum((weight * values[name] for name, weight in weights.items()), Fraction(0))


def _nearest(
    ways: Mapping[str, Mapping[str, int]], values: Mapping[str, Fraction]
) -> Mapping[str, int]:
    """Return the way of which most counters are there."""
    return max(ways.values(), key=lambda way: sum(each in values for each in way))
