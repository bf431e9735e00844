"""Presets of an explorer: arguments that the tests of a model's file put it on a machine with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofdsl.allowance import counting
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.outlines import OutlineScope
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.diagnostic import RoofError
from roofdsl.explorer.controls import Described
from roofdsl.model.library import check_module, check_text
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.numeric.failure import EvaluationError
from roofdsl.syntax import expressions, nodes
from roofdsl.syntax.expressions import ungrouped
from roofdsl.syntax.names import walk

MOST = 24
"""So many are offered, those of the first tests."""


def presets(definition: ModelDefinition, machines: Sequence[MachineDefinition]) -> list[Described]:
    """Return what a model's controls can be set to at once: a test's title, and values.

    What is not among the values follows from its default. Each is allowed on all machines.

    >>> from roofdsl.model.library import find_machine, find_model
    >>> first, *_ = presets(find_model("summa")[0], [find_machine("karst")[0]])
    >>> first["test"][:14], first["values"]
    ('thesis §2.6.4:', {'N': 242.0, 'P': 121.0})
    """
    found: list[Described] = []
    known: list[Described] = []
    for title, arguments in _asked(definition):
        values = _values(definition, machines, arguments)
        if values is not None and values not in known and len(found) < MOST:
            known.append(values)
            found.append({"test": title, "values": values})
    return found


def _values(
    definition: ModelDefinition, machines: Sequence[MachineDefinition], arguments: Arguments
) -> Described | None:
    """Return the values of arguments, None where they are not allowed on one of the machines."""
    values: Described = {}
    for machine in machines:
        try:
            with counting(afresh=True):
                prediction, problems = predict(definition, machine, arguments, peaks=False)
                if problems:
                    return None
                evaluated(prediction)
        except (RoofError, EvaluationError):
            return None
        bound = prediction.binding.values
        values = {
            item.name: bool(bound[item.name]) if item.kind == "boolean" else bound[item.name]
            for item in definition.parameters
            if item.name in arguments
        }
    return values


def _asked(definition: ModelDefinition) -> Iterator[tuple[str, Arguments]]:
    """Yield the title and arguments of a model in each test; none where its file is another now."""
    source = definition.span.source
    module = check_text(source)[0] if source.path is None else check_module(source.path)[0]
    own = None if module is None else module.models.get(definition.name)
    if module is None or own is None or own.span.text != definition.span.text:
        return
    for test in module.tests:
        scope = _Asked(module, own)
        scope.go_through(test)
        for arguments in scope.found:
            yield test.title.value, arguments


class _Asked(OutlineScope):
    """The names of a test, which keeps the arguments that it asks for a model with."""

    def __init__(self, module: Module, wanted: ModelDefinition) -> None:
        super().__init__(module, lambda _: None)
        self._wanted = wanted
        self.found: list[Arguments] = []

    def go_through(self, test: nodes.TestDeclaration) -> None:
        numbers = (item for item in test.items if isinstance(item, nodes.LetStatement))
        for item in numbers:
            if not isinstance(ungrouped(item.value), expressions.On):
                self.let(item)
        for node in walk(test, expressions.On):
            try:
                self.result(node)
            except (RoofError, EvaluationError):
                continue  # `roofdsl test` says what is wrong with it

    def predicted(
        self, model: ModelDefinition, machine: MachineDefinition, arguments: Arguments
    ) -> Result:
        if model is self._wanted:
            self.found.append(arguments)
        return super().predicted(model, machine, arguments)
