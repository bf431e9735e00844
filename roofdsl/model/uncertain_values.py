"""Values given with `±`, on the command line or from Python, as defaults that may be off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.expression.condition import compare
from roofdsl.expression.substitute import constant, substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.arguments import argument, parameter_scope, text_given
from roofdsl.model.limits import IN_WORDS, relations
from roofdsl.model.right_side import off_by, uncertain_number
from roofdsl.model.scope import Scope
from roofdsl.model.types import ModelDefinition, Parameter
from roofdsl.model.uncertain import Uncertain
from roofdsl.source import Source
from roofdsl.syntax.expressions import ExpressionSyntax
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.quantity import show_exact

_Value = TypeVar("_Value")
_SIGNS = ("±", "+-")


def taken_up(
    model: ModelDefinition, values: Mapping[str, _Value]
) -> tuple[ModelDefinition, dict[str, _Value]]:
    """Return a model whose defaults are the values that may be off; and the other values.

    A text is read as `read_arguments` does. Raises RoofError for one that cannot be such a value.
    """
    known = {parameter.name for parameter in model.parameters}
    problems: list[Diagnostic] = []
    others, found = {**values}, model
    for name, value in values.items():
        if name not in known or not isinstance(value, str | Source):
            continue
        text = text_given(name, value)
        if not any(sign in text.body for sign in _SIGNS):
            continue
        node = parse_expression(text)
        if isinstance(node, Diagnostic) or off_by(node) is None:
            continue  # it is read, and what is wrong said, as any other
        del others[name]
        found = with_default(found, name, node, parameter_scope(model, problems.append))
    raise_if_any(problems)
    return found, others


def with_default(
    model: ModelDefinition, name: str, node: ExpressionSyntax, scope: Scope
) -> ModelDefinition:
    """Return a model whose parameter has a number with `±` as its default; report a wrong one."""
    old = next(parameter for parameter in model.parameters if parameter.name == name)
    read = argument(old, node, scope, off=True)
    number = read and uncertain_number(name, read[0], off_by(node), scope)
    if not (read and number):
        return model
    written = " ".join(node.span.text.split())
    new = old._replace(default=read[0], written=written, span=node.span)
    parameters = tuple(new if each is old else each for each in model.parameters)
    return replace(model, parameters=parameters, uncertain={**model.uncertain, name: number})


def off_bounds(
    parameter: Parameter, trees: Mapping[str, Expression], off: Uncertain
) -> Iterator[Diagnostic]:
    """Yield what bounds a default leaves that may be off, where they are known.

    `trees` are what the definition's names stand for.
    """
    if not isinstance(off.tree, Number) or trees.get(parameter.name) != off.tree:
        return  # it is open, or another was put in its place
    for relation, bound in relations(parameter):
        end = constant(substitute(bound, trees))
        value = off.tree.value + (off.half if relation == "<=" else -off.half)
        if end is not None and not compare(relation, value, end):
            far, wanted = (show_exact(each, parameter.dimension) for each in (value, end))
            message = f"{parameter.name} = {parameter.written} is out of bounds"
            message = f"{message}: it may be {far}, and must be {IN_WORDS[relation]} {wanted}"
            yield Diagnostic.at("R0402", message, parameter.span)
