"""The data of a roofline chart: roofs, points and trajectories over one intensity."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
from typing import NamedTuple

from roofdsl.analysis.intensity import axis_label
from roofdsl.figures.scale import Array
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, Dimension
from roofdsl.units.quantity import show_given

# Two heights that differ by less are one in a figure.
ALIKE = 0.01


@dataclass(frozen=True, slots=True)
class Line:
    """A ceiling [flop/s] or the slope of a bandwidth line [B/s], with its value as text.

    `main` says that it counts: what plain `memory` means on its machine, or the peak of what is
    drawn. `binds` are the names of what binds there, as answers say them: `memory`, `memory.DRAM`.
    """

    name: str
    value: float
    text: str
    main: bool = True
    binds: tuple[str, ...] = ()


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
    def peaks(self) -> list[Line]:
        """The ceilings that count: one for all that is drawn, or several."""
        return [line for line in self.ceilings if line.main]

    @property
    def ceiling(self) -> Line | None:
        """The ceiling that counts; None where there is none, or more than one."""
        return self.peaks[0] if len(self.peaks) == 1 else None

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


class Ceiling(NamedTuple):
    """Why a kernel ends where it does, if no roof says it: `network at this CAI`.

    `lowered` says that it is no rate alone: a start-up, the size of the work, other steps. Where
    that takes it below the roofs, the region that it lies in does not say enough.
    """

    text: str = ""
    lowered: bool = False


UNSAID = Ceiling()


@dataclass(frozen=True, slots=True)
class Point:
    """A kernel at one setting: its intensity [flop/B] and its performance [flop/s].

    `level` is the memory level the intensity counts, `share` its share of the time, `measured` says
    that it was, `note` what else to say, such as the rate a kernel without flops reaches. `bound`
    is what binds, "" where that is not known; `ceiling` says why it ends at this height where a
    roof does not.
    """

    kernel: str
    x: float
    y: float
    machine: str = ""
    level: str = ""
    share: float | None = None
    measured: bool = False
    note: str = ""
    bound: str = ""
    ceiling: Ceiling = UNSAID


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A kernel over values of a parameter: its intensity [flop/B] and performance [flop/s].

    `ends` are the texts at its two ends; `path`, if given, is the line between its points (n × 2),
    which follows the roof where two points lie on either side of a ridge. `bounds` and `ceilings`
    are those of each point, as a `Point` has them.
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
    bounds: tuple[str, ...] = ()
    ceilings: tuple[Ceiling, ...] = ()

    def point(self, index: int) -> Point:
        """Return one of its points by itself."""
        x, y = float(self.x[index]), float(self.y[index])
        bound = self.bounds[index] if self.bounds else ""
        ceiling = self.ceilings[index] if self.ceilings else UNSAID
        return Point(self.kernel, x, y, self.machine, self.level, bound=bound, ceiling=ceiling)

    def _given(self, index: int) -> str:
        return show_given(float(self.values[index]), DIMENSIONLESS)

    def end_texts(self, first: int, last: int) -> tuple[str, str]:
        """Return the texts at the ends of a part of it; "" for the second of a single point."""
        if not any(self.ends):
            return "", ""
        low, high = (f"{self.parameter} = {self._given(index)}" for index in (first, last))
        low = self.ends[0] if first == 0 else low
        high = self.ends[1] if last == len(self.x) - 1 else high
        return low, high if first != last else ""

    def run_name(self, first: int, last: int) -> str:
        """Return the name of a part of it: `summa, N = 1 … 4`."""
        if not self.parameter:
            return self.kernel
        values = dict.fromkeys(self._given(index) for index in (first, last))
        return f"{self.kernel}, {self.parameter} = {' … '.join(values)}"

    @property
    def label(self) -> str:
        """The name of its line in a figure."""
        return f"trajectory:{self.machine}:{self.kernel}"


@dataclass(frozen=True, slots=True)
class Axis:
    """The intensity on a chart's x axis: its symbol and label, the resource, its unit of work."""

    symbol: str
    label: str
    resource: str
    work: Dimension = BYTE

    @property
    def unit(self) -> str:
        """The unit of the intensity."""
        return str(FLOP / self.work)

    @property
    def memory(self) -> tuple[str, str]:
        """Memory traffic for each unit of its work: the symbol of that intensity, and its unit."""
        symbol = "MI" if self.resource == "network" else f"memory/{self.resource}"
        return symbol, "B/B" if self.work == BYTE else str(BYTE / self.work)


OI = Axis("OI", axis_label("OI"), "memory")
CAI = Axis("CAI", axis_label("CAI"), "network")


def own_axis(resource: str, work: Dimension) -> Axis:
    """Return the axis of flops for each unit of work on a resource that a file declares.

    >>> own_axis("nvme", BYTE).label
    'Intensity flops/nvme [flop/B]'
    """
    symbol = f"flops/{resource}"
    return Axis(symbol, axis_label(symbol, work), resource, work)


@dataclass(frozen=True, slots=True)
class ThreeRoofs:
    """A machine's peak [flop/s], memory and network rates [B/s], which are three roofs together.

    In the network's place there may be a resource that a file declares: that of `across`. `binds`
    are the names of what binds on each, as answers say them; `note` says which peak it is where
    there are several.
    """

    machine: str
    flops: float
    memory: float
    network: float
    binds: tuple[tuple[str, ...], ...] = (("flops",), ("memory",), ("network",))
    note: str = ""
    across: Axis = CAI

    def says(self, bound: str, oi: float, cai: float) -> bool:
        """Whether the region at two intensities is that of a bound, which may be unknown: ""."""
        heights = self.flops, self.memory * oi, self.network * cai
        lowest = min(heights)
        named = zip(self.binds, heights, strict=True)
        return not bound or any(
            bound in names and (height == lowest or isclose(height, lowest))
            for names, height in named
        )


@dataclass(frozen=True, slots=True)
class Chart:
    """What a roofline chart shows. `undrawn` names what there is no point for, and why."""

    axis: Axis
    roofs: tuple[Roof, ...]
    points: tuple[Point, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    undrawn: tuple[str, ...] = ()

    @property
    def standing(self) -> list[Point | Trajectory]:
        """All that stands in it."""
        return [*self.points, *self.trajectories]

    @property
    def shaded(self) -> Roof | None:
        """The one roof below which regions are shaded, where it is the only one."""
        roof = self.roofs[0] if len(self.roofs) == 1 else None
        return roof if roof is not None and roof.ridge is not None else None

    def says(self, point: Point) -> bool:
        """Whether a region or a line at a point says what it is bound by.

        It lies on one of that resource's lines, or in its region below the one roof where nothing
        else keeps it there.
        """
        roof = next((roof for roof in self.roofs if roof.machine == point.machine), None)
        if not point.bound:
            return True
        if roof is None:
            return False
        heights = [(line, line.value) for line in roof.ceilings]
        heights += [(line, line.value * point.x) for line in roof.slopes]
        if any(
            point.bound in line.binds and isclose(point.y, y, rel_tol=ALIKE) for line, y in heights
        ):
            return True
        if point.ceiling.lowered or not (self.shaded and roof.ceiling and roof.slope):
            return False
        ridge = roof.ceiling.value / roof.slope.value
        left = point.x <= ridge and point.bound in roof.slope.binds
        return left or (point.x >= ridge and point.bound in roof.ceiling.binds)
