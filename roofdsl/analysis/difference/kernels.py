"""Two kernels compared: work, stated time, operation; and what any model may state beside steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from roofdsl.analysis.difference.change import (
    Amounts,
    Change,
    formula,
    formulas,
    presence,
    resources,
    words,
)
from roofdsl.analysis.difference.sides import ModelSide
from roofdsl.analysis.intensity import is_zero
from roofdsl.expression.construct import add
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.kept import Tensor
from roofdsl.model.types import ModelDefinition, Work
from roofdsl.typeset.text import text
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, SECOND, Dimension


def stated(one: ModelSide, other: ModelSide) -> Iterator[Change]:
    """Yield what differs in tallies, tensors, and in the work of all processes together."""
    yield from formulas("tally", _tallies(one), _tallies(other))
    yield from _tensors(one, other)
    yield from formulas("total", *(_work(side, side.definition.totals) for side in (one, other)))
    evenly = ["even" if side.definition.even else "" for side in (one, other)]
    yield from words("total", "", *evenly)
    yield from formulas("metric", *(_metrics(side, truths=False) for side in (one, other)))
    told = [_metrics(side, truths=True) for side in (one, other)]
    for name in dict.fromkeys([*told[0], *told[1]]):
        yield from words("metric", name, *(text(x[name][0]) if name in x else "" for x in told))


def _metrics(side: ModelSide, *, truths: bool) -> Amounts:
    return {
        item.name: (side.expand(item.formula.tree), item.formula.dimension)
        for item in side.definition.metrics
        if item.formula.truth == truths
    }


def _tensors(one: ModelSide, other: ModelSide) -> Iterator[Change]:
    """Yield the tensors of one word and place that differ, and what is kept between steps."""
    for word in ("in", "out", "keep", "hold"):
        both = ([x for x in side.definition.tensors if x.word == word] for side in (one, other))
        for before, after in zip_longest(*both):
            name = f"{word} {(after or before).name}"
            sizes = (_size(before, one), _size(after, other))
            if word != "hold":  # they are compared as tallies
                yield from formula("tensor", name, BYTE, *sizes)
            if before and after:
                told = (_told(before, one.definition), _told(after, other.definition))
                yield from words("tensor", name, *told)
    told_between = [[x for x in each.definition.keeps if x.size is None] for each in (one, other)]
    yield from presence("keep", *([_between(*x[2:4]) for x in each] for each in told_between))
    sized = [
        {
            f"{x.name} from {_between(*x[2:4])}": (side.expand(x.size), BYTE)
            for x in side.definition.keeps
            if x.size is not None
        }
        for side in (one, other)
    ]
    yield from formulas("keep", *sized)


def _size(tensor: Tensor | None, side: ModelSide) -> Expression | None:
    return None if tensor is None or tensor.size is None else side.expand(tensor.size)


def _told(tensor: Tensor, model: ModelDefinition) -> str:
    read = [x.name for x in model.tensors if x.word == "in"]
    place = f"in the storage of in {read.index(tensor.of) + 1}" if tensor.of else ""
    said = ("kept" if tensor.kept else "not kept", "from here" if tensor.here else "", place)
    return ", ".join(filter(None, said))


def _between(begins: tuple[str, ...], ends: tuple[str, ...]) -> str:
    return f"{'.'.join(begins)} to {'.'.join(ends)}"


def _tallies(side: ModelSide) -> Amounts:
    return {
        item.name: (side.expand(item.formula.tree), item.formula.dimension)
        for item in side.definition.tallies
    }


def kernel(one: ModelSide, other: ModelSide) -> Iterator[Change]:
    """Yield what differs between two kernels."""
    old, new = one.definition, other.definition
    yield from resources((w.resource for w in old.work), (w.resource for w in new.work))
    yield from formulas("work", *(_work(side, side.definition.work) for side in (one, other)))
    times = [
        None if s.definition.time is None else s.expand(s.definition.time) for s in (one, other)
    ]
    yield from formula("stated time", "", SECOND, *times)
    yield from words("memory that counts", "", _counted(old), _counted(new))
    yield from words("bound of the stated time", "", _first(old), _first(new))
    yield from words("operation", "", _operation(old), _operation(new))
    if old.operation and new.operation and old.operation.name == new.operation.name:
        arguments = [
            {name: (side.expand(tree), DIMENSIONLESS) for name, tree in operation.arguments.items()}
            for side, operation in ((one, old.operation), (other, new.operation))
        ]
        yield from formulas(f"argument of {new.operation.name}:", *arguments)


def _work(side: ModelSide, items: tuple[Work, ...]) -> Amounts:
    """Return work by resource; work of 0 is left out, unless a level or a time needs its name."""
    found: dict[str, tuple[Expression, Dimension]] = {}
    for item in items:
        tree = side.expand(item.value)
        if is_zero(tree) and "." not in item.key and side.definition.time is None:
            continue
        name = item.key if item.selector is None else f"{item.key}[{_kind(item.selector, side)}]"
        if name in found:  # two of one kind, by precisions that are the same here
            tree = add(found[name][0], tree)
        found[name] = tree, item.resource.dimension
    return found


def _kind(selector: str, side: ModelSide) -> str:
    tree = side.values.get(selector)
    return tree.name if isinstance(tree, Symbol) else selector if tree is None else text(tree)


def _counted(model: ModelDefinition) -> str:
    """Return the level that a kernel's memory traffic is counted at, where the order says so."""
    levels = [item.key for item in model.work if item.resource.name == "memory"]
    return levels[-1] if len(levels) > 1 and "memory" not in levels else ""


def _first(model: ModelDefinition) -> str:
    """Return the resource that a stated time is charged to: the one stated first."""
    return model.work[0].key if model.time is not None and len(model.work) > 1 else ""


def _operation(model: ModelDefinition) -> str:
    return "" if model.operation is None else f"as {model.operation.name}"
