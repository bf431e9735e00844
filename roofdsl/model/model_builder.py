"""Models out of their statements: their own on top of those of the models they are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, cast

from roofdsl.diagnostic import Diagnostic, Label, Reporter, did_you_mean, listing
from roofdsl.model.body import NOTHING_FIXED, Body
from roofdsl.model.composition import FindModel, model_of, parts_of
from roofdsl.model.layer import Layer
from roofdsl.model.made_from import made_from
from roofdsl.model.model_scope import ModelScope
from roofdsl.model.replaced import Replacement
from roofdsl.model.scope import Scope, defined_twice
from roofdsl.model.stacked import stacked
from roofdsl.model.tally import check_tallies
from roofdsl.model.total import counts_processes
from roofdsl.model.types import Intermediate, Metric, ModelDefinition, Parameter, Part
from roofdsl.syntax import nodes
from roofdsl.syntax.comments import doc_comment

ModelSyntax: TypeAlias = nodes.ModelDeclaration | nodes.MixDeclaration
_NAMES = nodes.ParameterStatement | nodes.LetStatement
_ADDED = (
    _NAMES
    | nodes.SourceStatement
    | nodes.RequireStatement
    | nodes.FunctionDeclaration
    | nodes.MetricStatement
)


class _Layered(NamedTuple):
    """The layers of a model: the statements of each that rule, what they see, and their bodies."""

    layers: Sequence[Layer]
    items: tuple[tuple[object, ...], ...]
    scopes: Sequence[Scope]
    bodies: Sequence[Body]


def built_model(
    declaration: ModelSyntax,
    layers: Sequence[Layer],
    find: FindModel,
    report: Reporter,
    fixed: Mapping[str, Parameter] = NOTHING_FIXED,
) -> ModelDefinition:
    """Return the model of a declaration: the last of `layers`, on those that it is made from.

    `find` finds the models of its steps; `fixed` are the parameters of the models below.
    """
    made = _layered(layers, report, fixed)
    is_mix = isinstance(declaration, nodes.MixDeclaration)
    (scope, *_), (items, *_), words = made.scopes, made.items, layers[0].words
    counts = counts_processes(chain(*made.items))

    def build(steps: Sequence[nodes.PartSyntax | nodes.JobStatement]) -> tuple[Part, ...]:
        return parts_of(steps, scope, find, words.resources, counts=counts)

    # Sorted out, they are statements of a model, or of a mix, as the grammar has them.
    bottom = declaration._replace(items=cast("Any", items))
    built = model_of(bottom, scope, words.resources, build, counts=counts, bodies=made.bodies)
    units = made.scopes[-1].units
    model = replace(built, own_units=units, is_mix=is_mix, layers=tuple(layers))
    if not is_mix:
        check_tallies(model, report)
    return replace(model, metrics=_metrics(made, model))


def variant(
    declaration: ModelSyntax, base: ModelDefinition, own: Layer, report: Reporter
) -> ModelDefinition:
    """Return the model of a declaration that is made from another one.

    Its parameters and `let`s have the order, and where they say nothing of themselves the meaning,
    that they have there.
    """
    told = _telling(declaration, report)
    layers = (*base.layers, own)
    _refuse_others(base, own, told)
    fixed = {parameter.name: parameter for parameter in base.parameters}
    models = layers[0].models
    found = built_model(declaration, layers, lambda name, _: models.get(name), told, fixed)
    order = {name: place for place, name in enumerate(_names(layers))}
    known = {item.name: item.doc for item in _named(base)}

    def meant(item: Parameter | Intermediate) -> str:
        return item.doc or known.get(item.name, "")

    def placed(item: Parameter | Intermediate) -> int:
        return order[item.name]

    parameters = sorted(found.parameters, key=placed)
    intermediates = sorted(found.intermediates, key=placed)
    doc = "\n".join(filter(None, (doc_comment(declaration.span), base.doc)))
    found = replace(
        found,
        parameters=tuple(each._replace(doc=meant(each)) for each in parameters),
        intermediates=tuple(each._replace(doc=meant(each)) for each in intermediates),
        doc=doc,
    )
    return made_from(base, found, [own])


def _layered(layers: Sequence[Layer], report: Reporter, fixed: Mapping[str, Parameter]) -> _Layered:
    stack = stacked(layers)
    metrics = (x for x in chain(*stack.items) if isinstance(x, nodes.MetricStatement))
    words = layers[0].words
    units, functions = dict(words.units), dict(words.functions)
    names = ModelScope(report, units, functions, [item.name.name for item in metrics])
    above = [Scope(report, {}, {}, names.expansion, parent=names) for _ in layers[1:]]
    scopes: list[Scope] = [names, *above]
    replaced = {
        name: [Replacement(new.value, scopes[new.layer], new.span) for new in given]
        for name, given in stack.given.items()
    }
    bodies: list[Body] = []
    for place, (items, layer, scope) in enumerate(zip(stack.items, layers, scopes, strict=True)):
        if place:
            below = scopes[place - 1]
            scope.units.update({**below.units, **layer.words.units})
            scope.functions.update({**below.functions, **layer.words.functions})
        top = place == len(layers) - 1
        bodies.append(Body(items, scope, names, replaced, fixed if top else NOTHING_FIXED))
    return _Layered(layers, stack.items, scopes, bodies)


def _metrics(made: _Layered, model: ModelDefinition) -> tuple[Metric, ...]:
    """Return the metrics of all layers; those of a later one may use those of an earlier one.

    Where a name has no value, which has been reported, there are none: they may be of it.
    """
    found: tuple[Metric, ...] = ()
    if len(_names(made.layers)) > len(_named(model)):
        return found
    for layer, items, scope in zip(made.layers, made.items, made.scopes, strict=True):
        statements = [item for item in items if isinstance(item, nodes.MetricStatement)]
        if statements:
            from roofdsl.model.metric import metrics_of  # few models have any

            known = replace(model, metrics=found)
            found = (*found, *metrics_of(statements, known, scope, layer.words.resources))
    return found


def _named(model: ModelDefinition) -> list[Parameter | Intermediate]:
    return [*model.parameters, *model.intermediates]


def _names(layers: Iterable[Layer]) -> list[str]:
    """Return the parameters and `let`s of layers, in the order in which they were first stated."""
    items = (item for layer in layers for item in layer.items if isinstance(item, _NAMES))
    return [*dict.fromkeys(item.name.name for item in items)]


def _refuse_others(base: ModelDefinition, own: Layer, report: Reporter) -> None:
    """Report what a model cannot state that is made from another one."""
    names = [item.name for item in _named(base)]
    metrics = {item.name: item.statement.name.span for item in base.metrics}
    for item in own.items:
        if isinstance(item, nodes.MetricStatement) and item.name.name in metrics:
            report(defined_twice(item.name, metrics[item.name.name]))
        if isinstance(item, _ADDED):
            continue
        assert isinstance(item, tuple)  # as all nodes are
        message = f"the work and the steps of '{base.name}' cannot be changed"
        hint = "`with` gives values: `NAME = …`, `let NAME = …` or `param NAME: …`"
        place = item[0]
        if isinstance(item, nodes.Assignment):
            name = item.path.text
            if name in names and item.selector is None:
                continue
            place = item.path.span
            if item.path.names[0].name not in own.words.resources:
                message = f"'{base.name}' has no parameter or `let` '{name}'"
                held = f"it has {listing(names)}" if names else "it has none"
                new = f"{held}; one of its own is added with `let {name} = …`"
                hint = did_you_mean(name, names) or new
        report(Diagnostic.at("R0231", message, place, hint=hint))


def _telling(declaration: ModelSyntax, report: Reporter) -> Reporter:
    """Return what reports problems, and for those of another text says whom they are of."""
    own = declaration.span

    def told(problem: Diagnostic) -> None:
        at = problem.span
        if at is None or (at.source is own.source and own.start <= at.start <= own.end):
            report(problem)
        else:
            place = Label(declaration.name.span, f"in '{declaration.name.name}', made from it")
            report(replace(problem, labels=(*problem.labels, place)))

    return told
