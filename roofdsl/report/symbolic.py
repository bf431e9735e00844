"""A prediction in formulas, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction

from roofdsl.analysis.asymptotic import bound_in_words
from roofdsl.analysis.binding import show_value
from roofdsl.analysis.convention import Convention
from roofdsl.analysis.crossover import find_regimes
from roofdsl.analysis.difference.sameness import same_form
from roofdsl.analysis.formulas import Derived, Formulas, counted_formulas, formulas
from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import machine_ridge
from roofdsl.analysis.unknown import default_range, unknown_named
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import Parameter
from roofdsl.report.columns import aligned, indented
from roofdsl.report.json_value import SCHEMA, Json, number
from roofdsl.report.numeric import INTENSITY_UNITS
from roofdsl.report.solved import regime_rows
from roofdsl.typeset.text import text
from roofdsl.units.dimension import DIMENSIONLESS, SECOND, Dimension
from roofdsl.units.quantity import show_quantity


def symbolic_text(prediction: Prediction, conventions: Sequence[Convention] = ()) -> str:
    """Return the answer as a page of text: each quantity in full, as it grows, with numbers in."""
    derived = _formulas(prediction)
    free = ", ".join(parameter.name for parameter in prediction.free)
    lines = [f"{prediction.model.name} on {prediction.machine.name}, for any {free}"]
    lines += _known(prediction)
    lines += ["", "work of one process"]
    for item in derived.work:
        lines += _entry(item)
    lines += ["", "intensities"]
    for item in derived.intensities:
        lines += _entry(item)
    ridges = _ridges(prediction)
    if ridges:
        lines += ["", "ridge points of the machine", *ridges]
    lines += ["", "time" if prediction.is_kernel else "time each resource is busy"]
    for item in derived.times:
        lines += _entry(item)
    if prediction.is_kernel and prediction.root.stated is None:
        lines += ["", "attainable performance: the smallest of", *_roofs(prediction)]
    else:
        lines += ["", "time as composed", *_entry(derived.time)]
    if derived.tallies:
        lines += ["", "tallies"]
    for item in derived.tallies:
        lines += _entry(item)
    if conventions:
        lines += ["", "counted as"]
    for item in _counted(prediction, conventions):
        lines += _entry(item)
    if len(prediction.free) == 1:
        lines += ["", *_regimes(prediction)]
    if derived.growing is not None:
        bound = bound_in_words(derived.eventual_bound, prediction, derived.growing)
        lines += ["", f"bound as {derived.growing} grows: {bound}"]
    return "\n".join(lines)


def _formulas(prediction: Prediction) -> Formulas:
    return formulas(prediction.opened(), prediction)


def _counted(prediction: Prediction, conventions: Sequence[Convention]) -> tuple[Derived, ...]:
    return counted_formulas(prediction.opened(), prediction, conventions) if conventions else ()


def _regimes(prediction: Prediction) -> list[str]:
    """Return the regimes over the one free parameter, proven."""
    parameter = prediction.free[0]
    if parameter.kind in ("boolean", "precision"):
        return []
    unknown = unknown_named(parameter.name, prediction.model, prediction.machine)
    low, high = default_range(unknown)
    try:
        found = find_regimes(prediction, unknown, low, high)
    except RoofError:
        return []  # the bound does not depend on it
    lines = [f"regimes over {parameter.name}, proven" if found.complete else "regimes"]
    return [*lines, indented(aligned(regime_rows(found.regimes, unknown)))]


def _known(prediction: Prediction) -> list[str]:
    known = [
        f"{parameter.name} = {_value(parameter, prediction)}"
        for parameter in prediction.model.parameters
        if parameter.name in prediction.binding.trees
    ]
    return [f"with {', '.join(known)}"] if known else []


def _value(parameter: Parameter, prediction: Prediction) -> str:
    value = prediction.binding.values.get(parameter.name)
    if value is None:
        return text(prediction.binding.trees[parameter.name])
    return show_value(value, parameter)


def _entry(item: Derived) -> list[str]:
    unit = str(item.dimension)
    lines = [f"  {item.name:<10} = {text(item.full)}{'' if unit == '1' else f'   [{unit}]'}"]
    shown = [item.full]
    if item.leading is not None and not same_form(item.leading, item.full):
        grows = f"   as {item.growing} grows"
        constant = _constant(item.leading_numbers, item.dimension)
        lines.append(f"  {'':<10} → {text(item.leading)}{constant}{grows}")
    elif item.leading is not None and len(text(item.leading)) < len(text(item.full)):
        shown.append(item.leading)  # the same formula, written shorter
        lines.append(f"  {'':<10} = {text(item.leading)}")
    if item.numbers not in shown:
        lines.append(f"  {'':<10} = {_with_unit(item.numbers, item.dimension)}")
    return lines


def _with_unit(tree: Expression, dimension: Dimension) -> str:
    return _shown(tree.value, dimension) if isinstance(tree, Number) else text(tree)


def _constant(tree: Expression | None, dimension: Dimension) -> str:
    if not isinstance(tree, Number):
        return ""
    return f" = {_shown(tree.value, dimension)}"


def _shown(value: Fraction, dimension: Dimension) -> str:
    try:
        return show_quantity(float(value), dimension)
    except OverflowError:
        return f"a number beyond 1.8e308 {'' if dimension == DIMENSIONLESS else dimension}".rstrip()


def _ridges(prediction: Prediction) -> list[str]:
    ridge = machine_ridge(prediction.machine)
    lines = []
    for name, (above, below) in INTENSITIES.items():
        corner = getattr(ridge, name)
        if corner is not None:
            shown = show_quantity(corner, INTENSITY_UNITS[name])
            lines.append(f"  {name + '*':<10} = {shown:<16} {above} rate / {below} rate")
    return lines


def _roofs(prediction: Prediction) -> list[str]:
    intensity = {"memory": "OI", "network": "CAI"}
    lines = []
    for load in prediction.loads:
        if load.rate is None:
            continue
        rate = prediction.rates[load.rate.name]
        unit = load.resource.dimension / SECOND
        shown = _with_unit(rate, unit)
        name = load.resource.name
        factor = "" if name == "flops" else f" × {intensity.get(load.key, f'flops/{load.key}')}"
        lines.append(f"  {load.rate.name + factor:<28} {shown}{factor}")
    return lines


def symbolic_json(prediction: Prediction, conventions: Sequence[Convention] = ()) -> str:
    """Return the answer as JSON: formulas in the language's notation, ridge points as numbers."""
    derived = _formulas(prediction)
    ridge = machine_ridge(prediction.machine)
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "model": prediction.model.name,
        "machine": prediction.machine.name,
        "params": {name: number(value) for name, value in prediction.binding.values.items()},
        "free": [parameter.name for parameter in prediction.free],
        "formulas": {
            (f"time.{item.name}" if item in derived.times else item.name): _json(item)
            for item in derived.all()
        },
        "growing": derived.growing,
        "eventual_bound": derived.eventual_bound,
        "ridge": {name: number(getattr(ridge, name)) for name in INTENSITY_UNITS},
    }
    if conventions:
        found = _counted(prediction, conventions)
        document["counts"] = {item.name: _json(item) for item in found}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _json(item: Derived) -> Json:
    return {
        "unit": str(item.dimension),
        "full": text(item.full),
        "leading": None if item.leading is None else text(item.leading),
        "growing": item.growing,
        "numbers": text(item.numbers),
    }
