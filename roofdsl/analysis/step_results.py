"""The steps of a result, each as the result of its model alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from roofdsl.analysis.algebras import Floats
from roofdsl.analysis.composition import Composed, Composing
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result, amounts_of, in_floats, result_at, result_of
from roofdsl.analysis.steps import StepPlace, step_prediction, steps_of
from roofdsl.analysis.totals import Totals, totals
from roofdsl.diagnostic import listing
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.scalar import evaluate
from roofdsl.read_only import ByName, ReadOnly, unchanging

R = TypeVar("R", bound=Result, covariant=True)


class StepsOf(ByName, Mapping[str, R]):
    """The steps of a prediction by name: what each model gives alone, once, on its device."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {listing(self)}>"

    def __dir__(self) -> list[str]:
        """What completion offers; the names of steps are completed behind `steps["`."""
        return [name for name in super().__dir__() if not name.startswith("_")]

    @abstractmethod
    def count(self, name: str) -> float:
        """Return how often a step runs in one run of the whole."""

    @abstractmethod
    def share(self, name: str) -> float:
        """Return the part of the time of the whole that is charged to a step, 0 if it is hidden.

        Where nothing takes time it is undefined: NaN.
        """


class StepResults(StepsOf[R]):
    """The steps of a result; `made` makes what is told of each from its result."""

    def __init__(self, whole: Result, made: Callable[[Result], R]) -> None:
        self._whole, self._made = whole, made
        rivalry = whole.rivalry
        self._places = ReadOnly({} if rivalry is None else steps_of(rivalry.prediction))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, name: str) -> R:
        return self._made(self._result(self._places[name]))

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def count(self, name: str) -> float:
        runs = self._places[name].runs
        assert self._whole.rivalry is not None  # or it has no steps
        return evaluate(substitute(runs, self._whole.rivalry.known), {})

    def share(self, name: str) -> float:
        step = self._places[name].node.name
        return ratio(self._charged.by_step.get(step, 0.0), self._charged.time)

    @cached_property
    def _charged(self) -> Composed[float]:
        """The whole with its time by step, which is worked out once it is asked for."""
        rivalry = self._whole.rivalry
        assert rivalry is not None
        prediction, composing, known = rivalry.prediction, rivalry.composing, rivalry.known
        return in_floats(prediction, rivalry.amounts, composing, known, by_step=True)

    @unchanging
    def _result(self, step: StepPlace) -> Result:
        rivalry = self._whole.rivalry
        assert rivalry is not None
        prediction = step_prediction(rivalry.prediction, step.node)
        known, model = rivalry.known, prediction.model
        own = [*(p.name for p in model.parameters), *(x.name for x in model.intermediates)]
        settled = (substitute(prediction.binding.trees[name], known) for name in own)
        values = {name: evaluate(tree, {}) for name, tree in zip(own, settled, strict=True)}
        # What `max` overlaps is the whole: its steps stay as written. A job is a whole of its own.
        as_written = rivalry.composing == "max" and not rivalry.prediction.is_mix
        composing: Composing = "written" if as_written else rivalry.composing
        part = step.part(self._whole.breakdown)
        if part is None:
            amounts = amounts_of(prediction, known)
            return result_at(prediction, amounts, values, composing, known)
        floats = Floats(rivalry.amounts, prediction.rate_values)
        together = Totals(totals(prediction.root, part, floats).work, ())
        return result_of(prediction, part, together, rivalry.amounts, values, composing, known)
