"""Which kind of work on what binds a prediction takes most of its time.

Kinds of flops share one part of a machine, so that their times add up, and so do those of resources
that share. The law says what each is charged where they are resources of their own that are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from roofdsl.analysis.algebra import Algebra, ByName
from roofdsl.analysis.algebras import Constants, Floats, Formulas
from roofdsl.analysis.composition import composed
from roofdsl.analysis.load import Load
from roofdsl.analysis.margin import Rivalry
from roofdsl.analysis.node import Node
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.tree import Expression

V = TypeVar("V")
C = TypeVar("C")


def bound_kind(rivalry: Rivalry) -> str | None:
    """Return the largest kind of work on the bound, as `flops.matrix.bf16`; None without a bound.

    Of equals it is the first declared, as of bounds. What does one kind of work is that kind.
    """
    prediction, bound = rivalry.prediction, rivalry.parts.bound
    if bound is None:
        return None
    names = prediction.kinds_within.get(bound, [bound])
    if len(names) < 2:
        return names[0]
    root, composing = apart(prediction.root), rivalry.composing
    floats = Floats(rivalry.amounts, prediction.rate_values)
    ties = _largest(names, composed(root, floats, composing).charged, floats)
    if floats.close:
        exact = Constants(prediction.rates, rivalry.known)
        ties = _largest(names, composed(root, exact, composing).charged, exact)
    return ties[0] if ties else names[0]


def several_kinds(prediction: Prediction) -> dict[str, list[str]]:
    """Return the kinds of work in what may bind, where there are several."""
    return {name: kinds for name, kinds in prediction.kinds_within.items() if len(kinds) > 1}


def holder_of(prediction: Prediction, kind: str) -> str:
    """Return what binds where a kind of work may be the largest on the bound."""
    within = prediction.kinds_within.items()
    return next((name for name, kinds in within if kind in kinds), kind)


def times_of_kinds(prediction: Prediction, holder: str) -> dict[str, Expression]:
    """Return the times of several kinds of work as formulas that are right where these bind."""
    root = apart(prediction.root)
    if prediction.is_kernel:  # what binds it is charged its whole busy time
        times = composed(root, Formulas(), charging=False).busy
    else:
        times = composed(root, Formulas()).charged
    return {name: times[name] for name in prediction.kinds_within[holder]}


def _largest(names: Sequence[str], charged: ByName[V], algebra: Algebra[V, C]) -> tuple[str, ...]:
    return algebra.ties({name: charged[name] for name in names if name in charged})


def apart(root: Node) -> Node:
    """Return a tree in which each kind of work has a name of its own.

    It is joined with those that it adds up with.
    """
    return _Apart().node(root)


class _Apart:
    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, Node]] = {}
        self._loads: dict[int, tuple[object, tuple[Load, ...]]] = {}

    def node(self, node: Node) -> Node:
        found = self._known.get(id(node))
        if found is None:  # what was placed once stays one, and so do its parts
            loads, children = self._of_loads(node.loads), node.children
            if children:
                children = tuple(map(self.node, children))
            found = self._known[id(node)] = node, replace(node, loads=loads, children=children)
        return found[1]

    def _of_loads(self, loads: tuple[Load, ...]) -> tuple[Load, ...]:
        found = self._loads.get(id(loads))
        if found is None:
            found = self._loads[id(loads)] = loads, tuple(map(_apart, loads))
        return found[1]


def _apart(load: Load) -> Load:
    return replace(load, unit=load.key, joins=load.joins or (load.group,))
