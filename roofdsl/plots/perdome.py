"""The bound of a workload split between two devices (Tang, Hu and Barrett, *PerDome*)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from roofdsl.analysis.partition import partition_bound, partition_surface
from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.figures import perdome as perdome_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.perdome import Dome, Partition
from roofdsl.figures.picture import Picture
from roofdsl.model.types import MachineDefinition
from roofdsl.plots.cases import MachineHolder
from roofdsl.plots.measured import by_name
from roofdsl.units.dimension import BYTE, FLOP
from roofdsl.units.quantity import show_number, show_quantity

_POINTS = 193
_OCTAVES = 6
_LEAST, _MOST = 1e-100, 1e100
"""Intensities whose products and quotients are within the range of a double."""


def perdome(
    machine: MachineDefinition | MachineHolder,
    whole: float,
    partitions: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    measured: Mapping[str, float] = MappingProxyType({}),
    look: Look = PLAIN,
) -> Picture:
    """Draw the bound of a kernel of intensity `whole` [flop/B] split between two devices.

    `partitions` gives (I_C, I_G) [flop/B] by name: equal ones are data partitioning, a 0 an idle
    device; `measured` has performances [flop/s] by the same names. Raises RoofError where the
    machine has not two devices (R0804), an intensity is not from 1e-100 to 1e100, a partition
    cannot be, or no partition has a measurement's name (R0807).
    """
    by_name(measured, list(partitions), "partition")
    definition = machine.definition if isinstance(machine, MachineHolder) else machine
    data = dome(definition, whole, partitions, measured)
    return perdome_figure.perdome(data, look, f"I = {_shown(whole)} on {definition.name}")


def dome(
    machine: MachineDefinition,
    whole: float,
    partitions: Mapping[str, tuple[float, float]],
    measured: Mapping[str, float],
) -> Dome:
    """Return the bound [flop/s] over (I_C, I_G) for a kernel of intensity `whole` [flop/B].

    `partitions` gives each its (I_C, I_G), `measured` the performance of some [flop/s]. Raises
    RoofError where the machine has not two devices with flops and memory (R0804), for an intensity
    that is none, and for a partition that cannot be (R0807).
    """
    raise_if_any([] if _drawable(whole) else [_undrawable("the whole kernel's intensity", whole)])
    around = np.round(np.log2(whole))
    intensities = np.exp2(np.linspace(around - _OCTAVES, around + _OCTAVES, _POINTS))
    axis = intensities.tolist()
    rows = partition_surface(machine, whole, axis, axis)
    bound = [[np.nan if found is None else found.attainable for found in row] for row in rows]
    hint = "one lies above the whole, the other below; or both at it; or one at it, the other 0"
    found, problems = [], []
    for name, (i_c, i_g) in partitions.items():
        strange = [part for part in (i_c, i_g) if part and not _drawable(part)]
        one = None if strange else partition_bound(machine, whole, i_c, i_g)
        if strange:
            problems.append(_undrawable(f"an intensity of partition '{name}'", strange[0]))
        elif one is None:
            parts = f"parts of {_shown(i_c)} and {_shown(i_g)} do not make a whole"
            message = f"partition '{name}' cannot be: {parts} of {_shown(whole)}"
            problems.append(Diagnostic("R0807", message, hint=hint))
        else:
            found.append(Partition(name, i_c, i_g, one.attainable, measured.get(name)))
    raise_if_any(problems[:20])
    return Dome(whole, intensities, intensities, np.array(bound).T, tuple(found))


def _drawable(intensity: float) -> bool:
    return _LEAST <= intensity <= _MOST


def _undrawable(what: str, intensity: float) -> Diagnostic:
    message = f"{what} is {_shown(intensity)}"
    hint = f"it is a number from {show_number(_LEAST)} to {show_number(_MOST)}"
    return Diagnostic("R0807", message, hint=hint)


def _shown(intensity: float) -> str:
    return show_quantity(intensity, FLOP / BYTE, 6)
