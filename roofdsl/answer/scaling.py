"""Speed-up and efficiency by processes, what they are measured by, and how many are worth it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from roofdsl.analysis.isoefficiency import (
    Isoefficiency,
    LeastSize,
    isoefficiency,
    kept_efficiency,
)
from roofdsl.analysis.most_useful import MostUseful
from roofdsl.analysis.open_parameters import open_parameters, unknown_name
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.process_grid import sides_of
from roofdsl.analysis.result import needs_values
from roofdsl.analysis.scaling import Scaling, grid_scaling, processes_of, scaling_of
from roofdsl.analysis.scaling_law import ScalingLaw, ScalingPoint, in_words
from roofdsl.analysis.unknown import Unknown, unknown_named
from roofdsl.answer import places
from roofdsl.answer.asked import ModelOnMachine, Numeric
from roofdsl.answer.blocks import Block, Table, Text, in_a_row, label, tabular
from roofdsl.answer.cells import Cell, Printed, Quantity
from roofdsl.answer.head import answered
from roofdsl.answer.plain import Json, fields_of
from roofdsl.answer.table_part import TablePart
from roofdsl.answer.titles import notes_blocks, notes_of, on, settings_shown, title_text
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.construct import number
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, Expression
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.scalar import evaluate
from roofdsl.typeset.text import text
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_percent

# An efficiency of more is worth a word.
_WHOLE = 1 + 1e-9


def scaled(
    asked: ModelOnMachine,
    values: Mapping[str, object],
    name: str | None = None,
    *,
    strong: bool = False,
    size: str | None = None,
    efficiency: str | Numeric | None = None,
) -> tuple[Scaling, Prediction]:
    """Return the scaling over the processes counted by `name`, and what it is of.

    Without a name they are counted by what the model has no value for; where that is several
    parameters, they are a grid. With a `size` come its least values that keep an efficiency, one
    half if none is given; with an efficiency alone, those of the one number without a default.
    """
    model = asked.model
    processes_of(model)
    kept = kept_efficiency(0.5 if efficiency is None else efficiency)
    size = _only_size(model) if size is None and efficiency is not None else size
    known = {**values} if size is None else {**values, size: 1}
    sides = sides_of(model, name, open_parameters([model], known))
    if sides is not None:
        prediction = _with_values(asked.bound(values, sides.free), sides.free)
        found = grid_scaling(prediction, sides, values, strong=strong)
    else:
        name = _open_count(model, known) if name is None else name
        name = unknown_name(name, [model], known)
        unknown = unknown_named(name, model, asked.machine)
        prediction = _with_values(asked.bound(values, [name]), [name])
        found = scaling_of(prediction, unknown, values, strong=strong)
    if size is None:
        return found, prediction
    least = isoefficiency(
        lambda at: asked.bound({**values, **at}, [size]),
        unknown_named(size, model, asked.machine),
        found.law,
        kept,
        [point.at for point in found.points[1:]],
    )
    return replace(found, sizes=least), prediction


def _only_size(model: ModelDefinition) -> str:
    """Return the number that has no default and counts no processes; raise R0713 for several."""
    sizes = [p for p in model.parameters if p.is_number and p.default is None]
    names = [p.name for p in sizes if p.kind != "processes"]
    if len(names) != 1:
        message = f"which size of '{model.name}' is to keep the efficiency is not said"
        size = names[0] if names else "NAME"
        hint = f'say it with --size {size} (in Python size="{size}")'
        raise RoofError([Diagnostic("R0713", message, hint=hint)])
    return names[0]


def _with_values(prediction: Prediction, counts: Collection[str]) -> Prediction:
    """Return a prediction in which processes alone are open; raise R0406 for any other."""
    missing = [parameter for parameter in prediction.free if parameter.name not in counts]
    if missing:
        hint = f"speed-up compares times, which depend on {missing[0].name}: give it a value"
        raise needs_values(prediction, missing, hint)
    return prediction


def _open_count(model: ModelDefinition, given: Collection[str]) -> str | None:
    """Return the parameter that counts processes and has no value, or at least was given none."""
    counts = [p for p in model.parameters if p.kind == "processes"]
    counts = [p for p in counts if p.name not in given] or counts  # which is refused, by name
    names = [p.name for p in counts if p.default is None] or [p.name for p in counts]
    return names[0] if names else None


@dataclass(frozen=True, slots=True)
class ScalingAnswer:
    """Speed-up and efficiency by processes, and how many are worth it."""

    found: Scaling
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        law, useful, iso = self.found.law, self.found.useful, self.found.sizes
        fields = ("processes", "time", "speedup", "efficiency")
        points: list[Json] = [
            {**fields_of(point, *fields), "grid": [*point.grid]} for point in self.found.points
        ]
        own: dict[str, Json] = {
            "kind": law.kind,
            "base": law.base,
            "fixed": [*law.fixed, *(f"{name} of a process" for name in law.kept)],
            "growth": None if law.growth is None else text(law.growth),
            "defaults": [*law.defaults],
            "points": points,
            "sides": [*law.sides],
            "most_useful": None if useful is None else self._processes(useful.count),
            "complete": None if useful is None else useful.complete,
            "proven_up_to": None if useful is None else self._processes(useful.up_to),
            "efficiency": None if iso is None else float(iso.efficiency),
            "sizes": [
                {"processes": each.processes, "size": each.size, "proven": each.proven}
                for each in (iso.sizes if iso else ())
            ],
        }
        return answered("scaling", self.prediction, own, {"points": {"time": SECOND}})

    def _processes(self, count: int | None) -> int | None:
        """Return how many processes there are where those along an open side are so many."""
        law = self.found.law
        if count is None or len(law.fewest) > 1:
            return count
        return law.count(dict.fromkeys(law.fewest, count))

    def _points(self) -> Iterator[list[Cell]]:
        """Yield processes, their grid, time, speed-up and efficiency of each count."""
        for point in self.found.points:
            efficiency = Printed(show_percent(point.efficiency))
            time = Quantity(point.time, SECOND)
            grid = " × ".join(map(str, point.grid))
            speedup = Quantity(point.speedup)
            yield [Quantity(point.processes), grid, time, speedup, efficiency]

    def _headings(self) -> list[Cell]:
        sides = " × ".join(self.found.law.sides)
        return ["processes", sides, "time", "speed-up", "efficiency"]

    def part(self) -> TablePart:
        """Return a row for each count of processes, with the least size where it is asked."""
        iso, prediction = self.found.sizes, self.prediction
        rows = [dict(zip(self._headings(), row, strict=True)) for row in self._points()]
        if iso is not None:  # of all counts but the first
            for each, row in zip(iso.sizes, rows[1:], strict=True):
                row[_kept(iso)] = _size(each, iso)
        model, machine = prediction.model.name, prediction.machine.name
        kind, asked = "scaling", ("scaling", self.found.law.kind)
        question, settings = f"{asked[1]} scaling", settings_shown(prediction)
        return TablePart(
            *(model, machine, kind, question, "", settings, rows, notes_of(prediction)),
            asked=asked,
            told=[*self._sentences()],
        )

    def blocks(self) -> list[Block]:
        rows = [self._headings(), *self._points()]
        name = on(self.prediction)
        kind = f"{self.found.law.kind} scaling"
        return [
            Text(title_text(self.prediction)),
            tabular(f"{kind.capitalize()} of {name}", label(name, "scaling"), rows, head=kind),
            *(Text(sentence) for sentence in self._sentences()),
            *([] if self.found.sizes is None else [_sizes(self.found.sizes, name)]),
            *notes_blocks(notes_of(self.prediction)),
        ]

    def _sentences(self) -> Iterator[str]:
        law, useful = self.found.law, self.found.useful
        yield measured(law)
        for name, tree in law.defaults.items():
            yield _by_default(name, tree, law)
        if law.base > 1:
            yield f"the fewest processes allowed, {law.base}, have by definition 100 %"
        above = [p for p in self.found.points if p.efficiency > _WHOLE]
        if above:
            yield _above(law, above[0])
        if law.kind == "strong":
            yield (
                "the most useful count of processes is undecided"
                if useful is None
                else _useful(useful, law, self.found.unknown)
            )


def measured(law: ScalingLaw) -> str:
    """Return what stays the same over the processes, and what efficiency is."""
    few = f"T({law.base})" if law.base == 1 else f"{law.base}*T({law.base})"
    divided = f"{few} / (P*T(P))"
    if law.kind == "strong":
        return f"strong: the problem stays the same; efficiency is {divided}"
    same = [*law.fixed, *([f"{in_a_row(law.kept)} of a process"] if law.kept else [])]
    one = len(law.fixed + law.kept) == 1 and law.kept != ("flops",)
    stays = f"{' and '.join(same)} {'stays' if one else 'stay'} the same"
    if law.parts:
        less = f"less work on {law.measured} than {'one alone' if law.base == 1 else law.base}"
        never = f"a process never has {less} (proven up to 10^15)"
        if not law.never:
            never = f"at none of these counts a process has {less}"
        return f"weak: {stays if same else never}; efficiency is T({law.base}) / T(P)"
    grown = f"{stays} while {_grown(law)}" if same else _grown(law)
    return f"weak: {grown}; efficiency is {divided}, both for the problem of P"


def _by_default(name: str, tree: Expression, law: ScalingLaw) -> str:
    """Return what one process has of a number that follows the processes by default."""
    few = {each: number(count) for each, count in law.fewest.items()}
    own, value = text(tree), text(substitute(tree, few))
    alone = f"{in_words(law.base)} {'has' if law.base == 1 else 'have'} {name} = {value}"
    grows = f'for a problem that grows so, give it: -p "{name}={own}"'
    return f"{name} = {own} by default: {alone}; {grows}"


def _grown(law: ScalingLaw) -> str:
    """Return how the work of all grows with the processes."""
    if not law.measured or law.growth is None:
        return "the problem changes"
    flops = law.measured == "flops"
    what = "all flops" if flops else f"all work on {law.measured}"
    if law.growth == ONE:
        return f"{what} {'tend' if flops else 'tends'} to a constant"
    names = [symbol.name for symbol in free_symbols(law.growth)]
    grows = evaluate(law.growth, dict.fromkeys(names, 4)) > 1
    verb = "grow" if grows else "fall"
    return f"{what} {verb if flops else f'{verb}s'} as {text(law.growth)}"


def _above(law: ScalingLaw, point: ScalingPoint) -> str:
    """Return from where on all are faster than so many alone, and why, where it is known."""
    less = in_a_row(law.lessened(point.at))
    why = f": all together have less work on {less} than one alone" if less else ""
    return f"with {in_words(point.processes)} it is more than 100 %{why}"


def _useful(useful: MostUseful, law: ScalingLaw, unknown: Unknown) -> str:
    """Return from which count of processes on more do not help, as far as that is proven."""
    if useful.up_to is None:
        return f"the most useful count of processes is undecided{places.more(useful.proof)}"
    end = places.shown(useful.up_to, unknown)
    # What is open may count along one side of a grid only.
    tied = len(law.fewest) == 1 and bool(law.sides)
    if tied:
        end = f"{unknown.name} = {end}"
    if useful.count is None:
        more = f"a larger {unknown.name} still makes" if tied else "more processes still make"
        return f"{more} it faster at {end} (proven)"
    count = places.shown(useful.count, unknown)
    grid = f" ({' × '.join(map(str, useful.grid))})" if useful.grid else ""
    best = f"{unknown.name} = {count}" if tied else f"{count}{grid}"
    if not useful.complete:
        up_to = end if tied else f"{end} processes"
        beyond = f"beyond is undecided{places.more(useful.proof)}"
        return f"up to {up_to} none are faster than {best}, proven; {beyond}"
    if useful.ends and useful.count == useful.up_to:
        return f"no count is faster than {best}, the most the model allows (proven)"
    most = f"up to {end}{', the most the model allows' if useful.ends else ''}"
    if grid and useful.ends:
        most = "for all grids that the model allows"
    if tied:
        return f"beyond {best} it is never faster (proven {most})"
    more = f"process{grid} never makes" if useful.count == 1 else f"processes{grid} never make"
    return f"more than {count} {more} it faster (proven {most})"


def _sizes(iso: Isoefficiency, name: str) -> Table:
    title = _kept(iso)
    rows: list[list[Cell]] = [["processes", iso.unknown.name]]
    rows += [[Quantity(each.processes), _size(each, iso)] for each in iso.sizes]
    return tabular(title.capitalize(), label(name, "sizes"), rows, head=title)


def _kept(iso: Isoefficiency) -> str:
    wanted = show_percent(float(iso.efficiency), 6)
    return f"least {iso.unknown.name} that keeps an efficiency of {wanted}"


def _size(each: LeastSize, iso: Isoefficiency) -> Cell:
    if each.size is not None:
        return Quantity(each.size, iso.unknown.dimension, 6)
    return f"none up to {places.shown(each.last, iso.unknown)}" if each.proven else "undecided"
