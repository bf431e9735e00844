"""A prediction with some parameters left free, and the others at their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofdsl.analysis import prediction as analysis
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.prediction import Prediction
from roofdsl.model.arguments import Argument, Value, python_value, read_arguments


def freed(
    prediction: Prediction, values: Mapping[str, Value], free: Iterable[str]
) -> analysis.Prediction:
    """Return the prediction as formulas in its `free` parameters.

    Raises RoofError for a value that does not fit.
    """
    definition = prediction.model.definition
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    read, problems = read_arguments(definition, texts)
    arguments: dict[str, Argument] = dict(read)
    found = list(problems)
    for name, value in values.items():
        if isinstance(value, str):
            continue
        tree = python_value(value)
        if tree is None:
            found.append(Diagnostic("R0404", f"{name} = {value} is not a finite number"))
        else:
            arguments[name] = (tree, None)
    if not found:
        bound, problems = analysis.predict(
            definition, prediction.machine.definition, arguments, frozenset(free)
        )
        found = list(problems)
    if found:
        raise RoofError(found)
    return bound
