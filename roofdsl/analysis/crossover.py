"""Where the bound of a prediction changes: every crossover over a range, with proof.

A kernel's bound changes where the largest of its resources' times does. On a composition two kinds
are told apart: the bound of one step changes, and what the largest share of the time is charged to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias

from roofdsl.algebra.closed_form import closed_form
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import composed
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.node import Node, kernels, overlaps
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, RoofError, listing
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.box import Place
from roofdsl.numeric.crossover import Crossing, Regime, Regimes, crossovers
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.settle import active_branch

Root: TypeAlias = tuple[Expression | None, float | None]
"""The closed form of a root and its value, both None where none was found."""
NO_ROOT: Root = (None, None)
CLOSE = 1e-9
"""How near, relatively, a closed form's value must lie to the proven enclosure to be its root."""


@dataclass(frozen=True, slots=True)
class Crossover(Crossing):
    """One change of what binds.

    `first_valid` is the first whole number from there to the next change that the model's
    `require`s and bounds allow, None where none was found. `closed_form` is in the other parameters
    and the machine's rates, `closed_form_value` its number here. `step` names the step whose bound
    changes, None where it is the whole's.
    """

    first_valid: int | None
    closed_form: Expression | None
    closed_form_value: float | None
    step: str | None = None

    @classmethod
    def of(
        cls, crossing: Crossing, valid: int | None, root: Root, step: str | None = None
    ) -> Crossover:
        before, after, kind = crossing.before, crossing.after, crossing.kind
        enclosure, whole = crossing.enclosure, crossing.first_integer
        return cls(before, after, enclosure, whole, kind, valid, *root, step)


@dataclass(frozen=True, slots=True)
class Crossovers(Proven):
    """All crossovers over a range and the regimes between, proven as far as said."""

    unknown: Unknown
    low: Place
    high: Place
    regimes: tuple[Regime, ...]
    crossovers: tuple[Crossover, ...]
    proof: Proof


@dataclass(frozen=True, slots=True)
class Rivals:
    """Several times to compare: with every number put in, and with the names left in."""

    unknown: Unknown
    numbers: dict[str, Expression]
    symbols: dict[str, Expression] = field(default_factory=dict)
    known: dict[str, Expression] = field(default_factory=dict)

    def compare(self, low: Place, high: Place) -> Regimes:
        """Return which of the rivals is the largest, proven over the range."""
        times, name, integer = [*self.numbers.items()], self.unknown.name, self.unknown.integer
        found = crossovers(times, name, low, high, integer=integer)
        return found if integer or found.complete else _without_slivers(found)

    def root_at(self, crossing: Crossing) -> Root:
        """Return the closed form of a crossing: the largest before equals the largest after."""
        pair = exchanged(crossing)
        return self.root(*pair, crossing.enclosure) if pair else NO_ROOT

    def root(self, left: str, right: str, enclosure: tuple[float, float]) -> Root:
        """Return closed form and value of the place in an enclosure where two times are equal."""
        for trees, known in ((self.symbols, self.known), (self.numbers, {})):
            if left not in trees or right not in trees:
                continue
            pairs = [(trees[left], trees[right])]
            branches = _branches(pairs[0], known, enclosure, self.unknown)
            for one, other in pairs if branches is None else [*pairs, branches]:
                for root in closed_form(one, other, self.unknown.name).roots:
                    value = _value(root, known, enclosure)
                    if value is not None:
                        return root, value
        return NO_ROOT


def find_crossovers(
    prediction: Prediction,
    unknown: Unknown,
    low: Place,
    high: Place,
    between: Sequence[str] = (),
) -> Crossovers:
    """Return every crossover of the bound over a range of the unknown.

    `between` compares some of the resources alone. Raises RoofError where one is not the
    prediction's (R0703) or nothing depends on the unknown (R0704).
    """
    rivals = all_rivals(prediction, unknown)
    if between:
        rivals = _only(rivals, between)
    check_dependence(rivals.numbers.values(), unknown, prediction)
    found = rivals.compare(low, high)
    changes = [*_crossovers(found, rivals, prediction)]
    proof = found.proof
    if not prediction.is_kernel and not between:
        for name, step, compared in _steps(prediction, unknown, low, high):
            changes += _crossovers(step, compared, prediction, name)
            proof = proof.joined(step.proof)
    return Crossovers(unknown, low, high, found.regimes, tuple(changes), proof)


def find_regimes(prediction: Prediction, unknown: Unknown, low: Place, high: Place) -> Regimes:
    """Return what binds where in a range of the unknown, without closed forms or single steps.

    Raises RoofError where nothing depends on the unknown (R0704).
    """
    numbers = unknown.put_in(prediction.rates, prediction.rivals)
    check_dependence(numbers.values(), unknown, prediction)
    return Rivals(unknown, numbers).compare(low, high)


def _without_slivers(found: Regimes) -> Regimes:
    """Turn undecided stretches as narrow as an enclosure into crossings: a jump lies in each."""
    regimes: list[Regime] = []
    crossings = list(found.crossings)
    for place, regime in enumerate(found.regimes):
        narrow = float(regime.last) - float(regime.first) <= CLOSE * abs(float(regime.last))
        inside = 0 < place < len(found.regimes) - 1
        if regime.kind != "undecided" or not (narrow and inside):
            regimes.append(regime)
            continue
        before, after = found.regimes[place - 1], found.regimes[place + 1]
        if before.labels != after.labels and "undecided" not in (before.kind, after.kind):
            # The jump may also lie beside it, between the neighbours.
            enclosure = (float(before.last), float(after.first))
            crossings.append(Crossing(before.labels, after.labels, enclosure, None, "jump"))
    crossings.sort(key=lambda crossing: crossing.enclosure)
    proof = Proof.of((regime.last, regime.kind != "undecided") for regime in regimes)
    return Regimes(tuple(regimes), tuple(crossings), proof)


def all_rivals(prediction: Prediction, unknown: Unknown) -> Rivals:
    """Return what competes for the bound: times of a kernel, charged times of a composition."""
    numbers = unknown.put_in(prediction.rates, prediction.rivals)
    symbols = prediction.opened().rivals
    return Rivals(unknown, numbers, symbols, known_of(prediction, unknown))


def known_of(prediction: Prediction, unknown: Unknown) -> dict[str, Expression]:
    """Return what the names in an opened prediction stand for, all but the unknown."""
    return unknown.known({**prediction.binding.trees, **prediction.rates})


def check_dependence(trees: Iterable[Expression], unknown: Unknown, prediction: Prediction) -> None:
    """Raise RoofError unless the formulas depend on the unknown (R0704) and it alone (R0406)."""
    names = {symbol.name for tree in trees for symbol in free_symbols(tree)}
    if unknown.symbol.name not in names:
        message = (
            f"nothing of '{prediction.model.name}' on '{prediction.machine.name}' depends on "
            f"{unknown.symbol.name}"
        )
        hint = "its bound is the same for every value"
        raise RoofError([Diagnostic("R0704", message, hint=hint)])
    others = names - {unknown.symbol.name}
    if others:
        message = f"'{prediction.model.name}' needs a value for {', '.join(sorted(others))}"
        raise RoofError([Diagnostic("R0406", message, hint=f"give one with -p {min(others)}=…")])


def exchanged(crossing: Crossing) -> tuple[str, str] | None:
    """Return the names of the largest before and after a crossing, None where it is a jump."""
    left = next((name for name in crossing.before if name not in crossing.after), None)
    right = next((name for name in crossing.after if name not in crossing.before), None)
    return (left, right) if left and right and crossing.kind in ("switch", "tie") else None


def _branches(
    pair: tuple[Expression, Expression],
    known: Mapping[str, Expression],
    enclosure: tuple[float, float],
    unknown: Unknown,
) -> tuple[Expression, Expression] | None:
    """Return a pair with its `min`, `max` and `if` as they are at the root, None if not known."""
    try:
        numbers = {name: tree for name, tree in known.items() if not free_symbols(tree)}
        values = {name: evaluate(tree, {}) for name, tree in numbers.items()}
        values[unknown.name] = (enclosure[0] + enclosure[1]) / 2
        return active_branch(pair[0], values), active_branch(pair[1], values)
    except EvaluationError:
        return None


def _only(rivals: Rivals, names: Sequence[str]) -> Rivals:
    unknown = [name for name in names if name not in rivals.numbers]
    if unknown:
        message = f"{listing(unknown)} takes no time here, so it cannot be compared"
        hint = f"what takes time: {', '.join(rivals.numbers)}"
        raise RoofError([Diagnostic("R0703", message, hint=hint)])
    symbols = {name: rivals.symbols[name] for name in names if name in rivals.symbols}
    return replace(rivals, numbers={name: rivals.numbers[name] for name in names}, symbols=symbols)


def _crossovers(
    found: Regimes, rivals: Rivals, prediction: Prediction, step: str | None = None
) -> Iterator[Crossover]:
    domain = domain_of(prediction, rivals.unknown)
    for crossing in found.crossings:
        root = rivals.root_at(crossing)
        if root == NO_ROOT and step is None and not prediction.is_kernel:
            root = _meeting(prediction, crossing, rivals.unknown)
        whole, valid = crossing.first_integer, None
        if whole is not None:
            last = next(each.last for each in found.regimes if each.first <= whole <= each.last)
            valid = domain.first(whole, last).value
        yield Crossover.of(crossing, valid, root, step)


def _meeting(prediction: Prediction, crossing: Crossing, unknown: Unknown) -> Root:
    """Return the closed form of where two overlapped children take equally long.

    There the time is charged to the other child, so what binds the whole changes by a jump.
    """
    low, high = crossing.enclosure
    middle = (low + high) / 2
    if high - low > CLOSE * abs(middle):
        return NO_ROOT
    opened = overlaps(prediction.opened().root)
    for node, open_node in zip(overlaps(prediction.root), opened, strict=False):
        sides = []
        for child, named in zip(node.children, open_node.children, strict=False):
            if child.arrangement == "kernel":
                numbers = unknown.put_in(prediction.rates, _busy(child))
                name = largest_at(numbers, unknown, middle)
                if name is not None:
                    sides.append((numbers[name], name, named))
        for (one, first, left), (other, second, right) in combinations(sides, 2):
            rivals = Rivals(unknown, {"l": one, "r": other})
            if rivals.root("l", "r", crossing.enclosure) != NO_ROOT:
                symbols = {"l": _busy(left)[first], "r": _busy(right)[second]}
                rivals = replace(rivals, symbols=symbols, known=known_of(prediction, unknown))
                return rivals.root("l", "r", crossing.enclosure)
    return NO_ROOT


def largest_at(times: Mapping[str, Expression], unknown: Unknown, at: float) -> str | None:
    """Return which time is the largest at a value of the unknown, None where none has a value."""
    values: dict[str, float] = {}
    for name, tree in times.items():
        with suppress(EvaluationError):
            values[name] = evaluate(tree, {unknown.name: at})
    return max(values, key=values.__getitem__, default=None)


def _busy(node: Node) -> dict[str, Expression]:
    return composed(node, Formulas(), charging=False).busy


def _steps(
    prediction: Prediction, unknown: Unknown, low: Place, high: Place
) -> Iterator[tuple[str, Regimes, Rivals]]:
    """Yield what binds where in each kernel of a composition whose bound may change."""
    for kernel in {id(node): node for node in kernels(prediction.root)}.values():
        if kernel.stated is not None:
            continue
        times = _busy(kernel)
        numbers = unknown.put_in(prediction.rates, times)
        names = {s.name for tree in numbers.values() for s in free_symbols(tree)}
        if len(numbers) > 1 and unknown.name in names:
            rivals = Rivals(unknown, numbers, times, unknown.known(prediction.rates))
            yield kernel.name, rivals.compare(low, high), rivals


def _value(
    root: Expression, known: Mapping[str, Expression], enclosure: tuple[float, float]
) -> float | None:
    """Return the value of a closed form, None where it has none in the enclosure."""
    low, high = enclosure
    with suppress(EvaluationError):
        value = evaluate(substitute(root, known), {})
        if low * (1 - CLOSE) <= value <= high * (1 + CLOSE):
            return value
    return None
