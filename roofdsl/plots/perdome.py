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

_POINTS = 193
_OCTAVES = 6


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
    machine has not two devices (R0804), or no partition has a measurement's name (R0807).
    """
    by_name(measured, list(partitions), "partition")
    definition = machine.definition if isinstance(machine, MachineHolder) else machine
    data = dome(definition, whole, partitions, measured)
    return perdome_figure.perdome(data, look, f"I = {whole:g} flop/B on {definition.name}")


def dome(
    machine: MachineDefinition,
    whole: float,
    partitions: Mapping[str, tuple[float, float]],
    measured: Mapping[str, float],
) -> Dome:
    """Return the bound [flop/s] over (I_C, I_G) for a kernel of intensity `whole` [flop/B].

    `partitions` gives each its (I_C, I_G), `measured` the performance of some [flop/s]. Raises
    RoofError where the machine has not two devices with flops and memory (R0804), and for a
    partition that cannot be (R0807).
    """
    around = np.round(np.log2(whole))
    intensities = np.exp2(np.linspace(around - _OCTAVES, around + _OCTAVES, _POINTS))
    axis = intensities.tolist()
    rows = partition_surface(machine, whole, axis, axis)
    bound = [[np.nan if found is None else found.attainable for found in row] for row in rows]
    hint = "one lies above the whole, the other below; or both at it; or one at it, the other 0"
    found, problems = [], []
    for name, (i_c, i_g) in partitions.items():
        one = partition_bound(machine, whole, i_c, i_g)
        if one is None:
            parts = f"parts of {i_c:g} and {i_g:g} flop/B do not make a whole of {whole:g} flop/B"
            message = f"partition '{name}' cannot be: {parts}"
            problems.append(Diagnostic("R0807", message, hint=hint))
        else:
            found.append(Partition(name, i_c, i_g, one.attainable, measured.get(name)))
    raise_if_any(problems[:20])
    return Dome(whole, intensities, intensities, np.array(bound).T, tuple(found))
