"""A file with all constructs at once, `everything.roof`, and the points at which it is compared."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from roofdsl.model.library import load_module
from tests.agreement.points import Point

FILE = Path(__file__).with_name("everything.roof")


class Place(NamedTuple):
    """A model of the file on a machine of it, at some values of its parameters."""

    model: str
    machine: str
    values: dict[str, int]


PLACES = (
    Place("kernel", "node", {"n": 1000, "P": 4}),
    Place("kernel", "fast", {"n": 300, "P": 32}),
    Place("steps", "node", {"n": 1000, "P": 4}),
    Place("steps", "fast", {"n": 700, "P": 32}),
    Place("training", "node", {"n": 1000, "P": 4, "layers": 3}),
    Place("training", "fast", {"n": 24_800, "P": 32, "layers": 1}),
    Place("pipelined", "node", {"n": 1000, "P": 4, "micro": 6, "stages": 4}),
    Place("month", "node", {"need": 2}),
    Place("month", "fast", {"need": 3}),
    Place("product", "node", {"n": 300, "P": 4}),  # what was measured of it, between measurements
)


@cache
def everything() -> tuple[Point, ...]:
    return tuple(_point(place) for place in PLACES)


def _point(place: Place) -> Point:
    module = load_module(FILE, FILE.name)
    arguments: dict[str, Argument] = {
        name: (Number(Fraction(value)), None) for name, value in place.values.items()
    }
    model, machine = module.models[place.model], module.machines[place.machine]
    prediction, problems = predict(model, machine, arguments)
    assert not problems
    return Point(arguments, prediction, evaluated(prediction), first=True)
