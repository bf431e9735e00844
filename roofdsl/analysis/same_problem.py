"""The problem of many processes on a few: what was given stays, though it follows the processes."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.analysis.binding import Binding
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.diagnostic import raise_if_any
from roofdsl.expression.construct import number
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.types import Parameter


def tied_values(prediction: Prediction, names: Mapping[str, object]) -> dict[str, Expression]:
    """Return the numbers that were given as formulas of some names.

    A default that follows them is the model's own formula, not a problem that was given; processes
    along another side of a grid are none either, and a condition or precision is a way to solve it.
    """
    given = {
        parameter.name: _given(parameter, prediction.binding)
        for parameter in prediction.model.parameters
        if _is_size(parameter) and parameter.name not in names
    }
    return {name: tree for name, tree in given.items() if tree is not None and _holds(tree, names)}


def same_problem(
    prediction: Prediction, counts: Mapping[str, int]
) -> tuple[Prediction, dict[str, Expression]]:
    """Return the prediction on so many processes, with what was given as it is on others.

    Its formulas are in names that stand for the others; with them comes what to put in there.
    """
    # Names of their own, since the processes are put in wherever the model has them.
    apart = {name: Symbol(f"others of {name}", integer=True, positive=True) for name in counts}
    back: dict[str, Expression] = {}
    for symbol in [p.symbol for p in prediction.model.parameters if p.name in counts]:
        back[apart[symbol.name].name] = symbol
    few = {name: number(count) for name, count in counts.items()}
    arguments: dict[str, tuple[Expression, None]] = {}
    for parameter in prediction.model.parameters:
        tree = _given(parameter, prediction.binding)
        if parameter.name in counts:
            arguments[parameter.name] = few[parameter.name], None
        elif tree is not None:
            values = apart if _is_size(parameter) else few
            arguments[parameter.name] = substitute(tree, values), None
    free = frozenset(parameter.name for parameter in prediction.free) - counts.keys()
    found, problems = predict(prediction.model, prediction.machine, arguments, free)
    raise_if_any(problems)
    return found, back


def _is_size(parameter: Parameter) -> bool:
    return parameter.is_number and parameter.kind != "processes"


def _given(parameter: Parameter, binding: Binding) -> Expression | None:
    """Return the value of a parameter, None where it has none or that of its default."""
    tree = binding.trees.get(parameter.name)
    default = None if parameter.default is None else binding.expand(parameter.default)
    return None if tree == default else tree


def _holds(tree: Expression, names: Mapping[str, object]) -> bool:
    return any(symbol.name in names for symbol in free_symbols(tree))
