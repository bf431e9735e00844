"""What must become of any input: an answer or diagnostics, soon, and nothing else."""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TypeVar

import pytest

import roofdsl as rd
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.testing import run_tests
from roofdsl.answer.definition import DefinitionPage
from roofdsl.answer.formulas import FormulaAnswer
from roofdsl.answer.point import PointAnswer
from roofdsl.answer.rows import RowsAnswer
from roofdsl.answer.swept import Sweep
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.library import check_module, find_machine
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module, Parameter
from roofdsl.report import csv, json, text

SECONDS = 20
"""Of the processor, for one input: far more than any should take."""

INPUTS: Counter[str] = Counter()
"""How many inputs ended in what."""

# Words of the libraries beneath, which say nothing to a user.
FOREIGN = re.compile(
    r"__ANON|_END\b|\$END|_NEWLINE|LPAR|RBRACE|Token\(|Tree\(|\bLark\b|\bsympy\b|Traceback|"
    r"<roofdsl|object at 0x|Fraction\(|Symbol\(|Number\(|NoneType|Span\("
)


NONE = (Diagnostic("", "an error without diagnostics"),)


class TooSlow(AssertionError):
    """Raised when an input takes longer than `SECONDS`."""


@contextmanager
def soon() -> Iterator[None]:
    """Raise TooSlow in a block that does not end."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judge(path: Path, *, formulas: bool = False) -> None:
    """Check a file, and use all it defines; any exception but RoofError is a failure.

    `formulas`: answers in formulas are asked for too.
    """
    with soon():
        module, diagnostics = check_module(path, "fuzzed.roof")
        look_at(diagnostics)
        errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
        if module is None or errors:
            assert errors, "no module, and no reason"
            INPUTS["refused with diagnostics"] += 1
            return
        answered = _use(module, formulas=formulas)
        INPUTS["evaluated" if answered else "checked, not evaluated"] += 1


def look_at(diagnostics: Iterable[Diagnostic]) -> None:
    """See that diagnostics can be shown, point into their texts, and use no foreign words."""
    for diagnostic in diagnostics:
        assert isinstance(diagnostic, Diagnostic)
        assert re.fullmatch(r"R\d{4}", diagnostic.code)
        assert diagnostic.message
        for label in diagnostic.labels:
            source, start, end = label.span
            assert 0 <= start <= end <= len(source.text), (diagnostic, start, end)
        shown = str(diagnostic)
        own = {label.span.source.text for label in diagnostic.labels}
        foreign = FOREIGN.search(diagnostic.message + (diagnostic.hint or ""))
        assert foreign is None or any(foreign[0] in text for text in own), shown


def _use(module: Module, *, formulas: bool) -> bool:
    answered = False
    for outcome in run_tests(module):
        look_at(outcome.problems)
    for model in module.models.values():
        assert text.written(DefinitionPage(model, "fuzzed.roof"))
        for machine in (*list(module.machines.values())[-1:], _fitting(model)):
            for round_number in range(3):
                answered |= _put(model, machine, _arguments(model, round_number))
            if formulas:
                answered |= _put(model, machine, {}, formulas=True)
                _embedded(rd.Model(model).on(rd.Machine(machine)))
    for machine in module.machines.values():
        try:
            assert text.written(DefinitionPage(machine, "fuzzed.roof"))
        except RoofError as error:
            look_at(error.diagnostics)
    return answered


def _fitting(model: ModelDefinition) -> MachineDefinition:
    """Return a machine that has a rate for all that a model works on."""
    karst, _ = find_machine("karst")
    keys = {f"{work.key}.fp64" if work.selector else work.key: work for work in model.work}
    rates = [karst.rates[0]._replace(key=key, resource=work.resource) for key, work in keys.items()]
    return replace(karst, rates=tuple(rates))


def _put(
    model: ModelDefinition,
    machine: MachineDefinition,
    arguments: dict[str, Argument],
    *,
    formulas: bool = False,
) -> bool:
    """Put a model on a machine and print what comes out; return whether there was an answer."""
    try:
        prediction, problems = predict(model, machine, arguments)
        if problems:
            raise RoofError(problems)
        if formulas and prediction.free:
            _formulas(prediction)
            return True
        result = evaluated(prediction)
        answer = PointAnswer(result, prediction)
        assert text.written(answer)
        assert json.written(answer)
        rows = RowsAnswer([result], [prediction])
        assert csv.written(rows)
        assert text.written(rows)
    except RoofError as error:
        look_at(error.diagnostics or NONE)
        return False
    return True


def _formulas(prediction: Prediction) -> None:
    answer = FormulaAnswer(prediction)
    assert text.written(answer)
    assert json.written(answer)


def _embedded(prediction: rd.Prediction) -> None:
    """Ask a prediction what it can be asked from Python."""
    model = prediction.model
    parameters = model.definition.parameters
    numbers = {p.name: 4 for p in parameters if p.kind not in ("boolean", "precision")}
    others = {p.name: _written(p, 0) for p in parameters if p.name not in numbers}
    questions: tuple[Callable[[], object], ...] = (
        lambda: (model.flops, model.memory, model.network, model.OI, model.CAI, model.MI),
        lambda: (prediction.time, prediction.times, prediction.attainable),
        lambda: prediction.sweep(**{name: [1, 4, 9.5] for name in numbers}, **others),
    )
    for question in questions:
        _asked(question)
    if numbers:
        single = _asked(lambda: prediction.evaluate(**numbers, **others))
        arrays = {name: [value, value] for name, value in numbers.items()}
        swept = _asked(lambda: prediction.sweep(**arrays, **others))
        assert (single is None) == (swept is None), "a sweep and a point differ in what they refuse"
        if isinstance(single, Result) and isinstance(swept, Sweep):
            _same(single, swept)


Answered = TypeVar("Answered")


def _asked(question: Callable[[], Answered]) -> Answered | None:
    try:
        return question()
    except RoofError as error:
        look_at(error.diagnostics or NONE)
        return None


def _same(single: Result, swept: Sweep) -> None:
    for name in ("flops", "memory", "network", "time", "attainable", "OI", "CAI", "MI"):
        one, other = getattr(single, name), float(getattr(swept, name)[1])
        both_undefined = one != one and other != other
        assert both_undefined or other == pytest.approx(one, rel=1e-12, abs=0), name
    assert swept.bound[1] == (single.bound or "")


def _arguments(model: ModelDefinition, round_number: int) -> dict[str, Argument]:
    """Return a small value for each parameter without a default, as a user would write it."""
    texts = {p.name: _written(p, round_number) for p in model.parameters if p.default is None}
    arguments, problems = read_arguments(model, texts)
    look_at(problems)
    return arguments


def _written(parameter: Parameter, round_number: int) -> str:
    if parameter.kind == "boolean":
        return ("true", "false", "true")[round_number]
    if parameter.kind == "precision":
        return "fp64"
    if parameter.symbol.integer:
        return ("4", "1", "9")[round_number]
    value = ("4", "0.5", "1e3")[round_number]
    return f"{value} {parameter.dimension}" if parameter.dimension.powers else value
