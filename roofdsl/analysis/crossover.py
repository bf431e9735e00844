"""Where the bound of a prediction changes: every crossover over a range, with proof.

A kernel's bound changes where the largest of its resources' times does. On a composition two kinds
are told apart: the bound of one step changes, and what the largest share of the time is charged to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, TypeAlias

from roofdsl.algebra.closed_form import closed_form
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import composed
from roofdsl.analysis.domain import NOT_ASKED, Domain, FirstAllowed, domain_of
from roofdsl.analysis.node import Node, kernels, overlaps
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import Part, RegimesOver, part_at, without_slivers
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, RoofError, listing
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.box import Place
from roofdsl.numeric.crossover import crossovers
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.regime import Crossing, Regime, Regimes
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.settle import active_branch

Root: TypeAlias = tuple[Expression | None, float | None]
"""The closed form of a root and its value, both None where none was found."""
NO_ROOT: Root = (None, None)
_NO_BOUND = ("undecided", "refused")
CLOSE = 1e-9
"""How near, relatively, a closed form's value must lie to the proven enclosure to be its root."""


@dataclass(frozen=True, slots=True)
class Crossover(Crossing, FirstAllowed):
    """One change of what binds.

    `allowed` is the first value from there to the next change that the model allows. `closed_form`
    is in the other parameters and the machine's rates, `closed_form_value` its number here. `step`
    names the step whose bound changes, None where it is the whole's.
    """

    allowed: Allowed[Place]
    closed_form: Expression | None
    closed_form_value: float | None
    step: str | None = None

    @classmethod
    def of(
        cls, crossing: Crossing, allowed: Allowed[Place], root: Root, step: str | None = None
    ) -> Crossover:
        before, after, kind = crossing.before, crossing.after, crossing.kind
        enclosure, whole = crossing.enclosure, crossing.first_integer
        return cls(before, after, enclosure, whole, kind, allowed, *root, step)


@dataclass(frozen=True, slots=True)
class Crossovers(Proven):
    """All crossovers over a range and the regimes between, proven as far as said.

    `proof` is that of the whole and of its steps. `allowed` are the first values in each regime
    that the model allows.
    """

    unknown: Unknown
    low: Place
    high: Place
    regimes: tuple[Regime, ...]
    crossovers: tuple[Crossover, ...]
    proof: Proof
    allowed: tuple[Allowed[Place], ...]

    @property
    def proof_of_whole(self) -> Proof:
        """How far the regimes are proven, whatever is known of the steps."""
        return Proof.of((each.last, each.kind != "undecided") for each in self.regimes)

    @property
    def has_one_bound(self) -> bool:
        """Whether what binds is the same wherever it is decided."""
        decided = {each.leading for each in self.regimes if each.kind not in _NO_BOUND}
        return len(decided) < 2 and all(each.kind != "band" for each in self.regimes)


class Rivals(NamedTuple):
    """Several times to compare: with every number put in, and with the names left in."""

    unknown: Unknown
    numbers: dict[str, Expression]
    symbols: dict[str, Expression]
    known: dict[str, Expression]

    def compare(self, low: Place, high: Place) -> Regimes:
        """Return which of the rivals is the largest, proven over the range."""
        times, name, integer = [*self.numbers.items()], self.unknown.name, self.unknown.integer
        found = crossovers(times, name, low, high, integer=integer)
        return found if integer else without_slivers(found)

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
    check_dependence(prediction.rivals.values(), unknown, prediction)
    check_names(between, prediction)
    over = RegimesOver(prediction, unknown, low, high)
    parts = over.parts(between)
    found = over.regimes(parts)
    roots = BoundRoots(prediction, unknown, parts)
    domain = domain_of(prediction, unknown)
    changes = [*crossovers_of(found, roots.at, domain)]
    of_steps: list[Crossover] = []
    proof = found.proof
    if not prediction.is_kernel and not between:
        for kernel in _distinct(prediction, unknown):
            times, step = over.of_kernel(kernel)
            named = Rivals(unknown, times, busy(kernel), unknown.known(prediction.rates))
            of_steps += crossovers_of(step, named.root_at, domain, kernel.name)
            proof = proof.joined(step.proof)
        changes = [_rooted(change, of_steps) for change in changes]
    allowed = domain.first_of_each(found.regimes)
    both = (*changes, *of_steps)
    return Crossovers(unknown, low, high, found.regimes, both, proof, allowed)


def _rooted(change: Crossover, of_steps: Sequence[Crossover]) -> Crossover:
    """Return a jump of the whole with the closed form of the only step's change that is there."""
    if change.kind != "jump" or change.closed_form is not None:
        return change
    low, high = change.enclosure
    whole = change.first_integer
    there = [
        step
        for step in of_steps
        if step.first_integer == whole and step.enclosure[0] <= high and low <= step.enclosure[1]
    ]
    forms = {step.closed_form for step in there}
    if len(forms) != 1 or None in forms:
        return change
    form, value = there[0].closed_form, there[0].closed_form_value
    return replace(change, closed_form=form, closed_form_value=value)


def find_regimes(prediction: Prediction, unknown: Unknown, low: Place, high: Place) -> Regimes:
    """Return what binds where in a range of the unknown, without closed forms or single steps.

    Raises RoofError where nothing depends on the unknown (R0704).
    """
    check_dependence(prediction.rivals.values(), unknown, prediction)
    over = RegimesOver(prediction, unknown, low, high)
    return over.regimes(over.parts())


def known_of(prediction: Prediction, unknown: Unknown) -> dict[str, Expression]:
    """Return what the names in an opened prediction stand for, all but the unknown."""
    return unknown.known({**prediction.binding.trees, **prediction.rates})


def check_dependence(
    trees: Iterable[Expression],
    unknown: Unknown,
    prediction: Prediction,
    besides: Collection[str] = (),
    *,
    asked: str = "",
) -> None:
    """Raise RoofError unless the formulas depend on the unknown (R0704) and it alone (R0406).

    Names `besides` may be open, too; `asked`: what else than the bound the formulas are of.
    """
    rates = {name: tree for name, tree in prediction.rates.items() if name not in besides}
    known = unknown.known(rates)
    named = {symbol.name: symbol for tree in trees for symbol in free_symbols(tree)}
    put_in = [known.get(name, symbol) for name, symbol in named.items()]
    names = {symbol.name for tree in put_in for symbol in free_symbols(tree)}
    if unknown.symbol.name not in names:
        of = f"'{prediction.model.name}' on '{prediction.machine.name}'"
        message = f"nothing of {of} depends on {unknown.symbol.name}"
        hint = "its bound is the same for every value"
        if asked:
            message = f"{asked} does not depend on {unknown.symbol.name}"
            hint = "it is the same for every value"
        raise RoofError([Diagnostic("R0704", message, hint=hint)])
    others = names - {unknown.symbol.name, *besides}
    if others:
        message = f"'{prediction.model.name}' needs a value for {', '.join(sorted(others))}"
        own = [name for name in sorted(others) if name in prediction.model.dimensions()]
        hint = f"give one with -p {own[0]}=…" if own else "give the machine's parameter a default"
        raise RoofError([Diagnostic("R0406", message, hint=hint)])


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


def check_names(names: Sequence[str], prediction: Prediction) -> None:
    """Raise RoofError unless each is the name of what takes time (R0703)."""
    unknown = [name for name in names if name not in prediction.rivals]
    if unknown:
        message = f"{listing(unknown)} takes no time here, so it cannot be compared"
        hint = f"what takes time: {', '.join(prediction.rivals)}"
        raise RoofError([Diagnostic("R0703", message, hint=hint)])


def crossovers_of(
    found: Regimes, root_at: Callable[[Crossing], Root], domain: Domain, step: str | None = None
) -> Iterator[Crossover]:
    """Yield the crossings with their closed forms, and with the first values that are allowed."""
    for crossing in found.crossings:
        allowed = allowed_after(crossing, found, domain)
        yield Crossover.of(crossing, allowed, root_at(crossing), step)


def allowed_after(crossing: Crossing, found: Regimes, domain: Domain) -> Allowed[Place]:
    """Return the first value that is allowed from a crossing to the next one."""
    start: Place | None = crossing.first_integer
    if start is None:
        start = None if domain.unknown.integer else crossing.enclosure[1]
    after = (each for each in found.regimes if start is not None and start <= each.last)
    regime = next(after, None)
    if start is None or regime is None:
        return NOT_ASKED
    return domain.first_of(max(start, regime.first), regime.last)


@dataclass(frozen=True)  # no slots: the opened prediction is derived once, when it is asked for
class BoundRoots:
    """Closed forms of the places where the bound of a prediction changes."""

    prediction: Prediction
    unknown: Unknown
    parts: Sequence[Part]

    @cached_property
    def opened(self) -> Prediction:
        return self.prediction.opened()

    def at(self, crossing: Crossing) -> Root:
        """Return closed form and value of the place of a crossing, as far as they are found."""
        if exchanged(crossing) is not None:
            known = known_of(self.prediction, self.unknown)
            times = part_at(self.parts, crossing.enclosure[0]).times
            root = Rivals(self.unknown, {**times}, self.opened.rivals, known).root_at(crossing)
            if root != NO_ROOT:
                return root
        return NO_ROOT if self.prediction.is_kernel else self._meeting(crossing)

    def _meeting(self, crossing: Crossing) -> Root:
        """Return the closed form of where two overlapped children take equally long.

        There the time is charged to the other child, so what binds the whole changes by a jump.
        """
        prediction, unknown = self.prediction, self.unknown
        low, high = crossing.enclosure
        middle = (low + high) / 2
        nodes = overlaps(prediction.root)
        if not nodes or high - low > max(CLOSE * abs(middle), float(unknown.integer)):
            return NO_ROOT
        opened = overlaps(self.opened.root)
        for node, open_node in zip(nodes, opened, strict=False):
            sides = []
            for child, named in zip(node.children, open_node.children, strict=False):
                if child.arrangement == "kernel":
                    numbers = unknown.put_in(prediction.rates, busy(child))
                    name = largest_at(numbers, unknown, middle)
                    if name is not None:
                        sides.append((numbers[name], name, named))
            for (one, first, left), (other, second, right) in combinations(sides, 2):
                rivals = Rivals(unknown, {"l": one, "r": other}, {}, {})
                if rivals.root("l", "r", crossing.enclosure) != NO_ROOT:
                    symbols = {"l": busy(left)[first], "r": busy(right)[second]}
                    rivals = rivals._replace(symbols=symbols, known=known_of(prediction, unknown))
                    return rivals.root("l", "r", crossing.enclosure)
        return NO_ROOT


def largest_at(times: Mapping[str, Expression], unknown: Unknown, at: float) -> str | None:
    """Return which time is the largest at a value of the unknown, None where none has a value."""
    values: dict[str, float] = {}
    for name, tree in times.items():
        with suppress(EvaluationError):
            values[name] = evaluate(tree, {unknown.name: at})
    return max(values, key=values.__getitem__, default=None)


def busy(node: Node) -> dict[str, Expression]:
    """Return how long a step keeps each resource busy."""
    return composed(node, Formulas(), charging=False).busy


def _distinct(prediction: Prediction, unknown: Unknown) -> Iterator[Node]:
    """Yield each kernel of a composition whose bound may change with the unknown."""
    known = unknown.known(prediction.rates)
    for kernel in {id(node): node for node in kernels(prediction.root)}.values():
        if kernel.stated is None and len(times := busy(kernel)) > 1:
            named = {s.name: s for tree in times.values() for s in free_symbols(tree)}
            put_in = [known.get(name, symbol) for name, symbol in named.items()]
            if any(s.name == unknown.name for tree in put_in for s in free_symbols(tree)):
                yield kernel


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
