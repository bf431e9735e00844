"""What binds where while another parameter is open: N*(P), and its regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.open_contest import OpenRoot, OpenStretch
from roofdsl.analysis.open_regimes import OpenRegimes
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer import places
from roofdsl.answer.blocks import Block, Equation, Equations, Form, Text, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.head import answered
from roofdsl.answer.plain import Json, as_json, number
from roofdsl.answer.titles import notes_blocks, on, parameters_text
from roofdsl.numeric.place import Place


@dataclass(frozen=True, slots=True)
class OpenCrossoverAnswer:
    """What binds over the ranges of an unknown and of one other parameter."""

    found: tuple[OpenRegimes, ...]
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        first = self.found[0]
        names = _Names(self.found)
        own: dict[str, Json] = {
            "unknown": first.unknown.name,
            "range": as_json((first.low, first.high)),
            "other": first.other.name,
            "other_range": as_json((first.first, first.last)),
            "answers": [
                {
                    "steps": as_json(found.steps),
                    "stretches": [_stretch_values(each, found, names) for each in found.stretches],
                    **places.proof_values(found),
                }
                for found in self.found
            ],
            "roots": [
                {
                    "name": name,
                    "before": as_json(root.before),
                    "after": as_json(root.after),
                    "closed_form": as_json(root.closed_form),
                }
                for root, name in names.items()
            ],
        }
        units = {each.name: each.dimension for each in (first.unknown, first.other)}
        return answered("open_crossovers", self.prediction, own, {"unknown": units})

    def blocks(self) -> list[Block]:
        first, names = self.found[0], _Names(self.found)
        ranges = ", ".join(
            f"{unknown.name} in {places.shown(low, unknown)} .. {places.shown(high, unknown)}"
            for unknown, low, high in (
                (first.unknown, first.low, first.high),
                (first.other, first.first, first.last),
            )
        )
        settings = parameters_text(self.prediction)
        title = f"{on(self.prediction)}: crossovers, {ranges}   {settings}".rstrip()
        blocks: list[Block] = [Text(title)]
        whole, *steps = self.found
        blocks += self._one(whole, names)
        if steps and not whole.complete:
            blocks.append(Text(f"give {first.other.name} a value to ask what binds the whole"))
        for found in steps:
            if not _is_constant(found):
                blocks += self._one(found, names)
        if names:
            place = label(on(self.prediction), "crossovers in", first.unknown.name)
            items = tuple(_equation(root, name) for root, name in names.items())
            head = "where the bound changes: both take equally long there"
            blocks.append(Equations(f"Crossovers of {on(self.prediction)}", place, items, head))
        return [*blocks, *notes_blocks(self.prediction.notes)]

    def _one(self, found: OpenRegimes, names: _Names) -> Iterator[Block]:
        if not found.stretches:
            yield Text(f"no {found.other.name} is allowed in the range")
            return
        rows: list[list[Cell]] = [[found.other.name, "bound", "where"]]
        for stretch in found.stretches:
            where = places.span(stretch, found.other)
            for bound, span in _rows(stretch, found, names):
                rows.append([where, bound, span])
                where = ""
        steps = ", ".join(found.steps)
        of = f"{steps} in {on(self.prediction)}" if steps else on(self.prediction)
        caption = f"Regimes of {of} over {found.unknown.name} and {found.other.name}"
        yield tabular(caption, label(of, "regimes", found.unknown.name), rows, head=steps)
        yield places.proof(found.proof, found.other)


class _Names(dict[OpenRoot, str]):
    """The names of the roots of an answer: `N*` of a single one, else `N1*`, `N2*`, …"""

    def __init__(self, answers: tuple[OpenRegimes, ...]) -> None:
        name = answers[0].unknown.name
        stretches = (stretch for found in answers for stretch in found.stretches)
        roots = dict.fromkeys(root for stretch in stretches for root in stretch.roots)
        for place, root in enumerate(roots, 1):
            self[root] = f"{name}{place if len(roots) > 1 else ''}*"


def _is_constant(found: OpenRegimes) -> bool:
    """Whether the same binds everywhere."""
    return len(found.stretches) == 1 and len(found.stretches[0].bounds) == 1


def _equation(root: OpenRoot, name: str) -> Equation:
    if root.closed_form is None:
        remark = f"no closed form; {' and '.join(root.before)} → {' and '.join(root.after)} there"
        return Equation(name, "", (), remark)
    return Equation(name, "", (Form("=", root.closed_form),))


def _parts(
    stretch: OpenStretch, found: OpenRegimes, names: _Names
) -> Iterator[tuple[tuple[str, ...], Place | str, Place | str]]:
    """Yield what binds from where to where: numbers, or names of roots."""
    ends: list[Place | str] = [found.low, *(names[root] for root in stretch.roots), found.high]
    if stretch.tied:
        yield stretch.tied, found.low, found.low
    yield from zip(stretch.bounds, ends, ends[1:], strict=False)


def _rows(stretch: OpenStretch, found: OpenRegimes, names: _Names) -> Iterator[tuple[str, str]]:
    """Yield what binds, and where, in words."""
    unknown = found.unknown
    if stretch.exact is not None:
        for regime in stretch.exact.regimes:
            yield places.verdict(regime.labels, regime.kind), places.span(regime, unknown)
    elif not stretch.bounds:
        yield places.verdict(found.rivals, "undecided"), places.whole(found)
    for bound, begin, end in _parts(stretch, found, names):
        if begin == end:
            span = f"at {unknown.name} = {_end(begin, unknown)}"
        else:
            first = "<" if isinstance(begin, str) or (stretch.tied and begin == found.low) else "≤"
            last = "<" if isinstance(end, str) else "≤"
            span = f"for {_end(begin, unknown)} {first} {unknown.name} {last} {_end(end, unknown)}"
        yield " and ".join(bound), span


def _end(end: Place | str, unknown: Unknown) -> str:
    return end if isinstance(end, str) else places.shown(end, unknown)


def _stretch_values(stretch: OpenStretch, found: OpenRegimes, names: _Names) -> Json:
    regimes: list[Json]
    if stretch.exact is not None:
        regimes = [
            {
                "from": number(each.first),
                "to": number(each.last),
                "ties": as_json(each.labels),
                "kind": each.kind,
            }
            for each in stretch.exact.regimes
        ]
    elif not stretch.bounds:
        ends: dict[str, Json] = {"from": number(found.low), "to": number(found.high)}
        regimes = [{**ends, "ties": as_json(found.rivals), "kind": "undecided"}]
    else:
        regimes = [
            {
                "from": as_json(begin),
                "to": as_json(end),
                "ties": as_json(bound),
                "kind": "tie" if len(bound) > 1 else "largest",
            }
            for bound, begin, end in _parts(stretch, found, names)
        ]
    return {**places.span_values(stretch), "regimes": regimes}
