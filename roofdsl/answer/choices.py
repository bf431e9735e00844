"""Sweeps over what chooses among formulas, precisions and truth values: one for each choice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofdsl.allowance import check_numbers
from roofdsl.analysis.algebra import ByName
from roofdsl.answer.arrays import array_of, shape_of
from roofdsl.answer.axes import axes_of
from roofdsl.answer.gaps import nothing_of, with_gaps
from roofdsl.answer.left_out import LeftOut, check_left_out, is_refusal
from roofdsl.answer.swept import Sweep
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.given import is_several
from roofdsl.numeric.array_program import Array

if TYPE_CHECKING:
    from roofdsl.answer.asked import ModelOnMachine

_OF_A_POINT = 20
"""The place of a point, and the choice that it is of, take the memory of so many numbers."""
_Part = tuple[NDArray[np.intp], Sweep]
"""A sweep with one choice, and where its points stand among all."""


def swept_by_choice(
    asked: ModelOnMachine, values: Mapping[str, object], choosing: Sequence[str], *, skip: bool
) -> Sweep:
    """Return a sweep in which those of `choosing` have several values: one for each choice, joined.

    Raises RoofError for no values at all (R0404), and as each sweep does. Points that are refused
    are left out if they are to be skipped, unless all are.
    """
    several = {name: value for name, value in values.items() if is_several(value)}
    arrays = {
        name: array_of(name, value) if name in choosing else asked.numbers(name, value)
        for name, value in several.items()
    }
    for name in choosing:
        if not arrays[name].size:
            raise RoofError([Diagnostic("R0404", f"{name} is given no values")])
    shapes = {name: array.shape for name, array in arrays.items()}
    shape = shape_of(shapes)
    check_numbers(math.prod(shape) * _OF_A_POINT, f"'{asked.model.name}'")
    spread = {name: np.broadcast_to(array, shape).ravel() for name, array in arrays.items()}
    points: dict[tuple[object, ...], list[int]] = {}
    for place, choice in enumerate(zip(*(spread[x].tolist() for x in choosing), strict=True)):
        points.setdefault(choice, []).append(place)
    if not points:  # something else has no values: a choice is made, of no points
        points[tuple(arrays[name].ravel().tolist()[0] for name in choosing)] = []
    parts: list[_Part] = []
    refused: dict[int, RoofError] = {}
    for choice, listed in points.items():
        places = np.array(listed, dtype=np.intp)
        chosen = dict(zip(choosing, choice, strict=True))
        given = {name: spread[name][places] for name in several if name not in chosen}
        try:
            sweep = asked.sweep({**values, **given, **chosen}, skip=skip)
        except RoofError as error:
            if not skip or not is_refusal(error):
                raise
            for place, at in enumerate(listed):
                point = {name: array[place] for name, array in given.items()}
                refused[at] = _refusal(asked, {**values, **chosen, **point})
        else:
            parts.append((places, sweep))
            errors = [each.error for each in sweep.left_out]
            refused |= zip(places[~sweep.answered].tolist(), errors, strict=True)
    if not refused:
        return _Joining(parts, shape).sweep(axes_of(shapes, shape))
    left_out = [
        LeftOut(asked.machine.name, {x: str(spread[x][at]) for x in several}, refused[at])
        for at in sorted(refused)
    ]
    check_left_out(left_out, spread[choosing[0]].size, skip=True)
    gone = np.zeros(spread[choosing[0]].size, np.bool_)
    gone[[*refused]] = True
    own = {name: np.array(array.tolist()).reshape(shape) for name, array in spread.items()}
    joined = _Joining(parts, shape).sweep(axes_of(shapes, shape))
    return with_gaps(joined, gone.reshape(shape), left_out, own)


def _refusal(asked: ModelOnMachine, point: Mapping[str, object]) -> RoofError:
    """Return why a point is refused."""
    try:
        asked.evaluate(point)
    except RoofError as error:
        return error
    raise AssertionError("a point without an answer in a sweep has one by itself")


class _Joining:
    """Puts the points of several sweeps in their places."""

    def __init__(self, parts: Sequence[_Part], shape: tuple[int, ...]) -> None:
        self.parts = parts
        self.sweeps = [sweep for _, sweep in parts]
        self.shape = shape
        self.order = np.concatenate([places for places, _ in parts])

    def sweep(self, axes: tuple[str, ...]) -> Sweep:
        first = self.sweeps[0]
        labels = tuple(dict.fromkeys(name for each in self.sweeps for name in each.labels))
        kinds = self._kinds()
        notes = dict.fromkeys(note for each in self.sweeps for note in each.prediction.notes)
        return replace(
            first,
            parameters=self._table([each.parameters for each in self.sweeps]),
            flops=self._joined([each.flops for each in self.sweeps]),
            memory=self._joined([each.memory for each in self.sweeps]),
            network=self._joined([each.network for each in self.sweeps]),
            time=self._joined([each.time for each in self.sweeps]),
            times=self._table([each.times for each in self.sweeps], 0.0),
            charged=self._table([each.charged for each in self.sweeps], 0.0),
            tallies=self._table([each.tallies for each in self.sweeps]),
            own_work=self._table([each.own_work for each in self.sweeps]),
            metrics=self._table([each.metrics for each in self.sweeps]),
            spent=self._table([each.spent for each in self.sweeps]),
            prediction=replace(first.prediction, notes=tuple(notes)),
            limit=self._limit(),
            labels=labels,
            places=self._joined([_renamed(x.places, x.labels, labels) for x in self.sweeps]),
            unanswered={name: why for each in self.sweeps for name, why in each.unanswered.items()},
            most=self._most(kinds),
            axes=axes,
            kinds=kinds,
            all_totals=self._table([each.totals for each in self.sweeps]),
        )

    # Of numbers, names or truth values, whatever a sweep holds.
    def _joined(self, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Return the points of all in their places."""
        flat = np.concatenate(
            [
                np.broadcast_to(array, places.shape)
                for array, (places, _) in zip(arrays, self.parts, strict=True)
            ]
        )
        found = np.empty_like(flat)
        if (size := math.prod(self.shape)) > flat.size:  # some points are of no sweep
            nothing = nothing_of(flat)
            found = np.full(size, nothing, np.result_type(flat, nothing))
        found[self.order] = flat
        return found.reshape(self.shape)

    def _table(
        self, tables: Sequence[Mapping[str, NDArray[Any]]], missing: float = np.nan
    ) -> ByName[NDArray[Any]]:
        """Return arrays by name; a sweep without one of them has what is `missing`."""
        none, names = np.array(missing), dict.fromkeys(name for each in tables for name in each)
        return {name: self._joined([each.get(name, none) for each in tables]) for name in names}

    def _limit(self) -> float | Array | None:
        limits = [each.limit for each in self.sweeps]
        known = [np.asarray(each) for each in limits if each is not None]
        return self._joined(known) if len(known) == len(limits) else None

    def _kinds(self) -> dict[str, list[str]]:
        """Return the kinds of work on each bound, those of all choices."""
        found: dict[str, dict[str, None]] = {}
        for each in self.sweeps:
            for name, kinds in each.kinds.items():
                found.setdefault(name, {}).update(dict.fromkeys(kinds))
        return {name: [*kinds] for name, kinds in found.items()}

    def _most(self, kinds: Mapping[str, Sequence[str]]) -> dict[str, NDArray[np.int8]]:
        found: dict[str, NDArray[np.int8]] = {}
        for name in (name for name, all_kinds in kinds.items() if len(all_kinds) > 1):
            first = np.array(0, np.int8)
            own = [
                _renamed(each.most.get(name, first), each.kinds.get(name, kinds[name]), kinds[name])
                for each in self.sweeps
            ]
            found[name] = self._joined(own)
        return found


def _renamed(
    places: NDArray[np.int8], labels: Sequence[str], into: Sequence[str]
) -> NDArray[np.int8]:
    """Return places among labels as those among others; -1 stays what it is."""
    found = np.array([*(into.index(label) for label in labels), -1], np.int8)
    return np.asarray(found[places])
