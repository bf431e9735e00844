"""The bound of a kernel cut in two for two devices, over the intensities of its parts (PerDome)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roofdsl.analysis.matching import default_key
from roofdsl.analysis.rates import machine_rates
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.model.types import MachineDefinition
from roofdsl.numeric.decision import NEARLY


class PartitionBound(NamedTuple):
    """What a partition attains [flop/s], and what binds it, such as `gpu.memory`: all ties."""

    attainable: float
    bound: tuple[str, ...]


class _Device(NamedTuple):
    name: str
    flops: float
    memory: float

    def times(self, flops: float, memory: float) -> dict[str, float]:
        spent = {"flops": flops / self.flops, "memory": memory / self.memory}
        return {f"{self.name}.{resource}": time for resource, time in spent.items()}


def partition_bound(
    machine: MachineDefinition, whole: float, first: float, second: float
) -> PartitionBound | None:
    """Return the bound of a partition, or None where there is no such partition.

    `whole` is the operational intensity of the kernel, `first` and `second` those of the parts on
    the machine's first and second device [flop/B]; 0 is an idle device. A flop of the kernel is
    `x = first·(whole − second)/(whole·(first − second))` flops on the first device and 1 − x on the
    second (Tang, Hu, Barrett 2015, Eq. 17-18), and the slower device says how long it takes
    (Eq. 19). Where all three are equal they do not say how much each device does: it is the share
    that takes both as long. Parts that both lie above the whole or both below it (Lemma 2), or of
    which one has its intensity and the other neither that nor nothing to do (Lemma 1), cannot be.

    Raises RoofError where the machine is not two devices with limited rates of flops and memory
    (R0804).

    >>> from roofdsl.model.library import find_machine
    >>> system, _ = find_machine("i7_gtx750")
    >>> bound = partition_bound(system, 1.7, 0.1, 2.0)
    >>> f"{bound.attainable / 1e9:.0f} GFLOP/s", bound.bound
    ('136 GFLOP/s', ('gpu.memory',))
    >>> partition_bound(system, 1.7, 2.0, 3.0) is None
    True
    """
    return _bound(*_two_devices(machine), whole, first, second)


def partition_surface(
    machine: MachineDefinition, whole: float, first: Sequence[float], second: Sequence[float]
) -> list[list[PartitionBound | None]]:
    """Return the bounds over two axes of intensities [flop/B], a row for each of `first`.

    >>> from roofdsl.model.library import find_machine
    >>> system, _ = find_machine("i7_titan")
    >>> rows = partition_surface(system, 1.7, [0.1, 1.7, 4.0], [1.0, 1.7, 2.0])
    >>> [[bound is not None for bound in row] for row in rows]
    [[False, False, True], [False, True, False], [True, False, False]]
    """
    devices = _two_devices(machine)
    return [[_bound(*devices, whole, mine, other) for other in second] for mine in first]


def is_partition(whole: float, first: float, second: float) -> bool:
    """Return whether a kernel of intensity `whole` has parts of intensities `first` and `second`.

    >>> is_partition(2, 3, 1), is_partition(2, 3, 4), is_partition(2, 1, 1), is_partition(2, 2, 0)
    (True, False, False, True)
    """
    if first == whole or second == whole:
        return {first, second} <= {whole, 0.0}
    return (first < whole) != (second < whole)


def _bound(
    one: _Device, two: _Device, whole: float, first: float, second: float
) -> PartitionBound | None:
    if not is_partition(whole, first, second):
        return None
    if first == second:
        slowest = [max(device.times(1.0, 1.0 / whole).values()) for device in (one, two)]
        share = slowest[1] / (slowest[0] + slowest[1])
        memory = share / whole
    else:
        memory = (whole - second) / (whole * (first - second))
        share = first * memory
    times = {
        **one.times(share, memory),
        **two.times(1.0 - share if second else 0.0, 1.0 / whole - memory),
    }
    longest = max(times.values())
    bound = tuple(name for name, time in times.items() if time >= longest * (1 - NEARLY))
    return PartitionBound(1.0 / longest, bound)


def _two_devices(machine: MachineDefinition) -> tuple[_Device, _Device]:
    if len(machine.devices) != 2:
        message = f"machine '{machine.name}' has {len(machine.devices) or 'no'} devices"
        hint = "a partition needs two: `device cpu = …` and `device gpu = …`"
        raise RoofError([Diagnostic("R0804", message, (Label(machine.span),), hint)])
    one, two = (_device(name, machine) for name in machine.devices)
    return one, two


def _device(name: str, machine: MachineDefinition) -> _Device:
    device = machine.devices[name]
    rates = machine_rates(device)
    values: list[float] = []
    for resource in ("flops", "memory"):
        value = rates.get(default_key(device, resource))
        if value is None:
            message = f"device '{name}' of '{machine.name}' has no limited rate for {resource}"
            raise RoofError([Diagnostic("R0804", message, (Label(device.span),))])
        values.append(value)
    return _Device(name, *values)
