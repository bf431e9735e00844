"""A prediction over arrays of parameter values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.prediction import Prediction
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression
from roofdsl.model.types import Parameter
from roofdsl.numeric.array import evaluate
from roofdsl.units.quantity import show_number, show_quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from roofdsl.numeric.array import Array


@dataclass(frozen=True, slots=True)
class Sweep:
    """A model on a machine over arrays, in SI base units; every attribute has one shape.

    `OI`, `CAI`, `MI` are infinite where their denominator is 0, NaN where both are. `bound` holds
    names, "" where there is no work.
    """

    model: str
    machine: str
    parameters: dict[str, Array]
    flops: Array
    memory: Array
    network: Array
    times: dict[str, Array]
    OI: Array
    CAI: Array
    MI: Array
    time: Array
    attainable: Array
    bound: NDArray[np.str_]


def swept(prediction: Prediction, arrays: Mapping[str, ArrayLike]) -> Sweep:
    """Evaluate a prediction whose free parameters are given as arrays, which broadcast.

    Raises RoofError for a parameter without values (R0406), one out of its bounds, or a `require`
    that does not hold, and names the first value at fault.
    """
    import numpy as np

    missing = [p for p in prediction.free if p.name not in arrays]
    if missing:
        names = ", ".join(parameter.name for parameter in missing)
        message = f"'{prediction.model.name}' needs a value for {names}"
        raise RoofError([Diagnostic("R0406", message)])
    given = {name: np.asarray(value, dtype=float) for name, value in arrays.items()}
    broadcast = np.broadcast_arrays(*given.values())
    values = dict(zip(given, broadcast, strict=True))
    shape = broadcast[0].shape if broadcast else ()

    def over(tree: Expression) -> Array:
        known = substitute(tree, prediction.rates)
        return np.broadcast_to(np.asarray(evaluate(known, values), dtype=float), shape)

    _check(prediction, values)
    work = {name: over(prediction.work(name)) for name in ("flops", "memory", "network")}
    times = {name: over(tree) for name, tree in prediction.times().items()}
    labels = np.array([*times, ""])
    stacked = np.stack([*times.values()]) if times else np.zeros((1, *shape))
    time = stacked.max(axis=0)
    bound = np.where(time > 0, labels[stacked.argmax(axis=0)], "")
    with np.errstate(divide="ignore", invalid="ignore"):
        intensities = {
            name: work[above] / work[below] for name, (above, below) in INTENSITIES.items()
        }
        attainable = work["flops"] / time
    settings = {
        parameter.name: over(prediction.binding.trees.get(parameter.name, parameter.symbol))
        for parameter in prediction.model.parameters
    }
    return Sweep(
        prediction.model.name,
        prediction.machine.name,
        settings,
        times=times,
        time=time,
        attainable=attainable,
        bound=bound,
        **work,
        **intensities,
    )


def _check(prediction: Prediction, values: Mapping[str, Array]) -> None:
    """Raise RoofError where a value is out of bounds or against a `require`."""
    import numpy as np

    problems: list[Diagnostic] = []
    for parameter in prediction.free:
        array = values[parameter.name]
        wrong = ~np.isfinite(array)
        if parameter.symbol.integer:
            wrong = wrong | (array != np.floor(array))
        for bound, above in ((parameter.low, False), (parameter.high, True)):
            tree = prediction.binding.expand(bound) if bound is not None else None
            if tree is None:
                continue
            limit = evaluate(tree, values)
            outside = array > limit if above else array < limit
            if not above and parameter.low_open:
                outside = outside | (array == limit)
            wrong = wrong | outside
        if wrong.any():
            first = float(array[wrong].flat[0])
            problems.append(_outside(parameter, first))
    if not problems:
        problems += _against(prediction, values)
    if problems:
        raise RoofError(problems)


def _outside(parameter: Parameter, value: float) -> Diagnostic:
    shown = show_quantity(value, parameter.dimension, digits=6)
    return Diagnostic(
        "R0402",
        f"{parameter.name} = {shown} is not a value of '{parameter.name}'",
        (Label(parameter.span, "declared here"),),
    )


def _against(prediction: Prediction, values: Mapping[str, Array]) -> list[Diagnostic]:
    import numpy as np

    problems: list[Diagnostic] = []
    for requirement in prediction.model.requirements:
        condition = prediction.binding.expand(requirement.condition)
        if not free_symbols(condition):
            continue
        holds = np.asarray(evaluate(condition, values), dtype=bool)
        if not holds.all():
            at = np.unravel_index(int(np.argmin(holds)), holds.shape)
            point = ", ".join(
                f"{symbol.name} = {show_number(float(values[symbol.name][at]), 6)}"
                for symbol in free_symbols(condition)
            )
            message = f"'{prediction.model.name}' requires {requirement.text}; given: {point}"
            problems.append(Diagnostic("R0403", message, (Label(requirement.span),)))
    return problems
