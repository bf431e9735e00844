"""Where the bound of a prediction changes: every crossover over a range, with proof.

A kernel's bound changes where the largest of its resources' times does. On a composition two kinds
are told apart: the bound of one step changes, and what the largest share of the time is charged to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from roofdsl.algebra.closed_form import closed_form
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import composed
from roofdsl.analysis.node import Node, kernels, overlaps
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.analysis.valid import first_valid
from roofdsl.diagnostic import Diagnostic, RoofError, listing
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.numeric.crossover import Crossing, Regime, Regimes, crossovers
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.search import Place
from roofdsl.numeric.settle import active_branch

CLOSE = 1e-9
"""How near, relatively, a closed form's value must lie to the proven enclosure to be its root."""


@dataclass(frozen=True, slots=True)
class Crossover:
    """One change of what binds.

    `enclosure` holds the real root, `first_integer` the first whole number after it, `first_valid`
    the first that the model's `require`s and bounds allow too. `closed_form` is in the other
    parameters and the machine's rates, `closed_form_value` its number here. `step` names the step
    whose bound changes, None where it is the whole's.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    kind: str
    enclosure: tuple[float, float]
    first_integer: int | None
    first_valid: int | None
    closed_form: Expression | None
    closed_form_value: float | None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Crossovers:
    """All of them over a range, and the regimes between them; `complete` when all is proven."""

    unknown: Unknown
    low: Place
    high: Place
    regimes: tuple[Regime, ...]
    crossovers: tuple[Crossover, ...]
    complete: bool
    proven_up_to: Place | None


@dataclass(frozen=True, slots=True)
class Rivals:
    """Several times to compare: with every number put in, and with the names left in."""

    numbers: dict[str, Expression]
    symbols: dict[str, Expression]
    known: dict[str, Expression]


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
    found = compare(rivals, unknown, low, high)
    changes = _described(found, rivals, prediction, unknown)
    if not prediction.is_kernel and not between:
        changes += _step_changes(prediction, unknown, low, high)
    return Crossovers(
        unknown, low, high, found.regimes, changes, found.complete, found.proven_up_to
    )


def find_regimes(prediction: Prediction, unknown: Unknown, low: Place, high: Place) -> Regimes:
    """Return what binds where in a range of the unknown, without closed forms or single steps.

    Raises RoofError where nothing depends on the unknown (R0704).
    """
    rates = unknown.known(prediction.rates)
    numbers = {name: substitute(tree, rates) for name, tree in prediction.rivals().items()}
    check_dependence(numbers.values(), unknown, prediction)
    return compare(Rivals(numbers, {}, {}), unknown, low, high)


def compare(rivals: Rivals, unknown: Unknown, low: Place, high: Place) -> Regimes:
    """Return which of the rivals is the largest, proven over the range."""
    times = list(rivals.numbers.items())
    found = crossovers(times, unknown.symbol.name, low, high, integer=unknown.integer)
    return found if unknown.integer or found.complete else _without_slivers(found)


def _without_slivers(found: Regimes) -> Regimes:
    """Take what is undecided on a stretch as narrow as an enclosure for one: a jump lies in it."""
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
            enclosure = (float(regime.first), float(regime.last))
            crossings.append(Crossing(before.labels, after.labels, enclosure, None, "jump"))
    crossings.sort(key=lambda crossing: crossing.enclosure)
    complete = all(regime.kind != "undecided" for regime in regimes)
    proven = regimes[-1].last if complete else found.proven_up_to
    return Regimes(tuple(regimes), tuple(crossings), complete, proven, found.work)


def all_rivals(prediction: Prediction, unknown: Unknown) -> Rivals:
    """Return what competes for the bound: times of a kernel, charged times of a composition."""
    rates = unknown.known(prediction.rates)
    return Rivals(
        {name: substitute(tree, rates) for name, tree in prediction.rivals().items()},
        prediction.opened().rivals(),
        {**unknown.known(prediction.binding.trees), **rates},
    )


def check_dependence(trees: Iterable[Expression], unknown: Unknown, prediction: Prediction) -> None:
    """Raise RoofError if none of some formulas depends on the unknown, or one on something else."""
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


def root_of(
    left: str, right: str, rivals: Rivals, enclosure: tuple[float, float], unknown: Unknown
) -> tuple[Expression | None, float | None]:
    """Return the closed form of the root in an enclosure of two equal times, and its value."""
    for trees, known in ((rivals.symbols, rivals.known), (rivals.numbers, {})):
        if left not in trees or right not in trees:
            continue
        pairs = [(trees[left], trees[right])]
        branches = _branches(pairs[0], known, enclosure, unknown)
        for one, other in pairs if branches is None else [*pairs, branches]:
            for root in closed_form(one, other, unknown.symbol.name).roots:
                value = _value(root, known)
                if value is not None and _inside(value, enclosure):
                    return root, value
    return None, None


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
    return Rivals(
        {name: rivals.numbers[name] for name in names},
        {name: rivals.symbols[name] for name in names if name in rivals.symbols},
        rivals.known,
    )


def _described(
    found: Regimes,
    rivals: Rivals,
    prediction: Prediction,
    unknown: Unknown,
    step: str | None = None,
) -> tuple[Crossover, ...]:
    return tuple(
        _crossover(crossing, rivals, prediction, unknown, step) for crossing in found.crossings
    )


def _crossover(
    crossing: Crossing,
    rivals: Rivals,
    prediction: Prediction,
    unknown: Unknown,
    step: str | None,
) -> Crossover:
    root, value = None, None
    left = next((name for name in crossing.before if name not in crossing.after), None)
    right = next((name for name in crossing.after if name not in crossing.before), None)
    if left and right and crossing.kind in ("switch", "tie"):
        root, value = root_of(left, right, rivals, crossing.enclosure, unknown)
    if root is None and step is None and not prediction.is_kernel:
        root, value = _meeting(prediction, crossing, unknown)
    valid = None
    if crossing.first_integer is not None:
        valid = first_valid(prediction, unknown, crossing.first_integer)
    return Crossover(
        crossing.before,
        crossing.after,
        crossing.kind,
        crossing.enclosure,
        crossing.first_integer,
        valid,
        root,
        value,
        step,
    )


def _meeting(
    prediction: Prediction, crossing: Crossing, unknown: Unknown
) -> tuple[Expression | None, float | None]:
    """Return the closed form of where two overlapped children take equally long.

    There the time is charged to the other child, so what binds the whole changes by a jump.
    """
    low, high = crossing.enclosure
    middle = (low + high) / 2
    if high - low > CLOSE * abs(middle):
        return None, None
    rates = unknown.known(prediction.rates)
    known = {**unknown.known(prediction.binding.trees), **rates}
    opened = overlaps(prediction.opened().root)
    for node, open_node in zip(overlaps(prediction.root), opened, strict=False):
        numbers = [_binding(child, middle, unknown, rates) for child in node.children]
        for (one, _), (other, _) in combinations([item for item in numbers if item], 2):
            sides = {"l": substitute(one, rates), "r": substitute(other, rates)}
            root, value = root_of("l", "r", Rivals(sides, {}, {}), crossing.enclosure, unknown)
            if root is None:
                continue
            named = _named_sides(open_node, numbers, (one, other))
            if named is not None:
                rivals = Rivals(sides, named, known)
                return root_of("l", "r", rivals, crossing.enclosure, unknown)
            return root, value
    return None, None


def _binding(
    child: Node, at: float, unknown: Unknown, rates: Mapping[str, Expression]
) -> tuple[Expression, str] | None:
    """Return the time of what binds a kernel at a place, and its name."""
    if child.arrangement != "kernel":
        return None
    values = {
        name: _value(substitute(tree, {**rates, unknown.name: Number(Fraction(at))}), {})
        for name, tree in _busy(child).items()
    }
    present = {name: value for name, value in values.items() if value is not None}
    if not present:
        return None
    name = max(present, key=lambda key: present[key])
    return _busy(child)[name], name


def _named_sides(
    node: Node,
    numbers: Sequence[tuple[Expression, str] | None],
    pair: tuple[Expression, Expression],
) -> dict[str, Expression] | None:
    """Return the same two times with the names left in."""
    found: list[Expression] = []
    for item, child in zip(numbers, node.children, strict=True):
        if item is not None and item[0] in pair:
            found.append(_busy(child)[item[1]])
    return {"l": found[0], "r": found[1]} if len(found) == 2 else None


def _busy(node: Node) -> dict[str, Expression]:
    return composed(node, Formulas(), charging=False).busy


def _step_changes(
    prediction: Prediction, unknown: Unknown, low: Place, high: Place
) -> tuple[Crossover, ...]:
    """Return where the bound of each kernel of a composition changes."""
    rates = unknown.known(prediction.rates)
    found: list[Crossover] = []
    seen: set[int] = set()
    for kernel, _ in kernels(prediction.root):
        if id(kernel) in seen or kernel.stated is not None:
            continue
        seen.add(id(kernel))
        times = _busy(kernel)
        numbers = {name: substitute(tree, rates) for name, tree in times.items()}
        names = {s.name for tree in numbers.values() for s in free_symbols(tree)}
        if len(numbers) < 2 or unknown.symbol.name not in names:
            continue
        rivals = Rivals(numbers, times, rates)
        regimes = compare(rivals, unknown, low, high)
        found += _described(regimes, rivals, prediction, unknown, kernel.name)
    return tuple(found)


def _value(root: Expression, known: Mapping[str, Expression]) -> float | None:
    try:
        value = evaluate(substitute(root, known), {})
    except EvaluationError:
        return None
    return float(value)


def _inside(value: float, enclosure: tuple[float, float]) -> bool:
    low, high = enclosure
    return low * (1 - CLOSE) <= value <= high * (1 + CLOSE)
