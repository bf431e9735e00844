"""Many results: a row each, or, for one point on several machines, a column each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roofdsl.analysis.binding import Setting, show_setting
from roofdsl.analysis.bound_kind import several_kinds
from roofdsl.analysis.convention import Convention
from roofdsl.analysis.intensity import intensity_units, quantities
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result
from roofdsl.analysis.tariff import spending_unit
from roofdsl.answer.blocks import Block, label, tabular
from roofdsl.answer.cells import NOTHING, Cell, Code, Printed
from roofdsl.answer.columns import Entry, Row, arranged, why_missing
from roofdsl.answer.head import opening, units
from roofdsl.answer.left_out import LeftOut, left_out_notes
from roofdsl.answer.margins import near_values, verdict_name
from roofdsl.answer.parameter_names import parameter_columns
from roofdsl.answer.plain import Json, fields_of, number
from roofdsl.answer.point import quantity_values, result_units, result_values
from roofdsl.answer.ranges import RowsAt
from roofdsl.answer.result_cells import (
    count_cell,
    metric_cell,
    metrics_of,
    own_of,
    result_cell,
    ridge_cell,
    tallies_of,
    tally_cell,
)
from roofdsl.answer.row_notes import row_notes
from roofdsl.answer.spending import (
    COLUMNS,
    spending_cell,
    spending_names,
    spending_notes,
    spending_row,
)
from roofdsl.answer.titles import in_short, notes_blocks, notes_of_rows
from roofdsl.answer.wanted import NOTHING_WANTED, Best, Wanted
from roofdsl.answer.winners import winner_rows, winner_values
from roofdsl.model.results import BOUND_KIND
from roofdsl.model.types import ModelDefinition, Parameter
from roofdsl.roles import Binding, Open
from roofdsl.units.dimension import Dimension

if TYPE_CHECKING:
    from roofdsl.analysis.rate_box import RatesVerdict

_NO_ENTRY = Entry(NOTHING)
_NEAR = (
    "within ±: what binds on every machine whose rates are off by no more, proven; "
    "of two the first binds here, and it depends on the rates"
)


@dataclass(frozen=True, slots=True)
class RowsAnswer:
    """Results of one model, on one machine or several, at one point or over ranges.

    `predictions` are of that model on each machine, wherever the parameters are.
    `swept` are the parameters with several values, `tied` those given as a formula of others, with
    that formula; other values that differ follow from a default. Without any `swept` there is a
    column for each machine, unless `columns` or an order of rows are asked for: `entries` then has
    what each result has in the columns, and `best` what these are the best in. `left_out` are
    combinations that have no row, `more` what else is noted. `near` is what
    binds on all machines near the one of each result. A machine without a name is none.
    """

    results: Sequence[Result]
    predictions: Sequence[Prediction]
    swept: Sequence[str] = ()
    conventions: Sequence[Convention] = ()
    tied: Mapping[str, str] = field(default_factory=dict)
    wanted: Wanted = NOTHING_WANTED
    entries: Sequence[Mapping[str, Entry]] = ()
    best: Best | None = None
    left_out: Sequence[LeftOut] = ()
    more: Sequence[str] = ()
    near: Sequence[Sequence[RatesVerdict]] = ()

    @classmethod
    def of(
        cls,
        found: RowsAt,
        wanted: Wanted,
        swept: Sequence[str],
        tied: Mapping[str, str],
        conventions: Sequence[Convention] = (),
        more: Sequence[str] = (),
    ) -> RowsAnswer:
        """Return the rows in the order that is wanted, or the best of them; raise as `arranged`."""
        kept, best = arranged(found.rows, wanted)
        return cls(
            [each.result for each in kept],
            found.predictions,
            swept,
            conventions,
            tied,
            wanted,
            [each.entries for each in kept],
            best,
            found.left_out,
            more,
            [each.near for each in kept],
        )

    @property
    def model(self) -> ModelDefinition:
        return self.predictions[0].model

    def values(self) -> dict[str, Json]:
        both = self.results, self.predictions
        best = {} if self.best is None else {"best": self.best.values()}
        points = [result_values(x, self.conventions) for x in both[0]]
        rows: dict[str, Json] = {
            "points": [{**x, **near_values(self._near(at))} for at, x in enumerate(points)]
        }
        found_units = result_units(self.predictions, self.results)
        if self.wanted.columns:
            rows = {"columns": [*self.wanted.columns], "rows": [*self.rows()]}
            rows["notes"] = [*self._notes()]
            found_units = units({"rows": self._units()})
        return {
            **opening("rows" if self.wanted.columns else "points"),
            "model": self.model.name,
            **fields_of(self, "swept", "tied"),
            **rows,
            **({"least": winner_values(*both)} if self._compares else {}),
            **best,
            **({"left_out": [each.as_json() for each in self.left_out]} if self.left_out else {}),
            "units": found_units,
        }

    def rows(self) -> list[dict[str, Json]]:
        if not self.wanted.columns:
            named = parameter_columns(self.model)
            return [
                result_row(result, named, self.conventions, self._verdicts(at))
                for at, result in enumerate(self.results)
            ]
        varied, columns = self._named(), self._columns()
        rows: list[dict[str, Json]] = []
        for at, (result, entries) in enumerate(zip(self.results, self.entries, strict=True)):
            given = {column: result.parameters[name] for name, column in varied.items()}
            own = {name: item.value for name, item in result.varied.items()}
            found = {name: entries.get(name, _NO_ENTRY).plain for name in columns}
            which: dict[str, Json] = {"machine": result.machine} if result.machine else {}
            rows.append({**which, **own, **given, **found, **self._verdicts(at)})
        return rows

    def _near(self, at: int) -> Sequence[RatesVerdict]:
        return self.near[at] if self.near else ()

    def _verdicts(self, at: int) -> dict[str, str | None]:
        """Return what binds on all machines near, by how near these are; null if not decided."""
        return {each.box.words: verdict_name(each) for each in self._near(at)}

    def _columns(self) -> list[str]:
        """Return the columns asked for, but those that say which row it is."""
        which = {"machine", *self._machines(), *self._named().values()}
        return [name for name in self.wanted.columns if name not in which]

    def _units(self) -> dict[str, Dimension]:
        """Return the units of the columns of rows."""
        asked = {name: each.unit for row in self.entries for name, each in row.items() if each.unit}
        varied = {name: x.dimension for each in self.results for name, x in each.varied.items()}
        own = {p.name: p.dimension for p in self.model.parameters if p.is_number}
        given = {column: own[name] for name, column in self._named().items() if name in own}
        return {
            **varied,
            **given,
            **{name: asked[name] for name in self._columns() if name in asked},
        }

    def blocks(self) -> list[Block]:
        varied = self._varied()
        rows = self._rows(varied) if self._is_long else self._by_machine()
        what, settings = self._common(varied)
        what = what if self.best is None else f"{what}, {self.best.words}"
        caption = f"{what}: {settings}" if settings else what
        head = f"{what}   {settings}".rstrip() + "\n"  # a title, with an empty line below
        place = label(self.model.name, "results")
        tables = [tabular(caption, place, rows, head=head, spare=self._spare())]
        if self._compares:
            title, name = f"Which machine does most of {self.model.name}", self.model.name
            best = winner_rows(self.results, self.predictions)
            tables.append(tabular(title, label(name, "winners"), best, head=""))
        return [*tables, *notes_blocks(self._notes())]

    def _notes(self) -> Iterator[str]:
        yield from row_notes(self.results)
        if self.wanted.columns:
            yield from why_missing([*map(Row, self.results, self.entries)], self.wanted.names)
        else:
            yield from spending_notes(self.results)
        yield from () if self.best is None else self.best.notes()
        if any(self.near):
            yield _NEAR
        yield from notes_of_rows(self.predictions, self.wanted.names)
        yield from left_out_notes(self.left_out, len(self.left_out) + self._count)
        yield from self.more

    @property
    def _count(self) -> int:
        """How many rows there are, those that are not the best among them."""
        return len(self.results) if self.best is None else self.best.of + self.best.without

    @property
    def _is_long(self) -> bool:
        """Whether there is a row for each result, not a column for each machine."""
        return bool(self.swept or self._machines() or self.wanted.names)

    @property
    def _compares(self) -> bool:
        """Whether machines are compared by what they do of a mix."""
        return self.model.is_mix and not self._is_long and len(self.results) > 1

    def _common(self, varied: Sequence[str]) -> tuple[str, str]:
        """Return what all results are of, and at: what is the same, and the formulas of others."""
        first = self.results[0]
        alone = self._is_long and not self._several
        where = f" on {first.machine}" if alone and first.machine else ""
        fixed = {
            parameter.name: setting_cell(first.parameters[parameter.name], parameter).text
            for parameter in self.model.parameters
            if parameter.name not in varied
        }
        formulas = {p.name: " ".join(p.written.split()) for p in self.model.parameters}
        formulas.update(self.tied)
        tied = {name: formulas[name] for name in varied if name not in self.swept}
        given = {*tied, *(self.predictions[0].given if self.predictions else ())}
        return f"{self.model.name}{where}", in_short({**fixed, **tied}, given)

    def _varied(self) -> list[str]:
        """Return the parameters whose values differ: those swept, and those that follow them."""
        first = self.results[0].parameters
        others = [
            name
            for name, value in first.items()
            if name not in self.swept and any(r.parameters[name] != value for r in self.results)
        ]
        return [*self.swept, *others]

    def _named(self) -> dict[str, str]:
        """Return the columns of the parameters whose values differ, by their names."""
        columns = parameter_columns(self.model)
        return {name: columns[name] for name in self._varied()}

    def _answered(self) -> list[str]:
        """Return the quantities that the model answers: of a mix, its jobs do the others."""
        left = self.results[0].unanswered
        return [name for name in quantities(own_of(self.results)) if name not in left]

    def _bounds(self) -> list[str]:
        """Return the bound, and the kind of work on it where any has several."""
        several = any(map(several_kinds, self.predictions))
        return ["bound", *([BOUND_KIND] if several else [])]

    def _spending(self) -> list[str]:
        """Return which of energy, power and cost any result has a number of."""
        has = [name for name in COLUMNS if any(name in result.spending for result in self.results)]
        return [name for name in spending_names(self.results) if name in has]

    def _unit(self, result: Result, name: str) -> Dimension:
        named = {each.machine.name: each for each in self.predictions}
        return spending_unit(name, named[result.machine].tariff)

    def _machines(self) -> list[str]:
        """Return what machines have of several values, by name: `node.ranks`."""
        return list(dict.fromkeys(name for result in self.results for name in result.varied))

    @property
    def _several(self) -> bool:
        """Whether there are several machines, not one that is varied."""
        return len({each.machine.name for each in self.predictions}) > 1

    def _rows(self, varied: Sequence[str]) -> list[list[Cell]]:
        """Return a row for each result: which one it is, and what is asked of it, or all."""
        machines = self._machines()
        several = self._several
        named = {parameter.name: parameter for parameter in self.model.parameters}
        parameters = [named[name] for name in varied]
        names, found = self._asked() if self.wanted.columns else self._all()
        verdicts = [self._verdicts(at) for at in range(len(self.results))]
        headings = self._named().values()
        first: list[Cell] = [*(["machine"] if several else []), *machines, *headings, *names]
        rows: list[list[Cell]] = [[*first, *verdicts[0]]]
        for result, own, near in zip(self.results, found, verdicts, strict=True):
            cells: list[Cell] = [result.machine] if several else []
            has = result.varied
            cells += [Printed(has[name].written) if name in has else NOTHING for name in machines]
            cells += [setting_cell(result.parameters[each.name], each) for each in parameters]
            rows.append([*cells, *own, *(_verdict_cell(each) for each in near.values())])
        return rows

    def _asked(self) -> tuple[list[str], list[list[Cell]]]:
        """Return the columns that are asked for, and what each result has in them."""
        names = self._columns()
        return names, [[own.get(name, _NO_ENTRY).cell for name in names] for own in self.entries]

    def _all(self) -> tuple[list[str], list[list[Cell]]]:
        """Return all columns that results have, and what each has in them."""
        own = own_of(self.results)
        left_out = ("memory", "network", *own, *(["flops"] if self.conventions else []))
        columns = [*(name for name in self._answered() if name not in left_out), *self._bounds()]
        tallies = tallies_of(self.results)
        units, metrics = self._spending(), metrics_of(self.results)
        counted = [item.name for item in self.conventions]
        rows: list[list[Cell]] = []
        for result in self.results:
            cells: list[Cell] = [count_cell(result.count(x.name), x) for x in self.conventions]
            cells += [result_cell(result, name) for name in columns]
            cells += [spending_cell(result, name, self._unit(result, name)) for name in units]
            cells += [tally_cell(result, name) for name in tallies]
            rows.append(cells + [metric_cell(result, name) for name in metrics])
        return [*counted, *columns, *units, *tallies, *metrics], rows

    def _spare(self) -> list[str]:
        """Return the columns that can be left out, unless they are asked for: not the verdict."""
        if self.wanted.columns or not self._is_long:
            return []
        fits = {name for result in self.results for name in result.fits}
        tallies = [name for name in tallies_of(self.results) if name not in fits]
        others = [*self._spending(), *tallies, *metrics_of(self.results)]
        counted = [item.name for item in self.conventions]
        intensities = reversed(intensity_units(own_of(self.results)))
        return [*intensities, *counted, *reversed(others), "flops", "attainable", BOUND_KIND]

    def _by_machine(self) -> list[list[Cell]]:
        results, own = self.results, own_of(self.results)
        rows: list[list[Cell]] = [["", *(result.machine for result in results)]]
        for name in self._answered():
            rows.append([name, *(result_cell(result, name) for result in results)])
        for item in self.conventions:
            counts = (count_cell(result.count(item.name), item) for result in results)
            rows.append([f"counted as {item.name}", *counts])
        for name in () if self.model.is_mix else intensity_units(own):
            corners = (ridge_cell(result.ridge, name, own) for result in results)
            rows.append([f"{name}* (ridge)", *corners])
        for name in self._bounds():
            rows.append([name, *(result_cell(result, name) for result in results)])
        verdicts = [self._verdicts(at) for at in range(len(results))]
        for name in verdicts[0]:
            rows.append([name, *(_verdict_cell(each[name]) for each in verdicts)])
        for name in self._spending():
            cells = (spending_cell(result, name, self._unit(result, name)) for result in results)
            rows.append([name, *cells])
        for name in tallies_of(results):
            rows.append([name, *(tally_cell(result, name) for result in results)])
        for name in metrics_of(results):
            rows.append([name, *(metric_cell(result, name) for result in results)])
        return rows


def _verdict_cell(verdict: str | None) -> Cell:
    return Binding(verdict) if verdict else Open("not decided")


def setting_cell(value: Setting, parameter: Parameter) -> Printed | Code:
    """Return a parameter's value as it was given."""
    return (Printed if parameter.is_number else Code)(show_setting(value, parameter))


def result_row(
    result: Result,
    columns: Mapping[str, str],
    conventions: Sequence[Convention],
    more: Mapping[str, str | None],
) -> dict[str, Json]:
    """Return a result, and what `more` is known of it, as one row of plain values in SI units.

    `columns` are those of its parameters, by their names.
    """
    return {
        "model": result.model,
        "machine": result.machine,
        **{name: item.value for name, item in result.varied.items()},
        **{columns[name]: value for name, value in result.parameters.items()},
        **quantity_values(result),
        "bound": result.bound,
        "bound_kind": result.bound_kind,
        **{f"counted_{item.name}": number(result.count(item.name)) for item in conventions},
        **{f"tally_{name}": number(value) for name, value in result.tallies.items()},
        **{f"{name}_within_capacity": fits for name, fits in result.fits.items()},
        **spending_row(result),
        **{f"metric_{name}": number(result.metrics.get(name)) for name in metrics_of([result])},
        **more,
        "notes": "; ".join(result.notes),
    }
