"""Look at the tests of a file without running them: names, calls and units, not what they find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from roofdsl.analysis.breakdown import Measured
from roofdsl.analysis.expectation import tolerance
from roofdsl.analysis.members import LIMITS, MEMBERS, beyond_numbers
from roofdsl.analysis.names_of_tests import TestScope, inside, ungrouped
from roofdsl.analysis.result import Result, Ridge
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean, listing
from roofdsl.model import mismatch
from roofdsl.model.arguments import Argument
from roofdsl.model.elaborate import truth, value
from roofdsl.model.tally import tallies_of
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.numeric.failure import EvaluationError
from roofdsl.syntax import nodes
from roofdsl.syntax.nodes import TestDeclaration


def look_at_tests(module: Module) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the tests of a module, other than expectations that do not hold.

    Predictions are not made: whether their arguments fit bounds and requirements, only a run says.
    """
    return tuple(problem for test in module.tests for problem in _problems(test, module))


def _problems(test: TestDeclaration, module: Module) -> list[Diagnostic]:
    problems: list[Diagnostic] = []
    scope = _Outlines(module, problems.append)
    for look in (_statement, _let_alone):
        for item in test.items:
            scope.at = item.span
            try:
                look(item, scope)
            except RoofError as error:
                problems.append(inside(error, scope.at))
            except EvaluationError:
                pass  # made-up numbers may have no root; a run has the right ones
    return problems


class _Outlines(TestScope):
    """The names of a test whose predictions have their names and units, and made-up numbers."""

    def predicted(
        self,
        model: ModelDefinition,
        machine: MachineDefinition,
        arguments: Mapping[str, Argument],
    ) -> Result:
        known = {parameter.name: parameter for parameter in model.parameters}
        for name in arguments:
            if name not in known:
                message = f"'{model.name}' has no parameter '{name}'"
                hint = did_you_mean(name, known) or f"it has {listing(known)}"
                raise RoofError([Diagnostic("R0401", message, (Label(self.at),), hint)])
        missing = [name for name, x in known.items() if x.default is None and name not in arguments]
        if missing:
            message = f"'{model.name}' needs a value for {', '.join(missing)}"
            hint = f"give {missing[0]} a number"
            raise RoofError([Diagnostic("R0406", message, (Label(self.at),), hint)])
        return _outline(model, machine)


# Each number is another one, so that no difference of two is 0.
_NUMBERS: Iterator[int] = count(2)


def _outline(model: ModelDefinition, machine: MachineDefinition) -> Result:
    tallies = tallies_of(model)
    dimensions = {**tallies, **model.dimensions()}
    truths = {p.name for p in model.parameters if p.kind == "boolean"}
    truths.update(item.name for item in model.intermediates if item.formula.truth)
    nothing = Measured(model.name, "kernel", 1.0, 0.0, {}, {}, {}, ())
    return Result(
        model=model.name,
        machine=machine.name,
        parameters={},
        named={name: name in truths or float(next(_NUMBERS)) for name in dimensions},
        dimensions=dimensions,
        work={},
        rates={},
        times={},
        bound=None,
        ties=(),
        shares={},
        breakdown=nothing,
        ridge=Ridge(*(float(next(_NUMBERS)) for _ in range(3))),
        processes=1.0,
        tallies={},
        fits={},
        notes=(),
        **{name: float(next(_NUMBERS)) for name in MEMBERS},
    )


def _statement(item: nodes.TestItem, scope: TestScope) -> None:
    match item:
        case nodes.LetStatement():
            scope.let(item)
        case nodes.Expect(condition=condition):
            _condition(condition, scope)
        case nodes.ExpectClose():
            actual, expected = value(item.actual, scope), value(item.expected, scope)
            if actual is not None and expected is not None:
                pair = [(actual, item.actual.span), (expected, item.expected.span)]
                mismatch.common_dimension(pair, "compared", scope)
                tolerance(item, expected, scope)


def _condition(condition: nodes.ExpressionSyntax, scope: TestScope) -> None:
    node = ungrouped(condition)
    if isinstance(node, nodes.IsTest) and isinstance(node.value, nodes.Member):
        asked = node.value
        if asked.name.name == "bound" or node.path.text in LIMITS:
            holder = scope.holder(asked.value)
            of_a_number = holder is not None and asked.name.name != "bound"
            if holder and of_a_number and beyond_numbers(holder, asked.name.name) is None:
                scope.special(asked)
            return
    truth(node, scope)


def _let_alone(item: nodes.TestItem, scope: TestScope) -> None:
    if isinstance(item, nodes.LetStatement) and not isinstance(ungrouped(item.value), nodes.On):
        scope.formula(item.name.name, item.name.span)
