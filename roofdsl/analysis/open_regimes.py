"""What binds where, while one parameter more is left open: N*(P) and its regions, with proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from roofdsl.algebra.branch import competing
from roofdsl.allowance import Budget, question
from roofdsl.analysis.claim import Claim, Leads
from roofdsl.analysis.crossover import changing_kernels, check_dependence
from roofdsl.analysis.larger import read_quantities
from roofdsl.analysis.open_contest import Contest, OpenRoot, OpenStretch
from roofdsl.analysis.open_machine import open_domain
from roofdsl.analysis.open_pair import OpenRanges
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import put_in
from roofdsl.analysis.regimes import IDLE
from roofdsl.analysis.roots import Rivals, competing_in, known_of
from roofdsl.analysis.such_that import Condition
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import subtract
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import is_positive
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.numeric.place import Place
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.source import Source

Compared: TypeAlias = Callable[[Prediction], dict[str, Expression]]
"""What is compared, by name, as formulas of a prediction."""
HOLDS, FAILS = "holds", "does not hold"
_Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenRegimes(Proven):
    """What binds, stretch by stretch: the whole, or each of some `steps`.

    `proof`: for how much of the other parameter all is known.
    """

    stretches: tuple[OpenStretch, ...]
    proof: Proof
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenRegions(Proven):
    """What binds over the ranges of an unknown and of one other number that is open.

    With a condition what is told is where it holds. `of_steps`: what binds the kernels of a
    composition, those that are alike together.
    """

    unknown: Unknown
    low: Place
    high: Place
    other: Unknown
    first: Place
    last: Place
    whole: OpenRegimes
    of_steps: tuple[OpenRegimes, ...] = ()
    condition: str | None = None

    @property
    def proof(self) -> Proof:
        """How far all is proven of the whole."""
        return self.whole.proof

    @property
    def crossovers(self) -> tuple[OpenRoot, ...]:
        """Where the bound of the whole changes, each root once."""
        return tuple(dict.fromkeys(root for each in self.whole.stretches for root in each.roots))


@question
def find_open_regimes(
    prediction: Prediction,
    unknown: Unknown,
    low: Place,
    high: Place,
    other: Unknown,
    asked: Condition | Sequence[Source] = (),
) -> OpenRegions:
    """Return what binds over a range of the unknown, for all values of one other open name.

    Of a composition, also what binds each of its kernels. `asked`: a condition, or resources or
    quantities to be compared instead. Raises RoofError as `read_compared` does, and where nothing
    depends on the unknown (R0704).
    """
    domain = open_domain(prediction, other)
    ranges = OpenRanges(unknown, low, high, other, *domain.range(), Budget())
    compared = read_compared(asked, prediction)
    rivals = open_rivals(prediction, unknown, (other,), compared)
    verdict = partial(_verdict, asked.claim) if isinstance(asked, Condition) else tuple
    contests: list[tuple[tuple[str, ...], Rivals]] = [((), rivals)]
    if not prediction.is_kernel and not asked:
        contests += _steps(prediction, rivals)
    found: list[OpenRegimes] = []
    for (names, each), budget in zip(contests, ranges.budget.shares(len(contests)), strict=True):
        of_bound = bool(names) or rivals.numbers.keys() <= prediction.rivals.keys()
        single, owners = _taken_apart(_with_idle(each) if of_bound else each)
        told = partial(_told, owners, verdict)
        contest = Contest(replace(ranges, budget=budget), single, domain, told)
        stretches = contest.stretches()
        proof = Proof.of((part.last, part.decided) for part in stretches)
        found.append(OpenRegimes(stretches, proof, names))
    whole, *of_steps = found
    condition = asked.text if isinstance(asked, Condition) else None
    ends = unknown, low, high, other, ranges.first, ranges.last
    return OpenRegions(*ends, whole, tuple(of_steps), condition)


def read_compared(asked: Condition | Sequence[Source], prediction: Prediction) -> Compared:
    """Return what is compared: sides of a condition, resources, quantities, or all that compete.

    Raises RoofError for what is no quantity (R0707), and for different units (R0301).
    """
    if isinstance(asked, Condition):
        quantities = next(asked.leads).quantities
        if quantities is None:
            return lambda each: each.rivals
        return partial(_put_in, quantities)
    names = [text.body.strip() for text in asked]
    if all(name in prediction.rivals for name in names):
        return lambda each: {name: each.rivals[name] for name in names or each.rivals}
    read = read_quantities(asked, prediction)
    return partial(_put_in, {name: formula.tree for name, formula in read.items()})


def _put_in(quantities: Mapping[str, Expression], prediction: Prediction) -> dict[str, Expression]:
    return {name: put_in(tree, prediction) for name, tree in quantities.items()}


def is_one_comparison(condition: Condition) -> bool:
    """Whether all that a condition is made of compares the same."""
    first, *others = ({**(each.quantities or {})} for each in condition.leads)
    return all(each == first for each in others)


def open_rivals(
    prediction: Prediction, unknown: Unknown, others: Sequence[Unknown], compared: Compared
) -> Rivals:
    """Return what competes, with values put in for all but the unknown and the others.

    Raises RoofError where nothing depends on the unknown (R0704), or on more names (R0406).
    """
    trees, names = compared(prediction), {each.name for each in others}
    check_dependence(trees.values(), unknown, prediction, names)
    known = {k: v for k, v in known_of(prediction, unknown).items() if k not in names}
    numbers = {name: substitute(tree, known) for name, tree in trees.items()}
    return Rivals(unknown, numbers, compared(prediction.opened()), known)


def _told(owners: Mapping[str, str], verdict: Callable[[_Names], _Names], labels: _Names) -> _Names:
    """Return what is told of rivals that are the largest together, by whose they are."""
    names = tuple(dict.fromkeys(owners[label] for label in labels))
    return verdict(names if names[0] != IDLE else ())


def _verdict(claim: Claim, labels: _Names) -> _Names:
    """Return whether a claim holds where some of what it compares are the largest together."""
    return (HOLDS if _holds(claim, labels) else FAILS,)


def _holds(claim: Claim, labels: _Names) -> bool:
    if isinstance(claim, Leads):
        # Of those that are equal the first leads.
        first = next((name for name in claim.quantities or labels if name in labels), None)
        return (first == claim.name) == claim.wanted
    both = (_holds(part, labels) for part in claim.parts)
    return all(both) if claim.word == "and" else any(both)


def _with_idle(rivals: Rivals) -> Rivals:
    """Return rivals with that nothing binds, where all may be 0, as the first of them."""
    if any(map(is_positive, rivals.numbers.values())):
        return rivals
    idle: dict[str, Expression] = {IDLE: ZERO}
    return rivals._replace(numbers=idle | rivals.numbers, symbols=idle | rivals.symbols)


def _taken_apart(rivals: Rivals) -> tuple[Rivals, dict[str, str]]:
    """Return rivals without a `max`: a rival for each of its operands, and whose each is."""
    numbers: dict[str, Expression] = {}
    symbols: dict[str, Expression] = {}
    owners: dict[str, str] = {}
    for name, tree in rivals.numbers.items():
        formulas = competing(tree)
        # With its own parameters open, a step may be charged to a level of another name.
        named = competing(rivals.symbols[name]) if name in rivals.symbols else ()
        for place, formula in enumerate(formulas):
            own = f"{name}#{place}"
            owners[own], numbers[own] = name, formula
            if len(named) == len(formulas) and _agree(named[place], formula, rivals):
                symbols[own] = named[place]
    return rivals._replace(numbers=numbers, symbols=symbols), owners


def _agree(named: Expression, formula: Expression, rivals: Rivals) -> bool:
    """Whether a formula is another with values put in."""
    difference = normal_form(subtract(substitute(named, rivals.known), formula))
    return difference is not None and not difference


def _steps(prediction: Prediction, rivals: Rivals) -> list[tuple[tuple[str, ...], Rivals]]:
    """Return what competes in each kernel of a composition whose bound may change."""
    found: dict[object, tuple[list[str], Rivals]] = {}
    for kernel in changing_kernels(prediction, rivals.unknown):
        symbols = competing_in(kernel)
        numbers = {name: substitute(tree, rivals.known) for name, tree in symbols.items()}
        own = rivals._replace(numbers=numbers, symbols=symbols)
        found.setdefault(tuple(numbers.items()), ([], own))[0].append(kernel.name)
    return [(tuple(dict.fromkeys(names)), each) for names, each in found.values()]
