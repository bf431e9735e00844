"""One picture of each kind, from plain arrays, for tests that hold for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from roofdsl.analysis.composition import Composed
from roofdsl.answer.regime_map import Boundary, RegimeMap, Region, Root
from roofdsl.expression.construct import divide, multiply, square_root
from roofdsl.expression.tree import Comparison, Symbol
from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.busy_rows import BusyRow, busy_shares, busy_times
from roofdsl.figures.chart import CAI, OI, Chart, Line, Point, Roof, ThreeRoofs, Trajectory
from roofdsl.figures.curves import Curve, Quantities, busy_lines, quantity_lines, share_lines
from roofdsl.figures.energy import Arch, Spot, energy
from roofdsl.figures.icicle import Part, icicle
from roofdsl.figures.look import Look
from roofdsl.figures.perdome import Dome, Partition, perdome
from roofdsl.figures.perfbound import PerformanceBounds, perfbound
from roofdsl.figures.picture import FigureTable, Picture, rows_of
from roofdsl.figures.predicted import MeasuredAgainstPredicted, predicted
from roofdsl.figures.regime import regime
from roofdsl.figures.ridgeline import Plane, ridgeline
from roofdsl.figures.roofline import charts
from roofdsl.figures.scaling import Isoline, ScalingCurves, Series, scaling
from roofdsl.figures.sensitivity import Elasticities, sensitivity
from roofdsl.figures.shares import Shares, shares
from roofdsl.figures.space import Space
from roofdsl.figures.step_bars import step_bars
from roofdsl.figures.surface import surface
from roofdsl.figures.timeline import timeline
from roofdsl.units.dimension import BYTE, FLOP

KARST = Roof(
    "karst",
    (Line("peak", 22e9, "22 GFLOP/s"),),
    (Line("memory", 13.9e9, "13.9 GB/s"),),
)
KARST_NETWORK = Roof(
    "karst",
    (Line("peak", 22e9, "22 GFLOP/s"),),
    (Line("network", 1.2e9, "1.2 GB/s"),),
)
BLUE_WATERS = Roof(
    "blue_waters_xe",
    (
        Line("dp_fma", 228.2e9, "228.2 GFLOP/s"),
        Line("dp_add", 117.8e9, "117.8 GFLOP/s", main=False),
        Line("dp_scalar", 64.7e9, "64.7 GFLOP/s", main=False),
    ),
    (
        Line("L1", 980e9, "980 GB/s", main=False),
        Line("L2", 398.1e9, "398.1 GB/s", main=False),
        Line("DRAM", 62.6e9, "62.6 GB/s"),
    ),
)
SIZES = np.geomspace(242.0, 61952.0, 9).round()
SUMMA = Trajectory(
    "summa",
    "N",
    SIZES,
    np.linspace(9.6, 11.3, 9),
    np.minimum(22e9, 0.96e9 * SIZES / 242),
    "karst",
    ends=("N = 242", "N = 61952"),
)
SUMMA_CAI = 0.8 * SIZES / 242
SUMMA_SENT = Trajectory(
    "summa", "N", SIZES, SUMMA_CAI, SUMMA.y, "karst", ends=("N = 242", "N = 61952")
)
LEVELS = tuple(
    Point(kernel, oi * (1 + 1.3 * number), y, "blue_waters_xe", level, share, kernel != "dgemm")
    for kernel, oi, y, share in (
        ("triad", 0.083, 5e9, 0.5),
        ("stencil2d", 0.25, 12e9, 0.2),
        ("spmv", 0.16, 4e9, 0.25),
        ("dgemm", 12.0, 200e9, 0.05),
    )
    for number, level in enumerate(("L1", "L2", "DRAM"))
)
COPY = Point("copy", 0.0, 0.0, "blue_waters_xe", "DRAM", note="(0 flop) 62.6 GB/s")
MACHINES = tuple(
    Roof(
        name,
        (Line("peak", flops * 1e9, f"{flops:g} GFLOP/s"),),
        (Line("network", network * 1e9, f"{network:g} GB/s"),),
    )
    for name, flops, network in (
        ("big_red_ii", 14.7, 5.7),
        ("karst", 22.0, 1.2),
        ("jetstream", 43.4, 0.34),
    )
)
BATCH = np.geomspace(8.0, 4096.0, 10).round()
MLP = Trajectory(
    "mlp",
    "batch",
    BATCH,
    1.5 + 0.00075 * BATCH,
    0.5 * BATCH / (1 + BATCH / 2048),
    "clx",
    ends=("batch = 8", "batch = 4096"),
)


def step(
    name: str,
    time: float,
    bound: str,
    busy: dict[str, float],
    arrangement: str = "kernel",
    count: float = 1.0,
    children: tuple[Composed[float], ...] = (),
) -> Composed[float]:
    """Return a step of a breakdown, with what figures show of it."""
    return Composed(name, arrangement, count, time, {}, busy, {}, children, ties=(bound,))


def kernel(name: str, **busy: float) -> Composed[float]:
    return step(name, max(busy.values()), max(busy, key=lambda key: busy[key]), busy)


STEP = step(
    "training_step",
    16.4e-3,
    "flops",
    {},
    "sequence",
    1.0,
    (
        step(
            "forward",
            7.3e-3,
            "flops",
            {},
            "sequence",
            1.0,
            (
                kernel("conv1", flops=2e-3, memory=1e-3),
                kernel("relu1", flops=1e-4, memory=8e-4),
                kernel("conv2", flops=3e-3, memory=1.2e-3),
                kernel("fc", flops=1e-3, memory=1.5e-3),
            ),
        ),
        step(
            "backward",
            8e-3,
            "flops",
            {},
            "overlap",
            1.0,
            (
                kernel("gradients", flops=8e-3, memory=4e-3),
                kernel("allreduce", memory=0.4e-3, network=6.3e-3),
            ),
        ),
        kernel("optimiser", flops=2e-4, memory=1.1e-3),
    ),
)
BOUNDS = PerformanceBounds(
    tuple(f"B{block} P{count}" for block in (200, 400) for count in (1, 4, 8, 16, 32)),
    {
        # Kong 2015, Fig. 13: 2N³ at 8 GFLOP/s, in F_ser (Eq. 16) steps of 2B³ each.
        "flops": 8e9
        * np.array(
            [1000 / s for s in (1000, 250, 125, 63, 32)] + [125 / s for s in (125, 32, 16, 8, 5)]
        ),
        "network": 1e9 * np.array([np.inf, 180, 80, 60, 165, np.inf, 360, 160, 165, 330]),
    },
    2.4e9 * np.array([1, 4, 8, 16, 32] * 2),
    2.0e9 * np.array([1, 4, 8, 16, 32] * 2),
)
INTENSITIES = np.exp2(np.linspace(-5, 7, 49))
DOME = Dome(
    1.7,
    INTENSITIES,
    INTENSITIES,
    np.where(
        (INTENSITIES[None, :] - 1.7) * (INTENSITIES[:, None] - 1.7) < 0,
        1e11 / (1 + np.abs(np.log2(INTENSITIES[:, None] / 1.7))) * (1 + 0 * INTENSITIES),
        np.nan,
    ),
    (
        Partition("CPU-only", 1.7, 0.0, 13e9, 12e9),
        Partition("p-DP", 1.7, 1.7, 128.5e9, 110e9),
        Partition("CP", 0.0833, 2.0, 136.4e9, 125e9),
    ),
)
LAYERS = MeasuredAgainstPredicted(
    ("fc1", "relu", "fc2", "sigmoid"),
    np.array([103e-6, 33e-6, 8e-6, 11e-6]),
    np.array([143e-6, 0.5e-6, 5e-6, 3e-6]),
    groups=("batch 32",) * 4,
)
CLOUD = MeasuredAgainstPredicted(
    tuple(f"k{number}" for number in range(400)),
    np.geomspace(1e-6, 1.0, 400),
    np.geomspace(1e-6, 1.0, 400) * (1 + 0.3 * np.sin(np.arange(400))),
    groups=tuple("abc"[number % 3] for number in range(400)),
)
ELASTICITIES = Elasticities(
    "time", {"N": 2.0, "word": 1.0, "karst.network": -1.0, "P": -0.29, "B": 0.0}
)
COUNTS = np.geomspace(1.0, 16384.0, 8).round()
SCALING = ScalingCurves(
    tuple(
        Series(f"N = {n:g}", COUNTS, COUNTS / (1 + COUNTS * c), 1 / (1 + COUNTS * c))
        for n, c in ((1e3, 1e-2), (1e4, 1e-3), (1e5, 1e-4))
    ),
    tuple(Isoline(e, COUNTS[1:], 40 * np.sqrt(COUNTS[1:]) * e / (1 - e)) for e in (0.5, 0.8)),
    "N: matrix order",
)
PLACES = np.geomspace(4.0, 1e4, 9)
EDGE = 146.0 * np.sqrt(PLACES) * np.log2(PLACES) / 2
ROOT = multiply(square_root(Symbol("P")), divide(Symbol("flops"), Symbol("network")))
FORMULA = Root(Comparison("==", Symbol("N"), ROOT), "N = √P·flops/network")
REGIMES = RegimeMap(
    "P",
    "N",
    (4.0, 1e4),
    (2.0, 1e6),
    (
        Region("network", PLACES, np.full(9, 2.0), EDGE),
        Region("flops", PLACES, EDGE, np.full(9, 1e6)),
    ),
    (Boundary("network", "flops", PLACES, EDGE, FORMULA),),
)
SHARES = Shares(
    "N",
    SIZES,
    tuple(f"{size:g}" for size in SIZES),
    {"flops": SIZES**3, "memory": 0.1 * SIZES**3, "network": 6e3 * SIZES**2},
)

STILL = {"flops": SIZES**3, "memory": SIZES**3}
PREDICTIONS = (
    BusyRow("karst", 70e-3, "network", {"flops": 52e-3, "memory": 7e-3, "network": 70e-3}),
    BusyRow("jetstream", 26e-3, "flops", {"flops": 26e-3, "memory": 2e-3}),
    BusyRow("a_cluster_with_a_long_name_of_its_own", 3e-4, None, {"flops": 0.0}),
)
NETWORK_SHARES = tuple(
    Curve(name, SIZES, factor / (factor + SIZES))
    for name, factor in (("big_red_ii", 700.0), ("karst", 5000.0), ("jetstream", 30_000.0))
)

BUSY = (
    Curve("flops", SIZES, 7.5e-13 * SIZES**3),
    Curve("network", SIZES, 4.2e-9 * SIZES**2),
)

INTENSITIES_OF_BATCHES = Quantities(
    (
        Curve("OI", BATCH, BATCH / (2 + BATCH / 1024)),
        Curve("clx.flops/clx.memory", BATCH, np.full(10, 40.0)),
    ),
    "OI, clx.flops/clx.memory",
    FLOP / BYTE,
    AxisName("batch"),
    FigureTable(
        ("name", "batch", "OI [flop/B]"), rows_of("clx", BATCH, BATCH / (2 + BATCH / 1024))
    ),
)

_OVER = np.geomspace(0.05, 200, 61)
_WORK = 0.7e-9 + 1.1e-9 / _OVER
_TIME = np.maximum(1 / 22e9, 1 / (13.9e9 * _OVER))
ARCHES = tuple(
    Arch(name, _OVER, 1 / (_WORK + power * _TIME), 1 / _WORK, _WORK / _TIME + power)
    for name, power in (("karst", 18.0), ("cool", 4.0))
)
SPOTS = (
    Spot("product", "karst", 8.0, 4e8, 30.0),
    Spot("product", "cool", 8.0, 7e8, 16.0),
    Spot("copy", "karst", 0.1, 4e7, 33.0),
)

MANY_STEPS = Part(
    "training",
    "training",
    1.0,
    10e-3,
    "flops",
    (
        Part(
            "forward",
            "forward",
            1.0,
            4e-3,
            "flops",
            (
                Part("conv × 8", "forward.conv", 8.0, 3e-3, "flops"),
                *(Part(f"norm{n}", f"forward.norm{n}", 1.0, 1e-5, "memory") for n in range(60)),
                *(Part(f"exchange{n}", f"forward.x{n}", 1.0, 2e-5, "network") for n in range(20)),
            ),
        ),
        Part(
            "overlap",
            "overlap",
            1.0,
            5e-3,
            "memory",
            (
                Part("backward", "backward", 1.0, 5e-3, "memory"),
                Part("allreduce", "allreduce", 1.0, 3e-3, "network", hidden=True),
            ),
        ),
        Part("update", "update", 1.0, 1e-3, "network"),
    ),
)

SAMPLES: dict[str, Callable[[Look], Picture]] = {
    "roofline": lambda look: charts((Chart(OI, (KARST,), (), (SUMMA,)),), look, "summa on karst"),
    "levels": lambda look: charts((Chart(OI, (BLUE_WATERS,), (*LEVELS, COPY)),), look, "levels"),
    "communication": lambda look: charts((Chart(CAI, MACHINES, (), (SUMMA_SENT,)),), look, "three"),
    "pair": lambda look: charts(
        (Chart(OI, (KARST,), (), (SUMMA,)), Chart(CAI, (KARST_NETWORK,), (), (SUMMA_SENT,))),
        look,
        "summa on karst",
        "P = 121",
    ),
    "surface": lambda look: surface(
        Space(ThreeRoofs("karst", 22e9, 13.9e9, 1.2e9), (SUMMA,), (SUMMA_CAI,), (11.0, 12.8)),
        look,
        "summa",
    ),
    "ridgeline": lambda look: ridgeline(
        Plane(ThreeRoofs("clx", 4.2e12, 105e9, 12e9), (), (MLP,)), look, "mlp"
    ),
    "regime": lambda look: regime(REGIMES, look, "summa on karst"),
    "steps": lambda look: step_bars((STEP,), look, "training_step"),
    "steps of two": lambda look: step_bars(
        (STEP, STEP.children[0]), look, "training_step", names=("karst", "jetstream")
    ),
    "timeline": lambda look: timeline((STEP,), look, "training_step"),
    "two timelines": lambda look: timeline(
        (STEP, STEP.children[0]), look, "training_step", names=("karst", "jetstream")
    ),
    "shares of predictions": lambda look: busy_shares(PREDICTIONS, look, "training_step"),
    "times of predictions": lambda look: busy_times(PREDICTIONS, look, "training_step"),
    "icicle": lambda look: icicle((MANY_STEPS,), look, "training"),
    "icicles": lambda look: icicle(
        (MANY_STEPS, MANY_STEPS.parts[0]), look, "training", names=("karst", "jetstream")
    ),
    "network shares": lambda look: share_lines(
        NETWORK_SHARES, "network", AxisName("N"), look, "summa"
    ),
    "busy": lambda look: busy_lines(BUSY, "", AxisName("N"), look, "summa on karst"),
    "energy": lambda look: energy(ARCHES, SPOTS, look, "product"),
    "curve": lambda look: quantity_lines(INTENSITIES_OF_BATCHES, look, "mlp on clx"),
    "shares": lambda look: shares((SHARES,), look, "summa on karst"),
    "shares of two": lambda look: shares(
        (replace(SHARES, name="karst"), replace(SHARES, name="still", busy=STILL)), look, "summa"
    ),
    "perfbound": lambda look: perfbound(BOUNDS, look, "cannon"),
    "perdome": lambda look: perdome(DOME, look, "SA on i7_gtx750"),
    "predicted": lambda look: predicted(LAYERS, look, "simple network"),
    "cloud": lambda look: predicted(CLOUD, look, "many"),
    "sensitivity": lambda look: sensitivity(ELASTICITIES, look, "summa"),
    "scaling": lambda look: scaling(SCALING, look, "summa"),
}

LOOKS = {
    "light": Look(),
    "dark": Look(dark=True),
    "column": Look(width=3.5),
    "powers of two": Look(log2=True),
}


@cache
def drawn(kind: str, look: Look) -> Picture:
    """Return a sample, drawn once for all tests that only look at it."""
    return SAMPLES[kind](look)
