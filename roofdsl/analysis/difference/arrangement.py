"""How the steps of two models are arranged: which there are, in what order, in which blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from roofdsl.analysis.difference.change import Change, formula, words
from roofdsl.analysis.difference.sides import ModelSide
from roofdsl.expression.tree import ONE, Conditional, Expression
from roofdsl.model.loop import CHOICES
from roofdsl.model.types import Part, Repeat, Step
from roofdsl.typeset.text import text
from roofdsl.units.dimension import DIMENSIONLESS


class PlacedStep(NamedTuple):
    """A step with its path as in a breakdown, `overlap.bwd`, and the number of its block."""

    step: Step
    path: str
    block: int


@dataclass(frozen=True, slots=True)
class StepBlock:
    """An overlap, or a repeat or its like, in the block `outer`.

    `count` is None where nothing is counted. `steps` are the names of all steps in it. The model
    itself is block 0. Of an `iterate` so many rounds are kept at once as `keeping` says.
    """

    count: Expression | None
    outer: int
    steps: list[str]
    parts: int
    word: str = "overlap"
    keeping: Expression = ONE

    def title(self) -> str:
        if self.count is None or self.word == "else":
            return self.word
        if isinstance(self.count, Conditional) and self.word == "if":
            return f"if {text(self.count.condition)}"
        kept = "" if self.keeping is ONE else f" keeping {text(self.keeping)}"
        return f"{self.word} {text(self.count)}{kept}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The steps of one model by name, in the order written, and the blocks they are in."""

    steps: dict[str, PlacedStep]
    blocks: list[StepBlock]


def layout(parts: Sequence[Part]) -> Layout:
    """Return the steps of a model, not those inside the models they call, and their blocks."""
    found = Layout({}, [StepBlock(None, 0, [], len(parts))])

    def visit(parts: Sequence[Part], path: str, block: int, around: tuple[int, ...]) -> None:
        for part in parts:
            if isinstance(part, Step):
                found.steps[part.name] = PlacedStep(part, path + part.name, block)
                for number in around:
                    found.blocks[number].steps.append(part.name)
                continue
            number = len(found.blocks)
            name = part.word if isinstance(part, Repeat) else "overlap"
            count = part.times if isinstance(part, Repeat) and name != "recompute" else None
            keeping = part.keeping if isinstance(part, Repeat) else ONE
            found.blocks.append(StepBlock(count, block, [], len(part.parts), name, keeping))
            inside = path if name in CHOICES else f"{path}{name}."
            visit(part.parts, inside, number, (*around, number))

    visit(parts, "", 0, (0,))
    return found


def arrangement(
    old: Layout, new: Layout, renamed: Mapping[str, str], one: ModelSide, other: ModelSide
) -> Iterator[Change]:
    """Yield the steps and blocks that differ, each with its place; `renamed`: new names to old."""
    back = {name: renamed.get(name, name) for name in new.steps}
    for name, placed in old.steps.items():
        if name not in back.values():
            yield Change("removed", "step", "", detail=_call(placed.step), places=(placed.path,))
    for name, placed in new.steps.items():
        if name in renamed:
            detail = f"{renamed[name]} → {name}"
            yield Change("renamed", "step", "", detail=detail, places=(placed.path,))
        elif name not in old.steps:
            yield Change("added", "step", "", detail=_call(placed.step), places=(placed.path,))
    matched = _matched(old, new, back)
    yield from _blocks(old, new, matched, one, other)
    kept = {name: old.steps[back[name]] for name in new.steps if back[name] in old.steps}
    in_place: list[str] = []
    for name, first in kept.items():
        placed = new.steps[name]
        block = matched.get(placed.block)
        # A step whose block itself came or went did not move by itself.
        if block is None or block == first.block or first.block not in matched.values():
            in_place.append(name)
        else:
            places = first.path, placed.path
            yield Change("moved", "step", "", detail=" → ".join(places), places=places[1:])
    yield from _other_order(old, new, back, in_place)


def _call(step: Step) -> str:
    return "written in place" if step.in_place else f"calls {step.model.name}"


def _matched(old: Layout, new: Layout, back: Mapping[str, str]) -> dict[int, int]:
    """Return the blocks of the new model with those of the old one that have most steps in common.

    Blocks of one sort come before others; an outer block before an inner one.
    """
    found = {0: 0}
    for number, block in enumerate(new.blocks[1:], start=1):
        mine = {back[name] for name in block.steps}
        ranks: dict[int, tuple[int, bool, int]] = {}
        for candidate, first in enumerate(old.blocks[1:], start=1):
            common = len(mine.intersection(first.steps))
            alike = first.word == block.word
            if common and candidate not in found.values():
                ranks[candidate] = common, alike, -len(first.steps)
        if ranks:
            found[number] = max(ranks, key=ranks.__getitem__)
    return found


def _blocks(
    old: Layout, new: Layout, matched: Mapping[int, int], one: ModelSide, other: ModelSide
) -> Iterator[Change]:
    for number, block in enumerate(old.blocks):
        if number not in matched.values():
            yield Change("removed", block.title(), f"of {_listed(block.steps)}")
    for number, block in enumerate(new.blocks):
        name = f"of {_listed(block.steps)}"
        if number not in matched:
            yield Change("added", block.title(), name)
            continue
        first = old.blocks[matched[number]]
        if first.count is None or block.count is None or first.word != block.word:
            yield from words("arrangement", name, first.title(), block.title())
        elif block.word != "else":  # it is as its `if`
            counts = one.expand(first.count), other.expand(block.count)
            what = {"job": "weight", "if": "runs"}.get(block.word, f"{block.word} count")
            yield from formula(what, name, DIMENSIONLESS, *counts)
            kept = one.expand(first.keeping), other.expand(block.keeping)
            yield from formula("rounds kept at once", name, DIMENSIONLESS, *kept)
        if number and matched.get(block.outer, -1) != first.outer:
            yield Change("moved", block.title(), name, detail="it stands in another block")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return f"{shown} and {len(names) - 4} more" if len(names) > 4 else shown or "nothing"


def _other_order(
    old: Layout, new: Layout, back: Mapping[str, str], after: Sequence[str]
) -> Iterator[Change]:
    """Yield the steps that come after others than before, of those that stay in their block."""
    order = [back[name] for name in after]
    kept = set(order)
    before = [name for name in old.steps if name in kept]
    matcher = SequenceMatcher(None, before, order, autojunk=False)
    in_order = {order[m.b + i] for m in matcher.get_matching_blocks() for i in range(m.size)}
    for place, name in enumerate(after):
        if back[name] not in in_order:
            detail = f"now after {after[place - 1]}" if place else "now the first"
            yield Change("moved", "step", "", detail=detail, places=(new.steps[name].path,))
