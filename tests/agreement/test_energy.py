"""All forms of an answer say the same of energy and money, for every bundled model.

The bundled machines state none, so each gets some here: another one for each rate.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from typing import Any

from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.blocks import Table
from roofdsl.answer.cells import Quantity
from roofdsl.answer.point import PointAnswer
from roofdsl.answer.rows import RowsAnswer
from roofdsl.answer.sweep import SweepPlan
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Number
from roofdsl.model.types import Energy, Formula, MachineDefinition, Standing
from roofdsl.numeric.scalar import evaluate
from roofdsl.report import csv as csv_format
from roofdsl.report import json as json_format
from roofdsl.report import latex as latex_format
from roofdsl.report import markdown as markdown_format
from roofdsl.units.dimension import JOULE, SECOND, Dimension
from roofdsl.units.quantity import show_quantity
from tests.agreement.points import by_file, files, sample

NEAR = 1e-11
EURO = Dimension.base("euro")


@by_file(files())
def test_all_forms_say_the_same_of_energy(file: str) -> None:
    found: list[str] = []
    for point in sample(file, 0):
        machine = priced(point.prediction.machine)
        prediction, problems = predict(point.prediction.model, machine, point.arguments)
        assert not problems
        result = evaluated(prediction)
        assert result.time == point.result.time
        found += [f"{point.name}: {each}" for each in wrong(prediction, result)]
    assert not found, "\n".join(found[:20])


def priced(machine: MachineDefinition, seed: int = 3) -> MachineDefinition:
    """Return a machine that states an energy of all that it has a rate of, power and price."""
    span = machine.span
    energies = tuple(
        Energy(x.key, x.resource, Number(Fraction(seed + at, 10**12)), None, "", span)
        for at, x in enumerate(machine.rates)
    )
    power = Formula(Number(Fraction(seed)), JOULE / SECOND)
    price = Formula(Number(Fraction(seed, 3600)), EURO / SECOND)
    devices = {name: priced(each, seed + 7) for name, each in machine.devices.items()}
    return replace(
        machine,
        energies=energies,
        power=Standing("power", power, None, "", span),
        price=Standing("price", price, None, "", span),
        devices=devices,
    )


def wrong(prediction: Prediction, result: Result) -> Iterator[str]:
    wanted = result.spending
    known = {**prediction.rates, **prediction.tariff.formulas}
    formulas = {
        name: evaluate(substitute(tree, known), {})
        for name, tree in prediction.spending.amounts.items()
    }
    yield from _unequal("formulas", formulas, wanted, {"power"})
    sweep = SweepPlan(prediction).sweep({}, lambda _: result)
    yield from _unequal("sweep", {n: float(x) for n, x in sweep.spending.items()}, wanted)
    written = json.loads(json_format.written(PointAnswer(result, prediction)))
    said = {name: _number(value) for name, value in written["spending"].items()}
    answered = {name: value for name, value in said.items() if name not in written["unanswered"]}
    yield from _unequal("JSON", answered, wanted)
    if written["unanswered"] != {**result.unanswered}:
        yield f"JSON: not answered are {written['unanswered']}"
    if any(written["spending"].get(name) is not None for name in result.unanswered):
        yield "JSON: what is not answered is not null"
    rows = RowsAnswer([result], [prediction])
    (row,) = csv.DictReader(StringIO(csv_format.written(rows)))
    cells = {name: _number(row[name]) for name in wanted}
    yield from _unequal("CSV", cells, wanted)
    yield from _of_pages(prediction, result)
    yield from _of_steps(written["breakdown"], wanted)


def _of_pages(prediction: Prediction, result: Result) -> Iterator[str]:
    answer = PointAnswer(result, prediction)
    units = {"energy": JOULE, "power": JOULE / SECOND, "cost": EURO}
    cells = [
        row
        for block in answer.blocks()
        if isinstance(block, Table)
        for row in block.rows
        if len(row) == 2
    ]
    for name, unit in units.items():
        shown = [row[1] for row in cells if row[0] == name]
        if name in result.spending:
            off = result.uncertainty.get(name)
            half = None if off is None or off.first_order is None else off.first_order
            relative = half and half / result.spending[name]
            value = Quantity(result.spending[name], unit, uncertainty=relative)
            if [each._replace(remark="") for each in shown if isinstance(each, Quantity)] != [
                value
            ]:
                yield f"blocks: {name} is {shown}"
        elif name != "power" and shown != [f"– ({result.unanswered[name]})"]:
            yield f"blocks: {name} is {shown}, and not answered"
    pages = {"Markdown": markdown_format.written(answer), "LaTeX": latex_format.written(answer)}
    for name in ("energy", "cost"):
        text = show_quantity(result.spending.get(name, math.nan), units[name]).partition(" ")[0]
        for form, page in pages.items():
            if name in result.spending and math.isfinite(result.spending[name]):
                digits = text.partition("e")[0]
                if digits not in page:
                    yield f"{form}: {name} is not {text}"


def _of_steps(step: Any, wanted: Mapping[str, float]) -> Iterator[str]:
    """Say where steps in a row do not take the energy of the whole."""
    if step is None or "energy" not in wanted:
        return
    if not _same(step["energy"], wanted["energy"]):
        yield f"the breakdown is of {step['energy']} J"
    inside = [child["energy"] for child in step["children"]]
    whole = step["arrangement"] == "sequence" and not step["left_out"] and None not in inside
    if whole and not _same(step["count"] * math.fsum(inside), step["energy"]):
        yield f"the steps of {step['name']} take {math.fsum(inside)} J"


def _unequal(
    form: str, said: Mapping[str, float], wanted: Mapping[str, float], but: set[str] | None = None
) -> Iterator[str]:
    if said.keys() != wanted.keys() - (but or set()):
        yield f"{form}: says {sorted(said)}, not {sorted(wanted)}"
        return
    for name, value in said.items():
        if not _same(value, wanted[name]):
            yield f"{form}: {name} is {value}, not {wanted[name]}"


def _number(value: Any) -> float:
    return math.nan if value in (None, "") else float(value)


def _same(one: float, other: float) -> bool:
    both = math.isnan(one) and math.isnan(other)
    return both or one == other or abs(one - other) <= NEAR * abs(other)
