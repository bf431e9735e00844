"""What an answer says, by the names of the quantities, and when a form says the same."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.margin import Margin
from roofdsl.answer.margins import percent_below
from roofdsl.expression.tree import Number
from roofdsl.model.types import Metric
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity
from tests.agreement.points import Point


class Shown(NamedTuple):
    """A number as it is printed: it must be the number, rounded by the one rule."""

    text: str


class Stated(NamedTuple):
    """The unit that a metric is declared in, which may be one that its file defines."""

    dimension: Dimension
    unit: str
    factor: Fraction


class Given(NamedTuple):
    """A parameter's value, which must be said exactly: as an integer, or as the nearest double."""

    value: Fraction


Value: TypeAlias = float | str | bool | tuple[str, ...] | Shown | Given | None
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
    }


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
    return {
        **UNITS,
        **{f"own {name}": unit for name, unit in point.result.own.items()},
        **{f"flops/{name}": FLOP / unit for name, unit in point.result.own.items()},
        **{f"ridge flops/{name}": FLOP / unit for name, unit in point.result.own.items()},
        **{f"ridge {name}": UNITS[name] for name in INTENSITIES},
        **{f"work {load.name}": load.resource.dimension for load in prediction.loads},
        **{f"busy {name}": SECOND for name in point.result.times},
        **{f"tally {tally.name}": tally.dimension for tally in prediction.tallies()},
        **{f"metric {item.name}": _unit(item) for item in _metrics(point)},
        "total flops": FLOP,
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
    if isinstance(value, Shown) and (wanted is None or isinstance(wanted, bool)):
        return value.text == {True: "true", False: "false", None: "–"}[wanted]
    if isinstance(value, Shown) and isinstance(wanted, float):
        if unit is None:
            shown = f"{100 * wanted:.3g} %", f"{wanted:.3g} ×", f"less than {percent_below(wanted)}"
            return value.text in shown
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
