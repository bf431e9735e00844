"""The problem of many processes on a few: what was given stays, though it follows the processes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.diagnostic import raise_if_any
from roofdsl.expression.construct import number
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.types import Parameter


def tied_values(prediction: Prediction, counts: Mapping[str, object]) -> dict[str, Expression]:
    """Return the numbers that are formulas of some counts of processes.

    Processes along another side of a grid are none of them, and a condition or precision is a way
    to solve a problem.
    """
    sizes = [p.name for p in prediction.model.parameters if _is_size(p) and p.name not in counts]
    values = prediction.binding.trees
    return {x: values[x] for x in sizes if x in values and _holds(values[x], counts)}


def same_problem(
    prediction: Prediction, counts: Mapping[str, int], given: Collection[str]
) -> tuple[Prediction, dict[str, Expression]]:
    """Return the prediction on so many processes, with what was given as it is on others.

    Its formulas are in names that stand for the others; with them comes what to put in there.
    """
    # Names of their own, since the processes are put in wherever the model has them.
    apart = {name: Symbol(f"others of {name}", integer=True, positive=True) for name in counts}
    parameters = [p for p in prediction.model.parameters if p.name not in counts]
    symbols = [p.symbol for p in prediction.model.parameters if p.name in counts]
    few = {name: number(count) for name, count in counts.items()}
    arguments: dict[str, tuple[Expression, None]] = {n: (few[n], None) for n in few}
    for parameter in parameters:
        tree = prediction.binding.trees.get(parameter.name)
        if parameter.name in given and tree is not None:
            values = apart if _is_size(parameter) else few
            arguments[parameter.name] = substitute(tree, values), None
    free = frozenset(parameter.name for parameter in prediction.free) - counts.keys()
    found, problems = predict(prediction.model, prediction.machine, arguments, free)
    raise_if_any(problems)
    return found, {apart[symbol.name].name: symbol for symbol in symbols}


def _is_size(parameter: Parameter) -> bool:
    return parameter.is_number and parameter.kind != "processes"


def _holds(tree: Expression, names: Mapping[str, object]) -> bool:
    return any(symbol.name in names for symbol in free_symbols(tree))
