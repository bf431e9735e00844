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
from roofdsl.inert import in_a_line
from roofdsl.reading import read_bytes
from roofdsl.source import Source
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.quantity import show_number, show_quantity, show_uncertain

_DIGITS, _ALL_DIGITS = 6, 15


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
    return Origin(in_a_line(path.name), sha256(data).hexdigest(), today())


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
    changed = [item for item in fit.constants if _is_changed(item)]
    own = [item for item in changed if not item.constant.model]
    above = Declarations()
    blocks: list[str] = []
    if own or not changed or serial_of(fit.machine, fit.law):
        above.need(fit.machine)
        lines = [_origin(fit, origin), *_machine(fit, own, efficiencies=efficiencies)]
        remarks = [f"## {each}." for each in _remarks(fit, origin)]
        blocks.append(_block(remarks, f"machine {name} = {called(fit.machine)}", lines))
    for model in dict.fromkeys(item.constant.model for item in changed if item.constant.model):
        definition = fit.models[model]
        above.need(definition)
        items = [item for item in changed if item.constant.model == model]
        lines = [_origin(fit, origin), *(_given(item) for item in items)]
        made = f"model {name}_{definition.name} = {called(definition)}"
        blocks.append(_block([], made, lines))
    return "\n\n".join(("\n".join(above.texts()), *blocks)) + "\n"


def _block(remarks: Sequence[str], made: str, lines: Sequence[str]) -> str:
    return "\n".join([*remarks, f"{made} with {{", *(f"    {line}" for line in lines), "}"])


def _is_changed(item: Fitted) -> bool:
    """Whether a constant is to be written: it differs from what is stated."""
    return item.standing != "kept" and item.value != item.constant.stated


def _origin(fit: Fit, origin: Origin) -> str:
    count = fit.errors[""].runs
    runs = f"{count} run{'s' * (count != 1)}"
    where = f"{origin.name}, SHA-256 {origin.sha256}, on {origin.date}"
    return f"source {quoted(f'fitted to {runs} of {where}')}"


def _remarks(fit: Fit, origin: Origin) -> Iterator[str]:
    models = ", ".join(fit.models)
    yield f"{models} as measured in {origin.name}; {MEANING[fit.law]}"
    errors = fit.errors[""]
    held = "" if errors.held_out is None else f", {show_number(errors.held_out, 3)} % held out"
    yield f"Mean error: {show_number(errors.fitted, 3)} %{held}"
    yield from FitAnswer(origin.name, fit).notes()


def _machine(fit: Fit, own: Sequence[Fitted], *, efficiencies: bool) -> Iterator[str]:
    for item in own:
        part, stated = item.efficiency, item.constant.stated
        if item.value is None:
            yield f"{item.constant.name} = unlimited"
        elif efficiencies and part is not None and stated is not None:
            name = f"{item.constant.name.replace('.', '_')}_efficiency"
            yield f"let {name} = {_number(item, part, DIMENSIONLESS)}"
            rate = show_quantity(stated, item.constant.dimension, _ALL_DIGITS)
            yield f"{item.constant.name} = {name} * {rate}"
        else:
            yield _given(item)
    for names in serial_of(fit.machine, fit.law):
        yield f"serial {', '.join(names)}"


def _given(item: Fitted) -> str:
    assert item.value is not None  # it is a rate that takes no time, and no constant of a model
    return f"{item.constant.own} = {_number(item, *as_stated(item.constant, item.value))}"


def _number(item: Fitted, value: float, unit: Dimension) -> str:
    """Return a value with how far it may be off, where that is known."""
    off = uncertainty(item) if item.standing in ("determined", "hardly") else None
    if off is None:
        return show_quantity(value, unit, _DIGITS)
    return show_uncertain(value, off, unit, _DIGITS)
