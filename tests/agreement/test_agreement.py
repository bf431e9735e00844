"""All forms of an answer say the same, for every bundled model.

By default one point of each model; `make fuzz` takes three machines each, and all precisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from roofdsl.analysis.node import stated_in
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.ranges import results_at
from roofdsl.answer.sweep import SweepPlan
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from tests.agreement.points import ALL, Point, by_file, files, points, sample
from tests.agreement.readers import at_place, differences
from tests.agreement.values import expected, unequal

MOST_SHOWN = 20
MOST_IN_RANGES = 200
"""Of more amounts, a range takes seconds, and says what those of smaller networks say."""
FACTORS = (Fraction(1, 2), Fraction(4))


@by_file(files())
def test_all_forms_say_the_same(file: str) -> None:
    found: list[str] = []
    for point in points(file) if ALL else sample(file, 0):
        found += differences(point)
        if point.first and (ALL or _amounts(point) <= MOST_IN_RANGES):
            found += over_a_range(point)
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:MOST_SHOWN])


def _amounts(point: Point) -> int:
    return sum(1 for _ in stated_in(point.prediction.root))


def over_a_range(point: Point) -> Iterator[str]:
    """Say where ranges of the first number without a default differ from answers one by one."""
    model, machine = point.prediction.model, point.prediction.machine
    name = next((x.name for x in model.parameters if _is_number(point, x.name)), None)
    if name is None:
        return
    tree, _ = point.arguments[name]
    assert isinstance(tree, Number)
    answers = {float(tree.value): point}
    for factor in FACTORS:
        chosen: dict[str, Argument] = {name: (Number(tree.value * factor), None)}
        arguments = {**point.arguments, **chosen}
        prediction, problems = predict(model, machine, arguments)
        try:
            if not problems:
                answers[float(tree.value * factor)] = replace(
                    point, arguments=arguments, result=evaluated(prediction)
                )
        except RoofError:
            continue
    others = {each: given for each, given in point.arguments.items() if each != name}
    free, problems = predict(model, machine, others, frozenset({name}))
    assert not problems

    def at(values: dict[str, float]) -> Result:
        return answers[values[name]].result

    sweep = SweepPlan(free).sweep({name: [*answers]}, at)
    rows = results_at(model, machine, [each.arguments for each in answers.values()], [name])
    for place, (row, answer) in enumerate(zip(rows, answers.values(), strict=True)):
        wanted = expected(answer)
        for form, said in (
            ("a sweep", dict(at_place(sweep, place))),
            ("a row", expected(replace(answer, result=row))),
        ):
            for each in unequal(said, wanted, {}):
                yield f"{answer.name}: {form} over {name}: {each}"


def _is_number(point: Point, name: str) -> bool:
    parameter = next(each for each in point.prediction.model.parameters if each.name == name)
    tree, _ = point.arguments.get(name, (None, None))
    return isinstance(tree, Number) and parameter.kind not in ("boolean", "precision")
