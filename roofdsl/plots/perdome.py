"""The bound of a workload split between two devices (Tang, Hu and Barrett, *PerDome*)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofdsl.analysis.prediction import default_rate
from roofdsl.analysis.result import machine_rates
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.figures import perdome as perdome_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.perdome import Dome, Partition
from roofdsl.figures.picture import Picture
from roofdsl.model.types import MachineDefinition
from roofdsl.plots.measured import by_name

Array = NDArray[np.float64]
_POINTS = 193
_OCTAVES = 6


def perdome(
    machine: MachineDefinition,
    whole: float,
    partitions: Mapping[str, tuple[float, float]],
    measured: Mapping[str, float],
    look: Look = PLAIN,
) -> Picture:
    """Draw the bound of a kernel of intensity `whole` [flop/B] split between two devices."""
    by_name(measured, list(partitions), "partition")
    data = dome(machine, whole, partitions, measured)
    return perdome_figure.perdome(data, look, f"I = {whole:g} flop/B on {machine.name}")


def dome(
    machine: MachineDefinition,
    whole: float,
    partitions: Mapping[str, tuple[float, float]],
    measured: Mapping[str, float],
) -> Dome:
    """Return the bound [flop/s] over (I_C, I_G) for a kernel of intensity `whole` [flop/B].

    `partitions` gives each its (I_C, I_G), `measured` the performance of some [flop/s]. Raises
    RoofError where the machine has not two devices with flops and memory (R0804).
    """
    cpu, gpu = _devices(machine)
    around = np.log2(whole)
    exponents = np.linspace(np.round(around) - _OCTAVES, np.round(around) + _OCTAVES, _POINTS)
    intensities = np.exp2(exponents)
    on_cpu, on_gpu = np.meshgrid(intensities, intensities)
    found = [
        Partition(name, i_c, i_g, _partition(whole, i_c, i_g, cpu, gpu), measured.get(name))
        for name, (i_c, i_g) in partitions.items()
    ]
    bound = split(whole, on_cpu, on_gpu, cpu, gpu)
    return Dome(whole, intensities, intensities, bound, tuple(found))


def split(
    whole: float,
    on_cpu: ArrayLike,
    on_gpu: ArrayLike,
    cpu: tuple[float, float],
    gpu: tuple[float, float],
) -> Array:
    """Return the bound of code partitioning [flop/s], PerDome Eq. 19; NaN where there is none.

    `cpu` and `gpu` are their rates of flops [flop/s] and memory [B/s].
    """
    i_c, i_g = np.asarray(on_cpu, dtype=float), np.asarray(on_gpu, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        bytes_cpu = (whole - i_g) / (whole * (i_c - i_g))
        bytes_gpu = (whole - i_c) / (whole * (i_g - i_c))
        times = (
            i_c * bytes_cpu / cpu[0],
            bytes_cpu / cpu[1],
            i_g * bytes_gpu / gpu[0],
            bytes_gpu / gpu[1],
        )
        bound = 1.0 / np.maximum.reduce(times)
    return np.where((i_c - whole) * (i_g - whole) < 0, bound, np.nan)


def _partition(
    whole: float, i_c: float, i_g: float, cpu: tuple[float, float], gpu: tuple[float, float]
) -> float:
    """Return one partition's bound: both devices alike (Eq. 20), one of them, or a split."""
    roofs = [min(flops, memory * whole) for flops, memory in (cpu, gpu)]
    if i_c == i_g:
        return sum(roofs)
    if i_g == 0 or i_c == 0:
        return roofs[0] if i_g == 0 else roofs[1]
    return float(split(whole, i_c, i_g, cpu, gpu))


def _devices(machine: MachineDefinition) -> tuple[tuple[float, float], tuple[float, float]]:
    devices = machine.devices
    if len(devices) != 2:
        message = f"machine '{machine.name}' has {len(devices) or 'no'} devices"
        hint = "this figure needs two: `device cpu = …` and `device gpu = …`"
        labels = (Label(machine.span),)
        raise RoofError([Diagnostic("R0804", message, labels, hint)])
    found: list[tuple[float, float]] = []
    for name, device in devices.items():
        rates = machine_rates(device)
        values: list[float] = []
        for resource in ("flops", "memory"):
            symbol = default_rate(device, resource)
            value = rates.get(symbol.name.removeprefix(f"{device.name}.")) if symbol else None
            if value is None:
                message = f"device '{name}' of '{machine.name}' has no limited rate for {resource}"
                raise RoofError([Diagnostic("R0804", message, (Label(device.span),))])
            values.append(value)
        found.append((values[0], values[1]))
    return found[0], found[1]
