"""The parts of a composed model: steps, overlaps, choices and repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from roofdsl.diagnostic import Label, did_you_mean, listing
from roofdsl.expression.condition import conditional
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE, ZERO, Expression
from roofdsl.model import mismatch
from roofdsl.model.arguments import Argument, argument
from roofdsl.model.body import Body
from roofdsl.model.elaborate import plain, truth
from roofdsl.model.functions import by_parameter
from roofdsl.model.job import on_device, written_job
from roofdsl.model.loop import (
    KEEPS,
    KEPT,
    NAMED,
    TAKES,
    LoopWord,
    can_keep,
    count_of,
    is_whole,
    more_or_fewer,
)
from roofdsl.model.resource import levels_of
from roofdsl.model.scope import Scope, within
from roofdsl.model.size import DEEPEST_PARTS, MOST_STEPS, size_of
from roofdsl.model.tensor import explain_names, memory_of, overwrites, sources_of
from roofdsl.model.total import resources_worked_on, totals_of
from roofdsl.model.types import ModelDefinition, Overlap, Part, Repeat, Resource, Step
from roofdsl.model.work import operation_of, stated_time, work_of
from roofdsl.source import Span
from roofdsl.syntax import expressions, nodes
from roofdsl.syntax.comments import doc_comment

_OnePart: TypeAlias = (
    nodes.StepCall
    | nodes.StepInPlace
    | nodes.OverlapStatement
    | nodes.LoopStatement
    | nodes.RecomputeStatement
    | nodes.JobStatement
)
_Written: TypeAlias = _OnePart | nodes.IfStatement
FindModel: TypeAlias = Callable[[str, Span], ModelDefinition | None]
"""Returns the model of a name in a file; reports, at a place, why there is none."""


def model_of(
    statement: nodes.ModelDeclaration | nodes.MixDeclaration | nodes.StepInPlace,
    scope: Scope,
    resources: Mapping[str, Resource],
    build: Callable[[Sequence[_Written]], tuple[Part, ...]],
    *,
    counts: bool,
    bodies: Sequence[Body] = (),
) -> ModelDefinition:
    """Return the model that statements describe, whose parts `build` makes; see `parts_of`.

    `bodies` are what it and the models that it is made from state of names, where there are any.
    """
    items, name = statement.items, statement.name
    explain_names(items, scope)
    bodies = bodies or (Body(items, scope),)
    assignments = levels_of(items, scope)
    parameters = tuple(item for body in bodies for item in body.parameters())
    intermediates = tuple(item for body in bodies for item in body.intermediates())
    written = [item for item in items if isinstance(item, _Written)]
    parts = build(written)
    worked = resources_worked_on(assignments, parts, written)
    totals = totals_of(items, scope, resources, worked, counts=counts)
    memory = memory_of(items, parts, scope)
    tallies = memory.tallied(bodies[0].tallies(), scope)
    _refuse_both(name.name, assignments, parts, scope)
    return ModelDefinition(
        name=name.name,
        parameters=parameters,
        intermediates=intermediates,
        requirements=tuple(item for body in bodies for item in body.requirements()),
        work=work_of(assignments, scope, resources),
        time=stated_time(assignments, scope),
        operation=operation_of(items, scope),
        parts=parts,
        tallies=tallies,
        tensors=memory.tensors,
        keeps=memory.keeps,
        sources=tuple(item for body in bodies for item in body.sources()),
        doc=doc_comment(statement.span),
        span=name.span,
        totals=totals.work,
        even=totals.even,
        uncertain={name: x for body in bodies for name, x in body.uncertain().items()},
    )


def parts_of(
    statements: Sequence[_Written],
    scope: Scope,
    find: FindModel,
    resources: Mapping[str, Resource],
    *,
    counts: bool,
) -> tuple[Part, ...]:
    """Return the parts that statements describe; report what is wrong with them.

    `counts` says whether a parameter of the model counts its processes.
    """
    composition = _Composition(scope, find, resources, counts)
    parts = composition.parts(statements)
    size = size_of(parts)
    if size.steps > MOST_STEPS:
        message = f"that is {size.steps:,} steps; at most {MOST_STEPS:,} are looked at"
        hint = "steps that are alike take one `repeat`"
        scope.refuse("R0219", message, statements[0].span, hint=hint)
        return ()
    return parts if size.depth <= DEEPEST_PARTS else composition.too_deep(statements)


class _Composition:
    def __init__(
        self, scope: Scope, find: FindModel, resources: Mapping[str, Resource], counts: bool
    ) -> None:
        self._scope = scope
        self._find = find
        self._resources = resources
        self._counts = counts
        self._depth = 0
        self._steps: dict[str, expressions.Identifier] = {}

    def too_deep(self, statements: Sequence[_Written]) -> tuple[Part, ...]:
        if statements:
            message = f"steps nest deeper than {DEEPEST_PARTS} levels here"
            hint = "write some of them out in one model"
            self._scope.refuse("R0219", message, statements[0].span, hint=hint)
        return ()

    def parts(self, statements: Sequence[_Written]) -> tuple[Part, ...]:
        if self._depth == DEEPEST_PARTS:
            return self.too_deep(statements)
        self._depth += 1
        found: list[Part | None] = []
        for statement in statements:
            if isinstance(statement, nodes.IfStatement):
                found += self._choice(statement)
            else:
                found.append(self._part(statement))
        self._depth -= 1
        return tuple(part for part in found if part is not None)

    def _part(self, statement: _OnePart) -> Part | None:
        if isinstance(statement, nodes.StepCall | nodes.StepInPlace | nodes.JobStatement):
            is_job = isinstance(statement, nodes.JobStatement)
            self._name(statement.name, "job" if is_job else "step")
        match statement:
            case nodes.StepCall():
                return self._call(statement)
            case nodes.StepInPlace():
                return self._in_place(statement)
            case nodes.OverlapStatement():
                return Overlap(self.parts(statement.parts), statement.span)
            case nodes.LoopStatement():
                return self._loop(statement)
            case nodes.RecomputeStatement():
                return Repeat(ONE, self.parts(statement.parts), statement.span, "recompute")
            case nodes.JobStatement():
                return self._job(statement)

    def _name(self, name: expressions.Identifier, kind: str) -> None:
        """Note the name of a step or job, which no other one of its model may have."""
        first = self._steps.setdefault(name.name, name)
        if first is not name:
            message = f"there are two {kind}s '{name.name}'"
            place = Label(first.span, "the first is here")
            hint = "a breakdown tells steps apart by name; steps that are alike take one `repeat`"
            if kind == "job":
                hint = "a breakdown tells jobs apart by name; one that runs more often weighs more"
            self._scope.refuse("R0202", message, name.span, place, hint=hint)

    def _choice(self, statement: nodes.IfStatement) -> Iterator[Repeat]:
        """Yield what runs once where the condition holds, and what does where it does not."""
        condition, otherwise = truth(statement.condition, self._scope), statement.otherwise
        parts, others = (
            self.parts(statement.parts),
            self.parts(otherwise.parts if otherwise else ()),
        )
        if condition is not None:
            yield Repeat(conditional(condition, ONE, ZERO), parts, statement.span, "if")
        if condition is not None and otherwise is not None:
            yield Repeat(conditional(condition, ZERO, ONE), others, otherwise.span, "else")

    def _loop(self, statement: nodes.LoopStatement) -> Repeat | None:
        times = run_count(statement.times, statement.word, self._scope)
        keeping: Expression | None = ONE
        if statement.keeping is not None:
            keeping = kept_rounds(statement.keeping, times, self._scope)
        parts = self.parts(statement.parts)
        if times is None or keeping is None:
            return None
        return Repeat(times, parts, statement.span, statement.word, keeping)

    def _call(self, statement: nodes.StepCall) -> Step | None:
        device, node = on_device(statement.value)
        if not isinstance(node, expressions.Call):
            message = f"step '{statement.name.name}' is not a call of a model"
            hint = "write `step name = model(argument = value, …)`, or `step name { … }`"
            self._scope.refuse("R0222", message, statement.value.span, hint=hint)
            return None
        step = self._called(statement, node, device)
        if step is None or not step.model.is_mix:
            return step
        message = f"'{step.model.name}' is a mix, and a mix is no step"
        hint = "its jobs are runs of their own; only another mix holds it: `job name = 3 * mix(…)`"
        self._scope.refuse("R0225", message, node.span, hint=hint)
        return None

    def _job(self, statement: nodes.JobStatement) -> Repeat | None:
        written = written_job(statement, self._scope)
        if written is None:
            return None
        weight: Expression | None = ONE
        if written.weight is not None:
            weight = run_count(written.weight, "job", self._scope)
        step = self._called(statement, written.call, written.device)
        if weight is None or step is None:
            return None
        place = statement.value if written.weight is None else written.weight
        return Repeat(weight, (step,), place.span, "job")

    def _called(
        self,
        statement: nodes.StepCall | nodes.JobStatement,
        call: expressions.Call,
        device: str | None,
    ) -> Step | None:
        model = self._find(call.function.name, call.function.span)
        arguments = None if model is None else self._arguments(call, model)
        if model is None or arguments is None:
            return None
        step = Step(statement.name.name, model, arguments, False, device, statement.span)
        if not isinstance(statement, nodes.StepCall):
            return step
        sources, over = sources_of(statement, self._scope), overwrites(statement, self._scope)
        return step._replace(sources=sources, overwrites=over)

    def _arguments(
        self, call: expressions.Call, model: ModelDefinition
    ) -> dict[str, Argument] | None:
        known = {parameter.name: parameter for parameter in model.parameters}
        found: dict[str, Argument] = {}
        complete = True
        for name, given in by_parameter(call, list(known)):
            hint = f"it has {listing(known)}" if known else "it has no parameters"
            if name in found:
                message = f"'{name}' is given twice"
            elif not name:
                message = f"'{model.name}' has {len(known)} parameters, and no more arguments"
            elif name not in known:
                message = f"'{model.name}' has no parameter '{name}'"
                hint = did_you_mean(name, known) or hint
            else:
                value = argument(known[name], given.value, self._scope)
                if value is not None:
                    found[name] = value
                complete = complete and value is not None
                continue
            self._scope.refuse("R0205", message, (given.name or given).span, hint=hint)
            complete = False
        missing = [p.name for p in model.parameters if p.default is None and p.name not in found]
        if complete and missing:
            message = f"'{model.name}' needs a value for {', '.join(missing)}"
            hint, defined = f"add `{missing[0]} = …` to the call", Label(model.span, "defined here")
            self._scope.refuse("R0205", message, call.span, defined, hint=hint)
        return found if complete and not missing else None

    def _in_place(self, statement: nodes.StepInPlace) -> Step:
        """Build a step that sees the names around it: a kernel, or parts of its own."""
        around = self._scope, self._steps
        self._scope, self._steps = within(self._scope, {}), {}
        model = model_of(statement, self._scope, self._resources, self.parts, counts=self._counts)
        self._scope, self._steps = around
        device = statement.device.text if statement.device else None
        return Step(model.name, model, {}, True, device, statement.span)


def run_count(
    node: expressions.ExpressionSyntax, word: LoopWord, scope: Scope
) -> Expression | None:
    """Return how often parts run; report what is no such number."""
    times = plain(node, scope, count_of(word))
    fixed = None if times is None else constant(times)
    if fixed is None or (fixed >= 0 and (fixed.denominator == 1 or not is_whole(word))):
        return times
    message = f"{NAMED[word]} {TAKES[word]}, not `{mismatch.excerpt(node.span)}`"
    hint = "0 or more" if fixed < 0 else "round it with `ceil` or `floor`"
    scope.refuse("R0410", message, node.span, hint=hint)
    return None


def kept_rounds(
    node: expressions.ExpressionSyntax, times: Expression | None, scope: Scope
) -> Expression | None:
    """Return how many rounds are kept at once; report what cannot be so many."""
    keeping = plain(node, scope, KEPT)
    fixed = None if keeping is None else constant(keeping)
    rounds = None if times is None else constant(times)
    if fixed is None or can_keep(fixed, rounds):
        return keeping
    message = f"{NAMED['iterate']} {KEEPS}, not `{mismatch.excerpt(node.span)}`"
    scope.refuse("R0417", message, node.span, hint=more_or_fewer(few=fixed < 1))
    return None


def _refuse_both(
    name: str, assignments: Sequence[nodes.Assignment], parts: Sequence[Part], scope: Scope
) -> None:
    """Report what has both work of its own and steps."""
    if parts and assignments:
        places = (
            Label(assignments[0].span, "work of its own"),
            Label(parts[0].span, "and a step"),
        )
        hint = "put the work into a step: `step own { … }`"
        scope.refuse("R0220", f"'{name}' has both work and steps", *places, hint=hint)
