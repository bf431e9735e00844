"""The data of a roofline chart: roofs, points and trajectories over one intensity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Line:
    """A ceiling [flop/s] or the slope of a bandwidth line [B/s], with its value as text.

    `main` says that it is what plain `flops` or `memory` means on its machine.
    """

    name: str
    value: float
    text: str
    main: bool = True


@dataclass(frozen=True, slots=True)
class Roof:
    """One machine's ceilings and bandwidth lines."""

    machine: str
    ceilings: tuple[Line, ...]
    slopes: tuple[Line, ...]

    @property
    def top(self) -> float | None:
        """The highest ceiling [flop/s]; None where there is none."""
        return max((line.value for line in self.ceilings), default=None)

    @property
    def ceiling(self) -> Line | None:
        """The ceiling that plain `flops` means."""
        return next((line for line in self.ceilings if line.main), None)

    @property
    def slope(self) -> Line | None:
        """The bandwidth line that the plain resource means."""
        return next((line for line in self.slopes if line.main), None)

    @property
    def ridge(self) -> float | None:
        """The ridge point of the two [flop/B]: ceiling / slope."""
        if self.ceiling is None or self.slope is None:
            return None
        return self.ceiling.value / self.slope.value


@dataclass(frozen=True, slots=True)
class Point:
    """A kernel at one setting: its intensity [flop/B] and its performance [flop/s].

    `level` is the memory level the intensity counts, `share` its share of the time, `measured` says
    that it was, `note` what else to say, such as the rate a kernel without flops reaches.
    """

    kernel: str
    x: float
    y: float
    machine: str = ""
    level: str = ""
    share: float | None = None
    measured: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A kernel over values of a parameter: its intensity [flop/B] and performance [flop/s].

    `ends` are the texts at its two ends; `path`, if given, is the line between its points (n × 2),
    which follows the roof where two points lie on either side of a ridge.
    """

    kernel: str
    parameter: str
    values: Array
    x: Array
    y: Array
    machine: str = ""
    level: str = ""
    ends: tuple[str, str] = ("", "")
    path: Array | None = None

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Which of its points a logarithmic frame can show."""
        return np.isfinite(self.x) & np.isfinite(self.y) & (self.x > 0) & (self.y > 0)


@dataclass(frozen=True, slots=True)
class Axis:
    """The intensity on a chart's x axis: its symbol and label, and the resource it counts."""

    symbol: str
    label: str
    resource: str


OI = Axis("OI", "Operational intensity [flop/B]", "memory")
CAI = Axis("CAI", "Communication arithmetic intensity [flop/B]", "network")


@dataclass(frozen=True, slots=True)
class Chart:
    """What a roofline chart shows. `undrawn` names what has no place on it, and why."""

    axis: Axis
    roofs: tuple[Roof, ...]
    points: tuple[Point, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    undrawn: tuple[str, ...] = ()
