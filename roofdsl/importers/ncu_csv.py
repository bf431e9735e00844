"""Launches that Nsight Compute profiled, as points: a row for each metric, or for each launch."""

from __future__ import annotations

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.counter_table import LARGEST as LARGEST
from roofdsl.importers.given import Given, Import
from roofdsl.importers.ncu_metrics import USED, amounts
from roofdsl.importers.ncu_table import TOOL, Launches, read_launches
from roofdsl.importers.points import Launch, points, unused


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: it has the header of a table of metrics or of launches."""
    del name  # it may be called as its user likes
    return b'"Kernel Name"' in head and b'"ID"' in head


def read(given: Given) -> Import:
    """Return the launches of a file as points, or what is wrong with it."""
    read = read_launches(given, USED)
    if not isinstance(read, Launches):
        return None, read
    notes = {f"{name} is 'n/a' of some launches": None for name in read.absent}
    launches = [
        Launch(each.kernel, amounts(each.values, each.capability, notes)) for each in read.found
    ]
    if not any(launch.amounts for launch in launches):
        message = "none of the metrics counts flop, bytes or time"
        hint = (
            "collect dram__bytes.sum, gpu__time_duration.sum and sm__sass_thread_inst_executed_op_…"
        )
        return None, (Diagnostic.at("R1236", message, read.span, hint=hint),)
    notes.update(dict.fromkeys(unused(read.others, "metric")))
    return points(given, launches, TOOL, [*notes], each=given.each), ()
