"""Where reports give numbers and explorers start: at values asked for, at examples of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.plan import Plan
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.titles import parameters_text
from roofdsl.diagnostic import RoofError
from roofdsl.expression.condition import truth
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.arguments import Argument
from roofdsl.model.precision import PRECISIONS, code
from roofdsl.model.types import ModelDefinition, Parameter
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluator_of_each

_SIZES = (1024, 4096, 256, 64, 16, 4, 2, 1)
_PROCESSES = (16, 4, 64, 1, 8, 27, 2, 128)
_REALS = (1, Fraction(1, 2), 10**6, Fraction(1, 1000), 10**9, 10)
_MOST_TRIED = 2000
_MOST_PREDICTED = 100


@dataclass(frozen=True, slots=True)
class Start:
    """A value for every parameter; `example` names those that nobody asked for, with theirs.

    `growing` are the parameters that formulas and regimes are given over, the first one first.
    """

    arguments: dict[str, Argument]
    example: str
    growing: tuple[str, ...]


def point_of(
    model: ModelDefinition,
    asked: Sequence[ModelOnMachine],
    given: Arguments,
    *,
    everywhere: bool = False,
) -> Start | None:
    """Return the point for a model on machines, None where no example was found that it allows.

    An example must do on one of the machines, and take time there; or on all: `everywhere`.
    """
    growing = growing_parameters(model, given)
    opened = [p for p in model.parameters if p.default is None and p.name not in given]
    if not opened:
        return Start(dict(given), "", growing)
    enough = all if everywhere else any
    names = [parameter.name for parameter in opened]
    tried = dict.fromkeys(islice(_examples(opened), _MOST_TRIED))
    for trees in islice(filter(_asking(model, asked, given, opened), tried), _MOST_PREDICTED):
        chosen: dict[str, Argument] = {**given}
        chosen.update((name, (tree, None)) for name, tree in zip(names, trees, strict=True))
        results = (result_at(each, chosen) for each in asked)
        does = (found is not None and (found.time > 0 or everywhere) for found in results)
        if asked and enough(does):
            prediction, _ = predict(model, asked[0].machine, chosen, peaks=False)
            return Start(chosen, parameters_text(prediction, names), growing)
    return None


def _asking(
    model: ModelDefinition,
    asked: Sequence[ModelOnMachine],
    given: Arguments,
    opened: Sequence[Parameter],
) -> Callable[[Sequence[Expression]], bool]:
    """Return whether values meet all that the model and its steps ask for, before any machine.

    What formulas are depends on precisions and truth values: where one is open, all may do.
    """
    if not asked or any(not p.is_number for p in opened):
        return lambda _: True
    plan = Plan(predict(model, asked[0].machine, given, peaks=False)[0])
    compute = evaluator_of_each(plan.checks, [parameter.name for parameter in opened])

    def meets(trees: Sequence[Expression]) -> bool:
        found = compute(*(float(tree.value) for tree in trees if isinstance(tree, Number)))
        # What has no value here may depend on the machine: that is left to a prediction.
        return all(isinstance(value, EvaluationError) or value for value in found)

    return meets


def growing_parameters(model: ModelDefinition, given: Arguments) -> tuple[str, ...]:
    """Return the parameters that are numbers and have no default; else those given; else one."""
    numbers = [p for p in model.parameters if p.is_number]
    opened = [p.name for p in numbers if p.default is None]
    asked = [p.name for p in numbers if p.name in given]
    return tuple(opened or asked or [p.name for p in numbers if p.kind == "integer"][:1])


def _examples(parameters: Sequence[Parameter]) -> Iterator[tuple[Expression, ...]]:
    """Yield values to try: first those where all sizes are alike, then usual ones in all ways."""
    for processes, size in product(_PROCESSES[:3], _SIZES):
        yield tuple(_near(p, processes if p.kind == "processes" else size) for p in parameters)
    yield from product(*(dict.fromkeys(_usual(parameter)) for parameter in parameters))


def _usual(parameter: Parameter) -> Iterator[Expression]:
    if parameter.kind == "precision":
        yield from (Number(code(name)) for name in PRECISIONS)
    elif parameter.kind == "boolean":
        yield from (truth(False), truth(True))
    else:
        values = _PROCESSES if parameter.kind == "processes" else _SIZES
        low, high = (constant(end) if end else None for end in (parameter.low, parameter.high))
        if low is not None and high is not None:
            yield _near(parameter, (low + high) / 2)
        for value in values if parameter.symbol.integer else _REALS:
            yield _near(parameter, value)


def _near(parameter: Parameter, value: int | Fraction) -> Expression:
    """Return a value, or the nearest one within the parameter's bounds."""
    if not parameter.is_number:
        return next(_usual(parameter))
    low, high = (constant(end) if end else None for end in (parameter.low, parameter.high))
    if high is not None and value > high:
        value = (high + (low or 0)) / 2 if parameter.kind == "real" else high
    if low is not None and value < low:
        value = low
    return Number(Fraction(int(value) if parameter.symbol.integer else value))


def result_at(asked: ModelOnMachine, arguments: Arguments) -> Result | None:
    """Return the prediction in numbers, None where values are missing or not allowed."""
    try:
        prediction = asked.at(arguments)
        return None if prediction.free else evaluated(prediction)
    except RoofError:
        return None
