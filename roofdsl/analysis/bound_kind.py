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
from roofdsl.analysis.node import Node, with_loads
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
    ties = _largest(bound, names, composed(root, floats, composing).charged, floats)
    if floats.close:
        exact = Constants(prediction.rates, rivalry.known)
        ties = _largest(bound, names, composed(root, exact, composing).charged, exact)
    return ties[0] if ties else names[0]


def several_kinds(prediction: Prediction) -> dict[str, list[str]]:
    """Return the kinds of work in what may bind, where there are several."""
    return {name: kinds for name, kinds in prediction.kinds_within.items() if len(kinds) > 1}


def holders_of(prediction: Prediction, kind: str) -> list[str]:
    """Return what binds where a kind of work may be the largest on the bound.

    Messages add to the link by which each kernel sends.
    """
    within = prediction.kinds_within.items()
    return [name for name, kinds in within if kind in kinds] or [kind]


def part_of(holder: str, kind: str) -> str:
    """Return what a kind of work on what may bind is called in a tree that has kinds `apart`."""
    return f"{kind} of {holder}"


def times_of_kinds(prediction: Prediction, holder: str) -> dict[str, Expression]:
    """Return the times of several kinds of work as formulas that are right where these bind."""
    root = apart(prediction.root)
    if prediction.is_kernel:  # what binds it is charged its whole busy time
        times = composed(root, Formulas(), charging=False).busy
    else:
        times = composed(root, Formulas()).charged
    return _parts(holder, prediction.kinds_within[holder], times)


def _largest(
    bound: str, names: Sequence[str], charged: ByName[V], algebra: Algebra[V, C]
) -> tuple[str, ...]:
    return algebra.ties(_parts(bound, names, charged))


def _parts(holder: str, kinds: Sequence[str], times: ByName[V]) -> dict[str, V]:
    """Return the times of kinds of work on what may bind, of those that have one."""
    parts = {kind: part_of(holder, kind) for kind in kinds}
    return {kind: times[part] for kind, part in parts.items() if part in times}


def apart(root: Node) -> Node:
    """Return a tree in which each kind of work has a name of its own.

    It is joined with those that it adds up with.
    """
    return with_loads(root, _apart)


def _apart(load: Load) -> Load:
    unit = part_of(load.group, load.key)
    return replace(load, unit=unit, joins=load.joins or (load.group,))
