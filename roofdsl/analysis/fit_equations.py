"""Runs as equations: what each says of the constants that are fitted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from roofdsl.analysis.binding import cannot_compute, computed
from roofdsl.analysis.fit_constants import Named
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.links import NETWORK
from roofdsl.analysis.load import Load
from roofdsl.analysis.own_work import at_run
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.runs import Run
from roofdsl.analysis.validation import MOST_PROBLEMS, Asked, time_of, without_value
from roofdsl.diagnostic import Diagnostic, Label, raise_if_any
from roofdsl.expression.construct import add
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import MachineDefinition
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.linear_terms import Linear, NotLinear, Terms, linear_terms
from roofdsl.source import Span


class Placed(NamedTuple):
    """A run on the machine, with the formulas of its time and of its communication.

    `network` are the symbols of what communication alone takes its time from; `used` are those of
    all rates, start-ups and constants that its time depends on. `measured` is its time [s], `rates`
    what the machine states.
    """

    asked: Asked
    model: str
    time: Expression
    communication: Expression
    network: frozenset[str]
    used: frozenset[str]
    measured: float
    has_flops: bool
    rates: Mapping[str, Expression]

    @property
    def run(self) -> Run:
        return self.asked.run


class Equation(NamedTuple):
    """A time in terms of constants, how long it took [s], and which run says so."""

    time: Terms
    measured: float
    run: int


def placed(
    runs: Mapping[str, Sequence[Asked]], named: Named, machine: MachineDefinition
) -> list[Placed]:
    """Place runs, by the names of their models, on a machine.

    Raises RoofError with all that is wrong with the runs' parameters.
    """
    problems: dict[tuple[str, str], Diagnostic] = {}
    found: list[Placed] = []
    known: dict[Hashable, Placed] = {}
    for model, each in ((model, each) for model, own in runs.items() for each in own):
        key = model, id(each.model), frozenset((n, v) for n, (v, _) in each.arguments.items())
        if key in known and each.run.time:  # of one setting
            found.append(known[key]._replace(asked=each, measured=each.run.time))
            continue
        told: list[Diagnostic] = []
        new = _placed(each, model, named, machine, told)
        if new is not None:
            found.append(new)
            known[key] = new
        for problem in told:  # what is wrong with all runs is said of the first
            problems.setdefault((problem.code, problem.message), _at_run(problem, each.run))
        if len(problems) >= MOST_PROBLEMS:
            break
    raise_if_any(problems.values())
    return found


def _given(name: str, place: Span) -> Diagnostic:
    message = f"'{name}' is to be fitted, and the runs say what it is"
    return Diagnostic.at("R1512", message, place, hint="leave out the column, or --constant")


def _at_run(problem: Diagnostic, run: Run) -> Diagnostic:
    problem = at_run(problem, run)
    if any(label.span.source is run.span.source for label in problem.labels):
        return problem
    return replace(problem, labels=(*problem.labels, Label(run.span, "this run")))


def _placed(
    asked: Asked,
    model: str,
    named: Named,
    machine: MachineDefinition,
    problems: list[Diagnostic],
) -> Placed | None:
    run = asked.run
    own = frozenset(each.own for each in named.constants.values() if each.model == model)
    given = asked.arguments
    problems += [_given(name, given[name][1] or run.span) for name in own if name in given]
    if problems:
        return None
    definition = named.models[model] if own else asked.model
    prediction, wrong = predict(definition, machine, asked.arguments, own, peaks=False)
    problems += wrong
    others = [each for each in prediction.free if each.name not in own]
    if not wrong and others:
        problems.append(without_value(asked, others))
    if problems:
        return None
    if prediction.unmeasured or prediction.tabled:
        what = " and ".join(f"'{name}'" for name in sorted(own))
        message = f"the times that '{machine.name}' has measured depend on {what} of '{model}'"
        hint = "between measured times there is no formula: fit what is not looked up"
        problems.append(Diagnostic.at("R1514", message, run.span, hint=hint))
        return None
    time, busy = prediction.time(), prediction.times()
    apart = [load for load in prediction.placed if _is_network(load)]
    groups = dict.fromkeys(load.group for load in apart)
    communication = add(*(busy[group] for group in groups)) if groups else Number(Fraction(0))
    flops, measured = prediction.work("flops"), run.time
    if measured is None:  # a performance was measured
        count = computed(flops, f"flops of '{model}'", run.span, problems)
        if count is None:
            return None
        measured = time_of(asked, count)
    used = frozenset(symbol.name for symbol in free_symbols(time))
    names = {each.name: f"{model}.{each.name}" for each in prediction.free}
    used = frozenset(names.get(name, name) for name in used)
    has_flops = not is_zero(flops)
    found = (asked, model, time, communication, _named_in(apart), used, measured)
    return Placed(*found, has_flops, prediction.rates)


def _named_in(loads: Iterable[Load]) -> frozenset[str]:
    """Return the symbols of the rates and the start-ups that loads have."""
    trees = [tree for load in loads for tree in (load.rate, load.start) if tree is not None]
    return frozenset(symbol.name for tree in trees for symbol in free_symbols(tree))


def _is_network(load: Load) -> bool:
    return NETWORK in (load.resource.name, load.resource.shares)


def equations(
    runs: Sequence[Placed], named: Named, fitted: Iterable[str]
) -> tuple[list[Equation], list[Terms]]:
    """Return what runs say of the constants that are fitted, and the time of each run in them.

    A run of which computing and communication were timed apart says two things. What is not fitted
    has the value that is stated. Raises RoofError where a time is not linear in a constant (R1513).
    """
    wanted = frozenset(fitted)
    problems: dict[str, Diagnostic] = {}
    found: list[Equation] = []
    times: list[Terms] = []
    for place, each in enumerate(runs):
        try:
            whole, parts = _terms_of(each, named, wanted)
        except NotLinear as error:
            problems.setdefault(each.model, _not_linear(each, named, wanted, error))
            continue
        except (EvaluationError, OverflowError) as error:
            what = f"the time of '{each.model}'"
            problems.setdefault(each.model, cannot_compute(what, each.run.span, error))
            continue
        times.append(whole)
        found += [Equation(time, measured, place) for time, measured in parts]
    raise_if_any(problems.values())
    return found, times


def _terms_of(
    each: Placed, named: Named, wanted: frozenset[str]
) -> tuple[Terms, list[tuple[Terms, float]]]:
    whole = _terms(each, each.time, named, wanted)
    compute, communication = each.run.compute, each.run.communication
    if compute is None or communication is None or not each.network:
        return whole, [(whole, each.measured)]
    alone = _terms(each, each.time, named, wanted, absent=each.network)
    apart = _terms(each, each.communication, named, wanted)
    return whole, [(alone, compute), (apart, communication)]


def _terms(
    each: Placed,
    tree: Expression,
    named: Named,
    wanted: frozenset[str],
    absent: frozenset[str] = frozenset(),
) -> Terms:
    known = dict(each.rates)
    rates: set[str] = set()
    others: set[str] = set()
    prefix = f"{each.model}."
    for symbol, item in named.constants.items():
        name = symbol.removeprefix(prefix) if item.model == each.model else symbol
        if item.model not in ("", each.model):
            continue
        if symbol in absent or symbol in wanted:
            (rates if item.sort == "rate" else others).add(name)
            known.pop(name, None)
        elif item.stated is not None:
            known[name] = Number(Fraction(item.stated))
    found = linear_terms(substitute(tree, known), rates, others, absent)
    own = {name: f"{prefix}{name}" for name in others if f"{prefix}{name}" in named.constants}
    return _renamed(found, own) if own else found


def _renamed(terms: Terms, names: Mapping[str, str]) -> Terms:
    def new(linear: Linear) -> Linear:
        return {names.get(name, name): value for name, value in linear.items()}

    maxima = tuple(tuple(map(new, group)) for group in terms.maxima)
    return Terms(new(terms.base), maxima)


def _not_linear(each: Placed, named: Named, wanted: frozenset[str], error: NotLinear) -> Diagnostic:
    constants = [named.constants[name] for name in wanted if named.constants[name].model]
    names = [item.name for item in constants if item.model == each.model]
    what = " and ".join(f"'{name}'" for name in names) or "what is fitted"
    message = f"the time of '{each.model}' is not linear in {what}: {error}"
    hint = "keep one of them as it is stated: --keep NAME" if "product" in str(error) else None
    return Diagnostic.at("R1513", message, each.run.span, hint=hint)


def unused(runs: Iterable[Placed], named: Named) -> list[str]:
    """Return what was asked to be fitted, by its name, and no run has any work for."""
    used = frozenset(name for each in runs for name in each.used)
    return [named.constants[name].name for name in named.asked if name not in used]


def fitted_by_default(runs: Iterable[Placed], named: Named) -> list[str]:
    """Return the symbols of what is fitted: the machine's rates and start-ups that runs need.

    What is asked for is fitted too, and what is kept is not.
    """
    used = frozenset(name for each in runs for name in each.used)
    return [
        symbol
        for symbol, item in named.constants.items()
        if symbol in used and symbol not in named.kept and (symbol in named.asked or not item.model)
    ]
