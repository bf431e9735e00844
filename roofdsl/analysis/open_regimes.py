"""What binds where, while one parameter more is left open: N*(P) and its regions, with proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from roofdsl.analysis.crossover import check_dependence, check_names
from roofdsl.analysis.node import kernels
from roofdsl.analysis.open_contest import Contest, OpenStretch
from roofdsl.analysis.open_machine import open_domain
from roofdsl.analysis.open_pair import Plane
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.roots import Rivals, busy, known_of
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.place import Place
from roofdsl.numeric.proof import Proof, Proven


@dataclass(frozen=True, slots=True)
class OpenRegimes(Proven):
    """What binds over the range of an unknown and of one other parameter, stretch by stretch.

    `rivals` are what is compared, in order; `steps` name the kernels of a composition whose bound
    it is, none for the whole.
    """

    unknown: Unknown
    low: Place
    high: Place
    other: Unknown
    first: Place
    last: Place
    rivals: tuple[str, ...]
    stretches: tuple[OpenStretch, ...]
    proof: Proof
    steps: tuple[str, ...] = ()


def find_open_regimes(
    prediction: Prediction,
    unknown: Unknown,
    low: Place,
    high: Place,
    other: Unknown,
    between: Sequence[str] = (),
) -> tuple[OpenRegimes, ...]:
    """Return what binds over a range of the unknown, for all values of one other open name.

    Of a composition, also what binds each of its kernels, those that are alike together. `between`
    compares some of the resources alone. Raises RoofError where one is not the prediction's
    (R0703), or nothing depends on the unknown (R0704).
    """
    check_dependence(prediction.rivals.values(), unknown, prediction, (other.name,))
    check_names(between, prediction)
    rivals = _rivals(prediction, unknown, other, between)
    domain = open_domain(prediction, other)
    first, last = domain.range()
    plane = Plane(unknown, low, high, other, first, last, Budget())
    contests: list[tuple[tuple[str, ...], Rivals]] = [((), rivals)]
    if not prediction.is_kernel and not between:
        contests += _steps(prediction, rivals)
    found: list[OpenRegimes] = []
    for (names, each), budget in zip(contests, plane.budget.shares(len(contests)), strict=True):
        contest = Contest(prediction, replace(plane, budget=budget), each, domain)
        stretches = tuple(contest.stretches())
        proof = Proof.of((part.last, part.decided) for part in stretches)
        ranges = unknown, low, high, other, first, last
        found.append(OpenRegimes(*ranges, tuple(each.numbers), stretches, proof, names))
    return tuple(found)


def _rivals(
    prediction: Prediction, unknown: Unknown, other: Unknown, between: Sequence[str]
) -> Rivals:
    """Return what competes for the bound, with values put in for all but the two names."""
    rates = other.known(prediction.rates)
    known = other.known(known_of(prediction, unknown))
    times = {name: prediction.rivals[name] for name in between or prediction.rivals}
    return Rivals(unknown, unknown.put_in(rates, times), prediction.opened().rivals, known)


def _steps(prediction: Prediction, rivals: Rivals) -> list[tuple[tuple[str, ...], Rivals]]:
    """Return what competes in each kernel of a composition whose bound may change."""
    found: dict[object, tuple[list[str], Rivals]] = {}
    for kernel in {id(node): node for node in kernels(prediction.root)}.values():
        if kernel.stated is None:
            symbols = busy(kernel)
            numbers = {name: substitute(tree, rivals.known) for name, tree in symbols.items()}
            names = {s.name for tree in numbers.values() for s in free_symbols(tree)}
            if len(numbers) > 1 and rivals.unknown.name in names:
                own = rivals._replace(numbers=numbers, symbols=symbols)
                found.setdefault(tuple(numbers.items()), ([], own))[0].append(kernel.name)
    return [(tuple(dict.fromkeys(names)), each) for names, each in found.values()]
