"""How a prediction is computed over arrays of parameter values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np

from roofdsl.allowance import check_numbers, computing
from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.binding import setting
from roofdsl.analysis.bound_kind import apart, part_of, several_kinds
from roofdsl.analysis.composition import composed
from roofdsl.analysis.metrics import metric_formulas, metric_parts
from roofdsl.analysis.plan import Plan
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result, needs_values
from roofdsl.analysis.totals import totals
from roofdsl.answer.arrays import shape_of
from roofdsl.answer.axes import axes_of
from roofdsl.answer.doubts import below_zero, failing, no_rate, refuted, working
from roofdsl.answer.gaps import with_gaps
from roofdsl.answer.left_out import LeftOut, check_left_out, is_refusal
from roofdsl.answer.swept import Sweep
from roofdsl.diagnostic import RoofError
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE
from roofdsl.model.tally import has_to_fit
from roofdsl.numeric.array import ArrayBlock, evaluate, in_blocks
from roofdsl.numeric.array_algebra import Recording
from roofdsl.numeric.array_program import Array, Program
from roofdsl.numeric.failure import EvaluationError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_COUNTED = ("flops", "memory", "network")


class SweepPlan:
    """What is computed at each point of a sweep, laid out once for a prediction.

    `slots` say where in the `program` each array is, by its kind and name; `labels` what may bind;
    `checked` are the slots that must have a value besides: settings, and what work is made of.
    With `by_points`, or where tables are looked up, each point is evaluated by itself.
    """

    def __init__(self, prediction: Prediction, *, by_points: bool = False) -> None:
        self.prediction = prediction
        self.by_points = by_points or prediction.unmeasured
        self.labels: list[str] = []
        self.slots: dict[tuple[str, str], int] = {}
        plan = Plan(prediction)
        metrics, self.unanswered = metric_formulas(prediction)
        trees = [substitute(tree, prediction.rates) for tree in metrics.values()]
        self.truths = {x.name for x in prediction.model.metrics if x.formula.truth}
        values = prediction.open_values
        parts = [substitute(tree, prediction.rates) for tree in metric_parts(prediction)]
        self.program = program = Program((*plan.formulas, *trees, *values.values(), *parts))
        first, last = len(plan.formulas), len(plan.formulas) + len(trees)
        places = [*program.results[:first]]
        own = zip(metrics, program.results[first:last], strict=True)
        opened = dict(zip(values, program.results[last : last + len(values)], strict=True))
        settings, checks = len(plan.amounts), len(plan.amounts) + len(plan.settings)
        # What is 0 of a metric hides in its formula that another factor is undefined.
        self.checked = [*places[settings:checks], *program.results[last + len(values) :]]
        for slot in places[checks:]:
            program.doubt(failing, slot)
        amounts = dict(zip(map(id, plan.amounts), places, strict=False))
        known = {id(ONE): program.constant(1.0), **amounts}
        for name, slot in opened.items():
            program.doubt(no_rate if name in prediction.rates else below_zero, slot)
        numbers = {**prediction.rate_values, **prediction.prices}
        algebra = Recording(program, known, numbers, opened)
        for tree, signed in zip(plan.amounts, plan.signed, strict=True):
            self.checked += algebra.of(tree)
            for slot in () if signed else algebra.signs(tree):
                program.doubt(below_zero, slot)
        self._compose(algebra)
        self._compare_kinds(algebra)
        self.slots |= {("metrics", name): slot for name, slot in own}

    def _compose(self, algebra: Recording) -> None:
        program, root = self.program, self.prediction.root
        # What a lone kernel is bound by follows from its busy times.
        alone = self.prediction.is_largest
        parts = composed(root, algebra, charging=not alone)
        for claim in totals(root, parts, algebra).claims:
            total, processes, work = map(algebra.slot, claim[1:])
            # The total's share of each process is no more than it, nor less than all can do.
            if work != program.known(np.divide, total, processes):
                program.doubt(refuted, total, processes, work)
        self.labels = [*parts.rivals]
        place = program.constant(np.int8(0))
        if parts.rivals and root.stated is None:
            tables = [{name: time} for name, time in parts.rivals.items()]
            place = algebra.choice([*parts.rivals.values()], tables)
        counted = {name: parts.counted[name] for name in _COUNTED if name in parts.counted}
        own = {name: parts.counted[name] for name in self.prediction.own if name in parts.counted}
        for kind, table in (
            ("", {"time": parts.time, **counted}),
            ("own", own),
            ("times", parts.busy),
            ("charged", parts.charged),
            ("tallies", parts.tallies),
            ("spent", self.prediction.spending_in(algebra, parts).amounts),
        ):
            for name, value in table.items():
                self.slots[kind, name] = algebra.slot(value)
        self.slots["", "bound"] = program.apply(working, place, self.slots["", "time"])

    def _compare_kinds(self, algebra: Recording) -> None:
        """Find which kind of work takes most of the time on each bound that has several."""
        several = several_kinds(self.prediction)
        if not several:
            return
        charged = composed(apart(self.prediction.root), algebra).charged
        for name, kinds in several.items():
            times = [charged.get(part_of(name, kind), algebra.zero) for kind in kinds]
            place = algebra.choice(times, [{kind: algebra.zero} for kind in kinds])
            self.slots["most", name] = place

    def sweep(
        self,
        arrays: Mapping[str, ArrayLike],
        at: Callable[[dict[str, float]], Result],
        *,
        skip: bool = False,
    ) -> Sweep:
        """Evaluate the prediction, whose free parameters are given as arrays, which broadcast.

        `at` evaluates a single point. It is asked where arrays do not tell for certain: where
        something has no value or is not allowed, which it raises RoofError for; near jumps; and
        near ties. Points that are refused are left out if they are to be skipped.
        """
        missing = [p for p in self.prediction.free if p.name not in arrays]
        if missing:
            raise needs_values(self.prediction, missing)
        exactly = {name: np.asarray(value) for name, value in arrays.items()}
        shape = shape_of({name: array.shape for name, array in exactly.items()})
        held = len(self.slots) + len(exactly)
        check_numbers(math.prod(shape) * held, f"'{self.prediction.model.name}'")
        given = {name: array.astype(float, copy=False) for name, array in exactly.items()}
        return _Sweeping(self, given, exactly, shape, at, skip=skip).sweep()


class _Sweeping:
    """Fills the arrays of a sweep, block after block, then point after point where in doubt.

    `exactly` are the arrays as they were given, of whole numbers with all their digits.
    """

    def __init__(
        self,
        plan: SweepPlan,
        given: dict[str, Array],
        exactly: dict[str, NDArray[Any]],
        shape: tuple[int, ...],
        at: Callable[[dict[str, float]], Result],
        *,
        skip: bool,
    ) -> None:
        self.plan = plan
        self.skip = skip
        self.left_out: dict[tuple[int, ...], LeftOut] = {}
        self.prediction = plan.prediction
        self.given = given
        self.exactly = exactly
        self.at = at
        self.shape = shape
        self.axes = axes_of({name: array.shape for name, array in exactly.items()}, shape)
        self.labels = plan.labels.copy()
        self.places = np.empty(self.shape, np.int8)
        self.found: dict[tuple[str, str], NDArray[Any]] = {("", "bound"): self.places}

    def sweep(self) -> Sweep:
        if not np.prod(self.shape):  # no points at all
            pass
        elif self.plan.by_points:
            self._decide(np.ndindex(self.shape))
        else:
            slots = [*self.plan.slots.values(), *self.plan.checked]
            model = self.prediction.model
            try:
                with computing(f"'{model.name}'", model.span):
                    for block in in_blocks(self.plan.program, slots, self.given, self.shape):
                        self._fill(block)
            except EvaluationError:  # nothing was computed; a point says why
                self._decide(np.ndindex(self.shape))
        return self._with_gaps() if self.left_out else self._sweep()

    def _with_gaps(self) -> Sweep:
        """Return the sweep without the points that are left out; raise RoofError if all are."""
        left_out = [self.left_out[point] for point in sorted(self.left_out)]
        check_left_out(left_out, self.places.size, skip=True)
        gone = np.zeros(self.shape, np.bool_)
        gone[tuple(np.transpose([*self.left_out]))] = True
        exactly = {x: np.broadcast_to(array, self.shape) for x, array in self.exactly.items()}
        # What follows from the values is worked out where it has one.
        self.exactly = {x: np.where(gone, array[~gone][0], array) for x, array in exactly.items()}
        self.given = {x: array.astype(float, copy=False) for x, array in self.exactly.items()}
        found, trees = self._sweep(), self.prediction.binding.trees
        fixed = {
            name: values
            for name, values in found.parameters.items()
            if name in trees and not free_symbols(trees[name])
        }
        return with_gaps(found, gone, left_out, {**fixed, **exactly})

    def _sweep(self) -> Sweep:
        return Sweep(
            self.prediction.model.name,
            self.prediction.machine.name,
            self._parameters(),
            self._of("", "flops"),
            self._of("", "memory"),
            self._of("", "network"),
            self._table("times"),
            self._of("", "time"),
            self._table("charged"),
            self._table("tallies"),
            self.prediction,
            self._limit() if has_to_fit(self._table("tallies")) else None,
            tuple(self.labels),
            self.places,
            {name: self._of("own", name) for name in self.prediction.own},
            self._metrics(),
            dict(self.plan.unanswered),
            self._table("spent"),
            {name: places.astype(np.int8) for name, places in self._table("most").items()},
            self.axes,
            self.prediction.kinds_within,
        )

    def _limit(self) -> float | Array | None:
        """Return what the machine holds [B], at each point where that is open."""
        tree = self.prediction.capacity_formula
        if tree is None or not free_symbols(tree):
            return self.prediction.capacity
        return np.broadcast_to(np.asarray(evaluate(tree, self.given), dtype=float), self.shape)

    def _metrics(self) -> ByName[Array]:
        """Return the metrics, those that are true or false as such."""
        truths = self.plan.truths
        found = self._table("metrics")
        return {name: x.astype(bool) if name in truths else x for name, x in found.items()}

    def _fill(self, block: ArrayBlock) -> None:
        """Fill a block; what is in doubt, a scalar decides."""
        for (kind, name), value in zip(self.plan.slots, block.values, strict=False):
            self._put(kind, name, value, block.place)
        if block.doubt is not None:
            start = 0 if block.place is ... else block.place.start
            doubtful = np.argwhere(np.broadcast_to(block.doubt, block.shape)).tolist()
            self._decide((place[0] + start, *place[1:]) if place else () for place in doubtful)

    def _put(
        self,
        kind: str,
        name: str,
        value: Array | float,
        place: slice | EllipsisType | tuple[int, ...],
    ) -> None:
        array = self.found.get((kind, name))
        if array is None:
            partly = kind in ("spent", "metrics") and (kind, name) not in self.plan.slots
            array = self.found[kind, name] = np.full(self.shape, np.nan if partly else 0.0)
        array[place] = value

    def _decide(self, points: Iterable[tuple[int, ...]]) -> None:
        """Evaluate single points, and put what comes of them in place."""
        for point in points:
            # One by one, as someone would ask: messages and jumps are then the same.
            values = {
                name: np.broadcast_to(array, self.shape)[point]
                for name, array in self.exactly.items()
            }
            try:
                result = self.at(values)
            except RoofError as error:
                if not self.skip or not is_refusal(error):
                    raise
                told = {name: str(value) for name, value in values.items()}
                self.left_out[tuple(point)] = LeftOut(self.prediction.machine.name, told, error)
                continue
            for name in ("flops", "memory", "network", "time"):
                self._put("", name, getattr(result, name), point)
            charged = {**dict.fromkeys(result.times, 0.0), **result.breakdown.charged}
            alone = self.prediction.is_largest
            tables = [("times", result.times), ("tallies", result.tallies)]
            tables.append(("own", result.own_work))
            tables += [("metrics", {**result.metrics}), ("spent", {**result.spending})]
            for kind, table in tables if alone else [*tables, ("charged", charged)]:
                for name, value in table.items():
                    self._put(kind, name, value, point)
            if result.bound is not None and result.bound not in self.labels:
                self.labels.append(result.bound)
            kinds = self.prediction.kinds_within.get(result.bound or "", [])
            if len(kinds) > 1:
                self._put("most", f"{result.bound}", kinds.index(f"{result.bound_kind}"), point)
            self.places[point] = -1 if result.bound is None else self.labels.index(result.bound)

    def _of(self, kind: str, name: str) -> Array:
        if self.prediction.is_mix and name in _COUNTED:  # each job has its own
            return np.full(self.shape, np.nan)
        known = self.found.get((kind, name))
        return np.zeros(self.shape) if known is None else known

    def _table(self, kind: str) -> ByName[Array]:
        return {name: array for (key, name), array in self.found.items() if key == kind}

    def _parameters(self) -> ByName[NDArray[Any]]:
        """Return every parameter's values, as views of what is known."""
        trees, values = self.prediction.binding.trees, self.prediction.binding.values
        own = {parameter.name for parameter in self.prediction.model.parameters}
        found: ByName[NDArray[Any]] = {  # what the machine has of several values
            name: np.broadcast_to(array, self.shape)
            for name, array in self.exactly.items()
            if name not in own
        }
        for parameter in self.prediction.model.parameters:
            tree = trees.get(parameter.name, parameter.symbol)
            if parameter.name in self.given:
                value = self.exactly[parameter.name]
            elif free_symbols(tree):
                value = np.asarray(evaluate(tree, self.given), dtype=float)
            else:
                value = np.array(setting(parameter, values[parameter.name], tree))
            found[parameter.name] = np.broadcast_to(value, self.shape)
        return found
