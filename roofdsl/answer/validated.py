"""Scores of models: what was measured against what they predict, kernel by kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.binding import show_setting
from roofdsl.analysis.runs import Run
from roofdsl.analysis.validation import EXTENDED, ORIGINAL, Score, Scored, Validation
from roofdsl.answer.blocks import Block, Notes, label, sentences, tabular
from roofdsl.answer.cells import NOTHING, Cell, Printed, Quantity
from roofdsl.answer.head import opening
from roofdsl.answer.plain import Json, number
from roofdsl.units.dimension import FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_percent

MOST_ROWS = 40
"""So many runs of a kernel are shown to people; formats for programs have all of them."""


@dataclass(frozen=True, slots=True)
class ValidationAnswer:
    """The scores of models on a machine, and the runs that they are made of."""

    validation: Validation

    def values(self) -> dict[str, Json]:
        """Return errors in percent, performances and times in SI base units."""
        found = self.validation
        parameters = {n: p for score in found.scores for n, p in score.parameters.items()}
        units = {name: str(p.dimension) for name, p in parameters.items() if p.is_number}
        values = {"mape": "%", "bias": "%", "change": "%", "errors": "%", "faster": "%"}
        return {
            **opening("validation"),
            "file": found.name,
            "machine": found.machine,
            "count": found.count,
            "mape": {which: number(found.mape(which)) for which in found.kinds},
            "change": number(found.change),
            "kernels": [_kernel(score) for score in found.scores],
            "notes": [*self._notes()],
            "units": {
                "values": {**values, "performance": "flop/s", "time": "s"},
                "params": {**units},
            },
        }

    def rows(self) -> list[dict[str, Json]]:
        """Return a row for each run, one for each kernel without its runs, and one for all."""
        found = self.validation
        names = dict.fromkeys(name for score in found.scores for name in score.parameters)
        rows: list[dict[str, Json]] = []
        for score in found.scores:
            for point in score.points:
                own: dict[str, Json] = {name: point.settings.get(name) for name in names}
                rows.append({"kernel": _kernel_of(score, point), **own, **_numbers(score, point)})
            rows.append({"kernel": score.name, "runs": len(score.points), **_scored(score)})
        if len(found.scores) > 1:
            mapes: dict[str, Json] = {f"mape_{x}": number(found.mape(x)) for x in found.kinds}
            rows.append({"runs": found.count, **mapes, "change": number(found.change)})
        columns = dict.fromkeys(
            ["kernel", *names, *(name for row in rows for name in row), "machine"]
        )
        return [{**dict.fromkeys(columns), **row, "machine": found.machine} for row in rows]

    def blocks(self) -> list[Block]:
        found = self.validation
        count = "1 run" if found.count == 1 else f"{found.count} runs"
        title = f"{found.name} on {found.machine}: {count}"
        place, spare = label("validation", found.name), [f"bias {which}" for which in found.kinds]
        blocks: list[Block] = [tabular(title, place, self._table(), spare=[*spare, "of"])]
        blocks += sentences("what it says", _meaning(found))
        for score in found.scores:
            blocks += _of_kernel(score)
        notes = self._notes()
        return [*blocks, Notes(tuple(notes))] if notes else blocks

    def _notes(self) -> dict[str, None]:
        """Return the notes, each once, in order."""
        found = self.validation
        return dict.fromkeys([*found.notes, *(x for score in found.scores for x in score.notes)])

    def _table(self) -> list[list[Cell]]:
        """Return a row for each kernel, and one for all of several."""
        found = self.validation
        kinds = found.kinds
        heads: list[Cell] = ["kernel", "runs", "of", *(f"MAPE {which}" for which in kinds)]
        heads += [*(["change"] if len(kinds) > 1 else []), *(f"bias {which}" for which in kinds)]
        rows: list[list[Cell]] = [[*heads, "above the roof"]]
        for score in found.scores:
            cells = [_percent(score.mape(x)) if x in score.kinds else NOTHING for x in kinds]
            biases = [_signed(score.bias(x)) if x in score.kinds else NOTHING for x in kinds]
            above = len(score.above(score.kinds[-1]))
            told = Printed(f"{above} of {len(score.points)}")
            change = [_signed(score.change)] if len(kinds) > 1 else []
            count = Printed(str(len(score.points)))
            rows.append([score.name, count, score.measure, *cells, *change, *biases, told])
        if len(found.scores) > 1:
            cells = [_percent(found.mape(which)) for which in kinds]
            change = [_signed(found.change)] if len(kinds) > 1 else []
            empty = [""] * (len(kinds) + 1)
            rows.append(["all", Printed(str(found.count)), "", *cells, *change, *empty])
        return rows


def _meaning(found: Validation) -> Iterator[str]:
    """Yield what the numbers mean, and for each kernel whether the extended Roofline is better."""
    both = EXTENDED in found.kinds
    if both:
        yield "original: without the network; extended: as the model says"
    yield (
        "MAPE: the mean of |predicted - measured| / measured;"
        " bias: that of (predicted - measured) / measured"
    )
    if both:
        yield "change: by how much the extended MAPE is smaller, in percent of the original's"
    for score in found.scores:
        yield from _sentences(score)


def _sentences(score: Score) -> Iterator[str]:
    """Yield what the change of a kernel says, and which of its runs are above a roof."""
    if EXTENDED not in score.kinds:
        yield f"{score.name} states nothing that is sent: it has one prediction"
    elif score.mape(ORIGINAL) == score.mape(EXTENDED):
        yield f"{score.name}: the network makes no difference to the MAPE"
    elif score.change is None:
        without, whole = (_size(score.mape(which)) for which in score.kinds)
        yield f"{score.name}: with the network the MAPE is {whole}, without it {without}"
    else:
        way = "smaller: better" if score.change > 0 else "larger: worse"
        yield f"{score.name}: with the network the MAPE is {_size(score.change)} {way}"
    for which in score.kinds:
        above = score.above(which)
        if above and (which == score.kinds[-1] or above != score.above(EXTENDED)):
            most = above[0]
            count = f"{len(above)} of {len(score.points)} runs"
            roof = f"the {which} roof" if len(score.kinds) > 1 else "the roof"
            are = f"{count} {'is' if len(above) == 1 else 'are'} above {roof}"
            by = f"{'by' if len(above) == 1 else 'at the most by'} {_size(most.faster(which))}"
            yield f"{score.name}: {are}, faster than it allows, {by} ({_place(score, most)})"


def _of_kernel(score: Score) -> Iterator[Block]:
    """Yield the table of a kernel's runs."""
    dimension = SECOND if score.measure == "time" else FLOP / SECOND
    own = any(point.run.kernel != score.name and not point.settings for point in score.points)
    heads: list[Cell] = [*(["kernel"] if own else []), *score.parameters, "measured"]
    for which in score.kinds:
        heads += [which, f"{which} error"]
    rows: list[list[Cell]] = [[*heads, "bound", "above the roof"]]
    for point in score.points[:MOST_ROWS]:
        cells: list[Cell] = [point.run.kernel] if own else []
        cells += _settings(score, point)
        cells.append(_value(score.value(point), dimension))
        for which in score.kinds:
            cells.append(_value(score.value(point, which), dimension))
            cells.append(_signed(score.error(point, which)))
        ahead = point.faster(score.kinds[-1])
        rows.append([*cells, point.bound or NOTHING, f"by {_size(ahead)}" if ahead else ""])
    left = len(score.points) - MOST_ROWS
    notes = (f"… and {left} more runs, which --format csv has",) if left > 0 else ()
    of_what = "performance of a process" if score.measure == "performance" else "time"
    title = f"{score.name}: {of_what}"
    yield tabular(title, label("validation", score.name), rows, notes=notes)


def _settings(score: Score, point: Scored) -> list[Cell]:
    found: list[Cell] = []
    for name, parameter in score.parameters.items():
        shown = NOTHING
        if name in point.settings:
            shown = show_setting(point.settings[name], parameter)
        found.append(Printed(shown) if parameter.is_number and shown != NOTHING else shown)
    return found


def named(score: Score, point: Scored) -> str:
    """Return what tells a run apart from others of its kernel: `N = 4096, P = 4`."""
    settings = point.settings.items()
    known = score.parameters
    return ", ".join(f"{name} = {show_setting(value, known[name])}" for name, value in settings)


def _place(score: Score, point: Scored) -> str:
    return named(score, point) or point.run.kernel or f"line {_line(point.run)}"


def _line(run: Run) -> int:
    return run.span.source.position(run.span.start)[0]


def _kernel(score: Score) -> dict[str, Json]:
    above: dict[str, Json] = {which: len(score.above(which)) for which in score.kinds}
    return {
        "kernel": score.name,
        "quantity": score.measure,
        "count": len(score.points),
        "mape": {which: number(score.mape(which)) for which in score.kinds},
        "bias": {which: number(score.bias(which)) for which in score.kinds},
        "change": number(score.change),
        "above": above,
        "runs": [_run(score, point) for point in score.points],
    }


def _run(score: Score, point: Scored) -> Json:
    kinds = score.kinds
    return {
        "kernel": _kernel_of(score, point),
        "params": {**point.settings},
        "measured": number(score.value(point)),
        "predicted": {which: number(score.value(point, which)) for which in kinds},
        "errors": {which: number(score.error(point, which)) for which in kinds},
        "faster": {which: number(point.faster(which)) for which in kinds},
        "bound": point.bound,
    }


def _numbers(score: Score, point: Scored) -> dict[str, Json]:
    """Return the numbers of a run as columns."""
    found: dict[str, Json] = {"quantity": score.measure, "measured": number(score.value(point))}
    for which in score.kinds:
        found[which] = number(score.value(point, which))
        found[f"error_{which}"] = number(score.error(point, which))
        found[f"faster_{which}"] = number(point.faster(which))
    return {**found, "bound": point.bound}


def _scored(score: Score) -> dict[str, Json]:
    found: dict[str, Json] = {"quantity": score.measure}
    for which in score.kinds:
        found[f"mape_{which}"] = number(score.mape(which))
        found[f"bias_{which}"] = number(score.bias(which))
        found[f"above_{which}"] = len(score.above(which))
    return {**found, "change": number(score.change)}


def _kernel_of(score: Score, point: Scored) -> str:
    """Return the name of a run's model; of one by its own work, that of its kernel."""
    return score.name if point.settings or not point.run.kernel else point.run.kernel


def _value(value: float, dimension: Dimension) -> Quantity:
    return Quantity(value, dimension)


def _percent(value: float) -> Printed:
    return Printed(show_percent(value / 100))


def _size(value: float) -> str:
    return show_percent(abs(value) / 100)


def _signed(value: float | None) -> Cell:
    """Return a percentage with its sign: +12.3 %."""
    if value is None:
        return NOTHING
    return Printed(f"{'+' if value > 0 else '-' if value < 0 else ''}{_size(value)}")
