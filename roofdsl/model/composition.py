"""The parts of a composed model: steps, overlaps and repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean, listing
from roofdsl.expression.substitute import constant
from roofdsl.model import mismatch
from roofdsl.model.arguments import Argument, argument
from roofdsl.model.body import Body
from roofdsl.model.elaborate import plain
from roofdsl.model.resource import levels_of
from roofdsl.model.scope import Scope, within
from roofdsl.model.size import DEEPEST_PARTS, MOST_STEPS, size_of
from roofdsl.model.total import resources_worked_on, totals_of
from roofdsl.model.types import ModelDefinition, Module, Overlap, Part, Repeat, Step
from roofdsl.model.work import stated_time, work_of
from roofdsl.source import Span
from roofdsl.syntax import expressions, nodes
from roofdsl.syntax.comments import doc_comment


class Models(Protocol):
    """Finds models by the name they have in a file."""

    def model(self, name: str, use: Span) -> ModelDefinition | None: ...


def parts_of(
    statements: Sequence[nodes.PartSyntax],
    scope: Scope,
    models: Models,
    module: Module,
    *,
    counts: bool,
) -> tuple[Part, ...]:
    """Return the parts that statements describe; report what is wrong with them.

    `counts` says whether a parameter of the model counts its processes.
    """
    parts = _Composition(scope, models, module, counts).parts(statements)
    size = size_of(parts)
    if size.steps > MOST_STEPS:
        message = f"that is {size.steps:,} steps; at most {MOST_STEPS:,} are looked at"
        hint = "steps that are alike take one `repeat`"
        scope.refuse("R0219", message, statements[0].span, hint=hint)
        return ()
    if size.depth > DEEPEST_PARTS:
        scope.report(_too_deep(statements[0].span))
        return ()
    return parts


def _too_deep(span: Span) -> Diagnostic:
    message = f"steps nest deeper than {DEEPEST_PARTS} levels here"
    hint = "write some of them out in one model"
    return Diagnostic.at("R0219", message, span, hint=hint)


class _Composition:
    def __init__(self, scope: Scope, models: Models, module: Module, counts: bool) -> None:
        self._scope = scope
        self._counts = counts
        self._models = models
        self._module = module
        self._depth = 0
        self._steps: dict[str, expressions.Identifier] = {}

    def parts(self, statements: Sequence[nodes.PartSyntax]) -> tuple[Part, ...]:
        if self._depth == DEEPEST_PARTS:
            if statements:
                self._scope.report(_too_deep(statements[0].span))
            return ()
        self._depth += 1
        found = [self._part(statement) for statement in statements]
        self._depth -= 1
        return tuple(part for part in found if part is not None)

    def _part(self, statement: nodes.PartSyntax) -> Part | None:
        match statement:
            case nodes.StepCall():
                self._name(statement.name)
                return self._call(statement)
            case nodes.StepInPlace():
                self._name(statement.name)
                return self._in_place(statement)
            case nodes.OverlapStatement():
                return Overlap(self.parts(statement.parts), statement.span)
            case nodes.RepeatStatement():
                return self._repeat(statement)

    def _name(self, name: expressions.Identifier) -> None:
        """Note the name of a step, which no other step of its model may have."""
        first = self._steps.setdefault(name.name, name)
        if first is not name:
            message = f"there are two steps '{name.name}'"
            labels = (Label(name.span), Label(first.span, "the first is here"))
            hint = "a breakdown tells steps apart by name; steps that are alike take one `repeat`"
            self._scope.report(Diagnostic("R0202", message, labels, hint))

    def _repeat(self, statement: nodes.RepeatStatement) -> Repeat | None:
        times = plain(statement.times, self._scope, "the count of a repeat")
        parts = self.parts(statement.parts)
        if times is None:
            return None
        fixed = constant(times)
        if fixed is not None and (fixed < 0 or fixed.denominator != 1):
            self._scope.refuse(
                "R0410",
                "a repeat takes a whole number of times, not "
                f"`{mismatch.excerpt(statement.times.span)}`",
                statement.times.span,
                hint="0 or more" if fixed < 0 else "round it with `ceil` or `floor`",
            )
            return None
        return Repeat(times, parts, statement.span)

    def _call(self, statement: nodes.StepCall) -> Step | None:
        node = _ungrouped(statement.value)
        device = None
        if isinstance(node, expressions.On):
            device, node = node.path.text, _ungrouped(node.value)
        if not isinstance(node, expressions.Call):
            self._scope.refuse(
                "R0222",
                f"step '{statement.name.name}' is not a call of a model",
                statement.value.span,
                hint="write `step name = model(argument = value, …)`, or `step name { … }`",
            )
            return None
        model = self._models.model(node.function.name, node.function.span)
        if model is None:
            return None
        arguments = self._arguments(node, model)
        if arguments is None:
            return None
        return Step(statement.name.name, model, arguments, False, device, statement.span)

    def _arguments(
        self, call: expressions.Call, model: ModelDefinition
    ) -> dict[str, Argument] | None:
        known = {parameter.name: parameter for parameter in model.parameters}
        found: dict[str, Argument] = {}
        complete = True
        for index, given in enumerate(call.arguments):
            if given.name is not None:
                name = given.name.name
            elif index < len(known):
                name = list(known)[index]
            else:
                name = ""
            if name not in known or name in found:
                self._unknown(name, given, model, twice=name in found)
                complete = False
                continue
            value = argument(known[name], given.value, self._scope)
            if value is None:
                complete = False
            else:
                found[name] = value
        missing = [
            parameter.name
            for parameter in model.parameters
            if parameter.default is None and parameter.name not in found
        ]
        if complete and missing:
            self._scope.refuse(
                "R0205",
                f"'{model.name}' needs a value for {', '.join(missing)}",
                call.span,
                Label(model.span, "defined here"),
                hint=f"add `{missing[0]} = …` to the call",
            )
        return found if complete and not missing else None

    def _unknown(
        self,
        name: str,
        given: expressions.Argument,
        model: ModelDefinition,
        *,
        twice: bool,
    ) -> None:
        names = [parameter.name for parameter in model.parameters]
        if twice:
            message = f"'{name}' is given twice"
        elif name:
            message = f"'{model.name}' has no parameter '{name}'"
        else:
            message = f"'{model.name}' has {len(names)} parameters, and no more arguments"
        known = f"it has {listing(names)}" if names else "it has no parameters"
        hint = did_you_mean(name, names) if name and not twice else None
        place = Label(given.name.span if given.name else given.span)
        self._scope.refuse("R0205", message, place, hint=hint or known)

    def _in_place(self, statement: nodes.StepInPlace) -> Step:
        """Build a kernel that sees the names around it, and adds its own `let`s."""
        body = Body(self._scope.report, self._scope.units, self._scope.functions)
        body.scope = within(self._scope, {})
        left = [item for item in statement.items if not body.take(item)]
        resources = tuple(i for i in left if isinstance(i, nodes.Assignment | nodes.BlockStatement))
        assignments = levels_of(resources, body.scope)
        intermediates = body.intermediates()
        totals = totals_of(
            [item for item in left if isinstance(item, nodes.TotalStatement)],
            body.scope,
            self._module.resources,
            resources_worked_on(assignments, (), ()),
            counts=self._counts,
        )
        model = ModelDefinition(
            name=statement.name.name,
            intermediates=intermediates,
            work=work_of(assignments, body.scope, self._module.resources),
            time=stated_time(assignments, body.scope),
            doc=doc_comment(statement.span),
            span=statement.name.span,
            totals=totals.work,
            even=totals.even,
        )
        device = statement.device.text if statement.device else None
        return Step(statement.name.name, model, {}, True, device, statement.span)


def _ungrouped(node: expressions.ExpressionSyntax) -> expressions.ExpressionSyntax:
    while isinstance(node, expressions.Grouped):
        node = node.inner
    return node
