"""What was fitted as a text of the language: a machine made from another, and models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from roofdsl.analysis.fit_law import MEANING, serial_of
from roofdsl.analysis.fitting import Fit, Fitted
from roofdsl.answer.document.provenance import today
from roofdsl.answer.fitted import FitAnswer, as_stated, uncertainty
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.texts import Declarations, called, quoted, save
from roofdsl.reading import read_bytes
from roofdsl.source import Source
from roofdsl.units.dimension import DIMENSIONLESS
from roofdsl.units.quantity import show_number, show_quantity, show_uncertain

_DIGITS = 6


class Origin(NamedTuple):
    """Where runs come from: the name of their file, its SHA-256, and the date of the fit."""

    name: str
    sha256: str
    date: str


def origin_of(path: Path) -> Origin:
    """Return where runs come from, fitted today; raise RoofError for a file that has gone since."""
    data = read_bytes(path)
    if isinstance(data, Diagnostic):
        raise RoofError([data])
    return Origin(path.name, sha256(data).hexdigest(), today())


def write_fitted(
    fit: Fit, name: str, origin: Origin, path: str, *, efficiencies: bool = False
) -> None:
    """Write what was fitted as a `.roof` file, whole or not at all; raise RoofError as `save`."""
    text = fitted_text(fit, name, origin, efficiencies=efficiencies)
    save(Source(path, text), path)


def fitted_text(fit: Fit, name: str, origin: Origin, *, efficiencies: bool = False) -> str:
    """Return a text with the fitted machine, `name`, and a model for each with fitted constants.

    With `efficiencies` a rate is written as a part of what the machine stated.
    """
    above = Declarations()
    own = [item for item in fit.constants if not item.constant.model]
    models = {item.constant.model: None for item in fit.constants if item.constant.model}
    blocks: list[str] = []
    source = f"    source {quoted(_origin(fit, origin))}"
    remarks = "\n".join(f"## {each}." for each in _remarks(fit, origin))
    if any(item.standing != "kept" for item in own):
        above.need(fit.machine)
        lines = [source, *(f"    {line}" for line in _machine(fit, own, efficiencies=efficiencies))]
        body = "\n".join(lines)
        blocks.append(f"{remarks}\nmachine {name} = {called(fit.machine)} with {{\n{body}\n}}")
    for model in models:
        definition = fit.models[model]
        above.need(definition)
        items = [item for item in fit.constants if item.constant.model == model]
        lines = [source, *(f"    {line}" for item in items for line in _given(item))]
        body = "\n".join(lines)
        title = f"{name}_{definition.name}"
        blocks.append(f"{remarks}\nmodel {title} = {called(definition)} with {{\n{body}\n}}")
    first = "\n".join(above.texts())
    return "\n\n".join(filter(None, (first, *blocks))) + "\n"


def _origin(fit: Fit, origin: Origin) -> str:
    count = fit.errors[""].runs
    runs = f"{count} run{'s' * (count != 1)}"
    return f"fitted to {runs} of {origin.name}, SHA-256 {origin.sha256}, on {origin.date}"


def _remarks(fit: Fit, origin: Origin) -> Iterator[str]:
    models = ", ".join(fit.models)
    yield f"{models} as {origin.name} measured them; {MEANING[fit.law]}"
    errors = fit.errors[""]
    held = "" if errors.held_out is None else f", {show_number(errors.held_out, 3)} % held out"
    yield f"Mean error of the times: {show_number(errors.fitted, 3)} %{held}"
    yield from FitAnswer(origin.name, fit).notes()


def _machine(fit: Fit, own: Sequence[Fitted], *, efficiencies: bool) -> Iterator[str]:
    for item in own:
        if item.standing != "kept":
            yield from _stated(item, efficiencies=efficiencies)
    for names in serial_of(fit.machine, fit.law):
        yield f"serial {', '.join(names)}"


def _stated(item: Fitted, *, efficiencies: bool) -> Iterator[str]:
    constant, part = item.constant, item.efficiency
    if item.value is None:
        yield f"{constant.name} = unlimited"
    elif efficiencies and part is not None and constant.stated is not None:
        name = f"{constant.name.replace('.', '_')}_efficiency"
        yield f"let {name} = {_number(item, part, 1.0)}"
        yield f"{constant.name} = {name} * {show_quantity(constant.stated, constant.dimension, 15)}"
    else:
        yield from _given(item)


def _given(item: Fitted) -> Iterator[str]:
    if item.value is None or item.standing == "kept":
        return
    constant, off = item.constant, uncertainty(item)
    value, unit = as_stated(constant, item.value)
    if off is None or item.standing in ("alike", "unseen"):
        shown = show_quantity(value, unit, _DIGITS)
    else:
        shown = show_uncertain(value, off, unit, _DIGITS)
    yield f"{constant.own} = {shown}"


def _number(item: Fitted, value: float, scale: float) -> str:
    off = uncertainty(item)
    if off is None:
        return show_number(value / scale, _DIGITS)
    return show_uncertain(value / scale, off, DIMENSIONLESS, _DIGITS)
