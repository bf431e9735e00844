"""What the metrics of Nsight Compute say of a launch: its time, its flop, the bytes of levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product

_OPERATIONS = {"add": 1, "mul": 1, "fma": 2}
_PRECISIONS = {"d": "fp64", "f": "fp32", "h": "fp16"}
_TENSOR = 512
"""Flop of an instruction for tensor cores; known of compute capability 7.0 alone."""
TENSOR_CAPABILITY = "7.0"


def _sass(letter: str, operation: str) -> str:
    return f"sass_thread_inst_executed_op_{letter}{operation}_pred_on.sum"


def _doubled(letter: str) -> str:
    """Return twice the multiply-adds in a cycle, as the section of the roofline derives it."""
    return f"derived__smsp__sass_thread_inst_executed_op_{letter}fma_pred_on_x2"


_TIMES = ("gpu__time_duration.sum", "Duration")  # the second as the page of details calls it
_PROCESSORS = ("sm", "smsp")
_SASS = [*product(_PRECISIONS, _OPERATIONS)]
_PER_CYCLE = ".per_cycle_elapsed"
_BYTES = {
    "memory": ("dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"),
    "memory.L2": ("lts__t_bytes.sum",),
    "memory.L1": ("l1tex__t_bytes.sum",),
}
_TENSORS = ("sm__inst_executed_pipe_tensor.sum", "smsp__inst_executed_pipe_tensor.sum")

_COUNTS: Mapping[str, Iterable[str]] = {
    "s": _TIMES,
    "cycle": [f"{unit}__cycles_elapsed.avg" for unit in _PROCESSORS],
    "cycle/s": [f"{unit}__cycles_elapsed.avg.per_second" for unit in _PROCESSORS],
    "inst": [
        *(f"{unit}__{_sass(x, each)}" for unit in _PROCESSORS for x, each in _SASS),
        *(_doubled(letter) for letter in _PRECISIONS),
        *_TENSORS,
    ],
    "inst/cycle": [f"smsp__{_sass(x, each)}{_PER_CYCLE}" for x, each in _SASS],
    "byte": [name for names in _BYTES.values() for name in names],
    "byte/s": [f"{names[0]}.per_second" for names in _BYTES.values()],
}
USED = {name: (counts,) for counts, names in _COUNTS.items() for name in names}
"""Each metric that is used, by its name, with what its unit counts."""

Values = Mapping[str, Fraction]


def amounts(values: Values, capability: str, notes: dict[str, None]) -> dict[str, Fraction]:
    """Return what is known of a launch from its metrics in base units, by column of points.

    flop = add + mul + 2·fma of fp64, fp32 and fp16, and 512 for an instruction of tensor cores;
    time is `gpu__time_duration.sum`, or the cycles over their rate. What is told for each cycle or
    second, as in the section of the roofline, is that times the cycles or the time.

    >>> names = [f"sm__sass_thread_inst_executed_op_d{x}_pred_on.sum" for x in _OPERATIONS]
    >>> values = dict(zip(names, map(Fraction, (5, 7, 100))))
    >>> amounts({**values, "dram__bytes.sum": Fraction(64)}, "8.0", {})
    {'flops': Fraction(212, 1), 'memory': Fraction(64, 1)}
    """
    time = _time(values)
    found = {"time": time, "flops": _flops(values, time, capability, notes)}
    for column, (whole, *parts) in _BYTES.items():
        found[column] = values.get(whole)
        if found[column] is None and parts:
            found[column] = _sum(values, parts)
        rate = values.get(f"{whole}.per_second")
        if found[column] is None and rate is not None and time is not None:
            found[column] = rate * time
    return {name: value for name, value in found.items() if value is not None}


def _time(values: Values) -> Fraction | None:
    for metric in _TIMES:
        if metric in values:
            return values[metric]
    for unit in _PROCESSORS:
        cycles = values.get(f"{unit}__cycles_elapsed.avg")
        rate = values.get(f"{unit}__cycles_elapsed.avg.per_second")
        if cycles is not None and rate:
            return cycles / rate
    return None


def _flops(
    values: Values, time: Fraction | None, capability: str, notes: dict[str, None]
) -> Fraction | None:
    """Return the flop of the precisions that were counted in full, and of tensor cores."""
    counted: dict[str, Fraction] = {}
    for letter, precision in _PRECISIONS.items():
        total = _precision(values, time, letter)
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


def _precision(values: Values, time: Fraction | None, letter: str) -> Fraction | None:
    for unit in _PROCESSORS:
        names = {f"{unit}__{_sass(letter, each)}": weight for each, weight in _OPERATIONS.items()}
        if all(name in values for name in names):
            return sum((values[name] * weight for name, weight in names.items()), Fraction(0))
    frequency = values.get("smsp__cycles_elapsed.avg.per_second")
    if time is None or frequency is None:
        return None
    add, mul, fma = (
        values.get(f"smsp__{_sass(letter, each)}{_PER_CYCLE}") for each in ("add", "mul", "fma")
    )
    twice = values.get(_doubled(letter), None if fma is None else 2 * fma)
    if add is None or mul is None or twice is None:
        return None
    return (add + mul + twice) * frequency * time


def _sum(values: Values, names: list[str]) -> Fraction | None:
    if all(name in values for name in names):
        return sum((values[name] for name in names), Fraction(0))
    return None
