"""Measured against predicted; a workload split between two devices."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.embedding.figure_data.domes import dome
from roofdsl.embedding.figure_data.measured import by_name
from roofdsl.embedding.machine import Machine
from roofdsl.figures import perdome as perdome_figure
from roofdsl.figures import predicted as predicted_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.predicted import Comparison

NOTHING: Mapping[str, float] = {}
NO_PARTITIONS: Mapping[str, tuple[float, float]] = {}


def predicted(comparison: Comparison, title: str = "", look: Look = PLAIN) -> Picture:
    """Draw measured against predicted values with the errors 100·(predicted − measured)/measured.

    >>> import numpy as np
    >>> times = Comparison(("fc1", "relu"), np.array([1e-4, 3e-5]), np.array([1.4e-4, 3e-5]))
    >>> [round(row[4], 6) for row in predicted(times).table.rows]
    [40.0, 0.0]
    """
    return predicted_figure.predicted(comparison, look, title)


def perdome(
    machine: Machine,
    whole: float,
    partitions: Mapping[str, tuple[float, float]] = NO_PARTITIONS,
    measured: Mapping[str, float] = NOTHING,
    look: Look = PLAIN,
) -> Picture:
    """Draw the bound of a kernel of intensity `whole` [flop/B] split between two devices.

    `partitions` gives (I_C, I_G) [flop/B] by name: equal ones are data partitioning, a 0 an idle
    device; `measured` has performances [flop/s] by the same names. Raises RoofError where the
    machine has not two devices (R0804), or no partition has a measurement's name (R0807).
    """
    by_name(measured, list(partitions), "partition")
    data = dome(machine, whole, partitions, measured)
    title = f"I = {whole:g} flop/B on {machine.name}"
    return perdome_figure.perdome(data, look, title)
