"""Where an explorer starts: what was asked for, defaults, and values that the model allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, product

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.expression.constant import constant
from roofdsl.expression.tree import ONE, Comparison, Expression, Number
from roofdsl.model.precision import PRECISIONS, code
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.source import Span

MOST_TRIED = 400
_WHOLE = (4096, 1024, 256, 64, 32, 16, 8, 4, 2, 1, 10**6, 10**9)
_PROCESSES = (64, 16, 4, 1, 8, 27, 2, 128)
_REAL = (1, Fraction(1, 2), 10**6, Fraction(1, 1000), 10**9, 10)

Start = dict[str, tuple[Expression, Span | None]]


def start_of(
    model: ModelDefinition, machines: Sequence[MachineDefinition], given: Arguments
) -> Start:
    """Return arguments for the parameters that are given, or need a value and have none.

    Raises RoofError where what is given does not do on a machine, and where no values were found
    that do (R1101).
    """
    first, _ = predict(model, machines[0], given)
    free = first.free
    problems: RoofError | None = None
    candidates = [list(_candidates(parameter)) for parameter in free]
    for values in islice(product(*candidates), MOST_TRIED):
        trees: Start = {p.name: (tree, None) for p, tree in zip(free, values, strict=True)}
        found: Start = {**given, **trees}
        try:
            for machine in machines:
                prediction, wrong = predict(model, machine, found)
                if wrong:
                    raise RoofError(wrong)
                evaluated(prediction)
        except RoofError as error:
            problems = error
            continue
        return found
    if problems is not None and not free:
        raise problems
    raise RoofError([_no_start(model, free)])


def refuse_unknown(names: Iterable[str], models: Sequence[ModelDefinition]) -> None:
    """Raise RoofError for each name that is a parameter of none of the models (R0401)."""
    known = list(dict.fromkeys(p.name for item in models for p in item.parameters))
    problems = [
        Diagnostic(
            "R0401",
            f"none of the models has a parameter '{name}'",
            hint=did_you_mean(name, known) or f"parameters: {', '.join(known)}",
        )
        for name in names
        if name not in known
    ]
    if problems:
        raise RoofError(problems)


def _candidates(parameter: Parameter) -> Iterator[Expression]:
    if parameter.kind == "boolean":
        yield from (Comparison("==", ONE, Number(Fraction(value))) for value in (1, 0))
        return
    if parameter.kind == "precision":
        yield from (Number(code(name)) for name in PRECISIONS)
        return
    low = constant(parameter.low) if parameter.low is not None else None
    high = constant(parameter.high) if parameter.high is not None else None
    values: list[int | Fraction] = list(_REAL)
    if parameter.symbol.integer:
        values = list(_PROCESSES if parameter.kind == "processes" else _WHOLE)
    if low is not None and high is not None:
        middle = (low + high) / 2
        values.insert(0, Fraction(int(middle)) if parameter.symbol.integer else middle)
    values += [end for end in (low, high) if end is not None]
    for value in dict.fromkeys(values):
        below = low is not None and (value < low or (value == low and parameter.low_open))
        if not below and (high is None or value <= high):
            yield Number(Fraction(value))


def _no_start(model: ModelDefinition, free: Sequence[Parameter]) -> Diagnostic:
    names = " ".join(f"-p {parameter.name}=…" for parameter in free[:4])
    return Diagnostic(
        "R1101",
        f"no values for the parameters of '{model.name}' were found that it allows",
        tuple(Label(parameter.span) for parameter in free[:4]),
        f"say where to start: {names}",
    )
