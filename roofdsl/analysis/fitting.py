"""Constants of a machine and of models from runs, by least squares of relative errors.

Times are sums of largest terms, each linear in times per unit of work, in start-ups and in named
constants; see `numeric.piecewise_fit`. Which law combines them is chosen by the error of runs that
were held out, unless it is given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from roofdsl.analysis.fit_constants import Constant, Named, named
from roofdsl.analysis.fit_equations import (
    Equation,
    Placed,
    equations,
    fitted_by_default,
    placed,
    unused,
)
from roofdsl.analysis.fit_law import Law, laws_of, under
from roofdsl.analysis.held_out import Sized, in_folds, in_halves, sizes_of
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.validation import Asked
from roofdsl.diagnostic import Diagnostic, RoofError, listing
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.numeric.linear_terms import Terms
from roofdsl.numeric.nonnegative import check_solver

if TYPE_CHECKING:
    from roofdsl.numeric.piecewise_fit import Known

FOLDS = 5
_HARDLY = 0.5
"""A constant whose standard error is as large, relatively, is hardly determined."""
_ROUNDS = 12
_STAYS = 0.01
"""Times are found again until none changes by as much, relatively, or so often."""
_LEAST = 0.01
"""No predicted time counts as a smaller part of what was measured."""
Standing: TypeAlias = Literal["determined", "hardly", "alike", "unseen", "nothing", "kept"]
"""How well a constant is known: of those that are alike some sum alone is; an unseen one binds no
run; of one that is nothing the best fit has no time; one is kept as it is stated where the runs
fit as well with that."""


class Fitted(NamedTuple):
    """A constant, its value [SI], and its standard error where it has one.

    The value of a rate is None where it is unlimited. `standing` says how well it is known.
    """

    constant: Constant
    value: float | None
    error: float | None
    standing: Standing

    @property
    def efficiency(self) -> float | None:
        """The value of a rate as a part of what the machine states."""
        stated = self.constant.stated if self.constant.sort == "rate" else None
        return None if stated is None or self.value is None else self.value / stated


class Error(NamedTuple):
    """Mean absolute errors in percent: of the runs that were fitted, and of those held out."""

    runs: int
    fitted: float
    held_out: float | None


@dataclass(frozen=True, slots=True)
class Fit:
    """What runs say of a machine and of models.

    `law` says how times combine, `laws` the held-out error in percent of each that was tried.
    `alike` are groups of constants that the runs cannot tell apart. `errors` are by model, and
    under "" that of all. Held out were `folds` in turn, each once, or with `half` every other size.
    Rates that are `varying` depend on the work, and stay as they are.
    """

    machine: MachineDefinition
    models: Mapping[str, ModelDefinition]
    law: Law
    laws: Mapping[Law, float | None]
    constants: tuple[Fitted, ...]
    alike: tuple[tuple[Constant, ...], ...]
    errors: Mapping[str, Error]
    folds: int
    half: bool
    varying: tuple[str, ...]


class _Trial(NamedTuple):
    """The runs under one law: what they say, their times in terms of `names`, and these."""

    law: Law
    equations: list[Equation]
    times: list[Terms]
    placed: list[Placed]
    named: Named
    names: list[str]

    def known(self, runs: frozenset[int], *, testing: bool = False) -> Known:
        """Return the constants that some of the runs, by place, say; see `best_constants`.

        An error counts relative to the time that is predicted, as one of performance does: else a
        time that is far too short would be off by a whole at the most. As predictions follow from
        constants, they are found again until they stay.
        """
        from roofdsl.numeric.piecewise_fit import best_constants, times_at  # they take NumPy

        own = [each for each in self.equations if each.run in runs]
        stated = [_unknown(each) for each in self.constants()]
        places = sorted(runs)
        scale = {place: self.placed[place].measured for place in places}
        for _ in range(_ROUNDS):
            weighted = [(each.time, each.measured, 1 / scale[each.run]) for each in own]
            found = best_constants(weighted, self.names, stated)
            times = times_at([self.times[place] for place in places], self.names, found.values)
            before = scale
            scale = {
                place: max(time, _LEAST * self.placed[place].measured)
                for place, time in zip(places, times, strict=True)
            }
            if all(abs(scale[place] / before[place] - 1) < _STAYS for place in places):
                break
        weighted = [(each.time, each.measured, 1 / scale[each.run]) for each in own]
        return best_constants(weighted, self.names, stated, testing=testing)

    def constants(self) -> list[Constant]:
        return [self.named.constants[name] for name in self.names]

    def errors(self, values: Sequence[float], runs: Iterable[int]) -> dict[int, float]:
        """Return the errors in percent of some of the runs, by place, as `validate` has them.

        They are of performance where all runs of a model have flops, else of the time.
        """
        from roofdsl.numeric.piecewise_fit import times_at

        wanted = [*runs]
        predicted = times_at([self.times[place] for place in wanted], self.names, values)
        idle = {each.model for each in self.placed if not each.has_flops}
        found: dict[int, float] = {}
        for place, time in zip(wanted, predicted, strict=True):
            of, measured = self.placed[place].model, self.placed[place].measured
            part = ratio(time, measured) if of in idle else ratio(measured, time)
            found[place] = 100 * abs(part - 1)
        return found

    def held_out(self, runs: frozenset[int], folds: Sequence[frozenset[int]]) -> dict[int, float]:
        """Return the errors in percent of runs that others were fitted without, fold by fold."""
        found: dict[int, float] = {}
        for fold in folds:
            rest = runs - fold
            if rest and fold & runs:
                found |= self.errors(self.known(rest).values, sorted(fold & runs))
        return found


def fit(
    runs: Mapping[str, Sequence[Asked]],
    machine: MachineDefinition,
    *,
    also: Iterable[str] = (),
    keep: Iterable[str] = (),
    law: Law | None = None,
    half: bool = False,
    folds: int = FOLDS,
) -> Fit:
    """Fit the rates and start-ups that runs need on a machine, and constants named in `also`.

    The runs are by the names of their models. What is named in `keep` stays as the machine states
    it. Least is Σ ((time - measured) / time)² over the runs. With `half` every other
    size is held out; else each of some folds of sizes in turn, and the constants are those of all.

    Raises RoofError for names that mean nothing (R1512), times that are not linear (R1513), times
    in place of rates (R1514), nothing to fit (R1515), and where SciPy is missing (R1511).
    """
    check_solver()
    models = {name: own[0].model for name, own in runs.items()}
    asked = named(machine, models, also, keep)
    trials = [_trial(runs, asked, each) for each in ((law,) if law else laws_of(asked.machine))]
    first = trials[0].placed
    sizes = sizes_of([Sized(x.asked, x.model, x.measured) for x in first])
    out = in_halves(sizes) if half else frozenset[int]()
    rest = frozenset(range(len(first))) - out
    parts = in_folds([[size for size in each if size <= rest] for each in sizes], folds)
    settled = [_settled(trial, rest, parts) for trial in trials]
    best = settled[_best([[*each.crossed.values()] for each in settled])]
    trial, values = best.trial, best.known.values
    apart = trial.errors(values, sorted(out)) if half else best.crossed
    return Fit(
        machine,
        models,
        trial.law,
        {each.trial.law: _mean(each.crossed.values()) for each in settled},
        tuple(_constants(best)),
        best.alike,
        _errors(first, trial.errors(values, sorted(rest)), apart),
        len(parts),
        half,
        tuple(x.name for x in asked.constants.values() if x.varies and _is_used(x, first)),
    )


def _is_used(constant: Constant, runs: Iterable[Placed]) -> bool:
    return any(constant.symbol in each.used for each in runs)


def _trial(runs: Mapping[str, Sequence[Asked]], asked: Named, law: Law) -> _Trial:
    on_machine = placed(runs, asked, under(asked.machine, law))
    if lacking := unused(on_machine, asked):
        message = f"no run has any work for {listing(lacking)}"
        hint = "name what the runs need; `roofdsl eval` shows which rates serve a model"
        raise RoofError([Diagnostic("R1515", message, (), hint)])
    names = fitted_by_default(on_machine, asked)
    if not names:
        message = f"there is nothing to fit: no run depends on what '{asked.machine.name}' states"
        hint = "name a constant of a model, or keep less of the machine"
        raise RoofError([Diagnostic("R1515", message, (), hint)])
    return _Trial(law, *equations(on_machine, asked, names), on_machine, asked, names)


class _Settled(NamedTuple):
    """A law with the constants that runs say under it, some kept as stated of those `asked` for.

    `crossed` are errors in percent of runs that others were fitted without.
    """

    asked: _Trial
    trial: _Trial
    known: Known
    alike: tuple[tuple[Constant, ...], ...]
    crossed: Mapping[int, float]


def _settled(asked: _Trial, runs: frozenset[int], folds: Sequence[frozenset[int]]) -> _Settled:
    whole = asked.known(runs, testing=True)
    trial, known = _with_stated(asked, runs, whole, whole.limit)
    constants = asked.constants()
    alike = tuple(tuple(constants[place] for place in group) for group in whole.alike)
    return _Settled(asked, trial, known, alike, trial.held_out(runs, folds))


def _with_stated(
    trial: _Trial, runs: frozenset[int], known: Known, limit: float
) -> tuple[_Trial, Known]:
    """Keep constants as they are stated, one after another, while runs fit as well with that.

    Of several that could be kept it is the one that leaves the others nearest to what is stated. Of
    those that are alike as many are kept as leave one that the runs determine.
    """
    found: list[tuple[float, int, _Trial]] = []
    alike = (place for group in known.alike for place in group)
    for place in (*alike, *known.spare):
        name = trial.names[place]
        if trial.named.constants[name].stated is None or len(trial.names) == 1:
            continue
        names = [each for each in trial.names if each != name]
        said = equations(trial.placed, trial.named, names)
        other = _Trial(trial.law, *said, trial.placed, trial.named, names)
        there = other.known(runs)
        if there.misfit <= limit:
            found.append((_away(other.constants(), there.values), place, other))
    if not found:
        return trial, known
    _, _, nearest = min(found, key=lambda each: each[:2])
    return _with_stated(nearest, runs, nearest.known(runs, testing=True), limit)


def _away(constants: Iterable[Constant], values: Iterable[float]) -> float:
    """Return how far values are from what is stated, as the sum of |ln(value / stated)|."""
    far = 0.0
    for constant, value in zip(constants, values, strict=True):
        stated = _unknown(constant)
        if stated:
            far += abs(math.log(value / stated)) if value > 0 else math.inf
    return far


def _best(errors: Sequence[Sequence[float]]) -> int:
    """Return the place of the first law whose mean error is within chance of the least one.

    That is one standard error of the least mean: the laws are in the order of how much they add to
    what the machine says itself.
    """
    means = [_mean(each) for each in errors]
    known = [(mean, place) for place, mean in enumerate(means) if mean is not None]
    if not known:
        return 0
    least, best = min(known)
    own = errors[best]
    spread = math.sqrt(sum((each - least) ** 2 for each in own) / len(own) / max(1, len(own) - 1))
    return next(place for mean, place in known if mean <= least + spread)


def _mean(errors: Iterable[float]) -> float | None:
    found = [*errors]
    return sum(found) / len(found) if found else None


def _unknown(constant: Constant) -> float | None:
    """Return what is stated, as times are linear in it: of a rate the time per unit."""
    stated = constant.stated
    return 1 / stated if stated is not None and constant.sort == "rate" else stated


def _constants(settled: _Settled) -> Iterator[Fitted]:
    """Yield all constants that were asked for: those that were fitted, then those kept."""
    trial, known = settled.trial, settled.known
    alike = {each.symbol for group in settled.alike for each in group}
    for place, constant in enumerate(trial.constants()):
        value, error = known.values[place], known.errors[place]
        standing: Standing = "determined"
        if constant.symbol in alike:
            standing, error = "alike", None
        elif place in known.unseen:
            standing = "unseen"
        elif not value:
            standing = "nothing"
        elif place in known.spare or (error is not None and error > _HARDLY * value):
            standing = "hardly"
        shown: float | None = value
        if constant.sort == "rate":
            shown = 1 / value if value else None
            error = None if error is None or not value else error / value**2
        yield Fitted(constant, shown, error, standing)
    for constant in settled.asked.constants():
        if constant.symbol not in trial.names:
            standing = "alike" if constant.symbol in alike else "kept"
            yield Fitted(constant, constant.stated, None, standing)


def _errors(
    runs: Sequence[Placed], fitted: Mapping[int, float], apart: Mapping[int, float]
) -> dict[str, Error]:
    found: dict[str, Error] = {}
    for name in ("", *dict.fromkeys(each.model for each in runs)):
        own = [place for place, each in enumerate(runs) if name in ("", each.model)]
        here = [fitted[place] for place in own if place in fitted]
        there = [apart[place] for place in own if place in apart]
        found[name] = Error(len(own), _mean(here) or 0.0, _mean(there))
    return found
