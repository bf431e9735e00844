"""What an answer says, by the names of the quantities, and when a form says the same."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.margin import Margin
from roofdsl.analysis.result import Result
from roofdsl.answer.margins import percent_below
from roofdsl.expression.tree import Number
from roofdsl.model.types import Metric
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, JOULE, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity
from roofdsl.units.unit import Unit as UnitRead
from roofdsl.units.unit import read_unit
from tests.agreement.points import Point


class Shown(NamedTuple):
    """A number as it is printed: it must be the number, rounded by the one rule."""

    text: str


class Stated(NamedTuple):
    """The unit that a metric is declared in, which may be one that its file defines."""

    dimension: Dimension
    unit: str
    factor: Fraction


class End(NamedTuple):
    """The least or the most that something is, which is rounded outwards where it is printed."""

    value: float
    up: bool

    @property
    def is_open(self) -> bool:
        """Whether nothing is known on that side: then nothing is said, or that there is none."""
        return math.isinf(self.value)


class Half(NamedTuple):
    """How far something may be off to first order: it is printed in the unit of the number."""

    value: float


class Given(NamedTuple):
    """A parameter's value, which must be said exactly: as an integer, or as the nearest double."""

    value: Fraction


Value: TypeAlias = float | str | bool | tuple[str, ...] | Shown | Given | End | Half | None
Values: TypeAlias = Iterator[tuple[str, Value]]
Unit: TypeAlias = Dimension | Stated

NEAR = 1e-12
TOTALS = ("flops", "memory", "network")
UNITS: dict[str, Dimension] = {
    "time": SECOND,
    "attainable": FLOP / SECOND,
    "flops": FLOP,
    "memory": BYTE,
    "network": BYTE,
    "OI": FLOP / BYTE,
    "CAI": FLOP / BYTE,
    "MI": DIMENSIONLESS,
}


def expected(point: Point) -> dict[str, Value]:
    """Return what `evaluate` says; all others must say the same."""
    result = point.result
    return {
        **{name: getattr(result, name) for name in UNITS},
        **{f"own {name}": work for name, work in result.own_work.items()},
        **{f"flops/{name}": value for name, value in result.intensity.items()},
        **{f"ridge flops/{name}": result.ridge.own.get(name) for name in result.own},
        "bound": result.bound or "",
        "kind": result.bound_kind or "",
        "ties": result.ties,
        **{f"ridge {name}": getattr(result.ridge, name) for name in INTENSITIES},
        **{f"share {name}": share for name, share in result.shares.items() if share},
        **{f"work {name}": amount for name, amount in result.work.items()},
        **{f"busy {name}": time for name, time in result.times.items()},
        **{f"tally {name}": amount for name, amount in result.tallies.items()},
        **{f"total {name}": amount for name, amount in result.totals.items()},
        **{f"metric {name}": value for name, value in result.metrics.items()},
        **{f"metric {x.name}": None for x in _metrics(point) if x.name in result.unanswered},
        **{f"fits {name}": fits for name, fits in result.fits.items()},
        **({} if result.margin is None else _margin(result.margin)),
        **_known("total attainable", result.total_attainable),
        **{f"parameter {name}": value for name, value in _given(point)},
        **dict(_uncertain(result)),
    }


def _uncertain(result: Result) -> Values:
    for name, found in result.uncertainty.items():
        yield f"least {name}", End(found.low, up=False)
        yield f"most {name}", End(found.high, up=True)
        if found.first_order is not None:
            yield f"off {name}", Half(found.first_order)


def _metrics(point: Point) -> tuple[Metric, ...]:
    return point.prediction.model.metrics


def _unit(metric: Metric) -> Unit:
    unit, dimension = metric.statement.unit, metric.formula.dimension
    return dimension if unit is None else Stated(dimension, unit.name, metric.factor)


def _given(point: Point) -> Iterator[tuple[str, Value]]:
    binding = point.prediction.binding
    for parameter in point.prediction.model.parameters:
        tree = binding.trees[parameter.name]
        if parameter.is_number and isinstance(tree, Number):
            yield parameter.name, Given(tree.value)
        else:  # a word, or what only follows from others
            yield parameter.name, point.result.parameters[parameter.name]


def _margin(margin: Margin) -> dict[str, Value]:
    turned = margin.turned
    return {
        **_known("margin", margin.ratio),
        **({} if margin.next is None else {"next": margin.next}),
        "tolerance": margin.tolerance,
        **(
            {} if turned is None else {"turned change": turned.change, "turned bound": turned.bound}
        ),
    }


def _known(name: str, value: float | None) -> dict[str, Value]:
    return {} if value is None else {name: value}


def units(point: Point) -> dict[str, Unit]:
    """Return the dimension of each quantity, or the unit that its model states."""
    prediction = point.prediction
    metrics = {item.name: _unit(item) for item in _metrics(point)}
    spending = {name: prediction.dimensions.get(name, JOULE) for name in point.result.spending}
    uncertain = {**UNITS, **spending, **metrics}
    return {
        **{f"{kind} {x}": uncertain[x] for kind in ("least", "most", "off") for x in uncertain},
        **UNITS,
        **{f"own {name}": unit for name, unit in point.result.own.items()},
        **{f"flops/{name}": FLOP / unit for name, unit in point.result.own.items()},
        **{f"ridge flops/{name}": FLOP / unit for name, unit in point.result.own.items()},
        **{f"ridge {name}": UNITS[name] for name in INTENSITIES},
        **{f"work {load.name}": load.resource.dimension for load in prediction.loads},
        **{f"busy {name}": SECOND for name in point.result.times},
        **{f"tally {tally.name}": tally.dimension for tally in prediction.tallies()},
        **{f"metric {name}": unit for name, unit in metrics.items()},
        **{f"total {load.resource.name}": load.resource.dimension for load in prediction.loads},
        **{f"total {load.name}": load.resource.dimension for load in prediction.loads},
        **{f"total {name}": unit for name, unit in point.result.own.items()},
        **{f"total {name}": UNITS[name] for name in TOTALS},
        "total attainable": FLOP / SECOND,
    }


def unequal(
    said: Mapping[str, Value], wanted: Mapping[str, Value], dimensions: Mapping[str, Unit]
) -> Iterator[str]:
    for quantity, value in said.items():
        if quantity not in wanted and value:
            yield f"{quantity} is {value}, and `evaluate` does not have it"
        elif not same(value, wanted.get(quantity), dimensions.get(quantity)):
            yield f"{quantity} is {value}, not {wanted.get(quantity)}"


def same(value: Value, wanted: Value, unit: Unit | None) -> bool:
    if isinstance(value, End | Half):
        value = value.value
    if isinstance(wanted, End) and wanted.is_open:
        nothing = value in (None, Shown("–")) or (isinstance(value, float) and math.isnan(value))
        return nothing or value == wanted.value
    if isinstance(wanted, End | Half):
        if isinstance(value, Shown):
            return _same_printed(value.text, wanted, unit)
        return same(value, wanted.value, unit)
    if isinstance(value, Shown) and (wanted is None or isinstance(wanted, bool)):
        return value.text == {True: "true", False: "false", None: "–"}[wanted]
    if isinstance(value, Shown) and isinstance(wanted, float):
        if unit is None:
            part, times = three_digits(100 * wanted), three_digits(wanted)
            return value.text in (f"{part} %", f"{times} ×", f"less than {percent_below(wanted)}")
        said, dimension = re.split(r"\s+\(", value.text)[0], unit
        if isinstance(unit, Stated):
            dimension = unit.dimension
            if said == f"{show_number(wanted / float(unit.factor))} {unit.unit}":
                return True
        assert isinstance(dimension, Dimension)
        return said == show_quantity(wanted, dimension)
    if isinstance(value, Given) and isinstance(wanted, Given):
        whole = wanted.value.denominator == 1
        return value == wanted if whole else float(value.value) == float(wanted.value)
    if isinstance(value, float) and isinstance(wanted, float):
        return (
            value == wanted
            or abs(value - wanted) <= NEAR * abs(wanted)
            or (math.isnan(value) and math.isnan(wanted))
        )
    if wanted is None:
        return value is None or (isinstance(value, float) and math.isnan(value))
    return value == wanted


def three_digits(value: float) -> str:
    """Return a number to three digits, or with its whole part, a whole one to its last digit."""
    if 999.5 <= value < (1e9 if value.is_integer() else 999_999.5):
        return f"{value:.0f}"
    return in_a_file(f"{value:.3g}")


def in_a_file(number: str) -> str:
    """Return a number of Python's as files and answers have it: 1e5, which Python calls 1e+05."""
    return re.sub(r"e([-+])0*", lambda sign: "e" + sign[1].strip("+"), number)


def _same_printed(text: str, wanted: End | Half, unit: Unit | None) -> bool:
    """Return whether an end is printed to four digits, outwards, or a half to two or four."""
    number, _, name = text.partition(" ")
    factor = 1.0
    if isinstance(unit, Stated) and name == unit.unit:
        factor = float(unit.factor)
    elif isinstance(read := read_unit(name or "1"), UnitRead):
        factor = float(read.factor)
    if isinstance(wanted, Half):
        half = wanted.value / factor
        rounded = number in (show_number(half, digits) for digits in (2, 4))
        # Behind a number, it is that of the number as printed.
        return rounded or (half > 100 and math.isclose(float(number), half, rel_tol=5e-4))
    value = wanted.value / factor
    if not value:
        return number == "0"
    step = Decimal(1).scaleb(Decimal(value).adjusted() - 3)
    steps = Decimal(value) / step
    outward = steps.to_integral_value(ROUND_CEILING if wanted.up else ROUND_FLOOR)
    nearest = steps.to_integral_value()
    # What is a short number but for rounding is that number.
    exact = nearest if abs(steps - nearest) < Decimal("1e-8") else outward
    return Decimal(number) == exact * step
