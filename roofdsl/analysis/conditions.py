"""Requirements, bounds and kinds of parameters as conditions on the parameters without a value."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.binding import Binding, holds
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression import tree as trees
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Symbol
from roofdsl.model.limits import relations
from roofdsl.model.loop import (
    CHOICES,
    KEEPS,
    KEPT,
    NAMED,
    TAKES,
    count_of,
    is_whole,
    more_or_fewer,
)
from roofdsl.model.types import Definition, Parameter, Repeat
from roofdsl.numeric.scalar import evaluate
from roofdsl.typeset.text import text as written
from roofdsl.units.dimension import DIMENSIONLESS
from roofdsl.units.quantity import show_exact, show_number


def conditions(model: Definition, binding: Binding) -> Iterator[tuple[str, Expression]]:
    """Yield what is asked of a step's arguments, or a machine, and is open: in words, as a tree."""
    for parameter in model.parameters:
        value = binding.trees.get(parameter.name)
        if value is None or not parameter.is_number:
            continue
        for relation, bound in relations(parameter):
            end = binding.expand(bound)
            if free_symbols(value) or free_symbols(end):
                text = f"{model.name} requires {parameter.name} {relation} {written(bound)}"
                yield text, trees.Comparison(relation, value, end)
        if not free_symbols(value):
            continue
        if parameter.symbol.integer and not (isinstance(value, Symbol) and value.integer):
            whole = trees.Function("is_integer", (value,))
            yield f"{model.name} requires a whole {parameter.name}", whole
    for item in model.requirements:
        condition = binding.expand(item.condition)
        if free_symbols(condition):
            yield f"{model.name} requires {item.text}", condition


def own_conditions(parameter: Parameter, binding: Binding) -> Iterator[Expression]:
    """Yield the conditions that a parameter without a value must meet: its bounds and its kind."""
    if not parameter.is_number:
        return
    for relation, bound in relations(parameter):
        yield trees.Comparison(relation, parameter.symbol, binding.expand(bound))
    if parameter.symbol.integer:
        yield trees.Function("is_integer", (parameter.symbol,))


def run_conditions(
    part: Repeat, count: Expression, keeping: Expression
) -> Iterator[tuple[str, Expression]]:
    """Yield what is asked of how often parts run, where that is open: in words, as a tree."""
    if part.word in CHOICES:  # it is one of two numbers, whatever they choose by
        return
    head = part.span.text.partition("{")[0].strip()
    if free_symbols(count):
        yield f"`{head}` {TAKES[part.word]}", count_condition(part.word, count)
    if part.keeping is not ONE and (free_symbols(count) or free_symbols(keeping)):
        yield f"`{head}` {KEEPS}", keeping_condition(count, keeping)


def run_problems(part: Repeat, count: Expression, keeping: Expression) -> list[Diagnostic]:
    """Return why parts cannot run a known number of times, or so many runs cannot be kept at once.

    What has no value is told where it is computed.
    """
    if part.word in CHOICES or free_symbols(count):
        return []
    if holds(count_condition(part.word, count), count_of(part.word), part.span, []) is False:
        message = f"{NAMED[part.word]} {TAKES[part.word]}, not {_shown(count)}"
        hint = "round it with `ceil` or `floor`, or `require` what keeps it whole"
        if not is_whole(part.word) or (isinstance(count, Number) and count.value < 0):
            hint = "0 or more; `require` what keeps it so"
        return [Diagnostic("R0410", message, (Label(part.span),), hint)]
    if part.keeping is ONE or free_symbols(keeping):
        return []
    if holds(keeping_condition(count, keeping), KEPT, part.span, []) is not False:
        return []
    few = holds(trees.Comparison("<", keeping, ONE), KEPT, part.span, []) is True
    message = f"{NAMED[part.word]} {KEEPS}, not {_shown(keeping)} of {_shown(count)}"
    return [Diagnostic("R0417", message, (Label(part.span),), more_or_fewer(few=few))]


def count_condition(word: str, count: Expression) -> Expression:
    """Return the condition that parts can run so often: 0 or more times, repeats whole ones."""
    least = trees.Comparison(">=", count, ZERO)
    if not is_whole(word):
        return least
    return trees.Logic("and", (trees.Function("is_integer", (count,)), least))


def keeping_condition(count: Expression, keeping: Expression) -> Expression:
    """Return the condition that so many of some rounds can be kept at once: where any run."""
    none = trees.Comparison("==", count, ZERO)
    least = trees.Comparison(">=", keeping, ONE)
    most = trees.Comparison("<=", keeping, count)
    return trees.Logic("or", (none, trees.Logic("and", (least, most))))


def _shown(count: Expression) -> str:
    if isinstance(count, Number):
        return show_exact(count.value, DIMENSIONLESS)
    return show_number(evaluate(count, {}))


def of_job(name: str, told: str) -> str:
    """Return what is told of a job as of the mix, with the place of a job in a mix in it.

    >>> of_job("month", of_job("solver", "there is no price"))
    "job 'month.solver': there is no price"
    """
    inner = told.removeprefix("job '")
    return f"job '{name}': {told}" if inner == told else f"job '{name}.{inner}"
