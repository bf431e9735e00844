"""The names of a test: its `let`s, predictions, and the models and machines it may call."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.ends import FIRST_ORDER, HIGH, LOW, bound_elsewhere, end_asked
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.machine_ridge import machine_ridge
from roofdsl.analysis.members import Unanswered, member, names_of, step_asked
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.rates import machine_binding, machine_rates
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.ridge import Ridge
from roofdsl.analysis.spending import machine_tariff
from roofdsl.analysis.tariff import stated_by
from roofdsl.diagnostic import (
    Diagnostic,
    Label,
    Reporter,
    RoofError,
    did_you_mean,
    listing,
    raise_if_any,
)
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument, argument
from roofdsl.model.elaborate import elaborate
from roofdsl.model.functions import by_parameter
from roofdsl.model.library import bundled_path, find_machine, find_model
from roofdsl.model.results import BOUND_KIND
from roofdsl.model.right_side import off_by
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, MachineDefinition, ModelDefinition, Module
from roofdsl.model.uncertain_values import with_default
from roofdsl.source import Span
from roofdsl.syntax import expressions, nodes
from roofdsl.syntax.expressions import ExpressionSyntax, ungrouped
from roofdsl.units.dimension import DIMENSIONLESS, SECOND


class TestScope(Scope):
    """The names of a test: its `let`s, the module's models and machines, the bundled library."""

    __test__ = False  # pytest must not collect it
    instead_of_uncertain = "what is off by so much is compared by `~`: `r.time ~ 51.6 ± 0.9 ms`"

    def __init__(self, module: Module, report: Reporter) -> None:
        super().__init__(report, module.units, dict(module.functions))
        self._module = module
        self._results: dict[str, Result] = {}
        self._failed: set[str] = set()
        self.at = Span(module.source, 0, 0)  # what is being evaluated

    def let(self, statement: nodes.LetStatement) -> None:
        node, name = ungrouped(statement.value), statement.name.name
        if not isinstance(node, expressions.On):
            self.declare(statement.name, lambda: self._elaborated(statement.value))
        elif self.declare(statement.name, lambda: self._not_a_number(statement.name)):
            self._failed.add(name)
            result = self.result(node)
            if result is not None:
                self._results[name] = result
                self._failed.discard(name)

    def _elaborated(self, node: ExpressionSyntax) -> Formula | None:
        try:
            return elaborate(node, self)
        except RoofError as error:
            self.report(inside(error, self.at))
            return None

    def _not_a_number(self, name: expressions.Identifier) -> None:
        if name.name in self._results:
            hint = f"ask for a number: `{name.name}.time`"
            self.refuse("R0604", f"`{name.name}` is a prediction", self.at, hint=hint)

    def special(self, node: ExpressionSyntax) -> Formula | None:
        if isinstance(node, expressions.Member):
            machine = self._machine_in(node.span.text)
            key = node.span.text.removeprefix(f"{machine}.")
            if machine is not None and key.partition(".")[0] != "ridge":
                return self._machine_value(machine, key, node.name.span)
            asked = self.asked(node)
            if asked is None:
                return None
            holder, name = asked
            found = end_asked(holder, name) if isinstance(holder, Result) else None
            found = found or member(holder, name)
            if isinstance(found, Formula):
                return found
            self._refuse_member(node, holder, name, found)
            return None
        return super().special(node)

    def _refuse_member(
        self,
        node: expressions.Member,
        holder: Result | Ridge,
        name: str,
        found: Unanswered | str | None,
    ) -> None:
        text, place, end = node.span.text, node.name.span, name.rpartition(".")[2]
        if not text.endswith(end):  # of `~ 51.6 ± 0.9 ms`
            if text.rpartition(".")[2] in (LOW, HIGH, FIRST_ORDER):
                message = f"`{text}` is one number, and is off by nothing"
                self.refuse("R0604", message, place, hint="expect it without `±`")
                return
            text = f"{text}.{end}"
        if isinstance(found, Unanswered):
            self.refuse("R0610", f"`{text}` is not answered: {found.reason}", place)
            return
        known = names_of(holder)
        whose = "ridge points have" if isinstance(holder, Ridge) else "a prediction has"
        wrong = f"is nothing that {whose}"
        if found is not None:
            wrong, hint = f"is {found}", f"it is expected with `is`: `{text} is {found}`"
        elif name == "bound":
            hint = f"a bound is tested with `is`: `{text} is flops`"
        elif isinstance(holder, Result) and name in holder.steps:
            wrong, hint = "is a prediction", f"ask for a number: `{text}.time`"
        else:
            first = name.partition(".")[0]
            hint = did_you_mean(first, known) or f"{whose} {', '.join(known)}"
        self.refuse("R0604", f"`{text}` {wrong}", place, hint=hint)

    def tested(self, node: expressions.IsTest) -> Formula | None:
        """Return whether a prediction is bound by something: `r.fc1.bound is memory`."""
        asking = ungrouped(node.value)
        if not isinstance(asking, expressions.Member):
            return super().tested(node)
        if asking.name.name not in BOUND_KIND.split("."):
            return super().tested(node)
        asked = self.asked(asking)
        if asked is None:
            return None
        holder, name = asked
        if not isinstance(holder, Result):
            return None
        if name not in ("bound", BOUND_KIND):
            return super().tested(node)
        if name != "bound":
            return Formula(truth(holder.bound_kind == node.path.text), truth=True)
        everywhere = bound_elsewhere(holder) is None  # within all that its numbers may be off
        return Formula(truth(everywhere and holder.bound == node.path.text), truth=True)

    def is_given(self, node: ExpressionSyntax) -> bool:
        """Whether a value is a parameter of a prediction, as it was given."""
        node = ungrouped(node)
        if not isinstance(node, expressions.Member) or self._machine_in(node.span.text):
            return False
        asked = self.asked(node)
        if asked is None:
            return False
        holder, name = asked
        return isinstance(holder, Result) and name in holder.parameters

    def _machine_in(self, names: str) -> str | None:
        """Return the machine that dotted names begin with: `karst` of `karst.memory`."""
        parts = names.split(".")
        first, module = parts[0], self._module
        known = first in module.machines or first in module.imports
        if first in self._results or first in self._failed:
            return None
        if not known and bundled_path(first, "machine") is None:
            return None
        for end in range(len(parts) - 1, 0, -1):
            with suppress(RoofError):
                self.machine(name := ".".join(parts[:end]))
                return name
        return None

    def _machine_value(self, name: str, key: str, place: Span) -> Formula | None:
        """Return a rate, parameter or `let` of a machine alone: `karst.memory`, `xe.memory.L2`."""
        values = machine_values(self.machine(name))
        if key not in values:
            hint = did_you_mean(key, values) or f"it has {listing(values)}"
            self.refuse("R0604", f"'{name}' has no '{key}'", place, hint=hint)
        return values.get(key)

    def asked(self, node: expressions.Member) -> tuple[Result | Ridge, str] | None:
        """Return what is asked of what: `time` of a prediction or its step, `OI` of ridge points.

        What is neither of these is reported, and gives None.
        """
        names, base = [node.name.name], ungrouped(node.value)
        machine = self._machine_in(node.span.text)
        if machine is not None:  # of one alone, only ridge points are asked here
            key = node.span.text.removeprefix(f"{machine}.ridge.")
            return machine_ridge(self.machine(machine)), key
        while isinstance(base, expressions.Member):
            names.insert(0, base.name.name)
            base = ungrouped(base.value)
        holder = self._result_of(base)
        if holder is None:
            return None
        holder, key = step_asked(holder, names)
        if key.partition(".")[0] == "ridge" and key.count(".") == 1:
            return holder.ridge, key.removeprefix("ridge.")
        return holder, key

    def _result_of(self, node: ExpressionSyntax) -> Result | None:
        """Return the prediction that stands before all dots; anything else is reported."""
        if isinstance(node, expressions.On):
            return self.result(node)
        if isinstance(node, expressions.NameUse) and node.name in self._results:
            return self._results[node.name]
        if isinstance(node, expressions.NameUse) and node.name in self._failed:
            return None  # which has been reported
        message = f"`{node.span.text}` is neither a prediction nor a machine"
        hint = "a prediction is written `model(name = value, …) on machine`"
        self.refuse("R0604", message, node.span, hint=hint)
        return None

    def result(self, node: expressions.On) -> Result | None:
        """Evaluate `model(arguments) on machine`."""
        call = ungrouped(node.value)
        if not isinstance(call, expressions.Call):
            hint = "write `model(name = value, …) on machine`"
            self.refuse("R0603", "only a model can be put on a machine", call.span, hint=hint)
            return None
        self.at = call.function.span
        model = self.model(call.function.name)
        known = {parameter.name: parameter for parameter in model.parameters}
        arguments: dict[str, Argument] = {}
        for name, given in by_parameter(call, list(known)):
            if not name:
                message = f"'{model.name}' has {len(known)} parameters, and no more arguments"
                hint = f"it has {listing(known)}"
                self.refuse("R0205", message, given.span, hint=hint)
                return None
            if name in arguments:
                self.refuse("R0205", f"'{name}' is given twice", given.span)
                return None
            if name in known and off_by(given.value) is not None:
                before, model = model, with_default(model, name, given.value, self)
                if model is before:
                    return None
                continue
            found = argument(known.get(name), given.value, self)
            if found is None:
                return None
            arguments[name] = found
        self.at = node.path.span
        machine = self.machine(node.path.text)
        self.at = node.span
        return self.predicted(model, machine, arguments)

    def predicted(
        self, model: ModelDefinition, machine: MachineDefinition, arguments: Arguments
    ) -> Result:
        """Return the prediction in numbers; raise RoofError where there is none."""
        prediction, problems = predict(model, machine, arguments)
        raise_if_any(problems)
        return evaluated(prediction)

    def without_value(self, place: Span, reason: str) -> None:
        """Report a statement whose numbers cannot be computed."""
        self.refuse("R0602", f"this has no value: {reason}", place)

    def model(self, name: str) -> ModelDefinition:
        return self._module.models.get(name) or find_model(name, self._module)[0]

    def machine(self, name: str) -> MachineDefinition:
        return self._module.machines.get(name) or find_machine(name, self._module)[0]


def inside(error: RoofError, place: Span) -> Diagnostic:
    """Return an error of a prediction as one of the test that asked for it, at the test's place."""
    first, *others = error.diagnostics
    labels = first.labels
    if not labels or labels[0].span.source is not place.source:
        labels = (Label(place), *labels)
    notes = (*first.notes, f"and {len(others)} more") if others else first.notes
    message = f"this cannot be evaluated: {first.message}"
    code = "R0412" if first.code == "R0412" else "R0602"
    return Diagnostic(code, message, labels, first.hint, notes)


def machine_values(machine: MachineDefinition) -> dict[str, Formula]:
    """Return a machine's rates, parameters and `let`s as numbers, its parameters at their defaults.

    Raises RoofError where one has no value.
    """
    own, dimensions = machine_binding(machine).values, machine.dimensions()
    rates = machine_rates(machine)
    kinds = {rate.key: rate.resource.dimension / SECOND for rate in machine.rates}
    numbers, kinds = {**own, **rates}, {**dimensions, **kinds}
    truths = machine.truths()
    found = {
        name: Formula(truth(bool(number)), DIMENSIONLESS, truth=True)
        if name in truths
        else Formula(Number(Fraction(number)), kinds[name])
        for name, number in numbers.items()
    }
    stated, numbers = stated_by(machine).values, machine_tariff(machine)
    for symbol, item in stated.items():
        name = rate_key(symbol)
        found[name] = Formula(Number(Fraction(numbers[name])), item.dimension)
    levels = {name: level for name, level in machine.defaults.items() if level in found}
    return {**found, **{name: found[level] for name, level in levels.items()}}
