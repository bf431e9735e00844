"""Seeded figures in which labels have little room: what `test_placement` measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.chart import CAI, OI, Axis, Chart, Line, Point, Roof, ThreeRoofs, Trajectory
from roofdsl.figures.curves import Curve, share_lines
from roofdsl.figures.energy import Arch, Spot, energy
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.ridgeline import Plane, ridgeline
from roofdsl.figures.roofline import charts

NAMES = ("karst", "jetstream", "h100_sxm", "a64fx", "big_red_ii", "mi300x", "tpu_v5p", "gh200")
KERNELS = ("summa", "fft", "spmv", "stencil2d", "triad", "dgemm", "conv3_2b", "attention", "relu")
LEVELS = ("DRAM", "L3", "L2", "L1", "shared", "HBM2e")
KINDS = tuple(
    f"{unit}.{dtype}"
    for unit in ("matrix", "vector")
    for dtype in ("fp64", "fp32", "tf32", "bf16", "fp8")
)


class Awkward(NamedTuple):
    """A figure, the default roofs it must label in each of its axes, and its points."""

    picture: Picture
    roofs: Sequence[Sequence[Roof]] = ()
    points: Sequence[Sequence[Point]] = ()


class Maker:
    """Random parts of figures, all from one seed."""

    def __init__(self, number: int) -> None:
        self.rng = np.random.default_rng([20, number])
        widths = (0.0, 3.5, 3.5, 7.16)
        dark, log2 = (bool(self.rng.random() < share) for share in (0.3, 0.25))
        self.look = Look(dark, log2, float(self.rng.choice(widths)))

    def count(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def names(self, count: int, long: bool = False) -> list[str]:
        order = self.rng.permutation(len(NAMES)).tolist()
        found = [NAMES[order[n % len(NAMES)]] + "_b" * (n // len(NAMES)) for n in range(count)]
        return (
            [f"{name}_of_the_{'very_' * self.count(3, 9)}long_name" for name in found]
            if long
            else found
        )

    def rates(self, count: int, first: float, closest: float, farthest: float) -> list[float]:
        """Return rates that fall by random factors, some by almost nothing or by nothing."""
        steps = np.exp(self.rng.uniform(np.log(closest), np.log(farthest), count - 1))
        steps[self.rng.random(count - 1) < 0.15] = 1.0
        return [first / float(each) for each in np.cumprod([1.0, *steps])]

    def roof(
        self, name: str, kinds: int = 1, levels: int = 1, axis: Axis = OI, spread: float = 2.5
    ) -> Roof:
        peak = 10 ** float(self.rng.uniform(10, 10 + spread))
        memory = peak / 10 ** float(self.rng.uniform(0.3, 1.5))
        ceilings = self.rates(kinds, peak, 1.01, 2.2)
        slopes = self.rates(levels, memory, 1.01, 1.6)
        main, default = self.count(0, kinds - 1), self.count(0, levels - 1)
        called = list(LEVELS[:levels]) if levels > 1 else [axis.resource]
        called_kinds = list(KINDS[:kinds]) if kinds > 1 else ["peak"]
        return Roof(
            name,
            tuple(
                Line(kind, value, f"{value / 1e9:.4g} GFLOP/s", n == main, ("flops",))
                for n, (kind, value) in enumerate(zip(called_kinds, ceilings, strict=True))
            ),
            tuple(
                Line(level, value, f"{value / 1e9:.4g} GB/s", n == default, (axis.resource,))
                for n, (level, value) in enumerate(zip(called, slopes, strict=True))
            ),
        )

    def below(self, roof: Roof, x: float, share: float) -> float:
        slope = max(line.value for line in roof.slopes)
        return share * min(slope * x, max(line.value for line in roof.ceilings))

    def points(
        self, roofs: Sequence[Roof], count: int, axis: Axis, long: bool = False
    ) -> list[Point]:
        found = []
        for number in range(count):
            roof = roofs[self.count(0, len(roofs) - 1)]
            x = (roof.ridge or 1.0) * 10 ** float(self.rng.uniform(-1.3, 1.3))
            share = 1.0 if self.rng.random() < 0.5 else float(self.rng.uniform(0.1, 1))
            kernel = KERNELS[number % len(KERNELS)] + (
                "" if number < len(KERNELS) else f"_{number}"
            )
            kernel += "_with_a_very_long_name_indeed" * long
            bound = "flops" if x > (roof.ridge or 1.0) else axis.resource
            bound = bound if share == 1.0 else ""
            measured = bool(self.rng.random() < 0.3)
            found.append(
                Point(
                    kernel,
                    x,
                    self.below(roof, x, share),
                    roof.machine,
                    measured=measured,
                    bound=bound,
                )
            )
        return found

    def trajectories(self, roofs: Sequence[Roof], count: int) -> list[Trajectory]:
        found = []
        for number in range(count):
            roof = roofs[number % len(roofs)]
            values = np.geomspace(64, 65536, self.count(3, 12)).round()
            low, high = np.sort(self.rng.uniform(-1, 1, 2))
            x = (roof.ridge or 1.0) * np.geomspace(10**low, 10 ** (high + 0.01), len(values))
            share = float(self.rng.uniform(0.2, 1))
            y = np.array([self.below(roof, at, share) for at in x.tolist()])
            ends = (f"N = {values[0]:g}", f"N = {values[-1]:g}")
            kernel = KERNELS[number // len(roofs) % len(KERNELS)]
            found.append(Trajectory(kernel, "N", values, x, y, roof.machine, ends=ends))
        return found

    def chart(
        self, roofs: Sequence[Roof], axis: Axis, points: int = 0, paths: int = 0, long: bool = False
    ) -> Chart:
        return Chart(
            axis,
            tuple(roofs),
            tuple(self.points(roofs, points, axis, long)),
            tuple(self.trajectories(roofs, paths)),
        )

    def drawn(self, *shown: Chart) -> Awkward:
        title = " and ".join(roof.machine for roof in shown[0].roofs)
        picture = charts(shown, self.look, title)
        return Awkward(picture, [chart.roofs for chart in shown], [chart.points for chart in shown])


def machines(make: Maker) -> Awkward:
    roofs = [make.roof(name) for name in make.names(make.count(2, 6))]
    return make.drawn(make.chart(roofs, OI, points=make.count(0, 5)))


def levels(make: Maker) -> Awkward:
    roof = make.roof("blue_waters_xe", make.count(1, 4), make.count(3, 6))
    return make.drawn(make.chart([roof], OI, points=make.count(0, 6)))


def kinds(make: Maker) -> Awkward:
    roofs = [
        make.roof(name, make.count(5, 10), make.count(1, 2))
        for name in make.names(make.count(1, 2))
    ]
    return make.drawn(make.chart(roofs, OI, points=make.count(0, 4)))


def crowd(make: Maker) -> Awkward:
    roofs = [make.roof(name, spread=3.5) for name in make.names(make.count(6, 12))]
    return make.drawn(make.chart(roofs, OI))


def communication(make: Maker) -> Awkward:
    roofs = [make.roof(name, axis=CAI) for name in make.names(make.count(2, 5))]
    return make.drawn(make.chart(roofs, CAI, make.count(0, 3), make.count(0, 4)))


def pair(make: Maker) -> Awkward:
    names = make.names(make.count(1, 3))
    left = [make.roof(name, make.count(1, 3), make.count(1, 3)) for name in names]
    right = [make.roof(name, axis=CAI) for name in names]
    return make.drawn(
        make.chart(left, OI, make.count(0, 4)), make.chart(right, CAI, make.count(0, 4))
    )


def many_points(make: Maker) -> Awkward:
    roofs = [
        make.roof(name, make.count(1, 3), make.count(1, 3)) for name in make.names(make.count(1, 2))
    ]
    return make.drawn(make.chart(roofs, OI, points=make.count(15, 120)))


def paths(make: Maker) -> Awkward:
    roofs = [make.roof(name, 1, make.count(1, 2)) for name in make.names(make.count(1, 4))]
    return make.drawn(make.chart(roofs, OI, make.count(0, 3), paths=make.count(1, 8)))


def long_names(make: Maker) -> Awkward:
    roofs = [make.roof(name, make.count(1, 3)) for name in make.names(make.count(1, 4), long=True)]
    return make.drawn(make.chart(roofs, OI, make.count(0, 8), long=True))


def plane(make: Maker) -> Awkward:
    flops, memory = 10 ** float(make.rng.uniform(10, 14)), 10 ** float(make.rng.uniform(9.5, 12))
    roofs = ThreeRoofs("clx", flops, memory, memory / 10 ** float(make.rng.uniform(0.3, 2)))
    oi, mi = flops / memory, memory / roofs.network
    points = [
        Point(
            KERNELS[n % 9] + f"_{n}" * (n > 8),
            mi * 10 ** float(make.rng.uniform(-1.4, 1.4)),
            oi * 10 ** float(make.rng.uniform(-1.4, 1.4)),
        )
        for n in range(make.count(1, 40))
    ]
    values = np.geomspace(8, 4096, 10).round()
    along = 10 ** np.sort(make.rng.uniform(-1.2, 1.2, (2, 10)), axis=1)
    path = Trajectory(
        "mlp",
        "batch",
        values,
        mi * along[0],
        oi * along[1],
        "clx",
        ends=("batch = 8", "batch = 4096"),
    )
    shown = Plane(roofs, tuple(points), (path,) * make.count(0, 1))
    return Awkward(ridgeline(shown, make.look, "on clx"), points=[points])


def shares(make: Maker) -> Awkward:
    at = np.geomspace(2, 4096, 12).round()
    lines = [
        Curve(name, at, factor / (factor + at))
        for name in make.names(make.count(2, 8))
        for factor in (10 ** float(make.rng.uniform(0.5, 3.5)),)
    ]
    return Awkward(share_lines(lines, "network", AxisName("P"), make.look, "summa"))


def joules(make: Maker) -> Awkward:
    over = np.geomspace(0.05, 200, 61)
    arches, spots = [], []
    for name in make.names(make.count(1, 4)):
        power, peak = float(make.rng.uniform(3, 30)), 10 ** float(make.rng.uniform(9, 11))
        work, time = 0.7e-9 + 1.1e-9 / over, np.maximum(1 / peak, 1 / (peak / 4 * over))
        arches.append(Arch(name, over, 1 / (work + power * time), 1 / work, work / time + power))
        for kernel in KERNELS[: make.count(0, 3)]:
            place = make.count(5, 55)
            efficiency = float(arches[-1].efficiency[place]) * float(make.rng.uniform(0.4, 1))
            spots.append(
                Spot(kernel, name, float(over[place]), efficiency, float(arches[-1].power[place]))
            )
    return Awkward(energy(tuple(arches), tuple(spots), make.look, "product"))


FAMILIES: dict[str, Callable[[Maker], Awkward]] = {
    family.__name__: family
    for family in (
        machines,
        levels,
        kinds,
        crowd,
        communication,
        pair,
        many_points,
        paths,
        long_names,
        plane,
        shares,
        joules,
    )
}


def awkward(number: int) -> tuple[str, Awkward]:
    """Return the family and the figure of a number."""
    name = list(FAMILIES)[number % len(FAMILIES)]
    return name, FAMILIES[name](Maker(number))
