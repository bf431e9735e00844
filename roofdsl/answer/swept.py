"""A prediction over arrays of parameter values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.energy import Spends
from roofdsl.analysis.intensity import QUANTITIES, intensity_of, quantities
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.left_out import LeftOut
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.tally import has_to_fit
from roofdsl.numeric.array import evaluate
from roofdsl.numeric.array_program import Array
from roofdsl.read_only import unchanging
from roofdsl.unchanging import Unchanging


@dataclass(frozen=True, slots=True, eq=False)
class Sweep(Spends[Array], Unchanging):
    """A model on a machine over arrays, in SI base units; every attribute has one shape.

    `parameters` have precisions by name, and truth values as such. `times` are by what overlaps,
    `charged` is the time by what it is bound by, `tallies` are by name, `prediction` has all
    formulas. `places` says of each point which of the `labels` is the bound, -1 where there is no
    work; `most` says the same of the kinds of work on a bound that has several. `limit` is the
    machine's capacity [B]; `own_work` is the work on each resource that a file declares. `metrics`
    are those of the model that are answered, NaN where undefined; `unanswered` says why others are
    not; `spent` are energies [J] and the cost, as far as they are known. What follows from these is
    computed when it is asked for. `axes` are the names of the axes; `kinds` are the kinds of work
    on each bound, and `all_totals` the work of all processes where `prediction` does not have it.
    `left_out` are points that were refused, and are to be left out: numbers are NaN there.
    """

    model: str
    machine: str
    parameters: dict[str, NDArray[Any]]
    flops: Array
    memory: Array
    network: Array
    times: ByName[Array]
    time: Array
    charged: ByName[Array]
    tallies: ByName[Array]
    prediction: Prediction
    limit: float | Array | None
    labels: tuple[str, ...]
    places: NDArray[np.int8]
    own_work: ByName[Array]
    metrics: ByName[Array]
    unanswered: dict[str, str]
    spent: ByName[Array]
    most: dict[str, NDArray[np.int8]]
    axes: tuple[str, ...]
    kinds: dict[str, list[str]]
    all_totals: ByName[Array] | None = None
    left_out: tuple[LeftOut, ...] = ()

    @property
    @unchanging
    def answered(self) -> NDArray[np.bool_]:
        """Whether a point has an answer; those of `left_out`, in their order, have none."""
        return ~np.isnan(self.time)

    @property
    @unchanging
    def OI(self) -> Array:
        """Operational intensity [flop/B]; infinite where there is no memory traffic."""
        return _ratio(self.flops, self.memory)

    @property
    @unchanging
    def CAI(self) -> Array:
        """Communication arithmetic intensity [flop/B]."""
        return _ratio(self.flops, self.network)

    @property
    @unchanging
    def MI(self) -> Array:
        """Memory intensity [B/B]."""
        return _ratio(self.memory, self.network)

    @property
    @unchanging
    def intensity(self) -> Mapping[str, Array]:
        """Flops for each unit of work on each resource that a file declares."""
        return {name: _ratio(self.flops, work) for name, work in self.own_work.items()}

    @property
    @unchanging
    def quantities(self) -> Mapping[str, Array]:
        """The results by name: `OI`, `time`, `nvme`, `flops/nvme`."""
        own = {intensity_of(name): values for name, values in self.intensity.items()}
        found: ByName[Array] = {name: getattr(self, name) for name in QUANTITIES}
        known = {**self.own_work, **own, **found}
        return {name: known[name] for name in quantities(self.prediction.own)}

    @property
    @unchanging
    def attainable(self) -> Array:
        """Attainable performance [flop/s]."""
        return _ratio(self.flops, self.time)

    @property
    @unchanging
    def bound(self) -> NDArray[np.str_]:
        """The resource that binds at each point, by name; "" where there is no work."""
        return np.asarray(np.array([*self.labels, ""])[self.places])

    @property
    @unchanging
    def bound_kind(self) -> NDArray[np.str_]:
        """The kind of work that takes most of the time on the bound; "" where there is no work."""
        within = self.kinds
        named = np.array([*(within.get(name, [name])[0] for name in self.labels), ""], dtype=object)
        found = named[self.places]
        for name, places in self.most.items():
            here = self.bound == name
            found = np.where(here, np.array(within[name], dtype=object)[places], found)
        return np.asarray(found, dtype=str)

    @property
    @unchanging
    def shares(self) -> Mapping[str, Array]:
        """The part of the time that is charged to each resource, 0 where there is no time."""
        if self.charged:
            time = np.where(self.time > 0, self.time, np.inf)
            return {name: spent / time for name, spent in self.charged.items()}
        found = {name: self.places == n for n, name in enumerate(self.labels)}
        return {name: np.where(self.answered, here, np.nan) for name, here in found.items()}

    @property
    @unchanging
    def totals(self) -> Mapping[str, Array]:
        """The work of all processes by resource, where it is known."""
        if self.all_totals is not None:
            return self.all_totals
        size = np.shape(self.time)
        return {
            name: np.broadcast_to(evaluate(tree, self.parameters), size)
            for name, tree in self.prediction.together.items()
        }

    @property
    @unchanging
    def spending(self) -> Mapping[str, Array]:
        """What all processes take of energy [J], power [W] and money, as far as it is known."""
        found = {**self.spent}
        if "energy" in found:
            found["power"] = _ratio(found["energy"], self.time)
        return found

    @property
    @unchanging
    def fits(self) -> Mapping[str, NDArray[np.bool_]]:
        """Whether the peak, else the footprint, is within the capacity, where both are known."""
        name = has_to_fit(self.tallies)
        if self.limit is None or name is None:
            return {}
        return {name: self.tallies[name] <= self.limit}


def _ratio(above: Array, below: Array) -> Array:
    try:
        with np.errstate(all="raise", divide="ignore", invalid="ignore"):
            return np.asarray(above / below)
    except FloatingPointError:
        message = "a ratio at one of the points is beyond 1.8e308, or nearer to 0 than 2.2e-308"
        hint = "evaluate the points one by one to see which"
        raise RoofError([Diagnostic("R0407", message, hint=hint)]) from None
