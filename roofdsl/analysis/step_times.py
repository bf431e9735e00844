"""The time of a composition in the times of its steps, as the law of composition puts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import Composed, composed
from roofdsl.analysis.node import Node
from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.substitute import rebuild
from roofdsl.expression.tree import Expression, Symbol


class StepTimes(NamedTuple):
    """A time in names such as `forward.time`, and what these stand for: one run of each step.

    Steps that are equal calls have one name, that of the first.
    """

    time: Expression
    steps: dict[str, Expression]


class _InParts(Formulas):
    """Formulas in which each part can be found again: sums in sums stay what they are."""

    def add(self, values: Sequence[Expression]) -> Expression:
        return trees.Add(tuple(values))

    def multiply(self, count: Expression, value: Expression) -> Expression:
        return trees.Multiply((count, value))

    def largest(self, values: Sequence[Expression]) -> Expression:
        return trees.Function("max", tuple(values))


def step_times(root: Node) -> StepTimes:
    """Return the time of what a tree of steps means, in the times of the steps that it calls."""
    whole = composed(root, _InParts(), charging=False)
    names: dict[int, Symbol] = {}
    steps: dict[str, Expression] = {}
    for step in called(whole.children):
        name = f"{step.name}.time"
        if id(step.time) not in names and not isinstance(step.time, trees.Number):
            names[id(step.time)] = Symbol(name, positive=False)
            steps[name] = step.time
    return StepTimes(_built(whole.time, names), {n: _built(t, {}) for n, t in steps.items()})


def called(parts: Sequence[Composed[Expression]]) -> Iterator[Composed[Expression]]:
    """Yield the steps of a part, those in its loops and overlaps among them."""
    for part in parts:
        if part.model:
            yield part
        else:
            yield from called(part.waited_for or part.children)


def _built(tree: Expression, names: dict[int, Symbol]) -> Expression:
    """Return a formula as it is written, parts by their names, sums in sums made one."""
    found: dict[int, Expression] = {}
    for node in bottom_up(tree, lambda each: () if id(each) in names else operands_of(each)):
        name = names.get(id(node))
        parts = () if name else tuple([found[id(each)] for each in operands_of(node)])
        found[id(node)] = name or rebuild(node, parts)
    return found[id(tree)]
