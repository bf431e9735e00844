"""A prediction in numbers: intensities, times, the bound, attainable performance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from roofdsl.allowance import computing, operations
from roofdsl.analysis.algebras import Constants, Floats
from roofdsl.analysis.binding import (
    NOTHING,
    Setting,
    cannot_compute,
    computed,
    setting,
    settings,
)
from roofdsl.analysis.composition import SUPPOSED, Composed, Composing, composed
from roofdsl.analysis.convention import check_counted, convention_named, count
from roofdsl.analysis.energy import Spends
from roofdsl.analysis.intensity import QUANTITIES, intensity_of
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.margin import Margin, Rivalry, UncertaintyOf
from roofdsl.analysis.node import Stated, stated_in
from roofdsl.analysis.of_jobs import left_to_jobs, works_and_ratios
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.ratio import quotient, ratio
from roofdsl.analysis.ridge import Ridge, ridge_of
from roofdsl.analysis.spending import balances, spending_at
from roofdsl.analysis.totals import Totals, refuted, totals
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.model.layer import Varied
from roofdsl.model.tally import has_to_fit
from roofdsl.model.types import Parameter
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate_each
from roofdsl.read_only import unchanging
from roofdsl.unchanging import Unchanging
from roofdsl.units.dimension import Dimension
from roofdsl.units.quantity import show_number

if TYPE_CHECKING:
    from roofdsl.analysis.rate_box import RatesVerdict
    from roofdsl.analysis.step_results import StepsOf

_OPERATIONS, _USUAL = 80, 200
"""What it takes to compose one more amount at a point; so many are for nothing."""


@dataclass(frozen=True, slots=True)
class Result(Spends[float], Unchanging):
    """A model on a machine in numbers, in SI base units (flop, B, s, flop/s, B/s).

    Work and times are those of one process, the busiest; `processes` says how many there are, and
    `totals` what all of them do on each resource where the model says it. `work` is by resource
    and level, `times` by what overlaps. `OI`, `CAI`, `MI` are infinite where their
    denominator is 0 and NaN where both are. `bound` is the resource that takes longest, `ties` are
    all that take as long; of a composition, what the largest `shares` of the time are charged to.
    `peak` is the performance that the rates of its kinds of flops allow, None where one has no
    rate. `breakdown` is the tree of its steps. `fits` says of each tally whether it is within the
    machine's capacity. `prices` are the energies, powers and prices that the machine states;
    `spending` is what all processes take of energy [J], power [W] and money, by name, as far as the
    machine and the model state it; `unanswered` says of what has no number why. Of the resources
    that files declare, `own` are the units of work, `own_work` is the work, and `intensity` is the
    flops for each unit of it, infinite or NaN as `OI` is. `metrics` are those of the model;
    `shown_in` are the units, with their factors, of metrics in units that their files define.
    """

    _inside = tuple("kind_alone rivalry shown_in without_steps".split())
    model: str
    machine: str
    parameters: Mapping[str, Setting]
    named: Mapping[str, float]
    dimensions: Mapping[str, Dimension]
    work: Mapping[str, float]
    rates: Mapping[str, float]
    times: Mapping[str, float]
    flops: float
    memory: float
    network: float
    OI: float
    CAI: float
    MI: float
    time: float
    attainable: float
    peak: float | None
    bound: str | None
    ties: tuple[str, ...]
    shares: Mapping[str, float]
    breakdown: Composed[float]
    ridge: Ridge
    processes: float
    totals: Mapping[str, float]
    tallies: Mapping[str, float]
    fits: Mapping[str, bool]
    notes: tuple[str, ...]
    metrics: Mapping[str, float]
    rivalry: Rivalry | None = field(default=None, repr=False, compare=False)
    prices: Mapping[str, float] = field(default_factory=dict)
    spending: Mapping[str, float] = field(default_factory=dict)
    unanswered: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Dimension] = field(default_factory=dict, repr=False)
    own_work: Mapping[str, float] = field(default_factory=dict, repr=False)
    intensity: Mapping[str, float] = field(default_factory=dict, repr=False)
    shown_in: Mapping[str, tuple[str, float]] = field(default_factory=dict, repr=False)
    varied: Mapping[str, Varied] = field(default_factory=dict)
    kind_alone: str | None = field(default=None, repr=False, compare=False)

    @property
    def steps(self) -> StepsOf[Result]:
        """Its steps by name, those inside its overlaps and repeats too, each as a result."""
        from roofdsl.analysis.step_results import StepResults

        return StepResults(self, lambda result: result)

    @property
    def margin(self) -> Margin | None:
        """How firm the bound is, None where nothing competes with it."""
        return None if self.rivalry is None else self.rivalry.margin

    @property
    def bound_kind(self) -> str | None:
        """What most of the time on the bound is for: `flops.matrix.bf16` where that is `flops`."""
        return self.kind_alone if self.rivalry is None else self.rivalry.kind

    @property
    def uncertainty(self) -> UncertaintyOf:
        """What the numbers with `±` do to each quantity, by its name; empty where none has it."""
        return UncertaintyOf() if self.rivalry is None else self.rivalry.uncertainty

    def over_rates(self, rates: str | float) -> RatesVerdict:
        """Return what binds on all machines near: `±10%` (or 0.1), or `stated` for their own ±.

        Raises RoofError for what is none of these (R0714), or where no ± is stated (R0715).
        """
        from roofdsl.analysis.rate_box import rate_box  # few ask
        from roofdsl.analysis.tolerance import over_rates

        assert self.rivalry is not None
        return over_rates(self.rivalry, rate_box(rates, self.rivalry.prediction))

    def without_steps(self) -> Result:
        """Return the numbers of the whole alone: of many results, the rest takes the memory."""
        whole = self.breakdown
        alone = Composed(whole.name, whole.arrangement, whole.count, whole.time, {}, {}, {})
        return replace(self, breakdown=alone, rivalry=None, kind_alone=self.bound_kind)

    @property
    @unchanging
    def quantities(self) -> Mapping[str, float]:
        """The numbers of this result by name: `OI`, `time`, `nvme`, `flops/nvme`."""
        own = {intensity_of(name): value for name, value in self.intensity.items()}
        found = {name: getattr(self, name) for name in QUANTITIES}
        return {**self.own_work, **own, **found}

    @property
    def total_attainable(self) -> float | None:
        """The performance of all processes [flop/s], total flops / time; None where not known."""
        return ratio(self.totals["flops"], self.time) if "flops" in self.totals else None

    def count(self, convention: str) -> float:
        """Return the operations of one process by a convention: flop, product, mac or fma.

        weight × flops + weight × `multiply_adds` (see `CONVENTIONS`). Raises RoofError for an
        unknown convention (R0710), or where the model tallies no multiply-adds (R0709).
        """
        check_counted(chosen := convention_named(convention), self.model, self.dimensions)
        return count(chosen, self.flops, self.tallies)


def evaluated(prediction: Prediction, composing: Composing = "written") -> Result:
    """Return a prediction in numbers; every parameter must have a value.

    `composing` is "max" to overlap everything, "sum" to overlap nothing. Raises RoofError where a
    parameter is free (R0406) or a formula has no value (R0407).
    """
    if prediction.free:
        raise needs_values(prediction, prediction.free)
    amounts = amounts_of(prediction)
    with computing(f"'{prediction.model.name}'", prediction.root.span):
        operations().spend(_OPERATIONS * max(0, len(amounts) - _USUAL))
    try:
        return result_at(prediction, amounts, prediction.binding.values, composing)
    except ArithmeticError as error:
        whole = f"the prediction of '{prediction.model.name}'"
        _raise([cannot_compute(whole, prediction.root.span, error)], prediction)
        raise


def result_at(
    prediction: Prediction,
    amounts: Mapping[Expression, float],
    values: Mapping[str, float],
    composing: Composing = "written",
    known: Mapping[str, Expression] = NOTHING,
) -> Result:
    """Return a prediction in numbers, from those of all that its formulas need.

    `amounts` are the values of what the model states, by the ids of the formulas; `values` those of
    parameters and intermediates; `known` the exact values of what is open in the formulas. Raises
    ArithmeticError where a number is beyond what a float holds, RoofError where a capacity has no
    value.
    """
    parts = in_floats(prediction, amounts, composing, known)
    together = totals(prediction.root, parts, Floats(amounts, prediction.rate_values))
    return result_of(prediction, parts, together, amounts, values, composing, known)


def result_of(
    prediction: Prediction,
    parts: Composed[float],
    together: Totals[float],
    amounts: Mapping[Expression, float],
    values: Mapping[str, float],
    composing: Composing,
    known: Mapping[str, Expression] = NOTHING,
) -> Result:
    """Return what follows from a prediction composed in numbers, and from its totals."""
    _raise([wrong for claim in together.claims if (wrong := refuted(claim))], prediction)
    counted = {name: parts.counted.get(name, 0.0) for name in ("flops", "memory", "network")}
    own_work = {name: parts.counted.get(name, 0.0) for name in prediction.own}
    jobs = left_to_jobs(prediction.model.name) if prediction.is_mix else {}
    numbers = works_and_ratios(counted, parts.time, of_jobs=bool(jobs))
    peak = _peak(prediction, parts)
    spent = spending_at(prediction, parts, amounts)
    parameters, trees = prediction.model.parameters, prediction.binding.trees
    found = Result(
        model=prediction.model.name,
        machine=prediction.machine.name,
        varied=prediction.varied,
        parameters={
            p.name: setting(p, values[p.name], trees.get(p.name, p.symbol), known)
            for p in parameters
        },
        named=_named(prediction, {**parts.tallies, **values}),
        dimensions=prediction.dimensions,
        work=parts.work,
        rates=prediction.named_rates,
        times=parts.busy,
        time=parts.time,
        peak=peak,
        bound=parts.bound,
        ties=parts.ties,
        shares={name: time / parts.time for name, time in parts.charged.items() if time},
        breakdown=parts,
        ridge=_ridge(prediction, peak),
        processes=math.nan if jobs else _processes(parameters, values),
        totals=together.work,
        tallies=parts.tallies,
        fits=_fits(prediction, parts.tallies),
        notes=(*prediction.notes, *SUPPOSED[composing]),
        metrics={},
        shown_in={},
        rivalry=Rivalry(prediction, parts, amounts, {**known}, composing),
        prices={rate_key(name): value for name, value in prediction.prices.items()},
        spending=spent.amounts,
        unanswered={**spent.unanswered, **jobs},
        own=prediction.own,
        own_work=own_work,
        intensity={name: quotient(numbers["flops"], work) for name, work in own_work.items()},
        kind_alone=None,
        **numbers,
    )
    if not prediction.model.metrics:
        return found
    from roofdsl.analysis.metrics import with_metrics  # few models have any

    return with_metrics(found)


def _ridge(prediction: Prediction, peak: float | None) -> Ridge:
    """Return the ridge points, in time and in energy, of flops at the peak of their kinds."""
    rates = {**prediction.roof_rates, "flops": peak}
    energy, effective = balances(prediction, rates)
    ridge = ridge_of((*rates.items(),), (*prediction.own.items(),))
    return replace(ridge, energy=energy, effective=effective)


def _fits(prediction: Prediction, tallies: Mapping[str, float]) -> dict[str, bool]:
    limit, name = prediction.capacity, has_to_fit(tallies)
    return {} if limit is None or name is None else {name: tallies[name] <= limit}


def _processes(parameters: Iterable[Parameter], values: Mapping[str, float]) -> float:
    return math.prod(values[each.name] for each in parameters if each.kind == "processes")


def _named(prediction: Prediction, values: Mapping[str, float]) -> dict[str, float]:
    """Return values that have a name, truths as such; precisions are no numbers."""
    formats = [each.name for each in prediction.model.parameters if each.kind == "precision"]
    return {
        name: bool(value) if name in prediction.truths else value
        for name, value in values.items()
        if name not in formats
    }


def _raise(problems: Sequence[Diagnostic], prediction: Prediction) -> None:
    if problems:
        values = settings(prediction.model.parameters, prediction.binding)
        notes = (f"here {values}",) if values else ()
        raise RoofError(replace(problem, notes=notes) for problem in dict.fromkeys(problems))


def in_floats(
    prediction: Prediction,
    amounts: Mapping[Expression, float],
    composing: Composing = "written",
    known: Mapping[str, Expression] = NOTHING,
    *,
    by_step: bool = False,
) -> Composed[float]:
    """Return the law of composition in floats; what these cannot tell apart, exact numbers decide.

    `amounts` are the values of what the model states, by the ids of the formulas; `known` are the
    values of the names in these. Raises ArithmeticError beyond what a float holds.
    """
    rates = prediction.rate_values
    floats = Floats(amounts, rates)
    found = composed(prediction.root, floats, composing, by_step=by_step)
    if not floats.close:
        return found
    decided = Constants(prediction.rates, known)
    composed(prediction.root, decided, composing, by_step=by_step)
    return composed(prediction.root, Floats(amounts, rates, decided), composing, by_step=by_step)


def amounts_of(
    prediction: Prediction, known: Mapping[str, Expression] = NOTHING
) -> dict[Expression, float]:
    """Return the value of each amount that a model states; raise RoofError for what has none.

    `known` are the values of what is open in the formulas.
    """
    problems: list[Diagnostic] = []
    stated = list(stated_in(prediction.root))
    values: dict[Expression, float] = {ONE: 1.0}
    trees = dict.fromkeys(item.amount for item in stated)
    settled = {tree: substitute(tree, known) if known else tree for tree in trees}
    formulas = [tree for tree in settled.values() if not isinstance(tree, Number)]
    with computing(f"'{prediction.model.name}'", prediction.root.span):
        together = zip(formulas, evaluate_each(formulas), strict=True)
        found: dict[Expression, float | EvaluationError] = dict(together)
    for item in stated:
        amount = settled[item.amount]
        value = found.get(amount)
        if isinstance(value, EvaluationError):
            problems.append(cannot_compute(item.what, item.span, value))
            value = None
        elif value is None:
            value = computed(amount, item.what, item.span, problems)
        values[item.amount] = value or 0.0
        if value is not None and value < 0 and not item.signed:
            problems.append(_negative(item, value))
    _raise(problems, prediction)
    return values


def _peak(prediction: Prediction, parts: Composed[float]) -> float | None:
    """Return the most flop/s that the rates allow for these flops, None where one is unlimited.

    Kinds of flops share one unit, so their times at their own rates add up; devices work at once.
    """
    if parts.peaks is None:
        return None
    if len(prediction.kinds) < 2 or not parts.counted.get("flops"):
        return prediction.roof_rates["flops"]
    return parts.counted["flops"] / max(parts.peaks.values())


def needs_values(
    prediction: Prediction, missing: Sequence[Parameter], hint: str | None = None
) -> RoofError:
    """Return the problem that parameters have no value (R0406)."""
    message = f"'{prediction.model.name}' needs a value for {', '.join(p.name for p in missing)}"
    labels = tuple(Label(parameter.span) for parameter in missing[:3])
    hint = hint or f"give {missing[0].name} a number"
    return RoofError([Diagnostic("R0406", message, labels, hint)])


def _negative(item: Stated, amount: float) -> Diagnostic:
    if item.rate:
        message = f"the rate {item.rate} is less than 0 for this work"
        hint = "a rate is more than 0 for all work; a bound or `require` can keep such values out"
        return Diagnostic.at("R0408", message, item.span, hint=hint)
    message = f"{item.what} is negative: {show_number(amount)}"
    hint = "work and bytes are 0 or more; a bound or `require` can keep such values out"
    return Diagnostic.at("R0409", message, item.span, hint=hint)
