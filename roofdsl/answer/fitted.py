"""What runs say of a machine and of models: constants, how well they are known, errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.fit_constants import Constant
from roofdsl.analysis.fit_law import MEANING
from roofdsl.analysis.fitting import Error, Fit, Fitted
from roofdsl.answer.blocks import Block, Notes, in_a_row, label, tabular
from roofdsl.answer.cells import NOTHING, Cell, Printed, Quantity
from roofdsl.answer.head import opening
from roofdsl.answer.plain import Json, number
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.quantity import show_number, show_percent, show_quantity

STANDARD_ERRORS = 2
"""So many of them are what `±` says: 19 of 20 times a constant lies within."""
_ROUNDING = 1e-9
"""What is off by less, relatively, is so by rounding alone."""
_COLUMNS = "name value uncertainty unit stated efficiency standing".split()


def as_stated(constant: Constant, value: float) -> tuple[float, Dimension]:
    """Return a value as the machine states it, with its unit: of a latency the time per unit."""
    if constant.inverse and value:
        return 1 / value, DIMENSIONLESS / constant.dimension
    return value, constant.dimension


def uncertainty(item: Fitted) -> float | None:
    """Return how far a constant may be off, relative to it; None where that is not known."""
    if item.error is None or not item.value:
        return None
    relative = STANDARD_ERRORS * item.error / item.value
    return relative if _ROUNDING < relative < 1 else None


@dataclass(frozen=True, slots=True)
class FitAnswer:
    """A fit to the runs of a file, by its name; `more` are notes of what was left aside."""

    name: str
    fit: Fit
    more: tuple[str, ...] = ()

    def values(self) -> dict[str, Json]:
        """Return constants in SI base units, with two standard errors; errors in percent."""
        fit = self.fit
        return {
            **opening("fit"),
            "runs": self.name,
            "machine": fit.machine.name,
            "models": [*fit.models],
            "law": fit.law,
            "laws": {law: number(error) for law, error in fit.laws.items()},
            "constants": {item.constant.name: _values(item) for item in fit.constants},
            "alike": [[each.name for each in group] for group in fit.alike],
            "errors": {name: _errors(error) for name, error in fit.errors.items() if name},
            "total": _errors(fit.errors[""]),
            "held_out": "half" if fit.half else "folds" if fit.folds else None,
            "folds": fit.folds,
            "notes": [*self.notes()],
            "units": {
                "constants": {x.constant.name: str(x.constant.dimension) for x in fit.constants},
                "laws": dict.fromkeys(fit.laws, "%"),
                "errors": {"fitted": "%", "held_out": "%"},
            },
        }

    def rows(self) -> list[dict[str, Json]]:
        """Return a row for each constant."""
        found: list[dict[str, Json]] = []
        for item in self.fit.constants:
            own = _values(item)
            unit = str(item.constant.dimension)
            row = {"name": item.constant.name, "unit": unit, **own}
            found.append({name: row[name] for name in _COLUMNS})
        return found

    def blocks(self) -> list[Block]:
        fit, name = self.fit, self.name
        count = fit.errors[""].runs
        runs = f"{count} run{'s' * (count != 1)} of {in_a_row([*fit.models])}"
        title = f"{name}: {runs}, fitted on {fit.machine.name}; {MEANING[fit.law]}"
        place = label("fit", name)
        blocks: list[Block] = [tabular(title, place, self._constants())]
        caption = "Mean absolute error"
        blocks.append(tabular(caption, f"{place}-errors", self._errors(), head="mean error"))
        if len(fit.laws) > 1:
            caption = "Ways to combine times, by the error of what was held out"
            laws = self._laws()
            blocks.append(tabular(caption, f"{place}-laws", laws, head="what overlaps"))
        notes = tuple(self.notes())
        return [*blocks, Notes(notes)] if notes else blocks

    def _constants(self) -> list[list[Cell]]:
        rows: list[list[Cell]] = [["constant", "fitted", "stated", "efficiency", ""]]
        for item in self.fit.constants:
            constant = item.constant
            stated: Cell = NOTHING
            if constant.stated is not None:
                stated = Quantity(*as_stated(constant, constant.stated))
            part = item.efficiency if item.value != constant.stated else None
            efficiency: Cell = "" if part is None else Printed(show_percent(part))
            rows.append([constant.name, _fitted(item), stated, efficiency, _remark(item)])
        return rows

    def _errors(self) -> list[list[Cell]]:
        errors = {name: each for name, each in self.fit.errors.items() if name}
        if len(errors) > 1:
            errors["all"] = self.fit.errors[""]
        rows: list[list[Cell]] = [["", "runs", "fitted", "held out"]]
        for name, each in errors.items():
            held: Cell = NOTHING if each.held_out is None else _percent(each.held_out)
            rows.append([name, Printed(str(each.runs)), _percent(each.fitted), held])
        return rows

    def _laws(self) -> list[list[Cell]]:
        rows: list[list[Cell]] = [["law", "", "held out"]]
        for law, error in self.fit.laws.items():
            shown: Cell = NOTHING if error is None else _percent(error)
            mark = f"{MEANING[law]}{', as fitted' if law == self.fit.law else ''}"
            rows.append([law, mark, shown])
        return rows

    def notes(self) -> Iterator[str]:
        """Yield what the runs do not tell, by the user's own names, and what was held out."""
        fit = self.fit
        yield from self.more
        values = {item.constant: item.value for item in fit.constants}
        for group in fit.alike:
            told = f"{in_a_row([each.name for each in group])} cannot be told apart by these runs"
            kept = [each.name for each in group if values[each] == each.stated]
            are = "is" if len(kept) == 1 else "are"
            yield f"{told}; {in_a_row(kept)} {are} as stated" if kept else told
        for name in fit.varying:
            yield f"{name} depends on the work, and stays as {fit.machine.name} states it"
        for item in fit.constants:
            if told := _told(item, fit.machine.name):
                yield told
        if fit.half:
            yield "held out is every other size; the constants are those of the other half"
        elif fit.folds:
            yield f"held out is each of {fit.folds} folds of sizes in turn"
        else:
            yield "nothing was held out: there is one size alone"


def _fitted(item: Fitted) -> Cell:
    if item.value is None:
        return "unlimited"
    value, unit = as_stated(item.constant, item.value)
    return Quantity(value, unit, uncertainty=uncertainty(item))


def _remark(item: Fitted) -> str:
    if item.standing == "hardly" and uncertainty(item) is None and item.error and item.value:
        return f"± {show_percent(STANDARD_ERRORS * item.error / item.value)}"
    remarks = {"alike": "not told apart", "unseen": "no run is bound by it", "kept": "as stated"}
    return remarks.get(item.standing, "")


def _told(item: Fitted, machine: str) -> str:
    """Return what is to be said of a constant that is not determined; "" for one that is."""
    name, value = item.constant.name, item.value
    shown = "" if value is None else show_quantity(*as_stated(item.constant, value))
    owner = item.constant.model or machine
    match item.standing:
        case "unseen":
            return f"no run is bound by {name}: {shown} or more fits as well"
        case "kept":
            return f"{name} is kept as {owner} states it, {shown}: the runs fit as well with that"
        case "nothing":
            return f"no time is left for {name} in the best fit of these runs"
        case "hardly":
            return f"{name} is hardly determined by these runs"
    return ""


def _values(item: Fitted) -> dict[str, Json]:
    error = None if item.error is None else STANDARD_ERRORS * item.error
    return {
        "value": "inf" if item.value is None else number(item.value),
        "uncertainty": number(error),
        "stated": number(item.constant.stated),
        "efficiency": number(item.efficiency),
        "standing": item.standing,
    }


def _errors(error: Error) -> dict[str, Json]:
    return {
        "runs": error.runs,
        "fitted": number(error.fitted),
        "held_out": number(error.held_out),
    }


def _percent(error: float) -> Printed:
    return Printed(f"{show_number(error, 3)} %")
