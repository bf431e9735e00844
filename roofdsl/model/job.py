"""A job of a mix as it is written: `WEIGHT * MODEL(…)`, on a device or not."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.model.scope import Scope
from roofdsl.source import Span
from roofdsl.syntax import expressions, nodes


class WrittenJob(NamedTuple):
    """How often a job runs, None for once, and the call of the model that it is."""

    weight: expressions.ExpressionSyntax | None
    call: expressions.Call
    device: str | None


def on_device(
    value: expressions.ExpressionSyntax,
) -> tuple[str | None, expressions.ExpressionSyntax]:
    """Return the device that a step or job runs on, if it names one, and what runs there."""
    node = expressions.ungrouped(value)
    if isinstance(node, expressions.On):
        return node.path.text, expressions.ungrouped(node.value)
    return None, node


def written_job(statement: nodes.JobStatement, scope: Scope) -> WrittenJob | None:
    """Take a job apart; report what is none (R0225)."""
    device, node = on_device(statement.value)
    weight: expressions.ExpressionSyntax | None = None
    if isinstance(node, expressions.Chain) and node.operators[-1] == "*":
        weight, node = _before_last(node), expressions.ungrouped(node.operands[-1])
    if isinstance(node, expressions.Call):
        return WrittenJob(weight, node, device)
    message = f"job '{statement.name.name}' is not a weight times a call of a model"
    hint = "write `job name = WEIGHT * model(argument = value, …)`: the call comes last"
    scope.refuse("R0225", message, statement.value.span, hint=hint)
    return None


def _before_last(chain: expressions.Chain) -> expressions.ExpressionSyntax:
    first, *others, _ = chain.operands
    if not others:
        return first
    span = Span(chain.span.source, chain.span.start, others[-1].span.end)
    return chain._replace(span=span, operators=chain.operators[:-1], operands=(first, *others))
