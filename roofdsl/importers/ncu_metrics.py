"""What the metrics of Nsight Compute say of a launch: its time, its flop, the bytes of levels."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

_OPERATIONS = {"add": 1, "mul": 1, "fma": 2}
_PRECISIONS = {"d": "fp64", "f": "fp32", "h": "fp16"}
_TENSOR = 512
"""Flop of an instruction for tensor cores; known of compute capability 7.0 alone."""
TENSOR_CAPABILITY = "7.0"


class Metric(NamedTuple):
    """A metric that is used, and what its unit counts."""

    name: str
    counts: str


def _sass(letter: str, operation: str) -> str:
    return f"sass_thread_inst_executed_op_{letter}{operation}_pred_on.sum"


TIME = Metric("gpu__time_duration.sum", "s")
_ALSO_TIME = Metric("Duration", "s")  # as the page of details calls it
_CYCLES = Metric("sm__cycles_elapsed.avg", "cycle")
_FREQUENCY = Metric("sm__cycles_elapsed.avg.per_second", "cycle/s")
_BYTES = {
    "memory": ("dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"),
    "memory.L2": ("lts__t_bytes.sum",),
    "memory.L1": ("l1tex__t_bytes.sum",),
}
_TENSORS = ("sm__inst_executed_pipe_tensor.sum", "smsp__inst_executed_pipe_tensor.sum")

USED: Mapping[str, str] = {
    **{each.name: each.counts for each in (TIME, _ALSO_TIME, _CYCLES, _FREQUENCY)},
    "smsp__cycles_elapsed.avg": "cycle",
    "smsp__cycles_elapsed.avg.per_second": "cycle/s",
    **{
        f"{unit}__{_sass(letter, operation)}": "inst"
        for unit in ("sm", "smsp")
        for letter in _PRECISIONS
        for operation in _OPERATIONS
    },
    **dict.fromkeys(_TENSORS, "inst"),
    **{name: "byte" for names in _BYTES.values() for name in names},
}
"""Each metric that is used, by its name, with what its unit counts."""

Values = Mapping[str, Fraction]


def amounts(values: Values, capability: str, notes: dict[str, None]) -> dict[str, Fraction]:
    """Return what is known of a launch from its metrics in base units, by column of points.

    flop = add + mul + 2·fma of fp64, fp32 and fp16, and 512 for an instruction of tensor cores;
    time is `gpu__time_duration.sum`, or the cycles over their rate.

    >>> names = [f"sm__sass_thread_inst_executed_op_d{x}_pred_on.sum" for x in _OPERATIONS]
    >>> values = dict(zip(names, map(Fraction, (5, 7, 100))))
    >>> amounts({**values, "dram__bytes.sum": Fraction(64)}, "8.0", {})
    {'flops': Fraction(212, 1), 'memory': Fraction(64, 1)}
    """
    found = {"time": _time(values), "flops": _flops(values, capability, notes)}
    for column, (whole, *parts) in _BYTES.items():
        found[column] = values.get(whole)
        if found[column] is None and parts:
            found[column] = _sum(values, parts)
    return {name: value for name, value in found.items() if value is not None}


def _time(values: Values) -> Fraction | None:
    for metric in (TIME, _ALSO_TIME):
        if metric.name in values:
            return values[metric.name]
    for unit in ("sm", "smsp"):
        cycles = values.get(f"{unit}__cycles_elapsed.avg")
        rate = values.get(f"{unit}__cycles_elapsed.avg.per_second")
        if cycles is not None and rate:
            return cycles / rate
    return None


def _flops(values: Values, capability: str, notes: dict[str, None]) -> Fraction | None:
    """Return the flop of the precisions that were counted in full, and of tensor cores."""
    counted: dict[str, Fraction] = {}
    for letter, precision in _PRECISIONS.items():
        total = _precision(values, letter)
        if total is not None:
            counted[precision] = total
        elif any(f"_op_{letter}{each}_" in name for name in values for each in _OPERATIONS):
            notes[f"of {precision}, add, mul and fma are not all counted: it is left out"] = None
    tensor = next((values[name] for name in _TENSORS if name in values), None)
    if tensor and capability != TENSOR_CAPABILITY:
        notes[
            "how many flop an instruction of tensor cores is, is known of compute capability "
            f"{TENSOR_CAPABILITY} alone: flops are left out where there are any"
        ] = None
        return None
    if not counted:
        return None
    absent = [name for name in _PRECISIONS.values() if name not in counted]
    if absent:
        notes[f"flops are those of {', '.join(counted)}: no {', '.join(absent)} was counted"] = None
    return sum(counted.values(), _TENSOR * (tensor or Fraction(0)))


def _precision(values: Values, letter: str) -> Fraction | None:
    for unit in ("sm", "smsp"):
        names = {f"{unit}__{_sass(letter, each)}": weight for each, weight in _OPERATIONS.items()}
        if all(name in values for name in names):
            return sum((values[name] * weight for name, weight in names.items()), Fraction(0))
    return None


def _sum(values: Values, names: list[str]) -> Fraction | None:
    if all(name in values for name in names):
        return sum((values[name] for name in names), Fraction(0))
    return None
