"""The law of scaling: what speed-up and efficiency on so many processes are measured by.

Speed-up is the time that one process would take for the same problem, over the time of all;
efficiency is speed-up / processes. It is 100 % where no process waits or does what one alone would
not have to do, and above only where all together are faster than so many alone.

What the same problem is on one process depends on what the model means:

- The work is divided: at the same values each process does less than one alone. Then one process
  has the problem of these values, T(1). Where a value that was given follows the processes, as
  N = 1000·sqrt(P), that is T(1) at the N of P processes (Gustafson 1988). But where the work of
  all stays with it, as with P^(1/3) processes along an edge, it divides one problem.
- Each process has a part of its own, such as a batch, and none does less than one alone. Then one
  process takes P·T(1) for the parts of all. But where a given value falls so that all parts are
  together never less than that of one, as in batch = 1024/P, it is a share of one problem.

The work is flops, where there are none memory, or else that on the first resource with any.

Where a model allows no single process, it is measured by the fewest that it allows, which count as
perfect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.algebra.leading import growth
from roofdsl.allowance import Budget
from roofdsl.analysis.binding import NOTHING
from roofdsl.analysis.domain import Domain
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.same_problem import same_problem, tied_values
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.construct import divide, multiply, number, power, subtract
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.polynomial import polynomial
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Comparison, Expression, Symbol
from roofdsl.model.tally import FOOTPRINT
from roofdsl.numeric.decision import NEARLY
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.typeset.text import text
from roofdsl.unchanging import Unchanging
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_quantity

ScalingKind: TypeAlias = Literal["strong", "weak"]
NamedFormulas: TypeAlias = dict[str, Expression]
FAR = 10**15
"""Counts of processes are looked at up to here."""
Counts: TypeAlias = Mapping[str, int]
"""A value for each parameter that counts processes."""


class ScalingPoint(NamedTuple):
    """Processes, time [s], speed-up and efficiency.

    `at` has the values of what is open; `grid` are the processes along each side, if there are any.
    """

    processes: int
    time: float
    speedup: float
    efficiency: float
    at: Counts
    grid: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ScalingLaw(Unchanging):
    """How speed-up and efficiency are measured.

    `alone` is the time that the fewest processes take for the problem of so many, times their
    number. `together` is the work of all processes by resource, `needed` what the fewest do for
    the same problem; `parts`: each process has its own. Of weak scaling, `fixed` is what stays the
    same of the values given, `kept` of what a process does, and `growth` how the work of all on
    `measured` grows, None where that is not known; `never`: it is proven that no process ever does
    less than one of the fewest. `sides` are the counts of processes along each side, where there
    are several; `defaults` are numbers that follow the processes by default.
    """

    kind: ScalingKind
    fewest: Counts
    processes: Expression
    time: Expression
    alone: Expression
    together: NamedFormulas
    needed: NamedFormulas
    measured: str
    parts: bool
    fixed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    growth: Expression | None = None
    never: bool = False
    sides: NamedFormulas = field(default_factory=dict)
    defaults: NamedFormulas = field(default_factory=dict)

    @property
    def base(self) -> int:
        """How many processes all others are compared with."""
        return self.count(self.fewest)

    def count(self, at: Counts) -> int:
        """Return how many processes there are in all."""
        exactly = exact(self.processes, {name: Fraction(count) for name, count in at.items()})
        return int(exactly) if exactly is not None else round(evaluate(self.processes, at))

    def point(self, at: Counts) -> ScalingPoint:
        """Return speed-up and efficiency; raise RoofError where a time has no value (R0708)."""
        return self.of_time(at, _time(self.time, at, self.count(at)))

    def of_time(self, at: Counts, time: float) -> ScalingPoint:
        """Return speed-up and efficiency of processes that take a time."""
        count = self.count(at)
        alone = _time(self.alone, at, self.base)
        if alone <= 0:
            one = in_words(self.base)
            message = f"{one} would take {show_quantity(alone, SECOND)} for the problem of {count}"
            hint = "speed-up compares the times for one problem; each must be above 0"
            raise RoofError([Diagnostic("R0708", message, (), hint)])
        speedup = alone / time if time else float("inf")
        grid = tuple(round(evaluate(side, at)) for side in self.sides.values())
        return ScalingPoint(count, time, speedup, speedup / count, at, grid)

    def lessened(self, at: Counts) -> tuple[str, ...]:
        """Return the resources on which all processes together do less than one would."""
        return tuple(
            name for name in self.together if _less(self.together[name], self.needed[name], at)
        )


def scaling_law(
    prediction: Prediction,
    counts: Sequence[Counts],
    given: Collection[str],
    *,
    strong: bool = False,
    domain: Domain | None = None,
    sides: NamedFormulas | None = None,
    budget: Budget | None = None,
) -> ScalingLaw:
    """Return the law for a prediction in which the names of `counts` are open.

    `counts` are some that it allows, the fewest first: where at one of them a process does less
    than at the first, the work is divided, and so it is where it does at any that a `domain` of a
    single name allows. `given` are the parameters that were given a value. `sides` are those of a
    grid, by default what the model counts. `strong`: the problem is the same for all, whatever a
    process does. Raises RoofError where the first takes no time, or it has no value (R0708).
    """
    fewest = counts[0]
    base = {name: number(count) for name, count in fewest.items()}
    values = tied_values(prediction, fewest).items()
    follow = {name: tree for name, tree in values if not equal(tree, substitute(tree, base))}
    here = _Amounts.of(prediction)
    _check(prediction, here, fewest)
    measured = here.measured(fewest)
    own = here.each(measured)
    # Where the work of all stays, what was given says how one problem is divided.
    whole = multiply(here.processes, own)
    larger = not measured or not equal(whole, substitute(whole, base))
    tied = {name: tree for name, tree in follow.items() if name in given and larger}
    alone = _Amounts.of(*same_problem(prediction, fewest, given)) if tied else here.at(base)
    own_alone = alone.each(measured)
    # Where no work is stated, nothing says that it grows.
    divided = strong or not measured or any(_less(own, own_alone, at) for at in counts)
    never = False
    if not divided and domain is not None:
        falls = domain.where(Comparison("<", own, own_alone), 1, FAR).first(1, FAR, budget)
        divided, never = falls.value is not None, falls.proven
    shares = (_is_share(tree, here.processes, base, counts) for tree in tied.values())
    stays = strong or equal(own_alone, substitute(own_alone, base))
    same = stays if divided else bool(tied) and all(shares)
    alone = alone.at(base) if same else alone
    times = alone.processes if divided or same else here.processes
    law = ScalingLaw(
        "strong" if same else "weak",
        fewest,
        here.processes,
        here.time,
        multiply(times, alone.time),
        {name: multiply(here.processes, here.each(name)) for name in here.work},
        {name: multiply(times, alone.each(name)) for name in here.work},
        measured,
        parts=not divided,
        never=never,
        sides=sides or _sides(prediction),
        defaults={name: tree for name, tree in follow.items() if name not in given},
    )
    if same:
        return law
    return replace(law, fixed=_fixed(tied, law), kept=_kept(here, base), growth=_growth(law))


class _Amounts(NamedTuple):
    """What a process does and how long all take, as formulas in the processes."""

    processes: Expression
    time: Expression
    work: NamedFormulas
    tallies: NamedFormulas
    totals: NamedFormulas

    @classmethod
    def of(cls, prediction: Prediction, values: Mapping[str, Expression] = NOTHING) -> _Amounts:
        formulas = prediction.formulas
        numbers = [p.symbol for p in prediction.model.parameters if p.kind == "processes"]
        amounts = cls(
            prediction.binding.expand(multiply(*numbers)),
            substitute(formulas.time, prediction.rates),
            formulas.counted,
            formulas.tallies,
            prediction.together,
        )
        return amounts.at(values) if values else amounts

    def at(self, values: Mapping[str, Expression]) -> _Amounts:
        """Return the amounts with values put in for names."""
        tables = (
            {name: substitute(tree, values) for name, tree in table.items()}
            for table in (self.work, self.tallies, self.totals)
        )
        return _Amounts(substitute(self.processes, values), substitute(self.time, values), *tables)

    def measured(self, fewest: Counts) -> str:
        """Return the resource whose work tells how a problem grows; "" without any work."""
        ordered = sorted(self.work, key=lambda name: (name != "flops", name != "memory"))
        return next((name for name in ordered if evaluate(self.work[name], fewest)), "")

    def each(self, name: str) -> Expression:
        """Return the work of a process on a resource, on an average where the total is known.

        Without a name it is the time: of what states no work at all.
        """
        if not name:
            return self.time
        total = self.totals.get(name)
        return self.work[name] if total is None else divide(total, self.processes)


def _sides(prediction: Prediction) -> NamedFormulas:
    """Return what a model counts along several sides."""
    counts = [p.symbol for p in prediction.model.parameters if p.kind == "processes"]
    return {each.name: prediction.binding.expand(each) for each in counts if len(counts) > 1}


def in_words(count: int) -> str:
    """Return a count of processes in words."""
    return "one process" if count == 1 else f"{count} processes"


def equal(left: Expression, right: Expression) -> bool:
    """Whether two formulas are shown to be the same."""
    return normal_form(subtract(left, right)) == NormalForm({})


def _check(prediction: Prediction, amounts: _Amounts, fewest: Counts) -> None:
    count = round(evaluate(amounts.processes, fewest))
    if not _time(amounts.time, fewest, count):
        message = f"'{prediction.model.name}' takes no time with {in_words(count)}"
        hint = f"speed-up compares with {in_words(count)}; give it work"
        raise RoofError([Diagnostic("R0708", message, (), hint)])


def _time(tree: Expression, at: Counts, processes: int) -> float:
    try:
        return evaluate(tree, at)
    except EvaluationError as error:
        message = f"the time with {in_words(processes)} has no value: {error.reason}"
        hint = "speed-up compares the times for one problem; each must have one"
        raise RoofError([Diagnostic("R0708", message, (), hint)]) from None


def _less(left: Expression, right: Expression, at: Counts) -> bool:
    """Whether a formula is less than another by more than rounding does."""
    return evaluate(left, at) < (1 - NEARLY) * evaluate(right, at)


def _is_share(
    tree: Expression,
    processes: Expression,
    base: Mapping[str, Expression],
    counts: Sequence[Counts],
) -> bool:
    """Whether a value falls, and all processes together never have less than the fewest do."""
    one = substitute(tree, base)
    whole = multiply(one, substitute(processes, base))
    together = multiply(tree, processes)
    if not any(_less(tree, one, at) for at in counts):
        return False
    return not any(_less(together, whole, at) or _less(one, tree, at) for at in counts)


def _kept(here: _Amounts, base: Mapping[str, Expression]) -> tuple[str, ...]:
    """Return what of a process stays the same, whatever their number."""
    footprint = {name: tree for name, tree in here.tallies.items() if name == FOOTPRINT}
    amounts = {**here.work, **footprint}
    return tuple(name for name, tree in amounts.items() if equal(tree, substitute(tree, base)))


def _by_count(tree: Expression, law: ScalingLaw) -> tuple[Expression, Symbol] | None:
    """Return a formula in one name that stands for the processes, None where there is none.

    Of a grid Pr × Pc, P/Pc is put in for Pr: what then holds no other side depends on P alone.
    """
    if len(law.fewest) == 1:
        return tree, _side(next(iter(law.fewest)))
    first, *others = law.sides
    total = next((name for name in law.fewest if name not in law.sides), "P")
    count = _side(total)
    form = normal_form(substitute(tree, {first: divide(count, multiply(*map(_side, others)))}))
    found = None if form is None else form.tree()
    if found is None or {symbol.name for symbol in free_symbols(found)} - {total}:
        return None
    return found, count


def _side(name: str) -> Symbol:
    return Symbol(name, integer=True, positive=True)


def _fixed(tied: NamedFormulas, law: ScalingLaw) -> tuple[str, ...]:
    """Return what the values given keep as it is."""
    return tuple(text for name, tree in tied.items() for text in _monomial(name, tree, law))


def _monomial(given: str, tree: Expression, law: ScalingLaw) -> Iterator[str]:
    """Yield N^2/P for N = c·P^(1/2): what a given value keeps as it is."""
    by_count = _by_count(tree, law)
    found = None if by_count is None else polynomial(by_count[0], by_count[1].name)
    if by_count is None or found is None or len(found.terms) != 1 or found.degree.log:
        return
    exponent = Fraction(found.degree.x)
    if exponent > 0:
        above = power(Symbol(given), number(exponent.denominator))
        yield text(divide(above, power(by_count[1], number(exponent.numerator))))


def _growth(law: ScalingLaw) -> Expression | None:
    """Return how the work of all grows with the processes."""
    if not law.measured:
        return None
    work = (law.together if law.parts else law.needed)[law.measured]
    found = _by_count(work, law)
    return None if found is None else growth(found[0], found[1].name)
